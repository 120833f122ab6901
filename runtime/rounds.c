/* SPDX-License-Identifier: MIT
 * Rounds: the host's part.  Before each round it puts that round's slice of every input on a
 * machine that is otherwise as at the start, and after it takes what the variables hold there; the
 * control path (emu/control/rounds.c) asks for one round after the other.
 *
 * Variables are taken after each round, because the next one needs their registers; a transfer is
 * charged when somebody asks for the variable, once for each round in which it had elements. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <assert.h>
#include <stdlib.h>

mpu_result rounds_open(mpu_session *s, struct diag *d) {
    s->dp->ops->snapshot(s->dp, false, &s->rounds.fresh);
    return data_records(s, &s->rounds.data, d);
}

void rounds_close(mpu_session *s) {
    struct session_rounds *r = &s->rounds;
    for (size_t i = 0; r->kept && i < s->object->vars.len; i++)
        array_free(&r->kept[i]);
    free(r->kept);
    pending_free(&r->data);
    str_free(&r->fresh);
    arena_free(&r->arena);
}

bool rounds_accept(const mpu_session *s, const char *what, struct diag *d) {
    if (!in_rounds(s) || !s->rounds.ran)
        return true;
    diag_error(d, NO_SPAN,
               "%s comes too late: the program runs in %llu rounds, and so once in a session", what,
               (unsigned long long)s->package->rounds);
    return false;
}

/* Bytes of a variable in all rounds, added to *sum; false if that is more than can be counted. */
static bool add_bytes(const mpu_session *s, const struct variable *v, uint64_t *sum) {
    uint64_t n = v->group == NO_INDEX ? 1 : group_size(s, v->group), bytes;
    return !__builtin_mul_overflow(
               n, v->count * (host_type(object_variable_array_type(v)).bits / 8u), &bytes) &&
           !__builtin_add_overflow(*sum, bytes, sum);
}

static bool room_for_all(const mpu_session *s) {
    uint64_t bytes = 0, limit = s->setup.memory_limit;
    for (size_t i = 0; i < s->object->vars.len; i++)
        if (!add_bytes(s, &s->object->vars.data[i], &bytes))
            return false;
    return !limit || bytes <= limit;
}

/* Room for what the rounds leave. */
static mpu_result make_kept(mpu_session *s, struct diag *d) {
    const struct object *o = s->object;
    bool room = room_for_all(s);
    s->rounds.kept = xcalloc(o->vars.len + 1, sizeof *s->rounds.kept);
    for (size_t i = 0; room && i < o->vars.len; i++) {
        const struct variable *v = &o->vars.data[i];
        uint32_t ndim;
        uint64_t shape[ARRAY_MAX_DIMS];
        if (s->unwanted[i])
            continue;
        variable_shape(s, v, &ndim, shape);
        room =
            array_make(&s->rounds.kept[i], host_type(object_variable_array_type(v)), ndim, shape);
    }
    if (room)
        return MPU_OK;
    diag_error(d, NO_SPAN,
               "the variables of all rounds hold more bytes than this host has room for");
    return MPU_REJECTED;
}

static mpu_result put_list(mpu_session *s, const struct pending_list *list, struct diag *d) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < list->len; i++)
        r = put_now(s, &list->data[i], d);
    return r;
}

/* What was declared, then what was put. */
static mpu_result put_round(mpu_session *s, struct diag *d) {
    mpu_result r = put_list(s, &s->rounds.data, d);
    return r == MPU_OK ? put_list(s, &s->pending, d) : r;
}

/* A variable without a group is that of the first element of the first group, which the first
 * round has. */
static void keep_round(mpu_session *s) {
    struct session_rounds *r = &s->rounds;
    for (size_t i = 0; i < s->object->vars.len; i++) {
        const struct variable *v = &s->object->vars.data[i];
        if (!s->unwanted[i] && (v->group != NO_INDEX || r->now == 0))
            get_here(s, v, &r->kept[i]);
    }
    finish_collect(s);
    r->taken = r->now + 1;
}

void rounds_finish(mpu_session *s) {
    for (size_t i = 0; i < s->object->vars.len; i++)
        if (!s->unwanted[i])
            finish_give(s, &s->object->vars.data[i], &s->rounds.kept[i]);
}

/* The machine forgets the round before. */
static void begin_round(mpu_session *s, uint64_t number) {
    struct session_rounds *r = &s->rounds;
    struct str fresh = {0};
    str_append_n(&fresh, r->fresh.text, r->fresh.len);
    s->dp->ops->snapshot(s->dp, true, &fresh);
    str_free(&fresh);
    arena_free(&r->arena);
    r->now = number;
    r->view = package_round(s->package, s->object, number, &r->arena);
    s->here = &r->view;
}

static const struct package *next_round(void *context) {
    mpu_session *s = context;
    struct session_rounds *r = &s->rounds;
    keep_round(s);
    if (r->now + 1 == s->package->rounds)
        return NULL;
    begin_round(s, r->now + 1);
    r->result = put_round(s, r->d);
    return r->result == MPU_OK ? s->here : NULL;
}

mpu_result rounds_begin(mpu_session *s, struct diag *d) {
    s->control_config.next_round = next_round;
    s->control_config.round_context = s;
    s->rounds.d = d;
    s->rounds.ran = true;
    mpu_result r = make_kept(s, d);
    if (r == MPU_OK)
        r = put_round(s, d);
    if (r == MPU_OK && s->dp->failure) {
        diag_error(d, NO_SPAN, "%s", s->dp->failure);
        r = MPU_REJECTED;
    }
    return r;
}

mpu_result rounds_end(mpu_session *s) {
    if (s->rounds.taken == s->rounds.now) /* the program stopped in this round */
        keep_round(s);
    return s->rounds.result;
}

bool rounds_readable(const mpu_session *s, struct diag *d) {
    if (!in_rounds(s) || s->rounds.taken)
        return true;
    diag_error(d, NO_SPAN,
               "the program runs in %llu rounds: its variables can be read after the run",
               (unsigned long long)s->package->rounds);
    return false;
}

struct array rounds_left(const mpu_session *s, const struct variable *v) {
    assert(!s->unwanted[v - s->object->vars.data]);
    struct array kept = s->rounds.kept[v - s->object->vars.data];
    kept.borrowed = true;
    return kept;
}

void rounds_charge_get(mpu_session *s, const struct variable *v) {
    for (uint64_t r = 0; r < s->rounds.taken && v->group != NO_INDEX; r++) {
        struct arena arena = {0};
        struct package view = package_round(s->package, s->object, r, &arena);
        host_charge_group(s, &view, v, HOST_OUT, UINT64_MAX);
        arena_free(&arena);
    }
    if (s->rounds.taken && v->group == NO_INDEX)
        host_charge_first(s, v);
}
