/* SPDX-License-Identifier: MIT
 * The line at which a lane holds most, and what it holds there. */
#include "ezpim/ir_worst.h"

#include <inttypes.h>

/* Registers of all that is held at the step, or (rows) their bits. */
static unsigned held_at(const struct ir_program *program, const struct ir_lives *lives,
                        uint32_t step, bool rows) {
    unsigned sum = 0;
    for (uint32_t v = 0; v < program->variables.len; v++) {
        const struct variable *x = &program->variables.data[v].decl;
        if (ir_lives_holds_some(lives, v, step))
            sum += x->count * (rows ? x->type.bits : 1u);
    }
    return sum;
}

/* The first of those with most that is a node. */
static uint32_t worst_step(const struct ir_program *program, const struct ir_lives *lives,
                           bool rows) {
    uint32_t worst = 0;
    unsigned most = 0;
    for (uint32_t step = 0; step < lives->step_count; step++) {
        unsigned here = lives->nodes[step] ? held_at(program, lives, step, rows) : 0;
        worst = here > most ? step : worst;
        most = here > most ? here : most;
    }
    return worst;
}

static void note_variable(const struct ir_variable *variable, struct diag *diag) {
    bool named = variable->decl.name[0] != '$';
    char type[8], many[16] = "";
    object_type_text(variable->decl.type, type);
    if (variable->decl.count > 1)
        snprintf(many, sizeof many, "[%u]", variable->decl.count);
    diag_note(diag, variable->at, "%s%s%s, %s%s: %u rows", named ? "`" : "",
              named ? variable->decl.name : "what is made here", named ? "`" : "", type, many,
              variable->decl.count * variable->decl.type.bits);
}

bool ir_report_worst(const struct ir_program *program, const struct ir_lives *lives, uint32_t rows,
                     struct diag *diag) {
    uint32_t step = worst_step(program, lives, rows != 0);
    unsigned held = held_at(program, lives, step, rows != 0);
    if (rows && held <= rows)
        return false;
    struct span at = lives->nodes[step] ? lives->nodes[step]->at : program->at;
    if (rows)
        diag_error(diag, at,
                   "the lane is too full: arrays that are needed here have %u bits, beside what is "
                   "computed, and there are %" PRIu32 " rows",
                   held, rows);
    else
        diag_error(diag, at,
                   "the lane is too full: arrays that are needed here have %u registers, beside "
                   "what is computed, and there are %d",
                   held, IR_REGISTERS);
    for (uint32_t v = 0; v < program->variables.len; v++)
        if (ir_lives_holds_some(lives, v, step))
            note_variable(&program->variables.data[v], diag);
    return true;
}
