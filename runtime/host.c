/* SPDX-License-Identifier: MIT
 * The host's link: every byte that goes over it takes time and energy, and so does turning the
 * elements into planes or back. */
#include "runtime/internal.h"

#include "support/saturate.h"

#include "emu/report/load.h"

void host_charge(mpu_session *s, bool in, uint64_t bytes) {
    const struct target *t = s->target->t;
    struct report_host *h = &s->host;
    uint64_t *sum = in ? &h->bytes_in : &h->bytes_out;
    *sum = sat_add(*sum, bytes);
    *(in ? &h->puts : &h->gets) += 1;
    if (!h->cost_known)
        return;
    h->time_ps = sat_add(h->time_ps, host_link_ps(t, bytes));
    h->energy_fj = sat_add(h->energy_fj, host_link_fj(t, bytes));
    h->transpose_ps = sat_add(h->transpose_ps, host_transpose_ps(t, bytes));
    h->transpose_fj = sat_add(h->transpose_fj, host_transpose_fj(t, bytes));
}
