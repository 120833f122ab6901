/* SPDX-License-Identifier: MIT
 * From a program to its code, in one way: lowered, passes, registers, instructions. */
#include "ezpim/compile_attempt.h"
#include "ezpim/ir/clean.h"
#include "ezpim/ir/element_numbers.h"
#include "ezpim/ir/finishes.h"
#include "ezpim/ir/join.h"
#include "ezpim/ir/layout.h"
#include "ezpim/ir/locals.h"
#include "ezpim/ir/needless_moves.h"
#include "ezpim/ir/scopes.h"
#include "ezpim/ir/spill.h"
#include "ezpim/ir/split.h"
#include "ezpim/ir/strides.h"
#include "ezpim/ir/widths.h"
#include "ezpim/code/code.h"
#include "linker/package.h"

bool compile_spills(const struct compilation *compilation) {
    return compilation->options->spill || compilation->front->spills;
}

bool compile_must_fit(const struct compilation *compilation) {
    return compilation->front->spills || compilation->options->target ||
           compilation->options->targets;
}

struct ir_room compile_whole_lane(const struct compilation *compilation) {
    return (struct ir_room){IR_REGISTERS, MOST_ROWS, MOST_ROWS, compilation->sections};
}

bool compile_shares(const struct attempt *attempt) {
    return attempt->share || attempt->spill.registers;
}

/* Without sharing, widths do not matter to who gets which register: they are looked for when it is
 * known that all get one. */
static bool narrows_late(const struct attempt *attempt) {
    return attempt->level > 0 && !compile_shares(attempt);
}

/* Variables times steps that are looked at before giving up, by all attempts at a text together: a
 * few seconds of work; for one of a single machine, which nobody asked for, one or two. */
static const uint64_t MOST_WORK = (uint64_t)1 << 31, MOST_OWN_WORK = (uint64_t)1 << 29;

static uint64_t most_work(const struct compilation *compilation) {
    return compilation->options->targets ? MOST_OWN_WORK : MOST_WORK;
}

bool compile_spilled_enough(const struct compilation *compilation) {
    return *compilation->spill_work >= most_work(compilation);
}

static bool spill(struct compilation *compilation, const struct attempt *attempt,
                  struct ir_program *program, struct ir_lives *lives) {
    return ir_spill(program, attempt->spill, attempt->home, attempt->split, compilation->spill_work,
                    most_work(compilation), compilation->diag, lives);
}

/* The variable that has no room, or IR_NONE.  finishes: the host may finish some reductions. */
static uint32_t give_registers(struct compilation *compilation, const struct attempt *attempt,
                               bool finishes, struct ir_program *program) {
    struct ir_lives lives = {0};
    bool share = compile_shares(attempt);
    uint32_t lacks = 0;
    if (attempt->spill.registers)
        lacks = spill(compilation, attempt, program, &lives) ? IR_NONE : 0;
    else if (ir_lives_find(&lives, program, attempt->give))
        lacks = ir_registers_give(program, &lives, share, compile_whole_lane(compilation));
    if (lacks == IR_NONE && narrows_late(attempt) && !compilation->front->resident)
        ir_keep_narrow(program);
    if (lacks == IR_NONE) {
        ir_registers_bind(program, &lives, share);
        if (attempt->give)
            program->consumed = ir_registers_consume(program, &lives, &program->consumed_by,
                                                     &program->consumed_count);
    }
    if (lacks != IR_NONE && finishes && lives.held && !attempt->give && !attempt->spill.registers &&
        ir_registers_full_at_end(program, &lives))
        compilation->ends_full = attempt->level + 1;
    ir_lives_free(&lives);
    return lacks;
}

struct compile_lowering compile_lowering_of(const struct attempt *attempt) {
    return (struct compile_lowering){attempt->level, compile_shares(attempt), attempt->put_in,
                                     attempt->folded};
}

void compile_lower(struct compilation *compilation, const struct attempt *attempt,
                   struct ir_program *program) {
    *program = (struct ir_program){.arena = compilation->front->arena, .consumed = IR_NONE};
    program->one_place = compilation->front->resident;
    compilation->front->lower(compilation->front->context, compile_lowering_of(attempt), program);
    if (compilation->folded < program->folded)
        compilation->folded = program->folded;
}

bool compile_run_passes(struct compilation *compilation, const struct attempt *attempt,
                        struct ir_program *program, struct attempt_effect *effect) {
    bool share = compile_shares(attempt);
    if (attempt->split)
        ir_split_ensembles(program, (enum ir_split_how)attempt->split, compilation->diag);
    effect->finish = ir_keep_finishes(program, attempt->level > 0 && attempt->finish);
    compilation->finishes |= effect->finish;
    if (attempt->level > 0) {
        ir_count_numbers(program);
        ir_find_locals(program);
        ir_drop_moves(program);
        if (!share)
            ir_join_ensembles(program);
        ir_pair_strides(program);
        ir_find_locals(program);
        if (!narrows_late(attempt) && !compilation->front->resident)
            ir_keep_narrow(program);
        ir_find_scopes(program);
    }
    compilation->lacks = give_registers(compilation, attempt, effect->finish, program);
    effect->clean = compilation->lacks == IR_NONE && attempt->clean && !share && ir_clean(program);
    return compilation->lacks == IR_NONE;
}

bool compile_make_program(struct compilation *compilation, const struct attempt *attempt,
                          struct ir_program *program) {
    struct attempt_effect effect;
    compile_lower(compilation, attempt, program);
    return compile_run_passes(compilation, attempt, program, &effect);
}

struct object *compile_emit(struct compilation *compilation, const struct attempt *attempt,
                            bool quiet, uint32_t must, struct ir_program *program) {
    struct ir_options how = {.level = attempt->level,
                             .effort = attempt->effort,
                             .debug = compilation->options->debug,
                             .roomy = attempt->roomy,
                             .products = compilation->options->products,
                             .quiet = quiet,
                             .must = must};
    struct object *o = code_emit(program, how, compilation->diag);
    for (size_t i = 0; o && i < compilation->front->recipe_count; i++)
        link_add_recipes(o, compilation->front->recipes[i].name,
                         compilation->front->recipes[i].text, compilation->front->recipes[i].size,
                         compilation->diag);
    return o;
}

void compile_print(struct compilation *compilation, const struct attempt *attempt,
                   struct str *out) {
    struct ir_program p;
    compile_make_program(compilation, attempt, &p);
    if (compilation->options->emit == EZ_EMIT_LAYOUT)
        ir_print_layout(&p, compilation->diag, out);
    for (size_t i = 0; i < p.codes.len; i++)
        ir_optimize(p.codes.data[i], attempt->level, compilation->options->products, IR_REACH_ALL);
    if (compilation->options->emit == EZ_EMIT_IR)
        ir_print(&p, compilation->diag, out);
    ir_free(&p);
}
