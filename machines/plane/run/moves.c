/* SPDX-License-Identifier: MIT
 * What copies take where VRFs hang in a tree: which lanes of which VRFs go together in one word,
 * and what goes by way of scratch rows.
 *
 * A move takes the cells of a lane that one word reaches, and a word acts on all crossbars of a
 * range.  So copies that have the same lanes and the same distance are one sequence of words for
 * each range of their sources.  What would be overwritten before it is read, and values narrower
 * than the register that they go to, go to scratch rows first, and from there to the register in
 * all lanes at once. */
#include "machines/dtc/dtc.h"
#include "machines/plane/run/sent.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(struct dp_copy) copy_list;

/* Lanes first, first + step .. of a copy, as a range. */
static struct dtc_range lanes_of(uint32_t first, int32_t step, uint32_t count) {
    uint32_t last = (uint32_t)((int64_t)first + (int64_t)(count - 1) * step);
    uint32_t apart = count == 1 || step == 0 ? 1 : (uint32_t)(step < 0 ? -(int64_t)step : step);
    return (struct dtc_range){first < last ? first : last, first < last ? last : first, apart};
}

static struct dtc_range lanes_written(const struct dp_copy *copy) {
    return lanes_of(copy->dst_first, copy->dst_step, copy->count);
}

/* ---- what goes together ---- */

static int compare(int64_t left, int64_t right) {
    return (left > right) - (left < right);
}

/* All that copies of one sequence of words have in common. */
static int compare_words(const struct dp_copy *left, const struct dp_copy *right) {
    const int64_t l[] = {left->source,    left->src_reg,   left->dst_reg,
                         left->count,     left->src_step,  left->dst_step,
                         left->src_first, left->dst_first, (int64_t)left->dst_vrf - left->src_vrf};
    const int64_t r[] = {
        right->source,    right->src_reg,   right->dst_reg,
        right->count,     right->src_step,  right->dst_step,
        right->src_first, right->dst_first, (int64_t)right->dst_vrf - right->src_vrf};
    int order = 0;
    for (size_t i = 0; i < sizeof l / sizeof *l && !order; i++)
        order = compare(l[i], r[i]);
    return order;
}

static int by_words(const void *left, const void *right) {
    const struct dp_copy *l = left, *r = right;
    int order = compare_words(l, r);
    return order ? order : compare(l->src_vrf, r->src_vrf);
}

/* Copies list[0] .. of one sequence. */
static size_t alike(const struct dp_copy *list, size_t count) {
    size_t n = 1;
    while (n < count && compare_words(&list[0], &list[n]) == 0)
        n++;
    return n;
}

/* ---- what is read after it was written ---- */

/* Lanes of a register of a VRF that are read. */
struct lanes_read {
    struct map at; /* VRF and register: uint8_t [lanes] */
    uint32_t lanes;
};

static uint8_t *read_of(struct lanes_read *read, uint32_t vrf, unsigned reg, bool make) {
    const uint64_t key = (uint64_t)vrf << 8 | reg;
    const uint64_t *known = map_get_n(&read->at, (const char *)&key, sizeof key);
    if (known || !make)
        return known ? (uint8_t *)(uintptr_t)*known : NULL;
    uint8_t *lanes = xcalloc(read->lanes, 1);
    map_put_n(&read->at, (const char *)&key, sizeof key, (uint64_t)(uintptr_t)lanes);
    return lanes;
}

static void note_reads(struct lanes_read *read, const struct dp_copy *copy) {
    uint8_t *lanes = read_of(read, copy->src_vrf, copy->src_reg, true);
    struct dtc_range r = lanes_of(copy->src_first, copy->src_step, copy->count);
    for (uint32_t lane = r.first; lane <= r.last; lane += r.step)
        lanes[lane] = 1;
}

static bool writes_what_is_read(struct lanes_read *read, const struct dp_copy *copy) {
    const uint8_t *lanes = read_of(read, copy->dst_vrf, copy->dst_reg, false);
    struct dtc_range r = lanes_written(copy);
    for (uint32_t lane = r.first; lanes && lane <= r.last; lane += r.step)
        if (lanes[lane])
            return true;
    return false;
}

/* Some lane is read and written. */
static bool are_tangled(const struct plane_machine *machine, const copy_list *list) {
    struct lanes_read read = {.lanes = machine->target->lanes};
    uint64_t reads = 0, writes = 0;
    bool tangled = false;
    for (size_t i = 0; i < list->len; i++) {
        const struct dp_copy *copy = &list->data[i];
        reads |= copy->source == DP_FROM_REGISTER ? UINT64_C(1) << (copy->src_reg & 63) : 0;
        writes |= UINT64_C(1) << (copy->dst_reg & 63);
    }
    for (size_t i = 0; i < list->len && (reads & writes); i++)
        if (list->data[i].source == DP_FROM_REGISTER && (writes >> list->data[i].src_reg & 1))
            note_reads(&read, &list->data[i]);
    for (size_t i = 0; i < list->len && read.at.len && !tangled; i++)
        tangled = writes_what_is_read(&read, &list->data[i]);
    for (size_t i = 0; i < read.at.len; i++)
        free((void *)(uintptr_t)read.at.entries[i].value);
    map_free(&read.at);
    return tangled;
}

/* A word moves whole cells of a lane: what lies above the value in the register would go, too. */
static bool is_narrow(const struct plane_machine *machine, const struct dp_copy *copy) {
    return copy->width < machine->reg_bits[copy->dst_reg & 63];
}

/* ---- sequences ---- */

/* The numbers of VRFs of a sequence: sources, or destinations. */
static uint32_t *vrfs_of(const struct dp_copy *list, size_t count, bool sources) {
    uint32_t *vrfs = xcalloc(count + 1, sizeof *vrfs);
    for (size_t i = 0; i < count; i++)
        vrfs[i] = sources ? list[i].src_vrf : list[i].dst_vrf;
    return vrfs;
}

static void send_moves(struct plane_sent *sent, const struct dp_copy *list, size_t count,
                       bool by_scratch) {
    const struct plane_moved moved = {.from = list->src_reg,
                                      .to = by_scratch ? SENT_A : list->dst_reg,
                                      .width = list->width,
                                      .src_first = list->src_first,
                                      .dst_first = list->dst_first,
                                      .count = list->count,
                                      .src_step = list->src_step,
                                      .dst_step = list->dst_step,
                                      .distance = (int64_t)list->dst_vrf - list->src_vrf};
    uint32_t *sources = vrfs_of(list, count, true);
    dtc_ranges ranges = {0};
    dtc_tree_moves(sources, count, moved.distance, sent->m->target->fan_out, &ranges);
    for (size_t i = 0; i < ranges.len; i++) {
        plane_sent_crossbars(sent, ranges.data[i]);
        plane_sent_moves(sent, &moved);
    }
    vec_free(&ranges);
    free(sources);
}

/* In all crossbars and rows that a sequence writes, once for each range of crossbars. */
static void send_each(struct plane_sent *sent, const struct dp_copy *list, size_t count,
                      void act(struct plane_sent *sent, const struct dp_copy *copy)) {
    uint32_t *vrfs = vrfs_of(list, count, false);
    dtc_ranges ranges = {0};
    dtc_cover(vrfs, count, &ranges);
    for (size_t i = 0; i < ranges.len; i++) {
        plane_sent_crossbars(sent, ranges.data[i]);
        plane_sent_rows(sent, lanes_written(list));
        act(sent, list);
    }
    vec_free(&ranges);
    free(vrfs);
}

static void take_from_scratch(struct plane_sent *sent, const struct dp_copy *copy) {
    const struct insn move = {
        .op = OP_MOV, .width = copy->width, .rd = copy->dst_reg, .rs = SENT_A};
    plane_sent_insn(sent, &move, false);
}

/* Bits `from` .. as far as the value has them alike. */
static unsigned bits_alike(uint64_t value, unsigned from, unsigned width) {
    unsigned n = 1;
    while (from + n < width && (value >> (from + n) & 1) == (value >> from & 1))
        n++;
    return n;
}

static void fill(struct plane_sent *sent, const struct dp_copy *copy) {
    unsigned cells = sent->m->target->move_bits, n;
    for (unsigned i = 0; is_narrow(sent->m, copy) && i < copy->width; i += n) {
        n = bits_alike(copy->value, i, copy->width);
        plane_sent_bits(sent, copy->dst_reg, i, n, copy->value >> i & 1);
    }
    for (unsigned part = 0; !is_narrow(sent->m, copy) && part * cells < copy->width; part++)
        plane_sent_write(sent, copy->dst_reg, part, copy->value >> part * cells & low_bits(cells));
}

/* Sequences of the list that move; whether all of them go by way of scratch rows. */
static void send_sequences(struct plane_sent *sent, const copy_list *list, bool tangled) {
    for (size_t i = 0, n; i < list->len; i += n) {
        const struct dp_copy *first = &list->data[i];
        n = alike(first, list->len - i);
        if (first->source == DP_FROM_REGISTER)
            send_moves(sent, first, n, tangled || is_narrow(sent->m, first));
        if (first->source == DP_FROM_REGISTER && !tangled && is_narrow(sent->m, first))
            send_each(sent, first, n, take_from_scratch);
    }
    for (size_t i = 0, n; i < list->len; i += n) {
        const struct dp_copy *first = &list->data[i];
        n = alike(first, list->len - i);
        if (first->source == DP_FROM_CONSTANT)
            send_each(sent, first, n, fill);
        else if (tangled)
            send_each(sent, first, n, take_from_scratch);
    }
}

/* Copies whose sources are all read before anything is written. */
static void send_together(struct plane_sent *sent, copy_list *list) {
    if (!list->len)
        return;
    qsort(list->data, list->len, sizeof *list->data, by_words);
    send_sequences(sent, list, are_tangled(sent->m, list));
}

static void add_copy(const struct plane_machine *machine, copy_list *list,
                     const struct dp_copy *copy) {
    struct dp_copy x = *copy;
    if (x.count == 0) {
        x.count = machine->target->lanes;
        x.src_first = x.dst_first = 0;
        x.src_step = x.dst_step = 1;
    }
    vec_push(list, x);
}

/* ---- pairs, one taking effect before the next ---- */

/* A pair may join those before it: it reads and writes nothing that they write, and writes nothing
 * that they read. */
static bool is_apart(const copy_list *before, const struct dp_copy *copies, uint32_t count) {
    for (size_t i = 0; i < before->len; i++)
        for (uint32_t k = 0; k < count; k++) {
            const struct dp_copy *b = &before->data[i], *x = &copies[k];
            if ((b->dst_vrf == x->src_vrf && b->dst_reg == x->src_reg) ||
                (b->dst_vrf == x->dst_vrf && b->dst_reg == x->dst_reg) ||
                (b->src_vrf == x->dst_vrf && b->src_reg == x->dst_reg))
                return false;
        }
    return true;
}

static void send_pairs(struct plane_sent *sent, const struct dp_transfer *transfer) {
    const struct dp_copy *copies = transfer->copies;
    copy_list list = {0};
    for (size_t i = 0; i < transfer->pair_count; copies += transfer->pair_copies[i++]) {
        if (!is_apart(&list, copies, transfer->pair_copies[i])) {
            send_together(sent, &list);
            vec_clear(&list);
        }
        for (uint32_t k = 0; k < transfer->pair_copies[i]; k++)
            add_copy(sent->m, &list, &copies[k]);
    }
    send_together(sent, &list);
    vec_free(&list);
}

/* ---- numbers ---- */

/* Rows whose number has a bit, of VRFs that count alike. */
static void rows_with(const struct dp_copy *copy, unsigned bit, dtc_ranges *out) {
    uint32_t *rows = xcalloc((size_t)copy->count + 1, sizeof *rows), n = 0;
    for (uint32_t i = 0; i < copy->count; i++)
        if (dp_copy_number(copy, i) >> bit & 1)
            rows[n++] = copy->dst_first + i;
    dtc_cover(rows, n, out);
    free(rows);
}

/* What bit `bit` of the numbers of a VRF depends on. */
static uint64_t turn_of(const struct dp_copy *copy, unsigned bit) {
    if (copy->every > 1 || copy->below || bit >= 63)
        return copy->value;
    uint64_t turn = copy->value & low_bits(bit + 1), half = UINT64_C(1) << bit;
    bool same = turn % half + copy->count <= half; /* for all rows */
    return same ? turn & half : turn;
}

static int by_turn(const void *left, const void *right) {
    const struct dp_copy *l = left, *r = right;
    int order = (l->value > r->value) - (l->value < r->value);
    order = order ? order : compare(l->count, r->count);
    return order ? order : compare(l->dst_vrf, r->dst_vrf);
}

/* Bit `bit` of all numbers; `list` has what it depends on as values. */
static void send_bit(struct plane_sent *sent, unsigned reg, unsigned bit, const copy_list *list) {
    for (size_t i = 0, n; i < list->len; i += n) {
        dtc_ranges rows = {0}, crossbars = {0};
        for (n = 1; i + n < list->len && list->data[i + n].value == list->data[i].value &&
                    list->data[i + n].count == list->data[i].count;)
            n++;
        uint32_t *vrfs = vrfs_of(&list->data[i], n, false);
        rows_with(&list->data[i], bit, &rows);
        if (rows.len)
            dtc_cover(vrfs, n, &crossbars);
        for (size_t k = 0; k < crossbars.len; k++) {
            plane_sent_crossbars(sent, crossbars.data[k]);
            for (size_t r = 0; r < rows.len; r++) {
                plane_sent_rows(sent, rows.data[r]);
                plane_sent_bits(sent, reg, bit, 1, true);
            }
        }
        free(vrfs);
        vec_free(&rows);
        vec_free(&crossbars);
    }
}

/* In all crossbars that count, and the rows that some of them counts. */
static void send_counted(struct plane_sent *sent, const struct dp_transfer *transfer, unsigned reg,
                         void act(struct plane_sent *sent, const struct dp_copy *copy,
                                  unsigned reg)) {
    uint32_t *vrfs = vrfs_of(transfer->copies, transfer->count, false), rows = 1;
    dtc_ranges ranges = {0};
    for (size_t i = 0; i < transfer->count; i++)
        rows = transfer->copies[i].count > rows ? transfer->copies[i].count : rows;
    dtc_cover(vrfs, transfer->count, &ranges);
    for (size_t i = 0; i < ranges.len; i++) {
        plane_sent_crossbars(sent, ranges.data[i]);
        plane_sent_rows(sent, (struct dtc_range){0, rows - 1, 1});
        act(sent, transfer->copies, reg);
    }
    vec_free(&ranges);
    free(vrfs);
}

static void clear(struct plane_sent *sent, const struct dp_copy *copy, unsigned reg) {
    plane_sent_bits(sent, reg, 0, copy->width, false);
}

static void merge(struct plane_sent *sent, const struct dp_copy *copy, unsigned reg) {
    const struct insn move = {
        .op = OP_MOV, .width = copy->width, .rd = copy->dst_reg, .rs = (uint8_t)reg};
    plane_sent_insn(sent, &move, true);
}

/* Numbers of 0, then the ones, bit by bit; under a mask they are made in scratch rows and merged.
 */
static void send_numbers(struct plane_sent *sent, const struct dp_transfer *transfer) {
    unsigned reg = transfer->masked ? SENT_A : transfer->copies[0].dst_reg;
    copy_list list = {0};
    send_counted(sent, transfer, reg, clear);
    for (unsigned bit = 0; bit < transfer->width && bit < 64; bit++) {
        vec_clear(&list);
        for (size_t i = 0; i < transfer->count; i++) {
            struct dp_copy x = transfer->copies[i];
            x.value = turn_of(&x, bit);
            if (x.count)
                vec_push(&list, x);
        }
        if (list.len)
            qsort(list.data, list.len, sizeof *list.data, by_turn);
        send_bit(sent, reg, bit, &list);
    }
    vec_free(&list);
    if (transfer->masked)
        send_counted(sent, transfer, reg, merge);
}

/* ---- all of a transfer ---- */

static bool counts(const struct dp_transfer *transfer) {
    return transfer->count && transfer->copies && transfer->copies[0].source == DP_FROM_COUNT;
}

static void gather(const struct plane_machine *machine, const struct dp_transfer *transfer,
                   copy_list *list) {
    const struct dp_copy *copies = transfer->copies;
    size_t count = transfer->count;
    for (size_t i = 0; !transfer->next && i < count; i++)
        add_copy(machine, list, &copies[i]);
    while (transfer->next && transfer->next(transfer->context, &copies, &count))
        for (size_t i = 0; i < count; i++)
            add_copy(machine, list, &copies[i]);
}

static void send_all(struct plane_sent *sent, const struct dp_transfer *transfer) {
    copy_list list = {0};
    if (transfer->pair_count) {
        send_pairs(sent, transfer);
    } else if (counts(transfer)) {
        send_numbers(sent, transfer);
    } else {
        gather(sent->m, transfer, &list);
        send_together(sent, &list);
    }
    vec_free(&list);
}

/* A transfer in one MPU goes on with what is selected there.  One of several MPUs is one sequence
 * of words for all of them; ranges that follow are their own again. */
void plane_moves_charge(struct plane_machine *machine, const struct dp_transfer *transfer,
                        struct dp_cost *cost) {
    struct plane_selection apart = {{0}, {0}}, *at = &apart;
    if (transfer->share_count == 1)
        at = &machine->selected[transfer->shares[0].mpu];
    else if (transfer->count && !transfer->share_count)
        at = plane_selection_of(machine, transfer->copies[0].dst_vrf);
    struct plane_sent sent = {.m = machine, .at = at, .cost = cost, .begin_ps = cost->begin_ps};
    send_all(&sent, transfer);
    cost->known = true;
    cost->transfer_fj = 0;
    cost->ps = sat_mul(sent.words, dtc_move_ps(machine->target));
    apart.crossbars.step = 0;
    for (size_t i = 0; i < transfer->share_count; i++) {
        if (cost->share_ps)
            cost->share_ps[i] = cost->ps;
        if (at == &apart && sent.words)
            machine->selected[transfer->shares[i].mpu] = apart;
    }
}
