/* SPDX-License-Identifier: MIT
 * The verification matrix of recipes: every instruction's micro-ops on the strict plane engine
 * against the golden function, lane by lane. */
#ifndef MACHINES_VERIFY_VERIFY_H
#define MACHINES_VERIFY_VERIFY_H

#include "recipe/recipe.h"
#include "support/diag.h"

enum verify_effort {
    VERIFY_LIGHT, /* for sanitizer builds: each thing once */
    VERIFY_FULL,  /* all operand values at w 1..5 (three operands 1..4), all pairs and all 2^24
                     triples at 8, random and edge values at 9, 13, 16, 31, 32, 33, 63, 64; masked
                     and not; every alias that the ISA allows; registers that are not written keep
                     every bit, also those above w */
    VERIFY_LONG,  /* all of it at more widths and with more random values */
};

struct verify_count {
    uint64_t instructions; /* mnemonics */
    uint64_t forms;        /* distinct micro-op lists: width, constant, alias, mask */
    uint64_t lanes;        /* lane results compared */
    uint64_t uop_lanes;    /* micro-ops times lanes executed */
};

struct verify_options {
    enum verify_effort effort;
    enum mpu_op op; /* OP_COUNT: all that have a recipe */
    unsigned width; /* 0: those of the effort */
    uint64_t seed;  /* of the random values */
    /* After each instruction; may be NULL. */
    void (*progress)(void *context, enum mpu_op op, const struct verify_count *so_far);
    void *context;
};

/* False at the first difference, which is reported with the instruction, its operands, the lane,
 * what was there, what came out and what should have. */
bool verify_recipes(const struct target *t, const struct recipe_set *s,
                    const struct verify_options *o, struct verify_count *count, struct diag *d);

/* The two halves of the above for one list of micro-ops, wherever it comes from.
 * verify_list looks at it without running it: micro-ops that the target has, on places that their
 * `where` allows; no scratch or buffer plane read before it is written; nothing written but the
 * results below the width, under M and only then where the instruction is predicated; presets;
 * forwarding from the same micro-op of the neighbouring section; with `timed`, also that an order
 * exists in which one buffer per direction suffices (prepare has found one already).
 * verify_run runs it, on all operand values where those are at most 2^16 and else on edges and
 * random values.  False after reporting. */
bool verify_list(const struct target *t, const struct insn *insn, bool masked,
                 const struct uop_list *list, bool timed, struct diag *d);
bool verify_run(const struct target *t, const struct insn *insn, bool masked,
                const struct uop_list *list, uint64_t seed, struct diag *d);

#endif
