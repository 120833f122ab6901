/* SPDX-License-Identifier: MIT
 * The host's link: every byte that goes over it takes time and energy, and so does turning the
 * elements into planes or back. */
#include "runtime/host_link.h"
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

void session_link_charge(const struct target *target, struct report_host *host, enum host_way way,
                         const struct host_slice *slices, size_t count, bool planes) {
    bool in = way != HOST_OUT;
    uint64_t *sum = in ? &host->bytes_in : &host->bytes_out;
    struct host_transfer x = target_host_transfer(target, way, slices, count);
    *sum = sat_add(*sum, x.bytes);
    *(in ? &host->puts : &host->gets) += 1;
    count_mode(&host->modes[x.mode], in, &x);
    if (host->cost_known)
        add_cost(target, host, &x, planes);
}

void session_charge(mpu_session *session, struct session_resident *resident, enum host_way way,
                    const struct host_slice *slices, size_t count) {
    if (count == 0 && session_in_rounds(session))
        return;
    if (resident) {
        session_resident_keep(resident, way, slices, count);
        return;
    }
    session_link_charge(session->target->t, &session->host, way, slices, count, true);
}

static void charge_round(mpu_session *session, uint32_t buffer, uint64_t round, enum host_way way) {
    struct session_slices slices = {0};
    struct session_resident *resident = session_resident_buffer(session, buffer);
    session_buffer_slices(session, buffer, round, &way, &slices);
    if (!slices.len) /* of a round that has nothing of it */
        return;
    if (resident)
        session_resident_keep(resident, way, slices.data, slices.len);
    else
        session_link_charge(session->target->t, &session->host, way, slices.data, slices.len,
                            false);
    vec_free(&slices);
}

void session_charge_buffer(mpu_session *session, uint32_t buffer, enum host_way way) {
    bool back = way == HOST_OUT && session_in_rounds(session);
    if (!back)
        charge_round(session, buffer, session->rounds.now, way);
    for (uint64_t r = 0; back && r < session->rounds.taken; r++)
        charge_round(session, buffer, r, way);
}

void session_charge_modules(mpu_session *session) {
    for (size_t i = 0; i < session->package->module_count; i++)
        if (session->package->modules[i].size)
            session_link_charge_memory(session->target->t, &session->host, HOST_IN,
                                       session->package->modules[i].size);
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
