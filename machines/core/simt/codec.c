/* SPDX-License-Identifier: MIT
 * Words of instructions.  docs/simt-code.md has the layout; what is decoded is right if it encodes
 * to the same words, so that each instruction has one encoding. */
#include "machines/core/simt/words.h"

#include "support/bits.h"

#include <string.h>

/* W0 */
#define W0_EXTENDED  (UINT32_C(1) << 19)
#define W0_IMMEDIATE (UINT32_C(1) << 18)
/* W1 of X = 1, I = 0 */
#define W1_NUMBER      0x10 /* of mod: source 1 is the 16 bits above; of an atomic: 32-bit address */
#define W1_LONG        0x1f /* of mod: the 16 bits above say what follows */
#define RECONVERGE_END 0x7fff
/* The 16 bits of a long form */
#define LONG_WIDE      0x20 /* numbers have 64 bits */
#define LONG_MODIFIERS 0x40
#define LONG_REGISTERS 0x80
#define LONG_OFFSET    0x4000
#define LONG_SPREAD    0x8000 /* of MOV: several results */

#define MODE_THREADS 30 /* of BAR's modifiers: bar.sync says for how many threads */

static const uint16_t told_flags[] = {PTX_FTZ,   PTX_SAT, PTX_APPROX,   PTX_FULL,    PTX_WRAP,
                                      PTX_CLAMP, PTX_CC,  PTX_NAN_FLAG, PTX_SHIFTAMT};
#define TOLD_FLAGS (sizeof told_flags / sizeof *told_flags)

static uint32_t field(uint32_t word, unsigned low, unsigned bits) {
    return word >> low & ((UINT32_C(1) << bits) - 1);
}

static bool refuse(struct str *why, const char *text) {
    str_append(why, text);
    return false;
}

/* ---- where operands stand ---- */

enum { SLOT_DST, SLOT_A, SLOT_B, SLOT_C, SLOT_D, SLOT_E };

/* What is stored stands where results do. */
static unsigned slot_of(const struct simt_insn *insn, unsigned source) {
    if (insn->op == SIMT_ST && source == 1)
        return SLOT_DST;
    return SLOT_A + source;
}

/* The source that a number in W0's or W1's field is. */
static unsigned number_source(const struct simt_insn *insn) {
    return insn->source_count > 1 ? 1 : 0;
}

static bool is_access(const struct simt_insn *insn) {
    return simt_is_access((enum simt_op)insn->op);
}

static uint32_t register_field(const struct simt_insn *insn, unsigned source) {
    return insn->source[source] | (uint32_t)(insn->negated >> source & 1) << 4;
}

/* ---- encoding ---- */

struct fields {
    uint32_t slot[6];
    uint32_t numbers; /* bits: sources that are numbers */
};

static void take_fields(const struct simt_insn *insn, struct fields *f) {
    *f = (struct fields){.numbers = 0};
    if (insn->result_count)
        f->slot[SLOT_DST] = insn->result[0];
    for (unsigned i = 0; i < insn->source_count; i++)
        if (insn->source_kind[i] == SIMT_OPERAND_NUMBER)
            f->numbers |= UINT32_C(1) << i;
        else
            f->slot[slot_of(insn, i)] = register_field(insn, i);
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
           location << 20 | f->slot[SLOT_DST] << 12 | f->slot[SLOT_A] << 6 | f->slot[SLOT_B];
}

/* ---- the long form ---- */

static uint32_t modifier_word(const struct simt_insn *insn) {
    uint32_t mode = insn->m.mode, flags = 0;
    if (is_access(insn))
        mode = insn->m.space | (insn->address_bits == 32 ? 8u : 0);
    else if (insn->op == SIMT_ISSPACEP)
        mode = insn->m.space;
    else if (simt_counts_threads(insn))
        mode = MODE_THREADS;
    else if (simt_op_sub((enum simt_op)insn->op))
        mode = simt_op_sub((enum simt_op)insn->op);
    for (unsigned i = 0; i < TOLD_FLAGS; i++)
        flags |= insn->m.flags & told_flags[i] ? UINT32_C(1) << i : 0;
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
    uint32_t word = f->slot[SLOT_D] << 18 | f->slot[SLOT_E] << 24;
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
    header |= (wide ? LONG_WIDE : 0) | (modifiers ? LONG_MODIFIERS : 0) |
              (registers ? LONG_REGISTERS : 0) | (uint32_t)insn->second << 8 | (parts >> 1) << 12 |
              (insn->offset ? LONG_OFFSET : 0) |
              (insn->op == SIMT_MOV && insn->result_count > 1 ? LONG_SPREAD : 0);
    words[0] |= W0_EXTENDED;
    words[1] |= W1_LONG << 11 | header << 16;
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
           !(f->numbers & ~(UINT32_C(1) << number_source(insn))) &&
           !(is_access(insn) && f->numbers);
}

/* One word, or a second one that is a number; 0: neither will do. */
static uint32_t put_first(const struct simt_insn *insn, const struct fields *f, uint32_t *words) {
    const unsigned at = number_source(insn);
    const bool access = insn->op == SIMT_LD || insn->op == SIMT_ST, near = insn->address_bits == 64;
    if (simt_preset(insn) || insn->guard != SIMT_PT || f->slot[SLOT_C] ||
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
    words[0] |= W0_IMMEDIATE;
    if (fits(value, 6)) {
        words[0] |= (uint32_t)value & 63;
        return 1;
    }
    if (access ? fits(value, 16) : !fits_word(insn, at)) {
        words[0] &= ~W0_IMMEDIATE;
        return 0;
    }
    words[0] |= W0_EXTENDED;
    words[1] = access ? (uint32_t)insn->offset : (uint32_t)insn->number[at];
    return 2;
}

/* Guard, third source, preset, and 16 bits; 0: it wants more. */
static uint32_t put_second(const struct simt_insn *insn, const struct fields *f, uint32_t *words) {
    const unsigned at = number_source(insn);
    uint32_t mod = simt_preset(insn), number = 0;
    if (is_access(insn)) {
        if (insn->op == SIMT_ATOM)
            mod |= insn->address_bits == 32 ? W1_NUMBER : 0;
        else
            mod = insn->address_bits == 32;
        number = (uint32_t)insn->offset & 0xffff;
        if (!fits(insn->offset, 16))
            return 0;
    } else if (f->numbers) {
        mod |= W1_NUMBER;
        number = (uint32_t)insn->number[at] & 0xffff;
        if (!fits(value_of(insn, at), 16))
            return 0;
    }
    words[0] |= W0_EXTENDED;
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
    uint32_t target, reconverge = RECONVERGE_END;
    words[0] = UINT32_C(1) << 26 | (insn->location == SIMT_NEAR  ? UINT32_C(1) << 20
                                    : insn->location == SIMT_FAR ? UINT32_C(2) << 20
                                                                 : 0);
    if (!reach(at + (guarded ? 2 : 1), insn->target, guarded ? 16 : 18, &target) ||
        (guarded && insn->reconverge != SIMT_END &&
         (!reach(at + 2, insn->reconverge, 16, &reconverge) || reconverge == RECONVERGE_END)))
        return refuse(why, "a branch reaches 32,768 words of code, and not so far"), 0;
    if (!guarded) {
        words[0] |= target;
        return 1;
    }
    words[0] |= W0_EXTENDED | (uint32_t)insn->guard << 14 | (uint32_t)insn->guard_not << 13 |
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
    words[1] = f.slot[SLOT_C] | (uint32_t)insn->guard << 6 | (uint32_t)insn->guard_not << 10;
    n = is_plain(insn, &f) ? put_second(insn, &f, words) : 0;
    return n ? n : put_long(insn, &f, words);
}

/* ---- decoding ---- */

struct reader {
    const uint32_t *words;
    uint32_t count, at; /* the word that is next */
    bool short_of;      /* of words */
};

static uint32_t next_word(struct reader *r) {
    if (r->at == r->count) {
        r->short_of = true;
        return 0;
    }
    return r->words[r->at++];
}

static void decode_branch(struct reader *r, uint32_t word, struct simt_insn *out) {
    out->op = SIMT_BRA;
    out->reconverge = SIMT_END;
    if (!(word & W0_EXTENDED)) {
        out->target = r->at + (uint32_t)sign_extend(word, 18);
        return;
    }
    const uint32_t second = next_word(r);
    out->guard = (uint8_t)field(word, 14, 4);
    out->guard_not = field(word, 13, 1);
    out->m.mode = field(word, 12, 1) ? PTX_UNI : PTX_NO_MODE;
    out->target = r->at + (uint32_t)sign_extend(second >> 16, 16);
    if ((second & 0xffff) != RECONVERGE_END)
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
    for (unsigned i = 0; i < TOLD_FLAGS; i++)
        out->m.flags |= field(word, 22 + i, 1) ? told_flags[i] : 0;
    if (simt_memory_op(code) != SIMT_OPS) {
        out->m.space = mode & 7;
        out->address_bits = mode & 8 ? 32 : 64;
    } else if (simt_op_of(code, 0) == SIMT_ISSPACEP) {
        out->m.space = (uint8_t)mode;
    } else if (simt_op_of(code, 1) != SIMT_OPS) { /* numbers that several have */
        out->op = (uint8_t)simt_op_of(code, mode);
        if (out->op == SIMT_OPS) { /* bar.arrive */
            out->op = (uint8_t)simt_op_of(code, 0);
            out->m.mode = mode == MODE_THREADS ? PTX_NO_MODE : (uint8_t)mode;
            out->source_count = mode == MODE_THREADS ? 2 : 1;
        }
    } else {
        out->m.mode = (uint8_t)mode;
    }
    return out->m.type[1] != PTX_TYPES;
}

/* Operands from their fields, where they are registers. */
static void take_operands(struct simt_insn *insn, const uint32_t slot[6], uint32_t results) {
    if (insn->result_count)
        insn->result[0] = (uint8_t)slot[SLOT_DST];
    for (unsigned i = 1; i < insn->result_count; i++)
        insn->result[i] = (uint8_t)field(results, 6 * (i - 1), 6);
    for (unsigned i = 0; i < insn->source_count; i++) {
        uint32_t f = slot[slot_of(insn, i)];
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
    struct reader r;
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
    if (header & LONG_MODIFIERS && !take_modifiers(next_word(&d->r), d->code, out))
        return false;
    if (header & LONG_REGISTERS) {
        uint32_t word = next_word(&d->r);
        d->results = word & 0x3ffff;
        d->slot[SLOT_D] = field(word, 18, 6);
        d->slot[SLOT_E] = field(word, 24, 6);
    }
    if (header & LONG_OFFSET)
        out->offset = (int32_t)next_word(&d->r);
    if (out->op != SIMT_MOV)
        out->m.vector = (uint8_t)parts;
    else if (header & LONG_SPREAD)
        out->result_count = (uint8_t)parts;
    else
        out->source_count = (uint8_t)parts;
    if (parts > 4 || !simt_shape(out))
        return false;
    take_operands(out, d->slot, d->results);
    for (unsigned i = 0; i < out->source_count; i++)
        if (header >> i & 1) {
            uint64_t low = next_word(&d->r);
            uint64_t high = header & LONG_WIDE ? next_word(&d->r) : (uint64_t)(low >> 31 ? ~0u : 0);
            take_number(out, i, low | high << 32);
        }
    return true;
}

/* One word; a number behind it; or guard, preset and 16 bits. */
static bool decode_short(struct decoding *d) {
    struct simt_insn *out = d->out;
    const bool number = d->first & W0_IMMEDIATE, more = d->first & W0_EXTENDED && !number;
    unsigned mod = more ? field(d->second, 11, 5) : 0, preset = mod & 15;
    bool access = simt_memory_op(d->code) != SIMT_OPS;
    bool atomic = simt_memory_op(d->code) == SIMT_ATOM;
    out->result_count = out->source_count = 1; /* of MOV */
    if (!simt_preset_put(d->code, access && !atomic ? 0 : preset, out))
        return false;
    if (access && more)
        out->address_bits = atomic ? (mod & W1_NUMBER ? 32 : 64) : (mod & 1 ? 32 : 64);
    else if (access && !atomic && !number)
        out->address_bits = d->slot[SLOT_B] & 1 ? 32 : 64;
    if (!simt_shape(out))
        return false;
    take_operands(out, d->slot, 0);
    if (access && more)
        out->offset = (int32_t)sign_extend(d->second >> 16, 16);
    else if (access && number)
        out->offset =
            d->first & W0_EXTENDED ? (int32_t)d->second : (int32_t)sign_extend(d->slot[SLOT_B], 6);
    else if (out->source_count == 0)
        return true;
    else if (more && mod & W1_NUMBER)
        take_number(out, number_source(out), (uint64_t)sign_extend(d->second >> 16, 16));
    else if (number)
        take_number(out, number_source(out),
                    (uint64_t)(d->first & W0_EXTENDED ? (int64_t)(int32_t)d->second
                                                      : sign_extend(d->slot[SLOT_B], 6)));
    return true;
}

static bool decode_other(struct decoding *d) {
    struct simt_insn *out = d->out;
    const bool extended = d->first & W0_EXTENDED, number = d->first & W0_IMMEDIATE;
    const unsigned type = simt_code_type(field(d->first, 22, 4));
    if (type == PTX_TYPES)
        return false;
    out->m.type[0] = (uint8_t)type;
    out->m.space = (uint8_t)simt_code_space(d->code);
    d->slot[SLOT_DST] = field(d->first, 12, 6);
    d->slot[SLOT_A] = field(d->first, 6, 6);
    d->slot[SLOT_B] = field(d->first, 0, 6);
    d->second = extended ? next_word(&d->r) : 0;
    if (!extended || number)
        return decode_short(d);
    d->slot[SLOT_C] = field(d->second, 0, 6);
    out->guard = (uint8_t)field(d->second, 6, 4);
    out->guard_not = field(d->second, 10, 1);
    return field(d->second, 11, 5) == W1_LONG ? decode_long(d) : decode_short(d);
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
        return refuse(why, "the code ends within an instruction");
    out->words = (uint8_t)(d.r.at - at);
    struct str none = {0};
    n = fine && registers_fine(out) ? simt_encode(out, at, again, &none) : 0;
    str_free(&none);
    if (n != out->words || memcmp(again, words + at, n * sizeof *again) != 0)
        return str_printf(why, "word 0x%08x is no instruction", (unsigned)d.first), false;
    return true;
}
