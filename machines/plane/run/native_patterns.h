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

/* Code of a pattern: of a piece of a tile, whose planes lie in the second-level cache; of whole
 * tiles, and it fetches the next one's planes; of all columns of a tile at a turn, which takes up
 * to 24 times as long to be made and comes when the pattern has stayed in use, if it waits for
 * memory. */
enum plane_code_kind { CODE_PIECES, CODE_TILES, CODE_COLUMNS, PLANE_CODE_KINDS };

struct plane_pattern {
    struct plane_pattern *next;          /* in its list of the table */
    struct plane_pattern *newer, *older; /* of those that nobody uses */
    uint64_t hash;
    struct plane_pattern_step *steps;
    size_t count, bytes;                              /* bytes: of steps and code */
    uint8_t registers, bits[PLANE_PATTERN_REGISTERS]; /* bits: that it names of each register */
    uint32_t users;                                   /* parts */
    bool rests;                                       /* nobody uses it: it is in that list */
    _Atomic uint64_t worked;                          /* words */
    _Atomic bool tried[PLANE_CODE_KINDS];
    bool streams; /* so few steps for its planes that these are as fast, on many words at once */
    bool waits;   /* for memory (native.h) */
    _Atomic(struct plane_routine *) routine[PLANE_CODE_KINDS]; /* NULL: not made */
};

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
/* The code of a pattern, of pieces or tiles, that is to work on so many words now; NULL: there is
 * none, or it has not yet done as much work as making it takes. */
const struct plane_routine *plane_pattern_routine(struct plane_machine *machine,
                                                  struct plane_pattern *pattern, uint64_t words,
                                                  enum plane_code_kind kind);
/* Of a long run each instruction streams its planes, and a tile's of many registers are more than
 * the second-level cache holds; a third of them fits, and what lately had a register leaves some of
 * it in the first-level cache: four lines of each plane, of the twelve from one plane to the next,
 * which lie in all of its sets.  SHA-256 of bench/, processes: by a tenth faster than by whole
 * tiles, by 5 % than by halves or quarters, and by 5 % without fetches. */
#define PLANE_LONG_RUN   16
#define PLANE_LONG_WORDS ((size_t)PLANE_TILE_WORDS / 3)
static inline enum plane_code_kind plane_code_kind_of(const struct dp_code *code) {
    return code->insn_count < PLANE_LONG_RUN ? CODE_TILES : CODE_PIECES;
}
/* That which is there. */
static inline const struct plane_routine *plane_pattern_made(const struct plane_pattern *pattern,
                                                             enum plane_code_kind kind) {
    const struct plane_routine *columns =
        kind == CODE_TILES
            ? atomic_load_explicit(&pattern->routine[CODE_COLUMNS], memory_order_acquire)
            : NULL;
    return columns ? columns : atomic_load_explicit(&pattern->routine[kind], memory_order_acquire);
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
