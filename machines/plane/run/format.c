/* SPDX-License-Identifier: MIT
 * Micro-ops as text, as fields of CSV, and as commands of a DRAM.  What is sent beside them has the
 * forms of host_words.h, with the program's registers. */
#include "machines/plane/link/formats.h"
#include "machines/plane/link/host_words.h"
#include "machines/plane/run/dram.h"
#include "machines/plane/run/plane.h"
#include "recipe/set/uop_text.h"

#include <inttypes.h>

/* Planes with blanks between them; `first` is the number of the first among the operands. */
static void put_planes(const struct target *target, const struct uop *uop, const uint32_t *planes,
                       unsigned count, unsigned first, struct str *out) {
    const struct target_op *op = &plane_target(target)->ops[uop->kind];
    str_char(out, ',');
    for (unsigned i = 0; i < count; i++) {
        str_append(out, i ? " " : "");
        str_append(out, recipe_operand_is_inverted(op, first + i) ? "!" : "");
        recipe_plane_text(target, planes[i], uop->section, out);
    }
}

/* ---- what is sent beside micro-ops ---- */

/* "r4": its first cells; "r4[32..]"; scratch rows as others have them. */
static void put_word_at(const struct target *target, uint32_t plane, struct str *out) {
    uint32_t number = PLANE_NUMBER(plane), bit = number & 63;
    if (PLANE_CLASS(plane) != PLANE_REGISTER) {
        recipe_plane_text(target, plane, PLANE_SECTION(plane), out);
        return;
    }
    str_printf(out, "r%" PRIu32, number >> 6);
    if (bit)
        str_printf(out, "[%" PRIu32 "..]", bit);
}

/* What is selected or written. */
static void put_side_result(const struct target *target, const struct plane_side_word *word,
                            struct str *out) {
    switch (word->side) {
    case SIDE_CROSSBARS:
    case SIDE_ROWS:
        str_printf(out, "%" PRIu32 "..%" PRIu32, word->range.first, word->range.last);
        if (word->range.step > 1)
            str_printf(out, ":%" PRIu32, word->range.step);
        break;
    case SIDE_WRITE:
        put_word_at(target, word->to, out);
        break;
    case SIDE_MOVE:
        str_printf(out, "x%" PRIu32 ".", word->crossbar);
        put_word_at(target, word->to, out);
        str_printf(out, "@%" PRIu32, word->to_row);
        break;
    default:
        break;
    }
}

static void put_side_operand(const struct target *target, const struct plane_side_word *word,
                             struct str *out) {
    if (word->side == SIDE_WRITE)
        str_printf(out, "0x%" PRIx64, word->data);
    if (word->side == SIDE_READ || word->side == SIDE_MOVE)
        put_word_at(target, word->from, out);
    if (word->side == SIDE_MOVE)
        str_printf(out, "@%" PRIu32, word->from_row);
}

static void put_side(const struct plane_machine *machine, const struct dp_event *event,
                     enum plane_format format, struct str *out) {
    const struct plane_side_word *w = event->record;
    const char *name = machine->kinds[event->kind].name;
    bool text = format == PLANE_FORMAT_TEXT, both = w->side == SIDE_WRITE || w->side == SIDE_MOVE;
    str_printf(out, text ? "%s " : format == PLANE_FORMAT_CSV ? "0,1,%s," : "%s,,,,", name);
    if (format == PLANE_FORMAT_DRAM)
        return;
    put_side_result(machine->target, w, out);
    str_append(out, !text ? "," : both ? " <- " : "");
    put_side_operand(machine->target, w, out);
    str_append(out, text ? "" : ",");
}

static void put_csv(const struct target *target, const struct uop *uop, struct str *out) {
    str_u64(out, uop->section);
    str_append(out, uop->forwarded ? ",0," : ",1,");
    str_append(out, plane_target(target)->ops[uop->kind].name);
    put_planes(target, uop, uop->dst, uop->ndst, uop->nsrc, out);
    put_planes(target, uop, uop->src, uop->nsrc, 0, out);
    str_char(out, ',');
    if (PLANE_CLASS(uop->predicate) != PLANE_NONE)
        recipe_plane_text(target, uop->predicate, uop->section, out);
}

static void put_address(const struct target *target, const struct dram_address *address,
                        struct str *out) {
    str_char(out, ',');
    if (address->name)
        plane_dram_address_text(target, address, out);
    str_char(out, ',');
    if (address->name && address->row != DRAM_NO_ROW)
        str_printf(out, "%" PRIu32, address->row);
}

static void put_dram(const struct plane_machine *machine, const struct uop *uop, struct str *out) {
    struct dram_address at[2] = {{0}};
    plane_dram_addresses(machine->target, machine->reg_bits, uop, at);
    str_append(out, plane_target(machine->target)->ops[uop->kind].name);
    put_address(machine->target, &at[0], out);
    put_address(machine->target, &at[1], out);
}

void plane_format(const struct datapath *dp, const struct dp_event *event, unsigned format,
                  struct str *out) {
    const struct plane_machine *m = plane_of_const(dp);
    const struct uop *u = event->record;
    if (event->kind == plane_kinds(m->target)) {
        plane_word_text(event->record, out);
        return;
    }
    if (event->kind >= plane_target(m->target)->op_count) {
        put_side(m, event, format, out);
        return;
    }
    switch ((enum plane_format)format) {
    case PLANE_FORMAT_TEXT:
        recipe_uop_text(m->target, u, out);
        return;
    case PLANE_FORMAT_CSV:
        put_csv(m->target, u, out);
        return;
    case PLANE_FORMAT_DRAM:
        put_dram(m, u, out);
        return;
    case PLANE_FORMAT_WORDS: /* words_out.c */
    case PLANE_FORMAT_HEX:
    case PLANE_FORMATS:
        break;
    }
}
