/* SPDX-License-Identifier: MIT
 * Little-endian numbers in byte strings, whatever the host's order and alignment. */
#ifndef OBJECT_BYTES_H
#define OBJECT_BYTES_H

#include "support/str.h"

static inline uint32_t get_u16(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}
static inline uint32_t get_u32(const unsigned char *p) {
    return get_u16(p) | get_u16(p + 2) << 16;
}
static inline uint64_t get_u64(const unsigned char *p) {
    return (uint64_t)get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

static inline void put_u8(struct str *s, unsigned v) {
    str_char(s, (char)(unsigned char)v);
}
static inline void put_u32(struct str *s, uint32_t v) {
    char b[4] = {(char)(v & 255), (char)(v >> 8 & 255), (char)(v >> 16 & 255), (char)(v >> 24)};
    str_append_n(s, b, sizeof b);
}
static inline void put_u64(struct str *s, uint64_t v) {
    put_u32(s, (uint32_t)v);
    put_u32(s, (uint32_t)(v >> 32));
}

#endif
