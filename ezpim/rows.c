/* SPDX-License-Identifier: MIT */
#include "ezpim/rows.h"

#include "linker/package.h"
#include "object/text.h"
#include "support/alloc.h"

#include <stdlib.h>

/* By opcode, masked and width: rows left for registers; 0: of no count. */
static const uint16_t left[256][2][65] = {
#include "ez_rows.inc"
};

uint32_t rows_taken(const struct object *o) {
    uint8_t bits[64];
    uint32_t sum = 0;
    program_registers(o, o->text.data, bits);
    for (unsigned r = 0; r < 64; r++)
        sum += bits[r];
    return sum;
}

static uint32_t left_by(const struct insn *x, uint8_t masks) {
    const uint16_t(*rows)[65] = left[isa_info(x->op)->opcode];
    unsigned width = x->width ? x->width : 1;
    uint32_t least = UINT32_MAX;
    for (unsigned masked = 0; masked < 2; masked++)
        if ((masks ? masks : TEXT_PLAIN | TEXT_MASKED) & (masked ? TEXT_MASKED : TEXT_PLAIN) &&
            rows[masked][width] && rows[masked][width] < least)
            least = rows[masked][width];
    return least;
}

uint32_t rows_left(const struct object *o) {
    struct arena arena = {0};
    struct text text;
    uint32_t least = left[isa_info(OP_NOP)->opcode][0][1];
    uint8_t *masks = xcalloc(o->text.len + 1, 1);
    text_load(&text, o->text.data, o->text.len, &arena);
    text_find_masks(&text, masks);
    for (uint32_t i = 0; i < text.len; i++) {
        bool counts = insn_flags(&text.insns[i]) & ISA_VECTOR;
        uint32_t rows = counts ? left_by(&text.insns[i], masks[i]) : UINT32_MAX;
        least = rows < least ? rows : least;
    }
    free(masks);
    arena_free(&arena);
    return least;
}
