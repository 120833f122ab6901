/* SPDX-License-Identifier: MIT
 * Laps: a loop is carried out lap by lap, and what came out alike is one body again.  Two laps are
 * alike if their items are the same but for constants, tables and distances of shifts; these step
 * evenly, constants and tables from one to the next of a list. */
#include "machines/slot/library/making.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* How the distance of a shift may go on from the first two laps. */
enum { EVENLY = 1, DOUBLING = 2 };

static bool zeros(const int16_t step[ROW_NEST]) {
    for (unsigned d = 0; d < ROW_NEST; d++)
        if (step[d])
            return false;
    return true;
}

static bool alike_operand(const struct row_operand *x, const struct row_operand *y) {
    if (x->place != y->place || x->len != y->len || memcmp(x->step, y->step, sizeof x->step))
        return false;
    return x->place >= PLACE_CONSTANT || x->id == y->id;
}

static bool alike(const struct row_item *x, const struct row_item *y) {
    return x->kind == y->kind && x->bits == y->bits && x->power == y->power &&
           !memcmp(x->count_step, y->count_step, sizeof x->count_step) &&
           alike_operand(&x->dst, &y->dst) && alike_operand(&x->a, &y->a) &&
           alike_operand(&x->b, &y->b);
}

static bool is_shift(const struct row_item *x) {
    return x->kind >= ROW_BIT_SHIFT_L && x->kind <= ROW_BYTE_SHIFT_R;
}

/* Ways that lap `lap` of an item, from the first one's and the second one's, leaves open. */
static unsigned ways_left(const struct row_item *first, const struct row_item *second,
                          const struct row_item *item, size_t lap, unsigned ways) {
    int64_t a = first->count, b = second->count, c = item->count;
    if (!is_shift(item))
        return a == c ? ways : 0;
    if (c != a + (int64_t)lap * (b - a))
        ways &= ~(unsigned)EVENLY;
    if (first->power || !zeros(first->count_step) || lap > 10 || c != a << lap)
        ways &= ~(unsigned)DOUBLING;
    return ways;
}

struct run {
    const struct row_item *items;
    const size_t *starts;
    size_t end; /* of the items */
    size_t laps;
    unsigned char *ways; /* by item of a lap */
};

static size_t length_of(const struct run *r, size_t lap) {
    return (lap + 1 < r->laps ? r->starts[lap + 1] : r->end) - r->starts[lap];
}

/* Whether lap `first` + n goes on as the n before it. */
static bool goes_on(struct run *r, size_t first, size_t n) {
    size_t len = length_of(r, first);
    const struct row_item *x = r->items + r->starts[first], *y = r->items + r->starts[first + 1],
                          *z = r->items + r->starts[first + n];
    if (length_of(r, first + n) != len)
        return false;
    unsigned char *ways = xcalloc(len + 1, 1);
    bool fine = true;
    for (size_t i = 0; fine && i < len; i++) {
        ways[i] = (unsigned char)ways_left(&x[i], &y[i], &z[i], n, n == 1 ? 3 : r->ways[i]);
        fine = alike(&x[i], &z[i]) && ways[i];
    }
    if (fine)
        memcpy(r->ways, ways, len);
    free(ways);
    return fine;
}

/* ---- one body of several laps ---- */

/* How deep the next item lies in laps of its own. */
static unsigned depth_behind(unsigned depth, const struct row_item *item) {
    return item->kind == ROW_LAPS ? depth + 1 : item->kind == ROW_END ? depth - 1 : depth;
}

static unsigned deepest(const struct row_item *items, size_t len) {
    unsigned depth = 0, most = 0;
    for (size_t i = 0; i < len; i++) {
        depth = depth_behind(depth, &items[i]);
        most = depth > most ? depth : most;
    }
    return most;
}

static const uint64_t *list_of(const struct row_making *m, const struct row_operand *x) {
    return m->lists.data + x->id;
}

static struct row_operand *operand_of(struct row_item *item, unsigned which) {
    return which == 0 ? &item->dst : which == 1 ? &item->a : &item->b;
}

/* The lists of all laps one after another, unless they are the same. */
static void join_lists(struct row_making *m, struct row_item *const *laps, size_t count,
                       unsigned which, unsigned depth) {
    struct row_operand *x = operand_of(laps[0], which);
    bool same = true;
    if (x->place < PLACE_CONSTANT)
        return;
    for (size_t i = 1; i < count; i++)
        same &= !memcmp(list_of(m, x), list_of(m, operand_of(laps[i], which)),
                        x->len * sizeof(uint64_t));
    if (same)
        return;
    size_t at = m->lists.len;
    vec_reserve(&m->lists, at + count * x->len);
    for (size_t i = 0; i < count; i++)
        memcpy(m->lists.data + at + i * x->len, list_of(m, operand_of(laps[i], which)),
               x->len * sizeof(uint64_t));
    m->lists.len += count * x->len;
    x->step[depth] = (int16_t)x->len;
    x->id = (uint32_t)at;
    x->len *= (uint32_t)count;
}

static void join_counts(struct row_item *const *laps, unsigned ways, unsigned depth) {
    struct row_item *x = laps[0];
    if (!is_shift(x) || x->count == laps[1]->count)
        return;
    if (ways & EVENLY)
        x->count_step[depth] = (int16_t)((int64_t)laps[1]->count - x->count);
    else
        x->power = (uint8_t)(depth + 1);
}

/* Makes one body of laps first .. first + n - 1, in the first one's place, and appends it to out.
 */
static void roll_run(struct row_making *m, struct run *r, size_t first, size_t n,
                     struct row_item *out, size_t *out_len) {
    size_t len = length_of(r, first);
    unsigned depth = 0;
    struct row_item *items = m->items.data, **laps = xcalloc(n, sizeof(struct row_item *));
    for (size_t i = 0; i < len; i++) {
        for (size_t lap = 0; lap < n; lap++)
            laps[lap] = items + r->starts[first + lap] + i;
        for (unsigned which = 0; which < 3; which++)
            join_lists(m, laps, n, which, depth);
        join_counts(laps, r->ways[i], depth);
        depth = depth_behind(depth, laps[0]);
    }
    out[(*out_len)++] = (struct row_item){.kind = ROW_LAPS, .count = (uint32_t)n};
    memcpy(out + *out_len, items + r->starts[first], len * sizeof *out);
    *out_len += len;
    out[(*out_len)++] = (struct row_item){.kind = ROW_END};
    free(laps);
}

/* How many laps from `first` on are alike. */
static size_t run_length(struct run *r, size_t first) {
    size_t n = 1, len = length_of(r, first);
    if (!len || deepest(r->items + r->starts[first], len) >= ROW_NEST)
        return 1;
    while (first + n < r->laps && goes_on(r, first, n))
        n++;
    return n;
}

void row_roll(struct row_making *m, const size_t *starts, size_t laps) {
    size_t from = laps ? starts[0] : m->items.len, count = m->items.len - from, len = 0;
    if (!count)
        return;
    struct row_item *out = xcalloc(count + 2 * laps, sizeof *out);
    struct run r = {m->items.data, starts, m->items.len, laps, xcalloc(count + 1, 1)};
    for (size_t first = 0, n; first < laps; first += n) {
        n = run_length(&r, first);
        size_t body = length_of(&r, first);
        if (n > 1 && n * body > body + 2) {
            roll_run(m, &r, first, n, out, &len);
            continue;
        }
        n = 1;
        memcpy(out + len, m->items.data + starts[first], body * sizeof *out);
        len += body;
    }
    memcpy(m->items.data + from, out, len * sizeof *out);
    m->items.len = from + len;
    free(out);
    free(r.ways);
}
