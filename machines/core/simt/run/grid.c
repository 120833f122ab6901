/* SPDX-License-Identifier: MIT
 * Launches: blocks in their order, and the warps of each. */
#include "machines/core/simt/run/core.h"
#include "ptx/run.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a thread: as many as PTX has, and as many for what registers are spilled to. */
#define MOST_OWN (2 * PTX_MAX_LOCAL)
#define SLICE    (UINT64_C(1) << 16) /* steps of a warp before the others have their turn */

/* ---- faults ---- */

static void source_text(const struct simt_kernel *k, uint32_t at, struct str *out) {
    const struct simt_line *line = &k->lines[at];
    if (line->function && line->function < k->function_count)
        str_printf(out, ", in '%s'", k->functions[line->function]);
    if (line->file < k->file_count)
        str_printf(out, " (%s:%u)", k->files[line->file], (unsigned)line->source_line);
}

bool simt_fault(struct simt_run *run, const struct simt_warp *w, uint32_t lane, uint32_t at,
                const char *format, ...) {
    const uint32_t *b = run->block, *n = run->threads_of, thread = w->number * SIMT_LANES + lane;
    struct str what = {0};
    va_list args;
    str_printf(&what, "block (%u,%u,%u), thread (%u,%u,%u): ", (unsigned)b[0], (unsigned)b[1],
               (unsigned)b[2], (unsigned)(thread % n[0]), (unsigned)(thread / n[0] % n[1]),
               (unsigned)(thread / n[0] / n[1]));
    va_start(args, format);
    str_vprintf(&what, format, args);
    va_end(args);
    source_text(run->program->kernel, at, &what);
    if (run->launch->stopped)
        *run->launch->stopped = run->program->kernel->places[at];
    diag_error(run->diag, NO_SPAN, "%s", str_text(&what));
    str_free(&what);
    return false;
}

/* ---- what is launched ---- */

static bool geometry_fits(struct simt_run *run) {
    const struct simt_kernel *k = run->program->kernel;
    struct ptx_bounds bounds = {.name = k->name, .max_threads = k->max_threads};
    struct ptx_geometry g;
    struct str what = {0};
    memcpy(bounds.needed_threads, k->needed_threads, sizeof bounds.needed_threads);
    bool fine = ptx_geometry_read(&bounds, run->launch->grid, run->launch->block, &g, &what);
    if (!fine)
        diag_refuse(run->diag, "%s", str_text(&what));
    str_free(&what);
    if (!fine)
        return false;
    run->threads = g.threads;
    run->warps = (g.threads + SIMT_LANES - 1) / SIMT_LANES;
    memcpy(run->threads_of, g.threads_of, sizeof run->threads_of);
    memcpy(run->blocks, g.blocks, sizeof run->blocks);
    return true;
}

static bool registers_fit(struct simt_run *run) {
    const struct target *t = run->target;
    const struct simt_keys *keys = simt_keys(t);
    const struct simt_kernel *k = run->program->kernel;
    const uint64_t most = (uint64_t)t->vrf_per_rfh * simt_time_resident(t, k);
    if (run->threads > keys->block_threads)
        return diag_refuse(run->diag,
                           "a block of %u threads: there are at most %u (simt.block_threads)",
                           (unsigned)run->threads, (unsigned)keys->block_threads);
    return run->warps <= most ||
           diag_refuse(
               run->diag,
               "a block of %u threads: with %u registers near the banks and %u far from them a "
               "core has room for %llu",
               (unsigned)run->threads, (unsigned)(k->near + k->both), (unsigned)(k->far + k->both),
               (unsigned long long)most * SIMT_LANES);
}

static bool fits(struct simt_run *run) {
    const struct simt_kernel *k = run->program->kernel;
    const uint32_t shared = simt_keys(run->target)->shared_bytes;
    if (!geometry_fits(run) || !registers_fit(run))
        return false;
    if (run->launch->parameter_bytes < k->parameter_bytes)
        return diag_refuse(run->diag, "it has %u bytes of parameters, and gets %llu",
                           (unsigned)k->parameter_bytes,
                           (unsigned long long)run->launch->parameter_bytes);
    if (k->local_bytes > MOST_OWN || k->param_bytes > MOST_OWN)
        return diag_refuse(run->diag, "a thread has at most %llu bytes of its own",
                           (unsigned long long)MOST_OWN);
    if (k->shared_bytes > shared || run->launch->bytes > shared - k->shared_bytes)
        return diag_refuse(run->diag, "a block of %llu bytes of shared memory: a core has %u",
                           (unsigned long long)(k->shared_bytes + run->launch->bytes),
                           (unsigned)shared);
    run->shared_bytes = k->shared_bytes + run->launch->bytes;
    run->own_bytes = k->param_bytes - k->parameter_bytes;
    return true;
}

/* ---- a block ---- */

static void begin_warp(struct simt_run *run, uint32_t number) {
    struct simt_warp *w = &run->warp[number];
    memset(w->base[SIMT_FROM_UNITS], 0, 2 * simt_file_bytes(run->program));
    memset(w->predicate, 0, sizeof w->predicate);
    w->predicate[SIMT_PT] = UINT32_MAX;
    w->live = w->lanes;
    w->carry = 0;
    w->depth = 1;
    w->stack[0] = (struct simt_entry){0, w->lanes, SIMT_END, 0};
    w->wait = SIMT_READY;
    w->steps = w->slices = 0;
}

/* After a first slice a warp is watched in some, longer and longer, for whether it goes round. */
static bool run_slice(struct simt_run *run, struct simt_warp *w) {
    const uint64_t k = w->slices++;
    run->watched = k && !(k & (k - 1));
    return simt_warp_run(run, w, run->watched ? SLICE * k : SLICE);
}

/* Ready warps in their order, once. */
static bool run_ready(struct simt_run *run, bool *some) {
    for (uint32_t i = 0; i < run->warps; i++) {
        if (run->warp[i].wait != SIMT_READY)
            continue;
        if (!run_slice(run, &run->warp[i]))
            return false;
        *some |= run->warp[i].wait != SIMT_SPINNING;
    }
    return true;
}

/* Those that went round: whether others have gone on. */
static bool run_spinning(struct simt_run *run, bool *some) {
    run->watched = true;
    run->touched = false;
    for (uint32_t i = 0; i < run->warps; i++) {
        if (run->warp[i].wait != SIMT_SPINNING)
            continue;
        if (!simt_warp_run(run, &run->warp[i], UINT64_MAX))
            return false;
        *some |= run->warp[i].wait != SIMT_SPINNING || run->touched;
    }
    return true;
}

/* Nobody can go on: what the first that waits waits for. */
static bool report_stuck(struct simt_run *run) {
    const struct simt_warp *w = NULL;
    for (uint32_t i = run->warps; i-- > 0;)
        if (run->warp[i].wait != SIMT_DONE &&
            (!w || w->wait != SIMT_SPINNING || run->warp[i].wait == SIMT_SPINNING))
            w = &run->warp[i];
    const struct simt_entry *top = &w->stack[w->depth - 1];
    const uint32_t lane = (uint32_t)__builtin_ctz(top->mask);
    if (w->wait == SIMT_SPINNING)
        simt_fault(run, w, lane, top->pc,
                   "it goes round for ever: what it waits for, no thread of its block does "
                   "(a lock that is not given back, or that another lane of its warp has, "
                   "or a later block)");
    else
        simt_fault(run, w, lane, top->pc, "divergent barrier: the other warps do not come to it");
    simt_stuck_describe(run);
    return false;
}

static bool is_over(const struct simt_run *run) {
    for (uint32_t i = 0; i < run->warps; i++)
        if (run->warp[i].wait != SIMT_DONE)
            return false;
    return true;
}

static void begin_block(struct simt_run *run) {
    memset(run->shared, 0, (size_t)run->shared_bytes);
    memset(run->arrived, 0, sizeof run->arrived);
    memset(run->local, 0, (size_t)run->program->kernel->local_bytes * run->warps * SIMT_LANES);
    memset(run->own, 0, (size_t)run->own_bytes * run->warps * SIMT_LANES);
    for (uint32_t i = 0; i < run->warps; i++)
        begin_warp(run, i);
}

static bool run_warps(struct simt_run *run) {
    begin_block(run);
    for (;;) {
        bool some = false;
        if (!run_ready(run, &some))
            return false;
        if (is_over(run))
            return true;
        some |= simt_barriers_open(run);
        if (!some && !run_spinning(run, &some))
            return false;
        if (!some && !is_over(run))
            return report_stuck(run);
    }
}

static bool run_block(struct simt_run *run) {
    const bool fine = run_warps(run);
    if (run->endless)
        simt_stuck_describe(run);
    return fine;
}

/* A block by its number, of which the first dimension goes round first. */
static bool run_numbered(struct simt_run *run, uint64_t number) {
    run->block[0] = (uint32_t)(number % run->blocks[0]);
    run->block[1] = (uint32_t)(number / run->blocks[0] % run->blocks[1]);
    run->block[2] = (uint32_t)(number / run->blocks[0] / run->blocks[1]);
    return run_block(run);
}

static bool run_traced(void *context, uint64_t number, struct simt_trace *trace) {
    struct simt_run *run = context;
    run->trace = trace;
    bool fine = run_numbered(run, number);
    run->trace = NULL;
    return fine;
}

/* From an address to that in the banks: each array begins at core 0, where the machine's memory is
 * spread over all cores. */
static int64_t *places_in_banks(const struct simt_run *run) {
    const struct target *t = run->target;
    const uint64_t whole = simt_keys(t)->time.core_chunk * t->rfh_per_mpu * t->mpus;
    int64_t *moved = xcalloc(run->memory->arrays.len + 1, sizeof *moved);
    uint64_t at = 0;
    for (size_t i = 0; i < run->memory->arrays.len; i++) {
        const struct state_array *a = &run->memory->arrays.data[i];
        moved[i] = (int64_t)(at - a->address);
        at += (a->size + whole - 1) / whole * whole;
    }
    return moved;
}

static bool run_timed(struct simt_run *run, uint64_t blocks) {
    struct simt_launch_time *x = run->timed;
    int64_t *moved = places_in_banks(run);
    x->target = run->target;
    x->kernel = run->program->kernel;
    x->blocks = blocks;
    x->warps = run->warps;
    x->shared_bytes = run->shared_bytes;
    x->homes = run->homes;
    x->home_count = run->blocks[0];
    x->block = run_traced;
    x->moved = moved;
    x->run = run;
    bool fine = simt_time_launch(x);
    free(moved);
    return fine;
}

static bool run_blocks(struct simt_run *run) {
    const uint64_t blocks = (uint64_t)run->blocks[0] * run->blocks[1] * run->blocks[2];
    if (run->timed)
        return run_timed(run, blocks);
    for (uint64_t i = 0; i < blocks; i++)
        if (!run_numbered(run, i))
            return false;
    return true;
}

/* ---- rooms, the same for all blocks ---- */

/* Zeros, at a multiple of 64. */
static unsigned char *room(struct simt_run *run, uint64_t bytes) {
    unsigned char *p = xcalloc((size_t)bytes + 64, 1);
    vec_push(&run->rooms, p);
    return p + (64 - (uintptr_t)p % 64);
}

static uint64_t parameter_value(const struct simt_run *run, const struct simt_insn *x) {
    const enum ptx_type type = (enum ptx_type)x->m.type[0];
    const unsigned bytes = ptx_type_bytes(type);
    const unsigned char *from = run->launch->parameters + simt_number_address(x);
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return ptx_type_signed(type) ? (uint64_t)sign_extend(value, 8 * bytes) : value;
}

/* Constants of the kernel, with those that the launch gives. */
static void open_constants(struct simt_run *run) {
    const struct simt_program *p = run->program;
    run->constants = room(run, p->constants.len);
    if (p->constants.len)
        memcpy(run->constants, p->constants.data, p->constants.len);
    for (size_t i = 0; i < p->patches.len; i++) {
        const struct simt_patch *x = &p->patches.data[i];
        const struct simt_insn *insn = p->steps[x->step].insn;
        const uint64_t value = insn->op == SIMT_LEA ? insn->number[0] + run->launch->shared
                                                    : parameter_value(run, insn);
        simt_fill_row(run->constants + x->offset, value, x->wide);
    }
}

/* Rows of %tid, also of lanes behind the last thread. */
static void open_specials(struct simt_run *run) {
    const uint32_t *n = run->threads_of;
    run->specials = room(run, (uint64_t)run->warps * 3 * SIMT_ROW_BYTES);
    for (uint32_t thread = 0; thread < run->warps * SIMT_LANES; thread++) {
        const uint32_t tid[] = {thread % n[0], thread / n[0] % n[1], thread / n[0] / n[1]};
        for (unsigned d = 0; d < 3; d++) {
            uint32_t row = thread / SIMT_LANES * 3 + d;
            memcpy(run->specials + row * SIMT_ROW_BYTES + thread % SIMT_LANES * 4, &tid[d], 4);
        }
    }
}

static void open_rooms(struct simt_run *run) {
    const struct simt_kernel *k = run->program->kernel;
    const uint64_t lanes = (uint64_t)run->warps * SIMT_LANES, file = simt_file_bytes(run->program);
    open_constants(run);
    open_specials(run);
    run->registers = room(run, 2 * file * run->warps);
    run->snapshot_rows = room(run, 2 * file);
    run->shared = room(run, run->shared_bytes);
    run->local = room(run, k->local_bytes * lanes);
    run->own = room(run, run->own_bytes * lanes);
    run->warp = xcalloc(run->warps, sizeof *run->warp);
    for (uint32_t i = 0; i < run->warps; i++) {
        struct simt_warp *w = &run->warp[i];
        const uint32_t there = run->threads - i * SIMT_LANES;
        w->number = i;
        w->lanes = there < SIMT_LANES ? (UINT32_C(1) << there) - 1 : UINT32_MAX;
        w->base[SIMT_FROM_UNITS] = run->registers + 2 * file * i;
        w->base[SIMT_FROM_PAIRS] = w->base[SIMT_FROM_UNITS] + file;
        w->base[SIMT_FROM_CONSTANTS] = run->constants;
        w->base[SIMT_FROM_PREDICATES] = (unsigned char *)w->predicate;
    }
}

static void close_rooms(struct simt_run *run) {
    for (size_t i = 0; i < run->rooms.len; i++)
        free(run->rooms.data[i]);
    vec_free(&run->rooms);
    free(run->warp);
}

bool simt_launch(struct simt_run *run) {
    if (!fits(run))
        return false;
    open_rooms(run);
    bool fine = run_blocks(run);
    close_rooms(run);
    return fine;
}
