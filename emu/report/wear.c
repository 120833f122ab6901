/* SPDX-License-Identifier: MIT
 * Writes per cell as figures. */
#include "support/saturate.h"
#include "emu/report/lists.h"

static void most_written(const struct target *t, const struct control_wear *w, struct figures *f) {
    uint32_t per_mpu = target_vrfs_per_mpu(t), vrf = w->most_vrf % per_mpu;
    figures_object(f, "most_written");
    figures_number(f, "writes", w->most_writes);
    figures_number(f, "mpu", w->most_vrf / per_mpu);
    figures_number(f, "rfh", vrf % t->rfh_per_mpu);
    figures_number(f, "vrf", vrf / t->rfh_per_mpu);
    figures_text(f, "row", w->most_name);
    figures_number(f, "section", w->most_unit);
    figures_end(f);
}

void report_wear(const struct report_run *r, struct figures *f) {
    const struct control_wear *w = &control_stats(r->control)->wear;
    if (!w->known) {
        figures_null(f, "wear");
        return;
    }
    figures_object(f, "wear");
    figures_number(f, "row_writes", w->writes);
    figures_number(f, "rows_written", w->cells_written);
    figures_known(f, "mean_writes_milli", w->cells_written != 0,
                  w->cells_written ? sat_scale(w->writes, 1000, w->cells_written) : 0);
    if (w->cells_written)
        most_written(r->target, w, f);
    else
        figures_null(f, "most_written");
    figures_end(f);
}
