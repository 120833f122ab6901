/* SPDX-License-Identifier: MIT
 * Runs: jump-free sequences of vector instructions, prepared once per entry and predication. */
#include "emu/control/state.h"

static int8_t predication_after(const struct insn *insns, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        uint32_t flags = insn_flags(&insns[i]);
        if (flags & ISA_PREDICATE_ON)
            return 1;
        if (flags & ISA_PREDICATE_OFF)
            return 0;
    }
    return -1;
}

static struct run *prepare(struct control *c, uint32_t pc, bool masked) {
    struct run *r = ARENA_NEW(&c->arena, struct run);
    const struct insn *insns = &c->text.insns[pc];
    r->first = pc;
    r->count = text_run_end(&c->text, pc) - pc;
    r->masked_after = predication_after(insns, r->count);
    struct dp_run run = {insns, r->count, masked};
    r->code = c->dp->ops->prepare(c->dp, &run, c->diag);
    if (!r->code)
        return NULL;
    c->dp->ops->describe(c->dp, r->code, &r->about);
    return r;
}

struct run *run_get(struct control *c, uint32_t pc, bool masked, struct stop_place at) {
    struct run **slot = &c->runs[2 * (size_t)pc + masked];
    if (*slot)
        return *slot;
    *slot = prepare(c, pc, masked);
    if (!*slot) {
        const char *why = diag_first(c->diag);
        stop(c, CONTROL_STOPPED, at, "%s", why ? why : "the target cannot carry this out");
    }
    return *slot;
}
