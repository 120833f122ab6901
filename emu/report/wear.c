/* SPDX-License-Identifier: MIT
 * Writes per cell as figures. */
#include "support/saturate.h"
#include "emu/report/lists.h"

static void most_written(const struct target *t, const struct control_wear *w, struct figures *f) {
    uint32_t per_mpu = target_vrfs_per_mpu(t), vrf = w->most_vrf % per_mpu;
    report_figures_object(f, "most_written");
    report_figures_number(f, "writes", w->most_writes);
    report_figures_number(f, "mpu", w->most_vrf / per_mpu);
    report_figures_number(f, "rfh", vrf % t->rfh_per_mpu);
    report_figures_number(f, "vrf", vrf / t->rfh_per_mpu);
    report_figures_text(f, "row", w->most_name);
    report_figures_number(f, "section", w->most_unit);
    report_figures_end(f);
}

void report_wear(const struct report_run *r, struct figures *f) {
    const struct control_wear *w = &control_stats(r->control)->wear;
    if (!w->known) {
        report_figures_null(f, "wear");
        return;
    }
    report_figures_object(f, "wear");
    report_figures_number(f, "row_writes", w->writes);
    report_figures_number(f, "rows_written", w->cells_written);
    report_figures_known(f, "mean_writes_milli", w->cells_written != 0,
                         w->cells_written ? sat_scale(w->writes, 1000, w->cells_written) : 0);
    if (w->cells_written)
        most_written(r->target, w, f);
    else
        report_figures_null(f, "most_written");
    report_figures_end(f);
}
