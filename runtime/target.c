/* SPDX-License-Identifier: MIT */
#include "runtime/internal.h"

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
    machine_library_close(t->library);
    target_free(t->t);
    free(t);
}
