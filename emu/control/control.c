/* SPDX-License-Identifier: MIT
 * The control path as a whole: what it is made of, a run from begin to end, and what it says then.
 */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

/* MPUs of the image, those that groups span, and those that took split RFHs. */
static void find_mpus(struct control *c) {
    const struct package *p = c->package;
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
    c->mpus = ARENA_ARRAY(&c->arena, (size_t)p->mpus + 1, uint32_t);
    for (uint32_t m = 0; m < p->mpus; m++)
        if (used[m])
            c->mpus[c->mpu_count++] = m;
    free(used);
}

struct control *control_new(const struct object *program, const struct package *package,
                            const struct target *t, struct datapath *dp,
                            const struct control_config *config) {
    struct control *c = xcalloc(1, sizeof *c);
    *c = (struct control){.program = program,
                          .package = package,
                          .target = t,
                          .dp = dp,
                          .config = *config,
                          .diag = diag_new(NULL, NULL)};
    bool bound = package->text_count == program->text.len; /* sizes are filled in */
    object_text_load(&c->text, bound ? package->text : program->text.data, program->text.len,
                     &c->arena);
    c->runs = xcalloc(2 * (size_t)c->text.len + 1, sizeof(struct prepared_run *));
    c->body_kind = xcalloc((size_t)c->text.len + 1, 1);
    find_mpus(c);
    c->maker = (struct ensemble_maker){.program = program,
                                       .package = package,
                                       .target = t,
                                       .mpus = c->mpus,
                                       .mpu_count = c->mpu_count,
                                       .mode = config->batch,
                                       .arena = &c->round};
    control_account_open(c);
    control_count_open(c);
    c->flag_a = xcalloc((size_t)package->mpus + 1, sizeof *c->flag_a);
    c->marks = xcalloc((size_t)package->mpus + 1, sizeof *c->marks);
    c->stream_of = xcalloc((size_t)package->mpus + 1, sizeof *c->stream_of);
    control_network_open(c);
    control_order_open(c);
    control_spread_open(&c->spread, config->threads, config->part_ps);
    return c;
}

enum control_end control_run(struct control *c) {
    control_start_clock(c);
    if (c->mpu_count == 0)
        control_stop(c, CONTROL_STOPPED, STOP_AT(0), "the package gives the program no MPU");
    control_streams_open(c);
    control_order_begin(c);
    do {
        if (c->end == CONTROL_DONE)
            control_streams_run(c);
        control_debug_flush(c);
    } while (control_rounds_next(c));
    for (size_t i = 0; i < c->network.queues.len; i++)
        c->stats.messages_left += c->network.queues.data[i]->count;
    if (c->mpu_count)
        control_account_finish(c);
    if (c->config.count_laps) /* nobody asks for more than the time */
        return c->end;
    control_runs_wear(c);
    control_runs_peak(c);
    control_runs_masks(c);
    return c->end;
}

uint32_t control_index(const struct control *c) {
    return c->index;
}

const struct control_note *control_notes(const struct control *c, size_t *count) {
    *count = c->notes.len;
    return c->notes.data;
}

const struct dp_tables *control_tables(const struct control *c) {
    return &c->dp->tables;
}

const struct control_stats *control_stats(const struct control *c) {
    return &c->stats;
}

const struct control_insn_stats *control_insn_stats(const struct control *c) {
    return c->insns;
}

const struct control_region_stats *control_regions(const struct control *c, size_t *count) {
    *count = c->region_stats ? c->regions.len : 0;
    return c->region_stats;
}

void control_free(struct control *c) {
    if (!c)
        return;
    control_order_close(c);
    control_gmoves_close(c);
    control_streams_close(c);
    control_network_close(c);
    control_spread_close(&c->spread);
    control_account_close(c);
    control_runs_free(c);
    vec_free(&c->notes);
    free(c->flag_a);
    free(c->marks);
    free(c->stream_of);
    map_free(&c->ensembles);
    arena_free(&c->round);
    map_free(&c->codes);
    vec_free(&c->prints);
    vec_free(&c->laps.list);
    free(c->group_known);
    free(c->runs);
    free(c->body_kind);
    free(c->bits);
    str_free(&c->message);
    diag_free(c->diag);
    arena_free(&c->arena);
    free(c);
}
