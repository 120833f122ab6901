/* SPDX-License-Identifier: MIT */
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

static struct track track_of(const struct timing_span *s) {
    return (struct track){s->mpu + 1, first_thread[s->unit] + s->number};
}

static void unit_name(const struct timing_span *s, struct str *out) {
    switch (s->unit) {
    case UNIT_PRECODER:
        str_append(out, "precoder");
        break;
    case UNIT_CONTROLLER:
        str_printf(out, "controller %" PRIu32, s->number);
        break;
    case UNIT_RFH:
        str_printf(out, "RFH %" PRIu32, s->number);
        break;
    case UNIT_DTC:
        str_append(out, "data-transfer controller");
        break;
    case UNIT_NETWORK:
        str_printf(out, "messages to MPU %" PRIu32, s->number);
        break;
    }
}

/* Ends the line and writes it as one element of the list. */
static void put_line(struct trace *t) {
    file_stream_write(t->out, t->begun ? ",\n" : "\n", t->begun ? 2 : 1);
    file_stream_write(t->out, str_text(&t->line), t->line.len);
    str_clear(&t->line);
    t->begun = true;
}

/* {"ph": "M", ...}: what a process or thread is called, or where it stands. */
static void put_metadata(struct trace *t, const char *what, struct track at, const char *name,
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
    json_finish(j, &t->line);
    t->line.len--; /* its newline */
    put_line(t);
}

/* True if the track is new. */
static bool is_new(struct trace *t, struct track at) {
    return map_put_n(&t->tracks, (const char *)&at, sizeof at, 0);
}

/* Names the process and the thread of a span before the first that lies in them. */
static void introduce(struct trace *t, const struct timing_span *s) {
    struct track thread = track_of(s), process = {thread.process, 0};
    struct str name = {0};
    if (!is_new(t, thread))
        return;
    if (is_new(t, process)) {
        str_printf(&name, "MPU %" PRIu32, s->mpu);
        put_metadata(t, "process_name", process, str_text(&name), 0);
        put_metadata(t, "process_sort_index", process, NULL, s->mpu);
        str_clear(&name);
    }
    unit_name(s, &name);
    put_metadata(t, "thread_name", thread, str_text(&name), 0);
    put_metadata(t, "thread_sort_index", thread, NULL, thread.thread);
    str_free(&name);
}

/* {"name": ..., "args": {"instruction": ..., "source": ...}} without its first and its last two
 * braces, as a batch may follow. */
static char *make_about(const struct trace *t, uint32_t index) {
    struct json *j = json_new_line();
    struct str text = {0}, place = {0}, out = {0};
    bool known = index < t->names.program->text.len;
    if (known)
        observe_text_insn(&t->names, index, &text);
    json_object_begin(j, NULL);
    json_string(j, "name", known ? str_text(&text) : "waiting");
    json_object_begin(j, "args");
    if (known)
        json_u64(j, "instruction", index);
    if (observe_text_place(&t->names, index, &place))
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

static const char *about(struct trace *t, uint32_t index) {
    size_t len = t->names.program->text.len, at = index < len ? index : len;
    if (!t->about[at])
        t->about[at] = make_about(t, index);
    return t->about[at];
}

/* Picoseconds as microseconds, exactly. */
static void put_us(struct str *out, const char *key, uint64_t ps) {
    str_append(out, key);
    str_u64(out, ps / 1000000);
    str_char(out, '.');
    for (uint64_t rest = ps % 1000000, place = 100000; place; rest %= place, place /= 10)
        str_char(out, (char)('0' + rest / place));
}

void observe_trace_span(void *trace, const struct timing_span *s) {
    struct trace *t = trace;
    struct track at = track_of(s);
    introduce(t, s);
    str_append(&t->line, "{\"ph\":\"X\",\"pid\":");
    str_u64(&t->line, at.process);
    str_append(&t->line, ",\"tid\":");
    str_u64(&t->line, at.thread);
    put_us(&t->line, ",\"ts\":", s->start_ps);
    put_us(&t->line, ",\"dur\":", s->end_ps > s->start_ps ? s->end_ps - s->start_ps : 0);
    str_char(&t->line, ',');
    str_append(&t->line, about(t, s->index));
    if (s->batch != NO_INDEX)
        str_printf(&t->line, "%s\"batch\":%" PRIu32, s->index == NO_INDEX ? "" : ",", s->batch);
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

void observe_trace_end(struct trace *t) {
    file_stream_write(t->out, "\n]}\n", 4);
    for (size_t i = 0; i <= t->names.program->text.len; i++)
        free(t->about[i]);
    free(t->about);
    map_free(&t->tracks);
    str_free(&t->line);
    observe_names_close(&t->names);
    free(t);
}
