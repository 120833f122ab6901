/* SPDX-License-Identifier: MIT */
#include "tests/programs/rows.h"

#include "support/bits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bytes_of(mpu_type type) {
    static const uint8_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8};
    return bytes[type];
}

uint64_t rows_bytes(const mpu_array *a) {
    uint64_t n = bytes_of(a->type);
    for (uint32_t i = 0; i < a->ndim; i++)
        n *= a->shape[i];
    return n;
}

void *rows_add(struct rows_list *list, const char *name, mpu_type type, uint64_t n, uint64_t each) {
    assert(list->count < ROWS_ARRAYS);
    struct rows_array *x = &list->item[list->count++];
    *x = (struct rows_array){name, {.type = type}};
    if (n)
        x->values.shape[x->values.ndim++] = n;
    if (each)
        x->values.shape[x->values.ndim++] = each;
    x->values.data = calloc(1, rows_bytes(&x->values));
    assert(x->values.data);
    return x->values.data;
}

void *rows_random(struct rows_data *d, const char *name, mpu_type type, uint64_t n, uint64_t each) {
    uint8_t *bytes = rows_add(&d->in, name, type, n, each);
    uint64_t count = rows_bytes(&d->in.item[d->in.count - 1].values);
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(splitmix64(&d->random) >> 20);
    return bytes;
}

uint32_t rows_below(struct rows_data *d, uint32_t limit) {
    return (uint32_t)((splitmix64(&d->random) >> 32) * limit >> 32);
}

static void free_list(struct rows_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        free(list->item[i].values.data);
    list->count = 0;
}

void rows_free(struct rows_data *d) {
    free_list(&d->in);
    free_list(&d->want);
}
