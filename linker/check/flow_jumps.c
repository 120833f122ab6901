/* SPDX-License-Identifier: MIT
 * Where jumps may go. */
#include "linker/check/flow.h"

#include <inttypes.h>

static void note_around(const struct flow_check *flow, uint32_t marker, const char *what) {
    if (marker)
        diag_note(flow->d, link_flow_span(flow, marker - 1),
                  "the %s begins at instruction %" PRIu32, what, marker - 1);
}

static const char *subroutine_name(const struct flow_check *flow, uint32_t symbol) {
    return symbol == NO_INDEX ? NULL : flow->o->symbols.data[symbol].name;
}

static void crosses_subroutine(const struct flow_check *flow, uint32_t index, uint32_t to,
                               const char *name) {
    const char *from = subroutine_name(flow, flow->at[index].subroutine);
    const char *into = subroutine_name(flow, flow->at[to].subroutine);
    if (from && into)
        link_flow_error(flow, index, "%s jumps from subroutine '%s' into '%s'", name, from, into);
    else if (from)
        link_flow_error(flow, index, "%s jumps out of subroutine '%s'", name, from);
    else
        link_flow_error(flow, index, "%s jumps into subroutine '%s'", name, into);
    diag_note(flow->d, link_flow_span(flow, to), "its target is instruction %" PRIu32, to);
}

static void crosses_ensemble(const struct flow_check *flow, uint32_t index, uint32_t to,
                             const char *name) {
    uint32_t from = flow->at[index].ensemble, into = flow->at[to].ensemble;
    link_flow_error(flow, index, "%s at instruction %" PRIu32 " jumps %s", name, index,
                    from && into ? "from one ensemble into another"
                    : from       ? "out of its ensemble"
                                 : "into an ensemble");
    diag_note(flow->d, link_flow_span(flow, to), "its target is instruction %" PRIu32, to);
    note_around(flow, into ? into : from, "ensemble");
}

/* True if REPEAT `outer` - 1 is among those around REPEAT `inner` - 1, or there is no outer one. */
static bool encloses(const struct flow_check *flow, uint32_t outer, uint32_t inner) {
    while (inner && inner != outer)
        inner = flow->at[inner - 1].repeat;
    return inner == outer;
}

static void crosses_repeat(const struct flow_check *flow, uint32_t index, uint32_t to,
                           const char *name) {
    uint32_t from = flow->at[index].repeat, into = flow->at[to].repeat;
    bool out = encloses(flow, into, from);
    link_flow_error(flow, index, "%s at instruction %" PRIu32 " jumps %s a REPEAT", name, index,
                    out ? "out of" : "into");
    note_around(flow, out ? from : into, "REPEAT");
}

static void crosses_message(const struct flow_check *flow, uint32_t index, uint32_t to,
                            const char *name) {
    uint32_t send = flow->at[to].message ? flow->at[to].message : flow->at[index].message;
    link_flow_error(flow, index, "%s at instruction %" PRIu32 " jumps %s a message", name, index,
                    flow->at[to].message ? "into" : "out of");
    note_around(flow, send, "SEND");
}

/* JUMP_COND, JUMP_NONE, GOTO, JUMP_ANY stay at their place of the structure. */
static void check_jump(const struct flow_check *flow, uint32_t index, uint32_t to,
                       const char *name) {
    const struct standing *a = &flow->at[index], *b = &flow->at[to];
    if (a->subroutine != b->subroutine)
        crosses_subroutine(flow, index, to, name);
    else if (a->ensemble != b->ensemble)
        crosses_ensemble(flow, index, to, name);
    else if (a->repeat != b->repeat)
        crosses_repeat(flow, index, to, name);
    else if (a->message != b->message)
        crosses_message(flow, index, to, name);
}

static void check_call(const struct flow_check *flow, uint32_t index, uint32_t to,
                       const char *name) {
    if (to >= flow->o->text.len)
        link_flow_error(flow, index, "%s calls the end of the text, where nothing stands", name);
    else if (flow->at[to].repeat)
        crosses_repeat(flow, index, to, name);
    else if (flow->at[to].message)
        crosses_message(flow, index, to, name);
}

static void check_otherwise(const struct flow_check *flow, uint32_t index,
                            const struct insn *insn) {
    const struct recipe_call *c = object_call(flow->o, insn);
    if (c && c->otherwise != NO_INDEX)
        check_call(flow, index, (uint32_t)flow->o->symbols.data[c->otherwise].value,
                   "the 'else' of RECIPE");
}

/* The whole machine carries a kernel out. */
static void check_launch(const struct flow_check *flow, uint32_t index, const struct insn *insn) {
    const struct recipe_call *c = object_call(flow->o, insn);
    const struct kernel_decl *k = c ? object_call_kernel(flow->o, c) : NULL;
    if (k && (flow->at[index].ensemble || flow->at[index].message))
        link_flow_error(flow, index,
                        "RECIPE of kernel '%s' at instruction %" PRIu32 " stands inside %s",
                        k->name, index, flow->at[index].ensemble ? "an ensemble" : "a SEND");
}

static void check_instruction(const struct flow_check *flow, uint32_t index) {
    struct insn insn;
    if (isa_decode(flow->o->text.data[index], &insn) != ISA_OK)
        return;
    check_otherwise(flow, index, &insn);
    check_launch(flow, index, &insn);
    if (isa_info(insn.op)->format != FORMAT_J)
        return;
    uint32_t to = (uint32_t)insn.imm;
    const struct flow_jump jump = {index, to, insn.op};
    vec_push(flow->jumps, jump);
    if (insn.op == OP_JUMP)
        check_call(flow, index, to, "JUMP");
    else if (insn.op == OP_JUMP_ANY && flow->at[index].ensemble)
        link_flow_error(flow, index,
                        "JUMP_ANY at instruction %" PRIu32 " stands inside an ensemble", index);
    else
        check_jump(flow, index, to, isa_info(insn.op)->name);
}

void link_check_jumps(const struct flow_check *flow) {
    for (uint32_t i = 0; i < flow->o->text.len && !diag_full(flow->d); i++)
        check_instruction(flow, i);
}
