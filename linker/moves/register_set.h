/* SPDX-License-Identifier: MIT
 * Registers of VRFs, each once, and what they are used for: those that a part of a move reads and
 * writes. */
#ifndef LINKER_MOVES_REGISTER_SET_H
#define LINKER_MOVES_REGISTER_SET_H

#include "support/hash_table.h"

enum register_use { USE_DATA, USE_INDEX, USE_WRITTEN, REGISTER_USES };

/* Zeroed: an empty one. */
struct register_set {
    HASH_TABLE(uint64_t, uint8_t) used; /* bit u: for use u */
    uint64_t uses[REGISTER_USES];       /* registers used so */
    uint64_t both;                      /* read as data and as indices */
};

static inline uint64_t register_key(uint32_t vrf, unsigned reg) {
    return (uint64_t)vrf << 8 | reg;
}

void package_register_set_add(struct register_set *set, uint64_t key, enum register_use use);
/* Nothing is in it then; its room is kept. */
void package_register_set_clear(struct register_set *set);
void package_register_set_free(struct register_set *set);

#endif
