/* SPDX-License-Identifier: MIT
 * Instructions of the MPU ISA as scalar IR.  What each does is said by its golden function
 * (isa-spec/); tests compare the two. */
#include "machines/core/scalar/run.h"
#include "machines/core/scalar/floats.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* What a register holds: its low `bits` bits are those of `value`, the others what was written
 * before.  The first is what lies in memory. */
#define MOST_LAYERS 65u /* memory, and one of each width */
struct layer {
    scalar_id value; /* 0: memory */
    uint8_t bits;
};
struct reg {
    uint8_t count;
    struct layer layers[MOST_LAYERS];
};
struct lap {
    struct scalar_body *b;
    const struct scalar_run *run;
    struct reg regs[64];
    scalar_id c, m; /* 0: memory */
    bool masked;
    const struct insn *insn;
    unsigned w;
    uint16_t writer[64], c_writer, m_writer; /* who wrote it last: scalar_body.source */
};

bool scalar_run_has_words(const uint32_t *words, const struct insn *insns, size_t count) {
    uint32_t word;
    for (size_t i = 0; i < count; i++)
        if (isa_encode(&insns[i], &word) != ISA_OK || word != words[i])
            return false;
    return true;
}

unsigned scalar_bytes(unsigned bits) {
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* ---- registers ---- */

/* Under the mask that holds, a value that was chosen by it is the chosen one. */
static scalar_id seen(const struct lap *l, scalar_id id) {
    const struct scalar_value *v = scalar_at(l->b, id);
    return l->b->mask && v->op == SCALAR_SELECT && v->a == l->b->mask ? v->b : id;
}

/* old with its low w bits replaced. */
static scalar_id insert(struct scalar_body *b, scalar_id old, scalar_id low, unsigned w) {
    bool wide = scalar_at(b, old)->wide;
    if (wide && w == 32)
        return scalar_pair(b, scalar_word(b, low), scalar_high(b, old));
    if (wide && w < 32)
        return scalar_pair(b, insert(b, scalar_word(b, old), low, w), scalar_high(b, old));
    scalar_id mask = scalar_const(b, ~low_bits(w), wide);
    return scalar_two(b, SCALAR_OR, scalar_two(b, SCALAR_AND, old, mask),
                      scalar_clean(b, scalar_fit(b, low, wide), w));
}

/* The low w bits as they are after the first n layers, with anything above. */
static scalar_id layered(struct lap *l, unsigned r, unsigned n, unsigned w) {
    const struct layer *top = &l->regs[r].layers[n - 1];
    if (!top->value) {
        return scalar_load(l->b, r, scalar_bytes(w), 8 * scalar_bytes(w));
    }
    scalar_id value = seen(l, top->value);
    if (top->bits >= w)
        return scalar_fit(l->b, value, w > 32);
    return insert(l->b, layered(l, r, n - 1, w), value, top->bits);
}
static scalar_id read_bits(struct lap *l, unsigned r, unsigned w) {
    struct reg *reg = &l->regs[r];
    if (reg->count == 0)
        reg->layers[reg->count++] = (struct layer){0, l->run->reg_bits[r]};
    return layered(l, r, reg->count, w);
}
/* What stays where the mask is 0: nothing is known of the mask there. */
static scalar_id kept_bits(struct lap *l, unsigned r, unsigned w) {
    scalar_id mask = l->b->mask;
    l->b->mask = 0;
    scalar_id old = read_bits(l, r, w);
    l->b->mask = mask;
    return old;
}
static void write_bits(struct lap *l, unsigned r, unsigned w, scalar_id value) {
    struct reg *reg = &l->regs[r];
    l->writer[r] = l->b->source;
    scalar_id v = scalar_fit(l->b, value, w > 32);
    if (l->b->mask)
        v = scalar_select(l->b, l->b->mask, v, kept_bits(l, r, w));
    if (reg->count == 0)
        reg->layers[reg->count++] = (struct layer){0, l->run->reg_bits[r]};
    while (reg->count > 1 && reg->layers[reg->count - 1].bits <= w)
        reg->count--;
    reg->layers[reg->count++] = (struct layer){v, (uint8_t)w};
}

static scalar_id valid_of(struct lap *l) {
    return l->run->all_valid ? scalar_const(l->b, 1, false) : scalar_load(l->b, SCALAR_VALID, 1, 1);
}
static scalar_id mask_of(struct lap *l) {
    if (!l->m)
        l->m = scalar_load(l->b, SCALAR_M, 1, 1);
    return l->m;
}
static scalar_id c_of(struct lap *l) {
    if (!l->c)
        l->c = scalar_load(l->b, SCALAR_C, 1, 1);
    return seen(l, l->c);
}
static void set_c(struct lap *l, scalar_id c) {
    if (l->b->mask) {
        if (!l->c)
            l->c = scalar_load(l->b, SCALAR_C, 1, 1);
        c = scalar_select(l->b, l->b->mask, c, l->c);
    }
    l->c = c;
}

/* ---- operands of an instruction ---- */

static scalar_id rs(struct lap *l) {
    return read_bits(l, l->insn->rs, l->w);
}
static scalar_id rt(struct lap *l) {
    return read_bits(l, l->insn->rt, l->w);
}
static scalar_id rd(struct lap *l) {
    return read_bits(l, l->insn->rd, l->w);
}
static scalar_id clean(struct lap *l, scalar_id a) {
    return scalar_clean(l->b, a, l->w);
}
static scalar_id with_sign(struct lap *l, scalar_id a) {
    return scalar_signed(l->b, a, l->w);
}
static scalar_id constant(struct lap *l, int64_t k) {
    return scalar_const(l->b, (uint64_t)k, l->w > 32);
}
static scalar_id two(struct lap *l, enum scalar_op op, scalar_id a, scalar_id c) {
    return scalar_two(l->b, op, a, c);
}
static scalar_id negative(struct lap *l, scalar_id a) {
    return two(l, SCALAR_SUB, constant(l, 0), a);
}
static void give(struct lap *l, scalar_id value) {
    write_bits(l, l->insn->rd, l->w, value);
}
static bool bit(struct lap *l, unsigned r, scalar_id *out) {
    *out = scalar_clean(l->b, read_bits(l, r, 1), 1);
    return true;
}

/* ---- groups of instructions; false: it is none of theirs ---- */

static bool copies(struct lap *l) {
    const struct insn *x = l->insn;
    unsigned v = (unsigned)x->imm;
    scalar_id a, m;
    switch (x->op) {
    case OP_GETMASK:
        m = scalar_fit(l->b, mask_of(l), l->w > 32);
        return give(l, two(l, SCALAR_SUB, constant(l, 0), m)), true;
    case OP_GETC:
        return give(l, scalar_fit(l->b, c_of(l), l->w > 32)), true;
    case OP_MOV:
        return give(l, rs(l)), true;
    case OP_INIT0:
        return give(l, constant(l, 0)), true;
    case OP_INIT1:
        return give(l, constant(l, 1)), true;
    case OP_LI:
        return give(l, constant(l, x->imm)), true;
    case OP_ZEXT:
        a = scalar_clean(l->b, read_bits(l, x->rs, v), v);
        return give(l, scalar_fit(l->b, a, l->w > 32)), true;
    case OP_SEXT:
        a = scalar_signed(l->b, read_bits(l, x->rs, v), v);
        if (l->w > 32 && v <= 32)
            a = scalar_pair(l->b, a, scalar_shift(l->b, SCALAR_SAR, a, 31));
        return give(l, a), true;
    default:
        return false;
    }
}

static bool pieces(struct lap *l) {
    static const struct {
        enum isa_op op;
        unsigned shift;
    } of[] = {{OP_LIK1, 12}, {OP_LIK2, 24}, {OP_LIK3, 36}, {OP_LIK4, 48}, {OP_LIK5, 60}};
    for (unsigned i = 0; i < 5; i++)
        if (l->insn->op == of[i].op) {
            uint64_t field = UINT64_C(0xfff) << of[i].shift;
            scalar_id kept = two(l, SCALAR_AND, rd(l), constant(l, (int64_t)~field));
            uint64_t put = (uint64_t)l->insn->imm << of[i].shift & field;
            return give(l, two(l, SCALAR_OR, kept, constant(l, (int64_t)put))), true;
        }
    return false;
}

static bool masks(struct lap *l) {
    scalar_id a;
    switch (l->insn->op) {
    case OP_SETMASK: /* rs */
        return bit(l, l->insn->rs, &a) &&
               (l->m = scalar_two(l->b, SCALAR_AND, a, valid_of(l)), true);
    case OP_SETMASK_COND:
        l->m = scalar_two(l->b, SCALAR_AND, c_of(l), valid_of(l));
        return true;
    case OP_UNMASK:
        l->m = valid_of(l);
        return true;
    case OP_ANDMASK:
        return bit(l, l->insn->rs, &a) &&
               (l->m = scalar_two(l->b, SCALAR_AND, mask_of(l), a), true);
    case OP_ANDMASK_COND:
        l->m = scalar_two(l->b, SCALAR_AND, mask_of(l), c_of(l));
        return true;
    case OP_ANDNMASK:
        a = scalar_two(l->b, SCALAR_XOR, c_of(l), scalar_const(l->b, 1, false));
        l->m = scalar_two(l->b, SCALAR_AND, mask_of(l), a);
        return true;
    case OP_SETC:
        return bit(l, l->insn->rs, &a) && (set_c(l, a), true);
    default:
        return false;
    }
}

static bool sums(struct lap *l) {
    scalar_id a, k = l->insn->op == OP_ADDI || l->insn->op == OP_MULI || l->insn->op == OP_ANDI
                         ? constant(l, l->insn->imm)
                         : 0;
    switch (l->insn->op) {
    case OP_ADD:
        return give(l, two(l, SCALAR_ADD, rs(l), rt(l))), true;
    case OP_SUB:
        return give(l, two(l, SCALAR_SUB, rs(l), rt(l))), true;
    case OP_INC:
        return give(l, two(l, SCALAR_ADD, rs(l), constant(l, 1))), true;
    case OP_DEC:
        return give(l, two(l, SCALAR_ADD, rs(l), constant(l, -1))), true;
    case OP_NEG:
        return give(l, negative(l, rs(l))), true;
    case OP_ABS:
        a = with_sign(l, rs(l));
        return give(l,
                    scalar_select(l->b, two(l, SCALAR_LTS, a, constant(l, 0)), negative(l, a), a)),
               true;
    case OP_RELU:
        a = with_sign(l, rs(l));
        return give(l,
                    scalar_select(l->b, two(l, SCALAR_LTS, a, constant(l, 0)), constant(l, 0), a)),
               true;
    case OP_MUL:
        return give(l, two(l, SCALAR_MUL, rs(l), rt(l))), true;
    case OP_MAC:
        return give(l, two(l, SCALAR_ADD, rd(l), two(l, SCALAR_MUL, rs(l), rt(l)))), true;
    case OP_ADDI:
        return give(l, two(l, SCALAR_ADD, rd(l), k)), true;
    case OP_MULI:
        return give(l, two(l, SCALAR_MUL, rd(l), k)), true;
    case OP_ANDI:
        return give(l, two(l, SCALAR_AND, rd(l), k)), true;
    default:
        return false;
    }
}

static bool quotients(struct lap *l) {
    scalar_id q;
    switch (l->insn->op) {
    case OP_QDIV:
        return give(l, two(l, SCALAR_DIVIDE, clean(l, rs(l)), clean(l, rt(l)))), true;
    case OP_RDIV:
    case OP_QRDIV: {
        scalar_id a = clean(l, rs(l)), c = clean(l, rt(l)), zero = constant(l, 0);
        q = two(l, SCALAR_DIVIDE, a, c);
        scalar_id r;
        /* A quotient that was simplified has no rest of its own. */
        if (scalar_at(l->b, q)->op == SCALAR_DIVIDE)
            r = scalar_rest(l->b, q);
        else
            r = scalar_select(l->b, two(l, SCALAR_EQ, c, zero), a,
                              two(l, SCALAR_SUB, a, two(l, SCALAR_MUL, q, c)));
        if (l->insn->op == OP_RDIV)
            return give(l, r), true;
        give(l, q);
        return write_bits(l, l->insn->rt, l->w, r), true;
    }
    default:
        return false;
    }
}

/* On magnitudes.  By 0 the quotient is all ones and the rest the dividend, rounded down or not. */
static bool signed_quotients(struct lap *l) {
    enum isa_op op = l->insn->op;
    bool down = op == OP_FLDIV || op == OP_FLMOD;
    if (op != OP_SDIV && op != OP_SREM && !down)
        return false;
    struct scalar_body *b = l->b;
    scalar_id a = with_sign(l, rs(l)), c = with_sign(l, rt(l)), zero = constant(l, 0);
    scalar_id minus_a = two(l, SCALAR_LTS, a, zero), minus_c = two(l, SCALAR_LTS, c, zero);
    scalar_id x = scalar_select(b, minus_a, negative(l, a), a);
    scalar_id y = scalar_select(b, minus_c, negative(l, c), c);
    scalar_id q = two(l, SCALAR_DIVIDE, x, y), differ = scalar_two(b, SCALAR_XOR, minus_a, minus_c);
    scalar_id r;
    if (scalar_at(b, q)->op == SCALAR_DIVIDE)
        r = scalar_rest(b, q);
    else
        r = scalar_select(b, two(l, SCALAR_EQ, y, zero), x,
                          two(l, SCALAR_SUB, x, two(l, SCALAR_MUL, q, y)));
    scalar_id less = scalar_two(b, SCALAR_AND, differ, two(l, SCALAR_NE, r, zero));
    if (op == OP_SDIV || op == OP_FLDIV) {
        q = scalar_select(b, differ, negative(l, q), q);
        if (down)
            q = two(l, SCALAR_SUB, q, scalar_fit(b, less, l->w > 32));
        return give(l, scalar_select(b, two(l, SCALAR_EQ, c, zero), constant(l, -1), q)), true;
    }
    r = scalar_select(b, minus_a, negative(l, r), r);
    if (down)
        r = scalar_select(b, less, two(l, SCALAR_ADD, r, c), r);
    return give(l, r), true;
}

static bool comparisons(struct lap *l) {
    static const struct {
        enum isa_op op;
        enum scalar_op how;
        bool sign, swap, immediate;
    } of[] = {
        {OP_CMPEQ, SCALAR_EQ, false, false, false},  {OP_CMPNE, SCALAR_NE, false, false, false},
        {OP_CMPLT, SCALAR_LTU, false, false, false}, {OP_CMPGE, SCALAR_GEU, false, false, false},
        {OP_CMPGT, SCALAR_LTU, false, true, false},  {OP_CMPLE, SCALAR_GEU, false, true, false},
        {OP_CMPLTS, SCALAR_LTS, true, false, false}, {OP_CMPGES, SCALAR_GES, true, false, false},
        {OP_CMPGTS, SCALAR_LTS, true, true, false},  {OP_CMPLES, SCALAR_GES, true, true, false},
        {OP_CMPEQI, SCALAR_EQ, false, false, true},  {OP_CMPLTI, SCALAR_LTU, false, false, true},
        {OP_CMPGTI, SCALAR_LTU, false, true, true}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (l->insn->op != of[i].op)
            continue;
        scalar_id a = of[i].immediate ? rd(l) : rs(l);
        scalar_id c = of[i].immediate ? constant(l, l->insn->imm) : rt(l);
        a = of[i].sign ? with_sign(l, a) : clean(l, a);
        c = of[i].sign ? with_sign(l, c) : clean(l, c);
        return set_c(l, of[i].swap ? two(l, of[i].how, c, a) : two(l, of[i].how, a, c)), true;
    }
    if (l->insn->op != OP_FUZZY)
        return false;
    scalar_id differ = two(l, SCALAR_XOR, rs(l), rt(l));
    scalar_id counts = two(l, SCALAR_AND, differ, scalar_not(l->b, rd(l)));
    return set_c(l, two(l, SCALAR_EQ, clean(l, counts), constant(l, 0))), true;
}

static bool selections(struct lap *l) {
    enum isa_op op = l->insn->op;
    bool sign = op == OP_MAXS || op == OP_MINS || op == OP_CASS;
    scalar_id a, c, less, m;
    switch (op) {
    case OP_MAX:
    case OP_MAXS:
    case OP_MIN:
    case OP_MINS:
    case OP_CAS:
    case OP_CASS:
        a = sign ? with_sign(l, rs(l)) : clean(l, rs(l));
        c = sign ? with_sign(l, rt(l)) : clean(l, rt(l));
        less = two(l, sign ? SCALAR_LTS : SCALAR_LTU, a, c);
        if (op == OP_MAX || op == OP_MAXS)
            return give(l, scalar_select(l->b, less, c, a)), true;
        m = scalar_select(l->b, less, a, c);
        if (op == OP_MIN || op == OP_MINS)
            return give(l, m), true;
        c = scalar_select(l->b, less, c, a);
        write_bits(l, l->insn->rs, l->w, m);
        return write_bits(l, l->insn->rt, l->w, c), true;
    case OP_MUX:
        m = rd(l);
        a = two(l, SCALAR_AND, rs(l), m);
        c = two(l, SCALAR_AND, rt(l), scalar_not(l->b, m));
        return give(l, two(l, SCALAR_OR, a, c)), true;
    case OP_SEL:
        return bit(l, l->insn->rd, &m) && (give(l, scalar_select(l->b, m, rs(l), rt(l))), true);
    default:
        return false;
    }
}

/* Halves are swapped, of 2, 4 .. bits, then what is above w is shifted out. */
static scalar_id reversed_word(struct scalar_body *b, scalar_id a) {
    static const uint32_t masks[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff};
    for (unsigned i = 0; i < 4; i++) {
        scalar_id k = scalar_const(b, masks[i], false);
        scalar_id up = scalar_two(b, SCALAR_AND, a, k);
        scalar_id down = scalar_two(b, SCALAR_AND, scalar_shift(b, SCALAR_SHR, a, 1u << i), k);
        a = scalar_two(b, SCALAR_OR, scalar_shift(b, SCALAR_SHL, up, 1u << i), down);
    }
    return scalar_two(b, SCALAR_OR, scalar_shift(b, SCALAR_SHL, a, 16),
                      scalar_shift(b, SCALAR_SHR, a, 16));
}
static scalar_id reversed(struct lap *l) {
    scalar_id a = rs(l), low = reversed_word(l->b, scalar_word(l->b, a));
    if (l->w <= 32)
        return scalar_shift(l->b, SCALAR_SHR, low, 32 - l->w);
    scalar_id high = reversed_word(l->b, scalar_high(l->b, a));
    return scalar_shift(l->b, SCALAR_SHR, scalar_pair(l->b, high, low), 64 - l->w);
}

static bool logic(struct lap *l) {
    scalar_id r;
    switch (l->insn->op) {
    case OP_AND:
        r = two(l, SCALAR_AND, rs(l), rt(l));
        break;
    case OP_NAND:
        r = scalar_not(l->b, two(l, SCALAR_AND, rs(l), rt(l)));
        break;
    case OP_OR:
        r = two(l, SCALAR_OR, rs(l), rt(l));
        break;
    case OP_NOR:
        r = scalar_not(l->b, two(l, SCALAR_OR, rs(l), rt(l)));
        break;
    case OP_XOR:
        r = two(l, SCALAR_XOR, rs(l), rt(l));
        break;
    case OP_XNOR:
        r = scalar_not(l->b, two(l, SCALAR_XOR, rs(l), rt(l)));
        break;
    case OP_INV:
        r = scalar_not(l->b, rs(l));
        break;
    case OP_BFLIP:
        r = reversed(l);
        break;
    case OP_POPC:
        r = scalar_fit(l->b, scalar_ones(l->b, clean(l, rs(l))), l->w > 32);
        break;
    default:
        return false;
    }
    return give(l, r), true;
}

/* How far to shift, as a word; what has more bits shifts everything out. */
static scalar_id distance(struct lap *l) {
    scalar_id n = clean(l, rt(l));
    if (l->w <= 32)
        return n;
    scalar_id zero = scalar_const(l->b, 0, false), far = scalar_const(l->b, 64, false);
    scalar_id small = scalar_two(l->b, SCALAR_EQ, scalar_high(l->b, n), zero);
    return scalar_select(l->b, small, scalar_word(l->b, n), far);
}
static bool shifts(struct lap *l) {
    unsigned n = (unsigned)l->insn->imm;
    scalar_id a;
    switch (l->insn->op) {
    case OP_LSHIFT:
        return give(l, scalar_shift(l->b, SCALAR_SHL, rs(l), 1)), true;
    case OP_SHLI:
    case OP_SHRI:
        if (n >= l->w)
            return give(l, constant(l, 0)), true;
        if (l->insn->op == OP_SHLI)
            return give(l, scalar_shift(l->b, SCALAR_SHL, rs(l), n)), true;
        return give(l, scalar_shift(l->b, SCALAR_SHR, clean(l, rs(l)), n)), true;
    case OP_SARI:
        n = n < l->w ? n : l->w - 1;
        return give(l, scalar_shift(l->b, SCALAR_SAR, with_sign(l, rs(l)), n)), true;
    case OP_SHL:
        return give(l, scalar_shift_by(l->b, SCALAR_SHLV, rs(l), distance(l))), true;
    case OP_SHR:
        a = clean(l, rs(l));
        return give(l, scalar_shift_by(l->b, SCALAR_SHRV, a, distance(l))), true;
    case OP_SAR:
        a = with_sign(l, rs(l));
        return give(l, scalar_shift_by(l->b, SCALAR_SARV, a, distance(l))), true;
    default:
        return false;
    }
}

static bool tables(struct lap *l) {
    const struct insn *x = l->insn;
    if (x->op != OP_LUT || !x->table)
        return false;
    unsigned bits = x->table->index_bits < l->w ? x->table->index_bits : l->w;
    scalar_id index = scalar_clean(l->b, scalar_word(l->b, read_bits(l, x->rs, bits)), bits);
    bool far = l->run->far && l->run->far[x->lut];
    return give(l, (far ? scalar_lookup_far : scalar_lookup)(l->b, x->lut, scalar_bytes(l->w), l->w,
                                                             index)),
           true;
}

/* An operand of a product, with its sign or zeros above. */
static scalar_id factor(struct lap *l, unsigned r, unsigned bits, bool has_sign, bool wide) {
    scalar_id a = read_bits(l, r, bits);
    a = has_sign ? scalar_signed(l->b, a, bits) : scalar_clean(l->b, a, bits);
    if (!wide || scalar_at(l->b, a)->wide)
        return scalar_fit(l->b, a, wide);
    return has_sign ? scalar_pair(l->b, a, scalar_shift(l->b, SCALAR_SAR, a, 31))
                    : scalar_fit(l->b, a, true);
}

static scalar_id half(struct lap *l, scalar_id a, bool high) {
    return scalar_fit(l->b, high ? scalar_high(l->b, a) : scalar_word(l->b, a), true);
}

/* Bits 64 to 127: of four products of halves, less what a sign counts too much
 * (golden_high_product). */
static scalar_id high_product(struct lap *l, const struct isa_product *p, scalar_id a,
                              scalar_id c) {
    scalar_id a0 = half(l, a, false), a1 = half(l, a, true), c0 = half(l, c, false),
              c1 = half(l, c, true), low = two(l, SCALAR_MUL, a0, c0),
              middle = two(l, SCALAR_ADD, two(l, SCALAR_MUL, a1, c0), half(l, low, true)),
              other = two(l, SCALAR_ADD, two(l, SCALAR_MUL, a0, c1), half(l, middle, false)),
              high = two(l, SCALAR_ADD, two(l, SCALAR_MUL, a1, c1), half(l, middle, true));
    high = two(l, SCALAR_ADD, high, half(l, other, true));
    scalar_id sign_a = scalar_shift(l->b, SCALAR_SAR, a, 63),
              sign_c = scalar_shift(l->b, SCALAR_SAR, c, 63);
    if (p->signed_a)
        high = two(l, SCALAR_SUB, high, two(l, SCALAR_AND, sign_a, c));
    if (p->signed_b)
        high = two(l, SCALAR_SUB, high, two(l, SCALAR_AND, sign_c, a));
    return high;
}

static scalar_id shifted(struct lap *l, enum scalar_op op, scalar_id a, unsigned k) {
    return k ? scalar_shift(l->b, op, a, k) : a;
}

static bool products(struct lap *l) {
    const struct insn *x = l->insn;
    struct isa_product p;
    if (!isa_has_shape(x->op) || !isa_product_of(x->imm, x->width, &p))
        return false;
    bool has_sign = p.signed_a || p.signed_b;
    unsigned last = p.lo + l->w, whole = p.a + p.b;
    bool wide = (last < whole ? last : whole) > 32 || l->w > 32;
    scalar_id a = factor(l, x->rs, p.a, p.signed_a, wide),
              c = factor(l, x->rt, p.b, p.signed_b, wide), low = two(l, SCALAR_MUL, a, c);
    enum scalar_op down = has_sign ? SCALAR_SAR : SCALAR_SHR;
    unsigned bits = wide ? 64 : 32;
    if (last <= bits || whole <= bits) { /* what is above is the sign, or does not count */
        if (p.lo < bits)
            return give(l, shifted(l, down, low, p.lo)), true;
        return give(l, has_sign ? shifted(l, down, low, bits - 1) : constant(l, 0)), true;
    }
    scalar_id high = high_product(l, &p, a, c);
    if (p.lo >= 64)
        return give(l, shifted(l, down, high, p.lo - 64u)), true;
    scalar_id above = shifted(l, SCALAR_SHL, high, 64u - p.lo);
    return give(l, two(l, SCALAR_OR, shifted(l, SCALAR_SHR, low, p.lo), above)), true;
}

/* What an instruction on floats does as a routine; a comparison is of its operands' type. */
static struct scalar_routine routine_of(const struct insn *x) {
    const bool brain =
        isa_info(x->op)->flags & ISA_BFLOAT || (x->op == OP_CVT && x->imm >= CONVERT_BFLOAT);
    const struct lane_type own = {brain ? TYPE_BFLOAT : TYPE_FLOAT, x->width};
    struct scalar_routine r = {x->op, own, own};
    if (x->op != OP_CVT)
        return r;
    switch (x->imm % CONVERT_BFLOAT) {
    case CONVERT_FROM_INT:
        r.from.kind = TYPE_INT;
        break;
    case CONVERT_FROM_UNSIGNED:
        r.from.kind = TYPE_UINT;
        break;
    case CONVERT_TO_INT:
        r.to.kind = TYPE_INT;
        break;
    case CONVERT_TO_UNSIGNED:
        r.to.kind = TYPE_UINT;
        break;
    case CONVERT_TO_INT_NEAREST:
    case CONVERT_TO_UNSIGNED_NEAREST:
        r.to = (struct lane_type){TYPE_BOOL, 1}; /* there is no such routine */
        break;
    default:
        r.from = (struct lane_type){x->imm % CONVERT_BFLOAT == CONVERT_FROM_BF16 ? TYPE_BFLOAT
                                                                                 : TYPE_FLOAT,
                                    (uint8_t)isa_source_bits(x)};
    }
    return r;
}
/* 0: not by a routine. */
static scalar_id called(struct lap *l, scalar_id a, scalar_id c) {
    const struct scalar_routine r = routine_of(l->insn);
    if (!l->run->calls || l->b->flush || !l->run->calls(&r))
        return 0;
    if (r.op != OP_CVT)
        return scalar_called_operation(l->b, r.op, r.from, a, c);
    return scalar_called_conversion(
        l->b, r.from, r.to, r.from.kind == TYPE_INT ? scalar_signed(l->b, a, r.from.bits) : a);
}

static bool floats(struct lap *l) {
    uint32_t flags = isa_info(l->insn->op)->flags;
    if (!(flags & (ISA_FLOAT | ISA_BFLOAT)))
        return false;
    unsigned w = isa_source_bits(l->insn);
    scalar_id a = scalar_clean(l->b, read_bits(l, l->insn->rs, w), w);
    scalar_id c = flags & READS_RT ? clean(l, rt(l)) : 0;
    scalar_id r = called(l, a, c);
    r = r ? r : scalar_float(l->b, l->insn, a, c);
    if (r && flags & WRITES_C)
        set_c(l, r);
    else if (r)
        give(l, r);
    return r != 0;
}

typedef bool group(struct lap *l);
static group *const groups[] = {copies,           pieces,      masks, sums,       quotients,
                                signed_quotients, comparisons, logic, selections, shifts,
                                tables,           products,    floats};

static bool carry_out(struct lap *l, const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    l->insn = insn;
    l->w = insn->width ? insn->width : 64;
    l->b->mask = l->masked && !(flags & ISA_UNMASKED) ? mask_of(l) : 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i](l)) {
            l->c_writer = flags & WRITES_C ? l->b->source : l->c_writer;
            l->m_writer = flags & WRITES_M ? l->b->source : l->m_writer;
            l->masked = (l->masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
            return true;
        }
    return false;
}

/* ---- what is left behind ---- */

static void store_register(struct lap *l, unsigned r) {
    const struct reg *reg = &l->regs[r];
    unsigned most = reg->count > 1 ? reg->layers[1].bits : 0;
    if (!most || (l->run->dead >> r & 1))
        return;
    unsigned bytes = scalar_bytes(most), all = scalar_bytes(l->run->reg_bits[r]);
    unsigned w = most == l->run->reg_bits[r] ? most : 8 * bytes;
    if (bytes > all)
        bytes = all;
    l->b->source = l->writer[r];
    scalar_store(l->b, r, bytes, read_bits(l, r, w));
}
static void store_all(struct lap *l) {
    l->b->mask = 0;
    for (unsigned r = 0; r < 64; r++)
        store_register(l, r);
    l->b->source = l->c_writer;
    if (l->c && !l->run->dead_c)
        scalar_store(l->b, SCALAR_C, 1, l->c);
    l->b->source = l->m_writer;
    if (l->m && !l->run->dead_m)
        scalar_store(l->b, SCALAR_M, 1, l->m);
}

scalar_id scalar_instruction(struct scalar_body *b, const struct insn *insn, scalar_id a,
                             scalar_id c) {
    static const uint8_t bits[64] = {64, 64, 64};
    const struct scalar_run run = {.reg_bits = bits};
    struct lap *l = xcalloc(1, sizeof *l);
    l->b = b;
    l->run = &run;
    l->regs[insn->rs].layers[l->regs[insn->rs].count++] = (struct layer){a, 64};
    if (c)
        l->regs[insn->rt].layers[l->regs[insn->rt].count++] = (struct layer){c, 64};
    bool fine = carry_out(l, insn);
    const struct reg *rd = &l->regs[insn->rd];
    scalar_id made = !fine                                  ? 0
                     : isa_info(insn->op)->flags & WRITES_C ? l->c
                                                            : rd->layers[rd->count - 1].value;
    free(l);
    return made;
}

bool scalar_from_run(struct scalar_body *b, const struct scalar_run *run, uint32_t element,
                     size_t *wrong) {
    struct lap l = {.b = b, .run = run, .masked = run->masked};
    b->flush = run->flush;
    scalar_next(b, element);
    for (size_t i = 0; i < run->count; i++) {
        b->source = (uint16_t)(i < SCALAR_MOST_SOURCES ? i + 1 : 0);
        if (!carry_out(&l, &run->insns[i])) {
            *wrong = i;
            return false;
        }
    }
    store_all(&l);
    b->source = 0;
    return true;
}
