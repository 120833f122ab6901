/* SPDX-License-Identifier: MIT */
#include "emu/observe/log.h"

#include "emu/observe/place.h"
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

static void put_line(struct log *l) {
    while (l->line.len && l->line.text[l->line.len - 1] == ' ') /* of an empty last column */
        l->line.len--;
    str_char(&l->line, '\n');
    file_stream_write(l->out, l->line.text, l->line.len);
    str_clear(&l->line);
}

/* "number time" before what the line is about. */
static void put_head(struct log *l, uint64_t number, uint64_t time_ps) {
    str_printf(&l->line, "%8" PRIu64 " %12" PRIu64 " ", number, time_ps);
}

static void put_insn(void *context, const struct watched_insn *x) {
    struct log *l = context;
    if (x->step->time_known)
        put_head(l, x->number, x->step->time_ps);
    else
        str_printf(&l->line, "%8" PRIu64 " %12s ", x->number, "-");
    observe_step_mpus_text(x->step, &l->part);
    str_printf(&l->line, "%-8s ", str_text(&l->part));
    str_clear(&l->part);
    observe_step_batch_text(x->step, &l->part);
    str_printf(&l->line, "%-5s %5" PRIu32 "  ", str_text(&l->part), x->index);
    str_clear(&l->part);
    observe_text_insn(l->names, x->index, &l->part);
    str_printf(&l->line, "%-32s ", str_text(&l->part));
    str_clear(&l->part);
    observe_text_place(l->names, x->index, &l->line);
    put_line(l);
}

static void put_uop(void *context, const struct watched_uop *x) {
    struct log *l = context;
    const struct dp_event *e = x->event;
    put_head(l, x->insn.number, e->start_ps);
    observe_vrfs_text(l->target, e->vrf_first, e->vrf_count, &l->part);
    str_printf(&l->line, "%-16s %3" PRIu32 " . ", str_text(&l->part), e->unit);
    str_clear(&l->part);
    l->dp->ops->format(l->dp, e, DP_TEXT, &l->line);
    put_line(l);
}

struct log *observe_log_new(const struct text_names *names, const struct target *t,
                            const struct datapath *dp, struct file_stream *out) {
    struct log *l = xcalloc(1, sizeof *l);
    *l = (struct log){.names = names, .target = t, .dp = dp, .out = out};
    return l;
}

struct listener observe_log_listener(struct log *l, bool insns, bool uops) {
    return (struct listener){insns ? put_insn : NULL, uops ? put_uop : NULL, l};
}

void observe_log_free(struct log *l) {
    if (!l)
        return;
    str_free(&l->line);
    str_free(&l->part);
    free(l);
}
