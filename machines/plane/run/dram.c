/* SPDX-License-Identifier: MIT
 * Where planes lie: registers from the first row of their class on, in the order of their numbers;
 * C, M and valid behind them, unless they have classes of their own; scratch rows from the
 * end of theirs on backwards: a program that needs few of them has the rows before for registers.
 */
#include "machines/plane/run/dram.h"

#include "recipe/set/uop_text.h"
#include "support/bits.h"

#include <inttypes.h>

/* A row of the array: its class, and which of the rows of the class. */
struct row {
    uint32_t class, at;
};

static struct row constant_row(const struct target *target, int value) {
    struct row r = {0, 0};
    while (r.class < plane_target(target)->row_class_count &&
           plane_target(target)->row_classes[r.class].value != value)
        r.class ++;
    return r;
}

static struct row scratch_row(const struct target *target, uint32_t n) {
    struct row r = {0, 0};
    while (r.class < plane_target(target)->row_class_count &&
           n - plane_target(target)->row_classes[r.class].first_scratch >=
               plane_target(target)->row_classes[r.class].scratch_rows)
        r.class ++;
    if (r.class < plane_target(target)->row_class_count) {
        const struct row_class *c = &plane_target(target)->row_classes[r.class];
        r.at = row_class_rows(c) - 1 - (n - c->first_scratch);
    }
    return r;
}

/* Rows of the registers before `reg`; 64: of all. */
static uint32_t register_rows(const struct target *target, const uint8_t *reg_bits, unsigned reg) {
    uint32_t sections = plane_target(target)->sections;
    uint32_t rows = 0;
    for (unsigned i = 0; i < reg; i++)
        rows += (uint32_t)ceil_div(reg_bits[i], sections);
    return rows;
}

/* C, M or valid: `order` is its place behind the registers if it lies with them. */
static struct row latch_row(const struct target *target, const uint8_t *reg_bits, int class,
                            uint32_t order) {
    if (class != (int)plane_target(target)->register_class)
        return (struct row){(uint32_t) class, 0};
    return (struct row){plane_target(target)->register_class,
                        register_rows(target, reg_bits, 64) + order};
}

static struct row row_of(const struct target *target, const uint8_t *reg_bits, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return (struct row){plane_target(target)->register_class,
                            register_rows(target, reg_bits, n >> 6) +
                                (n & 63) / plane_target(target)->sections};
    case PLANE_C:
        return latch_row(target, reg_bits, plane_target(target)->class_of_c, 0);
    case PLANE_M:
        return latch_row(target, reg_bits, plane_target(target)->class_of_m, 1);
    case PLANE_VALID:
        return latch_row(target, reg_bits, plane_target(target)->class_of_valid, 2);
    case PLANE_CONST:
        return constant_row(target, (int)n);
    case PLANE_SCRATCH:
        return scratch_row(target, n);
    default:
        return (struct row){plane_target(target)->row_class_count, 0};
    }
}

bool plane_row_number(const struct target *target, const uint8_t *reg_bits, uint32_t plane,
                      uint32_t *number) {
    struct row r = row_of(target, reg_bits, plane);
    if (r.class >= plane_target(target)->row_class_count ||
        r.at >= row_class_rows(&plane_target(target)->row_classes[r.class]))
        return false;
    const struct row_class *c = &plane_target(target)->row_classes[r.class];
    *number = c->first + r.at * c->step;
    return true;
}

/* Operands `first` .. of a micro-op, sources first, that one address opens. */
struct opened {
    unsigned count;
    struct row rows[GROUP_MAX_ROWS];
    bool inverted[GROUP_MAX_ROWS];
};

static struct opened opened_rows(const struct target *target, const uint8_t *reg_bits,
                                 const struct uop *uop, unsigned first, unsigned count) {
    struct opened o = {.count = count};
    for (unsigned i = 0; i < count; i++) {
        unsigned k = first + i;
        o.rows[i] = row_of(target, reg_bits, k < uop->nsrc ? uop->src[k] : uop->dst[k - uop->nsrc]);
        o.inverted[i] = recipe_operand_is_inverted(&plane_target(target)->ops[uop->kind], k);
    }
    return o;
}

static bool is_group(const struct row_group *group, const struct opened *opened) {
    bool same = group->count == opened->count;
    for (unsigned i = 0; same && i < opened->count; i++)
        same =
            group->class[i] == opened->rows[i].class && group->inverted[i] == opened->inverted[i];
    return same;
}

static struct dram_address address_of(const struct target *target, const struct opened *opened) {
    const struct row *r = &opened->rows[0];
    if (opened->count == 1 && !opened->inverted[0] &&
        r->class < plane_target(target)->row_class_count) {
        const struct row_class *c = &plane_target(target)->row_classes[r->class];
        return (struct dram_address){c->name, row_class_rows(c) > 1, c->first + r->at * c->step};
    }
    for (uint32_t i = 0; i < plane_target(target)->group_count; i++)
        if (is_group(&plane_target(target)->groups[i], opened))
            return (struct dram_address){plane_target(target)->groups[i].name, false, DRAM_NO_ROW};
    return (struct dram_address){"?", false, DRAM_NO_ROW};
}

bool plane_dram_addresses(const struct target *target, const uint8_t *reg_bits,
                          const struct uop *uop, struct dram_address at[2]) {
    const struct target_op *op = &plane_target(target)->ops[uop->kind];
    if (!op->first_rows)
        return false;
    struct opened first = opened_rows(target, reg_bits, uop, 0, op->first_rows);
    unsigned operands = (unsigned)uop->nsrc + uop->ndst;
    struct opened second =
        opened_rows(target, reg_bits, uop, operands - op->second_rows, op->second_rows);
    at[0] = address_of(target, &first);
    at[1] = op->second_rows ? address_of(target, &second) : (struct dram_address){0};
    return true;
}

void plane_dram_address_text(const struct target *target, const struct dram_address *address,
                             struct str *out) {
    str_append(out, address->name);
    for (uint32_t i = 0; address->many && i < plane_target(target)->row_class_count; i++)
        if (plane_target(target)->row_classes[i].name == address->name)
            str_printf(out, "%" PRIu32,
                       (address->row - plane_target(target)->row_classes[i].first) /
                           plane_target(target)->row_classes[i].step);
}
