/* SPDX-License-Identifier: MIT
 * The intermediate form: what operations are and do; code and programs in memory. */
#include "ezpim/ir/ir.h"
#include "support/bits.h"

struct op_row {
    const char *name;
    uint8_t operands;
    uint16_t plain, with_sign; /* enum isa_op */
};

static const struct op_row table[] = {
#define X(id, name, operands, plain, with_sign) {name, operands, plain, with_sign},
    IR_OPERATIONS(X)
#undef X
        [IR_CONST] = {"const", 0, OP_LI, OP_LI},
    [IR_SIZE] = {"size", 0, OP_LI, OP_LI},
    [IR_VALUE] = {"value", 0, OP_LI, OP_LI},
    [IR_COPY] = {"copy", 1, OP_MOV, OP_MOV},
    [IR_WIDEN] = {"widen", 1, OP_ZEXT, OP_SEXT},
    [IR_CVT] = {"cvt", 1, OP_CVT, OP_CVT},
    [IR_LOOKUP] = {"lookup", 1, OP_LUT, OP_LUT},
    [IR_MACHINE] = {"machine", 3, OP_NOP, OP_NOP},
    [IR_SHOW] = {"show", 1, OP_NOP, OP_NOP},
    [IR_ASSERT] = {"assert", 1, OP_ASSERT, OP_ASSERT},
    [IR_PRINT] = {"print", 1, OP_PRINT, OP_PRINT},
    [IR_ENABLE] = {"enable", 1, OP_SETMASK, OP_SETMASK},
    [IR_CALL] = {"call", 0, OP_JUMP, OP_JUMP},
    [IR_BLOCK] = {"block", 0, OP_NOP, OP_NOP},
    [IR_IF] = {"if", 1, OP_NOP, OP_NOP},
    [IR_ELSE] = {"else", 1, OP_NOP, OP_NOP},
    [IR_LOOP] = {"loop", 0, OP_NOP, OP_NOP},
    [IR_REPEAT] = {"repeat", 0, OP_NOP, OP_NOP},
    [IR_NEXT] = {"next", 0, OP_NOP, OP_NOP},
    [IR_ENTER] = {"enter", 0, OP_NOP, OP_NOP},
    [IR_TEST] = {"test", 1, OP_NOP, OP_NOP},
    [IR_EXIT] = {"exit", 0, OP_NOP, OP_NOP},
    [IR_END] = {"end", 0, OP_NOP, OP_NOP},
};

const char *ir_op_name(enum ir_op op) {
    return table[op].name;
}

unsigned ir_op_operands(enum ir_op op) {
    return table[op].operands;
}

enum isa_op ir_op_machine(enum ir_op op, struct lane_type type) {
    bool second = type.kind == TYPE_INT || type.kind == TYPE_BFLOAT;
    return (enum isa_op)(second ? table[op].with_sign : table[op].plain);
}

bool ir_op_compares(enum ir_op op) {
    return (op >= IR_EQ && op <= IR_GE) || (op >= IR_FEQ && op <= IR_FUN);
}

struct lane_type ir_result_type(const struct ir_insn *insn) {
    if (insn->op == IR_FSIGN || insn->op == IR_FZERO)
        return (struct lane_type){TYPE_UINT, insn->type.bits};
    return ir_op_compares(insn->op) ? (struct lane_type){TYPE_BOOL, 1} : insn->type;
}

uint64_t ir_fold(enum ir_op op, struct lane_type type, uint64_t left, uint64_t right, uint64_t c) {
    if (op == IR_SELECT)
        return left & 1 ? right : c;
    struct golden_lane x = {
        .rs = left, .rt = right, .rd = c, .m = true, .valid = true, .w = type.bits};
    isa_info(ir_op_machine(op, type))->golden(&x);
    return ir_op_compares(op) ? x.c : x.rd & low_bits(type.bits);
}

uint64_t ir_widen(uint64_t a, struct lane_type from, struct lane_type to) {
    if (from.kind == TYPE_INT)
        a = (uint64_t)sign_extend(a, from.bits);
    return a & low_bits(to.bits);
}

uint64_t ir_cvt(uint64_t a, uint64_t conversion, struct lane_type from, struct lane_type to) {
    struct golden_lane x = {.rs = a & low_bits(from.bits),
                            .m = true,
                            .valid = true,
                            .w = to.bits,
                            .imm = (int64_t)conversion};
    isa_info(OP_CVT)->golden(&x);
    return x.rd & low_bits(to.bits);
}

static void visit_machine(struct ir_insn *insn, ir_visitor *visitor, void *context) {
    uint32_t flags = isa_info((enum isa_op)insn->machine)->flags;
    uint32_t *fields[] = {&insn->a, &insn->b, &insn->dst};
    for (unsigned k = 0; k < 3; k++)
        if ((flags & ((uint32_t)READS_RS << k)) ||
            (insn->partial && (flags & ((uint32_t)WRITES_RS << k))))
            ir_visit_one(fields[k], false, visitor, context);
    for (unsigned k = 0; k < 3; k++)
        if (flags & ((uint32_t)WRITES_RS << k))
            ir_visit_one(fields[k], true, visitor, context);
}

static void visit_call(const struct ir_call *call, ir_visitor *visitor, void *context) {
    for (uint32_t k = 0; k < call->sub->in_count; k++)
        visitor(context, &call->in[k], false);
    for (uint32_t k = 0; k < call->sub->out_count; k++)
        visitor(context, &call->out[k], true);
}

void ir_visit_special(struct ir_insn *insn, ir_visitor *visitor, void *context) {
    if (insn->op == IR_CALL)
        visit_call(insn->call, visitor, context);
    else
        visit_machine(insn, visitor, context);
}

bool ir_is_pure(const struct ir_insn *insn) {
    if (insn->op >= IR_SHOW || insn->kept)
        return false;
    return insn->op != IR_MACHINE ||
           !(isa_info((enum isa_op)insn->machine)->flags & (WRITES_C | WRITES_M));
}

struct ir_code *ir_code_new(struct ir_program *program) {
    struct ir_code *code = ARENA_NEW(program->arena, struct ir_code);
    struct ir_region whole = {.op = IR_BLOCK, .parent = IR_NONE};
    code->group = IR_NONE;
    vec_push(&code->regions, whole);
    vec_push(&program->codes, code);
    return code;
}

uint32_t ir_vreg(struct ir_code *code, struct lane_type type, const char *name, struct span at) {
    struct ir_vreg v = {.type = type,
                        .home = code->region,
                        .fixed = -1,
                        .variable = IR_NONE,
                        .name = name,
                        .at = at};
    vec_push(&code->vregs, v);
    return (uint32_t)code->vregs.len - 1;
}

void ir_append_name(const struct ir_vreg *vreg, struct str *out) {
    str_append(out, vreg->name);
    if (vreg->indexed)
        str_printf(out, "[%u]", vreg->element);
}

void ir_mark(struct ir_code *code, enum ir_op op, uint32_t region, uint32_t a, struct span at) {
    struct ir_insn i = {.op = (uint8_t)op,
                        .type = {TYPE_BOOL, 1},
                        .dst = IR_NONE,
                        .a = a,
                        .b = IR_NONE,
                        .c = IR_NONE,
                        .size = IR_NONE,
                        .region = region,
                        .at = at};
    vec_push(&code->insns, i);
    if (op == IR_END)
        code->region = code->regions.data[region].parent;
}

uint32_t ir_open(struct ir_code *code, enum ir_op op, uint32_t a, struct span at) {
    struct ir_region r = {.op = (uint8_t)op, .parent = code->region, .at = at};
    uint32_t region = (uint32_t)code->regions.len;
    vec_push(&code->regions, r);
    ir_mark(code, op, region, a, at);
    code->region = region;
    return region;
}

bool ir_region_within(const struct ir_code *code, uint32_t inner, uint32_t outer) {
    while (inner != outer && inner != IR_NONE)
        inner = code->regions.data[inner].parent;
    return inner == outer;
}

void ir_free(struct ir_program *program) {
    for (size_t i = 0; i < program->codes.len; i++) {
        vec_free(&program->codes.data[i]->insns);
        vec_free(&program->codes.data[i]->vregs);
        vec_free(&program->codes.data[i]->regions);
        vec_free(&program->codes.data[i]->calls);
    }
    vec_free(&program->codes);
    vec_free(&program->files);
    vec_free(&program->sizes);
    vec_free(&program->numbers);
    vec_free(&program->values);
    vec_free(&program->luts);
    vec_free(&program->groups);
    vec_free(&program->variables);
    vec_free(&program->lengths);
    vec_free(&program->buffers);
    vec_free(&program->modules);
    vec_free(&program->kernels);
    vec_free(&program->launches);
    vec_free(&program->debugs);
    vec_free(&program->moves);
    vec_free(&program->subs);
    vec_free(&program->images);
}
