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

void object_free(struct object *o) {
    if (!o)
        return;
    vec_free(&o->text);
    vec_free(&o->symbols);
    vec_free(&o->relocs);
    vec_free(&o->files);
    vec_free(&o->lines);
    vec_free(&o->sizes);
    vec_free(&o->values);
    vec_free(&o->groups);
    vec_free(&o->vars);
    vec_free(&o->data);
    vec_free(&o->lengths);
    vec_free(&o->constants);
    vec_free(&o->finishes);
    vec_free(&o->debugs);
    vec_free(&o->moves);
    vec_free(&o->recipes);
    vec_free(&o->calls);
    vec_free(&o->signatures);
    vec_free(&o->entries);
    vec_free(&o->packages);
    arena_free(&o->arena);
    free(o);
}

uint32_t object_file(struct object *o, const char *name) {
    for (size_t i = 0; i < o->files.len; i++)
        if (strcmp(o->files.data[i], name) == 0)
            return (uint32_t)i;
    vec_push(&o->files, arena_strdup(&o->arena, name));
    return (uint32_t)(o->files.len - 1);
}

/* The tables are searched alike: records with a name, in order. */
#define FIND(vector, wanted)                                                                       \
    for (size_t i = 0; i < (vector).len; i++)                                                      \
        if (strcmp((vector).data[i].name, (wanted)) == 0)                                          \
            return (uint32_t)i;                                                                    \
    return NO_INDEX

uint32_t object_find_symbol(const struct object *o, const char *name) {
    FIND(o->symbols, name);
}
uint32_t object_find_group(const struct object *o, const char *name) {
    FIND(o->groups, name);
}
uint32_t object_find_size(const struct object *o, const char *name) {
    FIND(o->sizes, name);
}
const char *object_constant_of(const struct object *o, const char *array, uint32_t dimension) {
    for (size_t i = 0; i < o->constants.len; i++)
        if (o->constants.data[i].dimension == dimension &&
            strcmp(o->constants.data[i].array, array) == 0)
            return o->constants.data[i].constant;
    return NULL;
}

uint64_t object_constant_number(const struct object *o, const struct constant_record *r) {
    uint32_t variable = object_find_variable(o, r->array);
    uint32_t value = object_find_value(o, r->array);
    if ((variable == NO_INDEX && value == NO_INDEX) || r->dimension >= FORM_MAX_DIMS)
        return UINT64_MAX;
    uint64_t array = variable != NO_INDEX ? variable : (uint64_t)o->vars.len + value;
    return array * FORM_MAX_DIMS + r->dimension;
}

void object_add_constant(struct object *o, const char *array, uint32_t dimension,
                         const char *constant) {
    struct constant_record r = {arena_strdup(&o->arena, array), dimension,
                                arena_strdup(&o->arena, constant)};
    uint64_t number = object_constant_number(o, &r);
    size_t at = o->constants.len;
    vec_push(&o->constants, r);
    for (; at > 0 && object_constant_number(o, &o->constants.data[at - 1]) > number; at--)
        o->constants.data[at] = o->constants.data[at - 1];
    o->constants.data[at] = r;
}

uint32_t object_length_of(const struct object *o, uint32_t variable) {
    for (size_t i = 0; i < o->lengths.len; i++)
        if (o->lengths.data[i].variable == variable)
            return o->lengths.data[i].length;
    return NO_INDEX;
}

uint32_t object_find_value(const struct object *o, const char *name) {
    FIND(o->values, name);
}

uint32_t object_find_variable(const struct object *o, const char *name) {
    FIND(o->vars, name);
}

uint32_t object_find_move(const struct object *o, const char *name) {
    FIND(o->moves, name);
}

struct place object_place(const struct object *o, uint32_t index) {
    size_t low = 0, high = o->lines.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->lines.data[middle].index <= index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || index >= o->text.len)
        return (struct place){NO_INDEX, 0, 0};
    return o->lines.data[low - 1].place;
}

struct span object_span(const struct object *o, struct place p, struct diag *d) {
    if (p.file >= o->files.len || p.line == 0)
        return NO_SPAN;
    return diag_line(d, o->files.data[p.file], p.line, p.column ? p.column : 1);
}

bool object_users(const struct object *o, struct isa_users *u, struct arena *arena,
                  struct diag *d) {
    bool fine = true;
    for (size_t i = 0; i < o->recipes.len; i++) {
        const struct user_file *t = &o->recipes.data[i];
        uint32_t source = d ? diag_source(d, t->name, t->text, t->size) : 0;
        fine &= isa_users_read(u, arena, source, t->text, t->size, d);
    }
    return fine;
}

bool object_has_recipes(const struct object *o, const char *text, size_t size) {
    for (size_t i = 0; i < o->recipes.len; i++)
        if (o->recipes.data[i].size == size && memcmp(o->recipes.data[i].text, text, size) == 0)
            return true;
    return false;
}

const struct recipe_call *object_call(const struct object *o, const struct insn *insn) {
    bool named = insn->op == OP_RECIPE && (uint32_t)insn->imm < o->calls.len;
    return named ? &o->calls.data[insn->imm] : NULL;
}
