/* SPDX-License-Identifier: MIT
 * The bytes of text and recipe table that go over the host's link, and the time and energy that
 * this takes, with constants and tables of VRFs. */
#include "emu/report/load.h"
#include "support/saturate.h"
#include "target/host.h"

static uint64_t code_bytes(const struct machine_code *code) {
    struct machine_load load = {0};
    if (code)
        machine_load(code, &load);
    return load.bytes;
}

/* What is not there takes no set-up. */
static void add_transfer(struct report_load *load, const struct target *target, uint64_t bytes) {
    if (!bytes)
        return;
    load->time_ps = sat_add(load->time_ps, target_host_serial_ps(target, HOST_IN, bytes));
    load->energy_fj = sat_add(load->energy_fj, target_host_fj(target, bytes));
}

struct report_load report_load(const struct report_run *run) {
    struct report_load l = {.cost_known = run->host.cost_known,
                            .text_bytes = 4 * (uint64_t)run->program->text.len,
                            .recipe_table_bytes = code_bytes(run->package->code)};
    if (!l.cost_known)
        return l;
    add_transfer(&l, run->target, l.text_bytes);
    add_transfer(&l, run->target, l.recipe_table_bytes);
    l.established = control_stats(run->control)->established;
    l.time_ps = sat_add(l.time_ps, l.established.time_ps);
    l.energy_fj = sat_add(l.energy_fj, l.established.energy_fj);
    return l;
}
