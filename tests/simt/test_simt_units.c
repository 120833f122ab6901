/* SPDX-License-Identifier: MIT
 * Runs on the near-bank units whose lanes they have: side by side on threads of the host, on no
 * core but their own, and never slower on more hardware. */
#include "machines/core/simt/run/simt_engine.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/pool.h"
#include "tests/machines/target_bench.h"

enum { MOST_VRFS = 64, INDEX_BITS = 14, MOST_SETTINGS = 8 };

/* A machine with its lanes. */
struct unit_bench {
    struct target_bench on;
    struct datapath *dp;
    uint8_t reg_bits[64];
    uint32_t vrfs;
};

static void bench_open(struct unit_bench *b, const struct target_override *set, size_t count,
                       uint32_t lanes) {
    struct diag *d = diag_new(NULL, NULL);
    *b = (struct unit_bench){.on = target_bench_open("simt", set, count)};
    const struct target *t = b->on.target;
    for (unsigned r = 0; r < 4; r++)
        b->reg_bits[r] = 32;
    b->vrfs = t->mpus * target_vrfs_per_mpu(t);
    b->dp = simt_engine.open(&(struct dp_setup){.target = t,
                                                .library = b->on.library,
                                                .mpus = t->mpus,
                                                .lanes = lanes,
                                                .reg_bits = b->reg_bits},
                             d);
    assert_non_null(b->dp);
    diag_free(d);
}

static void bench_close(struct unit_bench *b) {
    simt_engine.close(b->dp);
    target_bench_close(&b->on);
}

/* Lanes of a VRF, whose register 0 counts. */
static void give(struct unit_bench *b, uint32_t vrf, uint32_t lanes) {
    uint64_t *values = xcalloc(lanes + 1u, sizeof *values);
    const struct dp_binding binding = {.vrf = vrf, .valid_lanes = lanes};
    for (uint32_t i = 0; i < lanes; i++)
        values[i] = (vrf * 977u + i * 31u) & low_bits(INDEX_BITS);
    simt_engine.bind(b->dp, &binding, 1);
    simt_engine.put(b->dp, vrf, DP_REGISTER, 0, 32, 0, lanes, values);
    free(values);
}

static struct dp_code *prepared(struct unit_bench *b, const struct insn *insns, size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_code *code =
        simt_engine.prepare(b->dp, &(struct dp_run){.insns = insns, .count = count}, d);
    if (!code)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return code;
}

/* What it takes, ps. */
static uint64_t execute(struct unit_bench *b, const struct dp_code *code, struct vrf_set set,
                        size_t insns) {
    uint64_t uops[SIMT_ACTS] = {0}, fj[SIMT_PARTS] = {0}, kinds[SIMT_ACTS] = {0};
    uint64_t *of_insns = xcalloc(3 * insns, sizeof *of_insns);
    struct dp_outcome out = {.insn_done_ps = of_insns,
                             .insn_micro_ops = of_insns + insns,
                             .insn_energy_fj = of_insns + 2 * insns,
                             .uops = uops,
                             .energy_fj = fj,
                             .kind_fj = kinds};
    simt_engine.execute(b->dp, code, set, (struct dp_moment){0}, &out);
    free(of_insns);
    if (b->dp->failure)
        fail_msg("%s", b->dp->failure);
    return out.latency_ps;
}

/* ---- threads of the host ---- */

/* Tables of the program; the longer one is, the longer it takes to bring it to a core. */
struct looked_up {
    uint64_t entries[1 << INDEX_BITS];
    struct isa_lut lut;
};

static void draw_table(struct looked_up *t, uint64_t seed) {
    for (uint32_t i = 0; i < 1u << INDEX_BITS; i++)
        t->entries[i] = (splitmix64(&seed) & low_bits(32)) | 1;
    t->lut = (struct isa_lut){.index_bits = INDEX_BITS, .width = 32, .entries = t->entries};
}

struct side_by_side {
    struct unit_bench *b;
    const struct dp_code *code;
};
static void one_vrf(void *context, size_t index) {
    const struct side_by_side *x = context;
    const struct vrf_range range = {(uint32_t)index, 1};
    simt_engine.execute(x->b->dp, x->code, (struct vrf_set){&range, 1}, (struct dp_moment){0},
                        NULL);
}

static void looks_up(struct unit_bench *b, uint32_t vrf, uint32_t lanes,
                     const struct looked_up *t) {
    uint64_t *values = xcalloc(lanes, sizeof *values);
    simt_engine.get(b->dp, vrf, DP_REGISTER, 1, 0, lanes, values);
    for (uint32_t i = 0; i < lanes; i++) {
        const uint64_t first = t[0].entries[(vrf * 977u + i * 31u) & low_bits(INDEX_BITS)];
        assert_int_equal(values[i], t[1].entries[first & low_bits(INDEX_BITS)]);
    }
    free(values);
}

/* VRFs of one core, each by the thread that is free: who comes first brings the tables there, and
 * nobody reads one before all of it is there. */
static void tables_side_by_side(void **state) {
    enum { ROUNDS = 24, VRFS = 16, MANY = 40, THREADS = 4 };
    const struct target_override set[] = {{"machine.mpus", "1"},
                                          {"machine.rfh_per_mpu", "1"},
                                          {"machine.vrf_per_rfh", "16"},
                                          {"simt.timing", "false"}};
    struct looked_up *tables = xcalloc(2, sizeof *tables);
    struct pool *pool = pool_new(THREADS);
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct unit_bench b;
        struct insn insns[] = {{.op = OP_LUT, .rs = 0, .rd = 1, .lut = 0},
                               {.op = OP_LUT, .rs = 1, .rd = 1, .lut = 1}};
        bench_open(&b, set, sizeof set / sizeof *set, MANY);
        for (unsigned i = 0; i < 2; i++) {
            draw_table(&tables[i], 2 * round + i + 1);
            isa_set_table(&insns[i], &tables[i].lut);
        }
        for (uint32_t v = 0; v < VRFS; v++)
            give(&b, v, MANY);
        struct side_by_side x = {&b, prepared(&b, insns, 2)};
        pool_run(pool, VRFS, one_vrf, &x);
        for (uint32_t v = 0; v < VRFS; v++)
            looks_up(&b, v, MANY, tables);
        bench_close(&b);
    }
    pool_free(pool);
    free(tables);
}

/* ---- places ---- */

static const struct insn axpy[] = {{.op = OP_MUL, .width = 32, .rs = 0, .rt = 1, .rd = 3},
                                   {.op = OP_ADD, .width = 32, .rs = 3, .rt = 2, .rd = 3}};

struct seen_units {
    uint64_t issued[MOST_VRFS]; /* instructions of warps, by VRF */
};
static void see(void *context, const struct dp_event *e) {
    struct seen_units *seen = context;
    assert_true(e->vrf_first < MOST_VRFS && e->vrf_count == 1);
    seen->issued[e->vrf_first]++;
}

/* Blocks of a run are carried out by the subcores whose lanes they have, whatever their number: of
 * VRFs that have fewer lanes than others, or none, too. */
static void own_units(void **state) {
    static const char *const placements[] = {"data", "round", "chunk"};
    static const uint32_t lanes[] = {0, 1, 32, 33, 700, 64};
    (void)state;
    for (unsigned p = 0; p < 3; p++) {
        const struct target_override set[] = {{"machine.mpus", "2"},
                                              {"machine.rfh_per_mpu", "4"},
                                              {"machine.vrf_per_rfh", "4"},
                                              {"simt.placement", placements[p]}};
        struct unit_bench b;
        struct seen_units seen = {.issued = {0}};
        /* of the second cube: two units of each core but the last */
        const struct vrf_range ranges[] = {{16, 3}, {24, 3}};
        bench_open(&b, set, sizeof set / sizeof *set, 700);
        simt_engine.observe(b.dp, see, &seen);
        for (uint32_t i = 0; i < 6; i++)
            give(&b, ranges[i / 3].first + i % 3, lanes[i]);
        execute(&b, prepared(&b, axpy, 2), (struct vrf_set){ranges, 2}, 2);
        for (uint32_t v = 0; v < b.vrfs; v++) {
            const bool own = (v >= 16 && v < 19) || (v >= 24 && v < 27);
            assert_int_equal(seen.issued[v] != 0, own);
        }
        /* as many warps each as the one with most, which end at once where there are no lanes */
        for (uint32_t i = 0; i < 6; i++)
            assert_true(seen.issued[ranges[i / 3].first + i % 3] <=
                        seen.issued[ranges[1].first + 1]);
        bench_close(&b);
    }
}

/* ---- more hardware ---- */

/* A run over all units, ps; elements are shared out evenly, records of 32 lanes as wholes. */
static uint64_t time_of(uint64_t elements, const char *key, const char *value) {
    const struct target_override set[] = {{"machine.mpus", "1"}, {key, value}};
    struct unit_bench b;
    bench_open(&b, set, 2, (uint32_t)elements);
    const struct vrf_range all = {0, b.vrfs};
    const uint64_t records = (elements + 31) / 32;
    for (uint32_t v = 0; v < b.vrfs; v++)
        give(&b, v, (uint32_t)(32 * (records / b.vrfs + (v < records % b.vrfs))));
    const uint64_t ps = execute(&b, prepared(&b, axpy, 2), (struct vrf_set){&all, 1}, 2);
    bench_close(&b);
    return ps;
}

/* More banks, open rows, cores, units of a core or warps take no more time. */
static void more_is_not_slower(void **state) {
    static const struct {
        const char *key, *values[MOST_SETTINGS];
    } more[] = {
        {"simt.banks", {"1", "2", "4", "8", "16"}},    {"simt.rows", {"1", "2", "4"}},
        {"simt.warps", {"1", "2", "4", "8", "16"}},    {"machine.rfh_per_mpu", {"1", "4", "16"}},
        {"machine.vrf_per_rfh", {"1", "2", "4", "8"}}, {"simt.tsv_bytes", {"8", "16", "32"}}};
    static const uint64_t sizes[] = {300, 2000, 50000};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            uint64_t last = UINT64_MAX;
            for (size_t i = 0; i < MOST_SETTINGS && more[k].values[i]; i++) {
                const uint64_t ps = time_of(sizes[s], more[k].key, more[k].values[i]);
                if (ps > last)
                    fail_msg("%llu elements, %s=%s: %llu ps, %llu with less",
                             (unsigned long long)sizes[s], more[k].key, more[k].values[i],
                             (unsigned long long)ps, (unsigned long long)last);
                last = ps;
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_side_by_side),
                                       cmocka_unit_test(own_units),
                                       cmocka_unit_test(more_is_not_slower)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
