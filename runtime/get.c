/* SPDX-License-Identifier: MIT
 * Gets: reads registers into arrays. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/room.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include <string.h>

/* Elements that lie on the machine. */
static uint64_t placed_elements(const mpu_session *session, const struct variable *variable) {
    size_t first, n = package_group_placements(session->here, variable->group, &first);
    uint64_t count = 0;
    for (size_t i = first; i < first + n; i++)
        count += session->here->placements[i].count;
    return count;
}

static void read_group(mpu_session *session, const struct variable *variable,
                       struct ndarray *array) {
    session_each_row(session, variable, array, datapath_get_elements);
}

static void get_group(mpu_session *session, const struct variable *variable,
                      struct ndarray *array) {
    if (placed_elements(session, variable) * variable->count <
        array->count) /* nothing is left as it was allocated */
        memset(array->data, 0, (size_t)array->count * (array->type.bits / 8u));
    read_group(session, variable, array);
}

static void read_first(mpu_session *session, const struct variable *variable,
                       const struct placement *at, struct ndarray *array) {
    for (uint32_t k = 0; k < variable->count; k++) {
        struct dp_elements x = session_variable_elements(session, variable, k, array);
        x.vrf = session_placement_vrf(session, at);
        x.count = 1;
        datapath_get_elements(session->dp, &x);
    }
}

void session_get_here(mpu_session *session, const struct variable *variable,
                      struct ndarray *array) {
    const struct placement *at;
    if (variable->group != NO_INDEX)
        read_group(session, variable, array);
    else if ((at = session_first_placement(session->here, variable)))
        read_first(session, variable, at, array);
}

/* Without a group: element 0 of the first group that it lies in. */
static mpu_result get_first(mpu_session *session, const struct variable *variable,
                            struct ndarray *array, struct diag *diag) {
    const struct placement *at = session_first_placement(session->package, variable);
    if (!at) {
        diag_error(diag, NO_SPAN,
                   "variable '%s' has no group and the program has none: name a register, as in "
                   "RFH0.VRF0.r%u",
                   variable->name, (unsigned)variable->reg);
        return MPU_REJECTED;
    }
    read_first(session, variable, at, array);
    return MPU_OK;
}

/* All that there is of a variable. */
static mpu_result get_all(mpu_session *session, const struct variable *variable,
                          struct ndarray *array, struct diag *diag) {
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS];
    if (session_in_rounds(session)) {
        *array = session_rounds_left(session, variable);
        return MPU_OK;
    }
    session_variable_shape(session, variable, &ndim, shape);
    struct element_type type = session_host_type(object_variable_array_type(variable));
    if (!room_for_array(variable->name, type.bits, ndim, shape, 0, diag))
        return MPU_REJECTED;
    if (!ndarray_make_unset(array, type, ndim, shape)) {
        diag_error(diag, NO_SPAN, "variable '%s' is too large for an array", variable->name);
        return MPU_REJECTED;
    }
    if (variable->group == NO_INDEX && get_first(session, variable, array, diag) != MPU_OK)
        return MPU_REJECTED;
    if (variable->group == NO_INDEX)
        session_finish_give(session, variable, array);
    else
        get_group(session, variable, array);
    return MPU_OK;
}

/* The first elements of one dimension, as many as the variable's length says. */
static mpu_result cut_to_length(mpu_session *session, const struct variable *variable,
                                struct ndarray *array, struct diag *diag) {
    uint32_t length =
        object_length_of(session->object, (uint32_t)(variable - session->object->vars.data));
    struct ndarray n = {0};
    if (length == NO_INDEX)
        return MPU_OK;
    const struct variable *of = &session->object->vars.data[length];
    if (get_all(session, of, &n, diag) != MPU_OK)
        return MPU_REJECTED;
    uint64_t count = ndarray_get(&n, 0), all = array->shape[0];
    ndarray_free(&n);
    if (count > all) {
        diag_error(diag, NO_SPAN,
                   "the length of '%s', in '%s', is %llu, and there are %llu elements",
                   variable->name, of->name, (unsigned long long)count, (unsigned long long)all);
        return MPU_REJECTED;
    }
    array->shape[0] = count;
    array->count = count * variable->count;
    return MPU_OK;
}

static mpu_result get_variable(mpu_session *session, const struct variable *variable,
                               struct ndarray *array, struct diag *diag) {
    mpu_result r = get_all(session, variable, array, diag);
    return r == MPU_OK && variable->group != NO_INDEX
               ? cut_to_length(session, variable, array, diag)
               : r;
}

static mpu_result get_bare(mpu_session *session, const struct place_name *place_name,
                           const char *name, struct ndarray *array, struct diag *diag) {
    uint64_t count = session_bare_lanes(session);
    struct lane_type type =
        place_name->typed ? place_name->type : (struct lane_type){TYPE_UINT, 64};
    uint32_t vrf = session_bare_vrf(session, place_name, name, diag);
    if (vrf == NO_INDEX)
        return MPU_REJECTED;
    if (count > session->package->lanes)
        count = session->package->lanes;
    if (!ndarray_make(array, session_host_type(type), 1, &count))
        return MPU_REJECTED;
    struct dp_elements x = {.vrf = vrf,
                            .lanes = session->package->lanes,
                            .reg = place_name->reg,
                            .bits = type.bits,
                            .bytes = array->type.bits / 8u,
                            .sign = type.kind == TYPE_INT,
                            .count = count,
                            .step = 1,
                            .data = array->data};
    datapath_get_elements(session->dp, &x);
    struct host_slice one = {vrf, array->count * (array->type.bits / 8u)};
    session_charge(session, session_resident_register(session, place_name), HOST_OUT, &one, 1);
    return MPU_OK;
}

static void charge_variable(mpu_session *session, const struct variable *variable,
                            const struct ndarray *array) {
    if (session_in_rounds(session))
        session_rounds_charge_get(session, variable);
    else if (variable->group != NO_INDEX)
        session_charge_group(session, session->package, variable, HOST_OUT,
                             array->count / variable->count);
    else
        session_charge_first(session, variable);
}

/* Rounds keep what was named before the run alone. */
static bool was_wanted(const mpu_session *session, uint32_t variable, struct diag *diag) {
    if (!session_in_rounds(session) || !session->unwanted[variable])
        return true;
    diag_error(diag, NO_SPAN,
               "'%s' was not kept: the program ran in %llu rounds, and nobody had said before that "
               "it is wanted",
               session->object->vars.data[variable].name,
               (unsigned long long)session->package->rounds);
    return false;
}

mpu_result session_view_diag(mpu_session *session, const char *name, struct ndarray *array,
                             struct diag *diag) {
    struct place_name p;
    *array = (struct ndarray){0};
    if (!session_place_parse(session, name, &p, diag) ||
        (!p.bare && !p.memory && !session_consumed_readable(session, p.variable, diag)))
        return MPU_USAGE;
    mpu_result r = session->dp ? MPU_OK : session_prepare(session, diag);
    if (r == MPU_OK && (!session_rounds_readable(session, diag) ||
                        (!p.bare && !p.memory &&
                         (!was_wanted(session, p.variable, diag) ||
                          !session_is_placed(session, p.variable, diag)))))
        r = MPU_USAGE;
    if (r != MPU_OK)
        return r;
    if (p.memory) {
        r = session_buffer_get(session, p.variable, array, diag);
        if (r == MPU_OK) {
            session_charge_buffer(session, p.variable, HOST_OUT);
            session->buffers.was_read[p.variable] = 1;
        }
        return r;
    }
    r = p.bare ? get_bare(session, &p, name, array, diag)
               : get_variable(session, &session->object->vars.data[p.variable], array, diag);
    if (r != MPU_OK) {
        ndarray_free(array);
    } else if (!p.bare) {
        charge_variable(session, &session->object->vars.data[p.variable], array);
        session->was_read[p.variable] = 1;
    }
    return r;
}

bool session_get_into(mpu_session *session, const char *name, void *to, uint64_t bytes) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct place_name p;
    bool fine = session->dp && session_place_parse(session, name, &p, quiet) && !p.bare &&
                p.memory && session_buffer_read(session, p.variable, to, bytes, quiet);
    diag_free(quiet);
    if (fine) {
        session_charge_buffer(session, p.variable, HOST_OUT);
        session->buffers.was_read[p.variable] = 1;
    }
    return fine;
}

mpu_result session_get_diag(mpu_session *session, const char *name, struct ndarray *array,
                            struct diag *diag) {
    mpu_result r = session_view_diag(session, name, array, diag);
    if (r == MPU_OK && array->borrowed)
        *array = ndarray_copy(array);
    return r;
}
