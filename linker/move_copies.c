/* SPDX-License-Identifier: MIT
 * The pieces of a move as copies between lanes, for the places that a package gives the groups. */
#include "linker/pack.h"
#include "machines/dtc/dtc.h"

#include <stdlib.h>
#include <string.h>

/* Lanes 0 .. count - 1 of a VRF. */
struct lanes_of_vrf {
    uint32_t vrf, count;
};

/* The placements of one group. */
struct placed {
    const struct placement *list; /* [count], ascending by first element */
    size_t count;
};

struct maker {
    const struct package *p;
    const struct target *t;
    const struct move *m;
    struct placed dst, src;
    struct lanes_of_vrf *everywhere; /* [everywhere_count]: all VRFs of all groups, ascending */
    size_t everywhere_count;
    VEC(struct move_copy) copies;
    const char *problem;
};

static uint32_t vrf_of(const struct package *p, const struct placement *x) {
    return x->mpu * p->vrf_per_rfh * p->rfh_per_mpu + x->vrf * p->rfh_per_mpu + x->rfh;
}

static struct placed placed_group(const struct package *p, uint32_t group) {
    size_t low = 0, high = p->placement_count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->placements[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < p->placement_count && p->placements[end].group == group;)
        end++;
    return (struct placed){&p->placements[low], end - low};
}

/* The placement of an element.  All VRFs of a group but its last hold equally many, as a rule. */
static const struct placement *find_element(const struct placed *g, uint64_t e) {
    size_t low = 0, high = g->count;
    uint64_t guess = g->count ? e / g->list[0].count : 0;
    if (guess < g->count && e - g->list[guess].first < g->list[guess].count)
        return &g->list[guess];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->list[middle].first + g->list[middle].count <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && g->list[low].first <= e ? &g->list[low] : NULL;
}

/* Steps, the first included, that stay in lanes 0 .. count - 1. */
static uint64_t room(uint64_t lane, uint32_t count, int64_t step, uint64_t most) {
    uint64_t n = most;
    if (step > 0)
        n = (count - 1 - lane) / (uint64_t)step + 1;
    else if (step < 0)
        n = lane / (uint64_t)-step + 1;
    return n < most ? n : most;
}

static bool same_registers(const struct move_copy *a, const struct move_copy *b) {
    return a->dst_vrf == b->dst_vrf && a->src_vrf == b->src_vrf && a->dst_reg == b->dst_reg &&
           a->src_reg == b->src_reg && a->fill == b->fill;
}

/* The step from the last lane of a to the first of b, if all steps of both are the same. */
static bool goes_on(uint32_t a, uint32_t a_count, int32_t a_step, uint32_t b, uint32_t b_count,
                    int32_t b_step, int32_t *step) {
    int64_t last = (int64_t)a + (int64_t)(a_count - 1) * a_step, gap = (int64_t)b - last;
    *step = (int32_t)gap;
    return (a_count == 1 || a_step == gap) && (b_count == 1 || b_step == gap);
}

static bool append_to(struct move_copy *a, const struct move_copy *b) {
    int32_t dst, src;
    if (!same_registers(a, b) ||
        !goes_on(a->dst_lane, a->count, a->dst_step, b->dst_lane, b->count, b->dst_step, &dst) ||
        !goes_on(a->src_lane, a->count, a->src_step, b->src_lane, b->count, b->src_step, &src))
        return false;
    a->dst_step = dst;
    a->src_step = src;
    a->count += b->count;
    return true;
}

static bool add_copy(struct maker *k, const struct move_copy *x) {
    if (k->copies.len && append_to(&vec_last(&k->copies), x))
        return true;
    if (k->copies.len == MOVE_MAX_COPIES) {
        k->problem = "it comes to more than 2^22 copies between registers";
        return false;
    }
    vec_push(&k->copies, *x);
    return true;
}

/* The same element to every lane of every VRF, or every lane's own. */
static bool add_everywhere(struct maker *k, const struct move_copy *from, bool own) {
    for (size_t i = 0; i < k->everywhere_count; i++) {
        struct move_copy x = *from;
        x.dst_vrf = k->everywhere[i].vrf;
        x.count = k->everywhere[i].count;
        x.dst_step = 1;
        if (own)
            x.src_vrf = x.dst_vrf;
        x.src_step = own;
        if (!add_copy(k, &x))
            return false;
    }
    return true;
}

/* Where a run of steps stands. */
struct at {
    uint64_t dst, src;
    uint32_t dst_reg, src_reg;
};

/* As many steps as stay in one register of one VRF on both sides; 0 after a problem. */
static uint64_t add_some(struct maker *k, const struct move_piece *x, const struct at *at,
                         const struct move_axis *step, uint64_t most) {
    const struct placed *src = k->m->src_group == NO_INDEX ? &k->dst : &k->src;
    const struct placement *d = NULL, *s = NULL;
    struct move_copy c = {
        .dst_reg = (uint8_t)at->dst_reg, .src_reg = (uint8_t)at->src_reg, .fill = x->fill};
    uint64_t n = step->dst_reg || step->src_reg ? 1 : most;
    bool nowhere = k->m->dst_group == NO_INDEX;
    if (!nowhere)
        d = find_element(&k->dst, at->dst);
    if (!x->fill && src->count)
        s = find_element(src, at->src);
    if ((!nowhere && !d) || (!x->fill && src->count && !s)) {
        k->problem = "the package has no place for an element of it";
        return 0;
    }
    if (d) {
        c.dst_vrf = vrf_of(k->p, d);
        c.dst_lane = (uint32_t)(at->dst - d->first);
        n = room(c.dst_lane, d->count, step->dst, n);
    }
    if (s) {
        c.src_vrf = vrf_of(k->p, s);
        c.src_lane = (uint32_t)(at->src - s->first);
        n = room(c.src_lane, s->count, step->src, n);
    }
    if (nowhere)
        return add_everywhere(k, &c, !s && !x->fill);
    c.count = (uint32_t)n;
    c.dst_step = n > 1 ? (int32_t)step->dst : 1;
    c.src_step = x->fill ? 0 : n > 1 ? (int32_t)step->src : 1;
    return add_copy(k, &c) ? n : 0;
}

static struct at advance(struct at at, const struct move_axis *step, uint64_t n) {
    at.dst += n * (uint64_t)step->dst;
    at.src += n * (uint64_t)step->src;
    at.dst_reg += (uint32_t)n * (uint32_t)step->dst_reg;
    at.src_reg += (uint32_t)n * (uint32_t)step->src_reg;
    return at;
}

static bool add_axes(struct maker *k, const struct move_piece *x, uint32_t axis, struct at at) {
    static const struct move_axis once = {.count = 1};
    const struct move_axis *step = x->axes ? &x->axis[axis] : &once;
    if (axis + 1 < x->axes) {
        for (uint64_t i = 0; i < step->count; i++)
            if (!add_axes(k, x, axis + 1, advance(at, step, i)))
                return false;
        return true;
    }
    for (uint64_t left = step->count, n; left; left -= n) {
        n = add_some(k, x, &at, step, left);
        if (n == 0)
            return false;
        at = advance(at, step, n);
    }
    return true;
}

static int by_vrf(const void *x, const void *y) {
    const struct lanes_of_vrf *a = x, *b = y;
    if (a->vrf != b->vrf)
        return a->vrf < b->vrf ? -1 : 1;
    return (a->count < b->count) - (a->count > b->count); /* the larger first */
}

/* Groups that are like one another share VRFs. */
static void find_everywhere(struct maker *k, struct arena *arena) {
    const struct package *p = k->p;
    struct lanes_of_vrf *all = ARENA_ARRAY(arena, p->placement_count, struct lanes_of_vrf);
    for (size_t i = 0; i < p->placement_count; i++)
        all[i] = (struct lanes_of_vrf){vrf_of(p, &p->placements[i]), p->placements[i].count};
    if (p->placement_count)
        qsort(all, p->placement_count, sizeof *all, by_vrf);
    for (size_t i = 0; i < p->placement_count; i++)
        if (i == 0 || all[i].vrf != all[k->everywhere_count - 1].vrf)
            all[k->everywhere_count++] = all[i];
    k->everywhere = all;
}

/* ---- what it costs ---- */

/* MPU, and RFH where those work at the same time. */
static uint64_t station_of(const struct maker *k, uint32_t vrf) {
    uint32_t per = k->p->vrf_per_rfh * k->p->rfh_per_mpu;
    uint32_t rfh = dtc_rfhs_at_once(k->t) ? vrf % per % k->p->rfh_per_mpu : 0;
    return (uint64_t)(vrf / per) << 32 | rfh;
}

struct sort_key {
    uint64_t station, dst, src;
    uint32_t index;
};

static int by_key(const void *x, const void *y) {
    const struct sort_key *a = x, *b = y;
    if (a->station != b->station)
        return a->station < b->station ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static struct sort_key key_of(const struct maker *k, const struct move_copy *c, uint32_t index) {
    return (struct sort_key){station_of(k, c->dst_vrf), (uint64_t)c->dst_vrf << 8 | c->dst_reg,
                             c->fill ? UINT64_MAX : (uint64_t)c->src_vrf << 8 | c->src_reg, index};
}

/* The copies in order, and the keys that they are in order of; the caller frees those. */
static struct sort_key *sort_copies(const struct maker *k, struct arena *arena,
                                    struct move_work *out) {
    size_t n = k->copies.len;
    struct sort_key *keys = xcalloc(n + 1, sizeof *keys);
    struct move_copy *sorted = ARENA_ARRAY(arena, n, struct move_copy);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(k, &k->copies.data[i], (uint32_t)i);
    for (size_t i = 0; i + 1 < n; i++)
        if (by_key(&keys[i], &keys[i + 1]) > 0) { /* they mostly are in order */
            qsort(keys, n, sizeof *keys, by_key);
            break;
        }
    for (size_t i = 0; i < n; i++)
        sorted[i] = k->copies.data[keys[i].index];
    out->copies = sorted;
    out->copy_count = n;
    return keys;
}

static int by_number(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Registers read for the copies of keys[first .. end), which fill one buffer. */
static uint64_t count_sources(const struct sort_key *keys, size_t first, size_t end,
                              uint64_t *list) {
    uint64_t distinct = 0;
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (keys[i].src != UINT64_MAX)
            list[n++] = keys[i].src;
    if (n)
        qsort(list, n, sizeof *list, by_number);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || list[i] != list[i - 1];
    return distinct;
}

/* The end of a buffer's worth: at most so many destination registers of one station. */
static size_t buffer_end(const struct sort_key *keys, size_t n, size_t first, uint32_t buffer,
                         uint64_t *registers) {
    size_t i = first;
    *registers = 0;
    for (; i < n && keys[i].station == keys[first].station; i++) {
        bool fresh = i == first || keys[i].dst != keys[i - 1].dst;
        if (fresh && *registers == buffer)
            break;
        *registers += fresh;
    }
    return i;
}

/* The charge of an MPU, made when first asked for; MPUs ascend. */
static struct move_charge *charge_of(struct move_charge *charges, size_t *count, uint32_t mpu) {
    if (*count == 0 || charges[*count - 1].mpu != mpu)
        charges[(*count)++] = (struct move_charge){.mpu = mpu};
    return &charges[*count - 1];
}

static void charge(const struct maker *k, const struct sort_key *keys, struct arena *arena,
                   struct move_work *out) {
    uint32_t buffer = k->t->buffer_registers ? k->t->buffer_registers : 1;
    size_t n = k->copies.len, end;
    uint64_t *sources = xcalloc(n + 1, sizeof *sources), in_a_row = 0;
    struct move_charge *charges = ARENA_ARRAY(arena, k->p->mpus, struct move_charge);
    for (size_t i = 0; i < n; i = end) {
        uint64_t written, read;
        struct move_charge *x =
            charge_of(charges, &out->charge_count, (uint32_t)(keys[i].station >> 32));
        end = buffer_end(keys, n, i, buffer, &written);
        read = count_sources(keys, i, end, sources);
        in_a_row = i && keys[i].station == keys[i - 1].station ? in_a_row : 0;
        in_a_row += read > written ? read : written;
        x->registers += read > written ? read : written;
        x->in_a_row = in_a_row > x->in_a_row ? in_a_row : x->in_a_row;
    }
    out->charges = charges;
    free(sources);
}

static void find_mpus(const struct maker *k, struct arena *arena, struct move_work *out) {
    uint32_t per = k->p->vrf_per_rfh * k->p->rfh_per_mpu;
    uint8_t *used = ARENA_ARRAY(arena, k->p->mpus, uint8_t);
    uint32_t *mpus = ARENA_ARRAY(arena, k->p->mpus, uint32_t);
    for (size_t i = 0; i < out->copy_count; i++) {
        const struct move_copy *c = &out->copies[i];
        used[c->dst_vrf / per] = 1;
        if (!c->fill)
            used[c->src_vrf / per] = 1;
        out->maps_lanes |= c->fill || c->dst_lane != c->src_lane || c->dst_step != c->src_step ||
                           c->dst_vrf / per != c->src_vrf / per;
    }
    for (uint32_t m = 0; m < k->p->mpus; m++)
        if (used[m])
            mpus[out->mpu_count++] = m;
    out->mpus = mpus;
}

/* Steps that stay in one VRF of a group, about. */
static uint64_t run_in(const struct maker *k, uint32_t group, int64_t step, uint64_t most) {
    uint64_t lanes = group == NO_INDEX ? k->p->lanes : k->p->group_lanes[group];
    uint64_t by = (uint64_t)(step < 0 ? -step : step), run = by ? lanes / by : most;
    return run < 1 ? 1 : run < most ? run : most;
}

/* Steps of an axis that stay in one register of one VRF on both sides, about. */
static uint64_t run_of(const struct maker *k, const struct move_axis *a) {
    uint32_t dst = k->m->dst_group, src = k->m->src_group == NO_INDEX ? dst : k->m->src_group;
    if (a->dst_reg || a->src_reg)
        return 1;
    return run_in(k, src, a->src, run_in(k, dst, a->dst, a->count));
}

/* The piece with the axis innermost that gives the fewest copies: the one with the longest runs. */
static struct move_piece with_long_runs(const struct maker *k, const struct move_piece *x) {
    struct move_piece y = *x;
    uint32_t best = x->axes ? x->axes - 1 : 0;
    for (uint32_t i = 0; i < x->axes; i++)
        if (run_of(k, &x->axis[i]) > run_of(k, &x->axis[best]))
            best = i;
    for (uint32_t i = best; i + 1 < x->axes; i++)
        y.axis[i] = x->axis[i + 1];
    if (x->axes)
        y.axis[x->axes - 1] = x->axis[best];
    return y;
}

static bool make_copies(struct maker *k, const struct move_plan *plan) {
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct move_piece x = with_long_runs(k, &plan->pieces[i]);
        struct at at = {x.dst, x.src, x.dst_reg, x.src_reg};
        if (!add_axes(k, &x, 0, at))
            return false;
    }
    return true;
}

/* The plan of the package, or that of a lap.  False with *problem set. */
static bool find_plan(const struct package *p, const struct object *program, uint32_t move,
                      const uint64_t *laps, struct arena *arena, struct move_plan *plan,
                      const char **problem) {
    static const uint64_t first[MOVE_MAX_LAPS];
    struct str text = {0};
    *plan = p->plans[move];
    if (!program->moves.data[move].laps)
        return true;
    bool ok = plan_move(program, p->sizes, move, laps ? laps : first, arena, plan, &text);
    if (!ok)
        *problem = arena_printf(arena, "its %s", str_text(&text));
    str_free(&text);
    return ok;
}

bool package_move_work(const struct package *p, const struct object *program, uint32_t move,
                       const uint64_t *laps, const struct target *t, struct arena *arena,
                       struct move_work *out, const char **problem) {
    const struct move *m = &program->moves.data[move];
    struct maker k = {.p = p, .m = m, .t = t};
    struct move_plan plan;
    *out = (struct move_work){0};
    *problem = "its elements are not all there at once";
    if (p->slices || !find_plan(p, program, move, laps, arena, &plan, problem))
        return false;
    if (m->dst_group == NO_INDEX)
        find_everywhere(&k, arena);
    else
        k.dst = placed_group(p, m->dst_group);
    if (m->src_group != NO_INDEX)
        k.src = placed_group(p, m->src_group);
    out->piece_count = plan.piece_count;
    bool ok = make_copies(&k, &plan);
    if (ok) {
        struct sort_key *keys = sort_copies(&k, arena, out);
        charge(&k, keys, arena, out);
        free(keys);
        find_mpus(&k, arena, out);
    }
    *problem = k.problem;
    vec_free(&k.copies);
    return ok;
}
