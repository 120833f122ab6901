/* SPDX-License-Identifier: MIT
 * Link-time values: what they are bound to. */
#include "linker/package/pack.h"

#include <inttypes.h>
#include <string.h>

static const struct size_binding *find_binding(const char *name,
                                               const struct size_binding *bindings, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bindings[i].elements && strcmp(bindings[i].name, name) == 0)
            return &bindings[i];
    return NULL;
}

static bool copy_elements(const struct value_decl *decl, const uint64_t *from, uint64_t *to) {
    uint32_t count = object_value_count(decl);
    memcpy(to, from, count * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        if (!object_value_holds(decl->type, to[i]))
            return false;
    return true;
}

static bool bind_value(const struct object *object, const struct value_decl *decl,
                       const struct size_binding *binding, uint64_t *to, struct diag *diag) {
    const uint64_t *from = binding ? binding->elements : decl->elements;
    if (!from && diag)
        diag_error(diag, object_span(object, decl->place, diag),
                   "value '%s' has no elements; give it a default, or elements when the program is "
                   "run: --in %s=%s",
                   decl->name, decl->name, decl->ndim ? "1,2,..." : "1");
    if (from && copy_elements(decl, from, to))
        return true;
    if (from && diag)
        diag_error(diag, object_span(object, decl->place, diag),
                   "value '%s' gets what its type does not hold", decl->name);
    return false;
}

bool link_bind_values(const struct object *object, const struct size_binding *bindings,
                      size_t count, uint64_t *elements, struct diag *diag) {
    bool ok = true;
    for (size_t i = 0; i < object->values.len; i++) {
        const struct value_decl *v = &object->values.data[i];
        ok = bind_value(object, v, find_binding(v->name, bindings, count), elements, diag) && ok;
        elements += object_value_count(v);
    }
    return ok;
}

/* Of each value so many of its elements are shown. */
#define SHOWN 16

void package_print_values(const struct package *package, const struct object *object,
                          struct str *out) {
    const uint64_t *elements = package->values;
    if (object->values.len)
        str_append(out, "  values\n");
    for (size_t i = 0; i < object->values.len; i++) {
        const struct value_decl *v = &object->values.data[i];
        uint32_t count = object_value_count(v);
        str_printf(out, "    %-20s", v->name);
        for (uint32_t k = 0; k < count && k < SHOWN; k++) {
            str_char(out, ' ');
            object_pattern_text(v->type, elements[k], out);
        }
        str_append(out, count > SHOWN ? " ...\n" : "\n");
        elements += count;
    }
}
