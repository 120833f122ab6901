/* SPDX-License-Identifier: MIT
 * The name with the least edit distance, if it is near enough to be meant. */
#include "support/str.h"

#include <string.h>

/* Longer names are not typed by hand, and the distance costs length squared. */
enum { MAX_NAME = 128 };

static char lower(char character) {
    return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

static unsigned min3(unsigned left, unsigned right, unsigned c) {
    unsigned least = left < right ? left : right;
    return least < c ? least : c;
}

/* True if a's last two letters are b's the other way round. */
static bool swapped(const char *left, size_t index, const char *right, size_t j) {
    return index > 1 && j > 1 && lower(left[index - 1]) == lower(right[j - 2]) &&
           lower(left[index - 2]) == lower(right[j - 1]);
}

/* Levenshtein's distance with swaps of neighbours, row after row of the table. */
static unsigned distance(const char *left, size_t m, const char *right, size_t n) {
    unsigned rows[3][MAX_NAME * 2 + 1];
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned replaced = above[j - 1] + (lower(left[i - 1]) != lower(right[j - 1]));
            row[j] = min3(above[j] + 1, row[j - 1] + 1, replaced);
            if (swapped(left, i, right, j) && two_above[j - 2] + 1 < row[j])
                row[j] = two_above[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
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
        if (d < best && d < (n > len ? n : len)) { /* some letter is the same */
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
