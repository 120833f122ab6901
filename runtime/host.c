/* SPDX-License-Identifier: MIT
 * The host's link: every byte that goes over it takes time and energy. */
#include "runtime/internal.h"

#include "support/saturate.h"

#define PS_PER_S 1000000000000u

void host_charge(mpu_session *s, bool in, uint64_t bytes) {
    const struct target *t = s->target->t;
    struct report_host *h = &s->host;
    uint64_t *sum = in ? &h->bytes_in : &h->bytes_out;
    *sum = sat_add(*sum, bytes);
    *(in ? &h->puts : &h->gets) += 1;
    if (!h->cost_known)
        return;
    h->time_ps = sat_add(h->time_ps, sat_scale_up(bytes, PS_PER_S, t->host_bytes_per_s));
    h->energy_fj = sat_add(h->energy_fj, sat_mul(sat_mul(bytes, 8), t->host_fj_per_bit));
}
