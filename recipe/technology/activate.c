/* SPDX-License-Identifier: MIT
 * Commands that activate rows.  The first address drives the bit lines: one row with its value (the
 * inverse through a negated wordline), three or five with their majority; every row of all
 * addresses takes that value (through a negated wordline: its inverse).  A command becomes plain
 * micro-ops, one for each shape of its addresses that the target's groups give. */
#include "recipe/technology/read_plane.h"
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

static struct address_shape shape_of(const struct row_group *group) {
    struct address_shape s = {group->count, 0};
    for (unsigned i = 0; i < group->count; i++)
        s.inverted += group->inverted[i];
    return s;
}

static bool is_any_row(struct address_shape shape) {
    return shape.rows == 1 && shape.inverted == 0;
}

static bool same_shape(struct address_shape left, struct address_shape right) {
    return left.rows == right.rows && left.inverted == right.inverted;
}

static void list_shape(struct shape_list *list, struct address_shape shape) {
    for (unsigned i = 0; i < list->count; i++)
        if (same_shape(list->at[i], shape))
            return;
    list->at[list->count++] = shape;
}

/* A plain row and all shapes of groups. */
static struct shape_list all_shapes(const struct target *target) {
    struct shape_list l = {.at[0] = {1, 0}, .count = 1};
    for (uint32_t i = 0; i < plane_target(target)->group_count; i++)
        list_shape(&l, shape_of(&plane_target(target)->groups[i]));
    return l;
}

/* --- one variant --- */

struct activation_variant {
    struct target_text *x;
    const struct target *t;
    struct address_shape first, second; /* second.rows 0: a command of one address */
    unsigned second_at;                 /* where its rows stand among the operands */
    const struct yaml_node *own;        /* the file's `where`, or NULL */
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

static struct recipe_expr *both(const struct activation_variant *variant, struct recipe_expr *left,
                                struct recipe_expr *right) {
    return technology_where_join(variant->x->arena, left, AND_MARK, right);
}

/* operand `at` lies in any row of the array; a written one not in a constant row. */
static struct recipe_expr *in_some_row(const struct activation_variant *variant, unsigned at,
                                       bool written) {
    const struct target *t = variant->t;
    struct recipe_expr *e =
        technology_where_class_test(variant->x->arena, at, '<', plane_target(t)->row_class_count);
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (plane_target(t)->row_classes[i].latch ||
            (written && plane_target(t)->row_classes[i].value >= 0))
            e = both(variant, e, technology_where_class_test(variant->x->arena, at, NE, i));
    return e;
}

/* The operands from `at` on are the rows of one of the groups of this shape. */
static struct recipe_expr *in_some_group(const struct activation_variant *variant,
                                         struct address_shape shape, unsigned at) {
    struct recipe_expr *any = NULL;
    for (uint32_t i = 0; i < plane_target(variant->t)->group_count; i++) {
        const struct row_group *g = &plane_target(variant->t)->groups[i];
        struct recipe_expr *all = NULL;
        for (unsigned k = 0; same_shape(shape_of(g), shape) && k < g->count; k++)
            all = both(variant, all,
                       technology_where_class_test(variant->x->arena, at + k, EQ, g->class[k]));
        if (all)
            any = technology_where_join(variant->x->arena, any, OR_MARK, all);
    }
    return any;
}

static struct recipe_expr *address_where(const struct activation_variant *variant,
                                         struct address_shape shape, unsigned at, bool written) {
    return is_any_row(shape) ? in_some_row(variant, at, written)
                             : in_some_group(variant, shape, at);
}

/* No row of the second address is one of the first: it would be written twice. */
static struct recipe_expr *apart(const struct activation_variant *variant,
                                 struct recipe_expr *expr) {
    for (unsigned i = 0; is_majority(variant->first) && i < variant->first.rows; i++)
        for (unsigned k = 0; k < variant->second.rows; k++)
            expr =
                both(variant, expr,
                     technology_where_classes_differ(variant->x->arena, i, variant->second_at + k));
    return expr;
}

/* The file's own condition, for one row of each address. */
static bool add_own_where(const struct activation_variant *variant, const struct target_op *op,
                          unsigned first, unsigned second, struct where_expr *where) {
    struct op_names names = {
        .nsrc = op->nsrc, .ndst = op->ndst, .rows = variant->first.rows + variant->second.rows};
    struct notation_parser p;
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        names.names[i] = "";
    names.names[first] = "first";
    if (variant->second.rows)
        names.names[variant->second_at + second] = "second";
    notation_start(&p, variant->own->text, strlen(variant->own->text),
                   variant->own->overridden ? NO_SPAN : variant->own->at, variant->own->exact,
                   variant->x->arena, variant->x->diag);
    const struct where_expr *own =
        technology_where_compile(&p, &names, plane_target(variant->t)->row_classes,
                                 plane_target(variant->t)->row_class_count);
    if (!own)
        return false;
    where->speaks_of |= own->speaks_of;
    where->expr =
        technology_where_join(variant->x->arena, (struct recipe_expr *)(uintptr_t)where->expr,
                              AND_MARK, (struct recipe_expr *)(uintptr_t)own->expr);
    return true;
}

/* It holds for each row of the one address and each of the other. */
static bool add_own(const struct activation_variant *variant, const struct target_op *op,
                    struct where_expr *where) {
    unsigned seconds = variant->second.rows ? variant->second.rows : 1;
    for (unsigned i = 0; variant->own && i < variant->first.rows; i++)
        for (unsigned k = 0; k < seconds; k++)
            if (!add_own_where(variant, op, i, k, where))
                return false;
    return true;
}

/* NULL after reporting. */
static const struct where_expr *variant_where(const struct activation_variant *variant,
                                              const struct target_op *op) {
    struct recipe_expr *e = address_where(variant, variant->first, 0, is_majority(variant->first));
    if (variant->second.rows)
        e = both(variant, e, address_where(variant, variant->second, variant->second_at, true));
    e = apart(variant, e);
    for (unsigned i = 0;
         plane_target(variant->t)->sections > 1 && i < op->nsrc + (unsigned)op->ndst; i++)
        e = both(variant, e, technology_where_section_here(variant->x->arena, i));
    struct where_expr *where = ARENA_NEW(variant->x->arena, struct where_expr);
    where->expr = e;
    return add_own(variant, op, where) ? where : NULL;
}

static bool fill_variant(struct activation_variant *variant, struct target_op *op) {
    bool majority = is_majority(variant->first);
    op->nsrc = (uint8_t)variant->first.rows;
    if (majority)
        add_results(op, variant->first, variant->first, true);
    variant->second_at = op->nsrc + (unsigned)op->ndst;
    add_results(op, variant->first, variant->second, false);
    op->first_rows = (uint8_t)variant->first.rows;
    op->first_inverted = (uint8_t)variant->first.inverted;
    op->second_rows = (uint8_t)variant->second.rows;
    op->second_inverted = (uint8_t)variant->second.inverted;
    op->where = variant_where(variant, op);
    bool copies = !majority && !variant->first.inverted && !variant->second.inverted;
    if (op->class == OPCLASS_LOGIC && copies)
        op->class = OPCLASS_COPY;
    return op->where != NULL;
}

/* --- all of a command --- */

static bool share_a_row(const struct row_group *left, const struct row_group *right) {
    for (unsigned i = 0; i < left->count; i++)
        for (unsigned k = 0; k < right->count; k++)
            if (left->class[i] == right->class[k])
                return true;
    return false;
}

/* True if there are groups of these shapes without a common row. */
static bool is_possible(const struct target *target, struct address_shape first,
                        struct address_shape second) {
    if (is_any_row(first) || is_any_row(second) || !second.rows)
        return true;
    for (uint32_t i = 0; i < plane_target(target)->group_count; i++)
        for (uint32_t k = 0; same_shape(shape_of(&plane_target(target)->groups[i]), first) &&
                             k < plane_target(target)->group_count;
             k++)
            if (same_shape(shape_of(&plane_target(target)->groups[k]), second) &&
                !share_a_row(&plane_target(target)->groups[i], &plane_target(target)->groups[k]))
                return true;
    return false;
}

static bool may_come_first(struct address_shape shape, bool alone) {
    return shape.rows == 3 || shape.rows == 5 || (shape.rows == 1 && !alone);
}

static bool add_variant(struct target_text *text, struct target *target, struct target_op *list,
                        const struct target_op *like, struct activation_variant *variant) {
    unsigned results =
        (is_majority(variant->first) ? variant->first.rows : 0) + variant->second.rows;
    if (results > OP_MAX_DESTS || !is_possible(target, variant->first, variant->second))
        return true;
    if (plane_own(target)->op_count == PLANE_MAX_OPS) {
        diag_error(text->diag, like->span,
                   "ops.%s: the groups give it too many variants: more than %d micro-ops",
                   like->name, PLANE_MAX_OPS);
        return false;
    }
    struct target_op *op = &list[plane_own(target)->op_count];
    *op = *like;
    if (!fill_variant(variant, op))
        return false;
    plane_own(target)->op_count += !variant->own || technology_op_is_possible(target, op);
    return true;
}

static bool no_variant(struct target_text *text, const char *path, const struct yaml_node *node,
                       const struct yaml_node *where) {
    diag_error(text->diag, where ? where->at : node->at, "%s: %s", path,
               where ? "'where' holds for no rows that the groups have"
                     : "there is no group of three or five rows to activate");
    return false;
}

bool technology_activate(struct target_text *text, struct target *target, struct target_op *list,
                         const struct yaml_node *op, const struct target_op *like) {
    const struct yaml_node *node = target_node_find(op, "activate"),
                           *where = target_node_find(op, "where");
    struct shape_list shapes = all_shapes(target);
    uint64_t addresses;
    uint32_t before = plane_own(target)->op_count;
    const char *path = arena_printf(text->arena, "ops.%s.activate", like->name);
    if (!target_number(text, node, path, 1, 2, &addresses))
        return false;
    for (unsigned i = 0; i < shapes.count; i++)
        for (unsigned k = 0; k < (addresses == 2 ? shapes.count : 1); k++) {
            struct activation_variant v = {
                .x = text, .t = target, .first = shapes.at[i], .own = where};
            if (addresses == 2)
                v.second = shapes.at[k];
            if (may_come_first(v.first, addresses == 1) &&
                !add_variant(text, target, list, like, &v))
                return false;
        }
    return plane_own(target)->op_count > before || no_variant(text, path, node, where);
}

int technology_activation(const struct target *target, uint32_t op, const struct row_group *first,
                          const struct row_group *second) {
    struct address_shape a = shape_of(first),
                         b = second ? shape_of(second) : (struct address_shape){0, 0};
    for (uint32_t i = plane_target(target)->ops[op].first_variant;
         i < plane_target(target)->op_count &&
         plane_target(target)->ops[i].first_variant == plane_target(target)->ops[op].first_variant;
         i++) {
        const struct target_op *o = &plane_target(target)->ops[i];
        if (o->first_rows == a.rows && o->first_inverted == a.inverted &&
            o->second_rows == b.rows && o->second_inverted == b.inverted)
            return (int)i;
    }
    return -1;
}
