/* SPDX-License-Identifier: MIT
 * Calls of subroutines of other objects, in the intermediate form. */
#include "runtime/device.h"

#include "ezpim/ir_build.h"

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
static void declare_sub(struct ir_builder *builder, const struct sub_signature *signature) {
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
}

void device_declare_subs(const struct device_graph *graph, struct ir_builder *builder) {
    for (size_t i = 0; i < graph->nodes.len; i++) {
        const struct device_sub *sub = graph->nodes.data[i].sub;
        if (sub && !find_declared(builder->p, sub->signature->name))
            declare_sub(builder, sub->signature);
    }
}

static uint32_t new_pin(struct ir_builder *builder, struct lane_type type) {
    uint32_t v = ir_vreg(builder->code, type, NULL, NO_SPAN);
    builder->code->vregs.data[v].fixed = 0; /* until the callee has registers */
    builder->code->vregs.data[v].pinned = true;
    return v;
}

static void put_copy(struct ir_builder *builder, struct lane_type type, uint32_t dst, uint32_t a) {
    ir_operation(builder, IR_COPY, type, dst, a, IR_NONE, IR_NONE, 0, NO_SPAN);
}

uint32_t device_lower_call(struct ir_builder *builder, const struct device_sub *sub,
                           const uint32_t *values, uint32_t dst) {
    const struct sub_signature *s = sub->signature;
    struct ir_call *call = ARENA_NEW(builder->p->arena, struct ir_call);
    call->sub = find_declared(builder->p, s->name);
    call->in = ARENA_ARRAY(builder->p->arena, s->in_count + 1, uint32_t);
    call->out = ARENA_ARRAY(builder->p->arena, s->out_count + 1, uint32_t);
    for (uint32_t k = 0; k < s->in_count; k++) {
        call->in[k] = new_pin(builder, s->in[k].type);
        put_copy(builder, s->in[k].type, call->in[k], values[k]);
    }
    call->out[0] = new_pin(builder, s->out[0].type);
    vec_push(&builder->code->calls, call);
    ir_put(builder, (struct ir_insn){.op = IR_CALL,
                                     .a = IR_NONE,
                                     .b = IR_NONE,
                                     .c = IR_NONE,
                                     .dst = IR_NONE,
                                     .call = call,
                                     .at = NO_SPAN});
    if (dst == IR_NONE)
        dst = ir_vreg(builder->code, s->out[0].type, NULL, NO_SPAN);
    put_copy(builder, s->out[0].type, dst, call->out[0]);
    return dst;
}
