/* SPDX-License-Identifier: MIT
 * What commands come to.  Time is a sequence of activations, each so long before the next; where
 * so many VRFs of an MPU activate in step that four activations a window are too few, it becomes as
 * long as the window makes it. */
#include "machines/slot/target/target.h"
#include "support/bits.h"
#include "support/saturate.h"

const char *const slot_command_names[SLOT_COMMANDS] = {"ACT", "PRE", "RBM", "RD", "WR"};

void slot_cost_add(struct slot_cost *to, const struct slot_cost *more, uint64_t times) {
    to->ps = sat_add(to->ps, sat_mul(more->ps, times));
    for (unsigned i = 0; i < SLOT_COMMANDS; i++) {
        to->count[i] = sat_add(to->count[i], sat_mul(more->count[i], times));
        to->fj[i] = sat_add(to->fj[i], sat_mul(more->fj[i], times));
    }
}

uint64_t slot_cost_fj(const struct slot_cost *cost) {
    uint64_t fj = 0;
    for (unsigned i = 0; i < SLOT_COMMANDS; i++)
        fj = sat_add(fj, cost->fj[i]);
    return fj;
}

/* `times` activations, of `parts` subarrays of each VRF, the next of which could begin after ps. */
static void activate(struct slot_cost *c, const struct slot_step *step, uint64_t ps, uint64_t times,
                     uint64_t parts) {
    uint64_t faw = slot_target_of(step->target)->faw_ps,
             window = ceil_div(sat_mul(faw, sat_mul(step->vrfs, parts)), 4);
    c->ps = sat_add(c->ps, sat_mul(faw && window > ps ? window : ps, times));
}

static void take(struct slot_cost *c, enum slot_command command, uint64_t times, uint64_t fj) {
    c->count[command] += times;
    c->fj[command] = sat_add(c->fj[command], sat_mul(fj, times));
}

/* A refresh stops everything, here as what it adds to a time on average. */
static struct slot_cost refreshed(const struct target *t, struct slot_cost c) {
    const struct slot_target *s = slot_target_of(t);
    if (s->refi_ps)
        c.ps = sat_add(c.ps, sat_scale_up(c.ps, s->rfc_ps, s->refi_ps - s->rfc_ps));
    return c;
}

struct slot_cost slot_cost_rows(const struct slot_step *step, uint64_t aaps, uint64_t aps) {
    const struct slot_target *s = slot_target_of(step->target);
    struct slot_cost c = {0};
    activate(&c, step, s->act_ps, aaps, 1);
    activate(&c, step, s->act_ps + s->pre_ps, aaps + aps, 1);
    take(&c, SLOT_ACT, 2 * aaps + aps, s->act_fj);
    take(&c, SLOT_PRE, aaps, s->aap_fj - 2 * s->act_fj);
    take(&c, SLOT_PRE, aps, s->ap_fj - s->act_fj);
    return refreshed(step->target, c);
}

/* The buffers' row into another subarray's row, which is closed. */
static void deliver(struct slot_cost *c, const struct slot_step *step) {
    const struct slot_target *s = slot_target_of(step->target);
    activate(c, step, s->act_ps + s->pre_ps, 1, 1);
    take(c, SLOT_ACT, 1, s->act_fj);
    take(c, SLOT_PRE, 1, s->pre_fj);
}

struct slot_cost slot_cost_move(const struct slot_step *step) {
    const struct slot_target *s = slot_target_of(step->target);
    struct slot_cost c = {0};
    activate(&c, step, s->act_ps + s->rbm_ps, 1, 1);
    take(&c, SLOT_ACT, 1, s->act_fj);
    take(&c, SLOT_RBM, 1, s->rbm_fj);
    deliver(&c, step);
    return refreshed(step->target, c);
}

struct slot_table_shape slot_table_shape(const struct target *t, uint64_t rows) {
    uint32_t most = slot_target_of(t)->table_rows;
    if (rows <= most)
        return (struct slot_table_shape){.rows = (uint32_t)rows, .parts = 1};
    return (struct slot_table_shape){
        .rows = most, .parts = (uint32_t)ceil_div(rows, most), .shared = true};
}

uint32_t slot_table_turns(const struct target *t, const struct slot_table_shape *shape) {
    return (uint32_t)ceil_div(shape->parts, shape->pairs ? shape->pairs : t->vrf_per_rfh);
}

/* One row of a destroyed table. */
static struct slot_cost cost_of_reload(const struct slot_step *step) {
    const struct slot_target *s = slot_target_of(step->target);
    struct slot_cost c = {0};
    if (s->reload == SLOT_RELOAD_RISC)
        c.ps = s->risc_ps;
    if (s->reload == SLOT_RELOAD_AAP) {
        activate(&c, step, s->act_ps, 1, 1);
        activate(&c, step, s->act_ps + s->pre_ps + s->rbm_ps, 1, 1);
    }
    if (s->reload == SLOT_RELOAD_RBM)
        c.ps = s->rbm_ps;
    if (s->reload == SLOT_RELOAD_AP) {
        activate(&c, step, s->act_ps + s->pre_ps, 1, 1);
        take(&c, SLOT_ACT, 1, s->act_fj);
        take(&c, SLOT_PRE, 1, s->ap_fj - s->act_fj);
        return c;
    }
    take(&c, SLOT_RBM, 1, s->rbm_fj);
    if (s->reload != SLOT_RELOAD_RBM) {
        take(&c, SLOT_ACT, 2, s->act_fj);
        take(&c, SLOT_PRE, 1, s->aap_fj - 2 * s->act_fj);
    }
    return c;
}

/* How many pairs of a bank sweep one after the other, since it has the table once. */
static uint64_t one_by_one(const struct slot_step *step, const struct slot_table_shape *shape) {
    uint64_t pairs = ceil_div(step->vrfs, step->target->rfh_per_mpu);
    return shape->shared && pairs ? pairs : 1;
}

/* The rows between the source row's activation and the result's, of those that sweep at once;
 * energy of all parts. */
static void sweep(struct slot_cost *c, const struct slot_step *step,
                  const struct slot_table_shape *shape) {
    const struct slot_target *s = slot_target_of(step->target);
    uint64_t n = shape->rows, close = s->precharge ? s->pre_ps : 0;
    activate(c, step, s->act_ps + close, n - 1, shape->parts);
    activate(c, step, s->act_ps + s->pre_ps + s->rbm_ps, 1, shape->parts);
    take(c, SLOT_ACT, n * shape->parts, s->act_fj);
    if (s->precharge)
        take(c, SLOT_PRE, n * shape->parts, s->ap_fj - s->act_fj);
    else
        take(c, SLOT_PRE, shape->parts, s->pre_fj);
    take(c, SLOT_RBM, shape->parts, s->rbm_fj);
}

/* Destroyed rows are brought back, parts beside one another; then all are swept. */
static struct slot_cost reload_and_sweep(const struct slot_step *step,
                                         const struct slot_table_shape *shape) {
    const struct slot_target *s = slot_target_of(step->target);
    uint32_t turns = slot_table_turns(step->target, shape);
    const struct slot_table_shape each = {.rows = shape->rows,
                                          .parts = (uint32_t)ceil_div(shape->parts, turns)};
    struct slot_cost c = {0};
    if (s->destructive && s->reload != SLOT_RELOAD_NONE && turns == 1 && !shape->loaded) {
        struct slot_cost row = cost_of_reload(step);
        c.ps = sat_mul(row.ps, shape->rows);
        row.ps = 0;
        slot_cost_add(&c, &row, (uint64_t)shape->rows * shape->parts);
    }
    for (uint32_t i = 0; i < turns; i++)
        sweep(&c, step, &each);
    return c;
}

struct slot_cost slot_cost_query(const struct slot_step *step,
                                 const struct slot_table_shape *shape) {
    const struct slot_target *s = slot_target_of(step->target);
    uint64_t pairs = one_by_one(step, shape);
    const struct slot_step together = {step->target, ceil_div(step->vrfs, pairs)};
    struct slot_cost c = {0}, table = reload_and_sweep(&together, shape);
    table.ps = sat_mul(table.ps, pairs);
    slot_cost_add(&c, &table, 1);
    activate(&c, step, s->act_ps, 1, 1);
    take(&c, SLOT_ACT, 1, s->act_fj);
    deliver(&c, step);
    return refreshed(step->target, c);
}

struct slot_cost slot_cost_access(const struct target *t, enum slot_command command) {
    const struct slot_target *s = slot_target_of(t);
    uint64_t bytes = s->row_bits / 8;
    struct slot_cost c = {0};
    c.ps = s->act_ps + s->pre_ps + sat_scale(bytes, UINT64_C(1000000000000), s->bus_bytes_per_s);
    take(&c, SLOT_ACT, 1, s->act_fj);
    take(&c, command, 1, command == SLOT_RD ? s->rd_fj : s->wr_fj);
    take(&c, SLOT_PRE, 1, s->pre_fj);
    return refreshed(t, c);
}

/* Memory's rows are read elsewhere on the channel while they are written here. */
struct slot_cost slot_cost_load(const struct target *t, uint64_t rows) {
    const struct slot_target *s = slot_target_of(t);
    struct slot_cost c = {0}, row = slot_cost_access(t, SLOT_WR);
    if (s->load == SLOT_LOAD_RESIDENT)
        return c;
    if (s->load == SLOT_LOAD_MEMORY) {
        struct slot_cost read = slot_cost_access(t, SLOT_RD);
        read.ps = 0;
        slot_cost_add(&row, &read, 1);
    }
    if (s->load == SLOT_LOAD_GENERATE)
        row.ps = sat_add(row.ps, s->element_ps);
    if (s->load == SLOT_LOAD_STORAGE)
        row.ps = sat_add(
            row.ps, sat_scale(s->row_bits / 8, UINT64_C(1000000000000), s->storage_bytes_per_s));
    slot_cost_add(&c, &row, rows);
    return c;
}
