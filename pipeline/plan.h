/* SPDX-License-Identifier: MIT
 * How the elements of a DaPPA pipeline are shared out (docs/dappa.md): what fits into WRAM and
 * MRAM, rounds, and what is left for the host, by the rules of DaPPA's paper, section 5.3.1
 * ("Managing DPU Memory"), and in its terms.  Pure functions of numbers; nothing here knows a
 * machine. */
#ifndef PIPELINE_PLAN_H
#define PIPELINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that transfers between host, MRAM and WRAM are multiples of, and the most of one between
 * the latter two (UPMEM's handbook). */
#define PIPELINE_ALIGN    8u
#define PIPELINE_DMA_MOST 2048u
/* WRAM that is not for elements: the stack of a tasklet, and what the runtime has.  PrIM's programs
 * have stacks of about 2 KB; the rest is assumed.  MRAM that is not: assumed. */
#define PIPELINE_STACK_BYTES   2048u
#define PIPELINE_RUNTIME_BYTES 3072u
#define PIPELINE_MRAM_RESERVED 65536u
/* Elements of a pipeline at most; products with bytes and units fit 64 bits. */
#define PIPELINE_MAX_LENGTH ((uint64_t)1 << 40)
#define PIPELINE_MAX_GROUP  65536u

/* What one argument needs for n elements of the pipeline: n / divide + more of its own. */
struct pipeline_item {
    uint32_t bytes;  /* of an element: 1, 2, 4, 8 */
    uint64_t divide; /* 1; of what a group makes its size */
    uint64_t more;   /* what a window sees beyond, in elements */
};

/* The least common multiple of two that are not 0; UINT64_MAX where 64 bits do not hold it. */
uint64_t pipeline_multiple(uint64_t a, uint64_t b);
/* Bytes of an item for n elements, rounded up to PIPELINE_ALIGN. */
uint64_t pipeline_item_bytes(const struct pipeline_item *item, uint64_t n);
/* The least number of elements, a multiple of `group`, of which each item is a multiple of
 * PIPELINE_ALIGN bytes: slices of multiples of it begin at addresses that transfers take. */
uint64_t pipeline_alignment(const struct pipeline_item *items, size_t count, uint64_t group);
/* The most elements, a multiple of `unit`, for which all items together have room; 0: none has. */
uint64_t pipeline_elements(const struct pipeline_item *items, size_t count, uint64_t bytes,
                           uint64_t unit);
/* offsets[count + 1]: where each begins if they lie one behind the other from 0, and the end. */
void pipeline_offsets(const struct pipeline_item *items, size_t count, uint64_t n,
                      uint64_t *offsets);
/* Bytes of WRAM that a tasklet has for elements, beside `shared` bytes that all see and `own` of
 * its accumulators; a multiple of PIPELINE_ALIGN, 0: none. */
uint64_t pipeline_wram(uint64_t wram, uint32_t tasklets, uint64_t shared, uint64_t own);
/* Transfers between MRAM and WRAM of so many bytes. */
uint64_t pipeline_transfers(uint64_t bytes);

/* A pipeline of `length` elements on units with a memory each.  Units 0 to `units` - 1 get
 * `per_unit` elements each in each round; behind all rounds the host has the last `cpu_elements`,
 * so that the order is kept.  length = elements_per_round * rounds + cpu_elements. */
struct pipeline_counts {
    uint64_t rounds, per_unit, elements_per_round, cpu_elements;
    uint32_t units; /* that work */
};
/* At most `most` elements (a multiple of `alignment`) in each of `units` units.  `cpu_asked`
 * elements at least are the host's.  The host gets fewer than alignment * units * rounds more than
 * that: equal slices of aligned elements ask for it.  False: not even `alignment` elements have
 * room in a unit.  units > 0. */
bool pipeline_count(uint64_t length, uint32_t units, uint64_t most, uint64_t alignment,
                    uint64_t cpu_asked, struct pipeline_counts *out);

struct pipeline_slice {
    uint64_t first, count;
};
/* Elements of a round's unit, and of the host, of all. */
struct pipeline_slice pipeline_unit_slice(const struct pipeline_counts *counts, uint64_t round,
                                          uint32_t unit);
struct pipeline_slice pipeline_cpu_slice(const struct pipeline_counts *counts);
/* Elements of a unit's `count` that a tasklet has: multiples of `alignment`, the last one has the
 * rest. */
struct pipeline_slice pipeline_tasklet_slice(uint64_t count, uint32_t tasklets, uint64_t alignment,
                                             uint32_t tasklet);

/* What a round took that was carried out to see: so many elements in each unit. */
struct pipeline_sample {
    uint64_t per_unit, link_ps, kernel_ps;
};
/* From two samples of different sizes (the same: all rounds take as long) what rounds of others
 * take, on a line through both; the host's own elements, and what it takes more if it has some. */
struct pipeline_model {
    struct pipeline_sample less, more;
    uint64_t element_ps, host_ps;
};
/* All rounds over the link, and the longer of their kernels and of the host's own elements. */
uint64_t pipeline_model_ps(const struct pipeline_model *model,
                           const struct pipeline_counts *counts);
/* The number of elements that the host asks for with which that is least; the smallest of several.
 * Others as for pipeline_count. */
uint64_t pipeline_cpu_share(const struct pipeline_model *model, uint64_t length, uint32_t units,
                            uint64_t most, uint64_t alignment);

/* A filter's output, written block by block: `kept` elements of a block come behind `held` ones of
 * less than PIPELINE_ALIGN bytes, which the block before left.  The first `bytes` go to MRAM, and
 * `held` elements stay in front of the next block; the write position goes on by `advance` bytes,
 * from one multiple of PIPELINE_ALIGN to another. */
struct pipeline_carry {
    uint64_t bytes, advance;
    uint32_t held;
};
struct pipeline_carry pipeline_filter_block(uint32_t held, uint64_t kept, uint32_t element_bytes);

#endif
