/* SPDX-License-Identifier: MIT
 * Random programs written as words of PyPIM's host: the words, on a machine that begins with the
 * same registers, leave the same registers, and writing them changes nothing. */
#include "tests/draws.h"
#include "emu/control/control.h"
#include "machines/plane/link/formats.h"
#include "machines/plane/run/dram.h"
#include "machines/plane/run/host_stream.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"
#include "tests/control/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_OBSERVE_WORDS)

#ifdef MPU_SANITIZED
/* To ask for an instruction maps it and tries the recipe, which sanitizers make most of this test.
 */
enum { EVERY = 4 };
#else
enum { EVERY = 1 };
#endif

/* PyPIM's crossbar with 64 columns, so that random programs fit, and as many as a program of words
 * has registers. */
static const char crossbar[] = "schema: 1\n"
                               "name: wide-pypim\n"
                               "extends: pypim\n"
                               "array: { rows: 64 }\n"
                               "rows:\n"
                               "  cells: { range: \"0..61\", scratch: 36 }\n"
                               "  zero: { row: 62, value: 0 }\n"
                               "  one: { row: 63, value: 1 }\n";

struct bench {
    struct target *target;
    struct machine_library *library;
    bool allowed[OP_COUNT];
    struct diag *diag;
    unsigned compared, refused;
    uint64_t words, moves, reads, writes;
};

static int set_up(void **state) {
    static struct bench b;
    const char *path = MPU_BINARY_DIR "/tests/wide-pypim.yaml";
    const struct target_override changes[] = {
        {"machine.mpus", "3"},        {"machine.mpu_columns", "0"},
        {"machine.rfh_per_mpu", "2"}, {"machine.vrf_per_rfh", "3"},
        {"array.lanes", "8"},         {"machine.active_vrf_per_rfh", "1"}};
    *state = &b;
    b.diag = diag_new(NULL, NULL);
    if (!file_write(path, crossbar, strlen(crossbar)))
        return -1;
    b.target = target_open(path, changes, sizeof changes / sizeof *changes, b.diag);
    b.library = b.target ? machine_library_open(b.target, NULL, 0, b.diag) : NULL;
    if (!b.library) {
        print_error("%s\n", diag_first(b.diag));
        return -1;
    }
    for (unsigned op = 0; op < OP_COUNT; op += EVERY)
        b.allowed[op] = machine_has(b.library, (enum isa_op)op);
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    machine_library_close(b->library);
    target_free(b->target);
    diag_free(b->diag);
    return 0;
}

static void take(void *context, const void *bytes, size_t size) {
    str_append_n(context, bytes, size);
}

static struct datapath *open_machine(struct bench *b, const uint8_t bits[64], uint64_t seed) {
    const struct dp_setup setup = {.target = b->target,
                                   .mpus = 3,
                                   .reg_bits = bits,
                                   .library = b->library,
                                   .init = seed ? DP_INIT_RANDOM : DP_INIT_ZERO,
                                   .seed = seed};
    struct datapath *dp = plane_strict_ops.open(&setup, b->diag);
    assert_non_null(dp);
    return dp;
}

/* ---- registers of a program, and the columns of its words ---- */

static uint32_t column(const struct bench *b, const uint8_t bits[64], uint32_t plane) {
    uint32_t n = 0;
    assert_true(plane_row_number(b->target, bits, plane, &n));
    return n;
}

/* What one machine holds, to the columns of the other. */
static void load(struct bench *b, struct datapath *from, struct datapath *to,
                 const uint8_t bits[64]) {
    uint64_t values[BENCH_LANES], part[BENCH_LANES];
    for (uint32_t vrf = 0; vrf < BENCH_ALL_VRFS; vrf++) {
        for (unsigned r = 0; r < 64; r++)
            for (unsigned at = 0; at < bits[r]; at += 32) {
                from->ops->get(from, vrf, DP_REGISTER, r, 0, BENCH_LANES, values);
                for (unsigned i = 0; i < BENCH_LANES; i++)
                    part[i] = values[i] >> at & UINT32_MAX;
                to->ops->put(to, vrf, DP_REGISTER,
                             column(b, bits, PLANE(PLANE_REGISTER, 0, r << 6 | at)), 32, 0,
                             BENCH_LANES, part);
            }
        from->ops->get(from, vrf, DP_C, 0, 0, BENCH_LANES, values);
        to->ops->put(to, vrf, DP_REGISTER, column(b, bits, PLANE(PLANE_C, 0, 0)), 32, 0,
                     BENCH_LANES, values);
    }
}

static void compare_register(struct bench *b, struct datapath *dp, struct datapath *words,
                             const uint8_t bits[64], uint32_t vrf, unsigned r, uint64_t seed) {
    uint64_t values[BENCH_LANES], valid[BENCH_LANES], low[BENCH_LANES], high[BENCH_LANES] = {0};
    dp->ops->get(dp, vrf, DP_REGISTER, r, 0, BENCH_LANES, values);
    dp->ops->get(dp, vrf, DP_VALID, 0, 0, BENCH_LANES, valid);
    words->ops->get(words, vrf, DP_REGISTER, column(b, bits, PLANE(PLANE_REGISTER, 0, r << 6)), 0,
                    BENCH_LANES, low);
    if (bits[r] > 32)
        words->ops->get(words, vrf, DP_REGISTER,
                        column(b, bits, PLANE(PLANE_REGISTER, 0, r << 6 | 32)), 0, BENCH_LANES,
                        high);
    for (unsigned i = 0; i < BENCH_LANES; i++)
        if (valid[i] && ((values[i] ^ (low[i] | high[i] << 32)) & low_bits(bits[r])))
            fail_msg("program %llu: r%u of lane %u of VRF %u is 0x%llx, of the words 0x%llx%08llx",
                     (unsigned long long)seed, r, i, vrf, (unsigned long long)values[i],
                     (unsigned long long)high[i], (unsigned long long)low[i]);
}

/* ---- runs ---- */

static enum control_end run(struct bench *b, const struct object *o, const struct package *p,
                            struct datapath *dp, uint64_t seed) {
    const struct control_config config = {.batch = (enum batch_mode)(seed % 3)};
    struct control *c = control_new(o, p, b->target, dp, &config);
    enum control_end end = control_run(c);
    control_free(c);
    return end;
}

static void replay(struct bench *b, struct datapath *words, const struct str *bytes,
                   uint64_t seed) {
    size_t count = bytes->len / 8;
    uint64_t *list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < bytes->len; i++)
        list[i / 8] |= (uint64_t)(unsigned char)bytes->text[i] << i % 8 * 8;
    struct plane_stream_result result = {.done = 0};
    const struct plane_stream stream = {list, count, 0, NULL, NULL};
    if (!plane_stream_run(plane_of(words), &stream, &result, b->diag))
        fail_msg("program %llu: %s", (unsigned long long)seed, diag_first(b->diag));
    b->words += count;
    b->moves += result.counts[STREAM_MOVES];
    b->reads += result.counts[STREAM_READS];
    b->writes += result.counts[STREAM_WRITES];
    vec_free(&result.reads);
    free(list);
}

static void one_program(struct bench *b, uint64_t seed) {
    struct object *o = object_new();
    struct package p;
    struct str bytes = {0}, state[2] = {{0}};
    uint8_t columns[64];
    memset(columns, 32, sizeof columns);
    bench_package(&p);
    unsigned regs = random_program(seed, b->allowed, o);
    package_program_registers(o, o->text.data, p.reg_bits);
    uint32_t valid;
    if (!plane_row_number(b->target, p.reg_bits, PLANE(PLANE_VALID, 0, 0), &valid)) {
        b->refused++;
        object_free(o);
        return;
    }
    struct datapath *plain = open_machine(b, p.reg_bits, seed);
    struct datapath *dp = open_machine(b, p.reg_bits, seed);
    struct datapath *words = open_machine(b, columns, 0);
    struct diag *d = diag_new(NULL, NULL);
    load(b, plain, words, p.reg_bits); /* both have been looked at, then */
    load(b, dp, words, p.reg_bits);
    assert_true(dp->ops->write(dp, PLANE_FORMAT_WORDS, take, &bytes, d));
    enum control_end end = run(b, o, &p, dp, seed);
    bool fine = dp->ops->write_end(dp, &bytes, d);
    assert_int_equal(run(b, o, &p, plain, seed), end);
    assert_true(dp->ops->snapshot(dp, false, &state[0]));
    assert_true(plain->ops->snapshot(plain, false, &state[1]));
    assert_int_equal(state[0].len, state[1].len);
    assert_memory_equal(state[0].text, state[1].text, state[0].len);
    if (fine) {
        replay(b, words, &bytes, seed);
        for (uint32_t vrf = 0; vrf < BENCH_ALL_VRFS; vrf++)
            for (unsigned r = 0; r < regs; r++)
                compare_register(b, dp, words, p.reg_bits, vrf, r, seed);
    } else if (!strstr(diag_first(d), "the same column")) {
        fail_msg("program %llu: %s", (unsigned long long)seed, diag_first(d));
    }
    b->compared += fine;
    b->refused += !fine;
    plain->ops->close(plain);
    dp->ops->close(dp);
    words->ops->close(words);
    str_free(&bytes);
    str_free(&state[0]);
    str_free(&state[1]);
    diag_free(d);
    object_free(o);
}

/* Programs that need more than the columns there are are left out. */
static void words_do_the_same(void **state) {
    struct bench *b = *state;
    for (uint64_t seed = 1; b->compared < PROGRAMS && seed < 20 * PROGRAMS; seed++)
        one_program(b, seed);
    assert_int_equal(b->compared, PROGRAMS);
    assert_true(b->words > 1000 * PROGRAMS);
    assert_true(b->moves && b->reads && b->writes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_do_the_same)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
