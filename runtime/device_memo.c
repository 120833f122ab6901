/* SPDX-License-Identifier: MIT
 * What a device remembers of keys, within bounds: two maps, of which the older one is dropped when
 * the younger one is full. */
#include "runtime/device.h"

bool device_memo_put(struct device_memo *memo, const char *key, size_t size, uint64_t value) {
    bool fresh = !map_get_n(&memo->young, key, size) && !map_get_n(&memo->old, key, size);
    if (memo->young.len >= DEVICE_MEMO) {
        map_free(&memo->old);
        memo->old = memo->young;
        memo->young = (struct map){0};
    }
    map_put_n(&memo->young, key, size, value);
    return fresh;
}

bool device_memo_get(struct device_memo *memo, const char *key, size_t size, uint64_t *value) {
    const uint64_t *known = map_get_n(&memo->young, key, size);
    if (!known && (known = map_get_n(&memo->old, key, size))) {
        *value = *known;
        device_memo_put(memo, key, size, *value);
        return true;
    }
    if (known)
        *value = *known;
    return known != NULL;
}

void device_memo_free(struct device_memo *memo) {
    map_free(&memo->young);
    map_free(&memo->old);
}
