/* SPDX-License-Identifier: MIT
 * Collectives: moves between MPUs, and for reductions ensembles that take in what came. */
#include "ezpim/ez/lower_top.h"

/* Uses of hidden variables, beside those of reductions and `compact`. */
enum { USE_OWN = 64, USE_OTHER, USE_ASIDE };

/* Destinations with first <= coordinate d < last. */
static void bound(struct ir_move *m, uint32_t d, uint64_t first, uint64_t last) {
    ir_move_bound(m, d, (struct move_bound){(int64_t)first, NO_INDEX, 0},
                  (struct move_bound){(int64_t)last, NO_INDEX, 0});
}

/* Source coordinate d is `at`, whatever the destination is. */
static void source_at(struct ir_move *m, uint32_t d, int64_t at) {
    m->record.source[d] = (struct move_affine){.size = NO_INDEX, .offset = at};
}

static void to_root(const struct lowering *l, const struct ez_collective *x, struct ir_move *m) {
    for (uint32_t d = 0; d < l->u->grid_dims; d++)
        bound(m, d, x->root[d], (uint64_t)x->root[d] + 1);
}

/* From the root along one dimension, then from those MPUs along the next. */
static void lower_broadcast(struct lowering *l, const struct ez_collective *x, struct span at) {
    uint32_t from = x->from->var.number;
    for (uint32_t d = l->u->grid_dims; d-- > 0; from = x->to->var.number) {
        struct ir_move m = ir_plain_move(l->b.p, x->to->var.number, from);
        for (uint32_t k = 0; k < d; k++)
            bound(&m, k, x->root[k], (uint64_t)x->root[k] + 1);
        source_at(&m, d, x->root[d]);
        ir_put_move(&l->b, &m, at);
    }
}

/* Register `count` p + c of the source, for MPU p of the destination and its register c. */
static void by_destination(const struct lowering *l, struct ir_move *m, uint32_t k, uint32_t count,
                           int64_t first) {
    uint64_t stride = count;
    for (uint32_t d = l->u->grid_dims; d-- > 0; stride *= l->u->grid[d])
        m->record.source[k].coeff[d] = (int64_t)stride;
    m->record.source[k].offset = -first;
}

static void lower_scatter(struct lowering *l, const struct ez_collective *x, struct span at) {
    struct ir_move m = ir_plain_move(l->b.p, x->to->var.number, x->from->var.number);
    uint32_t k = ez_group_dims(l->u, x->from->var.group);
    for (uint32_t d = 0; d < l->u->grid_dims; d++)
        source_at(&m, d, x->root[d]);
    if (x->from->has_k)
        by_destination(l, &m, k, x->to->count, 0);
    ir_put_move(&l->b, &m, at);
}

/* A move whose destination's registers first .. first + n - 1 come from MPUs `row` .. of the
 * array: of one each, when `count` is 1, else all from one. */
struct stretch {
    uint32_t mpu, n, count;
};

static void from_stretch(const struct lowering *l, struct ir_move *m, uint32_t k,
                         struct stretch x) {
    uint32_t place[GRID_MAX_DIMS], last = l->u->grid_dims - 1;
    uint64_t first = (uint64_t)x.mpu * x.count;
    ez_mpu_place(l->u, x.mpu, place);
    for (uint32_t d = 0; d <= last; d++)
        source_at(m, d, place[d]);
    if (!m->record.dst_has_k)
        return;
    bound(m, k, first, first + (uint64_t)x.n * x.count);
    if (x.count != 1)
        return;
    m->record.source[last].offset = -(int64_t)x.mpu;
    m->record.source[last].coeff[k] = 1;
}

/* The next stretch of MPUs that one move can take from; `count` registers go to each place. */
static bool next_stretch(const struct unit *u, struct stretch *x) {
    x->mpu += x->n;
    x->n = x->count == 1 ? u->grid[u->grid_dims - 1] : 1;
    return x->mpu < ez_mpu_count(u);
}

/* What the MPUs of a row have got of each other goes to those above and below them. */
static void down_columns(struct lowering *l, const struct ez_collective *x, uint32_t row,
                         struct span at) {
    uint32_t k = ez_group_dims(l->u, x->from->var.group);
    uint64_t each = (uint64_t)l->u->grid[1] * x->from->count;
    struct ir_move m = ir_plain_move(l->b.p, x->to->var.number, x->to->var.number);
    source_at(&m, 0, row);
    bound(&m, k, row * each, (row + 1) * each);
    ir_put_move(&l->b, &m, at);
}

static void lower_gather(struct lowering *l, const struct ez_collective *x, struct span at) {
    uint32_t k = ez_group_dims(l->u, x->from->var.group), rows = 1;
    struct stretch part = {.count = x->from->count};
    if (!x->has_root && l->u->grid_dims == 2 && x->to->has_k &&
        ez_gather_by_rows(l->u->grid[0], l->u->grid[1]))
        rows = l->u->grid[0];
    while (next_stretch(l->u, &part)) {
        struct ir_move m = ir_plain_move(l->b.p, x->to->var.number, x->from->var.number);
        from_stretch(l, &m, k, part);
        if (x->has_root)
            to_root(l, x, &m);
        if (rows > 1)
            bound(&m, 0, part.mpu / l->u->grid[1], part.mpu / l->u->grid[1] + 1u);
        if (x->from->has_k) {
            source_at(&m, k, -(int64_t)part.mpu * part.count);
            m.record.source[k].coeff[k] = 1;
            if (part.count == 1)
                source_at(&m, k, 0);
        }
        ir_put_move(&l->b, &m, at);
    }
    for (uint32_t r = 0; rows > 1 && r < rows; r++)
        down_columns(l, x, r, at);
}

static void copy_registers(struct lowering *l, uint32_t to, uint32_t from, struct span at) {
    const struct variable *v = &l->b.p->variables.data[to].decl;
    struct mpu_type type = v->type;
    for (uint32_t r = 0, count = v->count; r < count; r++)
        ir_operation(&l->b, IR_COPY, type, ir_element(&l->b, to, r), ir_element(&l->b, from, r),
                     IR_NONE, IR_NONE, 0, at);
}

static void begin(struct lowering *l, const struct ez_collective *x, struct span at) {
    lower_begin_ensemble(l, x->from->var.group, at);
}

static void lower_alltoall(struct lowering *l, const struct ez_collective *x, struct span at) {
    uint32_t k = ez_group_dims(l->u, x->from->var.group);
    struct stretch part = {.count = x->from->count / ez_mpu_count(l->u)};
    bool aside = x->to == x->from && (l->u->grid_dims == 2 || part.count > 1);
    uint32_t to = x->to->var.number;
    if (aside)
        to = ir_hidden(&l->b, x->to->var.group->index, x->to->type.type, x->to->count, USE_ASIDE);
    while (next_stretch(l->u, &part)) {
        struct ir_move m = ir_plain_move(l->b.p, to, x->from->var.number);
        from_stretch(l, &m, k, part);
        if (x->from->has_k) {
            by_destination(l, &m, k, part.count, (int64_t)part.mpu * part.count);
            m.record.source[k].coeff[k] = part.count > 1;
            if (part.count == 1)
                m.record.source[k].offset = 0;
        }
        ir_put_move(&l->b, &m, at);
    }
    if (aside) {
        begin(l, x, at);
        copy_registers(l, x->to->var.number, to, at);
    }
}

static void lower_transpose(struct lowering *l, const struct ez_collective *x, struct span at) {
    struct ir_move m = ir_plain_move(l->b.p, x->to->var.number, x->from->var.number);
    if (l->u->grid_dims == 1) {
        lower_alltoall(l, x, at);
        return;
    }
    for (uint32_t d = 0; d < 2; d++) {
        source_at(&m, d, 0);
        m.record.source[d].coeff[1 - d] = 1;
    }
    ir_put_move(&l->b, &m, at);
}

/* ---- reduce and allreduce ---- */

/* MPUs first .. first + count - 1 of dimension d take in the one `distance` behind. */
struct round {
    uint32_t d, first, count, distance;
    bool wraps;
    bool fresh; /* MPUs that take in nothing here must not take in what came before */
};

struct rounds {
    VEC(struct round) items;
};

static void add_rounds(struct rounds *r, uint32_t d, uint32_t m, enum ez_schedule how) {
    if (how == SCHEDULE_EXCHANGE)
        for (uint32_t distance = 1; distance < m; distance *= 2)
            vec_push(&r->items, ((struct round){d, 0, m, distance, true, false}));
    else if (how == SCHEDULE_RING)
        for (uint32_t p = m - 1; p-- > 0;)
            vec_push(&r->items, ((struct round){d, p, 1, 1, false, p == m - 2}));
    else
        for (uint32_t half = (m + 1) / 2; m > 1; m = half, half = (m + 1) / 2)
            vec_push(&r->items, ((struct round){d, 0, m - half, half, false, m % 2 != 0}));
}

/* A reduction of MPUs: what each has so far, and what it takes in. */
struct reducing {
    const struct ez_collective *x;
    enum array_fold_kind kind;
    struct mpu_type type;
    uint32_t own, other, count;
};

static struct reducing reducing_of(struct lowering *l, const struct ez_collective *x) {
    uint32_t group = x->from->var.group->index;
    struct reducing r = {.x = x,
                         .kind = lower_fold_kind(x->operation),
                         .type = x->from->type.type,
                         .own = x->to->var.number,
                         .count = x->from->count};
    if (x->kind == COLLECTIVE_REDUCE)
        r.own = ir_hidden(&l->b, group, r.type, r.count, USE_OWN);
    r.other = ir_hidden(&l->b, group, r.type, r.count, USE_OTHER);
    return r;
}

static void reset_other(struct lowering *l, const struct reducing *x, struct span at) {
    for (uint32_t r = 0; r < x->count; r++)
        ir_constant(&l->b, x->type, array_identity(x->kind, x->type),
                    ir_element(&l->b, x->other, r), at);
}

static void take_in(struct lowering *l, const struct reducing *x, struct span at) {
    for (uint32_t r = 0; r < x->count; r++) {
        uint32_t own = ir_element(&l->b, x->own, r);
        ir_operation(&l->b, array_operation(x->kind), x->type, own, own,
                     ir_element(&l->b, x->other, r), IR_NONE, 0, at);
    }
}

/* Coordinates other than d along which MPU 0 has it all count there alone. */
static void bound_folded(struct ir_move *m, const bool *folded, uint32_t d) {
    for (uint32_t k = 0; k < GRID_MAX_DIMS; k++)
        if (folded[k] && k != d)
            bound(m, k, 0, 1);
}

static void lower_round(struct lowering *l, const struct reducing *x, const struct round *r,
                        const bool *folded, struct span at) {
    struct ir_move m = ir_plain_move(l->b.p, x->other, x->own);
    bound_folded(&m, folded, r->d);
    bound(&m, r->d, r->first, (uint64_t)r->first + r->count);
    m.record.source[r->d].offset = r->distance;
    m.record.outside = r->wraps ? MOVE_WRAP : MOVE_KEEP;
    ir_put_move(&l->b, &m, at);
    begin(l, x->x, at);
    take_in(l, x, at);
}

static void spread(struct lowering *l, const struct reducing *x, const bool *folded, uint32_t d,
                   struct span at) {
    struct ir_move m = ir_plain_move(l->b.p, x->own, x->own);
    bound_folded(&m, folded, d);
    bound(&m, d, 1, l->u->grid[d]);
    source_at(&m, d, 0);
    ir_put_move(&l->b, &m, at);
}

static void lower_reduce(struct lowering *l, const struct ez_collective *x, struct span at) {
    bool everywhere = x->kind == COLLECTIVE_ALLREDUCE, folded[GRID_MAX_DIMS] = {false};
    struct reducing w = reducing_of(l, x);
    struct rounds rounds = {0};
    enum ez_schedule how[GRID_MAX_DIMS];
    for (uint32_t d = l->u->grid_dims; d-- > 0;) {
        how[d] = ez_schedule(l->u->grid[d], everywhere);
        add_rounds(&rounds, d, l->u->grid[d], how[d]);
    }
    if (w.own != x->from->var.number || (rounds.items.len && rounds.items.data[0].fresh))
        begin(l, x, at);
    if (w.own != x->from->var.number)
        copy_registers(l, w.own, x->from->var.number, at);
    for (size_t i = 0; i < rounds.items.len; i++) {
        const struct round *r = &rounds.items.data[i];
        if (r->fresh)
            reset_other(l, &w, at);
        lower_round(l, &w, r, folded, at);
        if (i + 1 == rounds.items.len || r[1].d != r->d)
            folded[r->d] = how[r->d] != SCHEDULE_EXCHANGE;
    }
    for (uint32_t d = 0; everywhere && d < l->u->grid_dims; d++)
        if (folded[d]) {
            spread(l, &w, folded, d, at);
            folded[d] = false;
        }
    if (!everywhere) {
        struct ir_move m = ir_plain_move(l->b.p, x->to->var.number, w.own);
        to_root(l, x, &m);
        for (uint32_t d = 0; d < l->u->grid_dims; d++)
            source_at(&m, d, 0);
        ir_put_move(&l->b, &m, at);
    }
    vec_free(&rounds.items);
}

void lower_collective(struct lowering *l, const struct stmt *s) {
    const struct ez_collective *x = s->collective;
    switch (x->kind) {
    case COLLECTIVE_BROADCAST:
        lower_broadcast(l, x, s->at);
        break;
    case COLLECTIVE_SCATTER:
        lower_scatter(l, x, s->at);
        break;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_ALLGATHER:
        lower_gather(l, x, s->at);
        break;
    case COLLECTIVE_ALLTOALL:
        lower_alltoall(l, x, s->at);
        break;
    case COLLECTIVE_TRANSPOSE:
        lower_transpose(l, x, s->at);
        break;
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_ALLREDUCE:
        lower_reduce(l, x, s->at);
        break;
    }
}

/* ---- messages ---- */

/* A message is a move from the own elements to the same ones in the partner. */
void lower_message(struct lowering *l, const struct stmt *s) {
    const struct ez_message *x = s->message;
    uint32_t place[GRID_MAX_DIMS];
    if (x->receives) {
        struct ir_node *n = lower_node(l, IR_NODE_RECV, s->at);
        n->mpu = x->partner;
        n->lands = x->symbol->var.number;
        return;
    }
    struct ir_move m = ir_plain_move(l->b.p, x->lands->var.number, x->symbol->var.number);
    ez_mpu_place(l->u, x->partner, place);
    for (uint32_t d = 0; d < l->u->grid_dims; d++)
        bound(&m, d, place[d], (uint64_t)place[d] + 1);
    ez_mpu_place(l->u, x->mpu, place);
    for (uint32_t d = 0; d < l->u->grid_dims; d++)
        source_at(&m, d, place[d]);
    struct ir_node *n = ir_put_move(&l->b, &m, s->at);
    n->kind = IR_NODE_SEND;
    n->mpu = x->partner;
}
