/* SPDX-License-Identifier: MIT
 * What directives, expressions, macros and conditions make. */
#include "support/file.h"
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct insn insn_at(const struct object *o, uint32_t index) {
    struct insn x;
    assert_true(index < o->text.len);
    assert_int_equal(isa_decode(o->text.data[index], &x), ISA_OK);
    return x;
}

/* Labels that a macro makes end no scope of its caller's: the example of docs/assembly.md between a
 * local label and its use, macros within macros, and one that gets a local label. */
static void macros_keep_scopes(void **state) {
    (void)state;
    struct object *o = assemble_well(".macro inner\ndeep\\@: NOP\n.endm\n"
                                     ".macro outer to\nwide\\@: NOP\ninner\n.in: JUMP_COND .in\n"
                                     "JUMP_COND \\to\n.endm\n"
                                     "main: NOP\n.x: NOP\nouter .y\nouter .x\nGOTO .x\n.y: NOP\n"
                                     "next: NOP\n.x: GOTO .x\nGOTO main.x\n");
    const int32_t wanted[] = {[4] = 4, [5] = 11, [8] = 8, [9] = 1, [10] = 1, [13] = 13, [14] = 1};
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i])
            assert_int_equal(insn_at(o, i).imm, wanted[i]);
    object_free(o);
    o = assemble_well(".macro begin name\n.sub \\name\n.endm\n.macro end\nRETURN\n.endsub\n.endm\n"
                      "begin one\n.x: GOTO .x\nend\nbegin two\n.x: GOTO .x\nend\n");
    assert_int_equal(insn_at(o, 2).imm, 2);
    object_free(o);
}

static void expressions(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"1 << 4 | 3", 19},
        {"~0", -1},
        {"!5", 0},
        {"!0 + 1", 2},
        {"10 - 3 - 2", 5},
        {"0x10 + 0b11 + 0o17", 34},
        {"'A'", 65},
        {"1_000", 1000},
        {"3 > 2 && 2 > 3", 0},
        {"1 == 1 || 1 / 0", 1}, /* what does not count is not evaluated */
        {"1 == 1 && 1 / 0", -99},
        {"0 || 1 / 0", -99},
        {"K - 42 != 0 && 100 / (K - 42) > 3", 0},
        {"K != 0 && 100 / K == 2", 1},
        {"defined(X) && X > 3", 0},
        {"!defined(X) || X > 3", 1},
        {"K - 42 ? 1 / (K - 42) : 5", 5},
        {"K ? 100 / K : 1 / 0", 2},
        {"K ? 1 ? 7 : 1 / 0 : X ? X : 1 % 0", 7},
        {"0 && (X || 1 << 99) || 6 == 6", 1},
        {"1 || 0 && min(1 / 0, size(nope)) - value(none[1 / 0, 2])", 1},
        {"0 && -nope", 0},
        {"0 && !(1 << -1)", 0},
        {"b > a", 1},
        {"b * 2", 4},
        {"-b", -2},
        {"b ? b : a", 2},
        {"5 > 3 ? 10 : 20", 10},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"6 & 3 == 3", 0},
        {"7 ^ 2", 5},
        {"-1 >> 1", -1},
        {"0xFFFFFFFFFFFFFFFF >> 60", 15},
        {"1 << 63 >> 60", 8},
        {"K * 2", 84},
        {"- -3", 3},
        {"+4", 4},
        {"b - a", 2},
        {".", 3},
        {"1 <= 1", 1},
        {"2 != 2", 0},
        {"(((((1)))))", 1},
        {"defined(K) + defined(nope)", 1},
        {"-0x7ff", -2047},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, ".equ K, 42\na: NOP\nNOP\nb: NOP\nLI %s r9\n", cases[i].text);
        if (cases[i].value == -99) {
            assert_null(assemble_text(text, NULL));
            continue;
        }
        struct object *o = assemble_well(text);
        if (insn_at(o, 3).imm != cases[i].value)
            fail_msg("%s is %d", cases[i].text, (int)insn_at(o, 3).imm);
        object_free(o);
    }
}

static const char tables[] = ".width 24\n"
                             ".geometry lanes=128 rfhs=4\n"
                             ".size n = 4096\n"
                             ".size m\n"
                             ".group g[n]\n"
                             ".group h[size(n), 4, 2 * 3] like g\n"
                             ".group f[64] at rfh3.VRF12\n"
                             ".var in x: i32 @g = r1\n"
                             ".var out y: u5[3] @ h r2\n"
                             ".var inout c: bool @f r9\n"
                             ".var in: u64 = r10\n"
                             ".var local t: i7 r63\n"
                             ".var in consumed e: u8 @g r12\n"
                             ".var in consumed: u8 r13\n"
                             ".data in = 0xFFFF_FFFF_FFFF_FFFF\n"
                             ".data c 1, dup(62, 0)\n"
                             ".data c 1\n"
                             ".data t -64\n"
                             ".mark \"one\"\n"
                             ".print \"x\\t\\\"\\x41\" r5:i9\n"
                             ".assert \"three\"\n"
                             ".mpu 0 main\n"
                             ".mpu 2..5, other\n"
                             ".mpu 6\n"
                             ".global main, LIMIT\n"
                             ".equ LIMIT -9\n"
                             "main: HALT\n"
                             "other: HALT\n";

static void check_tables(const struct object *o) {
    assert_int_equal(o->default_width, 24);
    assert_int_equal(o->geometry.lanes, 128);
    assert_int_equal(o->geometry.vrfs, 64);
    assert_int_equal(o->geometry.rfhs, 4);
    assert_int_equal(o->sizes.len, 2);
    assert_int_equal(o->sizes.data[0].value, 4096);
    assert_false(o->sizes.data[1].has_default);
    assert_int_equal(o->groups.len, 3);
    assert_int_equal(o->groups.data[1].like, 0);
    assert_int_equal(o->groups.data[1].ndim, 3);
    assert_int_equal(o->groups.data[1].extent[0].size, 0);
    assert_int_equal(o->groups.data[1].extent[2].value, 6);
    assert_int_equal(o->groups.data[2].at_rfh, 3);
    assert_int_equal(o->groups.data[2].at_vrf, 12);
}

static void check_variables(const struct object *o) {
    assert_int_equal(o->vars.len, 7);
    assert_int_equal(o->vars.data[0].direction, VAR_IN);
    assert_int_equal(o->vars.data[1].count, 3);
    assert_true(o->vars.data[1].has_k);
    assert_int_equal(o->vars.data[1].group, 1);
    assert_int_equal(o->vars.data[2].direction, VAR_IN | VAR_OUT);
    assert_string_equal(o->vars.data[3].name, "in");
    assert_int_equal(o->vars.data[3].group, NO_INDEX);
    assert_int_equal(o->vars.data[3].place.line, 11);
    assert_int_equal(o->vars.data[4].reg, 63);
    assert_int_equal(o->vars.data[5].direction, VAR_IN | VAR_CONSUMED);
    assert_string_equal(o->vars.data[6].name, "consumed");
    assert_int_equal(o->vars.data[6].direction, VAR_IN);
    assert_int_equal(o->data.len, 3);
    assert_int_equal(o->data.data[0].variable, 2);
    assert_int_equal(o->data.data[0].count, 64);
    assert_int_equal(o->data.data[0].values[63], 1);
    assert_true(o->data.data[1].values[0] == UINT64_MAX);
    assert_int_equal((int64_t)o->data.data[2].values[0], -64);
}

static void tables_of_an_object(void **state) {
    (void)state;
    struct object *o = assemble_well(tables);
    check_tables(o);
    check_variables(o);
    assert_int_equal(o->debugs.len, 3);
    assert_string_equal(o->debugs.data[1].text, "x\t\"A");
    assert_int_equal(o->debugs.data[1].type.bits, 9);
    assert_int_equal(o->entries.len, 3);
    assert_int_equal(o->entries.data[1].first_mpu, 2);
    assert_int_equal(o->entries.data[1].mpu_count, 4);
    assert_int_equal(o->entries.data[2].symbol, NO_INDEX);
    const struct symbol *limit = &o->symbols.data[object_find_symbol(o, "LIMIT")];
    assert_int_equal(limit->kind, SYMBOL_ABS);
    assert_int_equal(limit->value, -9);
    assert_true(o->symbols.data[object_find_symbol(o, "main")].global);
    assert_false(o->symbols.data[object_find_symbol(o, "other")].global);
    object_free(o);
}

static void jumps_by_number_or_label(void **state) {
    (void)state;
    struct object *o = assemble_well("NOP\nGOTO 2\nGOTO 3\nGOTO . - 3\nGOTO far - 1\nfar: NOP\n");
    assert_int_equal(insn_at(o, 1).imm, 2);
    assert_int_equal(insn_at(o, 2).imm, 3);
    assert_int_equal(insn_at(o, 3).imm, 0);
    assert_int_equal(insn_at(o, 4).imm, 4);
    object_free(o);
    o = assemble_well("a: NOP\n.x: NOP\n$q: GOTO .x\n5: GOTO .x\n"); /* $q and 5 are no scope */
    assert_int_equal(insn_at(o, 2).imm, 1);
    assert_int_equal(insn_at(o, 3).imm, 1);
    object_free(o);
    o = assemble_well("7: NOP\nGOTO 011\nGOTO 7\n11: NOP\n"); /* numeric labels: 11 is label 11 */
    assert_int_equal(insn_at(o, 1).imm, 3);
    assert_int_equal(insn_at(o, 2).imm, 0);
    object_free(o);
}

static void local_labels(void **state) {
    (void)state;
    struct object *o = assemble_well("a: NOP\n.x: GOTO .x\nb: NOP\n.x: GOTO .x\nGOTO a.x\n"
                                     ".sub s\n.x: GOTO .x\n.endsub\n");
    assert_int_equal(insn_at(o, 1).imm, 1);
    assert_int_equal(insn_at(o, 3).imm, 3);
    assert_int_equal(insn_at(o, 4).imm, 1);
    assert_int_equal(insn_at(o, 5).imm, 5);
    const struct symbol *s = &o->symbols.data[object_find_symbol(o, "s")];
    assert_int_equal(s->kind, SYMBOL_SUB);
    assert_int_equal(s->length, 1);
    object_free(o);
}

static void macros(void **state) {
    (void)state;
    struct object *o = assemble_well(
        ".macro twice op, a, b = r7\n"
        "l\\@: \\op \\a \\b\n"
        "  \\op.8 \\b, \\a\n"
        "  GOTO l\\@\n"
        ".endm\n"
        "twice INC r1\n"
        "twice INC, r1, r2 ; comment\n"
        ".macro outer n\n.if \\n\nouter (\\n - 1)\n.else\nNOP\n.endif\nLI \\n r1\\()2\n.endm\n"
        "outer 3\n"
        ".macro text s\nMARK \\s\n.endm\n"
        "text \"a, b\"\n");
    assert_int_equal(o->text.len, 6 + 1 + 4 + 1);
    assert_int_equal(insn_at(o, 0).rd, 7);
    assert_int_equal(insn_at(o, 2).imm, 0);
    assert_int_equal(insn_at(o, 3).rd, 2);
    assert_int_equal(insn_at(o, 5).imm, 3);
    assert_string_equal(o->debugs.data[0].text, "a, b");
    object_free(o);
}

static void macro_with_expression_arguments(void **state) {
    (void)state;
    struct object *o = assemble_well(".macro outer n\n.if \\n > 0\nouter (\\n - 1)\n.endif\n"
                                     "LI \\n r1\n.endm\nouter 3\n");
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(insn_at(o, i).imm, i);
    object_free(o);
}

static void repetition_and_conditions(void **state) {
    (void)state;
    struct object *o =
        assemble_well(".set i 0\n.rept 4\n.if i % 2\nLI i r1\n.elif i == 2\nNOP\n"
                      ".else\nHALT\n.endif\n.set i i + 1\n.endr\n"
                      ".ifdef i\nNOP\n.endif\n.ifndef i\nHALT\n.endif\n"
                      ".if 0\n\" ' unclosed ( $%&\n.if 1\n.endif\nnonsense\n.endif\n");
    const enum isa_op ops[] = {OP_HALT, OP_LI, OP_NOP, OP_LI, OP_NOP};
    assert_int_equal(o->text.len, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(insn_at(o, i).op, ops[i]);
    assert_int_equal(insn_at(o, 3).imm, 3);
    object_free(o);
}

static void relocations(void **state) {
    (void)state;
    struct object *o = assemble_well(".size n\n.group g[n]\n.global ext\n"
                                     "COMPUTEG @g\nLI size(n) r1\nLIK1 size(n) - 1 r1\n"
                                     "MARK \"m\"\nCOMPUTE_DONE\nREPEAT size(n) + 2\nJUMP ext + 1\n"
                                     "REPEAT_END\n");
    static const struct {
        uint32_t index;
        enum reloc_type type;
        int64_t addend;
    } want[] = {{0, RELOC_GROUP, 0}, {1, RELOC_IMM12, 0}, {2, RELOC_IMM12, -1},
                {3, RELOC_DEBUG, 0}, {5, RELOC_COUNT, 2}, {6, RELOC_J24, 1}};
    assert_int_equal(o->relocs.len, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(o->relocs.data[i].index, want[i].index);
        assert_int_equal(o->relocs.data[i].type, want[i].type);
        assert_int_equal(o->relocs.data[i].addend, want[i].addend);
    }
    assert_int_equal(o->relocs.data[2].piece, 1);
    assert_false(o->symbols.data[o->relocs.data[5].target].defined);
    object_free(o);
}

static void messages_to_mpus(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned mode;
        int imm;
    } cases[] = {{"MPU4", 0, 4},
                 {"mpu+3", 1, 3},
                 {"MPU-2", 1, -2},
                 {"MPU-2 wrap", 2, -2},
                 {"MPU(1,-1)", 3, 1 << 11 | 0x7ff},
                 {"MPU (-1024, 1023)", 3, 0x400 << 11 | 1023}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "RECV %s\n", cases[i].text);
        struct object *o = assemble_well(text);
        assert_int_equal(insn_at(o, 0).mode, cases[i].mode);
        assert_int_equal(insn_at(o, 0).imm, cases[i].imm);
        object_free(o);
    }
}

/* Given places stand in the object as if the text had been there. */
static void given_places(void **state) {
    (void)state;
    struct object *o = assemble_well(".source \"a.ez\"\n.file \"lib/a.ez\"\n.loc 7 3\nNOP\nNOP\n"
                                     ".loc 9\nx: NOP\n.loc 0\nNOP\n");
    assert_string_equal(o->source, "a.ez");
    assert_int_equal(o->files.len, 1);
    assert_int_equal(object_place(o, 1).line, 7);
    assert_int_equal(object_place(o, 1).column, 3);
    assert_int_equal(object_place(o, 2).line, 9);
    assert_int_equal(object_place(o, 3).file, NO_INDEX);
    assert_int_equal(o->symbols.data[0].place.line, 9);
    object_free(o);
}

/* Lines of expansions are those of their use. */
static void lines_of_expansions(void **state) {
    (void)state;
    struct object *o = assemble_well(".macro f\nNOP\nNOP\n.endm\n\n  f\nNOP\n");
    assert_int_equal(object_place(o, 0).line, 6);
    assert_int_equal(object_place(o, 0).column, 3);
    assert_int_equal(object_place(o, 1).line, 6);
    assert_int_equal(object_place(o, 2).line, 7);
    object_free(o);
}

/* The example of the MPU paper, section V, Fig. 6, as printed. */
static void figure_6_verbatim(void **state) {
    (void)state;
    size_t size;
    char *text = file_read(MPU_SOURCE_DIR "/examples/fig6.s", &size);
    assert_non_null(text);
    struct object *o = assemble_well(text);
    const enum isa_op ops[] = {
        OP_COMPUTE, OP_COMPUTE,   OP_COMPUTE,     OP_ADD,       OP_SUB,       OP_COMPUTE_DONE,
        OP_MOVE,    OP_MOVE,      OP_MEMCPY_64,   OP_MEMCPY_64, OP_MOVE_DONE, OP_SEND,
        OP_MOVE,    OP_MEMCPY_64, OP_MEMCPY_64,   OP_MOVE_DONE, OP_SEND_DONE, OP_COMPUTE,
        OP_MUL,     OP_MAC,       OP_COMPUTE_DONE};
    assert_int_equal(o->text.len, 21);
    for (uint32_t i = 0; i < 21; i++)
        assert_int_equal(insn_at(o, i).op, ops[i]);
    assert_int_equal(insn_at(o, 14).vrf_src, 1);
    assert_int_equal(insn_at(o, 14).vrf_dst, 2);
    assert_int_equal(insn_at(o, 11).imm, 4);
    assert_int_equal(o->symbols.data[object_find_symbol(o, "21")].value, 16);
    object_free(o);
    free(text);
}

static void listing_shows_words(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct str listing = {0};
    const struct asm_options options = {.listing = &listing};
    const char *text = "// first\nNOP\n.rept 2\nHALT\n.endr\nGOTO end\nend:\n";
    struct object *o = asm_assemble("t.s", text, strlen(text), &options, d);
    assert_non_null(o);
    assert_non_null(strstr(listing.text, "       0  01000000      2  NOP\n"));
    assert_non_null(strstr(listing.text, "       2  02000000      2+  HALT\n"));
    assert_non_null(strstr(listing.text, "       3  12000004      6  GOTO end\n"));
    assert_false(o->debug_lines); /* lines are known, for messages, but not written */
    assert_int_equal(o->lines.len, 3);
    object_free(o);
    str_free(&listing);
    diag_free(d);
}

/* The same text gives the same bytes, and what is written can be read. */
static void objects_survive_the_file(void **state) {
    (void)state;
    struct str first = {0}, second = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct object *a = assemble_well(tables), *b = assemble_well(tables);
    object_write(a, &first);
    object_write(b, &second);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.text, second.text, first.len);
    struct object *back = object_read("t.o", first.text, first.len, d);
    assert_non_null(back);
    check_tables(back);
    check_variables(back);
    object_free(a);
    object_free(b);
    object_free(back);
    str_free(&first);
    str_free(&second);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),
        cmocka_unit_test(macros_keep_scopes),
        cmocka_unit_test(tables_of_an_object),
        cmocka_unit_test(jumps_by_number_or_label),
        cmocka_unit_test(local_labels),
        cmocka_unit_test(macros),
        cmocka_unit_test(macro_with_expression_arguments),
        cmocka_unit_test(repetition_and_conditions),
        cmocka_unit_test(relocations),
        cmocka_unit_test(messages_to_mpus),
        cmocka_unit_test(given_places),
        cmocka_unit_test(lines_of_expansions),
        cmocka_unit_test(figure_6_verbatim),
        cmocka_unit_test(listing_shows_words),
        cmocka_unit_test(objects_survive_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
