/* SPDX-License-Identifier: MIT
 * From a program's functions to one function of the machine's instructions. */
#include "machines/core/simt/lower.h"

#include "machines/core/simt/code.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

struct lowering {
    struct simt_lowered *out;
    const struct ptx_program *program;
    struct portable_fault *fault;
    uint32_t part; /* of the program, that is put in */
    const struct ptx_function *function;
    const struct ptx_insn *insn; /* that is looked at */
    uint32_t first_label, end;   /* labels of this copy of the function, and that behind it */
};

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
    memcpy(copy, operands, count * sizeof *copy);
    insn.operands = copy;
    insn.form = ptx_form_find(name, strlen(name), &insn.m, &what);
    str_free(&what);
    return insn;
}

static void emit(struct lowering *l, struct ptx_insn insn) {
    vec_push(&l->out->function.insns, insn);
    vec_push(&l->out->parts, l->part);
}

static void emit_new(struct lowering *l, const char *name, const struct ptx_operand *operands,
                     uint32_t count) {
    emit(l, simt_new_insn(l->out, l->insn, name, operands, count));
}

static uint32_t new_label(struct lowering *l) {
    vec_push(&l->out->function.labels, ((struct ptx_label){"", 0}));
    return (uint32_t)l->out->function.labels.len - 1;
}

static void place_label(struct lowering *l, uint32_t label) {
    l->out->function.labels.data[label].insn = (uint32_t)l->out->function.insns.len;
}

/* guard PTX_NONE: always */
static void emit_branch(struct lowering *l, uint32_t label, uint32_t guard, bool guard_not) {
    const struct ptx_operand to = {.kind = PTX_LABEL, .index = label, .second = PTX_NONE};
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, "bra", &to, 1);
    insn.guard = guard;
    insn.guard_not = guard_not;
    emit(l, insn);
}

/* ---- operands ---- */

static const char *move_name(unsigned bits) {
    return bits == 16 ? "mov.u16" : bits == 32 ? "mov.u32" : "mov.u64";
}

static enum ptx_type type_of_bits(unsigned bits) {
    return bits == 1 ? PTX_PRED : bits <= 16 ? PTX_U16 : bits == 32 ? PTX_U32 : PTX_U64;
}

static uint32_t slot(const struct lowering *l, uint32_t number) {
    return l->program->parts.data[l->part].first_slot + number;
}

/* What a special register has, or where data lie, in a register of its own. */
static struct ptx_operand fetched(struct lowering *l, struct ptx_operand what, unsigned bits) {
    const unsigned wide = bits < 16 ? 16 : bits;
    const uint32_t t = simt_new_register(l->out, type_of_bits(wide));
    const struct ptx_operand both[] = {simt_register_operand(t), what};
    emit_new(l, move_name(wide), both, 2);
    return both[0];
}

static bool lies_in_data(enum ptx_space space) {
    return space == PTX_GLOBAL || space == PTX_CONST;
}

static enum ptx_space space_of(const struct lowering *l, uint32_t variable) {
    return l->program->module->variables.data[variable].space;
}

static unsigned register_bits(const struct lowering *l, uint32_t number) {
    return ptx_type_bits(l->out->function.registers.data[number].type);
}

/* The low half of 64 bits, where no more is read of them: registers are read as they are written.
 */
static struct ptx_operand narrow_source(struct lowering *l, struct ptx_operand o, unsigned bits) {
    if (o.kind != PTX_REGISTER || bits > 32 || register_bits(l, o.index) < 64)
        return o;
    const struct ptx_operand both[] = {simt_register_operand(simt_new_register(l->out, PTX_U32)),
                                       o};
    emit_new(l, "cvt.u32.u64", both, 2);
    return both[0];
}

/* An operand that is no address; `fetch`: what is neither register nor number comes into one. */
static struct ptx_operand value(struct lowering *l, const struct ptx_operand *o, enum ptx_type type,
                                unsigned bits, bool fetch) {
    struct ptx_operand v = {.kind = o->kind, .second = PTX_NONE, .negated = o->negated};
    switch (o->kind) {
    case PTX_REGISTER:
        v.index = slot(l, o->index);
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

static struct ptx_operand result(const struct lowering *l, const struct ptx_operand *o) {
    struct ptx_operand r = {.kind = PTX_NOTHING, .second = PTX_NONE};
    if (o->kind == PTX_REGISTER)
        r = simt_register_operand(slot(l, o->index));
    if (o->second != PTX_NONE && o->second != PTX_SINK)
        r.second = slot(l, o->second);
    return r;
}

static bool fits_offset(uint64_t number) {
    return (int64_t)number == sign_extend(number, 32);
}

/* A register with a number that an instruction has room for, or a number. */
static struct ptx_operand address(struct lowering *l, const struct ptx_operand *o) {
    struct ptx_operand base;
    if (o->kind == PTX_REGISTER) {
        base = simt_register_operand(slot(l, o->index));
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
        emit_new(l, "add.u64", sum, 3);
        base = sum[0];
    }
    base.address = true;
    return base;
}

/* ---- one instruction ---- */

/* A copy whose operands are filled in, and what has to follow it. */
struct copied {
    struct ptx_insn insn;
    struct ptx_operand *operands;
    /* Results of at most 32 bits that go to registers of 64: there by a cvt. */
    struct {
        uint32_t from, to;
    } wide[4];
    uint32_t wide_count;
};

/* A result of a type that may be narrower than its register. */
static struct ptx_operand narrow_result(struct lowering *l, struct copied *c,
                                        const struct ptx_operand *o, enum ptx_type type) {
    struct ptx_operand r = result(l, o);
    if (r.kind != PTX_REGISTER || register_bits(l, r.index) < 64 || ptx_type_bits(type) == 64)
        return r;
    c->wide[c->wide_count].to = r.index;
    r.index = simt_new_register(l->out, ptx_type_signed(type) ? PTX_S32 : PTX_U32);
    c->wide[c->wide_count++].from = r.index;
    return r;
}

static void widen(struct lowering *l, const struct copied *c) {
    for (uint32_t i = 0; i < c->wide_count; i++) {
        bool is_signed = l->out->function.registers.data[c->wide[i].from].type == PTX_S32;
        const struct ptx_operand both[] = {simt_register_operand(c->wide[i].to),
                                           simt_register_operand(c->wide[i].from)};
        struct ptx_insn insn =
            simt_new_insn(l->out, l->insn, is_signed ? "cvt.s64.s32" : "cvt.u64.u32", both, 2);
        insn.guard = c->insn.guard;
        insn.guard_not = c->insn.guard_not;
        emit(l, insn);
    }
}

/* Of a vector each part, else the one operand. */
static struct ptx_operand parts(struct lowering *l, struct copied *c, char letter,
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

static struct ptx_operand operand(struct lowering *l, struct copied *c, char letter,
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

static struct copied copy_of(struct lowering *l) {
    struct copied c = {.insn = *l->insn};
    const char *letter = l->insn->form->operands;
    c.operands = ARENA_ARRAY(&l->out->arena, l->insn->operand_count + 1, struct ptx_operand);
    c.insn.operands = c.operands;
    if (c.insn.guard != PTX_NONE)
        c.insn.guard = slot(l, c.insn.guard);
    for (uint32_t i = 0; *letter && i < l->insn->operand_count; letter++)
        if (*letter != '?') {
            c.operands[i] = operand(l, &c, *letter, &l->insn->operands[i], i == 0);
            i++;
        }
    return c;
}

static void emit_copy(struct lowering *l, struct copied *c) {
    settle(&c->insn);
    emit(l, c->insn);
    widen(l, c);
}

/* red: an atomic whose result nobody wants. */
static void lower_reduction(struct lowering *l) {
    struct copied c = copy_of(l);
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
static void lower_window(struct lowering *l) {
    struct copied c = copy_of(l);
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
    emit(l, insn);
}

/* Constants lie where all else does: no generic address says that it is one. */
static void lower_question(struct lowering *l) {
    struct copied c = copy_of(l);
    if (l->insn->m.space != PTX_CONST) {
        emit_copy(l, &c);
        return;
    }
    const struct ptx_operand both[] = {c.operands[0], simt_number_operand(0)};
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, "mov.pred", both, 2);
    insn.guard = c.insn.guard;
    insn.guard_not = c.insn.guard_not;
    emit(l, insn);
}

/* ---- calls ---- */

static bool put_in(struct lowering *l, uint32_t part);

/* Bytes of .param to other ones. */
static void copy_parameters(struct lowering *l, const struct ptx_copy *copies, uint32_t count) {
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
            emit_new(l, kinds[k].load, load, 2);
            emit_new(l, kinds[k].store, store, 2);
            at += kinds[k].bytes;
        }
}

static bool lower_call(struct lowering *l, const struct ptx_step *step) {
    const struct lowering outside = *l;
    const uint32_t behind = new_label(l);
    if (l->insn->guard != PTX_NONE)
        emit_branch(l, behind, slot(l, l->insn->guard), !l->insn->guard_not);
    copy_parameters(l, step->copies, step->copy_count);
    if (!put_in(l, step->callee))
        return false;
    *l = outside;
    copy_parameters(l, step->returned, step->returned_count);
    place_label(l, behind);
    return true;
}

/* From the entry: the end.  From another function to behind it. */
static void lower_return(struct lowering *l, bool last) {
    const uint32_t guard = l->insn->guard == PTX_NONE ? PTX_NONE : slot(l, l->insn->guard);
    if (l->part) {
        if (!last)
            emit_branch(l, l->end, guard, l->insn->guard_not);
        return;
    }
    struct ptx_insn insn = simt_new_insn(l->out, l->insn, "exit", NULL, 0);
    insn.guard = guard;
    insn.guard_not = l->insn->guard_not;
    emit(l, insn);
}

static bool lower_insn(struct lowering *l, const struct ptx_step *step, bool last) {
    struct copied c;
    switch (l->insn->form->op) {
    case PTX_OP_CALL:
        return lower_call(l, step);
    case PTX_OP_RET:
        lower_return(l, last);
        return true;
    case PTX_OP_RED:
        lower_reduction(l);
        return true;
    case PTX_OP_CVTA:
        lower_window(l);
        return true;
    case PTX_OP_ISSPACEP:
        lower_question(l);
        return true;
    case PTX_OP_NANOSLEEP:
        emit_new(l, "nanosleep.u32", NULL, 0);
        return true;
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
    return true;
}

static bool too_long(struct lowering *l) {
    l->fault->line = l->insn ? l->insn->line : 0;
    str_printf(&l->fault->what,
               "with the functions that it calls a kernel has at most %d words of code",
               SIMT_CODE_WORDS);
    return false;
}

/* A copy of a function, with labels of its own; its registers are its own in all copies, since none
 * is within another of the same. */
static bool put_in(struct lowering *l, uint32_t part) {
    const struct ptx_part *p = &l->program->parts.data[part];
    const struct ptx_function *f = &l->program->module->functions.data[p->function];
    uint32_t *begins = xcalloc(f->insns.len + 1, sizeof *begins);
    bool fine = true;
    l->part = part;
    l->function = f;
    l->first_label = (uint32_t)l->out->function.labels.len;
    for (size_t i = 0; i < f->labels.len; i++)
        new_label(l);
    l->end = new_label(l);
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
    place_label(l, end);
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
                     simt_new_insn(l, &f->insns.data[0], bits == 1 ? "mov.pred" : move_name(bits),
                                   both, 2));
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
    struct lowering l = {.out = out, .program = program, .fault = fault};
    *out = (struct simt_lowered){.program = program, .local_bytes = program->local_bytes};
    take_registers(out, program);
    if (!put_in(&l, 0))
        return false;
    l.part = 0;
    if (goes_on(&out->function))
        emit_new(&l, "exit", NULL, 0);
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
