/* SPDX-License-Identifier: MIT
 * Derived sizes of a session: each has its value as soon as those have theirs that it is made of.
 */
#include "runtime/internal.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool operand_known(const mpu_session *s, const struct size_operand *x) {
    return x->size == NO_INDEX || s->size_bound[x->size];
}

void session_settle(mpu_session *s) {
    for (uint32_t i = 0; i < s->object->sizes.len; i++) {
        const struct size_decl *d = &s->object->sizes.data[i];
        if (d->op == SIZE_GIVEN || s->size_bound[i])
            continue;
        s->size_bound[i] = operand_known(s, &d->left) && operand_known(s, &d->right) &&
                           object_size_value(s->object, i, s->sizes, &s->sizes[i], NULL);
    }
}

void session_unbind(mpu_session *s, uint32_t size) {
    s->size_bound[size] = 0;
    for (uint32_t i = size; i < s->object->sizes.len; i++)
        if (s->object->sizes.data[i].op != SIZE_GIVEN)
            s->size_bound[i] = 0;
    session_settle(s);
}

static bool default_size(mpu_session *s, uint32_t size, const char *of, struct diag *d) {
    const struct size_decl *x = &s->object->sizes.data[size];
    if (!x->has_default) {
        diag_error(d, NO_SPAN, "the shape of '%s' is not known: size '%s' has no value", of,
                   x->name);
        diag_note(d, NO_SPAN, "give it with --size %s=N, or an array that has it", x->name);
        return false;
    }
    s->sizes[size] = (int64_t)x->value;
    s->size_bound[size] = 1;
    return true;
}

static bool default_part(mpu_session *s, uint32_t i, const char *of, struct diag *d) {
    if (s->size_bound[i])
        return true;
    if (s->object->sizes.data[i].op == SIZE_GIVEN)
        return default_size(s, i, of, d);
    s->size_bound[i] = object_size_value(s->object, i, s->sizes, &s->sizes[i], d);
    return s->size_bound[i];
}

bool session_default(mpu_session *s, uint32_t size, const char *of, struct diag *d) {
    uint8_t *needed = xcalloc(s->object->sizes.len, 1);
    bool ok = true;
    object_size_parts(s->object, size, needed);
    for (uint32_t i = 0; i <= size && ok; i++)
        ok = !needed[i] || default_part(s, i, of, d);
    free(needed);
    return ok;
}
