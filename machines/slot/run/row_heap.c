/* SPDX-License-Identifier: MIT
 * Memory of rows.  Commands go from VRF to VRF through rows of all of them, so rows lie side by
 * side in large pages, and begin where lines of a cache do; what is given back serves again.
 * Invariant: of the slabs all in front of `at`, and nothing behind it, is a row or in the list of
 * free ones. */
#include "machines/slot/run/machine.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* Bytes: a line of a cache, and slabs, each twice the last one. */
#define LINE       ((size_t)64)
#define FIRST_SLAB ((size_t)1 << 15)
#define MOST_SLAB  ((size_t)1 << 24)

/* Rows of other lengths are few.  Sanitizers see where a row ends if it is an array of its own. */
static bool is_of_heap(const struct slot_datapath *m, size_t words) {
#ifdef MPU_SANITIZED
    return false && m->row_words == words;
#else
    return m->row_words == words;
#endif
}

static void new_slab(struct slot_heap *heap, size_t row_bytes) {
    heap->slab_bytes = heap->slab_bytes ? 2 * heap->slab_bytes : FIRST_SLAB;
    heap->slab_bytes = heap->slab_bytes < MOST_SLAB ? heap->slab_bytes : MOST_SLAB;
    const size_t bytes = row_bytes > heap->slab_bytes ? row_bytes : heap->slab_bytes;
    unsigned char *slab = xmalloc_large(bytes + LINE);
    vec_push(&heap->slabs, slab);
    heap->at = slab + (LINE - (uintptr_t)slab % LINE) % LINE;
    heap->left = bytes;
}

uint64_t *slot_row_new(struct slot_datapath *m, size_t words) {
    struct slot_heap *heap = &m->heap;
    const size_t bytes = ceil_div(words * sizeof(uint64_t), LINE) * LINE;
    struct alloc_lock lock;
    if (!is_of_heap(m, words))
        return xcalloc(words, sizeof(uint64_t));
    alloc_lock(&lock, &m->lock);
    uint64_t *row = heap->free;
    if (row) {
        memcpy(&heap->free, row, sizeof heap->free);
    } else {
        if (heap->left < bytes)
            new_slab(heap, bytes);
        row = (uint64_t *)(void *)heap->at;
        heap->at += bytes;
        heap->left -= bytes;
    }
    alloc_unlock(&lock);
    return memset(row, 0, words * sizeof *row);
}

void slot_row_free(struct slot_datapath *m, uint64_t *row, size_t words) {
    if (!row)
        return;
    if (!is_of_heap(m, words)) {
        free(row);
        return;
    }
    pthread_mutex_lock(&m->lock);
    memcpy(row, &m->heap.free, sizeof m->heap.free);
    m->heap.free = row;
    pthread_mutex_unlock(&m->lock);
}

void slot_heap_close(struct slot_datapath *m) {
    for (size_t i = 0; i < m->heap.slabs.len; i++)
        free(m->heap.slabs.data[i]);
    vec_free(&m->heap.slabs);
}
