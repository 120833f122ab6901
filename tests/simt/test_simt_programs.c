/* SPDX-License-Identifier: MIT
 * Random programs of MPU instructions on near-bank SIMT cores (tests/core/core_programs.h). */
#include "tests/core/core_programs.h"
#include "tests/draws.h"

#include "machines/core/simt/link/simt_link.h"
#include "machines/core/simt/run/simt_engine.h"
#include "support/alloc.h"

static const struct core_under_test cores = {"simt", &simt_machine, &simt_engine, false};

static void each(const char *key, const char *value, uint64_t first, uint64_t count) {
    struct core_bench b;
    core_bench_open(&b, &cores, key, value);
    for (uint64_t seed = first; seed < first + count; seed++)
        core_program_compare(&b, seed);
    target_bench_close(&b.on);
}

static void test_random_programs(void **state) {
    (void)state;
    each("arith", "exact", 1, draws(DRAWS_SIMT_RUNS));
}

/* Floats without subnormal numbers; few registers, so that most are spilled; rows that lie in
 * several units or cores; long chunks, of which a record is a part; another side. */
static void test_other_machines(void **state) {
    static const struct {
        const char *key, *value;
    } others[] = {{"arith", "flush"},
                  {"simt.registers", "16"},
                  {"simt.granule_bytes", "32"},
                  {"simt.granule_bytes", "1024"},
                  {"simt.core_chunk", "128"},
                  {"simt.core_chunk", "65536"},
                  {"simt.policy", "far"},
                  {"simt.cores", "one"},
                  {"machine.active_vrf_per_rfh", "0"}};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        each(others[i].key, others[i].value, 100 + 2 * i, (draws(DRAWS_SIMT_RUNS) + 9) / 10);
}

static void test_snapshot(void **state) {
    struct core_bench b;
    (void)state;
    core_bench_open(&b, &cores, "arith", "exact");
    core_program_snapshot(&b);
    core_program_damaged(&b, draws(DRAWS_SIMT_CODE_DAMAGED));
    target_bench_close(&b.on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_other_machines),
                                       cmocka_unit_test(test_snapshot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
