/* SPDX-License-Identifier: MIT
 * Times and bytes of near-bank SIMT cores, in closed form: kernels of a few lines whose figures
 * follow from the target's numbers. */
#include "tests/simt/timed_kernel.h"

#include "machines/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ADDED 64u /* instructions of a chain */

static uint64_t bytes_of(const char *lines, uint32_t threads, enum simt_op op, unsigned n,
                         const char *key, const char *value) {
    struct taken t;
    const char *set[] = {"simt.cores", "one", key, value};
    timed_take(&t, lines, threads, set, key ? 2 : 1);
    uint32_t at = op == SIMT_LD || op == SIMT_ST ? timed_global(&t, op, n) : timed_nth(&t, op, n);
    uint64_t bytes = t.places[at].tsv_bytes;
    timed_let_go(&t);
    return bytes;
}

/* ---- bytes through the TSVs ---- */

#define LOAD  "ld.global.f32 %f1, [%rd3];\n"
#define STORE "st.global.f32 [%rd3], %f2;\n"

/* A packet of 8 and 2 that say that it is done; a register is 128. */
static void offloaded_instructions(void **state) {
    (void)state;
    const char *add = LOAD "add.f32 %f2, %f1, %f1;\n" STORE;
    assert_int_equal(bytes_of(add, 32, SIMT_ADD, 1, NULL, NULL), 8 + 2);
    /* a number beside it takes 8, and so does a mask of lanes */
    const char *number = LOAD "add.f32 %f2, %f1, 0f40000000;\n" STORE;
    assert_int_equal(bytes_of(number, 32, SIMT_ADD, 1, NULL, NULL), 8 + 8 + 2);
    assert_int_equal(bytes_of(add, 31, SIMT_ADD, 1, NULL, NULL), 8 + 8 + 2);
    /* %r1 is an address's, far from the banks, and comes along */
    const char *far =
        "ld.global.u32 %r2, [%rd3];\nadd.s32 %r3, %r2, %r1;\nst.global.u32 [%rd3], %r3;\n";
    assert_int_equal(bytes_of(far, 32, SIMT_ADD, 1, NULL, NULL), 128 + 8 + 2);
}

static void accesses(void **state) {
    (void)state;
    const char *load = LOAD "mov.f32 %f2, %f1;\n" STORE;
    /* the leading address, and that it is done */
    assert_int_equal(bytes_of(load, 32, SIMT_LD, 0, NULL, NULL), 12 + 2);
    assert_int_equal(bytes_of(load, 32, SIMT_ST, 0, NULL, NULL), 12 + 2);
    /* a lane is not there: four columns by commands, and 31 words back */
    assert_int_equal(bytes_of(load, 31, SIMT_LD, 0, NULL, NULL), 4 * (8 + 32) + 31 * 4);
    /* it crosses into the next unit: five columns */
    const char *across = LOAD "ld.global.f32 %f2, [%rd3+4];\nst.global.f32 [%rd3], %f2;\n";
    assert_int_equal(bytes_of(across, 32, SIMT_LD, 1, NULL, NULL), 5 * (8 + 32) + 32 * 4);
    /* aligned to 128 bytes or not */
    assert_int_equal(bytes_of(load, 32, SIMT_LD, 0, "simt.coalesce", "aligned"), 12 + 2);
    assert_int_equal(bytes_of(across, 32, SIMT_LD, 1, "simt.granule_bytes", "1024"), 12 + 2);
    /* all lanes one word: a column, and 32 words or one value back */
    const char *one = LOAD "ld.global.f32 %f2, [%rd1];\nst.global.f32 [%rd3], %f2;\n";
    assert_int_equal(bytes_of(one, 32, SIMT_LD, 1, NULL, NULL), 8 + 32 + 128);
    assert_int_equal(bytes_of(one, 32, SIMT_LD, 1, "simt.uniform_compress", "true"), 8 + 32 + 8);
    /* of a store that is not as one the data comes down first */
    const char *store = LOAD "st.global.f32 [%rd3+4], %f1;\n";
    assert_int_equal(bytes_of(store, 32, SIMT_ST, 0, NULL, NULL), 128 + 5 * (8 + 32));
}

/* Four columns of the next core: asked for in a packet, sent up there, data down; 32 words up here.
 */
static void remote_accesses(void **state) {
    (void)state;
    struct taken t;
    const char *set[] = {"simt.placement", "round"};
    timed_take(&t, "ld.global.f32 %f1, [%rd3+4096];\nst.global.f32 [%rd3], %f1;\n", 32, set, 1);
    const struct simt_place_time *p = &t.places[timed_global(&t, SIMT_LD, 0)];
    assert_int_equal(p->tsv_bytes, 4 * (8 + 32) + 32 * 4);
    assert_int_equal(p->remote, 4);
    assert_int_equal(p->hops, 2);
    assert_int_equal(p->hop_bytes, 16 + 4 * 8 + 16 + 4 * 32);
    assert_int_equal(p->links, 0);
    assert_int_equal(t.time.sent_bytes, t.time.received_bytes);
    timed_let_go(&t);
    /* 64 KiB on lies core 16, in the next processor */
    timed_take(&t, "ld.global.f32 %f1, [%rd3+65536];\nst.global.f32 [%rd3], %f1;\n", 32, set, 1);
    p = &t.places[timed_global(&t, SIMT_LD, 0)];
    assert_int_equal(p->links, 2);
    assert_int_equal(p->link_bytes, 16 + 4 * 8 + 16 + 4 * 32);
    timed_let_go(&t);
}

/* ---- cycles ---- */

static uint64_t cycles_of(const char *lines, uint32_t threads, const char *const *set,
                          size_t count) {
    struct taken t;
    timed_take(&t, lines, threads, set, count);
    uint64_t cycles = t.time.cycles;
    timed_let_go(&t);
    return cycles;
}

static void chain_text(unsigned n, struct str *out) {
    str_append(out, LOAD);
    for (unsigned i = 0; i < n; i++)
        str_append(out, "add.f32 %f1, %f1, %f1;\n");
    str_append(out, "st.global.f32 [%rd3], %f1;\n");
}

static void take_chain(struct taken *t, const char *const *set, size_t count) {
    struct str text = {0};
    chain_text(ADDED, &text);
    timed_take(t, text.text, 32, set, count);
    str_free(&text);
}

static void dependent_chains(void **state) {
    (void)state;
    const char *far[] = {"simt.cores", "one", "simt.policy", "far", "simt.icache_miss_cycles", "0"};
    const char *near[] = {
        "simt.cores", "one", "simt.policy", "annotated", "simt.icache_miss_cycles", "0"};
    struct str a = {0}, b = {0};
    chain_text(1, &a);
    chain_text(1 + ADDED, &b);
    /* collecting 2, operating 4 */
    assert_int_equal(cycles_of(b.text, 32, far, 3) - cycles_of(a.text, 32, far, 3), ADDED * 6);
    /* and 8 bytes up, 2 down, a cycle of flight each way: 8.625 */
    assert_int_equal(cycles_of(b.text, 32, near, 3) - cycles_of(a.text, 32, near, 3), ADDED * 9);
    str_free(&a);
    str_free(&b);
}

static void shared_conflicts(void **state) {
    (void)state;
    struct taken a, b;
    const char *set[] = {"simt.cores", "one"};
    const char *text =
        "mov.u32 %%r4, parts;\nmad.lo.s32 %%r5, %%r1, %u, %%r4;\nst.shared.u32 [%%r5], %%r1;\n"
        "ld.shared.u32 %%r6, [%%r5];\nst.global.u32 [%%rd3], %%r6;\n";
    struct str one = {0}, all = {0};
    str_printf(&one, text, 4u);
    str_printf(&all, text, 128u);
    timed_take(&a, one.text, 32, set, 1);
    timed_take(&b, all.text, 32, set, 1);
    uint64_t conflicts = 0;
    for (uint32_t i = 0; i < b.kernel->insn_count; i++)
        conflicts += b.places[i].conflicts;
    assert_int_equal(conflicts, 2 * 31);
    /* the load waits for the store's port, and takes as long itself */
    assert_int_equal(b.time.cycles - a.time.cycles, 2 * 31);
    timed_let_go(&a);
    timed_let_go(&b);
    str_free(&one);
    str_free(&all);
}

/* Lanes of one row of one bank, each a column of its own. */
#define COLUMNS                                                                                    \
    "shr.u32 %r2, %r1, 2;\nand.b32 %r3, %r1, 3;\nshl.b32 %r2, %r2, 9;\nshl.b32 %r3, %r3, 5;\n"     \
    "add.s32 %r2, %r2, %r3;\ncvt.u64.u32 %rd4, %r2;\nadd.s64 %rd4, %rd4, %rd1;\n"                  \
    "ld.global.f32 %f1, [%rd4];\nst.global.f32 [%rd4], %f1;\n"

static void row_hits(void **state) {
    (void)state;
    struct taken a, b;
    const char *set[] = {"simt.cores", "one"};
    timed_take(&a, COLUMNS, 16, set, 1);
    timed_take(&b, COLUMNS, 32, set, 1);
    const struct simt_place_time *p = &b.places[timed_global(&b, SIMT_LD, 0)];
    assert_int_equal(p->reads, 32);
    assert_int_equal(p->activates, 1);
    /* each column 2 cycles; words that go up 1/4 a lane; the store finds the row open: a register
     * comes down whole, and its columns take 2.5 cycles of the TSVs each */
    assert_int_equal(b.time.cycles - a.time.cycles, 16 * 2 + 16 / 4 + 16 * 5 / 2);
    timed_let_go(&a);
    timed_let_go(&b);
}

/* One thread reads rows 0 and 1 of a bank in turn, each address out of what was read before. */
static void row_ping_pong(void **state) {
    (void)state;
    enum { READS = 20 };
    struct str text = {0};
    struct taken one, two;
    const char *first[] = {"simt.cores", "one", "simt.rows", "1", "simt.t_refi", "1000000"};
    const char *second[] = {"simt.cores", "one", "simt.rows", "2", "simt.t_refi", "1000000"};
    str_append(&text, "mov.u64 %rd4, %rd1;\n");
    for (unsigned i = 0; i < READS; i++)
        str_printf(
            &text,
            "ld.global.u32 %%r2, [%%rd4+%u];\ncvt.u64.u32 %%rd5, %%r2;\nadd.s64 %%rd4, %%rd4, %%rd5;\n",
            i % 2 ? 16384u : 0u);
    str_append(&text, "st.global.u32 [%rd4+65536], %r2;\n");
    timed_take(&one, text.text, 1, first, 3);
    timed_take(&two, text.text, 1, second, 3);
    uint64_t acts[2] = {0, 0};
    for (uint32_t i = 0; i < one.kernel->insn_count; i++)
        if (one.kernel->insns[i].op == SIMT_LD) {
            acts[0] += one.places[i].activates;
            acts[1] += two.places[i].activates;
        }
    assert_int_equal(acts[0], READS);
    assert_int_equal(acts[1], 2);
    /* tRP + tRCD for each that finds another row open; the second of two rows needs no PRE; the
     * store's row takes the place of one in both */
    assert_int_equal(one.time.cycles - two.time.cycles, 14 + 28 * (READS - 2));
    timed_let_go(&one);
    timed_let_go(&two);
    str_free(&text);
}

/* ---- Figs. 3 and 4: the track table before and after ---- */

static bool is_valid(uint64_t units, const struct taken *t, uint32_t at, unsigned source) {
    return units >> t->kernel->insns[at].source[source] & 1;
}

static void tracks_registers(void **state) {
    (void)state;
    struct taken t;
    const char *set[] = {"simt.cores", "one"};
    timed_take(&t,
               "ld.global.u32 %r2, [%rd3];\nadd.s32 %r3, %r2, %r1;\nst.global.u32 [%rd3], %r3;\n",
               32, set, 1);
    const uint32_t load = timed_global(&t, SIMT_LD, 0), add = timed_nth(&t, SIMT_ADD, 1);
    const struct simt_issued *l = &t.issued[load], *x = &t.issued[add];
    const uint64_t loaded = UINT64_C(1) << t.kernel->insns[load].result[0],
                   sum = UINT64_C(1) << t.kernel->insns[add].result[0];
    /* Fig. 4: the address is far, and lies there; what is loaded is near alone */
    assert_true(is_valid(l->far_before, &t, load, 0));
    assert_int_equal(t.places[load].moves, 0);
    assert_true(l->near && (l->near_after & loaded) && !(l->far_after & loaded));
    /* Fig. 3: by the hint it goes near (1), so its sources are wanted there (2): the one that is
     * far is moved, and is valid on both sides then (3); the result is near alone */
    const unsigned moved = t.kernel->insns[add].source[0] == t.kernel->insns[load].result[0];
    assert_true(is_valid(x->near_before, &t, add, !moved));
    assert_false(is_valid(x->near_before, &t, add, moved));
    assert_true(is_valid(x->far_before, &t, add, moved));
    assert_true(x->near);
    assert_true(is_valid(x->near_after, &t, add, moved) ||
                (sum >> t.kernel->insns[add].source[moved] & 1));
    assert_true((x->near_after & sum) && !(x->far_after & sum));
    assert_int_equal(t.places[add].moves, 1);
    timed_let_go(&t);
}

/* Without a hint an instruction goes near when all of its sources are valid there. */
static void hardware_policy(void **state) {
    (void)state;
    struct taken t;
    const char *set[] = {"simt.cores", "one", "simt.policy", "hardware"};
    timed_take(&t,
               "ld.global.u32 %r2, [%rd3];\nadd.s32 %r3, %r2, %r2;\nadd.s32 %r4, %r3, %r1;\n"
               "st.global.u32 [%rd3], %r4;\n",
               32, set, 2);
    const uint32_t own = timed_nth(&t, SIMT_ADD, 1), mixed = timed_nth(&t, SIMT_ADD, 2);
    assert_true(t.issued[own].near);
    assert_false(t.issued[mixed].near);
    assert_int_equal(t.places[mixed].tsv_bytes, 128);
    /* what is stored goes up again */
    assert_int_equal(t.places[timed_global(&t, SIMT_ST, 0)].tsv_bytes, 128 + 12 + 2);
    timed_let_go(&t);
}

/* ---- keys that are wrong: one message each, which names the key ---- */

static void wrong_keys(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *words;
    } wrong[] = {
        {"simt.rows", "0", "simt.rows"},
        {"simt.rows", "3", "must be a power of two"},
        {"simt.rows", "8", "simt.rows"},
        {"simt.banks", "3", "must be a power of two"},
        {"simt.bank_bytes", "16777215", "must be a power of two"},
        {"simt.policy", "best", "simt.policy"},
        {"simt.shared", "both", "simt.shared"},
        {"simt.coalesce", "none", "simt.coalesce"},
        {"simt.uniform_compress", "2", "simt.uniform_compress"},
        {"simt.placement", "random", "simt.placement"},
        {"simt.near_rf", "64", "simt.near_rf"},
        {"simt.near_units", "false", "must be far where there are no near-bank units"},
        {"simt.granule_bytes", "8192", "must be simt.granule_bytes at least"},
        {"simt.core_chunk", "64", "must be simt.granule_bytes at least"},
        {"simt.t_refi", "350", "must be more than simt.t_rfc"},
        {"simt.subarrays", "2", "must be simt.subarrays at most"},
        {"simt.tsv_bytes", "12", "must be a power of two"},
        {"simt.shared", "far,near", "simt.shared"},
        {"simt.warps", "0", "simt.warps"},
        {"control.cap", "power", "control.cap"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct target_override override = {wrong[i].key, wrong[i].value};
        struct target *t = NULL;
        struct machine_library *library = NULL;
        struct diag *d = diag_new(NULL, NULL);
        assert_int_not_equal(machine_open_target("simt", &override, 1, d, &t, &library),
                             TARGET_FINE);
        const char *first = diag_first(d);
        if (!first || !strstr(first, wrong[i].words) || diag_errors(d) != 1)
            fail_msg("%s=%s: %s", wrong[i].key, wrong[i].value, first ? first : "no message");
        diag_free(d);
    }
}

/* ---- stalls ---- */

static uint64_t stalls_of(const struct taken *t, enum simt_stall cause) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->kernel->insn_count; i++)
        sum += t->places[i].stalls[cause];
    return sum;
}

/* A chain of one warp: each instruction waits for the one before, 2 cycles of collecting and 4 of
 * operating, of which one is its issue. */
static void stalls_have_causes(void **state) {
    (void)state;
    struct taken t;
    const char *set[] = {"simt.cores", "one", "simt.policy", "far", "simt.icache_miss_cycles", "0"};
    take_chain(&t, set, 3);
    for (unsigned i = 4; i < ADDED; i++) {
        const struct simt_place_time *p = &t.places[timed_nth(&t, SIMT_ADD, i)];
        assert_int_equal(p->issued, 1);
        assert_int_equal(p->stalls[SIMT_STALL_RESULT], 5);
    }
    assert_true(stalls_of(&t, SIMT_STALL_MEMORY) + stalls_of(&t, SIMT_STALL_TSV) > 0);
    assert_int_equal(stalls_of(&t, SIMT_STALL_BARRIER), 0);
    assert_int_equal(stalls_of(&t, SIMT_STALL_LSU), 0);
    assert_true(stalls_of(&t, SIMT_STALL_DRAIN) > 0);
    uint64_t all = 0;
    for (unsigned s = 0; s < SIMT_STALLS; s++)
        all += stalls_of(&t, (enum simt_stall)s);
    assert_int_equal(all + t.time.busy_cycles, t.time.subcore_cycles);
    timed_let_go(&t);
}

/* ---- the host's memory ---- */

struct seen_traces {
    const struct simt_trace *trace[2048];
    uint32_t count, end; /* the number of the kernel's last instruction */
};

/* A warp that ends at once. */
static bool short_block(void *context, uint64_t number, struct simt_trace *trace) {
    struct seen_traces *seen = context;
    uint32_t i = 0;
    (void)number;
    while (i < seen->count && seen->trace[i] != trace)
        i++;
    if (i == seen->count) {
        assert_true(seen->count < 2048);
        seen->trace[seen->count++] = trace;
    }
    simt_trace_step(trace, 0, seen->end, UINT32_MAX);
    return true;
}

/* Traces are those of blocks that are resident or wait for a core, however many blocks there are.
 */
static void memory_does_not_grow_with_the_grid(void **state) {
    (void)state;
    static const uint64_t grids[] = {3000, 100000};
    struct taken t;
    uint32_t traces[2];
    const char *set[] = {"simt.cores", "one"};
    timed_take(&t, LOAD "st.global.f32 [%rd3], %f1;\n", 32, set, 1);
    for (size_t i = 0; i < 2; i++) {
        struct seen_traces seen = {.end = t.kernel->insn_count - 1};
        const int64_t moved = 0;
        struct simt_launch_time x = {.target = t.target,
                                     .kernel = t.kernel,
                                     .blocks = grids[i],
                                     .warps = 1,
                                     .block = short_block,
                                     .run = &seen,
                                     .moved = &moved,
                                     .places = t.places};
        assert_true(simt_time_launch(&x));
        traces[i] = seen.count;
    }
    const struct simt_keys *k = simt_keys(t.target);
    assert_true(traces[1] <= t.target->vrf_per_rfh * k->warps + k->time.dispatch_queue + 2);
    assert_int_equal(traces[0], traces[1]);
    timed_let_go(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offloaded_instructions),
        cmocka_unit_test(accesses),
        cmocka_unit_test(remote_accesses),
        cmocka_unit_test(dependent_chains),
        cmocka_unit_test(shared_conflicts),
        cmocka_unit_test(row_hits),
        cmocka_unit_test(row_ping_pong),
        cmocka_unit_test(tracks_registers),
        cmocka_unit_test(hardware_policy),
        cmocka_unit_test(wrong_keys),
        cmocka_unit_test(stalls_have_causes),
        cmocka_unit_test(memory_does_not_grow_with_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
