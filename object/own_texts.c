/* SPDX-License-Identifier: MIT
 * Second texts of a program, for machines without room for the first: sections that are files. */
#include "object/check_object.h"
#include "object/read.h"

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

/* What is put in and out has the same names in both, in the same order. */
static bool same_names(const struct object *left, const struct object *right) {
    bool same = left->vars.len == right->vars.len && left->values.len == right->values.len;
    for (size_t i = 0; same && i < left->vars.len; i++)
        same = strcmp(left->vars.data[i].name, right->vars.data[i].name) == 0;
    for (size_t i = 0; same && i < left->values.len; i++)
        same = strcmp(left->values.data[i].name, right->values.data[i].name) == 0;
    return same;
}

void object_check_own_texts(struct check *check) {
    const struct object *o = check->o;
    if (o->own_texts.len > OBJECT_MAX_OWN_TEXTS)
        object_check_fail(check, "there are more than %d texts of single machines",
                          OBJECT_MAX_OWN_TEXTS);
    for (size_t i = 0; i < o->own_texts.len && check->ok; i++) {
        const struct own_text *t = &o->own_texts.data[i];
        if (!object_machines_ok(t->machines))
            object_check_fail(check, "a text is for machines with impossible names");
        else if (t->program->own_texts.len || t->program->linked != o->linked ||
                 !same_names(o, t->program))
            object_check_fail(check, "the text of '%.100s' is not one of this program",
                              t->machines);
    }
}

void object_read_own_text(struct object_reader *reader, const char *machines, size_t offset,
                          const void *bytes, size_t size) {
    if (reader->inner || reader->o->own_texts.len == OBJECT_MAX_OWN_TEXTS) {
        object_read_fail(reader, offset, "a text of single machines stands where none may");
        return;
    }
    struct object *text = object_read_inner(reader, bytes, size);
    if (text)
        object_add_own_text(reader->o, machines, text);
    else
        object_read_fail(reader, offset, "the text of '%.100s' cannot be read", machines);
}
