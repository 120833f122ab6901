/* SPDX-License-Identifier: MIT */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

/* The fault is the caller's when a built-in target does not open: its name, or an override. */
static mpu_result why_not_open(const char *name) {
    size_t size, n = strlen(name);
    bool path = strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
                (n > 4 && strcmp(name + n - 4, ".yml") == 0);
    char *text = path ? file_read(name, &size) : NULL;
    free(text);
    return !path ? MPU_USAGE : text ? MPU_REJECTED : MPU_FILE;
}

mpu_result target_open_diag(const char *name, const struct target_override *set, size_t count,
                            struct diag *d, mpu_target **out) {
    struct target *t = target_open(name, set, count, d);
    struct recipe_set *recipes = NULL;
    if (!t)
        return why_not_open(name);
    if (t->kind != TARGET_GOLDEN) {
        recipes = recipe_set_open(t, d);
        if (!recipes) {
            target_free(t);
            return MPU_REJECTED;
        }
    }
    *out = xcalloc(1, sizeof **out);
    **out = (struct mpu_target){t, recipes};
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

mpu_target *mpu_target_open(const char *name, const char *const *set, mpu_error **error) {
    struct call c;
    struct arena a = {0};
    mpu_target *t = NULL;
    size_t count = 0;
    while (set && set[count])
        count++;
    struct target_override *overrides = ARENA_ARRAY(&a, count, struct target_override);
    call_begin(&c);
    mpu_result r = MPU_USAGE;
    if (!name)
        diag_error(c.d, NO_SPAN, "no target is named");
    else if (split_overrides(set, count, &a, overrides, c.d))
        r = target_open_diag(name, overrides, count, c.d, &t);
    call_end(&c, r, error);
    arena_free(&a);
    return t;
}

const char *mpu_target_name(const mpu_target *t) {
    return t->t->name;
}

void mpu_target_close(mpu_target *t) {
    if (!t)
        return;
    recipe_set_free(t->recipes);
    target_free(t->t);
    free(t);
}
