/* SPDX-License-Identifier: MIT
 * The verification matrix on a machine that is no plane machine, with VRFs of any size, and whether
 * it finds each way in which a machine can be wrong. */
#include "machines/golden/run/golden.h"
#include "machines/verify/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* --- a machine that does wrong --- */

typedef void wrong_fn(struct datapath *dp, struct vrf_set set);

/* Set while no matrix runs: threads read it. */
static struct {
    struct datapath_ops ops; /* golden's, but for what is below */
    wrong_fn *after;         /* each execution; may be NULL */
    bool unmasked;           /* masks are passed over */
    uint64_t micro_ops;      /* of each form, as describe says */
    atomic_uint opened, prepared, checked;
} wrong;

static struct datapath *wrong_open(const struct dp_setup *setup, struct diag *d) {
    struct datapath *dp = golden_ops.open(setup, d);
    if (dp)
        dp->ops = &wrong.ops;
    wrong.opened++;
    return dp;
}

static struct dp_code *wrong_prepare(struct datapath *dp, const struct dp_run *run,
                                     struct diag *d) {
    struct dp_run x = *run;
    x.masked &= !wrong.unmasked;
    wrong.prepared++;
    return golden_ops.prepare(dp, &x, d);
}

static void wrong_describe(const struct datapath *dp, const struct dp_code *code,
                           struct dp_description *out) {
    golden_ops.describe(dp, code, out);
    out->micro_ops = wrong.micro_ops;
}

static void wrong_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                          struct dp_moment begin, struct dp_outcome *out) {
    golden_ops.execute(dp, code, set, begin, out);
    if (wrong.after)
        wrong.after(dp, set);
}

static bool has(const void *context, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    (void)context;
    return info->flags & ISA_VECTOR && info->golden && !(info->flags & ISA_RESERVED);
}

static bool count_checked(const void *context, const struct insn *insn, bool masked,
                          const struct dp_code *code, struct diag *d) {
    (void)context, (void)insn, (void)masked, (void)d;
    wrong.checked++;
    return code != NULL;
}

static struct verify_machine wrong_machine(const struct target *t, wrong_fn *after) {
    wrong.ops = golden_ops;
    wrong.ops.prepare = wrong_prepare;
    wrong.ops.describe = wrong_describe;
    wrong.ops.execute = wrong_execute;
    wrong.after = after;
    wrong.unmasked = false;
    wrong.micro_ops = 0;
    wrong.opened = wrong.prepared = wrong.checked = 0;
    return (struct verify_machine){
        .open = wrong_open, .setup = {.target = t}, .has = has, .check = count_checked};
}

/* --- trials --- */

static int open_target(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    *state = target_open("golden", NULL, 0, d);
    diag_free(d);
    return *state ? 0 : 1;
}

static int close_target(void **state) {
    target_free(*state);
    return 0;
}

static void want_right(const struct verify_machine *m, enum isa_op op, unsigned width,
                       struct verify_count *n) {
    struct verify_options o = {.effort = VERIFY_LIGHT, .op = op, .width = width, .seed = 1};
    struct diag *d = diag_new(NULL, NULL);
    if (!verify_matrix(m, &o, n, d))
        fail_msg("%u lanes: %s", m->lanes, diag_first(d));
    diag_free(d);
}

/* ADD, with a message that has these words. */
static void want_wrong(const struct verify_machine *m, unsigned width, const char *words) {
    struct verify_options o = {.effort = VERIFY_LIGHT, .op = OP_ADD, .width = width, .seed = 1};
    struct verify_count n;
    struct diag *d = diag_new(NULL, NULL);
    if (verify_matrix(m, &o, &n, d))
        fail_msg("no difference, expected '%s'", words);
    if (!diag_first(d) || !strstr(diag_first(d), words))
        fail_msg("'%s', expected '%s'", diag_first(d), words);
    diag_free(d);
}

/* The same forms and results whatever the VRFs are like. */
static void test_geometry(void **state) {
    static const uint32_t lanes[] = {1, 7, 64, 100, 300, RIG_CHUNK, RIG_LANES - 1, RIG_LANES + 1};
    struct verify_machine m = wrong_machine(*state, NULL);
    struct verify_count free_count, n;
    want_right(&m, OP_COUNT, 3, &free_count);
    assert_true(free_count.instructions > 50 && free_count.forms > 100);
    assert_int_equal(wrong.checked, free_count.forms);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        m.lanes = lanes[i];
        want_right(&m, OP_ADD, 0, &n);
        want_right(&m, OP_COUNT, 3, &n);
        assert_memory_equal(&n, &free_count, sizeof n);
    }
}

/* Values of a whole pass and more, and of VRFs that do not end with it. */
static void test_passes(void **state) {
    struct verify_machine m = wrong_machine(*state, NULL);
    struct verify_options o = {.effort = VERIFY_FULL, .op = OP_ADD, .width = 8, .seed = 1};
    struct diag *d = diag_new(NULL, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct verify_count n;
        m.lanes = i * 1000;
        if (!verify_matrix(&m, &o, &n, d))
            fail_msg("%s", diag_first(d));
        assert_true(n.lanes >= n.forms << 8);
    }
    diag_free(d);
}

/* --- each way to be wrong --- */

static void flip(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t lane,
                 uint64_t bits) {
    uint64_t v;
    golden_ops.get(dp, vrf, what, reg, lane, 1, &v);
    v ^= bits;
    golden_ops.put(dp, vrf, what, reg, 64, lane, 1, &v);
}

static uint32_t last_vrf(struct vrf_set set) {
    return set.ranges[0].first + set.ranges[0].count - 1;
}

static void flip_result(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set), DP_REGISTER, 3, state_of(dp)->lanes - 1, 1);
}
static void flip_above(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set), DP_REGISTER, 3, 0, 4);
}
static void flip_operand(struct datapath *dp, struct vrf_set set) {
    flip(dp, 0, DP_REGISTER, 1, 2, 2);
    (void)set;
}
static void flip_other(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set), DP_REGISTER, 0, 3, (uint64_t)1 << 63);
}
static void flip_c(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set), DP_C, 0, 4, 1);
}
static void flip_m(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set), DP_M, 0, 5, 1);
}
static void flip_valid(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set), DP_VALID, 0, 6, 1);
}
static void flip_next(struct datapath *dp, struct vrf_set set) {
    flip(dp, last_vrf(set) + 1, DP_REGISTER, 2, 7, 1);
}
static void change_far(struct datapath *dp, struct vrf_set set) {
    static const uint64_t v = 0x1234;
    golden_ops.put(dp, last_vrf(set) + 3, DP_REGISTER, 0, 64, 8, 1, &v);
}

static void test_wrong(void **state) {
    /* ADD.2 has 16 pairs of operands: one VRF works, with all its lanes. */
    static const struct {
        wrong_fn *after;
        const char *words;
    } all[] = {
        {flip_result, "ADD.2 r1 r2 r3: lane 255: before r1 = 0x"},
        {flip_above, ": lane 0: before"},
        {flip_operand, ": lane 2: before"},
        {flip_other, ": lane 3: before"},
        {flip_c, "; got C = "},
        {flip_m, "; got M = "},
        {flip_valid, "; got valid = "},
        {flip_next, "ADD.2 r1 r2 r3: VRF 1, which has no part in it: got r2 = 0x"},
        {change_far, "ADD: VRF 3, which had no part in it: got r0 = 0x1234; expected r0 = 0x"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct verify_machine m = wrong_machine(*state, all[i].after);
        want_wrong(&m, 2, all[i].words);
    }
}

static void test_mask(void **state) {
    struct verify_machine m = wrong_machine(*state, NULL);
    wrong.unmasked = true;
    want_wrong(&m, 2, "ADD.2 r1 r2 r3, masked: lane ");
}

static bool refuse(const void *context, const struct insn *insn, bool masked,
                   const struct dp_code *code, struct diag *d) {
    (void)context, (void)insn, (void)code;
    if (masked)
        diag_error(d, NO_SPAN, "not while masked");
    return !masked;
}

static void test_check(void **state) {
    struct verify_machine m = wrong_machine(*state, NULL);
    m.check = refuse;
    want_wrong(&m, 2, "not while masked");
}

/* A machine that keeps much code is opened anew, and holds what it held. */
static void test_room(void **state) {
    struct verify_machine m = wrong_machine(*state, NULL);
    struct verify_count n;
    want_right(&m, OP_ADD, 2, &n);
    assert_int_equal(wrong.opened, 1);
    assert_int_equal(n.uop_lanes, 0);
    m = wrong_machine(*state, NULL);
    wrong.micro_ops = (uint64_t)1 << 32;
    want_right(&m, OP_ADD, 2, &n);
    assert_int_equal(wrong.prepared, n.forms);
    assert_in_range(wrong.opened, (n.forms + 1) / 2, n.forms);
    assert_true(n.uop_lanes == n.lanes << 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometry), cmocka_unit_test(test_passes),
        cmocka_unit_test(test_wrong),    cmocka_unit_test(test_mask),
        cmocka_unit_test(test_check),    cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, open_target, close_target);
}
