/* SPDX-License-Identifier: MIT
 * What the listings show. */
#include "tests/linker/sources.h"

#include "disasm/disasm.h"

static const char source[] = "        .size n = 100\n"
                             "        .group g[n, 4]\n"
                             "        .group h[7] like g\n"
                             "        .group f[7] at RFH1.VRF2\n"
                             "        .var in x: u8 @g = r3\n"
                             "        .var inout y: i16[2] @g = r4\n"
                             "        .print \"a \\\"b\\\"\", r3: u8\n"
                             "        .mark \"start\"\n"
                             "        .global main, lib\n"
                             "        .mpu 0..2, main\n"
                             "main:   COMPUTEG @g\n"
                             "        LI.9 size(n)-1 r5\n"
                             "loop:   ADD.9 r1 r2 r3\n"
                             "        JUMP_COND loop\n"
                             "        JUMP lib+1\n"
                             "        PRINT 0\n"
                             "        COMPUTE_DONE\n"
                             "        GOTO end\n"
                             "        .sub s\n"
                             "        RETURN\n"
                             "        .endsub\n"
                             "end:\n";

static struct str dump_of(const struct object *o, unsigned actions) {
    struct str bytes = {0}, out = {0};
    struct diag *d = diag_new(NULL, NULL);
    object_write(o, &bytes);
    disasm_dump(o, "x.o", bytes.text, bytes.len, actions, &out, d);
    assert_int_equal(diag_errors(d), 0);
    diag_free(d);
    str_free(&bytes);
    return out;
}

static void assert_dump(const struct object *o, unsigned actions, const char *const *lines,
                        size_t count) {
    struct str out = dump_of(o, actions);
    const char *at = str_text(&out);
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, lines[i]);
        if (!found)
            fail_msg("'%s' is not in:\n%s", lines[i], at);
        else
            at = found + strlen(lines[i]);
    }
    str_free(&out);
}

#define ASSERT_DUMP(o, actions, ...)                                                               \
    do {                                                                                           \
        static const char *const lines[] = {__VA_ARGS__};                                          \
        assert_dump(o, actions, lines, sizeof lines / sizeof *lines);                              \
    } while (0)

static void text_of_an_object(void **state) {
    (void)state;
    struct object *o = assemble("a.s", source);
    ASSERT_DUMP(o, DISASM_TEXT, "x.o:\tfile format elf64-mpu (relocatable object)",
                "\n00000000 <main>:\n       0: 06000000  COMPUTEG @g\n",
                "       1: 38205000  LI.9 size(n)-1 r5\n",
                "\n00000002 <loop>:\n       2: 40203042  ADD.9 r1 r2 r3\n",
                "       3: 13000002  JUMP_COND 2 <loop>\n", "JUMP <lib+1>\n",
                "PRINT 0    ; \"a \\\"b\\\"\" r3: u8\n", "GOTO 9 <end>\n", "\n00000008 <s>:\n",
                "RETURN\n", "\n00000009 <end>:\n");
    ASSERT_DUMP(o, DISASM_TEXT | DISASM_NO_RAW, "       0:  COMPUTEG @g\n");
    ASSERT_DUMP(o, DISASM_TEXT | DISASM_RELOCS,
                "LI.9 size(n)-1 r5\n\t\t       1: R_MPU_IMM12_0\tsize(n)-1\n",
                "R_MPU_J24\tlib+1\n");
    ASSERT_DUMP(o, DISASM_TEXT | DISASM_LINES, "; a.s:11\n       0: 06000000", "; a.s:12\n");
    object_free(o);
}

static void tables_of_an_object(void **state) {
    (void)state;
    struct object *o = assemble("a.s", source);
    ASSERT_DUMP(o, DISASM_RELOCS,
                "RELOCATION RECORDS FOR [.text]:", "00000000 R_MPU_GROUP      @g\n",
                "00000001 R_MPU_IMM12_0    size(n)-1\n", "00000003 R_MPU_J24        loop\n",
                "00000005 R_MPU_DEBUG      0\n");
    ASSERT_DUMP(o, DISASM_SYMBOLS, "SYMBOL TABLE:", "00000000 g       .text 00000000 main\n",
                "00000002 l       .text 00000000 loop\n", "00000008 l     F .text 00000001 s\n",
                "*UND* 00000000 lib\n");
    ASSERT_DUMP(o, DISASM_ALL_HEADERS, "ISA version 1, sets base C R L D\n",
                "geometry of fixed VRFs: lanes=64 vrfs=64 rfhs=8\n", ".note.mpu", ".text",
                ".symtab", "SIZES:\n   0 n = 100\n", "GROUPS:\n   0 g[n, 4]\n   1 h[7] like g\n",
                "   2 f[7] at RFH1.VRF2\n", "VARIABLES:\n   0 in    x: u8 @g = r3\n",
                "   1 inout y: i16[2] @g = r4\n", "DEBUG RECORDS:\n   0 PRINT",
                "   1 MARK   \"start\"\n", "ENTRIES:\nMPU0 .. MPU2 at main\n",
                "SYMBOL TABLE:", "RELOCATION RECORDS");
    ASSERT_DUMP(
        o, DISASM_CONTENTS,
        "Contents of section .note.mpu:\n 0000 04000000 20000000 02000000 4d505500  .... .......MPU.\n",
        "Contents of section .text:\n 0000 00000006 00502038");
    object_free(o);
}

static void text_of_a_program(void **state) {
    (void)state;
    static const char *const texts[] = {source, " .global lib\n NOP\nlib: NOP\n NOP\n"};
    struct object *o = link_ok(texts, 2, NULL);
    ASSERT_DUMP(o, DISASM_TEXT, "(linked program)", "COMPUTEG @g\n", "LI.9 size(n)-1 r5\n",
                "JUMP_COND 2 <loop>\n", "JUMP 11 <lib+1>\n", "GOTO 9 <end>\n",
                "\n00000009 <end>:\n", "\n00000010 <lib>:\n");
    object_free(o);
}

static void source_lines(void **state) {
    (void)state;
    char path[] = "disasm_source_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("  NOP\r\n; nothing\n  HALT", f);
    fclose(f);
    struct object *o = assemble(path, "  NOP\r\n; nothing\n  HALT");
    ASSERT_DUMP(o, DISASM_TEXT | DISASM_SOURCE, ";   NOP\n       0: ", ";   HALT\n       1: ");
    assert_int_equal(remove(path), 0);
    struct str out =
        dump_of(o, DISASM_TEXT | DISASM_SOURCE); /* the file is gone: its lines' names */
    assert_null(strstr(out.text, ";   NOP"));
    assert_non_null(strstr(out.text, path));
    str_free(&out);
    object_free(o);
}

static void damaged_bytes_are_reported(void **state) {
    (void)state;
    struct object *o = assemble("a.s", source);
    struct diag *d = diag_new(NULL, NULL);
    struct str out = {0};
    disasm_dump(o, "x.o", "\177ELF", 4, DISASM_HEADERS | DISASM_CONTENTS, &out, d);
    assert_error(d, "the sections cannot be read");
    str_free(&out);
    diag_free(d);
    object_free(o);
}

/* No object that object_check accepts holds such a word, but a listing must survive it. */
static void illegal_words_are_shown(void **state) {
    (void)state;
    struct object *o = assemble("a.s", " NOP\n");
    o->text.data[0] = 0x0f000001;
    ASSERT_DUMP(o, DISASM_TEXT, "       0: 0f000001  .word 0x0f000001    ; ");
    struct diag *d = diag_new(NULL, NULL);
    struct str bytes = {0};
    object_write(o, &bytes);
    assert_null(object_read("x.o", bytes.text, bytes.len, d));
    assert_error(d, "instruction 0 (0x0f000001) is illegal");
    str_free(&bytes);
    diag_free(d);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_an_object),          cmocka_unit_test(tables_of_an_object),
        cmocka_unit_test(text_of_a_program),          cmocka_unit_test(source_lines),
        cmocka_unit_test(damaged_bytes_are_reported), cmocka_unit_test(illegal_words_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
