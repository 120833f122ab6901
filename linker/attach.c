/* SPDX-License-Identifier: MIT
 * A package into the program that it was built for. */
#include "linker/package.h"

#include <string.h>

/* The blob of a target's name, made if there is none yet. */
static struct package_blob *blob_of(struct object *o, const char *target) {
    for (size_t i = 0; i < o->packages.len; i++)
        if (strcmp(o->packages.data[i].target, target) == 0)
            return &o->packages.data[i];
    struct package_blob blob = {.target = arena_strdup(&o->arena, target)};
    vec_push(&o->packages, blob);
    return &vec_last(&o->packages);
}

void package_attach(struct object *program, const struct package *p) {
    struct str bytes = {0};
    struct package_blob *blob = blob_of(program, p->target);
    package_write(p, &bytes);
    char *copy = arena_alloc(&program->arena, bytes.len);
    memcpy(copy, bytes.text, bytes.len);
    blob->bytes = copy;
    blob->size = bytes.len;
    str_free(&bytes);
}
