/* SPDX-License-Identifier: MIT
 * The 64-bit words that a host streams to a partitioned crossbar (PyPIM): masks, reads and writes,
 * gates along rows and along columns, moves between crossbars.
 *
 * A word has its kind in bits 1:0 and, but for a move, a flag in bit 2; fields follow from the
 * lowest bit on.  They are as wide as in the publication, and wider where a target has more
 * crossbars, rows, registers or partitions; whatever is above is 0.  A *register* is a column of
 * every partition, its bit p the cell in partition p; a row is a lane, a crossbar a VRF. */
#ifndef MACHINES_PLANE_LINK_HOST_WORDS_H
#define MACHINES_PLANE_LINK_HOST_WORDS_H

#include "recipe/technology/plane_target.h"
#include "support/str.h"

/* What words speak of, and how wide fields are. */
struct plane_crossbar {
    uint32_t crossbars, rows, registers, partitions;
    uint8_t crossbar_bits, row_bits, register_bits, partition_bits, data_bits;
};
/* False, with why not appended, where a target has no partitions, or words of 64 bits have no room
 * for what it has. */
bool plane_crossbar_of(const struct target *target, struct plane_crossbar *out, struct str *why);

enum plane_word_kind {
    WORD_CROSSBARS, /* from here on: crossbars start, start + step .. stop */
    WORD_ROWS,      /* rows, likewise */
    WORD_READ,      /* register of the one row of the one crossbar: to the host */
    WORD_WRITE,     /* register = data, in all rows of all crossbars */
    WORD_GATES,     /* of registers, in partitions, in all rows of all crossbars */
    WORD_VERTICAL,  /* of two rows, in a register of all crossbars */
    WORD_MOVE,      /* a register of a row to that of another row, from each crossbar to another */
    WORD_KINDS
};
/* As the publication has them. */
enum plane_gate { GATE_INIT0, GATE_INIT1, GATE_NOT, GATE_NOR, GATE_COUNT };

const char *plane_gate_name(enum plane_gate gate); /* "NOR" */
/* The target's op that does the same, NULL if there is none: a gate of operands ands into what the
 * result held. */
const struct target_op *plane_gate_op(const struct target *target, enum plane_gate gate);

struct plane_word {
    enum plane_word_kind kind;
    enum plane_gate gate;       /* GATES, VERTICAL (no NOR) */
    uint32_t start, stop, step; /* CROSSBARS, ROWS: stop is the last one.  GATES: partitions of the
                                   results, that of the first gate, of the last, between two */
    uint32_t reg;               /* READ, WRITE, VERTICAL; GATES: of the results; MOVE: it writes */
    uint64_t data;              /* WRITE */
    uint32_t in_reg[2], in_partition[2]; /* GATES: of the first gate; INIT: the result twice, NOT:
                                            its operand twice.  MOVE: in_reg[0] is read */
    uint32_t in_row, out_row;            /* VERTICAL, MOVE */
    uint32_t crossbar; /* MOVE: that the first crossbar's goes to; the others as far on */
};

/* Fields that have no meaning for a kind count as 0.  What does not fit its field is cut: see
 * plane_word_check. */
uint64_t plane_word_encode(const struct plane_crossbar *crossbar, const struct plane_word *word);
/* False, with what is wrong appended, if bits that mean nothing are not 0. */
bool plane_word_decode(const struct plane_crossbar *crossbar, uint64_t bits,
                       struct plane_word *word, struct str *why);

/* A word of WORD_READ, on any machine. */
bool plane_word_is_read(uint64_t bits);

/* What is selected before the next word; at first all. */
struct plane_range {
    uint32_t start, stop, step;
};
static inline uint32_t plane_range_size(struct plane_range range) {
    return (range.stop - range.start) / range.step + 1;
}
struct plane_selected {
    struct plane_range crossbars, rows;
};
struct plane_selected plane_selected_all(const struct plane_crossbar *crossbar);
/* What can be carried out: fields in range, sections that do not meet, transistors that the word
 * implies, moves that the tree of crossbars has.  False, with why not appended; else *selected is
 * what the word leaves. */
bool plane_word_check(const struct plane_crossbar *crossbar, const struct plane_word *word,
                      struct plane_selected *selected, struct str *why);

/* Cells that the word touches: the publication's figure of energy (a gate in a row is one). */
uint64_t plane_word_cells(const struct plane_crossbar *crossbar, const struct plane_word *word,
                          const struct plane_selected *selected);

/* Appends "NOR r30[3..23:4] <- r0[0..20:4], r1[0..20:4]"; docs/trace.md has all forms. */
void plane_word_text(const struct plane_word *word, struct str *out);
/* From such a line of n bytes, or the word as a number; false with what is wrong appended. */
bool plane_word_parse(const struct plane_crossbar *crossbar, const char *text, size_t n,
                      struct plane_word *word, struct str *why);

#endif
