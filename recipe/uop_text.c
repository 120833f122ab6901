/* SPDX-License-Identifier: MIT */
#include "recipe/uop_text.h"

static void in_section(const char *name, unsigned number, uint32_t plane, unsigned here,
                       struct str *out) {
    str_printf(out, "%s%u", name, number);
    if (PLANE_SECTION(plane) != here)
        str_printf(out, "@%u", PLANE_SECTION(plane));
}

void plane_text(uint32_t plane, unsigned here, struct str *out) {
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
        in_section("t", n, plane, here, out);
        return;
    case PLANE_BUFFER:
        in_section(n >> 8 ? "down" : "up", n & 0xff, plane, here, out);
        return;
    case PLANE_NONE:
        break;
    }
    str_append(out, "-");
}

static void planes_text(const uint32_t *planes, unsigned n, unsigned here, struct str *out) {
    for (unsigned i = 0; i < n; i++) {
        str_append(out, i ? ", " : " ");
        plane_text(planes[i], here, out);
    }
}

void uop_text(const struct target *t, const struct uop *u, struct str *out) {
    str_append(out, u->kind < t->op_count ? t->ops[u->kind].name : "?");
    planes_text(u->dst, u->ndst, u->section, out);
    str_append(out, u->nsrc ? " <-" : "");
    planes_text(u->src, u->nsrc, u->section, out);
    if (PLANE_CLASS(u->predicate) != PLANE_NONE) {
        str_append(out, " if ");
        plane_text(u->predicate, u->section, out);
    }
    if (u->count > 1)
        str_printf(out, " x %u, stride %d", u->count, u->stride);
}
