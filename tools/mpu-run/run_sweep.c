/* SPDX-License-Identifier: MIT
 * All runs of a sweep, and its table. */
#include "tools/mpu-run/run.h"

#include <string.h>

static bool wants_json(const struct run_options *options) {
    for (size_t i = 0; i < options->stats.len; i++)
        if (strcmp(options->stats.data[i].format, "json") == 0)
            return true;
    return false;
}

/* How far the runs are. */
struct sweep_progress {
    mpu_result worst; /* the first failure */
    bool give_up;     /* inputs are the same everywhere: these were wrong */
    bool ran;         /* the program was started in some run */
    struct run_compared compared;
};

/* Files, prints and expectations are those of the first run: the others are compared with it. */
static mpu_result use_session(struct run_options *options, const mpu_program *program,
                              mpu_session *session, struct sweep_progress *progress) {
    const mpu_target *t = mpu_sweep_target(options->sweep);
    bool first = mpu_sweep_done(options->sweep) == 0;
    mpu_result r = run_session_fill(options, program, true, session);
    progress->give_up = r != MPU_OK;
    if (r == MPU_OK)
        r = run_session_filled(options, t, session);
    progress->give_up |= r == MPU_USAGE;
    r = mpu_sweep_take(options->sweep, r, NULL);
    progress->ran |= mpu_session_end(session) != NULL;
    if (r == MPU_OK)
        run_compared_add(options, session, first, &progress->compared);
    return r == MPU_OK && first ? run_results(options, session) : r;
}

static mpu_result run_on(struct run_options *options, const mpu_program *program, uint64_t number,
                         struct sweep_progress *progress) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_sweep_open(options->sweep, number, &e);
    if (!s)
        return run_code(e);
    mpu_result r = use_session(options, program, s, progress);
    mpu_sweep_close(options->sweep, progress->give_up ? MPU_OK : r);
    return r;
}

static void fail(struct sweep_progress *progress, mpu_result result) {
    if (progress->worst == MPU_OK)
        progress->worst = result;
}

static void show_table(const struct run_options *options, const struct run_stats *stats,
                       struct sweep_progress *progress) {
    mpu_error *e = NULL;
    char *text = mpu_sweep_table(options->sweep, stats->format, &e);
    fail(progress, text ? run_write_file(options, stats->file, text) : run_code(e));
    mpu_string_free(text);
}

static void show_page(const struct run_options *options, struct sweep_progress *progress) {
    mpu_error *e = NULL;
    if (!run_wants_page(options))
        return;
    char *text = mpu_sweep_table(options->sweep, "json", &e);
    fail(progress, text ? run_page_write(options, text) : run_code(e));
    mpu_string_free(text);
}

static void show(const struct run_options *options, struct sweep_progress *progress) {
    static const struct run_stats plain = {"text", "-"};
    if (options->pages.base)
        fail(progress, mpu_sweep_set_base(options->sweep, options->pages.base, NULL));
    if (options->stats.len == 0)
        show_table(options, &plain, progress);
    for (size_t i = 0; i < options->stats.len; i++)
        show_table(options, &options->stats.data[i], progress);
    show_page(options, progress);
}

static bool interrupted(const struct run_options *options) {
    return options->config.interrupted && *options->config.interrupted;
}

mpu_result run_sweep(struct run_options *options, const mpu_program *program,
                     const char *const *command, size_t words) {
    struct sweep_progress x = {.worst = MPU_OK};
    mpu_sweep_set_command(options->sweep, command, words);
    mpu_result r = mpu_sweep_begin(options->sweep, program, &options->config,
                                   wants_json(options) || run_page_needs_whole(options), NULL);
    if (r != MPU_OK)
        return r;
    for (uint64_t i = 0; i < mpu_sweep_count(options->sweep) && !x.give_up && !interrupted(options);
         i++)
        fail(&x, run_on(options, program, i, &x));
    if (mpu_sweep_differs(options->sweep))
        fail(&x, MPU_DIFFERS);
    if (x.ran)
        show(options, &x);
    if (x.worst == MPU_OK && options->stats.len)
        run_say_compared(options, program, &x.compared);
    str_free(&x.compared.expected);
    return x.worst;
}
