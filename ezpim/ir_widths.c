/* SPDX-License-Identifier: MIT
 * Every virtual register and every variable has an interval that holds all values that are ever
 * written to it, whatever the order; they only grow, and what grows too often is everything that
 * its type has.  Variables between which elements are moved have one interval, and so one type.
 * A body is looked at again when something grew that it had read before; and no more is looked at
 * when every variable needs all the bits that it has. */
#include "ezpim/ir_widths.h"
#include "ezpim/ir_build.h"
#include "ezpim/ir_touched.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* Values of types of up to 64 bits, and sums and products of two of them. */
__extension__ typedef __int128 wide;

/* Values low .. high; low > high: none. */
struct interval {
    wide low, high;
};

static const struct interval nothing = {1, 0};

static struct interval all_of(struct mpu_type t) {
    wide half = (wide)1 << (t.bits - 1);
    return t.kind == TYPE_INT ? (struct interval){-half, half - 1}
                              : (struct interval){0, 2 * half - 1};
}

static bool is_none(struct interval x) {
    return x.low > x.high;
}

static wide least(wide a, wide b) {
    return a < b ? a : b;
}

static wide most(wide a, wide b) {
    return a > b ? a : b;
}

static struct interval join(struct interval a, struct interval b) {
    if (is_none(a) || is_none(b))
        return is_none(a) ? b : a;
    return (struct interval){least(a.low, b.low), most(a.high, b.high)};
}

/* As values of the type: its low bits. */
static struct interval cut(struct interval x, struct mpu_type t) {
    struct interval all = all_of(t);
    return is_none(x) || (x.low >= all.low && x.high <= all.high) ? x : all;
}

static unsigned bits_of(wide v) {
    unsigned n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}

/* The narrowest type that has all values; of bits 0: it is not narrower than that one. */
static struct mpu_type narrow_type(struct interval r, struct mpu_type own) {
    struct mpu_type none = {own.kind, 0};
    if (is_none(r) || own.kind == TYPE_BOOL)
        return none;
    unsigned up = bits_of(r.high > 0 ? r.high : 0), down = r.low < 0 ? bits_of(-1 - r.low) : 0;
    struct mpu_type t = {TYPE_UINT, (uint8_t)(up ? up : 1)};
    if (r.low < 0)
        t = (struct mpu_type){TYPE_INT, (uint8_t)((up > down ? up : down) + 1)};
    if (t.kind == TYPE_INT && t.bits < 2)
        t.bits = 2;
    return t.bits < own.bits ? t : none;
}

/* ---- operations ---- */

static struct interval product(struct interval a, struct interval b) {
    const wide corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    struct interval r = {corners[0], corners[0]};
    for (unsigned i = 1; i < 4; i++)
        r = join(r, (struct interval){corners[i], corners[i]});
    return r;
}

/* Products of 64-bit values stay inside of 128 bits with a sign but for the largest of both. */
static bool is_small(struct interval x) {
    return x.low >= -((wide)1 << 62) && x.high <= (wide)1 << 62;
}

/* 0 .. the least 2^k - 1 that is not below v. */
static wide ones_above(wide v) {
    wide ones = 0;
    while (ones < v)
        ones = 2 * ones + 1;
    return ones;
}

static struct interval and_of(struct interval a, struct interval b, struct interval all) {
    if (a.low >= 0 && b.low >= 0)
        return (struct interval){0, least(a.high, b.high)};
    if (a.low >= 0 || b.low >= 0)
        return (struct interval){0, a.low >= 0 ? a.high : b.high};
    return all;
}

static struct interval shifted(const struct ir_insn *i, struct interval a, struct interval all) {
    bool known = i->b == IR_NONE && i->imm < i->type.bits;
    if (i->op == IR_SHR && known)
        return (struct interval){a.low >> i->imm, a.high >> i->imm};
    if (i->op == IR_SHR)
        return (struct interval){least(a.low, 0), a.high < 0 ? -1 : a.high};
    if (!known || !is_small(a) || i->imm >= 62)
        return all;
    return (struct interval){a.low * ((wide)1 << i->imm), a.high * ((wide)1 << i->imm)};
}

/* By zero a quotient is all ones and a remainder the dividend. */
static struct interval divided(const struct ir_insn *i, struct interval a, struct interval b,
                               struct interval all) {
    bool remains = i->op == IR_REM || i->op == IR_FLOORMOD;
    if (a.low < 0 || b.low < 0 || (b.low == 0 && !remains))
        return all;
    if (remains)
        return (struct interval){0, b.low == 0 ? a.high : least(a.high, b.high - 1)};
    return (struct interval){a.low / b.high, a.high / b.low};
}

static struct interval result(const struct ir_insn *i, struct interval a, struct interval b,
                              struct interval c) {
    struct interval all = all_of(i->type);
    switch ((enum ir_op)i->op) {
    case IR_ADD:
        return (struct interval){a.low + b.low, a.high + b.high};
    case IR_SUB:
        return (struct interval){a.low - b.high, a.high - b.low};
    case IR_MUL:
        return is_small(a) && is_small(b) ? product(a, b) : all;
    case IR_DIV:
    case IR_REM:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        return divided(i, a, b, all);
    case IR_SHL:
    case IR_SHR:
        return shifted(i, a, all);
    case IR_AND:
        return and_of(a, b, all);
    case IR_OR:
    case IR_XOR:
        return a.low >= 0 && b.low >= 0 ? (struct interval){0, ones_above(most(a.high, b.high))}
                                        : all;
    case IR_NOT:
        return (struct interval){all.low + all.high - a.high, all.low + all.high - a.low};
    case IR_NEG:
        return (struct interval){-a.high, -a.low};
    case IR_MIN:
        return (struct interval){least(a.low, b.low), least(a.high, b.high)};
    case IR_MAX:
        return (struct interval){most(a.low, b.low), most(a.high, b.high)};
    case IR_SELECT:
        return join(b, c);
    case IR_COPY:
        return a;
    default:
        return ir_op_compares(i->op) ? (struct interval){0, 1} : all;
    }
}

/* ---- the whole program ---- */

/* A virtual register or a variable. */
struct holder {
    struct interval values;
    uint8_t grown; /* so often */
    bool open;     /* of a variable: fewer bits than its type has may do */
    uint32_t when; /* of a variable: the look in which it grew last, */
    uint32_t read; /* and the one in which it was read last */
};

/* A body, its virtual registers, and the look at it that was the last one; 0: none yet. */
struct body {
    struct holder *vregs;
    uint32_t when;
    bool again; /* something that it had read before grew since, or in that look */
};

struct finder {
    struct ir_program *p;
    struct holder *variables; /* [variables], of their representatives */
    uint32_t *same;           /* [variables]: union-find over moves */
    bool *fixed;              /* [variables]: keeps its type */
    struct body *bodies;      /* [codes] */
    const struct ir_code *code;
    struct holder *own; /* vregs of the code */
    bool changed;       /* in this round */
    bool grew;          /* in this look: a virtual register */
    bool again;         /* in this look: something that may have been read before */
    bool waits;         /* in this look: something was read that holds nothing yet */
    unsigned rounds;
    uint32_t look; /* the number of this one, from 1 */
    uint32_t open; /* variables that are open */
};

/* What grew so often may grow for ever; after so many rounds whatever grows; and in the end nothing
 * is narrow. */
enum { OFTEN = 12, MANY = 24, TOO_MANY = 64 };

static uint32_t find(struct finder *f, uint32_t v) {
    while (f->same[v] != v)
        v = f->same[v] = f->same[f->same[v]];
    return v;
}

/* False if it holds all of x already. */
static bool grow(struct finder *f, struct holder *h, struct interval x, struct mpu_type t) {
    if (is_none(x) || (!is_none(h->values) && x.low >= h->values.low && x.high <= h->values.high))
        return false;
    struct interval sum = join(h->values, cut(x, t));
    if (!is_none(h->values) && sum.low == h->values.low && sum.high == h->values.high)
        return false;
    h->values = ++h->grown > OFTEN || f->rounds > MANY ? all_of(t) : sum;
    f->changed = true;
    return true;
}

static void grow_variable(struct finder *f, uint32_t v, struct interval x, struct mpu_type t) {
    struct holder *h = &f->variables[find(f, v)];
    if (!grow(f, h, x, t))
        return;
    h->when = f->look;
    f->again |= h->read == f->look;
    if (h->open && !narrow_type(h->values, t).bits) {
        h->open = false;
        f->open--;
    }
}

static void grow_own(struct finder *f, uint32_t vreg, struct interval x, struct mpu_type t) {
    bool before = !is_none(f->own[vreg].values);
    if (!grow(f, &f->own[vreg], x, t))
        return;
    f->grew = true;
    f->again |= before;
}

static struct interval values_of(struct finder *f, uint32_t vreg, struct mpu_type as) {
    if (vreg == IR_NONE)
        return (struct interval){0, 0};
    const struct ir_vreg *v = &f->code->vregs.data[vreg];
    if (v->variable == IR_NONE)
        return cut(f->own[vreg].values, as);
    uint32_t x = find(f, v->variable);
    f->variables[x].read = f->look;
    return cut(f->fixed[x] ? all_of(v->type) : f->variables[x].values, as);
}

static void write(struct finder *f, uint32_t vreg, struct interval x) {
    const struct ir_vreg *v = &f->code->vregs.data[vreg];
    if (v->variable == IR_NONE)
        grow_own(f, vreg, x, v->type);
    else
        grow_variable(f, v->variable, x, v->type);
}

static void write_anything(void *context, uint32_t *vreg, bool writes) {
    struct finder *f = context;
    if (writes)
        write(f, *vreg, all_of(f->code->vregs.data[*vreg].type));
}

/* Elements that the code's group can have; 0: not known. */
static uint64_t most_elements(const struct finder *f) {
    uint64_t n = f->code->group != IR_NONE;
    for (uint32_t d = 0; n && d < ir_group_dims(f->p, f->code->group); d++) {
        struct extent x = ir_group_extent(f->p, f->code->group, d);
        uint64_t most = x.size == NO_INDEX ? x.value : f->p->sizes.data[x.size].bound;
        if (__builtin_mul_overflow(n, most, &n))
            n = 0;
    }
    return n;
}

static void look_at_machine(struct finder *f, struct ir_insn *i) {
    struct mpu_type plain = {TYPE_UINT, i->width};
    uint64_t most = i->machine == OP_INDEX && !i->kept ? most_elements(f) : 0;
    if (most)
        write(f, i->dst, cut((struct interval){0, (wide)most - 1}, plain));
    else if (i->machine == OP_POPC && !i->kept)
        write(f, i->dst, (struct interval){0, i->width});
    else
        ir_visit(i, write_anything, f);
}

static wide constant(const struct ir_insn *i) {
    return i->type.kind == TYPE_INT ? (wide)sign_extend(i->imm, i->type.bits) : (wide)i->imm;
}

static struct interval size_values(const struct finder *f, const struct ir_insn *i) {
    uint64_t most = f->p->sizes.data[i->size].bound;
    wide more = (wide)(int64_t)i->imm;
    if (!most || f->p->sizes.data[i->size].op != SIZE_GIVEN)
        return all_of(i->type);
    return (struct interval){1 + more, (wide)most + more};
}

static void look_at_insn(struct finder *f, struct ir_insn *i) {
    if (ir_is_mark(i->op) || i->op == IR_ASSERT || i->op == IR_PRINT || i->op == IR_ENABLE)
        return;
    if (i->op == IR_MACHINE) {
        look_at_machine(f, i);
        return;
    }
    if (i->op == IR_CALL) {
        ir_visit(i, write_anything, f);
        return;
    }
    struct interval r;
    if (i->op == IR_CONST) {
        r = (struct interval){constant(i), constant(i)};
    } else if (i->op == IR_SIZE) {
        r = size_values(f, i);
    } else {
        struct mpu_type as = i->op == IR_WIDEN ? i->from : i->type, bit = {TYPE_BOOL, 1};
        bool shifts = i->op == IR_SHL || i->op == IR_SHR;
        struct interval a = values_of(f, i->a, i->op == IR_SELECT ? bit : as);
        struct interval b = values_of(f, i->b, shifts ? (struct mpu_type){TYPE_UINT, 64} : as);
        struct interval c = values_of(f, i->c, as);
        if (is_none(a) || is_none(b) || is_none(c)) {
            f->waits = true; /* nobody comes here yet */
            return;
        }
        r = i->op == IR_WIDEN ? a : result(i, a, b, c);
    }
    write(f, i->dst, cut(r, ir_result_type(i)));
}

/* ---- moves ---- */

static struct mpu_type type_of(const struct finder *f, uint32_t v) {
    return f->p->variables.data[v].decl.type;
}

/* Elements of one go to the other as they are. */
static void unite(struct finder *f, const struct ir_move *m) {
    uint32_t to = find(f, m->to), from = find(f, m->from);
    struct mpu_type a = type_of(f, m->to), b = type_of(f, m->from);
    if (a.kind != b.kind || a.bits != b.bits || m->record.width != a.bits) {
        f->fixed[to] = f->fixed[from] = true;
        return;
    }
    f->same[from] = to;
    f->fixed[to] |= f->fixed[from];
}

static void fill(struct finder *f, const struct ir_move *m) {
    struct mpu_type t = type_of(f, m->to);
    uint64_t v = m->record.fill;
    wide value = t.kind == TYPE_INT ? (wide)sign_extend(v, t.bits) : (wide)v;
    if (m->record.outside == MOVE_FILL)
        grow_variable(f, m->to, (struct interval){value, value}, t);
}

static void fix(struct finder *f, uint32_t v) {
    f->fixed[find(f, v)] = true;
}

/* Of a body: variables that instructions name by hand. */
static void fix_named(void *context, uint32_t *vreg, bool writes) {
    struct finder *f = context;
    (void)writes;
    if (f->code->vregs.data[*vreg].variable != IR_NONE)
        fix(f, f->code->vregs.data[*vreg].variable);
}

static bool is_by_hand(const struct ir_insn *i) {
    return i->op == IR_MACHINE && (i->kept || (i->machine != OP_INDEX && i->machine != OP_POPC));
}

static void fix_in_code(struct finder *f, size_t k) {
    f->code = f->p->codes.data[k];
    for (size_t i = 0; i < f->code->insns.len; i++)
        if (is_by_hand(&f->code->insns.data[i]))
            ir_visit(&f->p->codes.data[k]->insns.data[i], fix_named, f);
}

static void start(struct finder *f) {
    for (uint32_t v = 0; v < f->p->variables.len; v++) {
        f->same[v] = v;
        f->variables[v].values = nothing;
        f->fixed[v] = f->p->variables.data[v].decl.direction & VAR_IN;
    }
    for (size_t i = 0; i < f->p->moves.len; i++)
        unite(f, &f->p->moves.data[i]);
    for (size_t i = 0; i < f->p->lengths.len; i++) {
        fix(f, f->p->lengths.data[i].variable);
        fix(f, f->p->lengths.data[i].length);
    }
    for (size_t k = 0; k < f->p->codes.len; k++)
        fix_in_code(f, k);
    for (uint32_t v = 0; v < f->p->variables.len; v++) {
        bool open = f->same[v] == v && !f->fixed[v] && type_of(f, v).kind != TYPE_BOOL;
        f->variables[v].open = open;
        f->open += open;
    }
}

/* True if a variable that the body names grew since the last look at it. */
static bool has_news(struct finder *f, const struct ir_code *code, const struct body *b) {
    for (size_t v = 0; v < code->vregs.len; v++) {
        uint32_t x = code->vregs.data[v].variable;
        if (x != IR_NONE && f->variables[find(f, x)].when > b->when)
            return true;
    }
    return false;
}

static void look_at_code(struct finder *f, size_t k) {
    struct body *b = &f->bodies[k];
    f->code = f->p->codes.data[k];
    if (b->when && !b->again && !has_news(f, f->code, b))
        return;
    f->own = b->vregs;
    f->grew = f->again = f->waits = false;
    b->when = ++f->look;
    for (size_t i = 0; i < f->code->insns.len && f->open; i++)
        look_at_insn(f, &f->p->codes.data[k]->insns.data[i]);
    b->again = f->again || (f->grew && f->waits);
}

/* What is passed to a subroutine or named by hand may be anything. */
static void start_code(struct finder *f, size_t k) {
    struct ir_code *code = f->p->codes.data[k];
    f->bodies[k].vregs = xcalloc(code->vregs.len + 1, sizeof *f->bodies[k].vregs);
    for (size_t v = 0; v < code->vregs.len; v++) {
        const struct ir_vreg *x = &code->vregs.data[v];
        bool known = !x->given && !x->pinned && (x->variable != IR_NONE || x->fixed < 0);
        f->bodies[k].vregs[v].values = known ? nothing : all_of(x->type);
    }
}

/* False if nothing is narrow, or it takes too long. */
static bool run(struct finder *f) {
    start(f);
    for (size_t k = 0; k < f->p->codes.len; k++)
        start_code(f, k);
    for (size_t i = 0; i < f->p->moves.len; i++)
        fill(f, &f->p->moves.data[i]);
    do {
        f->changed = false;
        for (size_t k = 0; k < f->p->codes.len; k++)
            look_at_code(f, k);
        f->rounds++;
    } while (f->changed && f->open && f->rounds < TOO_MANY);
    return !f->changed && f->open;
}

/* ---- what comes of it ---- */

struct rewriter {
    const struct mpu_type *narrow; /* [variables]: bits 0: as it is */
    const struct ir_program *p;
    struct ir_code *code;
    VEC(struct ir_insn) insns;
    uint32_t found; /* a virtual register of the instruction that is to be replaced, or IR_NONE */
    bool reads, writes;
    uint32_t region; /* at hand */
};

static void find_narrow(void *context, uint32_t *vreg, bool writes) {
    struct rewriter *r = context;
    uint32_t v = r->code->vregs.data[*vreg].variable;
    if (v == IR_NONE || !r->narrow[v].bits || (r->found != IR_NONE && r->found != *vreg))
        return;
    r->found = *vreg;
    r->reads |= !writes;
    r->writes |= writes;
}

static void replace(struct ir_insn *i, uint32_t from, uint32_t to) {
    i->a = i->a == from ? to : i->a;
    i->b = i->b == from ? to : i->b;
    i->c = i->c == from ? to : i->c;
    i->dst = i->dst == from ? to : i->dst;
}

static void put(struct rewriter *r, enum ir_op op, struct mpu_type type, struct mpu_type from,
                uint32_t dst, uint32_t a, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op,
                        .type = type,
                        .from = from,
                        .dst = dst,
                        .a = a,
                        .b = IR_NONE,
                        .c = IR_NONE,
                        .size = IR_NONE,
                        .at = at};
    vec_push(&r->insns, i);
}

/* What an instruction reads of a narrow variable is extended in front of it, what it writes is cut
 * behind it. */
static void rewrite_insn(struct rewriter *r, struct ir_insn i) {
    struct ir_insn cuts[4];
    size_t count = 0;
    for (;;) {
        r->found = IR_NONE;
        r->reads = r->writes = false;
        ir_visit(&i, find_narrow, r);
        if (r->found == IR_NONE)
            break;
        uint32_t variable = r->code->vregs.data[r->found].variable;
        struct mpu_type own = r->p->variables.data[variable].decl.type;
        struct mpu_type narrow = r->narrow[variable];
        uint32_t whole = ir_vreg(r->code, own, NULL, i.at);
        r->code->vregs.data[whole].home = r->region;
        if (r->reads)
            put(r, IR_WIDEN, own, narrow, whole, r->found, i.at);
        if (r->writes)
            cuts[count++] = (struct ir_insn){.op = IR_COPY,
                                             .type = narrow,
                                             .dst = r->found,
                                             .a = whole,
                                             .b = IR_NONE,
                                             .c = IR_NONE,
                                             .size = IR_NONE,
                                             .at = i.at};
        replace(&i, r->found, whole);
    }
    vec_push(&r->insns, i);
    for (size_t k = 0; k < count; k++)
        vec_push(&r->insns, cuts[k]);
}

static bool names_narrow(const struct rewriter *r, const struct ir_code *code) {
    for (size_t v = 0; v < code->vregs.len; v++)
        if (code->vregs.data[v].variable != IR_NONE && r->narrow[code->vregs.data[v].variable].bits)
            return true;
    return false;
}

static void rewrite_code(struct rewriter *r, struct ir_code *code) {
    if (!names_narrow(r, code))
        return;
    r->code = code;
    r->region = 0;
    vec_clear(&r->insns);
    for (size_t i = 0; i < code->insns.len; i++) {
        rewrite_insn(r, code->insns.data[i]);
        r->region = ir_region_behind(code, &code->insns.data[i], r->region);
    }
    if (r->insns.len == code->insns.len)
        return;
    vec_clear(&code->insns);
    for (size_t i = 0; i < r->insns.len; i++)
        vec_push(&code->insns, r->insns.data[i]);
    for (size_t v = 0; v < code->vregs.len; v++) {
        struct ir_vreg *x = &code->vregs.data[v];
        if (x->variable != IR_NONE && r->narrow[x->variable].bits)
            x->type = r->narrow[x->variable];
    }
}

static void narrow_moves(struct ir_program *p, const struct mpu_type *narrow) {
    for (size_t i = 0; i < p->moves.len; i++) {
        struct ir_move *m = &p->moves.data[i];
        if (m->record.index.kind && narrow[m->index].bits)
            m->record.index.type = narrow[m->index];
        if (!narrow[m->to].bits)
            continue;
        m->record.width = narrow[m->to].bits;
        m->record.fill &= low_bits(m->record.width);
    }
}

static void narrow_variables(struct ir_program *p, const struct mpu_type *narrow) {
    for (uint32_t v = 0; v < p->variables.len; v++) {
        struct variable *x = &p->variables.data[v].decl;
        if (!narrow[v].bits)
            continue;
        if (!x->form.type.bits)
            x->form.type = x->type;
        x->type = narrow[v];
    }
}

static void rewrite(struct finder *f) {
    struct mpu_type *narrow = xcalloc(f->p->variables.len + 1, sizeof *narrow);
    struct rewriter r = {.narrow = narrow, .p = f->p};
    bool any = false;
    for (uint32_t v = 0; v < f->p->variables.len; v++) {
        uint32_t x = find(f, v);
        if (!f->fixed[x])
            narrow[v] = narrow_type(f->variables[x].values, type_of(f, v));
        any |= narrow[v].bits > 0;
    }
    for (size_t k = 0; any && k < f->p->codes.len; k++)
        rewrite_code(&r, f->p->codes.data[k]);
    narrow_moves(f->p, narrow);
    narrow_variables(f->p, narrow);
    vec_free(&r.insns);
    free(narrow);
}

void ir_keep_narrow(struct ir_program *p) {
    struct finder f = {.p = p};
    f.variables = xcalloc(p->variables.len + 1, sizeof *f.variables);
    f.same = xcalloc(p->variables.len + 1, sizeof *f.same);
    f.fixed = xcalloc(p->variables.len + 1, sizeof *f.fixed);
    f.bodies = xcalloc(p->codes.len + 1, sizeof *f.bodies);
    if (run(&f))
        rewrite(&f);
    for (size_t k = 0; k < p->codes.len; k++)
        free(f.bodies[k].vregs);
    free(f.bodies);
    free(f.fixed);
    free(f.same);
    free(f.variables);
}
