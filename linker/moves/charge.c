/* SPDX-License-Identifier: MIT
 * What the data-transfer controllers do for the copies of a move. */
#include "linker/moves/copies.h"
#include "machines/dtc/dtc.h"

#include <stdlib.h>

/* What works on its own: an MPU, or an RFH where those work at the same time.  Its buffer holds
 * some destination registers at a time. */
struct station {
    uint64_t written; /* registers in the buffer */
    uint64_t dst;     /* the last of them */
    uint64_t in_a_row;
    VEC(uint64_t) sources; /* that they were read from */
};

struct charger {
    struct station *stations; /* [station_count] of the MPU at work */
    uint32_t station_count, buffer;
    struct move_charge *charges;
    size_t charge_count;
};

uint64_t package_move_station(const struct maker *maker, uint32_t vrf) {
    uint32_t per = maker->p->vrf_per_rfh * maker->p->rfh_per_mpu;
    uint32_t rfh = dtc_rfhs_at_once(maker->t) ? vrf % per % maker->p->rfh_per_mpu : 0;
    return (uint64_t)(vrf / per) << 32 | rfh;
}

static int by_key(const void *left, const void *right) {
    const struct copy_key *a = left, *b = right;
    if (a->station != b->station)
        return a->station < b->station ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static struct copy_key key_of(const struct maker *maker, const struct move_copy *copy,
                              uint32_t index) {
    return (struct copy_key){
        package_move_station(maker, copy->dst_vrf), (uint64_t)copy->dst_vrf << 8 | copy->dst_reg,
        copy->fill ? UINT64_MAX : (uint64_t)copy->src_vrf << 8 | copy->src_reg, index};
}

void package_move_copies_sort(const struct maker *maker, const struct move_copy *copies,
                              size_t count, struct copy_key *keys, struct move_copy *sorted) {
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(maker, &copies[i], (uint32_t)i);
    for (size_t i = 0; i + 1 < count; i++)
        if (by_key(&keys[i], &keys[i + 1]) > 0) { /* they mostly are in order */
            qsort(keys, count, sizeof *keys, by_key);
            break;
        }
    for (size_t i = 0; i < count; i++)
        sorted[i] = copies[keys[i].index];
}

struct charger *package_move_charger_new(const struct maker *maker, struct arena *arena) {
    struct charger *c = xcalloc(1, sizeof *c);
    c->station_count = dtc_rfhs_at_once(maker->t) ? maker->p->rfh_per_mpu : 1;
    c->stations = xcalloc(c->station_count, sizeof *c->stations);
    c->buffer = maker->t->buffer_registers ? maker->t->buffer_registers : 1;
    c->charges = ARENA_ARRAY(arena, (size_t)maker->p->mpus + 1, struct move_charge);
    return c;
}

static int by_number(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t count_distinct(uint64_t *list, size_t n) {
    uint64_t distinct = 0;
    if (n)
        qsort(list, n, sizeof *list, by_number);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || list[i] != list[i - 1];
    return distinct;
}

/* A buffer's worth is done. */
static void empty_buffer(struct charger *charger, struct station *station) {
    struct move_charge *x = &charger->charges[charger->charge_count - 1];
    uint64_t read = count_distinct(station->sources.data, station->sources.len);
    uint64_t registers = read > station->written ? read : station->written;
    station->in_a_row += registers;
    x->registers += registers;
    x->in_a_row = station->in_a_row > x->in_a_row ? station->in_a_row : x->in_a_row;
    station->written = 0;
    vec_clear(&station->sources);
}

static void end_mpu(struct charger *charger) {
    for (uint32_t i = 0; i < charger->station_count; i++) {
        if (charger->stations[i].written)
            empty_buffer(charger, &charger->stations[i]);
        charger->stations[i].in_a_row = 0;
    }
}

static void add_key(struct charger *charger, const struct copy_key *key) {
    struct station *s = &charger->stations[key->station & UINT32_MAX];
    if (s->written == 0 || s->dst != key->dst) {
        if (s->written == charger->buffer)
            empty_buffer(charger, s);
        s->written++;
        s->dst = key->dst;
    }
    if (key->src != UINT64_MAX && (s->sources.len == 0 || vec_last(&s->sources) != key->src))
        vec_push(&s->sources, key->src);
}

void package_move_charger_add(struct charger *charger, const struct copy_key *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t mpu = (uint32_t)(keys[i].station >> 32);
        if (charger->charge_count == 0 || charger->charges[charger->charge_count - 1].mpu != mpu) {
            if (charger->charge_count)
                end_mpu(charger);
            charger->charges[charger->charge_count++] = (struct move_charge){.mpu = mpu};
        }
        add_key(charger, &keys[i]);
    }
}

void package_move_charger_end(struct charger *charger, struct move_work *out) {
    if (charger->charge_count)
        end_mpu(charger);
    out->charges = charger->charges;
    out->charge_count = charger->charge_count;
    for (uint32_t i = 0; i < charger->station_count; i++)
        vec_free(&charger->stations[i].sources);
    free(charger->stations);
    free(charger);
}
