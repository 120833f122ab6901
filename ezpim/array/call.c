/* SPDX-License-Identifier: MIT
 * Calls of subroutines of other objects, in the intermediate form. */
#include "ezpim/array/call.h"

#include <string.h>

static struct ir_sub *find_declared(const struct ir_program *program, const char *name) {
    for (size_t i = 0; i < program->subs.len; i++)
        if (strcmp(program->subs.data[i]->name, name) == 0)
            return program->subs.data[i];
    return NULL;
}

static void declare_passed(struct ir_builder *builder, struct ir_sub *sub,
                           const struct passed_register *list, uint32_t count, bool in) {
    uint32_t *vregs = ARENA_ARRAY(builder->p->arena, count + 1, uint32_t);
    uint8_t *registers = ARENA_ARRAY(builder->p->arena, count + 1, uint8_t);
    for (uint32_t k = 0; k < count; k++) {
        vregs[k] = ir_vreg(sub->code, list[k].type, NULL, NO_SPAN);
        registers[k] = list[k].reg;
        sub->code->vregs.data[vregs[k]].given = in;
        sub->code->vregs.data[vregs[k]].result = !in;
        builder->p->taken |= UINT64_C(1) << list[k].reg;
    }
    *(in ? &sub->in : &sub->out) = vregs;
    *(in ? &sub->in_registers : &sub->out_registers) = registers;
    *(in ? &sub->in_count : &sub->out_count) = count;
}

/* It stands in another object, and has registers from the beginning. */
static struct ir_sub *declare_sub(struct ir_builder *builder,
                                  const struct sub_signature *signature) {
    struct ir_sub *sub = ARENA_NEW(builder->p->arena, struct ir_sub);
    sub->name = arena_strdup(builder->p->arena, signature->name);
    sub->code = ir_code_new(builder->p);
    sub->code->is_sub = true;
    sub->external = true;
    sub->writes = signature->writes;
    ir_begin_body(builder, sub->code, IR_NONE);
    declare_passed(builder, sub, signature->in, signature->in_count, true);
    declare_passed(builder, sub, signature->out, signature->out_count, false);
    builder->p->taken |= signature->writes;
    vec_push(&builder->p->subs, sub);
    return sub;
}

struct ir_sub *array_callee(struct ir_builder *builder, const struct sub_signature *signature) {
    struct ir_sub *known = find_declared(builder->p, signature->name);
    return known ? known : declare_sub(builder, signature);
}

static uint32_t new_pin(struct ir_builder *builder, struct lane_type type, struct span at) {
    uint32_t v = ir_vreg(builder->code, type, NULL, at);
    builder->code->vregs.data[v].fixed = 0; /* until the callee has registers */
    builder->code->vregs.data[v].pinned = true;
    return v;
}

static void put_copy(struct ir_builder *builder, struct lane_type type, uint32_t dst, uint32_t a,
                     struct span at) {
    ir_operation(builder, IR_COPY, type, dst, a, IR_NONE, IR_NONE, 0, at);
}

static void put_call(struct ir_builder *builder, const struct ir_call *call, struct span at) {
    const struct ir_insn insn = {.op = IR_CALL,
                                 .a = IR_NONE,
                                 .b = IR_NONE,
                                 .c = IR_NONE,
                                 .dst = IR_NONE,
                                 .call = call,
                                 .at = at};
    ir_put(builder, insn);
}

uint32_t array_emit_call(struct ir_builder *builder, const struct sub_signature *signature,
                         const uint32_t *values, uint32_t dst, struct span at) {
    struct ir_call *call = ARENA_NEW(builder->p->arena, struct ir_call);
    const struct lane_type type = signature->out[0].type;
    call->sub = array_callee(builder, signature);
    call->in = ARENA_ARRAY(builder->p->arena, signature->in_count + 1, uint32_t);
    call->out = ARENA_ARRAY(builder->p->arena, signature->out_count + 1, uint32_t);
    for (uint32_t k = 0; k < signature->in_count; k++) {
        call->in[k] = new_pin(builder, signature->in[k].type, at);
        put_copy(builder, signature->in[k].type, call->in[k], values[k], at);
    }
    call->out[0] = new_pin(builder, type, at);
    vec_push(&builder->code->calls, call);
    put_call(builder, call, at);
    if (dst == IR_NONE)
        dst = ir_vreg(builder->code, type, NULL, at);
    put_copy(builder, type, dst, call->out[0], at);
    return dst;
}
