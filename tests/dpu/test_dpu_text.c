/* SPDX-License-Identifier: MIT
 * The DPU's assembly and files: every form through text, sections and expressions, what is refused
 * and where, programs to files and back, damaged files. */
#include "machines/core/dpu/dpu.h"
#include "object/bytes.h"
#include "tests/dpu/words.h"
#include "tests/draws.h"

#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

static uint64_t random_bits(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 16;
}
static int64_t any_value(const struct dpu_operand *o, uint64_t *seed) {
    for (;;) {
        uint64_t r = random_bits(seed);
        int64_t span = o->most - o->least + 1;
        int64_t v = r % 4 == 0   ? o->least
                    : r % 4 == 1 ? o->most
                                 : o->least + (int64_t)(random_bits(seed) % (uint64_t)span);
        if (dpu_value_fits(o, v))
            return v;
        v = o->least + (int64_t)(random_bits(seed) % (uint64_t)span);
        if (dpu_value_fits(o, v))
            return v;
    }
}

static struct dpu_program *assemble(const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("test.s", text, strlen(text), d);
    if (!p)
        print_error("%s\n", diag_first(d));
    diag_free(d);
    return p;
}

/* ---- forms ---- */

/* All forms in one program: text of words, words of text. */
static void every_form_comes_back_through_text(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int lap = 0; lap < 8; lap++) {
        struct str text = {0};
        VEC(uint64_t) words = {0};
        for (uint32_t form = 0; form < dpu_form_count(); form++) {
            struct dpu_form f;
            struct dpu_insn insn = {.form = form};
            uint64_t word;
            dpu_form_get(form, &f);
            for (uint32_t i = 0; i < f.count; i++)
                insn.values[i] = any_value(f.operands[i], &seed);
            assert_true(dpu_encode(&insn, &word));
            vec_push(&words, word);
            dpu_print(&insn, &text);
            str_char(&text, '\n');
        }
        struct dpu_program *p = assemble(text.text);
        assert_non_null(p);
        assert_int_equal(p->words.len, words.len);
        for (size_t i = 0; i < words.len; i++) {
            struct dpu_form f;
            dpu_form_get((uint32_t)i, &f);
            if (p->words.data[i] != words.data[i])
                print_error("%s: %012" PRIx64 " became %012" PRIx64 "\n", f.name, words.data[i],
                            p->words.data[i]);
            assert_int_equal(p->words.data[i], words.data[i]);
        }
        dpu_program_free(p);
        vec_free(&words);
        str_free(&text);
    }
}

static void words_of_texts_of_upmem(void **state) {
    (void)state;
    for (size_t i = 0; i < DPU_WORDS; i++) {
        struct dpu_program *p = assemble(dpu_words[i].text);
        assert_non_null(p);
        assert_int_equal(p->words.data[0], dpu_words[i].word);
        dpu_program_free(p);
    }
}

/* ---- sections, labels, expressions ---- */

static const char example[] = "// what a program has\n"
                              "    .text\n"
                              "    .globl main\n"
                              "    .type main, @function\n"
                              "main:\n"
                              "    jnz id, work            /* tasklet 0 alone\n"
                              "                               goes on */\n"
                              "    acquire zero, lock, nz, .\n"
                              "    release zero, lock, nz, . + 1; move r0, table + 4\n"
                              "work: lw r1, zero, count\n"
                              "    call r23, end - 1\n"
                              "    move r2, heap\n"
                              "    stop true, .\n"
                              "end:\n"
                              "    .size main, . - main\n"
                              "    .set N, (1 << 4) | 3   # 19\n"
                              "    .globl N\n"
                              "    .data\n"
                              "    .byte 1, 'x', -1\n"
                              "    .balign 4\n"
                              "    .globl table\n"
                              "    .type table, @object\n"
                              "table: .word 7, work, table\n"
                              "    .size table, . - table\n"
                              "text: .asciz \"a;b\\n\\\"//\\101\"\n"
                              "    .section .dpu_host\n"
                              "count: .quad -2\n"
                              "    .bss\n"
                              "    .skip 4\n"
                              "room: .space N * 2\n"
                              "    .section .mram.noinit, \"aw\", @nobits\n"
                              "heap: .zero 16\n"
                              "    .section .atomic\n"
                              "    .space 200\n"
                              "lock: .space 1\n";

static const struct dpu_section *section(const struct dpu_program *p, const char *name) {
    for (size_t i = 0; i < p->sections.len; i++)
        if (strcmp(p->sections.data[i].name, name) == 0)
            return &p->sections.data[i];
    fail_msg("no section %s", name);
    return NULL;
}
static void check_symbol(const struct dpu_program *p, const char *name, uint32_t value,
                         uint32_t size, enum dpu_space space) {
    const struct dpu_symbol *s = dpu_program_symbol(p, name);
    assert_non_null(s);
    assert_int_equal(s->value, value);
    assert_int_equal(s->size, size);
    assert_int_equal(s->space, space);
}
static void check_text(uint64_t word, const char *text) {
    struct str out = {0};
    struct dpu_insn insn;
    assert_true(dpu_decode(word, true, &insn));
    dpu_print(&insn, &out);
    assert_string_equal(out.text, text);
    str_free(&out);
}
static void check_example(const struct dpu_program *p) {
    static const char *const code[] = {"jnz id, 4",
                                       "acquire zero, 200, nz, 1",
                                       "release zero, 200, nz, 3",
                                       "move r0, 8",
                                       "lw r1, zero, 32",
                                       "call r23, 7",
                                       "move r2, 134217728",
                                       "stop true, 7"};
    assert_int_equal(p->words.len, 8);
    for (size_t i = 0; i < 8; i++)
        check_text(p->words.data[i], code[i]);
    check_symbol(p, "main", DPU_AT_TEXT, 64, DPU_IN_TEXT);
    check_symbol(p, "work", DPU_AT_TEXT + 32, 0, DPU_IN_TEXT);
    check_symbol(p, "end", DPU_AT_TEXT + 64, 0, DPU_IN_TEXT);
    check_symbol(p, "N", 19, 0, DPU_IN_NOTHING);
    check_symbol(p, "table", 4, 12, DPU_IN_WRAM);
    check_symbol(p, "count", 32, 0, DPU_IN_WRAM);
    check_symbol(p, "room", 44, 0, DPU_IN_WRAM);
    check_symbol(p, "heap", DPU_AT_MRAM, 0, DPU_IN_MRAM);
    check_symbol(p, "lock", DPU_AT_ATOMIC + 200, 0, DPU_IN_ATOMIC);
    assert_true(dpu_program_symbol(p, "table")->object && dpu_program_symbol(p, "table")->global);
    assert_true(dpu_program_symbol(p, "main")->function);
    assert_false(dpu_program_symbol(p, "work")->global);
    static const char data[] = "\1x\xff\0\7\0\0\0\4\0\0\0\4\0\0\0a;b\n\"//A";
    const struct dpu_section *s = section(p, ".data");
    assert_int_equal(s->size, sizeof data);
    assert_memory_equal(s->bytes.text, data, sizeof data);
    assert_int_equal(section(p, ".bss")->address, 40);
    assert_int_equal(section(p, ".bss")->size, 42);
    assert_int_equal(section(p, ".bss")->bytes.len, 0);
    assert_int_equal(section(p, ".atomic")->size, 201);
}
static void sections_labels_expressions(void **state) {
    (void)state;
    struct dpu_program *p = assemble(example);
    assert_non_null(p);
    check_example(p);
    dpu_program_free(p);
}

/* ---- what is refused, and where ---- */

static const struct {
    const char *text, *message;
} refused[] = {
    {"add r0, r1, 5, z\n  ad r0, r1, r2", "test.s:2:3: unknown instruction 'ad'"},
    {"add r0, r1", "test.s:1:1: no form of 'add' has 2 operands"},
    {"add r0, r1, 128, nz, 3", "test.s:1:13: 128 does not fit: -128 to 127"},
    {"add r0, r24, 1", "test.s:1:9: no form of 'add' takes 'r24' here with the other operands"},
    {"ld r0, r1, 0", "test.s:1:4: no form of 'ld' takes 'r0' here with the other operands"},
    {"ld d1, r1, 0", "test.s:1:4: no form of 'ld' takes 'd1' here with the other operands"},
    {"add r0, r1, r2, small, 4",
     "test.s:1:17: no form of 'add' takes 'small' here with the other operands"},
    {"jump nowhere", "test.s:1:6: 'nowhere' is not defined"},
    {"jump 1 +", "test.s:1:9: a number or a name is expected here"},
    {"jump (1", "test.s:1:6: this parenthesis has no end"},
    {"jump 1 / 0", "test.s:1:8: division by zero"},
    {"jump 09x", "test.s:1:6: '09x' is no number"},
    {"x: nop\nx: nop", "test.s:2:1: 'x' is defined already"},
    {"nop\none: jump one",
     "test.s:2:1: 'one' is a register: instructions would not take it as a name"},
    {".set id4, 3", "test.s:1:6: 'id4' is a register: instructions would not take it as a name"},
    {"nop\n.data\nnop", "test.s:3:1: instructions belong into .text"},
    {".word 1", "test.s:1:1: code is instructions alone; .data has data"},
    {"nop\n.dat", "test.s:2:1: unknown directive '.dat'"},
    {"nop\n.section .debug",
     "test.s:2:10: sections are .text, .data, .rodata, .bss, .dpu_host, .mram, "
     ".atomic, and these with a point and more behind"},
    {"nop\n.data\n.byte 256", "test.s:3:7: 256 has no room in 1 byte"},
    {"nop\n.data\n.space x\nx:", "test.s:3:8: this number has to be known here already"},
    {"nop\n.data\n.balign 3", "test.s:3:9: alignment is to a power of two, 65536 at most"},
    {"nop\n.data\n.ascii x", "test.s:3:8: a string in quotes is expected here"},
    {"nop\n.data\n.ascii \"x", "test.s:3:8: a string in quotes is expected here"},
    {"nop\n.bss\n.byte 1", "test.s:3:7: section '.bss' has zeros alone"},
    {"nop\n.data\n.space 65537",
     "test.s:1:1: section '.data' of 0x10001 bytes at 0x0 lies outside of its memory"},
    {"nop /* no end", "test.s:1:5: this comment has no end"},
    {"nop 5", "test.s:1:1: no form of 'nop' has 1 operand"},
    {"move r0, 1 2", "test.s:1:12: this is no part of an expression"},
    {".data", "test.s:1:1: the program has no instructions"},
    {"1: jump 1b\n jump 1f", "test.s:2:7: '1f' is not defined"},
    {"jump 3b\n3: nop", "test.s:1:6: '3b' is not defined"},
    {"nop\n.comm x", "test.s:2:8: ',' is expected here"},
    {"x: nop\n.comm x, 4", "test.s:2:7: 'x' is defined already"},
    {"nop\n.comm x, 4, 3", "test.s:2:7: alignment is to a power of two, 65536 at most"},
    {"nop\n.data\n.fill 1, 9",
     "test.s:3:7: values are of 0 to 8 bytes, as many as a memory has room for"},
    {"nop\n.section \"x", "test.s:2:11: .section takes a name"},
    {"move r0, 'x", "test.s:1:10: a character stands as 'c'"},
    {"x == 3", "test.s:1:1: unknown instruction 'x'"},
    {"sb zero, 3, 256", "test.s:1:13: 256 does not fit: -128 to 255"},
    {"+", "test.s:1:1: an instruction or a directive is expected here"},
    {"nop\n.macro f a\nadd r0, \\a, 1\n", "test.s:2:1: a line '.endm' is missing behind this"},
    {"nop\n.rept 2\nnop\n", "test.s:2:1: a line '.endr' is missing behind this"},
    {"nop\n.rept 70000\nnop\n.endr", "test.s:2:1: a text is repeated 0 to 65536 times"},
    {"nop\n.rept x\nnop\n.endr\nx:", "test.s:2:7: this number has to be known here already"},
    {"nop\n.if 1\nnop", "test.s:2:1: this condition is not closed"},
    {"nop\n.endif", "test.s:2:1: there is no .if in this text that this belongs to"},
    {"nop\n.if 0\n.else\n.else\n.endif",
     "test.s:4:1: there is no .if in this text that this belongs to"},
    {".macro f\n.endif\n.endm\n.if 1\n f\n.endif\nnop",
     "test.s:5:1: there is no .if in this text that this belongs to"},
    {".macro f a\nadd r0, \\a, 1\n.endm\n f\n",
     "test.s:4:2: parameter 'a' of macro 'f' is missing"},
    {".macro f a\nadd r0, \\a, 1\n.endm\n f r1, r2\n",
     "test.s:4:3: macro 'f' has 1 parameter, not 2"},
    {".macro f a\nadd r0, \\a, 1\n.endm\nnop\n f 5\n",
     "test.s:5:1: no form of 'add' takes '5' here with the other operands"},
    {".macro f\n f\n.endm\n f\n nop",
     "test.s:4:1: 'f' makes the program too large, or is within itself"},
    {".include \"x.s\"\nnop", "test.s:1:1: a kernel's text is whole: mpu-as includes files"},
    {".ifdef\n.endif\nnop", "test.s:1:7: a name is expected here"},
    {".irp\nnop\n.endr", "test.s:1:1: .irp takes a name, and what it stands for"},
    {"call r23, mutex_lock\nmutex_unlock: nop",
     "<runtime>/mutex.s:10:1: 'mutex_unlock' is defined already"},
};
static void errors_say_where_and_what(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct diag *d = diag_new(NULL, NULL);
        assert_null(dpu_assemble("test.s", refused[i].text, strlen(refused[i].text), d));
        assert_string_equal(diag_first(d), refused[i].message);
        diag_free(d);
    }
}
/* Macros, conditions, repetitions, modules of the library. */
static const char expanded[] =
    ".macro m a b=2\n.if \\a > 0\nm (\\a - 1), 7\n.elif \\b == 7\nnop\n.else\nadd r0, r0, \\b\n"
    ".endif\n.endm\nm 3\n.rept 3\n.irp x, 1, 2, r3\nadd r1, r2, \\x\n.endr\n.endr\n"
    ".ifdef N\n.set N, 3\n.else\n.set N, 4\n.endif\n.ifndef N\n nop\n.endif\n"
    "call r23, mutex_lock\nmove r0, __sys_heap_begin\n.set NR_TASKLETS, 3\n"
    "jump __bootstrap\nmain: call r23, barrier_wait; call r23, __addsf3\n";
/* Two texts of the same program. */
static void same_program(const char *text, const char *plain) {
    struct dpu_program *p = assemble(text), *q = assemble(plain);
    assert_true(p && q);
    assert_int_equal(p->words.len, q->words.len);
    for (size_t i = 0; i < p->words.len; i++)
        if (p->words.data[i] != q->words.data[i])
            fail_msg("word %zu: %012" PRIx64 ", not %012" PRIx64, i, p->words.data[i],
                     q->words.data[i]);
    dpu_program_free(p);
    dpu_program_free(q);
}
static void macros_and_conditions(void **state) {
    (void)state;
    dpu_program_free(assemble(expanded));
    same_program(
        ".macro twice op, reg, by=1\n \\op \\reg, \\reg, \\by\n\\op \\reg, \\reg, \\by\n.endm\n"
        "twice add, r1\n twice sub r2 r3\n",
        "add r1, r1, 1\nadd r1, r1, 1\nsub r2, r2, r3\nsub r2, r2, r3\n");
    same_program(".macro lap n\n.Llap\\@: add r0, r0, -1, nz, .Llap\\@\n.if \\n\nlap (\\n - 1)\n"
                 ".endif\n.endm\nlap 2\n",
                 "add r0, r0, -1, nz, 0\nadd r0, r0, -1, nz, 1\nadd r0, r0, -1, nz, 2\n");
    /* Statements of the lines that begin and end such a text. */
    same_program(".rept 2; nop\nmove r0, 1\n.endr; stop\n.rept 3 ; .endr\n"
                 ".macro m r; nop\nmove \\r, 2\n.endm ; move r3, 3\n.irp x, r1; m \\x\n.endr; m r2",
                 "nop;move r0, 1;nop;move r0, 1;stop;move r3, 3;nop;move r1, 2;nop;move r2, 2");
    same_program(".set i, 0\n.rept 3\n move r0, i\n.set i, i + 1\n.rept 2\nnop\n.endr\n.endr\n",
                 "move r0, 0\nnop;nop\nmove r0, 1\nnop;nop\nmove r0, 2\nnop;nop\n");
    same_program(".irp r, r1, r2\n.irp s, 1, 2\n add \\r, \\r, \\s\n.endr\n.endr\n",
                 "add r1, r1, 1\nadd r1, r1, 2\nadd r2, r2, 1\nadd r2, r2, 2\n");
    same_program(".ifdef late\nnop\n.else\nmove r1, 1\n.endif\n.set late, 1\n.ifdef late\n"
                 "move r2, 2\n.endif\n.ifndef late\n.if 1\n nonsense (\n.else\n.endif\n.endif\n"
                 ".if 0\nnop\n.elif late - 1\nnop\n.elif late\nmove r3, 3\n.else\nnop\n.endif\n",
                 "move r1, 1\nmove r2, 2\nmove r3, 3\n");
    same_program("move r0, 3 < 4 && 2 >= 3 || 1 << 2 == 4\nmove r1, (1 != 1) | (2 > 1) + (4 <= 3)\n"
                 "move r2, 8 >> 1 & 6 == 6",
                 "move r0, 1\nmove r1, 1\nmove r2, 0\n");
    /* What compilers write, and people who know GNU's assembler. */
    same_program("1: add r0, r0, -1\n jneq r0, 0, 1b\n jump 1f\n2: nop\n1: 0: jump 2b\n jump 0b\n"
                 ".rept 2\n1: jump 1b\n jump 1f\n1:\n.endr\nmove r0, 0b11; move r1, 1b + 1",
                 "a: add r0, r0, -1\n jneq r0, 0, a\n jump c\nb: nop\nc: jump b\n jump c\n"
                 "jump .\n jump . + 1\njump .\n jump . + 1\nmove r0, 3; move r1, 11");
    same_program("N = 5\n K= N + 1\nmove r0, K\nN =7\nmove r1, N\nmove r2, '\\n'\nmove r3, '\\7'",
                 "move r0, 6\nmove r1, 7\nmove r2, 10\nmove r3, 7");
    same_program(
        ".section \".text.main\",\"ax\",@progbits\nnop\n.section .stack_sizes,\"o\",@progbits,"
        ".text.main\n.uleb128 24\nx: frob\n.text\nx: stop\n.weak x\n.hidden x\n.addrsig\n"
        ".addrsig_sym x\n.section \".note.GNU-stack\",\"\",@progbits\n",
        "nop\nstop");
    struct dpu_program *common =
        assemble("nop\n.lcomm a, 3\n.comm b, 16, 32\n.data\n.fill 2, 2, 0x102\n.fill 3\n");
    assert_non_null(common);
    const struct dpu_section *data = section(common, ".data");
    assert_int_equal(data->size, 7);
    assert_memory_equal(data->bytes.text, "\2\1\2\1\0\0\0", 7);
    assert_int_equal(section(common, ".bss")->size, 48);
    for (size_t i = 0; i < common->symbols.len; i++) {
        const struct dpu_symbol *s = &common->symbols.data[i];
        const bool b = strcmp(s->name, "b") == 0;
        assert_int_equal(s->global, b);
        assert_true(s->object);
        assert_int_equal(s->size, b ? 16 : 3);
        assert_int_equal(s->value, section(common, ".bss")->address + (b ? 32 : 0));
    }
    dpu_program_free(common);
    /* Lines are those in which a text is used. */
    struct dpu_program *p =
        assemble(".macro two\nnop\nnop\n.endm\n\ntwo\nnop\n call r23, mutex_lock\n");
    static const uint32_t lines[] = {6, 6, 7, 8, 0, 0};
    assert_true(p->lines.len > 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(p->lines.data[i], lines[i]);
    dpu_program_free(p);
}
static void too_many_instructions(void **state) {
    (void)state;
    struct str text = {0};
    for (int i = 0; i < 4097; i++)
        str_append(&text, "nop\n");
    struct diag *d = diag_new(NULL, NULL);
    assert_null(dpu_assemble("test.s", text.text, text.len, d));
    assert_string_equal(diag_first(d), "test.s:4097:1: more than 4096 instructions");
    diag_free(d);
    str_free(&text);
}
/* Texts with bytes changed end in a program or a message. */
static void damaged_texts_are_read(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (unsigned lap = 0; lap < draws(DRAWS_DPU_DAMAGED); lap++) {
        char text[sizeof example + sizeof expanded];
        const size_t size = lap % 2 ? sizeof expanded : sizeof example;
        memcpy(text, lap % 2 ? expanded : example, size);
        for (int i = 0; i < 3; i++) {
            static const char other[] = "r0,.:;\"'(+-/*\n#@ 9z\\";
            text[random_bits(&seed) % (size - 1)] = other[random_bits(&seed) % (sizeof other - 1)];
        }
        struct diag *d = diag_new(NULL, NULL);
        struct dpu_program *p = dpu_assemble("test.s", text, size - 1, d);
        assert_true(p || diag_errors(d));
        dpu_program_free(p);
        diag_free(d);
    }
}

/* ---- files ---- */

static void programs_come_back_from_files(void **state) {
    (void)state;
    struct dpu_program *p = assemble(example);
    for (int plain = 0; plain < 2; plain++) {
        struct str file = {0}, text = {0}, again = {0};
        dpu_program_write(p, &file);
        assert_true(dpu_is_program(file.text, file.len));
        struct diag *d = diag_new(NULL, NULL);
        struct dpu_program *q = dpu_program_read("x.elf", file.text, file.len, d);
        assert_non_null(q);
        diag_free(d);
        check_example(q);
        dpu_disassemble(q, plain, &text);
        struct dpu_program *r = assemble(text.text);
        assert_non_null(r);
        check_example(r);
        dpu_disassemble(r, plain, &again);
        assert_string_equal(text.text, again.text);
        dpu_program_free(q);
        dpu_program_free(r);
        str_free(&file);
        str_free(&text);
        str_free(&again);
    }
    dpu_program_free(p);
}

static void put(struct str *file, size_t at, uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        file->text[at + i] = (char)(value >> 8 * i & 255);
}
static void refuse(const struct str *file, const char *message) {
    struct diag *d = diag_new(NULL, NULL);
    assert_null(dpu_program_read("x.elf", file->text, file->len, d));
    assert_string_equal(diag_first(d), message);
    diag_free(d);
}
#define FIELD(type, field) (uint32_t) offsetof(type, field), (unsigned)sizeof(((type *)0)->field)
static const struct {
    uint32_t at;
    unsigned bytes;
    uint32_t value;
    const char *message;
} headers[] = {
    {FIELD(Elf32_Ehdr, e_ident[EI_MAG0]), 0, "x.elf: this is no ELF file"},
    {FIELD(Elf32_Ehdr, e_ident[EI_CLASS]), 2, "x.elf: this is no little-endian ELF32 file"},
    {FIELD(Elf32_Ehdr, e_ident[EI_DATA]), 2, "x.elf: this is no little-endian ELF32 file"},
    {FIELD(Elf32_Ehdr, e_ident[EI_VERSION]), 0, "x.elf: this is no little-endian ELF32 file"},
    {FIELD(Elf32_Ehdr, e_type), ET_REL, "x.elf: the program is not linked"},
    {FIELD(Elf32_Ehdr, e_type), ET_CORE, "x.elf: this ELF file is no program"},
    {FIELD(Elf32_Ehdr, e_machine), 62,
     "x.elf: this ELF file is for machine 0x3e, not for a DPU (0xf5)"},
    {FIELD(Elf32_Ehdr, e_version), 2, "x.elf: unknown version 2 of ELF"},
    {FIELD(Elf32_Ehdr, e_entry), 0, "x.elf: the program begins at 0x0, and a DPU at 0x80000000"},
    {FIELD(Elf32_Ehdr, e_ehsize), 64, "x.elf: headers of an unknown size"},
    {FIELD(Elf32_Ehdr, e_shentsize), 64, "x.elf: headers of an unknown size"},
    {FIELD(Elf32_Ehdr, e_shnum), 0, "x.elf: 0 sections, and there may be 1 to 1024"},
    {FIELD(Elf32_Ehdr, e_shnum), 1000, "x.elf: the section headers lie outside of the file"},
    {FIELD(Elf32_Ehdr, e_shoff), 0xfffffff0, "x.elf: the section headers lie outside of the file"},
    {FIELD(Elf32_Ehdr, e_shstrndx), 200,
     "x.elf: names of sections are in section 200, which does not exist"},
    {FIELD(Elf32_Ehdr, e_shstrndx), 1,
     "x.elf: names of sections are in section 1, which has no strings"},
};
/* Of section 1, the code, and of others by number. */
static const struct {
    uint32_t section, at;
    unsigned bytes;
    uint32_t value;
    const char *message;
} section_fields[] = {
    {2, FIELD(Elf32_Shdr, sh_name), 0xffff, "x.elf: a name of sections lies outside of its table"},
    {2, FIELD(Elf32_Shdr, sh_type), SHT_NOTE,
     "x.elf: section 2 is loaded and has the unknown type 7"},
    {2, FIELD(Elf32_Shdr, sh_addr), 0xfffc,
     "x.elf: section 2 is 0x19 bytes at 0xfffc, beyond the end of WRAM"},
    {2, FIELD(Elf32_Shdr, sh_offset), 0xffffff, "x.elf: section 2 lies outside of the file"},
    {2, FIELD(Elf32_Shdr, sh_size), 0xffffff, "x.elf: section 2 lies outside of the file"},
    {2, FIELD(Elf32_Shdr, sh_addr), 32,
     "x.elf: sections '.data' and '.dpu_host' lie on each other"},
    {1, FIELD(Elf32_Shdr, sh_addr), DPU_AT_TEXT + 4,
     "x.elf: code is not in whole instructions of 8 bytes"},
    {1, FIELD(Elf32_Shdr, sh_size), 12, "x.elf: code is not in whole instructions of 8 bytes"},
    {1, FIELD(Elf32_Shdr, sh_addr), DPU_AT_TEXT + 32768 - 8,
     "x.elf: section 1 is 0x40 bytes at 0x80007ff8, beyond the end of IRAM"},
    {1, FIELD(Elf32_Shdr, sh_flags), 0, "x.elf: the program has no instructions"},
    {7, FIELD(Elf32_Shdr, sh_entsize), 24, "x.elf: section 7 has symbols of an unknown size"},
    {7, FIELD(Elf32_Shdr, sh_link), 77,
     "x.elf: names of symbols are in section 77, which does not exist"},
    {7, FIELD(Elf32_Shdr, sh_link), 1,
     "x.elf: names of symbols are in section 1, which has no strings"},
};
static void damaged_files_are_refused(void **state) {
    (void)state;
    struct dpu_program *p = assemble(example);
    struct str file = {0}, bad = {0};
    dpu_program_write(p, &file);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        str_clear(&bad);
        str_append_n(&bad, file.text, file.len);
        put(&bad, headers[i].at, headers[i].value, headers[i].bytes);
        refuse(&bad, headers[i].message);
    }
    size_t sections = get_u32((unsigned char *)file.text + offsetof(Elf32_Ehdr, e_shoff));
    for (size_t i = 0; i < sizeof section_fields / sizeof *section_fields; i++) {
        str_clear(&bad);
        str_append_n(&bad, file.text, file.len);
        put(&bad, sections + section_fields[i].section * sizeof(Elf32_Shdr) + section_fields[i].at,
            section_fields[i].value, section_fields[i].bytes);
        refuse(&bad, section_fields[i].message);
    }
    size_t code = get_u32((unsigned char *)file.text + sections + sizeof(Elf32_Shdr) +
                          offsetof(Elf32_Shdr, sh_offset));
    str_clear(&bad);
    str_append_n(&bad, file.text, file.len);
    put(&bad, code + 8 * 3 + 4, 0x1ffff, 4);
    refuse(&bad, "x.elf: instruction 3 is 0x1ffff00800000, which no form has");
    bad.len = 20;
    refuse(&bad, "x.elf: the file is shorter than an ELF header");
    str_free(&file);
    str_free(&bad);
    dpu_program_free(p);
}
/* Files cut short, and with bytes changed. */
/* A program by its program headers alone: code, and WRAM with more bytes than the file has. */
static void by_segments_at(struct str *out, uint32_t offset, uint32_t address, uint32_t file,
                           uint32_t memory) {
    const uint32_t at = sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr);
    const Elf32_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                          .e_type = ET_EXEC,
                          .e_machine = DPU_MACHINE,
                          .e_version = EV_CURRENT,
                          .e_entry = DPU_AT_TEXT,
                          .e_phoff = sizeof(Elf32_Ehdr),
                          .e_ehsize = sizeof(Elf32_Ehdr),
                          .e_phentsize = sizeof(Elf32_Phdr),
                          .e_phnum = 2,
                          .e_shentsize = sizeof(Elf32_Shdr)};
    const Elf32_Phdr p[2] = {
        {.p_type = PT_LOAD, .p_offset = at, .p_vaddr = DPU_AT_TEXT, .p_filesz = 8, .p_memsz = 8},
        {.p_type = PT_LOAD,
         .p_offset = at + offset,
         .p_vaddr = address,
         .p_filesz = file,
         .p_memsz = memory}};
    const uint64_t words[2] = {UINT64_C(0x7ef320000000), 0x1122334455667788}; /* stop true, 0 */
    str_append_n(out, (const char *)&h, sizeof h);
    str_append_n(out, (const char *)p, sizeof p);
    str_append_n(out, (const char *)words, sizeof words);
}
static void by_segments(struct str *out, uint32_t offset, uint32_t file, uint32_t memory) {
    by_segments_at(out, offset, 16, file, memory);
}
/* Code of 8 bytes, and `count` times the same segment of all of MRAM. */
static void many_segments(struct str *out, uint16_t count) {
    const uint32_t at = (uint32_t)(sizeof(Elf32_Ehdr) + (count + 1u) * sizeof(Elf32_Phdr));
    by_segments(out, 8, 8, 12);
    const struct str two = *out;
    *out = (struct str){0};
    Elf32_Ehdr h;
    memcpy(&h, two.text, sizeof h);
    h.e_phnum = (uint16_t)(count + 1);
    str_append_n(out, (const char *)&h, sizeof h);
    for (uint32_t i = 0; i <= count; i++) {
        const Elf32_Phdr p = {.p_type = PT_LOAD,
                              .p_offset = i ? at + 8 : at,
                              .p_vaddr = i ? DPU_AT_MRAM : DPU_AT_TEXT,
                              .p_filesz = 8,
                              .p_memsz = i ? DPU_MRAM_BYTES : 8};
        str_append_n(out, (const char *)&p, sizeof p);
    }
    str_append_n(out, two.text + two.len - 16, 16);
    free(two.text);
}
/* What a short file says that it has is not taken before it is looked at. */
static void segments_take_no_more_than_there_is(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct str file = {0};
    (void)state;
    by_segments_at(&file, 8, DPU_AT_ATOMIC, 8, 4); /* more in the file: bits are none of memory */
    struct dpu_program *p = dpu_program_read("x.elf", file.text, file.len, d);
    assert_non_null(p);
    assert_int_equal(p->sections.len, 1);
    assert_int_equal(p->sections.data[0].size, 4);
    assert_int_equal(p->sections.data[0].bytes.len, 4);
    dpu_program_free(p);
    str_clear(&file);
    many_segments(&file, 1000);
    refuse(&file, "x.elf: sections 'segment 1' and 'segment 2' lie on each other");
    str_clear(&file);
    many_segments(&file, 1024);
    refuse(&file, "x.elf: 1025 segments, and there may be 1024 at most");
    str_free(&file);
    diag_free(d);
}
static void segments_are_programs(void **state) {
    static const struct {
        uint32_t offset, file, memory;
        const char *message;
    } bad[] = {{8, 9, 32, "x.elf: segment 1 lies outside of the file"},
               {8, 8, 7, "x.elf: segment 1 has more bytes in the file than in memory"},
               {8, 8, 65536, "x.elf: segment 1 is 0x10000 bytes at 0x10, beyond the end of WRAM"}};
    struct diag *d = diag_new(NULL, NULL);
    struct str file = {0};
    (void)state;
    by_segments(&file, 8, 8, 12);
    struct dpu_program *p = dpu_program_read("x.elf", file.text, file.len, d);
    assert_non_null(p);
    assert_int_equal(p->words.len, 1);
    assert_int_equal(p->sections.len, 1);
    assert_int_equal(p->sections.data[0].size, 12);
    assert_memory_equal(p->sections.data[0].bytes.text, "\x88\x77\x66\x55\x44\x33\x22\x11\0\0\0",
                        12);
    dpu_program_free(p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        str_clear(&file);
        by_segments(&file, bad[i].offset, bad[i].file, bad[i].memory);
        refuse(&file, bad[i].message);
    }
    str_free(&file);
    diag_free(d);
}
static void no_file_is_too_damaged(void **state) {
    (void)state;
    struct dpu_program *p = assemble(example);
    struct str file = {0};
    uint64_t seed = 5;
    dpu_program_write(p, &file);
    dpu_program_free(p);
    for (size_t size = 0; size < file.len; size++) {
        struct diag *d = diag_new(NULL, NULL);
        assert_null(dpu_program_read("x.elf", file.text, size, d));
        assert_true(diag_errors(d) == 1);
        diag_free(d);
    }
    for (unsigned lap = 0; lap < draws(DRAWS_DPU_DAMAGED); lap++) {
        char *copy = xmalloc(file.len);
        memcpy(copy, file.text, file.len);
        for (unsigned i = 0; i < 1 + lap % 4; i++)
            copy[random_bits(&seed) % file.len] = (char)random_bits(&seed);
        struct diag *d = diag_new(NULL, NULL);
        struct str text = {0};
        p = dpu_program_read("x.elf", copy, file.len, d);
        assert_true(p || diag_errors(d) == 1);
        if (p) {
            dpu_disassemble(p, lap % 2, &text);
            dpu_list(p, &(struct machine_view){.plain = lap % 2, .lines = lap % 3}, &text);
        }
        dpu_program_free(p);
        str_free(&text);
        diag_free(d);
        free(copy);
    }
    str_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_comes_back_through_text),
        cmocka_unit_test(words_of_texts_of_upmem),
        cmocka_unit_test(sections_labels_expressions),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(macros_and_conditions),
        cmocka_unit_test(too_many_instructions),
        cmocka_unit_test(damaged_texts_are_read),
        cmocka_unit_test(programs_come_back_from_files),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(segments_are_programs),
        cmocka_unit_test(segments_take_no_more_than_there_is),
        cmocka_unit_test(no_file_is_too_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
