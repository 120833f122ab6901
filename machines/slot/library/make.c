/* SPDX-License-Identifier: MIT
 * A routine carried out for one width, slot and constant: numbers are worked out, statements on
 * rows become items. */
#include "machines/slot/library/making.h"

#include "recipe/set/set.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 32, MAX_STEPS = 1 << 18, MAX_ITEMS = 1 << 16 };

static void fail_with(struct row_making *m, struct span at, bool lacks, const char *format,
                      va_list args) {
    if (m->failed)
        return;
    m->failed = true;
    m->lacks = lacks;
    m->at = at;
    str_vprintf(m->problem, format, args);
}

void row_fail(struct row_making *m, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_with(m, at, false, format, args);
    va_end(args);
}

void row_lack(struct row_making *m, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_with(m, at, true, format, args);
    va_end(args);
}

/* ---- names ---- */

static struct row_binding *find(const struct row_making *m, const char *name) {
    for (size_t i = m->names.len; i-- > m->floor;)
        if (!strcmp(m->names.data[i].name, name))
            return &m->names.data[i];
    return NULL;
}

static struct row_binding *bind(struct row_making *m, const char *name, struct row_binding what) {
    what.name = name;
    vec_push(&m->names, what);
    return &vec_last(&m->names);
}

static struct row_binding number(uint64_t value) {
    return (struct row_binding){.kind = BOUND_NUMBER, .number = value};
}

static struct row_binding row(struct row_operand operand) {
    return (struct row_binding){.kind = BOUND_ROW, .operand = operand};
}

static struct row_binding value(struct row_operand operand) {
    return (struct row_binding){.kind = BOUND_VALUE, .operand = operand};
}

static struct row_operand fresh(struct row_making *m) {
    return row_value(m->next_value++);
}

static const struct row_routine *find_sub(const struct row_making *m, const char *name) {
    for (size_t i = m->units->list.len; i-- > 0;)
        if (m->units->list.data[i]->sub && !strcmp(m->units->list.data[i]->name, name))
            return m->units->list.data[i];
    return NULL;
}

/* ---- numbers ---- */

static bool is_number(const struct row_making *m, const struct recipe_expr *e) {
    static const char *const functions[] = {"low", "select", "popcount", "log2", "min", "max"};
    const struct row_binding *b;
    switch (e->kind) {
    case EXPR_NUMBER:
    case EXPR_INDEX:
        return true;
    case EXPR_NAME:
        b = find(m, e->name);
        return !b || b->kind == BOUND_NUMBER;
    case EXPR_CALL:
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (!strcmp(functions[i], e->name))
                return true;
        return false;
    default:
        for (unsigned i = 0; i < e->count; i++)
            if (!is_number(m, e->args[i]))
                return false;
        return e->kind == EXPR_UNARY || e->kind == EXPR_BINARY;
    }
}

static uint64_t number_of(struct row_making *m, const struct recipe_expr *e);

static uint64_t log2_up(uint64_t n) {
    uint64_t bits = 0;
    while (bits < 63 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

static uint64_t call_number(struct row_making *m, const struct recipe_expr *e) {
    uint64_t args[3] = {0};
    unsigned wants = !strcmp(e->name, "select")                           ? 3
                     : !strcmp(e->name, "min") || !strcmp(e->name, "max") ? 2
                                                                          : 1;
    if (!is_number(m, e)) {
        row_fail(m, e->name_at, "'%s' gives a row where a number must stand", e->name);
        return 0;
    }
    if (e->count != wants) {
        row_fail(m, e->at, "'%s' takes %u operands", e->name, wants);
        return 0;
    }
    if (wants == 3) /* only the one that is asked for: a table's other half may lie outside */
        return number_of(m, e->args[number_of(m, e->args[0]) ? 1 : 2]);
    for (unsigned i = 0; i < wants; i++)
        args[i] = number_of(m, e->args[i]);
    if (!strcmp(e->name, "low"))
        return args[0] < 64 ? low_bits((unsigned)args[0]) : UINT64_MAX;
    if (!strcmp(e->name, "popcount"))
        return (uint64_t)__builtin_popcountll(args[0]);
    if (!strcmp(e->name, "log2"))
        return log2_up(args[0]);
    if (!strcmp(e->name, "min"))
        return args[0] < args[1] ? args[0] : args[1];
    return args[0] > args[1] ? args[0] : args[1];
}

static uint64_t divided(struct row_making *m, const struct recipe_expr *e, uint64_t x, uint64_t y) {
    if (!y)
        row_fail(m, e->at, "a division by zero");
    return !y ? 0 : e->op == '/' ? x / y : x % y;
}

/* Modulo 2^64; comparisons of numbers with a sign, so that a loop may go down to -1. */
static uint64_t binary_number(struct row_making *m, const struct recipe_expr *e) {
    uint64_t x = number_of(m, e->args[0]), y = number_of(m, e->args[1]);
    switch (e->op) {
    case MARK2('|', '|'):
        return x || y;
    case MARK2('&', '&'):
        return x && y;
    case MARK2('=', '='):
        return x == y;
    case MARK2('!', '='):
        return x != y;
    case '<':
        return (int64_t)x < (int64_t)y;
    case MARK2('<', '='):
        return (int64_t)x <= (int64_t)y;
    case '>':
        return (int64_t)x > (int64_t)y;
    case MARK2('>', '='):
        return (int64_t)x >= (int64_t)y;
    case '|':
        return x | y;
    case '^':
        return x ^ y;
    case '&':
        return x & y;
    case MARK2('<', '<'):
        return y < 64 ? x << y : 0;
    case MARK2('>', '>'):
        return y < 64 ? x >> y : 0;
    case '+':
        return x + y;
    case '-':
        return x - y;
    case '*':
        return x * y;
    default:
        return divided(m, e, x, y);
    }
}

static uint64_t named_number(struct row_making *m, const struct recipe_expr *e) {
    const struct row_binding *b = find(m, e->name);
    if (b && b->kind == BOUND_NUMBER)
        return b->number;
    if (b)
        row_fail(m, e->at, "'%s' is a %s where a number must stand", e->name,
                 b->kind == BOUND_TABLE ? "table" : "row");
    else
        row_fail(m, e->at, "nothing here is called '%s'", e->name);
    return 0;
}

static uint64_t element(struct row_making *m, const struct recipe_expr *e) {
    const struct row_binding *b = find(m, e->name);
    uint64_t i = number_of(m, e->args[0]);
    if (!b || b->kind != BOUND_TABLE)
        row_fail(m, e->name_at, "nothing here is a table '%s'", e->name);
    else if (i >= b->entry_count)
        row_fail(m, e->at, "table '%s' has %u elements", e->name, (unsigned)b->entry_count);
    return m->failed ? 0 : b->entries[i];
}

static uint64_t number_of(struct row_making *m, const struct recipe_expr *e) {
    uint64_t x;
    if (m->failed)
        return 0;
    switch (e->kind) {
    case EXPR_NUMBER:
        return (uint64_t)e->number;
    case EXPR_NAME:
        return named_number(m, e);
    case EXPR_INDEX:
        return element(m, e);
    case EXPR_CALL:
        return call_number(m, e);
    case EXPR_UNARY:
        x = number_of(m, e->args[0]);
        return e->op == '~' ? ~x : e->op == '-' ? 0 - x : !x;
    case EXPR_BINARY:
        return binary_number(m, e);
    default:
        row_fail(m, e->at, "rows have no places: '@' is for recipes of planes");
        return 0;
    }
}

/* ---- items ---- */

struct row_operand row_constant(struct row_making *m, uint64_t bits) {
    struct row_operand x = {.place = PLACE_CONSTANT, .id = (uint32_t)m->lists.len, .len = 1};
    vec_push(&m->lists, bits & low_bits(m->slot));
    return x;
}

void row_put(struct row_making *m, struct row_item item) {
    if (m->items.len >= MAX_ITEMS)
        row_fail(m, NO_SPAN, "more than 65536 commands before loops are rolled");
    else
        vec_push(&m->items, item);
}

void row_emit(struct row_making *m, enum row_kind kind, struct row_operand dst,
              struct row_operand a, struct row_operand b) {
    row_put(m, (struct row_item){.kind = (uint8_t)kind, .dst = dst, .a = a, .b = b});
}

static const struct row_operand none;

/* x ^ y = (x | y) & ~(x & y), and ~(x ^ y) = (x & y) | ~(x | y): what Table 2 alone has. */
static void emit_xor(struct row_making *m, bool inverted, struct row_operand to,
                     struct row_operand a, struct row_operand b) {
    if (!m->wanted->table2) {
        row_emit(m, inverted ? ROW_XNOR : ROW_XOR, to, a, b);
        return;
    }
    struct row_operand some = fresh(m), other = fresh(m);
    row_emit(m, inverted ? ROW_OR : ROW_AND, some, a, b);
    row_emit(m, ROW_NOT, other, some, none);
    row_emit(m, inverted ? ROW_AND : ROW_OR, some, a, b);
    row_emit(m, inverted ? ROW_OR : ROW_AND, to, some, other);
}

void row_emit_shift(struct row_making *m, bool left, struct row_operand to, uint64_t by) {
    struct row_item bytes = {
        .kind = left ? ROW_BYTE_SHIFT_L : ROW_BYTE_SHIFT_R, .count = (uint32_t)(by / 8), .dst = to};
    struct row_item bits = {
        .kind = left ? ROW_BIT_SHIFT_L : ROW_BIT_SHIFT_R, .count = (uint32_t)(by % 8), .dst = to};
    if (m->fewest_words) { /* one word, and laps that shift by bits and by bytes are alike */
        bits.count = (uint32_t)by;
        row_put(m, bits);
        return;
    }
    if (bytes.count || m->loops) /* a loop's laps are alike if none lacks a word */
        row_put(m, bytes);
    if (bits.count || m->loops)
        row_put(m, bits);
}

/* ---- rows ---- */

static struct row_operand row_of(struct row_making *m, const struct recipe_expr *e);
static void put_into(struct row_making *m, struct row_operand to, const struct recipe_expr *e);

static bool same(const struct row_operand *x, const struct row_operand *y) {
    return x->place == y->place && x->id == y->id && x->place != PLACE_CONSTANT;
}

static void copy(struct row_making *m, struct row_operand to, struct row_operand from) {
    if (!same(&to, &from))
        row_emit(m, ROW_COPY, to, from, none);
}

/* An operation with a number that leaves one of its operands, or a number, as it is. */
static bool is_plain(struct row_making *m, const struct recipe_expr *e,
                     const struct recipe_expr **rest, uint64_t *number) {
    uint64_t all = low_bits(m->slot);
    *rest = NULL;
    for (unsigned i = 0; i < 2 && e->kind == EXPR_BINARY; i++) {
        if (!is_number(m, e->args[i]))
            continue;
        uint64_t n = number_of(m, e->args[i]) & all;
        bool neutral = e->op == '&' ? n == all : (e->op == '|' || e->op == '^') && n == 0;
        *number = n;
        if (neutral)
            *rest = e->args[1 - i];
        if (neutral || (e->op == '&' && n == 0) || (e->op == '|' && n == all))
            return true;
    }
    return false;
}

static void put_shift(struct row_making *m, struct row_operand to, const struct recipe_expr *e) {
    if (!is_number(m, e->args[1])) {
        row_fail(m, e->args[1]->at, "the distance of a shift is a number, not a row");
        return;
    }
    uint64_t by = number_of(m, e->args[1]);
    if (by >= m->slot) {
        if (!m->failed)
            row_fail(m, e->at, "a shift by %lld in slots of %u bits", (long long)by, m->slot);
        return;
    }
    put_into(m, to, e->args[0]);
    row_emit_shift(m, e->op == MARK2('<', '<'), to, by);
}

/* The operand that an operation with a row of a constant leaves as it is: what numbers came to in
 * rows, as `~a & 0` does.  NULL: it does something. */
static const struct row_operand *left_as_it_is(const struct row_making *m, unsigned op,
                                               const struct row_operand *a,
                                               const struct row_operand *b) {
    const struct row_operand *sides[] = {a, b};
    for (unsigned i = 0; i < 2; i++) {
        if (sides[i]->place != PLACE_CONSTANT)
            continue;
        uint64_t bits = m->lists.data[sides[i]->id];
        if (bits == 0)
            return op == '&' ? sides[i] : sides[1 - i];
        if (bits == low_bits(m->slot) && op != '^')
            return op == '|' ? sides[i] : sides[1 - i];
    }
    return NULL;
}

static void put_binary(struct row_making *m, struct row_operand to, const struct recipe_expr *e,
                       bool inverted) {
    const struct recipe_expr *rest;
    uint64_t n;
    if (e->op == MARK2('<', '<') || e->op == MARK2('>', '>')) {
        put_shift(m, to, e);
        return;
    }
    if (e->op != '&' && e->op != '|' && e->op != '^') {
        row_fail(m, e->at, "rows have '& | ^ ~ << >>'; this one is for numbers");
        return;
    }
    if (!inverted && is_plain(m, e, &rest, &n)) {
        if (rest)
            put_into(m, to, rest);
        else
            row_emit(m, ROW_COPY, to, row_constant(m, n), none);
        return;
    }
    struct row_operand a = row_of(m, e->args[0]), b = row_of(m, e->args[1]);
    const struct row_operand *rest_row =
        !inverted && !m->failed ? left_as_it_is(m, e->op, &a, &b) : NULL;
    if (rest_row)
        copy(m, to, *rest_row);
    else if (e->op == '^')
        emit_xor(m, inverted, to, a, b);
    else
        row_emit(m, e->op == '&' ? ROW_AND : ROW_OR, to, a, b);
}

static void put_unary(struct row_making *m, struct row_operand to, const struct recipe_expr *e) {
    const struct recipe_expr *x = e->args[0];
    if (e->op != '~') {
        row_fail(m, e->at, "rows have '& | ^ ~ << >>'; this one is for numbers");
        return;
    }
    if (x->kind == EXPR_BINARY && x->op == '^')
        put_binary(m, to, x, true);
    else
        row_emit(m, ROW_NOT, to, row_of(m, x), none);
}

/* ---- lookups ---- */

/* What `element` says for each index. */
static uint64_t *elements_of(struct row_making *m, unsigned k, unsigned bits,
                             const struct recipe_expr *e) {
    uint64_t *entries = xcalloc((size_t)1 << k, sizeof *entries);
    size_t names = m->names.len;
    for (uint64_t i = 0; !m->failed && i >> k == 0; i++) {
        bind(m, "index", number(i));
        entries[i] = number_of(m, e) & low_bits(bits);
        m->names.len = names;
    }
    return entries;
}

/* lookup(x, k, element [, bits]): what stands in a table of 2^k elements, as `element` says for
 * each `index`, at the number in each field of `bits` bits, a slot otherwise. */
static void put_lookup(struct row_making *m, struct row_operand to, const struct recipe_expr *e) {
    if (e->count < 3 || e->count > 4) {
        row_fail(m, e->at,
                 "'lookup' takes a row, bits of the index, an element, and perhaps the "
                 "bits of a field");
        return;
    }
    uint64_t k = number_of(m, e->args[1]),
             bits = e->count == 4 ? number_of(m, e->args[3]) : m->slot;
    if (m->failed)
        return;
    if (bits > m->slot || bits < 1 || (bits & (bits - 1))) {
        row_fail(m, e->at, "fields of %lld bits do not divide slots of %u", (long long)bits,
                 m->slot);
        return;
    }
    if (k < 1 || k > 16 || k > bits) {
        row_fail(m, e->at,
                 "an index of %lld bits: it has 1 to 16, and no more than its field of "
                 "%lld",
                 (long long)k, (long long)bits);
        return;
    }
    struct row_operand x = row_of(m, e->args[0]);
    uint64_t *entries = elements_of(m, (unsigned)k, (unsigned)bits, e->args[2]);
    const struct row_lookup lookup = {to, x, (unsigned)k, (unsigned)bits, entries, e->at};
    if (!m->failed)
        row_put_lookup(m, &lookup);
    free(entries);
}

/* ---- calls of subs ---- */

static bool run_block(struct row_making *m, const struct row_stmt *s);

/* The result may have its place from the beginning: it is written by the last statement alone. */
static bool is_written_last(const struct row_routine *sub, const char *name) {
    const struct row_stmt *s = sub->body;
    for (; s && s->next; s = s->next) {
        if (s->kind != ROW_ASSIGN && s->kind != ROW_LET && s->kind != ROW_TABLE)
            return false;
        for (unsigned i = 0; s->kind == ROW_ASSIGN && i < s->name_count; i++)
            if (!strcmp(s->names[i], name))
                return false;
    }
    return s && s->kind == ROW_ASSIGN && s->name_count == 1 && s->value->kind != EXPR_CALL;
}

static int in_list(const char *const *names, unsigned count, const char *name) {
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

struct call {
    const struct row_routine *sub;
    struct row_binding args[ROW_MAX_NAMES];
    struct row_operand results[ROW_MAX_NAMES];
};

/* What goes in: numbers and rows; a name on both sides is the target itself. */
static void take_arguments(struct row_making *m, const struct recipe_expr *e, struct call *c,
                           const struct row_operand *targets) {
    bool read[ROW_MAX_NAMES] = {false};
    for (unsigned i = 0; i < e->count && !m->failed; i++) {
        int both = in_list(c->sub->out, c->sub->out_count, c->sub->in[i]);
        if (both >= 0) {
            struct row_operand x = row_of(m, e->args[i]);
            copy(m, targets[both], x);
            c->args[i] = value(targets[both]);
            c->results[both] = targets[both];
            continue;
        }
        c->args[i] = is_number(m, e->args[i]) ? number(number_of(m, e->args[i]))
                                              : row(row_of(m, e->args[i]));
        for (unsigned t = 0; t < c->sub->out_count; t++)
            read[t] |= c->args[i].kind == BOUND_ROW && same(&c->args[i].operand, &targets[t]);
    }
    for (unsigned t = 0; t < c->sub->out_count; t++) {
        if (c->results[t].place != PLACE_NONE)
            continue;
        bool safe = !read[t] || (c->sub->out_count == 1 && is_written_last(c->sub, c->sub->out[t]));
        c->results[t] = safe ? targets[t] : fresh(m);
    }
}

static void bind_call(struct row_making *m, const struct call *c) {
    bind(m, "w", number(m->w));
    bind(m, "slot", number(m->slot));
    for (unsigned i = 0; i < c->sub->in_count; i++)
        bind(m, c->sub->in[i], c->args[i]);
    for (unsigned t = 0; t < c->sub->out_count; t++)
        bind(m, c->sub->out[t], value(c->results[t]));
}

static void call_sub(struct row_making *m, const struct recipe_expr *e,
                     const struct row_operand *targets, unsigned count) {
    struct call c = {.sub = find_sub(m, e->name)};
    if (!c.sub)
        row_fail(m, e->name_at, "nothing here is called '%s'", e->name);
    else if (e->count != c.sub->in_count || count != c.sub->out_count)
        row_fail(m, e->at, "sub '%s' takes %u operands and gives %u", e->name, c.sub->in_count,
                 c.sub->out_count);
    else if (m->depth == MAX_CALLS)
        row_fail(m, e->at, "calls of subs nest more than 32 deep");
    if (m->failed)
        return;
    take_arguments(m, e, &c, targets);
    size_t floor = m->floor, names = m->names.len;
    m->floor = names;
    m->depth++;
    bind_call(m, &c);
    run_block(m, c.sub->body);
    m->depth--;
    m->names.len = names;
    m->floor = floor;
    for (unsigned t = 0; t < count; t++)
        copy(m, targets[t], c.results[t]);
}

/* ---- expressions ---- */

static struct row_operand named_row(struct row_making *m, const struct recipe_expr *e) {
    const struct row_binding *b = find(m, e->name);
    if (b && (b->kind == BOUND_ROW || b->kind == BOUND_VALUE))
        return b->operand;
    row_fail(m, e->at, b ? "'%s' is a table where a row must stand" : "nothing here is called '%s'",
             e->name);
    return none;
}

static void put_into(struct row_making *m, struct row_operand to, const struct recipe_expr *e) {
    if (m->failed)
        return;
    if (is_number(m, e))
        row_emit(m, ROW_COPY, to, row_constant(m, number_of(m, e)), none);
    else if (e->kind == EXPR_NAME)
        copy(m, to, named_row(m, e));
    else if (e->kind == EXPR_UNARY)
        put_unary(m, to, e);
    else if (e->kind == EXPR_BINARY)
        put_binary(m, to, e, false);
    else if (e->kind == EXPR_CALL && !strcmp(e->name, "lookup"))
        put_lookup(m, to, e);
    else if (e->kind == EXPR_CALL)
        call_sub(m, e, &to, 1);
    else
        row_fail(m, e->at, "rows have no places: '@' is for recipes of planes");
}

static struct row_operand row_of(struct row_making *m, const struct recipe_expr *e) {
    const struct recipe_expr *rest;
    uint64_t n;
    if (m->failed)
        return none;
    if (is_number(m, e))
        return row_constant(m, number_of(m, e));
    if (e->kind == EXPR_NAME)
        return named_row(m, e);
    if (is_plain(m, e, &rest, &n))
        return rest ? row_of(m, rest) : row_constant(m, n);
    struct row_operand to = fresh(m);
    put_into(m, to, e);
    return to;
}

/* ---- statements ---- */

/* Where an assignment to the name goes: a new value, the first time. */
static struct row_operand target(struct row_making *m, const char *name, struct span at) {
    struct row_binding *b = find(m, name);
    if (b && b->kind == BOUND_VALUE)
        return b->operand;
    if (b && !b->source) {
        row_fail(m, at, "'%s' is read only: a %s", name,
                 b->kind == BOUND_NUMBER  ? "number"
                 : b->kind == BOUND_TABLE ? "table"
                                          : "row that "
                                            "has another name");
        return none;
    }
    struct row_operand to = fresh(m);
    if (!b)
        bind(m, name, value(to));
    return to;
}

/* A source that is a result too means the result from the first assignment on. */
static void turn_source(struct row_making *m, const char *name, struct row_operand to) {
    struct row_binding *b = find(m, name);
    if (b && b->kind == BOUND_ROW && b->source) {
        b->kind = BOUND_VALUE;
        b->operand = to;
    }
}

static void run_assign(struct row_making *m, const struct row_stmt *s) {
    struct row_operand to[ROW_MAX_NAMES];
    for (unsigned i = 0; i < s->name_count && !m->failed; i++) {
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(s->names[i], s->names[j]))
                row_fail(m, s->at, "'%s' is written twice", s->names[i]);
        /* A name that is new is not there yet for what it is made from. */
        to[i] = target(m, s->names[i], s->at);
    }
    if (m->failed)
        return;
    if (s->name_count == 1)
        put_into(m, to[0], s->value);
    else if (s->value->kind == EXPR_CALL && strcmp(s->value->name, "lookup"))
        call_sub(m, s->value, to, s->name_count);
    else
        row_fail(m, s->at, "only a sub has several results");
    for (unsigned i = 0; i < s->name_count; i++)
        turn_source(m, s->names[i], to[i]);
}

static void run_let(struct row_making *m, const struct row_stmt *s) {
    struct row_binding b =
        is_number(m, s->value) ? number(number_of(m, s->value)) : row(row_of(m, s->value));
    struct row_binding *old = find(m, s->names[0]);
    if (old && old->kind == BOUND_VALUE)
        row_fail(m, s->at, "'%s' is a row that is written already", s->names[0]);
    bind(m, s->names[0], b);
}

static void run_table(struct row_making *m, const struct row_stmt *s) {
    uint64_t *entries = xcalloc(s->element_count + 1, sizeof *entries);
    for (uint32_t i = 0; i < s->element_count; i++)
        entries[i] = number_of(m, s->elements[i]);
    vec_push(&m->arrays, entries);
    bind(m, s->names[0],
         (struct row_binding){
             .kind = BOUND_TABLE, .entries = entries, .entry_count = s->element_count});
}

/* Values that a lap makes have the same numbers in each, so that laps can be alike. */
static void run_for(struct row_making *m, const struct row_stmt *s) {
    int64_t first = (int64_t)number_of(m, s->first), last = (int64_t)number_of(m, s->last);
    int64_t step = s->down ? -1 : 1;
    VEC(size_t) starts = {0};
    uint32_t values = m->next_value, most = values;
    m->loops++;
    for (int64_t i = first; !m->failed && (s->down ? i >= last : i <= last); i += step) {
        size_t names = m->names.len;
        vec_push(&starts, m->items.len);
        m->next_value = values;
        bind(m, s->names[0], number((uint64_t)i));
        run_block(m, s->body);
        m->names.len = names;
        most = m->next_value > most ? m->next_value : most;
    }
    m->next_value = most;
    m->loops--;
    if (!m->failed)
        row_roll(m, starts.data, starts.len);
    vec_free(&starts);
}

/* What a body leaves behind, to be taken back. */
struct row_mark {
    size_t items, names;
    uint32_t values;
    struct row_binding *saved;
};

static struct row_mark mark(const struct row_making *m) {
    struct row_mark x = {m->items.len, m->names.len, m->next_value,
                         xcalloc(m->names.len + 1, sizeof *x.saved)};
    memcpy(x.saved, m->names.data, m->names.len * sizeof *x.saved);
    return x;
}

static void take_back(struct row_making *m, const struct row_mark *x) {
    m->items.len = x->items;
    m->names.len = x->names;
    m->next_value = x->values;
    memcpy(m->names.data, x->saved, x->names * sizeof *x->saved);
}

/* A body that asks for what the target's match logic cannot do is left out of the choice. */
static bool leave_out(struct row_making *m, size_t problem) {
    bool left_out = m->failed && m->lacks;
    if (left_out) {
        m->failed = m->lacks = false;
        m->problem->len = problem;
        m->problem->text[problem] = '\0';
    }
    return left_out;
}

/* The cheapest body; of equal ones the first. */
static void run_choose(struct row_making *m, const struct row_stmt *s) {
    const struct row_stmt *best = s;
    uint64_t least = UINT64_MAX;
    struct row_mark before = mark(m);
    size_t problem = m->problem->len;
    for (const struct row_stmt *x = s; x && !m->failed; x = x->otherwise) {
        size_t floor = m->floor;
        unsigned depth = m->depth, loops = m->loops;
        run_block(m, x->body);
        bool there = !leave_out(m, problem);
        uint64_t cost = m->failed || !there ? 0 : row_items_cost(m, before.items);
        take_back(m, &before);
        m->floor = floor;
        m->depth = depth;
        m->loops = loops;
        if (there && cost < least) {
            least = cost;
            best = x;
        }
    }
    free(before.saved);
    run_block(m, best->body);
}

static void run_stmt(struct row_making *m, const struct row_stmt *s) {
    if (m->steps++ > MAX_STEPS)
        row_fail(m, s->at, "the body does not end within 2^18 statements");
    if (m->failed)
        return;
    switch (s->kind) {
    case ROW_ASSIGN:
        run_assign(m, s);
        break;
    case ROW_LET:
        run_let(m, s);
        break;
    case ROW_FOR:
        run_for(m, s);
        break;
    case ROW_IF:
        run_block(m, number_of(m, s->value) ? s->body : s->otherwise);
        break;
    case ROW_CHOOSE:
        run_choose(m, s);
        break;
    case ROW_TABLE:
        run_table(m, s);
        break;
    }
}

static bool run_block(struct row_making *m, const struct row_stmt *s) {
    for (; s && !m->failed; s = s->next)
        run_stmt(m, s);
    return !m->failed;
}

/* ---- routines ---- */

static uint16_t row_of_field(uint8_t field) {
    static const uint16_t rows[] = {[FIELD_RS] = ROW_RS,
                                    [FIELD_RT] = ROW_RT,
                                    [FIELD_RD] = ROW_RD,
                                    [FIELD_C] = ROW_C,
                                    [FIELD_M] = ROW_M};
    return rows[field];
}

static struct row_binding constant_of(const struct row_making *m) {
    return number((uint64_t)(int64_t)m->insn->imm);
}

static void bind_operands(struct row_making *m, const struct row_routine *unit,
                          const struct signature *signature) {
    const struct isa_lut *lut = m->insn->table;
    bind(m, "w", number(m->w));
    bind(m, "slot", number(m->slot));
    bind(m, "valid", row(row_register(ROW_VALID)));
    for (unsigned i = 0; i < unit->in_count; i++) {
        bool table = isa_has_table(m->insn->op) && i == 1;
        if (table) {
            bind(m, "k", number(lut->index_bits));
            bind(m, unit->in[i],
                 (struct row_binding){.kind = BOUND_TABLE,
                                      .entries = lut->entries,
                                      .entry_count = UINT32_C(1) << lut->index_bits});
        } else if (signature->in[i] == FIELD_IMM) {
            bind(m, unit->in[i], constant_of(m));
        } else {
            struct row_binding b = row(row_register(row_of_field(signature->in[i])));
            b.source = in_list(unit->out, unit->out_count, unit->in[i]) >= 0;
            bind(m, unit->in[i], b);
        }
    }
}

static bool take_results(struct row_making *m, const struct row_routine *unit,
                         const struct signature *signature, struct row_result *results) {
    for (unsigned i = 0; i < unit->out_count && !m->failed; i++) {
        const struct row_binding *b = find(m, unit->out[i]);
        if (!b || b->kind != BOUND_VALUE)
            row_fail(m, unit->at, "result '%s' is not written", unit->out[i]);
        else
            results[i] = (struct row_result){row_of_field(signature->out[i]), b->operand.id};
    }
    return !m->failed;
}

bool row_make(struct row_making *m, const struct row_routine *unit, struct row_pool *pool,
              struct row_program *program) {
    struct row_result results[ROW_MAX_NAMES];
    struct signature signature;
    notation_signature(m->insn->op, &signature);
    bind_operands(m, unit, &signature);
    return run_block(m, unit->body) && take_results(m, unit, &signature, results) &&
           row_finish(m, results, unit->out_count, pool, program);
}
