/* SPDX-License-Identifier: MIT
 * docs/recipe-counts.md: what racer's recipes cost, beside the figures of others. */
#ifndef TOOLS_MPU_RECIPE_PAGE_H
#define TOOLS_MPU_RECIPE_PAGE_H

#include "tools/mpu-recipe/bounds.h"
#include "tools/mpu-recipe/source.h"

struct page {
    struct recipe_source used, mapped; /* of one target */
    struct mastodon_rows mastodon;
    struct str out;
    struct diag *d;
};

/* False after reporting. */
bool page_open(struct page *p, const char *target, const char *mastodon_path, struct diag *d);
void page_close(struct page *p);
/* The page, in p->out.  False after reporting. */
bool page_write(struct page *p);

/* Its parts. */
void page_costs(struct page *p);
void page_aliases(struct page *p);
void page_mastodon(struct page *p);

/* True if the recipe in use is hand-written and the mapping makes one too. */
bool page_is_override(const struct page *p, enum mpu_op op);
/* Mapped against hand-written, geometric means over all overrides at 8, 16, 32 and 64 bits; 1
 * without any. */
struct page_ratios {
    double micro_ops, latency;
    size_t count; /* instructions and widths */
};
struct page_ratios page_mapped_ratios(const struct page *p);

#endif
