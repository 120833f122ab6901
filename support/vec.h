/* SPDX-License-Identifier: MIT
 * Typed growable array: VEC(struct insn) list = {0}; vec_push(&list, x); list.data[i].
 * Memory is the vector's own; vec_free releases it. */
#ifndef SUPPORT_VEC_H
#define SUPPORT_VEC_H

#include "support/alloc.h"

#include <stddef.h>
#include <stdlib.h>

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t len;                                                                                \
        size_t cap;                                                                                \
    }

#define vec_reserve(v, n)                                                                          \
    ((v)->cap >= (n) ? (void)0                                                                     \
                     : (void)((v)->data = vec_grow((v)->data, &(v)->cap, (n), sizeof *(v)->data)))
#define vec_push(v, x) (vec_reserve((v), (v)->len + 1), (void)((v)->data[(v)->len++] = (x)))
#define vec_last(v)    ((v)->data[(v)->len - 1])
/* The elements from number i on; without any there is no pointer to add to. */
#define vec_from(v, i) ((i) ? (v)->data + (i) : (v)->data)
#define vec_clear(v)   ((void)((v)->len = 0))
#define vec_free(v)    (free((v)->data), (v)->data = NULL, (v)->len = 0, (void)((v)->cap = 0))

/* At least `need` elements, grown by half or more; updates *cap. */
void *vec_grow(void *data, size_t *cap, size_t need, size_t size);

#endif
