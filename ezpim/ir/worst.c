/* SPDX-License-Identifier: MIT
 * The line at which a lane holds most, and what it holds there. */
#include "ezpim/ir/worst.h"

#include <inttypes.h>

struct worst_finder {
    const struct ir_program *p;
    const struct ir_lives *l;
    uint32_t bits; /* of a register that a row holds; 0: registers are counted */
};

static unsigned room_of(const struct worst_finder *finder, const struct variable *variable) {
    return finder->bits
               ? variable->count * ((variable->type.bits + finder->bits - 1) / finder->bits)
               : variable->count;
}

/* What all that is held at the step takes. */
static unsigned held_at(const struct worst_finder *finder, uint32_t step) {
    unsigned sum = 0;
    for (uint32_t v = 0; v < finder->p->variables.len; v++)
        if (ir_lives_holds_some(finder->l, v, step))
            sum += room_of(finder, &finder->p->variables.data[v].decl);
    return sum;
}

/* The first of those with most that is a node. */
static uint32_t worst_step(const struct worst_finder *finder) {
    uint32_t worst = 0;
    unsigned most = 0;
    for (uint32_t step = 0; step < finder->l->step_count; step++) {
        unsigned here = finder->l->nodes[step] ? held_at(finder, step) : 0;
        worst = here > most ? step : worst;
        most = here > most ? here : most;
    }
    return worst;
}

static void note_variable(const struct ir_variable *variable, uint32_t bits, struct diag *diag) {
    const struct worst_finder rows = {.bits = bits};
    unsigned count = room_of(&rows, &variable->decl);
    bool named = variable->decl.name[0] != '$';
    char type[8], many[16] = "";
    object_type_text(variable->decl.type, type);
    if (variable->decl.count > 1)
        snprintf(many, sizeof many, "[%u]", variable->decl.count);
    diag_note(diag, variable->at, "%s%s%s, %s%s: %u %s%s", named ? "`" : "",
              named ? variable->decl.name : "what is made here", named ? "`" : "", type, many,
              count, bits > 1 ? "column" : "row", count == 1 ? "" : "s");
}

bool ir_report_worst(const struct ir_program *program, const struct ir_lives *lives, uint32_t rows,
                     uint32_t bits, struct diag *diag) {
    const struct worst_finder finder = {program, lives, rows ? bits : 0};
    uint32_t step = worst_step(&finder);
    unsigned held = held_at(&finder, step);
    if (rows && held <= rows)
        return false;
    struct span at = lives->nodes[step] ? lives->nodes[step]->at : program->at;
    if (rows)
        diag_error(diag, at,
                   "the lane is too full: arrays that are needed here have %u %s, beside what is "
                   "computed, and there are %" PRIu32 " %s",
                   held, bits > 1 ? "columns" : "bits", rows, bits > 1 ? "of these" : "rows");
    else
        diag_error(diag, at,
                   "the lane is too full: arrays that are needed here have %u registers, beside "
                   "what is computed, and there are %d",
                   held, IR_REGISTERS);
    for (uint32_t v = 0; v < program->variables.len; v++)
        if (ir_lives_holds_some(lives, v, step))
            note_variable(&program->variables.data[v], bits, diag);
    return true;
}
