/* SPDX-License-Identifier: MIT
 * Inputs that the program consumes: declared so, or because it has too few registers.  Behind a run
 * their registers may hold anything: they are not read, and have to come anew before the next one.
 */
#include "runtime/internal.h"

static bool is_consumed(const mpu_session *s, uint32_t variable) {
    return (s->object->vars.data[variable].direction & VAR_CONSUMED) != 0;
}

void session_consumed_take(mpu_session *s) {
    for (uint32_t i = 0; i < s->object->vars.len; i++)
        s->is_gone[i] = is_consumed(s, i);
}

static void note_declaration(const mpu_session *s, uint32_t variable, struct diag *d) {
    const struct variable *v = &s->object->vars.data[variable];
    diag_note(d, object_span(s->object, v->place, d),
              "'%s' is declared here; behind its last use its registers are free for others",
              v->name);
}

bool session_consumed_anew(const mpu_session *s, struct diag *d) {
    bool good = true;
    for (uint32_t i = 0; i < s->object->vars.len; i++) {
        if (!s->is_gone[i])
            continue;
        diag_error(d, NO_SPAN,
                   "'%s' was consumed by the run before: the program needs a new put of it",
                   s->object->vars.data[i].name);
        note_declaration(s, i, d);
        good = false;
    }
    return good;
}

bool session_consumed_readable(const mpu_session *s, uint32_t variable, struct diag *d) {
    if (!s->is_gone[variable])
        return true;
    diag_error(d, NO_SPAN,
               "'%s' was consumed by the program: its registers hold something else now",
               s->object->vars.data[variable].name);
    note_declaration(s, variable, d);
    return false;
}

bool session_consumed_will_be_readable(const mpu_session *s, const struct place_name *p,
                                       struct diag *d) {
    if (p->bare || !is_consumed(s, p->variable))
        return true;
    diag_error(d, NO_SPAN,
               "'%s' is consumed by the program: behind the run its registers hold something else",
               s->object->vars.data[p->variable].name);
    note_declaration(s, p->variable, d);
    return false;
}
