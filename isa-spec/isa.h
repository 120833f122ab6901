/* SPDX-License-Identifier: MIT
 * The MPU ISA as the tools see it.  Everything about an instruction stands in isa-spec/ *.isa;
 * the generator isa-gen turns those tables into isa_ops.h (enum isa_op), the table behind
 * isa_info(), the decoder and the golden functions. */
#ifndef ISA_SPEC_ISA_H
#define ISA_SPEC_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa-spec/lut.h"
#include "isa-spec/product.h"
#include "support/ieee.h"

#include "isa_ops.h" /* generated: enum isa_op { OP_NOP, OP_ADD, ..., OP_COUNT } */

enum isa_format {
    FORMAT_R,
    FORMAT_I,
    FORMAT_Q,
    FORMAT_P,
    FORMAT_V,
    FORMAT_M,
    FORMAT_J,
    FORMAT_N,
    FORMAT_D,
    FORMAT_Z
};

/* Instruction sets (design of docs/isa.md); a binary records a bit mask 1 << set. */
enum isa_set {
    SET_BASE,
    SET_S,
    SET_H,
    SET_C,
    SET_R,
    SET_L,
    SET_F,
    SET_Q,
    SET_K,
    SET_D,
    SET_P,
    SET_COUNT
};
const char *isa_set_name(enum isa_set set); /* "base", "S", ... */

/* What an operand of the assembly text is; the prefix that types it is in the comment.
 * Operands of different kinds may be written in any order ("MEMCPY r1 VRF2 ...", "LI r1 5"):
 * each takes the first free role of its kind.  The order of the table is the one printed. */
enum operand_role {
    ROLE_RS,         /* r7 */
    ROLE_RT,         /* r7 */
    ROLE_RD,         /* r7 */
    ROLE_COUNT,      /* shift count 0..63, in field rt */
    ROLE_SRCWIDTH,   /* source width 1..64, field rt holds it less one */
    ROLE_CONVERSION, /* a word of CVT, in field rt: enum isa_conversion */
    ROLE_IMM,        /* 12-bit signed immediate (LIK: 12-bit pattern, -2048..4095 accepted) */
    ROLE_RFH,        /* RFH3 */
    ROLE_VRF,        /* VRF3 */
    ROLE_RFH_DST,    /* RFH3: MOVE's second */
    ROLE_VRF_SRC,    /* VRF3: MEMCPY */
    ROLE_VRF_DST,    /* VRF3: MEMCPY */
    ROLE_TARGET,     /* label or index */
    ROLE_VALUE,      /* REPEAT's count, MARK/PRINT/ASSERT's record: 22-bit unsigned */
    ROLE_MPU,        /* SEND, RECV, by mode: MPU3, MPU+1, "MPU+1 wrap", MPU(dx,dy) */
    ROLE_GROUP,      /* @name: COMPUTEG */
    ROLE_COND,       /* the word "cond": SETMASK cond and kin; no field */
    ROLE_LANEMAP, /* LANE: identity, shift 1, rotate -1, gather 2, scatter 2, reverse, broadcast 0
                   */
    ROLE_LUT,     /* LUT */
    ROLE_CALL,    /* AVG.8 r1 r2 r3 else sub: RECIPE */
    ROLE_MOVE,    /* name: GMOVE */
    ROLE_SHAPE,   /* name of a shape of products: MULP */
};
#define ISA_MAX_OPERANDS 4

/* Modes of LANE: where lane l of the destination takes its value from, in a VRF of L lanes.  What
 * has no source keeps its value. */
enum lane_map {
    LANE_IDENTITY,  /* l; k = 0 */
    LANE_SHIFT,     /* l - k, unless that is no lane */
    LANE_ROTATE,    /* (l - k) modulo L */
    LANE_GATHER,    /* l * k, unless that is no lane; k >= 1 */
    LANE_SCATTER,   /* l / k where k divides l; k >= 1 */
    LANE_REVERSE,   /* L - 1 - l; k = 0 */
    LANE_BROADCAST, /* k, unless that is no lane; k >= 0 */
    LANE_MAPS
};
/* "identity", "shift" ...; NULL beyond LANE_MAPS. */
const char *isa_lane_map_name(unsigned mode);
/* Whether the map is written with its k. */
bool isa_lane_map_has_k(unsigned mode);

/* What CVT converts.  Those from another format read rs at that format's width. */
enum isa_conversion {
    CONVERT_FROM_INT,
    CONVERT_FROM_UNSIGNED,
    CONVERT_TO_INT, /* toward zero */
    CONVERT_TO_UNSIGNED,
    CONVERT_TO_INT_NEAREST, /* to nearest even */
    CONVERT_TO_UNSIGNED_NEAREST,
    CONVERT_FROM_F16 = 8,
    CONVERT_FROM_BF16,
    CONVERT_FROM_F32,
    CONVERT_FROM_F64,
    CONVERT_BFLOAT = 16, /* added: the format of w = 16 is bfloat16 */
    CONVERSIONS = 32
};
/* "from_int", "bf16_from_f32" ...; NULL where there is no such conversion. */
const char *isa_conversion_name(unsigned code);

enum isa_flags {
    READS_RS = 1 << 0,
    READS_RT = 1 << 1,
    READS_RD = 1 << 2,
    READS_C = 1 << 3,
    READS_M = 1 << 4,
    WRITES_RS = 1 << 5,
    WRITES_RT = 1 << 6,
    WRITES_RD = 1 << 7,
    WRITES_C = 1 << 8,
    WRITES_M = 1 << 9,
    /* Carried out by the datapath on the lanes of a VRF (needs a recipe). */
    ISA_VECTOR = 1 << 10,
    /* Acts on every lane whatever M holds (GETMASK, SETMASK, UNMASK ...). */
    ISA_UNMASKED = 1 << 11,
    /* Predication of the batch is on, or off, after it. */
    ISA_PREDICATE_ON = 1 << 12,
    ISA_PREDICATE_OFF = 1 << 13,
    /* Has a width, in bits 23:18; LUT has that of its table, MULP that of its shape. */
    ISA_WIDTH = 1 << 14,
    /* Reserved: decodes and assembles in no tool yet. */
    ISA_RESERVED = 1 << 15,
    /* Ends a straight run of the body: jumps, REPEAT bounds, MARK, PRINT, ASSERT, footers. */
    ISA_CUTS_RUN = 1 << 16,
    /* An opcode of 0xC0..0xFF: a recipe file names it and says what it does. */
    ISA_USER = 1 << 17,
    /* Its width is 16, 32 or 64: a binary format of IEEE 754. */
    ISA_FLOAT = 1 << 18,
    /* Its width is 16: bfloat16. */
    ISA_BFLOAT = 1 << 19,
};

/* State of one lane for a golden function.  The caller zero-extends rs, rt, rd from their low w
 * bits before and keeps only bits 0..w-1 of what the flags say is written (rs: from its low
 * isa_source_bits; rs and rt of MULP from a and b bits).  imm: the sign-extended immediate, shift
 * count or source width; of MULP what isa_product_constant says. */
struct golden_lane {
    uint64_t rs, rt, rd;
    bool c, m, valid;
    unsigned w;
    int64_t imm;
    const struct isa_lut *lut; /* LUT: its table */
    bool flush;                /* floats have no subnormal numbers (ieee_format.flush) */
};
typedef void golden_fn(struct golden_lane *x);

struct isa_info {
    const char *name; /* "ADD" */
    uint8_t opcode;
    enum isa_format format;
    enum isa_set set;
    uint8_t operand_count;
    uint8_t operands[ISA_MAX_OPERANDS]; /* enum operand_role, in the order of the text */
    uint32_t flags;                     /* enum isa_flags */
    uint8_t fixed_width;                /* MEMCPY.8 .16 .32 .64: that width; else 0 */
    golden_fn *golden;                  /* NULL unless ISA_VECTOR and lane-wise, and not ISA_USER */
    const char *operation;              /* "rd = rs + rt" */
    const char *text;                   /* one or two sentences for people */
    const char *decision;               /* where the paper is silent or contradicts itself, or "" */
};

const struct isa_info *isa_info(enum isa_op op);

/* A program's own instruction, macro or subroutine may be called like an instruction, and is meant
 * then: a name that a newer ISA takes breaks no program.  ISA_ADD is the ISA's ADD in any case. */
#define ISA_QUALIFIER "ISA_"
bool isa_is_qualified(const char *name, size_t length);

/* The op named by a mnemonic, any case, qualified or not; OP_COUNT if there is none.  SETMASK rs
 * and SETMASK cond (and ANDMASK, and the four MEMCPY widths) share a name: this returns the first
 * and isa_next_form the following one with the same name, OP_COUNT after the last. */
enum isa_op isa_find(const char *name, size_t length);
enum isa_op isa_next_form(enum isa_op op);
/* All distinct mnemonics, sorted, but the reserved and user ones; for did-you-mean.  *count is
 * set. */
const char *const *isa_mnemonics(size_t *count);

/* One instruction, decoded.  Fields that its format does not have are 0. */
struct insn {
    enum isa_op op;
    uint8_t width; /* 1..64; MEMCPY 8, 16, 32, 64; 0 where there is none.  The words of LUT and MULP
                      do not say it: decoding leaves 0, and isa_set_table or isa_set_product fills
                      it in */
    uint8_t rs, rt, rd;
    uint8_t mode;             /* N, D */
    uint16_t rfh, vrf;        /* V: COMPUTE rfh vrf; MOVE: source RFH in rfh, destination in vrf */
    uint8_t vrf_src, vrf_dst; /* M */
    int32_t imm;   /* I: immediate; R with a constant: count or source width (1..64); J: target;
                      N: value (unsigned; modes 1 and 2: signed; 3: dx << 11 | dy as stored); D: k.
                     LIKk decodes to its pattern, 0..4095; encode takes -2048..4095.  P: the shape's
                     isa_product_constant once it is known; no part of the word */
    uint16_t lut;  /* Q: number of the table */
    uint8_t shape; /* P: number of the shape */
    const struct isa_lut *table; /* Q: the table itself, where it is known; no part of the word */
};
/* The table of a LUT, and the width that it has by that. */
static inline void isa_set_table(struct insn *insn, const struct isa_lut *table) {
    insn->table = table;
    insn->width = table->width;
}
/* Whether an instruction looks up a table. */
bool isa_has_table(enum isa_op op);

/* The shape of a MULP, and the width that it has by that. */
static inline void isa_set_product(struct insn *insn, const struct isa_product *product) {
    insn->imm = isa_product_constant(product);
    insn->width = product->width;
}
/* Whether an instruction names a shape of products. */
bool isa_has_shape(enum isa_op op);

enum isa_error {
    ISA_OK,
    ISA_UNKNOWN_OPCODE,
    ISA_RESERVED_OPCODE,
    ISA_NONZERO_FIELD, /* a field without meaning is not zero */
    ISA_BAD_MODE,
    ISA_BAD_FIELD,    /* ZEXT wider than w, LIKk beyond w, QRDIV rd = rt, VRF >= 64 ... */
    ISA_OUT_OF_RANGE, /* encode only: a value does not fit its field */
};
const char *isa_error_text(enum isa_error error);

/* *insn is complete on ISA_OK, else unspecified. */
enum isa_error isa_decode(uint32_t word, struct insn *insn);
/* True if the word has the opcode of that instruction: only then can it decode to it. */
bool isa_may_be(uint32_t word, enum isa_op op);
enum isa_error isa_encode(const struct insn *insn, uint32_t *word);

/* The text of an instruction in the assembler's syntax without a label: "ADD.32 r1 r2 r3",
 * "JUMP_COND 12", "COMPUTEG @0".  Appends to out; names are the caller's business: `symbol` is
 * printed as it stands (COMPUTEG: "@name") for the operand of role IMM, TARGET, VALUE, MPU, GROUP,
 * LUT, SHAPE, CALL or MOVE, NULL prints its number.  Widths are always printed. */
struct str;
void isa_format_insn(const struct insn *insn, const char *symbol, struct str *out);
/* The same with another mnemonic: the name of a user instruction. */
void isa_format_named(const struct insn *insn, const char *name, const char *symbol,
                      struct str *out);

/* The role of the constant among the operands: ROLE_COUNT, ROLE_SRCWIDTH, ROLE_CONVERSION,
 * ROLE_IMM or ROLE_SHAPE; -1 if there is none. */
int isa_constant_role(const struct isa_info *info);
/* How many bits of rs are read: the width, the source width of ZEXT and SEXT (an imm that is none
 * counts as the width), that of CVT's source, a of MULP; 1 where there is no width. */
unsigned isa_source_bits(const struct insn *insn);
/* How many bits of a register operand, ROLE_RS to ROLE_RD, are read or written. */
unsigned isa_operand_bits(const struct insn *insn, enum operand_role role);

/* The format in which the instruction reads its sources; exponent_bits is 0 where they are not
 * floats. */
struct ieee_format isa_source_format(const struct insn *insn);
/* That of the number which it leaves in a register; exponent_bits is 0 where that is none. */
struct ieee_format isa_result_format(const struct insn *insn);

/* Which of the registers rs, rt, rd are data registers of this instruction: for the register
 * map.  Calls visit(ctx, reg, bits) for each with the bits that it reads or writes. */
void isa_visit_registers(const struct insn *insn,
                         void (*visit)(void *ctx, unsigned reg, unsigned bits), void *ctx);

#endif
