/* SPDX-License-Identifier: MIT
 * The pieces of a move as copies between lanes, for the places that a package gives the groups. */
#include "linker/moves/copies.h"

#include <stdlib.h>
#include <string.h>

uint32_t package_move_vrf(const struct package *package, const struct placement *placement) {
    return placement->mpu * package->vrf_per_rfh * package->rfh_per_mpu +
           placement->vrf * package->rfh_per_mpu + placement->rfh;
}

struct placed package_move_placed(const struct package *package, uint32_t group) {
    size_t low = 0, high = package->placement_count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (package->placements[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < package->placement_count && package->placements[end].group == group;)
        end++;
    return (struct placed){&package->placements[low], end - low};
}

/* The placement of an element.  All VRFs of a group but its last hold equally many, as a rule. */
const struct placement *package_move_element(const struct placed *placed, uint64_t e) {
    size_t low = 0, high = placed->count;
    uint64_t guess = placed->count ? e / placed->list[0].count : 0;
    if (guess < placed->count && e - placed->list[guess].first < placed->list[guess].count)
        return &placed->list[guess];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (placed->list[middle].first + placed->list[middle].count <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low < placed->count && placed->list[low].first <= e ? &placed->list[low] : NULL;
}

uint64_t package_move_room(uint64_t lane, uint32_t count, int64_t step, uint64_t most) {
    uint64_t n = most;
    if (step > 0)
        n = (count - 1 - lane) / (uint64_t)step + 1;
    else if (step < 0)
        n = lane / (uint64_t)-step + 1;
    return n < most ? n : most;
}

static bool same_registers(const struct move_copy *left, const struct move_copy *right) {
    return left->dst_vrf == right->dst_vrf && left->src_vrf == right->src_vrf &&
           left->dst_reg == right->dst_reg && left->src_reg == right->src_reg &&
           left->fill == right->fill;
}

/* The step from the last lane of left to the first of right, if all steps of both are the same. */
static bool goes_on(uint32_t left, uint32_t a_count, int32_t a_step, uint32_t right,
                    uint32_t b_count, int32_t b_step, int32_t *step) {
    int64_t last = (int64_t)left + (int64_t)(a_count - 1) * a_step, gap = (int64_t)right - last;
    *step = (int32_t)gap;
    return (a_count == 1 || a_step == gap) && (b_count == 1 || b_step == gap);
}

bool package_move_append(struct move_copy *left, const struct move_copy *right) {
    int32_t dst, src;
    if (!same_registers(left, right) ||
        !goes_on(left->dst_lane, left->count, left->dst_step, right->dst_lane, right->count,
                 right->dst_step, &dst) ||
        !goes_on(left->src_lane, left->count, left->src_step, right->src_lane, right->count,
                 right->src_step, &src))
        return false;
    left->dst_step = dst;
    left->src_step = src;
    left->count += right->count;
    return true;
}

static bool add_copy(struct maker *maker, const struct move_copy *copy) {
    if (maker->copies.len && package_move_append(&vec_last(&maker->copies), copy))
        return true;
    maker->full = maker->copies.len == maker->most;
    if (maker->full)
        return false;
    vec_push(&maker->copies, *copy);
    return true;
}

/* The same element to every lane of every VRF, or every lane's own. */
static bool add_everywhere(struct maker *maker, const struct move_copy *from, bool own) {
    for (size_t i = 0; i < maker->everywhere_count; i++) {
        struct move_copy x = *from;
        x.dst_vrf = maker->everywhere[i].vrf;
        x.count = maker->everywhere[i].count;
        x.dst_step = 1;
        if (own)
            x.src_vrf = x.dst_vrf;
        x.src_step = own;
        if (!add_copy(maker, &x))
            return false;
    }
    return true;
}

/* As many steps as stay in one register of one VRF on both sides; 0 after a problem. */
static uint64_t add_some(struct maker *maker, const struct move_piece *piece,
                         const struct step_position *at, const struct move_axis *step,
                         uint64_t most) {
    const struct placed *src = maker->m->src_group == NO_INDEX ? &maker->dst : &maker->src;
    const struct placement *d = NULL, *s = NULL;
    struct move_copy c = {
        .dst_reg = (uint8_t)at->dst_reg, .src_reg = (uint8_t)at->src_reg, .fill = piece->fill};
    uint64_t n = step->dst_reg || step->src_reg ? 1 : most;
    bool nowhere = maker->m->dst_group == NO_INDEX;
    if (!nowhere)
        d = package_move_element(&maker->dst, at->dst);
    if (!piece->fill && src->count)
        s = package_move_element(src, at->src);
    if ((!nowhere && !d) || (!piece->fill && src->count && !s)) {
        maker->problem = "the package has no place for an element of it";
        return 0;
    }
    if (d) {
        c.dst_vrf = package_move_vrf(maker->p, d);
        c.dst_lane = (uint32_t)(at->dst - d->first);
        n = package_move_room(c.dst_lane, d->count, step->dst, n);
    }
    if (s) {
        c.src_vrf = package_move_vrf(maker->p, s);
        c.src_lane = (uint32_t)(at->src - s->first);
        n = package_move_room(c.src_lane, s->count, step->src, n);
    }
    if (nowhere)
        return add_everywhere(maker, &c, !s && !piece->fill);
    c.count = (uint32_t)n;
    c.dst_step = n > 1 ? (int32_t)step->dst : 1;
    c.src_step = piece->fill ? 0 : n > 1 ? (int32_t)step->src : 1;
    return add_copy(maker, &c) ? n : 0;
}

static struct step_position advance(struct step_position at, const struct move_axis *step,
                                    uint64_t n) {
    at.dst += n * (uint64_t)step->dst;
    at.src += n * (uint64_t)step->src;
    at.dst_reg += (uint32_t)n * (uint32_t)step->dst_reg;
    at.src_reg += (uint32_t)n * (uint32_t)step->src_reg;
    return at;
}

static bool add_axes(struct maker *maker, const struct move_piece *piece, uint32_t axis,
                     struct step_position at) {
    static const struct move_axis once = {.count = 1};
    const struct move_axis *step = piece->axes ? &piece->axis[axis] : &once;
    if (axis + 1 < piece->axes) {
        for (uint64_t i = 0; i < step->count; i++)
            if (!add_axes(maker, piece, axis + 1, advance(at, step, i)))
                return false;
        return true;
    }
    for (uint64_t left = step->count, n; left; left -= n) {
        n = maker->add(maker, piece, &at, step, left);
        if (n == 0)
            return false;
        at = advance(at, step, n);
    }
    return true;
}

static int by_vrf(const void *left, const void *right) {
    const struct lanes_of_vrf *a = left, *b = right;
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

static void find_everywhere(struct maker *maker, struct arena *arena) {
    const struct package *p = maker->p;
    struct lanes_of_vrf *all = ARENA_ARRAY(arena, p->placement_count, struct lanes_of_vrf);
    for (size_t i = 0; i < p->placement_count; i++)
        all[i] =
            (struct lanes_of_vrf){package_move_vrf(p, &p->placements[i]), p->placements[i].count,
                                  object_scope_has(&maker->m->scope, p->placements[i].group)};
    if (p->placement_count)
        qsort(all, p->placement_count, sizeof *all, by_vrf);
    for (size_t i = 0, n = join_vrfs(all, p->placement_count); i < n; i++)
        if (all[i].named)
            all[maker->everywhere_count++] = all[i];
    maker->everywhere = all;
}

/* Steps that stay in one VRF of a group, about. */
static uint64_t run_in(const struct maker *maker, uint32_t group, int64_t step, uint64_t most) {
    uint64_t lanes = group == NO_INDEX ? maker->p->lanes : maker->p->group_lanes[group];
    uint64_t by = (uint64_t)(step < 0 ? -step : step), run = by ? lanes / by : most;
    return run < 1 ? 1 : run < most ? run : most;
}

/* Steps of an axis that stay in one register of one VRF on both sides, about. */
static uint64_t run_of(const struct maker *maker, const struct move_axis *axis) {
    uint32_t dst = maker->m->dst_group,
             src = maker->m->src_group == NO_INDEX ? dst : maker->m->src_group;
    if (axis->dst_reg || axis->src_reg)
        return 1;
    return run_in(maker, src, axis->src, run_in(maker, dst, axis->dst, axis->count));
}

/* The piece with the axis innermost that gives the fewest copies: the one with the longest runs. */
static struct move_piece with_long_runs(const struct maker *maker, const struct move_piece *piece) {
    struct move_piece y = *piece;
    uint32_t best = piece->axes ? piece->axes - 1 : 0;
    for (uint32_t i = 0; i < piece->axes; i++)
        if (run_of(maker, &piece->axis[i]) > run_of(maker, &piece->axis[best]))
            best = i;
    for (uint32_t i = best; i + 1 < piece->axes; i++)
        y.axis[i] = piece->axis[i + 1];
    if (piece->axes)
        y.axis[piece->axes - 1] = piece->axis[best];
    return y;
}

bool package_move_add_piece(struct maker *maker, const struct move_piece *piece) {
    const struct move_piece y = with_long_runs(maker, piece);
    return add_axes(maker, &y, 0, (struct step_position){y.dst, y.src, y.dst_reg, y.src_reg});
}

bool package_move_walk(struct maker *maker, const struct move_plan *plan) {
    bool ok = true;
    for (size_t i = 0; i < plan->piece_count && ok; i++)
        ok = package_move_add_piece(maker, &plan->pieces[i]);
    return ok;
}

/* ---- what all copies come to ---- */

/* Crossings while they are found: the first `joined` are ascending. */
struct crossings {
    VEC(struct move_crossing) list;
    size_t joined;
};
#define MOST_UNJOINED ((size_t)1 << 16)

static int by_ends(const void *left, const void *right) {
    const struct move_crossing *a = left, *b = right;
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

static void add_crossing(struct crossings *all, const struct move_crossing *crossing) {
    if (all->list.len && by_ends(&vec_last(&all->list), crossing) == 0)
        vec_last(&all->list).elements += crossing->elements;
    else
        vec_push(&all->list, *crossing);
    if (all->list.len > 2 * all->joined + MOST_UNJOINED)
        join_crossings(all);
}

/* Of a constant: from where it goes to. */
static struct move_crossing crossing_of(const struct maker *maker, const struct move_copy *copy) {
    uint32_t per = maker->p->vrf_per_rfh * maker->p->rfh_per_mpu, to = copy->dst_vrf / per;
    return (struct move_crossing){copy->fill ? to : copy->src_vrf / per, to, copy->count};
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

void package_move_list_crossings(const struct maker *maker, const struct move_copy *copies,
                                 size_t count, struct arena *arena, struct move_work *out) {
    struct crossings all = {0};
    for (size_t i = 0; i < count; i++) {
        struct move_crossing x = crossing_of(maker, &copies[i]);
        if (x.from != x.to)
            add_crossing(&all, &x);
    }
    list_crossings(&all, arena, out);
}

static void add_up(struct summary *summary, const struct move_copy *copies,
                   const struct copy_key *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct move_copy *c = &copies[i];
        struct move_crossing x = crossing_of(summary->k, c);
        summary->used[x.from] = summary->used[x.to] = 1;
        summary->out->maps_lanes |=
            c->fill || c->dst_lane != c->src_lane || c->dst_step != c->src_step || x.from != x.to;
        if (x.from != x.to)
            add_crossing(&summary->crossings, &x);
    }
    package_move_charger_add(summary->charger, keys, count);
}

static void list_mpus(const struct summary *summary, struct arena *arena) {
    uint32_t *mpus = ARENA_ARRAY(arena, summary->k->p->mpus, uint32_t);
    for (uint32_t m = 0; m < summary->k->p->mpus; m++)
        if (summary->used[m])
            mpus[summary->out->mpu_count++] = m;
    summary->out->mpus = mpus;
}

/* Copies that were made are kept, in their order. */
static void add_kept(struct summary *summary, struct arena *arena) {
    size_t n = summary->k->copies.len;
    struct copy_key *keys = xcalloc(n + 1, sizeof *keys);
    struct move_copy *sorted = ARENA_ARRAY(arena, n, struct move_copy);
    package_move_copies_sort(summary->k, summary->k->copies.data, n, keys, sorted);
    add_up(summary, sorted, keys, n);
    summary->out->copies = sorted;
    summary->out->copy_count = n;
    free(keys);
}

/* Too many to be kept. */
static void add_walk(struct summary *summary, const struct move_plan *plan, struct arena *arena) {
    struct move_part part = {0};
    summary->out->walk = package_move_walk_new(summary->k, plan, arena);
    while (package_move_next_part(summary->out, &part)) {
        add_up(summary, part.copies, part.keys, part.count);
        summary->out->copy_count += part.count;
    }
}

static void sum_up(const struct maker *maker, const struct move_plan *plan, struct arena *arena,
                   struct move_work *out) {
    struct summary s = {.k = maker, .charger = package_move_charger_new(maker, arena), .out = out};
    s.used = xcalloc((size_t)maker->p->mpus + 1, 1);
    if (maker->full)
        add_walk(&s, plan, arena);
    else
        add_kept(&s, arena);
    package_move_charger_end(s.charger, out);
    list_mpus(&s, arena);
    list_crossings(&s.crossings, arena, out);
    free(s.used);
}

bool package_move_find_plan(const struct package *package, const struct object *program,
                            uint32_t move, const uint64_t *laps, struct arena *arena,
                            struct move_plan *plan, const char **problem) {
    static const uint64_t first[MOVE_MAX_LAPS];
    struct str text = {0};
    *plan = package->plans[move];
    if (!program->moves.data[move].laps)
        return true;
    bool ok =
        package_move_plan(program, package->sizes, move, laps ? laps : first, arena, plan, &text);
    if (!ok)
        *problem = arena_printf(arena, "its %s", str_text(&text));
    str_free(&text);
    return ok;
}

bool package_move_work(const struct package *package, const struct object *program, uint32_t move,
                       const uint64_t *laps, const struct target *target, struct arena *arena,
                       struct move_work *out, const char **problem) {
    static const struct move_limits usual = {MOVE_KEPT, MOVE_PART};
    return package_move_work_within(package, program, move, laps, target, &usual, arena, out,
                                    problem);
}

bool package_move_work_within(const struct package *package, const struct object *program,
                              uint32_t move, const uint64_t *laps, const struct target *target,
                              const struct move_limits *limits, struct arena *arena,
                              struct move_work *out, const char **problem) {
    const struct move *m = &program->moves.data[move];
    struct maker k = {.p = package,
                      .m = m,
                      .t = target,
                      .limits = *limits,
                      .most = limits->kept,
                      .add = add_some};
    struct move_plan plan;
    if (m->index.kind)
        return package_move_indexed(package, program, move, laps, target, NULL, arena, out,
                                    problem);
    *out = (struct move_work){0};
    *problem = "its elements are not all there at once";
    if (package->slices ||
        !package_move_find_plan(package, program, move, laps, arena, &plan, problem))
        return false;
    if (m->dst_group == NO_INDEX)
        find_everywhere(&k, arena);
    else
        k.dst = package_move_placed(package, m->dst_group);
    if (m->src_group != NO_INDEX)
        k.src = package_move_placed(package, m->src_group);
    out->piece_count = plan.piece_count;
    bool ok = package_move_walk(&k, &plan) || k.full;
    if (ok)
        sum_up(&k, &plan, arena, out);
    *problem = k.problem;
    vec_free(&k.copies);
    return ok;
}
