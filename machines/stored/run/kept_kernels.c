/* SPDX-License-Identifier: MIT
 * Kernels are checked and decoded once; a machine keeps those that were launched last. */
#include "machines/stored/run/work.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 64 };

static void free_kernel(struct stored_kernel *k) {
    free(k->bytes);
    free(k->places);
    free(k);
}

void stored_free_kernels(struct stored_dp *m) {
    while (m->kernels) {
        struct stored_kernel *k = m->kernels;
        m->kernels = k->next;
        free_kernel(k);
    }
}

struct stored_place *stored_places(const struct stored_isa *isa, const uint64_t *words,
                                   size_t count) {
    struct stored_place *places = xcalloc(count + 1, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct stored_place){.word = words[i], .op = stored_op(isa, words[i])};
    return places;
}

static void decode_words(const struct stored_isa *isa, const void *code, size_t size,
                         struct stored_kernel *k) {
    size_t bytes = stored_word_bytes(isa), count = size / bytes;
    uint64_t *words = xcalloc(count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = stored_get_word(isa, (const unsigned char *)code + i * bytes);
    if (size % bytes == 0 && count < STORED_NO_STOP && stored_words_fine(isa, words, count))
        k->count = (uint32_t)count;
    k->places = stored_places(isa, words, k->count);
    free(words);
}

static struct stored_kernel *decode(const struct stored_engine *engine, const void *code,
                                    size_t size) {
    struct stored_kernel *k = xcalloc(1, sizeof *k);
    k->size = size;
    k->bytes = xmalloc(size + 1);
    memcpy(k->bytes, code, size);
    if (engine->places)
        k->places = engine->places(code, size, &k->count);
    else
        decode_words(&engine->kind->isa, code, size, k);
    return k;
}

/* Takes the kernel out of the list; NULL: it is not there. */
static struct stored_kernel *take(struct stored_dp *m, const void *code, size_t size) {
    struct stored_kernel **at = &m->kernels, *k;
    while (*at && ((*at)->size != size || memcmp((*at)->bytes, code, size) != 0))
        at = &(*at)->next;
    k = *at;
    if (k)
        *at = k->next;
    return k;
}

static void keep_few(struct stored_dp *m) {
    struct stored_kernel **at = &m->kernels;
    for (unsigned i = 0; i < KEPT && *at; i++)
        at = &(*at)->next;
    while (*at) {
        struct stored_kernel *k = *at;
        *at = k->next;
        free_kernel(k);
    }
}

const struct stored_kernel *stored_kernel_of(struct stored_dp *m, const void *code, size_t size) {
    struct stored_kernel *k = take(m, code, size);
    if (!k)
        k = decode(m->engine, code, size);
    k->next = m->kernels;
    m->kernels = k;
    keep_few(m);
    return k;
}
