/* SPDX-License-Identifier: MIT
 * The part of the map file that is the same for every target. */
#include "linker/join/link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right) {
    const struct symbol *x = *(const struct symbol *const *)left,
                        *y = *(const struct symbol *const *)right;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void print_symbols(const struct object *object, struct str *out) {
    static const char *const kinds[] = {"label", "sub", "constant"};
    const struct symbol **sorted = xcalloc(object->symbols.len + 1, sizeof(struct symbol *));
    for (size_t i = 0; i < object->symbols.len; i++)
        sorted[i] = &object->symbols.data[i];
    qsort(sorted, object->symbols.len, sizeof *sorted, by_value);
    if (object->symbols.len)
        str_append(out, "     value   length  kind      symbol\n");
    for (size_t i = 0; i < object->symbols.len; i++)
        str_printf(out, "%10" PRId64 " %8" PRIu32 "  %-8s  %s\n", sorted[i]->value,
                   sorted[i]->length, kinds[sorted[i]->kind], sorted[i]->name);
    free(sorted);
}

static void print_home(const struct object *object, const struct variable *variable,
                       struct str *out) {
    if (variable->group != NO_INDEX || !variable->scope.count)
        str_printf(out, " of %s",
                   variable->group == NO_INDEX ? "every group"
                                               : object->groups.data[variable->group].name);
    for (uint32_t i = 0; i < variable->scope.count; i++)
        str_printf(out, "%s%s", i ? ", " : " of ",
                   object->groups.data[variable->scope.groups[i]].name);
    str_char(out, '\n');
}

static void print_variables(const struct object *object, struct str *out) {
    for (size_t i = 0; i < object->vars.len; i++) {
        const struct variable *v = &object->vars.data[i];
        str_printf(out, "variable %s in r%u", v->name, v->reg);
        if (v->count > 1)
            str_printf(out, " .. r%u", v->reg + v->count - 1);
        print_home(object, v, out);
    }
}

static uint32_t start_of(const struct object *object, const struct entry *entry) {
    return entry && entry->symbol != NO_INDEX ? (uint32_t)object->symbols.data[entry->symbol].value
                                              : link_default_entry(object);
}

/* MPUs that no entry names start where one without a label does. */
static void print_starts(const struct object *object, struct str *out) {
    uint32_t first, count, named = 0;
    link_program_image(object, &first, &count);
    str_printf(out, "  MPU%" PRIu32 " .. MPU%" PRIu32 "\n", first, first + count - 1);
    for (size_t i = 0; i < object->entries.len; i++) {
        const struct entry *e = &object->entries.data[i];
        str_printf(out, "    MPU%" PRIu32 " .. MPU%" PRIu32 " start at %" PRIu32 "\n", e->first_mpu,
                   e->first_mpu + e->mpu_count - 1, start_of(object, e));
        named += e->mpu_count;
    }
    if (object->entries.len && named < count)
        str_printf(out, "    the others start at %" PRIu32 "\n", link_default_entry(object));
}

void link_print_map(const struct object *object, struct str *out) {
    str_printf(out, "program: %zu instructions, starts at %" PRIu32 "\n", object->text.len,
               start_of(object, object->entries.len ? &object->entries.data[0] : NULL));
    if (object->entries.len > 1 || object->geometry.grid_dims)
        print_starts(object, out);
    print_symbols(object, out);
    for (uint32_t i = 0; i < object->sizes.len; i++) {
        str_append(out, "size ");
        object_size_text(object, i, out);
        str_char(out, '\n');
    }
    for (size_t i = 0; i < object->values.len; i++) {
        str_append(out, "value ");
        object_value_text(&object->values.data[i], out);
        str_char(out, '\n');
    }
    print_variables(object, out);
}
