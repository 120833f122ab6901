/* SPDX-License-Identifier: MIT
 * The operands of an instruction as a recipe names them: what it reads, then what it writes. */
#include "recipe/set/set.h"

static uint8_t role_field(uint8_t role) {
    switch (role) {
    case ROLE_RS:
        return FIELD_RS;
    case ROLE_RT:
        return FIELD_RT;
    case ROLE_RD:
        return FIELD_RD;
    case ROLE_COND:
        return FIELD_C;
    case ROLE_COUNT:
    case ROLE_SRCWIDTH:
    case ROLE_CONVERSION:
    case ROLE_IMM:
    case ROLE_SHAPE:
        return FIELD_IMM;
    default:
        return FIELD_NONE;
    }
}

static const uint32_t read_flags[FIELD_COUNT] = {READS_RS, READS_RT, READS_RD, READS_C, READS_M};
static const uint32_t write_flags[FIELD_COUNT] = {WRITES_RS, WRITES_RT, WRITES_RD, WRITES_C,
                                                  WRITES_M};

static bool has_field(const uint8_t *list, unsigned count, uint8_t field) {
    for (unsigned i = 0; i < count; i++)
        if (list[i] == field)
            return true;
    return false;
}

void notation_signature(enum isa_op op, struct signature *signature) {
    const struct isa_info *info = recipe_info(op);
    *signature = (struct signature){0};
    for (unsigned i = 0; i < info->operand_count; i++) {
        uint8_t f = role_field(info->operands[i]);
        if (f == FIELD_IMM || (f < FIELD_COUNT && info->flags & read_flags[f]))
            signature->in[signature->in_count++] = f;
    }
    for (uint8_t f = 0; f < FIELD_IMM; f++)
        if (info->flags & read_flags[f] && !has_field(signature->in, signature->in_count, f))
            signature->in[signature->in_count++] = f;
    for (uint8_t f = 0; f < FIELD_IMM; f++)
        if (info->flags & write_flags[f])
            signature->out[signature->out_count++] = f;
}
