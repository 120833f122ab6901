/* SPDX-License-Identifier: MIT
 * Algorithm 1: what memory takes is near, addresses and predicates are far, and what a result is
 * made of is wanted where the result is. */
#include "machines/core/simt/locate.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

static enum simt_location join(enum simt_location a, enum simt_location b) {
    if (a == SIMT_UNKNOWN || a == b)
        return b;
    return b == SIMT_UNKNOWN ? a : SIMT_BOTH;
}

struct locating {
    const struct ptx_function *function;
    enum simt_reading reading;
    bool near_shared, changed;
    uint8_t *at;
};

static void say(struct locating *l, uint32_t number, enum simt_location wanted) {
    enum simt_location now = (enum simt_location)l->at[number], then = join(now, wanted);
    l->changed |= now != then;
    l->at[number] = (uint8_t)then;
}

/* ---- what is known at once ---- */

static enum simt_location seed(const struct locating *l, const struct ptx_insn *insn,
                               enum simt_role role) {
    if (role == SIMT_GUARD)
        return SIMT_FAR;
    if (!simt_is_memory(insn))
        return SIMT_UNKNOWN;
    switch (insn->m.space) {
    case PTX_SHARED:
        return l->near_shared ? SIMT_NEAR : SIMT_FAR;
    case PTX_GLOBAL:
    case PTX_LOCAL:
    case PTX_GENERIC:
        return role == SIMT_ADDRESS ? SIMT_FAR : SIMT_NEAR;
    default: /* parameters and constants travel with the instruction */
        return SIMT_UNKNOWN;
    }
}

static void seed_all(struct locating *l) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    for (size_t i = 0; i < l->function->insns.len; i++) {
        const struct ptx_insn *insn = &l->function->insns.data[i];
        const uint32_t n = simt_registers(insn, r);
        for (uint32_t k = 0; k < n; k++)
            say(l, r[k].number, seed(l, insn, r[k].role));
    }
}

/* ---- and what follows ---- */

static bool is_read(enum simt_role role) {
    return role == SIMT_SOURCE || role == SIMT_ADDRESS || role == SIMT_DATA;
}

/* What the sources of an instruction come to by its results. */
static void follow(struct locating *l, const struct ptx_insn *insn) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(insn, r);
    enum simt_location wanted = SIMT_UNKNOWN;
    if (l->reading == SIMT_REPAIRED && (simt_is_memory(insn) || simt_is_control(insn)))
        return;
    for (uint32_t k = 0; k < n; k++)
        if (r[k].role == SIMT_RESULT)
            wanted = join(wanted, (enum simt_location)l->at[r[k].number]);
    for (uint32_t k = 0; k < n; k++)
        if (is_read(r[k].role))
            say(l, r[k].number, wanted);
}

/* As it is printed: a source takes the location of the result where it has none, and is on both
 * sides where that is another one, known or not.  Of stores the address is what is printed as the
 * result. */
static void follow_literally(struct locating *l, const struct ptx_insn *insn) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(insn, r);
    const bool stores = insn->form->op == PTX_OP_ST || insn->form->op == PTX_OP_RED;
    enum simt_location wanted = SIMT_UNKNOWN;
    bool has_result = false;
    for (uint32_t k = 0; k < n; k++)
        if (r[k].role == SIMT_RESULT || (stores && r[k].role == SIMT_ADDRESS)) {
            wanted = join(wanted, (enum simt_location)l->at[r[k].number]);
            has_result = true;
        }
    for (uint32_t k = 0; k < n && has_result; k++) {
        if (!is_read(r[k].role) || (stores && r[k].role == SIMT_ADDRESS))
            continue;
        enum simt_location now = (enum simt_location)l->at[r[k].number];
        say(l, r[k].number, now == SIMT_UNKNOWN || now == wanted ? wanted : SIMT_BOTH);
    }
}

/* Registers that are read somewhere; the others are nobody's. */
static bool *find_read(const struct ptx_function *f) {
    bool *read = xcalloc(f->registers.len + 1, sizeof *read);
    struct simt_register r[SIMT_MAX_REGISTERS];
    for (size_t i = 0; i < f->insns.len; i++) {
        const uint32_t n = simt_registers(&f->insns.data[i], r);
        for (uint32_t k = 0; k < n; k++)
            read[r[k].number] |= r[k].role != SIMT_RESULT;
    }
    return read;
}

void simt_locate(const struct ptx_function *function, enum simt_reading reading, bool near_shared,
                 uint8_t *out) {
    struct locating l = {function, reading, near_shared, true, out};
    bool *read = find_read(function);
    for (size_t i = 0; i < function->registers.len; i++)
        out[i] = SIMT_UNKNOWN;
    seed_all(&l);
    while (l.changed) {
        l.changed = false;
        for (size_t i = 0; i < function->insns.len; i++)
            if (reading == SIMT_LITERAL)
                follow_literally(&l, &function->insns.data[i]);
            else
                follow(&l, &function->insns.data[i]);
    }
    for (size_t i = 0; i < function->registers.len; i++) {
        if (!read[i])
            out[i] = SIMT_UNKNOWN;
        else if (out[i] == SIMT_UNKNOWN && reading == SIMT_REPAIRED)
            out[i] = SIMT_FAR;
    }
    free(read);
}

enum simt_location simt_location_of(const struct ptx_insn *insn, const uint8_t *locations) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(insn, r);
    enum simt_location wanted = SIMT_UNKNOWN;
    for (uint32_t k = 0; k < n; k++)
        if (r[k].role == SIMT_RESULT)
            wanted = join(wanted, (enum simt_location)locations[r[k].number]);
    return wanted == SIMT_UNKNOWN ? SIMT_FAR : wanted;
}

void simt_count(const struct ptx_function *function, const uint8_t *locations,
                struct simt_counts *out) {
    bool *read = find_read(function);
    *out = (struct simt_counts){{0}, {0}};
    for (size_t i = 0; i < function->registers.len; i++)
        out->registers[locations[i]] += read[i];
    for (size_t i = 0; i < function->insns.len; i++)
        out->instructions[simt_location_of(&function->insns.data[i], locations)]++;
    free(read);
}

void simt_counts_text(const struct simt_counts *counts, struct str *out) {
    const uint32_t *n = counts->registers;
    str_printf(out, "near %" PRIu32 " far %" PRIu32 " both %" PRIu32 " of %" PRIu32, n[SIMT_NEAR],
               n[SIMT_FAR], n[SIMT_BOTH], n[SIMT_NEAR] + n[SIMT_FAR] + n[SIMT_BOTH]);
}
