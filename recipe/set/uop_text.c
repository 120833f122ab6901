/* SPDX-License-Identifier: MIT
 * Operands in the order of the target file; a plane has one spelling. */
#include "recipe/set/uop_text.h"

/* The class that has scratch row n and no other row, or NULL. */
static const struct row_class *named_class(const struct target *target, unsigned n) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++) {
        const struct row_class *c = &plane_target(target)->row_classes[i];
        if (c->first_scratch == n && c->scratch_rows == 1 && c->first == c->last)
            return c;
    }
    return NULL;
}

void recipe_scratch_row_text(const struct target *target, unsigned row, struct str *out) {
    const struct row_class *c = named_class(target, row);
    if (c)
        str_append(out, c->name);
    else
        str_printf(out, "t%u", row);
}

bool recipe_operand_is_inverted(const struct target_op *op, unsigned index) {
    unsigned ndst = op->ndst, first = op->first_rows, second = op->second_rows;
    if (!first)
        return false;
    if (index < op->nsrc)
        return index >= first - op->first_inverted;
    index -= op->nsrc;
    return index >= ndst - second ? index >= ndst - op->second_inverted
                                  : index >= first - op->first_inverted;
}

static void section_text(uint32_t plane, unsigned here, struct str *out) {
    if (PLANE_SECTION(plane) != here)
        str_printf(out, "@%u", PLANE_SECTION(plane));
}

void recipe_plane_text(const struct target *target, uint32_t plane, unsigned here,
                       struct str *out) {
    unsigned n = PLANE_NUMBER(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        str_printf(out, "r%u[%u]", n >> 6, n & 63);
        return;
    case PLANE_C:
        str_append(out, "C");
        return;
    case PLANE_M:
        str_append(out, "M");
        return;
    case PLANE_VALID:
        str_append(out, "valid");
        return;
    case PLANE_CONST:
        str_append(out, n ? "one" : "zero");
        return;
    case PLANE_SCRATCH:
        recipe_scratch_row_text(target, n, out);
        section_text(plane, here, out);
        return;
    case PLANE_BUFFER:
        str_printf(out, "%s%u", n >> 8 ? "down" : "up", n & 0xff);
        section_text(plane, here, out);
        return;
    case PLANE_NONE:
        break;
    }
    str_append(out, "-");
}

/* Operands first, first + 1, ... of an op. */
static void planes_text(const struct target *target, const struct uop *uop, const uint32_t *planes,
                        unsigned n, unsigned first, struct str *out) {
    const struct target_op *op =
        uop->kind < plane_target(target)->op_count ? &plane_target(target)->ops[uop->kind] : NULL;
    for (unsigned i = 0; i < n; i++) {
        str_append(out, i ? ", " : " ");
        str_append(out, op && recipe_operand_is_inverted(op, first + i) ? "!" : "");
        recipe_plane_text(target, planes[i], uop->section, out);
    }
}

void recipe_uop_text(const struct target *target, const struct uop *uop, struct str *out) {
    str_append(out, uop->kind < plane_target(target)->op_count
                        ? plane_target(target)->ops[uop->kind].name
                        : "?");
    planes_text(target, uop, uop->dst, uop->ndst, uop->nsrc, out);
    str_append(out, uop->nsrc ? " <-" : "");
    planes_text(target, uop, uop->src, uop->nsrc, 0, out);
    if (PLANE_CLASS(uop->predicate) != PLANE_NONE) {
        str_append(out, " if ");
        recipe_plane_text(target, uop->predicate, uop->section, out);
    }
}
