/* SPDX-License-Identifier: MIT
 * Compiles the text of `fn` to a truth table and that of `where` to a condition on classes and
 * sections. */
#include "recipe/technology/where.h"

#include "support/str.h"

#include <string.h>

static int index_of(const struct op_names *names, const char *name) {
    for (unsigned i = 0; i < names->nsrc + names->ndst; i++)
        if (strcmp(names->names[i], name) == 0)
            return (int)i;
    return -1;
}

static bool complain(struct notation_parser *parser, struct span at, const char *what,
                     const char *name) {
    diag_error(parser->diag, at, "%s '%s'", what, name);
    parser->failed = true;
    return false;
}

static bool unknown_operand(struct notation_parser *parser, const struct op_names *names,
                            const struct recipe_expr *expr) {
    complain(parser, expr->name_at, "no operand of this op is called", expr->name);
    diag_suggest(parser->diag, expr->name_at, expr->name, names->names, names->nsrc + names->ndst);
    return false;
}

static struct recipe_expr *parse_all(struct notation_parser *parser) {
    struct recipe_expr *e = notation_parse_expr(parser);
    if (e && parser->lex.token.kind != TOKEN_END) {
        notation_expected(parser, "an operator or the end");
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

static bool fn_name(struct fn_reader *reader, struct recipe_expr *expr) {
    int i = index_of(reader->names, expr->name);
    if (i < 0)
        return unknown_operand(reader->p, reader->names, expr);
    bool old = (unsigned)i >= reader->names->nsrc;
    if (old && reader->names->nsrc == OP_MAX_SOURCES)
        return complain(reader->p, expr->at,
                        "at most 5 sources, and the old value counts as one:", expr->name);
    if (old && (unsigned)i - reader->names->nsrc != reader->dest)
        return complain(reader->p, expr->at, "fn may use the old value of its own output, not of",
                        expr->name);
    reader->reads_old |= old;
    expr->ref = old ? reader->names->nsrc : (uint32_t)i;
    return true;
}

static bool fn_resolve(struct fn_reader *reader, struct recipe_expr *expr) {
    bool call = expr->kind == EXPR_CALL && strcmp(expr->name, "maj") == 0 && expr->count == 3;
    bool unary = expr->kind == EXPR_UNARY && (expr->op == '!' || expr->op == '~');
    bool binary =
        expr->kind == EXPR_BINARY && (expr->op == '&' || expr->op == '|' || expr->op == '^');
    if (expr->kind == EXPR_NAME)
        return fn_name(reader, expr);
    if (expr->kind == EXPR_NUMBER && (expr->number == 0 || expr->number == 1))
        return true;
    if (!call && !unary && !binary) {
        diag_error(reader->p->diag, expr->at,
                   "fn is made of operands, 0, 1, ! & ^ | and maj(a, b, c)");
        reader->p->failed = true;
        return false;
    }
    for (unsigned i = 0; i < expr->count; i++)
        if (!fn_resolve(reader, expr->args[i]))
            return false;
    return true;
}

static bool fn_value(const struct recipe_expr *expr, unsigned row) {
    if (expr->kind == EXPR_NUMBER)
        return expr->number != 0;
    if (expr->kind == EXPR_NAME)
        return row >> expr->ref & 1;
    bool a = fn_value(expr->args[0], row);
    if (expr->kind == EXPR_UNARY)
        return !a;
    bool b = fn_value(expr->args[1], row);
    if (expr->kind == EXPR_CALL) {
        bool c = fn_value(expr->args[2], row);
        return (a && b) || (a && c) || (b && c);
    }
    return expr->op == '&' ? a && b : expr->op == '|' ? a || b : a != b;
}

bool technology_fn_compile(struct notation_parser *parser, const struct op_names *names,
                           unsigned dest, uint32_t *truth, bool *reads_old) {
    struct fn_reader f = {parser, names, dest, false};
    struct recipe_expr *e = parse_all(parser);
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

/* CLASS: of rows that conditions tell apart, each row's own; FAMILY: the one that the file has. */
enum where_ref { REF_SECTION = 1, REF_CLASS, REF_FAMILY, REF_ROW, REF_HERE, REF_CONST };

static struct recipe_expr *leaf(struct arena *arena, enum where_ref ref, int64_t number) {
    struct recipe_expr *e = ARENA_NEW(arena, struct recipe_expr);
    e->kind = ref == REF_HERE ? EXPR_NAME : ref == REF_CONST ? EXPR_NUMBER : EXPR_CALL;
    e->ref = ref;
    e->number = number;
    return e;
}

struct where_reader {
    struct notation_parser *p;
    const struct op_names *names;
    const struct row_class *classes;
    uint32_t class_count;
    unsigned speaks_of;
};

static bool where_class_name(struct where_reader *reader, struct recipe_expr *expr) {
    static const char *const fixed[] = {"buffer", "C", "M", "valid"};
    const char *known[64 + 5];
    size_t n = 0;
    expr->ref = REF_CONST;
    for (uint32_t i = 0; i < reader->class_count; i++) {
        expr->number = reader->classes[i].family;
        if (strcmp(expr->name, reader->classes[i].family_name) == 0)
            return true;
        if (reader->classes[i].family == i)
            known[n++] = reader->classes[i].family_name;
    }
    for (int i = 0; i < 4; i++) {
        expr->number = CLASS_BUFFER + i;
        if (strcmp(expr->name, fixed[i]) == 0) {
            reader->speaks_of |= 1u << i;
            return true;
        }
        known[n++] = fixed[i];
    }
    known[n++] = "here";
    complain(reader->p, expr->at, "neither a class of rows nor 'here':", expr->name);
    diag_suggest(reader->p->diag, expr->at, expr->name, known, n);
    return false;
}

static bool where_name(struct where_reader *reader, struct recipe_expr *expr) {
    if (reader->names->rows && strcmp(expr->name, "rows") == 0) {
        expr->ref = REF_CONST;
        expr->number = reader->names->rows;
        return true;
    }
    expr->ref = REF_HERE;
    return strcmp(expr->name, "here") == 0 || where_class_name(reader, expr);
}

static bool where_call(struct where_reader *reader, struct recipe_expr *expr) {
    bool section = strcmp(expr->name, "section") == 0, row = strcmp(expr->name, "row") == 0;
    if ((!section && !row && strcmp(expr->name, "class") != 0) || expr->count != 1 ||
        expr->args[0]->kind != EXPR_NAME)
        return complain(reader->p, expr->at, "where knows section(x), class(x) and row(x), not",
                        expr->name);
    int i = index_of(reader->names, expr->args[0]->name);
    if (i < 0)
        return unknown_operand(reader->p, reader->names, expr->args[0]);
    expr->ref = section ? REF_SECTION : row ? REF_ROW : REF_FAMILY;
    expr->number = i;
    expr->count = 0;
    expr->table = reader->classes;
    return true;
}

static bool where_resolve(struct where_reader *reader, struct recipe_expr *expr) {
    static const uint16_t operators[] = {'+',
                                         '-',
                                         '*',
                                         '/',
                                         '%',
                                         '<',
                                         '>',
                                         MARK2('=', '='),
                                         MARK2('!', '='),
                                         MARK2('<', '='),
                                         MARK2('>', '='),
                                         MARK2('&', '&'),
                                         MARK2('|', '|')};
    if (expr->kind == EXPR_NUMBER)
        return true;
    if (expr->kind == EXPR_NAME)
        return where_name(reader, expr);
    if (expr->kind == EXPR_CALL)
        return where_call(reader, expr);
    bool known = expr->kind == EXPR_UNARY && (expr->op == '!' || expr->op == '-');
    for (size_t i = 0; expr->kind == EXPR_BINARY && i < sizeof operators / sizeof *operators; i++)
        known |= expr->op == operators[i];
    if (!known) {
        diag_error(reader->p->diag, expr->at,
                   "where is made of section(x), class(x), row(x), here, numbers and "
                   "+ - * / %% == != < <= > >= && || !");
        reader->p->failed = true;
        return false;
    }
    return where_resolve(reader, expr->args[0]) &&
           (expr->count < 2 || where_resolve(reader, expr->args[1]));
}

const struct where_expr *technology_where_compile(struct notation_parser *parser,
                                                  const struct op_names *names,
                                                  const struct row_class *classes,
                                                  uint32_t class_count) {
    struct where_reader w = {parser, names, classes, class_count, 0};
    struct recipe_expr *e = parse_all(parser);
    if (!e || !where_resolve(&w, e))
        return NULL;
    struct where_expr *where = ARENA_NEW(parser->arena, struct where_expr);
    *where = (struct where_expr){e, NULL, w.speaks_of};
    for (uint32_t i = 0; i < class_count; i++)
        where->classes = classes[i].more_registers ? classes : where->classes;
    return where;
}

static void collect_asked(const struct recipe_expr *expr, struct where_questions *questions) {
    if (expr->kind == EXPR_CALL)
        *(expr->ref == REF_SECTION ? &questions->sections : &questions->classes) |= 1u
                                                                                    << expr->number;
    questions->here |= expr->kind == EXPR_NAME && expr->ref == REF_HERE;
    for (unsigned i = 0; i < expr->count && expr->kind != EXPR_CALL; i++)
        collect_asked(expr->args[i], questions);
}

struct where_questions technology_where_asks(const struct where_expr *where) {
    struct where_questions q = {0};
    if (where)
        collect_asked(where->expr, &q);
    return q;
}

struct recipe_expr *technology_where_join(struct arena *arena, struct recipe_expr *left,
                                          uint16_t mark, struct recipe_expr *right) {
    if (!left)
        return right;
    struct recipe_expr *e = ARENA_NEW(arena, struct recipe_expr);
    e->kind = EXPR_BINARY;
    e->op = mark;
    e->count = 2;
    e->args = ARENA_ARRAY(arena, 2, struct recipe_expr *);
    e->args[0] = left;
    e->args[1] = right;
    return e;
}

struct recipe_expr *technology_where_class_test(struct arena *arena, unsigned operand,
                                                uint16_t mark, int64_t class) {
    return technology_where_join(arena, leaf(arena, REF_CLASS, operand), mark,
                                 leaf(arena, REF_CONST, class));
}

struct recipe_expr *technology_where_classes_differ(struct arena *arena, unsigned one,
                                                    unsigned other) {
    return technology_where_join(arena, leaf(arena, REF_CLASS, one), MARK2('!', '='),
                                 leaf(arena, REF_CLASS, other));
}

struct recipe_expr *technology_where_section_here(struct arena *arena, unsigned operand) {
    return technology_where_join(arena, leaf(arena, REF_SECTION, operand), MARK2('=', '='),
                                 leaf(arena, REF_HERE, 0));
}

/* What overflows is 0. */
static int64_t where_binary(uint16_t op, int64_t left, int64_t right) {
    int64_t r;
    return notation_expr_binary(op, left, right, &r) ? r : 0;
}

static int64_t where_unary(uint16_t op, int64_t a) {
    return op == '!' ? !a : where_binary('-', 0, a);
}

/* Far from all rows and from those of other operands. */
#define FAR ((int64_t)1 << 32)

/* Of rows or a latch; -1 is a constant that has no row. */
static bool is_rows(int class) {
    return class >= 0 && class < CLASS_BUFFER;
}

/* The number of the operand's row, where its class has one row. */
static int64_t row_of(const struct recipe_expr *expr, int class) {
    const struct row_class *c =
        is_rows(class) ? (const struct row_class *)expr->table + class : NULL;
    bool one = c && !c->latch && c->first == c->last;
    return one ? (int64_t)c->first : -FAR * (expr->number + 1);
}

/* What a call in a condition says of the place of its operand. */
static int64_t place_value(const struct recipe_expr *expr, const struct where_place *places) {
    const struct where_place *at = &places[expr->number];
    if (expr->ref == REF_FAMILY && is_rows(at->class))
        return ((const struct row_class *)expr->table)[at->class].family;
    return expr->ref == REF_SECTION ? at->section
           : expr->ref == REF_ROW   ? row_of(expr, at->class)
                                    : at->class;
}

static int64_t where_value(const struct recipe_expr *expr, const struct where_place *places,
                           int here) {
    int64_t a;
    switch (expr->kind) {
    case EXPR_NUMBER:
        return expr->number;
    case EXPR_NAME:
        return expr->ref == REF_HERE ? here : expr->number;
    case EXPR_CALL:
        return place_value(expr, places);
    case EXPR_UNARY:
        return where_unary(expr->op, where_value(expr->args[0], places, here));
    default:
        a = where_value(expr->args[0], places, here);
        if ((expr->op == MARK2('&', '&') && !a) || (expr->op == MARK2('|', '|') && a))
            return a != 0;
        return where_binary(expr->op, a, where_value(expr->args[1], places, here));
    }
}

static bool where_known(const struct recipe_expr *expr, const struct where_place *places, int here,
                        int64_t *value);

/* && and || may be decided by either side. */
static bool logic_known(const struct recipe_expr *expr, const struct where_place *places, int here,
                        int64_t *value) {
    bool one = expr->op == MARK2('|', '|'), known = true;
    for (unsigned i = 0; i < 2; i++) {
        bool side = where_known(expr->args[i], places, here, value);
        if (side && (*value != 0) == one) {
            *value = one;
            return true;
        }
        known &= side;
    }
    *value = !one;
    return known;
}

/* False while the value depends on places that are not known; looks at each part once. */
static bool where_known(const struct recipe_expr *expr, const struct where_place *places, int here,
                        int64_t *value) {
    int64_t b = 0;
    if (expr->kind == EXPR_CALL && places[expr->number].class == CLASS_UNKNOWN)
        return false;
    if (expr->kind != EXPR_UNARY && expr->kind != EXPR_BINARY) {
        *value = where_value(expr, places, here);
        return true;
    }
    if (expr->op == MARK2('&', '&') || expr->op == MARK2('|', '|'))
        return logic_known(expr, places, here, value);
    if (!where_known(expr->args[0], places, here, value) ||
        (expr->count > 1 && !where_known(expr->args[1], places, here, &b)))
        return false;
    *value = expr->kind == EXPR_BINARY ? where_binary(expr->op, *value, b)
                                       : where_unary(expr->op, *value);
    return true;
}

static int decided(const struct where_expr *where, const struct where_place *places, int here) {
    int64_t v;
    return where_known(where->expr, places, here, &v) ? v != 0 : -1;
}

/* --- registers in several classes --- */

/* Is this a place of a register, where there are other classes for it? */
static bool is_open(const struct where_expr *where, const struct where_place *place) {
    return is_rows(place->class) && where->classes[place->class].registers &&
           where->classes[place->class].more_registers;
}

/* The operands of `asked` from `operand` on that are registers, in each class that they may lie in:
 * 1 if the condition holds for all, 0 if not for one. */
static int everywhere(const struct where_expr *where, unsigned asked, unsigned operand,
                      struct where_place *places, int here) {
    while (operand < OP_MAX_SOURCES + OP_MAX_DESTS &&
           !(asked >> operand & 1 && is_open(where, &places[operand])))
        operand++;
    if (operand == OP_MAX_SOURCES + OP_MAX_DESTS)
        return decided(where, places, here);
    const int first = places[operand].class;
    int holds = 1, class = first;
    do {
        places[operand].class = class;
        int one = everywhere(where, asked, operand + 1, places, here);
        holds = one == 1 ? holds : one;
        class = (int)where->classes[class].more_registers;
    } while (class && holds);
    places[operand].class = first;
    return holds;
}

int technology_where_decided(const struct where_expr *where, const struct where_place *places,
                             int here) {
    if (!where)
        return 1;
    struct where_place own[OP_MAX_SOURCES + OP_MAX_DESTS];
    unsigned asked = where->classes ? technology_where_asks(where).classes : 0, open = 0;
    for (unsigned i = 0; asked >> i; i++)
        open += asked >> i & 1 && is_open(where, &places[i]);
    if (!open)
        return decided(where, places, here);
    unsigned copied = asked | technology_where_asks(where).sections;
    for (unsigned i = 0; i < OP_MAX_SOURCES + OP_MAX_DESTS; i++)
        own[i] = copied >> i & 1 ? places[i] : (struct where_place){CLASS_UNKNOWN, 0};
    /* 4^4 assignments at most: of more registers, what is not the same for all is refused. */
    for (unsigned i = 0; open > 4; i++)
        if (asked >> i & 1 && is_open(where, &own[i])) {
            own[i].class = CLASS_UNKNOWN;
            open--;
        }
    return everywhere(where, asked, 0, own, here);
}

bool technology_where_holds(const struct where_expr *where, const struct where_place *places,
                            int here) {
    if (!where || !where->classes)
        return !where || where_value(where->expr, places, here) != 0;
    return technology_where_decided(where, places, here) == 1;
}

/* --- quantities --- */

struct quantity_reader {
    struct notation_parser *p;
    quantity_lookup *lookup;
    const void *context;
    const char *const *known;
    size_t known_count;
};

static bool quantity_value(struct quantity_reader *reader, const struct recipe_expr *expr,
                           int64_t *value) {
    *value = expr->number;
    if (expr->kind == EXPR_NUMBER)
        return true;
    if (expr->kind == EXPR_NAME) {
        if (reader->lookup(reader->context, expr->name, value))
            return true;
        complain(reader->p, expr->at, "there is no value called", expr->name);
        diag_suggest(reader->p->diag, expr->at, expr->name, reader->known, reader->known_count);
        return false;
    }
    int64_t b = 0;
    if (expr->kind != EXPR_BINARY || (expr->op != '+' && expr->op != '-' && expr->op != '*')) {
        diag_error(reader->p->diag, expr->at,
                   "a time or energy is made of numbers, names and + - *");
        return !(reader->p->failed = true);
    }
    if (!quantity_value(reader, expr->args[0], value) || !quantity_value(reader, expr->args[1], &b))
        return false;
    if (notation_expr_binary(expr->op, *value, b, value))
        return true;
    diag_error(reader->p->diag, expr->at, "too large");
    return !(reader->p->failed = true);
}

bool technology_quantity_eval(struct notation_parser *parser, quantity_lookup *lookup,
                              const void *context, const char *const *known, size_t known_count,
                              uint64_t *value) {
    struct quantity_reader q = {parser, lookup, context, known, known_count};
    struct recipe_expr *e = parse_all(parser);
    int64_t v = 0;
    if (!e || !quantity_value(&q, e, &v))
        return false;
    if (v < 0 || v > (int64_t)1 << 40) {
        diag_error(parser->diag, e->at, "%lld is outside 0 .. 2^40", (long long)v);
        return !(parser->failed = true);
    }
    *value = (uint64_t)v;
    return true;
}
