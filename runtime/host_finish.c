/* SPDX-License-Identifier: MIT
 * Reductions that the host finishes: when a program has ended, the host reads the elements and
 * folds them; whoever asks for the output gets the result.  In rounds it reads after each round. */
#include "runtime/data.h"
#include "runtime/element_order.h"
#include "runtime/place.h"
#include "runtime/room.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

static bool by_host(const mpu_session *session, size_t index) {
    return session->package->finish.by_host[index];
}

/* The register as a variable. */
static struct variable register_of(const struct finish_record *record) {
    return (struct variable){.name = "",
                             .type = record->type,
                             .count = 1,
                             .group = record->group,
                             .reg = record->reg,
                             .place = {NO_INDEX, 0, 0}};
}

/* The first record that reads what record `index` reads. */
static size_t reader_of(const mpu_session *session, size_t index) {
    const struct finish_record *all = session->object->finishes.data;
    for (size_t k = 0; k < index; k++)
        if (by_host(session, k) && all[k].group == all[index].group &&
            all[k].reg == all[index].reg && all[k].type.kind == all[index].type.kind &&
            all[k].type.bits == all[index].type.bits)
            return k;
    return index;
}

static void forget(mpu_session *session) {
    for (size_t i = 0; session->finish_elements && i < session->object->finishes.len; i++)
        ndarray_free(&session->finish_elements[i]);
}

mpu_result session_finish_begin(mpu_session *session, struct diag *diag) {
    size_t n = session->object->finishes.len;
    bool room = true;
    session->finish_done = false;
    if (!session->finish_elements) {
        session->finish_elements = xcalloc(n + 1, sizeof *session->finish_elements);
        session->finish_values = xcalloc(n + 1, sizeof *session->finish_values);
    }
    forget(session);
    for (size_t i = 0; i < n && room; i++) {
        const struct finish_record *r = &session->object->finishes.data[i];
        uint64_t elements = session_group_size(session, r->group);
        if (by_host(session, i) && reader_of(session, i) == i)
            room = room_for("the elements of a reduction that the host finishes",
                            sat_mul(elements, session_host_type(r->type).bits / 8u), 0, diag) &&
                   ndarray_make(&session->finish_elements[i], session_host_type(r->type), 1,
                                &elements);
    }
    return room ? MPU_OK : MPU_REJECTED;
}

void session_finish_collect(mpu_session *session) {
    for (size_t i = 0; i < session->object->finishes.len; i++) {
        struct variable v = register_of(&session->object->finishes.data[i]);
        if (!by_host(session, i) || reader_of(session, i) != i)
            continue;
        session_each_row(session, &v, &session->finish_elements[i], datapath_get_elements);
        session_charge_group(session, session->here, &v, HOST_OUT, UINT64_MAX);
    }
}

/* The number of the first of the least or greatest. */
static uint64_t best_of(const struct finish_record *record, const struct ndarray *array) {
    bool place = record->kind == FINISH_ARGMIN || record->kind == FINISH_ARGMAX;
    bool least = record->kind == FINISH_MIN || record->kind == FINISH_ARGMIN;
    uint64_t best = 0, most = 0, mask = low_bits(record->type.bits);
    for (uint64_t i = 0; i < array->count; i++) {
        uint64_t x =
            session_element_worth(record->type, least, place, ndarray_get(array, i) & mask);
        if (i && x <= most)
            continue;
        best = i;
        most = x;
    }
    return best;
}

/* What is not a number has one pattern. */
static uint64_t extreme_of(const struct finish_record *record, const struct ndarray *array) {
    uint64_t x = ndarray_get(array, best_of(record, array));
    bool real = object_type_is_float(record->type);
    return real && ieee_is_nan(object_type_format(record->type), x)
               ? ieee_nan(object_type_format(record->type))
               : x;
}

static uint64_t step(enum finish_kind kind, uint64_t so_far, uint64_t x) {
    switch (kind) {
    case FINISH_SUM:
        return so_far + x;
    case FINISH_AND:
        return so_far & x;
    case FINISH_OR:
        return so_far | x;
    case FINISH_XOR:
        return so_far ^ x;
    default: /* any, all and count: how many are not 0 */
        return so_far + (x != 0);
    }
}

/* Groups have elements. */
static uint64_t fold(const struct finish_record *record, const struct ndarray *array) {
    uint64_t value = record->kind == FINISH_AND ? UINT64_MAX : 0;
    if (record->kind == FINISH_ARGMIN || record->kind == FINISH_ARGMAX)
        return best_of(record, array);
    if (record->kind == FINISH_MIN || record->kind == FINISH_MAX)
        return extreme_of(record, array);
    for (uint64_t i = 0; i < array->count; i++)
        value = step(record->kind, value, ndarray_get(array, i));
    if (record->kind == FINISH_ANY)
        return value != 0;
    return record->kind == FINISH_ALL ? value == array->count : value;
}

/* As the output's register would hold it. */
static uint64_t held(uint64_t value, struct lane_type type) {
    value &= low_bits(type.bits);
    return type.kind == TYPE_INT ? (uint64_t)sign_extend(value, type.bits) : value;
}

void session_finish_give(const mpu_session *session, const struct variable *variable,
                         struct ndarray *array) {
    for (size_t i = 0; session->finish_done && i < session->object->finishes.len; i++) {
        const struct finish_record *r = &session->object->finishes.data[i];
        if (by_host(session, i) && &session->object->vars.data[r->variable] == variable)
            ndarray_set(array, r->element, session->finish_values[i]);
    }
}

void session_finish_end(mpu_session *session) {
    const struct object *o = session->object;
    for (size_t i = 0; i < o->finishes.len; i++) {
        const struct finish_record *r = &o->finishes.data[i];
        if (by_host(session, i))
            session->finish_values[i] =
                held(fold(r, &session->finish_elements[reader_of(session, i)]),
                     o->vars.data[r->variable].type);
    }
    session->finish_done = true;
    forget(session);
}

void session_finish_close(mpu_session *session) {
    forget(session);
    free(session->finish_elements);
    free(session->finish_values);
}
