/* SPDX-License-Identifier: MIT
 * CVT as the generic library has it, without any target: every conversion at every width that it
 * has, on all values of a source of 16 bits and on edges and turning points of longer ones. */
#include "generic.h"
#include "logic.h"

#include "isa-spec/golden.h"
#include "machines/verify/matrix.h"
#include "support/bits.h"

#ifdef MPU_SANITIZED
#define LANES    512
#define ALL_STEP 37 /* batches of 64 */
#else
#define LANES    16384
#define ALL_STEP 1
#endif

static void compare(const struct insn *insn, const uint64_t source[64],
                    const struct logic_lanes *planes) {
    for (unsigned i = 0; i < 64; i++) {
        const struct golden_lane lane = {.rs = source[i] & low_bits(isa_source_bits(insn)),
                                         .w = insn->width};
        uint64_t want = golden_convert(&lane, lane.rs, insn->imm);
        if (planes->registers[FIELD_RD][i] != want)
            fail_msg("CVT.%u %s of %llx: got %llx, expected %llx", insn->width,
                     isa_conversion_name((unsigned)insn->imm), (unsigned long long)source[i],
                     (unsigned long long)planes->registers[FIELD_RD][i], (unsigned long long)want);
    }
}

/* Lanes first .. first + 63 of the plan. */
static void run_lanes(const struct generic *f, const struct insn *insn,
                      const struct value_plan *plan, uint64_t first) {
    struct logic_lanes planes = {0};
    uint64_t source[64], values[3];
    char error[300];
    for (unsigned i = 0; i < 64; i++) {
        verify_plan_lane(plan, first + i, values);
        source[i] = planes.registers[FIELD_RS][i] = values[0];
    }
    bits_transpose64(planes.registers[FIELD_RS]);
    if (!logic_run(f->set, recipe_chosen(f->set, OP_CVT), insn, &planes, error, sizeof error))
        fail_msg("CVT.%u %s: %s", insn->width, isa_conversion_name((unsigned)insn->imm), error);
    bits_transpose64(planes.registers[FIELD_RD]);
    compare(insn, source, &planes);
}

static void run_conversion(const struct generic *f, const struct insn *insn) {
    struct insn_form form;
    unsigned log_lanes;
    verify_form_fill(&form, insn, false);
    struct value_plan plan = verify_plan_fill(&form, insn->width, &log_lanes);
    plan.all = log_lanes <= 16;
    uint64_t lanes = plan.all ? (uint64_t)1 << log_lanes : LANES, step = plan.all ? ALL_STEP : 1;
    for (uint64_t first = 0; first < lanes; first += 64 * step)
        run_lanes(f, insn, &plan, first);
}

/* Every word that is legal: 20 conversions at 16 bits, 10 at 32 and at 64. */
static void test_conversions(void **state) {
    unsigned count = 0;
    for (uint8_t w = 16; w <= 64; w = (uint8_t)(2 * w))
        for (int32_t code = 0; code < CONVERSIONS; code++) {
            struct insn insn = {.op = OP_CVT, .rs = 1, .rd = 3, .imm = code, .width = w};
            if (!recipe_applies(&insn))
                continue;
            run_conversion(*state, &insn);
            count++;
        }
    assert_int_equal(count, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),
    };
    return cmocka_run_group_tests(tests, open_generic, close_generic);
}
