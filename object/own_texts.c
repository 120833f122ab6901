/* SPDX-License-Identifier: MIT
 * Second texts of a program, for machines without room for the first: sections that are files. */
#include "object/object.h"

#include <string.h>

bool object_machines_ok(const char *machines) {
    char piece[OBJECT_MAX_NAME + 1];
    for (;; machines++) {
        size_t n = strcspn(machines, ",");
        if (n > OBJECT_MAX_NAME)
            return false;
        memcpy(piece, machines, n);
        piece[n] = '\0';
        machines += n;
        if (!object_target_ok(piece))
            return false;
        if (!*machines)
            return true;
    }
}

void object_add_own_text(struct object *object, const char *machines, struct object *text) {
    const struct own_text t = {arena_strdup(&object->arena, machines), text};
    vec_push(&object->own_texts, t);
}
