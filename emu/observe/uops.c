/* SPDX-License-Identifier: MIT
 * A header, then a line or words for each micro-op, in the order of execution. */
#include "emu/observe/uops.h"

#include "emu/observe/ranges.h"
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

static void put_line(struct uops *uops) {
    str_char(&uops->line, '\n');
    file_stream_write(uops->out, uops->line.text, uops->line.len);
    str_clear(&uops->line);
}

/* The rest of the line: what the machine says. */
static void put_uop(struct uops *uops, const struct dp_event *event) {
    uops->dp->ops->format(uops->dp, event, uops->format, &uops->line);
    put_line(uops);
}

/* ---- text ---- */

/* "# number, MPUs, batch: instruction (place)" before its micro-ops. */
static void text_heading(void *context, const struct watched_insn *insn) {
    struct uops *u = context;
    if (!insn->step->executes)
        return;
    str_printf(&u->line, "# %" PRIu64 " MPU ", insn->number);
    observe_step_mpus_text(insn->step, &u->line);
    str_append(&u->line, " batch ");
    observe_step_batch_text(insn->step, &u->line);
    str_append(&u->line, ": ");
    observe_text_insn(u->names, insn->index, &u->line);
    if (observe_text_place(u->names, insn->index, &u->part))
        str_printf(&u->line, "  %s", str_text(&u->part));
    str_clear(&u->part);
    put_line(u);
}

static void text_line(void *context, const struct watched_uop *uop) {
    struct uops *u = context;
    const struct dp_event *e = uop->event;
    observe_vrfs_text(u->target, e->vrf_first, e->vrf_count, &u->part);
    str_printf(&u->line, "%12" PRIu64 " %3" PRIu32 " %-20s ", e->start_ps, e->unit,
               str_text(&u->part));
    str_clear(&u->part);
    put_uop(u, e);
}

/* ---- columns ---- */

static void put_number(struct uops *uops, uint64_t number) {
    str_u64(&uops->line, number);
    str_char(&uops->line, ',');
}

/* Each name and each field has its comma behind it. */
static const char *const headings[] = {
    [MACHINE_NO_COLUMNS] = "",
    [MACHINE_VRF_COLUMNS] = "number,batch,time_ps,mpu,rfh,vrf,vrfs,",
    [MACHINE_INSN_COLUMNS] = "number,batch,time_ps,mpu,rfh,vrf,vrfs,index,order,",
};

static void put_vrf_columns(struct uops *uops, const struct watched_uop *uop) {
    const struct dp_event *e = uop->event;
    uint32_t per_mpu = target_vrfs_per_mpu(uops->target), in_mpu = e->vrf_first % per_mpu;
    put_number(uops, uop->insn.number);
    observe_step_batch_text(uop->insn.step, &uops->line);
    str_char(&uops->line, ',');
    put_number(uops, e->start_ps);
    put_number(uops, e->vrf_first / per_mpu);
    put_number(uops, in_mpu % uops->target->rfh_per_mpu);
    put_number(uops, in_mpu / uops->target->rfh_per_mpu);
    put_number(uops, e->vrf_count);
}

static void column_line(void *context, const struct watched_uop *uop) {
    struct uops *u = context;
    if (u->columns != MACHINE_NO_COLUMNS)
        put_vrf_columns(u, uop);
    if (u->columns == MACHINE_INSN_COLUMNS) {
        put_number(u, uop->insn.index);
        put_number(u, uop->order);
    }
    put_uop(u, uop->event);
}

/* ---- all ---- */

static void put_heading(struct uops *uops, const struct machine_format *format) {
    str_printf(&uops->line, "%s%s", headings[format->columns], format->heading);
    if (uops->line.len)
        put_line(uops);
}

struct uops *observe_uops_new(unsigned format, const struct text_names *names,
                              const struct target *target, const struct datapath *dp,
                              struct file_stream *out) {
    const struct machine_format *f = &machine_formats(target)[format];
    struct uops *u = xcalloc(1, sizeof *u);
    *u = (struct uops){format, f->columns, names, target, dp, out, {0}, {0}};
    put_heading(u, f);
    return u;
}

struct listener observe_uops_listener(struct uops *uops) {
    if (uops->format == DP_TEXT)
        return (struct listener){.insn = text_heading, .uop = text_line, .context = uops};
    return (struct listener){.uop = column_line, .context = uops};
}

void observe_uops_free(struct uops *uops) {
    if (!uops)
        return;
    str_free(&uops->line);
    str_free(&uops->part);
    free(uops);
}
