/* SPDX-License-Identifier: MIT
 * Shapes of variables: the MPU grid where the group is per MPU, the extents of the group, then k of
 * T[k]; or what the form of the variable's array says. */
#include "runtime/internal.h"

#include <string.h>

static uint64_t extent_value(const mpu_session *s, const struct extent *e) {
    return e->size == NO_INDEX ? e->value : (uint64_t)s->sizes[e->size];
}

static const struct group *group_of(const struct object *o, const struct variable *v) {
    return v->group == NO_INDEX ? NULL : &o->groups.data[v->group];
}

static uint32_t grid_dims_of(const struct object *o, const struct variable *v) {
    const struct group *g = group_of(o, v);
    return g && g->per_mpu ? o->geometry.grid_dims : 0;
}

uint64_t group_size(const mpu_session *s, uint32_t group) {
    const struct group *g = &s->object->groups.data[group];
    uint64_t n = g->per_mpu ? grid_mpus(&s->object->geometry) : 1;
    for (uint32_t i = 0; i < g->ndim; i++)
        if (__builtin_mul_overflow(n, extent_value(s, &g->extent[i]), &n))
            return UINT64_MAX;
    return n;
}

uint32_t variable_dims(const struct object *o, const struct variable *v) {
    const struct group *g = group_of(o, v);
    if (v->form.shaped)
        return v->form.ndim;
    return grid_dims_of(o, v) + (g ? g->ndim : 0) + (v->has_k && v->form.order != FORM_SPLIT);
}

const struct extent *variable_extent(const struct object *o, const struct variable *v, uint32_t i) {
    const struct group *g = group_of(o, v);
    uint32_t first = grid_dims_of(o, v) + (v->form.order == FORM_FIRST);
    if (v->form.shaped)
        return i < v->form.ndim ? &v->form.shape[i] : NULL;
    return g && i >= first && i - first < g->ndim ? &g->extent[i - first] : NULL;
}

uint64_t variable_times(const struct object *o, const struct variable *v, uint32_t i) {
    uint32_t first = v->form.order == FORM_FIRST; /* k stands before the grid */
    bool last = v->form.order == FORM_SPLIT && i + 1 == variable_dims(o, v);
    if (variable_extent(o, v, i))
        return last ? v->count : 1;
    return i - first < grid_dims_of(o, v) ? o->geometry.grid[i - first] : v->count;
}

/* An extent is open while it is a size without a value. */
static const struct extent *open_extent(const mpu_session *s, const struct variable *v,
                                        uint32_t i) {
    const struct extent *e = variable_extent(s->object, v, i);
    return e && e->size != NO_INDEX && !s->size_bound[e->size] ? e : NULL;
}

/* Dimension i, which is not open. */
static uint64_t dim_at(const mpu_session *s, const struct variable *v, uint32_t i) {
    const struct extent *e = variable_extent(s->object, v, i);
    return variable_times(s->object, v, i) * (e ? extent_value(s, e) : 1);
}

void variable_shape(const mpu_session *s, const struct variable *v, uint32_t *ndim,
                    uint64_t shape[ARRAY_MAX_DIMS]) {
    *ndim = variable_dims(s->object, v);
    for (uint32_t i = 0; i < *ndim; i++)
        shape[i] = dim_at(s, v, i);
}

/* Numbers from a text have no shape of their own, but for a CSV of several columns: they take the
 * variable's if that has one dimension, or is known and as large. */
static void give_shape(const mpu_session *s, const struct variable *v, struct array *a) {
    uint32_t dims = variable_dims(s->object, v), ndim;
    uint64_t shape[ARRAY_MAX_DIMS], n = 1;
    if (a->ndim == dims && dims != 1)
        return;
    if (dims == 1) {
        a->ndim = 1;
        a->shape[0] = a->count;
        return;
    }
    for (uint32_t i = 0; i < dims; i++)
        if (open_extent(s, v, i))
            return;
    variable_shape(s, v, &ndim, shape);
    for (uint32_t i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(n, shape[i], &n))
            return;
    if (n == a->count && (a->ndim <= 1 || dims == 0)) {
        a->ndim = ndim;
        memcpy(a->shape, shape, sizeof shape);
    }
}

/* Gives open sizes the extents of an array; *bound has a bit for each extent that did.  False after
 * reporting that a size cannot be so large. */
static bool bind_by_shape(mpu_session *s, const struct variable *v, const struct array *a,
                          uint32_t *bound, struct diag *d) {
    bool allowed = true;
    *bound = 0;
    for (uint32_t i = 0; i < a->ndim && allowed; i++) {
        const struct extent *e = open_extent(s, v, i);
        uint64_t times = variable_times(s->object, v, i);
        if (!e || a->shape[i] == 0 || a->shape[i] % times ||
            s->object->sizes.data[e->size].op != SIZE_GIVEN)
            continue;
        allowed = object_size_allows(s->object, e->size, a->shape[i] / times, d);
        s->sizes[e->size] = (int64_t)(a->shape[i] / times);
        s->size_bound[e->size] = 1;
        *bound |= 1u << i;
    }
    session_settle(s);
    return allowed;
}

/* An array that is refused binds nothing. */
static void unbind(mpu_session *s, const struct variable *v, uint32_t bound) {
    for (uint32_t i = 0; i < ARRAY_MAX_DIMS; i++)
        if (bound >> i & 1)
            session_unbind(s, variable_extent(s->object, v, i)->size);
}

/* A size by its name, or by its formula. */
static void size_text(const struct object *o, uint32_t size, struct str *out) {
    if (object_size_is_unnamed(&o->sizes.data[size]))
        object_size_formula(o, size, out);
    else
        str_append(out, o->sizes.data[size].name);
}

/* "8 * n", or the number where it is known. */
static void dim_text(const mpu_session *s, const struct variable *v, uint32_t i, struct str *out) {
    const struct extent *e = open_extent(s, v, i);
    if (!e) {
        str_printf(out, "%lld", (long long)dim_at(s, v, i)); /* a derived one may be below 0 */
        return;
    }
    if (variable_times(s->object, v, i) > 1)
        str_printf(out, "%llu * ", (unsigned long long)variable_times(s->object, v, i));
    size_text(s->object, e->size, out);
}

static void expected_text(const mpu_session *s, const struct variable *v, struct str *out) {
    uint32_t dims = variable_dims(s->object, v);
    str_char(out, '(');
    for (uint32_t i = 0; i < dims; i++) {
        str_append(out, i ? ", " : "");
        dim_text(s, v, i, out);
    }
    str_append(out, dims == 1 ? ",)" : ")");
}

/* Extents that are constants of the source have no sizes. */
static void note_constants(const mpu_session *s, const struct variable *v, const struct array *a,
                           struct diag *d) {
    uint32_t ndim;
    uint64_t shape[ARRAY_MAX_DIMS];
    if (a->ndim != variable_dims(s->object, v))
        return;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (open_extent(s, v, i))
            return;
    variable_shape(s, v, &ndim, shape);
    note_fitting_constants(s->object, v->name, shape, a, d);
}

static mpu_result wrong_shape(const mpu_session *s, const struct variable *v, const char *name,
                              const struct array *a, struct diag *d) {
    struct str have = {0}, want = {0};
    array_shape_text(a, &have);
    expected_text(s, v, &want);
    diag_error(d, NO_SPAN, "the array for '%s' has shape %s; the variable has shape %s", name,
               str_text(&have), str_text(&want));
    diag_note(d, object_span(s->object, v->place, d), "'%s' is declared here", v->name);
    for (uint32_t i = 0; i < variable_dims(s->object, v); i++) {
        const struct extent *e = variable_extent(s->object, v, i);
        if (e && e->size != NO_INDEX && s->size_bound[e->size])
            object_size_note(s->object, e->size, s->sizes, d);
    }
    note_constants(s, v, a, d);
    str_free(&have);
    str_free(&want);
    return MPU_REJECTED;
}

static mpu_result too_large(const char *name, const struct array *a, struct diag *d) {
    struct str have = {0};
    array_shape_text(a, &have);
    diag_note(d, NO_SPAN, "the array for '%s' has shape %s", name, str_text(&have));
    str_free(&have);
    return MPU_REJECTED;
}

/* Derived extents may be open: what they are made of is known later, or is a default. */
static bool shape_matches(const mpu_session *s, const struct variable *v, const struct array *a) {
    uint32_t ndim;
    uint64_t shape[ARRAY_MAX_DIMS];
    if (a->ndim != variable_dims(s->object, v))
        return false;
    variable_shape(s, v, &ndim, shape);
    for (uint32_t i = 0; i < ndim; i++) {
        const struct extent *e = open_extent(s, v, i);
        if (e ? s->object->sizes.data[e->size].op == SIZE_GIVEN : shape[i] != a->shape[i])
            return false;
    }
    return true;
}

bool shape_still_fits(const mpu_session *s, const struct pending_put *p, struct diag *d) {
    if (p->place.bare)
        return true;
    const struct variable *v = &s->object->vars.data[p->place.variable];
    return shape_matches(s, v, &p->values) || wrong_shape(s, v, p->name, &p->values, d) == MPU_OK;
}

/* A register of a fixed VRF takes at most L elements, in whatever shape. */
static mpu_result accept_bare(const mpu_session *s, const char *name, struct array *a,
                              struct diag *d) {
    uint32_t lanes = s->object->geometry.lanes;
    if (a->count <= lanes) {
        a->ndim = 1;
        a->shape[0] = a->count;
        return MPU_OK;
    }
    diag_error(d, NO_SPAN, "the array for %s has %llu elements; a fixed VRF has %u lanes", name,
               (unsigned long long)a->count, (unsigned)lanes);
    return MPU_REJECTED;
}

mpu_result shape_accept(mpu_session *s, const struct place_name *p, const char *name,
                        enum source_form form, struct array *a, struct diag *d) {
    if (p->bare)
        return accept_bare(s, name, a, d);
    const struct variable *v = &s->object->vars.data[p->variable];
    if (form == FORM_TEXT)
        give_shape(s, v, a);
    uint32_t bound = 0;
    bool allowed = a->ndim != variable_dims(s->object, v) || bind_by_shape(s, v, a, &bound, d);
    if (allowed && shape_matches(s, v, a))
        return MPU_OK;
    unbind(s, v, bound);
    return allowed ? wrong_shape(s, v, name, a, d) : too_large(name, a, d);
}

/* An array of such a shape cannot be made. */
static bool extent_possible(const mpu_session *s, const struct variable *v, const struct extent *e,
                            struct diag *d) {
    if (e->size == NO_INDEX || s->sizes[e->size] >= 1)
        return true;
    diag_error(d, NO_SPAN, "an extent of '%s' comes to %lld; extents are 1 to 2^40", v->name,
               (long long)s->sizes[e->size]);
    object_size_note(s->object, e->size, s->sizes, d);
    return false;
}

/* False after reporting a size without a value, or with one that is no extent. */
static bool settle_sizes(mpu_session *s, const struct variable *v, struct diag *d) {
    for (uint32_t i = 0; i < variable_dims(s->object, v); i++) {
        const struct extent *e = open_extent(s, v, i), *known = variable_extent(s->object, v, i);
        if (e && !session_default(s, e->size, v->name, d))
            return false;
        if (known && !extent_possible(s, v, known, d))
            return false;
    }
    session_settle(s);
    return true;
}

mpu_result session_shape_diag(mpu_session *s, const char *name, struct array *like,
                              struct element_type *held, struct diag *d) {
    struct place_name p;
    uint32_t value = object_find_value(s->object, name);
    if (value != NO_INDEX) {
        link_value_like(&s->object->values.data[value], like, held);
        return MPU_OK;
    }
    *like = (struct array){.ndim = 1, .shape = {s->object->geometry.lanes}};
    if (!place_name_parse(s->object, name, &p, d))
        return MPU_USAGE;
    if (p.bare) {
        uint8_t kept = s->package ? s->package->reg_bits[p.reg] : 0;
        like->type = host_type(p.typed ? p.type : (struct mpu_type){TYPE_UINT, 64});
        *held = (struct element_type){like->type.kind, p.typed ? p.type.bits : kept ? kept : 64};
        return MPU_OK;
    }
    const struct variable *v = &s->object->vars.data[p.variable];
    if (!settle_sizes(s, v, d))
        return MPU_REJECTED;
    like->type = host_type(object_variable_array_type(v));
    *held = (struct element_type){host_type(v->type).kind, v->type.bits};
    variable_shape(s, v, &like->ndim, like->shape);
    return MPU_OK;
}
