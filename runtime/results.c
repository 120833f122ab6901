/* SPDX-License-Identifier: MIT
 * What a run left, read from the machine once a run: views, files, text, comparison with what was
 * expected. */
#include "runtime/internal.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void session_forget_views(mpu_session *s) {
    for (size_t i = 0; i < s->views.len; i++) {
        free(s->views.data[i].name);
        array_free(&s->views.data[i].values);
    }
    vec_free(&s->views);
}

mpu_result session_seen(mpu_session *s, const char *name, struct array *view, struct diag *d) {
    for (size_t i = 0; i < s->views.len; i++)
        if (strcmp(s->views.data[i].name, name) == 0) {
            *view = s->views.data[i].values;
            return MPU_OK;
        }
    struct session_view x = {.name = NULL};
    mpu_result r = session_view_diag(s, name, &x.values, d);
    if (r == MPU_OK) {
        x.name = xstrdup(name);
        vec_push(&s->views, x);
    }
    *view = x.values;
    return r;
}

/* ---- text ---- */

/* Elements [begin, end) with one line for each run of the last index. */
static void rows(const struct array *a, uint64_t begin, uint64_t end, struct str *out) {
    uint64_t row = a->ndim ? a->shape[a->ndim - 1] : 1;
    for (uint64_t i = begin; i < end; i++) {
        bool starts = a->ndim > 1 && i % row == 0;
        str_append(out, starts ? "\n  " : " ");
        array_element_text(a->type, array_get(a, i), out);
    }
    str_char(out, '\n');
}

/* The first dimension alone is cut. */
static struct array part_of(const struct array *a, uint64_t from, uint64_t to, uint64_t inner) {
    struct array part = *a;
    part.borrowed = true;
    part.data += from * inner * (a->type.bits / 8u);
    part.count = (to - from) * inner;
    if (a->ndim)
        part.shape[0] = to - from;
    return part;
}

static mpu_result array_text(const struct array *a, const char *name, uint64_t from, uint64_t to,
                             bool plain, struct str *out, struct diag *d) {
    uint64_t first = a->ndim ? a->shape[0] : 1, inner = first ? a->count / first : 0;
    to = to < first ? to : first;
    if (from > first) {
        diag_error(d, NO_SPAN, "'%s' has no elements from %llu on: its first extent is %llu", name,
                   (unsigned long long)from, (unsigned long long)first);
        return MPU_REJECTED;
    }
    struct array part = part_of(a, from, to < from ? from : to, inner);
    if (!plain)
        rows(&part, 0, part.count, out);
    else if (!array_format("standard-output.txt", &part, out, d))
        return MPU_REJECTED;
    return MPU_OK;
}

/* ---- what was expected ---- */

enum { SHOWN_DIFFERENCES = 5 };

static void note_difference(const char *name, const struct array *have, const struct array *want,
                            uint64_t i, struct diag *d) {
    struct str index = {0}, a = {0}, b = {0};
    if (have->ndim)
        index_text(have, i, &index);
    array_element_text(have->type, array_get(have, i), &a);
    array_element_text(want->type, array_get(want, i), &b);
    diag_note(d, NO_SPAN, "%s%s is %s, not %s", name, str_text(&index), str_text(&a), str_text(&b));
    str_free(&index);
    str_free(&a);
    str_free(&b);
}

/* Equal as numbers, whatever their types. */
static bool same_number(const struct array *a, const struct array *b, uint64_t i) {
    uint64_t x = array_get(a, i), y = array_get(b, i);
    bool x_negative = a->type.kind == ELEMENT_INT && x >> 63;
    bool y_negative = b->type.kind == ELEMENT_INT && y >> 63;
    return x == y && x_negative == y_negative;
}

static mpu_result compare(const char *name, const char *source, const struct array *have,
                          const struct array *want, struct diag *d) {
    uint64_t count = 0, at[SHOWN_DIFFERENCES];
    if (array_same_data(have, want))
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
    diag_error(d, NO_SPAN, "'%s' differs from '%s' in %llu of %llu elements", name, source,
               (unsigned long long)count, (unsigned long long)have->count);
    for (uint64_t k = 0; k < count && k < SHOWN_DIFFERENCES; k++)
        note_difference(name, have, want, at[k], d);
    return MPU_DIFFERS;
}

/* Numbers without a type take the shape of what they are compared with. */
static bool comparable(const struct array *have, struct array *want, enum source_form form) {
    if (form == FORM_TEXT && want->count == have->count && want->ndim <= 1) {
        want->ndim = have->ndim;
        memcpy(want->shape, have->shape, sizeof want->shape);
    }
    return want->type.kind != ELEMENT_FLOAT && want->ndim == have->ndim &&
           memcmp(want->shape, have->shape, want->ndim * sizeof *want->shape) == 0 &&
           (form == FORM_TEXT ||
            (want->type.kind == have->type.kind && want->type.bits == have->type.bits));
}

static mpu_result incomparable(const char *name, const struct array *have, const char *source,
                               const struct array *want, struct diag *d) {
    struct str a = {0}, b = {0};
    array_shape_text(have, &a);
    array_shape_text(want, &b);
    diag_error(d, NO_SPAN, "'%s' is %s of shape %s; '%s' holds %s of shape %s", name,
               array_type_name(have->type), str_text(&a), source, array_type_name(want->type),
               str_text(&b));
    str_free(&a);
    str_free(&b);
    return MPU_DIFFERS;
}

/* A bare register is compared as far as the file goes. */
static void shorten(const mpu_session *s, const char *name, struct array *have,
                    const struct array *want) {
    bool bare = object_find_variable(s->object, name) == NO_INDEX;
    if (!bare || want->count >= have->count)
        return;
    have->count = have->shape[0] = want->count;
}

static mpu_result expect(mpu_session *s, const char *name, const char *data, struct diag *d) {
    struct array have, want = {0};
    struct data_source from;
    mpu_result r = session_seen(s, name, &have, d);
    if (r != MPU_OK)
        return r;
    r = data_read(name, data, &have, false, &from, &want, d);
    if (r == MPU_OK) {
        shorten(s, name, &have, &want);
        r = comparable(&have, &want, from.form) ? compare(name, data, &have, &want, d)
                                                : incomparable(name, &have, data, &want, d);
    }
    array_free(&want);
    return r;
}

/* ---- the public functions ---- */

mpu_result mpu_session_view(mpu_session *s, const char *name, mpu_array *a, mpu_error **error) {
    struct call c;
    struct array view;
    call_begin(&c, s->messages, error);
    mpu_result r = session_seen(s, name, &view, c.d);
    if (r == MPU_OK)
        *a = public_array(&view);
    return call_end(&c, r);
}

mpu_result mpu_session_save(mpu_session *s, const char *name, const char *path, uint64_t *bytes,
                            mpu_error **error) {
    struct call c;
    struct array view;
    uint64_t size = 0;
    call_begin(&c, s->messages, error);
    mpu_result r = session_seen(s, name, &view, c.d);
    if (r == MPU_OK)
        r = array_save(path, &view, &size, c.d);
    if (r == MPU_OK && bytes)
        *bytes = size;
    return call_end(&c, r);
}

char *mpu_session_text(mpu_session *s, const char *name, uint64_t from, uint64_t to, int plain,
                       mpu_error **error) {
    struct call c;
    struct array view;
    struct str text = {0};
    call_begin(&c, s->messages, error);
    mpu_result r = session_seen(s, name, &view, c.d);
    if (r == MPU_OK)
        r = array_text(&view, name, from, to, plain != 0, &text, c.d);
    if (call_end(&c, r) == MPU_OK)
        return text_out(&text);
    str_free(&text);
    return NULL;
}

mpu_result mpu_session_expect(mpu_session *s, const char *name, const char *data,
                              mpu_error **error) {
    struct call c;
    call_begin(&c, s->messages, error);
    return call_end(&c, expect(s, name, data, c.d));
}
