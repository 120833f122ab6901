/* SPDX-License-Identifier: MIT
 * From source text to an object. */
#include "ezpim/ezpim.h"
#include "ezpim/ez/include.h"
#include "ezpim/ez/lower.h"
#include "ezpim/ir_clean.h"
#include "ezpim/ir_join.h"
#include "ezpim/ir_moves.h"
#include "ezpim/ir_registers.h"
#include "ezpim/ir_scopes.h"
#include "ezpim/ir_spill.h"
#include "ezpim/ir_widths.h"
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
    struct ir_room spill; /* registers 0: not; else variables have no more, some lie elsewhere */
    unsigned home_bits;   /* as in ir_spill */
};

static const struct ir_room whole_lane = {IR_REGISTERS, 64 * IR_REGISTERS};

/* The variable that has no room, or IR_NONE. */
static uint32_t give_registers(struct unit *u, const struct attempt *a, struct ir_program *p) {
    struct ir_lives lives = {0};
    bool share = a->share || a->spill.registers;
    uint32_t lacks = 0;
    if (a->spill.registers)
        lacks = ir_spill(p, a->spill, a->home_bits, u->diag, &lives) ? IR_NONE : 0;
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

/* False if variables have no registers. */
static bool lower_program(struct unit *u, const struct attempt *a, struct ir_program *p) {
    bool share = a->share || a->spill.registers;
    struct lower_options options = {a->level, share, a->put_in, a->folded};
    *p = (struct ir_program){.arena = &u->arena, .consumed = IR_NONE};
    ez_lower(u, options, p);
    if (a->level > 0) {
        ir_drop_moves(p);
        if (!share)
            ir_join_ensembles(p);
        ir_keep_narrow(p);
        ir_find_scopes(p);
    }
    u->lacks = give_registers(u, a, p);
    if (u->lacks != IR_NONE)
        return false;
    if (a->clean && !share)
        ir_clean(p);
    return true;
}

/* NULL where there are too few registers.  The program is spent. */
static struct object *emit_program(struct unit *u, const struct ez_options *options,
                                   const struct attempt *a, bool quiet, struct ir_program *p) {
    struct ir_options how = {a->level, a->effort, options->debug, quiet};
    struct object *o = lower_program(u, a, p) ? ir_emit(p, how, u->diag) : NULL;
    for (size_t i = 0; o && i < u->recipes.len; i++)
        program_add_recipes(o, u->recipes.data[i].name, u->recipes.data[i].text,
                            u->recipes.data[i].size, u->diag);
    return o;
}

static void print_program(struct unit *u, const struct attempt *a, struct str *out) {
    struct ir_program p;
    lower_program(u, a, &p);
    for (size_t i = 0; i < p.codes.len; i++)
        ir_optimize(p.codes.data[i], a->level, IR_REACH_ALL);
    ir_print(&p, u->diag, out);
    ir_free(&p);
}

/* ---- rows ---- */

/* What an object lacks.  Without --rows the better of two has room on more targets, of as many on
 * the same ones whatever was tried first; only of those with room on the same targets the first is
 * the better code. */
struct fit {
    bool all;              /* there is room wherever there should be */
    uint32_t targets;      /* bit i: the i-th of rows_left has room */
    uint32_t taken, least; /* rows: of the object; that the target with the fewest has */
};

static struct fit fit_of(const struct object *o, const struct ez_options *options) {
    struct fit f = {.taken = rows_taken(o), .least = UINT32_MAX};
    struct rows_left left;
    rows_left(o, &left);
    for (unsigned t = 0; t < left.count; t++) {
        f.targets |= (uint32_t)(f.taken <= left.left[t]) << t;
        f.least = left.left[t] < f.least ? left.left[t] : f.least;
    }
    if (options->rows)
        f.least = options->rows;
    f.all = f.taken <= f.least;
    return f;
}

/* The best so far. */
struct choice {
    struct object *object; /* NULL: there were too few registers */
    struct ir_program program;
    struct fit fit;
    struct str ir; /* with --emit=ir */
};

static void drop(struct choice *c) {
    object_free(c->object);
    ir_free(&c->program);
    str_free(&c->ir);
    *c = (struct choice){.object = NULL};
}

static bool is_better(const struct fit *a, const struct fit *b, const struct ez_options *options) {
    if (options->rows || options->tight)
        return a->taken < b->taken;
    int more = __builtin_popcount(a->targets) - __builtin_popcount(b->targets);
    return more > 0 || (more == 0 && a->targets > b->targets);
}

/* Makes the code, and keeps it if it is better. */
static void consider(struct unit *u, const struct ez_options *options, const struct attempt *a,
                     struct choice *best) {
    struct choice made = {0};
    made.object = emit_program(u, options, a, true, &made.program);
    if (!made.object) {
        drop(&made);
        return;
    }
    u->emitted += made.object->text.len;
    made.fit = fit_of(made.object, options);
    if (best->object && !is_better(&made.fit, &best->fit, options)) {
        drop(&made);
        return;
    }
    if (options->emit == EZ_EMIT_IR)
        print_program(u, a, &made.ir);
    drop(best);
    *best = made;
}

/* What is asked for first at each level; then ever less of what takes rows. */
static const struct attempt attempts[] = {
    {.folded = 16, .clean = true},
    {.folded = 16},
    {.share = true, .folded = 16},
    {.share = true, .folded = 4},
    {.share = true, .folded = 2},
    {.share = true, .folded = 1},
    {.share = true, .folded = 1, .effort = 1},
    {.share = true, .folded = 1, .effort = 2},
    {.share = true, .put_in = true, .folded = 1},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, LEVELS = 3 };

/* The levels in the order in which they are tried: the one that is asked for, those below it, those
 * above it.  So what has room at one level has room at all. */
static int level_at(int asked, int k) {
    return k <= asked ? asked - k : k;
}

static void report_consumed(struct unit *u, const struct ir_program *p) {
    if (p->consumed == IR_NONE)
        return;
    const struct ir_variable *v = &p->variables.data[p->consumed];
    const char *taker =
        p->consumed_by == IR_NONE
            ? "other values"
            : arena_printf(&u->arena, "`%s`", p->variables.data[p->consumed_by].decl.name);
    diag_warning(u->diag, W_CONSUMED, v->at,
                 "`%s` is consumed: there are too few registers, and behind its last use %s %s its "
                 "own",
                 v->decl.name, taker, p->consumed_by == IR_NONE ? "have" : "has");
    if (p->consumed_count > 1)
        diag_note(u->diag, v->at, "the same goes for %u more", p->consumed_count - 1);
    diag_note(u->diag, v->at, "`in consumed` says that this is meant");
}

/* Where nothing else does, inputs too give their registers away: with a warning. */
static struct choice give_inputs(struct unit *u, const struct ez_options *options) {
    struct choice best = {0};
    struct attempt a = {.share = true, .give = true, .folded = 1, .level = options->optimize};
    for (; a.effort < 3 && !best.object; a.effort++)
        consider(u, options, &a, &best);
    if (best.object)
        report_consumed(u, &best.program);
    return best;
}

/* Instructions that all attempts together may come to before what there is has to do: a second or
 * two of work. */
static const uint64_t MOST_EMITTED = (uint64_t)1 << 20;

/* False if there is nothing more to try. */
static bool try_one(struct unit *u, const struct ez_options *options, const struct attempt *a,
                    struct choice *best) {
    consider(u, options, a, best);
    return !best->object || options->tight || (!best->fit.all && u->emitted < MOST_EMITTED);
}

/* The first attempt that has room; else the best. */
static struct choice try_all(struct unit *u, const struct ez_options *options) {
    struct choice best = {0};
    bool more = true;
    for (int k = 0; more && k < LEVELS; k++)
        for (size_t i = 0; more && i < ATTEMPTS; i++) {
            struct attempt a = attempts[i];
            a.level = level_at(options->optimize, k);
            a.clean &= a.level > 0;
            if (a.level || i != 0) /* without cleaning it is the next one */
                more = try_one(u, options, &a, &best);
        }
    return best.object || options->spill ? best : give_inputs(u, options);
}

/* ---- spilling ---- */

/* Variables within n registers and `bits` of them; false if that is not possible. */
static bool spill_to(struct unit *u, const struct ez_options *options, unsigned n, uint32_t bits,
                     uint32_t rows, struct choice *best) {
    struct attempt a = {.folded = 1,
                        .level = options->optimize,
                        .effort = n < 40   ? 2
                                  : n < 52 ? 1
                                           : 0,
                        .spill = {n, bits},
                        .home_bits = rows * 3 / 4};
    consider(u, options, &a, best);
    return u->lacks == IR_NONE;
}

/* Variables have ever fewer registers and rows until there is room for what has no name; where rows
 * do not do, registers alone count. */
static struct choice find_spills(struct unit *u, const struct ez_options *options, uint32_t rows) {
    static const uint32_t any = 64 * IR_REGISTERS;
    struct choice best = {0};
    if (options->registers)
        spill_to(u, options, options->registers, any, rows, &best);
    for (unsigned n = IR_REGISTERS; n >= 8 && !(best.object && best.fit.all); n -= 4)
        if (!spill_to(u, options, n, rows * n / IR_REGISTERS, rows, &best))
            break;
    for (unsigned n = IR_REGISTERS; n >= 8 && !best.object; n -= 4)
        if (!spill_to(u, options, n, any, rows, &best))
            break;
    return best;
}

static void note_no_spill(struct unit *u) {
    diag_note(u->diag, u->main->word,
              "-fspill does not help: it brings variables to their registers between the "
              "statements of main, and here one statement needs too many of them, or ones that "
              "cannot be moved (docs/ezpim.md), or the program has too many variables for it");
}

/* ---- what comes of it ---- */

/* Of a program whose variables keep their registers: which one got none, and what has them. */
static void report_full(struct unit *u, const struct ir_program *p) {
    uint32_t lacks = u->lacks;
    unsigned taken = 0;
    const struct ir_variable *v = &p->variables.data[lacks];
    for (uint32_t w = 0; w < lacks; w++)
        if (ir_registers_meet(p, lacks, w))
            taken += p->variables.data[w].decl.count;
    diag_error(u->diag, v->at, "`%s` needs %u register%s, and %u of %d are taken", v->decl.name,
               v->decl.count, v->decl.count == 1 ? "" : "s",
               taken + (unsigned)__builtin_popcountll(p->taken), IR_REGISTERS);
    for (uint32_t w = 0; w < lacks; w++) {
        const struct ir_variable *x = &p->variables.data[w];
        char type[8];
        mpu_type_text(x->decl.type, type);
        if (ir_registers_meet(p, lacks, w) && x->decl.has_k)
            diag_note(u->diag, x->at, "`%s`, %s[%u]", x->decl.name, type, x->decl.count);
        else if (ir_registers_meet(p, lacks, w))
            diag_note(u->diag, x->at, "`%s`, %s", x->decl.name, type);
    }
}

static void report_registers(struct unit *u, const struct ez_options *options) {
    struct attempt a = {.share = true, .folded = 1, .level = options->optimize, .effort = 2};
    struct ir_program p;
    object_free(emit_program(u, options, &a, false, &p));
    bool full = u->lacks != IR_NONE;
    ir_free(&p);
    a = (struct attempt){.folded = 1};
    if (full && !lower_program(u, &a, &p))
        report_full(u, &p);
    if (full)
        ir_free(&p);
    if (options->spill)
        note_no_spill(u);
}

static void report_rows(struct unit *u, const struct ez_options *options,
                        const struct choice *best) {
    struct str message = {0};
    uint32_t missing = best->fit.taken - options->rows;
    str_printf(&message,
               "the registers need %" PRIu32 " rows, and --rows says %" PRIu32 ": %" PRIu32
               " %s missing",
               best->fit.taken, options->rows, missing, missing == 1 ? "is" : "are");
    program_report_rows(best->object, best->object->text.data, str_text(&message), u->diag);
    if (options->spill)
        note_no_spill(u);
    else
        diag_note(u->diag, NO_SPAN,
                  "what helps: narrower types, `in consumed` for inputs that are not needed to the "
                  "end, or -fspill, which keeps variables in VRFs of their own");
    str_free(&message);
}

/* The object, or NULL after reporting what it lacks, or when its text was asked for. */
static struct object *finish(struct unit *u, const struct ez_options *options, struct choice best) {
    bool lacks = best.object && options->rows && !best.fit.all;
    if (!best.object)
        report_registers(u, options);
    if (lacks)
        report_rows(u, options, &best);
    if (best.object && !lacks && options->emit == EZ_EMIT_NONE)
        return best.object;
    if (best.object && !lacks)
        str_append(options->emit_text, str_text(&best.ir));
    drop(&best);
    return NULL;
}

/* What most programs are left with (MUL.64; ADD.64 under a mask). */
enum { USUAL_ROWS = 870 };

/* As it is, if that goes; else with variables in VRFs of their own. */
static struct object *compile_spilling(struct unit *u, const struct ez_options *options) {
    struct choice plain = {0};
    if (!options->registers)
        plain = try_all(u, options);
    if (plain.object && plain.fit.all)
        return finish(u, options, plain);
    uint32_t rows = plain.object ? plain.fit.least : options->rows ? options->rows : USUAL_ROWS;
    struct choice spilled = find_spills(u, options, rows);
    if (spilled.object && spilled.fit.all) {
        drop(&plain);
        ir_report_spills(&spilled.program, u->diag);
        return finish(u, options, spilled);
    }
    if (spilled.object && !plain.object) {
        ir_report_spills(&spilled.program, u->diag);
        return finish(u, options, spilled);
    }
    drop(&spilled);
    return finish(u, options, plain);
}

static struct object *compile_program(struct unit *u, const struct ez_options *options) {
    return options->spill ? compile_spilling(u, options) : finish(u, options, try_all(u, options));
}

static struct object *compile_unit(struct unit *u, const struct ez_options *options) {
    if (options->emit == EZ_EMIT_AST) {
        ast_print(u->tree, u->diag, options->emit_text);
        return NULL;
    }
    if (!ez_check(u))
        return NULL;
    return compile_program(u, options);
}

struct object *ez_compile_all(const struct ez_source *sources, size_t count,
                              const struct ez_options *options, struct diag *d) {
    struct unit u = {.diag = d,
                     .errors_before = diag_errors(d),
                     .whole = {diag_source(d, sources[0].name, NULL, 0), 0, 0},
                     .defines = options->defines,
                     .define_count = options->define_count};
    struct object *o = NULL;
    if (ez_load(&u, sources, count, options))
        o = compile_unit(&u, options);
    unit_free(&u);
    if (o && diag_errors(d) != u.errors_before) {
        object_free(o);
        o = NULL;
    }
    if (o && !o->source)
        o->source = arena_strdup(&o->arena, sources[0].name);
    return o;
}

struct object *ez_compile(const char *name, const char *text, size_t size,
                          const struct ez_options *options, struct diag *d) {
    const struct ez_source source = {name, text, size};
    return ez_compile_all(&source, 1, options, d);
}
