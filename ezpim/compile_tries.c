/* SPDX-License-Identifier: MIT
 * Which attempts are made, in which order, and which can wait. */
#include "ezpim/compile_attempt.h"
#include "ezpim/ir/finishes.h"
#include "ezpim/ir/same.h"

/* The effort of attempts goes from 0 to this. */
enum { MOST_EFFORT = 3 };

/* What decides over what comes of a program with that fingerprint, as it was lowered, if no more of
 * the attempt counts than `effect`. */
static uint64_t key_lowered(const struct attempt *attempt, struct attempt_effect effect,
                            uint64_t print) {
    uint64_t how = (uint64_t)attempt->spill.registers << 56 |
                   (uint64_t)attempt->spill.columns << 43 | (uint64_t)attempt->spill.bits << 30 |
                   (uint64_t)attempt->home.bits << 16 | attempt->effort << 8 |
                   (uint64_t)(attempt->level > 0) << 7 | (uint64_t)attempt->give << 6 |
                   (uint64_t)compile_shares(attempt) << 5 | (uint64_t)effect.clean << 4 |
                   (uint64_t)attempt->split << 10 | (uint64_t)effect.finish << 1;
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

/* NULL: nobody has lowered it so yet. */
static const struct known_lowering *find_lowering(const struct compilation *compilation,
                                                  const struct attempt *attempt) {
    for (size_t i = 0; i < compilation->lowered.len; i++)
        if (same_lowering(compilation->lowered.data[i].how, compile_lowering_of(attempt)))
            return &compilation->lowered.data[i];
    return NULL;
}

/* The same of an attempt that is not lowered for that; false if nobody knows yet. */
static bool would_be_tried(struct compilation *compilation, const struct attempt *attempt) {
    const struct known_lowering *known = find_lowering(compilation, attempt);
    return known && was_tried(compilation, key_lowered(attempt, asked(attempt), known->print));
}

/* Of the program that was lowered for the attempt: found once. */
static uint64_t fingerprint_lowered(struct compilation *compilation, const struct attempt *attempt,
                                    const struct ir_program *program) {
    const struct known_lowering *known = find_lowering(compilation, attempt);
    if (known)
        return known->print;
    const struct known_lowering made = {compile_lowering_of(attempt), ir_fingerprint(program)};
    vec_push(&compilation->lowered, made);
    return made.print;
}

/* True if the attempt begins with a program that no other began with, and variables get registers.
 */
static bool is_new(struct compilation *compilation, const struct attempt *attempt,
                   struct ir_program *program) {
    uint64_t print = fingerprint_lowered(compilation, attempt, program);
    const struct attempt_effect all = asked(attempt);
    struct attempt_effect effect;
    if (was_tried(compilation, key_lowered(attempt, all, print)))
        return false;
    compile_run_passes(compilation, attempt, program, &effect);
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

/* True if there is no use in making code of it now. */
static bool can_wait(struct compilation *compilation, const struct attempt *attempt,
                     const struct ir_program *program, const struct compile_choice *best) {
    struct compile_fit f = compile_best_fit(compilation, program);
    if (best->object)
        return !compile_is_better(compilation, &f, &best->fit);
    bool waits = compilation->postpones && !compile_may_have_room(compilation, attempt, program, 0);
    if (waits)
        vec_push(&compilation->postponed, *attempt);
    return waits;
}

/* Makes the code, if it has room on each target of `must`, and keeps it if it is better. */
static void emit_choice(struct compilation *compilation, const struct attempt *attempt,
                        uint32_t must, struct compile_choice *made, struct compile_choice *best) {
    if (!must || compile_may_have_room(compilation, attempt, &made->program, must))
        made->object = compile_emit(compilation, attempt, true, must, &made->program);
    if (!made->object && must)
        vec_push(&compilation->left_out, *attempt);
    if (!made->object)
        return;
    compilation->emitted += made->object->text.len;
    made->fit = compile_fit_of(compilation, made->object);
    made->how = *attempt;
    if (best->object && !compile_is_better(compilation, &made->fit, &best->fit))
        return;
    if (compilation->options->emit != EZ_EMIT_NONE)
        compile_print(compilation, attempt, &made->ir);
    compile_drop(best);
    *best = *made;
    *made = (struct compile_choice){.object = NULL};
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

/* Looks at an attempt that comes later: false if it has room nowhere.  *full is set if it would
 * have none either if the host finished nothing. */
static bool look_ahead(struct compilation *compilation, const struct attempt *attempt, bool *full) {
    struct ir_program program;
    compile_lower(compilation, attempt, &program);
    bool new = is_new(compilation, attempt, &program);
    bool may = new &&compile_may_have_room(compilation, attempt, &program, 0);
    *full = new && !may && !compile_may_have_room_unfinished(compilation, attempt, &program);
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
    bool known = would_be_tried(compilation, &plain), full;
    bool may = look_ahead(compilation, fewer, &full);
    if (!may && !known && (full || would_be_tried(compilation, &plain)))
        compilation->full_from = fewer->level + 1;
    return may;
}

/* Where many reductions are folded together, the attempt with fewer is looked at first: if that has
 * room nowhere, more of them have none either, and wait with it. */
static bool fewer_wait(struct compilation *compilation, const struct attempt *attempt,
                       const struct compile_choice *best) {
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
    bool looked = ahead->looked &&
                  same_lowering(compile_lowering_of(attempt), compile_lowering_of(&ahead->how)) &&
                  !attempt->effort && !attempt->give;
    if (looked)
        *program = ahead->program;
    ahead->looked &= !looked;
    return looked;
}

/* False if the attempt comes to nothing, or to nothing new; else *program has registers. */
static bool prepare(struct compilation *compilation, const struct attempt *attempt,
                    const struct compile_choice *best, struct ir_program *program) {
    if (take_ahead(compilation, attempt, program))
        return true;
    if (compilation->ends_full == attempt->level + 1 && attempt->finish && !attempt->give)
        return false;
    if (would_be_tried(compilation, attempt) || fewer_wait(compilation, attempt, best))
        return false;
    compile_lower(compilation, attempt, program);
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

void compile_consider(struct compilation *compilation, const struct attempt *attempt,
                      struct compile_choice *best) {
    struct compile_choice made = {0};
    if (prepare(compilation, attempt, best, &made.program) &&
        !can_wait(compilation, attempt, &made.program, best) &&
        !was_made(compilation, attempt, &made.program))
        emit_choice(compilation, attempt, must_have_room(compilation, attempt, &made.program),
                    &made, best);
    compile_drop(&made);
}

/* Where no attempt has room anywhere, the first one that makes code is the best. */
static void consider_postponed(struct compilation *compilation, struct compile_choice *best) {
    struct compile_choice first = {0};
    for (size_t i = 0; i < compilation->postponed.len && !best->fit.targets && !first.object; i++) {
        struct compile_choice made = {0};
        if (compile_make_program(compilation, &compilation->postponed.data[i], &made.program))
            emit_choice(compilation, &compilation->postponed.data[i], 0, &made, &first);
        compile_drop(&made);
    }
    if (!first.object)
        return;
    compile_drop(best);
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

/* Where nothing else does, inputs too give their registers away: with a warning. */
static struct compile_choice give_inputs(struct compilation *compilation) {
    struct compile_choice best = {0};
    for (unsigned k = 0; k < 6 && !best.object; k++) {
        const struct attempt a = {.share = true,
                                  .give = true,
                                  .finish = k < 3,
                                  .folded = 1,
                                  .level = compilation->options->optimize,
                                  .effort = k % 3};
        compile_consider(compilation, &a, &best);
    }
    if (best.object)
        compile_report_consumed(compilation, &best.program);
    return best;
}

/* Instructions that all attempts together may come to before what there is has to do: a second or
 * two of work. */
static const uint64_t MOST_EMITTED = (uint64_t)1 << 20;

/* Where one has room the other has, too. */
static bool has_as_much(const struct compile_fit *fit, const struct compile_fit *other) {
    return fit->all >= other->all && fit->bound >= other->bound &&
           !(other->targets & ~fit->targets);
}

static bool was_left_out(const struct compilation *compilation, const struct attempt *attempt) {
    bool left = false;
    for (size_t i = 0; i < compilation->left_out.len; i++)
        left |= same_lowering(compile_lowering_of(&compilation->left_out.data[i]),
                              compile_lowering_of(attempt)) &&
                compilation->left_out.data[i].effort == attempt->effort;
    return left;
}

/* False if the attempt, which was left out or not, has no program with the room of the best. */
static bool prepare_finish(struct compilation *compilation, const struct attempt *attempt,
                           const struct compile_choice *best, struct ir_program *program) {
    const struct compile_choice none = {0};
    if (was_left_out(compilation, attempt))
        return best->fit.targets != compilation->targets &&
               compile_make_program(compilation, attempt, program);
    return prepare(compilation, attempt, &none, program) &&
           (best->fit.targets || !can_wait(compilation, attempt, program, &none)) &&
           !was_made(compilation, attempt, program);
}

/* The attempt so that the host may finish reductions; false if the best has more room. */
static bool try_finish(struct compilation *compilation, const struct attempt *attempt,
                       struct compile_choice *best) {
    struct compile_choice made = {0}, kept = {0};
    if (prepare_finish(compilation, attempt, best, &kept.program))
        emit_choice(compilation, attempt, best->fit.targets, &kept, &made);
    compile_drop(&kept);
    bool good = made.object && made.object->finishes.len && has_as_much(&made.fit, &best->fit);
    compile_drop(good ? best : &made);
    if (good)
        *best = made;
    return good;
}

/* The best once more, or with fewer reductions together: their elements keep registers. */
static void finish_best(struct compilation *compilation, struct compile_choice *best) {
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
                         struct compile_choice *best) {
    struct attempt a = *attempt;
    size_t waiting = compilation->postponed.len;
    if (best->object || a.finish || a.folded >= FEWER || a.effort || a.put_in ||
        !compilation->finishes || !compilation->postpones || compilation->front->spills)
        return;
    a.finish = true;
    compile_consider(compilation, &a, best);
    compilation->postponed.len = waiting;
}

/* False if there is nothing more to try. */
static bool try_one(struct compilation *compilation, const struct attempt *attempt,
                    struct compile_choice *best) {
    finish_first(compilation, attempt, best);
    if (best->fit.all && best->object)
        return false;
    compile_consider(compilation, attempt, best);
    return !best->object || compilation->options->tight ||
           (!best->fit.all && compilation->emitted < MOST_EMITTED);
}

struct compile_choice compile_try_all(struct compilation *compilation) {
    struct compile_choice best = {0};
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
    return best.object || compile_spills(compilation) || compilation->front->resident
               ? best
               : give_inputs(compilation);
}
