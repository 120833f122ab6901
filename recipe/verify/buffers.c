/* SPDX-License-Identifier: MIT
 * Micro-ops are carried out one after the other with a buffer for each carry; the machine has one
 * buffer per section and direction, and its own order.  Both give the same values, whatever the
 * operands are, if every micro-op finds in each plane what the same micro-op has written: that is
 * looked at here, with the number of the last writer in the place of a plane's value. */
#include "recipe/verify/computes.h"
#include "recipe/timing/timing.h"

#include "support/alloc.h"
#include "support/hash_table.h"

#include <stdlib.h>

#define READS_MAX (UOP_MAX + UOP_MAX + 1)

struct writers {
    const struct target *t;
    const struct uop_list *list;
    HASH_TABLE(uint32_t, uint32_t) last; /* plane -> 1 + micro-op that wrote it last */
    bool one_buffer;                     /* carries of a direction share it */
};

static uint32_t *writer_of(struct writers *writers, uint32_t plane) {
    if (PLANE_CLASS(plane) == PLANE_BUFFER && writers->one_buffer)
        plane = PLANE(PLANE_BUFFER, PLANE_SECTION(plane), PLANE_NUMBER(plane) & 0x100);
    return hash_table_put(&writers->last, &plane);
}

/* The writers of all that a micro-op reads go to reads[READS_MAX]; then it is the last writer of
 * its results. */
static void carry_out(struct writers *writers, size_t index, uint32_t *reads) {
    const struct uop *u = &writers->list->data[index];
    bool old =
        plane_target(writers->t)->ops[u->kind].reads_old || PLANE_CLASS(u->predicate) != PLANE_NONE;
    unsigned n = 0;
    for (unsigned k = 0; k < u->nsrc; k++)
        reads[n++] = *writer_of(writers, u->src[k]);
    for (unsigned k = 0; old && k < u->ndst; k++)
        reads[n++] = *writer_of(writers, u->dst[k]);
    reads[n++] = *writer_of(writers, u->predicate);
    for (unsigned k = 0; k < u->ndst; k++)
        *writer_of(writers, u->dst[k]) = (uint32_t)index + 1;
}

struct start {
    uint64_t ps;
    uint32_t index;
};

static int by_start(const void *left, const void *right) {
    const struct start *x = left, *y = right;
    if (x->ps != y->ps)
        return x->ps < y->ps ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* The micro-ops in the order in which they begin; NULL with a reason if there is none. */
static struct start *order_of(const struct target *target, const struct uop_list *list,
                              const char **problem) {
    static const uint32_t first = 0;
    struct timing_profile profile;
    uint64_t *ps = xcalloc(list->len + 1, sizeof *ps);
    struct start *order = xcalloc(list->len + 1, sizeof *order);
    bool fine =
        recipe_timing_schedule(target, list->data, list->len, &first, 1, &profile, ps, problem);
    for (uint32_t i = 0; i < list->len; i++)
        order[i] = (struct start){ps[i], i};
    free(ps);
    if (fine) {
        qsort(order, list->len, sizeof *order, by_start);
        return order;
    }
    free(order);
    return NULL;
}

static bool same_writers(const struct target *target, const struct uop_list *list,
                         const struct start *order) {
    struct writers by_list = {.t = target, .list = list},
                   by_time = {.t = target, .list = list, .one_buffer = true};
    uint32_t(*reads)[READS_MAX] = xcalloc(list->len + 1, sizeof *reads);
    bool same = true;
    for (size_t i = 0; i < list->len; i++)
        carry_out(&by_list, i, reads[i]);
    for (size_t i = 0; i < list->len && same; i++) {
        uint32_t now[READS_MAX] = {0};
        carry_out(&by_time, order[i].index, now);
        for (unsigned k = 0; k < READS_MAX; k++)
            same = same && now[k] == reads[order[i].index][k];
    }
    hash_table_free(&by_list.last);
    hash_table_free(&by_time.last);
    free(reads);
    return same;
}

static bool uses_buffers(const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++)
            if (PLANE_CLASS(list->data[i].dst[k]) == PLANE_BUFFER)
                return true;
    return false;
}

bool recipe_buffers_suffice(const struct target *target, const struct uop_list *list,
                            const char **problem) {
    if (!uses_buffers(list))
        return true;
    struct start *order = order_of(target, list, problem);
    bool same = order && same_writers(target, list, order);
    if (order && !same)
        *problem = "in the order of time a buffer, a row or a latch does not hold what is read";
    free(order);
    return same;
}
