/* SPDX-License-Identifier: MIT
 * Where warps and data lie, and that what one part of a core counts another counts as well: in
 * closed form, by kernels of a few lines. */
#include "tests/simt/timed_kernel.h"

#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- beside which unit a warp works ---- */

static uint64_t near_of(const char *lines, const char *const *set, size_t count, unsigned load) {
    struct taken t;
    timed_take(&t, lines, 32, set, count);
    const uint64_t near = t.places[timed_global(&t, SIMT_LD, load)].near;
    timed_let_go(&t);
    return near;
}

/* The first load lies across two units, the second whole in the next one: the warp goes there. */
static void warps_beside_whole_accesses(void **state) {
    (void)state;
    const char *one[] = {"simt.cores", "one"},
               *round[] = {"simt.cores", "one", "simt.placement", "round"};
    const char *across = "ld.global.f32 %f1, [%rd3+124];\nld.global.f32 %f2, [%rd3+128];\n"
                         "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd3+128], %f1;\n";
    assert_int_equal(near_of(across, one, 1, 0), 0);
    assert_int_equal(near_of(across, one, 1, 1), 1);
    /* in turn: warp 0 to unit 0 */
    assert_int_equal(near_of(across, round, 2, 1), 0);
    /* all lanes one word of unit 2 first, then a line in unit 3 */
    const char *word = "ld.global.f32 %f1, [%rd1+256];\nld.global.f32 %f2, [%rd3+384];\n"
                       "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd3+384], %f1;\n";
    assert_int_equal(near_of(word, one, 1, 0), 0);
    assert_int_equal(near_of(word, one, 1, 1), 1);
}

/* ---- granules of more than a row: in a unit rows go round the banks ---- */

static void granules_beyond_rows(void **state) {
    (void)state;
    const char *set[] = {"simt.cores", "one", "simt.granule_bytes", "2048",
                         "simt.rows",  "1",   "simt.t_refi",        "1000000"};
    struct taken t;
    /* both rows of the granule lie in unit 0, in banks of their own, and stay open */
    timed_take(&t,
               "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+1024];\n"
               "membar.gl;\nld.global.f32 %f3, [%rd3+128];\nld.global.f32 %f4, [%rd3+1152];\n"
               "ld.global.f32 %f5, [%rd3+2048];\n"
               "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n"
               "add.f32 %f1, %f1, %f5;\nst.global.f32 [%rd3], %f1;\n",
               32, set, 4);
    static const struct {
        uint64_t near, activates;
    } expected[] = {{1, 1}, {1, 1}, {1, 0}, {1, 0}, {0, 1}};
    for (unsigned i = 0; i < 5; i++) {
        const struct simt_place_time *p = &t.places[timed_global(&t, SIMT_LD, i)];
        assert_int_equal(p->near, expected[i].near);
        assert_int_equal(p->activates, expected[i].activates);
    }
    timed_let_go(&t);
    /* two granules further is the same unit's next pair of banks, four further row 1 of bank 0 */
    timed_take(&t,
               "ld.global.f32 %f1, [%rd3];\nmembar.gl;\nld.global.f32 %f2, [%rd3+16384];\n"
               "membar.gl;\nld.global.f32 %f3, [%rd3];\nadd.f32 %f1, %f1, %f2;\n"
               "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd3+8192], %f1;\n",
               32, set, 4);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(t.places[timed_global(&t, SIMT_LD, i)].activates, 1);
    timed_let_go(&t);
}

/* ---- the banks' controllers on the logic die: their commands take of the TSVs ---- */

static void commands_from_below(void **state) {
    (void)state;
    const char *set[] = {"simt.cores", "one", "simt.rows", "1", "simt.t_refi", "1000000"};
    struct taken t;
    timed_take_on("simt-ponb", &t,
                  "ld.global.u32 %r2, [%rd1];\nmembar.gl;\nld.global.u32 %r3, [%rd1+32];\n"
                  "membar.gl;\nld.global.u32 %r4, [%rd1+16384];\nadd.s32 %r2, %r2, %r3;\n"
                  "add.s32 %r2, %r2, %r4;\nst.global.u32 [%rd1+16416], %r2;\n",
                  1, set, 3);
    /* ACT and a column; a column of the open row; PRE, ACT and a column; a column written */
    static const uint64_t expected[] = {8 + 8 + 32, 8 + 32, 8 + 8 + 8 + 32};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(t.places[timed_global(&t, SIMT_LD, i)].tsv_bytes, expected[i]);
    assert_int_equal(t.places[timed_global(&t, SIMT_ST, 0)].tsv_bytes, 8 + 32);
    timed_let_go(&t);
}

/* ---- both ends count the same ---- */

#define MIXED                                                                                      \
    "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\nadd.f32 %f1, %f1, %f2;\n"           \
    "mul.wide.u32 %rd4, %r1, 100;\nadd.s64 %rd4, %rd4, %rd1;\nld.global.f32 %f3, [%rd4];\n"        \
    "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd4+65536], %f1;\nst.global.f32 [%rd3], %f1;\n"

struct sums {
    uint64_t tsv, reads, writes, activates, precharges;
};
static struct sums sums_of(const struct taken *t) {
    struct sums s = {0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < t->kernel->insn_count; i++) {
        s.tsv += t->places[i].tsv_bytes;
        s.reads += t->places[i].reads;
        s.writes += t->places[i].writes;
        s.activates += t->places[i].activates;
        s.precharges += t->places[i].precharges;
    }
    return s;
}

/* What the TSVs carry up and down is what places sum up to; and with all logic below, what the
 * banks say that they did: a command for each, and 32 bytes of each column. */
static void ends_of_the_tsvs(void **state) {
    (void)state;
    const char *set[] = {"simt.cores", "one", "simt.t_refi", "1000000"};
    struct taken t;
    timed_take(&t, MIXED, 256, set, 2);
    assert_int_equal(sums_of(&t).tsv, t.time.up_bytes + t.time.down_bytes);
    assert_int_equal(sums_of(&t).tsv / 16, t.time.tsv_busy);
    timed_let_go(&t);
    timed_take_on("simt-ponb", &t, MIXED, 256, set, 2);
    const struct sums s = sums_of(&t);
    assert_int_equal(s.tsv, t.time.up_bytes + t.time.down_bytes);
    assert_int_equal(t.time.down_bytes, 32 * s.reads);
    assert_int_equal(t.time.up_bytes,
                     8 * (s.reads + s.writes + s.activates + s.precharges) + 32 * s.writes);
    timed_let_go(&t);
}

/* Packets over the mesh and the links: bytes are counted when they leave and when they come. */
static void ends_of_links(void **state) {
    (void)state;
    const char *set[] = {"simt.placement", "round"};
    struct taken t;
    timed_take(&t, MIXED, 1024, set, 1);
    uint64_t remote = 0;
    for (uint32_t i = 0; i < t.kernel->insn_count; i++)
        remote += t.places[i].remote;
    assert_true(remote > 0);
    assert_true(t.time.sent_bytes > 0);
    assert_int_equal(t.time.sent_bytes, t.time.received_bytes);
    timed_let_go(&t);
}

/* ---- refresh ---- */

/* Cycles of a kernel whose load comes two operations after it begins, of `wait` + 1 cycles each. */
static uint64_t cycles_after(uint32_t wait, const char *refresh) {
    char text[16];
    snprintf(text, sizeof text, "%u", wait + 1);
    const char *set[] = {"simt.cores",
                         "one",
                         "simt.icache_miss_cycles",
                         "0",
                         "simt.policy",
                         "far",
                         "simt.alu_cycles",
                         text,
                         "simt.t_rfc",
                         refresh,
                         "simt.rows",
                         "1"};
    struct taken t;
    timed_take(&t, "ld.global.f32 %f1, [%rd1];\n", 1, set, 6);
    const uint64_t cycles = t.time.cycles;
    timed_let_go(&t);
    return cycles;
}

/* A load to a bank that has nothing else to do, at every 50th cycle of an interval: it waits for
 * the rest of a refresh in 350 of 3,900 (E112), 7 of the 78. */
static void refresh_of_an_idle_bank(void **state) {
    (void)state;
    enum { STEP = 50, INTERVAL = 3900, REFRESH = 350 };
    uint64_t late = 0, sum = 0;
    for (uint32_t i = 0; i < INTERVAL / STEP; i++) {
        /* two times half an interval: it is the second one, which begins with a refresh */
        const uint64_t with = cycles_after(INTERVAL / 2 + STEP / 2 * i, "350"),
                       without = cycles_after(INTERVAL / 2 + STEP / 2 * i, "0");
        assert_true(with >= without && with - without <= REFRESH);
        late += with != without;
        sum += with - without;
    }
    assert_int_equal(late, REFRESH / STEP);
    assert_int_equal(10000 * late / (INTERVAL / STEP), 897);
    /* what is left of it: 50 cycles less each time */
    assert_in_range(sum, STEP * 21, STEP * 28);
    assert_int_equal((sum - STEP * 21) % 7, 0);
}

/* ---- ALU energies of one's own, as a set of a file that extends the target ---- */

static const char own_energies[] =
    "schema: 1\nname: own\nextends: simt\nsets:\n  measured:\n    energy.alu_fj: 200000\n"
    "    energy.product_permille: 2500\n    energy.slow_permille: 10000\n"
    "    source: \"measured on a card of mine\"\n";

static uint64_t alu_fj(const struct taken *t, enum simt_op op) {
    const uint32_t at = timed_nth(t, op, 0);
    uint64_t count[SIMT_ACTS] = {0}, fj[SIMT_ACTS] = {0};
    simt_place_energy(simt_keys(t->target), &t->kernel->insns[at], &t->places[at], count, fj);
    assert_int_equal(count[SIMT_ACT_ALU], 1);
    return fj[SIMT_ACT_ALU];
}

static void energies_of_a_set(void **state) {
    (void)state;
    static const char file[] = MPU_BINARY_DIR "/tests/simt/own-energies.yaml";
    const char *lines = "ld.global.f32 %f1, [%rd3];\nsub.f32 %f2, %f1, 0f3f800000;\n"
                        "fma.rn.f32 %f3, %f1, %f2, %f1;\ndiv.rn.f32 %f4, %f3, %f2;\n"
                        "st.global.f32 [%rd3], %f4;\n";
    const char *set[] = {"simt.cores", "one", "set", "measured"};
    struct taken t;
    assert_true(file_write(file, own_energies, sizeof own_energies - 1));
    for (size_t i = 1; i <= 2; i++) {
        const uint64_t one = i == 1 ? 415000 : 200000;
        timed_take_on(file, &t, lines, 32, set, i);
        assert_int_equal(alu_fj(&t, SIMT_SUB), one);
        assert_int_equal(alu_fj(&t, SIMT_FMA), one * (i == 1 ? 1300 : 2500) / 1000);
        assert_int_equal(alu_fj(&t, SIMT_DIV), one * (i == 1 ? 6 : 10));
        timed_let_go(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_beside_whole_accesses),
        cmocka_unit_test(granules_beyond_rows),
        cmocka_unit_test(commands_from_below),
        cmocka_unit_test(ends_of_the_tsvs),
        cmocka_unit_test(ends_of_links),
        cmocka_unit_test(refresh_of_an_idle_bank),
        cmocka_unit_test(energies_of_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
