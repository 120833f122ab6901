/* SPDX-License-Identifier: MIT
 * Where arrays lie.  Element e of an array, row by row, is element e of a group with the array's
 * extents, and all groups are `like` one base: arrays of as many elements meet without moves, and
 * the first elements of one are an array, too.  Everything else that is read of an array is a move
 * by its map, made when it is needed and remembered until the array is written. */
#include "ezpim/np/unit.h"

#include <string.h>

static const struct extent one = {NO_INDEX, 1};

uint32_t np_group(struct np_unit *u, uint32_t ndim, const uint64_t *shape) {
    struct extent extents[NP_DIMS] = {one, one, one};
    for (uint32_t d = 0; d < ndim; d++)
        extents[d].value = shape[d];
    return ir_group_like(&u->b, 0, ndim ? ndim : 1, extents);
}

void np_begin(struct np_unit *u, uint32_t ndim, const uint64_t *shape, struct span at) {
    ir_begin_ensemble(&u->b, np_group(u, ndim, shape), at);
}

/* ---- arrays ---- */

static uint32_t local(struct np_unit *u, uint32_t group, struct mpu_type type, uint32_t count,
                      struct span at) {
    uint32_t v = ir_local(&u->b, group, type, count);
    u->b.p->variables.data[v].at = at;
    return v;
}

uint32_t np_lane_shape(const struct np_storage *s, uint64_t *shape) {
    uint32_t n = 0, count = s->lay.count;
    for (uint32_t d = 0; d < s->ndim; d++)
        if (count == 1 || s->lay.split || d != s->lay.axis)
            shape[n++] = s->shape[d] / (s->lay.split && d == s->lay.axis ? count : 1);
    return n;
}

/* Results have variables of their own, so that they need not be copied. */
static uint32_t variable_of(struct np_unit *u, const struct np_storage *s, struct span at) {
    uint64_t shape[NP_DIMS];
    for (size_t i = 0; i < u->results.len && !u->checks; i++)
        if (u->results.data[i].serial == s->serial)
            return u->results.data[i].variable;
    uint32_t ndim = np_lane_shape(s, shape);
    uint32_t v = local(u, np_group(u, ndim, shape), s->type, s->lay.count, at);
    u->b.p->variables.data[v].decl.form.order = np_form(s->lay);
    return v;
}

/* A number of storages that nobody else has. */
static const uint32_t UNCOUNTED = UINT32_MAX;

static struct np_array *new_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                                  const uint64_t *shape, uint32_t serial, struct np_lay lay,
                                  struct span at) {
    struct np_storage *s = ARENA_NEW(&u->arena, struct np_storage);
    s->serial = serial;
    s->type = type;
    s->ndim = ndim;
    s->lay = lay;
    memcpy(s->shape, shape, ndim * sizeof *shape);
    s->variable = variable_of(u, s, at);
    return np_whole(u, s, at);
}

struct np_array *np_whole(struct np_unit *u, struct np_storage *s, struct span at) {
    struct np_array *a = ARENA_NEW(&u->arena, struct np_array);
    a->type = s->type;
    a->ndim = a->rdim = s->ndim;
    memcpy(a->shape, s->shape, sizeof a->shape);
    memcpy(a->rshape, s->shape, sizeof a->rshape);
    for (uint32_t d = 0; d < s->ndim; d++)
        a->map[d].coeff[d] = 1;
    a->root = s;
    a->version = s->version;
    a->range = np_type_range(s->type);
    a->at = at;
    return a;
}

static struct np_array *counted_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                                      const uint64_t *shape, bool free, struct span at) {
    uint32_t serial = u->serials++;
    struct np_array *a = new_array(u, type, ndim, shape, serial, np_lay_of(u, serial), at);
    np_note_storage(u, a->root, free);
    return a;
}

struct np_array *np_new_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                              const uint64_t *shape, struct span at) {
    return counted_array(u, type, ndim, shape, false, at);
}

struct np_array *np_free_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                               const uint64_t *shape, struct span at) {
    return counted_array(u, type, ndim, shape, true, at);
}

struct np_array *np_uncounted_array(struct np_unit *u, struct mpu_type type, uint32_t ndim,
                                    const uint64_t *shape, struct np_lay lay, struct span at) {
    return new_array(u, type, ndim, shape, UNCOUNTED, lay, at);
}

struct np_array *np_uniform_array(struct np_unit *u, const struct np_uniform *x, struct span at) {
    struct np_array *a = ARENA_NEW(&u->arena, struct np_array);
    a->type = x->type;
    a->uniform = x;
    a->range = np_type_range(x->type);
    a->at = at;
    return a;
}

struct np_array *np_constant_array(struct np_unit *u, struct mpu_type type, np_int v,
                                   struct span at) {
    struct np_uniform *x = ARENA_NEW(&u->arena, struct np_uniform);
    *x = (struct np_uniform){
        .kind = NP_UNIFORM_CONSTANT, .type = type, .pattern = np_pattern(v, type)};
    struct np_array *a = np_uniform_array(u, x, at);
    a->range = (struct np_range){v, v};
    return a;
}

struct np_array *np_copy_view(struct np_unit *u, const struct np_array *a, struct span at) {
    struct np_array *v = ARENA_NEW(&u->arena, struct np_array);
    *v = *a;
    v->at = at;
    v->is_view = true;
    v->counts = false;
    v->mask = NULL;
    if (v->root && !a->is_view)
        v->version = v->root->version;
    return v;
}

void np_touch(struct np_unit *u, struct np_storage *s, struct span at) {
    s->total = false;
    s->version++;
    s->written = at;
    if (s->entangled) {
        np_error(u, at,
                 "how many laps a loop has says whether this array has another name, and writing "
                 "it would change that one, too");
        np_note(u, s->entangled->word,
                "the loop stands here; bind a `.copy()` in front of it or "
                "in its lap");
        s->entangled = NULL;
    }
    for (size_t i = 0; i < u->params.len; i++)
        if (u->params.data[i].storage == s)
            u->params.data[i].changed = true;
}

bool np_readable(struct np_unit *u, const struct np_array *a, struct span at) {
    if (a->root && a->root->due)
        np_catch_up(u);
    if (!a->root || !a->is_view || a->version == a->root->version)
        return true;
    np_error(u, at,
             "this view is read after its array was written, and NumPy would see the new "
             "elements");
    np_note(u, a->root->written, "the array is written here");
    np_note(u, a->at, "the view is made here; `%s.copy()` keeps the old elements",
            np_operand_text(u, a->at));
    return false;
}

/* ---- maps ---- */

bool np_is_constant(const struct np_affine *f, uint32_t ndim, const uint64_t *shape) {
    for (uint32_t v = 0; v < ndim; v++)
        if (f->coeff[v] && shape[v] > 1)
            return false;
    return !np_laps_any(&f->laps);
}

/* Elements along the axes behind. */
static void strides_of(uint32_t ndim, const uint64_t *shape, int64_t *strides) {
    int64_t n = 1;
    for (uint32_t d = ndim; d-- > 0; n *= (int64_t)shape[d])
        strides[d] = n;
}

static bool lies_in_order(const struct np_array *a, const struct np_spot *p) {
    int64_t own[NP_DIMS], of_root[NP_DIMS + 1], first = 0;
    strides_of(a->ndim, a->shape, own);
    strides_of(p->n, p->shape, of_root);
    for (uint32_t r = 0; r < p->n; r++) {
        first += of_root[r] * p->map[r].offset;
        if (np_laps_any(&p->map[r].laps))
            return false;
    }
    for (uint32_t v = 0; v < a->ndim; v++) {
        int64_t step = 0;
        for (uint32_t r = 0; r < p->n; r++)
            step += of_root[r] * p->map[r].coeff[v];
        if (a->shape[v] > 1 && step != own[v])
            return false;
    }
    return first == 0;
}

bool np_is_direct(const struct np_array *a) {
    struct np_spot p;
    return np_find_spot(a, &p) && p.fixed && lies_in_order(a, &p);
}

bool np_is_storage(const struct np_array *a) {
    const struct np_storage *s = a->root;
    bool same = np_same_shape(a->rdim, a->rshape, s->ndim, s->shape) &&
                np_same_shape(a->ndim, a->shape, s->ndim, s->shape);
    for (uint32_t r = 0; same && r < s->ndim; r++)
        for (uint32_t v = 0; v < s->ndim; v++)
            same &= s->shape[v] == 1 || a->map[r].coeff[v] == (r == v);
    for (uint32_t r = 0; same && r < s->ndim; r++)
        same = a->map[r].offset == 0 && !np_laps_any(&a->map[r].laps);
    return same;
}

/* The array as one of the larger shape. */
static struct np_array broadcast(const struct np_array *a, uint32_t ndim, const uint64_t *shape) {
    struct np_array b = *a;
    uint32_t more = ndim - a->ndim;
    b.ndim = ndim;
    memcpy(b.shape, shape, ndim * sizeof *shape);
    for (uint32_t r = 0; r < a->rdim; r++) {
        memset(b.map[r].coeff, 0, sizeof b.map[r].coeff);
        for (uint32_t v = 0; v < a->ndim; v++)
            if (a->shape[v] > 1)
                b.map[r].coeff[v + more] = a->map[r].coeff[v];
    }
    return b;
}

static bool same_maps(const struct np_array *a, const struct np_array *b) {
    if (!np_same_shape(a->rdim, a->rshape, b->rdim, b->rshape) ||
        !np_same_shape(a->ndim, a->shape, b->ndim, b->shape))
        return false;
    for (uint32_t r = 0; r < a->rdim; r++) {
        if (a->map[r].offset != b->map[r].offset ||
            memcmp(&a->map[r].laps, &b->map[r].laps, sizeof a->map[r].laps) != 0)
            return false;
        for (uint32_t v = 0; v < a->ndim; v++)
            if (a->map[r].coeff[v] != b->map[r].coeff[v])
                return false;
    }
    return true;
}

bool np_same_mask(struct np_unit *u, const struct np_array *a, const struct np_array *b,
                  struct span at) {
    if (a == b || (a->root && a->root == b->root && a->version == b->version && same_maps(a, b)))
        return true;
    np_error(u, at,
             "two masks: whether both choose as many elements is known when the kernel runs");
    np_note(u, a->at, "one is made here");
    np_note(u, b->at, "the other here; a mask that has a name can be used twice");
    return false;
}

/* ---- reading ---- */

static const struct np_brought *find_brought(const struct np_unit *u, const struct np_array *a) {
    for (const struct np_brought *x = a->root->brought; x; x = x->next)
        if (x->version == a->root->version && np_epoch_is_open(u, x->epoch) && same_maps(x->as, a))
            return x;
    return NULL;
}

static void keep_brought(struct np_unit *u, const struct np_array *a, uint32_t variable) {
    struct np_brought *x = ARENA_NEW(&u->arena, struct np_brought);
    struct np_array *as = ARENA_NEW(&u->arena, struct np_array);
    *as = *a;
    *x = (struct np_brought){
        .variable = variable, .version = a->root->version, .epoch = vec_last(&u->epochs), .as = as};
    x->next = a->root->brought;
    a->root->brought = x;
}

/* The variable's elements in the group of another shape with as many. */
static uint32_t recast(struct np_unit *u, struct np_storage *s, uint32_t ndim,
                       const uint64_t *shape, struct span at) {
    struct np_array as = *np_whole(u, s, at);
    as.ndim = as.rdim = ndim;
    memcpy(as.shape, shape, ndim * sizeof *shape);
    memcpy(as.rshape, shape, ndim * sizeof *shape);
    memset(as.map, 0, sizeof as.map);
    for (uint32_t d = 0; d < ndim; d++)
        as.map[d].coeff[d] = 1;
    const struct np_brought *known = find_brought(u, &as);
    if (known)
        return known->variable;
    uint32_t v = local(u, np_group(u, ndim, shape), s->type, 1, at);
    np_begin(u, ndim, shape, at);
    ir_operation(&u->b, IR_COPY, s->type, ir_element(&u->b, v, 0),
                 ir_element(&u->b, s->variable, 0), IR_NONE, IR_NONE, 0, at);
    vec_last(&u->b.code->insns).from = s->type;
    keep_brought(u, &as, v);
    return v;
}

static void clear_sources(struct ir_move *m) {
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        m->record.source[d] = (struct move_affine){.size = NO_INDEX};
}

/* The variable that the array is moved from, and where in it: of what does not follow from indices,
 * a copy in lanes. */
static uint32_t source_variable(struct np_unit *u, const struct np_array *a, struct np_spot *p,
                                struct span at) {
    if (!np_find_spot(a, p)) {
        a = np_in_lanes(u, a, at);
        np_find_spot(a, p);
    }
    const struct np_storage *s = a->root;
    if (s->lay.count > 1 || np_same_shape(a->rdim, a->rshape, s->ndim, s->shape))
        return s->variable;
    return recast(u, a->root, a->rdim, a->rshape, at);
}

/* Brings what the array's map says. */
static uint32_t bring_by_map(struct np_unit *u, const struct np_array *a, struct span at) {
    struct np_spot p;
    const struct np_brought *known = find_brought(u, a);
    if (known)
        return known->variable;
    at = a->is_view ? a->at : at; /* what is moved there, rather than for what */
    uint32_t from = source_variable(u, a, &p, at);
    uint32_t to = local(u, np_group(u, a->ndim, a->shape), a->type, 1, at);
    struct ir_move m = ir_plain_move(u->b.p, to, from);
    clear_sources(&m);
    for (uint32_t r = 0; r < p.n + m.record.src_has_k; r++) {
        m.record.source[r].offset = p.map[r].offset;
        for (uint32_t v = 0; v < a->ndim; v++)
            m.record.source[r].coeff[v] = a->shape[v] > 1 ? p.map[r].coeff[v] : 0;
        np_set_laps(u, &m.record, MOVE_SOURCE, r, &p.map[r].laps);
    }
    ir_put_move(&u->b, &m, at);
    keep_brought(u, a, to);
    return to;
}

bool np_fetch(struct np_unit *u, const struct np_array *a, uint32_t ndim, const uint64_t *shape,
              struct span at, uint32_t *variable, uint32_t *element) {
    struct np_array wide = broadcast(a, ndim, shape);
    struct np_spot p;
    *element = 0;
    if (!np_readable(u, a, at))
        return false;
    a->root->read = true;
    if (np_find_spot(&wide, &p) && p.fixed && lies_in_order(&wide, &p)) {
        *variable = a->root->variable;
        *element = p.element;
    } else {
        *variable = bring_by_map(u, &wide, at);
    }
    return true;
}

bool np_bring(struct np_unit *u, const struct np_array *a, uint32_t ndim, const uint64_t *shape,
              struct span at, uint32_t *variable, uint32_t *element) {
    np_note_meeting(u, a, NULL, NULL);
    return np_fetch(u, a, ndim, shape, at, variable, element);
}

uint32_t np_settle(struct np_unit *u, const struct np_array *a, struct span at) {
    uint32_t variable, element, group = np_group(u, a->ndim, a->shape);
    if (!a->uniform) {
        if (!np_bring(u, a, a->ndim, a->shape, at, &variable, &element))
            return IR_NONE;
        if (u->b.p->variables.data[variable].decl.group == group &&
            u->b.p->variables.data[variable].decl.count == 1)
            return variable;
    }
    uint32_t to = local(u, group, a->type, 1, at);
    ir_begin_ensemble(&u->b, group, at);
    uint32_t dst = ir_element(&u->b, to, 0);
    if (a->uniform)
        np_put_uniform(u, a->uniform, dst, at);
    else
        ir_convert(&u->b, ir_element(&u->b, variable, element), a->type, a->type, dst, at);
    return to;
}

/* ---- writing ---- */

/* The axis of the view that a coordinate of its storage follows; NP_DIMS: none. */
static uint32_t axis_of(const struct np_array *view, const struct np_affine *f) {
    uint32_t v = 0;
    while (v < view->ndim && !f->coeff[v])
        v++;
    return v < view->ndim ? v : NP_DIMS;
}

/* Which elements of coordinate d of the storage are written. */
static void bound_axis(struct np_unit *u, struct ir_move *m, const struct np_array *view,
                       const struct np_spot *p, uint32_t d) {
    uint32_t v = axis_of(view, &p->map[d]);
    int64_t first = p->map[d].offset, n = v < NP_DIMS ? (int64_t)view->shape[v] : 1;
    int64_t step = v < NP_DIMS && n > 1 ? p->map[d].coeff[v] : 1;
    const struct move_bound offset = {first, NO_INDEX, 0};
    if (step != 1) {
        object_move_set_stride(&m->record, d, step, &offset, &u->arena);
        np_set_laps(u, &m->record, MOVE_STRIDE, d, &p->map[d].laps);
        first = 0;
    } else {
        np_set_laps(u, &m->record, MOVE_FIRST, d, &p->map[d].laps);
        np_set_laps(u, &m->record, MOVE_LAST, d, &p->map[d].laps);
    }
    if (step != 1 || first != 0 || (uint64_t)n != p->shape[d])
        ir_move_bound(m, d, (struct move_bound){first, NO_INDEX, 0},
                      (struct move_bound){first + n, NO_INDEX, 0});
}

/* Source coordinates, which follow the axes of the view, in coordinates of the storage. */
static void follow_axes(struct np_unit *u, struct move *m, uint32_t r, const struct np_affine *by,
                        const struct np_array *view, const struct np_spot *p) {
    struct move_affine *f = &m->source[r];
    struct np_laps laps = by->laps;
    f->offset = by->offset;
    for (uint32_t d = 0; d < p->n; d++) {
        uint32_t v = axis_of(view, &p->map[d]);
        int64_t coeff = v < NP_DIMS && view->shape[v] > 1 ? by->coeff[v] : 0;
        f->coeff[d] = coeff;
        if (v == NP_DIMS || p->map[d].coeff[v] != 1)
            continue;
        f->offset -= coeff * p->map[d].offset;
        np_laps_add(&laps, -coeff, &p->map[d].laps);
    }
    np_set_laps(u, m, MOVE_SOURCE, r, &laps);
}

/* One value for all: it is put beside the elements that get it. */
static void source_is_value(struct np_unit *u, struct ir_move *m, const struct np_array *view,
                            const struct np_array *from, struct span at) {
    uint32_t group = u->b.p->variables.data[view->root->variable].decl.group;
    m->from = local(u, group, from->type, 1, at);
    ir_begin_ensemble(&u->b, group, at);
    np_put_uniform(u, from->uniform, ir_element(&u->b, m->from, 0), at);
    *m = ir_plain_move(u->b.p, m->to, m->from);
}

static void source_is_array(struct np_unit *u, struct ir_move *m, const struct np_array *view,
                            const struct np_spot *p, const struct np_array *from, struct span at) {
    struct np_array wide = broadcast(from, view->ndim, view->shape);
    struct np_spot q;
    *m = ir_plain_move(u->b.p, m->to, source_variable(u, &wide, &q, at));
    clear_sources(m);
    for (uint32_t r = 0; r < q.n + m->record.src_has_k; r++)
        follow_axes(u, &m->record, r, &q.map[r], view, p);
}

static void note_written(struct np_unit *u, const struct np_array *view,
                         const struct np_array *from) {
    int target[NP_DIMS] = {-1, -1, -1};
    uint32_t more = view->ndim - from->ndim;
    for (uint32_t r = 0; r < view->rdim; r++)
        for (uint32_t v = more; v < view->ndim; v++)
            if (view->map[r].coeff[v] && view->shape[v] > 1)
                target[v - more] = (int)r;
    np_note_meeting(u, from, view->root, target);
    np_note_stacked(u, view);
}

/* An array in the order of these extents, from which its own differ by axes of one element. */
static struct np_array aligned(const struct np_array *a, uint32_t ndim, const uint64_t *shape) {
    struct np_array x = *a;
    uint32_t v = 0;
    memset(x.map, 0, sizeof x.map);
    for (uint32_t d = 0; d < ndim; d++) {
        while (v < a->ndim && a->shape[v] == 1 && shape[d] != 1)
            v++;
        for (uint32_t r = 0; r < a->rdim && v < a->ndim && shape[d] > 1; r++)
            x.map[r].coeff[d] = a->map[r].coeff[v];
        v += v < a->ndim && a->shape[v] == shape[d];
    }
    for (uint32_t r = 0; r < a->rdim; r++) {
        x.map[r].offset = a->map[r].offset;
        x.map[r].laps = a->map[r].laps;
    }
    x.ndim = ndim;
    memcpy(x.shape, shape, ndim * sizeof *shape);
    return x;
}

static bool write_register(struct np_unit *u, const struct np_array *view, const struct np_spot *p,
                           const struct np_array *from, struct span at) {
    struct np_array wide = *from;
    if (!from->uniform) {
        wide = broadcast(from, view->ndim, view->shape);
        wide = aligned(&wide, p->n, p->shape);
    }
    return np_put_register(u, &wide, view->root, p->element, at);
}

bool np_write(struct np_unit *u, const struct np_array *view, const struct np_array *from,
              struct span at) {
    struct ir_move m = {.to = view->root->variable};
    struct np_spot p;
    np_catch_up(u);
    if (!np_readable(u, from, at))
        return false;
    if (from->root)
        from->root->read = true;
    note_written(u, view, from);
    uint64_t n = np_elements(view->ndim, view->shape);
    bool fixed = np_find_spot(view, &p) && p.fixed;
    if (view->root->lay.count > 1 && !fixed && np_register_axis(view) < NP_DIMS)
        return np_write_registers(u, view, from, at);
    if (view->root->lay.count > 1 && fixed && lies_in_order(view, &p) &&
        n == np_elements(p.n, p.shape))
        return write_register(u, view, &p, from, at);
    if (from->uniform)
        source_is_value(u, &m, view, from, at);
    else
        source_is_array(u, &m, view, &p, from, at);
    for (uint32_t d = 0; d < p.n + m.record.dst_has_k; d++)
        bound_axis(u, &m, view, &p, d);
    ir_put_move(&u->b, &m, at);
    np_touch(u, view->root, at);
    return true;
}
