/* SPDX-License-Identifier: MIT
 * Grows by half, at least to what is asked for. */
#include "support/vec.h"

#include <stdint.h>

void *vec_grow(void *data, size_t *cap, size_t need, size_t size) {
    size_t grown = *cap < SIZE_MAX / 2 ? *cap + *cap / 2 : SIZE_MAX;
    if (grown < 8)
        grown = 8;
    *cap = grown > need ? grown : need;
    return xreallocarray(data, *cap, size);
}
