/* SPDX-License-Identifier: MIT
 * Operations to instructions, and the function around them. */
#include "machines/plane/run/native_registers.h"

#include <string.h>

#define MOST_BYTES ((size_t)16 << 20)

const enum x86_gpr plane_code_base_gpr[PLANE_CODE_BASES] = {X86_RCX, X86_R8,  X86_R9,  X86_R10,
                                                            X86_R11, X86_RDI, X86_RBX, X86_RBP,
                                                            X86_R12, X86_R13, X86_R14, X86_R15};
#define FIRST_KEPT 6 /* from here on a function gives them back as they were */

static struct x86_operand in_register(unsigned reg) {
    return (struct x86_operand){.reg = reg};
}

/* --- operands --- */

/* Sources of an op: in registers, but for at most one that is read where it lies. */
struct op_sources {
    unsigned reg[3];
    unsigned memory; /* index of that one, or 3 */
};

static void pin(struct code_registers *r, const struct code_op *op, struct op_sources *s,
                unsigned k) {
    s->reg[k] = r->reg[op->from[k]];
    r->next[s->reg[k]] = op->from_next[k];
    r->pinned |= 1u << s->reg[k];
}

static void load_source(struct code_registers *r, const struct code_op *op, struct op_sources *s,
                        unsigned k) {
    unsigned reg = plane_register_take(r);
    plane_register_load(r, reg, op->from[k]);
    plane_register_hold(r, reg, op->from[k], op->from_next[k]);
    pin(r, op, s, k);
}

/* May source k be read where it lies?  Narrow operations read only their second one there. */
static bool may_stay(const struct code_registers *r, const struct code_op *op, unsigned k) {
    bool first_only = !r->out->code.wide && (op->count == 1 || (op->truth == 0x44 && k == 0));
    return plane_register_is_operand(r, op->from[k]) && !first_only;
}

static void find_sources(struct code_registers *r, const struct code_op *op, struct op_sources *s) {
    unsigned missing = 0;
    s->memory = 3;
    for (unsigned k = 0; k < op->count; k++)
        if (r->reg[op->from[k]] != CODE_NOWHERE)
            pin(r, op, s, k);
        else
            missing |= 1u << k;
    for (unsigned k = 0; k < op->count; k++)
        if (missing >> k & 1 && may_stay(r, op, k) &&
            (s->memory == 3 || op->from_next[k] > op->from_next[s->memory]))
            s->memory = k;
    for (unsigned k = 0; k < op->count; k++)
        if (missing >> k & 1 && k != s->memory)
            load_source(r, op, s, k);
    if (s->memory < 3 && plane_register_pays(r, op->from_next[s->memory])) {
        unsigned k = s->memory;
        s->memory = 3;
        load_source(r, op, s, k);
    }
}

static struct x86_operand operand(struct code_registers *r, const struct code_op *op,
                                  const struct op_sources *s, unsigned k) {
    return k == s->memory ? plane_register_memory(r, op->from[k]) : in_register(s->reg[k]);
}

/* Sources that nothing reads any more, but for the one whose register gets the result. */
static void forget_sources(struct code_registers *r, const struct code_op *op, unsigned but) {
    for (unsigned k = 0; k < op->count; k++)
        if (op->from_next[k] == CODE_NEVER && k != but)
            plane_register_forget(r, op->from[k]);
}

/* The result is in a register. */
static void finish(struct code_registers *r, const struct code_op *op, unsigned reg) {
    if (op->to < r->source->slots)
        plane_register_store(r, reg, op->to);
    if (op->to_next != CODE_NEVER)
        plane_register_hold(r, reg, op->to, op->to_next);
    else
        plane_register_give(r, reg);
}

/* --- wide vectors --- */

/* The function's table by the roles of its sources; the one of index 3 is none. */
static uint8_t table_by_roles(uint8_t truth, unsigned to, unsigned middle, unsigned last) {
    unsigned table = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned at = (i >> 2) << to | (i >> 1 & 1) << middle | (i & 1) << last;
        table |= ((unsigned)truth >> (at & 7) & 1u) << i;
    }
    return (uint8_t)table;
}

static void wide_three(struct code_registers *r, const struct code_op *op, struct op_sources *s) {
    struct x86_code *code = &r->out->code;
    unsigned to = 3, reg;
    for (unsigned k = 0; k < 3; k++)
        if (k != s->memory && op->from_next[k] == CODE_NEVER)
            to = k;
    if (to < 3) { /* its register gets the result */
        reg = s->reg[to];
    } else {
        to = s->memory < 3 ? s->memory : 0;
        reg = plane_register_take(r);
        if (s->memory < 3)
            plane_register_load(r, reg, op->from[to]);
        else
            plane_x86_load(code, reg, in_register(s->reg[to]));
        r->out->ops += s->memory == 3;
        s->memory = 3;
    }
    unsigned last = s->memory < 3 ? s->memory : (to + 2) % 3, middle = 3 - to - last;
    plane_x86_ternary(code, table_by_roles(op->truth, to, middle, last), reg, s->reg[middle],
                      operand(r, op, s, last));
    unsigned dying = op->from_next[to] == CODE_NEVER && r->reg[op->from[to]] == reg ? to : 3;
    if (dying < 3) {
        r->reg[op->from[to]] = CODE_NOWHERE;
        plane_register_forget(r, op->from[to]); /* what was spilled of it */
    }
    forget_sources(r, op, dying);
    r->held[reg] = CODE_NEVER;
    r->out->ops++;
    finish(r, op, reg);
}

static bool logic_of(uint8_t truth, enum x86_logic *logic) {
    *logic = truth == 0x88 ? X86_AND : truth == 0xee ? X86_OR : truth == 0x66 ? X86_XOR : X86_ANDN;
    return truth == 0x88 || truth == 0xee || truth == 0x66 || truth == 0x44;
}

/* Of one source or two.  The operand is written out before its register may be taken. */
static void wide_two(struct code_registers *r, const struct code_op *op, struct op_sources *s) {
    struct x86_code *code = &r->out->code;
    enum x86_logic logic;
    unsigned last = s->memory < 3 ? s->memory : op->count - 1u, middle = op->count == 2 ? !last : 3;
    const struct x86_operand right = operand(r, op, s, last);
    forget_sources(r, op, 3);
    unsigned reg = plane_register_take(r);
    bool has_logic = op->count == 2 && logic_of(op->truth, &logic);
    if (has_logic && (middle == 0 || logic != X86_ANDN))
        plane_x86_logic(code, logic, reg, s->reg[middle], right);
    else if (op->count == 2 && op->truth == 0x22 && middle == 1)
        plane_x86_logic(code, X86_ANDN, reg, s->reg[middle], right);
    else
        plane_x86_ternary(code, table_by_roles(op->truth, 3, middle, last), reg,
                          middle < 3 ? s->reg[middle] : reg, right);
    r->out->ops++;
    finish(r, op, reg);
}

/* --- narrow vectors --- */

static struct x86_operand ones(void) {
    return (struct x86_operand){.in_memory = true, .memory = {X86_RSI, X86_RSP, PLANE_SPILL_ONES}};
}

static void narrow_two(struct code_registers *r, const struct code_op *op, struct op_sources *s) {
    enum x86_logic logic;
    unsigned right = s->memory < 3 ? s->memory : 1;
    struct x86_operand second = op->count == 1 ? ones() : operand(r, op, s, right);
    unsigned first = op->count == 1 ? s->reg[0] : s->reg[!right];
    logic_of(op->count == 1 ? 0x66 : op->truth, &logic);
    forget_sources(r, op, 3);
    unsigned reg = plane_register_take(r);
    plane_x86_logic(&r->out->code, logic, reg, first, second);
    r->out->ops++;
    finish(r, op, reg);
}

/* --- any vectors --- */

static void constant(struct code_registers *r, const struct code_op *op) {
    unsigned reg = plane_register_take(r);
    if (!(op->truth & 1))
        plane_x86_logic(&r->out->code, X86_XOR, reg, reg, in_register(reg));
    else if (r->out->code.wide)
        plane_x86_ternary(&r->out->code, 0xff, reg, reg, in_register(reg));
    else
        plane_x86_load(&r->out->code, reg, ones());
    r->out->ops++;
    finish(r, op, reg);
}

/* A variable that dies gives its register. */
static void copy(struct code_registers *r, const struct code_op *op) {
    bool dies = op->from_next[0] == CODE_NEVER, to_tile = op->to < r->source->slots;
    unsigned from = r->reg[op->from[0]], reg = from;
    r->pinned |= from == CODE_NOWHERE ? 0 : 1u << from;
    if (from == CODE_NOWHERE) {
        reg = plane_register_take(r);
        plane_register_load(r, reg, op->from[0]);
    } else if (dies) {
        r->reg[op->from[0]] = CODE_NOWHERE;
    } else if (!to_tile) {
        reg = plane_register_take(r);
        plane_x86_load(&r->out->code, reg, in_register(from));
        r->out->ops++;
    }
    if (from != CODE_NOWHERE)
        r->next[from] = op->from_next[0];
    if (dies)
        plane_register_forget(r, op->from[0]);
    if (reg == from && !dies) { /* both are held by one: the new one is read from its plane */
        plane_register_store(r, reg, op->to);
        return;
    }
    r->held[reg] = CODE_NEVER;
    finish(r, op, reg);
}

static void emit_op(struct code_registers *r, const struct code_op *op) {
    struct op_sources s = {.memory = 3};
    plane_registers_next(r);
    if (op->count == 0) {
        constant(r, op);
        return;
    }
    if (op->count == 1 && op->truth == 0xaa) {
        copy(r, op);
        return;
    }
    find_sources(r, op, &s);
    if (!r->out->code.wide)
        narrow_two(r, op, &s);
    else if (op->count == 3)
        wide_three(r, op, &s);
    else
        wide_two(r, op, &s);
}

/* --- the function --- */

#define MEMBER(name) ((int32_t)offsetof(struct plane_code_call, name))

static void load_member(struct x86_code *code, enum x86_gpr to, int32_t offset) {
    plane_x86_load_gpr(code, to, (struct x86_memory){X86_RDI, X86_RSP, offset});
}

static bool is_used(const struct plane_code_source *source, unsigned base) {
    return source->extent[base] > 0;
}

static void load_base(struct x86_code *code, unsigned base) {
    load_member(code, plane_code_base_gpr[base], MEMBER(base) + 8 * (int32_t)base);
}

static void begin_function(struct code_registers *r) {
    struct x86_code *code = &r->out->code;
    const struct plane_code_source *source = r->source;
    plane_x86_begin(code);
    for (unsigned k = FIRST_KEPT; k < PLANE_CODE_BASES; k++)
        if (is_used(source, k))
            plane_x86_push(code, plane_code_base_gpr[k]);
    if (code->wide) {
        load_member(code, X86_RCX, MEMBER(mask));
        plane_x86_set_mask(code, X86_RCX);
    }
    load_member(code, X86_RSI, MEMBER(spill));
    load_member(code, X86_RDX, MEMBER(ahead));
    load_member(code, X86_RAX, MEMBER(columns));
    for (unsigned k = 0; k < PLANE_CODE_BASES; k++)
        if (is_used(source, k) && plane_code_base_gpr[k] != X86_RDI)
            load_base(code, k);
    for (unsigned k = 0; k < PLANE_CODE_BASES; k++)
        if (is_used(source, k) && plane_code_base_gpr[k] == X86_RDI)
            load_base(code, k); /* until then it is where the call lies */
    if (r->narrow_part)
        plane_x86_load(code, 15,
                       (struct x86_operand){.in_memory = true,
                                            .memory = {X86_RSI, X86_RSP, PLANE_SPILL_MASK}});
}

static void end_function(struct code_registers *r, size_t loop, unsigned columns) {
    struct x86_code *code = &r->out->code;
    for (unsigned k = 0; k < PLANE_CODE_BASES; k++)
        if (is_used(r->source, k))
            plane_x86_add(code, plane_code_base_gpr[k], (int32_t)(columns * r->vector));
    plane_x86_add(code, X86_RAX, -1);
    plane_x86_loop(code, loop);
    for (unsigned k = PLANE_CODE_BASES; k-- > FIRST_KEPT;)
        if (is_used(r->source, k))
            plane_x86_pop(code, plane_code_base_gpr[k]);
    plane_x86_end_vectors(code);
    plane_x86_return(code);
}

/* Where it begins. */
static size_t emit_function(const struct plane_code_source *source, const struct code_ops *ops,
                            bool narrow_part, unsigned columns, struct plane_emission *out) {
    struct code_registers r = {.source = source,
                               .out = out,
                               .narrow_part = narrow_part,
                               .vector = out->code.wide ? 64 : 32};
    size_t begin = out->code.bytes.len;
    memset(r.held, 0xff, sizeof r.held);
    plane_registers_begin(&r, out->code.wide ? 32 : narrow_part ? 15 : 16, ops->variables);
    begin_function(&r);
    size_t loop = out->code.bytes.len, fetched = 0;
    /* Spread evenly: more fetches than the processor can wait for would hold up its loads. */
    for (size_t i = 0; i < ops->list.len && !out->bad; i++) {
        for (; source->fetches && fetched * ops->list.len <= i * ops->touched.len &&
               fetched < ops->touched.len;
             fetched++)
            plane_register_fetch(&r, ops, fetched, columns > 1);
        if (!ops->list.data[i].dead)
            emit_op(&r, &ops->list.data[i]);
        out->bad |= out->code.bytes.len > MOST_BYTES;
    }
    end_function(&r, loop, columns);
    plane_registers_end(&r);
    return begin;
}

static void code_ops_free(struct code_ops *ops) {
    vec_free(&ops->list);
    vec_free(&ops->touched);
}

/* In front of a function a sanitizer looks for what it knows of it. */
static void pad(struct x86_code *code) {
    do
        vec_push(&code->bytes, 0xcc);
    while (code->bytes.len % 64 != 0);
}

/* Does it so little with each plane that memory is what it waits for? */
static bool waits_for_memory(const struct code_ops *ops) {
    return ops->list.len < 3 * ops->touched.len;
}

/* Columns of a tile. */
static unsigned columns_of(const struct plane_code_source *source) {
    return PLANE_STRIDE / (source->vectors == PLANE_VECTORS_AVX512 ? 64 : 32);
}

static void emit_several(const struct plane_code_source *source, struct plane_emission *out) {
    struct plane_code_source columns = plane_code_columns(source, columns_of(source));
    struct code_ops ops = {.variables = 0};
    uint32_t count = out->ops;
    out->bad |= !plane_code_lower(&columns, &ops);
    pad(&out->code);
    out->several = emit_function(&columns, &ops, false, columns_of(source), out);
    out->ops = count;
    code_ops_free(&ops);
    plane_code_columns_free(&columns);
}

bool plane_code_emit(const struct plane_code_source *source, struct plane_emission *emission) {
    struct code_ops ops = {.variables = 0};
    bool wide = source->vectors == PLANE_VECTORS_AVX512;
    vec_clear(&emission->code.bytes);
    vec_clear(&emission->stores);
    emission->code.wide = wide;
    emission->spill_bytes = PLANE_SPILL_FIRST;
    emission->several = 0;
    emission->bad = !plane_code_lower(source, &ops);
    emission->touched = (uint32_t)ops.touched.len;
    pad(&emission->code);
    if (!wide)
        emission->part = emit_function(source, &ops, true, 1, emission);
    pad(&emission->code);
    emission->ops = 0;
    emission->whole = emit_function(source, &ops, false, 1, emission);
    if (wide)
        emission->part = emission->whole;
    emission->waits = waits_for_memory(&ops);
    if (source->tiles && emission->waits && !emission->bad)
        emit_several(source, emission);
    code_ops_free(&ops);
    return !emission->bad;
}

void plane_emission_free(struct plane_emission *emission) {
    vec_free(&emission->code.bytes);
    vec_free(&emission->stores);
}
