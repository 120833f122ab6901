/* SPDX-License-Identifier: MIT */
#include "lane_isa.h"

#include <stdlib.h>
#include <string.h>

/* ---- values of w bits ---- */

static uint64_t keep(uint64_t v, unsigned w) {
    return w == 64 ? v : v % ((uint64_t)1 << w);
}

static bool negative(uint64_t v, unsigned w) {
    return v >> (w - 1) & 1;
}

static uint64_t minus(uint64_t v, unsigned w) {
    return keep(~v + 1, w);
}

static uint64_t magnitude(uint64_t v, unsigned w) {
    return negative(v, w) ? minus(v, w) : v;
}

/* Order of signed numbers: the sign bit turned round, patterns compare as numbers do. */
static uint64_t key(uint64_t v, unsigned w) {
    return v ^ (uint64_t)1 << (w - 1);
}

static uint64_t widen_signed(uint64_t v, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++)
        v |= (uint64_t)negative(v, from) << i;
    return v;
}

static uint64_t product(uint64_t a, uint64_t b, unsigned w) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < w; i++)
        if (b >> i & 1)
            sum += a << i;
    return keep(sum, w);
}

/* Bit i of the low n bits of v, which go on with their highest bit if they have a sign, else with
 * 0. */
static unsigned bit_of(uint64_t v, unsigned i, unsigned n, bool has_sign) {
    return i < n ? (unsigned)(v >> i) & 1 : has_sign && negative(v, n);
}

/* Column by column: what is 1 in one, and half of what was in the one before. */
static uint64_t product_piece(uint64_t a, uint64_t b, const struct isa_product *p) {
    uint64_t piece = 0;
    unsigned count = 0;
    for (unsigned k = 0; k < (unsigned)p->lo + p->width; k++, count /= 2) {
        for (unsigned i = 0; i <= k; i++)
            count += bit_of(a, i, p->a, p->signed_a) & bit_of(b, k - i, p->b, p->signed_b);
        if (k >= p->lo)
            piece |= (uint64_t)(count & 1) << (k - p->lo);
    }
    return piece;
}

static uint64_t quotient(uint64_t a, uint64_t b, unsigned w) {
    return b == 0 ? keep(UINT64_MAX, w) : a / b;
}

static uint64_t remainder_of(uint64_t a, uint64_t b) {
    return b == 0 ? a : a - a / b * b;
}

static uint64_t quotient_to_zero(uint64_t a, uint64_t b, unsigned w) {
    if (b == 0)
        return keep(UINT64_MAX, w);
    uint64_t q = magnitude(a, w) / magnitude(b, w);
    return negative(a, w) == negative(b, w) ? keep(q, w) : minus(q, w);
}

/* The remainder has the sign of the dividend. */
static uint64_t remainder_to_zero(uint64_t a, uint64_t b, unsigned w) {
    if (b == 0)
        return a;
    uint64_t r = magnitude(a, w) % magnitude(b, w);
    return negative(a, w) ? minus(r, w) : r;
}

static bool floor_is_lower(uint64_t a, uint64_t b, unsigned w) {
    return b != 0 && remainder_to_zero(a, b, w) != 0 && negative(a, w) != negative(b, w);
}

static uint64_t quotient_floor(uint64_t a, uint64_t b, unsigned w) {
    return keep(quotient_to_zero(a, b, w) - floor_is_lower(a, b, w), w);
}

static uint64_t remainder_floor(uint64_t a, uint64_t b, unsigned w) {
    uint64_t r = remainder_to_zero(a, b, w);
    return floor_is_lower(a, b, w) ? keep(r + b, w) : r;
}

static uint64_t reversed(uint64_t v, unsigned w) {
    uint64_t r = 0;
    for (unsigned i = 0; i < w; i++)
        if (v >> i & 1)
            r |= (uint64_t)1 << (w - 1 - i);
    return r;
}

static uint64_t ones(uint64_t v) {
    uint64_t n = 0;
    for (; v; v >>= 1)
        n += v & 1;
    return n;
}

static uint64_t shift_left(uint64_t v, uint64_t n, unsigned w) {
    return n >= w ? 0 : keep(v << n, w);
}

static uint64_t shift_right(uint64_t v, uint64_t n, unsigned w) {
    return n >= w ? 0 : v >> n;
}

static uint64_t shift_right_signed(uint64_t v, uint64_t n, unsigned w) {
    uint64_t sign = negative(v, w) ? keep(UINT64_MAX, w) : 0;
    return n >= w ? sign : (v >> n) | (sign & ~(keep(UINT64_MAX, w) >> n));
}

/* ---- one instruction on one lane: tables, one line an instruction ---- */
/* clang-format off */

struct operands {
    uint64_t s, t, d; /* rs, rt, rd, w bits each */
    uint64_t imm;     /* as w bits */
    unsigned w;
};

/* A result for rd: true if op has one.  The first half of Table II and its extensions. */
static bool arithmetic(enum isa_op op, const struct operands *o, uint64_t *r) {
    unsigned w = o->w;
    switch (op) {
    case OP_MOV: *r = o->s; return true;
    case OP_INIT0: *r = 0; return true;
    case OP_INIT1: *r = 1; return true;
    case OP_ADD: *r = o->s + o->t; return true;
    case OP_SUB: *r = o->s - o->t; return true;
    case OP_INC: *r = o->s + 1; return true;
    case OP_DEC: *r = o->s - 1; return true;
    case OP_NEG: *r = minus(o->s, w); return true;
    case OP_ABS: *r = magnitude(o->s, w); return true;
    case OP_MUL: *r = product(o->s, o->t, w); return true;
    case OP_MAC: *r = o->d + product(o->s, o->t, w); return true;
    case OP_QDIV: *r = quotient(o->s, o->t, w); return true;
    case OP_RDIV: *r = remainder_of(o->s, o->t); return true;
    case OP_SDIV: *r = quotient_to_zero(o->s, o->t, w); return true;
    case OP_SREM: *r = remainder_to_zero(o->s, o->t, w); return true;
    case OP_FLDIV: *r = quotient_floor(o->s, o->t, w); return true;
    case OP_FLMOD: *r = remainder_floor(o->s, o->t, w); return true;
    case OP_RELU: *r = negative(o->s, w) ? 0 : o->s; return true;
    case OP_MAX: *r = o->s > o->t ? o->s : o->t; return true;
    case OP_MIN: *r = o->s < o->t ? o->s : o->t; return true;
    case OP_MAXS: *r = key(o->s, w) > key(o->t, w) ? o->s : o->t; return true;
    case OP_MINS: *r = key(o->s, w) < key(o->t, w) ? o->s : o->t; return true;
    case OP_ADDI: *r = o->d + o->imm; return true;
    case OP_ANDI: *r = o->d & o->imm; return true;
    case OP_MULI: *r = product(o->d, o->imm, w); return true;
    default: return false;
    }
}

static bool logic(enum isa_op op, const struct operands *o, uint64_t *r) {
    unsigned w = o->w;
    switch (op) {
    case OP_AND: *r = o->s & o->t; return true;
    case OP_NAND: *r = ~(o->s & o->t); return true;
    case OP_NOR: *r = ~(o->s | o->t); return true;
    case OP_OR: *r = o->s | o->t; return true;
    case OP_XOR: *r = o->s ^ o->t; return true;
    case OP_XNOR: *r = ~(o->s ^ o->t); return true;
    case OP_INV: *r = ~o->s; return true;
    case OP_BFLIP: *r = reversed(o->s, w); return true;
    case OP_POPC: *r = ones(o->s); return true;
    case OP_LSHIFT: *r = shift_left(o->s, 1, w); return true;
    case OP_MUX: *r = (o->s & o->d) | (o->t & ~o->d); return true;
    case OP_SEL: *r = o->d & 1 ? o->s : o->t; return true;
    case OP_SHL: *r = shift_left(o->s, o->t, w); return true;
    case OP_SHR: *r = shift_right(o->s, o->t, w); return true;
    case OP_SAR: *r = shift_right_signed(o->s, o->t, w); return true;
    default: return false;
    }
}

static bool compare(enum isa_op op, const struct operands *o, bool *c) {
    uint64_t ks = key(o->s, o->w), kt = key(o->t, o->w);
    switch (op) {
    case OP_CMPEQ: *c = o->s == o->t; return true;
    case OP_CMPNE: *c = o->s != o->t; return true;
    case OP_CMPGT: *c = o->s > o->t; return true;
    case OP_CMPLT: *c = o->s < o->t; return true;
    case OP_CMPGE: *c = o->s >= o->t; return true;
    case OP_CMPLE: *c = o->s <= o->t; return true;
    case OP_CMPGTS: *c = ks > kt; return true;
    case OP_CMPLTS: *c = ks < kt; return true;
    case OP_CMPGES: *c = ks >= kt; return true;
    case OP_CMPLES: *c = ks <= kt; return true;
    case OP_CMPEQI: *c = o->d == o->imm; return true;
    case OP_CMPLTI: *c = o->d < o->imm; return true;
    case OP_CMPGTI: *c = o->d > o->imm; return true;
    case OP_FUZZY: *c = ((o->s ^ o->t) & ~o->d) == 0; return true;
    default: return false;
    }
}

/* Bits above w of a register stay. */
static void set(struct lane *l, unsigned reg, uint64_t value, unsigned w) {
    l->reg[reg] = l->reg[reg] - keep(l->reg[reg], w) + keep(value, w);
}

/* Masks: every lane, whatever M holds.  True if op is one of them. */
static bool mask_step(const struct insn *x, struct lane *l) {
    switch (x->op) {
    case OP_GETMASK: set(l, x->rd, l->m ? UINT64_MAX : 0, x->width); return true;
    case OP_SETMASK: l->m = l->valid && (l->reg[x->rs] & 1); return true;
    case OP_SETMASK_COND: l->m = l->valid && l->c; return true;
    case OP_UNMASK: l->m = l->valid; return true;
    case OP_ANDMASK: l->m = l->m && (l->reg[x->rs] & 1); return true;
    case OP_ANDMASK_COND: l->m = l->m && l->c; return true;
    case OP_ANDNMASK: l->m = l->m && !l->c; return true;
    default: return false;
    }
}

static void piece_step(const struct insn *x, struct lane *l, unsigned k) {
    uint64_t v = l->reg[x->rd];
    for (unsigned i = 12 * k; i < 12 * k + 12 && i < x->width; i++) {
        uint64_t bit = (uint64_t)x->imm >> (i - 12 * k) & 1;
        v = (v & ~((uint64_t)1 << i)) | bit << i;
    }
    l->reg[x->rd] = v;
}

/* What is not rd = f(operands).  True if op is one of them. */
static bool special_step(const struct insn *x, struct lane *l, const struct operands *o) {
    unsigned w = o->w, from = (unsigned)x->imm;
    bool swap;
    struct isa_product shape;
    switch (x->op) {
    case OP_LI: set(l, x->rd, o->imm, w); return true;
    case OP_LIK1: piece_step(x, l, 1); return true;
    case OP_LIK2: piece_step(x, l, 2); return true;
    case OP_LIK3: piece_step(x, l, 3); return true;
    case OP_LIK4: piece_step(x, l, 4); return true;
    case OP_LIK5: piece_step(x, l, 5); return true;
    case OP_ZEXT: set(l, x->rd, keep(l->reg[x->rs], from), w); return true;
    case OP_SEXT: set(l, x->rd, widen_signed(keep(l->reg[x->rs], from), from, w), w); return true;
    case OP_LUT: set(l, x->rd, x->table->entries[keep(o->s, x->table->index_bits)], w); return true;
    case OP_MULP:
        if (!isa_product_of(x->imm, w, &shape))
            return false;
        set(l, x->rd, product_piece(l->reg[x->rs], l->reg[x->rt], &shape), w);
        return true;
    case OP_SHLI: set(l, x->rd, shift_left(o->s, from, w), w); return true;
    case OP_SHRI: set(l, x->rd, shift_right(o->s, from, w), w); return true;
    case OP_SARI: set(l, x->rd, shift_right_signed(o->s, from, w), w); return true;
    case OP_GETC: set(l, x->rd, l->c, w); return true;
    case OP_SETC: l->c = l->reg[x->rs] & 1; return true;
    case OP_QRDIV:
        set(l, x->rd, quotient(o->s, o->t, w), w);
        set(l, x->rt, remainder_of(o->s, o->t), w);
        return true;
    case OP_CAS:
    case OP_CASS:
        swap = x->op == OP_CAS ? o->t < o->s : key(o->t, w) < key(o->s, w);
        set(l, x->rs, swap ? o->t : o->s, w);
        set(l, x->rt, swap ? o->s : o->t, w);
        return true;
    default: return false;
    }
}

/* clang-format on */

/* False if op is no instruction of lanes. */
static bool lane_step(const struct insn *x, struct lane *l) {
    unsigned w = x->width ? x->width : 1;
    struct operands o = {keep(l->reg[x->rs], w), keep(l->reg[x->rt], w), keep(l->reg[x->rd], w),
                         keep((uint64_t)(int64_t)x->imm, w), w};
    uint64_t r;
    bool c;
    if (mask_step(x, l))
        return true;
    if (arithmetic(x->op, &o, &r) || logic(x->op, &o, &r)) {
        if (l->m)
            set(l, x->rd, r, w);
        return true;
    }
    if (compare(x->op, &o, &c)) {
        if (l->m)
            l->c = c;
        return true;
    }
    struct lane copy = *l;
    if (!special_step(x, &copy, &o))
        return false;
    if (l->m)
        *l = copy;
    return true;
}

/* Whether the instruction acts in the lane: where it is enabled, and those of masks where it is
 * valid. */
static bool acts(const struct insn *x, const struct lane *l) {
    struct lane copy = *l;
    return mask_step(x, &copy) ? l->valid : l->m;
}

/* ---- control ---- */

struct cursor {
    const struct lane_machine *m;
    uint32_t pc;
    struct {
        uint32_t back;
        struct {
            uint32_t begin, left;
        } loop[16];
        uint32_t loops;
    } call[65];
    uint32_t depth;
};

static struct insn fetch(const struct cursor *c) {
    struct insn x = {.op = OP_COUNT};
    if (c->pc < c->m->text_len && isa_decode(c->m->text[c->pc], &x) != ISA_OK)
        x.op = OP_COUNT;
    if (x.op == OP_LUT)
        isa_set_table(&x, &c->m->luts.data[x.lut]);
    if (x.op == OP_MULP)
        isa_set_product(&x, &c->m->luts.products.data[x.shape]);
    return x;
}

static uint32_t end_of_repeat(const struct cursor *c) {
    uint32_t depth = 0;
    struct cursor look = {.m = c->m, .pc = c->pc};
    for (; look.pc < c->m->text_len; look.pc++) {
        enum isa_op op = fetch(&look).op;
        depth += op == OP_REPEAT;
        depth -= op == OP_REPEAT_END;
        if (depth == 0)
            break;
    }
    return look.pc;
}

/* Calls, loops, GOTO, NOP, and what only costs or reports.  False if x is none of them. */
static bool common_step(struct cursor *c, const struct insn *x) {
    uint32_t *loops = &c->call[c->depth].loops;
    switch (x->op) {
    case OP_NOP:
    case OP_MARK:
    case OP_PRINT:
    case OP_MPU_SYNC:
        c->pc++;
        return true;
    case OP_GOTO:
        c->pc = (uint32_t)x->imm;
        return true;
    case OP_JUMP:
        if (c->depth == 64)
            return false;
        c->call[++c->depth].back = c->pc + 1;
        c->call[c->depth].loops = 0;
        c->pc = (uint32_t)x->imm;
        return true;
    case OP_RETURN:
        if (c->depth == 0)
            return false;
        c->pc = c->call[c->depth--].back;
        return true;
    case OP_REPEAT:
        if (x->imm == 0) {
            c->pc = end_of_repeat(c) + 1;
            return true;
        }
        c->call[c->depth].loop[*loops].begin = ++c->pc;
        c->call[c->depth].loop[(*loops)++].left = (uint32_t)x->imm;
        return true;
    case OP_REPEAT_END:
        if (--c->call[c->depth].loop[*loops - 1].left) {
            c->pc = c->call[c->depth].loop[*loops - 1].begin;
        } else {
            --*loops;
            c->pc++;
        }
        return true;
    default:
        return false;
    }
}

static bool any_enabled(const struct lane_machine *m, const struct lane_vrf *v) {
    for (uint32_t i = 0; i < m->lanes; i++)
        if (v->lanes[i].m)
            return true;
    return false;
}

/* The body, as this VRF alone sees it. */
static bool body(struct cursor *c, const struct lane_vrf *v) {
    for (uint64_t steps = 0; steps < 1000000; steps++) {
        struct insn x = fetch(c);
        bool some = any_enabled(c->m, v);
        if (x.op == OP_COMPUTE_DONE)
            return true;
        if (x.op == OP_JUMP_COND || x.op == OP_JUMP_NONE) {
            c->pc = some == (x.op == OP_JUMP_COND) ? (uint32_t)x.imm : c->pc + 1;
        } else if (x.op == OP_INDEX) {
            for (uint32_t i = 0; i < c->m->lanes; i++)
                if (v->lanes[i].m)
                    set(&v->lanes[i], x.rd, v->first + i, x.width);
            c->pc++;
        } else if (!common_step(c, &x)) {
            for (uint32_t i = 0; i < c->m->lanes; i++) {
                if (c->m->acted)
                    *c->m->acted += acts(&x, &v->lanes[i]);
                if (!lane_step(&x, &v->lanes[i]))
                    return false;
            }
            c->pc++;
        }
    }
    return false;
}

/* Valid lanes of each VRF that the header names; 0 = not named. */
static void header(struct cursor *c, uint32_t *valid) {
    const struct lane_machine *m = c->m;
    for (struct insn x; x = fetch(c), x.op == OP_COMPUTE || x.op == OP_COMPUTEG; c->pc++) {
        for (uint32_t i = 0; x.op == OP_COMPUTE && i < m->vrf_count; i++)
            if (m->vrfs[i].rfh == x.rfh && m->vrfs[i].vrf == x.vrf && valid[i] < m->fixed_lanes) {
                m->vrfs[i].first = 0;
                valid[i] = m->fixed_lanes;
            }
        for (uint32_t k = 0; x.op == OP_COMPUTEG && k < m->member_count; k++) {
            const struct lane_member *g = &m->members[k];
            if (g->group == (uint32_t)x.imm && valid[g->vrf] < g->count) {
                m->vrfs[g->vrf].first = g->first;
                valid[g->vrf] = g->count;
            }
        }
    }
}

static bool compute(struct lane_machine *m, struct cursor *c, bool *flag_a) {
    uint32_t *valid = calloc(m->vrf_count, sizeof *valid), footer = c->pc;
    struct cursor *mine = malloc(sizeof *mine);
    bool ok = true;
    header(c, valid);
    *flag_a = false;
    for (uint32_t i = 0; ok && i < m->vrf_count; i++) {
        if (!valid[i])
            continue;
        for (uint32_t k = 0; k < m->lanes; k++)
            m->vrfs[i].lanes[k].m = m->vrfs[i].lanes[k].valid = k < valid[i];
        *mine = *c;
        ok = body(mine, &m->vrfs[i]);
        footer = mine->pc;
        *flag_a |= any_enabled(m, &m->vrfs[i]);
    }
    c->pc = footer + 1;
    free(mine);
    free(valid);
    return ok;
}

/* The lane that lane i takes its value from; -1: none. */
static int64_t source_lane(const struct lane_machine *m, const struct insn *map, uint32_t i) {
    int64_t n = m->fixed_lanes, k = map->imm, from = i;
    if (map->mode == LANE_IDENTITY)
        return i;
    if (i >= n)
        return -1;
    if (map->mode == LANE_SHIFT)
        from = i - k;
    else if (map->mode == LANE_ROTATE)
        from = ((i - k) % n + n) % n;
    else if (map->mode == LANE_GATHER)
        from = i * k;
    else if (map->mode == LANE_SCATTER)
        from = i % k ? -1 : i / k;
    else if (map->mode == LANE_REVERSE)
        from = n - 1 - i;
    else
        from = k;
    return from < n ? from : -1;
}

static void copy(struct lane_machine *m, const struct insn *pair, const struct insn *map,
                 const struct insn *x, uint32_t from, uint32_t to) {
    const struct lane_vrf *a = &m->vrfs[from], *b = &m->vrfs[to];
    if (a->mpu != b->mpu || a->rfh != pair->rfh || a->vrf != x->vrf_src || b->rfh != pair->vrf ||
        b->vrf != x->vrf_dst)
        return;
    uint64_t *values = calloc(m->lanes, sizeof *values);
    for (uint32_t i = 0; i < m->lanes; i++)
        values[i] = a->lanes[i].reg[x->rs];
    for (uint32_t i = 0; i < m->lanes; i++) {
        int64_t lane = source_lane(m, map, i);
        if (lane >= 0)
            set(&b->lanes[i], x->rd, keep(values[lane], x->width), x->width);
    }
    free(values);
}

static void transfer(struct lane_machine *m, struct cursor *c) {
    struct insn pairs[32], x, map = {.op = OP_LANE, .mode = LANE_IDENTITY};
    uint32_t n = 0;
    for (; x = fetch(c), x.op == OP_MOVE; c->pc++)
        pairs[n++] = x;
    for (; x = fetch(c), x.op != OP_MOVE_DONE; c->pc++) {
        if (x.op == OP_LANE)
            map = x;
        for (uint32_t p = 0; x.op != OP_NOP && x.op != OP_LANE && p < n; p++)
            for (uint32_t from = 0; from < m->vrf_count; from++)
                for (uint32_t to = 0; to < m->vrf_count; to++)
                    copy(m, &pairs[p], &map, &x, from, to);
    }
    c->pc++;
}

bool lane_machine_run(struct lane_machine *m) {
    struct cursor *c = calloc(1, sizeof *c);
    bool flag_a = false, ok = true;
    c->m = m;
    for (uint64_t steps = 0; ok && steps < 1000000 && c->pc < m->text_len; steps++) {
        struct insn x = fetch(c);
        if (x.op == OP_HALT)
            break;
        if (x.op == OP_COMPUTE || x.op == OP_COMPUTEG)
            ok = compute(m, c, &flag_a);
        else if (x.op == OP_MOVE)
            transfer(m, c);
        else if (x.op == OP_JUMP_ANY)
            c->pc = flag_a ? (uint32_t)x.imm : c->pc + 1;
        else
            ok = common_step(c, &x);
    }
    free(c);
    return ok;
}
