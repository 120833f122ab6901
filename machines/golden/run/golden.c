/* SPDX-License-Identifier: MIT
 * Carries out instructions lane by lane with the functions of isa-spec/, which define them. */
#include "machines/golden/run/golden.h"
#include "recipe/set/recipe.h"
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
    golden_kernels_free(g);
    state_close(&g->state);
    free(g);
}

/* Of the machines whose results it checks: their costs are unknown here. */
static const char *const part_names[] = {"logic", "copy", "crossing"};

static struct datapath *golden_open(const struct dp_setup *setup, struct diag *diag) {
    struct golden_machine *g = xcalloc(1, sizeof *g);
    struct datapath *dp = &g->state.base;
    bool fine = state_open(&g->state, &golden_ops, setup, diag);
    state_memory_open(&g->memory, 0);
    dp->tables = (struct dp_tables){.parts = part_names,
                                    .part_count = sizeof part_names / sizeof *part_names};
    if (fine)
        return dp;
    golden_close(dp);
    return NULL;
}

/* What the program's own instructions do. */
static const struct recipe_contracts *contracts_of(const struct golden_machine *machine) {
    return machine->state.setup.library ? machine->state.setup.library->contracts : NULL;
}

static bool has_semantics(const struct golden_machine *machine, const struct insn *insn,
                          struct diag *diag) {
    const struct isa_info *info = isa_info(insn->op);
    if (((info->flags & ISA_VECTOR) && info->golden) ||
        recipe_contracts_have(contracts_of(machine), insn->op))
        return true;
    diag_error(diag, NO_SPAN, "%s is not an instruction of lanes", info->name);
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
                                      struct diag *diag) {
    struct golden_machine *g = golden_of(dp);
    for (size_t i = 0; i < run->count; i++)
        if (!has_semantics(g, &run->insns[i], diag))
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

static void golden_forget(struct datapath *dp, struct dp_code *code) {
    struct golden_machine *g = golden_of(dp);
    pthread_mutex_lock(&g->state.lock);
    struct dp_code **link = &g->codes;
    while (*link != code)
        link = &(*link)->next;
    *link = code->next;
    pthread_mutex_unlock(&g->state.lock);
    code_free(code);
}

static void golden_describe(const struct datapath *dp, const struct dp_code *code,
                            struct dp_description *out) {
    const struct golden_machine *g = (const struct golden_machine *)(const void *)dp;
    *out = (struct dp_description){.form = DP_COST_FIXED,
                                   .host_ps = code->count * g->state.lanes * GOLDEN_LANE_HOST_PS,
                                   .host_bytes = sizeof *code + code->count * sizeof *code->insns};
}

/* The lane as the golden function wants it: sources extended from the instruction's width, the
 * source of ZEXT and SEXT from its own, those of MULP from theirs. */
static struct golden_lane lane_of(const struct lane_state *state, const struct state_vrf *vrf,
                                  uint32_t lane, const struct insn *insn, unsigned w,
                                  unsigned rs_width, unsigned rt_width) {
    const struct state_bits *b = &vrf->bits[lane];
    return (struct golden_lane){
        .rs = state_read(state, vrf, lane, insn->rs) & low_bits(rs_width),
        .rt = state_read(state, vrf, lane, insn->rt) & low_bits(rt_width),
        .rd = state_read(state, vrf, lane, insn->rd) & low_bits(w),
        .c = b->c,
        .m = b->m,
        .valid = b->valid,
        .w = w,
        .imm = insn->imm,
        .lut = insn->table,
        .flush = state->setup.target->arith == ARITH_FLUSH,
    };
}

static void write_back(const struct lane_state *state, struct state_vrf *vrf, uint32_t lane,
                       const struct insn *insn, uint32_t flags,
                       const struct golden_lane *golden_lane) {
    struct state_bits *b = &vrf->bits[lane];
    if (flags & WRITES_RD)
        state_write(state, vrf, lane, insn->rd, golden_lane->w, golden_lane->rd);
    if (flags & WRITES_RS)
        state_write(state, vrf, lane, insn->rs, golden_lane->w, golden_lane->rs);
    if (flags & WRITES_RT)
        state_write(state, vrf, lane, insn->rt, golden_lane->w, golden_lane->rt);
    if (flags & WRITES_C)
        b->c = golden_lane->c;
    if (flags & WRITES_M)
        b->m = golden_lane->m;
}

static void run_insn(const struct golden_machine *machine, struct state_vrf *vrf,
                     const struct insn *insn, bool masked) {
    const struct isa_info *info = isa_info(insn->op);
    unsigned w = insn->width ? insn->width : 64;
    unsigned rs_width = insn->width ? isa_operand_bits(insn, ROLE_RS) : w;
    unsigned rt_width = insn->width ? isa_operand_bits(insn, ROLE_RT) : w;
    for (uint32_t lane = 0; lane < vrf->lanes; lane++) {
        struct golden_lane l = lane_of(&machine->state, vrf, lane, insn, w, rs_width, rt_width);
        if (masked && !l.m)
            continue;
        if (info->golden)
            info->golden(&l);
        else
            recipe_contracts_run(contracts_of(machine), insn->op, &l);
        write_back(&machine->state, vrf, lane, insn, info->flags, &l);
    }
}

/* Nothing takes time but slots. */
static void golden_follow(struct datapath *dp, const struct dp_code *code,
                          const struct dp_description *about, const struct dp_issue *issue,
                          struct dp_times *out) {
    (void)dp, (void)code, (void)about;
    out->issued_ps = out->done_ps = issue->after_ps;
}

static uint64_t golden_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp, (void)clock, (void)ps;
    return 0;
}

static void golden_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                           struct dp_moment begin, struct dp_outcome *out) {
    struct golden_machine *g = golden_of(dp);
    (void)begin, (void)out;
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++) {
            struct state_vrf *x = state_vrf(&g->state, set.ranges[r].first + k, 0);
            for (size_t i = 0; x && i < code->count; i++)
                run_insn(g, x, &code->insns[i], code->masked[i]);
        }
}

static void golden_copy(struct datapath *dp, const struct dp_transfer *transfer,
                        struct dp_cost *cost) {
    state_copy(state_of(dp), transfer);
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
    .remap = state_remap,
    .forget = golden_forget,
    .describe = golden_describe,
    .shape = state_shape,
    .bind = state_bind,
    .execute = golden_execute,
    .follow = golden_follow,
    .pass = golden_pass,
    .any = state_any,
    .copy = golden_copy,
    .get = state_get,
    .put = state_put,
    .mem_alloc = golden_mem_alloc,
    .mem_alloc_slices = golden_mem_alloc_slices,
    .mem_free = golden_mem_free,
    .mem_put = golden_mem_put,
    .mem_get = golden_mem_get,
    .launch = golden_launch,
    .forget_kernel = golden_forget_kernel,
    .observe = golden_observe,
    .snapshot = golden_snapshot,
};
