/* SPDX-License-Identifier: MIT
 * Names of slices, worked out once for each instruction. */
#include "emu/observe/slice.h"

#include "support/alloc.h"
#include "support/json.h"

#include <stdlib.h>
#include <string.h>

void observe_slices_open(struct slice_names *slices, const struct object *program,
                         const struct package *package) {
    observe_names_open(&slices->names, program, package);
    slices->insns = xcalloc(program->text.len + 1, sizeof *slices->insns);
}

void observe_slices_close(struct slice_names *slices) {
    for (size_t i = 0; i <= slices->names.program->text.len; i++)
        if (slices->insns[i]) {
            free(slices->insns[i]->text);
            free(slices->insns[i]->name);
            free(slices->insns[i]->args);
            free(slices->insns[i]);
        }
    free(slices->insns);
    observe_names_close(&slices->names);
}

/* Between the first `head` characters of a JSON text and its last `tail`, its newline apart. */
static char *inside(struct json *json, size_t head, size_t tail) {
    struct str out = {0};
    json_finish(json, &out);
    out.text[out.len - 1 - tail] = '\0';
    char *text = xstrdup(out.text + head);
    str_free(&out);
    return text;
}

static char *escaped(const char *text) {
    struct json *j = json_new_line();
    json_string(j, NULL, text);
    return inside(j, 1, 1);
}

/* {"instruction": ..., "source": ...} */
static char *make_args(const struct slice_names *slices, uint32_t index) {
    struct json *j = json_new_line();
    struct str place = {0};
    json_object_begin(j, NULL);
    if (index < slices->names.program->text.len)
        json_u64(j, "instruction", index);
    if (observe_text_place(&slices->names, index, &place))
        json_string(j, "source", str_text(&place));
    json_object_end(j);
    str_free(&place);
    return inside(j, 1, 1);
}

static struct slice_insn *make(const struct slice_names *slices, uint32_t index) {
    struct slice_insn *x = xcalloc(1, sizeof *x);
    struct str text = {0};
    if (index < slices->names.program->text.len)
        observe_text_insn(&slices->names, index, &text);
    x->text = escaped(str_text(&text));
    x->args = make_args(slices, index);
    if (text.len)
        text.text[strcspn(text.text, " ")] = '\0';
    x->name = escaped(str_text(&text));
    str_free(&text);
    return x;
}

const struct slice_insn *observe_slice_insn(struct slice_names *slices, uint32_t index) {
    size_t len = slices->names.program->text.len, at = index < len ? index : len;
    if (!slices->insns[at])
        slices->insns[at] = make(slices, index);
    return slices->insns[at];
}

static const char *most_of(const struct timing_span *span) {
    const struct bar_note *n = &span->note;
    uint64_t ps = span->end_ps - span->start_ps, rest = ps - n->issue_ps - n->section_ps;
    const struct {
        uint64_t ps;
        const char *what;
    } parts[] = {{n->issue_ps, "issue"},
                 {n->section_ps, "waits for section"},
                 {n->port_ps, "waits for issue port"},
                 {rest - n->port_ps, "computes"}};
    unsigned most = 0;
    for (unsigned i = 1; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].ps > parts[most].ps)
            most = i;
    return parts[most].what;
}

static const char *by_part(const struct timing_span *span) {
    switch (span->part) {
    case TIMING_FETCH:
        return "waits for fetch";
    case TIMING_DECODE:
        return "issue";
    case TIMING_RECIPE:
        return "waits for recipe";
    case TIMING_COMPUTE:
        return most_of(span);
    case TIMING_EVALUATE:
        return "looks at masks";
    case TIMING_SCHEDULE:
        return "next batch";
    case TIMING_TRANSFER:
        return "transfer";
    case TIMING_NETWORK:
        return "message";
    case TIMING_HOST:
        return "waits for host";
    default:
        return "waits for MPUs";
    }
}

const char *observe_slice_what(const struct timing_span *span) {
    bool between = span->kind == SPAN_WORK && span->batch == NO_INDEX;
    switch (span->unit) {
    case UNIT_CONTROLLER:
        return "ensemble";
    case UNIT_BATCHES:
        return span->kind == SPAN_BAR || between ? by_part(span) : "batch";
    case UNIT_RFH:
        return "batch";
    case UNIT_KERNEL:
    case UNIT_TRACK:
        return "kernel";
    case UNIT_SETUP:
        return "set-up";
    default:
        return by_part(span);
    }
}
