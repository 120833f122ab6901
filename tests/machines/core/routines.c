/* SPDX-License-Identifier: MIT
 * How a core carries out the MPU's instructions: a routine each, in the core's own assembly.  Loads
 * come before the first store, so that operands may be one register.  x1, x2 and x3 are what rs, rt
 * and rd hold, results leave in x1; no register holds anything at the start but x0, which is 0. */
#include "core.h"

#define S    "ld x1 rs; "
#define ST   "ld x1 rs; ld x2 rt; "
#define SST  "ld x1 rs.s; ld x2 rt.s; " /* with their signs */
#define STD  "ld x1 rs; ld x2 rt; ld x3 rd; "
#define D    "ld x1 rd; "
#define RD   "st x1 rd; end"
#define C    "st x1 C; end"
#define M    "st x1 M; end"
#define NOT  "li x9 -1; xor x1 x1 x9; "
#define FLIP "li x9 1; xor x1 x1 x9; " /* of one bit */
/* The constant as a pattern of the width. */
#define IMM "li x2 imm; li x9 pad; shl x2 x2 x9; shr x2 x2 x9; "

/* x1 *= x2: a lap for each bit of x2 up to its highest. */
#define MULTIPLY                                                                                   \
    "li x9 1; li x4 0;"                                                                            \
    "lap: beqz x2 done; and x5 x2 x9; beqz x5 zero; add x4 x4 x1;"                                 \
    "zero: shl x1 x1 x9; shr x2 x2 x9; beqz x0 lap;"                                               \
    "done: or x1 x4 x0; "
/* x3 = x1 / x2 and x1 = the rest: the divisor goes up to below the dividend, and comes down.  By 0
 * the quotient is all ones, and the rest the dividend. */
#define DIVIDE                                                                                     \
    "li x9 1; li x3 -1; beqz x2 done; li x3 0; or x4 x2 x0; li x5 1; shr x6 x1 x9;"                \
    "up: ltu x7 x6 x4; bnez x7 down; shl x4 x4 x9; shl x5 x5 x9; beqz x0 up;"                      \
    "down: beqz x5 done; ltu x7 x1 x4; bnez x7 less; sub x1 x1 x4; or x3 x3 x5;"                   \
    "less: shr x4 x4 x9; shr x5 x5 x9; beqz x0 down;"                                              \
    "done: "
/* The same of numbers with signs, rounded to 0.  x10: rs is negative; x11: rt is; x12: one is. */
#define SIGNED_DIVIDE                                                                              \
    SST "lts x10 x1 x0; lts x11 x2 x0; xor x12 x10 x11; or x13 x2 x0;"                             \
        "beqz x10 plus; sub x1 x0 x1; plus: beqz x11 both; sub x2 x0 x2; both: " DIVIDE            \
        "beqz x10 rest; sub x1 x0 x1; rest: beqz x13 signed; beqz x12 signed; sub x3 x0 x3; "      \
        "signed: "
/* And rounded down: one less where the rest is not 0 and one is negative. */
#define ROUND_DOWN "beqz x13 out; beqz x12 out; beqz x1 out; sub x3 x3 x9; add x1 x1 x13; out: "
/* x1 if `test` leaves 0 in x3, else x2. */
#define CHOOSE(test) test "; beqz x3 first; or x1 x2 x0; first: "
/* The smaller to rs, the larger to rt; x3: they are in order. */
#define EXCHANGE "beqz x3 swap; st x1 rs; st x2 rt; end; swap: st x2 rs; st x1 rt; end"
#define PIECE(shift)                                                                               \
    D "li x9 " #shift "; li x2 4095; li x3 imm; shl x2 x2 x9; shl x3 x3 x9;"                       \
      "li x9 -1; xor x2 x2 x9; and x1 x1 x2; or x1 x1 x3; " RD

const char *const core_routines[OP_COUNT] = {
    [OP_GETMASK] = "ld x1 M; sub x1 x0 x1; " RD,
    [OP_SETMASK] = S "ld x2 valid; and x1 x1 x2; " M,
    [OP_SETMASK_COND] = "ld x1 C; ld x2 valid; and x1 x1 x2; " M,
    [OP_UNMASK] = "ld x1 valid; " M,
    [OP_ANDMASK] = S "ld x2 M; and x1 x1 x2; " M,
    [OP_ANDMASK_COND] = "ld x1 C; ld x2 M; and x1 x1 x2; " M,
    [OP_ANDNMASK] = "ld x1 C; ld x2 M; " FLIP "and x1 x1 x2; " M,
    [OP_GETC] = "ld x1 C; " RD,
    [OP_SETC] = S C,
    [OP_MOV] = S RD,
    [OP_INIT0] = "st x0 rd; end",
    [OP_INIT1] = "li x1 1; " RD,
    [OP_ZEXT] = "ld x1 src; " RD,
    [OP_SEXT] = "ld x1 src.s; " RD,
    [OP_LI] = "li x1 imm; " RD,
    [OP_LIK1] = PIECE(12),
    [OP_LIK2] = PIECE(24),
    [OP_LIK3] = PIECE(36),
    [OP_LIK4] = PIECE(48),
    [OP_LIK5] = PIECE(60),
    [OP_ADD] = ST "add x1 x1 x2; " RD,
    [OP_SUB] = ST "sub x1 x1 x2; " RD,
    [OP_INC] = S "li x2 1; add x1 x1 x2; " RD,
    [OP_DEC] = S "li x2 -1; add x1 x1 x2; " RD,
    [OP_NEG] = S "sub x1 x0 x1; " RD,
    [OP_ABS] = "ld x1 rs.s; lts x3 x1 x0; beqz x3 out; sub x1 x0 x1; out: " RD,
    [OP_RELU] = "ld x1 rs.s; lts x3 x1 x0; beqz x3 out; li x1 0; out: " RD,
    [OP_MUL] = ST MULTIPLY RD,
    [OP_MAC] = STD MULTIPLY "add x1 x1 x3; " RD,
    [OP_QDIV] = ST DIVIDE "or x1 x3 x0; " RD,
    [OP_RDIV] = ST DIVIDE RD,
    [OP_QRDIV] = ST DIVIDE "st x1 rt; st x3 rd; end",
    [OP_SDIV] = SIGNED_DIVIDE "or x1 x3 x0; " RD,
    [OP_SREM] = SIGNED_DIVIDE RD,
    [OP_FLDIV] = SIGNED_DIVIDE ROUND_DOWN "or x1 x3 x0; " RD,
    [OP_FLMOD] = SIGNED_DIVIDE ROUND_DOWN RD,
    [OP_ADDI] = D "li x2 imm; add x1 x1 x2; " RD,
    [OP_ANDI] = D "li x2 imm; and x1 x1 x2; " RD,
    [OP_MULI] = D IMM MULTIPLY RD,
    [OP_CMPEQI] = D IMM "xor x1 x1 x2; li x2 1; ltu x1 x1 x2; " C,
    [OP_CMPLTI] = D IMM "ltu x1 x1 x2; " C,
    [OP_CMPGTI] = D IMM "ltu x1 x2 x1; " C,
    [OP_CMPEQ] = ST "xor x1 x1 x2; li x2 1; ltu x1 x1 x2; " C,
    [OP_CMPNE] = ST "xor x1 x1 x2; ltu x1 x0 x1; " C,
    [OP_CMPGT] = ST "ltu x1 x2 x1; " C,
    [OP_CMPLT] = ST "ltu x1 x1 x2; " C,
    [OP_CMPGE] = ST "ltu x1 x1 x2; " FLIP C,
    [OP_CMPLE] = ST "ltu x1 x2 x1; " FLIP C,
    [OP_CMPGTS] = SST "lts x1 x2 x1; " C,
    [OP_CMPLTS] = SST "lts x1 x1 x2; " C,
    [OP_CMPGES] = SST "lts x1 x1 x2; " FLIP C,
    [OP_CMPLES] = SST "lts x1 x2 x1; " FLIP C,
    [OP_FUZZY] = STD "li x9 -1; xor x3 x3 x9; xor x1 x1 x2; and x1 x1 x3; "
                     "li x2 1; ltu x1 x1 x2; " C,
    [OP_MAX] = ST CHOOSE("ltu x3 x1 x2") RD,
    [OP_MIN] = ST CHOOSE("ltu x3 x2 x1") RD,
    [OP_MAXS] = SST CHOOSE("lts x3 x1 x2") RD,
    [OP_MINS] = SST CHOOSE("lts x3 x2 x1") RD,
    [OP_CAS] = ST "ltu x3 x1 x2; " EXCHANGE,
    [OP_CASS] = SST "lts x3 x1 x2; " EXCHANGE,
    [OP_MUX] = STD "xor x1 x1 x2; and x1 x1 x3; xor x1 x1 x2; " RD,
    [OP_SEL] = STD "li x9 1; and x3 x3 x9; bnez x3 out; or x1 x2 x0; out: " RD,
    [OP_AND] = ST "and x1 x1 x2; " RD,
    [OP_NAND] = ST "and x1 x1 x2; " NOT RD,
    [OP_NOR] = ST "or x1 x1 x2; " NOT RD,
    [OP_OR] = ST "or x1 x1 x2; " RD,
    [OP_XOR] = ST "xor x1 x1 x2; " RD,
    [OP_XNOR] = ST "xor x1 x1 x2; " NOT RD,
    [OP_INV] = S NOT RD,
    [OP_BFLIP] = S "li x9 1; li x3 w; li x2 0; lap: shl x2 x2 x9; and x4 x1 x9; or x2 x2 x4; "
                   "shr x1 x1 x9; sub x3 x3 x9; bnez x3 lap; st x2 rd; end",
    [OP_POPC] = S "li x9 1; li x2 0; lap: beqz x1 out; sub x3 x1 x9; and x1 x1 x3; add x2 x2 x9; "
                  "beqz x0 lap; out: st x2 rd; end",
    [OP_LSHIFT] = S "li x2 1; shl x1 x1 x2; " RD,
    [OP_SHLI] = S "li x2 imm; shl x1 x1 x2; " RD,
    [OP_SHRI] = S "li x2 imm; shr x1 x1 x2; " RD,
    [OP_SARI] = "ld x1 rs.s; li x2 imm; sar x1 x1 x2; " RD,
    [OP_SHL] = ST "shl x1 x1 x2; " RD,
    [OP_SHR] = ST "shr x1 x1 x2; " RD,
    [OP_SAR] = "ld x1 rs.s; ld x2 rt; sar x1 x1 x2; " RD,
};
