/* SPDX-License-Identifier: MIT */
#include "emu/control/known.h"

#include "support/bits.h"

#include <string.h>

void control_known_nothing(struct known_registers *k) {
    memset(k, 0, sizeof *k);
    k->c = k->m = UNKNOWN;
}

void control_known_forget(struct known_registers *k, unsigned reg, unsigned width) {
    k->bits[reg & 63] &= ~low_bits(width);
}

static void know(struct known_registers *k, unsigned reg, unsigned width, uint64_t value) {
    uint64_t mask = low_bits(width);
    k->value[reg & 63] = (k->value[reg & 63] & ~mask) | (value & mask);
    k->bits[reg & 63] |= mask;
}

static bool has_source_width(const struct isa_info *info) {
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_SRCWIDTH)
            return true;
    return false;
}

/* False if it is not known. */
static bool read(const struct known_registers *k, unsigned reg, unsigned width, bool reads,
                 uint64_t *out) {
    uint64_t mask = low_bits(width);
    *out = k->value[reg & 63] & mask;
    return !reads || (k->bits[reg & 63] & mask) == mask;
}

/* All that the instruction reads; false if some of it is not known. */
static bool read_all(const struct known_registers *k, const struct insn *x, uint32_t flags,
                     struct golden_lane *l) {
    unsigned rs_width = has_source_width(isa_info(x->op)) ? (unsigned)x->imm : l->w;
    l->c = k->c == KNOWN_1;
    l->m = k->m == KNOWN_1;
    l->valid = true;
    return read(k, x->rs, rs_width, flags & READS_RS, &l->rs) &&
           read(k, x->rt, l->w, flags & READS_RT, &l->rt) &&
           read(k, x->rd, l->w, flags & READS_RD, &l->rd) &&
           !((flags & READS_C) && k->c == UNKNOWN) && !((flags & READS_M) && k->m == UNKNOWN);
}

static void forget_results(struct known_registers *k, const struct insn *x, uint32_t flags,
                           unsigned width) {
    if (flags & WRITES_RD)
        control_known_forget(k, x->rd, width);
    if (flags & WRITES_RS)
        control_known_forget(k, x->rs, width);
    if (flags & WRITES_RT)
        control_known_forget(k, x->rt, width);
    k->c = flags & WRITES_C ? UNKNOWN : k->c;
    k->m = flags & WRITES_M ? UNKNOWN : k->m;
}

static void know_results(struct known_registers *k, const struct insn *x, uint32_t flags,
                         const struct golden_lane *l) {
    if (flags & WRITES_RD)
        know(k, x->rd, l->w, l->rd);
    if (flags & WRITES_RS)
        know(k, x->rs, l->w, l->rs);
    if (flags & WRITES_RT)
        know(k, x->rt, l->w, l->rt);
    if (flags & WRITES_C)
        k->c = l->c ? KNOWN_1 : KNOWN_0;
    if (flags & WRITES_M)
        k->m = l->m ? KNOWN_1 : KNOWN_0;
}

static void step(struct known_registers *k, const struct insn *x, bool masked) {
    uint32_t flags = isa_info(x->op)->flags;
    if (flags & ISA_USER) { /* the program says what it does, but not here */
        control_known_nothing(k);
        return;
    }
    struct golden_lane l = {.w = x->width ? x->width : 64, .imm = x->imm};
    if (masked && k->m == KNOWN_0) /* no lane takes part */
        return;
    bool known = read_all(k, x, flags, &l) && !(masked && k->m == UNKNOWN);
    if (!known || !isa_info(x->op)->golden) {
        forget_results(k, x, flags, l.w);
        return;
    }
    isa_info(x->op)->golden(&l);
    know_results(k, x, flags, &l);
}

void control_known_run(struct known_registers *k, const struct insn *insns, size_t count,
                       bool masked) {
    for (size_t i = 0; i < count; i++) {
        uint32_t flags = isa_info(insns[i].op)->flags;
        step(k, &insns[i], masked && !(flags & ISA_UNMASKED));
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}
