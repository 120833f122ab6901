/* SPDX-License-Identifier: MIT
 * Launches: each unit carries its workers out, one after another; units go as if one by one. */
#include "machines/stored/run/work.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a unit did, of its workers in their order. */
struct unit_work {
    struct stored_work work;
    uint32_t stopped; /* where one of them did, or STORED_NO_STOP */
    struct str why;
};
struct launch {
    struct stored_dp *m;
    const struct dp_launch *x;
    struct unit_work *slots; /* by slot */
    struct stored_rfh *rfhs;
    struct stored_work *all; /* its places too */
    uint64_t *cycles;        /* of each unit of the launch */
    uint32_t words;
    uint32_t workers, turns; /* of all; every how many are one unit's */
    uint64_t begin_ps, longest;
    struct diag *d;
};

/* ---- workers ---- */

/* Behind `n` registers of arguments: a number or an address in one, a structure in as many as its
 * bytes take; how many there are then. */
static uint32_t take_argument(const struct dp_launch *x, size_t i, uint32_t unit, uint32_t n,
                              uint64_t registers[STORED_REGISTERS]) {
    const struct dp_argument *a = &x->arguments[i];
    if (a->bytes <= 8)
        registers[n++] = datapath_argument(x, i) + unit * a->stride;
    for (uint32_t k = 0; a->bytes > 8 && k < a->bytes; k += 8, n++)
        memcpy(&registers[n], x->parameters + a->offset + k, a->bytes - k < 8 ? a->bytes - k : 8);
    return n;
}

static void worker(struct launch *l, uint32_t v, uint32_t number, struct state_view *view,
                   struct unit_work *unit) {
    const struct dp_launch *x = l->x;
    uint64_t arguments[STORED_REGISTERS] = {0};
    struct dp_event e = {.vrf_first = v, .vrf_count = 1, .start_ps = l->begin_ps};
    struct stored_core c = {.machine = l->m, .words = x->kernel, .view = view, .work = &unit->work};
    struct stored_worker w = {
        .arguments = arguments, .shared = x->shared, .number = number, .workers = l->workers};
    c.event = l->m->observer ? &e : NULL;
    for (size_t i = 0; i < x->argument_count; i++)
        w.count = take_argument(x, i, v, w.count, arguments);
    l->m->engine->begin(&c, &w);
    unit->stopped = stored_interpret(&c);
    if (unit->stopped == STORED_NO_STOP)
        return;
    str_printf(&unit->why, "unit %" PRIu32 ", worker %" PRIu32 " ", v, number);
    stored_fault_text(&c, &unit->why);
}

/* Units among which workers go round: of the launch, or of all rounds. */
static uint32_t units_of(const struct stored_dp *m, const struct dp_launch *x) {
    return x->all_units ? x->all_units : x->units ? x->units : m->state.vrfs;
}

/* Blocks of the grid times workers of a block; a worker a unit where nothing is said. */
static uint32_t workers_of(const struct dp_launch *x, uint32_t units) {
    uint64_t workers = 1;
    for (unsigned i = 0; i < LAUNCH_DIMS; i++)
        workers *= (uint64_t)(x->grid[i] ? x->grid[i] : 1) * (x->block[i] ? x->block[i] : 1);
    return !x->grid[0] && !x->block[0] ? units
           : workers > UINT32_MAX      ? UINT32_MAX
                                       : (uint32_t)workers;
}

static bool goes_on(const struct launch *l) {
    return !l->x->go_on || l->x->go_on(l->x->context, l->longest);
}

/* ---- units ---- */

/* The workers of a unit, one after another. */
static bool unit_works(void *context, uint32_t slot, uint32_t unit, struct state_view *view) {
    struct launch *l = context;
    struct unit_work *own = &l->slots[slot];
    struct stored_place *places = own->work.places;
    str_free(&own->why);
    *own = (struct unit_work){.stopped = STORED_NO_STOP, .work.places = places};
    memset(places, 0, l->words * sizeof *places);
    for (uint64_t n = (uint64_t)l->x->units_before + unit; n < l->workers; n += l->turns) {
        worker(l, l->x->first_unit + unit, (uint32_t)n, view, own);
        if (own->stopped != STORED_NO_STOP || (view->direct && !goes_on(l)))
            return false;
    }
    return true;
}

static struct stored_rfh *rfh_of(const struct launch *l, uint32_t v) {
    uint32_t count = stored_target(l->m)->rfh_per_mpu;
    uint32_t per_mpu = target_vrfs_per_mpu(stored_target(l->m));
    return &l->rfhs[v / per_mpu * count + v % per_mpu % count];
}

static void add_up(struct launch *l, uint32_t unit, const struct stored_work *work) {
    uint32_t v = l->x->first_unit + unit;
    stored_join(l->m, rfh_of(l, v), l->all, work);
    for (uint32_t i = 0; i < l->words; i++) {
        l->all->places[i].executed += work->places[i].executed;
        l->all->places[i].cycles += work->places[i].cycles;
    }
    l->cycles[unit] = work->cycles;
    l->longest = work->cycles > l->longest ? work->cycles : l->longest;
    if (l->x->bar && work->cycles)
        l->x->bar(l->x->context,
                  &(struct dp_bar){.unit = v,
                                   .ps = sat_mul(work->cycles, stored_target(l->m)->datapath_ps)});
}

/* Its work joins that of all, unless it was the first to stop. */
static bool unit_done(void *context, uint32_t slot, uint32_t unit, bool fine, uint64_t *host_ps) {
    struct launch *l = context;
    struct unit_work *own = &l->slots[slot];
    if (own->stopped != STORED_NO_STOP)
        diag_error(l->d, NO_SPAN, "%s", str_text(&own->why));
    if (l->x->stopped)
        *l->x->stopped = own->stopped;
    if (!fine)
        return false;
    add_up(l, unit, &own->work);
    *host_ps += 5000 * own->work.cycles;
    return goes_on(l);
}

/* All of them, as if one by one.  False after reporting the first that stops. */
static bool all_units(struct launch *l) {
    const struct dp_launch *x = l->x;
    uint32_t slots = state_units_slots(x->pool);
    l->turns = units_of(l->m, x);
    l->workers = workers_of(x, l->turns);
    l->slots = xcalloc(slots, sizeof *l->slots);
    for (uint32_t i = 0; i < slots; i++)
        l->slots[i].work.places = xcalloc(l->words, sizeof(struct stored_place));
    bool fine =
        state_units_run(&(struct state_units){.memory = &l->m->memory,
                                              .pool = x->pool,
                                              .part_ps = x->part_ps,
                                              .count = x->units ? x->units : l->m->state.vrfs,
                                              .context = l,
                                              .work = unit_works,
                                              .done = unit_done});
    for (uint32_t i = 0; i < slots; i++) {
        str_free(&l->slots[i].why);
        free(l->slots[i].work.places);
    }
    free(l->slots);
    return fine;
}

/* ---- what it took ---- */

/* Of each word, of all units. */
static void charge_places(const struct launch *l, struct dp_cost *cost) {
    const struct stored_dp *m = l->m;
    const uint32_t *words = l->x->kernel;
    for (uint32_t i = 0; i < l->words && i < cost->place_count; i++) {
        const struct stored_place *p = &l->all->places[i];
        uint32_t op = stored_op(&m->engine->kind->isa, words[i]);
        cost->places[i].executed += p->executed;
        cost->places[i].micro_ops += p->executed;
        cost->places[i].energy_fj += sat_mul(p->executed, m->kinds[op].energy_fj);
        cost->places[i].unit_ps += sat_mul(p->cycles, stored_target(m)->datapath_ps);
    }
}

static void charge(const struct launch *l, uint32_t rfhs, struct dp_cost *cost) {
    struct stored_dp *m = l->m;
    cost->ps = stored_settle(m, l->rfhs, rfhs, l->all);
    stored_charge(m, l->all, cost->uops, cost->energy_fj);
    for (uint32_t k = 0; cost->kind_fj && k < m->engine->kind->isa.op_count; k++)
        cost->kind_fj[k] += sat_mul(l->all->executed[k], m->kinds[k].energy_fj);
    charge_places(l, cost);
    for (uint32_t v = l->x->first_unit; v < m->state.vrfs; v++)
        m->cycles[v] += l->cycles[v - l->x->first_unit];
}

static bool is_kernel(const struct stored_kind *kind, const struct dp_launch *x) {
    uint64_t registers = 0;
    for (size_t i = 0; i < x->argument_count; i++)
        registers += (x->arguments[i].bytes + 7) / 8;
    return x->size % 4 == 0 && registers <= kind->arguments &&
           stored_words_fine(&kind->isa, x->kernel, x->size / 4);
}

bool stored_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                   struct diag *d) {
    struct stored_dp *m = stored_of(dp);
    uint32_t rfhs = stored_target(m)->rfh_per_mpu * m->state.setup.mpus;
    struct stored_work all = {.cycles = 0};
    struct launch l = {.m = m, .x = x, .all = &all, .d = d, .begin_ps = cost->begin_ps};
    bool fine = is_kernel(m->engine->kind, x);
    if (!fine)
        diag_error(d, NO_SPAN, "this is no kernel");
    l.words = (uint32_t)(x->size / 4);
    l.rfhs = xcalloc((size_t)rfhs + 1, sizeof *l.rfhs);
    l.cycles = xcalloc((size_t)m->state.vrfs + 1, sizeof *l.cycles);
    all.places = xcalloc((size_t)l.words + 1, sizeof *all.places);
    fine = fine && all_units(&l);
    cost->known = fine;
    if (fine)
        charge(&l, rfhs, cost);
    free(all.places);
    free(l.cycles);
    free(l.rfhs);
    return fine;
}
