/* SPDX-License-Identifier: MIT
 * A kernel made ready: for each instruction what carries it out, and where its rows lie. */
#include "machines/core/simt/run/core.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of operands ---- */

static uint32_t even(uint32_t units) {
    return units + (units & 1);
}

/* Behind the registers lie rows for results that nobody wants. */
static struct simt_place register_row(const struct simt_program *p, uint32_t number, bool pair) {
    uint32_t unit = number == SIMT_RZ ? even(p->units) : number;
    return (struct simt_place){pair ? SIMT_FROM_PAIRS : SIMT_FROM_UNITS, unit * SIMT_ROW_BYTES};
}

void simt_fill_row(unsigned char *row, uint64_t value, bool wide) {
    const uint32_t narrow = (uint32_t)value;
    for (unsigned i = 0; i < SIMT_LANES; i++)
        memcpy(row + (wide ? 8 : 4) * i, wide ? (const void *)&value : &narrow, wide ? 8 : 4);
}

static struct simt_place constant_row(struct simt_program *p, uint64_t value, bool wide) {
    const struct simt_place place = {SIMT_FROM_CONSTANTS, (uint32_t)p->constants.len};
    p->constants.len += SIMT_LANES * (wide ? 8u : 4u);
    vec_reserve(&p->constants, p->constants.len);
    simt_fill_row(p->constants.data + place.offset, value, wide);
    return place;
}

static struct simt_place predicate_place(uint32_t number, bool result) {
    uint32_t at = result && number == SIMT_PT ? SIMT_DROPPED : number;
    return (struct simt_place){SIMT_FROM_PREDICATES, at * 4};
}

static struct simt_place source_row(struct simt_program *p, const struct simt_insn *x, unsigned i,
                                    bool wide) {
    if (x->source_kind[i] == SIMT_OPERAND_NUMBER)
        return constant_row(p, x->number[i], wide);
    if (x->source_kind[i] == SIMT_OPERAND_PREDICATE)
        return predicate_place(x->source[i], false);
    if (x->source[i] == SIMT_RZ)
        return constant_row(p, 0, wide);
    return register_row(p, x->source[i], x->source_kind[i] == SIMT_OPERAND_PAIR);
}

static struct simt_place result_row(const struct simt_program *p, const struct simt_insn *x) {
    if (x->result_kind[0] == SIMT_OPERAND_PREDICATE)
        return predicate_place(x->result[0], true);
    return register_row(p, x->result_count ? x->result[0] : SIMT_RZ,
                        x->result_kind[0] == SIMT_OPERAND_PAIR);
}

/* ---- functions of rows ---- */

static bool is_row(enum simt_operand operand, uint8_t row, unsigned bits, bool result) {
    switch (row) {
    case SIMT_ROW_32:
        return operand == SIMT_OPERAND_UNIT || (operand == SIMT_OPERAND_NUMBER && bits <= 32);
    case SIMT_ROW_64:
        return operand == SIMT_OPERAND_PAIR || (operand == SIMT_OPERAND_NUMBER && !result);
    case SIMT_ROW_PREDICATE:
        return operand == SIMT_OPERAND_PREDICATE;
    default:
        return true;
    }
}

static unsigned count_sources(const struct simt_row_shape *shape) {
    unsigned count = 0;
    while (count < 3 && shape->source[count] != SIMT_ROW_NONE)
        count++;
    return count;
}

static bool has_shape(const struct simt_insn *x, const struct simt_row_shape *shape) {
    if (x->result_count != 1 || x->source_count != count_sources(shape) ||
        !is_row((enum simt_operand)x->result_kind[0], shape->result, 64, true))
        return false;
    for (unsigned i = 0; i < x->source_count; i++)
        if (!is_row((enum simt_operand)x->source_kind[i], shape->source[i], x->source_bits[i],
                    false))
            return false;
    return x->second == SIMT_PT || shape->result == SIMT_ROW_PREDICATE;
}

static bool make_row(struct simt_program *p, struct simt_step *s) {
    const struct simt_insn *x = s->insn;
    const bool wide = x->result_kind[0] == SIMT_OPERAND_PAIR;
    enum simt_row row = simt_row_find(simt_ptx_op((enum simt_op)x->op), &x->m, wide ? 64 : 32);
    if (row == SIMT_ROWS)
        return false;
    const struct simt_row_shape shape = simt_row_shape(row);
    if (!has_shape(x, &shape))
        return false;
    s->kind = shape.result == SIMT_ROW_PREDICATE ? SIMT_DO_TEST
              : wide                             ? SIMT_DO_ROW_64
                                                 : SIMT_DO_ROW;
    s->row = p->rows->row[row];
    s->result = result_row(p, x);
    for (unsigned i = 0; i < x->source_count; i++)
        s->source[i] = source_row(p, x, i, shape.source[i] == SIMT_ROW_64);
    s->turned = x->source_count > 2 && x->negated >> 2 & 1;
    return true;
}

/* ---- values that a launch gives ---- */

static void make_patch(struct simt_program *p, struct simt_step *s) {
    const bool wide = s->insn->result_kind[0] == SIMT_OPERAND_PAIR;
    const uint32_t number = (uint32_t)(s - p->steps);
    s->kind = wide ? SIMT_DO_ROW_64 : SIMT_DO_ROW;
    s->row = p->rows->row[wide ? SIMT_ROW_mov_64 : SIMT_ROW_mov_32];
    s->source[0] = constant_row(p, 0, wide);
    s->result = result_row(p, s->insn);
    vec_push(&p->patches, ((struct simt_patch){s->source[0].offset, number, wide}));
}

static bool is_number(const struct simt_insn *x) {
    return x->source_kind[0] == SIMT_OPERAND_NUMBER || x->source[0] == SIMT_RZ;
}

/* A parameter of the kernel, the same for all. */
static bool is_parameter(const struct simt_program *p, const struct simt_insn *x) {
    uint64_t bytes = ptx_type_bytes((enum ptx_type)x->m.type[0]), at = simt_number_address(x);
    return x->op == SIMT_LD && x->m.space == PTX_PARAM && x->m.vector <= 1 &&
           x->result_count == 1 && x->result_kind[0] != SIMT_OPERAND_PREDICATE && is_number(x) &&
           at % bytes == 0 && at < p->kernel->parameter_bytes &&
           bytes <= p->kernel->parameter_bytes - at;
}

/* ---- steps ---- */

static bool is_predicate(const struct simt_insn *x) {
    return x->m.type[0] == PTX_PRED;
}

static void make_alu(struct simt_program *p, struct simt_step *s) {
    const struct simt_insn *x = s->insn;
    if (x->op == SIMT_MOV && (x->result_count > 1 || x->source_count > 1)) {
        s->kind = SIMT_DO_MOVE;
    } else if (is_predicate(x) && (x->op == SIMT_MOV || x->op == SIMT_AND || x->op == SIMT_OR ||
                                   x->op == SIMT_XOR || x->op == SIMT_NOT)) {
        s->kind = SIMT_DO_LOGIC;
    } else if (!make_row(p, s)) {
        s->compute = simt_compute(x);
        s->kind = s->compute ? SIMT_DO_LANES : x->op == SIMT_MOV ? SIMT_DO_MOVE : SIMT_DO_NOTHING;
    }
}

static void make_memory(struct simt_program *p, struct simt_step *s, enum simt_kind kind) {
    s->kind = (uint8_t)kind;
    s->source[0] = source_row(p, s->insn, 0, true);
}

static void make_step(struct simt_program *p, struct simt_step *s) {
    const struct simt_insn *x = s->insn;
    s->guard = x->guard;
    s->guard_not = x->guard_not;
    switch ((enum simt_op)x->op) {
    case SIMT_NOP:
    case SIMT_MEMBAR:
        s->kind = SIMT_DO_NOTHING;
        break;
    case SIMT_BRA:
        s->kind = SIMT_DO_BRANCH;
        s->target = x->target;
        s->reconverge = x->reconverge;
        break;
    case SIMT_BAR:
        s->kind = SIMT_DO_BARRIER;
        break;
    case SIMT_EXIT:
        s->kind = SIMT_DO_EXIT;
        break;
    case SIMT_TRAP:
        s->kind = SIMT_DO_TRAP;
        break;
    case SIMT_BAR_WARP:
    case SIMT_SHFL:
    case SIMT_VOTE:
    case SIMT_MATCH:
    case SIMT_REDUX:
        s->kind = SIMT_DO_TOGETHER;
        break;
    case SIMT_S2R:
        s->kind = SIMT_DO_SPECIAL;
        break;
    case SIMT_LEA:
        make_patch(p, s);
        break;
    case SIMT_LD:
        if (is_parameter(p, x))
            make_patch(p, s);
        else
            make_memory(p, s, SIMT_DO_LOAD);
        break;
    case SIMT_ST:
        make_memory(p, s, SIMT_DO_STORE);
        break;
    case SIMT_ATOM:
        make_memory(p, s, SIMT_DO_ATOMIC);
        break;
    case SIMT_ISSPACEP:
        s->kind = SIMT_DO_ISSPACEP;
        break;
    default:
        make_alu(p, s);
    }
}

struct simt_program *simt_program_new(const void *code, size_t size, const struct simt_rows *rows,
                                      const char **problem) {
    struct simt_kernel *kernel = simt_kernel_read(code, size, problem);
    if (!kernel)
        return NULL;
    struct simt_program *p = xcalloc(1, sizeof *p);
    p->kernel = kernel;
    p->rows = rows ? rows : simt_rows_at(0);
    p->units = kernel->near + kernel->both + kernel->far;
    p->steps = xcalloc((size_t)kernel->insn_count + 1, sizeof *p->steps);
    for (uint32_t i = 0; i < kernel->insn_count; i++) {
        p->steps[i].insn = &kernel->insns[i];
        make_step(p, &p->steps[i]);
    }
    return p;
}

void simt_program_free(struct simt_program *program) {
    if (!program)
        return;
    simt_kernel_free(program->kernel);
    free(program->steps);
    vec_free(&program->constants);
    vec_free(&program->patches);
    free(program);
}
