/* SPDX-License-Identifier: MIT
 * ACT + PRE of row programs beside the figures of a reference model (counts.csv, which names its
 * source), and docs/row-notation.md, which shows both.  No program may take more than the model's.
 * MPU_WRITE_PAGE=1 writes the page's tables anew. */
#include "tests/draws.h"

#include "machines/slot/library/library.h"
#include "tests/examples/page.h"

#include "support/diag.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE   MPU_SOURCE_DIR "/docs/row-notation.md"
#define WRITER "build/tests/test_row_counts"
enum { MASKED_MORE = 42 };

static struct row_library *library;
static int gmc;

static uint64_t count_as(const struct insn *x, const struct row_wanted *wanted) {
    struct row_pool pool = {.slot = wanted->slot};
    struct row_program program;
    struct str problem = {0};
    if (!row_program_for(library, x, wanted, &pool, &program, &problem))
        fail_msg("%s", str_text(&problem));
    uint64_t sum = row_program_cost(&program, &wanted->costs);
    row_program_free(&program);
    row_pool_free(&pool);
    return sum;
}

static uint64_t count(enum isa_op op, unsigned width, unsigned slot, bool masked, bool once,
                      bool table2) {
    struct row_wanted wanted = {.slot = slot,
                                .masked = masked,
                                .table2 = table2,
                                .max_rows = 512,
                                .costs = {row_act_pre, once ? &gmc : NULL}};
    static const uint64_t entries[16] = {3, 1, 2};
    static const struct isa_lut table = {4, 16, entries};
    struct insn x = {.op = op, .width = (uint8_t)width, .rs = 0, .rt = 1, .rd = 2, .imm = 1};
    if (isa_has_table(op))
        isa_set_table(&x, &table);
    return count_as(&x, &wanted);
}

struct bound {
    enum isa_op op;
    char name[16];
    unsigned width;
    uint64_t most[2]; /* BSA, GMC */
};

static size_t read_bounds(struct bound *bounds, size_t most) {
    size_t size, n = 0;
    char *text = file_read(MPU_SOURCE_DIR "/tests/machines/rows/counts.csv", &size);
    assert_non_null(text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        struct bound *b = &bounds[n];
        unsigned long bsa, once;
        if (sscanf(line, "%15[A-Z],%u,%lu,%lu", b->name, &b->width, &bsa, &once) != 4)
            continue;
        assert_true(n++ < most);
        b->op = isa_find(b->name, strlen(b->name));
        b->most[0] = bsa;
        b->most[1] = once;
        assert_true(b->op != OP_COUNT);
    }
    free(text);
    return n;
}

static void test_counts(void **state) {
    (void)state;
    struct bound bounds[100];
    struct str table = {0};
    size_t n = read_bounds(bounds, 100);
    bool fine = true;
    assert_int_equal(n, 41);
    str_append(&table,
               "| instruction | BSA | model | GMC | model | masked, BSA | Table 2 alone, BSA |\n"
               "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        const struct bound *b = &bounds[i];
        uint64_t bsa = count(b->op, b->width, b->width, false, false, false),
                 once = count(b->op, b->width, b->width, false, true, false),
                 masked = count(b->op, b->width, b->width, true, false, false),
                 table2 = count(b->op, b->width, b->width, false, false, true);
        str_printf(&table, "| %s.%u | %lu | %lu | %lu | %lu | %lu | %lu |\n", b->name, b->width,
                   (unsigned long)bsa, (unsigned long)b->most[0], (unsigned long)once,
                   (unsigned long)b->most[1], (unsigned long)masked, (unsigned long)table2);
        if (bsa > b->most[0] || once > b->most[1] || masked > bsa + MASKED_MORE) {
            print_error("%s.%u: %lu of %lu, %lu of %lu, masked %lu\n", b->name, b->width,
                        (unsigned long)bsa, (unsigned long)b->most[0], (unsigned long)once,
                        (unsigned long)b->most[1], (unsigned long)masked);
            fine = false;
        }
    }
    assert_true(fine);
    page_check(PAGE, "counts", &table, WRITER);
    str_free(&table);
}

/* There is such an instruction: its constant is one of its width. */
static bool is_one(enum isa_op op, unsigned width) {
    const uint32_t flags = isa_info(op)->flags;
    struct insn x = {.op = op,
                     .width = flags & ISA_WIDTH ? (uint8_t)width : 0,
                     .rt = flags & (READS_RT | WRITES_RT) ? 1 : 0,
                     .rd = flags & (READS_RD | WRITES_RD) ? 2 : 0,
                     .imm = 1};
    uint32_t word;
    if (isa_encode(&x, &word) != ISA_OK)
        x.imm = 0; /* it has none */
    return row_library_has(library, op) && !(flags & ISA_UNMASKED) &&
           (isa_has_table(op) ? width == 16 : isa_encode(&x, &word) == ISA_OK);
}

static unsigned writes(enum isa_op op) {
    static const uint32_t each[] = {WRITES_RS, WRITES_RT, WRITES_RD, WRITES_C, WRITES_M};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        n += (isa_info(op)->flags & each[i]) != 0;
    return n;
}

/* The select of each result under a mask, of all instructions: at widths that fill their slot, and
 * at widths that do not. */
static void test_masked(void **state) {
    uint32_t tried = 0;
    (void)state;
    for (enum isa_op op = (enum isa_op)0; op < OP_COUNT; op = (enum isa_op)(op + 1))
        for (unsigned w = 1; w <= 64; w++) {
            unsigned slot = 1;
            while (slot < w)
                slot *= 2;
            if (!is_one(op, w) || !draws_takes(w, 8))
                continue;
            for (unsigned once = 0; once < 2; once++, tried++) {
                uint64_t plain = count(op, w, slot, false, once, false),
                         masked = count(op, w, slot, true, once, false);
                if (masked > (plain ? plain + MASKED_MORE * writes(op) : 0))
                    fail_msg("%s.%u: %lu masked, %lu not", isa_info(op)->name, w,
                             (unsigned long)masked, (unsigned long)plain);
            }
        }
    assert_true(tried > 1000);
}

/* What changes nothing takes nothing: in all slots, under a mask, and below bits that are kept. */
static void test_unchanged(void **state) {
    static const struct {
        enum isa_op op;
        int32_t imm;
    } same[] = {{OP_ANDI, -1}, {OP_ADDI, 0}, {OP_MULI, 1}};
    (void)state;
    for (unsigned at = 0; at < 3 * 64 * 7 * 4; at++) {
        unsigned i = at % 3, w = 1 + at / 3 % 64, slot = 1u << at / 192 % 7;
        const struct row_wanted wanted = {.slot = slot,
                                          .masked = at / 1344 & 1,
                                          .none_above = at / 1344 & 2,
                                          .max_rows = 512,
                                          .costs = {row_act_pre, NULL}};
        const struct insn x = {.op = same[i].op, .width = (uint8_t)w, .imm = same[i].imm},
                          other = {.op = OP_ANDI, .width = (uint8_t)w, .imm = 0};
        if (slot < w)
            continue;
        uint64_t sum = count_as(&x, &wanted);
        if (sum)
            fail_msg("%s.%u in slots of %u takes %lu", isa_info(x.op)->name, w, slot,
                     (unsigned long)sum);
        assert_true(count_as(&other, &wanted) > 0);
    }
}

/* The program that the page shows. */
static void test_program(void **state) {
    (void)state;
    const struct row_wanted wanted = {.slot = 32, .max_rows = 512, .costs = {row_act_pre, NULL}};
    const struct insn x = {.op = OP_ADD, .width = 32};
    struct row_pool pool = {.slot = 32};
    struct row_program program;
    struct str text = {0};
    assert_true(row_program_for(library, &x, &wanted, &pool, &program, &text));
    str_append(&text, "```\n");
    row_program_text(&program, &pool, NULL, &text);
    str_append(&text, "```\n");
    page_check(PAGE, "program", &text, WRITER);
    row_program_free(&program);
    row_pool_free(&pool);
    str_free(&text);
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    library = row_library_open(NULL, 0, d);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_masked),
                                       cmocka_unit_test(test_unchanged),
                                       cmocka_unit_test(test_program)};
    int failed = library ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    row_library_close(library);
    diag_free(d);
    return failed;
}
