/* SPDX-License-Identifier: MIT
 * Statements of bodies.  Each mistake is reported, and what follows it checked. */
#include "stage/checker.h"

#include <string.h>

static bool check_list(struct stage_checker *c, struct stage_stmt *list);
static bool check(struct stage_checker *c, struct stage_stmt *s);

/* ---- declarations ---- */

static bool check_elements(struct stage_checker *c, struct stage_stmt *s, uint64_t count) {
    bool fine = true, constant = true;
    uint64_t i = 0;
    struct stage_expr *next, **link = &s->list;
    uint64_t *elements = ARENA_ARRAY(c->arena, (size_t)count + 1, uint64_t);
    for (struct stage_expr *e = s->list; e; e = next, i++) {
        next = e->next;
        bool good = stage_check_as(c, &e, s->type);
        *link = e;
        e->next = next;
        link = &e->next;
        fine &= good;
        constant &= good && e->kind == STAGE_NUMBER;
        if (constant)
            elements[i] = e->value;
    }
    if (fine && s->constant && !constant)
        return stage_wrong(c, s->at, "the elements of '%s' are constants", s->text);
    if (fine && constant) {
        s->of->elements = elements;
        s->list = NULL;
    }
    return fine;
}

static bool declare_table(struct stage_checker *c, struct stage_stmt *s) {
    int64_t count = 0;
    uint64_t listed = 0;
    for (const struct stage_expr *e = s->list; e; e = e->next)
        listed++;
    if (s->extent ? !stage_check_constant(c, &s->extent, "the number of elements", 1,
                                          STAGE_MAX_TABLE, &count)
                  : listed > STAGE_MAX_TABLE &&
                        !stage_wrong(c, s->at, "an array of a body has at most %d elements",
                                     STAGE_MAX_TABLE))
        return false;
    count = s->extent ? count : (int64_t)listed;
    if (listed > (uint64_t)count)
        return stage_wrong(c, s->at, "'%s' has fewer elements than stand in its list", s->text);
    s->of = stage_declare(c, STAGE_TABLE, s->text, s->at, s->type);
    if (!s->of || !stage_take_slots(c, s->at, (uint64_t)count, &s->of->slot))
        return false;
    s->of->constant = s->constant;
    s->of->count = (uint32_t)count;
    if (s->constant && !s->list)
        return stage_wrong(c, s->at, "a constant has a value");
    return !s->list || check_elements(c, s, (uint64_t)count);
}

bool stage_check_declaration(struct stage_checker *c, struct stage_stmt *s) {
    if (s->extent || s->list)
        return declare_table(c, s);
    if (s->constant && !s->value)
        return stage_wrong(c, s->at, "a constant has a value");
    bool fine = !s->value || stage_check_as(c, &s->value, s->type);
    s->of = stage_declare(c, STAGE_LOCAL, s->text, s->at, s->type);
    if (!s->of || !stage_take_slots(c, s->at, 1, &s->of->slot))
        return false;
    s->of->constant = s->constant;
    if (fine && s->constant && s->value->kind == STAGE_NUMBER) {
        uint64_t *element = ARENA_NEW(c->arena, uint64_t);
        *element = s->value->value;
        s->of->elements = element;
    }
    return fine;
}

/* ---- statements ---- */

static bool check_assignment(struct stage_checker *c, struct stage_stmt *s) {
    if (!stage_check_target(c, s->target))
        return false;
    struct lane_type type = s->target->type;
    if (s->op == STAGE_NO_OP) {
        if (!stage_check_as(c, &s->value, type))
            return false;
    } else {
        if (!stage_check_value(c, &s->value))
            return false;
        struct stage_expr *old = ARENA_NEW(c->arena, struct stage_expr);
        *old = *s->target;
        s->value = stage_operate(c, s->at, s->line, s->op, old, s->value);
        if (!s->value || !stage_fit(c, &s->value, type))
            return false;
    }
    if (s->target->kind == STAGE_ELEMENT && s->target->of->param &&
        s->target->of->param->role == STAGE_ACC)
        stage_note_update(c, s);
    return true;
}

static bool check_return(struct stage_checker *c, struct stage_stmt *s) {
    bool filters = c->stage->pattern == STAGE_FILTER;
    if (filters && !s->value)
        return stage_wrong(c, s->at, "a filter returns whether the element is kept");
    if (!filters && s->value)
        return stage_wrong(c, s->at, "only a filter returns a value");
    return !s->value || stage_check_condition(c, &s->value);
}

static bool check_if(struct stage_checker *c, struct stage_stmt *s) {
    bool fine = stage_check_condition(c, &s->value);
    fine &= check(c, s->body);
    return (!s->otherwise || check(c, s->otherwise)) && fine;
}

static bool check_loop(struct stage_checker *c, struct stage_stmt *s) {
    struct stage_name *scope = c->scope, *blocks = c->blocks;
    c->blocks = scope;
    bool fine = !s->first || check_list(c, s->first);
    fine = fine && (!s->value || stage_check_condition(c, &s->value));
    fine = fine && (!s->step || check(c, s->step)) && stage_check_laps(c, s);
    c->loops++;
    fine &= check(c, s->body);
    c->loops--;
    if (s->of)
        s->of->counts = false;
    c->scope = scope;
    c->blocks = blocks;
    return fine;
}

static bool check(struct stage_checker *c, struct stage_stmt *s) {
    struct stage_name *scope = c->scope, *blocks = c->blocks;
    bool fine;
    switch (s->kind) {
    case STAGE_BLOCK:
        c->blocks = scope;
        fine = check_list(c, s->body);
        c->scope = scope;
        c->blocks = blocks;
        return fine;
    case STAGE_DECLARE:
        return stage_check_declaration(c, s);
    case STAGE_ASSIGN:
        return check_assignment(c, s);
    case STAGE_IF:
        return check_if(c, s);
    case STAGE_LOOP:
        return check_loop(c, s);
    case STAGE_RETURN:
        return check_return(c, s);
    default:
        return c->loops > 0 || stage_wrong(c, s->at, "there is no loop around this");
    }
}

static bool check_list(struct stage_checker *c, struct stage_stmt *list) {
    bool fine = true;
    for (struct stage_stmt *s = list; s; s = s->next)
        fine &= check(c, s);
    return fine;
}

bool stage_check_body(struct stage_checker *c, struct stage_stmt *body) {
    return check_list(c, body->body);
}

bool stage_always_returns(const struct stage_stmt *s) {
    for (; s; s = s->next)
        if (s->kind == STAGE_RETURN || (s->kind == STAGE_BLOCK && stage_always_returns(s->body)) ||
            (s->kind == STAGE_IF && s->otherwise && stage_always_returns(s->body) &&
             stage_always_returns(s->otherwise)))
            return true;
    return false;
}
