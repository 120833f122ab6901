/* SPDX-License-Identifier: MIT
 * What the files that read .move share. */
#ifndef ASM_MOVE_H
#define ASM_MOVE_H

#include "asm/assembler.h"

/* An affine expression of range indices, laps and one size, which may be a derived one, in wider
 * numbers. */
struct linear {
    wide coeff[MOVE_MAX_DIMS], lap[MOVE_MAX_LAPS], offset, size_coeff;
    uint32_t size; /* NO_INDEX: none */
};

/* Coordinates of the side that names the range indices: the near one. */
struct coordinates {
    struct asm_token name[MOVE_MAX_DIMS]; /* of the range index; one without a name is 0 */
    struct asm_token text[MOVE_MAX_DIMS]; /* of the whole coordinate, without its range */
    struct linear own[MOVE_MAX_DIMS];     /* what it is */
    uint32_t count;
};

/* Registers and group of one side. */
struct gmove_side {
    uint32_t group;
    uint8_t reg, count;
    bool has_k;
    uint32_t dims; /* coordinates that it wants */
    struct asm_token at;
    const struct variable *variable; /* or NULL; valid until the next one is declared */
};

struct move_parser {
    struct assembler *a;
    struct coordinates *names; /* NULL: none may occur */
    const struct gmove_side
        *near;        /* that these are of; NULL without names, and while they are read */
    bool names_index; /* a name that means nothing else is that of a further index */
    bool named;       /* it was */
};

/* A sum of multiples; false after an error, like all below. */
bool asm_parse_linear(struct move_parser *p, struct linear *out);
/* Nothing but a number is in it. */
bool asm_linear_is_number(const struct linear *x);
/* @g r3, @g r8 .. r15, r3 (no group), or a variable. */
bool asm_parse_side(struct assembler *a, struct gmove_side *s);
/* Whether the side was given as many coordinates as it wants. */
bool asm_check_dims(struct assembler *a, const struct gmove_side *s, uint32_t given);

/* ---- move_index.c: coordinates that a register holds ---- */

/* Whether the current token begins one: k[..], @g r3: u16[..]. */
bool asm_at_move_index(const struct assembler *a);
/* Coordinate d of the far side. */
bool asm_parse_move_index(struct move_parser *p, uint32_t d, struct move *m);
/* Whether the side at the current token has an index in its brackets. */
bool asm_at_scatter(const struct assembler *a);
/* Over [..], whatever it holds. */
bool asm_skip_brackets(struct assembler *a);
/* Whether m may have clip, or else. */
bool asm_check_clip(struct assembler *a, const struct move *m);
bool asm_check_else(struct assembler *a, const struct move *m);

/* A place in the statement at hand, to come back to. */
struct scan_mark {
    struct asm_token token;
    size_t previous_end, pos;
};
struct scan_mark asm_scan_mark(const struct assembler *a);
void asm_scan_return(struct assembler *a, const struct scan_mark *mark);

#endif
