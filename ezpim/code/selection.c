/* SPDX-License-Identifier: MIT
 * Instruction selection.  All sources of an operation are read before its result is written, so
 * that a result may go to the register of a source. */
#include "ezpim/code/mask.h"
#include "ezpim/ir/touched.h"
#include "support/bits.h"

#include <string.h>

struct code_insn *code_put(struct code *out, enum isa_op op, unsigned width, uint32_t rs,
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
struct known_vreg {
    uint8_t writes; /* 0, 1, or 2 for more */
    uint8_t reads;
    bool is_constant;
    uint64_t value;
};

struct selection {
    struct ir_code *ir;
    struct code *out;
    struct known_vreg *known; /* by virtual register of the intermediate form */
    struct masks *masks;
    const struct ir_insn *mark; /* that takes the comparison at hand as it is, or NULL */
};

/* True if the register holds a constant that format I can carry at this width: 12 bits that are
 * sign-extended. */
static bool immediate(const struct selection *selection, uint32_t vreg, unsigned width,
                      int64_t *imm) {
    if (vreg == IR_NONE || selection->known[vreg].writes != 1 ||
        !selection->known[vreg].is_constant)
        return false;
    *imm = sign_extend(selection->known[vreg].value & low_bits(width), width);
    return *imm >= -2048 && *imm < 2048;
}

static void put_immediate(struct code *out, enum isa_op op, unsigned width, uint32_t rd,
                          int64_t imm, struct span at) {
    code_put(out, op, width, IR_NONE, IR_NONE, rd, at)->value = (uint64_t)imm;
}

/* The comparison with a constant that does it, perhaps by its opposite; OP_COUNT: none. */
static enum isa_op compare_immediate(const struct ir_insn *insn, bool *inverted) {
    bool with_sign = insn->type.kind == TYPE_INT;
    *inverted = insn->op == IR_NE || insn->op == IR_LE || insn->op == IR_GE;
    if (insn->op == IR_EQ || insn->op == IR_NE)
        return OP_CMPEQI;
    if (with_sign || insn->op >= IR_FEQ)
        return OP_COUNT;
    return insn->op == IR_LT || insn->op == IR_GE ? OP_CMPLTI : OP_CMPGTI;
}

static void select_compare(struct selection *selection, const struct ir_insn *insn) {
    int64_t imm;
    bool inverted;
    unsigned w = insn->type.bits;
    enum isa_op op = compare_immediate(insn, &inverted);
    bool direct = op != OP_COUNT && immediate(selection, insn->b, w, &imm);
    if (direct)
        put_immediate(selection->out, op, w, insn->a, imm, insn->at);
    else
        code_put(selection->out, ir_op_machine(insn->op, insn->type), w, insn->a, insn->b, IR_NONE,
                 insn->at);
    if (selection->mark) {
        code_mask_take_condition(selection->masks, selection->mark, insn->dst, direct && inverted);
        return;
    }
    code_put(selection->out, OP_GETC, 1, IR_NONE, IR_NONE, insn->dst, insn->at);
    if (direct && inverted)
        code_put(selection->out, OP_INV, 1, insn->dst, IR_NONE, insn->dst, insn->at);
}

/* rd = rd op constant: where the operand is overwritten, or a value without a name, which mostly
 * ends here, so that the move goes. */
static bool select_two_address(struct selection *selection, const struct ir_insn *insn) {
    enum isa_op op = insn->op == IR_AND ? OP_ANDI : insn->op == IR_MUL ? OP_MULI : OP_ADDI;
    unsigned w = insn->type.bits;
    int64_t imm;
    bool fits =
        insn->op == IR_ADD || insn->op == IR_SUB || insn->op == IR_AND || insn->op == IR_MUL;
    bool ends = insn->dst == insn->a || insn->op == IR_MUL ||
                (insn->a != IR_NONE && !selection->ir->vregs.data[insn->a].name);
    if (!fits || !ends || !immediate(selection, insn->b, w, &imm) ||
        (insn->op == IR_SUB && imm == -2048))
        return false;
    if (insn->dst != insn->a)
        code_put(selection->out, OP_MOV, w, insn->a, IR_NONE, insn->dst, insn->at);
    put_immediate(selection->out, op, w, insn->dst, insn->op == IR_SUB ? -imm : imm, insn->at);
    return true;
}

/* SEL rs rt rd: rd = bit 0 of rd ? rs : rt. */
static void select_select(struct ir_code *ir, struct code *out, const struct ir_insn *insn) {
    bool clash = insn->dst == insn->b || insn->dst == insn->c;
    uint32_t rd = clash ? ir_vreg(ir, insn->type, NULL, insn->at) : insn->dst;
    if (insn->a != rd)
        code_put(out, OP_MOV, 1, insn->a, IR_NONE, rd, insn->at);
    code_put(out, OP_SEL, insn->type.bits, insn->b, insn->c, rd, insn->at);
    if (clash)
        code_put(out, OP_MOV, insn->type.bits, rd, IR_NONE, insn->dst, insn->at);
}

static void select_shift(struct code *out, const struct ir_insn *insn) {
    unsigned w = insn->type.bits, count = insn->imm < w ? (unsigned)insn->imm : w;
    enum isa_op op = insn->op == IR_SHL ? OP_SHLI : insn->type.kind == TYPE_INT ? OP_SARI : OP_SHRI;
    if (count == w && op != OP_SARI) {
        put_constant(out, w, insn->dst, 0, insn->at);
        return;
    }
    code_put(out, op, w, insn->a, IR_NONE, insn->dst, insn->at)->value = count < w ? count : w - 1;
}

static void select_widen(struct code *out, const struct ir_insn *insn) {
    if (insn->from.bits >= insn->type.bits)
        code_put(out, OP_MOV, insn->type.bits, insn->a, IR_NONE, insn->dst, insn->at);
    else
        code_put(out, insn->from.kind == TYPE_INT ? OP_SEXT : OP_ZEXT, insn->type.bits, insn->a,
                 IR_NONE, insn->dst, insn->at)
            ->value = insn->from.bits;
}

static void select_machine(struct code *out, const struct ir_insn *insn) {
    struct code_insn *made = code_put(out, (enum isa_op)insn->machine, insn->width, insn->a,
                                      insn->b, insn->dst, insn->at);
    made->value = insn->imm;
    made->partial = insn->partial;
}

static void select_debug(struct code *out, const struct ir_insn *insn) {
    bool asserts = insn->op == IR_ASSERT;
    enum isa_op op = asserts ? OP_ASSERT : insn->op == IR_PRINT ? OP_PRINT : OP_NOP;
    if (asserts)
        code_put(out, OP_SETC, 0, insn->a, IR_NONE, IR_NONE, insn->at);
    struct code_insn *made =
        code_put(out, op, 0, asserts ? IR_NONE : insn->a, IR_NONE, IR_NONE, insn->at);
    made->kind = CODE_DEBUG;
    made->value = insn->imm;
}

static void select_operation(struct selection *selection, const struct ir_insn *insn) {
    bool shift = insn->op == IR_SHL || insn->op == IR_SHR;
    if (insn->op == IR_SELECT)
        select_select(selection->ir, selection->out, insn);
    else if (ir_op_compares(insn->op))
        select_compare(selection, insn);
    else if (shift && insn->b == IR_NONE)
        select_shift(selection->out, insn);
    else if (!select_two_address(selection, insn))
        code_put(selection->out, ir_op_machine(insn->op, insn->type), insn->type.bits, insn->a,
                 insn->b, insn->dst, insn->at);
}

static void select_insn(struct selection *selection, const struct ir_insn *insn) {
    switch ((enum ir_op)insn->op) {
    case IR_CONST:
        put_constant(selection->out, insn->type.bits, insn->dst, insn->imm, insn->at);
        break;
    case IR_SIZE:
    case IR_VALUE:
        put_constant(selection->out, insn->type.bits, insn->dst, insn->imm, insn->at);
        vec_last(&selection->out->insns).kind = insn->op == IR_SIZE ? CODE_SIZE : CODE_VALUE;
        vec_last(&selection->out->insns).size = insn->size;
        break;
    case IR_COPY:
        code_put(selection->out, OP_MOV, insn->type.bits, insn->a, IR_NONE, insn->dst, insn->at);
        break;
    case IR_WIDEN:
        select_widen(selection->out, insn);
        break;
    case IR_CVT:
        code_put(selection->out, OP_CVT, insn->type.bits, insn->a, IR_NONE, insn->dst, insn->at)
            ->value = insn->imm;
        break;
    case IR_LOOKUP:
        code_put(selection->out, OP_LUT, insn->type.bits, insn->a, IR_NONE, insn->dst, insn->at)
            ->value = insn->imm;
        break;
    case IR_MACHINE:
        select_machine(selection->out, insn);
        break;
    case IR_CALL:
        code_put(selection->out, OP_JUMP, 0, IR_NONE, IR_NONE, IR_NONE, insn->at)->kind = CODE_CALL;
        vec_last(&selection->out->insns).call = insn->call;
        code_mask_called(selection->masks, insn);
        break;
    case IR_ENABLE:
        code_mask_enable(selection->masks, insn);
        break;
    case IR_SHOW:
    case IR_ASSERT:
    case IR_PRINT:
        select_debug(selection->out, insn);
        break;
    default:
        select_operation(selection, insn);
        break;
    }
}

static void count_use(void *context, uint32_t *vreg, bool writes) {
    struct known_vreg *known = context;
    uint8_t *count = writes ? &known[*vreg].writes : &known[*vreg].reads;
    if (*count < 2)
        ++*count;
}

/* A variable has a value before its first write here. */
static struct known_vreg *find_constants(struct ir_code *ir) {
    struct known_vreg *known = xcalloc(ir->vregs.len + 1, sizeof *known);
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
static bool is_unread(const struct ir_code *ir, const struct code_insn *insn, const bool *read) {
    uint32_t rd = insn->field[CODE_RD];
    bool makes = insn->kind == CODE_CONST ||
                 (insn->kind == CODE_INSN && (insn->op == OP_GETMASK || insn->op == OP_INIT0));
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

/* The mark behind comparison `index`, if nothing else needs what the comparison says. */
static const struct ir_insn *mark_behind(const struct selection *selection, size_t index) {
    const struct ir_insn *i = &selection->ir->insns.data[index], *next = i + 1;
    bool marks = index + 1 < selection->ir->insns.len &&
                 (next->op == IR_TEST || next->op == IR_IF || next->op == IR_ENABLE);
    if (!ir_op_compares(i->op) || !marks || next->a != i->dst)
        return NULL;
    const struct ir_vreg *v = &selection->ir->vregs.data[i->dst];
    return v->fixed < 0 && selection->known[i->dst].reads == 1 &&
                   selection->known[i->dst].writes == 1
               ? next
               : NULL;
}

static void select_body(struct selection *selection) {
    selection->ir->region = 0;
    for (size_t k = 0; k < selection->ir->insns.len; k++) {
        const struct ir_insn *i = &selection->ir->insns.data[k];
        uint32_t before = (uint32_t)selection->out->insns.len, region = selection->ir->region;
        selection->mark = mark_behind(selection, k);
        if (ir_is_mark(i->op))
            code_mask_select(selection->masks, i, k);
        else
            select_insn(selection, i);
        for (uint32_t n = before; n < selection->out->insns.len; n++)
            selection->out->insns.data[n].region = region;
        selection->ir->region = ir_region_behind(selection->ir, i, region);
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

bool code_reads(const struct code_insn *insn, enum code_field field) {
    if (insn->kind == CODE_DEBUG)
        return field == CODE_RS && insn->field[field] != IR_NONE;
    if (insn->field[field] == IR_NONE || insn->kind != CODE_INSN)
        return false;
    uint32_t flags = isa_info((enum isa_op)insn->op)->flags;
    return (flags & ((uint32_t)READS_RS << field)) ||
           (insn->partial && (flags & ((uint32_t)WRITES_RS << field)));
}

bool code_writes(const struct code_insn *insn, enum code_field field) {
    if (insn->field[field] == IR_NONE || insn->kind == CODE_DEBUG)
        return false;
    if (insn->kind != CODE_INSN)
        return field == CODE_RD;
    return isa_info((enum isa_op)insn->op)->flags & ((uint32_t)WRITES_RS << field);
}
