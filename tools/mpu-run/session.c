/* SPDX-License-Identifier: MIT
 * One run: what is wanted, sizes and inputs, the machine, results. */
#include "tools/mpu-run/run.h"

#include <string.h>

static bool paths_known(const struct run_options *o) {
    for (size_t i = 0; i < o->out.len; i++)
        if (strcmp(o->out.data[i].value, "-") != 0 &&
            mpu_data_check_path(o->out.data[i].value, o->messages, NULL) != MPU_OK)
            return false;
    return true;
}

static bool names_known(mpu_session *s, const struct run_item *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (mpu_session_want(s, items[i].name, NULL) != MPU_OK)
            return false;
    return true;
}

/* Names are checked before a run that may be long; outputs and what the command line names is what
 * anybody gets. */
static bool say_what_is_wanted(const struct run_options *o, mpu_session *s) {
    mpu_session_want(s, NULL, NULL);
    return names_known(s, o->out.data, o->out.len) && names_known(s, o->print.data, o->print.len) &&
           names_known(s, o->expect.data, o->expect.len) && paths_known(o);
}

static mpu_result bind_sizes(const struct run_options *o, mpu_session *s) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->size_axes.len; i++) {
        const struct run_axis *x = &o->size_axes.data[i];
        uint64_t value = 0;
        number_parse_u64(x->values[0], strlen(x->values[0]), &value);
        r = mpu_session_bind_size(s, x->name, value, NULL);
    }
    return r;
}

mpu_result run_session_fill(const struct run_options *o, const mpu_program *p, bool in_sweep,
                            mpu_session *s) {
    if (!say_what_is_wanted(o, s))
        return MPU_USAGE;
    mpu_result r = in_sweep ? mpu_sweep_bind_sizes(o->sweep, NULL) : bind_sizes(o, s);
    return r == MPU_OK ? run_inputs(o, p, s) : r;
}

static uint64_t placed(const mpu_session *s, const char *name) {
    uint64_t value = 0;
    mpu_session_placed(s, name, &value);
    return value;
}

static const char *ending(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* -v: where the program lies. */
static void say_package(const struct run_options *o, const mpu_target *t, const mpu_session *s) {
    uint64_t mpus = placed(s, "mpus"), vrfs = placed(s, "vrfs"), fixed = placed(s, "fixed_vrfs");
    uint64_t rounds = placed(s, "rounds");
    tool_say(o->cl, "packaged for target '%s': %u MPU%s, %zu VRF%s of groups, %zu fixed VRF%s",
             mpu_target_name(t), (unsigned)mpus, ending(mpus), (size_t)vrfs, ending(vrfs),
             (size_t)fixed, ending(fixed));
    if (rounds > 1)
        tool_say(o->cl, "the program runs in %llu rounds", (unsigned long long)rounds);
}

mpu_result run_session_filled(struct run_options *o, const mpu_target *t, mpu_session *s) {
    mpu_result r = mpu_session_prepare(s, NULL), files;
    if (r != MPU_OK)
        return r;
    say_package(o, t, s);
    r = run_watch(o, t, s);
    if (r != MPU_OK)
        return r;
    r = mpu_session_run(s, NULL);
    run_clear_line(&o->console);
    files = run_watch_end(o, s);
    return r == MPU_OK ? files : r;
}

mpu_result run_results(const struct run_options *o, mpu_session *s) {
    mpu_result r = run_outputs(o, s);
    if (r == MPU_OK)
        r = run_prints(o, s);
    return r == MPU_OK ? run_expects(o, s) : r;
}
