/* SPDX-License-Identifier: MIT
 * From a program that a front end makes to an object. */
#include "ezpim/compile.h"
#include "ezpim/ir/clean.h"
#include "ezpim/ir/finishes.h"
#include "ezpim/ir/join.h"
#include "ezpim/ir/layout.h"
#include "ezpim/ir/locals.h"
#include "ezpim/ir/needless_moves.h"
#include "ezpim/ir/element_numbers.h"
#include "ezpim/ir/registers.h"
#include "ezpim/code/code.h"
#include "ezpim/code/room.h"
#include "ezpim/ir/same.h"
#include "ezpim/ir/scopes.h"
#include "ezpim/ir/spill.h"
#include "ezpim/ir/split.h"
#include "ezpim/ir/strides.h"
#include "ezpim/ir/widths.h"
#include "ezpim/ir/worst.h"
#include "ezpim/code/rows.h"
#include "linker/package.h"

#include <inttypes.h>

/* How the program is made into code.  Each step asks for fewer rows, mostly, and costs time. */
struct attempt {
    bool share;     /* variables that are not needed at the same time have the same registers */
    bool give;      /* inputs that are not consumed, too */
    bool finish;    /* reductions that the host may finish stay such: their elements keep their
                       registers to the end */
    bool put_in;    /* larger subroutines are put in where they are called */
    uint8_t folded; /* reductions of a run that are folded together, at most */
    int level;
    unsigned effort; /* as in struct ir_options */
    bool clean;      /* variables keep zeros above their bits, in wider registers (ir/clean.h) */
    bool roomy;      /* results have registers of their own (ir_options) */
    struct ir_room spill; /* registers 0: not; else variables have no more, some lie elsewhere */
    struct ir_room home;  /* as in ir_spill */
    uint8_t split;        /* and how bodies are split into ensembles: enum ir_split_how */
};

/* A program that an attempt began with, or came to, and what was asked for from there on: no other
 * attempt makes anything else of it. */
struct tried {
    uint64_t key;
    uint32_t lacks; /* as in struct compilation */
};

/* What the front end makes of equal wishes is equal. */
struct known_lowering {
    struct compile_lowering how;
    uint64_t print;
};

/* The effort of attempts goes from 0 to this. */
enum { MOST_EFFORT = 3 };

/* A later attempt that may have room. */
struct looked_at {
    bool looked; /* else there is none */
    struct attempt how;
    struct ir_program program; /* with registers */
};

struct compilation {
    const struct compile_front *front;
    const struct ez_options *options;
    struct diag *diag;
    uint32_t targets;  /* bit i: the i-th of rows_left should have room */
    unsigned sections; /* of targets that should, or of --columns; 0: columns do not count */
    uint64_t emitted;  /* instructions of all attempts so far */
    uint32_t lacks;    /* the variable of the latest attempt that got no register, or IR_NONE */
    bool finishes;     /* the host may finish some reductions */
    int ends_full;     /* 1 and the level at which registers do not hold to the end what the host
                          may finish, however many reductions are folded together; or 0 */
    VEC(struct tried) tried;
    VEC(struct known_lowering) lowered;
    uint32_t folded; /* reductions that a program folded together, at most */
    bool postpones;  /* an attempt that has room nowhere waits for all others: */
    VEC(struct attempt) postponed;
    VEC(struct attempt) left_out; /* not made, since some target would have no room */
    struct looked_at ahead[2];    /* without and with reductions that the host may finish */
    int full_from; /* 1 and the level at which FEWER reductions together have room nowhere; or 0 */
};

static bool spills(const struct compilation *compilation) {
    return compilation->options->spill || compilation->front->spills;
}

enum { MOST_ROWS = 64 * IR_REGISTERS };

/* That is no bound, measured as rooms are that are one. */
static struct ir_room whole_lane(const struct compilation *compilation) {
    return (struct ir_room){IR_REGISTERS, MOST_ROWS, MOST_ROWS, compilation->sections};
}

static bool shares(const struct attempt *attempt) {
    return attempt->share || attempt->spill.registers;
}

/* Without sharing, widths do not matter to who gets which register: they are looked for when it is
 * known that all get one. */
static bool narrows_late(const struct attempt *attempt) {
    return attempt->level > 0 && !shares(attempt);
}

/* The variable that has no room, or IR_NONE.  finishes: the host may finish some reductions. */
static uint32_t give_registers(struct compilation *compilation, const struct attempt *attempt,
                               bool finishes, struct ir_program *program) {
    struct ir_lives lives = {0};
    bool share = shares(attempt);
    uint32_t lacks = 0;
    if (attempt->spill.registers)
        lacks = ir_spill(program, attempt->spill, attempt->home, attempt->split, compilation->diag,
                         &lives)
                    ? IR_NONE
                    : 0;
    else if (ir_lives_find(&lives, program, attempt->give))
        lacks = ir_registers_give(program, &lives, share, whole_lane(compilation));
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

static struct compile_lowering lowering_of(const struct attempt *attempt) {
    return (struct compile_lowering){attempt->level, shares(attempt), attempt->put_in,
                                     attempt->folded};
}

static void lower_program(struct compilation *compilation, const struct attempt *attempt,
                          struct ir_program *program) {
    *program = (struct ir_program){.arena = compilation->front->arena, .consumed = IR_NONE};
    program->one_place = compilation->front->resident;
    compilation->front->lower(compilation->front->context, lowering_of(attempt), program);
    if (compilation->folded < program->folded)
        compilation->folded = program->folded;
}

/* What of an attempt made any difference. */
struct attempt_effect {
    bool clean, finish;
};

/* False if variables have no registers. */
static bool run_passes(struct compilation *compilation, const struct attempt *attempt,
                       struct ir_program *program, struct attempt_effect *effect) {
    bool share = shares(attempt);
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

static bool make_program(struct compilation *compilation, const struct attempt *attempt,
                         struct ir_program *program) {
    struct attempt_effect effect;
    lower_program(compilation, attempt, program);
    return run_passes(compilation, attempt, program, &effect);
}

/* NULL where there are too few registers, or no room on a target of `must`.  The program is spent.
 */
static struct object *emit_program(struct compilation *compilation, const struct attempt *attempt,
                                   bool quiet, uint32_t must, struct ir_program *program) {
    struct ir_options how = {attempt->level, attempt->effort, compilation->options->debug,
                             attempt->roomy, quiet,           must};
    struct object *o = code_emit(program, how, compilation->diag);
    for (size_t i = 0; o && i < compilation->front->recipe_count; i++)
        link_add_recipes(o, compilation->front->recipes[i].name,
                         compilation->front->recipes[i].text, compilation->front->recipes[i].size,
                         compilation->diag);
    return o;
}

static void print_program(struct compilation *compilation, const struct attempt *attempt,
                          struct str *out) {
    struct ir_program p;
    make_program(compilation, attempt, &p);
    if (compilation->options->emit == EZ_EMIT_LAYOUT)
        ir_print_layout(&p, compilation->diag, out);
    for (size_t i = 0; i < p.codes.len; i++)
        ir_optimize(p.codes.data[i], attempt->level, IR_REACH_ALL);
    if (compilation->options->emit == EZ_EMIT_IR)
        ir_print(&p, compilation->diag, out);
    ir_free(&p);
}

/* ---- rows ---- */

/* Room that registers have, or should have: rows; or columns, which hold several bits of one. */
struct room {
    const char *target; /* NULL: --rows or --columns says it */
    uint32_t bits;      /* of a register that one holds */
    uint32_t taken, there;
};

static int64_t lack_of(const struct room *room) {
    return (int64_t)room->taken - room->there;
}

/* What an object lacks.  Without --rows the better of two has room on more targets, of as many on
 * the same ones whatever was tried first; only of those with room on the same targets the first is
 * the better code.  Where there must be room on all of them, it is the one that takes fewer rows.
 */
struct fit {
    bool all;               /* there is room wherever there should be */
    bool bound;             /* there is as much as options say */
    uint32_t targets;       /* bit i: the i-th of rows_left should have room, and has */
    uint32_t taken;         /* bits of the object's registers */
    struct room fullest;    /* what lacks most: of what options say, if one lacks; else of all */
    uint32_t rows, columns; /* the least that they have of each */
};

static struct fit empty_fit(const struct rows_use *use) {
    return (struct fit){.all = true,
                        .bound = true,
                        .taken = rows_of_bits(use->bits, 1),
                        .rows = MOST_ROWS,
                        .columns = MOST_ROWS};
}

static void meet_room(struct fit *fit, const struct room *room) {
    uint32_t *least = room->bits > 1 ? &fit->columns : &fit->rows;
    *least = room->there < *least ? room->there : *least;
    if (!fit->fullest.bits || lack_of(room) > lack_of(&fit->fullest))
        fit->fullest = *room;
    fit->all &= lack_of(room) <= 0;
}

static void meet_options(struct fit *fit, const struct ez_options *options,
                         const struct rows_use *use) {
    const struct room rows = {NULL, 1, rows_of_bits(use->bits, 1), options->rows};
    if (options->rows)
        meet_room(fit, &rows);
    if (options->columns) {
        const struct room columns = {NULL, options->sections,
                                     rows_of_bits(use->bits, options->sections), options->columns};
        meet_room(fit, &columns);
    }
    fit->bound = fit->all;
}

/* Options say what there is of rows, or of columns, in place of targets. */
static bool target_counts(const struct compilation *compilation, uint32_t sections) {
    return sections > 1 ? !compilation->options->columns : !compilation->options->rows;
}

static struct fit fit_of(const struct compilation *compilation, const struct object *object) {
    struct rows_left left;
    struct rows_use use;
    rows_taken(object, &use);
    rows_left(object, &left);
    struct fit f = empty_fit(&use);
    meet_options(&f, compilation->options, &use);
    const struct room said = f.fullest;
    for (unsigned t = 0; t < left.count; t++) {
        const struct room room = {left.target[t], left.sections[t], use.taken[t], left.left[t]};
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

/* The best so far. */
struct choice {
    struct object *object; /* NULL: there were too few registers */
    struct attempt how;
    struct ir_program program;
    struct fit fit;
    struct str ir; /* with --emit=ir, layout */
};

static void drop(struct choice *choice) {
    object_free(choice->object);
    ir_free(&choice->program);
    str_free(&choice->ir);
    *choice = (struct choice){.object = NULL};
}

static bool is_better(const struct compilation *compilation, const struct fit *left,
                      const struct fit *right) {
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

/* ---- what was tried ---- */

/* What decides over what comes of a program with that fingerprint, as it was lowered, if no more of
 * the attempt counts than `effect`. */
static uint64_t key_lowered(const struct attempt *attempt, struct attempt_effect effect,
                            uint64_t print) {
    uint64_t how = (uint64_t)attempt->spill.registers << 56 |
                   (uint64_t)attempt->spill.columns << 43 | (uint64_t)attempt->spill.bits << 30 |
                   (uint64_t)attempt->home.bits << 16 | attempt->effort << 8 |
                   (uint64_t)(attempt->level > 0) << 7 | (uint64_t)attempt->give << 6 |
                   (uint64_t)shares(attempt) << 5 | (uint64_t)effect.clean << 4 |
                   (uint64_t)attempt->split << 2 | (uint64_t)effect.finish << 1;
    return print ^ how * 0x9e3779b97f4a7c15u;
}

static struct attempt_effect asked(const struct attempt *attempt) {
    return (struct attempt_effect){attempt->clean, attempt->finish};
}

/* The same where variables have registers. */
static uint64_t key_bound(const struct attempt *attempt, uint64_t print) {
    uint64_t how = (uint64_t)attempt->effort << 8 | (uint64_t)(attempt->level > 0) << 7 | 1;
    return print ^ how * 0x9e3779b97f4a7c15u;
}

static bool was_tried(struct compilation *compilation, uint64_t key) {
    for (size_t i = 0; i < compilation->tried.len; i++)
        if (compilation->tried.data[i].key == key) {
            compilation->lacks = compilation->tried.data[i].lacks;
            return true;
        }
    return false;
}

static void note_tried(struct compilation *compilation, uint64_t key) {
    struct tried t = {key, compilation->lacks};
    vec_push(&compilation->tried, t);
}

/* Variables without registers have none with more effort either. */
static void note_efforts(struct compilation *compilation, const struct attempt *attempt,
                         uint64_t print) {
    struct attempt more = *attempt;
    while (compilation->lacks != IR_NONE && more.effort < MOST_EFFORT) {
        more.effort++;
        note_tried(compilation, key_lowered(&more, asked(&more), print));
    }
}

static bool same_lowering(struct compile_lowering left, struct compile_lowering right) {
    return left.level == right.level && left.separate == right.separate &&
           left.put_in == right.put_in && left.folded == right.folded;
}

/* The same of an attempt that is not lowered for that; false if nobody knows yet. */
static bool would_be_tried(struct compilation *compilation, const struct attempt *attempt) {
    for (size_t i = 0; i < compilation->lowered.len; i++)
        if (same_lowering(compilation->lowered.data[i].how, lowering_of(attempt)))
            return was_tried(compilation, key_lowered(attempt, asked(attempt),
                                                      compilation->lowered.data[i].print));
    return false;
}

/* True if the attempt begins with a program that no other began with, and variables get registers.
 */
static bool is_new(struct compilation *compilation, const struct attempt *attempt,
                   struct ir_program *program) {
    uint64_t print = ir_fingerprint(program);
    const struct known_lowering known = {lowering_of(attempt), print};
    const struct attempt_effect all = asked(attempt);
    struct attempt_effect effect;
    vec_push(&compilation->lowered, known);
    if (was_tried(compilation, key_lowered(attempt, all, print)))
        return false;
    run_passes(compilation, attempt, program, &effect);
    note_tried(compilation, key_lowered(attempt, all, print));
    note_efforts(compilation, attempt, print);
    if (effect.clean != all.clean)
        note_tried(compilation,
                   key_lowered(attempt, (struct attempt_effect){effect.clean, all.finish}, print));
    if (effect.finish != all.finish)
        note_tried(compilation,
                   key_lowered(attempt, (struct attempt_effect){all.clean, effect.finish}, print));
    return compilation->lacks == IR_NONE;
}

/* True if the program with registers is one of which code was made before. */
static bool was_made(struct compilation *compilation, const struct attempt *attempt,
                     const struct ir_program *program) {
    uint64_t bound = key_bound(attempt, ir_fingerprint(program));
    bool made = was_tried(compilation, bound);
    if (!made)
        note_tried(compilation, bound);
    return made;
}

static struct rows_use use_of_variables(const struct ir_program *program) {
    struct rows_use use;
    ir_registers_bits(program, use.bits);
    rows_use_count(&use);
    return use;
}

/* What there is room for at best: its variables alone take these rows. */
static struct fit best_fit(const struct compilation *compilation,
                           const struct ir_program *program) {
    const struct rows_use use = use_of_variables(program);
    struct fit f = empty_fit(&use);
    meet_options(&f, compilation->options, &use);
    f.targets = rows_targets(&use) & compilation->targets;
    return f;
}

/* Somewhere, and on each target of `must`. */
static bool may_have_room(const struct compilation *compilation, const struct attempt *attempt,
                          const struct ir_program *program, uint32_t must) {
    const struct rows_use use = use_of_variables(program);
    return code_room_possible(program, attempt->level, &use, compilation->targets, must);
}

/* True if there is no use in making code of it now. */
static bool can_wait(struct compilation *compilation, const struct attempt *attempt,
                     const struct ir_program *program, const struct choice *best) {
    struct fit f = best_fit(compilation, program);
    if (best->object)
        return !is_better(compilation, &f, &best->fit);
    bool waits = compilation->postpones && !may_have_room(compilation, attempt, program, 0);
    if (waits)
        vec_push(&compilation->postponed, *attempt);
    return waits;
}

/* Makes the code, if it has room on each target of `must`, and keeps it if it is better. */
static void emit_choice(struct compilation *compilation, const struct attempt *attempt,
                        uint32_t must, struct choice *made, struct choice *best) {
    if (!must || may_have_room(compilation, attempt, &made->program, must))
        made->object = emit_program(compilation, attempt, true, must, &made->program);
    if (!made->object && must)
        vec_push(&compilation->left_out, *attempt);
    if (!made->object)
        return;
    compilation->emitted += made->object->text.len;
    made->fit = fit_of(compilation, made->object);
    made->how = *attempt;
    if (best->object && !is_better(compilation, &made->fit, &best->fit))
        return;
    if (compilation->options->emit != EZ_EMIT_NONE)
        print_program(compilation, attempt, &made->ir);
    drop(best);
    *best = *made;
    *made = (struct choice){.object = NULL};
}

/* Reductions that the attempt behind that with the most folds together. */
enum { FEWER = 4 };

/* Keeps the program of an attempt that may come again, in place of what was kept before. */
static void keep_ahead(struct compilation *compilation, const struct attempt *attempt,
                       const struct ir_program *program) {
    struct looked_at *ahead = &compilation->ahead[attempt->finish];
    if (ahead->looked)
        ir_free(&ahead->program);
    *ahead = (struct looked_at){true, *attempt, *program};
}

/* Looks at an attempt that comes later: false if it has room nowhere. */
static bool look_ahead(struct compilation *compilation, const struct attempt *attempt) {
    struct ir_program program;
    lower_program(compilation, attempt, &program);
    bool may =
        is_new(compilation, attempt, &program) && may_have_room(compilation, attempt, &program, 0);
    if (may)
        keep_ahead(compilation, attempt, &program);
    else
        ir_free(&program);
    return may;
}

/* Looks at FEWER reductions together, so that the host may finish them if the attempt says so:
 * false if that has room nowhere, which says it of the others, too, where it may finish none. */
static bool fewer_may_have_room(struct compilation *compilation, const struct attempt *fewer) {
    struct attempt plain = *fewer;
    plain.finish = false;
    bool known = would_be_tried(compilation, &plain), may = look_ahead(compilation, fewer);
    if (!may && !known && would_be_tried(compilation, &plain))
        compilation->full_from = fewer->level + 1;
    return may;
}

/* Where many reductions are folded together, the attempt with fewer is looked at first: if that has
 * room nowhere, more of them have none either, and wait with it. */
static bool fewer_wait(struct compilation *compilation, const struct attempt *attempt,
                       const struct choice *best) {
    struct attempt fewer = *attempt;
    fewer.folded = FEWER;
    if (best->object || !compilation->postpones || !compilation->folded || !attempt->share ||
        attempt->folded < FEWER)
        return false;
    bool waits = compilation->full_from == attempt->level + 1;
    if (waits && attempt->folded == FEWER)
        return true;
    if (!waits && (attempt->folded == FEWER || would_be_tried(compilation, &fewer) ||
                   fewer_may_have_room(compilation, &fewer)))
        return false;
    vec_push(&compilation->postponed, *attempt);
    vec_push(&compilation->postponed, fewer);
    return true;
}

/* True if the attempt was looked at before: its program is in *program then. */
static bool take_ahead(struct compilation *compilation, const struct attempt *attempt,
                       struct ir_program *program) {
    struct looked_at *ahead = &compilation->ahead[attempt->finish];
    bool looked = ahead->looked && same_lowering(lowering_of(attempt), lowering_of(&ahead->how)) &&
                  !attempt->effort && !attempt->give;
    if (looked)
        *program = ahead->program;
    ahead->looked &= !looked;
    return looked;
}

/* False if the attempt comes to nothing, or to nothing new; else *program has registers. */
static bool prepare(struct compilation *compilation, const struct attempt *attempt,
                    const struct choice *best, struct ir_program *program) {
    if (take_ahead(compilation, attempt, program))
        return true;
    if (compilation->ends_full == attempt->level + 1 && attempt->finish && !attempt->give)
        return false;
    if (would_be_tried(compilation, attempt) || fewer_wait(compilation, attempt, best))
        return false;
    lower_program(compilation, attempt, program);
    return is_new(compilation, attempt, program);
}

/* Where an attempt must have room: what keeps more registers so that the host may finish reductions
 * is made for all targets, or left to finish_best. */
static uint32_t must_have_room(const struct compilation *compilation, const struct attempt *attempt,
                               const struct ir_program *program) {
    bool all =
        compilation->postpones && attempt->share && attempt->finish && ir_has_finishes(program);
    return all ? compilation->targets : 0;
}

static void consider(struct compilation *compilation, const struct attempt *attempt,
                     struct choice *best) {
    struct choice made = {0};
    if (prepare(compilation, attempt, best, &made.program) &&
        !can_wait(compilation, attempt, &made.program, best) &&
        !was_made(compilation, attempt, &made.program))
        emit_choice(compilation, attempt, must_have_room(compilation, attempt, &made.program),
                    &made, best);
    drop(&made);
}

/* Where no attempt has room anywhere, the first one that makes code is the best. */
static void consider_postponed(struct compilation *compilation, struct choice *best) {
    struct choice first = {0};
    for (size_t i = 0; i < compilation->postponed.len && !best->fit.targets && !first.object; i++) {
        struct choice made = {0};
        if (make_program(compilation, &compilation->postponed.data[i], &made.program))
            emit_choice(compilation, &compilation->postponed.data[i], 0, &made, &first);
        drop(&made);
    }
    if (!first.object)
        return;
    drop(best);
    *best = first;
}

/* What is asked for first at each level; then ever less of what takes rows.  Whether reductions may
 * be finished changes no order of the others: a program without them has the same code.  Where most
 * of them together have room that is found at once, else when it is known what has (finish_best).
 */
static const struct attempt attempts[] = {
    {.finish = true, .folded = 16, .clean = true, .roomy = true},
    {.finish = true, .folded = 16, .clean = true},
    {.finish = true, .folded = 16},
    {.share = true, .finish = true, .folded = 16},
    {.share = true, .finish = true, .folded = 4},
    {.share = true, .folded = 16},
    {.share = true, .folded = 4},
    {.share = true, .folded = 2},
    {.share = true, .folded = 1},
    {.share = true, .folded = 1, .effort = 1},
    {.share = true, .folded = 1, .effort = 2},
    {.share = true, .folded = 1, .effort = 3},
    {.share = true, .put_in = true, .folded = 1},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, LEVELS = 3 };

/* The levels in the order in which they are tried: the one that is asked for, those below it, those
 * above it.  So what has room at one level has room at all. */
static int level_at(int asked, int index) {
    return index <= asked ? asked - index : index;
}

static void report_consumed(struct compilation *compilation, const struct ir_program *program) {
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

/* Where nothing else does, inputs too give their registers away: with a warning. */
static struct choice give_inputs(struct compilation *compilation) {
    struct choice best = {0};
    for (unsigned k = 0; k < 6 && !best.object; k++) {
        const struct attempt a = {.share = true,
                                  .give = true,
                                  .finish = k < 3,
                                  .folded = 1,
                                  .level = compilation->options->optimize,
                                  .effort = k % 3};
        consider(compilation, &a, &best);
    }
    if (best.object)
        report_consumed(compilation, &best.program);
    return best;
}

/* Instructions that all attempts together may come to before what there is has to do: a second or
 * two of work. */
static const uint64_t MOST_EMITTED = (uint64_t)1 << 20;

/* Where one has room the other has, too. */
static bool has_as_much(const struct fit *fit, const struct fit *other) {
    return fit->all >= other->all && fit->bound >= other->bound &&
           !(other->targets & ~fit->targets);
}

static bool was_left_out(const struct compilation *compilation, const struct attempt *attempt) {
    bool left = false;
    for (size_t i = 0; i < compilation->left_out.len; i++)
        left |= same_lowering(lowering_of(&compilation->left_out.data[i]), lowering_of(attempt)) &&
                compilation->left_out.data[i].effort == attempt->effort;
    return left;
}

/* False if the attempt, which was left out or not, has no program with the room of the best. */
static bool prepare_finish(struct compilation *compilation, const struct attempt *attempt,
                           const struct choice *best, struct ir_program *program) {
    const struct choice none = {0};
    if (was_left_out(compilation, attempt))
        return best->fit.targets != compilation->targets &&
               make_program(compilation, attempt, program);
    return prepare(compilation, attempt, &none, program) &&
           (best->fit.targets || !can_wait(compilation, attempt, program, &none)) &&
           !was_made(compilation, attempt, program);
}

/* The attempt so that the host may finish reductions; false if the best has more room. */
static bool try_finish(struct compilation *compilation, const struct attempt *attempt,
                       struct choice *best) {
    struct choice made = {0}, kept = {0};
    if (prepare_finish(compilation, attempt, best, &kept.program))
        emit_choice(compilation, attempt, best->fit.targets, &kept, &made);
    drop(&kept);
    bool good = made.object && made.object->finishes.len && has_as_much(&made.fit, &best->fit);
    drop(good ? best : &made);
    if (good)
        *best = made;
    return good;
}

/* The best once more, or with fewer reductions together: their elements keep registers. */
static void finish_best(struct compilation *compilation, struct choice *best) {
    struct attempt a = best->how;
    if (!best->object || a.finish || !compilation->finishes)
        return;
    a.finish = true;
    for (bool done = false; !done && a.folded; a.folded = a.folded > FEWER ? FEWER : a.folded / 2)
        done = try_finish(compilation, &a, best);
}

/* The attempt so that the host may finish reductions, before any other made code: if that has room
 * everywhere, it is what finish_best would come to.  One that has not is left to it. */
static void finish_first(struct compilation *compilation, const struct attempt *attempt,
                         struct choice *best) {
    struct attempt a = *attempt;
    size_t waiting = compilation->postponed.len;
    if (best->object || a.finish || a.folded >= FEWER || a.effort || a.put_in ||
        !compilation->finishes || !compilation->postpones || compilation->front->spills)
        return;
    a.finish = true;
    consider(compilation, &a, best);
    compilation->postponed.len = waiting;
}

/* False if there is nothing more to try. */
static bool try_one(struct compilation *compilation, const struct attempt *attempt,
                    struct choice *best) {
    finish_first(compilation, attempt, best);
    if (best->fit.all && best->object)
        return false;
    consider(compilation, attempt, best);
    return !best->object || compilation->options->tight ||
           (!best->fit.all && compilation->emitted < MOST_EMITTED);
}

/* The first attempt that has room; else the best. */
static struct choice try_all(struct compilation *compilation) {
    struct choice best = {0};
    bool more = true;
    compilation->postpones = !compilation->options->rows && !compilation->options->columns &&
                             !compilation->options->tight;
    for (int k = 0; more && k < LEVELS; k++) {
        for (size_t i = 0; more && i < ATTEMPTS; i++) {
            struct attempt a = attempts[i];
            a.level = level_at(compilation->options->optimize, k);
            a.clean &= a.level > 0;
            a.roomy &= compilation->front->roomy;
            a.clean &= !compilation->front->resident;
            /* Without cleaning the first is the second, and has as many registers. */
            bool same = i < 2 ? !a.level
                              : i == 2 && a.level &&
                                    (compilation->lacks != IR_NONE || compilation->front->resident);
            same |= i == 0 && !a.roomy;
            if (!same)
                more = try_one(compilation, &a, &best);
        }
    }
    finish_best(compilation, &best);
    consider_postponed(compilation, &best);
    compilation->postpones = false;
    return best.object || spills(compilation) || compilation->front->resident
               ? best
               : give_inputs(compilation);
}

/* ---- spilling ---- */

/* How hard code is made to do with the registers that n of variables leave. */
static unsigned effort_beside(const struct compilation *compilation, unsigned n) {
    if (n < 32 && !compilation->sections) /* widths apart take more registers, which are columns */
        return 3;
    return n < 40 ? 2 : n < 52 ? 1 : 0;
}

/* Variables within a room; false if that is not possible. */
static bool spill_to(struct compilation *compilation, struct ir_room room, struct ir_room whole,
                     unsigned split, struct choice *best) {
    struct attempt a = {.folded = 1,
                        .level = compilation->options->optimize,
                        .effort = effort_beside(compilation, room.registers),
                        .spill = room,
                        .home = whole,
                        .put_in = split > 0,
                        .split = (uint8_t)split};
    a.home.bits = whole.bits * 3 / 4;
    a.home.columns = whole.columns * 3 / 4;
    consider(compilation, &a, best);
    return compilation->lacks == IR_NONE;
}

static void spill_within(struct compilation *compilation, struct ir_room whole, unsigned split,
                         struct choice *best) {
    for (unsigned n = IR_REGISTERS; n >= 8 && !(best->object && best->fit.all); n -= 4) {
        struct ir_room part = {n, whole.bits * n / IR_REGISTERS, whole.columns * n / IR_REGISTERS,
                               whole.sections};
        if (!spill_to(compilation, part, whole, split, best))
            break;
    }
}

/* Variables have ever fewer registers and rows until there is room for what has no name; where rows
 * do not do, registers alone count. */
static struct choice find_spills(struct compilation *compilation, struct ir_room whole) {
    struct ir_room any = whole_lane(compilation);
    struct choice best = {0};
    if (compilation->options->registers) {
        any.registers = compilation->options->registers;
        spill_to(compilation, any, whole, compilation->options->split, &best);
    }
    for (unsigned split = 0; split <= IR_SPLIT_VALUES; split++)
        spill_within(compilation, whole, split, &best);
    for (any.registers = IR_REGISTERS; any.registers >= 8 && !best.object; any.registers -= 4)
        if (!spill_to(compilation, any, whole, 0, &best))
            break;
    return best;
}

static void note_no_spill(struct compilation *compilation) {
    diag_note(compilation->diag, compilation->front->at, "%s", compilation->front->words.no_spill);
}

/* ---- what comes of it ---- */

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
    make_program(compilation, &a, &p);
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

static void report_registers(struct compilation *compilation) {
    if (compilation->front->spills) {
        report_worst(compilation, 0, 1);
        return;
    }
    struct attempt a = {
        .share = true, .folded = 1, .level = compilation->options->optimize, .effort = 2};
    struct ir_program p;
    bool full = !make_program(compilation, &a, &p);
    if (!full)
        object_free(emit_program(compilation, &a, false, 0, &p));
    ir_free(&p);
    a = (struct attempt){.folded = 1};
    if (full && !make_program(compilation, &a, &p))
        report_full(compilation, &p);
    if (full)
        ir_free(&p);
    if (spills(compilation))
        note_no_spill(compilation);
}

/* What most programs are left with (MUL.64; ADD.64 under a mask). */
enum { USUAL_ROWS = 870, USUAL_COLUMNS = 13 };

/* For variables, where the program as it is takes too much. */
static struct ir_room room_for_spilling(const struct compilation *compilation,
                                        const struct choice *plain) {
    const struct ez_options *o = compilation->options;
    struct ir_room room = {IR_REGISTERS, o->rows ? o->rows : USUAL_ROWS,
                           o->columns ? o->columns : USUAL_COLUMNS, compilation->sections};
    if (plain->object) {
        room.bits = plain->fit.rows;
        room.columns = plain->fit.columns;
    }
    return room;
}

/* Whether -fspill, which was not said, has room. */
static bool would_spill(struct compilation *compilation, const struct choice *plain) {
    struct choice spilled = find_spills(compilation, room_for_spilling(compilation, plain));
    bool fits =
        spilled.object && (compilation->options->target ? spilled.fit.all : spilled.fit.bound);
    drop(&spilled);
    return fits;
}

static void report_rows(struct compilation *compilation, const struct choice *best) {
    const struct room *full = &best->fit.fullest;
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
    if (spills(compilation))
        note_no_spill(compilation);
    else
        diag_note(compilation->diag, NO_SPAN, "%s%s", compilation->front->words.narrower,
                  would_spill(compilation, best) ? compilation->front->words.spill : "");
}

/* The object, or NULL after reporting what it lacks, or when its text was asked for. */
static struct object *finish(struct compilation *compilation, struct choice best) {
    bool must = compilation->front->spills || compilation->options->target;
    bool lacks = best.object && (must ? !best.fit.all : !best.fit.bound);
    if (compilation->front->resident && (lacks || !best.object)) {
        drop(&best);
        return NULL;
    }
    if (!best.object)
        report_registers(compilation);
    if (lacks)
        report_rows(compilation, &best);
    if (best.object && !lacks && compilation->options->emit == EZ_EMIT_NONE) {
        struct object *o = best.object;
        best.object = NULL;
        drop(&best);
        return o;
    }
    if (best.object && !lacks)
        str_append(compilation->options->emit_text, str_text(&best.ir));
    drop(&best);
    return NULL;
}

/* As it is, if that goes; else with variables in VRFs of their own. */
static struct object *compile_spilling(struct compilation *compilation) {
    struct choice plain = {0};
    if (!compilation->options->registers)
        plain = try_all(compilation);
    if (plain.object && plain.fit.all)
        return finish(compilation, plain);
    struct choice spilled = find_spills(compilation, room_for_spilling(compilation, &plain));
    bool better = spilled.fit.all || (spilled.fit.bound && !plain.fit.bound);
    if (!spilled.object || (plain.object && !better)) {
        drop(&spilled);
        return finish(compilation, plain);
    }
    drop(&plain);
    if (spilled.fit.all || !compilation->front->spills)
        ir_report_spills(&spilled.program, compilation->front->spills ? W_MOVES : W_SPILL,
                         compilation->diag);
    return finish(compilation, spilled);
}

static struct object *compile(struct compilation *compilation) {
    return spills(compilation) ? compile_spilling(compilation)
                               : finish(compilation, try_all(compilation));
}

/* Where there should be room, and what that is measured in. */
static void choose_targets(struct compilation *compilation) {
    const struct ez_options *o = compilation->options;
    struct rows_there there;
    compilation->targets = rows_targets_of_one_section();
    compilation->sections = o->columns ? o->sections : 0;
    if (!o->target || !rows_of_target(o->target, &there))
        return;
    compilation->targets = rows_target_bit(o->target);
    if (!o->columns && there.sections > 1)
        compilation->sections = there.sections;
}

struct object *compile_program(const struct compile_front *front, const struct ez_options *options,
                               struct diag *diag) {
    struct compilation c = {.front = front, .options = options, .diag = diag, .lacks = IR_NONE};
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
