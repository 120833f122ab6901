/* SPDX-License-Identifier: MIT
 * Modules of the DPU's runtime library that are what runs call, or come from the IR that runs have
 * for floating point: each is text of machines/core/dpu/runtime/, and is made here again.
 * MPU_WRITE_PAGE=1 writes them anew. */
#include "machines/core/dpu/runs/runs.h"
#include "machines/core/scalar/floats.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <ctype.h>
#include <string.h>

/* What a program calls the routines that runs call. */
static const struct {
    const char *routine, *name, *file, *what;
} routines[] = {
    {"mul32", "__mul32", "product",
     "the product of r0 and r1 in r0, of any numbers in as many steps"},
    {"mul64", "__muldi3", "product_64", "the product of d0 and d2 in d0"},
    {"mul32_long", "__mul32_long", "product_long", "all 64 bits of the product of r1 and r3 in d0"},
    {"div32", "__udivsi3", "quotient", "r0 / r1 in r0, the rest in r1; by 0 all ones and r0"},
    {"div64", "__udivdi3", "quotient_64", "d0 / d2 in d0, the rest in d2; by 0 all ones and d0"},
    {"shl64", "__ashldi3", "shift_left", "d0 << r2 in d0"},
    {"shr64", "__lshrdi3", "shift_right", "d0 >> r2 in d0, with zeros"},
    {"sar64", "__ashrdi3", "shift_right_signed", "d0 >> r2 in d0, with the sign"},
};
#define ROUTINES (sizeof routines / sizeof *routines)

/* A word that is a routine gets its name in the library, one that begins with a routine's is its
 * label. */
static void rename_word(const char *word, size_t length, struct str *out) {
    const char *label = "";
    for (size_t i = 0; i < ROUTINES; i++) {
        size_t n = strlen(routines[i].routine);
        if (n == length && memcmp(word, routines[i].routine, n) == 0) {
            str_append(out, routines[i].name);
            return;
        }
        if (n < length && word[n] == '_' && memcmp(word, routines[i].routine, n) == 0)
            label = ".L__";
    }
    str_append(out, label);
    str_append_n(out, word, length);
}
static void rename_words(const char *text, struct str *out) {
    while (*text) {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || text[n] == '_')
            n++;
        if (n)
            rename_word(text, n, out);
        else
            str_char(out, *text);
        text += n ? n : 1;
    }
}
static void begin(struct str *out, const char *name, const char *what) {
    str_printf(out,
               "// %s: %s.\n// Made by tests/core/test_dpu_library.c from what runs of MPU "
               "instructions take.\n  .text\n  .globl %s\n  .type %s, @function\n",
               name, what, name, name);
}
static void check_file(const char *name, const struct str *text) {
    char path[4096];
    snprintf(path, sizeof path, MPU_SOURCE_DIR "/machines/core/dpu/runtime/%s.s", name);
    if (getenv("MPU_WRITE_PAGE")) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(str_text(text), f);
        fclose(f);
    }
    size_t size;
    char *there = file_read_text(path, FILE_MAX_SOURCE, &size);
    if (!there || strcmp(there, str_text(text)) != 0)
        fail_msg("%s is not what is made now: MPU_WRITE_PAGE=1 writes it", path);
    free(there);
}
static void routines_of_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < ROUTINES; i++) {
        const char *needs = NULL, *text = dpu_routine(routines[i].routine, &needs);
        struct str out = {0};
        assert_non_null(text);
        begin(&out, routines[i].name, routines[i].what);
        rename_words(text, &out);
        check_file(routines[i].file, &out);
        str_free(&out);
    }
}

/* ---- floating point ---- */

static const struct {
    const char *name, *file, *what;
    enum isa_op op;
    uint8_t width;
    uint8_t a, c, result; /* bits of operands and of the result; c 0: none */
    int8_t code;          /* of OP_CVT */
} floats[] = {
    {"__addsf3", "add_f32", "r0 + r1 in r0, float32", OP_FADD, 32, 32, 32, 32, 0},
    {"__subsf3", "sub_f32", "r0 - r1 in r0, float32", OP_FSUB, 32, 32, 32, 32, 0},
    {"__mulsf3", "mul_f32", "r0 * r1 in r0, float32", OP_FMUL, 32, 32, 32, 32, 0},
    {"__divsf3", "div_f32", "r0 / r1 in r0, float32", OP_FDIV, 32, 32, 32, 32, 0},
    {"__sqrtsf2", "sqrt_f32", "the root of r0 in r0, float32", OP_FSQRT, 32, 32, 0, 32, 0},
    {"__muldf3", "mul_f64", "d0 * d2 in d0, float64", OP_FMUL, 64, 64, 64, 64, 0},
    {"__divdf3", "div_f64", "d0 / d2 in d0, float64", OP_FDIV, 64, 64, 64, 64, 0},
    {"__sqrtdf2", "sqrt_f64", "the root of d0 in d0, float64", OP_FSQRT, 64, 64, 0, 64, 0},
    {"__floatsisf", "float_i32", "the number r0 as float32 in r0", OP_CVT, 32, 32, 0, 32, 0},
    {"__floatunsisf", "float_u32", "the number r0, without a sign, as float32 in r0", OP_CVT, 32,
     32, 0, 32, 1},
    {"__fixsfsi", "fix_i32", "float32 r0 as a number in r0", OP_CVT, 32, 32, 0, 32, 2},
    {"__fixunssfsi", "fix_u32", "float32 r0 as a number without a sign in r0", OP_CVT, 32, 32, 0,
     32, 3},
    {"__floatdidf", "float_i64", "the number d0 as float64 in d0", OP_CVT, 64, 64, 0, 64, 0},
    {"__floatundidf", "float_u64", "the number d0, without a sign, as float64 in d0", OP_CVT, 64,
     64, 0, 64, 1},
    {"__fixdfdi", "fix_i64", "float64 d0 as a number in d0", OP_CVT, 64, 64, 0, 64, 2},
    {"__fixunsdfdi", "fix_u64", "float64 d0 as a number without a sign in d0", OP_CVT, 64, 64, 0,
     64, 3},
    {"__extendsfdf2", "extend_f32", "float32 r0 as float64 in d0", OP_CVT, 64, 32, 0, 64, 10},
    {"__truncdfsf2", "trunc_f64", "float64 d0 as float32 in r0", OP_CVT, 32, 64, 0, 32, 11},
};
#define FLOATS (sizeof floats / sizeof *floats)

/* Operands and the result lie behind r22, and where the routine goes on; values that registers do
 * not hold behind them.  r0 to r13 are a routine's. */
enum { FIRST, SECOND, RESULT };
#define RETURN_AT   24u
#define STACK_AT    32u
#define OF_ROUTINES 14u
static void place_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                     uint32_t *offset) {
    (void)context;
    (void)element;
    *reg = "r22";
    *offset = 8 * array;
}
static scalar_id operand(struct scalar_body *b, uint32_t array, unsigned bits) {
    return scalar_load(b, array, bits / 8, bits);
}
static void emit_float(size_t i, struct str *out) {
    struct insn insn = {.op = floats[i].op, .width = floats[i].width, .imm = floats[i].code};
    struct scalar_body b = {.from = 0};
    struct scalar_places places = {place_at, NULL, NULL, STACK_AT, OF_ROUTINES};
    struct scalar_code code = {0};
    struct str body = {0}, named = {0};
    scalar_id wrong = 0;
    scalar_id a = operand(&b, FIRST, floats[i].a);
    scalar_id c = floats[i].c ? operand(&b, SECOND, floats[i].c) : 0;
    scalar_id r = scalar_float(&b, &insn, a, c);
    assert_true(r);
    scalar_store(&b, RESULT, floats[i].result / 8, r);
    scalar_finish(&b);
    assert_true(scalar_emit(dpu_scalar_core(), &b, &places, &body, &code, &wrong));
    begin(out, floats[i].name, floats[i].what);
    str_printf(out, "// It needs %u bytes from r22 on.\n%s:\n", STACK_AT + code.stack,
               floats[i].name);
    str_append(out, floats[i].a == 64 ? "  sd r22, 0, d0\n" : "  sw r22, 0, r0\n");
    if (floats[i].c)
        str_append(out, floats[i].c == 64 ? "  sd r22, 8, d2\n" : "  sw r22, 8, r1\n");
    if (code.routines.len)
        str_printf(out, "  sw r22, %u, r23\n", RETURN_AT);
    rename_words(str_text(&body), &named);
    /* Labels of the body are the routine's own. */
    for (const char *text = str_text(&named); *text;) {
        const char *label = strstr(text, ".L");
        if (!label || strncmp(label, ".L__", 4) == 0) {
            size_t n = label ? (size_t)(label - text) + 2 : strlen(text);
            str_append_n(out, text, n);
            text += n;
            continue;
        }
        str_append_n(out, text, (size_t)(label - text));
        str_printf(out, ".L_%s_", floats[i].name);
        text = label + 2;
    }
    if (code.routines.len)
        str_printf(out, "  lw r23, r22, %u\n", RETURN_AT);
    str_append(out, floats[i].result == 64 ? "  ld d0, r22, 16\n" : "  lw r0, r22, 16\n");
    str_append(out, "  jump r23\n");
    scalar_code_free(&code);
    str_free(&body);
    str_free(&named);
    scalar_free(&b);
}
static void floating_point(void **state) {
    (void)state;
    for (size_t i = 0; i < FLOATS; i++) {
        struct str out = {0};
        emit_float(i, &out);
        check_file(floats[i].file, &out);
        str_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_of_runs),
        cmocka_unit_test(floating_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
