/* SPDX-License-Identifier: MIT
 * The instruction table and its look-up. */
#include "isa-spec/golden.h"
#include "isa-spec/name_hash.h"

#include "isa_golden.inc"

#include "isa_table.inc"

#include "isa_names.inc"

const char *isa_set_name(enum isa_set set) {
    return set_names[set];
}

const struct isa_info *isa_info(enum isa_op op) {
    return &info_rows[op];
}

bool isa_has_table(enum isa_op op) {
    return info_rows[op].format == FORMAT_Q;
}

bool isa_has_shape(enum isa_op op) {
    return info_rows[op].format == FORMAT_P;
}

static bool same_name(const char *known, const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)known[i] != name_upper(name[i])) /* also where known ends */
            return false;
    return known[length] == '\0';
}

bool isa_is_qualified(const char *name, size_t length) {
    const size_t prefix = sizeof ISA_QUALIFIER - 1;
    for (size_t i = 0; i < prefix; i++)
        if (i >= length || name_upper(name[i]) != ISA_QUALIFIER[i])
            return false;
    return true;
}

enum isa_op isa_find(const char *name, size_t length) {
    if (isa_is_qualified(name, length)) {
        name += sizeof ISA_QUALIFIER - 1;
        length -= sizeof ISA_QUALIFIER - 1;
    }
    uint32_t h = name_hash(name, length) % NAME_SLOTS;
    for (; name_slots[h]; h = (h + 1) % NAME_SLOTS) {
        enum isa_op op = (enum isa_op)(name_slots[h] - 1);
        if (same_name(info_rows[op].name, name, length))
            return op;
    }
    return OP_COUNT;
}

enum isa_op isa_next_form(enum isa_op op) {
    return (enum isa_op)next_forms[op];
}

const char *const *isa_mnemonics(size_t *count) {
    *count = sizeof mnemonic_names / sizeof *mnemonic_names;
    return mnemonic_names;
}

static const char *const lane_map_names[LANE_MAPS] = {
    [LANE_IDENTITY] = "identity",   [LANE_SHIFT] = "shift",     [LANE_ROTATE] = "rotate",
    [LANE_GATHER] = "gather",       [LANE_SCATTER] = "scatter", [LANE_REVERSE] = "reverse",
    [LANE_BROADCAST] = "broadcast",
};

const char *isa_lane_map_name(unsigned mode) {
    return mode < LANE_MAPS ? lane_map_names[mode] : NULL;
}

bool isa_lane_map_has_k(unsigned mode) {
    return mode != LANE_IDENTITY && mode != LANE_REVERSE;
}

const char *isa_conversion_name(unsigned code) {
    static const char *const names[CONVERSIONS] = {
        "from_int",
        "from_unsigned",
        "to_int",
        "to_unsigned",
        "to_int_nearest",
        "to_unsigned_nearest",
        NULL,
        NULL,
        "from_f16",
        "from_bf16",
        "from_f32",
        "from_f64",
        [CONVERT_BFLOAT] = "bf16_from_int",
        "bf16_from_unsigned",
        "bf16_to_int",
        "bf16_to_unsigned",
        "bf16_to_int_nearest",
        "bf16_to_unsigned_nearest",
        NULL,
        NULL,
        "bf16_from_f16",
        "bf16_from_bf16",
        "bf16_from_f32",
        "bf16_from_f64",
    };
    return code < CONVERSIONS ? names[code] : NULL;
}

const char *isa_error_text(enum isa_error error) {
    switch (error) {
    case ISA_OK:
        return "no error";
    case ISA_UNKNOWN_OPCODE:
        return "unknown opcode";
    case ISA_RESERVED_OPCODE:
        return "reserved opcode";
    case ISA_NONZERO_FIELD:
        return "a field without meaning is not zero";
    case ISA_BAD_MODE:
        return "a mode that the instruction does not have";
    case ISA_BAD_FIELD:
        return "a field holds a value that the instruction does not allow";
    case ISA_OUT_OF_RANGE:
        return "a value does not fit its field";
    }
    return "unknown error";
}

int isa_constant_role(const struct isa_info *info) {
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_COUNT || info->operands[i] == ROLE_SRCWIDTH ||
            info->operands[i] == ROLE_CONVERSION || info->operands[i] == ROLE_IMM ||
            info->operands[i] == ROLE_SHAPE)
            return info->operands[i];
    return -1;
}

/* What a conversion reads at width w. */
static unsigned conversion_bits(unsigned code, unsigned w) {
    switch (code % CONVERT_BFLOAT) {
    case CONVERT_FROM_F16:
    case CONVERT_FROM_BF16:
        return 16;
    case CONVERT_FROM_F32:
        return 32;
    case CONVERT_FROM_F64:
        return 64;
    default:
        return w;
    }
}

/* What a product reads of an operand; of one that is none the width. */
static unsigned product_bits(const struct insn *insn, enum operand_role role) {
    struct isa_product p;
    if (!isa_product_of(insn->imm, insn->width, &p))
        return insn->width;
    return role == ROLE_RS ? p.a : p.b;
}

unsigned isa_source_bits(const struct insn *insn) {
    const struct isa_info *info = isa_info(insn->op);
    int role = isa_constant_role(info);
    if (role == ROLE_SRCWIDTH && insn->imm >= 1 && insn->imm <= 64)
        return (unsigned)insn->imm;
    if (role == ROLE_CONVERSION)
        return conversion_bits((unsigned)insn->imm, insn->width);
    if (role == ROLE_SHAPE)
        return product_bits(insn, ROLE_RS);
    return info->flags & ISA_WIDTH ? insn->width : 1;
}

struct ieee_format isa_source_format(const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    bool converts = isa_constant_role(isa_info(insn->op)) == ROLE_CONVERSION;
    int32_t code = converts ? insn->imm % CONVERT_BFLOAT : CONVERT_TO_INT;
    if (!(flags & (ISA_FLOAT | ISA_BFLOAT)) || code == CONVERT_FROM_INT ||
        code == CONVERT_FROM_UNSIGNED)
        return (struct ieee_format){0};
    bool of_width = !converts || code < CONVERT_FROM_F16;
    if (flags & ISA_BFLOAT || code == CONVERT_FROM_BF16 ||
        (of_width && converts && insn->imm >= CONVERT_BFLOAT))
        return IEEE_BFLOAT16;
    return ieee_binary(isa_source_bits(insn));
}

struct ieee_format isa_result_format(const struct insn *insn) {
    const struct isa_info *info = isa_info(insn->op);
    bool converts = isa_constant_role(info) == ROLE_CONVERSION;
    int32_t code = converts ? insn->imm % CONVERT_BFLOAT : CONVERT_FROM_INT;
    bool number = code < CONVERT_TO_INT || code >= CONVERT_FROM_F16;
    if (!(info->flags & (ISA_FLOAT | ISA_BFLOAT)) || !number || insn->op == OP_FSIGN ||
        insn->op == OP_FZERO || insn->op == OP_BFSIGN || insn->op == OP_BFZERO)
        return (struct ieee_format){0};
    bool brain = info->flags & ISA_BFLOAT || (converts && insn->imm >= CONVERT_BFLOAT);
    return brain ? IEEE_BFLOAT16 : ieee_binary(insn->width);
}

unsigned isa_operand_bits(const struct insn *insn, enum operand_role role) {
    const struct isa_info *info = isa_info(insn->op);
    if (info->fixed_width)
        return info->fixed_width;
    if (!(info->flags & ISA_WIDTH))
        return 1; /* SETMASK, ANDMASK and SETC read bit 0 */
    if (role == ROLE_RT && isa_has_shape(insn->op))
        return product_bits(insn, role);
    return role == ROLE_RS ? isa_source_bits(insn) : insn->width;
}

void isa_visit_registers(const struct insn *insn,
                         void (*visit)(void *ctx, unsigned reg, unsigned bits), void *ctx) {
    const struct isa_info *info = isa_info(insn->op);
    for (unsigned i = 0; i < info->operand_count; i++) {
        enum operand_role role = (enum operand_role)info->operands[i];
        if (role > ROLE_RD)
            continue;
        unsigned reg = role == ROLE_RS ? insn->rs : role == ROLE_RT ? insn->rt : insn->rd;
        visit(ctx, reg, isa_operand_bits(insn, role));
    }
}
