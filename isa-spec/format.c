/* SPDX-License-Identifier: MIT
 * Instructions as text in the assembler's syntax. */
#include "isa-spec/isa.h"
#include "support/str.h"

/* A component of a place in the grid of MPUs: 11 bits, signed. */
static int grid_step(int32_t bits) {
    return (bits & 0x7FF) - ((bits & 0x400) << 1);
}

static void format_mpu(const struct insn *insn, struct str *out) {
    switch (insn->mode) {
    case 0:
        str_printf(out, "MPU%d", (int)insn->imm);
        break;
    case 1:
        str_printf(out, "MPU%+d", (int)insn->imm);
        break;
    case 2:
        str_printf(out, "MPU%+d wrap", (int)insn->imm);
        break;
    default:
        str_printf(out, "MPU(%d,%d)", grid_step(insn->imm >> 11), grid_step(insn->imm));
        break;
    }
}

/* A pattern of bits in hexadecimal (LIKk), a number in decimal. */
static void format_immediate(const struct insn *insn, struct str *out) {
    if (insn->op >= OP_LIK1 && insn->op <= OP_LIK5)
        str_printf(out, "0x%X", (unsigned)insn->imm);
    else
        str_printf(out, "%d", (int)insn->imm);
}

static void format_lane_map(const struct insn *insn, struct str *out) {
    if (insn->mode >= LANE_MAPS) {
        str_printf(out, "%u %d", insn->mode, (int)insn->imm);
        return;
    }
    str_append(out, isa_lane_map_name(insn->mode));
    if (isa_lane_map_has_k(insn->mode))
        str_printf(out, " %d", (int)insn->imm);
}

static void format_operand(const struct insn *insn, enum operand_role role, const char *symbol,
                           struct str *out) {
    switch (role) {
    case ROLE_RS:
        str_printf(out, "r%u", insn->rs);
        break;
    case ROLE_RT:
        str_printf(out, "r%u", insn->rt);
        break;
    case ROLE_RD:
        str_printf(out, "r%u", insn->rd);
        break;
    case ROLE_RFH:
        str_printf(out, "RFH%u", insn->rfh);
        break;
    case ROLE_RFH_DST:
        str_printf(out, "RFH%u", insn->vrf);
        break;
    case ROLE_VRF:
        str_printf(out, "VRF%u", insn->vrf);
        break;
    case ROLE_VRF_SRC:
        str_printf(out, "VRF%u", insn->vrf_src);
        break;
    case ROLE_VRF_DST:
        str_printf(out, "VRF%u", insn->vrf_dst);
        break;
    case ROLE_COND:
        str_append(out, "cond");
        break;
    case ROLE_COUNT:
    case ROLE_SRCWIDTH:
        str_printf(out, "%d", (int)insn->imm);
        break;
    case ROLE_CONVERSION:
        str_append(out, isa_conversion_name((unsigned)insn->imm));
        break;
    default: /* the operand that a symbol may stand for */
        if (symbol)
            str_append(out, symbol);
        else if (role == ROLE_IMM)
            format_immediate(insn, out);
        else if (role == ROLE_MPU)
            format_mpu(insn, out);
        else if (role == ROLE_LANEMAP)
            format_lane_map(insn, out);
        else if (role == ROLE_LUT)
            str_printf(out, "%u", insn->lut);
        else if (role == ROLE_SHAPE)
            str_printf(out, "%u", insn->shape);
        else
            str_printf(out, role == ROLE_GROUP ? "@%d" : "%d", (int)insn->imm);
        break;
    }
}

void isa_format_named(const struct insn *insn, const char *name, const char *symbol,
                      struct str *out) {
    const struct isa_info *info = isa_info(insn->op);
    str_append(out, name);
    if (insn->width)
        str_printf(out, ".%u", insn->width);
    for (unsigned i = 0; i < info->operand_count; i++) {
        str_char(out, ' ');
        format_operand(insn, (enum operand_role)info->operands[i], symbol, out);
    }
}

void isa_format_insn(const struct insn *insn, const char *symbol, struct str *out) {
    isa_format_named(insn, isa_info(insn->op)->name, symbol, out);
}
