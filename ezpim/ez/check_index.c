/* SPDX-License-Identifier: MIT
 * move y[i] = x[k[i]], move y[k[i]] = x[i]: an index that a variable holds. */
#include "ezpim/ez/check_move.h"

#include <inttypes.h>
#include <string.h>

bool ez_move_is_variable(struct checker *checker, const struct expr *expr) {
    const struct ez_symbol *s =
        expr->kind == EXPR_INDEX ? ez_find_symbol(checker, expr->name.text) : NULL;
    return s && s->kind == SYMBOL_EZ_VARIABLE;
}

bool ez_move_scatters(struct checker *checker, const struct stmt *stmt) {
    for (uint32_t d = 0; stmt->target->kind == EXPR_INDEX && d < stmt->target->arg_count; d++)
        if (ez_move_is_variable(checker, stmt->target->args[d]))
            return true;
    return false;
}

bool ez_move_may_scatter(struct checker *checker, const struct stmt *stmt,
                         const struct ez_symbol *to) {
    if (to->var.group)
        return true;
    diag_error(checker->u->diag, stmt->target->at,
               "`%s` has no group: elements are sent to those of a group alone", to->name.text);
    return false;
}

bool ez_move_outside_allowed(struct checker *checker, const struct stmt *stmt,
                             const struct move *move) {
    if (stmt->fill && move->index.kind == INDEX_SCATTER)
        diag_error(checker->u->diag, stmt->fill->at,
                   "every element that is written here has a source: `else` has no meaning");
    else
        return true;
    return false;
}

static bool same_extents(const struct ez_symbol *left, const struct ez_symbol *right) {
    bool same =
        left->layout.ndim == right->layout.ndim && left->layout.on_mpus == right->layout.on_mpus;
    for (uint32_t d = 0; same && d < left->layout.ndim; d++)
        same = ez_same_extent(left->layout.extents[d], right->layout.extents[d]);
    return same;
}

static const struct ez_symbol *first_of_kin(const struct ez_symbol *symbol) {
    while (symbol->layout.like)
        symbol = symbol->layout.like;
    return symbol;
}

/* Whether each element of near has an index in its own lane. */
static bool lies_beside(struct checker *checker, const struct expr *expr,
                        const struct ez_symbol *near, const struct ez_symbol *index) {
    if (near->var.group && index->var.group &&
        first_of_kin(near->var.group) == first_of_kin(index->var.group) &&
        same_extents(near->var.group, index->var.group))
        return true;
    diag_error(checker->u->diag, expr->at,
               near->var.group
                   ? "`%s` must lie beside `%s`: in its group, or in one that is like it with "
                     "the same extents"
                   : "`%s` says where elements go or come from, and `%s` has no group",
               index->name.text, near->name.text);
    return false;
}

static bool is_integer(struct checker *checker, const struct expr *expr,
                       const struct ez_symbol *symbol) {
    enum type_kind kind = symbol->type.type.kind;
    if (kind == TYPE_UINT || kind == TYPE_INT)
        return true;
    diag_error(checker->u->diag, expr->at, "an index is of an integer type, and `%s` is %s",
               symbol->name.text, ez_type_name(checker, symbol->type.type));
    return false;
}

/* The same number, or the same name, as the near side has for its coordinate `dim`. */
static bool is_same_index(struct checker *checker, struct expr *expr, uint32_t dim,
                          const struct indices *indices, const struct move *move) {
    const struct indices none = {.side = indices->side};
    struct affine a;
    if (indices->names[dim].text) {
        if (expr->kind == EXPR_NAME && strcmp(expr->name.text, indices->names[dim].text) == 0)
            return true;
        diag_error(checker->u->diag, expr->at,
                   "an index has the indices of the %s, in their order: here that is `%s`",
                   indices->side, indices->names[dim].text);
        return false;
    }
    if (!ez_move_affine(checker, expr, &none, &a))
        return false;
    if (a.offset == move->first[dim].offset && a.size_coeff == move->first[dim].size_coeff &&
        (!a.size_coeff || a.size == move->first[dim].size))
        return true;
    diag_error(checker->u->diag, expr->at,
               "an index has the indices of the %s, in their order, and this is another number",
               indices->side);
    return false;
}

/* All registers of an array of indices go with all of the near side's. */
static bool follow_registers(struct checker *checker, const struct expr *expr,
                             const struct ez_symbol *near, const struct ez_symbol *index,
                             struct move_index *out) {
    out->follows = near->has_k;
    if (near->has_k && near->count == index->count)
        return true;
    diag_error(checker->u->diag, expr->at, "`%s` has %" PRIu32 " registers, and `%s` has %" PRIu32,
               index->name.text, index->count, near->name.text, near->count);
    return false;
}

/* The register of an array of indices: a number, or the near side's own. */
static bool choose_register(struct checker *checker, struct expr *expr,
                            const struct ez_symbol *near, const struct ez_symbol *index,
                            const struct indices *indices, struct move_index *out) {
    const char *own = near->has_k ? indices->names[indices->count - 1].text : NULL;
    struct affine a;
    if (own && expr->kind == EXPR_NAME && strcmp(expr->name.text, own) == 0)
        return follow_registers(checker, expr, near, index, out);
    const struct indices none = {.side = indices->side};
    if (!ez_move_affine(checker, expr, &none, &a))
        return false;
    if (!a.size_coeff && a.offset >= 0 && a.offset < index->count) {
        out->reg = (uint8_t)a.offset;
        return true;
    }
    diag_error(checker->u->diag, expr->at, "`%s` has registers 0 to %" PRIu32, index->name.text,
               index->count - 1);
    return false;
}

static bool check_indices(struct checker *checker, const struct expr *expr,
                          const struct ez_symbol *near, const struct ez_symbol *index,
                          const struct indices *indices, struct ez_move *move) {
    uint32_t own = ez_move_dims_of(checker, index);
    struct move *m = &move->record;
    if (!ez_move_count_indices(checker, expr, index))
        return false;
    for (uint32_t d = 0; d < own; d++)
        if (!is_same_index(checker, expr->args[d], d, indices, m))
            return false;
    if (!index->has_k)
        return true;
    return expr->arg_count == own
               ? follow_registers(checker, expr, near, index, &m->index)
               : choose_register(checker, expr->args[own], near, index, indices, &m->index);
}

bool ez_move_check_index(struct checker *checker, const struct ez_symbol *near,
                         const struct expr *far, const struct indices *indices,
                         struct ez_move *move, uint32_t *indexed) {
    struct move_index *out = &move->record.index;
    for (uint32_t d = 0; far->kind == EXPR_INDEX && d < far->arg_count; d++) {
        struct expr *e = far->args[d];
        if (!ez_move_is_variable(checker, e))
            continue;
        struct ez_symbol *index = ez_find_variable(checker, e);
        if (!index)
            return false;
        if (*indexed != NO_INDEX) {
            diag_error(checker->u->diag, e->at, "a move has one index that a variable holds");
            return false;
        }
        if (!lies_beside(checker, e, near, index) || !is_integer(checker, e, index) ||
            !check_indices(checker, e, near, index, indices, move))
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
