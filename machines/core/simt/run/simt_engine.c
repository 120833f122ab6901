/* SPDX-License-Identifier: MIT
 * Near-bank SIMT cores behind datapath.h. */
#include "machines/core/simt/run/launch_cost.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void simt_close(struct datapath *dp) {
    struct simt_machine_state *m = simt_machine_of(dp);
    for (size_t i = 0; i < m->programs.len; i++)
        simt_program_free(m->programs.data[i]);
    vec_free(&m->programs);
    simt_codes_free(m);
    simt_banks_close(m);
    state_memory_close(&m->memory);
    state_close(&m->state);
    free(m);
}

static struct datapath *simt_open(const struct dp_setup *setup, struct diag *diag) {
    struct simt_machine_state *m = xcalloc(1, sizeof *m);
    bool fine = state_open(&m->state, &simt_engine, setup, diag);
    state_memory_open(&m->memory, simt_memory(setup->target));
    simt_cost_open(m);
    m->valid = xcalloc(m->state.vrfs + 1u, sizeof *m->valid);
    m->state.base.tables.answers = true;
    m->state.base.valid_alone = true;
    if (fine)
        return &m->state.base;
    simt_close(&m->state.base);
    return NULL;
}

static void simt_observe(struct datapath *dp, dp_observer *observer, void *context) {
    simt_machine_of(dp)->observer = observer;
    simt_machine_of(dp)->context = context;
}

/* ---- memory ---- */

static bool simt_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address,
                           struct diag *diag) {
    return state_memory_alloc(&simt_machine_of(dp)->memory, bytes, address, diag);
}

static bool simt_mem_free(struct datapath *dp, uint64_t address, struct diag *diag) {
    return state_memory_free(&simt_machine_of(dp)->memory, address, diag);
}

static bool simt_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                         struct diag *diag) {
    return state_memory_put(&simt_machine_of(dp)->memory, address, bytes, size, diag);
}

static bool simt_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                         struct diag *diag) {
    return state_memory_get(&simt_machine_of(dp)->memory, address, bytes, size, diag);
}

/* How many lanes are valid, at the end. */
static bool valid_lanes(struct simt_machine_state *m, bool restore, struct str *state) {
    const size_t bytes = m->state.vrfs * sizeof *m->valid;
    if (!restore) {
        str_append_n(state, (const char *)m->valid, bytes);
        return true;
    }
    if (state->len < bytes)
        return false;
    state->len -= bytes;
    memcpy(m->valid, state->text + state->len, bytes);
    state->text[state->len] = '\0';
    return true;
}

static bool snapshot_rest(struct datapath *dp, bool restore, struct str *state) {
    struct state_memory *memory = &simt_machine_of(dp)->memory;
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

static bool simt_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct simt_machine_state *m = simt_machine_of(dp);
    if (restore)
        return valid_lanes(m, true, state) && snapshot_rest(dp, true, state);
    return snapshot_rest(dp, false, state) && valid_lanes(m, false, state);
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
    struct simt_machine_state *m = simt_machine_of(dp);
    struct simt_run run = {
        .launch = launch, .target = m->state.setup.target, .memory = &m->memory, .diag = diag};
    cost->known = false;
    run.program = program_of(m, launch, diag);
    return run.program && simt_cost_launch(m, &run, cost);
}

static void simt_forget_kernel(struct datapath *dp, const struct kernel_decl *decl) {
    struct simt_machine_state *m = simt_machine_of(dp);
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
    .bind = simt_bind,
    .execute = simt_execute,
    .follow = simt_follow,
    .pass = simt_pass,
    .any = simt_any,
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
