/* SPDX-License-Identifier: MIT
 * Arrays' types and shapes, and new arrays. */
#include "ezpim/array/array.h"
#include "support/bits.h"

#include <string.h>

/* ---- types and shapes ---- */

struct array_range array_type_range(struct lane_type type) {
    array_int span = (array_int)1 << type.bits, beyond = (array_int)1 << 100;
    if (array_is_float(type))
        return (struct array_range){-beyond, beyond};
    if (type.kind == TYPE_INT)
        return (struct array_range){-span / 2, span / 2 - 1};
    return (struct array_range){0, span - 1};
}

struct array_range array_range_union(struct array_range left, struct array_range right) {
    return (struct array_range){left.low < right.low ? left.low : right.low,
                                left.high > right.high ? left.high : right.high};
}

uint64_t array_pattern(array_int v, struct lane_type type) {
    if (array_is_float(type))
        return v < 0 ? ieee_from_signed(object_type_format(type), (int64_t)v)
                     : ieee_from_unsigned(object_type_format(type), (uint64_t)v);
    return (uint64_t)v & low_bits(type.bits);
}

array_int array_number(uint64_t pattern, struct lane_type type) {
    return type.kind == TYPE_INT ? sign_extend(pattern, type.bits) : (array_int)pattern;
}

uint64_t array_elements(uint32_t ndim, const uint64_t *shape) {
    uint64_t n = 1;
    for (uint32_t d = 0; d < ndim; d++)
        n = shape[d] && n > OBJECT_MAX_EXTENT / shape[d] ? OBJECT_MAX_EXTENT + 1 : n * shape[d];
    return n;
}

bool array_same_shape(uint32_t ndim, const uint64_t *shape, uint32_t other_ndim,
                      const uint64_t *other) {
    return ndim == other_ndim && memcmp(shape, other, ndim * sizeof *shape) == 0;
}

struct lane_type array_count_type(uint64_t n) {
    uint8_t bits = 1;
    while (n >> bits)
        bits++;
    return (struct lane_type){TYPE_UINT, bits};
}

/* ---- a walk ---- */

/* The group that all others are like.  Until it is known how many elements the largest array has,
 * it has more than any. */
static void add_base(struct arrays *arrays, uint64_t most, struct span at) {
    struct group g = {.name = "lanes",
                      .ndim = 1,
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = ir_place(&arrays->b, at)};
    g.extent[0] = (struct extent){NO_INDEX, most ? most : OBJECT_MAX_EXTENT + 1};
    vec_push(&arrays->b.p->groups, g);
}

void arrays_begin_bare(struct arrays *arrays, struct ir_program *program,
                       struct compile_lowering how, const struct diag *diag) {
    arrays->b = (struct ir_builder){.p = program, .joins = how.level > 0, .diag = diag};
    arrays->folded = how.folded;
}

void arrays_begin(struct arrays *arrays, struct ir_program *program, struct compile_lowering how,
                  const struct diag *diag) {
    arrays_begin_bare(arrays, program, how, diag);
    arrays->serials = arrays->epoch = 0;
    vec_clear(&arrays->epochs);
    vec_clear(&arrays->owns);
    vec_clear(&arrays->due);
    array_open_epoch(arrays);
    add_base(arrays, arrays->most, program->at);
}

static uint64_t largest(const struct ir_program *program) {
    uint64_t most = 1;
    for (size_t i = 1; i < program->groups.len; i++) {
        uint64_t n = 1;
        for (uint32_t d = 0; d < program->groups.data[i].ndim; d++)
            n *= program->groups.data[i].extent[d].value;
        most = n > most ? n : most;
    }
    return most;
}

void arrays_end(struct arrays *arrays, bool complete) {
    if (complete && arrays->most == 0)
        arrays->most = largest(arrays->b.p);
    ir_builder_free(&arrays->b);
}

void arrays_free(struct arrays *arrays) {
    vec_free(&arrays->sides);
    vec_free(&arrays->lays);
    vec_free(&arrays->owns);
    vec_free(&arrays->due);
    vec_free(&arrays->epochs);
}

/* ---- epochs ---- */

void array_open_epoch(struct arrays *arrays) {
    vec_push(&arrays->epochs, ++arrays->epoch);
}

void array_close_epoch(struct arrays *arrays) {
    arrays->epochs.len--;
}

bool array_epoch_is_open(const struct arrays *arrays, uint32_t epoch) {
    for (size_t i = arrays->epochs.len; i-- > 0;)
        if (arrays->epochs.data[i] == epoch)
            return true;
    return false;
}

/* ---- groups and variables ---- */

uint32_t array_group(struct arrays *arrays, uint32_t ndim, const uint64_t *shape) {
    struct extent extents[ARRAY_DIMS];
    for (uint32_t d = 0; d < ARRAY_DIMS; d++)
        extents[d] = (struct extent){NO_INDEX, d < ndim ? shape[d] : 1};
    return ir_group_like(&arrays->b, 0, ndim ? ndim : 1, extents);
}

void array_begin(struct arrays *arrays, uint32_t ndim, const uint64_t *shape, struct span at) {
    ir_begin_ensemble(&arrays->b, array_group(arrays, ndim, shape), at);
}

static uint32_t local(struct arrays *arrays, uint32_t group, struct lane_type type, uint32_t count,
                      struct span at) {
    uint32_t v = ir_local(&arrays->b, group, type, count);
    arrays->b.p->variables.data[v].at = at;
    return v;
}

uint32_t array_local(struct arrays *arrays, uint32_t group, struct lane_type type, struct span at) {
    return local(arrays, group, type, 1, at);
}

static enum form_order form_of(struct array_lay lay) {
    return lay.count == 1  ? FORM_LAST
           : lay.split     ? FORM_SPLIT
           : lay.axis == 0 ? FORM_FIRST
                           : FORM_LAST;
}

uint32_t array_lane_shape(const struct array_storage *storage, uint64_t *shape) {
    uint32_t n = 0, count = storage->lay.count;
    for (uint32_t d = 0; d < storage->ndim; d++)
        if (count == 1 || storage->lay.split || d != storage->lay.axis)
            shape[n++] =
                storage->shape[d] / (storage->lay.split && d == storage->lay.axis ? count : 1);
    return n;
}

static uint32_t group_of(struct arrays *arrays, const struct array_storage *storage) {
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim = array_lane_shape(storage, shape);
    return array_group(arrays, ndim, shape);
}

/* Results have variables of their own, so that they need not be copied. */
static uint32_t variable_of(struct arrays *arrays, const struct array_storage *storage,
                            struct span at) {
    for (size_t i = 0; i < arrays->owns.len; i++)
        if (arrays->owns.data[i].serial == storage->serial)
            return arrays->owns.data[i].variable;
    uint32_t v = local(arrays, group_of(arrays, storage), storage->type, storage->lay.count, at);
    arrays->b.p->variables.data[v].decl.form.order = form_of(storage->lay);
    return v;
}

/* ---- what the program's users see ---- */

static uint32_t declare(struct arrays *arrays, const struct array_port *port,
                        const struct array_storage *storage) {
    struct ir_program *p = arrays->b.p;
    struct ir_variable v = {.spilled_to = IR_NONE,
                            .at = port->at,
                            .decl = {.name = port->name,
                                     .direction = port->direction,
                                     .type = port->type,
                                     .count = storage->lay.count,
                                     .has_k = storage->lay.count > 1,
                                     .group = port->alone ? NO_INDEX : group_of(arrays, storage),
                                     .place = ir_place(&arrays->b, port->at)}};
    v.decl.form.order = form_of(storage->lay);
    if (port->ndim == 0)
        v.decl.form = (struct array_form){.shaped = true};
    vec_push(&p->variables, v);
    return (uint32_t)p->variables.len - 1;
}

static struct array_storage storage_of(const struct arrays *arrays, const struct array_port *port,
                                       uint32_t serial) {
    struct array_storage s = {.serial = serial,
                              .type = port->type,
                              .ndim = port->ndim,
                              .lay = array_lay_of(arrays, serial)};
    memcpy(s.shape, port->shape, sizeof s.shape);
    return s;
}

struct array_ref *array_input(struct arrays *arrays, const struct array_port *port) {
    struct array_storage *s = ARENA_NEW(arrays->arena, struct array_storage);
    *s = storage_of(arrays, port, arrays->serials++);
    s->variable = declare(arrays, port, s);
    array_note_storage(arrays, s, true);
    return array_whole(arrays, s, port->at);
}

uint32_t array_output(struct arrays *arrays, const struct array_port *port, uint32_t serial) {
    const struct array_storage s = storage_of(arrays, port, serial);
    struct array_own own = {serial, declare(arrays, port, &s)};
    vec_push(&arrays->owns, own);
    return own.variable;
}

uint32_t array_output_length(struct arrays *arrays, const char *name, uint32_t of, uint64_t most,
                             struct span at) {
    struct ir_program *p = arrays->b.p;
    struct ir_variable v = {.spilled_to = IR_NONE,
                            .at = at,
                            .decl = {.name = name,
                                     .type = array_count_type(most),
                                     .count = 1,
                                     .group = NO_INDEX,
                                     .place = ir_place(&arrays->b, at)}};
    uint32_t length = (uint32_t)p->variables.len;
    vec_push(&p->variables, v);
    vec_push(&p->lengths, ((struct length_record){of, length}));
    return length;
}

void array_name(struct arrays *arrays, const struct array_storage *storage, const char *name) {
    struct variable *x = &arrays->b.p->variables.data[storage->variable].decl;
    if (x->name[0] == '$')
        x->name = name;
}

/* ---- arrays ---- */

/* A number of storages that nobody else has. */
static const uint32_t UNCOUNTED = UINT32_MAX;

static struct array_ref *new_array(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                                   const uint64_t *shape, uint32_t serial, struct array_lay lay,
                                   struct span at) {
    struct array_storage *s = ARENA_NEW(arrays->arena, struct array_storage);
    s->serial = serial;
    s->type = type;
    s->ndim = ndim;
    s->lay = lay;
    memcpy(s->shape, shape, ndim * sizeof *shape);
    s->variable = variable_of(arrays, s, at);
    return array_whole(arrays, s, at);
}

struct array_ref *array_whole(struct arrays *arrays, struct array_storage *storage,
                              struct span at) {
    struct array_ref *a = ARENA_NEW(arrays->arena, struct array_ref);
    a->type = storage->type;
    a->ndim = a->rdim = storage->ndim;
    memcpy(a->shape, storage->shape, sizeof a->shape);
    memcpy(a->rshape, storage->shape, sizeof a->rshape);
    for (uint32_t d = 0; d < storage->ndim; d++)
        a->map[d].coeff[d] = 1;
    a->root = storage;
    a->version = storage->version;
    a->range = array_type_range(storage->type);
    a->at = at;
    return a;
}

static struct array_ref *counted_array(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                                       const uint64_t *shape, bool free, struct span at) {
    uint32_t serial = arrays->serials++;
    struct array_ref *a =
        new_array(arrays, type, ndim, shape, serial, array_lay_of(arrays, serial), at);
    array_note_storage(arrays, a->root, free);
    return a;
}

struct array_ref *array_new(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                            const uint64_t *shape, struct span at) {
    return counted_array(arrays, type, ndim, shape, false, at);
}

struct array_ref *array_new_free(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                                 const uint64_t *shape, struct span at) {
    return counted_array(arrays, type, ndim, shape, true, at);
}

struct array_ref *array_uncounted(struct arrays *arrays, struct lane_type type, uint32_t ndim,
                                  const uint64_t *shape, struct array_lay lay, struct span at) {
    return new_array(arrays, type, ndim, shape, UNCOUNTED, lay, at);
}

struct array_ref *array_of_uniform(struct arrays *arrays, const struct array_uniform *uniform,
                                   struct span at) {
    struct array_ref *a = ARENA_NEW(arrays->arena, struct array_ref);
    a->type = uniform->type;
    a->uniform = uniform;
    a->range = array_type_range(uniform->type);
    a->at = at;
    return a;
}

struct array_ref *array_constant(struct arrays *arrays, struct lane_type type, array_int v,
                                 struct span at) {
    struct array_ref *a = array_of_pattern(arrays, type, array_pattern(v, type), at);
    if (!array_is_float(type))
        a->range = (struct array_range){v, v};
    return a;
}

struct array_ref *array_of_pattern(struct arrays *arrays, struct lane_type type, uint64_t pattern,
                                   struct span at) {
    struct array_uniform *x = ARENA_NEW(arrays->arena, struct array_uniform);
    *x = (struct array_uniform){.kind = ARRAY_UNIFORM_CONSTANT, .type = type, .pattern = pattern};
    return array_of_uniform(arrays, x, at);
}

struct array_ref *array_linked(struct arrays *arrays, struct lane_type type, uint32_t link,
                               struct span at) {
    struct array_uniform *x = ARENA_NEW(arrays->arena, struct array_uniform);
    *x = (struct array_uniform){.kind = ARRAY_UNIFORM_LINK, .type = type, .link = link};
    return array_of_uniform(arrays, x, at);
}

struct array_ref *array_view_of(struct arrays *arrays, const struct array_ref *ref,
                                struct span at) {
    struct array_ref *v = ARENA_NEW(arrays->arena, struct array_ref);
    *v = *ref;
    v->at = at;
    v->is_view = true;
    if (v->root && !ref->is_view)
        v->version = v->root->version;
    return v;
}

void array_touch(struct array_storage *storage, struct span at) {
    storage->total = false;
    storage->version++;
    storage->written = at;
}
