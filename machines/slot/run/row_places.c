/* SPDX-License-Identifier: MIT
 * One program after another on rows that stay.  The caller numbers bits of a lane; a register that
 * begins with bit n is the row that began there before.  A row whose first bit lies in another one
 * is nobody's any more. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows by the bit with which they begin ---- */

/* Of the first place at `first` or behind. */
static size_t place_at(const struct slot_vrf *x, uint64_t first) {
    size_t low = 0, high = x->places.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->places.data[middle].first < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Places i .. end - 1 go. */
static void drop_places(struct slot_datapath *m, struct slot_vrf *x, size_t i, size_t end) {
    for (size_t k = i; k < end; k++) {
        slot_row_free(m, x->places.data[k].words, x->words);
        slot_give_bytes(m, x->words * sizeof *x->places.data[k].words);
    }
    for (size_t k = end; k < x->places.len; k++)
        x->places.data[i + k - end] = x->places.data[k];
    x->places.len -= end - i;
}

void slot_turn_to_map(struct slot_datapath *m, struct slot_vrf *x) {
    x->map = m->map;
    x->kin = SLOT_NO_KIN;
    memset(x->row, 0, 64 * sizeof *x->row);
}

/* In other VRFs its bits may be others': nothing is looked for before somebody asks. */
uint64_t *slot_find_place(struct slot_datapath *m, struct slot_vrf *x, unsigned reg) {
    uint64_t first = m->first[reg];
    size_t i = place_at(x, first);
    bool there = i < x->places.len && x->places.data[i].first == first;
    drop_places(m, x, i + there, place_at(x, first + m->reg_bits[reg]));
    return there ? x->places.data[i].words : NULL;
}

void slot_note_place(const struct slot_datapath *m, struct slot_vrf *x, unsigned reg) {
    const struct slot_place place = {m->first[reg], x->row[reg]};
    size_t i = place_at(x, place.first);
    vec_push(&x->places, place);
    for (size_t k = x->places.len - 1; k > i; k--)
        x->places.data[k] = x->places.data[k - 1];
    x->places.data[i] = place;
}

/* ---- programs ---- */

/* Rows that one VRF of the kin needs: tables of its own, and constants. */
const struct row_pool *slot_pool_of(const struct slot_datapath *m, uint32_t kin) {
    return m->setup.code ? &slot_code_of(m->setup.code)->kins.data[kin].pool : NULL;
}

struct slot_tables slot_pool_tables(const struct slot_datapath *m, uint32_t kin) {
    return slot_kin_tables(m->target, slot_code_of(m->setup.code), kin);
}

bool slot_depends_on_others(const struct slot_datapath *m) {
    const struct slot_code *c = m->setup.code ? slot_code_of(m->setup.code) : NULL;
    bool apart = m->own->faw_ps != 0;
    for (uint32_t i = 0; c && i < c->kins.len; i++) {
        struct slot_tables x = slot_pool_tables(m, i);
        apart |= !x.resident || (x.parts && m->target->active_vrf_per_rfh != 1);
        slot_tables_free(&x);
    }
    return apart;
}

static uint64_t key_of_pool(const struct row_pool *pool) {
    struct str bytes = {0};
    uint64_t key = pool->slot;
    if (!pool->constants.len && !pool->tables.len)
        return 0;
    row_pool_write(pool, &bytes);
    for (size_t i = 0; i < bytes.len; i++) {
        uint64_t seed = key ^ (unsigned char)bytes.text[i];
        key = splitmix64(&seed);
    }
    str_free(&bytes);
    return key ? key : 1;
}

uint64_t slot_pool_key(const struct slot_datapath *m, uint32_t kin) {
    return m->pool_keys ? m->pool_keys[kin] : 0;
}

void slot_make_keys(struct slot_datapath *m) {
    const struct slot_code *c = m->setup.code ? slot_code_of(m->setup.code) : NULL;
    free(m->pool_keys);
    m->pool_keys = c ? xcalloc(c->kins.len + 1, sizeof *m->pool_keys) : NULL;
    for (uint32_t kin = 0; c && kin < c->kins.len; kin++)
        m->pool_keys[kin] = key_of_pool(&c->kins.data[kin].pool);
}

void slot_forget_remains(struct slot_datapath *m, struct slot_vrf *x) {
    for (uint32_t i = 0; i < x->remains_count; i++) {
        if (x->remains[i].index)
            slot_give_bytes(m, 2 * x->words * sizeof *x->remains[i].index);
        free(x->remains[i].index);
        free(x->remains[i].alive);
    }
    free(x->remains);
    x->remains = NULL;
    x->remains_count = 0;
}

void slot_remap(struct datapath *dp, const struct dp_map *map) {
    struct slot_datapath *m = slot_datapath_of(dp);
    m->map++;
    m->setup.code = map->code;
    m->setup.kins = map->kins;
    m->setup.kin_count = map->kin_count;
    slot_make_keys(m);
    for (unsigned r = 0; r < 64; r++) {
        m->reg_bits[r] = map->bits[r] < 64 ? map->bits[r] : 64;
        m->first[r] = map->bits[r] ? map->first[r] : 0;
    }
    m->base.tables.at_once = slot_depends_on_others(m);
}

void slot_forget(struct datapath *dp, struct dp_code *code) {
    struct slot_datapath *m = slot_datapath_of(dp);
    pthread_mutex_lock(&m->lock);
    struct dp_code **link = &m->codes;
    while (*link != code)
        link = &(*link)->next;
    *link = code->next;
    pthread_mutex_unlock(&m->lock);
    slot_code_free(code);
}

/* ---- lanes ---- */

/* One row a register, which is nobody's yet. */
static void shape_vrf(struct slot_datapath *m, struct slot_vrf *x, uint32_t v, unsigned slot) {
    drop_places(m, x, 0, x->places.len);
    slot_forget_remains(m, x);
    for (unsigned r = SLOT_ROW_C; r < SLOT_STAYING; r++) {
        if (x->row[r])
            slot_give_bytes(m, x->words * sizeof *x->row[r]);
        slot_row_free(m, x->row[r], x->words);
    }
    memset(x->row, 0, sizeof x->row);
    if (x->slot != slot)
        m->established[v] = 0;
    x->kin = SLOT_NO_KIN;
    x->slot = (uint8_t)slot;
    x->rows = 1;
    x->words = m->row_words;
    x->lanes = m->own->row_bits / slot;
}

/* In a session kin say it, when VRFs are bound. */
void slot_shape(struct datapath *dp, struct vrf_set set, unsigned slot) {
    struct slot_datapath *m = slot_datapath_of(dp);
    for (size_t r = 0; m->setup.bits && r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++) {
            uint32_t v = set.ranges[r].first + k;
            shape_vrf(m, slot_vrf(m, v), v, slot);
        }
}
