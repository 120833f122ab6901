/* SPDX-License-Identifier: MIT
 * Results, which are read from the machine once a run: views, files, text. */
#include "runtime/data.h"
#include "runtime/public.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void session_forget_views(mpu_session *session) {
    for (size_t i = 0; i < session->views.len; i++) {
        free(session->views.data[i].name);
        ndarray_free(&session->views.data[i].values);
    }
    vec_free(&session->views);
    session_forget_expected(session);
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

/* ---- the public functions ---- */

mpu_result mpu_session_view(mpu_session *session, const char *name, mpu_array *array,
                            mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
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
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
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
    PUBLIC_ENTRY_OF(session, error, NULL);
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
