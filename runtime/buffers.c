/* SPDX-License-Identifier: MIT
 * Buffers: arrays in the machine's memory on which kernels work.  Where the target launches no
 * kernels, variables of the same names stand for them. */
#include "runtime/internal.h"

#include "linker/linker.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The kernel of the first call for which `wanted` holds; NULL. */
static const struct kernel_decl *find_call(const struct object *object,
                                           bool (*wanted)(const struct kernel_decl *kernel)) {
    for (size_t i = 0; i < object->calls.len; i++) {
        const struct kernel_decl *k = package_call_kernel(object, i);
        if (k && wanted(k))
            return k;
    }
    return NULL;
}

static bool is_any(const struct kernel_decl *kernel) {
    return kernel != NULL;
}

static bool has_no_else(const struct kernel_decl *kernel) {
    return kernel->otherwise == NO_INDEX;
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
    /* Golden carries out none. */
    bool instead = session->golden && !find_call(o, has_no_else);
    b->launches = link_kernels_launch(o, session->target->t, NULL) && !instead;
    b->as_variables = xcalloc(o->buffers.len + 1, sizeof *b->as_variables);
    b->was_put = xcalloc(o->buffers.len + 1, 1);
    b->addresses = xcalloc(o->buffers.len + 1, sizeof *b->addresses);
    for (size_t i = 0; i < o->buffers.len; i++)
        b->as_variables[i] = as_variable(&o->buffers.data[i]);
}

void session_buffers_free(mpu_session *session) {
    free(session->buffers.as_variables);
    free(session->buffers.was_put);
    free(session->buffers.addresses);
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

/* ---- before the machine is opened ---- */

bool session_kernels_possible(mpu_session *session, struct diag *diag) {
    const struct kernel_decl *k = find_call(session->object, is_any);
    if (!session->package->launches)
        return true;
    if (!session->buffers.launches) {
        package_take_else(session->package, session->object);
        return true;
    }
    if (session->ops->launch)
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
    uint32_t mpus = session->package->launches ? package_kernel_mpus(session->package) : 0;
    session->setup.kernels = session->package->launches;
    if (mpus > session->setup.mpus)
        session->setup.mpus = mpus;
}

/* ---- memory ---- */

static uint64_t bytes_of(const mpu_session *session, uint32_t buffer) {
    const struct buffer_decl *b = &session->object->buffers.data[buffer];
    uint64_t elements = object_buffer_elements(b, session->sizes), bytes;
    return __builtin_mul_overflow(elements, object_element_bytes(b->type), &bytes) ? UINT64_MAX
                                                                                   : bytes;
}

static bool refuse(const mpu_session *session, uint32_t buffer, struct diag *diag) {
    const struct buffer_decl *b = &session->object->buffers.data[buffer];
    diag_note(diag, object_span(session->object, b->place, diag), "for buffer '%s'", b->name);
    return false;
}

bool session_buffers_open(mpu_session *session, struct diag *diag) {
    struct session_buffers *b = &session->buffers;
    if (!session->package->launches)
        return true;
    for (uint32_t i = 0; i < session->object->buffers.len; i++)
        if (!session->dp->ops->mem_alloc(session->dp, bytes_of(session, i), &b->addresses[i], diag))
            return refuse(session, i, diag);
    session->control_config.buffers = b->addresses;
    return true;
}

/* Arrays go over the host's link as they are. */
static void charge(mpu_session *session, enum host_way way, uint64_t bytes) {
    const struct host_slice all = {0, bytes};
    session_charge_memory(session, way, &all);
}

mpu_result session_buffer_put(mpu_session *session, uint32_t buffer, const struct ndarray *array,
                              struct diag *diag) {
    uint64_t bytes = bytes_of(session, buffer);
    if (!session->dp->ops->mem_put(session->dp, session->buffers.addresses[buffer], array->data,
                                   bytes, diag)) {
        refuse(session, buffer, diag);
        return MPU_REJECTED;
    }
    charge(session, HOST_IN, bytes);
    return MPU_OK;
}

mpu_result session_buffer_get(mpu_session *session, uint32_t buffer, struct ndarray *array,
                              struct diag *diag) {
    const struct variable *v = &session->buffers.as_variables[buffer];
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS], bytes = bytes_of(session, buffer);
    session_variable_shape(session, v, &ndim, shape);
    if (!ndarray_make_unset(array, session_host_type(v->type), ndim, shape)) {
        diag_error(diag, NO_SPAN, "buffer '%s' is too large for an array", v->name);
        return MPU_REJECTED;
    }
    if (!session->dp->ops->mem_get(session->dp, session->buffers.addresses[buffer], array->data,
                                   bytes, diag)) {
        refuse(session, buffer, diag);
        return MPU_REJECTED;
    }
    charge(session, HOST_OUT, bytes);
    return MPU_OK;
}

bool session_buffers_there(const mpu_session *session, struct diag *diag) {
    bool all = true;
    for (uint32_t i = 0; session->buffers.launches && i < session->object->buffers.len; i++) {
        const struct buffer_decl *b = &session->object->buffers.data[i];
        if (!(b->direction & VAR_IN) || session->buffers.was_put[i])
            continue;
        diag_error(diag, NO_SPAN, "no data was given for input '%s'", b->name);
        diag_note(diag, NO_SPAN, "--in %s=zeros lets it begin with zeros", b->name);
        all = false;
    }
    return all;
}
