/* SPDX-License-Identifier: MIT
 * Where tables of a kin lie, and where those come back from that queries destroy.
 *
 * Designs that keep their tables have them in subarrays alone: whole ones in each VRF's own, parts
 * of split ones in those of the bank in which no whole table lies.  Where a sweep destroys one,
 * each of its rows has a master copy, one hop of a row buffer away (what pluto.reload charges): in
 * the data subarray beside it.  A VRF's own has what registers, masks, scratch and constants leave;
 * pairs of the bank that hold neither registers nor parts have all of their rows.
 *
 * A bank has a split table once, for all of its VRFs; those of several kin that lie in it take
 * turns in choosing pairs, in the order of their numbers. */
#include "machines/slot/link/link.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

bool slot_keeps_copies(const struct target *target) {
    const struct slot_target *s = slot_target_of(target);
    return s->destructive && s->reload != SLOT_RELOAD_NONE;
}

static struct slot_table_shape shape_of(const struct target *t, const struct row_pool *pool,
                                        size_t table) {
    return slot_table_shape(t, slot_table_rows(&pool->tables.data[table]));
}

bool slot_tables_fit(const struct target *t, const struct row_pool *pool,
                     const struct slot_room *room, const uint32_t *tables, size_t count) {
    uint64_t rows = 0, parts = 0;
    for (size_t i = 0; i < count; i++) {
        struct slot_table_shape shape = shape_of(t, pool, tables[i]);
        rows += shape.parts == 1 ? shape.rows : 0;
        parts += shape.parts == 1 ? 0 : shape.parts;
    }
    return rows <= slot_target_of(t)->table_rows && parts <= room->pairs + (rows ? 0 : room->own);
}

static void all_or_none(const struct target *t, const struct row_pool *pool,
                        const struct slot_room *room, struct slot_tables *x) {
    uint32_t *all = xcalloc(pool->tables.len + 1, sizeof *all);
    for (uint32_t i = 0; i < pool->tables.len; i++)
        all[i] = i;
    x->resident = slot_tables_fit(t, pool, room, all, pool->tables.len);
    for (size_t i = 0; i < pool->tables.len; i++) {
        struct slot_table_shape shape = shape_of(t, pool, i);
        bool whole = shape.parts == 1;
        if (!x->resident) {
            x->homes[i] =
                slot_tables_fit(t, pool, room, &all[i], 1) ? SLOT_HOME_RUN : SLOT_HOME_QUERY;
            continue;
        }
        x->homes[i] = whole ? SLOT_HOME_PAIR : SLOT_HOME_BANK;
        x->rows += whole ? shape.rows : 0;
        x->parts += whole ? 0 : shape.parts;
    }
    x->bank_rows = x->parts * slot_target_of(t)->table_rows;
    free(all);
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
        all_or_none(target, pool, room, &x);
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

struct slot_room slot_kin_room(const struct target *target, const struct slot_code *c,
                               uint32_t kin) {
    const struct slot_kin *k = &c->kins.data[kin];
    uint64_t taken = (uint64_t)k->rows * (slot_registers(k->reg_bits) + SLOT_MASK_ROWS) +
                     scratch_of(c, kin) + k->pool.constants.len;
    return (struct slot_room){left_of(slot_target_of(target)->rows, taken), k->pairs, k->own_pairs};
}

struct slot_tables slot_kin_tables(const struct target *target, const struct slot_code *c,
                                   uint32_t kin) {
    const struct slot_room room = slot_kin_room(target, c, kin);
    return slot_tables_of(target, &c->kins.data[kin].pool, &room);
}

/* ---- kin that share banks ---- */

struct sharing {
    const struct target *t;
    struct slot_code *c;
    const struct machine_program *p;
    uint64_t *taken; /* [banks]: pairs that those before have chosen */
};

static uint32_t vrfs_in(const struct sharing *x, uint32_t bank, uint32_t kin) {
    return x->p->bank_vrfs[(size_t)bank * x->c->kins.len + kin];
}

static bool has_whole(const struct target *t, const struct row_pool *pool) {
    for (size_t i = 0; i < pool->tables.len; i++)
        if (shape_of(t, pool, i).parts == 1)
            return true;
    return false;
}

/* Pairs of a bank that are no place for tables of others. */
static uint64_t kept_pairs(const struct sharing *x, uint32_t bank) {
    uint64_t kept = 0;
    for (uint32_t k = 0; k < x->c->kins.len; k++)
        if (slot_keeps_copies(x->t) || has_whole(x->t, &x->c->kins.data[k].pool))
            kept += vrfs_in(x, bank, k);
    return kept;
}

/* What all of its banks have for tables of other pairs. */
static uint64_t pairs_there(const struct sharing *x, uint32_t kin) {
    uint64_t there = x->t->vrf_per_rfh;
    for (uint32_t b = 0; b < x->p->bank_count; b++) {
        uint64_t left = left_of(x->t->vrf_per_rfh, kept_pairs(x, b));
        there = vrfs_in(x, b, kin) && left < there ? left : there;
    }
    return there;
}

static void give_pairs(const struct sharing *x, uint32_t kin) {
    struct slot_kin *k = &x->c->kins.data[kin];
    bool own = !slot_keeps_copies(x->t) && has_whole(x->t, &k->pool);
    uint64_t first = 0, least = x->t->vrf_per_rfh;
    for (uint32_t b = 0; b < x->p->bank_count; b++) {
        uint32_t here = vrfs_in(x, b, kin);
        first = here && x->taken[b] > first ? x->taken[b] : first;
        least = here && here < least ? here : least;
    }
    k->first_pair = (uint32_t)first;
    k->pairs = (uint32_t)left_of(pairs_there(x, kin), first);
    k->own_pairs = own ? (uint32_t)least : 0;
}

static void choose_pairs(const struct sharing *x, uint32_t kin, uint64_t parts) {
    uint64_t end = x->c->kins.data[kin].first_pair + parts;
    for (uint32_t b = 0; parts && b < x->p->bank_count; b++)
        if (vrfs_in(x, b, kin) && x->taken[b] < end)
            x->taken[b] = end;
}

static bool same_pool(const struct row_pool *a, const struct row_pool *b) {
    struct str x = {0}, y = {0};
    row_pool_write(a, &x);
    row_pool_write(b, &y);
    bool same = x.len == y.len && memcmp(str_text(&x), str_text(&y), x.len) == 0;
    str_free(&x);
    str_free(&y);
    return same;
}

/* The pairs of an earlier kin with the same tables may serve this one: they are there in all of its
 * banks, or free. */
static bool may_join(const struct sharing *x, uint32_t kin, uint32_t earlier) {
    const struct slot_kin *k = &x->c->kins.data[kin], *e = &x->c->kins.data[earlier];
    bool may =
        pairs_there(x, kin) >= (uint64_t)e->first_pair + e->pairs && same_pool(&k->pool, &e->pool);
    for (uint32_t b = 0; may && b < x->p->bank_count; b++)
        may = !vrfs_in(x, b, kin) || vrfs_in(x, b, earlier) || x->taken[b] <= e->first_pair;
    return may;
}

/* The kin's tables, with pairs of an earlier kin if they lie there as they do for that one. */
static struct slot_tables join(const struct sharing *x, uint32_t kin) {
    struct slot_kin *k = &x->c->kins.data[kin], before = *k;
    for (uint32_t e = 0; e < kin; e++) {
        if (!may_join(x, kin, e))
            continue;
        k->first_pair = x->c->kins.data[e].first_pair;
        k->pairs = x->c->kins.data[e].pairs;
        struct slot_tables mine = slot_kin_tables(x->t, x->c, kin),
                           theirs = slot_kin_tables(x->t, x->c, e);
        bool same = theirs.parts && memcmp(mine.homes, theirs.homes, mine.count) == 0;
        slot_tables_free(&theirs);
        if (same)
            return mine;
        slot_tables_free(&mine);
        k->first_pair = before.first_pair;
        k->pairs = before.pairs;
    }
    return slot_kin_tables(x->t, x->c, kin);
}

/* Tables that come with each run share what those leave that stay. */
void slot_share_banks(const struct target *target, struct slot_code *c,
                      const struct machine_program *p) {
    const struct sharing x = {target, c, p, xcalloc(p->bank_count + 1, sizeof *x.taken)};
    bool *again = xcalloc(c->kins.len + 1, sizeof *again);
    for (uint32_t kin = 0; kin < c->kins.len; kin++) {
        give_pairs(&x, kin);
        struct slot_tables tables = join(&x, kin);
        choose_pairs(&x, kin, tables.parts);
        again[kin] = !tables.resident && !slot_keeps_copies(target);
        slot_tables_free(&tables);
    }
    for (uint32_t kin = 0; kin < c->kins.len; kin++)
        if (again[kin])
            give_pairs(&x, kin);
    free(again);
    free(x.taken);
}
