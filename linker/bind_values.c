/* SPDX-License-Identifier: MIT
 * Link-time values: what they are bound to. */
#include "linker/pack.h"

#include <inttypes.h>
#include <string.h>

static const struct size_binding *find_binding(const char *name,
                                               const struct size_binding *bindings, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bindings[i].elements && strcmp(bindings[i].name, name) == 0)
            return &bindings[i];
    return NULL;
}

static bool copy_elements(const struct value_decl *v, const uint64_t *from, uint64_t *to) {
    uint32_t count = object_value_count(v);
    memcpy(to, from, count * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        if (!object_value_holds(v->type, to[i]))
            return false;
    return true;
}

static bool bind_value(const struct object *o, const struct value_decl *v,
                       const struct size_binding *b, uint64_t *to, struct diag *d) {
    const uint64_t *from = b ? b->elements : v->elements;
    if (!from && d)
        diag_error(d, object_span(o, v->place, d),
                   "value '%s' has no elements; give it a default, or elements when the program is "
                   "run: --in %s=%s",
                   v->name, v->name, v->ndim ? "1,2,..." : "1");
    if (from && copy_elements(v, from, to))
        return true;
    if (from && d)
        diag_error(d, object_span(o, v->place, d), "value '%s' gets what its type does not hold",
                   v->name);
    return false;
}

bool link_bind_values(const struct object *o, const struct size_binding *bindings, size_t count,
                      uint64_t *elements, struct diag *d) {
    bool ok = true;
    for (size_t i = 0; i < o->values.len; i++) {
        const struct value_decl *v = &o->values.data[i];
        ok = bind_value(o, v, find_binding(v->name, bindings, count), elements, d) && ok;
        elements += object_value_count(v);
    }
    return ok;
}

/* Of each value so many of its elements are shown. */
#define SHOWN 16

void package_print_values(const struct package *p, const struct object *o, struct str *out) {
    const uint64_t *elements = p->values;
    if (o->values.len)
        str_append(out, "  values\n");
    for (size_t i = 0; i < o->values.len; i++) {
        const struct value_decl *v = &o->values.data[i];
        uint32_t count = object_value_count(v);
        str_printf(out, "    %-20s", v->name);
        for (uint32_t k = 0; k < count && k < SHOWN; k++) {
            str_char(out, ' ');
            object_value_element_text(v->type, elements[k], out);
        }
        str_append(out, count > SHOWN ? " ...\n" : "\n");
        elements += count;
    }
}
