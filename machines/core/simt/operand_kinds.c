/* SPDX-License-Identifier: MIT
 * Operands of an instruction: as the letters of its PTX form say. */
#include "machines/core/simt/words.h"

#include <string.h>

static uint8_t kind_of(unsigned bits) {
    return bits == 1 ? SIMT_OPERAND_PREDICATE : bits > 32 ? SIMT_OPERAND_PAIR : SIMT_OPERAND_UNIT;
}

static void add_result(struct simt_insn *insn, unsigned bits) {
    insn->result_kind[insn->result_count++] = kind_of(bits);
}

static void add_source(struct simt_insn *insn, unsigned bits) {
    insn->source_kind[insn->source_count] = kind_of(bits);
    insn->source_bits[insn->source_count++] = (uint8_t)bits;
}

/* One operand, or as many as the vector has. */
static void add_letter(struct simt_insn *insn, char letter) {
    const unsigned bits = ptx_type_bits((enum ptx_type)insn->m.type[0]);
    const unsigned second = ptx_type_bits((enum ptx_type)insn->m.type[1]);
    switch (letter) {
    case 'd':
    case 'x':
    case 'e':
        add_result(insn, bits);
        break;
    case 'w':
        add_result(insn, 2 * bits);
        break;
    case '2':
        add_result(insn, 32);
        break;
    case 'q':
        add_result(insn, 1);
        break;
    case 'v':
        for (unsigned i = 0; i < insn->m.vector; i++)
            add_result(insn, bits);
        break;
    case 's':
        for (unsigned i = 0; i < insn->m.vector; i++)
            add_source(insn, bits);
        break;
    case 'a':
        add_source(insn, bits);
        break;
    case 'b':
    case 'y':
        add_source(insn, second);
        break;
    case 'W':
        add_source(insn, 2 * bits);
        break;
    case 'u':
        add_source(insn, 32);
        break;
    case '8':
        add_source(insn, 64);
        break;
    case 'p':
        add_source(insn, 1);
        break;
    case 'm':
        add_source(insn, insn->address_bits);
        break;
    default: /* a label is the instruction's own */
        break;
    }
}

/* A special register, or what an address is made of. */
static bool shape_start(struct simt_insn *insn) {
    const enum ptx_type type = (enum ptx_type)insn->m.type[0];
    const unsigned bits = ptx_type_bits(type);
    insn->result_count = insn->source_count = 0;
    if (bits != 16 && bits != 32 && bits != 64)
        return false;
    add_result(insn, bits);
    insn->source_count = 1;
    insn->source_kind[0] =
        insn->op == SIMT_S2R ? SIMT_OPERAND_SPECIAL : (uint8_t)SIMT_OPERAND_NUMBER;
    insn->source_bits[0] = insn->op == SIMT_S2R ? 32 : 64;
    return !ptx_type_float(type) && type != PTX_F16X2;
}

/* One result of several sources, or several results of one. */
static bool shape_move(struct simt_insn *insn) {
    const unsigned bits = ptx_type_bits((enum ptx_type)insn->m.type[0]);
    const unsigned results = insn->result_count, sources = insn->source_count;
    insn->result_count = insn->source_count = 0;
    if ((results != 1 && sources != 1) || !results || !sources || results == 3 || sources == 3 ||
        results > 4 || sources > 4 || bits / results < 8 || bits / sources < 8) {
        if (bits != 1 || results != 1 || sources != 1)
            return false;
    }
    for (unsigned i = 0; i < results; i++)
        add_result(insn, bits / results);
    for (unsigned i = 0; i < sources; i++)
        add_source(insn, bits / sources);
    return true;
}

/* Which letters there are of those that may be missing: bar's number of threads by the count. */
static void shape_operands(struct simt_insn *insn, const char *letters) {
    const bool wants = insn->op == SIMT_BAR && insn->source_count < 2;
    insn->result_count = insn->source_count = 0;
    for (; *letters; letters++) {
        if (*letters != '?')
            add_letter(insn, *letters);
        else if ((insn->op == SIMT_SET || insn->op == SIMT_SETP)
                     ? insn->m.operation == PTX_NO_OPERATION
                     : wants)
            return;
    }
}

/* NULL: none has these modifiers, or the instruction is none of PTX; *m as ptx_form_of has it. */
static const struct ptx_form *form_of(enum simt_op op, struct ptx_modifiers *m) {
    struct str name = {0};
    const struct ptx_form *form =
        op == SIMT_S2R || op == SIMT_LEA || op == SIMT_NOP ? NULL
        : op == SIMT_BAR_WARP ? ptx_form_find("bar.warp.sync", strlen("bar.warp.sync"), m, &name)
                              : ptx_form_of(simt_ptx_op(op), m, &name);
    str_free(&name);
    return form;
}

bool simt_shape(struct simt_insn *insn) {
    if (insn->op == SIMT_S2R || insn->op == SIMT_LEA)
        return shape_start(insn);
    if (insn->op == SIMT_NOP) {
        insn->result_count = insn->source_count = 0;
        return !insn->m.type[0];
    }
    const struct ptx_form *form = form_of((enum simt_op)insn->op, &insn->m);
    if (!form)
        return false;
    if (insn->op == SIMT_MOV)
        return shape_move(insn);
    shape_operands(insn, form->operands);
    return true;
}

bool simt_has_second(const struct simt_insn *insn) {
    struct ptx_modifiers m = insn->m;
    const struct ptx_form *form = form_of((enum simt_op)insn->op, &m);
    return form && (form->operands[0] == 'q' || form->operands[0] == 'e');
}

ptx_compute *simt_compute(const struct simt_insn *insn) {
    struct ptx_modifiers m = insn->m;
    const struct ptx_form *form = form_of((enum simt_op)insn->op, &m);
    return form ? form->compute : NULL;
}
