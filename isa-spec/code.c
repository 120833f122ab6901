/* SPDX-License-Identifier: MIT
 * Words to instructions and back.  One table row per opcode says which bits must be zero and
 * what is to be checked beyond them; fields lie where isa_fields.inc says. */
#include "isa-spec/isa.h"

enum opcode_state { OPCODE_UNKNOWN, OPCODE_RESERVED, OPCODE_LEGAL };
enum check_kind {
    CHECK_NONE,
    CHECK_SOURCE,     /* the source is not wider than w */
    CHECK_PIECE,      /* the immediate fits the bits that it sets */
    CHECK_DISTINCT,   /* rd != rt */
    CHECK_VRF,        /* vrf < 64 */
    CHECK_FLOAT,      /* a width that binary formats have */
    CHECK_BFLOAT,     /* width 16 */
    CHECK_CONVERSION, /* a conversion that exists, at a width that it has */
    CHECK_LANEMAP,    /* a mode that exists, with a k that it can have */
};
/* What field rt of format R holds, if not a register. */
enum constant_kind { CONSTANT_NONE, CONSTANT_COUNT, CONSTANT_SOURCE };

struct decode_row {
    uint32_t zero; /* bits that must be zero */
    uint8_t state, op, format, check, constant;
    uint8_t piece;     /* the immediate goes to bits 12 * piece and up */
    uint8_t has_width; /* in bits 23:18 */
    uint8_t fixed_width;
};

#include "isa_decode.inc"

#include "isa_fields.inc"

#define FIELD_MASK(field) (((uint32_t)1 << field##_BITS) - 1)
#define GET(word, field)  ((word) >> field##_SHIFT & FIELD_MASK(field))
#define N_MODE_PLACE      (FIELD_MASK(N_MODE) << N_MODE_SHIFT)
#define VRFS_PER_RFH      64
#define OPCODE_SHIFT      24

/* The low `bits` of value as a signed number. */
static int32_t extend(uint32_t value, unsigned bits) {
    uint32_t sign = (uint32_t)1 << (bits - 1);
    return (int32_t)((value ^ sign) - sign);
}

/* Whether the 12-bit immediate fits n = min(12, w - 12k) bits, read as signed or as unsigned. */
static bool piece_fits(uint32_t word, unsigned index) {
    int32_t w = (int32_t)GET(word, I_W) + 1, n = w - 12 * (int32_t)index;
    int32_t imm = extend(GET(word, I_IMM), I_IMM_BITS);
    if (n >= I_IMM_BITS)
        return true;
    return n > 0 && imm >= -((int32_t)1 << (n - 1)) && imm < (int32_t)1 << n;
}

static bool lane_map_fits(uint32_t word) {
    int32_t k = extend(GET(word, D_K), D_K_BITS);
    switch (GET(word, D_MODE)) {
    case LANE_IDENTITY:
    case LANE_REVERSE:
        return k == 0;
    case LANE_SHIFT:
    case LANE_ROTATE:
        return true;
    case LANE_GATHER:
    case LANE_SCATTER:
        return k >= 1;
    case LANE_BROADCAST:
        return k >= 0;
    default:
        return false;
    }
}

static bool float_width(uint32_t word) {
    uint32_t w = GET(word, R_W) + 1;
    return w == 16 || w == 32 || w == 64;
}

static bool conversion_fits(uint32_t word) {
    uint32_t code = GET(word, R_RT);
    return isa_conversion_name(code) && float_width(word) &&
           (code < CONVERT_BFLOAT || GET(word, R_W) == 15);
}

static inline bool check_passes(const struct decode_row *row, uint32_t word) {
    switch ((enum check_kind)row->check) {
    case CHECK_NONE:
        return true;
    case CHECK_SOURCE:
        return GET(word, R_RT) <= GET(word, R_W);
    case CHECK_PIECE:
        return piece_fits(word, row->piece);
    case CHECK_DISTINCT:
        return GET(word, R_RD) != GET(word, R_RT);
    case CHECK_VRF:
        return GET(word, V_VRF) < VRFS_PER_RFH;
    case CHECK_FLOAT:
        return float_width(word);
    case CHECK_BFLOAT:
        return GET(word, R_W) == 15;
    case CHECK_CONVERSION:
        return conversion_fits(word);
    case CHECK_LANEMAP:
        return lane_map_fits(word);
    }
    return false;
}

/* The error of a word whose opcode is legal. */
static inline enum isa_error check_word(const struct decode_row *row, uint32_t word) {
    if (word & row->zero)
        return row->format == FORMAT_N && word & N_MODE_PLACE ? ISA_BAD_MODE : ISA_NONZERO_FIELD;
    return check_passes(row, word) ? ISA_OK : ISA_BAD_FIELD;
}

static void unpack_r(const struct decode_row *row, uint32_t word, struct insn *insn) {
    insn->rd = (uint8_t)GET(word, R_RD);
    insn->rs = (uint8_t)GET(word, R_RS);
    if (row->has_width)
        insn->width = (uint8_t)(GET(word, R_W) + 1);
    if (row->constant == CONSTANT_NONE)
        insn->rt = (uint8_t)GET(word, R_RT);
    else
        insn->imm = (int32_t)GET(word, R_RT) + (row->constant == CONSTANT_SOURCE);
}

/* LIKk: the pattern, 0..4095; the others: the signed number. */
static void unpack_i(const struct decode_row *row, uint32_t word, struct insn *insn) {
    uint32_t imm = GET(word, I_IMM);
    insn->width = (uint8_t)(GET(word, I_W) + 1);
    insn->rd = (uint8_t)GET(word, I_RD);
    insn->imm = row->piece ? (int32_t)imm : extend(imm, I_IMM_BITS);
}

static void unpack_m(const struct decode_row *row, uint32_t word, struct insn *insn) {
    insn->width = row->fixed_width;
    insn->vrf_src = (uint8_t)GET(word, M_VRF_SRC);
    insn->rs = (uint8_t)GET(word, M_RS);
    insn->vrf_dst = (uint8_t)GET(word, M_VRF_DST);
    insn->rd = (uint8_t)GET(word, M_RD);
}

static bool mode_is_signed(unsigned mode) {
    return mode == 1 || mode == 2;
}

static void unpack_n(uint32_t word, struct insn *insn) {
    uint32_t value = GET(word, N_VALUE);
    insn->mode = (uint8_t)GET(word, N_MODE);
    insn->imm = mode_is_signed(insn->mode) ? extend(value, N_VALUE_BITS) : (int32_t)value;
}

static void unpack(const struct decode_row *row, uint32_t word, struct insn *insn) {
    *insn = (struct insn){.op = (enum isa_op)row->op};
    switch ((enum isa_format)row->format) {
    case FORMAT_R:
        unpack_r(row, word, insn);
        break;
    case FORMAT_I:
        unpack_i(row, word, insn);
        break;
    case FORMAT_V:
        insn->rfh = (uint16_t)GET(word, V_RFH);
        insn->vrf = (uint16_t)GET(word, V_VRF);
        break;
    case FORMAT_M:
        unpack_m(row, word, insn);
        break;
    case FORMAT_J:
        insn->imm = (int32_t)GET(word, J_TARGET);
        break;
    case FORMAT_N:
        unpack_n(word, insn);
        break;
    case FORMAT_D:
        insn->mode = (uint8_t)GET(word, D_MODE);
        insn->imm = extend(GET(word, D_K), D_K_BITS);
        break;
    case FORMAT_Q:
        insn->rd = (uint8_t)GET(word, Q_RD);
        insn->rs = (uint8_t)GET(word, Q_RS);
        insn->lut = (uint16_t)GET(word, Q_LUT);
        break;
    case FORMAT_P:
        insn->shape = (uint8_t)GET(word, P_SHAPE);
        insn->rd = (uint8_t)GET(word, P_RD);
        insn->rs = (uint8_t)GET(word, P_RS);
        insn->rt = (uint8_t)GET(word, P_RT);
        break;
    case FORMAT_Z:
        break;
    }
}

bool isa_may_be(uint32_t word, enum isa_op op) {
    return decode_rows[word >> OPCODE_SHIFT].op == op;
}

enum isa_error isa_decode(uint32_t word, struct insn *insn) {
    const struct decode_row *row = &decode_rows[word >> OPCODE_SHIFT];
    if (row->state != OPCODE_LEGAL)
        return row->state == OPCODE_RESERVED ? ISA_RESERVED_OPCODE : ISA_UNKNOWN_OPCODE;
    enum isa_error e = check_word(row, word);
    if (e == ISA_OK)
        unpack(row, word, insn);
    return e;
}

/* Puts value into `bits` bits from `shift` up; *fits becomes false if it is larger. */
static uint32_t put(uint32_t value, unsigned shift, unsigned bits, bool *fits) {
    *fits = *fits && value >> bits == 0;
    return (value & (((uint32_t)1 << bits) - 1)) << shift;
}
#define PUT(v, field, fits) put((uint32_t)(v), field##_SHIFT, field##_BITS, fits)

/* As PUT, for a number of low..high that is stored modulo 2^bits. */
static uint32_t put_signed(int32_t value, int32_t low, int32_t high, uint32_t mask, bool *fits) {
    *fits = *fits && value >= low && value <= high;
    return (uint32_t)value & mask;
}

static uint32_t pack_r(const struct decode_row *row, const struct insn *insn, bool *fits) {
    uint32_t word = PUT(insn->rd, R_RD, fits) | PUT(insn->rs, R_RS, fits);
    if (row->has_width)
        word |= PUT(insn->width - 1, R_W, fits);
    if (row->constant == CONSTANT_NONE)
        return word | PUT(insn->rt, R_RT, fits);
    return word | PUT((uint32_t)insn->imm - (row->constant == CONSTANT_SOURCE), R_RT, fits);
}

static uint32_t pack_i(const struct decode_row *row, const struct insn *insn, bool *fits) {
    const int32_t half = (int32_t)1 << (I_IMM_BITS - 1);
    int32_t high = row->piece ? 2 * half - 1 : half - 1;
    return PUT(insn->width - 1, I_W, fits) | PUT(insn->rd, I_RD, fits) |
           put_signed(insn->imm, -half, high, FIELD_MASK(I_IMM), fits) << I_IMM_SHIFT;
}

static uint32_t pack_m(const struct insn *insn, bool *fits) {
    return PUT(insn->vrf_src, M_VRF_SRC, fits) | PUT(insn->rs, M_RS, fits) |
           PUT(insn->vrf_dst, M_VRF_DST, fits) | PUT(insn->rd, M_RD, fits);
}

static uint32_t pack_n(const struct insn *insn, bool *fits) {
    const int32_t half = (int32_t)1 << (N_VALUE_BITS - 1);
    bool is_signed = mode_is_signed(insn->mode);
    return PUT(insn->mode, N_MODE, fits) |
           put_signed(insn->imm, is_signed ? -half : 0, is_signed ? half - 1 : 2 * half - 1,
                      FIELD_MASK(N_VALUE), fits)
               << N_VALUE_SHIFT;
}

static uint32_t pack_d(const struct insn *insn, bool *fits) {
    const int32_t half = (int32_t)1 << (D_K_BITS - 1);
    return PUT(insn->mode, D_MODE, fits) |
           put_signed(insn->imm, -half, half - 1, FIELD_MASK(D_K), fits) << D_K_SHIFT;
}

static uint32_t pack(const struct decode_row *row, const struct insn *insn, bool *fits) {
    switch ((enum isa_format)row->format) {
    case FORMAT_R:
        return pack_r(row, insn, fits);
    case FORMAT_I:
        return pack_i(row, insn, fits);
    case FORMAT_V:
        return PUT(insn->rfh, V_RFH, fits) | PUT(insn->vrf, V_VRF, fits);
    case FORMAT_M:
        return pack_m(insn, fits);
    case FORMAT_J:
        return PUT(insn->imm, J_TARGET, fits);
    case FORMAT_N:
        return pack_n(insn, fits);
    case FORMAT_D:
        return pack_d(insn, fits);
    case FORMAT_Q:
        return PUT(insn->rd, Q_RD, fits) | PUT(insn->rs, Q_RS, fits) | PUT(insn->lut, Q_LUT, fits);
    case FORMAT_P:
        return PUT(insn->shape, P_SHAPE, fits) | PUT(insn->rd, P_RD, fits) |
               PUT(insn->rs, P_RS, fits) | PUT(insn->rt, P_RT, fits);
    case FORMAT_Z:
        break;
    }
    return 0;
}

/* What is known of the shape of a product must be one. */
static bool product_fits(const struct insn *insn) {
    struct isa_product product;
    return insn->width == 0 ? insn->imm == 0 : isa_product_of(insn->imm, insn->width, &product);
}

/* Nonzero if insn sets something that its format does not have: the word would not say it. */
static uint32_t foreign(const struct decode_row *row, const struct insn *insn) {
    uint32_t registers = insn->rs | insn->rt | insn->rd, vrfs = insn->vrf_src | insn->vrf_dst;
    uint32_t holders = (uint32_t)insn->rfh | insn->vrf, imm = (uint32_t)insn->imm;
    uint32_t odd = (uint32_t)insn->mode | insn->lut | insn->shape;
    switch ((enum isa_format)row->format) {
    case FORMAT_R:
        return odd | holders | vrfs | (row->has_width ? 0u : insn->width) |
               (row->constant == CONSTANT_NONE ? imm : insn->rt);
    case FORMAT_I:
        return odd | holders | vrfs | insn->rs | insn->rt;
    case FORMAT_V:
        return odd | registers | vrfs | insn->width | imm;
    case FORMAT_M:
        return odd | holders | insn->rt | imm | (insn->width ^ row->fixed_width);
    case FORMAT_J:
        return odd | registers | holders | vrfs | insn->width;
    case FORMAT_N:
    case FORMAT_D:
        return insn->lut | insn->shape | registers | holders | vrfs | insn->width;
    case FORMAT_Q: /* the width is the table's */
        return insn->mode | insn->shape | insn->rt | holders | vrfs | imm;
    case FORMAT_P: /* width and constant are the shape's */
        return (uint32_t)insn->mode | insn->lut | holders | vrfs;
    case FORMAT_Z:
        break;
    }
    return odd | registers | holders | vrfs | insn->width | imm;
}

enum isa_error isa_encode(const struct insn *insn, uint32_t *word) {
    if ((unsigned)insn->op >= OP_COUNT)
        return ISA_UNKNOWN_OPCODE;
    uint8_t opcode = isa_info(insn->op)->opcode;
    const struct decode_row *row = &decode_rows[opcode];
    if (row->state != OPCODE_LEGAL)
        return ISA_RESERVED_OPCODE;
    bool fits = true;
    uint32_t w = (uint32_t)opcode << OPCODE_SHIFT | pack(row, insn, &fits);
    if (!fits)
        return ISA_OUT_OF_RANGE;
    enum isa_error e = check_word(row, w);
    if (e == ISA_OK && foreign(row, insn))
        return ISA_NONZERO_FIELD;
    if (e == ISA_OK && row->format == FORMAT_P && !product_fits(insn))
        return ISA_BAD_FIELD;
    if (e == ISA_OK)
        *word = w;
    return e;
}
