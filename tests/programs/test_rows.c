/* SPDX-License-Identifier: MIT
 * Ordinary programs of which a lane holds much (rows/NAME.ez) have room at each level of
 * optimization on each plane machine and on one that is made up: every byte that comes out against
 * plain C.  The table of their rows is docs/rows.md. */
#include "ezpim/code/rows.h"
#include "runtime/session.h"
#include "support/file.h"
#include "tests/examples/page.h"
#include "tests/ezpim/build.h"
#include "tests/programs/rows.h"
#include "tests/draws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef MPU_SANITIZED
enum { FIRST_LEVEL = 1, LAST_LEVEL = 1, TARGETS = 2 }; /* racer and mimdram */
#else
enum { FIRST_LEVEL = 0, LAST_LEVEL = 2, TARGETS = 6 };
#endif
enum { LEVELS = 3 };

/* The last has 1,024 rows, of which 747 are for registers. */
static const char *const target_paths[] = {
    "racer", "mimdram",       "simdram",
    "ambit", "duality-cache", MPU_SOURCE_DIR "/examples/technology/imply.yaml"};
static mpu_target *targets[TARGETS];

struct rows_program {
    const char *name, *size;
    uint32_t n;
    rows_maker *make;
};

static const struct rows_program programs[] = {
    {"adpcm", "n", 1003, rows_adpcm},
    {"chacha20", "n", 1003, rows_chacha20},
    {"collectives", "m", 67, rows_collectives},
    {"dft", "n", 1003, rows_dft},
    {"grep", "n", 1003, rows_grep},
    {"mul128", "n", 1003, rows_mul128},
    {"neighbours", "n", 1003, rows_neighbours},
    {"radix", "n", 1003, rows_radix},
    {"reductions", "n", 1003, rows_reductions},
    {"sha256", "n", 1003, rows_sha256},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* --- rows --- */

/* The page's table. */
static struct str table;

static void add_fit(uint64_t rows, uint64_t there) {
    str_printf(&table, " %llu of %llu |", (unsigned long long)rows, (unsigned long long)there);
}

/* Where an object has room it has room beside each of its instructions. */
static void check_each(const struct object *o, const struct rows_left *left) {
    struct rows_use use;
    uint32_t fits = 0;
    struct insn x;
    rows_taken(o, &use);
    for (unsigned i = 0; i < left->count; i++)
        fits |= (uint32_t)(use.taken[i] <= left->left[i]) << i;
    for (size_t i = 0; i < o->text.len; i++)
        if (object_decode(o, o->text.data[i], &x) == ISA_OK && isa_info(x.op)->flags & ISA_VECTOR &&
            fits & ~rows_targets_beside(&x, &use))
            fail_msg("%s.%u is taken to leave less than it does", isa_info(x.op)->name, x.width);
}

/* What the compiler takes to be left is never more than what is. */
static void check_estimate(const struct object *o, const mpu_target *t,
                           const struct machine_rows *r) {
    struct rows_left left;
    rows_left(o, &left);
    check_each(o, &left);
    for (unsigned i = 0; i < left.count; i++)
        if (strcmp(left.target[i], mpu_target_name(t)) == 0 &&
            left.left[i] > r->there - r->state - r->scratch)
            fail_msg("%s leaves %llu rows, not %u", mpu_target_name(t),
                     (unsigned long long)(r->there - r->state - r->scratch), left.left[i]);
}

/* --- a run --- */

static void compare(mpu_session *s, const struct rows_array *want, const char *where) {
    mpu_array got;
    mpu_error *e = NULL;
    if (mpu_session_get(s, want->name, &got, &e) != MPU_OK)
        fail_with(want->name, e);
    uint64_t size = rows_bytes(&want->values), elements = want->values.shape[0];
    if (got.type != want->values.type || rows_bytes(&got) != size ||
        got.ndim != want->values.ndim || (got.ndim && got.shape[0] != elements))
        fail_msg("%s: `%s` has another type or shape: %llu bytes, not %llu", where, want->name,
                 (unsigned long long)rows_bytes(&got), (unsigned long long)size);
    const uint8_t *a = got.data, *b = want->values.data;
    for (uint64_t i = 0; i < size; i++)
        if (a[i] != b[i])
            fail_msg("%s: byte %llu of %llu of `%s` is %u, not %u", where, (unsigned long long)i,
                     (unsigned long long)size, want->name, a[i], b[i]);
    mpu_array_free(&got);
}

/* False with *e when the program is refused.  Not carried out: the package is made. */
static bool run_session(mpu_session *s, const struct rows_program *p, const struct rows_data *d,
                        bool carried_out, mpu_error **e) {
    if (mpu_session_bind_size(s, p->size, p->n, e) != MPU_OK)
        return false;
    for (uint32_t i = 0; i < d->in.count; i++)
        if (mpu_session_put(s, d->in.item[i].name, &d->in.item[i].values, e) != MPU_OK)
            return false;
    if (carried_out)
        return mpu_session_run(s, e) == MPU_OK;
    struct diag *diag = diag_new(NULL, NULL);
    mpu_result result = session_prepare(s, diag);
    if (result != MPU_OK)
        print_error("%s\n", diag_first(diag));
    diag_free(diag);
    return result == MPU_OK;
}

/* `carried_out`: the suite looks at the rows of all and carries a part of them out. */
static void run_on(const struct rows_program *p, int level, const mpu_program *program,
                   const mpu_target *t, const struct rows_data *d, bool carried_out) {
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = "random:1", .threads = 1};
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    char where[100];
    snprintf(where, sizeof where, "%s -O%d on %s", p->name, level, mpu_target_name(t));
    if (!s)
        fail_with(where, e);
    if (!run_session(s, p, d, carried_out, &e))
        fail_with(where, e);
    struct machine_rows r;
    assert_true(package_rows(s->package, t->t, &r));
    check_estimate(s->object, t, &r);
    add_fit(machine_rows_taken(&r), r.there);
    for (uint32_t i = 0; i < d->want.count && carried_out; i++)
        compare(s, &d->want.item[i], where);
    mpu_session_free(s);
}

static char *read_program(const struct rows_program *p) {
    char path[4096];
    size_t size;
    snprintf(path, sizeof path, "%s/tests/programs/rows/%s.ez", MPU_SOURCE_DIR, p->name);
    char *text = file_read(path, &size);
    if (!text)
        fail_msg("%s cannot be read", path);
    return text;
}

static void run_program(void **state) {
    const struct rows_program *p = *state;
    struct rows_data d = {.random = 1};
    p->make(&d, p->n);
    char *source = read_program(p);
    for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
        mpu_program *program = build_program(source, level);
        str_printf(&table, "| %s -O%d |", p->name, level);
        for (size_t i = 0; i < TARGETS; i++)
            run_on(p, level, program, targets[i], &d,
                   draws_takes((size_t)(p - programs) + (size_t)level + i, 3));
        str_char(&table, '\n');
        mpu_program_free(program);
    }
    free(source);
    rows_free(&d);
}

/* --- the references --- */

static const void *wanted(const struct rows_data *d, const char *name) {
    for (uint32_t i = 0; i < d->want.count; i++)
        if (strcmp(d->want.item[i].name, name) == 0)
            return d->want.item[i].values.data;
    fail_msg("no `%s`", name);
    return NULL;
}

/* RFC 8439, section 2.3.2. */
static void chacha20_is_that_of_the_rfc(void **state) {
    (void)state;
    static const uint32_t block[16] = {0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3,
                                       0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
                                       0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                       0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
    struct rows_data d = {.random = 1};
    rows_chacha20(&d, 2);
    assert_memory_equal(wanted(&d, "block"), block, sizeof block);
    rows_free(&d);
}

/* FIPS 180-4's example of one block, and the digest of nothing. */
static void sha256_is_that_of_the_standard(void **state) {
    (void)state;
    static const uint32_t digests[2][8] = {{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                            0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad},
                                           {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
                                            0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855}};
    struct rows_data d = {.random = 1};
    rows_sha256(&d, 2);
    assert_memory_equal(wanted(&d, "digest"), digests, sizeof digests);
    rows_free(&d);
}

/* 2 (2^64 - 1)^2 is 2 - 2^66 modulo 2^128. */
static void the_largest_products(void **state) {
    (void)state;
    static const uint64_t sum[2] = {2, UINT64_MAX - 3};
    struct rows_data d = {.random = 1};
    rows_mul128(&d, 1);
    assert_memory_equal(wanted(&d, "sum"), sum, sizeof sum);
    rows_free(&d);
}

static int open_targets(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++) {
        mpu_error *e = NULL;
        targets[i] = mpu_target_open(target_paths[i], NULL, &e);
        if (!targets[i])
            fail_with(target_paths[i], e);
    }
    return 0;
}

static int close_targets(void **state) {
    (void)state;
    for (size_t i = 0; i < TARGETS; i++)
        mpu_target_close(targets[i]);
    return 0;
}

/* Under sanitizers there are too few rows of it. */
static void page_is_fresh(void **state) {
    (void)state;
    struct str page = {0};
    str_append(&page, "| program | racer | mimdram | simdram | ambit | duality-cache | imply |\n"
                      "|---|---|---|---|---|---|---|\n");
    str_append(&page, str_text(&table));
    if (LAST_LEVEL == LEVELS - 1)
        page_check(MPU_SOURCE_DIR "/docs/rows.md", "rows", &page, "test_rows");
    str_free(&page);
    str_free(&table);
}

int main(void) {
    const struct CMUnitTest references[] = {
        cmocka_unit_test(chacha20_is_that_of_the_rfc),
        cmocka_unit_test(sha256_is_that_of_the_standard),
        cmocka_unit_test(the_largest_products),
    };
    struct CMUnitTest tests[PROGRAMS];
    for (size_t i = 0; i < PROGRAMS; i++)
        tests[i] = (struct CMUnitTest){programs[i].name, run_program, NULL, NULL,
                                       (void *)(uintptr_t)&programs[i]};
    const struct CMUnitTest page[] = {cmocka_unit_test(page_is_fresh)};
    int failed = cmocka_run_group_tests(references, NULL, NULL);
    failed += cmocka_run_group_tests(tests, open_targets, close_targets);
    return failed ? failed : cmocka_run_group_tests(page, NULL, NULL);
}
