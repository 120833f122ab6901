/* SPDX-License-Identifier: MIT
 * Resident data: they are on the machine before the program begins, or stay there after it, in the
 * machine's own form.  The emulator moves them like any other data, so that results can be looked
 * at; but no transfer over the host's link and no turning into planes is counted for them. */
#include "runtime/place.h"
#include "runtime/public.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

static uint32_t mpu_of(const mpu_session *session, const struct place_name *name) {
    return name->mpu == NO_INDEX && session->package ? session->package->image_first : name->mpu;
}

static bool same_place(const mpu_session *session, const struct place_name *left,
                       const struct place_name *right) {
    if (left->bare != right->bare || left->memory != right->memory)
        return false;
    if (!left->bare)
        return left->variable == right->variable;
    return mpu_of(session, left) == mpu_of(session, right) && left->rfh == right->rfh &&
           left->vrf == right->vrf && left->reg == right->reg;
}

struct session_resident *session_resident_register(mpu_session *session,
                                                   const struct place_name *name) {
    for (size_t i = 0; i < session->residents.len; i++)
        if (same_place(session, &session->residents.data[i].place, name))
            return &session->residents.data[i];
    return NULL;
}

struct session_resident *session_resident_variable(mpu_session *session,
                                                   const struct variable *variable) {
    for (size_t i = 0; i < session->residents.len; i++) {
        struct session_resident *r = &session->residents.data[i];
        if (!r->place.bare && !r->place.memory &&
            &session->object->vars.data[r->place.variable] == variable)
            return r;
    }
    return NULL;
}

struct session_resident *session_resident_buffer(mpu_session *session, uint32_t buffer) {
    const struct place_name name = {.memory = true, .variable = buffer};
    return session_resident_register(session, &name);
}

void session_resident_keep(struct session_resident *resident, enum host_way way,
                           const struct host_slice *slices, size_t count) {
    uint64_t *sum = way == HOST_OUT ? &resident->bytes_out : &resident->bytes_in;
    for (size_t i = 0; i < count; i++)
        *sum = sat_add(*sum, slices[i].bytes);
}

/* ---- reductions that the host may finish ---- */

static bool is_resident(const mpu_session *session, uint32_t variable) {
    const struct place_name name = {.variable = variable};
    for (size_t i = 0; i < session->residents.len; i++)
        if (same_place(session, &session->residents.data[i].place, &name))
            return true;
    return false;
}

/* The output of record `index`, where it is resident; else NULL. */
static const struct variable *resident_output(const mpu_session *session, size_t index) {
    uint32_t v = session->object->finishes.data[index].variable;
    return is_resident(session, v) ? &session->object->vars.data[v] : NULL;
}

enum finish_choice session_resident_finish(const mpu_session *session) {
    for (size_t i = 0; session->finish == FINISH_AUTO && i < session->object->finishes.len; i++)
        if (resident_output(session, i))
            return FINISH_DEVICE;
    return session->finish;
}

bool session_resident_fits(const mpu_session *session, const struct package *package) {
    for (size_t i = 0; i < package->finish_count && i < session->object->finishes.len; i++)
        if (package->finish.by_host && package->finish.by_host[i] && resident_output(session, i))
            return false;
    return true;
}

static bool finished_on_device(const mpu_session *session, struct diag *diag) {
    for (size_t i = 0; session->finish == FINISH_HOST && i < session->object->finishes.len; i++) {
        const struct variable *v = resident_output(session, i);
        if (!v)
            continue;
        diag_error(diag, NO_SPAN,
                   "'%s' is to be resident, and the host is to finish the reduction that it is",
                   v->name);
        diag_note(diag, object_span(session->object, v->place, diag), "'%s' is declared here",
                  v->name);
        return false;
    }
    return true;
}

bool session_resident_possible(const mpu_session *session, struct diag *diag) {
    if (!session->residents.len)
        return true;
    if (!session_in_rounds(session))
        return finished_on_device(session, diag);
    diag_error(diag, NO_SPAN,
               "'%s' cannot be resident: the program runs in %llu rounds on target '%s', and each "
               "of them has other elements on the machine",
               session->residents.data[0].name, (unsigned long long)session->package->rounds,
               session->target->t->name);
    return false;
}

/* ---- what is said of a session ---- */

static mpu_result add(mpu_session *session, const char *name, struct diag *diag) {
    struct session_resident r = {0};
    if (session->package) {
        diag_error(diag, NO_SPAN, "that '%s' is resident is said before anything runs", name);
        return MPU_USAGE;
    }
    if (!session_place_parse(session, name, &r.place, diag))
        return MPU_USAGE;
    if (session_resident_register(session, &r.place))
        return MPU_OK;
    r.name = xstrdup(name);
    vec_push(&session->residents, r);
    return MPU_OK;
}

mpu_result mpu_session_set_resident(mpu_session *session, const char *name, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    return public_call_end(&c, add(session, name, c.d));
}

void session_residents_free(mpu_session *session) {
    for (size_t i = 0; i < session->residents.len; i++)
        free(session->residents.data[i].name);
    vec_free(&session->residents);
}
