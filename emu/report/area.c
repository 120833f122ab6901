/* SPDX-License-Identifier: MIT */
#include "support/saturate.h"
#include "emu/report/lists.h"

static void component(struct figures *f, const char *name, bool known, uint64_t um2,
                      uint64_t mpus) {
    report_figures_object(f, NULL);
    report_figures_text(f, "component", name);
    report_figures_known(f, "mpu_um2", known, um2);
    report_figures_known(f, "chip_um2", known, sat_mul(um2, mpus));
    report_figures_end(f);
}

void report_area(const struct report_run *r, struct figures *f) {
    const struct target *t = r->target;
    struct target_area a = target_area(t);
    report_figures_array(f, "area");
    component(f, "arrays", a.arrays != 0, a.arrays, t->mpus);
    component(f, "front_end", a.front_end_known, a.front_end, t->mpus);
    component(f, "total", a.known, a.total, t->mpus);
    component(f, "scratch", a.arrays != 0, a.scratch, t->mpus);
    report_figures_end(f);
}
