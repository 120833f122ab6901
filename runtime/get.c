/* SPDX-License-Identifier: MIT
 * From registers to arrays. */
#include "runtime/internal.h"

#include "support/bits.h"

/* A register's pattern as an element of the type. */
static uint64_t element(struct mpu_type type, uint64_t pattern) {
    uint64_t bits = pattern & low_bits(type.bits);
    return type.kind == TYPE_INT ? (uint64_t)sign_extend(bits, type.bits) : bits;
}

static void read_lanes(mpu_session *s, uint32_t vrf, unsigned reg, struct mpu_type type,
                       uint32_t count, uint64_t first, uint64_t step, struct array *a) {
    uint64_t lanes[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < count; done += n) {
        n = dp_piece(done, count);
        s->dp->ops->get(s->dp, vrf, DP_REGISTER, reg, done, n, lanes);
        for (uint32_t i = 0; i < n; i++)
            array_set(a, first + (done + i) * step, element(type, lanes[i]));
    }
}

static void read_group(mpu_session *s, const struct variable *v, struct array *a) {
    size_t first, n = group_placements(s->here, v->group, &first);
    for (size_t i = first; i < first + n; i++) {
        const struct placement *p = &s->here->placements[i];
        for (uint32_t k = 0; k < v->count; k++)
            read_lanes(s, placement_vrf(s, p), v->reg + k, v->type, p->count,
                       p->first * v->count + k, v->count, a);
    }
}

static void get_group(mpu_session *s, const struct variable *v, struct array *a) {
    if (in_rounds(s))
        rounds_copy(s, v, a);
    else
        read_group(s, v, a);
}

static void read_first(mpu_session *s, const struct variable *v, const struct placement *at,
                       struct array *a) {
    for (uint32_t k = 0; k < v->count; k++)
        read_lanes(s, placement_vrf(s, at), v->reg + k, v->type, 1, k, 0, a);
}

void get_here(mpu_session *s, const struct variable *v, struct array *a) {
    if (v->group != NO_INDEX)
        read_group(s, v, a);
    else if (s->here->placement_count)
        read_first(s, v, &s->here->placements[0], a);
}

/* Without a group: element 0 of the first group. */
static mpu_result get_first(mpu_session *s, const struct variable *v, struct array *a,
                            struct diag *d) {
    size_t first;
    if (s->object->groups.len == 0 || group_placements(s->package, 0, &first) == 0) {
        diag_error(d, NO_SPAN,
                   "variable '%s' has no group and the program has none: name a register, as in "
                   "RFH0.VRF0.r%u",
                   v->name, (unsigned)v->reg);
        return MPU_REJECTED;
    }
    if (in_rounds(s))
        rounds_copy(s, v, a);
    else
        read_first(s, v, &s->package->placements[first], a);
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
    if (!array_make(&n, host_type(of->type), 0, NULL) || get_first(s, of, &n, d) != MPU_OK) {
        array_free(&n);
        return MPU_REJECTED;
    }
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
    uint32_t ndim;
    uint64_t shape[ARRAY_MAX_DIMS];
    variable_shape(s, v, &ndim, shape);
    if (!array_make(a, host_type(v->type), ndim, shape)) {
        diag_error(d, NO_SPAN, "variable '%s' is too large for an array", v->name);
        return MPU_REJECTED;
    }
    if (v->group == NO_INDEX)
        return get_first(s, v, a, d);
    get_group(s, v, a);
    return cut_to_length(s, v, a, d);
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
    read_lanes(s, vrf, p->reg, type, (uint32_t)count, 0, 1, a);
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

mpu_result session_get_diag(mpu_session *s, const char *name, struct array *a, struct diag *d) {
    struct place_name p;
    *a = (struct array){0};
    if (!place_name_parse(s->object, name, &p, d) ||
        (!p.bare && !consumed_readable(s, p.variable, d)))
        return MPU_USAGE;
    mpu_result r = s->dp ? MPU_OK : session_prepare(s, d);
    if (r == MPU_OK && !rounds_readable(s, d))
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
