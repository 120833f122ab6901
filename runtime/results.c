/* SPDX-License-Identifier: MIT
 * Results, which are read from the machine once a run: views, files, text, and the comparison with
 * what was expected. */
#include "runtime/internal.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void session_forget_views(mpu_session *session) {
    for (size_t i = 0; i < session->views.len; i++) {
        free(session->views.data[i].name);
        ndarray_free(&session->views.data[i].values);
    }
    vec_free(&session->views);
}

mpu_result session_seen(mpu_session *session, const char *name, struct ndarray *view,
                        struct diag *diag) {
    for (size_t i = 0; i < session->views.len; i++)
        if (strcmp(session->views.data[i].name, name) == 0) {
            *view = session->views.data[i].values;
            return MPU_OK;
        }
    struct session_view x = {.name = NULL};
    mpu_result r = session_view_diag(session, name, &x.values, diag);
    if (r == MPU_OK) {
        x.name = xstrdup(name);
        vec_push(&session->views, x);
    }
    *view = x.values;
    return r;
}

/* ---- text ---- */

/* Elements [begin, end) with one line for each run of the last index. */
static void rows(const struct ndarray *array, uint64_t begin, uint64_t end, struct str *out) {
    uint64_t row = array->ndim ? array->shape[array->ndim - 1] : 1;
    for (uint64_t i = begin; i < end; i++) {
        bool starts = array->ndim > 1 && i % row == 0;
        str_append(out, starts ? "\n  " : " ");
        ndarray_element_text(array->type, ndarray_get(array, i), out);
    }
    str_char(out, '\n');
}

/* The first dimension alone is cut. */
static struct ndarray part_of(const struct ndarray *array, uint64_t from, uint64_t to,
                              uint64_t inner) {
    struct ndarray part = *array;
    part.borrowed = true;
    part.data += from * inner * (array->type.bits / 8u);
    part.count = (to - from) * inner;
    if (array->ndim)
        part.shape[0] = to - from;
    return part;
}

static mpu_result array_text(const struct ndarray *array, const char *name, uint64_t from,
                             uint64_t to, bool plain, struct str *out, struct diag *diag) {
    uint64_t first = array->ndim ? array->shape[0] : 1, inner = first ? array->count / first : 0;
    to = to < first ? to : first;
    if (from > first) {
        diag_error(diag, NO_SPAN, "'%s' has no elements from %llu on: its first extent is %llu",
                   name, (unsigned long long)from, (unsigned long long)first);
        return MPU_REJECTED;
    }
    struct ndarray part = part_of(array, from, to < from ? from : to, inner);
    if (!plain)
        rows(&part, 0, part.count, out);
    else if (!ndarray_format("standard-output.txt", &part, out, diag))
        return MPU_REJECTED;
    return MPU_OK;
}

/* ---- what was expected ---- */

enum { SHOWN_DIFFERENCES = 5 };

static void note_difference(const char *name, const struct ndarray *have,
                            const struct ndarray *want, uint64_t number, struct diag *diag) {
    struct str index = {0}, a = {0}, b = {0};
    if (have->ndim)
        session_index_text(have, number, &index);
    ndarray_element_text(have->type, ndarray_get(have, number), &a);
    ndarray_element_text(want->type, ndarray_get(want, number), &b);
    diag_note(diag, NO_SPAN, "%s%s is %s, not %s", name, str_text(&index), str_text(&a),
              str_text(&b));
    str_free(&index);
    str_free(&a);
    str_free(&b);
}

/* Equal as numbers, whatever their types. */
static bool same_number(const struct ndarray *left, const struct ndarray *right, uint64_t index) {
    uint64_t x = ndarray_get(left, index), y = ndarray_get(right, index);
    bool x_negative = left->type.kind == ELEMENT_INT && x >> 63;
    bool y_negative = right->type.kind == ELEMENT_INT && y >> 63;
    return x == y && x_negative == y_negative;
}

static mpu_result compare(const char *name, const char *source, const struct ndarray *have,
                          const struct ndarray *want, struct diag *diag) {
    uint64_t count = 0, at[SHOWN_DIFFERENCES];
    if (ndarray_same_data(have, want))
        return MPU_OK;
    for (uint64_t i = 0; i < have->count; i++) {
        if (same_number(have, want, i))
            continue;
        if (count < SHOWN_DIFFERENCES)
            at[count] = i;
        count++;
    }
    if (count == 0)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "'%s' differs from '%s' in %llu of %llu elements", name, source,
               (unsigned long long)count, (unsigned long long)have->count);
    for (uint64_t k = 0; k < count && k < SHOWN_DIFFERENCES; k++)
        note_difference(name, have, want, at[k], diag);
    return MPU_DIFFERS;
}

/* Numbers without a type take the shape of what they are compared with. */
static bool comparable(const struct ndarray *have, struct ndarray *want, enum source_form form) {
    if (form == FORM_TEXT && want->count == have->count && want->ndim <= 1) {
        want->ndim = have->ndim;
        memcpy(want->shape, have->shape, sizeof want->shape);
    }
    return want->type.kind != ELEMENT_FLOAT && want->ndim == have->ndim &&
           memcmp(want->shape, have->shape, want->ndim * sizeof *want->shape) == 0 &&
           (form == FORM_TEXT ||
            (want->type.kind == have->type.kind && want->type.bits == have->type.bits));
}

static mpu_result incomparable(const char *name, const struct ndarray *have, const char *source,
                               const struct ndarray *want, struct diag *diag) {
    struct str a = {0}, b = {0};
    ndarray_shape_text(have, &a);
    ndarray_shape_text(want, &b);
    diag_error(diag, NO_SPAN, "'%s' is %s of shape %s; '%s' holds %s of shape %s", name,
               ndarray_type_name(have->type), str_text(&a), source, ndarray_type_name(want->type),
               str_text(&b));
    str_free(&a);
    str_free(&b);
    return MPU_DIFFERS;
}

/* A bare register is compared as far as the file goes. */
static void shorten(const mpu_session *session, const char *name, struct ndarray *have,
                    const struct ndarray *want) {
    bool bare = object_find_variable(session->object, name) == NO_INDEX;
    if (!bare || want->count >= have->count)
        return;
    have->count = have->shape[0] = want->count;
}

static mpu_result expect(mpu_session *session, const char *name, const char *data,
                         struct diag *diag) {
    struct ndarray have, want = {0};
    struct data_source from;
    mpu_result r = session_seen(session, name, &have, diag);
    if (r != MPU_OK)
        return r;
    r = data_read(name, data, &have, false, &from, &want, diag);
    if (r == MPU_OK) {
        shorten(session, name, &have, &want);
        r = comparable(&have, &want, from.form) ? compare(name, data, &have, &want, diag)
                                                : incomparable(name, &have, data, &want, diag);
    }
    ndarray_free(&want);
    return r;
}

/* ---- the public functions ---- */

mpu_result mpu_session_view(mpu_session *session, const char *name, mpu_array *array,
                            mpu_error **error) {
    struct public_call c;
    struct ndarray view;
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_seen(session, name, &view, c.d);
    if (r == MPU_OK)
        *array = public_array(&view);
    return public_call_end(&c, r);
}

mpu_result mpu_session_save(mpu_session *session, const char *name, const char *path,
                            uint64_t *bytes, mpu_error **error) {
    struct public_call c;
    struct ndarray view;
    uint64_t size = 0;
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_seen(session, name, &view, c.d);
    if (r == MPU_OK)
        r = data_save(path, &view, &size, c.d);
    if (r == MPU_OK && bytes)
        *bytes = size;
    return public_call_end(&c, r);
}

char *mpu_session_text(mpu_session *session, const char *name, uint64_t from, uint64_t to,
                       int plain, mpu_error **error) {
    struct public_call c;
    struct ndarray view;
    struct str text = {0};
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_seen(session, name, &view, c.d);
    if (r == MPU_OK)
        r = array_text(&view, name, from, to, plain != 0, &text, c.d);
    if (public_call_end(&c, r) == MPU_OK)
        return public_text_out(&text);
    str_free(&text);
    return NULL;
}

mpu_result mpu_session_expect(mpu_session *session, const char *name, const char *data,
                              mpu_error **error) {
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, expect(session, name, data, c.d));
}
