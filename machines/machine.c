/* SPDX-License-Identifier: MIT */
#include "machines/machine.h"
#include "recipe/recipe.h"
#include "support/file.h"
#include "target/load.h"

#include <stdlib.h>

const struct machine *machine_of(const struct target *t) {
    for (size_t i = 0; machine_list[i]; i++)
        if (machine_list[i]->kind == t->kind)
            return machine_list[i];
    return NULL; /* a target is of a kind that is in both lists */
}

const struct machine_format *machine_formats(const struct target *t) {
    return machine_of(t)->formats;
}

static enum target_fault why_not_open(const char *name) {
    size_t size;
    if (!target_is_path(name))
        return TARGET_UNKNOWN;
    char *text = file_read(name, &size);
    free(text);
    return text ? TARGET_REJECTED : TARGET_UNREADABLE;
}

enum target_fault machine_open_target(const char *name, const struct target_override *overrides,
                                      size_t count, struct diag *d, struct target **target,
                                      struct machine_library **library) {
    *library = NULL;
    *target = target_open(name, overrides, count, d);
    if (!*target)
        return why_not_open(name);
    *library = machine_library_open(*target, NULL, 0, d);
    if (*library)
        return TARGET_FINE;
    target_free(*target);
    *target = NULL;
    return TARGET_REJECTED;
}

struct machine_library *machine_library_open(const struct target *t, const struct user_file *files,
                                             size_t count, struct diag *d) {
    struct recipe_contracts *contracts = count ? recipe_contracts_open(t, files, count, d) : NULL;
    struct machine_library *l =
        contracts || !count ? machine_of(t)->open(t, files, count, d) : NULL;
    if (!l) {
        recipe_contracts_free(contracts);
        return NULL;
    }
    l->machine = machine_of(t);
    l->target = t;
    l->contracts = contracts;
    return l;
}

void machine_library_close(struct machine_library *l) {
    if (!l)
        return;
    recipe_contracts_free(l->contracts);
    l->machine->close(l);
}

void machine_code_free(struct machine_code *c) {
    if (c)
        c->machine->free(c);
}
