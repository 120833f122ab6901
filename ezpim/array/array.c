/* SPDX-License-Identifier: MIT
 * Arrays' types and shapes, and new arrays. */
#include "ezpim/array/array.h"
#include "support/bits.h"

#include <string.h>

/* ---- types and shapes ---- */

struct array_range array_type_range(struct mpu_type t) {
    array_int span = (array_int)1 << t.bits;
    if (t.kind == TYPE_INT)
        return (struct array_range){-span / 2, span / 2 - 1};
    return (struct array_range){0, span - 1};
}

struct array_range array_range_union(struct array_range a, struct array_range b) {
    return (struct array_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

uint64_t array_pattern(array_int v, struct mpu_type t) {
    return (uint64_t)v & low_bits(t.bits);
}

array_int array_number(uint64_t pattern, struct mpu_type type) {
    return type.kind == TYPE_INT ? sign_extend(pattern, type.bits) : (array_int)pattern;
}

uint64_t array_elements(uint32_t ndim, const uint64_t *shape) {
    uint64_t n = 1;
    for (uint32_t d = 0; d < ndim; d++)
        n = n > OBJECT_MAX_EXTENT / shape[d] ? OBJECT_MAX_EXTENT + 1 : n * shape[d];
    return n;
}

bool array_same_shape(uint32_t ndim, const uint64_t *shape, uint32_t other_ndim,
                      const uint64_t *other) {
    return ndim == other_ndim && memcmp(shape, other, ndim * sizeof *shape) == 0;
}

struct mpu_type array_count_type(uint64_t n) {
    uint8_t bits = 1;
    while (n >> bits)
        bits++;
    return (struct mpu_type){TYPE_UINT, bits};
}

/* ---- a walk ---- */

/* The group that all others are like.  Until it is known how many elements the largest array has,
 * it has more than any. */
static void add_base(struct arrays *c, uint64_t most, struct span at) {
    struct group g = {.name = "lanes",
                      .ndim = 1,
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = ir_place(&c->b, at)};
    g.extent[0] = (struct extent){NO_INDEX, most ? most : OBJECT_MAX_EXTENT + 1};
    vec_push(&c->b.p->groups, g);
}

void arrays_begin(struct arrays *c, struct ir_program *p, struct compile_lowering how,
                  const struct diag *d) {
    c->b = (struct ir_builder){.p = p, .joins = how.level > 0, .diag = d};
    c->folded = how.folded;
    c->serials = c->epoch = 0;
    vec_clear(&c->epochs);
    vec_clear(&c->owns);
    vec_clear(&c->due);
    array_open_epoch(c);
    add_base(c, c->most, p->at);
}

static uint64_t largest(const struct ir_program *p) {
    uint64_t most = 1;
    for (size_t i = 1; i < p->groups.len; i++) {
        uint64_t n = 1;
        for (uint32_t d = 0; d < p->groups.data[i].ndim; d++)
            n *= p->groups.data[i].extent[d].value;
        most = n > most ? n : most;
    }
    return most;
}

void arrays_end(struct arrays *c, bool complete) {
    if (complete && c->most == 0)
        c->most = largest(c->b.p);
    ir_builder_free(&c->b);
}

void arrays_free(struct arrays *c) {
    vec_free(&c->sides);
    vec_free(&c->lays);
    vec_free(&c->owns);
    vec_free(&c->due);
    vec_free(&c->epochs);
}

/* ---- epochs ---- */

void array_open_epoch(struct arrays *c) {
    vec_push(&c->epochs, ++c->epoch);
}

void array_close_epoch(struct arrays *c) {
    c->epochs.len--;
}

bool array_epoch_is_open(const struct arrays *c, uint32_t epoch) {
    for (size_t i = c->epochs.len; i-- > 0;)
        if (c->epochs.data[i] == epoch)
            return true;
    return false;
}

/* ---- groups and variables ---- */

uint32_t array_group(struct arrays *c, uint32_t ndim, const uint64_t *shape) {
    struct extent extents[ARRAY_DIMS];
    for (uint32_t d = 0; d < ARRAY_DIMS; d++)
        extents[d] = (struct extent){NO_INDEX, d < ndim ? shape[d] : 1};
    return ir_group_like(&c->b, 0, ndim ? ndim : 1, extents);
}

void array_begin(struct arrays *c, uint32_t ndim, const uint64_t *shape, struct span at) {
    ir_begin_ensemble(&c->b, array_group(c, ndim, shape), at);
}

static uint32_t local(struct arrays *c, uint32_t group, struct mpu_type type, uint32_t count,
                      struct span at) {
    uint32_t v = ir_local(&c->b, group, type, count);
    c->b.p->variables.data[v].at = at;
    return v;
}

uint32_t array_local(struct arrays *c, uint32_t group, struct mpu_type type, struct span at) {
    return local(c, group, type, 1, at);
}

static enum form_order form_of(struct array_lay lay) {
    return lay.count == 1  ? FORM_LAST
           : lay.split     ? FORM_SPLIT
           : lay.axis == 0 ? FORM_FIRST
                           : FORM_LAST;
}

uint32_t array_lane_shape(const struct array_storage *s, uint64_t *shape) {
    uint32_t n = 0, count = s->lay.count;
    for (uint32_t d = 0; d < s->ndim; d++)
        if (count == 1 || s->lay.split || d != s->lay.axis)
            shape[n++] = s->shape[d] / (s->lay.split && d == s->lay.axis ? count : 1);
    return n;
}

static uint32_t group_of(struct arrays *c, const struct array_storage *s) {
    uint64_t shape[ARRAY_DIMS];
    uint32_t ndim = array_lane_shape(s, shape);
    return array_group(c, ndim, shape);
}

/* Results have variables of their own, so that they need not be copied. */
static uint32_t variable_of(struct arrays *c, const struct array_storage *s, struct span at) {
    for (size_t i = 0; i < c->owns.len; i++)
        if (c->owns.data[i].serial == s->serial)
            return c->owns.data[i].variable;
    uint32_t v = local(c, group_of(c, s), s->type, s->lay.count, at);
    c->b.p->variables.data[v].decl.form.order = form_of(s->lay);
    return v;
}

/* ---- what the program's users see ---- */

static uint32_t declare(struct arrays *c, const struct array_port *x,
                        const struct array_storage *s) {
    struct ir_program *p = c->b.p;
    struct ir_variable v = {.spilled_to = IR_NONE,
                            .at = x->at,
                            .decl = {.name = x->name,
                                     .direction = x->direction,
                                     .type = x->type,
                                     .count = s->lay.count,
                                     .has_k = s->lay.count > 1,
                                     .group = x->alone ? NO_INDEX : group_of(c, s),
                                     .place = ir_place(&c->b, x->at)}};
    v.decl.form.order = form_of(s->lay);
    if (x->ndim == 0)
        v.decl.form = (struct array_form){.shaped = true};
    vec_push(&p->variables, v);
    return (uint32_t)p->variables.len - 1;
}

static struct array_storage storage_of(const struct arrays *c, const struct array_port *x,
                                       uint32_t serial) {
    struct array_storage s = {
        .serial = serial, .type = x->type, .ndim = x->ndim, .lay = array_lay_of(c, serial)};
    memcpy(s.shape, x->shape, sizeof s.shape);
    return s;
}

struct array_ref *array_input(struct arrays *c, const struct array_port *x) {
    struct array_storage *s = ARENA_NEW(c->arena, struct array_storage);
    *s = storage_of(c, x, c->serials++);
    s->variable = declare(c, x, s);
    array_note_storage(c, s, true);
    return array_whole(c, s, x->at);
}

uint32_t array_output(struct arrays *c, const struct array_port *x, uint32_t serial) {
    const struct array_storage s = storage_of(c, x, serial);
    struct array_own own = {serial, declare(c, x, &s)};
    vec_push(&c->owns, own);
    return own.variable;
}

uint32_t array_output_length(struct arrays *c, const char *name, uint32_t of, uint64_t most,
                             struct span at) {
    struct ir_program *p = c->b.p;
    struct ir_variable v = {.spilled_to = IR_NONE,
                            .at = at,
                            .decl = {.name = name,
                                     .type = array_count_type(most),
                                     .count = 1,
                                     .group = NO_INDEX,
                                     .place = ir_place(&c->b, at)}};
    uint32_t length = (uint32_t)p->variables.len;
    vec_push(&p->variables, v);
    vec_push(&p->lengths, ((struct length_record){of, length}));
    return length;
}

void array_name(struct arrays *c, const struct array_storage *s, const char *name) {
    struct variable *x = &c->b.p->variables.data[s->variable].decl;
    if (x->name[0] == '$')
        x->name = name;
}

/* ---- arrays ---- */

/* A number of storages that nobody else has. */
static const uint32_t UNCOUNTED = UINT32_MAX;

static struct array_ref *new_array(struct arrays *c, struct mpu_type type, uint32_t ndim,
                                   const uint64_t *shape, uint32_t serial, struct array_lay lay,
                                   struct span at) {
    struct array_storage *s = ARENA_NEW(c->arena, struct array_storage);
    s->serial = serial;
    s->type = type;
    s->ndim = ndim;
    s->lay = lay;
    memcpy(s->shape, shape, ndim * sizeof *shape);
    s->variable = variable_of(c, s, at);
    return array_whole(c, s, at);
}

struct array_ref *array_whole(struct arrays *c, struct array_storage *s, struct span at) {
    struct array_ref *a = ARENA_NEW(c->arena, struct array_ref);
    a->type = s->type;
    a->ndim = a->rdim = s->ndim;
    memcpy(a->shape, s->shape, sizeof a->shape);
    memcpy(a->rshape, s->shape, sizeof a->rshape);
    for (uint32_t d = 0; d < s->ndim; d++)
        a->map[d].coeff[d] = 1;
    a->root = s;
    a->version = s->version;
    a->range = array_type_range(s->type);
    a->at = at;
    return a;
}

static struct array_ref *counted_array(struct arrays *c, struct mpu_type type, uint32_t ndim,
                                       const uint64_t *shape, bool free, struct span at) {
    uint32_t serial = c->serials++;
    struct array_ref *a = new_array(c, type, ndim, shape, serial, array_lay_of(c, serial), at);
    array_note_storage(c, a->root, free);
    return a;
}

struct array_ref *array_new(struct arrays *c, struct mpu_type type, uint32_t ndim,
                            const uint64_t *shape, struct span at) {
    return counted_array(c, type, ndim, shape, false, at);
}

struct array_ref *array_new_free(struct arrays *c, struct mpu_type type, uint32_t ndim,
                                 const uint64_t *shape, struct span at) {
    return counted_array(c, type, ndim, shape, true, at);
}

struct array_ref *array_uncounted(struct arrays *c, struct mpu_type type, uint32_t ndim,
                                  const uint64_t *shape, struct array_lay lay, struct span at) {
    return new_array(c, type, ndim, shape, UNCOUNTED, lay, at);
}

struct array_ref *array_of_uniform(struct arrays *c, const struct array_uniform *x,
                                   struct span at) {
    struct array_ref *a = ARENA_NEW(c->arena, struct array_ref);
    a->type = x->type;
    a->uniform = x;
    a->range = array_type_range(x->type);
    a->at = at;
    return a;
}

struct array_ref *array_constant(struct arrays *c, struct mpu_type type, array_int v,
                                 struct span at) {
    struct array_uniform *x = ARENA_NEW(c->arena, struct array_uniform);
    *x = (struct array_uniform){
        .kind = ARRAY_UNIFORM_CONSTANT, .type = type, .pattern = array_pattern(v, type)};
    struct array_ref *a = array_of_uniform(c, x, at);
    a->range = (struct array_range){v, v};
    return a;
}

struct array_ref *array_linked(struct arrays *c, struct mpu_type type, uint32_t link,
                               struct span at) {
    struct array_uniform *x = ARENA_NEW(c->arena, struct array_uniform);
    *x = (struct array_uniform){.kind = ARRAY_UNIFORM_LINK, .type = type, .link = link};
    return array_of_uniform(c, x, at);
}

struct array_ref *array_view_of(struct arrays *c, const struct array_ref *a, struct span at) {
    struct array_ref *v = ARENA_NEW(c->arena, struct array_ref);
    *v = *a;
    v->at = at;
    v->is_view = true;
    if (v->root && !a->is_view)
        v->version = v->root->version;
    return v;
}

void array_touch(struct array_storage *s, struct span at) {
    s->total = false;
    s->version++;
    s->written = at;
}
