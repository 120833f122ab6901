/* SPDX-License-Identifier: MIT
 * Calls of subroutines that programs bring: copies of the programs, and calls in graphs. */
#include "runtime/device.h"

#include "ezpim/ir_build.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- libraries ---- */

static struct object *copy_of(const struct object *object, struct diag *diag) {
    struct str bytes = {0};
    object_write(object, &bytes);
    struct object *copy = object_read("program", bytes.text, bytes.len, diag);
    str_free(&bytes);
    return copy;
}

/* The device's copy of the program; NULL after reporting. */
static struct device_library *library_of(mpu_device *device, const mpu_program *program,
                                         struct diag *diag) {
    for (struct device_library *l = device->libraries; l; l = l->next)
        if (strcmp(l->sha256, program->sha256) == 0)
            return l;
    struct object *object = copy_of(program->object, diag);
    if (!object)
        return NULL;
    struct device_library *l = xcalloc(1, sizeof *l);
    l->object = object;
    l->next = device->libraries;
    memcpy(l->sha256, program->sha256, sizeof l->sha256);
    device->libraries = l;
    return l;
}

static const struct device_sub *sub_of(mpu_device *device, const struct device_library *library,
                                       const char *name) {
    for (struct device_sub *s = device->subs; s; s = s->next)
        if (s->library == library && strcmp(s->signature->name, name) == 0)
            return s;
    for (size_t i = 0; i < library->object->signatures.len; i++) {
        const struct sub_signature *signature = &library->object->signatures.data[i];
        if (strcmp(signature->name, name) != 0)
            continue;
        struct device_sub *s = xcalloc(1, sizeof *s);
        *s = (struct device_sub){library, signature, device->subs};
        device->subs = s;
        return s;
    }
    return NULL;
}

void device_libraries_free(mpu_device *device) {
    for (struct device_sub *s = device->subs, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    for (struct device_library *l = device->libraries, *next; l; l = next) {
        next = l->next;
        object_free(l->object);
        free(l);
    }
}

/* ---- the public function ---- */

static bool operand_fits(mpu_device *device, const struct sub_signature *signature, uint32_t k,
                         const mpu_vector *v, uint64_t n, struct diag *diag) {
    char want[8], have[8];
    if (!v)
        return true;
    object_type_text(signature->in[k].type, want);
    object_type_text(v->type, have);
    if (v->device != device)
        diag_error(diag, NO_SPAN, "operand %" PRIu32 " of '%s' is of another device", k + 1,
                   signature->name);
    else if (v->n != n)
        diag_error(diag, NO_SPAN,
                   "operand %" PRIu32 " of '%s' has %" PRIu64 " elements, not %" PRIu64, k + 1,
                   signature->name, v->n, n);
    else if (!ir_same_type(v->type, signature->in[k].type))
        diag_error(diag, NO_SPAN, "operand %" PRIu32 " of '%s' is %s, not %s", k + 1,
                   signature->name, have, want);
    else
        return true;
    return false;
}

static const struct device_sub *find_sub(mpu_device *device, const mpu_program *program,
                                         const char *name, uint64_t n, const mpu_operand *operands,
                                         uint32_t count, struct diag *diag) {
    struct device_library *l = program->parts ? library_of(device, program, diag) : NULL;
    const struct device_sub *s = l ? sub_of(device, l, name) : NULL;
    if (!s || s->signature->out_count != 1 || s->signature->in_count != count) {
        diag_error(diag, NO_SPAN,
                   "the program has no subroutine '%s' for others with %" PRIu32
                   " operands and one result",
                   name, count);
        return NULL;
    }
    for (uint32_t k = 0; k < count; k++)
        if (!operand_fits(device, s->signature, k, operands[k].v, n, diag))
            return NULL;
    return s;
}

static __attribute__((noinline)) mpu_vector *call_sub(mpu_device *device,
                                                      const mpu_program *program, const char *sub,
                                                      uint64_t n, const mpu_operand *operands,
                                                      uint32_t count, mpu_error **error) {
    struct public_call c;
    if (!device_type_check(device, (mpu_vtype){MPU_KIND_BOOL, 1}, n, error))
        return NULL;
    for (uint32_t k = 0; k < count; k++)
        if (operands[k].v && operands[k].v->device == device &&
            operands[k].v->value->state == VALUE_FAILED) {
            device_refuse_failed(device, error, operands[k].v->value);
            return NULL;
        }
    public_call_begin(&c, device->messages, error);
    const struct device_sub *s = find_sub(device, program, sub, n, operands, count, c.d);
    public_call_end(&c, s ? MPU_OK : MPU_USAGE);
    return s ? device_record_call(device, s, n, operands, count, error) : NULL;
}

mpu_vector *mpu_call(mpu_device *device, const mpu_program *program, const char *sub, uint64_t n,
                     const mpu_operand *operands, uint32_t count, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    return call_sub(device, program, sub, n, operands, count, error);
}

/* ---- in graphs ---- */

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

static uint32_t new_pin(struct ir_builder *builder, struct mpu_type type) {
    uint32_t v = ir_vreg(builder->code, type, NULL, NO_SPAN);
    builder->code->vregs.data[v].fixed = 0; /* until the callee has registers */
    builder->code->vregs.data[v].pinned = true;
    return v;
}

static void put_copy(struct ir_builder *builder, struct mpu_type type, uint32_t dst, uint32_t a) {
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
