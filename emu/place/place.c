/* SPDX-License-Identifier: MIT
 * Auto: counts several places, and takes the one with fewest MPUs of those that take hardly more
 * time than the best.
 *
 * A program whose MPUs have nothing to do with each other is never slower for having its rows
 * apart, so that packed and spread are all there is to compare.  Where elements go from MPU to MPU
 * the best place may lie between the two: spread over some of the MPUs.  Over how many does not
 * depend on the chip, but for how many it has, so that more MPUs make no program slower. */
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

static struct package *build(const struct place_chooser *c, const struct package_place *place,
                             struct diag *d) {
    return package_build_at(c->program, c->t, c->library, c->sizes, c->size_count, place, c->finish,
                            d);
}

static struct package *build_one(const struct place_chooser *c, const struct candidate *x) {
    const struct package_place place = {PLACE_AUTO, x->chosen, x->mpus, 0, false};
    return build(c, &place, c->quiet);
}

static bool same_place(const struct package *a, const struct package *b) {
    bool same = a->placement_count == b->placement_count;
    for (size_t i = 0; same && i < a->placement_count; i++) {
        const struct placement *x = &a->placements[i], *y = &b->placements[i];
        same = x->mpu == y->mpu && x->rfh == y->rfh && x->vrf == y->vrf;
    }
    return same;
}

/* ---- which there are ---- */

/* Elements go from MPU to MPU, or MPUs wait for one another. */
static bool communicates(const struct package *p) {
    struct insn insn;
    for (size_t i = 0; i < p->text_count; i++)
        if (isa_decode(p->text[i], &insn) == ISA_OK &&
            (insn.op == OP_GMOVE || insn.op == OP_JUMP_ANY))
            return true;
    return false;
}

static void add(struct place_chooser *c, enum group_place chosen, uint32_t mpus) {
    vec_push(&c->list, ((struct candidate){.chosen = chosen, .mpus = mpus}));
}

/* Rows that the largest of the groups has which may lie anywhere. */
static uint32_t largest_rows(const struct place_chooser *c) {
    uint32_t most = 0, rows = 0;
    for (size_t i = 0; i < c->packed->placement_count; i++) {
        const struct placement *x = &c->packed->placements[i];
        const struct group *g = &c->program->groups.data[x->group];
        bool same = i && x[-1].group == x->group;
        bool next = !same || x[-1].vrf != x->vrf || x[-1].mpu != x->mpu;
        rows = (same ? rows : 0) + (next && !g->per_mpu && g->at_rfh == NO_INDEX);
        most = rows > most ? rows : most;
    }
    return most;
}

/* With so many rows of the largest group in each MPU: it does not depend on the chip how many MPUs
 * that takes. */
static void add_between(struct place_chooser *c) {
    static const uint8_t rows_of[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32};
    uint32_t rows = largest_rows(c), before = 0, room = c->t->mpus - c->packed->image_first;
    for (size_t i = 0; i < sizeof rows_of; i++) {
        uint32_t mpus = (uint32_t)ceil_div(rows, rows_of[i]);
        if (mpus > 1 && mpus < room && mpus != before)
            add(c, PLACE_SPREAD, mpus);
        before = mpus;
    }
}

/* False if all places are the same. */
static bool list_places(struct place_chooser *c) {
    const struct candidate spread = {.chosen = PLACE_SPREAD};
    struct package *p = build_one(c, &spread);
    bool differ = p && !same_place(p, c->packed);
    package_free(p);
    if (!differ)
        return false;
    add(c, PLACE_PACKED, 0);
    add(c, PLACE_SPREAD, 0);
    if (communicates(c->packed))
        add_between(c);
    return true;
}

/* ---- what they take ---- */

static void count_one(struct place_chooser *c, struct candidate *x) {
    struct package *p = x->chosen == PLACE_PACKED ? NULL : build_one(c, x);
    const struct package *counted = x->chosen == PLACE_PACKED ? c->packed : p;
    x->count = (struct place_count){0};
    if (counted)
        x->count = place_count(c->program, counted, c->t, c->library, c->max_steps,
                               PLACE_WORK / c->list.len);
    if (x->count.known && !x->count.whole && (!c->max_steps || x->count.steps < c->max_steps))
        c->max_steps = x->count.steps;
    package_free(p);
}

static bool went_too_far(const struct place_chooser *c, const struct candidate *x) {
    return x->count.known && c->max_steps && x->count.steps > c->max_steps;
}

/* All of them as far as each was counted; false if the machine cannot say it of packed. */
static bool count_all(struct place_chooser *c) {
    for (size_t i = 0; i < c->list.len; i++) {
        count_one(c, &c->list.data[i]);
        if (!c->list.data[0].count.known)
            return false;
    }
    for (size_t i = 0; i < c->list.len; i++)
        if (went_too_far(c, &c->list.data[i]))
            count_one(c, &c->list.data[i]);
    return true;
}

static uint64_t least_ps(const struct place_chooser *c) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < c->list.len; i++)
        if (c->list.data[i].count.known && c->list.data[i].count.time_ps < least)
            least = c->list.data[i].count.time_ps;
    return least;
}

static const struct candidate *best_of(const struct place_chooser *c) {
    const struct candidate *best = NULL;
    uint64_t least = least_ps(c), enough = sat_add(least, least / PLACE_TOLERANCE);
    for (size_t i = 0; i < c->list.len; i++) {
        const struct candidate *x = &c->list.data[i];
        if (x->count.known && x->count.time_ps <= enough &&
            (!best || x->count.mpus < best->count.mpus ||
             (x->count.mpus == best->count.mpus && x->count.time_ps < best->count.time_ps)))
            best = x;
    }
    return best;
}

/* ---- the choice ---- */

static struct package_place choose(struct place_chooser *c) {
    struct package_place place = {PLACE_AUTO, PLACE_PACKED, 0, 0, false};
    if (!list_places(c) || !count_all(c))
        return place;
    const struct candidate *best = best_of(c);
    place.chosen = best->chosen;
    place.mpus = best->mpus;
    place.laps = best->count.laps ? PLACE_LAPS : 0;
    place.in_part = c->max_steps != 0;
    return place;
}

/* There is something to choose, and the machine can say what it takes. */
static bool may_choose(const struct target *t, const struct package *packed) {
    return t->kind->costs && t->mpus > 1 && packed->placement_count > t->rfh_per_mpu;
}

struct package *place_groups(const struct object *program, const struct target *t,
                             const struct machine_library *library,
                             const struct size_binding *sizes, size_t size_count,
                             enum group_place asked, const struct package_finish *finish,
                             struct diag *d) {
    struct place_chooser c = {program, t, library, sizes, size_count, .finish = finish};
    struct package_place place = {asked, asked == PLACE_AUTO ? PLACE_PACKED : asked, 0, 0, false};
    struct package *p = build(&c, &place, d);
    if (asked != PLACE_AUTO || !p || !may_choose(t, p))
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
