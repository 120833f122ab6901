/* SPDX-License-Identifier: MIT */
#include "emu/observe/uops.h"

#include "emu/observe/place.h"
#include "machines/format.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

struct uops {
    unsigned format;
    enum machine_columns columns;
    const struct text_names *names;
    const struct target *target;
    const struct datapath *dp;
    struct file_stream *out;
    struct str line, part;
};

static void put_line(struct uops *u) {
    str_char(&u->line, '\n');
    file_stream_write(u->out, u->line.text, u->line.len);
    str_clear(&u->line);
}

/* The rest of the line: what the machine says. */
static void put_uop(struct uops *u, const struct dp_event *e) {
    u->dp->ops->format(u->dp, e, u->format, &u->line);
    put_line(u);
}

/* ---- text ---- */

/* "# number, MPUs, batch: instruction (place)" before its micro-ops. */
static void text_heading(void *context, const struct watched_insn *x) {
    struct uops *u = context;
    if (!x->step->executes)
        return;
    str_printf(&u->line, "# %" PRIu64 " MPU ", x->number);
    observe_step_mpus_text(x->step, &u->line);
    str_append(&u->line, " batch ");
    observe_step_batch_text(x->step, &u->line);
    str_append(&u->line, ": ");
    observe_text_insn(u->names, x->index, &u->line);
    if (observe_text_place(u->names, x->index, &u->part))
        str_printf(&u->line, "  %s", str_text(&u->part));
    str_clear(&u->part);
    put_line(u);
}

static void text_line(void *context, const struct watched_uop *x) {
    struct uops *u = context;
    const struct dp_event *e = x->event;
    observe_vrfs_text(u->target, e->vrf_first, e->vrf_count, &u->part);
    str_printf(&u->line, "%12" PRIu64 " %3" PRIu32 " %-20s ", e->start_ps, e->unit,
               str_text(&u->part));
    str_clear(&u->part);
    put_uop(u, e);
}

/* ---- columns ---- */

static void put_number(struct uops *u, uint64_t number) {
    str_u64(&u->line, number);
    str_char(&u->line, ',');
}

/* Each name and each field has its comma behind it. */
static const char *const headings[] = {
    [MACHINE_NO_COLUMNS] = "",
    [MACHINE_VRF_COLUMNS] = "number,batch,time_ps,mpu,rfh,vrf,vrfs,",
    [MACHINE_INSN_COLUMNS] = "number,batch,time_ps,mpu,rfh,vrf,vrfs,index,order,",
};

static void put_vrf_columns(struct uops *u, const struct watched_uop *x) {
    const struct dp_event *e = x->event;
    uint32_t per_mpu = target_vrfs_per_mpu(u->target), in_mpu = e->vrf_first % per_mpu;
    put_number(u, x->insn.number);
    observe_step_batch_text(x->insn.step, &u->line);
    str_char(&u->line, ',');
    put_number(u, e->start_ps);
    put_number(u, e->vrf_first / per_mpu);
    put_number(u, in_mpu % u->target->rfh_per_mpu);
    put_number(u, in_mpu / u->target->rfh_per_mpu);
    put_number(u, e->vrf_count);
}

static void column_line(void *context, const struct watched_uop *x) {
    struct uops *u = context;
    if (u->columns != MACHINE_NO_COLUMNS)
        put_vrf_columns(u, x);
    if (u->columns == MACHINE_INSN_COLUMNS) {
        put_number(u, x->insn.index);
        put_number(u, x->order);
    }
    put_uop(u, x->event);
}

/* ---- all ---- */

static void put_heading(struct uops *u, const struct machine_format *f) {
    str_printf(&u->line, "%s%s", headings[f->columns], f->heading);
    if (u->line.len)
        put_line(u);
}

struct uops *observe_uops_new(unsigned format, const struct text_names *names,
                              const struct target *t, const struct datapath *dp,
                              struct file_stream *out) {
    const struct machine_format *f = &machine_formats(t)[format];
    struct uops *u = xcalloc(1, sizeof *u);
    *u = (struct uops){format, f->columns, names, t, dp, out, {0}, {0}};
    put_heading(u, f);
    return u;
}

struct listener observe_uops_listener(struct uops *u) {
    if (u->format == DP_TEXT)
        return (struct listener){text_heading, text_line, u};
    return (struct listener){NULL, column_line, u};
}

void observe_uops_free(struct uops *u) {
    if (!u)
        return;
    str_free(&u->line);
    str_free(&u->part);
    free(u);
}
