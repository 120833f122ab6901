/* SPDX-License-Identifier: MIT
 * Micro-ops as text, as fields of CSV, and as commands of a DRAM. */
#include "machines/plane/link/formats.h"
#include "machines/plane/link/host_words.h"
#include "machines/plane/run/dram.h"
#include "machines/plane/run/plane.h"
#include "recipe/uop_text.h"

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
    if (event->kind == plane_target(m->target)->op_count) {
        plane_word_text(event->record, out);
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
    case PLANE_FORMATS:
        break;
    }
}
