/* SPDX-License-Identifier: MIT
 * Instructions as text in the assembler's syntax. */
#include "isa-spec/isa.h"
#include "support/str.h"

/* A component of a place in the grid of MPUs: 11 bits, signed. */
static int grid_step(int32_t bits) {
    return (bits & 0x7FF) - ((bits & 0x400) << 1);
}

static void format_mpu(const struct insn *x, struct str *out) {
    switch (x->mode) {
    case 0:
        str_printf(out, "MPU%d", (int)x->imm);
        break;
    case 1:
        str_printf(out, "MPU%+d", (int)x->imm);
        break;
    case 2:
        str_printf(out, "MPU%+d wrap", (int)x->imm);
        break;
    default:
        str_printf(out, "MPU(%d,%d)", grid_step(x->imm >> 11), grid_step(x->imm));
        break;
    }
}

/* A pattern of bits in hexadecimal (LIKk), a number in decimal. */
static void format_immediate(const struct insn *x, struct str *out) {
    if (x->op >= OP_LIK1 && x->op <= OP_LIK5)
        str_printf(out, "0x%X", (unsigned)x->imm);
    else
        str_printf(out, "%d", (int)x->imm);
}

static void format_lane_map(const struct insn *x, struct str *out) {
    if (x->mode >= LANE_MAPS) {
        str_printf(out, "%u %d", x->mode, (int)x->imm);
        return;
    }
    str_append(out, isa_lane_map_name(x->mode));
    if (isa_lane_map_has_k(x->mode))
        str_printf(out, " %d", (int)x->imm);
}

static void format_operand(const struct insn *x, enum operand_role role, const char *symbol,
                           struct str *out) {
    switch (role) {
    case ROLE_RS:
        str_printf(out, "r%u", x->rs);
        break;
    case ROLE_RT:
        str_printf(out, "r%u", x->rt);
        break;
    case ROLE_RD:
        str_printf(out, "r%u", x->rd);
        break;
    case ROLE_RFH:
        str_printf(out, "RFH%u", x->rfh);
        break;
    case ROLE_RFH_DST:
        str_printf(out, "RFH%u", x->vrf);
        break;
    case ROLE_VRF:
        str_printf(out, "VRF%u", x->vrf);
        break;
    case ROLE_VRF_SRC:
        str_printf(out, "VRF%u", x->vrf_src);
        break;
    case ROLE_VRF_DST:
        str_printf(out, "VRF%u", x->vrf_dst);
        break;
    case ROLE_COND:
        str_append(out, "cond");
        break;
    case ROLE_COUNT:
    case ROLE_SRCWIDTH:
        str_printf(out, "%d", (int)x->imm);
        break;
    default: /* the operand that a symbol may stand for */
        if (symbol)
            str_append(out, symbol);
        else if (role == ROLE_IMM)
            format_immediate(x, out);
        else if (role == ROLE_MPU)
            format_mpu(x, out);
        else if (role == ROLE_LANEMAP)
            format_lane_map(x, out);
        else
            str_printf(out, role == ROLE_GROUP ? "@%d" : "%d", (int)x->imm);
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
