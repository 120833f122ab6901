/* SPDX-License-Identifier: MIT
 * Random stage kernels on near-bank SIMT cores, under other policies, few registers and short
 * blocks: every byte of every buffer is what a straightforward evaluation says, or there is no code
 * for the kernel and it is said why. */
#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"
#include "tests/draws.h"
#include "tests/stage/random_body.h"
#include "tests/stage/random_kernel.h"
#include "tests/stage/sessions.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const sets[][3] = {{"simt.timing=true"},
                                      {"simt.policy=hardware", "simt.registers=20"},
                                      {"simt.policy=far", "simt.block_threads=32"},
                                      {"simt.timing=false"}};
enum { SETS = sizeof sets / sizeof *sets };
static mpu_target *targets[SETS];

static mpu_session *open_session(const struct str *text, unsigned set, uint64_t seed,
                                 mpu_program **program) {
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "random.s", str_text(text), text->len);
    *program = mpu_source_build(source, &e);
    mpu_session *s = *program ? mpu_session_new(*program, targets[set], NULL, &e) : NULL;
    if (!s)
        session_fails(seed, sets[set][0], mpu_error_text(e), text);
    mpu_source_free(source);
    return s;
}

/* What is in `start` before it comes to what is in `end`; whether there was code for it. */
static bool carried_out(const struct launched *start, const struct launched *end, uint64_t scalar,
                        uint64_t length, uint64_t seed) {
    struct str text = {0};
    mpu_error *e = NULL;
    const unsigned set = (unsigned)(seed % SETS);
    mpu_program *p = NULL;
    session_program(start, scalar, length, 0, &text);
    mpu_session *s = open_session(&text, set, seed, &p);
    const bool refused = mpu_session_prepare(s, &e) != MPU_OK;
    if (refused && !strstr(mpu_error_text(e), "it needs an `else` for this target"))
        session_fails(seed, sets[set][0], mpu_error_text(e), &text);
    if (refused && getenv("MPU_SAY"))
        print_message("seed %" PRIu64 ": %s\n", seed, mpu_error_text(e));
    if (!refused) {
        session_put_all(s, start, seed, sets[set][0], &text);
        if (mpu_session_run(s, &e) != MPU_OK)
            session_fails(seed, sets[set][0], mpu_error_text(e), &text);
        session_compare(s, end, seed, sets[set][0], &text);
    }
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(p);
    str_free(&text);
    return !refused;
}

static uint64_t first_seed = 1, last_seed;

static void test_same_bytes(void **state) {
    unsigned ran = 0, all = 0;
    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++, all++) {
        static struct random_kernel start, end;
        struct str wrong = {0};
        random_kernel(&start, seed);
        random_kernel(&end, seed);
        launched_run(&end.launched, &wrong);
        assert_int_equal(wrong.len, 0);
        ran +=
            carried_out(&start.launched, &end.launched, (uint64_t)start.scalar, start.length, seed);
        random_kernel_free(&start);
        random_kernel_free(&end);
        str_free(&wrong);
    }
    print_message("%u of %u kernels\n", ran, all);
    assert_true(all < 10 || ran * 10 >= all);
}

/* Bodies that no evaluation but the interpreter's is there for. */
static void test_bodies(void **state) {
    unsigned ran = 0, all = 0;
    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++, all++) {
        struct launched start = {.count = 0}, end = {.count = 0};
        struct str wrong = {0};
        uint64_t scalar, length;
        random_bodies(&start, seed, &scalar, &length);
        random_bodies(&end, seed, &scalar, &length);
        launched_run(&end, &wrong);
        if (wrong.len)
            session_fails(seed, "golden", str_text(&wrong), &start.text);
        ran += carried_out(&start, &end, scalar, length, seed);
        launched_free(&start);
        launched_free(&end);
        str_free(&wrong);
    }
    print_message("%u of %u kernels\n", ran, all);
    assert_true(all < 10 || ran * 10 >= all);
}

/* ---- patterns, one by one, and what is said of those that are not there ---- */

static const struct {
    const char *stages, *why; /* why NULL: it runs; "stops": as it does on golden */
} patterns[] = {
    {"map (in x, out y) { y[0] = 3 * x[0] + 1; }", NULL},
    {"window 3 (in x, out y) { y[0] = x[0] + x[1] - x[2]; }", NULL},
    {"window 2 (in x tail t, out y) { y[0] = x[1] - x[0]; }", NULL},
    {"group 4 (in x, out y) { y[0] = max(max(x[0], x[1]), x[2] ^ x[3]); }", NULL},
    {"map (inout x) { x[0] += 7; } map (in x, out y) { y[0] = x[0] / 3; }", NULL},
    {"array m: i32; map (in x, out m) { m[0] = x[0] * x[0]; }"
     " window 2 (in m, out y) { y[0] = m[0] % (m[1] | 1); }",
     NULL},
    {"map (in x, whole t[4], out y) { y[0] = t[x[0] & 3]; }", NULL},
    {"reduce (in x, acc y = 5) { y[0] += x[0]; }", NULL},
    {"reduce (in x, acc y) { y[0] += x[0]; }", NULL},
    {"reduce (in x, acc y[2] = 0) { y[0] = min(y[0], x[0]); y[1] = min(y[1], -x[0]); }", NULL},
    {"reduce (in x, acc y = 0) { y[0] ^= x[0]; }", NULL},
    {"filter (in x, out y from x) { return x[0] > 3; }", NULL},
    {"filter (in x, out y from x) { return x[0] % 3 == 0; }", NULL},
    {"filter (in x, out y from x, count t) { return false; }", NULL},
    {"window 2 filter (in x tail t, out y from x) { return x[0] != x[1]; }", NULL},
    {"group 4 filter (in x, out y from x) { return x[1] > x[2]; }", NULL},
    {"array m: i32; filter (in x, out m from x) { return x[0] & 1; }"
     " filter (in m, out y from m) { return m[0] & 2; }",
     NULL},
    {"array m: i32; filter (in x, out m from x, count t) { return x[0] & 1; }"
     " reduce (in m, acc y = 0) { y[0] += m[0]; }",
     NULL},
    {"filter (in x, out y, count t) { y[0] = 3 * x[0]; return x[0] & 4; }", NULL},
    {"reduce (in x, acc y = 1) { y[0] *= x[0] | 1; }", NULL},
    {"reduce (in x, acc y[16] = 0) { y[x[0] >> 3 & 15]++; }", NULL},
    {"reduce (in x, acc y[300]) { y[x[0] & 255] ^= x[0]; }", NULL},
    {"reduce (in x, acc y[2] = 0) { if (x[0] < y[0]) y[0] = x[0]; if (x[0] > y[1]) y[1] = x[0]; }"
     " combine (other) { y[0] = min(y[0], other[0]); y[1] = max(y[1], other[1]); }",
     NULL},
    {"reduce (in x, acc y[64] = 0) { y[x[0] & 63] = max(y[x[0] & 63], x[0]); }"
     " combine (other) { for (int i = 0; i < 64; i++) y[i] = max(y[i], other[i]); }",
     NULL},
    {"map (in x, out y) { i32 r[8]; for (int i = 0; i < 8; i++) r[i] = i * x[0];"
     " y[0] = r[x[0] & 7]; }",
     NULL},
    {"group 8 (in x, out y) { y[0] = x[x[0] & 7]; }", NULL},
    {"map (in x, out y) { for (i32 i = x[0] & 15; i > 0; i--)"
     " for (i32 k = i; k > 0; k = k / 2) y[0] += k; }",
     NULL},
    {"map (in x, out y) { y[0] = (i32)min((f32)x[0] * 0.5, (f32)17); }", NULL},
    {"map (in x, out y) { y[0] = (i32)sqrt((f64)abs(x[0])); }", NULL},
    {"map (in x, out y) { y[0] = (i32)(bf16)(f32)(x[0] & 255); }", NULL},
    {"map (in x, out y) { i32 r[8]; r[x[0] & 15] = 1; y[0] = r[0]; }", "stops"},
    {"filter (in x, out y from x) { i32 r[8]; r[0] = 1; return r[(x[0] & 15) - 1] == 1; }",
     "stops"},
    {"map (in x, whole t[3], out y) { y[0] = t[x[0] & 3]; }", "stops"},
    {"map (in x, out y) { i64 n = x[0]; while (n != 0) { n = n > 0 ? n + 2 : n; } }",
     "stops at last"},
    {"window 2 (in x, out y) { y[0] = x[1]; } map (inout x) { x[0] += 1; }",
     "a buffer that windows see and the kernel changes"},
    {"map (in x, out y) { const i32 t[65] = {1}; y[0] = t[x[0] & 63]; }", NULL},
    {"reduce (in x, acc y[257] = 0) { y[x[0] & 255] = max(y[x[0] & 255], x[0]); }"
     " combine (other) { for (int i = 0; i < 257; i++) y[i] = max(y[i], other[i]); }",
     NULL},
};
static bool stops(size_t which) {
    return patterns[which].why && strncmp(patterns[which].why, "stops", 5) == 0;
}
/* Behind millions of iterations: without time alone. */
static bool is_left_out(size_t which, unsigned set) {
    return stops(which) && strcmp(patterns[which].why, "stops") != 0 && set != SETS - 1;
}
#define LENGTH 300u

static void fill(struct launched *x, size_t which) {
    const struct lane_type word = {TYPE_INT, 32};
    *x = (struct launched){.count = 0};
    launched_buffer(x, "x", word, LENGTH);
    launched_buffer(x, "t", word, 4);
    launched_buffer(x, "y", word, LENGTH);
    for (uint32_t i = 0; i < LENGTH; i++)
        launched_put(x, 0, i, (i * 2654435761u) >> 7);
    for (uint32_t i = 0; i < 4; i++)
        launched_put(x, 1, i, 1000 + i * 17);
    launched_put(x, 2, 0, 12);
    str_printf(&x->text, "length %u; %s\n", LENGTH, patterns[which].stages);
}

static void test_patterns(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (unsigned set = 0; set < SETS; set++) {
            struct launched start, end;
            struct str wrong = {0}, text = {0};
            mpu_error *e = NULL;
            mpu_program *p = NULL;
            if ((i + set) % 2 && !stops(i))
                continue;
            if (is_left_out(i, set))
                continue;
            fill(&start, i);
            fill(&end, i);
            session_program(&start, 0, LENGTH, 0, &text);
            mpu_session *s = open_session(&text, set, i, &p);
            const bool refused = mpu_session_prepare(s, &e) != MPU_OK;
            if (refused != (patterns[i].why != NULL && !stops(i)) ||
                (refused && (!strstr(mpu_error_text(e), patterns[i].why) ||
                             !strstr(mpu_error_text(e), "it needs an `else` for this target"))))
                session_fails(i, sets[set][0], e ? mpu_error_text(e) : "it runs", &text);
            launched_run(&end, &wrong);
            if (stops(i)) {
                assert_true(wrong.len != 0);
                session_put_all(s, &start, i, sets[set][0], &text);
                if (mpu_session_run(s, &e) == MPU_OK ||
                    !strstr(mpu_error_text(e), strstr(str_text(&wrong), "element ")))
                    session_fails(i, str_text(&wrong), e ? mpu_error_text(e) : "it runs", &text);
            } else if (!refused) {
                assert_int_equal(wrong.len, 0);
                session_put_all(s, &start, i, sets[set][0], &text);
                if (mpu_session_run(s, &e) != MPU_OK)
                    session_fails(i, sets[set][0], mpu_error_text(e), &text);
                session_compare(s, &end, i, sets[set][0], &text);
            }
            mpu_error_free(e);
            mpu_session_free(s);
            mpu_program_free(p);
            launched_free(&start);
            launched_free(&end);
            str_free(&wrong);
            str_free(&text);
        }
}

/* ---- tables and accumulators of many elements ---- */

static void random_table(struct launched *x, uint64_t seed) {
    static const uint8_t widths[] = {8, 16, 32, 64, 1, 5, 12, 33};
    const struct lane_type word = {TYPE_UINT, 32};
    uint64_t state = seed * 7919;
    const unsigned bits = widths[splitmix64(&state) % sizeof widths];
    const bool is_signed = bits > 1 && splitmix64(&state) & 1, gathers = seed % 4 == 3;
    const uint32_t most = gathers    ? 600
                          : seed % 8 ? 700
                                     : 4096,
                   count = (uint32_t)(65 + splitmix64(&state) % (most - 64));
    const struct lane_type t = {is_signed ? TYPE_INT : TYPE_UINT, (uint8_t)bits};
    const char kind = is_signed ? 'i' : 'u';
    *x = (struct launched){.count = 0};
    launched_buffer(x, "x", word, LENGTH);
    launched_buffer(x, "y", t, gathers ? count : LENGTH);
    for (uint32_t i = 0; i < LENGTH; i++)
        launched_put(x, 0, i, (uint32_t)splitmix64(&state));
    if (gathers) {
        str_printf(&x->text,
                   "length %u; reduce (in x, acc y[%u] = 0) { y[x[0] %% %u] += (%c%u)x[0];"
                   " y[x[0] %% %u] += (%c%u)1; } combine (o) { for (i32 i = 0; i < %u; i++)"
                   " y[i] += o[i]; }\n",
                   LENGTH, count, count, kind, bits, count - 1, kind, bits, count);
        return;
    }
    str_printf(&x->text, "length %u; const %c%u t[%u] = {", LENGTH, kind, bits, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t value = splitmix64(&state) & low_bits(is_signed ? bits - 1 : bits);
        str_printf(&x->text, "%s%s%" PRIu64, i ? ", " : "",
                   is_signed && splitmix64(&state) & 1 ? "-" : "", value);
    }
    str_printf(&x->text, "}; map (in x, out y) { y[0] = t[x[0] %% %u]; }\n", count);
}

/* Each has code. */
static void test_tables(void **state) {
    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed && seed < first_seed + 16; seed++) {
        struct launched start, end;
        struct str wrong = {0};
        random_table(&start, seed);
        random_table(&end, seed);
        launched_run(&end, &wrong);
        assert_int_equal(wrong.len, 0);
        assert_true(carried_out(&start, &end, 0, LENGTH, seed));
        launched_free(&start);
        launched_free(&end);
    }
}

static int open_targets(void **state) {
    (void)state;
    for (unsigned i = 0; i < SETS; i++) {
        targets[i] = mpu_target_open("simt", sets[i], NULL);
        assert_non_null(targets[i]);
    }
    return 0;
}
static int close_targets(void **state) {
    (void)state;
    for (unsigned i = 0; i < SETS; i++)
        mpu_target_close(targets[i]);
    return 0;
}

int main(int argc, char **argv) {
    last_seed = draws(DRAWS_STAGE_SIMT);
    if (argc > 1)
        first_seed = last_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        last_seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_bodies), cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests(tests, open_targets, close_targets);
}
