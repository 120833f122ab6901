/* SPDX-License-Identifier: MIT
 * Queries against a subarray of cells that is swept row by row: match logic compares every field
 * of the source with the row's number, and what that does to buffer, sense amplifiers and cells is
 * written down once for each design.  Then rows' shifts and logic, and runs over more rows than
 * the host's caches hold. */
#include "tests/draws.h"

#include "machines/slot/run/machine.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TRIALS draws(DRAWS_MACHINES_PLUTO_QUERY)
enum {
    WORDS = 13, /* vectors of four and of eight words, and a rest */
    MOST_ROWS = 1024
};

enum design { BSA, GSA, GMC, DESIGNS };

/* ---- the model: cells of a table's rows, and what a sweep leaves ---- */

struct subarray {
    enum design design;
    unsigned bits;
    uint64_t rows;
    uint64_t cells[MOST_ROWS][WORDS], amplifiers[WORDS], flip_flops[WORDS];
    uint64_t misses;
};

static void load(struct subarray *s, const uint64_t *entries) {
    for (uint64_t r = 0; r < s->rows; r++)
        for (unsigned i = 0; i < WORDS; i++)
            for (unsigned at = 0; at < 64; at += s->bits)
                s->cells[r][i] = (s->cells[r][i] & ~(low_bits(s->bits) << at)) |
                                 (entries[r] & low_bits(s->bits)) << at;
}

/* One activation: of each field its matchline. */
static void activate(struct subarray *s, uint64_t row, const uint64_t *source, bool *matched) {
    unsigned fields = 64 / s->bits;
    for (unsigned f = 0; f < WORDS * fields; f++) {
        unsigned i = f / fields, at = f % fields * s->bits;
        uint64_t mask = low_bits(s->bits) << at, cell = s->cells[row][i] & mask;
        bool match = (source[i] >> at & low_bits(s->bits)) == row;
        matched[f] |= match;
        if (s->design == BSA) /* all cells are sensed and restored; the buffer takes what matches */
            s->flip_flops[i] = match ? (s->flip_flops[i] & ~mask) | cell : s->flip_flops[i];
        else if (match) /* the amplifier senses the cell and restores it */
            s->amplifiers[i] = (s->amplifiers[i] & ~mask) | cell;
        else if (s->design == GSA) /* the cell's charge is gone with the bitline's */
            s->cells[row][i] = (s->cells[row][i] & ~mask) | (SLOT_POISON & mask);
    }
}

/* Flip-flops and amplifiers are cleared before. */
static void sweep(struct subarray *s, const uint64_t *source, uint64_t *to) {
    bool matched[WORDS * 64] = {false};
    memset(s->amplifiers, 0, sizeof s->amplifiers);
    memset(s->flip_flops, 0, sizeof s->flip_flops);
    for (uint64_t r = 0; r < s->rows; r++)
        activate(s, r, source, matched);
    for (unsigned f = 0; f < WORDS * (64 / s->bits); f++)
        s->misses += !matched[f];
    memcpy(to, s->design == BSA ? s->flip_flops : s->amplifiers, WORDS * sizeof *to);
}

/* ---- trials ---- */

struct trial {
    uint64_t state;
    struct subarray cells;
    struct slot_lookup lookup;
    uint64_t entries[MOST_ROWS], index[WORDS], alive[WORDS];
    struct slot_remains remains;
    bool swept;
};

static uint64_t below(struct trial *t, uint64_t n) {
    return (splitmix64(&t->state) >> 11) % n;
}

static void set_up(struct trial *t, enum design design, unsigned log_bits) {
    unsigned bits = 1u << log_bits, most = bits < 10 ? bits : 10;
    t->cells.design = design;
    t->cells.bits = bits;
    t->cells.rows = UINT64_C(1) << (1 + below(t, most));
    for (uint64_t r = 0; r < t->cells.rows; r++)
        t->entries[r] = splitmix64(&t->state);
    load(&t->cells, t->entries);
    t->lookup = slot_lookup_new(bits, t->cells.rows, t->entries);
    t->remains = (struct slot_remains){.index = t->index, .alive = t->alive};
}

/* Fields that are indices but for one in eight, often those of the row before. */
static void draw_source(struct trial *t, uint64_t *source) {
    unsigned bits = t->cells.bits;
    for (unsigned i = 0; i < WORDS; i++)
        for (unsigned at = 0; at < 64; at += bits) {
            uint64_t value = below(t, 8) ? below(t, t->cells.rows) : splitmix64(&t->state);
            if (below(t, 2))
                source[i] = (source[i] & ~(low_bits(bits) << at)) | (value & low_bits(bits)) << at;
        }
}

/* Every way that the host has gives the same. */
static uint64_t query_all_ways(struct trial *t, const uint64_t *source, uint64_t *to) {
    uint64_t other[WORDS], missed = slot_query(&t->lookup, to, source, WORDS);
    struct slot_lookup by = t->lookup;
    for (unsigned way = 0; t->lookup.bytes && way < SLOT_WAYS; way++) {
        by.way = (enum slot_way)way;
        if (!slot_way_is_there(by.way))
            continue;
        assert_int_equal(slot_query(&by, other, source, WORDS), missed);
        assert_memory_equal(other, to, sizeof other);
    }
    return missed;
}

static uint64_t query(struct trial *t, const uint64_t *source, uint64_t *to, bool reload) {
    if (t->cells.design != GSA)
        return query_all_ways(t, source, to);
    bool there = reload || !t->swept;
    t->swept = true;
    return slot_query_destructive(&t->lookup, to, source, WORDS, &t->remains, there);
}

static void compare_rows(const struct trial *t) {
    uint64_t row[WORDS];
    for (uint64_t r = 0; r < t->cells.rows; r++) {
        slot_table_row(&t->lookup, t->cells.design == GSA ? &t->remains : NULL, r, row, WORDS);
        assert_memory_equal(row, t->cells.cells[r], sizeof row);
    }
}

/* Several queries of one table; true if one of them read what a sweep had destroyed. */
static bool try(uint64_t seed, enum design design, unsigned log_bits, bool reload) {
    struct trial *t = xcalloc(1, sizeof *t);
    uint64_t source[WORDS] = {0}, here[WORDS], there[WORDS], right[WORDS];
    bool wrong = false;
    t->state = seed;
    set_up(t, design, log_bits);
    for (unsigned n = 0; n < 3; n++) {
        draw_source(t, source);
        if (reload)
            load(&t->cells, t->entries);
        t->cells.misses = 0;
        sweep(&t->cells, source, there);
        assert_int_equal(query(t, source, here, reload), t->cells.misses);
        assert_memory_equal(here, there, sizeof here);
        compare_rows(t);
        slot_query(&t->lookup, right, source, WORDS);
        wrong |= memcmp(right, here, sizeof right) != 0;
    }
    slot_lookup_free(&t->lookup);
    free(t);
    return wrong;
}

static void sweeps_are_as_the_model_s(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < TRIALS; seed++)
        for (unsigned design = 0; design < DESIGNS; design++)
            assert_false(try(seed, (enum design)design, (unsigned)(seed % 7), true));
}

/* Without a reload GSA's tables go, and the others' stay. */
static void a_destroyed_table_is_found(void **state) {
    uint64_t found = 0;
    (void)state;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        assert_false(try(seed, BSA, (unsigned)(seed % 7), false));
        assert_false(try(seed, GMC, (unsigned)(seed % 7), false));
        found += try(seed, GSA, (unsigned)(seed % 7), false);
    }
    assert_true(found * 10 > TRIALS * 9);
}

/* ---- rows ---- */

static bool bit(const uint64_t *row, size_t i) {
    return row[i / 64] >> i % 64 & 1;
}

static void shifts_move_all_of_a_row(void **state) {
    uint64_t seed = 5;
    (void)state;
    for (unsigned by = 0; by < 64 * WORDS + 9; by++)
        for (unsigned left = 0; left < 2; left++) {
            uint64_t before[WORDS], row[WORDS];
            for (unsigned i = 0; i < WORDS; i++)
                before[i] = row[i] = splitmix64(&seed);
            slot_shift(row, WORDS, by, left);
            for (size_t i = 0; i < 64 * WORDS; i++) {
                bool comes = left ? i >= by : i + by < 64 * WORDS;
                assert_int_equal(bit(row, i), comes && bit(before, left ? i - by : i + by));
            }
        }
}

static void logic_is_bit_by_bit(void **state) {
    static const struct {
        enum row_kind kind;
        uint8_t truth; /* bit 2a + b */
    } ops[] = {{ROW_COPY, 0xc}, {ROW_NOT, 0x3}, {ROW_AND, 0x8},
               {ROW_OR, 0xe},   {ROW_XOR, 0x6}, {ROW_XNOR, 0x9}};
    uint64_t seed = 6;
    (void)state;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        uint64_t a[WORDS], b[WORDS], to[WORDS];
        for (unsigned i = 0; i < WORDS; i++) {
            a[i] = splitmix64(&seed);
            b[i] = splitmix64(&seed);
        }
        slot_logic(ops[k].kind, to, a, b, WORDS);
        for (size_t i = 0; i < 64 * WORDS; i++)
            assert_int_equal(bit(to, i), ops[k].truth >> (2 * bit(a, i) + bit(b, i)) & 1);
    }
}

/* ---- rows of many VRFs ---- */

enum { MANY = 300, REGISTERS = 4, LANES = 2 * 8192 /* of 8 bits: two rows */ };

static struct slot_datapath *carried_out(const struct target *t, uint32_t at_once, struct diag *d) {
    static uint64_t entries[256];
    const struct isa_lut table = {8, 8, entries};
    struct insn insns[] = {{.op = OP_AND, .width = 8, .rs = 0, .rt = 1, .rd = 2},
                           {.op = OP_LUT, .rs = 2, .rd = 3},
                           {.op = OP_ADD, .width = 8, .rs = 3, .rt = 0, .rd = 1}};
    static const struct machine_kin kin = {.reg_bits = {8, 8, 8, 8}, .slot = 8, .lanes = LANES};
    const struct dp_setup setup = {.target = t,
                                   .mpus = 1,
                                   .lanes = LANES,
                                   .reg_bits = kin.reg_bits,
                                   .kins = &kin,
                                   .kin_count = 1,
                                   .init = DP_INIT_RANDOM};
    const struct dp_run run = {.insns = insns, .count = 3};
    for (unsigned i = 0; i < 256; i++)
        entries[i] = i * 29 + 3;
    isa_set_table(&insns[1], &table);
    struct datapath *dp = slot_engine.open(&setup, d);
    struct dp_code *code = slot_engine.prepare(dp, &run, d);
    assert_non_null(code);
    for (uint32_t v = 0; v < MANY; v++)
        slot_engine.bind(dp, &(struct dp_binding){.vrf = v, .valid_lanes = LANES}, 1);
    for (unsigned twice = 0; twice < 2; twice++) /* all rows are there the second time */
        for (uint32_t v = 0; v < MANY; v += at_once) {
            const struct vrf_range some = {v, at_once};
            slot_engine.execute(dp, code, (struct vrf_set){&some, 1}, (struct dp_moment){0}, NULL);
        }
    return slot_datapath_of(dp);
}

/* What is fetched ahead, and in pieces, is what one VRF after the other gives. */
static void many_rows_are_as_few(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("pluto-bsa", NULL, 0, d);
    struct slot_datapath *many = carried_out(t, MANY, d), *few = carried_out(t, 1, d);
    (void)state;
    for (uint32_t v = 0; v < MANY; v++)
        for (unsigned r = 0; r < REGISTERS; r++) {
            struct slot_vrf *a = slot_vrf(many, v), *b = slot_vrf(few, v);
            assert_int_equal(a->rows, 2);
            assert_memory_equal(slot_row(many, a, v, r), slot_row(few, b, v, r),
                                a->words * sizeof(uint64_t));
        }
    slot_engine.close(&many->base);
    slot_engine.close(&few->base);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_are_as_the_model_s), cmocka_unit_test(a_destroyed_table_is_found),
        cmocka_unit_test(shifts_move_all_of_a_row),  cmocka_unit_test(logic_is_bit_by_bit),
        cmocka_unit_test(many_rows_are_as_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
