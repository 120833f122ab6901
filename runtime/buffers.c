/* SPDX-License-Identifier: MIT
 * Buffers: arrays in the machine's memory, in one place or in slices. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

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

/* Where the first unit's own bytes lie. */
static bool alloc(mpu_session *session, uint32_t buffer, struct diag *diag) {
    struct session_buffers *b = &session->buffers;
    const struct datapath_ops *ops = session->dp->ops;
    struct package_layout *l = &b->layouts[buffer];
    *l = package_buffer_layout(session->package, session->object, session->target->t, buffer);
    if (l->layout == LAYOUT_FLAT)
        return ops->mem_alloc(session->dp, l->room, &b->addresses[buffer], diag);
    if (!ops->mem_alloc_slices(session->dp, l->room, l->slices, &b->addresses[buffer],
                               &b->strides[buffer], diag))
        return false;
    b->addresses[buffer] += l->lead;
    return true;
}

bool session_buffers_open(mpu_session *session, struct diag *diag) {
    struct session_buffers *b = &session->buffers;
    if (!session->package->launches)
        return true;
    for (uint32_t i = 0; i < session->object->buffers.len; i++)
        if (!alloc(session, i, diag))
            return refuse(session, i, diag);
    session->control_config.buffers = b->addresses;
    session->control_config.strides = b->strides;
    return open_modules(session, diag);
}

/* ---- slices ---- */

static uint64_t address_of(const mpu_session *session, uint32_t buffer, uint32_t unit) {
    return session->buffers.addresses[buffer] + unit * session->buffers.strides[buffer];
}

/* A slice with its halos, and zeros where the array has nothing for it. */
static bool put_slice(mpu_session *session, uint32_t buffer, uint32_t unit,
                      const unsigned char *data, unsigned char *image, struct diag *diag) {
    const struct package_layout *l = &session->buffers.layouts[buffer];
    struct package_slice s = package_layout_slice(l, unit);
    uint64_t size = l->own + 2 * l->halo;
    memset(image, 0, size);
    memcpy(image + s.zeros, data + s.from, s.bytes);
    return session->dp->ops->mem_put(session->dp, address_of(session, buffer, unit) - l->halo,
                                     image, size, diag);
}

static bool put_slices(mpu_session *session, uint32_t buffer, const unsigned char *data,
                       struct diag *diag) {
    const struct package_layout *l = &session->buffers.layouts[buffer];
    unsigned char *image = xcalloc(l->own + 2 * l->halo, 1);
    bool fine = true;
    for (uint32_t u = 0; fine && u < l->slices; u++)
        fine = put_slice(session, buffer, u, data, image, diag);
    free(image);
    return fine;
}

/* What units have of their own; of copies the first. */
static bool get_slices(mpu_session *session, uint32_t buffer, unsigned char *data,
                       struct diag *diag) {
    const struct package_layout *l = &session->buffers.layouts[buffer];
    uint32_t slices = l->layout == LAYOUT_SAME ? 1 : l->slices;
    bool fine = true;
    for (uint32_t u = 0; fine && u < slices; u++) {
        struct package_slice s = package_layout_slice(l, u);
        fine = session->dp->ops->mem_get(session->dp, address_of(session, buffer, u),
                                         data + s.first, s.own, diag);
    }
    return fine;
}

mpu_result session_buffer_put(mpu_session *session, uint32_t buffer, const struct ndarray *array,
                              struct diag *diag) {
    const struct package_layout *l = &session->buffers.layouts[buffer];
    if (l->layout == LAYOUT_FLAT
            ? session->dp->ops->mem_put(session->dp, session->buffers.addresses[buffer],
                                        array->data, l->total, diag)
            : put_slices(session, buffer, array->data, diag))
        return MPU_OK;
    refuse(session, buffer, diag);
    return MPU_REJECTED;
}

mpu_result session_buffer_get(mpu_session *session, uint32_t buffer, struct ndarray *array,
                              struct diag *diag) {
    const struct variable *v = &session->buffers.as_variables[buffer];
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS];
    session_variable_shape(session, v, &ndim, shape);
    if (!ndarray_make_unset(array, session_host_type(v->type), ndim, shape)) {
        diag_error(diag, NO_SPAN, "buffer '%s' is too large for an array", v->name);
        return MPU_REJECTED;
    }
    if (get_slices(session, buffer, array->data, diag))
        return MPU_OK;
    refuse(session, buffer, diag);
    return MPU_REJECTED;
}

/* ---- what goes over the host's link ---- */

void session_buffer_slices(const mpu_session *session, uint32_t buffer, enum host_way *way,
                           struct session_slices *out) {
    const struct package_layout *l = &session->buffers.layouts[buffer];
    bool in = *way != HOST_OUT, same = l->layout == LAYOUT_SAME;
    uint32_t slices = same && !in ? 1 : l->slices;
    if (same && in)
        *way = HOST_SAME;
    for (uint32_t u = 0; u < slices; u++) {
        uint64_t own = package_layout_slice(l, u).own;
        vec_push(out, ((struct host_slice){u, in ? sat_add(own, 2 * l->halo) : own}));
    }
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
