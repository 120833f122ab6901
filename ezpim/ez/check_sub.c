/* SPDX-License-Identifier: MIT
 * Subroutines: their declaration, their body, and calls. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/check_decl.h"
#include "ezpim/ir.h"

#include <string.h>

static struct ez_symbol *make_param(struct checker *c, const struct decl *d) {
    struct mpu_type type = {TYPE_UINT, 1};
    struct ez_symbol *p = symbol_new(c, SYMBOL_EZ_LOCAL, d->names[0]);
    uint32_t count = 1;
    bool good = resolve_type(c, d->type->name, &type);
    if (d->type->count)
        good &= resolve_count(c, d->type->count, &count);
    if (d->type->group.text) {
        diag_error(c->u->diag, d->type->group.at,
                   "a parameter is a value of the calling lane: it has no `@`");
        good = false;
    }
    if (!d->direction) {
        diag_error(c->u->diag, d->at, "a parameter is `in`, `out` or `inout`");
        good = false;
    }
    p->type = good ? type_of(type) : TYPE_ERROR;
    p->count = count;
    p->has_k = d->type->count != NULL;
    p->var.direction = d->direction;
    p->var.varies = true;
    return p;
}

static struct ez_symbol *make_result(struct checker *c, struct ez_symbol *sub,
                                     const struct decl *d) {
    struct mpu_type type = {TYPE_UINT, 1};
    struct ez_symbol *r = symbol_new(c, SYMBOL_EZ_LOCAL, sub->name);
    bool good = resolve_type(c, d->type->name, &type);
    if (d->type->count || d->type->group.text) {
        diag_error(c->u->diag, d->type->at, "a subroutine returns one value");
        good = false;
    }
    r->type = good ? type_of(type) : TYPE_ERROR;
    r->var.nameless = true;
    return r;
}

/* The operands of an instruction that reads rs, or rs and rt, and writes rd. */
static uint32_t operands_of(enum mpu_op op) {
    uint32_t flags = isa_info(op)->flags;
    uint32_t writes = flags & (WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C | WRITES_M);
    if (writes != WRITES_RD || !(flags & READS_RS) || (flags & (READS_RD | READS_C)))
        return 0;
    return flags & READS_RT ? 2 : 1;
}

/* A value, of as many bits as all others. */
static bool is_operand(const struct ez_symbol *p, const struct ez_symbol *result) {
    return p->var.direction == VAR_IN && !p->has_k && p->type.state == STATE_TYPED &&
           p->type.type.bits == result->type.type.bits;
}

/* recipe NAME else sub: the parameters are the instruction's sources, the value is its result. */
static void stand_for(struct checker *c, struct ez_symbol *s, struct name name) {
    enum mpu_op op = isa_users_find(&c->u->users, name.text, strlen(name.text));
    if (op != OP_COUNT && !(isa_info(op)->flags & ISA_USER))
        op = OP_COUNT;
    uint32_t count = op == OP_COUNT ? 0 : operands_of(op);
    bool good =
        s->sub.result && s->sub.result->type.state == STATE_TYPED && s->sub.param_count == count;
    if (op == OP_COUNT) {
        diag_error(c->u->diag, name.at, "there is no instruction of one's own `%s`", name.text);
        diag_note(c->u->diag, name.at, "it is brought along by `recipe \"file.recipe\";`");
        return;
    }
    if (!count) {
        diag_error(c->u->diag, name.at, "`%s` does more than to make rd of rs and rt", name.text);
        return;
    }
    for (uint32_t i = 0; good && i < count; i++)
        good = is_operand(s->sub.params[i], s->sub.result);
    if (good)
        s->sub.instead_of = op;
    else
        diag_error(c->u->diag, s->name.at,
                   "what stands for `%s` takes %u value%s and returns one, all of as many bits",
                   name.text, count, count == 1 ? "" : "s");
}

static uint64_t registers_of(const struct ez_symbol *p) {
    return ez_all_elements(p) << p->var.reg;
}

/* Where a parameter or the value is passed: `name`, as the first of its registers. */
static void place_passed(struct checker *c, struct ez_symbol *p, struct name name, struct span at) {
    uint32_t r = name.text ? ez_bare_register(name.text) : IR_NONE;
    if (!name.text)
        diag_error(c->u->diag, at,
                   "a subroutine of another object takes and gives values in "
                   "registers: here `in r0` or another one is missing");
    else if (r == IR_NONE)
        diag_error(c->u->diag, name.at, "expected a register, r0 to r63");
    else if (r + p->count > IR_REGISTERS)
        diag_error(c->u->diag, name.at, "%u registers from r%u on go beyond r63", p->count, r);
    else
        p->var.reg = (uint8_t)r;
}

static uint64_t clobbers_of(struct checker *c, const struct decl *d) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < d->extents.count; i++) {
        const struct expr *e = d->extents.items[i];
        uint32_t r = ez_bare_register(e->name.text);
        if (r == IR_NONE)
            diag_error(c->u->diag, e->at, "expected a register, r0 to r63");
        else
            mask |= (uint64_t)1 << r;
    }
    return mask;
}

/* Into the registers of one direction. */
static void pass_more(struct checker *c, const struct ez_symbol *p, uint64_t *taken) {
    if (*taken & registers_of(p))
        diag_error(c->u->diag, p->name.at, "two values are passed in r%u",
                   (unsigned)__builtin_ctzll(*taken & registers_of(p)));
    *taken |= registers_of(p);
}

static void count_passed(struct checker *c, const struct ez_symbol *s, uint64_t taken) {
    if (__builtin_popcountll(taken) > SIGNATURE_MAX_REGISTERS)
        diag_error(c->u->diag, s->name.at, "at most %d registers are passed in one direction",
                   SIGNATURE_MAX_REGISTERS);
}

/* extern sub: registers of what is passed, and those that no variable may have. */
static void place_external(struct checker *c, struct ez_symbol *s, const struct decl *d) {
    uint64_t in = 0, out = 0;
    uint32_t i = 0;
    s->sub.external = true;
    for (const struct decl *p = d->params; p; p = p->next, i++) {
        place_passed(c, s->sub.params[i], p->reg, p->at);
        if (s->sub.params[i]->var.direction & VAR_IN)
            pass_more(c, s->sub.params[i], &in);
        if (s->sub.params[i]->var.direction & VAR_OUT)
            pass_more(c, s->sub.params[i], &out);
    }
    if (s->sub.result) {
        place_passed(c, s->sub.result, d->reg, s->name.at);
        pass_more(c, s->sub.result, &out);
    } else if (d->reg.text) {
        diag_error(c->u->diag, d->reg.at, "`%s` returns no value: its type is missing",
                   s->name.text);
    }
    count_passed(c, s, in);
    count_passed(c, s, out);
    s->sub.clobbers = clobbers_of(c, d) | out;
    c->u->passed |= in | s->sub.clobbers;
}

static void refuse_registers(struct checker *c, const struct decl *d) {
    for (const struct decl *p = d->params; p; p = p->next)
        if (p->reg.text)
            diag_error(c->u->diag, p->reg.at,
                       "the compiler chooses the registers of its own subroutines: `in %s` is "
                       "for `extern sub`",
                       p->reg.text);
}

/* A name that an instruction or the language takes as well is the program's: what is added to them
 * breaks no program. */
static void warn_taken(struct checker *c, const struct ez_symbol *s) {
    enum mpu_op op = find_function_op(s->name.text);
    if (op == OP_COUNT && !is_function(s->name.text))
        return;
    diag_warning(c->u->diag, W_MNEMONIC, s->name.at, "`%s` is a function of %s too", s->name.text,
                 op == OP_COUNT ? "the language" : "the ISA");
    if (op == OP_COUNT)
        diag_note(c->u->diag, s->name.at, "the name means this subroutine");
    else
        diag_note(c->u->diag, s->name.at, "the name means this subroutine; the ISA's is `isa_%s`",
                  s->name.text);
}

void declare_sub(struct checker *c, struct decl *d) {
    struct ez_symbol *s = declare(c, SYMBOL_EZ_SUB, d->names[0], d);
    uint32_t n = 0;
    if (!s)
        return;
    warn_taken(c, s);
    for (const struct decl *p = d->params; p; p = p->next)
        n++;
    s->sub.params = ARENA_ARRAY(&c->u->arena, n + 1, struct ez_symbol *);
    for (const struct decl *p = d->params; p; p = p->next)
        s->sub.params[s->sub.param_count++] = make_param(c, p);
    if (d->type)
        s->sub.result = make_result(c, s, d);
    if (d->instead_of.text)
        stand_for(c, s, d->instead_of);
    if (d->external)
        place_external(c, s, d);
    else
        refuse_registers(c, d);
    vec_push(&c->u->subs.items, s);
}

/* What of the checker belongs to the statements around a call, and not to the subroutine. */
static struct checker enter(struct checker *c, struct ez_symbol *s) {
    struct checker outer = *c;
    c->locals = (struct map){0};
    memset(&c->local_list, 0, sizeof c->local_list);
    c->group = NULL;
    c->compute = NULL;
    c->sub = s;
    c->lane = true;
    c->loop = NULL;
    c->divergent = 0;
    c->condition = CONDITION_UNSET;
    c->unreachable = c->incomplete = false;
    c->repeat_depth = 0;
    return outer;
}

static void leave(struct checker *c, const struct checker *outer) {
    bool good = diag_errors(c->u->diag) == c->u->errors_before;
    for (size_t i = 0; good && i < c->local_list.items.len; i++)
        warn_unused(c, c->local_list.items.data[i]);
    map_free(&c->locals);
    vec_free(&c->local_list.items);
    c->locals = outer->locals;
    c->local_list = outer->local_list;
    c->group = outer->group;
    c->compute = outer->compute;
    c->sub = outer->sub;
    c->lane = outer->lane;
    c->loop = outer->loop;
    c->divergent = outer->divergent;
    c->condition = outer->condition;
    c->condition_lost = outer->condition_lost;
    c->unreachable = outer->unreachable;
    c->incomplete = outer->incomplete;
    c->repeat_depth = outer->repeat_depth;
}

static void declare_params(struct checker *c, struct ez_symbol *s) {
    for (uint32_t i = 0; i < s->sub.param_count; i++) {
        struct ez_symbol *p = s->sub.params[i];
        if (!name_is_free(c, p->name))
            continue;
        map_put(&c->locals, p->name.text, (uintptr_t)p);
        if (p->var.direction & VAR_IN)
            p->var.written = p->var.maybe = UINT64_MAX;
        if (p->var.direction == VAR_IN)
            vec_push(&c->local_list.items, p);
    }
}

/* Is the value or an output missing where the end is reached? */
static void check_results(struct checker *c, const struct ez_symbol *s) {
    if (diag_errors(c->u->diag) != c->u->errors_before)
        return;
    if (s->sub.result && !c->unreachable)
        diag_error(c->u->diag, s->name.at, "the end of `%s` is reached without a `return`",
                   s->name.text);
    for (uint32_t i = 0; i < s->sub.param_count; i++) {
        const struct ez_symbol *p = s->sub.params[i];
        uint64_t all = ez_all_elements(p);
        if ((p->var.direction & VAR_OUT) && !(p->var.maybe & all))
            diag_error(c->u->diag, p->name.at, "the output `%s` is never assigned", p->name.text);
        else if ((p->var.direction & VAR_OUT) && (p->var.written & all) != all && !c->unreachable)
            diag_warning(c->u->diag, W_UNINITIALIZED, p->name.at,
                         "the output `%s` is not assigned on every way", p->name.text);
    }
}

void check_sub(struct checker *c, struct ez_symbol *s) {
    if (s->sub.external)
        s->sub.progress = SUB_CHECKED;
    if (s->sub.progress == SUB_CHECKED)
        return;
    if (s->sub.progress == SUB_AT_WORK) {
        diag_error(c->u->diag, s->name.at, "`%s` calls itself: %s", s->name.text,
                   c->sub && c->sub != s
                       ? arena_printf(&c->u->arena, "through `%s`", c->sub->name.text)
                       : "a lane has no stack");
        s->sub.progress = SUB_CHECKED;
        return;
    }
    s->sub.progress = SUB_AT_WORK;
    struct checker outer = enter(c, s);
    declare_params(c, s);
    check_block(c, s->decl->body, false);
    check_results(c, s);
    leave(c, &outer);
    s->sub.progress = SUB_CHECKED;
}

static void check_input(struct checker *c, struct expr *arg, const struct ez_symbol *p) {
    check_expr(c, arg);
    if (p->type.state == STATE_TYPED)
        check_assignable(c, arg, p->type.type, p->name.at);
}

static bool is_place(const struct expr *arg) {
    return arg->kind == EXPR_NAME || arg->kind == EXPR_INDEX;
}

/* Outputs are written where the caller keeps them, so types are the same. */
static void check_output_arg(struct checker *c, struct expr *arg, const struct ez_symbol *p) {
    if (!is_place(arg)) {
        diag_error(c->u->diag, arg->at, "`%s` is written: a variable stands here", p->name.text);
        return;
    }
    if (p->var.direction & VAR_IN)
        check_read(c, arg);
    check_write(c, arg);
    if (arg->symbol)
        arg->symbol->var.varies = true;
    if (arg->type.state != STATE_TYPED || p->type.state != STATE_TYPED)
        return;
    if (!type_same(arg->type.type, p->type.type))
        diag_error(c->u->diag, arg->at, "`%s` is %s, and `%s` is %s", source_text(c, arg->at),
                   type_name(c, arg->type.type), p->name.text, type_name(c, p->type.type));
    else if (!arg->symbol->var.group && arg->symbol->kind == SYMBOL_EZ_VARIABLE)
        diag_error(c->u->diag, arg->at,
                   "`%s` has no group: it is one value, but this may differ "
                   "from lane to lane",
                   source_text(c, arg->at));
}

/* All registers of an array, by its bare name. */
static void check_array_arg(struct checker *c, struct expr *arg, const struct ez_symbol *p) {
    struct ez_symbol *s = arg->kind == EXPR_NAME ? find_symbol(c, arg->name.text) : NULL;
    poison(arg);
    bool array = s && (s->kind == SYMBOL_EZ_VARIABLE || s->kind == SYMBOL_EZ_LOCAL) && s->has_k &&
                 s->count == p->count && s->type.state == STATE_TYPED &&
                 p->type.state == STATE_TYPED && type_same(s->type.type, p->type.type);
    if (!array) {
        diag_error(c->u->diag, arg->at, "`%s` is an array: here stands the name of one of %s[%u]",
                   p->name.text,
                   p->type.state == STATE_TYPED ? type_name(c, p->type.type) : "its type",
                   p->count);
        return;
    }
    arg->symbol = s;
    arg->type = s->type;
    arg->varies = true;
    s->read |= p->var.direction & VAR_IN;
    if ((p->var.direction & VAR_IN) && (s->var.written & ez_all_elements(s)) != ez_all_elements(s))
        diag_error(c->u->diag, arg->at, "`%s` is read before all of it is written", s->name.text);
    if (!(p->var.direction & VAR_OUT))
        return;
    if (s->kind == SYMBOL_EZ_VARIABLE && s->var.direction == VAR_IN)
        diag_error(c->u->diag, arg->at, "`%s` is an input and cannot be assigned", s->name.text);
    note_written(c, s, ez_all_elements(s));
    s->var.assigned = s->var.varies = true;
}

void check_sub_call(struct checker *c, struct expr *e, struct ez_symbol *s) {
    s->read = true;
    poison(e);
    if (!c->lane) {
        diag_error(c->u->diag, e->at, "`%s` works on a lane: it is called inside of `compute`",
                   s->name.text);
        return;
    }
    check_sub(c, s);
    condition_overwritten(c, e->at);
    if (e->arg_count != s->sub.param_count) {
        diag_error(c->u->diag, e->at, "`%s` takes %u argument%s, not %u", s->name.text,
                   s->sub.param_count, s->sub.param_count == 1 ? "" : "s", e->arg_count);
        diag_note(c->u->diag, s->name.at, "it is declared here");
        return;
    }
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (s->sub.params[i]->has_k)
            check_array_arg(c, e->args[i], s->sub.params[i]);
        else if (s->sub.params[i]->var.direction & VAR_OUT)
            check_output_arg(c, e->args[i], s->sub.params[i]);
        else
            check_input(c, e->args[i], s->sub.params[i]);
        e->writes |= e->args[i]->writes || (s->sub.params[i]->var.direction & VAR_OUT);
    }
    e->symbol = s;
    e->function = FUNCTION_SUB;
    e->varies = true;
    if (s->sub.result)
        e->type = s->sub.result->type;
}
