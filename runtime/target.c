/* SPDX-License-Identifier: MIT */
#include "runtime/internal.h"

#include "ezpim/rows.h"
#include "support/alloc.h"

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

mpu_result target_open_diag(const char *name, const struct target_override *set, size_t count,
                            struct diag *d, mpu_target **out) {
    struct mpu_target t;
    mpu_result r = result_of(machine_open_target(name, set, count, d, &t.t, &t.library));
    if (r != MPU_OK)
        return r;
    *out = xcalloc(1, sizeof **out);
    **out = t;
    return MPU_OK;
}

/* "key=value" strings to overrides; `texts` keeps the keys. */
static bool split_overrides(const char *const *set, size_t count, struct arena *a,
                            struct target_override *out, struct diag *d) {
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(set[i], '=');
        if (!equals) {
            diag_error(d, NO_SPAN, "'%s' is not of the form key=value", set[i]);
            return false;
        }
        out[i] = (struct target_override){arena_strndup(a, set[i], (size_t)(equals - set[i])),
                                          arena_strdup(a, equals + 1)};
    }
    return true;
}

mpu_target *mpu_target_open_with(const char *name, const char *const *set, mpu_messages *messages,
                                 mpu_error **error) {
    struct call c;
    struct arena a = {0};
    mpu_target *t = NULL;
    size_t count = 0;
    while (set && set[count])
        count++;
    struct target_override *overrides = ARENA_ARRAY(&a, count, struct target_override);
    call_begin(&c, messages, error);
    mpu_result r = MPU_USAGE;
    if (!name)
        diag_error(c.d, NO_SPAN, "no target is named");
    else if (split_overrides(set, count, &a, overrides, c.d))
        r = target_open_diag(name, overrides, count, c.d, &t);
    call_end(&c, r);
    arena_free(&a);
    return t;
}

mpu_target *mpu_target_open(const char *name, const char *const *set, mpu_error **error) {
    return mpu_target_open_with(name, set, NULL, error);
}

const char *mpu_target_name(const mpu_target *t) {
    return t->t->name;
}

void mpu_target_close(mpu_target *t) {
    if (!t)
        return;
    machine_library_close(t->library);
    target_free(t->t);
    free(t);
}

/* ---- what there is to know ---- */

const char *mpu_target_builtin(size_t i) {
    size_t count;
    const char *const *names = target_names(&count);
    return i < count ? names[i] : NULL;
}

const char *mpu_target_summary(const char *name) {
    return target_summary(name);
}

static mpu_result row_number(const struct target *t, const char *name, uint64_t *value) {
    uint32_t there, least;
    if (!rows_of_target(t->name, &there, &least))
        return MPU_USAGE;
    *value = strcmp(name, "rows") == 0 ? there : least;
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
               {"assumed", t->assumed, t->kind->costs}};
    if (strcmp(name, "rows") == 0 || strcmp(name, "rows_least") == 0)
        return row_number(t, name, value);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0 && all[i].known) {
            *value = all[i].value;
            return MPU_OK;
        }
    return MPU_USAGE;
}

static char *printed(const mpu_target *t, void (*print)(const struct target *, struct str *)) {
    struct str text = {0};
    print(t->t, &text);
    return text_out(&text);
}

char *mpu_target_print(const mpu_target *t) {
    return printed(t, target_print);
}

char *mpu_target_keys(const mpu_target *t) {
    return printed(t, target_list_keys);
}

const char *mpu_target_uop_format(const mpu_target *t, size_t i) {
    const struct machine_format *all = machine_formats(t->t);
    for (size_t k = 0; all && k < i && all->name; k++)
        all++;
    return all ? all->name : NULL;
}
