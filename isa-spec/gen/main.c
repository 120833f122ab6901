/* SPDX-License-Identifier: MIT
 * isa-gen c OUT TABLE...              isa_ops.h, *.inc
 * isa-gen builtin OUT ROOT PATH...    builtin_files.inc, of files below ROOT
 * isa-gen check TABLE... */
#include "isa-spec/gen/gen.h"

#include <stdio.h>
#include <string.h>

/* 0 if the tables are good. */
static int load(struct table *t, int count, char **paths) {
    for (int i = 0; i < count; i++)
        table_parse(t, paths[i]);
    if (t->errors == 0)
        table_check(t);
    return t->errors ? 1 : 0;
}

static int run_tables(struct table *t, int argc, char **argv) {
    const char *mode = argv[1];
    if (strcmp(mode, "check") == 0)
        return load(t, argc - 2, argv + 2);
    if (strcmp(mode, "c") == 0 && argc > 3)
        return load(t, argc - 3, argv + 3) || !emit_c(t, argv[2]);
    fprintf(stderr, "usage: isa-gen c|builtin|check ...\n");
    return 2;
}

int main(int argc, char **argv) {
    struct pool pool = {NULL};
    int result;
    if (argc > 3 && strcmp(argv[1], "builtin") == 0) {
        result = !emit_builtin(&pool, argv[2], argv[3], argv + 4, (unsigned)(argc - 4));
    } else if (argc > 2) {
        struct table *t = pool_alloc(&pool, sizeof *t);
        t->pool = &pool;
        result = run_tables(t, argc, argv);
    } else {
        fprintf(stderr, "usage: isa-gen c|builtin|check ...\n");
        result = 2;
    }
    pool_free(&pool);
    return result;
}
