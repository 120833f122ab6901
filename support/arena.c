/* SPDX-License-Identifier: MIT */
#include "support/arena.h"

#include "support/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks double from the first, so that what needs little is cheap. */
enum { FIRST_BYTES = 1 << 12, BLOCK_BYTES = 1 << 16, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, size; /* bytes of data */
    _Alignas(ALIGNMENT) unsigned char data[];
};

static struct arena_block *new_block(size_t size) {
    size_t bytes;
    if (__builtin_add_overflow(sizeof(struct arena_block), size, &bytes))
        alloc_failed();
    struct arena_block *b = xcalloc(1, bytes);
    b->size = size;
    return b;
}

/* A large request gets a block of its own behind the first, which keeps its free space. */
static void *alloc_large(struct arena *a, size_t size) {
    struct arena_block *b = new_block(size);
    b->used = size;
    struct arena_block **link = a->blocks ? &a->blocks->next : &a->blocks;
    b->next = *link;
    *link = b;
    return b->data;
}

/* Of the block behind b, which has room for that. */
static size_t next_size(const struct arena_block *b, size_t least) {
    size_t size = b && b->size < BLOCK_BYTES ? 2 * b->size : b ? BLOCK_BYTES : FIRST_BYTES;
    while (size < least)
        size *= 2;
    return size < BLOCK_BYTES ? size : BLOCK_BYTES;
}

void *arena_alloc(struct arena *a, size_t size) {
    if (size > BLOCK_BYTES / 4)
        return alloc_large(a, size);
    size_t rounded = size ? (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1) : ALIGNMENT;
    struct arena_block *b = a->blocks;
    if (!b || b->size - b->used < rounded) {
        b = new_block(next_size(b, rounded));
        b->next = a->blocks;
        a->blocks = b;
    }
    void *p = b->data + b->used;
    b->used += rounded;
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        alloc_failed();
    return arena_alloc(a, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
    size_t len = strnlen(s, n);
    char *copy = arena_alloc(a, len + 1);
    memcpy(copy, s, len);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s) {
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(a, len < 0 ? 1 : (size_t)len + 1);
    if (len >= 0)
        vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

void arena_free(struct arena *a) {
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}
