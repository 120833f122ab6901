/* SPDX-License-Identifier: MIT
 * Before a run: the package of the program for the target, the machine, and what was put. */
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "emu/place/place.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct package_blob *blob_for_target(const mpu_session *session) {
    for (size_t i = 0; i < session->object->packages.len; i++)
        if (strcmp(session->object->packages.data[i].target, session->target->t->name) == 0)
            return &session->object->packages.data[i];
    return NULL;
}

static size_t bindings(const mpu_session *session, struct size_binding *out) {
    size_t n = 0;
    for (size_t i = 0; i < session->object->sizes.len; i++)
        if (session->size_bound[i] && session->object->sizes.data[i].op == SIZE_GIVEN)
            out[n++] = (struct size_binding){.name = session->object->sizes.data[i].name,
                                             .value = (uint64_t)session->sizes[i]};
    return n + session_value_bindings(session, out + n);
}

/* A size that nothing else binds has the value that the file's package was built for, as have
 * link-time values. */
static void take_sizes(mpu_session *session, const struct package *package) {
    session_values_of_package(session, package);
    for (size_t i = 0; i < session->object->sizes.len && i < package->size_count; i++)
        if (!session->size_bound[i] && !session->object->sizes.data[i].has_default &&
            session->object->sizes.data[i].op == SIZE_GIVEN) {
            session->sizes[i] = package->sizes[i];
            session->size_bound[i] = 1;
        }
}

/* Whether the package is, byte by byte, what the linker makes of the program for these sizes and
 * what was asked.  Its digest is no proof: anybody can make one, and a placement or a plan that is
 * possible is not yet the right one. */
static bool is_as_made(const mpu_session *session, const struct package *package,
                       const struct size_binding *sizes, size_t count) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct package *made =
        place_build(session->object, session->target->t, session->library.library, sizes, count,
                    package->place.asked, package->finish.asked, quiet);
    struct str a = {0}, b = {0};
    package_write(package, &a);
    if (made)
        package_write(made, &b);
    bool same = a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
    str_free(&a);
    str_free(&b);
    package_free(made);
    diag_free(quiet);
    return same;
}

static void warn_stale(const mpu_session *session, const struct package *p, bool fresh,
                       struct diag *diag) {
    const char *why = fresh ? "is not what this version of the tools makes of the program"
                            : "was made for other sizes or values, another target or other recipes";
    struct str kernel = {0};
    if (!fresh && package_same_target(p, session->target->t, session->library.library) &&
        package_kernel_differs(p, session->object, session->library.library, &kernel))
        why = str_text(&kernel);
    diag_warning(diag, W_STALE_PACKAGE, NO_SPAN, "the package for target '%s' %s; it is made anew",
                 session->target->t->name, why);
    str_free(&kernel);
}

/* The package of the file if it is there and fits; else NULL. */
static struct package *package_of_file(mpu_session *session, struct size_binding *sizes,
                                       struct diag *diag) {
    const struct package_blob *blob = blob_for_target(session);
    struct package *p = blob ? package_read(session->object, blob->bytes, blob->size, diag) : NULL;
    if (!p)
        return NULL;
    take_sizes(session, p);
    bool elsewhere = (session->placed && p->place.asked != session->place) ||
                     (session->finish_said && p->finish.asked != session->finish) ||
                     !session_resident_fits(session, p);
    size_t count = bindings(session, sizes);
    bool fresh = !elsewhere && package_fresh(p, session->object, session->target->t,
                                             session->library.library, sizes, count);
    if (fresh && is_as_made(session, p, sizes, count))
        return p;
    if (!elsewhere) /* which was asked for, and is no surprise */
        warn_stale(session, p, fresh, diag);
    package_free(p);
    return NULL;
}

static bool shapes_still_fit(const mpu_session *session, struct diag *diag) {
    for (size_t i = 0; i < session->pending.len; i++)
        if (!session_shape_still_fits(session, &session->pending.data[i], diag))
            return false;
    return true;
}

/* The engine carries out no kernels, and need not: what stands behind their 'else' is called. */
static bool take_else(mpu_session *session, struct diag *diag) {
    struct package_place place = session->package->place;
    struct size_binding *sizes =
        xcalloc(session->object->sizes.len + session->object->values.len + 1, sizeof *sizes);
    place.otherwise = true;
    struct package *made =
        package_build_at(session->object, session->target->t, session->library.library, sizes,
                         bindings(session, sizes), &place, &session->package->finish, diag);
    free(sizes);
    if (!made)
        return false;
    package_free(session->package);
    session->package = made;
    return true;
}

static bool make_package(mpu_session *session, struct diag *diag) {
    struct size_binding *sizes =
        xcalloc(session->object->sizes.len + session->object->values.len + 1, sizeof *sizes);
    uint32_t before = diag_errors(diag);
    session->package = package_of_file(session, sizes, diag);
    if (!session->package && diag_errors(diag) == before)
        session->package = place_build(session->object, session->target->t,
                                       session->library.library, sizes, bindings(session, sizes),
                                       session->place, session_resident_finish(session), diag);
    free(sizes);
    if (!session->package ||
        (session->package->launches && !session->buffers.launches && !take_else(session, diag)))
        return false;
    if (!session->package->launches && session->buffers.launches &&
        !session_buffers_instead(session, diag))
        return false;
    session->here = session->package;
    memcpy(session->sizes, session->package->sizes,
           session->object->sizes.len * sizeof *session->sizes);
    memset(session->size_bound, 1, session->object->sizes.len);
    return (!session->config.prove || package_prove_forms(session->object, session->package,
                                                          session->library.library, diag)) &&
           session_resident_possible(session, diag) && shapes_still_fit(session, diag);
}

/* Whatever order the paper allows is compared with the program's, on a second machine. */
static bool open_machine(mpu_session *session, struct diag *diag) {
    session->setup.mpus = session->package->mpus;
    session_kernels_set_up(session);
    session->setup.reg_bits = session->package->reg_bits;
    session->setup.kins = session->package->kins;
    session->setup.kin_count = session->package->kin_count;
    session->setup.lanes = session->package->lanes;
    session->setup.code = session->package->code;
    session->dp = session->ops->open(&session->setup, diag);
    if (session->dp)
        control_shape(session->package, session->target->t, session->dp);
    if (session->dp && session->config.check && session->target->t->order == ORDER_PAPER) {
        session->reference = golden_ops.open(&session->setup, diag);
        session->control_config.reference = session->reference;
        return session->reference;
    }
    return session->dp;
}

/* Rounds put what is theirs when they begin. */
static mpu_result flush_pending(mpu_session *session, struct diag *diag) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < session->pending.len; i++)
        r = session_put_now(session, &session->pending.data[i], diag);
    session_pending_free(&session->pending);
    return r;
}

mpu_result session_prepare(mpu_session *session, struct diag *diag) {
    if (!session->package && !make_package(session, diag))
        return MPU_REJECTED;
    if (!session->dp && !session_kernels_possible(session, diag))
        return MPU_USAGE;
    if (!session->dp) {
        if (!open_machine(session, diag) || !session_buffers_open(session, diag))
            return MPU_REJECTED;
        session_charge_modules(session);
        mpu_result r = session_in_rounds(session) ? session_rounds_open(session, diag)
                                                  : session_put_data_records(session, false, diag);
        if (r != MPU_OK)
            return r;
    }
    mpu_result r = session_in_rounds(session) ? MPU_OK : flush_pending(session, diag);
    if (r == MPU_OK && session->dp->failure) {
        diag_error(diag, NO_SPAN, "%s", session->dp->failure);
        r = MPU_REJECTED;
    }
    return r;
}
