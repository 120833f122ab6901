/* SPDX-License-Identifier: MIT
 * A device: one machine that is open for many programs. */
#include "runtime/device_kernels.h"
#include "runtime/session.h"

#include "emu/timing/timing.h"
#include "support/alloc.h"
#include "support/memory.h"
#include "support/pool.h"

#include <stdlib.h>
#include <string.h>

static mpu_result unknown(struct diag *diag, const char *what, const char *value,
                          const char *known) {
    diag_error(diag, NO_SPAN, "unknown %s '%s'; there are: %s", what, value, known);
    return MPU_USAGE;
}

/* ---- configuration ---- */

static mpu_result read_engine(mpu_device *device, struct diag *diag) {
    const char *name = public_engine(device->config.engine, diag);
    const struct target_kind *kind = device->target->kind;
    if (!name)
        return MPU_USAGE;
    device->ops = datapath_engine(kind, name);
    if (!device->ops)
        return unknown(diag, "engine", name, "fused, strict, golden");
    device->golden = device->ops == &golden_ops;
    device->engine_name = device->ops->name;
    if (!device->config.check)
        return MPU_OK;
    if (device->golden) {
        diag_error(diag, NO_SPAN,
                   "checking compares an engine with golden; there is nothing to compare");
        return MPU_USAGE;
    }
    device->ops = &check_ops;
    return MPU_OK;
}

static mpu_result read_place(mpu_device *device, struct diag *diag) {
    const char *name = device->config.place ? device->config.place : "auto";
    enum group_place place;
    if (!package_place_parse(name, &place))
        return unknown(diag, "place", name, "auto, packed, spread");
    device->place = place;
    return MPU_OK;
}

static mpu_result read_finish(mpu_device *device, struct diag *diag) {
    const char *name = device->config.finish ? device->config.finish : "auto";
    return package_finish_parse(name, &device->finish)
               ? MPU_OK
               : unknown(diag, "way to finish reductions", name, "auto, device, host");
}

static mpu_result read_spill(mpu_device *device, struct diag *diag) {
    const char *name = device->config.spill ? device->config.spill : "auto";
    device->spills = strcmp(name, "auto") == 0;
    return device->spills || strcmp(name, "never") == 0
               ? MPU_OK
               : unknown(diag, "way of spilling", name, "auto, never");
}

static mpu_result read_init(const mpu_device *device, struct diag *diag) {
    const char *name = device->config.init;
    return !name || strcmp(name, "zero") == 0
               ? MPU_OK
               : unknown(diag, "initial state of a device", name, "zero");
}

static mpu_result read_batch(mpu_device *device, struct diag *diag) {
    static const char *const names[] = {
        [BATCH_TARGET] = "target", [BATCH_ONE] = "one", [BATCH_ALL] = "all"};
    const char *name = device->config.batch ? device->config.batch : "target";
    for (unsigned k = BATCH_TARGET; k <= BATCH_ALL; k++)
        if (strcmp(names[k], name) == 0) {
            device->control_config.batch = (enum batch_mode)k;
            return MPU_OK;
        }
    return unknown(diag, "batching", name, "target, one, all");
}

static mpu_result read_size(mpu_device *device, const mpu_config *config, struct diag *diag) {
    if (config && (config->size < sizeof config->size || config->size > sizeof *config)) {
        diag_error(diag, NO_SPAN, "mpu_config.size is %u; it must be sizeof(mpu_config)",
                   (unsigned)config->size);
        return MPU_USAGE;
    }
    if (config)
        memcpy(&device->config, config, config->size);
    if (device->config.threads <= POOL_MAX_THREADS)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "%u threads; there may be 1 to %d", (unsigned)device->config.threads,
               POOL_MAX_THREADS);
    return MPU_USAGE;
}

static void fill_control_config(mpu_device *device) {
    const mpu_config *from = &device->config;
    struct control_config *c = &device->control_config;
    c->max_cycles = from->max_cycles;
    c->max_seconds = from->max_seconds;
    c->threads = from->threads ? from->threads : pool_processors();
    c->cost_unknown = device->golden;
    c->check = from->check != 0;
    c->interrupted = from->interrupted;
    c->print = from->print;
    c->print_context = from->print_context;
    c->progress = from->progress;
    c->progress_context = from->progress_context;
}

static mpu_result read_config(mpu_device *device, const mpu_config *config, struct diag *diag) {
    mpu_result (*const readers[])(mpu_device *, struct diag *) = {
        read_engine, read_place, read_finish, read_spill, read_batch};
    mpu_result r = read_size(device, config, diag);
    for (size_t i = 0; r == MPU_OK && i < sizeof readers / sizeof *readers; i++)
        r = readers[i](device, diag);
    if (r == MPU_OK)
        r = read_init(device, diag);
    /* Texts are the caller's. */
    device->config.engine = device->config.batch = device->config.init = device->config.place =
        device->config.finish = device->config.spill = NULL;
    device->most_bytes =
        device->config.device_bytes ? device->config.device_bytes : DEVICE_CACHE_BYTES;
    fill_control_config(device);
    return r;
}

/* ---- the machine ---- */

/* Pieces of up to 65 bits find room among so many times those that the machine has, whatever came
 * and went before. */
enum { BITS_FOR_A_BIT = 4 };

/* By slot, and the bits of a lane that do for the one with most. */
static void find_rooms(mpu_device *device) {
    const struct machine *m = device->library->machine;
    device->machine = m;
    for (unsigned slot = machine_next_slot(m, 0); slot; slot = machine_next_slot(m, slot)) {
        struct machine_room *room = &device->rooms[slot];
        *room = machine_room(device->target, slot);
        uint32_t bits = BITS_FOR_A_BIT * room->rows * room->sections;
        device->bits = bits > device->bits ? bits : device->bits;
    }
}

static uint32_t most_lanes(const mpu_device *device) {
    uint32_t most = 0;
    for (unsigned slot = 0; slot <= 64; slot++)
        most = device->rooms[slot].lanes > most ? device->rooms[slot].lanes : most;
    return most;
}

static mpu_result open_machine(mpu_device *device, struct diag *diag) {
    const struct target *t = device->target;
    static const uint8_t none[64];
    find_rooms(device);
    device->vectors_there = device->rooms[64].sections && device->ops->remap;
    device->bits = device->vectors_there ? device->bits : 0;
    device->has_memory = datapath_find(t->kind->name, NULL)->mem_alloc != NULL;
    if (!device->vectors_there && !device->has_memory) {
        diag_error(diag, NO_SPAN,
                   "target '%s' keeps no vectors, and its machine has no memory: there is nothing "
                   "to have on a device",
                   t->name);
        return MPU_REJECTED;
    }
    device->launches = !device->vectors_there && device->has_memory && device->ops->launch;
    device->row_used = xcalloc(t->mpus, sizeof *device->row_used);
    device->tables = timing_tables_new(timing_table_count(t));
    device->setup = (struct dp_setup){.target = t,
                                      .library = device->library,
                                      .mpus = t->mpus,
                                      .lanes = most_lanes(device),
                                      .reg_bits = none,
                                      .kernels = device->launches,
                                      .engine = device->engine_name,
                                      .bits = device->bits};
    device->dp = device->ops->open(&device->setup, diag);
    if (!device->dp)
        return MPU_REJECTED;
    const struct dp_tables *tables = &device->dp->tables;
    device->counts.uops = xcalloc(tables->kind_count + 1u, sizeof *device->counts.uops);
    device->counts.energy_fj = xcalloc(tables->part_count + 1u, sizeof *device->counts.energy_fj);
    device->counts.counters = xcalloc(tables->counter_count + 1u, sizeof *device->counts.counters);
    device->costs_known = !device->golden && target_host_mode(t, HOST_SERIAL).in_bytes_per_s != 0;
    return MPU_OK;
}

static mpu_result open_device(mpu_device *device, const mpu_config *config, struct diag *diag) {
    mpu_result r = read_config(device, config, diag);
    return r == MPU_OK ? open_machine(device, diag) : r;
}

mpu_device *mpu_device_open(const mpu_target *target, const mpu_config *config, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    mpu_device *d = xcalloc(1, sizeof *d);
    d->target = target->t;
    d->library = target->library;
    d->messages = session_config_messages(config);
    public_call_begin(&c, d->messages, error);
    mpu_result r = public_call_end(&c, open_device(d, config, c.d));
    if (r == MPU_OK)
        return d;
    mpu_device_close(d);
    return NULL;
}

/* Vectors stay the caller's, without values. */
static void leave_vectors(mpu_device *device) {
    for (mpu_vector *v = device->vectors, *next; v; v = next) {
        next = v->next;
        v->value->held--;
        device_value_drop(v->value);
        v->value = NULL;
        v->device = NULL;
        v->next = v->before = NULL;
    }
    device->vectors = NULL;
}

/* Buffers and modules stay the caller's, without a place. */
static void leave_memory(mpu_device *device) {
    for (mpu_buffer *b = device->buffers, *next; b; b = next) {
        next = b->next;
        b->device = NULL;
        b->next = b->before = NULL;
    }
    for (mpu_module *m = device->modules, *next; m; m = next) {
        next = m->next;
        m->device = NULL;
        m->next = m->before = NULL;
    }
    device->buffers = NULL;
    device->modules = NULL;
}

void device_lose(mpu_device *device) {
    if (device)
        device->broken = true;
}

/* Of what a call was changing nothing is known. */
static void close_broken(mpu_device *device) {
    for (mpu_vector *v = device->vectors; v; v = v->next)
        v->device = NULL;
    leave_memory(device);
    if (device->dp)
        device->dp->ops->close(device->dp);
}

void mpu_device_close(mpu_device *device) {
    if (!device)
        return;
    if (device->broken) {
        close_broken(device);
        return;
    }
    leave_vectors(device);
    leave_memory(device);
    device_programs_free(device);
    device_libraries_free(device);
    device_memo_free(&device->ways);
    device_memo_free(&device->places);
    device_memo_free(&device->shapes);
    device_memo_free(&device->recipes);
    for (size_t i = 0; i < device->slabs.len; i++)
        device_slab_free(device, device->slabs.data[i]);
    vec_free(&device->slabs);
    vec_free(&device->recorded);
    if (device->dp)
        device->dp->ops->close(device->dp);
    free(device->counts.uops);
    free(device->counts.energy_fj);
    free(device->counts.counters);
    device_labels_free(device);
    free(device->row_used);
    timing_tables_free(device->tables);
    free(device);
}

mpu_result mpu_device_flush(mpu_device *device, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, device->messages, error);
    return public_call_end(&c, device_flush(device, c.d));
}
