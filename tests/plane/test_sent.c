/* SPDX-License-Identifier: MIT
 * What a crossbar in a tree is sent for copies, ranges and answers: how many words that are, by
 * closed forms, and that they do what they stand for, by a player that knows nothing but words. */
#include "machines/plane/run/plane.h"
#include "machines/plane/link/host_words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- covers ---- */

static void ranges_cover_their_numbers(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint32_t list[64], n = 0, step = 1 + (uint32_t)(splitmix64(&seed) % 5);
        uint32_t fan_out = 2 + (uint32_t)(splitmix64(&seed) % 3);
        int64_t distance = (int64_t)(splitmix64(&seed) % 41) - 20;
        uint8_t seen[400] = {0};
        for (uint32_t i = 20; i < 300 && n < 64; i += step)
            if (splitmix64(&seed) % 4)
                list[n++] = i;
        dtc_ranges any = {0}, moves = {0};
        dtc_cover(list, n, &any);
        dtc_tree_moves(list, n, distance, fan_out, &moves);
        for (size_t k = 0; k < any.len; k++)
            for (uint32_t v = any.data[k].first; v <= any.data[k].last; v += any.data[k].step)
                seen[v]++;
        for (size_t k = 0; k < moves.len; k++) {
            assert_true(dtc_tree_may_move(moves.data[k], distance, fan_out));
            for (uint32_t v = moves.data[k].first; v <= moves.data[k].last; v += moves.data[k].step)
                seen[v] += 10;
        }
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(seen[list[i]], 11);
            seen[list[i]] = 0;
        }
        for (uint32_t v = 0; v < 400; v++)
            assert_int_equal(seen[v], 0);
        vec_free(&any);
        vec_free(&moves);
    }
}

static size_t moves_of(uint32_t first, uint32_t last, uint32_t step, int64_t distance) {
    uint32_t list[1024], n = 0;
    dtc_ranges ranges = {0};
    for (uint32_t v = first; v <= last; v += step)
        list[n++] = v;
    dtc_tree_moves(list, n, distance, 4, &ranges);
    size_t count = ranges.len;
    vec_free(&ranges);
    return count;
}

/* The publication's own example, and steps that are and are not powers of four. */
static void ranges_of_moves(void **state) {
    (void)state;
    assert_int_equal(moves_of(1, 13, 4, 1), 1);  /* xx01 to xx10 */
    assert_int_equal(moves_of(0, 63, 1, 0), 1);  /* inside each */
    assert_int_equal(moves_of(1, 63, 2, -1), 2); /* step 2 becomes two of step 4 */
    assert_int_equal(moves_of(2, 62, 4, -2), 1);
    assert_int_equal(moves_of(4, 60, 8, -4), 2);
    assert_int_equal(moves_of(8, 56, 16, -8), 1);
    assert_int_equal(moves_of(16, 48, 32, -16), 2);
    assert_int_equal(moves_of(32, 32, 64, -32), 1);
    assert_int_equal(moves_of(32, 63, 1, -32), 32); /* each in a group of 64 of its own */
}

/* ---- a machine, and a player of its words ---- */

enum { VRFS = 128, ROWS_BIG = 1024, REGS = 6 };

struct bench {
    struct target *target;
    struct machine_library *library;
    struct datapath *dp;
    uint32_t lanes;
    uint64_t *uops, *fj;
    /* The player: registers and scratch rows of each lane, as words of move_bits. */
    uint32_t *cells; /* [VRFS][lanes][WORDS] */
    struct plane_selected selected;
    struct plane_crossbar crossbar;
    uint64_t words, moves, last_ps;
    bool first_event;
    uint32_t answers[16], answer_count; /* what READ words return */
};
enum { SCRATCH_WORDS = 8, WORDS = 2 * REGS + SCRATCH_WORDS };

static void open_bench(struct bench *b, const char *lanes, const uint8_t bits[REGS],
                       bool costs_only) {
    const struct target_override set[] = {
        {"array.lanes", lanes}, {"machine.mpus", "4"}, {"machine.mpu_columns", "2"}};
    struct diag *d = diag_new(NULL, NULL);
    struct str why = {0};
    uint8_t reg_bits[64] = {0};
    *b = (struct bench){.target = target_open("pypim", set, 3, d), .lanes = (uint32_t)atoi(lanes)};
    assert_non_null(b->target);
    b->library = machine_library_open(b->target, NULL, 0, d);
    memcpy(reg_bits, bits, REGS);
    const struct dp_setup setup = {.target = b->target,
                                   .library = b->library,
                                   .mpus = 4,
                                   .reg_bits = reg_bits,
                                   .init = DP_INIT_RANDOM,
                                   .seed = 5,
                                   .costs_only = costs_only};
    b->dp = plane_strict_ops.open(&setup, d);
    assert_non_null(b->dp);
    assert_true(plane_crossbar_of(b->target, &b->crossbar, &why));
    b->selected = plane_selected_all(&b->crossbar);
    b->uops = xcalloc(b->dp->tables.kind_count, sizeof *b->uops);
    b->fj = xcalloc(b->dp->tables.part_count, sizeof *b->fj);
    str_free(&why);
    diag_free(d);
}

static void close_bench(struct bench *b) {
    b->dp->ops->close(b->dp);
    machine_library_close(b->library);
    target_free(b->target);
    free(b->uops);
    free(b->fj);
    free(b->cells);
}

static uint64_t of_kind(const struct bench *b, const char *name) {
    for (uint32_t k = 0; k < b->dp->tables.kind_count; k++)
        if (strcmp(b->dp->tables.kinds[k].name, name) == 0)
            return b->uops[k];
    fail_msg("no kind %s", name);
    return 0;
}

static uint64_t words_of(const struct bench *b, enum plane_side side) {
    uint64_t values[PLANE_SIDES];
    b->dp->ops->counters(b->dp, values);
    return values[side];
}

static struct dp_cost cost_of(struct bench *b) {
    memset(b->uops, 0, b->dp->tables.kind_count * sizeof *b->uops);
    memset(b->fj, 0, b->dp->tables.part_count * sizeof *b->fj);
    return (struct dp_cost){.uops = b->uops, .energy_fj = b->fj};
}

/* Copies of a GMOVE that touches these MPUs. */
static struct dp_cost move_all(struct bench *b, const struct dp_copy *copies, size_t count,
                               uint32_t mpus) {
    struct dp_share shares[4] = {{.mpu = 0}, {.mpu = 1}, {.mpu = 2}, {.mpu = 3}};
    uint64_t share_ps[4] = {0};
    const struct dp_transfer x = {.width = copies->width,
                                  .copies = copies,
                                  .count = count,
                                  .shares = shares,
                                  .share_count = mpus};
    struct dp_cost cost = cost_of(b);
    cost.share_ps = share_ps;
    b->dp->ops->copy(b->dp, &x, &cost);
    for (uint32_t i = 0; i < mpus; i++)
        assert_int_equal(share_ps[i], cost.ps);
    return cost;
}

static uint64_t words(const struct bench *b, const struct dp_cost *cost) {
    return cost->ps / b->target->datapath_ps;
}

/* ---- closed forms ---- */

/* A step of the publication's reduction of 65,536 elements in 64 crossbars: y[::2s] += y[s::2s] by
 * the moves that bring y[s::2s] there.  Inside the crossbars 512, 256 .. 1 moves for all of them at
 * once; then one, or two where the rule of fours splits it. */
static void a_reduction(void **state) {
    const uint8_t bits[REGS] = {32, 32};
    struct bench b;
    uint64_t moves = 0;
    (void)state;
    open_bench(&b, "1024", bits, true);
    for (uint32_t step = 1; step < 65536; step *= 2) {
        struct dp_copy copies[64];
        uint32_t n = 0, apart = step < ROWS_BIG ? 1 : step / ROWS_BIG;
        for (uint32_t v = 0; v < 64; v += step < ROWS_BIG ? 1 : 2 * apart)
            copies[n++] = (struct dp_copy){.src_vrf = step < ROWS_BIG ? v : v + apart,
                                           .dst_vrf = v,
                                           .src_reg = 0,
                                           .dst_reg = 1,
                                           .width = 32,
                                           .count = step < ROWS_BIG ? ROWS_BIG / (2 * step) : 1,
                                           .src_first = step < ROWS_BIG ? step : 0,
                                           .src_step = (int32_t)(2 * step),
                                           .dst_step = (int32_t)(2 * step)};
        uint64_t before = words_of(&b, SIDE_MOVE), ranges = words_of(&b, SIDE_CROSSBARS);
        struct dp_cost cost = move_all(&b, copies, n, 1);
        uint64_t now = words_of(&b, SIDE_MOVE) - before;
        ranges = words_of(&b, SIDE_CROSSBARS) - ranges;
        bool split = apart == 1 || apart == 4 || apart == 16;
        uint64_t expected = step < ROWS_BIG ? ROWS_BIG / (2 * step) : split ? 2 : 1;
        assert_int_equal(now, expected);
        assert_int_equal(of_kind(&b, "MOVE"), step < ROWS_BIG ? 64 * expected : n);
        assert_int_equal(words(&b, &cost), now + ranges);
        assert_true(ranges <= (step < ROWS_BIG ? 1 : expected));
        assert_int_equal(b.fj[OPCLASS_CROSSING], of_kind(&b, "MOVE") * 32 * 6);
        moves += now;
    }
    assert_int_equal(moves, 1023 + 2 + 1 + 2 + 1 + 2 + 1);
    close_bench(&b);
}

/* Two words a lane above 32 bits; a value narrower than its register by way of scratch rows. */
static void widths(void **state) {
    const uint8_t bits[REGS] = {64, 64, 32, 32};
    struct bench b;
    (void)state;
    open_bench(&b, "1024", bits, true);
    struct dp_copy copy = {.src_vrf = 3,
                           .dst_vrf = 3,
                           .src_reg = 0,
                           .dst_reg = 1,
                           .width = 64,
                           .count = 100,
                           .src_step = 1,
                           .dst_first = 7,
                           .dst_step = 1};
    struct dp_cost cost = move_all(&b, &copy, 1, 1);
    assert_int_equal(words(&b, &cost), 200 + 1);
    copy.width = 32;
    copy.src_reg = 2;
    copy.dst_reg = 3;
    cost = move_all(&b, &copy, 1, 1);
    assert_int_equal(words(&b, &cost), 100);
    assert_int_equal(of_kind(&b, "INIT1"), 0);
    copy.width = 8; /* to scratch rows; then INIT1, NOT, INIT1, NOT in rows 7 .. 106 */
    cost = move_all(&b, &copy, 1, 1);
    assert_int_equal(words(&b, &cost), 100 + 1 + 4);
    copy.width = 32; /* in place, with a lane that is read and written */
    copy.dst_reg = 2;
    cost = move_all(&b, &copy, 1, 1);
    assert_int_equal(words(&b, &cost), 100 + 4);
    copy.dst_first = 100; /* and without one */
    cost = move_all(&b, &copy, 1, 1);
    assert_int_equal(words(&b, &cost), 100);
    close_bench(&b);
}

/* A constant is one word for all rows of all crossbars. */
static void a_constant(void **state) {
    const uint8_t bits[REGS] = {32};
    struct bench b;
    struct dp_copy copies[VRFS];
    (void)state;
    open_bench(&b, "1024", bits, true);
    for (uint32_t v = 0; v < VRFS; v++)
        copies[v] = (struct dp_copy){.src_vrf = v,
                                     .dst_vrf = v,
                                     .width = 32,
                                     .count = 1024,
                                     .source = DP_FROM_CONSTANT,
                                     .value = 7,
                                     .dst_step = 1};
    struct dp_cost cost = move_all(&b, copies, VRFS, 1);
    assert_int_equal(words(&b, &cost), 1);
    assert_int_equal(of_kind(&b, "WRITE"), VRFS);
    assert_int_equal(b.fj[OPCLASS_CROSSING], 1024 * VRFS * 32 * 6);
    close_bench(&b);
}

static struct dp_cost number(struct bench *b, const struct dp_copy *copies, size_t count,
                             bool masked) {
    const struct dp_share share = {.mpu = 0};
    const struct dp_transfer x = {.width = copies->width,
                                  .masked = masked,
                                  .copies = copies,
                                  .count = count,
                                  .shares = &share,
                                  .share_count = 1};
    struct dp_cost cost = cost_of(b);
    b->dp->ops->copy(b->dp, &x, &cost);
    return cost;
}

/* Rows: bit j is 1 in min(2^j, 2^(9-j)) ranges, 62 for ten bits; crossbars: 14 for six bits. */
static void numbers(void **state) {
    const uint8_t bits[REGS] = {32};
    struct bench b;
    struct dp_copy copies[64];
    (void)state;
    open_bench(&b, "1024", bits, true);
    for (uint32_t v = 0; v < 64; v++)
        copies[v] = (struct dp_copy){.dst_vrf = v,
                                     .width = 32,
                                     .source = DP_FROM_COUNT,
                                     .value = 1024 * (uint64_t)v,
                                     .count = 1024,
                                     .dst_step = 1};
    struct dp_cost cost = number(&b, copies, 64, false);
    assert_int_equal(of_kind(&b, "INIT0"), 64);
    assert_int_equal(words_of(&b, SIDE_ROWS), 62 + 1); /* and all rows for the crossbars' bits */
    assert_int_equal(words_of(&b, SIDE_CROSSBARS), 1 + 14);
    assert_int_equal(of_kind(&b, "INIT1"), 62 * 64 + 6 * 32);
    assert_int_equal(words(&b, &cost), 1 + 1 + 62 + 1 + 14 + 62 + 14);
    close_bench(&b);
}

/* Ranges are words where they change. */
static void ranges(void **state) {
    const uint8_t bits[REGS] = {32};
    struct bench b;
    struct dp_selection s = {128, 255, 1, 1024}; /* MPU1 */
    (void)state;
    open_bench(&b, "1024", bits, true);
    struct dp_cost cost = cost_of(&b);
    b.dp->ops->select(b.dp, &s, &cost);
    assert_int_equal(words(&b, &cost), 0); /* as at first */
    s.last = 200;
    s.lanes = 17;
    b.dp->ops->select(b.dp, &s, &cost);
    assert_int_equal(words(&b, &cost), 2);
    b.dp->ops->select(b.dp, &s, &cost);
    assert_int_equal(words(&b, &cost), 0);
    s.lanes = 18;
    b.dp->ops->select(b.dp, &s, &cost);
    assert_int_equal(words(&b, &cost), 1);
    assert_int_equal(of_kind(&b, "CROSSBARS"), 1);
    assert_int_equal(of_kind(&b, "ROWS"), 2);
    close_bench(&b);
}

/* ---- words do what they stand for ---- */

static uint32_t *cell(struct bench *b, uint32_t vrf, uint32_t row, uint32_t word) {
    return &b->cells[((size_t)vrf * b->lanes + row) * WORDS + word];
}

/* Where a word's cells lie: registers two words each, scratch rows from the last one on. */
static uint32_t word_at(const struct bench *b, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane);
    if (PLANE_CLASS(plane) == PLANE_REGISTER)
        return (n >> 6) * 2 + (n & 63) / 32;
    uint32_t rows = plane_target(b->target)->scratch_rows;
    assert_true(PLANE_CLASS(plane) == PLANE_SCRATCH && n >= rows - 4);
    return 2 * REGS + rows - 1 - n;
}

static void play_side(struct bench *b, const struct plane_side_word *w) {
    struct plane_word word = {
        .start = w->range.first, .stop = w->range.last, .step = w->range.step, .data = w->data};
    struct str why = {0};
    word.kind = w->side == SIDE_CROSSBARS ? WORD_CROSSBARS
                : w->side == SIDE_ROWS    ? WORD_ROWS
                : w->side == SIDE_READ    ? WORD_READ
                : w->side == SIDE_WRITE   ? WORD_WRITE
                                          : WORD_MOVE;
    word.in_row = w->from_row;
    word.out_row = w->to_row;
    word.crossbar = w->crossbar;
    if (!plane_word_check(&b->crossbar, &word, &b->selected, &why))
        fail_msg("%s", str_text(&why));
    struct plane_range x = b->selected.crossbars, r = b->selected.rows;
    if (word.kind == WORD_MOVE) { /* all at once */
        uint32_t old[4 * VRFS];
        for (uint32_t v = x.start; v <= x.stop; v += x.step)
            old[v] = *cell(b, v, w->from_row, word_at(b, w->from));
        for (uint32_t v = x.start; v <= x.stop; v += x.step)
            *cell(b, v - x.start + w->crossbar, w->to_row, word_at(b, w->to)) = old[v];
    }
    for (uint32_t v = x.start; word.kind == WORD_WRITE && v <= x.stop; v += x.step)
        for (uint32_t row = r.start; row <= r.stop; row += r.step)
            *cell(b, v, row, word_at(b, w->to)) = (uint32_t)w->data;
    b->moves += word.kind == WORD_MOVE;
    if (word.kind == WORD_READ)
        b->answers[b->answer_count++ % 16] = *cell(b, x.start, r.start, word_at(b, w->from));
}

/* Cells beside those of words: scratch rows of recipes. */
static uint8_t other[4 * VRFS][64][32 * 32];

static bool get_bit(struct bench *b, uint32_t vrf, uint32_t row, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane), rows = plane_target(b->target)->scratch_rows;
    if (PLANE_CLASS(plane) == PLANE_CONST)
        return n;
    if (PLANE_CLASS(plane) == PLANE_M) {
        uint64_t mask;
        b->dp->ops->get(b->dp, vrf, DP_M, 0, row, 1, &mask);
        return mask;
    }
    if (PLANE_CLASS(plane) == PLANE_REGISTER)
        return *cell(b, vrf, row, word_at(b, plane)) >> (n & 31) & 1;
    if (n >= rows - 4)
        return *cell(b, vrf, row, word_at(b, plane)) >> PLANE_SECTION(plane) & 1;
    return other[vrf][row][n * 32 + PLANE_SECTION(plane)];
}

static void put_bit(struct bench *b, uint32_t vrf, uint32_t row, uint32_t plane, bool bit) {
    uint32_t n = PLANE_NUMBER(plane), rows = plane_target(b->target)->scratch_rows;
    bool reg = PLANE_CLASS(plane) == PLANE_REGISTER;
    if (!reg && n < rows - 4) {
        other[vrf][row][n * 32 + PLANE_SECTION(plane)] = bit;
        return;
    }
    uint32_t *word = cell(b, vrf, row, word_at(b, plane)), at = reg ? n & 31 : PLANE_SECTION(plane);
    *word = (*word & ~(UINT32_C(1) << at)) | (uint32_t)bit << at;
}

static void play_gate(struct bench *b, const struct uop *u) {
    const struct target_op *op = &plane_target(b->target)->ops[u->kind];
    struct plane_range x = b->selected.crossbars, r = b->selected.rows;
    for (uint32_t v = x.start; v <= x.stop; v += x.step)
        for (uint32_t row = r.start; row <= r.stop; row += r.step) {
            unsigned in = 0;
            for (unsigned k = 0; k < u->nsrc; k++)
                in |= (unsigned)get_bit(b, v, row, u->src[k]) << k;
            if (op->reads_old)
                in |= (unsigned)get_bit(b, v, row, u->dst[0]) << u->nsrc;
            put_bit(b, v, row, u->dst[0], op->truth[0] >> in & 1);
        }
}

static void see(void *context, const struct dp_event *e) {
    struct bench *b = context;
    bool same = !b->first_event && e->start_ps == b->last_ps;
    b->words += !same;
    assert_true(b->first_event || e->start_ps >= b->last_ps);
    b->first_event = false;
    b->last_ps = e->start_ps;
    if (e->kind >= plane_target(b->target)->op_count)
        play_side(b, e->record);
    else
        play_gate(b, e->record);
}

static void load_cells(struct bench *b, const uint8_t bits[REGS]) {
    b->cells = xcalloc((size_t)4 * VRFS * b->lanes * WORDS, sizeof *b->cells);
    for (uint32_t v = 0; v < 4 * VRFS; v++)
        for (unsigned reg = 0; reg < REGS; reg++) {
            uint64_t values[64];
            b->dp->ops->get(b->dp, v, DP_REGISTER, reg, 0, b->lanes, values);
            for (uint32_t row = 0; row < b->lanes; row++) {
                *cell(b, v, row, 2 * reg) = (uint32_t)values[row];
                *cell(b, v, row, 2 * reg + 1) = (uint32_t)(values[row] >> 32);
            }
            (void)bits;
        }
}

static void compare_cells(struct bench *b, const uint8_t bits[REGS], uint64_t seed) {
    for (uint32_t v = 0; v < 4 * VRFS; v++)
        for (unsigned reg = 0; reg < REGS; reg++) {
            uint64_t values[64];
            b->dp->ops->get(b->dp, v, DP_REGISTER, reg, 0, b->lanes, values);
            for (uint32_t row = 0; row < b->lanes; row++) {
                uint64_t found = *cell(b, v, row, 2 * reg) | (uint64_t)*cell(b, v, row, 2 * reg + 1)
                                                                 << 32;
                if ((found ^ values[row]) & low_bits(bits[reg]))
                    fail_msg("seed %llu: r%u of lane %u of VRF %u is %llx, not %llx",
                             (unsigned long long)seed, reg, row, v, (unsigned long long)found,
                             (unsigned long long)values[row]);
            }
        }
}

/* Random lanes from random crossbars; no lane is written twice. */
static size_t draw_copies(struct bench *b, uint64_t *seed, struct dp_copy *copies,
                          const uint8_t bits[REGS]) {
    uint32_t vrfs = 1 + (uint32_t)(splitmix64(seed) % 20);
    uint32_t first = (uint32_t)(splitmix64(seed) % 200),
             step = 1 + (uint32_t)(splitmix64(seed) % 4);
    uint32_t distance = (uint32_t)(splitmix64(seed) % 40);
    uint8_t src = (uint8_t)(splitmix64(seed) % REGS), dst = (uint8_t)(splitmix64(seed) % REGS);
    uint8_t width = bits[src] < bits[dst] ? bits[src] : bits[dst];
    uint32_t count = 1 + (uint32_t)(splitmix64(seed) % (b->lanes / 2));
    for (uint32_t i = 0; i < vrfs; i++)
        copies[i] =
            (struct dp_copy){.src_vrf = first + i * step,
                             .dst_vrf = first + i * step + distance,
                             .src_reg = src,
                             .dst_reg = dst,
                             .width = width,
                             .source = splitmix64(seed) % 8 ? DP_FROM_REGISTER : DP_FROM_CONSTANT,
                             .value = 0x123456789abcdef0u & low_bits(width),
                             .count = count,
                             .src_first = (uint32_t)(splitmix64(seed) % 2) * (b->lanes - count),
                             .dst_first = (uint32_t)(splitmix64(seed) % (b->lanes - count + 1)),
                             .dst_step = 1,
                             .src_step = 1};
    for (uint32_t i = 0; i < vrfs; i++)
        if (copies[i].src_first && splitmix64(seed) % 2) {
            copies[i].src_first = count - 1;
            copies[i].src_step = -1;
        }
    return vrfs;
}

static void play_them(struct bench *b, const struct dp_copy *copies, size_t count) {
    b->words = b->moves = 0;
    b->first_event = true;
    b->dp->ops->observe(b->dp, see, b);
    struct dp_cost cost = move_all(b, copies, count, 4);
    b->dp->ops->observe(b->dp, NULL, NULL);
    assert_int_equal(b->words, words(b, &cost));
}

static void words_copy(void **state) {
    const uint8_t bits[REGS] = {32, 32, 32, 64, 16, 8};
    struct bench b;
    uint64_t seed = 3;
    (void)state;
    open_bench(&b, "32", bits, false);
    load_cells(&b, bits);
    for (uint64_t i = 0; i < 300; i++) {
        struct dp_copy copies[32];
        size_t n = draw_copies(&b, &seed, copies, bits);
        play_them(&b, copies, n);
        compare_cells(&b, bits, i);
    }
    close_bench(&b);
}

/* INDEX of several crossbars, with and without what it counts instead. */
static void words_count(void **state) {
    const uint8_t bits[REGS] = {32, 32, 32, 64, 16, 8};
    struct bench b;
    uint64_t seed = 9;
    (void)state;
    open_bench(&b, "32", bits, false);
    load_cells(&b, bits);
    for (uint64_t i = 0; i < 100; i++) {
        struct dp_copy copies[16];
        struct dp_binding bindings[16];
        uint32_t n = 1 + (uint32_t)(splitmix64(&seed) % 16), first = (uint32_t)(i % 100);
        uint64_t at = splitmix64(&seed) % 5000, every = 1 + splitmix64(&seed) % 3;
        uint64_t below = i % 2 ? 1 + splitmix64(&seed) % 9 : 0;
        uint8_t reg = (uint8_t)(i % REGS);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t count = k + 1 < n ? 32 : 1 + (uint32_t)(splitmix64(&seed) % 32);
            copies[k] = (struct dp_copy){.dst_vrf = first + k,
                                         .dst_reg = reg,
                                         .width = bits[reg],
                                         .source = DP_FROM_COUNT,
                                         .value = at + 32 * (uint64_t)k,
                                         .count = count,
                                         .dst_step = 1,
                                         .every = i % 3 ? every : 0,
                                         .below = below};
            bindings[k] = (struct dp_binding){first + k, count, 0, 0};
        }
        b.dp->ops->bind(b.dp, bindings, n);
        b.words = 0;
        b.first_event = true;
        b.dp->ops->observe(b.dp, see, &b);
        struct dp_cost cost = number(&b, copies, n, false);
        b.dp->ops->observe(b.dp, NULL, NULL);
        assert_int_equal(b.words, words(&b, &cost));
        for (uint32_t k = 0; k < n; k++) /* rows behind the last one hold nothing */
            for (uint32_t row = copies[k].count; row < 32; row++) {
                uint64_t value;
                b.dp->ops->get(b.dp, first + k, DP_REGISTER, reg, row, 1, &value);
                *cell(&b, first + k, row, 2u * reg) = (uint32_t)value;
                *cell(&b, first + k, row, 2u * reg + 1) = (uint32_t)(value >> 32);
            }
        compare_cells(&b, bits, i);
    }
    close_bench(&b);
}

/* Which VRFs of a set have a lane with M: 32 of them to a word. */
static void words_answer(void **state) {
    const uint8_t bits[REGS] = {32, 32, 32, 64, 16, 8};
    struct bench b;
    uint64_t seed = 21;
    (void)state;
    open_bench(&b, "32", bits, false);
    load_cells(&b, bits);
    for (uint64_t i = 0; i < 60; i++) {
        struct vrf_range list[VRFS];
        uint32_t n = 0, first = UINT32_MAX, lanes = 1 + (uint32_t)(splitmix64(&seed) % 32);
        uint64_t none[32] = {0};
        uint8_t found[VRFS];
        for (uint32_t v = 128 + (uint32_t)(splitmix64(&seed) % 50), k = 0; v < 256 && n < 70;
             v++, k++) {
            uint64_t mask[32] = {0};
            b.dp->ops->put(b.dp, v, DP_M, 0, 1, 0, 32, none);
            if (splitmix64(&seed) % 4 == 0)
                mask[splitmix64(&seed) % lanes] = 1;
            b.dp->ops->put(b.dp, v, DP_M, 0, 1, 0, 32, mask);
            if (i % 4 && splitmix64(&seed) % 3 == 0)
                continue;
            first = first == UINT32_MAX ? v : first;
            list[n++] = (struct vrf_range){v, 1};
            if (i % 5 == 0)
                break;
        }
        uint32_t kept = 0; /* ranges do not touch */
        for (uint32_t k = 0; k < n; k++)
            if (kept && list[kept - 1].first + list[kept - 1].count == list[k].first)
                list[kept - 1].count++;
            else
                list[kept++] = list[k];
        n = kept;
        struct dp_cost cost = cost_of(&b);
        cost.lanes = lanes;
        b.words = b.answer_count = 0;
        b.first_event = true;
        b.dp->ops->observe(b.dp, see, &b);
        b.dp->ops->any(b.dp, DP_ANY_M, (struct vrf_set){list, n}, found, &cost);
        b.dp->ops->observe(b.dp, NULL, NULL);
        assert_int_equal(b.words, words(&b, &cost));
        uint32_t last = list[n - 1].first + list[n - 1].count - 1, at = 0;
        assert_int_equal(b.answer_count, (last - first) / 32 + 1);
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t v = list[k].first; v < list[k].first + list[k].count; v++, at++) {
                uint32_t answer = b.answers[(v - first) / 32] >> (v - first) % 32 & 1;
                if (last > first && answer != found[at])
                    fail_msg("question %llu: VRF %u", (unsigned long long)i, v);
                assert_true(last > first || (b.answers[0] & 1) == found[0]);
            }
        compare_cells(&b, bits, i);
    }
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_cover_their_numbers),
        cmocka_unit_test(ranges_of_moves),
        cmocka_unit_test(a_reduction),
        cmocka_unit_test(widths),
        cmocka_unit_test(a_constant),
        cmocka_unit_test(numbers),
        cmocka_unit_test(ranges),
        cmocka_unit_test(words_copy),
        cmocka_unit_test(words_count),
        cmocka_unit_test(words_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
