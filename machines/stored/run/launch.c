/* SPDX-License-Identifier: MIT
 * Launches: each unit carries its workers out, one after another; units go as if one by one. */
#include "machines/stored/run/work.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* At a slot: a unit at work, and registers of a worker. */
struct slot {
    struct stored_unit unit;
    struct stored_work work;
    uint64_t *x, *arguments; /* registers of a worker; [kind->arguments] of the unit's */
};
struct launch {
    struct stored_dp *m;
    const struct dp_launch *x;
    const struct stored_kernel *kernel;
    struct slot *slots;
    struct stored_rfh *rfhs;
    struct stored_sum *all;
    struct stored_place *places; /* of all units */
    uint64_t *of_units;          /* as the machine's, of those of the launch that took effect */
    uint32_t workers, turns;     /* of all; every how many are one unit's */
    uint64_t begin_ps, longest;
    bool stopped; /* some unit has */
    struct diag *d;
};

/* ---- workers ---- */

/* Behind `n` registers of arguments: a number or an address in one, a structure in as many as its
 * bytes take; how many there are then. */
static uint32_t take_argument(const struct dp_launch *x, size_t i, uint32_t unit, uint32_t n,
                              uint64_t *registers) {
    const struct dp_argument *a = &x->arguments[i];
    if (a->bytes <= 8)
        registers[n++] = datapath_argument(x, i) + unit * a->stride;
    for (uint32_t k = 0; a->bytes > 8 && k < a->bytes; k += 8, n++)
        memcpy(&registers[n], x->parameters + a->offset + k, a->bytes - k < 8 ? a->bytes - k : 8);
    return n;
}

void stored_thread_begin(struct stored_unit *u, struct stored_core *c, uint32_t number,
                         uint64_t *x) {
    const struct stored_engine *engine = u->machine->engine;
    const struct stored_worker w = {.arguments = u->arguments,
                                    .count = u->argument_count,
                                    .shared = u->launch->shared,
                                    .number = number,
                                    .workers = u->workers};
    *c = (struct stored_core){.machine = u->machine,
                              .keys = stored_target(u->machine)->own,
                              .x = x,
                              .number = number,
                              .view = u->view,
                              .work = u->work,
                              .shared = &u->work->shared,
                              .counts = u->work->counts,
                              .unit_counts = u->work->unit_counts,
                              .left = stored_keys(stored_target(u->machine))->watchdog};
    c->event = u->machine->observer ? &u->event : NULL;
    memset(x, 0, stored_registers(&engine->kind->isa) * sizeof *x);
    engine->begin(c, &w);
}

/* A worker stops there. */
static bool stop(struct stored_unit *u, const struct stored_core *c, uint32_t at) {
    const char *name = u->machine->engine->worker;
    u->stopped = at;
    str_printf(&u->why, "unit %" PRIu32 ", %s %" PRIu32 " ", u->unit, name ? name : "worker",
               c->number);
    stored_fault_text(c, &u->why);
    return false;
}

enum stored_issue stored_issue(struct stored_unit *u, struct stored_core *c) {
    const uint32_t at = c->at;
    struct stored_place *p = &u->work->places[at];
    c->op = p->op;
    c->cycles = 1;
    if (c->event)
        stored_tell(c);
    c->at = at + 1;
    if (!(c->left ? u->machine->engine->step(c, p->word) : stored_stuck(c))) {
        stop(u, c, at);
        return STORED_STOPPED;
    }
    c->left--;
    p->executed++;
    p->cycles += c->cycles;
    return c->op ? STORED_GOES_ON : STORED_ENDED;
}

bool stored_stop(struct stored_unit *u, struct stored_core *c, const char *why) {
    stored_fails(c, why);
    return stop(u, c, c->at);
}

bool stored_unit_stops(struct stored_unit *u, uint32_t at, const char *why) {
    u->stopped = at;
    str_append(&u->why, why);
    return false;
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

bool stored_unit_goes_on(struct stored_unit *u) {
    return !u->view->direct || goes_on(u->context);
}

/* ---- units ---- */

/* The workers of a unit, one after another. */
static bool one_by_one(struct stored_unit *u, uint64_t *x) {
    struct stored_core c;
    for (uint64_t n = u->first; n < u->workers; n += u->every) {
        stored_thread_begin(u, &c, (uint32_t)n, x);
        uint32_t stopped = stored_interpret(u->machine)(&c);
        if (stopped != STORED_NO_STOP)
            return stop(u, &c, stopped);
        if (!stored_unit_goes_on(u))
            return false;
    }
    u->work->cycles = 0;
    for (uint32_t i = 0; i < ((const struct launch *)u->context)->kernel->count; i++)
        u->work->cycles += u->work->places[i].cycles;
    return true;
}

static bool unit_works(void *context, uint32_t slot, uint32_t unit, struct state_view *view) {
    struct launch *l = context;
    struct slot *s = &l->slots[slot];
    uint32_t v = l->x->first_unit + unit;
    str_free(&s->unit.why);
    s->work = (struct stored_work){.places = s->work.places};
    memcpy(s->work.places, l->kernel->places, l->kernel->count * sizeof *s->work.places);
    s->unit =
        (struct stored_unit){.machine = l->m,
                             .launch = l->x,
                             .unit = v,
                             .workers = l->workers,
                             .first = l->x->units_before + unit,
                             .every = l->turns,
                             .work = &s->work,
                             .arguments = s->arguments,
                             .view = view,
                             .event = {.vrf_first = v, .vrf_count = 1, .start_ps = l->begin_ps},
                             .context = l,
                             .stopped = STORED_NO_STOP};
    for (size_t i = 0; i < l->x->argument_count; i++)
        s->unit.argument_count = take_argument(l->x, i, v, s->unit.argument_count, s->arguments);
    bool fine = l->m->engine->work ? l->m->engine->work(&s->unit) : one_by_one(&s->unit, s->x);
    return fine || l->m->engine->apart;
}

static struct stored_rfh *rfh_of(const struct launch *l, uint32_t v) {
    uint32_t count = stored_target(l->m)->rfh_per_mpu;
    uint32_t per_mpu = target_vrfs_per_mpu(stored_target(l->m));
    return &l->rfhs[v / per_mpu * count + v % per_mpu % count];
}

/* Units of the machine that carry it out; what is counted of each. */
static uint32_t unit_count(const struct launch *l) {
    return l->x->units ? l->x->units : l->m->state.vrfs;
}
static size_t unit_figures(const struct launch *l) {
    return 1 + l->m->engine->unit_counts_count;
}

static void add_up(struct launch *l, uint32_t unit, const struct stored_work *work) {
    uint32_t v = l->x->first_unit + unit, words = l->kernel->count;
    uint64_t *of_unit = &l->of_units[(size_t)unit * unit_figures(l)];
    stored_join(l->m, of_unit, rfh_of(l, v), l->all, work, words);
    for (uint32_t i = 0; i < words; i++) {
        l->places[i].executed += work->places[i].executed;
        l->places[i].cycles += work->places[i].cycles;
    }
    l->longest = work->cycles > l->longest ? work->cycles : l->longest;
    if (l->x->bar && work->cycles)
        l->x->bar(l->x->context,
                  &(struct dp_bar){.unit = v,
                                   .ps = sat_mul(work->cycles, stored_target(l->m)->datapath_ps)});
}

/* Its work joins that of all, unless it was the first to stop. */
static bool unit_done(void *context, uint32_t slot, uint32_t unit, bool fine, uint64_t *host_ps) {
    struct launch *l = context;
    struct slot *own = &l->slots[slot];
    const bool stops = own->unit.stopped != STORED_NO_STOP && !l->stopped;
    l->stopped |= stops;
    if (stops)
        diag_error(l->d, NO_SPAN, "%s", str_text(&own->unit.why));
    if (stops && l->x->stopped)
        *l->x->stopped = own->unit.stopped;
    if (!fine)
        return false;
    add_up(l, unit, &own->work);
    *host_ps = sat_add(*host_ps, sat_mul(STORED_HOST_PS_A_CYCLE, own->work.cycles));
    return goes_on(l);
}

/* All of them, as if one by one.  False if not all took effect, after reporting the first that
 * stops; with `apart` it may be but stopped. */
static bool all_units(struct launch *l) {
    const struct dp_launch *x = l->x;
    uint32_t slots = state_units_slots(x->pool);
    if (x->stopped)
        *x->stopped = STORED_NO_STOP;
    l->turns = units_of(l->m, x);
    l->workers = workers_of(x, l->turns);
    l->slots = xcalloc(slots, sizeof *l->slots);
    for (uint32_t i = 0; i < slots; i++) {
        l->slots[i].work.places = xcalloc(l->kernel->count, sizeof(struct stored_place));
        l->slots[i].x = xcalloc(stored_registers(&l->m->engine->kind->isa), sizeof *l->slots[i].x);
        l->slots[i].arguments =
            xcalloc((size_t)l->m->engine->kind->arguments + 1, sizeof *l->slots[i].arguments);
    }
    bool fine = state_units_run(&(struct state_units){.memory = &l->m->memory,
                                                      .pool = x->pool,
                                                      .part_ps = x->part_ps,
                                                      .count = unit_count(l),
                                                      .context = l,
                                                      .work = unit_works,
                                                      .done = unit_done});
    for (uint32_t i = 0; i < slots; i++) {
        str_free(&l->slots[i].unit.why);
        free(l->slots[i].work.places);
        free(l->slots[i].x);
        free(l->slots[i].arguments);
    }
    free(l->slots);
    return fine;
}

/* ---- what it took ---- */

/* Of each word, of all units. */
static void charge_places(const struct launch *l, struct dp_cost *cost) {
    const struct stored_dp *m = l->m;
    for (uint32_t i = 0; i < l->kernel->count && i < cost->place_count; i++) {
        const struct stored_place *p = &l->places[i];
        cost->places[i].executed += p->executed;
        cost->places[i].micro_ops += p->executed;
        cost->places[i].energy_fj +=
            sat_mul(p->executed, m->kinds[l->kernel->places[i].op].energy_fj);
        cost->places[i].unit_ps += sat_mul(p->cycles, stored_target(m)->datapath_ps);
    }
}

static void charge(const struct launch *l, uint32_t rfhs, struct dp_cost *cost) {
    struct stored_dp *m = l->m;
    cost->ps = stored_settle(m, l->rfhs, rfhs, l->all);
    stored_charge(m, l->all, cost->uops, cost->energy_fj, cost->kind_fj);
    charge_places(l, cost);
    uint64_t *of_units = &m->of_units[l->x->first_unit * unit_figures(l)];
    for (size_t i = 0; i < unit_count(l) * unit_figures(l); i++)
        of_units[i] += l->of_units[i];
}

static bool arguments_fit(const struct stored_kind *kind, const struct dp_launch *x) {
    uint64_t registers = 0;
    for (size_t i = 0; i < x->argument_count; i++)
        registers += (x->arguments[i].bytes + 7) / 8;
    return registers <= kind->arguments;
}

bool stored_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                   struct diag *d) {
    struct stored_dp *m = stored_of(dp);
    const struct stored_kind *kind = m->engine->kind;
    uint32_t rfhs = stored_target(m)->rfh_per_mpu * m->state.setup.mpus;
    struct stored_sum all = {.executed = xcalloc(kind->isa.op_count, sizeof *all.executed)};
    struct launch l = {.m = m, .x = x, .all = &all, .d = d, .begin_ps = cost->begin_ps};
    l.kernel = stored_kernel_of(m, x->kernel, x->size);
    bool fine = l.kernel->count && arguments_fit(kind, x);
    if (!fine)
        diag_error(d, NO_SPAN, "this is no kernel");
    l.rfhs = xcalloc((size_t)rfhs + 1, sizeof *l.rfhs);
    l.places = xcalloc((size_t)l.kernel->count + 1, sizeof *l.places);
    l.of_units = xcalloc(unit_count(&l) * unit_figures(&l) + 1, sizeof *l.of_units);
    fine = fine && all_units(&l);
    cost->known = fine;
    if (fine)
        charge(&l, rfhs, cost);
    fine = fine && !l.stopped;
    free(l.of_units);
    free(l.places);
    free(l.rfhs);
    free(all.executed);
    return fine;
}
