/* SPDX-License-Identifier: MIT
 * The way from files to the machine and back: one JSON object on one line.  README.md says what the
 * numbers mean.
 *   bench_host MPU_RUN HOST_REFERENCE FOLDER */
#include "bench/sample.h"
#include "machines/plane/run/plane.h"
#include "runtime/data.h"
#include "runtime/program.h"
#include "runtime/public.h"
#include "runtime/session.h"
#include "runtime/transfer.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS     9
#define ELEMENTS ((uint64_t)16 << 20)

static const char declarations[] = "size n;\ngroup g[n];\nin x, y: i32 @ g;\nout z: i32 @ g;\n";

struct program {
    const char *name, *text;
    const char *a; /* the value of input a, which there is, or NULL */
};
static const struct program programs[] = {
    {"add", "main { compute g { z = x + y; } }\n", NULL},
    {"axpy", "in a: i32;\nmain { compute g { z = a * x + y; } }\n", "3"},
};

/* Where the time of a run in this process goes. */
enum phase { LOAD, READ, PLACE, PUT, CONTROL, EXECUTE, GET, WRITE, PHASES };
static const char *const phase_names[PHASES] = {"load", "read",    "place", "put",
                                                "run",  "execute", "get",   "write"};

struct bench {
    const char *tool, *reference, *folder;
    struct str source; /* path of the program at work */
    double seconds[PHASES];
};

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void path_in(const struct bench *bench, const char *name, struct str *out) {
    str_clear(out);
    str_printf(out, "%s/%s", bench->folder, name);
}

/* ---- whole processes ---- */

/* Wall time of a command; *said is the number that it prints, if it does.  Negative after a
 * failure. */
static double command_seconds(const char *command, double *said) {
    char line[64] = "";
    double start = wall_seconds();
    FILE *f = popen(command, "r");
    if (f && fgets(line, sizeof line, f))
        *said = strtod(line, NULL);
    bool good = f && pclose(f) == 0;
    return good ? wall_seconds() - start : -1;
}

static double tool_seconds(const struct bench *bench, const struct program *program) {
    struct str c = {0};
    double said;
    str_printf(
        &c, "'%s' -j 1 --target racer '%s' --in x='%s/x.npy' --in y='%s/y.npy' --out z='%s/z.npy'",
        bench->tool, str_text(&bench->source), bench->folder, bench->folder, bench->folder);
    if (program->a)
        str_printf(&c, " --in a=%s", program->a);
    double seconds = command_seconds(str_text(&c), &said);
    str_free(&c);
    return seconds;
}

/* Without its arithmetic. */
static double reference_seconds(const struct bench *bench, const struct program *program) {
    struct str c = {0};
    double arithmetic = 0;
    str_printf(&c, "'%s' %s '%s/x.npy' '%s/y.npy' '%s/r.npy'", bench->reference,
               program->a ? program->a : "1", bench->folder, bench->folder, bench->folder);
    double seconds = command_seconds(str_text(&c), &arithmetic);
    str_free(&c);
    return seconds < 0 ? seconds : seconds - arithmetic;
}

/* Both wrote the same. */
static bool same_files(const struct bench *bench) {
    struct str path = {0};
    struct file_view z, r;
    path_in(bench, "z.npy", &path);
    bool good = file_view_open(str_text(&path), &z);
    path_in(bench, "r.npy", &path);
    good = file_view_open(str_text(&path), &r) && good;
    good = good && z.size == r.size && memcmp(z.bytes, r.bytes, z.size) == 0;
    file_view_close(&z);
    file_view_close(&r);
    str_free(&path);
    return good;
}

/* ---- phases, in this process ---- */

/* What the machine's functions took; they know no other context. */
static struct {
    struct datapath_ops ops;
    double *seconds;
} timed;

static void timed_put(struct datapath *dp, const struct dp_elements *elements) {
    double start = wall_seconds();
    plane_strict_ops.put_elements(dp, elements);
    timed.seconds[PUT] += wall_seconds() - start;
}

static void timed_get(struct datapath *dp, const struct dp_elements *elements) {
    double start = wall_seconds();
    plane_strict_ops.get_elements(dp, elements);
    timed.seconds[GET] += wall_seconds() - start;
}

static void timed_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                          struct dp_moment begin, struct dp_outcome *out) {
    double start = wall_seconds();
    plane_strict_ops.execute(dp, code, set, begin, out);
    timed.seconds[EXECUTE] += wall_seconds() - start;
}

static struct datapath *timed_open(const struct dp_setup *setup, struct diag *diag) {
    struct datapath *dp = plane_strict_ops.open(setup, diag);
    if (dp)
        dp->ops = &timed.ops;
    return dp;
}

/* Seconds since *mark, less what the machine's functions took of them; *mark becomes now. */
static double since(double *mark, double *counted) {
    double now = wall_seconds(), in_machine = 0;
    in_machine = timed.seconds[PUT] + timed.seconds[EXECUTE] + timed.seconds[GET];
    double seconds = now - *mark - (in_machine - *counted);
    *mark = now;
    *counted = in_machine;
    return seconds;
}

static bool put_file(struct bench *bench, mpu_session *session, const char *name,
                     struct diag *diag) {
    struct ndarray a = {0};
    struct str path = {0};
    const struct data_source from = {.form = FORM_TYPED, .name = name};
    path_in(bench, name, &path);
    str_append(&path, ".npy");
    bool good = ndarray_read(str_text(&path), &a, diag) &&
                session_put_diag(session, name, &a, &from, diag) == MPU_OK;
    ndarray_free(&a);
    str_free(&path);
    return good;
}

static bool put_number(mpu_session *session, const char *text, struct diag *diag) {
    struct ndarray a;
    const struct data_source from = {.form = FORM_TYPED, .name = text};
    ndarray_make(&a, (struct element_type){ELEMENT_INT, 32}, 0, NULL);
    ndarray_set(&a, 0, strtoul(text, NULL, 10));
    bool good = session_put_diag(session, "a", &a, &from, diag) == MPU_OK;
    ndarray_free(&a);
    return good;
}

static bool run_session(struct bench *bench, const struct program *program, mpu_session *session,
                        double *mark, double *counted, struct diag *diag) {
    struct ndarray z;
    struct str path = {0};
    bool good = put_file(bench, session, "x", diag) && put_file(bench, session, "y", diag) &&
                (!program->a || put_number(session, program->a, diag));
    bench->seconds[READ] = since(mark, counted);
    good = good && session_prepare(session, diag) == MPU_OK;
    bench->seconds[PLACE] = since(mark, counted);
    good = good && session_run_diag(session, diag) == MPU_OK;
    bench->seconds[CONTROL] = since(mark, counted);
    if (!good || session_view_diag(session, "z", &z, diag) != MPU_OK)
        return false;
    bench->seconds[GET] += since(mark, counted);
    *counted = bench->seconds[PUT] + bench->seconds[EXECUTE] + bench->seconds[GET];
    path_in(bench, "z.npy", &path);
    good = ndarray_write(str_text(&path), &z, diag);
    bench->seconds[WRITE] = since(mark, counted);
    ndarray_free(&z);
    str_free(&path);
    return good;
}

/* One run from the program's text to the written file. */
static bool run_phases(struct bench *bench, const struct program *p, struct diag *diag) {
    const struct target_override none = {0};
    const mpu_config config = {.size = sizeof config, .threads = 1};
    double mark = wall_seconds(), counted = 0;
    mpu_target *t = NULL;
    mpu_program *program = NULL;
    mpu_session *s = NULL;
    memset(bench->seconds, 0, sizeof bench->seconds);
    timed.ops = plane_strict_ops;
    timed.ops.open = timed_open;
    timed.ops.put_elements = timed_put;
    timed.ops.get_elements = timed_get;
    timed.ops.execute = timed_execute;
    timed.seconds = bench->seconds;
    bool good = public_target_open_diag("racer", &none, 0, diag, &t) == MPU_OK &&
                program_file_diag(str_text(&bench->source), diag, &program) == MPU_OK &&
                session_new_diag(program, t, &config, diag, &s) == MPU_OK;
    bench->seconds[LOAD] = since(&mark, &counted);
    if (good) {
        s->ops = &timed.ops;
        mpu_session_want(s, NULL, NULL); /* as mpu-run does */
        good = run_session(bench, p, s, &mark, &counted, diag);
    }
    mpu_session_free(s);
    mpu_program_free(program);
    mpu_target_close(t);
    return good;
}

/* ---- one program ---- */

static bool write_source(struct bench *bench, const struct program *program) {
    struct str text = {0};
    path_in(bench, program->name, &bench->source);
    str_append(&bench->source, ".ez");
    str_append(&text, declarations);
    str_append(&text, program->text);
    bool good = file_write(str_text(&bench->source), str_text(&text), text.len);
    str_free(&text);
    return good;
}

static void report_shares(struct json *json, double phases[PHASES][RUNS], const double *total) {
    double share[RUNS];
    json_object_begin(json, "shares");
    for (unsigned k = 0; k < PHASES; k++) {
        for (size_t i = 0; i < RUNS; i++)
            share[i] = phases[k][i] / total[i];
        sample_report(json, phase_names[k], share, RUNS, 1, 1);
    }
    json_object_end(json);
}

/* All three in turn, so that what else the machine does meets each of them. */
static bool bench_program(struct bench *bench, const struct program *program, struct json *json,
                          struct diag *diag) {
    double tool[RUNS], reference[RUNS], over[RUNS], total[RUNS], phases[PHASES][RUNS];
    bool good = write_source(bench, program) && run_phases(bench, program, diag);
    for (size_t i = 0; i < RUNS && good; i++) {
        good = run_phases(bench, program, diag);
        total[i] = 0;
        for (unsigned k = 0; k < PHASES; k++)
            total[i] += phases[k][i] = bench->seconds[k];
        tool[i] = tool_seconds(bench, program);
        reference[i] = reference_seconds(bench, program);
        over[i] = (tool[i] - bench->seconds[EXECUTE]) / reference[i];
        good = good && tool[i] > 0 && reference[i] > 0 && same_files(bench);
    }
    if (!good)
        return false;
    json_object_begin(json, program->name);
    sample_report(json, "mpu_run_seconds", tool, RUNS, 1, 1);
    sample_report(json, "instructions_seconds", phases[EXECUTE], RUNS, 1, 1);
    sample_report(json, "reference_seconds", reference, RUNS, 1, 1);
    sample_report(json, "over_reference", over, RUNS, 1, 1);
    sample_report(json, "in_process_seconds", total, RUNS, 1, 1);
    report_shares(json, phases, total);
    json_object_end(json);
    return true;
}

/* ---- all ---- */

static bool write_input(struct bench *bench, const char *name, uint64_t seed, struct diag *diag) {
    struct ndarray a;
    struct str path = {0};
    const uint64_t shape[] = {ELEMENTS};
    path_in(bench, name, &path);
    ndarray_make(&a, (struct element_type){ELEMENT_INT, 32}, 1, shape);
    for (uint64_t i = 0; i < ELEMENTS; i++)
        ndarray_set(&a, i, splitmix64(&seed));
    bool good = ndarray_write(str_text(&path), &a, diag);
    ndarray_free(&a);
    str_free(&path);
    return good;
}

static bool bench_all(struct bench *bench, struct json *json, struct diag *diag) {
    bool good = write_input(bench, "x.npy", 1, diag) && write_input(bench, "y.npy", 2, diag);
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "host");
    json_string(json, "target", "racer");
    json_u64(json, "elements", ELEMENTS);
    json_u64(json, "runs", RUNS);
    sample_report_machine(json);
    for (size_t i = 0; good && i < sizeof programs / sizeof *programs; i++)
        good = bench_program(bench, &programs[i], json, diag);
    json_object_end(json);
    return good;
}

int main(int argc, char **argv) {
    struct diag *d = diag_new(NULL, NULL);
    struct json *j = json_new_line();
    struct str text = {0};
    struct bench b = {0};
    bool good = argc == 4;
    if (good) {
        b.tool = argv[1], b.reference = argv[2], b.folder = argv[3];
        good = bench_all(&b, j, d);
    }
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_host: %s\n", diag_first(d) ? diag_first(d) : "failed");
    str_free(&b.source);
    str_free(&text);
    diag_free(d);
    return good ? 0 : 1;
}
