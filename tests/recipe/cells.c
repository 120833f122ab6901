/* SPDX-License-Identifier: MIT
 * Sequences of micro-ops over a few cells. */
#include "cells.h"

#include "recipe/technology/where.h"
#include "support/alloc.h"
#include "support/hash_table.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

#define INPUTS    3
#define UNDEFINED 256u
#define BITS      9 /* of a cell in a state */
#define MOST_USES 40000
#define MOST_SEEN 400000u

/* Places: inputs, which stay; constants; cells. */
struct place {
    int class;
    uint16_t fixed; /* value of an input or constant */
};

struct step {
    const struct target_op *op;
    uint8_t at[OP_MAX_SOURCES + OP_MAX_DESTS];
};

struct search {
    const struct target *t;
    struct place places[INPUTS + 2 + CELLS];
    unsigned count, first_cell;
    struct step *steps;
    unsigned step_count;
    uint8_t wanted;
    bool rows;     /* no buffer is a cell */
    uint32_t seen; /* states, of all choices of cells */
    bool cut;      /* not all were looked at */
};

/* --- steps --- */

static bool is_apart(const struct search *search, const struct step *step, unsigned dest) {
    const struct target_op *op = step->op;
    uint8_t to = step->at[op->nsrc + dest];
    if (to < search->first_cell)
        return false;
    for (unsigned i = 0; i < op->nsrc + dest; i++)
        if (step->at[i] == to && op->tied[dest] != i + 1)
            return false;
    return true;
}

static bool step_is_possible(const struct search *search, const struct step *step) {
    const struct target_op *op = step->op;
    struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        at[i] = (struct where_place){search->places[step->at[i]].class, 0};
    for (unsigned d = 0; d < op->ndst; d++)
        if (!is_apart(search, step, d))
            return false;
    return technology_where_holds(op->where, at, 0) &&
           technology_presets_hold(search->t, op, &at[op->nsrc]);
}

/* Does the op do the same when its sources change places, whichever? */
static bool is_symmetric(const struct target_op *op) {
    if (op->where || op->reads_old)
        return false;
    for (unsigned d = 0; d < op->ndst; d++)
        for (unsigned row = 0; row < 1u << op->nsrc; row++) {
            unsigned first = (1u << __builtin_popcount(row)) - 1;
            if (op->tied[d] || (op->truth[d] >> row & 1) != (op->truth[d] >> first & 1))
                return false;
        }
    return true;
}

static void place_operands(struct search *search, struct step *step, unsigned operand,
                           bool symmetric) {
    const struct target_op *op = step->op;
    unsigned count = op->nsrc + (unsigned)op->ndst;
    if (operand == count) {
        search->cut |= search->step_count == MOST_USES;
        if (step_is_possible(search, step) && search->step_count < MOST_USES)
            search->steps[search->step_count++] = *step;
        return;
    }
    bool dest = operand >= op->nsrc, tied = dest && op->tied[operand - op->nsrc];
    for (unsigned p = dest && !tied ? search->first_cell : 0; p < search->count; p++) {
        bool fits = !op->fixed[operand] || search->places[p].class == op->fixed[operand] - 1;
        if (!fits || (tied && p != step->at[op->tied[operand - op->nsrc] - 1]) ||
            (symmetric && !dest && operand && p < step->at[operand - 1]))
            continue;
        step->at[operand] = (uint8_t)p;
        place_operands(search, step, operand + 1, symmetric);
    }
}

static void list_steps(struct search *search) {
    search->step_count = 0;
    for (uint32_t i = 0; i < plane_target(search->t)->op_count; i++) {
        struct step x = {.op = &plane_target(search->t)->ops[i]};
        place_operands(search, &x, 0, is_symmetric(x.op));
    }
}

/* --- states --- */

static unsigned value_at(const struct search *search, uint64_t state, unsigned place) {
    return place < search->first_cell
               ? search->places[place].fixed
               : (unsigned)(state >> BITS * (place - search->first_cell) & ((1u << BITS) - 1));
}

static uint64_t with_value(const struct search *search, uint64_t state, unsigned place,
                           uint64_t value) {
    unsigned shift = BITS * (place - search->first_cell);
    return (state & ~((((uint64_t)1 << BITS) - 1) << shift)) | value << shift;
}

static uint8_t apply(uint32_t truth, const unsigned *in, unsigned count) {
    uint8_t out = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        unsigned row = 0;
        for (unsigned i = 0; i < count; i++)
            row |= (in[i] >> lane & 1) << i;
        out |= (uint8_t)((truth >> row & 1) << lane);
    }
    return out;
}

/* False if it reads what holds nothing. */
static bool carry_out(const struct search *search, const struct step *step, uint64_t *state) {
    const struct target_op *op = step->op;
    unsigned in[OP_MAX_SOURCES + 1];
    uint64_t next = *state;
    for (unsigned i = 0; i < op->nsrc; i++)
        if ((in[i] = value_at(search, *state, step->at[i])) == UNDEFINED)
            return false;
    for (unsigned d = 0; d < op->ndst; d++) {
        unsigned to = step->at[op->nsrc + d];
        in[op->nsrc] = plane_op_presets(op, d)
                           ? (plane_target(search->t)->ops[op->preset - 1].truth[0] & 1 ? 255 : 0)
                           : value_at(search, *state, to);
        if (plane_op_uses_old(op, d) && in[op->nsrc] == UNDEFINED)
            return false;
        next = with_value(search, next, to,
                          apply(op->truth[d], in, op->nsrc + (unsigned)op->reads_old));
    }
    *state = next;
    return true;
}

/* Cells of one class, but for the first, which is a register's, can change places. */
static uint64_t in_order(const struct search *search, uint64_t state) {
    for (unsigned i = search->first_cell + 2; i < search->count; i++)
        for (unsigned k = i;
             k > search->first_cell + 1 && search->places[k].class == search->places[k - 1].class;
             k--) {
            unsigned x = value_at(search, state, k - 1), y = value_at(search, state, k);
            if (x <= y)
                break;
            state = with_value(search, with_value(search, state, k - 1, y), k, x);
        }
    return state;
}

struct states {
    HASH_TABLE(uint64_t, uint8_t) seen;
    VEC(uint64_t) list;
};

static bool try_steps(struct search *search, struct states *states, uint64_t from, bool last) {
    for (unsigned i = 0; i < search->step_count; i++) {
        uint64_t next = from;
        if (!carry_out(search, &search->steps[i], &next))
            continue;
        if ((next & ((1u << BITS) - 1)) == search->wanted)
            return true;
        next = in_order(search, next);
        if (last || hash_table_get(&states->seen, &next))
            continue;
        *(uint8_t *)hash_table_put(&states->seen, &next) = 1;
        vec_push(&states->list, next);
        search->cut |= ++search->seen > MOST_SEEN;
    }
    return false;
}

/* Breadth first, from cells that hold nothing; the first cell is a register's. */
static bool search_makes(struct search *search) {
    struct states states = {0};
    uint64_t start = 0;
    bool made = false;
    size_t from = 0;
    for (unsigned c = 0; c < CELLS; c++)
        start |= (uint64_t)UNDEFINED << BITS * c;
    vec_push(&states.list, start);
    for (unsigned depth = 1; depth <= CELLS_MOST_OPS && !made; depth++)
        for (size_t end = states.list.len; from < end && !made && !search->cut; from++)
            made = try_steps(search, &states, states.list.data[from], depth == CELLS_MOST_OPS);
    hash_table_free(&states.seen);
    vec_free(&states.list);
    return made;
}

/* --- cells --- */

static bool is_cell(const struct target *t, uint32_t class) {
    const struct row_class *c = &plane_target(t)->row_classes[class];
    bool mask = plane_target(t)->mask_by == MASK_LATCH && plane_target(t)->mask_latch == class;
    return c->value < 0 && c->scratch && !mask;
}

/* Classes of cells: those of rows, and of several sections the buffer. */
static unsigned kinds_of_cells(const struct search *search) {
    return plane_target(search->t)->row_class_count +
           (technology_sections_apart(search->t) && !search->rows);
}

static int class_of_kind(const struct target *t, unsigned kind) {
    return kind < plane_target(t)->row_class_count ? (int)kind : CLASS_BUFFER;
}

static uint32_t cells_of_class(const struct target *t, int class) {
    const struct row_class *x = &plane_target(t)->row_classes[class == CLASS_BUFFER ? 0 : class];
    if (class == CLASS_BUFFER)
        return 1;
    return !is_cell(t, (uint32_t) class) ? 0 : x->latch ? 1 : row_class_rows(x);
}

/* Cells of the classes that the digits of `choice` name; false if there are not so many. */
static bool choose_cells(struct search *search, unsigned choice) {
    const struct target *t = search->t;
    unsigned kinds = kinds_of_cells(search), before = 0;
    uint32_t taken[64] = {0};
    search->count = search->first_cell;
    search->places[search->count++] = (struct place){(int)plane_target(t)->register_class, 0};
    for (unsigned c = 1; c < CELLS; c++, choice /= kinds) {
        unsigned kind = choice % kinds;
        int class = class_of_kind(t, kind);
        if (++taken[kind] > cells_of_class(t, class) || kind < before)
            return false;
        before = kind;
        search->places[search->count++] = (struct place){class, 0};
    }
    return true;
}

static void add_given(struct search *search, unsigned inputs) {
    static const uint8_t variables[INPUTS] = {0xAA, 0xCC, 0xF0};
    const struct plane_target *own = plane_target(search->t);
    for (unsigned i = 0; i < inputs; i++)
        search->places[search->count++] = (struct place){(int)own->register_class, variables[i]};
    for (uint32_t i = 0; i < own->row_class_count; i++)
        if (own->row_classes[i].value >= 0 && search->count < INPUTS + 2)
            search->places[search->count++] =
                (struct place){(int)i, own->row_classes[i].value ? 255 : 0};
    search->first_cell = search->count;
}

static enum cells_answer make(const struct target *target, uint8_t truth, unsigned inputs,
                              bool rows) {
    struct search s = {.t = target, .wanted = truth, .rows = rows};
    unsigned kinds = kinds_of_cells(&s);
    bool made = false;
    s.steps = xcalloc(MOST_USES, sizeof *s.steps);
    add_given(&s, inputs);
    for (unsigned i = 0; i < kinds * kinds * kinds * kinds && !made && !s.cut; i++)
        if (choose_cells(&s, i)) {
            list_steps(&s);
            made = search_makes(&s);
        }
    free(s.steps);
    return made ? CELLS_FOUND : s.cut ? CELLS_TOO_MANY : CELLS_NEVER;
}

enum cells_answer cells_make(const struct target *target, uint8_t truth, unsigned inputs) {
    return make(target, truth, inputs, false);
}

enum cells_answer cells_make_in_rows(const struct target *target, uint8_t truth, unsigned inputs) {
    return make(target, truth, inputs, true);
}
