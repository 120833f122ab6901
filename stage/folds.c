/* SPDX-License-Identifier: MIT
 * Accumulators: whether what parts of a machine gather can be put together by the operation that
 * gathers it, or how the kernel says it is. */
#include "stage/checker.h"

/* acc[k] = acc[k] OP e, or e OP acc[k]; STAGE_NO_OP: something else. */
static enum stage_op operation(const struct stage_stmt *s) {
    const struct stage_expr *v = s->value;
    if (v->kind != STAGE_BINARY)
        return STAGE_NO_OP;
    bool first = stage_same_expr(v->args[0], s->target);
    bool second = stage_same_expr(v->args[1], s->target);
    switch (v->op) {
    case STAGE_SUB: /* of sums */
        return first && !second ? STAGE_ADD : STAGE_NO_OP;
    case STAGE_ADD:
    case STAGE_MUL:
    case STAGE_AND:
    case STAGE_OR:
    case STAGE_XOR:
    case STAGE_MIN:
    case STAGE_MAX:
        return first != second ? v->op : STAGE_NO_OP;
    default:
        return STAGE_NO_OP;
    }
}

void stage_note_update(struct stage_checker *c, struct stage_stmt *s) {
    struct stage_param *acc = s->target->of->param;
    enum stage_op op = operation(s);
    if (c->in_combine)
        return;
    if (s->op == STAGE_NO_OP && op != STAGE_NO_OP)
        acc->reads--; /* this one is part of the operation */
    if (op == STAGE_NO_OP)
        acc->reads++;
    else if (acc->updates == 0)
        acc->fold = op;
    else if (acc->fold != op)
        acc->reads++;
    acc->updates++;
}

static bool check_fold(struct stage_checker *c, const struct stage_stage *stage,
                       struct stage_param *acc, bool reads, bool floats) {
    bool is_float = object_type_is_float(acc->type);
    if (!acc->updates)
        return stage_wrong(c, acc->at, "the body gathers nothing in '%s'", acc->text);
    if (stage->combine) {
        acc->fold = STAGE_NO_OP;
        acc->begin = acc->has ? acc->value : 0;
        acc->unsettled = floats;
        return true;
    }
    if (reads)
        return stage_wrong(c, acc->at,
                           "what parts of a machine gather in '%s' is not put together by one "
                           "operation: say how with `combine`",
                           acc->text);
    acc->begin = stage_identity(acc->fold, acc->type);
    acc->unsettled = is_float && acc->fold != STAGE_MIN && acc->fold != STAGE_MAX;
    return true;
}

bool stage_check_folds(struct stage_checker *c, struct stage_stage *stage) {
    bool reads = false, floats = false, fine = true;
    for (const struct stage_param *q = stage->params; q; q = q->next) {
        if (q->role != STAGE_ACC)
            continue;
        reads |= q->reads > 0;
        floats |= object_type_is_float(q->type);
    }
    for (struct stage_param *q = stage->params; q; q = q->next)
        if (q->role == STAGE_ACC)
            fine &= check_fold(c, stage, q, reads, floats);
    return fine;
}
