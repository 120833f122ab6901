/* SPDX-License-Identifier: MIT
 * Lookups as queries that the target's match logic can do.  It compares fields of one width, over
 * all of a row, and of each field the row that matches answers; a field of another width is
 *
 *   wider     made of pieces: each piece of the elements has a table of its own, in whose fields
 *             the index stands;
 *   narrower  one of several in a piece, which are looked up as one index, or one after another;
 *   and an index that is wider than a piece is one of as many tables as its upper bits have values:
 *             all of them are swept, and what they give is kept where these bits say so.
 */
#include "machines/slot/library/making.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INDEX = 16, MAX_SWEEPS = 256, MAX_PIECES = 64 };

static struct row_operand fresh(struct row_making *m) {
    return row_value(m->next_value++);
}

/* ---- rows ---- */

static struct row_operand made(struct row_making *m, enum row_kind kind, struct row_operand a,
                               struct row_operand b) {
    struct row_operand to = fresh(m);
    row_emit(m, kind, to, a, b);
    return to;
}

static const struct row_operand none;

/* The same in all fields of `bits` bits of the slot, and of the slots. */
static struct row_operand in_fields(struct row_making *m, uint64_t value, unsigned bits) {
    for (unsigned all = bits; all < 64; all *= 2)
        value |= value << all;
    return row_constant(m, value);
}

static struct row_operand cut(struct row_making *m, struct row_operand x, uint64_t keep,
                              unsigned bits) {
    return keep == low_bits(bits) ? x : made(m, ROW_AND, x, in_fields(m, keep, bits));
}

static struct row_operand moved(struct row_making *m, struct row_operand x, bool left,
                                unsigned by) {
    if (!by)
        return x;
    struct row_operand to = made(m, ROW_COPY, x, none);
    row_emit_shift(m, left, to, by);
    return to;
}

/* x or, where there is none yet, y. */
static struct row_operand joined(struct row_making *m, struct row_operand x, struct row_operand y) {
    return x.place == PLACE_NONE ? y : made(m, ROW_OR, x, y);
}

/* Where the result is wanted: made there by the command that made it, if that may be. */
static void deliver(struct row_making *m, struct row_operand to, struct row_operand value) {
    struct row_item *last = m->items.len ? &vec_last(&m->items) : NULL;
    bool shifts = last && last->kind >= ROW_BIT_SHIFT_L && last->kind <= ROW_BYTE_SHIFT_R;
    if (last && last->kind < ROW_COMMANDS && !shifts && value.place == PLACE_VALUE &&
        last->dst.place == PLACE_VALUE && last->dst.id == value.id)
        last->dst = to;
    else
        row_emit(m, ROW_COPY, to, value, none);
}

/* ---- queries ---- */

static void query(struct row_making *m, struct row_operand to, struct row_operand from, unsigned k,
                  unsigned bits, const uint64_t *entries) {
    size_t count = (size_t)1 << k;
    uint64_t *own = xcalloc(count, sizeof *own);
    memcpy(own, entries, count * sizeof *own);
    vec_push(&m->tables, ((struct row_table){(uint8_t)k, (uint8_t)bits, own}));
    const struct row_operand table = {.place = PLACE_TABLE, .id = (uint32_t)m->lists.len, .len = 1};
    vec_push(&m->lists, m->tables.len - 1);
    row_put(m, (struct row_item){.kind = ROW_QUERY,
                                 .bits = (uint8_t)bits,
                                 .count = (uint32_t)count,
                                 .dst = to,
                                 .a = from,
                                 .b = table});
}

static struct row_operand queried(struct row_making *m, struct row_operand from, unsigned k,
                                  unsigned bits, const uint64_t *entries) {
    struct row_operand to = fresh(m);
    query(m, to, from, k, bits, entries);
    return to;
}

/* ---- fields that are wider than what is compared ---- */

/* Elements in pieces of `piece` bits: piece f of element i at [f << k | i]. */
static uint64_t *in_pieces(const struct row_lookup *x, unsigned piece) {
    uint64_t *all = xcalloc((size_t)(x->bits / piece) << x->k, sizeof *all);
    for (unsigned f = 0; f < x->bits / piece; f++)
        for (size_t i = 0; i >> x->k == 0; i++)
            all[(size_t)f << x->k | i] = x->entries[i] >> f * piece & low_bits(piece);
    return all;
}

static bool is_zero(const uint64_t *entries, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (entries[i])
            return false;
    return true;
}

/* What stands in the lowest piece of each field, in all of its pieces: twice as many with each lap.
 */
static struct row_operand spread_all(struct row_making *m, struct row_operand from, unsigned piece,
                                     unsigned bits) {
    struct row_operand to = made(m, ROW_COPY, from, none);
    size_t starts[8], laps = 0;
    uint32_t values = m->next_value;
    m->loops++;
    for (unsigned by = piece; by < bits; by *= 2) {
        starts[laps++] = m->items.len;
        m->next_value = values;
        row_emit(m, ROW_OR, to, to, moved(m, to, true, by));
    }
    m->loops--;
    if (!m->failed)
        row_roll(m, starts, laps);
    return to;
}

/* The same in the pieces `where` (bit f: piece f). */
static struct row_operand spread(struct row_making *m, struct row_operand from, uint64_t where,
                                 unsigned piece, unsigned bits) {
    struct row_operand to = {.place = PLACE_NONE};
    if (where == low_bits(bits / piece))
        return spread_all(m, from, piece, bits);
    for (unsigned f = 0; f < bits / piece; f++)
        if (where >> f & 1)
            to = joined(m, to, moved(m, from, true, f * piece));
    return to;
}

/* Bits of the pieces `where` of a field. */
static uint64_t bits_of(uint64_t where, unsigned piece, unsigned bits) {
    uint64_t all = 0;
    for (unsigned f = 0; f < bits / piece; f++)
        all |= where >> f & 1 ? low_bits(piece) << f * piece : 0;
    return all;
}

/* Pieces whose tables are the same as that of piece f. */
static uint64_t pieces_like(const struct row_lookup *x, const uint64_t *all, unsigned pieces,
                            unsigned f) {
    size_t count = (size_t)1 << x->k;
    uint64_t like = 0;
    for (unsigned g = 0; g < pieces; g++)
        if (!memcmp(all + count * f, all + count * g, count * sizeof *all))
            like |= UINT64_C(1) << g;
    return like;
}

/* Pieces by their tables: those whose tables are alike have one query.  The index stands in their
 * pieces alone, and others look up element 0, which is cleared; or in all of them. */
static void put_groups(struct row_making *m, const struct row_lookup *x, unsigned piece,
                       bool everywhere) {
    unsigned pieces = x->bits / piece;
    uint64_t *all = in_pieces(x, piece), done = 0;
    struct row_operand sum = {.place = PLACE_NONE}, from = sum;
    if (everywhere)
        from = spread_all(m, x->from, piece, x->bits);
    for (unsigned f = 0; f < pieces; f++) {
        const uint64_t *entries = all + ((size_t)f << x->k);
        if (done >> f & 1 || is_zero(entries, (size_t)1 << x->k))
            continue;
        uint64_t like = pieces_like(x, all, pieces, f);
        if (!everywhere)
            from = spread(m, x->from, like, piece, x->bits);
        struct row_operand part = queried(m, from, x->k, piece, entries);
        if (entries[0] || everywhere)
            part = cut(m, part, bits_of(like, piece, x->bits), x->bits);
        sum = joined(m, sum, part);
        done |= like;
    }
    free(all);
    deliver(m, x->to, sum.place == PLACE_NONE ? row_constant(m, 0) : sum);
}

/* Two elements of which one is 0: ones in all pieces for the other, of which its bits are kept. */
static void put_one_of_two(struct row_making *m, const struct row_lookup *x, unsigned piece) {
    const uint64_t ones[2] = {x->entries[0] ? low_bits(piece) : 0,
                              x->entries[1] ? low_bits(piece) : 0};
    struct row_operand from = spread_all(m, x->from, piece, x->bits);
    deliver(m, x->to,
            cut(m, queried(m, from, 1, piece, ones), x->entries[0] | x->entries[1], x->bits));
}

enum { BY_GROUPS, EVERYWHERE, ONE_OF_TWO, WIDE_WAYS };

static void put_wide_so(struct row_making *m, const struct row_lookup *x, unsigned piece,
                        unsigned way) {
    if (way == ONE_OF_TWO)
        put_one_of_two(m, x, piece);
    else
        put_groups(m, x, piece, way == EVERYWHERE);
}

/* An index that one piece holds. */
static void put_wide(struct row_making *m, const struct row_lookup *x, unsigned piece) {
    bool two = x->k == 1 && (!x->entries[0] || !x->entries[1]);
    size_t first = m->items.len;
    uint32_t values = m->next_value;
    uint64_t least = UINT64_MAX;
    unsigned best = 0;
    for (unsigned way = 0; way < (two ? WIDE_WAYS : ONE_OF_TWO) && !m->failed; way++) {
        put_wide_so(m, x, piece, way);
        uint64_t cost = row_items_cost(m, first);
        m->items.len = first;
        m->next_value = values;
        if (cost < least) {
            least = cost;
            best = way;
        }
    }
    put_wide_so(m, x, piece, best);
}

/* ---- an index that is wider than what is compared ---- */

/* The index in digits of a piece each. */
struct digits {
    unsigned count, piece;
    struct row_operand low[MAX_PIECES];  /* the lowest digit, in piece f of each field */
    struct row_operand upper[MAX_INDEX]; /* digit d, in all pieces */
    uint64_t used, dirty; /* pieces that some element has bits in; in which first elements have */
};

static unsigned width_of(const struct row_lookup *x, const struct digits *g, unsigned d) {
    unsigned left = x->k - d * g->piece;
    return left < g->piece ? left : g->piece;
}

static void take_digits(struct row_making *m, const struct row_lookup *x, struct digits *g) {
    unsigned pieces = x->bits / g->piece;
    g->count = (unsigned)ceil_div(x->k, g->piece);
    for (size_t i = 0; i >> x->k == 0; i++)
        for (unsigned f = 0; f < pieces; f++) {
            uint64_t some = x->entries[i] >> f * g->piece & low_bits(g->piece) ? 1 : 0;
            g->used |= some << f;
            g->dirty |= (i & low_bits(g->piece)) ? 0 : some << f;
        }
    struct row_operand lowest = cut(m, x->from, low_bits(g->piece), x->bits);
    for (unsigned f = 0; f < pieces; f++)
        if (g->used >> f & 1)
            g->low[f] = moved(m, lowest, true, f * g->piece);
    for (unsigned d = 1; d < g->count; d++) {
        struct row_operand digit = moved(m, x->from, false, d * g->piece);
        digit = cut(m, digit, low_bits(width_of(x, g, d)), x->bits);
        g->upper[d] = spread(m, digit, low_bits(pieces), g->piece, x->bits);
    }
}

/* The elements whose index has `upper` in its upper digits. */
static struct row_operand part_of(struct row_making *m, const struct row_lookup *x,
                                  const struct digits *g, uint64_t upper) {
    size_t count = (size_t)1 << g->piece;
    uint64_t *entries = xcalloc(count, sizeof *entries);
    struct row_operand sum = {.place = PLACE_NONE};
    for (unsigned f = 0; f < x->bits / g->piece; f++) {
        if (!(g->used >> f & 1))
            continue;
        for (size_t i = 0; i < count; i++)
            entries[i] = x->entries[upper << g->piece | i] >> f * g->piece & low_bits(g->piece);
        struct row_operand part = queried(m, g->low[f], g->piece, g->piece, entries);
        if (g->dirty >> f & 1)
            part = cut(m, part, low_bits(g->piece) << f * g->piece, x->bits);
        sum = joined(m, sum, part);
    }
    for (unsigned d = 1; d < g->count; d++) {
        unsigned k = width_of(x, g, d);
        memset(entries, 0, count * sizeof *entries);
        entries[upper >> (d - 1) * g->piece & low_bits(k)] = low_bits(g->piece);
        sum = made(m, ROW_AND, sum, queried(m, g->upper[d], k, g->piece, entries));
    }
    free(entries);
    return sum;
}

/* All parts one after another: laps. */
static void put_deep(struct row_making *m, const struct row_lookup *x, unsigned piece) {
    struct digits g = {.piece = piece};
    struct row_operand sum = fresh(m);
    size_t laps = (size_t)1 << (x->k - piece), starts[MAX_SWEEPS];
    take_digits(m, x, &g);
    row_emit(m, ROW_COPY, sum, row_constant(m, 0), none);
    uint32_t values = m->next_value, most = values;
    for (size_t lap = 0; lap < laps && g.used; lap++) {
        starts[lap] = m->items.len;
        m->next_value = values;
        row_emit(m, ROW_OR, sum, sum, part_of(m, x, &g, lap));
        most = m->next_value > most ? m->next_value : most;
    }
    m->next_value = most;
    if (g.used && !m->failed)
        row_roll(m, starts, laps);
    row_emit(m, ROW_COPY, x->to, sum, none);
}

/* ---- fields that are narrower than what is compared ---- */

/* All fields of a piece at once: as many rows as their indices together have values. */
static void put_together(struct row_making *m, const struct row_lookup *x, unsigned piece) {
    unsigned k = piece - x->bits + x->k;
    uint64_t *entries = xcalloc((size_t)1 << k, sizeof *entries);
    for (size_t i = 0; i >> k == 0; i++)
        for (unsigned at = 0; at < piece; at += x->bits) {
            uint64_t index = i >> at & low_bits(x->bits);
            entries[i] |= index >> x->k ? 0 : x->entries[index] << at;
        }
    query(m, x->to, x->from, k, piece, entries);
    free(entries);
}

static void put_in_turn(struct row_making *m, const struct row_lookup *x, unsigned piece) {
    struct row_operand sum = {.place = PLACE_NONE};
    for (unsigned at = 0; at < piece; at += x->bits) {
        struct row_operand from = moved(m, x->from, false, at),
                           part = queried(m, cut(m, from, low_bits(x->k), piece), x->k, piece,
                                          x->entries);
        sum = joined(m, sum, moved(m, part, true, at));
    }
    deliver(m, x->to, sum);
}

static void put_narrow(struct row_making *m, const struct row_lookup *x, unsigned piece) {
    bool together = piece - x->bits + x->k <= MAX_INDEX, in_turn = m->slot >= piece;
    size_t first = m->items.len;
    uint32_t values = m->next_value;
    if (together && in_turn) {
        put_together(m, x, piece);
        uint64_t cost = row_items_cost(m, first);
        m->items.len = first;
        put_in_turn(m, x, piece);
        together = cost <= row_items_cost(m, first);
        m->items.len = first;
        m->next_value = values;
    }
    if (together)
        put_together(m, x, piece);
    else if (in_turn)
        put_in_turn(m, x, piece);
    else
        row_lack(m, x->at,
                 "match logic compares fields of %u bits and no others (pluto.match_bits): slots "
                 "of %u bits, %u in each, would be looked up in tables of 2^%u rows, and the most "
                 "is 2^%d",
                 piece, m->slot, piece / m->slot, piece - x->bits + x->k, MAX_INDEX);
}

/* ---- all of them ---- */

void row_put_lookup(struct row_making *m, const struct row_lookup *x) {
    unsigned piece = m->wanted->match_bits;
    if (!piece || piece == x->bits)
        query(m, x->to, x->from, x->k, x->bits, x->entries);
    else if (x->bits < piece)
        put_narrow(m, x, piece);
    else if (x->k <= piece)
        put_wide(m, x, piece);
    else if (x->k - piece <= 8)
        put_deep(m, x, piece);
    else
        row_lack(
            m, x->at,
            "match logic compares fields of %u bits and no others (pluto.match_bits): an index "
            "of %u bits would take %u sweeps, and the most is %d",
            piece, x->k, 1U << (x->k - piece), MAX_SWEEPS);
}
