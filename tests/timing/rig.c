/* SPDX-License-Identifier: MIT */
#include "tests/timing/rig.h"

#include "support/saturate.h"

/* The clock is how long the machine is still at work. */
static void follow(struct datapath *dp, const struct dp_code *code,
                   const struct dp_description *about, const struct dp_issue *issue,
                   struct dp_times *out) {
    (void)dp, (void)about;
    assert_int_equal(issue->vrfs, 0);
    if (code->charged)
        ++*code->charged;
    uint64_t start = issue->clock > issue->after_ps ? issue->clock : issue->after_ps, at = start;
    for (uint64_t k = 1; k < code->slots && issue->take; k++)
        at = sat_add(issue->take(issue->context, at), code->slot_ps);
    uint64_t done = sat_add(start, code->latency_ps);
    out->issued_ps = issue->take ? at : sat_add(start, sat_mul(code->slots - 1, code->slot_ps));
    out->done_ps = done > out->issued_ps ? done : out->issued_ps;
    out->clock = out->done_ps - out->issued_ps;
}

static uint64_t pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp;
    return clock > ps ? clock - ps : 0;
}

static const struct datapath_ops ops = {.name = "made up", .follow = follow, .pass = pass};

/* Vector instructions, all of them. */
#define TEXT 4096
static struct insn insns[TEXT];
static const struct text text = {.len = TEXT, .insns = insns};

const struct target rig_base = {.lanes = 64,
                                .rfh_per_mpu = 2,
                                .vrf_per_rfh = 4,
                                .mpus = 4,
                                .front_end_ps = NS,
                                .controllers = 1,
                                .playback_entries = 1024,
                                .recipe_templates = 1024,
                                .recipe_pointers = 20,
                                .efi_bits_per_cycle = 16,
                                .instruction_store_bytes = 4096,
                                .software_schedule_ps = 500 * NS,
                                .chip = CHIP_MESH_1D,
                                .flit_bytes = 16,
                                .flit_ps = 4 * NS,
                                .hop_ps = 2 * NS};

void rig_open_watched(struct rig *r, const struct target *t,
                      void (*span)(void *context, const struct timing_span *s), void *context) {
    *r = (struct rig){.target = *t, .dp = {.ops = &ops}, .mpus = {0, 1, 2, 3}};
    r->timing = timing_new(&(struct timing_setup){.target = &r->target,
                                                  .dp = &r->dp,
                                                  .text_len = TEXT,
                                                  .text = &text,
                                                  .mpus = r->mpus,
                                                  .mpu_count = 4,
                                                  .machine_mpus = 4,
                                                  .span = span,
                                                  .span_context = context});
}

void verify_rig_open(struct rig *r, const struct target *t) {
    rig_open_watched(r, t, NULL, NULL);
}

void rig_take_totals(struct rig *r) {
    uint64_t sum = 0;
    timing_finish(r->timing);
    timing_totals(r->timing, &r->totals);
    for (int i = 0; i < TIMING_PARTS; i++)
        sum += r->totals.part_ps[i];
    assert_int_equal(sum, r->totals.time_ps);
    for (uint32_t i = 0; i < sizeof r->insns / sizeof *r->insns; i++)
        r->insns[i] = timing_insn(r->timing, i);
}

void rig_finish(struct rig *r) {
    rig_take_totals(r);
    timing_free(r->timing);
}

uint32_t rig_add_run(struct rig *r, struct dp_code *code, uint32_t first, uint64_t slots,
                     uint64_t latency) {
    *code = (struct dp_code){slots, latency * NS, r->target.front_end_ps, NULL};
    const struct dp_description about = {.issue_slots = slots,
                                         .insn_issue_slots = &code->slots,
                                         .latency_ps = code->latency_ps,
                                         .insn_done_ps = &code->latency_ps};
    return timing_add_run(r->timing, code, &about, first, 1, 0, false);
}

void rig_compute(struct rig *r, uint32_t mpu, uint32_t header, uint32_t path, const uint32_t *vrfs,
                 uint32_t count) {
    struct batch batches[8];
    for (uint32_t i = 0; i < count; i++)
        batches[i] = (struct batch){mpu, i, &vrfs[i], 1};
    timing_compute(r->timing, mpu,
                   &(struct timing_compute){.at = {header, 0},
                                            .header_slots = count,
                                            .batches = batches,
                                            .count = count,
                                            .vrfs = vrfs,
                                            .vrf_count = count,
                                            .paths = &path,
                                            .same_path = true});
}
