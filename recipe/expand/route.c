/* SPDX-License-Identifier: MIT
 * Ways from section to section.
 *
 * Rows belong to one section, and only micro-ops that issue there use them: that keeps what a
 * section does in the order of its list.  Buffers are used from any section that a `where` lets.
 * So a way is a path over spots, which are the scratch of each section and its two buffers; a value
 * lies there as it is or inverted. */
#include "recipe/expand/route.h"

#include "recipe/timing/timing.h"

#include "support/alloc.h"
#include "support/hash_table.h"

#include <pthread.h>
#include <stdlib.h>

#define SPOTS_OF_SECTION 3
#define NO_WAY           UINT64_MAX

/* The fastest op from one spot to another, of those that copy and of those that invert. */
struct route_hop {
    uint16_t op; /* 1 + its number; 0: there is none */
    uint16_t section;
    uint16_t first, sources, made[2]; /* as route_step */
};

/* A way to use an op, which copies or inverts one value. */
struct route_use {
    uint16_t op, sources;
    bool old; /* what must be there where it writes, if it looks at that */
    bool inverting;
};

/* A place as a step sees it. */
struct end_place {
    struct where_place where;
    bool row; /* of its section alone */
};

/* What a way depends on besides the target.  No padding. */
struct route_key {
    int16_t from_class, from_section, to_class, to_section, within;
    uint8_t from_row, to_row, side, unused;
};
_Static_assert(sizeof(struct route_key) == 14, "keys are compared as bytes");

/* A way that was asked for before. */
struct known_route {
    bool asked, found;
    uint32_t first, count; /* of all steps */
    uint64_t ps;
};

struct route_map {
    const struct target *target;
    /* With the value in all sources, in the order of ops; and those with constants beside it, which
     * are asked only where none of the first kind serves. */
    VEC(struct route_use) plain, mixed;
    int constant_class[2]; /* of rows, or -1 */
    unsigned spots;
    struct route_hop *hops; /* [spots][spots][2] */
    /* The same ways are asked for lap after lap, by several threads. */
    pthread_mutex_t lock;
    HASH_TABLE(struct route_key, struct known_route) known;
    VEC(struct route_step) steps;
};

/* --- what an op does with one value --- */

static bool is_constant(const struct target_op *op) {
    return op->nsrc == 0 && op->ndst == 1 && !op->reads_old && !op->fixed[0];
}

/* It has to give one result, which depends on its sources and on what was there. */
static bool is_function(const struct target_op *op) {
    bool plain = op->ndst == 1 && op->nsrc && !op->fixed[op->nsrc];
    for (unsigned i = 0; i < op->nsrc; i++)
        plain = plain && !op->fixed[i];
    return plain;
}

static bool looks_at_old(const struct target_op *op) {
    return op->reads_old || op->tied[0];
}

/* Its result where the sources are the value and constants, and `old` was there. */
static bool result_of(const struct target_op *op, unsigned sources, bool value, bool old) {
    const bool of[] = {
        [ROUTE_VALUE] = value, [ROUTE_ZERO] = false, [ROUTE_ONE] = true, [ROUTE_RESULT] = old};
    uint32_t row = 0;
    for (unsigned i = 0; i < op->nsrc; i++)
        row |= (uint32_t)of[ROUTE_SOURCE(sources, i)] << i;
    if (op->reads_old)
        row |= (uint32_t)old << op->nsrc;
    return op->truth[0] >> row & 1;
}

/* Is what the op replaces its result? */
static bool is_use(const struct target_op *op, unsigned sources) {
    for (unsigned i = 0; i < op->nsrc; i++)
        if ((ROUTE_SOURCE(sources, i) == ROUTE_RESULT) != (op->tied[0] == i + 1))
            return false;
    return true;
}

static void list_uses(struct route_map *map, uint16_t index) {
    const struct target_op *op = &plane_target(map->target)->ops[index];
    for (unsigned sources = 0; sources < ROUTE_SOURCE_IS(1, op->nsrc); sources++)
        for (unsigned old = 0; old < (looks_at_old(op) ? 2 : 1); old++) {
            bool low = result_of(op, sources, false, old), high = result_of(op, sources, true, old);
            struct route_use use = {index, (uint16_t)sources, old, low};
            if (low == high || !is_use(op, sources))
                continue;
            if (sources)
                vec_push(&map->mixed, use);
            else
                vec_push(&map->plain, use);
        }
}

static void find_uses(struct route_map *map) {
    const struct plane_target *p = plane_target(map->target);
    for (int value = 0; value < 2; value++)
        map->constant_class[value] = expand_constant_class(map->target, value);
    for (uint32_t i = 0; i < p->op_count; i++)
        if (is_function(&p->ops[i]))
            list_uses(map, (uint16_t)i);
}

static uint64_t duration(const struct target *target, const struct target_op *op) {
    return op->time_ps ? op->time_ps : target->datapath_ps;
}

static uint64_t duration_of_hop(const struct target *target, struct route_hop hop) {
    const struct target_op *ops = plane_target(target)->ops;
    const uint16_t all[] = {hop.op, hop.first, hop.made[0], hop.made[1]};
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        sum += all[i] ? duration(target, &ops[all[i] - 1]) : 0;
    return sum;
}

/* --- steps --- */

static struct where_place place_of_source(const struct route_map *map, enum route_source source,
                                          const struct end_place *from, const struct end_place *to,
                                          int here) {
    if (source == ROUTE_VALUE || source == ROUTE_RESULT)
        return source == ROUTE_VALUE ? from->where : to->where;
    int class = map->constant_class[source == ROUTE_ONE];
    return (struct where_place){class < 0 ? expand_plain_scratch_class(map->target) : class, here};
}

static bool works(const struct route_map *map, const struct route_use *use,
                  const struct end_place *from, const struct end_place *to, int here) {
    const struct plane_target *p = plane_target(map->target);
    const struct target_op *op = &p->ops[use->op];
    struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
    if ((from->row && from->where.section != here) || (to->row && to->where.section != here))
        return false;
    for (unsigned i = 0; i < op->nsrc; i++)
        at[i] = place_of_source(map, ROUTE_SOURCE(use->sources, i), from, to, here);
    at[op->nsrc] = to->where;
    const struct where_expr *before = plane_op_presets(op, 0) ? p->ops[op->preset - 1].where : NULL;
    return technology_where_holds(op->where, at, here) &&
           technology_where_holds(before, &at[op->nsrc], here);
}

/* 1 + the fastest op that writes a constant there, or 0. */
static uint16_t find_constant(const struct target *target, const struct end_place *to, int here,
                              bool value) {
    const struct plane_target *p = plane_target(target);
    uint16_t best = 0;
    for (uint32_t i = 0; i < p->op_count; i++)
        if (is_constant(&p->ops[i]) && (p->ops[i].truth[0] & 1) == value &&
            technology_where_holds(p->ops[i].where, &to->where, here) &&
            (!best || duration(target, &p->ops[i]) < duration(target, &p->ops[best - 1])))
            best = (uint16_t)(i + 1);
    return best;
}

/* What the op finds where it writes, if it looks at that: what its preset leaves, or else what
 * another op writes before it.  False if nothing gives it that. */
static bool find_old(const struct target *target, const struct target_op *op,
                     const struct end_place *to, bool old, struct route_hop *hop) {
    const struct plane_target *p = plane_target(target);
    if (!looks_at_old(op))
        return true;
    if (plane_op_presets(op, 0)) {
        const struct target_op *by = &p->ops[op->preset - 1];
        return is_constant(by) && (by->truth[0] & 1) == old;
    }
    return (hop->first = find_constant(target, to, hop->section, old)) != 0;
}

/* Constants that no row holds are made in scratch of the section. */
static bool find_made(const struct route_map *map, const struct target_op *op,
                      struct route_hop *hop) {
    const struct end_place row = {{expand_plain_scratch_class(map->target), hop->section}, true};
    for (unsigned i = 0; i < op->nsrc; i++) {
        enum route_source source = ROUTE_SOURCE(hop->sources, i);
        bool one = source == ROUTE_ONE;
        if ((source != ROUTE_ZERO && !one) || map->constant_class[one] >= 0)
            continue;
        hop->made[one] = find_constant(map->target, &row, hop->section, one);
        if (!hop->made[one])
            return false;
    }
    return true;
}

static void try_hop(const struct route_map *map, const struct route_use *use,
                    const struct end_place *from, const struct end_place *to, int issues,
                    struct route_hop *best) {
    const struct target *target = map->target;
    const struct target_op *op = &plane_target(target)->ops[use->op];
    struct route_hop made = {
        .op = (uint16_t)(use->op + 1), .section = (uint16_t)issues, .sources = use->sources};
    if (issues >= 0 && works(map, use, from, to, issues) && find_made(map, op, &made) &&
        find_old(target, op, to, use->old, &made) &&
        (!best->op || duration_of_hop(target, made) < duration_of_hop(target, *best)))
        *best = made;
}

/* The fastest op, and of equal ones the first; it issues where the value comes from, or where it
 * goes to. */
static struct route_hop find_hop(const struct route_map *map, const struct end_place *from,
                                 const struct end_place *to, bool inverting) {
    struct route_hop best = {0};
    for (unsigned mixed = 0; mixed < 2 && !best.op; mixed++) {
        const struct route_use *uses = mixed ? map->mixed.data : map->plain.data;
        size_t count = mixed ? map->mixed.len : map->plain.len;
        for (size_t i = 0; i < count; i++) {
            if (uses[i].inverting != inverting)
                continue;
            try_hop(map, &uses[i], from, to, from->where.section, &best);
            try_hop(map, &uses[i], from, to, to->where.section, &best);
        }
    }
    return best;
}

static unsigned section_of_spot(unsigned spot) {
    return spot / SPOTS_OF_SECTION;
}

static enum route_spot kind_of_spot(unsigned spot) {
    return (enum route_spot)(spot % SPOTS_OF_SECTION);
}

static struct end_place place_of_spot(const struct target *target, unsigned spot) {
    bool row = kind_of_spot(spot) == ROUTE_SCRATCH;
    int class = row ? expand_plain_scratch_class(target) : CLASS_BUFFER;
    return (struct end_place){{class, (int)section_of_spot(spot)}, row};
}

/* A buffer is that of its direction, or the section's own. */
static bool is_side(int from, int to, enum route_spot kind) {
    return (kind != ROUTE_FROM_PREVIOUS && kind != ROUTE_FROM_NEXT) || from < 0 ||
           (kind == ROUTE_FROM_PREVIOUS ? from <= to : from >= to);
}

static bool is_towards(int from, unsigned spot) {
    return is_side(from, (int)section_of_spot(spot), kind_of_spot(spot));
}

/* --- the map of a target --- */

static struct route_hop *hop_of(const struct route_map *map, unsigned from, unsigned to,
                                bool inverting) {
    return &map->hops[(from * map->spots + to) * 2 + inverting];
}

static void fill_map(struct route_map *map) {
    const struct target *target = map->target;
    for (unsigned from = 0; from < map->spots; from++)
        for (unsigned to = 0; to < map->spots; to++) {
            struct end_place a = place_of_spot(target, from), b = place_of_spot(target, to);
            for (int inverting = 0; inverting < 2; inverting++)
                if (from != to && is_towards(a.where.section, to))
                    *hop_of(map, from, to, inverting) = find_hop(map, &a, &b, inverting);
        }
}

static bool has_rows_for_latches(const struct target *target) {
    return target_is_first_row(target, target_class_of_c(target)) ||
           target_is_first_row(target, target_class_of_m(target)) ||
           target_is_first_row(target, target_class_of_valid(target));
}

/* Is there a carry that no micro-op hands on at once? */
static bool lacks_hand_on(const struct route_map *map) {
    const struct target *target = map->target;
    unsigned sections = plane_target(target)->sections;
    unsigned all = sections < TIMING_MAX_SECTIONS ? sections : sections - 1;
    for (unsigned s = 0; s < all; s++) {
        unsigned next = (s + 1) % sections;
        struct end_place up = place_of_spot(target, s * SPOTS_OF_SECTION),
                         down = place_of_spot(target, next * SPOTS_OF_SECTION);
        struct end_place above = {{CLASS_BUFFER, (int)next}, false},
                         below = {{CLASS_BUFFER, (int)s}, false};
        if (!find_hop(map, &up, &above, false).op || !find_hop(map, &down, &below, false).op)
            return true;
    }
    return false;
}

static void free_map(struct route_map *map) {
    hash_table_free(&map->known);
    vec_free(&map->steps);
    vec_free(&map->plain);
    vec_free(&map->mixed);
    free(map);
}

void expand_routes_prepare(struct recipe_set *set) {
    const struct target *t = set->target;
    if (!technology_sections_apart(t) || expand_plain_scratch_class(t) < 0)
        return;
    struct route_map *map = xcalloc(1, sizeof *map);
    map->target = t;
    find_uses(map);
    if (!has_rows_for_latches(t) && !lacks_hand_on(map)) {
        free_map(map);
        return;
    }
    pthread_mutex_init(&map->lock, NULL);
    map->spots = plane_target(t)->sections * SPOTS_OF_SECTION;
    map->hops = ARENA_ARRAY(&set->arena, (size_t)map->spots * map->spots * 2, struct route_hop);
    fill_map(map);
    set->routes = map;
}

void expand_routes_free(struct route_map *routes) {
    if (!routes)
        return;
    pthread_mutex_destroy(&routes->lock);
    free_map(routes);
}

/* --- the fastest way --- */

/* A spot with the value as it is, or inverted: number spot * 2 + inverted.  The end is one more. */
struct reached {
    uint64_t ps;
    uint32_t before; /* 1 + number; 0: it is the first step's */
    struct route_hop hop;
    bool done;
};

struct route_search {
    const struct target *target;
    const struct route_map *map;
    struct end_place from, to;
    enum route_spot side; /* of a buffer that is the end, from which the value comes in */
    int within;           /* a section that is not left, or -1 */
    uint32_t count;       /* of spots in both forms; that is the number of the end, too */
    struct reached *reached;
};

static void offer(struct route_search *search, uint32_t before, uint32_t number,
                  struct route_hop hop) {
    bool leaves = search->within >= 0 && number < search->count &&
                  number / 2 != (unsigned)search->within * SPOTS_OF_SECTION;
    if (!hop.op || leaves)
        return;
    uint64_t ps =
        duration_of_hop(search->target, hop) + (before ? search->reached[before - 1].ps : 0);
    if (ps < search->reached[number].ps)
        search->reached[number] = (struct reached){ps, before, hop, false};
}

static void offer_end(struct route_search *search, uint32_t before, const struct end_place *from,
                      bool inverting) {
    if (is_side(from->where.section, search->to.where.section, search->side))
        offer(search, before, search->count, find_hop(search->map, from, &search->to, inverting));
}

static void begin(struct route_search *search) {
    for (uint32_t n = 0; n <= search->count; n++)
        search->reached[n].ps = NO_WAY;
    for (uint32_t n = 0; n < search->count; n++) {
        struct end_place to = place_of_spot(search->target, n / 2);
        if (is_towards(search->from.where.section, n / 2))
            offer(search, 0, n, find_hop(search->map, &search->from, &to, n & 1));
    }
    offer_end(search, 0, &search->from, false);
}

static void go_on(struct route_search *search, uint32_t number) {
    struct end_place from = place_of_spot(search->target, number / 2);
    for (uint32_t to = 0; to < search->count; to++)
        offer(search, number + 1, to, *hop_of(search->map, number / 2, to / 2, (number ^ to) & 1));
    offer_end(search, number + 1, &from, number & 1);
}

/* The nearest that has not gone on yet, or the end. */
static uint32_t nearest(const struct route_search *search) {
    uint32_t best = search->count;
    for (uint32_t n = 0; n < search->count; n++)
        if (!search->reached[n].done && search->reached[n].ps < search->reached[best].ps)
            best = n;
    return best;
}

static void write_steps(const struct route_search *search, struct route *route) {
    uint32_t count = 0;
    for (uint32_t n = search->count + 1; n; n = search->reached[n - 1].before)
        count++;
    vec_reserve(&route->steps, count);
    route->steps.len = count;
    for (uint32_t n = search->count + 1; n; n = search->reached[n - 1].before) {
        const struct reached *r = &search->reached[n - 1];
        bool end = n == search->count + 1;
        unsigned spot = (n - 1) / 2;
        route->steps.data[--count] =
            (struct route_step){.kind = (uint16_t)(r->hop.op - 1),
                                .section = r->hop.section,
                                .at = (uint16_t)(end ? 0 : section_of_spot(spot)),
                                .first = r->hop.first,
                                .sources = r->hop.sources,
                                .made = {r->hop.made[0], r->hop.made[1]},
                                .into = (uint8_t)(end ? ROUTE_END : kind_of_spot(spot))};
    }
    route->ps = search->reached[search->count].ps;
}

static bool is_row(uint32_t place) {
    enum plane_class class = PLANE_CLASS(place);
    return class == PLANE_REGISTER || class == PLANE_SCRATCH || class == PLANE_CONST;
}

/* Under a mask by select C may stand for a row that only its own section's micro-ops use. */
static bool may_be_row(const struct expansion *expansion, const struct end_place *place) {
    return plane_target(expansion->set->target)->mask_by == MASK_SELECT &&
           place->where.class < CLASS_BUFFER;
}

/* What a carry's buffer holds may have to be saved in its section, so it is read there, too. */
static struct end_place start_of(const struct expansion *expansion, uint32_t place, int here) {
    bool there = is_row(place) || PLANE_CLASS(place) == PLANE_BUFFER;
    struct end_place start = {expand_place_of(expansion, place, here), there};
    start.row |=
        PLANE_CLASS(place) == PLANE_C && expansion->wrote_c && may_be_row(expansion, &start);
    return start;
}

static struct end_place end_of(const struct expansion *expansion, uint32_t place, int here) {
    struct end_place end = {expand_place_of(expansion, place, here), is_row(place)};
    end.row |= may_be_row(expansion, &end);
    return end;
}

static bool search_route(struct route_search *search, struct route *route) {
    search->reached = xcalloc(search->count + 1, sizeof *search->reached);
    begin(search);
    for (uint32_t n = nearest(search); n != search->count; n = nearest(search)) {
        search->reached[n].done = true;
        go_on(search, n);
    }
    bool found = search->reached[search->count].ps != NO_WAY;
    if (found)
        write_steps(search, route);
    free(search->reached);
    return found;
}

/* --- ways that were found before --- */

static struct route_key key_of(const struct route_search *search) {
    const struct end_place *from = &search->from, *to = &search->to;
    return (struct route_key){.from_class = (int16_t)from->where.class,
                              .from_section = (int16_t)from->where.section,
                              .to_class = (int16_t)to->where.class,
                              .to_section = (int16_t)to->where.section,
                              .within = (int16_t)search->within,
                              .from_row = from->row,
                              .to_row = to->row,
                              .side = (uint8_t)search->side};
}

/* False if nobody has asked for it yet. */
static bool recall(struct route_map *map, const struct route_key *key, struct route *route,
                   bool *found) {
    struct alloc_lock lock;
    alloc_lock(&lock, &map->lock);
    const struct known_route *known = hash_table_get(&map->known, key);
    if (known) {
        *found = known->found;
        route->ps = known->ps;
        vec_reserve(&route->steps, known->count);
        for (uint32_t i = 0; i < known->count; i++)
            route->steps.data[i] = map->steps.data[known->first + i];
        route->steps.len = known->count;
    }
    alloc_unlock(&lock);
    return known != NULL;
}

static void remember(struct route_map *map, const struct route_key *key, const struct route *route,
                     bool found) {
    struct alloc_lock lock;
    alloc_lock(&lock, &map->lock);
    struct known_route *known = hash_table_put(&map->known, key);
    if (!known->asked) { /* two threads may have searched */
        *known = (struct known_route){true, found, (uint32_t)map->steps.len,
                                      (uint32_t)route->steps.len, route->ps};
        for (size_t i = 0; i < route->steps.len; i++)
            vec_push(&map->steps, route->steps.data[i]);
    }
    alloc_unlock(&lock);
}

bool expand_route_find(const struct expansion *expansion, uint32_t from, int here, uint32_t to,
                       bool within, struct route *route) {
    struct route_map *map = expansion->set->routes;
    *route = (struct route){0};
    if (!map)
        return false;
    struct route_search s = {.target = expansion->set->target,
                             .map = map,
                             .from = start_of(expansion, from, here),
                             .to = end_of(expansion, to, here),
                             .side = PLANE_CLASS(to) != PLANE_BUFFER ? ROUTE_END
                                     : to & 0x100                    ? ROUTE_FROM_NEXT
                                                                     : ROUTE_FROM_PREVIOUS,
                             .within = within ? here : -1,
                             .count = map->spots * 2};
    const struct route_key key = key_of(&s);
    bool found;
    if (!recall(map, &key, route, &found)) {
        found = search_route(&s, route);
        remember(map, &key, route, found);
    }
    return found;
}

/* --- steps as micro-ops --- */

void expand_route_read(const struct route_step *step, uint32_t from, uint32_t to,
                       const uint32_t constants[2], uint32_t src[UOP_MAX]) {
    const uint32_t of[] = {[ROUTE_VALUE] = from,
                           [ROUTE_ZERO] = constants[0],
                           [ROUTE_ONE] = constants[1],
                           [ROUTE_RESULT] = to};
    for (unsigned i = 0; i < UOP_MAX; i++)
        src[i] = of[i < OP_MAX_SOURCES ? ROUTE_SOURCE(step->sources, i) : ROUTE_VALUE];
}
