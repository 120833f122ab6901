/* SPDX-License-Identifier: MIT
 * The host's link: every byte that goes over it takes time and energy, and so does turning the
 * elements into planes or back. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

static void count_mode(struct report_host_mode *m, bool in, const struct host_transfer *x) {
    uint64_t *sum = in ? &m->bytes_in : &m->bytes_out;
    *sum = sat_add(*sum, x->bytes);
    m->transfers = sat_add(m->transfers, x->transfers);
    m->padding_bytes = sat_add(m->padding_bytes, x->padding);
    m->time_ps = sat_add(m->time_ps, x->time_ps);
}

static void add_cost(const struct target *t, struct report_host *h, const struct host_transfer *x) {
    uint64_t turned = x->bytes - x->padding;
    h->time_ps = sat_add(h->time_ps, x->time_ps);
    h->energy_fj = sat_add(h->energy_fj, target_host_fj(t, x->bytes));
    h->transpose_ps = sat_add(h->transpose_ps, target_host_transpose_ps(t, turned));
    h->transpose_fj = sat_add(h->transpose_fj, target_host_transpose_fj(t, turned));
}

void session_charge(mpu_session *s, enum host_way way, const struct host_slice *slices,
                    size_t count) {
    const struct target *t = s->target->t;
    struct report_host *h = &s->host;
    bool in = way != HOST_OUT;
    uint64_t *sum = in ? &h->bytes_in : &h->bytes_out;
    if (count == 0 && session_in_rounds(s))
        return;
    struct host_transfer x = target_host_transfer(t, way, slices, count);
    *sum = sat_add(*sum, x.bytes);
    *(in ? &h->puts : &h->gets) += 1;
    count_mode(&h->modes[x.mode], in, &x);
    if (h->cost_known)
        add_cost(t, h, &x);
}

void session_charge_group(mpu_session *s, const struct package *here, const struct variable *v,
                          enum host_way way, uint64_t elements) {
    uint64_t bytes = session_host_type(v->type).bits / 8u * (uint64_t)v->count;
    size_t first, n = session_group_placements(here, v->group, &first), count = 0;
    struct host_slice *slices = xcalloc(n + 1, sizeof *slices);
    for (size_t i = first; i < first + n; i++) {
        const struct placement *p = &here->placements[i];
        uint64_t left = p->first < elements ? elements - p->first : 0;
        if (left)
            slices[count++] = (struct host_slice){session_placement_vrf(s, p),
                                                  bytes * (left < p->count ? left : p->count)};
    }
    session_charge(s, way, slices, count);
    free(slices);
}

void session_charge_first(mpu_session *s, const struct variable *v) {
    struct host_slice one = {session_placement_vrf(s, session_first_placement(s->package, v)),
                             session_host_type(v->type).bits / 8u * (uint64_t)v->count};
    session_charge(s, HOST_OUT, &one, 1);
}
