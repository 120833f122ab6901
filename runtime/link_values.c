/* SPDX-License-Identifier: MIT
 * Link-time values of a session: what is put to one stands in the text that its package is made of.
 */
#include "runtime/internal.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void shape_of(const struct value_decl *v, uint64_t shape[ARRAY_MAX_DIMS]) {
    for (uint32_t i = 0; i < v->ndim; i++)
        shape[i] = v->shape[i];
}

void link_value_like(const struct value_decl *v, struct array *like, struct element_type *held) {
    *like = (struct array){.type = host_type(v->type), .ndim = v->ndim};
    shape_of(v, like->shape);
    *held = (struct element_type){like->type.kind, v->type.bits};
}

static bool same_shape(const struct value_decl *v, const struct array *a) {
    uint64_t shape[ARRAY_MAX_DIMS];
    shape_of(v, shape);
    return a->ndim == v->ndim && memcmp(a->shape, shape, v->ndim * sizeof *shape) == 0;
}

/* Numbers from a text have the shape of the value if they are as many. */
static mpu_result check_shape(const mpu_session *s, const struct value_decl *v,
                              enum source_form form, const struct array *a, struct diag *d) {
    struct array want = {.ndim = v->ndim};
    struct str have_text = {0}, want_text = {0};
    if (same_shape(v, a) ||
        (form == FORM_TEXT && a->ndim <= 1 && a->count == object_value_count(v)))
        return MPU_OK;
    shape_of(v, want.shape);
    array_shape_text(a, &have_text);
    array_shape_text(&want, &want_text);
    diag_error(d, NO_SPAN, "the array for '%s' has shape %s; the link-time value has shape %s",
               v->name, str_text(&have_text), str_text(&want_text));
    diag_note(d, object_span(s->object, v->place, d), "'%s' is declared here", v->name);
    if (a->ndim == v->ndim)
        note_fitting_constants(s->object, v->name, want.shape, a, d);
    str_free(&have_text);
    str_free(&want_text);
    return MPU_REJECTED;
}

static uint64_t *elements_of(const struct value_decl *v, const struct array *a) {
    uint32_t count = object_value_count(v);
    uint64_t *elements = xcalloc(count, sizeof *elements);
    for (uint32_t i = 0; i < count; i++)
        elements[i] = array_get(a, i);
    return elements;
}

static const uint64_t *in_package(const mpu_session *s, uint32_t value) {
    const uint64_t *at = s->package->values;
    for (uint32_t i = 0; i < value; i++)
        at += object_value_count(&s->object->values.data[i]);
    return at;
}

/* Once the text is made, the same may be put again, and nothing else. */
static mpu_result put_again(const mpu_session *s, uint32_t value, const uint64_t *elements,
                            struct diag *d) {
    const struct value_decl *v = &s->object->values.data[value];
    const uint64_t *now = s->elements[value];
    if (!now && s->package)
        now = in_package(s, value);
    if (!now || memcmp(now, elements, object_value_count(v) * sizeof *elements) == 0)
        return MPU_OK;
    diag_error(d, NO_SPAN, "value '%s' has its elements already", v->name);
    return MPU_USAGE;
}

mpu_result link_value_put(mpu_session *s, uint32_t value, enum source_form form,
                          const struct array *a, struct diag *d) {
    const struct value_decl *v = &s->object->values.data[value];
    mpu_result r = check_shape(s, v, form, a, d);
    if (r != MPU_OK)
        return r;
    uint64_t *elements = elements_of(v, a);
    r = put_again(s, value, elements, d);
    if (r == MPU_OK && !s->elements[value])
        s->elements[value] = elements;
    else
        free(elements);
    return r;
}

size_t link_value_bindings(const mpu_session *s, struct size_binding *out) {
    size_t n = 0;
    for (size_t i = 0; i < s->object->values.len; i++)
        if (s->elements[i])
            out[n++] = (struct size_binding){.name = s->object->values.data[i].name,
                                             .elements = s->elements[i]};
    return n;
}

void link_values_of_package(mpu_session *s, const struct package *p) {
    const uint64_t *from = p->values;
    for (size_t i = 0; i < s->object->values.len; i++) {
        const struct value_decl *v = &s->object->values.data[i];
        uint32_t count = object_value_count(v);
        if (!s->elements[i] && !v->elements) {
            s->elements[i] = xcalloc(count, sizeof *from);
            memcpy(s->elements[i], from, count * sizeof *from);
        }
        from += count;
    }
}

void link_values_free(mpu_session *s) {
    for (size_t i = 0; s->elements && i < s->object->values.len; i++)
        free(s->elements[i]);
    free(s->elements);
}
