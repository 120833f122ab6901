/* SPDX-License-Identifier: MIT
 * Little-endian numbers in byte strings, whatever the host's order and alignment. */
#ifndef OBJECT_BYTES_H
#define OBJECT_BYTES_H

#include "support/str.h"

static inline uint32_t get_u16(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}
static inline uint32_t get_u32(const unsigned char *bytes) {
    return get_u16(bytes) | get_u16(bytes + 2) << 16;
}
static inline uint64_t get_u64(const unsigned char *bytes) {
    return (uint64_t)get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32;
}

static inline void put_u8(struct str *str, unsigned value) {
    *str_extend(str, 1) = (char)(unsigned char)value;
}
static inline void put_u32(struct str *str, uint32_t value) {
    char *at = str_extend(str, 4);
    for (unsigned i = 0; i < 4; i++)
        at[i] = (char)(value >> 8 * i & 255);
}
static inline void put_u64(struct str *str, uint64_t value) {
    char *at = str_extend(str, 8);
    for (unsigned i = 0; i < 8; i++)
        at[i] = (char)(value >> 8 * i & 255);
}

#endif
