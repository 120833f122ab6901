/* SPDX-License-Identifier: MIT
 * Collectives: moves between MPUs, and for reductions ensembles that take in what came. */
#include "ezpim/ez/lower_top.h"
#include "ezpim/ir/float.h"

/* Uses of hidden variables, beside those of reductions and `compact`. */
enum { USE_OWN = 64, USE_OTHER, USE_ASIDE };

/* Destinations with first <= coordinate dim < last. */
static void bound(struct ir_move *move, uint32_t dim, uint64_t first, uint64_t last) {
    ir_move_bound(move, dim, (struct move_bound){(int64_t)first, NO_INDEX, 0},
                  (struct move_bound){(int64_t)last, NO_INDEX, 0});
}

/* Source coordinate `dim` is `at`, whatever the destination is. */
static void source_at(struct ir_move *move, uint32_t dim, int64_t at) {
    move->record.source[dim] = (struct move_affine){.size = NO_INDEX, .offset = at};
}

static void to_root(const struct lowering *lowering, const struct ez_collective *collective,
                    struct ir_move *move) {
    for (uint32_t d = 0; d < lowering->u->grid_dims; d++)
        bound(move, d, collective->root[d], (uint64_t)collective->root[d] + 1);
}

/* From the root along one dimension, then from those MPUs along the next. */
static void lower_broadcast(struct lowering *lowering, const struct ez_collective *collective,
                            struct span at) {
    uint32_t from = collective->from->var.number;
    for (uint32_t d = lowering->u->grid_dims; d-- > 0; from = collective->to->var.number) {
        struct ir_move m = ir_plain_move(lowering->b.p, collective->to->var.number, from);
        for (uint32_t k = 0; k < d; k++)
            bound(&m, k, collective->root[k], (uint64_t)collective->root[k] + 1);
        source_at(&m, d, collective->root[d]);
        ir_put_move(&lowering->b, &m, at);
    }
}

/* Register `count` p + c of the source, for MPU p of the destination and its register c. */
static void by_destination(const struct lowering *lowering, struct ir_move *move, uint32_t index,
                           uint32_t count, int64_t first) {
    uint64_t stride = count;
    for (uint32_t d = lowering->u->grid_dims; d-- > 0; stride *= lowering->u->grid[d])
        move->record.source[index].coeff[d] = (int64_t)stride;
    move->record.source[index].offset = -first;
}

static void lower_scatter(struct lowering *lowering, const struct ez_collective *collective,
                          struct span at) {
    struct ir_move m =
        ir_plain_move(lowering->b.p, collective->to->var.number, collective->from->var.number);
    uint32_t k = ez_group_dims(lowering->u, collective->from->var.group);
    for (uint32_t d = 0; d < lowering->u->grid_dims; d++)
        source_at(&m, d, collective->root[d]);
    if (collective->from->has_k)
        by_destination(lowering, &m, k, collective->to->count, 0);
    ir_put_move(&lowering->b, &m, at);
}

/* A move whose destination's registers first .. first + n - 1 come from MPUs `row` .. of the
 * array: of one each, when `count` is 1, else all from one. */
struct collective_stretch {
    uint32_t mpu, n, count;
};

static void from_stretch(const struct lowering *lowering, struct ir_move *move, uint32_t index,
                         struct collective_stretch stretch) {
    uint32_t place[GRID_MAX_DIMS], last = lowering->u->grid_dims - 1;
    uint64_t first = (uint64_t)stretch.mpu * stretch.count;
    ez_mpu_place(lowering->u, stretch.mpu, place);
    for (uint32_t d = 0; d <= last; d++)
        source_at(move, d, place[d]);
    if (!move->record.dst_has_k)
        return;
    bound(move, index, first, first + (uint64_t)stretch.n * stretch.count);
    if (stretch.count != 1)
        return;
    move->record.source[last].offset = -(int64_t)stretch.mpu;
    move->record.source[last].coeff[index] = 1;
}

/* The next stretch of MPUs that one move can take from; `count` registers go to each place. */
static bool next_stretch(const struct ez_unit *unit, struct collective_stretch *stretch) {
    stretch->mpu += stretch->n;
    stretch->n = stretch->count == 1 ? unit->grid[unit->grid_dims - 1] : 1;
    return stretch->mpu < ez_mpu_count(unit);
}

/* What the MPUs of a row have got of each other goes to those above and below them. */
static void down_columns(struct lowering *lowering, const struct ez_collective *collective,
                         uint32_t row, struct span at) {
    uint32_t k = ez_group_dims(lowering->u, collective->from->var.group);
    uint64_t each = (uint64_t)lowering->u->grid[1] * collective->from->count;
    struct ir_move m =
        ir_plain_move(lowering->b.p, collective->to->var.number, collective->to->var.number);
    source_at(&m, 0, row);
    bound(&m, k, row * each, (row + 1) * each);
    ir_put_move(&lowering->b, &m, at);
}

static void lower_gather(struct lowering *lowering, const struct ez_collective *collective,
                         struct span at) {
    uint32_t k = ez_group_dims(lowering->u, collective->from->var.group), rows = 1;
    struct collective_stretch part = {.count = collective->from->count};
    if (!collective->has_root && lowering->u->grid_dims == 2 && collective->to->has_k &&
        ez_gather_by_rows(lowering->u->grid[0], lowering->u->grid[1]))
        rows = lowering->u->grid[0];
    while (next_stretch(lowering->u, &part)) {
        struct ir_move m =
            ir_plain_move(lowering->b.p, collective->to->var.number, collective->from->var.number);
        from_stretch(lowering, &m, k, part);
        if (collective->has_root)
            to_root(lowering, collective, &m);
        if (rows > 1)
            bound(&m, 0, part.mpu / lowering->u->grid[1], part.mpu / lowering->u->grid[1] + 1u);
        if (collective->from->has_k) {
            source_at(&m, k, -(int64_t)part.mpu * part.count);
            m.record.source[k].coeff[k] = 1;
            if (part.count == 1)
                source_at(&m, k, 0);
        }
        ir_put_move(&lowering->b, &m, at);
    }
    for (uint32_t r = 0; rows > 1 && r < rows; r++)
        down_columns(lowering, collective, r, at);
}

static void copy_registers(struct lowering *lowering, uint32_t to, uint32_t from, struct span at) {
    const struct variable *v = &lowering->b.p->variables.data[to].decl;
    struct lane_type type = v->type;
    for (uint32_t r = 0, count = v->count; r < count; r++)
        ir_operation(&lowering->b, IR_COPY, type, ir_element(&lowering->b, to, r),
                     ir_element(&lowering->b, from, r), IR_NONE, IR_NONE, 0, at);
}

static void begin(struct lowering *lowering, const struct ez_collective *collective,
                  struct span at) {
    ez_lower_begin_ensemble(lowering, collective->from->var.group, at);
}

static void lower_alltoall(struct lowering *lowering, const struct ez_collective *collective,
                           struct span at) {
    uint32_t k = ez_group_dims(lowering->u, collective->from->var.group);
    struct collective_stretch part = {.count = collective->from->count / ez_mpu_count(lowering->u)};
    bool aside =
        collective->to == collective->from && (lowering->u->grid_dims == 2 || part.count > 1);
    uint32_t to = collective->to->var.number;
    if (aside)
        to = ir_hidden(&lowering->b, collective->to->var.group->index, collective->to->type.type,
                       collective->to->count, USE_ASIDE);
    while (next_stretch(lowering->u, &part)) {
        struct ir_move m = ir_plain_move(lowering->b.p, to, collective->from->var.number);
        from_stretch(lowering, &m, k, part);
        if (collective->from->has_k) {
            by_destination(lowering, &m, k, part.count, (int64_t)part.mpu * part.count);
            m.record.source[k].coeff[k] = part.count > 1;
            if (part.count == 1)
                m.record.source[k].offset = 0;
        }
        ir_put_move(&lowering->b, &m, at);
    }
    if (aside) {
        begin(lowering, collective, at);
        copy_registers(lowering, collective->to->var.number, to, at);
    }
}

static void lower_transpose(struct lowering *lowering, const struct ez_collective *collective,
                            struct span at) {
    struct ir_move m =
        ir_plain_move(lowering->b.p, collective->to->var.number, collective->from->var.number);
    if (lowering->u->grid_dims == 1) {
        lower_alltoall(lowering, collective, at);
        return;
    }
    for (uint32_t d = 0; d < 2; d++) {
        source_at(&m, d, 0);
        m.record.source[d].coeff[1 - d] = 1;
    }
    ir_put_move(&lowering->b, &m, at);
}

/* ---- reduce and allreduce ---- */

/* MPUs first .. first + count - 1 of dimension d take in the one `distance` behind. */
struct collective_round {
    uint32_t d, first, count, distance;
    bool wraps;
    bool fresh; /* MPUs that take in nothing here must not take in what came before */
};

struct collective_rounds {
    VEC(struct collective_round) items;
};

static void add_rounds(struct collective_rounds *rounds, uint32_t dim, uint32_t m,
                       enum ez_schedule how) {
    if (how == SCHEDULE_EXCHANGE)
        for (uint32_t distance = 1; distance < m; distance *= 2)
            vec_push(&rounds->items, ((struct collective_round){dim, 0, m, distance, true, false}));
    else if (how == SCHEDULE_RING)
        for (uint32_t p = m - 1; p-- > 0;)
            vec_push(&rounds->items, ((struct collective_round){dim, p, 1, 1, false, p == m - 2}));
    else
        for (uint32_t half = (m + 1) / 2; m > 1; m = half, half = (m + 1) / 2)
            vec_push(&rounds->items,
                     ((struct collective_round){dim, 0, m - half, half, false, m % 2 != 0}));
}

/* A reduction of MPUs: what each has so far, and what it takes in. */
struct reducing {
    const struct ez_collective *x;
    enum array_fold_kind kind;
    struct lane_type type;
    uint32_t own, other, count;
};

static struct reducing reducing_of(struct lowering *lowering,
                                   const struct ez_collective *collective) {
    uint32_t group = collective->from->var.group->index;
    struct reducing r = {.x = collective,
                         .kind = ez_lower_fold_kind(collective->operation),
                         .type = collective->from->type.type,
                         .own = collective->to->var.number,
                         .count = collective->from->count};
    if (collective->kind == COLLECTIVE_REDUCE)
        r.own = ir_hidden(&lowering->b, group, r.type, r.count, USE_OWN);
    r.other = ir_hidden(&lowering->b, group, r.type, r.count, USE_OTHER);
    return r;
}

static void reset_other(struct lowering *lowering, const struct reducing *reducing,
                        struct span at) {
    for (uint32_t r = 0; r < reducing->count; r++)
        ir_constant(&lowering->b, reducing->type, array_identity(reducing->kind, reducing->type),
                    ir_element(&lowering->b, reducing->other, r), at);
}

static void take_in(struct lowering *lowering, const struct reducing *reducing, struct span at) {
    for (uint32_t r = 0; r < reducing->count; r++) {
        uint32_t own = ir_element(&lowering->b, reducing->own, r);
        ir_typed(&lowering->b, array_operation(reducing->kind), reducing->type, own, own,
                 ir_element(&lowering->b, reducing->other, r), at);
    }
}

/* Coordinates other than `dim` along which MPU 0 has it all count there alone. */
static void bound_folded(struct ir_move *move, const bool *folded, uint32_t dim) {
    for (uint32_t k = 0; k < GRID_MAX_DIMS; k++)
        if (folded[k] && k != dim)
            bound(move, k, 0, 1);
}

static void lower_round(struct lowering *lowering, const struct reducing *reducing,
                        const struct collective_round *round, const bool *folded, struct span at) {
    struct ir_move m = ir_plain_move(lowering->b.p, reducing->other, reducing->own);
    bound_folded(&m, folded, round->d);
    bound(&m, round->d, round->first, (uint64_t)round->first + round->count);
    m.record.source[round->d].offset = round->distance;
    m.record.outside = round->wraps ? MOVE_WRAP : MOVE_KEEP;
    ir_put_move(&lowering->b, &m, at);
    begin(lowering, reducing->x, at);
    take_in(lowering, reducing, at);
}

static void spread(struct lowering *lowering, const struct reducing *reducing, const bool *folded,
                   uint32_t dim, struct span at) {
    struct ir_move m = ir_plain_move(lowering->b.p, reducing->own, reducing->own);
    bound_folded(&m, folded, dim);
    bound(&m, dim, 1, lowering->u->grid[dim]);
    source_at(&m, dim, 0);
    ir_put_move(&lowering->b, &m, at);
}

static void lower_reduce(struct lowering *lowering, const struct ez_collective *collective,
                         struct span at) {
    bool everywhere = collective->kind == COLLECTIVE_ALLREDUCE, folded[GRID_MAX_DIMS] = {false};
    struct reducing w = reducing_of(lowering, collective);
    bool in_order = array_fold_in_order(&(struct array_fold){.kind = w.kind, .type = w.type});
    struct collective_rounds rounds = {0};
    enum ez_schedule how[GRID_MAX_DIMS];
    for (uint32_t d = lowering->u->grid_dims; d-- > 0;) {
        how[d] = in_order ? SCHEDULE_TREE : ez_schedule(lowering->u->grid[d], everywhere);
        add_rounds(&rounds, d, lowering->u->grid[d], how[d]);
    }
    if (w.own != collective->from->var.number || (rounds.items.len && rounds.items.data[0].fresh))
        begin(lowering, collective, at);
    if (w.own != collective->from->var.number)
        copy_registers(lowering, w.own, collective->from->var.number, at);
    for (size_t i = 0; i < rounds.items.len; i++) {
        const struct collective_round *r = &rounds.items.data[i];
        if (r->fresh)
            reset_other(lowering, &w, at);
        lower_round(lowering, &w, r, folded, at);
        if (i + 1 == rounds.items.len || r[1].d != r->d)
            folded[r->d] = how[r->d] != SCHEDULE_EXCHANGE;
    }
    for (uint32_t d = 0; everywhere && d < lowering->u->grid_dims; d++)
        if (folded[d]) {
            spread(lowering, &w, folded, d, at);
            folded[d] = false;
        }
    if (!everywhere) {
        struct ir_move m = ir_plain_move(lowering->b.p, collective->to->var.number, w.own);
        to_root(lowering, collective, &m);
        for (uint32_t d = 0; d < lowering->u->grid_dims; d++)
            source_at(&m, d, 0);
        ir_put_move(&lowering->b, &m, at);
    }
    vec_free(&rounds.items);
}

void ez_lower_collective(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_collective *x = stmt->collective;
    switch (x->kind) {
    case COLLECTIVE_BROADCAST:
        lower_broadcast(lowering, x, stmt->at);
        break;
    case COLLECTIVE_SCATTER:
        lower_scatter(lowering, x, stmt->at);
        break;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_ALLGATHER:
        lower_gather(lowering, x, stmt->at);
        break;
    case COLLECTIVE_ALLTOALL:
        lower_alltoall(lowering, x, stmt->at);
        break;
    case COLLECTIVE_TRANSPOSE:
        lower_transpose(lowering, x, stmt->at);
        break;
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_ALLREDUCE:
        lower_reduce(lowering, x, stmt->at);
        break;
    }
}

/* ---- messages ---- */

/* A message is a move from the own elements to the same ones in the partner. */
void ez_lower_message(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_message *x = stmt->message;
    uint32_t place[GRID_MAX_DIMS];
    if (x->receives) {
        struct ir_node *n = ez_lower_node(lowering, IR_NODE_RECV, stmt->at);
        n->mpu = x->partner;
        n->lands = x->symbol->var.number;
        return;
    }
    struct ir_move m = ir_plain_move(lowering->b.p, x->lands->var.number, x->symbol->var.number);
    ez_mpu_place(lowering->u, x->partner, place);
    for (uint32_t d = 0; d < lowering->u->grid_dims; d++)
        bound(&m, d, place[d], (uint64_t)place[d] + 1);
    ez_mpu_place(lowering->u, x->mpu, place);
    for (uint32_t d = 0; d < lowering->u->grid_dims; d++)
        source_at(&m, d, place[d]);
    struct ir_node *n = ir_put_move(&lowering->b, &m, stmt->at);
    n->kind = IR_NODE_SEND;
    n->mpu = x->partner;
}
