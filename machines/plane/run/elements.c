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

static struct element_walk walk_begin(struct datapath *dp, const struct dp_elements *elements) {
    struct plane_machine *m = plane_of(dp);
    struct element_walk w = {m, elements, plane_group_of(m, DP_REGISTER, elements->reg),
                             elements->data};
    assert(elements->lanes && elements->lanes <= m->target->lanes &&
           elements->bits <= 8 * elements->bytes);
    if (elements->bits < w.g.bits)
        w.g.bits = elements->bits;
    return w;
}

static size_t step_bytes(const struct dp_elements *elements) {
    return (size_t)elements->step * elements->bytes;
}

static void gather(const struct dp_elements *elements, const unsigned char *from, size_t count,
                   unsigned char *to) {
    for (size_t i = 0; i < count; i++, from += step_bytes(elements), to += elements->bytes)
        memcpy(to, from, elements->bytes);
}

static void scatter(const struct dp_elements *elements, const unsigned char *from, size_t count,
                    unsigned char *to) {
    for (size_t i = 0; i < count; i++, from += elements->bytes, to += step_bytes(elements))
        memcpy(to, from, elements->bytes);
}

/* ---- putting ---- */

/* The same value in every lane. */
static void fill_words(const struct element_walk *walk, struct plane_piece piece) {
    uint64_t value = 0;
    memcpy(&value, walk->x->data, walk->x->bytes);
    for (uint32_t j = 0; j < walk->g.bits; j++)
        memset(plane_words(piece, walk->g.first + j), value >> j & 1 ? 0xff : 0, 8 * piece.words);
}

static void put_words(const struct element_walk *walk, struct plane_piece piece) {
    unsigned char block[GATHERED_BYTES];
    const unsigned char *from = walk->at;
    if (!piece.at || walk->g.bits == 0)
        return;
    if (walk->x->step == 0) {
        fill_words(walk, piece);
        return;
    }
    if (walk->x->step != 1) {
        gather(walk->x, walk->at, 64 * piece.words, block);
        from = block;
    }
    bits_to_planes(from, walk->x->bytes, piece.words, plane_words(piece, walk->g.first),
                   PLANE_TILE_WORDS, walk->g.bits);
}

/* The first lanes of a word; the others stay. */
static void put_lanes(const struct element_walk *walk, struct plane_piece piece, uint32_t count) {
    unsigned char block[64 * 8];
    if (!piece.at || walk->g.bits == 0)
        return;
    uint64_t *planes = plane_words(piece, walk->g.first);
    bits_from_planes(planes, PLANE_TILE_WORDS, 1, block, walk->x->bytes, walk->g.bits, false);
    gather(walk->x, walk->at, count, block);
    bits_to_planes(block, walk->x->bytes, 1, planes, PLANE_TILE_WORDS, walk->g.bits);
}

/* ---- getting ---- */

static void get_words(const struct element_walk *walk, struct plane_piece piece, uint32_t count) {
    unsigned char block[GATHERED_BYTES];
    const struct dp_elements *x = walk->x;
    bool direct = x->step == 1 && count == 64 * piece.words;
    unsigned char *to = direct ? walk->at : block;
    bool sign = x->sign && walk->g.bits == x->bits;
    if (piece.at)
        bits_from_planes(plane_words(piece, walk->g.first), PLANE_TILE_WORDS, piece.words, to,
                         x->bytes, walk->g.bits, sign);
    else
        memset(to, 0, 64 * piece.words * x->bytes);
    if (!direct)
        scatter(x, block, count, walk->at);
}

/* ---- both ---- */

/* Words of lanes that one step may take. */
static uint64_t words_at_once(const struct dp_elements *elements, uint64_t words) {
    return elements->step > 1 && words > GATHERED_WORDS ? GATHERED_WORDS : words;
}

/* `count` lanes from lane 0 of a word on. */
static void walk_lanes(struct element_walk *walk, uint64_t word, uint64_t count, bool put) {
    struct plane_piece p;
    for (uint64_t n; count > 0; count -= n, word += p.words, walk->at += n * step_bytes(walk->x)) {
        bool whole = count >= 64;
        p = plane_piece(walk->m, word, whole ? words_at_once(walk->x, count / 64) : 1);
        n = whole ? 64 * p.words : count;
        if (!put)
            get_words(walk, p, (uint32_t)n);
        else if (whole)
            put_words(walk, p);
        else
            put_lanes(walk, p, (uint32_t)n);
    }
}

/* VRFs whose lanes fill their words lie side by side, as one. */
static void walk_vrfs(struct element_walk *walk, bool put) {
    const struct dp_elements *x = walk->x;
    uint64_t vrf_words = walk->m->words_per_vrf, word = x->vrf * vrf_words, left = x->count;
    uint64_t lanes = x->lanes == 64 * vrf_words ? left : x->lanes;
    for (uint64_t n; left > 0; left -= n, word += vrf_words) {
        n = left < lanes ? left : lanes;
        walk_lanes(walk, word, n, put);
    }
}

void plane_put_elements(struct datapath *dp, const struct dp_elements *elements) {
    if (plane_of(dp)->setup.costs_only)
        return;
    struct element_walk w = walk_begin(dp, elements);
    walk_vrfs(&w, true);
}

void plane_get_elements(struct datapath *dp, const struct dp_elements *elements) {
    struct element_walk w = walk_begin(dp, elements);
    walk_vrfs(&w, false);
}
