/* SPDX-License-Identifier: MIT
 * The table of derived figures.  A figure whose inputs are not known is null, never 0. */
#include "emu/report/derived.h"
#include "support/saturate.h"
#include "emu/report/lists.h"
#include "emu/report/load.h"

static const struct control_stats *stats(const struct report_run *run) {
    return control_stats(run->control);
}

/* The kernel took time. */
static bool timed(const struct report_run *run) {
    return stats(run)->cost_known && stats(run)->time_ps != 0;
}

static bool has_elements(const struct report_run *run) {
    return stats(run)->cost_known && stats(run)->elements != 0;
}

/* left * right / c, rounded down; false where `known` is. */
static bool ratio(bool known, uint64_t left, uint64_t right, uint64_t c, uint64_t *out) {
    *out = known && c ? sat_scale(left, right, c) : 0;
    return known && c;
}

/* fJ / ps is mW. */
static bool average_power(const struct report_run *run, uint64_t *out) {
    return ratio(timed(run), report_kernel_energy_fj(run), 1000000, stats(run)->time_ps, out);
}

static bool peak_power(const struct report_run *run, uint64_t *out) {
    *out = stats(run)->peak.power_nw;
    return stats(run)->cost_known && stats(run)->peak.time_ps;
}

/* nW per mm2 of the MPUs in use; areas are in um2. */
static bool per_area(const struct report_run *run,
                     bool (*power)(const struct report_run *, uint64_t *), uint64_t *out) {
    struct target_area a = target_area(run->target);
    uint64_t nw;
    bool known = power(run, &nw) && a.known;
    return ratio(known, nw, 1000000, sat_mul(a.total, stats(run)->mpus_used), out);
}

/* Of the chip: a host's CPU heats another one. */
static bool chip_power(const struct report_run *run, uint64_t *out) {
    uint64_t all = report_kernel_energy_fj(run), host = stats(run)->host_fj;
    return ratio(timed(run), all > host ? all - host : 0, 1000000, stats(run)->time_ps, out);
}

static bool power_density(const struct report_run *run, uint64_t *out) {
    return per_area(run, chip_power, out);
}

static bool peak_power_density(const struct report_run *run, uint64_t *out) {
    return per_area(run, peak_power, out);
}

static bool elements_per_second(const struct report_run *run, uint64_t *out) {
    return ratio(timed(run), stats(run)->elements, 1000000000000, stats(run)->time_ps, out);
}

static bool elements_per_second_end_to_end(const struct report_run *run, uint64_t *out) {
    struct report_sum sum = report_end_to_end(run);
    return ratio(sum.known && stats(run)->elements, stats(run)->elements, 1000000000000,
                 sum.time_ps, out);
}

static bool energy_per_element(const struct report_run *run, uint64_t *out) {
    return ratio(has_elements(run), report_kernel_energy_fj(run), 1, stats(run)->elements, out);
}

static bool time_per_element(const struct report_run *run, uint64_t *out) {
    return ratio(has_elements(run), stats(run)->time_ps, 1000, stats(run)->elements, out);
}

static bool energy_delay(const struct report_run *run, uint64_t *out) {
    return ratio(stats(run)->cost_known, report_kernel_energy_fj(run), stats(run)->time_ps, 1000000,
                 out);
}

static bool micro_ops_per_second(const struct report_run *run, uint64_t *out) {
    return ratio(timed(run), report_kernel_micro_ops(run), 1000000000000, stats(run)->time_ps, out);
}

static bool element_instructions_per_second(const struct report_run *run, uint64_t *out) {
    return ratio(timed(run) && stats(run)->element_instructions_known,
                 stats(run)->element_instructions, 1000000000000, stats(run)->time_ps, out);
}

/* Instructions and micro-ops alone take slots: fetches and templates go their own ways. */
static bool issue_slots_used(const struct report_run *run, uint64_t *out) {
    const struct control_stats *s = stats(run);
    *out = sat_add(s->part_cycles[TIMING_DECODE], s->part_cycles[TIMING_COMPUTE]);
    return s->cost_known;
}

static bool issue_slots_there(const struct report_run *run, uint64_t *out) {
    return ratio(timed(run), stats(run)->time_ps, stats(run)->mpus_used,
                 target_issue_ps(run->target), out);
}

static bool issue_slots_share(const struct report_run *run, uint64_t *out) {
    uint64_t used, there;
    bool known = issue_slots_used(run, &used) && issue_slots_there(run, &there);
    return ratio(known, used, 1000000, known ? there : 0, out);
}

static bool lanes_of_allocated(const struct report_run *run, uint64_t *out) {
    return ratio(true, stats(run)->lanes_valid, 1000000,
                 sat_mul(stats(run)->vrfs_used, run->package->lanes), out);
}

static bool kernel_share(const struct report_run *run, uint64_t *out) {
    struct report_sum sum = report_end_to_end(run);
    return ratio(sum.known, stats(run)->time_ps, 1000000, sum.time_ps, out);
}

struct derived_figure {
    const char *key;        /* ends in its unit, where it has one */
    const char *unit;       /* in words */
    const char *definition; /* with the names of other figures */
    /* False: not known, for this run or on this target. */
    bool (*value)(const struct report_run *r, uint64_t *out);
};
static const struct derived_figure report_derived_figures[] = {
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
    {"element_instructions_per_second", "1/s", "`total.element_instructions` / `total.time_ps`",
     element_instructions_per_second},
    {"issue_slots_used", "slots",
     "cycles of `decode` and `compute` ([components](#components)): instructions and micro-ops that "
     "were issued, all MPUs together",
     issue_slots_used},
    {"issue_slots_there", "slots",
     "`total.time_ps` x `utilisation.mpus_used` / the time of a slot: those that the MPUs in use "
     "had",
     issue_slots_there},
    {"issue_slots_used_ppm", "millionths", "`issue_slots_used` / `issue_slots_there`",
     issue_slots_share},
    {"lanes_of_allocated_ppm", "millionths",
     "`utilisation.lanes_used` / lanes of `utilisation.vrfs_used`: lanes that hold an element, of "
     "those in VRFs that take part",
     lanes_of_allocated},
    {"kernel_of_end_to_end_ppm", "millionths", "`total.time_ps` / `total.end_to_end_time_ps`",
     kernel_share},
};
static const size_t report_derived_count =
    sizeof report_derived_figures / sizeof *report_derived_figures;

void report_derived(const struct report_run *run, struct figures *figures) {
    report_figures_object(figures, "derived");
    for (size_t i = 0; i < report_derived_count; i++) {
        uint64_t value;
        bool known = report_derived_figures[i].value(run, &value);
        report_figures_known(figures, report_derived_figures[i].key, known, value);
    }
    report_figures_end(figures);
}

void report_derived_page(struct str *out) {
    str_append(out, "| figure of `derived` | unit | is |\n|---|---|---|\n");
    for (size_t i = 0; i < report_derived_count; i++)
        str_printf(out, "| `%s` | %s | %s |\n", report_derived_figures[i].key,
                   report_derived_figures[i].unit, report_derived_figures[i].definition);
}
