/* SPDX-License-Identifier: MIT
 * Statements, one element at a time. */
#include "object/object.h"
#include "tests/ezpim/interp_parts.h"

#include <string.h>

/* How a statement is left. */
enum way { WAY_ON, WAY_BREAK, WAY_CONTINUE, WAY_RETURN };

static enum way run_block(struct interp *it, const struct stmt *s);

static struct interp_cell *new_cells(struct interp *it, uint32_t count) {
    static const struct interp_cell empty = {0};
    if (it->cells_used + count > INTERP_CELLS) {
        interp_fail(it, "too many local variables");
        return it->cells;
    }
    struct interp_cell *cells = it->cells + it->cells_used;
    it->cells_used += count;
    for (uint32_t i = 0; i < count; i++)
        cells[i] = empty;
    return cells;
}

static void store(struct interp_cell *c, uint64_t pattern) {
    *c = (struct interp_cell){pattern, true};
}

static void run_let(struct interp *it, const struct stmt *s) {
    const struct expr *list = s->value && s->value->kind == EXPR_LIST ? s->value : NULL;
    struct interp_value v = s->value && !list ? interp_eval(it, s->value) : interp_number(0);
    struct interp_binding b = {.name = s->name.text, .kind = BOUND_CELLS, .count = 1};
    b.number.type = v.type;
    if (s->type && !interp_type(it, s->type->name.text, &b.number.type))
        interp_fail(it, "the type of `%s`", s->name.text);
    b.has_k = s->type && s->type->count;
    if (b.has_k)
        b.count = (uint32_t)interp_eval(it, s->type->count).v;
    b.cells = new_cells(it, b.count);
    if (s->value && !list)
        store(b.cells, interp_as(it, v, b.number.type));
    for (uint32_t i = 0; list && i < list->arg_count && i < b.count; i++)
        store(b.cells + i, interp_as(it, interp_eval(it, list->args[i]), b.number.type));
    vec_push(&it->locals, b);
}

static void run_assign(struct interp *it, const struct stmt *s) {
    struct rtype t = {0};
    struct interp_value v;
    if (s->compound) {
        v = interp_eval(it, s->target);
        v = interp_binary(it, (enum binary_op)s->op, v, interp_eval(it, s->value));
    } else {
        v = interp_eval(it, s->value);
    }
    struct interp_cell *c = interp_place(it, s->target, &t);
    if (c)
        store(c, interp_as(it, v, t));
}

/* What a loop makes of the way its body was left; false when the loop ends. */
static bool goes_on(enum way *way) {
    bool again = *way == WAY_ON || *way == WAY_CONTINUE;
    if (*way != WAY_RETURN)
        *way = WAY_ON;
    return again;
}

static enum way run_while(struct interp *it, const struct stmt *s) {
    enum way way = WAY_ON;
    bool once = s->asks_last; /* before it asks */
    while ((once || interp_true(it, s->value)) && interp_step(it)) {
        once = false;
        way = run_block(it, s->body);
        if (!goes_on(&way))
            break;
    }
    return way;
}

/* The counter of typed bounds has the wider one's type; that of numbers is a number. */
static struct interp_value counter(struct interp_value first, struct interp_value last,
                                   ez_number at) {
    if (first.is_number && last.is_number)
        return interp_number(at);
    struct rtype t = first.is_number || (!last.is_number && last.type.bits > first.type.bits)
                         ? last.type
                         : first.type;
    return interp_typed((uint64_t)at & rtype_mask(t), t);
}

static enum way run_for(struct interp *it, const struct stmt *s) {
    enum way way = WAY_ON;
    struct interp_value first = interp_eval(it, s->value), last = interp_eval(it, s->last);
    size_t mark = it->locals.len;
    for (ez_number i = first.v; i < last.v && interp_step(it); i++) {
        struct interp_binding b = {.name = s->name.text, .kind = BOUND_NUMBER};
        b.number = counter(first, last, i);
        vec_push(&it->locals, b);
        way = run_block(it, s->body);
        it->locals.len = mark;
        if (!goes_on(&way))
            break;
    }
    return way;
}

static enum way run_repeat(struct interp *it, const struct stmt *s) {
    enum way way = WAY_ON;
    ez_number count = interp_eval(it, s->value).v;
    for (ez_number i = 0; i < count && interp_step(it); i++) {
        way = run_block(it, s->body);
        if (!goes_on(&way))
            break;
    }
    return way;
}

static enum way run_return(struct interp *it, const struct stmt *s) {
    struct rtype t;
    if (!s->value)
        return WAY_RETURN;
    struct interp_value v = interp_eval(it, s->value);
    if (!it->sub || !it->sub->type || !interp_type(it, it->sub->type->name.text, &t))
        interp_fail(it, "a value is returned where none is wanted");
    else
        it->returned = interp_typed(interp_as(it, v, t), t);
    return WAY_RETURN;
}

static void run_assert(struct interp *it, const struct stmt *s) {
    if (!interp_true(it, s->value))
        interp_fail(it, "an assertion does not hold in element %llu",
                    (unsigned long long)it->element);
}

/* ADD x y z and its like, at the width behind the dot: other bits of z stay. */
static void run_insn(struct interp *it, const struct stmt *s) {
    static const struct {
        const char *word;
        enum binary_op op;
    } words[] = {{"ADD", BINARY_ADD},
                 {"SUB", BINARY_SUB},
                 {"AND", BINARY_AND},
                 {"OR", BINARY_OR},
                 {"XOR", BINARY_XOR}};
    size_t k = 0, count = sizeof words / sizeof *words;
    struct rtype t = {0};
    while (k < count && strcmp(words[k].word, s->name.text) != 0)
        k++;
    if (k == count || s->operand_count != 3) {
        interp_fail(it, "an instruction that the interpreter does not know");
        return;
    }
    struct interp_value x = interp_eval(it, s->operands[0]), y = interp_eval(it, s->operands[1]);
    struct interp_cell *z = interp_place(it, s->operands[2], &t);
    struct rtype part = t;
    if (s->width)
        part = (struct rtype){.bits = (unsigned)s->width->number};
    uint64_t v = (uint64_t)interp_binary(it, words[k].op, x, y).v & rtype_mask(part);
    if (z)
        store(z, s->width ? (z->pattern & ~rtype_mask(part)) | v : v);
}

static enum way run_stmt(struct interp *it, const struct stmt *s) {
    switch (s->kind) {
    case STMT_LET:
        run_let(it, s);
        break;
    case STMT_ASSIGN:
        run_assign(it, s);
        break;
    case STMT_INSN:
        run_insn(it, s);
        break;
    case STMT_ASM:
        for (const struct stmt *i = s->body; i; i = i->next)
            run_insn(it, i);
        break;
    case STMT_CALL:
    case STMT_PRINT:
        interp_eval(it, s->value);
        break;
    case STMT_ASSERT:
        run_assert(it, s);
        break;
    case STMT_IF:
        return run_block(it, interp_true(it, s->value) ? s->body : s->otherwise);
    case STMT_WHILE:
        return run_while(it, s);
    case STMT_FOR:
        return run_for(it, s);
    case STMT_REPEAT:
        return run_repeat(it, s);
    case STMT_BREAK:
        return WAY_BREAK;
    case STMT_CONTINUE:
        return WAY_CONTINUE;
    case STMT_RETURN:
        return run_return(it, s);
    default:
        interp_fail(it, "a statement of a lane that the interpreter does not know");
    }
    return WAY_ON;
}

/* The names that a block declares end with it. */
static enum way run_block(struct interp *it, const struct stmt *s) {
    size_t locals = it->locals.len, cells = it->cells_used;
    enum way way = WAY_ON;
    if (++it->depth > INTERP_DEPTH)
        interp_fail(it, "calls and blocks are nested too deep");
    for (; s && way == WAY_ON && interp_step(it); s = s->next)
        way = run_stmt(it, s);
    it->depth--;
    it->locals.len = locals;
    it->cells_used = cells;
    return way;
}

enum { MAX_PARAMS = 16 };

/* One argument: the parameter's cells, and where they go when the call ends. */
struct argument {
    struct interp_binding param;
    struct interp_cell *back;
};

static void copy_cells(struct interp *it, struct interp_cell *to, const struct interp_cell *from,
                       uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (!from[i].written)
            interp_fail(it, "`%s` is passed before it is written", name);
        to[i] = from[i];
    }
}

/* The caller's cells of an argument that is a variable, or a whole array. */
static struct interp_cell *argument_place(struct interp *it, const struct expr *e,
                                          const struct interp_binding *param) {
    struct rtype t = {0};
    struct interp_cell *place = interp_place(it, e, &t);
    const struct rtype *want = &param->number.type;
    if (place &&
        (t.is_bool != want->is_bool || t.is_signed != want->is_signed || t.bits != want->bits))
        interp_fail(it, "`%s` has not its parameter's type", e->name.text);
    return it->error ? NULL : place;
}

static struct argument pass(struct interp *it, const struct decl *p, const struct expr *e) {
    struct argument a = {.param = {.name = p->names[0].text, .kind = BOUND_CELLS, .count = 1}};
    if (!interp_type(it, p->type->name.text, &a.param.number.type))
        interp_fail(it, "the type of `%s`", a.param.name);
    a.param.has_k = p->type->count != NULL;
    if (a.param.has_k)
        a.param.count = (uint32_t)interp_eval(it, p->type->count).v;
    a.param.cells = new_cells(it, a.param.count);
    bool whole = a.param.has_k || (p->direction & VAR_OUT);
    if (!whole) {
        store(a.param.cells, interp_as(it, interp_eval(it, e), a.param.number.type));
        return a;
    }
    struct interp_cell *place = argument_place(it, e, &a.param);
    if (place && (p->direction & VAR_IN))
        copy_cells(it, a.param.cells, place, a.param.count, e->name.text);
    if (p->direction & VAR_OUT)
        a.back = place;
    return a;
}

static void run_body(struct interp *it, const struct decl *sub, const struct argument *args,
                     uint32_t count) {
    const struct decl *outer = it->sub;
    size_t frame = it->frame, locals = it->locals.len;
    it->frame = locals;
    it->sub = sub;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&it->locals, args[i].param);
    enum way way = run_block(it, sub->body);
    if (sub->type && way != WAY_RETURN)
        interp_fail(it, "`%s` ends without a value", sub->names[0].text);
    it->locals.len = locals;
    it->frame = frame;
    it->sub = outer;
}

struct interp_value interp_call(struct interp *it, const struct decl *sub, const struct expr *e) {
    struct argument args[MAX_PARAMS];
    size_t cells = it->cells_used;
    uint32_t n = 0;
    for (const struct decl *p = sub->params; p && n < MAX_PARAMS && n < e->arg_count; p = p->next) {
        args[n] = pass(it, p, e->args[n]);
        n++;
    }
    if (n != e->arg_count)
        interp_fail(it, "`%s` has other parameters", e->name.text);
    if (it->error)
        return interp_number(0);
    run_body(it, sub, args, n);
    struct interp_value result = it->returned;
    for (uint32_t i = 0; i < n && !it->error; i++)
        if (args[i].back)
            copy_cells(it, args[i].back, args[i].param.cells, args[i].param.count,
                       args[i].param.name);
    it->cells_used = cells;
    return sub->type && !it->error ? result : interp_number(0);
}

void interp_run_lane(struct interp *it, const struct stmt *s) {
    run_block(it, s);
}
