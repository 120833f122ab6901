/* SPDX-License-Identifier: MIT
 * Registers get their numbers, branches where lanes meet again, and instructions their words. */
#include "machines/core/simt/compile.h"

#include "machines/core/simt/allocate.h"
#include "machines/core/simt/words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* ---- one instruction ---- */

struct assembling {
    const struct simt_lowered *l;
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    const struct simt_allocation *n;
    struct simt_insn *insns; /* [insns of f] */
};

static enum simt_op op_of(const struct ptx_insn *insn) {
    const enum ptx_op op = insn->form->op;
    if (op == PTX_OP_NANOSLEEP)
        return SIMT_NOP;
    if (op == PTX_OP_BAR && strncmp(insn->form->pattern, "bar warp", 8) == 0)
        return SIMT_BAR_WARP;
    if (op == PTX_OP_MOV && insn->operands[1].kind == PTX_SPECIAL)
        return SIMT_S2R;
    if (op == PTX_OP_MOV && insn->operands[1].kind == PTX_VARIABLE)
        return SIMT_LEA;
    enum simt_op o = SIMT_NOP;
    while (simt_ptx_op(o) != op)
        o = (enum simt_op)(o + 1);
    return o;
}

static uint8_t register_number(const struct assembling *a, uint32_t number) {
    const bool predicate = a->f->registers.data[number].type == PTX_PRED;
    const uint32_t unit = a->n->colours.unit[number];
    if (unit == PTX_NONE)
        return predicate ? SIMT_PT : SIMT_RZ;
    return (uint8_t)(predicate ? unit : a->n->first[a->n->at[number]] + unit);
}

static void put_result(const struct assembling *a, struct simt_insn *out, uint32_t i,
                       const struct ptx_operand *o) {
    out->result[i] = out->result_kind[i] == SIMT_OPERAND_PREDICATE ? SIMT_PT : SIMT_RZ;
    if (o->kind == PTX_REGISTER)
        out->result[i] = register_number(a, o->index);
    if (o->second != PTX_NONE && o->second != PTX_SINK)
        out->second = register_number(a, o->second);
}

static void put_number(struct simt_insn *out, uint32_t i, uint64_t number) {
    out->source_kind[i] = SIMT_OPERAND_NUMBER;
    out->number[i] = number & low_bits(out->source_bits[i]);
}

static void put_address(const struct assembling *a, struct simt_insn *out,
                        const struct ptx_operand *o) {
    out->source[0] = SIMT_RZ;
    if (o->kind == PTX_REGISTER) {
        out->source[0] = register_number(a, o->index);
        out->offset = (int32_t)o->number;
    } else if (o->number <= INT32_MAX) {
        out->offset = (int32_t)o->number;
    } else {
        put_number(out, 0, o->number);
    }
}

static void put_source(const struct assembling *a, struct simt_insn *out, uint32_t i,
                       const struct ptx_operand *o) {
    if (o->address) {
        put_address(a, out, o);
    } else if (o->kind == PTX_REGISTER) {
        out->source[i] = register_number(a, o->index);
        out->negated |= (uint8_t)(o->negated << i);
    } else if (o->kind == PTX_SPECIAL) {
        out->source[i] = (uint8_t)o->index;
    } else {
        put_number(out, i, o->number);
    }
}

/* A vector's parts one after another. */
struct flat_operands {
    const struct ptx_operand *list[8];
    uint32_t count;
};

static void take_operands(const struct ptx_insn *insn, struct flat_operands *out) {
    out->count = 0;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        const struct ptx_operand *o = &insn->operands[i];
        const bool vector = o->kind == PTX_VECTOR;
        for (uint32_t k = 0; k < (vector ? o->part_count : 1); k++)
            out->list[out->count++] = vector ? &o->parts[k] : o;
    }
}

static uint32_t parts_of(const struct ptx_operand *o) {
    return o->kind == PTX_VECTOR ? o->part_count : 1;
}

static uint8_t address_bits(const struct assembling *a, const struct ptx_insn *insn) {
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].address && insn->operands[i].kind == PTX_REGISTER)
            return (uint8_t)ptx_type_bits(a->f->registers.data[insn->operands[i].index].type);
    return 64;
}

static void put_branch(const struct assembling *a, const struct ptx_insn *insn,
                       const struct ptx_block *block, struct simt_insn *out) {
    out->target = a->f->labels.data[insn->operands[0].index].insn;
    out->reconverge = SIMT_END;
    if (insn->guard != PTX_NONE && block->reconverge < a->cfg->count)
        out->reconverge = a->cfg->blocks[block->reconverge].first;
    out->m.mode = insn->guard == PTX_NONE ? PTX_NO_MODE : insn->m.mode;
}

static void make_insn(const struct assembling *a, uint32_t i) {
    const struct ptx_insn *insn = &a->f->insns.data[i];
    struct simt_insn *out = &a->insns[i];
    struct flat_operands o;
    *out = (struct simt_insn){.op = (uint8_t)op_of(insn),
                              .location = (uint8_t)simt_location_of(insn, a->n->at),
                              .guard = SIMT_PT,
                              .second = SIMT_PT,
                              .m = insn->m,
                              .address_bits = address_bits(a, insn)};
    if (insn->guard != PTX_NONE) {
        out->guard = register_number(a, insn->guard);
        out->guard_not = insn->guard_not;
    }
    if (out->op == SIMT_NOP)
        out->m = (struct ptx_modifiers){.vector = 1};
    if (out->op == SIMT_MOV) {
        out->result_count = (uint8_t)parts_of(&insn->operands[0]);
        out->source_count = (uint8_t)parts_of(&insn->operands[1]);
    } else if (out->op == SIMT_BAR) {
        out->source_count = (uint8_t)insn->operand_count;
    }
    simt_shape(out);
    take_operands(insn, &o);
    if (out->op == SIMT_BRA)
        put_branch(a, insn, &a->cfg->blocks[a->cfg->block_of[i]], out);
    for (uint32_t k = 0; k < out->result_count; k++)
        put_result(a, out, k, o.list[k]);
    for (uint32_t k = 0; k < out->source_count; k++)
        put_source(a, out, k, o.list[out->result_count + k]);
}

/* ---- moves that move nothing ---- */

static bool moves_nothing(const struct simt_insn *x) {
    return x->op == SIMT_MOV && x->result_count == 1 && x->source_count == 1 && !x->negated &&
           x->source_kind[0] == x->result_kind[0] && x->source[0] == x->result[0];
}

/* Leaves them out; from[i] is which instruction of the function instruction i is then. */
static uint32_t leave_out(struct simt_insn *insns, uint32_t count, uint32_t *from) {
    uint32_t *to = xcalloc(count + 1u, sizeof *to), n = 0;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = n;
        if (moves_nothing(&insns[i]))
            continue;
        insns[n] = insns[i];
        from[n++] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        if (insns[i].op == SIMT_BRA) {
            insns[i].target = to[insns[i].target];
            if (insns[i].reconverge != SIMT_END)
                insns[i].reconverge = to[insns[i].reconverge];
        }
    free(to);
    return n;
}

/* ---- the record ---- */

static void put_lines(const struct simt_lowered *l, const uint32_t *from, struct simt_kernel *k) {
    const struct ptx_module *m = l->program->module;
    struct simt_line *lines = ARENA_ARRAY(&k->arena, k->insn_count + 1, struct simt_line);
    const char **files = ARENA_ARRAY(&k->arena, m->files.len + 1, const char *);
    const char **functions = ARENA_ARRAY(&k->arena, l->program->parts.len + 1, const char *);
    for (size_t i = 0; i < m->files.len; i++)
        files[i] = arena_strdup(&k->arena, m->files.data[i].name);
    for (size_t i = 0; i < l->program->parts.len; i++)
        functions[i] =
            arena_strdup(&k->arena, m->functions.data[l->program->parts.data[i].function].name);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct ptx_insn *insn = &l->function.insns.data[from[i]];
        lines[i] =
            (struct simt_line){insn->line, UINT32_MAX, insn->source_line, l->parts.data[from[i]]};
        for (uint32_t j = 0; j < m->files.len && insn->source_line; j++)
            if (m->files.data[j].number == insn->file)
                lines[i].file = j;
    }
    k->lines = lines;
    k->files = files;
    k->file_count = (uint32_t)m->files.len;
    k->functions = functions;
    k->function_count = (uint32_t)l->program->parts.len;
}

static void put_parameters(const struct ptx_program *p, struct simt_kernel *k) {
    const struct ptx_function *f = &p->module->functions.data[p->entry];
    struct simt_parameter *list =
        ARENA_ARRAY(&k->arena, f->parameter_count + 1, struct simt_parameter);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        list[i] =
            (struct simt_parameter){(uint32_t)p->offsets[f->parameters[i]],
                                    (uint32_t)p->module->variables.data[f->parameters[i]].bytes};
    k->parameters = list;
    k->parameter_count = f->parameter_count;
    k->parameter_bytes = (uint32_t)p->parameter_bytes;
    k->param_bytes = (uint32_t)p->param_bytes;
    k->shared_bytes = (uint32_t)p->shared_bytes;
    k->max_threads = f->max_threads;
    memcpy(k->needed_threads, f->needed_threads, sizeof k->needed_threads);
}

/* Registers as the PTX has them, and in what lies in its functions. */
static void count_locations(const struct ptx_program *p, bool near_shared,
                            struct simt_counts *out) {
    *out = (struct simt_counts){{0}, {0}};
    for (size_t i = 0; i < p->parts.len; i++) {
        const struct ptx_function *f = &p->module->functions.data[p->parts.data[i].function];
        uint8_t *at = xcalloc(f->registers.len + 1, 1);
        struct simt_counts one;
        simt_locate(f, SIMT_REPAIRED, near_shared, at);
        simt_count(f, at, &one);
        for (unsigned k = 0; k < SIMT_LOCATIONS; k++) {
            out->registers[k] += one.registers[k];
            out->instructions[k] += one.instructions[k];
        }
        free(at);
    }
}

/* ---- all of it ---- */

static bool make(struct simt_lowered *l, const struct simt_options *options, struct simt_kernel *k,
                 struct portable_fault *fault) {
    struct simt_allocation n;
    bool fine = simt_allocate(l, options, &n, fault);
    struct assembling a = {l, &l->function, &n.cfg, &n, NULL};
    uint32_t wrong = 0;
    const uint32_t count = (uint32_t)l->function.insns.len;
    uint32_t *from = ARENA_ARRAY(&k->arena, count + 1, uint32_t);
    a.insns = ARENA_ARRAY(&k->arena, count + 1, struct simt_insn);
    for (uint32_t i = 0; fine && i < count; i++)
        make_insn(&a, i);
    k->insn_count = fine ? leave_out(a.insns, count, from) : 0;
    k->near = n.units[SIMT_NEAR];
    k->both = n.units[SIMT_BOTH];
    k->far = n.units[SIMT_FAR];
    k->predicates = n.colours.predicates;
    simt_allocation_free(&n);
    if (!fine)
        return false;
    put_lines(l, from, k);
    fine = simt_kernel_encode(k, a.insns, &wrong, &fault->what);
    if (!fine)
        fault->line = l->function.insns.data[from[wrong]].line;
    return fine;
}

struct simt_kernel *simt_compile(const struct ptx_module *module, uint32_t entry,
                                 const struct simt_options *options, struct portable_fault *fault) {
    struct ptx_program *p = ptx_program_new(module, entry, fault);
    struct simt_kernel *k = xcalloc(1, sizeof *k);
    struct simt_lowered l = {.program = p};
    bool fine = p && simt_lower(p, &l, fault) && make(&l, options, k, fault);
    if (fine) {
        k->name = arena_strdup(&k->arena, module->functions.data[entry].name);
        k->local_bytes = (uint32_t)(l.local_bytes + l.spill_bytes);
        k->spill_bytes = (uint32_t)l.spill_bytes;
        put_parameters(p, k);
        count_locations(p, options->near_shared, &k->counts);
    }
    simt_lowered_free(&l);
    ptx_program_free(p);
    if (fine)
        return k;
    simt_kernel_free(k);
    return NULL;
}
