/* SPDX-License-Identifier: MIT
 * Counts are kept as registers come in. */
#include "linker/moves/register_set.h"

void package_register_set_add(struct register_set *set, uint64_t key, enum register_use use) {
    static const uint8_t read = 1u << USE_DATA | 1u << USE_INDEX;
    uint8_t *used = hash_table_put(&set->used, &key);
    if (*used >> use & 1)
        return;
    *used |= (uint8_t)(1u << use);
    set->uses[use]++;
    set->both += use != USE_WRITTEN && (*used & read) == read;
}

void package_register_set_clear(struct register_set *set) {
    memset(set->uses, 0, sizeof set->uses);
    set->both = 0;
    hash_table_clear(&set->used);
}

void package_register_set_free(struct register_set *set) {
    hash_table_free(&set->used);
}
