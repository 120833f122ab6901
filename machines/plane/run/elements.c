/* SPDX-License-Identifier: MIT
 * Arrays into planes and back: pieces of a tile at a time, without a word for each element between.
 */
#include "machines/plane/run/plane.h"
#include "support/bits.h"

#include <assert.h>
#include <string.h>

/* Elements that are not side by side go by so many words of lanes through a copy that is. */
#define GATHERED_WORDS 8
#define GATHERED_BYTES ((size_t)GATHERED_WORDS * 64 * 8)

/* What a call is about, and where in the array it stands. */
struct element_walk {
    struct plane_machine *m;
    const struct dp_elements *x;
    struct plane_group g; /* the planes of the register that are written or read */
    unsigned char *at;
};

static struct element_walk walk_begin(struct datapath *dp, const struct dp_elements *x) {
    struct plane_machine *m = plane_of(dp);
    struct element_walk w = {m, x, plane_group_of(m, DP_REGISTER, x->reg), x->data};
    assert(x->lanes && x->lanes <= m->target->lanes && x->bits <= 8 * x->bytes);
    if (x->bits < w.g.bits)
        w.g.bits = x->bits;
    return w;
}

static size_t step_bytes(const struct dp_elements *x) {
    return (size_t)x->step * x->bytes;
}

static void gather(const struct dp_elements *x, const unsigned char *from, size_t count,
                   unsigned char *to) {
    for (size_t i = 0; i < count; i++, from += step_bytes(x), to += x->bytes)
        memcpy(to, from, x->bytes);
}

static void scatter(const struct dp_elements *x, const unsigned char *from, size_t count,
                    unsigned char *to) {
    for (size_t i = 0; i < count; i++, from += x->bytes, to += step_bytes(x))
        memcpy(to, from, x->bytes);
}

/* ---- putting ---- */

/* The same value in every lane. */
static void fill_words(const struct element_walk *w, struct plane_piece p) {
    uint64_t value = 0;
    memcpy(&value, w->x->data, w->x->bytes);
    for (uint32_t j = 0; j < w->g.bits; j++)
        memset(plane_words(p, w->g.first + j), value >> j & 1 ? 0xff : 0, 8 * p.words);
}

static void put_words(const struct element_walk *w, struct plane_piece p) {
    unsigned char block[GATHERED_BYTES];
    const unsigned char *from = w->at;
    if (!p.at || w->g.bits == 0)
        return;
    if (w->x->step == 0) {
        fill_words(w, p);
        return;
    }
    if (w->x->step != 1) {
        gather(w->x, w->at, 64 * p.words, block);
        from = block;
    }
    bits_to_planes(from, w->x->bytes, p.words, plane_words(p, w->g.first), PLANE_TILE_WORDS,
                   w->g.bits);
}

/* The first lanes of a word; the others stay. */
static void put_lanes(const struct element_walk *w, struct plane_piece p, uint32_t count) {
    unsigned char block[64 * 8];
    if (!p.at || w->g.bits == 0)
        return;
    uint64_t *planes = plane_words(p, w->g.first);
    bits_from_planes(planes, PLANE_TILE_WORDS, 1, block, w->x->bytes, w->g.bits, false);
    gather(w->x, w->at, count, block);
    bits_to_planes(block, w->x->bytes, 1, planes, PLANE_TILE_WORDS, w->g.bits);
}

/* ---- getting ---- */

static void get_words(const struct element_walk *w, struct plane_piece p, uint32_t count) {
    unsigned char block[GATHERED_BYTES];
    const struct dp_elements *x = w->x;
    bool direct = x->step == 1 && count == 64 * p.words;
    unsigned char *to = direct ? w->at : block;
    bool sign = x->sign && w->g.bits == x->bits;
    if (p.at)
        bits_from_planes(plane_words(p, w->g.first), PLANE_TILE_WORDS, p.words, to, x->bytes,
                         w->g.bits, sign);
    else
        memset(to, 0, 64 * p.words * x->bytes);
    if (!direct)
        scatter(x, block, count, w->at);
}

/* ---- both ---- */

/* Words of lanes that one step may take. */
static uint64_t words_at_once(const struct dp_elements *x, uint64_t words) {
    return x->step > 1 && words > GATHERED_WORDS ? GATHERED_WORDS : words;
}

/* `count` lanes from lane 0 of a word on. */
static void walk_lanes(struct element_walk *w, uint64_t word, uint64_t count, bool put) {
    struct plane_piece p;
    for (uint64_t n; count > 0; count -= n, word += p.words, w->at += n * step_bytes(w->x)) {
        bool whole = count >= 64;
        p = plane_piece(w->m, word, whole ? words_at_once(w->x, count / 64) : 1);
        n = whole ? 64 * p.words : count;
        if (!put)
            get_words(w, p, (uint32_t)n);
        else if (whole)
            put_words(w, p);
        else
            put_lanes(w, p, (uint32_t)n);
    }
}

/* VRFs whose lanes fill their words lie side by side, as one. */
static void walk_vrfs(struct element_walk *w, bool put) {
    const struct dp_elements *x = w->x;
    uint64_t vrf_words = w->m->words_per_vrf, word = x->vrf * vrf_words, left = x->count;
    uint64_t lanes = x->lanes == 64 * vrf_words ? left : x->lanes;
    for (uint64_t n; left > 0; left -= n, word += vrf_words) {
        n = left < lanes ? left : lanes;
        walk_lanes(w, word, n, put);
    }
}

void plane_put_elements(struct datapath *dp, const struct dp_elements *x) {
    if (plane_of(dp)->setup.costs_only)
        return;
    struct element_walk w = walk_begin(dp, x);
    walk_vrfs(&w, true);
}

void plane_get_elements(struct datapath *dp, const struct dp_elements *x) {
    struct element_walk w = walk_begin(dp, x);
    walk_vrfs(&w, false);
}
