/* SPDX-License-Identifier: MIT
 * Whether operands are as their form says: kinds, and widths of registers. */
#include "ptx/parser.h"

#include <stdio.h>

struct checked {
    struct ptx_parser *parser;
    const struct ptx_insn *insn;
    uint32_t number; /* of the operand, from 1 */
};

static bool wrong(const struct checked *c, const char *what) {
    return ptx_wrong(c->parser, c->insn->line, "operand %u of %s %s", (unsigned)c->number,
                     c->insn->name, what);
}

static enum ptx_type type_of(const struct checked *c, uint32_t reg) {
    return c->parser->function->registers.data[reg].type;
}

static bool is_plain(const struct ptx_operand *o) {
    return !o->address && !o->negated && o->second == PTX_NONE;
}

static bool is_predicate(const struct checked *c, const struct ptx_operand *o) {
    return o->kind == PTX_REGISTER && type_of(c, o->index) == PTX_PRED;
}

/* A register of so many bits, or of at least as many. */
static bool fits(const struct checked *c, uint32_t reg, unsigned bits, bool wider) {
    unsigned has = ptx_type_bits(type_of(c, reg));
    bool predicate = type_of(c, reg) == PTX_PRED;
    return predicate ? bits == 1 : has == bits || (wider && has > bits);
}

static bool check_register(const struct checked *c, const struct ptx_operand *o, unsigned bits,
                           bool wider) {
    char what[96];
    if (fits(c, o->index, bits, wider))
        return true;
    snprintf(what, sizeof what, "is a register of type .%s, and one of %u bits is needed",
             ptx_type_name(type_of(c, o->index)), bits);
    return wrong(c, what);
}

static bool check_result(const struct checked *c, const struct ptx_operand *o, unsigned bits,
                         bool wider) {
    if (o->kind == PTX_NOTHING && is_plain(o))
        return true;
    if (o->kind != PTX_REGISTER || !is_plain(o))
        return wrong(c, "is where a result goes, and no register");
    return check_register(c, o, bits, wider);
}

static bool check_source(const struct checked *c, const struct ptx_operand *o, unsigned bits,
                         bool wider) {
    if (!is_plain(o))
        return wrong(c, "is a register, or a number");
    switch (o->kind) {
    case PTX_REGISTER:
        return check_register(c, o, bits, wider);
    case PTX_NUMBER:
    case PTX_SPECIAL:
        return true;
    case PTX_VARIABLE:
        return bits >= 32 || wrong(c, "is an address");
    case PTX_FUNCTION:
        return wrong(c, "is the address of a function: indirect calls are not there");
    case PTX_LABEL:
    case PTX_VECTOR:
    case PTX_NOTHING:
        break;
    }
    return wrong(c, "is a register, or a number");
}

static bool check_second(const struct checked *c, const struct ptx_operand *o) {
    return o->second == PTX_NONE || o->second == PTX_SINK || type_of(c, o->second) == PTX_PRED ||
           wrong(c, "has a second result that is no predicate");
}

/* p, p|q; or a register with a predicate. */
static bool check_pair(const struct checked *c, const struct ptx_operand *o, unsigned bits) {
    if ((o->kind != PTX_REGISTER && o->kind != PTX_NOTHING) || o->address || o->negated)
        return wrong(c, "is where a result goes, and no register");
    return (o->kind == PTX_NOTHING || check_register(c, o, bits, false)) && check_second(c, o);
}

static bool check_predicate(const struct checked *c, const struct ptx_operand *o) {
    if (o->kind == PTX_NUMBER && is_plain(o))
        return true;
    return (is_predicate(c, o) && !o->address && o->second == PTX_NONE) ||
           wrong(c, "is a predicate");
}

static bool check_address(const struct checked *c, const struct ptx_operand *o) {
    if (!o->address)
        return wrong(c, "is an address in [ ]");
    if (o->kind == PTX_REGISTER)
        return fits(c, o->index, 64, false) || fits(c, o->index, 32, false) ||
               wrong(c, "is an address, of 32 or 64 bits");
    return o->kind == PTX_VARIABLE || o->kind == PTX_NUMBER || wrong(c, "is no address");
}

static bool check_vector(const struct checked *c, const struct ptx_operand *o, bool result) {
    unsigned bits = ptx_type_bits(c->insn->m.type[0]);
    if (c->insn->m.vector == 1)
        return result ? check_result(c, o, bits, true) : check_source(c, o, bits, true);
    if (o->kind != PTX_VECTOR || o->part_count != c->insn->m.vector)
        return wrong(c, "is a vector of as many parts as the instruction says");
    for (uint32_t i = 0; i < o->part_count; i++)
        if (result ? !check_result(c, &o->parts[i], bits, true)
                   : !check_source(c, &o->parts[i], bits, true))
            return false;
    return true;
}

/* Both sides of mov: one of them may be a vector, whose parts together are as wide. */
static bool check_mov(const struct checked *c, const struct ptx_operand *o, bool result) {
    unsigned bits = ptx_type_bits(c->insn->m.type[0]);
    if (o->kind != PTX_VECTOR)
        return result ? check_result(c, o, bits, false) : check_source(c, o, bits, false);
    if (bits % o->part_count)
        return wrong(c, "has parts that do not fill the type");
    for (uint32_t i = 0; i < o->part_count; i++)
        if (result ? !check_result(c, &o->parts[i], bits / o->part_count, false)
                   : !check_source(c, &o->parts[i], bits / o->part_count, false))
            return false;
    return true;
}

static bool check_one(const struct checked *c, char letter, const struct ptx_operand *o) {
    const struct ptx_modifiers *m = &c->insn->m;
    unsigned bits = ptx_type_bits(m->type[0]), second = ptx_type_bits(m->type[1]);
    bool first = c->number == 1;
    switch (letter) {
    case 'd':
        return check_result(c, o, bits, false);
    case 'w':
        return check_result(c, o, 2 * bits, false);
    case '2':
        return check_result(c, o, 32, false);
    case 'x':
        return check_result(c, o, bits, true);
    case 'q':
        return check_pair(c, o, 1);
    case 'e':
        return check_pair(c, o, bits);
    case 'a':
        return check_source(c, o, bits, false);
    case 'b':
        return check_source(c, o, second, false);
    case 'W':
        return check_source(c, o, 2 * bits, false);
    case 'y':
        return check_source(c, o, second, true);
    case 'u':
        return check_source(c, o, 32, false);
    case '8':
        return check_source(c, o, 64, false);
    case 'p':
        return check_predicate(c, o);
    case 'm':
        return check_address(c, o);
    case 'v':
        return check_vector(c, o, true);
    case 's':
        return check_vector(c, o, false);
    case 't':
        return check_mov(c, o, first);
    default: /* 'l' */
        return o->kind == PTX_LABEL || wrong(c, "is a label");
    }
}

/* ---- calls ---- */

static bool check_call(struct ptx_parser *parser, const struct ptx_insn *insn) {
    const struct ptx_operand *of = &insn->operands[insn->result_count];
    const struct ptx_function *f = &parser->module->functions.data[of->index];
    uint32_t given = insn->operand_count - insn->result_count - 1;
    if (f->is_entry)
        return ptx_wrong(parser, insn->line, "'%s' is an entry, which nobody calls", f->name);
    if (given != f->parameter_count || insn->result_count != f->result_count)
        return ptx_wrong(parser, insn->line,
                         "'%s' takes %u arguments and gives %u results, and not %u and %u", f->name,
                         f->parameter_count, f->result_count, given, insn->result_count);
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        const struct ptx_operand *o = &insn->operands[i];
        bool in_space = o->kind == PTX_VARIABLE &&
                        parser->module->variables.data[o->index].space == PTX_PARAM &&
                        is_plain(o) && !o->number;
        if (i != insn->result_count && !in_space)
            return ptx_wrong(parser, insn->line, "a call takes and gives variables of .param");
    }
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        const struct ptx_operand *o = &insn->operands[i];
        if (i == insn->result_count)
            continue;
        uint32_t formal =
            i < insn->result_count ? f->results[i] : f->parameters[i - insn->result_count - 1];
        const struct ptx_variable *v = &parser->module->variables.data[formal];
        if (parser->module->variables.data[o->index].bytes != v->bytes)
            return ptx_wrong(parser, insn->line, "'%s' of '%s' has %llu bytes, and not %llu",
                             v->name, f->name, (unsigned long long)v->bytes,
                             (unsigned long long)parser->module->variables.data[o->index].bytes);
    }
    return true;
}

bool ptx_check_insn(struct ptx_parser *parser, const struct ptx_insn *insn) {
    struct checked c = {parser, insn, 0};
    const char *letters = insn->form->operands;
    bool optional = false;
    if (insn->form->op == PTX_OP_CALL)
        return check_call(parser, insn);
    if ((insn->form->op == PTX_OP_SETP || insn->form->op == PTX_OP_SET) &&
        (insn->m.operation != PTX_NO_OPERATION) != (insn->operand_count > 3))
        return ptx_wrong(parser, insn->line, "%s: .and, .or and .xor combine with a predicate",
                         insn->name);
    for (; *letters; letters++) {
        if (*letters == '?') {
            optional = true;
            continue;
        }
        if (c.number == insn->operand_count)
            return optional || ptx_wrong(parser, insn->line, "%s lacks operands: there are %u",
                                         insn->name, (unsigned)insn->operand_count);
        const struct ptx_operand *o = &insn->operands[c.number++];
        if (!check_one(&c, *letters, o))
            return false;
    }
    return c.number == insn->operand_count ||
           ptx_wrong(parser, insn->line, "%s has %u operands, and not %u", insn->name,
                     (unsigned)c.number, (unsigned)insn->operand_count);
}
