/* SPDX-License-Identifier: MIT
 * Words carried out on planes, beside a model that has a word for each register of each row. */
#include "machines/plane/run/host_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { REGISTERS = 32 };

/* The model: mem[crossbar][register][row]. */
struct model {
    struct plane_crossbar x;
    struct plane_selected selected;
    uint64_t *mem;
    struct plane_reads reads;
};

static uint64_t *at(struct model *m, uint32_t crossbar, uint32_t reg, uint32_t row) {
    return &m->mem[((size_t)crossbar * REGISTERS + reg) * m->x.rows + row];
}

static uint64_t partitions_of(const struct plane_word *w) {
    uint64_t bits = 0;
    for (uint32_t p = w->start; p <= w->stop; p += w->step)
        bits |= UINT64_C(1) << p;
    return bits;
}

static uint64_t shifted(uint64_t value, int by) {
    return by >= 0 ? value << by : value >> -by;
}

/* Of one row: the publication's semantics. */
static void model_gates(struct model *m, const struct plane_word *w, uint32_t crossbar,
                        uint32_t row) {
    uint64_t out = partitions_of(w), *d = at(m, crossbar, w->reg, row), in = 0;
    for (unsigned i = 0; i < 2; i++)
        in |= shifted(*at(m, crossbar, w->in_reg[i], row), (int)w->start - (int)w->in_partition[i]);
    if (w->gate == GATE_INIT0)
        *d &= ~out;
    else if (w->gate == GATE_INIT1)
        *d |= out;
    else
        *d &= ~(in & out);
}

static void model_move(struct model *m, const struct plane_word *w) {
    const struct plane_range *r = &m->selected.crossbars;
    uint64_t kept[4096];
    for (uint32_t i = 0; i < plane_range_size(*r); i++)
        kept[i] = *at(m, r->start + i * r->step, w->in_reg[0], w->in_row);
    for (uint32_t i = 0; i < plane_range_size(*r); i++)
        *at(m, w->crossbar + i * r->step, w->reg, w->out_row) = kept[i];
}

static void model_vertical(struct model *m, const struct plane_word *w, uint32_t crossbar) {
    uint64_t *d = at(m, crossbar, w->reg, w->out_row);
    if (w->gate == GATE_NOT)
        *d &= ~*at(m, crossbar, w->reg, w->in_row);
    else
        *d = w->gate == GATE_INIT1 ? (UINT64_C(1) << m->x.partitions) - 1 : 0;
}

static void model_crossbar(struct model *m, const struct plane_word *w, uint32_t crossbar) {
    const struct plane_range *r = &m->selected.rows;
    if (w->kind == WORD_VERTICAL)
        model_vertical(m, w, crossbar);
    for (uint32_t row = r->start; w->kind != WORD_VERTICAL && row <= r->stop; row += r->step) {
        if (w->kind == WORD_WRITE)
            *at(m, crossbar, w->reg, row) = w->data;
        else if (w->kind == WORD_READ)
            vec_push(&m->reads, *at(m, crossbar, w->reg, row));
        else
            model_gates(m, w, crossbar, row);
    }
}

static void model_word(struct model *m, const struct plane_word *w) {
    const struct plane_range *r = &m->selected.crossbars;
    if (w->kind == WORD_MOVE)
        model_move(m, w);
    for (uint32_t x = r->start; w->kind >= WORD_READ && w->kind != WORD_MOVE && x <= r->stop;
         x += r->step)
        model_crossbar(m, w, x);
}

/* ---- random words ---- */

static uint64_t state;
static uint32_t any(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static void random_range(struct plane_word *w, uint32_t count) {
    w->step = any(3) ? 1 : 1 + any(8);
    w->start = any(count);
    w->stop = w->start + any((count - 1 - w->start) / w->step + 1) * w->step;
    if (any(3) == 0 && count > 1)
        *w = (struct plane_word){.kind = w->kind, .start = 0, .stop = count - 1, .step = 1};
}

static void random_word(struct plane_word *w, const struct plane_crossbar *x) {
    static const enum plane_word_kind often[] = {
        WORD_GATES, WORD_GATES, WORD_GATES,    WORD_GATES, WORD_GATES, WORD_MOVE,
        WORD_MOVE,  WORD_WRITE, WORD_VERTICAL, WORD_READ,  WORD_ROWS,  WORD_CROSSBARS};
    *w = (struct plane_word){.kind = often[any(sizeof often / sizeof *often)]};
    if (w->kind == WORD_CROSSBARS || w->kind == WORD_ROWS) {
        random_range(w, w->kind == WORD_ROWS ? x->rows : x->crossbars);
        return;
    }
    if (w->kind == WORD_GATES)
        random_range(w, x->partitions);
    w->gate = (enum plane_gate)any(GATE_COUNT);
    w->reg = any(REGISTERS);
    w->data = w->kind == WORD_WRITE ? state >> 17 & ((UINT64_C(1) << x->partitions) - 1) : 0;
    for (unsigned i = 0; i < 2; i++) {
        w->in_reg[i] = any(REGISTERS);
        w->in_partition[i] = w->start + any(3);
    }
    w->in_row = any(x->rows);
    w->out_row = any(x->rows);
    w->crossbar = any(x->crossbars);
    if (w->kind == WORD_GATES && w->gate < GATE_NOR) {
        w->in_reg[1] = w->in_reg[0] = w->gate == GATE_NOT ? w->in_reg[0] : w->reg;
        w->in_partition[1] = w->in_partition[0] =
            w->gate == GATE_NOT ? w->in_partition[0] : w->start;
    }
}

/* Words that can be carried out, one after another. */
struct words {
    uint64_t *data;
    size_t len, cap;
};
static void random_words(struct model *m, size_t count, struct words *out) {
    struct str why = {0};
    while (out->len < count) {
        struct plane_word w;
        random_word(&w, &m->x);
        if (!plane_word_check(&m->x, &w, &m->selected, &why))
            continue;
        vec_push(out, plane_word_encode(&m->x, &w));
        model_word(m, &w);
    }
    str_free(&why);
}

static void compare(struct model *m, struct datapath *dp) {
    uint64_t *values = xcalloc(m->x.rows, sizeof *values);
    for (uint32_t c = 0; c < m->x.crossbars; c++)
        for (uint32_t r = 0; r < REGISTERS; r++) {
            dp->ops->get(dp, c, DP_REGISTER, r, 0, m->x.rows, values);
            assert_memory_equal(values, at(m, c, r, 0), m->x.rows * sizeof *values);
        }
    free(values);
}

static struct target *small_pypim(const char *lanes) {
    const struct target_override set[] = {{"machine.mpus", "1"},
                                          {"machine.mpu_columns", "0"},
                                          {"machine.vrf_per_rfh", "4"},
                                          {"machine.rfh_per_mpu", "4"},
                                          {"array.lanes", lanes}};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("pypim", set, 5, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return t;
}

static struct datapath *open_machine(const struct target *t) {
    uint8_t bits[64] = {0};
    memset(bits, 32, REGISTERS);
    const struct dp_setup setup = {.target = t, .mpus = t->mpus, .reg_bits = bits};
    struct diag *d = diag_new(NULL, NULL);
    struct datapath *dp = plane_open_with(&setup, NULL, false, d);
    assert_non_null(dp);
    diag_free(d);
    return dp;
}

static void run_random(const char *lanes, uint64_t seed, size_t count) {
    struct target *t = small_pypim(lanes);
    struct datapath *dp = open_machine(t);
    struct model m = {.mem = NULL};
    struct words words = {0};
    struct str why = {0};
    struct diag *d = diag_new(NULL, NULL);
    assert_true(plane_crossbar_of(t, &m.x, &why));
    m.selected = plane_selected_all(&m.x);
    m.mem = xcalloc((size_t)m.x.crossbars * REGISTERS * m.x.rows, sizeof *m.mem);
    state = seed;
    random_words(&m, count, &words);
    struct plane_stream_result result = {.done = 0};
    const struct plane_stream stream = {words.data, words.len, 0, NULL, NULL};
    if (!plane_stream_run(plane_of(dp), &stream, &result, d))
        fail_msg("%s", diag_first(d));
    assert_int_equal(result.reads.len, m.reads.len);
    if (m.reads.len)
        assert_memory_equal(result.reads.data, m.reads.data, m.reads.len * sizeof(uint64_t));
    compare(&m, dp);
    vec_free(&m.reads);
    vec_free(&result.reads);
    vec_free(&words);
    free(m.mem);
    dp->ops->close(dp);
    target_free(t);
    diag_free(d);
}

static void test_random_streams(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run_random("128", seed, 3000);
        run_random("100", seed, 3000);
    }
}

static void test_counts(void **unused) {
    (void)unused;
    struct target *t = small_pypim("128");
    struct datapath *dp = open_machine(t);
    struct diag *d = diag_new(NULL, NULL);
    /* crossbars 0..3, rows 0..6:2, INIT1 r3, NOR r3 <- r1, r2, WRITE r4, move to the next */
    static const char *const lines[] = {"CROSSBARS 0..3",
                                        "ROWS 0..6:2",
                                        "INIT1 r3[0..31]",
                                        "NOR r3[0..30:2] <- r1[0..30:2], r2[0..30:2]",
                                        "WRITE r4 <- 0xffffffff",
                                        "CROSSBARS 1",
                                        "MOVE x2.r5@9 <- r4@4",
                                        "NOT r4@1 <- r4@0",
                                        "CROSSBARS 2",
                                        "ROWS 9",
                                        "READ r5"};
    struct plane_crossbar x;
    struct str why = {0};
    uint64_t words[11], uops[8] = {0};
    assert_true(plane_crossbar_of(t, &x, &why));
    for (unsigned i = 0; i < 11; i++) {
        struct plane_word w;
        assert_true(plane_word_parse(&x, lines[i], strlen(lines[i]), &w, &why));
        words[i] = plane_word_encode(&x, &w);
    }
    struct plane_stream_result r = {.uops = uops};
    const struct plane_stream stream = {words, 11, 0, NULL, NULL};
    assert_true(plane_stream_run(plane_of(dp), &stream, &r, d));
    assert_int_equal(r.done, 11);
    assert_int_equal(r.reads.len, 1);
    assert_int_equal(r.reads.data[0], 0xffffffff);
    static const uint64_t counts[STREAM_COUNTS] = {
        5, 1, 1, 0, 1, 0, 1, 1, 1, 4 * 4 * (32 + 16 + 32) + 32 + 32 + 32};
    assert_memory_equal(r.counts, counts, sizeof counts);
    assert_int_equal(uops[1], 4 * 32); /* INIT1 */
    assert_int_equal(uops[2], 32);     /* NOT, along columns */
    assert_int_equal(uops[3], 4 * 16);
    assert_int_equal(r.energy_fj[OPCLASS_CROSSING], 6 * (32 + 32));
    /* A word that cannot be: those before it have been carried out. */
    words[6] = UINT64_C(0x39);
    vec_clear(&r.reads);
    r.done = 0;
    assert_false(plane_stream_run(plane_of(dp), &stream, &r, d));
    assert_int_equal(r.done, 6);
    assert_string_equal(
        diag_first(d),
        "word 6: reads one row of one crossbar, and 4 rows of 1 crossbars are selected");
    vec_free(&r.reads);
    dp->ops->close(dp);
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_streams),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
