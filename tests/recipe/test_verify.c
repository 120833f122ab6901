/* SPDX-License-Identifier: MIT
 * The verification matrix over every built-in recipe, and over what the mapping would make where a
 * hand-written one stands: the test is machines/verify's, here it is run.
 *   test_recipe_verify              all instructions
 *   test_recipe_verify SEED INDEX   the long form of the INDEX-th instruction that has a recipe
 *                                   (modulo their number) with values from SEED: ./dev fuzz */
#include "machines/plane/verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Sanitized, expanding the long recipes takes most of the time: what the mapping makes is then
 * looked at in one width. */
#ifdef MPU_SANITIZED
#define EFFORT       VERIFY_LIGHT
#define MAPPED_WIDTH 9
#else
#define EFFORT       VERIFY_FULL
#define MAPPED_WIDTH 0
#endif

typedef struct recipe_set *set_opener(const struct target *t, struct diag *d);

struct fixture {
    struct diag *diag;
    struct target *target;
    struct recipe_set *set;
};

static bool fixture_open(struct fixture *f, set_opener *open_set) {
    f->diag = diag_new(NULL, NULL);
    f->target = target_open("racer", NULL, 0, f->diag);
    f->set = f->target ? open_set(f->target, f->diag) : NULL;
    if (!f->set)
        print_error("%s\n", diag_first(f->diag));
    return f->set != NULL;
}

static void fixture_close(struct fixture *f) {
    recipe_set_free(f->set);
    target_free(f->target);
    diag_free(f->diag);
}

static bool run_matrix(struct fixture *f, const struct verify_options *o, struct verify_count *n) {
    struct verify_plane plane;
    bool good = verify_matrix(plane_verify(&plane, f->target, f->set), o, n, f->diag);
    diag_flush(f->diag);
    if (!good)
        print_error("%s\n", diag_first(f->diag));
    return good;
}

static void print_count(const char *what, const struct verify_count *n) {
    print_message("%s: %llu instructions, %llu forms, %llu lanes, %llu micro-op-lanes\n", what,
                  (unsigned long long)n->instructions, (unsigned long long)n->forms,
                  (unsigned long long)n->lanes, (unsigned long long)n->uop_lanes);
}

static void count_one(void *context, enum isa_op op, const struct verify_count *so_far) {
    (void)op;
    (void)so_far;
    ++*(unsigned *)context;
}

static struct verify_options options_of(unsigned *reported, enum isa_op op, unsigned width) {
    return (struct verify_options){.effort = EFFORT,
                                   .op = op,
                                   .width = width,
                                   .seed = 7,
                                   .progress = count_one,
                                   .context = reported};
}

static void test_racer(void **state) {
    (void)state;
    struct fixture f;
    struct verify_count n;
    unsigned reported = 0, recipes = 0;
    struct verify_options o = options_of(&reported, OP_COUNT, 0);
    assert_true(fixture_open(&f, recipe_set_open));
    for (int op = 0; op < OP_COUNT; op++)
        recipes += recipe_exists(f.set, (enum isa_op)op) || isa_has_table((enum isa_op)op);
    assert_true(run_matrix(&f, &o, &n));
    assert_int_equal(reported, recipes);
    assert_true(n.instructions <= recipes && n.forms > recipes && n.lanes > n.forms);
    print_count("racer", &n);
    fixture_close(&f);
}

static bool is_hand_written(const struct recipe_set *s, enum isa_op op) {
    const char *origin = recipe_origin(s, op);
    return origin && strncmp(origin, "generic", 7) != 0;
}

/* Where the mapping's own recipe is the chosen one, it has been looked at above. */
static void test_mapped(void **state) {
    (void)state;
    struct fixture chosen, mapped;
    unsigned reported = 0, wanted = 0;
    assert_true(fixture_open(&chosen, recipe_set_open));
    assert_true(fixture_open(&mapped, recipe_set_open_mapped));
    for (int op = 0; op < OP_COUNT; op++) {
        struct verify_options o = options_of(&reported, (enum isa_op)op, MAPPED_WIDTH);
        struct verify_count n;
        if (!is_hand_written(chosen.set, o.op) || !recipe_exists(mapped.set, o.op))
            continue;
        wanted++;
        assert_true(run_matrix(&mapped, &o, &n));
        print_count(isa_info(o.op)->name, &n);
    }
    assert_int_equal(reported, wanted);
    fixture_close(&mapped);
    fixture_close(&chosen);
}

/* The same seed gives the same figures, whichever worker takes which instruction. */
static void test_repeatable(void **state) {
    (void)state;
    struct fixture f;
    struct verify_count n[2];
    struct verify_options o = {.effort = VERIFY_LIGHT, .op = OP_COUNT, .width = 3, .seed = 1};
    assert_true(fixture_open(&f, recipe_set_open));
    for (unsigned i = 0; i < 2; i++)
        assert_true(run_matrix(&f, &o, &n[i]));
    assert_memory_equal(&n[0], &n[1], sizeof n[0]);
    fixture_close(&f);
}

/* Every vector instruction that golden semantics exist for has a recipe, but LUT: what carries that
 * out depends on the table. */
static void test_complete(void **state) {
    (void)state;
    struct fixture f;
    unsigned missing = 0;
    assert_true(fixture_open(&f, recipe_set_open));
    for (int op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum isa_op)op);
        bool wanted = info->flags & ISA_VECTOR && info->golden && !(info->flags & ISA_RESERVED) &&
                      !isa_has_table((enum isa_op)op);
        if (!wanted || recipe_exists(f.set, (enum isa_op)op))
            continue;
        print_error("no recipe for %s\n", info->name);
        missing++;
    }
    assert_int_equal(missing, 0);
    fixture_close(&f);
}

static enum isa_op op_at(const struct recipe_set *s, unsigned long index) {
    enum isa_op ops[OP_COUNT];
    unsigned long n = 0;
    for (int op = 0; op < OP_COUNT; op++)
        if (recipe_exists(s, (enum isa_op)op))
            ops[n++] = (enum isa_op)op;
    return n ? ops[index % n] : OP_COUNT;
}

static int run_long(uint64_t seed, unsigned long index) {
    struct fixture f;
    struct verify_count n;
    bool good = fixture_open(&f, recipe_set_open);
    if (good) {
        struct verify_options o = {.effort = VERIFY_LONG, .op = op_at(f.set, index), .seed = seed};
        good = run_matrix(&f, &o, &n);
        if (good)
            print_count(isa_info(o.op)->name, &n);
    }
    fixture_close(&f);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_racer),
        cmocka_unit_test(test_mapped),
    };
    if (argc == 3)
        return run_long(strtoull(argv[1], NULL, 10), strtoul(argv[2], NULL, 10));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
