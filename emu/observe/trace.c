/* SPDX-License-Identifier: MIT
 * Each span is one event, written at once: nothing of a trace is kept. */
#include "emu/observe/trace.h"

#include "emu/observe/insn_text.h"
#include "support/alloc.h"
#include "support/json.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>

struct trace {
    struct text_names names;
    struct file_stream *out;
    struct map tracks; /* struct track -> 0: those that have their names */
    char **about;      /* [text.len + 1]: name and args of each instruction, once needed */
    struct str line;
    bool begun; /* something stands in the list of events */
};

/* Process and thread numbers begin with 1, as 0 is the idle process to Perfetto. */
struct track {
    uint32_t process, thread;
};

/* Threads of a process, in the order in which they are shown; numbers of units follow. */
static const uint32_t first_thread[] = {
    [UNIT_PRECODER] = 1,       [UNIT_DTC] = 2, [UNIT_CONTROLLER] = 1u << 8, [UNIT_RFH] = 1u << 16,
    [UNIT_NETWORK] = 1u << 28,
};

static struct track track_of(const struct timing_span *span) {
    return (struct track){span->mpu + 1, first_thread[span->unit] + span->number};
}

static void unit_name(const struct timing_span *span, struct str *out) {
    switch (span->unit) {
    case UNIT_PRECODER:
        str_append(out, "precoder");
        break;
    case UNIT_CONTROLLER:
        str_printf(out, "controller %" PRIu32, span->number);
        break;
    case UNIT_RFH:
        str_printf(out, "RFH %" PRIu32, span->number);
        break;
    case UNIT_DTC:
        str_append(out, "data-transfer controller");
        break;
    case UNIT_NETWORK:
        str_printf(out, "messages to MPU %" PRIu32, span->number);
        break;
    }
}

/* Ends the line and writes it as one element of the list. */
static void put_line(struct trace *trace) {
    file_stream_write(trace->out, trace->begun ? ",\n" : "\n", trace->begun ? 2 : 1);
    file_stream_write(trace->out, str_text(&trace->line), trace->line.len);
    str_clear(&trace->line);
    trace->begun = true;
}

/* {"ph": "M", ...}: what a process or thread is called, or where it stands. */
static void put_metadata(struct trace *trace, const char *what, struct track at, const char *name,
                         uint32_t place) {
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "ph", "M");
    json_string(j, "name", what);
    json_u64(j, "pid", at.process);
    if (at.thread)
        json_u64(j, "tid", at.thread);
    json_object_begin(j, "args");
    if (name)
        json_string(j, "name", name);
    else
        json_u64(j, "sort_index", place);
    json_object_end(j);
    json_object_end(j);
    json_finish(j, &trace->line);
    trace->line.len--; /* its newline */
    put_line(trace);
}

/* True if the track is new. */
static bool is_new(struct trace *trace, struct track at) {
    return map_put_n(&trace->tracks, (const char *)&at, sizeof at, 0);
}

/* Names the process and the thread of a span before the first that lies in them. */
static void introduce(struct trace *trace, const struct timing_span *span) {
    struct track thread = track_of(span), process = {thread.process, 0};
    struct str name = {0};
    if (!is_new(trace, thread))
        return;
    if (is_new(trace, process)) {
        str_printf(&name, "MPU %" PRIu32, span->mpu);
        put_metadata(trace, "process_name", process, str_text(&name), 0);
        put_metadata(trace, "process_sort_index", process, NULL, span->mpu);
        str_clear(&name);
    }
    unit_name(span, &name);
    put_metadata(trace, "thread_name", thread, str_text(&name), 0);
    put_metadata(trace, "thread_sort_index", thread, NULL, thread.thread);
    str_free(&name);
}

/* {"name": ..., "args": {"instruction": ..., "source": ...}} without its first and its last two
 * braces, as a batch may follow. */
static char *make_about(const struct trace *trace, uint32_t index) {
    struct json *j = json_new_line();
    struct str text = {0}, place = {0}, out = {0};
    bool known = index < trace->names.program->text.len;
    if (known)
        observe_text_insn(&trace->names, index, &text);
    json_object_begin(j, NULL);
    json_string(j, "name", known ? str_text(&text) : "waiting");
    json_object_begin(j, "args");
    if (known)
        json_u64(j, "instruction", index);
    if (observe_text_place(&trace->names, index, &place))
        json_string(j, "source", str_text(&place));
    json_object_end(j);
    json_object_end(j);
    json_finish(j, &out);
    out.text[out.len - 3] = '\0';
    char *about = xstrdup(out.text + 1);
    str_free(&text);
    str_free(&place);
    str_free(&out);
    return about;
}

static const char *about(struct trace *trace, uint32_t index) {
    size_t len = trace->names.program->text.len, at = index < len ? index : len;
    if (!trace->about[at])
        trace->about[at] = make_about(trace, index);
    return trace->about[at];
}

/* Picoseconds as microseconds, exactly. */
static void put_us(struct str *out, const char *key, uint64_t ps) {
    str_append(out, key);
    str_u64(out, ps / 1000000);
    str_char(out, '.');
    for (uint64_t rest = ps % 1000000, place = 100000; place; rest %= place, place /= 10)
        str_char(out, (char)('0' + rest / place));
}

void observe_trace_span(void *trace, const struct timing_span *span) {
    struct trace *t = trace;
    struct track at = track_of(span);
    introduce(t, span);
    str_append(&t->line, "{\"ph\":\"X\",\"pid\":");
    str_u64(&t->line, at.process);
    str_append(&t->line, ",\"tid\":");
    str_u64(&t->line, at.thread);
    put_us(&t->line, ",\"ts\":", span->start_ps);
    put_us(&t->line,
           ",\"dur\":", span->end_ps > span->start_ps ? span->end_ps - span->start_ps : 0);
    str_char(&t->line, ',');
    str_append(&t->line, about(t, span->index));
    if (span->batch != NO_INDEX)
        str_printf(&t->line, "%s\"batch\":%" PRIu32, span->index == NO_INDEX ? "" : ",",
                   span->batch);
    str_append(&t->line, "}}");
    put_line(t);
}

struct trace *observe_trace_new(const struct object *program, const struct package *package,
                                const char *target, struct file_stream *out) {
    struct trace *t = xcalloc(1, sizeof *t);
    struct json *j = json_new_line();
    observe_names_open(&t->names, program, package);
    t->out = out;
    t->about = xcalloc(program->text.len + 1, sizeof *t->about);
    json_object_begin(j, NULL);
    json_string(j, "displayTimeUnit", "ns");
    json_object_begin(j, "otherData");
    json_string(j, "target", target);
    json_object_end(j);
    json_object_end(j);
    json_finish(j, &t->line);
    t->line.len -= 2; /* the last brace: the list of events follows */
    str_append(&t->line, ",\"traceEvents\":[");
    file_stream_write(out, str_text(&t->line), t->line.len);
    str_clear(&t->line);
    return t;
}

void observe_trace_end(struct trace *trace) {
    file_stream_write(trace->out, "\n]}\n", 4);
    for (size_t i = 0; i <= trace->names.program->text.len; i++)
        free(trace->about[i]);
    free(trace->about);
    map_free(&trace->tracks);
    str_free(&trace->line);
    observe_names_close(&trace->names);
    free(trace);
}
