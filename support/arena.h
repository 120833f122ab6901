/* SPDX-License-Identifier: MIT
 * Memory by phase: everything a unit allocates is released in one call.
 * A zeroed struct arena is empty and ready for use. */
#ifndef SUPPORT_ARENA_H
#define SUPPORT_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

/* Zeroed memory, aligned to 16 bytes; never NULL. */
void *arena_alloc(struct arena *arena, size_t size);
/* As arena_alloc for an array; overflow of count * size ends in alloc.h's exit. */
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t n);
/* All n bytes, NULs among them too, and a NUL behind them: the text of a file with its size. */
char *arena_copy(struct arena *arena, const char *bytes, size_t n);
/* The text and behind it the number, in decimal: as names are that nobody chose. */
char *arena_name(struct arena *arena, const char *text, uint64_t number);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Bytes that it has taken, about. */
size_t arena_bytes(const struct arena *arena);
/* Releases everything; the arena is empty again. */
void arena_free(struct arena *arena);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, count, type) ((type *)arena_array((arena), (count), sizeof(type)))

#endif
