/* SPDX-License-Identifier: MIT */
#include "recipe/uop_text.h"

/* The class that has scratch row n and no other row, or NULL. */
static const struct row_class *named_class(const struct target *t, unsigned n) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++) {
        const struct row_class *c = &plane_target(t)->row_classes[i];
        if (c->first_scratch == n && c->scratch_rows == 1 && c->first == c->last)
            return c;
    }
    return NULL;
}

void recipe_scratch_row_text(const struct target *t, unsigned row, struct str *out) {
    const struct row_class *c = named_class(t, row);
    if (c)
        str_append(out, c->name);
    else
        str_printf(out, "t%u", row);
}

bool recipe_operand_is_inverted(const struct target_op *op, unsigned i) {
    unsigned ndst = op->ndst, first = op->first_rows, second = op->second_rows;
    if (!first)
        return false;
    if (i < op->nsrc)
        return i >= first - op->first_inverted;
    i -= op->nsrc;
    return i >= ndst - second ? i >= ndst - op->second_inverted : i >= first - op->first_inverted;
}

static void section_text(uint32_t plane, unsigned here, struct str *out) {
    if (PLANE_SECTION(plane) != here)
        str_printf(out, "@%u", PLANE_SECTION(plane));
}

void recipe_plane_text(const struct target *t, uint32_t plane, unsigned here, struct str *out) {
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
        recipe_scratch_row_text(t, n, out);
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
static void planes_text(const struct target *t, const struct uop *u, const uint32_t *planes,
                        unsigned n, unsigned first, struct str *out) {
    const struct target_op *op =
        u->kind < plane_target(t)->op_count ? &plane_target(t)->ops[u->kind] : NULL;
    for (unsigned i = 0; i < n; i++) {
        str_append(out, i ? ", " : " ");
        str_append(out, op && recipe_operand_is_inverted(op, first + i) ? "!" : "");
        recipe_plane_text(t, planes[i], u->section, out);
    }
}

void recipe_uop_text(const struct target *t, const struct uop *u, struct str *out) {
    str_append(out, u->kind < plane_target(t)->op_count ? plane_target(t)->ops[u->kind].name : "?");
    planes_text(t, u, u->dst, u->ndst, u->nsrc, out);
    str_append(out, u->nsrc ? " <-" : "");
    planes_text(t, u, u->src, u->nsrc, 0, out);
    if (PLANE_CLASS(u->predicate) != PLANE_NONE) {
        str_append(out, " if ");
        recipe_plane_text(t, u->predicate, u->section, out);
    }
    if (u->count > 1)
        str_printf(out, " x %u, stride %d", u->count, u->stride);
}
