/* SPDX-License-Identifier: MIT
 * Inputs that the program consumes: declared so, or because it has too few registers.  After a run
 * their registers may hold anything: they cannot be read, and must be put anew before the next run.
 */
#include "runtime/place.h"
#include "runtime/session.h"

static bool is_consumed(const mpu_session *session, uint32_t variable) {
    return (session->object->vars.data[variable].direction & VAR_CONSUMED) != 0;
}

void session_consumed_take(mpu_session *session) {
    for (uint32_t i = 0; i < session->object->vars.len; i++)
        session->is_gone[i] = is_consumed(session, i);
}

static void note_declaration(const mpu_session *session, uint32_t variable, struct diag *diag) {
    const struct variable *v = &session->object->vars.data[variable];
    diag_note(diag, object_span(session->object, v->place, diag),
              "'%s' is declared here; behind its last use its registers are free for others",
              v->name);
}

bool session_consumed_anew(const mpu_session *session, struct diag *diag) {
    bool good = true;
    for (uint32_t i = 0; i < session->object->vars.len; i++) {
        if (!session->is_gone[i])
            continue;
        diag_error(diag, NO_SPAN,
                   "'%s' was consumed by the run before: the program needs a new put of it",
                   session->object->vars.data[i].name);
        note_declaration(session, i, diag);
        good = false;
    }
    return good;
}

bool session_consumed_readable(const mpu_session *session, uint32_t variable, struct diag *diag) {
    if (!session->is_gone[variable])
        return true;
    diag_error(diag, NO_SPAN,
               "'%s' was consumed by the program: its registers hold something else now",
               session->object->vars.data[variable].name);
    note_declaration(session, variable, diag);
    return false;
}

bool session_consumed_will_be_readable(const mpu_session *session, const struct place_name *name,
                                       struct diag *diag) {
    if (name->bare || name->memory || !is_consumed(session, name->variable))
        return true;
    diag_error(diag, NO_SPAN,
               "'%s' is consumed by the program: behind the run its registers hold something else",
               session->object->vars.data[name->variable].name);
    note_declaration(session, name->variable, diag);
    return false;
}
