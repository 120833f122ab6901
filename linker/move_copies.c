/* SPDX-License-Identifier: MIT
 * The pieces of a move as copies between lanes, for the places that a package gives the groups. */
#include "linker/move_copies.h"

#include <stdlib.h>
#include <string.h>

uint32_t package_move_vrf(const struct package *p, const struct placement *x) {
    return x->mpu * p->vrf_per_rfh * p->rfh_per_mpu + x->vrf * p->rfh_per_mpu + x->rfh;
}

struct placed package_move_placed(const struct package *p, uint32_t group) {
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
const struct placement *package_move_element(const struct placed *g, uint64_t e) {
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

uint64_t package_move_room(uint64_t lane, uint32_t count, int64_t step, uint64_t most) {
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

bool package_move_append(struct move_copy *a, const struct move_copy *b) {
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
    if (k->copies.len && package_move_append(&vec_last(&k->copies), x))
        return true;
    k->full = k->copies.len == k->most;
    if (k->full)
        return false;
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

/* As many steps as stay in one register of one VRF on both sides; 0 after a problem. */
static uint64_t add_some(struct maker *k, const struct move_piece *x,
                         const struct step_position *at, const struct move_axis *step,
                         uint64_t most) {
    const struct placed *src = k->m->src_group == NO_INDEX ? &k->dst : &k->src;
    const struct placement *d = NULL, *s = NULL;
    struct move_copy c = {
        .dst_reg = (uint8_t)at->dst_reg, .src_reg = (uint8_t)at->src_reg, .fill = x->fill};
    uint64_t n = step->dst_reg || step->src_reg ? 1 : most;
    bool nowhere = k->m->dst_group == NO_INDEX;
    if (!nowhere)
        d = package_move_element(&k->dst, at->dst);
    if (!x->fill && src->count)
        s = package_move_element(src, at->src);
    if ((!nowhere && !d) || (!x->fill && src->count && !s)) {
        k->problem = "the package has no place for an element of it";
        return 0;
    }
    if (d) {
        c.dst_vrf = package_move_vrf(k->p, d);
        c.dst_lane = (uint32_t)(at->dst - d->first);
        n = package_move_room(c.dst_lane, d->count, step->dst, n);
    }
    if (s) {
        c.src_vrf = package_move_vrf(k->p, s);
        c.src_lane = (uint32_t)(at->src - s->first);
        n = package_move_room(c.src_lane, s->count, step->src, n);
    }
    if (nowhere)
        return add_everywhere(k, &c, !s && !x->fill);
    c.count = (uint32_t)n;
    c.dst_step = n > 1 ? (int32_t)step->dst : 1;
    c.src_step = x->fill ? 0 : n > 1 ? (int32_t)step->src : 1;
    return add_copy(k, &c) ? n : 0;
}

static struct step_position advance(struct step_position at, const struct move_axis *step,
                                    uint64_t n) {
    at.dst += n * (uint64_t)step->dst;
    at.src += n * (uint64_t)step->src;
    at.dst_reg += (uint32_t)n * (uint32_t)step->dst_reg;
    at.src_reg += (uint32_t)n * (uint32_t)step->src_reg;
    return at;
}

static bool add_axes(struct maker *k, const struct move_piece *x, uint32_t axis,
                     struct step_position at) {
    static const struct move_axis once = {.count = 1};
    const struct move_axis *step = x->axes ? &x->axis[axis] : &once;
    if (axis + 1 < x->axes) {
        for (uint64_t i = 0; i < step->count; i++)
            if (!add_axes(k, x, axis + 1, advance(at, step, i)))
                return false;
        return true;
    }
    for (uint64_t left = step->count, n; left; left -= n) {
        n = k->add(k, x, &at, step, left);
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

/* Groups that are like one another share VRFs; the lanes of a VRF are those of all of them. */
static size_t join_vrfs(struct lanes_of_vrf *all, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept && all[i].vrf == all[kept - 1].vrf)
            all[kept - 1].named |= all[i].named;
        else
            all[kept++] = all[i];
    return kept;
}

static void find_everywhere(struct maker *k, struct arena *arena) {
    const struct package *p = k->p;
    struct lanes_of_vrf *all = ARENA_ARRAY(arena, p->placement_count, struct lanes_of_vrf);
    for (size_t i = 0; i < p->placement_count; i++)
        all[i] =
            (struct lanes_of_vrf){package_move_vrf(p, &p->placements[i]), p->placements[i].count,
                                  object_scope_has(&k->m->scope, p->placements[i].group)};
    if (p->placement_count)
        qsort(all, p->placement_count, sizeof *all, by_vrf);
    for (size_t i = 0, n = join_vrfs(all, p->placement_count); i < n; i++)
        if (all[i].named)
            all[k->everywhere_count++] = all[i];
    k->everywhere = all;
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

bool package_move_add_piece(struct maker *k, const struct move_piece *x) {
    const struct move_piece y = with_long_runs(k, x);
    return add_axes(k, &y, 0, (struct step_position){y.dst, y.src, y.dst_reg, y.src_reg});
}

bool package_move_walk(struct maker *k, const struct move_plan *plan) {
    bool ok = true;
    for (size_t i = 0; i < plan->piece_count && ok; i++)
        ok = package_move_add_piece(k, &plan->pieces[i]);
    return ok;
}

/* ---- what all copies come to ---- */

/* Crossings while they are found: the first `joined` are ascending. */
struct crossings {
    VEC(struct move_crossing) list;
    size_t joined;
};
#define MOST_UNJOINED ((size_t)1 << 16)

static int by_ends(const void *x, const void *y) {
    const struct move_crossing *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Elements from one MPU to another are added up; the list is ascending then. */
static void join_crossings(struct crossings *all) {
    size_t kept = 0;
    if (all->list.len)
        qsort(all->list.data, all->list.len, sizeof *all->list.data, by_ends);
    for (size_t i = 0; i < all->list.len; i++)
        if (kept && by_ends(&all->list.data[kept - 1], &all->list.data[i]) == 0)
            all->list.data[kept - 1].elements += all->list.data[i].elements;
        else
            all->list.data[kept++] = all->list.data[i];
    all->list.len = kept;
    all->joined = kept;
}

static void add_crossing(struct crossings *all, const struct move_crossing *x) {
    if (all->list.len && by_ends(&vec_last(&all->list), x) == 0)
        vec_last(&all->list).elements += x->elements;
    else
        vec_push(&all->list, *x);
    if (all->list.len > 2 * all->joined + MOST_UNJOINED)
        join_crossings(all);
}

/* Of a constant: from where it goes to. */
static struct move_crossing crossing_of(const struct maker *k, const struct move_copy *c) {
    uint32_t per = k->p->vrf_per_rfh * k->p->rfh_per_mpu, to = c->dst_vrf / per;
    return (struct move_crossing){c->fill ? to : c->src_vrf / per, to, c->count};
}

static void list_crossings(struct crossings *all, struct arena *arena, struct move_work *out) {
    join_crossings(all);
    struct move_crossing *list = ARENA_ARRAY(arena, all->list.len, struct move_crossing);
    if (all->list.len)
        memcpy(list, all->list.data, all->list.len * sizeof *list);
    out->crossings = list;
    out->crossing_count = all->list.len;
    vec_free(&all->list);
}

struct summary {
    const struct maker *k;
    uint8_t *used; /* [package.mpus]: gives or gets something */
    struct charger *charger;
    struct crossings crossings;
    struct move_work *out;
};

void package_move_list_crossings(const struct maker *k, const struct move_copy *copies,
                                 size_t count, struct arena *arena, struct move_work *out) {
    struct crossings all = {0};
    for (size_t i = 0; i < count; i++) {
        struct move_crossing x = crossing_of(k, &copies[i]);
        if (x.from != x.to)
            add_crossing(&all, &x);
    }
    list_crossings(&all, arena, out);
}

static void add_up(struct summary *s, const struct move_copy *copies, const struct copy_key *keys,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct move_copy *c = &copies[i];
        struct move_crossing x = crossing_of(s->k, c);
        s->used[x.from] = s->used[x.to] = 1;
        s->out->maps_lanes |=
            c->fill || c->dst_lane != c->src_lane || c->dst_step != c->src_step || x.from != x.to;
        if (x.from != x.to)
            add_crossing(&s->crossings, &x);
    }
    package_move_charger_add(s->charger, keys, count);
}

static void list_mpus(const struct summary *s, struct arena *arena) {
    uint32_t *mpus = ARENA_ARRAY(arena, s->k->p->mpus, uint32_t);
    for (uint32_t m = 0; m < s->k->p->mpus; m++)
        if (s->used[m])
            mpus[s->out->mpu_count++] = m;
    s->out->mpus = mpus;
}

/* Copies that were made are kept, in their order. */
static void add_kept(struct summary *s, struct arena *arena) {
    size_t n = s->k->copies.len;
    struct copy_key *keys = xcalloc(n + 1, sizeof *keys);
    struct move_copy *sorted = ARENA_ARRAY(arena, n, struct move_copy);
    package_move_copies_sort(s->k, s->k->copies.data, n, keys, sorted);
    add_up(s, sorted, keys, n);
    s->out->copies = sorted;
    s->out->copy_count = n;
    free(keys);
}

/* Too many to be kept. */
static void add_walk(struct summary *s, const struct move_plan *plan, struct arena *arena) {
    struct move_part part = {0};
    s->out->walk = package_move_walk_new(s->k, plan, arena);
    while (package_move_next_part(s->out, &part)) {
        add_up(s, part.copies, part.keys, part.count);
        s->out->copy_count += part.count;
    }
}

static void sum_up(const struct maker *k, const struct move_plan *plan, struct arena *arena,
                   struct move_work *out) {
    struct summary s = {.k = k, .charger = package_move_charger_new(k, arena), .out = out};
    s.used = xcalloc((size_t)k->p->mpus + 1, 1);
    if (k->full)
        add_walk(&s, plan, arena);
    else
        add_kept(&s, arena);
    package_move_charger_end(s.charger, out);
    list_mpus(&s, arena);
    list_crossings(&s.crossings, arena, out);
    free(s.used);
}

bool package_move_find_plan(const struct package *p, const struct object *program, uint32_t move,
                            const uint64_t *laps, struct arena *arena, struct move_plan *plan,
                            const char **problem) {
    static const uint64_t first[MOVE_MAX_LAPS];
    struct str text = {0};
    *plan = p->plans[move];
    if (!program->moves.data[move].laps)
        return true;
    bool ok = package_move_plan(program, p->sizes, move, laps ? laps : first, arena, plan, &text);
    if (!ok)
        *problem = arena_printf(arena, "its %s", str_text(&text));
    str_free(&text);
    return ok;
}

bool package_move_work(const struct package *p, const struct object *program, uint32_t move,
                       const uint64_t *laps, const struct target *t, struct arena *arena,
                       struct move_work *out, const char **problem) {
    static const struct move_limits usual = {MOVE_KEPT, MOVE_PART};
    return package_move_work_within(p, program, move, laps, t, &usual, arena, out, problem);
}

bool package_move_work_within(const struct package *p, const struct object *program, uint32_t move,
                              const uint64_t *laps, const struct target *t,
                              const struct move_limits *limits, struct arena *arena,
                              struct move_work *out, const char **problem) {
    const struct move *m = &program->moves.data[move];
    struct maker k = {
        .p = p, .m = m, .t = t, .limits = *limits, .most = limits->kept, .add = add_some};
    struct move_plan plan;
    if (m->index.kind)
        return package_move_indexed(p, program, move, laps, t, NULL, arena, out, problem);
    *out = (struct move_work){0};
    *problem = "its elements are not all there at once";
    if (p->slices || !package_move_find_plan(p, program, move, laps, arena, &plan, problem))
        return false;
    if (m->dst_group == NO_INDEX)
        find_everywhere(&k, arena);
    else
        k.dst = package_move_placed(p, m->dst_group);
    if (m->src_group != NO_INDEX)
        k.src = package_move_placed(p, m->src_group);
    out->piece_count = plan.piece_count;
    bool ok = package_move_walk(&k, &plan) || k.full;
    if (ok)
        sum_up(&k, &plan, arena, out);
    *problem = k.problem;
    vec_free(&k.copies);
    return ok;
}
