/* SPDX-License-Identifier: MIT */
#include "ezpim/rows.h"

#include "linker/package.h"
#include "object/text.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* By opcode, masked, aliased and width: rows left for registers; 0: there is no such instruction.
 */
#include "ez_rows.inc"

#define ROWS_TABLE(n, name) {name, left_##n},
static const struct {
    const char *target;
    const uint16_t (*left)[2][2][65];
} tables[] = {ROWS_TABLES};
enum { TABLES = sizeof tables / sizeof *tables };
_Static_assert(TABLES <= ROWS_MOST_TARGETS, "struct rows_left is too small");

uint32_t rows_taken(const struct object *o) {
    uint8_t bits[64];
    uint32_t sum = 0;
    program_registers(o, o->text.data, bits);
    for (unsigned r = 0; r < 64; r++)
        sum += bits[r];
    return sum;
}

/* True if two operands are one register. */
static bool is_aliased(const struct insn *x) {
    uint32_t flags = isa_info(x->op)->flags;
    bool rs = flags & (READS_RS | WRITES_RS), rt = flags & (READS_RT | WRITES_RT),
         rd = flags & (READS_RD | WRITES_RD);
    return (rs && rt && x->rs == x->rt) || (rs && rd && x->rs == x->rd) ||
           (rt && rd && x->rt == x->rd);
}

static void take_insn(const struct insn *x, uint8_t masks, struct rows_left *out) {
    unsigned width = x->width ? x->width : 1;
    bool aliased = is_aliased(x);
    uint8_t states = masks ? masks : TEXT_PLAIN | TEXT_MASKED;
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned masked = 0; masked < 2; masked++) {
            uint32_t rows = tables[t].left[isa_info(x->op)->opcode][masked][aliased][width];
            if (states & (masked ? TEXT_MASKED : TEXT_PLAIN) && rows && rows < out->left[t])
                out->left[t] = rows;
        }
}

void rows_left(const struct object *o, struct rows_left *out) {
    struct arena arena = {0};
    struct text text;
    uint8_t *masks = xcalloc(o->text.len + 1, 1);
    *out = (struct rows_left){.count = TABLES};
    for (unsigned t = 0; t < TABLES; t++) {
        out->target[t] = tables[t].target;
        out->left[t] = tables[t].left[isa_info(OP_NOP)->opcode][0][0][1];
    }
    text_load(&text, o->text.data, o->text.len, &arena);
    text_find_masks(&text, masks);
    for (uint32_t i = 0; i < text.len; i++)
        if (insn_flags(&text.insns[i]) & ISA_VECTOR)
            take_insn(&text.insns[i], masks[i], out);
    free(masks);
    arena_free(&arena);
}

static uint32_t least_of(const uint16_t left[256][2][2][65]) {
    const uint16_t *all = &left[0][0][0][0];
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < (size_t)256 * 2 * 2 * 65; i++)
        least = all[i] && all[i] < least ? all[i] : least;
    return least;
}

bool rows_of_target(const char *target, uint32_t *there, uint32_t *least) {
    for (unsigned t = 0; t < TABLES; t++)
        if (strcmp(tables[t].target, target) == 0) {
            *there = tables[t].left[isa_info(OP_NOP)->opcode][0][0][1];
            *least = least_of(tables[t].left);
            return true;
        }
    return false;
}
