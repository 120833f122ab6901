/* SPDX-License-Identifier: MIT
 * Buffers: arrays in the machine's memory, in one place or in slices. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const mpu_session *session, uint32_t buffer, struct diag *diag) {
    const struct buffer_decl *b = &session->object->buffers.data[buffer];
    diag_note(diag, object_span(session->object, b->place, diag), "for buffer '%s'", b->name);
    return false;
}

static bool put_module(const mpu_session *session, const struct package_module *module,
                       uint64_t address, struct diag *diag) {
    struct str bytes = {0};
    package_module_bytes(module, address, &bytes);
    bool fine = session->dp->ops->mem_put(session->dp, address, bytes.text, bytes.len, diag);
    str_free(&bytes);
    return fine;
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
            !put_module(session, m, *address, diag)) {
            diag_note(diag, NO_SPAN, "for what the entries of module '%s' share",
                      session->object->modules.data[i].name);
            return false;
        }
    }
    session->control_config.modules = session->buffers.modules;
    return true;
}

static struct package_part part_of(const mpu_session *session, uint32_t buffer) {
    return package_layout_part(&session->buffers.layouts[buffer], session->rounds.now);
}

/* Where the units look of which none has a part in the round: no array lies there. */
#define NOWHERE (UINT64_C(1) << 62)

/* The buffer as it is there in the round. */
static struct buffer_slices slices_of(const mpu_session *session, uint32_t buffer) {
    const struct session_buffers *b = &session->buffers;
    return (struct buffer_slices){.dp = session->dp,
                                  .layout = &b->layouts[buffer],
                                  .part = part_of(session, buffer),
                                  .address = b->addresses[buffer],
                                  .stride = b->strides[buffer],
                                  .threads = session->control_config.threads};
}

static struct buffer_piece whole(const mpu_session *session, uint32_t buffer) {
    return (struct buffer_piece){BUFFER_ALL_UNITS, 0, session->buffers.layouts[buffer].total};
}

static bool alloc(mpu_session *session, uint32_t buffer, struct diag *diag) {
    struct session_buffers *b = &session->buffers;
    struct buffer_slices s = slices_of(session, buffer);
    const struct machine_buffer *lies = &session->package->buffers[buffer];
    s.address = NOWHERE;
    s.stride = 0;
    if (lies->layout == LAYOUT_OWN) {
        const struct package_kernel *k = &session->package->kernels[lies->halo];
        s.program =
            (struct dp_program){&session->object->kernels.data[lies->halo], k->code, k->size};
        s.at = lies->unit;
    }
    bool fine = !s.part.count || session_slices_alloc(&s, diag);
    b->addresses[buffer] = s.address;
    b->strides[buffer] = s.stride;
    return fine;
}

bool session_buffers_enter(mpu_session *session, struct diag *diag) {
    size_t count = session->package->launches ? session->object->buffers.len : 0;
    for (uint32_t i = 0; i < count; i++)
        if (!alloc(session, i, diag))
            return refuse(session, i, diag);
    session->buffers.there = true;
    return true;
}

void session_buffers_leave(mpu_session *session) {
    const struct session_buffers *b = &session->buffers;
    struct diag *quiet = diag_new(NULL, NULL);
    size_t count = session->package->launches && b->there ? session->object->buffers.len : 0;
    for (uint32_t i = 0; i < count; i++)
        if (b->addresses[i] != NOWHERE) {
            struct buffer_slices s = slices_of(session, i);
            session_slices_free(&s, quiet);
        }
    session->buffers.there = false;
    diag_free(quiet);
}

/* As the package has it; engine golden has one memory, in which interpreters of kernels find whole
 * arrays. */
static struct package_layout layout_of(const mpu_session *session, uint32_t buffer) {
    static const struct machine_buffer flat = {LAYOUT_FLAT, 0, 0};
    struct package_layout l =
        package_buffer_layout(session->package, session->object, session->target->t, buffer);
    bool whole = l.layout == LAYOUT_SPLIT || l.layout == LAYOUT_SAME;
    return session->golden && whole ? package_layout_of(&flat, l.total, 1, 1, 1) : l;
}

/* What is there of buffers in rounds each round says. */
bool session_buffers_open(mpu_session *session, struct diag *diag) {
    struct session_buffers *b = &session->buffers;
    if (!session->package->launches)
        return true;
    if (session->golden && session_in_rounds(session)) {
        diag_error(
            diag, NO_SPAN,
            "engine golden launches no kernels in rounds, and the program's arrays take %" PRIu64
            " of target '%s'; target golden has room for them at once",
            session->package->rounds, session->target->t->name);
        return false;
    }
    for (uint32_t i = 0; i < session->object->buffers.len; i++)
        b->layouts[i] = layout_of(session, i);
    if (!session_in_rounds(session) && !session_buffers_enter(session, diag))
        return false;
    session->control_config.buffers = b->addresses;
    session->control_config.strides = b->strides;
    return open_modules(session, diag);
}

/* ---- putting and getting ---- */

static bool get_slices(mpu_session *session, uint32_t buffer, unsigned char *data,
                       struct diag *diag) {
    struct buffer_slices s = slices_of(session, buffer);
    struct buffer_piece all = whole(session, buffer);
    return session_slices_get(&s, &all, data, diag);
}

mpu_result session_buffer_put(mpu_session *session, uint32_t buffer, const struct ndarray *array,
                              struct diag *diag) {
    struct buffer_slices s = slices_of(session, buffer);
    struct buffer_piece all = whole(session, buffer);
    if (session_slices_put(&s, &all, array->data, diag))
        return MPU_OK;
    refuse(session, buffer, diag);
    return MPU_REJECTED;
}

/* `make`: with zeros in it, or whatever. */
typedef bool make_array_of(struct ndarray *a, struct element_type type, uint32_t ndim,
                           const uint64_t *shape);
static bool make_array(const mpu_session *session, uint32_t buffer, make_array_of *make,
                       struct ndarray *array, struct diag *diag) {
    const struct variable *v = &session->buffers.as_variables[buffer];
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS];
    session_variable_shape(session, v, &ndim, shape);
    if (make(array, session_host_type(v->type), ndim, shape))
        return true;
    diag_error(diag, NO_SPAN, "buffer '%s' is too large for an array", v->name);
    return false;
}

mpu_result session_buffer_get(mpu_session *session, uint32_t buffer, struct ndarray *array,
                              struct diag *diag) {
    if (session_in_rounds(session)) {
        *array = session->buffers.kept[buffer];
        array->borrowed = true;
        return MPU_OK;
    }
    if (!make_array(session, buffer, ndarray_make_unset, array, diag))
        return MPU_REJECTED;
    if (get_slices(session, buffer, array->data, diag))
        return MPU_OK;
    refuse(session, buffer, diag);
    return MPU_REJECTED;
}

bool session_buffer_read(mpu_session *session, uint32_t buffer, void *to, uint64_t bytes,
                         struct diag *diag) {
    return !session_in_rounds(session) && session->buffers.layouts[buffer].total == bytes &&
           get_slices(session, buffer, to, diag);
}

/* ---- rounds ---- */

uint64_t session_buffers_bytes(const mpu_session *session) {
    uint64_t bytes = 0;
    for (size_t i = 0; session->package->launches && i < session->object->buffers.len; i++)
        bytes = sat_add(bytes, session->buffers.layouts[i].total);
    return bytes;
}

bool session_buffers_make_kept(mpu_session *session, struct diag *diag) {
    size_t count = session->package->launches ? session->object->buffers.len : 0;
    bool fine = true;
    session->buffers.kept =
        xcalloc(session->object->buffers.len + 1, sizeof *session->buffers.kept);
    for (uint32_t i = 0; fine && i < count; i++)
        fine = make_array(session, i, ndarray_make, &session->buffers.kept[i], diag);
    return fine;
}

/* Of copies the first round has the first unit's. */
bool session_buffers_keep(mpu_session *session, struct diag *diag) {
    const struct session_buffers *b = &session->buffers;
    size_t count = session->package->launches && b->there ? session->object->buffers.len : 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < count; i++)
        if (b->layouts[i].layout != LAYOUT_SAME || session->rounds.now == 0)
            fine = get_slices(session, i, b->kept[i].data, diag);
    return fine;
}

/* ---- what goes over the host's link ---- */

/* Units from the first on that launches of stages give the buffer to; UINT32_MAX: one does not say,
 * or it is no launch of stages, whose host programs put data before they launch. */
static uint32_t units_with(const mpu_session *session, uint32_t buffer) {
    const struct object *o = session->object;
    uint64_t most = 0;
    for (size_t i = 0; i < o->calls.len; i++) {
        const struct recipe_call *c = &o->calls.data[i];
        const struct kernel_decl *k = object_call_kernel(o, c);
        bool has = false;
        for (uint32_t p = 0; k && p < k->parameter_count; p++)
            has |= c->arguments[p].buffer == buffer;
        if (!has)
            continue;
        const struct extent *e = c->geometry ? c->geometry->extent : NULL;
        const uint64_t units =
            e ? (uint64_t)package_launch_extent(session->package, &e[LAUNCH_UNITS]) : 0;
        if (!units || strcmp(k->form, "stage") != 0)
            return UINT32_MAX;
        const uint64_t end =
            sat_add(units, (uint64_t)package_launch_extent(session->package, &e[LAUNCH_FIRST]));
        most = end > most ? end : most;
    }
    return most && most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void session_buffer_slices(const mpu_session *session, uint32_t buffer, uint64_t round,
                           enum host_way *way, struct session_slices *out) {
    const struct package_layout *l = &session->buffers.layouts[buffer];
    struct buffer_piece all = whole(session, buffer);
    if (l->layout == LAYOUT_SAME && *way == HOST_OUT && round) /* the first round's is got */
        return;
    struct package_part part = package_layout_part(l, round);
    if (l->layout == LAYOUT_SAME && units_with(session, buffer) < part.count)
        part.count = units_with(session, buffer);
    session_slices_charged(l, part, &all, way, out);
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
