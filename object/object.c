/* SPDX-License-Identifier: MIT
 * A program in memory. */
#include "object/object.h"

#include <inttypes.h>
#include <string.h>

struct object *object_new(void) {
    struct object *o = xcalloc(1, sizeof *o);
    o->geometry = (struct geometry){.lanes = 64, .vrfs = 64, .rfhs = 8};
    o->default_width = 64;
    return o;
}

void object_free(struct object *object) {
    if (!object)
        return;
    vec_free(&object->text);
    vec_free(&object->symbols);
    vec_free(&object->relocs);
    vec_free(&object->files);
    map_free(&object->file_numbers);
    vec_free(&object->lines);
    vec_free(&object->sizes);
    vec_free(&object->values);
    vec_free(&object->luts);
    vec_free(&object->products);
    vec_free(&object->groups);
    vec_free(&object->vars);
    vec_free(&object->data);
    vec_free(&object->lengths);
    vec_free(&object->constants);
    vec_free(&object->finishes);
    vec_free(&object->numbers);
    vec_free(&object->debugs);
    vec_free(&object->moves);
    vec_free(&object->recipes);
    vec_free(&object->buffers);
    vec_free(&object->modules);
    vec_free(&object->kernels);
    vec_free(&object->calls);
    vec_free(&object->signatures);
    vec_free(&object->entries);
    vec_free(&object->packages);
    for (size_t i = 0; i < object->own_texts.len; i++)
        object_free(object->own_texts.data[i].program);
    vec_free(&object->own_texts);
    arena_free(&object->arena);
    free(object);
}

uint32_t object_file(struct object *object, const char *name) {
    struct map *numbers = &object->file_numbers;
    bool empty = numbers->len == 0;
    /* Of a table that was read; it may name a file twice, and the first one counts. */
    for (size_t i = 0; empty && i < object->files.len; i++)
        map_add_n(numbers, object->files.data[i], strlen(object->files.data[i]), i);
    uint64_t number = *map_add_n(numbers, name, strlen(name), object->files.len);
    if (number == object->files.len)
        vec_push(&object->files, arena_strdup(&object->arena, name));
    return (uint32_t)number;
}

/* The tables are searched alike: records with a name, in order. */
#define FIND(vector, wanted)                                                                       \
    for (size_t i = 0; i < (vector).len; i++)                                                      \
        if (strcmp((vector).data[i].name, (wanted)) == 0)                                          \
            return (uint32_t)i;                                                                    \
    return NO_INDEX

uint32_t object_find_buffer(const struct object *object, const char *name) {
    FIND(object->buffers, name);
}
const struct kernel_decl *object_find_pipeline(const struct object *object) {
    for (size_t i = 0; i < object->kernels.len; i++)
        if (strcmp(object->kernels.data[i].form, OBJECT_PIPELINE_FORM) == 0)
            return &object->kernels.data[i];
    return NULL;
}

uint32_t object_find_module(const struct object *object, const char *name) {
    FIND(object->modules, name);
}
uint32_t object_find_kernel(const struct object *object, const char *name) {
    FIND(object->kernels, name);
}
uint32_t object_find_symbol(const struct object *object, const char *name) {
    FIND(object->symbols, name);
}
uint32_t object_find_group(const struct object *object, const char *name) {
    FIND(object->groups, name);
}
uint32_t object_find_size(const struct object *object, const char *name) {
    FIND(object->sizes, name);
}
const char *object_constant_of(const struct object *object, const char *array, uint32_t dimension) {
    for (size_t i = 0; i < object->constants.len; i++)
        if (object->constants.data[i].dimension == dimension &&
            strcmp(object->constants.data[i].array, array) == 0)
            return object->constants.data[i].constant;
    return NULL;
}

uint64_t object_constant_number(const struct object *object, const struct constant_record *record) {
    uint32_t variable = object_find_variable(object, record->array);
    uint32_t value = object_find_value(object, record->array);
    if ((variable == NO_INDEX && value == NO_INDEX) || record->dimension >= FORM_MAX_DIMS)
        return UINT64_MAX;
    uint64_t array = variable != NO_INDEX ? variable : (uint64_t)object->vars.len + value;
    return array * FORM_MAX_DIMS + record->dimension;
}

void object_add_constant(struct object *object, const char *array, uint32_t dimension,
                         const char *constant) {
    struct constant_record r = {arena_strdup(&object->arena, array), dimension,
                                arena_strdup(&object->arena, constant)};
    uint64_t number = object_constant_number(object, &r);
    size_t at = object->constants.len;
    vec_push(&object->constants, r);
    for (; at > 0 && object_constant_number(object, &object->constants.data[at - 1]) > number; at--)
        object->constants.data[at] = object->constants.data[at - 1];
    object->constants.data[at] = r;
}

uint32_t object_length_of(const struct object *object, uint32_t variable) {
    for (size_t i = 0; i < object->lengths.len; i++)
        if (object->lengths.data[i].variable == variable)
            return object->lengths.data[i].length;
    return NO_INDEX;
}

uint32_t object_find_value(const struct object *object, const char *name) {
    FIND(object->values, name);
}

uint32_t object_find_variable(const struct object *object, const char *name) {
    FIND(object->vars, name);
}

struct place object_place(const struct object *object, uint32_t index) {
    size_t low = 0, high = object->lines.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->lines.data[middle].index <= index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || index >= object->text.len)
        return (struct place){NO_INDEX, 0, 0};
    return object->lines.data[low - 1].place;
}

struct span object_span(const struct object *object, struct place place, struct diag *diag) {
    if (place.file >= object->files.len || place.line == 0)
        return NO_SPAN;
    return diag_line(diag, object->files.data[place.file], place.line,
                     place.column ? place.column : 1);
}

bool object_users(const struct object *object, struct isa_users *users, struct arena *arena,
                  struct diag *diag) {
    bool fine = true;
    for (size_t i = 0; i < object->recipes.len; i++) {
        const struct user_file *t = &object->recipes.data[i];
        uint32_t source = diag ? diag_source(diag, t->name, t->text, t->size) : 0;
        fine &= isa_users_read(users, arena, source, t->text, t->size, diag);
    }
    return fine;
}

bool object_has_recipes(const struct object *object, const char *text, size_t size) {
    for (size_t i = 0; i < object->recipes.len; i++)
        if (object->recipes.data[i].size == size &&
            memcmp(object->recipes.data[i].text, text, size) == 0)
            return true;
    return false;
}

const struct recipe_call *object_call(const struct object *object, const struct insn *insn) {
    bool named = insn->op == OP_RECIPE && (uint32_t)insn->imm < object->calls.len;
    return named ? &object->calls.data[insn->imm] : NULL;
}
