/* SPDX-License-Identifier: MIT
 * Quotients and remainders of elements' numbers by a size or a constant: INDEX counts them (struct
 * number_record), so that no lane divides. */
#include "ezpim/ir/element_numbers.h"
#include "ezpim/ir/touched.h"
#include "support/bits.h"

#include <stdlib.h>

static bool same_extent(struct extent left, struct extent right) {
    return left.size == right.size && left.value == right.value;
}

uint32_t ir_numbering(struct ir_program *program, struct extent every, struct extent below) {
    struct number_record r = {0, every, below};
    for (size_t i = 0; i < program->numbers.len; i++)
        if (same_extent(program->numbers.data[i].every, every) &&
            same_extent(program->numbers.data[i].below, below))
            return (uint32_t)i + 1;
    vec_push(&program->numbers, r);
    return (uint32_t)program->numbers.len;
}

/* How many elements the group can have; 0: not known. */
static uint64_t ir_most_elements(const struct ir_program *program, uint32_t group) {
    uint64_t n = group != IR_NONE;
    for (uint32_t d = 0; n && d < ir_group_dims(program, group); d++) {
        struct extent x = ir_group_extent(program, group, d);
        uint64_t most = x.size == NO_INDEX ? x.value : program->sizes.data[x.size].bound;
        if (__builtin_mul_overflow(n, most, &n))
            n = 0;
    }
    return n;
}

/* The largest value of an extent. */
static uint64_t most_of(const struct ir_program *program, struct extent extent) {
    uint64_t bound =
        extent.size == NO_INDEX ? extent.value : program->sizes.data[extent.size].bound;
    return bound ? bound : OBJECT_MAX_EXTENT;
}

uint64_t ir_most_numbers(const struct ir_program *program, uint32_t group, uint32_t numbering) {
    uint64_t most = ir_most_elements(program, group);
    if (!numbering)
        return most;
    const struct number_record *r = &program->numbers.data[numbering - 1];
    most = most ? most : OBJECT_MAX_EXTENT;
    if (r->every.size == NO_INDEX)
        most = (most - 1) / r->every.value + 1;
    if ((r->below.size != NO_INDEX || r->below.value) && most_of(program, r->below) < most)
        most = most_of(program, r->below);
    return most;
}

/* The only definition of each virtual register that has one, counted from 1; else 0. */
struct definitions {
    struct ir_program *program;
    struct ir_code *code;
    uint32_t *of;
    uint8_t *count;
};

static void count_definition(void *context, uint32_t *vreg, bool writes) {
    struct definitions *d = context;
    if (writes && d->count[*vreg] < 2)
        d->count[*vreg]++;
}

static void find_definitions(struct definitions *definitions) {
    struct ir_code *code = definitions->code;
    for (size_t i = 0; i < code->insns.len; i++) {
        struct ir_insn *insn = &code->insns.data[i];
        ir_visit(insn, count_definition, definitions);
        if (!ir_is_mark(insn->op) && insn->dst != IR_NONE)
            definitions->of[insn->dst] = (uint32_t)i + 1;
    }
}

/* NULL: it has another value at some time. */
static const struct ir_insn *definition(const struct definitions *definitions, uint32_t vreg) {
    const struct ir_vreg *v = &definitions->code->vregs.data[vreg];
    if (v->fixed >= 0 || v->variable != IR_NONE || v->given || definitions->count[vreg] != 1 ||
        !definitions->of[vreg])
        return NULL;
    return &definitions->code->insns.data[definitions->of[vreg] - 1];
}

static bool holds(struct lane_type type, uint64_t most) {
    unsigned bits = type.bits - (type.kind == TYPE_INT ? 1u : 0u);
    return type.kind != TYPE_BOOL && (most & ~low_bits(bits)) == 0;
}

/* What made the value, behind copies and extensions that keep all numbers up to `most`. */
static const struct ir_insn *behind(const struct definitions *definitions, uint32_t vreg,
                                    uint64_t most) {
    const struct ir_insn *insn = definition(definitions, vreg);
    while (insn && (insn->op == IR_COPY || insn->op == IR_WIDEN)) {
        if (!holds(insn->op == IR_WIDEN ? insn->from : insn->type, most))
            return NULL;
        insn = definition(definitions, insn->a);
    }
    return insn;
}

static bool is_number(const struct definitions *definitions, uint32_t vreg, uint64_t most) {
    const struct ir_insn *insn = behind(definitions, vreg, most);
    return insn && insn->op == IR_MACHINE && insn->machine == OP_INDEX && !insn->kept &&
           !insn->imm && holds((struct lane_type){TYPE_UINT, insn->width}, most);
}

/* A size that is at least 1, or a constant that is no power of two: those are shifted by. */
static bool is_divisor(const struct definitions *definitions, uint32_t vreg, struct extent *out) {
    const struct ir_insn *insn = behind(definitions, vreg, 0);
    if (!insn || (insn->op != IR_SIZE && insn->op != IR_CONST))
        return false;
    if (insn->op == IR_CONST) {
        *out = (struct extent){NO_INDEX, insn->imm};
        return behind(definitions, vreg, insn->imm) && holds(insn->type, insn->imm) &&
               (insn->imm & (insn->imm - 1)) && insn->imm <= OBJECT_MAX_EXTENT;
    }
    *out = (struct extent){insn->size, 0};
    uint64_t most = most_of(definitions->program, *out);
    return !insn->imm && ir_extent_range(definitions->program, *out).least >= 1 &&
           holds(insn->type, most) && behind(definitions, vreg, most);
}

/* Which numbering takes the place of the instruction; 0: none. */
static uint32_t numbering_of(const struct definitions *definitions, const struct ir_insn *insn) {
    static const struct extent nothing = {NO_INDEX, 0}, one = {NO_INDEX, 1};
    bool divides = insn->op == IR_DIV || insn->op == IR_FLOORDIV,
         rest = insn->op == IR_REM || insn->op == IR_FLOORMOD;
    uint64_t most = ir_most_elements(definitions->program, definitions->code->group);
    struct extent by;
    most = (most ? most : OBJECT_MAX_EXTENT) - 1;
    if ((!divides && !rest) || !holds(insn->type, most) || !is_number(definitions, insn->a, most) ||
        !is_divisor(definitions, insn->b, &by))
        return 0;
    return ir_numbering(definitions->program, divides ? by : one, divides ? nothing : by);
}

static unsigned bits_up_to(uint64_t most) {
    return most ? 64 - (unsigned)__builtin_clzll(most) : 1;
}

/* INDEX of no more bits than its numbers have, extended to the type of the result. */
static void put_numbers(struct definitions *definitions, struct ir_code *out, struct ir_insn insn,
                        uint32_t numbering) {
    struct ir_insn index = {.op = IR_MACHINE,
                            .machine = OP_INDEX,
                            .dst = insn.dst,
                            .a = IR_NONE,
                            .b = IR_NONE,
                            .c = IR_NONE,
                            .imm = numbering,
                            .at = insn.at};
    unsigned bits =
        bits_up_to(ir_most_numbers(definitions->program, definitions->code->group, numbering) - 1);
    index.type = insn.type;
    index.type.kind = TYPE_UINT;
    if (bits < index.type.bits) {
        index.type.bits = (uint8_t)bits;
        index.dst = ir_vreg(definitions->code, index.type, NULL, insn.at);
    }
    index.width = index.type.bits;
    vec_push(&out->insns, index);
    if (index.dst == insn.dst)
        return;
    insn.op = IR_WIDEN;
    insn.from = index.type;
    insn.a = index.dst;
    insn.b = IR_NONE;
    vec_push(&out->insns, insn);
}

static void count_in(struct ir_program *program, struct ir_code *code) {
    struct definitions d = {.program = program, .code = code};
    struct ir_code out = {0};
    size_t vregs = code->vregs.len;
    d.of = xcalloc(vregs + 1, sizeof *d.of);
    d.count = xcalloc(vregs + 1, sizeof *d.count);
    find_definitions(&d);
    code->region = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        struct ir_insn insn = code->insns.data[i];
        uint32_t numbering = numbering_of(&d, &insn);
        code->region = ir_region_behind(code, &insn, code->region);
        if (numbering)
            put_numbers(&d, &out, insn, numbering);
        else
            vec_push(&out.insns, insn);
    }
    vec_free(&code->insns);
    code->insns.data = out.insns.data;
    code->insns.len = out.insns.len;
    code->insns.cap = out.insns.cap;
    free(d.of);
    free(d.count);
}

void ir_count_numbers(struct ir_program *program) {
    for (size_t i = 0; i < program->codes.len; i++)
        count_in(program, program->codes.data[i]);
}
