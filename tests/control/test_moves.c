/* SPDX-License-Identifier: MIT
 * Random moves, some with an index, against a loop over their elements, on golden and on the strict
 * engine: everything that the machine holds is compared, lanes without an element and the other
 * registers too.  Some are in REPEATs, and their numbers grow with the laps; of some the copies
 * come part after part. */
#include "tests/draws.h"
#include "machines/plane/run/plane.h"
#include "asm/builder.h"
#include "emu/control/control.h"
#include "linker/linker.h"
#include "support/bits.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

enum { MACHINES = 5, MOVES = 3, MOST_LAPS = 3 };

/* Few VRFs of odd sizes, so that most moves cross them. */
static const struct target_override sizes_of_machines[MACHINES][4] = {
    {{"array.lanes", "5"},
     {"machine.rfh_per_mpu", "2"},
     {"machine.vrf_per_rfh", "3"},
     {"machine.mpus", "9"}},
    {{"array.lanes", "64"},
     {"machine.rfh_per_mpu", "3"},
     {"machine.vrf_per_rfh", "4"},
     {"machine.mpus", "4"}},
    {{"array.lanes", "8"},
     {"machine.rfh_per_mpu", "1"},
     {"machine.vrf_per_rfh", "64"},
     {"machine.mpus", "2"}},
    {{"array.lanes", "130"},
     {"machine.rfh_per_mpu", "2"},
     {"machine.vrf_per_rfh", "8"},
     {"machine.mpus", "3"}},
    {{"array.lanes", "12"},
     {"machine.rfh_per_mpu", "2"},
     {"machine.vrf_per_rfh", "5"},
     {"machine.mpus", "6"}},
};
static const char *const names_of_machines[MACHINES] = {"racer", "racer", "racer", "racer",
                                                        "pypim"};

struct bench {
    struct target *targets[MACHINES];
    struct machine_library *recipes[MACHINES];
};

static int open_bench(void **state) {
    struct bench *b = xcalloc(1, sizeof *b);
    struct diag *d = diag_new(NULL, NULL);
    for (int i = 0; i < MACHINES; i++) {
        b->targets[i] = target_open(names_of_machines[i], sizes_of_machines[i], 4, d);
        if (!b->targets[i])
            fail_msg("%s", diag_first(d));
        b->recipes[i] = machine_library_open(b->targets[i], NULL, 0, d);
        assert_non_null(b->recipes[i]);
    }
    diag_free(d);
    *state = b;
    return 0;
}

static int close_bench(void **state) {
    struct bench *b = *state;
    for (int i = 0; i < MACHINES; i++) {
        machine_library_close(b->recipes[i]);
        target_free(b->targets[i]);
    }
    free(b);
    return 0;
}

/* ---- drawing programs ---- */

enum { GIVEN = 2, SIZES = 4 }; /* the others are derived */

/* REPEATs around a move, the innermost first; those that are not there go round once. */
struct nest {
    uint32_t depth, count[MOVE_MAX_LAPS];
};

static uint64_t laps_of(const struct nest *n) {
    uint64_t all = 1;
    for (uint32_t i = 0; i < n->depth; i++)
        all *= n->count[i];
    return all;
}

/* The counters in a lap. */
static void counters_of(const struct nest *n, uint64_t lap, int64_t *counters) {
    for (uint32_t i = 0; i < MOVE_MAX_LAPS; i++) {
        counters[i] = i < n->depth ? (int64_t)(lap % n->count[i]) : 0;
        lap /= i < n->depth ? n->count[i] : 1;
    }
}

static int64_t grown(const struct move *m, enum move_form form, uint32_t d,
                     const int64_t *counters) {
    int64_t sum = 0;
    for (uint32_t n = 0; m->laps && n < MOVE_MAX_LAPS; n++)
        sum += m->laps->coeff[form][d][n] * counters[n];
    return sum;
}

struct maker {
    struct nest *nests; /* [MOVES] */
    struct builder *b;
    uint64_t seed;
    int64_t size_value[SIZES];
    bool has_fixed; /* a group has a place: two of them could lie on top of each other */
};

static uint32_t pick(struct maker *m, uint32_t n) {
    return (uint32_t)(splitmix64(&m->seed) % n);
}

static uint64_t extent_value(const struct maker *m, const struct extent *e) {
    return e->size == NO_INDEX ? e->value : (uint64_t)m->size_value[e->size];
}

static struct extent draw_extent(struct maker *m, uint32_t most) {
    struct extent e = {NO_INDEX, 1 + pick(m, most)};
    uint32_t size = pick(m, SIZES);
    if (pick(m, 3) == 0 && m->size_value[size] >= 1 && m->size_value[size] <= 9)
        e = (struct extent){size, 0};
    return e;
}

static void draw_place(struct maker *m, uint32_t g, struct group *x) {
    if (g && pick(m, 4) == 0) {
        x->like = pick(m, g);
        x->per_mpu = builder_object(m->b)->groups.data[x->like].per_mpu;
    } else if (!m->has_fixed && pick(m, 5) == 0) {
        m->has_fixed = true;
        x->at_rfh = pick(m, 2);
        x->at_vrf = pick(m, 2);
    }
}

/* A row of MPUs, rows and columns, or none; a program's fixed VRFs have 5 lanes. */
static void draw_geometry(struct maker *m) {
    struct geometry *g = &builder_object(m->b)->geometry;
    *g = (struct geometry){.lanes = 5, .vrfs = 64, .rfhs = 2, .grid_dims = pick(m, 3)};
    for (uint32_t d = 0; d < g->grid_dims; d++)
        g->grid[d] = 1 + pick(m, 4 - g->grid_dims);
}

static void draw_groups(struct maker *m) {
    static const uint32_t most[] = {60, 8, 5};
    for (uint32_t g = 0, n = 1 + pick(m, 3); g < n; g++) {
        char name[16];
        struct group x = {.name = name,
                          .ndim = 1 + pick(m, 3),
                          .like = NO_INDEX,
                          .at_rfh = NO_INDEX,
                          .at_vrf = NO_INDEX,
                          .place = {NO_INDEX, 0, 0}};
        snprintf(name, sizeof name, "g%u", g);
        x.per_mpu = builder_object(m->b)->geometry.grid_dims && pick(m, 2);
        for (uint32_t d = 0; d < x.ndim; d++)
            x.extent[d] = draw_extent(m, most[x.ndim - 1] / (x.per_mpu ? 2 : 1));
        draw_place(m, g, &x);
        builder_group(m->b, &x);
    }
}

/* Extents of a side, its register index included. */
static uint32_t side_extents(const struct maker *m, uint32_t group, bool has_k, uint8_t count,
                             uint64_t *extent) {
    const struct object *o = builder_object(m->b);
    uint32_t n = 0;
    bool per_mpu = group != NO_INDEX && o->groups.data[group].per_mpu;
    for (uint32_t d = 0; per_mpu && d < o->geometry.grid_dims; d++)
        extent[n++] = o->geometry.grid[d];
    for (uint32_t d = 0; group != NO_INDEX && d < o->groups.data[group].ndim; d++)
        extent[n++] = extent_value(m, &o->groups.data[group].extent[d]);
    if (has_k)
        extent[n++] = count;
    return n;
}

/* A number as offset + coefficient * size. */
static void draw_number(struct maker *m, int64_t value, int64_t *offset, uint32_t *size,
                        int64_t *size_coeff) {
    *offset = value;
    *size_coeff = pick(m, 3) ? 0 : (int64_t)pick(m, 5) - 2;
    *size = pick(m, SIZES);
    *offset -= *size_coeff * m->size_value[*size];
}

static void draw_range(struct maker *m, struct move *v, uint32_t dims, const uint64_t *extent) {
    for (uint32_t d = 0; d < dims; d++) {
        if (pick(m, 3))
            continue;
        uint64_t first = pick(m, (uint32_t)extent[d] + 1);
        uint64_t last = first + pick(m, (uint32_t)(extent[d] - first) + 1);
        v->bounded |= (uint8_t)(1u << d);
        draw_number(m, (int64_t)first, &v->first[d].offset, &v->first[d].size,
                    &v->first[d].size_coeff);
        draw_number(m, (int64_t)last, &v->last[d].offset, &v->last[d].size, &v->last[d].size_coeff);
    }
}

/* Mostly one coordinate, straight, back or by a stride; else a sum of several. */
static void draw_source(struct maker *m, struct move *v, uint32_t dst_dims, uint32_t src_dims,
                        const uint64_t *extent) {
    for (uint32_t c = 0; c < src_dims; c++) {
        struct move_affine *a = &v->source[c];
        int64_t reach = (int64_t)extent[c];
        for (uint32_t d = 0, n = pick(m, 8) ? 1 : 2; dst_dims && d < n; d++)
            a->coeff[pick(m, 3) ? c % dst_dims : pick(m, dst_dims)] =
                pick(m, 3) ? 1 : (int64_t)pick(m, 7) - 3;
        int64_t at = pick(m, 3) ? 0 : (int64_t)pick(m, (uint32_t)(3 * reach)) - reach;
        if (pick(m, 4) == 0)
            at = reach - 1;
        draw_number(m, at, &a->offset, &a->size, &a->size_coeff);
    }
}

/* Registers 0 to 11, so that sources and destinations often overlap. */
static void draw_registers(struct maker *m, uint8_t *reg, uint8_t *count, bool *has_k) {
    *reg = (uint8_t)pick(m, 8);
    *has_k = pick(m, 3) == 0;
    *count = *has_k ? (uint8_t)(1 + pick(m, 4)) : 1;
}

static void draw_strides(struct maker *m, struct move *v, uint32_t dims) {
    for (uint32_t d = 0; d < dims; d++) {
        struct move_bound offset = {.size = NO_INDEX};
        int64_t coeff = (int64_t)pick(m, 7) - 3;
        if (pick(m, 2))
            continue;
        draw_number(m, (int64_t)pick(m, 12) - 3, &offset.offset, &offset.size, &offset.size_coeff);
        object_move_set_stride(v, d, coeff ? coeff : 1, &offset, &builder_object(m->b)->arena);
    }
}

static void draw_laps(struct maker *m, struct move *v, const struct nest *nest, uint32_t dst_dims,
                      uint32_t src_dims) {
    for (uint32_t f = 0; f < MOVE_FORMS; f++)
        for (uint32_t d = 0; d < (f == MOVE_SOURCE ? src_dims : dst_dims); d++) {
            int64_t coeff[MOVE_MAX_LAPS] = {0};
            for (uint32_t n = 0; n < nest->depth; n++)
                coeff[n] = pick(m, 2) ? (int64_t)pick(m, 5) - 2 : 0;
            if (pick(m, 2) && (f > MOVE_LAST || v->bounded >> d & 1))
                object_move_set_laps(v, (enum move_form)f, d, coeff, &builder_object(m->b)->arena);
        }
}

static int64_t drawn(const struct maker *m, const struct move_bound *b) {
    return b->offset + (b->size_coeff ? b->size_coeff * (int64_t)m->size_value[b->size] : 0);
}

/* False if the range that was drawn leaves the destination in this lap. */
static bool fits_in(const struct maker *m, const struct move *v, uint32_t dims,
                    const uint64_t *extent, const int64_t *counters) {
    bool empty = false, fits = true;
    for (uint32_t d = 0; d < dims; d++) {
        if (!(v->bounded >> d & 1))
            continue;
        int64_t first = drawn(m, &v->first[d]) + grown(v, MOVE_FIRST, d, counters);
        int64_t last = drawn(m, &v->last[d]) + grown(v, MOVE_LAST, d, counters);
        empty |= last <= first;
        for (int64_t i = first; i < last; i++) {
            int64_t at = (v->strides ? v->strides->coeff[d] : 1) * i +
                         (v->strides ? drawn(m, &v->strides->offset[d]) : 0) +
                         grown(v, MOVE_STRIDE, d, counters);
            fits &= at >= 0 && at < (int64_t)extent[d];
        }
    }
    return empty || fits;
}

/* A range that leaves the destination in some lap makes room for the whole one, unless another
 * range is empty then; the caller draws again. */
static bool fits_always(const struct maker *m, const struct move *v, const struct nest *nest,
                        uint32_t dims, const uint64_t *extent) {
    bool fits = true;
    for (uint64_t lap = 0; lap < laps_of(nest); lap++) {
        int64_t counters[MOVE_MAX_LAPS];
        counters_of(nest, lap, counters);
        fits &= fits_in(m, v, dims, extent, counters);
    }
    return fits;
}

static void draw_nest(struct maker *m, struct nest *nest) {
    nest->depth = pick(m, 2) ? 0 : 1 + pick(m, 3);
    for (uint32_t n = 0; n < nest->depth; n++)
        nest->count[n] = 1 + pick(m, MOST_LAPS);
}

/* Strides, laps and ranges that stay inside. */
static void draw_steps(struct maker *m, struct move *v, const struct nest *nest, uint32_t dst_dims,
                       uint32_t src_dims, const uint64_t *extent) {
    bool strided = pick(m, 2), stepped = nest->depth && pick(m, 4);
    for (unsigned tries = 0; tries < 20; tries++) {
        v->bounded = 0;
        v->strides = NULL;
        v->laps = NULL;
        draw_range(m, v, dst_dims, extent);
        if (strided)
            draw_strides(m, v, dst_dims);
        if (stepped)
            draw_laps(m, v, nest, dst_dims, src_dims);
        if (fits_always(m, v, nest, dst_dims, extent))
            return;
    }
    v->bounded = 0;
    v->laps = NULL;
}

static bool has_laps(const struct move *v, uint32_t source) {
    bool has = false;
    for (uint32_t n = 0; v->laps && n < MOVE_MAX_LAPS; n++)
        has |= v->laps->coeff[MOVE_SOURCE][source][n] != 0;
    return has;
}

/* A coordinate of the source in registers of few bits, so that many name something; `v` is drawn
 * as a gather, and some become scatters. */
static void draw_index(struct maker *m, struct move *v, uint32_t src_dims) {
    struct move_index *x = &v->index;
    if (v->dst_group == NO_INDEX || src_dims == 0 || pick(m, 2))
        return;
    x->kind = v->src_group != NO_INDEX && pick(m, 2) ? INDEX_SCATTER : INDEX_GATHER;
    x->coordinate = (uint8_t)pick(m, src_dims);
    if (has_laps(v, x->coordinate)) {
        *x = (struct move_index){0};
        return;
    }
    x->reg = (uint8_t)pick(m, 8);
    x->follows = v->dst_has_k && pick(m, 2);
    x->type = (struct lane_type){pick(m, 2) ? TYPE_INT : TYPE_UINT, (uint8_t)(2 + pick(m, 6))};
    v->source[x->coordinate] = (struct move_affine){.size = NO_INDEX};
    v->outside = (enum move_outside)(pick(m, 4));
    if (x->kind != INDEX_SCATTER)
        return;
    *v = object_move_from_near(v); /* which exchanges the sides */
    v->outside = v->outside == MOVE_FILL ? MOVE_CLIP : v->outside;
}

static void draw_move(struct maker *m, struct nest *nest) {
    uint32_t groups = (uint32_t)builder_object(m->b)->groups.len;
    uint64_t dst[MOVE_MAX_DIMS], src[MOVE_MAX_DIMS];
    struct move v = {.dst_group = pick(m, 8) ? pick(m, groups) : NO_INDEX,
                     .src_group = pick(m, 8) ? pick(m, groups) : NO_INDEX,
                     .width = (uint8_t)(1 + pick(m, 20)),
                     .outside = (enum move_outside)pick(m, 3),
                     .fill = splitmix64(&m->seed)};
    draw_registers(m, &v.dst_reg, &v.dst_count, &v.dst_has_k);
    draw_registers(m, &v.src_reg, &v.src_count, &v.src_has_k);
    uint32_t dst_dims = side_extents(m, v.dst_group, v.dst_has_k, v.dst_count, dst);
    uint32_t src_dims = side_extents(m, v.src_group, v.src_has_k, v.src_count, src);
    draw_nest(m, nest);
    draw_steps(m, &v, nest, dst_dims, src_dims, dst);
    draw_source(m, &v, dst_dims, src_dims, src);
    draw_index(m, &v, src_dims);
    for (uint32_t n = nest->depth; n-- > 0;)
        builder_repeat(m->b, (struct extent){NO_INDEX, nest->count[n]});
    builder_gmove(m->b, builder_gmove_record(m->b, &v));
    for (uint32_t n = nest->depth; n-- > 0;)
        builder_plain(m->b, OP_REPEAT_END);
}

static int64_t floor_of(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

/* A derived size, and its value by the host's arithmetic. */
static void draw_derived(struct maker *m, uint32_t i) {
    uint32_t a = pick(m, i), op = DERIVE_ADD + pick(m, 6);
    int64_t x = m->size_value[a], y = (int64_t)pick(m, 9) - 4;
    y = y ? y : 7;
    const int64_t values[] = {0, x + y, x - y, x * y, floor_of(x, y), x < y ? x : y, x > y ? x : y};
    uint32_t size = builder_derived(m->b, (enum size_op)op, (struct size_operand){a, 0},
                                    (struct size_operand){NO_INDEX, y});
    if (size < i)
        builder_size(m->b, &(struct size_decl){.name = "again",
                                               .op = DERIVE_ADD,
                                               .left = {size, 0},
                                               .right = {NO_INDEX, 0},
                                               .place = {NO_INDEX, 0, 0}});
    assert_true(size == i || m->size_value[size] == values[op]); /* the same formula */
    m->size_value[i] = values[op];
}

static struct object *draw_program(uint64_t seed, struct nest *nests, struct diag *d) {
    static const char *const names[] = {"n", "m"};
    struct maker m = {.nests = nests, .b = builder_new(d), .seed = seed};
    for (int i = 0; i < GIVEN; i++) {
        m.size_value[i] = 1 + pick(&m, 9);
        builder_size(m.b, &(struct size_decl){.name = names[i],
                                              .has_default = true,
                                              .value = (uint64_t)m.size_value[i],
                                              .place = {NO_INDEX, 0, 0}});
    }
    for (uint32_t i = GIVEN; i < SIZES; i++)
        draw_derived(&m, i);
    draw_geometry(&m);
    draw_groups(&m);
    /* Registers have more bits than the moves use. */
    for (uint8_t r = 0; r < 12; r++) {
        char name[16];
        snprintf(name, sizeof name, "r_%u", r);
        builder_variable(m.b, &(struct variable){.name = name,
                                                 .type = {TYPE_UINT, (uint8_t)(12 + r)},
                                                 .count = 1,
                                                 .group = NO_INDEX,
                                                 .reg = r,
                                                 .place = {NO_INDEX, 0, 0}});
    }
    for (uint32_t i = 0, n = 1 + pick(&m, MOVES); i < n; i++)
        draw_move(&m, &m.nests[i]);
    builder_plain(m.b, OP_HALT);
    struct object *o = builder_finish(m.b);
    const struct link_options link = {0};
    const struct object *const inputs[] = {o};
    struct object *linked = o ? link_objects(inputs, 1, &link, d) : NULL;
    object_free(o);
    return linked;
}

/* ---- what the program should do ---- */

/* Values of all lanes: [vrf][register][lane]. */
struct contents {
    uint32_t vrfs, lanes;
    uint64_t *values;
};

static uint64_t *cell(const struct contents *x, uint32_t vrf, unsigned reg, uint32_t lane) {
    return &x->values[((size_t)vrf * 64 + reg) * x->lanes + lane];
}

static struct contents contents_new(const struct package *p) {
    struct contents x = {p->mpus * p->vrf_per_rfh * p->rfh_per_mpu, p->lanes, NULL};
    x.values = xcalloc((size_t)x.vrfs * 64 * x.lanes, sizeof *x.values);
    return x;
}

static void locate(const struct package *p, uint32_t group, uint64_t element, uint32_t *vrf,
                   uint32_t *lane) {
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->group != group || element < x->first || element - x->first >= x->count)
            continue;
        *vrf = (x->mpu * p->vrf_per_rfh + x->vrf) * p->rfh_per_mpu + x->rfh;
        *lane = (uint32_t)(element - x->first);
        return;
    }
    fail_msg("group %u has no element %" PRIu64, group, element);
}

struct walk {
    const struct object *o;
    const struct package *p;
    const struct move *m; /* from its near side */
    const struct contents *before;
    struct contents *after;
    const int64_t *counters; /* of the lap */
    uint32_t dst_dims, src_dims;
    uint64_t dst_extent[MOVE_MAX_DIMS], src_extent[MOVE_MAX_DIMS];
};

static uint32_t extents_of(const struct walk *w, uint32_t group, bool has_k, uint8_t count,
                           uint64_t *extent) {
    uint32_t n = 0;
    bool per_mpu = group != NO_INDEX && w->o->groups.data[group].per_mpu;
    for (uint32_t d = 0; per_mpu && d < w->o->geometry.grid_dims; d++)
        extent[n++] = w->o->geometry.grid[d];
    for (uint32_t d = 0; group != NO_INDEX && d < w->o->groups.data[group].ndim; d++) {
        const struct extent *e = &w->o->groups.data[group].extent[d];
        extent[n++] = e->size == NO_INDEX ? e->value : (uint64_t)w->p->sizes[e->size];
    }
    if (has_k)
        extent[n++] = count;
    return n;
}

static int64_t number(const struct walk *w, int64_t offset, uint32_t size, int64_t size_coeff) {
    return offset + (size_coeff ? size_coeff * w->p->sizes[size] : 0);
}

static uint64_t flat(uint32_t dims, bool has_k, const uint64_t *extent, const int64_t *x) {
    uint64_t e = 0;
    for (uint32_t d = 0; d < dims - has_k; d++)
        e = e * extent[d] + (uint64_t)x[d];
    return e;
}

static void write_bits(uint64_t *at, unsigned width, unsigned bits, uint64_t value) {
    uint64_t mask = low_bits(width) & low_bits(bits);
    *at = (*at & ~mask) | (value & mask);
}

/* A near element. */
struct near_lane {
    uint32_t vrf, lane;
    unsigned reg;
};

static int64_t index_at(const struct walk *w, const struct near_lane *at) {
    const struct move_index *x = &w->m->index;
    unsigned reg = x->reg + (x->follows ? at->reg - w->m->dst_reg : 0);
    uint64_t bits = *cell(w->before, at->vrf, reg, at->lane) & low_bits(x->type.bits);
    return x->type.kind == TYPE_INT ? sign_extend(bits, x->type.bits) : (int64_t)bits;
}

/* False if the source coordinates name no element. */
static bool source_coordinates(const struct walk *w, const struct near_lane *at, const int64_t *x,
                               int64_t *s) {
    for (uint32_t c = 0; c < w->src_dims; c++) {
        const struct move_affine *a = &w->m->source[c];
        int64_t e = (int64_t)w->src_extent[c];
        s[c] =
            number(w, a->offset, a->size, a->size_coeff) + grown(w->m, MOVE_SOURCE, c, w->counters);
        for (uint32_t d = 0; d < w->dst_dims; d++)
            s[c] += a->coeff[d] * x[d];
        if (w->m->index.kind && w->m->index.coordinate == c)
            s[c] = index_at(w, at);
        if (w->m->outside == MOVE_WRAP)
            s[c] = (s[c] % e + e) % e;
        else if (w->m->outside == MOVE_CLIP)
            s[c] = s[c] < 0 ? 0 : s[c] >= e ? e - 1 : s[c];
        else if (s[c] < 0 || s[c] >= e)
            return false;
    }
    return true;
}

/* The destination's coordinate of an index. */
static int64_t coordinate_of(const struct walk *w, uint32_t d, int64_t index) {
    const struct move_strides *s = w->m->strides;
    return (s ? s->coeff[d] : 1) * index + grown(w->m, MOVE_STRIDE, d, w->counters) +
           (s ? number(w, s->offset[d].offset, s->offset[d].size, s->offset[d].size_coeff) : 0);
}

/* One destination lane, of a scatter one of the source: range indices, and coordinates. */
static void move_to(const struct walk *w, uint32_t vrf, uint32_t lane, const int64_t *x,
                    const int64_t *to_coordinates) {
    const struct move *m = w->m;
    int64_t s[MOVE_MAX_DIMS];
    unsigned dst_reg = m->dst_reg + (m->dst_has_k ? (unsigned)to_coordinates[w->dst_dims - 1] : 0);
    const struct near_lane at = {vrf, lane, dst_reg};
    uint64_t *to = cell(w->after, vrf, dst_reg, lane);
    if (!source_coordinates(w, &at, x, s)) {
        if (m->outside == MOVE_FILL)
            write_bits(to, m->width, w->p->reg_bits[dst_reg], m->fill);
        return;
    }
    unsigned src_reg = m->src_reg + (m->src_has_k ? (unsigned)s[w->src_dims - 1] : 0);
    if (m->src_group != NO_INDEX)
        locate(w->p, m->src_group, flat(w->src_dims, m->src_has_k, w->src_extent, s), &vrf, &lane);
    if (m->index.kind == INDEX_SCATTER) {
        write_bits(cell(w->after, vrf, src_reg, lane), m->width, w->p->reg_bits[src_reg],
                   *cell(w->before, at.vrf, dst_reg, at.lane));
        return;
    }
    write_bits(to, m->width, w->p->reg_bits[dst_reg], *cell(w->before, vrf, src_reg, lane));
}

static void move_element(const struct walk *w, const int64_t *x) {
    uint32_t vrf = 0, lane = 0;
    int64_t at[MOVE_MAX_DIMS];
    for (uint32_t d = 0; d < w->dst_dims; d++)
        at[d] = coordinate_of(w, d, x[d]);
    if (w->m->dst_group != NO_INDEX) {
        locate(w->p, w->m->dst_group, flat(w->dst_dims, w->m->dst_has_k, w->dst_extent, at), &vrf,
               &lane);
        move_to(w, vrf, lane, x, at);
        return;
    }
    for (size_t i = 0; i < w->p->placement_count; i++) {
        const struct placement *q = &w->p->placements[i];
        vrf = (q->mpu * w->p->vrf_per_rfh + q->vrf) * w->p->rfh_per_mpu + q->rfh;
        for (lane = 0; lane < q->count; lane++)
            move_to(w, vrf, lane, x, at);
    }
}

static void move_range(const struct walk *w, uint32_t d, int64_t *x) {
    if (d == w->dst_dims) {
        move_element(w, x);
        return;
    }
    int64_t first = 0, last = 200; /* as far as coordinates can be inside */
    if (w->m->bounded >> d & 1) {
        first = number(w, w->m->first[d].offset, w->m->first[d].size, w->m->first[d].size_coeff);
        last = number(w, w->m->last[d].offset, w->m->last[d].size, w->m->last[d].size_coeff);
        first += grown(w->m, MOVE_FIRST, d, w->counters);
        last += grown(w->m, MOVE_LAST, d, w->counters);
    } else if (!w->m->strides && !w->m->laps) {
        last = (int64_t)w->dst_extent[d];
    }
    bool down = w->m->strides && w->m->strides->coeff[d] < 0; /* elements ascend */
    for (int64_t i = first; i < last; i++) {
        x[d] = down ? last - 1 - (i - first) : i;
        int64_t at = coordinate_of(w, d, x[d]);
        if (at >= 0 && at < (int64_t)w->dst_extent[d])
            move_range(w, d + 1, x);
    }
}

static void expect_lap(const struct object *o, const struct package *p, const struct move *m,
                       const int64_t *counters, struct contents *now) {
    struct contents before = contents_new(p);
    int64_t x[MOVE_MAX_DIMS] = {0};
    size_t bytes = (size_t)before.vrfs * 64 * before.lanes * sizeof *before.values;
    memcpy(before.values, now->values, bytes);
    const struct move near = object_move_from_near(m);
    struct walk w = {.o = o, .p = p, .m = &near, .before = &before, .after = now};
    w.dst_dims = extents_of(&w, near.dst_group, near.dst_has_k, near.dst_count, w.dst_extent);
    w.src_dims = extents_of(&w, near.src_group, near.src_has_k, near.src_count, w.src_extent);
    w.counters = counters;
    move_range(&w, 0, x);
    free(before.values);
}

static void expect_move(const struct object *o, const struct package *p, const struct move *m,
                        const struct nest *nest, struct contents *now) {
    for (uint64_t lap = 0; lap < laps_of(nest); lap++) {
        int64_t counters[MOVE_MAX_LAPS];
        counters_of(nest, lap, counters);
        expect_lap(o, p, m, counters, now);
    }
}

/* ---- running it ---- */

static void read_all(struct datapath *dp, const struct package *p, struct contents *x) {
    for (uint32_t v = 0; v < x->vrfs; v++)
        for (unsigned r = 0; r < 64; r++)
            if (p->reg_bits[r])
                dp->ops->get(dp, v, DP_REGISTER, r, 0, x->lanes, cell(x, v, r, 0));
}

static void compare(uint64_t seed, const char *name, const struct contents *a,
                    const struct contents *b) {
    for (uint32_t v = 0; v < a->vrfs; v++)
        for (unsigned r = 0; r < 64; r++)
            for (uint32_t l = 0; l < a->lanes; l++)
                if (*cell(a, v, r, l) != *cell(b, v, r, l))
                    fail_msg("seed %" PRIu64 ", %s: VRF %u r%u lane %u is 0x%" PRIx64
                             ", not 0x%" PRIx64,
                             seed, name, v, r, l, *cell(b, v, r, l), *cell(a, v, r, l));
}

static void run_on(uint64_t seed, const struct datapath_ops *ops, const struct object *o,
                   const struct nest *nests, const struct package *p, const struct target *t,
                   const struct machine_library *recipes, enum batch_mode batch) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_setup setup = {.target = t,
                             .library = recipes,
                             .mpus = p->mpus,
                             .reg_bits = p->reg_bits,
                             .init = DP_INIT_RANDOM,
                             .seed = seed};
    struct datapath *dp = ops->open(&setup, d);
    const struct move_limits narrow = {seed % 7, 1 + seed % 50};
    struct control_config config = {.batch = batch,
                                    .move_limits = seed % 3 ? NULL : &narrow,
                                    .cost_unknown = ops == &golden_ops,
                                    .check = ops == &check_ops};
    struct contents expected = contents_new(p), got = contents_new(p);
    assert_non_null(dp);
    read_all(dp, p, &expected);
    for (size_t i = 0; i < o->moves.len; i++)
        expect_move(o, p, &o->moves.data[i], &nests[i], &expected);
    struct control *c = control_new(o, p, t, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("seed %" PRIu64 ": %s", seed, control_message(c));
    read_all(dp, p, &got);
    compare(seed, ops->name, &expected, &got);
    control_free(c);
    dp->ops->close(dp);
    free(expected.values);
    free(got.values);
    diag_free(d);
}

/* The package through its bytes and back. */
static struct package *reread(const struct object *o, struct package *p, struct diag *d) {
    struct str bytes = {0};
    package_write(p, &bytes);
    struct package *again = package_read(o, bytes.text, bytes.len, d);
    package_free(p);
    str_free(&bytes);
    return again;
}

/* What runs: the suite's programs, or those of the command line. */
static struct { uint64_t first, count; } range = {0, 0};

static void random_moves(void **state) {
    static const struct datapath_ops *const ops[] = {&golden_ops, &plane_strict_ops, &check_ops};
    struct bench *b = *state;
    unsigned ran = 0;
    for (uint64_t i = 0; i < range.count; i++) {
        uint64_t seed = range.first + i;
        struct diag *d = diag_new(NULL, NULL);
        int machine = (int)(seed % MACHINES);
        struct nest nests[MOVES] = {0};
        struct object *o = draw_program(seed, nests, d);
        struct package *p = NULL;
        if (!o)
            fail_msg("seed %" PRIu64 ": %s", seed, diag_first(d));
        p = package_build(o, b->targets[machine], b->recipes[machine], NULL, 0, d);
        if (p) {
            p = reread(o, p, d);
            if (!p)
                fail_msg("seed %" PRIu64 ": %s", seed, diag_first(d));
            ran++;
            for (int k = 0; k < (seed % 8 ? 2 : 3); k++)
                run_on(seed, ops[k], o, nests, p, b->targets[machine], b->recipes[machine],
                       (enum batch_mode)(seed / 3 % 3));
        } else if (strstr(diag_first(d), "move")) { /* others do not fit the machine */
            fail_msg("seed %" PRIu64 ": %s", seed, diag_first(d));
        }
        package_free(p);
        object_free(o);
        diag_free(d);
    }
    print_message("%u of %u programs fit their machine\n", ran, (unsigned)range.count);
    assert_true(ran > range.count / 2);
}

int main(int argc, char **argv) {
    range.count = draws(DRAWS_CONTROL_MOVES);
    if (argc == 3) {
        range.first = strtoull(argv[1], NULL, 10);
        range.count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_moves),
    };
    return cmocka_run_group_tests_name("moves", tests, open_bench, close_bench);
}
