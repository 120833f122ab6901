/* SPDX-License-Identifier: MIT
 * The toy at link time: lanes of kin, what is refused, code that is written and read, damaged or
 * not; and instructions in narrow slots. */
#include "packaged.h"
#include "run.h"

#include "linker/package/package_format.h"
#include "machines/golden/run/golden.h"
#include "support/bits.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] = ".group b[100]\n"
                             ".group w[100]\n"
                             ".var x: u8 @b = r0\n"
                             ".var y: u33 @w = r1\n"
                             "COMPUTEG @b\n"
                             "MUL.8 r0 r0 r2\n"
                             "CMPLT.8 r0 r2\n"
                             "SETMASK cond\n"
                             "QRDIV.5 r0 r2 r3\n"
                             "COMPUTE_DONE\n"
                             "COMPUTEG @w\n"
                             "BFLIP.33 r1 r1\n"
                             "SHL.33 r1 r1 r4\n"
                             "COMPUTE_DONE\n"
                             "HALT\n";

#define TOY MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml"

static void test_lanes(void **state) {
    struct packaged x = packaged_open(source, TOY, NULL, 0);
    (void)state;
    assert_non_null(x.package);
    assert_int_equal(x.package->group_lanes[0], 512 / 8);
    assert_int_equal(x.package->group_lanes[1], 512 / 64);
    assert_int_equal(x.package->lanes, 512 / 8);
    for (unsigned bits = 1; bits <= 64; bits++) {
        const uint8_t map[64] = {[7] = (uint8_t)bits};
        unsigned slot = 1;
        while (slot < bits)
            slot *= 2;

        assert_int_equal(machine_lanes(&slot_machine, x.target, map), 512 / slot);
    }
    packaged_close(&x);
}

static void refuses(const char *text, const char *key, const char *value, const char *words) {
    packaged_refused(text, TOY, key, value, words);
}

static void test_refused(void **state) {
    (void)state;
    refuses(source, "slot.scratch_rows", "2", "in VRFs of group 'b': it needs");
    refuses(source, "slot.register_rows", "2",
            "group 'b': the registers need 3 rows; target 'slot' has 2");
}

/* ---- code ---- */

static void test_round_trip(void **state) {
    static const char *const has[] = {"SWEEP", "QRDIV.5 r0 r2 r3, masked, in slots of 8: "};
    struct packaged x = packaged_open(source, TOY, NULL, 0);
    struct machine_load load;
    uint64_t words = 0;
    (void)state;
    packaged_round_trip(&x, has, 2);
    machine_load(x.package->code, &load);
    for (uint32_t i = 0; i < load.part_count; i++)
        words += load.parts[i].count;
    assert_int_equal(words, load.words);
    packaged_close(&x);
}

/* Code that was accepted may compute anything, but within its machine. */
static void run_code(const struct packaged *x, const struct machine_code *code,
                     const struct machine_program *p) {
    const struct dp_setup setup = {.target = x->target,
                                   .mpus = 1,
                                   .lanes = 2,
                                   .reg_bits = x->package->reg_bits,
                                   .kins = p->kins,
                                   .kin_count = p->kin_count,
                                   .code = code,
                                   .init = DP_INIT_RANDOM};
    struct datapath *dp = slot_ops.open(&setup, x->d);
    for (uint32_t kin = 0; kin < p->kin_count; kin++) {
        const struct vrf_range one = {kin, 1};
        struct dp_cost unasked = {0};
        if (p->kins)
            dp->ops->shape(dp, (struct vrf_set){&one, 1}, p->kins[kin].slot);
        dp->ops->establish(dp, (struct vrf_set){&one, 1}, kin, &unasked);
        dp->ops->bind(dp, &(struct dp_binding){kin, 2, 0, kin}, 1);
        for (uint32_t i = 0; i < p->text->len; i++) {
            if (!(insn_flags(&p->text->insns[i]) & ISA_VECTOR) || !machine_kin_reaches(p, kin, i))
                continue;
            const struct dp_run run = {&p->text->insns[i], 1, true, kin};
            struct dp_code *c = dp->ops->prepare(dp, &run, x->d);
            assert_non_null(c);
            dp->ops->execute(dp, c, (struct vrf_set){&one, 1}, (struct dp_moment){0}, NULL);
        }
    }
    dp->ops->close(dp);
}

/* Where the code begins in the bytes of a package, behind its version and its size. */
static char *code_in(const struct packaged *x, const struct str *package) {
    struct str code = {0};
    slot_machine.write(x->package->code, &code);
    size_t at = 0;
    while (at + code.len <= package->len && memcmp(package->text + at, code.text, code.len) != 0)
        at++;
    assert_true(at + code.len <= package->len);
    str_free(&code);
    return package->text + at;
}

/* The bytes are as if they had been written so. */
static void seal(struct str *package) {
    char digest[65];
    sha256_hex(package->text + PACKAGE_HEADER, package->len - PACKAGE_HEADER, digest);
    memcpy(package->text + PACKAGE_HEADER - PACKAGE_DIGEST, digest, PACKAGE_DIGEST);
}

/* Code of an older version is not taken: whoever has the program makes the package anew. */
static void test_old_version(void **state) {
    struct packaged x = packaged_open(source, TOY, NULL, 0);
    struct str bytes = {0};
    (void)state;
    package_write(x.package, &bytes);
    char *version = code_in(&x, &bytes) - 8;
    assert_int_equal(*version, slot_machine.code_version);
    *version -= 1;
    seal(&bytes);
    assert_null(package_read(x.program, bytes.text, bytes.len, x.d));
    assert_int_equal(diag_errors(x.d), 0);
    assert_int_equal(diag_warnings(x.d), 1); /* -Wstale-package */
    str_free(&bytes);
    packaged_close(&x);
}

/* Code for other slots than those that follow from the text is not taken, nor are other lanes. */
static void test_package_of_other_kin(void **state) {
    struct packaged x = packaged_open(source, TOY, NULL, 0);
    struct str bytes = {0};
    (void)state;
    package_write(x.package, &bytes);
    struct str code = {0};
    slot_machine.write(x.package->code, &code);
    char *kins = code_in(&x, &bytes) + code.len - 2;
    for (int i = 0; i < 3; i++) {
        const char others[3][2] = {{8, 64}, {64, 8}, {16, 64}};
        memcpy(kins, others[i], 2);
        seal(&bytes);
        struct package *again = package_read(x.program, bytes.text, bytes.len, x.d);
        assert_non_null(again);
        assert_int_equal(package_fresh(again, x.program, x.target, x.library, NULL, 0), i == 0);
        package_free(again);
    }
    str_free(&code);
    str_free(&bytes);
    packaged_close(&x);
}

static void test_damage(void **state) {
    struct packaged x = packaged_open(source, TOY, NULL, 0);
    (void)state;
    packaged_damaged(
        &x, &(struct packaged_damage){.all = 400, .step = 7, .least = 100, .run = run_code});
    packaged_close(&x);
}

/* Code of other kin than the program's is read, but does not serve it. */
static void test_other_kin(void **state) {
    struct packaged x = packaged_open(source, TOY, NULL, 0);
    struct str bytes = {0};
    struct arena arena = {0};
    struct text text;
    struct machine_program p = package_program_of(x.package, &text, NULL, &arena);
    (void)state;
    slot_machine.write(x.package->code, &bytes);
    char *kins = bytes.text + bytes.len - 2; /* slots of b and of w */
    assert_int_equal(p.kin_count, 2);
    assert_true(kins[0] == 8 && kins[1] == 64);
    for (int i = 0; i < 3; i++) {
        const char *problem;
        const char others[3][2] = {{8, 64}, {64, 8}, {8, 8}};
        memcpy(kins, others[i], 2);
        struct machine_code *code = slot_machine.read(bytes.text, bytes.len, &problem);
        assert_non_null(code);
        assert_int_equal(slot_machine.ready(code, x.library, &p), i == 0);
        machine_code_free(code);
    }
    arena_free(&arena);
    str_free(&bytes);
    packaged_close(&x);
}

/* ---- narrow slots: what is beyond a slot is not there ---- */

enum { LANES = 16 };

static struct datapath *open_machine(const struct datapath_ops *ops, const struct target *t,
                                     unsigned bits, uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    uint8_t map[64] = {0};
    memset(map, (int)bits, 4);
    const struct dp_setup setup = {.target = t,
                                   .mpus = 1,
                                   .lanes = LANES,
                                   .reg_bits = map,
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct datapath *dp = ops->open(&setup, d);
    const struct dp_binding b = {0, LANES - 3, 0, 0};
    const struct vrf_range one = {0, 1};
    struct dp_cost unasked = {0};
    assert_non_null(dp);
    if (dp->tables.establishes)
        dp->ops->establish(dp, (struct vrf_set){&one, 1}, 0, &unasked);
    dp->ops->bind(dp, &b, 1);
    diag_free(d);
    return dp;
}

static void run_one(struct datapath *dp, const struct insn *x, size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    struct vrf_range one = {0, 1};
    const struct dp_run run = {x, count, false, 0};
    struct dp_code *code = dp->ops->prepare(dp, &run, d);
    if (!code)
        fail_msg("%s", diag_first(d));
    dp->ops->execute(dp, code, (struct vrf_set){&one, 1}, (struct dp_moment){0}, NULL);
    diag_free(d);
}

static void compare(struct datapath *a, struct datapath *b, const struct insn *x) {
    for (unsigned part = 0; part < 6; part++) {
        uint64_t have[LANES], want[LANES];
        enum dp_what what = part < 4 ? DP_REGISTER : part == 4 ? DP_C : DP_M;
        a->ops->get(a, 0, what, part, 0, LANES, have);
        b->ops->get(b, 0, what, part, 0, LANES, want);
        if (memcmp(have, want, sizeof have) != 0)
            fail_msg("%s.%u differs", isa_info(x->op)->name, x->width);
    }
}

static void try_narrow(const struct target *t, unsigned bits, enum isa_op op, unsigned w) {
    struct insn x[2] = {{.op = OP_SETMASK, .rs = 1},
                        {.op = op, .rs = 1, .rt = 2, .rd = 3, .width = (uint8_t)w, .imm = 1}};
    uint32_t flags = isa_info(op)->flags, word;
    x[1].width = flags & ISA_WIDTH ? (uint8_t)w : 0;
    x[1].rs = flags & (READS_RS | WRITES_RS) ? 1 : 0;
    x[1].rt = flags & (READS_RT | WRITES_RT) ? 2 : 0;
    x[1].rd = flags & (READS_RD | WRITES_RD) ? 3 : 0;
    if (isa_encode(&x[1], &word) != ISA_OK)
        x[1].imm = 0;
    if (isa_encode(&x[1], &word) != ISA_OK || isa_decode(word, &x[1]) != ISA_OK)
        return;
    struct datapath *slot = open_machine(&slot_ops, t, bits, w + 100 * op);
    struct datapath *golden = open_machine(&golden_ops, t, bits, w + 100 * op);
    for (unsigned masked = 0; masked < 2; masked++) {
        run_one(slot, x + 1 - masked, 1 + masked);
        run_one(golden, x + 1 - masked, 1 + masked);
        compare(slot, golden, &x[1]);
    }
    slot->ops->close(slot);
    golden->ops->close(golden);
}

static void test_narrow_slots(void **state) {
    struct packaged x = packaged_open("HALT\n", TOY, NULL, 0);
    (void)state;
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned w = 1; slot_has((enum isa_op)op) && w <= 32; w += w < 9 ? 1 : 7)
            for (unsigned bits = w; bits <= 32; bits = bits * 2 + (bits == w))
                try_narrow(x.target, bits, (enum isa_op)op, w);
    packaged_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_damage),
        cmocka_unit_test(test_narrow_slots), cmocka_unit_test(test_other_kin),
        cmocka_unit_test(test_old_version),  cmocka_unit_test(test_package_of_other_kin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
