/* SPDX-License-Identifier: MIT
 * Names, forms, text, errors, register visits, built-in files. */
#include "isa-spec/builtin.h"
#include "isa-spec/isa.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void names_are_found(void **state) {
    (void)state;
    for (unsigned i = 0; i < OP_COUNT; i++) {
        const struct isa_info *info = isa_info((enum isa_op)i);
        enum isa_op op = isa_find(info->name, strlen(info->name));
        while (op != (enum isa_op)i && op != OP_COUNT)
            op = isa_next_form(op);
        assert_int_equal(op, i);
    }
    assert_int_equal(isa_find("jump_Cond", 9), OP_JUMP_COND);
    assert_int_equal(isa_find("ADDX", 3), OP_ADD);
    assert_int_equal(isa_find("ADDX", 4), OP_COUNT);
    assert_int_equal(isa_find("AD", 2), OP_COUNT);
    assert_int_equal(isa_find("", 0), OP_COUNT);
    assert_int_equal(isa_find("ADD\0", 4), OP_COUNT);
    assert_int_equal(isa_find("\xC3\x84"
                              "DD",
                              4),
                     OP_COUNT);
}

static void forms_follow_each_other(void **state) {
    (void)state;
    assert_int_equal(isa_find("SETMASK", 7), OP_SETMASK);
    assert_int_equal(isa_next_form(OP_SETMASK), OP_SETMASK_COND);
    assert_int_equal(isa_next_form(OP_SETMASK_COND), OP_COUNT);
    assert_int_equal(isa_next_form(OP_ANDMASK), OP_ANDMASK_COND);
    assert_int_equal(isa_find("MEMCPY", 6), OP_MEMCPY_8);
    assert_int_equal(isa_next_form(OP_MEMCPY_32), OP_MEMCPY_64);
    assert_int_equal(isa_next_form(OP_ADD), OP_COUNT);
}

static void mnemonics_are_sorted(void **state) {
    (void)state;
    size_t count;
    const char *const *names = isa_mnemonics(&count);
    assert_true(count > 90);
    for (size_t i = 0; i < count; i++) {
        enum isa_op op = isa_find(names[i], strlen(names[i]));
        assert_int_not_equal(op, OP_COUNT);
        assert_int_equal(isa_info(op)->flags & (ISA_RESERVED | ISA_USER), 0);
        assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
    }
}

static void sets_have_names(void **state) {
    (void)state;
    const char *const names[] = {"base", "S", "H", "C", "R", "L", "F", "Q", "K", "D", "P"};
    for (unsigned i = 0; i < SET_COUNT; i++)
        assert_string_equal(isa_set_name((enum isa_set)i), names[i]);
    assert_int_equal(isa_info(OP_ADD)->set, SET_BASE);
    assert_int_equal(isa_info(OP_COMPUTEG)->set, SET_L);
    assert_int_equal(isa_info(OP_FADD)->set, SET_F);
}

static void text_of(const struct insn *x, const char *symbol, const char *want) {
    struct str out = {0};
    isa_format_insn(x, symbol, &out);
    assert_string_equal(str_text(&out), want);
    str_free(&out);
}

static void text_is_assembly(void **state) {
    (void)state;
    text_of(&(struct insn){.op = OP_ADD, .width = 32, .rs = 1, .rt = 2, .rd = 3}, NULL,
            "ADD.32 r1 r2 r3");
    text_of(&(struct insn){.op = OP_JUMP_COND, .imm = 12}, NULL, "JUMP_COND 12");
    text_of(&(struct insn){.op = OP_JUMP_COND, .imm = 12}, "loop", "JUMP_COND loop");
    text_of(&(struct insn){.op = OP_COMPUTEG}, NULL, "COMPUTEG @0");
    text_of(&(struct insn){.op = OP_COMPUTEG}, "@g", "COMPUTEG @g");
    text_of(&(struct insn){.op = OP_COMPUTE, .rfh = 7, .vrf = 63}, NULL, "COMPUTE RFH7 VRF63");
    text_of(&(struct insn){.op = OP_MOVE, .rfh = 1, .vrf = 4095}, NULL, "MOVE RFH1 RFH4095");
    text_of(
        &(struct insn){
            .op = OP_MEMCPY_16, .width = 16, .vrf_src = 1, .rs = 2, .vrf_dst = 3, .rd = 4},
        NULL, "MEMCPY.16 VRF1 r2 VRF3 r4");
    text_of(&(struct insn){.op = OP_SETMASK, .rs = 9}, NULL, "SETMASK r9");
    text_of(&(struct insn){.op = OP_SETMASK_COND}, NULL, "SETMASK cond");
    text_of(&(struct insn){.op = OP_ANDNMASK}, NULL, "ANDNMASK cond");
    text_of(&(struct insn){.op = OP_SHLI, .width = 8, .rs = 1, .imm = 63, .rd = 2}, NULL,
            "SHLI.8 r1 63 r2");
    text_of(&(struct insn){.op = OP_SEXT, .width = 64, .rs = 1, .imm = 8, .rd = 2}, NULL,
            "SEXT.64 r1 8 r2");
    text_of(&(struct insn){.op = OP_LI, .width = 64, .imm = -2048, .rd = 5}, NULL,
            "LI.64 -2048 r5");
    text_of(&(struct insn){.op = OP_LI, .width = 64, .rd = 5}, "n", "LI.64 n r5");
    text_of(&(struct insn){.op = OP_LIK1, .width = 64, .imm = 0xABC, .rd = 5}, NULL,
            "LIK1.64 0xABC r5");
    text_of(&(struct insn){.op = OP_CMPLTI, .width = 64, .imm = 7, .rd = 5}, NULL,
            "CMPLTI.64 r5 7");
    text_of(&(struct insn){.op = OP_REPEAT, .imm = 4194303}, NULL, "REPEAT 4194303");
    text_of(&(struct insn){.op = OP_SEND, .imm = 3}, NULL, "SEND MPU3");
    text_of(&(struct insn){.op = OP_SEND, .mode = 1, .imm = -1}, NULL, "SEND MPU-1");
    text_of(&(struct insn){.op = OP_RECV, .mode = 2, .imm = 1}, NULL, "RECV MPU+1 wrap");
    text_of(&(struct insn){.op = OP_RECV, .mode = 3, .imm = 0x7FF << 11 | 0x400}, NULL,
            "RECV MPU(-1,-1024)");
    text_of(&(struct insn){.op = OP_LUT, .width = 8, .rs = 1, .rd = 2, .lut = 17}, NULL,
            "LUT.8 r1 17 r2");
    text_of(&(struct insn){.op = OP_LUT, .width = 8, .rs = 1, .rd = 2}, "sbox", "LUT.8 r1 sbox r2");
    text_of(&(struct insn){.op = OP_HALT}, NULL, "HALT");
}

static void refuses(struct insn x, enum isa_error want) {
    uint32_t word = 0xDEAD;
    assert_int_equal(isa_encode(&x, &word), want);
    assert_int_equal(word, 0xDEAD);
}

static void encode_refuses(void **state) {
    (void)state;
    refuses((struct insn){.op = OP_COUNT}, ISA_UNKNOWN_OPCODE);
    refuses((struct insn){.op = OP_LUT, .lut = 4096}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_LUT, .rs = 64}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_LUT, .rt = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_LUT, .imm = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_ADD, .width = 8, .lut = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_FADD, .width = 24}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_BFADD, .width = 32}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_CVT, .width = 32, .imm = 6}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_CVT, .width = 32, .imm = CONVERT_BFLOAT}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_ADD, .width = 0}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_ADD, .width = 65}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_ADD, .width = 8, .rs = 64}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_ADD, .width = 8, .imm = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_MOV, .width = 8, .rt = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_SETC, .width = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_HALT, .imm = 1}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_MEMCPY_8, .width = 16}, ISA_NONZERO_FIELD);
    refuses((struct insn){.op = OP_MEMCPY_8, .width = 8, .vrf_src = 64}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_ZEXT, .width = 8, .imm = 9}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_ZEXT, .width = 8, .imm = 0}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_SHLI, .width = 8, .imm = 64}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_SHLI, .width = 8, .imm = -1}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_QRDIV, .width = 8, .rt = 1, .rd = 1}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_LI, .width = 8, .imm = 256}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_LI, .width = 8, .imm = -129}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_LI, .width = 64, .imm = 2048}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_LI, .width = 64, .imm = -2049}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_LIK1, .width = 12, .imm = 1}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_LIK1, .width = 64, .imm = 4096}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_COMPUTE, .vrf = 64}, ISA_BAD_FIELD);
    refuses((struct insn){.op = OP_COMPUTE, .rfh = 4096}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_REPEAT, .mode = 1}, ISA_BAD_MODE);
    refuses((struct insn){.op = OP_REPEAT, .imm = -1}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_REPEAT, .imm = 1 << 22}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_SEND, .mode = 4}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_SEND, .mode = 1, .imm = 1 << 21}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_JUMP, .imm = 1 << 24}, ISA_OUT_OF_RANGE);
    refuses((struct insn){.op = OP_JUMP, .imm = -1}, ISA_OUT_OF_RANGE);
}

static void encode_takes(void **state) {
    (void)state;
    uint32_t word;
    struct insn x = {.op = OP_LIK1, .width = 64, .imm = -1};
    assert_int_equal(isa_encode(&x, &word), ISA_OK);
    assert_int_equal(word, 0x39FC0FFF);
    x = (struct insn){.op = OP_LIK1, .width = 16, .imm = -8};
    assert_int_equal(isa_encode(&x, &word), ISA_OK);
    x = (struct insn){.op = OP_ADD, .width = 9, .rs = 1, .rt = 2, .rd = 3};
    assert_int_equal(isa_encode(&x, &word), ISA_OK);
    assert_int_equal(word, 0x40u << 24 | 8u << 18 | 3u << 12 | 1u << 6 | 2);
    assert_int_equal(isa_decode(0, &x), ISA_UNKNOWN_OPCODE);
    assert_int_equal(isa_decode(0xBF000000 | 5u << 18 | 6u << 12 | 4095, &x), ISA_OK);
    assert_true(x.op == OP_LUT && x.rd == 5 && x.rs == 6 && x.lut == 4095 && x.width == 0);
    x = (struct insn){.op = OP_LUT, .width = 9, .rs = 6, .rd = 5, .lut = 4095};
    assert_int_equal(isa_encode(&x, &word), ISA_OK);
    assert_int_equal(word, 0xBF000000 | 5u << 18 | 6u << 12 | 4095);
    assert_int_equal(isa_decode(0xC0000000, &x), ISA_OK);
    assert_int_equal(x.op, OP_USER_C0);
    assert_int_equal(isa_decode(0x16400000, &x), ISA_BAD_MODE);
}

static void errors_have_texts(void **state) {
    (void)state;
    for (int e = ISA_OK; e <= ISA_OUT_OF_RANGE; e++)
        for (int f = ISA_OK; f < e; f++)
            assert_string_not_equal(isa_error_text((enum isa_error)e),
                                    isa_error_text((enum isa_error)f));
}

struct visits {
    unsigned count, reg[4], bits[4];
};

static void visit(void *ctx, unsigned reg, unsigned bits) {
    struct visits *v = ctx;
    assert_true(v->count < 4);
    v->reg[v->count] = reg;
    v->bits[v->count++] = bits;
}

static void visits_of(struct insn x, struct visits want) {
    struct visits v = {.count = 0};
    isa_visit_registers(&x, visit, &v);
    assert_memory_equal(&v, &want, sizeof v);
}

static void registers_are_visited(void **state) {
    (void)state;
    visits_of((struct insn){.op = OP_ADD, .width = 9, .rs = 1, .rt = 2, .rd = 3},
              (struct visits){3, {1, 2, 3}, {9, 9, 9}});
    visits_of((struct insn){.op = OP_SEXT, .width = 32, .imm = 5, .rs = 1, .rd = 3},
              (struct visits){2, {1, 3}, {5, 32}});
    visits_of((struct insn){.op = OP_SETMASK, .rs = 63}, (struct visits){1, {63}, {1}});
    visits_of((struct insn){.op = OP_SETC, .rs = 7}, (struct visits){1, {7}, {1}});
    visits_of((struct insn){.op = OP_SETMASK_COND}, (struct visits){.count = 0});
    visits_of((struct insn){.op = OP_SHLI, .width = 8, .rs = 1, .imm = 40, .rd = 2},
              (struct visits){2, {1, 2}, {8, 8}});
    visits_of((struct insn){.op = OP_MEMCPY_16, .width = 16, .rs = 4, .rd = 5},
              (struct visits){2, {4, 5}, {16, 16}});
    visits_of((struct insn){.op = OP_LI, .width = 7, .rd = 5}, (struct visits){1, {5}, {7}});
    visits_of((struct insn){.op = OP_INDEX, .width = 20, .rd = 5}, (struct visits){1, {5}, {20}});
    visits_of((struct insn){.op = OP_LUT, .width = 12, .rs = 4, .rd = 5},
              (struct visits){2, {4, 5}, {12, 12}});
    visits_of((struct insn){.op = OP_JUMP, .imm = 5}, (struct visits){.count = 0});
}

static void flags_hold_together(void **state) {
    (void)state;
    for (unsigned i = 0; i < OP_COUNT; i++) {
        const struct isa_info *info = isa_info((enum isa_op)i);
        bool sets_mask = info->flags & WRITES_M && info->flags & ISA_VECTOR;
        bool predicates = info->flags & (ISA_PREDICATE_ON | ISA_PREDICATE_OFF);
        assert_true(!sets_mask || predicates);
        assert_true(!(info->flags & ISA_UNMASKED) || info->flags & ISA_VECTOR);
        assert_true(!(info->flags & ISA_VECTOR && info->flags & ISA_CUTS_RUN));
        assert_true(info->operation[0] && info->text[0]);
    }
}

static void builtins_are_sorted(void **state) {
    (void)state;
    size_t count;
    const struct builtin_file *files = isa_builtin_files(&count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(isa_builtin_find(files[i].path), &files[i]);
        assert_int_equal(files[i].text[files[i].size], 0);
        assert_true(i == 0 || strcmp(files[i - 1].path, files[i].path) < 0);
    }
    assert_null(isa_builtin_find("targets/none.yaml"));
    assert_null(isa_builtin_find(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),       cmocka_unit_test(forms_follow_each_other),
        cmocka_unit_test(mnemonics_are_sorted),  cmocka_unit_test(sets_have_names),
        cmocka_unit_test(text_is_assembly),      cmocka_unit_test(encode_refuses),
        cmocka_unit_test(encode_takes),          cmocka_unit_test(errors_have_texts),
        cmocka_unit_test(registers_are_visited), cmocka_unit_test(flags_hold_together),
        cmocka_unit_test(builtins_are_sorted),
    };
    return cmocka_run_group_tests_name("isa table", tests, NULL, NULL);
}
