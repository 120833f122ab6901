/* SPDX-License-Identifier: MIT
 * The places that sequences of micro-ops are tried on, and what each op can do with them. */
#include "recipe/map/derive.h"
#include "recipe/map/map.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

#define TEMPS        2 /* of each class of many rows */
#define LONELY_TEMPS 3 /* at home, where nothing else may be written */
#define GROUP_ROWS   5 /* of a class for computing */
#define MOST_USES    8192
#define MOST_ONCE    65535 /* where sources that can change places stand in one order */
#define MOST_COST    4096  /* of one op, in units */

/* --- classes --- */

static uint32_t rows_of(const struct row_class *class) {
    return class->latch ? 1 : (class->last - class->first) / class->step + 1;
}

/* The latch of the mask keeps the mask. */
static bool is_mask(const struct target *target, uint32_t class) {
    return plane_target(target)->mask_by == MASK_LATCH && plane_target(target)->mask_latch == class;
}

static bool computes(const struct target *target, uint32_t class) {
    const struct row_class *c = &plane_target(target)->row_classes[class];
    bool few = c->compute || c->latch || rows_of(c) == 1;
    return c->scratch && few && class != plane_target(target)->register_class &&
           !is_mask(target, class);
}

static bool holds_many(const struct target *target, uint32_t class) {
    const struct row_class *c = &plane_target(target)->row_classes[class];
    return c->scratch && !computes(target, class) && !is_mask(target, class);
}

void mapping_frame_find_homes(struct op_frame *frame) {
    const struct target *t = frame->target;
    frame->homes[frame->home_count++] = (int)plane_target(t)->register_class;
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (!plane_target(t)->row_classes[plane_target(t)->register_class].scratch &&
            holds_many(t, i)) {
            frame->homes[frame->home_count++] = (int)i;
            return;
        }
}

int mapping_home(const struct target *target) {
    struct op_frame f = {.target = target};
    mapping_frame_find_homes(&f);
    return f.homes[f.home_count - 1];
}

static bool is_home(const struct op_frame *frame, int class) {
    return class == frame->homes[0] || (frame->home_count > 1 && class == frame->homes[1]);
}

/* --- the frame --- */

static void add_place(struct op_frame *frame, enum frame_kind kind, int class, unsigned number) {
    bool written = kind == FRAME_TEMP || kind == FRAME_ROW;
    if (frame->count < FRAME_MAX && (!written || frame->count - frame->first_written < FRAME_ROWS))
        frame->places[frame->count++] = (struct frame_place){kind, class, (uint8_t)number};
}

static void add_constants(struct op_frame *frame) {
    for (uint32_t i = 0; i < plane_target(frame->target)->row_class_count; i++) {
        int value = plane_target(frame->target)->row_classes[i].value;
        bool known = false;
        for (unsigned k = 0; k < frame->count; k++)
            known |= frame->places[k].kind == FRAME_CONST && frame->places[k].number == value;
        if (value >= 0 && !known)
            add_place(frame, FRAME_CONST, (int)i, (unsigned)value);
    }
}

static void add_rows(struct op_frame *frame) {
    for (uint32_t i = 0; i < plane_target(frame->target)->row_class_count; i++) {
        uint32_t rows = rows_of(&plane_target(frame->target)->row_classes[i]);
        for (unsigned k = 0; computes(frame->target, i) && k < rows && k < GROUP_ROWS; k++)
            add_place(frame, FRAME_ROW, (int)i, k);
    }
}

/* Does a `where` allow rows of one home what it forbids those of the other? */
static bool tells_apart(const struct op_frame *frame, const struct target_op *op) {
    unsigned count = op->nsrc + (unsigned)op->ndst;
    for (unsigned h = 1; h < 1u << count && op->where; h++) {
        struct where_place at[2][OP_MAX_SOURCES + OP_MAX_DESTS];
        for (unsigned i = 0; i < count; i++) {
            at[0][i] = (struct where_place){frame->homes[0], 0};
            at[1][i] = (struct where_place){frame->homes[h >> i & 1], 0};
        }
        if (technology_where_holds(op->where, at[0], 0) !=
            technology_where_holds(op->where, at[1], 0))
            return true;
    }
    return false;
}

static bool homes_differ(const struct op_frame *frame) {
    for (uint32_t i = 0; frame->home_count > 1 && i < plane_target(frame->target)->op_count; i++)
        if (tells_apart(frame, &plane_target(frame->target)->ops[i]))
            return true;
    return false;
}

/* Of many rows, and not simply where values between gates lie: values must be copied there.  That
 * is so, too, of the home that holds scratch, where gates demand it. */
static bool holds_temps(const struct op_frame *frame, uint32_t class) {
    return holds_many(frame->target, class) &&
           (!is_home(frame, (int)class) || (frame->apart && (int)class == frame->homes[1]));
}

/* Rows of such a class that one op may need at once: a result beside its sources. */
static unsigned temps_of(const struct op_frame *frame, uint32_t class) {
    const struct plane_target *t = plane_target(frame->target);
    unsigned most = TEMPS;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct target_op *op = &t->ops[i];
        unsigned apart = 0, count = op->nsrc + (unsigned)op->ndst;
        struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
        for (unsigned k = 0; k < count; k++) {
            at[k] = (struct where_place){(int)class, 0};
            apart += !op->fixed[k] && (k < op->nsrc || !op->tied[k - op->nsrc]);
        }
        if (technology_where_holds(op->where, at, 0) && apart > most)
            most = apart;
    }
    return most;
}

static bool has_others(const struct op_frame *frame) {
    for (uint32_t i = 0; i < plane_target(frame->target)->row_class_count; i++)
        if (computes(frame->target, i) || holds_temps(frame, i))
            return true;
    return false;
}

/* Rows at home that one op of those that write some there may need: what it replaces, and results
 * beside that. */
static unsigned most_written(const struct target *target) {
    unsigned most = 0;
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++)
        if (plane_target(target)->ops[i].ndst > most)
            most = plane_target(target)->ops[i].ndst;
    return most;
}

static void fill_places(struct op_frame *frame, enum derive_effort effort) {
    const struct target *target = frame->target;
    for (unsigned i = 0; i < FRAME_INPUTS; i++)
        add_place(frame, FRAME_INPUT, CLASS_HOME, i);
    add_constants(frame);
    frame->first_written = frame->count;
    unsigned temps = has_others(frame) ? TEMPS : LONELY_TEMPS;
    if (effort == DERIVE_WIDE && temps <= most_written(target))
        temps = most_written(target) + 1;
    for (unsigned k = 0; k < temps; k++)
        add_place(frame, FRAME_TEMP, CLASS_HOME, k);
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        for (unsigned k = 0; holds_temps(frame, i) && k < temps_of(frame, i); k++)
            add_place(frame, FRAME_TEMP, (int)i, k);
    add_rows(frame);
}

void mapping_frame_fill(struct op_frame *frame, const struct target *target,
                        enum derive_effort effort) {
    *frame = (struct op_frame){.target = target, .wanted = CLASS_HOME};
    mapping_frame_find_homes(frame);
    frame->apart = homes_differ(frame);
    fill_places(frame, effort);
}

void mapping_frame_fill_between(struct op_frame *frame, const struct target *target,
                                enum derive_effort effort, int from, int to) {
    *frame = (struct op_frame){.target = target, .homes = {from}, .home_count = 1, .wanted = to};
    fill_places(frame, effort);
}

struct where_place mapping_frame_where(const struct op_frame *frame, unsigned place, int home) {
    int class = frame->places[place].class;
    return (struct where_place){class == CLASS_HOME ? home : class, 0};
}

/* --- is it needed at all? --- */

static bool is_plain(const struct target_op *op) {
    bool plain = op->ndst == 1 && op->nsrc <= 3 && !op->tied[0] && !plane_op_keeps_old(op, 0);
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        plain = plain && !op->fixed[i];
    return plain;
}

/* Does the op treat all rows alike, whatever their classes?  `scratch`: but for those that hold
 * registers alone. */
static bool treats_alike(const struct target *target, const struct target_op *op, bool scratch) {
    uint32_t classes[64], n = 0, count = op->nsrc + 1u;
    bool seen[2] = {false, false};
    for (uint32_t i = 0; i < plane_target(target)->row_class_count && n < 64; i++)
        if ((plane_target(target)->row_classes[i].registers && !scratch) ||
            plane_target(target)->row_classes[i].scratch)
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

static bool all_alike(const struct target *target, bool scratch) {
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++)
        if (!is_plain(&plane_target(target)->ops[i]) ||
            !treats_alike(target, &plane_target(target)->ops[i], scratch))
            return false;
    return true;
}

bool mapping_frame_copies(const struct target *target, int from, int to) {
    const struct where_place at[] = {{from, 0}, {to, 0}};
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++) {
        const struct target_op *op = &plane_target(target)->ops[i];
        if (plane_op_is_copy(op) && op->class != OPCLASS_CROSSING &&
            technology_where_holds(op->where, at, 0))
            return true;
    }
    return false;
}

bool mapping_frame_stores_apart(const struct target *target) {
    struct op_frame f = {.target = target};
    mapping_frame_find_homes(&f);
    if (f.home_count < 2 || !homes_differ(&f) || !all_alike(target, true))
        return false;
    bool merges = plane_target(target)->mask_by == MASK_SELECT; /* what is scratch in place of rd */
    return mapping_frame_copies(target, f.homes[0], f.homes[1]) &&
           mapping_frame_copies(target, f.homes[1], f.homes[0]) &&
           (!merges || mapping_frame_copies(target, f.homes[1], f.homes[1]));
}

bool mapping_frame_is_needed(const struct target *target) {
    return !all_alike(target, false) && !mapping_frame_stores_apart(target);
}

/* --- uses --- */

struct use_list {
    const struct op_frame *frame;
    uint64_t unit;
    struct op_use *data;
    unsigned len, most;
    bool full; /* there are more */
    bool once; /* one order alone of sources that can change places */
};

/* While operands of an op get places: `at` has all operands, sources first. */
struct assignment {
    struct use_list *to;
    const struct target_op *op;
    uint16_t index;
    uint8_t at[OP_MAX_SOURCES + OP_MAX_DESTS];
    struct map held; /* classes of the first operands: may the op still hold? */
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
static bool is_apart(const struct assignment *assignment, unsigned operand) {
    const struct target_op *op = assignment->op;
    bool dest = operand >= op->nsrc;
    if (dest && op->tied[operand - op->nsrc])
        return true;
    bool written = dest || is_tied(op, operand);
    if (written && assignment->at[operand] < assignment->to->frame->first_written)
        return false;
    for (unsigned i = 0; i < operand; i++) {
        bool other = i >= op->nsrc || is_tied(op, i);
        if (assignment->at[i] == assignment->at[operand] && (written || other))
            return false;
    }
    return true;
}

/* For all homes alike. */
static bool holds_at(const struct assignment *assignment, unsigned known) {
    const struct op_frame *f = assignment->to->frame;
    unsigned count = assignment->op->nsrc + (unsigned)assignment->op->ndst, homes = 0;
    unsigned bit[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < known; i++) {
        bit[i] = homes;
        homes += f->home_count > 1 && f->places[assignment->at[i]].class == CLASS_HOME;
    }
    for (uint32_t h = 0; h < 1u << homes; h++) {
        struct where_place at[OP_MAX_SOURCES + OP_MAX_DESTS];
        for (unsigned i = 0; i < count; i++)
            at[i] = i < known
                        ? mapping_frame_where(f, assignment->at[i],
                                              f->homes[f->home_count > 1 && (h >> bit[i] & 1)])
                        : (struct where_place){CLASS_UNKNOWN, 0};
        if (!technology_where_decided(assignment->op->where, at, 0))
            return false;
    }
    return true;
}

/* May the op still hold, the first `known` operands being where they are?  That hangs on the
 * classes of places, which are few. */
static bool may_hold(struct assignment *assignment, unsigned known) {
    int classes[OP_MAX_SOURCES + OP_MAX_DESTS] = {0};
    if (!assignment->op->where)
        return true;
    for (unsigned i = 0; i < known; i++)
        classes[i] = assignment->to->frame->places[assignment->at[i]].class;
    const char *key = (const char *)classes;
    const uint64_t *answer = map_get_n(&assignment->held, key, known * sizeof *classes);
    if (answer)
        return *answer;
    bool holds = holds_at(assignment, known);
    map_put_n(&assignment->held, key, known * sizeof *classes, holds);
    return holds;
}

/* What sets results before may do so there. */
static bool presets_hold(const struct assignment *assignment) {
    const struct op_frame *f = assignment->to->frame;
    const struct target_op *op = assignment->op;
    bool fine = true;
    for (unsigned h = 0; h < f->home_count && op->preset && fine; h++) {
        struct where_place at[OP_MAX_DESTS];
        for (unsigned k = 0; k < op->ndst; k++)
            at[k] = mapping_frame_where(f, assignment->at[op->nsrc + k], f->homes[h]);
        fine = technology_presets_hold(f->target, op, at);
    }
    return fine;
}

static void add_use(const struct assignment *assignment) {
    const struct target_op *op = assignment->op;
    struct use_list *l = assignment->to;
    struct op_use u = {.op = assignment->index, .nsrc = op->nsrc, .ndst = op->ndst};
    l->full |= l->len == l->most;
    if (l->full)
        return;
    for (unsigned i = 0; i < op->nsrc; i++)
        u.src[i] = assignment->at[i];
    for (unsigned d = 0; d < op->ndst; d++)
        u.dst[d] = op->tied[d] ? assignment->at[tied_source(op, d)] : assignment->at[op->nsrc + d];
    u.cost = mapping_op_cost(l->frame->target, op, l->unit);
    l->data[l->len++] = u;
}

static bool fits_fixed(const struct assignment *assignment, unsigned operand) {
    unsigned fixed = assignment->op->fixed[operand];
    return !fixed || assignment->to->frame->places[assignment->at[operand]].class == (int)fixed - 1;
}

/* Does the op do the same when these sources change places, as far as it may? */
static bool can_swap(const struct target_op *op, unsigned one, unsigned other) {
    bool bound = op->fixed[one] || op->fixed[other] || is_tied(op, one) || is_tied(op, other);
    unsigned count = op->nsrc + (unsigned)op->reads_old;
    for (unsigned d = 0; d < op->ndst && !bound; d++)
        for (unsigned row = 0; row < 1u << count && !bound; row++) {
            unsigned x = row >> one & 1, y = row >> other & 1;
            unsigned swapped = (row & ~(1u << one | 1u << other)) | x << other | y << one;
            bound = (op->truth[d] >> row & 1) != (op->truth[d] >> swapped & 1);
        }
    return !bound;
}

/* Of sources that can change places, those before stand in places before; where a condition tells
 * them apart, this is looked at once all have places. */
static bool is_in_order(const struct assignment *assignment, unsigned operand) {
    bool asked = assignment->to->once && !assignment->op->where && operand < assignment->op->nsrc;
    for (unsigned i = 0; asked && i < operand; i++)
        if (assignment->at[i] > assignment->at[operand] && can_swap(assignment->op, i, operand))
            return false;
    return true;
}

/* Is it the first of those that do the same with two sources swapped? */
static bool is_first(struct assignment *assignment) {
    const struct target_op *op = assignment->op;
    unsigned count = op->nsrc + (unsigned)op->ndst;
    for (unsigned k = 1; assignment->to->once && op->where && k < op->nsrc; k++) {
        uint8_t here = assignment->at[k], before = assignment->at[k - 1];
        if (before <= here || !can_swap(op, k - 1, k))
            continue;
        assignment->at[k - 1] = here;
        assignment->at[k] = before;
        bool holds = may_hold(assignment, count);
        assignment->at[k - 1] = before;
        assignment->at[k] = here;
        if (holds)
            return false;
    }
    return true;
}

static void assign(struct assignment *assignment, unsigned operand) {
    const struct target_op *op = assignment->op;
    const struct op_frame *f = assignment->to->frame;
    unsigned count = op->nsrc + (unsigned)op->ndst;
    bool tied = operand >= op->nsrc && operand < count && op->tied[operand - op->nsrc];
    unsigned first = tied ? assignment->at[tied_source(op, operand - op->nsrc)] : 0;
    if (assignment->to->full)
        return;
    if (operand == count) {
        if (is_first(assignment) && presets_hold(assignment))
            add_use(assignment);
        return;
    }
    int class = CLASS_UNKNOWN; /* of the place that may_hold was last asked for */
    bool holds = false;
    for (unsigned place = first; place < (tied ? first + 1 : f->count); place++) {
        assignment->at[operand] = (uint8_t)place;
        if (!fits_fixed(assignment, operand) || !is_apart(assignment, operand) ||
            !is_in_order(assignment, operand))
            continue;
        if (f->places[place].class != class)
            holds = may_hold(assignment, operand + 1);
        class = f->places[place].class;
        if (holds)
            assign(assignment, operand + 1);
    }
}

/* By what ops do, the simple and fast ones first, and then by their names: whatever the order of
 * the file's lines. */
static int compare_ops(const void *left, const void *right) {
    const struct target_op *x = *(const struct target_op *const *)left,
                           *y = *(const struct target_op *const *)right;
    int n = (int)x->nsrc - (int)y->nsrc;
    n = n ? n : (int)x->ndst - (int)y->ndst;
    n = n ? n : (x->time_ps > y->time_ps) - (x->time_ps < y->time_ps);
    n = n ? n : memcmp(x->truth, y->truth, sizeof x->truth);
    n = n ? n : memcmp(x->tied, y->tied, sizeof x->tied);
    n = n ? n : strcmp(x->name, y->name);
    return n ? n : (x > y) - (x < y); /* variants of one line */
}

static const struct target_op **sort_ops(const struct plane_target *target, bool by_function) {
    const struct target_op **sorted = xcalloc(target->op_count + 1, sizeof *sorted);
    for (uint32_t i = 0; i < target->op_count; i++)
        sorted[i] = &target->ops[i];
    if (by_function)
        qsort(sorted, target->op_count, sizeof *sorted, compare_ops);
    return sorted;
}

static struct use_list list_uses(const struct op_frame *frame, uint64_t unit, bool once,
                                 bool by_function) {
    const struct plane_target *t = plane_target(frame->target);
    const struct target_op **sorted = sort_ops(t, by_function);
    struct use_list l = {
        .frame = frame, .unit = unit, .once = once, .most = once ? MOST_ONCE : MOST_USES};
    l.data = xcalloc(l.most, sizeof *l.data);
    for (uint32_t i = 0; i < t->op_count && !l.full; i++) {
        if (sorted[i]->first_variant + 1u == frame->without)
            continue;
        struct assignment a = {.to = &l, .op = sorted[i], .index = (uint16_t)(sorted[i] - t->ops)};
        assign(&a, 0);
        map_free(&a.held);
    }
    free(sorted);
    return l;
}

struct op_use *mapping_frame_uses(struct arena *arena, const struct op_frame *frame, uint64_t unit,
                                  bool all, bool once, unsigned *count) {
    struct use_list l = list_uses(frame, unit, once, once);
    if (l.full && !once) {
        free(l.data);
        l = list_uses(frame, unit, true, false);
    }
    if (!all)
        l.len = mapping_uses_drop_larger(frame->target, l.data, l.len);
    if (l.once)
        l.len = mapping_uses_drop_twins(frame->target, l.data, l.len);
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
static uint64_t preset_value(const struct target *target, const struct target_op *op) {
    return plane_target(target)->ops[op->preset - 1].truth[0] & 1 ? ~UINT64_C(0) : 0;
}

void mapping_use_apply(const struct target *target, const struct op_use *use,
                       const uint64_t *values, uint64_t *results) {
    const struct target_op *op = &plane_target(target)->ops[use->op];
    uint64_t inputs[OP_MAX_SOURCES + 1];
    for (unsigned i = 0; i < use->nsrc; i++)
        inputs[i] = values[use->src[i]];
    for (unsigned d = 0; d < use->ndst; d++) {
        if (op->reads_old)
            inputs[op->nsrc] =
                plane_op_presets(op, d) ? preset_value(target, op) : values[use->dst[d]];
        results[d] = apply(op->truth[d], inputs, op->nsrc + (unsigned)op->reads_old);
    }
}

/* --- costs --- */

static uint64_t op_time(const struct target *target, const struct target_op *op) {
    uint64_t ps = op->time_ps ? op->time_ps : target->datapath_ps;
    unsigned presets = plane_op_preset_count(op);
    return presets ? ps + presets * op_time(target, &plane_target(target)->ops[op->preset - 1])
                   : ps;
}

uint64_t mapping_cost_unit(const struct target *target) {
    uint64_t unit = 0, most = 1;
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++) {
        uint64_t ps = op_time(target, &plane_target(target)->ops[i]), other = unit;
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

uint32_t mapping_op_cost(const struct target *target, const struct target_op *op, uint64_t unit) {
    uint64_t cost = (op_time(target, op) + unit - 1) / unit;
    return cost < 1 ? 1 : (uint32_t)cost;
}
