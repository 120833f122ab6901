/* SPDX-License-Identifier: MIT
 * Which words a partitioned crossbar can carry out, and how many cells they touch. */
#include "machines/plane/link/host_words.h"

#include "support/saturate.h"

#include <inttypes.h>

/* What gates make of their operands and of what the result held, as target_op.truth has it. */
static const struct {
    uint8_t nsrc;
    bool reads_old;
    uint32_t truth;
} gate_functions[GATE_COUNT] = {
    [GATE_INIT0] = {0, false, 0x0},
    [GATE_INIT1] = {0, false, 0x1},
    [GATE_NOT] = {1, true, 0x4},
    [GATE_NOR] = {2, true, 0x10},
};

const struct target_op *plane_gate_op(const struct target *target, enum plane_gate gate) {
    const struct plane_target *p = plane_target(target);
    for (uint32_t k = 0; k < p->op_count; k++)
        if (p->ops[k].ndst == 1 && p->ops[k].nsrc == gate_functions[gate].nsrc &&
            p->ops[k].reads_old == gate_functions[gate].reads_old &&
            p->ops[k].truth[0] == gate_functions[gate].truth)
            return &p->ops[k];
    return NULL;
}

struct plane_selected plane_selected_all(const struct plane_crossbar *crossbar) {
    return (struct plane_selected){{0, crossbar->crossbars - 1, 1}, {0, crossbar->rows - 1, 1}};
}

static bool below(uint32_t value, uint32_t count, const char *what, struct str *why) {
    if (value < count)
        return true;
    str_printf(why, "%s %" PRIu32 " is not there: %" PRIu32 " is the last one", what, value,
               count - 1);
    return false;
}

/* The step of a range of one means nothing. */
static bool check_range(const struct plane_word *word, uint32_t count, const char *what,
                        struct plane_range *out, struct str *why) {
    if (!below(word->stop, count, what, why))
        return false;
    if (word->start > word->stop) {
        str_printf(why, "the range begins with %s %" PRIu32 ", behind its end %" PRIu32, what,
                   word->start, word->stop);
        return false;
    }
    uint32_t step = word->start == word->stop ? 1 : word->step;
    if (step == 0 || (word->stop - word->start) % step) {
        str_printf(why, "steps of %" PRIu32 " do not lead from %s %" PRIu32 " to %" PRIu32, step,
                   what, word->start, word->stop);
        return false;
    }
    *out = (struct plane_range){word->start, word->stop, step};
    return true;
}

static unsigned operands(const struct plane_word *word) {
    return gate_functions[word->gate].nsrc;
}

/* ---- gates along rows ---- */

static bool gates_in_range(const struct plane_crossbar *x, const struct plane_word *word,
                           struct str *why) {
    struct plane_range range;
    if (!check_range(word, x->partitions, "partition", &range, why) ||
        !below(word->reg, x->registers, "register", why))
        return false;
    if (word->step == 0) {
        str_append(why, "a step of 0 partitions");
        return false;
    }
    for (unsigned i = 0; i < operands(word); i++)
        if (!below(word->in_reg[i], x->registers, "register", why) ||
            !below(word->in_partition[i], x->partitions, "partition", why))
            return false;
    return true;
}

/* Partitions of the first gate. */
struct gate_span {
    uint32_t low, high;
};

static struct gate_span span_of(const struct plane_word *word) {
    struct gate_span s = {word->start, word->start};
    for (unsigned i = 0; i < operands(word); i++) {
        s.low = word->in_partition[i] < s.low ? word->in_partition[i] : s.low;
        s.high = word->in_partition[i] > s.high ? word->in_partition[i] : s.high;
    }
    return s;
}

/* A gate works in a section of its own. */
static bool sections_apart(const struct plane_crossbar *x, const struct plane_word *word,
                           struct str *why) {
    struct gate_span s = span_of(word);
    if (word->stop - word->start > x->partitions - 1 - s.high) {
        str_printf(why, "its last gate reaches beyond partition %" PRIu32, x->partitions - 1);
        return false;
    }
    if (word->start == word->stop || s.high - s.low < word->step)
        return true;
    str_printf(why,
               "sections meet: a gate takes partitions %" PRIu32 "..%" PRIu32
               ", and the next one lies %" PRIu32 " on",
               s.low, s.high, word->step);
    return false;
}

static bool same_cell(const struct plane_word *word, unsigned operand) {
    return word->in_reg[operand] == word->reg && word->in_partition[operand] == word->start;
}

static bool cells_apart(const struct plane_word *word, struct str *why) {
    for (unsigned i = 0; i < operands(word); i++)
        if (same_cell(word, i)) {
            str_append(why, "its result is one of its operands");
            return false;
        }
    if (operands(word) < 2 || word->in_reg[0] != word->in_reg[1] ||
        word->in_partition[0] != word->in_partition[1])
        return true;
    str_append(why, "both operands are one cell");
    return false;
}

/* The transistors beside the result do not conduct on the side where no operand lies, nor those
 * beyond the outer operand.  So operands lie on one side of the result, its own partition counts to
 * both; which side it is, the outer operand says. */
static bool transistors_conduct(const struct plane_word *word, struct str *why) {
    if (operands(word) < 2)
        return true;
    if (word->in_partition[0] > word->in_partition[1]) {
        str_printf(
            why, "its operands are not in the order of their partitions (%" PRIu32 ", %" PRIu32 ")",
            word->in_partition[0], word->in_partition[1]);
        return false;
    }
    if (word->in_partition[0] >= word->start || word->in_partition[1] <= word->start)
        return true;
    str_printf(why,
               "the transistor beside its result, in partition %" PRIu32
               ", parts it from an operand: they lie in %" PRIu32 " and %" PRIu32,
               word->start, word->in_partition[0], word->in_partition[1]);
    return false;
}

static bool check_gates(const struct plane_crossbar *x, const struct plane_word *word,
                        struct str *why) {
    return gates_in_range(x, word, why) && sections_apart(x, word, why) && cells_apart(word, why) &&
           transistors_conduct(word, why);
}

/* ---- others ---- */

static bool check_vertical(const struct plane_crossbar *x, const struct plane_word *word,
                           struct str *why) {
    bool reads = word->gate == GATE_NOT;
    if (word->gate == GATE_NOR) {
        str_append(why, "no gate of two operands works along columns");
        return false;
    }
    if (!below(word->reg, x->registers, "register", why) ||
        !below(word->out_row, x->rows, "row", why) ||
        (reads && !below(word->in_row, x->rows, "row", why)))
        return false;
    if (!reads || word->in_row != word->out_row)
        return true;
    str_append(why, "its result is its operand");
    return false;
}

static bool is_power_of_four(uint32_t value) {
    return value && (value & (value - 1)) == 0 && (value & UINT32_C(0x55555555));
}

/* Crossbars hang in a tree, four to a knot: in a step, one of each group of `step` sends to one of
 * the same group. */
static bool check_tree(const struct plane_word *word, const struct plane_range *from,
                       struct str *why) {
    if (from->start == from->stop)
        return true;
    if (!is_power_of_four(from->step)) {
        str_printf(why, "moves from crossbars that lie %" PRIu32 " apart, no power of 4",
                   from->step);
        return false;
    }
    if (from->start / from->step == word->crossbar / from->step)
        return true;
    str_printf(why, "a move from crossbar %" PRIu32 " to %" PRIu32 " leaves its group of %" PRIu32,
               from->start, word->crossbar, from->step);
    return false;
}

static bool check_move(const struct plane_crossbar *x, const struct plane_word *word,
                       const struct plane_range *from, struct str *why) {
    if (!below(word->in_reg[0], x->registers, "register", why) ||
        !below(word->reg, x->registers, "register", why) ||
        !below(word->in_row, x->rows, "row", why) || !below(word->out_row, x->rows, "row", why) ||
        !below(word->crossbar, x->crossbars, "crossbar", why))
        return false;
    if (from->stop - from->start > x->crossbars - 1 - word->crossbar) {
        str_printf(why, "its last move goes beyond crossbar %" PRIu32, x->crossbars - 1);
        return false;
    }
    return check_tree(word, from, why);
}

static bool check_read(const struct plane_crossbar *x, const struct plane_word *word,
                       const struct plane_selected *selected, struct str *why) {
    uint32_t crossbars = plane_range_size(selected->crossbars),
             rows = plane_range_size(selected->rows);
    if (!below(word->reg, x->registers, "register", why))
        return false;
    if (crossbars == 1 && rows == 1)
        return true;
    str_printf(why,
               "reads one row of one crossbar, and %" PRIu32 " rows of %" PRIu32
               " crossbars are selected",
               rows, crossbars);
    return false;
}

static bool check_write(const struct plane_crossbar *x, const struct plane_word *word,
                        struct str *why) {
    if (!below(word->reg, x->registers, "register", why))
        return false;
    if (x->partitions >= 64 || word->data >> x->partitions == 0)
        return true;
    str_printf(why, "0x%" PRIx64 " has more than %" PRIu32 " bits", word->data, x->partitions);
    return false;
}

bool plane_word_check(const struct plane_crossbar *crossbar, const struct plane_word *word,
                      struct plane_selected *selected, struct str *why) {
    switch (word->kind) {
    case WORD_CROSSBARS:
        return check_range(word, crossbar->crossbars, "crossbar", &selected->crossbars, why);
    case WORD_ROWS:
        return check_range(word, crossbar->rows, "row", &selected->rows, why);
    case WORD_READ:
        return check_read(crossbar, word, selected, why);
    case WORD_WRITE:
        return check_write(crossbar, word, why);
    case WORD_GATES:
        return check_gates(crossbar, word, why);
    case WORD_VERTICAL:
        return check_vertical(crossbar, word, why);
    case WORD_MOVE:
        return check_move(crossbar, word, &selected->crossbars, why);
    case WORD_KINDS:
        break;
    }
    return false;
}

uint64_t plane_word_cells(const struct plane_crossbar *crossbar, const struct plane_word *word,
                          const struct plane_selected *selected) {
    uint64_t crossbars = plane_range_size(selected->crossbars);
    uint64_t rows = sat_mul(crossbars, plane_range_size(selected->rows));
    switch (word->kind) {
    case WORD_READ:
        return crossbar->partitions;
    case WORD_WRITE:
        return sat_mul(rows, crossbar->partitions);
    case WORD_GATES:
        return sat_mul(rows, (word->stop - word->start) / word->step + 1);
    case WORD_VERTICAL:
    case WORD_MOVE:
        return sat_mul(crossbars, crossbar->partitions);
    default:
        return 0;
    }
}
