/* SPDX-License-Identifier: MIT
 * Entries as kernels.  What a parameter is, its name says where it is one of C++, else what the
 * entry does with it. */
#include "ptx/entries.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct lane_type lane_type_of(enum ptx_type type) {
    return (struct lane_type){ptx_type_float(type)    ? TYPE_FLOAT
                              : ptx_type_signed(type) ? TYPE_INT
                                                      : TYPE_UINT,
                              (uint8_t)ptx_type_bits(type)};
}

/* "axpy_param_0" of axpy: "param_0". */
static const char *short_name(struct arena *arena, const char *entry, const char *name) {
    size_t n = strlen(entry);
    if (strncmp(name, entry, n) == 0 && name[n] == '_' && name[n + 1])
        name += n + 1;
    return arena_strdup(arena, name);
}

static void set_buffer(struct kernel_parameter *p, struct lane_type type) {
    p->kind = PARAMETER_BUFFER;
    p->type = type.bits >= 8 ? type : (struct lane_type){TYPE_UINT, 8};
}

static bool set_bytes(const struct ptx_variable *v, struct kernel_parameter *p,
                      struct portable_fault *fault) {
    if (v->bytes < 1 || v->bytes > KERNEL_MAX_PARAMETER_BYTES || v->align > 16) {
        str_printf(&fault->what, "parameter '%s' has %llu bytes, aligned to %u", v->name,
                   (unsigned long long)v->bytes, (unsigned)v->align);
        fault->line = v->line;
        return false;
    }
    p->kind = PARAMETER_BYTES;
    p->bytes = (uint16_t)v->bytes;
    p->align = (uint8_t)v->align;
    return true;
}

static bool set_parameter(const struct ptx_variable *v, const struct ptx_named *named, uint32_t i,
                          const struct ptx_use *use, struct kernel_parameter *p,
                          struct portable_fault *fault) {
    bool known = named && i < named->parameter_count, wide = ptx_type_bits(v->type) == 64;
    struct lane_type said = known ? named->parameter[i].type : (struct lane_type){TYPE_UINT, 0};
    if (v->array || v->vector > 1)
        return set_bytes(v, p, fault);
    p->constant = wide && known && named->parameter[i].pointer && named->parameter[i].constant;
    if (wide && known && named->parameter[i].pointer && !said.bits)
        set_buffer(p, lane_type_of(use->type));
    else if (wide && known && named->parameter[i].pointer)
        set_buffer(p, said);
    else if (wide && !known && use->pointer)
        set_buffer(p, lane_type_of(use->type));
    else if (known && said.bits == ptx_type_bits(v->type))
        p->type = said, p->kind = PARAMETER_NUMBER;
    else
        p->type = lane_type_of(v->type), p->kind = PARAMETER_NUMBER;
    return true;
}

static bool read_entry(const struct ptx_module *module, const struct ptx_function *f,
                       const struct ptx_named *named, struct ptx_entries *out,
                       struct ptx_entry *entry, struct portable_fault *fault) {
    struct ptx_use *uses = xcalloc((size_t)f->parameter_count + 1, sizeof *uses);
    struct kernel_parameter *list =
        ARENA_ARRAY(&out->arena, (size_t)f->parameter_count + 1, struct kernel_parameter);
    bool fine = true;
    ptx_find_pointers(module, f, uses);
    for (uint32_t i = 0; fine && i < f->parameter_count; i++) {
        const struct ptx_variable *v = &module->variables.data[f->parameters[i]];
        list[i].name = short_name(&out->arena, f->name, v->name);
        fine = set_parameter(v, named, i, &uses[i], &list[i], fault);
    }
    free(uses);
    entry->parameters = list;
    entry->parameter_count = f->parameter_count;
    entry->line = f->line;
    return fine;
}

static struct ptx_named *named_of(const struct ptx_module *module, uint32_t function,
                                  struct arena *arena) {
    struct ptx_named *n = ARENA_NEW(arena, struct ptx_named);
    return ptx_name_read(module->functions.data[function].name, arena, n) ? n : NULL;
}

static const char *const *other_names(const struct ptx_function *f, const struct ptx_named *named,
                                      struct arena *arena) {
    const char **list = ARENA_ARRAY(arena, 6, const char *);
    uint32_t n = 0;
    list[n++] = arena_strdup(arena, f->name);
    if (!named)
        return list;
    list[n++] = named->name;
    list[n++] = named->text;
    if (strcmp(named->name, named->qualified) != 0)
        list[n++] = named->qualified;
    list[n] = named->whole;
    return list;
}

static bool is_entry(const struct ptx_module *module, uint32_t i) {
    return module->functions.data[i].is_entry && module->functions.data[i].has_body;
}

/* Of two entries with one name each is called as its symbol. */
static void tell_apart(const struct ptx_module *module, struct ptx_entries *entries) {
    for (size_t i = 0; i < entries->list.len; i++) {
        struct ptx_entry *e = &entries->list.data[i];
        bool other = false;
        for (size_t k = 0; k < entries->list.len; k++)
            other |= k != i && strcmp(entries->list.data[k].name, e->name) == 0;
        if (!other)
            continue;
        for (size_t k = 0; k < entries->list.len; k++) {
            struct ptx_entry *x = &entries->list.data[k];
            if (k != i && strcmp(x->name, e->name) == 0)
                x->name = arena_strdup(&entries->arena, module->functions.data[x->function].name);
        }
        e->name = arena_strdup(&entries->arena, module->functions.data[e->function].name);
    }
}

bool ptx_entries_read(const struct ptx_module *module, struct ptx_entries *out,
                      struct portable_fault *fault) {
    for (uint32_t i = 0; i < module->functions.len; i++) {
        const struct ptx_function *f = &module->functions.data[i];
        if (!is_entry(module, i))
            continue;
        const struct ptx_named *named = named_of(module, i, &out->arena);
        struct ptx_entry e = {.function = i,
                              .also = other_names(f, named, &out->arena),
                              .name = named ? named->name : arena_strdup(&out->arena, f->name)};
        if (!read_entry(module, f, named, out, &e, fault))
            return false;
        vec_push(&out->list, e);
    }
    tell_apart(module, out);
    if (!out->list.len)
        str_append(&fault->what, "there is no .entry in it");
    return out->list.len != 0;
}

void ptx_entries_free(struct ptx_entries *entries) {
    vec_free(&entries->list);
    arena_free(&entries->arena);
}

/* ---- by name ---- */

static bool is_called(const struct ptx_module *module, uint32_t function, const char *name) {
    struct arena arena = {NULL};
    const struct ptx_named *named = named_of(module, function, &arena);
    bool same = strcmp(module->functions.data[function].name, name) == 0 ||
                (named && (strcmp(named->name, name) == 0 || strcmp(named->qualified, name) == 0 ||
                           strcmp(named->text, name) == 0 ||
                           (named->whole && strcmp(named->whole, name) == 0)));
    arena_free(&arena);
    return same;
}

static void say_near(const struct ptx_module *module, const char *name, struct str *what) {
    const char **names = xcalloc(2 * module->functions.len + 1, sizeof *names);
    struct arena arena = {NULL};
    size_t count = 0;
    for (uint32_t i = 0; i < module->functions.len; i++) {
        if (!is_entry(module, i))
            continue;
        const struct ptx_named *named = named_of(module, i, &arena);
        names[count++] = module->functions.data[i].name;
        if (named)
            names[count++] = named->name;
    }
    const char *near = nearest_name(name, names, count);
    if (near)
        str_printf(what, "; is '%s' meant?", near);
    arena_free(&arena);
    free(names);
}

uint32_t ptx_entry_find(const struct ptx_module *module, const char *name,
                        struct portable_fault *fault) {
    uint32_t found = PTX_NONE;
    for (uint32_t i = 0; i < module->functions.len; i++) {
        if (!is_entry(module, i) || !is_called(module, i, name))
            continue;
        if (strcmp(module->functions.data[i].name, name) == 0)
            return i;
        if (found != PTX_NONE) {
            str_printf(&fault->what, "two entries are called '%s': %s and %s", name,
                       module->functions.data[found].name, module->functions.data[i].name);
            return PTX_NONE;
        }
        found = i;
    }
    if (found == PTX_NONE) {
        str_printf(&fault->what, "there is no entry '%s'", name);
        say_near(module, name, &fault->what);
    }
    return found;
}
