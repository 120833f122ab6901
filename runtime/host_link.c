/* SPDX-License-Identifier: MIT
 * The host's link: every byte that goes over it takes time and energy, and so does turning the
 * elements into planes or back. */
#include "runtime/data.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

static void count_mode(struct report_host_mode *mode, bool in,
                       const struct host_transfer *transfer) {
    uint64_t *sum = in ? &mode->bytes_in : &mode->bytes_out;
    *sum = sat_add(*sum, transfer->bytes);
    mode->transfers = sat_add(mode->transfers, transfer->transfers);
    mode->padding_bytes = sat_add(mode->padding_bytes, transfer->padding);
    mode->time_ps = sat_add(mode->time_ps, transfer->time_ps);
}

static void add_cost(const struct target *target, struct report_host *host,
                     const struct host_transfer *transfer, bool planes) {
    uint64_t turned = planes ? transfer->bytes - transfer->padding : 0;
    host->time_ps = sat_add(host->time_ps, transfer->time_ps);
    host->energy_fj = sat_add(host->energy_fj, target_host_fj(target, transfer->bytes));
    host->transpose_ps = sat_add(host->transpose_ps, target_host_transpose_ps(target, turned));
    host->transpose_fj = sat_add(host->transpose_fj, target_host_transpose_fj(target, turned));
}

/* planes: elements are turned into planes or back. */
static void charge(mpu_session *session, enum host_way way, const struct host_slice *slices,
                   size_t count, bool planes) {
    const struct target *t = session->target->t;
    struct report_host *h = &session->host;
    bool in = way != HOST_OUT;
    uint64_t *sum = in ? &h->bytes_in : &h->bytes_out;
    struct host_transfer x = target_host_transfer(t, way, slices, count);
    *sum = sat_add(*sum, x.bytes);
    *(in ? &h->puts : &h->gets) += 1;
    count_mode(&h->modes[x.mode], in, &x);
    if (h->cost_known)
        add_cost(t, h, &x, planes);
}

void session_charge(mpu_session *session, struct session_resident *resident, enum host_way way,
                    const struct host_slice *slices, size_t count) {
    if (count == 0 && session_in_rounds(session))
        return;
    if (resident) {
        session_resident_keep(resident, way, slices, count);
        return;
    }
    charge(session, way, slices, count, true);
}

void session_charge_buffer(mpu_session *session, uint32_t buffer, enum host_way way) {
    struct session_slices slices = {0};
    struct session_resident *resident = session_resident_buffer(session, buffer);
    session_buffer_slices(session, buffer, &way, &slices);
    if (resident)
        session_resident_keep(resident, way, slices.data, slices.len);
    else
        charge(session, way, slices.data, slices.len, false);
    vec_free(&slices);
}

void session_charge_group(mpu_session *session, const struct package *here,
                          const struct variable *variable, enum host_way way, uint64_t elements) {
    uint64_t bytes = session_host_type(variable->type).bits / 8u * (uint64_t)variable->count;
    size_t first, n = package_group_placements(here, variable->group, &first), count = 0;
    struct host_slice *slices = xcalloc(n + 1, sizeof *slices);
    for (size_t i = first; i < first + n; i++) {
        const struct placement *p = &here->placements[i];
        uint64_t left = p->first < elements ? elements - p->first : 0;
        if (left)
            slices[count++] = (struct host_slice){session_placement_vrf(session, p),
                                                  bytes * (left < p->count ? left : p->count)};
    }
    session_charge(session, session_resident_variable(session, variable), way, slices, count);
    free(slices);
}

void session_charge_first(mpu_session *session, const struct variable *variable) {
    struct host_slice one = {
        session_placement_vrf(session, session_first_placement(session->package, variable)),
        session_host_type(variable->type).bits / 8u * (uint64_t)variable->count};
    session_charge(session, session_resident_variable(session, variable), HOST_OUT, &one, 1);
}
