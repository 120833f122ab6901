/* SPDX-License-Identifier: MIT
 * Rows, 64 bits at a time. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Loops over words, compiled twice: a host with 256-bit vectors takes them twice as wide.  Which it
 * is is asked once a row. */
#define SLOT_LOOP static inline __attribute__((always_inline)) void
#ifdef __x86_64__
#define SLOT_WIDE __attribute__((target("avx2")))
static bool is_wide(void) {
    return __builtin_cpu_supports("avx2");
}
#else
#define SLOT_WIDE
static bool is_wide(void) {
    return false;
}
#endif

SLOT_LOOP logic_words(enum row_kind kind, uint64_t *to, const uint64_t *a, const uint64_t *b,
                      size_t words) {
    switch (kind) {
    case ROW_NOT:
        for (size_t i = 0; i < words; i++)
            to[i] = ~a[i];
        return;
    case ROW_AND:
        for (size_t i = 0; i < words; i++)
            to[i] = a[i] & b[i];
        return;
    case ROW_OR:
        for (size_t i = 0; i < words; i++)
            to[i] = a[i] | b[i];
        return;
    case ROW_XOR:
        for (size_t i = 0; i < words; i++)
            to[i] = a[i] ^ b[i];
        return;
    case ROW_XNOR:
        for (size_t i = 0; i < words; i++)
            to[i] = ~(a[i] ^ b[i]);
        return;
    default:
        memmove(to, a, words * sizeof *to);
    }
}

SLOT_WIDE static void logic_wide(enum row_kind kind, uint64_t *to, const uint64_t *a,
                                 const uint64_t *b, size_t words) {
    logic_words(kind, to, a, b, words);
}

void slot_logic(enum row_kind kind, uint64_t *to, const uint64_t *a, const uint64_t *b,
                size_t words) {
    if (is_wide())
        logic_wide(kind, to, a, b, words);
    else
        logic_words(kind, to, a, b, words);
}

/* By 1 to 63 bits, from the end on that is shifted to: each word is read before it is written. */
SLOT_LOOP shift_words(uint64_t *row, size_t words, unsigned near, bool left) {
    if (left) {
        for (size_t i = words - 1; i > 0; i--)
            row[i] = row[i] << near | row[i - 1] >> (64 - near);
        row[0] <<= near;
    } else {
        for (size_t i = 0; i + 1 < words; i++)
            row[i] = row[i] >> near | row[i + 1] << (64 - near);
        row[words - 1] >>= near;
    }
}

SLOT_WIDE static void shift_wide(uint64_t *row, size_t words, unsigned near, bool left) {
    shift_words(row, words, near, left);
}

void slot_shift(uint64_t *row, size_t words, size_t bits, bool left) {
    size_t far = bits / 64 < words ? bits / 64 : words, rest = words - far;
    unsigned near = bits % 64;
    if (far) {
        memmove(left ? row + far : row, left ? row : row + far, rest * sizeof *row);
        memset(left ? row : row + rest, 0, far * sizeof *row);
    }
    if (!near || !rest)
        return;
    if (is_wide())
        shift_wide(row, words, near, left);
    else
        shift_words(row, words, near, left);
}

/* ---- queries ---- */

static uint64_t entry_of(const struct slot_lookup *l, uint64_t index) {
    return index < l->rows ? l->entries[index] & low_bits(l->bits) : 0;
}

/* All fields of a byte, and how many of them match nothing. */
static void fill_byte(struct slot_lookup *l, unsigned byte) {
    for (unsigned at = 0; at < 8; at += l->bits) {
        uint64_t index = byte >> at & low_bits(l->bits);
        l->bytes[byte] |= (uint8_t)(entry_of(l, index) << at);
        l->misses[byte] = (uint8_t)(l->misses[byte] + (index >= l->rows));
    }
}

struct slot_lookup slot_lookup_new(unsigned bits, uint64_t rows, const uint64_t *entries) {
    struct slot_lookup l = {.bits = bits, .rows = rows, .entries = entries};
    if (bits > 8)
        return l;
    l.bytes = xcalloc(256, 1);
    l.misses = xcalloc(256, 1);
    for (unsigned byte = 0; byte < 256; byte++)
        fill_byte(&l, byte);
    slot_map_open(&l);
    if (rows > low_bits(bits)) {
        free(l.misses);
        l.misses = NULL;
    }
    return l;
}

void slot_lookup_free(struct slot_lookup *lookup) {
    free(lookup->bytes);
    free(lookup->shuffled);
    free(lookup->misses);
}

/* Whether some field may be no index: as routines look up indices, one pass over the row finds
 * none.  Of a table whose rows are no power of two, each field has to be looked at. */
static bool has_misses(const struct slot_lookup *l, const uint64_t *from, size_t words) {
    uint64_t above = slot_repeat(~(l->rows - 1), l->bits), some = 0;
    for (size_t i = 0; i < words; i++)
        some |= from[i];
    return l->rows & (l->rows - 1) || some & above;
}

static uint64_t query_bytes(const struct slot_lookup *l, uint64_t *to, const uint64_t *from,
                            size_t words) {
    uint64_t missed = 0;
    if (l->misses && has_misses(l, from, words))
        for (size_t i = 0; i < words; i++)
            for (unsigned at = 0; at < 64; at += 8)
                missed += l->misses[from[i] >> at & 0xff];
    slot_map(l, to, from, words);
    return missed;
}

uint64_t slot_query(const struct slot_lookup *lookup, uint64_t *to, const uint64_t *from,
                    size_t words) {
    uint64_t missed = 0, mask = low_bits(lookup->bits);
    if (lookup->bytes)
        return query_bytes(lookup, to, from, words);
    for (size_t i = 0; i < words; i++) {
        uint64_t word = from[i], result = 0;
        for (unsigned at = 0; at < 64; at += lookup->bits) {
            uint64_t index = word >> at & mask;
            missed += index >= lookup->rows;
            result |= entry_of(lookup, index) << at;
        }
        to[i] = result;
    }
    return missed;
}

uint64_t slot_query_destructive(const struct slot_lookup *lookup, uint64_t *to,
                                const uint64_t *from, size_t words,
                                const struct slot_remains *remains, bool there) {
    uint64_t missed = 0, mask = low_bits(lookup->bits);
    for (size_t i = 0; i < words; i++) {
        uint64_t word = from[i], result = 0, alive = 0;
        for (unsigned at = 0; at < 64; at += lookup->bits) {
            uint64_t index = word >> at & mask;
            bool match = index < lookup->rows,
                 same = there || ((remains->alive[i] >> at & mask) &&
                                  (remains->index[i] >> at & mask) == index);
            missed += !match;
            alive |= (match && same ? mask : 0) << at;
            result |= (!match ? 0
                       : same ? entry_of(lookup, index)
                              : SLOT_POISON >> at & mask)
                      << at;
        }
        remains->index[i] = word;
        remains->alive[i] = alive;
        to[i] = result;
    }
    return missed;
}

void slot_table_row(const struct slot_lookup *lookup, const struct slot_remains *remains,
                    uint64_t r, uint64_t *to, size_t words) {
    uint64_t mask = low_bits(lookup->bits);
    for (size_t i = 0; i < words; i++) {
        to[i] = slot_repeat(entry_of(lookup, r), lookup->bits);
        for (unsigned at = 0; remains && remains->index && at < 64; at += lookup->bits)
            if (!(remains->alive[i] >> at & mask) || (remains->index[i] >> at & mask) != r)
                to[i] = (to[i] & ~(mask << at)) | (SLOT_POISON & mask << at);
    }
}
