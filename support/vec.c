/* SPDX-License-Identifier: MIT
 * Grows by half, small ones to twice as many elements; at least to what is asked for. */
#include "support/vec.h"

#include <stdint.h>

enum { SMALL = 64 };

void *vec_grow(void *data, size_t *cap, size_t need, size_t size) {
    size_t more = *cap < SMALL ? *cap : *cap / 2;
    size_t grown = *cap < SIZE_MAX / 2 ? *cap + more : SIZE_MAX;
    if (grown < 8)
        grown = 8;
    grown = grown > need ? grown : need;
    data = xreallocarray(data, grown, size); /* where that fails, nothing has changed */
    *cap = grown;
    return data;
}
