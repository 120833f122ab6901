/* SPDX-License-Identifier: MIT
 * Constants of regions are made once, at the beginning of the body, where that saves work: in a
 * loop, or when several places need the same one.  The most worthwhile ones only, for each takes a
 * register for long. */
#include "ezpim/ir/hoist.h"
#include "ezpim/ir/touched.h"
#include "support/map.h"

enum { MOST_CONSTANTS = 12 };

struct constant {
    uint64_t value;
    uint8_t bits; /* the most that a use has */
    struct lane_type type;
    uint64_t weight; /* instructions that it saves, as far as can be guessed */
    uint32_t vreg;   /* where it is kept, or IR_NONE */
    struct span at;
};

struct hoisting {
    struct ir_code *code;
    struct map numbers; /* values to constants */
    VEC(struct constant) constants;
    VEC(struct ir_insn) out;
};

static bool is_constant(const struct hoisting *hoisting, const struct ir_insn *insn) {
    return insn->op == IR_CONST && hoisting->code->vregs.data[insn->dst].fixed < 0 &&
           !hoisting->code->vregs.data[insn->dst].name;
}

static struct constant *find(struct hoisting *hoisting, uint64_t value) {
    uint64_t *known = map_get_n(&hoisting->numbers, (const char *)&value, sizeof value);
    if (known)
        return &hoisting->constants.data[*known];
    struct constant c = {.value = value, .vreg = IR_NONE};
    map_put_n(&hoisting->numbers, (const char *)&value, sizeof value, hoisting->constants.len);
    vec_push(&hoisting->constants, c);
    return &vec_last(&hoisting->constants);
}

unsigned ir_constant_length(uint64_t value, unsigned bits) {
    int64_t v = bits < 64 && value >> (bits - 1) & 1 ? (int64_t)(value | UINT64_MAX << bits)
                                                     : (int64_t)value;
    unsigned length = 1;
    for (; v < -2048 || v > 2047; v >>= 12)
        length++;
    return length;
}

static void weigh(struct hoisting *hoisting) {
    uint32_t region = 0;
    for (size_t k = 0; k < hoisting->code->insns.len; k++) {
        const struct ir_insn *i = &hoisting->code->insns.data[k];
        if (is_constant(hoisting, i)) {
            struct constant *c = find(hoisting, i->imm);
            c->weight += ir_weight_mul(ir_constant_length(i->imm, i->type.bits),
                                       ir_region_weight(hoisting->code, region));
            if (i->type.bits > c->bits) {
                c->bits = i->type.bits;
                c->type = i->type;
                c->at = i->at;
            }
        }
        region = ir_region_behind(hoisting->code, i, region);
    }
}

/* The heaviest first; of equal ones that which is met first. */
static struct constant *heaviest(struct hoisting *hoisting) {
    struct constant *best = NULL;
    for (size_t i = 0; i < hoisting->constants.len; i++) {
        struct constant *c = &hoisting->constants.data[i];
        bool saves = c->vreg == IR_NONE && c->weight > ir_constant_length(c->value, c->bits);
        if (saves && (!best || c->weight > best->weight))
            best = c;
    }
    return best;
}

static void keep(struct hoisting *hoisting, struct constant *constant) {
    hoisting->code->region = 0;
    constant->vreg = ir_vreg(hoisting->code, constant->type, NULL, constant->at);
    struct ir_insn i = {.op = IR_CONST,
                        .type = constant->type,
                        .dst = constant->vreg,
                        .a = IR_NONE,
                        .b = IR_NONE,
                        .c = IR_NONE,
                        .imm = constant->value,
                        .at = constant->at};
    vec_push(&hoisting->out, i);
}

/* What makes the constant becomes a copy, which the numbering of values looks through. */
static void copy_rest(struct hoisting *hoisting) {
    for (size_t k = 0; k < hoisting->code->insns.len; k++) {
        struct ir_insn i = hoisting->code->insns.data[k];
        struct constant *c = is_constant(hoisting, &i) ? find(hoisting, i.imm) : NULL;
        if (c && c->vreg != IR_NONE) {
            i.op = IR_COPY;
            i.a = c->vreg;
            i.imm = 0;
        }
        vec_push(&hoisting->out, i);
    }
}

void ir_hoist(struct ir_code *code) {
    struct hoisting h = {.code = code};
    if (code->regions.len == 1)
        return;
    weigh(&h);
    for (unsigned n = 0; n < MOST_CONSTANTS; n++) {
        struct constant *c = heaviest(&h);
        if (!c)
            break;
        keep(&h, c);
    }
    if (h.out.len) {
        copy_rest(&h);
        vec_free(&code->insns);
        code->insns.data = h.out.data;
        code->insns.len = h.out.len;
        code->insns.cap = h.out.cap;
    } else {
        vec_free(&h.out);
    }
    vec_free(&h.constants);
    map_free(&h.numbers);
}
