/* SPDX-License-Identifier: MIT
 * Kernels of a session, and the names of the buffers on which they work: where the target launches
 * no kernels, variables of the same names stand for them. */
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "linker/linker.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The kernel of the first call that golden does not carry out, of those without an 'else' or of
 * all; NULL. */
static const struct kernel_decl *find_foreign(const struct object *object, bool without_else) {
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct kernel_decl *k = package_call_kernel(object, i);
        if (k && !golden_launches(k->form) &&
            !(without_else && object->calls.data[i].otherwise != NO_INDEX))
            return k;
    }
    return NULL;
}

/* To shapes and types a buffer is a variable of one register without a group, whose array has a
 * shape of its own. */
static struct variable as_variable(const struct buffer_decl *buffer) {
    struct variable v = {.name = buffer->name,
                         .direction = buffer->direction,
                         .type = buffer->type,
                         .count = 1,
                         .group = NO_INDEX,
                         .place = buffer->place};
    v.form = (struct array_form){.shaped = true, .ndim = buffer->ndim};
    memcpy(v.form.shape, buffer->shape, sizeof v.form.shape);
    return v;
}

void session_buffers_new(mpu_session *session) {
    const struct object *o = session->object;
    struct session_buffers *b = &session->buffers;
    /* Golden carries out those of portable forms, and like any machine all of them or none. */
    bool instead = session->golden && find_foreign(o, false) && !find_foreign(o, true);
    b->launches = link_kernels_launch(o, session->target->t, NULL) && !instead;
    b->as_variables = xcalloc(o->buffers.len + 1, sizeof *b->as_variables);
    b->was_put = xcalloc(o->buffers.len + 1, 1);
    b->was_read = xcalloc(o->buffers.len + 1, 1);
    b->modules = xcalloc(o->modules.len + 1, sizeof *b->modules);
    b->addresses = xcalloc(o->buffers.len + 1, sizeof *b->addresses);
    b->strides = xcalloc(o->buffers.len + 1, sizeof *b->strides);
    b->layouts = xcalloc(o->buffers.len + 1, sizeof *b->layouts);
    for (size_t i = 0; i < o->buffers.len; i++)
        b->as_variables[i] = as_variable(&o->buffers.data[i]);
}

/* The variable of the buffer's name, if the place is one. */
static bool name_instead(const mpu_session *session, struct place_name *name, struct diag *diag) {
    return !name->memory ||
           session_place_parse(session, session->object->buffers.data[name->variable].name, name,
                               diag);
}

bool session_buffers_instead(mpu_session *session, struct diag *diag) {
    bool fine = true;
    session->buffers.launches = false;
    for (size_t i = 0; fine && i < session->pending.len; i++) {
        struct place_name *name = &session->pending.data[i].place;
        if (name->memory) {
            session->buffers.was_put[name->variable] = 0;
            fine = name_instead(session, name, diag);
            if (fine)
                session->was_put[name->variable] = 1;
        }
    }
    for (size_t i = 0; fine && i < session->residents.len; i++)
        fine = name_instead(session, &session->residents.data[i].place, diag);
    return fine;
}

void session_buffers_free(mpu_session *session) {
    for (size_t i = 0; session->buffers.kept && i < session->object->buffers.len; i++)
        ndarray_free(&session->buffers.kept[i]);
    free(session->buffers.kept);
    free(session->buffers.as_variables);
    free(session->buffers.was_put);
    free(session->buffers.was_read);
    free(session->buffers.addresses);
    free(session->buffers.modules);
    free(session->buffers.strides);
    free(session->buffers.layouts);
}

const struct variable *session_place_variable(const mpu_session *session,
                                              const struct place_name *place) {
    return place->memory ? &session->buffers.as_variables[place->variable]
                         : &session->object->vars.data[place->variable];
}

bool session_stands_for_buffer(const mpu_session *session, uint32_t variable) {
    return session->buffers.launches &&
           object_find_buffer(session->object, session->object->vars.data[variable].name) !=
               NO_INDEX;
}

bool session_whole_vrfs(const mpu_session *session) {
    struct insn insn;
    for (size_t i = 0; session->buffers.launches && i < session->object->text.len; i++)
        if (isa_decode(session->object->text.data[i], &insn) == ISA_OK &&
            (insn.op == OP_COMPUTE || insn.op == OP_COMPUTEG || insn.op == OP_MOVE))
            return false;
    return session->buffers.launches;
}

bool session_is_placed(const mpu_session *session, uint32_t variable, struct diag *diag) {
    const struct variable *v = &session->object->vars.data[variable];
    const struct package *p = session->package;
    if (v->group == NO_INDEX || !p || !p->unplaced[v->group])
        return true;
    diag_error(diag, NO_SPAN, "'%s' lies nowhere: target '%s' launches the program's kernels",
               v->name, session->target->t->name);
    diag_note(diag,
              object_span(session->object, session->object->groups.data[v->group].place, diag),
              "nothing but what stands behind 'else' works on group '%s'",
              session->object->groups.data[v->group].name);
    return false;
}

/* ---- before the machine is opened ---- */

bool session_kernels_possible(mpu_session *session, struct diag *diag) {
    const bool golden = session->golden || session->config.check;
    const struct kernel_decl *k = golden ? find_foreign(session->object, false) : NULL;
    if (!session->package->launches || !k)
        return true;
    diag_error(diag, object_span(session->object, k->place, diag),
               "kernel '%s': golden does not interpret kernels of form '%s', so %s", k->name,
               k->form,
               session->config.check ? "there is nothing to check it with"
                                     : "engine golden cannot carry it out");
    if (!session->config.check)
        diag_note(diag, NO_SPAN, "it could carry out what stands behind an 'else' of the kernel");
    return false;
}

void session_kernels_set_up(mpu_session *session) {
    uint32_t mpus = session->package->launches
                        ? package_kernel_mpus(session->package, session->object, session->target->t)
                        : 0;
    session->setup.kernels = session->package->launches;
    if (mpus > session->setup.mpus)
        session->setup.mpus = mpus;
}
