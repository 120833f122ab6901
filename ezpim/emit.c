/* SPDX-License-Identifier: MIT
 * From the intermediate form to an object. */
#include "asm/builder.h"
#include "ezpim/code_memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RETURN_STACK = 64 }; /* isa.md: State */

struct emitter {
    struct ir_program *program;
    struct builder *builder;
    struct diag *diag;
    struct ir_options options;
    bool failed;      /* a subroutine has no code, which was reported */
    uint32_t *moves;  /* [moves of the program]: the builder's */
    uint32_t *labels; /* of the body at hand: the builder's */
    struct register_widths widths;
    struct code_memo *memo; /* of ensembles */
    struct span last;       /* the latest place told to the builder */
};

static void set_place(struct emitter *e, struct span at) {
    uint32_t line, column;
    builder_span(e->builder, at);
    if (at.begin == e->last.begin && at.source == e->last.source)
        return;
    e->last = at;
    diag_position(e->diag, at, &line, &column);
    builder_place(e->builder, diag_source_name(e->diag, at.source), line, column);
}

/* What is the immediate in struct insn stands in `imm` whatever its role. */
static void emit_machine(struct emitter *e, const struct code_insn *i) {
    struct insn insn = {.op = (enum mpu_op)i->op, .width = i->width, .imm = (int32_t)i->value};
    uint8_t *fields[] = {&insn.rs, &insn.rt, &insn.rd};
    for (enum code_field f = 0; f < CODE_FIELDS; f++)
        if (i->field[f] != IR_NONE)
            *fields[f] = (uint8_t)i->field[f];
    if (i->op == OP_MOV && insn.rs == insn.rd)
        return;
    builder_emit(e->builder, &insn);
}

static void emit_debug(struct emitter *e, const struct code_insn *i) {
    struct debug_record r = e->program->debugs.data[i->value];
    if (i->op == OP_PRINT)
        r.reg = (uint8_t)i->field[CODE_RS];
    struct insn insn = {.op = (enum mpu_op)i->op, .imm = (int32_t)builder_debug(e->builder, &r)};
    builder_emit(e->builder, &insn);
}

static void emit_repeat(struct emitter *e, const struct code_insn *i) {
    struct extent count = {i->size, i->size == IR_NONE ? i->value : 0};
    builder_repeat(e->builder, count);
}

/* A call; or the instruction, on the registers through which the call would pass its operands. */
static void emit_call(struct emitter *e, const struct ir_sub *sub) {
    uint32_t label = builder_label(e->builder, sub->name);
    struct insn insn = {.op = sub->instead_of, .width = sub->width};
    if (!sub->instead_of) {
        builder_jump(e->builder, OP_JUMP, label);
        return;
    }
    insn.rs = sub->in_registers[0];
    insn.rt = sub->in_count > 1 ? sub->in_registers[1] : 0;
    insn.rd = sub->out_registers[0];
    builder_recipe_call(e->builder, &insn, label);
}

static void emit_insn(struct emitter *e, const struct code_insn *i) {
    set_place(e, i->at);
    switch ((enum code_kind)i->kind) {
    case CODE_CONST:
        builder_constant(e->builder, i->width, i->field[CODE_RD], i->value);
        break;
    case CODE_SIZE:
        builder_size_constant(e->builder, i->width, i->field[CODE_RD], i->size, (int64_t)i->value);
        break;
    case CODE_VALUE:
        builder_value_constant(e->builder, i->width, i->field[CODE_RD], i->size,
                               (uint32_t)i->value);
        break;
    case CODE_LABEL:
        builder_bind(e->builder, e->labels[i->value]);
        break;
    case CODE_JUMP:
        builder_jump(e->builder, (enum mpu_op)i->op, e->labels[i->value]);
        break;
    case CODE_REPEAT:
        emit_repeat(e, i);
        break;
    case CODE_DEBUG:
        emit_debug(e, i);
        break;
    case CODE_CALL:
        emit_call(e, i->call->sub);
        break;
    case CODE_INSN:
        emit_machine(e, i);
        break;
    }
}

static bool allocate(struct emitter *e, struct ir_code *ir, struct ir_sub *sub, struct code *code,
                     bool roomy) {
    e->widths.roomy = roomy;
    return sub ? code_allocate_sub(sub, code, &e->widths) : code_allocate(ir, code, &e->widths);
}

static bool optimize_and_allocate(struct emitter *e, struct ir_code *ir, struct ir_sub *sub,
                                  struct code *code, uint32_t reach) {
    code->insns.len = 0;
    code->labels = 0;
    ir_optimize(ir, e->options.level, reach);
    code_select(ir, code);
    return (e->options.roomy && allocate(e, ir, sub, code, true)) ||
           allocate(e, ir, sub, code, false);
}

/* A body as it was lowered: passes change instructions and the widths of virtual registers. */
struct lowered {
    struct ir_insn *insns;
    struct ir_vreg *vregs;
    size_t insn_count, vreg_count;
};

static void *copy_of(const void *data, size_t count, size_t size) {
    void *copy = xcalloc(count + 1, size);
    if (count)
        memcpy(copy, data, count * size);
    return copy;
}

static void keep(const struct ir_code *ir, struct lowered *l) {
    *l = (struct lowered){copy_of(ir->insns.data, ir->insns.len, sizeof *ir->insns.data),
                          copy_of(ir->vregs.data, ir->vregs.len, sizeof *ir->vregs.data),
                          ir->insns.len, ir->vregs.len};
}

static void restore(struct ir_code *ir, const struct lowered *l) {
    vec_reserve(&ir->insns, l->insn_count);
    if (l->insn_count)
        memcpy(ir->insns.data, l->insns, l->insn_count * sizeof *l->insns);
    if (l->vreg_count)
        memcpy(ir->vregs.data, l->vregs, l->vreg_count * sizeof *l->vregs);
    ir->insns.len = l->insn_count;
    ir->vregs.len = l->vreg_count;
}

/* The registers through which calls pass their operands, as the callees have them. */
static void pin_calls(struct ir_code *ir) {
    for (size_t i = 0; i < ir->calls.len; i++) {
        const struct ir_call *c = ir->calls.data[i];
        for (uint32_t k = 0; k < c->sub->in_count; k++)
            ir->vregs.data[c->in[k]].fixed = (int8_t)c->sub->in_registers[k];
        for (uint32_t k = 0; k < c->sub->out_count; k++)
            ir->vregs.data[c->out[k]].fixed = (int8_t)c->sub->out_registers[k];
    }
}

/* A block of so many operations that keeping all their values is not worth trying. */
enum { LONG_BLOCK = 20000 };

/* When registers run out, values are kept for ever shorter before giving up. */
static bool make_code(struct emitter *e, struct ir_code *ir, struct ir_sub *sub,
                      struct code *code) {
    static const uint32_t reaches[] = {IR_REACH_ALL, 24, 0, 0};
    struct lowered as_lowered;
    bool good = false;
    pin_calls(ir);
    keep(ir, &as_lowered);
    size_t first = ir->insns.len < LONG_BLOCK ? 0 : 1, behind = e->options.effort < 3 ? 3 : 4;
    e->widths.apart = e->options.effort == 3;
    for (size_t k = first > e->options.effort ? first : e->options.effort; k < behind && !good;
         k++) {
        restore(ir, &as_lowered);
        good = optimize_and_allocate(e, ir, sub, code, reaches[k]);
    }
    if (good)
        code_memo_keep(e->memo, as_lowered.insns, as_lowered.insn_count, as_lowered.vregs,
                       as_lowered.vreg_count, ir, code);
    free(as_lowered.insns);
    free(as_lowered.vregs);
    e->failed |= !good;
    if (!good && !e->options.quiet)
        code_report_pressure(ir, code, e->diag);
    return good;
}

static void emit_body(struct emitter *e, const struct code *code) {
    e->labels = xcalloc((size_t)code->labels + 1, sizeof *e->labels);
    for (uint32_t l = 0; l < code->labels; l++)
        e->labels[l] = builder_label(e->builder, NULL);
    for (size_t i = 0; i < code->insns.len; i++)
        emit_insn(e, &code->insns.data[i]);
    free(e->labels);
}

/* An ensemble; `at` is what it was made for. */
static void emit_compute(struct emitter *e, const struct ir_node *node) {
    struct code code = {0};
    if (code_memo_find(e->memo, node->code, &code) || make_code(e, node->code, NULL, &code)) {
        set_place(e, node->at);
        builder_compute_group(e->builder, node->group);
        emit_body(e, &code);
        set_place(e, node->at);
        builder_plain(e->builder, OP_COMPUTE_DONE);
    }
    code_free(&code);
}

static void emit_nodes(struct emitter *e, const struct ir_node *node);

static void emit_repeat_node(struct emitter *e, const struct ir_node *node) {
    set_place(e, node->at);
    builder_repeat(e->builder, node->count);
    emit_nodes(e, node->body);
    set_place(e, node->at);
    builder_plain(e->builder, OP_REPEAT_END);
}

/* Behind the question: JUMP_ANY goes where some lane was enabled. */
static void emit_if(struct emitter *e, const struct ir_node *node) {
    uint32_t some = builder_label(e->builder, NULL), end = builder_label(e->builder, NULL);
    const struct ir_node *when_some = node->opposite ? node->otherwise : node->body;
    const struct ir_node *when_none = node->opposite ? node->body : node->otherwise;
    emit_compute(e, node);
    set_place(e, node->at);
    builder_jump(e->builder, OP_JUMP_ANY, some);
    emit_nodes(e, when_none);
    set_place(e, node->at);
    builder_jump(e->builder, OP_GOTO, end);
    builder_bind(e->builder, some);
    emit_nodes(e, when_some);
    builder_bind(e->builder, end);
}

static void emit_while(struct emitter *e, const struct ir_node *node) {
    uint32_t head = builder_label(e->builder, NULL), test = builder_label(e->builder, NULL);
    uint32_t end = builder_label(e->builder, NULL);
    set_place(e, node->at);
    if (!node->body_first)
        builder_jump(e->builder, OP_GOTO, test);
    builder_bind(e->builder, head);
    emit_nodes(e, node->body);
    if (!node->body_first)
        builder_bind(e->builder, test);
    emit_compute(e, node);
    set_place(e, node->at);
    builder_jump(e->builder, OP_JUMP_ANY, node->opposite ? end : head);
    if (node->opposite)
        builder_jump(e->builder, OP_GOTO, head);
    builder_bind(e->builder, end);
}

static void emit_mark(struct emitter *e, const struct ir_node *node) {
    set_place(e, node->at);
    struct insn insn = {
        .op = OP_MARK,
        .imm = (int32_t)builder_debug(e->builder, &e->program->debugs.data[node->debug])};
    builder_emit(e->builder, &insn);
}

/* JUMP_ANY waits for all MPUs; it jumps to where it would go on, whatever it finds. */
static void emit_barrier(struct emitter *e, const struct ir_node *node) {
    uint32_t next = builder_label(e->builder, NULL);
    set_place(e, node->at);
    builder_jump(e->builder, OP_JUMP_ANY, next);
    builder_bind(e->builder, next);
}

static void emit_message(struct emitter *e, const struct ir_node *node) {
    bool sends = node->kind == IR_NODE_SEND;
    struct insn insn = {.op = sends ? OP_SEND : OP_RECV, .imm = (int32_t)node->mpu};
    set_place(e, node->at);
    builder_emit(e->builder, &insn);
    if (!sends)
        return;
    builder_gmove(e->builder, e->moves[node->move]);
    builder_plain(e->builder, OP_SEND_DONE);
}

static void emit_finish(struct emitter *e, const struct ir_node *node) {
    set_place(e, node->at);
    for (uint32_t i = 0; i < node->finish_count; i++) {
        const struct ir_finish *f = &node->finishes[i];
        const struct variable *from = &e->program->variables.data[f->from].decl;
        struct finish_record r = {.variable = f->to,
                                  .element = f->to_element,
                                  .kind = f->kind,
                                  .group = from->group,
                                  .reg = (uint8_t)(from->reg + f->from_element),
                                  .type = from->type};
        builder_begin_finish(e->builder, &r);
    }
    emit_nodes(e, node->body);
    builder_end_finish(e->builder);
}

static void emit_node(struct emitter *e, const struct ir_node *node) {
    switch (node->kind) {
    case IR_NODE_COMPUTE:
        emit_compute(e, node);
        break;
    case IR_NODE_REPEAT:
        emit_repeat_node(e, node);
        break;
    case IR_NODE_IF:
        emit_if(e, node);
        break;
    case IR_NODE_WHILE:
        emit_while(e, node);
        break;
    case IR_NODE_MOVE:
        set_place(e, node->at);
        builder_gmove(e->builder, e->moves[node->move]);
        break;
    case IR_NODE_FINISH:
        emit_finish(e, node);
        break;
    case IR_NODE_MARK:
        emit_mark(e, node);
        break;
    case IR_NODE_SYNC:
        set_place(e, node->at);
        builder_plain(e->builder, OP_MPU_SYNC);
        break;
    case IR_NODE_SEND:
    case IR_NODE_RECV:
        emit_message(e, node);
        break;
    case IR_NODE_BARRIER:
        emit_barrier(e, node);
        break;
    }
}

/* Nobody asks for the rest of a program that has no registers, unless each place is reported. */
static void emit_nodes(struct emitter *e, const struct ir_node *node) {
    for (; node && !(e->failed && e->options.quiet); node = node->next)
        emit_node(e, node);
}

static void emit_image(struct emitter *e, const struct ir_image *image, size_t number) {
    char name[32] = "main";
    if (number)
        snprintf(name, sizeof name, "main$%zu", number);
    builder_symbol(e->builder, name, SYMBOL_LABEL, number == 0);
    if (image->shared || e->program->images.len > 1)
        builder_entry(e->builder, image->first_mpu, image->mpu_count,
                      builder_label(e->builder, name));
    emit_nodes(e, image->nodes);
    builder_plain(e->builder, OP_HALT);
}

static bool changes_mask(const struct code *code) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct code_insn *x = &code->insns.data[i];
        if (x->kind == CODE_CALL
                ? x->call->sub->masks
                : x->kind == CODE_INSN && (isa_info((enum mpu_op)x->op)->flags & WRITES_M))
            return true;
    }
    return false;
}

static uint32_t call_depth(const struct ir_code *ir) {
    uint32_t depth = 0;
    for (size_t i = 0; i < ir->calls.len; i++)
        if (ir->calls.data[i]->sub->depth > depth)
            depth = ir->calls.data[i]->sub->depth;
    return depth + 1;
}

/* Code of the subroutines, each behind those that it calls; NULL where there are too few
 * registers, which was reported. */
static struct code *make_subs(struct emitter *e) {
    size_t count = e->program->subs.len;
    struct code *codes = xcalloc(count + 1, sizeof *codes);
    for (size_t i = 0; i < count; i++) {
        struct ir_sub *sub = e->program->subs.data[i];
        sub->depth = call_depth(sub->code);
        sub->masks = sub->external; /* it may, as long as it brings the mask back */
        if (sub->external)
            continue;
        bool deep = sub->depth >= RETURN_STACK;
        if (deep && !e->options.quiet)
            diag_error(e->diag, sub->at, "calls are nested more than %d deep", RETURN_STACK - 1);
        e->failed |= deep;
        make_code(e, sub->code, sub, &codes[i]);
        sub->masks = changes_mask(&codes[i]);
    }
    return codes;
}

static void describe_passed(const struct ir_sub *sub, const uint32_t *vregs, const uint8_t *regs,
                            uint32_t count, struct passed_register *list) {
    for (uint32_t k = 0; k < count; k++)
        list[k] = (struct passed_register){regs[k], sub->code->vregs.data[vregs[k]].type};
}

/* What callers of a subroutine in another object count on; the linker compares. */
static void emit_external(struct emitter *e, const struct ir_sub *sub) {
    struct sub_signature s = {.name = sub->name,
                              .in_count = sub->in_count,
                              .out_count = sub->out_count,
                              .writes = sub->writes};
    describe_passed(sub, sub->in, sub->in_registers, sub->in_count, s.in);
    describe_passed(sub, sub->out, sub->out_registers, sub->out_count, s.out);
    set_place(e, sub->at);
    builder_signature(e->builder, &s);
}

static void emit_own(struct emitter *e, const struct ir_sub *sub, const struct code *code) {
    set_place(e, sub->at);
    builder_symbol(e->builder, sub->name, SYMBOL_SUB, false);
    emit_body(e, code);
    set_place(e, sub->at);
    builder_plain(e->builder, OP_RETURN);
    builder_end_sub(e->builder);
}

static void emit_subs(struct emitter *e, struct code *codes) {
    for (size_t i = 0; i < e->program->subs.len; i++) {
        const struct ir_sub *sub = e->program->subs.data[i];
        if (!e->failed && sub->external)
            emit_external(e, sub);
        else if (!e->failed)
            emit_own(e, sub, &codes[i]);
        code_free(&codes[i]);
    }
    free(codes);
}

static void emit_declarations(struct emitter *e) {
    const struct ir_program *p = e->program;
    for (size_t i = 0; i < p->sizes.len; i++)
        builder_size(e->builder, &p->sizes.data[i]);
    for (size_t i = 0; i < p->values.len; i++)
        builder_value(e->builder, &p->values.data[i]);
    for (size_t i = 0; i < p->groups.len; i++)
        builder_group(e->builder, &p->groups.data[i]);
    for (size_t i = 0; i < p->variables.len; i++)
        if (!p->variables.data[i].hidden)
            builder_variable(e->builder, &p->variables.data[i].decl);
    for (size_t i = 0; i < p->lengths.len; i++)
        builder_length(e->builder, p->lengths.data[i].variable, p->lengths.data[i].length);
    e->moves = xcalloc(p->moves.len + 1, sizeof *e->moves);
    for (size_t i = 0; i < p->moves.len; i++)
        e->moves[i] = builder_gmove_record(e->builder, &p->moves.data[i].record);
}

/* Registers of variables are as wide as their types; temporaries fit in around them. */
static void start_widths(struct emitter *e) {
    const struct ir_program *p = e->program;
    for (size_t i = 0; i < p->variables.len; i++)
        for (uint32_t k = 0; k < p->variables.data[i].decl.count; k++) {
            uint8_t *bits = &e->widths.bits[p->variables.data[i].decl.reg + k];
            if (*bits < p->variables.data[i].decl.type.bits)
                *bits = p->variables.data[i].decl.type.bits;
        }
}

struct object *ir_emit(struct ir_program *p, struct ir_options options, struct diag *d) {
    struct emitter e = {.program = p,
                        .builder = builder_new(d),
                        .diag = d,
                        .options = options,
                        .memo = code_memo_new()};
    builder_object(e.builder)->debug_lines = options.debug;
    builder_object(e.builder)->geometry.grid_dims = p->grid_dims;
    memcpy(builder_object(e.builder)->geometry.grid, p->grid, sizeof p->grid);
    emit_declarations(&e);
    start_widths(&e);
    struct code *subs = make_subs(&e);
    if (p->at.source)
        set_place(&e, p->at);
    for (size_t i = 0; i < p->images.len && !e.failed; i++)
        emit_image(&e, &p->images.data[i], i);
    emit_subs(&e, subs);
    free(e.moves);
    code_memo_free(e.memo);
    struct object *o = builder_finish(e.builder);
    if (o && e.failed) {
        object_free(o);
        o = NULL;
    }
    return o;
}
