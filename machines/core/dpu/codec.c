/* SPDX-License-Identifier: MIT
 * The tables of the instruction set, and words. */
#include "machines/core/dpu/dpu.h"

#include <string.h>

const char *dpu_class_name(enum dpu_class class) {
    static const char *const names[DPU_CLASSES] = {[DPU_ARITHMETIC] = "arithmetic",
                                                   [DPU_LOGIC] = "logic",
                                                   [DPU_SHIFT] = "shift",
                                                   [DPU_COUNT] = "count",
                                                   [DPU_EXTEND] = "extend",
                                                   [DPU_MULTIPLY] = "multiply",
                                                   [DPU_STEP] = "step",
                                                   [DPU_PAIR] = "pair",
                                                   [DPU_LOAD] = "load",
                                                   [DPU_STORE] = "store",
                                                   [DPU_DMA] = "dma",
                                                   [DPU_ATOMIC] = "atomic",
                                                   [DPU_THREAD] = "thread",
                                                   [DPU_JUMP] = "jump",
                                                   [DPU_OTHER] = "other"};
    return names[class];
}

static const struct {
    uint8_t class;
    bool known;
} effects[DPU_OPS] = {
#define X(op, class)      [DPU_OP_##op] = {DPU_##class, true},
#define HIDDEN(op, class) [DPU_OP_##op] = {DPU_##class, false},
#include "machines/core/dpu/ops.def"
#undef X
#undef HIDDEN
};
enum dpu_class dpu_op_class(enum dpu_op op) {
    return effects[op].class;
}
bool dpu_op_known(enum dpu_op op) {
    return effects[op].known;
}

/* ---- conditions ---- */

static const struct {
    uint8_t class, code, ask;
    const char *name;
} conditions[] = {
#define X(class, name, code, ask) {DPU_CC_##class, code, DPU_ASK_##ask, name},
#include "machines/core/dpu/conditions.def"
#undef X
};
#define CONDITIONS (sizeof conditions / sizeof *conditions)

/* The first of the class with that code; CONDITIONS: there is none. */
static size_t condition(enum dpu_cc_class class, int64_t code) {
    size_t i = 0;
    while (i < CONDITIONS && (conditions[i].class != class || conditions[i].code != code))
        i++;
    return i;
}
const char *dpu_cc_name(enum dpu_cc_class class, uint32_t code) {
    size_t i = condition(class, code);
    return i < CONDITIONS ? conditions[i].name : NULL;
}
bool dpu_cc_code(enum dpu_cc_class class, const char *name, size_t length, uint32_t *code) {
    for (size_t i = 0; i < CONDITIONS; i++)
        if (conditions[i].class == class && strlen(conditions[i].name) == length &&
            memcmp(conditions[i].name, name, length) == 0) {
            *code = conditions[i].code;
            return true;
        }
    return false;
}
enum dpu_ask dpu_cc_ask(enum dpu_cc_class class, uint32_t code) {
    size_t i = condition(class, code);
    return i < CONDITIONS ? (enum dpu_ask)conditions[i].ask : DPU_ASK_FALSE;
}

/* ---- operands ---- */

/* Numbers: the kinds of operands.def. */
#define SIGNED_BITS(n)   DPU_NUMBER, -(INT64_C(1) << (n - 1)), (INT64_C(1) << (n - 1)) - 1, true
#define UNSIGNED_BITS(n) DPU_NUMBER, 0, (INT64_C(1) << n) - 1, false
#define EITHER_BITS(n)   DPU_NUMBER, -(INT64_C(1) << (n - 1)), (INT64_C(1) << n) - 1, true
#define IS_N_S8          SIGNED_BITS(8)
#define IS_N_S11         SIGNED_BITS(11)
#define IS_N_S12         SIGNED_BITS(12)
#define IS_N_S16         SIGNED_BITS(16)
#define IS_N_S17         SIGNED_BITS(17)
#define IS_N_S24         SIGNED_BITS(24)
#define IS_N_S27         SIGNED_BITS(27)
#define IS_N_S28         SIGNED_BITS(28)
#define IS_N_S8X         SIGNED_BITS(8)
#define IS_N_S16X        SIGNED_BITS(16)
#define IS_N_S32X        SIGNED_BITS(32)
#define IS_N_U5          UNSIGNED_BITS(5)
#define IS_N_U8          UNSIGNED_BITS(8)
#define IS_N_PC16        UNSIGNED_BITS(16)
#define IS_N_U32X        UNSIGNED_BITS(32)
#define IS_N_U32         EITHER_BITS(32)
#define IS_N_SU8         EITHER_BITS(8)
#define IS_N_SU16        EITHER_BITS(16)
#define IS_N_PC24        EITHER_BITS(24)
#define IS_N_PC28        EITHER_BITS(28)
#define IS_N_PCBB        EITHER_BITS(28)
#define IS_REGISTER      DPU_REGISTER, 0, 23, false
#define IS_SOURCE        DPU_SOURCE, 0, 31, false
#define IS_CONSTANT      DPU_CONSTANT, 24, 31, false
#define IS_NOT_ZERO      DPU_NOT_ZERO, 0, 31, false
#define IS_SAFE          DPU_SAFE, 0, 23, false
#define IS_SAFE_SOURCE   DPU_SAFE_SOURCE, 0, 31, false
#define IS_PAIR          DPU_PAIR_OF, 0, 22, false
#define IS_ZERO          DPU_ZERO, 0, 0, false
#define IS_ENDIAN        DPU_ENDIANNESS, 0, 1, false
#define IS_CONDITION     DPU_CONDITION, 0, 63, false

enum dpu_layout {
    NO_LAYOUT,
#define X(name, role, kind, cc, parts) name,
#include "machines/core/dpu/operands.def"
#undef X
    LAYOUTS
};
#define FIRST(kind, least, most, sign)  kind
#define SECOND(kind, least, most, sign) least
#define THIRD(kind, least, most, sign)  most
#define FOURTH(kind, least, most, sign) sign
#define CALL(macro, ...)                macro(__VA_ARGS__)
#define P(low, bits)                    {low, bits},
static const struct dpu_operand layouts[LAYOUTS] = {
#define X(name, role_, kind_, cc_, parts_)                                                         \
    [name] = {.role = DPU_##role_,                                                                 \
              .kind = CALL(FIRST, IS_##kind_),                                                     \
              .least = CALL(SECOND, IS_##kind_),                                                   \
              .most = CALL(THIRD, IS_##kind_),                                                     \
              .sign = CALL(FOURTH, IS_##kind_),                                                    \
              .cc = DPU_CC_##cc_,                                                                  \
              .parts = {parts_{0, 0}}},
#include "machines/core/dpu/operands.def"
#undef X
};

bool dpu_value_fits(const struct dpu_operand *o, int64_t value) {
    if (value < o->least || value > o->most)
        return false;
    switch (o->kind) {
    case DPU_PAIR_OF:
        return value % 2 == 0;
    case DPU_NOT_ZERO:
        return value != 24;
    case DPU_CONDITION:
        return condition(o->cc, value) < CONDITIONS;
    default:
        return true;
    }
}

static uint64_t ones(uint32_t bits) {
    return (UINT64_C(1) << bits) - 1;
}
/* A pair's field may leave out the lowest bit, which is 0. */
static uint32_t left_out(const struct dpu_operand *o) {
    uint32_t bits = 0;
    for (uint32_t i = 0; o->parts[i].bits; i++)
        bits += o->parts[i].bits;
    return o->kind == DPU_PAIR_OF && bits < 5;
}
static uint64_t put(const struct dpu_operand *o, int64_t value) {
    uint64_t rest = (uint64_t)value >> left_out(o), word = 0;
    for (uint32_t i = 0; o->parts[i].bits; i++) {
        word |= (rest & ones(o->parts[i].bits)) << o->parts[i].low;
        rest >>= o->parts[i].bits;
    }
    return word;
}
static int64_t get(const struct dpu_operand *o, uint64_t word) {
    uint64_t value = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; o->parts[i].bits; at += o->parts[i++].bits)
        value |= (word >> o->parts[i].low & ones(o->parts[i].bits)) << at;
    if (o->sign && at && value >> (at - 1))
        return (int64_t)(value | ~ones(at));
    return (int64_t)(value << left_out(o));
}

/* ---- forms ---- */

/* Names stand in the table: as pointers each would be relocated whenever a tool starts, which was a
 * twentieth of a small program's compilation. */
struct dpu_row {
    char name[20], mnemonic[12];
    uint64_t mask, fixed;
    uint8_t op, sugar, operands[DPU_OPERANDS + 2]; /* from [1] on, ended by 0 */
};
#define O(...) NO_LAYOUT, __VA_ARGS__
static const struct dpu_row rows[] = {
#define X(name, mnemonic, op, mask, fixed, operands)                                               \
    {#name, mnemonic, mask, fixed, DPU_OP_##op, 0, {operands}},
#define SUGAR(name, mnemonic, mask, fixed, operands)                                               \
    {#name, mnemonic, mask, fixed, DPU_OPS, 1, {operands}},
#include "machines/core/dpu/forms.def"
#undef X
#undef SUGAR
};
/* Their fixed bits alone, which decoding goes through for each word. */
static const struct {
    uint64_t mask, fixed;
} bits[] = {
#define X(name, mnemonic, op, mask, fixed, operands) {mask, fixed},
#define SUGAR(name, mnemonic, mask, fixed, operands) {mask, fixed},
#include "machines/core/dpu/forms.def"
#undef X
#undef SUGAR
};
uint32_t dpu_form_count(void) {
    return sizeof rows / sizeof *rows;
}
uint32_t dpu_form_named(uint32_t from, const char *mnemonic, size_t length) {
    uint32_t i = from;
    while (i < dpu_form_count() &&
           (strncmp(rows[i].mnemonic, mnemonic, length) != 0 || rows[i].mnemonic[length] != '\0'))
        i++;
    return i;
}

static enum dpu_wide wide_of(const char *mnemonic) {
    const char *dot = strchr(mnemonic, '.');
    return !dot ? DPU_PLAIN : dot[1] == 's' ? DPU_SIGNED : DPU_UNSIGNED;
}
void dpu_form_get(uint32_t number, struct dpu_form *out) {
    const struct dpu_row *r = &rows[number];
    *out = (struct dpu_form){.name = r->name,
                             .mnemonic = r->mnemonic,
                             .op = (enum dpu_op)r->op,
                             .sugar = r->sugar,
                             .wide = wide_of(r->mnemonic),
                             .mask = r->mask,
                             .fixed = r->fixed};
    for (; r->operands[1 + out->count]; out->count++)
        out->operands[out->count] = &layouts[r->operands[1 + out->count]];
}

bool dpu_encode(const struct dpu_insn *insn, uint64_t *word) {
    const struct dpu_row *r = &rows[insn->form];
    *word = r->fixed;
    for (uint32_t i = 0; r->operands[1 + i]; i++) {
        const struct dpu_operand *o = &layouts[r->operands[1 + i]];
        if (!dpu_value_fits(o, insn->values[i]))
            return false;
        *word |= put(o, insn->values[i]);
    }
    return true;
}
bool dpu_decode_as(uint32_t form, uint64_t word, struct dpu_insn *out) {
    const struct dpu_row *r = &rows[form];
    if ((word & r->mask) != r->fixed || word >> DPU_WORD_BITS)
        return false;
    *out = (struct dpu_insn){.form = form};
    for (uint32_t i = 0; r->operands[1 + i]; i++) {
        const struct dpu_operand *o = &layouts[r->operands[1 + i]];
        out->values[i] = get(o, word);
        if (!dpu_value_fits(o, out->values[i]))
            return false;
    }
    return true;
}
bool dpu_decode(uint64_t word, bool sugar, struct dpu_insn *out) {
    struct dpu_insn insn;
    int most = -1;
    for (uint32_t i = 0; i < dpu_form_count(); i++) {
        if ((word & bits[i].mask) != bits[i].fixed || (!sugar && rows[i].sugar))
            continue;
        int fixed = __builtin_popcountll(bits[i].mask);
        if (fixed > most && dpu_decode_as(i, word, &insn)) {
            most = fixed;
            *out = insn;
        }
    }
    return most >= 0;
}
