/* SPDX-License-Identifier: MIT
 * Targets of the public API: a target file with overrides, and what is built in for it. */
#include "runtime/public.h"

#include "ezpim/code/rows.h"
#include "machines/format.h"
#include "machines/machine.h"
#include "support/alloc.h"
#include "support/cache.h"
#include "target/kind.h"

#include <stdlib.h>
#include <string.h>

static mpu_result result_of(enum target_fault fault) {
    switch (fault) {
    case TARGET_FINE:
        return MPU_OK;
    case TARGET_UNKNOWN:
        return MPU_USAGE;
    case TARGET_UNREADABLE:
        return MPU_FILE;
    case TARGET_REJECTED:
        break;
    }
    return MPU_REJECTED;
}

mpu_result public_target_open_diag(const char *name, const struct target_override *set,
                                   size_t count, struct diag *diag, mpu_target **out) {
    struct mpu_target t = {0};
    mpu_result r = result_of(machine_open_target(name, set, count, diag, &t.t, &t.library));
    if (r != MPU_OK)
        return r;
    *out = xcalloc(1, sizeof **out);
    **out = t;
    return MPU_OK;
}

/* "key=value" strings to overrides; `texts` keeps the keys. */
static bool split_overrides(const char *const *set, size_t count, struct arena *arena,
                            struct target_override *out, struct diag *diag) {
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(set[i], '=');
        if (!equals) {
            diag_error(diag, NO_SPAN, "'%s' is not of the form key=value", set[i]);
            return false;
        }
        out[i] = (struct target_override){arena_strndup(arena, set[i], (size_t)(equals - set[i])),
                                          arena_strdup(arena, equals + 1)};
    }
    return true;
}

mpu_target *mpu_target_open_with(const char *name, const char *const *set, mpu_messages *messages,
                                 mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    struct arena a = {0};
    mpu_target *t = NULL;
    size_t count = 0;
    while (set && set[count])
        count++;
    struct target_override *overrides = ARENA_ARRAY(&a, count, struct target_override);
    public_call_begin(&c, messages, error);
    mpu_result r = MPU_USAGE;
    if (!name)
        diag_error(c.d, NO_SPAN, "no target is named");
    else if (split_overrides(set, count, &a, overrides, c.d))
        r = public_target_open_diag(name, overrides, count, c.d, &t);
    public_call_end(&c, r);
    arena_free(&a);
    return t;
}

mpu_target *mpu_target_open(const char *name, const char *const *set, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    return mpu_target_open_with(name, set, NULL, error);
}

void public_keep(struct machine_library *library) {
    char *folder = cache_user_folder();
    machine_library_keep(library, folder);
    free(folder);
}

void mpu_target_use_cache(mpu_target *target) {
    target->keeps = true;
    public_keep(target->library);
}

const char *mpu_target_name(const mpu_target *target) {
    return target->t->name;
}

void mpu_target_close(mpu_target *target) {
    if (!target)
        return;
    machine_library_close(target->library);
    target_free(target->t);
    free(target);
}

/* ---- what there is to know ---- */

const char *mpu_target_builtin(size_t index) {
    size_t count;
    const char *const *names = target_names(&count);
    return index < count ? names[index] : NULL;
}

const char *mpu_target_summary(const char *name) {
    return target_summary(name);
}

static mpu_result row_number(const struct target *target, const char *name, uint64_t *value) {
    struct rows_there rows;
    if (!rows_of_target(target->name, &rows))
        return MPU_USAGE;
    *value = strcmp(name, "rows") == 0         ? rows.there
             : strcmp(name, "rows_least") == 0 ? rows.least
                                               : rows.sections;
    return MPU_OK;
}

mpu_result mpu_target_number(const mpu_target *target, const char *name, uint64_t *value) {
    const struct target *t = target->t;
    const struct {
        const char *name;
        uint64_t value;
        bool known;
    } all[] = {{"lanes", t->lanes, true},
               {"vrf_per_rfh", t->vrf_per_rfh, true},
               {"rfh_per_mpu", t->rfh_per_mpu, true},
               {"mpus", t->mpus, t->kind->costs},
               {"assumed", t->assumed, t->kind->costs},
               {"datapath_ps", t->datapath_ps, t->kind->costs}};
    if (strcmp(name, "rows") == 0 || strcmp(name, "rows_least") == 0 ||
        strcmp(name, "row_bits") == 0)
        return row_number(t, name, value);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0 && all[i].known) {
            *value = all[i].value;
            return MPU_OK;
        }
    return MPU_USAGE;
}

static char *printed(const mpu_target *target, void (*print)(const struct target *, struct str *)) {
    struct str text = {0};
    print(target->t, &text);
    return public_text_out(&text);
}

char *mpu_target_print(const mpu_target *target) {
    PUBLIC_ENTRY(NULL, NULL);
    return printed(target, target_print);
}

char *mpu_target_keys(const mpu_target *target) {
    PUBLIC_ENTRY(NULL, NULL);
    return printed(target, target_list_keys);
}

const char *mpu_target_uop_format(const mpu_target *target, size_t index) {
    const struct machine_format *all = machine_formats(target->t);
    for (size_t k = 0; all && k < index && all->name; k++)
        all++;
    return all ? all->name : NULL;
}
