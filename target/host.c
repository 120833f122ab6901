/* SPDX-License-Identifier: MIT
 * Which of a target's ways a transfer takes, by the rule of docs/targets.md, and what that costs.
 */
#include "target/host.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <math.h>
#include <stdlib.h>

#define PS_PER_S 1000000000000u

static bool is_given(const struct target *target, enum host_mode_kind kind) {
    return target->host_modes[kind].in_bytes_per_s != 0;
}

bool target_has_host_modes(const struct target *target) {
    return is_given(target, HOST_SERIAL) || is_given(target, HOST_PARALLEL) ||
           is_given(target, HOST_BROADCAST);
}

struct host_mode target_host_mode(const struct target *target, enum host_mode_kind kind) {
    if (kind != HOST_SERIAL || is_given(target, kind))
        return target->host_modes[kind];
    return (struct host_mode){.in_bytes_per_s = target->host_bytes_per_s,
                              .out_bytes_per_s = target->host_bytes_per_s};
}

/* ---- the rule ---- */

static uint64_t largest_of(const struct host_slice *slices, size_t count) {
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = slices[i].bytes > most ? slices[i].bytes : most;
    return most;
}

static bool are_equal(const struct target *target, const struct host_slice *slices, size_t count) {
    uint32_t per = target_vrfs_per_mpu(target);
    uint64_t most = largest_of(slices, count);
    for (size_t i = 0; i + 1 < count; i++)
        if (slices[i].bytes != most && slices[i].vrf / per == slices[i + 1].vrf / per)
            return false;
    return true;
}

enum host_mode_kind target_host_choose(const struct target *target, enum host_way way,
                                       const struct host_slice *slices, size_t count) {
    if (way == HOST_SAME)
        return is_given(target, HOST_BROADCAST) ? HOST_BROADCAST : HOST_SERIAL;
    if (is_given(target, HOST_PARALLEL) && count > 1 && are_equal(target, slices, count))
        return HOST_PARALLEL;
    return HOST_SERIAL;
}

/* ---- time ---- */

static uint64_t rate_of(const struct host_mode *mode, enum host_way way) {
    return way == HOST_OUT ? mode->out_bytes_per_s : mode->in_bytes_per_s;
}

static uint64_t rate_ps(uint64_t bytes, uint64_t rate) {
    return rate ? sat_scale_up(bytes, PS_PER_S, rate) : 0;
}

static uint64_t bytes_ps(uint64_t bytes, const struct host_mode *mode, enum host_way way) {
    return rate_ps(bytes, rate_of(mode, way));
}

/* A bandwidth of so many VRFs together. */
struct host_point {
    double vrfs, rate;
};

/* Between two of them it is a power of the number of VRFs. */
static uint64_t between(const struct host_point *a, const struct host_point *b, double vrfs) {
    double part = log(vrfs / a->vrfs) / log(b->vrfs / a->vrfs);
    return (uint64_t)llround(a->rate * pow(b->rate / a->rate, part));
}

/* The bandwidth of a mode by which so many VRFs are served at once. */
static uint64_t together_rate(const struct target *target, const struct host_mode *mode,
                              enum host_way way, uint64_t vrfs) {
    const struct host_mode alone = target_host_mode(target, HOST_SERIAL);
    struct host_point points[HOST_RATES + 2] = {{1, (double)rate_of(&alone, way)}};
    size_t count = 1, i = 0;
    if (vrfs >= mode->vrfs || !rate_of(&alone, way))
        return rate_of(mode, way);
    for (size_t k = 0; k < HOST_RATES; k++) {
        const struct host_rate *x = &mode->fewer[k];
        if (x->vrfs)
            points[count++] = (struct host_point){
                x->vrfs, (double)(way == HOST_OUT ? x->out_bytes_per_s : x->in_bytes_per_s)};
    }
    points[count] = (struct host_point){mode->vrfs, (double)rate_of(mode, way)};
    while (i + 1 < count && points[i + 1].vrfs <= (double)vrfs)
        i++;
    return between(&points[i], &points[i + 1], (double)vrfs);
}

/* What a unit of the scope has to do; `number` is its place on the chip. */
struct host_unit {
    uint64_t number, vrfs, bytes;
};

static uint64_t unit_of(const struct target *target, enum host_scope scope, uint32_t vrf) {
    uint32_t per = target_vrfs_per_mpu(target);
    switch (scope) {
    case HOST_VRF:
        return vrf;
    case HOST_RFH:
        return (uint64_t)(vrf / per) * target->rfh_per_mpu + vrf % per % target->rfh_per_mpu;
    default:
        return 0;
    }
}

static int by_number(const void *left, const void *right) {
    const struct host_unit *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* The units of a list, one behind the other; the caller frees them. */
static struct host_unit *units_of(const struct target *target, enum host_scope scope,
                                  const struct host_slice *slices, size_t count, size_t *kept) {
    struct host_unit *list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (struct host_unit){unit_of(target, scope, slices[i].vrf), 1, slices[i].bytes};
    if (scope != HOST_CHIP && count)
        qsort(list, count, sizeof *list, by_number);
    *kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (*kept == 0 || list[*kept - 1].number != list[i].number) {
            list[(*kept)++] = list[i];
            continue;
        }
        list[*kept - 1].vrfs++;
        list[*kept - 1].bytes = sat_add(list[*kept - 1].bytes, list[i].bytes);
    }
    return list;
}

static uint64_t serial_ps(const struct host_mode *mode, enum host_way way, uint64_t vrfs,
                          uint64_t bytes) {
    return sat_add(sat_mul(vrfs, mode->setup_ps), bytes_ps(bytes, mode, way));
}

/* VRFs that get `each` bytes apiece, without set-up. */
static uint64_t together_ps(const struct target *target, const struct host_mode *mode,
                            enum host_way way, uint64_t vrfs, uint64_t each) {
    struct host_mode alone = target_host_mode(target, HOST_SERIAL);
    uint64_t ps = rate_ps(sat_mul(vrfs, each), together_rate(target, mode, way, vrfs));
    uint64_t least = bytes_ps(each, &alone, way);
    return ps > least ? ps : least;
}

static uint64_t longest_ps(const struct target *target, enum host_mode_kind kind, enum host_way way,
                           const struct host_slice *slices, size_t count) {
    struct host_mode m = target_host_mode(target, kind);
    uint64_t longest = 0, each = largest_of(slices, count);
    size_t n;
    struct host_unit *units = units_of(target, m.scope, slices, count, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t ps = kind == HOST_SERIAL ? serial_ps(&m, way, units[i].vrfs, units[i].bytes)
                                          : together_ps(target, &m, way, units[i].vrfs, each);
        longest = ps > longest ? ps : longest;
    }
    free(units);
    return kind == HOST_SERIAL || count == 0 ? longest : sat_add(m.setup_ps, longest);
}

struct host_transfer target_host_transfer(const struct target *target, enum host_way way,
                                          const struct host_slice *slices, size_t count) {
    struct host_transfer x = {.mode = target_host_choose(target, way, slices, count)};
    uint64_t wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted = sat_add(wanted, slices[i].bytes);
    bool serial = x.mode == HOST_SERIAL;
    x.transfers = serial ? count : count != 0;
    x.bytes = serial ? wanted : sat_mul(count, largest_of(slices, count));
    x.padding = x.bytes - wanted;
    x.time_ps = longest_ps(target, x.mode, way, slices, count);
    return x;
}

uint64_t target_host_serial_ps(const struct target *target, enum host_way way, uint64_t bytes) {
    struct host_mode m = target_host_mode(target, HOST_SERIAL);
    return serial_ps(&m, way, 1, bytes);
}

uint64_t target_host_fj(const struct target *target, uint64_t bytes) {
    return sat_mul(sat_mul(bytes, 8), target->host_fj_per_bit);
}

uint64_t target_host_transpose_ps(const struct target *target, uint64_t bytes) {
    uint64_t rate = target->transpose == TRANSPOSE_NONE ? 0 : target->host_transpose_bytes_per_s;
    return rate ? sat_scale_up(bytes, PS_PER_S, rate) : 0;
}

uint64_t target_host_transpose_fj(const struct target *target, uint64_t bytes) {
    uint64_t each = target->transpose == TRANSPOSE_NONE ? 0 : target->host_transpose_fj_per_byte;
    return sat_mul(bytes, each);
}
