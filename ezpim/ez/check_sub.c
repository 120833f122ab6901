/* SPDX-License-Identifier: MIT
 * Subroutines: their declaration, their body, and that none calls itself. */
#include "ezpim/ez/check.h"
#include "ezpim/ir/ir.h"

#include <string.h>

static struct ez_symbol *make_param(struct checker *checker, const struct decl *decl) {
    struct lane_type type = {TYPE_UINT, 1};
    struct ez_symbol *p = ez_symbol_new(checker, SYMBOL_EZ_LOCAL, decl->names[0]);
    uint32_t count = 1;
    bool good = ez_resolve_type(checker, decl->type->name, &type);
    if (decl->type->count)
        good &= ez_resolve_count(checker, decl->type->count, &count);
    if (decl->type->group.text) {
        diag_error(checker->u->diag, decl->type->group.at,
                   "a parameter is a value of the calling lane: it has no `@`");
        good = false;
    }
    if (!decl->direction) {
        diag_error(checker->u->diag, decl->at, "a parameter is `in`, `out` or `inout`");
        good = false;
    }
    p->type = good ? ez_type_of(type) : TYPE_ERROR;
    p->count = count;
    p->has_k = decl->type->count != NULL;
    p->var.direction = decl->direction;
    p->var.varies = true;
    return p;
}

static struct ez_symbol *make_result(struct checker *checker, struct ez_symbol *sub,
                                     const struct decl *decl) {
    struct lane_type type = {TYPE_UINT, 1};
    struct ez_symbol *r = ez_symbol_new(checker, SYMBOL_EZ_LOCAL, sub->name);
    bool good = ez_resolve_type(checker, decl->type->name, &type);
    if (decl->type->count || decl->type->group.text) {
        diag_error(checker->u->diag, decl->type->at, "a subroutine returns one value");
        good = false;
    }
    r->type = good ? ez_type_of(type) : TYPE_ERROR;
    r->var.nameless = true;
    return r;
}

/* The operands of an instruction that reads rs, or rs and rt, and writes rd. */
static uint32_t operands_of(enum isa_op op) {
    uint32_t flags = isa_info(op)->flags;
    uint32_t writes = flags & (WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C | WRITES_M);
    if (writes != WRITES_RD || !(flags & READS_RS) || (flags & (READS_RD | READS_C)))
        return 0;
    return flags & READS_RT ? 2 : 1;
}

/* A value, of as many bits as all others. */
static bool is_operand(const struct ez_symbol *symbol, const struct ez_symbol *result) {
    return symbol->var.direction == VAR_IN && !symbol->has_k && symbol->type.state == STATE_TYPED &&
           symbol->type.type.bits == result->type.type.bits;
}

/* recipe NAME else sub: the parameters are the instruction's sources, the value is its result. */
static void stand_for(struct checker *checker, struct ez_symbol *symbol, struct ez_name name) {
    enum isa_op op = isa_users_find(&checker->u->users, name.text, strlen(name.text));
    if (op != OP_COUNT && !(isa_info(op)->flags & ISA_USER))
        op = OP_COUNT;
    uint32_t count = op == OP_COUNT ? 0 : operands_of(op);
    bool good = symbol->sub.result && symbol->sub.result->type.state == STATE_TYPED &&
                symbol->sub.param_count == count;
    if (op == OP_COUNT) {
        diag_error(checker->u->diag, name.at, "there is no instruction of one's own `%s`",
                   name.text);
        diag_note(checker->u->diag, name.at, "it is brought along by `recipe \"file.recipe\";`");
        return;
    }
    if (!count) {
        diag_error(checker->u->diag, name.at, "`%s` does more than to make rd of rs and rt",
                   name.text);
        return;
    }
    for (uint32_t i = 0; good && i < count; i++)
        good = is_operand(symbol->sub.params[i], symbol->sub.result);
    if (good)
        symbol->sub.instead_of = op;
    else
        diag_error(checker->u->diag, symbol->name.at,
                   "what stands for `%s` takes %u value%s and returns one, all of as many bits",
                   name.text, count, count == 1 ? "" : "s");
}

static uint64_t registers_of(const struct ez_symbol *symbol) {
    return ez_all_elements(symbol) << symbol->var.reg;
}

/* Where a parameter or the value is passed: `name`, as the first of its registers. */
static void place_passed(struct checker *checker, struct ez_symbol *symbol, struct ez_name name,
                         struct span at) {
    uint32_t r = name.text ? ez_bare_register(name.text) : IR_NONE;
    if (!name.text)
        diag_error(checker->u->diag, at,
                   "a subroutine of another object takes and gives values in "
                   "registers: here `in r0` or another one is missing");
    else if (r == IR_NONE)
        diag_error(checker->u->diag, name.at, "expected a register, r0 to r63");
    else if (r + symbol->count > IR_REGISTERS)
        diag_error(checker->u->diag, name.at, "%u registers from r%u on go beyond r63",
                   symbol->count, r);
    else
        symbol->var.reg = (uint8_t)r;
}

static uint64_t clobbers_of(struct checker *checker, const struct decl *decl) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < decl->extents.count; i++) {
        const struct expr *e = decl->extents.items[i];
        uint32_t r = ez_bare_register(e->name.text);
        if (r == IR_NONE)
            diag_error(checker->u->diag, e->at, "expected a register, r0 to r63");
        else
            mask |= (uint64_t)1 << r;
    }
    return mask;
}

/* Into the registers of one direction. */
static void pass_more(struct checker *checker, const struct ez_symbol *symbol, uint64_t *taken) {
    if (*taken & registers_of(symbol))
        diag_error(checker->u->diag, symbol->name.at, "two values are passed in r%u",
                   (unsigned)__builtin_ctzll(*taken & registers_of(symbol)));
    *taken |= registers_of(symbol);
}

static void count_passed(struct checker *checker, const struct ez_symbol *symbol, uint64_t taken) {
    if (__builtin_popcountll(taken) > SIGNATURE_MAX_REGISTERS)
        diag_error(checker->u->diag, symbol->name.at,
                   "at most %d registers are passed in one direction", SIGNATURE_MAX_REGISTERS);
}

/* extern sub: registers of what is passed, and those that no variable may have. */
static void place_external(struct checker *checker, struct ez_symbol *symbol,
                           const struct decl *decl) {
    uint64_t in = 0, out = 0;
    uint32_t i = 0;
    symbol->sub.external = true;
    for (const struct decl *p = decl->params; p; p = p->next, i++) {
        place_passed(checker, symbol->sub.params[i], p->reg, p->at);
        if (symbol->sub.params[i]->var.direction & VAR_IN)
            pass_more(checker, symbol->sub.params[i], &in);
        if (symbol->sub.params[i]->var.direction & VAR_OUT)
            pass_more(checker, symbol->sub.params[i], &out);
    }
    if (symbol->sub.result) {
        place_passed(checker, symbol->sub.result, decl->reg, symbol->name.at);
        pass_more(checker, symbol->sub.result, &out);
    } else if (decl->reg.text) {
        diag_error(checker->u->diag, decl->reg.at, "`%s` returns no value: its type is missing",
                   symbol->name.text);
    }
    count_passed(checker, symbol, in);
    count_passed(checker, symbol, out);
    symbol->sub.clobbers = clobbers_of(checker, decl) | out;
    checker->u->passed |= in | symbol->sub.clobbers;
}

static uint32_t place_next(struct ez_symbol *passed, uint32_t next) {
    passed->var.reg = (uint8_t)(next < IR_REGISTERS ? next : 0);
    return next + passed->count;
}

void ez_export_sub(struct checker *checker, struct ez_symbol *symbol) {
    uint64_t in = 0, out = 0;
    uint32_t next = 0;
    if (symbol->sub.external || symbol->sub.instead_of || symbol->decl->included)
        return;
    for (uint32_t i = 0; i < symbol->sub.param_count; i++)
        next = place_next(symbol->sub.params[i], next);
    if (symbol->sub.result)
        next = place_next(symbol->sub.result, next);
    symbol->sub.exported = true;
    if (next > IR_REGISTERS) {
        diag_error(checker->u->diag, symbol->name.at, "at most %d registers are passed",
                   IR_REGISTERS);
        return;
    }
    for (uint32_t i = 0; i < symbol->sub.param_count; i++) {
        const struct ez_symbol *p = symbol->sub.params[i];
        in |= p->var.direction & VAR_IN ? registers_of(p) : 0;
        out |= p->var.direction & VAR_OUT ? registers_of(p) : 0;
    }
    if (symbol->sub.result)
        out |= registers_of(symbol->sub.result);
    count_passed(checker, symbol, in);
    count_passed(checker, symbol, out);
}

static void refuse_registers(struct checker *checker, const struct decl *decl) {
    for (const struct decl *p = decl->params; p; p = p->next)
        if (p->reg.text)
            diag_error(checker->u->diag, p->reg.at,
                       "the compiler chooses the registers of its own subroutines: `in %s` is "
                       "for `extern sub`",
                       p->reg.text);
}

/* A name that an instruction or the language takes as well is the program's: what is added to them
 * breaks no program. */
static void warn_taken(struct checker *checker, const struct ez_symbol *symbol) {
    enum isa_op op = ez_find_function_op(symbol->name.text);
    if (op == OP_COUNT && !ez_is_function(symbol->name.text))
        return;
    diag_warning(checker->u->diag, W_MNEMONIC, symbol->name.at, "`%s` is a function of %s too",
                 symbol->name.text, op == OP_COUNT ? "the language" : "the ISA");
    if (op == OP_COUNT)
        diag_note(checker->u->diag, symbol->name.at, "the name means this subroutine");
    else
        diag_note(checker->u->diag, symbol->name.at,
                  "the name means this subroutine; the ISA's is `isa_%s`", symbol->name.text);
}

void ez_declare_sub(struct checker *checker, struct decl *decl) {
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_SUB, decl->names[0], decl);
    uint32_t n = 0;
    if (!s)
        return;
    warn_taken(checker, s);
    for (const struct decl *p = decl->params; p; p = p->next)
        n++;
    s->sub.params = ARENA_ARRAY(&checker->u->arena, n + 1, struct ez_symbol *);
    for (const struct decl *p = decl->params; p; p = p->next)
        s->sub.params[s->sub.param_count++] = make_param(checker, p);
    if (decl->type)
        s->sub.result = make_result(checker, s, decl);
    if (decl->instead_of.text)
        stand_for(checker, s, decl->instead_of);
    if (decl->external)
        place_external(checker, s, decl);
    else
        refuse_registers(checker, decl);
    vec_push(&checker->u->subs.items, s);
}

/* What of the checker belongs to the statements around a call, and not to the subroutine. */
static struct checker enter(struct checker *checker, struct ez_symbol *symbol) {
    struct checker outer = *checker;
    checker->locals = (struct map){0};
    memset(&checker->local_list, 0, sizeof checker->local_list);
    checker->group = NULL;
    checker->compute = NULL;
    checker->sub = symbol;
    checker->lane = true;
    checker->loop = NULL;
    checker->divergent = 0;
    checker->condition = CONDITION_UNSET;
    checker->unreachable = checker->incomplete = false;
    checker->repeat_depth = 0;
    return outer;
}

static void leave(struct checker *checker, const struct checker *outer) {
    bool good = diag_errors(checker->u->diag) == checker->u->errors_before;
    for (size_t i = 0; good && i < checker->local_list.items.len; i++)
        ez_warn_unused(checker, checker->local_list.items.data[i]);
    map_free(&checker->locals);
    vec_free(&checker->local_list.items);
    checker->locals = outer->locals;
    checker->local_list = outer->local_list;
    checker->group = outer->group;
    checker->compute = outer->compute;
    checker->sub = outer->sub;
    checker->lane = outer->lane;
    checker->loop = outer->loop;
    checker->divergent = outer->divergent;
    checker->condition = outer->condition;
    checker->condition_lost = outer->condition_lost;
    checker->unreachable = outer->unreachable;
    checker->incomplete = outer->incomplete;
    checker->repeat_depth = outer->repeat_depth;
}

static void declare_params(struct checker *checker, struct ez_symbol *symbol) {
    for (uint32_t i = 0; i < symbol->sub.param_count; i++) {
        struct ez_symbol *p = symbol->sub.params[i];
        if (!ez_name_is_free(checker, p->name))
            continue;
        map_put(&checker->locals, p->name.text, (uintptr_t)p);
        if (p->var.direction & VAR_IN)
            p->var.written = p->var.maybe = UINT64_MAX;
        if (p->var.direction == VAR_IN)
            vec_push(&checker->local_list.items, p);
    }
}

/* Is the value or an output missing where the end is reached? */
static void check_results(struct checker *checker, const struct ez_symbol *symbol) {
    if (diag_errors(checker->u->diag) != checker->u->errors_before)
        return;
    if (symbol->sub.result && !checker->unreachable)
        diag_error(checker->u->diag, symbol->name.at,
                   "the end of `%s` is reached without a `return`", symbol->name.text);
    for (uint32_t i = 0; i < symbol->sub.param_count; i++) {
        const struct ez_symbol *p = symbol->sub.params[i];
        uint64_t all = ez_all_elements(p);
        if ((p->var.direction & VAR_OUT) && !(p->var.maybe & all))
            diag_error(checker->u->diag, p->name.at, "the output `%s` is never assigned",
                       p->name.text);
        else if ((p->var.direction & VAR_OUT) && (p->var.written & all) != all &&
                 !checker->unreachable)
            diag_warning(checker->u->diag, W_UNINITIALIZED, p->name.at,
                         "the output `%s` is not assigned on every way", p->name.text);
    }
}

void ez_check_sub(struct checker *checker, struct ez_symbol *symbol) {
    if (symbol->sub.external)
        return;
    struct checker outer = enter(checker, symbol);
    declare_params(checker, symbol);
    ez_check_block(checker, symbol->decl->body, false);
    check_results(checker, symbol);
    leave(checker, &outer);
}

/* ---- recursion ---- */

static void follow_calls(struct checker *checker, struct ez_symbol *symbol,
                         const struct ez_symbol *caller) {
    if (symbol->sub.progress == SUB_FOLLOWED)
        return;
    if (symbol->sub.progress == SUB_AT_WORK) {
        diag_error(checker->u->diag, symbol->name.at, "`%s` calls itself: %s", symbol->name.text,
                   caller != symbol
                       ? arena_printf(&checker->u->arena, "through `%s`", caller->name.text)
                       : "a lane has no stack");
        symbol->sub.progress = SUB_FOLLOWED;
        return;
    }
    symbol->sub.progress = SUB_AT_WORK;
    for (size_t i = 0; i < checker->u->sub_uses.len; i++)
        if (checker->u->sub_uses.data[i].caller == symbol)
            follow_calls(checker, checker->u->sub_uses.data[i].callee, symbol);
    symbol->sub.progress = SUB_FOLLOWED;
}

void ez_refuse_recursion(struct checker *checker) {
    for (size_t i = 0; i < checker->u->subs.items.len && !diag_full(checker->u->diag); i++)
        follow_calls(checker, checker->u->subs.items.data[i], NULL);
}
