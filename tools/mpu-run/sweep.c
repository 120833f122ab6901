/* SPDX-License-Identifier: MIT
 * All runs of a sweep, and its table. */
#include "tools/mpu-run/run.h"

#include <string.h>

static bool wants_json(const struct run_options *o) {
    for (size_t i = 0; i < o->stats.len; i++)
        if (strcmp(o->stats.data[i].format, "json") == 0)
            return true;
    return false;
}

/* How far the runs are. */
struct sweep_progress {
    mpu_result worst; /* the first failure */
    bool give_up;     /* inputs are the same everywhere: these were wrong */
    bool ran;         /* the program was started in some run */
};

/* Files, prints and expectations are those of the first run: the others are compared with it. */
static mpu_result use_session(struct run_options *o, const mpu_program *p, mpu_session *s,
                              struct sweep_progress *x) {
    const mpu_target *t = mpu_sweep_target(o->sweep);
    bool first = mpu_sweep_done(o->sweep) == 0;
    mpu_result r = run_session_fill(o, p, true, s);
    x->give_up = r != MPU_OK;
    if (r == MPU_OK)
        r = run_session_filled(o, t, s);
    r = mpu_sweep_take(o->sweep, r, NULL);
    x->ran |= mpu_session_end(s) != NULL;
    return r == MPU_OK && first ? run_results(o, s) : r;
}

static mpu_result run_on(struct run_options *o, const mpu_program *p, uint64_t number,
                         struct sweep_progress *x) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_sweep_open(o->sweep, number, &e);
    if (!s)
        return run_code(e);
    mpu_result r = use_session(o, p, s, x);
    mpu_sweep_close(o->sweep, x->give_up ? MPU_OK : r);
    return r;
}

static void fail(struct sweep_progress *x, mpu_result r) {
    if (x->worst == MPU_OK)
        x->worst = r;
}

static void show_table(const struct run_options *o, const struct run_stats *stats,
                       struct sweep_progress *x) {
    mpu_error *e = NULL;
    char *text = mpu_sweep_table(o->sweep, stats->format, &e);
    fail(x, text ? run_write_file(o, stats->file, text) : run_code(e));
    mpu_string_free(text);
}

static void show(const struct run_options *o, struct sweep_progress *x) {
    static const struct run_stats plain = {"text", "-"};
    if (o->stats.len == 0)
        show_table(o, &plain, x);
    for (size_t i = 0; i < o->stats.len; i++)
        show_table(o, &o->stats.data[i], x);
}

static bool interrupted(const struct run_options *o) {
    return o->config.interrupted && *o->config.interrupted;
}

mpu_result run_sweep(struct run_options *o, const mpu_program *p, const char *const *command,
                     size_t words) {
    struct sweep_progress x = {.worst = MPU_OK};
    mpu_sweep_set_command(o->sweep, command, words);
    mpu_result r = mpu_sweep_begin(o->sweep, p, &o->config, wants_json(o), NULL);
    if (r != MPU_OK)
        return r;
    for (uint64_t i = 0; i < mpu_sweep_count(o->sweep) && !x.give_up && !interrupted(o); i++) {
        fail(&x, run_on(o, p, i, &x));
        /* It was said for the first run. */
        mpu_messages_set_warning(o->messages, "no-uninitialized");
    }
    if (mpu_sweep_differs(o->sweep))
        fail(&x, MPU_DIFFERS);
    if (x.ran)
        show(o, &x);
    return x.worst;
}
