/* SPDX-License-Identifier: MIT
 * Row programs and pools as bytes:
 *
 *   program: words u32, scratch u32; then of each word, 48 bytes:
 *   | kind 1 | bits 1 | power 1 | 0 1 | count 4 | count_step 4 x 2 | dst, a, b: row 2, step 4 x 2 |
 *   with 2 bytes of 0 at its end
 *   pool: slot u32, constants u32, tables u32; constants u64; tables: index_bits 1, bits 1,
 *   entries u64 */
#include "machines/slot/program/program.h"

#include <stdlib.h>

enum { WORD_BYTES = 48 };

static void put(struct str *out, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        str_char(out, (char)(value >> 8 * i & 0xff));
}

static uint64_t take(const unsigned char **at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t) * (*at)++ << 8 * i;
    return value;
}

static void put_steps(struct str *out, const int16_t step[ROW_NEST]) {
    for (unsigned d = 0; d < ROW_NEST; d++)
        put(out, (uint16_t)step[d], 2);
}

static void take_steps(const unsigned char **at, int16_t step[ROW_NEST]) {
    for (unsigned d = 0; d < ROW_NEST; d++)
        step[d] = (int16_t)take(at, 2);
}

void row_program_write(const struct row_program *program, struct str *out) {
    put(out, program->words.len, 4);
    put(out, program->scratch, 4);
    for (size_t i = 0; i < program->words.len; i++) {
        const struct row_word *w = &program->words.data[i];
        const struct row_ref *refs[] = {&w->dst, &w->a, &w->b};
        put(out, w->kind, 1);
        put(out, w->bits, 1);
        put(out, w->power, 2);
        put(out, w->count, 4);
        put_steps(out, w->count_step);
        for (unsigned r = 0; r < 3; r++) {
            put(out, refs[r]->row, 2);
            put_steps(out, refs[r]->step);
        }
        put(out, 0, 2);
    }
}

static struct row_word take_word(const unsigned char **at, bool *fine) {
    struct row_word w = {.kind = (uint8_t)take(at, 1), .bits = (uint8_t)take(at, 1)};
    struct row_ref *refs[] = {&w.dst, &w.a, &w.b};
    uint16_t power = (uint16_t)take(at, 2);
    w.power = (uint8_t)power;
    w.count = (uint32_t)take(at, 4);
    take_steps(at, w.count_step);
    for (unsigned r = 0; r < 3; r++) {
        refs[r]->row = (uint16_t)take(at, 2);
        take_steps(at, refs[r]->step);
    }
    *fine &= power <= ROW_NEST && take(at, 2) == 0;
    return w;
}

bool row_program_read(struct row_program *program, const unsigned char **at,
                      const unsigned char *end, const char **problem) {
    *program = (struct row_program){.scratch = 0};
    *problem = "a row program is cut off";
    if (end - *at < 8)
        return false;
    uint64_t words = take(at, 4);
    program->scratch = (uint32_t)take(at, 4);
    if (words * WORD_BYTES > (uint64_t)(end - *at))
        return false;
    bool fine = words <= ROW_MAX_WORDS;
    for (uint64_t i = 0; fine && i < words; i++)
        vec_push(&program->words, take_word(at, &fine));
    *problem = "there is no such row word";
    if (!fine)
        row_program_free(program);
    return fine;
}

void row_pool_write(const struct row_pool *pool, struct str *out) {
    put(out, pool->slot, 4);
    put(out, pool->constants.len, 4);
    put(out, pool->tables.len, 4);
    for (size_t i = 0; i < pool->constants.len; i++)
        put(out, pool->constants.data[i], 8);
    for (size_t i = 0; i < pool->tables.len; i++) {
        const struct row_table *t = &pool->tables.data[i];
        put(out, t->index_bits, 1);
        put(out, t->bits, 1);
        for (size_t e = 0; e < (size_t)1 << t->index_bits; e++)
            put(out, t->entries[e], 8);
    }
}

static bool is_width(unsigned bits) {
    return bits && bits <= 64 && !(bits & (bits - 1));
}

static bool take_table(struct row_pool *pool, const unsigned char **at, const unsigned char *end) {
    if (end - *at < 2)
        return false;
    struct row_table t = {.index_bits = (uint8_t)take(at, 1), .bits = (uint8_t)take(at, 1)};
    if (t.index_bits > 16 || !is_width(t.bits) ||
        (uint64_t)8 << t.index_bits > (uint64_t)(end - *at))
        return false;
    size_t count = (size_t)1 << t.index_bits;
    uint64_t *entries = xcalloc(count, sizeof *entries),
             all = t.bits < 64 ? UINT64_C(1) << t.bits : 0;
    bool fine = true;
    for (size_t e = 0; e < count; e++) {
        entries[e] = take(at, 8);
        fine &= entries[e] <= all - 1;
    }
    t.entries = entries;
    vec_push(&pool->tables, t);
    return fine;
}

bool row_pool_read(struct row_pool *pool, const unsigned char **at, const unsigned char *end,
                   const char **problem) {
    *pool = (struct row_pool){.slot = 0};
    *problem = "constants and tables of row programs are cut off or too wide";
    if (end - *at < 12)
        return false;
    pool->slot = (unsigned)take(at, 4);
    uint64_t constants = take(at, 4), tables = take(at, 4);
    bool fine = is_width(pool->slot) && constants * 8 <= (uint64_t)(end - *at);
    for (uint64_t i = 0; fine && i < constants; i++)
        vec_push(&pool->constants, take(at, 8));
    for (uint64_t i = 0; fine && i < tables; i++)
        fine = take_table(pool, at, end);
    if (!fine)
        row_pool_free(pool);
    return fine;
}
