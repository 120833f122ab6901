/* SPDX-License-Identifier: MIT
 * isa-gen c OUT TABLE...              isa_ops.h, *.inc
 * isa-gen builtin OUT ROOT PATH...    isa_builtin_files.inc, of files below ROOT
 * isa-gen docs OUT COSTS TABLE...     reference pages
 * isa-gen editors OUT KEYWORDS TABLE...   OUT/vim, OUT/vscode, OUT/emacs
 * isa-gen check TABLE... */
#include "isa-spec/gen/gen.h"

#include <stdio.h>
#include <string.h>

/* 0 if the tables are good. */
static int load(struct isa_table *t, int count, char **paths) {
    for (int i = 0; i < count; i++)
        gen_table_parse(t, paths[i]);
    if (t->errors == 0)
        gen_table_check(t);
    return t->errors ? 1 : 0;
}

static int run_tables(struct isa_table *t, int argc, char **argv) {
    const char *mode = argv[1];
    struct keywords k = {.count = 0};
    struct costs c;
    if (strcmp(mode, "check") == 0)
        return load(t, argc - 2, argv + 2);
    if (strcmp(mode, "c") == 0 && argc > 3)
        return load(t, argc - 3, argv + 3) || !gen_emit_c(t, argv[2]);
    if (strcmp(mode, "docs") == 0 && argc > 4)
        return load(t, argc - 4, argv + 4) || !gen_costs_parse(t, argv[3], &c) ||
               !gen_emit_docs(t, &c, argv[2]);
    if (strcmp(mode, "editors") == 0 && argc > 4)
        return load(t, argc - 4, argv + 4) || !gen_keywords_parse(t, argv[3], &k) ||
               !gen_emit_vim(t, &k, argv[2]) || !gen_emit_textmate(t, &k, argv[2]) ||
               !gen_emit_emacs(t, &k, argv[2]);
    fprintf(stderr, "usage: isa-gen c|builtin|docs|editors|check ...\n");
    return 2;
}

int main(int argc, char **argv) {
    struct gen_pool pool = {NULL};
    int result;
    if (argc > 3 && strcmp(argv[1], "builtin") == 0) {
        result = !gen_emit_builtin(&pool, argv[2], argv[3], argv + 4, (unsigned)(argc - 4));
    } else if (argc > 2) {
        struct isa_table *t = gen_table_new(&pool);
        result = run_tables(t, argc, argv);
        fputs(t->messages.data ? t->messages.data : "", stderr);
    } else {
        fprintf(stderr, "usage: isa-gen c|builtin|docs|editors|check ...\n");
        result = 2;
    }
    gen_pool_free(&pool);
    return result;
}
