/* SPDX-License-Identifier: MIT
 * The area of a target by component, and figures for each square millimetre. */
#include "support/saturate.h"
#include "emu/report/lists.h"

static void component(struct figures *figures, const char *name, bool known, uint64_t um2,
                      uint64_t mpus) {
    report_figures_object(figures, NULL);
    report_figures_text(figures, "component", name);
    report_figures_known(figures, "mpu_um2", known, um2);
    report_figures_known(figures, "chip_um2", known, sat_mul(um2, mpus));
    report_figures_end(figures);
}

void report_area(const struct report_run *run, struct figures *figures) {
    const struct target *t = run->target;
    struct target_area a = target_area(t);
    report_figures_array(figures, "area");
    component(figures, "arrays", a.arrays != 0, a.arrays, t->mpus);
    component(figures, "front_end", a.front_end_known, a.front_end, t->mpus);
    component(figures, "total", a.known, a.total, t->mpus);
    component(figures, "scratch", a.arrays != 0, a.scratch, t->mpus);
    report_figures_end(figures);
}

void report_front_end(const struct report_run *run, struct figures *figures) {
    struct target_front_end_entry parts[FRONT_END_PARTS];
    bool there = control_stats(run->control)->cost_known && run->target->control == CONTROL_MPU;
    target_front_end_parts(run->target, parts);
    report_figures_array(figures, "front_end");
    for (unsigned k = 0; there && k < FRONT_END_PARTS; k++) {
        report_figures_object(figures, NULL);
        report_figures_text(figures, "part", parts[k].name);
        report_figures_text(figures, "unit", parts[k].unit);
        report_figures_number(figures, "size", parts[k].size);
        report_figures_number(figures, "mpu_um2", parts[k].takes.um2);
        report_figures_number(figures, "static_nw", parts[k].takes.static_nw);
        report_figures_number(figures, "cycle_fj", parts[k].takes.fj);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}
