/* SPDX-License-Identifier: MIT
 * Random programs of MPU instructions on DPUs (tests/core/core_programs.h), those that fail, and
 * what kernels leave in DPUs. */
#include "tests/core/core_programs.h"
#include "tests/draws.h"

#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/run/dpu_machine.h"
#include "tests/control/random_program.h"
#include "support/alloc.h"

#include <string.h>

static const struct core_under_test dpus = {"upmem", &dpu_machine, &dpu_engine, true};

static int set_up(void **state) {
    struct core_bench *b = xcalloc(1, sizeof *b);
    *state = b;
    core_bench_open(b, &dpus, "arith", "exact");
    return 0;
}

static void test_random_programs(void **state) {
    for (uint64_t seed = 1; seed <= draws(DRAWS_DPU_RUNS); seed++)
        core_program_compare(*state, seed);
}

/* Where floats have no subnormal numbers. */
static void test_flush(void **state) {
    struct core_bench b;
    (void)state;
    core_bench_open(&b, &dpus, "arith", "flush");
    for (uint64_t seed = 1; seed <= (draws(DRAWS_DPU_RUNS) + 2) / 3; seed++)
        core_program_compare(&b, 2 * seed);
    target_bench_close(&b.on);
}

/* The first DPU that fails is named, whichever fails first; the others are carried out all the
 * same. */
static void test_failures(void **state) {
    struct core_bench b;
    uint32_t failed = 0;
    (void)state;
    core_bench_open(&b, &dpus, "dpu.watchdog", "90");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct core_program x;
        struct str said[2] = {{0}};
        core_program_open(&x, &b, seed);
        for (unsigned threads = 1; threads <= 2; threads++) {
            struct diag *d = diag_new(NULL, NULL);
            const struct dp_setup setup = {.target = b.on.target,
                                           .mpus = BENCH_MPUS,
                                           .lanes = BENCH_LANES,
                                           .reg_bits = x.p.reg_bits,
                                           .library = b.on.library,
                                           .code = x.p.code,
                                           .init = DP_INIT_RANDOM,
                                           .seed = seed};
            const struct control_config config = {
                .batch = (enum batch_mode)(seed % 3), .threads = 2 * threads - 1, .part_ps = 1};
            struct datapath *dp = dpu_engine.open(&setup, d);
            struct control *c = control_new(x.o, &x.p, b.on.target, dp, &config);
            failed += threads == 1 && control_run(c) == CONTROL_STOPPED;
            if (threads > 1)
                control_run(c);
            str_append(&said[threads - 1], control_message(c) ? control_message(c) : "");
            core_program_visible(&x, dp, &said[threads - 1]);
            control_free(c);
            dp->ops->close(dp);
            diag_free(d);
        }
        for (unsigned i = 1; i < 2; i++)
            core_program_same(&x, "failures", &said[0], &said[i]);
        for (unsigned i = 0; i < 2; i++)
            str_free(&said[i]);
        core_program_close(&x);
    }
    assert_true(failed > 1);
    target_bench_close(&b.on);
}

static void test_snapshot(void **state) {
    core_program_snapshot(*state);
}

static void test_damaged_code(void **state) {
    core_program_damaged(*state, draws(DRAWS_DPU_DAMAGED));
}

/* ---- what kernels leave in DPUs ---- */

static struct str packed(const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    const struct dpu_kernel k = {.unit_at = DPU_NO_SYMBOL, .units_at = DPU_NO_SYMBOL};
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    struct str code = {0};
    assert_non_null(p);
    dpu_kernel_write(&k, p, &code);
    dpu_program_free(p);
    diag_free(d);
    return code;
}
static uint32_t wram_word(struct dpu_units *u, uint32_t unit, uint32_t program) {
    uint32_t word = 0;
    assert_true(dpu_core_wram_get(dpu_units_with(u, unit, program), 8, &word, 4));
    return word;
}
/* WRAM of the program that a DPU has and of one that it had, and MRAM; a DPU that nobody had used
 * is as new. */
static void test_memories(void **state) {
    struct core_bench *b = *state;
    static const uint8_t bits[64] = {32};
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = b->on.target,
                             .mpus = BENCH_MPUS,
                             .lanes = BENCH_LANES,
                             .reg_bits = bits,
                             .library = b->on.library};
    struct datapath *dp = dpu_engine.open(&setup, d);
    struct dpu_units *u = dpu_units_of(stored_of(dp));
    const struct kernel_decl decls[2] = {{.name = "one"}, {.name = "two"}};
    struct str code[2] = {packed("lw r0, zero, 8\n add r0, r0, 5\n sw zero, 8, r0\n"
                                 "move r1, 0x08000010\n sdma zero, r1, 1\nend: stop true, end\n"
                                 ".data\n.quad 0\nx: .word 10, 0\n"),
                          packed("lw r0, zero, 8\n add r0, r0, 7\n sw zero, 8, r0\n"
                                 "end: stop true, end\n.data\n.quad 0\nx: .word 20, 0\n")};
    struct str kept = {0};
    uint32_t numbers[2], mram[2] = {0};
    for (int i = 0; i < 2; i++) {
        const struct dp_program program = {
            .decl = &decls[i], .code = code[i].text, .size = code[i].len};
        numbers[i] = dpu_units_program(stored_of(dp), &program, d);
        assert_true(numbers[i]);
        assert_true(dpu_core_run(dpu_units_with(u, 2, numbers[i]), 100));
    }
    assert_true(dp->ops->snapshot(dp, false, &kept));
    /* All of it changes. */
    for (int i = 0; i < 2; i++) {
        assert_true(dpu_core_run(dpu_units_with(u, 2, numbers[i]), 100));
        assert_true(dpu_core_run(dpu_units_with(u, 3, numbers[i]), 100));
    }
    assert_true(dpu_core_mram_put(dpu_units_with(u, 2, 0), 5 << 20, "x", 1));
    for (size_t cut = 1; cut < kept.len; cut = 3 * cut + 1) { /* damaged ones are refused */
        struct str part = {0};
        str_append_n(&part, kept.text, kept.len - cut);
        assert_false(dp->ops->snapshot(dp, true, &part));
        str_free(&part);
    }
    assert_true(dp->ops->snapshot(dp, true, &kept));
    assert_int_equal(kept.len, 0);
    assert_null(u->list[3].core);
    assert_int_equal(wram_word(u, 2, 0), 27);
    assert_true(dpu_core_mram_get(dpu_units_with(u, 2, 0), 24, mram, 8));
    assert_int_equal(mram[0], 15);
    assert_true(dpu_core_mram_get(dpu_units_with(u, 2, 0), 5 << 20, mram, 4));
    assert_int_equal(mram[0], 0);
    assert_true(dpu_core_run(dpu_units_with(u, 2, numbers[0]), 100));
    assert_int_equal(wram_word(u, 2, numbers[0]), 20);
    assert_int_equal(wram_word(u, 2, numbers[1]), 27);
    assert_int_equal(wram_word(u, 3, numbers[1]), 20);
    dp->ops->close(dp);
    str_free(&kept);
    str_free(&code[0]);
    str_free(&code[1]);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_flush),
        cmocka_unit_test(test_failures),        cmocka_unit_test(test_memories),
        cmocka_unit_test(test_snapshot),        cmocka_unit_test(test_damaged_code),
    };
    return cmocka_run_group_tests(tests, set_up, target_bench_tear_down);
}
