/* SPDX-License-Identifier: MIT
 * Planning moves: the range of the destination is cut into boxes in which every source coordinate
 * lies inside of its extent, or outside, or within one period of a wrap.  In such a box the source
 * element is an affine function of the destination's coordinates, so that a box is one piece,
 * however many elements it has. */
#include "linker/moves/copies.h"
#include "linker/where.h"
#include "support/common_divisor.h"

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

static void add_coordinate(struct space *space, uint64_t extent, bool is_k) {
    space->extent[space->dims] = extent;
    space->reg[space->dims] = is_k;
    space->dims++;
}

static void find_strides(struct space *space) {
    uint64_t stride = 1;
    for (uint32_t d = space->dims; d-- > 0;) {
        space->stride[d] = space->reg[d] ? 0 : (int64_t)stride;
        stride *= space->reg[d] ? 1 : space->extent[d];
    }
}

static void add_group(const struct planner *planner, uint32_t group, struct space *space) {
    const struct group *g = &planner->o->groups.data[group];
    for (uint32_t i = 0; g->per_mpu && i < planner->o->geometry.grid_dims; i++)
        add_coordinate(space, planner->o->geometry.grid[i], false);
    for (uint32_t i = 0; i < g->ndim; i++)
        add_coordinate(space,
                       g->extent[i].size == NO_INDEX ? g->extent[i].value
                                                     : (uint64_t)planner->sizes[g->extent[i].size],
                       false);
}

/* A number of the move under these sizes and in this lap. */
static wide resolve(const struct planner *planner, enum move_form form, uint32_t d,
                    const struct move_bound *bound) {
    wide v = bound->offset +
             (bound->size_coeff ? (wide)bound->size_coeff * (wide)planner->sizes[bound->size] : 0);
    for (unsigned n = 0; planner->m->laps && n < MOVE_MAX_LAPS; n++)
        v += (wide)planner->m->laps->coeff[form][d][n] * (wide)planner->laps[n];
    return v;
}

static void set_form(struct planner *planner, uint32_t c, uint32_t source) {
    const struct move_affine *a = &planner->m->source[source];
    const struct move_bound constant = {a->offset, a->size, a->size_coeff};
    struct linear_form *f = &planner->form[c];
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        f->coeff[d] = a->coeff[d];
    f->offset = resolve(planner, MOVE_SOURCE, source, &constant);
}

static void find_destination(struct planner *planner) {
    static const struct move_bound none = {.size = NO_INDEX};
    const struct move_strides *s = planner->m->strides;
    if (planner->m->dst_group != NO_INDEX)
        add_group(planner, planner->m->dst_group, &planner->dst);
    if (planner->m->dst_has_k)
        add_coordinate(&planner->dst, planner->m->dst_count, true);
    find_strides(&planner->dst);
    for (uint32_t d = 0; d < planner->dst.dims; d++)
        planner->to[d] = (struct place_of_index){
            s ? s->coeff[d] : 1, resolve(planner, MOVE_STRIDE, d, s ? &s->offset[d] : &none)};
}

/* A source without a group is read where the destination lies: its elements are the
 * destination's. */
static void find_source(struct planner *planner) {
    const struct move *m = planner->m;
    uint32_t shared = 0;
    if (m->src_group != NO_INDEX) {
        add_group(planner, m->src_group, &planner->src);
    } else if (m->dst_group != NO_INDEX) {
        add_group(planner, m->dst_group, &planner->src);
        shared = planner->src.dims;
    }
    if (m->src_has_k)
        add_coordinate(&planner->src, m->src_count, true);
    find_strides(&planner->src);
    for (uint32_t c = 0; c < shared; c++) {
        planner->form[c].coeff[c] = planner->to[c].coeff;
        planner->form[c].offset = planner->to[c].offset;
    }
    for (uint32_t c = shared; c < planner->src.dims; c++)
        set_form(planner, c, c - shared);
}

/* For messages: numbers that no extent reaches look alike. */
static int64_t shown(wide value) {
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static wide floor_div(wide left, wide right) {
    wide q = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? q - 1 : q;
}

struct index_range {
    wide first, last; /* of an index, half-open */
};

/* All indices from 0 on whose coordinate is inside. */
static struct index_range whole_range(const struct planner *planner, uint32_t d) {
    const struct place_of_index *to = &planner->to[d];
    wide most = (wide)planner->dst.extent[d] - 1;
    wide low = to->coeff > 0 ? 0 : most, high = to->coeff > 0 ? most : 0; /* in order of indices */
    struct index_range r = {-floor_div(to->offset - low, to->coeff),
                            floor_div(high - to->offset, to->coeff) + 1};
    r.first = r.first < 0 ? 0 : r.first;
    return r;
}

static struct index_range range_of(const struct planner *planner, uint32_t d) {
    const struct move *m = planner->m;
    if (!(m->bounded >> d & 1))
        return whole_range(planner, d);
    return (struct index_range){resolve(planner, MOVE_FIRST, d, &m->first[d]),
                                resolve(planner, MOVE_LAST, d, &m->last[d])};
}

/* False, with a problem, if some index of a range, which is not empty, has its coordinate beyond
 * the extent. */
static bool range_inside(struct planner *planner, uint32_t d, struct index_range range) {
    const struct place_of_index *to = &planner->to[d];
    wide extent = (wide)planner->dst.extent[d], one = to->coeff * range.first + to->offset,
         other = to->coeff * (range.last - 1) + to->offset;
    bool fits = one >= 0 && one < extent;
    if (fits && other >= 0 && other < extent)
        return true;
    str_printf(&planner->problem, "range %" PRId64 " .. %" PRId64 " of coordinate %" PRIu32,
               shown(range.first), shown(range.last), d + 1);
    if (to->coeff == 1 && to->offset == 0)
        str_append(&planner->problem, " leaves its extent,");
    else
        str_printf(&planner->problem, " reaches %" PRId64 ", beyond its extent,",
                   shown(fits ? other : one));
    str_printf(&planner->problem, " %" PRIu64, planner->dst.extent[d]);
    return false;
}

/* The range of the destination; false if it leaves the extents. */
static bool first_box(struct planner *planner, struct box *box) {
    bool empty = false, inside = true;
    for (uint32_t d = 0; d < planner->dst.dims; d++) {
        struct index_range r = range_of(planner, d);
        bool some = r.last > r.first;
        empty |= !some;
        inside = inside && (!some || range_inside(planner, d, r));
        box->first[d] = r.first;
        box->count[d] = some ? (uint64_t)(r.last - r.first) : 0;
    }
    if (empty) {
        str_clear(&planner->problem);
        box->count[0] = 0;
    }
    return empty || inside;
}

/* ---- boxes to pieces ---- */

static void piece_axis(const struct planner *planner, uint32_t d, const struct box *box,
                       struct move_axis *axis) {
    wide src = 0, src_reg = 0;
    for (uint32_t c = 0; c < planner->src.dims; c++) {
        if (box->beyond[c])
            continue;
        src += planner->form[c].coeff[d] * planner->src.stride[c];
        src_reg += planner->form[c].coeff[d] * planner->src.reg[c];
    }
    *axis = (struct move_axis){
        box->count[d], (int64_t)(planner->to[d].coeff * planner->dst.stride[d]), (int64_t)src,
        (int32_t)(planner->to[d].coeff * planner->dst.reg[d]), (int32_t)src_reg};
}

static struct move_axis repeat_axis(const struct planner *planner, uint32_t d,
                                    const struct box *box) {
    wide step = planner->to[d].coeff * (wide)box->period[d];
    return (struct move_axis){.count = box->repeats[d],
                              .dst = (int64_t)(step * planner->dst.stride[d]),
                              .dst_reg = (int32_t)(step * planner->dst.reg[d])};
}

/* A step of `outer` is as long as all steps of `inner`, on both sides. */
static bool joins(const struct move_axis *outer, const struct move_axis *inner) {
    int64_t n = (int64_t)inner->count;
    return outer->dst == inner->dst * n && outer->src == inner->src * n &&
           outer->dst_reg == inner->dst_reg * n && outer->src_reg == inner->src_reg * n;
}

/* Joins one pair of axes that go on one from the other; false if there is none. */
static bool join_pair(struct move_piece *piece) {
    for (uint32_t i = 0; i < piece->axes; i++)
        for (uint32_t k = 0; k < piece->axes; k++) {
            if (i == k || !joins(&piece->axis[i], &piece->axis[k]))
                continue;
            piece->axis[k].count *= piece->axis[i].count;
            memmove(&piece->axis[i], &piece->axis[i + 1],
                    (piece->axes - i - 1) * sizeof piece->axis[0]);
            piece->axes--;
            return true;
        }
    return false;
}

static uint64_t step_size(int64_t left, int64_t right) {
    uint64_t x = left < 0 ? (uint64_t)-left : (uint64_t)left,
             y = right < 0 ? (uint64_t)-right : (uint64_t)right;
    return x > y ? x : y;
}

/* Innermost is the axis that stays longest in one register of one VRF on both sides: no change of
 * register, then the smallest steps. */
static bool outer_than(const struct move_axis *left, const struct move_axis *right) {
    bool registers_a = left->dst_reg || left->src_reg,
         registers_b = right->dst_reg || right->src_reg;
    if (registers_a != registers_b)
        return registers_a;
    return step_size(left->dst, left->src) > step_size(right->dst, right->src);
}

static void order_axes(struct move_piece *piece) {
    for (uint32_t i = 1; i < piece->axes; i++)
        for (uint32_t k = i; k > 0 && outer_than(&piece->axis[k], &piece->axis[k - 1]); k--) {
            struct move_axis swapped = piece->axis[k];
            piece->axis[k] = piece->axis[k - 1];
            piece->axis[k - 1] = swapped;
        }
}

static wide value_at(const struct planner *planner, uint32_t c, const struct box *box) {
    wide v = planner->form[c].offset - box->less[c];
    if (box->beyond[c])
        return box->beyond[c] < 0 ? 0 : (wide)planner->src.extent[c] - 1;
    for (uint32_t d = 0; d < planner->dst.dims; d++)
        v += planner->form[c].coeff[d] * box->first[d];
    return v;
}

static void add_piece(struct planner *planner, const struct box *box, bool fill) {
    struct move_piece x = {.fill = fill};
    wide src = 0, src_reg = 0;
    for (uint32_t d = 0; d < planner->dst.dims; d++) {
        wide at = planner->to[d].coeff * box->first[d] + planner->to[d].offset;
        x.dst += (uint64_t)(at * planner->dst.stride[d]);
        x.dst_reg += (uint32_t)(at * planner->dst.reg[d]);
        if (box->count[d] > 1)
            piece_axis(planner, d, box, &x.axis[x.axes++]);
        if (box->repeats[d] > 1)
            x.axis[x.axes++] = repeat_axis(planner, d, box);
    }
    for (uint32_t c = 0; !fill && c < planner->src.dims; c++) {
        src += value_at(planner, c, box) * planner->src.stride[c];
        src_reg += value_at(planner, c, box) * planner->src.reg[c];
    }
    for (uint32_t i = 0; fill && i < x.axes; i++)
        x.axis[i].src = x.axis[i].src_reg = 0;
    x.src = (uint64_t)src;
    x.dst_reg += planner->m->dst_reg;
    x.src_reg = fill ? 0 : planner->m->src_reg + (uint32_t)src_reg;
    while (join_pair(&x)) {
    }
    order_axes(&x);
    vec_push(&planner->pieces, x);
}

/* ---- cutting ---- */

static void limits(const struct planner *planner, const struct box *box, uint32_t c, wide *low,
                   wide *high) {
    *low = *high = value_at(planner, c, box);
    for (uint32_t d = 0; d < planner->dst.dims; d++) {
        wide reach = planner->form[c].coeff[d] * (wide)(box->count[d] - 1);
        *(reach < 0 ? low : high) += reach;
    }
}

/* The period of its extent in which a source coordinate lies; without a wrap all below 0 are one
 * and all beyond the extent another. */
static wide period(const struct planner *planner, uint32_t c, wide value) {
    wide e = (wide)planner->src.extent[c];
    if (planner->m->outside == MOVE_WRAP)
        return floor_div(value, e);
    return value < 0 ? -1 : value >= e;
}

/* How many steps of `step`, at least one and at most `most`, value stays in its period. */
static uint64_t steps_inside(const struct planner *planner, uint32_t c, wide value, wide step,
                             uint64_t most) {
    wide e = (wide)planner->src.extent[c], q = period(planner, c, value), n;
    bool wraps = planner->m->outside == MOVE_WRAP;
    if (step > 0 ? !wraps && q > 0 : !wraps && q < 0)
        return most; /* it goes on away from the extent */
    if (step > 0)
        n = floor_div(e * (q + 1) - 1 - value, step) + 1;
    else
        n = floor_div(value - e * q, -step) + 1;
    return n < (wide)most ? (uint64_t)n : most;
}

static bool cut(struct planner *planner, struct box *box, uint32_t c);

/* Steps of coordinate d after which source coordinate c is where it was, modulo its extent, as is
 * every other; 0 if there is no such number. */
static uint64_t wrap_period(const struct planner *planner, const struct box *box, uint32_t c,
                            uint32_t d) {
    uint64_t e = planner->src.extent[c];
    wide step = planner->form[c].coeff[d];
    if (planner->m->outside != MOVE_WRAP || box->repeats[d])
        return 0;
    for (uint32_t other = 0; other < planner->src.dims; other++)
        if (other != c && planner->form[other].coeff[d])
            return 0;
    return e / common_divisor(e, (uint64_t)(step < 0 ? -step : step));
}

/* Many times round a short extent: one time and how often, then what is left. */
static bool cut_repeats(struct planner *planner, const struct box *box, uint32_t c, uint32_t d,
                        uint64_t steps) {
    struct box once = *box, rest = *box;
    once.count[d] = once.period[d] = steps;
    once.repeats[d] = box->count[d] / steps;
    rest.first[d] += (wide)(once.repeats[d] * steps);
    rest.count[d] -= once.repeats[d] * steps;
    return cut(planner, &once, c) && (rest.count[d] == 0 || cut(planner, &rest, c));
}

/* Coordinate c depends on coordinate d alone: one box for each period. */
static bool cut_along(struct planner *planner, const struct box *box, uint32_t c, uint32_t d) {
    uint64_t done = 0, steps = wrap_period(planner, box, c, d);
    if (steps && box->count[d] / steps > 1)
        return cut_repeats(planner, box, c, d, steps);
    while (done < box->count[d]) {
        struct box part = *box;
        part.first[d] += (wide)done;
        part.count[d] = steps_inside(planner, c, value_at(planner, c, &part),
                                     planner->form[c].coeff[d], box->count[d] - done);
        done += part.count[d];
        if (!cut(planner, &part, c))
            return false;
    }
    return true;
}

/* One box for each value of coordinate d. */
static bool cut_each(struct planner *planner, const struct box *box, uint32_t c, uint32_t d) {
    for (uint64_t i = 0; i < box->count[d]; i++) {
        struct box part = *box;
        part.first[d] += (wide)i;
        part.count[d] = 1;
        if (!cut(planner, &part, c))
            return false;
    }
    return true;
}

/* Of the destination's coordinates that c depends on, and that vary: how many, and the one with
 * the fewest values. */
static uint32_t dependences(const struct planner *planner, const struct box *box, uint32_t c,
                            uint32_t *fewest) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < planner->dst.dims; d++) {
        if (box->count[d] < 2 || planner->form[c].coeff[d] == 0)
            continue;
        if (n == 0 || box->count[d] < box->count[*fewest])
            *fewest = d;
        n++;
    }
    return n;
}

/* Cuts box until source coordinates c and above lie in one period each. */
static bool cut(struct planner *planner, struct box *box, uint32_t c) {
    if (++planner->boxes > MAX_BOXES || planner->pieces.len == MAX_PIECES) {
        str_printf(&planner->problem,
                   "coordinates fall into more than %zu pieces, for which the host "
                   "has no room",
                   MAX_PIECES);
        return false;
    }
    for (; c < planner->src.dims; c++) {
        wide low, high;
        uint32_t d = 0;
        limits(planner, box, c, &low, &high);
        wide q = period(planner, c, low);
        if (q != period(planner, c, high))
            return dependences(planner, box, c, &d) == 1 ? cut_along(planner, box, c, d)
                                                         : cut_each(planner, box, c, d);
        if (q && planner->m->outside == MOVE_CLIP) {
            box->beyond[c] = (int8_t)q;
            continue;
        }
        if (q && planner->m->outside != MOVE_WRAP) {
            if (planner->m->outside == MOVE_FILL)
                add_piece(planner, box, true);
            return true;
        }
        box->less[c] = q * (wide)planner->src.extent[c];
    }
    add_piece(planner, box, false);
    return true;
}

/* ---- the plan ---- */

static void find_sides(struct planner *planner) {
    find_destination(planner);
    find_source(planner);
}

static bool run_planner(struct planner *planner) {
    struct box b = {0};
    find_sides(planner);
    if (!first_box(planner, &b))
        return false;
    for (uint32_t d = 0; d < planner->dst.dims; d++)
        if (b.count[d] == 0)
            return true;
    return cut(planner, &b, 0);
}

bool package_move_plan(const struct object *object, const int64_t *sizes, uint32_t move,
                       const uint64_t *laps, struct arena *arena, struct move_plan *out,
                       struct str *problem) {
    const struct move near = object_move_from_near(&object->moves.data[move]);
    struct planner p = {.o = object, .sizes = sizes, .laps = laps, .m = &near};
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
static bool decides(const struct planner *planner, uint32_t indexed, uint32_t d) {
    for (uint32_t c = 0; c < planner->src.dims; c++)
        if (c != indexed && planner->form[c].coeff[d])
            return true;
    return false;
}

static void find_own_place(const struct planner *planner, uint32_t indexed,
                           struct indexed_coordinate *out) {
    uint64_t weight = 1;
    out->own_is_register = out->reg && planner->dst.dims && planner->dst.reg[planner->dst.dims - 1];
    for (uint32_t d = planner->dst.dims; d-- > 0;) {
        if (planner->dst.reg[d] || out->reg || decides(planner, indexed, d))
            continue;
        out->own[out->own_count++] = (struct own_coordinate){
            planner->dst.extent[d], (uint64_t)planner->dst.stride[d], weight};
        weight *= planner->dst.extent[d];
    }
}

struct indexed_coordinate package_move_indexed_coordinate(const struct object *object,
                                                          const int64_t *sizes, uint32_t move) {
    const struct move near = object_move_from_near(&object->moves.data[move]);
    static const uint64_t first[MOVE_MAX_LAPS]; /* what is looked for is the same in every lap */
    struct planner p = {.o = object, .sizes = sizes, .laps = first, .m = &near};
    find_sides(&p);
    uint32_t shared = p.src.dims - object_move_dims(object, near.src_group, near.src_has_k);
    uint32_t c = shared + near.index.coordinate;
    struct indexed_coordinate x = {
        .extent = p.src.extent[c], .stride = p.src.stride[c], .reg = p.src.reg[c]};
    find_own_place(&p, c, &x);
    return x;
}

bool package_move_range_fits(const struct object *object, const int64_t *sizes, uint32_t move,
                             const uint64_t *laps, struct str *problem) {
    const struct move near = object_move_from_near(&object->moves.data[move]);
    struct planner p = {.o = object, .sizes = sizes, .laps = laps, .m = &near};
    struct box b = {0};
    find_destination(&p);
    bool fits = first_box(&p, &b);
    str_append(problem, str_text(&p.problem));
    str_free(&p.problem);
    return fits;
}

static void refuse_move(struct pack *pack, const struct move *move, const char *format,
                        const char *what) {
    diag_error(pack->d, object_span(pack->program, move->place, pack->d), format, move->name, what);
}

/* What the machine cannot do of a move that was planned. */
static void try_copies(struct pack *pack, uint32_t index) {
    const struct move *m = &pack->program->moves.data[index];
    struct arena arena = {0};
    struct move_work work;
    const char *problem;
    if (pack->p->slices || pack->t->buffer_registers) /* no GMOVE asks for it; all can be */
        return;
    bool made =
        package_move_work(pack->p, pack->program, index, NULL, pack->t, &arena, &work, &problem);
    if (!made && m->laps)
        ; /* a lap that cannot be is found by link_check_steps */
    else if (!made)
        refuse_move(pack, m, "move '%s' cannot be carried out: %s", problem);
    else if (work.maps_lanes)
        refuse_move(pack, m,
                    "move '%s' needs the buffer of the data-transfer controller, which target '%s' "
                    "does not have (dtc.buffer_registers is 0)",
                    pack->t->name);
    arena_free(&arena);
}

void package_build_moves(struct pack *pack) {
    const struct object *o = pack->program;
    struct move_plan *plans = ARENA_ARRAY(&pack->p->arena, o->moves.len, struct move_plan);
    pack->p->plans = plans;
    pack->p->plan_count = o->moves.len;
    for (uint32_t i = 0; i < o->moves.len && !diag_full(pack->d); i++) {
        struct str problem = {0};
        if (package_move_unplaced(pack->p, o, i))
            continue;
        if (o->moves.data[i].laps ||
            package_move_plan(o, pack->p->sizes, i, NULL, &pack->p->arena, &plans[i], &problem))
            try_copies(pack, i);
        else
            refuse_move(pack, &o->moves.data[i], "move '%s' cannot be carried out: its %s",
                        str_text(&problem));
        str_free(&problem);
    }
    link_check_steps(pack);
}

/* ---- map files ---- */

#define SHOWN_COPIES 8

static void print_register(const struct package *package, uint32_t vrf, unsigned reg,
                           struct str *out) {
    uint32_t per = package->vrf_per_rfh * package->rfh_per_mpu;
    if (package->mpus > 1)
        str_printf(out, "MPU%" PRIu32 ".", vrf / per);
    str_printf(out, "RFH%" PRIu32 ".VRF%" PRIu32 " r%u", vrf % per % package->rfh_per_mpu,
               vrf % per / package->rfh_per_mpu, reg);
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

static void print_copy(const struct package *package, const struct move_copy *copy,
                       struct str *out) {
    str_append(out, "    ");
    print_register(package, copy->dst_vrf, copy->dst_reg, out);
    print_lanes(copy->dst_lane, copy->dst_step, copy->count, out);
    str_append(out, " = ");
    if (copy->fill)
        str_append(out, "the constant");
    else {
        print_register(package, copy->src_vrf, copy->src_reg, out);
        print_lanes(copy->src_lane, copy->src_step, copy->count, out);
    }
    str_char(out, '\n');
}

/* The first ones. */
static void print_copies(const struct package *package, const struct move_work *work,
                         struct str *out) {
    struct move_part part = {0};
    size_t shown = 0;
    while (shown < SHOWN_COPIES && package_move_next_part(work, &part))
        for (size_t i = 0; i < part.count && shown < SHOWN_COPIES; i++, shown++)
            print_copy(package, &part.copies[i], out);
    package_move_part_free(&part);
}

static void print_work(const struct package *package, const struct move *move,
                       const struct move_work *work, struct str *out) {
    uint64_t registers = 0;
    for (size_t i = 0; i < work->charge_count; i++)
        registers += work->charges[i].registers + work->charges[i].index_registers;
    if (move->index.kind) {
        str_printf(out,
                   "  move %s%s: pieces %zu, registers %" PRIu64
                   " if each index names its own place, MPUs %zu\n",
                   move->name, move->laps ? " in the first iteration" : "", work->piece_count,
                   registers, work->mpu_count);
        return;
    }
    str_printf(out,
               "  move %s%s: pieces %zu, copies %" PRIu64 ", registers %" PRIu64 ", MPUs %zu\n",
               move->name, move->laps ? " in the first iteration" : "", work->piece_count,
               work->copy_count, registers, work->mpu_count);
    print_copies(package, work, out);
    if (work->copy_count > SHOWN_COPIES)
        str_printf(out, "    and %" PRIu64 " more\n", work->copy_count - SHOWN_COPIES);
}

void package_print_moves(const struct package *package, const struct object *program,
                         const struct target *target, struct str *out) {
    for (uint32_t i = 0; i < package->plan_count; i++) {
        struct arena arena = {0};
        struct move_work work;
        const char *problem;
        if (package_move_work(package, program, i, NULL, target, &arena, &work, &problem))
            print_work(package, &program->moves.data[i], &work, out);
        arena_free(&arena);
    }
}
