/* SPDX-License-Identifier: MIT
 * Which parameters are pointers, by what is done with them: a parameter that comes to an address is
 * one.  Registers are looked at as wholes, whatever the order of the text. */
#include "ptx/entries.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 8 /* through the text: chains that go back in it are short */

struct finder {
    const struct ptx_module *module;
    const struct ptx_function *entry;
    struct ptx_use *uses;
    uint32_t *origin; /* [registers]: parameter + 1; 0: none */
    bool more;
};

static uint32_t parameter_at(const struct finder *f, const struct ptx_operand *o) {
    for (uint32_t i = 0; o->kind == PTX_VARIABLE && !o->number && i < f->entry->parameter_count;
         i++)
        if (f->entry->parameters[i] == o->index)
            return i + 1;
    return 0;
}

static uint32_t origin_of(const struct finder *f, const struct ptx_operand *o) {
    return o->kind == PTX_REGISTER ? f->origin[o->index] : 0;
}

static void pass(struct finder *f, const struct ptx_insn *insn, uint32_t origin) {
    const struct ptx_operand *to = &insn->operands[0];
    if (!origin || to->kind != PTX_REGISTER || f->origin[to->index] ||
        ptx_type_bits(f->entry->registers.data[to->index].type) != 64)
        return;
    f->origin[to->index] = origin;
    f->more = true;
}

static void use(struct finder *f, uint32_t origin, enum ptx_type type) {
    if (!origin)
        return;
    f->uses[origin - 1].pointer = true;
    if (f->uses[origin - 1].type == PTX_NO_TYPE)
        f->uses[origin - 1].type = type;
}

static bool in_memory(enum ptx_space space) {
    return space == PTX_GENERIC || space == PTX_GLOBAL;
}

static void look(struct finder *f, const struct ptx_insn *insn) {
    const struct ptx_operand *o = insn->operands;
    enum ptx_space space = (enum ptx_space)insn->m.space;
    enum ptx_type type = (enum ptx_type)insn->m.type[0];
    switch (insn->form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        if (space == PTX_PARAM)
            pass(f, insn, parameter_at(f, &o[1]));
        else if (in_memory(space))
            use(f, origin_of(f, &o[1]), type);
        break;
    case PTX_OP_ST:
    case PTX_OP_RED:
        if (in_memory(space))
            use(f, origin_of(f, &o[0]), type);
        break;
    case PTX_OP_ATOM:
        if (in_memory(space))
            use(f, origin_of(f, &o[1]), type);
        break;
    case PTX_OP_CVTA:
        if (space == PTX_GLOBAL)
            use(f, origin_of(f, &o[1]), PTX_NO_TYPE);
        pass(f, insn, origin_of(f, &o[1]));
        break;
    case PTX_OP_MOV:
    case PTX_OP_SUB:
        pass(f, insn, origin_of(f, &o[1]));
        break;
    case PTX_OP_ADD:
    case PTX_OP_SELP:
        pass(f, insn, origin_of(f, &o[1]) ? origin_of(f, &o[1]) : origin_of(f, &o[2]));
        break;
    case PTX_OP_MAD:
        pass(f, insn, origin_of(f, &o[3]));
        break;
    default:
        break;
    }
}

void ptx_find_pointers(const struct ptx_module *module, const struct ptx_function *entry,
                       struct ptx_use *uses) {
    struct finder f = {.module = module, .entry = entry, .uses = uses, .more = true};
    f.origin = xcalloc(entry->registers.len + 1, sizeof *f.origin);
    memset(uses, 0, entry->parameter_count * sizeof *uses);
    for (unsigned round = 0; f.more && round < ROUNDS; round++) {
        f.more = false;
        for (size_t i = 0; i < entry->insns.len; i++)
            look(&f, &entry->insns.data[i]);
    }
    free(f.origin);
}
