/* SPDX-License-Identifier: MIT
 * Items become words: results are written, what nobody reads is dropped, values get scratch rows,
 * constants and tables places in the pool. */
#include "machines/slot/library/making.h"

#include "recipe/set/set.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

static bool is_shift(unsigned kind) {
    return kind >= ROW_BIT_SHIFT_L && kind <= ROW_BYTE_SHIFT_R;
}

static bool is_value(const struct row_operand *x) {
    return x->place == PLACE_VALUE;
}

/* ---- words without rows ---- */

/* Steps of an item count from the innermost lap; those of a word from the outermost. */
static void turn_steps(int16_t out[ROW_NEST], const int16_t in[ROW_NEST], unsigned depth) {
    memset(out, 0, ROW_NEST * sizeof *out);
    for (unsigned d = 0; d < depth; d++)
        out[depth - 1 - d] = in[d];
}

static struct row_word word_of(const struct row_item *x, unsigned depth) {
    struct row_word w = {.kind = x->kind, .bits = x->bits, .count = x->count};
    w.power = x->power ? (uint8_t)(depth - x->power + 1) : 0;
    turn_steps(w.count_step, x->count_step, depth);
    return w;
}

static unsigned depth_behind(unsigned depth, const struct row_item *x) {
    return x->kind == ROW_LAPS ? depth + 1 : x->kind == ROW_END ? depth - 1 : depth;
}

uint64_t row_items_cost(const struct row_making *m, size_t first) {
    struct row_program p = {.scratch = 0};
    unsigned depth = 0;
    if (m->fewest_words)
        return m->items.len - first;
    for (size_t i = first; i < m->items.len; i++) {
        depth -= m->items.data[i].kind == ROW_END;
        vec_push(&p.words, word_of(&m->items.data[i], depth));
        depth += m->items.data[i].kind == ROW_LAPS;
    }
    uint64_t cost = row_program_cost(&p, &m->wanted->costs);
    row_program_free(&p);
    return cost;
}

/* ---- results ---- */

static const struct row_operand none;

/* Where a result is written: all of the slots, or what a row of ones says and its complement. */
struct where {
    bool all;
    struct row_operand in, out;
};

/* Where `in` is ones the value, elsewhere what was there. */
static void merge(struct row_making *m, struct row_operand to, struct row_operand value,
                  const struct where *where) {
    struct row_operand new = row_value(m->next_value++), old = row_value(m->next_value++);
    row_emit(m, ROW_AND, new, value, where->in);
    row_emit(m, ROW_AND, old, to, where->out);
    row_emit(m, ROW_OR, to, new, old);
}

static bool is_merged(const struct row_making *m) {
    return m->wanted->masked && !(recipe_info(m->insn->op)->flags & ISA_UNMASKED);
}

/* Registers keep the bits above the instruction's width; C and M are whole slots. */
static struct where where_of(struct row_making *m, uint16_t row) {
    bool narrow = row <= ROW_RD && m->w < m->slot && !m->wanted->none_above, merged = is_merged(m);
    struct where x = {.all = !narrow && !merged, .in = row_register(ROW_M)};
    if (narrow) {
        x.in = row_constant(m, low_bits(m->w));
        x.out = row_constant(m, ~low_bits(m->w));
    }
    if (narrow && merged) {
        struct row_operand enabled = row_value(m->next_value++);
        row_emit(m, ROW_AND, enabled, x.in, row_register(ROW_M));
        x.in = enabled;
    }
    if (merged) {
        x.out = row_value(m->next_value++);
        row_emit(m, ROW_NOT, x.out, x.in, none);
    }
    return x;
}

static bool shifts_never(const struct row_item *x) {
    bool zero = is_shift(x->kind) && !x->count && !x->power;
    for (unsigned d = 0; d < ROW_NEST; d++)
        zero &= !x->count_step[d];
    return zero;
}

/* The value is a copy of what the result's row holds already, and nothing else: an instruction that
 * changes nothing, under whatever mask. */
static bool is_unchanged(const struct row_making *m, const struct row_result *result) {
    unsigned copies = 0;
    for (size_t i = 0; i < m->items.len; i++) {
        const struct row_item *x = &m->items.data[i];
        if (x->kind >= ROW_COMMANDS || !is_value(&x->dst) || x->dst.id != result->value ||
            shifts_never(x))
            continue;
        if (x->kind != ROW_COPY || x->a.place != PLACE_REGISTER || x->a.id != result->row)
            return false;
        copies++;
    }
    return copies > 0;
}

static void write_results(struct row_making *m, const struct row_result *results, unsigned count) {
    struct where where = {.all = false};
    bool known = false;
    for (unsigned i = 0; i < count; i++) {
        if (is_unchanged(m, &results[i]))
            continue;
        struct row_operand to = row_register(results[i].row), value = row_value(results[i].value);
        if (!known) /* two results are two registers */
            where = where_of(m, results[i].row);
        known = true;
        if (where.all)
            row_emit(m, ROW_COPY, to, value, none);
        else
            merge(m, to, value, &where);
    }
}

/* ---- copies between values ---- */

static bool is_in(const struct row_item *x, uint32_t value) {
    return (is_value(&x->dst) && x->dst.id == value) || (is_value(&x->a) && x->a.id == value) ||
           (is_value(&x->b) && x->b.id == value);
}

static bool is_among(const struct row_making *m, size_t first, size_t end, uint32_t value) {
    for (size_t i = first; i < end; i++)
        if (is_in(&m->items.data[i], value))
            return true;
    return false;
}

static void rename_value(struct row_making *m, uint32_t value, struct row_operand to) {
    for (size_t i = 0; i < m->items.len; i++) {
        struct row_operand *all[] = {&m->items.data[i].dst, &m->items.data[i].a,
                                     &m->items.data[i].b};
        for (unsigned r = 0; r < 3; r++)
            if (is_value(all[r]) && all[r]->id == value)
                *all[r] = to;
    }
}

/* Outside of laps, a value that begins as a copy of one that ends there is that one. */
static void join_copies(struct row_making *m) {
    unsigned depth = 0;
    for (size_t i = 0; i < m->items.len; i++) {
        struct row_item x = m->items.data[i];
        depth = depth_behind(depth, &x);
        if (!depth && x.kind == ROW_COPY && is_value(&x.dst) && is_value(&x.a) &&
            x.dst.id != x.a.id && !is_among(m, 0, i, x.dst.id) &&
            !is_among(m, i + 1, m->items.len, x.a.id))
            rename_value(m, x.a.id, x.dst); /* what is left copies it to itself, and is no word */
    }
}

/* The operand is a row that the result may overwrite: any register may be the same as another. */
static bool may_be(const struct row_operand *x, uint16_t row) {
    if (x->place != PLACE_REGISTER)
        return false;
    return row <= ROW_RD ? x->id <= ROW_RD : x->id == row;
}

static bool reads(const struct row_item *x, uint16_t row) {
    return may_be(&x->a, row) || may_be(&x->b, row);
}

/* The one result may be made where it belongs if nothing that it overwrites is read from its first
 * word on, or from the beginning of the laps around that; that word itself may read it. */
static bool may_be_there(const struct row_making *m, const struct row_result *result) {
    size_t from = SIZE_MAX, laps = 0;
    unsigned depth = 0;
    for (size_t i = 0; i + 1 < m->items.len; i++) {
        const struct row_item *x = &m->items.data[i];
        if (x->kind == ROW_LAPS && !depth)
            laps = i;
        depth = depth_behind(depth, x);
        if (from == SIZE_MAX && is_value(&x->dst) && x->dst.id == result->value)
            from = depth ? laps : i + 1;
    }
    for (size_t i = from; i != SIZE_MAX && i + 1 < m->items.len; i++)
        if (reads(&m->items.data[i], result->row))
            return false;
    return from != SIZE_MAX;
}

static void put_there(struct row_making *m, const struct row_result *result) {
    m->items.len--; /* the copy */
    rename_value(m, result->value, row_register(result->row));
}

/* ---- what nobody reads ---- */

static bool mark_read(bool *read, const struct row_operand *x) {
    bool new = is_value(x) && !read[x->id];
    if (new)
        read[x->id] = true;
    return new;
}

static bool is_needed(const struct row_item *x, const bool *read) {
    return x->kind >= ROW_COMMANDS || !is_value(&x->dst) || read[x->dst.id];
}

/* A value is read if a needed item reads it; whoever makes a value that is read is needed. */
static bool *find_read(const struct row_making *m) {
    bool *read = xcalloc(m->next_value + 1, sizeof *read);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = m->items.len; i-- > 0;) {
            const struct row_item *x = &m->items.data[i];
            if (!is_needed(x, read))
                continue;
            more |= mark_read(read, &x->a);
            more |= mark_read(read, &x->b);
        }
    }
    return read;
}

/* Laps without anything in them go with what was there. */
static void drop_unread(struct row_making *m) {
    bool *read = find_read(m);
    size_t kept = 0;
    for (size_t i = 0; i < m->items.len; i++) {
        struct row_item x = m->items.data[i];
        if (!is_needed(&x, read) || shifts_never(&x))
            continue;
        if (x.kind == ROW_END && kept && m->items.data[kept - 1].kind == ROW_LAPS)
            kept--;
        else
            m->items.data[kept++] = x;
    }
    m->items.len = kept;
    free(read);
}

/* ---- scratch rows ---- */

/* A value holds a row from its first item to its last; one that is also used outside of laps in
 * which it is used holds it through all of them. */
struct span_of_life {
    size_t first, last;
    uint32_t value;
    int row; /* -1: none yet */
};
struct placing {
    struct row_making *m;
    struct span_of_life *lives; /* by value */
    bool busy[ROW_MAX_SCRATCH];
    uint32_t rows;
};

static void meet(struct placing *p, const struct row_operand *x, size_t at) {
    if (!is_value(x))
        return;
    struct span_of_life *life = &p->lives[x->id];
    if (life->first > at)
        life->first = at;
    life->last = at;
}

static void stretch(struct placing *p, size_t laps, size_t end) {
    for (uint32_t v = 0; v < p->m->next_value; v++) {
        struct span_of_life *x = &p->lives[v];
        if (x->first < laps && x->last > laps && x->last < end)
            x->last = end;
        if (x->first > laps && x->first < end && x->last > end)
            x->first = laps;
    }
}

static void find_lives(struct placing *p) {
    size_t laps[ROW_NEST + 1];
    unsigned depth = 0;
    for (uint32_t v = 0; v < p->m->next_value; v++)
        p->lives[v] = (struct span_of_life){SIZE_MAX, 0, v, -1};
    for (size_t i = 0; i < p->m->items.len; i++) {
        const struct row_item *x = &p->m->items.data[i];
        meet(p, &x->dst, i);
        meet(p, &x->a, i);
        meet(p, &x->b, i);
    }
    for (size_t i = 0; i < p->m->items.len; i++) { /* the inner laps end first */
        if (p->m->items.data[i].kind == ROW_LAPS)
            laps[depth++] = i;
        else if (p->m->items.data[i].kind == ROW_END)
            stretch(p, laps[--depth], i);
    }
}

static int by_first(const void *x, const void *y) {
    const struct span_of_life *a = x, *b = y;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* A copy whose source ends there may stay in its row. */
static int row_of_source(const struct placing *p, const struct span_of_life *order, size_t count,
                         const struct span_of_life *life) {
    const struct row_item *x = &p->m->items.data[life->first];
    if (x->kind != ROW_COPY || !is_value(&x->a) || x->dst.id != life->value)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (order[i].value == x->a.id)
            return order[i].last == life->first ? order[i].row : -1;
    return -1;
}

static int free_row(const struct placing *p) {
    for (int r = 0; r < ROW_MAX_SCRATCH; r++)
        if (!p->busy[r])
            return r;
    return -1;
}

static bool place(struct placing *p, struct span_of_life *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memset(p->busy, 0, sizeof p->busy);
        for (size_t j = 0; j < i; j++)
            if (order[j].last > order[i].first)
                p->busy[order[j].row] = true;
        int row = row_of_source(p, order, i, &order[i]);
        order[i].row = row >= 0 && !p->busy[row] ? row : free_row(p);
        if (order[i].row < 0)
            return false;
        if (p->rows <= (uint32_t)order[i].row)
            p->rows = (uint32_t)order[i].row + 1;
    }
    return true;
}

/* Rows of values, by their numbers; NULL if there are not enough. */
static int *place_values(struct row_making *m, uint32_t *rows) {
    struct placing p = {.m = m, .lives = xcalloc(m->next_value + 1, sizeof *p.lives)};
    int *of = xcalloc(m->next_value + 1, sizeof *of);
    size_t count = 0;
    find_lives(&p);
    for (uint32_t v = 0; v < m->next_value; v++)
        if (p.lives[v].first != SIZE_MAX)
            p.lives[count++] = p.lives[v];
    qsort(p.lives, count, sizeof *p.lives, by_first);
    bool fine = place(&p, p.lives, count);
    for (size_t i = 0; i < count; i++)
        of[p.lives[i].value] = p.lives[i].row;
    *rows = p.rows;
    free(p.lives);
    if (fine)
        return of;
    free(of);
    return NULL;
}

/* ---- words ---- */

struct writing {
    struct row_making *m;
    struct row_pool *pool;
    const int *rows; /* by value */
    unsigned depth;
};

static uint16_t tables_at(struct writing *w, const struct row_operand *x) {
    struct row_table *list = xcalloc(x->len, sizeof *list);
    for (uint32_t i = 0; i < x->len; i++)
        list[i] = w->m->tables.data[w->m->lists.data[x->id + i]];
    uint32_t at = row_pool_tables(w->pool, list, x->len);
    free(list);
    return (uint16_t)at;
}

static struct row_ref ref_of(struct writing *w, const struct row_operand *x) {
    struct row_ref ref = {.row = ROW_NONE};
    if (x->place == PLACE_REGISTER)
        ref.row = (uint16_t)x->id;
    else if (x->place == PLACE_VALUE)
        ref.row = (uint16_t)(ROW_SCRATCH + w->rows[x->id]);
    else if (x->place == PLACE_CONSTANT)
        ref.row = (uint16_t)(ROW_CONSTANT +
                             row_pool_constants(w->pool, w->m->lists.data + x->id, x->len));
    else if (x->place == PLACE_TABLE)
        ref.row = tables_at(w, x);
    turn_steps(ref.step, x->step, w->depth);
    return ref;
}

static bool is_to_itself(const struct row_word *w) {
    return w->kind == ROW_COPY && !memcmp(&w->dst, &w->a, sizeof w->dst);
}

static void write_words(struct writing *w, struct row_program *program) {
    for (size_t i = 0; i < w->m->items.len; i++) {
        const struct row_item *x = &w->m->items.data[i];
        w->depth -= x->kind == ROW_END;
        struct row_word word = word_of(x, w->depth);
        if (x->kind < ROW_COMMANDS) {
            word.dst = ref_of(w, &x->dst);
            word.a = ref_of(w, &x->a);
            word.b = ref_of(w, &x->b);
        }
        if (!is_to_itself(&word))
            vec_push(&program->words, word);
        w->depth += x->kind == ROW_LAPS;
    }
}

bool row_finish(struct row_making *m, const struct row_result *results, unsigned count,
                struct row_pool *pool, struct row_program *program) {
    join_copies(m);
    write_results(m, results, count);
    if (m->failed)
        return false;
    if (count == 1 && !is_unchanged(m, results) && vec_last(&m->items).kind == ROW_COPY &&
        may_be_there(m, results))
        put_there(m, results);
    drop_unread(m);
    int *rows = place_values(m, &program->scratch);
    struct writing w = {m, pool, rows, 0};
    if (rows)
        write_words(&w, program);
    if (!rows)
        row_fail(m, NO_SPAN, "it needs more than %d scratch rows", ROW_MAX_SCRATCH);
    else if ((m->too_long = program->words.len > ROW_MAX_WORDS))
        row_fail(m, NO_SPAN, "it has %zu words; a row program has at most %d", program->words.len,
                 ROW_MAX_WORDS);
    free(rows);
    return !m->failed;
}
