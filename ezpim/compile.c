/* SPDX-License-Identifier: MIT
 * From a program that a front end makes to an object. */
#include "ezpim/compile_attempt.h"
#include "ezpim/ir/spill.h"

/* The object, or NULL after reporting what it lacks, or when its text was asked for. */
static struct object *finish(struct compilation *compilation, struct compile_choice best) {
    bool must = compile_must_fit(compilation);
    bool lacks = best.object && (must ? !best.fit.all : !best.fit.bound);
    if (compilation->front->resident && (lacks || !best.object)) {
        compile_drop(&best);
        return NULL;
    }
    if (!best.object)
        compile_report_registers(compilation);
    if (lacks)
        compile_report_rows(compilation, &best);
    if (best.object && !lacks && compilation->options->emit == EZ_EMIT_NONE) {
        struct object *o = best.object;
        best.object = NULL;
        compile_drop(&best);
        return o;
    }
    if (best.object && !lacks)
        str_append(compilation->options->emit_text, str_text(&best.ir));
    compile_drop(&best);
    return NULL;
}

static bool said_spill(const struct compilation *compilation) {
    return compilation->options->spill && !compilation->options->targets;
}

static void report_spills(struct compilation *compilation, const struct compile_choice *spilled) {
    struct ir_spills spills;
    struct str text = {0};
    if (compilation->front->spills || said_spill(compilation)) {
        ir_report_spills(&spilled->program, compilation->front->spills ? W_MOVES : W_SPILL,
                         compilation->diag);
        return;
    }
    ir_find_spills(&spilled->program, &spills);
    ir_append_spills(&spills, &text);
    diag_warning(compilation->diag, W_SPILL, compilation->front->at,
                 "there are fewer registers than the program needs: %s", str_text(&text));
    str_free(&text);
}

/* As it is, if that goes; else with variables in VRFs of their own. */
static struct object *compile_spilling(struct compilation *compilation) {
    struct compile_choice plain = {0};
    if (!compilation->options->registers)
        plain = compile_try_all(compilation);
    if (plain.object && plain.fit.all)
        return finish(compilation, plain);
    struct compile_choice spilled =
        compile_find_spills(compilation, compile_room_for_spilling(compilation, &plain));
    bool better = spilled.fit.all || (spilled.fit.bound && !plain.fit.bound);
    if (!spilled.object || (plain.object && !better)) {
        compile_drop(&spilled);
        return finish(compilation, plain);
    }
    compile_drop(&plain);
    if (spilled.fit.all || !compilation->front->spills)
        report_spills(compilation, &spilled);
    if (compilation->spills)
        ir_find_spills(&spilled.program, compilation->spills);
    return finish(compilation, spilled);
}

/* Where registers do not do in any way, variables lie in VRFs of their own without -fspill, too. */
static struct object *compile_plainly(struct compilation *compilation) {
    struct compile_choice plain = compile_try_all(compilation);
    if (plain.object || compilation->front->resident)
        return finish(compilation, plain);
    struct compile_choice spilled =
        compile_find_spills(compilation, compile_room_for_spilling(compilation, &plain));
    if (spilled.object && spilled.fit.bound)
        report_spills(compilation, &spilled);
    else
        compile_drop(&spilled);
    return finish(compilation, spilled);
}

static struct object *compile(struct compilation *compilation) {
    return compile_spills(compilation) ? compile_spilling(compilation)
                                       : compile_plainly(compilation);
}

/* Where there should be room, and what that is measured in. */
static void choose_targets(struct compilation *compilation) {
    const struct ez_options *o = compilation->options;
    struct rows_there there;
    compilation->targets = rows_targets_of_one_section();
    compilation->sections = o->columns ? o->sections : 0;
    if (o->targets) {
        compilation->targets = o->targets;
        compilation->sections = rows_most_sections(o->targets);
        return;
    }
    if (!o->target || !rows_of_target(o->target, &there))
        return;
    compilation->targets = rows_target_bit(o->target);
    if (!o->columns && there.sections > 1)
        compilation->sections = there.sections;
}

struct object *compile_one(const struct compile_front *front, const struct ez_options *options,
                           struct ir_spills *spills, uint64_t *spill_work, struct diag *diag) {
    struct compilation c = {.front = front,
                            .options = options,
                            .diag = diag,
                            .lacks = IR_NONE,
                            .spills = spills,
                            .spill_work = spill_work};
    choose_targets(&c);
    struct object *o = compile(&c);
    vec_free(&c.tried);
    vec_free(&c.lowered);
    vec_free(&c.postponed);
    vec_free(&c.left_out);
    for (size_t i = 0; i < 2; i++)
        if (c.ahead[i].looked)
            ir_free(&c.ahead[i].program);
    return o;
}

struct object *compile_program(const struct compile_front *front, const struct ez_options *options,
                               struct diag *diag) {
    uint64_t work = 0;
    struct object *o = compile_one(front, options, NULL, &work, diag);
    if (options->spill_work)
        *options->spill_work += work;
    if (o && options->own_texts)
        compile_add_texts(front, options, o, diag);
    return o;
}
