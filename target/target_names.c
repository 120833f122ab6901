/* SPDX-License-Identifier: MIT
 * The built-in targets, which are the files in targets/ itself.  Their names and summaries are
 * constants of the build, cut out of the files when first asked for. */
#include "target/load.h"

#include "isa-spec/builtin.h"

#include <pthread.h>
#include <string.h>

#define MAX_TARGETS 64

static struct {
    pthread_once_t once;
    struct arena arena;
    const char *names[MAX_TARGETS], *summaries[MAX_TARGETS];
    size_t count;
} table = {.once = PTHREAD_ONCE_INIT};

static const char *summary_of(const struct builtin_file *file) {
    struct diag *d = diag_new(NULL, NULL);
    struct yaml_node *root = target_yaml_parse(&table.arena, 0, file->text, file->size, d);
    const struct yaml_node *n = root ? target_node_find(root, "summary") : NULL;
    diag_free(d);
    return n && n->kind == NODE_SCALAR ? n->text : "";
}

/* "racer" of "targets/racer.yaml"; NULL for files of other folders and below targets/. */
static const char *name_of(const char *path) {
    static const char prefix[] = "targets/";
    size_t n = strlen(path);
    if (strncmp(path, prefix, sizeof prefix - 1) != 0 || n < sizeof prefix + 5)
        return NULL;
    path += sizeof prefix - 1;
    return strchr(path, '/') ? NULL
                             : arena_strndup(&table.arena, path, n - (sizeof prefix - 1) - 5);
}

/* Files are sorted by path, where "racer-oscar.yaml" comes before "racer.yaml". */
static void insert(const char *name, const char *summary) {
    size_t at = table.count++;
    for (; at > 0 && strcmp(table.names[at - 1], name) > 0; at--) {
        table.names[at] = table.names[at - 1];
        table.summaries[at] = table.summaries[at - 1];
    }
    table.names[at] = name;
    table.summaries[at] = summary;
}

static void fill_table(void) {
    size_t count;
    const struct builtin_file *files = isa_builtin_files(&count);
    for (size_t i = 0; i < count && table.count < MAX_TARGETS; i++) {
        const char *name = name_of(files[i].path);
        if (name)
            insert(name, summary_of(&files[i]));
    }
}

const char *const *target_names(size_t *count) {
    pthread_once(&table.once, fill_table);
    *count = table.count;
    return table.names;
}

const char *target_summary(const char *name) {
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return table.summaries[i];
    return NULL;
}

bool target_is_own(const struct target *target) {
    return isa_builtin_find(target->path) == NULL;
}
