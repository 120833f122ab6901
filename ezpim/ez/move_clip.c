/* SPDX-License-Identifier: MIT
 * `clip` of moves by fixed offsets: elements whose source lies outside get the nearest one there.
 * Along each axis with an offset such elements are those near one end, which a move of its own
 * brings from there: move y[i] = x[i - 2] clip is y[i] = x[i - 2] for i: 2 .. n, and y[i] = x[0]
 * for i: 0 .. 2.  Moves inside come first, so that it holds of an array and itself, too. */
#include "ezpim/ez/check_move.h"
#include "ezpim/ez/walk.h"

#include <string.h>

/* An axis of the source: which index of the target it follows, and how far from it. */
struct clipped {
    const char *name;
    struct span at;
    ez_number offset;
    struct expr *extent;
};

struct clipping {
    struct checker *checker;
    struct stmt *stmt;
    struct clipped axes[GROUP_MAX_DIMS];
    uint32_t count;
};

/* ---- expressions ---- */

static struct expr *make(struct clipping *c, enum expr_kind kind, struct span at) {
    struct expr *e = ARENA_NEW(&c->checker->u->arena, struct expr);
    *e = (struct expr){.kind = kind, .at = at, .height = 1};
    return e;
}

static struct expr *number(struct clipping *c, ez_number value, struct span at) {
    struct expr *e = make(c, EXPR_NUMBER, at);
    e->number = value;
    return e;
}

static struct expr *name(struct clipping *c, const struct clipped *axis) {
    struct expr *e = make(c, EXPR_NAME, axis->at);
    e->name = (struct ez_name){axis->name, axis->at};
    return e;
}

static struct expr *of_two(struct clipping *c, enum expr_kind kind, struct expr *left,
                           struct expr *right) {
    struct expr *e = make(c, kind, left->at);
    e->args = ARENA_ARRAY(&c->checker->u->arena, 2, struct expr *);
    e->args[0] = left;
    e->args[1] = right;
    e->arg_count = 2;
    return e;
}

static struct expr *called(struct clipping *c, const char *function, struct expr *left,
                           struct expr *right) {
    struct expr *e = of_two(c, EXPR_CALL, left, right);
    e->name = (struct ez_name){function, left->at};
    return e;
}

static struct expr *less(struct clipping *c, struct expr *expr, ez_number by) {
    struct expr *e = of_two(c, EXPR_BINARY, expr, number(c, by, expr->at));
    e->op = BINARY_SUB;
    return e;
}

static struct expr *extent_of(struct clipping *c, const struct clipped *axis) {
    uint64_t room = UINT64_MAX;
    return ez_clone_expr(&c->checker->u->arena, axis->extent, &room);
}

/* ---- parts ---- */

/* Where the part with sources outside meets the other one; groups may be shorter than the offset,
 * but have an element. */
static struct expr *border(struct clipping *c, const struct clipped *axis) {
    ez_number far = axis->offset < 0 ? -axis->offset : axis->offset;
    struct expr *n = extent_of(c, axis);
    if (axis->offset < 0)
        return far == 1 ? number(c, 1, axis->at) : called(c, "min", number(c, far, axis->at), n);
    n = less(c, n, far);
    return far == 1 ? n : called(c, "max", n, number(c, 0, axis->at));
}

/* Bit d of `outside`: axis d's sources are. */
static void bound(struct clipping *c, struct stmt *part, unsigned outside) {
    part->operands = ARENA_ARRAY(&c->checker->u->arena, 3 * c->count, struct expr *);
    part->operand_count = 0;
    for (uint32_t d = 0; d < c->count; d++) {
        const struct clipped *axis = &c->axes[d];
        if (!axis->offset)
            continue;
        bool low = (axis->offset < 0) == (outside >> d & 1);
        struct expr **triple = &part->operands[part->operand_count];
        triple[0] = name(c, axis);
        triple[1] = low ? number(c, 0, axis->at) : border(c, axis);
        triple[2] = low ? border(c, axis) : extent_of(c, axis);
        part->operand_count += 3;
        if (outside >> d & 1)
            part->value->args[d] =
                axis->offset < 0 ? number(c, 0, axis->at) : less(c, extent_of(c, axis), 1);
    }
}

static struct stmt *part_of(struct clipping *c, unsigned outside) {
    uint64_t room = UINT64_MAX;
    struct stmt alone = *c->stmt;
    alone.next = NULL;
    struct stmt *part = ez_clone_stmts(&c->checker->u->arena, &alone, &room);
    part->clip = false;
    bound(c, part, outside);
    return part;
}

/* ---- what is clipped ---- */

/* The extent of an axis of the group, as the file has it; NULL: it has none of its own. */
static struct expr *written_extent(struct clipping *c, const struct ez_symbol *group, uint32_t d,
                                   struct span at) {
    const struct extent x = group->layout.extents[d];
    if (group->decl && d < group->decl->extents.count)
        return group->decl->extents.items[d];
    if (x.size == NO_INDEX)
        return number(c, (ez_number)x.value, at);
    if (x.size >= c->checker->u->sizes.items.len)
        return NULL;
    struct expr *e = make(c, EXPR_NAME, at);
    e->name = (struct ez_name){c->checker->u->sizes.items.data[x.size]->name.text, at};
    return e;
}

static bool find_axis(struct clipping *c, const struct indices *indices, const struct ez_symbol *to,
                      const struct ez_symbol *from, uint32_t d) {
    struct expr *e = c->stmt->value->args[d];
    struct affine a;
    uint32_t follows = NO_INDEX;
    if (!ez_move_affine(c->checker, e, indices, &a))
        return false;
    for (uint32_t i = 0; i < MOVE_MAX_DIMS; i++)
        if (a.coeff[i])
            follows = follows == NO_INDEX && a.coeff[i] == 1 ? i : MOVE_MAX_DIMS;
    bool laps = false;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        laps |= a.lap[n] != 0;
    bool plain = follows == NO_INDEX || follows < MOVE_MAX_DIMS;
    if (laps || a.size_coeff || !plain || (follows == NO_INDEX && a.offset)) {
        diag_error(
            c->checker->u->diag, e->at,
            "`clip` goes with indices of the target and constants, as in `x[i - 1]`, or with "
            "an index that a variable holds");
        return false;
    }
    c->axes[d] = (struct clipped){.at = e->at, .offset = a.offset};
    if (!a.offset)
        return true;
    c->axes[d].name = indices->names[follows].text;
    c->axes[d].extent = written_extent(c, from->var.group, d, e->at);
    if (c->axes[d].extent &&
        ez_same_extent(from->var.group->layout.extents[d], to->var.group->layout.extents[follows]))
        return true;
    diag_error(c->checker->u->diag, e->at, "`clip` goes between axes of one length");
    return false;
}

bool ez_move_clips_fixed(struct checker *checker, const struct stmt *stmt) {
    if (!stmt->clip || ez_move_scatters(checker, stmt))
        return false;
    for (uint32_t d = 0; stmt->value->kind == EXPR_INDEX && d < stmt->value->arg_count; d++)
        if (ez_move_is_variable(checker, stmt->value->args[d]))
            return false;
    return true;
}

bool ez_move_write_out_clip(struct checker *checker, struct stmt *stmt, const struct ez_symbol *to,
                            const struct ez_symbol *from) {
    struct clipping c = {.checker = checker, .stmt = stmt};
    struct indices indices = {.side = "target"};
    if (!to->var.group || from->var.group->layout.on_mpus || to->var.group->layout.on_mpus ||
        stmt->operand_count || stmt->target->kind != EXPR_INDEX ||
        stmt->value->kind != EXPR_INDEX) {
        diag_error(checker->u->diag, stmt->at,
                   "`clip` by fixed offsets goes through all of a group");
        return false;
    }
    for (uint32_t d = 0; d < stmt->target->arg_count && d < MOVE_MAX_DIMS; d++)
        if (stmt->target->args[d]->kind == EXPR_NAME)
            indices.names[d] = stmt->target->args[d]->name;
    indices.count = stmt->target->arg_count;
    uint32_t dims = ez_move_dims_of(checker, from);
    for (c.count = 0; c.count < dims && c.count < stmt->value->arg_count; c.count++)
        if (!find_axis(&c, &indices, to, from, c.count))
            return false;
    struct stmt *parts[1 << GROUP_MAX_DIMS];
    uint32_t count = 0;
    for (uint32_t n = 0; n <= c.count; n++)
        for (unsigned outside = 0; outside < 1u << c.count; outside++) {
            bool some = true;
            for (uint32_t d = 0; d < c.count; d++)
                some &= c.axes[d].offset || !(outside >> d & 1);
            if (some && (uint32_t)__builtin_popcount(outside) == n)
                parts[count++] = part_of(&c, outside);
        }
    struct stmt *next = stmt->next;
    *stmt = *parts[0];
    for (struct stmt *s = stmt, **rest = parts + 1; --count; s = s->next)
        s->next = *rest++;
    struct stmt *last = stmt;
    while (last->next)
        last = last->next;
    last->next = next;
    return true;
}
