/* SPDX-License-Identifier: MIT
 * Expressions of bodies.  Types of the checked tree are ezpim's, each cast stands there, so that an
 * operator is the operator of the same name. */
#include "ezpim/stage/writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- constants ---- */

void stage_put_type(struct str *out, struct lane_type type) {
    char text[8];
    object_type_text(type, text);
    str_append(out, text);
}

static void put_float(struct str *out, struct lane_type type, uint64_t value) {
    const struct lane_type wide = {TYPE_FLOAT, 64};
    uint64_t pattern = stage_convert(type, wide, value);
    double number;
    memcpy(&number, &pattern, sizeof number);
    if (isnan(number) || (number == 0 && signbit(number))) {
        str_append(out, "as_");
        stage_put_type(out, type);
        str_printf(out, "(u%u(0x%" PRIx64 "))", (unsigned)type.bits, value);
        return;
    }
    stage_put_type(out, type);
    if (isinf(number))
        str_append(out, number < 0 ? "(-inf)" : "(inf)");
    else
        str_printf(out, "(%a)", number);
}

void stage_put_value(struct str *out, struct lane_type type, uint64_t value) {
    if (type.kind == TYPE_BOOL) {
        str_append(out, value ? "true" : "false");
        return;
    }
    if (object_type_is_float(type)) {
        put_float(out, type, value);
        return;
    }
    stage_put_type(out, type);
    if (type.kind == TYPE_INT)
        str_printf(out, "(%" PRId64 ")", (int64_t)value);
    else
        str_printf(out, "(%" PRIu64 ")", value);
}

/* ---- names ---- */

static const struct stage_counter *counter_of(const struct stage_writer *w,
                                              const struct stage_name *name) {
    const struct stage_counter *c = w->counters;
    while (c && c->name != name)
        c = c->outer;
    return c;
}

/* A table of constants is declared when it is named first. */
static struct stage_place table_of(struct stage_writer *w, const struct stage_name *n) {
    struct str *out = &w->o->declarations;
    for (const struct stage_table *t = w->tables; t; t = t->next)
        if (t->of == n)
            return t->at;
    struct stage_table *t = ARENA_NEW(&w->arena, struct stage_table);
    *t = (struct stage_table){n, {stage_made_name(w, "t"), n->count}, w->tables};
    w->tables = t;
    str_printf(out, "const %s: ", t->at.name);
    stage_put_type(out, n->type);
    str_printf(out, "[%u] = {", (unsigned)n->count);
    for (uint32_t i = 0; i < n->count; i++) {
        str_append(out, i ? ", " : " ");
        stage_put_value(out, n->type, n->elements[i]);
    }
    str_append(out, " };\n");
    return t->at;
}

struct stage_place stage_place_of(struct stage_writer *w, const struct stage_name *n) {
    if (n->kind == STAGE_TABLE && n->constant)
        return table_of(w, n);
    if (n->kind == STAGE_PARAM)
        return w->places[stage_param_index(w->stage, n->param)];
    if (n->kind == STAGE_OTHER)
        return w->others[stage_param_index(w->stage, n->param)];
    return (struct stage_place){stage_text(w, "%s%s_%u", w->o->prefix, n->text, (unsigned)n->slot),
                                n->kind == STAGE_TABLE ? n->count : 0};
}

static void put_name(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    const struct stage_counter *c = counter_of(w, e->of);
    if (e->of->kind == STAGE_SCALAR) {
        stage_put_type(out, e->type);
        str_printf(out, "(%s)", w->o->given[e->of->parameter].text);
    } else if (c) {
        stage_put_type(out, e->type);
        str_printf(out, "(%" PRId64 " + %" PRId64 " * %sk%u)", c->start, c->by, w->o->prefix,
                   (unsigned)c->number);
    } else {
        str_append(out, stage_place_of(w, e->of).name);
    }
}

/* ---- elements ---- */

/* Whether it is a number when loops are written out. */
static bool is_fixed(const struct stage_writer *w, const struct stage_expr *e) {
    if (!e || e->kind == STAGE_NUMBER)
        return true;
    if (e->kind == STAGE_NAME)
        return counter_of(w, e->of) != NULL;
    if (e->kind == STAGE_ELEMENT)
        return false;
    return is_fixed(w, e->args[0]) && is_fixed(w, e->args[1]) && is_fixed(w, e->args[2]);
}

bool stage_is_direct(const struct stage_writer *w, const struct stage_expr *e) {
    return e->inside && is_fixed(w, e->args[0]);
}

static uint64_t count_of(struct stage_writer *w, const struct stage_name *n) {
    if (n->kind != STAGE_PARAM && n->kind != STAGE_OTHER)
        return n->count;
    const struct stage_param *q = n->param;
    return q->bound == NO_INDEX ? q->count : w->o->given[q->bound].extent.value;
}

uint32_t stage_index_number(const struct stage_writer *w, const struct stage_expr *e) {
    for (uint32_t i = w->index_count; i > 0; i--)
        if (w->indices[i - 1].of == e)
            return w->indices[i - 1].number;
    return 0;
}

static bool is_binned(const struct stage_writer *w, const struct stage_name *n) {
    return w->binned && n->kind == STAGE_PARAM && n->param == w->binned;
}

static void put_element(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    const struct stage_name *n = e->of;
    struct stage_place at = stage_place_of(w, n);
    if (is_binned(w, n) || !at.registers) {
        str_append(out, at.name);
        return;
    }
    if (stage_is_direct(w, e)) {
        str_printf(out, "%s[", at.name);
        stage_put_expr(w, out, e->args[0]);
        str_char(out, ']');
        return;
    }
    uint32_t number = stage_index_number(w, e);
    if (n->kind == STAGE_TABLE && n->constant) {
        str_printf(out, "%s[%si%u]", at.name, w->o->prefix, (unsigned)number);
        return;
    }
    for (uint32_t i = 0; i + 1 < at.registers; i++)
        str_printf(out, "select(%si%u == %u, %s[%u], ", w->o->prefix, (unsigned)number, (unsigned)i,
                   at.name, (unsigned)i);
    str_printf(out, "%s[%u]", at.name, (unsigned)at.registers - 1);
    for (uint32_t i = 0; i + 1 < at.registers; i++)
        str_char(out, ')');
}

/* assert(guarded || inside): a wild index stops with the line of the text. */
static void put_assertion(struct stage_writer *w, const struct stage_expr *e, uint32_t number,
                          const char *guard) {
    struct str *out = &w->o->statements;
    uint64_t count = count_of(w, e->of);
    str_append(out, "assert(");
    if (guard[0])
        str_printf(out, "!(%s) || ", guard);
    str_printf(out,
               "u64(%si%u) < %" PRIu64 ", \"kernel '%s', %s:%u: index is outside of '%s', of "
               "which %" PRIu64 " element%s can be seen\");\n",
               w->o->prefix, (unsigned)number, count, w->o->kernel->decl->name, w->o->file,
               (unsigned)(w->o->first_line + e->line - 1), e->of->text, count,
               count == 1 ? "" : "s");
}

void stage_put_index(struct stage_writer *w, const struct stage_expr *e, const char *guard) {
    struct str text = {0};
    if (w->index_count == sizeof w->indices / sizeof *w->indices) {
        stage_cannot(w, e->at, "a statement has more than %zu indices that are data",
                     sizeof w->indices / sizeof *w->indices);
        return;
    }
    uint32_t number = ++w->number;
    stage_put_expr(w, &text, e->args[0]);
    str_printf(&w->o->statements, "let %si%u: ", w->o->prefix, (unsigned)number);
    stage_put_type(&w->o->statements, e->args[0]->type);
    str_printf(&w->o->statements, " = %s;\n", str_text(&text));
    str_free(&text);
    w->indices[w->index_count++] = (struct stage_index){e, number};
    if (!e->inside)
        put_assertion(w, e, number, guard);
}

/* What stands in the second operand is looked at where the first one lets it. */
static const char *narrower(struct stage_writer *w, const char *guard, const char *no,
                            const struct stage_expr *e) {
    struct str text = {0};
    if (guard[0])
        str_printf(&text, "%s && ", guard);
    str_append(&text, no);
    str_char(&text, '(');
    stage_put_expr(w, &text, e);
    str_char(&text, ')');
    const char *made = arena_strdup(&w->arena, str_text(&text));
    str_free(&text);
    return made;
}

static bool has_wild(const struct stage_writer *w, const struct stage_expr *e) {
    if (!e || e->kind == STAGE_NUMBER || e->kind == STAGE_NAME)
        return false;
    if (e->kind == STAGE_ELEMENT && !stage_is_direct(w, e))
        return true;
    return has_wild(w, e->args[0]) || has_wild(w, e->args[1]) || has_wild(w, e->args[2]);
}

void stage_put_indices(struct stage_writer *w, const struct stage_expr *e, const char *guard) {
    if (!e || !has_wild(w, e))
        return;
    stage_put_indices(w, e->args[0], guard);
    if (e->kind == STAGE_ELEMENT) {
        if (!stage_is_direct(w, e) && !is_binned(w, e->of))
            stage_put_index(w, e, guard);
        return;
    }
    if (e->kind == STAGE_CHOICE) {
        stage_put_indices(w, e->args[1],
                          has_wild(w, e->args[1]) ? narrower(w, guard, "", e->args[0]) : "");
        stage_put_indices(w, e->args[2],
                          has_wild(w, e->args[2]) ? narrower(w, guard, "!", e->args[0]) : "");
    } else if (e->kind == STAGE_BINARY && (e->op == STAGE_BOTH || e->op == STAGE_EITHER)) {
        if (has_wild(w, e->args[1]))
            stage_put_indices(w, e->args[1],
                              narrower(w, guard, e->op == STAGE_BOTH ? "" : "!", e->args[0]));
    } else {
        stage_put_indices(w, e->args[1], guard);
    }
}

/* ---- operators ---- */

static void put_call(struct stage_writer *w, struct str *out, const char *name,
                     const struct stage_expr *e, unsigned count) {
    str_printf(out, "%s(", name);
    for (unsigned i = 0; i < count; i++) {
        str_append(out, i ? ", " : "");
        stage_put_expr(w, out, e->args[i]);
    }
    str_char(out, ')');
}

/* A count that is negative shifts everything out. */
static void put_count(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    if (e->kind == STAGE_NUMBER && e->type.kind == TYPE_UINT) {
        stage_put_expr(w, out, e);
        return;
    }
    str_printf(out, "u%u(", (unsigned)e->type.bits);
    stage_put_expr(w, out, e);
    str_char(out, ')');
}

/* Comparisons of truths, false being less. */
static bool put_truths(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    const char *before, *between;
    if (e->args[0]->type.kind != TYPE_BOOL)
        return false;
    switch (e->op) {
    case STAGE_LT:
        before = "!", between = " & ";
        break;
    case STAGE_LE:
        before = "!", between = " | ";
        break;
    case STAGE_GT:
        before = "", between = " & !";
        break;
    case STAGE_GE:
        before = "", between = " | !";
        break;
    case STAGE_MIN:
        before = "", between = " & ";
        break;
    case STAGE_MAX:
        before = "", between = " | ";
        break;
    default:
        return false;
    }
    str_printf(out, "(%s", before);
    stage_put_expr(w, out, e->args[0]);
    str_append(out, between);
    stage_put_expr(w, out, e->args[1]);
    str_char(out, ')');
    return true;
}

static void put_binary(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    if (put_truths(w, out, e))
        return;
    if (e->op == STAGE_MIN || e->op == STAGE_MAX) {
        put_call(w, out, stage_op_text(e->op), e, 2);
        return;
    }
    str_char(out, '(');
    stage_put_expr(w, out, e->args[0]);
    str_printf(out, " %s ", stage_op_text(e->op));
    if (e->op == STAGE_SHL || e->op == STAGE_SHR)
        put_count(w, out, e->args[1]);
    else
        stage_put_expr(w, out, e->args[1]);
    str_char(out, ')');
}

static void put_cast(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    stage_put_type(out, e->type);
    str_char(out, '(');
    stage_put_expr(w, out, e->args[0]);
    str_char(out, ')');
}

void stage_put_expr(struct stage_writer *w, struct str *out, const struct stage_expr *e) {
    switch (e->kind) {
    case STAGE_NUMBER:
        stage_put_value(out, e->type, e->value);
        break;
    case STAGE_NAME:
        put_name(w, out, e);
        break;
    case STAGE_ELEMENT:
        put_element(w, out, e);
        break;
    case STAGE_UNARY:
        if (e->op == STAGE_ABS || e->op == STAGE_SQRT) {
            put_call(w, out, stage_op_text(e->op), e, 1);
            break;
        }
        str_printf(out, "(%s", stage_op_text(e->op));
        stage_put_expr(w, out, e->args[0]);
        str_char(out, ')');
        break;
    case STAGE_CHOICE:
        put_call(w, out, "select", e, 3);
        break;
    case STAGE_CAST:
        put_cast(w, out, e);
        break;
    default:
        put_binary(w, out, e);
    }
}
