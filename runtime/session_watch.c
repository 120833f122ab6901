/* SPDX-License-Identifier: MIT
 * Traces, logs, series and streams of micro-ops: what is written of a run, and where. */
#include "runtime/place.h"
#include "runtime/public.h"
#include "runtime/session.h"

#include "emu/observe/log.h"
#include "emu/observe/series.h"
#include "emu/observe/timeline.h"
#include "emu/observe/trace.h"
#include "emu/observe/uops.h"
#include "emu/observe/values.h"
#include "emu/report/report.h"
#include "machines/format.h"
#include "support/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct watch_output {
    char *path; /* NULL: a function */
    struct file_stream *file;
    struct uops *uops; /* what writes into it, or NULL */
    bool by_machine;   /* the machine does */
    bool wear;         /* it is written when the run is over, */
    bool one;          /* of one VRF */
};

/* Observers of one run.  Each is called by the control path alone, so that where there is none the
 * control path has nothing to ask. */
struct session_watching {
    struct text_names names;
    struct watch *watch;               /* logs and micro-ops, or NULL */
    struct trace *trace;               /* or NULL */
    struct series *series;             /* or NULL */
    struct timeline *timeline;         /* or NULL */
    struct file_stream *timeline_file; /* where it goes */
    struct log *log;                   /* or NULL */
    struct value_log *values;          /* or NULL */
    bool uops;                         /* somebody is told of micro-ops */
    VEC(struct watch_output) outputs;
    bool ran; /* there is something to write */
};

/* What is asked for. */
struct watch_request {
    mpu_watch_kind kind;
    bool insns, uops;          /* of MPU_LOG */
    unsigned format;           /* of MPU_UOPS: index into machine_formats */
    uint64_t cycles;           /* of MPU_SERIES: of an interval */
    bool one;                  /* of MPU_WEAR: VRF */
    struct value_spots *spots; /* of MPU_VALUES; the caller's room for them */
    const char *path;          /* or */
    mpu_write_function *write;
    void *context;
};

/* ---- what there is to watch ---- */

static bool is_word(const char *text, size_t n, const char *word) {
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static mpu_result read_log_format(const char *format, struct watch_request *request,
                                  struct diag *diag) {
    for (const char *text = format ? format : "";; text++) {
        size_t n = strcspn(text, ",");
        bool insn = is_word(text, n, "insn"), uop = is_word(text, n, "uop");
        request->insns |= insn;
        request->uops |= uop;
        if (!insn && !uop) {
            diag_error(diag, NO_SPAN, "a log of '%.*s': it is one of insn, uop", (int)n, text);
            return MPU_USAGE;
        }
        text += n;
        if (!*text)
            return MPU_OK;
    }
}

static mpu_result unknown_format(const struct machine_format *all, const char *name,
                                 struct diag *diag) {
    struct str names = {0};
    for (unsigned i = 0; all && all[i].name; i++)
        str_printf(&names, "%s%s", i ? ", " : "", all[i].name);
    diag_error(diag, NO_SPAN, "unknown format '%s' of micro-ops; there are: %s", name,
               str_text(&names));
    str_free(&names);
    return MPU_USAGE;
}

/* A format that is whole begins with the run, and what the host puts between rounds is not in it.
 * The first instruction that a format cannot show is told of. */
static mpu_result fits_program(mpu_session *session, const struct machine_format *format,
                               struct diag *diag) {
    const char *part = !format->whole                                     ? NULL
                       : session->watch_first > 1 || session->watch_count ? "a part of a run"
                       : session->package && session->package->rounds > 1 ? "several rounds"
                                                                          : NULL;
    if (part) {
        diag_error(diag, NO_SPAN, "--uops cannot write %s in format '%s'", part, format->name);
        return MPU_USAGE;
    }
    struct arena arena = {0};
    struct text text = {0};
    mpu_result r = MPU_OK;
    if (format->refuses_op)
        object_text_load(&text, session->object->text.data, session->object->text.len,
                         (struct lut_list){0}, &arena);
    for (uint32_t i = 0; i < text.len && r == MPU_OK; i++) {
        enum isa_op op = text.insns[i].op;
        const char *why = op < OP_COUNT ? format->refuses_op(op) : NULL;
        if (!why)
            continue;
        diag_error(diag, NO_SPAN, "--uops cannot write a program with %s in format '%s': %s",
                   isa_info(op)->name, format->name, why);
        r = MPU_USAGE;
    }
    arena_free(&arena);
    return r;
}

static mpu_result read_uop_format(mpu_session *session, const char *format,
                                  struct watch_request *request, struct diag *diag) {
    const struct target *target = session->target->t;
    const struct machine_format *all = machine_formats(target), *f = all;
    const char *name = format ? format : "";
    while (f && f->name && strcmp(f->name, name) != 0)
        f++;
    if (!f || !f->name)
        return unknown_format(all, name, diag);
    const char *why = f->refuses ? f->refuses(target) : NULL;
    request->format = (unsigned)(f - all);
    if (!why)
        return fits_program(session, f, diag);
    diag_error(diag, NO_SPAN, "--uops cannot write format '%s': target '%s' %s", name, target->name,
               why);
    return MPU_USAGE;
}

static mpu_result read_cycles(const char *format, struct watch_request *request,
                              struct diag *diag) {
    const char *text = format ? format : "";
    if (number_parse_u64(text, strlen(text), &request->cycles) && request->cycles)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "a series every '%s' front-end cycles: it is a number above 0", text);
    return MPU_USAGE;
}

static mpu_result read_vrfs(const char *format, struct watch_request *request, struct diag *diag) {
    request->one = format && strcmp(format, "most") == 0;
    if (request->one || !format)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "wear of '%s': it is all VRFs' (no format), or of one: most", format);
    return MPU_USAGE;
}

static mpu_result pipeline_shows(struct diag *diag) {
    diag_error(diag, NO_SPAN,
               "a pipeline is several runs, of which there is no trace, log or series: --stats "
               "shows the time of each");
    return MPU_USAGE;
}

static mpu_result golden_shows(bool uops, mpu_watch_kind kind, struct diag *diag) {
    diag_error(diag, NO_SPAN, "engine golden %s",
               uops               ? "executes no micro-ops that --uops or --log=uop show"
               : kind == MPU_WEAR ? "has no rows whose writes --wear shows"
                                  : "knows no times that --trace and --stats-every show");
    return MPU_USAGE;
}

static mpu_result wears_nothing(const mpu_session *session, struct diag *diag) {
    diag_error(diag, NO_SPAN, "target '%s' has no rows whose writes --wear shows",
               session->target->t->name);
    return MPU_USAGE;
}

static mpu_result read_spots(mpu_session *session, const char *format,
                             struct watch_request *request, struct diag *diag) {
    if (session->dp->tables.measured) {
        diag_error(
            diag, NO_SPAN,
            "target '%s' measures runs of instructions as a whole, so what each of them wrote "
            "is not known; engine golden shows it",
            session->target->t->name);
        return MPU_USAGE;
    }
    return session_elements_parse(session, format, request->spots, diag) ? MPU_OK : MPU_USAGE;
}

/* What the engine or the target has nothing to show of is refused. */
static mpu_result read_request(mpu_session *session, const char *format,
                               struct watch_request *request, struct diag *diag) {
    mpu_result r = MPU_OK;
    if (session->pipeline)
        return pipeline_shows(diag);
    if (request->kind == MPU_LOG)
        r = read_log_format(format, request, diag);
    if (request->kind == MPU_SERIES)
        r = read_cycles(format, request, diag);
    if (request->kind == MPU_WEAR)
        r = read_vrfs(format, request, diag);
    if (request->kind == MPU_VALUES)
        return read_spots(session, format, request, diag);
    bool uops = request->uops || request->kind == MPU_UOPS;
    if (r == MPU_OK && session->golden && (uops || request->kind != MPU_LOG))
        return golden_shows(uops, request->kind, diag);
    if (r == MPU_OK && request->kind == MPU_WEAR && !session->dp->has_cells)
        return wears_nothing(session, diag);
    return r == MPU_OK && request->kind == MPU_UOPS
               ? read_uop_format(session, format, request, diag)
               : r;
}

static mpu_result asked_twice(const struct session_watching *watching, mpu_watch_kind kind,
                              struct diag *diag) {
    const char *what = kind == MPU_TRACE && watching->trace         ? "trace"
                       : kind == MPU_LOG && watching->log           ? "log"
                       : kind == MPU_SERIES && watching->series     ? "series"
                       : kind == MPU_TIMELINE && watching->timeline ? "timeline"
                       : kind == MPU_VALUES && watching->values     ? "log of values"
                                                                    : NULL;
    if (!what)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "the run has a %s already", what);
    return MPU_USAGE;
}

/* Values are looked at instruction by instruction, micro-ops are told of for runs of them. */
static mpu_result fits_others(const struct session_watching *watching,
                              const struct watch_request *request, struct diag *diag) {
    bool uops = request->uops || request->kind == MPU_UOPS;
    if (!(uops && watching->values) && !(request->kind == MPU_VALUES && watching->uops))
        return asked_twice(watching, request->kind, diag);
    diag_error(diag, NO_SPAN, "values and micro-ops are not watched in the same run");
    return MPU_USAGE;
}

/* ---- observers ---- */

static struct session_watching *open_watching(mpu_session *session) {
    if (session->watching)
        return session->watching;
    session->watching = xcalloc(1, sizeof *session->watching);
    observe_names_open(&session->watching->names, session->object, session->package);
    return session->watching;
}

static bool has_end(const char *path, const char *end) {
    size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

/* NULL after reporting. */
static struct watch_output *open_output(struct session_watching *watching,
                                        const struct watch_request *request, struct diag *diag) {
    bool packed = request->kind == MPU_TRACE && request->path && has_end(request->path, ".gz");
    struct watch_output f = {.file = packed ? file_stream_open_gzip(request->path)
                                     : request->path
                                         ? file_stream_open(request->path)
                                         : file_stream_call(request->write, request->context)};
    if (!f.file) {
        diag_error(diag, NO_SPAN, "cannot write '%s': %s", request->path, strerror(errno));
        return NULL;
    }
    f.path = request->path ? xstrdup(request->path) : NULL;
    vec_push(&watching->outputs, f);
    return &vec_last(&watching->outputs);
}

static void watch_steps(mpu_session *session, struct session_watching *watching,
                        struct listener listener) {
    if (!watching->watch) {
        watching->watch = observe_watch_new(session->watch_first ? session->watch_first : 1,
                                            session->watch_count);
        observe_watch_machine(watching->watch, session->dp);
        session->control_config.step = observe_watch_step;
        session->control_config.step_context = watching->watch;
    }
    observe_watch_add(watching->watch, listener);
}

static void tell_span(void *context, const struct timing_span *span) {
    struct session_watching *w = context;
    if (w->trace)
        observe_trace_span(w->trace, span);
    if (w->series)
        observe_series_span(w->series, span);
    if (w->timeline)
        observe_timeline_span(w->timeline, span);
}

static void watch_spans(mpu_session *session, struct session_watching *watching) {
    session->control_config.span = tell_span;
    session->control_config.span_context = watching;
    session->control_config.span_bars = watching->trace != NULL;
}

static void begin_watching(mpu_session *session, struct session_watching *watching,
                           const struct watch_request *request, struct watch_output *output) {
    const struct target *t = session->target->t;
    watching->uops |= request->uops || request->kind == MPU_UOPS;
    switch (request->kind) {
    case MPU_LOG:
        watching->log = observe_log_new(&watching->names, t, session->dp, output->file);
        watch_steps(session, watching,
                    observe_log_listener(watching->log, request->insns, request->uops));
        return;
    case MPU_UOPS:
        if (output->by_machine)
            return;
        output->uops =
            observe_uops_new(request->format, &watching->names, t, session->dp, output->file);
        watch_steps(session, watching, observe_uops_listener(output->uops));
        return;
    case MPU_VALUES:
        watching->values =
            observe_values_new(&watching->names, t, session->dp, &session->here,
                               request->spots->list, request->spots->count, output->file);
        watch_steps(session, watching, observe_values_listener(watching->values));
        session->control_config.step_each = true;
        return;
    case MPU_WEAR:
        output->wear = true;
        output->one = request->one;
        return;
    case MPU_SERIES:
        watching->series = observe_series_new(t, request->cycles, output->file);
        watch_spans(session, watching);
        return;
    case MPU_TIMELINE:
        watching->timeline = observe_timeline_new(&session->dp->tables);
        watching->timeline_file = output->file;
        watch_spans(session, watching);
        return;
    default:
        watching->trace = observe_trace_new(session->object, session->package, t,
                                            &session->dp->tables, output->file);
        watch_spans(session, watching);
    }
}

static void put_bytes(void *file, const void *bytes, size_t size) {
    file_stream_write(file, bytes, size);
}

/* False after reporting, and dropping the file. */
static bool begin_machine(mpu_session *session, struct session_watching *watching,
                          const struct watch_request *request, struct watch_output *output,
                          struct diag *diag) {
    struct datapath *dp = session->dp;
    const struct machine_format *all = machine_formats(session->target->t);
    if (request->kind != MPU_UOPS || !all[request->format].whole)
        return true;
    output->by_machine = dp->ops->write(dp, request->format, put_bytes, output->file, diag);
    if (output->by_machine)
        return true;
    file_stream_drop(output->file);
    free(output->path);
    watching->outputs.len--;
    return false;
}

static mpu_result try_request(mpu_session *session, const char *format,
                              struct watch_request *request, struct diag *diag) {
    mpu_result r = session_prepare(session, diag);
    if (r == MPU_OK)
        r = session_watching_begin(session, diag);
    if (r == MPU_OK)
        r = read_request(session, format, request, diag);
    if (r == MPU_OK && session->watching)
        r = fits_others(session->watching, request, diag);
    if (r != MPU_OK)
        return r;
    struct session_watching *x = open_watching(session);
    struct watch_output *f = open_output(x, request, diag);
    if (!f)
        return MPU_FILE;
    if (!begin_machine(session, x, request, f, diag))
        return MPU_USAGE;
    begin_watching(session, x, request, f);
    return MPU_OK;
}

static mpu_result watch(mpu_session *session, const char *format, struct watch_request *request,
                        struct diag *diag) {
    struct value_spots spots = {.count = 0};
    request->spots = &spots;
    mpu_result r = try_request(session, format, request, diag);
    arena_free(&spots.names);
    return r;
}

/* ---- the end ---- */

/* The file appears if the program ran at all, and could be written. */
static mpu_result close_output(const mpu_session *session, struct watch_output *output, bool ran,
                               struct diag *diag) {
    struct datapath *dp = session->dp;
    const struct report_run run = {.target = session->target->t, .control = session->control};
    mpu_result r = MPU_OK;
    if (output->wear && ran && session->control)
        report_wear_csv(&run, output->one, output->file);
    observe_uops_free(output->uops);
    if (output->by_machine && !dp->ops->write_end(dp, output->file, diag))
        r = MPU_FILE;
    if (!ran || r != MPU_OK) {
        file_stream_drop(output->file);
    } else if (!file_stream_close(output->file)) {
        diag_error(diag, NO_SPAN, "cannot write '%s': %s", output->path ? output->path : "-",
                   strerror(errno));
        r = MPU_FILE;
    }
    free(output->path);
    return r;
}

static void write_timeline(struct session_watching *watching) {
    struct str text = {0};
    observe_timeline_json(watching->timeline, &text);
    file_stream_write(watching->timeline_file, str_text(&text), text.len);
    str_free(&text);
    observe_timeline_free(watching->timeline);
}

static mpu_result end_watching(mpu_session *session, struct diag *diag) {
    struct session_watching *x = session->watching;
    mpu_result worst = MPU_OK;
    if (!x)
        return MPU_OK;
    session->watching = NULL;
    session->control_config.span = NULL;
    session->control_config.step = NULL;
    session->control_config.step_each = false;
    if (x->watch)
        observe_watch_end(x->watch);
    if (x->trace)
        observe_trace_end(x->trace);
    if (x->series)
        observe_series_end(x->series);
    if (x->timeline)
        write_timeline(x);
    for (size_t i = 0; i < x->outputs.len; i++) {
        mpu_result r = close_output(session, &x->outputs.data[i], x->ran, diag);
        worst = worst == MPU_OK ? r : worst;
    }
    observe_watch_free(x->watch);
    observe_log_free(x->log);
    observe_values_free(x->values);
    observe_names_close(&x->names);
    vec_free(&x->outputs);
    free(x);
    return worst;
}

mpu_result session_watching_begin(mpu_session *session, struct diag *diag) {
    return session->watching && session->watching->ran ? end_watching(session, diag) : MPU_OK;
}

void session_watching_ran(mpu_session *session) {
    if (session->watching)
        session->watching->ran = true;
}

void session_watching_close(mpu_session *session) {
    struct diag *quiet = session->watching ? diag_new(NULL, NULL) : NULL;
    end_watching(session, quiet);
    diag_free(quiet);
}

/* ---- the public functions ---- */

mpu_result mpu_session_watch_part(mpu_session *session, uint64_t first, uint64_t count,
                                  mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    if (session->watching && session->watching->watch) {
        diag_error(c.d, NO_SPAN, "the part of a run that is watched is said before the watching");
        return public_call_end(&c, MPU_USAGE);
    }
    session->watch_first = first;
    session->watch_count = count;
    return public_call_end(&c, MPU_OK);
}

static mpu_result watch_call(mpu_session *session, const char *format, struct watch_request request,
                             mpu_error **error) {
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, watch(session, format, &request, c.d));
}

mpu_result mpu_session_watch(mpu_session *session, mpu_watch_kind kind, const char *format,
                             const char *path, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    return watch_call(session, format, (struct watch_request){.kind = kind, .path = path}, error);
}

mpu_result mpu_session_watch_with(mpu_session *session, mpu_watch_kind kind, const char *format,
                                  mpu_write_function *write, void *context, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    const struct watch_request q = {.kind = kind, .write = write, .context = context};
    return watch_call(session, format, q, error);
}

mpu_result mpu_session_watch_end(mpu_session *session, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, end_watching(session, c.d));
}
