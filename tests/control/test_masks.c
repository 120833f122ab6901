/* SPDX-License-Identifier: MIT
 * What predication costs, on targets that apply a mask in different ways, against numbers worked
 * out by hand. */
#include "machine.h"

#include "machines/plane/link/plane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Energies of micro-ops in one VRF, fJ (isa-spec/targets/): mimdram's commands on a mat;
 * duality-cache's cycle on its 256 bit lines. */
#define AAP           UINT64_C(6805)
#define AP            UINT64_C(5188)
#define DUALITY_CYCLE UINT64_C(15400)
/* mimdram merges a written bit in 7 commands: 5 copies and 2 majorities. */
#define MERGE_FJ (5 * AAP + 2 * AP)

static struct control_masks masks_of(const char *target, const char *text) {
    struct opened m;
    machine_open_on(&m, target, text);
    machine_run(&m, NULL);
    assert_int_equal(m.end, CONTROL_DONE);
    struct control_masks x = control_stats(m.control)->masks;
    assert_true(x.known);
    machine_close(&m);
    return x;
}

static void check(struct control_masks x, uint64_t micro_ops, uint64_t energy_fj,
                  uint64_t instructions) {
    assert_int_equal(x.micro_ops, micro_ops);
    assert_int_equal(x.energy_fj, energy_fj);
    assert_int_equal(x.instruction_micro_ops, instructions);
}

#define BODY(insns) "COMPUTE RFH0 VRF0\n" insns "COMPUTE_DONE\n"

/* The mask is a row, which SETMASK makes of a bit and of the valid lanes (an AND: 4 commands) and
 * UNMASK copies (1), GETMASK copies each bit (8). */
static void select_takes_seven_commands_a_bit(void **state) {
    (void)state;
    check(masks_of("mimdram", BODY("SETMASK r0\nUNMASK\nAND.8 r1 r2 r3\n")), 0, 0, 5);
    check(masks_of("mimdram", BODY("SETMASK r0\nAND.8 r1 r2 r3\nUNMASK\n")), 8 * 7, 8 * MERGE_FJ,
          5);
    check(masks_of("mimdram", BODY("SETMASK r0\nADD.16 r1 r2 r3\nMUL.8 r1 r2 r3\nUNMASK\n")),
          24 * 7, 24 * MERGE_FJ, 5);
    check(masks_of("mimdram", BODY("SETMASK r0\nGETMASK.8 r3\nUNMASK\n")), 0, 0, 5 + 8);
}

/* Two VRFs; and a run that is entered with and without a mask, as it stands behind MARK. */
static void each_execution_counts(void **state) {
    (void)state;
    check(masks_of("mimdram", "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF1\nSETMASK r0\n"
                              "AND.8 r1 r2 r3\nUNMASK\nCOMPUTE_DONE\n"),
          2 * 8 * 7, 2 * 8 * MERGE_FJ, 2 * 5);
    check(masks_of("mimdram", BODY("MARK \"a\"\nREPEAT 3\nAND.8 r1 r2 r3\nSETMASK r0\n"
                                   "REPEAT_END\n")),
          2 * 8 * 7, 2 * 8 * MERGE_FJ, 3 * 4);
}

static void gates_and_latches(void **state) {
    const char *add = BODY("SETMASK r0\nADD.16 r1 r2 r3\nUNMASK\n");
    const char *mul = BODY("SETMASK r0\nMUL.8 r1 r2 r3\nUNMASK\n");
    (void)state;
    check(masks_of("racer", mul), 0, 0, 2);
    check(masks_of("duality-cache", add), 0, 0, 2);
    /* MUL keeps its multiplier's bits in the latch: M is put back for each of the eight. */
    check(masks_of("duality-cache", mul), 8, 8 * DUALITY_CYCLE, 2);
}

/* Returns how many instructions were compared. */
static unsigned compare_forms(const char *name) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    struct machine_library *s = t ? machine_library_open(t, NULL, 0, d) : NULL;
    unsigned compared = 0;
    if (!s)
        fail_msg("%s: %s", name, diag_first(d));
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum mpu_op)op);
        struct insn x = {.op = (enum mpu_op)op, .width = 8, .rs = 1, .rt = 2, .rd = 3, .imm = 1};
        struct recipe_count plain, masked;
        x.width = info->fixed_width || !(info->flags & ISA_WIDTH) ? info->fixed_width : x.width;
        if (!(info->flags & ISA_VECTOR) || !recipe_count(plane_recipes(s), &x, false, &plain) ||
            !recipe_count(plane_recipes(s), &x, true, &masked))
            continue;
        if (masked.micro_ops < plain.micro_ops || masked.energy_fj < plain.energy_fj)
            fail_msg("%s: %s takes less under a mask", name, info->name);
        compared++;
    }
    machine_library_close(s);
    target_free(t);
    diag_free(d);
    return compared;
}

/* What they take beyond the others is never negative. */
static void masked_forms_take_no_less(void **state) {
    size_t count;
    const char *const *names = target_names(&count);
    (void)state;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "golden") != 0)
            assert_true(compare_forms(names[i]) > 50);
}

static void unknown_without_costs(void **state) {
    struct opened m;
    (void)state;
    machine_open(&m, ON_GOLDEN, BODY("SETMASK r0\nADD.16 r1 r2 r3\nUNMASK\n"), NULL);
    machine_run(&m, NULL);
    assert_false(control_stats(m.control)->masks.known);
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(select_takes_seven_commands_a_bit),
        cmocka_unit_test(each_execution_counts),
        cmocka_unit_test(gates_and_latches),
        cmocka_unit_test(masked_forms_take_no_less),
        cmocka_unit_test(unknown_without_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
