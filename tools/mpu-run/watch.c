/* SPDX-License-Identifier: MIT
 * What --trace, --log and --uops ask for. */
#include "tools/mpu-run/run.h"

#include <errno.h>
#include <string.h>

/* ---- options ---- */

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

bool run_log_option(const struct command_line *cl, const struct option_value *v,
                    struct run_options *o) {
    struct run_watching *w = &o->watching;
    const char *text = v->value, *colon = strchr(text, ':');
    if (w->log) {
        tool_usage_error(cl, "%s is given twice; it takes a list: insn,uop", v->name);
        return false;
    }
    if (colon && !colon[1]) {
        tool_usage_error(cl, "%s '%s' is not of the form insn,uop or insn,uop:FILE", v->name,
                         v->value);
        return false;
    }
    for (size_t n;; text += n + 1) {
        n = strcspn(text, ",:");
        if (!is_word(text, n, "insn") && !is_word(text, n, "uop")) {
            tool_usage_error(cl, "%s '%.*s' is none of: insn, uop", v->name, (int)n, text);
            return false;
        }
        if (text[n] != ',')
            break;
    }
    w->log = colon ? arena_strndup(&o->arena, v->value, (size_t)(colon - v->value)) : v->value;
    w->log_file = colon ? colon + 1 : NULL;
    return true;
}

bool run_uops_option(const struct command_line *cl, const struct option_value *v,
                     struct run_options *o) {
    const char *colon = strrchr(v->value, ':');
    if (!colon || colon == v->value || !colon[1]) {
        tool_usage_error(cl, "%s '%s' is not of the form FILE:FORMAT", v->name, v->value);
        return false;
    }
    const char *file = arena_strndup(&o->arena, v->value, (size_t)(colon - v->value));
    vec_push(&o->watching.uops, ((struct run_uops){file, colon + 1}));
    return true;
}

static bool wants_steps(const struct run_watching *w) {
    return w->log || w->uops.len;
}

bool run_watching_fits(const struct command_line *cl, const struct run_options *o) {
    const struct run_watching *w = &o->watching;
    bool lonely = (w->log_from || w->log_count) && !wants_steps(w);
    bool several = (w->trace || wants_steps(w)) && run_is_sweep(o);
    if (lonely)
        tool_usage_error(cl,
                         "--log-from and --log-count choose what --log and --uops show; neither is "
                         "given");
    if (several)
        tool_usage_error(cl, "--trace, --log and --uops watch one run at a time");
    return !lonely && !several;
}

/* ---- formats ---- */

static bool has_format(const mpu_target *t, const char *name) {
    const char *known;
    for (size_t i = 0; (known = mpu_target_uop_format(t, i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

static void unknown_format(const struct command_line *cl, const mpu_target *t, const char *name) {
    bool later = strcmp(name, "pypim") == 0;
    const char *known;
    struct str all = {0};
    for (size_t i = 0; (known = mpu_target_uop_format(t, i)); i++)
        str_printf(&all, "%s%s", i ? ", " : "", known);
    tool_usage_error(cl, "%s '%s' of --uops; there are: %s",
                     later ? "this release does not write format" : "unknown format", name,
                     str_text(&all));
    str_free(&all);
}

/* Whether the formats of --uops are known; golden, which has no micro-ops, is refused elsewhere. */
static bool formats_known(const struct run_options *o, const mpu_target *t) {
    bool golden = o->config.engine && strcmp(o->config.engine, "golden") == 0;
    for (size_t i = 0; !golden && mpu_target_uop_format(t, 0) && i < o->watching.uops.len; i++)
        if (!has_format(t, o->watching.uops.data[i].format)) {
            mpu_messages_flush(o->messages);
            unknown_format(o->cl, t, o->watching.uops.data[i].format);
            return false;
        }
    return true;
}

/* ---- a run ---- */

static int write_to(void *file, const void *bytes, size_t size) {
    return fwrite(bytes, 1, size, file) == size ? 0 : -1;
}

/* "-" and no path are `standard`. */
static mpu_result watch(mpu_session *s, mpu_watch_kind kind, const char *format, const char *path,
                        FILE *standard) {
    if (path && strcmp(path, "-") != 0)
        return mpu_session_watch(s, kind, format, path, NULL);
    return mpu_session_watch_with(s, kind, format, write_to, standard, NULL);
}

static mpu_result watch_steps(const struct run_options *o, mpu_session *s) {
    const struct run_watching *w = &o->watching;
    mpu_result r = mpu_session_watch_part(s, w->log_from, w->log_count, NULL);
    if (r == MPU_OK && w->log)
        r = watch(s, MPU_LOG, w->log, w->log_file, o->cl->printer.out);
    for (size_t i = 0; r == MPU_OK && i < w->uops.len; i++)
        r = watch(s, MPU_UOPS, w->uops.data[i].format, w->uops.data[i].file, o->stdout_file);
    return r;
}

mpu_result run_watch(const struct run_options *o, const mpu_target *t, mpu_session *s) {
    const struct run_watching *w = &o->watching;
    mpu_result r = formats_known(o, t) ? MPU_OK : MPU_USAGE;
    if (r == MPU_OK && wants_steps(w))
        r = watch_steps(o, s);
    return r == MPU_OK && w->trace ? watch(s, MPU_TRACE, NULL, w->trace, o->stdout_file) : r;
}

mpu_result run_watch_end(const struct run_options *o, mpu_session *s) {
    const struct run_watching *w = &o->watching;
    mpu_result r = mpu_session_watch_end(s, NULL);
    if (r != MPU_OK || !mpu_session_end(s))
        return r;
    if (w->trace)
        tool_say(o->cl, "wrote '%s'", w->trace);
    if (w->log)
        tool_say(o->cl, "wrote '%s'", w->log_file ? w->log_file : "-");
    for (size_t i = 0; i < w->uops.len; i++)
        tool_say(o->cl, "wrote '%s'", w->uops.data[i].file);
    return r;
}
