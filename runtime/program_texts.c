/* SPDX-License-Identifier: MIT
 * What a program declares: its sizes, variables and link-time values, by number. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/program.h"
#include "runtime/public.h"

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

/* NULL where it is a number. */
static const char *extent_size(const mpu_program *program, const struct extent *extent) {
    if (!extent || extent->size == NO_INDEX)
        return NULL;
    const struct size_decl *s = &program->object->sizes.data[extent->size];
    return object_size_is_unnamed(s) ? program->formulas[extent->size] : s->name;
}

uint64_t mpu_program_variable_extent(const mpu_program *program, size_t index, uint32_t dimension,
                                     const char **size) {
    const struct variable *v = variable_at(program, index);
    const struct extent *e = v ? session_variable_extent(program->object, v, dimension) : NULL;
    bool sized = e && e->size != NO_INDEX;
    if (size)
        *size = extent_size(program, e);
    if (!v)
        return value_at(program, index)->shape[dimension];
    return session_variable_times(program->object, v, dimension) * (e && !sized ? e->value : 1);
}

/* ---- buffers ---- */

static const struct buffer_decl *buffer_at(const mpu_program *program, size_t index) {
    return &program->object->buffers.data[index];
}

size_t mpu_program_buffer_count(const mpu_program *program) {
    return program->object->buffers.len;
}

size_t mpu_program_find_buffer(const mpu_program *program, const char *name) {
    uint32_t buffer = object_find_buffer(program->object, name);
    return buffer != NO_INDEX ? buffer : SIZE_MAX;
}

const char *mpu_program_buffer_name(const mpu_program *program, size_t index) {
    return buffer_at(program, index)->name;
}

uint32_t mpu_program_buffer_use(const mpu_program *program, size_t index) {
    uint8_t direction = buffer_at(program, index)->direction;
    return (direction & VAR_IN ? MPU_IN : 0) | (direction & VAR_OUT ? MPU_OUT : 0);
}

const char *mpu_program_buffer_type(const mpu_program *program, size_t index) {
    return program->buffer_types[index];
}

mpu_type mpu_program_buffer_array_type(const mpu_program *program, size_t index) {
    return public_type(session_host_type(buffer_at(program, index)->type));
}

uint32_t mpu_program_buffer_ndim(const mpu_program *program, size_t index) {
    return buffer_at(program, index)->ndim;
}

uint64_t mpu_program_buffer_extent(const mpu_program *program, size_t index, uint32_t dimension,
                                   const char **size) {
    const struct extent *e = &buffer_at(program, index)->shape[dimension];
    if (size)
        *size = extent_size(program, e);
    return e->size == NO_INDEX ? e->value : 1;
}

/* ---- texts, made when the program is ---- */

static const char *type_text(struct lane_type type, struct arena *arena) {
    char text[8];
    object_type_text(type, text);
    return arena_strdup(arena, text);
}

static struct lane_type variable_type(const mpu_program *program, size_t index) {
    const struct variable *v = variable_at(program, index);
    return v ? v->type : value_at(program, index)->type;
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
    size_t buffers = program->object->buffers.len;
    program->variable_types = ARENA_ARRAY(&program->texts, variables + 1, const char *);
    program->buffer_types = ARENA_ARRAY(&program->texts, buffers + 1, const char *);
    program->formulas = ARENA_ARRAY(&program->texts, sizes + 1, const char *);
    for (size_t i = 0; i < variables; i++)
        program->variable_types[i] = type_text(variable_type(program, i), &program->texts);
    for (size_t i = 0; i < buffers; i++)
        program->buffer_types[i] = type_text(buffer_at(program, i)->type, &program->texts);
    for (size_t i = 0; i < sizes; i++)
        program->formulas[i] = formula_text(program->object, (uint32_t)i, &program->texts);
}
