/* SPDX-License-Identifier: MIT
 * Launches of stage kernels: arguments are looked at, results get what they begin with, and a grid
 * goes over the rows of base elements, a thread each. */
#include "machines/core/scalar/stage.h"
#include "machines/core/simt/runs/stage_words.h"
#include "machines/core/simt/run/simt_engine.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 256u /* of a block */

struct stage_run {
    struct simt_machine_state *machine;
    const struct dp_launch *launch;
    struct dp_cost *cost;
    struct diag *diag;
    struct stage_kernel *text;
    uint64_t *scalars, *lengths; /* [parameters], [lengths] */
    uint64_t rows;
};

static bool refuse(struct diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct diag *d, const char *format, ...) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    diag_error(d, NO_SPAN, "%s", str_text(&text));
    str_free(&text);
    return false;
}

/* ---- arguments ---- */

static bool take_lengths(struct stage_run *r) {
    struct scalar_stage rows;
    uint64_t n;
    for (uint32_t i = 0; i < r->text->decl->parameter_count; i++) {
        const struct kernel_parameter *p = &r->text->decl->parameters[i];
        r->scalars[i] = datapath_argument(r->launch, i);
        if (p->kind == PARAMETER_NUMBER)
            r->scalars[i] = stage_normal(p->type, r->scalars[i]);
    }
    if (!stage_length(r->text, r->scalars, &n))
        return refuse(r->diag, "the length is %" PRId64, (int64_t)n);
    if (n > SIMT_STAGE_ELEMENTS)
        return refuse(r->diag, "%" PRIu64 " elements: a launch has at most %" PRIu64, n,
                      SIMT_STAGE_ELEMENTS);
    stage_lengths_most(r->text, n, r->lengths);
    const bool fine = scalar_stage_open(&rows, r->text);
    r->rows = (n + rows.row - 1) / rows.row;
    scalar_stage_close(&rows);
    for (uint32_t i = 0; i < r->text->length_count; i++)
        if (r->lengths[i] > SIMT_STAGE_ELEMENTS)
            return refuse(r->diag, "%" PRIu64 " elements: a launch has at most %" PRIu64,
                          r->lengths[i], SIMT_STAGE_ELEMENTS);
    return fine || refuse(r->diag, "this is no kernel of these cores");
}

static uint64_t address_of(const struct stage_run *r, uint32_t array) {
    return r->scalars[r->text->arrays[array]->parameter];
}
/* Bytes of an array that the kernel has to do with; 0 of what is no buffer. */
static uint64_t bytes_of(const struct stage_run *r, uint32_t array, bool *written) {
    *written = false;
    if (r->text->arrays[array]->parameter == NO_INDEX)
        return 0;
    return sat_mul(stage_extent(r->text, r->scalars, r->lengths, array, written),
                   object_element_bytes(r->text->arrays[array]->type));
}
static bool overlaps(const struct stage_run *r, uint32_t x, uint32_t y) {
    bool one, other;
    const uint64_t n = bytes_of(r, x, &one), m = bytes_of(r, y, &other);
    const uint64_t from = n ? address_of(r, x) : 0, to = m ? address_of(r, y) : 0;
    return n && m && (one || other) && (from <= to ? to - from < n : from - to < m);
}

static bool arrays_fit(const struct stage_run *r) {
    for (uint32_t i = 0; i < r->text->array_count; i++) {
        bool written;
        const uint64_t n = bytes_of(r, i, &written);
        const uint64_t at = n ? address_of(r, i) : 0;
        const struct state_array *a = n ? state_memory_before(&r->machine->memory, at) : NULL;
        const uint64_t there = a && at - a->address < a->size ? a->size - (at - a->address) : 0;
        if (n > there)
            return refuse(r->diag, "'%s' has no element %" PRIu64 ": its buffer ends there",
                          r->text->arrays[i]->text,
                          there / object_element_bytes(r->text->arrays[i]->type));
        for (uint32_t j = 0; j < i; j++)
            if (overlaps(r, i, j))
                return refuse(r->diag,
                              "'%s' and '%s' overlap in memory, and the kernel writes there",
                              r->text->arrays[j]->text, r->text->arrays[i]->text);
    }
    return true;
}

/* ---- grids ---- */

static void put(unsigned char *to, uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

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

/* As many threads as a core has room for. */
static uint32_t threads_of(const struct stage_run *r, const void *code, size_t size) {
    const struct target *t = r->machine->state.setup.target;
    const char *problem = NULL;
    struct simt_kernel *k = simt_kernel_read(code, size, &problem);
    uint32_t n = MOST_THREADS;
    const uint64_t most = k ? (uint64_t)t->vrf_per_rfh * simt_time_resident(t, k) * SIMT_LANES : n;
    n = n < simt_keys(t)->block_threads ? n : simt_keys(t)->block_threads;
    simt_kernel_free(k);
    return n < most ? n : (uint32_t)most;
}

/* A grid of one of the kernels, behind what the launch has taken so far. */
static bool run_grid(struct stage_run *r, bool begin, uint64_t threads,
                     const unsigned char *parameters, size_t parameter_bytes) {
    const void *code = NULL;
    size_t size = 0;
    if (!simt_stage_part(r->launch->kernel, r->launch->size, begin, &code, &size))
        return refuse(r->diag, "its code is damaged");
    if (!size || !threads)
        return true;
    const uint32_t each = begin ? 1 : threads_of(r, code, size);
    struct later_bars later = {r->launch, r->cost->ps};
    struct dp_launch grid = *r->launch;
    struct dp_cost cost = *r->cost;
    grid.kernel = code;
    grid.size = size;
    grid.parameters = parameters;
    grid.parameter_bytes = parameter_bytes;
    grid.grid[0] = (uint32_t)((threads + each - 1) / each);
    grid.block[0] = each;
    for (unsigned i = 1; i < LAUNCH_DIMS; i++)
        grid.grid[i] = grid.block[i] = 1;
    /* Cycles that are asked about do not become less from grid to grid. */
    grid.go_on = r->launch->go_on && !begin ? go_on_later : NULL;
    grid.bar = r->launch->bar ? draw_later : NULL;
    grid.context = &later;
    cost.begin_ps = sat_add(cost.begin_ps, r->cost->ps);
    cost.ps = 0;
    /* Lines are those of its PTX, which nobody has. */
    grid.stopped = NULL;
    if (!simt_engine_launch_code(r->machine, &grid, &cost, r->diag))
        return false;
    r->cost->ps = sat_add(r->cost->ps, cost.ps);
    r->cost->known = cost.known;
    return true;
}

static bool run_grids(struct stage_run *r) {
    const uint32_t count = simt_stage_parameters(r->text);
    unsigned char *parameters = xcalloc(count, 8);
    for (uint32_t i = 0; i < r->text->decl->parameter_count; i++)
        put(parameters + (size_t)8 * i, r->scalars[i]);
    for (uint32_t i = 0; i < r->text->length_count; i++)
        put(parameters + (size_t)8 * simt_stage_length_at(r->text, i), r->lengths[i]);
    put(parameters + (size_t)8 * simt_stage_rows_at(r->text), r->rows);
    r->cost->ps = 0;
    r->cost->known = simt_keys(r->machine->state.setup.target)->time.on;
    const bool fine = run_grid(r, true, 1, parameters, (size_t)8 * count) &&
                      run_grid(r, false, r->rows, parameters, (size_t)8 * count);
    free(parameters);
    return fine;
}

bool simt_stage_launch(struct simt_machine_state *m, const struct dp_launch *launch,
                       struct dp_cost *cost, struct diag *diag) {
    struct stage_run r = {.machine = m, .launch = launch, .cost = cost, .diag = diag};
    r.text = stage_read(launch->decl, launch->decl->name, diag);
    if (!r.text)
        return false;
    r.scalars = xcalloc((size_t)launch->decl->parameter_count + 1, sizeof *r.scalars);
    r.lengths = xcalloc((size_t)r.text->length_count + 1, sizeof *r.lengths);
    const bool fine = take_lengths(&r) && arrays_fit(&r) && run_grids(&r);
    free(r.scalars);
    free(r.lengths);
    stage_free(r.text);
    return fine;
}
