/* SPDX-License-Identifier: MIT
 * What the files that read .move share. */
#ifndef ASM_MOVE_H
#define ASM_MOVE_H

#include "asm/assembler.h"

/* An affine expression of range indices, laps and one size, which may be a derived one.  Its
 * numbers are wider than those of the object. */
struct linear {
    wide coeff[MOVE_MAX_DIMS], lap[MOVE_MAX_LAPS], offset, size_coeff;
    uint32_t size; /* NO_INDEX: none */
};

/* The coordinates of the near side, which names the range indices. */
struct coordinates {
    struct asm_token name[MOVE_MAX_DIMS]; /* the name of the range index; zeroed: there is none */
    struct asm_token text[MOVE_MAX_DIMS]; /* the whole coordinate, without its range */
    struct linear own[MOVE_MAX_DIMS];     /* what it is */
    uint32_t count;
};

/* Registers and group of one side. */
struct gmove_side {
    uint32_t group;
    uint8_t reg, count;
    bool has_k;
    uint32_t dims; /* how many coordinates it needs */
    struct asm_token at;
    const struct variable *variable; /* or NULL; valid until the next one is declared */
};

struct move_parser {
    struct assembler *a;
    struct coordinates *names; /* NULL: none may occur */
    const struct gmove_side
        *near; /* the side that the names are of; NULL without names, and while they are read */
    bool names_index; /* a name that means nothing else is the coordinate's range index */
    bool named;       /* there was such a name */
};

/* Reads a sum of multiples; false after an error, as with all functions below. */
bool asm_parse_linear(struct move_parser *parser, struct linear *out);
/* True if it is a number alone. */
bool asm_linear_is_number(const struct linear *linear);
/* @g r3, @g r8 .. r15, r3 (no group), or a variable. */
bool asm_parse_side(struct assembler *assembler, struct gmove_side *side);
/* Whether the side was given as many coordinates as it wants. */
bool asm_check_dims(struct assembler *assembler, const struct gmove_side *side, uint32_t given);

/* ---- move_index.c: coordinates that a register holds ---- */

/* Whether the current token begins one: k[..], @g r3: u16[..]. */
bool asm_at_move_index(const struct assembler *assembler);
/* Coordinate d of the far side. */
bool asm_parse_move_index(struct move_parser *parser, uint32_t d, struct move *move);
/* Whether the side at the current token has an index in its brackets. */
bool asm_at_scatter(const struct assembler *assembler);
/* Reads past [..], whatever stands in it. */
bool asm_skip_brackets(struct assembler *assembler);
/* Whether the move may have `clip`; whether it may have `else`.  False after reporting. */
bool asm_check_clip(struct assembler *assembler, const struct move *move);
bool asm_check_else(struct assembler *assembler, const struct move *move);

/* A place in the statement at hand, to come back to. */
struct scan_mark {
    struct asm_token token;
    size_t previous_end, pos;
};
struct scan_mark asm_scan_mark(const struct assembler *assembler);
void asm_scan_return(struct assembler *assembler, const struct scan_mark *mark);

#endif
