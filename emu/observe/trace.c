/* SPDX-License-Identifier: MIT
 * Each span is one event, written at once: nothing of a trace is kept. */
#include "emu/observe/trace.h"

#include "emu/observe/slice.h"
#include "support/alloc.h"
#include "support/json.h"
#include "support/map.h"
#include "support/saturate.h"
#include "support/vec.h"

#include <inttypes.h>
#include <stdlib.h>

struct trace {
    struct slice_names names;
    const struct target *target;
    const struct dp_tables *tables;
    struct file_stream *out;
    struct map tracks; /* struct track -> 0: those that have their names */
    struct map misses; /* struct track of a controller -> recipes that its table did not hold */
    struct str line;
    bool begun;                   /* something stands in the list of events */
    VEC(struct timing_span) bars; /* of one source line: its own bar stands before them */
    uint64_t bar_count;           /* so far */
    struct timing_span last;      /* the last bar that was written, */
    uint64_t waiting;             /* and what the issue queue's counter stands at since */
};

/* Process and thread numbers begin with 1, as 0 is the idle process to Perfetto. */
struct track {
    uint32_t process, thread;
};

/* Threads of a process, in the order in which they are shown; numbers of units follow. */
static const uint32_t first_thread[] = {
    [UNIT_PRECODER] = 1,      [UNIT_DTC] = 2,          [UNIT_CONTROLLER] = 1u << 8,
    [UNIT_BATCHES] = 1u << 9, [UNIT_RFH] = 1u << 16,   [UNIT_NETWORK] = 1u << 28,
    [UNIT_KERNEL] = 3,        [UNIT_TRACK] = 1u << 30, [UNIT_SETUP] = 4,
};
/* Threads of a track: VRFs of an MPU. */
#define TRACK_THREADS (1u << 26)

static struct track track_of(const struct timing_span *span) {
    return (struct track){span->mpu + 1,
                          first_thread[span->unit] + span->number + span->track * TRACK_THREADS};
}

static void unit_name(const struct trace *trace, const struct timing_span *span, struct str *out) {
    switch (span->unit) {
    case UNIT_PRECODER:
        str_append(out, "precoder");
        break;
    case UNIT_CONTROLLER:
        str_printf(out, "controller %" PRIu32, span->number);
        break;
    case UNIT_BATCHES:
        str_printf(out, "controller %" PRIu32 ": batches", span->number);
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
    case UNIT_KERNEL:
        str_append(out, "kernels");
        break;
    case UNIT_SETUP:
        str_append(out, "loading: VRFs are set up");
        break;
    case UNIT_TRACK:
        str_printf(out, "%s %" PRIu32, trace->tables->tracks[span->track], span->number);
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
        if (span->unit == UNIT_KERNEL || span->unit == UNIT_SETUP)
            str_append(&name, "machine");
        else
            str_printf(&name, "MPU %" PRIu32, span->mpu);
        put_metadata(trace, "process_name", process, str_text(&name), 0);
        put_metadata(trace, "process_sort_index", process, NULL, span->mpu);
        str_clear(&name);
    }
    unit_name(trace, span, &name);
    put_metadata(trace, "thread_name", thread, str_text(&name), 0);
    put_metadata(trace, "thread_sort_index", thread, NULL, thread.thread);
    str_free(&name);
}

/* Picoseconds as microseconds, exactly. */
static void put_us(struct str *out, const char *key, uint64_t ps) {
    str_append(out, key);
    str_u64(out, ps / 1000000);
    str_char(out, '.');
    for (uint64_t rest = ps % 1000000, place = 100000; place; rest %= place, place /= 10)
        str_char(out, (char)('0' + rest / place));
}

/* {"ph":..,"pid":..,"tid":..,"ts":.. of an event in the track of a span. */
static void begin_event(struct trace *trace, const char *kind, const struct timing_span *span,
                        uint64_t ps) {
    struct track at = track_of(span);
    introduce(trace, span);
    str_printf(&trace->line, "{\"ph\":\"%s\",\"pid\":", kind);
    str_u64(&trace->line, at.process);
    str_append(&trace->line, ",\"tid\":");
    str_u64(&trace->line, at.thread);
    put_us(&trace->line, ",\"ts\":", ps);
}

static void begin_bar(struct trace *trace, const struct timing_span *span) {
    begin_event(trace, "X", span, span->start_ps);
    put_us(&trace->line,
           ",\"dur\":", span->end_ps > span->start_ps ? span->end_ps - span->start_ps : 0);
    str_char(&trace->line, ',');
}

static void number_arg(struct trace *trace, const char *name, uint64_t value) {
    char last = trace->line.text[trace->line.len - 1];
    str_printf(&trace->line, "%s\"%s\":%" PRIu64, last == '{' ? "" : ",", name, value);
}

/* "name":..,"args":{.. of the instruction, which is called `text` if that is not NULL. */
static void put_name(struct trace *trace, const struct timing_span *span, const char *text,
                     const char *what) {
    const struct slice_insn *x = observe_slice_insn(&trace->names, span->index);
    text = text ? text : x->text;
    str_printf(&trace->line, "\"name\":\"%s%s%s\",\"args\":{%s", text, *text ? ": " : "", what,
               x->args);
}

static uint64_t with_cycles(const struct trace *trace, uint64_t energy_fj, uint64_t cycles) {
    return sat_add(energy_fj, sat_mul(cycles, trace->target->front_end_fj));
}

/* ---- counters ---- */

/* {"ph": "C"}: from here on the value; `milli` in thousandths. */
static void put_counter(struct trace *trace, const struct timing_span *span, uint64_t ps,
                        const char *name, uint64_t milli) {
    begin_event(trace, "C", span, ps);
    str_printf(&trace->line, ",\"name\":\"%s\",\"args\":{\"controller %" PRIu32 "\":%" PRIu64, name,
               span->number, milli / 1000);
    if (milli % 1000)
        str_printf(&trace->line, ".%03u", (unsigned)(milli % 1000));
    str_append(&trace->line, "}}");
    put_line(trace);
}

/* While a batch is at work, on average over it: fJ / ps is mW. */
static void put_counters(struct trace *trace, const struct timing_span *span) {
    uint64_t ps = span->end_ps - span->start_ps;
    uint64_t fj = with_cycles(trace, span->energy_fj, span->cycles);
    put_counter(trace, span, span->start_ps, "active VRFs", sat_mul(span->vrfs, 1000));
    put_counter(trace, span, span->start_ps, "power in mW", ps ? sat_scale(fj, 1000, ps) : 0);
    put_counter(trace, span, span->end_ps, "active VRFs", 0);
    put_counter(trace, span, span->end_ps, "power in mW", 0);
}

/* Where a bar begins that changes them. */
static void put_bar_counters(struct trace *trace, const struct timing_span *span) {
    struct track at = track_of(span);
    if (span->note.waiting != trace->waiting)
        put_counter(trace, span, span->start_ps, "issue queue", sat_mul(span->note.waiting, 1000));
    trace->waiting = span->note.waiting;
    if (!span->note.misses)
        return;
    uint64_t *misses = map_add_n(&trace->misses, (const char *)&at, sizeof at, 0);
    *misses = sat_add(*misses, span->note.misses);
    put_counter(trace, span, span->start_ps, "recipe-table misses", sat_mul(*misses, 1000));
}

/* Where a batch ends, nothing waits. */
static void end_counters(struct trace *trace) {
    if (trace->waiting)
        put_counter(trace, &trace->last, trace->last.end_ps, "issue queue", 0);
    trace->waiting = 0;
}

/* ---- inside of batches ---- */

static void optional_arg(struct trace *trace, const char *name, uint64_t value) {
    if (value)
        number_arg(trace, name, value);
}

static uint64_t bar_fj(const struct trace *trace, const struct timing_span *span) {
    return with_cycles(trace, span->energy_fj, span->note.cycles);
}

static void put_bar(struct trace *trace, const struct timing_span *span) {
    const struct slice_insn *x = observe_slice_insn(&trace->names, span->index);
    begin_bar(trace, span);
    if (span->index == NO_INDEX) {
        str_append(&trace->line, "\"name\":\"more iterations like those before\",\"args\":{");
    } else {
        put_name(trace, span, x->name, observe_slice_what(span));
        str_printf(&trace->line, ",\"text\":\"%s\",\"part\":\"%s\"", x->text,
                   timing_part_name(span->part));
    }
    optional_arg(trace, "issue_ps", span->note.issue_ps);
    optional_arg(trace, "section_ps", span->note.section_ps);
    optional_arg(trace, "port_ps", span->note.port_ps);
    optional_arg(trace, "templates", span->note.templates);
    number_arg(trace, "energy_fj", bar_fj(trace, span));
    str_append(&trace->line, "}}");
    put_line(trace);
    put_bar_counters(trace, span);
    trace->last = *span;
}

/* A source line that several instructions in a row stem from has a bar around theirs. */
static void put_line_bar(struct trace *trace) {
    struct timing_span whole = trace->bars.data[0];
    struct str place = {0};
    uint64_t fj = 0;
    whole.end_ps = vec_last(&trace->bars).end_ps;
    if (trace->bars.len > 1 && observe_text_place(&trace->names.names, whole.index, &place)) {
        struct json *j = json_new_line();
        begin_bar(trace, &whole);
        str_append(&trace->line, "\"name\":");
        json_string(j, NULL, str_text(&place));
        json_finish(j, &trace->line);
        trace->line.len--; /* its newline */
        str_append(&trace->line, ",\"args\":{");
        for (size_t i = 0; i < trace->bars.len; i++)
            fj = sat_add(fj, bar_fj(trace, &trace->bars.data[i]));
        number_arg(trace, "energy_fj", fj);
        str_append(&trace->line, "}}");
        put_line(trace);
    }
    str_free(&place);
}

static void flush_bars(struct trace *trace) {
    if (trace->bars.len)
        put_line_bar(trace);
    for (size_t i = 0; i < trace->bars.len; i++)
        put_bar(trace, &trace->bars.data[i]);
    trace->bars.len = 0;
}

static bool same_line(const struct trace *trace, uint32_t left, uint32_t right) {
    const struct object *o = trace->names.names.program;
    if (left >= o->text.len || right >= o->text.len)
        return false;
    struct place a = object_place(o, left), b = object_place(o, right);
    return a.file < o->files.len && a.file == b.file && a.line == b.line;
}

/* {"ph": "i"}: a mark over all tracks. */
static void put_end_of_bars(struct trace *trace, const struct timing_span *span) {
    begin_event(trace, "i", span, span->start_ps);
    str_printf(&trace->line,
               ",\"s\":\"g\",\"name\":\"no bars of instructions from here on: there are %d\","
               "\"args\":{}}",
               TRACE_BARS);
    put_line(trace);
}

/* One bar more, of which there are too many. */
static bool is_beyond(struct trace *trace, const struct timing_span *span) {
    if (trace->bar_count++ < TRACE_BARS)
        return false;
    if (trace->bar_count == TRACE_BARS + 1)
        put_end_of_bars(trace, span);
    return true;
}

static void bar(struct trace *trace, const struct timing_span *span) {
    if (is_beyond(trace, span))
        return;
    if (trace->bars.len && !same_line(trace, vec_last(&trace->bars).index, span->index))
        flush_bars(trace);
    vec_push(&trace->bars, *span);
}

/* ---- messages ---- */

/* {"ph": "s"} where the arrow begins, "f" where it ends, in the spans around these times. */
static void put_arrow(struct trace *trace, const struct timing_span *span) {
    bool ends = span->kind == SPAN_ARRIVAL;
    begin_event(trace, ends ? "f" : "s", span, span->start_ps);
    str_printf(&trace->line,
               "%s,\"id\":%" PRIu64 ",\"cat\":\"message\",\"name\":\"message\",\"args\":{}}",
               ends ? ",\"bp\":\"e\"" : "", span->message);
    put_line(trace);
}

/* ---- spans ---- */

static void put_span(struct trace *trace, const struct timing_span *span) {
    bool between = span->unit == UNIT_BATCHES && span->batch == NO_INDEX;
    bool change = between && span->part == TIMING_SCHEDULE;
    begin_bar(trace, span);
    if (change)
        str_append(&trace->line, "\"name\":\"next batch\",\"args\":{");
    else
        put_name(trace, span, NULL, observe_slice_what(span));
    if (span->batch != NO_INDEX)
        number_arg(trace, "batch", span->batch);
    if (span->unit == UNIT_SETUP)
        number_arg(trace, "vrfs", span->vrfs);
    if (span->unit == UNIT_BATCHES && !between) {
        number_arg(trace, "vrfs", span->vrfs);
        number_arg(trace, "datapath_fj", span->energy_fj);
        number_arg(trace, "front_end_cycles", span->cycles);
    }
    if (span->message)
        number_arg(trace, "message", span->message);
    if (span->unit != UNIT_SETUP)
        number_arg(trace, "energy_fj", with_cycles(trace, span->energy_fj, span->cycles));
    str_append(&trace->line, "}}");
    put_line(trace);
}

void observe_trace_span(void *trace, const struct timing_span *span) {
    struct trace *t = trace;
    if (span->kind == SPAN_BAR) {
        bar(t, span);
        return;
    }
    flush_bars(t);
    end_counters(t);
    if (span->unit == UNIT_TRACK && is_beyond(t, span))
        return;
    if (span->kind == SPAN_WORK)
        put_span(t, span);
    if (span->message)
        put_arrow(t, span);
    if (span->vrfs && span->unit == UNIT_BATCHES)
        put_counters(t, span);
}

struct trace *observe_trace_new(const struct object *program, const struct package *package,
                                const struct target *target, const struct dp_tables *tables,
                                struct file_stream *out) {
    struct trace *t = xcalloc(1, sizeof *t);
    struct json *j = json_new_line();
    observe_slices_open(&t->names, program, package);
    t->out = out;
    t->target = target;
    t->tables = tables;
    json_object_begin(j, NULL);
    json_string(j, "displayTimeUnit", "ns");
    json_object_begin(j, "otherData");
    json_string(j, "target", target->name);
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
    flush_bars(trace);
    end_counters(trace);
    file_stream_write(trace->out, "\n]}\n", 4);
    map_free(&trace->tracks);
    map_free(&trace->misses);
    vec_free(&trace->bars);
    str_free(&trace->line);
    observe_slices_close(&trace->names);
    free(trace);
}
