/* SPDX-License-Identifier: MIT
 * Uses of micro-ops that others make needless.  Uses are tens of thousands where micro-ops have many
 * results, so each is compared with those alone that read the same places. */
#include "recipe/map/derive.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

#define NO_USE UINT32_MAX

/* --- larger ones --- */

static bool same_sources(const struct op_use *left, const struct op_use *right) {
    return left->nsrc == right->nsrc && memcmp(left->src, right->src, left->nsrc) == 0;
}

/* Does right do some of what left does, and no more? */
static bool does_less(const struct target *target, const struct op_use *left,
                      const struct op_use *right) {
    static const uint64_t probe[OP_MAX_SOURCES] = {0xAAAAAAAA, 0xCCCCCCCC, 0xF0F0F0F0, 0xFF00FF00,
                                                   0xFFFF0000};
    uint64_t values[FRAME_MAX] = {0}, x[OP_MAX_DESTS], y[OP_MAX_DESTS];
    if (right->ndst >= left->ndst || right->cost > left->cost || !same_sources(left, right) ||
        plane_target(target)->ops[left->op].reads_old ||
        plane_target(target)->ops[right->op].reads_old)
        return false;
    for (unsigned i = 0; i < left->nsrc; i++)
        values[left->src[i]] = probe[i];
    mapping_use_apply(target, left, values, x);
    mapping_use_apply(target, right, values, y);
    for (unsigned i = 0; i < right->ndst; i++) {
        bool same = false;
        for (unsigned k = 0; k < left->ndst; k++)
            same |= left->dst[k] == right->dst[i] && (uint32_t)x[k] == (uint32_t)y[i];
        if (!same)
            return false;
    }
    return true;
}

/* For each use the one before that reads the same places; the last of each such chain. */
struct same_places {
    uint32_t *before, *last;
};

static void chain_uses(const struct op_use *uses, unsigned count, struct same_places *chains) {
    struct map last = {0};
    chains->before = xcalloc(count + 1, sizeof *chains->before);
    chains->last = xcalloc(count + 1, sizeof *chains->last); /* by number of the places */
    uint32_t *number = xcalloc(count + 1, sizeof *number);
    for (uint32_t i = 0; i < count; i++) {
        size_t known = last.len;
        number[i] = map_number(&last, (const char *)uses[i].src, uses[i].nsrc);
        chains->before[i] = number[i] == known ? NO_USE : chains->last[number[i]];
        chains->last[number[i]] = i;
    }
    for (uint32_t i = count; i-- > 0;) /* from numbers to uses: the last of the use's own chain */
        number[i] = chains->last[number[i]];
    free(chains->last);
    chains->last = number;
    map_free(&last);
}

/* What the use writes is written by smaller ones, too. */
static bool is_larger(const struct target *target, const struct op_use *uses, unsigned index,
                      const struct same_places *chains) {
    const struct op_use *use = &uses[index];
    uint32_t missing = 0;
    if (use->ndst <= 1)
        return false;
    for (unsigned d = 0; d < use->ndst; d++)
        missing |= 1u << use->dst[d];
    for (uint32_t k = chains->last[index]; k != NO_USE && missing; k = chains->before[k])
        for (unsigned d = 0; does_less(target, use, &uses[k]) && d < uses[k].ndst; d++)
            missing &= ~(1u << uses[k].dst[d]);
    return missing == 0;
}

static unsigned drop_marked(struct op_use *uses, unsigned count, const bool *marked) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (!marked[i])
            uses[kept++] = uses[i];
    return kept;
}

unsigned mapping_uses_drop_larger(const struct target *target, struct op_use *uses,
                                  unsigned count) {
    bool *larger = xcalloc(count + 1, sizeof *larger);
    struct same_places chains;
    chain_uses(uses, count, &chains);
    for (unsigned i = 0; i < count; i++)
        larger[i] = is_larger(target, uses, i, &chains);
    count = drop_marked(uses, count, larger);
    free(chains.before);
    free(chains.last);
    free(larger);
    return count;
}

/* --- twins --- */

static bool same_op(const struct target_op *left, const struct target_op *right) {
    return left->nsrc == right->nsrc && left->ndst == right->ndst &&
           left->reads_old == right->reads_old && left->preset == right->preset &&
           left->presets == right->presets &&
           memcmp(left->truth, right->truth, left->ndst * sizeof *left->truth) == 0 &&
           memcmp(left->tied, right->tied, left->ndst) == 0;
}

/* For each op the first one that does the same. */
static void find_alike(const struct plane_target *target, uint16_t alike[PLANE_MAX_OPS]) {
    for (uint16_t i = 0; i < target->op_count; i++)
        for (alike[i] = 0; !same_op(&target->ops[alike[i]], &target->ops[i]);)
            alike[i]++;
}

/* Of the uses so far that do the same in the same places: the cheapest, and the cheapest of another
 * op than that one's. */
struct elders {
    uint32_t cost, other_cost; /* NO_USE: none */
    uint16_t op;
};

/* Another op before it does the same there, for no more. */
static bool has_elder(const struct elders *elders, const struct op_use *use) {
    uint32_t cost = elders->op == use->op ? elders->other_cost : elders->cost;
    return cost != NO_USE && cost <= use->cost;
}

static void note_elder(struct elders *elders, const struct op_use *use) {
    if (elders->op == use->op) {
        elders->cost = use->cost < elders->cost ? use->cost : elders->cost;
    } else if (use->cost < elders->cost) {
        *elders = (struct elders){use->cost, elders->cost, use->op};
    } else if (use->cost < elders->other_cost) {
        elders->other_cost = use->cost;
    }
}

static uint32_t number_of(struct map *known, const struct op_use *use, uint16_t alike) {
    unsigned char key[2 + OP_MAX_SOURCES + OP_MAX_DESTS];
    memcpy(key, &alike, 2); /* says how many sources and results there are */
    memcpy(key + 2, use->src, use->nsrc);
    memcpy(key + 2 + use->nsrc, use->dst, use->ndst);
    return map_number(known, (const char *)key, 2u + use->nsrc + use->ndst);
}

unsigned mapping_uses_drop_twins(const struct target *target, struct op_use *uses,
                                 unsigned count) {
    uint16_t alike[PLANE_MAX_OPS];
    bool *twin = xcalloc(count + 1, sizeof *twin);
    struct elders *elders = xcalloc(count + 1, sizeof *elders);
    struct map known = {0};
    find_alike(plane_target(target), alike);
    for (unsigned i = 0; i < count; i++) {
        size_t before = known.len;
        uint32_t n = number_of(&known, &uses[i], alike[uses[i].op]);
        if (n == before)
            elders[n] = (struct elders){NO_USE, NO_USE, uses[i].op};
        twin[i] = has_elder(&elders[n], &uses[i]);
        note_elder(&elders[n], &uses[i]);
    }
    count = drop_marked(uses, count, twin);
    map_free(&known);
    free(elders);
    free(twin);
    return count;
}
