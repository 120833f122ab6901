/* SPDX-License-Identifier: MIT
 * Words of instructions.  docs/simt-code.md has the layout. */
#include "machines/core/simt/fields.h"

#include "support/bits.h"

#include <string.h>

static bool refuse(struct str *why, const char *text) {
    str_append(why, text);
    return false;
}

static bool is_access(const struct simt_insn *insn) {
    return simt_is_access((enum simt_op)insn->op);
}

/* ---- operands ---- */

static uint32_t register_field(const struct simt_insn *insn, unsigned source) {
    return insn->source[source] | (uint32_t)(insn->negated >> source & 1) << 4;
}

struct fields {
    uint32_t slot[6];
    uint32_t numbers; /* bits: sources that are numbers */
};

static void take_fields(const struct simt_insn *insn, struct fields *f) {
    *f = (struct fields){.numbers = 0};
    if (insn->result_count)
        f->slot[SIMT_SLOT_DST] = insn->result[0];
    for (unsigned i = 0; i < insn->source_count; i++)
        if (insn->source_kind[i] == SIMT_OPERAND_NUMBER)
            f->numbers |= UINT32_C(1) << i;
        else
            f->slot[simt_slot_of(insn, i)] = register_field(insn, i);
}

static int64_t value_of(const struct simt_insn *insn, unsigned source) {
    return sign_extend(insn->number[source], insn->source_bits[source]);
}

static bool fits(int64_t value, unsigned bits) {
    return value == sign_extend((uint64_t)value, bits);
}

/* Of 32 bits as they are, of 64 with the sign of the 32nd. */
static bool fits_word(const struct simt_insn *insn, unsigned source) {
    return insn->source_bits[source] <= 32 || fits((int64_t)insn->number[source], 32);
}

static uint32_t first_word(const struct simt_insn *insn, const struct fields *f) {
    const uint32_t location = insn->location == SIMT_NEAR ? 1 : insn->location == SIMT_FAR ? 2 : 0;
    return simt_op_code(insn) << 26 | simt_type_code((enum ptx_type)insn->m.type[0]) << 22 |
           location << 20 | f->slot[SIMT_SLOT_DST] << 12 | f->slot[SIMT_SLOT_A] << 6 |
           f->slot[SIMT_SLOT_B];
}

/* ---- the long form ---- */

static uint32_t modifier_word(const struct simt_insn *insn) {
    uint32_t mode = insn->m.mode, flags = 0;
    if (is_access(insn))
        mode = insn->m.space | (insn->address_bits == 32 ? 8u : 0);
    else if (insn->op == SIMT_ISSPACEP)
        mode = insn->m.space;
    else if (simt_counts_threads(insn))
        mode = SIMT_MODE_THREADS;
    else if (simt_op_sub((enum simt_op)insn->op))
        mode = simt_op_sub((enum simt_op)insn->op);
    for (unsigned i = 0; i < SIMT_TOLD_FLAGS; i++)
        flags |= insn->m.flags & simt_told_flags[i] ? UINT32_C(1) << i : 0;
    return simt_type_code((enum ptx_type)insn->m.type[1]) | (uint32_t)insn->m.round << 4 |
           (uint32_t)insn->m.compare << 8 | (uint32_t)insn->m.operation << 13 | mode << 17 |
           flags << 22;
}

static bool wants_modifiers(const struct simt_insn *insn) {
    if (insn->op == SIMT_ISSPACEP || (is_access(insn) && insn->address_bits == 32))
        return true;
    return simt_preset(insn) != 0 ||
           (is_access(insn) && simt_code_space(simt_op_code(insn)) != insn->m.space);
}

static uint32_t parts_of(const struct simt_insn *insn) {
    if (insn->op != SIMT_MOV)
        return insn->m.vector;
    return insn->result_count > insn->source_count ? insn->result_count : insn->source_count;
}

static uint32_t register_word(const struct simt_insn *insn, const struct fields *f) {
    uint32_t word = f->slot[SIMT_SLOT_D] << 18 | f->slot[SIMT_SLOT_E] << 24;
    for (unsigned i = 1; i < insn->result_count; i++)
        word |= (uint32_t)insn->result[i] << (6 * (i - 1));
    return word;
}

static bool wants_wide(const struct simt_insn *insn, uint32_t numbers) {
    for (unsigned i = 0; i < insn->source_count; i++)
        if (numbers >> i & 1 && !fits_word(insn, i))
            return true;
    return false;
}

static uint32_t put_long(const struct simt_insn *insn, const struct fields *f, uint32_t *words) {
    const bool wide = wants_wide(insn, f->numbers), modifiers = wants_modifiers(insn);
    const bool registers = insn->result_count > 1 || insn->source_count > 3;
    const uint32_t parts = parts_of(insn);
    uint32_t n = 2, header = f->numbers;
    header |= (wide ? SIMT_LONG_WIDE : 0) | (modifiers ? SIMT_LONG_MODIFIERS : 0) |
              (registers ? SIMT_LONG_REGISTERS : 0) | (uint32_t)insn->second << 8 |
              (parts >> 1) << 12 | (insn->offset ? SIMT_LONG_OFFSET : 0) |
              (insn->op == SIMT_MOV && insn->result_count > 1 ? SIMT_LONG_SPREAD : 0);
    words[0] |= SIMT_W0_EXTENDED;
    words[1] |= SIMT_W1_LONG << 11 | header << 16;
    if (modifiers)
        words[n++] = modifier_word(insn);
    if (registers)
        words[n++] = register_word(insn, f);
    if (insn->offset)
        words[n++] = (uint32_t)insn->offset;
    for (unsigned i = 0; i < insn->source_count; i++) {
        if (!(f->numbers >> i & 1))
            continue;
        words[n++] = (uint32_t)insn->number[i];
        if (wide)
            words[n++] = (uint32_t)(insn->number[i] >> 32);
    }
    return n;
}

/* ---- the short forms ---- */

/* Whether neither vectors nor what else only the long form has is there. */
static bool is_plain(const struct simt_insn *insn, const struct fields *f) {
    return insn->result_count <= 1 && insn->source_count <= 3 && insn->second == SIMT_PT &&
           parts_of(insn) == 1 && simt_preset(insn) != SIMT_NO_PRESET &&
           insn->op != SIMT_ISSPACEP &&
           (!is_access(insn) || simt_code_space(simt_op_code(insn)) == insn->m.space) &&
           !(f->numbers & ~(UINT32_C(1) << simt_number_source(insn))) &&
           !(is_access(insn) && f->numbers);
}

/* One word, or a second one that is a number; 0: neither will do. */
static uint32_t put_first(const struct simt_insn *insn, const struct fields *f, uint32_t *words) {
    const unsigned at = simt_number_source(insn);
    const bool access = insn->op == SIMT_LD || insn->op == SIMT_ST, near = insn->address_bits == 64;
    if (simt_preset(insn) || insn->guard != SIMT_PT || f->slot[SIMT_SLOT_C] ||
        (insn->op == SIMT_ATOM && (!near || insn->offset)))
        return 0;
    if (!access && !f->numbers)
        return 1;
    if (access && !insn->offset) {
        words[0] |= !near;
        return 1;
    }
    if (access && !near)
        return 0;
    const int64_t value = access ? insn->offset : value_of(insn, at);
    words[0] |= SIMT_W0_IMMEDIATE;
    if (fits(value, 6)) {
        words[0] |= (uint32_t)value & 63;
        return 1;
    }
    if (access ? fits(value, 16) : !fits_word(insn, at)) {
        words[0] &= ~SIMT_W0_IMMEDIATE;
        return 0;
    }
    words[0] |= SIMT_W0_EXTENDED;
    words[1] = access ? (uint32_t)insn->offset : (uint32_t)insn->number[at];
    return 2;
}

/* Guard, third source, preset, and 16 bits; 0: it wants more. */
static uint32_t put_second(const struct simt_insn *insn, const struct fields *f, uint32_t *words) {
    const unsigned at = simt_number_source(insn);
    uint32_t mod = simt_preset(insn), number = 0;
    if (is_access(insn)) {
        if (insn->op == SIMT_ATOM)
            mod |= insn->address_bits == 32 ? SIMT_W1_NUMBER : 0;
        else
            mod = insn->address_bits == 32;
        number = (uint32_t)insn->offset & 0xffff;
        if (!fits(insn->offset, 16))
            return 0;
    } else if (f->numbers) {
        mod |= SIMT_W1_NUMBER;
        number = (uint32_t)insn->number[at] & 0xffff;
        if (!fits(value_of(insn, at), 16))
            return 0;
    }
    words[0] |= SIMT_W0_EXTENDED;
    words[1] |= mod << 11 | number << 16;
    return 2;
}

/* ---- branches ---- */

static bool reach(uint32_t from, uint32_t to, unsigned bits, uint32_t *out) {
    const int64_t far = (int64_t)to - (int64_t)from;
    *out = (uint32_t)far & (uint32_t)low_bits(bits);
    return fits(far, bits);
}

static uint32_t encode_branch(const struct simt_insn *insn, uint32_t at, uint32_t *words,
                              struct str *why) {
    const bool guarded = insn->guard != SIMT_PT;
    uint32_t target, reconverge = SIMT_RECONVERGE_END;
    words[0] = UINT32_C(1) << 26 | (insn->location == SIMT_NEAR  ? UINT32_C(1) << 20
                                    : insn->location == SIMT_FAR ? UINT32_C(2) << 20
                                                                 : 0);
    if (!reach(at + (guarded ? 2 : 1), insn->target, guarded ? 16 : 18, &target) ||
        (guarded && insn->reconverge != SIMT_END &&
         (!reach(at + 2, insn->reconverge, 16, &reconverge) || reconverge == SIMT_RECONVERGE_END)))
        return refuse(why, "a branch reaches 32,768 words of code, and not so far"), 0;
    if (!guarded) {
        words[0] |= target;
        return 1;
    }
    words[0] |= SIMT_W0_EXTENDED | (uint32_t)insn->guard << 14 | (uint32_t)insn->guard_not << 13 |
                (uint32_t)(insn->m.mode == PTX_UNI) << 12;
    words[1] = target << 16 | reconverge;
    return 2;
}

uint32_t simt_encode(const struct simt_insn *insn, uint32_t at, uint32_t words[SIMT_MAX_WORDS],
                     struct str *why) {
    struct fields f;
    uint32_t n;
    memset(words, 0, SIMT_MAX_WORDS * sizeof *words);
    if (insn->op == SIMT_BRA)
        return encode_branch(insn, at, words, why);
    take_fields(insn, &f);
    words[0] = first_word(insn, &f);
    if (is_plain(insn, &f)) {
        n = put_first(insn, &f, words);
        if (n)
            return n;
    }
    words[1] = f.slot[SIMT_SLOT_C] | (uint32_t)insn->guard << 6 | (uint32_t)insn->guard_not << 10;
    n = is_plain(insn, &f) ? put_second(insn, &f, words) : 0;
    return n ? n : put_long(insn, &f, words);
}
