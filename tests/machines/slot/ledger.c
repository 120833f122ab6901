/* SPDX-License-Identifier: MIT */
#include "ledger.h"

#include "support/alloc.h"

#include <stdlib.h>

static struct datapath_ops spying; /* the machine's, but for what is below */
static struct ledger *at_work;

static uint64_t enabled_in(const struct ledger *l, uint32_t v) {
    uint64_t m[64], n = 0;
    slot_ops.get(l->dp, v, DP_M, 0, 0, l->lanes, m);
    for (uint32_t lane = 0; lane < l->lanes; lane++)
        n += m[lane];
    return n;
}

static void spend(struct ledger *l, unsigned kind, uint64_t times) {
    uint64_t fj = slot_kind_fj(l->target, kind) * times;
    l->uops[kind] += times;
    if (kind == SLOT_SWEEP)
        l->sweep_fj += fj;
    else if (kind < SLOT_COMMANDS)
        l->logic_fj += fj;
    else
        l->access_fj += fj;
}

static uint32_t cell_of(const struct slot_record *r) {
    const uint8_t regs[] = {r->insn->rs, r->insn->rt, r->insn->rd};
    uint16_t to = r->command->dst;
    if (to <= SLOT_RD)
        return regs[to];
    return to < SLOT_SCRATCH ? 64u + (to - SLOT_C) : 67u + (to - SLOT_SCRATCH);
}

static void take_event(void *context, const struct dp_event *e) {
    struct ledger *l = context;
    bool first = !l->events.len || vec_last(&l->events).insn != e->insn;
    if (l->events.len && vec_last(&l->events).vrf_first != e->vrf_first)
        first = true;
    spend(l, e->kind, e->vrf_count);
    for (uint32_t v = e->vrf_first; v < e->vrf_first + e->vrf_count; v++) {
        if (first)
            l->before[v] = l->enabled[v];
        l->lanes_fj += slot_target(l->target)->fj_per_lane * l->before[v];
        l->writes[(size_t)v * LEDGER_CELLS + cell_of(e->record)]++;
        l->enabled[v] = enabled_in(l, v);
    }
    vec_push(&l->events, *e);
}

static void bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    slot_ops.bind(dp, bindings, count);
    for (size_t i = 0; i < count; i++)
        at_work->enabled[bindings[i].vrf] = enabled_in(at_work, bindings[i].vrf);
}

static void execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    struct dp_moment begin, struct dp_outcome *out) {
    vec_clear(&at_work->events);
    at_work->on = vrf_set_size(set);
    slot_ops.execute(dp, code, set, begin, out);
}

static void any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                struct dp_cost *cost) {
    slot_ops.any(dp, what, set, bits, cost);
    at_work->asked = vrf_set_size(set);
    for (unsigned k = 0; cost && k < 2; k++)
        spend(at_work, k ? SLOT_READ : SLOT_SWEEP, at_work->asked);
}

static void copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    uint64_t registers = 0;
    slot_ops.copy(dp, x, cost);
    for (size_t i = 0; i < x->pair_count; i++)
        registers += x->pair_copies[i] != 0;
    for (size_t i = 0; i < x->share_count; i++)
        registers += x->shares[i].registers + x->shares[i].index_registers;
    spend(at_work, SLOT_WRITE, registers);
    if (!x->count || x->copies->source != DP_FROM_COUNT)
        spend(at_work, SLOT_READ, registers);
}

void ledger_open(struct ledger *l, struct datapath *dp, const struct target *t, uint32_t lanes) {
    *l = (struct ledger){.dp = dp, .target = t, .lanes = lanes};
    l->vrfs = t->mpus * target_vrfs_per_mpu(t);
    l->enabled = xcalloc(2 * (size_t)l->vrfs, sizeof *l->enabled);
    l->before = l->enabled + l->vrfs;
    l->writes = xcalloc((size_t)l->vrfs * LEDGER_CELLS, sizeof *l->writes);
    spying = slot_ops;
    spying.bind = bind;
    spying.execute = execute;
    spying.any = any;
    spying.copy = copy;
    at_work = l;
    dp->ops = &spying;
    dp->ops->observe(dp, take_event, l);
}

void ledger_close(struct ledger *l) {
    free(l->enabled);
    free(l->writes);
    vec_free(&l->events);
    at_work = NULL;
}
