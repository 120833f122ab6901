/* SPDX-License-Identifier: MIT
 * Codes of operands where all bits of a register lie in one section: bits and rows are numbers that
 * follow the position, stay, or move with the lap of the loop around. */
#include "recipe/table/parts.h"

enum {
    HIGHEST_BIT = 63,
    BITS = 64,
    OFFSETS = 2 * HIGHEST_BIT + 1, /* of bits from the position */
    FIELDS = 4,                    /* rs, rt, rd, the constant */
    CONSTANT_FIELD = 3,
    CODE_C = 3,
    CODE_CONST = 6, /* behind C, M, valid */
    CODE_NEAR = 9,
    NEAR_BITS = 6,
    NEAR_FOLLOWING = 24,
    LOWEST_FOLLOWING = -4,
    NEAR_ROWS = 24,
    NEAR_OFFSETS = 5, /* -2 .. 2 */
    NEAR_FIXED = 4,   /* 0 .. 3 */
    NEAR_OUTER = 2 * FIELDS * (NEAR_OFFSETS + NEAR_FIXED),
    OUTERS = 5,
    SIGNS = 3,
    BIT_CODES = FIELDS * SIGNS * OFFSETS,
    BUFFERS = 512,
};

/* ---- scratch rows ---- */

uint32_t table_compute_rows(const struct target *target) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        n += plane_target(target)->row_classes[i].compute
                 ? plane_target(target)->row_classes[i].scratch_rows
                 : 0;
    return n;
}

uint32_t table_row_rank(const struct target *target, uint32_t row) {
    uint32_t next[2] = {table_compute_rows(target), 0};
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++) {
        const struct row_class *c = &plane_target(target)->row_classes[i];
        if (row >= c->first_scratch && row - c->first_scratch < c->scratch_rows)
            return next[c->compute] + row - c->first_scratch;
        next[c->compute] += c->scratch_rows;
    }
    return row;
}

uint32_t table_row_at_rank(const struct target *target, uint32_t rank) {
    uint32_t next[2] = {table_compute_rows(target), 0};
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++) {
        const struct row_class *c = &plane_target(target)->row_classes[i];
        if (rank >= next[c->compute] && rank - next[c->compute] < c->scratch_rows)
            return c->first_scratch + rank - next[c->compute];
        next[c->compute] += c->scratch_rows;
    }
    return rank;
}

/* ---- blocks of codes ---- */

/* Where each block begins, in the order of the codes. */
struct blocks {
    uint32_t compute, groups, near_bits, near_following, near_rows, near_outer;
    uint32_t far, row_codes, buffers, end;
};

static struct blocks blocks_of(const struct target *target) {
    struct blocks b = {.compute = CODE_NEAR};
    b.groups = b.compute + table_compute_rows(target);
    b.near_bits = b.groups + plane_target(target)->group_count;
    b.near_following = b.near_bits + NEAR_BITS;
    b.near_rows = b.near_following + NEAR_FOLLOWING;
    b.near_outer = b.near_rows + NEAR_ROWS;
    b.far = b.near_outer + NEAR_OUTER;
    b.row_codes = plane_target(target)->scratch_rows +
                  2 * (plane_target(target)->scratch_rows + 2 * ROW_BIAS);
    b.buffers = b.far + OUTERS * (b.row_codes + BIT_CODES);
    b.end = b.buffers + BUFFERS;
    return b;
}

uint32_t table_codes_flat(const struct target *target) {
    return blocks_of(target).end;
}

uint32_t table_group_code(const struct target *target, uint32_t group) {
    return blocks_of(target).groups + group;
}

const struct row_group *table_group_at(const struct target *target, uint32_t code) {
    struct blocks b = blocks_of(target);
    return code >= b.groups && code < b.near_bits ? &plane_target(target)->groups[code - b.groups]
                                                  : NULL;
}

/* 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4; and back. */
static uint32_t outer_index(int outer) {
    return outer < 0 ? 2u * (uint32_t)-outer - 1 : 2u * (uint32_t)outer;
}
static int8_t outer_at(uint32_t index) {
    return (int8_t)(index % 2 ? -(int)(index + 1) / 2 : (int)index / 2);
}

/* ---- operands to codes ---- */

static uint32_t near_bit(const struct blocks *blocks, unsigned field,
                         const struct table_operand *operand) {
    if (field == CONSTANT_FIELD)
        return operand->offset ? NO_CODE : CODE_CONST + CONSTANT_BIT;
    if (operand->offset == 0)
        return field;
    return operand->offset == -1 || operand->offset == 1
               ? blocks->near_bits + 3u * (operand->offset > 0) + field
               : NO_CODE;
}

/* Bits that move with the lap around, near the position or the lowest. */
static uint32_t near_outer(const struct blocks *blocks, unsigned field,
                           const struct table_operand *operand) {
    int at = operand->mode == MODE_FIXED ? NEAR_OFFSETS + operand->offset
                                         : operand->offset + NEAR_OFFSETS / 2;
    bool fixed =
        operand->mode == MODE_FIXED && operand->offset >= 0 && operand->offset < NEAR_FIXED;
    bool follows = operand->mode == MODE_PLAIN && at >= 0 && at < NEAR_OFFSETS;
    uint32_t index = (uint32_t)at * FIELDS + field;
    return fixed || follows ? blocks->near_outer + index * 2 + (operand->outer > 0) : NO_CODE;
}

static uint32_t bit_code(const struct target *target, unsigned field,
                         const struct table_operand *operand) {
    struct blocks b = blocks_of(target);
    uint32_t code = NO_CODE;
    if (!operand->outer && operand->mode == MODE_PLAIN)
        code = near_bit(&b, field, operand);
    else if (operand->outer == -1 || operand->outer == 1)
        code = near_outer(&b, field, operand);
    if (code != NO_CODE)
        return code;
    uint32_t sign = operand->mode == MODE_PLAIN ? 0 : operand->mode == MODE_FIXED ? 1 : 2;
    int at = operand->offset + (sign == 0 ? HIGHEST_BIT : 0);
    if (at < 0 || at >= OFFSETS || (sign == 1 && at >= BITS))
        return NO_CODE;
    return b.far + outer_index(operand->outer) * (b.row_codes + BIT_CODES) + b.row_codes +
           (sign * FIELDS + field) * OFFSETS + (uint32_t)at;
}

static uint32_t row_code(const struct target *target, const struct table_operand *operand) {
    struct blocks b = blocks_of(target);
    uint32_t rank = table_row_rank(target, operand->number), compute = table_compute_rows(target);
    uint32_t far = b.far + outer_index(operand->outer) * (b.row_codes + BIT_CODES);
    uint32_t moving = plane_target(target)->scratch_rows + 2 * ROW_BIAS;
    int base = operand->number - ROW_BIAS - LOWEST_FOLLOWING;
    if (operand->mode == MODE_PLAIN) {
        if (!operand->outer && rank < compute + NEAR_ROWS)
            return rank < compute ? b.compute + rank : b.near_rows + rank - compute;
        return operand->number < plane_target(target)->scratch_rows ? far + operand->number
                                                                    : NO_CODE;
    }
    if (operand->mode == MODE_FOLLOWS && !operand->outer && base >= 0 && base < NEAR_FOLLOWING)
        return b.near_following + (uint32_t)base;
    if (operand->number >= moving)
        return NO_CODE;
    return far + plane_target(target)->scratch_rows +
           (operand->mode == MODE_MIRRORED ? moving : 0) + operand->number;
}

uint32_t table_code_flat(const struct target *target, const struct table_operand *operand) {
    switch (operand->class) {
    case PLANE_REGISTER:
        return bit_code(target, operand->number, operand);
    case PLANE_C:
    case PLANE_M:
    case PLANE_VALID:
        return CODE_C + (uint32_t)(operand->class - PLANE_C);
    case PLANE_CONST:
        return operand->number == CONSTANT_BIT ? bit_code(target, CONSTANT_FIELD, operand)
                                               : (uint32_t)CODE_CONST + operand->number;
    case PLANE_SCRATCH:
        return row_code(target, operand);
    default:
        return operand->offset || operand->number >= BUFFERS
                   ? NO_CODE
                   : blocks_of(target).buffers + operand->number;
    }
}

/* ---- codes to operands ---- */

static struct table_operand field_operand(unsigned field, int offset, unsigned mode, int outer) {
    bool constant = field == CONSTANT_FIELD;
    return (struct table_operand){.class = constant ? PLANE_CONST : PLANE_REGISTER,
                                  .offset = (int8_t)offset,
                                  .number = (uint16_t)(constant ? CONSTANT_BIT : field),
                                  .mode = (uint8_t)mode,
                                  .outer = (int8_t)outer};
}

static struct table_operand row_operand(uint32_t number, unsigned mode, int outer) {
    return (struct table_operand){.class = PLANE_SCRATCH,
                                  .number = (uint16_t)number,
                                  .mode = (uint8_t)mode,
                                  .outer = (int8_t)outer};
}

static struct table_operand near_operand(uint32_t code) {
    static const uint8_t classes[] = {PLANE_C, PLANE_M, PLANE_VALID};
    if (code < CODE_C)
        return field_operand(code, 0, MODE_PLAIN, 0);
    if (code < CODE_CONST)
        return (struct table_operand){.class = classes[code - CODE_C]};
    return (struct table_operand){.class = PLANE_CONST, .number = (uint16_t)(code - CODE_CONST)};
}

static struct table_operand outer_operand(uint32_t index) {
    int at = (int)(index / 2 / FIELDS);
    bool fixed = at >= NEAR_OFFSETS;
    return field_operand(index / 2 % FIELDS, at - (fixed ? NEAR_OFFSETS : NEAR_OFFSETS / 2),
                         fixed ? MODE_FIXED : MODE_PLAIN, index % 2 ? 1 : -1);
}

static struct table_operand far_operand(const struct target *target, const struct blocks *blocks,
                                        uint32_t index) {
    static const uint8_t modes[] = {MODE_PLAIN, MODE_FIXED, MODE_MIRRORED};
    uint32_t moving = plane_target(target)->scratch_rows + 2 * ROW_BIAS,
             all = blocks->row_codes + BIT_CODES;
    int outer = outer_at(index / all);
    index %= all;
    if (index < plane_target(target)->scratch_rows)
        return row_operand(index, MODE_PLAIN, outer);
    if (index < blocks->row_codes) {
        index -= plane_target(target)->scratch_rows;
        return row_operand(index % moving, index < moving ? MODE_FOLLOWS : MODE_MIRRORED, outer);
    }
    index -= blocks->row_codes;
    unsigned sign = index / OFFSETS / FIELDS;
    return field_operand(index / OFFSETS % FIELDS,
                         (int)(index % OFFSETS) - (sign == 0 ? HIGHEST_BIT : 0), modes[sign],
                         outer);
}

struct table_operand table_operand_flat(const struct target *target, uint32_t code) {
    struct blocks b = blocks_of(target);
    if (code < b.compute)
        return near_operand(code);
    if (code < b.groups)
        return row_operand(table_row_at_rank(target, code - b.compute), MODE_PLAIN, 0);
    if (code < b.near_following) {
        code -= b.near_bits;
        return field_operand(code % 3, code < 3 ? -1 : 1, MODE_PLAIN, 0);
    }
    if (code < b.near_rows)
        return row_operand(code - b.near_following + ROW_BIAS + (uint32_t)LOWEST_FOLLOWING,
                           MODE_FOLLOWS, 0);
    if (code < b.near_outer)
        return row_operand(
            table_row_at_rank(target, code - b.near_rows + table_compute_rows(target)), MODE_PLAIN,
            0);
    if (code < b.far)
        return outer_operand(code - b.near_outer);
    if (code < b.buffers)
        return far_operand(target, &b, code - b.far);
    return (struct table_operand){.class = PLANE_BUFFER, .number = (uint16_t)(code - b.buffers)};
}

/* ---- where the loops have come to ---- */

static int sign_of(const struct table_operand *operand) {
    if (operand->mode == MODE_MIRRORED)
        return -1;
    return operand->mode == MODE_FOLLOWS ||
           (operand->mode == MODE_PLAIN && operand->class != PLANE_SCRATCH);
}

bool table_operand_at(const struct target *target, const struct table_operand *operand,
                      int64_t position, int64_t around, struct table_operand *at) {
    bool row = operand->class == PLANE_SCRATCH;
    bool moves = row || operand->class == PLANE_REGISTER ||
                 (operand->class == PLANE_CONST && operand->number == CONSTANT_BIT);
    int64_t base = !row                            ? operand->offset
                   : operand->mode == MODE_FOLLOWS ? operand->number - ROW_BIAS
                                                   : operand->number;
    int64_t n = base + sign_of(operand) * position + operand->outer * around;
    *at = *operand;
    if (!moves)
        return true;
    at->mode = MODE_PLAIN;
    at->outer = 0;
    if (row)
        at->number = (uint16_t)n;
    else
        at->offset = (int8_t)n;
    return n >= 0 && n < (row ? (int64_t)plane_target(target)->scratch_rows : BITS);
}
