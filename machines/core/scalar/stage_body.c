/* SPDX-License-Identifier: MIT
 * Statements of stage kernels as scalar IR: what a condition leaves out is masked. */
#include "machines/core/scalar/stage.h"

static scalar_id never(struct scalar_frame *f) {
    return scalar_const(f->g->b, 0, false);
}
static scalar_id negated(struct scalar_frame *f, scalar_id mask) {
    return scalar_two(f->g->b, SCALAR_XOR, mask, scalar_const(f->g->b, 1, false));
}
scalar_id scalar_stage_either(struct scalar_frame *f, scalar_id x, scalar_id y) {
    return !x ? y : !y ? x : scalar_two(f->g->b, SCALAR_OR, x, y);
}
scalar_id scalar_stage_mask(struct scalar_frame *f, scalar_id path) {
    return path ? path : scalar_const(f->g->b, 1, false);
}
scalar_id scalar_stage_path(struct scalar_frame *f, scalar_id mask) {
    const struct scalar_value *v = scalar_at(f->g->b, mask);
    return v->op == SCALAR_CONST && v->k ? 0 : mask;
}
bool scalar_stage_dead(struct scalar_frame *f) {
    return f->g->failed || f->g->again || scalar_stage_never(f->g->b, f->path);
}

static void carry_out(struct scalar_frame *f, const struct stage_stmt *s);

void scalar_stage_list(struct scalar_frame *f, const struct stage_stmt *s) {
    for (; s && !scalar_stage_dead(f); s = s->next)
        carry_out(f, s);
}

/* ---- declarations ---- */

static scalar_id zero_of(struct scalar_frame *f, struct lane_type t, uint64_t k) {
    return scalar_const(f->g->b, k, t.bits > 32);
}
static void declare(struct scalar_frame *f, const struct stage_stmt *s) {
    struct stage_name *n = s->of;
    const struct stage_expr *e = s->list;
    if (n->kind == STAGE_TABLE && n->constant)
        return;
    if (n->kind != STAGE_TABLE) {
        f->unit->slots[n->slot] =
            s->value ? scalar_stage_value(f, s->value) : zero_of(f, n->type, 0);
        return;
    }
    for (uint32_t i = 0; i < n->count; i++, e = e ? e->next : NULL) {
        scalar_id v =
            e ? scalar_stage_value(f, e) : zero_of(f, n->type, n->elements ? n->elements[i] : 0);
        const struct lane_type index = {TYPE_UINT, 32};
        const struct stage_expr at = {
            .kind = STAGE_NUMBER, .type = index, .value = i, .line = s->line};
        const struct stage_expr target = {.kind = STAGE_ELEMENT,
                                          .type = n->type,
                                          .of = n,
                                          .inside = true,
                                          .line = s->line,
                                          .args = {(struct stage_expr *)&at}};
        /* What was there before is nobody's. */
        if (!scalar_stage_has_room(f->g->s, n))
            f->unit->slots[n->slot + i] = v;
        else
            scalar_stage_assign(f, &target, v);
    }
}

/* ---- paths ---- */

static void condition(struct scalar_frame *f, const struct stage_stmt *s) {
    struct scalar_body *b = f->g->b;
    scalar_id mask = scalar_stage_value(f, s->value), before = f->path, after[2];
    bool left = false;
    for (unsigned i = 0; i < 2; i++) {
        scalar_id path = scalar_stage_both(b, before, i ? negated(f, mask) : mask);
        f->path = path;
        if (!scalar_stage_dead(f) && (i == 0 || s->otherwise))
            carry_out(f, i ? s->otherwise : s->body);
        left |= f->path != path;
        after[i] = f->path;
    }
    /* Where nothing has left it, both ways come together again. */
    f->path = before;
    if (left)
        f->path = scalar_stage_path(f, scalar_stage_either(f, scalar_stage_mask(f, after[0]),
                                                           scalar_stage_mask(f, after[1])));
}

static void give_back(struct scalar_frame *f, const struct stage_stmt *s) {
    if (s->value) {
        scalar_id keep = scalar_stage_value(f, s->value), old = f->unit->keep;
        f->unit->keep =
            f->path ? scalar_select(f->g->b, f->path, keep, old ? old : never(f)) : keep;
    }
    f->returned = scalar_stage_either(f, f->returned, scalar_stage_mask(f, f->path));
    f->path = never(f);
}

static void carry_out(struct scalar_frame *f, const struct stage_stmt *s) {
    scalar_stage_is_for(f->g->b, s->line);
    switch (s->kind) {
    case STAGE_BLOCK:
        scalar_stage_list(f, s->body);
        break;
    case STAGE_DECLARE:
        declare(f, s);
        break;
    case STAGE_ASSIGN:
        scalar_stage_assign(f, s->target, scalar_stage_value(f, s->value));
        break;
    case STAGE_IF:
        condition(f, s);
        break;
    case STAGE_LOOP:
        scalar_stage_loop(f, s);
        break;
    case STAGE_RETURN:
        give_back(f, s);
        break;
    case STAGE_CONTINUE:
        f->goes_on = scalar_stage_either(f, f->goes_on, scalar_stage_mask(f, f->path));
        f->path = never(f);
        break;
    default:
        f->path = never(f);
    }
}

void scalar_stage_body(struct scalar_frame *f, const struct stage_stmt *body) {
    carry_out(f, body);
}
