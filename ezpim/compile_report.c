/* SPDX-License-Identifier: MIT
 * What is said where no attempt has room, and where inputs were consumed. */
#include "ezpim/compile_attempt.h"
#include "ezpim/ir/worst.h"
#include "linker/package.h"

#include <inttypes.h>

void compile_report_consumed(struct compilation *compilation, const struct ir_program *program) {
    if (program->consumed == IR_NONE)
        return;
    const struct ir_variable *v = &program->variables.data[program->consumed];
    const char *taker = program->consumed_by == IR_NONE
                            ? "other values"
                            : arena_printf(compilation->front->arena, "`%s`",
                                           program->variables.data[program->consumed_by].decl.name);
    diag_warning(compilation->diag, W_CONSUMED, v->at,
                 "`%s` is consumed: there are too few registers, and behind its last use %s %s its "
                 "own",
                 v->decl.name, taker, program->consumed_by == IR_NONE ? "have" : "has");
    if (program->consumed_count > 1)
        diag_note(compilation->diag, v->at, "the same goes for %u more",
                  program->consumed_count - 1);
    diag_note(compilation->diag, v->at, "%s", compilation->front->words.consumed);
}

static void note_no_spill(struct compilation *compilation) {
    diag_note(compilation->diag, compilation->front->at, "%s", compilation->front->words.no_spill);
}

static bool is_in_the_way(const struct ir_program *program, uint32_t lacks, uint32_t other) {
    return other != lacks && program->variables.data[other].given &&
           ir_registers_meet(program, lacks, other);
}

/* Of a program whose variables keep their registers: which one got none, and what has them. */
static void report_full(struct compilation *compilation, const struct ir_program *program) {
    uint32_t lacks = compilation->lacks;
    uint64_t taken = program->taken;
    const struct ir_variable *v = &program->variables.data[lacks];
    for (uint32_t w = 0; w < program->variables.len; w++)
        if (is_in_the_way(program, lacks, w))
            taken |= ir_registers_of(&program->variables.data[w].decl);
    diag_error(compilation->diag, v->at, "`%s` needs %u register%s, and %d of %d are taken",
               v->decl.name, v->decl.count, v->decl.count == 1 ? "" : "s",
               __builtin_popcountll(taken), IR_REGISTERS);
    for (uint32_t w = 0; w < program->variables.len; w++) {
        const struct ir_variable *x = &program->variables.data[w];
        char type[8];
        object_type_text(x->decl.type, type);
        if (is_in_the_way(program, lacks, w) && x->decl.has_k)
            diag_note(compilation->diag, x->at, "`%s`, %s[%u]", x->decl.name, type, x->decl.count);
        else if (is_in_the_way(program, lacks, w))
            diag_note(compilation->diag, x->at, "`%s`, %s", x->decl.name, type);
    }
}

/* What lives at the worst line, with all the sharing that there is; rows: 0, registers lack; bits:
 * of a register in a row.  False if these have room. */
static bool report_worst(struct compilation *compilation, uint32_t rows, uint32_t bits) {
    struct attempt a = {.share = true, .folded = 1, .level = compilation->options->optimize};
    struct ir_program p;
    struct ir_lives lives = {0};
    bool reported = true;
    compile_make_program(compilation, &a, &p);
    if (ir_lives_find(&lives, &p, false))
        reported = ir_report_worst(&p, &lives, rows, bits, compilation->diag);
    else
        diag_error(compilation->diag, compilation->front->at, "the program has too many arrays");
    ir_lives_free(&lives);
    ir_free(&p);
    if (reported)
        note_no_spill(compilation);
    return reported;
}

void compile_report_registers(struct compilation *compilation) {
    if (compilation->front->spills) {
        report_worst(compilation, 0, 1);
        return;
    }
    struct attempt a = {
        .share = true, .folded = 1, .level = compilation->options->optimize, .effort = 2};
    struct ir_program p;
    bool full = !compile_make_program(compilation, &a, &p);
    if (!full)
        object_free(compile_emit(compilation, &a, false, 0, &p));
    ir_free(&p);
    a = (struct attempt){.folded = 1};
    if (full && !compile_make_program(compilation, &a, &p))
        report_full(compilation, &p);
    if (full)
        ir_free(&p);
    if (!compilation->front->resident)
        note_no_spill(compilation);
}

/* Whether -fspill, which was not said, has room. */
static bool would_spill(struct compilation *compilation, const struct compile_choice *plain) {
    struct compile_choice spilled =
        compile_find_spills(compilation, compile_room_for_spilling(compilation, plain));
    bool fits =
        spilled.object && (compilation->options->target ? spilled.fit.all : spilled.fit.bound);
    compile_drop(&spilled);
    return fits;
}

void compile_report_rows(struct compilation *compilation, const struct compile_choice *best) {
    const struct compile_room *full = &best->fit.fullest;
    if (compilation->front->spills && report_worst(compilation, full->there, full->bits))
        return;
    struct arena *arena = compilation->front->arena;
    uint32_t missing = full->taken - full->there;
    const char *unit = full->bits > 1 ? "column" : "row",
               *room = arena_printf(arena, "--%ss says %" PRIu32, unit, full->there);
    if (full->target)
        room = arena_printf(arena, "target '%s' has %" PRIu32 " beside what instructions need",
                            full->target, full->there);
    const char *message =
        arena_printf(arena, "the registers need %" PRIu32 " %ss, and %s: %" PRIu32 " %s missing",
                     full->taken, unit, room, missing, missing == 1 ? "is" : "are");
    package_report_rows(best->object, best->object->text.data, message, unit, full->bits,
                        compilation->diag);
    if (compile_spills(compilation))
        note_no_spill(compilation);
    else
        diag_note(compilation->diag, NO_SPAN, "%s%s", compilation->front->words.narrower,
                  would_spill(compilation, best) ? compilation->front->words.spill : "");
}
