/* SPDX-License-Identifier: MIT
 * From a program that a front end makes to an object. */
#include "ezpim/compile.h"
#include "ezpim/ir_clean.h"
#include "ezpim/ir_finishes.h"
#include "ezpim/ir_join.h"
#include "ezpim/ir_layout.h"
#include "ezpim/ir_locals.h"
#include "ezpim/ir_moves.h"
#include "ezpim/ir_registers.h"
#include "ezpim/ir_same.h"
#include "ezpim/ir_scopes.h"
#include "ezpim/ir_spill.h"
#include "ezpim/ir_strides.h"
#include "ezpim/ir_widths.h"
#include "ezpim/ir_worst.h"
#include "ezpim/rows.h"
#include "linker/package.h"

#include <inttypes.h>

/* How the program is made into code.  Each step asks for fewer rows, mostly, and costs time. */
struct attempt {
    bool share;     /* variables that are not needed at the same time have the same registers */
    bool give;      /* inputs that are not consumed, too */
    bool put_in;    /* larger subroutines are put in where they are called */
    uint8_t folded; /* reductions of a run that are folded together, at most */
    int level;
    unsigned effort; /* as in struct ir_options */
    bool clean;      /* variables keep zeros above their bits, in wider registers (ir_clean.h) */
    bool roomy;      /* results have registers of their own (ir_options) */
    struct ir_room spill; /* registers 0: not; else variables have no more, some lie elsewhere */
    unsigned home_bits;   /* as in ir_spill */
};

/* A program that an attempt began with, or came to, and what was asked for from there on: no other
 * attempt makes anything else of it. */
struct tried {
    uint64_t key;
    uint32_t lacks; /* as in struct compilation */
};

struct compilation {
    const struct compile_front *front;
    const struct ez_options *options;
    struct diag *diag;
    uint64_t emitted; /* instructions of all attempts so far */
    uint32_t lacks;   /* the variable of the latest attempt that got no register, or IR_NONE */
    VEC(struct tried) tried;
    bool postpones; /* an attempt that has room nowhere waits for all others: */
    VEC(struct attempt) postponed;
};

static bool spills(const struct compilation *c) {
    return c->options->spill || c->front->spills;
}

static const struct ir_room whole_lane = {IR_REGISTERS, 64 * IR_REGISTERS};

/* The variable that has no room, or IR_NONE. */
static uint32_t give_registers(struct compilation *c, const struct attempt *a,
                               struct ir_program *p) {
    struct ir_lives lives = {0};
    bool share = a->share || a->spill.registers;
    uint32_t lacks = 0;
    if (a->spill.registers)
        lacks = ir_spill(p, a->spill, a->home_bits, c->diag, &lives) ? IR_NONE : 0;
    else if (ir_lives_find(&lives, p, a->give))
        lacks = ir_registers_give(p, &lives, share, whole_lane);
    if (lacks == IR_NONE) {
        ir_registers_bind(p, &lives, share);
        if (a->give)
            p->consumed = ir_registers_consume(p, &lives, &p->consumed_by, &p->consumed_count);
    }
    ir_lives_free(&lives);
    return lacks;
}

static bool shares(const struct attempt *a) {
    return a->share || a->spill.registers;
}

static void lower_program(struct compilation *c, const struct attempt *a, struct ir_program *p) {
    const struct compile_lowering how = {a->level, shares(a), a->put_in, a->folded};
    *p = (struct ir_program){.arena = c->front->arena, .consumed = IR_NONE};
    c->front->lower(c->front->context, how, p);
}

/* False if variables have no registers.  *cleaned: whether a->clean made any difference. */
static bool run_passes(struct compilation *c, const struct attempt *a, struct ir_program *p,
                       bool *cleaned) {
    bool share = shares(a);
    ir_keep_finishes(p, a->level > 0 && !share);
    if (a->level > 0) {
        ir_find_locals(p);
        ir_drop_moves(p);
        if (!share)
            ir_join_ensembles(p);
        ir_pair_strides(p);
        ir_find_locals(p);
        ir_keep_narrow(p);
        ir_find_scopes(p);
    }
    c->lacks = give_registers(c, a, p);
    *cleaned = c->lacks == IR_NONE && a->clean && !share && ir_clean(p);
    return c->lacks == IR_NONE;
}

static bool make_program(struct compilation *c, const struct attempt *a, struct ir_program *p) {
    bool cleaned;
    lower_program(c, a, p);
    return run_passes(c, a, p, &cleaned);
}

/* NULL where there are too few registers.  The program is spent. */
static struct object *emit_program(struct compilation *c, const struct attempt *a, bool quiet,
                                   struct ir_program *p) {
    struct ir_options how = {a->level, a->effort, c->options->debug, a->roomy, quiet};
    struct object *o = ir_emit(p, how, c->diag);
    for (size_t i = 0; o && i < c->front->recipe_count; i++)
        link_add_recipes(o, c->front->recipes[i].name, c->front->recipes[i].text,
                         c->front->recipes[i].size, c->diag);
    return o;
}

static void print_program(struct compilation *c, const struct attempt *a, struct str *out) {
    struct ir_program p;
    make_program(c, a, &p);
    if (c->options->emit == EZ_EMIT_LAYOUT)
        ir_print_layout(&p, c->diag, out);
    for (size_t i = 0; i < p.codes.len; i++)
        ir_optimize(p.codes.data[i], a->level, IR_REACH_ALL);
    if (c->options->emit == EZ_EMIT_IR)
        ir_print(&p, c->diag, out);
    ir_free(&p);
}

/* ---- rows ---- */

/* What an object lacks.  Without --rows the better of two has room on more targets, of as many on
 * the same ones whatever was tried first; only of those with room on the same targets the first is
 * the better code.  Where there must be room on all of them, it is the one that takes fewer rows.
 */
struct fit {
    bool all;              /* there is room wherever there should be */
    uint32_t targets;      /* bit i: the i-th of rows_left has room */
    uint32_t taken, least; /* rows: of the object; that the target with the fewest has */
    const char *fewest;    /* that target; NULL: --rows says it */
};

static struct fit fit_of(const struct compilation *c, const struct object *o) {
    struct fit f = {.taken = rows_taken(o), .least = UINT32_MAX};
    struct rows_left left;
    rows_left(o, &left);
    for (unsigned t = 0; t < left.count; t++) {
        f.targets |= (uint32_t)(f.taken <= left.left[t]) << t;
        f.fewest = left.left[t] < f.least ? left.target[t] : f.fewest;
        f.least = left.left[t] < f.least ? left.left[t] : f.least;
    }
    if (c->options->rows) {
        f.least = c->options->rows;
        f.fewest = NULL;
    }
    f.all = f.taken <= f.least;
    return f;
}

/* The best so far. */
struct choice {
    struct object *object; /* NULL: there were too few registers */
    struct ir_program program;
    struct fit fit;
    struct str ir; /* with --emit=ir, layout */
};

static void drop(struct choice *x) {
    object_free(x->object);
    ir_free(&x->program);
    str_free(&x->ir);
    *x = (struct choice){.object = NULL};
}

static bool is_better(const struct compilation *c, const struct fit *a, const struct fit *b) {
    if (c->options->rows || c->options->tight || (c->front->spills && a->targets == b->targets))
        return a->taken < b->taken;
    int more = __builtin_popcount(a->targets) - __builtin_popcount(b->targets);
    return more > 0 || (more == 0 && a->targets > b->targets);
}

/* ---- what was tried ---- */

/* What decides over what comes of a program with that fingerprint, as it was lowered. */
static uint64_t key_lowered(const struct attempt *a, bool clean, uint64_t print) {
    uint64_t how = (uint64_t)a->spill.registers << 48 | (uint64_t)a->spill.bits << 32 |
                   (uint64_t)a->home_bits << 16 | a->effort << 8 | (uint64_t)(a->level > 0) << 7 |
                   (uint64_t)a->give << 6 | (uint64_t)shares(a) << 5 | (uint64_t)clean << 4;
    return print ^ how * 0x9e3779b97f4a7c15u;
}

/* The same where variables have registers. */
static uint64_t key_bound(const struct attempt *a, uint64_t print) {
    uint64_t how = (uint64_t)a->effort << 8 | (uint64_t)(a->level > 0) << 7 | 1;
    return print ^ how * 0x9e3779b97f4a7c15u;
}

static bool was_tried(struct compilation *c, uint64_t key) {
    for (size_t i = 0; i < c->tried.len; i++)
        if (c->tried.data[i].key == key) {
            c->lacks = c->tried.data[i].lacks;
            return true;
        }
    return false;
}

static void note_tried(struct compilation *c, uint64_t key) {
    struct tried t = {key, c->lacks};
    vec_push(&c->tried, t);
}

/* True if the attempt comes to a program with registers that none came to before. */
static bool is_new(struct compilation *c, const struct attempt *a, struct ir_program *p) {
    uint64_t print = ir_fingerprint(p);
    bool cleaned;
    if (was_tried(c, key_lowered(a, a->clean, print)))
        return false;
    run_passes(c, a, p, &cleaned);
    note_tried(c, key_lowered(a, a->clean, print));
    if (a->clean && !cleaned)
        note_tried(c, key_lowered(a, false, print));
    uint64_t bound = c->lacks == IR_NONE ? key_bound(a, ir_fingerprint(p)) : 0;
    if (c->lacks != IR_NONE || was_tried(c, bound))
        return false;
    note_tried(c, bound);
    return true;
}

/* What there is room for at best: its variables alone take these rows. */
static struct fit best_fit(const struct ir_program *p) {
    struct fit f = {.taken = ir_registers_rows(p)};
    f.targets = rows_targets(f.taken);
    return f;
}

/* True if there is no use in making code of it now. */
static bool can_wait(struct compilation *c, const struct attempt *a, const struct ir_program *p,
                     const struct choice *best) {
    struct fit f = best_fit(p);
    if (best->object)
        return !is_better(c, &f, &best->fit);
    bool waits = c->postpones && !f.targets;
    if (waits)
        vec_push(&c->postponed, *a);
    return waits;
}

/* Makes the code, and keeps it if it is better. */
static void emit_choice(struct compilation *c, const struct attempt *a, struct choice *made,
                        struct choice *best) {
    made->object = emit_program(c, a, true, &made->program);
    if (!made->object)
        return;
    c->emitted += made->object->text.len;
    made->fit = fit_of(c, made->object);
    if (best->object && !is_better(c, &made->fit, &best->fit))
        return;
    if (c->options->emit != EZ_EMIT_NONE)
        print_program(c, a, &made->ir);
    drop(best);
    *best = *made;
    *made = (struct choice){.object = NULL};
}

static void consider(struct compilation *c, const struct attempt *a, struct choice *best) {
    struct choice made = {0};
    lower_program(c, a, &made.program);
    if (is_new(c, a, &made.program) && !can_wait(c, a, &made.program, best))
        emit_choice(c, a, &made, best);
    drop(&made);
}

/* Where no attempt has room anywhere, the first one that makes code is the best. */
static void consider_postponed(struct compilation *c, struct choice *best) {
    struct choice first = {0};
    for (size_t i = 0; i < c->postponed.len && !best->fit.targets && !first.object; i++) {
        struct choice made = {0};
        if (make_program(c, &c->postponed.data[i], &made.program))
            emit_choice(c, &c->postponed.data[i], &made, &first);
        drop(&made);
    }
    if (!first.object)
        return;
    drop(best);
    *best = first;
}

/* What is asked for first at each level; then ever less of what takes rows. */
static const struct attempt attempts[] = {
    {.folded = 16, .clean = true, .roomy = true},
    {.folded = 16, .clean = true},
    {.folded = 16},
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
static int level_at(int asked, int k) {
    return k <= asked ? asked - k : k;
}

static void report_consumed(struct compilation *c, const struct ir_program *p) {
    if (p->consumed == IR_NONE)
        return;
    const struct ir_variable *v = &p->variables.data[p->consumed];
    const char *taker =
        p->consumed_by == IR_NONE
            ? "other values"
            : arena_printf(c->front->arena, "`%s`", p->variables.data[p->consumed_by].decl.name);
    diag_warning(c->diag, W_CONSUMED, v->at,
                 "`%s` is consumed: there are too few registers, and behind its last use %s %s its "
                 "own",
                 v->decl.name, taker, p->consumed_by == IR_NONE ? "have" : "has");
    if (p->consumed_count > 1)
        diag_note(c->diag, v->at, "the same goes for %u more", p->consumed_count - 1);
    diag_note(c->diag, v->at, "%s", c->front->words.consumed);
}

/* Where nothing else does, inputs too give their registers away: with a warning. */
static struct choice give_inputs(struct compilation *c) {
    struct choice best = {0};
    struct attempt a = {.share = true, .give = true, .folded = 1, .level = c->options->optimize};
    for (; a.effort < 3 && !best.object; a.effort++)
        consider(c, &a, &best);
    if (best.object)
        report_consumed(c, &best.program);
    return best;
}

/* Instructions that all attempts together may come to before what there is has to do: a second or
 * two of work. */
static const uint64_t MOST_EMITTED = (uint64_t)1 << 20;

/* False if there is nothing more to try. */
static bool try_one(struct compilation *c, const struct attempt *a, struct choice *best) {
    consider(c, a, best);
    return !best->object || c->options->tight || (!best->fit.all && c->emitted < MOST_EMITTED);
}

/* The first attempt that has room; else the best. */
static struct choice try_all(struct compilation *c) {
    struct choice best = {0};
    bool more = true;
    c->postpones = !c->options->rows && !c->options->tight;
    for (int k = 0; more && k < LEVELS; k++)
        for (size_t i = 0; more && i < ATTEMPTS; i++) {
            struct attempt a = attempts[i];
            a.level = level_at(c->options->optimize, k);
            a.clean &= a.level > 0;
            a.roomy &= c->front->roomy;
            /* Without cleaning the first is the second, and has as many registers. */
            bool same = i < 2 ? !a.level : i == 2 && a.level && c->lacks != IR_NONE;
            same |= i == 0 && !a.roomy;
            if (!same)
                more = try_one(c, &a, &best);
        }
    consider_postponed(c, &best);
    c->postpones = false;
    return best.object || spills(c) ? best : give_inputs(c);
}

/* ---- spilling ---- */

/* Variables within n registers and `bits` of them; false if that is not possible. */
static bool spill_to(struct compilation *c, unsigned n, uint32_t bits, uint32_t rows,
                     struct choice *best) {
    struct attempt a = {.folded = 1,
                        .level = c->options->optimize,
                        .effort = n < 32   ? 3
                                  : n < 40 ? 2
                                  : n < 52 ? 1
                                           : 0,
                        .spill = {n, bits},
                        .home_bits = rows * 3 / 4};
    consider(c, &a, best);
    return c->lacks == IR_NONE;
}

/* Variables have ever fewer registers and rows until there is room for what has no name; where rows
 * do not do, registers alone count. */
static struct choice find_spills(struct compilation *c, uint32_t rows) {
    static const uint32_t any = 64 * IR_REGISTERS;
    struct choice best = {0};
    if (c->options->registers)
        spill_to(c, c->options->registers, any, rows, &best);
    for (unsigned n = IR_REGISTERS; n >= 8 && !(best.object && best.fit.all); n -= 4)
        if (!spill_to(c, n, rows * n / IR_REGISTERS, rows, &best))
            break;
    for (unsigned n = IR_REGISTERS; n >= 8 && !best.object; n -= 4)
        if (!spill_to(c, n, any, rows, &best))
            break;
    return best;
}

static void note_no_spill(struct compilation *c) {
    diag_note(c->diag, c->front->at, "%s", c->front->words.no_spill);
}

/* ---- what comes of it ---- */

/* Of a program whose variables keep their registers: which one got none, and what has them. */
static void report_full(struct compilation *c, const struct ir_program *p) {
    uint32_t lacks = c->lacks;
    unsigned taken = 0;
    const struct ir_variable *v = &p->variables.data[lacks];
    for (uint32_t w = 0; w < lacks; w++)
        if (ir_registers_meet(p, lacks, w))
            taken += p->variables.data[w].decl.count;
    diag_error(c->diag, v->at, "`%s` needs %u register%s, and %u of %d are taken", v->decl.name,
               v->decl.count, v->decl.count == 1 ? "" : "s",
               taken + (unsigned)__builtin_popcountll(p->taken), IR_REGISTERS);
    for (uint32_t w = 0; w < lacks; w++) {
        const struct ir_variable *x = &p->variables.data[w];
        char type[8];
        object_type_text(x->decl.type, type);
        if (ir_registers_meet(p, lacks, w) && x->decl.has_k)
            diag_note(c->diag, x->at, "`%s`, %s[%u]", x->decl.name, type, x->decl.count);
        else if (ir_registers_meet(p, lacks, w))
            diag_note(c->diag, x->at, "`%s`, %s", x->decl.name, type);
    }
}

/* What lives at the worst line, with all the sharing that there is; rows: 0, registers lack.  False
 * if these have room. */
static bool report_worst(struct compilation *c, uint32_t rows) {
    struct attempt a = {.share = true, .folded = 1, .level = c->options->optimize};
    struct ir_program p;
    struct ir_lives lives = {0};
    bool reported = true;
    make_program(c, &a, &p);
    if (ir_lives_find(&lives, &p, false))
        reported = ir_report_worst(&p, &lives, rows, c->diag);
    else
        diag_error(c->diag, c->front->at, "the program has too many arrays");
    ir_lives_free(&lives);
    ir_free(&p);
    if (reported)
        note_no_spill(c);
    return reported;
}

static void report_registers(struct compilation *c) {
    if (c->front->spills) {
        report_worst(c, 0);
        return;
    }
    struct attempt a = {.share = true, .folded = 1, .level = c->options->optimize, .effort = 2};
    struct ir_program p;
    bool full = !make_program(c, &a, &p);
    if (!full)
        object_free(emit_program(c, &a, false, &p));
    ir_free(&p);
    a = (struct attempt){.folded = 1};
    if (full && !make_program(c, &a, &p))
        report_full(c, &p);
    if (full)
        ir_free(&p);
    if (spills(c))
        note_no_spill(c);
}

static void report_rows(struct compilation *c, const struct choice *best) {
    if (c->front->spills && report_worst(c, best->fit.least))
        return;
    struct arena *arena = c->front->arena;
    uint32_t least = best->fit.least, missing = best->fit.taken - least;
    const char *room = arena_printf(arena, "--rows says %" PRIu32, least);
    if (best->fit.fewest)
        room = arena_printf(arena, "target '%s' has %" PRIu32 " beside what instructions need",
                            best->fit.fewest, least);
    const char *message =
        arena_printf(arena, "the registers need %" PRIu32 " rows, and %s: %" PRIu32 " %s missing",
                     best->fit.taken, room, missing, missing == 1 ? "is" : "are");
    package_report_rows(best->object, best->object->text.data, message, c->diag);
    if (spills(c))
        note_no_spill(c);
    else
        diag_note(c->diag, NO_SPAN, "%s", c->front->words.narrower);
}

/* The object, or NULL after reporting what it lacks, or when its text was asked for. */
static struct object *finish(struct compilation *c, struct choice best) {
    bool binds = c->options->rows || c->front->spills;
    bool lacks = best.object && binds && !best.fit.all;
    if (!best.object)
        report_registers(c);
    if (lacks)
        report_rows(c, &best);
    if (best.object && !lacks && c->options->emit == EZ_EMIT_NONE) {
        struct object *o = best.object;
        best.object = NULL;
        drop(&best);
        return o;
    }
    if (best.object && !lacks)
        str_append(c->options->emit_text, str_text(&best.ir));
    drop(&best);
    return NULL;
}

/* What most programs are left with (MUL.64; ADD.64 under a mask). */
enum { USUAL_ROWS = 870 };

/* As it is, if that goes; else with variables in VRFs of their own. */
static struct object *compile_spilling(struct compilation *c) {
    struct choice plain = {0};
    if (!c->options->registers)
        plain = try_all(c);
    if (plain.object && plain.fit.all)
        return finish(c, plain);
    uint32_t rows = plain.object       ? plain.fit.least
                    : c->options->rows ? c->options->rows
                                       : USUAL_ROWS;
    struct choice spilled = find_spills(c, rows);
    if (!spilled.object || (plain.object && !spilled.fit.all)) {
        drop(&spilled);
        return finish(c, plain);
    }
    drop(&plain);
    if (spilled.fit.all || !c->front->spills)
        ir_report_spills(&spilled.program, c->front->spills ? W_MOVES : W_SPILL, c->diag);
    return finish(c, spilled);
}

static struct object *compile(struct compilation *c) {
    return spills(c) ? compile_spilling(c) : finish(c, try_all(c));
}

struct object *compile_program(const struct compile_front *front, const struct ez_options *options,
                               struct diag *d) {
    struct compilation c = {.front = front, .options = options, .diag = d, .lacks = IR_NONE};
    struct object *o = compile(&c);
    vec_free(&c.tried);
    vec_free(&c.postponed);
    return o;
}
