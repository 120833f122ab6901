/* SPDX-License-Identifier: MIT
 * From a program's functions to one function of the machine's instructions. */
#include "machines/core/simt/lowering.h"

#include "machines/core/simt/code.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- calls ---- */

static bool put_in(struct simt_lowering *l, uint32_t part);

/* Bytes of .param to other ones. */
static void copy_parameters(struct simt_lowering *l, const struct ptx_copy *copies,
                            uint32_t count) {
    static const struct {
        uint32_t bytes;
        const char *load, *store;
        enum ptx_type type;
    } kinds[] = {{8, "ld.param.b64", "st.param.b64", PTX_B64},
                 {4, "ld.param.b32", "st.param.b32", PTX_B32},
                 {2, "ld.param.b16", "st.param.b16", PTX_B16},
                 {1, "ld.param.b8", "st.param.b8", PTX_B16}};
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t at = 0; at < copies[i].bytes;) {
            const uint64_t from = copies[i].from + at, to = copies[i].to + at;
            unsigned k = 0;
            while ((from | to) % kinds[k].bytes || kinds[k].bytes > copies[i].bytes - at)
                k++;
            const struct ptx_operand t =
                simt_register_operand(simt_new_register(l->out, kinds[k].type));
            const struct ptx_operand load[] = {t, simt_place_operand(from)};
            const struct ptx_operand store[] = {simt_place_operand(to), t};
            simt_lower_emit_new(l, kinds[k].load, load, 2);
            simt_lower_emit_new(l, kinds[k].store, store, 2);
            at += kinds[k].bytes;
        }
}

static bool lower_call(struct simt_lowering *l, const struct ptx_step *step) {
    const struct simt_lowering outside = *l;
    const uint32_t behind = simt_lower_new_label(l);
    if (l->insn->guard != PTX_NONE)
        simt_lower_emit_branch(l, behind, simt_lower_slot(l, l->insn->guard), !l->insn->guard_not);
    copy_parameters(l, step->copies, step->copy_count);
    if (!put_in(l, step->callee))
        return false;
    *l = outside;
    copy_parameters(l, step->returned, step->returned_count);
    simt_lower_place_label(l, behind);
    return true;
}

/* From the entry: the end.  From another function to behind it. */
static void lower_return(struct simt_lowering *l, bool last) {
    const uint32_t guard =
        l->insn->guard == PTX_NONE ? PTX_NONE : simt_lower_slot(l, l->insn->guard);
    if (l->part) {
        if (!last)
            simt_lower_emit_branch(l, l->end, guard, l->insn->guard_not);
        return;
    }
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, "exit", NULL, 0);
    insn.guard = guard;
    insn.guard_not = l->insn->guard_not;
    simt_lower_emit(l, insn);
}

static bool lower_insn(struct simt_lowering *l, const struct ptx_step *step, bool last) {
    switch (l->insn->form->op) {
    case PTX_OP_CALL:
        return lower_call(l, step);
    case PTX_OP_RET:
        lower_return(l, last);
        return true;
    default:
        simt_lower_plain(l);
        return true;
    }
}

static bool too_long(struct simt_lowering *l) {
    l->fault->line = l->insn ? l->insn->line : 0;
    str_printf(&l->fault->what,
               "with the functions that it calls a kernel has at most %d words of code",
               SIMT_CODE_WORDS);
    return false;
}

/* A copy of a function, with labels of its own; its registers are its own in all copies, since none
 * is within another of the same. */
static bool put_in(struct simt_lowering *l, uint32_t part) {
    const struct ptx_part *p = &l->program->parts.data[part];
    const struct ptx_function *f = &l->program->module->functions.data[p->function];
    uint32_t *begins = xcalloc(f->insns.len + 1, sizeof *begins);
    bool fine = true;
    l->part = part;
    l->function = f;
    l->first_label = (uint32_t)l->out->function.labels.len;
    for (size_t i = 0; i < f->labels.len; i++)
        simt_lower_new_label(l);
    l->end = simt_lower_new_label(l);
    const uint32_t first_label = l->first_label, end = l->end;
    for (size_t i = 0; fine && i < f->insns.len; i++) {
        begins[i] = (uint32_t)l->out->function.insns.len;
        l->insn = &f->insns.data[i];
        fine = lower_insn(l, &l->program->steps.data[p->first_step + i], i + 1 == f->insns.len) &&
               (l->out->function.insns.len <= SIMT_CODE_WORDS || too_long(l));
    }
    begins[f->insns.len] = (uint32_t)l->out->function.insns.len;
    for (size_t i = 0; i < f->labels.len; i++)
        l->out->function.labels.data[first_label + i].insn = begins[f->labels.data[i].insn];
    simt_lower_place_label(l, end);
    free(begins);
    return fine;
}

/* ---- registers that nobody has set ---- */

/* They are zeros: those that live where the kernel begins are set there. */
static void set_at_begin(struct simt_lowered *l) {
    struct ptx_function *f = &l->function;
    struct ptx_cfg cfg;
    struct simt_live live;
    struct {
        VEC(struct ptx_insn) insns;
        VEC(uint32_t) parts;
    } front = {{0}, {0}};
    ptx_cfg_make(f, &cfg);
    simt_live_make(f, &cfg, &live);
    for (uint32_t r = 0; r < f->registers.len; r++)
        if (simt_set_has(live.in, r)) {
            const unsigned bits = ptx_type_bits(f->registers.data[r].type);
            const struct ptx_operand both[] = {simt_register_operand(r), simt_number_operand(0)};
            vec_push(&front.insns,
                     simt_new_insn(l, &f->insns.data[0],
                                   bits == 1 ? "mov.pred" : simt_lower_move_name(bits), both, 2));
            vec_push(&front.parts, 0);
        }
    simt_live_free(&live);
    ptx_cfg_free(&cfg);
    const uint32_t n = (uint32_t)front.insns.len, had = (uint32_t)f->insns.len;
    vec_reserve(&f->insns, had + n);
    vec_reserve(&l->parts, had + n);
    memmove(f->insns.data + n, f->insns.data, had * sizeof *f->insns.data);
    memmove(l->parts.data + n, l->parts.data, had * sizeof *l->parts.data);
    if (n) {
        memcpy(f->insns.data, front.insns.data, n * sizeof *f->insns.data);
        memcpy(l->parts.data, front.parts.data, n * sizeof *l->parts.data);
    }
    f->insns.len = l->parts.len = had + n;
    for (size_t i = 0; i < f->labels.len; i++)
        f->labels.data[i].insn += n;
    vec_free(&front.insns);
    vec_free(&front.parts);
}

/* Registers of all functions, in the program's order. */
static void take_registers(struct simt_lowered *out, const struct ptx_program *program) {
    for (size_t p = 0; p < program->parts.len; p++) {
        const struct ptx_function *f =
            &program->module->functions.data[program->parts.data[p].function];
        for (size_t i = 0; i < f->registers.len; i++)
            vec_push(&out->function.registers, f->registers.data[i]);
    }
}

/* Whether something comes to the end of the text. */
static bool goes_on(const struct ptx_function *f) {
    const struct ptx_insn *last = f->insns.len ? &vec_last(&f->insns) : NULL;
    for (size_t i = 0; i < f->insns.len; i++)
        if (f->insns.data[i].form->op == PTX_OP_BRA &&
            f->labels.data[f->insns.data[i].operands[0].index].insn == f->insns.len)
            return true;
    return !last || last->guard != PTX_NONE ||
           (last->form->op != PTX_OP_EXIT && last->form->op != PTX_OP_BRA &&
            last->form->op != PTX_OP_TRAP);
}

bool simt_lower(const struct ptx_program *program, struct simt_lowered *out,
                struct portable_fault *fault) {
    struct simt_lowering l = {.out = out, .program = program, .fault = fault};
    *out = (struct simt_lowered){.program = program, .local_bytes = program->local_bytes};
    take_registers(out, program);
    if (!put_in(&l, 0))
        return false;
    l.part = 0;
    if (goes_on(&out->function))
        simt_lower_emit_new(&l, "exit", NULL, 0);
    set_at_begin(out);
    simt_split_webs(out);
    return true;
}

void simt_lowered_free(struct simt_lowered *l) {
    vec_free(&l->function.registers);
    vec_free(&l->function.insns);
    vec_free(&l->function.labels);
    vec_free(&l->parts);
    vec_free(&l->fixed);
    arena_free(&l->arena);
}
