/* SPDX-License-Identifier: MIT */
#include "machines/golden/run/golden.h"
#include "recipe/recipe.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

static void code_free(struct dp_code *code) {
    free(code->insns);
    free(code->masked);
    free(code);
}

static void golden_close(struct datapath *dp) {
    struct golden_machine *g = golden_of(dp);
    while (g->codes) {
        struct dp_code *code = g->codes;
        g->codes = code->next;
        code_free(code);
    }
    state_close(&g->state);
    free(g);
}

/* Of the machines whose results it checks: their costs are unknown here. */
static const char *const part_names[] = {"logic", "copy", "crossing"};

static struct datapath *golden_open(const struct dp_setup *setup, struct diag *d) {
    struct golden_machine *g = xcalloc(1, sizeof *g);
    struct datapath *dp = &g->state.base;
    bool fine = state_open(&g->state, &golden_ops, setup, d);
    dp->tables = (struct dp_tables){.parts = part_names,
                                    .part_count = sizeof part_names / sizeof *part_names};
    if (fine)
        return dp;
    golden_close(dp);
    return NULL;
}

/* What the program's own instructions do. */
static const struct recipe_contracts *contracts_of(const struct golden_machine *g) {
    return g->state.setup.library ? g->state.setup.library->contracts : NULL;
}

static bool has_semantics(const struct golden_machine *g, const struct insn *i, struct diag *d) {
    const struct isa_info *info = isa_info(i->op);
    if (((info->flags & ISA_VECTOR) && info->golden) ||
        recipe_contracts_have(contracts_of(g), i->op))
        return true;
    diag_error(d, NO_SPAN, "%s is not an instruction of lanes", info->name);
    return false;
}

static struct dp_code *code_new(const struct dp_run *run) {
    struct dp_code *code = xcalloc(1, sizeof *code);
    size_t room = run->count ? run->count : 1;
    bool masked = run->masked;
    code->count = run->count;
    code->insns = xcalloc(room, sizeof *code->insns);
    code->masked = xcalloc(room, sizeof *code->masked);
    for (size_t i = 0; i < run->count; i++) {
        uint32_t flags = isa_info(run->insns[i].op)->flags;
        code->insns[i] = run->insns[i];
        code->masked[i] = masked && !(flags & ISA_UNMASKED);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return code;
}

static struct dp_code *golden_prepare(struct datapath *dp, const struct dp_run *run,
                                      struct diag *d) {
    struct golden_machine *g = golden_of(dp);
    for (size_t i = 0; i < run->count; i++)
        if (!has_semantics(g, &run->insns[i], d))
            return NULL;
    struct dp_code *code = code_new(run);
    pthread_mutex_lock(&g->state.lock);
    code->next = g->codes;
    g->codes = code;
    pthread_mutex_unlock(&g->state.lock);
    return code;
}

/* One instruction on one lane. */
#define GOLDEN_LANE_HOST_PS UINT64_C(15000)

static void golden_describe(const struct datapath *dp, const struct dp_code *code,
                            struct dp_description *out) {
    const struct golden_machine *g = (const struct golden_machine *)(const void *)dp;
    *out = (struct dp_description){.form = DP_COST_FIXED,
                                   .host_ps = code->count * g->state.lanes * GOLDEN_LANE_HOST_PS};
}

/* The lane as the golden function wants it: sources extended from the instruction's width, the
 * source of ZEXT and SEXT from its own. */
static struct golden_lane lane_of(const struct lane_state *s, const struct state_vrf *x,
                                  uint32_t lane, const struct insn *i, unsigned w,
                                  unsigned rs_width) {
    const struct state_bits *b = &x->bits[lane];
    return (struct golden_lane){
        .rs = state_read(s, x, lane, i->rs) & low_bits(rs_width),
        .rt = state_read(s, x, lane, i->rt) & low_bits(w),
        .rd = state_read(s, x, lane, i->rd) & low_bits(w),
        .c = b->c,
        .m = b->m,
        .valid = b->valid,
        .w = w,
        .imm = i->imm,
    };
}

static void write_back(const struct lane_state *s, struct state_vrf *x, uint32_t lane,
                       const struct insn *i, uint32_t flags, const struct golden_lane *l) {
    struct state_bits *b = &x->bits[lane];
    if (flags & WRITES_RD)
        state_write(s, x, lane, i->rd, l->w, l->rd);
    if (flags & WRITES_RS)
        state_write(s, x, lane, i->rs, l->w, l->rs);
    if (flags & WRITES_RT)
        state_write(s, x, lane, i->rt, l->w, l->rt);
    if (flags & WRITES_C)
        b->c = l->c;
    if (flags & WRITES_M)
        b->m = l->m;
}

static bool has_source_width(const struct isa_info *info) {
    for (unsigned k = 0; k < info->operand_count; k++)
        if (info->operands[k] == ROLE_SRCWIDTH)
            return true;
    return false;
}

static void run_insn(const struct golden_machine *g, struct state_vrf *x, const struct insn *i,
                     bool masked) {
    const struct isa_info *info = isa_info(i->op);
    unsigned w = i->width ? i->width : 64;
    unsigned rs_width = has_source_width(info) ? (unsigned)i->imm : w;
    for (uint32_t lane = 0; lane < x->lanes; lane++) {
        struct golden_lane l = lane_of(&g->state, x, lane, i, w, rs_width);
        if (masked && !l.m)
            continue;
        if (info->golden)
            info->golden(&l);
        else
            recipe_contracts_run(contracts_of(g), i->op, &l);
        write_back(&g->state, x, lane, i, info->flags, &l);
    }
}

static void golden_follow(const struct datapath *dp, const struct dp_code *code,
                          const struct dp_description *about, uint64_t vrfs, uint64_t start_ps,
                          uint64_t *clock, struct dp_times *out) {
    (void)dp, (void)code, (void)about, (void)vrfs, (void)clock;
    out->begin_ps = out->next_ps = out->done_ps = start_ps;
}

static void golden_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                           uint64_t begin_ps, struct dp_outcome *out) {
    struct golden_machine *g = golden_of(dp);
    (void)begin_ps, (void)out;
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++) {
            struct state_vrf *x = state_vrf(&g->state, set.ranges[r].first + k, 0);
            for (size_t i = 0; x && i < code->count; i++)
                run_insn(g, x, &code->insns[i], code->masked[i]);
        }
}

static void golden_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    state_copy(state_of(dp), x);
    cost->known = false;
}

/* There are no micro-ops to report. */
static void golden_observe(struct datapath *dp, dp_observer *observer, void *context) {
    (void)dp, (void)observer, (void)context;
}

const struct datapath_ops golden_ops = {
    .name = "golden",
    .open = golden_open,
    .close = golden_close,
    .prepare = golden_prepare,
    .describe = golden_describe,
    .bind = state_bind,
    .execute = golden_execute,
    .follow = golden_follow,
    .any = state_any,
    .copy = golden_copy,
    .get = state_get,
    .put = state_put,
    .observe = golden_observe,
    .snapshot = state_snapshot,
};
