/* SPDX-License-Identifier: MIT
 * One run: what is wanted, sizes and inputs, the machine, results. */
#include "tools/mpu-run/run.h"

#include <string.h>

static bool paths_known(const struct run_options *options) {
    for (size_t i = 0; i < options->out.len; i++)
        if (strcmp(options->out.data[i].value, "-") != 0 &&
            mpu_data_check_path(options->out.data[i].value, options->messages, NULL) != MPU_OK)
            return false;
    return true;
}

static bool names_known(mpu_session *session, const struct run_item *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (mpu_session_want(session, items[i].name, NULL) != MPU_OK)
            return false;
    return true;
}

/* Names are checked before a run that may be long; outputs and what the command line names is what
 * anybody gets. */
static bool say_what_is_wanted(const struct run_options *options, mpu_session *session) {
    mpu_session_want(session, NULL, NULL);
    return names_known(session, options->out.data, options->out.len) &&
           names_known(session, options->print.data, options->print.len) &&
           names_known(session, options->expect.data, options->expect.len) && paths_known(options);
}

static mpu_result bind_sizes(const struct run_options *options, mpu_session *session) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < options->size_axes.len; i++) {
        const struct run_axis *x = &options->size_axes.data[i];
        uint64_t value = 0;
        number_parse_u64(x->values[0], strlen(x->values[0]), &value);
        r = mpu_session_bind_size(session, x->name, value, NULL);
    }
    return r;
}

static mpu_result keep_resident(const struct run_options *options, mpu_session *session) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < options->residents.len; i++)
        r = mpu_session_set_resident(session, options->residents.data[i], NULL);
    return r;
}

mpu_result run_session_fill(const struct run_options *options, const mpu_program *program,
                            bool in_sweep, mpu_session *session) {
    if (!say_what_is_wanted(options, session))
        return MPU_USAGE;
    mpu_result r = keep_resident(options, session);
    if (r == MPU_OK)
        r = in_sweep ? mpu_sweep_bind_sizes(options->sweep, NULL) : bind_sizes(options, session);
    return r == MPU_OK ? run_inputs(options, program, session) : r;
}

static uint64_t placed(const mpu_session *session, const char *name) {
    uint64_t value = 0;
    mpu_session_placed(session, name, &value);
    return value;
}

static const char *ending(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* -v: where the program lies. */
static void say_package(const struct run_options *options, const mpu_target *target,
                        const mpu_session *session) {
    uint64_t mpus = placed(session, "mpus"), vrfs = placed(session, "vrfs"),
             fixed = placed(session, "fixed_vrfs");
    uint64_t rounds = placed(session, "rounds");
    if (!mpus) /* a pipeline, of which nothing is placed yet */
        return;
    tool_say(options->cl,
             "packaged for target '%s': %u MPU%s, %zu VRF%s of groups, %zu fixed VRF%s",
             mpu_target_name(target), (unsigned)mpus, ending(mpus), (size_t)vrfs, ending(vrfs),
             (size_t)fixed, ending(fixed));
    if (rounds > 1)
        tool_say(options->cl, "the program runs in %llu rounds", (unsigned long long)rounds);
}

/* -v: of engine fused, by what it executes runs, where it was named or lacks something. */
static void say_engine(const struct run_options *options, const mpu_session *session) {
    uint64_t bits;
    if (mpu_session_placed(session, "code_bits", &bits) != MPU_OK)
        return;
    if (bits && options->config.engine)
        tool_say(options->cl, "engine fused: code with vectors of %llu bits",
                 (unsigned long long)bits);
    else if (!bits)
        tool_say(options->cl, "engine fused: composed steps; there is no code, for want of AVX2 or "
                              "of pages that may be executed");
}

/* A signal that came in between has stopped the program. */
static void listen_to_signals(const struct run_options *options, bool running) {
    if (options->signals)
        options->signals->running = running;
}

mpu_result run_session_filled(struct run_options *options, const mpu_target *target,
                              mpu_session *session) {
    mpu_result r = mpu_session_prepare(session, NULL), files;
    if (r != MPU_OK)
        return r;
    say_package(options, target, session);
    say_engine(options, session);
    r = run_watch(options, target, session);
    if (r == MPU_OK)
        r = run_page_watch(options, session);
    if (r != MPU_OK)
        return r;
    listen_to_signals(options, true);
    r = mpu_session_run(session, NULL);
    listen_to_signals(options, false);
    run_clear_line(&options->console);
    files = run_watch_end(options, session);
    return r == MPU_OK ? files : r;
}

mpu_result run_results(const struct run_options *options, mpu_session *session) {
    mpu_result r = run_outputs(options, session);
    if (r == MPU_OK)
        r = run_prints(options, session);
    return r == MPU_OK ? run_expects(options, session) : r;
}
