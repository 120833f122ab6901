/* SPDX-License-Identifier: MIT
 * Targets and recipes as C arrays, sorted by path. */
#include "isa-spec/gen/gen.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void emit_bytes(struct gen_text *out, unsigned number, const unsigned char *data,
                       size_t size) {
    gen_text_printf(out, "static const char text_%u[] = {\n", number);
    for (size_t i = 0; i <= size; i++) /* with the NUL behind it */
        gen_text_printf(out, "%d,%s", (signed char)data[i], i % 24 == 23 || i == size ? "\n" : "");
    gen_text_add(out, "};\n");
}

bool gen_emit_builtin(struct gen_pool *pool, const char *dir, const char *root, char *const *paths,
                      unsigned count) {
    struct gen_text o = {.pool = pool}, list = {.pool = pool};
    char **sorted = gen_alloc(pool, (count + 1) * sizeof *sorted);
    memcpy(sorted, paths, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_path);
    gen_text_add(&o, "/* SPDX-License-Identifier: MIT\n * Built-in targets and recipes.\n"
                     " * Generated from isa-spec/ by isa-gen; changes are lost. */\n");
    for (unsigned i = 0; i < count; i++) {
        size_t size;
        char *text = gen_read_file(pool, gen_printf(pool, "%s/%s", root, sorted[i]), &size);
        if (!text)
            return false;
        emit_bytes(&o, i, (const unsigned char *)text, size);
        gen_text_printf(&list, "    {\"%s\", text_%u, %zu},\n", sorted[i], i, size);
    }
    gen_text_printf(&o, "#define BUILTIN_COUNT %u\n", count);
    gen_text_add(&o, "static const struct builtin_file builtin_list[BUILTIN_COUNT + 1] = {\n");
    gen_text_add_n(&o, list.data ? list.data : "", list.len);
    gen_text_add(&o, "    {0, 0, 0},\n};\n");
    return gen_text_write(&o, dir, "builtin_files.inc");
}
