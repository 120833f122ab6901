/* SPDX-License-Identifier: MIT
 * The control path as a whole: how it is set up, a run from begin to end, and the results of a run.
 */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

/* MPUs of the image, those that groups span, and those that took split RFHs. */
static void find_mpus(struct control *control) {
    const struct package *p = control->package;
    uint8_t *used = xcalloc((size_t)p->mpus + 1, 1);
    for (uint32_t k = 0; k < p->image_count && k < p->mpus; k++) {
        uint32_t mpu = p->image_first + k;
        if (mpu < p->mpus)
            used[mpu] = 1;
        for (size_t i = 0; i < p->fixed_count; i++)
            if (mpu < p->mpus && p->fixed[i].mpu_offset < p->mpus - mpu)
                used[mpu + p->fixed[i].mpu_offset] = 1;
    }
    for (size_t i = 0; i < p->placement_count; i++)
        if (p->placements[i].mpu < p->mpus)
            used[p->placements[i].mpu] = 1;
    control->mpus = ARENA_ARRAY(&control->arena, (size_t)p->mpus + 1, uint32_t);
    for (uint32_t m = 0; m < p->mpus; m++)
        if (used[m])
            control->mpus[control->mpu_count++] = m;
    free(used);
}

struct control *control_new(const struct object *program, const struct package *package,
                            const struct target *target, struct datapath *dp,
                            const struct control_config *config) {
    struct control *c = xcalloc(1, sizeof *c);
    *c = (struct control){.program = program,
                          .package = package,
                          .target = target,
                          .dp = dp,
                          .config = *config,
                          .diag = diag_new(NULL, NULL)};
    bool bound = package->text_count == program->text.len; /* sizes are filled in */
    object_text_load(&c->text, bound ? package->text : program->text.data, program->text.len,
                     bound ? package->luts : object_luts(program, &c->arena), &c->arena);
    c->bodies.kin_count = package->kins ? package->kin_count : 1;
    c->bodies.run_count = 2 * (size_t)c->text.len * c->bodies.kin_count;
    c->bodies.runs = xcalloc(c->bodies.run_count + 1, sizeof *c->bodies.runs);
    c->bodies.front = xcalloc(2 * (size_t)c->bodies.kin_count, sizeof *c->bodies.front);
    c->bodies.kind = xcalloc((size_t)c->text.len + 1, 1);
    c->bodies.codes = config->keep ? control_keep_codes(config->keep) : &c->bodies.own_codes;
    find_mpus(c);
    c->bodies.maker = (struct ensemble_maker){.program = program,
                                              .package = package,
                                              .target = target,
                                              .mpus = c->mpus,
                                              .mpu_count = c->mpu_count,
                                              .mode = config->batch,
                                              .by_range = dp->tables.selects,
                                              .arena = &c->bodies.memory};
    control_account_open(c);
    control_count_open(c);
    c->streams.a = xcalloc((size_t)package->mpus + 1, sizeof *c->streams.a);
    c->streams.marks = xcalloc((size_t)package->mpus + 1, sizeof *c->streams.marks);
    c->streams.of = xcalloc((size_t)package->mpus + 1, sizeof *c->streams.of);
    control_network_open(c);
    control_order_open(c);
    control_spread_open(&c->spread, config->threads, config->part_ps);
    return c;
}

enum control_end control_run(struct control *control) {
    control_start_clock(control);
    if (control->mpu_count == 0)
        control_stop(control, CONTROL_STOPPED, STOP_AT(0), "the package gives the program no MPU");
    control_streams_open(control);
    control_order_begin(control);
    do {
        if (control->ended.how == CONTROL_DONE)
            control_streams_run(control);
        control_debug_flush(control);
    } while (control_rounds_next(control));
    for (size_t i = 0; i < control->network.queues.len; i++)
        control->account.stats.messages_left += control->network.queues.data[i]->count;
    if (control->mpu_count)
        control_account_finish(control);
    if (control->config.count_laps) /* nobody asks for more than the time */
        return control->ended.how;
    control_runs_wear(control);
    control_runs_peak(control);
    control_runs_masks(control);
    return control->ended.how;
}

uint32_t control_index(const struct control *control) {
    return control->ended.index;
}

const struct control_note *control_notes(const struct control *control, size_t *count) {
    *count = control->notes.len;
    return control->notes.data;
}

const struct dp_tables *control_tables(const struct control *control) {
    return &control->dp->tables;
}

const struct control_stats *control_stats(const struct control *control) {
    return &control->account.stats;
}

const struct control_insn_stats *control_insn_stats(const struct control *control) {
    return control->account.insns;
}

const struct control_region_stats *control_regions(const struct control *control, size_t *count) {
    *count = control->account.region_stats ? control->account.regions.len : 0;
    return control->account.region_stats;
}

const struct control_kernel_stats *control_kernels(const struct control *control, size_t *count) {
    *count = control->account.kernels.len;
    return control->account.kernels.data;
}

void control_free(struct control *control) {
    if (!control)
        return;
    control_order_close(control);
    control_gmoves_close(control);
    control_streams_close(control);
    control_network_close(control);
    control_spread_close(&control->spread);
    control_account_close(control);
    control_runs_free(control);
    vec_free(&control->notes);
    free(control->streams.a);
    free(control->streams.marks);
    free(control->streams.of);
    map_free(&control->bodies.ensembles);
    arena_free(&control->bodies.memory);
    map_free(&control->bodies.own_codes.by_words);
    arena_free(&control->bodies.own_codes.memory);
    vec_free(&control->prints);
    vec_free(&control->counting.laps.list);
    free(control->counting.groups);
    free(control->bodies.runs);
    free(control->bodies.front);
    free(control->bodies.kind);
    free(control->answers.bits);
    str_free(&control->ended.message);
    diag_free(control->diag);
    arena_free(&control->arena);
    free(control);
}
