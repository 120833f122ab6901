/* SPDX-License-Identifier: MIT
 * move: elements from one place to another, by indices that are affine in those of the target. */
#include "ezpim/ez/check_move.h"
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/walk.h"

#include <inttypes.h>
#include <string.h>

uint32_t ez_group_dims(const struct unit *u, const struct ez_symbol *group) {
    return group->layout.ndim + (group->layout.on_mpus ? u->grid_dims : 0);
}

struct extent ez_group_extent(const struct unit *u, const struct ez_symbol *group, uint32_t d) {
    uint32_t before = group->layout.on_mpus ? u->grid_dims : 0;
    return d < before ? (struct extent){NO_INDEX, u->grid[d]} : group->layout.extents[d - before];
}

static uint32_t find_index(const struct indices *x, const char *name) {
    for (uint32_t i = 0; i < x->count; i++)
        if (x->names[i].text && strcmp(x->names[i].text, name) == 0)
            return i;
    return NO_INDEX;
}

static bool not_affine(struct checker *c, const struct expr *e) {
    diag_error(
        c->u->diag, e->at,
        "an index of a move is a sum of indices of its target, and counters of loops around "
        "it, times constants, constants, and what is worked out of sizes; or a variable of the target's group that holds it, as "
        "in `x[k[i]]`: what is computed goes into one first");
    return false;
}

/* No index of the target is in it, and no counter. */
static bool without_index(const struct affine *a) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        if (a->coeff[d])
            return false;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        if (a->lap[n])
            return false;
    return true;
}

static bool is_known(const struct affine *a) {
    return without_index(a) && !a->size_coeff;
}

/* ---- formulas of sizes ---- */

static bool factor_fits(ez_number x) {
    return x >= -(ez_number)MOVE_MAX_FACTOR && x <= (ez_number)MOVE_MAX_FACTOR;
}

static struct size_operand number(ez_number x) {
    return (struct size_operand){NO_INDEX, (int64_t)x};
}

/* `times` its size, and with the number beside it if that is asked for, as one size or number. */
static struct size_operand size_part(struct checker *c, const struct expr *e,
                                     const struct affine *a, ez_number times, bool whole) {
    struct size_operand x = {a->size, 0};
    if (!a->size_coeff)
        return number(whole ? a->offset : 0);
    if (times * a->size_coeff != 1)
        x = ez_derived(c, DERIVE_MUL, x, number(times * a->size_coeff), e->at);
    return whole && a->offset ? ez_derived(c, DERIVE_ADD, x, number(a->offset), e->at) : x;
}

/* Sizes without an index of the target: one derived size of both. */
static bool join_known(struct checker *c, const struct expr *e, enum size_op op,
                       const struct affine *l, const struct affine *r, struct affine *a) {
    if (!factor_fits(l->offset) || !factor_fits(r->offset))
        return not_affine(c, e);
    if (op == DERIVE_DIV && is_known(r) && !r->offset) {
        diag_error(c->u->diag, e->at, "this divides by zero");
        return false;
    }
    struct size_operand left = size_part(c, e, l, 1, true), right = size_part(c, e, r, 1, true);
    *a = (struct affine){.size = ez_derived(c, op, left, right, e->at).size, .size_coeff = 1};
    return true;
}

/* a + factor * b */
static bool add(struct checker *c, const struct expr *e, struct affine *a, const struct affine *b,
                ez_number factor) {
    ez_number of_b = factor * b->size_coeff;
    bool joins = a->size_coeff && of_b && a->size != b->size;
    if (!factor_fits(of_b))
        return not_affine(c, e);
    a->offset += factor * b->offset;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        a->coeff[d] += factor * b->coeff[d];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        a->lap[n] += factor * b->lap[n];
    if (joins) {
        struct size_operand left = size_part(c, e, a, 1, false);
        struct size_operand right = size_part(c, e, b, of_b < 0 ? -factor : factor, false);
        a->size = ez_derived(c, of_b < 0 ? DERIVE_SUB : DERIVE_ADD, left, right, e->at).size;
        a->size_coeff = 1;
        return true;
    }
    if (b->size_coeff)
        a->size = b->size;
    a->size_coeff += of_b;
    return true;
}

static bool within(struct checker *c, const struct expr *e, const struct affine *a) {
    ez_number most = MOVE_MAX_FACTOR;
    bool good =
        a->offset <= most && a->offset >= -most && a->size_coeff <= most && a->size_coeff >= -most;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        good &= a->coeff[d] <= most && a->coeff[d] >= -most;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        good &= a->lap[n] <= most && a->lap[n] >= -most;
    if (!good)
        diag_error(c->u->diag, e->at, "the numbers of this index are larger than 2^40");
    return good;
}

/* The counter of a loop around, which is repeated: its first value and the laps since. */
static bool affine_counter(struct checker *c, const struct expr *e, const struct ez_symbol *k,
                           struct affine *a) {
    unsigned lap;
    if (!k->counter.counts || !counter_lap(c, k, &lap))
        return not_affine(c, e);
    a->offset = k->value;
    a->lap[lap] = 1;
    return true;
}

static bool affine_name(struct checker *c, struct expr *e, const struct indices *x,
                        struct affine *a) {
    uint32_t i = find_index(x, e->name.text);
    struct ez_symbol *s = find_symbol(c, e->name.text);
    if (i != NO_INDEX) {
        a->coeff[i] = 1;
        return true;
    }
    if (s && s->kind == SYMBOL_EZ_SIZE) {
        s->read = true;
        a->size = s->index;
        a->size_coeff = 1;
        return true;
    }
    if (s && s->kind == SYMBOL_EZ_COUNTER)
        return affine_counter(c, e, s, a);
    if (s && s->kind == SYMBOL_EZ_VARIABLE)
        return not_affine(c, e);
    if (!s) {
        diag_error(c->u->diag, e->at, "`%s` is no index of the %s, constant or size", e->name.text,
                   x->side ? x->side : "target");
        return false;
    }
    check_expr(c, e);
    a->offset = e->value;
    return e->is_constant || (e->type.state != STATE_ERROR && not_affine(c, e));
}

static bool affine_product(struct checker *c, const struct expr *e, const struct affine *l,
                           const struct affine *r, struct affine *a) {
    if (is_known(l))
        return add(c, e, a, r, l->offset);
    if (is_known(r))
        return add(c, e, a, l, r->offset);
    return without_index(l) && without_index(r) ? join_known(c, e, DERIVE_MUL, l, r, a)
                                                : not_affine(c, e);
}

static bool affine_binary(struct checker *c, struct expr *e, const struct indices *x,
                          struct affine *a) {
    struct affine l, r;
    if (!move_affine(c, e->args[0], x, &l) || !move_affine(c, e->args[1], x, &r))
        return false;
    if (e->op == BINARY_MUL)
        return affine_product(c, e, &l, &r, a);
    *a = l;
    if (e->op == BINARY_ADD || e->op == BINARY_SUB)
        return add(c, e, a, &r, e->op == BINARY_ADD ? 1 : -1);
    if (e->op == BINARY_DIV && without_index(&l) && without_index(&r) &&
        !(is_known(&l) && is_known(&r)))
        return join_known(c, e, DERIVE_DIV, &l, &r, a);
    if (!is_known(&l) || !is_known(&r) || !fold_numbers(e->op, l.offset, r.offset, &a->offset))
        return not_affine(c, e);
    return true;
}

/* A constant, or min or max of sizes. */
static bool affine_call(struct checker *c, struct expr *e, struct affine *a) {
    check_expr(c, e);
    if (check_size(c, e)) {
        a->size = e->symbol->index;
        a->size_coeff = 1;
        return true;
    }
    a->offset = e->value;
    return e->is_constant ? within(c, e, a) : e->type.state != STATE_ERROR && not_affine(c, e);
}

bool move_affine(struct checker *c, struct expr *e, const struct indices *x, struct affine *a) {
    struct affine of;
    *a = (struct affine){.size = NO_INDEX};
    switch (e->kind) {
    case EXPR_NUMBER:
        a->offset = e->number;
        return within(c, e, a);
    case EXPR_NAME:
        return affine_name(c, e, x, a) && within(c, e, a);
    case EXPR_UNARY:
        return e->op == UNARY_NEG ? move_affine(c, e->args[0], x, &of) && add(c, e, a, &of, -1)
                                  : not_affine(c, e);
    case EXPR_BINARY:
        return affine_binary(c, e, x, a) && within(c, e, a);
    case EXPR_CALL:
        return affine_call(c, e, a);
    default:
        return not_affine(c, e);
    }
}

static struct move_affine to_record(const struct affine *a) {
    struct move_affine r = {.offset = (int64_t)a->offset,
                            .size = a->size_coeff ? a->size : NO_INDEX,
                            .size_coeff = (int64_t)a->size_coeff};
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        r.coeff[d] = (int64_t)a->coeff[d];
    return r;
}

static struct move_bound to_bound(const struct affine *a, ez_number more) {
    return (struct move_bound){(int64_t)(a->offset + more), a->size_coeff ? a->size : NO_INDEX,
                               (int64_t)a->size_coeff};
}

struct ez_symbol *find_variable(struct checker *c, struct expr *e) {
    struct ez_symbol *s = find_symbol(c, e->name.text);
    if (!s) {
        report_unknown(c, e->name, "variable", NULL, 0);
        return NULL;
    }
    if (s->kind != SYMBOL_EZ_VARIABLE) {
        diag_error(c->u->diag, e->name.at, "`%s` is no variable", e->name.text);
        return NULL;
    }
    return s->type.state == STATE_TYPED ? s : NULL;
}

uint32_t move_dims_of(const struct checker *c, const struct ez_symbol *s) {
    return s->var.group ? ez_group_dims(c->u, s->var.group) : 0;
}

bool move_count_indices(struct checker *c, const struct expr *e, const struct ez_symbol *s) {
    uint32_t dims = move_dims_of(c, s), given = e->kind == EXPR_INDEX ? e->arg_count : 0;
    if (given == dims || (s->has_k && given == dims + 1))
        return true;
    diag_error(c->u->diag, e->at, "`%s` has %" PRIu32 " %s%s, not %" PRIu32, s->name.text, dims,
               dims == 1 ? "index" : "indices", s->has_k ? " (and one of its registers)" : "",
               given);
    return false;
}

/* An index of the target that is a name which means nothing else. */
static bool is_new_index(struct checker *c, const struct expr *e) {
    return e->kind == EXPR_NAME && !find_symbol(c, e->name.text);
}

static void set_laps(struct checker *c, struct move *m, enum move_form form, uint32_t d,
                     const struct affine *a) {
    int64_t laps[MOVE_MAX_LAPS];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        laps[n] = (int64_t)a->lap[n];
    object_move_set_laps(m, form, d, laps, &c->u->arena);
}

/* first .. last + more */
static void set_bounds(struct checker *c, struct move *m, uint32_t d, const struct affine *first,
                       const struct affine *last, ez_number more) {
    m->bounded |= (uint8_t)(1u << d);
    m->first[d] = to_bound(first, 0);
    m->last[d] = to_bound(last, more);
    set_laps(c, m, MOVE_FIRST, d, first);
    set_laps(c, m, MOVE_LAST, d, last);
}

/* The names in an index of the target that mean nothing else. */
struct new_names {
    struct checker *c;
    const struct expr *first;
    bool several;
};

static void find_new_name(void *context, struct expr *e) {
    struct new_names *n = context;
    if (!is_new_index(n->c, e))
        return;
    n->several |= n->first && strcmp(n->first->name.text, e->name.text) != 0;
    n->first = n->first ? n->first : e;
}

/* 2 * i + 1, where i is new. */
static bool strided_index(struct checker *c, struct expr *e, const struct expr *name, uint32_t d,
                          struct indices *x, struct move *m) {
    struct indices own = {.count = MOVE_MAX_DIMS};
    struct affine a;
    if (find_index(x, name->name.text) != NO_INDEX) {
        diag_error(c->u->diag, name->at, "`%s` is an index of the target twice", name->name.text);
        return false;
    }
    own.names[d] = x->names[d] = name->name;
    if (!move_affine(c, e, &own, &a))
        return false;
    if (!a.coeff[d]) {
        diag_error(c->u->diag, e->at, "`%s` stands here 0 times", name->name.text);
        return false;
    }
    const struct move_bound offset = to_bound(&a, 0);
    object_move_set_stride(m, d, (int64_t)a.coeff[d], &offset, &c->u->arena);
    set_laps(c, m, MOVE_STRIDE, d, &a);
    return true;
}

static bool target_index(struct checker *c, struct expr *e, uint32_t d, struct indices *x,
                         struct move *m) {
    struct new_names new = {.c = c};
    const struct walker w = {&new, NULL, find_new_name};
    struct affine a;
    if (is_new_index(c, e)) {
        if (find_index(x, e->name.text) != NO_INDEX) {
            diag_error(c->u->diag, e->at, "`%s` is an index of the %s twice", e->name.text,
                       x->side);
            return false;
        }
        x->names[d] = e->name;
        return true;
    }
    walk_expr(&w, e);
    if (new.several) {
        diag_error(c->u->diag, e->at, "an index of the target has one name, times a constant");
        return false;
    }
    if (new.first)
        return strided_index(c, e, new.first, d, x, m);
    const struct indices none = {.count = 0};
    if (!move_affine(c, e, &none, &a))
        return false;
    set_bounds(c, m, d, &a, &a, 1);
    return true;
}

static bool target_indices(struct checker *c, struct expr *e, const struct ez_symbol *s,
                           struct indices *x, struct move *m) {
    uint32_t given = e->kind == EXPR_INDEX ? e->arg_count : 0;
    x->count = move_dims_of(c, s) + s->has_k;
    if (x->count > MOVE_MAX_DIMS) {
        diag_error(c->u->diag, e->at, "a move has at most %d indices", MOVE_MAX_DIMS);
        return false;
    }
    for (uint32_t d = 0; d < given; d++)
        if (!target_index(c, e->args[d], d, x, m))
            return false;
    return true;
}

static bool source_indices(struct checker *c, struct expr *e, const struct ez_symbol *from,
                           const struct ez_symbol *to, const struct indices *x, uint32_t indexed,
                           struct move *m) {
    struct affine a;
    uint32_t given = e->kind == EXPR_INDEX ? e->arg_count : 0;
    for (uint32_t d = 0; d < given; d++) {
        m->source[d] = (struct move_affine){.size = NO_INDEX};
        if (d == indexed)
            continue;
        if (!move_affine(c, e->args[d], x, &a))
            return false;
        m->source[d] = to_record(&a);
        set_laps(c, m, MOVE_SOURCE, d, &a);
    }
    if (given == move_dims_of(c, from) + from->has_k)
        return true;
    if (!to->has_k || to->count != from->count) {
        diag_error(c->u->diag, e->at, "`%s` has %" PRIu32 " registers, and `%s` has %" PRIu32,
                   from->name.text, from->count, to->name.text, to->count);
        return false;
    }
    m->source[given] = (struct move_affine){.size = NO_INDEX};
    m->source[given].coeff[x->count - 1] = 1;
    return true;
}

/* for i: 0 .. n - 1 */
static bool check_bounds(struct checker *c, struct stmt *s, const struct indices *x,
                         struct move *m) {
    const struct indices none = {.count = 0};
    struct affine first, last;
    for (uint32_t i = 0; i + 2 < s->operand_count; i += 3) {
        const struct expr *name = s->operands[i];
        uint32_t d = find_index(x, name->name.text);
        if (d == NO_INDEX || (m->bounded >> d & 1)) {
            diag_error(c->u->diag, name->at,
                       d == NO_INDEX ? "`%s` is no index of the %s" : "`%s` has bounds twice",
                       name->name.text, x->side);
            return false;
        }
        if (!move_affine(c, s->operands[i + 1], &none, &first) ||
            !move_affine(c, s->operands[i + 2], &none, &last))
            return false;
        set_bounds(c, m, d, &first, &last, 0);
    }
    return true;
}

static bool check_fill(struct checker *c, struct stmt *s, struct mpu_type t, struct move *m) {
    m->outside = s->wrap ? MOVE_WRAP : s->clip ? MOVE_CLIP : MOVE_KEEP;
    if (!move_outside_allowed(c, s, m))
        return false;
    if (!s->fill)
        return true;
    check_expr(c, s->fill);
    if (!check_assignable(c, s->fill, t, s->target->at))
        return false;
    if (!s->fill->is_constant) {
        diag_error(c->u->diag, s->fill->at, "what stands behind `else` is a constant");
        return false;
    }
    m->outside = MOVE_FILL;
    m->fill = ez_pattern(s->fill->value, t);
    return true;
}

void move_reads(struct checker *c, const struct expr *e, struct ez_symbol *s) {
    s->read = true;
    if (s->var.written & ez_all_elements(s) || c->incomplete)
        return;
    diag_error(c->u->diag, e->at, "`%s` is read before it is written", s->name.text);
    note_written(c, s, ez_all_elements(s));
}

/* Inputs, too: what is exchanged is what the lanes have, not the file. */
void move_writes(struct checker *c, struct ez_symbol *s) {
    note_partly(c, s, ez_all_elements(s));
    note_written(c, s, ez_all_elements(s));
    s->var.assigned = true;
    s->var.assigned_in = NULL; /* it is in the VRFs of every group */
}

static bool same_types(struct checker *c, struct stmt *s, const struct ez_symbol *to,
                       const struct ez_symbol *from) {
    if (type_same(to->type.type, from->type.type))
        return true;
    diag_error(c->u->diag, s->value->at, "`%s` is %s, and `%s` is %s: a move changes no type",
               from->name.text, type_name(c, from->type.type), to->name.text,
               type_name(c, to->type.type));
    return false;
}

/* The side whose elements the names of coordinates number, and the other one. */
struct move_side {
    struct expr *e;
    struct ez_symbol *symbol;
};

static bool check_sides(struct checker *c, struct stmt *s, struct move_side near,
                        struct move_side far, struct ez_move *move) {
    struct indices x = {.count = 0, .side = near.e == s->target ? "target" : "source"};
    struct move *m = &move->record;
    uint32_t indexed = NO_INDEX;
    return move_count_indices(c, near.e, near.symbol) && move_count_indices(c, far.e, far.symbol) &&
           target_indices(c, near.e, near.symbol, &x, m) && check_bounds(c, s, &x, m) &&
           move_check_index(c, near.symbol, far.e, &x, move, &indexed) &&
           source_indices(c, far.e, far.symbol, near.symbol, &x, indexed, m);
}

void check_move(struct checker *c, struct stmt *s) {
    struct ez_symbol *to = find_variable(c, s->target), *from = find_variable(c, s->value);
    c->incomplete |= !to || !from;
    if (!to || !from)
        return;
    struct ez_move *move = ARENA_NEW(&c->u->arena, struct ez_move);
    struct move *m = &move->record;
    *move = (struct ez_move){.to = to, .from = from};
    if (!from->var.group) {
        diag_error(c->u->diag, s->value->at,
                   "`%s` has no group: it is the same in every lane, and is assigned in `compute`",
                   from->name.text);
        return;
    }
    const struct move_side dst = {s->target, to}, src = {s->value, from};
    bool scatters = move_scatters(c, s);
    if (scatters && !move_may_scatter(c, s, to))
        return;
    m->index.kind = scatters ? INDEX_SCATTER : INDEX_NONE;
    if (!check_sides(c, s, scatters ? src : dst, scatters ? dst : src, move) ||
        !same_types(c, s, to, from) || !check_fill(c, s, to->type.type, m))
        return;
    if (m->index.kind && m->strides) {
        diag_error(c->u->diag, s->at,
                   "an index that a variable holds goes with plain indices of the other side: a "
                   "multiple of an index is a move of its own");
        return;
    }
    m->dst_has_k = to->has_k;
    m->src_has_k = from->has_k;
    m->dst_count = (uint8_t)to->count;
    m->src_count = (uint8_t)from->count;
    m->width = to->type.type.bits;
    if (c->on &&
        (from->var.group->layout.on_mpus || (to->var.group && to->var.group->layout.on_mpus)))
        diag_error(c->u->diag, s->at, "a move between MPUs stands outside of `on`");
    move_reads(c, s->value, from);
    if (move->index)
        move_reads(c, move->index_at, move->index);
    move_writes(c, to);
    s->move = move;
}
