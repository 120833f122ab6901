/* SPDX-License-Identifier: MIT
 * Laps that work at the same time: the first micro-ops of all laps, then the second ones, and so
 * on.  What stands side by side becomes a word where sections and rows allow it. */
#include "recipe/expand/walk.h"

#define MOST_LAPS 64

struct par_laps {
    struct section_machine *machine;
    const struct recipe_stmt *stmt;
    size_t starts[MOST_LAPS + 1]; /* where each lap's micro-ops begin, and the end */
    unsigned count;
};

static const struct sym_uop *uop_of(const struct par_laps *laps, unsigned lap, size_t index) {
    return &laps->machine->x->list.uops.data[laps->starts[lap] + index];
}

static size_t length_of(const struct par_laps *laps, unsigned lap) {
    return laps->starts[lap + 1] - laps->starts[lap];
}

static bool laps_are_alike(const struct par_laps *laps) {
    for (unsigned lap = 1; lap < laps->count; lap++) {
        bool same = length_of(laps, lap) == length_of(laps, 0);
        for (size_t i = 0; same && i < length_of(laps, 0); i++)
            same = uop_of(laps, lap, i)->kind == uop_of(laps, 0, i)->kind;
        if (!same)
            return expand_walk_fail(laps->machine, laps->stmt->at,
                                    "the iterations of 'par' work at the same time, and number %u "
                                    "takes other micro-ops than number 0",
                                    lap);
    }
    return true;
}

int64_t expand_walk_place_number(const struct expansion *expansion, uint32_t place) {
    int64_t values = (int64_t)expansion->list.values.len;
    switch (PLANE_CLASS(place)) {
    case PLANE_SCRATCH:
        return PLACE_PAYLOAD(place);
    case PLANE_REGISTER:
        return values + (PLACE_PAYLOAD(place) & 0xff);
    case PLANE_C:
        return values + 256;
    case PLANE_M:
        return values + 257;
    default:
        return -1;
    }
}

static int64_t index_of(const struct par_laps *laps, uint32_t place) {
    return expand_walk_place_number(laps->machine->x, place);
}

static void set_made(const struct par_laps *laps, const struct sym_uop *uop, uint32_t by) {
    for (unsigned k = 0; k < uop->ndst; k++) {
        int64_t place = index_of(laps, uop->dst[k]);
        if (place >= 0)
            laps->machine->par.made.data[place] = by;
    }
}

/* What a micro-op reads, or replaces, was written last by the same one, lap by lap and side by
 * side.  `made` has 1 + the index of that in the old order, for each place. */
static bool reads_the_same(const struct par_laps *laps, const uint32_t *order, size_t count) {
    struct par_memory *memory = &laps->machine->par;
    const struct sym_uop *uops = &laps->machine->x->list.uops.data[laps->starts[0]];
    bool fine = true;
    while (memory->made.len < laps->machine->x->list.values.len + 258)
        vec_push(&memory->made, 0);
    vec_reserve(&memory->wanted, count * 2 * UOP_MAX);
    for (unsigned pass = 0; pass < 2 && fine; pass++) {
        for (size_t i = 0; i < count && fine; i++) {
            uint32_t at = pass ? order[i] : (uint32_t)i;
            for (unsigned k = 0; k < uops[at].nsrc + (unsigned)uops[at].ndst; k++) {
                bool read = k < uops[at].nsrc;
                int64_t place =
                    index_of(laps, read ? uops[at].src[k] : uops[at].dst[k - uops[at].nsrc]);
                uint32_t *want = &memory->wanted.data[at * 2 * UOP_MAX + k];
                if (place < 0)
                    continue;
                fine &= !pass || *want == memory->made.data[place];
                *want = memory->made.data[place];
            }
            set_made(laps, &uops[at], at + 1);
        }
        for (size_t i = 0; i < count; i++)
            set_made(laps, &uops[i], 0);
    }
    return fine ||
           expand_walk_fail(laps->machine, laps->stmt->at,
                            "the iterations of 'par' work at the same time, and one reads or "
                            "writes what a later micro-op of another one makes");
}

static bool interleave(const struct par_laps *laps) {
    struct par_memory *memory = &laps->machine->par;
    struct sym_uop *uops = vec_from(&laps->machine->x->list.uops, laps->starts[0]);
    size_t count = laps->starts[laps->count] - laps->starts[0], length = length_of(laps, 0);
    vec_clear(&memory->order);
    vec_clear(&memory->sorted);
    for (size_t i = 0; i < length; i++)
        for (unsigned lap = 0; lap < laps->count; lap++)
            vec_push(&memory->order, (uint32_t)(laps->starts[lap] - laps->starts[0] + i));
    bool fine = reads_the_same(laps, memory->order.data, count);
    for (size_t i = 0; i < count && fine; i++)
        vec_push(&memory->sorted, uops[memory->order.data[i]]);
    for (size_t i = 0; i < count && fine; i++)
        uops[i] = memory->sorted.data[i];
    return fine;
}

void expand_walk_par_free(struct par_memory *memory) {
    vec_free(&memory->made);
    vec_free(&memory->wanted);
    vec_free(&memory->order);
    vec_free(&memory->sorted);
}

static bool check_bounds(struct section_machine *machine, const struct recipe_stmt *stmt,
                         int64_t first, int64_t last, int64_t step) {
    int64_t count = expand_positions(machine->x);
    if (!plane_target(machine->x->set->target)->partitioned)
        return expand_walk_fail(machine, stmt->at,
                                "'par' needs sections that can be joined: target '%s' is not "
                                "'partitioned'",
                                machine->x->set->target->name);
    if (step < 1)
        return expand_walk_fail(machine, stmt->at, "the step of 'par' is %lld, and not 1 or more",
                                (long long)step);
    if (first <= last && (first < 0 || last >= count))
        return expand_walk_fail(machine, stmt->at,
                                "'par' runs over sections, and %lld .. %lld lies outside of bits "
                                "0 .. %lld",
                                (long long)first, (long long)last, (long long)count - 1);
    return true;
}

bool expand_walk_par(struct section_machine *machine, const struct recipe_stmt *stmt,
                     bool (*run)(struct section_machine *, const struct recipe_stmt *)) {
    struct par_laps laps = {.machine = machine, .stmt = stmt};
    struct binding *b = binding_of(machine, stmt->targets[0]);
    struct pipelined_lap *outer = machine->lap;
    int position = machine->position;
    bool in_section = machine->in_section;
    int64_t first, last, step = 1;
    if (!expand_walk_eval(machine, stmt->first, &first) ||
        !expand_walk_eval(machine, stmt->last, &last) ||
        (stmt->step && !expand_walk_eval(machine, stmt->step, &step)) ||
        !check_bounds(machine, stmt, first, last, step))
        return false;
    bool fine = true;
    machine->lap = NULL;
    machine->in_section = true;
    for (int64_t v = first; v <= last && fine; v += step) {
        *b = (struct binding){.kind = BOUND_INT, .number = v};
        machine->position = (int)v;
        laps.starts[laps.count++] = machine->x->list.uops.len;
        fine = run(machine, stmt->body);
    }
    laps.starts[laps.count] = machine->x->list.uops.len;
    *b = (struct binding){0};
    machine->lap = outer;
    machine->position = position;
    machine->in_section = in_section;
    return fine && (!laps.count || (laps_are_alike(&laps) && interleave(&laps)));
}
