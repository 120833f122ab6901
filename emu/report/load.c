/* SPDX-License-Identifier: MIT */
#include "emu/report/load.h"
#include "support/saturate.h"
#include "target/host.h"

static uint64_t code_bytes(const struct machine_code *code) {
    struct machine_load load = {0};
    if (code)
        machine_load(code, &load);
    return load.bytes;
}

static void add_transfer(struct report_load *l, const struct target *t, uint64_t bytes) {
    l->time_ps = sat_add(l->time_ps, target_host_serial_ps(t, HOST_IN, bytes));
    l->energy_fj = sat_add(l->energy_fj, target_host_fj(t, bytes));
}

struct report_load report_load(const struct report_run *r) {
    struct report_load l = {.cost_known = r->host.cost_known,
                            .text_bytes = 4 * (uint64_t)r->program->text.len,
                            .recipe_table_bytes = code_bytes(r->package->code)};
    if (!l.cost_known)
        return l;
    add_transfer(&l, r->target, l.text_bytes);
    add_transfer(&l, r->target, l.recipe_table_bytes);
    return l;
}
