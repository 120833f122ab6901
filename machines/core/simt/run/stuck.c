/* SPDX-License-Identifier: MIT
 * Where the warps of a block are that cannot go on, and which registers they await.
 *
 * A block is carried out before its time is worked out, so that its scoreboard is known only from a
 * replay: of what its warps did so far, with the block alone on its core.  A warp that waits at a
 * barrier awaits nothing, since all that was on its way comes; one that goes round, or could go on,
 * awaits what is on its way when it would issue its next instruction. */
#include "machines/core/simt/run/core.h"

#include "support/alloc.h"

#include <stdlib.h>

#define MOST_REPLAYED      (UINT64_C(1) << 22) /* instructions, a second or so of the host */
#define MOST_WARPS_SHOWN   32u
#define MOST_ENTRIES_SHOWN 8u

static void line_text(const struct simt_run *run, uint32_t step, struct str *out) {
    const struct simt_kernel *k = run->program->kernel;
    if (step >= k->insn_count)
        return;
    str_printf(out, "pc %u, line %u of its text, '", (unsigned)k->places[step],
               (unsigned)k->lines[step].line);
    simt_print(&k->insns[step], out);
    str_char(out, '\'');
}

/* The entries below the one that it is at, the uppermost first. */
static void stack_text(const struct simt_run *run, const struct simt_warp *w, struct str *out) {
    const struct simt_kernel *k = run->program->kernel;
    for (uint32_t i = w->depth - 1, shown = 0; i-- > 0;) {
        const struct simt_entry *e = &w->stack[i];
        if (!e->mask)
            continue;
        if (++shown > MOST_ENTRIES_SHOWN) {
            str_append(out, " ...");
            return;
        }
        if (shown == 1)
            str_append(out, "; below on its stack");
        str_printf(out, " %08x", (unsigned)e->mask);
        if (e->pc < k->insn_count)
            str_printf(out, " to pc %u", (unsigned)k->places[e->pc]);
        else
            str_append(out, " to their end");
    }
}

/* ---- the scoreboard ---- */

/* The block's trace, as what a launch of one block does. */
static bool give_trace(void *context, uint64_t number, struct simt_trace *trace) {
    struct simt_trace *from = context;
    struct simt_warp_trace *warps = trace->warps;
    (void)number;
    trace->warps = from->warps;
    from->warps = warps;
    return true;
}

/* [warps], to be freed; NULL: nobody works out time, or too much was done. */
static struct simt_awaited *replay(struct simt_run *run) {
    uint64_t issued = 0;
    if (!run->trace)
        return NULL;
    for (uint32_t i = 0; i < run->warps; i++) {
        issued += run->trace->warps[i].issued;
        if (!run->trace->warps[i].issued) /* it has not begun: its first instruction, for no lane */
            simt_trace_step(run->trace, i, 0, 0);
    }
    if (issued > MOST_REPLAYED)
        return NULL;
    struct simt_awaited *awaited = xcalloc(run->warps, sizeof *awaited);
    struct simt_launch_time x = {.target = run->target,
                                 .kernel = run->program->kernel,
                                 .blocks = 1,
                                 .warps = run->warps,
                                 .shared_bytes = run->shared_bytes,
                                 .block = give_trace,
                                 .run = run->trace,
                                 .moved = run->timed->moved,
                                 .awaited = awaited};
    x.places = xcalloc(run->program->kernel->insn_count, sizeof *x.places);
    simt_time_launch(&x);
    free(x.places);
    return awaited;
}

static void writer_text(const struct simt_run *run, uint32_t step, uint8_t cause, struct str *out) {
    const struct simt_kernel *k = run->program->kernel;
    static const char *const by[SIMT_STALLS] = {[SIMT_STALL_MEMORY] = "memory",
                                                [SIMT_STALL_TSV] = "TSVs",
                                                [SIMT_STALL_COLLECTOR] = "collector",
                                                [SIMT_STALL_RESULT] = "ALU"};
    str_printf(out, " of pc %u, line %u (%s)", (unsigned)k->places[step],
               (unsigned)k->lines[step].line, by[cause]);
}

static void scoreboard_text(const struct simt_run *run, const struct simt_awaited *a,
                            struct str *out) {
    bool some = false;
    for (unsigned i = 0; i < SIMT_SCOREBOARD; i++) {
        if (!a->is[i])
            continue;
        str_append(out, some ? "," : ", scoreboard");
        str_printf(out, i < SIMT_PREDICATES_AT ? " R%u" : " P%u",
                   i < SIMT_PREDICATES_AT ? i : i - SIMT_PREDICATES_AT);
        writer_text(run, a->step[i], a->cause[i], out);
        some = true;
    }
    if (!some)
        str_append(out, ", scoreboard empty");
}

/* ---- all warps ---- */

void simt_stuck_describe(struct simt_run *run) {
    struct simt_awaited *awaited = replay(run);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < run->warps; i++) {
        const struct simt_warp *w = &run->warp[i];
        const struct simt_entry *top = &w->stack[w->depth ? w->depth - 1 : 0];
        struct str text = {0};
        if (shown == MOST_WARPS_SHOWN) {
            diag_note(run->diag, NO_SPAN, "and %u more warps", (unsigned)(run->warps - i));
            break;
        }
        shown++;
        str_printf(&text, "warp %u: ", (unsigned)i);
        if (w->wait == SIMT_DONE) {
            str_append(&text, "has ended");
        } else {
            line_text(run, top->pc, &text);
            str_printf(&text, ", lanes %08x: ", (unsigned)top->mask);
            if (w->wait == SIMT_AT_BARRIER)
                str_printf(&text, "waits at barrier %u", (unsigned)w->barrier);
            else
                str_append(&text, w->wait == SIMT_SPINNING ? "goes round" : "could go on");
            if (awaited)
                scoreboard_text(run, &awaited[i], &text);
            stack_text(run, w, &text);
        }
        diag_note(run->diag, NO_SPAN, "%s", str_text(&text));
        str_free(&text);
    }
    free(awaited);
}
