/* SPDX-License-Identifier: MIT
 * Commands that activate rows.  The first address drives the bit lines: one row with its value (the
 * inverse through a negated wordline), three or five with their majority; every row of all
 * addresses takes that value (through a negated wordline: its inverse).  A command becomes plain
 * micro-ops, one for each shape of its addresses that the target's groups give. */
#include "recipe/technology/load.h"
#include "recipe/technology/where.h"

#include <string.h>

#define AND_MARK MARK2('&', '&')
#define OR_MARK  MARK2('|', '|')
#define EQ       MARK2('=', '=')
#define NE       MARK2('!', '=')

/* Shape of an address: how many rows, how many of them negated.  A single plain row is any row of
 * the array, all others are groups. */
struct address_shape {
    unsigned rows, inverted;
};

struct shape_list {
    struct address_shape at[GROUP_MAX_ROWS * (GROUP_MAX_ROWS + 1) + 1];
    unsigned count;
};

static struct address_shape shape_of(const struct row_group *g) {
    struct address_shape s = {g->count, 0};
    for (unsigned i = 0; i < g->count; i++)
        s.inverted += g->inverted[i];
    return s;
}

static bool is_any_row(struct address_shape s) {
    return s.rows == 1 && s.inverted == 0;
}

static bool same_shape(struct address_shape a, struct address_shape b) {
    return a.rows == b.rows && a.inverted == b.inverted;
}

static void list_shape(struct shape_list *l, struct address_shape s) {
    for (unsigned i = 0; i < l->count; i++)
        if (same_shape(l->at[i], s))
            return;
    l->at[l->count++] = s;
}

/* A plain row and all shapes of groups. */
static struct shape_list all_shapes(const struct target *t) {
    struct shape_list l = {.at[0] = {1, 0}, .count = 1};
    for (uint32_t i = 0; i < plane_target(t)->group_count; i++)
        list_shape(&l, shape_of(&plane_target(t)->groups[i]));
    return l;
}

/* --- one variant --- */

struct activation_variant {
    struct target_text *x;
    const struct target *t;
    struct address_shape first, second; /* second.rows 0: a command of one address */
    unsigned second_at;                 /* where its rows stand among the operands */
};

static bool is_majority(struct address_shape first) {
    return first.rows >= 3;
}

/* The value of the bit lines where source s has bit s of `row`. */
static bool bit_lines(struct address_shape first, unsigned row) {
    unsigned ones = 0;
    for (unsigned s = 0; s < first.rows; s++)
        ones += (row >> s & 1) != (s >= first.rows - first.inverted);
    return 2 * ones > first.rows;
}

static uint32_t row_truth(struct address_shape first, bool inverted) {
    uint32_t truth = 0;
    for (unsigned row = 0; row < 1u << first.rows; row++)
        truth |= (uint32_t)(bit_lines(first, row) != inverted) << row;
    return truth;
}

static void add_results(struct target_op *op, struct address_shape first, struct address_shape of,
                        bool tied) {
    for (unsigned i = 0; i < of.rows; i++) {
        op->truth[op->ndst] = row_truth(first, i >= of.rows - of.inverted);
        op->tied[op->ndst++] = tied ? (uint8_t)(i + 1) : 0;
    }
}

static struct recipe_expr *both(const struct activation_variant *v, struct recipe_expr *a,
                                struct recipe_expr *b) {
    return technology_where_join(v->x->arena, a, AND_MARK, b);
}

/* operand `at` lies in any row of the array; a written one not in a constant row. */
static struct recipe_expr *in_some_row(const struct activation_variant *v, unsigned at,
                                       bool written) {
    const struct target *t = v->t;
    struct recipe_expr *e =
        technology_where_class_test(v->x->arena, at, '<', plane_target(t)->row_class_count);
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (plane_target(t)->row_classes[i].latch ||
            (written && plane_target(t)->row_classes[i].value >= 0))
            e = both(v, e, technology_where_class_test(v->x->arena, at, NE, i));
    return e;
}

/* The operands from `at` on are the rows of one of the groups of this shape. */
static struct recipe_expr *in_some_group(const struct activation_variant *v, struct address_shape s,
                                         unsigned at) {
    struct recipe_expr *any = NULL;
    for (uint32_t i = 0; i < plane_target(v->t)->group_count; i++) {
        const struct row_group *g = &plane_target(v->t)->groups[i];
        struct recipe_expr *all = NULL;
        for (unsigned k = 0; same_shape(shape_of(g), s) && k < g->count; k++)
            all = both(v, all, technology_where_class_test(v->x->arena, at + k, EQ, g->class[k]));
        if (all)
            any = technology_where_join(v->x->arena, any, OR_MARK, all);
    }
    return any;
}

static struct recipe_expr *address_where(const struct activation_variant *v, struct address_shape s,
                                         unsigned at, bool written) {
    return is_any_row(s) ? in_some_row(v, at, written) : in_some_group(v, s, at);
}

/* No row of the second address is one of the first: it would be written twice. */
static struct recipe_expr *apart(const struct activation_variant *v, struct recipe_expr *e) {
    for (unsigned i = 0; is_majority(v->first) && i < v->first.rows; i++)
        for (unsigned k = 0; k < v->second.rows; k++)
            e = both(v, e, technology_where_classes_differ(v->x->arena, i, v->second_at + k));
    return e;
}

static const struct where_expr *variant_where(const struct activation_variant *v,
                                              const struct target_op *op) {
    struct recipe_expr *e = address_where(v, v->first, 0, is_majority(v->first));
    if (v->second.rows)
        e = both(v, e, address_where(v, v->second, v->second_at, true));
    e = apart(v, e);
    for (unsigned i = 0; plane_target(v->t)->sections > 1 && i < op->nsrc + (unsigned)op->ndst; i++)
        e = both(v, e, technology_where_section_here(v->x->arena, i));
    struct where_expr *where = ARENA_NEW(v->x->arena, struct where_expr);
    where->expr = e;
    return where;
}

static void fill_variant(struct activation_variant *v, struct target_op *op) {
    bool majority = is_majority(v->first);
    op->nsrc = (uint8_t)v->first.rows;
    if (majority)
        add_results(op, v->first, v->first, true);
    v->second_at = op->nsrc + (unsigned)op->ndst;
    add_results(op, v->first, v->second, false);
    op->first_rows = (uint8_t)v->first.rows;
    op->first_inverted = (uint8_t)v->first.inverted;
    op->second_rows = (uint8_t)v->second.rows;
    op->second_inverted = (uint8_t)v->second.inverted;
    op->where = variant_where(v, op);
    bool copies = !majority && !v->first.inverted && !v->second.inverted;
    if (op->class == OPCLASS_LOGIC && copies)
        op->class = OPCLASS_COPY;
}

/* --- all of a command --- */

static bool share_a_row(const struct row_group *a, const struct row_group *b) {
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->class[i] == b->class[k])
                return true;
    return false;
}

/* True if there are groups of these shapes without a common row. */
static bool is_possible(const struct target *t, struct address_shape first,
                        struct address_shape second) {
    if (is_any_row(first) || is_any_row(second) || !second.rows)
        return true;
    for (uint32_t i = 0; i < plane_target(t)->group_count; i++)
        for (uint32_t k = 0; same_shape(shape_of(&plane_target(t)->groups[i]), first) &&
                             k < plane_target(t)->group_count;
             k++)
            if (same_shape(shape_of(&plane_target(t)->groups[k]), second) &&
                !share_a_row(&plane_target(t)->groups[i], &plane_target(t)->groups[k]))
                return true;
    return false;
}

static bool may_come_first(struct address_shape s, bool alone) {
    return s.rows == 3 || s.rows == 5 || (s.rows == 1 && !alone);
}

static bool add_variant(struct target_text *x, struct target *t, struct target_op *list,
                        const struct target_op *like, struct activation_variant *v) {
    unsigned results = (is_majority(v->first) ? v->first.rows : 0) + v->second.rows;
    if (results > OP_MAX_DESTS || !is_possible(t, v->first, v->second))
        return true;
    if (plane_own(t)->op_count == PLANE_MAX_OPS) {
        diag_error(x->diag, like->span,
                   "ops.%s: the groups give it too many variants: more than %d micro-ops",
                   like->name, PLANE_MAX_OPS);
        return false;
    }
    list[plane_own(t)->op_count] = *like;
    fill_variant(v, &list[plane_own(t)->op_count++]);
    return true;
}

bool technology_activate(struct target_text *x, struct target *t, struct target_op *list,
                         const struct yaml_node *node, const struct target_op *like) {
    struct shape_list shapes = all_shapes(t);
    uint64_t addresses;
    uint32_t before = plane_own(t)->op_count;
    const char *path = arena_printf(x->arena, "ops.%s.activate", like->name);
    if (!target_number(x, node, path, 1, 2, &addresses))
        return false;
    for (unsigned i = 0; i < shapes.count; i++)
        for (unsigned k = 0; k < (addresses == 2 ? shapes.count : 1); k++) {
            struct activation_variant v = {.x = x, .t = t, .first = shapes.at[i]};
            if (addresses == 2)
                v.second = shapes.at[k];
            if (may_come_first(v.first, addresses == 1) && !add_variant(x, t, list, like, &v))
                return false;
        }
    if (plane_own(t)->op_count > before)
        return true;
    diag_error(x->diag, node->at, "%s: there is no group of three or five rows to activate", path);
    return false;
}

int technology_activation(const struct target *t, uint32_t op, const struct row_group *first,
                          const struct row_group *second) {
    struct address_shape a = shape_of(first),
                         b = second ? shape_of(second) : (struct address_shape){0, 0};
    for (uint32_t i = plane_target(t)->ops[op].first_variant;
         i < plane_target(t)->op_count &&
         plane_target(t)->ops[i].first_variant == plane_target(t)->ops[op].first_variant;
         i++) {
        const struct target_op *o = &plane_target(t)->ops[i];
        if (o->first_rows == a.rows && o->first_inverted == a.inverted &&
            o->second_rows == b.rows && o->second_inverted == b.inverted)
            return (int)i;
    }
    return -1;
}
