/* SPDX-License-Identifier: MIT
 * Patterns: the steps of an instruction with its registers and scratch numbered as they come, so
 * that instructions of one op, width, aliases, mask and constant are one pattern, whatever their
 * registers.  Code is made once for a pattern. */
#ifndef MACHINES_PLANE_RUN_NATIVE_PATTERNS_H
#define MACHINES_PLANE_RUN_NATIVE_PATTERNS_H

#include "machines/plane/run/native.h"

/* Base 0 is the tile's slot 0, for C, M and valid; the others are registers. */
#define PLANE_PATTERN_REGISTERS (PLANE_CODE_BASES - 1)

/* An operand is 2 * slot + (1: scratch); slots of the tile: C, M, valid, then 64 of each register.
 */
struct plane_pattern_step {
    uint16_t kernel, dst, src[3], mask;
};

struct plane_pattern {
    struct plane_pattern *next;          /* in its list of the table */
    struct plane_pattern *newer, *older; /* of those that nobody uses */
    uint64_t hash;
    struct plane_pattern_step *steps;
    size_t count, bytes;                              /* bytes: of steps and code */
    uint8_t registers, bits[PLANE_PATTERN_REGISTERS]; /* bits: that it names of each register */
    uint32_t users;                                   /* parts */
    _Atomic uint64_t worked;                          /* words */
    _Atomic bool tried[2];                            /* by enum plane_pieces */
    bool streams; /* so few steps for its planes that these are as fast, on many words at once */
    bool waits;   /* for memory (native.h): code of whole tiles is other than that of parts */
    /* NULL: not made; both may be one. */
    _Atomic(struct plane_routine *) routine[2];
};

/* How much of a tile is given to code at once. */
enum plane_pieces { PIECES_PARTS, PIECES_TILES };

/* An instruction of a run. */
struct plane_part {
    struct plane_pattern *pattern; /* NULL: it has none */
    uint8_t reg[PLANE_PATTERN_REGISTERS];
};

/* Most bytes of the patterns of a machine; what nobody uses goes first. */
#define PLANE_PATTERN_BYTES ((size_t)64 << 20)

/* The patterns of all instructions of a code; under the machine's lock. */
struct plane_part *plane_parts_new(struct plane_machine *machine, const struct dp_code *code);
void plane_parts_free(struct plane_machine *machine, struct plane_part *parts, size_t count);
void plane_patterns_free(struct plane_machine *machine);
/* The code of a pattern that is to work on so many words now, by pieces; NULL: there is none, or it
 * has not yet done as much work as making it takes. */
const struct plane_routine *plane_pattern_routine(struct plane_machine *machine,
                                                  struct plane_pattern *pattern, uint64_t words,
                                                  enum plane_pieces pieces);
/* Of a long run each instruction streams its planes, and a tile's of many registers are more than
 * the second-level cache holds; a quarter of them fits, and what lately had a register leaves some
 * of it in the first-level cache (SHA-256 of bench/: by a tenth faster than by whole tiles, by 3 to
 * 4 % than by halves). */
#define PLANE_LONG_RUN      16
#define PLANE_QUARTER_WORDS ((size_t)PLANE_TILE_WORDS / 4)
static inline enum plane_pieces plane_pieces_of(const struct dp_code *code) {
    return code->insn_count < PLANE_LONG_RUN ? PIECES_TILES : PIECES_PARTS;
}
/* That which is there. */
static inline const struct plane_routine *plane_pattern_made(const struct plane_pattern *pattern,
                                                             enum plane_pieces pieces) {
    return atomic_load_explicit(&pattern->routine[pieces], memory_order_acquire);
}
/* Words of a plane from which on patterns that stream are left to steps. */
#define PLANE_PATTERN_STREAM 16
/* --- native_runs.c; under the machine's lock --- */
/* Gives composed steps of a run their code as a whole, where that pays. */
void plane_run_code_make(struct plane_machine *machine, const struct dp_code *code,
                         const struct plane_part *parts, struct plane_fused *fused);
void plane_run_code_free(struct plane_fused *fused);

/* --- native_patterns.c --- */
/* Where the registers of a part lie, from the tile's slot 0 on; false where the machine has fewer
 * bits of one than the pattern names. */
bool plane_part_bases(const struct plane_machine *machine, const struct plane_part *part,
                      unsigned char *at, unsigned char **bases);

#endif
