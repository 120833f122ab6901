/* SPDX-License-Identifier: MIT
 * Routines of a program's own: those that docs/row-notation.md shows, what is wrong with others,
 * and row programs that a package may hold and no library makes. */
#include "machines/machine.h"
#include "machines/slot/library/library.h"
#include "player.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct row_library *open_rows(const char *text, char message[400]) {
    struct diag *d = diag_new(NULL, NULL);
    const struct user_file file = {"own.recipe", text, strlen(text)};
    struct row_library *l = row_library_open(&file, 1, d);
    snprintf(message, 400, "%s", diag_first(d) ? diag_first(d) : "");
    diag_free(d);
    return l;
}

static uint64_t noise(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed ^ *seed >> 29;
}

/* An instruction without a mask in registers 0, 1 and 2, against what the machine's library says of
 * it: the ISA, or the contract in the file. */
static void play(const struct row_library *rows, const struct machine_library *golden,
                 enum isa_op op, unsigned w, unsigned slot) {
    static struct player p;
    const struct row_wanted wanted = {.slot = slot, .max_rows = 512, .costs = {row_act_pre, NULL}};
    const struct insn x = {.op = op, .width = (uint8_t)w, .rt = 1, .rd = 2};
    struct row_pool pool = {.slot = slot};
    struct row_program program;
    struct str problem = {0};
    const char *why;
    uint64_t seed = w * 64 + slot;
    if (!row_program_for(rows, &x, &wanted, &pool, &program, &problem))
        fail_msg("%s", str_text(&problem));
    for (unsigned r = 0; r < PLAYER_REGISTERS; r++)
        for (unsigned lane = 0; lane < PLAYER_BITS / slot; lane++)
            player_set_slot(&p.reg[r], slot, lane, noise(&seed));
    struct player before = p;
    if (!player_play(&p, &program, &pool, &x, &why))
        fail_msg("%s", why);
    for (unsigned lane = 0; lane < PLAYER_BITS / slot; lane++) {
        struct golden_lane g = {.rs = player_slot(&before.reg[0], slot, lane) & low_bits(w),
                                .rt = player_slot(&before.reg[1], slot, lane) & low_bits(w),
                                .w = w};
        machine_golden(golden, op, &g);
        assert_int_equal(player_slot(&p.reg[2], slot, lane) & low_bits(w), g.rd & low_bits(w));
    }
    row_program_free(&program);
    row_pool_free(&pool);
}

/* All routines of a text, at all widths. */
static void want_right(const char *text) {
    char message[400];
    struct diag *d = diag_new(NULL, NULL);
    struct target *t;
    struct machine_library *built_in;
    const struct user_file file = {"own.recipe", text, strlen(text)};
    assert_int_equal(machine_open_target("golden", NULL, 0, d, &t, &built_in), TARGET_FINE);
    struct machine_library *golden = machine_library_open(t, &file, 1, d);
    struct row_library *rows = open_rows(text, message);
    if (!golden || !rows)
        fail_msg("%s%s", message, golden ? "" : diag_first(d));
    unsigned count = 0;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        if (!row_library_origin(rows, (enum isa_op)op))
            continue;
        count++;
        for (unsigned slot = 1; slot <= 64; slot *= 2)
            for (unsigned w = 1; w <= slot; w++)
                play(rows, golden, (enum isa_op)op, w, slot);
    }
    assert_int_equal(count, 1);
    row_library_close(rows);
    machine_library_close(golden);
    machine_library_close(built_in);
    target_free(t);
    diag_free(d);
}

static void want_refused(const char *text) {
    char message[400];
    assert_null(open_rows(text, message));
    assert_non_null(strstr(message, "own.recipe:"));
}

/* Calls visit with each block that ``` and the word open. */
static unsigned for_blocks(const char *doc, const char *word, void (*visit)(const char *block)) {
    unsigned count = 0;
    char fence[40];
    snprintf(fence, sizeof fence, "\n```%s\n", word);
    for (const char *at = doc; (at = strstr(at, fence)); count++) {
        at += strlen(fence);
        const char *end = strstr(at, "\n```");
        assert_non_null(end);
        char *block = xstrndup(at, (size_t)(end + 1 - at));
        visit(block);
        free(block);
        at = end;
    }
    return count;
}

static void test_page(void **state) {
    (void)state;
    size_t size;
    char *doc = file_read(MPU_SOURCE_DIR "/docs/row-notation.md", &size);
    assert_non_null(doc);
    assert_int_equal(for_blocks(doc, "rows", want_right), 2);
    assert_int_equal(for_blocks(doc, "rows-refused", want_refused), 1);
    free(doc);
}

static void test_messages(void **state) {
    (void)state;
#define ROUTINE(body) "recipe XOR(a, b) -> d any w rows {\n" body "\n}\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {ROUTINE("d = a ^ c"), "own.recipe:2:9: nothing here is called 'c'"},
        {ROUTINE("d = a + b"),
         "own.recipe:2:5: rows have '& | ^ ~ << >>'; this one is for numbers"},
        {ROUTINE("d = a << b"), "own.recipe:2:10: the distance of a shift is a number, not a row"},
        {ROUTINE("d = a << 64"), "own.recipe:2:5: a shift by 64 in slots of 64 bits"},
        {ROUTINE("x = a"), "own.recipe:1:8: result 'd' is not written"},
        {ROUTINE("a = b; d = a"), "own.recipe:2:1: 'a' is read only: a row that has another name"},
        {ROUTINE("d = lookup(a, 0, 1)"), "own.recipe:2:5: an index of 0 bits: it has 1 to 16, and "
                                         "no more than its field of 64"},
        {ROUTINE("d = lookup(a & 1, 1, 1, 3)"),
         "own.recipe:2:5: fields of 3 bits do not divide slots of 64"},
        {ROUTINE("table T = 1, 2, 3; d = lookup(a & 3, 2, T[index])"),
         "own.recipe:2:41: table 'T' has 3 elements"},
        {ROUTINE("d = a[0]"), "own.recipe:2:5: nothing here is a table 'a'"},
        {ROUTINE("d = a@1"), "own.recipe:2:5: rows have no places: '@' is for recipes of planes"},
        {ROUTINE("d = SUM(a)"), "own.recipe:2:5: sub 'SUM' takes 2 operands and gives 1"},
        {ROUTINE("d = x; x = a"), "own.recipe:2:5: nothing here is called 'x'"},
        {ROUTINE("x = x & a; d = x"), "own.recipe:1:8: a row program reads an unset row"},
        {ROUTINE("d = 1 / 0"), "own.recipe:2:5: a division by zero"},
        {ROUTINE("d = a }"),
         "own.recipe:3:1: expected 'recipe', 'sub' or 'instruction', found '}'"},
        {ROUTINE("d a"), "own.recipe:2:3: expected '=', found 'a'"},
        {"sub F(x) -> y rows { y = F(x) }\n" ROUTINE("d = F(a)"),
         "own.recipe:1:26: calls of subs nest more than 32 deep"},
        {ROUTINE("for i in 0 .. 1 << 40 { let x = i }\nd = a"),
         "own.recipe:2:25: the body does not end within 2^18 statements"},
        {"recipe XOR(a) -> d any w rows { d = a }", "own.recipe:1:8: 'XOR' has other operands"},
        {"recipe XAR(a) -> d any w rows { d = a }",
         "own.recipe:1:8: there is no instruction 'XAR'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[400];
        struct row_library *l = open_rows(cases[i].text, message);
        if (l || strcmp(message, cases[i].message) != 0)
            fail_msg("%s\ngives %s\nnot   %s", cases[i].text, message, cases[i].message);
    }
}

/* What a plane reads of a file with both, and what rows read of it. */
static void test_both_kinds(void **state) {
    (void)state;
    static const char text[] = "sub F(x) -> y rows { y = ~x }\n"
                               "recipe XOR(a, b) -> d any w needs NOR { d[0] = NOR(a[0], b[0]) }\n"
                               "recipe XOR(a, b) -> d any w rows { d = F(a) ^ F(b) }\n";
    char message[400];
    struct row_library *rows = open_rows(text, message);
    assert_non_null(rows);
    assert_string_equal(row_library_origin(rows, OP_XOR), "own.recipe");
    assert_null(row_library_origin(rows, OP_ADD));
    row_library_close(rows);
    struct diag *d = diag_new(NULL, NULL);
    struct target *t;
    struct machine_library *built_in;
    static const char alone[] = "sub F(x) -> y rows { y = ~x }\n"
                                "recipe XOR(a, b) -> d any w rows { d = F(a) ^ F(b) }\n";
    const struct user_file file = {"own.recipe", alone, sizeof alone - 1};
    assert_int_equal(machine_open_target("racer", NULL, 0, d, &t, &built_in), TARGET_FINE);
    struct machine_library *plane = machine_library_open(t, &file, 1, d);
    if (!plane)
        fail_msg("%s", diag_first(d));
    assert_true(machine_has(plane, OP_XOR));
    machine_library_close(plane);
    machine_library_close(built_in);
    target_free(t);
    diag_free(d);
}

/* ---- programs that no library makes ---- */

static const char *checked(const struct row_word *words, size_t count, uint32_t scratch) {
    struct row_pool pool = {.slot = 8};
    const uint64_t one = 1, entries[4] = {0, 1, 2, 3};
    const struct row_table table = {2, 8, entries};
    struct row_program p = {.scratch = scratch};
    row_pool_constants(&pool, &one, 1);
    row_pool_tables(&pool, &table, 1);
    for (size_t i = 0; i < count; i++)
        vec_push(&p.words, words[i]);
    const char *problem = row_program_check(&p, &pool, READS_RS | READS_RT | WRITES_RD, 512);
    row_program_free(&p);
    row_pool_free(&pool);
    return problem;
}

static void test_damaged(void **state) {
    (void)state;
    enum { T0 = ROW_SCRATCH, T1, K0 = ROW_CONSTANT };
#define WORD(k, d, x, y, ...)                                                                      \
    { .kind = (k), .dst = {.row = (d)}, .a = {.row = (x)}, .b = {.row = (y)}, __VA_ARGS__ }
#define COPY(d, x) WORD(ROW_COPY, d, x, ROW_NONE, .count = 0)
#define LAPS(n, ...)                                                                               \
    { .kind = ROW_LAPS, .count = (n), __VA_ARGS__ }
    static const struct {
        struct row_word words[4];
        unsigned count;
        const char *problem;
    } cases[] = {
        {{COPY(ROW_RD, ROW_RS)}, 1, NULL},
        {{COPY(T0, ROW_RS), COPY(ROW_RD, T0)}, 2, NULL},
        {{COPY(ROW_RD, T0)}, 1, "a row program reads an unset row"},
        {{COPY(ROW_RD, T1)}, 1, "a row program reads a scratch row that is not there"},
        {{COPY(T1, ROW_RS)}, 1, "a row program writes a scratch row that is not there"},
        {{COPY(ROW_RD, K0 + 1)}, 1, "a row program reads a constant that is not there"},
        {{COPY(K0, ROW_RS)}, 1, "a row program writes a constant"},
        {{COPY(ROW_RS, ROW_RT)}, 1, "a row program writes what its instruction does not"},
        {{COPY(ROW_VALID, ROW_RT)}, 1, "a row program writes what its instruction does not"},
        {{COPY(ROW_RD, 77)}, 1, "there is no such row"},
        {{WORD(99, ROW_RD, ROW_RS, ROW_RT, .count = 0)}, 1, "there is no such row command"},
        {{WORD(ROW_BIT_SHIFT_L, T0, ROW_NONE, ROW_NONE, .count = 1)},
         1,
         "a row program reads an unset row"},
        {{WORD(ROW_QUERY, ROW_RD, ROW_RS, 0, .bits = 8, .count = 4)}, 1, NULL},
        {{WORD(ROW_QUERY, ROW_RD, ROW_RS, 1, .bits = 8, .count = 4)},
         1,
         "a row program names a table that is not there"},
        {{WORD(ROW_QUERY, ROW_RD, ROW_RS, 0, .bits = 8, .count = 8)},
         1,
         "a query and its table have different sizes"},
        {{WORD(ROW_QUERY, ROW_RD, ROW_RS, 0, .bits = 4, .count = 4)},
         1,
         "a query and its table have different widths"},
        {{WORD(ROW_QUERY, ROW_RD, ROW_RS, 0, .bits = 3, .count = 4)},
         1,
         "a query's width does not divide the row"},
        {{LAPS(2), COPY(ROW_RD, ROW_RS)}, 2, "laps of a row program do not end"},
        {{COPY(ROW_RD, ROW_RS), {.kind = ROW_END}}, 2, "laps of a row program are wrong"},
        {{LAPS(0), {.kind = ROW_END}}, 2, "laps of a row program are wrong"},
        {{LAPS(1u << 30), COPY(ROW_RD, ROW_RS), {.kind = ROW_END}},
         3,
         "a row program does not end soon enough"},
        {{LAPS(2), WORD(ROW_COPY, ROW_RD, K0, ROW_NONE, .a.step = {1}), {.kind = ROW_END}},
         3,
         "a row program reads a constant that is not there"},
        {{LAPS(9), WORD(ROW_COPY, ROW_RD, ROW_RS, ROW_NONE, .a.step = {-1}), {.kind = ROW_END}},
         3,
         "a row program leads outside"},
        {{WORD(ROW_BIT_SHIFT_L, ROW_RD, ROW_NONE, ROW_NONE, .count = 1, .power = 1)},
         1,
         "a shift steps with laps that do not stand around it"},
        {{WORD(ROW_BIT_SHIFT_L, ROW_RD, ROW_NONE, ROW_NONE, .count = 5000)},
         1,
         "a shift of a row program is too far"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *problem = checked(cases[i].words, cases[i].count, 1);
        if (strcmp(problem ? problem : "", cases[i].problem ? cases[i].problem : "") != 0)
            fail_msg("%zu: %s, not %s", i, problem, cases[i].problem);
    }
}

/* Bytes cut off anywhere, or changed in one bit, are read and checked without harm. */
static void test_damaged_bytes(void **state) {
    (void)state;
    char message[400];
    struct row_library *rows = open_rows("", message);
    const struct row_wanted wanted = {.slot = 8, .max_rows = 512, .costs = {row_act_pre, NULL}};
    const struct insn x = {.op = OP_MUL, .width = 8, .rt = 1, .rd = 2};
    struct row_pool pool = {.slot = 8}, q;
    struct row_program program, p;
    struct str problem = {0}, s = {0};
    const char *why;
    unsigned taken = 0;
    assert_true(row_program_for(rows, &x, &wanted, &pool, &program, &problem));
    row_program_write(&program, &s);
    row_pool_write(&pool, &s);
    for (size_t i = 0; i < s.len * 9; i++) {
        size_t size = i < s.len ? i : s.len;
        unsigned char *bytes = xcalloc(size + 1, 1);
        memcpy(bytes, s.text, size);
        if (i >= s.len)
            bytes[(i - s.len) / 8] ^= (unsigned char)(1 << i % 8);
        const unsigned char *at = bytes, *end = bytes + size;
        if (row_program_read(&p, &at, end, &why)) {
            if (row_pool_read(&q, &at, end, &why)) {
                taken += !row_program_check(&p, &q, isa_info(OP_MUL)->flags, 512);
                row_pool_free(&q);
            }
            row_program_free(&p);
        }
        free(bytes);
    }
    assert_true(taken > 100 && taken < 8 * s.len);
    row_program_free(&program);
    row_pool_free(&pool);
    row_library_close(rows);
    str_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),          cmocka_unit_test(test_messages),
        cmocka_unit_test(test_both_kinds),    cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_damaged_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
