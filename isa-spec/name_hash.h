/* SPDX-License-Identifier: MIT
 * Hash of a mnemonic, case ignored: the generator lays out the table that isa_find probes. */
#ifndef ISA_SPEC_NAME_HASH_H
#define ISA_SPEC_NAME_HASH_H

#include <stddef.h>
#include <stdint.h>

#define NAME_SLOTS 1024 /* a power of two, at least three times the number of mnemonics */

static inline unsigned char name_upper(char character) {
    return (unsigned char)(character >= 'a' && character <= 'z' ? character - 'a' + 'A'
                                                                : character);
}

/* FNV-1a (Fowler, Noll, Vo), 32 bits. */
static inline uint32_t name_hash(const char *name, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ name_upper(name[i])) * 16777619u;
    return h;
}

#endif
