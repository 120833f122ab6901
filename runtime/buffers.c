/* SPDX-License-Identifier: MIT
 * Buffers: arrays in the machine's memory. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

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

/* What the entries of each module share, as the package has it. */
static bool open_modules(mpu_session *session, struct diag *diag) {
    const struct datapath_ops *ops = session->dp->ops;
    for (size_t i = 0; i < session->package->module_count; i++) {
        const struct package_module *m = &session->package->modules[i];
        uint64_t *address = &session->buffers.modules[i];
        if (!m->size)
            continue;
        if (!ops->mem_alloc(session->dp, m->size, address, diag) ||
            !ops->mem_put(session->dp, *address, m->data, m->size, diag)) {
            diag_note(diag, NO_SPAN, "for what the entries of module '%s' share",
                      session->object->modules.data[i].name);
            return false;
        }
    }
    session->control_config.modules = session->buffers.modules;
    return true;
}

bool session_buffers_open(mpu_session *session, struct diag *diag) {
    struct session_buffers *b = &session->buffers;
    if (!session->package->launches)
        return true;
    for (uint32_t i = 0; i < session->object->buffers.len; i++)
        if (!session->dp->ops->mem_alloc(session->dp, bytes_of(session, i), &b->addresses[i], diag))
            return refuse(session, i, diag);
    session->control_config.buffers = b->addresses;
    return open_modules(session, diag);
}

mpu_result session_buffer_put(mpu_session *session, uint32_t buffer, const struct ndarray *array,
                              struct diag *diag) {
    uint64_t bytes = bytes_of(session, buffer);
    if (!session->dp->ops->mem_put(session->dp, session->buffers.addresses[buffer], array->data,
                                   bytes, diag)) {
        refuse(session, buffer, diag);
        return MPU_REJECTED;
    }
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
