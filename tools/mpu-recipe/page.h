/* SPDX-License-Identifier: MIT
 * docs/recipe-counts.md: what racer's recipes cost, beside the figures of others. */
#ifndef TOOLS_MPU_RECIPE_PAGE_H
#define TOOLS_MPU_RECIPE_PAGE_H

#include "tools/mpu-recipe/bounds.h"
#include "tools/mpu-recipe/source.h"

#define PAGE_HAND_FILES 4

struct recipe_page {
    struct recipe_source used, mapped;          /* of one target */
    struct recipe_source hand[PAGE_HAND_FILES]; /* with hand-written recipes that are not in use */
    size_t hand_count;
    struct mastodon_rows mastodon;
    struct str out;
    struct diag *d;
};

/* What it compares with: MASTODON's figures, and hand-written recipes for the target. */
struct page_files {
    const char *mastodon;
    const char *const *hand;
    size_t hand_count; /* up to PAGE_HAND_FILES */
};
/* False after reporting. */
bool page_open(struct recipe_page *page, const char *target, const struct page_files *files,
               struct diag *diag);
void page_close(struct recipe_page *page);
/* The page, in p->out.  False after reporting. */
bool page_write(struct recipe_page *page);

/* Its parts. */
void page_mastodon(struct recipe_page *page);

/* The recipes that have a hand-written one for an instruction: those in use or of a file; NULL if
 * there is none, or if the mapping makes none. */
const struct recipe_source *page_hand(const struct recipe_page *page, enum isa_op op);
/* Mapped against hand-written at 8, 16, 32 and 64 bits: geometric means, 1 without any, and the
 * largest. */
struct page_ratios {
    double micro_ops, latency;
    double most_micro_ops, most_latency;
    size_t count; /* instructions and widths */
};
struct page_ratios page_mapped_ratios(const struct recipe_page *page);

#endif
