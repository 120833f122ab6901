/* SPDX-License-Identifier: MIT
 * Instructions of words.  What is decoded is right if it encodes to the same words, so that each
 * instruction has one encoding. */
#include "machines/core/simt/fields.h"

#include "support/bits.h"

#include <string.h>

static uint32_t field(uint32_t word, unsigned low, unsigned bits) {
    return word >> low & ((UINT32_C(1) << bits) - 1);
}

struct word_reader {
    const uint32_t *words;
    uint32_t count, at; /* the word that is next */
    bool short_of;      /* of words */
};

static uint32_t next_word(struct word_reader *r) {
    if (r->at == r->count) {
        r->short_of = true;
        return 0;
    }
    return r->words[r->at++];
}

static void decode_branch(struct word_reader *r, uint32_t word, struct simt_insn *out) {
    out->op = SIMT_BRA;
    out->reconverge = SIMT_END;
    if (!(word & SIMT_W0_EXTENDED)) {
        out->target = r->at + (uint32_t)sign_extend(word, 18);
        return;
    }
    const uint32_t second = next_word(r);
    out->guard = (uint8_t)field(word, 14, 4);
    out->guard_not = field(word, 13, 1);
    out->m.mode = field(word, 12, 1) ? PTX_UNI : PTX_NO_MODE;
    out->target = r->at + (uint32_t)sign_extend(second >> 16, 16);
    if ((second & 0xffff) != SIMT_RECONVERGE_END)
        out->reconverge = r->at + (uint32_t)sign_extend(second, 16);
}

static bool take_modifiers(uint32_t word, unsigned code, struct simt_insn *out) {
    const unsigned mode = field(word, 17, 5);
    out->m.type[1] = (uint8_t)simt_code_type(field(word, 0, 4));
    out->m.round = (uint8_t)field(word, 4, 4);
    out->m.compare = (uint8_t)field(word, 8, 5);
    out->m.operation = (uint8_t)field(word, 13, 4);
    out->m.mode = 0;
    out->m.flags = 0;
    for (unsigned i = 0; i < SIMT_TOLD_FLAGS; i++)
        out->m.flags |= field(word, 22 + i, 1) ? simt_told_flags[i] : 0;
    if (simt_memory_op(code) != SIMT_OPS) {
        out->m.space = mode & 7;
        out->address_bits = mode & 8 ? 32 : 64;
    } else if (simt_op_of(code, 0) == SIMT_ISSPACEP) {
        out->m.space = (uint8_t)mode;
    } else if (simt_op_of(code, 1) != SIMT_OPS) { /* numbers that several have */
        out->op = (uint8_t)simt_op_of(code, mode);
        if (out->op == SIMT_OPS) { /* bar.arrive */
            out->op = (uint8_t)simt_op_of(code, 0);
            out->m.mode = mode == SIMT_MODE_THREADS ? PTX_NO_MODE : (uint8_t)mode;
            out->source_count = mode == SIMT_MODE_THREADS ? 2 : 1;
        }
    } else {
        out->m.mode = (uint8_t)mode;
    }
    return out->m.type[1] != PTX_TYPES;
}

/* Operands from their fields, where they are registers. */
static void take_operands(struct simt_insn *insn, const uint32_t slot[6], uint32_t results) {
    if (insn->result_count)
        insn->result[0] = (uint8_t)slot[SIMT_SLOT_DST];
    for (unsigned i = 1; i < insn->result_count; i++)
        insn->result[i] = (uint8_t)field(results, 6 * (i - 1), 6);
    for (unsigned i = 0; i < insn->source_count; i++) {
        uint32_t f = slot[simt_slot_of(insn, i)];
        insn->source[i] = (uint8_t)f;
        if (insn->source_kind[i] == SIMT_OPERAND_PREDICATE && f < 32) {
            insn->source[i] = f & 15;
            insn->negated |= (uint8_t)((f >> 4) << i);
        }
    }
}

static void take_number(struct simt_insn *insn, unsigned source, uint64_t number) {
    insn->source_kind[source] = SIMT_OPERAND_NUMBER;
    insn->source[source] = 0;
    insn->negated &= (uint8_t) ~(1u << source);
    insn->number[source] = number & low_bits(insn->source_bits[source]);
}

struct decoding {
    struct word_reader r;
    struct simt_insn *out;
    uint32_t code, first, second;
    uint32_t slot[6], results;
};

static bool decode_long(struct decoding *d) {
    struct simt_insn *out = d->out;
    const uint32_t header = d->second >> 16;
    const unsigned parts = 1u << field(header, 12, 2);
    out->second = (uint8_t)field(header, 8, 4);
    out->result_count = out->source_count = 1;
    if (!simt_preset_put(d->code, 0, out))
        return false;
    if (header & SIMT_LONG_MODIFIERS && !take_modifiers(next_word(&d->r), d->code, out))
        return false;
    if (header & SIMT_LONG_REGISTERS) {
        uint32_t word = next_word(&d->r);
        d->results = word & 0x3ffff;
        d->slot[SIMT_SLOT_D] = field(word, 18, 6);
        d->slot[SIMT_SLOT_E] = field(word, 24, 6);
    }
    if (header & SIMT_LONG_OFFSET)
        out->offset = (int32_t)next_word(&d->r);
    if (out->op != SIMT_MOV)
        out->m.vector = (uint8_t)parts;
    else if (header & SIMT_LONG_SPREAD)
        out->result_count = (uint8_t)parts;
    else
        out->source_count = (uint8_t)parts;
    if (parts > 4 || !simt_shape(out))
        return false;
    take_operands(out, d->slot, d->results);
    for (unsigned i = 0; i < out->source_count; i++)
        if (header >> i & 1) {
            uint64_t low = next_word(&d->r);
            uint64_t high =
                header & SIMT_LONG_WIDE ? next_word(&d->r) : (uint64_t)(low >> 31 ? ~0u : 0);
            take_number(out, i, low | high << 32);
        }
    return true;
}

/* One word; a number behind it; or guard, preset and 16 bits. */
static bool decode_short(struct decoding *d) {
    struct simt_insn *out = d->out;
    const bool number = d->first & SIMT_W0_IMMEDIATE, more = d->first & SIMT_W0_EXTENDED && !number;
    unsigned mod = more ? field(d->second, 11, 5) : 0, preset = mod & 15;
    bool access = simt_memory_op(d->code) != SIMT_OPS;
    bool atomic = simt_memory_op(d->code) == SIMT_ATOM;
    out->result_count = out->source_count = 1; /* of MOV */
    if (!simt_preset_put(d->code, access && !atomic ? 0 : preset, out))
        return false;
    if (access && more)
        out->address_bits = atomic ? (mod & SIMT_W1_NUMBER ? 32 : 64) : (mod & 1 ? 32 : 64);
    else if (access && !atomic && !number)
        out->address_bits = d->slot[SIMT_SLOT_B] & 1 ? 32 : 64;
    if (!simt_shape(out))
        return false;
    take_operands(out, d->slot, 0);
    if (access && more)
        out->offset = (int32_t)sign_extend(d->second >> 16, 16);
    else if (access && number)
        out->offset = d->first & SIMT_W0_EXTENDED ? (int32_t)d->second
                                                  : (int32_t)sign_extend(d->slot[SIMT_SLOT_B], 6);
    else if (out->source_count == 0)
        return true;
    else if (more && mod & SIMT_W1_NUMBER)
        take_number(out, simt_number_source(out), (uint64_t)sign_extend(d->second >> 16, 16));
    else if (number)
        take_number(out, simt_number_source(out),
                    (uint64_t)(d->first & SIMT_W0_EXTENDED ? (int64_t)(int32_t)d->second
                                                           : sign_extend(d->slot[SIMT_SLOT_B], 6)));
    return true;
}

static bool decode_other(struct decoding *d) {
    struct simt_insn *out = d->out;
    const bool extended = d->first & SIMT_W0_EXTENDED, number = d->first & SIMT_W0_IMMEDIATE;
    const unsigned type = simt_code_type(field(d->first, 22, 4));
    if (type == PTX_TYPES)
        return false;
    out->m.type[0] = (uint8_t)type;
    out->m.space = (uint8_t)simt_code_space(d->code);
    d->slot[SIMT_SLOT_DST] = field(d->first, 12, 6);
    d->slot[SIMT_SLOT_A] = field(d->first, 6, 6);
    d->slot[SIMT_SLOT_B] = field(d->first, 0, 6);
    d->second = extended ? next_word(&d->r) : 0;
    if (!extended || number)
        return decode_short(d);
    d->slot[SIMT_SLOT_C] = field(d->second, 0, 6);
    out->guard = (uint8_t)field(d->second, 6, 4);
    out->guard_not = field(d->second, 10, 1);
    return field(d->second, 11, 5) == SIMT_W1_LONG ? decode_long(d) : decode_short(d);
}

/* Registers that there are: pairs from an even one on. */
static bool register_fine(unsigned kind, unsigned number) {
    return kind == SIMT_OPERAND_PREDICATE ? number <= SIMT_PT
           : kind == SIMT_OPERAND_PAIR    ? number == SIMT_RZ || (!(number & 1) && number < 62)
           : kind == SIMT_OPERAND_SPECIAL ? number < PTX_SPECIALS
                                          : number <= SIMT_RZ;
}

static bool registers_fine(const struct simt_insn *insn) {
    for (unsigned i = 0; i < insn->result_count; i++)
        if (!register_fine(insn->result_kind[i], insn->result[i]))
            return false;
    for (unsigned i = 0; i < insn->source_count; i++)
        if (insn->source_kind[i] != SIMT_OPERAND_NUMBER &&
            !register_fine(insn->source_kind[i], insn->source[i]))
            return false;
    return insn->second == SIMT_PT || simt_has_second(insn);
}

bool simt_decode(const uint32_t *words, uint32_t count, uint32_t at, struct simt_insn *out,
                 struct str *why) {
    struct decoding d = {.r = {words, count, at, false}, .out = out};
    uint32_t again[SIMT_MAX_WORDS], n;
    d.first = next_word(&d.r);
    d.code = d.first >> 26;
    *out = (struct simt_insn){.guard = SIMT_PT, .second = SIMT_PT, .address_bits = 64};
    out->m.vector = 1;
    out->location =
        (uint8_t[]){SIMT_BOTH, SIMT_NEAR, SIMT_FAR, SIMT_UNKNOWN}[field(d.first, 20, 2)];
    bool fine = out->location != SIMT_UNKNOWN;
    if (d.code == 1)
        decode_branch(&d.r, d.first, out);
    else
        fine = fine && decode_other(&d);
    if (d.r.short_of)
        return str_append(why, "the code ends within an instruction"), false;
    out->words = (uint8_t)(d.r.at - at);
    struct str none = {0};
    n = fine && registers_fine(out) ? simt_encode(out, at, again, &none) : 0;
    str_free(&none);
    if (n != out->words || memcmp(again, words + at, n * sizeof *again) != 0)
        return str_printf(why, "word 0x%08x is no instruction", (unsigned)d.first), false;
    return true;
}
