/* SPDX-License-Identifier: MIT
 * Where jumps may go. */
#include "linker/flow.h"

#include <inttypes.h>

static void note_around(const struct flow_check *f, uint32_t marker, const char *what) {
    if (marker)
        diag_note(f->d, link_flow_span(f, marker - 1), "the %s begins at instruction %" PRIu32,
                  what, marker - 1);
}

static const char *subroutine_name(const struct flow_check *f, uint32_t symbol) {
    return symbol == NO_INDEX ? NULL : f->o->symbols.data[symbol].name;
}

static void crosses_subroutine(const struct flow_check *f, uint32_t i, uint32_t to,
                               const char *name) {
    const char *from = subroutine_name(f, f->at[i].subroutine);
    const char *into = subroutine_name(f, f->at[to].subroutine);
    if (from && into)
        link_flow_error(f, i, "%s jumps from subroutine '%s' into '%s'", name, from, into);
    else if (from)
        link_flow_error(f, i, "%s jumps out of subroutine '%s'", name, from);
    else
        link_flow_error(f, i, "%s jumps into subroutine '%s'", name, into);
    diag_note(f->d, link_flow_span(f, to), "its target is instruction %" PRIu32, to);
}

static void crosses_ensemble(const struct flow_check *f, uint32_t i, uint32_t to,
                             const char *name) {
    uint32_t from = f->at[i].ensemble, into = f->at[to].ensemble;
    link_flow_error(f, i, "%s at instruction %" PRIu32 " jumps %s", name, i,
                    from && into ? "from one ensemble into another"
                    : from       ? "out of its ensemble"
                                 : "into an ensemble");
    diag_note(f->d, link_flow_span(f, to), "its target is instruction %" PRIu32, to);
    note_around(f, into ? into : from, "ensemble");
}

/* True if REPEAT `outer` - 1 is among those around REPEAT `inner` - 1, or there is no outer one. */
static bool encloses(const struct flow_check *f, uint32_t outer, uint32_t inner) {
    while (inner && inner != outer)
        inner = f->at[inner - 1].repeat;
    return inner == outer;
}

static void crosses_repeat(const struct flow_check *f, uint32_t i, uint32_t to, const char *name) {
    uint32_t from = f->at[i].repeat, into = f->at[to].repeat;
    bool out = encloses(f, into, from);
    link_flow_error(f, i, "%s at instruction %" PRIu32 " jumps %s a REPEAT", name, i,
                    out ? "out of" : "into");
    note_around(f, out ? from : into, "REPEAT");
}

static void crosses_message(const struct flow_check *f, uint32_t i, uint32_t to, const char *name) {
    uint32_t send = f->at[to].message ? f->at[to].message : f->at[i].message;
    link_flow_error(f, i, "%s at instruction %" PRIu32 " jumps %s a message", name, i,
                    f->at[to].message ? "into" : "out of");
    note_around(f, send, "SEND");
}

/* JUMP_COND, JUMP_NONE, GOTO, JUMP_ANY stay at their place of the structure. */
static void check_jump(const struct flow_check *f, uint32_t i, uint32_t to, const char *name) {
    const struct standing *a = &f->at[i], *b = &f->at[to];
    if (a->subroutine != b->subroutine)
        crosses_subroutine(f, i, to, name);
    else if (a->ensemble != b->ensemble)
        crosses_ensemble(f, i, to, name);
    else if (a->repeat != b->repeat)
        crosses_repeat(f, i, to, name);
    else if (a->message != b->message)
        crosses_message(f, i, to, name);
}

static void check_call(const struct flow_check *f, uint32_t i, uint32_t to, const char *name) {
    if (to >= f->o->text.len)
        link_flow_error(f, i, "%s calls the end of the text, where nothing stands", name);
    else if (f->at[to].repeat)
        crosses_repeat(f, i, to, name);
    else if (f->at[to].message)
        crosses_message(f, i, to, name);
}

static void check_otherwise(const struct flow_check *f, uint32_t i, const struct insn *insn) {
    const struct recipe_call *c = object_call(f->o, insn);
    if (c && c->otherwise != NO_INDEX)
        check_call(f, i, (uint32_t)f->o->symbols.data[c->otherwise].value, "the 'else' of RECIPE");
}

static void check_instruction(const struct flow_check *f, uint32_t i) {
    struct insn insn;
    if (isa_decode(f->o->text.data[i], &insn) != ISA_OK)
        return;
    check_otherwise(f, i, &insn);
    if (isa_info(insn.op)->format != FORMAT_J)
        return;
    uint32_t to = (uint32_t)insn.imm;
    if (insn.op == OP_JUMP)
        check_call(f, i, to, "JUMP");
    else if (insn.op == OP_JUMP_ANY && f->at[i].ensemble)
        link_flow_error(f, i, "JUMP_ANY at instruction %" PRIu32 " stands inside an ensemble", i);
    else
        check_jump(f, i, to, isa_info(insn.op)->name);
}

void link_check_jumps(const struct flow_check *f) {
    for (uint32_t i = 0; i < f->o->text.len && !diag_full(f->d); i++)
        check_instruction(f, i);
}
