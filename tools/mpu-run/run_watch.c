/* SPDX-License-Identifier: MIT
 * What --trace, --log and --uops ask for. */
#include "tools/mpu-run/run.h"

#include <errno.h>
#include <string.h>

/* ---- options ---- */

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

bool run_log_option(const struct command_line *cl, const struct option_value *value,
                    struct run_options *options) {
    struct run_watching *w = &options->watching;
    const char *text = value->value, *colon = strchr(text, ':');
    if (w->log) {
        tool_usage_error(cl, "%s is given twice; it takes a list: insn,uop", value->name);
        return false;
    }
    if (colon && !colon[1]) {
        tool_usage_error(cl, "%s '%s' is not of the form insn,uop or insn,uop:FILE", value->name,
                         value->value);
        return false;
    }
    for (size_t n;; text += n + 1) {
        n = strcspn(text, ",:");
        if (text == value->value && is_word(text, n, "value") && text[n] != ',')
            break;
        if (!is_word(text, n, "insn") && !is_word(text, n, "uop")) {
            tool_usage_error(cl, "%s '%.*s' is none of: insn, uop, and value alone", value->name,
                             (int)n, text);
            return false;
        }
        if (text[n] != ',')
            break;
    }
    w->log = colon ? arena_strndup(&options->arena, value->value, (size_t)(colon - value->value))
                   : value->value;
    w->log_file = colon ? colon + 1 : NULL;
    return true;
}

bool run_series_option(const struct command_line *cl, const struct option_value *value,
                       struct run_options *options) {
    struct run_watching *w = &options->watching;
    size_t n = strcspn(value->value, ":");
    const char *file = value->value[n] ? value->value + n + 1 : "-";
    uint64_t cycles;
    if (!number_parse_u64(value->value, n, &cycles) || !cycles || !*file) {
        tool_usage_error(cl, "%s '%s' is not of the form N or N:FILE, N above 0", value->name,
                         value->value);
        return false;
    }
    if (w->every)
        tool_usage_error(cl, "%s is given twice", value->name);
    bool once = !w->every;
    w->every = arena_strndup(&options->arena, value->value, n);
    w->every_file = file;
    return once;
}

bool run_uops_option(const struct command_line *cl, const struct option_value *value,
                     struct run_options *options) {
    const char *colon = strrchr(value->value, ':');
    if (!colon || colon == value->value || !colon[1]) {
        tool_usage_error(cl, "%s '%s' is not of the form FILE:FORMAT", value->name, value->value);
        return false;
    }
    const char *file = arena_strndup(&options->arena, value->value, (size_t)(colon - value->value));
    vec_push(&options->watching.uops, ((struct run_uops){file, colon + 1}));
    return true;
}

static bool wants_steps(const struct run_watching *watching) {
    return watching->log || watching->uops.len;
}

static bool is_value_log(const struct run_watching *watching) {
    return watching->log && strcmp(watching->log, "value") == 0;
}

bool run_watching_fits(const struct command_line *cl, const struct run_options *options) {
    const struct run_watching *w = &options->watching;
    bool lonely = (w->log_from || w->log_count) && !wants_steps(w);
    bool of_nothing = w->log_of && !is_value_log(w);
    bool several = (w->trace || w->wear || w->every || wants_steps(w)) && run_is_sweep(options);
    if (lonely)
        tool_usage_error(cl,
                         "--log-from and --log-count choose what --log and --uops show; neither is "
                         "given");
    if (of_nothing)
        tool_usage_error(cl, "--log-of names the elements of --log=value, which is not given");
    if (several)
        tool_usage_error(cl, "--trace, --wear, --stats-every, --log and --uops watch one run at a "
                             "time");
    return !lonely && !of_nothing && !several;
}

/* ---- formats ---- */

static bool has_format(const mpu_target *target, const char *name) {
    const char *known;
    for (size_t i = 0; (known = mpu_target_uop_format(target, i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

static void unknown_format(const struct command_line *cl, const mpu_target *target,
                           const char *name) {
    const char *known;
    struct str all = {0};
    for (size_t i = 0; (known = mpu_target_uop_format(target, i)); i++)
        str_printf(&all, "%s%s", i ? ", " : "", known);
    tool_usage_error(cl, "unknown format '%s' of --uops; there are: %s", name, str_text(&all));
    str_free(&all);
}

/* Whether the formats of --uops are known; golden, which has no micro-ops, is refused elsewhere. */
static bool formats_known(const struct run_options *options, const mpu_target *target) {
    bool golden = options->config.engine && strcmp(options->config.engine, "golden") == 0;
    for (size_t i = 0;
         !golden && mpu_target_uop_format(target, 0) && i < options->watching.uops.len; i++)
        if (!has_format(target, options->watching.uops.data[i].format)) {
            mpu_messages_flush(options->messages);
            unknown_format(options->cl, target, options->watching.uops.data[i].format);
            return false;
        }
    return true;
}

/* ---- a run ---- */

static int write_to(void *file, const void *bytes, size_t size) {
    return fwrite(bytes, 1, size, file) == size ? 0 : -1;
}

/* "-" and no path are `standard`. */
static mpu_result watch(mpu_session *session, mpu_watch_kind kind, const char *format,
                        const char *path, FILE *standard) {
    if (path && strcmp(path, "-") != 0)
        return mpu_session_watch(session, kind, format, path, NULL);
    return mpu_session_watch_with(session, kind, format, write_to, standard, NULL);
}

static mpu_result watch_steps(const struct run_options *options, mpu_session *session) {
    const struct run_watching *w = &options->watching;
    mpu_result r = mpu_session_watch_part(session, w->log_from, w->log_count, NULL);
    if (r == MPU_OK && is_value_log(w))
        r = watch(session, MPU_VALUES, w->log_of, w->log_file, options->cl->printer.out);
    else if (r == MPU_OK && w->log)
        r = watch(session, MPU_LOG, w->log, w->log_file, options->cl->printer.out);
    for (size_t i = 0; r == MPU_OK && i < w->uops.len; i++)
        r = watch(session, MPU_UOPS, w->uops.data[i].format, w->uops.data[i].file,
                  options->stdout_file);
    return r;
}

mpu_result run_watch(const struct run_options *options, const mpu_target *target,
                     mpu_session *session) {
    const struct run_watching *w = &options->watching;
    mpu_result r = formats_known(options, target) ? MPU_OK : MPU_USAGE;
    if (r == MPU_OK && wants_steps(w))
        r = watch_steps(options, session);
    if (r == MPU_OK && w->every)
        r = watch(session, MPU_SERIES, w->every, w->every_file, options->stdout_file);
    if (r == MPU_OK && w->wear)
        r = watch(session, MPU_WEAR, NULL, w->wear, options->stdout_file);
    return r == MPU_OK && w->trace ? watch(session, MPU_TRACE, NULL, w->trace, options->stdout_file)
                                   : r;
}

mpu_result run_watch_end(const struct run_options *options, mpu_session *session) {
    const struct run_watching *w = &options->watching;
    mpu_result r = mpu_session_watch_end(session, NULL);
    if (r != MPU_OK || !mpu_session_end(session))
        return r;
    if (w->trace)
        tool_say(options->cl, "wrote '%s'", w->trace);
    if (w->wear)
        tool_say(options->cl, "wrote '%s'", w->wear);
    if (w->every)
        tool_say(options->cl, "wrote '%s'", w->every_file);
    if (w->log)
        tool_say(options->cl, "wrote '%s'", w->log_file ? w->log_file : "-");
    for (size_t i = 0; i < w->uops.len; i++)
        tool_say(options->cl, "wrote '%s'", w->uops.data[i].file);
    return r;
}
