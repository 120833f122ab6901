/* SPDX-License-Identifier: MIT
 * Passes over one body.  Forward: every virtual register gets the number of the value that it
 * holds; equal numbers are equal values, so copies are looked through, operations on constants are
 * carried out, and a value that some register still holds is not made again.  Backward: what
 * nobody reads goes.
 *
 * A scope is a stretch of code that the same lanes run, or fewer of them towards its end: a region,
 * one side of an IF, the body or the step or the test of a loop.  What was made in a scope is there
 * until the scope ends; what a region writes of the registers around it is unknown behind it. */
#include "ezpim/ir/ir.h"
#include "ezpim/ir/coalesce.h"
#include "ezpim/ir/hoist.h"
#include "ezpim/ir/narrow.h"
#include "ezpim/ir/products.h"
#include "ezpim/ir/range.h"
#include "ezpim/ir/touched.h"
#include "support/bits.h"
#include "support/hash_table.h"

#include <string.h>

struct numbered_value {
    uint32_t home;    /* a virtual register that held it when last looked at */
    uint32_t touched; /* the instruction that made or read it last */
    uint32_t scope;   /* that it was made in */
    uint8_t bits;     /* above which it has zeros; 0: not known */
    /* It is the value number `narrow`, extended; 0: not known. */
    uint32_t narrow;
    struct lane_type from;
    bool is_constant;
    uint64_t constant;
    struct ir_range range; /* of the pattern */
};

/* What makes two operations the same; compared as bytes. */
struct key {
    uint8_t op, width;
    uint16_t machine;
    struct lane_type type;
    uint32_t a, b, c; /* value numbers */
    struct lane_type from;
    uint32_t size, spare; /* fills the last 8 bytes */
    uint64_t imm;
};

/* What a virtual register holds, and the scope in which it was put there. */
struct holding {
    uint32_t value; /* 0: not seen yet */
    uint32_t scope;
};

struct numbering {
    struct ir_code *code;
    int level;
    bool products;
    uint32_t reach, now;    /* instructions */
    struct holding *number; /* by virtual register */
    size_t number_cap;
    struct ir_touched touched;
    VEC(uint32_t) scopes;                   /* open ones, the innermost last */
    VEC(bool) open;                         /* by scope */
    VEC(struct numbered_value) values;      /* [0] is unused */
    HASH_TABLE(struct key, uint32_t) known; /* value numbers */
    VEC(struct ir_insn) out;
};

static uint32_t new_value(struct numbering *numbering, uint32_t home) {
    bool clean = home != IR_NONE && numbering->code->vregs.data[home].clean;
    struct numbered_value v = {
        .bits = clean ? numbering->code->vregs.data[home].type.bits : 0,
        .home = home,
        .touched = numbering->now,
        .range = ir_range_all(home == IR_NONE ? 64 : numbering->code->vregs.data[home].type.bits),
        .scope = vec_last(&numbering->scopes)};
    vec_push(&numbering->values, v);
    return (uint32_t)numbering->values.len - 1;
}

static void grow_numbers(struct numbering *numbering) {
    size_t need = numbering->code->vregs.len, old = numbering->number_cap;
    if (need <= old)
        return;
    numbering->number =
        vec_grow(numbering->number, &numbering->number_cap, need, sizeof *numbering->number);
    memset(numbering->number + old, 0, (numbering->number_cap - old) * sizeof *numbering->number);
}

static uint32_t number_of(struct numbering *numbering, uint32_t vreg) {
    grow_numbers(numbering);
    if (!numbering->number[vreg].value)
        numbering->number[vreg].value = new_value(numbering, vreg);
    return numbering->number[vreg].value;
}

static unsigned bits_of(const struct numbering *numbering, uint32_t vreg) {
    const struct ir_vreg *v = &numbering->code->vregs.data[vreg];
    return v->clean > v->type.bits ? v->clean : v->type.bits;
}

/* How much of the value the register has: all of its own bits, and the zeros above them only if
 * the value has zeros there. */
static unsigned held_bits(const struct numbering *numbering, uint32_t vreg, uint32_t value) {
    const struct numbered_value *v = &numbering->values.data[value];
    unsigned own = numbering->code->vregs.data[vreg].type.bits;
    bool zeros = v->is_constant ? own == 64 || v->constant >> own == 0 : v->bits && v->bits <= own;
    return zeros ? bits_of(numbering, vreg) : own;
}

/* A register that holds the value now and has at least `bits` bits; IR_NONE if none is known. */
static uint32_t holder(struct numbering *numbering, uint32_t value, unsigned bits) {
    uint32_t home = numbering->values.data[value].home;
    bool holds = home != IR_NONE && !numbering->code->vregs.data[home].pinned &&
                 numbering->number[home].value == value &&
                 numbering->open.data[numbering->number[home].scope] &&
                 held_bits(numbering, home, value) >= bits;
    return holds ? home : IR_NONE;
}

static void set_number(struct numbering *numbering, uint32_t vreg, uint32_t value) {
    grow_numbers(numbering);
    numbering->number[vreg] = (struct holding){value, vec_last(&numbering->scopes)};
    if (holder(numbering, value, bits_of(numbering, vreg)) == IR_NONE)
        numbering->values.data[value].home = vreg;
}

static bool commutes(uint8_t op) {
    switch ((enum ir_op)op) {
    case IR_ADD:
    case IR_MUL:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_MIN:
    case IR_MAX:
    case IR_EQ:
    case IR_NE:
    case IR_FADD: /* what is not a number is one pattern as a result */
    case IR_FMUL:
    case IR_FMIN:
    case IR_FMAX:
    case IR_FEQ:
    case IR_FUN:
        return true;
    default:
        return false;
    }
}

static uint32_t operand_number(struct numbering *numbering, uint32_t vreg) {
    return vreg == IR_NONE ? 0 : number_of(numbering, vreg);
}

/* Constants are equal whatever their type: the pattern is zero-extended. */
static struct key key_of(struct numbering *numbering, const struct ir_insn *insn) {
    struct key k;
    memset(&k, 0, sizeof k); /* padding is hashed too */
    k.op = insn->op;
    k.imm = insn->imm;
    if (insn->op == IR_CONST)
        return k;
    k.width = insn->width;
    k.machine = insn->machine;
    k.type.kind = insn->type.kind;
    k.type.bits = insn->type.bits;
    k.from.kind = insn->from.kind;
    k.from.bits = insn->from.bits;
    k.size = insn->size;
    k.a = operand_number(numbering, insn->a);
    k.b = operand_number(numbering, insn->b);
    k.c = operand_number(numbering, insn->c);
    if (commutes(insn->op) && k.a > k.b) {
        uint32_t t = k.a;
        k.a = k.b;
        k.b = t;
    }
    return k;
}

static bool within_reach(const struct numbering *numbering, uint32_t value) {
    return numbering->now - numbering->values.data[value].touched <= numbering->reach &&
           numbering->reach > 0;
}

static void look_through(void *context, uint32_t *vreg, bool writes) {
    struct numbering *n = context;
    if (writes)
        return;
    uint32_t value = number_of(n, *vreg);
    uint32_t home = holder(n, value, bits_of(n, *vreg));
    if (home == IR_NONE)
        n->values.data[value].home = *vreg;
    else if (within_reach(n, value))
        *vreg = home;
    n->values.data[value].touched = n->now;
}

static void forget(void *context, uint32_t *vreg, bool writes) {
    struct numbering *n = context;
    if (writes)
        set_number(n, *vreg, new_value(n, *vreg));
}

static bool constant_of(void *context, uint32_t vreg, uint64_t *value) {
    struct numbering *n = context;
    if (vreg == IR_NONE)
        return false;
    const struct numbered_value *v = &n->values.data[number_of(n, vreg)];
    *value = v->constant;
    return v->is_constant;
}

/* The range of the low bits of what the register holds. */
static struct ir_range range_of(void *context, uint32_t vreg, unsigned bits) {
    struct numbering *n = context;
    if (vreg == IR_NONE)
        return ir_range_all(bits);
    const struct numbered_value *v = &n->values.data[number_of(n, vreg)];
    uint64_t k = v->constant & low_bits(bits);
    return v->is_constant ? (struct ir_range){k, k} : ir_range_cut(v->range, bits);
}

/* A value of few bits in a register of more of them: its lower part is all of it. */
static bool form_by_range(struct numbering *numbering, uint32_t vreg, struct lane_type type,
                          struct ir_form *form) {
    unsigned bits = ir_range_bits(range_of(numbering, vreg, type.bits));
    *form = (struct ir_form){.vreg = vreg, .from = {TYPE_UINT, (uint8_t)bits}};
    form->bits = (uint8_t)(bits + (type.kind == TYPE_INT));
    return form->bits < type.bits;
}

/* A value that was extended without a sign has one bit more where there are signs. */
static bool form_of(void *context, uint32_t vreg, struct lane_type type, struct ir_form *form) {
    struct numbering *n = context;
    const struct numbered_value *v = &n->values.data[number_of(n, vreg)];
    if (v->is_constant) {
        *form = (struct ir_form){.vreg = vreg, .is_constant = true};
        form->bits = (uint8_t)ir_constant_bits(v->constant & low_bits(type.bits), type);
        return true;
    }
    if (!v->narrow || (v->from.kind == TYPE_INT && type.kind != TYPE_INT))
        return form_by_range(n, vreg, type, form);
    *form = (struct ir_form){.vreg = holder(n, v->narrow, v->from.bits), .from = v->from};
    form->bits = (uint8_t)(v->from.bits + (v->from.kind != type.kind && type.kind == TYPE_INT));
    if (form->vreg != IR_NONE && form->bits < type.bits &&
        form->bits <= ir_range_bits(range_of(n, vreg, type.bits)) + (type.kind == TYPE_INT))
        return true;
    return form_by_range(n, vreg, type, form);
}

/* Zeros above: how many bits may be set. */
static unsigned bits_set(void *context, uint32_t vreg) {
    struct numbering *n = context;
    const struct numbered_value *v = &n->values.data[number_of(n, vreg)];
    if (v->is_constant)
        return v->constant ? 64 - (unsigned)__builtin_clzll(v->constant) : 1;
    return v->bits ? v->bits : 64;
}

/* What an operation says of its result, in a register as wide as it. */
static uint8_t result_bits(struct numbering *numbering, const struct ir_insn *insn) {
    unsigned a = insn->a == IR_NONE ? 64 : bits_set(numbering, insn->a);
    unsigned b = insn->b == IR_NONE ? 64 : bits_set(numbering, insn->b), bits = insn->type.bits;
    if (insn->op == IR_WIDEN && insn->from.kind != TYPE_INT)
        bits = insn->from.bits < a ? insn->from.bits : a;
    else if (insn->op == IR_SHR && insn->type.kind != TYPE_INT && insn->b == IR_NONE &&
             insn->imm < bits)
        bits -= (unsigned)insn->imm;
    else if (insn->op == IR_FSIGN || insn->op == IR_FZERO)
        bits = 1;
    else if (insn->op == IR_AND)
        bits = a < b ? a : b;
    else if ((insn->op == IR_OR || insn->op == IR_XOR) && (a > b ? a : b) < bits)
        bits = a > b ? a : b;
    return (uint8_t)(bits < insn->type.bits ? bits : insn->type.bits);
}

static struct ir_range result_range(struct numbering *numbering, const struct ir_insn *insn) {
    unsigned bits = insn->op == IR_MACHINE ? insn->width : insn->type.bits;
    unsigned first = ir_reads_from(insn->op) ? insn->from.bits : bits;
    return ir_range_result(insn, range_of(numbering, insn->a, first),
                           range_of(numbering, insn->b, bits), range_of(numbering, insn->c, bits));
}

static bool same_value(void *context, uint32_t left, uint32_t right) {
    return number_of(context, left) == number_of(context, right);
}

/* A machine instruction can be reused if all it does is to make rd from its sources. */
static bool reusable(const struct ir_insn *insn) {
    if (insn->op != IR_MACHINE)
        return insn->op < IR_MACHINE;
    if (insn->kept)
        return false;
    uint32_t flags = isa_info((enum isa_op)insn->machine)->flags;
    uint32_t writes = flags & (WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C | WRITES_M);
    return writes == WRITES_RD && !(flags & (READS_RD | READS_C | READS_M)) && !insn->partial;
}

static void turn_into_copy(struct ir_insn *insn, uint32_t source, struct lane_type type) {
    *insn = (struct ir_insn){.op = IR_COPY,
                             .type = type,
                             .dst = insn->dst,
                             .a = source,
                             .b = IR_NONE,
                             .c = IR_NONE,
                             .at = insn->at};
}

/* A constant that one instruction makes where a variable is stored. */
static bool is_as_cheap(const struct numbering *numbering, const struct ir_insn *insn) {
    const struct ir_vreg *v = &numbering->code->vregs.data[insn->dst];
    return insn->op == IR_CONST && (v->name || v->fixed >= 0) &&
           ir_constant_length(insn->imm, insn->type.bits) == 1;
}

/* The value that a copy stores in a variable is read from there, so that what made it can be made
 * there. */
static void number_copy(struct numbering *numbering, const struct ir_insn *insn) {
    uint32_t value = number_of(numbering, insn->a), home = numbering->values.data[value].home;
    bool stores = numbering->code->vregs.data[insn->dst].name &&
                  !numbering->code->vregs.data[insn->dst].pinned;
    set_number(numbering, insn->dst, value);
    if (stores && home != IR_NONE && !numbering->code->vregs.data[home].name &&
        bits_of(numbering, insn->dst) >= bits_of(numbering, home))
        numbering->values.data[value].home = insn->dst;
}

/* Gives the result its number; an operation whose value is there becomes a copy. */
static void reuse(struct numbering *numbering, struct ir_insn *insn) {
    struct key k = key_of(numbering, insn);
    uint32_t *known = hash_table_put(&numbering->known, &k);
    struct lane_type type = ir_result_type(insn);
    grow_numbers(numbering);
    if (!*known || !numbering->open.data[numbering->values.data[*known].scope]) {
        *known = new_value(numbering, insn->dst);
        if (insn->op == IR_WIDEN) {
            numbering->values.data[*known].narrow = number_of(numbering, insn->a);
            numbering->values.data[*known].from = insn->from;
        }
        if (insn->op < IR_MACHINE && insn->op != IR_CONST && !ir_op_compares(insn->op))
            numbering->values.data[*known].bits = result_bits(numbering, insn);
        numbering->values.data[*known].range = result_range(numbering, insn);
        numbering->values.data[*known].is_constant = insn->op == IR_CONST;
        numbering->values.data[*known].constant = insn->imm;
    }
    uint32_t value = *known, home = holder(numbering, value, type.bits);
    bool again = home != IR_NONE && within_reach(numbering, value) && !is_as_cheap(numbering, insn);
    if (again)
        turn_into_copy(insn, home, type);
    set_number(numbering, insn->dst, value);
    if (!again)
        numbering->values.data[value].home = insn->dst;
    numbering->values.data[value].touched = numbering->now;
}

/* Operands are read where their value lies; what an instruction also writes stays where it is. */
static void look_through_operands(struct numbering *numbering, struct ir_insn *insn) {
    const struct ir_insn old = *insn;
    if (insn->op == IR_CALL || insn->kept) /* it reads its own registers, and no others */
        return;
    ir_visit(insn, look_through, numbering);
    insn->dst = old.dst;
    if (insn->op != IR_MACHINE)
        return;
    uint32_t flags = isa_info((enum isa_op)insn->machine)->flags;
    if (flags & WRITES_RS)
        insn->a = old.a;
    if (flags & WRITES_RT)
        insn->b = old.b;
}

static void open_scope(struct numbering *numbering) {
    vec_push(&numbering->scopes, (uint32_t)numbering->open.len);
    vec_push(&numbering->open, true);
}

static void close_scope(struct numbering *numbering) {
    numbering->open.data[vec_last(&numbering->scopes)] = false;
    numbering->scopes.len--;
}

/* What the region writes of the registers around it has new values from here on. */
static void forget_region(struct numbering *numbering, uint32_t region) {
    const struct ir_vregs *list = &numbering->touched.written[region];
    for (size_t i = 0; i < list->len; i++)
        set_number(numbering, list->data[i], new_value(numbering, list->data[i]));
}

static void number_mark(struct numbering *numbering, const struct ir_insn *insn) {
    bool divides = insn->op == IR_ELSE || insn->op == IR_NEXT || insn->op == IR_ENTER;
    bool laps = insn->op == IR_LOOP || insn->op == IR_REPEAT;
    if (divides || insn->op == IR_END)
        close_scope(numbering);
    if (divides || ir_opens(insn->op))
        open_scope(numbering);
    if (divides || laps || insn->op == IR_END)
        forget_region(numbering, insn->region);
    numbering->code->region = ir_region_behind(numbering->code, insn, numbering->code->region);
}

/* Every lane passes it. */
static bool passes_all(struct numbering *numbering, const struct ir_insn *insn) {
    uint64_t k;
    return insn->op == IR_TEST && constant_of(numbering, insn->a, &k) && (k & 1) != insn->imm;
}

/* An extension by zeros of what has zeros there, in its register. */
static bool extends_nothing(struct numbering *numbering, const struct ir_insn *insn) {
    return numbering->level > 0 && insn->op == IR_WIDEN && insn->from.kind != TYPE_INT &&
           bits_set(numbering, insn->a) <= insn->from.bits &&
           bits_of(numbering, insn->a) >= insn->type.bits;
}

static void number_insn(void *context, struct ir_insn *insn) {
    struct numbering *n = context;
    struct ir_insn i = *insn;
    if (ir_is_mark(i.op)) {
        number_mark(n, &i);
        if (i.a != IR_NONE)
            look_through(n, &i.a, false);
        if (!passes_all(n, &i))
            vec_push(&n->out, i);
        return;
    }
    look_through_operands(n, &i);
    struct simplifier s = {n,          n->code, n->level, n->products, constant_of,
                           same_value, form_of, range_of, number_insn};
    ir_simplify(&s, &i);
    if (extends_nothing(n, &i))
        i.op = IR_COPY;
    ir_narrow(&s, &i);
    if (!reusable(&i))
        ir_visit(&i, forget, n);
    else if (i.op == IR_COPY)
        number_copy(n, &i);
    else
        reuse(n, &i);
    vec_push(&n->out, i);
}

static void number_block(struct ir_code *code, int level, bool products, uint32_t reach) {
    struct numbering n = {.code = code, .level = level, .products = products, .reach = reach};
    ir_touched_find(code, &n.touched);
    open_scope(&n);
    new_value(&n, IR_NONE);
    code->region = 0;
    vec_reserve(&n.out, code->insns.len);
    for (; n.now < code->insns.len; n.now++)
        number_insn(&n, &code->insns.data[n.now]);
    vec_free(&code->insns);
    code->insns.data = n.out.data;
    code->insns.len = n.out.len;
    code->insns.cap = n.out.cap;
    ir_touched_free(&n.touched);
    vec_free(&n.scopes);
    vec_free(&n.open);
    vec_free(&n.values);
    free(n.number);
    hash_table_free(&n.known);
}

struct liveness {
    const struct ir_code *code;
    bool *live;
    uint32_t region;
    bool needed;
};

static void check_needed(void *context, uint32_t *vreg, bool writes) {
    struct liveness *l = context;
    l->needed |= writes && l->live[*vreg];
}

static void kill_written(void *context, uint32_t *vreg, bool writes) {
    struct liveness *l = context;
    if (writes && l->code->vregs.data[*vreg].home == l->region)
        l->live[*vreg] = false;
}

static void raise_read(void *context, uint32_t *vreg, bool writes) {
    struct liveness *l = context;
    if (!writes)
        l->live[*vreg] = true;
}

static bool is_needed(struct liveness *liveness, struct ir_insn *insn) {
    liveness->needed = !ir_is_pure(insn);
    ir_visit(insn, check_needed, liveness);
    return liveness->needed && !(insn->op == IR_COPY && insn->dst == insn->a);
}

/* Backwards over a mark: at the end of a loop, what its next lap reads is needed. */
static void live_at_mark(struct liveness *liveness, const struct ir_touched *touched,
                         const struct ir_insn *insn) {
    const struct ir_region *r = &liveness->code->regions.data[insn->region];
    if (insn->op == IR_END)
        liveness->region = insn->region;
    else if (ir_opens(insn->op))
        liveness->region = r->parent;
    if (insn->op != IR_END || (r->op != IR_LOOP && r->op != IR_REPEAT))
        return;
    for (size_t k = 0; k < touched->read[insn->region].len; k++)
        liveness->live[touched->read[insn->region].data[k]] = true;
}

/* Variables outlive the body; everything else is dead at its end. */
static void remove_dead(struct ir_code *code) {
    struct liveness l = {.code = code, .live = xcalloc(code->vregs.len + 1, sizeof(bool))};
    struct ir_touched touched;
    ir_touched_find(code, &touched);
    for (size_t v = 0; v < code->vregs.len; v++)
        l.live[v] = ir_outlives(&code->vregs.data[v]);
    size_t kept = code->insns.len;
    for (size_t i = code->insns.len; i-- > 0;) {
        struct ir_insn *insn = &code->insns.data[i];
        if (!is_needed(&l, insn))
            continue;
        if (ir_is_mark(insn->op))
            live_at_mark(&l, &touched, insn);
        ir_visit(insn, kill_written, &l);
        ir_visit(insn, raise_read, &l);
        code->insns.data[--kept] = *insn;
    }
    size_t count = code->insns.len - kept;
    if (count)
        memmove(code->insns.data, code->insns.data + kept, count * sizeof *code->insns.data);
    code->insns.len = count;
    ir_touched_free(&touched);
    free(l.live);
}

void ir_optimize(struct ir_code *code, int level, bool products, uint32_t reach) {
    if (level <= 0)
        return;
    remove_dead(code); /* what is left out needs no numbers and keeps no values alive */
    if (reach == IR_REACH_ALL)
        ir_hoist(code);
    number_block(code, level, products, reach);
    remove_dead(code);
    ir_narrow_backward(code);
    remove_dead(code);
    if (products) {
        ir_products_shift(code);
        remove_dead(code);
        ir_narrow_backward(code);
        remove_dead(code);
    }
    ir_coalesce(code);
}
