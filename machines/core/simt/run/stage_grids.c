/* SPDX-License-Identifier: MIT
 * Grids of a launch of a stage kernel: what results begin with, what filters keep of each row and
 * of those in front of it, and all rows. */
#include "machines/core/simt/run/stage_run.h"

#include "object/bytes.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 256u /* of a block */

/* ---- the launch's own arrays ---- */

static bool give(struct simt_stage_run *r, uint64_t bytes, uint64_t *address) {
    return state_memory_alloc(&r->machine->memory, bytes ? bytes : 1, address, r->diag);
}

bool simt_stage_open(struct simt_stage_run *r) {
    bool fine = give(r, SIMT_STAGE_WRONG_BYTES, &r->wrong_at), filters = false;
    for (uint32_t i = 0; i < r->scratch_count && fine; i++) {
        const struct simt_stage_scratch *x = &r->scratches[i];
        fine = give(r, sat_mul(x->kind == SIMT_STAGE_WHOLE ? 1 : r->rows, x->bytes),
                    &r->scratch_at[i]);
        filters |= x->kind == SIMT_STAGE_KEPT;
    }
    return fine && (!filters || give(r, 4 * r->rows, &r->sums_at));
}

void simt_stage_close(struct simt_stage_run *r) {
    struct diag *d = diag_new(NULL, NULL);
    for (uint32_t i = 0; i < r->scratch_count; i++)
        if (r->scratch_at[i])
            state_memory_free(&r->machine->memory, r->scratch_at[i], d);
    if (r->sums_at)
        state_memory_free(&r->machine->memory, r->sums_at, d);
    if (r->wrong_at)
        state_memory_free(&r->machine->memory, r->wrong_at, d);
    diag_free(d);
}

/* ---- one grid ---- */

/* Bars of a grid that begins behind another one. */
struct later_bars {
    const struct dp_launch *launch;
    uint64_t begin_ps;
};
static void draw_later(void *context, const struct dp_bar *bar) {
    const struct later_bars *l = context;
    struct dp_bar moved = *bar;
    moved.start_ps = sat_add(moved.start_ps, l->begin_ps);
    l->launch->bar(l->launch->context, &moved);
}
static bool go_on_later(void *context, uint64_t cycles) {
    const struct later_bars *l = context;
    return l->launch->go_on(l->launch->context, cycles);
}

static struct simt_stage_bytes bytes_of(const struct simt_stage_run *r, enum simt_stage_part part) {
    struct simt_stage_bytes b = {.size = 0};
    simt_stage_find(r->launch->kernel, r->launch->size, part, &b);
    return b;
}

/* Words of code of the kernels in front of it, so many of its own; as many threads as a core has
 * room for. */
struct grid_about {
    uint32_t before, words, threads;
};
static struct grid_about about(const struct simt_stage_run *r, enum simt_stage_part part) {
    const struct target *t = r->machine->state.setup.target;
    struct grid_about a = {.threads = MOST_THREADS};
    for (unsigned i = 0; i <= (unsigned)part; i++) {
        const struct simt_stage_bytes b = bytes_of(r, (enum simt_stage_part)i);
        const char *problem = NULL;
        struct simt_kernel *k = b.size ? simt_kernel_read(b.bytes, b.size, &problem) : NULL;
        a.before += a.words;
        a.words = k ? k->word_count : 0;
        if (k && i == (unsigned)part) {
            const uint64_t most = (uint64_t)t->vrf_per_rfh * simt_time_resident(t, k) * SIMT_LANES;
            a.threads = a.threads < most ? a.threads : (uint32_t)most;
        }
        simt_kernel_free(k);
    }
    a.threads = a.threads < simt_keys(t)->block_threads ? a.threads : simt_keys(t)->block_threads;
    return a;
}

/* What the thread left that stopped it, or what the grid says itself. */
static void tell_why(struct simt_stage_run *r, const struct simt_stage_bytes *b,
                     const struct diag *d) {
    const unsigned char *at =
        state_memory_at(&r->machine->memory, r->wrong_at, SIMT_STAGE_WRONG_BYTES);
    const uint64_t wrong[] = {get_u64(at), get_u64(at + 8)};
    const char *first = diag_first(d);
    struct str text = {0};
    if (!simt_stage_explain(r->text, r->scalars, b->all_loops, wrong, &text))
        str_append(&text, first ? first : "it stopped");
    diag_refuse(r->diag, "%s", str_text(&text));
    str_free(&text);
}

/* A grid of one of the kernels, behind what the launch has taken so far. */
static bool run_grid(struct simt_stage_run *r, enum simt_stage_part part, uint64_t threads,
                     const unsigned char *parameters, size_t parameter_bytes) {
    const struct simt_stage_bytes b = bytes_of(r, part);
    if (!b.size || !threads)
        return true;
    const struct grid_about a = about(r, part);
    const uint32_t each = part == SIMT_STAGE_BEGIN || part == SIMT_STAGE_END ? 1 : a.threads;
    struct later_bars later = {r->launch, r->cost->ps};
    struct dp_launch grid = *r->launch;
    struct dp_cost cost = *r->cost;
    struct diag *d = diag_new(NULL, NULL);
    grid.kernel = b.bytes;
    grid.size = b.size;
    grid.parameters = parameters;
    grid.parameter_bytes = parameter_bytes;
    grid.grid[0] = (uint32_t)((threads + each - 1) / each);
    grid.block[0] = each;
    for (unsigned i = 1; i < LAUNCH_DIMS; i++)
        grid.grid[i] = grid.block[i] = 1;
    /* Cycles that are asked about do not become less from grid to grid. */
    grid.go_on = r->launch->go_on && part == SIMT_STAGE_ROWS ? go_on_later : NULL;
    grid.bar = r->launch->bar ? draw_later : NULL;
    grid.context = &later;
    cost.begin_ps = sat_add(cost.begin_ps, r->cost->ps);
    cost.ps = 0;
    const bool placed = cost.places && a.before + a.words <= cost.place_count;
    cost.place_count = placed ? a.words : 0;
    cost.places = placed ? cost.places + a.before : NULL;
    if (cost.place_figures)
        cost.place_figures += placed ? (size_t)a.before * SIMT_PLACE_COUNTERS : 0;
    const bool fine = simt_engine_launch_code(r->machine, &grid, &cost, d);
    if (!fine && r->launch->stopped && *r->launch->stopped != UINT32_MAX)
        *r->launch->stopped += a.before;
    if (!fine)
        tell_why(r, &b, d);
    diag_free(d);
    r->cost->ps = sat_add(r->cost->ps, cost.ps);
    r->cost->known = cost.known;
    return fine;
}

/* ---- all ---- */

static void put(unsigned char *to, uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* Counts of rows become those of all rows up to each: each word gets that one of half as many rows
 * in front, then of twice as many. */
static bool sum_up(struct simt_stage_run *r, uint32_t scratch) {
    unsigned char parameters[8 * SIMT_STAGE_SCAN_PARAMETERS];
    bool fine = true;
    for (uint64_t apart = 1; apart < r->rows && fine; apart *= 2) {
        const uint64_t from = r->scratch_at[scratch];
        put(parameters, from);
        put(parameters + 8, r->sums_at);
        put(parameters + 16, apart);
        put(parameters + 24, r->rows);
        fine = run_grid(r, SIMT_STAGE_SCAN, r->rows, parameters, sizeof parameters);
        r->scratch_at[scratch] = r->sums_at;
        r->sums_at = from;
    }
    return fine;
}

/* All that is kept has room in its buffer. */
static bool kept_fits(const struct simt_stage_run *r, uint32_t scratch) {
    const struct stage_stage *s = r->scratches[scratch].stage;
    const uint64_t kept = get_u32(
        state_memory_at(&r->machine->memory, r->scratch_at[scratch] + 4 * (r->rows - 1), 4));
    for (const struct stage_param *q = s->params; q; q = q->next) {
        const struct stage_array *a = r->text->arrays[q->array];
        if (q->role != STAGE_OUT || a->parameter == NO_INDEX)
            continue;
        const uint64_t at = r->scalars[a->parameter], bytes = object_element_bytes(a->type),
                       need = kept * (q->from == NO_INDEX ? 1 : s->unit) * bytes;
        const struct state_array *b = state_memory_before(&r->machine->memory, at);
        const uint64_t there = b && at - b->address < b->size ? b->size - (at - b->address) : 0;
        if (need > there)
            return diag_refuse(r->diag, "'%s' has no element %" PRIu64 ": its buffer ends there",
                               a->text, there / bytes);
    }
    return true;
}

static bool count_rows(struct simt_stage_run *r, const unsigned char *parameters, size_t bytes) {
    bool fine = run_grid(r, SIMT_STAGE_COUNT, r->rows, parameters, bytes);
    for (uint32_t i = 0; i < r->scratch_count && fine && r->rows; i++)
        if (r->scratches[i].kind == SIMT_STAGE_KEPT)
            fine = sum_up(r, i) && kept_fits(r, i);
    return fine;
}

static void put_scratches(const struct simt_stage_run *r, unsigned char *parameters) {
    for (uint32_t i = 0; i < r->scratch_count; i++)
        put(parameters + (size_t)8 * simt_stage_scratch_at(r->text, i), r->scratch_at[i]);
}

bool simt_stage_run_grids(struct simt_stage_run *r) {
    const size_t bytes = (size_t)8 * simt_stage_scratch_at(r->text, r->scratch_count);
    unsigned char *parameters = xcalloc(bytes, 1);
    for (uint32_t i = 0; i < r->text->decl->parameter_count; i++)
        put(parameters + (size_t)8 * i, r->scalars[i]);
    for (uint32_t i = 0; i < r->text->length_count; i++)
        put(parameters + (size_t)8 * simt_stage_length_at(r->text, i), r->lengths[i]);
    put(parameters + (size_t)8 * simt_stage_rows_at(r->text), r->rows);
    put(parameters + (size_t)8 * simt_stage_wrong_at(r->text), r->wrong_at);
    put_scratches(r, parameters);
    r->cost->ps = 0;
    r->cost->known = simt_keys(r->machine->state.setup.target)->time.on;
    bool fine =
        run_grid(r, SIMT_STAGE_BEGIN, 1, parameters, bytes) && count_rows(r, parameters, bytes);
    put_scratches(r, parameters);
    fine = fine && run_grid(r, SIMT_STAGE_ROWS, r->rows, parameters, bytes) &&
           run_grid(r, SIMT_STAGE_END, 1, parameters, bytes);
    free(parameters);
    return fine;
}
