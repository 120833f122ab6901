/* SPDX-License-Identifier: MIT
 * Values: how long they live, where they lie, and how they come and go. */
#include "runtime/device.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t device_type_bytes(struct lane_type type) {
    return type.bits <= 8 ? 1 : type.bits <= 16 ? 2 : type.bits <= 32 ? 4 : 8;
}

struct device_value *device_value_new(mpu_device *device, struct lane_type type, uint64_t n,
                                      enum value_state state) {
    struct device_value *v = xcalloc(1, sizeof *v);
    *v = (struct device_value){.device = device, .refs = 1, .type = type, .n = n, .state = state};
    return v;
}

/* ---- the list of placed values ---- */

static void unlink_value(struct device_value *value) {
    mpu_device *d = value->device;
    *(value->newer ? &value->newer->older : &d->newest) = value->older;
    *(value->older ? &value->older->newer : &d->oldest) = value->newer;
    value->newer = value->older = NULL;
}

static void link_value(struct device_value *value) {
    mpu_device *d = value->device;
    value->older = d->newest;
    *(d->newest ? &d->newest->newer : &d->oldest) = value;
    d->newest = value;
}

void device_value_touch(struct device_value *value) {
    if (value->state != VALUE_PLACED || value->device->newest == value)
        return;
    unlink_value(value);
    link_value(value);
}

void device_value_settle(struct device_value *value, struct device_slab *slab, uint32_t *first) {
    value->first = first;
    value->slab = slab;
    value->state = VALUE_PLACED;
    slab->values++;
    link_value(value);
}

void device_value_place(struct device_value *value, struct device_slab *slab) {
    uint32_t *first = xcalloc(slab->chunks, sizeof *first);
    for (uint32_t c = 0; c < slab->chunks; c++)
        first[c] = device_bank_take(value->device, slab->bank, value->type.bits);
    device_value_settle(value, slab, first);
}

void device_value_unplace(struct device_value *value) {
    struct device_slab *s = value->slab;
    for (uint32_t c = 0; c < s->chunks; c++)
        device_bank_give(s->bank, value->first[c], value->type.bits);
    s->values--;
    unlink_value(value);
    free(value->first);
    value->first = NULL;
    value->slab = NULL;
}

/* ---- recorded values ---- */

/* Its operands are nobody's any more; values that only they need go with them.  No recursion:
 * chains are long. */
void device_drop_node(struct device_node *node) {
    for (uint32_t k = 0; k < node->count; k++)
        device_value_drop(node->operands[k].v);
    free(node->table);
    free(node);
}

struct device_node *device_take_node(struct device_value *value) {
    mpu_device *d = value->device;
    struct device_node *node = value->node;
    d->recorded.data[value->at] = NULL;
    d->waiting--;
    while (d->recorded.len && !vec_last(&d->recorded))
        d->recorded.len--;
    value->node = NULL;
    return node;
}

static void forget_recorded(struct device_value *value) {
    value->device->counts.dropped += !value->device->flushing;
    device_drop_node(device_take_node(value));
}

/* ---- ends ---- */

void device_fault_drop(struct device_fault *fault) {
    if (--fault->refs)
        return;
    free(fault->text);
    free(fault);
}

void device_value_drop(struct device_value *value) {
    if (!value || --value->refs)
        return;
    if (value->waits)
        device_value_wait_ends(value);
    switch (value->state) {
    case VALUE_RECORDED:
        forget_recorded(value);
        break;
    case VALUE_PLACED:
        device_value_unplace(value);
        break;
    case VALUE_FAILED:
        device_fault_drop(value->fault);
        break;
    case VALUE_ZERO:
    case VALUE_ON_HOST:
        break;
    }
    free(value->host);
    free(value);
}

/* ---- transfers ---- */

struct transfer {
    mpu_device *d;
    struct device_value *value;
    unsigned char *data;
    uint64_t first; /* element that data begins with */
    uint32_t bytes;
    bool put;
    uint32_t chunk; /* that register 0 is mapped to */
    VEC(struct host_slice) slices;
};

/* Register 0 is the value in that chunk. */
static void map_chunk(struct transfer *transfer, uint32_t chunk) {
    uint8_t bits[64] = {transfer->value->type.bits};
    uint32_t first[64] = {transfer->value->first[chunk]};
    transfer->d->dp->ops->remap(transfer->d->dp, &(struct dp_map){.bits = bits, .first = first});
    transfer->chunk = chunk;
}

/* Elements from the middle of a VRF on. */
static void move_lanes(const struct transfer *transfer, uint32_t vrf, uint32_t lane, uint64_t count,
                       unsigned char *data) {
    const struct datapath *dp = transfer->d->dp;
    uint64_t values[DP_PIECE_LANES];
    struct lane_type type = transfer->value->type;
    uint32_t bytes = transfer->bytes;
    for (uint32_t done = 0, n; done < count; done += n) {
        n = dp_piece(done, (uint32_t)count);
        memset(values, 0, n * sizeof *values);
        for (uint32_t i = 0; transfer->put && i < n; i++)
            memcpy(&values[i], data + (size_t)(done + i) * bytes, bytes);
        if (transfer->put)
            dp->ops->put(transfer->d->dp, vrf, DP_REGISTER, 0, type.bits, lane + done, n, values);
        else
            dp->ops->get(transfer->d->dp, vrf, DP_REGISTER, 0, lane + done, n, values);
        for (uint32_t i = 0; !transfer->put && i < n; i++) {
            if (type.kind == TYPE_INT)
                values[i] = (uint64_t)sign_extend(values[i], type.bits);
            memcpy(data + (size_t)(done + i) * bytes, &values[i], bytes);
        }
    }
}

static void add_slices(struct transfer *transfer, uint32_t vrf, uint32_t lane, uint64_t count) {
    uint32_t lanes = transfer->value->slab->bank->room->lanes;
    for (uint64_t n; count; count -= n, vrf++, lane = 0) {
        n = count < lanes - lane ? count : lanes - lane;
        vec_push(&transfer->slices, ((struct host_slice){vrf, n * transfer->bytes}));
    }
}

/* What lies in one chunk is a transfer: VRFs ascend there. */
static void charge(struct transfer *transfer) {
    const mpu_device *device = transfer->d;
    const struct target *t = device->target;
    struct report_host *h = &transfer->d->counts.host;
    if (!transfer->slices.len)
        return;
    struct host_transfer x = target_host_transfer(t, transfer->put ? HOST_IN : HOST_OUT,
                                                  transfer->slices.data, transfer->slices.len);
    uint64_t turned = x.bytes - x.padding;
    vec_clear(&transfer->slices);
    *(transfer->put ? &h->bytes_in : &h->bytes_out) += x.bytes;
    if (!device->costs_known)
        return;
    h->time_ps = sat_add(h->time_ps, x.time_ps);
    h->energy_fj = sat_add(h->energy_fj, target_host_fj(t, x.bytes));
    h->transpose_ps = sat_add(h->transpose_ps, target_host_transpose_ps(t, turned));
    h->transpose_fj = sat_add(h->transpose_fj, target_host_transpose_fj(t, turned));
}

static void move_row(void *context, const struct device_slab *slab, uint32_t chunk, uint32_t vrf,
                     uint32_t lane, uint64_t at, uint64_t count) {
    struct transfer *t = context;
    unsigned char *data = t->data + (size_t)(at - t->first) * t->bytes;
    if (chunk != t->chunk) {
        charge(t);
        map_chunk(t, chunk);
    }
    add_slices(t, vrf, lane, count);
    if (lane) {
        move_lanes(t, vrf, lane, count, data);
        return;
    }
    struct dp_elements x = {.vrf = vrf,
                            .lanes = slab->bank->room->lanes,
                            .bits = t->value->type.bits,
                            .bytes = (uint8_t)t->bytes,
                            .sign = t->value->type.kind == TYPE_INT,
                            .count = count,
                            .step = 1,
                            .data = data};
    if (t->put)
        datapath_put_elements(t->d->dp, &x);
    else
        datapath_get_elements(t->d->dp, &x);
}

void device_transfer(struct device_value *value, uint64_t first, uint64_t count, void *data,
                     bool put) {
    struct transfer t = {.d = value->device,
                         .value = value,
                         .data = data,
                         .first = first,
                         .bytes = device_type_bytes(value->type),
                         .put = put,
                         .chunk = UINT32_MAX};
    device_slab_walk(value->device, value->slab, first, count, move_row, &t);
    charge(&t);
    *(put ? &value->device->counts.host.puts : &value->device->counts.host.gets) += 1;
    vec_free(&t.slices);
}

/* ---- coming and going ---- */

static uint64_t bytes_of(const struct device_value *value) {
    return value->n * device_type_bytes(value->type);
}

void device_value_wait(struct device_value *value, const void *data) {
    mpu_device *d = value->device;
    if (!value->host)
        value->host = xmalloc((size_t)bytes_of(value));
    memcpy(value->host, data, (size_t)bytes_of(value));
    d->put_bytes += value->waits ? 0 : bytes_of(value);
    value->state = VALUE_ON_HOST;
    value->waits = true;
    value->label = d->label;
}

void device_value_wait_ends(struct device_value *value) {
    value->device->put_bytes -= bytes_of(value);
    value->waits = false;
}

void device_value_to_host(struct device_value *value) {
    value->host = xmalloc((size_t)bytes_of(value));
    device_transfer(value, 0, value->n, value->host, false);
    device_value_unplace(value);
    value->state = VALUE_ON_HOST;
}

/* Puts the value that was not used for longest, of those that lie in bits of the bank, or (NULL) of
 * all, on the host; false: there is none. */
static bool spill_one(mpu_device *device, const struct device_bank *bank) {
    for (struct device_value *v = device->oldest; v; v = v->newer)
        if (!v->pinned && (!bank || v->slab->bank == bank)) {
            device->counts.spills++;
            device_value_to_host(v);
            return true;
        }
    return false;
}

static bool is_for(const struct device_slab *slab, uint64_t n, unsigned slot) {
    return slab->n == n && slab->slot == slot && !slab->apart;
}

static struct device_slab *roomy(const mpu_device *device, uint64_t n, unsigned slot,
                                 uint64_t rows) {
    for (size_t i = 0; i < device->slabs.len; i++)
        if (is_for(device->slabs.data[i], n, slot) &&
            device_bank_has(device->slabs.data[i]->bank, rows))
            return device->slabs.data[i];
    return NULL;
}

/* Another slab of that length, where others have to make room. */
static struct device_slab *any_of(const mpu_device *device, uint64_t n, unsigned slot) {
    for (size_t i = 0; i < device->slabs.len; i++)
        if (is_for(device->slabs.data[i], n, slot))
            return device->slabs.data[i];
    return NULL;
}

/* When the values of a bank leave its VRFs for others of a slot: those of other slots first.  What
 * the program at work has in other slots has to leave anyway, but comes back. */
enum { LEAVES_OTHER_SLOT, LEAVES_SAME_SLOT, LEAVES_PINNED, LEAVES_NEVER };

static void note_leaving(mpu_device *device, unsigned slot) {
    for (size_t i = 0; i < device->slabs.len; i++) {
        const struct device_slab *s = device->slabs.data[i];
        s->bank->leaves = s->slot != slot ? LEAVES_OTHER_SLOT : LEAVES_SAME_SLOT;
    }
    for (struct device_value *v = device->oldest; v; v = v->newer)
        if (v->pinned)
            v->slab->bank->leaves = v->slab->slot != slot ? LEAVES_PINNED : LEAVES_NEVER;
    for (size_t i = 0; i < device->slabs.len; i++)
        if (device->slabs.data[i]->held)
            device->slabs.data[i]->bank->leaves = LEAVES_NEVER;
}

/* VRF rows that are free or can be. */
static uint64_t rows_to_have(const mpu_device *device) {
    uint64_t rows = device_free_rows(device);
    for (size_t i = 0; i < device->slabs.len; i++) {
        const struct device_slab *s = device->slabs.data[i];
        rows += s->shares || s->bank->leaves == LEAVES_NEVER ? 0 : s->row_count;
    }
    return rows;
}

/* The values of a bank that leaves then go to the host: of the one with the value that was not used
 * for longest; false: there is none. */
static bool empty_bank(mpu_device *device, uint32_t leaves) {
    struct device_value *v = device->oldest;
    while (v && v->slab->bank->leaves != leaves)
        v = v->newer;
    const struct device_bank *bank = v ? v->slab->bank : NULL;
    for (struct device_value *next; v; v = next) {
        next = v->newer;
        if (v->slab->bank == bank) {
            device->counts.spills++;
            device_value_to_host(v);
        }
    }
    return bank;
}

/* A new slab in VRFs of other lengths or slots, whose values go to the host; no more of them than
 * that takes, and none if it does not help. */
static struct device_slab *take_others(mpu_device *device, uint64_t n, unsigned slot) {
    uint64_t rows = device_slab_rows(device, n, slot);
    struct device_slab *s = NULL;
    note_leaving(device, slot);
    if (!rows || !device->spills || rows_to_have(device) < rows)
        return NULL;
    for (uint32_t leaves = 0; !s && leaves < LEAVES_NEVER; leaves++)
        do {
            device_slabs_trim(device);
            s = device_slab_new(device, n, slot);
        } while (!s && empty_bank(device, leaves));
    return s;
}

static struct device_slab *no_room(mpu_device *device, uint64_t n, unsigned slot, uint64_t rows,
                                   struct diag *diag) {
    const struct target *t = device->target;
    const struct machine_room *room = &device->rooms[slot];
    diag_error(
        diag, NO_SPAN,
        "%" PRIu64 " elements need %" PRIu64 " rows beside what is in use; target '%s' has %" PRIu32
        " in each VRF and %" PRIu64 " lanes",
        n, rows, t->name, room->rows, (uint64_t)t->mpus * target_vrfs_per_mpu(t) * room->lanes);
    return NULL;
}

struct device_slab *device_find_room(mpu_device *device, uint64_t n, unsigned slot, uint64_t rows,
                                     struct device_slab *want, struct diag *diag) {
    if (want && device_bank_has(want->bank, rows))
        return want;
    struct device_slab *s = roomy(device, n, slot, rows);
    s = s ? s : device_slab_new(device, n, slot);
    if (s && device_bank_has(s->bank, rows))
        return s;
    s = want ? want : s ? s : any_of(device, n, slot);
    while (device->spills && s && !device_bank_has(s->bank, rows))
        if (!spill_one(device, s->bank))
            break;
    s = s ? s : take_others(device, n, slot);
    if (s && device_bank_has(s->bank, rows))
        return s;
    return no_room(device, n, slot, rows, diag);
}

struct device_slab *device_room_for(struct device_value *value, struct diag *diag) {
    mpu_device *d = value->device;
    unsigned slot = device_type_slot(d, value->type);
    uint64_t rows = machine_room_rows(&d->rooms[slot], value->type.bits);
    device_slabs_trim(d);
    struct device_slab *s = device_find_room(d, value->n, slot, rows, NULL, diag);
    return s && s->chunks > 1 ? device_find_room(d, value->n, slot, rows * s->chunks, s, diag) : s;
}
