/* SPDX-License-Identifier: MIT
 * The functions of ezpim/lib/float.ez: the algorithm in C beside the exact value, for all numbers
 * of 16 bits and random ones of 32, and the library on machines beside the algorithm, bit for bit.
 * test_functions COUNT [SEED]: as many random numbers of f32 by the algorithm alone.
 * test_functions --part FUNCTION K: the K-th of 256 parts of all numbers of f32 (all32.sh). */
#include "tests/draws.h"
#include "mpu/mpu.h"
#include "support/alloc.h"
#include "support/str.h"
#include "tests/float/functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

enum { NUMBERS_16 = 65536 };

static uint64_t seed = 1;

/* xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016). */
static uint64_t draw(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717u;
}

/* Where functions change their ways: zeros, ones, ends of binades, the least and largest numbers.
 */
static uint64_t special(unsigned i) {
    uint32_t exponent = i / 8 % 256, fraction = i % 8 < 4 ? i % 4 : 0x7FFFFF - i % 4;
    return (uint64_t)(i / 2048 % 2) << 31 | exponent << 23 | fraction;
}
enum { SPECIALS = 4096 };

/* Of the numbers of f32: all special ones, then random patterns, and half of these from 2^-16 to
 * 2^15 in size, where most functions have something to do. */
static uint32_t number_32(size_t i) {
    if (i < SPECIALS)
        return (uint32_t)special((unsigned)i);
    uint64_t r = draw();
    uint32_t near = (uint32_t)(111 + (r >> 40) % 32) << 23 | (uint32_t)(r & 0x807FFFFF);
    return i % 2 ? near : (uint32_t)r;
}

static size_t random_numbers;

/* ---- the algorithm beside the exact value ---- */

static void all_16_bits_are_nearest(void **state) {
    (void)state;
    size_t count;
    const struct floats_function *f = floats_all(&count);
    for (; count-- > 0; f++) {
        const struct floats_format *format = &floats_formats[f->format];
        floats_exact *exact = floats_exact_of(f->name);
        if (!f->value)
            continue;
        assert_non_null(exact);
        for (uint64_t x = 0; format->width == 16 && x < NUMBERS_16; x++) {
            long double y = exact(floats_number(format, x));
            uint64_t got = f->value(f, x), want = floats_nearest(format, y);
            if (got != want)
                fail_msg("%s %s(%#llx): %#llx, the nearest is %#llx, of %.20Lg", format->name,
                         f->name, (unsigned long long)x, (unsigned long long)got,
                         (unsigned long long)want, y);
        }
    }
}

/* The largest distance of `n` numbers of f32, which is within the bound. */
static void check_32(const struct floats_function *f, size_t n) {
    const struct floats_format *format = &floats_formats[f->format];
    floats_exact *exact = floats_exact_of(f->name);
    long double worst = 0, bound = floats_bound(f->name);
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = number_32(i);
        long double y = exact(floats_number(format, x));
        uint64_t got = f->value(f, x);
        long double distance = floats_distance(format, got, y);
        if (distance > bound)
            fail_msg("%s %s(%#x): %#llx is %.4Lf ulp from %.20Lg, more than %.2Lf", format->name,
                     f->name, x, (unsigned long long)got, distance, y, bound);
        if (distance > worst) {
            worst = distance;
            at = x;
        }
    }
    printf("%s %-8s %.4Lf ulp at %#x, bound %.2Lf\n", format->name, f->name, worst, at, bound);
}

/* The function of f32 of that name, or NULL. */
static const struct floats_function *find_32(const char *name) {
    size_t count;
    const struct floats_function *f = floats_all(&count);
    for (; count-- > 0; f++)
        if (f->value && floats_formats[f->format].width == 32 && strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* A line "FUNCTION K WORST AT"; 1 where a result is beyond the bound. */
static int check_part(const char *name, uint32_t part) {
    const struct floats_function *f = find_32(name);
    if (!f || part > 255)
        return 2;
    const struct floats_format *format = &floats_formats[f->format];
    floats_exact *exact = floats_exact_of(name);
    long double worst = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        uint32_t x = part << 24 | i;
        long double y = exact(floats_number(format, x));
        long double distance = floats_distance(format, f->value(f, x), y);
        if (distance > worst) {
            worst = distance;
            at = x;
        }
    }
    printf("%s %u %.5Lf %#x\n", name, part, worst, at);
    return worst > floats_bound(name);
}

/* Exact cases: of whole numbers, and at the ends. */
static void exact_cases(void **state) {
    (void)state;
    static const struct {
        const char *name;
        float x, y;
    } cases[] = {{"exp", 0, 1},
                 {"exp", -0.0f, 1},
                 {"exp2", 10, 1024},
                 {"exp2", -149, 0x1p-149f},
                 {"exp2", -150, 0},
                 {"log", 1, 0},
                 {"log2", 0x1p-149f, -149},
                 {"log2", 8, 3},
                 {"log10", 1, 0},
                 {"sin", 0, 0},
                 {"cos", 0, 1},
                 {"tan", 0, 0},
                 {"tanh", 0, 0},
                 {"tanh", 20, 1},
                 {"erf", 0, 0},
                 {"erf", 9, 1},
                 {"arctan", 0, 0},
                 {"sigmoid", 0, 0.5f},
                 {"ndtr", 0, 0.5f},
                 {"erfc", 0, 1},
                 {"silu", 0, 0},
                 {"exp", INFINITY, INFINITY},
                 {"exp", -INFINITY, 0},
                 {"log", 0, -INFINITY},
                 {"log", INFINITY, INFINITY},
                 {"sigmoid", -INFINITY, 0},
                 {"ndtr", INFINITY, 1},
                 {"erfc", -INFINITY, 2},
                 {"sinh", -0.0f, -0.0f},
                 {"sinh", -INFINITY, -INFINITY},
                 {"cosh", 0, 1},
                 {"cosh", -INFINITY, INFINITY},
                 {"expm1", -0.0f, -0.0f},
                 {"expm1", -INFINITY, -1},
                 {"expm1", INFINITY, INFINITY},
                 {"softplus", -INFINITY, 0},
                 {"softplus", INFINITY, INFINITY},
                 {"softplus", 100, 100},
                 {"log1p", -0.0f, -0.0f},
                 {"log1p", -1, -INFINITY},
                 {"log1p", INFINITY, INFINITY},
                 {"reciprocal", -0.0f, -INFINITY},
                 {"reciprocal", -INFINITY, -0.0f},
                 {"reciprocal", 4, 0.25f},
                 {"rsqrt", 16, 0.25f},
                 {"rsqrt", 0x1p-148f, 0x1p74f},
                 {"rsqrt", -0.0f, -INFINITY},
                 {"rsqrt", INFINITY, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct floats_function *f = find_32(cases[i].name);
        uint32_t x, y;
        memcpy(&x, &cases[i].x, sizeof x);
        memcpy(&y, &cases[i].y, sizeof y);
        if (f->value(f, x) != y)
            fail_msg("%s(%#x): %#llx, not %#x", cases[i].name, x,
                     (unsigned long long)f->value(f, x), y);
    }
}

/* Whether the name is one of the words. */
static bool is_one_of(const char *words, const char *name) {
    size_t length = strlen(name);
    for (const char *at = words; (at = strstr(at, name)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Odd functions turn the sign with that of x, even ones do not: to the bit. */
static void symmetry(void **state) {
    (void)state;
    size_t count;
    const struct floats_function *f = floats_all(&count);
    for (; count-- > 0; f++) {
        bool even = is_one_of("cos cosh", f->name);
        const struct floats_format *format = &floats_formats[f->format];
        uint64_t sign = (uint64_t)1 << (format->width - 1),
                 infinity = floats_nearest(format, INFINITY);
        if (!f->value || !(even || is_one_of("sin tan tanh arctan erf sinh reciprocal", f->name)))
            continue;
        for (size_t i = 0; i < NUMBERS_16 / 2; i++) {
            uint64_t x = format->width == 16 ? i : number_32(i) & (sign - 1);
            if (x > infinity || (x == infinity && is_one_of("sin cos tan", f->name)))
                continue;
            assert_int_equal(f->value(f, x | sign), f->value(f, x) ^ (even ? 0 : sign));
        }
    }
}

/* The number's place among all of the format. */
static int64_t place_of(const struct floats_format *format, uint64_t pattern) {
    uint64_t sign = (uint64_t)1 << (format->width - 1);
    int64_t magnitude = (int64_t)(pattern & (sign - 1));
    return pattern & sign ? -magnitude : magnitude;
}

/* What never falls does not, from each number to the next: of f16 all, of f32 in runs. */
static void monotony(void **state) {
    (void)state;
    size_t count, runs = random_numbers / 100;
    const struct floats_function *f = floats_all(&count);
    for (; count-- > 0; f++) {
        const struct floats_format *format = &floats_formats[f->format];
        uint64_t sign = (uint64_t)1 << (format->width - 1);
        uint64_t infinity = floats_nearest(format, INFINITY);
        if (!f->value ||
            !is_one_of("exp exp2 log log2 log10 tanh erf ndtr arctan sinh expm1 log1p", f->name))
            continue;
        for (size_t run = 0; run < (format->width == 16 ? 1 : runs); run++) {
            uint64_t first = format->width == 16 ? 0 : number_32(SPECIALS + run) & (sign - 1);
            uint64_t steps = format->width == 16 ? infinity : 100;
            for (uint64_t x = first; x < first + steps && x < infinity; x++) {
                int64_t low = place_of(format, f->value(f, x));
                if (place_of(format, f->value(f, x + 1)) < low)
                    fail_msg("%s %s falls behind %#llx", format->name, f->name,
                             (unsigned long long)x);
                if (strncmp(f->name, "log", 3) != 0 &&
                    place_of(format, f->value(f, sign | (x + 1))) >
                        place_of(format, f->value(f, sign | x)))
                    fail_msg("%s %s falls behind -%#llx", format->name, f->name,
                             (unsigned long long)x);
            }
        }
    }
}

static void random_32_bits_are_within_bounds(void **state) {
    (void)state;
    size_t count;
    const struct floats_function *f = floats_all(&count);
    for (; count-- > 0; f++)
        if (f->value && floats_formats[f->format].width == 32)
            check_32(f, random_numbers);
}

/* ---- the library beside the algorithm ---- */

static void need(bool good, const char *what, mpu_error *e) {
    if (!good)
        fail_msg("%s: %s", what, e ? mpu_error_text(e) : "no message");
}

static const char *const machines[] = {"racer", "mimdram", "duality-cache",
                                       "pypim", "upmem",   "simt"};
enum { MACHINES = sizeof machines / sizeof *machines };

/* The suite takes each function in one of its formats, another one for the next function, on one of
 * the machines. */
static bool takes(size_t function, size_t machine) {
    return draws_takes(function + function / 3, 3) && draws_takes(function / 3 + machine, MACHINES);
}

static mpu_program *program_of(const struct floats_function *f, size_t number, const char *format) {
    struct str name = {0}, text = {0};
    str_printf(&name, "%s-%s.ez", format, f->name);
    str_printf(&text,
               "include \"float.ez\";\nsize n;\ngroup g[n];\nin x: %s @ g;\nout y: %s @ g;\n"
               "main { compute g { y = %s_%s(x); } }\n",
               format, format, format, f->name);
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, name.text, text.text, text.len);
    for (size_t m = 0; m < MACHINES; m++)
        if (takes(number, m))
            mpu_source_for_target(source, machines[m]);
    mpu_error *e = NULL;
    mpu_program *p = mpu_source_build(source, &e);
    need(p != NULL, name.text, e);
    mpu_source_free(source);
    str_free(&name);
    str_free(&text);
    return p;
}

static uint64_t pattern_of(const void *data, unsigned width, size_t i) {
    return width == 16 ? ((const uint16_t *)data)[i] : ((const uint32_t *)data)[i];
}

/* What the target makes of the n patterns, which is what the algorithm does. */
static void compare(const struct floats_function *f, mpu_program *p, const char *target_name,
                    void *data, uint64_t n) {
    static const mpu_type types[] = {[FLOATS_F16] = MPU_F16,
                                     [FLOATS_F16_WIDE] = MPU_F16,
                                     [FLOATS_BF16] = MPU_BF16,
                                     [FLOATS_BF16_WIDE] = MPU_BF16,
                                     [FLOATS_F32] = MPU_F32};
    const struct floats_format *format = &floats_formats[f->format];
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target_name, NULL, &e);
    need(t != NULL, target_name, e);
    mpu_config config = {.size = sizeof config, .init = "random:1"};
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    need(s != NULL, target_name, e);
    mpu_array a = {.type = types[f->format], .ndim = 1, .data = data}, got = {0};
    a.shape[0] = n;
    need(mpu_session_put(s, "x", &a, &e) == MPU_OK, "x", e);
    need(mpu_session_run(s, &e) == MPU_OK, target_name, e);
    need(mpu_session_get(s, "y", &got, &e) == MPU_OK, "y", e);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = pattern_of(data, format->width, i), y = pattern_of(got.data, format->width, i);
        if (y != f->value(f, x))
            fail_msg("%s: %s %s(%#llx): %#llx, not %#llx", target_name, format->name, f->name,
                     (unsigned long long)x, (unsigned long long)y,
                     (unsigned long long)f->value(f, x));
    }
    mpu_array_free(&got);
    mpu_session_free(s);
    mpu_target_close(t);
}

/* n numbers of the format: of 16 bits every so many, from one that is drawn on. */
static void *numbers(const struct floats_format *format, uint64_t n) {
    uint16_t *small = xmalloc(n * sizeof *small);
    uint32_t *large = xmalloc(n * sizeof *large);
    uint64_t step = NUMBERS_16 / n ? NUMBERS_16 / n : 1, first = draw() % step;
    for (size_t i = 0; i < n; i++) {
        small[i] = (uint16_t)(first + i * step);
        large[i] = number_32(n < SPECIALS ? i * SPECIALS / n + i : i);
    }
    void *kept = format->width == 16 ? (void *)small : (void *)large;
    free(format->width == 16 ? (void *)large : (void *)small);
    return kept;
}

static void machines_do_what_the_algorithm_does(void **state) {
    (void)state;
    size_t count;
    const struct floats_function *f = floats_all(&count);
    for (; count-- > 0; f++) {
        const struct floats_format *format = &floats_formats[f->format];
        if (!f->value)
            continue;
        mpu_program *p = program_of(f, count, format->name);
        uint64_t n = draws(DRAWS_FLOAT_GOLDEN);
        n = format->width == 16 && n > NUMBERS_16 ? NUMBERS_16 : n;
        void *data = numbers(format, n);
        compare(f, p, "golden", data, n);
        free(data);
        for (size_t m = 0; m < MACHINES; m++) {
            if (!takes(count, m))
                continue;
            n = draws(DRAWS_FLOAT_MACHINES);
            data = numbers(format, n);
            compare(f, p, machines[m], data, n);
            free(data);
        }
        mpu_program_free(p);
    }
}

int main(int argc, char **argv) {
    random_numbers = draws(DRAWS_FLOAT_NUMBERS);
    if (argc == 4 && strcmp(argv[1], "--part") == 0)
        return check_part(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    if (argc > 1) {
        random_numbers = strtoull(argv[1], NULL, 10);
        seed = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1;
        const struct CMUnitTest one[] = {cmocka_unit_test(random_32_bits_are_within_bounds)};
        return cmocka_run_group_tests(one, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_16_bits_are_nearest),
        cmocka_unit_test(random_32_bits_are_within_bounds),
        cmocka_unit_test(exact_cases),
        cmocka_unit_test(symmetry),
        cmocka_unit_test(monotony),
        cmocka_unit_test(machines_do_what_the_algorithm_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
