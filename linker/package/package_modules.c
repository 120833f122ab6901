/* SPDX-License-Identifier: MIT
 * Modules of a program on a target: what their entries share, and which entries they have. */
#include "linker/package/pack.h"
#include "support/str.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Some kernel that is called is an entry of it. */
static bool is_in_use(const struct object *object, uint32_t module) {
    for (uint32_t i = 0; i < object->kernels.len; i++) {
        const struct kernel_decl *k = &object->kernels.data[i];
        if (k->entry && k->module == module && package_calls_kernel(object, i))
            return true;
    }
    return false;
}

/* False after reporting (to NULL: nobody asks); appends what the entries of a module share, and
 * where addresses stand in it. */
static bool module_data(const struct object *object, const struct machine_library *library,
                        uint32_t module, struct str *out, struct str *addresses,
                        struct diag *diag) {
    const struct module_decl *m = &object->modules.data[module];
    const struct machine_form *form = machine_form(library->target, m->form, NULL);
    struct machine_kernel_fault fault = {.line = 0};
    struct place at = m->place;
    bool fine = !form || !form->data || form->data(library, m, out, addresses, &fault);
    if (!fine && fault.line && m->first_line)
        at = (struct place){at.file, m->first_line + fault.line - 1, 0};
    if (!fine && diag)
        diag_error(diag, object_span(object, at, diag), "module '%s': %s", m->name,
                   str_text(&fault.what));
    str_free(&fault.what);
    return fine;
}

static const uint64_t *keep_places(struct arena *arena, const struct str *places) {
    uint64_t *list = ARENA_ARRAY(arena, places->len / sizeof(uint64_t) + 1, uint64_t);
    if (places->len)
        memcpy(list, places->text, places->len);
    return list;
}

void package_module_bytes(const struct package_module *module, uint64_t address, struct str *out) {
    size_t begin = out->len;
    str_append_n(out, module->data, module->size);
    for (size_t i = 0; i < module->address_count; i++) {
        char *at = out->text + begin + module->addresses[i];
        uint64_t value = 0;
        for (unsigned k = 0; k < 8; k++)
            value |= (uint64_t)(unsigned char)at[k] << 8 * k;
        for (unsigned k = 0; k < 8; k++)
            at[k] = (char)((value + address) >> 8 * k);
    }
}

void package_build_modules(struct pack *pack, bool kernels_fine) {
    const struct object *o = pack->program;
    struct package_module *modules =
        ARENA_ARRAY(&pack->p->arena, o->modules.len + 1, struct package_module);
    pack->p->modules = modules;
    pack->p->module_count = o->modules.len;
    for (uint32_t i = 0; pack->p->launches && kernels_fine && i < o->modules.len; i++) {
        struct str data = {0}, places = {0};
        if (is_in_use(o, i) && module_data(o, pack->library, i, &data, &places, pack->d))
            modules[i] = (struct package_module){
                arena_copy(&pack->p->arena, str_text(&data), data.len), data.len,
                keep_places(&pack->p->arena, &places), places.len / sizeof(uint64_t)};
        str_free(&data);
        str_free(&places);
    }
}

static bool is_same(const struct str *now, const void *before, size_t size) {
    return now->len == size && (size == 0 || memcmp(str_text(now), before, size) == 0);
}

bool package_modules_fresh(const struct package *package, const struct object *object,
                           const struct machine_library *library) {
    bool fine = true;
    for (uint32_t i = 0; fine && i < object->modules.len; i++) {
        const struct package_module *m = &package->modules[i];
        struct str now = {0}, places = {0};
        if (package->launches && is_in_use(object, i))
            fine = module_data(object, library, i, &now, &places, NULL);
        fine = fine && is_same(&now, m->data, m->size) &&
               is_same(&places, m->addresses, m->address_count * sizeof *m->addresses);
        str_free(&now);
        str_free(&places);
    }
    return fine;
}

/* ---- entries ---- */

/* The name most like one that a text declares; NULL. */
static const char *nearest(const struct machine_entries *entries, const char *name) {
    const char **names = xcalloc(entries->entries.len + 1, sizeof *names);
    for (size_t i = 0; i < entries->entries.len; i++)
        names[i] = entries->entries.data[i].name;
    const char *found = nearest_name(name, names, entries->entries.len);
    free(names);
    return found;
}

static bool same_parameters(const struct kernel_decl *kernel, const struct machine_entry *entry) {
    bool same = kernel->parameter_count == entry->parameter_count;
    for (uint32_t i = 0; same && i < entry->parameter_count; i++) {
        const struct kernel_parameter *p = &kernel->parameters[i], *q = &entry->parameters[i];
        same = p->kind == q->kind && p->type.kind == q->type.kind && p->type.bits == q->type.bits &&
               p->bytes == q->bytes && p->align == q->align;
    }
    return same;
}

static void say_entry(const struct object *object, const struct kernel_decl *kernel,
                      const struct machine_entry *entry, struct str *what) {
    const struct kernel_decl declared = {.name = entry->name,
                                         .form = kernel->form,
                                         .parameters = entry->parameters,
                                         .parameter_count = entry->parameter_count,
                                         .otherwise = NO_INDEX};
    str_append(what, "its module declares it as ");
    object_kernel_text(object, &declared, what);
}

bool package_entry_fine(const struct object *object, const struct machine_form *form,
                        const struct kernel_decl *kernel, struct machine_kernel_fault *fault) {
    struct machine_entries entries = {.arena = {0}};
    struct str *what = &fault->what;
    const struct machine_entry *entry = NULL;
    if (!kernel->entry)
        return true;
    if (!form->declare) {
        str_printf(what, "texts of form '%s' have no entries", form->name);
        return false;
    }
    const bool no_text = kernel->words && !form->is_words;
    if (no_text)
        str_append(what, "words have no entries");
    if (no_text || !form->declare(kernel->bytes, kernel->size, &entries, fault)) {
        machine_entries_free(&entries);
        return false;
    }
    entry = machine_entry_named(&entries, kernel->entry, strlen(kernel->entry), what);
    const char *near = entry ? NULL : nearest(&entries, kernel->entry);
    bool fine = entry && same_parameters(kernel, entry);
    if (!entry && !what->len)
        str_printf(what, "module '%s' has no entry '%s'%s%s%s",
                   object->modules.data[kernel->module].name, kernel->entry,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    else if (entry && !fine)
        say_entry(object, kernel, entry, what);
    machine_entries_free(&entries);
    return fine;
}
