/* SPDX-License-Identifier: MIT
 * Tables as logic: the networks that are made of them, their recipes on every plane machine by the
 * strict engine, and what they cost. */
#include "luts.h"

#include "machines/plane/verify/verify.h"
#include "recipe/lut/lut.h"
#include "recipe/lut/schedule.h"
#include "recipe/lut/synthesis.h"
#include "recipe/set.h"
#include "recipe/table/table.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const machines[] = {"racer",   "racer-magic", "racer-felix", "racer-ideal",
                                       "mimdram", "simdram",     "ambit",       "duality-cache"};
#define MACHINES (sizeof machines / sizeof *machines)

struct machine_set {
    struct diag *d;
    struct target *t;
    struct recipe_set *s;
};
static struct machine_set sets[MACHINES];

static void open_one(struct machine_set *set, const char *name) {
    set->d = diag_new(NULL, NULL);
    set->t = target_open(name, NULL, 0, set->d);
    set->s = set->t ? recipe_set_open(set->t, set->d) : NULL;
    if (!set->s)
        fail_msg("%s", diag_first(set->d));
}

static void close_one(struct machine_set *set) {
    recipe_set_free(set->s);
    target_free(set->t);
    diag_free(set->d);
}

static int open_sets(void **state) {
    (void)state;
    for (size_t i = 0; i < MACHINES; i++)
        open_one(&sets[i], machines[i]);
    return 0;
}

static int close_sets(void **state) {
    (void)state;
    for (size_t i = 0; i < MACHINES; i++)
        close_one(&sets[i]);
    return 0;
}

/* --- one form --- */

static struct insn lut_insn(const struct isa_lut *table, bool aliased) {
    struct insn insn = {.op = OP_LUT, .rs = 1, .rd = aliased ? 1 : 2, .lut = 7};
    isa_set_table(&insn, table);
    return insn;
}

/* The strict engine on all values, or on edges and random ones; and the same list from the recipe
 * table. */
static void verify_form(const struct machine_set *set, const struct isa_lut *table, bool aliased,
                        bool masked) {
    struct insn insn = lut_insn(table, aliased);
    struct uop_list list = {0}, other = {0};
    if (!recipe_expand(set->s, &insn, masked, &list, set->d) ||
        !verify_list(set->t, &insn, masked, &list, true, set->d) ||
        !plane_verify_run(set->t, &insn, masked, &list, 5, set->d))
        fail_msg("%s: k = %u, w = %u: %s", set->t->name, table->index_bits, table->width,
                 diag_first(set->d));
    struct recipe_table *made = recipe_table_build(set->t, set->s, &insn, 1, set->d);
    assert_non_null(made);
    assert_true(recipe_table_expand(made, &insn, masked, &other, set->d));
    assert_int_equal(list.len, other.len);
    recipe_table_free(made);
    vec_free(&list);
    vec_free(&other);
}

static void verify_forms(const struct machine_set *set, const struct isa_lut *table) {
    for (unsigned form = 0; form < 4; form++)
        verify_form(set, table, form & 1, form >> 1);
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned k = 1; k <= 8; k++)
        for (unsigned n = 0; n < MACHINES; n++) {
            unsigned w = k + (unsigned)(splitmix64(&seed) % 4);
            struct isa_lut *table = luts_random(k, w, &seed);
            verify_forms(&sets[n], table);
            luts_free(table);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, open_sets, close_sets);
}
