/* SPDX-License-Identifier: MIT
 * Known values of registers and masks, followed through the instructions of a run.  A value that an
 * instruction makes in a way that is not modelled here is unknown. */
#include "emu/control/known.h"

#include "support/bits.h"

#include <string.h>

void control_known_nothing(struct known_registers *known) {
    memset(known, 0, sizeof *known);
    known->c = known->m = UNKNOWN;
}

void control_known_forget(struct known_registers *known, unsigned reg, unsigned width) {
    known->bits[reg & 63] &= ~low_bits(width);
}

static void know(struct known_registers *known, unsigned reg, unsigned width, uint64_t value) {
    uint64_t mask = low_bits(width);
    known->value[reg & 63] = (known->value[reg & 63] & ~mask) | (value & mask);
    known->bits[reg & 63] |= mask;
}

/* False if it is not known. */
static bool read(const struct known_registers *known, unsigned reg, unsigned width, bool reads,
                 uint64_t *out) {
    uint64_t mask = low_bits(width);
    *out = known->value[reg & 63] & mask;
    return !reads || (known->bits[reg & 63] & mask) == mask;
}

/* All that the instruction reads; false if some of it is not known. */
static bool read_all(const struct known_registers *known, const struct insn *insn, uint32_t flags,
                     struct golden_lane *lane) {
    unsigned rs_width = insn->width ? isa_operand_bits(insn, ROLE_RS) : lane->w;
    unsigned rt_width = insn->width ? isa_operand_bits(insn, ROLE_RT) : lane->w;
    lane->c = known->c == KNOWN_1;
    lane->m = known->m == KNOWN_1;
    lane->valid = true;
    return read(known, insn->rs, rs_width, flags & READS_RS, &lane->rs) &&
           read(known, insn->rt, rt_width, flags & READS_RT, &lane->rt) &&
           read(known, insn->rd, lane->w, flags & READS_RD, &lane->rd) &&
           !((flags & READS_C) && known->c == UNKNOWN) &&
           !((flags & READS_M) && known->m == UNKNOWN);
}

static void forget_results(struct known_registers *known, const struct insn *insn, uint32_t flags,
                           unsigned width) {
    if (flags & WRITES_RD)
        control_known_forget(known, insn->rd, width);
    if (flags & WRITES_RS)
        control_known_forget(known, insn->rs, width);
    if (flags & WRITES_RT)
        control_known_forget(known, insn->rt, width);
    known->c = flags & WRITES_C ? UNKNOWN : known->c;
    known->m = flags & WRITES_M ? UNKNOWN : known->m;
}

static void know_results(struct known_registers *known, const struct insn *insn, uint32_t flags,
                         const struct golden_lane *lane) {
    if (flags & WRITES_RD)
        know(known, insn->rd, lane->w, lane->rd);
    if (flags & WRITES_RS)
        know(known, insn->rs, lane->w, lane->rs);
    if (flags & WRITES_RT)
        know(known, insn->rt, lane->w, lane->rt);
    if (flags & WRITES_C)
        known->c = lane->c ? KNOWN_1 : KNOWN_0;
    if (flags & WRITES_M)
        known->m = lane->m ? KNOWN_1 : KNOWN_0;
}

static void step(struct known_registers *registers, const struct insn *insn, bool masked,
                 bool flush) {
    uint32_t flags = isa_info(insn->op)->flags;
    if (flags & ISA_USER) { /* the program says what it does, but not here */
        control_known_nothing(registers);
        return;
    }
    struct golden_lane l = {
        .w = insn->width ? insn->width : 64, .imm = insn->imm, .flush = flush, .lut = insn->table};
    if (masked && registers->m == KNOWN_0) /* no lane takes part */
        return;
    bool known = read_all(registers, insn, flags, &l) && !(masked && registers->m == UNKNOWN);
    const bool no_table = isa_has_table(insn->op) && !insn->table;
    if (!known || no_table || !isa_info(insn->op)->golden) {
        forget_results(registers, insn, flags, l.w);
        return;
    }
    isa_info(insn->op)->golden(&l);
    know_results(registers, insn, flags, &l);
}

void control_known_run(struct known_registers *known, const struct insn *insns, size_t count,
                       bool masked, bool flush) {
    for (size_t i = 0; i < count; i++) {
        uint32_t flags = isa_info(insns[i].op)->flags;
        step(known, &insns[i], masked && !(flags & ISA_UNMASKED), flush);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}
