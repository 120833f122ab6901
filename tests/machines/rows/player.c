/* SPDX-License-Identifier: MIT */
#include "tests/machines/rows/player.h"

#include <string.h>

uint64_t player_slot(const struct player_row *row, unsigned slot, unsigned lane) {
    uint64_t value = 0;
    for (unsigned i = 0; i < slot; i++)
        value |= (uint64_t)(row->bit[lane * slot + i] & 1) << i;
    return value;
}

void player_set_slot(struct player_row *row, unsigned slot, unsigned lane, uint64_t value) {
    for (unsigned i = 0; i < slot; i++)
        row->bit[lane * slot + i] = value >> i & 1;
}

static struct player_row *row_of(struct player *p, const struct insn *insn, uint16_t row) {
    switch (row) {
    case ROW_RS:
        return &p->reg[insn->rs];
    case ROW_RT:
        return &p->reg[insn->rt];
    case ROW_RD:
        return &p->reg[insn->rd];
    case ROW_C:
        return &p->c;
    case ROW_M:
        return &p->m;
    case ROW_VALID:
        return &p->valid;
    case ROW_BUFFER:
        return &p->buffer;
    default:
        return row - ROW_SCRATCH < ROW_MAX_SCRATCH ? &p->scratch[row - ROW_SCRATCH] : NULL;
    }
}

/* What stands in a row. */
static bool read_row(struct player *p, const struct row_pool *pool, const struct insn *insn,
                     uint16_t row, struct player_row *out) {
    if (row >= ROW_CONSTANT) {
        for (unsigned lane = 0; lane < PLAYER_BITS / pool->slot; lane++)
            player_set_slot(out, pool->slot, lane, pool->constants.data[row - ROW_CONSTANT]);
        return true;
    }
    const struct player_row *from = row_of(p, insn, row);
    if (!from)
        return false;
    *out = *from;
    return !memchr(out->bit, 2, sizeof out->bit);
}

static void shift(struct player_row *row, int left) {
    struct player_row old = *row;
    for (int i = 0; i < PLAYER_BITS; i++)
        row->bit[i] = i - left >= 0 && i - left < PLAYER_BITS ? old.bit[i - left] : 0;
}

/* Row r of the table stands in all fields; where it is what the source's field says, r's element
 * is taken. */
static bool query(struct player_row *out, const struct player_row *source,
                  const struct row_table *table, unsigned bits) {
    uint8_t matched[PLAYER_BITS] = {0};
    for (uint64_t r = 0; r >> table->index_bits == 0; r++)
        for (unsigned f = 0; f < PLAYER_BITS / bits; f++)
            if (player_slot(source, bits, f) == r) {
                player_set_slot(out, bits, f, table->entries[r]);
                matched[f] = 1;
            }
    for (unsigned f = 0; f < PLAYER_BITS / bits; f++)
        if (!matched[f])
            return false;
    return true;
}

static const uint8_t act_pre[] = {
    [ROW_COPY] = 3,         [ROW_NOT] = 6,         [ROW_AND] = 12,        [ROW_OR] = 12,
    [ROW_XOR] = 19,         [ROW_XNOR] = 22,       [ROW_BIT_SHIFT_L] = 3, [ROW_BIT_SHIFT_R] = 3,
    [ROW_BYTE_SHIFT_L] = 3, [ROW_BYTE_SHIFT_R] = 3};

static void charge(struct player *p, const struct row_command *x) {
    bool shifts = x->kind >= ROW_BIT_SHIFT_L && x->kind <= ROW_BYTE_SHIFT_R;
    p->act_pre[0] += x->kind == ROW_QUERY ? 2 * x->count + 3
                                          : (uint64_t)act_pre[x->kind] * (shifts ? x->count : 1);
    p->act_pre[1] +=
        x->kind == ROW_QUERY ? x->count + 4 : (uint64_t)act_pre[x->kind] * (shifts ? x->count : 1);
}

static bool is_logic(enum row_kind kind) {
    return kind >= ROW_AND && kind <= ROW_XNOR;
}

static void logic(enum row_kind kind, struct player_row *a, const struct player_row *b) {
    for (unsigned i = 0; i < PLAYER_BITS; i++) {
        unsigned x = a->bit[i], y = b->bit[i];
        a->bit[i] = (uint8_t)(kind == ROW_AND   ? x & y
                              : kind == ROW_OR  ? x | y
                              : kind == ROW_XOR ? x ^ y
                                                : (x ^ y) ^ 1);
    }
}

static const char *play_one(struct player *p, const struct row_pool *pool, const struct insn *insn,
                            const struct row_command *x) {
    struct player_row a, b = {{0}};
    struct player_row *dst = row_of(p, insn, x->dst);
    bool shifts = x->kind >= ROW_BIT_SHIFT_L && x->kind <= ROW_BYTE_SHIFT_R;
    int by = (int)x->count * (x->kind >= ROW_BYTE_SHIFT_L ? 8 : 1);
    if (!dst || !read_row(p, pool, insn, shifts ? x->dst : x->a, &a) ||
        (is_logic(x->kind) && !read_row(p, pool, insn, x->b, &b)))
        return "a row is read that was never written";
    if (is_logic(x->kind))
        logic(x->kind, &a, &b);
    for (unsigned i = 0; x->kind == ROW_NOT && i < PLAYER_BITS; i++)
        a.bit[i] ^= 1;
    if (shifts)
        shift(&a, x->kind == ROW_BIT_SHIFT_L || x->kind == ROW_BYTE_SHIFT_L ? by : -by);
    if (x->kind == ROW_QUERY) {
        if (!query(&b, &a, &pool->tables.data[x->b], x->bits))
            return "a field of a query is no index";
        a = p->buffer = b;
    }
    *dst = a;
    charge(p, x);
    return NULL;
}

bool player_play(struct player *p, const struct row_program *program, const struct row_pool *pool,
                 const struct insn *insn, const char **why) {
    struct row_cursor c = row_cursor(program);
    struct row_command x;
    memset(p->scratch, 2, sizeof p->scratch);
    memset(&p->buffer, 2, sizeof p->buffer);
    memset(p->act_pre, 0, sizeof p->act_pre);
    *why = NULL;
    while (!*why && row_next(&c, &x))
        *why = play_one(p, pool, insn, &x);
    return !*why;
}
