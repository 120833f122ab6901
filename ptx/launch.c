/* SPDX-License-Identifier: MIT
 * Launches: blocks in their order, or from the last to the first, and threads within them so. */
#include "ptx/run.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

bool ptx_fault(struct ptx_run *run, uint32_t thread, const struct ptx_step *at, const char *format,
               ...) {
    const uint32_t *b = run->block, *n = run->threads_of;
    struct str *what = &run->fault->what;
    va_list args;
    str_printf(what, "block (%u,%u,%u), thread (%u,%u,%u): ", (unsigned)b[0], (unsigned)b[1],
               (unsigned)b[2], (unsigned)(thread % n[0]), (unsigned)(thread / n[0] % n[1]),
               (unsigned)(thread / n[0] / n[1]));
    va_start(args, format);
    str_vprintf(what, format, args);
    va_end(args);
    if (at && at->insn) {
        run->fault->line = at->insn->line;
        ptx_source_text(run->program->module, at->insn->file, at->insn->source_line, what);
    }
    return false;
}

/* ---- what is launched ---- */

static bool refuse(struct portable_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(struct portable_fault *fault, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&fault->what, format, args);
    va_end(args);
    return false;
}

static bool is_too_large(const struct ptx_bounds *bounds, const struct ptx_geometry *g,
                         struct str *what) {
    if (bounds->max_threads && g->threads > bounds->max_threads)
        str_printf(what, "a block of %u threads: .maxntid says at most %u", (unsigned)g->threads,
                   (unsigned)bounds->max_threads);
    else if (bounds->needed_threads[0] &&
             memcmp(bounds->needed_threads, g->threads_of, sizeof g->threads_of))
        str_printf(what, "a block of %u threads: .reqntid says %u x %u x %u", (unsigned)g->threads,
                   (unsigned)bounds->needed_threads[0], (unsigned)bounds->needed_threads[1],
                   (unsigned)bounds->needed_threads[2]);
    return what->len != 0;
}

bool ptx_geometry_read(const struct ptx_bounds *bounds, const uint32_t grid[3],
                       const uint32_t block[3], struct ptx_geometry *out, struct str *what) {
    uint64_t threads = 1;
    if (!grid[0] || !block[0]) {
        str_printf(what, "a launch says its grid and its block: %s<<<GRID, BLOCK>>>(..)",
                   bounds->name);
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t most = i ? 65535u : 0x7fffffffu;
        out->blocks[i] = grid[i] ? grid[i] : 1;
        out->threads_of[i] = block[i] ? block[i] : 1;
        if (out->blocks[i] > most) {
            str_printf(what, "a grid of %u blocks in dimension %u: there are at most %u",
                       (unsigned)out->blocks[i], i, (unsigned)most);
            return false;
        }
        threads = threads > PTX_MAX_THREADS ? threads : threads * out->threads_of[i];
    }
    out->threads = (uint32_t)(threads > PTX_MAX_THREADS ? PTX_MAX_THREADS + 1 : threads);
    if (threads > PTX_MAX_THREADS)
        str_printf(what, "a block of %u x %u x %u threads: there are at most %u",
                   (unsigned)out->threads_of[0], (unsigned)out->threads_of[1],
                   (unsigned)out->threads_of[2], PTX_MAX_THREADS);
    return threads <= PTX_MAX_THREADS && !is_too_large(bounds, out, what);
}

static bool geometry_fits(struct ptx_run *run, const struct portable_launch *launch) {
    const struct ptx_function *f = &run->program->module->functions.data[run->program->entry];
    struct ptx_bounds bounds = {.name = f->name, .max_threads = f->max_threads};
    struct ptx_geometry g;
    memcpy(bounds.needed_threads, f->needed_threads, sizeof bounds.needed_threads);
    if (!ptx_geometry_read(&bounds, launch->grid, launch->block, &g, &run->fault->what))
        return false;
    run->threads = g.threads;
    memcpy(run->threads_of, g.threads_of, sizeof run->threads_of);
    memcpy(run->blocks, g.blocks, sizeof run->blocks);
    return true;
}

static bool fits(struct ptx_run *run, const struct portable_launch *launch) {
    const struct ptx_program *p = run->program;
    if (!geometry_fits(run, launch))
        return false;
    if (launch->parameter_bytes < p->parameter_bytes)
        return refuse(run->fault, "it has %llu bytes of parameters, and gets %llu",
                      (unsigned long long)p->parameter_bytes,
                      (unsigned long long)launch->parameter_bytes);
    if (launch->bytes > PTX_MAX_SHARED - p->shared_bytes)
        return refuse(run->fault, "a block has at most %llu bytes of shared memory",
                      (unsigned long long)PTX_MAX_SHARED);
    run->shared_bytes = p->shared_bytes + launch->bytes;
    return true;
}

/* ---- a block ---- */

static void begin_thread(struct ptx_run *run, uint32_t i) {
    struct ptx_thread *t = &run->thread[i];
    const struct ptx_program *p = run->program;
    memset(t->slots, 0, p->slots * sizeof *t->slots);
    memset(t->local, 0, (size_t)p->local_bytes);
    memset(t->param, 0, (size_t)(p->param_bytes - p->parameter_bytes));
    t->pc = 0;
    t->wait = PTX_READY;
    t->carry = false;
    t->unsettled = false;
    t->steps = 0;
}

/* Ready threads in their order, once; then those that went round, if others have gone on. */
static bool run_threads(struct ptx_run *run, enum ptx_wait which, bool *some) {
    run->touched = false;
    for (uint32_t k = 0; k < run->threads; k++) {
        uint32_t i = run->launch->descending ? run->threads - 1 - k : k;
        if (run->thread[i].wait != which)
            continue;
        if (!ptx_thread_run(run, i))
            return false;
        *some |= run->thread[i].wait != PTX_SPINNING || run->touched;
    }
    return true;
}

/* Nobody can go on: what the first that waits waits for. */
static bool report_stuck(struct ptx_run *run) {
    uint32_t i = 0;
    while (run->thread[i].wait == PTX_DONE)
        i++;
    for (uint32_t k = i; k < run->threads; k++)
        if (run->thread[k].wait == PTX_SPINNING)
            i = k;
    const struct ptx_step *s = &run->program->steps.data[run->thread[i].pc];
    if (run->thread[i].wait == PTX_SPINNING)
        return ptx_fault(run, i, s,
                         "it goes round for ever: what it waits for, no thread of its block does "
                         "(a lock that is not given back, or a later block)");
    if (run->thread[i].wait == PTX_AT_WARP)
        return ptx_fault(run, i, s, "lanes that its mask names do not come to %s", s->insn->name);
    return ptx_fault(run, i, s, "divergent barrier: the other threads do not come to it");
}

static bool is_over(const struct ptx_run *run) {
    for (uint32_t i = 0; i < run->threads; i++)
        if (run->thread[i].wait != PTX_DONE)
            return false;
    return true;
}

static bool run_block(struct ptx_run *run) {
    memset(run->shared, 0, (size_t)run->shared_bytes);
    memset(run->unsettled, 0, (size_t)run->shared_bytes);
    memset(run->arrived, 0, sizeof run->arrived);
    for (uint32_t i = 0; i < run->threads; i++)
        begin_thread(run, i);
    while (!is_over(run)) {
        bool some = false;
        if (!run_threads(run, PTX_READY, &some) || !ptx_warps_meet(run, &some) ||
            !ptx_barriers_meet(run, &some))
            return false;
        if (!some && !run_threads(run, PTX_SPINNING, &some))
            return false;
        if (!some && !is_over(run))
            return report_stuck(run);
    }
    return true;
}

static bool run_blocks(struct ptx_run *run) {
    uint64_t count = (uint64_t)run->blocks[0] * run->blocks[1] * run->blocks[2];
    for (uint64_t k = 0; k < count; k++) {
        uint64_t b = run->launch->descending ? count - 1 - k : k;
        run->first_thread = b * run->threads;
        run->block[0] = (uint32_t)(b % run->blocks[0]);
        run->block[1] = (uint32_t)(b / run->blocks[0] % run->blocks[1]);
        run->block[2] = (uint32_t)(b / run->blocks[0] / run->blocks[1]);
        if (!run_block(run))
            return false;
    }
    return true;
}

/* ---- rooms of threads, the same for all blocks ---- */

static void open_threads(struct ptx_run *run) {
    const struct ptx_program *p = run->program;
    run->thread = xcalloc(run->threads, sizeof *run->thread);
    run->shared = xcalloc(1, (size_t)run->shared_bytes + 1);
    run->unsettled = xcalloc(1, (size_t)run->shared_bytes + 1);
    run->snapshot.slots = xcalloc((size_t)p->slots + 1, sizeof(uint64_t));
    for (uint32_t i = 0; i < run->threads; i++) {
        struct ptx_thread *t = &run->thread[i];
        t->slots = xcalloc((size_t)p->slots + 1, sizeof *t->slots);
        t->local = xcalloc(1, (size_t)p->local_bytes + 1);
        t->param = xcalloc(1, (size_t)(p->param_bytes - p->parameter_bytes) + 1);
        t->returns = xcalloc(p->parts.len + 1, sizeof *t->returns);
    }
}

static void close_threads(struct ptx_run *run) {
    for (uint32_t i = 0; i < run->threads; i++) {
        free(run->thread[i].slots);
        free(run->thread[i].local);
        free(run->thread[i].param);
        free(run->thread[i].returns);
    }
    free(run->thread);
    free(run->shared);
    free(run->unsettled);
    free(run->snapshot.slots);
}

bool ptx_launch(const struct ptx_program *program, const struct portable_launch *launch,
                struct portable_fault *fault) {
    struct ptx_run run = {.program = program, .launch = launch, .fault = fault};
    if (!fits(&run, launch))
        return false;
    open_threads(&run);
    bool fine = run_blocks(&run);
    close_threads(&run);
    return fine;
}
