/* SPDX-License-Identifier: MIT
 * Which kind a target is of, and what is asked of that kind by target.  The list of kinds is used
 * here alone, so that kinds may use machine.c without a circle. */
#include "machines/machine.h"
#include "recipe/set/recipe.h"
#include "support/file.h"
#include "target/load.h"

#include <stdlib.h>
#include <string.h>

static const struct machine *machine_of(const struct target *target) {
    for (size_t i = 0; machine_list[i]; i++)
        if (machine_list[i]->kind == target->kind)
            return machine_list[i];
    return NULL; /* a target is of a kind that is in both lists */
}

const struct machine_format *machine_formats(const struct target *target) {
    return machine_of(target)->formats;
}

static enum target_fault why_not_open(const char *name) {
    size_t size;
    if (!target_is_path(name))
        return TARGET_UNKNOWN;
    char *text = file_read_text(name, FILE_MAX_TARGET, &size);
    free(text);
    return text ? TARGET_REJECTED : TARGET_UNREADABLE;
}

enum target_fault machine_open_target(const char *name, const struct target_override *overrides,
                                      size_t count, struct diag *diag, struct target **target,
                                      struct machine_library **library) {
    *library = NULL;
    *target = target_open(name, overrides, count, diag);
    if (!*target)
        return why_not_open(name);
    *library = machine_library_open(*target, NULL, 0, diag);
    if (*library)
        return TARGET_FINE;
    target_free(*target);
    *target = NULL;
    return TARGET_REJECTED;
}

struct machine_library *machine_library_open(const struct target *target,
                                             const struct user_file *files, size_t count,
                                             struct diag *diag) {
    struct recipe_contracts *contracts =
        count ? recipe_contracts_open(target, files, count, diag) : NULL;
    struct machine_library *l =
        contracts || !count ? machine_of(target)->open(target, files, count, diag) : NULL;
    if (!l) {
        recipe_contracts_free(contracts);
        return NULL;
    }
    l->machine = machine_of(target);
    l->target = target;
    l->contracts = contracts;
    return l;
}

uint64_t machine_memory(const struct target *target) {
    const struct machine *m = machine_of(target);
    return m->memory ? m->memory(target) : UINT64_MAX;
}

struct machine_room machine_room(const struct target *target, unsigned slot) {
    const struct machine *machine = machine_of(target);
    return machine->room ? machine->room(target, slot) : (struct machine_room){0, 0, 0};
}

/* ---- forms of kernels ---- */

static const struct machine_form *find_form(const struct target *target, const char *name,
                                            struct str *why) {
    const struct machine_form *const *forms = machine_of(target)->forms;
    for (size_t i = 0; forms && forms[i]; i++)
        if (strcmp(forms[i]->name, name) == 0)
            return !forms[i]->serves || forms[i]->serves(target, why) ? forms[i] : NULL;
    str_printf(why, "target '%s' knows no kernels of form '%s'", target->name, name);
    return NULL;
}

const struct machine_form *machine_form(const struct target *target, const char *name,
                                        struct str *why) {
    struct str unheard = {0};
    const struct machine_form *form = find_form(target, name, why ? why : &unheard);
    str_free(&unheard);
    return form;
}

/* Suffix number *i of the forms of a machine, and its form; *i counts down. */
static const char *suffix_of(const struct machine *machine, size_t *i,
                             const struct machine_form **form) {
    for (size_t f = 0; machine->forms && machine->forms[f]; f++)
        for (size_t s = 0; machine->forms[f]->suffixes && machine->forms[f]->suffixes[s]; s++)
            if ((*i)-- == 0) {
                *form = machine->forms[f];
                return machine->forms[f]->suffixes[s];
            }
    return NULL;
}

static const char *suffix_at(size_t i, const struct machine_form **form) {
    const char *found = NULL;
    for (size_t m = 0; machine_list[m] && !found; m++)
        found = suffix_of(machine_list[m], &i, form);
    return found;
}

const char *machine_form_suffix(size_t i) {
    const struct machine_form *form;
    return suffix_at(i, &form);
}

const struct machine_form *machine_form_of_suffix(const char *suffix) {
    const struct machine_form *form = NULL;
    const char *known;
    for (size_t i = 0; (known = suffix_at(i, &form)); i++)
        if (strcmp(known, suffix) == 0)
            return form;
    return NULL;
}
