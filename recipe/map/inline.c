/* SPDX-License-Identifier: MIT
 * Puts the subs of a generic recipe in place, with names of their own, so that one body of control
 * statements and logic remains. */
#include "recipe/map/mapping.h"

#include <inttypes.h>
#include <string.h>

#define MAX_CALLS_DEEP 16
#define MAX_STATEMENTS (1u << 14)

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

static bool put_list(struct mapping *m, struct activation *a, const struct recipe_stmt *s,
                     struct stmt_chain *out);

static struct span place_in(const struct activation *a, struct span at) {
    return a->call ? *a->call : at;
}

/* --- names --- */

static uint32_t add_name(struct mapping *m, const char *text, enum name_kind kind) {
    struct scope *s = &m->made->unit.scope;
    struct map_name made = {.kind = kind, .phase = NOTHING};
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 32;
        const char **names = ARENA_ARRAY(&m->set->arena, cap, const char *);
        if (s->count)
            memcpy(names, s->names, s->count * sizeof *names);
        s->names = names;
        s->cap = cap;
    }
    s->names[s->count] = text;
    map_put(&m->name_index, text, s->count);
    vec_push(&m->names, made);
    return s->count++;
}

const char *mapping_new_text(struct mapping *m, const char *base) {
    const char *text = base;
    const uint64_t *last = map_get(&m->name_numbers, base);
    uint64_t number = last ? *last : 1;
    while (map_get(&m->name_index, text))
        text = arena_printf(&m->set->arena, "%s_%" PRIu64, base, ++number);
    map_put(&m->name_numbers, base, number);
    return text;
}

uint32_t mapping_new_name(struct mapping *m, const char *base, enum name_kind kind) {
    return add_name(m, mapping_new_text(m, base), kind);
}

/* Names of loops may be used again where none of them runs. */
static uint32_t new_loop_name(struct mapping *m, const char *base) {
    const uint64_t *found = map_get(&m->name_index, base);
    const struct map_name *n = found ? &m->names.data[*found] : NULL;
    uint32_t name =
        n && n->loop && !n->active ? (uint32_t)*found : mapping_new_name(m, base, NAME_NUMBER);
    m->names.data[name].loop = true;
    return name;
}

/* --- expressions --- */

static struct recipe_expr *new_expr(struct mapping *m, enum recipe_expr_kind kind, struct span at) {
    struct recipe_expr *e = ARENA_NEW(&m->set->arena, struct recipe_expr);
    e->kind = kind;
    e->at = e->name_at = at;
    return e;
}

struct recipe_expr *mapping_name_expr(struct mapping *m, uint32_t name, struct span at) {
    struct recipe_expr *e = new_expr(m, EXPR_NAME, at);
    e->ref = name;
    e->name = m->made->unit.scope.names[name];
    return e;
}

struct recipe_expr *mapping_number_expr(struct mapping *m, int64_t number, struct span at) {
    struct recipe_expr *e = new_expr(m, EXPR_NUMBER, at);
    e->number = number;
    return e;
}

static bool is_place_name(const struct recipe_expr *e) {
    return e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_AT;
}

static const struct recipe_expr *put_expr(struct mapping *m, const struct activation *a,
                                          const struct recipe_expr *e);

static const struct recipe_expr *copy_expr(struct mapping *m, const struct activation *a,
                                           const struct recipe_expr *e) {
    struct recipe_expr *made = ARENA_NEW(&m->set->arena, struct recipe_expr);
    *made = *e;
    made->at = place_in(a, e->at);
    made->name_at = place_in(a, e->name_at);
    made->args = e->count ? ARENA_ARRAY(&m->set->arena, e->count, struct recipe_expr *) : NULL;
    for (unsigned i = 0; i < e->count; i++)
        made->args[i] = (struct recipe_expr *)(uintptr_t)put_expr(m, a, e->args[i]);
    if (is_place_name(e)) {
        made->ref = a->actuals[e->ref].name;
        made->name = m->made->unit.scope.names[made->ref];
    }
    return made;
}

static const struct recipe_expr *put_expr(struct mapping *m, const struct activation *a,
                                          const struct recipe_expr *e) {
    if (!is_place_name(e) || !a->actuals[e->ref].expr)
        return copy_expr(m, a, e);
    const struct recipe_expr *actual = a->actuals[e->ref].expr;
    if (e->kind == EXPR_NAME || (e->kind == EXPR_AT && actual->kind == EXPR_AT))
        return actual;
    mapping_fail(m, place_in(a, e->at), "'%s' is one bit here: the call says which", e->name);
    return actual;
}

static bool names_only_numbers(const struct mapping *m, const struct recipe_expr *e) {
    if (is_place_name(e) && m->names.data[e->ref].kind != NAME_NUMBER)
        return false;
    for (unsigned i = 0; i < e->count; i++)
        if (!names_only_numbers(m, e->args[i]))
            return false;
    return true;
}

/* The value of a number without names; false if it has some, or no value. */
static bool fold(const struct recipe_expr *e, int64_t *v) {
    int64_t b = 0;
    *v = e->number;
    if (e->kind == EXPR_NUMBER)
        return true;
    if (e->kind == EXPR_UNARY && fold(e->args[0], v)) {
        *v = e->op == '!' ? !*v : e->op == '~' ? ~*v : -*v;
        return true;
    }
    if (e->kind != EXPR_BINARY || !fold(e->args[0], v))
        return false;
    if ((e->op == MARK2('&', '&') && !*v) || (e->op == MARK2('|', '|') && *v)) {
        *v = *v != 0;
        return true;
    }
    return fold(e->args[1], &b) && notation_expr_binary(e->op, *v, b, v);
}

/* --- statements --- */

struct recipe_stmt *mapping_new_stmt(struct mapping *m, enum recipe_stmt_kind kind,
                                     struct span at) {
    struct recipe_stmt *s = ARENA_NEW(&m->set->arena, struct recipe_stmt);
    s->kind = kind;
    s->id = m->set->ast.next_id++;
    s->at = at;
    return s;
}

static void append(struct stmt_chain *list, struct recipe_stmt *s) {
    *list->tail = s;
    list->tail = &s->next;
}

static struct recipe_stmt *new_assignment(struct mapping *m, enum recipe_stmt_kind kind,
                                          uint32_t name, const struct recipe_expr *value) {
    struct recipe_stmt *s = mapping_new_stmt(m, kind, value->at);
    s->targets[0] = mapping_name_expr(m, name, value->at);
    s->target_count = 1;
    s->value = (struct recipe_expr *)(uintptr_t)value;
    return s;
}

static const struct recipe_expr *put_optional(struct mapping *m, const struct activation *a,
                                              const struct recipe_expr *e) {
    return e ? put_expr(m, a, e) : NULL;
}

static bool put_copy(struct mapping *m, struct activation *a, const struct recipe_stmt *s,
                     struct stmt_chain *out) {
    struct recipe_stmt *made = mapping_new_stmt(m, s->kind, place_in(a, s->at));
    uint32_t id = made->id;
    struct span at = made->at;
    *made = *s;
    made->id = id;
    made->at = at;
    made->next = NULL;
    made->body = made->otherwise = NULL;
    for (unsigned i = 0; i < s->target_count; i++)
        made->targets[i] = (struct recipe_expr *)(uintptr_t)put_expr(m, a, s->targets[i]);
    made->value = (struct recipe_expr *)(uintptr_t)put_optional(m, a, s->value);
    made->first = (struct recipe_expr *)(uintptr_t)put_optional(m, a, s->first);
    made->last = (struct recipe_expr *)(uintptr_t)put_optional(m, a, s->last);
    append(out, made);
    struct stmt_chain body = {NULL, &made->body}, otherwise = {NULL, &made->otherwise};
    uint32_t name = s->kind == STMT_FOR ? made->targets[0]->ref : NOTHING;
    if (name != NOTHING)
        m->names.data[name].active = true;
    bool fine = put_list(m, a, s->body, &body) && put_list(m, a, s->otherwise, &otherwise);
    if (name != NOTHING)
        m->names.data[name].active = false;
    return fine;
}

static bool put_if(struct mapping *m, struct activation *a, const struct recipe_stmt *s,
                   struct stmt_chain *out) {
    int64_t v;
    if (fold(put_expr(m, a, s->value), &v))
        return put_list(m, a, v ? s->body : s->otherwise, out);
    return put_copy(m, a, s, out);
}

/* A number gets a name of its own, so that its bits can be taken. */
static bool put_number(struct mapping *m, const struct param *p, const struct recipe_expr *e,
                       struct stmt_chain *out, struct actual *to) {
    int64_t v;
    if (fold(e, &v)) {
        to->expr = mapping_number_expr(m, v, e->at);
        return true;
    }
    to->name = mapping_new_name(m, p->name, NAME_NUMBER);
    append(out, new_assignment(m, STMT_LET, to->name, e));
    return true;
}

static bool put_operand(struct mapping *m, const struct param *p, const struct recipe_expr *e,
                        struct stmt_chain *out, struct actual *to) {
    if (e->kind == EXPR_NAME) {
        to->name = e->ref;
        return true;
    }
    if (names_only_numbers(m, e))
        return put_number(m, p, e, out, to);
    to->expr = e;
    return is_place_name(e) ||
           mapping_fail(m, e->at,
                        "an operand of a sub is a place or a number: give the logic a name");
}

static bool is_straight(const struct recipe_stmt *s) {
    for (; s; s = s->next)
        if (s->kind == STMT_FOR || s->kind == STMT_AT || s->kind == STMT_CARRY ||
            !is_straight(s->body) || !is_straight(s->otherwise))
            return false;
    return true;
}

/* A bit that the same call also overwrites is taken before. */
static void keep_operand(struct mapping *m, const struct param *p, const struct recipe_expr *e,
                         struct stmt_chain *out, struct actual *to) {
    to->expr = NULL;
    to->name = mapping_new_name(m, p->name, NAME_SCRATCH);
    append(out, new_assignment(m, STMT_LOGIC, to->name, e));
}

static bool is_bit(const struct mapping *m, const struct recipe_expr *e) {
    enum name_kind kind = is_place_name(e) ? m->names.data[e->ref].kind : NAME_NUMBER;
    return kind != NAME_NUMBER && (kind != NAME_REGISTER || e->kind == EXPR_INDEX);
}

static bool is_result(const struct recipe_expr *e, const struct recipe_expr *const *results,
                      unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (results[i]->ref == e->ref)
            return true;
    return false;
}

static bool put_operands(struct mapping *m, struct activation *caller, const struct recipe_stmt *s,
                         struct activation *a, struct stmt_chain *out) {
    const struct recipe_unit *u = a->unit;
    const struct recipe_expr *results[OP_MAX_DESTS];
    bool straight = is_straight(u->body);
    if (s->value->count != u->in_count)
        return mapping_fail(m, place_in(caller, s->value->at), "sub '%s' takes %u operands, not %u",
                            u->name, u->in_count, s->value->count);
    if (s->target_count != u->out_count)
        return mapping_fail(m, place_in(caller, s->at), "sub '%s' has %u results, not %u", u->name,
                            u->out_count, s->target_count);
    for (unsigned i = 0; i < u->out_count; i++)
        results[i] = put_expr(m, caller, s->targets[i]);
    for (unsigned i = 0; i < u->in_count; i++) {
        const struct recipe_expr *e = put_expr(m, caller, s->value->args[i]);
        struct actual *to = &a->actuals[u->in[i].symbol];
        if (m->failed || !put_operand(m, &u->in[i], e, out, to))
            return false;
        if (straight && is_bit(m, e) && is_result(e, results, u->out_count))
            keep_operand(m, &u->in[i], e, out, to);
    }
    for (unsigned i = 0; i < u->out_count; i++) {
        struct actual *to = &a->actuals[u->out[i].symbol];
        if (results[i]->kind == EXPR_NAME)
            to->name = results[i]->ref;
        else
            to->expr = results[i];
    }
    return true;
}

/* --- what the names of a unit are --- */

static bool set_kind(struct mapping *m, struct activation *a, const struct recipe_expr *e,
                     enum name_kind kind, bool down, bool loop) {
    struct actual *to = &a->actuals[e->ref];
    struct map_name *n = to->name == NOTHING ? NULL : &m->names.data[to->name];
    if (to->expr || e->ref < SYMBOL_FIXED || (n && (n->kind != kind || n->down != down)))
        return mapping_fail(m, place_in(a, e->at), "'%s' is already something else", e->name);
    if (n)
        return true;
    to->name = loop ? new_loop_name(m, e->name) : mapping_new_name(m, e->name, kind);
    m->names.data[to->name].down = down;
    return true;
}

/* Loops, numbers and carries say what they are; what else is assigned is scratch. */
static bool find_kinds(struct mapping *m, struct activation *a, const struct recipe_stmt *s) {
    for (; s; s = s->next) {
        bool fine = true;
        if (s->kind == STMT_FOR)
            fine = set_kind(m, a, s->targets[0], NAME_NUMBER, false, true);
        else if (s->kind == STMT_LET)
            fine = set_kind(m, a, s->targets[0], NAME_NUMBER, false, false);
        else if (s->kind == STMT_CARRY)
            fine = set_kind(m, a, s->targets[0], NAME_CARRY, s->down, false);
        if (!fine || !find_kinds(m, a, s->body) || !find_kinds(m, a, s->otherwise))
            return false;
    }
    return true;
}

static void new_actuals(struct mapping *m, struct activation *a) {
    uint32_t count = a->unit->scope.count;
    a->actuals = ARENA_ARRAY(&m->scratch, count + 1, struct actual);
    for (uint32_t i = 0; i < count; i++)
        a->actuals[i].name = i < SYMBOL_FIXED ? i : NOTHING;
}

static bool put_body(struct mapping *m, struct activation *a, struct stmt_chain *out) {
    if (!find_kinds(m, a, a->unit->body))
        return false;
    for (uint32_t i = 0; i < a->unit->scope.count; i++)
        if (a->actuals[i].name == NOTHING && !a->actuals[i].expr)
            a->actuals[i].name = mapping_new_name(m, a->unit->scope.names[i], NAME_SCRATCH);
    return put_list(m, a, a->unit->body, out);
}

static bool put_call(struct mapping *m, struct activation *caller, const struct recipe_stmt *s,
                     struct stmt_chain *out) {
    const struct recipe_unit *u = &m->set->ast.subs.data[s->value->ref - SUB_REF]->unit;
    struct span at = place_in(caller, s->at);
    struct activation a = {.unit = u, .call = caller->call, .depth = caller->depth + 1};
    if (u->broken) /* reported when it was read */
        return !(m->failed = true);
    if (a.depth > MAX_CALLS_DEEP)
        return mapping_fail(m, at, "subs call one another more than %d deep: '%s' calls itself?",
                            MAX_CALLS_DEEP, u->name);
    if (!a.call && u->file != m->source->unit.file)
        a.call = &at;
    new_actuals(m, &a);
    return put_operands(m, caller, s, &a, out) && put_body(m, &a, out);
}

static bool put_let(struct mapping *m, struct activation *a, const struct recipe_stmt *s,
                    struct stmt_chain *out) {
    if (!names_only_numbers(m, put_expr(m, a, s->value)))
        return mapping_fail(m, place_in(a, s->at),
                            "'let' names numbers here; a bit gets a name by '%s = ...'",
                            s->targets[0]->name);
    return put_copy(m, a, s, out);
}

static bool put_list(struct mapping *m, struct activation *a, const struct recipe_stmt *s,
                     struct stmt_chain *out) {
    for (; s && !m->failed; s = s->next) {
        if (++m->stmt_count > MAX_STATEMENTS)
            return mapping_fail(m, place_in(a, s->at),
                                "more than %u statements with all subs in place", MAX_STATEMENTS);
        bool fine = s->kind == STMT_CALL  ? put_call(m, a, s, out)
                    : s->kind == STMT_IF  ? put_if(m, a, s, out)
                    : s->kind == STMT_LET ? put_let(m, a, s, out)
                                          : put_copy(m, a, s, out);
        if (!fine)
            return false;
    }
    return !m->failed;
}

/* --- the recipe itself --- */

static void put_params(struct mapping *m, struct activation *a, struct param *list,
                       const uint8_t *fields, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct actual *to = &a->actuals[list[i].symbol];
        if (to->name == NOTHING) {
            to->name =
                add_name(m, list[i].name, fields[i] == FIELD_IMM ? NAME_NUMBER : NAME_REGISTER);
            m->names.data[to->name].field = fields[i];
        }
        list[i].symbol = to->name;
    }
}

/* Where lower.c speaks of single rows and of groups, their names come before those of the body. */
static void put_rows(struct mapping *m) {
    const struct target *t = m->set->target;
    uint32_t classes = plane_target(t)->row_class_count,
             count = classes + plane_target(t)->group_count;
    struct recipe_unit *made = &m->made->unit;
    if (!m->gates.derived)
        return;
    m->row_names = ARENA_ARRAY(&m->scratch, count + 1, uint32_t);
    made->rows = ARENA_ARRAY(&m->set->arena, count + 1, struct row_name);
    for (uint32_t i = 0; i < count; i++) {
        const struct row_class *c = i < classes ? &plane_target(t)->row_classes[i] : NULL;
        if (c && (c->first != c->last || c->value >= 0 || !c->scratch))
            continue;
        const char *text = c ? c->name : plane_target(t)->groups[i - classes].name;
        m->row_names[i] = mapping_new_name(m, text, NAME_SCRATCH);
        made->rows[made->row_count++] =
            (struct row_name){m->row_names[i], (uint16_t)(c ? i : i - classes), c == NULL};
    }
}

uint32_t mapping_row_name(struct mapping *m, uint32_t class) {
    return m->row_names[class];
}

uint32_t mapping_group_name(struct mapping *m, uint32_t group) {
    return m->row_names[plane_target(m->set->target)->row_class_count + group];
}

bool mapping_put_subs(struct mapping *m) {
    static const char *const fixed[SYMBOL_FIXED] = {"w", "C", "M", "valid", "zero", "one"};
    struct recipe_unit *made = &m->made->unit;
    struct activation a = {.unit = &m->source->unit};
    struct stmt_chain out = {NULL, &m->body};
    struct signature s;
    notation_signature(m->source->op, &s);
    for (uint32_t i = 0; i < SYMBOL_FIXED; i++)
        add_name(m, fixed[i], i == SYMBOL_W ? NAME_NUMBER : NAME_LATCH);
    new_actuals(m, &a);
    put_params(m, &a, made->in, s.in, made->in_count);
    put_params(m, &a, made->out, s.out, made->out_count);
    put_rows(m);
    return put_body(m, &a, &out);
}
