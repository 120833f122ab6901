/* SPDX-License-Identifier: MIT
 * Instruction selection.  All sources of an operation are read before its result is written, so
 * that a result may go to the register of a source. */
#include "ezpim/code_mask.h"
#include "ezpim/ir_touched.h"
#include "support/bits.h"

#include <string.h>

struct code_insn *code_put(struct code *out, enum mpu_op op, unsigned width, uint32_t rs,
                           uint32_t rt, uint32_t rd, struct span at) {
    struct code_insn i = {.kind = CODE_INSN,
                          .op = (uint16_t)op,
                          .width = (uint8_t)width,
                          .field = {rs, rt, rd},
                          .at = at};
    vec_push(&out->insns, i);
    return &vec_last(&out->insns);
}

static void put_constant(struct code *out, unsigned width, uint32_t rd, uint64_t value,
                         struct span at) {
    struct code_insn *i = code_put(out, OP_LI, width, IR_NONE, IR_NONE, rd, at);
    i->kind = CODE_CONST;
    i->value = value;
}

/* What is known of a virtual register while selecting. */
struct known {
    uint8_t writes; /* 0, 1, or 2 for more */
    uint8_t reads;
    bool is_constant;
    uint64_t value;
};

struct selection {
    struct ir_code *ir;
    struct code *out;
    struct known *known; /* by virtual register of the intermediate form */
    struct masks *masks;
    const struct ir_insn *mark; /* that takes the comparison at hand as it is, or NULL */
};

/* True if the register holds a constant that format I can carry at this width: 12 bits that are
 * sign-extended. */
static bool immediate(const struct selection *s, uint32_t vreg, unsigned width, int64_t *imm) {
    if (vreg == IR_NONE || s->known[vreg].writes != 1 || !s->known[vreg].is_constant)
        return false;
    *imm = sign_extend(s->known[vreg].value & low_bits(width), width);
    return *imm >= -2048 && *imm < 2048;
}

static void put_immediate(struct code *out, enum mpu_op op, unsigned width, uint32_t rd,
                          int64_t imm, struct span at) {
    code_put(out, op, width, IR_NONE, IR_NONE, rd, at)->value = (uint64_t)imm;
}

/* The comparison with a constant that does it, perhaps by its opposite; OP_COUNT: none. */
static enum mpu_op compare_immediate(const struct ir_insn *i, bool *inverted) {
    bool with_sign = i->type.kind == TYPE_INT;
    *inverted = i->op == IR_NE || i->op == IR_LE || i->op == IR_GE;
    if (i->op == IR_EQ || i->op == IR_NE)
        return OP_CMPEQI;
    if (with_sign)
        return OP_COUNT;
    return i->op == IR_LT || i->op == IR_GE ? OP_CMPLTI : OP_CMPGTI;
}

static void select_compare(struct selection *s, const struct ir_insn *i) {
    int64_t imm;
    bool inverted;
    unsigned w = i->type.bits;
    enum mpu_op op = compare_immediate(i, &inverted);
    bool direct = op != OP_COUNT && immediate(s, i->b, w, &imm);
    if (direct)
        put_immediate(s->out, op, w, i->a, imm, i->at);
    else
        code_put(s->out, ir_op_machine(i->op, i->type), w, i->a, i->b, IR_NONE, i->at);
    if (s->mark) {
        code_mask_take_condition(s->masks, s->mark, i->dst, direct && inverted);
        return;
    }
    code_put(s->out, OP_GETC, 1, IR_NONE, IR_NONE, i->dst, i->at);
    if (direct && inverted)
        code_put(s->out, OP_INV, 1, i->dst, IR_NONE, i->dst, i->at);
}

/* rd = rd op constant: where the operand is overwritten, or a value without a name, which mostly
 * ends here, so that the move goes. */
static bool select_two_address(struct selection *s, const struct ir_insn *i) {
    enum mpu_op op = i->op == IR_AND ? OP_ANDI : i->op == IR_MUL ? OP_MULI : OP_ADDI;
    unsigned w = i->type.bits;
    int64_t imm;
    bool fits = i->op == IR_ADD || i->op == IR_SUB || i->op == IR_AND || i->op == IR_MUL;
    bool ends =
        i->dst == i->a || i->op == IR_MUL || (i->a != IR_NONE && !s->ir->vregs.data[i->a].name);
    if (!fits || !ends || !immediate(s, i->b, w, &imm) || (i->op == IR_SUB && imm == -2048))
        return false;
    if (i->dst != i->a)
        code_put(s->out, OP_MOV, w, i->a, IR_NONE, i->dst, i->at);
    put_immediate(s->out, op, w, i->dst, i->op == IR_SUB ? -imm : imm, i->at);
    return true;
}

/* SEL rs rt rd: rd = bit 0 of rd ? rs : rt. */
static void select_select(struct ir_code *ir, struct code *out, const struct ir_insn *i) {
    bool clash = i->dst == i->b || i->dst == i->c;
    uint32_t rd = clash ? ir_vreg(ir, i->type, NULL, i->at) : i->dst;
    if (i->a != rd)
        code_put(out, OP_MOV, 1, i->a, IR_NONE, rd, i->at);
    code_put(out, OP_SEL, i->type.bits, i->b, i->c, rd, i->at);
    if (clash)
        code_put(out, OP_MOV, i->type.bits, rd, IR_NONE, i->dst, i->at);
}

static void select_shift(struct code *out, const struct ir_insn *i) {
    unsigned w = i->type.bits, count = i->imm < w ? (unsigned)i->imm : w;
    enum mpu_op op = i->op == IR_SHL ? OP_SHLI : i->type.kind == TYPE_INT ? OP_SARI : OP_SHRI;
    if (count == w && op != OP_SARI) {
        put_constant(out, w, i->dst, 0, i->at);
        return;
    }
    code_put(out, op, w, i->a, IR_NONE, i->dst, i->at)->value = count < w ? count : w - 1;
}

static void select_widen(struct code *out, const struct ir_insn *i) {
    if (i->from.bits >= i->type.bits)
        code_put(out, OP_MOV, i->type.bits, i->a, IR_NONE, i->dst, i->at);
    else
        code_put(out, i->from.kind == TYPE_INT ? OP_SEXT : OP_ZEXT, i->type.bits, i->a, IR_NONE,
                 i->dst, i->at)
            ->value = i->from.bits;
}

static void select_machine(struct code *out, const struct ir_insn *i) {
    struct code_insn *made =
        code_put(out, (enum mpu_op)i->machine, i->width, i->a, i->b, i->dst, i->at);
    made->value = i->imm;
    made->partial = i->partial;
}

static void select_debug(struct code *out, const struct ir_insn *i) {
    bool asserts = i->op == IR_ASSERT;
    if (asserts)
        code_put(out, OP_SETC, 0, i->a, IR_NONE, IR_NONE, i->at);
    struct code_insn *made = code_put(out, asserts ? OP_ASSERT : OP_PRINT, 0,
                                      asserts ? IR_NONE : i->a, IR_NONE, IR_NONE, i->at);
    made->kind = CODE_DEBUG;
    made->value = i->imm;
}

static void select_operation(struct selection *s, const struct ir_insn *i) {
    bool shift = i->op == IR_SHL || i->op == IR_SHR;
    if (i->op == IR_SELECT)
        select_select(s->ir, s->out, i);
    else if (ir_op_compares(i->op))
        select_compare(s, i);
    else if (shift && i->b == IR_NONE)
        select_shift(s->out, i);
    else if (!select_two_address(s, i))
        code_put(s->out, ir_op_machine(i->op, i->type), i->type.bits, i->a, i->b, i->dst, i->at);
}

static void select_insn(struct selection *s, const struct ir_insn *i) {
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        put_constant(s->out, i->type.bits, i->dst, i->imm, i->at);
        break;
    case IR_SIZE:
    case IR_VALUE:
        put_constant(s->out, i->type.bits, i->dst, i->imm, i->at);
        vec_last(&s->out->insns).kind = i->op == IR_SIZE ? CODE_SIZE : CODE_VALUE;
        vec_last(&s->out->insns).size = i->size;
        break;
    case IR_COPY:
        code_put(s->out, OP_MOV, i->type.bits, i->a, IR_NONE, i->dst, i->at);
        break;
    case IR_WIDEN:
        select_widen(s->out, i);
        break;
    case IR_MACHINE:
        select_machine(s->out, i);
        break;
    case IR_CALL:
        code_put(s->out, OP_JUMP, 0, IR_NONE, IR_NONE, IR_NONE, i->at)->kind = CODE_CALL;
        vec_last(&s->out->insns).call = i->call;
        code_mask_called(s->masks, i);
        break;
    case IR_ENABLE:
        code_mask_enable(s->masks, i);
        break;
    case IR_ASSERT:
    case IR_PRINT:
        select_debug(s->out, i);
        break;
    default:
        select_operation(s, i);
        break;
    }
}

static void count_use(void *context, uint32_t *vreg, bool writes) {
    struct known *known = context;
    uint8_t *count = writes ? &known[*vreg].writes : &known[*vreg].reads;
    if (*count < 2)
        ++*count;
}

/* A variable has a value before its first write here. */
static struct known *find_constants(struct ir_code *ir) {
    struct known *known = xcalloc(ir->vregs.len + 1, sizeof *known);
    for (size_t v = 0; v < ir->vregs.len; v++)
        known[v].writes = ir->vregs.data[v].fixed >= 0 || ir->vregs.data[v].given;
    for (size_t k = 0; k < ir->insns.len; k++) {
        struct ir_insn *i = &ir->insns.data[k];
        if (i->op != IR_ELSE) /* it reads again what IF read */
            ir_visit(i, count_use, known);
        if (i->op == IR_CONST) {
            known[i->dst].is_constant = true;
            known[i->dst].value = i->imm;
        }
    }
    return known;
}

/* True of a constant, or a mask that is kept, if it is worth nothing to anybody. */
static bool is_unread(const struct ir_code *ir, const struct code_insn *i, const bool *read) {
    uint32_t rd = i->field[CODE_RD];
    bool makes = i->kind == CODE_CONST ||
                 (i->kind == CODE_INSN && (i->op == OP_GETMASK || i->op == OP_INIT0));
    return makes && !read[rd] && ir->vregs.data[rd].fixed < 0 && !ir->vregs.data[rd].result;
}

/* Constants that went into the instructions that use them are not made, and masks that no region
 * brings back are not kept. */
static void drop_unread(const struct ir_code *ir, struct code *out) {
    bool *read = xcalloc(ir->vregs.len + 1, sizeof *read);
    uint32_t *moved = xcalloc(out->insns.len + 1, sizeof *moved);
    size_t kept = 0;
    for (size_t k = 0; k < out->insns.len; k++)
        for (enum code_field f = 0; f < CODE_FIELDS; f++)
            if (code_reads(&out->insns.data[k], f))
                read[out->insns.data[k].field[f]] = true;
    for (size_t k = 0; k < out->insns.len; k++) {
        const struct code_insn *i = &out->insns.data[k];
        moved[k] = (uint32_t)kept;
        if (!is_unread(ir, i, read))
            out->insns.data[kept++] = *i;
    }
    moved[out->insns.len] = (uint32_t)kept;
    out->insns.len = kept;
    for (size_t r = 0; r < ir->regions.len; r++) {
        out->stretches[r].begin = moved[out->stretches[r].begin];
        out->stretches[r].end = moved[out->stretches[r].end];
    }
    free(moved);
    free(read);
}

/* The mark behind comparison k, if nothing else needs what the comparison says. */
static const struct ir_insn *mark_behind(const struct selection *s, size_t k) {
    const struct ir_insn *i = &s->ir->insns.data[k], *next = i + 1;
    bool marks = k + 1 < s->ir->insns.len &&
                 (next->op == IR_TEST || next->op == IR_IF || next->op == IR_ENABLE);
    if (!ir_op_compares(i->op) || !marks || next->a != i->dst)
        return NULL;
    const struct ir_vreg *v = &s->ir->vregs.data[i->dst];
    return v->fixed < 0 && s->known[i->dst].reads == 1 && s->known[i->dst].writes == 1 ? next
                                                                                       : NULL;
}

static void select_body(struct selection *s) {
    s->ir->region = 0;
    for (size_t k = 0; k < s->ir->insns.len; k++) {
        const struct ir_insn *i = &s->ir->insns.data[k];
        uint32_t before = (uint32_t)s->out->insns.len, region = s->ir->region;
        s->mark = mark_behind(s, k);
        if (ir_is_mark(i->op))
            code_mask_select(s->masks, i, k);
        else
            select_insn(s, i);
        for (uint32_t n = before; n < s->out->insns.len; n++)
            s->out->insns.data[n].region = region;
        s->ir->region = ir_region_behind(s->ir, i, region);
    }
}

void code_select(struct ir_code *ir, struct code *out) {
    struct selection s = {ir, out, find_constants(ir), code_mask_open(ir, out), NULL};
    vec_reserve(&out->insns, ir->insns.len);
    select_body(&s);
    code_mask_close(s.masks);
    free(s.known);
    drop_unread(ir, out);
}

void code_free(struct code *code) {
    vec_free(&code->insns);
    free(code->stretches);
}

bool code_reads(const struct code_insn *i, enum code_field f) {
    if (i->kind == CODE_DEBUG)
        return f == CODE_RS && i->field[f] != IR_NONE;
    if (i->field[f] == IR_NONE || i->kind != CODE_INSN)
        return false;
    uint32_t flags = isa_info((enum mpu_op)i->op)->flags;
    return (flags & ((uint32_t)READS_RS << f)) ||
           (i->partial && (flags & ((uint32_t)WRITES_RS << f)));
}

bool code_writes(const struct code_insn *i, enum code_field f) {
    if (i->field[f] == IR_NONE || i->kind == CODE_DEBUG)
        return false;
    if (i->kind != CODE_INSN)
        return f == CODE_RD;
    return isa_info((enum mpu_op)i->op)->flags & ((uint32_t)WRITES_RS << f);
}
