/* SPDX-License-Identifier: MIT
 * The part of the map file that is the same for every target. */
#include "linker/link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    const struct symbol *x = *(const struct symbol *const *)a,
                        *y = *(const struct symbol *const *)b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void print_symbols(const struct object *o, struct str *out) {
    static const char *const kinds[] = {"label", "sub", "constant"};
    const struct symbol **sorted = xcalloc(o->symbols.len + 1, sizeof(struct symbol *));
    for (size_t i = 0; i < o->symbols.len; i++)
        sorted[i] = &o->symbols.data[i];
    qsort(sorted, o->symbols.len, sizeof *sorted, by_value);
    if (o->symbols.len)
        str_append(out, "     value   length  kind      symbol\n");
    for (size_t i = 0; i < o->symbols.len; i++)
        str_printf(out, "%10" PRId64 " %8" PRIu32 "  %-8s  %s\n", sorted[i]->value,
                   sorted[i]->length, kinds[sorted[i]->kind], sorted[i]->name);
    free(sorted);
}

static void print_home(const struct object *o, const struct variable *v, struct str *out) {
    if (v->group != NO_INDEX || !v->scope.count)
        str_printf(out, " of %s",
                   v->group == NO_INDEX ? "every group" : o->groups.data[v->group].name);
    for (uint32_t i = 0; i < v->scope.count; i++)
        str_printf(out, "%s%s", i ? ", " : " of ", o->groups.data[v->scope.groups[i]].name);
    str_char(out, '\n');
}

static void print_variables(const struct object *o, struct str *out) {
    for (size_t i = 0; i < o->vars.len; i++) {
        const struct variable *v = &o->vars.data[i];
        str_printf(out, "variable %s in r%u", v->name, v->reg);
        if (v->count > 1)
            str_printf(out, " .. r%u", v->reg + v->count - 1);
        print_home(o, v, out);
    }
}

static uint32_t start_of(const struct object *o, const struct entry *e) {
    return e && e->symbol != NO_INDEX ? (uint32_t)o->symbols.data[e->symbol].value
                                      : link_default_entry(o);
}

/* MPUs that no entry names start where one without a label does. */
static void print_starts(const struct object *o, struct str *out) {
    uint32_t first, count, named = 0;
    link_program_image(o, &first, &count);
    str_printf(out, "  MPU%" PRIu32 " .. MPU%" PRIu32 "\n", first, first + count - 1);
    for (size_t i = 0; i < o->entries.len; i++) {
        const struct entry *e = &o->entries.data[i];
        str_printf(out, "    MPU%" PRIu32 " .. MPU%" PRIu32 " start at %" PRIu32 "\n", e->first_mpu,
                   e->first_mpu + e->mpu_count - 1, start_of(o, e));
        named += e->mpu_count;
    }
    if (o->entries.len && named < count)
        str_printf(out, "    the others start at %" PRIu32 "\n", link_default_entry(o));
}

void link_print_map(const struct object *o, struct str *out) {
    str_printf(out, "program: %zu instructions, starts at %" PRIu32 "\n", o->text.len,
               start_of(o, o->entries.len ? &o->entries.data[0] : NULL));
    if (o->entries.len > 1 || o->geometry.grid_dims)
        print_starts(o, out);
    print_symbols(o, out);
    for (uint32_t i = 0; i < o->sizes.len; i++) {
        str_append(out, "size ");
        object_size_text(o, i, out);
        str_char(out, '\n');
    }
    for (size_t i = 0; i < o->values.len; i++) {
        str_append(out, "value ");
        object_value_text(&o->values.data[i], out);
        str_char(out, '\n');
    }
    print_variables(o, out);
}
