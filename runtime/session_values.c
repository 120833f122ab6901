/* SPDX-License-Identifier: MIT
 * Link-time values of a session: what is put into one becomes part of the text when the package is
 * made. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/session.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void shape_of(const struct value_decl *decl, uint64_t shape[NDARRAY_MAX_DIMS]) {
    for (uint32_t i = 0; i < decl->ndim; i++)
        shape[i] = decl->shape[i];
}

void session_value_like(const struct value_decl *decl, struct ndarray *like,
                        struct element_type *held) {
    *like = (struct ndarray){.type = session_host_type(decl->type), .ndim = decl->ndim};
    shape_of(decl, like->shape);
    *held = (struct element_type){like->type.kind, decl->type.bits};
}

static bool same_shape(const struct value_decl *decl, const struct ndarray *array) {
    uint64_t shape[NDARRAY_MAX_DIMS];
    shape_of(decl, shape);
    return array->ndim == decl->ndim &&
           memcmp(array->shape, shape, decl->ndim * sizeof *shape) == 0;
}

/* Numbers from a text have the shape of the value if they are as many. */
static mpu_result check_shape(const mpu_session *session, const struct value_decl *decl,
                              enum source_form form, const struct ndarray *array,
                              struct diag *diag) {
    struct ndarray want = {.ndim = decl->ndim};
    struct str have_text = {0}, want_text = {0};
    if (same_shape(decl, array) ||
        (form == FORM_TEXT && data_is_flat(array) && array->count == object_value_count(decl)))
        return MPU_OK;
    shape_of(decl, want.shape);
    ndarray_shape_text(array, &have_text);
    ndarray_shape_text(&want, &want_text);
    diag_error(diag, NO_SPAN, "the array for '%s' has shape %s; the link-time value has shape %s",
               decl->name, str_text(&have_text), str_text(&want_text));
    diag_note(diag, object_span(session->object, decl->place, diag), "'%s' is declared here",
              decl->name);
    if (array->ndim == decl->ndim)
        session_note_fitting_constants(session->object, decl->name, want.shape, array, diag);
    str_free(&have_text);
    str_free(&want_text);
    return MPU_REJECTED;
}

static uint64_t *elements_of(const struct value_decl *decl, const struct ndarray *array) {
    uint32_t count = object_value_count(decl);
    uint64_t *elements = xcalloc(count, sizeof *elements);
    for (uint32_t i = 0; i < count; i++)
        elements[i] = ndarray_get(array, i);
    return elements;
}

static const uint64_t *in_package(const mpu_session *session, uint32_t value) {
    const uint64_t *at = session->package->values;
    for (uint32_t i = 0; i < value; i++)
        at += object_value_count(&session->object->values.data[i]);
    return at;
}

/* Once the text is made, the same may be put again, and nothing else. */
static mpu_result put_again(const mpu_session *session, uint32_t value, const uint64_t *elements,
                            struct diag *diag) {
    const struct value_decl *v = &session->object->values.data[value];
    const uint64_t *now = session->elements[value];
    if (!now && session->package)
        now = in_package(session, value);
    if (!now || memcmp(now, elements, object_value_count(v) * sizeof *elements) == 0)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "value '%s' has its elements already", v->name);
    return MPU_USAGE;
}

mpu_result session_value_put(mpu_session *session, uint32_t value, enum source_form form,
                             const struct ndarray *array, struct diag *diag) {
    const struct value_decl *v = &session->object->values.data[value];
    mpu_result r = check_shape(session, v, form, array, diag);
    if (r != MPU_OK)
        return r;
    uint64_t *elements = elements_of(v, array);
    r = put_again(session, value, elements, diag);
    if (r == MPU_OK && !session->elements[value])
        session->elements[value] = elements;
    else
        free(elements);
    return r;
}

size_t session_value_bindings(const mpu_session *session, struct size_binding *out) {
    size_t n = 0;
    for (size_t i = 0; i < session->object->values.len; i++)
        if (session->elements[i])
            out[n++] = (struct size_binding){.name = session->object->values.data[i].name,
                                             .elements = session->elements[i]};
    return n;
}

void session_values_of_package(mpu_session *session, const struct package *package) {
    const uint64_t *from = package->values;
    for (size_t i = 0; i < session->object->values.len; i++) {
        const struct value_decl *v = &session->object->values.data[i];
        uint32_t count = object_value_count(v);
        if (!session->elements[i] && !v->elements) {
            session->elements[i] = xcalloc(count, sizeof *from);
            memcpy(session->elements[i], from, count * sizeof *from);
        }
        from += count;
    }
}

void session_values_free(mpu_session *session) {
    for (size_t i = 0; session->elements && i < session->object->values.len; i++)
        free(session->elements[i]);
    free(session->elements);
}
