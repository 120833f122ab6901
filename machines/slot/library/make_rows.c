/* SPDX-License-Identifier: MIT
 * Expressions on rows: commands, lookups and calls of subs, as items. */
#include "machines/slot/library/making.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 32, MAX_ITEMS = 1 << 16 };

static const struct row_operand none;

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

/* x ^ y = (x | y) & ~(x & y), and ~(x ^ y) = (x & y) | ~(x | y): what Table 2 alone has. */
static void emit_xor(struct row_making *m, bool inverted, struct row_operand to,
                     struct row_operand a, struct row_operand b) {
    if (!m->wanted->table2) {
        row_emit(m, inverted ? ROW_XNOR : ROW_XOR, to, a, b);
        return;
    }
    struct row_operand some = row_fresh(m), other = row_fresh(m);
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
        if (!row_is_number(m, e->args[i]))
            continue;
        uint64_t n = row_number_of(m, e->args[i]) & all;
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
    if (!row_is_number(m, e->args[1])) {
        row_fail(m, e->args[1]->at, "the distance of a shift is a number, not a row");
        return;
    }
    uint64_t by = row_number_of(m, e->args[1]);
    if (by >= m->slot) {
        if (!m->failed)
            row_fail(m, e->at, "a shift by %lld in slots of %u bits", (long long)by, m->slot);
        return;
    }
    row_put_into(m, to, e->args[0]);
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
            row_put_into(m, to, rest);
        else
            row_emit(m, ROW_COPY, to, row_constant(m, n), none);
        return;
    }
    struct row_operand a = row_of_expr(m, e->args[0]), b = row_of_expr(m, e->args[1]);
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
        row_emit(m, ROW_NOT, to, row_of_expr(m, x), none);
}

/* ---- lookups ---- */

/* What `element` says for each index. */
static uint64_t *elements_of(struct row_making *m, unsigned k, unsigned bits,
                             const struct recipe_expr *e) {
    uint64_t *entries = xcalloc((size_t)1 << k, sizeof *entries);
    size_t names = m->names.len;
    for (uint64_t i = 0; !m->failed && i >> k == 0; i++) {
        row_bind_name(m, "index", row_bound_number(i));
        entries[i] = row_number_of(m, e) & low_bits(bits);
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
    uint64_t k = row_number_of(m, e->args[1]),
             bits = e->count == 4 ? row_number_of(m, e->args[3]) : m->slot;
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
    struct row_operand x = row_of_expr(m, e->args[0]);
    uint64_t *entries = elements_of(m, (unsigned)k, (unsigned)bits, e->args[2]);
    const struct row_lookup lookup = {to, x, (unsigned)k, (unsigned)bits, entries, e->at};
    if (!m->failed)
        row_put_lookup(m, &lookup);
    free(entries);
}

/* ---- calls of subs ---- */

static const struct row_routine *find_sub(const struct row_making *m, const char *name) {
    for (size_t i = m->units->list.len; i-- > 0;)
        if (m->units->list.data[i]->sub && !strcmp(m->units->list.data[i]->name, name))
            return m->units->list.data[i];
    return NULL;
}

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
        int both = row_name_at(c->sub->out, c->sub->out_count, c->sub->in[i]);
        if (both >= 0) {
            struct row_operand x = row_of_expr(m, e->args[i]);
            copy(m, targets[both], x);
            c->args[i] = row_bound_value(targets[both]);
            c->results[both] = targets[both];
            continue;
        }
        c->args[i] = row_is_number(m, e->args[i]) ? row_bound_number(row_number_of(m, e->args[i]))
                                                  : row_bound_row(row_of_expr(m, e->args[i]));
        for (unsigned t = 0; t < c->sub->out_count; t++)
            read[t] |= c->args[i].kind == BOUND_ROW && same(&c->args[i].operand, &targets[t]);
    }
    for (unsigned t = 0; t < c->sub->out_count; t++) {
        if (c->results[t].place != PLACE_NONE)
            continue;
        bool safe = !read[t] || (c->sub->out_count == 1 && is_written_last(c->sub, c->sub->out[t]));
        c->results[t] = safe ? targets[t] : row_fresh(m);
    }
}

static void bind_call(struct row_making *m, const struct call *c) {
    row_bind_name(m, "w", row_bound_number(m->w));
    row_bind_name(m, "slot", row_bound_number(m->slot));
    for (unsigned i = 0; i < c->sub->in_count; i++)
        row_bind_name(m, c->sub->in[i], c->args[i]);
    for (unsigned t = 0; t < c->sub->out_count; t++)
        row_bind_name(m, c->sub->out[t], row_bound_value(c->results[t]));
}

void row_call_sub(struct row_making *m, const struct recipe_expr *e,
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
    row_run_block(m, c.sub->body);
    m->depth--;
    m->names.len = names;
    m->floor = floor;
    for (unsigned t = 0; t < count; t++)
        copy(m, targets[t], c.results[t]);
}

/* ---- expressions ---- */

static struct row_operand named_row(struct row_making *m, const struct recipe_expr *e) {
    const struct row_binding *b = row_find_name(m, e->name);
    if (b && (b->kind == BOUND_ROW || b->kind == BOUND_VALUE))
        return b->operand;
    row_fail(m, e->at, b ? "'%s' is a table where a row must stand" : "nothing here is called '%s'",
             e->name);
    return none;
}

void row_put_into(struct row_making *m, struct row_operand to, const struct recipe_expr *e) {
    if (m->failed)
        return;
    if (row_is_number(m, e))
        row_emit(m, ROW_COPY, to, row_constant(m, row_number_of(m, e)), none);
    else if (e->kind == EXPR_NAME)
        copy(m, to, named_row(m, e));
    else if (e->kind == EXPR_UNARY)
        put_unary(m, to, e);
    else if (e->kind == EXPR_BINARY)
        put_binary(m, to, e, false);
    else if (e->kind == EXPR_CALL && !strcmp(e->name, "lookup"))
        put_lookup(m, to, e);
    else if (e->kind == EXPR_CALL)
        row_call_sub(m, e, &to, 1);
    else
        row_fail(m, e->at, "rows have no places: '@' is for recipes of planes");
}

struct row_operand row_of_expr(struct row_making *m, const struct recipe_expr *e) {
    const struct recipe_expr *rest;
    uint64_t n;
    if (m->failed)
        return none;
    if (row_is_number(m, e))
        return row_constant(m, row_number_of(m, e));
    if (e->kind == EXPR_NAME)
        return named_row(m, e);
    if (is_plain(m, e, &rest, &n))
        return rest ? row_of_expr(m, rest) : row_constant(m, n);
    struct row_operand to = row_fresh(m);
    row_put_into(m, to, e);
    return to;
}
