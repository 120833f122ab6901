/* SPDX-License-Identifier: MIT
 * What the data-transfer controllers do for the copies of a move. */
#include "linker/move_copies.h"
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

uint64_t package_move_station(const struct maker *k, uint32_t vrf) {
    uint32_t per = k->p->vrf_per_rfh * k->p->rfh_per_mpu;
    uint32_t rfh = dtc_rfhs_at_once(k->t) ? vrf % per % k->p->rfh_per_mpu : 0;
    return (uint64_t)(vrf / per) << 32 | rfh;
}

static int by_key(const void *x, const void *y) {
    const struct copy_key *a = x, *b = y;
    if (a->station != b->station)
        return a->station < b->station ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static struct copy_key key_of(const struct maker *k, const struct move_copy *c, uint32_t index) {
    return (struct copy_key){package_move_station(k, c->dst_vrf),
                             (uint64_t)c->dst_vrf << 8 | c->dst_reg,
                             c->fill ? UINT64_MAX : (uint64_t)c->src_vrf << 8 | c->src_reg, index};
}

void package_move_copies_sort(const struct maker *k, const struct move_copy *copies, size_t count,
                              struct copy_key *keys, struct move_copy *sorted) {
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(k, &copies[i], (uint32_t)i);
    for (size_t i = 0; i + 1 < count; i++)
        if (by_key(&keys[i], &keys[i + 1]) > 0) { /* they mostly are in order */
            qsort(keys, count, sizeof *keys, by_key);
            break;
        }
    for (size_t i = 0; i < count; i++)
        sorted[i] = copies[keys[i].index];
}

struct charger *package_move_charger_new(const struct maker *k, struct arena *arena) {
    struct charger *c = xcalloc(1, sizeof *c);
    c->station_count = dtc_rfhs_at_once(k->t) ? k->p->rfh_per_mpu : 1;
    c->stations = xcalloc(c->station_count, sizeof *c->stations);
    c->buffer = k->t->buffer_registers ? k->t->buffer_registers : 1;
    c->charges = ARENA_ARRAY(arena, (size_t)k->p->mpus + 1, struct move_charge);
    return c;
}

static int by_number(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
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
static void empty_buffer(struct charger *c, struct station *s) {
    struct move_charge *x = &c->charges[c->charge_count - 1];
    uint64_t read = count_distinct(s->sources.data, s->sources.len);
    uint64_t registers = read > s->written ? read : s->written;
    s->in_a_row += registers;
    x->registers += registers;
    x->in_a_row = s->in_a_row > x->in_a_row ? s->in_a_row : x->in_a_row;
    s->written = 0;
    vec_clear(&s->sources);
}

static void end_mpu(struct charger *c) {
    for (uint32_t i = 0; i < c->station_count; i++) {
        if (c->stations[i].written)
            empty_buffer(c, &c->stations[i]);
        c->stations[i].in_a_row = 0;
    }
}

static void add_key(struct charger *c, const struct copy_key *key) {
    struct station *s = &c->stations[key->station & UINT32_MAX];
    if (s->written == 0 || s->dst != key->dst) {
        if (s->written == c->buffer)
            empty_buffer(c, s);
        s->written++;
        s->dst = key->dst;
    }
    if (key->src != UINT64_MAX && (s->sources.len == 0 || vec_last(&s->sources) != key->src))
        vec_push(&s->sources, key->src);
}

void package_move_charger_add(struct charger *c, const struct copy_key *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t mpu = (uint32_t)(keys[i].station >> 32);
        if (c->charge_count == 0 || c->charges[c->charge_count - 1].mpu != mpu) {
            if (c->charge_count)
                end_mpu(c);
            c->charges[c->charge_count++] = (struct move_charge){.mpu = mpu};
        }
        add_key(c, &keys[i]);
    }
}

void package_move_charger_end(struct charger *c, struct move_work *out) {
    if (c->charge_count)
        end_mpu(c);
    out->charges = c->charges;
    out->charge_count = c->charge_count;
    for (uint32_t i = 0; i < c->station_count; i++)
        vec_free(&c->stations[i].sources);
    free(c->stations);
    free(c);
}
