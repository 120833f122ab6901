/* SPDX-License-Identifier: MIT
 * Statements of bodies, as statements of `compute`.  Names are made unique by their slots, so that
 * blocks need no braces. */
#include "ezpim/stage/writer.h"

#include <inttypes.h>

static void put(struct stage_writer *w, const struct stage_stmt *s);

static void put_list(struct stage_writer *w, const struct stage_stmt *list) {
    for (const struct stage_stmt *s = list; s && !w->failed; s = s->next)
        put(w, s);
}

/* Indices of one statement are forgotten behind it. */
static void put_line(struct stage_writer *w, const char *before, const struct stage_expr *e,
                     const char *behind) {
    struct str text = {0};
    stage_put_expr(w, &text, e);
    str_printf(&w->o->statements, "%s%s%s\n", before, str_text(&text), behind);
    str_free(&text);
}

/* ---- declarations ---- */

static void put_table(struct stage_writer *w, const struct stage_stmt *s) {
    struct str *out = &w->o->statements, values = {0};
    const struct stage_name *n = s->of;
    const char *name = stage_place_of(w, n).name;
    if (n->constant)
        return; /* it is declared where it is looked up */
    if (n->count > MOST_LOCAL) {
        stage_cannot(w, s->at, "'%s' has %u elements, and a lane has registers for arrays of %d",
                     n->text, (unsigned)n->count, MOST_LOCAL);
        return;
    }
    for (const struct stage_expr *e = s->list; e; e = e->next)
        stage_put_indices(w, e, "");
    const struct stage_expr *e = s->list;
    for (uint32_t i = 0; i < n->count; i++, e = e ? e->next : NULL) {
        str_append(&values, i ? ", " : " ");
        if (e)
            stage_put_expr(w, &values, e);
        else
            stage_put_value(&values, n->type, n->elements && !s->value ? n->elements[i] : 0);
    }
    str_printf(out, "let %s: ", name);
    stage_put_type(out, n->type);
    str_printf(out, "[%u] = {%s };\n", (unsigned)n->count, str_text(&values));
    str_free(&values);
}

static void put_declaration(struct stage_writer *w, const struct stage_stmt *s) {
    struct str before = {0}, zero = {0};
    if (s->of->kind == STAGE_TABLE) {
        put_table(w, s);
        return;
    }
    str_printf(&before, "let %s: ", stage_place_of(w, s->of).name);
    stage_put_type(&before, s->of->type);
    str_append(&before, " = ");
    stage_put_value(&zero, s->of->type, 0);
    stage_put_indices(w, s->value, "");
    if (s->value)
        put_line(w, str_text(&before), s->value, ";");
    else
        str_printf(&w->o->statements, "%s%s;\n", str_text(&before), str_text(&zero));
    str_free(&before);
    str_free(&zero);
}

/* ---- assignments ---- */

/* An element of one accumulator, in the lap of that element. */
static void put_binned(struct stage_writer *w, const struct stage_stmt *s) {
    const struct stage_expr *t = s->target;
    stage_put_indices(w, t->args[0], "");
    stage_put_index(w, t, "");
    str_printf(&w->o->statements, "if (u64(%si%u) == %s) {\n", w->o->prefix,
               (unsigned)stage_index_number(w, t), w->bin);
    put_line(w, stage_text(w, "%s = ", stage_place_of(w, t->of).name), s->value, ";");
    str_append(&w->o->statements, "}\n");
}

/* t[i] = v; where i is data: the register that it names. */
static void put_indexed(struct stage_writer *w, const struct stage_stmt *s) {
    const struct stage_expr *t = s->target;
    struct stage_place at = stage_place_of(w, t->of);
    struct str *out = &w->o->statements;
    uint32_t v = ++w->number, k = ++w->number;
    struct str type = {0};
    stage_put_type(&type, t->type);
    stage_put_indices(w, t->args[0], "");
    put_line(w, stage_text(w, "let %sv%u: %s = ", w->o->prefix, (unsigned)v, str_text(&type)),
             s->value, ";");
    stage_put_index(w, t, "");
    if (at.registers)
        str_printf(out,
                   "unroll for %sk%u: 0 .. %u { if (%si%u == %sk%u) { %s[%sk%u] = %sv%u; } }\n",
                   w->o->prefix, (unsigned)k, (unsigned)at.registers, w->o->prefix,
                   (unsigned)stage_index_number(w, t), w->o->prefix, (unsigned)k, at.name,
                   w->o->prefix, (unsigned)k, w->o->prefix, (unsigned)v);
    else
        str_printf(out, "%s = %sv%u;\n", at.name, w->o->prefix, (unsigned)v);
    str_free(&type);
}

static bool is_left_out(const struct stage_writer *w, const struct stage_name *n) {
    if (n->kind != STAGE_PARAM || n->param->role != STAGE_ACC)
        return false;
    return w->binned ? n->param != w->binned : w->skip_large && stage_is_large(n->param);
}

static void put_assignment(struct stage_writer *w, const struct stage_stmt *s) {
    const struct stage_expr *t = s->target;
    struct str text = {0};
    if (is_left_out(w, t->of))
        return;
    if (t->kind == STAGE_ELEMENT && w->binned && t->of->kind == STAGE_PARAM &&
        t->of->param == w->binned) {
        stage_put_indices(w, s->value, "");
        put_binned(w, s);
        return;
    }
    stage_put_indices(w, s->value, "");
    if (t->kind == STAGE_ELEMENT && !stage_is_direct(w, t)) {
        put_indexed(w, s);
        return;
    }
    stage_put_expr(w, &text, t);
    str_append(&text, " = ");
    put_line(w, str_text(&text), s->value, ";");
    str_free(&text);
}

/* ---- loops ---- */

static bool continues(const struct stage_stmt *s) {
    for (; s; s = s->next)
        if (s->kind == STAGE_CONTINUE ||
            (s->kind != STAGE_LOOP && (continues(s->body) || continues(s->otherwise))))
            return true;
    return false;
}

static const struct stage_expr *without_casts(const struct stage_expr *e) {
    while (e->kind == STAGE_CAST)
        e = e->args[0];
    return e;
}

/* Laps are known, and nobody sees the counter behind them. */
static bool is_unrolled(const struct stage_writer *w, const struct stage_stmt *s) {
    if (!s->counted || !s->laps || s->laps > MOST_UNROLLED ||
        s->laps * w->laps > MOST_WRITTEN_OUT || !s->first || s->first->next ||
        s->first->kind != STAGE_DECLARE || s->first->of != s->of || !s->first->value ||
        s->first->value->kind != STAGE_NUMBER || !s->first->value->range.known)
        return false;
    const struct stage_expr *left = without_casts(s->value->args[0]);
    const struct stage_expr *bound =
        left->kind == STAGE_NAME && left->of == s->of ? s->value->args[1] : s->value->args[0];
    return bound->kind == STAGE_NUMBER;
}

static void put_unrolled(struct stage_writer *w, const struct stage_stmt *s) {
    struct stage_counter c = {s->of, ++w->number, s->first->value->range.least, s->by, w->counters};
    str_printf(&w->o->statements, "for %sk%u: 0 .. %" PRIu64 " {\n", w->o->prefix,
               (unsigned)c.number, s->laps);
    w->counters = &c;
    w->laps *= s->laps;
    put(w, s->body);
    w->laps /= s->laps;
    w->counters = c.outer;
    str_append(&w->o->statements, "}\n");
}

/* An element that goes round for ever stops as it does in the interpreter. */
static void put_lap(struct stage_writer *w, const struct stage_stmt *s, uint32_t number) {
    str_printf(&w->o->statements,
               "%sn%u = %sn%u + 1;\nassert(%sn%u <= %" PRIu64
               ", \"kernel '%s', %s:%u: it does not end within %" PRIu64 " steps\");\n",
               w->o->prefix, (unsigned)number, w->o->prefix, (unsigned)number, w->o->prefix,
               (unsigned)number, STAGE_ELEMENT_STEPS, w->o->kernel->decl->name, w->o->file,
               (unsigned)(w->o->first_line + s->line - 1), STAGE_ELEMENT_STEPS);
}

static void put_leave(struct stage_writer *w, const struct stage_expr *condition) {
    if (!condition || (condition->kind == STAGE_NUMBER && condition->value))
        return;
    stage_put_indices(w, condition, "");
    put_line(w, "if (!", condition, ") { break; }");
}

/* while (true) { from the second lap on: step; leave; body } where a lap can be left early; else
 * the step stands at its end. */
static void put_while(struct stage_writer *w, const struct stage_stmt *s) {
    struct str *out = &w->o->statements;
    uint32_t number = ++w->number;
    bool early = s->step && continues(s->body), flag = early || s->body_first, limit = !s->laps;
    put_list(w, s->first);
    if (limit)
        str_printf(out, "let %sn%u: u32 = 0;\n", w->o->prefix, (unsigned)number);
    if (flag)
        str_printf(out, "let %sf%u: bool = true;\n", w->o->prefix, (unsigned)number);
    str_append(out, "while (true) {\n");
    if (limit)
        put_lap(w, s, number);
    if (flag)
        str_printf(out, "if (!%sf%u) {\n", w->o->prefix, (unsigned)number);
    if (early)
        put(w, s->step);
    if (s->body_first)
        put_leave(w, s->value);
    if (flag)
        str_printf(out, "}\n%sf%u = false;\n", w->o->prefix, (unsigned)number);
    if (!s->body_first)
        put_leave(w, s->value);
    put(w, s->body);
    if (s->step && !early)
        put(w, s->step);
    str_append(out, "}\n");
}

/* ---- statements ---- */

static void put_if(struct stage_writer *w, const struct stage_stmt *s) {
    stage_put_indices(w, s->value, "");
    put_line(w, "if (", s->value, ") {");
    put(w, s->body);
    if (s->otherwise) {
        str_append(&w->o->statements, "} else {\n");
        put(w, s->otherwise);
    }
    str_append(&w->o->statements, "}\n");
}

static void put_return(struct stage_writer *w, const struct stage_stmt *s) {
    if (s->value) {
        stage_put_indices(w, s->value, "");
        put_line(w, stage_text(w, "%s = ", w->keeps), s->value, ";");
    }
    str_append(&w->o->statements, "return;\n");
}

static void put(struct stage_writer *w, const struct stage_stmt *s) {
    uint32_t before = w->index_count;
    stage_mark(w, s->at);
    switch (s->kind) {
    case STAGE_BLOCK:
        put_list(w, s->body);
        break;
    case STAGE_DECLARE:
        put_declaration(w, s);
        break;
    case STAGE_ASSIGN:
        put_assignment(w, s);
        break;
    case STAGE_IF:
        put_if(w, s);
        break;
    case STAGE_LOOP:
        if (is_unrolled(w, s))
            put_unrolled(w, s);
        else
            put_while(w, s);
        break;
    case STAGE_RETURN:
        put_return(w, s);
        break;
    default:
        str_append(&w->o->statements, s->kind == STAGE_BREAK ? "break;\n" : "continue;\n");
    }
    w->index_count = before;
}

void stage_put_body(struct stage_writer *w, const struct stage_stmt *body) {
    put(w, body);
}
