/* SPDX-License-Identifier: MIT
 * What the control path costs the host beside the strict engine, and what it costs to watch: one
 * JSON object on one line.  README.md says what the numbers mean. */
#include "bench/sample.h"
#include "emu/observe/log.h"
#include "emu/observe/trace.h"
#include "runtime/program.h"
#include "runtime/public.h"
#include "runtime/session.h"
#include "support/alloc.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS  9
#define LANES (1u << 20)
#define LOOPS 8

/* Vector instructions that the program executes one after another on all lanes. */
struct piece {
    uint32_t first, count; /* in the text */
    bool masked;           /* at entry */
    uint32_t times;
};

/* A body that all batches run in step, and one whose loop looks at data, so that each batch goes
 * its own way; both execute the same number of instructions in every lane. */
static const struct bench_program {
    const char *key, *text;
    struct piece pieces[4];
} programs[] = {
    {"in_step",
     "        .group g[1048576]\n"
     "        .var out y: u32 @ g = r1\n"
     "        COMPUTEG @g\n"
     "        REPEAT 8\n"
     "        ADD.32 r0 r1 r1\n"
     "        XOR.32 r1 r0 r2\n"
     "        SUB.32 r2 r1 r3\n"
     "        MUL.8 r2 r3 r4\n"
     "        REPEAT_END\n"
     "        COMPUTE_DONE\n",
     {{2, 4, false, LOOPS}}},
    {"by_batch",
     "        .group g[1048576]\n"
     "        .var out y: u32 @ g = r1\n"
     "        COMPUTEG @g\n"
     "        LI.8 8 r5\n"
     "again:  ADD.32 r0 r1 r1\n"
     "        XOR.32 r1 r0 r2\n"
     "        SUB.32 r2 r1 r3\n"
     "        MUL.8 r2 r3 r4\n"
     "        ADDI.8 -1 r5\n"
     "        CMPGTI.8 r5 0\n"
     "        SETMASK cond\n"
     "        JUMP_COND again\n"
     "        COMPUTE_DONE\n",
     {{1, 1, false, 1}, {2, 7, false, 1}, {2, 7, true, LOOPS - 1}}},
};
#define PROGRAMS (sizeof programs / sizeof *programs)
#define PIECES   (sizeof programs[0].pieces / sizeof(struct piece))

struct bench {
    const struct bench_program *what;
    mpu_program *program;
    mpu_target *target;
    mpu_session *session;
    struct dp_code *code[PIECES];
    uint64_t instructions; /* per lane */
    struct diag *diag;
    bool good;
};

/* ---- what is measured ---- */

static void run_session(void *context) {
    struct bench *b = context;
    b->good &= session_run_diag(b->session, b->diag) == MPU_OK;
}

static void run_engine(void *context) {
    struct bench *b = context;
    const struct vrf_range all = {0, (uint32_t)(LANES / b->target->t->lanes)};
    struct datapath *dp = b->session->dp;
    for (size_t i = 0; i < PIECES; i++)
        for (uint32_t k = 0; k < b->what->pieces[i].times; k++)
            dp->ops->execute(dp, b->code[i], (struct vrf_set){&all, 1}, (struct dp_moment){0},
                             NULL);
}

static void make_statistics(void *context) {
    struct bench *b = context;
    struct str text = {0};
    b->good &= session_stats_diag(b->session, "json", 0, &text, b->diag) == MPU_OK;
    str_free(&text);
}

static void run_traced(void *context) {
    struct bench *b = context;
    mpu_session *s = b->session;
    struct file_stream *out = file_stream_open("/dev/null");
    struct trace *t = observe_trace_new(s->object, s->package, s->target->t, &s->dp->tables, out);
    s->control_config.span = observe_trace_span;
    s->control_config.span_context = t;
    s->control_config.span_bars = true;
    run_session(b);
    s->control_config.span = NULL;
    s->control_config.span_bars = false;
    observe_trace_end(t);
    b->good &= file_stream_close(out);
}

static void run_logged(void *context) {
    struct bench *b = context;
    mpu_session *s = b->session;
    struct file_stream *out = file_stream_open("/dev/null");
    struct watch *w = observe_watch_new(1, 0);
    struct text_names names;
    observe_names_open(&names, s->object, s->package);
    struct log *l = observe_log_new(&names, s->target->t, s->dp, out);
    observe_watch_add(w, observe_log_listener(l, true, false));
    s->control_config.step = observe_watch_step;
    s->control_config.step_context = w;
    run_session(b);
    s->control_config.step = NULL;
    observe_watch_end(w);
    observe_watch_free(w);
    observe_log_free(l);
    observe_names_close(&names);
    b->good &= file_stream_close(out);
}

/* ---- one program ---- */

static bool prepare_pieces(struct bench *bench) {
    struct datapath *dp = bench->session->dp;
    bench->instructions = 0;
    for (size_t i = 0; i < PIECES; i++) {
        const struct piece *p = &bench->what->pieces[i];
        struct insn *insns = xcalloc(p->count + 1, sizeof *insns);
        for (uint32_t k = 0; k < p->count; k++)
            if (isa_decode(bench->session->object->text.data[p->first + k], &insns[k]) != ISA_OK)
                bench->good = false;
        const struct dp_run run = {insns, p->count, p->masked, 0};
        bench->code[i] = p->times ? dp->ops->prepare(dp, &run, bench->diag) : NULL;
        bench->good &= !p->times || bench->code[i];
        bench->instructions += (uint64_t)p->count * p->times;
        free(insns);
    }
    return bench->good;
}

static bool open_program(struct bench *bench) {
    static const mpu_config config = {.size = sizeof config, .threads = 1};
    FILE *f = fopen("bench-control.s", "w");
    if (!f || fputs(bench->what->text, f) < 0 || fclose(f))
        return false;
    const char *path = "bench-control.s";
    bool good = program_file_diag(path, bench->diag, &bench->program) == MPU_OK &&
                session_new_diag(bench->program, bench->target, &config, bench->diag,
                                 &bench->session) == MPU_OK &&
                session_run_diag(bench->session, bench->diag) == MPU_OK;
    remove(path);
    return good && prepare_pieces(bench);
}

static double median(const double *seconds) {
    double v[RUNS];
    memcpy(v, seconds, sizeof v);
    for (size_t i = 1; i < RUNS; i++)
        for (size_t k = i; k > 0 && v[k] < v[k - 1]; k--) {
            double x = v[k];
            v[k] = v[k - 1];
            v[k - 1] = x;
        }
    return v[RUNS / 2];
}

static void bench_program(struct bench *bench, struct json *json) {
    double engine[RUNS], run[RUNS], statistics[RUNS], traced[RUNS], logged[RUNS];
    double lane_ops = (double)bench->instructions * LANES * 1e-6;
    sample_measure(run_engine, bench, RUNS, engine);
    sample_measure(run_session, bench, RUNS, run);
    sample_measure(make_statistics, bench, RUNS, statistics);
    sample_measure(run_traced, bench, RUNS, traced);
    sample_measure(run_logged, bench, RUNS, logged);
    sample_report(json, "engine_M_lane_ops_per_s", engine, RUNS, lane_ops, 0);
    sample_report(json, "run_M_lane_ops_per_s", run, RUNS, lane_ops, 0);
    sample_report_number(json, "run_over_engine", median(engine) / median(run));
    sample_report_number(json, "statistics_over_run", median(statistics) / median(run));
    sample_report_number(json, "traced_over_run", median(traced) / median(run));
    sample_report_number(json, "logged_over_run", median(logged) / median(run));
}

int main(void) {
    struct bench b = {.diag = diag_new(NULL, NULL), .good = true};
    struct json *j = json_new_line();
    struct str text = {0};
    b.good = public_target_open_diag("racer", NULL, 0, b.diag, &b.target) == MPU_OK;
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "control");
    json_string(j, "target", "racer");
    json_u64(j, "lanes", LANES);
    json_u64(j, "runs", RUNS);
    sample_report_machine(j);
    for (size_t i = 0; i < PROGRAMS && b.good; i++) {
        b.what = &programs[i];
        b.good = open_program(&b);
        json_object_begin(j, b.what->key);
        if (b.good)
            bench_program(&b, j);
        json_object_end(j);
        mpu_session_free(b.session);
        mpu_program_free(b.program);
        b.session = NULL;
        b.program = NULL;
    }
    json_object_end(j);
    json_finish(j, &text);
    if (b.good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_control: %s\n", diag_first(b.diag) ? diag_first(b.diag) : "no file");
    str_free(&text);
    mpu_target_close(b.target);
    diag_free(b.diag);
    return b.good ? 0 : 1;
}
