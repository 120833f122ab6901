/* SPDX-License-Identifier: MIT
 * A package into the program that it was built for. */
#include "linker/package.h"

#include <string.h>

/* The blob of a target's name, made if there is none yet. */
static struct package_blob *blob_of(struct object *object, const char *target) {
    for (size_t i = 0; i < object->packages.len; i++)
        if (strcmp(object->packages.data[i].target, target) == 0)
            return &object->packages.data[i];
    struct package_blob blob = {.target = arena_strdup(&object->arena, target)};
    vec_push(&object->packages, blob);
    return &vec_last(&object->packages);
}

void package_attach(struct object *program, const struct package *package) {
    struct str bytes = {0};
    struct package_blob *blob = blob_of(program, package->target);
    package_write(package, &bytes);
    char *copy = arena_alloc(&program->arena, bytes.len);
    memcpy(copy, bytes.text, bytes.len);
    blob->bytes = copy;
    blob->size = bytes.len;
    str_free(&bytes);
}
