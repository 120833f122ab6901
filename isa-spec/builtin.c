/* SPDX-License-Identifier: MIT */
#include "isa-spec/builtin.h"

#include <string.h>

#include "builtin_files.inc"

const struct builtin_file *isa_builtin_files(size_t *count) {
    *count = BUILTIN_COUNT;
    return builtin_list;
}

const struct builtin_file *isa_builtin_find(const char *path) {
    size_t low = 0, high = BUILTIN_COUNT;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(path, builtin_list[mid].path);
        if (order == 0)
            return &builtin_list[mid];
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}
