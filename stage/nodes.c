/* SPDX-License-Identifier: MIT
 * Nodes of the tree as they are read, and messages about text that is no kernel. */
#include "stage/nodes.h"
#include "stage_grammar.h"
#include "stage_words.h"
#include "support/ieee_text.h"

#include <string.h>

void stage_syntax_error(struct stage_syntax *p, struct span at, const char *format, ...) {
    va_list args;
    p->broken = true;
    va_start(args, format);
    diag_verror(p->diag, at, format, args);
    va_end(args);
}

struct span stage_span_join(struct span first, struct span last) {
    return (struct span){first.source, first.begin, last.end > first.begin ? last.end : first.end};
}

char *stage_name_at(struct stage_syntax *p, struct span at) {
    return arena_copy(p->arena, p->text + at.begin, at.end - at.begin);
}

/* Nodes are made about in the order of the text, so that each line is counted about once. */
static uint32_t line_of(struct stage_syntax *p, uint32_t begin) {
    for (; p->line_at < begin; p->line_at++)
        p->line += p->text[p->line_at] == '\n';
    for (; p->line_at > begin; p->line_at--)
        p->line -= p->text[p->line_at - 1] == '\n';
    return p->line;
}

void stage_brace(struct stage_syntax *p, struct span at, bool opens) {
    if (opens && p->braces == 0)
        p->open = at;
    if (opens && p->braces == STAGE_MAX_DEPTH)
        stage_syntax_error(p, at, "more than %d blocks stand in each other", STAGE_MAX_DEPTH);
    p->braces = opens ? p->braces + 1 : p->braces - (p->braces > 0);
}

/* ---- types ---- */

static const struct {
    const char *word;
    struct stage_type_words type;
} words_of_c[] = {
    {"int8_t", {{TYPE_INT, 8}, true, false}},     {"int16_t", {{TYPE_INT, 16}, true, false}},
    {"int32_t", {{TYPE_INT, 32}, true, false}},   {"int64_t", {{TYPE_INT, 64}, true, false}},
    {"uint8_t", {{TYPE_UINT, 8}, true, false}},   {"uint16_t", {{TYPE_UINT, 16}, true, false}},
    {"uint32_t", {{TYPE_UINT, 32}, true, false}}, {"uint64_t", {{TYPE_UINT, 64}, true, false}},
    {"size_t", {{TYPE_UINT, 64}, true, false}},   {"char", {{TYPE_INT, 8}, true, false}},
    {"int", {{TYPE_INT, 32}, true, false}},       {"short", {{TYPE_INT, 16}, true, true}},
    {"long", {{TYPE_INT, 64}, true, true}},       {"unsigned", {{TYPE_UINT, 32}, true, true}},
    {"signed", {{TYPE_INT, 32}, true, true}},     {"float", {{TYPE_FLOAT, 32}, true, false}},
    {"double", {{TYPE_FLOAT, 64}, true, false}},
};

bool stage_word(const struct stage_syntax *p, struct span at, struct stage_type_words *type) {
    const char *text = p->text + at.begin;
    size_t n = at.end - at.begin;
    *type = (struct stage_type_words){.modifier = false};
    for (size_t i = 0; i < sizeof words_of_c / sizeof *words_of_c; i++)
        if (strlen(words_of_c[i].word) == n && memcmp(words_of_c[i].word, text, n) == 0) {
            *type = words_of_c[i].type;
            return true;
        }
    return object_type_parse(text, n, &type->type);
}

/* "unsigned char", "long long", "long unsigned int", in any order that C has. */
struct stage_type_words stage_join_types(struct stage_syntax *p, struct span at,
                                         struct stage_type_words left,
                                         struct stage_type_words right) {
    if (!left.modifier || !right.word || !stage_is_integer(right.type)) {
        stage_syntax_error(p, at, "a value has one type");
        return left;
    }
    if (right.type.bits != 32)
        left.type.bits = right.type.bits;
    if (right.type.kind == TYPE_UINT)
        left.type.kind = TYPE_UINT;
    left.modifier = right.modifier;
    return left;
}

/* ---- expressions ---- */

struct stage_expr *stage_make(struct stage_syntax *p, enum stage_expr_kind kind, struct span at,
                              enum stage_op op, struct stage_expr *first, struct stage_expr *second,
                              struct stage_expr *third) {
    struct stage_expr *e = ARENA_NEW(p->arena, struct stage_expr);
    *e = (struct stage_expr){.kind = kind, .at = at, .op = op, .args = {first, second, third}};
    e->line = line_of(p, at.begin);
    for (unsigned i = 0; i < 3; i++)
        if (e->args[i] && e->args[i]->depth >= e->depth)
            e->depth = e->args[i]->depth + 1;
    if (e->depth == 2 * STAGE_MAX_DEPTH)
        stage_syntax_error(p, at, "the expression is nested too deep");
    return e;
}

static size_t digits(const char *text, size_t n, const char *suffixes) {
    while (n > 1 && strchr(suffixes, text[n - 1]))
        n--;
    return n;
}

static struct lane_type suffix_type(const char *suffix, size_t n) {
    bool is_unsigned = false, is_long = false;
    for (size_t i = 0; i < n; i++) {
        is_unsigned |= suffix[i] == 'u' || suffix[i] == 'U';
        is_long |= suffix[i] == 'l' || suffix[i] == 'L';
    }
    return (struct lane_type){is_unsigned ? TYPE_UINT : TYPE_INT, n == 0 ? 0 : is_long ? 64 : 32};
}

static bool is_hex(const char *text) {
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static void make_integer(struct stage_syntax *p, struct stage_expr *e, const char *text, size_t n) {
    size_t count = digits(text, n, "uUlL");
    e->type = suffix_type(text + count, n - count);
    if (!number_parse_u64(text, count, &e->value) || n - count > 3)
        stage_syntax_error(p, e->at, "this is no number");
    else if (e->value && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
        stage_syntax_error(
            p, e->at,
            "numbers that begin with 0 have base 8 in C, and are none here: write it "
            "as 0x.. or without the 0");
    else if (e->type.bits == 32 && e->value > (e->type.kind == TYPE_INT ? INT32_MAX : UINT32_MAX))
        e->type.bits = 64;
    if (e->value > INT64_MAX && e->type.kind == TYPE_INT)
        e->type = (struct lane_type){TYPE_UINT, 64};
    e->range = (struct stage_range){e->value <= INT64_MAX, (int64_t)e->value, (int64_t)e->value};
}

struct stage_expr *stage_make_number(struct stage_syntax *p, struct span at, bool real) {
    struct stage_expr *e = stage_make(p, STAGE_NUMBER, at, STAGE_NO_OP, NULL, NULL, NULL);
    e->text = stage_name_at(p, at);
    size_t n = strlen(e->text);
    if (!real) {
        make_integer(p, e, e->text, n);
        return e;
    }
    size_t count = is_hex(e->text) ? n : digits(e->text, n, "fF");
    if (is_hex(e->text) && strchr("fF", e->text[n - 1]))
        count = strpbrk(e->text, "pP") ? n - 1 : n;
    e->type = (struct lane_type){TYPE_FLOAT, count < n ? 32 : 0};
    e->text = arena_strndup(p->arena, e->text, count);
    if (count < n && ieee_parse(ieee_binary(32), e->text, count, &e->value) != IEEE_NUMBER)
        stage_syntax_error(p, at, "no number of type f32 is this large");
    return e;
}

struct stage_expr *stage_make_truth(struct stage_syntax *p, struct span at, bool value) {
    struct stage_expr *e = stage_make(p, STAGE_NUMBER, at, STAGE_NO_OP, NULL, NULL, NULL);
    e->type = (struct lane_type){TYPE_BOOL, 1};
    e->value = value;
    return e;
}

struct stage_expr *stage_make_name(struct stage_syntax *p, struct span at) {
    struct stage_expr *e = stage_make(p, STAGE_NAME, at, STAGE_NO_OP, NULL, NULL, NULL);
    e->text = stage_name_at(p, at);
    return e;
}

struct stage_expr *stage_make_cast(struct stage_syntax *p, struct span at,
                                   struct stage_type_words type, struct stage_expr *value) {
    struct stage_expr *e = stage_make(p, STAGE_CAST, at, STAGE_NO_OP, value, NULL, NULL);
    e->type = type.type;
    return e;
}

static const struct {
    const char *name;
    enum stage_op op;
    unsigned args;
} functions[] = {
    {"min", STAGE_MIN, 2}, {"max", STAGE_MAX, 2}, {"abs", STAGE_ABS, 1}, {"sqrt", STAGE_SQRT, 1}};

struct stage_expr *stage_make_call(struct stage_syntax *p, struct span at, struct span name,
                                   struct stage_exprs args) {
    char *text = stage_name_at(p, name);
    struct stage_expr *first = args.first, *second = first ? first->next : NULL;
    unsigned count = 0;
    for (struct stage_expr *e = first; e; e = e->next)
        count++;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, text) != 0)
            continue;
        if (functions[i].args != count)
            stage_syntax_error(p, at, "`%s` takes %s", text,
                               functions[i].args == 1 ? "one value" : "two values");
        return stage_make(p, functions[i].args == 1 ? STAGE_UNARY : STAGE_BINARY, at,
                          functions[i].op, first, functions[i].args == 1 ? NULL : second, NULL);
    }
    static const char *const names[] = {"min", "max", "abs", "sqrt"};
    stage_syntax_error(p, name, "there are no calls in a body, and no `%s` among what it can do",
                       text);
    diag_suggest(p->diag, name, text, names, 4);
    return stage_make(p, STAGE_CALL, at, STAGE_NO_OP, first, NULL, NULL);
}

struct stage_expr *stage_make_element(struct stage_syntax *p, struct span at,
                                      struct stage_expr *array, struct stage_expr *index) {
    if (array->kind != STAGE_NAME)
        stage_syntax_error(p, at, "only what has a name has elements");
    struct stage_expr *e = stage_make(p, STAGE_ELEMENT, at, STAGE_NO_OP, index, NULL, NULL);
    e->text = array->text;
    return e;
}

struct stage_expr *stage_make_star(struct stage_syntax *p, struct span at,
                                   struct stage_expr *pointer) {
    struct stage_expr *index = NULL;
    if (pointer->kind == STAGE_BINARY && pointer->op == STAGE_ADD) {
        index = pointer->args[1];
        pointer = pointer->args[0];
    }
    if (!index) {
        index = stage_make(p, STAGE_NUMBER, at, STAGE_NO_OP, NULL, NULL, NULL);
        index->type = (struct lane_type){TYPE_INT, 0};
        index->range.known = true;
    }
    return stage_make_element(p, at, pointer, index);
}

struct stage_exprs stage_append(struct stage_exprs list, struct stage_expr *expr) {
    if (!list.first)
        return (struct stage_exprs){expr, expr};
    list.last->next = expr;
    return (struct stage_exprs){list.first, expr};
}

/* ---- statements ---- */

struct stage_stmt *stage_make_stmt(struct stage_syntax *p, enum stage_stmt_kind kind,
                                   struct span at) {
    struct stage_stmt *s = ARENA_NEW(p->arena, struct stage_stmt);
    s->kind = kind;
    s->at = at;
    s->line = line_of(p, at.begin);
    s->op = STAGE_NO_OP;
    return s;
}

struct stage_list stage_append_stmt(struct stage_list list, struct stage_stmt *stmt) {
    if (!list.first)
        return (struct stage_list){stmt, stmt};
    list.last->next = stmt;
    return (struct stage_list){list.first, stmt};
}

struct stage_stmt *stage_make_assign(struct stage_syntax *p, struct span at,
                                     struct stage_expr *target, enum stage_op op,
                                     struct stage_expr *value) {
    struct stage_stmt *s = stage_make_stmt(p, STAGE_ASSIGN, at);
    if (target->kind != STAGE_NAME && target->kind != STAGE_ELEMENT)
        stage_syntax_error(p, target->at, "this is no place that can be assigned to");
    s->target = target;
    s->op = op;
    s->value = value;
    return s;
}

struct stage_stmt *stage_make_step(struct stage_syntax *p, struct span at,
                                   struct stage_expr *target, enum stage_op op) {
    struct stage_expr *one = stage_make(p, STAGE_NUMBER, at, STAGE_NO_OP, NULL, NULL, NULL);
    one->type = (struct lane_type){TYPE_INT, 0};
    one->value = 1;
    one->range = (struct stage_range){true, 1, 1};
    return stage_make_assign(p, at, target, op, one);
}

struct stage_stmt *stage_make_useless(struct stage_syntax *p, struct stage_expr *expr) {
    if (expr->kind != STAGE_CALL)
        stage_syntax_error(p, expr->at, "nothing comes of this value: an assignment has `=`");
    return stage_make_stmt(p, STAGE_BLOCK, expr->at);
}

void stage_set_types(struct stage_list list, struct lane_type type, bool constant) {
    for (struct stage_stmt *s = list.first; s; s = s->next) {
        s->type = type;
        s->constant = constant;
    }
}

/* ---- stages ---- */

struct stage_stage *stage_make_stage(struct stage_syntax *p, enum stage_pattern pattern,
                                     struct span at) {
    struct stage_stage *s = ARENA_NEW(p->arena, struct stage_stage);
    s->pattern = pattern;
    s->at = at;
    s->line = line_of(p, at.begin);
    s->params_end = &s->params;
    return s;
}

void stage_add_stage(struct stage_syntax *p, struct stage_stage *stage) {
    *p->made->stages_end = stage;
    p->made->stages_end = &stage->next;
}

struct stage_param *stage_make_param(struct stage_syntax *p, enum stage_role role, struct span at,
                                     struct span array) {
    struct stage_param *q = ARENA_NEW(p->arena, struct stage_param);
    q->role = role;
    q->at = at;
    q->line = line_of(p, at.begin);
    q->array_text = q->text = stage_name_at(p, array);
    q->array = q->tail = q->from = q->bound = NO_INDEX;
    q->fold = STAGE_NO_OP;
    return q;
}

void stage_add_array(struct stage_syntax *p, struct span at, struct stage_type_words type) {
    struct stage_array *a = ARENA_NEW(p->arena, struct stage_array);
    a->text = stage_name_at(p, at);
    a->at = at;
    a->type = type.type;
    a->parameter = a->length = NO_INDEX;
    *p->made->arrays_end = a;
    p->made->arrays_end = &a->next;
}

int stage_grammar_lex(STAGE_GRAMMAR_STYPE *value, STAGE_GRAMMAR_LTYPE *at, struct stage_syntax *p) {
    int kind = stage_scan_lex(value, at, p->scanner);
    if (kind == T_END)
        *at = (struct span){p->source, p->end, p->end};
    return kind;
}

/* ---- messages ---- */

static bool among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What could stand there, most telling first. */
static const char *wanted(const char *const *expected, size_t count) {
    static const char *const order[][2] = {
        {"length", "`length`, `array`, `const` or a pattern"},
        {"in", "`in`, `out`, `inout`, `whole`, `acc` or `count`"},
        {"';'", "`;`"},
        {"')'", "`)`"},
        {"']'", "`]`"},
        {"'('", "`(`"},
        {"'{'", "`{`"},
        {"':'", "`:`"},
        {"while", "`while`"},
        {"type", "a type"},
        {"name", "a name"},
        {"number", "an expression"}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (among(order[i][0], expected, count) &&
            !(strcmp(order[i][0], "name") == 0 && among("number", expected, count)))
            return order[i][1];
    return NULL;
}

void stage_unexpected(struct stage_syntax *p, struct span at, const char *found,
                      const char *const *expected, size_t count) {
    static const char *const patterns[] = {"length", "array", "map",     "reduce", "filter",
                                           "window", "group", "combine", "const"};
    const char *what = wanted(expected, count);
    char *text = stage_name_at(p, at);
    bool ends = strcmp(found, "end of the text") == 0;
    if (strcmp(found, "unknown character") == 0 && p->broken)
        return;
    if (ends && p->braces > 0) {
        stage_syntax_error(p, p->open, "the body that begins here is not closed");
        return;
    }
    if (strcmp(found, "word of C") == 0)
        stage_syntax_error(p, at, "`%s` is C that bodies are not written in", text);
    else if (what)
        stage_syntax_error(p, at, "expected %s, found %s%s%s", what, ends ? "" : "`",
                           ends ? found : text, ends ? "" : "`");
    else
        stage_syntax_error(p, at, "`%s` is not expected here", text);
    if (p->braces == 0 && strcmp(found, "name") == 0)
        diag_suggest(p->diag, at, text, patterns, sizeof patterns / sizeof *patterns);
}

struct stage_text *stage_parse(struct arena *arena, struct diag *diag, uint32_t source) {
    size_t size;
    struct stage_syntax p = {.arena = arena, .diag = diag, .source = source, .line = 1};
    yyscan_t scanner;
    p.text = diag_source_text(diag, source, &size);
    p.end = (uint32_t)size;
    p.made = ARENA_NEW(arena, struct stage_text);
    p.made->arrays_end = &p.made->arrays;
    p.made->stages_end = &p.made->stages;
    stage_scan_lex_init_extra(&p, &scanner);
    p.scanner = scanner;
    stage_scan__scan_bytes(p.text, (int)p.end, scanner);
    if (stage_grammar_parse(&p) != 0)
        p.broken = true;
    stage_scan_lex_destroy(scanner);
    return p.broken ? NULL : p.made;
}
