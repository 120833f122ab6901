/* SPDX-License-Identifier: MIT
 * What of rows and columns an attempt takes, where it has room, and which of two has more. */
#include "ezpim/compile_attempt.h"
#include "ezpim/code/room.h"

static int64_t lack_of(const struct compile_room *room) {
    return (int64_t)room->taken - room->there;
}

static struct compile_fit empty_fit(const struct rows_use *use) {
    return (struct compile_fit){.all = true,
                                .bound = true,
                                .taken = rows_of_bits(use->bits, 1),
                                .rows = MOST_ROWS,
                                .columns = MOST_ROWS};
}

static void meet_room(struct compile_fit *fit, const struct compile_room *room) {
    uint32_t *least = room->bits > 1 ? &fit->columns : &fit->rows;
    *least = room->there < *least ? room->there : *least;
    if (!fit->fullest.bits || lack_of(room) > lack_of(&fit->fullest))
        fit->fullest = *room;
    fit->all &= lack_of(room) <= 0;
}

static void meet_options(struct compile_fit *fit, const struct ez_options *options,
                         const struct rows_use *use) {
    const struct compile_room rows = {NULL, 1, rows_of_bits(use->bits, 1), options->rows};
    if (options->rows)
        meet_room(fit, &rows);
    if (options->columns) {
        const struct compile_room columns = {
            NULL, options->sections, rows_of_bits(use->bits, options->sections), options->columns};
        meet_room(fit, &columns);
    }
    fit->bound = fit->all;
}

/* Options say what there is of rows, or of columns, in place of targets. */
static bool target_counts(const struct compilation *compilation, uint32_t sections) {
    return sections > 1 ? !compilation->options->columns : !compilation->options->rows;
}

/* As if the register had no more bits than its variable ever has. */
static void count_narrow(const struct compilation *compilation, uint32_t reg,
                         struct rows_use *use) {
    uint8_t bits = compilation->front->narrow.bits;
    if (use->bits[reg] > bits)
        use->bits[reg] = bits;
    rows_use_count(use);
}

/* Beside masks, as mpu-run says it of programs with too many variables: of tables in examples/, tests/
 * and the library of functions 10, of 256 random words 12.  One of an index as long as that may take all
 * that a table may have (recipe/lut/lut.c). */
enum { LUT_COLUMNS = 12, LONG_LUT_BITS = 10, LONG_LUT_COLUMNS = 17 };

static uint32_t columns_of_tables(const struct object *object) {
    uint32_t columns = 0;
    for (size_t i = 0; i < object->luts.len; i++) {
        uint32_t takes = object->luts.data[i].table.index_bits < LONG_LUT_BITS
                             ? LUT_COLUMNS
                             : LONG_LUT_COLUMNS;
        columns = takes > columns ? takes : columns;
    }
    return columns;
}

uint32_t compile_left(const struct object *object, const struct rows_left *left, unsigned target) {
    struct rows_there there;
    uint32_t others = left->left[target];
    if (!object->luts.len || left->sections[target] == 1 ||
        !rows_of_target(left->target[target], &there))
        return others;
    uint32_t columns = there.there - columns_of_tables(object);
    return columns < others ? columns : others;
}

struct compile_fit compile_fit_of(const struct compilation *compilation,
                                  const struct object *object) {
    const struct compile_narrow narrow = compilation->front->narrow;
    struct rows_left left;
    struct rows_use use;
    rows_taken(object, &use);
    if (narrow.bits)
        count_narrow(compilation, object->vars.data[narrow.variable].reg, &use);
    rows_left(object, &left);
    struct compile_fit f = empty_fit(&use);
    meet_options(&f, compilation->options, &use);
    const struct compile_room said = f.fullest;
    for (unsigned t = 0; t < left.count; t++) {
        const struct compile_room room = {left.target[t], left.sections[t], use.taken[t],
                                          compile_left(object, &left, t)};
        if (!(compilation->targets >> t & 1))
            continue;
        f.targets |= (uint32_t)(lack_of(&room) <= 0) << t;
        if (target_counts(compilation, left.sections[t]))
            meet_room(&f, &room);
    }
    if (!f.bound)
        f.fullest = said;
    return f;
}

void compile_drop(struct compile_choice *choice) {
    object_free(choice->object);
    ir_free(&choice->program);
    str_free(&choice->ir);
    *choice = (struct compile_choice){.object = NULL};
}

bool compile_is_better(const struct compilation *compilation, const struct compile_fit *left,
                       const struct compile_fit *right) {
    if (compilation->options->columns && left->bound != right->bound)
        return left->bound;
    if (compilation->options->columns && !left->bound)
        return lack_of(&left->fullest) < lack_of(&right->fullest);
    if (compilation->options->rows || compilation->options->tight ||
        (compilation->front->spills && left->targets == right->targets))
        return left->taken < right->taken;
    int more = __builtin_popcount(left->targets) - __builtin_popcount(right->targets);
    return more > 0 || (more == 0 && left->targets > right->targets);
}

static struct rows_use use_of_variables(const struct compilation *compilation,
                                        const struct ir_program *program) {
    const struct compile_narrow narrow = compilation->front->narrow;
    struct rows_use use;
    ir_registers_bits(program, use.bits);
    rows_use_count(&use);
    if (narrow.bits)
        count_narrow(compilation, program->variables.data[narrow.variable].decl.reg, &use);
    return use;
}

struct compile_fit compile_best_fit(const struct compilation *compilation,
                                    const struct ir_program *program) {
    const struct rows_use use = use_of_variables(compilation, program);
    struct compile_fit f = empty_fit(&use);
    meet_options(&f, compilation->options, &use);
    f.targets = rows_targets(&use) & compilation->targets;
    return f;
}

bool compile_may_have_room(const struct compilation *compilation, const struct attempt *attempt,
                           const struct ir_program *program, uint32_t must) {
    const struct rows_use use = use_of_variables(compilation, program);
    return code_room_possible(program, attempt->level, compilation->options->products, &use,
                              compilation->targets, must);
}

bool compile_may_have_room_unfinished(const struct compilation *compilation,
                                      const struct attempt *attempt,
                                      const struct ir_program *program) {
    struct rows_use use = use_of_variables(compilation, program);
    for (const struct ir_node *n = program->images.data[0].nodes; n; n = n->next)
        for (uint32_t i = 0; n->kind == IR_NODE_FINISH && i < n->finish_count; i++) {
            const struct ir_finish *f = &n->finishes[i];
            use.bits[program->variables.data[f->from].decl.reg + f->from_element] = 0;
        }
    rows_use_count(&use);
    return code_room_possible(program, attempt->level, compilation->options->products, &use,
                              compilation->targets, 0);
}
