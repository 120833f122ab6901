/* SPDX-License-Identifier: MIT
 * Every instruction's own text assembles to its word again. */
#include "support/bits.h"
#include "support/str.h"
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_PER_OP 60

/* What must stand before and behind an instruction so that the text's structure is right. */
struct frame {
    const char *before, *behind;
    uint32_t lead; /* instructions before */
};

static struct frame frame_of(enum isa_op op) {
    switch (op) {
    case OP_MEMCPY_8:
    case OP_MEMCPY_16:
    case OP_MEMCPY_32:
    case OP_MEMCPY_64:
    case OP_LANE:
        return (struct frame){"MOVE RFH0 RFH1\n", "", 1};
    case OP_REPEAT:
        return (struct frame){"", "REPEAT_END\n", 0};
    case OP_REPEAT_END:
        return (struct frame){"REPEAT 3\n", "", 1};
    case OP_SEND:
        return (struct frame){"", "SEND_DONE\n", 0};
    case OP_SEND_DONE:
        return (struct frame){"SEND MPU1\n", "", 1};
    case OP_JUMP:
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
    case OP_JUMP_ANY:
    case OP_GOTO:
        return (struct frame){"", "NOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\n", 0};
    default:
        return (struct frame){"", "", 0};
    }
}

/* Tables that indices may name: eight groups, eight moves, eight records of each kind. */
static void declare_tables(struct str *s) {
    for (int i = 0; i < 8; i++)
        str_printf(s, ".group g%d[%d]\n.move v%d u8 @g%d r1[i] = @g%d r2[i + 1]\n", i, i + 1, i, i,
                   i);
    for (int i = 0; i < 8; i++)
        str_printf(s, ".lut t%d k=%d width=%d = %d, 1\n", i, i + 1, i + 1, i & 1);
    for (int i = 0; i < 8; i++)
        str_printf(s, ".mark \"m%d\"\n.print \"p\" r%d:u8\n.assert \"a\"\n", i, i);
}

/* Keeps what names something within what is there. */
static void tame(struct insn *x) {
    enum debug_kind kind;
    if (isa_info(x->op)->format == FORMAT_J || x->op == OP_COMPUTEG || x->op == OP_GMOVE)
        x->imm &= 7;
    else if (object_debug_kind(x->op, &kind))
        x->imm = (x->imm & 7) * 3 + (int)kind;
    x->lut &= 7;
}

/* A random legal instruction of this op. */
static struct insn random_insn(enum isa_op op, uint64_t *seed) {
    struct insn x;
    uint32_t word, opcode = (uint32_t)isa_info(op)->opcode << 24;
    do
        word = opcode | (uint32_t)(splitmix64(seed) & splitmix64(seed) & 0xffffff);
    while (isa_decode(word, &x) != ISA_OK && isa_decode(word & 0x3f, &x) != ISA_OK &&
           isa_decode(opcode | (word & 0xfff), &x) != ISA_OK && isa_decode(opcode, &x) != ISA_OK);
    tame(&x);
    return x;
}

static void try_insn(const struct insn *x) {
    struct frame f = frame_of(x->op);
    struct str s = {0};
    uint32_t word;
    assert_int_equal(isa_encode(x, &word), ISA_OK);
    declare_tables(&s);
    str_append(&s, f.before);
    isa_format_insn(x, NULL, &s);
    str_char(&s, '\n');
    str_append(&s, f.behind);
    uint32_t got = assembled_word(s.text, f.lead);
    if (got != word)
        fail_msg("0x%08x became 0x%08x: %s", (unsigned)word, (unsigned)got, s.text + s.len - 60);
    str_free(&s);
}

static void every_instruction_round_trips(void **state) {
    (void)state;
    uint64_t seed = 42;
    unsigned tried = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        /* RECIPE names an entry of the object's table, which no word holds. */
        if (isa_info((enum isa_op)op)->flags & ISA_RESERVED || op == OP_RECIPE || op == OP_MULP)
            continue;
        for (int i = 0; i < WORDS_PER_OP; i++) {
            struct insn x = random_insn((enum isa_op)op, &seed);
            try_insn(&x);
        }
        tried++;
    }
    assert_true(tried > 90);
}

/* Formats with a constant are tried with every value. */
static void every_constant_round_trips(void **state) {
    (void)state;
    for (int imm = -2048; imm < 2048; imm += 7) {
        struct insn x = {.op = OP_LI, .width = 64, .rd = 3, .imm = imm};
        try_insn(&x);
        x = (struct insn){.op = OP_LIK1, .width = 64, .rd = 3, .imm = imm & 0xfff};
        try_insn(&x);
    }
    for (unsigned w = 1; w <= 64; w++) {
        struct insn x = {.op = OP_ZEXT, .width = (uint8_t)w, .rs = 1, .rd = 2, .imm = 1};
        for (x.imm = 1; x.imm <= (int)w; x.imm++)
            try_insn(&x);
    }
    for (int k = 0; k <= 5; k++)
        for (unsigned w = 12 * (unsigned)k + 1; w <= 64; w++) {
            int n = (int)w - 12 * k;
            struct insn x = {.op = (enum isa_op)(OP_LI + k), .width = (uint8_t)w, .rd = 1};
            x.imm = n < 12 ? (1 << n) - 1 : k ? 4095 : -1;
            try_insn(&x);
            x.imm = k ? 4096 - (1 << ((n < 12 ? n : 12) - 1)) : -(1 << ((n < 12 ? n : 12) - 1));
            try_insn(&x);
        }
}

/* Sources of mnemonics in lower case, with commas, blanks and comments, give the same words. */
static void spelling_does_not_matter(void **state) {
    (void)state;
    uint32_t word = assembled_word("ADD.32 r1 r2 r3\n", 0);
    static const char *const same[] = {
        "add.32 r1, r2, r3",
        "Add.32\tR1\tr2 , r3 ; sum",
        "x: ADD.32 r1 /* a\n b */ r2 r3",
        ".width 32\nadd r1 r2 r3",
        ".macro f a\nadd.32 \\a r2 r3\n.endm\nf r1\n",
        ".var a: u8 = r1\nADD.32 a r2 r3 // sum",
        "5: ADD.32 r01 r2 r3\r\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(assembled_word(same[i], 0), word);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_round_trips),
        cmocka_unit_test(every_constant_round_trips),
        cmocka_unit_test(spelling_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
