/* SPDX-License-Identifier: MIT
 * Targets and recipes as C arrays, sorted by path. */
#include "isa-spec/gen/gen.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void emit_bytes(struct gen_text *o, unsigned number, const unsigned char *data,
                       size_t size) {
    gen_text_printf(o, "static const char text_%u[] = {\n", number);
    for (size_t i = 0; i <= size; i++) /* with the NUL behind it */
        gen_text_printf(o, "%d,%s", (signed char)data[i], i % 24 == 23 || i == size ? "\n" : "");
    gen_text_add(o, "};\n");
}

bool gen_emit_builtin(struct gen_pool *p, const char *dir, const char *root, char *const *paths,
                      unsigned count) {
    struct gen_text o = {.pool = p}, list = {.pool = p};
    char **sorted = gen_alloc(p, (count + 1) * sizeof *sorted);
    memcpy(sorted, paths, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_path);
    gen_text_add(&o, "/* SPDX-License-Identifier: MIT\n * Built-in targets and recipes.\n"
                     " * Generated from isa-spec/ by isa-gen; changes are lost. */\n");
    for (unsigned i = 0; i < count; i++) {
        size_t size;
        char *text = gen_read_file(p, gen_printf(p, "%s/%s", root, sorted[i]), &size);
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
