/* SPDX-License-Identifier: MIT
 * A recipe's micro-ops, carried out on 64 lanes and compared with what the ISA says.  Cheap enough
 * for every opening of a set; the tests do it at length and on a machine of their own. */
#include "recipe/computes.h"
#include "recipe/expand/expand.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

#define LANES 64

/* Planes of 64 lanes: registers r1, r2, r3 as the check's instructions name them. */
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
static uint64_t *plane_at(struct bench *b, uint32_t p) {
    switch (PLANE_CLASS(p)) {
    case PLANE_REGISTER:
        return &b->registers[PLANE_NUMBER(p) >> 6 & 3][PLANE_NUMBER(p) & 63];
    case PLANE_C:
        return &b->c;
    case PLANE_M:
        return &b->m;
    case PLANE_VALID:
        return &b->valid;
    case PLANE_SCRATCH:
        return &b->scratch[PLANE_SECTION(p) * b->rows + PLANE_NUMBER(p)];
    case PLANE_BUFFER:
        return &b->buffers[(PLANE_SECTION(p) * 2 + (PLANE_NUMBER(p) >> 8 & 1)) * MAX_CARRIES +
                           (PLANE_NUMBER(p) & 0xff)];
    default:
        return NULL;
    }
}

static uint64_t plane_value(struct bench *b, uint32_t p) {
    const uint64_t *at = plane_at(b, p);
    return at ? *at : PLANE_NUMBER(p) ? UINT64_MAX : 0;
}

static uint64_t apply(uint32_t truth, const uint64_t *in, unsigned n) {
    uint64_t out = 0;
    for (unsigned row = 0; row < 1u << n; row++) {
        uint64_t term = truth >> row & 1 ? UINT64_MAX : 0;
        for (unsigned s = 0; term && s < n; s++)
            term &= row >> s & 1 ? in[s] : ~in[s];
        out |= term;
    }
    return out;
}

static void run_one(struct bench *b, const struct uop *u) {
    const struct target_op *op = &plane_target(b->t)->ops[u->kind];
    uint64_t in[UOP_MAX + 1] = {0}, out[UOP_MAX];
    for (unsigned s = 0; s < u->nsrc; s++)
        in[s] = plane_value(b, u->src[s]);
    for (unsigned k = 0; k < u->ndst; k++) {
        in[u->nsrc] = plane_value(b, u->dst[k]);
        out[k] = apply(op->truth[k], in, (unsigned)u->nsrc + op->reads_old);
    }
    for (unsigned k = 0; k < u->ndst; k++)
        *plane_at(b, u->dst[k]) = out[k];
}

/* Edges, equal pairs and random values; all pairs where they are at most 64. */
static void fill(struct bench *b, unsigned w) {
    uint64_t seed = w, edges[] = {0, 1, UINT64_MAX, (uint64_t)1 << (w - 1), low_bits(w) >> 1};
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned r = 1; r < 4; r++) {
            uint64_t v = splitmix64(&seed);
            if (w <= 3)
                v = lane >> (r == 1 ? 0 : r == 2 ? w : 2 * w % 6);
            else if (lane < 25)
                v = edges[r == 1 ? lane % 5 : r == 2 ? lane / 5 : (lane + 2) % 5];
            else if (lane % 8 == 0 && r == 2)
                v = b->registers[1][lane];
            b->registers[r][lane] = v;
        }
    for (unsigned r = 1; r < 4; r++)
        bits_transpose64(b->registers[r]);
    b->valid = splitmix64(&seed) | splitmix64(&seed);
    b->m = splitmix64(&seed) & b->valid;
    b->c = splitmix64(&seed);
}

static struct golden_lane lane_of(const struct bench *b, const struct insn *insn, unsigned lane) {
    const struct isa_info *info = recipe_info(insn->op);
    unsigned w = info->flags & ISA_WIDTH ? insn->width : 1;
    unsigned source = recipe_computes_source_width(insn);
    struct golden_lane x = {.w = w, .imm = insn->imm};
    for (unsigned j = 0; j < w; j++) {
        x.rs |= j < source ? (b->registers[1][j] >> lane & 1) << j : 0;
        x.rt |= (b->registers[2][j] >> lane & 1) << j;
        x.rd |= (b->registers[3][j] >> lane & 1) << j;
    }
    x.c = b->c >> lane & 1;
    x.m = b->m >> lane & 1;
    x.valid = b->valid >> lane & 1;
    return x;
}

static uint64_t field_value(const struct golden_lane *x, uint8_t field) {
    const uint64_t values[] = {x->rs & low_bits(x->w), x->rt & low_bits(x->w),
                               x->rd & low_bits(x->w), x->c, x->m};
    return values[field];
}

struct verifier {
    const struct recipe_set *set;
    const struct recipe *c;
    const struct insn *insn;
    struct diag *diag;
};

static bool differs(const struct verifier *v, const char *name, struct span at,
                    const struct golden_lane *x, uint64_t got, uint64_t want) {
    recipe_error(v->diag, v->c->unit.file, at,
                 "%s: at width %u with rs = %llu, rt = %llu, rd = %llu, constant %lld, C = %d, "
                 "M = %d, '%s' is %llu, but the %s says %llu",
                 v->c->unit.name, x->w, (unsigned long long)x->rs, (unsigned long long)x->rt,
                 (unsigned long long)x->rd, (long long)x->imm, x->c, x->m, name,
                 (unsigned long long)got,
                 recipe_info(v->insn->op)->flags & ISA_USER ? "instruction's contract" : "ISA",
                 (unsigned long long)want);
    return false;
}

static bool compare_contracts(const struct verifier *v, const struct golden_lane *before,
                              const struct golden_lane *want) {
    for (unsigned i = 0; i < v->c->computes_count; i++) {
        const struct recipe_expr *e = v->c->computes[i];
        uint64_t promised = recipe_computes_eval(v->c, e, before);
        uint64_t right = field_value(want, recipe_computes_result(v->c, e));
        if (promised != right)
            return differs(v, "computes", e->at, before, promised, right);
    }
    return true;
}

static bool compare_lane(const struct verifier *v, const struct golden_lane *before,
                         const struct golden_lane *after) {
    struct signature s;
    struct golden_lane want = *before;
    recipe_golden(v->set, v->insn->op, &want);
    notation_signature(v->insn->op, &s);
    if (!compare_contracts(v, before, &want))
        return false;
    for (unsigned i = 0; i < s.out_count; i++)
        if (field_value(after, s.out[i]) != field_value(&want, s.out[i]))
            return differs(v, v->c->unit.out[i].name, v->c->unit.at, before,
                           field_value(after, s.out[i]), field_value(&want, s.out[i]));
    return true;
}

bool recipe_verify(const struct recipe_set *set, const struct recipe *c, const struct insn *insn,
                   const struct uop_list *list, struct diag *d) {
    struct verifier v = {set, c, insn, d};
    struct bench before = {.t = set->target}, after;
    const struct isa_info *info = recipe_info(insn->op);
    if (!recipe_has_golden(set, insn->op))
        return true;
    fill(&before, info->flags & ISA_WIDTH ? insn->width : 1);
    after = before;
    after.rows = rows_used(list);
    after.scratch =
        xcalloc(after.rows * plane_target(set->target)->sections + 1, sizeof *after.scratch);
    after.buffers = xcalloc((size_t)plane_target(set->target)->sections * 2 * MAX_CARRIES,
                            sizeof *after.buffers);
    for (size_t i = 0; i < list->len; i++)
        run_one(&after, &list->data[i]);
    bool fine = true;
    for (unsigned lane = 0; lane < LANES && fine; lane++) {
        struct golden_lane x = lane_of(&before, insn, lane), y = lane_of(&after, insn, lane);
        fine = compare_lane(&v, &x, &y);
    }
    free(after.scratch);
    free(after.buffers);
    return fine;
}
