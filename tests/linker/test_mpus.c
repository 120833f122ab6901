/* SPDX-License-Identifier: MIT
 * --place spread: rows of groups over MPUs, against a direct reading of docs/linking.md. */
#include "fixture.h"

#include "support/alloc.h"
#include "support/bits.h"

static struct package *pack_over(const struct object *o, const struct target *t, uint32_t mpus,
                                 struct diag *d) {
    const struct package_place place = {.asked = PLACE_AUTO, .chosen = PLACE_SPREAD, .mpus = mpus};
    return package_build_at(o, t, toy_library(t), NULL, 0, &place, NULL, d);
}

static struct package *pack_spread(const struct object *o, const struct target *t, struct diag *d) {
    const struct package_place place = {.asked = PLACE_SPREAD, .chosen = PLACE_SPREAD};
    return package_build_at(o, t, toy_library(t), NULL, 0, &place, NULL, d);
}

/* Rows that a group has in an MPU. */
static uint32_t rows_in(const struct package *p, uint32_t group, uint32_t mpu) {
    uint32_t rows = 0;
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        rows += x->group == group && x->mpu == mpu && x->rfh == 0;
    }
    return rows;
}

/* Elements go up through MPUs, rows and RFHs without a gap, full VRFs first. */
static void expect_in_order(const struct package *p, uint32_t group, uint64_t elements) {
    const struct placement *before = NULL;
    uint64_t next = 0;
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->group != group)
            continue;
        assert_int_equal(x->first, next);
        assert_true(x->count == p->group_lanes[group] || next + x->count == elements);
        if (before && before->mpu == x->mpu)
            assert_true(before->vrf * p->rfh_per_mpu + before->rfh <
                        x->vrf * p->rfh_per_mpu + x->rfh);
        else if (before)
            assert_true(before->mpu < x->mpu && x->rfh == 0);
        next += x->count;
        before = x;
    }
    assert_int_equal(next, elements);
}

/* No two groups that are not alike hold a VRF, or VRFs of one row. */
static void expect_apart(const struct package *p, const struct object *o) {
    uint32_t *owner = xcalloc((size_t)p->mpus * p->vrf_per_rfh + 1, sizeof *owner);
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        uint32_t like = o->groups.data[x->group].like;
        uint32_t who = (like == NO_INDEX ? x->group : like) + 1;
        uint32_t *row = &owner[x->mpu * p->vrf_per_rfh + x->vrf];
        assert_true(*row == 0 || *row == who);
        *row = who;
    }
    free(owner);
}

/* Of one group in an empty chip an MPU has as few rows as there can be, and no MPU two fewer than
 * another. */
static void rows_are_divided(void **state) {
    (void)state;
    static const uint32_t mpus[] = {1, 2, 3, 7, 16, 497};
    for (size_t m = 0; m < sizeof mpus / sizeof *mpus; m++)
        for (uint32_t rows = 1; rows <= 40 && rows <= 8 * mpus[m]; rows++) {
            struct target t = make_target(4, 8, 2, mpus[m]);
            struct object *o = make_program();
            struct diag *d = diag_new(NULL, NULL);
            add_group(o, "g", rows * 8u - 3);
            struct package *p = pack_spread(o, &t, d);
            assert_non_null(p);
            for (uint32_t k = 0; k < mpus[m]; k++) {
                uint32_t want = rows / mpus[m] + (k < rows % mpus[m]);
                assert_int_equal(rows_in(p, 0, k), want);
            }
            assert_int_equal(p->mpus, rows < mpus[m] ? rows : mpus[m]);
            assert_int_equal(package_most_rows(p), ceil_div(rows, mpus[m]));
            expect_in_order(p, 0, rows * 8u - 3);
            package_free(p);
            diag_free(d);
            object_free(o);
        }
}

/* Random groups, alike and not, on chips that are nearly full: what fits packed fits spread. */
static void random_groups_fit(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    uint64_t seed = 23;
    unsigned fit = 0;
    for (unsigned round = 0; round < 600; round++) {
        struct target t = make_target(4, 5, 2, 1 + (uint32_t)(splitmix64(&seed) % 9));
        struct object *o = make_program();
        struct diag *d = diag_new(NULL, NULL);
        uint32_t groups = 1 + (uint32_t)(splitmix64(&seed) % 6);
        for (uint32_t g = 0; g < groups; g++) {
            add_group(o, names[g], 1 + splitmix64(&seed) % (20 * (uint64_t)t.mpus));
            if (g && splitmix64(&seed) % 3 == 0)
                o->groups.data[g].like = 0;
        }
        add_op(o, OP_JUMP_ANY); /* no rounds */
        struct package *packed = pack(o, &t, d);
        diag_free(d);
        d = diag_new(NULL, NULL);
        struct package *p = pack_over(o, &t, (uint32_t)(splitmix64(&seed) % 4), d);
        assert_int_equal(packed != NULL, p != NULL);
        fit += p != NULL;
        for (uint32_t g = 0; p && g < groups; g++)
            expect_in_order(p, g, package_group_elements(p, o, g));
        if (p)
            expect_apart(p, o);
        package_free(packed);
        package_free(p);
        diag_free(d);
        object_free(o);
    }
    assert_true(fit > 200);
}

/* Groups of the same size lie side by side, in the same MPUs. */
static void equal_groups_stay_together(void **state) {
    (void)state;
    struct target t = make_target(4, 8, 2, 5);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_group(o, "a", 100);
    add_group(o, "b", 100);
    struct package *p = pack_spread(o, &t, d);
    assert_non_null(p);
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(rows_in(p, 0, k), rows_in(p, 1, k));
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* A row with a fixed VRF is no free one, and groups per MPU stay in theirs. */
static void what_has_its_place_keeps_it(void **state) {
    (void)state;
    struct target t = make_target(4, 4, 2, 6);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    o->geometry = (struct geometry){.lanes = 4, .vrfs = 4, .rfhs = 2, .grid_dims = 1, .grid = {2}};
    add_group(o, "all", 60); /* 8 rows */
    uint32_t each = add_group(o, "each", 15);
    o->groups.data[each].per_mpu = true;
    add_compute(o, 1, 2);
    add_op(o, OP_COMPUTE_DONE);
    struct package *p = pack_spread(o, &t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    assert_int_equal(rows_in(p, each, 0), 2);
    assert_int_equal(rows_in(p, each, 1), 2);
    for (size_t i = 0; i < p->placement_count; i++)
        assert_true(p->placements[i].mpu > 1 || p->placements[i].vrf != 2);
    assert_int_equal(rows_in(p, 0, 0), 1); /* what is left there */
    assert_int_equal(rows_in(p, 0, 1), 1);
    assert_int_equal(rows_in(p, 0, 2), 2);
    assert_int_equal(rows_in(p, 0, 3), 2);
    assert_int_equal(rows_in(p, 0, 5), 1);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* Text that sends or receives says itself which MPU has what. */
static void messages_pin_groups(void **state) {
    (void)state;
    struct target t = make_target(4, 8, 2, 6);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_group(o, "g", 40);
    add_insn(o, (struct insn){.op = OP_RECV, .imm = 0});
    struct package *p = pack_spread(o, &t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    assert_int_equal(rows_in(p, 0, 0), 5);
    assert_int_equal(p->place.chosen, PLACE_SPREAD);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* MPUs that start at different places are not joined by others. */
static void starts_apart_stay_among_themselves(void **state) {
    (void)state;
    struct target t = make_target(4, 8, 2, 6);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    for (uint32_t m = 0; m < 3; m++) {
        struct symbol s = {.name = m == 0 ? "a" : m == 1 ? "b" : "c", .defined = true, .value = m};
        vec_push(&o->symbols, s);
        add_op(o, OP_NOP);
        vec_push(&o->entries, ((struct entry){m, 1, m}));
    }
    add_group(o, "g", 56);
    struct package *p = pack_spread(o, &t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    for (uint32_t m = 0; m < 6; m++)
        assert_int_equal(rows_in(p, 0, m), m < 1 ? 3 : m < 3 ? 2 : 0);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* More than the chip holds: as few rounds as ever, cut evenly, each over all MPUs. */
static void rounds_use_all_mpus(void **state) {
    (void)state;
    struct target t = make_target(4, 8, 2, 6);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_group(o, "g", 6 * 8 * 8 + 1);
    struct package *p = pack_spread(o, &t, d);
    assert_non_null(p);
    assert_int_equal(p->rounds, 2);
    assert_int_equal(p->slices[0], 25 * 8);
    assert_int_equal(p->mpus, 6);
    for (uint32_t m = 0; m < 6; m++)
        assert_int_equal(rows_in(p, 0, m), m ? 4 : 5);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* What was asked and chosen survives the package's bytes; what cannot be is refused. */
static void places_are_kept(void **state) {
    (void)state;
    static const struct package_place good[] = {
        {.asked = PLACE_PACKED, .chosen = PLACE_PACKED},
        {.asked = PLACE_SPREAD, .chosen = PLACE_SPREAD},
        {.asked = PLACE_AUTO, .chosen = PLACE_PACKED, .laps = 8},
        {.asked = PLACE_AUTO, .chosen = PLACE_SPREAD, .mpus = 3, .in_part = true}};
    static const struct package_place bad[] = {
        {.asked = PLACE_PACKED, .chosen = PLACE_SPREAD},
        {.asked = PLACE_AUTO, .chosen = PLACE_AUTO},
        {.asked = PLACE_AUTO, .chosen = PLACE_PACKED, .mpus = 2},
        {.asked = PLACE_SPREAD, .chosen = PLACE_SPREAD, .laps = 8}};
    struct target t = make_target(4, 8, 2, 6);
    struct object *o = make_program();
    add_group(o, "g", 100);
    for (size_t i = 0; i < 8; i++) {
        const struct package_place *place = i < 4 ? &good[i] : &bad[i - 4];
        struct diag *d = diag_new(NULL, NULL);
        struct str bytes = {0};
        struct package *p = package_build_at(o, &t, toy_library(&t), NULL, 0, place, NULL, d);
        package_write(p, &bytes);
        struct package *q = package_read(o, bytes.text, bytes.len, d);
        assert_int_equal(q != NULL, i < 4);
        if (q)
            assert_true(q->place.asked == place->asked && q->place.chosen == place->chosen &&
                        q->place.mpus == place->mpus && q->place.laps == place->laps &&
                        q->place.in_part == place->in_part);
        else
            assert_error(d, "its place is not possible");
        package_free(p);
        package_free(q);
        str_free(&bytes);
        diag_free(d);
    }
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_divided),
        cmocka_unit_test(random_groups_fit),
        cmocka_unit_test(equal_groups_stay_together),
        cmocka_unit_test(what_has_its_place_keeps_it),
        cmocka_unit_test(messages_pin_groups),
        cmocka_unit_test(starts_apart_stay_among_themselves),
        cmocka_unit_test(rounds_use_all_mpus),
        cmocka_unit_test(places_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
