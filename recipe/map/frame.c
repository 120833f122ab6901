/* SPDX-License-Identifier: MIT
 * The places that sequences of micro-ops are tried on, and what each op can do with them. */
#include "recipe/map/derive.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define TEMPS        2 /* of each class of many rows */
#define LONELY_TEMPS 3 /* at home, where nothing else may be written */
#define GROUP_ROWS   5 /* of a class for computing */
#define MOST_USES    8192
#define MOST_COST    4096 /* of one op, in units */

/* --- classes --- */

static uint32_t rows_of(const struct row_class *c) {
    return c->latch ? 1 : (c->last - c->first) / c->step + 1;
}

/* The latch of the mask keeps the mask. */
static bool is_mask(const struct target *t, uint32_t class) {
    return plane_target(t)->mask_by == MASK_LATCH && plane_target(t)->mask_latch == class;
}

static bool computes(const struct target *t, uint32_t class) {
    const struct row_class *c = &plane_target(t)->row_classes[class];
    bool few = c->compute || c->latch || rows_of(c) == 1;
    return c->scratch && few && class != plane_target(t)->register_class && !is_mask(t, class);
}

static bool holds_many(const struct target *t, uint32_t class) {
    const struct row_class *c = &plane_target(t)->row_classes[class];
    return c->scratch && !computes(t, class) && !is_mask(t, class);
}

void mapping_frame_find_homes(struct op_frame *f) {
    const struct target *t = f->target;
    f->homes[f->home_count++] = (int)plane_target(t)->register_class;
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (!plane_target(t)->row_classes[plane_target(t)->register_class].scratch &&
            holds_many(t, i)) {
            f->homes[f->home_count++] = (int)i;
            return;
        }
}

static bool is_home(const struct op_frame *f, int class) {
    return class == f->homes[0] || (f->home_count > 1 && class == f->homes[1]);
}

/* --- the frame --- */

static void add_place(struct op_frame *f, enum frame_kind kind, int class, unsigned number) {
    bool written = kind == FRAME_TEMP || kind == FRAME_ROW;
    if (f->count < FRAME_MAX && (!written || f->count - f->first_written < FRAME_ROWS))
        f->places[f->count++] = (struct frame_place){kind, class, (uint8_t)number};
}

static void add_constants(struct op_frame *f) {
    for (uint32_t i = 0; i < plane_target(f->target)->row_class_count; i++) {
        int value = plane_target(f->target)->row_classes[i].value;
        bool known = false;
        for (unsigned k = 0; k < f->count; k++)
            known |= f->places[k].kind == FRAME_CONST && f->places[k].number == value;
        if (value >= 0 && !known)
            add_place(f, FRAME_CONST, (int)i, (unsigned)value);
    }
}

static void add_rows(struct op_frame *f) {
    for (uint32_t i = 0; i < plane_target(f->target)->row_class_count; i++) {
        uint32_t rows = rows_of(&plane_target(f->target)->row_classes[i]);
        for (unsigned k = 0; computes(f->target, i) && k < rows && k < GROUP_ROWS; k++)
            add_place(f, FRAME_ROW, (int)i, k);
    }
}

static bool has_others(const struct op_frame *f) {
    for (uint32_t i = 0; i < plane_target(f->target)->row_class_count; i++)
        if (computes(f->target, i) || (holds_many(f->target, i) && !is_home(f, (int)i)))
            return true;
    return false;
}

void mapping_frame_fill(struct op_frame *f, const struct target *t) {
    *f = (struct op_frame){.target = t};
    mapping_frame_find_homes(f);
    for (unsigned i = 0; i < FRAME_INPUTS; i++)
        add_place(f, FRAME_INPUT, CLASS_HOME, i);
    add_constants(f);
    f->first_written = f->count;
    unsigned temps = has_others(f) ? TEMPS : LONELY_TEMPS;
    for (unsigned k = 0; k < temps; k++)
        add_place(f, FRAME_TEMP, CLASS_HOME, k);
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        for (unsigned k = 0; k < TEMPS && holds_many(t, i) && !is_home(f, (int)i); k++)
            add_place(f, FRAME_TEMP, (int)i, k);
    add_rows(f);
}

struct where_place mapping_frame_where(const struct op_frame *f, unsigned place, int home) {
    int class = f->places[place].class;
    return (struct where_place){class == CLASS_HOME ? home : class, 0};
}

/* --- is it needed at all? --- */

static bool is_plain(const struct target_op *op) {
    bool plain = op->ndst == 1 && op->nsrc <= 3 && !op->tied[0] && (!op->reads_old || op->preset);
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        plain = plain && !op->fixed[i];
    return plain;
}

bool mapping_op_is_copy(const struct target_op *op) {
    return is_plain(op) && op->nsrc == 1 && !op->reads_old && op->truth[0] == 2;
}

/* Does the op treat all rows alike, whatever their classes? */
static bool treats_alike(const struct target *t, const struct target_op *op) {
    uint32_t classes[64], n = 0, count = op->nsrc + 1u;
    bool seen[2] = {false, false};
    for (uint32_t i = 0; i < plane_target(t)->row_class_count && n < 64; i++)
        if (plane_target(t)->row_classes[i].registers || plane_target(t)->row_classes[i].scratch)
            classes[n++] = i;
    uint32_t all = 1;
    for (unsigned i = 0; i < count; i++)
        all *= n;
    for (uint32_t i = 0; i < all && op->where; i++) {
        struct where_place at[4];
        for (uint32_t k = 0, rest = i; k < count; k++, rest /= n)
            at[k] = (struct where_place){(int)classes[rest % n], 0};
        seen[technology_where_holds(op->where, at, 0)] = true;
    }
    return !(seen[0] && seen[1]);
}

bool mapping_frame_is_needed(const struct target *t) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (!is_plain(&plane_target(t)->ops[i]) || !treats_alike(t, &plane_target(t)->ops[i]))
            return true;
    return false;
}

/* --- uses --- */

struct use_list {
    const struct op_frame *frame;
    uint64_t unit;
    struct op_use *data;
    unsigned len;
};

/* While operands of an op get places: `at` has all operands, sources first. */
struct assignment {
    struct use_list *to;
    const struct target_op *op;
    uint16_t index;
    uint8_t at[OP_MAX_SOURCES + OP_MAX_DESTS];
};

static unsigned tied_source(const struct target_op *op, unsigned dest) {
    return op->tied[dest] - 1u;
}

static bool is_tied(const struct target_op *op, unsigned source) {
    for (unsigned d = 0; d < op->ndst; d++)
        if (op->tied[d] && tied_source(op, d) == source)
            return true;
    return false;
}

/* A place that is written is no other operand's. */
static bool is_apart(const struct assignment *a, unsigned operand) {
    const struct target_op *op = a->op;
    bool dest = operand >= op->nsrc;
    if (dest && op->tied[operand - op->nsrc])
        return true;
    bool written = dest || is_tied(op, operand);
    if (written && a->at[operand] < a->to->frame->first_written)
        return false;
    for (unsigned i = 0; i < operand; i++) {
        bool other = i >= op->nsrc || is_tied(op, i);
        if (a->at[i] == a->at[operand] && (written || other))
            return false;
    }
    return true;
}

/* May the op still hold, the first `known` operands being where they are?  For all homes alike. */
static bool may_hold(const struct assignment *a, unsigned known) {
    const struct op_frame *f = a->to->frame;
    unsigned count = a->op->nsrc + (unsigned)a->op->ndst, homes = 0;
    unsigned bit[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < known; i++) {
        bit[i] = homes;
        homes += f->home_count > 1 && f->places[a->at[i]].class == CLASS_HOME;
    }
    for (uint32_t h = 0; h < 1u << homes; h++) {
        struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
        for (unsigned i = 0; i < count; i++)
            at[i] = i < known ? mapping_frame_where(
                                    f, a->at[i], f->homes[f->home_count > 1 && (h >> bit[i] & 1)])
                              : (struct where_place){CLASS_UNKNOWN, 0};
        if (!technology_where_decided(a->op->where, at, 0))
            return false;
    }
    return true;
}

/* What sets the result before may do so there. */
static bool preset_holds(const struct assignment *a) {
    const struct op_frame *f = a->to->frame;
    if (!a->op->preset)
        return true;
    const struct where_expr *where = plane_target(f->target)->ops[a->op->preset - 1].where;
    for (unsigned h = 0; h < f->home_count; h++) {
        struct where_place at = mapping_frame_where(f, a->at[a->op->nsrc], f->homes[h]);
        if (!technology_where_holds(where, &at, 0))
            return false;
    }
    return true;
}

static void add_use(const struct assignment *a) {
    const struct target_op *op = a->op;
    struct use_list *l = a->to;
    struct op_use u = {.op = a->index, .nsrc = op->nsrc, .ndst = op->ndst};
    if (l->len == MOST_USES)
        return;
    for (unsigned i = 0; i < op->nsrc; i++)
        u.src[i] = a->at[i];
    for (unsigned d = 0; d < op->ndst; d++)
        u.dst[d] = op->tied[d] ? a->at[tied_source(op, d)] : a->at[op->nsrc + d];
    u.cost = mapping_op_cost(l->frame->target, op, l->unit);
    l->data[l->len++] = u;
}

static bool fits_fixed(const struct assignment *a, unsigned operand) {
    unsigned fixed = a->op->fixed[operand];
    return !fixed || a->to->frame->places[a->at[operand]].class == (int)fixed - 1;
}

static void assign(struct assignment *a, unsigned operand) {
    const struct target_op *op = a->op;
    const struct op_frame *f = a->to->frame;
    unsigned count = op->nsrc + (unsigned)op->ndst;
    bool tied = operand >= op->nsrc && operand < count && op->tied[operand - op->nsrc];
    unsigned first = tied ? a->at[tied_source(op, operand - op->nsrc)] : 0;
    if (operand == count) {
        if (preset_holds(a))
            add_use(a);
        return;
    }
    int class = CLASS_UNKNOWN; /* of the place that may_hold was last asked for */
    bool holds = false;
    for (unsigned place = first; place < (tied ? first + 1 : f->count); place++) {
        a->at[operand] = (uint8_t)place;
        if (!fits_fixed(a, operand) || !is_apart(a, operand))
            continue;
        if (f->places[place].class != class)
            holds = may_hold(a, operand + 1);
        class = f->places[place].class;
        if (holds)
            assign(a, operand + 1);
    }
}

static bool same_sources(const struct op_use *a, const struct op_use *b) {
    return a->nsrc == b->nsrc && memcmp(a->src, b->src, a->nsrc) == 0;
}

/* Does b do some of what a does, and no more? */
static bool does_less(const struct target *t, const struct op_use *a, const struct op_use *b) {
    static const uint64_t probe[OP_MAX_SOURCES] = {0xAAAAAAAA, 0xCCCCCCCC, 0xF0F0F0F0, 0xFF00FF00,
                                                   0xFFFF0000};
    uint64_t values[FRAME_MAX] = {0}, x[OP_MAX_DESTS], y[OP_MAX_DESTS];
    if (b->ndst >= a->ndst || b->cost > a->cost || !same_sources(a, b) ||
        plane_target(t)->ops[a->op].reads_old || plane_target(t)->ops[b->op].reads_old)
        return false;
    for (unsigned i = 0; i < a->nsrc; i++)
        values[a->src[i]] = probe[i];
    mapping_use_apply(t, a, values, x);
    mapping_use_apply(t, b, values, y);
    for (unsigned i = 0; i < b->ndst; i++) {
        bool same = false;
        for (unsigned k = 0; k < a->ndst; k++)
            same |= a->dst[k] == b->dst[i] && (uint32_t)x[k] == (uint32_t)y[i];
        if (!same)
            return false;
    }
    return true;
}

/* What the use writes is written by smaller ones, too. */
static bool is_larger(const struct use_list *l, const struct op_use *u) {
    uint32_t missing = 0;
    for (unsigned d = 0; d < u->ndst; d++)
        missing |= 1u << u->dst[d];
    for (unsigned k = 0; k < l->len && u->ndst > 1 && missing; k++)
        for (unsigned d = 0; does_less(l->frame->target, u, &l->data[k]) && d < l->data[k].ndst;
             d++)
            missing &= ~(1u << l->data[k].dst[d]);
    return missing == 0;
}

static void drop_larger(struct use_list *l) {
    unsigned kept = 0;
    bool *larger = xcalloc(l->len + 1, sizeof *larger);
    for (unsigned i = 0; i < l->len; i++)
        larger[i] = is_larger(l, &l->data[i]);
    for (unsigned i = 0; i < l->len; i++)
        if (!larger[i])
            l->data[kept++] = l->data[i];
    l->len = kept;
    free(larger);
}

struct op_use *mapping_frame_uses(struct arena *arena, const struct op_frame *f, uint64_t unit,
                                  bool all, unsigned *count) {
    struct use_list l = {.frame = f, .unit = unit};
    l.data = xcalloc(MOST_USES, sizeof *l.data);
    for (uint32_t i = 0; i < plane_target(f->target)->op_count; i++) {
        struct assignment a = {
            .to = &l, .op = &plane_target(f->target)->ops[i], .index = (uint16_t)i};
        assign(&a, 0);
    }
    if (!all)
        drop_larger(&l);
    struct op_use *kept = ARENA_ARRAY(arena, l.len + 1, struct op_use);
    memcpy(kept, l.data, l.len * sizeof *kept);
    free(l.data);
    *count = l.len;
    return kept;
}

/* --- what a use does --- */

static uint64_t apply(uint32_t truth, const uint64_t *inputs, unsigned count) {
    uint64_t result = 0;
    for (unsigned row = 0; row < 1u << count; row++) {
        uint64_t here = truth >> row & 1 ? ~UINT64_C(0) : 0;
        for (unsigned i = 0; i < count && here; i++)
            here &= row >> i & 1 ? inputs[i] : ~inputs[i];
        result |= here;
    }
    return result;
}

/* What an op finds in the place that it writes where presets say so. */
static uint64_t preset_value(const struct target *t, const struct target_op *op) {
    return plane_target(t)->ops[op->preset - 1].truth[0] & 1 ? ~UINT64_C(0) : 0;
}

void mapping_use_apply(const struct target *t, const struct op_use *u, const uint64_t *values,
                       uint64_t *results) {
    const struct target_op *op = &plane_target(t)->ops[u->op];
    uint64_t inputs[OP_MAX_SOURCES + 1];
    for (unsigned i = 0; i < u->nsrc; i++)
        inputs[i] = values[u->src[i]];
    for (unsigned d = 0; d < u->ndst; d++) {
        if (op->reads_old)
            inputs[op->nsrc] = op->preset ? preset_value(t, op) : values[u->dst[d]];
        results[d] = apply(op->truth[d], inputs, op->nsrc + (unsigned)op->reads_old);
    }
}

/* --- costs --- */

static uint64_t op_time(const struct target *t, const struct target_op *op) {
    uint64_t ps = op->time_ps ? op->time_ps : t->datapath_ps;
    return ps + (op->preset ? op_time(t, &plane_target(t)->ops[op->preset - 1]) : 0);
}

uint64_t mapping_cost_unit(const struct target *t) {
    uint64_t unit = 0, most = 1;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
        uint64_t ps = op_time(t, &plane_target(t)->ops[i]), other = unit;
        most = ps > most ? ps : most;
        while (other) {
            uint64_t rest = ps % other;
            ps = other;
            other = rest;
        }
        unit = ps;
    }
    return unit > most / MOST_COST ? unit : most / MOST_COST + 1;
}

uint32_t mapping_op_cost(const struct target *t, const struct target_op *op, uint64_t unit) {
    uint64_t cost = (op_time(t, op) + unit - 1) / unit;
    return cost < 1 ? 1 : (uint32_t)cost;
}
