/* SPDX-License-Identifier: MIT
 * Every virtual register and every variable has an interval that holds all values that are ever
 * written to it, whatever the order; they only grow, and what grows too often is everything that
 * its type has.  Variables between which elements are moved have one interval, and so one type.
 * A body is looked at again when something grew that it had read before; and no more is looked at
 * when every variable needs all the bits that it has. */
#include "ezpim/ir/element_numbers.h"
#include "ezpim/ir/widths.h"
#include "ezpim/ir/build.h"
#include "ezpim/ir/touched.h"
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

static struct interval all_of(struct lane_type type) {
    wide half = (wide)1 << (type.bits - 1);
    return type.kind == TYPE_INT ? (struct interval){-half, half - 1}
                                 : (struct interval){0, 2 * half - 1};
}

static bool is_none(struct interval interval) {
    return interval.low > interval.high;
}

static wide least(wide left, wide right) {
    return left < right ? left : right;
}

static wide most(wide left, wide right) {
    return left > right ? left : right;
}

static struct interval join(struct interval left, struct interval right) {
    if (is_none(left) || is_none(right))
        return is_none(left) ? right : left;
    return (struct interval){least(left.low, right.low), most(left.high, right.high)};
}

/* As values of the type: its low bits. */
static struct interval cut(struct interval interval, struct lane_type type) {
    bool small = type.bits >= 16 && interval.low >= 0 && interval.high < 1 << 15;
    struct interval all = small ? interval : all_of(type);
    return is_none(interval) || (interval.low >= all.low && interval.high <= all.high) ? interval
                                                                                       : all;
}

static unsigned bits_of(wide value) {
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return high ? 128 - (unsigned)__builtin_clzll(high)
                : 64 - (low ? (unsigned)__builtin_clzll(low) : 64);
}

/* The narrowest type that has all values; of bits 0: it is not narrower than that one. */
static struct lane_type narrow_type(struct interval interval, struct lane_type own) {
    struct lane_type none = {own.kind, 0};
    if (is_none(interval) || own.kind == TYPE_BOOL)
        return none;
    unsigned up = bits_of(interval.high > 0 ? interval.high : 0),
             down = interval.low < 0 ? bits_of(-1 - interval.low) : 0;
    struct lane_type t = {TYPE_UINT, (uint8_t)(up ? up : 1)};
    if (interval.low < 0)
        t = (struct lane_type){TYPE_INT, (uint8_t)((up > down ? up : down) + 1)};
    if (t.kind == TYPE_INT && t.bits < 2)
        t.bits = 2;
    return t.bits < own.bits ? t : none;
}

/* ---- operations ---- */

static struct interval product(struct interval left, struct interval right) {
    const wide corners[] = {left.low * right.low, left.low * right.high, left.high * right.low,
                            left.high * right.high};
    struct interval r = {corners[0], corners[0]};
    for (unsigned i = 1; i < 4; i++)
        r = join(r, (struct interval){corners[i], corners[i]});
    return r;
}

/* Products of 64-bit values stay inside of 128 bits with a sign but for the largest of both. */
static bool is_small(struct interval interval) {
    return interval.low >= -((wide)1 << 62) && interval.high <= (wide)1 << 62;
}

/* 0 .. the least 2^k - 1 that is not below `value`. */
static wide ones_above(wide value) {
    wide ones = 0;
    while (ones < value)
        ones = 2 * ones + 1;
    return ones;
}

static struct interval and_of(struct interval left, struct interval right, struct interval all) {
    if (left.low >= 0 && right.low >= 0)
        return (struct interval){0, least(left.high, right.high)};
    if (left.low >= 0 || right.low >= 0)
        return (struct interval){0, left.low >= 0 ? left.high : right.high};
    return all;
}

static struct interval shifted(const struct ir_insn *insn, struct interval interval,
                               struct interval all) {
    bool known = insn->b == IR_NONE && insn->imm < insn->type.bits;
    if (insn->op == IR_SHR && known)
        return (struct interval){interval.low >> insn->imm, interval.high >> insn->imm};
    if (insn->op == IR_SHR)
        return (struct interval){least(interval.low, 0), interval.high < 0 ? -1 : interval.high};
    if (!known || !is_small(interval) || insn->imm >= 62)
        return all;
    return (struct interval){interval.low * ((wide)1 << insn->imm),
                             interval.high * ((wide)1 << insn->imm)};
}

/* By zero a quotient is all ones and a remainder the dividend. */
static struct interval divided(const struct ir_insn *insn, struct interval left,
                               struct interval right, struct interval all) {
    bool remains = insn->op == IR_REM || insn->op == IR_FLOORMOD;
    if (left.low < 0 || right.low < 0 || (right.low == 0 && !remains))
        return all;
    if (remains)
        return (struct interval){0, right.low == 0 ? left.high : least(left.high, right.high - 1)};
    return (struct interval){left.low / right.high, left.high / right.low};
}

static struct interval result(const struct ir_insn *insn, struct interval left,
                              struct interval right, struct interval c) {
    struct interval all = all_of(insn->type);
    switch ((enum ir_op)insn->op) {
    case IR_ADD:
        return (struct interval){left.low + right.low, left.high + right.high};
    case IR_SUB:
        return (struct interval){left.low - right.high, left.high - right.low};
    case IR_MUL:
        return is_small(left) && is_small(right) ? product(left, right) : all;
    case IR_DIV:
    case IR_REM:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        return divided(insn, left, right, all);
    case IR_SHL:
    case IR_SHR:
        return shifted(insn, left, all);
    case IR_AND:
        return and_of(left, right, all);
    case IR_OR:
    case IR_XOR:
        return left.low >= 0 && right.low >= 0
                   ? (struct interval){0, ones_above(most(left.high, right.high))}
                   : all;
    case IR_NOT:
        return (struct interval){all.low + all.high - left.high, all.low + all.high - left.low};
    case IR_NEG:
        return (struct interval){-left.high, -left.low};
    case IR_MIN:
        return (struct interval){least(left.low, right.low), least(left.high, right.high)};
    case IR_MAX:
        return (struct interval){most(left.low, right.low), most(left.high, right.high)};
    case IR_SELECT:
        return join(right, c);
    case IR_COPY:
        return left;
    case IR_FSIGN:
    case IR_FZERO:
        return (struct interval){0, 1};
    default:
        return ir_op_compares(insn->op) ? (struct interval){0, 1} : all;
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

struct width_finder {
    struct ir_program *p;
    struct holder *variables; /* [variables], of their representatives */
    uint32_t *same;           /* [variables]: union-find over moves, then representatives */
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

static uint32_t find(struct width_finder *finder, uint32_t value) {
    while (finder->same[value] != value)
        value = finder->same[value] = finder->same[finder->same[value]];
    return value;
}

/* The same when all moves are known. */
static inline uint32_t found(const struct width_finder *finder, uint32_t value) {
    return finder->same[value];
}

/* False if it holds all of `interval` already. */
static bool grow(struct width_finder *finder, struct holder *holder, struct interval interval,
                 struct lane_type type) {
    if (is_none(interval) || (!is_none(holder->values) && interval.low >= holder->values.low &&
                              interval.high <= holder->values.high))
        return false;
    struct interval sum = join(holder->values, cut(interval, type));
    if (!is_none(holder->values) && sum.low == holder->values.low &&
        sum.high == holder->values.high)
        return false;
    holder->values = ++holder->grown > OFTEN || finder->rounds > MANY ? all_of(type) : sum;
    finder->changed = true;
    return true;
}

static void grow_variable(struct width_finder *finder, uint32_t value, struct interval interval,
                          struct lane_type type) {
    struct holder *h = &finder->variables[found(finder, value)];
    if (!grow(finder, h, interval, type))
        return;
    h->when = finder->look;
    finder->again |= h->read == finder->look;
    if (h->open && !narrow_type(h->values, type).bits) {
        h->open = false;
        finder->open--;
    }
}

static void grow_own(struct width_finder *finder, uint32_t vreg, struct interval interval,
                     struct lane_type type) {
    bool before = !is_none(finder->own[vreg].values);
    if (!grow(finder, &finder->own[vreg], interval, type))
        return;
    finder->grew = true;
    finder->again |= before;
}

static struct interval values_of(struct width_finder *finder, uint32_t vreg, struct lane_type as) {
    if (vreg == IR_NONE)
        return (struct interval){0, 0};
    const struct ir_vreg *v = &finder->code->vregs.data[vreg];
    if (v->variable == IR_NONE)
        return cut(finder->own[vreg].values, as);
    uint32_t x = found(finder, v->variable);
    finder->variables[x].read = finder->look;
    return cut(finder->fixed[x] ? all_of(v->type) : finder->variables[x].values, as);
}

static void write(struct width_finder *finder, uint32_t vreg, struct interval interval) {
    const struct ir_vreg *v = &finder->code->vregs.data[vreg];
    if (v->variable == IR_NONE)
        grow_own(finder, vreg, interval, v->type);
    else
        grow_variable(finder, v->variable, interval, v->type);
}

static void write_anything(void *context, uint32_t *vreg, bool writes) {
    struct width_finder *f = context;
    if (writes)
        write(f, *vreg, all_of(f->code->vregs.data[*vreg].type));
}

static void look_at_machine(struct width_finder *finder, struct ir_insn *insn) {
    struct lane_type plain = {TYPE_UINT, insn->width};
    uint64_t most = 0;
    if (insn->machine == OP_INDEX && !insn->kept)
        most = ir_most_numbers(finder->p, finder->code->group, (uint32_t)insn->imm);
    if (most)
        write(finder, insn->dst, cut((struct interval){0, (wide)most - 1}, plain));
    else if (insn->machine == OP_POPC && !insn->kept)
        write(finder, insn->dst, (struct interval){0, insn->width});
    else
        ir_visit(insn, write_anything, finder);
}

static wide constant(const struct ir_insn *insn) {
    return insn->type.kind == TYPE_INT ? (wide)sign_extend(insn->imm, insn->type.bits)
                                       : (wide)insn->imm;
}

static struct interval size_values(const struct width_finder *finder, const struct ir_insn *insn) {
    uint64_t most = finder->p->sizes.data[insn->size].bound;
    wide more = (wide)(int64_t)insn->imm;
    if (!most || finder->p->sizes.data[insn->size].op != SIZE_GIVEN)
        return all_of(insn->type);
    return (struct interval){1 + more, (wide)most + more};
}

static void look_at_insn(struct width_finder *finder, struct ir_insn *insn) {
    if (ir_is_mark(insn->op) || (insn->op >= IR_SHOW && insn->op <= IR_ENABLE))
        return;
    if (insn->op == IR_MACHINE) {
        look_at_machine(finder, insn);
        return;
    }
    if (insn->op == IR_CALL) {
        ir_visit(insn, write_anything, finder);
        return;
    }
    struct interval r;
    if (insn->op == IR_CONST) {
        r = (struct interval){constant(insn), constant(insn)};
    } else if (insn->op == IR_SIZE) {
        r = size_values(finder, insn);
    } else {
        bool converts = ir_reads_from(insn->op);
        struct lane_type as = converts ? insn->from : insn->type, bit = {TYPE_BOOL, 1};
        bool shifts = insn->op == IR_SHL || insn->op == IR_SHR;
        struct interval a = values_of(finder, insn->a, insn->op == IR_SELECT ? bit : as);
        struct interval b =
            values_of(finder, insn->b, shifts ? (struct lane_type){TYPE_UINT, 64} : as);
        struct interval c = values_of(finder, insn->c, as);
        if (is_none(a) || is_none(b) || is_none(c)) {
            finder->waits = true; /* nobody comes here yet */
            return;
        }
        r = insn->op == IR_WIDEN ? a : result(insn, a, b, c);
    }
    write(finder, insn->dst, cut(r, ir_result_type(insn)));
}

/* ---- moves ---- */

static struct lane_type type_of(const struct width_finder *finder, uint32_t value) {
    return finder->p->variables.data[value].decl.type;
}

/* Elements of one go to the other as they are. */
static void unite(struct width_finder *finder, const struct ir_move *move) {
    uint32_t to = find(finder, move->to), from = find(finder, move->from);
    struct lane_type a = type_of(finder, move->to), b = type_of(finder, move->from);
    if (a.kind != b.kind || a.bits != b.bits || move->record.width != a.bits) {
        finder->fixed[to] = finder->fixed[from] = true;
        return;
    }
    finder->same[from] = to;
    finder->fixed[to] |= finder->fixed[from];
}

static void fill(struct width_finder *finder, const struct ir_move *move) {
    struct lane_type t = type_of(finder, move->to);
    uint64_t v = move->record.fill;
    wide value = t.kind == TYPE_INT ? (wide)sign_extend(v, t.bits) : (wide)v;
    if (move->record.outside == MOVE_FILL)
        grow_variable(finder, move->to, (struct interval){value, value}, t);
}

static void fix(struct width_finder *finder, uint32_t value) {
    finder->fixed[found(finder, value)] = true;
}

/* Of a body: variables that instructions name by hand. */
static void fix_named(void *context, uint32_t *vreg, bool writes) {
    struct width_finder *f = context;
    (void)writes;
    if (f->code->vregs.data[*vreg].variable != IR_NONE)
        fix(f, f->code->vregs.data[*vreg].variable);
}

static bool is_by_hand(const struct ir_insn *insn) {
    return insn->op == IR_MACHINE &&
           (insn->kept || (insn->machine != OP_INDEX && insn->machine != OP_POPC));
}

static void fix_in_code(struct width_finder *finder, size_t index) {
    finder->code = finder->p->codes.data[index];
    for (size_t i = 0; i < finder->code->insns.len; i++)
        if (is_by_hand(&finder->code->insns.data[i]))
            ir_visit(&finder->p->codes.data[index]->insns.data[i], fix_named, finder);
}

static void start(struct width_finder *finder) {
    for (uint32_t v = 0; v < finder->p->variables.len; v++) {
        finder->same[v] = v;
        finder->variables[v].values = nothing;
        finder->fixed[v] = finder->p->variables.data[v].decl.direction & VAR_IN ||
                           object_type_is_float(finder->p->variables.data[v].decl.type);
    }
    for (size_t i = 0; i < finder->p->moves.len; i++)
        unite(finder, &finder->p->moves.data[i]);
    for (uint32_t v = 0; v < finder->p->variables.len; v++)
        finder->same[v] = find(finder, v);
    for (size_t i = 0; i < finder->p->lengths.len; i++) {
        fix(finder, finder->p->lengths.data[i].variable);
        fix(finder, finder->p->lengths.data[i].length);
    }
    for (size_t k = 0; k < finder->p->codes.len; k++)
        fix_in_code(finder, k);
    for (uint32_t v = 0; v < finder->p->variables.len; v++) {
        bool open =
            finder->same[v] == v && !finder->fixed[v] && type_of(finder, v).kind != TYPE_BOOL;
        finder->variables[v].open = open;
        finder->open += open;
    }
}

/* True if a variable that the body names grew since the last look at it. */
static bool has_news(struct width_finder *finder, const struct ir_code *code,
                     const struct body *body) {
    for (size_t v = 0; v < code->vregs.len; v++) {
        uint32_t x = code->vregs.data[v].variable;
        if (x != IR_NONE && finder->variables[found(finder, x)].when > body->when)
            return true;
    }
    return false;
}

static void look_at_code(struct width_finder *finder, size_t index) {
    struct body *b = &finder->bodies[index];
    finder->code = finder->p->codes.data[index];
    if (b->when && !b->again && !has_news(finder, finder->code, b))
        return;
    finder->own = b->vregs;
    finder->grew = finder->again = finder->waits = false;
    b->when = ++finder->look;
    for (size_t i = 0; i < finder->code->insns.len && finder->open; i++)
        look_at_insn(finder, &finder->p->codes.data[index]->insns.data[i]);
    b->again = finder->again || (finder->grew && finder->waits);
}

/* What is passed to a subroutine or named by hand may be anything. */
static void start_code(struct width_finder *finder, size_t index) {
    struct ir_code *code = finder->p->codes.data[index];
    finder->bodies[index].vregs = xcalloc(code->vregs.len + 1, sizeof *finder->bodies[index].vregs);
    for (size_t v = 0; v < code->vregs.len; v++) {
        const struct ir_vreg *x = &code->vregs.data[v];
        bool known = !x->given && !x->pinned && (x->variable != IR_NONE || x->fixed < 0);
        finder->bodies[index].vregs[v].values = known ? nothing : all_of(x->type);
    }
}

/* False if nothing is narrow, or it takes too long. */
static bool run(struct width_finder *finder) {
    start(finder);
    for (size_t k = 0; k < finder->p->codes.len; k++)
        start_code(finder, k);
    for (size_t i = 0; i < finder->p->moves.len; i++)
        fill(finder, &finder->p->moves.data[i]);
    do {
        finder->changed = false;
        for (size_t k = 0; k < finder->p->codes.len; k++)
            look_at_code(finder, k);
        finder->rounds++;
    } while (finder->changed && finder->open && finder->rounds < TOO_MANY);
    return !finder->changed && finder->open;
}

/* ---- what comes of it ---- */

struct rewriter {
    const struct lane_type *narrow; /* [variables]: bits 0: as it is */
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

static void replace(struct ir_insn *insn, uint32_t from, uint32_t to) {
    insn->a = insn->a == from ? to : insn->a;
    insn->b = insn->b == from ? to : insn->b;
    insn->c = insn->c == from ? to : insn->c;
    insn->dst = insn->dst == from ? to : insn->dst;
}

static void put(struct rewriter *rewriter, enum ir_op op, struct lane_type type,
                struct lane_type from, uint32_t dst, uint32_t a, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op,
                        .type = type,
                        .from = from,
                        .dst = dst,
                        .a = a,
                        .b = IR_NONE,
                        .c = IR_NONE,
                        .size = IR_NONE,
                        .at = at};
    vec_push(&rewriter->insns, i);
}

/* What an instruction reads of a narrow variable is extended in front of it, what it writes is cut
 * behind it. */
static void rewrite_insn(struct rewriter *rewriter, struct ir_insn insn) {
    struct ir_insn cuts[4];
    size_t count = 0;
    for (;;) {
        rewriter->found = IR_NONE;
        rewriter->reads = rewriter->writes = false;
        ir_visit(&insn, find_narrow, rewriter);
        if (rewriter->found == IR_NONE)
            break;
        uint32_t variable = rewriter->code->vregs.data[rewriter->found].variable;
        struct lane_type own = rewriter->p->variables.data[variable].decl.type;
        struct lane_type narrow = rewriter->narrow[variable];
        uint32_t whole = ir_vreg(rewriter->code, own, NULL, insn.at);
        rewriter->code->vregs.data[whole].home = rewriter->region;
        if (rewriter->reads)
            put(rewriter, IR_WIDEN, own, narrow, whole, rewriter->found, insn.at);
        if (rewriter->writes)
            cuts[count++] = (struct ir_insn){.op = IR_COPY,
                                             .type = narrow,
                                             .dst = rewriter->found,
                                             .a = whole,
                                             .b = IR_NONE,
                                             .c = IR_NONE,
                                             .size = IR_NONE,
                                             .at = insn.at};
        replace(&insn, rewriter->found, whole);
    }
    vec_push(&rewriter->insns, insn);
    for (size_t k = 0; k < count; k++)
        vec_push(&rewriter->insns, cuts[k]);
}

static bool names_narrow(const struct rewriter *rewriter, const struct ir_code *code) {
    for (size_t v = 0; v < code->vregs.len; v++)
        if (code->vregs.data[v].variable != IR_NONE &&
            rewriter->narrow[code->vregs.data[v].variable].bits)
            return true;
    return false;
}

static void rewrite_code(struct rewriter *rewriter, struct ir_code *code) {
    if (!names_narrow(rewriter, code))
        return;
    rewriter->code = code;
    rewriter->region = 0;
    vec_clear(&rewriter->insns);
    for (size_t i = 0; i < code->insns.len; i++) {
        rewrite_insn(rewriter, code->insns.data[i]);
        rewriter->region = ir_region_behind(code, &code->insns.data[i], rewriter->region);
    }
    if (rewriter->insns.len == code->insns.len)
        return;
    vec_clear(&code->insns);
    for (size_t i = 0; i < rewriter->insns.len; i++)
        vec_push(&code->insns, rewriter->insns.data[i]);
    for (size_t v = 0; v < code->vregs.len; v++) {
        struct ir_vreg *x = &code->vregs.data[v];
        if (x->variable != IR_NONE && rewriter->narrow[x->variable].bits)
            x->type = rewriter->narrow[x->variable];
    }
}

static void narrow_moves(struct ir_program *program, const struct lane_type *narrow) {
    for (size_t i = 0; i < program->moves.len; i++) {
        struct ir_move *m = &program->moves.data[i];
        if (m->record.index.kind && narrow[m->index].bits)
            m->record.index.type = narrow[m->index];
        if (!narrow[m->to].bits)
            continue;
        m->record.width = narrow[m->to].bits;
        m->record.fill &= low_bits(m->record.width);
    }
}

static void narrow_variables(struct ir_program *program, const struct lane_type *narrow) {
    for (uint32_t v = 0; v < program->variables.len; v++) {
        struct variable *x = &program->variables.data[v].decl;
        if (!narrow[v].bits)
            continue;
        if (!x->form.type.bits)
            x->form.type = x->type;
        x->type = narrow[v];
    }
}

static void rewrite(struct width_finder *finder) {
    struct lane_type *narrow = xcalloc(finder->p->variables.len + 1, sizeof *narrow);
    struct rewriter r = {.narrow = narrow, .p = finder->p};
    bool any = false;
    for (uint32_t v = 0; v < finder->p->variables.len; v++) {
        uint32_t x = found(finder, v);
        if (!finder->fixed[x])
            narrow[v] = narrow_type(finder->variables[x].values, type_of(finder, v));
        any |= narrow[v].bits > 0;
    }
    for (size_t k = 0; any && k < finder->p->codes.len; k++)
        rewrite_code(&r, finder->p->codes.data[k]);
    narrow_moves(finder->p, narrow);
    narrow_variables(finder->p, narrow);
    vec_free(&r.insns);
    free(narrow);
}

void ir_keep_narrow(struct ir_program *program) {
    struct width_finder f = {.p = program};
    f.variables = xcalloc(program->variables.len + 1, sizeof *f.variables);
    f.same = xcalloc(program->variables.len + 1, sizeof *f.same);
    f.fixed = xcalloc(program->variables.len + 1, sizeof *f.fixed);
    f.bodies = xcalloc(program->codes.len + 1, sizeof *f.bodies);
    if (run(&f))
        rewrite(&f);
    for (size_t k = 0; k < program->codes.len; k++)
        free(f.bodies[k].vregs);
    free(f.bodies);
    free(f.fixed);
    free(f.same);
    free(f.variables);
}
