/* SPDX-License-Identifier: MIT
 * Registers of VRFs, each once, and what they are used for: those that a part of a move reads and
 * writes.  Elements ask for them one by one, so that it is a table without allocation for each. */
#ifndef LINKER_REGISTER_SET_H
#define LINKER_REGISTER_SET_H

#include <stddef.h>
#include <stdint.h>

enum register_use { USE_DATA, USE_INDEX, USE_WRITTEN, REGISTER_USES };

struct register_entry {
    uint64_t key;
    uint32_t round; /* it is there if this is the set's */
    uint8_t uses;   /* bit u */
};
/* Zeroed: an empty one. */
struct register_set {
    struct register_entry *list; /* [room], a power of two, or none */
    size_t room, count;
    uint32_t round;
    uint64_t uses[REGISTER_USES]; /* registers used so */
    uint64_t both;                /* read as data and as indices */
};

static inline uint64_t register_key(uint32_t vrf, unsigned reg) {
    return (uint64_t)vrf << 8 | reg;
}

/* Where to look for a key first in a table of `room`, a power of two up to 2^32. */
static inline size_t register_slot(uint64_t key, size_t room) {
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
}

void package_register_set_add(struct register_set *s, uint64_t key, enum register_use use);
/* Nothing is in it then; its room is kept. */
void package_register_set_clear(struct register_set *s);
void package_register_set_free(struct register_set *s);

#endif
