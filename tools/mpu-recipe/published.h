/* SPDX-License-Identifier: MIT
 * Published counts of commands and cycles for machines in DRAM and SRAM, and the page that puts
 * ours beside them. */
#ifndef TOOLS_MPU_RECIPE_PUBLISHED_H
#define TOOLS_MPU_RECIPE_PUBLISHED_H

#include "isa-spec/isa.h"
#include "support/diag.h"
#include "support/str.h"

/* What one operation takes on n-bit numbers, operands in registers of their own, no mask. */
struct published_count {
    const char *target;
    enum isa_op op;
    const char *formula, *source;
    uint64_t (*count)(unsigned n); /* 0: no figure at this width */
    /* What the instruction does besides and the figure does not include; NULL: nothing. */
    const char *besides;
    uint64_t (*more)(unsigned n);
};
extern const struct published_count published_counts[];
extern const size_t published_count_count;

/* Commands that the mask costs; on a target whose masked form has a published price. */
struct published_mask {
    const char *target;
    enum isa_op op;
    const char *formula;
    uint64_t (*count)(unsigned n); /* more than without a mask */
};
extern const struct published_mask published_masks[];
extern const size_t published_mask_count;

/* A published time at one width. */
struct published_time {
    const char *target;
    enum isa_op op;
    unsigned width;
    uint64_t ns;
    const char *counted; /* of what it is made */
};
extern const struct published_time published_times[];
extern const size_t published_time_count;

/* docs/published-counts.md; False after reporting. */
bool published_page(const char *mastodon_path, struct str *out, struct diag *diag);

#endif
