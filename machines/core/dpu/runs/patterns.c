/* SPDX-License-Identifier: MIT
 * How a DPU computes what the scalar IR has.  C, the carry, is its own only between instructions of
 * one pattern. */
#include "machines/core/dpu/runs/runs.h"

#define ANY  32
#define ANYW 64

#define PLAIN(op_, text_)                                                                          \
    { .op = SCALAR_##op_, .text = text_ }
#define WITH(op_, bits_, text_)                                                                    \
    { .op = SCALAR_##op_, .immediate = bits_, .text = text_ }
#define WIDE(op_, bits_, text_)                                                                    \
    { .op = SCALAR_##op_, .wide = true, .immediate = bits_, .text = text_ }
#define FOR_K(op_, wide_, least_, most_, text_)                                                    \
    { .op = SCALAR_##op_, .wide = wide_, .least = least_, .most = most_, .text = text_ }
#define COMPARE(op_, set_, not_)                                                                   \
    {                                                                                              \
        .op = SCALAR_##op_, .immediate = 11, .text = "sub %c, %a, %b, " set_,                      \
        .unless = "j" not_ " %a, %b, %L", .when = "j" set_ " %a, %b, %L"                           \
    }
#define COMPARE_WIDE(op_, set_, not_)                                                              \
    {                                                                                              \
        .op = SCALAR_##op_, .wide = true, .text = "sub zero, %al, %bl; subc %c, %ah, %bh, " set_,  \
        .unless = "sub zero, %al, %bl; subc zero, %ah, %bh, " not_ ", %L",                         \
        .when = "sub zero, %al, %bl; subc zero, %ah, %bh, " set_ ", %L"                            \
    }
#define MEMORY(op_, wide_, bytes_, text_)                                                          \
    { .op = SCALAR_##op_, .wide = wide_, .bytes = bytes_, .text = text_ }
#define CALLED(op_, wide_, name_, registers_)                                                      \
    { .op = SCALAR_##op_, .wide = wide_, .routine = name_, .changes = (1u << registers_) - 1 }

/* From MRAM: the eight bytes around the entry come to a place of the tasklet's own (loop.c), which
 * also has where tables begin. */
#define FAR(wide_, bytes_, text_)                                                                  \
    {                                                                                              \
        .op = SCALAR_LOOKUP_FAR, .wide = wide_, .bytes = bytes_, .temporaries = 2,                 \
        .text = "lw %t, r22, 4; add %t, %t, %o; " text_                                            \
    }
#define FAR_CAME "and %u, %t, 7; sub %t, %t, %u; add %c, r22, 8; ldma %c, %t, 0; add %c, %c, %u; "
static const struct scalar_pattern patterns[] = {
    MEMORY(LOAD, false, 1, "lbu %c, %p, %o"),
    MEMORY(LOAD, false, 2, "lhu %c, %p, %o"),
    MEMORY(LOAD, false, 4, "lw %c, %p, %o"),
    MEMORY(LOAD, true, 8, "ld %Cp, %p, %o"),
    MEMORY(LOADS, false, 1, "lbs %c, %p, %o"),
    MEMORY(LOADS, false, 2, "lhs %c, %p, %o"),
    MEMORY(STORE, false, 1, "sb %p, %o, %b"),
    MEMORY(STORE, false, 2, "sh %p, %o, %b"),
    MEMORY(STORE, false, 4, "sw %p, %o, %b"),
    MEMORY(STORE, true, 1, "sb %p, %o, %bl"),
    MEMORY(STORE, true, 2, "sh %p, %o, %bl"),
    MEMORY(STORE, true, 4, "sw %p, %o, %bl"),
    MEMORY(STORE, true, 8, "sd %p, %o, %Bp"),
    PLAIN(ADDRESS, "add %c, %p, %o"),
    MEMORY(FETCH, false, 1, "lbu %c, %a, 0"),
    MEMORY(FETCH, false, 2, "lhu %c, %a, 0"),
    MEMORY(FETCH, false, 4, "lw %c, %a, 0"),
    MEMORY(FETCH, true, 8, "ld %Cp, %a, 0"),
    MEMORY(CELL, false, 1, "lbu %c, %p, %o"),
    MEMORY(CELL, false, 2, "lhu %c, %p, %o"),
    MEMORY(CELL, false, 4, "lw %c, %p, %o"),
    MEMORY(CELL, true, 8, "ld %Cp, %p, %o"),
    MEMORY(PUT, false, 1, "sb %d, 0, %b"),
    MEMORY(PUT, false, 2, "sh %d, 0, %b"),
    MEMORY(PUT, false, 4, "sw %d, 0, %b"),
    MEMORY(PUT, true, 1, "sb %d, 0, %bl"),
    MEMORY(PUT, true, 2, "sh %d, 0, %bl"),
    MEMORY(PUT, true, 4, "sw %d, 0, %bl"),
    MEMORY(PUT, true, 8, "sd %d, 0, %Bp"),
    MEMORY(STOP, false, 4, "sw %p, %o, %b; fault %n"),
    MEMORY(STOP, true, 8, "sd %p, %o, %Bp; fault %n"),
    MEMORY(LOOKUP, false, 1, "lbu %c, %a, %o"),
    MEMORY(LOOKUP, false, 2, "lsl %c, %a, 1; lhu %c, %c, %o"),
    MEMORY(LOOKUP, false, 4, "lsl %c, %a, 2; lw %c, %c, %o"),
    MEMORY(LOOKUP, true, 8, "lsl %cl, %a, 3; ld %Cp, %cl, %o"),
    FAR(false, 1, "add %t, %t, %a; " FAR_CAME "lbu %c, %c, 0"),
    FAR(false, 2, "lsl_add %t, %t, %a, 1; " FAR_CAME "lhu %c, %c, 0"),
    FAR(false, 4, "lsl_add %t, %t, %a, 2; " FAR_CAME "lw %c, %c, 0"),
    FAR(true, 8, "lsl_add %t, %t, %a, 3; add %u, r22, 8; ldma %u, %t, 0; ld %Cp, r22, 8"),

    {.op = SCALAR_ADD, .immediate = ANY, .text = "add %c, %a, %b"},
    WIDE(ADD, ANYW, "add %cl, %al, %bl; addc %ch, %ah, %bh"),
    {.op = SCALAR_SUB, .zero_a = true, .text = "sub %c, %a, %b"},
    {.op = SCALAR_SUB,
     .wide = true,
     .zero_a = true,
     .text = "sub %cl, %al, %bl; subc %ch, %ah, %bh"},
    WITH(AND, ANY, "and %c, %a, %b"),
    WIDE(AND, ANYW, "and %cl, %al, %bl; and %ch, %ah, %bh"),
    WITH(OR, ANY, "or %c, %a, %b"),
    WIDE(OR, ANYW, "or %cl, %al, %bl; or %ch, %ah, %bh"),
    WITH(XOR, ANY, "xor %c, %a, %b"),
    WIDE(XOR, ANYW, "xor %cl, %al, %bl; xor %ch, %ah, %bh"),
    PLAIN(NOT, "not %c, %a"),
    WIDE(NOT, 0, "not %cl, %al; not %ch, %ah"),

    FOR_K(SCALED, false, 1, 31, "lsl_add %c, %a, %b, %k"),
    FOR_K(SHL, false, 1, 31, "lsl %c, %a, %k"),
    FOR_K(SHR, false, 1, 31, "lsr %c, %a, %k"),
    FOR_K(SAR, false, 1, 31, "asr %c, %a, %k"),
    FOR_K(SHL, true, 1, 31, "lsl %ch, %ah, %k; lsr_add %ch, %ch, %al, %j; lsl %cl, %al, %k"),
    FOR_K(SHR, true, 1, 31, "lsr %cl, %al, %k; lsl_add %cl, %cl, %ah, %j; lsr %ch, %ah, %k"),
    FOR_K(SAR, true, 1, 31, "lsr %cl, %al, %k; lsl_add %cl, %cl, %ah, %j; asr %ch, %ah, %k"),
    FOR_K(SHL, true, 32, 32, "move %ch, %al; move %cl, 0"),
    FOR_K(SHR, true, 32, 32, "move %cl, %ah; move %ch, 0"),
    FOR_K(SAR, true, 32, 32, "move %cl, %ah; asr %ch, %ah, 31"),
    FOR_K(SHL, true, 33, 63, "lsl %ch, %al, %k; move %cl, 0"),
    FOR_K(SHR, true, 33, 63, "lsr %cl, %ah, %k; move %ch, 0"),
    FOR_K(SAR, true, 33, 63, "asr %cl, %ah, %k; asr %ch, %ah, 31"),
    /* By a register: the lowest 5 bits of it. */
    {.op = SCALAR_SHLV, .known_b = 5, .text = "lsl %c, %a, %b"},
    {.op = SCALAR_SHRV, .known_b = 5, .text = "lsr %c, %a, %b"},
    {.op = SCALAR_SARV, .known_b = 5, .text = "asr %c, %a, %b"},
    {.op = SCALAR_SHLV, .early = true, .text = "lsl %c, %a, %b; jltu %b, 32, %L; move %c, 0"},
    {.op = SCALAR_SHRV, .early = true, .text = "lsr %c, %a, %b; jltu %b, 32, %L; move %c, 0"},
    {.op = SCALAR_SARV, .early = true, .text = "asr %c, %a, %b; jltu %b, 32, %L; asr %c, %a, 31"},
    CALLED(SHLV, true, "shl64", 5),
    CALLED(SHRV, true, "shr64", 5),
    CALLED(SARV, true, "sar64", 5),

    COMPARE(EQ, "eq", "neq"),
    COMPARE(NE, "neq", "eq"),
    COMPARE(LTU, "ltu", "geu"),
    COMPARE(GEU, "geu", "ltu"),
    COMPARE(LTS, "lts", "ges"),
    COMPARE(GES, "ges", "lts"),
    COMPARE_WIDE(EQ, "xz", "xnz"),
    COMPARE_WIDE(NE, "xnz", "xz"),
    COMPARE_WIDE(LTU, "ltu", "geu"),
    COMPARE_WIDE(GEU, "geu", "ltu"),
    COMPARE_WIDE(LTS, "lts", "ges"),
    COMPARE_WIDE(GES, "ges", "lts"),

    FOR_K(ZERO_EXTEND, false, 8, 8, "extub %c, %a"),
    FOR_K(ZERO_EXTEND, false, 16, 16, "extuh %c, %a"),
    FOR_K(ZERO_EXTEND, false, 1, 31, "and %c, %a, %m"),
    {.op = SCALAR_ZERO_EXTEND,
     .wide = true,
     .wanted = 32,
     .least = 1,
     .most = 31,
     .text = "and %cl, %al, %m"},
    FOR_K(ZERO_EXTEND, true, 1, 31, "and %cl, %al, %m; move %ch, 0"),
    FOR_K(ZERO_EXTEND, true, 32, 32, "move %cl, %al; move %ch, 0"),
    FOR_K(ZERO_EXTEND, true, 33, 63, "move %cl, %al; and %ch, %ah, %m"),
    FOR_K(SIGN_EXTEND, false, 8, 8, "extsb %c, %a"),
    FOR_K(SIGN_EXTEND, false, 16, 16, "extsh %c, %a"),
    FOR_K(SIGN_EXTEND, false, 1, 31, "lsl %c, %a, %j; asr %c, %c, %j"),
    FOR_K(SIGN_EXTEND, true, 1, 31, "lsl %cl, %al, %j; asr %cl, %cl, %j; asr %ch, %cl, 31"),
    FOR_K(SIGN_EXTEND, true, 32, 32, "move %cl, %al; asr %ch, %al, 31"),
    FOR_K(SIGN_EXTEND, true, 33, 63, "move %cl, %al; lsl %ch, %ah, %j; asr %ch, %ch, %j"),
    {.op = SCALAR_PAIR,
     .wide = true,
     .immediate = ANY,
     .early = true,
     .text = "move %cl, %a; move %ch, %b"},
    PLAIN(ONES, "cao %c, %a"),
    PLAIN(ZEROS, "clz %c, %a"),

    /* Products of bytes: of what is not asked for there are none. */
    {.op = SCALAR_MUL, .wanted = 8, .text = "mul_ul_ul %c, %a, %b"},
    {.op = SCALAR_MUL, .known = 8, .text = "mul_ul_ul %c, %a, %b"},
    {.op = SCALAR_MUL,
     .wanted = 16,
     .known_b = 8,
     .early = true,
     .temporaries = 1,
     .text = "mul_uh_ul %t, %a, %b; mul_ul_ul %c, %a, %b; lsl_add %c, %c, %t, 8"},
    {.op = SCALAR_MUL,
     .wanted = 16,
     .early = true,
     .temporaries = 1,
     .text = "mul_uh_ul %t, %a, %b; mul_ul_uh %c, %a, %b; add %t, %t, %c; mul_ul_ul %c, %a, %b; "
             "lsl_add %c, %c, %t, 8"},
    {.op = SCALAR_MUL,
     .known = 16,
     .early = true,
     .temporaries = 1,
     .text = "mul_uh_ul %t, %a, %b; mul_ul_uh %c, %a, %b; add %t, %t, %c; mul_uh_uh %c, %a, %b; "
             "lsl_add %c, %t, %c, 8; mul_ul_ul %t, %a, %b; lsl_add %c, %t, %c, 8"},
    {.op = SCALAR_MUL,
     .known_b = 8,
     .early = true,
     .temporaries = 1,
     .text = "lsr %t, %a, 16; mul_uh_ul %c, %t, %b; mul_ul_ul %t, %t, %b; lsl_add %c, %t, %c, 8; "
             "mul_uh_ul %t, %a, %b; lsl_add %c, %t, %c, 8; mul_ul_ul %t, %a, %b; "
             "lsl_add %c, %t, %c, 8"},
    {.op = SCALAR_MUL,
     .known_b = 16,
     .early = true,
     .temporaries = 2,
     .text = "lsr %t, %a, 16; mul_uh_ul %c, %t, %b; mul_ul_uh %u, %t, %b; add %c, %c, %u; "
             "mul_ul_ul %t, %t, %b; lsl_add %c, %t, %c, 8; mul_uh_uh %u, %a, %b; add %c, %c, %u; "
             "mul_uh_ul %t, %a, %b; mul_ul_uh %u, %a, %b; add %t, %t, %u; lsl_add %c, %t, %c, 8; "
             "mul_ul_ul %t, %a, %b; lsl_add %c, %t, %c, 8"},
    {.op = SCALAR_MUL, .least = 1, .most = 1, .routine = "mul32_any", .changes = (1u << 7) - 1},
    CALLED(MUL, false, "mul32", 7),
    {.op = SCALAR_MUL,
     .wide = true,
     .known = 32,
     .routine = "mul32_long",
     .changes = (1u << 9) - 1},
    CALLED(MUL, true, "mul64", 12),
    CALLED(DIVIDE, false, "div32", 6),
    CALLED(DIVIDE, true, "div64", 10),
};

static const char *const names[] = {"r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
                                    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
                                    "r16", "r17", "r18", "r19", "r20", "r21"};
static const char *const pairs[] = {"d0",  "", "d2",  "", "d4",  "", "d6",  "",
                                    "d8",  "", "d10", "", "d12", "", "d14", "",
                                    "d16", "", "d18", "", "d20", ""};

const struct scalar_core *dpu_scalar_core(void) {
    static const struct scalar_core core = {
        .patterns = patterns,
        .count = sizeof patterns / sizeof *patterns,
        .names = names,
        .pairs = pairs,
        .registers = sizeof names / sizeof *names,
        .zero = "zero",
        .second_word = 1,
        .second_pair = 2,
        .call = "call r23, %r",
        .same = "move ",
        .move = "move %c, %a",
        .move_pair = "movd %Cp, %Ap",
        .constant = "move %c, %b",
        .constant_pair = "move %ch, %bh; move %cl, %bl",
        .if_zero = "jz %a, %L",
        .if_not_zero = "jnz %a, %L",
        .spill = "sw r22, %o, %b",
        .spill_pair = "sd r22, %o, %Bp",
        .reload = "lw %c, r22, %o",
        .reload_pair = "ld %Cp, r22, %o",
        .called_registers = 14,
        .own = "r22",
        .enter = "sw r22, %o, r23",
        .leave = "lw r23, r22, %o",
        .back = "jump r23",
    };
    return &core;
}
