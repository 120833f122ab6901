/* SPDX-License-Identifier: MIT */
#include "support/str.h"

#include <string.h>

/* Longer names are not typed by hand, and the distance costs length squared. */
enum { MAX_NAME = 128 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned min3(unsigned a, unsigned b, unsigned c) {
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* Levenshtein's distance with one row of the table at a time; case is ignored. */
static unsigned distance(const char *a, size_t m, const char *b, size_t n) {
    unsigned row[MAX_NAME * 2 + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, replaced);
        }
    }
    return row[n];
}

const char *nearest_name(const char *name, const char *const *candidates, size_t count) {
    size_t len = strnlen(name, MAX_NAME + 1);
    if (len > MAX_NAME)
        return NULL;
    unsigned best = len / 3 > 1 ? (unsigned)(len / 3) + 1 : 2; /* first distance too far */
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t n = strnlen(candidates[i], MAX_NAME * 2 + 1);
        if (n >= len + best || n + best <= len)
            continue;
        unsigned d = distance(name, len, candidates[i], n);
        if (d < best) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
