/* SPDX-License-Identifier: MIT
 * What a program has: its sizes, variables and link-time values, by number. */
#include "runtime/internal.h"

#include <string.h>

const char *mpu_program_name(const mpu_program *p) {
    return p->name;
}

const char *mpu_program_sha256(const mpu_program *p) {
    return p->sha256;
}

size_t mpu_program_instruction_count(const mpu_program *p) {
    return p->object->text.len;
}

/* ---- sizes ---- */

size_t mpu_program_size_count(const mpu_program *p) {
    return p->object->sizes.len;
}

const char *mpu_program_size_name(const mpu_program *p, size_t i) {
    return p->object->sizes.data[i].name;
}

const char *mpu_program_size_formula(const mpu_program *p, size_t i) {
    return p->formulas[i];
}

uint64_t mpu_program_size_default(const mpu_program *p, size_t i) {
    const struct size_decl *x = &p->object->sizes.data[i];
    return x->has_default ? x->value : 0;
}

uint64_t mpu_program_size_bound(const mpu_program *p, size_t i) {
    return p->object->sizes.data[i].bound;
}

/* ---- variables, and link-time values behind them ---- */

/* NULL: it is a link-time value. */
static const struct variable *variable_at(const mpu_program *p, size_t i) {
    return i < p->object->vars.len ? &p->object->vars.data[i] : NULL;
}

static const struct value_decl *value_at(const mpu_program *p, size_t i) {
    return &p->object->values.data[i - p->object->vars.len];
}

size_t mpu_program_variable_count(const mpu_program *p) {
    return p->object->vars.len + p->object->values.len;
}

size_t mpu_program_find_variable(const mpu_program *p, const char *name) {
    uint32_t variable = object_find_variable(p->object, name);
    uint32_t value = object_find_value(p->object, name);
    if (variable != NO_INDEX)
        return variable;
    return value != NO_INDEX ? p->object->vars.len + value : SIZE_MAX;
}

const char *mpu_program_variable_name(const mpu_program *p, size_t i) {
    const struct variable *v = variable_at(p, i);
    return v ? v->name : value_at(p, i)->name;
}

uint32_t mpu_program_variable_use(const mpu_program *p, size_t i) {
    const struct variable *v = variable_at(p, i);
    if (!v)
        return MPU_IN | MPU_LINK_VALUE;
    return (v->direction & VAR_IN ? MPU_IN : 0) | (v->direction & VAR_OUT ? MPU_OUT : 0) |
           (v->direction & VAR_CONSUMED ? MPU_CONSUMED : 0);
}

const char *mpu_program_variable_type(const mpu_program *p, size_t i) {
    return p->variable_types[i];
}

mpu_type mpu_program_variable_array_type(const mpu_program *p, size_t i) {
    const struct variable *v = variable_at(p, i);
    return public_type(host_type(v ? object_variable_array_type(v) : value_at(p, i)->type));
}

uint32_t mpu_program_variable_ndim(const mpu_program *p, size_t i) {
    const struct variable *v = variable_at(p, i);
    return v ? variable_dims(p->object, v) : value_at(p, i)->ndim;
}

uint64_t mpu_program_variable_extent(const mpu_program *p, size_t i, uint32_t dimension,
                                     const char **size) {
    const struct variable *v = variable_at(p, i);
    const struct extent *e = v ? variable_extent(p->object, v, dimension) : NULL;
    bool sized = e && e->size != NO_INDEX;
    if (size)
        *size = !sized ? NULL
                : object_size_is_unnamed(&p->object->sizes.data[e->size])
                    ? p->formulas[e->size]
                    : p->object->sizes.data[e->size].name;
    if (!v)
        return value_at(p, i)->shape[dimension];
    return variable_times(p->object, v, dimension) * (e && !sized ? e->value : 1);
}

/* ---- texts, made when the program is ---- */

static const char *type_text(const mpu_program *p, size_t i, struct arena *a) {
    const struct variable *v = variable_at(p, i);
    char text[8];
    object_type_text(v ? v->type : value_at(p, i)->type, text);
    return arena_strdup(a, text);
}

static const char *formula_text(const struct object *o, uint32_t size, struct arena *a) {
    struct str s = {0};
    if (o->sizes.data[size].op == SIZE_GIVEN)
        return NULL;
    object_size_formula(o, size, &s);
    const char *text = arena_strdup(a, str_text(&s));
    str_free(&s);
    return text;
}

void program_list(mpu_program *p) {
    size_t variables = mpu_program_variable_count(p), sizes = p->object->sizes.len;
    p->variable_types = ARENA_ARRAY(&p->texts, variables + 1, const char *);
    p->formulas = ARENA_ARRAY(&p->texts, sizes + 1, const char *);
    for (size_t i = 0; i < variables; i++)
        p->variable_types[i] = type_text(p, i, &p->texts);
    for (size_t i = 0; i < sizes; i++)
        p->formulas[i] = formula_text(p->object, (uint32_t)i, &p->texts);
}
