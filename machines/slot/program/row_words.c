/* SPDX-License-Identifier: MIT
 * Row programs: pools, what words come to, what it costs, and what is wrong with those of a
 * package. */
#include "machines/slot/program/program.h"

#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- pools ---- */

void row_pool_free(struct row_pool *pool) {
    for (size_t i = 0; i < pool->tables.len; i++)
        free((void *)(uintptr_t)pool->tables.data[i].entries);
    vec_free(&pool->tables);
    vec_free(&pool->constants);
}

/* How many of the first of `wanted` stand at the end of what is there, or anywhere all of them:
 * the place where they stand, or begin. */
static uint32_t constants_at(const struct row_pool *pool, const uint64_t *values, uint32_t count) {
    uint32_t at = 0;
    for (; at < pool->constants.len; at++) {
        size_t there = pool->constants.len - at < count ? pool->constants.len - at : count;
        if (!memcmp(pool->constants.data + at, values, there * sizeof *values))
            break;
    }
    return at;
}

uint32_t row_pool_constants(struct row_pool *pool, const uint64_t *values, uint32_t count) {
    uint32_t at = constants_at(pool, values, count);
    for (uint32_t i = (uint32_t)pool->constants.len - at; i < count; i++)
        vec_push(&pool->constants, values[i]);
    return at;
}

static bool same_table(const struct row_table *left, const struct row_table *right) {
    return left->index_bits == right->index_bits && left->bits == right->bits &&
           !memcmp(left->entries, right->entries,
                   ((size_t)1 << left->index_bits) * sizeof *left->entries);
}

static struct row_table copy_of(const struct row_table *table) {
    size_t count = (size_t)1 << table->index_bits;
    uint64_t *entries = xcalloc(count, sizeof *entries);
    memcpy(entries, table->entries, count * sizeof *entries);
    return (struct row_table){table->index_bits, table->bits, entries};
}

uint32_t row_pool_tables(struct row_pool *pool, const struct row_table *tables, uint32_t count) {
    uint32_t at = 0;
    for (; at < pool->tables.len; at++) {
        uint32_t i = 0;
        while (i < count && at + i < pool->tables.len &&
               same_table(&pool->tables.data[at + i], &tables[i]))
            i++;
        if (i == count || at + i == pool->tables.len)
            break;
    }
    for (uint32_t i = (uint32_t)pool->tables.len - at; i < count; i++)
        vec_push(&pool->tables, copy_of(&tables[i]));
    return at;
}

void row_program_free(struct row_program *program) {
    vec_free(&program->words);
}

/* ---- expansion ---- */

static uint16_t row_at(const struct row_cursor *c, const struct row_ref *ref) {
    int row = ref->row;
    for (unsigned d = 0; d < c->depth; d++)
        row += ref->step[d] * (int)c->lap[d];
    return (uint16_t)row;
}

static bool is_shift(unsigned kind) {
    return kind >= ROW_BIT_SHIFT_L && kind <= ROW_BYTE_SHIFT_R;
}

static uint32_t count_at(const struct row_cursor *c, const struct row_word *w) {
    if (w->power)
        return w->count << c->lap[w->power - 1];
    int64_t count = w->count;
    for (unsigned d = 0; d < c->depth; d++)
        count += (int64_t)w->count_step[d] * c->lap[d];
    return (uint32_t)count;
}

/* Laps begin, and end or begin again. */
static void turn(struct row_cursor *c, const struct row_word *w) {
    if (w->kind == ROW_LAPS) {
        c->start[c->depth] = c->at;
        c->laps[c->depth] = w->count;
        c->lap[c->depth++] = 0;
    } else if (++c->lap[c->depth - 1] < c->laps[c->depth - 1]) {
        c->at = c->start[c->depth - 1];
    } else {
        c->depth--;
    }
}

bool row_next(struct row_cursor *c, struct row_command *out) {
    while (c->at < c->len) {
        const struct row_word *w = &c->words[c->at++];
        if (w->kind >= ROW_COMMANDS) {
            turn(c, w);
            continue;
        }
        uint32_t count = is_shift(w->kind) ? count_at(c, w) : w->count;
        if (is_shift(w->kind) && !count)
            continue;
        *out =
            (struct row_command){w->kind,          w->bits, row_at(c, &w->dst),   row_at(c, &w->a),
                                 row_at(c, &w->b), count,   (uint32_t)(c->at - 1)};
        return true;
    }
    return false;
}

uint64_t row_program_cost(const struct row_program *program, const struct row_costs *costs) {
    struct row_cursor c = row_cursor(program);
    struct row_command x;
    uint64_t sum = 0;
    while (row_next(&c, &x))
        sum += costs->cost(costs->ctx, x.kind, x.count);
    return sum;
}

uint64_t row_act_pre(const void *precharges_once, enum row_kind kind, uint32_t count) {
    static const uint8_t each[ROW_COMMANDS] = {
        [ROW_COPY] = 3,         [ROW_NOT] = 6,         [ROW_AND] = 12,
        [ROW_OR] = 12,          [ROW_XOR] = 19,        [ROW_XNOR] = 22,
        [ROW_BIT_SHIFT_L] = 3,  [ROW_BIT_SHIFT_R] = 3, [ROW_BYTE_SHIFT_L] = 3,
        [ROW_BYTE_SHIFT_R] = 3, [ROW_MOVE] = 3};
    if (kind == ROW_QUERY)
        return precharges_once ? count + 4u : 2 * (uint64_t)count + 3;
    return is_shift(kind) ? (uint64_t)each[kind] * count : each[kind];
}

/* ---- checks ---- */

/* Laps that close, in no more than ROW_NEST, and fields that their words have. */
static const char *check_shape(const struct row_program *p) {
    unsigned depth = 0;
    if (p->words.len > ROW_MAX_WORDS)
        return "a row program has more than 1024 words";
    if (p->scratch > ROW_ALL_SCRATCH)
        return "a row program wants more scratch rows than there can be";
    for (size_t i = 0; i < p->words.len; i++) {
        const struct row_word *w = &p->words.data[i];
        if (w->kind >= ROW_KINDS)
            return "there is no such row command";
        if (w->kind == ROW_LAPS && (depth++ == ROW_NEST || !w->count))
            return "laps of a row program are wrong";
        if (w->kind == ROW_END && depth-- == 0)
            return "laps of a row program are wrong";
        if (w->power && (!is_shift(w->kind) || w->power > depth))
            return "a shift steps with laps that do not stand around it";
    }
    return depth ? "laps of a row program do not end" : NULL;
}

/* A row or table that steps with each lap around a word stays in 0 .. 0xffff, a shift in 0 .. 4096
 * and a table has 2^16 elements at most, so that no number runs over while it is expanded. */
static const char *check_steps(const struct row_program *p, uint32_t *word) {
    uint32_t laps[ROW_NEST];
    unsigned depth = 0;
    for (size_t i = 0; i < p->words.len; i++) {
        const struct row_word *w = &p->words.data[i];
        *word = (uint32_t)i;
        if (w->kind == ROW_LAPS)
            laps[depth++] = w->count;
        depth -= w->kind == ROW_END;
        if (w->kind >= ROW_COMMANDS)
            continue;
        const struct row_ref *refs[] = {&w->dst, &w->a, &w->b};
        for (unsigned r = 0; r < 4; r++) {
            int64_t least = r < 3 ? refs[r]->row : w->count, most = least;
            for (unsigned d = 0; d < depth; d++) {
                int64_t by =
                    (int64_t)(r < 3 ? refs[r]->step[d] : w->count_step[d]) * (int64_t)(laps[d] - 1);
                least += by < 0 ? by : 0;
                most += by > 0 ? by : 0;
            }
            if (least < 0 || most > (r < 3 ? 0xffff : 0x10000))
                return r < 3 ? "a row program leads outside"
                             : "a shift of a row program is too far";
        }
        if (w->power && (laps[w->power - 1] > 12 || w->count > 4096))
            return "a shift of a row program is too far";
        if (is_shift(w->kind) && w->count > 4096)
            return "a shift of a row program is too far";
    }
    return NULL;
}

struct row_checking {
    const struct row_program *program;
    const struct row_pool *pool;
    uint32_t flags, row_bits;
    bool written[ROW_ALL_SCRATCH];
    struct row_use *use; /* NULL: nobody asks */
};

static const char *check_read(struct row_checking *x, uint16_t row) {
    if (row >= ROW_CONSTANT)
        return (size_t)(row - ROW_CONSTANT) < x->pool->constants.len
                   ? NULL
                   : "a row program reads a constant that is not there";
    if (row < ROW_SCRATCH)
        return row <= ROW_BUFFER ? NULL : "there is no such row";
    if (row - ROW_SCRATCH >= (int)x->program->scratch)
        return "a row program reads a scratch row that is not there";
    if (x->use && x->use->given[row - ROW_SCRATCH] && !x->written[row - ROW_SCRATCH]) {
        x->use->reads[row - ROW_SCRATCH] = true;
        return NULL;
    }
    return x->written[row - ROW_SCRATCH] ? NULL : "a row program reads an unset row";
}

static const char *check_write(struct row_checking *x, uint16_t row) {
    static const uint32_t flags[ROW_BUFFER + 1] = {[ROW_RS] = WRITES_RS,
                                                   [ROW_RT] = WRITES_RT,
                                                   [ROW_RD] = WRITES_RD,
                                                   [ROW_C] = WRITES_C,
                                                   [ROW_M] = WRITES_M};
    if (row < ROW_SCRATCH)
        return row <= ROW_BUFFER && x->flags & flags[row]
                   ? NULL
                   : "a row program writes what its instruction does not";
    if (row >= ROW_CONSTANT)
        return "a row program writes a constant";
    if (row - ROW_SCRATCH >= (int)x->program->scratch)
        return "a row program writes a scratch row that is not there";
    x->written[row - ROW_SCRATCH] = true;
    if (x->use)
        x->use->writes[row - ROW_SCRATCH] = true;
    return NULL;
}

static const char *check_query(const struct row_checking *x, const struct row_command *c) {
    if (!c->bits || c->bits > 64 || (c->bits & (c->bits - 1)) || x->row_bits % c->bits)
        return "a query's width does not divide the row";
    if (c->b >= x->pool->tables.len)
        return "a row program names a table that is not there";
    const struct row_table *t = &x->pool->tables.data[c->b];
    if (t->index_bits > 16 || c->count != UINT32_C(1) << t->index_bits)
        return "a query and its table have different sizes";
    return t->bits == c->bits && t->index_bits <= c->bits
               ? NULL
               : "a query and its table have different widths";
}

static const char *check_command(struct row_checking *x, const struct row_command *c) {
    const char *problem = NULL;
    if (is_shift(c->kind))
        problem = c->count <= 4096 ? check_read(x, c->dst) : "a shift of a row program is too far";
    else
        problem = check_read(x, c->a);
    if (!problem && c->kind >= ROW_AND && c->kind <= ROW_XNOR)
        problem = check_read(x, c->b);
    if (!problem && c->kind == ROW_QUERY)
        problem = check_query(x, c);
    return problem ? problem : check_write(x, c->dst);
}

/* Words that an expansion looks at, as far as that is no more than can be. */
static uint64_t turns_of(const struct row_program *p) {
    uint64_t around[ROW_NEST + 1] = {1}, sum = 0;
    unsigned depth = 0;
    for (size_t i = 0; i < p->words.len && sum <= ROW_MAX_COMMANDS; i++) {
        const struct row_word *w = &p->words.data[i];
        sum += around[depth];
        if (w->kind == ROW_LAPS) {
            around[depth + 1] = sat_mul(around[depth], w->count);
            depth++;
        }
        depth -= w->kind == ROW_END;
    }
    return sum;
}

static const char *check_all(struct row_checking *x, uint32_t *word) {
    const char *problem = check_shape(x->program);
    *word = 0;
    if (!problem)
        problem = check_steps(x->program, word);
    if (!problem && turns_of(x->program) > ROW_MAX_COMMANDS)
        problem = "a row program does not end soon enough";
    struct row_cursor c = row_cursor(x->program);
    struct row_command command;
    while (!problem && row_next(&c, &command)) {
        problem = check_command(x, &command);
        *word = command.word;
    }
    return problem;
}

const char *row_program_check(const struct row_program *program, const struct row_pool *pool,
                              uint32_t flags, uint32_t row_bits) {
    struct row_checking x = {program, pool, flags, row_bits, {false}, NULL};
    uint32_t word;
    return check_all(&x, &word);
}

const char *row_program_check_alone(const struct row_program *program, const struct row_pool *pool,
                                    uint32_t row_bits, struct row_use *use, uint32_t *word) {
    struct row_checking x = {program, pool, 0, row_bits, {false}, use};
    return check_all(&x, word);
}
