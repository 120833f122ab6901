/* SPDX-License-Identifier: MIT
 * The instructions of the imported dialect: what they are called, what stands behind them, what
 * they become, and what of that is different from an instruction of ours with that name.
 *
 * Sources of all meanings: the released simulator's instructions as listed and measured in the
 * project's reference notes on MASTODON, sections 1.2 to 1.4. */
#ifndef EZPIM_ERC_DIALECT_H
#define EZPIM_ERC_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERC_OPERANDS 5

enum erc_does {
    DOES_TEMPLATE, /* what the template says */
    DOES_COMPUTE,
    DOES_COMPUTE_ALL,
    DOES_COMPUTE_DONE,
    DOES_MOVE,
    DOES_MOVE_DONE,
    DOES_COPY,
    DOES_COPY_RSHIFT,
    DOES_COPY_BCAST,
    DOES_SEND,
    DOES_SEND_DONE,
    DOES_RECV,
    DOES_JUMP,
    DOES_JUMP_COND,
    DOES_RETURN,
    DOES_EOF,
    DOES_SETMASK,
    DOES_UNMASK,
    DOES_NOTHING,
    DOES_NOP,
    DOES_REFUSE, /* is an error: `differs` says why */
};

enum erc_insn_flags {
    /* The prototype lets the conditional register T take part: in the sum, the difference, or as
     * the answer of a comparison of equal numbers. */
    ERC_TAKES_T = 1 << 0,
    ERC_SETS_T = 1 << 1,       /* T holds something behind it */
    ERC_CLEARS_T = 1 << 2,     /* T is 0 behind it */
    ERC_SPOILS_T = 1 << 3,     /* the prototype leaves T undefined; C is not touched */
    ERC_SHOWS_ALWAYS = 1 << 4, /* `differs` is said at every line, not at the first alone */
    ERC_LAST_DIFFERS = 1 << 5, /* the last operand must differ from the one before */
    ERC_IN_PLACE = 1 << 6,     /* in place, the prototype loses the value */
    ERC_OPTIONAL = 1 << 7,     /* the operand may be left out */
};

/* Operands, in the order of the text, one letter each: a b c registers; f g RFHs; v w VRFs; m an
 * MPU; e an element; k a count of bits; n a number; l a label.
 *
 * Templates are instructions of ours with ; between.  A width is .w (--width), .n (the fixed width
 * or --width, the smaller one) or a number.  Operands are the letters of the dialect's operands, x
 * and y for scratch registers, and, as source width or count: h (half of the fixed width), n, t
 * (--width less one).  What begins with + is made only where .n is narrower than .w. */
struct erc_insn {
    const char *name;
    const char *operands;
    enum erc_does does;
    uint8_t fixed; /* width in the name, or 0 */
    uint8_t flags; /* enum erc_insn_flags */
    const char *becomes;
    const char *differs; /* from what the name means here; NULL: it does not */
};

extern const struct erc_insn erc_insns[];
extern const size_t erc_insn_count;

/* NULL if there is none.  Upper and lower case are different letters. */
const struct erc_insn *erc_find(const char *name, size_t size);

/* Comparisons of `if` and `while`. */
enum erc_relation {
    RELATION_GT,
    RELATION_LT,
    RELATION_EQ,
    RELATION_GE,
    RELATION_LE,
    RELATION_NE,
    RELATION_COUNT
};
extern const char *const erc_relations[RELATION_COUNT];

#endif
