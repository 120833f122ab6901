/* SPDX-License-Identifier: MIT
 * Passes over one body.  Forward: every virtual register gets the number of the value that it
 * holds; equal numbers are equal values, so copies are looked through, operations on constants are
 * carried out, and a value that some register still holds is not made again.  Backward: what
 * nobody reads goes.
 *
 * A scope is a stretch of code that the same lanes run, or fewer of them towards its end: a region,
 * one side of an IF, the body or the step or the test of a loop.  What was made in a scope is there
 * until the scope ends; what a region writes of the registers around it is unknown behind it. */
#include "ezpim/ir.h"
#include "ezpim/ir_coalesce.h"
#include "ezpim/ir_hoist.h"
#include "ezpim/ir_narrow.h"
#include "ezpim/ir_range.h"
#include "ezpim/ir_touched.h"
#include "support/bits.h"

#include <string.h>

struct value {
    uint32_t home;    /* a virtual register that held it when last looked at */
    uint32_t touched; /* the instruction that made or read it last */
    uint32_t scope;   /* that it was made in */
    uint8_t bits;     /* above which it has zeros; 0: not known */
    /* It is the value number `narrow`, extended; 0: not known. */
    uint32_t narrow;
    struct mpu_type from;
    bool is_constant;
    uint64_t constant;
    struct ir_range range; /* of the pattern */
};

/* What makes two operations the same. */
struct key {
    uint8_t op, width;
    uint16_t machine;
    struct mpu_type type;
    uint32_t a, b, c; /* value numbers */
    struct mpu_type from;
    uint32_t size, spare; /* fills the last 8 bytes */
    uint64_t imm;
};
_Static_assert(sizeof(struct key) % 8 == 0, "hashed by 8 bytes");

struct slot {
    struct key key;
    uint32_t value; /* 0: empty */
};

/* What a virtual register holds, and the scope in which it was put there. */
struct holding {
    uint32_t value; /* 0: not seen yet */
    uint32_t scope;
};

struct numbering {
    struct ir_code *code;
    int level;
    uint32_t reach, now;    /* instructions */
    struct holding *number; /* by virtual register */
    size_t number_cap;
    struct ir_touched touched;
    VEC(uint32_t) scopes;     /* open ones, the innermost last */
    VEC(bool) open;           /* by scope */
    VEC(struct value) values; /* [0] is unused */
    struct slot *slots;
    size_t slot_count, used;
    VEC(struct ir_insn) out;
};

static uint32_t new_value(struct numbering *n, uint32_t home) {
    bool clean = home != IR_NONE && n->code->vregs.data[home].clean;
    struct value v = {.bits = clean ? n->code->vregs.data[home].type.bits : 0,
                      .home = home,
                      .touched = n->now,
                      .range =
                          ir_range_all(home == IR_NONE ? 64 : n->code->vregs.data[home].type.bits),
                      .scope = vec_last(&n->scopes)};
    vec_push(&n->values, v);
    return (uint32_t)n->values.len - 1;
}

static void grow_numbers(struct numbering *n) {
    size_t need = n->code->vregs.len, old = n->number_cap;
    if (need <= old)
        return;
    n->number = vec_grow(n->number, &n->number_cap, need, sizeof *n->number);
    memset(n->number + old, 0, (n->number_cap - old) * sizeof *n->number);
}

static uint32_t number_of(struct numbering *n, uint32_t vreg) {
    grow_numbers(n);
    if (!n->number[vreg].value)
        n->number[vreg].value = new_value(n, vreg);
    return n->number[vreg].value;
}

static unsigned bits_of(const struct numbering *n, uint32_t vreg) {
    const struct ir_vreg *v = &n->code->vregs.data[vreg];
    return v->clean > v->type.bits ? v->clean : v->type.bits;
}

/* How much of the value the register has: all of its own bits, and the zeros above them only if
 * the value has zeros there. */
static unsigned held_bits(const struct numbering *n, uint32_t vreg, uint32_t value) {
    const struct value *v = &n->values.data[value];
    unsigned own = n->code->vregs.data[vreg].type.bits;
    bool zeros = v->is_constant ? own == 64 || v->constant >> own == 0 : v->bits && v->bits <= own;
    return zeros ? bits_of(n, vreg) : own;
}

/* A register that holds the value now and has at least `bits` bits; IR_NONE if none is known. */
static uint32_t holder(struct numbering *n, uint32_t value, unsigned bits) {
    uint32_t home = n->values.data[value].home;
    bool holds = home != IR_NONE && !n->code->vregs.data[home].pinned &&
                 n->number[home].value == value && n->open.data[n->number[home].scope] &&
                 held_bits(n, home, value) >= bits;
    return holds ? home : IR_NONE;
}

static void set_number(struct numbering *n, uint32_t vreg, uint32_t value) {
    grow_numbers(n);
    n->number[vreg] = (struct holding){value, vec_last(&n->scopes)};
    if (holder(n, value, bits_of(n, vreg)) == IR_NONE)
        n->values.data[value].home = vreg;
}

static uint64_t hash(const struct key *k) {
    uint64_t words[sizeof *k / 8], h = 0;
    memcpy(words, k, sizeof words);
    for (size_t i = 0; i < sizeof *k / 8; i++) {
        h = (h ^ words[i]) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
        h ^= h >> 32;
    }
    return h;
}

static struct slot *find_slot(struct slot *slots, size_t count, const struct key *k) {
    size_t i = hash(k) & (count - 1);
    while (slots[i].value && memcmp(&slots[i].key, k, sizeof *k) != 0)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static void grow_slots(struct numbering *n) {
    size_t count = n->slot_count ? n->slot_count * 2 : 64;
    struct slot *slots = xcalloc(count, sizeof *slots);
    for (size_t i = 0; i < n->slot_count; i++)
        if (n->slots[i].value)
            *find_slot(slots, count, &n->slots[i].key) = n->slots[i];
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
}

static struct slot *slot_for(struct numbering *n, const struct key *k) {
    if ((n->used + 1) * 2 > n->slot_count)
        grow_slots(n);
    return find_slot(n->slots, n->slot_count, k);
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
        return true;
    default:
        return false;
    }
}

static uint32_t operand_number(struct numbering *n, uint32_t vreg) {
    return vreg == IR_NONE ? 0 : number_of(n, vreg);
}

/* Constants are equal whatever their type: the pattern is zero-extended. */
static struct key key_of(struct numbering *n, const struct ir_insn *i) {
    struct key k;
    memset(&k, 0, sizeof k); /* padding is hashed too */
    k.op = i->op;
    k.imm = i->imm;
    if (i->op == IR_CONST)
        return k;
    k.width = i->width;
    k.machine = i->machine;
    k.type.kind = i->type.kind;
    k.type.bits = i->type.bits;
    k.from.kind = i->from.kind;
    k.from.bits = i->from.bits;
    k.size = i->size;
    k.a = operand_number(n, i->a);
    k.b = operand_number(n, i->b);
    k.c = operand_number(n, i->c);
    if (commutes(i->op) && k.a > k.b) {
        uint32_t t = k.a;
        k.a = k.b;
        k.b = t;
    }
    return k;
}

static bool within_reach(const struct numbering *n, uint32_t value) {
    return n->now - n->values.data[value].touched <= n->reach && n->reach > 0;
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
    const struct value *v = &n->values.data[number_of(n, vreg)];
    *value = v->constant;
    return v->is_constant;
}

/* The range of the low bits of what the register holds. */
static struct ir_range range_of(void *context, uint32_t vreg, unsigned bits) {
    struct numbering *n = context;
    if (vreg == IR_NONE)
        return ir_range_all(bits);
    const struct value *v = &n->values.data[number_of(n, vreg)];
    uint64_t k = v->constant & low_bits(bits);
    return v->is_constant ? (struct ir_range){k, k} : ir_range_cut(v->range, bits);
}

/* A value of few bits in a register of more of them: its lower part is all of it. */
static bool form_by_range(struct numbering *n, uint32_t vreg, struct mpu_type type,
                          struct ir_form *form) {
    unsigned bits = ir_range_bits(range_of(n, vreg, type.bits));
    *form = (struct ir_form){.vreg = vreg, .from = {TYPE_UINT, (uint8_t)bits}};
    form->bits = (uint8_t)(bits + (type.kind == TYPE_INT));
    return form->bits < type.bits;
}

/* A value that was extended without a sign has one bit more where there are signs. */
static bool form_of(void *context, uint32_t vreg, struct mpu_type type, struct ir_form *form) {
    struct numbering *n = context;
    const struct value *v = &n->values.data[number_of(n, vreg)];
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
    const struct value *v = &n->values.data[number_of(n, vreg)];
    if (v->is_constant)
        return v->constant ? 64 - (unsigned)__builtin_clzll(v->constant) : 1;
    return v->bits ? v->bits : 64;
}

/* What an operation says of its result, in a register as wide as it. */
static uint8_t result_bits(struct numbering *n, const struct ir_insn *i) {
    unsigned a = i->a == IR_NONE ? 64 : bits_set(n, i->a);
    unsigned b = i->b == IR_NONE ? 64 : bits_set(n, i->b), bits = i->type.bits;
    if (i->op == IR_WIDEN && i->from.kind != TYPE_INT)
        bits = i->from.bits < a ? i->from.bits : a;
    else if (i->op == IR_SHR && i->type.kind != TYPE_INT && i->b == IR_NONE && i->imm < bits)
        bits -= (unsigned)i->imm;
    else if (i->op == IR_AND)
        bits = a < b ? a : b;
    else if ((i->op == IR_OR || i->op == IR_XOR) && (a > b ? a : b) < bits)
        bits = a > b ? a : b;
    return (uint8_t)(bits < i->type.bits ? bits : i->type.bits);
}

static struct ir_range result_range(struct numbering *n, const struct ir_insn *i) {
    unsigned bits = i->op == IR_MACHINE ? i->width : i->type.bits;
    unsigned first = i->op == IR_WIDEN ? i->from.bits : bits;
    return ir_range_result(i, range_of(n, i->a, first), range_of(n, i->b, bits),
                           range_of(n, i->c, bits));
}

static bool same_value(void *context, uint32_t a, uint32_t b) {
    return number_of(context, a) == number_of(context, b);
}

/* A machine instruction can be reused if all it does is to make rd from its sources. */
static bool reusable(const struct ir_insn *i) {
    if (i->op != IR_MACHINE)
        return i->op < IR_MACHINE;
    if (i->kept)
        return false;
    uint32_t flags = isa_info((enum mpu_op)i->machine)->flags;
    uint32_t writes = flags & (WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C | WRITES_M);
    return writes == WRITES_RD && !(flags & (READS_RD | READS_C | READS_M)) && !i->partial;
}

static void turn_into_copy(struct ir_insn *i, uint32_t source, struct mpu_type type) {
    *i = (struct ir_insn){.op = IR_COPY,
                          .type = type,
                          .dst = i->dst,
                          .a = source,
                          .b = IR_NONE,
                          .c = IR_NONE,
                          .at = i->at};
}

/* A constant that one instruction makes where a variable is stored. */
static bool is_as_cheap(const struct numbering *n, const struct ir_insn *i) {
    const struct ir_vreg *v = &n->code->vregs.data[i->dst];
    return i->op == IR_CONST && (v->name || v->fixed >= 0) &&
           ir_constant_length(i->imm, i->type.bits) == 1;
}

/* The value that a copy stores in a variable is read from there, so that what made it can be made
 * there. */
static void number_copy(struct numbering *n, const struct ir_insn *i) {
    uint32_t value = number_of(n, i->a), home = n->values.data[value].home;
    bool stores = n->code->vregs.data[i->dst].name && !n->code->vregs.data[i->dst].pinned;
    set_number(n, i->dst, value);
    if (stores && home != IR_NONE && !n->code->vregs.data[home].name &&
        bits_of(n, i->dst) >= bits_of(n, home))
        n->values.data[value].home = i->dst;
}

/* Gives the result its number; an operation whose value is there becomes a copy. */
static void reuse(struct numbering *n, struct ir_insn *i) {
    struct key k = key_of(n, i);
    struct slot *slot = slot_for(n, &k);
    struct mpu_type type = ir_result_type(i);
    grow_numbers(n);
    if (!slot->value || !n->open.data[n->values.data[slot->value].scope]) {
        n->used += !slot->value;
        *slot = (struct slot){k, new_value(n, i->dst)};
        if (i->op == IR_WIDEN) {
            n->values.data[slot->value].narrow = number_of(n, i->a);
            n->values.data[slot->value].from = i->from;
        }
        if (i->op < IR_MACHINE && i->op != IR_CONST && !ir_op_compares(i->op))
            n->values.data[slot->value].bits = result_bits(n, i);
        n->values.data[slot->value].range = result_range(n, i);
        n->values.data[slot->value].is_constant = i->op == IR_CONST;
        n->values.data[slot->value].constant = i->imm;
    }
    uint32_t value = slot->value, home = holder(n, value, type.bits);
    bool again = home != IR_NONE && within_reach(n, value) && !is_as_cheap(n, i);
    if (again)
        turn_into_copy(i, home, type);
    set_number(n, i->dst, value);
    if (!again)
        n->values.data[value].home = i->dst;
    n->values.data[value].touched = n->now;
}

/* Operands are read where their value lies; what an instruction also writes stays where it is. */
static void look_through_operands(struct numbering *n, struct ir_insn *i) {
    const struct ir_insn old = *i;
    if (i->op == IR_CALL || i->kept) /* it reads its own registers, and no others */
        return;
    ir_visit(i, look_through, n);
    i->dst = old.dst;
    if (i->op != IR_MACHINE)
        return;
    uint32_t flags = isa_info((enum mpu_op)i->machine)->flags;
    if (flags & WRITES_RS)
        i->a = old.a;
    if (flags & WRITES_RT)
        i->b = old.b;
}

static void open_scope(struct numbering *n) {
    vec_push(&n->scopes, (uint32_t)n->open.len);
    vec_push(&n->open, true);
}

static void close_scope(struct numbering *n) {
    n->open.data[vec_last(&n->scopes)] = false;
    n->scopes.len--;
}

/* What the region writes of the registers around it has new values from here on. */
static void forget_region(struct numbering *n, uint32_t region) {
    const struct ir_vregs *list = &n->touched.written[region];
    for (size_t i = 0; i < list->len; i++)
        set_number(n, list->data[i], new_value(n, list->data[i]));
}

static void number_mark(struct numbering *n, const struct ir_insn *i) {
    bool divides = i->op == IR_ELSE || i->op == IR_NEXT || i->op == IR_ENTER;
    bool laps = i->op == IR_LOOP || i->op == IR_REPEAT;
    if (divides || i->op == IR_END)
        close_scope(n);
    if (divides || ir_opens(i->op))
        open_scope(n);
    if (divides || laps || i->op == IR_END)
        forget_region(n, i->region);
    n->code->region = ir_region_behind(n->code, i, n->code->region);
}

/* Every lane passes it. */
static bool passes_all(struct numbering *n, const struct ir_insn *i) {
    uint64_t k;
    return i->op == IR_TEST && constant_of(n, i->a, &k) && (k & 1) != i->imm;
}

/* An extension by zeros of what has zeros there, in its register. */
static bool extends_nothing(struct numbering *n, const struct ir_insn *i) {
    return n->level > 0 && i->op == IR_WIDEN && i->from.kind != TYPE_INT &&
           bits_set(n, i->a) <= i->from.bits && bits_of(n, i->a) >= i->type.bits;
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
    struct simplifier s = {n,          n->code, n->level, constant_of,
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

static void number_block(struct ir_code *code, int level, uint32_t reach) {
    struct numbering n = {.code = code, .level = level, .reach = reach};
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
    free(n.slots);
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

static bool is_needed(struct liveness *l, struct ir_insn *i) {
    l->needed = !ir_is_pure(i);
    ir_visit(i, check_needed, l);
    return l->needed && !(i->op == IR_COPY && i->dst == i->a);
}

/* Backwards over a mark: at the end of a loop, what its next lap reads is needed. */
static void live_at_mark(struct liveness *l, const struct ir_touched *t, const struct ir_insn *i) {
    const struct ir_region *r = &l->code->regions.data[i->region];
    if (i->op == IR_END)
        l->region = i->region;
    else if (ir_opens(i->op))
        l->region = r->parent;
    if (i->op != IR_END || (r->op != IR_LOOP && r->op != IR_REPEAT))
        return;
    for (size_t k = 0; k < t->read[i->region].len; k++)
        l->live[t->read[i->region].data[k]] = true;
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

void ir_optimize(struct ir_code *code, int level, uint32_t reach) {
    if (level <= 0)
        return;
    remove_dead(code); /* what is left out needs no numbers and keeps no values alive */
    if (reach == IR_REACH_ALL)
        ir_hoist(code);
    number_block(code, level, reach);
    remove_dead(code);
    ir_narrow_backward(code);
    remove_dead(code);
    ir_coalesce(code);
}
