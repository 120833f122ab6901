/* SPDX-License-Identifier: MIT
 * Measures of the toy core, which are nearly all different: what the host keeps of them does not
 * grow with their number, and nothing else about a run changes. */
#include "emu/control/control.h"
#include "support/bits.h"
#include "tests/control/machine.h"
#include "tests/machines/core/core.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CORE MPU_SOURCE_DIR "/tests/machines/core/core.yaml"
#ifdef MPU_SANITIZED
#define LAPS      20000
#define THOUSANDS "20"
#else
#define LAPS      100000
#define THOUSANDS "100"
#endif
#define EARLY (LAPS / 10)

/* ---- a machine beside which somebody counts ---- */

#define MARKS ((uint64_t)1 << 22)
static struct {
    const struct datapath_ops *ops;
    struct datapath_ops own;
    uint64_t calls, different; /* executions; measures that were not there before */
    size_t early, most;        /* bytes in use: at most in the first EARLY, and in all */
    uint8_t *marks;            /* bits, by hash of a measure */
} counted;

static void sample(void) {
    if (counted.calls++ % 16) /* asking takes longer than a lap */
        return;
    const struct mallinfo2 info = mallinfo2();
    size_t bytes = info.uordblks + info.hblkhd; /* what was mapped alone, too */
    if (counted.calls <= EARLY && bytes > counted.early)
        counted.early = bytes;
    if (bytes > counted.most)
        counted.most = bytes;
}

static void mark(const uint64_t *measure, size_t count) {
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        hash ^= measure[i];
        hash = splitmix64(&hash);
    }
    hash %= 8 * MARKS;
    counted.different += !(counted.marks[hash / 8] >> hash % 8 & 1);
    counted.marks[hash / 8] |= (uint8_t)(1 << hash % 8);
}

static uint32_t run_length;

static void execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    struct dp_moment begin, struct dp_outcome *out) {
    sample();
    counted.ops->execute(dp, code, set, begin, out);
    if (out)
        mark(out->insn_done_ps, run_length);
}

static bool launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                   struct diag *d) {
    sample();
    bool fine = counted.ops->launch(dp, x, cost, d);
    mark(&cost->ps, 1);
    return fine;
}

static void count_of(struct datapath *dp) {
    uint8_t *marks = counted.marks ? counted.marks : calloc(MARKS, 1);
    memset(&counted, 0, sizeof counted);
    memset(marks, 0, MARKS);
    counted.marks = marks;
    counted.ops = dp->ops;
    counted.own = *dp->ops;
    counted.own.execute = execute;
    counted.own.launch = launch;
    dp->ops = &counted.own;
}

static int free_marks(void **state) {
    (void)state;
    free(counted.marks);
    return 0;
}

/* ---- laps of different times ---- */

/* So many laps in all; `inside`: of one body, or a body each. */
static char *laps_text(bool inside, unsigned laps, unsigned batches) {
    static char text[2048];
    static const char headers[] = "        COMPUTE RFH0 VRF0\n        COMPUTE RFH0 VRF1\n"
                                  "        COMPUTE RFH0 VRF2\n";
    const size_t line = sizeof headers / 3;
    char header[sizeof headers];
    snprintf(header, sizeof header, "%.*s", (int)(line * batches), headers);
    snprintf(text, sizeof text,
             "        .geometry lanes=1, vrfs=64, rfhs=8\n"
             "%s        REPEAT %u\n        REPEAT 1000\n%s"
             "        INC.64 r0 r0\n"
             "        MUL.64 r0 r1 r2\n        XOR.64 r2 r0 r2\n"
             "        MUL.64 r2 r1 r3\n        XOR.64 r3 r0 r3\n"
             "        MUL.64 r3 r2 r4\n        XOR.64 r4 r0 r4\n"
             "        MUL.64 r4 r3 r5\n        XOR.64 r5 r2 r5\n"
             "        MUL.64 r5 r4 r6\n        XOR.64 r6 r3 r6\n"
             "        MUL.64 r6 r5 r1\n        XOR.64 r1 r0 r1\n"
             "%s        REPEAT_END\n        REPEAT_END\n%s        HALT\n",
             inside ? header : "", laps / 1000, inside ? "" : header,
             inside ? "" : "        COMPUTE_DONE\n", inside ? "        COMPUTE_DONE\n" : "");
    run_length = 13;
    return text;
}

static void begin_laps(struct opened *m, bool inside, unsigned laps, unsigned batches) {
    machine_open_on(m, CORE, laps_text(inside, laps, batches));
    if (batches > 1) /* one VRF of an RFH at a time */
        m->target->active_vrf_per_rfh = 1;
    for (uint32_t v = 0; v < batches; v++) {
        machine_put(m, 0, v, 0, 0, 12345 + 1000003 * v);
        machine_put(m, 0, v, 1, 0, 0x9e3779b97f4a7c15u);
    }
    count_of(m->dp);
}

/* Bytes in use: those of the first laps are enough for ten times as many. */
static void stays_flat(unsigned batches) {
    assert_int_equal(counted.calls, LAPS * batches);
    if (!counted.early) /* a sanitizer's malloc tells nothing */
        return;
    if (counted.most > counted.early + 65536)
        fail_msg("%zu bytes in the first laps, %zu in all", counted.early, counted.most);
}

static void measured_laps(void **state) {
    (void)state;
    for (unsigned way = 0; way < 3; way++) { /* a body each; one body; one of three batches */
        struct opened m;
        unsigned batches = way == 2 ? 3 : 1;
        begin_laps(&m, way > 0, LAPS, batches);
        machine_run(&m, NULL);
        assert_int_equal(m.end, CONTROL_DONE);
        stays_flat(batches);
        if (counted.different <= LAPS * batches / 10 * 9)
            fail_msg("%llu different measures", (unsigned long long)counted.different);
        machine_close(&m);
    }
}

static void launches(void **state) {
    struct opened m;
    (void)state;
    machine_open_on(&m, CORE,
                    "        .buffer inout y: i64[1]\n"
                    "        .kernel work core(y: i64[])\n"
                    "            beqz x15 go\n"
                    "            end\n"
                    "        go: ld x5 (x1)\n"
                    "            li x6 1\n"
                    "            add x5 x5 x6\n"
                    "            st x5 (x1)\n"
                    "            li x7 255\n"
                    "            and x5 x5 x7\n"
                    "        lap: beqz x5 out\n"
                    "            sub x5 x5 x6\n"
                    "            beqz x0 lap\n"
                    "        out: end\n"
                    "        .endkernel\n"
                    "        REPEAT " THOUSANDS "\n"
                    "        REPEAT 1000\n"
                    "        RECIPE work(y)\n"
                    "        REPEAT_END\n"
                    "        REPEAT_END\n"
                    "        HALT\n");
    struct diag *d = diag_new(NULL, NULL);
    uint64_t address;
    assert_true(m.dp->ops->mem_alloc(m.dp, 8, &address, d));
    diag_free(d);
    count_of(m.dp);
    machine_run(&m, &(struct control_config){.buffers = &address});
    assert_int_equal(m.end, CONTROL_DONE);
    stays_flat(1);
    assert_int_equal(counted.different, 256);
    machine_close(&m);
}

/* ---- the same figures ---- */

static void ignore(void *context, const struct timing_span *s) {
    (void)context;
    (void)s;
}

/* All that is said of time. */
static void times_of(const struct control *c, uint32_t text_len, struct str *out) {
    const struct control_stats *s = control_stats(c);
    str_printf(out, "%llu %llu %llu", (unsigned long long)s->time_ps,
               (unsigned long long)s->issue_slots, (unsigned long long)s->front_end_fj);
    for (unsigned i = 0; i < TIMING_PARTS; i++)
        str_printf(out, " %llu %llu", (unsigned long long)s->part_ps[i],
                   (unsigned long long)s->part_cycles[i]);
    for (uint32_t i = 0; i < text_len; i++)
        str_printf(out, "\n%llu %llu", (unsigned long long)control_insn_stats(c)[i].time_ps,
                   (unsigned long long)control_insn_stats(c)[i].energy_fj);
}

/* A body that is told to the timing model piece by piece takes what it takes whole, as somebody
 * who draws bars of it makes the model keep it, each of its batches too; so it is where these fetch
 * instructions, and the pieces of those behind the first have to wait. */
static void pieces(void **state) {
    (void)state;
    for (unsigned way = 0; way < 6; way++) {
        struct str texts[2] = {{0}};
        unsigned batches = 1 + way % 3;
        for (unsigned bars = 0; bars < 2; bars++) {
            struct opened m;
            begin_laps(&m, true, 3000, batches);
            if (way >= 3) {
                m.target->control = CONTROL_MPU;
                m.target->playback_entries = 8;
            }
            machine_run(&m,
                        &(struct control_config){.span = bars ? ignore : NULL, .span_bars = bars});
            assert_int_equal(m.end, CONTROL_DONE);
            assert_int_equal(counted.calls, 3000 * batches);
            times_of(m.control, (uint32_t)m.object->text.len, &texts[bars]);
            machine_close(&m);
        }
        assert_string_equal(str_text(&texts[0]), str_text(&texts[1]));
        str_free(&texts[0]);
        str_free(&texts[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_laps),
        cmocka_unit_test(launches),
        cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests(tests, NULL, free_marks);
}
