/* SPDX-License-Identifier: MIT
 * Moves of which a register holds one coordinate: what they come to under the indices that are
 * there.  The near side is walked as the destination of another move is; each element of it finds
 * its far one. */
#include "linker/moves/copies.h"
#include "linker/moves/register_set.h"
#include "machines/dtc/dtc.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

/* Near elements in lanes of one register, and where their far ones would be with index 0. */
struct near_run {
    uint64_t station, near, far;
    int64_t near_step, far_step; /* elements */
    uint32_t vrf, lane, count;   /* near; the lanes are near_step apart */
    uint8_t near_reg, far_reg;
    bool fill;
};

/* What a scatter brings to one lane. */
struct arrival {
    uint64_t lane;  /* VRF, register and lane: where to */
    uint64_t order; /* among the elements of the source */
    uint32_t src_vrf, src_lane;
    uint8_t src_reg;
    bool lost; /* another one counts */
};

struct indexed {
    struct maker k; /* first: add_run gets it */
    struct indexed_coordinate c;
    const struct move_indices *indices; /* NULL: each names its own place */
    VEC(struct near_run) runs;
    VEC(struct arrival) arrivals;
    struct register_set part; /* registers of the buffer's contents at hand */
    uint64_t *values;         /* [value_room] */
    size_t value_room;
};

/* ---- runs ---- */

static uint64_t add_run(struct maker *maker, const struct move_piece *piece,
                        const struct step_position *at, const struct move_axis *step,
                        uint64_t most) {
    struct indexed *s = (struct indexed *)maker;
    const struct placement *d = package_move_element(&maker->dst, at->dst);
    uint64_t n = step->dst_reg || step->src_reg ? 1 : most;
    if (!d) {
        maker->problem = "the package has no place for an element of it";
        return 0;
    }
    struct near_run r = {.near = at->dst,
                         .far = at->src,
                         .near_step = step->dst,
                         .far_step = step->src,
                         .vrf = package_move_vrf(maker->p, d),
                         .lane = (uint32_t)(at->dst - d->first),
                         .near_reg = (uint8_t)at->dst_reg,
                         .far_reg = (uint8_t)at->src_reg,
                         .fill = piece->fill};
    r.station = package_move_station(maker, r.vrf);
    r.count = (uint32_t)package_move_room(r.lane, d->count, step->dst, n);
    vec_push(&s->runs, r);
    return r.count;
}

static int by_register(const void *left, const void *right) {
    const struct near_run *a = left, *b = right;
    uint64_t p = register_key(a->vrf, a->near_reg), q = register_key(b->vrf, b->near_reg);
    if (a->station != b->station)
        return a->station < b->station ? -1 : 1;
    if (p != q)
        return p < q ? -1 : 1;
    return (a->near > b->near) - (a->near < b->near);
}

/* They mostly are in order. */
static void sort_runs(struct indexed *indexed) {
    for (size_t i = 0; i + 1 < indexed->runs.len; i++)
        if (by_register(&indexed->runs.data[i], &indexed->runs.data[i + 1]) > 0) {
            qsort(indexed->runs.data, indexed->runs.len, sizeof *indexed->runs.data, by_register);
            return;
        }
}

/* ---- indices ---- */

static uint8_t index_register(const struct indexed *indexed, const struct near_run *run) {
    const struct move *m = indexed->k.m;
    return (uint8_t)(m->index.reg + (m->index.follows ? run->near_reg - m->dst_reg : 0));
}

static uint64_t *value_room(struct indexed *indexed, size_t n) {
    if (n > indexed->value_room) {
        indexed->value_room = n;
        indexed->values = xreallocarray(indexed->values, n, sizeof *indexed->values);
    }
    return indexed->values;
}

/* The indices of a run, as bits of their register; valid until the next call. */
static const uint64_t *read_indices(struct indexed *indexed, const struct near_run *run) {
    uint32_t by = (uint32_t)(run->near_step < 0 ? -run->near_step : run->near_step);
    uint32_t span = run->count > 1 ? (run->count - 1) * by + 1 : 1;
    uint64_t *values = value_room(indexed, span);
    uint32_t first = run->near_step < 0 ? run->lane - (span - 1) : run->lane;
    indexed->indices->read(indexed->indices->context, run->vrf, index_register(indexed, run), first,
                           span, values);
    for (uint32_t i = 1; run->count > 1 && i < run->count && by > 1; i++)
        values[i] = values[(size_t)i * by];
    for (uint32_t i = 0; run->near_step < 0 && i < run->count / 2; i++) {
        uint64_t held = values[i];
        values[i] = values[run->count - 1 - i];
        values[run->count - 1 - i] = held;
    }
    return values;
}

/* What the bits say; false if it is no coordinate and none is to be taken for it. */
static bool coordinate_of(const struct indexed *indexed, uint64_t bits, uint64_t *out) {
    const struct move *m = indexed->k.m;
    uint64_t value = bits & low_bits(m->index.type.bits), e = indexed->c.extent;
    bool negative =
        indexed->indices && m->index.type.kind == TYPE_INT && value >> (m->index.type.bits - 1) & 1;
    if (!indexed->indices)
        value = bits;
    if (negative)
        value = ~(value | ~low_bits(m->index.type.bits)); /* -1 - index */
    if (!negative && value < e)
        *out = value;
    else if (m->outside == MOVE_WRAP)
        *out = negative ? e - 1 - value % e : value % e;
    else
        *out = negative ? 0 : e - 1;
    return m->outside == MOVE_WRAP || m->outside == MOVE_CLIP || (!negative && value < e);
}

/* ---- elements ---- */

static void add_copy(struct indexed *indexed, const struct move_copy *copy) {
    if (!indexed->k.copies.len || !package_move_append(&vec_last(&indexed->k.copies), copy))
        vec_push(&indexed->k.copies, *copy);
}

static uint32_t near_lane(const struct near_run *run, uint32_t index) {
    return (uint32_t)((int64_t)run->lane + (int64_t)index * run->near_step);
}

static void add_constant(struct indexed *indexed, const struct near_run *run, uint32_t first,
                         uint32_t count) {
    const struct move_copy x = {.dst_vrf = run->vrf,
                                .dst_reg = run->near_reg,
                                .dst_lane = near_lane(run, first),
                                .dst_step = count > 1 ? (int32_t)run->near_step : 1,
                                .count = count,
                                .fill = true};
    add_copy(indexed, &x);
}

/* A far element, and how many lanes its VRF has. */
struct target_lane {
    uint32_t vrf, lane, lanes;
    uint8_t reg;
};

/* False after a problem. */
static bool find_far(struct indexed *indexed, const struct near_run *run, uint32_t index,
                     uint64_t coordinate, struct target_lane *out) {
    uint64_t e = run->far + (uint64_t)index * (uint64_t)run->far_step +
                 coordinate * (uint64_t)indexed->c.stride;
    const struct placement *p = NULL;
    out->reg = (uint8_t)(run->far_reg + (int64_t)coordinate * indexed->c.reg);
    out->vrf = run->vrf;
    out->lane = near_lane(run, index);
    out->lanes = UINT32_MAX;
    if (indexed->k.m->src_group == NO_INDEX)
        return true;
    p = package_move_element(&indexed->k.src, e);
    if (!p) {
        indexed->k.problem = "the package has no place for an element of it";
        return false;
    }
    out->vrf = package_move_vrf(indexed->k.p, p);
    out->lane = (uint32_t)(e - p->first);
    out->lanes = p->count;
    return true;
}

/* One element from lane to lane. */
static struct move_copy copy_of(const struct move_index *index, const struct near_run *run,
                                uint32_t number, const struct target_lane *far) {
    struct move_copy c = {.count = 1, .dst_step = 1, .src_step = 1};
    bool gathers = index->kind == INDEX_GATHER;
    c.dst_vrf = gathers ? run->vrf : far->vrf;
    c.dst_lane = gathers ? near_lane(run, number) : far->lane;
    c.dst_reg = gathers ? run->near_reg : far->reg;
    c.src_vrf = gathers ? far->vrf : run->vrf;
    c.src_lane = gathers ? far->lane : near_lane(run, number);
    c.src_reg = gathers ? far->reg : run->near_reg;
    return c;
}

static void add_arrival(struct indexed *indexed, const struct near_run *run, uint32_t index,
                        const struct target_lane *far) {
    const struct move *m = indexed->k.m;
    uint64_t e = run->near + (uint64_t)index * (uint64_t)run->near_step;
    struct arrival x = {.lane = register_key(far->vrf, far->reg) << 24 | far->lane,
                        .order = e * m->dst_count + (uint64_t)(run->near_reg - m->dst_reg),
                        .src_vrf = run->vrf,
                        .src_lane = near_lane(run, index),
                        .src_reg = run->near_reg};
    vec_push(&indexed->arrivals, x);
}

static void note_far(struct indexed *indexed, const struct target_lane *far) {
    package_register_set_add(&indexed->part, register_key(far->vrf, far->reg),
                             indexed->k.m->index.kind == INDEX_GATHER ? USE_DATA : USE_WRITTEN);
}

static bool resolve_element(struct indexed *indexed, const struct near_run *run, uint32_t index,
                            uint64_t bits) {
    struct target_lane far;
    uint64_t coordinate;
    if (!coordinate_of(indexed, bits, &coordinate)) {
        if (indexed->k.m->outside == MOVE_FILL)
            add_constant(indexed, run, index, 1);
        return true;
    }
    if (!find_far(indexed, run, index, coordinate, &far))
        return false;
    const struct move_copy c = copy_of(&indexed->k.m->index, run, index, &far);
    if (indexed->k.m->index.kind == INDEX_GATHER)
        add_copy(indexed, &c);
    else
        add_arrival(indexed, run, index, &far);
    note_far(indexed, &far);
    return true;
}

/* ---- elements whose indices are not known ---- */

/* Steps, of `most`, that a value below `limit` stays in 0 .. limit - 1. */
static uint64_t steps_below(uint64_t value, uint64_t limit, int64_t step, uint64_t most) {
    uint64_t n = most;
    if (step > 0)
        n = (limit - 1 - value) / (uint64_t)step + 1;
    else if (step < 0)
        n = value / (uint64_t)-step + 1;
    return n < most ? n : most;
}

/* The coordinate at which element index of the run lies itself; *by: what each of so many steps
 * adds to it. */
static uint64_t own_place(const struct indexed *indexed, const struct near_run *run, uint32_t index,
                          int64_t *by, uint64_t *steps) {
    const struct indexed_coordinate *c = &indexed->c;
    uint64_t e = run->near + (uint64_t)index * (uint64_t)run->near_step;
    uint64_t at = c->own_is_register ? run->near_reg - (uint64_t)indexed->k.m->dst_reg : 0;
    for (uint32_t d = 0; d < c->own_count; d++)
        at += e / c->own[d].stride % c->own[d].extent * c->own[d].weight;
    *by = 0;
    *steps = c->own_count ? 1 : run->count - index;
    if (c->own_count == 1 && c->own[0].stride == 1 && c->reg == 0) {
        *by = run->near_step;
        *steps = steps_below(at, c->own[0].extent, *by, run->count - index);
        *steps = steps_below(at % c->extent, c->extent, *by, *steps);
    }
    return at % c->extent;
}

/* Where nothing is known of the data it does not matter which of several elements is the last. */
static bool resolve_own(struct indexed *indexed, const struct near_run *run) {
    for (uint32_t i = 0; i < run->count;) {
        struct target_lane far;
        uint64_t steps;
        int64_t by;
        uint64_t coordinate = own_place(indexed, run, i, &by, &steps);
        if (!find_far(indexed, run, i, coordinate, &far))
            return false;
        int64_t step = indexed->k.m->src_group == NO_INDEX ? run->near_step
                                                           : run->far_step + by * indexed->c.stride;
        uint32_t n = (uint32_t)package_move_room(far.lane, far.lanes, step, steps);
        struct move_copy c = copy_of(&indexed->k.m->index, run, i, &far);
        bool gathers = indexed->k.m->index.kind == INDEX_GATHER;
        c.count = n;
        c.dst_step = n > 1 ? (int32_t)(gathers ? run->near_step : step) : 1;
        c.src_step = n > 1 ? (int32_t)(gathers ? step : run->near_step) : 1;
        add_copy(indexed, &c);
        note_far(indexed, &far);
        i += n;
    }
    return true;
}

static bool resolve_run(struct indexed *indexed, const struct near_run *run) {
    bool reads = indexed->k.m->index.kind == INDEX_SCATTER;
    package_register_set_add(&indexed->part, register_key(run->vrf, run->near_reg),
                             reads ? USE_DATA : USE_WRITTEN);
    if (run->fill) {
        add_constant(indexed, run, 0, run->count);
        return true;
    }
    package_register_set_add(&indexed->part, register_key(run->vrf, index_register(indexed, run)),
                             USE_INDEX);
    if (!indexed->indices)
        return resolve_own(indexed, run);
    const uint64_t *values = read_indices(indexed, run);
    for (uint32_t i = 0; i < run->count; i++)
        if (!resolve_element(indexed, run, i, values[i]))
            return false;
    return true;
}

/* ---- of arrivals in one lane the last ---- */

static void choose_last(struct indexed *indexed) {
    HASH_TABLE(uint64_t, uint32_t) taken = {0}; /* lanes: number of an arrival, from 1 */
    for (size_t i = 0; i < indexed->arrivals.len; i++) {
        struct arrival *x = &indexed->arrivals.data[i];
        uint32_t *last = hash_table_put(&taken, &x->lane);
        struct arrival *other = *last ? &indexed->arrivals.data[*last - 1] : NULL;
        if (other && other->order > x->order) {
            x->lost = true;
            continue;
        }
        if (other)
            other->lost = true;
        *last = (uint32_t)i + 1;
    }
    hash_table_free(&taken);
}

static void copy_arrivals(struct indexed *indexed) {
    choose_last(indexed);
    for (size_t i = 0; i < indexed->arrivals.len; i++) {
        const struct arrival *x = &indexed->arrivals.data[i];
        const struct move_copy copy = {.dst_vrf = (uint32_t)(x->lane >> 32),
                                       .src_vrf = x->src_vrf,
                                       .dst_lane = (uint32_t)(x->lane & 0xffffff),
                                       .src_lane = x->src_lane,
                                       .count = 1,
                                       .dst_step = 1,
                                       .src_step = 1,
                                       .dst_reg = (uint8_t)(x->lane >> 24 & 0xff),
                                       .src_reg = x->src_reg};
        if (!x->lost)
            add_copy(indexed, &copy);
    }
}

/* ---- what it costs ---- */

/* Transfers of registers: as wide as the data, and as wide as the indices. */
struct register_transfers {
    uint64_t data, indices;
};

/* A register that is read for both is read once, in the wider of the two widths. */
static struct register_transfers part_transfers(const struct indexed *indexed) {
    const struct move *m = indexed->k.m;
    const struct register_set *p = &indexed->part;
    uint64_t data = p->uses[USE_DATA], indices = p->uses[USE_INDEX];
    bool wider = m->index.type.bits > m->width;
    if (p->uses[USE_WRITTEN] >= data + indices - p->both)
        return (struct register_transfers){p->uses[USE_WRITTEN], 0};
    data -= wider ? p->both : 0;
    indices -= wider ? 0 : p->both;
    if (m->index.type.bits == m->width)
        return (struct register_transfers){data + indices, 0};
    return (struct register_transfers){data, indices};
}

static uint64_t transfers_ps(const struct indexed *indexed, struct register_transfers transfers) {
    const struct move *m = indexed->k.m;
    return dtc_in_a_row_ps(indexed->k.t, m->width, transfers.data) +
           dtc_in_a_row_ps(indexed->k.t, m->index.type.bits, transfers.indices);
}

/* Whether it takes longer, or is more where transfers take no time. */
static bool more_than(const struct indexed *indexed, struct register_transfers left,
                      struct register_transfers right) {
    uint64_t x = transfers_ps(indexed, left), y = transfers_ps(indexed, right);
    return x != y ? x > y : left.data + left.indices > right.data + right.indices;
}

/* The end of a buffer's worth of near registers from run `first` on. */
static size_t part_end(const struct indexed *indexed, size_t first) {
    uint32_t buffer = indexed->k.t->buffer_registers ? indexed->k.t->buffer_registers : 1, held = 0;
    const struct near_run *r = indexed->runs.data;
    size_t i = first;
    for (; i < indexed->runs.len && r[i].station == r[first].station; i++) {
        bool fresh = i == first || r[i].vrf != r[i - 1].vrf || r[i].near_reg != r[i - 1].near_reg;
        if (fresh && held == buffer)
            break;
        held += fresh;
    }
    return i;
}

/* So many more in a row at one station. */
static void charge_part(const struct indexed *indexed, struct register_transfers transfers,
                        struct register_transfers *in_a_row, struct move_charge *charge) {
    struct register_transfers most = {charge->in_a_row, charge->index_in_a_row};
    charge->registers += transfers.data;
    charge->index_registers += transfers.indices;
    in_a_row->data += transfers.data;
    in_a_row->indices += transfers.indices;
    if (more_than(indexed, *in_a_row, most)) {
        charge->in_a_row = in_a_row->data;
        charge->index_in_a_row = in_a_row->indices;
    }
}

/* The charge of an MPU, made when first asked for; MPUs ascend. */
static struct move_charge *charge_of(struct move_charge *charges, size_t *count, uint32_t mpu) {
    if (*count == 0 || charges[*count - 1].mpu != mpu)
        charges[(*count)++] = (struct move_charge){.mpu = mpu};
    return &charges[*count - 1];
}

/* False after a problem. */
static bool resolve(struct indexed *indexed, struct arena *arena, struct move_work *out) {
    struct move_charge *charges = ARENA_ARRAY(arena, indexed->k.p->mpus, struct move_charge);
    struct register_transfers in_a_row = {0};
    const struct near_run *r = indexed->runs.data;
    out->charges = charges;
    for (size_t i = 0, end; i < indexed->runs.len; i = end) {
        end = part_end(indexed, i);
        package_register_set_clear(&indexed->part);
        for (size_t k = i; k < end; k++)
            if (!resolve_run(indexed, &r[k]))
                return false;
        if (i && r[i].station != r[i - 1].station)
            in_a_row = (struct register_transfers){0};
        charge_part(indexed, part_transfers(indexed), &in_a_row,
                    charge_of(charges, &out->charge_count, (uint32_t)(r[i].station >> 32)));
    }
    return true;
}

/* ---- the whole ---- */

static void find_mpus(const struct indexed *indexed, struct arena *arena, struct move_work *out) {
    const struct package *p = indexed->k.p;
    uint8_t *used = ARENA_ARRAY(arena, p->mpus, uint8_t);
    uint32_t *mpus = ARENA_ARRAY(arena, p->mpus, uint32_t);
    for (size_t i = 0; i < indexed->runs.len; i++)
        used[indexed->runs.data[i].station >> 32] = 1;
    for (size_t i = 0; indexed->runs.len && i < indexed->k.src.count; i++)
        used[indexed->k.src.list[i].mpu] = 1;
    for (uint32_t m = 0; m < p->mpus; m++)
        if (used[m])
            mpus[out->mpu_count++] = m;
    out->mpus = mpus;
}

static void keep_copies(const struct indexed *indexed, struct arena *arena, struct move_work *out) {
    size_t n = indexed->k.copies.len;
    struct move_copy *copies = ARENA_ARRAY(arena, n, struct move_copy);
    if (n)
        memcpy(copies, indexed->k.copies.data, n * sizeof *copies);
    out->copies = copies;
    out->copy_count = n;
}

bool package_move_indexed(const struct package *package, const struct object *program,
                          uint32_t move, const uint64_t *laps, const struct target *target,
                          const struct move_indices *indices, struct arena *arena,
                          struct move_work *out, const char **problem) {
    const struct move near = object_move_from_near(&program->moves.data[move]);
    struct indexed s = {.k = {.p = package, .m = &near, .t = target, .add = add_run},
                        .indices = indices};
    struct move_plan plan;
    *out = (struct move_work){.maps_lanes = true};
    *problem = "its elements are not all there at once";
    if (package->slices ||
        !package_move_find_plan(package, program, move, laps, arena, &plan, problem))
        return false;
    out->piece_count = plan.piece_count;
    s.c = package_move_indexed_coordinate(program, package->sizes, move);
    s.k.dst = package_move_placed(package, near.dst_group);
    if (near.src_group != NO_INDEX)
        s.k.src = package_move_placed(package, near.src_group);
    bool ok = package_move_walk(&s.k, &plan);
    sort_runs(&s);
    ok = ok && resolve(&s, arena, out);
    copy_arrivals(&s);
    keep_copies(&s, arena, out);
    package_move_list_crossings(&s.k, out->copies, out->copy_count, arena, out);
    find_mpus(&s, arena, out);
    *problem = s.k.problem;
    vec_free(&s.runs);
    vec_free(&s.arrivals);
    vec_free(&s.k.copies);
    package_register_set_free(&s.part);
    free(s.values);
    return ok;
}
