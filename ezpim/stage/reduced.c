/* SPDX-License-Identifier: MIT
 * What reductions make of all lanes: by folds, one accumulator after another, or by `combine`. */
#include "ezpim/stage/planner.h"

static const char *fold_word(const struct stage_param *q) {
    switch (q->fold) {
    case STAGE_ADD:
        return "sum";
    case STAGE_MUL:
        return "prod";
    case STAGE_AND:
        return q->type.kind == TYPE_BOOL ? "all" : "and";
    case STAGE_OR:
        return q->type.kind == TYPE_BOOL ? "any" : "or";
    case STAGE_XOR:
        return "xor";
    case STAGE_MIN:
        return "min";
    default:
        return "max";
    }
}

static const char *register_of(struct stage_planner *p, struct stage_place at, uint32_t k) {
    return at.registers ? stage_text(&p->w, "%s[%u]", at.name, (unsigned)k) : at.name;
}

/* old OP new, as an expression. */
static const char *put_in(struct stage_planner *p, const struct stage_param *q, const char *old,
                          const char *one) {
    if (q->fold == STAGE_MIN || q->fold == STAGE_MAX)
        return stage_text(&p->w, "%s(%s, %s)", stage_op_text(q->fold), old, one);
    return stage_text(&p->w, "(%s %s %s)", old, stage_op_text(q->fold), one);
}

/* Element `at` of the result, which is what it was and `one`; with `all` it is `one`. */
static void store_result(struct stage_planner *p, const struct stage_param *q, const char *at,
                         bool number, const char *one, bool all) {
    struct stage_stand_in *b = stage_stand_in_of(p, q->array);
    b->keeps |= !q->has || b->group || b->registers;
    const char *place = b->registers ? stage_text(&p->w, "%s[%s]", b->name, at) : b->name;
    const char *old = q->has ? stage_value_text(p, q->type, q->value) : place;
    const char *value = all ? one : put_in(p, q, old, one);
    if (b->group)
        str_printf(stage_out_of(p), "compute %s { if (index() == %s) { %s = %s; } }\n", b->group,
                   at, b->name, value);
    else if (number)
        str_printf(stage_out_of(p), "%s = %s;\n", place, value);
    else
        stage_cannot(&p->w, q->at, "'%s' has more elements than a variable without a group has",
                     q->text);
}

/* Reductions that stand beside each other are folded together, as many as share their steps well.
 */
enum { FOLDED_TOGETHER = 4 };

static void fold_param(struct stage_planner *p, const struct stage_param *q,
                       struct stage_place at) {
    const char *ones[FOLDED_TOGETHER];
    for (uint32_t i = 0; i < FOLDED_TOGETHER && i < q->count; i++)
        ones[i] = stage_variable(p, "s", q->type, 0, NULL);
    for (uint32_t k = 0; k < q->count; k += FOLDED_TOGETHER) {
        uint32_t count = q->count - k < FOLDED_TOGETHER ? q->count - k : FOLDED_TOGETHER;
        for (uint32_t i = 0; i < count; i++)
            str_printf(stage_out_of(p), "%s = %s(%s);\n", ones[i], fold_word(q),
                       register_of(p, at, k + i));
        for (uint32_t i = 0; i < count; i++)
            store_result(p, q, stage_text(&p->w, "%u", (unsigned)(k + i)), true, ones[i], false);
    }
}

static void fold_registers(struct stage_planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        if (q->role == STAGE_ACC && !stage_is_large(q))
            fold_param(p, q, p->w.places[i]);
}

/* An accumulator of many elements: all lanes gather one of them after the other. */
static void fold_one_by_one(struct stage_planner *p, const struct stage_stage *s,
                            const struct stage_param *q, struct stage_place at) {
    const struct lane_type count = {TYPE_UINT, 64};
    const char *one = stage_variable(p, "s", q->type, 0, NULL);
    p->w.bin = stage_variable(p, "b", count, 0, NULL);
    p->w.binned = q;
    str_printf(stage_out_of(p), "%s = 0;\nrepeat (%u) {\n", p->w.bin, (unsigned)q->count);
    stage_put_compute(p, s);
    str_printf(stage_out_of(p), "%s = %s(%s);\n", one, fold_word(q), at.name);
    store_result(p, q, p->w.bin, false, one, false);
    str_printf(stage_out_of(p), "%s = %s + 1;\n}\n", p->w.bin, p->w.bin);
    p->w.binned = NULL;
}

static void put_combine(struct stage_planner *p, const struct stage_stage *s) {
    str_printf(stage_out_of(p), "compute %s {\n", p->homes[s->units].group);
    stage_put_body(&p->w, s->combine);
    stage_mark(&p->w, s->at);
    str_append(stage_out_of(p), "}\n");
}

/* Neighbours take in each other until one part is left. */
static void combine_neighbours(struct stage_planner *p, const struct stage_stage *s,
                               const struct stage_place *gathered) {
    const char *left = stage_variable(p, "n", (struct lane_type){TYPE_UINT, 64}, 0, NULL);
    const char *prefix = p->w.o->prefix;
    str_printf(stage_out_of(p), "%s = u64(%s);\nwhile (%s > 1) {\n", left, p->homes[s->units].count,
               left);
    for (unsigned side = 0; side < 2; side++) {
        uint32_t i = 0;
        for (const struct stage_param *q = s->params; q; q = q->next, i++) {
            const char *begin = stage_value_text(p, q->type, q->begin);
            struct stage_place to = side ? p->w.others[i] : gathered[i], at = p->w.places[i];
            for (uint32_t k = 0; q->role == STAGE_ACC && k < q->count; k++) {
                const char *index = at.registers ? stage_text(&p->w, ", %u", (unsigned)k) : "";
                str_printf(stage_out_of(p), "move %s[%si%s] = %s[2 * %si + %u%s] else %s;\n",
                           to.name, prefix, index, at.name, prefix, side, index, begin);
            }
        }
    }
    uint32_t i = 0;
    str_printf(stage_out_of(p), "compute %s {\n", p->homes[s->units].group);
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        for (uint32_t k = 0; q->role == STAGE_ACC && k < q->count; k++)
            str_printf(stage_out_of(p), "%s = %s;\n", register_of(p, p->w.places[i], k),
                       register_of(p, gathered[i], k));
    str_append(stage_out_of(p), "}\n");
    put_combine(p, s);
    str_printf(stage_out_of(p), "%s = (%s + 1) / 2;\n}\n", left, left);
}

/* What the buffer holds takes part, as the part in front. */
static void combine_old(struct stage_planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    bool any = false;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        const struct stage_stand_in *b = stage_stand_in_of(p, q->array);
        struct stage_place at = p->w.places[i], other = p->w.others[i];
        if (q->role != STAGE_ACC)
            continue;
        any |= !q->has;
        for (uint32_t k = 0; k < q->count; k++) {
            const char *index = at.registers ? stage_text(&p->w, ", %u", (unsigned)k) : "";
            str_printf(stage_out_of(p), "compute %s { %s = %s; }\n", p->homes[s->units].group,
                       register_of(p, other, k), register_of(p, at, k));
            if (q->has)
                str_printf(stage_out_of(p), "compute %s { %s = %s; }\n", p->homes[s->units].group,
                           register_of(p, at, k), stage_value_text(p, q->type, q->value));
            else if (b->group)
                str_printf(stage_out_of(p), "move %s[%si%s] = %s[%u];\n", at.name, p->w.o->prefix,
                           index, b->name, (unsigned)k);
            else
                str_printf(stage_out_of(p), "compute %s { %s = %s%s; }\n", p->homes[s->units].group,
                           register_of(p, at, k), b->name,
                           b->registers ? stage_text(&p->w, "[%u]", (unsigned)k) : "");
        }
    }
    if (any)
        put_combine(p, s);
}

static void combine_all(struct stage_planner *p, const struct stage_stage *s) {
    struct stage_place *mine = ARENA_ARRAY(&p->w.arena, s->param_count + 1, struct stage_place);
    const char *group = p->homes[s->units].group;
    uint32_t i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        if (q->role != STAGE_ACC)
            continue;
        if (stage_is_large(q)) {
            stage_cannot(&p->w, q->at,
                         "parts of '%s' have %u elements, and a lane has registers for %d", q->text,
                         (unsigned)q->count, MOST_GATHERED);
            return;
        }
        uint32_t registers = p->w.places[i].registers;
        mine[i] =
            (struct stage_place){stage_variable(p, "a", q->type, registers, group), registers};
        p->w.others[i] =
            (struct stage_place){stage_variable(p, "o", q->type, registers, group), registers};
    }
    combine_neighbours(p, s, mine);
    bool old = false;
    for (const struct stage_param *q = s->params; q; q = q->next)
        old |= q->role == STAGE_ACC && !q->has;
    if (old)
        combine_old(p, s);
    i = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, i++) {
        const char *one = q->role == STAGE_ACC ? stage_variable(p, "s", q->type, 0, NULL) : NULL;
        for (uint32_t k = 0; one && k < q->count; k++) {
            struct stage_place at = p->w.places[i];
            str_printf(stage_out_of(p), "move %s = %s[0%s];\n", one, at.name,
                       at.registers ? stage_text(&p->w, ", %u", (unsigned)k) : "");
            store_result(p, q, stage_text(&p->w, "%u", (unsigned)k), true, one, true);
        }
    }
}

void stage_put_reduce(struct stage_planner *p, const struct stage_stage *s) {
    uint32_t i = 0;
    bool small = false;
    for (const struct stage_param *q = s->params; q; q = q->next)
        small |= q->role == STAGE_ACC && !stage_is_large(q);
    p->w.skip_large = true;
    if (s->combine)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (q->role == STAGE_ACC && stage_is_large(q)) {
                stage_cannot(&p->w, q->at,
                             "parts of '%s' have %u elements, and a lane has registers for %d",
                             q->text, (unsigned)q->count, MOST_GATHERED);
                return;
            }
    if (small)
        stage_put_compute(p, s);
    if (s->combine) {
        combine_all(p, s);
        return;
    }
    fold_registers(p, s);
    for (const struct stage_param *q = s->params; q; q = q->next, i++)
        if (q->role == STAGE_ACC && stage_is_large(q))
            fold_one_by_one(p, s, q, p->w.places[i]);
}
