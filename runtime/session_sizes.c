/* SPDX-License-Identifier: MIT
 * Derived sizes of a session: each gets its value as soon as its operands have theirs. */
#include "runtime/session.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool operand_known(const mpu_session *session, const struct size_operand *operand) {
    return operand->size == NO_INDEX || session->size_bound[operand->size];
}

void session_settle(mpu_session *session) {
    for (uint32_t i = 0; i < session->object->sizes.len; i++) {
        const struct size_decl *d = &session->object->sizes.data[i];
        if (d->op == SIZE_GIVEN || session->size_bound[i])
            continue;
        session->size_bound[i] =
            operand_known(session, &d->left) && operand_known(session, &d->right) &&
            object_size_value(session->object, i, session->sizes, &session->sizes[i], NULL);
    }
}

void session_unbind(mpu_session *session, uint32_t size) {
    session->size_bound[size] = 0;
    for (uint32_t i = size; i < session->object->sizes.len; i++)
        if (session->object->sizes.data[i].op != SIZE_GIVEN)
            session->size_bound[i] = 0;
    session_settle(session);
}

static bool default_size(mpu_session *session, uint32_t size, const char *of, struct diag *diag) {
    const struct size_decl *x = &session->object->sizes.data[size];
    uint32_t buffer = x->has_default ? NO_INDEX : object_buffer_of_length(session->object, size);
    if (buffer != NO_INDEX) {
        object_report_length(session->object, buffer, diag);
        return false;
    }
    if (!x->has_default) {
        diag_error(diag, NO_SPAN, "the shape of '%s' is not known: size '%s' has no value", of,
                   x->name);
        diag_note(diag, NO_SPAN, "give it with --size %s=N, or an array that has it", x->name);
        return false;
    }
    session->sizes[size] = (int64_t)x->value;
    session->size_bound[size] = 1;
    return true;
}

static bool default_part(mpu_session *session, uint32_t index, const char *of, struct diag *diag) {
    if (session->size_bound[index])
        return true;
    if (session->object->sizes.data[index].op == SIZE_GIVEN)
        return default_size(session, index, of, diag);
    session->size_bound[index] =
        object_size_value(session->object, index, session->sizes, &session->sizes[index], diag);
    return session->size_bound[index];
}

bool session_default(mpu_session *session, uint32_t size, const char *of, struct diag *diag) {
    uint8_t *needed = xcalloc(session->object->sizes.len, 1);
    bool ok = true;
    object_size_parts(session->object, size, needed);
    for (uint32_t i = 0; i <= size && ok; i++)
        ok = !needed[i] || default_part(session, i, of, diag);
    free(needed);
    return ok;
}
