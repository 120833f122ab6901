/* SPDX-License-Identifier: MIT
 * Memory that units have where a kernel's program says: of many units at once. */
#include "runtime/device_kernels.h"
#include "runtime/host_link.h"

#include <stdlib.h>
#include <string.h>

static void charge(mpu_device *d, enum host_way way, uint64_t bytes,
                   const struct device_piece *pieces, size_t count) {
    struct host_slice *slices = xcalloc(count + 1, sizeof *slices);
    for (size_t i = 0; i < count; i++)
        slices[i] = (struct host_slice){pieces[i].unit, bytes};
    d->counts.host.cost_known = d->costs_known;
    session_link_charge(d->target, &d->counts.host, way, slices, count, false);
    free(slices);
}

bool device_units_move(const mpu_kernel *kernel, enum host_way way, uint64_t at, uint64_t bytes,
                       const struct device_piece *pieces, size_t count, struct diag *diag) {
    mpu_device *d = kernel->module->device;
    const struct dp_program program = device_kernel_program(kernel);
    const uint32_t units = d->target->mpus * target_vrfs_per_mpu(d->target);
    uint64_t address, stride;
    if (!d->ops->mem_own(d->dp, &program, at, bytes, units, &address, &stride, diag))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t there = address + pieces[i].unit * stride;
        if (way == HOST_OUT ? !d->ops->mem_get(d->dp, there, pieces[i].data, bytes, diag)
                            : !d->ops->mem_put(d->dp, there, pieces[i].data, bytes, diag))
            return false;
    }
    if (bytes && count)
        charge(d, way, bytes, pieces, count);
    return true;
}

bool device_unit_stopped(const mpu_device *device, uint32_t unit, struct str *why) {
    return device->ops->unit_stopped && device->ops->unit_stopped(device->dp, unit, why);
}

uint64_t device_units_total(const mpu_device *device, const char *counter) {
    const struct dp_tables *t = &device->dp->tables;
    uint64_t sum = 0,
             *values = xcalloc((size_t)t->units * t->unit_counter_count + 1, sizeof *values);
    for (uint32_t k = 0; k < t->unit_counter_count; k++) {
        if (strcmp(t->unit_counters[k], counter) != 0)
            continue;
        device->ops->unit_counters(device->dp, values);
        for (uint32_t u = 0; u < t->units; u++)
            sum += values[(size_t)u * t->unit_counter_count + k];
    }
    free(values);
    return sum;
}
