/* SPDX-License-Identifier: MIT
 * The control path's random programs of MPU instructions, floats too, on a core: registers as on
 * golden, however VRFs are batched, watched and not, on one thread and several, once and again;
 * sums that are the whole; code that went through a package's bytes; what a snapshot brings back.
 */
#include "tests/core/core_programs.h"

#include "emu/observe/watch.h"
#include "emu/report/report.h"
#include "support/alloc.h"
#include "tests/control/random_program.h"

#include <string.h>

/* The random programs' machine, with one key more. */
void core_bench_open(struct core_bench *b, const struct core_under_test *core, const char *key,
                     const char *value) {
    const struct target_override small[] = {{"machine.mpus", "3"},
                                            {"machine.rfh_per_mpu", "2"},
                                            {"machine.vrf_per_rfh", "3"},
                                            {"machine.active_vrf_per_rfh", "1"},
                                            {key, value}};
    *b = (struct core_bench){.on = target_bench_open(core->target, small, 5), .core = core};
    for (unsigned op = 0; op < OP_COUNT; op++)
        b->allowed[op] = machine_has(b->on.library, (enum isa_op)op);
}

/* As a package has it. */
static struct machine_code *through_bytes(const struct machine *machine,
                                          struct machine_code *code) {
    struct str bytes = {0};
    const char *problem = "";
    machine->write(code, &bytes);
    struct machine_code *back = machine->read(bytes.text, bytes.len, &problem);
    if (!back)
        fail_msg("%s", problem);
    machine_code_free(code);
    str_free(&bytes);
    return back;
}

void core_program_open(struct core_program *x, struct core_bench *b, uint64_t seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct text text;
    *x = (struct core_program){.b = b, .seed = seed, .o = object_new()};
    bench_package(&x->p);
    unsigned regs = seed % 2 ? random_program(seed, b->allowed, x->o)
                             : random_program_of_floats(seed, b->allowed, x->o);
    memset(x->p.reg_bits + regs, 0, sizeof x->p.reg_bits - regs);
    object_text_load(&text, x->o->text.data, x->o->text.len, object_luts(x->o, &arena), &arena);
    x->p.code = b->core->machine->build(
        b->on.library, &(struct machine_program){.text = &text, .reg_bits = x->p.reg_bits}, d);
    if (!x->p.code)
        fail_msg("program %llu: %s", (unsigned long long)seed, diag_first(d));
    x->p.code = through_bytes(b->core->machine, x->p.code);
    arena_free(&arena);
    diag_free(d);
}

void core_program_close(struct core_program *x) {
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

static void report(const struct core_program *x, const struct control *c, struct run *r) {
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

void core_program_visible(const struct core_program *x, struct datapath *dp, struct str *out) {
    for (uint32_t v = 0; v < BENCH_ALL_VRFS; v++)
        for (unsigned reg = 0; reg < 64; reg++) {
            uint64_t valid[BENCH_LANES], values[BENCH_LANES];
            dp->ops->get(dp, v, DP_VALID, 0, 0, BENCH_LANES, valid);
            dp->ops->get(dp, v, DP_REGISTER, reg, 0, BENCH_LANES, values);
            for (unsigned i = 0; x->p.reg_bits[reg] && i < BENCH_LANES; i++)
                str_printf(out, " %llx", (unsigned long long)(valid[i] ? values[i] : 0));
        }
}

static void run(const struct core_program *x, struct run *r) {
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
    core_program_visible(x, dp, &r->visible);
    assert_true(dp->ops->snapshot(dp, false, &r->state));
    control_free(c);
    dp->ops->close(dp);
    diag_free(d);
}

void core_program_same(const struct core_program *x, const char *what, const struct str *a,
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

void core_program_compare(struct core_bench *b, uint64_t seed) {
    struct core_program x;
    const struct datapath_ops *engine = b->core->engine;
    core_program_open(&x, b, seed);
    enum batch_mode mode = (enum batch_mode)(seed % 3);
    struct run plain = {.ops = engine, .batch = mode};
    struct run others[] = {{.ops = engine, .batch = mode, .watched = true},
                           {.ops = engine, .batch = mode, .threads = 3},
                           {.ops = &check_ops, .batch = mode, .threads = seed % 2 ? 2 : 0}};
    struct run next = {.ops = engine, .batch = (enum batch_mode)((seed + 1) % 3)};
    run(&x, &plain);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct run *r = &others[i];
        run(&x, r);
        core_program_same(&x, "figures", &plain.text, &r->text);
        core_program_same(&x, "registers", &plain.visible, &r->visible);
        run_free(r);
    }
    assert_true(others[0].uops_seen >=
                (b->core->tells_all ? plain.micro_ops : plain.micro_ops != 0));
    run(&x, &next);
    core_program_same(&x, "registers", &plain.visible, &next.visible);
    run_free(&next);
    run_free(&plain);
    core_program_close(&x);
}

/* A snapshot brings back what was there; one of another machine is refused. */
void core_program_snapshot(struct core_bench *b) {
    const struct datapath_ops *engine = b->core->engine;
    struct core_program x;
    core_program_open(&x, b, 7);
    struct run r = {.ops = engine};
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = b->on.target,
                             .mpus = BENCH_MPUS,
                             .lanes = BENCH_LANES,
                             .reg_bits = x.p.reg_bits,
                             .library = b->on.library};
    run(&x, &r);
    struct datapath *dp = engine->open(&setup, d);
    struct str seen = {0};
    assert_true(dp->ops->snapshot(dp, true, &r.state));
    core_program_visible(&x, dp, &seen);
    core_program_same(&x, "registers", &r.visible, &seen);
    assert_true(dp->ops->snapshot(dp, false, &r.state));
    dp->ops->close(dp);
    setup.mpus = 1;
    dp = engine->open(&setup, d);
    assert_false(dp->ops->snapshot(dp, true, &r.state));
    dp->ops->close(dp);
    str_free(&seen);
    run_free(&r);
    core_program_close(&x);
    diag_free(d);
}

/* Bytes of a package that are damaged, or end early, are refused, or are other code. */
void core_program_damaged(struct core_bench *b, uint64_t count) {
    const struct machine *machine = b->core->machine;
    struct core_program x;
    core_program_open(&x, b, 3);
    struct str bytes = {0};
    uint64_t seed = 9;
    machine->write(x.p.code, &bytes);
    for (size_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t at = (size_t)(seed >> 33) % bytes.len, size = i % 3 ? bytes.len : at;
        char *copy = memcpy(xmalloc(bytes.len + 1), bytes.text, bytes.len);
        const char *problem = NULL;
        copy[at] = (char)(copy[at] ^ (1 << i % 8));
        struct machine_code *c = machine->read(copy, size, &problem);
        assert_true(c || problem);
        assert_true(!c || size == bytes.len);
        machine_code_free(c);
        free(copy);
    }
    str_free(&bytes);
    core_program_close(&x);
}
