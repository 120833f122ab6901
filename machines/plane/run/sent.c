/* SPDX-License-Identifier: MIT
 * Counts of words, and their events. */
#include "machines/plane/run/sent.h"

#include "machines/dtc/dtc.h"
#include "machines/plane/run/words_out.h"
#include "recipe/set/recipe.h"
#include "recipe/set/words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- counting ---- */

static uint32_t kind_of(const struct plane_sent *sent, enum plane_side side) {
    return plane_target(sent->m->target)->op_count + (uint32_t)side;
}

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

/* So many micro-ops of a kind, all VRFs together, each in so many rows at once. */
static void count_kind(struct plane_sent *sent, uint32_t kind, uint64_t times, uint64_t rows) {
    const struct dp_kind *k = &sent->m->kinds[kind];
    uint64_t fj = sat_mul(sat_mul(k->energy_fj, times), rows);
    if (sent->cost->uops)
        add(&sent->cost->uops[kind], times);
    if (sent->cost->energy_fj)
        add(&sent->cost->energy_fj[k->part], fj);
    if (sent->cost->kind_fj)
        add(&sent->cost->kind_fj[kind], fj);
}

static uint64_t crossbars_selected(const struct plane_sent *sent) {
    return dtc_range_size(sent->at->crossbars);
}

/* ---- events ---- */

/* Of word number `word` of these. */
static void report(const struct plane_sent *sent, uint64_t word, uint32_t kind, uint32_t unit,
                   const void *record) {
    const struct plane_machine *m = sent->m;
    struct dtc_range x = sent->at->crossbars;
    struct dp_event event = {.vrf_first = x.first,
                             .vrf_count = x.last - x.first + 1,
                             .start_ps =
                                 sat_add(sent->begin_ps, sat_mul(word, dtc_move_ps(m->target))),
                             .kind = kind,
                             .unit = unit,
                             .record = record};
    if (m->observer)
        m->observer(m->observer_context, &event);
}

/* A word that is no micro-op of the target's file, carried out `times` times in so many rows. */
static void put(struct plane_sent *sent, enum plane_side side, uint64_t times, uint64_t rows,
                const struct plane_side_word *word) {
    count_kind(sent, kind_of(sent, side), times, rows);
    if (plane_is_told(sent->m)) {
        report(sent, sent->words, kind_of(sent, side), 0, word);
        plane_write_side(sent->m, sent->at, word);
    }
    sent->m->counters[side]++;
    add(&sent->words, 1);
}

/* ---- ranges ---- */

static void put_range(struct plane_sent *sent, enum plane_side side, struct dtc_range *now,
                      struct dtc_range range) {
    const struct plane_side_word word = {.side = side, .range = range};
    if (dtc_same_range(*now, range))
        return;
    *now = range;
    put(sent, side, 1, 1, &word);
}

void plane_sent_crossbars(struct plane_sent *sent, struct dtc_range range) {
    put_range(sent, SIDE_CROSSBARS, &sent->at->crossbars, range);
}

void plane_sent_rows(struct plane_sent *sent, struct dtc_range range) {
    put_range(sent, SIDE_ROWS, &sent->at->rows, range);
}

/* ---- moves, reads, writes ---- */

/* The scratch rows of SENT_A and SENT_B are the last ones. */
static uint32_t plane_at(const struct plane_sent *sent, unsigned reg, unsigned bit) {
    const struct plane_target *p = plane_target(sent->m->target);
    if (reg < SENT_A)
        return PLANE(PLANE_REGISTER, 0, reg << 6 | bit);
    uint32_t rows = (uint32_t)ceil_div(64, p->sections);
    uint32_t row = (reg - SENT_A) * rows + bit / p->sections;
    return PLANE(PLANE_SCRATCH, bit % p->sections, p->scratch_rows - 1 - row);
}

static void report_moves(struct plane_sent *sent, const struct plane_moved *moved, unsigned part,
                         struct plane_side_word *word) {
    unsigned bit = part * sent->m->target->move_bits;
    word->from = plane_at(sent, moved->from, bit);
    word->to = plane_at(sent, moved->to, bit);
    for (uint32_t i = 0; i < moved->count; i++) {
        word->from_row = (uint32_t)((int64_t)moved->src_first + (int64_t)i * moved->src_step);
        word->to_row = (uint32_t)((int64_t)moved->dst_first + (int64_t)i * moved->dst_step);
        put(sent, SIDE_MOVE, crossbars_selected(sent), 1, word);
    }
}

void plane_sent_moves(struct plane_sent *sent, const struct plane_moved *moved) {
    uint64_t parts = dtc_moves(sent->m->target, moved->width), words = parts * moved->count;
    struct plane_side_word word = {
        .side = SIDE_MOVE, .crossbar = (uint32_t)(sent->at->crossbars.first + moved->distance)};
    for (unsigned part = 0; plane_is_told(sent->m) && part < parts; part++)
        report_moves(sent, moved, part, &word);
    if (plane_is_told(sent->m))
        return;
    count_kind(sent, kind_of(sent, SIDE_MOVE), sat_mul(words, crossbars_selected(sent)), 1);
    add(&sent->m->counters[SIDE_MOVE], words);
    add(&sent->words, words);
}

void plane_sent_read(struct plane_sent *sent, unsigned reg, unsigned part) {
    const struct plane_side_word word = {
        .side = SIDE_READ, .from = plane_at(sent, reg, part * sent->m->target->move_bits)};
    put(sent, SIDE_READ, 1, 1, &word);
}

void plane_sent_write(struct plane_sent *sent, unsigned reg, unsigned part, uint64_t data) {
    const struct plane_side_word word = {.side = SIDE_WRITE,
                                         .to =
                                             plane_at(sent, reg, part * sent->m->target->move_bits),
                                         .data = data};
    put(sent, SIDE_WRITE, crossbars_selected(sent), dtc_range_size(sent->at->rows), &word);
}

/* ---- instructions of its own ---- */

/* Operands by the order in which they come, so that instructions that differ in no more are
 * expanded once. */
struct operands {
    unsigned count;
    uint8_t reg[3];
};

static uint8_t number_of(struct operands *operands, uint8_t reg) {
    for (uint8_t i = 0; i < operands->count; i++)
        if (operands->reg[i] == reg)
            return i;
    operands->reg[operands->count] = reg;
    return (uint8_t)operands->count++;
}

static struct insn number_operands(const struct insn *insn, struct operands *operands) {
    struct insn x = *insn;
    x.rd = number_of(operands, insn->rd);
    x.rs = number_of(operands, insn->rs);
    x.rt = number_of(operands, insn->rt);
    return x;
}

static void fail(struct plane_machine *machine, const char *missing) {
    snprintf(machine->failure, sizeof machine->failure, "network.intra: h-tree needs %s", missing);
    machine->base.failure = machine->failure;
}

/* Kept by the machine. */
static const struct uop_list *expand(struct plane_machine *machine, const struct insn *insn,
                                     bool masked) {
    const uint32_t key[] = {(uint32_t)insn->op, insn->width | (uint32_t)masked << 8,
                            (uint32_t)insn->rd | (uint32_t)insn->rs << 8 |
                                (uint32_t)insn->rt << 16};
    const uint64_t *known = map_get_n(&machine->side_lists, (const char *)key, sizeof key);
    if (known)
        return (const struct uop_list *)(uintptr_t)*known;
    struct uop_list *list = xcalloc(1, sizeof *list);
    if (machine->recipes && !recipe_expand(machine->recipes, insn, masked, list, NULL))
        fail(machine, isa_info(insn->op)->name);
    map_put_n(&machine->side_lists, (const char *)key, sizeof key, (uint64_t)(uintptr_t)list);
    return list;
}

/* The plane of an operand; without operands planes are what they say. */
static uint32_t named(const struct plane_sent *sent, const struct operands *operands,
                      uint32_t plane) {
    uint32_t reg = PLANE_NUMBER(plane) >> 6;
    return PLANE_CLASS(plane) == PLANE_REGISTER && reg < operands->count
               ? plane_at(sent, operands->reg[reg], PLANE_NUMBER(plane) & 63)
               : plane;
}

static void report_uop(const struct plane_sent *sent, uint64_t word,
                       const struct operands *operands, const struct uop *uop) {
    struct uop x = *uop;
    for (unsigned k = 0; k < x.nsrc; k++)
        x.src[k] = named(sent, operands, x.src[k]);
    for (unsigned k = 0; k < x.ndst; k++)
        x.dst[k] = named(sent, operands, x.dst[k]);
    report(sent, word, x.kind, x.section, &x);
    plane_write_gate(sent->m, sent->at, &x);
}

/* Gates of one word are one micro-op, and each takes its energy. */
static void put_uop(struct plane_sent *sent, const struct operands *operands,
                    const struct uop *uop) {
    bool begins = !recipe_word_goes_on(sent->m->target, uop);
    const struct dp_kind *k = &sent->m->kinds[uop->kind];
    uint64_t vrfs = crossbars_selected(sent);
    if (plane_is_told(sent->m))
        report_uop(sent, sent->words - !begins, operands, uop);
    if (sent->cost->uops && begins)
        add(&sent->cost->uops[uop->kind], vrfs);
    if (sent->cost->energy_fj)
        add(&sent->cost->energy_fj[k->part], sat_mul(k->energy_fj, vrfs));
    if (sent->cost->kind_fj)
        add(&sent->cost->kind_fj[uop->kind], sat_mul(k->energy_fj, vrfs));
    add(&sent->words, begins);
}

void plane_sent_insn(struct plane_sent *sent, const struct insn *insn, bool masked) {
    struct operands operands = {0};
    struct insn x = number_operands(insn, &operands);
    const struct uop_list *list = expand(sent->m, &x, masked);
    for (size_t i = 0; i < list->len; i++)
        put_uop(sent, &operands, &list->data[i]);
}

/* A micro-op that makes a constant of its own, or copies a row that is one; -1: there is none. */
static int constant_op(const struct plane_target *target, bool value) {
    for (uint32_t k = 0; k < target->op_count; k++)
        if (target->ops[k].ndst == 1 && target->ops[k].nsrc == 0 && !target->ops[k].reads_old &&
            (target->ops[k].truth[0] & 1) == value)
            return (int)k;
    for (uint32_t k = 0; k < target->op_count; k++)
        if (target->ops[k].ndst == 1 && target->ops[k].nsrc == 1 && !target->ops[k].reads_old &&
            !target->ops[k].tied[0] && target->ops[k].truth[0] == 2)
            return (int)k;
    return -1;
}

void plane_sent_bits(struct plane_sent *sent, unsigned reg, unsigned first, unsigned count,
                     bool value) {
    const struct plane_target *p = plane_target(sent->m->target);
    const struct operands as_they_are = {0};
    int op = constant_op(p, value);
    struct uop uops[64] = {{0}};
    if (op < 0) {
        fail(sent->m, "a micro-op that makes constants");
        return;
    }
    for (unsigned i = 0; i < count; i++)
        uops[i] = (struct uop){.kind = (uint16_t)op,
                               .section = (uint16_t)((first + i) % p->sections),
                               .nsrc = p->ops[op].nsrc,
                               .ndst = 1,
                               .src = {PLANE(PLANE_CONST, 0, value)},
                               .dst = {plane_at(sent, reg, first + i)},
                               .predicate = PLANE(PLANE_NONE, 0, 0)};
    recipe_words_form(sent->m->target, uops, count);
    for (unsigned i = 0; i < count; i++)
        put_uop(sent, &as_they_are, &uops[i]);
}

void plane_sent_close(struct plane_machine *machine) {
    for (size_t i = 0; i < machine->side_lists.len; i++) {
        struct uop_list *list = (struct uop_list *)(uintptr_t)machine->side_lists.entries[i].value;
        vec_free(list);
        free(list);
    }
    map_free(&machine->side_lists);
    free(machine->selected);
}
