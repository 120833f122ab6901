/* SPDX-License-Identifier: MIT
 * Rounds: the host's part.  Before each round it puts that round's slice of every input on a
 * machine that is otherwise as at the start, and after the round it takes what the variables hold;
 * the control path (emu/control/rounds.c) asks for one round after the other.
 *
 * Variables are taken after each round, because the next one needs their registers; a transfer is
 * charged when somebody asks for the variable, once for each round in which it had elements. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/room.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <assert.h>
#include <stdlib.h>

mpu_result session_rounds_open(mpu_session *session, struct diag *diag) {
    session->dp->ops->snapshot(session->dp, false, &session->rounds.fresh);
    return session_data_records(session, &session->rounds.data, diag);
}

void session_rounds_close(mpu_session *session) {
    struct session_rounds *r = &session->rounds;
    for (size_t i = 0; r->kept && i < session->object->vars.len; i++)
        ndarray_free(&r->kept[i]);
    free(r->kept);
    session_pending_free(&r->data);
    str_free(&r->fresh);
    arena_free(&r->arena);
}

bool session_rounds_accept(const mpu_session *session, const char *what, struct diag *diag) {
    if (!session_in_rounds(session) || !session->rounds.ran)
        return true;
    diag_error(diag, NO_SPAN,
               "%s comes too late: the program runs in %llu rounds, and so once in a session", what,
               (unsigned long long)session->package->rounds);
    return false;
}

/* Of a variable in all rounds. */
static uint64_t bytes_of(const mpu_session *session, const struct variable *variable) {
    uint64_t n = variable->group == NO_INDEX ? 1 : session_group_size(session, variable->group),
             bytes = session_host_type(object_variable_array_type(variable)).bits / 8u;
    return sat_mul(n, sat_mul(variable->count, bytes));
}

static bool room_for_all(const mpu_session *session, struct diag *diag) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < session->object->vars.len; i++)
        bytes = sat_add(bytes, bytes_of(session, &session->object->vars.data[i]));
    bytes = sat_add(bytes, session_buffers_bytes(session));
    return room_for("the variables of all rounds", bytes, 0, diag);
}

/* Room for what the rounds leave. */
static mpu_result make_kept(mpu_session *session, struct diag *diag) {
    const struct object *o = session->object;
    bool room = room_for_all(session, diag);
    session->rounds.kept = xcalloc(o->vars.len + 1, sizeof *session->rounds.kept);
    for (size_t i = 0; room && i < o->vars.len; i++) {
        const struct variable *v = &o->vars.data[i];
        uint32_t ndim;
        uint64_t shape[NDARRAY_MAX_DIMS];
        if (session->unwanted[i])
            continue;
        session_variable_shape(session, v, &ndim, shape);
        room = ndarray_make(&session->rounds.kept[i],
                            session_host_type(object_variable_array_type(v)), ndim, shape);
    }
    return room && session_buffers_make_kept(session, diag) ? MPU_OK : MPU_REJECTED;
}

static mpu_result put_list(mpu_session *session, const struct pending_list *list,
                           struct diag *diag) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < list->len; i++)
        r = session_put_now(session, &list->data[i], diag);
    return r;
}

/* What was declared, then what was put. */
static mpu_result put_round(mpu_session *session, struct diag *diag) {
    if (!session_buffers_enter(session, diag))
        return MPU_REJECTED;
    mpu_result r = put_list(session, &session->rounds.data, diag);
    return r == MPU_OK ? put_list(session, &session->pending, diag) : r;
}

/* A variable without a group is that of the first element of the first group, which the first
 * round has. */
static void keep_round(mpu_session *session) {
    struct session_rounds *r = &session->rounds;
    for (size_t i = 0; i < session->object->vars.len; i++) {
        const struct variable *v = &session->object->vars.data[i];
        if (!session->unwanted[i] && (v->group != NO_INDEX || r->now == 0))
            session_get_here(session, v, &r->kept[i]);
    }
    session_finish_collect(session);
    if (!session_buffers_keep(session, r->d))
        r->result = MPU_REJECTED;
    r->taken = r->now + 1;
}

void session_rounds_finish(mpu_session *session) {
    for (size_t i = 0; i < session->object->vars.len; i++)
        if (!session->unwanted[i])
            session_finish_give(session, &session->object->vars.data[i], &session->rounds.kept[i]);
}

/* The machine forgets the round before. */
static void begin_round(mpu_session *session, uint64_t number) {
    struct session_rounds *r = &session->rounds;
    struct str fresh = {0};
    session_buffers_leave(session);
    str_append_n(&fresh, r->fresh.text, r->fresh.len);
    session->dp->ops->snapshot(session->dp, true, &fresh);
    str_free(&fresh);
    arena_free(&r->arena);
    r->now = number;
    r->view = package_round(session->package, session->object, number, &r->arena);
    session->here = &r->view;
}

static const struct package *next_round(void *context) {
    mpu_session *s = context;
    struct session_rounds *r = &s->rounds;
    keep_round(s);
    if (r->result != MPU_OK || r->now + 1 == s->package->rounds)
        return NULL;
    begin_round(s, r->now + 1);
    r->result = put_round(s, r->d);
    return r->result == MPU_OK ? s->here : NULL;
}

mpu_result session_rounds_begin(mpu_session *session, struct diag *diag) {
    session->control_config.next_round = next_round;
    session->control_config.round_context = session;
    session->rounds.d = diag;
    session->rounds.ran = true;
    mpu_result r = make_kept(session, diag);
    if (r == MPU_OK)
        r = put_round(session, diag);
    if (r == MPU_OK && session->dp->failure) {
        diag_error(diag, NO_SPAN, "%s", session->dp->failure);
        r = MPU_REJECTED;
    }
    return r;
}

mpu_result session_rounds_end(mpu_session *session) {
    if (session->rounds.taken == session->rounds.now) /* the program stopped in this round */
        keep_round(session);
    return session->rounds.result;
}

bool session_rounds_readable(const mpu_session *session, struct diag *diag) {
    if (!session_in_rounds(session) || session->rounds.taken)
        return true;
    diag_error(diag, NO_SPAN,
               "the program runs in %llu rounds: its variables can be read after the run",
               (unsigned long long)session->package->rounds);
    return false;
}

struct ndarray session_rounds_left(const mpu_session *session, const struct variable *variable) {
    assert(!session->unwanted[variable - session->object->vars.data]);
    struct ndarray kept = session->rounds.kept[variable - session->object->vars.data];
    kept.borrowed = true;
    return kept;
}

void session_rounds_charge_get(mpu_session *session, const struct variable *variable) {
    for (uint64_t r = 0; r < session->rounds.taken && variable->group != NO_INDEX; r++) {
        struct arena arena = {0};
        struct package view = package_round(session->package, session->object, r, &arena);
        session_charge_group(session, &view, variable, HOST_OUT, UINT64_MAX);
        arena_free(&arena);
    }
    if (session->rounds.taken && variable->group == NO_INDEX)
        session_charge_first(session, variable);
}
