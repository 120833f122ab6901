/* SPDX-License-Identifier: MIT
 * Near-bank SIMT cores behind datapath.h. */
#include "machines/core/simt/run/launch_cost.h"

#include "support/alloc.h"

#include <stdlib.h>

static struct simt_machine_state *machine_of(struct datapath *dp) {
    return (struct simt_machine_state *)(void *)dp;
}

static void simt_close(struct datapath *dp) {
    struct simt_machine_state *m = machine_of(dp);
    for (size_t i = 0; i < m->programs.len; i++)
        simt_program_free(m->programs.data[i]);
    vec_free(&m->programs);
    state_memory_close(&m->memory);
    state_close(&m->state);
    free(m);
}

static struct datapath *simt_open(const struct dp_setup *setup, struct diag *diag) {
    struct simt_machine_state *m = xcalloc(1, sizeof *m);
    bool fine = state_open(&m->state, &simt_engine, setup, diag);
    state_memory_open(&m->memory, simt_memory(setup->target));
    simt_cost_open(m);
    if (fine)
        return &m->state.base;
    simt_close(&m->state.base);
    return NULL;
}

/* ---- runs: the linker refuses them ---- */

static struct dp_code *simt_prepare(struct datapath *dp, const struct dp_run *run,
                                    struct diag *diag) {
    (void)dp, (void)run;
    diag_error(diag, NO_SPAN, "near-bank SIMT cores run kernels alone");
    return NULL;
}

static void simt_describe(const struct datapath *dp, const struct dp_code *code,
                          struct dp_description *out) {
    (void)dp, (void)code;
    *out = (struct dp_description){.form = DP_COST_FIXED};
}

static void simt_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                         struct dp_moment begin, struct dp_outcome *out) {
    (void)dp, (void)code, (void)set, (void)begin, (void)out;
}

static void simt_follow(struct datapath *dp, const struct dp_code *code,
                        const struct dp_description *about, const struct dp_issue *issue,
                        struct dp_times *out) {
    (void)dp, (void)code, (void)about;
    out->issued_ps = out->done_ps = issue->after_ps;
}

static uint64_t simt_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp, (void)clock, (void)ps;
    return 0;
}

static void simt_copy(struct datapath *dp, const struct dp_transfer *transfer,
                      struct dp_cost *cost) {
    state_copy(state_of(dp), transfer);
    cost->known = false;
}

static void simt_observe(struct datapath *dp, dp_observer *observer, void *context) {
    machine_of(dp)->observer = observer;
    machine_of(dp)->context = context;
}

/* ---- memory ---- */

static bool simt_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address,
                           struct diag *diag) {
    return state_memory_alloc(&machine_of(dp)->memory, bytes, address, diag);
}

static bool simt_mem_free(struct datapath *dp, uint64_t address, struct diag *diag) {
    return state_memory_free(&machine_of(dp)->memory, address, diag);
}

static bool simt_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                         struct diag *diag) {
    return state_memory_put(&machine_of(dp)->memory, address, bytes, size, diag);
}

static bool simt_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                         struct diag *diag) {
    return state_memory_get(&machine_of(dp)->memory, address, bytes, size, diag);
}

static bool simt_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct state_memory *memory = &machine_of(dp)->memory;
    bool some = memory->arrays.len != 0;
    const char *block = restore && some ? state_memory_take(memory, state) : NULL;
    if ((restore && some && !block) || !state_snapshot(dp, restore, state))
        return false;
    if (restore && some)
        state_memory_restore(memory, block);
    else if (some)
        state_memory_save(memory, state);
    return true;
}

/* ---- kernels ---- */

/* Made ready once for each kernel; NULL after reporting. */
static const struct simt_program *program_of(struct simt_machine_state *m,
                                             const struct dp_launch *launch, struct diag *diag) {
    const char *problem = NULL;
    for (size_t i = 0; i < m->programs.len; i++)
        if (m->programs.data[i]->decl == launch->decl)
            return m->programs.data[i];
    struct simt_program *p = simt_program_new(launch->kernel, launch->size, NULL, &problem);
    if (!p) {
        diag_error(diag, NO_SPAN, "its code is damaged: %s", problem);
        return NULL;
    }
    p->decl = launch->decl;
    vec_push(&m->programs, p);
    return p;
}

static bool simt_engine_launch(struct datapath *dp, const struct dp_launch *launch,
                               struct dp_cost *cost, struct diag *diag) {
    struct simt_machine_state *m = machine_of(dp);
    struct simt_run run = {
        .launch = launch, .target = m->state.setup.target, .memory = &m->memory, .diag = diag};
    cost->known = false;
    run.program = program_of(m, launch, diag);
    return run.program && simt_cost_launch(m, &run, cost);
}

static void simt_forget_kernel(struct datapath *dp, const struct kernel_decl *decl) {
    struct simt_machine_state *m = machine_of(dp);
    for (size_t i = 0; i < m->programs.len; i++)
        if (m->programs.data[i]->decl == decl) {
            simt_program_free(m->programs.data[i]);
            m->programs.data[i] = vec_last(&m->programs);
            m->programs.len--;
            return;
        }
}

const struct datapath_ops simt_engine = {
    .name = "strict",
    .open = simt_open,
    .close = simt_close,
    .prepare = simt_prepare,
    .describe = simt_describe,
    .bind = state_bind,
    .execute = simt_execute,
    .follow = simt_follow,
    .pass = simt_pass,
    .any = state_any,
    .copy = simt_copy,
    .get = state_get,
    .put = state_put,
    .mem_alloc = simt_mem_alloc,
    .mem_free = simt_mem_free,
    .mem_put = simt_mem_put,
    .mem_get = simt_mem_get,
    .launch = simt_engine_launch,
    .forget_kernel = simt_forget_kernel,
    .counters = simt_cost_counters,
    .observe = simt_observe,
    .format = simt_cost_format,
    .snapshot = simt_snapshot,
};
