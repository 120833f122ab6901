/* SPDX-License-Identifier: MIT
 * Placement of groups and fixed VRFs, against a direct reading of docs/linking.md. */
#include "fixture.h"

#include "support/bits.h"

struct geometry_case {
    uint32_t lanes, vrfs, rfhs, mpus;
};
static const struct geometry_case geometries[] = {
    {64, 64, 8, 497}, {512, 32, 8, 450}, {256, 64, 8, 12}, {1024, 16, 8, 512},
    {3, 2, 5, 7},     {1, 1, 1, 40},     {7, 3, 2, 4},     {64, 4, 16, 8},
};
#define GEOMETRIES (sizeof geometries / sizeof *geometries)

/* Where element e of the only group lies in an empty machine, by the rule alone. */
static void expected_place(const struct geometry_case *c, uint64_t e, uint32_t *mpu, uint32_t *rfh,
                           uint32_t *vrf, uint32_t *lane) {
    uint64_t k = e / c->lanes, in_mpu = k % ((uint64_t)c->vrfs * c->rfhs);
    *mpu = (uint32_t)(k / ((uint64_t)c->vrfs * c->rfhs));
    *rfh = (uint32_t)(in_mpu % c->rfhs);
    *vrf = (uint32_t)(in_mpu / c->rfhs);
    *lane = (uint32_t)(e % c->lanes);
}

static const struct placement *find_element(const struct package *p, uint32_t group, uint64_t e) {
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->group == group && x->first <= e && e < x->first + x->count)
            return x;
    }
    return NULL;
}

static void check_single_group(const struct geometry_case *c, uint64_t elements) {
    struct target t = make_target(c->lanes, c->vrfs, c->rfhs, c->mpus);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_group(o, "g", elements);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    uint64_t steps = elements < 50 ? elements : 50;
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t e = i + 1 == steps ? elements - 1 : elements / steps * i;
        uint32_t mpu, rfh, vrf, lane;
        expected_place(c, e, &mpu, &rfh, &vrf, &lane);
        const struct placement *x = find_element(p, 0, e);
        assert_non_null(x);
        assert_int_equal(x->mpu, mpu);
        assert_int_equal(x->rfh, rfh);
        assert_int_equal(x->vrf, vrf);
        assert_int_equal(e - x->first, lane);
        if (e == elements - 1)
            assert_int_equal(p->mpus, mpu + 1);
    }
    package_free(p);
    diag_free(d);
    object_free(o);
}

static void one_group_follows_the_rule(void **state) {
    (void)state;
    for (size_t i = 0; i < GEOMETRIES; i++) {
        const struct geometry_case *c = &geometries[i];
        uint64_t all = (uint64_t)c->lanes * c->vrfs * c->rfhs * c->mpus;
        uint64_t mpu = (uint64_t)c->lanes * c->vrfs * c->rfhs;
        const uint64_t sizes[] = {1,   c->lanes, c->lanes + 1,
                                  mpu, mpu + 1,  all < 100000 ? all : 100000};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (sizes[s] <= all)
                check_single_group(c, sizes[s]);
    }
}

static void more_than_all_lanes_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < GEOMETRIES; i++) {
        const struct geometry_case *c = &geometries[i];
        struct target t = make_target(c->lanes, c->vrfs, c->rfhs, c->mpus);
        struct object *o = make_program();
        struct diag *d = diag_new(NULL, NULL);
        uint64_t all = (uint64_t)c->lanes * c->vrfs * c->rfhs * c->mpus;
        char text[64];
        add_group(o, "big", all + 1);
        add_op(o, OP_JUMP_ANY); /* no rounds */
        assert_null(pack(o, &t, d));
        snprintf(text, sizeof text, "group 'big' needs %llu lanes", (unsigned long long)all + 1);
        assert_error(d, text);
        snprintf(text, sizeof text, "has %llu lanes", (unsigned long long)all);
        assert_error(d, text);
        diag_free(d);
        object_free(o);
    }
}

/* Random groups: no VRF is held by two that are not alike, every group starts in a fresh row, and
 * every element lies somewhere exactly once. */
static void random_groups_are_disjoint(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (unsigned round = 0; round < 400; round++) {
        const struct geometry_case *c = &geometries[round % GEOMETRIES];
        struct target t = make_target(c->lanes, c->vrfs, c->rfhs, c->mpus);
        struct object *o = make_program();
        struct diag *d = diag_new(NULL, NULL);
        static const char *const names[] = {"a", "b", "c", "d", "e"};
        uint32_t groups = 1 + (uint32_t)(splitmix64(&seed) % 5);
        for (uint32_t g = 0; g < groups; g++)
            add_group(o, names[g], 1 + splitmix64(&seed) % (3 * (uint64_t)c->lanes * c->rfhs));
        struct package *p = pack(o, &t, d);
        if (p) {
            size_t words = (size_t)c->mpus * c->vrfs * c->rfhs;
            unsigned char *owner = xcalloc(words, 1);
            uint64_t next = 0;
            uint32_t group = NO_INDEX;
            for (size_t i = 0; i < p->placement_count; i++) {
                const struct placement *x = &p->placements[i];
                size_t v = ((size_t)x->mpu * c->vrfs + x->vrf) * c->rfhs + x->rfh;
                assert_true(v < words && owner[v] == 0);
                owner[v] = (unsigned char)(x->group + 1);
                if (x->group != group) {
                    assert_int_equal(x->rfh, 0);
                    next = 0;
                    group = x->group;
                }
                assert_int_equal(x->first, next);
                next += x->count;
                bool last = next == package_group_elements(p, o, x->group);
                assert_true(last || x->count == c->lanes);
            }
            free(owner);
        } else {
            assert_error(d, "needs");
        }
        package_free(p);
        diag_free(d);
        object_free(o);
    }
}

static void like_shares_the_vrfs(void **state) {
    (void)state;
    struct target t = make_target(16, 4, 2, 3);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_group(o, "g", 40);
    uint32_t h = add_group(o, "h", 100); /* larger than what it is like */
    o->groups.data[h].like = 0;
    uint32_t i = add_group(o, "i", 20);
    o->groups.data[i].like = h;
    uint32_t z = add_group(o, "z", 1);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    for (uint64_t e = 0; e < 100; e++) {
        const struct placement *x = find_element(p, h, e);
        assert_non_null(x);
        for (uint32_t g = 0; g <= i; g += 2) {
            const struct placement *y = find_element(p, g, e);
            if (e >= package_group_elements(p, o, g)) {
                assert_null(y);
                continue;
            }
            assert_int_equal(y->mpu, x->mpu);
            assert_int_equal(y->rfh, x->rfh);
            assert_int_equal(y->vrf, x->vrf);
            assert_int_equal(y->first, x->first);
        }
    }
    /* 100 elements in VRFs of 16 fill four rows of two: z is the first of the next MPU. */
    assert_int_equal(find_element(p, z, 0)->mpu, 1);
    assert_int_equal(find_element(p, z, 0)->vrf, 0);
    package_free(p);
    diag_free(d);
    object_free(o);
}

static void groups_avoid_rows_with_fixed_vrfs(void **state) {
    (void)state;
    struct target t = make_target(64, 4, 2, 3);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_compute(o, 1, 0);
    add_compute(o, 0, 2);
    add_op(o, OP_COMPUTE_DONE);
    add_group(o, "g", 64 * 6);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    assert_int_equal(p->fixed_count, 2);
    for (size_t i = 0; i < p->fixed_count; i++) {
        assert_int_equal(p->fixed[i].rfh, p->fixed[i].phys_rfh);
        assert_int_equal(p->fixed[i].vrf, p->fixed[i].phys_vrf);
    }
    static const uint32_t mpus[] = {0, 0, 0, 0, 1, 1}, vrfs[] = {1, 1, 3, 3, 0, 0};
    assert_int_equal(p->placement_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(p->placements[i].mpu, mpus[i]);
        assert_int_equal(p->placements[i].vrf, vrfs[i]);
        assert_int_equal(p->placements[i].rfh, i % 2);
    }
    package_free(p);
    diag_free(d);
    object_free(o);
}

static void at_fixes_the_place(void **state) {
    (void)state;
    struct target t = make_target(128, 8, 8, 3);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    uint32_t g = add_group(o, "g", 64 * 3 + 5);
    o->groups.data[g].at_rfh = 6;
    o->groups.data[g].at_vrf = 2;
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    /* 64 lanes a VRF, the program's geometry, on a target with 128; 8 RFHs a row. */
    static const uint32_t rfhs[] = {6, 7, 0, 1}, vrfs[] = {2, 2, 3, 3}, counts[] = {64, 64, 64, 5};
    assert_int_equal(p->placement_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(p->placements[i].rfh, rfhs[i]);
        assert_int_equal(p->placements[i].vrf, vrfs[i]);
        assert_int_equal(p->placements[i].count, counts[i]);
    }
    package_free(p);
    uint32_t h = add_group(o, "h", 1);
    o->groups.data[h].at_rfh = 0;
    o->groups.data[h].at_vrf = 3;
    assert_null(pack(o, &t, d));
    assert_error(d, "groups 'g' and 'h' are both fixed at RFH0.VRF3");
    diag_free(d);
    object_free(o);
}

static void at_must_lie_in_the_geometry(void **state) {
    (void)state;
    struct target t = make_target(64, 64, 8, 3);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    uint32_t g = add_group(o, "g", 65);
    o->groups.data[g].at_rfh = 7;
    o->groups.data[g].at_vrf = 63;
    assert_null(pack(o, &t, d));
    assert_error(d, "group 'g' needs 2 VRFs of 64 lanes from RFH7.VRF63 on");
    diag_free(d);
    object_free(o);
}

static void narrow_target_refuses_fixed_vrfs(void **state) {
    (void)state;
    struct target t = make_target(32, 64, 8, 3);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    add_compute(o, 0, 0);
    add_op(o, OP_COMPUTE_DONE);
    assert_null(pack(o, &t, d));
    assert_error(d, ".geometry lanes=64");
    diag_free(d);
    object_free(o);
}

/* RFHs of 4 VRFs: five of RFH0 take two, one of RFH1 takes one, and RFH5 goes to the next MPU. */
static struct object *program_to_spread(void) {
    struct object *o = make_program();
    for (unsigned v = 0; v < 5; v++)
        add_compute(o, 0, 3 * v);
    add_compute(o, 1, 9);
    for (unsigned v = 0; v < 8; v++)
        add_compute(o, 5, v);
    add_op(o, OP_COMPUTE_DONE);
    return o;
}

static void fixed_vrfs_spread_over_rfhs(void **state) {
    (void)state;
    struct target t = make_target(64, 4, 4, 3);
    struct object *o = program_to_spread();
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    assert_int_equal(diag_warnings(d), 1); /* -Wsplit-rfh */
    assert_int_equal(p->fixed_count, 14);
    for (uint32_t v = 0; v < 5; v++) {
        assert_int_equal(p->fixed[v].vrf, 3 * v);
        assert_int_equal(p->fixed[v].phys_rfh, v / 4);
        assert_int_equal(p->fixed[v].phys_vrf, v % 4);
        assert_int_equal(p->fixed[v].mpu_offset, 0);
    }
    assert_int_equal(p->fixed[5].rfh, 1);
    assert_int_equal(p->fixed[5].phys_rfh, 2);
    assert_int_equal(p->fixed[5].phys_vrf, 0);
    for (uint32_t v = 0; v < 8; v++) {
        assert_int_equal(p->fixed[6 + v].mpu_offset, 1);
        assert_int_equal(p->fixed[6 + v].phys_rfh, v / 4);
    }
    assert_int_equal(p->mpus, 2);
    package_free(p);
    diag_free(d);
    object_free(o);
}

static uint32_t find_offset(const struct package *p, uint32_t rfh, uint32_t vrf) {
    for (size_t i = 0; i < p->fixed_count; i++)
        if (p->fixed[i].rfh == rfh && p->fixed[i].vrf == vrf)
            return p->fixed[i].mpu_offset;
    fail_msg("RFH%u.VRF%u is not in the package", (unsigned)rfh, (unsigned)vrf);
    return 0;
}

/* They are messages, which need nothing of the package. */
static void transfers_between_split_rfhs_are_placed(void **state) {
    (void)state;
    struct target t = make_target(64, 4, 4, 3);
    struct object *o = program_to_spread();
    struct diag *d = diag_new(NULL, NULL);
    add_insn(o, (struct insn){.op = OP_MOVE, .rfh = 0, .vrf = 5});
    add_insn(o, (struct insn){.op = OP_MEMCPY_8, .width = 8, .vrf_src = 0, .vrf_dst = 7});
    add_op(o, OP_MOVE_DONE);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    assert_int_equal(find_offset(p, 0, 0), 0);
    assert_int_equal(find_offset(p, 5, 7), 1);
    package_free(p);
    diag_free(d);
    object_free(o);
}

static void too_many_fixed_vrfs_are_refused(void **state) {
    (void)state;
    struct target t = make_target(64, 2, 2, 3);
    struct object *o = program_to_spread();
    struct diag *d = diag_new(NULL, NULL);
    assert_null(pack(o, &t, d));
    assert_error(d, "RFH0 uses 5 VRFs; an MPU of target 'toy' has 4");
    diag_free(d);
    object_free(o);
}

static void image_of_several_mpus(void **state) {
    (void)state;
    struct target t = make_target(64, 4, 2, 6);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    struct entry e = {1, 3, NO_INDEX};
    vec_push(&o->entries, e);
    add_compute(o, 0, 0);
    add_op(o, OP_COMPUTE_DONE);
    add_group(o, "g", 64 * 2 * 4);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    assert_int_equal(p->image_first, 1);
    assert_int_equal(p->image_count, 3);
    assert_int_equal(p->mpus, 4);
    assert_int_equal(p->placements[0].mpu, 1);
    assert_int_equal(p->placements[0].vrf, 1); /* row 0 holds the fixed VRF */
    assert_int_equal(p->placements[6].mpu, 2);
    assert_int_equal(p->placements[6].vrf, 1);
    package_free(p);
    o->entries.data[0].first_mpu = 4;
    assert_null(pack(o, &t, d));
    assert_error(d, "target 'toy' has 6 MPUs");
    diag_free(d);
    object_free(o);
}

/* In each MPU as if it were alone; a group that spans lies around. */
static void groups_per_mpu_lie_in_each(void **state) {
    (void)state;
    struct target t = make_target(8, 4, 2, 6);
    struct object *o = make_program();
    struct diag *d = diag_new(NULL, NULL);
    struct entry e = {1, 2, NO_INDEX};
    vec_push(&o->entries, e);
    o->geometry.grid_dims = 2;
    o->geometry.grid[0] = 2;
    o->geometry.grid[1] = 2;
    add_group(o, "s", 3 * 16 + 1); /* three rows of MPU 1 and one VRF of its last */
    add_group(o, "g", 20);
    o->groups.data[1].per_mpu = true;
    add_op(o, OP_JUMP_ANY); /* no rounds */
    assert_null(pack(o, &t, d));
    assert_error(d, "group 'g' needs 20 lanes in each MPU; an MPU of target 'toy' has 64 lanes (8 "
                    "VRFs of 8 lanes), of which 0 are free in MPU1");
    diag_free(d);
    d = diag_new(NULL, NULL);
    o->groups.data[0].extent[0].value = 17;
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    assert_int_equal(p->image_first, 1);
    assert_int_equal(p->image_count, 4);
    assert_int_equal(package_group_elements(p, o, 1), 80);
    for (uint64_t i = 0; i < 80; i++) {
        const struct placement *x = find_element(p, 1, i);
        uint32_t k = (uint32_t)(i % 20 / 8), row = (i / 20 == 0 ? 2 : 0) + k / 2;
        assert_int_equal(x->mpu, 1 + i / 20);
        assert_int_equal(x->rfh, k % 2);
        assert_int_equal(x->vrf, row);
        assert_int_equal(i - x->first, i % 20 % 8);
    }
    struct str bytes = {0};
    package_write(p, &bytes);
    struct package *again = package_read(o, bytes.text, bytes.len, d);
    assert_non_null(again);
    assert_int_equal(again->placement_count, p->placement_count);
    assert_memory_equal(again->placements, p->placements,
                        p->placement_count * sizeof *p->placements);
    str_free(&bytes);
    package_free(again);
    package_free(p);
    diag_free(d);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group_follows_the_rule),
        cmocka_unit_test(more_than_all_lanes_is_refused),
        cmocka_unit_test(random_groups_are_disjoint),
        cmocka_unit_test(like_shares_the_vrfs),
        cmocka_unit_test(groups_avoid_rows_with_fixed_vrfs),
        cmocka_unit_test(at_fixes_the_place),
        cmocka_unit_test(at_must_lie_in_the_geometry),
        cmocka_unit_test(narrow_target_refuses_fixed_vrfs),
        cmocka_unit_test(fixed_vrfs_spread_over_rfhs),
        cmocka_unit_test(transfers_between_split_rfhs_are_placed),
        cmocka_unit_test(too_many_fixed_vrfs_are_refused),
        cmocka_unit_test(groups_per_mpu_lie_in_each),
        cmocka_unit_test(image_of_several_mpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
