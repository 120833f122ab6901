/* SPDX-License-Identifier: MIT
 * Text that the host may stand in for: whole at top level, and entered at its beginning. */
#include "linker/check/flow.h"

#include <inttypes.h>

static bool is_header(const struct flow_check *flow, uint32_t index) {
    struct insn i;
    return isa_decode(flow->o->text.data[index], &i) == ISA_OK &&
           (i.op == OP_COMPUTE || i.op == OP_COMPUTEG || i.op == OP_MOVE);
}

/* Top level, and not between two headers of one ensemble or behind them. */
static bool at_top(const struct flow_check *flow, uint32_t index) {
    const struct standing *s = &flow->at[index];
    return s->subroutine == NO_INDEX && !s->ensemble && !s->repeat && !s->message &&
           !(index && is_header(flow, index - 1));
}

/* A jump from outside to an instruction behind the first. */
static void check_entered(const struct flow_check *flow, const struct finish_record *record) {
    for (size_t k = 0; k < flow->jumps->len; k++) {
        const struct flow_jump *j = &flow->jumps->data[k];
        bool inside = j->from >= record->first && j->from < record->last;
        if (inside || j->to <= record->first || j->to >= record->last)
            continue;
        link_flow_error(flow, j->from,
                        "%s at instruction %" PRIu32
                        " jumps into a reduction that the host may finish",
                        isa_info(j->op)->name, j->from);
    }
}

void link_check_finish_text(const struct flow_check *flow) {
    for (size_t i = 0; i < flow->o->finishes.len; i++) {
        const struct finish_record *r = &flow->o->finishes.data[i];
        bool same = i && r[-1].first == r->first;
        if (at_top(flow, r->first) && at_top(flow, r->last)) {
            if (!same)
                check_entered(flow, r);
            continue;
        }
        diag_error(flow->d, object_span(flow->o, r->place, flow->d),
                   "the reduction to '%s', which the host may finish, does not begin and end at "
                   "top level, outside of ensembles, REPEAT, messages and subroutines",
                   flow->o->vars.data[r->variable].name);
    }
}
