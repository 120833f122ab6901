/* SPDX-License-Identifier: MIT
 * Statements of `main`: ensembles, and what looks at all elements of a group. */
#include "tests/ezpim/interp_parts.h"

#include <string.h>

/* The MPU that holds an element: the grid's coordinates come first. */
static uint64_t mpu_of(const struct interp *it, const struct interp_group *g, uint64_t element) {
    return g->on_grid ? element / (g->elements / it->grid.elements) : 0;
}

static void run_compute(struct interp *it, const struct stmt *s) {
    const struct interp_group *g = interp_group(it, s->name.text);
    uint64_t place = it->on ? interp_mpu(it, it->on->operands, it->on->operand_count) : 0,
             front = interp_front_of(it, s->body);
    uint64_t counted = interp_front_in(it, g);
    front = counted < front ? counted : front;
    uint64_t elements = g && front < g->elements ? front : g ? g->elements : 0;
    it->group = g;
    for (it->element = 0; it->element < elements && !it->error; it->element++)
        if (!it->on || !g->on_grid || mpu_of(it, g, it->element) == place)
            interp_run_lane(it, s->body);
    it->element = 0;
}

/* The group of the first variable in e that has one, or NULL. */
static const char *group_of(struct interp *it, const struct expr *e) {
    const char *group = NULL;
    if (interp_asks_length(e))
        return NULL;
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX) {
        const struct interp_binding *b = interp_lookup(it, e->name.text);
        if (b && b->kind == BOUND_VARIABLE)
            group = it->variables.data[b->variable].group;
    }
    for (uint32_t i = 0; !group && i < e->arg_count; i++)
        group = group_of(it, e->args[i]);
    return group;
}

static const struct interp_group *elements_of(struct interp *it, const struct expr *e) {
    const char *name = group_of(it, e);
    if (!name)
        interp_fail(it, "an expression over no group");
    it->group = name ? interp_group(it, name) : NULL;
    return it->group;
}

static bool is_call(const struct expr *e, const char *name) {
    return e->kind == EXPR_CALL && e->arg_count == 1 && strcmp(e->name.text, name) == 0;
}

static bool any_element(struct interp *it, const struct expr *e, bool wanted) {
    const struct interp_group *g = elements_of(it, e);
    uint64_t part = interp_part(it, g, e);
    bool found = false;
    for (it->element = 0; it->element < part && !it->error; it->element++)
        found |= interp_true(it, e) == wanted;
    it->element = 0;
    return found;
}

static bool condition(struct interp *it, const struct expr *e) {
    if (e->kind == EXPR_UNARY && e->op == UNARY_NOT)
        return !condition(it, e->args[0]);
    if (e->kind == EXPR_BINARY && (e->op == BINARY_ALL || e->op == BINARY_ANY)) {
        bool left = condition(it, e->args[0]), right = condition(it, e->args[1]);
        return e->op == BINARY_ALL ? left && right : left || right;
    }
    if (is_call(e, "any"))
        return any_element(it, e->args[0], true);
    if (is_call(e, "all"))
        return !any_element(it, e->args[0], false);
    return interp_true(it, e);
}

static void run_for(struct interp *it, const struct stmt *s) {
    ez_number first = interp_eval(it, s->value).v, last = interp_eval(it, s->last).v;
    size_t mark = it->locals.len;
    for (ez_number i = first; i < last && interp_step(it); i++) {
        struct interp_binding b = {.name = s->name.text, .kind = BOUND_NUMBER};
        b.number = interp_number(i);
        vec_push(&it->locals, b);
        interp_run_top(it, s->body);
        it->locals.len = mark;
    }
}

static void run_repeat(struct interp *it, const struct stmt *s) {
    ez_number count = interp_eval(it, s->value).v;
    for (ez_number i = 0; i < count && interp_step(it); i++)
        interp_run_top(it, s->body);
}

static void run_on(struct interp *it, const struct stmt *s) {
    it->on = s;
    interp_run_top(it, s->body);
    it->on = NULL;
}

/* What has no group has a cell for each lane, and all lanes work out the same. */
static void assign_value(struct interp *it, const struct stmt *s) {
    struct stmt alone = *s;
    const struct interp_binding *b = interp_find(it, s->target->name.text);
    uint64_t lanes = b && b->kind == BOUND_VARIABLE ? it->variables.data[b->variable].elements : 0;
    alone.next = NULL;
    it->group = NULL;
    for (it->element = 0; it->element < lanes && !it->error; it->element++)
        interp_run_lane(it, &alone);
    it->element = 0;
}

/* A call over whole groups, or one value. */
static void run_assign(struct interp *it, const struct stmt *s) {
    const struct expr *e = s->value;
    if (s->compound || e->kind != EXPR_CALL || e->arg_count == 0 || interp_asks_length(e) ||
        !group_of(it, e->args[0])) {
        assign_value(it, s);
        return;
    }
    const struct interp_group *g = elements_of(it, s->value->args[0]);
    if (!interp_array(it, s, g))
        interp_reduce(it, s, g);
}

static void run_stmt(struct interp *it, const struct stmt *s) {
    switch (s->kind) {
    case STMT_COMPUTE:
        run_compute(it, s);
        break;
    case STMT_REPEAT:
        run_repeat(it, s);
        break;
    case STMT_FOR:
        run_for(it, s);
        break;
    case STMT_IF:
        interp_run_top(it, condition(it, s->value) ? s->body : s->otherwise);
        break;
    case STMT_LAUNCH: /* of a form that no target knows */
        interp_run_top(it, s->otherwise);
        break;
    case STMT_WHILE:
        if (s->asks_last)
            interp_run_top(it, s->body);
        while (condition(it, s->value) && interp_step(it))
            interp_run_top(it, s->body);
        break;
    case STMT_ASSIGN:
        run_assign(it, s);
        break;
    case STMT_MOVE:
        interp_move(it, s);
        break;
    case STMT_COMPACT:
        interp_compact(it, s);
        break;
    case STMT_COLLECTIVE:
        interp_collective(it, s);
        break;
    case STMT_SEND:
        interp_send(it, s);
        break;
    case STMT_RECV:
        interp_receive(it, s);
        break;
    case STMT_ON:
        run_on(it, s);
        break;
    case STMT_MARK:
    case STMT_BARRIER:
    case STMT_SYNC:
        break;
    default:
        interp_fail(it, "a statement of `main` that the interpreter does not know");
    }
}

void interp_run_top(struct interp *it, const struct stmt *s) {
    for (; s && interp_step(it); s = s->next)
        run_stmt(it, s);
}

bool interp_run(struct interp *it, uint64_t steps) {
    it->steps = steps;
    for (const struct decl *d = it->program->decls; d && !it->error; d = d->next)
        if (d->kind == DECL_MAIN)
            interp_run_top(it, d->body);
    return !it->error;
}
