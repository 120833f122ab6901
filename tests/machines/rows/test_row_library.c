/* SPDX-License-Identifier: MIT
 * Every routine of the row library, in all slots and at all widths, played on random rows whose
 * slots are dirty above the width, against the golden semantics of the ISA. */
#include "tests/draws.h"

#include "machines/slot/library/library.h"
#include "player.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "tests/draws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One of so many is tried. */
#define MATCHED_WIDTHS (1 + 80 / draws(DRAWS_MACHINES_ROWS_MATCHED))
#define MATCHED_TABLES (1 + 20 / draws(DRAWS_MACHINES_ROWS_MATCHED))

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static uint64_t seed = 1;
static uint64_t draw(void) {
    uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Numbers that find mistakes: ends of the range, small ones, powers of two. */
static uint64_t operand(unsigned w) {
    uint64_t bits;
    switch (draw() % 8) {
    case 0:
        bits = 0;
        break;
    case 1:
        bits = UINT64_MAX;
        break;
    case 2:
        bits = UINT64_C(1) << (w - 1);
        break;
    case 3:
        bits = UINT64_C(1) << draw() % w;
        break;
    case 4:
        bits = draw() % (w + 2);
        break;
    case 5:
        bits = draw() >> draw() % 64;
        break;
    default:
        bits = draw();
    }
    return (bits & low_bits(w)) | (draw() & ~low_bits(w));
}

struct bench {
    struct row_library *library;
    struct player p;
    struct row_wanted wanted;
    uint32_t programs, words, scratch, lacking;
};

static uint64_t full(unsigned slot, bool on) {
    return on ? low_bits(slot) : 0;
}

static void fill(struct player *p, unsigned slot, unsigned w) {
    for (unsigned lane = 0; lane < PLAYER_BITS / slot; lane++) {
        bool valid = draw() % 8 != 0;
        for (unsigned r = 0; r < PLAYER_REGISTERS; r++)
            player_set_slot(&p->reg[r], slot, lane, operand(w));
        if (draw() % 8 == 0) /* equal ones */
            player_set_slot(&p->reg[1], slot, lane, player_slot(&p->reg[0], slot, lane));
        player_set_slot(&p->c, slot, lane, full(slot, draw() % 2));
        player_set_slot(&p->m, slot, lane, full(slot, valid && draw() % 2));
        player_set_slot(&p->valid, slot, lane, full(slot, valid));
    }
}

static void keep(uint64_t *reg, uint64_t value, uint64_t bits) {
    *reg = (*reg & ~bits) | (value & bits);
}

/* One lane against the golden function; `counts`: bits of a register that mean something. */
static bool lane_is_right(const struct player *before, const struct player *after,
                          const struct insn *x, const struct row_wanted *wanted, unsigned lane) {
    const struct isa_info *info = isa_info(x->op);
    unsigned slot = wanted->slot, w = x->width ? x->width : 1;
    uint64_t bits = low_bits(w), counts = wanted->none_above ? bits : low_bits(slot);
    uint64_t reg[PLAYER_REGISTERS];
    for (unsigned r = 0; r < PLAYER_REGISTERS; r++)
        reg[r] = player_slot(&before->reg[r], slot, lane);
    struct golden_lane g = {.rs = reg[x->rs] & low_bits(isa_source_bits(x)),
                            .rt =
                                reg[x->rt] & low_bits(x->width ? isa_operand_bits(x, ROLE_RT) : w),
                            .rd = reg[x->rd] & bits,
                            .c = player_slot(&before->c, slot, lane) & 1,
                            .m = player_slot(&before->m, slot, lane) & 1,
                            .valid = player_slot(&before->valid, slot, lane) & 1,
                            .w = w,
                            .imm = x->imm,
                            .lut = x->table};
    bool c = g.c, m = g.m, on = !wanted->masked || info->flags & ISA_UNMASKED || g.m;
    info->golden(&g);
    if (on && info->flags & WRITES_RS)
        keep(&reg[x->rs], g.rs, bits);
    if (on && info->flags & WRITES_RT)
        keep(&reg[x->rt], g.rt, bits);
    if (on && info->flags & WRITES_RD)
        keep(&reg[x->rd], g.rd, bits);
    c = on && info->flags & WRITES_C ? g.c : c;
    m = on && info->flags & WRITES_M ? g.m : m;
    bool right = player_slot(&after->c, slot, lane) == full(slot, c) &&
                 player_slot(&after->m, slot, lane) == full(slot, m);
    for (unsigned r = 0; r < PLAYER_REGISTERS; r++)
        right &= !((player_slot(&after->reg[r], slot, lane) ^ reg[r]) & counts);
    return right;
}

static void complain(const struct row_program *program, const struct row_pool *pool,
                     const struct insn *x, const struct row_wanted *wanted, const char *what) {
    struct str s = {0};
    isa_format_insn(x, NULL, &s);
    str_printf(&s, " in slots of %u%s%s%s, match width %u: %s\n", wanted->slot,
               wanted->masked ? ", masked" : "", wanted->none_above ? ", none above" : "",
               wanted->table2 ? ", table 2" : "", wanted->match_bits, what);
    row_program_text(program, pool, x, &s);
    print_error("%s", str_text(&s));
    str_free(&s);
    fail();
}

static void through_bytes(const struct row_program *program, const struct row_pool *pool) {
    struct str s = {0}, again = {0};
    struct row_program p;
    struct row_pool q;
    const char *problem;
    row_program_write(program, &s);
    row_pool_write(pool, &s);
    const unsigned char *at = (const unsigned char *)s.text, *end = at + s.len;
    assert_true(row_program_read(&p, &at, end, &problem) && row_pool_read(&q, &at, end, &problem));
    assert_ptr_equal(at, end);
    row_program_write(&p, &again);
    row_pool_write(&q, &again);
    assert_int_equal(s.len, again.len);
    assert_memory_equal(s.text, again.text, s.len);
    row_program_free(&p);
    row_pool_free(&q);
    str_free(&s);
    str_free(&again);
}

/* Match logic of one width: queries of that width alone. */
static bool compares(const struct row_program *program, unsigned match_bits) {
    for (size_t i = 0; match_bits && i < program->words.len; i++)
        if (program->words.data[i].kind == ROW_QUERY && program->words.data[i].bits != match_bits)
            return false;
    return true;
}

/* Tables alone may be too much for it: whatever else looks something up can do without. */
static bool is_lacking(struct bench *b, const struct insn *x, const char *problem) {
    bool lacking = b->wanted.match_bits && isa_has_table(x->op) &&
                   strstr(problem, "match logic compares fields of ") &&
                   strstr(problem, "(pluto.match_bits)");
    b->lacking += lacking;
    return lacking;
}

/* Makes the program, checks and plays it. */
static void try_one(struct bench *b, const struct insn *x) {
    struct row_pool pool = {.slot = b->wanted.slot};
    struct row_program program;
    struct str problem = {0};
    const char *why;
    if (!row_program_for(b->library, x, &b->wanted, &pool, &program, &problem)) {
        if (!is_lacking(b, x, str_text(&problem)))
            complain(&program, &pool, x, &b->wanted, str_text(&problem));
        str_free(&problem);
        row_pool_free(&pool);
        return;
    }
    if (!compares(&program, b->wanted.match_bits))
        complain(&program, &pool, x, &b->wanted, "a query of another width");
    uint32_t flags = isa_info(x->op)->flags;
    if ((why = row_program_check(&program, &pool, flags, PLAYER_BITS)) != NULL)
        complain(&program, &pool, x, &b->wanted, why);
    fill(&b->p, b->wanted.slot, x->width ? x->width : 1);
    struct player before = b->p;
    if (!player_play(&b->p, &program, &pool, x, &why))
        complain(&program, &pool, x, &b->wanted, why);
    for (unsigned lane = 0; lane < PLAYER_BITS / b->wanted.slot; lane++)
        if (!lane_is_right(&before, &b->p, x, &b->wanted, lane))
            complain(&program, &pool, x, &b->wanted, "a lane is wrong");
    assert_int_equal(b->p.act_pre[b->wanted.costs.ctx != NULL],
                     row_program_cost(&program, &b->wanted.costs));
    through_bytes(&program, &pool);
    b->programs++;
    b->words = program.words.len > b->words ? (uint32_t)program.words.len : b->words;
    b->scratch = program.scratch > b->scratch ? program.scratch : b->scratch;
    row_program_free(&program);
    row_pool_free(&pool);
}

static const uint8_t aliases[][3] = {{0, 1, 2}, {0, 0, 2}, {0, 1, 0}, {0, 1, 1}, {3, 3, 3}};

static void try_aliases(struct bench *b, struct insn x, bool all) {
    unsigned count = sizeof aliases / sizeof *aliases;
    uint32_t word;
    for (unsigned i = 0; i < count; i++) {
        if (i && !all && i != 1 + draw() % (count - 1))
            continue;
        x.rs = aliases[i][0];
        x.rt = aliases[i][1];
        x.rd = aliases[i][2];
        const struct isa_info *info = isa_info(x.op);
        bool has[3] = {info->flags & (READS_RS | WRITES_RS), info->flags & (READS_RT | WRITES_RT),
                       info->flags & (READS_RD | WRITES_RD)};
        x.rs = has[0] ? x.rs : 0;
        x.rt = has[1] ? x.rt : 0;
        x.rd = has[2] ? x.rd : 0;
        if (isa_encode(&x, &word) == ISA_OK || isa_has_table(x.op))
            try_one(b, &x);
    }
}

static void try_constants(struct bench *b, struct insn x, bool all) {
    const int64_t values[] = {
        0,           1, -1,   2,  3,     5,    -7,  x.width, x.width - 1,
        x.width / 2, 8, 2047, 77, -2048, 4095, 100, -2000,   (int64_t)(draw() % 4096)};
    uint32_t word;
    if (isa_constant_role(isa_info(x.op)) < 0) {
        try_aliases(b, x, all);
        return;
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        x.imm = (int32_t)values[i];
        if (isa_encode(&x, &word) == ISA_OK && (all || draw() % 3 == 0))
            try_aliases(b, x, all);
    }
}

/* All instructions but LUT at one width. */
static void try_width(struct bench *b, unsigned w, bool all) {
    for (unsigned op = 0; op < OP_COUNT; op++) {
        struct insn x = {.op = (enum isa_op)op};
        if (!row_library_has(b->library, x.op) || isa_has_table(x.op))
            continue;
        if (!(isa_info(x.op)->flags & ISA_WIDTH) && w != 1)
            continue;
        x.width = isa_info(x.op)->flags & ISA_WIDTH ? (uint8_t)w : 0;
        try_constants(b, x, all);
    }
}

static struct bench open_bench(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench b = {.library = row_library_open(NULL, 0, d)};
    if (!b.library)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    b.wanted.costs.cost = row_act_pre;
    b.wanted.max_rows = 512;
    return b;
}

static void close_bench(struct bench *b) {
    row_library_close(b->library);
}

static void test_library_has_all(void **state) {
    (void)state;
    struct bench b = open_bench();
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum isa_op)op);
        bool wanted = info->flags & ISA_VECTOR && !(info->flags & (ISA_USER | ISA_RESERVED)) &&
                      info->set != SET_F;
        if (wanted != row_library_has(b.library, (enum isa_op)op))
            fail_msg("%s", info->name);
    }
    close_bench(&b);
}

static void matrix(unsigned how) {
    static int once = 1;
    struct bench b = open_bench();
    b.wanted.costs.ctx = how & 1 ? &once : NULL; /* GMC */
    b.wanted.none_above = how & 2;
    b.wanted.table2 = how & 4;
    for (b.wanted.slot = 1; b.wanted.slot <= 64; b.wanted.slot *= 2)
        for (unsigned w = 1; w <= b.wanted.slot; w++)
            for (unsigned masked = 0; masked < 2; masked++) {
                bool ends = w == b.wanted.slot || w <= 3 || w + 1 == b.wanted.slot;
                b.wanted.masked = masked;
                /* Under sanitizers the ends of two slots and few between. */
                if (MPU_SANITIZED && !draws_all() &&
                    (!ends || (b.wanted.slot != 8 && b.wanted.slot != 64)) && draw() % 8)
                    continue;
                if (ends || draw() % (how ? 8 : 2) == 0 || (!how && draws_all()))
                    try_width(&b, w,
                              !how && ends && (draws_all() || (!MPU_SANITIZED && w % 2 == masked)));
            }
    print_message("%u programs, %u words and %u scratch rows at most\n", b.programs, b.words,
                  b.scratch);
    assert_true(b.words <= ROW_MAX_WORDS);
    close_bench(&b);
}
static void test_all(void **state) {
    (void)state;
    matrix(0);
}
static void test_other_ways(void **state) {
    (void)state;
    for (unsigned how = 1; how < 8; how++)
        if (draws_takes(how, 3))
            matrix(how);
}

/* Match logic that compares fields of one width, by draws: every instruction does without a lookup
 * that it cannot have. */
static void test_match_widths(void **state) {
    static int once = 1;
    struct bench b = open_bench();
    (void)state;
    for (unsigned match = 1; match <= 64; match *= 2)
        for (unsigned slot = 1; slot <= 64; slot *= 2)
            for (unsigned w = 1; w <= slot; w++) {
                bool ends = w == slot || w == 1;
                if (draw() % (ends ? 1 + MATCHED_WIDTHS / 8 : MATCHED_WIDTHS))
                    continue;
                b.wanted.slot = slot;
                b.wanted.match_bits = match;
                b.wanted.table2 = draw() % 4 == 0;
                b.wanted.costs.ctx = draw() % 2 ? &once : NULL;
                b.wanted.masked = draw() % 2;
                b.wanted.none_above = draw() % 2;
                try_width(&b, w, false);
            }
    print_message("%u programs, %u words and %u scratch rows at most\n", b.programs, b.words,
                  b.scratch);
    assert_int_equal(b.lacking, 0);
    close_bench(&b);
}

/* A table of k bits whose elements have w, in a slot. */
static void try_table(struct bench *b, unsigned k, unsigned w) {
    uint64_t *entries = xcalloc((size_t)1 << k, sizeof *entries);
    unsigned narrow = draw() % 4 ? w : 1 + (unsigned)(draw() % w); /* bits that elements use */
    for (size_t i = 0; i >> k == 0; i++)
        entries[i] = draw() & low_bits(narrow);
    if (draw() % 2)
        entries[0] = 0;
    struct isa_lut table = {(uint8_t)k, (uint8_t)w, entries};
    struct insn x = {.op = OP_LUT};
    isa_set_table(&x, &table);
    b->wanted.masked = draw() % 2;
    b->wanted.none_above = draw() % 2;
    try_aliases(b, x, false);
    free(entries);
}

/* Tables of k bits in each slot that has room for the index and the element. */
static void test_tables(void **state) {
    (void)state;
    struct bench b = open_bench();
    for (b.wanted.slot = 1; b.wanted.slot <= 64; b.wanted.slot *= 2)
        for (unsigned k = 1; k <= 12; k++)
            for (unsigned w = 1; w <= b.wanted.slot; w += 1 + w / 4)
                try_table(&b, k, w);
    close_bench(&b);
}

/* The same where match logic compares one width: what is wider is made of pieces, what is narrower
 * shares one; what would take too many rows or sweeps is refused. */
static void test_tables_by_pieces(void **state) {
    (void)state;
    struct bench b = open_bench();
    for (unsigned match = 1; match <= 64; match *= 2)
        for (b.wanted.slot = 1; b.wanted.slot <= 64; b.wanted.slot *= 2)
            for (unsigned k = 1; k <= 12; k++)
                for (unsigned w = 1; w <= b.wanted.slot; w += 1 + w / 4) {
                    if (draw() % MATCHED_TABLES)
                        continue;
                    b.wanted.match_bits = match;
                    try_table(&b, k, w);
                }
    print_message("%u tables, %u refused\n", b.programs, b.lacking);
    assert_true(b.programs > b.lacking && b.lacking > 0);
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library_has_all),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_tables_by_pieces),
        cmocka_unit_test(test_match_widths),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_other_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
