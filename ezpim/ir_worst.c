/* SPDX-License-Identifier: MIT
 * The line at which a lane holds most, and what it holds there. */
#include "ezpim/ir_worst.h"

#include <inttypes.h>

/* Registers of all that is held at the step, or (rows) their bits. */
static unsigned held_at(const struct ir_program *p, const struct ir_lives *l, uint32_t step,
                        bool rows) {
    unsigned sum = 0;
    for (uint32_t v = 0; v < p->variables.len; v++) {
        const struct variable *x = &p->variables.data[v].decl;
        if (ir_lives_holds_some(l, v, step))
            sum += x->count * (rows ? x->type.bits : 1u);
    }
    return sum;
}

/* The first of those with most that is a node. */
static uint32_t worst_step(const struct ir_program *p, const struct ir_lives *l, bool rows) {
    uint32_t worst = 0;
    unsigned most = 0;
    for (uint32_t step = 0; step < l->step_count; step++) {
        unsigned here = l->nodes[step] ? held_at(p, l, step, rows) : 0;
        worst = here > most ? step : worst;
        most = here > most ? here : most;
    }
    return worst;
}

static void note_variable(const struct ir_variable *v, struct diag *d) {
    bool named = v->decl.name[0] != '$';
    char type[8], many[16] = "";
    object_type_text(v->decl.type, type);
    if (v->decl.count > 1)
        snprintf(many, sizeof many, "[%u]", v->decl.count);
    diag_note(d, v->at, "%s%s%s, %s%s: %u rows", named ? "`" : "",
              named ? v->decl.name : "what is made here", named ? "`" : "", type, many,
              v->decl.count * v->decl.type.bits);
}

bool ir_report_worst(const struct ir_program *p, const struct ir_lives *l, uint32_t rows,
                     struct diag *d) {
    uint32_t step = worst_step(p, l, rows != 0);
    unsigned held = held_at(p, l, step, rows != 0);
    if (rows && held <= rows)
        return false;
    struct span at = l->nodes[step] ? l->nodes[step]->at : p->at;
    if (rows)
        diag_error(d, at,
                   "the lane is too full: arrays that are needed here have %u bits, beside what is "
                   "computed, and there are %" PRIu32 " rows",
                   held, rows);
    else
        diag_error(d, at,
                   "the lane is too full: arrays that are needed here have %u registers, beside "
                   "what is computed, and there are %d",
                   held, IR_REGISTERS);
    for (uint32_t v = 0; v < p->variables.len; v++)
        if (ir_lives_holds_some(l, v, step))
            note_variable(&p->variables.data[v], d);
    return true;
}
