/* SPDX-License-Identifier: MIT
 * Puts: writes arrays into registers. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/public.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

uint32_t session_placement_vrf(const mpu_session *session, const struct placement *placement) {
    return package_placement_vrf(session->target->t, placement);
}

const struct placement *session_first_placement(const struct package *package,
                                                const struct variable *variable) {
    size_t first;
    return package_group_placements(package, object_variable_home(variable), &first)
               ? &package->placements[first]
               : NULL;
}

static uint32_t outside(const mpu_session *session, const char *name, struct diag *diag) {
    const struct target *t = session->target->t;
    diag_error(diag, NO_SPAN,
               "%s lies outside of the machine: %u MPU%s in use, %u RFH%s per MPU, %u VRF%s per "
               "RFH",
               name, COUNTED(session->package->mpus), COUNTED(t->rfh_per_mpu),
               COUNTED(t->vrf_per_rfh));
    return NO_INDEX;
}

/* A fixed VRF of the program where it lies; else the VRF of the machine with that number. */
uint32_t session_bare_vrf(const mpu_session *session, const struct place_name *place_name,
                          const char *name, struct diag *diag) {
    const struct package *k = session->package;
    const struct target *t = session->target->t;
    uint64_t mpu = place_name->mpu == NO_INDEX ? k->image_first : place_name->mpu;
    if (session_in_rounds(session)) {
        diag_error(diag, NO_SPAN,
                   "%s: the program runs in %llu rounds on target '%s', and a register of the "
                   "machine holds other elements in each",
                   name, (unsigned long long)k->rounds, t->name);
        return NO_INDEX;
    }
    uint32_t rfh = place_name->rfh, vrf = place_name->vrf;
    if (k->reg_bits[place_name->reg] == 0) {
        diag_error(diag, NO_SPAN,
                   "%s: the program does not use r%u, so the machine does not keep it", name,
                   (unsigned)place_name->reg);
        return NO_INDEX;
    }
    for (size_t i = 0; i < k->fixed_count; i++) {
        if (k->fixed[i].rfh != place_name->rfh || k->fixed[i].vrf != place_name->vrf)
            continue;
        mpu += k->fixed[i].mpu_offset;
        rfh = k->fixed[i].phys_rfh;
        vrf = k->fixed[i].phys_vrf;
    }
    uint32_t mpus = session->setup.mpus > k->mpus ? session->setup.mpus : k->mpus;
    if (mpu >= mpus || rfh >= t->rfh_per_mpu || vrf >= t->vrf_per_rfh)
        return outside(session, name, diag);
    return (uint32_t)mpu * target_vrfs_per_mpu(t) + vrf * t->rfh_per_mpu + rfh;
}

/* ---- accepting ---- */

static mpu_result wrong_type(const char *name, struct element_type have, struct element_type want,
                             struct lane_type type, struct diag *diag) {
    char text[8];
    object_type_text(type, text);
    diag_error(diag, NO_SPAN, "the array for '%s' is %s; the variable is %s, which takes %s", name,
               ndarray_type_name(have), text, ndarray_type_name(want));
    diag_note(diag, NO_SPAN, "`.astype(np.%s)` makes such an array of it", ndarray_type_name(want));
    return MPU_REJECTED;
}

static struct lane_type type_of_elements(struct element_type type) {
    static const enum type_kind kinds[] = {[ELEMENT_BOOL] = TYPE_BOOL,
                                           [ELEMENT_UINT] = TYPE_UINT,
                                           [ELEMENT_INT] = TYPE_INT,
                                           [ELEMENT_FLOAT] = TYPE_FLOAT,
                                           [ELEMENT_BFLOAT] = TYPE_BFLOAT};
    return (struct lane_type){kinds[type.kind], type.kind == ELEMENT_BOOL ? 1 : type.bits};
}

/* The type that values are checked against: the variable's, the one written behind a bare
 * register, or the array's own. */
static struct lane_type wanted_type(const mpu_session *session, const struct place_name *name,
                                    enum source_form form, const struct ndarray *array) {
    if (!name->bare)
        return session_place_variable(session, name)->type;
    if (name->typed)
        return name->type;
    return form == FORM_TYPED                ? type_of_elements(array->type)
           : array->type.kind == ELEMENT_INT ? (struct lane_type){TYPE_INT, 64}
                                             : (struct lane_type){TYPE_UINT, 64};
}

static mpu_result takes_whole(const char *name, const struct ndarray *array, struct lane_type type,
                              struct diag *diag) {
    char text[8];
    object_type_text(type, text);
    diag_error(diag, NO_SPAN, "the numbers for '%s' are %s; %s takes integers", name,
               ndarray_type_name(array->type), text);
    return MPU_REJECTED;
}

static mpu_result takes_typed(const char *name, const struct ndarray *array, struct diag *diag) {
    char text[8];
    object_type_text(type_of_elements(array->type), text);
    diag_error(diag, NO_SPAN,
               "the array for '%s' is %s; a register of no type takes integers, and one that is "
               "written %s:%s takes this array",
               name, ndarray_type_name(array->type), name, text);
    return MPU_REJECTED;
}

static mpu_result check_values(const mpu_session *session, const struct place_name *place_name,
                               const char *name, enum source_form form, const struct ndarray *array,
                               struct diag *diag) {
    struct lane_type type = wanted_type(session, place_name, form, array);
    struct lane_type outer =
        place_name->bare ? type
                         : object_variable_array_type(session_place_variable(session, place_name));
    bool whole = !object_type_is_float(outer);
    if (element_is_float(array->type) && place_name->bare && !place_name->typed)
        return takes_typed(name, array, diag);
    if (element_is_float(array->type) && whole && form == FORM_TEXT)
        return takes_whole(name, array, type, diag);
    if (form == FORM_TYPED && element_is_float(array->type) != !whole)
        return wrong_type(name, array->type, session_host_type(outer), outer, diag);
    return session_values_fit(name, array, type, diag) ? MPU_OK : MPU_REJECTED;
}

static void note_input(mpu_session *session, const char *name, const struct data_source *from,
                       const struct ndarray *array) {
    struct session_input in = {xstrdup(name), xstrdup(from->name), {0}};
    if (from->sha256[0])
        memcpy(in.sha256, from->sha256, sizeof in.sha256);
    else if (from->hash)
        sha256_hex(array->data, (size_t)array->count * (array->type.bits / 8u), in.sha256);
    for (size_t i = 0; i < session->inputs.len; i++) {
        struct session_input *before = &session->inputs.data[i];
        if (strcmp(before->name, name) != 0)
            continue;
        free(before->name);
        free(before->source);
        *before = in; /* what was put last counts */
        return;
    }
    vec_push(&session->inputs, in);
}

/* A named place takes elements of its own type: integers of another one, which fit, are made such.
 */
static mpu_result as_host_type(const mpu_session *session, const struct place_name *place_name,
                               const char *name, struct ndarray *array, struct diag *diag) {
    struct ndarray made;
    if (place_name->bare)
        return MPU_OK;
    struct element_type type =
        session_host_type(object_variable_array_type(session_place_variable(session, place_name)));
    if (session_same_type(array->type, type))
        return MPU_OK;
    if (!ndarray_make_unset(&made, type, array->ndim, array->shape)) {
        diag_error(diag, NO_SPAN, "'%s' is too large for an array", name);
        return MPU_REJECTED;
    }
    for (uint64_t i = 0; i < array->count; i++)
        ndarray_set(&made, i, ndarray_get(array, i));
    ndarray_free(array);
    *array = made;
    return MPU_OK;
}

static void keep(mpu_session *session, const struct place_name *place_name, const char *name,
                 const struct ndarray *array) {
    struct pending_put put = {.place = *place_name,
                              .name = xstrdup(name),
                              .values = array->borrowed && !session->lends ? ndarray_copy(array)
                                                                           : *array};
    vec_push(&session->pending, put);
    if (!place_name->bare)
        (place_name->memory ? session->buffers.was_put : session->was_put)[place_name->variable] =
            1;
}

void session_pending_free(struct pending_list *list) {
    for (size_t i = 0; i < list->len; i++) {
        free(list->data[i].name);
        ndarray_free(&list->data[i].values);
    }
    vec_free(list);
}

static bool is_input(const mpu_session *session, const struct place_name *name, struct diag *diag) {
    if (name->bare || (session_place_variable(session, name)->direction & VAR_IN))
        return true;
    const struct variable *v = session_place_variable(session, name);
    diag_error(diag, NO_SPAN, "variable '%s' is not an input of the program", v->name);
    diag_note(diag, object_span(session->object, v->place, diag), "'%s' is declared here", v->name);
    return false;
}

/* Its elements stand in the text, and nothing is written to the machine. */
static mpu_result put_link_value(mpu_session *session, uint32_t value, const struct ndarray *array,
                                 const struct data_source *from, struct diag *diag) {
    const struct value_decl *v = &session->object->values.data[value];
    struct place_name p = {.bare = true, .typed = true, .type = v->type};
    mpu_result r = check_values(session, &p, v->name, from->form, array, diag);
    if (r == MPU_OK)
        r = session_value_put(session, value, from->form, array, diag);
    if (r == MPU_OK)
        note_input(session, v->name, from, array);
    return r;
}

/* Takes the array over, unless it is borrowed; after a failure it is still the caller's. */
static mpu_result put_variable_or_register(mpu_session *session, const char *name,
                                           struct ndarray *array, const struct data_source *from,
                                           struct diag *diag) {
    struct place_name p;
    struct ndarray shaped = *array;
    if (!session_place_parse(session, name, &p, diag) || !is_input(session, &p, diag) ||
        !session_rounds_accept(session, "put", diag))
        return MPU_USAGE;
    mpu_result r = check_values(session, &p, name, from->form, &shaped, diag);
    if (r == MPU_OK)
        r = session_shape_accept(session, &p, name, from->form, &shaped, diag);
    if (r != MPU_OK)
        return r;
    note_input(session, name, from, &shaped);
    if ((r = as_host_type(session, &p, name, &shaped, diag)) != MPU_OK)
        return r;
    keep(session, &p, name, &shaped);
    *array = (struct ndarray){0};
    return MPU_OK;
}

static mpu_result put_any(mpu_session *session, const char *name, struct ndarray *array,
                          const struct data_source *from, struct diag *diag) {
    uint32_t value = object_find_value(session->object, name);
    if (value == NO_INDEX)
        return put_variable_or_register(session, name, array, from, diag);
    mpu_result r = put_link_value(session, value, array, from, diag);
    if (r == MPU_OK)
        ndarray_free(array);
    return r;
}

mpu_result session_put_diag(mpu_session *session, const char *name, struct ndarray *array,
                            const struct data_source *from, struct diag *diag) {
    struct element_type real = session_real_type(session, name);
    struct ndarray made;
    if (!real.bits || session_same_type(array->type, real))
        return put_any(session, name, array, from, diag);
    mpu_result r = session_make_reals(name, array, real, &made, diag);
    if (r == MPU_OK && (r = put_any(session, name, &made, from, diag)) != MPU_OK)
        ndarray_free(&made);
    if (r == MPU_OK)
        ndarray_free(array);
    return r;
}

/* ---- writing ---- */

/* The elements of an array in lanes 0, 1, ..., extended to the register's width. */
static void write_lanes(mpu_session *session, uint32_t vrf, unsigned reg, unsigned width,
                        const struct ndarray *array) {
    uint64_t lanes[DP_PIECE_LANES];
    uint32_t count = (uint32_t)array->count;
    for (uint32_t done = 0, n; done < count; done += n) {
        n = dp_piece(done, count);
        for (uint32_t i = 0; i < n; i++)
            lanes[i] = ndarray_get(array, done + i);
        session->dp->ops->put(session->dp, vrf, DP_REGISTER, reg, width, done, n, lanes);
    }
}

struct dp_elements session_variable_elements(const mpu_session *session,
                                             const struct variable *variable, uint32_t index,
                                             const struct ndarray *array) {
    uint8_t bytes = array->type.bits / 8u;
    bool first = variable->form.order == FORM_FIRST; /* the elements of a register side by side */
    uint64_t begin = first ? array->count / variable->count * index : index;
    return (struct dp_elements){.lanes = session->package->lanes,
                                .reg = (uint8_t)(variable->reg + index),
                                .bits = variable->type.bits,
                                .bytes = bytes,
                                .sign = variable->type.kind == TYPE_INT,
                                .step = first ? 1 : variable->count,
                                .data = array->data + (size_t)begin * bytes};
}

/* A variable of several registers takes turns with them while the elements are in the cache. */
static uint64_t most_in_a_row(const struct variable *variable, const struct ndarray *array) {
    enum { CACHED = 1 << 18 };
    return variable->count == 1 ? UINT64_MAX : CACHED / (variable->count * (array->type.bits / 8u));
}

/* Whether the elements of `next` stand behind those of `placement`, in the array and on the
 * machine. */
static bool follows(const mpu_session *session, const struct placement *placement,
                    const struct placement *next) {
    return placement->count == session->package->lanes &&
           next->first == placement->first + placement->count &&
           session_placement_vrf(session, next) == session_placement_vrf(session, placement) + 1;
}

void session_each_row(mpu_session *session, const struct variable *variable,
                      const struct ndarray *array,
                      void (*visit)(struct datapath *dp, const struct dp_elements *x)) {
    size_t i, n = package_group_placements(session->here, variable->group, &i);
    const struct placement *p = session->here->placements + i, *end = p + n;
    while (p < end) {
        const struct placement *row = p;
        uint64_t count = p->count;
        while (++p < end && follows(session, p - 1, p) && count < most_in_a_row(variable, array))
            count += p->count;
        for (uint32_t k = 0; k < variable->count; k++) {
            struct dp_elements x = session_variable_elements(session, variable, k, array);
            x.vrf = session_placement_vrf(session, row);
            x.count = count;
            x.data += row->first * x.step * x.bytes;
            visit(session->dp, &x);
        }
    }
}

static void put_group(mpu_session *session, const struct variable *variable,
                      const struct ndarray *array) {
    session_each_row(session, variable, array, datapath_put_elements);
    session_charge_group(session, session->here, variable, HOST_IN, UINT64_MAX);
}

/* One value for the first `valid[i]` lanes of each VRF. */
static void put_in_all(mpu_session *session, const struct variable *variable,
                       const struct ndarray *array, const uint32_t *valid, size_t vrfs) {
    for (size_t i = 0, first; i < vrfs; i++) {
        first = i;
        while (valid[i] == session->package->lanes && i + 1 < vrfs && valid[i + 1])
            i++;
        for (uint32_t k = 0; k < variable->count && valid[i]; k++) {
            struct dp_elements x = session_variable_elements(session, variable, k, array);
            x.vrf = (uint32_t)first;
            x.count = (i - first) * (uint64_t)x.lanes + valid[i];
            x.step = 0;
            datapath_put_elements(session->dp, &x);
        }
    }
}

/* Lanes that hold an element, of each VRF of the variable's scope; 0 of others. */
static void find_valid(const mpu_session *session, const struct variable *variable, uint32_t *valid,
                       size_t vrfs) {
    const struct package *k = session->here;
    uint8_t *named = xcalloc(vrfs + 1, 1);
    for (size_t i = 0; i < k->placement_count; i++) {
        uint32_t vrf = session_placement_vrf(session, &k->placements[i]),
                 count = k->placements[i].count;
        named[vrf] |= object_scope_has(&variable->scope, k->placements[i].group);
        valid[vrf] = count > valid[vrf] ? count : valid[vrf];
    }
    for (size_t vrf = 0; vrf < vrfs; vrf++)
        valid[vrf] = named[vrf] ? valid[vrf] : 0;
    free(named);
}

/* Every VRF of the scope; a VRF that several groups share is written and charged once. */
static void put_everywhere(mpu_session *session, const struct variable *variable,
                           const struct ndarray *array) {
    size_t vrfs = (size_t)session->here->mpus * target_vrfs_per_mpu(session->target->t);
    uint32_t *valid = xcalloc(vrfs + 1, sizeof *valid);
    uint64_t bytes = session_host_type(variable->type).bits / 8u * (uint64_t)variable->count;
    VEC(struct host_slice) slices = {0};
    find_valid(session, variable, valid, vrfs);
    put_in_all(session, variable, array, valid, vrfs);
    for (uint32_t vrf = 0; vrf < vrfs; vrf++)
        if (valid[vrf])
            vec_push(&slices, ((struct host_slice){vrf, bytes * valid[vrf]}));
    session_charge(session, session_resident_variable(session, variable), HOST_SAME, slices.data,
                   slices.len);
    vec_free(&slices);
    free(valid);
}

static mpu_result put_variable(mpu_session *session, const struct variable *variable,
                               const struct ndarray *array, struct diag *diag) {
    if (variable->group == NO_INDEX && session->object->groups.len == 0) {
        diag_error(diag, NO_SPAN,
                   "variable '%s' has no group and the program has none: name a register, as in "
                   "RFH0.VRF0.r%u",
                   variable->name, (unsigned)variable->reg);
        return MPU_REJECTED;
    }
    if (variable->group == NO_INDEX)
        put_everywhere(session, variable, array);
    else
        put_group(session, variable, array);
    return MPU_OK;
}

static mpu_result narrow_register(const struct pending_put *put, unsigned bits, struct diag *diag) {
    diag_error(diag, NO_SPAN, "%s: the program uses %u bits of r%u, and %s has %u", put->name, bits,
               (unsigned)put->place.reg, ndarray_type_name(put->values.type),
               (unsigned)put->values.type.bits);
    return MPU_REJECTED;
}

/* The machine keeps as many bits of a register as the program uses. */
static mpu_result put_bare(mpu_session *session, const struct pending_put *put, struct diag *diag) {
    const struct ndarray *a = &put->values;
    uint32_t vrf = session_bare_vrf(session, &put->place, put->name, diag);
    if (vrf == NO_INDEX)
        return MPU_REJECTED;
    uint8_t bits = session->package->reg_bits[put->place.reg];
    struct lane_type kept = {a->type.kind == ELEMENT_INT && bits > 1 ? TYPE_INT : TYPE_UINT, bits};
    struct lane_type kept_unsigned = {TYPE_UINT, bits};
    if (element_is_float(a->type) && a->type.bits > bits)
        return narrow_register(put, bits, diag);
    for (uint64_t i = 0; !element_is_float(a->type) && i < a->count; i++)
        if (!session_value_fits(a->type, ndarray_get(a, i), kept) &&
            !session_value_fits(a->type, ndarray_get(a, i), kept_unsigned))
            return session_values_fit(put->name, a, kept, diag) ? MPU_OK : MPU_REJECTED;
    write_lanes(session, vrf, put->place.reg, bits, a);
    struct host_slice one = {vrf, a->count * (a->type.bits / 8u)};
    session_charge(session, session_resident_register(session, &put->place), HOST_IN, &one, 1);
    return MPU_OK;
}

static mpu_result put_buffer(mpu_session *session, const struct pending_put *put,
                             struct diag *diag) {
    session_charge_buffer(session, put->place.variable, HOST_IN);
    return session_buffer_put(session, put->place.variable, &put->values, diag);
}

mpu_result session_put_now(mpu_session *session, const struct pending_put *put, struct diag *diag) {
    if (put->place.bare)
        return put_bare(session, put, diag);
    if (put->place.memory)
        return put_buffer(session, put, diag);
    if (!session_is_placed(session, put->place.variable, diag))
        return MPU_USAGE;
    session->is_gone[put->place.variable] = 0;
    return put_variable(session, &session->object->vars.data[put->place.variable], &put->values,
                        diag);
}

static mpu_result wrong_count(const mpu_session *session, const struct data_record *record,
                              uint64_t want, struct diag *diag) {
    const struct variable *v = &session->object->vars.data[record->variable];
    diag_error(diag, object_span(session->object, v->place, diag),
               ".data gives '%s' %llu values; it has %llu elements", v->name,
               (unsigned long long)record->count, (unsigned long long)want);
    return MPU_REJECTED;
}

static mpu_result record_array(const mpu_session *session, const struct data_record *record,
                               struct ndarray *array, struct diag *diag) {
    const struct variable *v = &session->object->vars.data[record->variable];
    uint32_t ndim;
    uint64_t n = 1, shape[NDARRAY_MAX_DIMS];
    session_variable_shape(session, v, &ndim, shape);
    for (uint32_t i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(n, shape[i], &n))
            n = UINT64_MAX;
    if (n != record->count ||
        !ndarray_make(array, (struct element_type){ELEMENT_UINT, 64}, ndim, shape))
        return wrong_count(session, record, n, diag);
    for (uint64_t i = 0; i < n; i++)
        ndarray_set(array, i, record->values[i]);
    return MPU_OK;
}

mpu_result session_data_records(mpu_session *session, struct pending_list *out, struct diag *diag) {
    for (size_t i = 0; i < session->object->data.len; i++) {
        const struct data_record *x = &session->object->data.data[i];
        struct pending_put put = {.place = {.variable = x->variable}};
        mpu_result r = record_array(session, x, &put.values, diag);
        if (r != MPU_OK)
            return r;
        vec_push(out, put);
    }
    return MPU_OK;
}

static bool is_due(const mpu_session *session, uint32_t variable, bool again) {
    return !again || (session->is_gone[variable] && !session->was_put[variable]);
}

mpu_result session_put_data_records(mpu_session *session, bool again, struct diag *diag) {
    struct pending_list records = {0};
    mpu_result r = session_data_records(session, &records, diag);
    for (size_t i = 0; r == MPU_OK && i < records.len; i++)
        if (is_due(session, records.data[i].place.variable, again))
            r = session_put_now(session, &records.data[i], diag);
    session_pending_free(&records);
    return r;
}
