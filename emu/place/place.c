/* SPDX-License-Identifier: MIT
 * Auto: counts the program with several places of its groups.  Of those that take hardly more time
 * than the best it chooses the one with fewest MPUs.
 *
 * A program whose MPUs exchange nothing is never slower when its rows are spread, so that only
 * packed and spread are compared.  Where elements go from MPU to MPU the best place may lie between
 * the two: spread over some of the MPUs.  The numbers of MPUs that are tried are the same for every
 * chip, up to its own number, so that more MPUs make no program slower. */
#include "emu/place/place.h"
#include "emu/place/count.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <stdlib.h>

struct candidate {
    enum group_place chosen;
    uint32_t mpus; /* as package_place.mpus */
    struct place_count count;
};

struct place_chooser {
    const struct object *program;
    const struct target *t;
    const struct machine_library *library;
    const struct size_binding *sizes; /* [size_count] */
    size_t size_count;
    const struct package_finish *finish;
    const struct package *packed;
    VEC(struct candidate) list; /* packed first */
    struct diag *quiet;
    uint64_t max_steps; /* as far as all are compared; 0: to the end */
};

static struct package *build(const struct place_chooser *chooser, const struct package_place *place,
                             struct diag *diag) {
    return package_build_at(chooser->program, chooser->t, chooser->library, chooser->sizes,
                            chooser->size_count, place, chooser->finish, diag);
}

static struct package *build_one(const struct place_chooser *chooser,
                                 const struct candidate *candidate) {
    const struct package_place place = {
        .asked = PLACE_AUTO, .chosen = candidate->chosen, .mpus = candidate->mpus};
    return build(chooser, &place, chooser->quiet);
}

static bool same_place(const struct package *left, const struct package *right) {
    bool same = left->placement_count == right->placement_count;
    for (size_t i = 0; same && i < left->placement_count; i++) {
        const struct placement *x = &left->placements[i], *y = &right->placements[i];
        same = x->mpu == y->mpu && x->rfh == y->rfh && x->vrf == y->vrf;
    }
    return same;
}

/* ---- which there are ---- */

/* Elements go from MPU to MPU, or MPUs wait for one another. */
static bool communicates(const struct package *package) {
    struct insn insn;
    for (size_t i = 0; i < package->text_count; i++)
        if (isa_decode(package->text[i], &insn) == ISA_OK &&
            (insn.op == OP_GMOVE || insn.op == OP_JUMP_ANY))
            return true;
    return false;
}

static void add(struct place_chooser *chooser, enum group_place chosen, uint32_t mpus) {
    vec_push(&chooser->list, ((struct candidate){.chosen = chosen, .mpus = mpus}));
}

/* Rows that the largest of the groups has which may lie anywhere. */
static uint32_t largest_rows(const struct place_chooser *chooser) {
    uint32_t most = 0, rows = 0;
    for (size_t i = 0; i < chooser->packed->placement_count; i++) {
        const struct placement *x = &chooser->packed->placements[i];
        const struct group *g = &chooser->program->groups.data[x->group];
        bool same = i && x[-1].group == x->group;
        bool next = !same || x[-1].vrf != x->vrf || x[-1].mpu != x->mpu;
        rows = (same ? rows : 0) + (next && !g->per_mpu && g->at_rfh == NO_INDEX);
        most = rows > most ? rows : most;
    }
    return most;
}

/* With so many rows of the largest group in each MPU: it does not depend on the chip how many MPUs
 * that takes. */
static void add_between(struct place_chooser *chooser) {
    static const uint8_t rows_of[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32};
    uint32_t rows = largest_rows(chooser), before = 0,
             room = chooser->t->mpus - chooser->packed->image_first;
    for (size_t i = 0; i < sizeof rows_of; i++) {
        uint32_t mpus = (uint32_t)ceil_div(rows, rows_of[i]);
        if (mpus > 1 && mpus < room && mpus != before)
            add(chooser, PLACE_SPREAD, mpus);
        before = mpus;
    }
}

/* False if all places are the same. */
static bool list_places(struct place_chooser *chooser) {
    const struct candidate spread = {.chosen = PLACE_SPREAD};
    struct package *p = build_one(chooser, &spread);
    bool differ = p && !same_place(p, chooser->packed);
    package_free(p);
    if (!differ)
        return false;
    add(chooser, PLACE_PACKED, 0);
    add(chooser, PLACE_SPREAD, 0);
    if (communicates(chooser->packed))
        add_between(chooser);
    return true;
}

/* ---- what they take ---- */

static void count_one(struct place_chooser *chooser, struct candidate *candidate) {
    struct package *p = candidate->chosen == PLACE_PACKED ? NULL : build_one(chooser, candidate);
    const struct package *counted = candidate->chosen == PLACE_PACKED ? chooser->packed : p;
    candidate->count = (struct place_count){0};
    if (counted)
        candidate->count = place_count(chooser->program, counted, chooser->t, chooser->library,
                                       chooser->max_steps, PLACE_WORK / chooser->list.len);
    if (candidate->count.known && !candidate->count.whole &&
        (!chooser->max_steps || candidate->count.steps < chooser->max_steps))
        chooser->max_steps = candidate->count.steps;
    package_free(p);
}

static bool went_too_far(const struct place_chooser *chooser, const struct candidate *candidate) {
    return candidate->count.known && chooser->max_steps &&
           candidate->count.steps > chooser->max_steps;
}

/* All of them as far as each was counted; false if the machine cannot say it of packed. */
static bool count_all(struct place_chooser *chooser) {
    for (size_t i = 0; i < chooser->list.len; i++) {
        count_one(chooser, &chooser->list.data[i]);
        if (!chooser->list.data[0].count.known)
            return false;
    }
    for (size_t i = 0; i < chooser->list.len; i++)
        if (went_too_far(chooser, &chooser->list.data[i]))
            count_one(chooser, &chooser->list.data[i]);
    return true;
}

static uint64_t least_ps(const struct place_chooser *chooser) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < chooser->list.len; i++)
        if (chooser->list.data[i].count.known && chooser->list.data[i].count.time_ps < least)
            least = chooser->list.data[i].count.time_ps;
    return least;
}

static const struct candidate *best_of(const struct place_chooser *chooser) {
    const struct candidate *best = NULL;
    uint64_t least = least_ps(chooser), enough = sat_add(least, least / PLACE_TOLERANCE);
    for (size_t i = 0; i < chooser->list.len; i++) {
        const struct candidate *x = &chooser->list.data[i];
        if (x->count.known && x->count.time_ps <= enough &&
            (!best || x->count.mpus < best->count.mpus ||
             (x->count.mpus == best->count.mpus && x->count.time_ps < best->count.time_ps)))
            best = x;
    }
    return best;
}

/* ---- the choice ---- */

static struct package_place choose(struct place_chooser *chooser) {
    struct package_place place = {.asked = PLACE_AUTO, .chosen = PLACE_PACKED};
    if (!list_places(chooser) || !count_all(chooser))
        return place;
    const struct candidate *best = best_of(chooser);
    place.chosen = best->chosen;
    place.mpus = best->mpus;
    place.laps = best->count.laps ? PLACE_LAPS : 0;
    place.in_part = chooser->max_steps != 0;
    return place;
}

/* There is something to choose, and the machine can say what it takes. */
static bool may_choose(const struct target *target, const struct package *packed) {
    return target->kind->costs && target->mpus > 1 && packed->placement_count > target->rfh_per_mpu;
}

struct package *place_groups(const struct object *program, const struct target *target,
                             const struct machine_library *library,
                             const struct size_binding *sizes, size_t size_count,
                             enum group_place asked, const struct package_finish *finish,
                             struct diag *diag) {
    struct place_chooser c = {program, target, library, sizes, size_count, .finish = finish};
    struct package_place place = {.asked = asked,
                                  .chosen = asked == PLACE_AUTO ? PLACE_PACKED : asked};
    struct package *p = build(&c, &place, diag);
    if (asked != PLACE_AUTO || !p || !may_choose(target, p))
        return p;
    c.packed = p;
    c.quiet = diag_new(NULL, NULL);
    p->place = choose(&c);
    if (p->place.chosen != PLACE_PACKED) {
        place = p->place;
        package_free(p);
        p = build(&c, &place, c.quiet);
    }
    diag_free(c.quiet);
    vec_free(&c.list);
    return p;
}
