/* SPDX-License-Identifier: MIT
 * Arrays that are other than the registers of their variable. */
#include "object/check_object.h"

#include <string.h>

struct mpu_type object_variable_array_type(const struct variable *v) {
    return v->form.type.bits ? v->form.type : v->type;
}

bool object_form_plain(const struct array_form *f) {
    return !f->type.bits && f->order == FORM_LAST && !f->shaped;
}

bool object_form_same(const struct array_form *a, const struct array_form *b) {
    bool same = a->type.kind == b->type.kind && a->type.bits == b->type.bits &&
                a->order == b->order && a->shaped == b->shaped && a->ndim == b->ndim;
    for (uint32_t i = 0; same && i < a->ndim; i++)
        same = a->shape[i].size == b->shape[i].size && a->shape[i].value == b->shape[i].value;
    return same;
}

uint64_t object_form_elements(const struct array_form *f, const int64_t *sizes) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < f->ndim; i++) {
        const struct extent *e = &f->shape[i];
        int64_t value = e->size == NO_INDEX ? (int64_t)e->value : sizes[e->size];
        if (value < 1 || __builtin_mul_overflow(n, (uint64_t)value, &n))
            return UINT64_MAX;
    }
    return n;
}

bool object_type_holds(struct mpu_type outer, struct mpu_type inner) {
    if (outer.kind == TYPE_BOOL || inner.kind == TYPE_INT)
        return inner.bits <= outer.bits && (outer.kind == TYPE_INT) == (inner.kind == TYPE_INT);
    return inner.bits + (outer.kind == TYPE_INT) <= outer.bits;
}

static const char *type_problem(const struct variable *v) {
    if (!v->form.type.bits && v->form.type.kind == TYPE_BOOL)
        return NULL;
    if (!object_type_ok(v->form.type))
        return "has an array of no known type";
    if (!object_type_holds(v->form.type, v->type))
        return "has registers of a type with values that the type of its array does not have";
    return NULL;
}

static const char *order_problem(const struct variable *v) {
    if (v->form.order > FORM_SPLIT)
        return "has its registers nowhere among the axes of its array";
    if (v->form.order != FORM_LAST && (!v->has_k || v->group == NO_INDEX))
        return "has no axis in registers beside one in lanes; 'first' and 'split' are for T[k] in "
               "a group";
    if (v->form.order == FORM_SPLIT && v->form.shaped)
        return "has a shape, which says where an axis is split";
    return NULL;
}

/* Extents that are in range, and the rest of the record that is not used. */
static bool extents_fine(const struct object *o, const struct array_form *f, bool *known) {
    bool fine = f->ndim <= (f->shaped ? FORM_MAX_DIMS : 0);
    *known = true;
    for (uint32_t i = 0; fine && i < f->ndim; i++) {
        fine = object_extent_ok(o, &f->shape[i]);
        *known &= f->shape[i].size == NO_INDEX;
    }
    return fine;
}

static const char *shape_problem(const struct object *o, const struct variable *v) {
    bool known;
    uint64_t elements = object_elements(o, v);
    if (!extents_fine(o, &v->form, &known))
        return "has an array of more than 8 dimensions, or with an extent that is not in 1..2^40";
    if (v->form.shaped && known && elements && object_form_elements(&v->form, NULL) != elements)
        return "has an array of a shape with another number of elements than its registers";
    return NULL;
}

const char *object_form_problem(const struct object *o, const struct variable *v) {
    const char *problem = type_problem(v);
    if (!problem)
        problem = order_problem(v);
    return problem ? problem : shape_problem(o, v);
}
