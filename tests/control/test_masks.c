/* SPDX-License-Identifier: MIT
 * What predication costs, on targets that apply a mask in different ways, against numbers worked
 * out by hand. */
#include "machine.h"

#include "machines/plane/link/plane.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Energies of micro-ops in one VRF, fJ (isa-spec/targets/): simdram's commands on a row;
 * duality-cache's cycle on its 256 bit lines. */
#define AAP           UINT64_C(871000)
#define AP            UINT64_C(664000)
#define DUALITY_CYCLE UINT64_C(15400)
/* simdram merges a written bit in 7 commands: 5 copies and 2 majorities. */
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
    check(masks_of("simdram", BODY("SETMASK r0\nUNMASK\nAND.8 r1 r2 r3\n")), 0, 0, 5);
    check(masks_of("simdram", BODY("SETMASK r0\nAND.8 r1 r2 r3\nUNMASK\n")), 8 * 7, 8 * MERGE_FJ,
          5);
    check(masks_of("simdram", BODY("SETMASK r0\nADD.16 r1 r2 r3\nMUL.8 r1 r2 r3\nUNMASK\n")),
          24 * 7, 24 * MERGE_FJ, 5);
    check(masks_of("simdram", BODY("SETMASK r0\nGETMASK.8 r3\nUNMASK\n")), 0, 0, 5 + 8);
}

/* Two VRFs; and a run that is entered with and without a mask, as it stands behind MARK. */
static void each_execution_counts(void **state) {
    (void)state;
    check(masks_of("simdram", "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nSETMASK r0\n"
                              "AND.8 r1 r2 r3\nUNMASK\nCOMPUTE_DONE\n"),
          2 * 8 * 7, 2 * 8 * MERGE_FJ, 2 * 5);
    check(masks_of("simdram", BODY("MARK \"a\"\nREPEAT 3\nAND.8 r1 r2 r3\nSETMASK r0\n"
                                   "REPEAT_END\n")),
          2 * 8 * 7, 2 * 8 * MERGE_FJ, 3 * 4);
}

static void gates_and_latches(void **state) {
    const char *add = BODY("SETMASK r0\nADD.16 r1 r2 r3\nUNMASK\n");
    const char *mul = BODY("SETMASK r0\nMUL.8 r1 r2 r3\nUNMASK\n");
    (void)state;
    check(masks_of("racer", mul), 0, 0, 2);
    check(masks_of("mimdram", mul), 0, 0, 5); /* its mask is a row, which the mask register holds */
    check(masks_of("duality-cache", add), 0, 0, 2);
    /* MUL keeps its multiplier's bits in the latch: M is put back for each of the eight. */
    check(masks_of("duality-cache", mul), 8, 8 * DUALITY_CYCLE, 2);
}

/* On racer a micro-op takes 125 fJ in each lane that M enables, and 8,000 where it moves the mask
 * itself: SETMASK and UNMASK take one such each. */
#define RACER_LANE UINT64_C(125)

static uint64_t datapath_fj(struct opened *m, uint64_t lanes, uint64_t none) {
    for (uint32_t i = 0; i < 64; i++) {
        machine_put(m, 0, 0, 0, i, lanes >> i & 1);
        machine_put(m, 0, 0, 4, i, none >> i & 1);
    }
    machine_run(m, NULL);
    assert_int_equal(m->end, CONTROL_DONE);
    const struct control_stats *s = control_stats(m->control);
    assert_true(s->masks.known);
    return s->energy_fj[OPCLASS_LOGIC] + s->energy_fj[OPCLASS_COPY] +
           s->energy_fj[OPCLASS_CROSSING];
}

static uint64_t enabled_fj(const char *text, uint64_t lanes, uint64_t none) {
    struct opened m;
    machine_open_on(&m, "racer", text);
    uint64_t fj = datapath_fj(&m, lanes, none);
    machine_close(&m);
    return fj;
}

/* AND is 3 NORs a bit, OR one OR. */
static void enabled_lanes_count(void **state) {
    const uint64_t and8 = 8 * UINT64_C(3), or8 = 8, mask = 64 * RACER_LANE;
    (void)state;
    assert_int_equal(enabled_fj(BODY("AND.8 r1 r2 r3\n"), 0, 0), 64 * and8 * RACER_LANE);
    /* 5 lanes, then none, then all of them, in one run */
    const char *text = BODY("SETMASK r0\nAND.8 r1 r2 r3\nSETMASK r4\nAND.8 r1 r2 r3\n"
                            "UNMASK\nOR.8 r1 r2 r3\n");
    assert_int_equal(enabled_fj(text, 0x8000000000000421 | 2, 0),
                     3 * mask + (5 * and8 + 64 * or8) * RACER_LANE);
    assert_int_equal(enabled_fj(text, 0, 1), 3 * mask + (and8 + 64 * or8) * RACER_LANE);
}

static void no_lane_takes_nothing(void **state) {
    (void)state;
    assert_int_equal(enabled_fj(BODY("SETMASK r0\nADD.64 r1 r2 r3\n"), 0, 0), 64 * RACER_LANE);
}

/* Batches and their masks: each VRF has its own number of lanes, and laps by data switch some off.
 */
static void every_batch_has_its_own(void **state) {
    static const char text[] = "COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\n"
                               "again: CMPGT.8 r0 r4\nSETMASK cond\nSUB.8 r0 r5 r0\n"
                               "JUMP_COND again\nUNMASK\nCOMPUTE_DONE\n";
    struct opened m;
    uint64_t laps = 0;
    (void)state;
    machine_open_on(&m, "racer", text);
    for (uint32_t v = 0; v < 2; v++)
        for (uint32_t i = 0; i < 64; i++) {
            machine_put(&m, 0, v, 0, i, (i + 7 * v) % 9);
            machine_put(&m, 0, v, 5, i, 1);
            laps += (i + 7 * v) % 9;
        }
    machine_run(&m, NULL);
    const struct control_insn_stats *x = control_insn_stats(m.control);
    struct insn sub = {.op = OP_SUB, .width = 8, .rs = 0, .rt = 5, .rd = 0};
    struct recipe_count count;
    assert_true(recipe_count(plane_recipes(m.library), &sub, true, &count));
    uint64_t front = x[4].executed * m.target->front_end_fj; /* its own slots, at least */
    assert_true(x[4].energy_fj > laps * count.micro_ops * RACER_LANE + front);
    uint64_t slots = (x[4].energy_fj - laps * count.micro_ops * RACER_LANE);
    assert_int_equal(slots % m.target->front_end_fj, 0);
    machine_close(&m);
}

/* Returns how many instructions were compared. */
struct form_cost {
    uint64_t micro_ops, energy_fj;
};

/* Of a plane's recipe, or of a routine in slots of 8; false: there is none. */
static bool cost_of_form(const struct machine_library *l, const struct insn *x, bool masked,
                         struct form_cost *out) {
    struct recipe_count n;
    struct machine_figures f;
    struct str problem = {0};
    bool fine;
    if (l->machine == &plane_machine) {
        fine = recipe_count(plane_recipes(l), x, masked, &n);
        *out = (struct form_cost){fine ? n.micro_ops : 0, fine ? n.energy_fj : 0};
    } else {
        fine = machine_has(l, x->op) && l->machine->figures &&
               l->machine->figures(l, x, 8, masked, &f, NULL, &problem);
        *out = (struct form_cost){fine ? f.commands : 0, fine ? f.energy_fj : 0};
    }
    str_free(&problem);
    return fine;
}

/* How many were compared; UINT_MAX of a kind that carries out no instructions or has no figures of
 * one. */
static unsigned compare_forms(const char *name) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    struct machine_library *s = t ? machine_library_open(t, NULL, 0, d) : NULL;
    unsigned compared = 0;
    if (!s)
        fail_msg("%s: %s", name, diag_first(d));
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum isa_op)op);
        struct insn x = {.op = (enum isa_op)op, .width = 8, .rs = 1, .rt = 2, .rd = 3, .imm = 1};
        struct form_cost plain, masked;
        x.width = info->fixed_width || !(info->flags & ISA_WIDTH) ? info->fixed_width : x.width;
        if (!(info->flags & ISA_VECTOR) || !cost_of_form(s, &x, false, &plain) ||
            !cost_of_form(s, &x, true, &masked))
            continue;
        if (masked.micro_ops < plain.micro_ops || masked.energy_fj < plain.energy_fj)
            fail_msg("%s: %s takes less under a mask", name, info->name);
        compared++;
    }
    bool without =
        !machine_has(s, OP_ADD) || (s->machine != &plane_machine && !s->machine->figures);
    machine_library_close(s);
    target_free(t);
    diag_free(d);
    return without ? UINT_MAX : compared;
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
        cmocka_unit_test(enabled_lanes_count),
        cmocka_unit_test(no_lane_takes_nothing),
        cmocka_unit_test(every_batch_has_its_own),
        cmocka_unit_test(masked_forms_take_no_less),
        cmocka_unit_test(unknown_without_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
