/* SPDX-License-Identifier: MIT
 * Micro-ops are carried out one after the other with a buffer for each carry; the machine has one
 * buffer per section and direction, and its own order.  Both give the same values, whatever the
 * operands are, if every micro-op finds in each plane what the same micro-op has written: that is
 * looked at here, with the number of the last writer in the place of a plane's value. */
#include "recipe/verify/computes.h"
#include "recipe/timing/timing.h"

#include "support/alloc.h"
#include "support/hash_table.h"
#include "support/vec.h"

#include <stdlib.h>

/* --- the order of time --- */

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

/* The micro-ops of each section stand in a row of their own, which is in order. */
struct section_rows {
    struct start *rows;
    uint32_t next[TIMING_MAX_SECTIONS], end[TIMING_MAX_SECTIONS];
    uint8_t heap[TIMING_MAX_SECTIONS]; /* sections that are left, the earliest first */
    unsigned left;
};

static bool is_earlier(const struct section_rows *sections, unsigned left, unsigned right) {
    return by_start(&sections->rows[sections->next[sections->heap[left]]],
                    &sections->rows[sections->next[sections->heap[right]]]) < 0;
}

static void sink(struct section_rows *sections, unsigned at) {
    for (unsigned k; (k = 2 * at + 1) < sections->left; at = k) {
        k += k + 1 < sections->left && is_earlier(sections, k + 1, k);
        if (!is_earlier(sections, k, at))
            return;
        uint8_t moved = sections->heap[at];
        sections->heap[at] = sections->heap[k];
        sections->heap[k] = moved;
    }
}

/* False: some section's are not in order. */
static bool fill_rows(const struct uop_list *list, const uint64_t *ps,
                      struct section_rows *sections) {
    uint32_t count = 0;
    bool ordered = true;
    for (size_t i = 0; i < list->len; i++)
        sections->end[list->data[i].section]++;
    for (unsigned s = 0; s < TIMING_MAX_SECTIONS; s++) {
        uint32_t first = count;
        count += sections->end[s];
        sections->next[s] = sections->end[s] = first;
        if (count > first)
            sections->heap[sections->left++] = (uint8_t)s;
    }
    for (uint32_t i = 0; i < list->len; i++) {
        unsigned s = list->data[i].section;
        uint32_t at = sections->end[s]++;
        ordered = ordered && (at == sections->next[s] || sections->rows[at - 1].ps <= ps[i]);
        sections->rows[at] = (struct start){ps[i], i};
    }
    return ordered;
}

static bool merge_sections(const struct uop_list *list, const uint64_t *ps, struct start *order) {
    struct section_rows s = {.rows = xcalloc(list->len + 1, sizeof *s.rows)};
    bool ordered = fill_rows(list, ps, &s);
    for (unsigned i = s.left; i-- > 0 && ordered;)
        sink(&s, i);
    while (ordered && s.left) {
        unsigned first = s.heap[0];
        *order++ = s.rows[s.next[first]++];
        if (s.next[first] == s.end[first])
            s.heap[0] = s.heap[--s.left];
        sink(&s, 0);
    }
    free(s.rows);
    return ordered;
}

static void sort_starts(const struct uop_list *list, const uint64_t *ps, struct start *order) {
    if (merge_sections(list, ps, order))
        return;
    for (uint32_t i = 0; i < list->len; i++)
        order[i] = (struct start){ps[i], i};
    qsort(order, list->len, sizeof *order, by_start);
}

/* The micro-ops in the order in which they begin; NULL with a reason if there is none. */
static struct start *order_of(const struct target *target, const struct uop_list *list,
                              const char **problem) {
    static const uint32_t first = 0;
    struct timing_profile profile;
    uint64_t *ps = xcalloc(list->len + 1, sizeof *ps);
    struct start *order = NULL;
    if (recipe_timing_schedule(target, list->data, list->len, &first, 1, &profile, ps, problem)) {
        order = xcalloc(list->len + 1, sizeof *order);
        sort_starts(list, ps, order);
    }
    free(ps);
    return order;
}

/* --- who wrote what is read --- */

#define READS_MAX (UOP_MAX + UOP_MAX + 1)

/* What a micro-op reads and writes, as numbers of planes. */
struct numbered {
    uint8_t reads, writes;
    uint32_t read[READS_MAX], written[UOP_MAX];
};

struct writers {
    const struct target *t;
    HASH_TABLE(uint32_t, uint32_t) numbers; /* plane -> 1 + its number */
    VEC(uint32_t) shared; /* [number]: that of the buffer which carries of a direction share */
};

static uint32_t number_of(struct writers *writers, uint32_t plane) {
    uint32_t *number = hash_table_put(&writers->numbers, &plane), found = *number;
    if (found)
        return found - 1;
    *number = (uint32_t)writers->shared.len + 1; /* before others make the table grow */
    found = (uint32_t)writers->shared.len;
    vec_push(&writers->shared, found);
    if (PLANE_CLASS(plane) == PLANE_BUFFER && PLANE_NUMBER(plane) & 0xfeff) {
        uint32_t shared = number_of(
            writers, PLANE(PLANE_BUFFER, PLANE_SECTION(plane), PLANE_NUMBER(plane) & 0x100));
        writers->shared.data[found] = shared;
    }
    return found;
}

static struct numbered number_uop(struct writers *writers, const struct uop *u) {
    struct numbered n = {0};
    bool old =
        plane_target(writers->t)->ops[u->kind].reads_old || PLANE_CLASS(u->predicate) != PLANE_NONE;
    for (unsigned k = 0; k < u->nsrc; k++)
        n.read[n.reads++] = number_of(writers, u->src[k]);
    for (unsigned k = 0; k < u->ndst; k++)
        n.written[n.writes++] = number_of(writers, u->dst[k]);
    for (unsigned k = 0; k < n.writes && old; k++)
        n.read[n.reads++] = n.written[k];
    n.read[n.reads++] = number_of(writers, u->predicate);
    return n;
}

/* Who wrote last what each micro-op reads, in the order of the list. */
static void find_writers(const struct numbered *uops, size_t count, uint32_t *last,
                         uint32_t (*found)[READS_MAX]) {
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < uops[i].reads; k++)
            found[i][k] = last[uops[i].read[k]];
        for (unsigned k = 0; k < uops[i].writes; k++)
            last[uops[i].written[k]] = (uint32_t)i + 1;
    }
}

static bool finds_the_same(const struct writers *writers, const struct numbered *uops,
                           const struct start *order, size_t count, uint32_t *last,
                           uint32_t (*wanted)[READS_MAX]) {
    const uint32_t *shared = writers->shared.data;
    bool same = true;
    for (size_t i = 0; i < count && same; i++) {
        const struct numbered *u = &uops[order[i].index];
        for (unsigned k = 0; k < u->reads; k++)
            same = same && last[shared[u->read[k]]] == wanted[order[i].index][k];
        for (unsigned k = 0; k < u->writes; k++)
            last[shared[u->written[k]]] = order[i].index + 1;
    }
    return same;
}

static bool same_writers(const struct target *target, const struct uop_list *list,
                         const struct start *order) {
    struct writers w = {.t = target};
    struct numbered *uops = xcalloc(list->len + 1, sizeof *uops);
    uint32_t(*wanted)[READS_MAX] = xcalloc(list->len + 1, sizeof *wanted);
    for (size_t i = 0; i < list->len; i++)
        uops[i] = number_uop(&w, &list->data[i]);
    uint32_t *last = xcalloc(2 * w.shared.len + 1, sizeof *last);
    find_writers(uops, list->len, last, wanted);
    bool same = finds_the_same(&w, uops, order, list->len, last + w.shared.len, wanted);
    hash_table_free(&w.numbers);
    vec_free(&w.shared);
    free(last);
    free(wanted);
    free(uops);
    return same;
}

bool recipe_uses_buffers(const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++)
            if (PLANE_CLASS(list->data[i].dst[k]) == PLANE_BUFFER)
                return true;
    return false;
}

bool recipe_buffers_suffice(const struct target *target, const struct uop_list *list,
                            const char **problem) {
    if (!recipe_uses_buffers(list))
        return true;
    struct start *order = order_of(target, list, problem);
    bool same = order && same_writers(target, list, order);
    if (order && !same)
        *problem = "in the order of time a buffer, a row or a latch does not hold what is read";
    free(order);
    return same;
}
