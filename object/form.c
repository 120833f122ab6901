/* SPDX-License-Identifier: MIT
 * Arrays that are other than the registers of their variable. */
#include "object/object.h"

#include <string.h>

struct lane_type object_variable_array_type(const struct variable *variable) {
    return variable->form.type.bits ? variable->form.type : variable->type;
}

bool object_form_plain(const struct array_form *form) {
    return !form->type.bits && form->order == FORM_LAST && !form->shaped;
}

bool object_form_same(const struct array_form *left, const struct array_form *right) {
    bool same = left->type.kind == right->type.kind && left->type.bits == right->type.bits &&
                left->order == right->order && left->shaped == right->shaped &&
                left->ndim == right->ndim;
    for (uint32_t i = 0; same && i < left->ndim; i++)
        same = left->shape[i].size == right->shape[i].size &&
               left->shape[i].value == right->shape[i].value;
    return same;
}

uint64_t object_form_elements(const struct array_form *form, const int64_t *sizes) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < form->ndim; i++) {
        const struct extent *e = &form->shape[i];
        int64_t value = e->size == NO_INDEX ? (int64_t)e->value : sizes[e->size];
        if (value < 1 || __builtin_mul_overflow(n, (uint64_t)value, &n))
            return UINT64_MAX;
    }
    return n;
}

uint64_t object_elements(const struct object *object, const struct variable *variable) {
    uint64_t elements = 1;
    if (variable->group == NO_INDEX)
        return variable->count;
    const struct group *g = &object->groups.data[variable->group];
    if (g->per_mpu)
        elements = grid_mpus(&object->geometry);
    for (uint32_t i = 0; i < g->ndim; i++) {
        if (g->extent[i].size != NO_INDEX)
            return 0;
        elements *= g->extent[i].value;
    }
    return elements * variable->count;
}

bool object_type_holds(struct lane_type outer, struct lane_type inner) {
    if (object_type_is_float(outer) || object_type_is_float(inner))
        return outer.kind == inner.kind && outer.bits == inner.bits;
    if (outer.kind == TYPE_BOOL || inner.kind == TYPE_INT)
        return inner.bits <= outer.bits && (outer.kind == TYPE_INT) == (inner.kind == TYPE_INT);
    return inner.bits + (outer.kind == TYPE_INT) <= outer.bits;
}

static const char *type_problem(const struct variable *variable) {
    if (!variable->form.type.bits && variable->form.type.kind == TYPE_BOOL)
        return NULL;
    if (!object_type_ok(variable->form.type))
        return "has an array of no known type";
    if (!object_type_holds(variable->form.type, variable->type))
        return "has registers of a type with values that the type of its array does not have";
    return NULL;
}

static const char *order_problem(const struct variable *variable) {
    if (variable->form.order > FORM_SPLIT)
        return "has its registers nowhere among the axes of its array";
    if (variable->form.order != FORM_LAST && (!variable->has_k || variable->group == NO_INDEX))
        return "has no axis in registers beside one in lanes; 'first' and 'split' are for T[k] in "
               "a group";
    if (variable->form.order == FORM_SPLIT && variable->form.shaped)
        return "has a shape, which says where an axis is split";
    return NULL;
}

/* Extents that are in range, and the rest of the record that is not used. */
static bool extents_fine(const struct object *object, const struct array_form *form, bool *known) {
    bool fine = form->ndim <= (form->shaped ? FORM_MAX_DIMS : 0);
    *known = true;
    for (uint32_t i = 0; fine && i < form->ndim; i++) {
        fine = object_extent_ok(object, &form->shape[i]);
        *known &= form->shape[i].size == NO_INDEX;
    }
    return fine;
}

static const char *shape_problem(const struct object *object, const struct variable *variable) {
    bool known;
    uint64_t elements = object_elements(object, variable);
    if (!extents_fine(object, &variable->form, &known))
        return "has an array of more than 8 dimensions, or with an extent that is not in 1..2^40";
    if (variable->form.shaped && known && elements &&
        object_form_elements(&variable->form, NULL) != elements)
        return "has an array of a shape with another number of elements than its registers";
    return NULL;
}

const char *object_form_problem(const struct object *object, const struct variable *variable) {
    const char *problem = type_problem(variable);
    if (!problem)
        problem = order_problem(variable);
    return problem ? problem : shape_problem(object, variable);
}
