/* SPDX-License-Identifier: MIT
 * Elements of a VRF: which registers a machine is told of for each kin of groups, and what comes of
 * its answers. */
#include "sources.h"

#include "linker/package/package_format.h"
#include "support/file.h"

/* What the machine was asked, in order: for the whole program, then for each group. */
#define MOST_QUESTIONS 8
static uint8_t asked[MOST_QUESTIONS][64];
static size_t questions;

static uint32_t remember(const struct target *t, const uint8_t reg_bits[64]) {
    assert_true(questions < MOST_QUESTIONS);
    memcpy(asked[questions++], reg_bits, 64);
    return t->lanes;
}

/* "r1:8 r2:16" */
static void expect_asked(size_t question, const char *want) {
    struct str s = {0};
    for (unsigned r = 0; r < 64; r++)
        if (asked[question][r])
            str_printf(&s, "%sr%u:%u", s.len ? " " : "", r, asked[question][r]);
    assert_string_equal(str_text(&s), want);
    str_free(&s);
}

static struct package *package_of(const char *text, struct target *t, struct object **o) {
    struct diag *d = diag_new(NULL, NULL);
    *o = link_ok(&text, 1, NULL);
    struct package *p = pack(*o, t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return p;
}

static void registers_under_headers_count(void **state) {
    (void)state;
    static const char text[] = ".group g[10]\n"
                               ".group h[10]\n"
                               ".group k[10] like g\n"
                               ".var x: u5 @k = r40\n" /* of g's kin */
                               ".var y: u7 @h = r41\n"
                               ".var z: u9 = r42\n" /* everywhere */
                               ".move m u11 @g r50[i] = @h r51[i]\n"
                               ".move own u12 @h r52[i] = r53\n"
                               "COMPUTEG @g\n"
                               "ADD.8 r1 r2 r3\n"
                               "JUMP sub\n"
                               "COMPUTE_DONE\n"
                               "COMPUTEG @h\n"
                               "JUMP_COND skip\n"
                               "LI.16 1 r10\n"
                               "skip: PRINT \"v\" r11:u24\n"
                               "REPEAT 3\n"
                               "LI.17 1 r12\n"
                               "REPEAT_END\n"
                               "COMPUTE_DONE\n"
                               "COMPUTEG @k\n"
                               "COMPUTEG @h\n" /* two headers, one body */
                               "LI.20 1 r4\n"
                               "COMPUTE_DONE\n"
                               "GMOVE m\n"
                               "GMOVE own\n"
                               "HALT\n"
                               ".sub sub\n"
                               "LI.33 1 r5\n"
                               "RETURN\n"
                               ".endsub\n"
                               ".sub unused\n"
                               "LI.64 1 r6\n"
                               "RETURN\n"
                               ".endsub\n";
    struct target t = make_target(64, 4, 2, 4);
    struct object *o;
    questions = 0;
    toy_lanes = remember;
    struct package *p = package_of(text, &t, &o);
    assert_int_equal(questions, 5);
    assert_memory_equal(asked[0], p->reg_bits, 64);
    assert_memory_equal(asked[1], p->reg_bits, 64); /* for fixed VRFs */
    static const char g[] = "r1:8 r2:8 r3:8 r4:20 r5:33 r40:5 r42:9 r50:11";
    expect_asked(2, g);
    expect_asked(3, "r4:20 r10:16 r11:24 r12:17 r41:7 r42:9 r51:11 r52:12 r53:12");
    expect_asked(4, g);
    package_free(p);
    object_free(o);
}

/* 64 bits a lane of the target, in slots of the widest register. */
static uint32_t slots(const struct target *t, const uint8_t reg_bits[64]) {
    uint32_t slot = 1;
    for (unsigned r = 0; r < 64; r++)
        while (slot < reg_bits[r])
            slot *= 2;
    return t->lanes * 64 / slot;
}

static void narrow_registers_make_many_lanes(void **state) {
    (void)state;
    static const char text[] = ".group b[1000]\n"
                               ".group w[1000]\n"
                               ".group f[40] at RFH1.VRF3\n"
                               ".geometry lanes=16\n"
                               ".var x: bool @b = r0\n"
                               ".var y: u33 @w = r1\n"
                               ".var z: u3 @f = r2\n";
    struct target t = make_target(16, 16, 8, 2);
    struct object *o;
    toy_lanes = slots;
    struct package *p = package_of(text, &t, &o);
    assert_int_equal(p->group_lanes[0], 1024);
    assert_int_equal(p->group_lanes[1], 16);
    assert_int_equal(p->group_lanes[2], 16); /* of .geometry */
    assert_int_equal(p->lanes, 1024);
    assert_int_equal(p->placements[0].count, 1000);
    assert_int_equal(p->placements[1].group, 1);
    assert_int_equal(p->placement_count, 1 + 63 + 3);
    package_free(p);
    object_free(o);
}

/* Fixed VRFs hold what all registers of the program let them. */
static void fixed_vrfs_hold_all_registers(void **state) {
    (void)state;
    static const char text[] = ".group f[40] at RFH1.VRF3\n"
                               ".geometry lanes=17\n"
                               ".var z: u3 @f = r2\n"
                               ".var y: u33 = r1\n";
    const char *texts = text;
    struct target t = make_target(16, 16, 8, 2);
    struct object *o = link_ok(&texts, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    toy_lanes = slots;
    assert_null(pack(o, &t, d));
    assert_error(d, "the program's fixed VRFs have 17 lanes (.geometry lanes=17); a VRF of target "
                    "'toy' has 16");
    diag_free(d);
    object_free(o);
}

static void full_kin_are_counted_in_their_own_lanes(void **state) {
    (void)state;
    static const char text[] = ".group b[70000]\n.var x: bool @b = r0\n.move m u1 @b r0[i] = @b "
                               "r0[i + 1]\nGMOVE m\n";
    const char *texts = text;
    struct target t = make_target(16, 16, 2, 2);
    struct object *o = link_ok(&texts, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    toy_lanes = slots;
    assert_null(pack(o, &t, d));
    assert_error(d, "group 'b' needs 70000 lanes; target 'toy' has 65536 lanes (2 MPUs of 32 VRFs "
                    "of 1024 lanes), of which 65536 are free");
    diag_free(d);
    object_free(o);
}

/* A package that says more lanes than the machine has is not used. */
static void forged_lanes_are_not_fresh(void **state) {
    (void)state;
    static const char text[] = ".group b[100]\n.group w[100]\n.var x: bool @b = r0\n.var y: u33 @w "
                               "= r1\n";
    struct target t = make_target(16, 16, 8, 2);
    struct object *o;
    toy_lanes = slots;
    struct package *p = package_of(text, &t, &o);
    uint32_t lanes[] = {1024, 16};
    p->group_lanes = lanes;
    assert_true(package_fresh(p, o, &t, toy_library(&t), NULL, 0));
    lanes[1] = 32;
    assert_false(package_fresh(p, o, &t, toy_library(&t), NULL, 0));
    lanes[1] = 16;
    p->lanes = 2048;
    assert_false(package_fresh(p, o, &t, toy_library(&t), NULL, 0));
    package_free(p);
    object_free(o);
}

/* The lanes of the groups, in the bytes: behind the lists of no sizes and no values. */
#define LANES_AT (PACKAGE_HEADER + 4 + 3 + 128 + 24 + 4 + 4)

static void forge(const struct object *o, const struct package *p, size_t at, uint32_t value,
                  const char *why) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    char digest[65];
    package_write(p, &s);
    memcpy(s.text + at, &value, 4);
    sha256_hex(s.text + PACKAGE_HEADER, s.len - PACKAGE_HEADER, digest);
    memcpy(s.text + PACKAGE_HEADER - PACKAGE_DIGEST, digest, PACKAGE_DIGEST);
    struct package *q = package_read(o, s.text, s.len, d);
    if (why)
        assert_error(d, why);
    assert_int_equal(q == NULL, why != NULL);
    package_free(q);
    diag_free(d);
    str_free(&s);
}

static void forged_lanes_are_refused(void **state) {
    (void)state;
    static const char text[] = ".group b[100]\n.group w[100]\n.group l[50] like b\n"
                               ".group f[40] at RFH1.VRF3\n.geometry lanes=16\n"
                               ".var x: bool @b = r0\n.var y: u33 @w = r1\n";
    static const char lanes[] = "the lanes of a group are not possible";
    static const char placed[] = "a group's placement is not possible";
    struct target t = make_target(16, 16, 8, 2);
    struct object *o;
    toy_lanes = slots;
    struct package *p = package_of(text, &t, &o);
    forge(o, p, LANES_AT, 4, NULL); /* as it is */
    forge(o, p, LANES_AT, 3, "it has other groups than the program");
    forge(o, p, LANES_AT + 4, 0, lanes);
    forge(o, p, LANES_AT + 4, 1025, lanes);
    forge(o, p, LANES_AT + 4, 512, lanes); /* others than those of l */
    forge(o, p, LANES_AT + 16, 15, lanes); /* others than those of .geometry */
    forge(o, p, LANES_AT + 8, 15, placed);
    forge(o, p, LANES_AT + 8, 17, placed);
    package_free(p);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_under_headers_count),
        cmocka_unit_test(narrow_registers_make_many_lanes),
        cmocka_unit_test(fixed_vrfs_hold_all_registers),
        cmocka_unit_test(full_kin_are_counted_in_their_own_lanes),
        cmocka_unit_test(forged_lanes_are_not_fresh),
        cmocka_unit_test(forged_lanes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
