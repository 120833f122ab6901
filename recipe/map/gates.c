/* SPDX-License-Identifier: MIT
 * A target's micro-ops as gates of the search: which places each may read and write in the section
 * where it issues, and what it costs: in cycles of the datapath where all take as long, else in the
 * longest time of which all take a multiple. */
#include "recipe/expand/expand.h"
#include "recipe/expand/route.h"
#include "recipe/map/derive.h"
#include "recipe/map/memo.h"

#include <string.h>

#define PLACE_KINDS SEARCH_PLACES

/* --- what an op may do --- */

/* Sample places of each kind at a position with neighbours, where there are some. */
struct sampler {
    struct expansion x;
    int here;
    int rows[2]; /* classes of rows that hold values between gates */
};

static void start_sampler(struct mapping *mapping, struct sampler *sampler) {
    const struct target *t = mapping->set->target;
    struct op_frame f = {.target = t};
    *sampler = (struct sampler){.x = {.set = mapping->set, .recipe = mapping->source}};
    sampler->here = plane_target(t)->sections > 2 ? 1 : 0;
    mapping_frame_find_homes(&f);
    sampler->rows[0] = f.homes[mapping->gates.stored_apart ? f.home_count - 1 : 0];
    sampler->rows[1] = f.homes[f.home_count - 1];
}

static uint32_t sample(const struct sampler *sampler, enum search_place place, unsigned variant) {
    static const uint32_t latches[] = {PLACE(PLANE_C, 0), PLACE(PLANE_M, 0), PLACE(PLANE_VALID, 0)};
    if (place == SEARCH_CONST)
        return PLACE(PLANE_CONST, variant);
    if (place == SEARCH_BUFFER)
        return PLACE(PLANE_BUFFER, (uint32_t)sampler->here << 16);
    return latches[place - SEARCH_C];
}

static struct where_place sample_where(const struct sampler *sampler, enum search_place place,
                                       unsigned variant) {
    const struct plane_target *t = plane_target(sampler->x.set->target);
    if (place == SEARCH_ROW)
        return (struct where_place){sampler->rows[variant], sampler->here};
    if (place == SEARCH_REGISTER)
        return (struct where_place){(int)t->register_class, sampler->here};
    return expand_place_of(&sampler->x, sample(sampler, place, variant), sampler->here);
}

static bool has_constant(const struct target *target, int value) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        if (plane_target(target)->row_classes[i].value == value)
            return true;
    return false;
}

/* Two samples of rows and constants, where both are there. */
static bool is_sampled(const struct mapping *mapping, enum search_place place, unsigned variant) {
    if (place == SEARCH_CONST)
        return variant ? mapping->gates.one : mapping->gates.zero;
    if (place == SEARCH_REGISTER)
        return mapping->gates.stored_apart && variant == 0;
    return place == SEARCH_ROW || variant == 0;
}

/* May the op work with its sources and its result in such places, whichever rows they are? */
static bool op_takes(const struct mapping *mapping, const struct sampler *sampler,
                     const struct target_op *op, const enum search_place *places) {
    unsigned count = op->nsrc + 1u;
    bool any = false;
    for (unsigned variants = 0; variants < 1u << count; variants++) {
        struct where_place at[4];
        bool sampled = true;
        for (unsigned i = 0; i < count; i++) {
            unsigned variant = variants >> i & 1;
            sampled = sampled && is_sampled(mapping, places[i], variant);
            at[i] = sample_where(sampler, places[i], variant);
        }
        if (sampled && !technology_where_holds(op->where, at, sampler->here))
            return false;
        any |= sampled;
    }
    return any;
}

/* --- gates --- */

/* Combinations of places that an op allows: bit of [result][first][second][third]. */
struct place_combinations {
    bool at[PLACE_KINDS][PLACE_KINDS][PLACE_KINDS][PLACE_KINDS];
};

static unsigned kinds_of_source(const struct target_op *op, unsigned index) {
    return index < op->nsrc ? PLACE_KINDS : 1;
}

static void find_allowed(const struct mapping *mapping, const struct sampler *sampler,
                         const struct target_op *op, struct place_combinations *combinations) {
    memset(combinations, 0, sizeof *combinations);
    for (unsigned d = 0; d < PLACE_KINDS; d++)
        for (unsigned i = 0; i < kinds_of_source(op, 0); i++)
            for (unsigned j = 0; j < kinds_of_source(op, 1); j++)
                for (unsigned k = 0; k < kinds_of_source(op, 2); k++) {
                    enum search_place at[4] = {i, j, k, 0};
                    bool written =
                        d == SEARCH_ROW || d == SEARCH_C || d == SEARCH_M || d == SEARCH_REGISTER;
                    at[op->nsrc] = d;
                    combinations->at[d][i][j][k] = written && op_takes(mapping, sampler, op, at);
                }
}

/* What comes into a section may lie in a row: where its carry begins, or as it had to be saved. */
static void drop_buffers_alone(struct place_combinations *combinations) {
    for (unsigned d = 0; d < PLACE_KINDS; d++)
        for (unsigned i = 0; i < PLACE_KINDS; i++)
            for (unsigned j = 0; j < PLACE_KINDS; j++)
                for (unsigned k = 0; k < PLACE_KINDS; k++)
                    combinations->at[d][i][j][k] &=
                        (i != SEARCH_BUFFER || combinations->at[d][SEARCH_ROW][j][k]) &&
                        (j != SEARCH_BUFFER || combinations->at[d][i][SEARCH_ROW][k]) &&
                        (k != SEARCH_BUFFER || combinations->at[d][i][j][SEARCH_ROW]);
}

/* The largest sets of places around one combination: each source's set is widened in turn as
 * long as all combinations are allowed.  They are taken out of `combinations`. */
static bool block_allowed(const struct place_combinations *combinations,
                          const struct search_gate *gate) {
    for (unsigned d = 0; d < PLACE_KINDS; d++)
        for (unsigned i = 0; i < PLACE_KINDS; i++)
            for (unsigned j = 0; j < PLACE_KINDS; j++)
                for (unsigned k = 0; k < PLACE_KINDS; k++)
                    if (gate->dst_places >> d & 1 && gate->src_places[0] >> i & 1 &&
                        gate->src_places[1] >> j & 1 && gate->src_places[2] >> k & 1 &&
                        !combinations->at[d][i][j][k])
                        return false;
    return true;
}

static void widen(const struct place_combinations *combinations, struct search_gate *gate,
                  uint8_t *set) {
    for (unsigned p = 0; p < PLACE_KINDS; p++) {
        uint8_t before = *set;
        *set |= (uint8_t)SEARCH_IN(p);
        if (!block_allowed(combinations, gate))
            *set = before;
    }
}

static bool is_covered(const struct map_gates *gates, const unsigned *at) {
    for (unsigned n = 0; n < gates->count; n++) {
        const struct search_gate *g = &gates->gates[n];
        if (g->dst_places >> at[0] & 1 && g->src_places[0] >> at[1] & 1 &&
            g->src_places[1] >> at[2] & 1 && g->src_places[2] >> at[3] & 1)
            return true;
    }
    return false;
}

/* The gates of one op. */
static void list_gates(struct map_gates *gates, const struct search_gate *like,
                       const struct place_combinations *combinations) {
    unsigned kinds = PLACE_KINDS;
    gates->count = 0;
    for (unsigned n = 0; n < kinds * kinds * kinds * kinds; n++) {
        unsigned at[4] = {n / (kinds * kinds * kinds), n / (kinds * kinds) % kinds,
                          n / kinds % kinds, n % kinds};
        if (!combinations->at[at[0]][at[1]][at[2]][at[3]] || is_covered(gates, at) ||
            gates->count == SEARCH_MAX_GATES)
            continue;
        struct search_gate g = *like;
        g.dst_places = (uint8_t)SEARCH_IN(at[0]);
        for (unsigned i = 0; i < 3; i++)
            g.src_places[i] = (uint8_t)SEARCH_IN(at[i + 1]);
        for (unsigned i = 0; i < like->nsrc; i++)
            widen(combinations, &g, &g.src_places[i]);
        widen(combinations, &g, &g.dst_places);
        gates->gates[gates->count++] = g;
    }
}

/* --- as many as the search takes --- */

#define MOST_OWN (SEARCH_MAX_GATES - MOST_DERIVED)

/* Does `better` all that the gate does, for no more? */
static bool dominates(const struct search_gate *better, const struct search_gate *gate) {
    bool all = better->nsrc == gate->nsrc && better->truth == gate->truth &&
               better->cost <= gate->cost && !(gate->dst_places & ~better->dst_places);
    for (unsigned i = 0; i < gate->nsrc; i++)
        all = all && !(gate->src_places[i] & ~better->src_places[i]);
    return all;
}

static int place_count(const struct search_gate *gate) {
    int count = __builtin_popcount(gate->dst_places);
    for (unsigned i = 0; i < gate->nsrc; i++)
        count += __builtin_popcount(gate->src_places[i]);
    return count;
}

/* The cheaper one first, then the one of more places: whatever the order of the file's lines. */
static int compare_gates(const struct search_gate *left, const struct search_gate *right) {
    const uint8_t x[] = {left->nsrc,          left->truth,         left->dst_places,
                         left->src_places[0], left->src_places[1], left->src_places[2]},
                  y[] = {right->nsrc,          right->truth,         right->dst_places,
                         right->src_places[0], right->src_places[1], right->src_places[2]};
    if (left->cost != right->cost)
        return left->cost < right->cost ? -1 : 1;
    return place_count(left) != place_count(right) ? place_count(right) - place_count(left)
                                                   : memcmp(x, y, sizeof x);
}

static void remove_gate(struct map_gates *gates, unsigned index) {
    gates->count--;
    memmove(&gates->gates[index], &gates->gates[index + 1],
            (gates->count - index) * sizeof *gates->gates);
}

/* Leaves out those that others do as well, or else the last one in the order above. */
static void make_room(struct map_gates *gates) {
    unsigned last = 0, before = gates->count;
    for (unsigned i = gates->count; i-- > 0;)
        for (unsigned k = 0; k < gates->count; k++)
            if (k != i && dominates(&gates->gates[k], &gates->gates[i]) &&
                (k < i || !dominates(&gates->gates[i], &gates->gates[k]))) {
                remove_gate(gates, i);
                break;
            }
    for (unsigned i = 1; i < gates->count; i++)
        if (compare_gates(&gates->gates[i], &gates->gates[last]) > 0)
            last = i;
    if (gates->count == before)
        remove_gate(gates, last);
}

static void add_gates(struct map_gates *gates, const struct map_gates *more) {
    for (unsigned i = 0; i < more->count; i++) {
        gates->gates[gates->count++] = more->gates[i];
        if (gates->count > MOST_OWN)
            make_room(gates);
    }
}

/* The value that an op's preset leaves in its destination, or -1. */
static int preset_value(const struct target *target, const struct target_op *op) {
    const struct target_op *by = op->preset ? &plane_target(target)->ops[op->preset - 1] : NULL;
    if (!by || by->nsrc != 0 || by->ndst != 1 || by->reads_old)
        return -1;
    return by->truth[0] & 1;
}

/* The truth table over the sources alone; false for ops that use what their destination held,
 * replace what they read, work on certain rows, or have several results: the search knows of
 * values, not of rows. */
static bool gate_truth(const struct target *target, const struct target_op *op, uint8_t *truth) {
    int old = op->reads_old ? preset_value(target, op) : 0;
    bool fixed = op->ndst > 0 && op->fixed[op->nsrc];
    for (unsigned i = 0; i < op->nsrc; i++)
        fixed |= op->fixed[i] != 0;
    if (op->ndst != 1 || op->nsrc > 3 || op->tied[0] || fixed || old < 0)
        return false;
    *truth = (uint8_t)(op->truth[0] >> (old ? 1u << op->nsrc : 0));
    if (op->nsrc < 3)
        *truth &= (uint8_t)((1u << (1u << op->nsrc)) - 1);
    return true;
}

static uint32_t find_copy_cost(const struct mapping *mapping) {
    for (unsigned i = 0; i < mapping->gates.count; i++) {
        const struct search_gate *g = &mapping->gates.gates[i];
        if (g->nsrc == 1 && g->truth == 2 && g->dst_places & SEARCH_IN(SEARCH_ROW))
            return g->cost;
    }
    return 1;
}

/* The places that are read wherever rows are. */
static uint8_t find_plain(const struct map_gates *gates) {
    unsigned plain = SEARCH_IN(SEARCH_PLACES) - 1;
    for (unsigned i = 0; i < gates->count; i++)
        for (unsigned k = 0; k < gates->gates[i].nsrc; k++) {
            unsigned places = gates->gates[i].src_places[k];
            if (places & SEARCH_IN(SEARCH_ROW))
                plain &= places;
        }
    return (uint8_t)plain;
}

/* Is what comes in copied to rows, by a micro-op or gates of its section? */
static bool copies_incoming(const struct mapping *mapping, struct sampler *sampler) {
    static const enum search_place at[] = {SEARCH_BUFFER, SEARCH_ROW, 0, 0};
    const struct plane_target *t = plane_target(mapping->set->target);
    for (uint32_t i = 0; i < t->op_count; i++)
        if (plane_op_is_copy(&t->ops[i]) && op_takes(mapping, sampler, &t->ops[i], at))
            return true;
    uint32_t row =
        PLACE(PLANE_SCRATCH, expand_new_scratch(&sampler->x, (unsigned)sampler->here, NULL, 0, -1));
    struct route way;
    bool found = expand_route_find(&sampler->x, sample(sampler, SEARCH_BUFFER, 0), sampler->here,
                                   row, true, &way);
    vec_free(&way.steps);
    return found;
}

static bool copies_buffers(const struct map_gates *gates) {
    for (unsigned i = 0; i < gates->count; i++) {
        const struct search_gate *g = &gates->gates[i];
        if (g->nsrc == 1 && g->truth == 2 && g->src_places[0] & SEARCH_IN(SEARCH_BUFFER) &&
            g->dst_places & SEARCH_IN(SEARCH_ROW))
            return true;
    }
    return false;
}

static bool copies_to(const struct sampler *sampler, enum search_place place, unsigned variant,
                      uint32_t to) {
    struct where_place at[] = {sample_where(sampler, place, variant),
                               expand_place_of(&sampler->x, to, sampler->here)};
    const struct target *t = sampler->x.set->target;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (plane_op_is_copy(&plane_target(t)->ops[i]) &&
            technology_where_holds(plane_target(t)->ops[i].where, at, sampler->here))
            return true;
    return false;
}

static void find_copies(struct mapping *mapping, const struct sampler *sampler) {
    struct map_gates *g = &mapping->gates;
    uint32_t own = PLACE(PLANE_BUFFER, (uint32_t)sampler->here << 16);
    uint32_t next = PLACE(PLANE_BUFFER, (uint32_t)(sampler->here + 1) << 16);
    for (unsigned p = 0; p < PLACE_KINDS; p++) {
        bool lasting = p == SEARCH_ROW || (p == SEARCH_CONST && g->plain >> p & 1);
        bool both = p == SEARCH_ROW || (p == SEARCH_CONST && g->zero && g->one);
        unsigned variants = both ? 2 : 1, first = p == SEARCH_CONST && !g->zero;
        g->hands_on[p] = g->begins[p] = g->sections || lasting;
        g->names[p] = lasting || (p == SEARCH_BUFFER && copies_buffers(g));
        for (unsigned v = first; g->sections && v < first + variants; v++) {
            g->hands_on[p] &= copies_to(sampler, p, v, next);
            g->begins[p] &= copies_to(sampler, p, v, own);
        }
        if (g->keeps_incoming)
            g->begins[p] = lasting;
    }
}

/* --- usual functions --- */

struct usual_function {
    const char *name; /* "x & y" */
    uint8_t truth;    /* over three inputs */
    unsigned inputs;
};

static const struct usual_function usual[] = {
    {"!x", 0x55, 1},           {"x & y", 0x88, 2},        {"x | y", 0xEE, 2}, {"x ^ y", 0x66, 2},
    {"maj(x, y, z)", 0xE8, 3}, {"mux(s, x, y)", 0xD8, 3}, {"0", 0x00, 1},     {"1", 0xFF, 1}};
#define USUAL_FUNCTIONS (sizeof usual / sizeof usual[0])

const char *mapping_function_name(uint8_t truth) {
    for (size_t i = 0; i < USUAL_FUNCTIONS; i++)
        if (usual[i].truth == truth)
            return usual[i].name;
    return NULL;
}

static bool is_in(const uint64_t *set, uint8_t truth) {
    return set[truth >> 6] >> (truth & 63) & 1;
}

/* What the gates make of three values in rows, as far as these functions go. */
static void find_made(const struct mapping *mapping, uint64_t *set) {
    struct search_problem p = {.gates = mapping->gates.gates, .gate_count = mapping->gates.count};
    for (unsigned i = 0; i < SEARCH_MAX_INPUTS; i++)
        p.values[p.value_count++] = (struct search_value){mapping_variables[i], SEARCH_ROW, false};
    mapping_add_constants(&mapping->gates, &p);
    uint64_t wanted[4] = {0};
    for (size_t i = 0; i < USUAL_FUNCTIONS; i++)
        wanted[usual[i].truth >> 6] |= (uint64_t)1 << (usual[i].truth & 63);
    search_closure_of(&p, wanted, set);
}

/* Do gates make what a buffer holds, or its inverse, in a row? */
static bool read_buffers(const struct map_gates *gates) {
    struct search_problem p = {.gates = gates->gates, .gate_count = gates->count};
    uint64_t set[4];
    p.values[p.value_count++] = (struct search_value){mapping_variables[0], SEARCH_BUFFER, false};
    mapping_add_constants(gates, &p);
    search_closure(&p, set);
    return is_in(set, mapping_variables[0]) || is_in(set, (uint8_t)~mapping_variables[0]);
}

/* --- sequences --- */

/* Those that the build knows, or that are searched for. */
static const struct derived *derive(const struct mapping *mapping, uint64_t unit,
                                    enum derive_effort effort) {
    struct arena *arena = &mapping->set->arena;
    const struct target *t = mapping->set->target;
    struct derived *d = mapping_derive_start(arena, t, unit, effort);
    bool anew = effort != DERIVE_USUAL || mapping->set->search_anew;
    if (d && (anew || !mapping_derive_recall(arena, t, d)))
        mapping_derive_search(arena, t, effort, d);
    return d;
}

/* Does no sequence at all make any of the usual functions that are missing?  Those of three inputs
 * are made of others. */
static bool is_hopeless(struct mapping *mapping) {
    uint64_t set[4];
    bool lacks = false, possible = false;
    find_made(mapping, set);
    for (unsigned i = 0; !possible && i < USUAL_FUNCTIONS; i++) {
        if (usual[i].inputs > 2 || is_in(set, usual[i].truth))
            continue;
        lacks = true;
        possible =
            mapping_is_possible(mapping->set->target, usual[i].truth, usual[i].inputs, false);
    }
    return lacks && !possible;
}

/* The first of which no micro-ops are known, or NULL. */
static const struct usual_function *mapping_missing(struct mapping *mapping) {
    uint64_t set[4];
    find_made(mapping, set);
    for (size_t i = 0; i < USUAL_FUNCTIONS; i++)
        if (!is_in(set, usual[i].truth))
            return &usual[i];
    return NULL;
}

#define MANY_USES 8192 /* of all ops: each list of them takes seconds */

/* May more of a search find what is missing? */
static bool may_be_found(struct mapping *mapping) {
    const struct target *t = mapping->set->target;
    const struct usual_function *f = mapping_missing(mapping);
    return f && mapping_is_possible(t, f->truth, f->inputs, false) &&
           mapping->gates.derived->use_count < MANY_USES &&
           (!mapping->gates.sections || mapping_is_possible_within(t, f->truth, f->inputs));
}

#define MOST_LEFT_OUT 32 /* lines of a file of which one after the other is left out */

/* A micro-op that is not needed makes states more: what the others make in the budget is found
 * without it.  So a line more in the file takes nothing away, but for files whose ops have very
 * many uses. */
static bool derive_without(struct mapping *mapping, const struct map_gates *own, uint64_t unit) {
    const struct plane_target *t = plane_target(mapping->set->target);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < t->op_count; i++)
        lines += t->ops[i].first_variant == i;
    for (enum derive_effort effort = DERIVE_USUAL; effort < DERIVE_WIDE && lines <= MOST_LEFT_OUT;
         effort++)
        for (uint32_t i = 0; i < t->op_count; i++) {
            if (t->ops[i].first_variant != i)
                continue;
            mapping->gates = *own;
            mapping->gates.derived =
                mapping_derive_without(&mapping->set->arena, mapping->set->target, unit, effort, i);
            mapping_offer_derived(&mapping->gates);
            if (!mapping_missing(mapping))
                return true;
        }
    return false;
}

/* Sequences beside the gates that there are, once more with a larger budget where some usual
 * function is not made of them; those of the last one only where it makes all. */
static void derive_gates(struct mapping *mapping, uint64_t unit) {
    const struct map_gates own = mapping->gates;
    struct map_gates known = own;
    for (enum derive_effort effort = DERIVE_USUAL; effort < DERIVE_EFFORTS; effort++) {
        mapping->gates = own;
        mapping->gates.derived = derive(mapping, unit, effort);
        if (!mapping->gates.derived)
            return;
        mapping_offer_derived(&mapping->gates);
        if (!mapping_missing(mapping) || (effort != DERIVE_WIDE && is_hopeless(mapping)))
            return;
        known = effort == DERIVE_WIDE ? known : mapping->gates;
    }
    mapping->gates = known;
    if (may_be_found(mapping) && !derive_without(mapping, &own, unit))
        mapping->gates = known;
}

static void find_gates(struct mapping *mapping) {
    const struct target *t = mapping->set->target;
    struct sampler s;
    struct place_combinations allowed;
    struct map_gates own;
    uint64_t unit = mapping_cost_unit(t);
    mapping->gates = (struct map_gates){.zero = has_constant(t, 0), .one = has_constant(t, 1)};
    mapping->gates.sections = technology_sections_apart(t);
    mapping->gates.stored_apart = mapping_frame_stores_apart(t);
    start_sampler(mapping, &s);
    bool copies = mapping->gates.sections && copies_incoming(mapping, &s);
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
        const struct target_op *op = &plane_target(t)->ops[i];
        struct search_gate g = {.nsrc = op->nsrc, .cost = mapping_op_cost(t, op, unit), .tag = i};
        if (!gate_truth(t, op, &g.truth))
            continue;
        find_allowed(mapping, &s, op, &allowed);
        if (copies && !plane_op_is_copy(op))
            drop_buffers_alone(&allowed);
        list_gates(&own, &g, &allowed);
        add_gates(&mapping->gates, &own);
    }
    derive_gates(mapping, unit);
    mapping->gates.copy_cost = find_copy_cost(mapping);
    mapping->gates.plain = find_plain(&mapping->gates);
    mapping->gates.keeps_incoming = mapping->gates.sections && !read_buffers(&mapping->gates);
    find_copies(mapping, &s);
    expand_sym_list_free(&s.x.list);
}

uint8_t mapping_register_place(const struct mapping *mapping) {
    return mapping->gates.stored_apart ? SEARCH_REGISTER : SEARCH_ROW;
}

uint8_t mapping_carry_place(const struct mapping *mapping) {
    return mapping->gates.sections && !mapping->gates.keeps_incoming ? SEARCH_BUFFER : SEARCH_ROW;
}

bool mapping_keeps_incoming(const struct recipe_set *set) {
    return set->searches && set->searches->gates.keeps_incoming;
}

uint8_t mapping_latch_place(const struct mapping *mapping, uint32_t name) {
    const struct target *t = mapping->set->target;
    enum search_place place = name == SYMBOL_C   ? SEARCH_C
                              : name == SYMBOL_M ? SEARCH_M
                                                 : SEARCH_VALID;
    int class = place == SEARCH_C   ? target_class_of_c(t)
                : place == SEARCH_M ? target_class_of_m(t)
                                    : target_class_of_valid(t);
    return target_is_first_row(t, class) ? mapping_register_place(mapping) : (uint8_t)place;
}

void mapping_find_gates(struct mapping *mapping) {
    struct search_memo **memo = &mapping->set->searches;
    if (!*memo) {
        find_gates(mapping);
        *memo = ARENA_NEW(&mapping->set->arena, struct search_memo);
        (*memo)->gates = mapping->gates;
        pthread_mutex_init(&(*memo)->lock, NULL);
        (*memo)->copies = mapping->gates.derived;
        (*memo)->known = mapping->set->search_anew ? NULL : mapping_known_find(&mapping->gates);
    }
    mapping->gates = (*memo)->gates;
}

/* --- what is missing --- */

/* The rest of "its micro-ops ..." */
static const char *why_missing(struct mapping *mapping, const struct usual_function *function) {
    const struct target *t = mapping->set->target;
    const struct plane_target *own = plane_target(t);
    struct arena *arena = &mapping->set->arena;
    bool possible = mapping_is_possible(t, function->truth, function->inputs, false);
    if (possible && mapping->gates.sections &&
        !mapping_is_possible_within(t, function->truth, function->inputs))
        return arena_printf(arena,
                            "make no %s within one section ('where'), and logic is not made by way "
                            "of others or of buffers",
                            function->name);
    if (possible)
        return arena_printf(arena,
                            "make no %s that was found within %u steps of search (the target's key "
                            "'search_steps' takes more)",
                            function->name, own->search_steps);
    if (own->mask_by == MASK_LATCH &&
        mapping_is_possible(t, function->truth, function->inputs, true))
        return arena_printf(arena,
                            "cannot make %s without latch '%s', which holds the mask ('mask': use "
                            "another latch for it, or by: select)",
                            function->name, own->row_classes[own->mask_latch].name);
    if (!mapping_keeps_operands(t))
        return arena_printf(arena,
                            "cannot make %s and keep its operands: each leaves what it reads in at "
                            "most one place",
                            function->name);
    if (mapping_is_possible_over(t, function->truth, function->inputs))
        return arena_printf(arena,
                            "cannot make %s without writing over a register that it reads",
                            function->name);
    return arena_printf(arena, "cannot make %s", function->name);
}

const char *mapping_refusal(struct mapping *mapping) {
    struct search_memo *memo = mapping->set->searches;
    const struct usual_function *f = mapping_missing(mapping);
    if (f && !memo->refusal)
        memo->refusal = why_missing(mapping, f);
    return f ? memo->refusal : NULL;
}
