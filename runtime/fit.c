/* SPDX-License-Identifier: MIT
 * A program has the shapes that it was compiled for.  For an array of another shape this finds the
 * constants of the source that would make it fit. */
#include "runtime/place.h"

#include <string.h>

/* The extents of the array that one constant is are all the same, so that it has one value. */
static bool is_of_one_mind(const struct object *object, const char *name,
                           const struct ndarray *array, const char *constant, uint64_t value) {
    for (uint32_t i = 0; i < array->ndim; i++) {
        const char *other = object_constant_of(object, name, i);
        if (other && strcmp(other, constant) == 0 && array->shape[i] != value)
            return false;
    }
    return true;
}

static bool was_named(const struct object *object, const char *name, uint32_t dimension) {
    const char *constant = object_constant_of(object, name, dimension);
    for (uint32_t i = 0; i < dimension; i++) {
        const char *before = object_constant_of(object, name, i);
        if (before && strcmp(before, constant) == 0)
            return true;
    }
    return false;
}

void session_note_fitting_constants(const struct object *object, const char *name,
                                    const uint64_t *shape, const struct ndarray *array,
                                    struct diag *diag) {
    struct str now = {0}, fitting = {0};
    bool fits = true;
    for (uint32_t i = 0; i < array->ndim && fits; i++) {
        const char *constant = object_constant_of(object, name, i);
        if (array->shape[i] == shape[i])
            continue;
        fits = array->shape[i] && constant &&
               is_of_one_mind(object, name, array, constant, array->shape[i]);
        if (!fits || was_named(object, name, i))
            continue;
        str_printf(&now, "%s%s = %llu", now.len ? ", " : "", constant,
                   (unsigned long long)shape[i]);
        str_printf(&fitting, " -D %s=%llu", constant, (unsigned long long)array->shape[i]);
    }
    if (fits && now.len)
        diag_note(diag, NO_SPAN,
                  "the program is compiled for %s; compiled with%s it takes this array",
                  str_text(&now), str_text(&fitting));
    str_free(&now);
    str_free(&fitting);
}
