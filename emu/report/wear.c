/* SPDX-License-Identifier: MIT
 * Writes per row as figures. */
#include "support/saturate.h"
#include "emu/report/lists.h"
#include "recipe/plane/plane.h"
#include "recipe/uop.h"

/* "r5[3]", "scratch 12": a row of one section. */
static void row_name(uint32_t plane, struct str *out) {
    uint32_t number = PLANE_NUMBER(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        str_printf(out, "r%u[%u]", number >> 6, number & 63);
        break;
    case PLANE_C:
        str_append(out, "C");
        break;
    case PLANE_M:
        str_append(out, "M");
        break;
    case PLANE_BUFFER:
        str_printf(out, "buffer %u", number >> 8);
        break;
    default:
        str_printf(out, "scratch %u", number);
        break;
    }
}

/* Bit j of a register lies in section j mod sections. */
static uint32_t section_of(const struct target *t, uint32_t plane) {
    if (PLANE_CLASS(plane) == PLANE_REGISTER)
        return plane_target(t)->sections ? PLANE_NUMBER(plane) % 64 % plane_target(t)->sections : 0;
    return PLANE_SECTION(plane);
}

static void most_written(const struct target *t, const struct control_wear *w, struct figures *f) {
    uint32_t per_mpu = target_vrfs_per_mpu(t), vrf = w->most_vrf % per_mpu;
    struct str row = {0};
    row_name(w->most_plane, &row);
    figures_object(f, "most_written");
    figures_number(f, "writes", w->most_writes);
    figures_number(f, "mpu", w->most_vrf / per_mpu);
    figures_number(f, "rfh", vrf % t->rfh_per_mpu);
    figures_number(f, "vrf", vrf / t->rfh_per_mpu);
    figures_text(f, "row", str_text(&row));
    figures_number(f, "section", section_of(t, w->most_plane));
    figures_end(f);
    str_free(&row);
}

void report_wear(const struct report_run *r, struct figures *f) {
    const struct control_wear *w = &control_stats(r->control)->wear;
    if (!w->known) {
        figures_null(f, "wear");
        return;
    }
    figures_object(f, "wear");
    figures_number(f, "row_writes", w->writes);
    figures_number(f, "rows_written", w->rows_written);
    figures_known(f, "mean_writes_milli", w->rows_written != 0,
                  w->rows_written ? sat_scale(w->writes, 1000, w->rows_written) : 0);
    if (w->rows_written)
        most_written(r->target, w, f);
    else
        figures_null(f, "most_written");
    figures_end(f);
}
