/* SPDX-License-Identifier: MIT
 * Link-time values: arrays and scalars whose elements stand in constants of the text. */
#include "object/object.h"
#include "support/bits.h"

#include <inttypes.h>

uint32_t object_value_count(const struct value_decl *v) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < v->ndim; i++)
        n *= v->shape[i];
    return n;
}

bool object_value_holds(struct mpu_type t, uint64_t pattern) {
    if (t.kind == TYPE_INT)
        return (uint64_t)sign_extend(pattern, t.bits) == pattern;
    return pattern <= low_bits(t.bits);
}

const char *object_value_problem(const struct value_decl *v) {
    uint64_t count = 1;
    if (v->ndim > VALUE_MAX_DIMS)
        return "has more than 2 dimensions";
    for (uint32_t i = 0; i < v->ndim; i++) {
        if (v->shape[i] < 1 || v->shape[i] > VALUE_MAX_ELEMENTS)
            return "has an extent that is not in 1..65536";
        count *= v->shape[i];
    }
    if (count > VALUE_MAX_ELEMENTS)
        return "has more than 65536 elements";
    for (uint64_t i = 0; v->elements && i < count; i++)
        if (!object_value_holds(v->type, v->elements[i]))
            return "has a default that its type does not hold";
    return object_type_ok(v->type) ? NULL : "is of no known type";
}

void object_value_element_text(struct mpu_type t, uint64_t pattern, struct str *out) {
    if (t.kind == TYPE_INT)
        str_printf(out, "%" PRId64, (int64_t)pattern);
    else
        str_printf(out, "%" PRIu64, pattern);
}

static void put_shape(const struct value_decl *v, struct str *out) {
    for (uint32_t i = 0; i < v->ndim; i++)
        str_printf(out, "%s%" PRIu32, i ? ", " : "[", v->shape[i]);
    str_append(out, v->ndim ? "]" : "");
}

/* Runs of at least this many equal elements are written as one. */
#define SHORTEST_RUN 4

static uint32_t run_length(const struct value_decl *v, uint32_t at, uint32_t count) {
    uint32_t n = 1;
    while (at + n < count && v->elements[at + n] == v->elements[at])
        n++;
    return n < SHORTEST_RUN ? 1 : n;
}

static void put_elements(const struct value_decl *v, struct str *out) {
    uint32_t count = object_value_count(v);
    for (uint32_t i = 0, n; i < count; i += n) {
        n = run_length(v, i, count);
        str_append(out, i ? ", " : " = ");
        if (n > 1)
            str_printf(out, "dup(%" PRIu32 ", ", n);
        object_value_element_text(v->type, v->elements[i], out);
        str_append(out, n > 1 ? ")" : "");
    }
}

void object_value_text(const struct value_decl *v, struct str *out) {
    char type[8];
    object_type_text(v->type, type);
    str_printf(out, "%s: %s", v->name, type);
    put_shape(v, out);
    if (v->elements)
        put_elements(v, out);
}

void object_value_element(const struct object *o, uint32_t value, uint32_t element,
                          struct str *out) {
    const struct value_decl *v = &o->values.data[value];
    str_append(out, v->name);
    if (v->ndim == 1)
        str_printf(out, "[%" PRIu32 "]", element);
    else if (v->ndim == 2)
        str_printf(out, "[%" PRIu32 ", %" PRIu32 "]", element / v->shape[1], element % v->shape[1]);
}

uint32_t object_value_elements(const struct object *o, uint32_t *first) {
    uint32_t n = 0;
    for (size_t i = 0; i < o->values.len; i++) {
        if (first)
            first[i] = n;
        n += object_value_count(&o->values.data[i]);
    }
    return n;
}
