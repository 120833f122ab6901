/* SPDX-License-Identifier: MIT
 * Writes per cell as figures. */
#include "support/saturate.h"
#include "emu/report/lists.h"

static void most_written(const struct target *target, const struct control_wear *wear,
                         struct figures *figures) {
    uint32_t per_mpu = target_vrfs_per_mpu(target), vrf = wear->most_vrf % per_mpu;
    report_figures_object(figures, "most_written");
    report_figures_number(figures, "writes", wear->most_writes);
    report_figures_number(figures, "mpu", wear->most_vrf / per_mpu);
    report_figures_number(figures, "rfh", vrf % target->rfh_per_mpu);
    report_figures_number(figures, "vrf", vrf / target->rfh_per_mpu);
    report_figures_text(figures, "row", wear->most_name);
    report_figures_number(figures, "section", wear->most_unit);
    report_figures_end(figures);
}

/* A millionth of 365.25 days. */
#define PS_OF_A_MICROYEAR 31557600000000u

/* How often the run can be repeated until its most written cell has had its endurance, and how long
 * that takes if one run follows the other. */
static void lifetime(const struct report_run *run, const struct control_wear *wear,
                     struct figures *figures) {
    uint64_t endurance = run->target->endurance, most = wear->most_writes,
             ps = control_stats(run->control)->time_ps;
    bool known = endurance && most;
    uint64_t runs = known ? endurance / most : 0;
    report_figures_known(figures, "endurance", endurance != 0, endurance);
    report_figures_known(figures, "lifetime_runs", known, runs);
    report_figures_known(figures, "lifetime_years_micro", known,
                         sat_scale(runs, ps, PS_OF_A_MICROYEAR));
}

void report_wear(const struct report_run *run, struct figures *figures) {
    const struct control_wear *w = &control_stats(run->control)->wear;
    if (!w->known) {
        report_figures_null(figures, "wear");
        return;
    }
    report_figures_object(figures, "wear");
    report_figures_number(figures, "row_writes", w->writes);
    report_figures_number(figures, "rows_written", w->cells_written);
    report_figures_known(figures, "mean_writes_milli", w->cells_written != 0,
                         w->cells_written ? sat_scale(w->writes, 1000, w->cells_written) : 0);
    if (w->cells_written)
        most_written(run->target, w, figures);
    else
        report_figures_null(figures, "most_written");
    lifetime(run, w, figures);
    report_figures_end(figures);
}
