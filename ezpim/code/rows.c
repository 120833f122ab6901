/* SPDX-License-Identifier: MIT
 * Rows of targets, by a table that is generated (ez_rows.inc), and the least that a program's
 * instructions leave. */
#include "ezpim/code/rows.h"

#include "linker/package.h"
#include "object/text.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Lines of rows left for registers by width, 0: there is no such instruction; and which line is an
 * instruction's on each target. */
#include "ez_rows.inc"

#define ROWS_TABLE(n, name, sections) {name, sections, rows_##n},
static const struct {
    const char *target;
    uint32_t sections;
    const uint16_t (*line)[2][ROWS_ALIASES];
} tables[] = {ROWS_TABLES};
enum { TABLES = sizeof tables / sizeof *tables };
_Static_assert(TABLES <= ROWS_MOST_TARGETS, "struct rows_left is too small");

static const uint16_t *line_of(unsigned target, enum isa_op op, bool masked,
                               enum rows_alias alias) {
    const uint16_t *lines = tables[target].line[isa_info(op)->opcode][masked];
    return rows_lines[lines[alias] ? lines[alias] : lines[ROWS_APART]];
}

/* Of a product the most bits that an operand or half of the result has. */
static unsigned width_of(const struct insn *insn) {
    unsigned width = insn->width ? insn->width : 1;
    if (!isa_has_shape(insn->op))
        return width;
    unsigned rs = isa_operand_bits(insn, ROLE_RS), rt = isa_operand_bits(insn, ROLE_RT),
             most = rs > rt ? rs : rt;
    return most > (width + 1) / 2 ? most : (width + 1) / 2;
}

static uint32_t rows_there(unsigned target) {
    return line_of(target, OP_NOP, false, ROWS_APART)[1];
}

uint32_t rows_of_bits(const uint8_t bits[64], uint32_t sections) {
    uint32_t sum = 0;
    for (unsigned r = 0; r < 64; r++)
        sum += (bits[r] + sections - 1) / sections;
    return sum;
}

void rows_use_count(struct rows_use *use) {
    for (unsigned t = 0; t < TABLES; t++)
        use->taken[t] = t && tables[t].sections == tables[t - 1].sections
                            ? use->taken[t - 1]
                            : rows_of_bits(use->bits, tables[t].sections);
}

uint32_t rows_targets_of_one_section(void) {
    uint32_t targets = 0;
    for (unsigned t = 0; t < TABLES; t++)
        targets |= (uint32_t)(tables[t].sections == 1) << t;
    return targets;
}

const char *rows_target_name(unsigned index) {
    return index < TABLES ? tables[index].target : NULL;
}

unsigned rows_most_sections(uint32_t targets) {
    unsigned most = 1;
    for (unsigned t = 0; t < TABLES; t++)
        if (targets >> t & 1 && tables[t].sections > most)
            most = tables[t].sections;
    return most > 1 ? most : 0;
}

uint32_t rows_target_bit(const char *target) {
    for (unsigned t = 0; t < TABLES; t++)
        if (strcmp(tables[t].target, target) == 0)
            return UINT32_C(1) << t;
    return 0;
}

uint32_t rows_targets(const struct rows_use *use) {
    uint32_t targets = 0;
    for (unsigned t = 0; t < TABLES; t++)
        targets |= (uint32_t)(use->taken[t] <= rows_there(t)) << t;
    return targets;
}

/* What an instruction leaves with the registers and the mask with which it needs least. */
static uint32_t most_left(unsigned target, enum isa_op op, unsigned width) {
    uint32_t most = 0;
    for (unsigned k = 0; k < 2 * ROWS_ALIASES; k++) {
        uint32_t rows = line_of(target, op, k % 2, (enum rows_alias)(k / 2))[width];
        if (!rows)
            return UINT32_MAX;
        most = rows > most ? rows : most;
    }
    return most;
}

uint32_t rows_targets_beside(const struct insn *insn, const struct rows_use *use) {
    uint32_t targets = 0;
    for (unsigned t = 0; t < TABLES; t++)
        targets |= (uint32_t)(use->taken[t] <= most_left(t, insn->op, width_of(insn))) << t;
    return targets;
}

void rows_taken(const struct object *object, struct rows_use *out) {
    package_program_registers(object, object->text.data, out->bits);
    rows_use_count(out);
}

static enum rows_alias alias_of(const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    bool rs = flags & (READS_RS | WRITES_RS), rt = flags & (READS_RT | WRITES_RT),
         rd = flags & (READS_RD | WRITES_RD);
    bool rs_rt = rs && rt && insn->rs == insn->rt, rs_rd = rs && rd && insn->rs == insn->rd;
    if (rs_rt && rs_rd)
        return ROWS_ALL_ONE;
    if (rt && rd && insn->rt == insn->rd)
        return ROWS_RT_RD;
    return rs_rt ? ROWS_RS_RT : rs_rd ? ROWS_RS_RD : ROWS_APART;
}

/* What rows_left looks at of an instruction. */
static uint32_t kind_of(const struct insn *insn, uint8_t states) {
    return (((uint32_t)insn->op << 8 | width_of(insn)) << 4 | (uint32_t)alias_of(insn)) << 4 |
           states;
}

static bool was_seen(uint32_t seen[256], uint32_t kind) {
    uint32_t *slot = &seen[(kind * 0x9e3779b9u) >> 24];
    bool is = *slot == kind;
    *slot = kind;
    return is;
}

static void take_insn(const struct insn *insn, uint8_t states, struct rows_left *out) {
    unsigned width = width_of(insn);
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned masked = 0; masked < 2; masked++) {
            uint32_t rows = line_of(t, insn->op, masked, alias_of(insn))[width];
            if (states & (masked ? TEXT_MASKED : TEXT_PLAIN) && rows && rows < out->left[t])
                out->left[t] = rows;
        }
}

static void take_text(const struct text *text, const uint8_t *masks, struct rows_left *out) {
    uint32_t seen[256] = {0};
    for (uint32_t i = 0; i < text->len; i++) {
        const struct insn *x = &text->insns[i];
        uint8_t states = masks[i] ? masks[i] : TEXT_PLAIN | TEXT_MASKED;
        if (insn_flags(x) & ISA_VECTOR && !was_seen(seen, kind_of(x, states)))
            take_insn(x, states, out);
    }
}

void rows_left(const struct object *object, struct rows_left *out) {
    struct arena arena = {0};
    struct text text;
    uint8_t *masks = xcalloc(object->text.len + 1, 1);
    *out = (struct rows_left){.count = TABLES};
    for (unsigned t = 0; t < TABLES; t++) {
        out->target[t] = tables[t].target;
        out->sections[t] = tables[t].sections;
        out->left[t] = rows_there(t);
    }
    object_text_load(&text, object->text.data, object->text.len, object_luts(object, &arena),
                     &arena);
    object_text_find_masks(&text, masks);
    take_text(&text, masks, out);
    free(masks);
    arena_free(&arena);
}

void rows_made_start(struct rows_made *found) {
    *found = (struct rows_made){0};
    for (unsigned t = 0; t < TABLES; t++)
        found->left[t] = rows_there(t);
}

void rows_made_take(struct rows_made *found, const struct insn *insn) {
    unsigned width = width_of(insn);
    if (!(insn_flags(insn) & ISA_VECTOR) || was_seen(found->seen, kind_of(insn, 0)))
        return;
    for (unsigned t = 0; t < TABLES; t++) {
        uint32_t plain = line_of(t, insn->op, false, alias_of(insn))[width],
                 masked = line_of(t, insn->op, true, alias_of(insn))[width];
        uint32_t most = masked > plain ? masked : plain;
        if (plain && masked && most < found->left[t])
            found->left[t] = most;
    }
}

uint32_t rows_made_targets(const struct rows_made *found, const uint8_t bits[64]) {
    uint32_t targets = 0;
    struct rows_use use;
    memcpy(use.bits, bits, sizeof use.bits);
    rows_use_count(&use);
    for (unsigned t = 0; t < TABLES; t++)
        targets |= (uint32_t)(use.taken[t] <= found->left[t]) << t;
    return targets;
}

bool rows_do(const struct object *object, const char *target) {
    struct rows_use use;
    struct rows_left left;
    rows_taken(object, &use);
    rows_left(object, &left);
    for (unsigned t = 0; t < TABLES; t++)
        if (strcmp(tables[t].target, target) == 0)
            return use.taken[t] <= left.left[t];
    return true;
}

static uint32_t least_of(unsigned target) {
    uint32_t least = UINT32_MAX;
    for (unsigned k = 0; k < 256 * 2 * ROWS_ALIASES; k++) {
        const uint16_t *rows =
            rows_lines[tables[target]
                           .line[k / (2 * ROWS_ALIASES)][k / ROWS_ALIASES % 2][k % ROWS_ALIASES]];
        for (unsigned w = 1; w <= 64; w++)
            least = rows[w] && rows[w] < least ? rows[w] : least;
    }
    return least;
}

bool rows_of_target(const char *target, struct rows_there *out) {
    for (unsigned t = 0; t < TABLES; t++)
        if (strcmp(tables[t].target, target) == 0) {
            *out = (struct rows_there){rows_there(t), least_of(t), tables[t].sections};
            return true;
        }
    return false;
}
