/* SPDX-License-Identifier: MIT
 * How long a section's queue has to be for the built-in recipes: docs/control-path.md says so.  A
 * micro-op may wait for a reader that is issued behind it; slots between the two must not wait for
 * that micro-op. */
#include "recipe/timing/timing.h"
#include "support/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Expands the instruction and says whether it can be issued with such a queue. */
static bool fits(const struct recipe_set *set, const struct target *target, const struct insn *insn,
                 bool masked) {
    static const uint32_t first = 0;
    struct uop_list list = {0};
    struct timing_profile profile;
    const char *error = NULL;
    bool fine = true;
    if (recipe_expand(set, insn, masked, &list, NULL))
        fine =
            recipe_timing_schedule(target, list.data, list.len, &first, 1, &profile, NULL, &error);
    assert_true(fine || strstr(error, "control.issue_queue"));
    vec_free(&list);
    return fine;
}

static const struct {
    uint8_t rs, rt, rd;
} operands[] = {{1, 2, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 3}, {1, 1, 1}};

static bool all_fit_at(const struct recipe_set *set, const struct target *target, enum isa_op op,
                       uint8_t width) {
    for (size_t k = 0; k < sizeof operands / sizeof *operands; k++)
        for (int masked = 0; masked < 2; masked++) {
            const struct insn insn = {.op = op,
                                      .width = width,
                                      .rs = operands[k].rs,
                                      .rt = operands[k].rt,
                                      .rd = operands[k].rd,
                                      .imm = width / 2 + 1};
            if (!fits(set, target, &insn, masked))
                return false;
        }
    return true;
}

static bool all_fit(const struct recipe_set *set, const struct target *of, uint32_t queue) {
    static const uint8_t widths[] = {1, 2, 3, 4, 5, 8, 13, 16, 32, 64};
    struct target target = *of;
    target.issue_queue = queue;
    for (int op = 0; op < OP_COUNT; op++) {
        uint32_t flags = isa_info((enum isa_op)op)->flags;
        for (size_t w = 0; flags & ISA_VECTOR && w < sizeof widths; w++)
            if (!all_fit_at(set, &target, (enum isa_op)op, widths[w]))
                return false;
    }
    return true;
}

static void the_least_queue(const char *name, uint32_t least) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    struct recipe_set *set = recipe_set_open(t, d);
    assert_non_null(set);
    assert_true(t->issue_queue >= least);
    assert_true(all_fit(set, t, least));
    assert_true(least == 0 || !all_fit(set, t, least - 1));
    recipe_set_free(set);
    target_free(t);
    diag_free(d);
}

static void racer(void **state) {
    (void)state;
    the_least_queue("racer", 11);
}

static void racer_oscar(void **state) {
    (void)state;
    the_least_queue("racer-oscar", 11);
}

/* One section, which waits for nothing. */
static void others(void **state) {
    (void)state;
    the_least_queue("mimdram", 0);
    the_least_queue("duality-cache", 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(racer),
        cmocka_unit_test(racer_oscar),
        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
