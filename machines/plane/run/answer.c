/* SPDX-License-Identifier: MIT
 * What it takes a host to know which VRFs have a lane with M, where VRFs hang in a tree: their rows
 * are folded onto the first, lane by lane in all of them at once; then the answers of as many
 * crossbars as a word has cells are folded into one word, each in a cell of its own, and read. */
#include "machines/dtc/dtc.h"
#include "machines/plane/run/sent.h"
#include "support/alloc.h"

#include <stdlib.h>

static const struct dtc_range first_row = {0, 0, 1};

static void combine(struct plane_sent *sent, enum isa_op op) {
    const struct insn insn = {.op = op,
                              .width = (uint8_t)sent->m->target->move_bits,
                              .rd = SENT_A,
                              .rs = SENT_A,
                              .rt = SENT_B};
    plane_sent_insn(sent, &insn, false);
}

/* M in all cells of A, 0 in crossbars that are not asked. */
static void take_masks(struct plane_sent *sent, const struct dtc_range *hull, const uint32_t *vrfs,
                       size_t count, uint32_t lanes) {
    const struct insn insn = {
        .op = OP_GETMASK, .width = (uint8_t)sent->m->target->move_bits, .rd = SENT_A};
    dtc_ranges asked = {0};
    dtc_cover(vrfs, count, &asked);
    plane_sent_crossbars(sent, *hull);
    plane_sent_rows(sent, (struct dtc_range){0, lanes - 1, 1});
    if (count < dtc_range_size(*hull))
        plane_sent_bits(sent, SENT_A, 0, sent->m->target->move_bits, false);
    for (size_t i = 0; i < asked.len; i++) {
        plane_sent_crossbars(sent, asked.data[i]);
        plane_sent_insn(sent, &insn, false);
    }
    vec_free(&asked);
}

static void fold_rows(struct plane_sent *sent, const struct dtc_range *hull, uint32_t lanes) {
    plane_sent_crossbars(sent, *hull);
    for (uint32_t rows = lanes; rows > 1;) {
        uint32_t kept = (rows + 1) / 2;
        const struct plane_moved moved = {.from = SENT_A,
                                          .to = SENT_B,
                                          .width = sent->m->target->move_bits,
                                          .src_first = kept,
                                          .count = rows - kept,
                                          .src_step = 1,
                                          .dst_step = 1};
        plane_sent_moves(sent, &moved);
        plane_sent_rows(sent, (struct dtc_range){0, rows - kept - 1, 1});
        combine(sent, OP_OR);
        rows = kept;
    }
    plane_sent_rows(sent, first_row);
}

/* Of the answers each keeps the cell of its crossbar. */
static void keep_own_cells(struct plane_sent *sent, const struct dtc_range *hull) {
    uint32_t cells = sent->m->target->move_bits;
    for (uint32_t k = 0; k < cells && k <= hull->last - hull->first; k++) {
        uint32_t first = hull->first + k, more = (hull->last - first) / cells;
        plane_sent_crossbars(sent,
                             (struct dtc_range){first, first + more * cells, more ? cells : 1});
        plane_sent_write(sent, SENT_B, 0, UINT64_C(1) << k);
    }
    plane_sent_crossbars(sent, *hull);
    combine(sent, OP_AND);
}

/* Crossbars an odd multiple of `step` behind the first of their word send to the one before. */
static void fold_level(struct plane_sent *sent, const struct dtc_range *hull, uint32_t step) {
    uint32_t cells = sent->m->target->move_bits, size = hull->last - hull->first + 1, count = 0;
    uint32_t *sources = xcalloc((size_t)size + 1, sizeof *sources);
    dtc_ranges ranges = {0}, results = {0};
    for (uint32_t i = 0; i < size; i++)
        if (i % cells % (2 * step) == step)
            sources[count++] = hull->first + i;
    dtc_tree_moves(sources, count, -(int64_t)step, sent->m->target->fan_out, &ranges);
    const struct plane_moved moved = {
        .from = SENT_A, .to = SENT_B, .width = cells, .count = 1, .distance = -(int64_t)step};
    for (size_t i = 0; i < ranges.len; i++) {
        plane_sent_crossbars(sent, ranges.data[i]);
        plane_sent_moves(sent, &moved);
    }
    for (uint32_t i = 0; i < count; i++)
        sources[i] -= step;
    dtc_cover(sources, count, &results);
    for (size_t i = 0; i < results.len; i++) {
        plane_sent_crossbars(sent, results.data[i]);
        combine(sent, OP_OR);
    }
    vec_free(&ranges);
    vec_free(&results);
    free(sources);
}

static void read_answers(struct plane_sent *sent, const struct dtc_range *hull) {
    uint32_t cells = sent->m->target->move_bits;
    for (uint32_t first = hull->first; first <= hull->last; first += cells) {
        plane_sent_crossbars(sent, (struct dtc_range){first, first, 1});
        plane_sent_read(sent, SENT_A, 0);
    }
}

void plane_answer_charge(struct plane_machine *machine, struct vrf_set set, struct dp_cost *cost) {
    size_t count;
    uint32_t *vrfs = plane_numbers(set, &count);
    if (count) {
        struct plane_sent sent = {.m = machine,
                                  .at = plane_selection_of(machine, vrfs[0]),
                                  .cost = cost,
                                  .begin_ps = cost->begin_ps};
        const struct dtc_range hull = {vrfs[0], vrfs[count - 1], 1};
        uint32_t lanes = cost->lanes ? cost->lanes : machine->target->lanes;
        take_masks(&sent, &hull, vrfs, count, lanes);
        fold_rows(&sent, &hull, lanes);
        if (hull.first != hull.last)
            keep_own_cells(&sent, &hull);
        for (uint32_t step = 1; step < machine->target->move_bits && step <= hull.last - hull.first;
             step *= 2)
            fold_level(&sent, &hull, step);
        read_answers(&sent, &hull);
        cost->ps = sat_mul(sent.words, dtc_move_ps(machine->target));
    }
    cost->known = true;
    free(vrfs);
}
