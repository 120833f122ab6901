/* SPDX-License-Identifier: MIT
 * What a program declares: its sizes, variables and link-time values, by number. */
#include "runtime/internal.h"

#include <string.h>

const char *mpu_program_name(const mpu_program *program) {
    return program->name;
}

const char *mpu_program_sha256(const mpu_program *program) {
    return program->sha256;
}

size_t mpu_program_instruction_count(const mpu_program *program) {
    return program->object->text.len;
}

/* ---- sizes ---- */

size_t mpu_program_size_count(const mpu_program *program) {
    return program->object->sizes.len;
}

const char *mpu_program_size_name(const mpu_program *program, size_t index) {
    return program->object->sizes.data[index].name;
}

const char *mpu_program_size_formula(const mpu_program *program, size_t index) {
    return program->formulas[index];
}

uint64_t mpu_program_size_default(const mpu_program *program, size_t index) {
    const struct size_decl *x = &program->object->sizes.data[index];
    return x->has_default ? x->value : 0;
}

uint64_t mpu_program_size_bound(const mpu_program *program, size_t index) {
    return program->object->sizes.data[index].bound;
}

/* ---- variables, and link-time values behind them ---- */

/* NULL: it is a link-time value. */
static const struct variable *variable_at(const mpu_program *program, size_t index) {
    return index < program->object->vars.len ? &program->object->vars.data[index] : NULL;
}

static const struct value_decl *value_at(const mpu_program *program, size_t index) {
    return &program->object->values.data[index - program->object->vars.len];
}

size_t mpu_program_variable_count(const mpu_program *program) {
    return program->object->vars.len + program->object->values.len;
}

size_t mpu_program_find_variable(const mpu_program *program, const char *name) {
    uint32_t variable = object_find_variable(program->object, name);
    uint32_t value = object_find_value(program->object, name);
    if (variable != NO_INDEX)
        return variable;
    return value != NO_INDEX ? program->object->vars.len + value : SIZE_MAX;
}

const char *mpu_program_variable_name(const mpu_program *program, size_t index) {
    const struct variable *v = variable_at(program, index);
    return v ? v->name : value_at(program, index)->name;
}

uint32_t mpu_program_variable_use(const mpu_program *program, size_t index) {
    const struct variable *v = variable_at(program, index);
    if (!v)
        return MPU_IN | MPU_LINK_VALUE;
    return (v->direction & VAR_IN ? MPU_IN : 0) | (v->direction & VAR_OUT ? MPU_OUT : 0) |
           (v->direction & VAR_CONSUMED ? MPU_CONSUMED : 0);
}

const char *mpu_program_variable_type(const mpu_program *program, size_t index) {
    return program->variable_types[index];
}

mpu_type mpu_program_variable_array_type(const mpu_program *program, size_t index) {
    const struct variable *v = variable_at(program, index);
    return public_type(
        session_host_type(v ? object_variable_array_type(v) : value_at(program, index)->type));
}

uint32_t mpu_program_variable_ndim(const mpu_program *program, size_t index) {
    const struct variable *v = variable_at(program, index);
    return v ? session_variable_dims(program->object, v) : value_at(program, index)->ndim;
}

uint64_t mpu_program_variable_extent(const mpu_program *program, size_t index, uint32_t dimension,
                                     const char **size) {
    const struct variable *v = variable_at(program, index);
    const struct extent *e = v ? session_variable_extent(program->object, v, dimension) : NULL;
    bool sized = e && e->size != NO_INDEX;
    if (size)
        *size = !sized ? NULL
                : object_size_is_unnamed(&program->object->sizes.data[e->size])
                    ? program->formulas[e->size]
                    : program->object->sizes.data[e->size].name;
    if (!v)
        return value_at(program, index)->shape[dimension];
    return session_variable_times(program->object, v, dimension) * (e && !sized ? e->value : 1);
}

/* ---- texts, made when the program is ---- */

static const char *type_text(const mpu_program *program, size_t index, struct arena *arena) {
    const struct variable *v = variable_at(program, index);
    char text[8];
    object_type_text(v ? v->type : value_at(program, index)->type, text);
    return arena_strdup(arena, text);
}

static const char *formula_text(const struct object *object, uint32_t size, struct arena *arena) {
    struct str s = {0};
    if (object->sizes.data[size].op == SIZE_GIVEN)
        return NULL;
    object_size_formula(object, size, &s);
    const char *text = arena_strdup(arena, str_text(&s));
    str_free(&s);
    return text;
}

void program_list(mpu_program *program) {
    size_t variables = mpu_program_variable_count(program), sizes = program->object->sizes.len;
    program->variable_types = ARENA_ARRAY(&program->texts, variables + 1, const char *);
    program->formulas = ARENA_ARRAY(&program->texts, sizes + 1, const char *);
    for (size_t i = 0; i < variables; i++)
        program->variable_types[i] = type_text(program, i, &program->texts);
    for (size_t i = 0; i < sizes; i++)
        program->formulas[i] = formula_text(program->object, (uint32_t)i, &program->texts);
}
