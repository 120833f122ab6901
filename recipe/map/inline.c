/* SPDX-License-Identifier: MIT
 * Puts the subs of a generic recipe in place, with names of their own, so that one body of control
 * statements and logic remains. */
#include "recipe/map/mapping.h"

#include <inttypes.h>
#include <string.h>

#define MAX_CALLS_DEEP 16
#define MAX_STATEMENTS (1u << 14) /* of subs: those of a recipe are as many as its text has */

/* What a symbol of a unit stands for in the mapped recipe: a name of it, or an expression (a
 * number, or one bit). */
struct actual {
    uint32_t name;
    const struct recipe_expr *expr;
};

struct activation {
    const struct recipe_unit *unit;
    struct actual *actuals;  /* by symbol of the unit */
    const struct span *call; /* where messages point when the unit's file is another one */
    unsigned depth;
};

struct stmt_chain {
    struct recipe_stmt *first, **tail;
};

static bool put_list(struct mapping *mapping, struct activation *activation,
                     const struct recipe_stmt *stmt, struct stmt_chain *out);

static struct span place_in(const struct activation *activation, struct span at) {
    return activation->call ? *activation->call : at;
}

/* --- names --- */

static uint32_t add_name(struct mapping *mapping, const char *text, enum name_kind kind) {
    struct scope *s = &mapping->made->unit.scope;
    struct map_name made = {.kind = kind, .phase = NOTHING};
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 32;
        const char **names = ARENA_ARRAY(&mapping->set->arena, cap, const char *);
        if (s->count)
            memcpy(names, s->names, s->count * sizeof *names);
        s->names = names;
        s->cap = cap;
    }
    s->names[s->count] = text;
    map_put(&mapping->name_index, text, s->count);
    vec_push(&mapping->names, made);
    return s->count++;
}

const char *mapping_new_text(struct mapping *mapping, const char *base) {
    const char *text = base;
    const uint64_t *last = map_get(&mapping->name_numbers, base);
    uint64_t number = last ? *last : 1;
    while (map_get(&mapping->name_index, text))
        text = arena_printf(&mapping->set->arena, "%s_%" PRIu64, base, ++number);
    map_put(&mapping->name_numbers, base, number);
    return text;
}

uint32_t mapping_new_name(struct mapping *mapping, const char *base, enum name_kind kind) {
    return add_name(mapping, mapping_new_text(mapping, base), kind);
}

/* Names of loops may be used again where none of them runs. */
static uint32_t new_loop_name(struct mapping *mapping, const char *base) {
    const uint64_t *found = map_get(&mapping->name_index, base);
    const struct map_name *n = found ? &mapping->names.data[*found] : NULL;
    uint32_t name = n && n->loop && !n->active ? (uint32_t)*found
                                               : mapping_new_name(mapping, base, NAME_NUMBER);
    mapping->names.data[name].loop = true;
    return name;
}

/* --- expressions --- */

static struct recipe_expr *new_expr(struct mapping *mapping, enum recipe_expr_kind kind,
                                    struct span at) {
    struct recipe_expr *e = ARENA_NEW(&mapping->set->arena, struct recipe_expr);
    e->kind = kind;
    e->at = e->name_at = at;
    return e;
}

struct recipe_expr *mapping_name_expr(struct mapping *mapping, uint32_t name, struct span at) {
    struct recipe_expr *e = new_expr(mapping, EXPR_NAME, at);
    e->ref = name;
    e->name = mapping->made->unit.scope.names[name];
    return e;
}

struct recipe_expr *mapping_number_expr(struct mapping *mapping, int64_t number, struct span at) {
    struct recipe_expr *e = new_expr(mapping, EXPR_NUMBER, at);
    e->number = number;
    return e;
}

static bool is_place_name(const struct recipe_expr *expr) {
    return expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX || expr->kind == EXPR_AT;
}

static const struct recipe_expr *put_expr(struct mapping *mapping,
                                          const struct activation *activation,
                                          const struct recipe_expr *expr);

static const struct recipe_expr *copy_expr(struct mapping *mapping,
                                           const struct activation *activation,
                                           const struct recipe_expr *expr) {
    struct recipe_expr *made = ARENA_NEW(&mapping->set->arena, struct recipe_expr);
    *made = *expr;
    made->at = place_in(activation, expr->at);
    made->name_at = place_in(activation, expr->name_at);
    made->args =
        expr->count ? ARENA_ARRAY(&mapping->set->arena, expr->count, struct recipe_expr *) : NULL;
    for (unsigned i = 0; i < expr->count; i++)
        made->args[i] =
            (struct recipe_expr *)(uintptr_t)put_expr(mapping, activation, expr->args[i]);
    if (is_place_name(expr)) {
        made->ref = activation->actuals[expr->ref].name;
        made->name = mapping->made->unit.scope.names[made->ref];
    }
    return made;
}

static const struct recipe_expr *put_expr(struct mapping *mapping,
                                          const struct activation *activation,
                                          const struct recipe_expr *expr) {
    if (!is_place_name(expr) || !activation->actuals[expr->ref].expr)
        return copy_expr(mapping, activation, expr);
    const struct recipe_expr *actual = activation->actuals[expr->ref].expr;
    if (expr->kind == EXPR_NAME || (expr->kind == EXPR_AT && actual->kind == EXPR_AT))
        return actual;
    mapping_fail(mapping, place_in(activation, expr->at),
                 "'%s' is one bit here: the call says which", expr->name);
    return actual;
}

static bool names_only_numbers(const struct mapping *mapping, const struct recipe_expr *expr) {
    if (is_place_name(expr) && mapping->names.data[expr->ref].kind != NAME_NUMBER)
        return false;
    for (unsigned i = 0; i < expr->count; i++)
        if (!names_only_numbers(mapping, expr->args[i]))
            return false;
    return true;
}

/* The value of a number without names; false if it has some, or no value. */
static bool fold(const struct recipe_expr *expr, int64_t *value) {
    int64_t b = 0;
    *value = expr->number;
    if (expr->kind == EXPR_NUMBER)
        return true;
    if (expr->kind == EXPR_UNARY && fold(expr->args[0], value)) {
        *value = expr->op == '!' ? !*value : expr->op == '~' ? ~*value : -*value;
        return true;
    }
    if (expr->kind != EXPR_BINARY || !fold(expr->args[0], value))
        return false;
    if ((expr->op == MARK2('&', '&') && !*value) || (expr->op == MARK2('|', '|') && *value)) {
        *value = *value != 0;
        return true;
    }
    return fold(expr->args[1], &b) && notation_expr_binary(expr->op, *value, b, value);
}

/* --- statements --- */

struct recipe_stmt *mapping_new_stmt(struct mapping *mapping, enum recipe_stmt_kind kind,
                                     struct span at) {
    struct recipe_stmt *s = ARENA_NEW(&mapping->set->arena, struct recipe_stmt);
    s->kind = kind;
    s->id = mapping->set->ast.next_id++;
    s->at = at;
    return s;
}

static void append(struct stmt_chain *list, struct recipe_stmt *stmt) {
    *list->tail = stmt;
    list->tail = &stmt->next;
}

static struct recipe_stmt *new_assignment(struct mapping *mapping, enum recipe_stmt_kind kind,
                                          uint32_t name, const struct recipe_expr *value) {
    struct recipe_stmt *s = mapping_new_stmt(mapping, kind, value->at);
    s->targets[0] = mapping_name_expr(mapping, name, value->at);
    s->target_count = 1;
    s->value = (struct recipe_expr *)(uintptr_t)value;
    return s;
}

static const struct recipe_expr *put_optional(struct mapping *mapping,
                                              const struct activation *activation,
                                              const struct recipe_expr *expr) {
    return expr ? put_expr(mapping, activation, expr) : NULL;
}

static bool put_copy(struct mapping *mapping, struct activation *activation,
                     const struct recipe_stmt *stmt, struct stmt_chain *out) {
    struct recipe_stmt *made =
        mapping_new_stmt(mapping, stmt->kind, place_in(activation, stmt->at));
    uint32_t id = made->id;
    struct span at = made->at;
    *made = *stmt;
    made->id = id;
    made->at = at;
    made->next = NULL;
    made->body = made->otherwise = NULL;
    for (unsigned i = 0; i < stmt->target_count; i++)
        made->targets[i] =
            (struct recipe_expr *)(uintptr_t)put_expr(mapping, activation, stmt->targets[i]);
    made->value = (struct recipe_expr *)(uintptr_t)put_optional(mapping, activation, stmt->value);
    made->first = (struct recipe_expr *)(uintptr_t)put_optional(mapping, activation, stmt->first);
    made->last = (struct recipe_expr *)(uintptr_t)put_optional(mapping, activation, stmt->last);
    append(out, made);
    struct stmt_chain body = {NULL, &made->body}, otherwise = {NULL, &made->otherwise};
    uint32_t name = stmt->kind == STMT_FOR ? made->targets[0]->ref : NOTHING;
    if (name != NOTHING)
        mapping->names.data[name].active = true;
    bool fine = put_list(mapping, activation, stmt->body, &body) &&
                put_list(mapping, activation, stmt->otherwise, &otherwise);
    if (name != NOTHING)
        mapping->names.data[name].active = false;
    return fine;
}

static bool put_if(struct mapping *mapping, struct activation *activation,
                   const struct recipe_stmt *stmt, struct stmt_chain *out) {
    int64_t v;
    if (fold(put_expr(mapping, activation, stmt->value), &v))
        return put_list(mapping, activation, v ? stmt->body : stmt->otherwise, out);
    return put_copy(mapping, activation, stmt, out);
}

/* A number gets a name of its own, so that its bits can be taken. */
static bool put_number(struct mapping *mapping, const struct param *param,
                       const struct recipe_expr *expr, struct stmt_chain *out, struct actual *to) {
    int64_t v;
    if (fold(expr, &v)) {
        to->expr = mapping_number_expr(mapping, v, expr->at);
        return true;
    }
    to->name = mapping_new_name(mapping, param->name, NAME_NUMBER);
    append(out, new_assignment(mapping, STMT_LET, to->name, expr));
    return true;
}

static bool put_operand(struct mapping *mapping, const struct param *param,
                        const struct recipe_expr *expr, struct stmt_chain *out, struct actual *to) {
    if (expr->kind == EXPR_NAME) {
        to->name = expr->ref;
        return true;
    }
    if (names_only_numbers(mapping, expr))
        return put_number(mapping, param, expr, out, to);
    to->expr = expr;
    return is_place_name(expr) ||
           mapping_fail(mapping, expr->at,
                        "an operand of a sub is a place or a number: give the logic a name");
}

static bool is_straight(const struct recipe_stmt *stmt) {
    for (; stmt; stmt = stmt->next)
        if (stmt->kind == STMT_FOR || stmt->kind == STMT_AT || stmt->kind == STMT_CARRY ||
            !is_straight(stmt->body) || !is_straight(stmt->otherwise))
            return false;
    return true;
}

/* A bit that the same call also overwrites is taken before. */
static void keep_operand(struct mapping *mapping, const struct param *param,
                         const struct recipe_expr *expr, struct stmt_chain *out,
                         struct actual *to) {
    to->expr = NULL;
    to->name = mapping_new_name(mapping, param->name, NAME_SCRATCH);
    append(out, new_assignment(mapping, STMT_LOGIC, to->name, expr));
}

static bool is_bit(const struct mapping *mapping, const struct recipe_expr *expr) {
    enum name_kind kind = is_place_name(expr) ? mapping->names.data[expr->ref].kind : NAME_NUMBER;
    return kind != NAME_NUMBER && (kind != NAME_REGISTER || expr->kind == EXPR_INDEX);
}

static bool is_result(const struct recipe_expr *expr, const struct recipe_expr *const *results,
                      unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (results[i]->ref == expr->ref)
            return true;
    return false;
}

static bool put_operands(struct mapping *mapping, struct activation *caller,
                         const struct recipe_stmt *stmt, struct activation *activation,
                         struct stmt_chain *out) {
    const struct recipe_unit *u = activation->unit;
    const struct recipe_expr *results[OP_MAX_DESTS];
    bool straight = is_straight(u->body);
    if (stmt->value->count != u->in_count)
        return mapping_fail(mapping, place_in(caller, stmt->value->at),
                            "sub '%s' takes %u operands, not %u", u->name, u->in_count,
                            stmt->value->count);
    if (stmt->target_count != u->out_count)
        return mapping_fail(mapping, place_in(caller, stmt->at), "sub '%s' has %u results, not %u",
                            u->name, u->out_count, stmt->target_count);
    for (unsigned i = 0; i < u->out_count; i++)
        results[i] = put_expr(mapping, caller, stmt->targets[i]);
    for (unsigned i = 0; i < u->in_count; i++) {
        const struct recipe_expr *e = put_expr(mapping, caller, stmt->value->args[i]);
        struct actual *to = &activation->actuals[u->in[i].symbol];
        if (mapping->failed || !put_operand(mapping, &u->in[i], e, out, to))
            return false;
        if (straight && is_bit(mapping, e) && is_result(e, results, u->out_count))
            keep_operand(mapping, &u->in[i], e, out, to);
    }
    for (unsigned i = 0; i < u->out_count; i++) {
        struct actual *to = &activation->actuals[u->out[i].symbol];
        if (results[i]->kind == EXPR_NAME)
            to->name = results[i]->ref;
        else
            to->expr = results[i];
    }
    return true;
}

/* --- what the names of a unit are --- */

static bool set_kind(struct mapping *mapping, struct activation *activation,
                     const struct recipe_expr *expr, enum name_kind kind, bool down, bool loop) {
    struct actual *to = &activation->actuals[expr->ref];
    struct map_name *n = to->name == NOTHING ? NULL : &mapping->names.data[to->name];
    if (to->expr || expr->ref < SYMBOL_FIXED || (n && (n->kind != kind || n->down != down)))
        return mapping_fail(mapping, place_in(activation, expr->at),
                            "'%s' is already something else", expr->name);
    if (n)
        return true;
    to->name =
        loop ? new_loop_name(mapping, expr->name) : mapping_new_name(mapping, expr->name, kind);
    mapping->names.data[to->name].down = down;
    return true;
}

/* Loops, numbers and carries say what they are; what else is assigned is scratch. */
static bool find_kinds(struct mapping *mapping, struct activation *activation,
                       const struct recipe_stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        bool fine = true;
        if (stmt->kind == STMT_FOR)
            fine = set_kind(mapping, activation, stmt->targets[0], NAME_NUMBER, false, true);
        else if (stmt->kind == STMT_LET)
            fine = set_kind(mapping, activation, stmt->targets[0], NAME_NUMBER, false, false);
        else if (stmt->kind == STMT_CARRY)
            fine = set_kind(mapping, activation, stmt->targets[0], NAME_CARRY, stmt->down, false);
        if (!fine || !find_kinds(mapping, activation, stmt->body) ||
            !find_kinds(mapping, activation, stmt->otherwise))
            return false;
    }
    return true;
}

static void new_actuals(struct mapping *mapping, struct activation *activation) {
    uint32_t count = activation->unit->scope.count;
    activation->actuals = ARENA_ARRAY(&mapping->scratch, count + 1, struct actual);
    for (uint32_t i = 0; i < count; i++)
        activation->actuals[i].name = i < SYMBOL_FIXED ? i : NOTHING;
}

static bool put_body(struct mapping *mapping, struct activation *activation,
                     struct stmt_chain *out) {
    if (!find_kinds(mapping, activation, activation->unit->body))
        return false;
    for (uint32_t i = 0; i < activation->unit->scope.count; i++)
        if (activation->actuals[i].name == NOTHING && !activation->actuals[i].expr)
            activation->actuals[i].name =
                mapping_new_name(mapping, activation->unit->scope.names[i], NAME_SCRATCH);
    return put_list(mapping, activation, activation->unit->body, out);
}

static bool put_call(struct mapping *mapping, struct activation *caller,
                     const struct recipe_stmt *stmt, struct stmt_chain *out) {
    const struct recipe_unit *u = &mapping->set->ast.subs.data[stmt->value->ref - SUB_REF]->unit;
    struct span at = place_in(caller, stmt->at);
    struct activation a = {.unit = u, .call = caller->call, .depth = caller->depth + 1};
    if (u->broken) /* reported when it was read */
        return !(mapping->failed = true);
    if (a.depth > MAX_CALLS_DEEP)
        return mapping_fail(mapping, at,
                            "subs call one another more than %d deep: '%s' calls itself?",
                            MAX_CALLS_DEEP, u->name);
    if (!a.call && u->file != mapping->source->unit.file)
        a.call = &at;
    new_actuals(mapping, &a);
    return put_operands(mapping, caller, stmt, &a, out) && put_body(mapping, &a, out);
}

static bool put_let(struct mapping *mapping, struct activation *activation,
                    const struct recipe_stmt *stmt, struct stmt_chain *out) {
    if (!names_only_numbers(mapping, put_expr(mapping, activation, stmt->value)))
        return mapping_fail(mapping, place_in(activation, stmt->at),
                            "'let' names numbers here; a bit gets a name by '%s = ...'",
                            stmt->targets[0]->name);
    return put_copy(mapping, activation, stmt, out);
}

static bool put_list(struct mapping *mapping, struct activation *activation,
                     const struct recipe_stmt *stmt, struct stmt_chain *out) {
    for (; stmt && !mapping->failed; stmt = stmt->next) {
        mapping->stmt_count++;
        mapping->sub_stmt_count += activation->depth > 0;
        if (mapping->sub_stmt_count > MAX_STATEMENTS)
            return mapping_fail(mapping, place_in(activation, stmt->at),
                                "more than %u statements with all subs in place", MAX_STATEMENTS);
        bool fine = stmt->kind == STMT_CALL  ? put_call(mapping, activation, stmt, out)
                    : stmt->kind == STMT_IF  ? put_if(mapping, activation, stmt, out)
                    : stmt->kind == STMT_LET ? put_let(mapping, activation, stmt, out)
                                             : put_copy(mapping, activation, stmt, out);
        if (!fine)
            return false;
    }
    return !mapping->failed;
}

/* --- the recipe itself --- */

static void put_params(struct mapping *mapping, struct activation *activation, struct param *list,
                       const uint8_t *fields, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct actual *to = &activation->actuals[list[i].symbol];
        if (to->name == NOTHING) {
            to->name = add_name(mapping, list[i].name,
                                fields[i] == FIELD_IMM ? NAME_NUMBER : NAME_REGISTER);
            mapping->names.data[to->name].field = fields[i];
        }
        list[i].symbol = to->name;
    }
}

/* Where lower.c speaks of single rows and of groups, their names come before those of the body. */
static void put_rows(struct mapping *mapping) {
    const struct target *t = mapping->set->target;
    uint32_t classes = plane_target(t)->row_class_count,
             count = classes + plane_target(t)->group_count;
    struct recipe_unit *made = &mapping->made->unit;
    if (!mapping->gates.derived)
        return;
    mapping->row_names = ARENA_ARRAY(&mapping->scratch, count + 1, uint32_t);
    made->rows = ARENA_ARRAY(&mapping->set->arena, count + 1, struct row_name);
    for (uint32_t i = 0; i < count; i++) {
        const struct row_class *c = i < classes ? &plane_target(t)->row_classes[i] : NULL;
        if (c && (c->first != c->last || c->value >= 0 || !c->scratch))
            continue;
        const char *text = c ? c->name : plane_target(t)->groups[i - classes].name;
        mapping->row_names[i] = mapping_new_name(mapping, text, NAME_SCRATCH);
        made->rows[made->row_count++] =
            (struct row_name){mapping->row_names[i], (uint16_t)(c ? i : i - classes), c == NULL};
    }
}

uint32_t mapping_row_name(struct mapping *mapping, uint32_t class) {
    return mapping->row_names[class];
}

uint32_t mapping_group_name(struct mapping *mapping, uint32_t group) {
    return mapping->row_names[plane_target(mapping->set->target)->row_class_count + group];
}

bool mapping_put_subs(struct mapping *mapping) {
    static const char *const fixed[SYMBOL_FIXED] = {"w", "C", "M", "valid", "zero", "one"};
    struct recipe_unit *made = &mapping->made->unit;
    struct activation a = {.unit = &mapping->source->unit};
    struct stmt_chain out = {NULL, &mapping->body};
    struct signature s;
    notation_signature(mapping->source->op, &s);
    for (uint32_t i = 0; i < SYMBOL_FIXED; i++)
        add_name(mapping, fixed[i], i == SYMBOL_W ? NAME_NUMBER : NAME_LATCH);
    new_actuals(mapping, &a);
    put_params(mapping, &a, made->in, s.in, made->in_count);
    put_params(mapping, &a, made->out, s.out, made->out_count);
    put_rows(mapping);
    return put_body(mapping, &a, &out);
}
