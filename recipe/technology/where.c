/* SPDX-License-Identifier: MIT */
#include "recipe/technology/where.h"

#include "support/str.h"

#include <string.h>

static int index_of(const struct op_names *names, const char *name) {
    for (unsigned i = 0; i < names->nsrc + names->ndst; i++)
        if (strcmp(names->names[i], name) == 0)
            return (int)i;
    return -1;
}

static bool complain(struct notation_parser *p, struct span at, const char *what,
                     const char *name) {
    diag_error(p->diag, at, "%s '%s'", what, name);
    p->failed = true;
    return false;
}

static bool unknown_operand(struct notation_parser *p, const struct op_names *names,
                            const struct recipe_expr *e) {
    complain(p, e->name_at, "no operand of this op is called", e->name);
    diag_suggest(p->diag, e->name_at, e->name, names->names, names->nsrc + names->ndst);
    return false;
}

static struct recipe_expr *parse_all(struct notation_parser *p) {
    struct recipe_expr *e = notation_parse_expr(p);
    if (e && p->lex.token.kind != TOKEN_END) {
        notation_expected(p, "an operator or the end");
        return NULL;
    }
    return e;
}

/* --- fn --- */

struct fn_reader {
    struct notation_parser *p;
    const struct op_names *names;
    unsigned dest;
    bool reads_old;
};

static bool fn_name(struct fn_reader *f, struct recipe_expr *e) {
    int i = index_of(f->names, e->name);
    if (i < 0)
        return unknown_operand(f->p, f->names, e);
    bool old = (unsigned)i >= f->names->nsrc;
    if (old && f->names->nsrc == OP_MAX_SOURCES)
        return complain(f->p, e->at,
                        "at most 5 sources, and the old value counts as one:", e->name);
    if (old && (unsigned)i - f->names->nsrc != f->dest)
        return complain(f->p, e->at, "fn may use the old value of its own output, not of", e->name);
    f->reads_old |= old;
    e->ref = old ? f->names->nsrc : (uint32_t)i;
    return true;
}

static bool fn_resolve(struct fn_reader *f, struct recipe_expr *e) {
    bool call = e->kind == EXPR_CALL && strcmp(e->name, "maj") == 0 && e->count == 3;
    bool unary = e->kind == EXPR_UNARY && (e->op == '!' || e->op == '~');
    bool binary = e->kind == EXPR_BINARY && (e->op == '&' || e->op == '|' || e->op == '^');
    if (e->kind == EXPR_NAME)
        return fn_name(f, e);
    if (e->kind == EXPR_NUMBER && (e->number == 0 || e->number == 1))
        return true;
    if (!call && !unary && !binary) {
        diag_error(f->p->diag, e->at, "fn is made of operands, 0, 1, ! & ^ | and maj(a, b, c)");
        f->p->failed = true;
        return false;
    }
    for (unsigned i = 0; i < e->count; i++)
        if (!fn_resolve(f, e->args[i]))
            return false;
    return true;
}

static bool fn_value(const struct recipe_expr *e, unsigned row) {
    if (e->kind == EXPR_NUMBER)
        return e->number != 0;
    if (e->kind == EXPR_NAME)
        return row >> e->ref & 1;
    bool a = fn_value(e->args[0], row);
    if (e->kind == EXPR_UNARY)
        return !a;
    bool b = fn_value(e->args[1], row);
    if (e->kind == EXPR_CALL) {
        bool c = fn_value(e->args[2], row);
        return (a && b) || (a && c) || (b && c);
    }
    return e->op == '&' ? a && b : e->op == '|' ? a || b : a != b;
}

bool technology_fn_compile(struct notation_parser *p, const struct op_names *names, unsigned dest,
                           uint32_t *truth, bool *reads_old) {
    struct fn_reader f = {p, names, dest, false};
    struct recipe_expr *e = parse_all(p);
    if (!e || !fn_resolve(&f, e))
        return false;
    *truth = 0;
    unsigned inputs = names->nsrc + (names->nsrc < OP_MAX_SOURCES);
    for (unsigned row = 0; row < 1u << inputs; row++)
        *truth |= (uint32_t)fn_value(e, row) << row;
    *reads_old |= f.reads_old;
    return true;
}

/* --- where --- */

enum where_ref { REF_SECTION = 1, REF_CLASS, REF_HERE, REF_CONST };

struct where_reader {
    struct notation_parser *p;
    const struct op_names *names;
    const struct row_class *classes;
    uint32_t class_count;
    unsigned speaks_of;
};

static bool where_class_name(struct where_reader *w, struct recipe_expr *e) {
    static const char *const fixed[] = {"buffer", "C", "M", "valid"};
    const char *known[64 + 5];
    size_t n = 0;
    e->ref = REF_CONST;
    for (uint32_t i = 0; i < w->class_count; i++) {
        e->number = i;
        if (strcmp(e->name, w->classes[i].name) == 0)
            return true;
        known[n++] = w->classes[i].name;
    }
    for (int i = 0; i < 4; i++) {
        e->number = CLASS_BUFFER + i;
        if (strcmp(e->name, fixed[i]) == 0) {
            w->speaks_of |= 1u << i;
            return true;
        }
        known[n++] = fixed[i];
    }
    known[n++] = "here";
    complain(w->p, e->at, "neither a class of rows nor 'here':", e->name);
    diag_suggest(w->p->diag, e->at, e->name, known, n);
    return false;
}

static bool where_name(struct where_reader *w, struct recipe_expr *e) {
    e->ref = REF_HERE;
    return strcmp(e->name, "here") == 0 || where_class_name(w, e);
}

static bool where_call(struct where_reader *w, struct recipe_expr *e) {
    bool section = strcmp(e->name, "section") == 0;
    if ((!section && strcmp(e->name, "class") != 0) || e->count != 1 ||
        e->args[0]->kind != EXPR_NAME)
        return complain(w->p, e->at, "where knows section(x) and class(x), not", e->name);
    int i = index_of(w->names, e->args[0]->name);
    if (i < 0)
        return unknown_operand(w->p, w->names, e->args[0]);
    e->ref = section ? REF_SECTION : REF_CLASS;
    e->number = i;
    return true;
}

static bool where_resolve(struct where_reader *w, struct recipe_expr *e) {
    static const uint16_t operators[] = {'+',
                                         '-',
                                         '<',
                                         '>',
                                         MARK2('=', '='),
                                         MARK2('!', '='),
                                         MARK2('<', '='),
                                         MARK2('>', '='),
                                         MARK2('&', '&'),
                                         MARK2('|', '|')};
    if (e->kind == EXPR_NUMBER)
        return true;
    if (e->kind == EXPR_NAME)
        return where_name(w, e);
    if (e->kind == EXPR_CALL)
        return where_call(w, e);
    bool known = e->kind == EXPR_UNARY && (e->op == '!' || e->op == '-');
    for (size_t i = 0; e->kind == EXPR_BINARY && i < sizeof operators / sizeof *operators; i++)
        known |= e->op == operators[i];
    if (!known) {
        diag_error(w->p->diag, e->at,
                   "where is made of section(x), class(x), here, numbers and "
                   "+ - == != < <= > >= && || !");
        w->p->failed = true;
        return false;
    }
    return where_resolve(w, e->args[0]) && (e->count < 2 || where_resolve(w, e->args[1]));
}

const struct where_expr *technology_where_compile(struct notation_parser *p,
                                                  const struct op_names *names,
                                                  const struct row_class *classes,
                                                  uint32_t class_count) {
    struct where_reader w = {p, names, classes, class_count, 0};
    struct recipe_expr *e = parse_all(p);
    if (!e || !where_resolve(&w, e))
        return NULL;
    struct where_expr *where = ARENA_NEW(p->arena, struct where_expr);
    *where = (struct where_expr){e, w.speaks_of};
    return where;
}

static void collect_asked(const struct recipe_expr *e, struct where_questions *q) {
    if (e->kind == EXPR_CALL)
        *(e->ref == REF_SECTION ? &q->sections : &q->classes) |= 1u << e->number;
    q->here |= e->kind == EXPR_NAME && e->ref == REF_HERE;
    for (unsigned i = 0; i < e->count && e->kind != EXPR_CALL; i++)
        collect_asked(e->args[i], q);
}

struct where_questions technology_where_asks(const struct where_expr *where) {
    struct where_questions q = {0};
    if (where)
        collect_asked(where->expr, &q);
    return q;
}

static struct recipe_expr *leaf(struct arena *a, enum where_ref ref, int64_t number) {
    struct recipe_expr *e = ARENA_NEW(a, struct recipe_expr);
    e->kind = ref == REF_HERE ? EXPR_NAME : ref == REF_CONST ? EXPR_NUMBER : EXPR_CALL;
    e->ref = ref;
    e->number = number;
    return e;
}

struct recipe_expr *technology_where_join(struct arena *a, struct recipe_expr *left, uint16_t mark,
                                          struct recipe_expr *right) {
    if (!left)
        return right;
    struct recipe_expr *e = ARENA_NEW(a, struct recipe_expr);
    e->kind = EXPR_BINARY;
    e->op = mark;
    e->count = 2;
    e->args = ARENA_ARRAY(a, 2, struct recipe_expr *);
    e->args[0] = left;
    e->args[1] = right;
    return e;
}

struct recipe_expr *technology_where_class_test(struct arena *a, unsigned operand, uint16_t mark,
                                                int64_t class) {
    return technology_where_join(a, leaf(a, REF_CLASS, operand), mark, leaf(a, REF_CONST, class));
}

struct recipe_expr *technology_where_classes_differ(struct arena *a, unsigned one, unsigned other) {
    return technology_where_join(a, leaf(a, REF_CLASS, one), MARK2('!', '='),
                                 leaf(a, REF_CLASS, other));
}

struct recipe_expr *technology_where_section_here(struct arena *a, unsigned operand) {
    return technology_where_join(a, leaf(a, REF_SECTION, operand), MARK2('=', '='),
                                 leaf(a, REF_HERE, 0));
}

/* What overflows is 0. */
static int64_t where_binary(uint16_t op, int64_t a, int64_t b) {
    int64_t r;
    return notation_expr_binary(op, a, b, &r) ? r : 0;
}

static int64_t where_unary(uint16_t op, int64_t a) {
    return op == '!' ? !a : where_binary('-', 0, a);
}

static int64_t where_value(const struct recipe_expr *e, const struct where_place *places,
                           int here) {
    int64_t a;
    switch (e->kind) {
    case EXPR_NUMBER:
        return e->number;
    case EXPR_NAME:
        return e->ref == REF_HERE ? here : e->number;
    case EXPR_CALL:
        return e->ref == REF_SECTION ? places[e->number].section : places[e->number].class;
    case EXPR_UNARY:
        return where_unary(e->op, where_value(e->args[0], places, here));
    default:
        a = where_value(e->args[0], places, here);
        if ((e->op == MARK2('&', '&') && !a) || (e->op == MARK2('|', '|') && a))
            return a != 0;
        return where_binary(e->op, a, where_value(e->args[1], places, here));
    }
}

bool technology_where_holds(const struct where_expr *where, const struct where_place *places,
                            int here) {
    return !where || where_value(where->expr, places, here) != 0;
}

static bool where_known(const struct recipe_expr *e, const struct where_place *places, int here,
                        int64_t *v);

/* && and || may be decided by either side. */
static bool logic_known(const struct recipe_expr *e, const struct where_place *places, int here,
                        int64_t *v) {
    bool one = e->op == MARK2('|', '|'), known = true;
    for (unsigned i = 0; i < 2; i++) {
        bool side = where_known(e->args[i], places, here, v);
        if (side && (*v != 0) == one) {
            *v = one;
            return true;
        }
        known &= side;
    }
    *v = !one;
    return known;
}

/* False while the value depends on places that are not known; looks at each part once. */
static bool where_known(const struct recipe_expr *e, const struct where_place *places, int here,
                        int64_t *v) {
    int64_t b = 0;
    if (e->kind == EXPR_CALL && places[e->number].class == CLASS_UNKNOWN)
        return false;
    if (e->kind != EXPR_UNARY && e->kind != EXPR_BINARY) {
        *v = where_value(e, places, here);
        return true;
    }
    if (e->op == MARK2('&', '&') || e->op == MARK2('|', '|'))
        return logic_known(e, places, here, v);
    if (!where_known(e->args[0], places, here, v) ||
        (e->count > 1 && !where_known(e->args[1], places, here, &b)))
        return false;
    *v = e->kind == EXPR_BINARY ? where_binary(e->op, *v, b) : where_unary(e->op, *v);
    return true;
}

int technology_where_decided(const struct where_expr *where, const struct where_place *places,
                             int here) {
    int64_t v = 1;
    if (where && !where_known(where->expr, places, here, &v))
        return -1;
    return v != 0;
}

/* --- quantities --- */

struct quantity_reader {
    struct notation_parser *p;
    quantity_lookup *lookup;
    const void *context;
    const char *const *known;
    size_t known_count;
};

static bool quantity_value(struct quantity_reader *q, const struct recipe_expr *e, int64_t *v) {
    *v = e->number;
    if (e->kind == EXPR_NUMBER)
        return true;
    if (e->kind == EXPR_NAME) {
        if (q->lookup(q->context, e->name, v))
            return true;
        complain(q->p, e->at, "there is no value called", e->name);
        diag_suggest(q->p->diag, e->at, e->name, q->known, q->known_count);
        return false;
    }
    int64_t b = 0;
    if (e->kind != EXPR_BINARY || (e->op != '+' && e->op != '-' && e->op != '*')) {
        diag_error(q->p->diag, e->at, "a time or energy is made of numbers, names and + - *");
        return !(q->p->failed = true);
    }
    if (!quantity_value(q, e->args[0], v) || !quantity_value(q, e->args[1], &b))
        return false;
    if (notation_expr_binary(e->op, *v, b, v))
        return true;
    diag_error(q->p->diag, e->at, "too large");
    return !(q->p->failed = true);
}

bool technology_quantity_eval(struct notation_parser *p, quantity_lookup *lookup,
                              const void *context, const char *const *known, size_t known_count,
                              uint64_t *value) {
    struct quantity_reader q = {p, lookup, context, known, known_count};
    struct recipe_expr *e = parse_all(p);
    int64_t v = 0;
    if (!e || !quantity_value(&q, e, &v))
        return false;
    if (v < 0 || v > (int64_t)1 << 40) {
        diag_error(p->diag, e->at, "%lld is outside 0 .. 2^40", (long long)v);
        return !(p->failed = true);
    }
    *value = (uint64_t)v;
    return true;
}
