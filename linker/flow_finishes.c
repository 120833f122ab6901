/* SPDX-License-Identifier: MIT
 * Text that the host may stand in for: whole at top level, and entered at its beginning. */
#include "linker/flow.h"

#include <inttypes.h>

static bool is_header(const struct flow_check *f, uint32_t index) {
    struct insn i;
    return isa_decode(f->o->text.data[index], &i) == ISA_OK &&
           (i.op == OP_COMPUTE || i.op == OP_COMPUTEG || i.op == OP_MOVE);
}

/* Top level, and not between two headers of one ensemble or behind them. */
static bool at_top(const struct flow_check *f, uint32_t i) {
    const struct standing *s = &f->at[i];
    return s->subroutine == NO_INDEX && !s->ensemble && !s->repeat && !s->message &&
           !(i && is_header(f, i - 1));
}

/* A jump from outside to an instruction behind the first. */
static void check_entered(const struct flow_check *f, const struct finish_record *r) {
    for (uint32_t i = 0; i < f->o->text.len; i++) {
        struct insn x;
        if ((i >= r->first && i < r->last) || isa_decode(f->o->text.data[i], &x) != ISA_OK ||
            isa_info(x.op)->format != FORMAT_J)
            continue;
        uint32_t to = (uint32_t)x.imm;
        if (to > r->first && to < r->last)
            link_flow_error(f, i,
                            "%s at instruction %" PRIu32
                            " jumps into a reduction that the host may finish",
                            isa_info(x.op)->name, i);
    }
}

void link_check_finish_text(const struct flow_check *f) {
    for (size_t i = 0; i < f->o->finishes.len; i++) {
        const struct finish_record *r = &f->o->finishes.data[i];
        bool same = i && r[-1].first == r->first;
        if (at_top(f, r->first) && at_top(f, r->last)) {
            if (!same)
                check_entered(f, r);
            continue;
        }
        diag_error(f->d, object_span(f->o, r->place, f->d),
                   "the reduction to '%s', which the host may finish, does not begin and end at "
                   "top level, outside of ensembles, REPEAT, messages and subroutines",
                   f->o->vars.data[r->variable].name);
    }
}
