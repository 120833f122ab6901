/* SPDX-License-Identifier: MIT
 * The control path's random programs of MPU instructions, floats too, on DPUs: registers as on
 * golden, however VRFs are batched, watched and not, on one thread and several, once and again;
 * sums that are the whole; code that went through a package's bytes; what a snapshot brings back.
 */
#include "tests/draws.h"
#include "tests/machines/target_bench.h"

#include "emu/control/control.h"
#include "emu/observe/watch.h"
#include "emu/report/report.h"
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/run/dpu_machine.h"
#include "support/alloc.h"
#include "tests/control/random_program.h"

#include <string.h>

struct bench {
    struct target_bench on;
    bool allowed[OP_COUNT];
};

/* DPUs of the random programs' machine, with one key more. */
static void bench_open(struct bench *b, const char *key, const char *value) {
    const struct target_override small[] = {{"machine.mpus", "3"},
                                            {"machine.rfh_per_mpu", "2"},
                                            {"machine.vrf_per_rfh", "3"},
                                            {"machine.active_vrf_per_rfh", "1"},
                                            {key, value}};
    *b = (struct bench){.on = target_bench_open("upmem", small, 5)};
    for (unsigned op = 0; op < OP_COUNT; op++)
        b->allowed[op] = machine_has(b->on.library, (enum isa_op)op);
}

static int set_up(void **state) {
    struct bench *b = xcalloc(1, sizeof *b);
    *state = b;
    bench_open(b, "arith", "exact");
    return 0;
}

/* A program with its package, code among it. */
struct program {
    struct bench *b;
    uint64_t seed;
    struct object *o;
    struct package p;
};

/* As a package has it. */
static struct machine_code *through_bytes(struct machine_code *code) {
    struct str bytes = {0};
    const char *problem = "";
    dpu_machine.write(code, &bytes);
    struct machine_code *back = dpu_machine.read(bytes.text, bytes.len, &problem);
    if (!back)
        fail_msg("%s", problem);
    machine_code_free(code);
    str_free(&bytes);
    return back;
}

static void program_open(struct program *x, struct bench *b, uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct text text;
    *x = (struct program){.b = b, .seed = seed, .o = object_new()};
    bench_package(&x->p);
    unsigned regs = seed % 2 ? random_program(seed, b->allowed, x->o)
                             : random_program_of_floats(seed, b->allowed, x->o);
    memset(x->p.reg_bits + regs, 0, sizeof x->p.reg_bits - regs);
    object_text_load(&text, x->o->text.data, x->o->text.len, object_luts(x->o, &arena), &arena);
    x->p.code = dpu_machine.build(
        b->on.library, &(struct machine_program){.text = &text, .reg_bits = x->p.reg_bits}, d);
    if (!x->p.code)
        fail_msg("program %llu: %s", (unsigned long long)seed, diag_first(d));
    x->p.code = through_bytes(x->p.code);
    arena_free(&arena);
    diag_free(d);
}

static void program_close(struct program *x) {
    machine_code_free(x->p.code);
    object_free(x->o);
}

/* A way to run it, and all that can be seen of it then. */
struct run {
    const struct datapath_ops *ops;
    enum batch_mode batch;
    bool watched;
    unsigned threads;                /* 0: 1 */
    struct str text, state, visible; /* figures; snapshot; registers of lanes that were valid */
    uint64_t uops_seen, micro_ops;
};

static void take_uop(void *context, const struct watched_uop *x) {
    struct run *r = context;
    r->uops_seen += x->event->vrf_count;
}

static uint64_t sum_of(const struct figures *f, const char *list, const char *key) {
    bool inside = false;
    uint64_t sum = 0;
    for (size_t i = 0; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        if (x->kind == FIGURE_ARRAY && x->key)
            inside = strcmp(x->key, list) == 0;
        if (inside && x->key && x->kind == FIGURE_NUMBER && strcmp(x->key, key) == 0)
            sum += x->number;
    }
    return sum;
}

static uint64_t figure(const struct figures *f, const char *path) {
    uint64_t value = 0;
    if (!report_figures_find(f, path, &value))
        fail_msg("there is no %s", path);
    return value;
}

static void report(const struct program *x, const struct control *c, struct run *r) {
    const struct report_run run = {
        .program = x->o,
        .package = &x->p,
        .target = x->b->on.target,
        .control = c,
        .end = "",
        .provenance = {.version = "", .program = "", .engine = "", .batch = "", .init = ""}};
    struct figures f = {0};
    report_fill(&run, &f);
    r->micro_ops = figure(&f, "total.micro_ops");
    assert_int_equal(sum_of(&f, "by_instruction", "micro_ops"), r->micro_ops);
    assert_int_equal(sum_of(&f, "by_micro_op", "executed"), r->micro_ops);
    assert_int_equal(sum_of(&f, "by_region", "time_ps"), figure(&f, "total.time_ps"));
    report_figures_json(&f, &r->text);
    report_figures_free(&f);
}

static void take_visible(const struct program *x, struct datapath *dp, struct str *out) {
    for (uint32_t v = 0; v < BENCH_ALL_VRFS; v++)
        for (unsigned reg = 0; reg < 64; reg++) {
            uint64_t valid[BENCH_LANES], values[BENCH_LANES];
            dp->ops->get(dp, v, DP_VALID, 0, 0, BENCH_LANES, valid);
            dp->ops->get(dp, v, DP_REGISTER, reg, 0, BENCH_LANES, values);
            for (unsigned i = 0; x->p.reg_bits[reg] && i < BENCH_LANES; i++)
                str_printf(out, " %llx", (unsigned long long)(valid[i] ? values[i] : 0));
        }
}

static void run(const struct program *x, struct run *r) {
    struct diag *d = diag_new(NULL, NULL);
    const struct dp_setup setup = {.target = x->b->on.target,
                                   .mpus = BENCH_MPUS,
                                   .lanes = BENCH_LANES,
                                   .reg_bits = x->p.reg_bits,
                                   .library = x->b->on.library,
                                   .code = x->p.code,
                                   .init = DP_INIT_RANDOM,
                                   .seed = x->seed};
    struct watch *w = observe_watch_new(1, 0);
    struct datapath *dp = r->ops->open(&setup, d);
    struct control_config config = {.batch = r->batch,
                                    .check = r->ops == &check_ops,
                                    .threads = r->threads,
                                    .part_ps = r->threads > 1};
    assert_non_null(dp);
    if (r->watched) {
        observe_watch_add(w, (struct listener){.uop = take_uop, .context = r});
        observe_watch_machine(w, dp);
        config.step = observe_watch_step;
        config.step_context = w;
    }
    struct control *c = control_new(x->o, &x->p, x->b->on.target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)x->seed, control_message(c));
    observe_watch_end(w);
    observe_watch_free(w);
    report(x, c, r);
    take_visible(x, dp, &r->visible);
    assert_true(dp->ops->snapshot(dp, false, &r->state));
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

static void same(const struct program *x, const char *what, const struct str *a,
                 const struct str *b) {
    if (strcmp(str_text(a), str_text(b)) != 0)
        fail_msg("program %llu: other %s\n%s\n%s", (unsigned long long)x->seed, what, str_text(a),
                 str_text(b));
}

static void run_free(struct run *r) {
    str_free(&r->text);
    str_free(&r->state);
    str_free(&r->visible);
}

static void one_program(struct bench *b, uint64_t seed) {
    struct program x;
    program_open(&x, b, seed);
    enum batch_mode mode = (enum batch_mode)(seed % 3);
    struct run plain = {.ops = &dpu_engine, .batch = mode};
    struct run others[] = {{.ops = &dpu_engine, .batch = mode, .watched = true},
                           {.ops = &dpu_engine, .batch = mode, .threads = 3},
                           {.ops = &check_ops, .batch = mode, .threads = seed % 2 ? 2 : 0}};
    struct run next = {.ops = &dpu_engine, .batch = (enum batch_mode)((seed + 1) % 3)};
    run(&x, &plain);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct run *r = &others[i];
        run(&x, r);
        same(&x, "figures", &plain.text, &r->text);
        same(&x, "registers", &plain.visible, &r->visible);
        run_free(r);
    }
    assert_true(others[0].uops_seen >= plain.micro_ops);
    run(&x, &next);
    same(&x, "registers", &plain.visible, &next.visible);
    run_free(&next);
    run_free(&plain);
    program_close(&x);
}

static void test_random_programs(void **state) {
    for (uint64_t seed = 1; seed <= draws(DRAWS_DPU_RUNS); seed++)
        one_program(*state, seed);
}

/* Where floats have no subnormal numbers. */
static void test_flush(void **state) {
    struct bench b;
    (void)state;
    bench_open(&b, "arith", "flush");
    for (uint64_t seed = 1; seed <= (draws(DRAWS_DPU_RUNS) + 2) / 3; seed++)
        one_program(&b, 2 * seed);
    target_bench_close(&b.on);
}

/* The first DPU that fails is named, whichever fails first; the others are carried out all the
 * same. */
static void test_failures(void **state) {
    struct bench b;
    uint32_t failed = 0;
    (void)state;
    bench_open(&b, "dpu.watchdog", "90");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct program x;
        struct str said[2] = {{0}};
        program_open(&x, &b, seed);
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
            take_visible(&x, dp, &said[threads - 1]);
            control_free(c);
            dp->ops->close(dp);
            diag_free(d);
        }
        for (unsigned i = 1; i < 2; i++)
            same(&x, "failures", &said[0], &said[i]);
        for (unsigned i = 0; i < 2; i++)
            str_free(&said[i]);
        program_close(&x);
    }
    assert_true(failed > 1);
    target_bench_close(&b.on);
}

/* A snapshot brings back what was there; one of another machine is refused. */
static void test_snapshot(void **state) {
    struct bench *b = *state;
    struct program x;
    program_open(&x, b, 7);
    struct run r = {.ops = &dpu_engine};
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = b->on.target,
                             .mpus = BENCH_MPUS,
                             .lanes = BENCH_LANES,
                             .reg_bits = x.p.reg_bits,
                             .library = b->on.library};
    run(&x, &r);
    struct datapath *dp = dpu_engine.open(&setup, d);
    struct str seen = {0};
    assert_true(dp->ops->snapshot(dp, true, &r.state));
    take_visible(&x, dp, &seen);
    same(&x, "registers", &r.visible, &seen);
    assert_true(dp->ops->snapshot(dp, false, &r.state));
    dp->ops->close(dp);
    setup.mpus = 1;
    dp = dpu_engine.open(&setup, d);
    assert_false(dp->ops->snapshot(dp, true, &r.state));
    dp->ops->close(dp);
    str_free(&seen);
    run_free(&r);
    program_close(&x);
    diag_free(d);
}

/* Bytes of a package that are damaged, or end early, are refused, or are other code. */
static void test_damaged_code(void **state) {
    struct program x;
    program_open(&x, *state, 3);
    struct str bytes = {0};
    uint64_t seed = 9;
    dpu_machine.write(x.p.code, &bytes);
    for (size_t i = 0; i < draws(DRAWS_DPU_DAMAGED); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t at = (size_t)(seed >> 33) % bytes.len, size = i % 3 ? bytes.len : at;
        char *copy = memcpy(xmalloc(bytes.len + 1), bytes.text, bytes.len);
        const char *problem = NULL;
        copy[at] = (char)(copy[at] ^ (1 << i % 8));
        struct machine_code *c = dpu_machine.read(copy, size, &problem);
        assert_true(c || problem);
        assert_true(!c || size == bytes.len);
        machine_code_free(c);
        free(copy);
    }
    str_free(&bytes);
    program_close(&x);
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
    struct bench *b = *state;
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
