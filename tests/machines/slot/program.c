/* SPDX-License-Identifier: MIT
 * What instructions come to in row commands.  Loops here are over bits of a slot and end when a
 * program is made: programs have neither jumps nor indices.
 *
 * Of a row that was read or computed only bits below the instruction's width count; what moves bits
 * down, or looks at a whole slot, clears the others first.  What a shift takes out of a slot into
 * its neighbour is cleared there. */
#include "tests/machines/slot/slot.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

#define NONE 0xffff

struct making {
    struct slot_program *p;
    size_t first;  /* of the program's commands */
    uint16_t next; /* free row, each written once */
    unsigned w, slot;
};
typedef uint16_t row;

/* ---- rows from rows ---- */

static row constant(struct making *m, uint64_t value) {
    size_t i = 0;
    value &= low_bits(m->slot);
    while (i < m->p->constants.len && m->p->constants.data[i] != value)
        i++;
    if (i == m->p->constants.len)
        vec_push(&m->p->constants, value);
    return (row)(SLOT_CONSTANT + i);
}

static void put(struct making *m, enum slot_kind kind, row dst, row a, row b) {
    vec_push(&m->p->commands, ((struct slot_command){(uint8_t)kind, 0, dst, a, b}));
}

static row make(struct making *m, enum slot_kind kind, row a, row b) {
    put(m, kind, m->next, a, b);
    return m->next++;
}

static row row_and(struct making *m, row a, row b) {
    return make(m, SLOT_AND, a, b);
}
static row row_or(struct making *m, row a, row b) {
    return make(m, SLOT_OR, a, b);
}
static row row_xor(struct making *m, row a, row b) {
    return make(m, SLOT_XOR, a, b);
}
static row row_not(struct making *m, row a) {
    return row_xor(m, a, constant(m, UINT64_MAX));
}
static row shift(struct making *m, row a, int left) {
    unsigned by = (unsigned)(left < 0 ? -left : left);
    if (by >= m->slot)
        return constant(m, 0);
    row to = make(m, SLOT_SHIFT, a, a);
    vec_last(&m->p->commands).shift = (int8_t)left;
    uint64_t own = left < 0 ? low_bits(m->slot - by) : ~low_bits(by);
    return row_and(m, to, constant(m, own));
}
static row match(struct making *m, row a, uint64_t value) {
    return make(m, SLOT_SWEEP, a, constant(m, value));
}
static row low(struct making *m, row a, unsigned bits) {
    return row_and(m, a, constant(m, low_bits(bits)));
}
/* All ones where all of these bits are 0, or where one bit is 1. */
static row none_of(struct making *m, row a, uint64_t bits) {
    return match(m, row_and(m, a, constant(m, bits)), 0);
}
static row spread(struct making *m, row a, unsigned bit) {
    uint64_t only = UINT64_C(1) << bit;
    return match(m, row_and(m, a, constant(m, only)), only);
}
static row sign(struct making *m, row a) {
    return spread(m, a, m->w - 1);
}
static row choose(struct making *m, row mask, row a, row b) {
    return row_xor(m, b, row_and(m, row_xor(m, a, b), mask));
}

/* ---- sums: carries by doubling distances ---- */

/* Bit i: the carry out of bit i of a + b + bit 0 of `in` (NONE: nothing). */
static row carries(struct making *m, row a, row b, row in) {
    row p = row_xor(m, a, b), g = row_and(m, a, b);
    if (in != NONE)
        g = row_or(m, g, row_and(m, p, in));
    for (unsigned s = 1; s < m->w; s *= 2) {
        g = row_or(m, g, row_and(m, p, shift(m, g, (int)s)));
        if (2 * s < m->w)
            p = row_and(m, p, shift(m, p, (int)s));
    }
    return g;
}

static row sum_of(struct making *m, row a, row b, row in, row carry) {
    row sum = row_xor(m, row_xor(m, a, b), shift(m, carry, 1));
    return in == NONE ? sum : row_xor(m, sum, in);
}

static row add(struct making *m, row a, row b, row in) {
    return sum_of(m, a, b, in, carries(m, a, b, in));
}

static row sub(struct making *m, row a, row b) {
    return add(m, a, row_not(m, b), constant(m, 1));
}

/* a where the mask is zeros, -a where it is ones. */
static row negate_where(struct making *m, row mask, row a) {
    return add(m, row_xor(m, a, mask), constant(m, 0), low(m, mask, 1));
}

/* Mask: a < b, as numbers without a sign. */
static row less(struct making *m, row a, row b) {
    row carry = carries(m, a, row_not(m, b), constant(m, 1));
    return none_of(m, carry, UINT64_C(1) << (m->w - 1));
}

static row less_signed(struct making *m, row a, row b) {
    row top = constant(m, UINT64_C(1) << (m->w - 1));
    return less(m, row_xor(m, a, top), row_xor(m, b, top));
}

static row equal(struct making *m, row a, row b) {
    return none_of(m, row_xor(m, a, b), low_bits(m->w));
}

/* ---- products and quotients ---- */

/* start + a * b: partial products are added without carries, which are added once at the end. */
static row multiply(struct making *m, row start, row a, row b) {
    row s = start, c = constant(m, 0);
    for (unsigned i = 0; i < m->w; i++) {
        row x = row_and(m, i ? shift(m, a, (int)i) : a, spread(m, b, i)), t = row_xor(m, s, c);
        c = shift(m, row_or(m, row_and(m, s, c), row_and(m, t, x)), 1);
        s = row_xor(m, t, x);
    }
    return add(m, s, c, NONE);
}

struct quotient {
    row q, r;
};

/* Long division; by 0 it gives ones, and a. */
static struct quotient divide(struct making *m, row a, row b) {
    row q = constant(m, 0), r = q, one = constant(m, 1), minus = row_not(m, b);
    uint64_t top = UINT64_C(1) << (m->w - 1);
    for (unsigned i = m->w; i-- > 0;) {
        row bit = row_and(m, i ? shift(m, a, -(int)i) : a, one);
        row over = sign(m, r), next = row_or(m, shift(m, r, 1), bit);
        row carry = carries(m, next, minus, one);
        row fits = row_or(m, over, match(m, row_and(m, carry, constant(m, top)), top));
        r = low(m, choose(m, fits, sum_of(m, next, minus, one, carry), next), m->w);
        q = row_or(m, q, row_and(m, fits, constant(m, UINT64_C(1) << i)));
    }
    return (struct quotient){q, r};
}

/* Toward zero, of magnitudes; the remainder has the sign of a. */
static struct quotient divide_signed(struct making *m, row a, row b, bool floor) {
    row minus_a = sign(m, a), minus_b = sign(m, b), differ = row_xor(m, minus_a, minus_b);
    row by_zero = none_of(m, b, low_bits(m->w));
    struct quotient x =
        divide(m, low(m, negate_where(m, minus_a, a), m->w), negate_where(m, minus_b, b));
    row rest = row_not(m, none_of(m, x.r, low_bits(m->w)));
    x.q = negate_where(m, differ, x.q);
    x.r = negate_where(m, minus_a, x.r);
    if (floor) { /* one less, and b more, where there is a rest of the other sign */
        row down = row_and(m, rest, differ);
        x.q = add(m, x.q, down, NONE);
        x.r = add(m, x.r, row_and(m, down, b), NONE);
    }
    x.q = row_or(m, x.q, by_zero);
    return x;
}

/* ---- bits ---- */

static row shifted(struct making *m, row a, int64_t left) {
    int64_t by = left < 0 ? -left : left;
    if (by >= m->w)
        return constant(m, 0);
    return by ? shift(m, left < 0 ? low(m, a, m->w) : a, (int)left) : a;
}

/* By the number in `by`: each of its bits moves all others by a power of two. */
static row shifted_by(struct making *m, row a, row by, int direction) {
    unsigned bits = 0;
    a = low(m, a, m->w);
    for (; UINT64_C(1) << bits < m->w; bits++)
        a = choose(m, spread(m, by, bits), shift(m, a, direction * (1 << bits)), a);
    return row_and(m, a, none_of(m, by, low_bits(m->w) & ~low_bits(bits)));
}

/* Right with copies of the sign: those of negative numbers shift zeros in upside down. */
static row shifted_signed(struct making *m, row a, row by, int64_t count) {
    row minus = sign(m, a), x = low(m, row_xor(m, a, minus), m->w);
    x = by == NONE ? shifted(m, x, -count) : shifted_by(m, x, by, -1);
    return row_xor(m, x, minus);
}

/* Every second run of k bits. */
static uint64_t runs_of(unsigned k) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++)
        bits |= (uint64_t)(i / k % 2 == 0) << i;
    return bits;
}

static unsigned power_above(unsigned w) {
    unsigned n = 1;
    while (n < w)
        n *= 2;
    return n;
}

static row reversed(struct making *m, row a) {
    unsigned n = power_above(m->w);
    a = low(m, a, m->w);
    for (unsigned k = n / 2; k; k /= 2) {
        row even = constant(m, runs_of(k) & low_bits(n));
        a = row_or(m, row_and(m, shift(m, a, -(int)k), even),
                   shift(m, row_and(m, a, even), (int)k));
    }
    return n == m->w ? a : shift(m, a, -(int)(n - m->w));
}

static row count_ones(struct making *m, row a) {
    unsigned n = power_above(m->w);
    a = low(m, a, m->w);
    for (unsigned k = 1; k < n; k *= 2) {
        row even = constant(m, runs_of(k) & low_bits(n));
        a = add(m, row_and(m, a, even), row_and(m, shift(m, a, -(int)k), even), NONE);
    }
    return a;
}

/* ---- instructions ---- */

static row extended(struct making *m, unsigned from) {
    row a = low(m, SLOT_RS, from);
    return row_or(m, a, row_and(m, spread(m, a, from - 1), constant(m, ~low_bits(from))));
}

static row piece(struct making *m, unsigned k, int64_t imm) {
    uint64_t field = (uint64_t)0xfff << 12 * k;
    row others = row_and(m, SLOT_RD, constant(m, ~field));
    return row_or(m, others, constant(m, (uint64_t)imm << 12 * k & field));
}

/* The one result of an instruction of two operands, or of rd and an immediate. */
static row compute(struct making *m, const struct insn *x, row a, row b) {
    switch (x->op) {
    case OP_GETMASK:
        return SLOT_M;
    case OP_UNMASK:
        return SLOT_VALID;
    case OP_SETMASK_COND:
        return SLOT_C;
    case OP_SETMASK:
    case OP_SETC:
        return spread(m, a, 0);
    case OP_ANDMASK:
        return row_and(m, SLOT_M, spread(m, a, 0));
    case OP_ANDMASK_COND:
        return row_and(m, SLOT_M, SLOT_C);
    case OP_ANDNMASK:
        return row_and(m, SLOT_M, row_not(m, SLOT_C));
    case OP_GETC:
        return low(m, SLOT_C, 1);
    case OP_INIT0:
        return constant(m, 0);
    case OP_INIT1:
        return constant(m, 1);
    case OP_LI:
        return b;
    case OP_LIK1:
    case OP_LIK2:
    case OP_LIK3:
    case OP_LIK4:
    case OP_LIK5:
        return piece(m, x->op - OP_LIK1 + 1, x->imm);
    case OP_ZEXT:
        return low(m, a, (unsigned)x->imm);
    case OP_SEXT:
        return extended(m, (unsigned)x->imm);
    case OP_ADD:
    case OP_ADDI:
        return add(m, a, b, NONE);
    case OP_SUB:
        return sub(m, a, b);
    case OP_INC:
        return add(m, a, constant(m, 1), NONE);
    case OP_DEC:
        return add(m, a, constant(m, UINT64_MAX), NONE);
    case OP_NEG:
        return sub(m, constant(m, 0), a);
    case OP_ABS:
        return negate_where(m, sign(m, a), a);
    case OP_RELU:
        return row_and(m, a, row_not(m, sign(m, a)));
    case OP_MUL:
    case OP_MULI:
        return multiply(m, constant(m, 0), a, b);
    case OP_MAC:
        return multiply(m, SLOT_RD, a, b);
    case OP_QDIV:
        return divide(m, a, b).q;
    case OP_RDIV:
        return divide(m, a, b).r;
    case OP_SDIV:
        return divide_signed(m, a, b, false).q;
    case OP_SREM:
        return divide_signed(m, a, b, false).r;
    case OP_FLDIV:
        return divide_signed(m, a, b, true).q;
    case OP_FLMOD:
        return divide_signed(m, a, b, true).r;
    case OP_CMPEQ:
    case OP_CMPEQI:
        return equal(m, a, b);
    case OP_CMPNE:
        return row_not(m, equal(m, a, b));
    case OP_CMPLT:
    case OP_CMPLTI:
        return less(m, a, b);
    case OP_CMPGT:
    case OP_CMPGTI:
        return less(m, b, a);
    case OP_CMPGE:
        return row_not(m, less(m, a, b));
    case OP_CMPLE:
        return row_not(m, less(m, b, a));
    case OP_CMPLTS:
        return less_signed(m, a, b);
    case OP_CMPGTS:
        return less_signed(m, b, a);
    case OP_CMPGES:
        return row_not(m, less_signed(m, a, b));
    case OP_CMPLES:
        return row_not(m, less_signed(m, b, a));
    case OP_FUZZY:
        return equal(m, row_or(m, a, SLOT_RD), row_or(m, b, SLOT_RD));
    case OP_MAX:
        return choose(m, less(m, a, b), b, a);
    case OP_MIN:
        return choose(m, less(m, a, b), a, b);
    case OP_MAXS:
        return choose(m, less_signed(m, a, b), b, a);
    case OP_MINS:
        return choose(m, less_signed(m, a, b), a, b);
    case OP_MUX:
        return choose(m, SLOT_RD, a, b);
    case OP_SEL:
        return choose(m, spread(m, SLOT_RD, 0), a, b);
    case OP_AND:
    case OP_ANDI:
        return row_and(m, a, b);
    case OP_NAND:
        return row_not(m, row_and(m, a, b));
    case OP_OR:
        return row_or(m, a, b);
    case OP_NOR:
        return row_not(m, row_or(m, a, b));
    case OP_XOR:
        return row_xor(m, a, b);
    case OP_XNOR:
        return row_not(m, row_xor(m, a, b));
    case OP_INV:
        return row_not(m, a);
    case OP_BFLIP:
        return reversed(m, a);
    case OP_POPC:
        return count_ones(m, a);
    case OP_LSHIFT:
        return shifted(m, a, 1);
    case OP_SHLI:
        return shifted(m, a, x->imm);
    case OP_SHRI:
        return shifted(m, a, -(int64_t)x->imm);
    case OP_SARI:
        return shifted_signed(m, a, NONE, x->imm);
    case OP_SHL:
        return shifted_by(m, a, b, 1);
    case OP_SHR:
        return shifted_by(m, a, b, -1);
    case OP_SAR:
        return shifted_signed(m, a, b, 0);
    default: /* MOV */
        return a;
    }
}

/* ---- writing: the only commands whose results are no scratch ---- */

/* Bits below the width, in enabled lanes; the others stay. */
static void write_register(struct making *m, row to, row value, bool masked) {
    row where = constant(m, low_bits(m->w));
    if (masked)
        where = row_and(m, where, SLOT_M);
    put(m, SLOT_XOR, to, to, row_and(m, row_xor(m, to, value), where));
}

static void write_flag(struct making *m, row to, row value, bool masked) {
    if (to == SLOT_M)
        put(m, SLOT_AND, SLOT_M, value, SLOT_VALID);
    else if (masked)
        put(m, SLOT_XOR, to, to, row_and(m, row_xor(m, to, value), SLOT_M));
    else
        put(m, SLOT_OR, to, value, value);
}

/* Both results are there before the first is written. */
static void write_two(struct making *m, const struct insn *x, bool masked) {
    const row a = SLOT_RS, b = SLOT_RT;
    if (x->op == OP_QRDIV) {
        struct quotient d = divide(m, a, b);
        write_register(m, SLOT_RD, d.q, masked);
        write_register(m, SLOT_RT, d.r, masked);
        return;
    }
    row is_less = x->op == OP_CAS ? less(m, a, b) : less_signed(m, a, b);
    row smaller = choose(m, is_less, a, b), larger = choose(m, is_less, b, a);
    write_register(m, SLOT_RS, smaller, masked);
    write_register(m, SLOT_RT, larger, masked);
}

static void write_one(struct making *m, const struct insn *x, bool masked) {
    const struct isa_info *info = isa_info(x->op);
    bool immediate = info->format == FORMAT_I;
    row b = SLOT_RT;
    if (immediate)
        b = constant(m, (uint64_t)(int64_t)x->imm & low_bits(m->w));
    row value = compute(m, x, immediate ? SLOT_RD : SLOT_RS, b);
    if (info->flags & WRITES_RD)
        write_register(m, SLOT_RD, value, masked);
    else
        write_flag(m, info->flags & WRITES_C ? SLOT_C : SLOT_M, value, masked);
}

/* ---- scratch rows: as few as values live at once ---- */

/* A value is made by one command, and has a row until it is read for the last time. */
struct placing {
    struct slot_command *commands; /* [count] */
    size_t count;
    size_t *last; /* by value: 1 + the command that reads it last; 0: none does */
    row *place;   /* by value */
    row *spare;   /* rows that are free again */
    uint32_t spares, rows;
};

static bool is_value(row r) {
    return r >= SLOT_SCRATCH && r < SLOT_CONSTANT;
}

static void read_last(struct placing *x, row r, size_t at) {
    if (is_value(r) && !x->last[r])
        x->last[r] = at + 1;
}

/* From behind; commands whose results nobody reads are left out. */
static void find_readers(struct placing *x) {
    size_t kept = x->count;
    for (size_t i = x->count; i-- > 0;) {
        struct slot_command c = x->commands[i];
        if (is_value(c.dst) && !x->last[c.dst])
            continue;
        x->commands[--kept] = c;
        read_last(x, c.a, kept);
        read_last(x, c.b, kept);
    }
    memmove(x->commands, x->commands + kept, (x->count - kept) * sizeof *x->commands);
    for (row v = 0; v < SLOT_CONSTANT; v++)
        x->last[v] -= x->last[v] ? kept : 0;
    x->count -= kept;
}

static row place_of(struct placing *x, row r, size_t at) {
    if (!is_value(r))
        return r;
    if (x->last[r] == at + 1) {
        x->spare[x->spares++] = x->place[r];
        x->last[r] = 0; /* a command may read it twice */
    }
    return x->place[r];
}

/* Returns how many rows there are. */
static uint32_t place_values(struct making *m) {
    struct placing x = {.commands = m->p->commands.data + m->first,
                        .count = m->p->commands.len - m->first,
                        .last = xcalloc(SLOT_CONSTANT, sizeof *x.last),
                        .place = xcalloc(SLOT_CONSTANT, sizeof *x.place),
                        .spare = xcalloc(SLOT_CONSTANT, sizeof *x.spare)};
    find_readers(&x);
    for (size_t i = 0; i < x.count; i++) {
        struct slot_command *c = &x.commands[i];
        c->a = place_of(&x, c->a, i);
        c->b = place_of(&x, c->b, i);
        if (!is_value(c->dst))
            continue;
        row *to = &x.place[c->dst];
        *to = x.spares ? x.spare[--x.spares] : (row)(SLOT_SCRATCH + x.rows++);
        c->dst = *to;
    }
    m->p->commands.len = m->first + x.count;
    free(x.last);
    free(x.place);
    free(x.spare);
    return x.rows;
}

/* ---- programs ---- */

bool slot_has(enum isa_op op) {
    uint32_t flags = isa_info(op)->flags;
    return (flags & (ISA_VECTOR | ISA_USER | ISA_RESERVED)) == ISA_VECTOR &&
           isa_info(op)->set != SET_F && isa_info(op)->set != SET_Q && !isa_has_shape(op);
}

uint32_t slot_program_add(struct slot_program *p, const struct insn *insn, unsigned slot,
                          bool masked) {
    struct making m = {p, p->commands.len, SLOT_SCRATCH, insn->width ? insn->width : 1, slot};
    bool two = insn->op == OP_CAS || insn->op == OP_CASS || insn->op == OP_QRDIV;
    (two ? write_two : write_one)(&m, insn, masked && !(isa_info(insn->op)->flags & ISA_UNMASKED));
    return place_values(&m);
}

void slot_program_free(struct slot_program *p) {
    vec_free(&p->commands);
    vec_free(&p->constants);
}
