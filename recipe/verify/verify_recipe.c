/* SPDX-License-Identifier: MIT
 * A recipe's micro-ops, carried out on 64 lanes and compared with what the ISA says: results, and
 * that nothing else that is visible changes.  Cheap enough for every opening of a set, and for each
 * form that a program uses; mpu-recipe verify does it at length and on the engine itself. */
#include "recipe/verify/bench_values.h"
#include "recipe/verify/computes.h"
#include "recipe/expand/expand.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* Planes of 64 lanes.  Registers of the instruction, which are r1 .. r3 (and r0 for none). */
struct bench {
    const struct target *t;
    uint64_t registers[4][64], c, m, valid;
    uint64_t *scratch, *buffers;
    size_t rows; /* of scratch in a section */
};

static size_t rows_used(const struct uop_list *list) {
    size_t rows = 0;
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++) {
            uint32_t p = list->data[i].dst[k];
            if (PLANE_CLASS(p) == PLANE_SCRATCH && PLANE_NUMBER(p) >= rows)
                rows = PLANE_NUMBER(p) + 1;
        }
    return rows;
}

/* NULL for constants. */
static uint64_t *plane_at(struct bench *bench, uint32_t p) {
    switch (PLANE_CLASS(p)) {
    case PLANE_REGISTER:
        return &bench->registers[PLANE_NUMBER(p) >> 6 & 3][PLANE_NUMBER(p) & 63];
    case PLANE_C:
        return &bench->c;
    case PLANE_M:
        return &bench->m;
    case PLANE_VALID:
        return &bench->valid;
    case PLANE_SCRATCH:
        return &bench->scratch[PLANE_SECTION(p) * bench->rows + PLANE_NUMBER(p)];
    case PLANE_BUFFER:
        return &bench->buffers[(PLANE_SECTION(p) * 2 + (PLANE_NUMBER(p) >> 8 & 1)) * MAX_CARRIES +
                               (PLANE_NUMBER(p) & 0xff)];
    default:
        return NULL;
    }
}

static uint64_t plane_value(struct bench *bench, uint32_t p) {
    const uint64_t *at = plane_at(bench, p);
    return at ? *at : PLANE_NUMBER(p) ? UINT64_MAX : 0;
}

/* The lanes in which a plane changes: what is visible only under the predicate. */
static uint64_t lanes_written(struct bench *bench, const struct uop *uop, uint32_t p) {
    bool held = PLANE_CLASS(uop->predicate) != PLANE_NONE && PLANE_CLASS(p) != PLANE_SCRATCH &&
                PLANE_CLASS(p) != PLANE_BUFFER;
    return held ? plane_value(bench, uop->predicate) : UINT64_MAX;
}

static void run_one(struct bench *bench, const struct uop *uop) {
    const struct target_op *op = &plane_target(bench->t)->ops[uop->kind];
    uint64_t in[UOP_MAX + 1] = {0}, out[UOP_MAX], made = 0;
    for (unsigned s = 0; s < uop->nsrc; s++)
        in[s] = plane_value(bench, uop->src[s]);
    for (unsigned k = 0; k < uop->ndst; k++) {
        uint64_t old = plane_value(bench, uop->dst[k]),
                 lanes = lanes_written(bench, uop, uop->dst[k]);
        in[uop->nsrc] = old;
        if (k == 0 || op->reads_old || op->truth[k] != op->truth[k - 1])
            made = plane_op_apply(op->truth[k], in, (unsigned)uop->nsrc + op->reads_old);
        out[k] = (made & lanes) | (old & ~lanes);
    }
    for (unsigned k = 0; k < uop->ndst; k++)
        *plane_at(bench, uop->dst[k]) = out[k];
}

static void run_list(struct bench *bench, const struct uop_list *list) {
    const struct plane_target *own = plane_target(bench->t);
    bench->rows = rows_used(list);
    bench->scratch = xcalloc(bench->rows * own->sections + 1, sizeof *bench->scratch);
    bench->buffers = xcalloc((size_t)own->sections * 2 * MAX_CARRIES, sizeof *bench->buffers);
    for (size_t i = 0; i < list->len; i++)
        run_one(bench, &list->data[i]);
    free(bench->scratch);
    free(bench->buffers);
}

static void put_low(uint64_t *to, unsigned w, uint64_t value) {
    *to = (*to & ~low_bits(w)) | (value & low_bits(w));
}

static void fill(struct bench *bench, const struct insn *insn, unsigned w, unsigned round) {
    uint64_t seed = w + 64 * round;
    recipe_bench_values(insn, w, round, bench->registers);
    for (unsigned r = 1; r < 4; r++)
        bits_transpose64(bench->registers[r]);
    bench->valid = splitmix64(&seed) | splitmix64(&seed);
    bench->m = splitmix64(&seed) & bench->valid;
    bench->c = splitmix64(&seed);
}

/* --- lanes --- */

/* What one lane holds of all that is visible. */
struct bench_lane {
    uint64_t registers[4]; /* whole */
    bool c, m;
};

static void transpose_registers(struct bench *bench) {
    for (unsigned r = 1; r < 4; r++)
        bits_transpose64(bench->registers[r]);
}

/* Of a bench whose registers are transposed. */
static struct bench_lane state_of(const struct bench *bench, unsigned lane) {
    struct bench_lane x = {.c = bench->c >> lane & 1, .m = bench->m >> lane & 1};
    for (unsigned r = 1; r < 4; r++)
        x.registers[r] = bench->registers[r][lane];
    return x;
}

struct verifier {
    const struct recipe_set *set;
    const struct recipe *c;
    const struct insn *insn;
    bool masked; /* lanes where M is 0 keep what they have */
    unsigned w;
    struct diag *diag;
};

static struct golden_lane lane_of(const struct verifier *verifier, const struct bench_lane *state,
                                  bool valid) {
    const struct insn *i = verifier->insn;
    unsigned first = recipe_computes_bits(i, ROLE_RS), second = recipe_computes_bits(i, ROLE_RT);
    return (struct golden_lane){.w = verifier->w,
                                .imm = i->imm,
                                .lut = i->table,
                                .rs = state->registers[i->rs] & low_bits(first),
                                .rt = state->registers[i->rt] & low_bits(second),
                                .rd = state->registers[i->rd] & low_bits(verifier->w),
                                .c = state->c,
                                .m = state->m,
                                .valid = valid,
                                .flush = verifier->set->target->arith == ARITH_FLUSH};
}

/* Of two results in one register the later operand's is there in the end. */
static struct bench_lane state_wanted(const struct verifier *verifier,
                                      const struct bench_lane *before,
                                      const struct golden_lane *want) {
    uint32_t flags = recipe_info(verifier->insn->op)->flags;
    const struct insn *i = verifier->insn;
    struct bench_lane x = *before;
    if (verifier->masked && !before->m)
        return x;
    if (flags & WRITES_RS)
        put_low(&x.registers[i->rs], verifier->w, want->rs);
    if (flags & WRITES_RT)
        put_low(&x.registers[i->rt], verifier->w, want->rt);
    if (flags & WRITES_RD)
        put_low(&x.registers[i->rd], verifier->w, want->rd);
    x.c = want->c;
    x.m = want->m;
    return x;
}

/* --- differences --- */

/* "at width 8 under a mask, where rd is rs," */
static void print_form(const struct verifier *verifier, struct str *out) {
    static const char *const names[] = {"rs", "rt", "rd"};
    const uint8_t registers[] = {verifier->insn->rs, verifier->insn->rt, verifier->insn->rd};
    str_printf(out, "at width %u", verifier->w);
    str_append(out, verifier->masked ? " under a mask" : "");
    for (unsigned k = 1; k < 3; k++)
        for (unsigned i = 0; i < k; i++)
            if (registers[k] && registers[k] == registers[i]) {
                str_printf(out, ", where %s is %s,", names[k], names[i]);
                break;
            }
}

/* What says how a lane should look after the instruction. */
static const char *judge_of(const struct verifier *verifier, const char *name,
                            const struct golden_lane *lane) {
    if (recipe_info(verifier->insn->op)->flags & ISA_USER)
        return "instruction's contract";
    return strcmp(name, "computes") != 0 && recipe_computes_unlike(verifier->c, lane)
               ? "recipe's 'unlike'"
               : "ISA";
}

/* What merges under a mask is looked for where it alone did not come with the tools. */
static const struct recipe *suspect_of(const struct verifier *verifier) {
    const struct recipe *merge = NULL;
    if (verifier->masked && plane_target(verifier->set->target)->mask_by == MASK_SELECT &&
        !verifier->c->unit.file->own)
        merge = verifier->set->recipes[OP_MASKED];
    return merge && merge->unit.file->own ? merge : verifier->c;
}

static bool differs(const struct verifier *verifier, const char *name, struct span at,
                    const struct golden_lane *lane, uint64_t got, uint64_t want) {
    const struct recipe *suspect = suspect_of(verifier);
    struct str form = {0};
    if (suspect != verifier->c)
        str_printf(&form, "behind %s ", verifier->c->unit.name);
    print_form(verifier, &form);
    recipe_error(verifier->diag, suspect->unit.file, suspect == verifier->c ? at : suspect->unit.at,
                 "%s: %s with rs = %llu, rt = %llu, rd = %llu, constant %lld, C = %d, "
                 "M = %d, '%s' is %llu, but the %s says %llu",
                 suspect->unit.name, str_text(&form), (unsigned long long)lane->rs,
                 (unsigned long long)lane->rt, (unsigned long long)lane->rd, (long long)lane->imm,
                 lane->c, lane->m, name, (unsigned long long)got, judge_of(verifier, name, lane),
                 (unsigned long long)want);
    str_free(&form);
    return false;
}

static uint64_t field_value(const struct golden_lane *lane, uint8_t field) {
    const uint64_t values[] = {lane->rs & low_bits(lane->w), lane->rt & low_bits(lane->w),
                               lane->rd & low_bits(lane->w), lane->c, lane->m};
    return values[field];
}

static bool compare_contracts(const struct verifier *verifier, const struct golden_lane *before,
                              const struct golden_lane *want) {
    for (unsigned i = 0; i < verifier->c->computes_count; i++) {
        const struct recipe_expr *e = verifier->c->computes[i];
        uint64_t promised = recipe_computes_eval(verifier->c, e, before);
        uint64_t right = field_value(want, recipe_computes_result(verifier->c, e));
        if (promised != right)
            return differs(verifier, "computes", e->at, before, promised, right);
    }
    return true;
}

/* What the recipe calls a register's operand, the one that is written last. */
static const char *name_of(const struct verifier *verifier, unsigned reg) {
    const struct insn *insn = verifier->insn;
    const uint8_t registers[] = {insn->rs, insn->rt, insn->rd};
    struct signature s;
    notation_signature(insn->op, &s);
    for (unsigned i = s.out_count; i-- > 0;)
        if (s.out[i] <= FIELD_RD && registers[s.out[i]] == reg)
            return verifier->c->unit.out[i].name;
    for (unsigned i = s.in_count; i-- > 0;)
        if (s.in[i] <= FIELD_RD && registers[s.in[i]] == reg)
            return verifier->c->unit.in[i].name;
    return "a register";
}

static bool compare_states(const struct verifier *verifier, const struct golden_lane *lane,
                           const struct bench_lane *got, const struct bench_lane *want) {
    struct span at = verifier->c->unit.at;
    uint64_t low = low_bits(verifier->w);
    for (unsigned r = 1; r < 4; r++) {
        uint64_t x = got->registers[r], y = want->registers[r];
        if (x != y && (x & low) != (y & low))
            return differs(verifier, name_of(verifier, r), at, lane, x & low, y & low);
        if (x != y)
            return differs(verifier, "a bit above the width", at, lane, 1, 0);
    }
    if (got->c != want->c)
        return differs(verifier, "C", at, lane, got->c, want->c);
    return got->m == want->m || differs(verifier, "M", at, lane, got->m, want->m);
}

static bool compare_lane(const struct verifier *verifier, const struct bench *before,
                         const struct bench *after, unsigned lane) {
    struct bench_lane from = state_of(before, lane), got = state_of(after, lane);
    struct golden_lane x = lane_of(verifier, &from, before->valid >> lane & 1), want = x;
    recipe_golden(verifier->set, verifier->insn->op, &want);
    struct golden_lane made = x;
    recipe_result(verifier->set, verifier->insn->op, &made);
    struct bench_lane wanted = state_wanted(verifier, &from, &made);
    return compare_contracts(verifier, &x, &want) && compare_states(verifier, &x, &got, &wanted);
}

/* The one buffer of each direction holds what a list's readers want, in the order of time. */
static bool check_buffers(const struct verifier *verifier, const struct uop_list *list) {
    const char *problem = NULL;
    struct str form = {0};
    if (recipe_buffers_suffice(verifier->set->target, list, &problem))
        return true;
    print_form(verifier, &form);
    recipe_error(verifier->diag, verifier->c->unit.file, verifier->c->unit.at, "%s: %s: %s",
                 verifier->c->unit.name, str_text(&form), problem);
    recipe_note_keys(verifier->diag, verifier->set->target, problem);
    str_free(&form);
    return false;
}

static bool run_round(const struct verifier *verifier, const struct uop_list *list,
                      unsigned round) {
    struct bench before = {.t = verifier->set->target}, after;
    fill(&before, verifier->insn, verifier->w, round);
    after = before;
    run_list(&after, list);
    transpose_registers(&before);
    transpose_registers(&after);
    bool fine = true;
    for (unsigned lane = 0; lane < BENCH_LANES && fine; lane++)
        fine = compare_lane(verifier, &before, &after, lane);
    return fine;
}

bool recipe_verify(const struct recipe_set *set, const struct recipe *recipe,
                   const struct insn *insn, bool masked, enum recipe_effort effort,
                   const struct uop_list *list, struct diag *diag) {
    const struct isa_info *info = recipe_info(insn->op);
    struct verifier v = {set, recipe, insn, masked && !(info->flags & ISA_UNMASKED), 1, diag};
    v.w = info->flags & ISA_WIDTH ? insn->width : 1;
    if (!recipe_has_golden(set, insn->op))
        return true;
    bool fine = check_buffers(&v, list);
    unsigned rounds = effort == RECIPE_ONCE ? 1 : recipe_bench_rounds(insn, v.w);
    for (unsigned round = 0; round < rounds && fine; round++)
        fine = run_round(&v, list, round);
    return fine;
}
