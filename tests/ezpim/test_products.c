/* SPDX-License-Identifier: MIT
 * -fproducts: what products of few bits compute is what the interpreter says, on every built-in
 * target, and programs do have them. */
#include "tests/draws.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/program_gen.h"

#include "object/object.h"
#include "support/file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_EZPIM_PRODUCTS)

static char *text_of(const char *path) {
    size_t size;
    char *text = file_read(path, &size);
    if (!text)
        fail_msg("%s: %s", path, file_problem(errno));
    return text;
}

static unsigned count_products(const char *text, bool products) {
    struct diag *d = diag_new(NULL, NULL);
    const struct ez_options options = {.optimize = 1, .products = products};
    struct object *o = ez_compile("test.ez", text, strlen(text), &options, d);
    unsigned count = 0;
    for (size_t i = 0; o && i < o->text.len; i++) {
        struct insn insn;
        count += object_decode(o, o->text.data[i], &insn) == ISA_OK && insn.op == OP_MULP;
    }
    object_free(o);
    diag_free(d);
    return count;
}

/* Products of 16 by 16 bits in 32: the two programs for which docs/compiler.md has figures. */
static void examples_on_every_target(void **state) {
    static const char *const paths[] = {MPU_SOURCE_DIR "/examples/dot.ez",
                                        MPU_SOURCE_DIR "/tests/examples/kernels/conv.ez"};
    (void)state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        char *text = text_of(paths[k]);
        const char *name;
        assert_int_equal(count_products(text, false), 0);
        assert_true(count_products(text, true) >= 8);
        for (size_t i = 0; (name = mpu_target_builtin(i)); i++) {
            mpu_error *e = NULL;
            struct str why = {0};
            mpu_target *target = mpu_target_open(name, NULL, &e);
            if (!target)
                fail_with(name, e);
            const struct against_setup setup = {target, 1 + AGAINST_PRODUCTS, "target", "zero",
                                                0,      AGAINST_OWN,          false};
            if (against(text, i + 1, &setup, 1, &why) != AGAINST_SAME)
                fail_msg("%s on %s: %s", paths[k], name, str_text(&why));
            str_free(&why);
            mpu_target_close(target);
        }
        free(text);
    }
}

static void random_programs_multiply(void **state) {
    static const char *const names[] = {"golden", "racer", "golden", "mimdram"};
    struct str text = {0};
    unsigned multiply = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        mpu_error *e = NULL;
        struct str why = {0};
        const char *name = names[seed % 4];
        const struct program_options options = {.all_operations = seed % 4 != 3, .work = 100};
        mpu_target *target = mpu_target_open(name, NULL, &e);
        if (!target)
            fail_with(name, e);
        const struct against_setup setup = {
            target, 1 + (int)(seed % 3 > 1) + AGAINST_PRODUCTS, "target", "random:5", 0, 0, false};
        program_random(seed, &options, &text);
        if (against(text.text, seed, &setup, 1, &why) != AGAINST_SAME)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text.text);
        multiply += count_products(text.text, true) > 0;
        str_free(&why);
        mpu_target_close(target);
    }
    if (multiply < PROGRAMS / 8)
        fail_msg("only %u programs have products of few bits", multiply);
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_on_every_target),
                                       cmocka_unit_test(random_programs_multiply)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
