/* SPDX-License-Identifier: MIT
 * Micro-ops as text, as fields of CSV, and as commands of a DRAM. */
#include "machines/plane/link/formats.h"
#include "machines/plane/run/dram.h"
#include "machines/plane/run/plane.h"
#include "recipe/uop_text.h"

#include <inttypes.h>

/* Planes with blanks between them; `first` is the number of the first among the operands. */
static void put_planes(const struct target *t, const struct uop *u, const uint32_t *planes,
                       unsigned count, unsigned first, struct str *out) {
    const struct target_op *op = &plane_target(t)->ops[u->kind];
    str_char(out, ',');
    for (unsigned i = 0; i < count; i++) {
        str_append(out, i ? " " : "");
        str_append(out, recipe_operand_is_inverted(op, first + i) ? "!" : "");
        recipe_plane_text(t, planes[i], u->section, out);
    }
}

static void put_csv(const struct target *t, const struct uop *u, struct str *out) {
    str_u64(out, u->section);
    str_append(out, u->forwarded ? ",0," : ",1,");
    str_append(out, plane_target(t)->ops[u->kind].name);
    put_planes(t, u, u->dst, u->ndst, u->nsrc, out);
    put_planes(t, u, u->src, u->nsrc, 0, out);
    str_char(out, ',');
    if (PLANE_CLASS(u->predicate) != PLANE_NONE)
        recipe_plane_text(t, u->predicate, u->section, out);
}

static void put_address(const struct target *t, const struct dram_address *a, struct str *out) {
    str_char(out, ',');
    if (a->name)
        plane_dram_address_text(t, a, out);
    str_char(out, ',');
    if (a->name && a->row != DRAM_NO_ROW)
        str_printf(out, "%" PRIu32, a->row);
}

static void put_dram(const struct plane_machine *m, const struct uop *u, struct str *out) {
    struct dram_address at[2] = {{0}};
    plane_dram_addresses(m->target, m->reg_bits, u, at);
    str_append(out, plane_target(m->target)->ops[u->kind].name);
    put_address(m->target, &at[0], out);
    put_address(m->target, &at[1], out);
}

void plane_format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                  struct str *out) {
    const struct plane_machine *m = plane_of_const(dp);
    const struct uop *u = e->record;
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
