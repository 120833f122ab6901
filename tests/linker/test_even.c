/* SPDX-License-Identifier: MIT
 * Elements over VRFs: spread evenly, in units, beside other groups, in MPUs and in rounds. */
#include "fixture.h"

#include "support/bits.h"

#define MOST_GROUPS 4

static struct target even_target(uint32_t lanes, uint32_t vrf_per_rfh, uint32_t rfh_per_mpu,
                                 uint32_t mpus, uint32_t unit) {
    struct target t = make_target(lanes, vrf_per_rfh, rfh_per_mpu, mpus);
    t.spread = SPREAD_EVEN;
    t.lanes_unit = unit;
    return t;
}

static struct package *spread(const struct object *o, const struct target *t) {
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return p;
}

static void use_group(struct object *o, uint32_t g, unsigned width) {
    add_insn(o, (struct insn){.op = OP_COMPUTEG, .imm = (int32_t)g});
    add_insn(o, (struct insn){.op = OP_ADD, .width = (uint8_t)width, .rs = 1, .rt = 2, .rd = 3});
    add_op(o, OP_COMPUTE_DONE);
}

static size_t vrfs_of(const struct package *p, uint32_t group) {
    size_t n = 0;
    for (size_t i = 0; i < p->placement_count; i++)
        n += p->placements[i].group == group;
    return n;
}

/* One group of n elements alone on the chip. */
static void expect_alone(const struct target *t, uint64_t n, uint32_t lanes, size_t vrfs) {
    struct object *o = make_program();
    add_group(o, "g", n);
    struct package *p = spread(o, t);
    assert_int_equal(p->rounds, 1);
    assert_int_equal(p->group_lanes[0], lanes);
    assert_int_equal(vrfs_of(p, 0), vrfs);
    package_free(p);
    object_free(o);
}

static void a_group_alone_has_all_vrfs(void **state) {
    (void)state;
    struct target t = even_target(1000, 4, 3, 2, 1); /* 24 VRFs */
    expect_alone(&t, 1, 1, 1);
    expect_alone(&t, 24, 1, 24);
    expect_alone(&t, 25, 2, 13);
    expect_alone(&t, 2400, 100, 24);
    expect_alone(&t, 2401, 101, 24);
    expect_alone(&t, 24000, 1000, 24);
    t.lanes_unit = 16;
    expect_alone(&t, 1, 16, 1);
    expect_alone(&t, 24 * 16, 16, 24);
    expect_alone(&t, 24 * 16 + 1, 32, 13);
    expect_alone(&t, 23995, 1000, 24); /* 992 would not do, 1,008 there are not */
    t.lanes_unit = 4096;
    expect_alone(&t, 5, 1000, 1);
    t.spread = SPREAD_FILL;
    expect_alone(&t, 2400, 1000, 3);
}

/* Every element in lane e mod lanes of VRF e div lanes of its group (of each MPU's part), in VRFs
 * that no other kin has. */
static void check_arithmetic(const struct package *p, const struct object *o) {
    size_t per = (size_t)p->vrf_per_rfh * p->rfh_per_mpu;
    uint32_t *held = xcalloc(per * p->mpus, sizeof *held);
    for (size_t i = 0, n = 0; i < p->placement_count; i++, n++) {
        const struct placement *x = &p->placements[i];
        const struct group *g = &o->groups.data[x->group];
        uint64_t all = package_group_elements(p, o, x->group);
        uint64_t share = g->per_mpu ? all / p->image_count : all;
        uint32_t lanes = p->group_lanes[x->group];
        uint32_t kin = g->like == NO_INDEX ? x->group : g->like;
        if (x->first % share == 0)
            n = 0;
        assert_int_equal(x->first % share, n * lanes);
        uint64_t left = share - x->first % share;
        if (p->slices && p->slices[x->group] < share)
            left = p->slices[x->group] - x->first % share;
        assert_int_equal(x->count, left < lanes ? left : lanes);
        uint32_t *h = &held[x->mpu * per + x->vrf * p->rfh_per_mpu + x->rfh];
        assert_true(*h == 0 || *h == kin + 1);
        *h = kin + 1;
    }
    free(held);
}

static void check_bytes(const struct package *p, const struct object *o, const struct target *t) {
    struct diag *d = diag_new(NULL, NULL);
    struct str bytes = {0};
    package_write(p, &bytes);
    struct package *q = package_read(o, bytes.text, bytes.len, d);
    assert_non_null(q);
    assert_memory_equal(p->group_lanes, q->group_lanes, o->groups.len * sizeof *p->group_lanes);
    assert_int_equal(p->placement_count, q->placement_count);
    assert_true(package_fresh(q, o, t, toy_library(t), NULL, 0));
    package_free(q);
    str_free(&bytes);
    diag_free(d);
}

static uint64_t rows_at(const struct object *o, const struct target *t, uint64_t lanes) {
    uint64_t rows = 0;
    for (uint32_t g = 0; g < o->groups.len; g++)
        rows += ceil_div(ceil_div(o->groups.data[g].extent[0].value, lanes), t->rfh_per_mpu);
    return rows;
}

/* Groups that span MPUs share the rows: no VRF could have a unit less than the fullest. */
static void random_groups_share_the_chip(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned n = 0; n < 600; n++) {
        uint32_t vrf_per_rfh = 1 + (uint32_t)(splitmix64(&seed) % 6);
        uint32_t rfh_per_mpu = 1 + (uint32_t)(splitmix64(&seed) % 4);
        uint32_t mpus = 1 + (uint32_t)(splitmix64(&seed) % 3);
        struct target t = even_target(200, vrf_per_rfh, rfh_per_mpu, mpus,
                                      1 + (uint32_t)(splitmix64(&seed) % 20));
        uint64_t rows = (uint64_t)t.vrf_per_rfh * t.mpus, most = 0;
        size_t groups = 1 + splitmix64(&seed) % MOST_GROUPS;
        struct object *o = make_program();
        for (size_t g = 0; g < groups; g++)
            add_group(o, "g", 1 + splitmix64(&seed) % 500);
        if (rows_at(o, &t, t.lanes) <= rows) {
            struct package *p = spread(o, &t);
            for (size_t g = 0; g < groups; g++) {
                assert_true(p->group_lanes[g] % t.lanes_unit == 0 || p->group_lanes[g] == t.lanes);
                most = p->group_lanes[g] > most ? p->group_lanes[g] : most;
            }
            assert_true(rows_at(o, &t, most) <= rows);
            assert_true(most == t.lanes_unit || rows_at(o, &t, most - t.lanes_unit) > rows);
            check_arithmetic(p, o);
            check_bytes(p, o, &t);
            package_free(p);
        }
        object_free(o);
    }
}

static void groups_that_are_alike_lie_alike(void **state) {
    (void)state;
    struct target t = even_target(64, 4, 2, 2, 4); /* 16 VRFs */
    struct object *o = make_program();
    add_group(o, "large", 300);
    add_group(o, "small", 30);
    o->groups.data[1].like = 0;
    struct package *p = spread(o, &t);
    assert_int_equal(p->group_lanes[0], 20);
    assert_int_equal(p->group_lanes[1], 20);
    assert_int_equal(vrfs_of(p, 1), 2);
    check_arithmetic(p, o);
    check_bytes(p, o, &t);
    package_free(p);
    object_free(o);
}

/* In each MPU, its own elements over all its VRFs; beside a group that goes over all MPUs. */
static void groups_per_mpu_have_all_vrfs_of_each(void **state) {
    (void)state;
    struct target t = even_target(1000, 8, 2, 4, 1); /* 16 VRFs an MPU */
    struct object *o = make_program();
    o->geometry.grid_dims = 1;
    o->geometry.grid[0] = 3;
    add_group(o, "span", 800);
    add_group(o, "own", 100);
    o->groups.data[1].per_mpu = true;
    struct package *p = spread(o, &t);
    /* 3 rows of each MPU's 8 for `own`; 5, 5, 5 and 8 for `span`: 18 elements would need 4 rows and
     * 23, 17 elements 24 for `span`. */
    assert_int_equal(p->group_lanes[1], 17);
    assert_int_equal(p->group_lanes[0], 18);
    assert_int_equal(vrfs_of(p, 1), 3 * 6);
    assert_int_equal(p->mpus, 4);
    check_arithmetic(p, o);
    check_bytes(p, o, &t);
    package_free(p);
    o->groups.data[0].extent[0].value = 1; /* goes where `own` has nothing */
    p = spread(o, &t);
    assert_int_equal(p->group_lanes[1], 7);
    assert_int_equal(vrfs_of(p, 1), 3 * 15);
    check_arithmetic(p, o);
    package_free(p);
    object_free(o);
}

/* The MPUs of the program start at different places, and no other may join them. */
static void a_group_stays_where_programs_start_apart(void **state) {
    (void)state;
    struct target t = even_target(64, 2, 2, 4, 1);
    struct object *o = make_program();
    add_group(o, "g", 64);
    for (unsigned i = 0; i < 2; i++) {
        struct symbol s = {"a", SYMBOL_LABEL, false, true, i, 0, NOWHERE};
        struct entry e = {i, 1, i};
        vec_push(&o->symbols, s);
        vec_push(&o->entries, e);
        add_op(o, OP_HALT);
    }
    struct package *p = spread(o, &t);
    assert_int_equal(p->mpus, 2);
    assert_int_equal(p->group_lanes[0], 8);
    package_free(p);
    object_free(o);
}

/* What lies at a place has the program's lanes, and its rows are not for others. */
static void fixed_groups_are_not_spread(void **state) {
    (void)state;
    struct target t = even_target(64, 4, 2, 1, 1);
    struct object *o = make_program();
    o->geometry.lanes = 10;
    add_group(o, "fixed", 15);
    add_group(o, "free", 60);
    o->groups.data[0].at_rfh = 0;
    o->groups.data[0].at_vrf = 1;
    struct package *p = spread(o, &t);
    assert_int_equal(p->group_lanes[0], 10);
    assert_int_equal(p->group_lanes[1], 10); /* 6 VRFs are left */
    assert_int_equal(p->lanes, 10);
    check_arithmetic(p, o);
    check_bytes(p, o, &t);
    package_free(p);
    object_free(o);
}

/* Each element in one round, and no VRF fuller than it must be. */
static void rounds_are_spread(void **state) {
    (void)state;
    uint64_t seed = 11, cut = 0;
    for (unsigned n = 0; n < 300; n++) {
        struct target t = even_target(1 + (uint32_t)(splitmix64(&seed) % 9), 3, 2, 2,
                                      1 + (uint32_t)(splitmix64(&seed) % 3));
        struct object *o = make_program();
        uint64_t elements[] = {1 + splitmix64(&seed) % 400, 1 + splitmix64(&seed) % 100};
        uint8_t *met[] = {xcalloc(elements[0], 1), xcalloc(elements[1], 1)};
        for (uint32_t g = 0; g < 2; g++) {
            add_group(o, "g", elements[g]);
            use_group(o, g, 8);
        }
        struct package *p = spread(o, &t);
        struct target full = t;
        full.spread = SPREAD_FILL;
        struct package *q = spread(o, &full);
        assert_true(p->rounds <= q->rounds);
        cut += p->rounds > 1;
        check_arithmetic(p, o);
        check_bytes(p, o, &t);
        for (uint64_t r = 0; r < p->rounds; r++) {
            struct arena arena = {0};
            struct package view = package_round(p, o, r, &arena);
            for (size_t i = 0; i < view.placement_count; i++)
                for (uint32_t k = 0; k < view.placements[i].count; k++)
                    met[view.placements[i].group][view.placements[i].first + k]++;
            arena_free(&arena);
        }
        for (uint32_t g = 0; g < 2; g++) {
            for (uint64_t e = 0; e < elements[g]; e++)
                assert_int_equal(met[g][e], 1);
            free(met[g]);
        }
        package_free(p);
        package_free(q);
        object_free(o);
    }
    assert_true(cut > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_alone_has_all_vrfs),
        cmocka_unit_test(random_groups_share_the_chip),
        cmocka_unit_test(groups_that_are_alike_lie_alike),
        cmocka_unit_test(groups_per_mpu_have_all_vrfs_of_each),
        cmocka_unit_test(a_group_stays_where_programs_start_apart),
        cmocka_unit_test(fixed_groups_are_not_spread),
        cmocka_unit_test(rounds_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
