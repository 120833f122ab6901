/* SPDX-License-Identifier: MIT
 * The way from files to the machine and back: one JSON object on one line.  README.md says what the
 * numbers mean.
 *   bench_host MPU_RUN HOST_REFERENCE FOLDER */
#include "bench/sample.h"
#include "machines/plane/run/plane.h"
#include "runtime/internal.h"
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

static void path_in(const struct bench *b, const char *name, struct str *out) {
    str_clear(out);
    str_printf(out, "%s/%s", b->folder, name);
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

static double tool_seconds(const struct bench *b, const struct program *p) {
    struct str c = {0};
    double said;
    str_printf(
        &c, "'%s' -j 1 --target racer '%s' --in x='%s/x.npy' --in y='%s/y.npy' --out z='%s/z.npy'",
        b->tool, str_text(&b->source), b->folder, b->folder, b->folder);
    if (p->a)
        str_printf(&c, " --in a=%s", p->a);
    double seconds = command_seconds(str_text(&c), &said);
    str_free(&c);
    return seconds;
}

/* Without its arithmetic. */
static double reference_seconds(const struct bench *b, const struct program *p) {
    struct str c = {0};
    double arithmetic = 0;
    str_printf(&c, "'%s' %s '%s/x.npy' '%s/y.npy' '%s/r.npy'", b->reference, p->a ? p->a : "1",
               b->folder, b->folder, b->folder);
    double seconds = command_seconds(str_text(&c), &arithmetic);
    str_free(&c);
    return seconds < 0 ? seconds : seconds - arithmetic;
}

/* Both wrote the same. */
static bool same_files(const struct bench *b) {
    struct str path = {0};
    struct file_view z, r;
    path_in(b, "z.npy", &path);
    bool good = file_view_open(str_text(&path), &z);
    path_in(b, "r.npy", &path);
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

static void timed_put(struct datapath *dp, const struct dp_elements *x) {
    double start = wall_seconds();
    plane_strict_ops.put_elements(dp, x);
    timed.seconds[PUT] += wall_seconds() - start;
}

static void timed_get(struct datapath *dp, const struct dp_elements *x) {
    double start = wall_seconds();
    plane_strict_ops.get_elements(dp, x);
    timed.seconds[GET] += wall_seconds() - start;
}

static void timed_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                          uint64_t begin_ps, struct dp_outcome *out) {
    double start = wall_seconds();
    plane_strict_ops.execute(dp, code, set, begin_ps, out);
    timed.seconds[EXECUTE] += wall_seconds() - start;
}

static struct datapath *timed_open(const struct dp_setup *setup, struct diag *d) {
    struct datapath *dp = plane_strict_ops.open(setup, d);
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

static bool put_file(struct bench *b, mpu_session *s, const char *name, struct diag *d) {
    struct array a = {0};
    struct str path = {0};
    const struct data_source from = {.form = FORM_TYPED, .name = name};
    path_in(b, name, &path);
    str_append(&path, ".npy");
    bool good =
        array_read(str_text(&path), &a, d) && session_put_diag(s, name, &a, &from, d) == MPU_OK;
    array_free(&a);
    str_free(&path);
    return good;
}

static bool put_number(mpu_session *s, const char *text, struct diag *d) {
    struct array a;
    const struct data_source from = {.form = FORM_TYPED, .name = text};
    array_make(&a, (struct element_type){ELEMENT_INT, 32}, 0, NULL);
    array_set(&a, 0, strtoul(text, NULL, 10));
    bool good = session_put_diag(s, "a", &a, &from, d) == MPU_OK;
    array_free(&a);
    return good;
}

static bool run_session(struct bench *b, const struct program *p, mpu_session *s, double *mark,
                        double *counted, struct diag *d) {
    struct array z;
    struct str path = {0};
    bool good =
        put_file(b, s, "x", d) && put_file(b, s, "y", d) && (!p->a || put_number(s, p->a, d));
    b->seconds[READ] = since(mark, counted);
    good = good && session_prepare(s, d) == MPU_OK;
    b->seconds[PLACE] = since(mark, counted);
    good = good && session_run_diag(s, d) == MPU_OK;
    b->seconds[CONTROL] = since(mark, counted);
    if (!good || session_view_diag(s, "z", &z, d) != MPU_OK)
        return false;
    b->seconds[GET] += since(mark, counted);
    *counted = b->seconds[PUT] + b->seconds[EXECUTE] + b->seconds[GET];
    path_in(b, "z.npy", &path);
    good = array_write(str_text(&path), &z, d);
    b->seconds[WRITE] = since(mark, counted);
    array_free(&z);
    str_free(&path);
    return good;
}

/* One run from the program's text to the written file. */
static bool run_phases(struct bench *b, const struct program *p, struct diag *d) {
    const struct target_override none = {0};
    const mpu_config config = {.size = sizeof config, .threads = 1};
    double mark = wall_seconds(), counted = 0;
    mpu_target *t = NULL;
    mpu_program *program = NULL;
    mpu_session *s = NULL;
    memset(b->seconds, 0, sizeof b->seconds);
    timed.ops = plane_strict_ops;
    timed.ops.open = timed_open;
    timed.ops.put_elements = timed_put;
    timed.ops.get_elements = timed_get;
    timed.ops.execute = timed_execute;
    timed.seconds = b->seconds;
    bool good = target_open_diag("racer", &none, 0, d, &t) == MPU_OK &&
                program_file_diag(str_text(&b->source), d, &program) == MPU_OK &&
                session_new_diag(program, t, &config, d, &s) == MPU_OK;
    b->seconds[LOAD] = since(&mark, &counted);
    if (good) {
        s->ops = &timed.ops;
        mpu_session_want(s, NULL, NULL); /* as mpu-run does */
        good = run_session(b, p, s, &mark, &counted, d);
    }
    mpu_session_free(s);
    mpu_program_free(program);
    mpu_target_close(t);
    return good;
}

/* ---- one program ---- */

static bool write_source(struct bench *b, const struct program *p) {
    struct str text = {0};
    path_in(b, p->name, &b->source);
    str_append(&b->source, ".ez");
    str_append(&text, declarations);
    str_append(&text, p->text);
    bool good = file_write(str_text(&b->source), str_text(&text), text.len);
    str_free(&text);
    return good;
}

static void report_shares(struct json *j, double phases[PHASES][RUNS], const double *total) {
    double share[RUNS];
    json_object_begin(j, "shares");
    for (unsigned k = 0; k < PHASES; k++) {
        for (size_t i = 0; i < RUNS; i++)
            share[i] = phases[k][i] / total[i];
        report(j, phase_names[k], share, RUNS, 1, 1);
    }
    json_object_end(j);
}

/* All three in turn, so that what else the machine does meets each of them. */
static bool bench_program(struct bench *b, const struct program *p, struct json *j,
                          struct diag *d) {
    double tool[RUNS], reference[RUNS], over[RUNS], total[RUNS], phases[PHASES][RUNS];
    bool good = write_source(b, p) && run_phases(b, p, d);
    for (size_t i = 0; i < RUNS && good; i++) {
        good = run_phases(b, p, d);
        total[i] = 0;
        for (unsigned k = 0; k < PHASES; k++)
            total[i] += phases[k][i] = b->seconds[k];
        tool[i] = tool_seconds(b, p);
        reference[i] = reference_seconds(b, p);
        over[i] = (tool[i] - b->seconds[EXECUTE]) / reference[i];
        good = good && tool[i] > 0 && reference[i] > 0 && same_files(b);
    }
    if (!good)
        return false;
    json_object_begin(j, p->name);
    report(j, "mpu_run_seconds", tool, RUNS, 1, 1);
    report(j, "instructions_seconds", phases[EXECUTE], RUNS, 1, 1);
    report(j, "reference_seconds", reference, RUNS, 1, 1);
    report(j, "over_reference", over, RUNS, 1, 1);
    report(j, "in_process_seconds", total, RUNS, 1, 1);
    report_shares(j, phases, total);
    json_object_end(j);
    return true;
}

/* ---- all ---- */

static bool write_input(struct bench *b, const char *name, uint64_t seed, struct diag *d) {
    struct array a;
    struct str path = {0};
    const uint64_t shape[] = {ELEMENTS};
    path_in(b, name, &path);
    array_make(&a, (struct element_type){ELEMENT_INT, 32}, 1, shape);
    for (uint64_t i = 0; i < ELEMENTS; i++)
        array_set(&a, i, splitmix64(&seed));
    bool good = array_write(str_text(&path), &a, d);
    array_free(&a);
    str_free(&path);
    return good;
}

static bool bench_all(struct bench *b, struct json *j, struct diag *d) {
    bool good = write_input(b, "x.npy", 1, d) && write_input(b, "y.npy", 2, d);
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "host");
    json_string(j, "target", "racer");
    json_u64(j, "elements", ELEMENTS);
    json_u64(j, "runs", RUNS);
    report_machine(j);
    for (size_t i = 0; good && i < sizeof programs / sizeof *programs; i++)
        good = bench_program(b, &programs[i], j, d);
    json_object_end(j);
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
