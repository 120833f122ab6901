/* SPDX-License-Identifier: MIT
 * Runs beside those of a sweep's axes: of chips at one area, and with each assumed number lower and
 * higher. */
#include "runtime/sweep.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* NULL, or why runs cannot be added now. */
static const char *refuse(const mpu_sweep *w) {
    if (w->program)
        return "runs are added before the sweep begins";
    if (w->extras.len)
        return "runs are added to a sweep once";
    if (!w->targets.len)
        return "a sweep has no targets";
    return sweep_base_count(w) > MPU_SWEEP_MAX ? "a sweep has too many runs" : NULL;
}

static mpu_result refused(const char *why, struct diag *diag) {
    diag_error(diag, NO_SPAN, "%s", why);
    return MPU_USAGE;
}

/* The target of a run, without a word about what is wrong with it; NULL then. */
static mpu_target *open_quietly(const struct sweep_point *point) {
    struct diag *quiet = diag_new(NULL, NULL);
    mpu_target *t = NULL;
    if (public_target_open_diag(point->target, point->set, point->set_count, quiet, &t) != MPU_OK)
        t = NULL;
    diag_free(quiet);
    return t;
}

/* ---- one area ---- */

/* Chips whose areas differ by less than one part of so many have the same: nobody can build a part
 * of an MPU. */
enum { SAME_AREA = 100 };

static bool same_area(uint64_t left, uint64_t right) {
    uint64_t more = left > right ? left : right, less = left > right ? right : left;
    return more - less < more / SAME_AREA;
}

/* Of the chip; 0: it is not known. */
static uint64_t chip_um2(const mpu_target *target) {
    struct target_area a = target_area(target->t);
    return a.known ? sat_mul(a.total, target->t->mpus) : 0;
}

/* What every run's chip takes, um2 [base count]; runs on one machine follow one another. */
static uint64_t *all_areas(mpu_sweep *w) {
    uint64_t count = sweep_base_count(w), *areas = xcalloc(count + 1, sizeof *areas);
    struct sweep_point p, before = {.machine = UINT64_MAX};
    for (uint64_t i = 0; i < count; i++, before = p) {
        sweep_point_at(w, i, &p);
        mpu_target *t = p.machine == before.machine ? NULL : open_quietly(&p);
        areas[i] = p.machine == before.machine ? areas[i - 1] : t ? chip_um2(t) : 0;
        mpu_target_close(t);
    }
    return areas;
}

/* The least area of the runs that differ in their target alone; 0: none is known. */
static uint64_t least_area(const mpu_sweep *w, const uint64_t *areas, uint64_t index) {
    uint64_t count = sweep_base_count(w), step = count / w->targets.len, least = 0;
    for (uint64_t i = index % step; i < count; i += step)
        if (areas[i] && (!least || areas[i] < least))
            least = areas[i];
    return least;
}

static void add_area(mpu_sweep *w, uint64_t base, uint64_t um2) {
    const struct sweep_extra x = {
        .base = base,
        .key = "machine.mpus",
        .value = arena_printf(&w->arena, "iso:%lluum2", (unsigned long long)um2),
        .area_um2 = um2};
    vec_push(&w->extras, x);
}

/* A number of MPUs that somebody chose is what they want to see. */
static bool mpus_chosen(const mpu_sweep *w) {
    for (size_t i = 0; i < w->sets.len; i++)
        if (strcmp(w->sets.data[i].name, "mpus") == 0 ||
            strcmp(w->sets.data[i].name, "machine.mpus") == 0)
            return true;
    return false;
}

mpu_result mpu_sweep_add_area(mpu_sweep *w, uint64_t um2, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    const char *why = refuse(w);
    public_call_begin(&c, w->messages, error);
    if (why)
        return public_call_end(&c, refused(why, c.d));
    uint64_t *areas = all_areas(w), count = mpus_chosen(w) ? 0 : sweep_base_count(w);
    VEC(uint64_t) of = {0};
    for (uint64_t i = 0; i < count; i++)
        vec_push(&of, um2 ? um2 : least_area(w, areas, i));
    for (uint64_t i = 0; i < count; i++)
        if (areas[i] && !same_area(areas[i], of.data[i]))
            add_area(w, i, of.data[i]);
    vec_free(&of);
    free(areas);
    return public_call_end(&c, MPU_OK);
}

/* ---- assumed numbers ---- */

static bool is_assumed(const struct target_key *key) {
    return key->settable && strncmp(key->source, "assumed", 7) == 0;
}

/* So much of it, rounded to the nearest; at least one away from it. */
static uint64_t changed(uint64_t value, unsigned percent, bool higher) {
    uint64_t by = sat_scale(value, 2 * (uint64_t)percent, 100);
    by = by / 2 + by % 2;
    by = by ? by : 1;
    return higher ? sat_add(value, by) : value - by;
}

static void leave(mpu_sweep *w, const struct target_key *key, const char *why) {
    w->untouched = xreallocarray(w->untouched, w->untouched_count + 1, sizeof *w->untouched);
    w->untouched[w->untouched_count++] = (struct sweep_untouched){
        arena_strdup(&w->arena, key->path), arena_strdup(&w->arena, key->value), why};
}

/* The target takes the number. */
static bool is_taken(mpu_sweep *w) {
    struct sweep_point p;
    sweep_point_at(w, sweep_base_count(w) + w->extras.len - 1, &p);
    mpu_target *t = open_quietly(&p);
    mpu_target_close(t);
    return t != NULL;
}

static bool add_varied(mpu_sweep *w, const struct target_key *key, uint64_t value, bool higher) {
    const struct sweep_extra x = {
        .key = arena_strdup(&w->arena, key->path),
        .value =
            arena_printf(&w->arena, "%llu", (unsigned long long)changed(value, w->percent, higher)),
        .from = arena_strdup(&w->arena, key->value),
        .higher = higher};
    vec_push(&w->extras, x);
    if (is_taken(w))
        return true;
    w->extras.len--;
    return false;
}

static void vary(mpu_sweep *w, const struct target_key *key) {
    uint64_t value;
    if (!number_parse_u64(key->value, strlen(key->value), &value)) {
        leave(w, key, "no number");
        return;
    }
    if (value == 0) {
        leave(w, key, "0 has no part");
        return;
    }
    bool lower = add_varied(w, key, value, false), higher = add_varied(w, key, value, true);
    if (!lower && !higher)
        leave(w, key, "the target takes no other");
}

mpu_result mpu_sweep_add_sensitivity(mpu_sweep *w, uint32_t percent, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    const char *why = refuse(w);
    struct sweep_point p;
    if (!why && sweep_base_count(w) != 1)
        why = "numbers are varied of one run";
    if (!why && (percent < 1 || percent > 99))
        why = "numbers are varied by 1 to 99 percent";
    public_call_begin(&c, w->messages, error);
    if (why)
        return public_call_end(&c, refused(why, c.d));
    sweep_point_at(w, 0, &p);
    mpu_target *t;
    mpu_result r = public_target_open_diag(p.target, p.set, p.set_count, c.d, &t);
    if (r != MPU_OK)
        return public_call_end(&c, r);
    w->percent = percent;
    for (size_t i = 0; i < t->t->key_count; i++)
        if (is_assumed(&t->t->keys[i]))
            vary(w, &t->t->keys[i]);
    mpu_target_close(t);
    return public_call_end(&c, MPU_OK);
}
