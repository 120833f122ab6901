/* SPDX-License-Identifier: MIT
 * Programs of which a lane holds more than some machines have: each runs on all built-in ones, by
 * the text that the linker takes, and gives what the interpreter says. */
#include "tests/draws.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/live_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

static const char *const machines[] = {"racer",     "mimdram", "simdram", "ambit", "duality-cache",
                                       "pluto-bsa", "golden",  "simt",    "upmem", "pypim"};
enum { MACHINES = sizeof machines / sizeof *machines, PYPIM = MACHINES - 1 };

struct fit_state {
    mpu_target *target[MACHINES];
    uint64_t first, count;
    bool all;     /* each program on all of them */
    bool goes_on; /* after one that fails */
};

/* Rows of slots have no floating point. */
static bool has_it(size_t machine, const char *text) {
    bool real = strstr(text, "f32") || strstr(text, "f16");
    return !real || strncmp(machines[machine], "pluto", 5) != 0;
}

/* On machines of the set (bit i: the i-th), by one program; what is wrong otherwise. */
static bool is_right_on(const struct fit_state *fit, unsigned set, const char *text, uint64_t seed,
                        int level, struct str *why) {
    struct against_setup setups[MACHINES];
    size_t count = 0;
    for (size_t i = 0; i < MACHINES; i++)
        if (set >> i & 1 && has_it(i, text))
            setups[count++] = (struct against_setup){.target = fit->target[i],
                                                     .level = level,
                                                     .batch = (seed + i) % 2 ? "target" : "one",
                                                     .init = (seed + i) % 3 ? "random:5" : "zero",
                                                     .rows = AGAINST_OWN};
    return count == 0 || against(text, seed, setups, count, why) == AGAINST_SAME;
}

static void runs_on(const struct fit_state *fit, unsigned set, const char *text, uint64_t seed,
                    int level) {
    struct str why = {0};
    if (!is_right_on(fit, set, text, seed, level, &why))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text);
    str_free(&why);
}

/* In the suite each on pypim and one more, else on all. */
static void random_programs_fit(void **state) {
    const struct fit_state *fit = *state;
    struct str text = {0}, why = {0};
    unsigned wrong = 0;
    for (uint64_t seed = fit->first; seed < fit->first + fit->count; seed++) {
        unsigned set = fit->all ? (1u << MACHINES) - 1 : 1u << PYPIM | 1u << seed % PYPIM;
        live_random(seed, &text);
        str_clear(&why);
        if (is_right_on(fit, set, text.text, seed, (int)(seed / 2 % 3), &why))
            continue;
        printf("seed %llu: %s\n", (unsigned long long)seed, str_text(&why));
        fflush(stdout);
        if (!fit->goes_on)
            fail_msg("%s", text.text);
        wrong++;
    }
    if (fit->goes_on)
        printf("%llu programs, %u fail\n", (unsigned long long)fit->count, wrong);
    str_free(&text);
    str_free(&why);
    assert_int_equal(wrong, 0);
}

static const char hamming[] = "size n;\ngroup g[n];\nin x: u64 @ g;\nin q: u64;\nout best: u64;\n"
                              "var d: u8 @ g;\nmain {\ncompute g { d = u8(popc(x ^ q)); }\n"
                              "best = argmin(d);\n}\n";
static const char nearest[] =
    "size n;\ngroup g[n];\nin x: i32[8] @ g;\nin q: i32[8];\nout b0, b1, b2: u64;\n"
    "var d: i64 @ g;\nmain {\ncompute g {\nd = 0;\n"
    "for k: 0 .. 8 { let e: i64 = i64(x[k]) - i64(q[k]); d = d + e * e; }\n}\nb0 = argmin(d);\n"
    "compute g { if (index() == b0) { d = 0x7fffffffffffffff; } }\nb1 = argmin(d);\n"
    "compute g { if (index() == b1) { d = 0x7fffffffffffffff; } }\nb2 = argmin(d);\n}\n";

static void nearest_neighbours_fit(void **state) {
    runs_on(*state, (1u << MACHINES) - 1, hamming, 1, 1);
    runs_on(*state, (1u << MACHINES) - 1, nearest, 2, 1);
}

/* SHA-256 with all its schedule in a lane (FIPS 180-4); constants by their number, as results are
 * compared with the interpreter's. */
static void write_sha256(struct str *text) {
    str_append(text,
               "group g[3];\nin block: u32[16] @ g;\nout digest: u32[8] @ g;\n"
               "sub rotate(x: u32, n: u32): u32 { return (x >> n) | (x << (32 - n)); }\n"
               "main {\ncompute g {\nlet w: u32[64];\nlet s: u32[8];\n"
               "for t: 0 .. 16 { w[t] = block[t]; }\n"
               "unroll for t: 16 .. 64 {\n"
               "let a: u32 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >> 3);\n"
               "let b: u32 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >> 10);\n"
               "w[t] = w[t - 16] + a + w[t - 7] + b;\n}\n"
               "for k: 0 .. 8 { s[k] = 0x6a09e667 ^ (k * 77); }\n"
               "unroll for t: 0 .. 64 {\n"
               "let t1: u32 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + "
               "((s[4] & s[5]) ^ (~s[4] & s[6])) + (0x428a2f98 ^ (t * 12345)) + w[t];\n"
               "let t2: u32 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + "
               "((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));\n"
               "s[7] = s[6]; s[6] = s[5]; s[5] = s[4]; s[4] = s[3] + t1;\n"
               "s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = t1 + t2;\n}\n"
               "for k: 0 .. 8 { digest[k] = s[k] + (0x6a09e667 ^ (k * 77)); }\n}\n}\n");
}

static void a_schedule_fits(void **state) {
    struct str text = {0};
    write_sha256(&text);
    runs_on(*state, (1u << MACHINES) - 1, text.text, 3, 1);
    str_free(&text);
}

/* What an instruction names by hand stays in one body: no text has room, and that is found soon, by
 * what is looked at. */
static void what_never_fits_is_refused_soon(void **state) {
    const struct fit_state *fit = *state;
    uint64_t work = 0;
    const struct ez_options options = {
        .optimize = 1, .own_texts = EZ_ALL_TARGETS, .spill_work = &work};
    struct str text = {0}, messages = {0};
    str_append(&text, "group g[3];\nin x: u64 @ g;\nout y: u64 @ g;\nmain {\ncompute g {\n");
    for (unsigned v = 0; v < 40; v++)
        str_printf(&text, "let v%u: u64 = x * %u;\n", v, v + 3);
    str_append(&text, "asm in(v1) inout(v2) { ADD v1 v2 v2; }\ny = 0;\n");
    for (unsigned v = 0; v < 40; v++)
        str_printf(&text, "y = y * 3 + v%u;\n", v);
    str_append(&text, "}\n}\n");
    mpu_program *p = try_program_with(text.text, &options, &messages);
    assert_non_null(p);
    assert_null(messages.text ? strstr(messages.text, "[-Wown-text]") : NULL);
    assert_true(work > 0 && work < (uint64_t)1 << 28);
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config};
    mpu_session *s = mpu_session_new(p, fit->target[PYPIM], &config, &e);
    if (s)
        (void)mpu_session_run(s, &e);
    assert_non_null(e);
    assert_non_null(strstr(mpu_error_text(e), "columns of a VRF, and target 'pypim' has 30"));
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(p);
    str_free(&text);
    str_free(&messages);
}

/* ---- floating point, which the interpreter has not ---- */

enum { ROWS = 20, COLUMNS = 16 };

static const char layer_norm[] =
    "size n;\ngroup g[n];\nin x: f32[16] @ g;\nout y: f32[16] @ g;\nmain {\ncompute g {\n"
    "let m: f32 = 0.0;\nfor k: 0 .. 16 { m = m + x[k]; }\nm = m / 16.0;\nlet v: f32 = 0.0;\n"
    "for k: 0 .. 16 { v = v + (x[k] - m) * (x[k] - m); }\n"
    "let s: f32 = 1.0 / sqrt(v / 16.0 + 0.00001);\n"
    "for k: 0 .. 16 { y[k] = (x[k] - m) * s; }\n}\n}\n";

/* The same in the host's arithmetic, each operation rounded once. */
static void layer_norm_row(const float *x, float *y) {
    volatile float m = 0, v = 0, s, d;
    for (size_t k = 0; k < COLUMNS; k++)
        m = m + x[k];
    m = m / 16;
    for (size_t k = 0; k < COLUMNS; k++) {
        d = x[k] - m;
        d = d * d;
        v = v + d;
    }
    v = v / 16;
    v = v + 0.00001f;
    s = sqrtf(v);
    s = 1 / s;
    for (size_t k = 0; k < COLUMNS; k++) {
        d = x[k] - m;
        y[k] = d * s;
    }
}

static void fails(const char *what, mpu_error *error) {
    if (error)
        fail_with(what, error);
}

static void layer_norm_on(const mpu_program *program, mpu_target *target, float *x,
                          const float *want) {
    mpu_error *e = NULL;
    const mpu_config config = {.size = sizeof config};
    mpu_array in = {.type = MPU_F32, .ndim = 2, .shape = {ROWS, COLUMNS}, .data = x}, out = {0};
    mpu_session *s = mpu_session_new(program, target, &config, &e);
    fails("session", e);
    (void)mpu_session_bind_size(s, "n", ROWS, &e);
    fails("size", e);
    (void)mpu_session_put(s, "x", &in, &e);
    fails("put", e);
    (void)mpu_session_run(s, &e);
    fails("run", e);
    (void)mpu_session_get(s, "y", &out, &e);
    fails("get", e);
    if (memcmp(out.data, want, ROWS * COLUMNS * sizeof *want) != 0)
        fail_msg("layer norm differs on %s", mpu_target_name(target));
    mpu_array_free(&out);
    mpu_session_free(s);
}

static void layer_norm_fits(void **state) {
    const struct fit_state *fit = *state;
    const struct ez_options options = {.optimize = 1, .own_texts = EZ_ALL_TARGETS};
    float x[ROWS * COLUMNS], want[ROWS * COLUMNS];
    struct str messages = {0};
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        x[i] = (float)((int)(i * 7919 % 2003) - 1000) / 37;
    for (size_t i = 0; i < ROWS; i++)
        layer_norm_row(x + i * COLUMNS, want + i * COLUMNS);
    mpu_program *p = try_program_with(layer_norm, &options, &messages);
    assert_non_null(p);
    assert_non_null(strstr(messages.text, "ambit, duality-cache, mimdram, simdram, pypim"));
    for (size_t i = 0; i < MACHINES; i++)
        if (has_it(i, layer_norm))
            layer_norm_on(p, fit->target[i], x, want);
    mpu_program_free(p);
    str_free(&messages);
}

/* ---- the common text ---- */

/* The text is what it is without the wish for others; there are others only where it has no room.
 */
static void common_text_stays(void **state) {
    static const char small[] = "size n;\ngroup g[n];\nin x: u8 @ g;\nout y: u8 @ g;\n"
                                "main { compute g { y = x + 1; } }\n";
    static const char *const texts[] = {small, hamming, nearest, layer_norm};
    const struct ez_options with = {.optimize = 1, .own_texts = EZ_ALL_TARGETS},
                            without = {.optimize = 1};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct str a = {0}, b = {0};
        struct object *one = ez_compile("t.ez", texts[i], strlen(texts[i]), &with, d),
                      *other = ez_compile("t.ez", texts[i], strlen(texts[i]), &without, d);
        assert_non_null(one);
        assert_non_null(other);
        assert_true((one->own_texts.len == 0) == (texts[i] == small));
        assert_int_equal(other->own_texts.len, 0);
        for (size_t k = 0; k < one->own_texts.len; k++)
            object_free(one->own_texts.data[k].program);
        one->own_texts.len = 0;
        object_write(one, &a);
        object_write(other, &b);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.text, b.text, a.len);
        object_free(one);
        object_free(other);
        str_free(&a);
        str_free(&b);
        diag_free(d);
    }
}

static int print_program(uint64_t seed) {
    struct str text = {0};
    live_random(seed, &text);
    printf("// -O%d\n%s", (int)(seed / 2 % 3), text.text);
    str_free(&text);
    return 0;
}

/* [FIRST COUNT [all]]: other random programs than the suite's, each on all machines; with `all` it
 * goes on after one that fails.  text SEED: the program. */
int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "text") == 0)
        return print_program(strtoull(argv[2], NULL, 10));
    struct fit_state fit = {.first = 1, .count = draws(DRAWS_EZPIM_FIT)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(random_programs_fit, &fit),
        cmocka_unit_test_prestate(nearest_neighbours_fit, &fit),
        cmocka_unit_test_prestate(a_schedule_fits, &fit),
        cmocka_unit_test_prestate(layer_norm_fits, &fit),
        cmocka_unit_test_prestate(what_never_fits_is_refused_soon, &fit),
        cmocka_unit_test(common_text_stays)};
    const struct CMUnitTest random_alone[] = {cmocka_unit_test_prestate(random_programs_fit, &fit)};
    if (argc > 1)
        fit.first = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        fit.count = strtoull(argv[2], NULL, 10);
    fit.all = argc > 1 || fit.count > 100;
    fit.goes_on = argc > 3;
    for (size_t i = 0; i < MACHINES; i++) {
        mpu_error *e = NULL;
        fit.target[i] = mpu_target_open(machines[i], NULL, &e);
        if (!fit.target[i]) {
            fprintf(stderr, "%s cannot be opened\n", machines[i]);
            return 1;
        }
    }
    int failed = argc > 1 ? cmocka_run_group_tests_name("random", random_alone, NULL, NULL)
                          : cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < MACHINES; i++)
        mpu_target_close(fit.target[i]);
    return failed;
}
