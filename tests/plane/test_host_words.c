/* SPDX-License-Identifier: MIT
 * Words of a host: the publication's vectors, text and back, what is refused. */
#include "machines/plane/link/host_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct target *open_target(const char *name, const struct target_override *set, size_t n) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, set, n, d);
    assert_non_null(t);
    diag_free(d);
    return t;
}

static struct plane_crossbar pypim(void) {
    struct target *t = open_target("pypim", NULL, 0);
    struct plane_crossbar x;
    struct str why = {0};
    assert_true(plane_crossbar_of(t, &x, &why));
    str_free(&why);
    target_free(t);
    return x;
}

struct vector {
    uint64_t bits;
    const char *text;
};
/* The publication's host's, word by word. */
static const struct vector vectors[] = {
    {0x1f83c0f03ca, "INIT1 r30[0..31]"},
    {0x1f83c00801a, "NOR r30[0..31] <- r0[0..31], r1[0..31]"},
    {0x4b8fc000012, "NOT r30[3..23:4] <- r0[0..20:4]"},
    {0x801f80000, "CROSSBARS 0..63"},
    {0x2000680008, "CROSSBARS 1..13:4"},
    {0xffe004, "ROWS 0..1023"},
    {0x17fc004, "ROWS 0..1022:2"},
    {0x39, "READ r7"},
    {0x3f8000001d, "WRITE r3 <- 0x3f800000"},
    {0x220122017, "MOVE x2.r4@9 <- r2@5"},
    {0xa008016, "NOT r5@1 <- r5@0"},
    {0xa00800e, "INIT1 r5@1"},
};

static void test_vectors(void **state) {
    (void)state;
    struct plane_crossbar x = pypim();
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        struct plane_word w, parsed;
        struct str text = {0}, why = {0};
        assert_true(plane_word_decode(&x, vectors[i].bits, &w, &why));
        assert_int_equal(plane_word_encode(&x, &w), vectors[i].bits);
        plane_word_text(&w, &text);
        assert_string_equal(str_text(&text), vectors[i].text);
        assert_true(plane_word_parse(&x, text.text, text.len, &parsed, &why));
        assert_int_equal(plane_word_encode(&x, &parsed), vectors[i].bits);
        str_free(&text);
        str_free(&why);
    }
}

/* What is said of a line, with all selected but where `before` says otherwise; "" if it is fine. */
static const char *said(const struct plane_crossbar *x, const char *before, const char *line) {
    static char kept[256];
    struct plane_selected selected = plane_selected_all(x);
    struct str why = {0};
    struct plane_word w;
    if (before) {
        assert_true(plane_word_parse(x, before, strlen(before), &w, &why));
        assert_true(plane_word_check(x, &w, &selected, &why));
    }
    if (plane_word_parse(x, line, strlen(line), &w, &why))
        plane_word_check(x, &w, &selected, &why);
    snprintf(kept, sizeof kept, "%s", str_text(&why));
    str_free(&why);
    return kept;
}

struct refusal {
    const char *before, *line, *text;
};
static const struct refusal refusals[] = {
    {NULL, "NOR r30[0..31] <- r0[0..31], r1[0..31]", ""},
    {NULL, "NOT r30[3..23:4] <- r0[0..20:4]", ""},
    {NULL, "NOT r30[0..20:4] <- r0[3..23:4]", ""},
    {NULL, "NOR r3[4] <- r0[0], r1[2]", ""},
    {NULL, "NOR r3[4] <- r0[31], r1[9]", ""},
    {NULL, "NOT r30[3..23:3] <- r0[0..20:3]", "steps of 3 do not lead from partition 3 to 23"},
    {NULL, "NOT r30[4..28:4] <- r0[0..24:4]",
     "sections meet: a gate takes partitions 0..4, and the next one lies 4 on"},
    {NULL, "NOT r30[1..2] <- r0[0..1]",
     "sections meet: a gate takes partitions 0..1, and the next one lies 1 on"},
    {NULL, "NOT r30[0..30:2] <- r0[1..31:2]", ""},
    {NULL, "NOT r30[1..31:2] <- r0[2..32:2]",
     "partition 32 takes more than the 5 bits of its field"},
    {NULL, "NOT r30[0..31] <- r30[0..31]", "its result is one of its operands"},
    {NULL, "NOR r30[0..31] <- r1[0..31], r30[0..31]", "its result is one of its operands"},
    {NULL, "NOR r30[0..31] <- r1[0..31], r1[0..31]", "both operands are one cell"},
    {NULL, "NOR r3[4] <- r0[2], r1[6]",
     "the transistor beside its result, in partition 4, parts it from an operand: they lie in 2 "
     "and 6"},
    {NULL, "NOR r3[4..8:4] <- r0[2..8:4], r1[3..7:4]",
     "partitions of an operand do not step as those of the result"},
    {NULL, "INIT1 r32[0]", "register 32 takes more than the 5 bits of its field"},
    {NULL, "CROSSBARS 0..70000", "crossbar 70000 takes more than the 16 bits of its field"},
    {NULL, "CROSSBARS 5..4", "the range begins with crossbar 5, behind its end 4"},
    {NULL, "CROSSBARS 0..4:0", "steps of 0 do not lead from crossbar 0 to 4"},
    {NULL, "CROSSBARS 4..4:0", ""},
    {NULL, "ROWS 0..10:3", "steps of 3 do not lead from row 0 to 10"},
    {NULL, "READ r7",
     "reads one row of one crossbar, and 1024 rows of 65536 crossbars are selected"},
    {NULL, "WRITE r7 <- 0x100000000", "0x100000000 takes more than the 32 bits of its field"},
    {"CROSSBARS 0..14:2", "MOVE x1.r0@0 <- r0@0",
     "moves from crossbars that lie 2 apart, no power of 4"},
    {"CROSSBARS 1..13:4", "MOVE x2.r0@0 <- r0@0", ""},
    {"CROSSBARS 1..13:4", "MOVE x4.r0@0 <- r0@0",
     "a move from crossbar 1 to 4 leaves its group of 4"},
    {"CROSSBARS 7", "MOVE x65535.r0@0 <- r0@0", ""},
    {"CROSSBARS 0..65535", "MOVE x0.r0@3 <- r0@0", ""},
    {"CROSSBARS 0..65535", "MOVE x1.r0@3 <- r0@0", "its last move goes beyond crossbar 65535"},
    {NULL, "NOR r5@1 <- r5@0", "no gate of two operands works along columns"},
    {NULL, "NOT r5@1 <- r6@0", "both rows are of one register"},
    {NULL, "NOT r5@1 <- r5@1", "its result is its operand"},
    {NULL, "0x8000000000000039", "0x8000000000000039 has bits above its 8"},
    {NULL, "HALT", "expected CROSSBARS, ROWS, READ, WRITE, MOVE, a gate or a number, not 'HALT'"},
    {NULL, "READ r7 r8", "expected the end of the line, not 'r8'"},
    {NULL, "READ", "expected r at the end of the line"},
};

static void test_refusals(void **state) {
    (void)state;
    struct plane_crossbar x = pypim();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        assert_string_equal(said(&x, refusals[i].before, refusals[i].line), refusals[i].text);
}

/* The order of operands that the format asks for is the writer's affair in text alone. */
static void test_order_of_operands(void **state) {
    (void)state;
    struct plane_crossbar x = pypim();
    struct plane_word w = {.kind = WORD_GATES,
                           .gate = GATE_NOR,
                           .start = 9,
                           .stop = 9,
                           .step = 1,
                           .reg = 3,
                           .in_reg = {1, 2},
                           .in_partition = {5, 4}};
    struct plane_selected selected = plane_selected_all(&x);
    struct str why = {0};
    assert_false(plane_word_check(&x, &w, &selected, &why));
    assert_string_equal(str_text(&why),
                        "its operands are not in the order of their partitions (5, 4)");
    str_free(&why);
}

/* A gate word is right exactly where each gate, simulated with the transistors that the rule gives,
 * finds its operands in its own section and no other gate there. */
static bool sections_work(const struct plane_word *w, unsigned partitions) {
    bool cut[65] = {false}; /* cut[k]: between partitions k - 1 and k */
    unsigned used[64] = {0}, n = w->gate == GATE_NOR ? 2 : w->gate == GATE_NOT;
    unsigned a = n ? w->in_partition[0] : w->start, b = n > 1 ? w->in_partition[1] : a;
    bool right = b <= w->start; /* where an operand lies on the other side, none works */
    for (unsigned out = w->start; out <= w->stop; out += w->step) {
        unsigned shift = out - w->start;
        if (a + shift >= partitions || b + shift >= partitions)
            return false;
        cut[right ? out + 1 : out] = true;
        cut[right ? a + shift : b + shift + 1] = true;
    }
    cut[0] = cut[partitions] = true;
    unsigned section[64], now = 0;
    for (unsigned k = 0; k < partitions; k++)
        section[k] = now += cut[k];
    for (unsigned out = w->start; out <= w->stop; out += w->step) {
        unsigned shift = out - w->start;
        if (section[out] != section[a + shift] || section[out] != section[b + shift] ||
            used[section[out] - 1]++)
            return false;
    }
    return true;
}

static void check_one(const struct plane_crossbar *x, const struct plane_word *w) {
    struct plane_selected selected = plane_selected_all(x);
    struct str why = {0};
    bool fine = plane_word_check(x, w, &selected, &why);
    if (fine != sections_work(w, x->partitions)) {
        plane_word_text(w, &why);
        fail_msg("%s: %d", str_text(&why), fine);
    }
    str_free(&why);
}

static void test_sections_exhaustively(void **state) {
    (void)state;
    struct plane_crossbar x = pypim();
    x.partitions = 8;
    for (unsigned a = 0; a < 8; a++)
        for (unsigned b = a; b < 8; b++)
            for (unsigned out = 0; out < 8; out++)
                for (unsigned step = 1; step < 8; step++)
                    for (unsigned stop = out; stop < 8; stop += step)
                        for (unsigned g = GATE_NOT; g < GATE_COUNT; g++) {
                            const struct plane_word w = {.kind = WORD_GATES,
                                                         .gate = (enum plane_gate)g,
                                                         .start = out,
                                                         .stop = stop,
                                                         .step = step,
                                                         .reg = 9,
                                                         .in_reg = {1, 2},
                                                         .in_partition = {a, b}};
                            check_one(&x, &w);
                        }
}

/* Words of random fields, and bits of any kind: whatever is read is written again. */
static void test_random_bits(void **state) {
    (void)state;
    struct plane_crossbar x = pypim();
    uint64_t seed = 1, read = 0;
    for (unsigned i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = (seed >> 11 ^ seed << 7) >> (i & 31);
        struct plane_word w;
        struct str why = {0};
        if (plane_word_decode(&x, bits, &w, &why)) {
            read++;
            assert_int_equal(plane_word_encode(&x, &w), bits);
        } else {
            assert_true(why.len > 0);
        }
        str_free(&why);
    }
    assert_true(read > 10000);
}

static void test_cells(void **state) {
    (void)state;
    struct plane_crossbar x = pypim();
    struct plane_selected s = {{0, 12, 4}, {0, 6, 2}};
    struct plane_word w = {.kind = WORD_GATES, .start = 3, .stop = 23, .step = 4};
    assert_int_equal(plane_word_cells(&x, &w, &s), 4 * 4 * 6);
    w.kind = WORD_WRITE;
    assert_int_equal(plane_word_cells(&x, &w, &s), 4 * 4 * 32);
    w.kind = WORD_VERTICAL;
    assert_int_equal(plane_word_cells(&x, &w, &s), 4 * 32);
    w.kind = WORD_MOVE;
    assert_int_equal(plane_word_cells(&x, &w, &s), 4 * 32);
    w.kind = WORD_READ;
    assert_int_equal(plane_word_cells(&x, &w, &s), 32);
    w.kind = WORD_ROWS;
    assert_int_equal(plane_word_cells(&x, &w, &s), 0);
}

/* Other sizes: smaller ones keep the publication's fields, larger ones get wider ones. */
static void test_other_sizes(void **state) {
    (void)state;
    struct target *t = open_target("pypim", NULL, 0), *racer = open_target("racer", NULL, 0);
    struct plane_target other = *plane_target(t);
    void *own = t->own;
    struct plane_crossbar x;
    struct str why = {0};
    t->own = &other;
    other.sections = 16;
    other.rows = 64;
    t->mpus = 1;
    assert_true(plane_crossbar_of(t, &x, &why));
    assert_int_equal(x.crossbars, 128);
    assert_int_equal(x.crossbar_bits, 16);
    assert_int_equal(x.register_bits, 6);
    assert_int_equal(x.partition_bits, 5);
    struct plane_word w = {.kind = WORD_GATES,
                           .gate = GATE_NOR,
                           .start = 15,
                           .stop = 15,
                           .step = 1,
                           .reg = 63,
                           .in_reg = {62, 61},
                           .in_partition = {3, 4}},
                      back;
    assert_true(plane_word_decode(&x, plane_word_encode(&x, &w), &back, &why));
    assert_memory_equal(&w, &back, sizeof w);
    other.rows = 1 << 16;
    other.sections = 64;
    assert_false(plane_crossbar_of(t, &x, &why));
    assert_string_equal(str_text(&why), "words for target 'pypim' would take 83 bits, and have 64");
    str_clear(&why);
    assert_false(plane_crossbar_of(racer, &x, &why));
    assert_string_equal(str_text(&why), "target 'racer' has no partitions that can be joined");
    str_free(&why);
    t->own = own;
    target_free(t);
    target_free(racer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),           cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_order_of_operands), cmocka_unit_test(test_sections_exhaustively),
        cmocka_unit_test(test_random_bits),       cmocka_unit_test(test_cells),
        cmocka_unit_test(test_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
