/* SPDX-License-Identifier: MIT
 * From the intermediate form to an object. */
#include "asm/builder.h"
#include "ezpim/code/memo.h"
#include "ezpim/code/rows.h"
#include "ezpim/ir/products.h"
#include "object/spill_name.h"
#include "support/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RETURN_STACK = 64 }; /* isa.md: State */

/* What is called in place of a kernel. */
struct emitted_else {
    const struct ir_node *launch;
    char name[24];
};

struct emitter {
    struct ir_program *program;
    struct builder *builder;
    struct diag *diag;
    struct ir_options options;
    bool failed;      /* a subroutine has no code, which was reported */
    uint32_t *moves;  /* [moves of the program]: the builder's */
    uint32_t *luts;   /* [tables of the program]: likewise */
    uint32_t *labels; /* of the body at hand: the builder's */
    struct register_widths widths;
    struct ir_shapes shapes;        /* of products */
    struct rows_made found;         /* where some targets must have room (options.must) */
    bool looks;                     /* the body at hand is new */
    struct code_memo *memo;         /* of ensembles */
    struct span last;               /* the latest place told to the builder */
    VEC(struct emitted_else) elses; /* of launches, which stand behind the program */
};

static void set_place(struct emitter *emitter, struct span at) {
    uint32_t line, column;
    builder_span(emitter->builder, at);
    if (at.begin == emitter->last.begin && at.source == emitter->last.source)
        return;
    emitter->last = at;
    diag_position(emitter->diag, at, &line, &column);
    builder_place(emitter->builder, diag_source_name(emitter->diag, at.source), line, column);
}

/* What is the immediate in struct insn stands in `imm` whatever its role. */
static void emit_machine(struct emitter *emitter, const struct code_insn *code_insn) {
    struct insn insn = {.op = (enum isa_op)code_insn->op,
                        .width = code_insn->width,
                        .imm = (int32_t)code_insn->value};
    uint8_t *fields[] = {&insn.rs, &insn.rt, &insn.rd};
    for (enum code_field f = 0; f < CODE_FIELDS; f++)
        if (code_insn->field[f] != IR_NONE)
            *fields[f] = (uint8_t)code_insn->field[f];
    if (code_insn->op == OP_MOV && insn.rs == insn.rd)
        return;
    if (code_insn->op == OP_LUT) {
        insn.lut = (uint16_t)emitter->luts[code_insn->value];
        insn.imm = 0;
    }
    struct isa_product product;
    if (code_insn->op == OP_MULP && isa_product_of(insn.imm, insn.width, &product))
        insn.shape = (uint8_t)builder_product(emitter->builder, &product);
    if (emitter->looks)
        rows_made_take(&emitter->found, &insn);
    if (code_insn->op == OP_INDEX && code_insn->value) {
        insn.imm = 0;
        builder_number(emitter->builder, &insn,
                       &emitter->program->numbers.data[code_insn->value - 1]);
        return;
    }
    builder_emit(emitter->builder, &insn);
}

static void emit_debug(struct emitter *emitter, const struct code_insn *code_insn) {
    struct debug_record r = emitter->program->debugs.data[code_insn->value];
    if (object_debug_has_register(r.kind))
        r.reg = (uint8_t)code_insn->field[CODE_RS];
    struct insn insn = {.op = (enum isa_op)code_insn->op,
                        .imm = (int32_t)builder_debug(emitter->builder, &r)};
    if (r.kind != DEBUG_SHOW)
        builder_emit(emitter->builder, &insn);
}

static void emit_repeat(struct emitter *emitter, const struct code_insn *insn) {
    struct extent count = {insn->size, insn->size == IR_NONE ? insn->value : 0};
    builder_repeat(emitter->builder, count);
}

/* A call; or the instruction, on the registers through which the call would pass its operands. */
static void emit_call(struct emitter *emitter, const struct ir_sub *sub) {
    uint32_t label = builder_label(emitter->builder, sub->name);
    struct insn insn = {.op = sub->instead_of, .width = sub->width};
    if (!sub->instead_of) {
        builder_jump(emitter->builder, OP_JUMP, label);
        return;
    }
    insn.rs = sub->in_registers[0];
    insn.rt = sub->in_count > 1 ? sub->in_registers[1] : 0;
    insn.rd = sub->out_registers[0];
    builder_recipe_call(emitter->builder, &insn, label);
}

static void emit_insn(struct emitter *emitter, const struct code_insn *insn) {
    set_place(emitter, insn->at);
    switch ((enum code_kind)insn->kind) {
    case CODE_CONST:
        builder_constant(emitter->builder, insn->width, insn->field[CODE_RD], insn->value);
        break;
    case CODE_SIZE:
        builder_size_constant(emitter->builder, insn->width, insn->field[CODE_RD], insn->size,
                              (int64_t)insn->value);
        break;
    case CODE_VALUE:
        builder_value_constant(emitter->builder, insn->width, insn->field[CODE_RD], insn->size,
                               (uint32_t)insn->value);
        break;
    case CODE_LABEL:
        builder_bind(emitter->builder, emitter->labels[insn->value]);
        break;
    case CODE_JUMP:
        builder_jump(emitter->builder, (enum isa_op)insn->op, emitter->labels[insn->value]);
        break;
    case CODE_REPEAT:
        emit_repeat(emitter, insn);
        break;
    case CODE_DEBUG:
        emit_debug(emitter, insn);
        break;
    case CODE_CALL:
        emit_call(emitter, insn->call->sub);
        break;
    case CODE_INSN:
        emit_machine(emitter, insn);
        break;
    }
}

static bool allocate(struct emitter *emitter, struct ir_code *ir, struct ir_sub *sub,
                     struct code *code, bool roomy) {
    emitter->widths.roomy = roomy;
    return sub ? code_allocate_sub(sub, code, &emitter->widths)
               : code_allocate(ir, code, &emitter->widths);
}

static bool optimize_and_allocate(struct emitter *emitter, struct ir_code *ir, struct ir_sub *sub,
                                  struct code *code, uint32_t reach) {
    code->insns.len = 0;
    code->labels = 0;
    ir_optimize(ir, emitter->options.level, emitter->options.products, reach);
    ir_products_limit(ir, &emitter->shapes);
    code_select(ir, code);
    return (emitter->options.roomy && allocate(emitter, ir, sub, code, true)) ||
           allocate(emitter, ir, sub, code, false);
}

/* A body as it was lowered: passes change instructions and the widths of virtual registers. */
struct lowered {
    struct ir_insn *insns;
    struct ir_vreg *vregs;
    size_t insn_count, vreg_count;
};

static void *copy_of(const void *data, size_t count, size_t size) {
    void *copy = xreallocarray(NULL, count + 1, size);
    if (count)
        memcpy(copy, data, count * size);
    return copy;
}

static void keep(const struct ir_code *ir, struct lowered *lowered) {
    *lowered = (struct lowered){copy_of(ir->insns.data, ir->insns.len, sizeof *ir->insns.data),
                                copy_of(ir->vregs.data, ir->vregs.len, sizeof *ir->vregs.data),
                                ir->insns.len, ir->vregs.len};
}

static void restore(struct ir_code *ir, const struct lowered *lowered) {
    vec_reserve(&ir->insns, lowered->insn_count);
    if (lowered->insn_count)
        memcpy(ir->insns.data, lowered->insns, lowered->insn_count * sizeof *lowered->insns);
    if (lowered->vreg_count)
        memcpy(ir->vregs.data, lowered->vregs, lowered->vreg_count * sizeof *lowered->vregs);
    ir->insns.len = lowered->insn_count;
    ir->vregs.len = lowered->vreg_count;
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
static bool make_code(struct emitter *emitter, struct ir_code *ir, struct ir_sub *sub,
                      struct code *code) {
    static const uint32_t reaches[] = {IR_REACH_ALL, 24, 0, 0};
    struct lowered as_lowered;
    bool good = false;
    pin_calls(ir);
    keep(ir, &as_lowered);
    size_t first = ir->insns.len < LONG_BLOCK ? 0 : 1, behind = emitter->options.effort < 3 ? 3 : 4;
    emitter->widths.apart = emitter->options.effort == 3;
    for (size_t k = first > emitter->options.effort ? first : emitter->options.effort;
         k < behind && !good; k++) {
        restore(ir, &as_lowered);
        good = optimize_and_allocate(emitter, ir, sub, code, reaches[k]);
    }
    if (good) {
        code_memo_keep(emitter->memo, as_lowered.insns, as_lowered.insn_count, as_lowered.vregs,
                       as_lowered.vreg_count, ir, code);
    } else {
        free(as_lowered.insns);
        free(as_lowered.vregs);
    }
    emitter->failed |= !good;
    if (!good && !emitter->options.quiet)
        code_report_pressure(ir, code, emitter->diag);
    return good;
}

static void emit_body(struct emitter *emitter, const struct code *code) {
    emitter->labels = xcalloc((size_t)code->labels + 1, sizeof *emitter->labels);
    for (uint32_t l = 0; l < code->labels; l++)
        emitter->labels[l] = builder_label(emitter->builder, NULL);
    for (size_t i = 0; i < code->insns.len; i++)
        emit_insn(emitter, &code->insns.data[i]);
    free(emitter->labels);
}

/* Registers and what instructions need only grow: a target that has no room now has none later. */
static void look_for_room(struct emitter *emitter) {
    uint32_t must = emitter->options.must;
    if (emitter->looks && must & ~rows_made_targets(&emitter->found, emitter->widths.bits))
        emitter->failed = true;
}

/* Nobody asks for a body again. */
static void drop_body(struct ir_code *ir) {
    vec_free(&ir->insns);
    vec_free(&ir->vregs);
}

/* An ensemble; `at` is what it was made for. */
static void emit_compute(struct emitter *emitter, const struct ir_node *node) {
    struct code code = {0};
    bool known = code_memo_find(emitter->memo, node->code, &code);
    emitter->looks = emitter->options.must && !known;
    if (known || make_code(emitter, node->code, NULL, &code)) {
        set_place(emitter, node->at);
        builder_compute_group(emitter->builder, node->group);
        emit_body(emitter, &code);
        set_place(emitter, node->at);
        builder_plain(emitter->builder, OP_COMPUTE_DONE);
        drop_body(node->code);
        look_for_room(emitter);
    }
    code_free(&code);
}

static void emit_nodes(struct emitter *emitter, const struct ir_node *node);

static void emit_repeat_node(struct emitter *emitter, const struct ir_node *node) {
    set_place(emitter, node->at);
    builder_repeat(emitter->builder, node->count);
    emit_nodes(emitter, node->body);
    set_place(emitter, node->at);
    builder_plain(emitter->builder, OP_REPEAT_END);
}

/* Behind the question: JUMP_ANY goes where some lane was enabled. */
static void emit_if(struct emitter *emitter, const struct ir_node *node) {
    uint32_t some = builder_label(emitter->builder, NULL),
             end = builder_label(emitter->builder, NULL);
    const struct ir_node *when_some = node->opposite ? node->otherwise : node->body;
    const struct ir_node *when_none = node->opposite ? node->body : node->otherwise;
    emit_compute(emitter, node);
    set_place(emitter, node->at);
    builder_jump(emitter->builder, OP_JUMP_ANY, some);
    emit_nodes(emitter, when_none);
    set_place(emitter, node->at);
    builder_jump(emitter->builder, OP_GOTO, end);
    builder_bind(emitter->builder, some);
    emit_nodes(emitter, when_some);
    builder_bind(emitter->builder, end);
}

static void emit_while(struct emitter *emitter, const struct ir_node *node) {
    uint32_t head = builder_label(emitter->builder, NULL),
             test = builder_label(emitter->builder, NULL);
    uint32_t end = builder_label(emitter->builder, NULL);
    set_place(emitter, node->at);
    if (!node->body_first)
        builder_jump(emitter->builder, OP_GOTO, test);
    builder_bind(emitter->builder, head);
    emit_nodes(emitter, node->body);
    if (!node->body_first)
        builder_bind(emitter->builder, test);
    emit_compute(emitter, node);
    set_place(emitter, node->at);
    builder_jump(emitter->builder, OP_JUMP_ANY, node->opposite ? end : head);
    if (node->opposite)
        builder_jump(emitter->builder, OP_GOTO, head);
    builder_bind(emitter->builder, end);
}

static void emit_mark(struct emitter *emitter, const struct ir_node *node) {
    set_place(emitter, node->at);
    struct insn insn = {.op = OP_MARK,
                        .imm = (int32_t)builder_debug(emitter->builder,
                                                      &emitter->program->debugs.data[node->debug])};
    builder_emit(emitter->builder, &insn);
}

/* JUMP_ANY waits for all MPUs; it jumps to where it would go on, whatever it finds. */
static void emit_barrier(struct emitter *emitter, const struct ir_node *node) {
    uint32_t next = builder_label(emitter->builder, NULL);
    set_place(emitter, node->at);
    builder_jump(emitter->builder, OP_JUMP_ANY, next);
    builder_bind(emitter->builder, next);
}

static void emit_message(struct emitter *emitter, const struct ir_node *node) {
    bool sends = node->kind == IR_NODE_SEND;
    struct insn insn = {.op = sends ? OP_SEND : OP_RECV, .imm = (int32_t)node->mpu};
    set_place(emitter, node->at);
    builder_emit(emitter->builder, &insn);
    if (!sends)
        return;
    builder_gmove(emitter->builder, emitter->moves[node->move]);
    builder_plain(emitter->builder, OP_SEND_DONE);
}

static void emit_finish(struct emitter *emitter, const struct ir_node *node) {
    set_place(emitter, node->at);
    for (uint32_t i = 0; i < node->finish_count; i++) {
        const struct ir_finish *f = &node->finishes[i];
        const struct variable *from = &emitter->program->variables.data[f->from].decl;
        struct finish_record r = {.variable = f->to,
                                  .element = f->to_element,
                                  .kind = f->kind,
                                  .group = from->group,
                                  .reg = (uint8_t)(from->reg + f->from_element),
                                  .type = from->type};
        builder_begin_finish(emitter->builder, &r);
    }
    emit_nodes(emitter, node->body);
    builder_end_finish(emitter->builder);
}

static void emit_launch(struct emitter *emitter, const struct ir_node *node) {
    const struct ir_launch *l = &emitter->program->launches.data[node->launch];
    struct emitted_else instead = {.launch = node};
    uint32_t label = NO_INDEX;
    set_place(emitter, node->at);
    if (l->has_else) {
        snprintf(instead.name, sizeof instead.name, "else$%zu", emitter->elses.len);
        label = builder_label(emitter->builder, instead.name);
        vec_push(&emitter->elses, instead);
    }
    builder_kernel_call(emitter->builder, l->kernel, l->arguments, l->geometry, label);
}

static void emit_elses(struct emitter *emitter) {
    for (size_t i = 0; i < emitter->elses.len && !emitter->failed; i++) {
        const struct ir_node *launch = emitter->elses.data[i].launch;
        set_place(emitter, launch->at);
        builder_symbol(emitter->builder, emitter->elses.data[i].name, SYMBOL_SUB, false);
        emit_nodes(emitter, launch->otherwise);
        set_place(emitter, launch->at);
        builder_plain(emitter->builder, OP_RETURN);
        builder_end_sub(emitter->builder);
    }
}

static void emit_node(struct emitter *emitter, const struct ir_node *node) {
    switch (node->kind) {
    case IR_NODE_COMPUTE:
        emit_compute(emitter, node);
        break;
    case IR_NODE_REPEAT:
        emit_repeat_node(emitter, node);
        break;
    case IR_NODE_IF:
        emit_if(emitter, node);
        break;
    case IR_NODE_WHILE:
        emit_while(emitter, node);
        break;
    case IR_NODE_MOVE:
        set_place(emitter, node->at);
        builder_gmove(emitter->builder, emitter->moves[node->move]);
        break;
    case IR_NODE_FINISH:
        emit_finish(emitter, node);
        break;
    case IR_NODE_MARK:
        emit_mark(emitter, node);
        break;
    case IR_NODE_SYNC:
        set_place(emitter, node->at);
        builder_plain(emitter->builder, OP_MPU_SYNC);
        break;
    case IR_NODE_SEND:
    case IR_NODE_RECV:
        emit_message(emitter, node);
        break;
    case IR_NODE_BARRIER:
        emit_barrier(emitter, node);
        break;
    case IR_NODE_LAUNCH:
        emit_launch(emitter, node);
        break;
    }
}

/* Nobody asks for the rest of a program that has no registers, unless each place is reported. */
static void emit_nodes(struct emitter *emitter, const struct ir_node *node) {
    for (; node && !(emitter->failed && emitter->options.quiet); node = node->next)
        emit_node(emitter, node);
}

static void emit_image(struct emitter *emitter, const struct ir_image *image, size_t number) {
    char name[32] = "main";
    if (number)
        snprintf(name, sizeof name, "main$%zu", number);
    builder_symbol(emitter->builder, name, SYMBOL_LABEL, number == 0);
    if (image->shared || emitter->program->images.len > 1)
        builder_entry(emitter->builder, image->first_mpu, image->mpu_count,
                      builder_label(emitter->builder, name));
    emit_nodes(emitter, image->nodes);
    builder_plain(emitter->builder, OP_HALT);
}

static bool changes_mask(const struct code *code) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct code_insn *x = &code->insns.data[i];
        if (x->kind == CODE_CALL
                ? x->call->sub->masks
                : x->kind == CODE_INSN && (isa_info((enum isa_op)x->op)->flags & WRITES_M))
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
static struct code *make_subs(struct emitter *emitter) {
    size_t count = emitter->program->subs.len;
    struct code *codes = xcalloc(count + 1, sizeof *codes);
    for (size_t i = 0; i < count; i++) {
        struct ir_sub *sub = emitter->program->subs.data[i];
        sub->depth = call_depth(sub->code);
        sub->masks = sub->external; /* it may, as long as it brings the mask back */
        if (sub->external)
            continue;
        bool deep = sub->depth >= RETURN_STACK;
        if (deep && !emitter->options.quiet)
            diag_error(emitter->diag, sub->at, "calls are nested more than %d deep",
                       RETURN_STACK - 1);
        emitter->failed |= deep;
        make_code(emitter, sub->code, sub, &codes[i]);
        sub->masks = changes_mask(&codes[i]);
    }
    return codes;
}

static void describe_passed(const struct ir_sub *sub, const uint32_t *vregs, const uint8_t *regs,
                            uint32_t count, struct passed_register *list) {
    for (uint32_t k = 0; k < count; k++)
        list[k] = (struct passed_register){regs[k], sub->code->vregs.data[vregs[k]].type};
}

/* What callers of a subroutine in another object count on, or what they may; the linker compares.
 */
static void emit_signature(struct emitter *emitter, const struct ir_sub *sub) {
    struct sub_signature s = {.name = sub->name,
                              .in_count = sub->in_count,
                              .out_count = sub->out_count,
                              .writes = sub->writes};
    describe_passed(sub, sub->in, sub->in_registers, sub->in_count, s.in);
    describe_passed(sub, sub->out, sub->out_registers, sub->out_count, s.out);
    set_place(emitter, sub->at);
    builder_signature(emitter->builder, &s);
}

static void emit_own(struct emitter *emitter, const struct ir_sub *sub, const struct code *code) {
    set_place(emitter, sub->at);
    builder_symbol(emitter->builder, sub->name, SYMBOL_SUB, sub->exported);
    emit_body(emitter, code);
    set_place(emitter, sub->at);
    builder_plain(emitter->builder, OP_RETURN);
    builder_end_sub(emitter->builder);
    if (sub->exported)
        emit_signature(emitter, sub);
}

static void emit_subs(struct emitter *emitter, struct code *codes) {
    for (size_t i = 0; i < emitter->program->subs.len; i++) {
        const struct ir_sub *sub = emitter->program->subs.data[i];
        if (!emitter->failed && sub->external)
            emit_signature(emitter, sub);
        else if (!emitter->failed)
            emit_own(emitter, sub, &codes[i]);
        code_free(&codes[i]);
    }
    free(codes);
}

static struct place place_of(struct emitter *emitter, struct span at) {
    struct place p = {
        object_file(builder_object(emitter->builder), diag_source_name(emitter->diag, at.source)),
        0, 0};
    diag_position(emitter->diag, at, &p.line, &p.column);
    return p;
}

static void emit_kernels(struct emitter *emitter) {
    const struct ir_program *p = emitter->program;
    for (size_t i = 0; i < p->buffers.len; i++) {
        struct buffer_decl b = p->buffers.data[i].decl;
        b.place = place_of(emitter, p->buffers.data[i].at);
        builder_buffer(emitter->builder, &b);
    }
    for (size_t i = 0; i < p->modules.len; i++) {
        struct module_decl m = p->modules.data[i].decl;
        m.place = place_of(emitter, p->modules.data[i].at);
        m.first_line = m.place.line;
        builder_module(emitter->builder, &m);
    }
    for (size_t i = 0; i < p->kernels.len; i++) {
        struct kernel_decl k = p->kernels.data[i].decl;
        k.place = place_of(emitter, p->kernels.data[i].at);
        k.first_line = k.place.line;
        builder_kernel(emitter->builder, &k);
    }
}

/* Moves of spilled variables, each of one node, that have come to be the same are one. */
static void emit_moves(struct emitter *emitter) {
    const struct ir_program *p = emitter->program;
    struct map same = {0};
    emitter->moves = xcalloc(p->moves.len + 1, sizeof *emitter->moves);
    for (size_t i = 0; i < p->moves.len; i++) {
        const struct move *record = &p->moves.data[i].record;
        struct move plain;
        uint64_t first = i;
        memcpy(&plain, record, sizeof plain);
        plain.name = NULL;
        if (record->name && object_is_spill_move(record->name))
            first = *map_add_n(&same, (const char *)&plain, sizeof plain, i);
        emitter->moves[i] =
            first < i ? emitter->moves[first] : builder_gmove_record(emitter->builder, record);
    }
    map_free(&same);
}

static void emit_declarations(struct emitter *emitter) {
    const struct ir_program *p = emitter->program;
    for (size_t i = 0; i < p->files.len; i++)
        object_file(builder_object(emitter->builder), p->files.data[i]);
    for (size_t i = 0; i < p->sizes.len; i++)
        builder_size(emitter->builder, &p->sizes.data[i]);
    for (size_t i = 0; i < p->values.len; i++)
        builder_value(emitter->builder, &p->values.data[i]);
    emitter->luts = xcalloc(p->luts.len + 1, sizeof *emitter->luts);
    for (size_t i = 0; i < p->luts.len; i++)
        emitter->luts[i] = builder_lut(emitter->builder, p->luts.data[i]);
    for (size_t i = 0; i < p->groups.len; i++)
        builder_group(emitter->builder, &p->groups.data[i]);
    for (size_t i = 0; i < p->variables.len; i++)
        if (!p->variables.data[i].hidden)
            builder_variable(emitter->builder, &p->variables.data[i].decl);
    for (size_t i = 0; i < p->lengths.len; i++)
        builder_length(emitter->builder, p->lengths.data[i].variable, p->lengths.data[i].length);
    emit_kernels(emitter);
    emit_moves(emitter);
}

/* Registers of variables are as wide as their types; temporaries fit in around them. */
static void start_widths(struct emitter *emitter) {
    const struct ir_program *p = emitter->program;
    for (size_t i = 0; i < p->variables.len; i++)
        for (uint32_t k = 0; k < p->variables.data[i].decl.count; k++) {
            uint8_t *bits = &emitter->widths.bits[p->variables.data[i].decl.reg + k];
            if (*bits < p->variables.data[i].decl.type.bits)
                *bits = p->variables.data[i].decl.type.bits;
        }
}

struct object *code_emit(struct ir_program *program, struct ir_options options, struct diag *diag) {
    struct emitter e = {.program = program,
                        .builder = builder_new(diag),
                        .diag = diag,
                        .options = options,
                        .memo = code_memo_new()};
    builder_object(e.builder)->debug_lines = options.debug;
    builder_object(e.builder)->geometry.grid_dims = program->grid_dims;
    memcpy(builder_object(e.builder)->geometry.grid, program->grid, sizeof program->grid);
    emit_declarations(&e);
    start_widths(&e);
    rows_made_start(&e.found);
    struct code *subs = make_subs(&e);
    if (program->at.source)
        set_place(&e, program->at);
    for (size_t i = 0; i < program->images.len && !e.failed; i++)
        emit_image(&e, &program->images.data[i], i);
    emit_elses(&e);
    vec_free(&e.elses);
    emit_subs(&e, subs);
    free(e.moves);
    free(e.luts);
    code_memo_free(e.memo);
    if (!e.failed)
        return builder_finish(e.builder);
    builder_give_up(e.builder);
    return NULL;
}
