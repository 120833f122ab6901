/* SPDX-License-Identifier: MIT
 * Traces, logs and streams of micro-ops: who watches a run, and where it goes. */
#include "runtime/internal.h"

#include "emu/observe/log.h"
#include "emu/observe/trace.h"
#include "emu/observe/uops.h"
#include "machines/format.h"
#include "support/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct watch_output {
    char *path; /* NULL: a function */
    struct file_stream *file;
    struct uops *uops; /* what writes into it, or NULL */
};

/* Observers of one run.  Each is called by the control path alone, so that where there is none the
 * control path has nothing to ask. */
struct watching {
    struct text_names names;
    struct watch *watch; /* logs and micro-ops, or NULL */
    struct trace *trace; /* or NULL */
    struct log *log;     /* or NULL */
    VEC(struct watch_output) outputs;
    bool ran; /* there is something to write */
};

/* What is asked for. */
struct watch_request {
    mpu_watch_kind kind;
    bool insns, uops; /* of MPU_LOG */
    unsigned format;  /* of MPU_UOPS: index into machine_formats */
    const char *path; /* or */
    mpu_write_function *write;
    void *context;
};

/* ---- what there is to watch ---- */

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static mpu_result read_log_format(const char *format, struct watch_request *q, struct diag *d) {
    for (const char *text = format ? format : "";; text++) {
        size_t n = strcspn(text, ",");
        bool insn = is_word(text, n, "insn"), uop = is_word(text, n, "uop");
        q->insns |= insn;
        q->uops |= uop;
        if (!insn && !uop) {
            diag_error(d, NO_SPAN, "a log of '%.*s': it is one of insn, uop", (int)n, text);
            return MPU_USAGE;
        }
        text += n;
        if (!*text)
            return MPU_OK;
    }
}

static mpu_result unknown_format(const struct machine_format *all, const char *name,
                                 struct diag *d) {
    struct str names = {0};
    for (unsigned i = 0; all && all[i].name; i++)
        str_printf(&names, "%s%s", i ? ", " : "", all[i].name);
    diag_error(d, NO_SPAN, "unknown format '%s' of micro-ops; there are: %s", name,
               str_text(&names));
    str_free(&names);
    return MPU_USAGE;
}

static mpu_result read_uop_format(const struct target *t, const char *format,
                                  struct watch_request *q, struct diag *d) {
    const struct machine_format *all = machine_formats(t), *f = all;
    const char *name = format ? format : "";
    while (f && f->name && strcmp(f->name, name) != 0)
        f++;
    if (!f || !f->name)
        return unknown_format(all, name, d);
    const char *why = f->refuses ? f->refuses(t) : NULL;
    q->format = (unsigned)(f - all);
    if (!why)
        return MPU_OK;
    diag_error(d, NO_SPAN, "--uops cannot write format '%s': target '%s' %s", name, t->name, why);
    return MPU_USAGE;
}

static mpu_result golden_shows(bool uops, struct diag *d) {
    diag_error(d, NO_SPAN, "engine golden %s",
               uops ? "executes no micro-ops that --uops or --log=uop show"
                    : "knows no times that --trace shows");
    return MPU_USAGE;
}

/* What the engine or the target has nothing to show of is refused. */
static mpu_result read_request(const mpu_session *s, const char *format, struct watch_request *q,
                               struct diag *d) {
    mpu_result r = MPU_OK;
    if (q->kind == MPU_LOG)
        r = read_log_format(format, q, d);
    bool uops = q->uops || q->kind == MPU_UOPS;
    if (r == MPU_OK && s->golden && (uops || q->kind == MPU_TRACE))
        return golden_shows(uops, d);
    return r == MPU_OK && q->kind == MPU_UOPS ? read_uop_format(s->target->t, format, q, d) : r;
}

static mpu_result asked_twice(const struct watching *x, mpu_watch_kind kind, struct diag *d) {
    if (!(kind == MPU_TRACE && x->trace) && !(kind == MPU_LOG && x->log))
        return MPU_OK;
    diag_error(d, NO_SPAN, "the run has a %s already", kind == MPU_LOG ? "log" : "trace");
    return MPU_USAGE;
}

/* ---- observers ---- */

static struct watching *open_watching(mpu_session *s) {
    if (s->watching)
        return s->watching;
    s->watching = xcalloc(1, sizeof *s->watching);
    observe_names_open(&s->watching->names, s->object, s->package);
    return s->watching;
}

/* NULL after reporting. */
static struct watch_output *open_output(struct watching *x, const struct watch_request *q,
                                        struct diag *d) {
    struct watch_output f = {.file = q->path ? file_stream_open(q->path)
                                             : file_stream_call(q->write, q->context)};
    if (!f.file) {
        diag_error(d, NO_SPAN, "cannot write '%s': %s", q->path, strerror(errno));
        return NULL;
    }
    f.path = q->path ? xstrdup(q->path) : NULL;
    vec_push(&x->outputs, f);
    return &vec_last(&x->outputs);
}

static void watch_steps(mpu_session *s, struct watching *x, struct listener l) {
    if (!x->watch) {
        x->watch = observe_watch_new(s->watch_first ? s->watch_first : 1, s->watch_count);
        observe_watch_machine(x->watch, s->dp);
        s->control_config.step = observe_watch_step;
        s->control_config.step_context = x->watch;
    }
    observe_watch_add(x->watch, l);
}

static void begin_trace(mpu_session *s, struct watching *x, struct watch_output *f) {
    x->trace = observe_trace_new(s->object, s->package, s->target->t->name, f->file);
    s->control_config.span = observe_trace_span;
    s->control_config.span_context = x->trace;
}

static void begin_watching(mpu_session *s, struct watching *x, const struct watch_request *q,
                           struct watch_output *f) {
    const struct target *t = s->target->t;
    switch (q->kind) {
    case MPU_LOG:
        x->log = observe_log_new(&x->names, t, s->dp, f->file);
        watch_steps(s, x, observe_log_listener(x->log, q->insns, q->uops));
        return;
    case MPU_UOPS:
        f->uops = observe_uops_new(q->format, &x->names, t, s->dp, f->file);
        watch_steps(s, x, observe_uops_listener(f->uops));
        return;
    default:
        begin_trace(s, x, f);
    }
}

static mpu_result watch(mpu_session *s, const char *format, struct watch_request *q,
                        struct diag *d) {
    mpu_result r = session_prepare(s, d);
    if (r == MPU_OK)
        r = watching_begin(s, d);
    if (r == MPU_OK)
        r = read_request(s, format, q, d);
    if (r == MPU_OK && s->watching)
        r = asked_twice(s->watching, q->kind, d);
    if (r != MPU_OK)
        return r;
    struct watching *x = open_watching(s);
    struct watch_output *f = open_output(x, q, d);
    if (!f)
        return MPU_FILE;
    begin_watching(s, x, q, f);
    return MPU_OK;
}

/* ---- the end ---- */

/* The file appears if the program ran at all. */
static mpu_result close_output(struct watch_output *f, bool ran, struct diag *d) {
    mpu_result r = MPU_OK;
    observe_uops_free(f->uops);
    if (!ran) {
        file_stream_drop(f->file);
    } else if (!file_stream_close(f->file)) {
        diag_error(d, NO_SPAN, "cannot write '%s': %s", f->path ? f->path : "-", strerror(errno));
        r = MPU_FILE;
    }
    free(f->path);
    return r;
}

static mpu_result end_watching(mpu_session *s, struct diag *d) {
    struct watching *x = s->watching;
    mpu_result worst = MPU_OK;
    if (!x)
        return MPU_OK;
    s->watching = NULL;
    s->control_config.span = NULL;
    s->control_config.step = NULL;
    if (x->watch)
        observe_watch_end(x->watch);
    if (x->trace)
        observe_trace_end(x->trace);
    for (size_t i = 0; i < x->outputs.len; i++) {
        mpu_result r = close_output(&x->outputs.data[i], x->ran, d);
        worst = worst == MPU_OK ? r : worst;
    }
    observe_watch_free(x->watch);
    observe_log_free(x->log);
    observe_names_close(&x->names);
    vec_free(&x->outputs);
    free(x);
    return worst;
}

mpu_result watching_begin(mpu_session *s, struct diag *d) {
    return s->watching && s->watching->ran ? end_watching(s, d) : MPU_OK;
}

void watching_ran(mpu_session *s) {
    if (s->watching)
        s->watching->ran = true;
}

void watching_close(mpu_session *s) {
    struct diag *quiet = s->watching ? diag_new(NULL, NULL) : NULL;
    end_watching(s, quiet);
    diag_free(quiet);
}

/* ---- the public functions ---- */

mpu_result mpu_session_watch_part(mpu_session *s, uint64_t first, uint64_t count,
                                  mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    if (s->watching && s->watching->watch) {
        diag_error(c.d, NO_SPAN, "the part of a run that is watched is said before the watching");
        return call_end(&c, MPU_USAGE);
    }
    s->watch_first = first;
    s->watch_count = count;
    return call_end(&c, MPU_OK);
}

static mpu_result watch_call(mpu_session *s, const char *format, struct watch_request q,
                             mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, watch(s, format, &q, c.d));
}

mpu_result mpu_session_watch(mpu_session *s, mpu_watch_kind kind, const char *format,
                             const char *path, mpu_error **error) {
    return watch_call(s, format, (struct watch_request){.kind = kind, .path = path}, error);
}

mpu_result mpu_session_watch_with(mpu_session *s, mpu_watch_kind kind, const char *format,
                                  mpu_write_function *write, void *context, mpu_error **error) {
    const struct watch_request q = {.kind = kind, .write = write, .context = context};
    return watch_call(s, format, q, error);
}

mpu_result mpu_session_watch_end(mpu_session *s, mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, end_watching(s, c.d));
}
