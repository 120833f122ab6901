/* SPDX-License-Identifier: MIT
 * A machine of one VRF, which says what an instruction takes, or (DP_COST_MEASURED) carries it out.
 */
#include "tools/mpu-recipe/meter.h"

#include "machines/verify/verify.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "tools/mpu-recipe/cost.h"

#include <string.h>

struct meter_slots meter_slots_of(const struct recipe_source *source, const uint8_t *asked,
                                  size_t count) {
    const struct machine *m = source->library->machine;
    struct meter_slots s = {{0}};
    unsigned n = 0;
    for (unsigned slot = machine_next_slot(m, 0); slot; slot = machine_next_slot(m, slot))
        if (!m->slots || !count || memchr(asked, (int)slot, count))
            s.bits[n++] = (uint8_t)slot;
    return s;
}

bool meter_fits(unsigned slot, const struct insn *insn) {
    return insn->width <= slot;
}

bool meter_has(const struct recipe_source *source, enum isa_op op) {
    return (isa_info(op)->flags & ISA_VECTOR) && machine_has(source->library, op);
}

void meter_slots_text(const struct meter_slots *slots, unsigned first, unsigned count,
                      struct str *out) {
    str_printf(out, "%u", slots->bits[first]);
    if (count > 1)
        str_printf(out, "-%u", slots->bits[first + count - 1]);
}

/* What the machine is opened for. */
struct meter {
    struct target target; /* with one VRF */
    struct verify_machine machine;
    uint8_t reg_bits[64];
    struct machine_kin kin;
    struct datapath *dp;
};

static bool open_meter(struct meter *meter, const struct recipe_source *source, unsigned slot,
                       struct diag *diag) {
    if (!verify_library(&meter->machine, source->library, slot))
        return false;
    meter->target = *source->target;
    if (meter->machine.lanes)
        meter->target.lanes = meter->machine.lanes;
    memset(meter->reg_bits, (int)slot, 4); /* those that forms name */
    meter->kin =
        (struct machine_kin){.slot = (uint8_t)slot, .lanes = meter->target.lanes, .fixed = false};
    memcpy(meter->kin.reg_bits, meter->reg_bits, sizeof meter->kin.reg_bits);
    struct dp_setup setup = meter->machine.setup;
    setup.target = &meter->target;
    setup.mpus = 1;
    setup.lanes = meter->target.lanes;
    setup.reg_bits = meter->reg_bits;
    meter->dp = meter->machine.open(&setup, diag);
    return meter->dp != NULL;
}

/* All of its lanes work from here on. */
static void bind(const struct meter *meter) {
    const struct datapath_ops *ops = meter->dp->ops;
    const struct vrf_range one = {0, 1};
    const struct dp_binding all = {0, meter->target.lanes, 0, 0};
    struct dp_cost unasked = {0};
    if (meter->dp->tables.establishes)
        ops->establish(meter->dp, (struct vrf_set){&one, 1}, 0, &unasked);
    ops->bind(meter->dp, &all, 1);
}

static void measure(const struct meter *meter, const struct dp_code *code, struct meter_cost *out,
                    uint64_t *ps) {
    const struct dp_tables *t = &meter->dp->tables;
    const struct vrf_range one = {0, 1};
    uint64_t *uops = xcalloc(t->kind_count + 1u, sizeof *uops),
             *energy = xcalloc(t->part_count + 1u, sizeof *energy);
    struct dp_outcome o = {.insn_done_ps = ps,
                           .insn_micro_ops = &out->micro_ops,
                           .insn_energy_fj = &out->energy_fj,
                           .uops = uops,
                           .energy_fj = energy};
    bind(meter);
    meter->dp->ops->execute(meter->dp, code, (struct vrf_set){&one, 1}, (struct dp_moment){0, 0},
                            &o);
    free(uops);
    free(energy);
}

static void take(const struct meter *meter, const struct dp_code *code, struct meter_cost *out) {
    struct dp_description about = {0};
    uint64_t ps = 0;
    meter->dp->ops->describe(meter->dp, code, &about);
    if (about.form == DP_COST_MEASURED) {
        measure(meter, code, out, &ps);
    } else {
        ps = about.latency_ps;
        out->micro_ops = about.micro_ops;
        out->energy_fj = about.insn_energy_fj ? about.insn_energy_fj[0] : 0;
    }
    if (about.form == DP_COST_LANES)
        out->energy_fj = sat_add(out->energy_fj,
                                 dp_lanes_fj(&about, about.insn_lane_fj[0], meter->target.lanes));
    out->latency_cycles = ceil_div(ps, meter->target.datapath_ps);
}

bool meter_read(const struct recipe_source *source, unsigned slot, const struct insn *insn,
                bool masked, struct meter_cost *out, struct diag *diag) {
    struct meter m = {.dp = NULL};
    struct str problem = {0};
    *out = (struct meter_cost){0};
    bool fine = open_meter(&m, source, slot, diag);
    if (fine && !machine_fits(source->library, insn, &m.kin, &problem)) {
        diag_error(diag, NO_SPAN, "%s at width %u on target '%s': %s", isa_info(insn->op)->name,
                   cost_shown_width(insn), source->target->name, str_text(&problem));
        fine = false;
    }
    struct dp_code *code =
        fine ? m.dp->ops->prepare(m.dp, &(struct dp_run){insn, 1, masked, 0}, diag) : NULL;
    if (code)
        take(&m, code, out);
    struct machine_figures figures = {0};
    if (code && source->library->machine->figures &&
        source->library->machine->figures(source->library, insn, slot, masked, &figures, NULL,
                                          &problem))
        out->scratch_rows = figures.scratch;
    if (m.dp)
        m.dp->ops->close(m.dp);
    str_free(&problem);
    return code != NULL;
}
