/* SPDX-License-Identifier: MIT
 * Where tables of a kin lie, and where those come back from that queries destroy.
 *
 * Designs that keep their tables have them in subarrays alone.  Where a sweep destroys one, each of
 * its rows has a master copy, one hop of a row buffer away (what pluto.reload charges): in the data
 * subarray beside it.  A VRF's own has what registers, masks, scratch and constants leave; pairs of
 * the bank that hold neither registers nor parts have all of their rows. */
#include "machines/slot/link/link.h"
#include "support/alloc.h"

bool slot_keeps_copies(const struct target *target) {
    const struct slot_target *s = slot_target_of(target);
    return s->destructive && s->reload != SLOT_RELOAD_NONE;
}

static void all_or_none(const struct target *t, const struct row_pool *pool,
                        struct slot_tables *x) {
    for (size_t i = 0; i < pool->tables.len; i++) {
        struct slot_table_shape shape = slot_table_shape(t, slot_table_rows(&pool->tables.data[i]));
        bool whole = shape.parts == 1;
        x->homes[i] = whole ? SLOT_HOME_PAIR : SLOT_HOME_BANK;
        x->rows += whole ? shape.rows : 0;
        x->parts += whole ? 0 : shape.parts;
    }
    x->bank_rows = x->parts * slot_target_of(t)->table_rows;
    x->resident =
        x->rows <= slot_target_of(t)->table_rows && x->parts + (x->rows > 0) <= t->vrf_per_rfh;
    if (x->resident)
        return;
    x->rows = x->parts = x->bank_rows = 0;
    for (size_t i = 0; i < pool->tables.len; i++) {
        struct slot_table_shape shape = slot_table_shape(t, slot_table_rows(&pool->tables.data[i]));
        x->homes[i] = slot_table_turns(t, &shape) > 1 ? SLOT_HOME_QUERY : SLOT_HOME_RUN;
    }
}

/* Small ones first, so that as many as can be have a copy. */
static void by_copies(const struct target *t, const struct row_pool *pool,
                      const struct slot_room *room, struct slot_tables *x) {
    x->resident = true;
    for (unsigned bits = 0; bits <= ISA_LUT_MAX_INDEX_BITS; bits++)
        for (size_t i = 0; i < pool->tables.len; i++) {
            struct slot_table_shape shape = slot_table_shape(t, UINT64_C(1) << bits);
            if (pool->tables.data[i].index_bits != bits)
                continue;
            if (shape.parts == 1 && x->rows + shape.rows <= room->rows) {
                x->homes[i] = SLOT_HOME_PAIR;
                x->rows += shape.rows;
            } else if (shape.rows <= slot_target_of(t)->rows &&
                       x->parts + shape.parts <= room->pairs) {
                x->homes[i] = SLOT_HOME_BANK;
                x->parts += shape.parts;
                x->bank_rows += (uint64_t)shape.rows * shape.parts;
            } else {
                x->homes[i] = SLOT_HOME_QUERY;
                x->resident = false;
            }
        }
    x->copies = x->rows;
}

struct slot_tables slot_tables_of(const struct target *target, const struct row_pool *pool,
                                  const struct slot_room *room) {
    struct slot_tables x = {.homes = xcalloc(pool->tables.len + 1, sizeof *x.homes),
                            .count = pool->tables.len};
    if (slot_keeps_copies(target))
        by_copies(target, pool, room, &x);
    else
        all_or_none(target, pool, &x);
    return x;
}

void slot_tables_free(struct slot_tables *tables) {
    free(tables->homes);
}

/* ---- what a package leaves ---- */

/* Rows of the form of the kin that needs most. */
static uint64_t scratch_of(const struct slot_code *c, uint32_t kin) {
    uint32_t most = 0;
    for (size_t i = 0; i < c->forms.len; i++)
        if (c->forms.data[i].kin == kin && c->forms.data[i].program.scratch > most)
            most = c->forms.data[i].program.scratch;
    return (uint64_t)c->kins.data[kin].rows * most;
}

static uint64_t left_of(uint64_t there, uint64_t taken) {
    return there > taken ? there - taken : 0;
}

struct slot_tables slot_kin_tables(const struct target *target, const struct slot_code *c,
                                   uint32_t kin) {
    const struct slot_kin *k = &c->kins.data[kin];
    uint64_t taken = (uint64_t)k->rows * (slot_registers(k->reg_bits) + SLOT_MASK_ROWS) +
                     scratch_of(c, kin) + k->pool.constants.len;
    const struct slot_room room = {left_of(slot_target_of(target)->rows, taken),
                                   left_of(target->vrf_per_rfh, c->held)};
    return slot_tables_of(target, &k->pool, &room);
}
