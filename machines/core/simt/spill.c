/* SPDX-License-Identifier: MIT
 * Registers that leave the register file: each instruction that reads one fetches it to a register
 * of its own, and one that writes it puts it back.  What one instruction makes of numbers alone is
 * made anew instead; predicates lie in registers as 0 and 1. */
#include "machines/core/simt/lower.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct home {
    uint64_t place;             /* in local memory */
    uint32_t number;            /* of a predicate: the register where it lies */
    const struct ptx_insn *own; /* that makes it anew; NULL: none does */
};
struct spilling {
    struct simt_lowered *l;
    const uint8_t *marked;
    struct home *homes; /* [registers] */
    uint32_t *instead;  /* [registers]: of the instruction that is looked at; PTX_NONE */
    uint32_t registers; /* as many as are marked or not */
    const struct ptx_insn *insn;
    uint32_t part;
    struct ptx_function out; /* insns alone */
    VEC(uint32_t) parts;
};

static enum ptx_type type_of(const struct spilling *s, uint32_t number) {
    return s->l->function.registers.data[number].type;
}

static bool is_marked(const struct spilling *s, uint32_t number) {
    return number < s->registers && s->marked[number];
}

static void emit(struct spilling *s, struct ptx_insn insn) {
    vec_push(&s->out.insns, insn);
    vec_push(&s->parts, s->part);
}

static void emit_new(struct spilling *s, const char *name, const struct ptx_operand *operands,
                     uint32_t count, bool guarded) {
    struct ptx_insn insn = simt_new_insn(s->l, s->insn, name, operands, count);
    if (guarded) {
        insn.guard = s->insn->guard;
        insn.guard_not = s->insn->guard_not;
        if (insn.guard != PTX_NONE && is_marked(s, insn.guard))
            insn.guard = s->instead[insn.guard];
    }
    emit(s, insn);
}

uint32_t simt_fixed_register(struct simt_lowered *l, enum ptx_type type) {
    const uint32_t number = simt_new_register(l, type);
    while (l->fixed.len <= number)
        vec_push(&l->fixed, 0);
    l->fixed.data[number] = 1;
    return number;
}

/* ---- where they go ---- */

bool simt_makes_anew(const struct simt_lowered *l, const struct ptx_insn *insn) {
    const struct ptx_operand *o = insn->operands;
    if (insn->guard != PTX_NONE || insn->operand_count != 2 || o[0].kind != PTX_REGISTER)
        return false;
    if (insn->form->op == PTX_OP_MOV)
        return o[1].kind == PTX_NUMBER || o[1].kind == PTX_VARIABLE ||
               (o[1].kind == PTX_SPECIAL && o[1].index != PTX_SPECIAL_CLOCK &&
                o[1].index != PTX_SPECIAL_CLOCK64);
    return insn->form->op == PTX_OP_LD && insn->m.space == PTX_PARAM && o[1].kind == PTX_NUMBER &&
           o[1].number < l->program->parameter_bytes;
}

/* Those that exactly one instruction writes, which can be carried out anywhere. */
static void find_own(struct spilling *s) {
    uint8_t *writes = xcalloc(s->registers + 1u, 1);
    struct simt_register r[SIMT_MAX_REGISTERS];
    for (size_t i = 0; i < s->l->function.insns.len; i++) {
        const struct ptx_insn *insn = &s->l->function.insns.data[i];
        const uint32_t n = simt_registers(insn, r);
        for (uint32_t k = 0; k < n; k++)
            if (r[k].role == SIMT_RESULT) {
                writes[r[k].number] = writes[r[k].number] ? 2 : 1;
                s->homes[r[k].number].own = insn;
            }
    }
    for (uint32_t i = 0; i < s->registers; i++)
        if (writes[i] != 1 || !simt_makes_anew(s->l, s->homes[i].own))
            s->homes[i].own = NULL;
    free(writes);
}

static void find_homes(struct spilling *s) {
    find_own(s);
    for (uint32_t i = 0; i < s->registers; i++) {
        const unsigned bytes = ptx_type_bits(type_of(s, i)) > 32 ? 8 : 4;
        if (!s->marked[i] || s->homes[i].own)
            continue;
        if (type_of(s, i) == PTX_PRED) {
            s->homes[i].number = simt_new_register(s->l, PTX_U32);
            continue;
        }
        s->l->spill_bytes = (s->l->spill_bytes + bytes - 1) / bytes * bytes;
        s->homes[i].place = s->l->local_bytes + s->l->spill_bytes;
        s->l->spill_bytes += bytes;
    }
}

/* ---- there and back ---- */

static const char *load_name(unsigned bits) {
    return bits <= 16 ? "ld.local.u16" : bits == 32 ? "ld.local.u32" : "ld.local.u64";
}

static const char *store_name(unsigned bits) {
    return bits <= 16 ? "st.local.u16" : bits == 32 ? "st.local.u32" : "st.local.u64";
}

static void fetch(struct spilling *s, uint32_t number) {
    const struct home *h = &s->homes[number];
    const struct ptx_operand to = simt_register_operand(s->instead[number]);
    if (h->own) {
        const struct ptx_operand both[] = {to, h->own->operands[1]};
        struct ptx_insn insn = *h->own;
        struct ptx_operand *copy = ARENA_ARRAY(&s->l->arena, 2, struct ptx_operand);
        memcpy(copy, both, sizeof both);
        insn.operands = copy;
        emit(s, insn);
    } else if (type_of(s, number) == PTX_PRED) {
        const struct ptx_operand all[] = {to, simt_register_operand(h->number),
                                          simt_number_operand(0)};
        emit_new(s, "setp.ne.u32", all, 3, false);
    } else {
        const struct ptx_operand both[] = {to, simt_place_operand(h->place)};
        emit_new(s, load_name(ptx_type_bits(type_of(s, number))), both, 2, false);
    }
}

static void put_back(struct spilling *s, uint32_t number) {
    const struct home *h = &s->homes[number];
    const struct ptx_operand from = simt_register_operand(s->instead[number]);
    if (type_of(s, number) == PTX_PRED) {
        const struct ptx_operand all[] = {simt_register_operand(h->number), simt_number_operand(1),
                                          simt_number_operand(0), from};
        emit_new(s, "selp.u32", all, 4, true);
    } else {
        const struct ptx_operand both[] = {simt_place_operand(h->place), from};
        emit_new(s, store_name(ptx_type_bits(type_of(s, number))), both, 2, true);
    }
}

/* What a guarded instruction writes has to be something before it. */
static void clear(struct spilling *s, uint32_t number) {
    const unsigned bits = ptx_type_bits(type_of(s, number));
    const struct ptx_operand both[] = {simt_register_operand(s->instead[number]),
                                       simt_number_operand(0)};
    emit_new(s,
             bits == 1    ? "mov.pred"
             : bits <= 16 ? "mov.u16"
             : bits == 32 ? "mov.u32"
                          : "mov.u64",
             both, 2, false);
}

/* ---- one instruction ---- */

static uint32_t replaced(void *context, uint32_t number, enum simt_role role) {
    const struct spilling *s = context;
    (void)role;
    return is_marked(s, number) ? s->instead[number] : number;
}

static void rewrite(struct spilling *s) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(s->insn, r);
    bool any = false;
    for (uint32_t k = 0; k < n; k++)
        any |= is_marked(s, r[k].number);
    if (!any) {
        emit(s, *s->insn);
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        if (is_marked(s, r[k].number))
            s->instead[r[k].number] = PTX_NONE;
    if (n && s->insn->guard == PTX_NONE && s->insn->operand_count == 2 &&
        s->insn->operands[0].kind == PTX_REGISTER && is_marked(s, s->insn->operands[0].index) &&
        s->homes[s->insn->operands[0].index].own == s->insn)
        return;                               /* it is made where it is read */
    for (uint32_t role = 0; role < 2; role++) /* sources, then results */
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t number = r[k].number;
            if (!is_marked(s, number) || (r[k].role == SIMT_RESULT) != role ||
                s->instead[number] != PTX_NONE)
                continue;
            s->instead[number] = simt_fixed_register(s->l, type_of(s, number));
            if (!role)
                fetch(s, number);
            else if (s->insn->guard != PTX_NONE)
                clear(s, number);
        }
    struct ptx_insn insn = *s->insn;
    simt_rename_registers(&insn, &s->l->arena, replaced, s);
    emit(s, insn);
    for (uint32_t k = 0; k < n; k++)
        if (is_marked(s, r[k].number) && r[k].role == SIMT_RESULT)
            put_back(s, r[k].number);
}

void simt_spill(struct simt_lowered *l, const uint8_t *marked) {
    struct ptx_function *f = &l->function;
    struct spilling s = {.l = l, .marked = marked, .registers = (uint32_t)f->registers.len};
    uint32_t *begins = xcalloc(f->insns.len + 1, sizeof *begins);
    s.homes = xcalloc(s.registers + 1u, sizeof *s.homes);
    s.instead = xcalloc(s.registers + 1u, sizeof *s.instead);
    l->local_bytes = (l->local_bytes + 7) / 8 * 8;
    find_homes(&s);
    for (size_t i = 0; i < f->insns.len; i++) {
        begins[i] = (uint32_t)s.out.insns.len;
        s.insn = &f->insns.data[i];
        s.part = l->parts.data[i];
        rewrite(&s);
    }
    begins[f->insns.len] = (uint32_t)s.out.insns.len;
    for (size_t i = 0; i < f->labels.len; i++)
        f->labels.data[i].insn = begins[f->labels.data[i].insn];
    vec_free(&f->insns);
    vec_free(&l->parts);
    vec_reserve(&f->insns, s.out.insns.len);
    vec_reserve(&l->parts, s.parts.len);
    memcpy(f->insns.data, s.out.insns.data, s.out.insns.len * sizeof *f->insns.data);
    memcpy(l->parts.data, s.parts.data, s.parts.len * sizeof *l->parts.data);
    f->insns.len = s.out.insns.len;
    l->parts.len = s.parts.len;
    vec_free(&s.out.insns);
    vec_free(&s.parts);
    free(s.homes);
    free(s.instead);
    free(begins);
}
