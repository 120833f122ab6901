/* SPDX-License-Identifier: MIT
 * Before a run: the package of the program for the target, the machine, and what was put. */
#include "runtime/internal.h"

#include "emu/place/place.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct package_blob *blob_for_target(const mpu_session *s) {
    for (size_t i = 0; i < s->object->packages.len; i++)
        if (strcmp(s->object->packages.data[i].target, s->target->t->name) == 0)
            return &s->object->packages.data[i];
    return NULL;
}

static size_t bindings(const mpu_session *s, struct size_binding *out) {
    size_t n = 0;
    for (size_t i = 0; i < s->object->sizes.len; i++)
        if (s->size_bound[i] && s->object->sizes.data[i].op == SIZE_GIVEN)
            out[n++] = (struct size_binding){.name = s->object->sizes.data[i].name,
                                             .value = (uint64_t)s->sizes[i]};
    return n + link_value_bindings(s, out + n);
}

/* A size that nothing else binds has the value that the file's package was built for, as have
 * link-time values. */
static void take_sizes(mpu_session *s, const struct package *p) {
    link_values_of_package(s, p);
    for (size_t i = 0; i < s->object->sizes.len && i < p->size_count; i++)
        if (!s->size_bound[i] && !s->object->sizes.data[i].has_default &&
            s->object->sizes.data[i].op == SIZE_GIVEN) {
            s->sizes[i] = p->sizes[i];
            s->size_bound[i] = 1;
        }
}

/* The package of the file if it is there and fits; else NULL. */
static struct package *package_of_file(mpu_session *s, struct size_binding *sizes, struct diag *d) {
    const struct package_blob *blob = blob_for_target(s);
    struct package *p = blob ? package_read(s->object, blob->bytes, blob->size, d) : NULL;
    if (!p)
        return NULL;
    take_sizes(s, p);
    bool elsewhere = (s->placed && p->place.asked != s->place) ||
                     (s->finish_said && p->finish.asked != s->finish);
    if (!elsewhere &&
        package_fresh(p, s->object, s->target->t, s->library.library, sizes, bindings(s, sizes)))
        return p;
    if (!elsewhere) /* which was asked for, and is no surprise */
        diag_warning(
            d, W_STALE_PACKAGE, NO_SPAN,
            "the package for target '%s' was made for other sizes or values, another target or "
            "other recipes; it is made anew",
            s->target->t->name);
    package_free(p);
    return NULL;
}

static bool shapes_still_fit(const mpu_session *s, struct diag *d) {
    for (size_t i = 0; i < s->pending.len; i++)
        if (!shape_still_fits(s, &s->pending.data[i], d))
            return false;
    return true;
}

static bool make_package(mpu_session *s, struct diag *d) {
    struct size_binding *sizes =
        xcalloc(s->object->sizes.len + s->object->values.len + 1, sizeof *sizes);
    uint32_t before = diag_errors(d);
    s->package = package_of_file(s, sizes, d);
    if (!s->package && diag_errors(d) == before)
        s->package = place_build(s->object, s->target->t, s->library.library, sizes,
                                 bindings(s, sizes), s->place, s->finish, d);
    free(sizes);
    if (!s->package)
        return false;
    s->here = s->package;
    memcpy(s->sizes, s->package->sizes, s->object->sizes.len * sizeof *s->sizes);
    memset(s->size_bound, 1, s->object->sizes.len);
    return shapes_still_fit(s, d);
}

/* Whatever order the paper allows is compared with the program's, on a second machine. */
static bool open_machine(mpu_session *s, struct diag *d) {
    s->setup.mpus = s->package->mpus;
    s->setup.reg_bits = s->package->reg_bits;
    s->setup.lanes = s->package->lanes;
    s->setup.code = s->package->code;
    s->dp = s->ops->open(&s->setup, d);
    if (s->dp && s->config.check && s->target->t->order == ORDER_PAPER) {
        s->reference = golden_ops.open(&s->setup, d);
        s->control_config.reference = s->reference;
        return s->reference;
    }
    return s->dp;
}

/* Rounds put what is theirs when they begin. */
static mpu_result flush_pending(mpu_session *s, struct diag *d) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < s->pending.len; i++)
        r = put_now(s, &s->pending.data[i], d);
    pending_free(&s->pending);
    return r;
}

mpu_result session_prepare(mpu_session *s, struct diag *d) {
    if (!s->package && !make_package(s, d))
        return MPU_REJECTED;
    if (!s->dp) {
        if (!open_machine(s, d))
            return MPU_REJECTED;
        mpu_result r = in_rounds(s) ? rounds_open(s, d) : put_data_records(s, false, d);
        if (r != MPU_OK)
            return r;
    }
    mpu_result r = in_rounds(s) ? MPU_OK : flush_pending(s, d);
    if (r == MPU_OK && s->dp->failure) {
        diag_error(d, NO_SPAN, "%s", s->dp->failure);
        r = MPU_REJECTED;
    }
    return r;
}
