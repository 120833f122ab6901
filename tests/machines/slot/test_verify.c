/* SPDX-License-Identifier: MIT
 * Every instruction of the toy against the golden functions: all bits of all lanes. */
#include "machines/verify/verify.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static bool has(const void *context, enum isa_op op) {
    (void)context;
    return slot_has(op);
}

static void matrix(uint32_t lanes, enum verify_effort effort) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml", NULL, 0, d);
    struct verify_count n;
    if (!t)
        fail_msg("%s", diag_first(d));
    const struct verify_machine m = {
        .open = slot_ops.open, .setup = {.target = t}, .lanes = lanes, .has = has};
    const struct verify_options o = {.effort = effort, .op = OP_COUNT, .seed = 12};
    if (!verify_matrix(&m, &o, &n, d))
        fail_msg("%s", diag_first(d));
    assert_true(n.instructions > 70 && n.uop_lanes > n.lanes);
    target_free(t);
    diag_free(d);
}

static void test_all_instructions(void **state) {
    (void)state;
    matrix(8, VERIFY_LIGHT);
}

static void test_few_lanes(void **state) {
    (void)state;
    matrix(3, VERIFY_LIGHT);
}

int main(int argc, char **argv) {
    (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_instructions),
        cmocka_unit_test(test_few_lanes),
    };
    if (argc > 1)
        matrix(8, VERIFY_FULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
