/* SPDX-License-Identifier: MIT
 * Link-time values: arrays and scalars whose elements stand in constants of the text. */
#include "object/object.h"
#include "support/bits.h"

#include <inttypes.h>

uint32_t object_value_count(const struct value_decl *decl) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < decl->ndim; i++)
        n *= decl->shape[i];
    return n;
}

bool object_value_holds(struct lane_type type, uint64_t pattern) {
    if (type.kind == TYPE_INT)
        return (uint64_t)sign_extend(pattern, type.bits) == pattern;
    return pattern <= low_bits(type.bits);
}

const char *object_value_problem(const struct value_decl *decl) {
    uint64_t count = 1;
    if (decl->ndim > VALUE_MAX_DIMS)
        return "has more than 2 dimensions";
    for (uint32_t i = 0; i < decl->ndim; i++) {
        if (decl->shape[i] < 1 || decl->shape[i] > VALUE_MAX_ELEMENTS)
            return "has an extent that is not in 1..65536";
        count *= decl->shape[i];
    }
    if (count > VALUE_MAX_ELEMENTS)
        return "has more than 65536 elements";
    for (uint64_t i = 0; decl->elements && i < count; i++)
        if (!object_value_holds(decl->type, decl->elements[i]))
            return "has a default that its type does not hold";
    return object_type_ok(decl->type) ? NULL : "is of no known type";
}

static void put_shape(const struct value_decl *decl, struct str *out) {
    for (uint32_t i = 0; i < decl->ndim; i++)
        str_printf(out, "%s%" PRIu32, i ? ", " : "[", decl->shape[i]);
    str_append(out, decl->ndim ? "]" : "");
}

/* Runs of at least this many equal elements are written as one. */
#define SHORTEST_RUN 4

static uint32_t run_length(const struct value_decl *decl, uint32_t at, uint32_t count) {
    uint32_t n = 1;
    while (at + n < count && decl->elements[at + n] == decl->elements[at])
        n++;
    return n < SHORTEST_RUN ? 1 : n;
}

static void put_elements(const struct value_decl *decl, struct str *out) {
    uint32_t count = object_value_count(decl);
    for (uint32_t i = 0, n; i < count; i += n) {
        n = run_length(decl, i, count);
        str_append(out, i ? ", " : " = ");
        if (n > 1)
            str_printf(out, "dup(%" PRIu32 ", ", n);
        object_pattern_source(decl->type, decl->elements[i], out);
        str_append(out, n > 1 ? ")" : "");
    }
}

void object_value_text(const struct value_decl *decl, struct str *out) {
    char type[8];
    object_type_text(decl->type, type);
    str_printf(out, "%s: %s", decl->name, type);
    put_shape(decl, out);
    if (decl->elements)
        put_elements(decl, out);
}

void object_value_element(const struct object *object, uint32_t value, uint32_t element,
                          struct str *out) {
    const struct value_decl *v = &object->values.data[value];
    str_append(out, v->name);
    if (v->ndim == 1)
        str_printf(out, "[%" PRIu32 "]", element);
    else if (v->ndim == 2)
        str_printf(out, "[%" PRIu32 ", %" PRIu32 "]", element / v->shape[1], element % v->shape[1]);
}

uint32_t object_value_elements(const struct object *object, uint32_t *first) {
    uint32_t n = 0;
    for (size_t i = 0; i < object->values.len; i++) {
        if (first)
            first[i] = n;
        n += object_value_count(&object->values.data[i]);
    }
    return n;
}
