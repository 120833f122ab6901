/* SPDX-License-Identifier: MIT
 * A routine of the program's own is carried out on a few rows before anything else runs, on slots
 * that are dirty above the width, and compared with what the instruction does. */
#include "machines/slot/link/link.h"

#include "recipe/set/recipe.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_WORDS = 32, TRIED_BITS = 64 * ROW_WORDS, STATE = ROW_VALID + 1 };

struct tried_row {
    uint64_t word[ROW_WORDS];
};
struct tried_rows {
    const struct row_pool *pool;
    struct tried_row state[STATE]; /* rs .. valid: registers are three */
    struct tried_row buffer, scratch[ROW_MAX_SCRATCH];
};

static uint64_t field(const struct tried_row *row, unsigned bits, unsigned i) {
    return row->word[i * bits / 64] >> i * bits % 64 & low_bits(bits);
}

static void set_field(struct tried_row *row, unsigned bits, unsigned i, uint64_t value) {
    uint64_t *word = &row->word[i * bits / 64];
    *word = (*word & ~(low_bits(bits) << i * bits % 64)) | (value & low_bits(bits))
                                                               << i * bits % 64;
}

static struct tried_row read_row(const struct tried_rows *x, uint16_t row) {
    struct tried_row all = {{0}};
    if (row < STATE)
        return x->state[row];
    if (row == ROW_BUFFER)
        return x->buffer;
    if (row < ROW_CONSTANT)
        return x->scratch[row - ROW_SCRATCH];
    for (unsigned i = 0; i < TRIED_BITS / x->pool->slot; i++)
        set_field(&all, x->pool->slot, i, x->pool->constants.data[row - ROW_CONSTANT]);
    return all;
}

static struct tried_row shifted(const struct tried_row *row, bool left, uint32_t by) {
    struct tried_row out = {{0}};
    for (uint32_t i = 0; i + by < TRIED_BITS; i++) {
        uint32_t low = i, high = i + by, from = left ? low : high, to = left ? high : low;
        out.word[to / 64] |= (row->word[from / 64] >> from % 64 & 1) << to % 64;
    }
    return out;
}

/* False where a field is no index. */
static bool looked_up(const struct tried_row *row, const struct row_table *table,
                      struct tried_row *out) {
    for (unsigned i = 0; i < TRIED_BITS / table->bits; i++) {
        uint64_t index = field(row, table->bits, i);
        if (table->index_bits < 64 && index >> table->index_bits)
            return false;
        set_field(out, table->bits, i, table->entries[index]);
    }
    return true;
}

static struct tried_row combined(enum row_kind kind, const struct tried_row *a,
                                 const struct tried_row *b) {
    struct tried_row out;
    for (unsigned i = 0; i < ROW_WORDS; i++) {
        uint64_t x = a->word[i], y = b->word[i];
        out.word[i] = kind == ROW_AND   ? x & y
                      : kind == ROW_OR  ? x | y
                      : kind == ROW_XOR ? x ^ y
                      : kind == ROW_NOT ? ~x
                                        : ~(x ^ y);
    }
    return out;
}

static bool play_command(struct tried_rows *x, const struct row_command *c) {
    bool shifts = c->kind >= ROW_BIT_SHIFT_L && c->kind <= ROW_BYTE_SHIFT_R;
    bool left = c->kind == ROW_BIT_SHIFT_L || c->kind == ROW_BYTE_SHIFT_L, fine = true;
    struct tried_row a = read_row(x, shifts ? c->dst : c->a), b = a, out = a;
    if (c->kind >= ROW_AND && c->kind <= ROW_XNOR)
        b = read_row(x, c->b);
    if (c->kind >= ROW_NOT && c->kind <= ROW_XNOR)
        out = combined(c->kind, &a, &b);
    if (shifts)
        out = shifted(&a, left, c->kind >= ROW_BYTE_SHIFT_L ? 8 * c->count : c->count);
    if (c->kind == ROW_QUERY) {
        fine = looked_up(&a, &x->pool->tables.data[c->b], &out);
        x->buffer = out;
    }
    *(c->dst < STATE ? &x->state[c->dst] : &x->scratch[c->dst - ROW_SCRATCH]) = out;
    return fine;
}

/* ---- values ---- */

static uint64_t draw(uint64_t *seed) {
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = (*seed ^ *seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Half of them near 0 or the largest number. */
static uint64_t drawn_operand(uint64_t *seed, unsigned w) {
    uint64_t x = draw(seed);
    if (x & 1)
        return x >> 1 | x << 63;
    uint64_t small = x >> 8 & 7;
    return ((x & 2 ? ~small : small) & low_bits(w)) | (draw(seed) & ~low_bits(w));
}

static void fill(struct tried_rows *x, const struct insn *insn, bool masked) {
    uint64_t seed = insn->width;
    unsigned slot = x->pool->slot, w = insn->width ? insn->width : 1;
    for (unsigned lane = 0; lane < TRIED_BITS / slot; lane++) {
        bool on = !masked || draw(&seed) & 1;
        for (uint16_t r = ROW_RS; r <= ROW_RD; r++)
            set_field(&x->state[r], slot, lane, drawn_operand(&seed, w));
        set_field(&x->state[ROW_C], slot, lane, draw(&seed) & 1 ? UINT64_MAX : 0);
        set_field(&x->state[ROW_M], slot, lane, on ? UINT64_MAX : 0);
        set_field(&x->state[ROW_VALID], slot, lane, UINT64_MAX);
    }
}

/* ---- what is right ---- */

static struct golden_lane lane_of(const struct tried_rows *x, const struct insn *insn,
                                  unsigned lane) {
    unsigned slot = x->pool->slot, w = insn->width ? insn->width : 1;
    return (struct golden_lane){.rs = field(&x->state[ROW_RS], slot, lane) &
                                      low_bits(isa_source_bits(insn)),
                                .rt = field(&x->state[ROW_RT], slot, lane) &
                                      low_bits(insn->width ? isa_operand_bits(insn, ROLE_RT) : w),
                                .rd = field(&x->state[ROW_RD], slot, lane) & low_bits(w),
                                .c = field(&x->state[ROW_C], slot, lane) & 1,
                                .m = field(&x->state[ROW_M], slot, lane) & 1,
                                .valid = true,
                                .w = w,
                                .imm = insn->imm,
                                .lut = insn->table};
}

/* The first lane that is not what the instruction makes of `before`; its results there are in
 * *right.  UINT32_MAX: none. */
static uint32_t find_wrong(const struct machine_library *l, const struct tried_rows *before,
                           const struct tried_rows *after, const struct insn *insn, bool masked,
                           struct golden_lane *right) {
    unsigned slot = before->pool->slot, w = insn->width ? insn->width : 1;
    uint32_t flags = isa_info(insn->op)->flags;
    for (uint32_t lane = 0; lane < TRIED_BITS / slot; lane++) {
        struct golden_lane was = lane_of(before, insn, lane), is = lane_of(after, insn, lane);
        *right = was;
        machine_golden(l, insn->op, right);
        if (masked && !was.m)
            *right = was;
        uint64_t wrong = (flags & WRITES_RS ? is.rs ^ right->rs : 0) |
                         (flags & WRITES_RT ? is.rt ^ right->rt : 0) |
                         (flags & WRITES_RD ? is.rd ^ right->rd : 0);
        if (wrong & low_bits(w) || (flags & WRITES_C && is.c != right->c))
            return lane;
    }
    return UINT32_MAX;
}

/* A routine of the program's own, for messages: its file, and what it is for. */
struct tried_routine {
    const struct machine_library *library;
    const struct row_library *rows;
    const struct insn *insn;
    bool masked;
};

static void complain(const struct tried_routine *r, unsigned slot, const char *what,
                     struct diag *d) {
    const struct isa_users *users = recipe_contracts_users(r->library->contracts);
    diag_error(d, NO_SPAN, "%s: the routine for %s%s in slots of %u %s",
               row_library_origin(r->rows, r->insn->op), isa_users_name(users, r->insn->op),
               r->masked ? ", masked," : "", slot, what);
}

static void complain_of_lane(const struct tried_routine *r, const struct tried_rows *before,
                             const struct tried_rows *after, uint32_t lane,
                             const struct golden_lane *right, struct diag *d) {
    struct golden_lane was = lane_of(before, r->insn, lane), is = lane_of(after, r->insn, lane);
    bool number = isa_info(r->insn->op)->flags & WRITES_RD;
    struct str what = {0};
    str_printf(&what,
               "is wrong at width %u: rs 0x%" PRIx64 ", rt 0x%" PRIx64 ", rd 0x%" PRIx64
               " give 0x%" PRIx64 ", not 0x%" PRIx64,
               was.w, was.rs, was.rt, was.rd, number ? is.rd : (uint64_t)is.c,
               number ? right->rd & low_bits(was.w) : (uint64_t)right->c);
    complain(r, before->pool->slot, str_text(&what), d);
    str_free(&what);
}

static enum machine_trial play(const struct tried_routine *r, const struct row_program *program,
                               struct tried_rows *x, struct diag *d) {
    struct tried_rows *before = xcalloc(1, sizeof *before);
    struct row_cursor cursor = row_cursor(program);
    struct row_command command;
    struct golden_lane right;
    bool fine = true;
    uint32_t wrong = UINT32_MAX;
    fill(x, r->insn, r->masked);
    *before = *x;
    while (fine && row_next(&cursor, &command))
        fine = play_command(x, &command);
    if (fine)
        wrong = find_wrong(r->library, before, x, r->insn, r->masked, &right);
    else
        complain(r, x->pool->slot, "looks up what is no index: other bits must be cleared first",
                 d);
    if (wrong != UINT32_MAX)
        complain_of_lane(r, before, x, wrong, &right, d);
    free(before);
    return fine && wrong == UINT32_MAX ? TRIAL_HOLDS : TRIAL_FAILS;
}

enum machine_trial slot_try(const struct machine_library *l, const struct insn *insn, bool masked,
                            struct diag *d) {
    const struct row_library *rows = ((const struct slot_library *)(const void *)l)->rows;
    if (!row_library_origin(rows, insn->op) || (isa_has_table(insn->op) && !insn->table))
        return TRIAL_NEEDLESS;
    const uint8_t reg_bits[64] = {insn->width ? insn->width : 1};
    struct row_wanted wanted = slot_wanted(l->target, insn, slot_width(reg_bits), reg_bits, masked);
    struct row_pool pool = {.slot = wanted.slot};
    struct row_program program;
    struct str problem = {0};
    enum machine_trial trial = TRIAL_FAILS;
    const struct tried_routine routine = {l, rows, insn, masked};
    struct tried_rows *x = xcalloc(1, sizeof *x);
    x->pool = &pool;
    if (row_program_for(rows, insn, &wanted, &pool, &program, &problem))
        trial = play(&routine, &program, x, d);
    else
        diag_error(d, NO_SPAN, "%s", str_text(&problem));
    row_program_free(&program);
    row_pool_free(&pool);
    str_free(&problem);
    free(x);
    return trial;
}
