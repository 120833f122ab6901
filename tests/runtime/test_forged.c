/* SPDX-License-Identifier: MIT
 * Packages forged with a right digest: a run has the results and figures of the program without a
 * package, or says a word.  Fixed seeds. */
#define _GNU_SOURCE /* memmem */

#include "asm/asm.h"
#include "linker/linker.h"
#include "linker/package.h"
#include "linker/package/package_format.h"
#include "machines/plane/link/plane.h"
#include "runtime/program.h"
#include "recipe/lut/lut.h"
#include "support/bits.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FORGED = 900, FORGED_LOGIC = 60, ELEMENTS = 700 };

/* Placement, lanes, rounds, calls, moves and fixed VRFs all show in y or in the time. */
static const char source[] =
    " .size n = 700\n .group g[n]\n .group h[n] like g\n"
    " .var inout x: u16 @g = r1\n .var out y: u16 @h = r2\n"
    " .move m u16 @h r2[i] = x[i + 3] wrap\n"
    " .move k u16 @h r3[i] = x[n - 1 - i]\n"
    "main: COMPUTEG @g\n INC.16 r1 r1\n COMPUTE_DONE\n GMOVE m\n GMOVE k\n"
    " COMPUTEG @h\n ADD.16 r2 r3 r2\n COMPUTE_DONE\n"
    " COMPUTE RFH0 VRF9\n COMPUTE RFH1 VRF2\n INC.16 r5 r5\n COMPUTE_DONE\n"
    " HALT\n";

/* Its table's logic is in the package. */
static const char table_source[] =
    " .size n = 700\n .group g[n]\n .var in x: u16 @g = r1\n .var out y: u16 @g = r2\n"
    " .lut t k=5 width=6 = 7, 3, 60, 1, 44, 21, 9, 33, 5, 18, 2, 61, 50, 13, 29, 38\n"
    "main: COMPUTEG @g\n LUT.16 r1 t r2\n COMPUTE_DONE\n HALT\n";

struct fixture {
    struct object *program;
    struct str package;
    mpu_target *target;
};

static struct object *make_program(const char *text, struct diag *d) {
    const struct asm_options options = {.debug = true};
    struct object *o = asm_assemble("forged.s", text, strlen(text), &options, d);
    const struct object *const inputs[] = {o};
    if (!o)
        fail_msg("%s", diag_first(d));
    struct object *linked = link_objects(inputs, 1, NULL, d);
    assert_non_null(linked);
    object_free(o);
    return linked;
}

static void add_blob(struct object *o, const char *target, const struct str *bytes) {
    void *copy = arena_alloc(&o->arena, bytes->len);
    memcpy(copy, bytes->text, bytes->len);
    struct package_blob blob = {arena_strdup(&o->arena, target), copy, bytes->len};
    o->packages.len = 0;
    vec_push(&o->packages, blob);
}

static int set_up_with(const char *text, void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct diag *d = diag_new(NULL, NULL);
    f->program = make_program(text, d);
    f->target = mpu_target_open("racer", NULL, NULL);
    struct package *p = package_build(f->program, f->target->t, f->target->library, NULL, 0, d);
    assert_non_null(p);
    package_write(p, &f->package);
    package_free(p);
    diag_free(d);
    *state = f;
    return 0;
}

static int set_up(void **state) {
    return set_up_with(source, state);
}

static int set_up_table(void **state) {
    return set_up_with(table_source, state);
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    mpu_target_close(f->target);
    object_free(f->program);
    str_free(&f->package);
    free(f);
    return 0;
}

struct result {
    mpu_result code;
    unsigned words; /* messages */
    uint16_t y[ELEMENTS];
    uint64_t time_ps, energy_fj;
};

static void count_message(void *context, const mpu_message *message) {
    unsigned *words = context;
    *words += mpu_message_severity(message) != MPU_NOTE;
}

static struct result run(struct fixture *f, const struct str *package) {
    struct result r = {0};
    struct str file = {0};
    uint16_t x[ELEMENTS];
    mpu_array a = {MPU_U16, 1, {ELEMENTS}, x};
    mpu_messages *messages = mpu_messages_new(count_message, &r.words);
    const mpu_config config = {.size = sizeof config, .messages = messages};
    for (unsigned i = 0; i < ELEMENTS; i++)
        x[i] = (uint16_t)(i * i);
    add_blob(f->program, "racer", package);
    object_write(f->program, &file);
    mpu_program *p = mpu_program_load(file.text, file.len, NULL);
    assert_non_null(p);
    mpu_session *s = mpu_session_new(p, f->target, &config, NULL);
    assert_non_null(s);
    r.code = mpu_session_put(s, "x", &a, NULL);
    r.code = r.code == MPU_OK ? mpu_session_run(s, NULL) : r.code;
    if (r.code == MPU_OK && mpu_session_get(s, "y", &a, NULL) == MPU_OK) {
        memcpy(r.y, a.data, sizeof r.y);
        mpu_array_free(&a);
    }
    mpu_session_figure(s, "total.time_ps", &r.time_ps);
    mpu_session_figure(s, "total.energy_fj", &r.energy_fj);
    mpu_messages_flush(messages);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_messages_free(messages);
    str_free(&file);
    return r;
}

static void sign(struct str *package) {
    char digest[65];
    sha256_hex(package->text + PACKAGE_HEADER, package->len - PACKAGE_HEADER, digest);
    memcpy(package->text + PACKAGE_HEADER - PACKAGE_DIGEST, digest, PACKAGE_DIGEST);
}

/* Bytes from `first` to before `end`. */
static void forge(const struct fixture *f, size_t first, size_t end, uint64_t *seed,
                  struct str *out) {
    str_append_n(out, f->package.text, f->package.len);
    for (uint64_t n = 1 + splitmix64(seed) % 2; n; n--) {
        size_t at = first + splitmix64(seed) % (end - first);
        uint64_t v = splitmix64(seed);
        out->text[at] =
            (char)(v & 1 ? out->text[at] ^ (char)(1u << (v >> 8 & 7)) : out->text[at] + 1);
    }
    sign(out);
}

static bool is_possible(const struct fixture *f, const struct str *package) {
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = package_read(f->program, package->text, package->len, d);
    bool possible = p && package_fresh(p, f->program, f->target->t, f->target->library, NULL, 0);
    package_free(p);
    diag_free(d);
    return possible;
}

static void forged_packages_change_nothing_without_a_word(void **state) {
    struct fixture *f = *state;
    const struct result right = run(f, &f->package);
    unsigned possible = 0, quiet = 0;
    uint64_t seed = 7;
    assert_int_equal(right.code, MPU_OK);
    assert_int_equal(right.words, 0);
    assert_true(right.time_ps > 0 && right.y[1] == (uint16_t)(17 + 698 * 698 + 1));
    for (unsigned i = 0; i < FORGED; i++) {
        struct str package = {0};
        forge(f, PACKAGE_HEADER, f->package.len, &seed, &package);
        struct result r = run(f, &package);
        possible += is_possible(f, &package);
        quiet += r.words == 0;
        if (r.words == 0 && (r.code != right.code || memcmp(r.y, right.y, sizeof r.y) != 0 ||
                             r.time_ps != right.time_ps || r.energy_fj != right.energy_fj))
            fail_msg("forged package %u runs with other results and without a word", i);
        str_free(&package);
    }
    print_message("%u of %u forged packages were possible, %u ran without a word\n", possible,
                  FORGED, quiet);
    assert_true(possible > 5); /* so that it is the comparison that finds them */
}

/* --- the logic of tables --- */

static size_t logic_found(const struct fixture *f) {
    return lut_recipes_made(plane_recipes(f->target->library)->luts);
}

/* On a target that has seen no table yet. */
static struct result run_anew(struct fixture *f, const struct str *package) {
    mpu_target_close(f->target);
    f->target = mpu_target_open("racer", NULL, NULL);
    assert_non_null(f->target);
    return run(f, package);
}

static bool is_same(const struct result *a, const struct result *b) {
    return a->code == b->code && memcmp(a->y, b->y, sizeof a->y) == 0 && a->time_ps == b->time_ps &&
           a->energy_fj == b->energy_fj;
}

static void a_package_brings_the_logic_of_its_tables(void **state) {
    struct fixture *f = *state;
    assert_int_equal(logic_found(f), 1);
    const struct result right = run_anew(f, &f->package);
    assert_int_equal(right.code, MPU_OK);
    assert_int_equal(right.words, 0);
    assert_int_equal(right.y[3], 18); /* of 9 */
    assert_int_equal(logic_found(f), 0);
}

/* As they once were: the logic is found, and nothing is said. */
static void a_package_without_logic_serves(void **state) {
    struct fixture *f = *state;
    const struct result right = run_anew(f, &f->package);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = package_read(f->program, f->package.text, f->package.len, d);
    struct str bytes = {0};
    assert_non_null(p);
    plane_logic_free(&((struct plane_code *)(void *)p->code)->logic);
    package_write(p, &bytes);
    assert_in_range(bytes.len, 1, f->package.len - 100);
    const struct result old = run_anew(f, &bytes);
    assert_true(is_same(&old, &right));
    assert_int_equal(old.words, 0);
    assert_int_equal(logic_found(f), 1);
    str_free(&bytes);
    package_free(p);
    diag_free(d);
}

/* Logic that is not the table's is never used. */
static void forged_logic_changes_nothing_without_a_word(void **state) {
    struct fixture *f = *state;
    const struct result right = run_anew(f, &f->package);
    const char *logic = memmem(f->package.text, f->package.len, "recipe LUT(", 11);
    assert_non_null(logic);
    size_t first = (size_t)(logic - f->package.text), end = first + strcspn(logic, "}") + 1;
    unsigned refused = 0;
    uint64_t seed = 3;
    for (unsigned i = 0; i < FORGED_LOGIC; i++) {
        struct str package = {0};
        forge(f, first, end, &seed, &package);
        struct result r = run_anew(f, &package);
        /* What is made anew may lie elsewhere, and take another time. */
        if (memcmp(r.y, right.y, sizeof r.y) != 0 || (r.words == 0 && !is_same(&r, &right)))
            fail_msg("with forged logic %u the program runs otherwise", i);
        refused += r.words > 0;
        str_free(&package);
    }
    print_message("%u of %u packages with forged logic were made anew\n", refused, FORGED_LOGIC);
    assert_in_range(refused, FORGED_LOGIC * 9 / 10, FORGED_LOGIC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_packages_change_nothing_without_a_word),
    };
    const struct CMUnitTest of_tables[] = {
        cmocka_unit_test(a_package_brings_the_logic_of_its_tables),
        cmocka_unit_test(a_package_without_logic_serves),
        cmocka_unit_test(forged_logic_changes_nothing_without_a_word),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    return failed + cmocka_run_group_tests(of_tables, set_up_table, tear_down);
}
