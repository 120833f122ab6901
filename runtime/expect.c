/* SPDX-License-Identifier: MIT
 * Results compared with what was expected.  Numbers of integer types are the same if they are
 * equal; those of floating point if their bits are, or if they lie near enough to one another where
 * that is asked for; and any two NaNs are. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/public.h"
#include "runtime/session.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void session_forget_expected(mpu_session *session) {
    for (size_t i = 0; i < session->expected.len; i++)
        free(session->expected.data[i].name);
    vec_free(&session->expected);
}

enum { SHOWN_DIFFERENCES = 5 };

struct comparison {
    const char *name, *source;
    const struct ndarray *have, *want;
    bool near;         /* elements may differ by `ulps` */
    uint64_t ulps;     /* numbers of the format that may lie between two */
    uint64_t distance; /* the largest of two elements; UINT64_MAX: just one of them is a NaN */
    uint64_t count, at[SHOWN_DIFFERENCES];
};

static uint64_t distance_at(const struct comparison *c, uint64_t number) {
    return ieee_distance(element_format(c->have->type), ndarray_get(c->have, number),
                         ndarray_get(c->want, number));
}

/* Equal as numbers, whatever their types. */
static bool same_integer(const struct ndarray *left, const struct ndarray *right, uint64_t index) {
    uint64_t x = ndarray_get(left, index), y = ndarray_get(right, index);
    bool x_negative = left->type.kind == ELEMENT_INT && x >> 63;
    bool y_negative = right->type.kind == ELEMENT_INT && y >> 63;
    return x == y && x_negative == y_negative;
}

static bool same_real(struct comparison *c, uint64_t number) {
    uint64_t x = ndarray_get(c->have, number), distance = distance_at(c, number);
    c->distance = distance > c->distance ? distance : c->distance;
    if (c->near)
        return distance <= c->ulps && distance != UINT64_MAX;
    return x == ndarray_get(c->want, number) || ieee_is_nan(element_format(c->have->type), x)
               ? distance == 0
               : false;
}

static void add_difference(struct comparison *c, uint64_t number) {
    if (c->count < SHOWN_DIFFERENCES)
        c->at[c->count] = number;
    c->count++;
}

static void find_differences(struct comparison *c) {
    bool real = element_is_float(c->have->type);
    if (ndarray_same_data(c->have, c->want))
        return;
    for (uint64_t i = 0; i < c->have->count; i++)
        if (!(real ? same_real(c, i) : same_integer(c->have, c->want, i)))
            add_difference(c, i);
}

static void note_difference(const struct comparison *c, uint64_t number, struct diag *diag) {
    struct str index = {0}, a = {0}, b = {0}, apart = {0};
    uint64_t distance = element_is_float(c->have->type) ? distance_at(c, number) : 0;
    if (c->have->ndim)
        session_index_text(c->have, number, &index);
    ndarray_element_text(c->have->type, ndarray_get(c->have, number), &a);
    ndarray_element_text(c->want->type, ndarray_get(c->want, number), &b);
    if (distance && distance != UINT64_MAX)
        str_printf(&apart, ": %llu ulp%s apart", (unsigned long long)distance,
                   distance == 1 ? "" : "s");
    diag_note(diag, NO_SPAN, "%s%s is %s, not %s%s", c->name, str_text(&index), str_text(&a),
              str_text(&b), str_text(&apart));
    str_free(&index);
    str_free(&a);
    str_free(&b);
    str_free(&apart);
}

static void report_differences(const struct comparison *c, struct diag *diag) {
    if (c->near)
        diag_error(diag, NO_SPAN,
                   "'%s' differs from '%s' by more than %llu ulp%s in %llu of %llu elements",
                   c->name, c->source, (unsigned long long)c->ulps, c->ulps == 1 ? "" : "s",
                   (unsigned long long)c->count, (unsigned long long)c->have->count);
    else
        diag_error(diag, NO_SPAN, "'%s' differs from '%s' in %llu of %llu elements", c->name,
                   c->source, (unsigned long long)c->count, (unsigned long long)c->have->count);
    for (uint64_t k = 0; k < c->count && k < SHOWN_DIFFERENCES; k++)
        note_difference(c, c->at[k], diag);
}

/* For statistics: integers are compared, and there is no more to tell. */
static void keep_distance(mpu_session *session, const struct comparison *c) {
    if (!element_is_float(c->have->type))
        return;
    struct session_expected x = {.name = xstrdup(c->name),
                                 .elements = c->have->count,
                                 .different = c->count,
                                 .near = c->near,
                                 .ulps = c->ulps,
                                 .distance = c->distance};
    vec_push(&session->expected, x);
}

/* Numbers without a type take the shape of what they are compared with. */
static bool comparable(const struct ndarray *have, struct ndarray *want, enum source_form form) {
    if (form == FORM_TEXT && want->count == have->count && data_is_flat(want)) {
        want->ndim = have->ndim;
        memcpy(want->shape, have->shape, sizeof want->shape);
    }
    return element_is_float(want->type) == element_is_float(have->type) &&
           want->ndim == have->ndim &&
           memcmp(want->shape, have->shape, want->ndim * sizeof *want->shape) == 0;
}

static mpu_result incomparable(const struct comparison *c, struct diag *diag) {
    struct str a = {0}, b = {0};
    ndarray_shape_text(c->have, &a);
    ndarray_shape_text(c->want, &b);
    diag_error(diag, NO_SPAN, "'%s' is %s of shape %s; '%s' holds %s of shape %s", c->name,
               ndarray_type_name(c->have->type), str_text(&a), c->source,
               ndarray_type_name(c->want->type), str_text(&b));
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

static mpu_result compare(mpu_session *session, struct comparison *c, struct diag *diag) {
    find_differences(c);
    keep_distance(session, c);
    if (c->count == 0)
        return MPU_OK;
    report_differences(c, diag);
    return MPU_DIFFERS;
}

/* What is expected of floating point, in its own type. */
static mpu_result as_reals(const char *name, const struct ndarray *have, struct ndarray *want,
                           struct diag *diag) {
    struct ndarray made;
    if (!element_is_float(have->type) || session_same_type(want->type, have->type))
        return MPU_OK;
    mpu_result r = session_make_reals(name, want, have->type, &made, diag);
    if (r != MPU_OK)
        return r;
    ndarray_free(want);
    *want = made;
    return MPU_OK;
}

static mpu_result expect(mpu_session *session, struct comparison *c, struct diag *diag) {
    struct ndarray have, want = {0};
    struct data_source from;
    mpu_result r = session_seen(session, c->name, &have, diag);
    if (r != MPU_OK)
        return r;
    struct data_wish wish = {.name = c->name, .data = c->source, .like = &have};
    if (element_is_float(have.type))
        wish.real = have.type;
    r = data_read(&wish, &from, &want, diag);
    if (r == MPU_OK)
        r = as_reals(c->name, &have, &want, diag);
    c->have = &have;
    c->want = &want;
    if (r == MPU_OK) {
        shorten(session, c->name, &have, &want);
        r = comparable(&have, &want, from.form) ? compare(session, c, diag) : incomparable(c, diag);
    }
    ndarray_free(&want);
    return r;
}

/* ---- the public functions ---- */

mpu_result mpu_session_expect(mpu_session *session, const char *name, const char *data,
                              mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call call;
    struct comparison c = {.name = name, .source = data};
    public_call_begin(&call, session->messages, error);
    return public_call_end(&call, expect(session, &c, call.d));
}

mpu_result mpu_session_expect_near(mpu_session *session, const char *name, const char *data,
                                   uint64_t ulps, uint64_t *distance, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call call;
    struct comparison c = {.name = name, .source = data, .near = true, .ulps = ulps};
    public_call_begin(&call, session->messages, error);
    mpu_result r = expect(session, &c, call.d);
    if (distance)
        *distance = c.distance;
    return public_call_end(&call, r);
}
