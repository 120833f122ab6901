/* SPDX-License-Identifier: MIT
 * Blocks of memory, the newest first; only the newest has room.  What is handed out is zeroed then:
 * most arenas end with half of a block that nobody asked for. */
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

/* A large request gets a block of its own behind the first, which keeps its free space.  The
 * system's pages are zeroed already. */
static void *alloc_large(struct arena *arena, size_t size) {
    size_t bytes;
    if (__builtin_add_overflow(sizeof(struct arena_block), size, &bytes))
        alloc_failed();
    struct arena_block *b = xcalloc(1, bytes);
    b->used = b->size = size;
    struct arena_block **link = arena->blocks ? &arena->blocks->next : &arena->blocks;
    b->next = *link;
    *link = b;
    return b->data;
}

/* Of the block behind block, which has room for that. */
static size_t next_size(const struct arena_block *block, size_t least) {
    size_t size = block && block->size < BLOCK_BYTES ? 2 * block->size
                  : block                            ? BLOCK_BYTES
                                                     : FIRST_BYTES;
    while (size < least)
        size *= 2;
    return size < BLOCK_BYTES ? size : BLOCK_BYTES;
}

void *arena_alloc(struct arena *arena, size_t size) {
    if (size > BLOCK_BYTES / 4)
        return alloc_large(arena, size);
    size_t rounded = size ? (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1) : ALIGNMENT;
    struct arena_block *b = arena->blocks;
    if (!b || b->size - b->used < rounded) {
        size_t next = next_size(b, rounded);
        b = xmalloc(sizeof *b + next);
        *b = (struct arena_block){.next = arena->blocks, .size = next};
        arena->blocks = b;
    }
    void *p = b->data + b->used;
    b->used += rounded;
    return memset(p, 0, rounded);
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        alloc_failed();
    return arena_alloc(arena, bytes);
}

char *arena_strndup(struct arena *arena, const char *text, size_t n) {
    size_t len = strnlen(text, n);
    char *copy = arena_alloc(arena, len + 1);
    memcpy(copy, text, len);
    return copy;
}

char *arena_copy(struct arena *arena, const char *bytes, size_t n) {
    char *copy = arena_alloc(arena, n + 1);
    if (n)
        memcpy(copy, bytes, n);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text) {
    return arena_strndup(arena, text, strlen(text));
}

char *arena_name(struct arena *arena, const char *text, uint64_t number) {
    char digits[20], *at = digits + sizeof digits;
    size_t n = strlen(text);
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    size_t count = (size_t)(digits + sizeof digits - at);
    char *name = arena_alloc(arena, n + count + 1);
    memcpy(name, text, n);
    memcpy(name + n, at, count);
    return name;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args) {
    va_list again;
    char few[128]; /* most are names: formatted once */
    va_copy(again, args);
    int len = vsnprintf(few, sizeof few, format, args);
    char *text = arena_alloc(arena, len < 0 ? 1 : (size_t)len + 1);
    if (len >= (int)sizeof few)
        vsnprintf(text, (size_t)len + 1, format, again);
    else if (len >= 0)
        memcpy(text, few, (size_t)len + 1);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

size_t arena_bytes(const struct arena *arena) {
    size_t bytes = 0;
    for (const struct arena_block *b = arena->blocks; b; b = b->next)
        bytes += sizeof *b + b->size;
    return bytes;
}

void arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
