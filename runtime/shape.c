/* SPDX-License-Identifier: MIT
 * Shapes of variables' arrays: the MPU grid where the group is per MPU, the extents of the group,
 * then k of T[k]; or the shape that the variable's form gives. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include <string.h>

static uint64_t extent_value(const mpu_session *session, const struct extent *extent) {
    return extent->size == NO_INDEX ? extent->value : (uint64_t)session->sizes[extent->size];
}

static const struct group *group_of(const struct object *object, const struct variable *variable) {
    return variable->group == NO_INDEX ? NULL : &object->groups.data[variable->group];
}

static uint32_t grid_dims_of(const struct object *object, const struct variable *variable) {
    const struct group *g = group_of(object, variable);
    return g && g->per_mpu ? object->geometry.grid_dims : 0;
}

uint64_t session_group_size(const mpu_session *session, uint32_t group) {
    const struct group *g = &session->object->groups.data[group];
    uint64_t n = g->per_mpu ? grid_mpus(&session->object->geometry) : 1;
    for (uint32_t i = 0; i < g->ndim; i++)
        if (__builtin_mul_overflow(n, extent_value(session, &g->extent[i]), &n))
            return UINT64_MAX;
    return n;
}

uint32_t session_variable_dims(const struct object *object, const struct variable *variable) {
    const struct group *g = group_of(object, variable);
    if (variable->form.shaped)
        return variable->form.ndim;
    return grid_dims_of(object, variable) + (g ? g->ndim : 0) +
           (variable->has_k && variable->form.order != FORM_SPLIT);
}

const struct extent *session_variable_extent(const struct object *object,
                                             const struct variable *variable, uint32_t index) {
    const struct group *g = group_of(object, variable);
    uint32_t first = grid_dims_of(object, variable) + (variable->form.order == FORM_FIRST);
    if (variable->form.shaped)
        return index < variable->form.ndim ? &variable->form.shape[index] : NULL;
    return g && index >= first && index - first < g->ndim ? &g->extent[index - first] : NULL;
}

uint64_t session_variable_times(const struct object *object, const struct variable *variable,
                                uint32_t index) {
    uint32_t first = variable->form.order == FORM_FIRST; /* k stands before the grid */
    bool last =
        variable->form.order == FORM_SPLIT && index + 1 == session_variable_dims(object, variable);
    if (session_variable_extent(object, variable, index))
        return last ? variable->count : 1;
    return index - first < grid_dims_of(object, variable) ? object->geometry.grid[index - first]
                                                          : variable->count;
}

/* An extent is open while it is a size without a value. */
static const struct extent *open_extent(const mpu_session *session, const struct variable *variable,
                                        uint32_t index) {
    const struct extent *e = session_variable_extent(session->object, variable, index);
    return e && e->size != NO_INDEX && !session->size_bound[e->size] ? e : NULL;
}

/* Dimension `index`, which is not open. */
static uint64_t dim_at(const mpu_session *session, const struct variable *variable,
                       uint32_t index) {
    const struct extent *e = session_variable_extent(session->object, variable, index);
    return session_variable_times(session->object, variable, index) *
           (e ? extent_value(session, e) : 1);
}

void session_variable_shape(const mpu_session *session, const struct variable *variable,
                            uint32_t *ndim, uint64_t shape[NDARRAY_MAX_DIMS]) {
    *ndim = session_variable_dims(session->object, variable);
    for (uint32_t i = 0; i < *ndim; i++)
        shape[i] = dim_at(session, variable, i);
}

/* Whether an array has the variable's extents, as far as they are known. */
static bool extents_fit(const mpu_session *session, const struct variable *variable,
                        const struct ndarray *array) {
    bool fit = array->ndim == session_variable_dims(session->object, variable);
    for (uint32_t i = 0; fit && i < array->ndim; i++)
        fit = open_extent(session, variable, i) || dim_at(session, variable, i) == array->shape[i];
    return fit;
}

/* The extents that `count` numbers have there, of which one may be open: what divides them.  False
 * where several are, or the number is not right. */
static bool shape_of_count(const mpu_session *session, const struct variable *variable,
                           uint64_t count, struct ndarray *shape) {
    uint32_t open = NO_INDEX;
    uint64_t n = 1;
    shape->ndim = session_variable_dims(session->object, variable);
    for (uint32_t i = 0; i < shape->ndim; i++) {
        bool is_open = open_extent(session, variable, i);
        if (is_open && open != NO_INDEX)
            return false;
        open = is_open ? i : open;
        shape->shape[i] = is_open ? 1 : dim_at(session, variable, i);
        if (__builtin_mul_overflow(n, shape->shape[i], &n))
            return false;
    }
    if (open == NO_INDEX)
        return n == count;
    shape->shape[open] = n ? count / n : 0;
    return n && count && count % n == 0;
}

/* Numbers from a text have no shape of their own, but for a CSV of several rows and columns: they
 * take the variable's, if that has one dimension or their number is right. */
static void give_shape(const mpu_session *session, const struct variable *variable,
                       struct ndarray *array) {
    uint32_t dims = session_variable_dims(session->object, variable);
    struct ndarray shape = {.ndim = 1, .shape = {array->count}};
    bool free = dims <= 1 || data_is_flat(array);
    if (!free || (dims != 1 && extents_fit(session, variable, array)))
        return;
    if (dims != 1 && !shape_of_count(session, variable, array->count, &shape))
        return;
    array->ndim = shape.ndim;
    memcpy(array->shape, shape.shape, sizeof shape.shape);
}

/* Gives open sizes the extents of an array; *bound has a bit for each extent that did.  False after
 * reporting that a size cannot be so large. */
static bool bind_by_shape(mpu_session *session, const struct variable *variable,
                          const struct ndarray *array, uint32_t *bound, struct diag *diag) {
    bool allowed = true;
    *bound = 0;
    for (uint32_t i = 0; i < array->ndim && allowed; i++) {
        const struct extent *e = open_extent(session, variable, i);
        uint64_t times = session_variable_times(session->object, variable, i);
        if (!e || array->shape[i] == 0 || array->shape[i] % times ||
            session->object->sizes.data[e->size].op != SIZE_GIVEN)
            continue;
        allowed = object_size_allows(session->object, e->size, array->shape[i] / times, diag);
        session->sizes[e->size] = (int64_t)(array->shape[i] / times);
        session->size_bound[e->size] = 1;
        *bound |= 1u << i;
    }
    session_settle(session);
    return allowed;
}

/* An array that is refused binds nothing. */
static void unbind(mpu_session *session, const struct variable *variable, uint32_t bound) {
    for (uint32_t i = 0; i < NDARRAY_MAX_DIMS; i++)
        if (bound >> i & 1)
            session_unbind(session, session_variable_extent(session->object, variable, i)->size);
}

/* A size by its name, or by its formula. */
static void size_text(const struct object *object, uint32_t size, struct str *out) {
    if (object_size_is_unnamed(&object->sizes.data[size]))
        object_size_formula(object, size, out);
    else
        str_append(out, object->sizes.data[size].name);
}

/* "8 * n", or the number where it is known. */
static void dim_text(const mpu_session *session, const struct variable *variable, uint32_t index,
                     struct str *out) {
    const struct extent *e = open_extent(session, variable, index);
    if (!e) {
        str_printf(out, "%lld",
                   (long long)dim_at(session, variable, index)); /* a derived one may be below 0 */
        return;
    }
    if (session_variable_times(session->object, variable, index) > 1)
        str_printf(out, "%llu * ",
                   (unsigned long long)session_variable_times(session->object, variable, index));
    size_text(session->object, e->size, out);
}

static void expected_text(const mpu_session *session, const struct variable *variable,
                          struct str *out) {
    uint32_t dims = session_variable_dims(session->object, variable);
    str_char(out, '(');
    for (uint32_t i = 0; i < dims; i++) {
        str_append(out, i ? ", " : "");
        dim_text(session, variable, i, out);
    }
    str_append(out, dims == 1 ? ",)" : ")");
}

/* Extents that are constants of the source have no sizes. */
static void note_constants(const mpu_session *session, const struct variable *variable,
                           const struct ndarray *array, struct diag *diag) {
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS];
    if (array->ndim != session_variable_dims(session->object, variable))
        return;
    for (uint32_t i = 0; i < array->ndim; i++)
        if (open_extent(session, variable, i))
            return;
    session_variable_shape(session, variable, &ndim, shape);
    session_note_fitting_constants(session->object, variable->name, shape, array, diag);
}

static mpu_result wrong_shape(const mpu_session *session, const struct variable *variable,
                              const char *name, const struct ndarray *array, struct diag *diag) {
    struct str have = {0}, want = {0};
    ndarray_shape_text(array, &have);
    expected_text(session, variable, &want);
    diag_error(diag, NO_SPAN, "the array for '%s' has shape %s; the variable has shape %s", name,
               str_text(&have), str_text(&want));
    diag_note(diag, object_span(session->object, variable->place, diag), "'%s' is declared here",
              variable->name);
    for (uint32_t i = 0; i < session_variable_dims(session->object, variable); i++) {
        const struct extent *e = session_variable_extent(session->object, variable, i);
        if (e && e->size != NO_INDEX && session->size_bound[e->size])
            object_size_note(session->object, e->size, session->sizes, diag);
    }
    note_constants(session, variable, array, diag);
    str_free(&have);
    str_free(&want);
    return MPU_REJECTED;
}

static mpu_result too_large(const char *name, const struct ndarray *array, struct diag *diag) {
    struct str have = {0};
    ndarray_shape_text(array, &have);
    diag_note(diag, NO_SPAN, "the array for '%s' has shape %s", name, str_text(&have));
    str_free(&have);
    return MPU_REJECTED;
}

/* Derived extents may be open: what they are made of is known later, or is a default. */
static bool shape_matches(const mpu_session *session, const struct variable *variable,
                          const struct ndarray *array) {
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS];
    if (array->ndim != session_variable_dims(session->object, variable))
        return false;
    session_variable_shape(session, variable, &ndim, shape);
    for (uint32_t i = 0; i < ndim; i++) {
        const struct extent *e = open_extent(session, variable, i);
        if (e ? session->object->sizes.data[e->size].op == SIZE_GIVEN : shape[i] != array->shape[i])
            return false;
    }
    return true;
}

bool session_shape_still_fits(const mpu_session *session, const struct pending_put *put,
                              struct diag *diag) {
    if (put->place.bare)
        return true;
    const struct variable *v = session_place_variable(session, &put->place);
    return shape_matches(session, v, &put->values) ||
           wrong_shape(session, v, put->name, &put->values, diag) == MPU_OK;
}

uint32_t session_bare_lanes(const mpu_session *session) {
    return session_whole_vrfs(session) ? session->target->t->lanes
                                       : session->object->geometry.lanes;
}

/* A register of a fixed VRF takes at most L elements, in whatever shape. */
static mpu_result accept_bare(const mpu_session *session, const char *name, struct ndarray *array,
                              struct diag *diag) {
    uint32_t lanes = session_bare_lanes(session);
    if (array->count <= lanes) {
        array->ndim = 1;
        array->shape[0] = array->count;
        return MPU_OK;
    }
    diag_error(diag, NO_SPAN, "the array for %s has %llu elements; a fixed VRF has %u lanes", name,
               (unsigned long long)array->count, (unsigned)lanes);
    return MPU_REJECTED;
}

mpu_result session_shape_accept(mpu_session *session, const struct place_name *place_name,
                                const char *name, enum source_form form, struct ndarray *array,
                                struct diag *diag) {
    if (place_name->bare)
        return accept_bare(session, name, array, diag);
    const struct variable *v = session_place_variable(session, place_name);
    if (form == FORM_TEXT)
        give_shape(session, v, array);
    uint32_t bound = 0;
    bool allowed = array->ndim != session_variable_dims(session->object, v) ||
                   bind_by_shape(session, v, array, &bound, diag);
    if (allowed && shape_matches(session, v, array))
        return MPU_OK;
    unbind(session, v, bound);
    return allowed ? wrong_shape(session, v, name, array, diag) : too_large(name, array, diag);
}

/* An array of such a shape cannot be made. */
static bool extent_possible(const mpu_session *session, const struct variable *variable,
                            const struct extent *extent, struct diag *diag) {
    if (extent->size == NO_INDEX || session->sizes[extent->size] >= 1)
        return true;
    diag_error(diag, NO_SPAN, "an extent of '%s' comes to %lld; extents are 1 to 2^40",
               variable->name, (long long)session->sizes[extent->size]);
    object_size_note(session->object, extent->size, session->sizes, diag);
    return false;
}

/* False after reporting a size without a value, or with one that is no extent. */
static bool settle_sizes(mpu_session *session, const struct variable *variable, struct diag *diag) {
    for (uint32_t i = 0; i < session_variable_dims(session->object, variable); i++) {
        const struct extent *e = open_extent(session, variable, i),
                            *known = session_variable_extent(session->object, variable, i);
        if (e && !session_default(session, e->size, variable->name, diag))
            return false;
        if (known && !extent_possible(session, variable, known, diag))
            return false;
    }
    session_settle(session);
    return true;
}

mpu_result session_shape_diag(mpu_session *session, const char *name, struct ndarray *like,
                              struct element_type *held, struct diag *diag) {
    struct place_name p;
    uint32_t value = object_find_value(session->object, name);
    if (value != NO_INDEX) {
        session_value_like(&session->object->values.data[value], like, held);
        return MPU_OK;
    }
    *like = (struct ndarray){.ndim = 1, .shape = {session_bare_lanes(session)}};
    if (!session_place_parse(session, name, &p, diag))
        return MPU_USAGE;
    if (p.bare) {
        uint8_t kept = session->package ? session->package->reg_bits[p.reg] : 0;
        like->type = session_host_type(p.typed ? p.type : (struct lane_type){TYPE_UINT, 64});
        *held = (struct element_type){like->type.kind, p.typed ? p.type.bits : kept ? kept : 64};
        return MPU_OK;
    }
    const struct variable *v = session_place_variable(session, &p);
    if (!settle_sizes(session, v, diag))
        return MPU_REJECTED;
    like->type = session_host_type(object_variable_array_type(v));
    *held = (struct element_type){session_host_type(v->type).kind, v->type.bits};
    session_variable_shape(session, v, &like->ndim, like->shape);
    return MPU_OK;
}
