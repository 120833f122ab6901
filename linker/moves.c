/* SPDX-License-Identifier: MIT
 * Planning moves: the range of the destination is cut into boxes in which every source coordinate
 * lies inside of its extent, or outside, or within one period of a wrap.  In such a box the source
 * element is an affine function of the destination's coordinates, so that a box is one piece,
 * however many elements it has. */
#include "linker/move_copies.h"
#include "linker/where.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Products of a coefficient and a coordinate, both below 2^40 in size, and sums of a few. */
__extension__ typedef __int128 wide;

/* Pieces take no more than 1 GiB of the host's memory, and are found in some seconds: boxes are no
 * more than a few for each element that a chip can hold, unless the move is one of a program in
 * rounds, which does not carry it out. */
#define MAX_PIECES (((size_t)1 << 30) / sizeof(struct move_piece))
#define MAX_BOXES  ((uint64_t)1 << 26)

/* The coordinates of one side. */
struct space {
    uint32_t dims;
    uint64_t extent[MOVE_MAX_DIMS];
    int64_t stride[MOVE_MAX_DIMS]; /* elements of the group from one to the next */
    int32_t reg[MOVE_MAX_DIMS];    /* registers from one to the next: 1 for the k of T[k] */
};

struct linear_form {
    wide coeff[MOVE_MAX_DIMS], offset;
};

struct box {
    wide first[MOVE_MAX_DIMS]; /* of each index of the destination */
    uint64_t count[MOVE_MAX_DIMS];
    /* The same sources again, so often, every so many values of the coordinate; 0: once. */
    uint64_t repeats[MOVE_MAX_DIMS], period[MOVE_MAX_DIMS];
    wide less[MOVE_MAX_DIMS]; /* whole extents to be taken off each source coordinate */
    /* Of a clip: the source coordinate is beyond that end of its extent, and so is that end. */
    int8_t beyond[MOVE_MAX_DIMS];
};

/* A destination coordinate: so many times its index, and a number. */
struct place_of_index {
    wide coeff, offset;
};

struct planner {
    const struct object *o;
    const int64_t *sizes;
    const uint64_t *laps;
    const struct move *m;
    struct space dst, src;
    struct place_of_index to[MOVE_MAX_DIMS];
    struct linear_form form[MOVE_MAX_DIMS]; /* of each source coordinate */
    VEC(struct move_piece) pieces;
    uint64_t boxes;
    struct str problem;
};

static void add_coordinate(struct space *s, uint64_t extent, bool is_k) {
    s->extent[s->dims] = extent;
    s->reg[s->dims] = is_k;
    s->dims++;
}

static void find_strides(struct space *s) {
    uint64_t stride = 1;
    for (uint32_t d = s->dims; d-- > 0;) {
        s->stride[d] = s->reg[d] ? 0 : (int64_t)stride;
        stride *= s->reg[d] ? 1 : s->extent[d];
    }
}

static void add_group(const struct planner *p, uint32_t group, struct space *s) {
    const struct group *g = &p->o->groups.data[group];
    for (uint32_t i = 0; g->per_mpu && i < p->o->geometry.grid_dims; i++)
        add_coordinate(s, p->o->geometry.grid[i], false);
    for (uint32_t i = 0; i < g->ndim; i++)
        add_coordinate(s,
                       g->extent[i].size == NO_INDEX ? g->extent[i].value
                                                     : (uint64_t)p->sizes[g->extent[i].size],
                       false);
}

/* A number of the move under these sizes and in this lap. */
static wide resolve(const struct planner *p, enum move_form form, uint32_t d,
                    const struct move_bound *b) {
    wide v = b->offset + (b->size_coeff ? (wide)b->size_coeff * (wide)p->sizes[b->size] : 0);
    for (unsigned n = 0; p->m->laps && n < MOVE_MAX_LAPS; n++)
        v += (wide)p->m->laps->coeff[form][d][n] * (wide)p->laps[n];
    return v;
}

static void set_form(struct planner *p, uint32_t c, uint32_t source) {
    const struct move_affine *a = &p->m->source[source];
    const struct move_bound constant = {a->offset, a->size, a->size_coeff};
    struct linear_form *f = &p->form[c];
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        f->coeff[d] = a->coeff[d];
    f->offset = resolve(p, MOVE_SOURCE, source, &constant);
}

static void find_destination(struct planner *p) {
    static const struct move_bound none = {.size = NO_INDEX};
    const struct move_strides *s = p->m->strides;
    if (p->m->dst_group != NO_INDEX)
        add_group(p, p->m->dst_group, &p->dst);
    if (p->m->dst_has_k)
        add_coordinate(&p->dst, p->m->dst_count, true);
    find_strides(&p->dst);
    for (uint32_t d = 0; d < p->dst.dims; d++)
        p->to[d] = (struct place_of_index){s ? s->coeff[d] : 1,
                                           resolve(p, MOVE_STRIDE, d, s ? &s->offset[d] : &none)};
}

/* A source without a group is read where the destination lies: its elements are the
 * destination's. */
static void find_source(struct planner *p) {
    const struct move *m = p->m;
    uint32_t shared = 0;
    if (m->src_group != NO_INDEX) {
        add_group(p, m->src_group, &p->src);
    } else if (m->dst_group != NO_INDEX) {
        add_group(p, m->dst_group, &p->src);
        shared = p->src.dims;
    }
    if (m->src_has_k)
        add_coordinate(&p->src, m->src_count, true);
    find_strides(&p->src);
    for (uint32_t c = 0; c < shared; c++) {
        p->form[c].coeff[c] = p->to[c].coeff;
        p->form[c].offset = p->to[c].offset;
    }
    for (uint32_t c = shared; c < p->src.dims; c++)
        set_form(p, c, c - shared);
}

/* For messages: numbers that no extent reaches look alike. */
static int64_t shown(wide v) {
    return v < INT64_MIN ? INT64_MIN : v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static wide floor_div(wide a, wide b) {
    wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

struct index_range {
    wide first, last; /* of an index, half-open */
};

/* All indices from 0 on whose coordinate is inside. */
static struct index_range whole_range(const struct planner *p, uint32_t d) {
    const struct place_of_index *to = &p->to[d];
    wide most = (wide)p->dst.extent[d] - 1;
    wide low = to->coeff > 0 ? 0 : most, high = to->coeff > 0 ? most : 0; /* in order of indices */
    struct index_range r = {-floor_div(to->offset - low, to->coeff),
                            floor_div(high - to->offset, to->coeff) + 1};
    r.first = r.first < 0 ? 0 : r.first;
    return r;
}

static struct index_range range_of(const struct planner *p, uint32_t d) {
    const struct move *m = p->m;
    if (!(m->bounded >> d & 1))
        return whole_range(p, d);
    return (struct index_range){resolve(p, MOVE_FIRST, d, &m->first[d]),
                                resolve(p, MOVE_LAST, d, &m->last[d])};
}

/* False, with a problem, if some index of a range, which is not empty, has its coordinate beyond
 * the extent. */
static bool range_inside(struct planner *p, uint32_t d, struct index_range r) {
    const struct place_of_index *to = &p->to[d];
    wide extent = (wide)p->dst.extent[d], one = to->coeff * r.first + to->offset,
         other = to->coeff * (r.last - 1) + to->offset;
    bool fits = one >= 0 && one < extent;
    if (fits && other >= 0 && other < extent)
        return true;
    str_printf(&p->problem, "range %" PRId64 " .. %" PRId64 " of coordinate %" PRIu32,
               shown(r.first), shown(r.last), d + 1);
    if (to->coeff == 1 && to->offset == 0)
        str_append(&p->problem, " leaves its extent,");
    else
        str_printf(&p->problem, " reaches %" PRId64 ", beyond its extent,",
                   shown(fits ? other : one));
    str_printf(&p->problem, " %" PRIu64, p->dst.extent[d]);
    return false;
}

/* The range of the destination; false if it leaves the extents. */
static bool first_box(struct planner *p, struct box *b) {
    bool empty = false, inside = true;
    for (uint32_t d = 0; d < p->dst.dims; d++) {
        struct index_range r = range_of(p, d);
        bool some = r.last > r.first;
        empty |= !some;
        inside = inside && (!some || range_inside(p, d, r));
        b->first[d] = r.first;
        b->count[d] = some ? (uint64_t)(r.last - r.first) : 0;
    }
    if (empty) {
        str_clear(&p->problem);
        b->count[0] = 0;
    }
    return empty || inside;
}

/* ---- boxes to pieces ---- */

static void piece_axis(const struct planner *p, uint32_t d, const struct box *b,
                       struct move_axis *a) {
    wide src = 0, src_reg = 0;
    for (uint32_t c = 0; c < p->src.dims; c++) {
        if (b->beyond[c])
            continue;
        src += p->form[c].coeff[d] * p->src.stride[c];
        src_reg += p->form[c].coeff[d] * p->src.reg[c];
    }
    *a = (struct move_axis){b->count[d], (int64_t)(p->to[d].coeff * p->dst.stride[d]), (int64_t)src,
                            (int32_t)(p->to[d].coeff * p->dst.reg[d]), (int32_t)src_reg};
}

static struct move_axis repeat_axis(const struct planner *p, uint32_t d, const struct box *b) {
    wide step = p->to[d].coeff * (wide)b->period[d];
    return (struct move_axis){.count = b->repeats[d],
                              .dst = (int64_t)(step * p->dst.stride[d]),
                              .dst_reg = (int32_t)(step * p->dst.reg[d])};
}

/* A step of `outer` is as long as all steps of `inner`, on both sides. */
static bool joins(const struct move_axis *outer, const struct move_axis *inner) {
    int64_t n = (int64_t)inner->count;
    return outer->dst == inner->dst * n && outer->src == inner->src * n &&
           outer->dst_reg == inner->dst_reg * n && outer->src_reg == inner->src_reg * n;
}

/* Joins one pair of axes that go on one from the other; false if there is none. */
static bool join_pair(struct move_piece *x) {
    for (uint32_t i = 0; i < x->axes; i++)
        for (uint32_t k = 0; k < x->axes; k++) {
            if (i == k || !joins(&x->axis[i], &x->axis[k]))
                continue;
            x->axis[k].count *= x->axis[i].count;
            memmove(&x->axis[i], &x->axis[i + 1], (x->axes - i - 1) * sizeof x->axis[0]);
            x->axes--;
            return true;
        }
    return false;
}

static uint64_t step_size(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? (uint64_t)-a : (uint64_t)a, y = b < 0 ? (uint64_t)-b : (uint64_t)b;
    return x > y ? x : y;
}

/* Innermost is the axis that stays longest in one register of one VRF on both sides: no change of
 * register, then the smallest steps. */
static bool outer_than(const struct move_axis *a, const struct move_axis *b) {
    bool registers_a = a->dst_reg || a->src_reg, registers_b = b->dst_reg || b->src_reg;
    if (registers_a != registers_b)
        return registers_a;
    return step_size(a->dst, a->src) > step_size(b->dst, b->src);
}

static void order_axes(struct move_piece *x) {
    for (uint32_t i = 1; i < x->axes; i++)
        for (uint32_t k = i; k > 0 && outer_than(&x->axis[k], &x->axis[k - 1]); k--) {
            struct move_axis swapped = x->axis[k];
            x->axis[k] = x->axis[k - 1];
            x->axis[k - 1] = swapped;
        }
}

static wide value_at(const struct planner *p, uint32_t c, const struct box *b) {
    wide v = p->form[c].offset - b->less[c];
    if (b->beyond[c])
        return b->beyond[c] < 0 ? 0 : (wide)p->src.extent[c] - 1;
    for (uint32_t d = 0; d < p->dst.dims; d++)
        v += p->form[c].coeff[d] * b->first[d];
    return v;
}

static void add_piece(struct planner *p, const struct box *b, bool fill) {
    struct move_piece x = {.fill = fill};
    wide src = 0, src_reg = 0;
    for (uint32_t d = 0; d < p->dst.dims; d++) {
        wide at = p->to[d].coeff * b->first[d] + p->to[d].offset;
        x.dst += (uint64_t)(at * p->dst.stride[d]);
        x.dst_reg += (uint32_t)(at * p->dst.reg[d]);
        if (b->count[d] > 1)
            piece_axis(p, d, b, &x.axis[x.axes++]);
        if (b->repeats[d] > 1)
            x.axis[x.axes++] = repeat_axis(p, d, b);
    }
    for (uint32_t c = 0; !fill && c < p->src.dims; c++) {
        src += value_at(p, c, b) * p->src.stride[c];
        src_reg += value_at(p, c, b) * p->src.reg[c];
    }
    for (uint32_t i = 0; fill && i < x.axes; i++)
        x.axis[i].src = x.axis[i].src_reg = 0;
    x.src = (uint64_t)src;
    x.dst_reg += p->m->dst_reg;
    x.src_reg = fill ? 0 : p->m->src_reg + (uint32_t)src_reg;
    while (join_pair(&x)) {
    }
    order_axes(&x);
    vec_push(&p->pieces, x);
}

/* ---- cutting ---- */

static void limits(const struct planner *p, const struct box *b, uint32_t c, wide *low,
                   wide *high) {
    *low = *high = value_at(p, c, b);
    for (uint32_t d = 0; d < p->dst.dims; d++) {
        wide reach = p->form[c].coeff[d] * (wide)(b->count[d] - 1);
        *(reach < 0 ? low : high) += reach;
    }
}

/* The period of its extent in which a source coordinate lies; without a wrap all below 0 are one
 * and all beyond the extent another. */
static wide period(const struct planner *p, uint32_t c, wide v) {
    wide e = (wide)p->src.extent[c];
    if (p->m->outside == MOVE_WRAP)
        return floor_div(v, e);
    return v < 0 ? -1 : v >= e;
}

/* How many steps of `step`, at least one and at most `most`, v stays in its period. */
static uint64_t steps_inside(const struct planner *p, uint32_t c, wide v, wide step,
                             uint64_t most) {
    wide e = (wide)p->src.extent[c], q = period(p, c, v), n;
    bool wraps = p->m->outside == MOVE_WRAP;
    if (step > 0 ? !wraps && q > 0 : !wraps && q < 0)
        return most; /* it goes on away from the extent */
    if (step > 0)
        n = floor_div(e * (q + 1) - 1 - v, step) + 1;
    else
        n = floor_div(v - e * q, -step) + 1;
    return n < (wide)most ? (uint64_t)n : most;
}

static bool cut(struct planner *p, struct box *b, uint32_t c);

static uint64_t common_factor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Steps of coordinate d after which source coordinate c is where it was, modulo its extent, as is
 * every other; 0 if there is no such number. */
static uint64_t wrap_period(const struct planner *p, const struct box *b, uint32_t c, uint32_t d) {
    uint64_t e = p->src.extent[c];
    wide step = p->form[c].coeff[d];
    if (p->m->outside != MOVE_WRAP || b->repeats[d])
        return 0;
    for (uint32_t other = 0; other < p->src.dims; other++)
        if (other != c && p->form[other].coeff[d])
            return 0;
    return e / common_factor(e, (uint64_t)(step < 0 ? -step : step));
}

/* Many times round a short extent: one time and how often, then what is left. */
static bool cut_repeats(struct planner *p, const struct box *b, uint32_t c, uint32_t d,
                        uint64_t steps) {
    struct box once = *b, rest = *b;
    once.count[d] = once.period[d] = steps;
    once.repeats[d] = b->count[d] / steps;
    rest.first[d] += (wide)(once.repeats[d] * steps);
    rest.count[d] -= once.repeats[d] * steps;
    return cut(p, &once, c) && (rest.count[d] == 0 || cut(p, &rest, c));
}

/* Coordinate c depends on coordinate d alone: one box for each period. */
static bool cut_along(struct planner *p, const struct box *b, uint32_t c, uint32_t d) {
    uint64_t done = 0, steps = wrap_period(p, b, c, d);
    if (steps && b->count[d] / steps > 1)
        return cut_repeats(p, b, c, d, steps);
    while (done < b->count[d]) {
        struct box part = *b;
        part.first[d] += (wide)done;
        part.count[d] =
            steps_inside(p, c, value_at(p, c, &part), p->form[c].coeff[d], b->count[d] - done);
        done += part.count[d];
        if (!cut(p, &part, c))
            return false;
    }
    return true;
}

/* One box for each value of coordinate d. */
static bool cut_each(struct planner *p, const struct box *b, uint32_t c, uint32_t d) {
    for (uint64_t i = 0; i < b->count[d]; i++) {
        struct box part = *b;
        part.first[d] += (wide)i;
        part.count[d] = 1;
        if (!cut(p, &part, c))
            return false;
    }
    return true;
}

/* Of the destination's coordinates that c depends on, and that vary: how many, and the one with
 * the fewest values. */
static uint32_t dependences(const struct planner *p, const struct box *b, uint32_t c,
                            uint32_t *fewest) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < p->dst.dims; d++) {
        if (b->count[d] < 2 || p->form[c].coeff[d] == 0)
            continue;
        if (n == 0 || b->count[d] < b->count[*fewest])
            *fewest = d;
        n++;
    }
    return n;
}

/* Cuts b until source coordinates c and above lie in one period each. */
static bool cut(struct planner *p, struct box *b, uint32_t c) {
    if (++p->boxes > MAX_BOXES || p->pieces.len == MAX_PIECES) {
        str_printf(&p->problem,
                   "coordinates fall into more than %zu pieces, for which the host "
                   "has no room",
                   MAX_PIECES);
        return false;
    }
    for (; c < p->src.dims; c++) {
        wide low, high;
        uint32_t d = 0;
        limits(p, b, c, &low, &high);
        wide q = period(p, c, low);
        if (q != period(p, c, high))
            return dependences(p, b, c, &d) == 1 ? cut_along(p, b, c, d) : cut_each(p, b, c, d);
        if (q && p->m->outside == MOVE_CLIP) {
            b->beyond[c] = (int8_t)q;
            continue;
        }
        if (q && p->m->outside != MOVE_WRAP) {
            if (p->m->outside == MOVE_FILL)
                add_piece(p, b, true);
            return true;
        }
        b->less[c] = q * (wide)p->src.extent[c];
    }
    add_piece(p, b, false);
    return true;
}

/* ---- the plan ---- */

static void find_sides(struct planner *p) {
    find_destination(p);
    find_source(p);
}

static bool run_planner(struct planner *p) {
    struct box b = {0};
    find_sides(p);
    if (!first_box(p, &b))
        return false;
    for (uint32_t d = 0; d < p->dst.dims; d++)
        if (b.count[d] == 0)
            return true;
    return cut(p, &b, 0);
}

bool package_move_plan(const struct object *o, const int64_t *sizes, uint32_t move,
                       const uint64_t *laps, struct arena *arena, struct move_plan *out,
                       struct str *problem) {
    const struct move near = object_move_from_near(&o->moves.data[move]);
    struct planner p = {.o = o, .sizes = sizes, .laps = laps, .m = &near};
    bool ok = run_planner(&p);
    struct move_piece *pieces = ARENA_ARRAY(arena, p.pieces.len, struct move_piece);
    if (p.pieces.len)
        memcpy(pieces, p.pieces.data, p.pieces.len * sizeof *pieces);
    *out = (struct move_plan){pieces, p.pieces.len};
    str_append(problem, str_text(&p.problem));
    vec_free(&p.pieces);
    str_free(&p.problem);
    return ok;
}

/* Whether a far coordinate other than `indexed` depends on d. */
static bool decides(const struct planner *p, uint32_t indexed, uint32_t d) {
    for (uint32_t c = 0; c < p->src.dims; c++)
        if (c != indexed && p->form[c].coeff[d])
            return true;
    return false;
}

static void find_own_place(const struct planner *p, uint32_t indexed,
                           struct indexed_coordinate *out) {
    uint64_t weight = 1;
    out->own_is_register = out->reg && p->dst.dims && p->dst.reg[p->dst.dims - 1];
    for (uint32_t d = p->dst.dims; d-- > 0;) {
        if (p->dst.reg[d] || out->reg || decides(p, indexed, d))
            continue;
        out->own[out->own_count++] =
            (struct own_coordinate){p->dst.extent[d], (uint64_t)p->dst.stride[d], weight};
        weight *= p->dst.extent[d];
    }
}

struct indexed_coordinate package_move_indexed_coordinate(const struct object *o,
                                                          const int64_t *sizes, uint32_t move) {
    const struct move near = object_move_from_near(&o->moves.data[move]);
    static const uint64_t first[MOVE_MAX_LAPS]; /* what is looked for is the same in every lap */
    struct planner p = {.o = o, .sizes = sizes, .laps = first, .m = &near};
    find_sides(&p);
    uint32_t shared = p.src.dims - object_move_dims(o, near.src_group, near.src_has_k);
    uint32_t c = shared + near.index.coordinate;
    struct indexed_coordinate x = {
        .extent = p.src.extent[c], .stride = p.src.stride[c], .reg = p.src.reg[c]};
    find_own_place(&p, c, &x);
    return x;
}

bool package_move_range_fits(const struct object *o, const int64_t *sizes, uint32_t move,
                             const uint64_t *laps, struct str *problem) {
    const struct move near = object_move_from_near(&o->moves.data[move]);
    struct planner p = {.o = o, .sizes = sizes, .laps = laps, .m = &near};
    struct box b = {0};
    find_destination(&p);
    bool fits = first_box(&p, &b);
    str_append(problem, str_text(&p.problem));
    str_free(&p.problem);
    return fits;
}

static void refuse_move(struct pack *k, const struct move *m, const char *format,
                        const char *what) {
    diag_error(k->d, object_span(k->program, m->place, k->d), format, m->name, what);
}

/* What the machine cannot do of a move that was planned. */
static void try_copies(struct pack *k, uint32_t i) {
    const struct move *m = &k->program->moves.data[i];
    struct arena arena = {0};
    struct move_work work;
    const char *problem;
    if (k->p->slices || k->t->buffer_registers) /* no GMOVE asks for it; all can be */
        return;
    bool made = package_move_work(k->p, k->program, i, NULL, k->t, &arena, &work, &problem);
    if (!made && m->laps)
        ; /* a lap that cannot be is found by link_check_steps */
    else if (!made)
        refuse_move(k, m, "move '%s' cannot be carried out: %s", problem);
    else if (work.maps_lanes)
        refuse_move(k, m,
                    "move '%s' needs the buffer of the data-transfer controller, which target '%s' "
                    "does not have (dtc.buffer_registers is 0)",
                    k->t->name);
    arena_free(&arena);
}

void package_build_moves(struct pack *k) {
    const struct object *o = k->program;
    struct move_plan *plans = ARENA_ARRAY(&k->p->arena, o->moves.len, struct move_plan);
    k->p->plans = plans;
    k->p->plan_count = o->moves.len;
    for (uint32_t i = 0; i < o->moves.len && !diag_full(k->d); i++) {
        struct str problem = {0};
        if (o->moves.data[i].laps ||
            package_move_plan(o, k->p->sizes, i, NULL, &k->p->arena, &plans[i], &problem))
            try_copies(k, i);
        else
            refuse_move(k, &o->moves.data[i], "move '%s' cannot be carried out: its %s",
                        str_text(&problem));
        str_free(&problem);
    }
    link_check_steps(k);
}

/* ---- map files ---- */

#define SHOWN_COPIES 8

static void print_register(const struct package *p, uint32_t vrf, unsigned reg, struct str *out) {
    uint32_t per = p->vrf_per_rfh * p->rfh_per_mpu;
    if (p->mpus > 1)
        str_printf(out, "MPU%" PRIu32 ".", vrf / per);
    str_printf(out, "RFH%" PRIu32 ".VRF%" PRIu32 " r%u", vrf % per % p->rfh_per_mpu,
               vrf % per / p->rfh_per_mpu, reg);
}

/* "lane 3", "lanes 3 .. 60", "lanes 3, 5 .. 61" */
static void print_lanes(uint32_t first, int32_t step, uint32_t count, struct str *out) {
    int64_t last = first + (int64_t)step * (count - 1);
    str_printf(out, count > 1 && step ? " lanes %" PRIu32 : " lane %" PRIu32, first);
    if (count > 2 && step != 0 && step != 1)
        str_printf(out, ", %" PRId64, (int64_t)first + step);
    if (count > 1 && step != 0)
        str_printf(out, " .. %" PRId64, last);
}

static void print_copy(const struct package *p, const struct move_copy *c, struct str *out) {
    str_append(out, "    ");
    print_register(p, c->dst_vrf, c->dst_reg, out);
    print_lanes(c->dst_lane, c->dst_step, c->count, out);
    str_append(out, " = ");
    if (c->fill)
        str_append(out, "the constant");
    else {
        print_register(p, c->src_vrf, c->src_reg, out);
        print_lanes(c->src_lane, c->src_step, c->count, out);
    }
    str_char(out, '\n');
}

/* The first ones. */
static void print_copies(const struct package *p, const struct move_work *w, struct str *out) {
    struct move_part part = {0};
    size_t shown = 0;
    while (shown < SHOWN_COPIES && package_move_next_part(w, &part))
        for (size_t i = 0; i < part.count && shown < SHOWN_COPIES; i++, shown++)
            print_copy(p, &part.copies[i], out);
    package_move_part_free(&part);
}

static void print_work(const struct package *p, const struct move *m, const struct move_work *w,
                       struct str *out) {
    uint64_t registers = 0;
    for (size_t i = 0; i < w->charge_count; i++)
        registers += w->charges[i].registers + w->charges[i].index_registers;
    if (m->index.kind) {
        str_printf(out,
                   "  move %s%s: pieces %zu, registers %" PRIu64
                   " if each index names its own place, MPUs %zu\n",
                   m->name, m->laps ? " in the first lap" : "", w->piece_count, registers,
                   w->mpu_count);
        return;
    }
    str_printf(out,
               "  move %s%s: pieces %zu, copies %" PRIu64 ", registers %" PRIu64 ", MPUs %zu\n",
               m->name, m->laps ? " in the first lap" : "", w->piece_count, w->copy_count,
               registers, w->mpu_count);
    print_copies(p, w, out);
    if (w->copy_count > SHOWN_COPIES)
        str_printf(out, "    and %" PRIu64 " more\n", w->copy_count - SHOWN_COPIES);
}

void package_print_moves(const struct package *p, const struct object *program,
                         const struct target *t, struct str *out) {
    for (uint32_t i = 0; i < p->plan_count; i++) {
        struct arena arena = {0};
        struct move_work work;
        const char *problem;
        if (package_move_work(p, program, i, NULL, t, &arena, &work, &problem))
            print_work(p, &program->moves.data[i], &work, out);
        arena_free(&arena);
    }
}
