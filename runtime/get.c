/* SPDX-License-Identifier: MIT
 * From registers to arrays. */
#include "runtime/internal.h"

#include <string.h>

/* Elements that lie on the machine. */
static uint64_t placed_elements(const mpu_session *s, const struct variable *v) {
    size_t first, n = group_placements(s->here, v->group, &first);
    uint64_t count = 0;
    for (size_t i = first; i < first + n; i++)
        count += s->here->placements[i].count;
    return count;
}

static void read_group(mpu_session *s, const struct variable *v, struct array *a) {
    each_row(s, v, a, datapath_get_elements);
}

static void get_group(mpu_session *s, const struct variable *v, struct array *a) {
    if (placed_elements(s, v) * v->count < a->count) /* nothing is left as it was allocated */
        memset(a->data, 0, (size_t)a->count * (a->type.bits / 8u));
    read_group(s, v, a);
}

static void read_first(mpu_session *s, const struct variable *v, const struct placement *at,
                       struct array *a) {
    for (uint32_t k = 0; k < v->count; k++) {
        struct dp_elements x = variable_elements(s, v, k, a);
        x.vrf = placement_vrf(s, at);
        x.count = 1;
        datapath_get_elements(s->dp, &x);
    }
}

void get_here(mpu_session *s, const struct variable *v, struct array *a) {
    const struct placement *at;
    if (v->group != NO_INDEX)
        read_group(s, v, a);
    else if ((at = first_placement(s->here, v)))
        read_first(s, v, at, a);
}

/* Without a group: element 0 of the first group that it lies in. */
static mpu_result get_first(mpu_session *s, const struct variable *v, struct array *a,
                            struct diag *d) {
    const struct placement *at = first_placement(s->package, v);
    if (!at) {
        diag_error(d, NO_SPAN,
                   "variable '%s' has no group and the program has none: name a register, as in "
                   "RFH0.VRF0.r%u",
                   v->name, (unsigned)v->reg);
        return MPU_REJECTED;
    }
    read_first(s, v, at, a);
    return MPU_OK;
}

/* All that there is of a variable. */
static mpu_result get_all(mpu_session *s, const struct variable *v, struct array *a,
                          struct diag *d) {
    uint32_t ndim;
    uint64_t shape[ARRAY_MAX_DIMS];
    if (in_rounds(s)) {
        *a = rounds_left(s, v);
        return MPU_OK;
    }
    variable_shape(s, v, &ndim, shape);
    if (!array_make_unset(a, host_type(object_variable_array_type(v)), ndim, shape)) {
        diag_error(d, NO_SPAN, "variable '%s' is too large for an array", v->name);
        return MPU_REJECTED;
    }
    if (v->group == NO_INDEX && get_first(s, v, a, d) != MPU_OK)
        return MPU_REJECTED;
    if (v->group == NO_INDEX)
        finish_give(s, v, a);
    else
        get_group(s, v, a);
    return MPU_OK;
}

/* The first elements of one dimension, as many as the variable's length says. */
static mpu_result cut_to_length(mpu_session *s, const struct variable *v, struct array *a,
                                struct diag *d) {
    uint32_t length = object_length_of(s->object, (uint32_t)(v - s->object->vars.data));
    struct array n = {0};
    if (length == NO_INDEX)
        return MPU_OK;
    const struct variable *of = &s->object->vars.data[length];
    if (get_all(s, of, &n, d) != MPU_OK)
        return MPU_REJECTED;
    uint64_t count = array_get(&n, 0), all = a->shape[0];
    array_free(&n);
    if (count > all) {
        diag_error(d, NO_SPAN, "the length of '%s', in '%s', is %llu, and there are %llu elements",
                   v->name, of->name, (unsigned long long)count, (unsigned long long)all);
        return MPU_REJECTED;
    }
    a->shape[0] = count;
    a->count = count * v->count;
    return MPU_OK;
}

static mpu_result get_variable(mpu_session *s, const struct variable *v, struct array *a,
                               struct diag *d) {
    mpu_result r = get_all(s, v, a, d);
    return r == MPU_OK && v->group != NO_INDEX ? cut_to_length(s, v, a, d) : r;
}

static mpu_result get_bare(mpu_session *s, const struct place_name *p, const char *name,
                           struct array *a, struct diag *d) {
    uint64_t count = s->object->geometry.lanes;
    struct mpu_type type = p->typed ? p->type : (struct mpu_type){TYPE_UINT, 64};
    uint32_t vrf = bare_vrf(s, p, name, d);
    if (vrf == NO_INDEX)
        return MPU_REJECTED;
    if (count > s->package->lanes)
        count = s->package->lanes;
    if (!array_make(a, host_type(type), 1, &count))
        return MPU_REJECTED;
    struct dp_elements x = {.vrf = vrf,
                            .lanes = s->package->lanes,
                            .reg = p->reg,
                            .bits = type.bits,
                            .bytes = a->type.bits / 8u,
                            .sign = type.kind == TYPE_INT,
                            .count = count,
                            .step = 1,
                            .data = a->data};
    datapath_get_elements(s->dp, &x);
    struct host_slice one = {vrf, a->count * (a->type.bits / 8u)};
    host_charge(s, HOST_OUT, &one, 1);
    return MPU_OK;
}

static void charge_variable(mpu_session *s, const struct variable *v, const struct array *a) {
    if (in_rounds(s))
        rounds_charge_get(s, v);
    else if (v->group != NO_INDEX)
        host_charge_group(s, s->package, v, HOST_OUT, a->count / v->count);
    else
        host_charge_first(s, v);
}

/* Rounds keep what was named before the run alone. */
static bool was_wanted(const mpu_session *s, uint32_t variable, struct diag *d) {
    if (!in_rounds(s) || !s->unwanted[variable])
        return true;
    diag_error(d, NO_SPAN,
               "'%s' was not kept: the program ran in %llu rounds, and nobody had said before that "
               "it is wanted",
               s->object->vars.data[variable].name, (unsigned long long)s->package->rounds);
    return false;
}

mpu_result session_view_diag(mpu_session *s, const char *name, struct array *a, struct diag *d) {
    struct place_name p;
    *a = (struct array){0};
    if (!place_name_parse(s->object, name, &p, d) ||
        (!p.bare && !consumed_readable(s, p.variable, d)))
        return MPU_USAGE;
    mpu_result r = s->dp ? MPU_OK : session_prepare(s, d);
    if (r == MPU_OK && (!rounds_readable(s, d) || (!p.bare && !was_wanted(s, p.variable, d))))
        r = MPU_USAGE;
    if (r != MPU_OK)
        return r;
    r = p.bare ? get_bare(s, &p, name, a, d)
               : get_variable(s, &s->object->vars.data[p.variable], a, d);
    if (r != MPU_OK)
        array_free(a);
    else if (!p.bare)
        charge_variable(s, &s->object->vars.data[p.variable], a);
    return r;
}

mpu_result session_get_diag(mpu_session *s, const char *name, struct array *a, struct diag *d) {
    mpu_result r = session_view_diag(s, name, a, d);
    if (r == MPU_OK && a->borrowed)
        *a = array_copy(a);
    return r;
}
