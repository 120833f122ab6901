/* SPDX-License-Identifier: MIT
 * What micro-ops could make at all: classes of rows hold sets of functions, as if each had as many
 * rows as one likes, and what an op makes of what its operands may hold goes into the class of its
 * result.  That is more than any sequence makes, so a function that is not there is made by none.
 */
#include "recipe/map/derive.h"

#include <string.h>

#define MOST_CLASSES  64
#define MOST_SECTIONS 4          /* that a condition may tell apart */
#define MOST_WORK     (1u << 22) /* results looked at; beyond that all counts as possible */
#define OPERANDS      (OP_MAX_SOURCES + OP_MAX_DESTS)

struct closure {
    const struct target *t;
    bool with_mask;   /* the latch of the mask is a row like others */
    bool overwrites;  /* so are the registers that hold the inputs, which stay otherwise */
    int within;       /* the one section of all places, which are rows; -1: any */
    unsigned values;  /* different functions */
    unsigned rows;    /* of their truth tables */
    unsigned classes; /* of rows, and that of buffers */
    uint64_t held[MOST_CLASSES + 1][4];
    uint64_t made[4]; /* in registers */
    bool changed, given_up;
    uint32_t work;
};

/* An op whose operands get classes and then values. */
struct trial {
    struct closure *c;
    const struct target_op *op;
    struct where_place at[OPERANDS];
    unsigned value[OP_MAX_SOURCES + 1];
};

static bool has(const uint64_t *set, unsigned value) {
    return set[value >> 6] >> (value & 63) & 1;
}

static bool is_empty(const uint64_t *set) {
    return !(set[0] | set[1] | set[2] | set[3]);
}

static int class_at(const struct closure *closure, unsigned index) {
    return index + 1 == closure->classes ? CLASS_BUFFER : (int)index;
}

static uint64_t *held_in(struct closure *closure, int class) {
    return closure->held[class == CLASS_BUFFER ? closure->classes - 1 : (unsigned)class];
}

/* What rows of the class that may be written hold. */
static uint64_t *written_in(struct closure *closure, int class) {
    bool inputs = class == (int)plane_target(closure->t)->register_class;
    return inputs && !closure->overwrites ? closure->made : held_in(closure, class);
}

static bool may_write(const struct closure *closure, int class) {
    const struct plane_target *t = plane_target(closure->t);
    if (class == CLASS_BUFFER)
        return closure->within < 0 && technology_sections_apart(closure->t);
    bool mask = t->mask_by == MASK_LATCH && t->mask_latch == (uint32_t) class;
    const struct row_class *c = &t->row_classes[class];
    return c->value < 0 && (c->scratch || c->registers) && (!mask || closure->with_mask);
}

/* --- values --- */

/* The table of a destination's result, all rows of it at once. */
static unsigned result_of(const struct trial *trial, unsigned dest) {
    unsigned made = 0, count = trial->op->nsrc + (unsigned)trial->op->reads_old;
    for (unsigned row = 0; row < 1u << count; row++) {
        unsigned here = trial->op->truth[dest] >> row & 1 ? trial->c->values - 1 : 0;
        for (unsigned i = 0; i < count && here; i++)
            here &= row >> i & 1 ? trial->value[i] : ~trial->value[i];
        made |= here;
    }
    return made;
}

static void note(struct trial *trial, unsigned dest) {
    const struct target_op *op = trial->op;
    unsigned tied = op->tied[dest], value = result_of(trial, dest);
    int class = trial->at[tied ? tied - 1u : op->nsrc + dest].class;
    uint64_t *held = held_in(trial->c, class);
    trial->c->given_up |= ++trial->c->work > MOST_WORK;
    trial->c->changed |= !has(held, value);
    held[value >> 6] |= (uint64_t)1 << (value & 63);
    if (class == (int)plane_target(trial->c->t)->register_class)
        trial->c->made[value >> 6] |= (uint64_t)1 << (value & 63);
}

/* With all that the result's place may have held, where that counts. */
static void note_all(struct trial *trial, unsigned dest) {
    const struct target_op *op = trial->op;
    bool one =
        plane_op_presets(op, dest) && plane_target(trial->c->t)->ops[op->preset - 1].truth[0] & 1;
    uint64_t old[4];
    trial->value[op->nsrc] = one ? trial->c->values - 1 : 0;
    if (!plane_op_keeps_old(op, dest)) {
        note(trial, dest);
        return;
    }
    memcpy(old, written_in(trial->c, trial->at[op->nsrc + dest].class), sizeof old);
    for (unsigned v = 0; v < trial->c->values && !trial->c->given_up; v++)
        if (has(old, v)) {
            trial->value[op->nsrc] = v;
            note(trial, dest);
        }
}

static bool is_written(const struct target_op *op, unsigned operand) {
    bool written = operand >= op->nsrc;
    for (unsigned d = 0; d < op->ndst; d++)
        written |= op->tied[d] == operand + 1;
    return written;
}

static void give_values(struct trial *trial, unsigned source) {
    const struct target_op *op = trial->op;
    if (source == op->nsrc) {
        for (unsigned d = 0; d < op->ndst; d++)
            note_all(trial, d);
        return;
    }
    uint64_t there[4];
    int class = trial->at[source].class;
    memcpy(there,
           is_written(op, source) ? written_in(trial->c, class) : held_in(trial->c, class),
           sizeof there);
    for (unsigned v = 0; v < trial->c->values && !trial->c->given_up; v++)
        if (has(there, v)) {
            trial->value[source] = v;
            give_values(trial, source + 1);
        }
}

/* --- places --- */

static bool is_tied(const struct target_op *op, unsigned operand) {
    return operand >= op->nsrc && op->tied[operand - op->nsrc];
}

static bool fits(struct trial *trial, unsigned operand, int class) {
    const struct target_op *op = trial->op;
    if (op->fixed[operand] && op->fixed[operand] != class + 1)
        return false;
    return is_written(op, operand) ? may_write(trial->c, class)
                                   : !is_empty(held_in(trial->c, class));
}

static bool may_hold(const struct trial *trial) {
    int sections = (int)plane_target(trial->c->t)->sections, within = trial->c->within;
    if (within >= 0)
        return technology_where_decided(trial->op->where, trial->at, within) != 0;
    for (int here = 0; here < sections && here < MOST_SECTIONS; here++)
        if (technology_where_decided(trial->op->where, trial->at, here) != 0)
            return true;
    return false;
}

static void give_places(struct trial *trial, unsigned operand) {
    const struct target_op *op = trial->op;
    int sections = (int)plane_target(trial->c->t)->sections, within = trial->c->within;
    int first = within < 0 ? 0 : within, end = within < 0 ? sections : within + 1;
    trial->c->given_up |= ++trial->c->work > MOST_WORK;
    if (operand == op->nsrc + (unsigned)op->ndst) {
        give_values(trial, 0);
        return;
    }
    for (unsigned i = 0; i < trial->c->classes && !trial->c->given_up; i++)
        for (int s = first; s < end && s < MOST_SECTIONS; s++) {
            bool tied = is_tied(op, operand);
            trial->at[operand] = tied ? trial->at[op->tied[operand - op->nsrc] - 1]
                                      : (struct where_place){class_at(trial->c, i), s};
            if ((tied || fits(trial, operand, trial->at[operand].class)) && may_hold(trial))
                give_places(trial, operand + 1);
            trial->at[operand].class = CLASS_UNKNOWN;
            if (tied)
                return;
        }
}

/* --- values in two places --- */

/* Does the destination's result hang on the source? */
static bool hangs_on(const struct target_op *op, unsigned dest, unsigned source) {
    unsigned count = op->nsrc + (unsigned)op->reads_old;
    for (unsigned row = 0; row < 1u << count; row++)
        if ((op->truth[dest] >> row ^ op->truth[dest] >> (row ^ 1u << source)) & 1)
            return true;
    return false;
}

/* In how many places is something of what the op has read from a source? */
static unsigned places_behind(const struct target_op *op, unsigned source) {
    unsigned places = 1;
    for (unsigned d = 0; d < op->ndst; d++)
        places -= op->tied[d] == source + 1;
    for (unsigned d = 0; d < op->ndst; d++)
        places += hangs_on(op, d, source);
    return places;
}

bool mapping_keeps_operands(const struct target *target) {
    const struct plane_target *t = plane_target(target);
    for (uint32_t i = 0; i < t->op_count; i++)
        for (unsigned s = 0; s < t->ops[i].nsrc; s++)
            if (places_behind(&t->ops[i], s) > 1)
                return true;
    return false;
}

/* --- the whole --- */

static void start(struct closure *closure, const struct target *target, unsigned inputs) {
    static const unsigned variables[FRAME_INPUTS] = {0xAA, 0xCC, 0xF0};
    const struct plane_target *t = plane_target(target);
    closure->t = target;
    closure->rows = 1u << inputs;
    closure->values = 1u << closure->rows;
    closure->classes = t->row_class_count + 1;
    for (unsigned i = 0; i < inputs; i++) {
        unsigned v = variables[i] & (closure->values - 1);
        closure->held[t->register_class][v >> 6] |= (uint64_t)1 << (v & 63);
    }
    for (uint32_t i = 0; i < t->row_class_count; i++) {
        unsigned v = t->row_classes[i].value ? closure->values - 1 : 0;
        if (t->row_classes[i].value >= 0)
            closure->held[i][v >> 6] |= (uint64_t)1 << (v & 63);
    }
}

static void close_once(struct closure *closure) {
    closure->changed = false;
    for (uint32_t i = 0; i < plane_target(closure->t)->op_count && !closure->given_up; i++) {
        struct trial x = {.c = closure, .op = &plane_target(closure->t)->ops[i]};
        for (unsigned k = 0; k < OPERANDS; k++)
            x.at[k].class = CLASS_UNKNOWN;
        give_places(&x, 0);
    }
}

static bool is_possible(struct closure *closure, const struct target *target, uint8_t truth,
                        unsigned inputs) {
    if (plane_target(target)->row_class_count > MOST_CLASSES)
        return true;
    start(closure, target, inputs);
    unsigned wanted = truth & (closure->values - 1);
    bool constant = wanted == 0 || wanted == closure->values - 1;
    if (!constant && !mapping_keeps_operands(target))
        return false;
    do
        close_once(closure);
    while (closure->changed && !closure->given_up && !has(closure->made, wanted));
    return closure->given_up || has(closure->made, wanted);
}

bool mapping_is_possible(const struct target *target, uint8_t truth, unsigned inputs,
                         bool with_mask) {
    struct closure c = {.with_mask = with_mask, .within = -1};
    return is_possible(&c, target, truth, inputs);
}

bool mapping_is_possible_over(const struct target *target, uint8_t truth, unsigned inputs) {
    struct closure c = {.within = -1, .overwrites = true};
    return is_possible(&c, target, truth, inputs);
}

bool mapping_is_possible_within(const struct target *target, uint8_t truth, unsigned inputs) {
    int last = plane_target(target)->sections > 2 ? 1 : 0;
    bool possible = false;
    for (int s = 0; s <= last && !possible; s++) {
        struct closure c = {.within = s};
        possible = is_possible(&c, target, truth, inputs);
    }
    return possible;
}
