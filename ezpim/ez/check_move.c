/* SPDX-License-Identifier: MIT
 * move: elements from one place to another, by indices that are affine in those of the target. */
#include "ezpim/ez/check_move.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/walk.h"

#include <inttypes.h>
#include <string.h>

static uint32_t find_index(const struct indices *indices, const char *name) {
    for (uint32_t i = 0; i < indices->count; i++)
        if (indices->names[i].text && strcmp(indices->names[i].text, name) == 0)
            return i;
    return NO_INDEX;
}

static bool not_affine(struct checker *checker, const struct expr *expr) {
    diag_error(
        checker->u->diag, expr->at,
        "an index of a move is a sum of indices of its target, and counters of loops around "
        "it, times constants, constants, and what is worked out of sizes; or a variable of the target's group that holds it, as "
        "in `x[k[i]]`: what is computed goes into one first");
    return false;
}

/* No index of the target is in it, and no counter. */
static bool without_index(const struct affine *affine) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        if (affine->coeff[d])
            return false;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        if (affine->lap[n])
            return false;
    return true;
}

static bool is_known(const struct affine *affine) {
    return without_index(affine) && !affine->size_coeff;
}

/* ---- formulas of sizes ---- */

static bool factor_fits(ez_number number) {
    return number >= -(ez_number)MOVE_MAX_FACTOR && number <= (ez_number)MOVE_MAX_FACTOR;
}

static struct size_operand number(ez_number number) {
    return (struct size_operand){NO_INDEX, (int64_t)number};
}

/* `times` its size, and with the number beside it if that is asked for, as one size or number. */
static struct size_operand size_part(struct checker *checker, const struct expr *expr,
                                     const struct affine *affine, ez_number times, bool whole) {
    struct size_operand x = {affine->size, 0};
    if (!affine->size_coeff)
        return number(whole ? affine->offset : 0);
    if (times * affine->size_coeff != 1)
        x = ez_derived(checker, DERIVE_MUL, x, number(times * affine->size_coeff), expr->at);
    return whole && affine->offset
               ? ez_derived(checker, DERIVE_ADD, x, number(affine->offset), expr->at)
               : x;
}

/* Sizes without an index of the target: one derived size of both. */
static bool join_known(struct checker *checker, const struct expr *expr, enum size_op op,
                       const struct affine *l, const struct affine *r, struct affine *a) {
    if (!factor_fits(l->offset) || !factor_fits(r->offset))
        return not_affine(checker, expr);
    if (op == DERIVE_DIV && is_known(r) && !r->offset) {
        diag_error(checker->u->diag, expr->at, "this divides by zero");
        return false;
    }
    struct size_operand left = size_part(checker, expr, l, 1, true),
                        right = size_part(checker, expr, r, 1, true);
    *a = (struct affine){.size = ez_derived(checker, op, left, right, expr->at).size,
                         .size_coeff = 1};
    return true;
}

/* a + factor * b */
static bool add(struct checker *checker, const struct expr *expr, struct affine *a,
                const struct affine *b, ez_number factor) {
    ez_number of_b = factor * b->size_coeff;
    bool joins = a->size_coeff && of_b && a->size != b->size;
    if (!factor_fits(of_b))
        return not_affine(checker, expr);
    a->offset += factor * b->offset;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        a->coeff[d] += factor * b->coeff[d];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        a->lap[n] += factor * b->lap[n];
    if (joins) {
        struct size_operand left = size_part(checker, expr, a, 1, false);
        struct size_operand right = size_part(checker, expr, b, of_b < 0 ? -factor : factor, false);
        a->size =
            ez_derived(checker, of_b < 0 ? DERIVE_SUB : DERIVE_ADD, left, right, expr->at).size;
        a->size_coeff = 1;
        return true;
    }
    if (b->size_coeff)
        a->size = b->size;
    a->size_coeff += of_b;
    return true;
}

static bool within(struct checker *checker, const struct expr *expr, const struct affine *affine) {
    ez_number most = MOVE_MAX_FACTOR;
    bool good = affine->offset <= most && affine->offset >= -most && affine->size_coeff <= most &&
                affine->size_coeff >= -most;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        good &= affine->coeff[d] <= most && affine->coeff[d] >= -most;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        good &= affine->lap[n] <= most && affine->lap[n] >= -most;
    if (!good)
        diag_error(checker->u->diag, expr->at, "the numbers of this index are larger than 2^40");
    return good;
}

/* The counter of a loop around, which is repeated: its first value and the laps since. */
static bool affine_counter(struct checker *checker, const struct expr *expr,
                           const struct ez_symbol *symbol, struct affine *affine) {
    unsigned lap;
    if (!symbol->counter.counts || !ez_counter_lap(checker, symbol, &lap))
        return not_affine(checker, expr);
    affine->offset = symbol->value;
    affine->lap[lap] = 1;
    return true;
}

static bool affine_name(struct checker *checker, struct expr *expr, const struct indices *indices,
                        struct affine *affine) {
    uint32_t i = find_index(indices, expr->name.text);
    struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    if (i != NO_INDEX) {
        affine->coeff[i] = 1;
        return true;
    }
    if (s && s->kind == SYMBOL_EZ_SIZE) {
        s->read = true;
        affine->size = s->index;
        affine->size_coeff = 1;
        return true;
    }
    if (s && s->kind == SYMBOL_EZ_COUNTER)
        return affine_counter(checker, expr, s, affine);
    if (s && s->kind == SYMBOL_EZ_VARIABLE)
        return not_affine(checker, expr);
    if (!s) {
        diag_error(checker->u->diag, expr->at, "`%s` is no index of the %s, constant or size",
                   expr->name.text, indices->side ? indices->side : "target");
        return false;
    }
    ez_check_expr(checker, expr);
    affine->offset = expr->value;
    return ez_is_integer_constant(expr) ||
           (expr->type.state != STATE_ERROR && not_affine(checker, expr));
}

static bool affine_product(struct checker *checker, const struct expr *expr,
                           const struct affine *left, const struct affine *right,
                           struct affine *affine) {
    if (is_known(left))
        return add(checker, expr, affine, right, left->offset);
    if (is_known(right))
        return add(checker, expr, affine, left, right->offset);
    return without_index(left) && without_index(right)
               ? join_known(checker, expr, DERIVE_MUL, left, right, affine)
               : not_affine(checker, expr);
}

static bool affine_binary(struct checker *checker, struct expr *expr, const struct indices *indices,
                          struct affine *affine) {
    struct affine l, r;
    if (!ez_move_affine(checker, expr->args[0], indices, &l) ||
        !ez_move_affine(checker, expr->args[1], indices, &r))
        return false;
    if (expr->op == BINARY_MUL)
        return affine_product(checker, expr, &l, &r, affine);
    *affine = l;
    if (expr->op == BINARY_ADD || expr->op == BINARY_SUB)
        return add(checker, expr, affine, &r, expr->op == BINARY_ADD ? 1 : -1);
    if (expr->op == BINARY_DIV && without_index(&l) && without_index(&r) &&
        !(is_known(&l) && is_known(&r)))
        return join_known(checker, expr, DERIVE_DIV, &l, &r, affine);
    if (!is_known(&l) || !is_known(&r) ||
        !ez_fold_numbers(expr->op, l.offset, r.offset, &affine->offset))
        return not_affine(checker, expr);
    return true;
}

/* A constant, or min or max of sizes. */
static bool affine_call(struct checker *checker, struct expr *expr, struct affine *affine) {
    ez_check_expr(checker, expr);
    if (ez_check_size(checker, expr)) {
        affine->size = expr->symbol->index;
        affine->size_coeff = 1;
        return true;
    }
    affine->offset = expr->value;
    return ez_is_integer_constant(expr)
               ? within(checker, expr, affine)
               : expr->type.state != STATE_ERROR && not_affine(checker, expr);
}

/* An entry of a table that is known. */
static bool affine_entry(struct checker *checker, struct expr *expr, struct affine *affine) {
    const struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    if (!s || s->kind != SYMBOL_EZ_CONST)
        return not_affine(checker, expr);
    ez_check_expr(checker, expr);
    affine->offset = expr->value;
    return ez_is_integer_constant(expr)
               ? within(checker, expr, affine)
               : expr->type.state != STATE_ERROR && not_affine(checker, expr);
}

bool ez_move_affine(struct checker *checker, struct expr *expr, const struct indices *indices,
                    struct affine *affine) {
    struct affine of;
    *affine = (struct affine){.size = NO_INDEX};
    switch (expr->kind) {
    case EXPR_NUMBER:
        affine->offset = expr->number;
        return within(checker, expr, affine);
    case EXPR_NAME:
        return affine_name(checker, expr, indices, affine) && within(checker, expr, affine);
    case EXPR_REAL:
        diag_error(checker->u->diag, expr->at, "an index is an integer, not `%s`", expr->name.text);
        return false;
    case EXPR_UNARY:
        return expr->op == UNARY_NEG ? ez_move_affine(checker, expr->args[0], indices, &of) &&
                                           add(checker, expr, affine, &of, -1)
                                     : not_affine(checker, expr);
    case EXPR_BINARY:
        return affine_binary(checker, expr, indices, affine) && within(checker, expr, affine);
    case EXPR_CALL:
        return affine_call(checker, expr, affine);
    case EXPR_INDEX:
        return affine_entry(checker, expr, affine);
    default:
        return not_affine(checker, expr);
    }
}

static struct move_affine to_record(const struct affine *affine) {
    struct move_affine r = {.offset = (int64_t)affine->offset,
                            .size = affine->size_coeff ? affine->size : NO_INDEX,
                            .size_coeff = (int64_t)affine->size_coeff};
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        r.coeff[d] = (int64_t)affine->coeff[d];
    return r;
}

static struct move_bound to_bound(const struct affine *affine, ez_number more) {
    return (struct move_bound){(int64_t)(affine->offset + more),
                               affine->size_coeff ? affine->size : NO_INDEX,
                               (int64_t)affine->size_coeff};
}

struct ez_symbol *ez_find_variable(struct checker *checker, struct expr *expr) {
    struct ez_symbol *s = ez_find_symbol(checker, expr->name.text);
    if (!s) {
        ez_report_unknown(checker, expr->name, "variable", NULL, 0);
        return NULL;
    }
    if (s->kind != SYMBOL_EZ_VARIABLE) {
        diag_error(checker->u->diag, expr->name.at, "`%s` is no variable", expr->name.text);
        return NULL;
    }
    return s->type.state == STATE_TYPED ? s : NULL;
}

uint32_t ez_move_dims_of(const struct checker *checker, const struct ez_symbol *symbol) {
    return symbol->var.group ? ez_group_dims(checker->u, symbol->var.group) : 0;
}

bool ez_move_count_indices(struct checker *checker, const struct expr *expr,
                           const struct ez_symbol *symbol) {
    uint32_t dims = ez_move_dims_of(checker, symbol),
             given = expr->kind == EXPR_INDEX ? expr->arg_count : 0;
    if (given == dims || (symbol->has_k && given == dims + 1))
        return true;
    diag_error(checker->u->diag, expr->at, "`%s` has %" PRIu32 " %s%s, not %" PRIu32,
               symbol->name.text, dims, dims == 1 ? "index" : "indices",
               symbol->has_k ? " (and one of its registers)" : "", given);
    return false;
}

/* An index of the target that is a name which means nothing else. */
static bool is_new_index(struct checker *checker, const struct expr *expr) {
    return expr->kind == EXPR_NAME && !ez_find_symbol(checker, expr->name.text);
}

static void set_laps(struct checker *checker, struct move *move, enum move_form form, uint32_t dim,
                     const struct affine *affine) {
    int64_t laps[MOVE_MAX_LAPS];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        laps[n] = (int64_t)affine->lap[n];
    object_move_set_laps(move, form, dim, laps, &checker->u->arena);
}

/* first .. last + more */
static void set_bounds(struct checker *checker, struct move *move, uint32_t dim,
                       const struct affine *first, const struct affine *last, ez_number more) {
    move->bounded |= (uint8_t)(1u << dim);
    move->first[dim] = to_bound(first, 0);
    move->last[dim] = to_bound(last, more);
    set_laps(checker, move, MOVE_FIRST, dim, first);
    set_laps(checker, move, MOVE_LAST, dim, last);
}

/* The names in an index of the target that mean nothing else. */
struct new_names {
    struct checker *c;
    const struct expr *first;
    bool several;
};

static void find_new_name(void *context, struct expr *expr) {
    struct new_names *n = context;
    if (!is_new_index(n->c, expr))
        return;
    n->several |= n->first && strcmp(n->first->name.text, expr->name.text) != 0;
    n->first = n->first ? n->first : expr;
}

/* 2 * i + 1, where i is new. */
static bool strided_index(struct checker *checker, struct expr *expr, const struct expr *name,
                          uint32_t dim, struct indices *indices, struct move *move) {
    struct indices own = {.count = MOVE_MAX_DIMS};
    struct affine a;
    if (find_index(indices, name->name.text) != NO_INDEX) {
        diag_error(checker->u->diag, name->at, "`%s` is an index of the target twice",
                   name->name.text);
        return false;
    }
    own.names[dim] = indices->names[dim] = name->name;
    if (!ez_move_affine(checker, expr, &own, &a))
        return false;
    if (!a.coeff[dim]) {
        diag_error(checker->u->diag, expr->at, "`%s` stands here 0 times", name->name.text);
        return false;
    }
    const struct move_bound offset = to_bound(&a, 0);
    object_move_set_stride(move, dim, (int64_t)a.coeff[dim], &offset, &checker->u->arena);
    set_laps(checker, move, MOVE_STRIDE, dim, &a);
    return true;
}

static bool target_index(struct checker *checker, struct expr *expr, uint32_t dim,
                         struct indices *indices, struct move *move) {
    struct new_names new = {.c = checker};
    const struct walker w = {&new, NULL, find_new_name};
    struct affine a;
    if (is_new_index(checker, expr)) {
        if (find_index(indices, expr->name.text) != NO_INDEX) {
            diag_error(checker->u->diag, expr->at, "`%s` is an index of the %s twice",
                       expr->name.text, indices->side);
            return false;
        }
        indices->names[dim] = expr->name;
        return true;
    }
    ez_walk_expr(&w, expr);
    if (new.several) {
        diag_error(checker->u->diag, expr->at,
                   "an index of the target has one name, times a constant");
        return false;
    }
    if (new.first)
        return strided_index(checker, expr, new.first, dim, indices, move);
    const struct indices none = {.count = 0};
    if (!ez_move_affine(checker, expr, &none, &a))
        return false;
    set_bounds(checker, move, dim, &a, &a, 1);
    return true;
}

static bool target_indices(struct checker *checker, struct expr *expr,
                           const struct ez_symbol *symbol, struct indices *indices,
                           struct move *move) {
    uint32_t given = expr->kind == EXPR_INDEX ? expr->arg_count : 0;
    indices->count = ez_move_dims_of(checker, symbol) + symbol->has_k;
    if (indices->count > MOVE_MAX_DIMS) {
        diag_error(checker->u->diag, expr->at, "a move has at most %d indices", MOVE_MAX_DIMS);
        return false;
    }
    for (uint32_t d = 0; d < given; d++)
        if (!target_index(checker, expr->args[d], d, indices, move))
            return false;
    return true;
}

static bool source_indices(struct checker *checker, struct expr *expr, const struct ez_symbol *from,
                           const struct ez_symbol *to, const struct indices *indices,
                           uint32_t indexed, struct move *move) {
    struct affine a;
    uint32_t given = expr->kind == EXPR_INDEX ? expr->arg_count : 0;
    for (uint32_t d = 0; d < given; d++) {
        move->source[d] = (struct move_affine){.size = NO_INDEX};
        if (d == indexed)
            continue;
        if (!ez_move_affine(checker, expr->args[d], indices, &a))
            return false;
        move->source[d] = to_record(&a);
        set_laps(checker, move, MOVE_SOURCE, d, &a);
    }
    if (given == ez_move_dims_of(checker, from) + from->has_k)
        return true;
    if (!to->has_k || to->count != from->count) {
        diag_error(checker->u->diag, expr->at,
                   "`%s` has %" PRIu32 " registers, and `%s` has %" PRIu32, from->name.text,
                   from->count, to->name.text, to->count);
        return false;
    }
    move->source[given] = (struct move_affine){.size = NO_INDEX};
    move->source[given].coeff[indices->count - 1] = 1;
    return true;
}

/* for i: 0 .. n - 1 */
static bool check_bounds(struct checker *checker, struct stmt *stmt, const struct indices *indices,
                         struct move *move) {
    const struct indices none = {.count = 0};
    struct affine first, last;
    for (uint32_t i = 0; i + 2 < stmt->operand_count; i += 3) {
        const struct expr *name = stmt->operands[i];
        uint32_t d = find_index(indices, name->name.text);
        if (d == NO_INDEX || (move->bounded >> d & 1)) {
            diag_error(checker->u->diag, name->at,
                       d == NO_INDEX ? "`%s` is no index of the %s" : "`%s` has bounds twice",
                       name->name.text, indices->side);
            return false;
        }
        if (!ez_move_affine(checker, stmt->operands[i + 1], &none, &first) ||
            !ez_move_affine(checker, stmt->operands[i + 2], &none, &last))
            return false;
        set_bounds(checker, move, d, &first, &last, 0);
    }
    return true;
}

static bool check_fill(struct checker *checker, struct stmt *stmt, struct lane_type type,
                       struct move *move) {
    move->outside = stmt->wrap ? MOVE_WRAP : stmt->clip ? MOVE_CLIP : MOVE_KEEP;
    if (!ez_move_outside_allowed(checker, stmt, move))
        return false;
    if (!stmt->fill)
        return true;
    ez_check_expr(checker, stmt->fill);
    if (!ez_check_assignable(checker, stmt->fill, type, stmt->target->at))
        return false;
    if (!stmt->fill->is_constant) {
        diag_error(checker->u->diag, stmt->fill->at, "what stands behind `else` is a constant");
        return false;
    }
    move->outside = MOVE_FILL;
    move->fill = ez_pattern(stmt->fill->value, type);
    return true;
}

void ez_move_reads(struct checker *checker, const struct expr *expr, struct ez_symbol *symbol) {
    symbol->read = true;
    if (symbol->var.written & ez_all_elements(symbol) || checker->incomplete)
        return;
    diag_error(checker->u->diag, expr->at, "`%s` is read before it is written", symbol->name.text);
    ez_note_written(checker, symbol, ez_all_elements(symbol));
}

/* Inputs, too: what is exchanged is what the lanes have, not the file. */
void ez_move_writes(struct checker *checker, struct ez_symbol *symbol) {
    ez_note_partly(checker, symbol, ez_all_elements(symbol));
    ez_note_written(checker, symbol, ez_all_elements(symbol));
    symbol->var.assigned = true;
    symbol->var.assigned_in = NULL; /* it is in the VRFs of every group */
}

static bool same_types(struct checker *checker, struct stmt *stmt, const struct ez_symbol *to,
                       const struct ez_symbol *from) {
    if (ez_type_same(to->type.type, from->type.type))
        return true;
    diag_error(checker->u->diag, stmt->value->at,
               "`%s` is %s, and `%s` is %s: a move changes no type", from->name.text,
               ez_type_name(checker, from->type.type), to->name.text,
               ez_type_name(checker, to->type.type));
    return false;
}

/* The side whose elements the names of coordinates number, and the other one. */
struct move_side {
    struct expr *e;
    struct ez_symbol *symbol;
};

static bool check_sides(struct checker *checker, struct stmt *stmt, struct move_side near,
                        struct move_side far, struct ez_move *move) {
    struct indices x = {.count = 0, .side = near.e == stmt->target ? "target" : "source"};
    struct move *m = &move->record;
    uint32_t indexed = NO_INDEX;
    return ez_move_count_indices(checker, near.e, near.symbol) &&
           ez_move_count_indices(checker, far.e, far.symbol) &&
           target_indices(checker, near.e, near.symbol, &x, m) &&
           check_bounds(checker, stmt, &x, m) &&
           ez_move_check_index(checker, near.symbol, far.e, &x, move, &indexed) &&
           source_indices(checker, far.e, far.symbol, near.symbol, &x, indexed, m);
}

void ez_check_move(struct checker *checker, struct stmt *stmt) {
    struct ez_symbol *to = ez_find_variable(checker, stmt->target),
                     *from = ez_find_variable(checker, stmt->value);
    checker->incomplete |= !to || !from;
    if (!to || !from)
        return;
    if (from->var.group && ez_move_clips_fixed(checker, stmt) &&
        !ez_move_write_out_clip(checker, stmt, to, from))
        return;
    struct ez_move *move = ARENA_NEW(&checker->u->arena, struct ez_move);
    struct move *m = &move->record;
    *move = (struct ez_move){.to = to, .from = from};
    if (!from->var.group) {
        diag_error(checker->u->diag, stmt->value->at,
                   "`%s` has no group: it is the same in every lane, and is assigned in `compute`",
                   from->name.text);
        return;
    }
    const struct move_side dst = {stmt->target, to}, src = {stmt->value, from};
    bool scatters = ez_move_scatters(checker, stmt);
    if (scatters && !ez_move_may_scatter(checker, stmt, to))
        return;
    m->index.kind = scatters ? INDEX_SCATTER : INDEX_NONE;
    if (!check_sides(checker, stmt, scatters ? src : dst, scatters ? dst : src, move) ||
        !same_types(checker, stmt, to, from) || !check_fill(checker, stmt, to->type.type, m))
        return;
    if (m->index.kind && m->strides) {
        diag_error(checker->u->diag, stmt->at,
                   "an index that a variable holds goes with plain indices of the other side: a "
                   "multiple of an index is a move of its own");
        return;
    }
    m->dst_has_k = to->has_k;
    m->src_has_k = from->has_k;
    m->dst_count = (uint8_t)to->count;
    m->src_count = (uint8_t)from->count;
    m->width = to->type.type.bits;
    if (checker->on &&
        (from->var.group->layout.on_mpus || (to->var.group && to->var.group->layout.on_mpus)))
        diag_error(checker->u->diag, stmt->at, "a move between MPUs stands outside of `on`");
    ez_move_reads(checker, stmt->value, from);
    if (move->index)
        ez_move_reads(checker, move->index_at, move->index);
    ez_move_writes(checker, to);
    stmt->move = move;
}
