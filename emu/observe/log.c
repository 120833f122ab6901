/* SPDX-License-Identifier: MIT
 * One line for each step, written as it comes. */
#include "emu/observe/log.h"

#include "emu/observe/ranges.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

struct log {
    const struct text_names *names;
    const struct target *target;
    const struct datapath *dp;
    struct file_stream *out;
    struct str line, part;
};

static void put_line(struct log *log) {
    while (log->line.len && log->line.text[log->line.len - 1] == ' ') /* of an empty last column */
        log->line.len--;
    str_char(&log->line, '\n');
    file_stream_write(log->out, log->line.text, log->line.len);
    str_clear(&log->line);
}

/* "number time" before what the line is about. */
static void put_head(struct log *log, uint64_t number, uint64_t time_ps) {
    str_printf(&log->line, "%8" PRIu64 " %12" PRIu64 " ", number, time_ps);
}

static void put_insn(void *context, const struct watched_insn *insn) {
    struct log *l = context;
    if (insn->step->time_known)
        put_head(l, insn->number, insn->step->time_ps);
    else
        str_printf(&l->line, "%8" PRIu64 " %12s ", insn->number, "-");
    observe_step_mpus_text(insn->step, &l->part);
    str_printf(&l->line, "%-8s ", str_text(&l->part));
    str_clear(&l->part);
    observe_step_batch_text(insn->step, &l->part);
    str_printf(&l->line, "%-5s %5" PRIu32 "  ", str_text(&l->part), insn->index);
    str_clear(&l->part);
    observe_text_insn(l->names, insn->index, &l->part);
    str_printf(&l->line, "%-32s ", str_text(&l->part));
    str_clear(&l->part);
    observe_text_place(l->names, insn->index, &l->line);
    put_line(l);
}

static void put_uop(void *context, const struct watched_uop *uop) {
    struct log *l = context;
    const struct dp_event *e = uop->event;
    put_head(l, uop->insn.number, e->start_ps);
    observe_vrfs_text(l->target, e->vrf_first, e->vrf_count, &l->part);
    str_printf(&l->line, "%-16s %3" PRIu32 " . ", str_text(&l->part), e->unit);
    str_clear(&l->part);
    l->dp->ops->format(l->dp, e, DP_TEXT, &l->line);
    put_line(l);
}

struct log *observe_log_new(const struct text_names *names, const struct target *target,
                            const struct datapath *dp, struct file_stream *out) {
    struct log *l = xcalloc(1, sizeof *l);
    *l = (struct log){.names = names, .target = target, .dp = dp, .out = out};
    return l;
}

struct listener observe_log_listener(struct log *log, bool insns, bool uops) {
    return (struct listener){
        .insn = insns ? put_insn : NULL, .uop = uops ? put_uop : NULL, .context = log};
}

void observe_log_free(struct log *log) {
    if (!log)
        return;
    str_free(&log->line);
    str_free(&log->part);
    free(log);
}
