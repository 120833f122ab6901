/* SPDX-License-Identifier: MIT
 * What --trace, --log and --uops ask for: observers of a run, and their files. */
#include "emu/observe/log.h"
#include "emu/observe/trace.h"
#include "machines/format.h"
#include "runtime/run/run.h"

#include "support/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static bool log_kind(const struct command_line *cl, const struct option_value *v, const char *text,
                     size_t n, struct run_watching *w) {
    bool insn = is_word(text, n, "insn"), uop = is_word(text, n, "uop");
    w->log_insns |= insn;
    w->log_uops |= uop;
    if (!insn && !uop)
        tool_usage_error(cl, "%s '%.*s' is none of: insn, uop", v->name, (int)n, text);
    return insn || uop;
}

bool run_log_option(const struct command_line *cl, const struct option_value *v,
                    struct run_options *o) {
    struct run_watching *w = &o->watching;
    const char *text = v->value, *colon = strchr(text, ':');
    if (w->log_insns || w->log_uops) {
        tool_usage_error(cl, "%s is given twice; it takes a list: insn,uop", v->name);
        return false;
    }
    if (colon && !colon[1]) {
        tool_usage_error(cl, "%s '%s' is not of the form insn,uop or insn,uop:FILE", v->name,
                         v->value);
        return false;
    }
    for (size_t n; (n = strcspn(text, ",:")), log_kind(cl, v, text, n, w); text += n + 1)
        if (text[n] != ',') {
            w->log_file = colon ? colon + 1 : NULL;
            return true;
        }
    return false;
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

static bool wants_uops(const struct run_watching *w) {
    return w->log_uops || w->uops.len;
}

static bool wants_steps(const struct run_watching *w) {
    return w->log_insns || wants_uops(w);
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

/* ---- files ---- */

/* NULL after reporting.  "-" is `out`. */
static struct run_output *open_output(struct run_observers *x, const char *path, struct diag *d,
                                      FILE *out) {
    struct run_output *f = &x->outputs[x->output_count];
    *f = (struct run_output){.path = path};
    f->file = strcmp(path, "-") == 0 ? file_stream_over(out) : file_stream_open(path);
    if (!f->file) {
        diag_error(d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    x->output_count++;
    return f;
}

/* The file appears if the program ran at all. */
static mpu_result close_output(const struct run_options *o, struct run_output *f, bool ran,
                               struct diag *d) {
    observe_uops_free(f->uops);
    if (!ran) {
        file_stream_drop(f->file);
        return MPU_OK;
    }
    if (file_stream_close(f->file)) {
        tool_say(o->cl, "wrote '%s'", f->path);
        return MPU_OK;
    }
    diag_error(d, NO_SPAN, "cannot write '%s': %s", f->path, strerror(errno));
    return MPU_FILE;
}

/* ---- observers ---- */

static bool open_trace(const struct run_options *o, mpu_session *s, struct run_observers *x,
                       struct diag *d, FILE *out) {
    struct run_output *f = open_output(x, o->watching.trace, d, out);
    if (!f)
        return false;
    x->trace = observe_trace_new(s->object, s->package, s->target->t->name, f->file);
    s->control_config.span = observe_trace_span;
    s->control_config.span_context = x->trace;
    return true;
}

static bool open_log(const struct run_options *o, mpu_session *s, struct run_observers *x,
                     struct diag *d) {
    const struct run_watching *w = &o->watching;
    FILE *messages = o->cl->printer.out;
    struct run_output *f = open_output(x, w->log_file ? w->log_file : "-", d, messages);
    if (!f)
        return false;
    x->log = observe_log_new(&x->names, s->target->t, s->dp, f->file);
    observe_watch_add(x->watch, observe_log_listener(x->log, w->log_insns, w->log_uops));
    return true;
}

/* Which of these formats has the name: the place behind the last if none has. */
static unsigned find_format(const struct machine_format *formats, const char *name) {
    unsigned i = 0;
    while (formats[i].name && strcmp(formats[i].name, name) != 0)
        i++;
    return i;
}

static bool open_uops(const struct run_uops *u, mpu_session *s, struct run_observers *x,
                      struct diag *d, FILE *out) {
    struct run_output *f = open_output(x, u->file, d, out);
    if (!f)
        return false;
    const struct target *t = s->target->t;
    unsigned format = find_format(machine_formats(t), u->format);
    f->uops = observe_uops_new(format, &x->names, t, s->dp, f->file);
    observe_watch_add(x->watch, observe_uops_listener(f->uops));
    return true;
}

static bool open_steps(const struct run_options *o, mpu_session *s, struct run_observers *x,
                       struct diag *d, FILE *out) {
    const struct run_watching *w = &o->watching;
    bool fine = true;
    x->watch = observe_watch_new(w->log_from ? w->log_from : 1, w->log_count);
    observe_watch_machine(x->watch, s->dp);
    if (w->log_insns || w->log_uops)
        fine = open_log(o, s, x, d);
    for (size_t i = 0; fine && i < w->uops.len; i++)
        fine = open_uops(&w->uops.data[i], s, x, d, out);
    s->control_config.step = observe_watch_step;
    s->control_config.step_context = x->watch;
    return fine;
}

static void unknown_format(const struct command_line *cl, const struct machine_format *formats,
                           const char *name) {
    bool later = strcmp(name, "pypim") == 0;
    struct str all = {0};
    for (unsigned i = 0; formats[i].name; i++)
        str_printf(&all, "%s%s", i ? ", " : "", formats[i].name);
    tool_usage_error(cl, "%s '%s' of --uops; there are: %s",
                     later ? "this release does not write format" : "unknown format", name,
                     str_text(&all));
    str_free(&all);
}

/* True after reporting that the target's machine does not write micro-ops so. */
static bool format_refused(const struct command_line *cl, const struct target *t, const char *name,
                           struct diag *d) {
    const struct machine_format *all = machine_formats(t), *f = all + find_format(all, name);
    const char *why = f->refuses ? f->refuses(t) : NULL;
    if (!f->name)
        unknown_format(cl, all, name);
    else if (why)
        diag_error(d, NO_SPAN, "--uops cannot write format '%s': target '%s' %s", name, t->name,
                   why);
    return !f->name || why;
}

/* True after reporting that the engine or the target has nothing to show. */
static bool refused(const struct command_line *cl, const struct run_watching *w,
                    const mpu_session *s, struct diag *d) {
    bool refuses = false;
    bool no_uops = wants_uops(w) && s->golden, no_times = w->trace && s->golden;
    if (no_uops)
        diag_error(d, NO_SPAN, "engine golden executes no micro-ops that --uops or --log=uop show");
    else if (no_times)
        diag_error(d, NO_SPAN, "engine golden knows no times that --trace shows");
    for (size_t i = 0; !no_uops && !no_times && !refuses && i < w->uops.len; i++)
        refuses = format_refused(cl, s->target->t, w->uops.data[i].format, d);
    return no_uops || no_times || refuses;
}

mpu_result run_observers_open(const struct run_options *o, mpu_session *s, struct run_observers *x,
                              struct diag *d, FILE *out) {
    const struct run_watching *w = &o->watching;
    bool fine = true;
    if (refused(o->cl, w, s, d))
        return MPU_USAGE;
    *x = (struct run_observers){.outputs = xcalloc(w->uops.len + 2, sizeof *x->outputs)};
    observe_names_open(&x->names, s->object, s->package);
    if (w->trace)
        fine = open_trace(o, s, x, d, out);
    if (fine && wants_steps(w))
        fine = open_steps(o, s, x, d, out);
    if (!fine)
        run_observers_close(o, s, x, d);
    return fine ? MPU_OK : MPU_FILE;
}

mpu_result run_observers_close(const struct run_options *o, mpu_session *s, struct run_observers *x,
                               struct diag *d) {
    mpu_result worst = MPU_OK;
    s->control_config.span = NULL;
    s->control_config.step = NULL;
    if (x->watch)
        observe_watch_end(x->watch);
    if (x->trace)
        observe_trace_end(x->trace);
    for (size_t i = 0; i < x->output_count; i++) {
        mpu_result r = close_output(o, &x->outputs[i], s->control, d);
        worst = worst == MPU_OK ? r : worst;
    }
    observe_watch_free(x->watch);
    observe_log_free(x->log);
    observe_names_close(&x->names);
    free(x->outputs);
    return worst;
}
