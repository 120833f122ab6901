/* SPDX-License-Identifier: MIT
 * Instructions of PTX as those of the machine. */
#include "machines/core/simt/lowering.h"

#include "support/bits.h"

#include <string.h>

/* ---- new instructions ---- */

struct ptx_operand simt_register_operand(uint32_t number) {
    return (struct ptx_operand){.kind = PTX_REGISTER, .index = number, .second = PTX_NONE};
}

struct ptx_operand simt_number_operand(uint64_t number) {
    return (struct ptx_operand){.kind = PTX_NUMBER, .number = number, .second = PTX_NONE};
}

struct ptx_operand simt_place_operand(uint64_t address) {
    struct ptx_operand o = simt_number_operand(address);
    o.address = true;
    return o;
}

uint32_t simt_new_register(struct simt_lowered *l, enum ptx_type type) {
    vec_push(&l->function.registers, ((struct ptx_register){"", type}));
    return (uint32_t)l->function.registers.len - 1;
}

struct ptx_insn simt_new_insn(struct simt_lowered *l, const struct ptx_insn *like, const char *name,
                              const struct ptx_operand *operands, uint32_t count) {
    struct ptx_insn insn = {.name = name, .guard = PTX_NONE, .operand_count = count};
    struct ptx_operand *copy = ARENA_ARRAY(&l->arena, count + 1, struct ptx_operand);
    struct str what = {0};
    if (like) {
        insn.line = like->line;
        insn.file = like->file;
        insn.source_line = like->source_line;
    }
    if (count)
        memcpy(copy, operands, count * sizeof *copy);
    insn.operands = copy;
    insn.form = ptx_form_find(name, strlen(name), &insn.m, &what);
    str_free(&what);
    return insn;
}

void simt_lower_emit(struct simt_lowering *l, struct ptx_insn insn) {
    vec_push(&l->out->function.insns, insn);
    vec_push(&l->out->parts, l->part);
}

void simt_lower_emit_new(struct simt_lowering *l, const char *name,
                         const struct ptx_operand *operands, uint32_t count) {
    simt_lower_emit(l, simt_new_insn(l->out, l->insn, name, operands, count));
}

uint32_t simt_lower_new_label(struct simt_lowering *l) {
    vec_push(&l->out->function.labels, ((struct ptx_label){"", 0}));
    return (uint32_t)l->out->function.labels.len - 1;
}

void simt_lower_place_label(struct simt_lowering *l, uint32_t label) {
    l->out->function.labels.data[label].insn = (uint32_t)l->out->function.insns.len;
}

/* guard PTX_NONE: always */
void simt_lower_emit_branch(struct simt_lowering *l, uint32_t label, uint32_t guard,
                            bool guard_not) {
    const struct ptx_operand to = {.kind = PTX_LABEL, .index = label, .second = PTX_NONE};
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, "bra", &to, 1);
    insn.guard = guard;
    insn.guard_not = guard_not;
    simt_lower_emit(l, insn);
}

/* ---- operands ---- */

const char *simt_lower_move_name(unsigned bits) {
    return bits == 16 ? "mov.u16" : bits == 32 ? "mov.u32" : "mov.u64";
}

static enum ptx_type type_of_bits(unsigned bits) {
    return bits == 1 ? PTX_PRED : bits <= 16 ? PTX_U16 : bits == 32 ? PTX_U32 : PTX_U64;
}

uint32_t simt_lower_slot(const struct simt_lowering *l, uint32_t number) {
    return l->program->parts.data[l->part].first_slot + number;
}

/* What a special register has, or where data lie, in a register of its own. */
static struct ptx_operand fetched(struct simt_lowering *l, struct ptx_operand what, unsigned bits) {
    const unsigned wide = bits < 16 ? 16 : bits;
    const uint32_t t = simt_new_register(l->out, type_of_bits(wide));
    const struct ptx_operand both[] = {simt_register_operand(t), what};
    simt_lower_emit_new(l, simt_lower_move_name(wide), both, 2);
    return both[0];
}

static bool lies_in_data(enum ptx_space space) {
    return space == PTX_GLOBAL || space == PTX_CONST;
}

static enum ptx_space space_of(const struct simt_lowering *l, uint32_t variable) {
    return l->program->module->variables.data[variable].space;
}

static unsigned register_bits(const struct simt_lowering *l, uint32_t number) {
    return ptx_type_bits(l->out->function.registers.data[number].type);
}

/* The low half of 64 bits, where no more is read of them: registers are read as they are written.
 */
static struct ptx_operand narrow_source(struct simt_lowering *l, struct ptx_operand o,
                                        unsigned bits) {
    if (o.kind != PTX_REGISTER || bits > 32 || register_bits(l, o.index) < 64)
        return o;
    const struct ptx_operand both[] = {simt_register_operand(simt_new_register(l->out, PTX_U32)),
                                       o};
    simt_lower_emit_new(l, "cvt.u32.u64", both, 2);
    return both[0];
}

/* An operand that is no address; `fetch`: what is neither register nor number comes into one. */
static struct ptx_operand value(struct simt_lowering *l, const struct ptx_operand *o,
                                enum ptx_type type, unsigned bits, bool fetch) {
    struct ptx_operand v = {.kind = o->kind, .second = PTX_NONE, .negated = o->negated};
    switch (o->kind) {
    case PTX_REGISTER:
        v.index = simt_lower_slot(l, o->index);
        return v;
    case PTX_SPECIAL:
        if (o->index == PTX_SPECIAL_WARP_SZ || o->index == PTX_SPECIAL_GRIDID)
            return simt_number_operand(o->index == PTX_SPECIAL_WARP_SZ ? PTX_WARP : 0);
        v.index = o->index;
        return fetch ? fetched(l, v, bits) : v;
    case PTX_VARIABLE:
        v.number = l->program->offsets[o->index] + o->number;
        if (!lies_in_data(space_of(l, o->index)))
            return simt_number_operand(v.number & low_bits(bits));
        return fetch ? fetched(l, v, bits) : v;
    default:
        return simt_number_operand(ptx_number_bits(o->number, o->number_kind, type) &
                                   low_bits(bits));
    }
}

static struct ptx_operand result(const struct simt_lowering *l, const struct ptx_operand *o) {
    struct ptx_operand r = {.kind = PTX_NOTHING, .second = PTX_NONE};
    if (o->kind == PTX_REGISTER)
        r = simt_register_operand(simt_lower_slot(l, o->index));
    if (o->second != PTX_NONE && o->second != PTX_SINK)
        r.second = simt_lower_slot(l, o->second);
    return r;
}

static bool fits_offset(uint64_t number) {
    return (int64_t)number == sign_extend(number, 32);
}

/* A register with a number that an instruction has room for, or a number. */
static struct ptx_operand address(struct simt_lowering *l, const struct ptx_operand *o) {
    struct ptx_operand base;
    if (o->kind == PTX_REGISTER) {
        base = simt_register_operand(simt_lower_slot(l, o->index));
        if (l->out->function.registers.data[base.index].type != PTX_PRED &&
            ptx_type_bits(l->out->function.registers.data[base.index].type) == 32)
            base.number = (uint64_t)sign_extend(o->number, 32);
        else
            base.number = o->number;
    } else if (o->kind == PTX_NUMBER) {
        return simt_place_operand(o->number);
    } else if (lies_in_data(space_of(l, o->index))) {
        struct ptx_operand where = {
            .kind = PTX_VARIABLE, .second = PTX_NONE, .number = l->program->offsets[o->index]};
        base = fetched(l, where, 64);
        base.number = o->number;
    } else {
        return simt_place_operand(l->program->offsets[o->index] + o->number);
    }
    if (!fits_offset(base.number)) {
        const struct ptx_operand sum[] = {simt_register_operand(simt_new_register(l->out, PTX_U64)),
                                          simt_register_operand(base.index),
                                          simt_number_operand(base.number)};
        simt_lower_emit_new(l, "add.u64", sum, 3);
        base = sum[0];
    }
    base.address = true;
    return base;
}

/* ---- one instruction ---- */

/* A copy whose operands are filled in, and what has to follow it. */
struct copied_insn {
    struct ptx_insn insn;
    struct ptx_operand *operands;
    /* Results of at most 32 bits that go to registers of 64: there by a cvt. */
    struct {
        uint32_t from, to;
    } wide[4];
    uint32_t wide_count;
};

/* A result of a type that may be narrower than its register. */
static struct ptx_operand narrow_result(struct simt_lowering *l, struct copied_insn *c,
                                        const struct ptx_operand *o, enum ptx_type type) {
    struct ptx_operand r = result(l, o);
    if (r.kind != PTX_REGISTER || register_bits(l, r.index) < 64 || ptx_type_bits(type) == 64)
        return r;
    c->wide[c->wide_count].to = r.index;
    r.index = simt_new_register(l->out, ptx_type_signed(type) ? PTX_S32 : PTX_U32);
    c->wide[c->wide_count++].from = r.index;
    return r;
}

static void widen(struct simt_lowering *l, const struct copied_insn *c) {
    for (uint32_t i = 0; i < c->wide_count; i++) {
        bool is_signed = l->out->function.registers.data[c->wide[i].from].type == PTX_S32;
        const struct ptx_operand both[] = {simt_register_operand(c->wide[i].to),
                                           simt_register_operand(c->wide[i].from)};
        struct ptx_insn insn =
            simt_new_insn(l->out, l->insn, is_signed ? "cvt.s64.s32" : "cvt.u64.u32", both, 2);
        insn.guard = c->insn.guard;
        insn.guard_not = c->insn.guard_not;
        simt_lower_emit(l, insn);
    }
}

/* Of a vector each part, else the one operand. */
static struct ptx_operand parts(struct simt_lowering *l, struct copied_insn *c, char letter,
                                const struct ptx_operand *o, bool is_result) {
    const enum ptx_type type = (enum ptx_type)c->insn.m.type[0];
    const uint32_t n = o->kind == PTX_VECTOR ? o->part_count : 1;
    const bool moves = letter == 't';
    const unsigned bits = ptx_type_bits(type) / (moves ? n : 1);
    struct ptx_operand *list = ARENA_ARRAY(&l->out->arena, n, struct ptx_operand);
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *part = o->kind == PTX_VECTOR ? &o->parts[i] : o;
        if (is_result)
            list[i] = moves ? result(l, part) : narrow_result(l, c, part, type);
        else
            list[i] = narrow_source(l, value(l, part, type, bits, !(moves && n == 1)), bits);
    }
    if (o->kind != PTX_VECTOR)
        return list[0];
    return (struct ptx_operand){
        .kind = PTX_VECTOR, .parts = list, .part_count = n, .second = PTX_NONE};
}

static struct ptx_operand operand(struct simt_lowering *l, struct copied_insn *c, char letter,
                                  const struct ptx_operand *o, bool first) {
    const enum ptx_type type = (enum ptx_type)c->insn.m.type[0];
    const enum ptx_type second = (enum ptx_type)c->insn.m.type[1];
    switch (letter) {
    case 'd':
    case 'w':
    case '2':
    case 'q':
    case 'e':
        return result(l, o);
    case 'x':
        return narrow_result(l, c, o, type);
    case 'v':
    case 's':
    case 't':
        return parts(l, c, letter, o, letter == 'v' || (letter == 't' && first));
    case 'a':
        return value(l, o, type, ptx_type_bits(type), true);
    case 'b':
    case 'y':
        return narrow_source(l, value(l, o, second, ptx_type_bits(second), true),
                             ptx_type_bits(second));
    case 'W':
        return value(l, o, PTX_U64, 2 * ptx_type_bits(type), true);
    case 'u':
        return value(l, o, PTX_U32, 32, true);
    case '8':
        return value(l, o, PTX_U64, 64, true);
    case 'p':
        return value(l, o, PTX_PRED, 1, true);
    case 'm':
        if (c->insn.m.space == PTX_GENERIC && o->kind == PTX_VARIABLE)
            c->insn.m.space = (uint8_t)space_of(l, o->index);
        return address(l, o);
    default: /* 'l' */
        return (struct ptx_operand){
            .kind = PTX_LABEL, .index = l->first_label + o->index, .second = PTX_NONE};
    }
}

static void set_form(struct ptx_insn *insn, enum ptx_op op) {
    struct str name = {0};
    insn->form = ptx_form_of(op, &insn->m, &name);
    str_free(&name);
}

/* Modifiers that say the same are made one. */
static void settle(struct ptx_insn *insn) {
    static const uint8_t plain[] = {
        [PTX_LO] = PTX_LT, [PTX_LS] = PTX_LE, [PTX_HI] = PTX_GT, [PTX_HS] = PTX_GE};
    const bool real = ptx_type_float((enum ptx_type)insn->m.type[0]);
    insn->m.flags &= (uint16_t)~PTX_HINT;
    switch (insn->form->op) {
    case PTX_OP_SET:
    case PTX_OP_SETP:
        if (insn->m.compare >= PTX_LO && insn->m.compare <= PTX_HS)
            insn->m.compare = plain[insn->m.compare];
        break;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
        if (insn->m.round == PTX_RN)
            insn->m.round = PTX_NO_ROUNDING;
        break;
    case PTX_OP_MAD:
        if (real && !insn->m.round)
            insn->m.round = PTX_RN;
        if (real)
            set_form(insn, PTX_OP_FMA);
        break;
    case PTX_OP_LDU:
        set_form(insn, PTX_OP_LD);
        break;
    case PTX_OP_FENCE:
        insn->m = (struct ptx_modifiers){.vector = 1};
        set_form(insn, PTX_OP_MEMBAR);
        break;
    default:
        break;
    }
}

static struct copied_insn copy_of(struct simt_lowering *l) {
    struct copied_insn c = {.insn = *l->insn};
    const char *letter = l->insn->form->operands;
    c.operands = ARENA_ARRAY(&l->out->arena, l->insn->operand_count + 1, struct ptx_operand);
    c.insn.operands = c.operands;
    if (c.insn.guard != PTX_NONE)
        c.insn.guard = simt_lower_slot(l, c.insn.guard);
    for (uint32_t i = 0; *letter && i < l->insn->operand_count; letter++)
        if (*letter != '?') {
            c.operands[i] = operand(l, &c, *letter, &l->insn->operands[i], i == 0);
            i++;
        }
    return c;
}

static void emit_copy(struct simt_lowering *l, struct copied_insn *c) {
    settle(&c->insn);
    simt_lower_emit(l, c->insn);
    widen(l, c);
}

/* red: an atomic whose result nobody wants. */
static void lower_reduction(struct simt_lowering *l) {
    struct copied_insn c = copy_of(l);
    struct ptx_operand *all =
        ARENA_ARRAY(&l->out->arena, c.insn.operand_count + 1, struct ptx_operand);
    all[0] = (struct ptx_operand){.kind = PTX_NOTHING, .second = PTX_NONE};
    memcpy(all + 1, c.operands, c.insn.operand_count * sizeof *all);
    c.insn.operands = all;
    c.insn.operand_count++;
    set_form(&c.insn, PTX_OP_ATOM);
    emit_copy(l, &c);
}

/* To a generic address, or back: the window is added or taken away. */
static void lower_window(struct simt_lowering *l) {
    struct copied_insn c = copy_of(l);
    const bool back = l->insn->m.flags & PTX_TO, wide = c.insn.m.type[0] == PTX_U64;
    const uint64_t window = ptx_window((enum ptx_space)l->insn->m.space);
    struct ptx_operand from = c.operands[1];
    if (from.kind != PTX_REGISTER && from.kind != PTX_NUMBER && window)
        from = fetched(l, from, wide ? 64 : 32);
    const struct ptx_operand all[] = {c.operands[0], from,
                                      simt_number_operand(window & low_bits(wide ? 64 : 32))};
    const char *name = !window ? (wide ? "mov.u64" : "mov.u32")
                       : back  ? (wide ? "sub.u64" : "sub.u32")
                               : (wide ? "add.u64" : "add.u32");
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, name, all, window ? 3 : 2);
    insn.guard = c.insn.guard;
    insn.guard_not = c.insn.guard_not;
    simt_lower_emit(l, insn);
}

/* Constants lie where all else does: no generic address says that it is one. */
static void lower_question(struct simt_lowering *l) {
    struct copied_insn c = copy_of(l);
    if (l->insn->m.space != PTX_CONST) {
        emit_copy(l, &c);
        return;
    }
    const struct ptx_operand both[] = {c.operands[0], simt_number_operand(0)};
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, "mov.pred", both, 2);
    insn.guard = c.insn.guard;
    insn.guard_not = c.insn.guard_not;
    simt_lower_emit(l, insn);
}

void simt_lower_plain(struct simt_lowering *l) {
    struct copied_insn c;
    switch (l->insn->form->op) {
    case PTX_OP_RED:
        lower_reduction(l);
        return;
    case PTX_OP_CVTA:
        lower_window(l);
        return;
    case PTX_OP_ISSPACEP:
        lower_question(l);
        return;
    case PTX_OP_NANOSLEEP:
        simt_lower_emit_new(l, "nanosleep.u32", NULL, 0);
        return;
    case PTX_OP_MOV:
        c = copy_of(l);
        if (c.insn.operands[1].kind == PTX_SPECIAL || c.insn.operands[1].kind == PTX_VARIABLE)
            c.insn.m.type[0] =
                (uint8_t)type_of_bits(ptx_type_bits((enum ptx_type)c.insn.m.type[0]));
        break;
    default:
        c = copy_of(l);
        break;
    }
    emit_copy(l, &c);
}
