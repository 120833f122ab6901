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
    str_char(str, (char)(unsigned char)value);
}
static inline void put_u32(struct str *str, uint32_t value) {
    char b[4] = {(char)(value & 255), (char)(value >> 8 & 255), (char)(value >> 16 & 255),
                 (char)(value >> 24)};
    str_append_n(str, b, sizeof b);
}
static inline void put_u64(struct str *str, uint64_t value) {
    put_u32(str, (uint32_t)value);
    put_u32(str, (uint32_t)(value >> 32));
}

#endif
