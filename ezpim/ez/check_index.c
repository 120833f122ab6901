/* SPDX-License-Identifier: MIT
 * move y[i] = x[k[i]], move y[k[i]] = x[i]: an index that a variable holds. */
#include "ezpim/ez/check_move.h"

#include <inttypes.h>
#include <string.h>

static bool is_variable(struct checker *c, const struct expr *e) {
    const struct ez_symbol *s = e->kind == EXPR_INDEX ? find_symbol(c, e->name.text) : NULL;
    return s && s->kind == SYMBOL_EZ_VARIABLE;
}

bool move_scatters(struct checker *c, const struct stmt *s) {
    for (uint32_t d = 0; s->target->kind == EXPR_INDEX && d < s->target->arg_count; d++)
        if (is_variable(c, s->target->args[d]))
            return true;
    return false;
}

bool move_may_scatter(struct checker *c, const struct stmt *s, const struct ez_symbol *to) {
    if (to->var.group)
        return true;
    diag_error(c->u->diag, s->target->at,
               "`%s` has no group: elements are sent to those of a group alone", to->name.text);
    return false;
}

bool move_outside_allowed(struct checker *c, const struct stmt *s, const struct move *m) {
    if (s->clip && !m->index.kind)
        diag_error(c->u->diag, s->at,
                   "`clip` is for moves with an index that a variable holds, such as `x[k[i]]`");
    else if (s->fill && m->index.kind == INDEX_SCATTER)
        diag_error(c->u->diag, s->fill->at,
                   "every element that is written here has a source: `else` has no meaning");
    else
        return true;
    return false;
}

static bool same_extents(const struct ez_symbol *a, const struct ez_symbol *b) {
    bool same = a->layout.ndim == b->layout.ndim && a->layout.on_mpus == b->layout.on_mpus;
    for (uint32_t d = 0; same && d < a->layout.ndim; d++)
        same = ez_same_extent(a->layout.extents[d], b->layout.extents[d]);
    return same;
}

static const struct ez_symbol *first_of_kin(const struct ez_symbol *g) {
    while (g->layout.like)
        g = g->layout.like;
    return g;
}

/* Whether each element of near has an index in its own lane. */
static bool lies_beside(struct checker *c, const struct expr *e, const struct ez_symbol *near,
                        const struct ez_symbol *index) {
    if (near->var.group && index->var.group &&
        first_of_kin(near->var.group) == first_of_kin(index->var.group) &&
        same_extents(near->var.group, index->var.group))
        return true;
    diag_error(c->u->diag, e->at,
               near->var.group
                   ? "`%s` must lie beside `%s`: in its group, or in one that is like it with "
                     "the same extents"
                   : "`%s` says where elements go or come from, and `%s` has no group",
               index->name.text, near->name.text);
    return false;
}

static bool is_integer(struct checker *c, const struct expr *e, const struct ez_symbol *s) {
    enum type_kind kind = s->type.type.kind;
    if (kind == TYPE_UINT || kind == TYPE_INT)
        return true;
    diag_error(c->u->diag, e->at, "an index is of an integer type, and `%s` is %s", s->name.text,
               type_name(c, s->type.type));
    return false;
}

/* The same number, or the same name, as the near side has for its coordinate d. */
static bool is_same_index(struct checker *c, struct expr *e, uint32_t d, const struct indices *x,
                          const struct move *m) {
    const struct indices none = {.side = x->side};
    struct affine a;
    if (x->names[d].text) {
        if (e->kind == EXPR_NAME && strcmp(e->name.text, x->names[d].text) == 0)
            return true;
        diag_error(c->u->diag, e->at,
                   "an index has the indices of the %s, in their order: here that is `%s`", x->side,
                   x->names[d].text);
        return false;
    }
    if (!move_affine(c, e, &none, &a))
        return false;
    if (a.offset == m->first[d].offset && a.size_coeff == m->first[d].size_coeff &&
        (!a.size_coeff || a.size == m->first[d].size))
        return true;
    diag_error(c->u->diag, e->at,
               "an index has the indices of the %s, in their order, and this is another number",
               x->side);
    return false;
}

/* All registers of an array of indices go with all of the near side's. */
static bool follow_registers(struct checker *c, const struct expr *e, const struct ez_symbol *near,
                             const struct ez_symbol *index, struct move_index *out) {
    out->follows = near->has_k;
    if (near->has_k && near->count == index->count)
        return true;
    diag_error(c->u->diag, e->at, "`%s` has %" PRIu32 " registers, and `%s` has %" PRIu32,
               index->name.text, index->count, near->name.text, near->count);
    return false;
}

/* The register of an array of indices: a number, or the near side's own. */
static bool choose_register(struct checker *c, struct expr *e, const struct ez_symbol *near,
                            const struct ez_symbol *index, const struct indices *x,
                            struct move_index *out) {
    const char *own = near->has_k ? x->names[x->count - 1].text : NULL;
    struct affine a;
    if (own && e->kind == EXPR_NAME && strcmp(e->name.text, own) == 0)
        return follow_registers(c, e, near, index, out);
    const struct indices none = {.side = x->side};
    if (!move_affine(c, e, &none, &a))
        return false;
    if (!a.size_coeff && a.offset >= 0 && a.offset < index->count) {
        out->reg = (uint8_t)a.offset;
        return true;
    }
    diag_error(c->u->diag, e->at, "`%s` has registers 0 to %" PRIu32, index->name.text,
               index->count - 1);
    return false;
}

static bool check_indices(struct checker *c, const struct expr *e, const struct ez_symbol *near,
                          const struct ez_symbol *index, const struct indices *x,
                          struct ez_move *move) {
    uint32_t own = move_dims_of(c, index);
    struct move *m = &move->record;
    if (!move_count_indices(c, e, index))
        return false;
    for (uint32_t d = 0; d < own; d++)
        if (!is_same_index(c, e->args[d], d, x, m))
            return false;
    if (!index->has_k)
        return true;
    return e->arg_count == own ? follow_registers(c, e, near, index, &m->index)
                               : choose_register(c, e->args[own], near, index, x, &m->index);
}

bool move_check_index(struct checker *c, const struct ez_symbol *near, const struct expr *far,
                      const struct indices *x, struct ez_move *move, uint32_t *indexed) {
    struct move_index *out = &move->record.index;
    for (uint32_t d = 0; far->kind == EXPR_INDEX && d < far->arg_count; d++) {
        struct expr *e = far->args[d];
        if (!is_variable(c, e))
            continue;
        struct ez_symbol *index = find_variable(c, e);
        if (!index)
            return false;
        if (*indexed != NO_INDEX) {
            diag_error(c->u->diag, e->at, "a move has one index that a variable holds");
            return false;
        }
        if (!lies_beside(c, e, near, index) || !is_integer(c, e, index) ||
            !check_indices(c, e, near, index, x, move))
            return false;
        *indexed = d;
        move->index = index;
        move->index_at = e;
        out->kind = out->kind ? out->kind : INDEX_GATHER;
        out->coordinate = (uint8_t)d;
        out->type.kind = index->type.type.kind;
        out->type.bits = index->type.type.bits;
    }
    return true;
}
