/* SPDX-License-Identifier: MIT
 * Line tables of DPU programs: our own through files, those of DWARF 3 and 5, damaged ones, and the
 * lines that faults name. */
#include "machines/core/dpu/lines.h"
#include "machines/core/dpu/run/core.h"
#include "tests/draws.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

static struct dpu_program *assemble_file(const char *name, const char *text) {
    static const struct machine_text_options options = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble_with(name, text, strlen(text), &options, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return p;
}
static struct dpu_program *assemble(const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    assert_non_null(p);
    diag_free(d);
    return p;
}
static struct dpu_program *nops(unsigned count) {
    struct str text = {0};
    for (unsigned i = 0; i < count; i++)
        str_append(&text, "nop\n");
    struct dpu_program *p = assemble(str_text(&text));
    str_free(&text);
    return p;
}
static void expect(const struct dpu_program *p, uint32_t pc, const char *line) {
    struct str text = {0};
    assert_int_equal(dpu_program_line(p, pc, &text), line != NULL);
    if (line)
        assert_string_equal(str_text(&text), line);
    str_free(&text);
}
static void read_table(struct dpu_program *p, const void *table, size_t size, const char *strings,
                       size_t string_size) {
    const struct dpu_line_sections s = {.line = {table, size},
                                        .line_str = {(const unsigned char *)strings, string_size}};
    dpu_lines_read(&s, p);
}

/* Instructions of several lines, of one, and from a line before; then a file and back. */
static void own_lines_come_back(void **state) {
    struct dpu_program *p =
        assemble_file("some where/test.s", "nop; nop\n\n nop\n.data\nx: .word 3\n.text\n nop\n");
    struct str file = {0}, list = {0};
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    p->places.data[3].line = 100000;
    p->places.data[2].line = 0;
    dpu_program_write(p, &file);
    struct dpu_program *q = dpu_program_read("x.elf", file.text, file.len, d);
    assert_non_null(q);
    assert_int_equal(q->places.len, 4);
    expect(q, 0, "some where/test.s:1");
    expect(q, 1, "some where/test.s:1");
    expect(q, 2, NULL);
    expect(q, 3, "some where/test.s:100000");
    expect(q, 4, NULL);
    dpu_list(q, &(struct machine_view){.lines = true}, &list);
    assert_non_null(strstr(str_text(&list), "; some where/test.s:1\n     0  "));
    assert_non_null(strstr(str_text(&list), "; some where/test.s:100000\n     3  "));
    list.len = 0;
    dpu_list(q, &(struct machine_view){0}, &list);
    assert_null(strstr(str_text(&list), "test.s"));
    dpu_program_free(q);
    dpu_program_free(p);
    str_free(&file);
    str_free(&list);
    diag_free(d);
}

/* What an earlier sequence says of an instruction stays: files that say no more of any have no
 * number, however many there are. */
static void files_of_no_instruction(void **state) {
    static const unsigned char head[] = {8, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1},
                               sets[] = {0, 5, 2, 0, 0, 0, 0x80};
    enum { FILES = 1000 };
    struct dpu_program *p = nops(1);
    struct str names = {0}, rows = {0}, all = {0};
    (void)state;
    str_append_n(&names, (const char *)head, sizeof head);
    str_char(&names, 0);
    for (unsigned i = 0; i < FILES; i++) {
        str_printf(&names, "f%u.c", i);
        str_append_n(&names, "\0\0\0\0", 4);
        str_append_n(&rows, (const char *)sets, sizeof sets);
        str_char(&rows, 4); /* of file i + 1 */
        if (i + 1 >= 128)
            str_char(&rows, (char)(128 | ((i + 1) & 127)));
        str_char(&rows, (char)(i + 1 >= 128 ? (i + 1) >> 7 : i + 1));
        str_append_n(&rows, "\1\2\1\0\1\1", 6); /* one instruction, the end */
    }
    str_char(&names, 0);
    const uint32_t header = (uint32_t)names.len, size = header + (uint32_t)rows.len + 6;
    for (unsigned k = 0; k < 4; k++)
        str_char(&all, (char)(size >> 8 * k));
    str_append_n(&all, "\4\0", 2);
    for (unsigned k = 0; k < 4; k++)
        str_char(&all, (char)(header >> 8 * k));
    str_append_n(&all, names.text, names.len);
    str_append_n(&all, rows.text, rows.len);
    read_table(p, all.text, all.len, NULL, 0);
    expect(p, 0, "f0.c:1");
    assert_int_equal(p->sources.len, 1);
    str_free(&names);
    str_free(&rows);
    str_free(&all);
    dpu_program_free(p);
}

/* DWARF 5, with names in another section, a directory, and entries that are passed over. */
static const char strings5[] = "/home/me\0lib";
static const unsigned char table5[] = {
    112, 0,   0,    0,   5,    0,   4,    0, 80, 0, 0, 0, 1,    1, 1,  0xfb, 14, 13, /* header */
    0,   1,   1,    1,   1,    0,   0,    0, 1,  0, 0, 1,                            /* operands */
    1,   1,   0x1f, 2,   0,    0,   0,    0, 9,  0, 0, 0, /* directories */
    3,   1,   0x08, 2,   0x0b, 5,   0x1e, 2,              /* files */
    'a', '.', 'c',  0,   0,    1,   2,    3, 4,  5, 6, 7, 8,    9, 10, 11,   12, 13,
    14,  15,  16,   'b', '.',  'c', 0,    1, 1,  2, 3, 4, 5,    6, 7,  8,    9,  10,
    11,  12,  13,   14,  15,   16,  0,    5, 2,  8, 0, 0, 0x80, /* at instruction 1 */
    3,   9,   4,    0,   1,                                     /* line 10 of a.c */
    243,                                                        /* 16 bytes and a line on */
    4,   1,   9,    8,   0,    1,                               /* 8 bytes on, b.c */
    2,   16,  0,    1,   1,                                     /* 16 bytes on is the end */
};
/* DWARF 3: instructions of 8 bytes, fewer operands, a column. */
static const unsigned char table3[] = {
    62,  0,   0,   0, 3, 0, 34,  0,   0,   0, 8, 1,   0xfb, 14,  10,   0, 1, 1,
    1,   1,   0,   0, 0, 1, 'i', 'n', 'c', 0, 0, 'x', '.',  'c', 0,    1, 0, 0,
    'y', '.', 'c', 0, 0, 0, 0,   0,   0,   5, 2, 0,   0,    0,   0x80, 1, /* instruction 0:
                                                                             inc/x.c:1 */
    8,   5,   7,   6, 3, 4, 4,   2,   1,                                  /* 17 on: y.c:5 */
    2,   2,   0,   1, 1,
};
static void tables_of_compilers(void **state) {
    struct dpu_program *p = nops(8);
    (void)state;
    read_table(p, table5, sizeof table5, strings5, sizeof strings5);
    static const char *const five[8] = {NULL,         "a.c:10",     "a.c:10", "a.c:11",
                                        "lib/b.c:11", "lib/b.c:11", NULL,     NULL};
    for (uint32_t i = 0; i < 8; i++)
        expect(p, i, five[i]);
    dpu_program_free(p);
    p = nops(24);
    read_table(p, table3, sizeof table3, NULL, 0);
    for (uint32_t i = 0; i < 24; i++)
        expect(p, i, i < 17 ? "inc/x.c:1" : i < 19 ? "y.c:5" : NULL);
    dpu_program_free(p);
}

static void damaged_tables_are_read(void **state) {
    uint64_t seed = 7;
    (void)state;
    for (unsigned lap = 0; lap < draws(DRAWS_DPU_DAMAGED); lap++) {
        const bool five = lap % 2;
        const size_t whole = five ? sizeof table5 : sizeof table3;
        unsigned char bytes[sizeof table5];
        size_t size = whole;
        memcpy(bytes, five ? table5 : table3, whole);
        for (unsigned i = 0; i < 1 + lap % 5; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[(seed >> 40) % whole] = (unsigned char)(seed >> 24);
        }
        if (lap % 7 == 0)
            size = (seed >> 33) % whole;
        /* Of its own size, so that a byte beyond it is found. */
        unsigned char *copy = memcpy(xmalloc(size + !size), bytes, size);
        struct dpu_program *p = nops(12);
        read_table(p, copy, size, strings5, sizeof strings5);
        for (size_t i = 0; i < p->places.len; i++)
            assert_true(!p->places.data[i].line || p->places.data[i].source < p->sources.len);
        dpu_program_free(p);
        free(copy);
    }
}

static void faults_name_lines(void **state) {
    struct dpu_program *p =
        assemble_file("task.s", "main:\n nop\n\n lw r0, zero, 3\nend: stop true, end\n");
    struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
    struct str why = {0};
    (void)state;
    dpu_core_load(core, p);
    assert_false(dpu_core_run(core, 1000));
    dpu_core_explain(core, p, &why);
    assert_string_equal(str_text(&why),
                        "tasklet 0 at instruction 1 (main + 1), task.s:4, 'lw r0, zero, 3': 0x3 is "
                        "no multiple of 4");
    str_free(&why);
    dpu_core_free(core);
    dpu_program_free(p);
}

/* Which of the two a host means by the name nobody could say. */
static void objects_have_names_of_their_own(void **state) {
    struct dpu_program *p = assemble(".data\n.globl aa, ab\n.type aa, @object\n.type ab, @object\n"
                                     "aa: .word 1\nab: .word 2\n.text\nend: stop true, end\n");
    struct diag *d = diag_new(NULL, NULL);
    struct str file = {0};
    bool found = false;
    (void)state;
    dpu_program_write(p, &file);
    for (size_t i = 0; i + 4 < file.len && !found; i++) {
        found = memcmp(file.text + i, "\0ab", 4) == 0;
        if (found)
            file.text[i + 2] = 'a';
    }
    assert_true(found);
    assert_null(dpu_program_read("x.elf", file.text, file.len, d));
    assert_string_equal(diag_first(d), "x.elf: two global objects have the name 'aa'");
    diag_free(d);
    str_free(&file);
    dpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_lines_come_back), cmocka_unit_test(files_of_no_instruction),
        cmocka_unit_test(tables_of_compilers), cmocka_unit_test(damaged_tables_are_read),
        cmocka_unit_test(faults_name_lines),   cmocka_unit_test(objects_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
