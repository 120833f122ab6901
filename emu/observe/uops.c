/* SPDX-License-Identifier: MIT */
#include "emu/observe/uops.h"

#include "emu/observe/dram.h"
#include "emu/observe/place.h"
#include "recipe/uop_text.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct uops {
    enum uops_format format;
    const struct text_names *names;
    const struct target *target;
    struct file_stream *out;
    struct str line, part;
};

const char *uops_format_name(enum uops_format f) {
    static const char *const names[UOPS_FORMATS] = {"text", "csv", "dram"};
    return names[f];
}

static void put_line(struct uops *u) {
    str_char(&u->line, '\n');
    file_stream_write(u->out, u->line.text, u->line.len);
    str_clear(&u->line);
}

/* ---- text ---- */

/* "# number, MPUs, batch: instruction (place)" before its micro-ops. */
static void text_heading(void *context, const struct watched_insn *x) {
    struct uops *u = context;
    if (!x->step->executes)
        return;
    str_printf(&u->line, "# %" PRIu64 " MPU ", x->number);
    step_mpus_text(x->step, &u->line);
    str_append(&u->line, " batch ");
    step_batch_text(x->step, &u->line);
    str_append(&u->line, ": ");
    text_insn(u->names, x->index, &u->line);
    if (text_place(u->names, x->index, &u->part))
        str_printf(&u->line, "  %s", str_text(&u->part));
    str_clear(&u->part);
    put_line(u);
}

static void text_line(void *context, const struct watched_uop *x) {
    struct uops *u = context;
    vrfs_text(u->target, x->vrf, x->vrfs, &u->part);
    str_printf(&u->line, "%12" PRIu64 " %3" PRIu32 " %-20s ", x->time_ps, (uint32_t)x->uop->section,
               str_text(&u->part));
    str_clear(&u->part);
    uop_text(u->target, x->uop, &u->line);
    put_line(u);
}

/* ---- csv ---- */

static void put_number(struct uops *u, uint64_t number) {
    str_char(&u->line, ',');
    str_u64(&u->line, number);
}

static void put_place(struct uops *u, const struct watched_uop *x) {
    uint32_t per_mpu = target_vrfs_per_mpu(u->target), in_mpu = x->vrf % per_mpu;
    str_u64(&u->line, x->insn.number);
    str_char(&u->line, ',');
    step_batch_text(x->insn.step, &u->line);
    put_number(u, x->time_ps);
    put_number(u, x->vrf / per_mpu);
    put_number(u, in_mpu % u->target->rfh_per_mpu);
    put_number(u, in_mpu / u->target->rfh_per_mpu);
    put_number(u, x->vrfs);
}

/* Planes with blanks between them; `first` is the number of the first among the operands. */
static void put_planes(struct uops *u, const struct watched_uop *x, const uint32_t *planes,
                       unsigned count, unsigned first) {
    str_char(&u->line, ',');
    for (unsigned i = 0; i < count; i++) {
        str_append(&u->line, i ? " " : "");
        str_append(&u->line, operand_is_inverted(x->op, first + i) ? "!" : "");
        plane_text(u->target, planes[i], x->uop->section, &u->line);
    }
}

static void csv_line(void *context, const struct watched_uop *x) {
    struct uops *u = context;
    bool predicated = PLANE_CLASS(x->uop->predicate) != PLANE_NONE;
    put_place(u, x);
    put_number(u, x->insn.index);
    put_number(u, x->order);
    put_number(u, x->uop->section);
    put_number(u, !x->uop->forwarded);
    str_char(&u->line, ',');
    str_append(&u->line, x->op->name);
    put_planes(u, x, x->uop->dst, x->uop->ndst, x->uop->nsrc);
    put_planes(u, x, x->uop->src, x->uop->nsrc, 0);
    str_char(&u->line, ',');
    if (predicated)
        plane_text(u->target, x->uop->predicate, x->uop->section, &u->line);
    put_line(u);
}

/* ---- dram ---- */

static void put_address(struct uops *u, const struct dram_address *a) {
    str_char(&u->line, ',');
    if (a->name)
        dram_address_text(u->target, a, &u->line);
    str_char(&u->line, ',');
    if (a->name && a->row != DRAM_NO_ROW)
        str_printf(&u->line, "%" PRIu32, a->row);
}

static void dram_line(void *context, const struct watched_uop *x) {
    struct uops *u = context;
    struct dram_address at[2] = {{0}};
    dram_addresses(u->target, u->names->package->reg_bits, x->uop, at);
    put_place(u, x);
    str_printf(&u->line, ",%s", x->op->name);
    put_address(u, &at[0]);
    put_address(u, &at[1]);
    put_line(u);
}

/* ---- all ---- */

#define PLACE "number,batch,time_ps,mpu,rfh,vrf,vrfs"
static const struct {
    const char *heading;
    void (*insn)(void *context, const struct watched_insn *x);
    void (*uop)(void *context, const struct watched_uop *x);
} forms[UOPS_FORMATS] = {
    [UOPS_TEXT] = {"", text_heading, text_line},
    [UOPS_CSV] = {PLACE ",index,order,section,issued,micro_op,results,operands,predicate\n", NULL,
                  csv_line},
    [UOPS_DRAM] = {PLACE ",command,first,first_row,second,second_row\n", NULL, dram_line},
};

struct uops *uops_new(enum uops_format f, const struct text_names *names, const struct target *t,
                      struct file_stream *out) {
    struct uops *u = xcalloc(1, sizeof *u);
    *u = (struct uops){.format = f, .names = names, .target = t, .out = out};
    file_stream_write(out, forms[f].heading, strlen(forms[f].heading));
    return u;
}

struct listener uops_listener(struct uops *u) {
    return (struct listener){forms[u->format].insn, forms[u->format].uop, u};
}

void uops_free(struct uops *u) {
    if (!u)
        return;
    str_free(&u->line);
    str_free(&u->part);
    free(u);
}
