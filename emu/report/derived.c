/* SPDX-License-Identifier: MIT */
#include "emu/report/derived.h"
#include "support/saturate.h"
#include "emu/report/lists.h"
#include "emu/report/load.h"

static const struct control_stats *stats(const struct report_run *r) {
    return control_stats(r->control);
}

/* The kernel took time. */
static bool timed(const struct report_run *r) {
    return stats(r)->cost_known && stats(r)->time_ps != 0;
}

static bool has_elements(const struct report_run *r) {
    return stats(r)->cost_known && stats(r)->elements != 0;
}

/* a * b / c, rounded down; false where `known` is. */
static bool ratio(bool known, uint64_t a, uint64_t b, uint64_t c, uint64_t *out) {
    *out = known && c ? sat_scale(a, b, c) : 0;
    return known && c;
}

/* fJ / ps is mW. */
static bool average_power(const struct report_run *r, uint64_t *out) {
    return ratio(timed(r), report_kernel_energy_fj(r), 1000000, stats(r)->time_ps, out);
}

static bool peak_power(const struct report_run *r, uint64_t *out) {
    *out = stats(r)->peak.power_nw;
    return stats(r)->cost_known && stats(r)->peak.time_ps;
}

/* nW per mm2 of the MPUs in use; areas are in um2. */
static bool per_area(const struct report_run *r,
                     bool (*power)(const struct report_run *, uint64_t *), uint64_t *out) {
    struct target_area a = target_area(r->target);
    uint64_t nw;
    bool known = power(r, &nw) && a.known;
    return ratio(known, nw, 1000000, sat_mul(a.total, stats(r)->mpus_used), out);
}

/* Of the chip: a host's CPU heats another one. */
static bool chip_power(const struct report_run *r, uint64_t *out) {
    uint64_t all = report_kernel_energy_fj(r), host = stats(r)->host_fj;
    return ratio(timed(r), all > host ? all - host : 0, 1000000, stats(r)->time_ps, out);
}

static bool power_density(const struct report_run *r, uint64_t *out) {
    return per_area(r, chip_power, out);
}

static bool peak_power_density(const struct report_run *r, uint64_t *out) {
    return per_area(r, peak_power, out);
}

static bool elements_per_second(const struct report_run *r, uint64_t *out) {
    return ratio(timed(r), stats(r)->elements, 1000000000000, stats(r)->time_ps, out);
}

static bool elements_per_second_end_to_end(const struct report_run *r, uint64_t *out) {
    struct report_sum sum = report_end_to_end(r);
    return ratio(sum.known && stats(r)->elements, stats(r)->elements, 1000000000000, sum.time_ps,
                 out);
}

static bool energy_per_element(const struct report_run *r, uint64_t *out) {
    return ratio(has_elements(r), report_kernel_energy_fj(r), 1, stats(r)->elements, out);
}

static bool time_per_element(const struct report_run *r, uint64_t *out) {
    return ratio(has_elements(r), stats(r)->time_ps, 1000, stats(r)->elements, out);
}

static bool energy_delay(const struct report_run *r, uint64_t *out) {
    return ratio(stats(r)->cost_known, report_kernel_energy_fj(r), stats(r)->time_ps, 1000000, out);
}

static bool micro_ops_per_second(const struct report_run *r, uint64_t *out) {
    return ratio(timed(r), report_kernel_micro_ops(r), 1000000000000, stats(r)->time_ps, out);
}

static bool lanes_of_allocated(const struct report_run *r, uint64_t *out) {
    return ratio(true, stats(r)->lanes_valid, 1000000,
                 sat_mul(stats(r)->vrfs_used, r->package->lanes), out);
}

static bool kernel_share(const struct report_run *r, uint64_t *out) {
    struct report_sum sum = report_end_to_end(r);
    return ratio(sum.known, stats(r)->time_ps, 1000000, sum.time_ps, out);
}

const struct derived_figure report_derived_figures[] = {
    {"average_power_nw", "nW", "`total.energy_fj` / `total.time_ps`", average_power},
    {"peak_power_nw", "nW",
     "the most that the datapath takes over one run of vector instructions (at most 256 without a "
     "jump among them): energy of the run in all VRFs that carry it out at once, that is one batch "
     "of each MPU in step, divided by the time from its start on an idle machine to its last bit; `peak` says which run, where, and how long",
     peak_power},
    {"power_density_nw_per_mm2", "nW/mm2",
     "`average_power_nw` without the host's CPU / area of the MPUs in use (`area`, total of an MPU)",
     power_density},
    {"peak_power_density_nw_per_mm2", "nW/mm2", "`peak_power_nw` / that area", peak_power_density},
    {"elements_per_second", "1/s", "`utilisation.elements` / `total.time_ps`", elements_per_second},
    {"end_to_end_elements_per_second", "1/s", "`utilisation.elements` / `total.end_to_end_time_ps`",
     elements_per_second_end_to_end},
    {"energy_per_element_fj", "fJ", "`total.energy_fj` / `utilisation.elements`",
     energy_per_element},
    {"time_per_element_fs", "fs", "`total.time_ps` / `utilisation.elements`", time_per_element},
    {"energy_delay_fj_us", "fJ us", "`total.energy_fj` x `total.time_ps`", energy_delay},
    {"micro_ops_per_second", "1/s", "`total.micro_ops` / `total.time_ps`", micro_ops_per_second},
    {"lanes_of_allocated_ppm", "millionths",
     "`utilisation.lanes_used` / lanes of `utilisation.vrfs_used`: lanes that hold an element, of "
     "those in VRFs that take part",
     lanes_of_allocated},
    {"kernel_of_end_to_end_ppm", "millionths", "`total.time_ps` / `total.end_to_end_time_ps`",
     kernel_share},
};
const size_t report_derived_count = sizeof report_derived_figures / sizeof *report_derived_figures;

void report_derived(const struct report_run *r, struct figures *f) {
    report_figures_object(f, "derived");
    for (size_t i = 0; i < report_derived_count; i++) {
        uint64_t value;
        bool known = report_derived_figures[i].value(r, &value);
        report_figures_known(f, report_derived_figures[i].key, known, value);
    }
    report_figures_end(f);
}

void report_derived_page(struct str *out) {
    str_append(out, "| figure of `derived` | unit | is |\n|---|---|---|\n");
    for (size_t i = 0; i < report_derived_count; i++)
        str_printf(out, "| `%s` | %s | %s |\n", report_derived_figures[i].key,
                   report_derived_figures[i].unit, report_derived_figures[i].definition);
}
