/* SPDX-License-Identifier: MIT
 * Targets and recipes as C arrays, sorted by path. */
#include "isa-spec/gen/gen.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void emit_bytes(struct text *o, unsigned number, const unsigned char *data, size_t size) {
    text_printf(o, "static const char text_%u[] = {\n", number);
    for (size_t i = 0; i <= size; i++) /* with the NUL behind it */
        text_printf(o, "%d,%s", (signed char)data[i], i % 24 == 23 || i == size ? "\n" : "");
    text_add(o, "};\n");
}

bool emit_builtin(struct pool *p, const char *dir, const char *root, char *const *paths,
                  unsigned count) {
    struct text o = {.pool = p}, list = {.pool = p};
    char **sorted = pool_alloc(p, (count + 1) * sizeof *sorted);
    memcpy(sorted, paths, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_path);
    text_add(&o, "/* SPDX-License-Identifier: MIT\n * Built-in targets and recipes.\n"
                 " * Generated from isa-spec/ by isa-gen; changes are lost. */\n");
    for (unsigned i = 0; i < count; i++) {
        size_t size;
        char *text = file_text(p, pool_printf(p, "%s/%s", root, sorted[i]), &size);
        if (!text)
            return false;
        emit_bytes(&o, i, (const unsigned char *)text, size);
        text_printf(&list, "    {\"%s\", text_%u, %zu},\n", sorted[i], i, size);
    }
    text_printf(&o, "#define BUILTIN_COUNT %u\n", count);
    text_add(&o, "static const struct builtin_file builtin_list[BUILTIN_COUNT + 1] = {\n");
    text_add_n(&o, list.data ? list.data : "", list.len);
    text_add(&o, "    {0, 0, 0},\n};\n");
    return text_write(&o, dir, "builtin_files.inc");
}
