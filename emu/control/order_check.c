/* SPDX-License-Identifier: MIT
 * --check with control.order=paper: the reference carries the same stretches out in program order
 * on a machine of its own; after each stretch the registers that it may have written are compared.
 * For the first one that differs, the two ensembles are found whose order matters. */
#include "emu/control/state.h"
#include "support/alloc.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the reference ---- */

/* Lanes of each VRF that can hold something: those with elements, or those of a fixed VRF. */
static void find_lanes(struct control *control) {
    const struct package *p = control->package;
    uint32_t per = target_vrfs_per_mpu(control->target), rfhs = control->target->rfh_per_mpu;
    uint32_t *lanes = xcalloc((size_t)p->mpus * per + 1, sizeof *lanes);
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        uint32_t *here = &lanes[x->mpu * per + x->vrf * rfhs + x->rfh];
        *here = x->count > *here ? x->count : *here;
    }
    for (size_t i = 0; i < p->fixed_count; i++)
        for (uint32_t k = 0; k < p->image_count; k++) {
            uint32_t v = control_fixed_vrf_number(&control->bodies.maker, p->image_first + k,
                                                  p->fixed[i].rfh, p->fixed[i].vrf);
            if (v != NO_INDEX && lanes[v] < control->program->geometry.lanes)
                lanes[v] = control->program->geometry.lanes;
        }
    free(control->order.lanes);
    control->order.lanes = lanes;
}

void control_order_open(struct control *control) {
    struct ensemble_order *o = &control->order;
    struct control_config config = {
        .batch = control->config.batch, .cost_unknown = true, .reference_of = control};
    o->paper = control->target->order == ORDER_PAPER;
    o->random = control->target->order_seed;
    o->in_order = control->config.reference_of != NULL;
    o->flags = xcalloc((size_t)control->package->mpus + 1, sizeof *o->flags);
    if (o->paper && control->config.reference)
        o->reference = control_new(control->program, control->package, control->target,
                                   control->config.reference, &config);
}

void control_order_close(struct control *control) {
    control_free(control->order.reference);
    vec_free(&control->order.now);
    free(control->order.flags);
    free(control->order.lanes);
}

/* One register, or C; both machines hold zeros where nothing was put, or the same random values. */
static void hand_over(struct control *control, uint32_t vrf, unsigned reg) {
    struct datapath *from = control->dp, *to = control->config.reference;
    enum dp_what what = reg == ORDER_C ? DP_C : DP_REGISTER;
    unsigned bits = reg == ORDER_C ? 1 : control->package->reg_bits[reg];
    uint64_t values[DP_PIECE_LANES], have[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < control->order.lanes[vrf]; done += n) {
        n = dp_piece(done, control->order.lanes[vrf]);
        from->ops->get(from, vrf, what, reg, done, n, values);
        to->ops->get(to, vrf, what, reg, done, n, have);
        if (memcmp(values, have, n * sizeof *values) != 0)
            to->ops->put(to, vrf, what, reg, bits, done, n, values);
    }
}

void control_order_begin(struct control *control) {
    struct control *r = control->order.reference;
    if (!r)
        return;
    control_rounds_take(
        r, control->package); /* of this round, whose package may lie where the last one's lay */
    control_streams_open(r);
    find_lanes(control);
    uint32_t vrfs = control->package->mpus * target_vrfs_per_mpu(control->target);
    for (uint32_t v = 0; v < vrfs; v++)
        for (unsigned reg = 0; reg <= ORDER_C && control->order.lanes[v]; reg++)
            if (reg == ORDER_C || control->package->reg_bits[reg])
                hand_over(control, v, reg);
}

/* ---- the two ensembles ---- */

/* What is looked for: the order in which the ensembles before `before` (NO_INDEX: all) wrote a
 * register. */
struct order_search {
    const struct ensemble_order *o;
    const struct order_table *t;
    uint32_t place[ORDER_MOST_ENSEMBLES]; /* of each item in the sequence carried out */
    struct map seen;
};
struct clash {
    uint32_t a, b; /* items */
    uint32_t vrf;
    unsigned reg;
};

static size_t first_use(const struct order_table *table, uint32_t vrf) {
    size_t low = 0, high = table->uses.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->uses.data[middle].vrf < vrf)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t first_copy(const struct order_table *table, uint32_t vrf) {
    size_t low = 0, high = table->copies.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->copies.data[middle].dst_vrf < vrf)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Keeps the later of two writers that come before `before`. */
static void consider(const struct order_search *search, uint32_t item, uint32_t before,
                     uint32_t *in_text, uint32_t *in_fact) {
    if ((before == NO_INDEX || item < before) && (*in_text == NO_INDEX || item > *in_text))
        *in_text = item;
    if ((before == NO_INDEX || search->place[item] < search->place[before]) &&
        (*in_fact == NO_INDEX || search->place[item] > search->place[*in_fact]))
        *in_fact = item;
}

static void find_writers(const struct order_search *search, uint32_t vrf, unsigned reg,
                         uint32_t before, uint32_t *in_text, uint32_t *in_fact) {
    const struct order_table *t = search->t;
    *in_text = *in_fact = NO_INDEX;
    for (size_t i = first_use(t, vrf); i < t->uses.len && t->uses.data[i].vrf == vrf; i++)
        if (order_has(t->uses.data[i].writes, reg))
            consider(search, t->uses.data[i].item, before, in_text, in_fact);
    for (size_t i = first_copy(t, vrf); i < t->copies.len && t->copies.data[i].dst_vrf == vrf; i++)
        if (t->copies.data[i].dst_reg == reg)
            consider(search, t->copies.data[i].item, before, in_text, in_fact);
}

static bool search(struct order_search *search, uint32_t vrf, unsigned reg, uint32_t before,
                   struct clash *out);

/* What a computation at the VRF starts from: what it reads, then what it may leave as it was. */
static bool search_use(struct order_search *order_search, const struct order_use *use,
                       struct clash *out) {
    for (unsigned reg = 0; reg <= ORDER_C; reg++)
        if (order_has(use->reads, reg) && search(order_search, use->vrf, reg, use->item, out))
            return true;
    for (unsigned reg = 0; reg <= ORDER_C; reg++)
        if (order_has(use->writes, reg) && search(order_search, use->vrf, reg, use->item, out))
            return true;
    return false;
}

/* What the writer made the register of: also by a copy of what an earlier copy of its own brought.
 */
static bool search_inputs(struct order_search *order_search, uint32_t vrf, unsigned reg,
                          uint32_t writer, struct clash *out) {
    const struct order_table *t = order_search->t;
    const uint32_t key[] = {vrf, reg, writer, 1};
    if (!map_put_n(&order_search->seen, (const char *)key, sizeof key, 1))
        return false;
    for (size_t i = first_use(t, vrf); i < t->uses.len && t->uses.data[i].vrf == vrf; i++)
        if (t->uses.data[i].item == writer && search_use(order_search, &t->uses.data[i], out))
            return true;
    for (size_t i = first_copy(t, vrf); i < t->copies.len && t->copies.data[i].dst_vrf == vrf;
         i++) {
        const struct order_copy *k = &t->copies.data[i];
        if (k->item == writer && k->dst_reg == reg && k->src_vrf != NO_INDEX &&
            search_inputs(order_search, k->src_vrf, k->src_reg, writer, out))
            return true;
    }
    return search(order_search, vrf, reg, writer, out);
}

/* The two of these three that changed places: the last writers of a register before `before` in the
 * text and in fact, which are not the same. */
static struct clash changed_places(const struct order_search *search, uint32_t in_text,
                                   uint32_t in_fact, uint32_t before, uint32_t vrf, unsigned reg) {
    if (before != NO_INDEX && in_fact != NO_INDEX && in_fact > before)
        return (struct clash){before, in_fact, vrf, reg};
    if (before != NO_INDEX && in_text != NO_INDEX && search->place[in_text] > search->place[before])
        return (struct clash){in_text, before, vrf, reg};
    return in_text < in_fact ? (struct clash){in_text, in_fact, vrf, reg}
                             : (struct clash){in_fact, in_text, vrf, reg};
}

/* Goes back from a register to what it was made of, until its last writers differ. */
static bool search(struct order_search *search, uint32_t vrf, unsigned reg, uint32_t before,
                   struct clash *out) {
    const uint32_t key[] = {vrf, reg, before};
    uint32_t in_text, in_fact;
    if (!map_put_n(&search->seen, (const char *)key, sizeof key, 1))
        return false;
    find_writers(search, vrf, reg, before, &in_text, &in_fact);
    if (in_text != in_fact) {
        *out = changed_places(search, in_text, in_fact, before, vrf, reg);
        return true;
    }
    return in_text != NO_INDEX && search_inputs(search, vrf, reg, in_text, out);
}

/* ---- comparing ---- */

/* A register whose value depends on the order. */
struct value_difference {
    uint32_t vrf, lane;
    unsigned reg;
    uint64_t in_text, in_fact;
};

static void add_written(struct order_registers *all, unsigned reg) {
    all->data |= UINT64_C(1) << reg;
}

/* What the stretch may write at a VRF; *next is moved behind it in both lists. */
static struct order_registers written_at(const struct order_table *table, uint32_t vrf, size_t *use,
                                         size_t *copy) {
    struct order_registers all = {0, false};
    for (; *use < table->uses.len && table->uses.data[*use].vrf == vrf; ++*use) {
        all.data |= table->uses.data[*use].writes.data;
        all.c |= table->uses.data[*use].writes.c;
    }
    for (; *copy < table->copies.len && table->copies.data[*copy].dst_vrf == vrf; ++*copy)
        add_written(&all, table->copies.data[*copy].dst_reg);
    return all;
}

static bool lanes_differ(struct control *control, uint32_t vrf, unsigned reg, uint32_t first,
                         uint32_t count, struct value_difference *out) {
    struct datapath *r = control->config.reference;
    enum dp_what what = reg == ORDER_C ? DP_C : DP_REGISTER;
    uint64_t a[DP_PIECE_LANES], b[DP_PIECE_LANES];
    control->dp->ops->get(control->dp, vrf, what, reg, first, count, a);
    r->ops->get(r, vrf, what, reg, first, count, b);
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i]) {
            *out = (struct value_difference){vrf, first + i, reg, b[i], a[i]};
            return true;
        }
    return false;
}

static bool register_differs(struct control *control, uint32_t vrf, unsigned reg,
                             struct value_difference *out) {
    bool differs = false;
    if (reg != ORDER_C && !control->package->reg_bits[reg])
        return false;
    for (uint32_t done = 0, n; done < control->order.lanes[vrf] && !differs; done += n) {
        n = dp_piece(done, control->order.lanes[vrf]);
        differs = lanes_differ(control, vrf, reg, done, n, out);
    }
    return differs;
}

static bool find_difference(struct control *control, const struct order_table *table,
                            struct value_difference *out) {
    size_t use = 0, copy = 0;
    bool found = false;
    while (!found && (use < table->uses.len || copy < table->copies.len)) {
        uint32_t a = use < table->uses.len ? table->uses.data[use].vrf : NO_INDEX;
        uint32_t b = copy < table->copies.len ? table->copies.data[copy].dst_vrf : NO_INDEX;
        uint32_t vrf = a < b ? a : b;
        struct order_registers all = written_at(table, vrf, &use, &copy);
        for (unsigned reg = 0; reg <= ORDER_C && !found; reg++)
            found = order_has(all, reg) && register_differs(control, vrf, reg, out);
    }
    return found;
}

/* ---- telling ---- */

static const char *register_name(struct control *control, unsigned reg) {
    return reg == ORDER_C ? "C" : arena_printf(&control->arena, "r%u", reg);
}

static const char *vrf_name(struct control *control, uint32_t vrf) {
    uint32_t per = target_vrfs_per_mpu(control->target), rfhs = control->target->rfh_per_mpu;
    return arena_printf(&control->arena, "MPU%u.RFH%u.VRF%u", (unsigned)(vrf / per),
                        (unsigned)(vrf % per % rfhs), (unsigned)(vrf % per / rfhs));
}

static bool item_does(const struct order_table *table, uint32_t item, uint32_t vrf, unsigned reg,
                      bool write) {
    for (size_t i = first_use(table, vrf); i < table->uses.len && table->uses.data[i].vrf == vrf;
         i++)
        if (table->uses.data[i].item == item &&
            order_has(write ? table->uses.data[i].writes : table->uses.data[i].reads, reg))
            return true;
    for (size_t i = 0; i < table->copies.len; i++) {
        const struct order_copy *k = &table->copies.data[i];
        if (k->item == item && (write ? k->dst_vrf == vrf && k->dst_reg == reg
                                      : k->src_vrf == vrf && k->src_reg == reg))
            return true;
    }
    return false;
}

static void note_ensemble(struct control *control, const struct order_table *table,
                          const struct clash *clash, uint32_t item, const char *order) {
    bool reads = item_does(table, item, clash->vrf, clash->reg, false);
    bool writes = item_does(table, item, clash->vrf, clash->reg, true);
    struct control_note note = {control->order.now.data[item].pc, NULL};
    note.text = arena_printf(&control->arena,
                             "%s in program order: the ensemble at instruction %u %s %s of %s",
                             order, (unsigned)note.index,
                             reads && writes ? "reads and writes"
                             : writes        ? "writes"
                                             : "reads",
                             register_name(control, clash->reg), vrf_name(control, clash->vrf));
    vec_push(&control->notes, note);
}

static bool tell(struct control *control, const struct order_table *table,
                 const struct value_difference *difference) {
    struct order_search s = {.o = &control->order, .t = table};
    struct clash clash;
    for (uint32_t i = 0; i < control->order.now.len; i++)
        s.place[control->order.sequence[i]] = i;
    bool found = search(&s, difference->vrf, difference->reg, NO_INDEX, &clash);
    uint32_t at = control->order.now.data[found ? clash.b : 0].pc;
    control_stop(control, CONTROL_DIFFERS, STOP_AT(at),
                 "%s of %s, lane %u, depends on the order of ensembles: it is %" PRIu64
                 " in program order, and %" PRIu64
                 " in another that the paper allows (control.order_seed %" PRIu64 ")",
                 register_name(control, difference->reg), vrf_name(control, difference->vrf),
                 (unsigned)difference->lane, difference->in_text, difference->in_fact,
                 control->target->order_seed);
    if (found) {
        note_ensemble(control, table, &clash, clash.a, "first");
        note_ensemble(control, table, &clash, clash.b, "later");
    }
    struct control_note remedy = {NO_INDEX, "MPU_SYNC between them keeps them in this order"};
    vec_push(&control->notes, remedy);
    map_free(&s.seen);
    return false;
}

static bool compare_stretch(struct control *control) {
    struct order_table t = {0};
    struct value_difference x;
    for (uint32_t i = 0; i < control->order.now.len; i++)
        control_order_table_add(control, i, &t);
    control_order_table_sort(&t);
    bool same = !find_difference(control, &t, &x) || tell(control, &t, &x);
    control_order_table_free(&t);
    return same;
}

/* The streams stand where the reference's do.  They can part only where the way through the text
 * was taken from what differs. */
static bool still_together(struct control *control) {
    const struct control *r = control->order.reference;
    bool same = control->streams.list.len == r->streams.list.len;
    for (size_t i = 0; same && i < control->streams.list.len; i++) {
        const struct stream *a = control->streams.list.data[i], *b = r->streams.list.data[i];
        same = a->count == b->count && a->mpus[0] == b->mpus[0] && a->flow.pc == b->flow.pc &&
               a->state == b->state;
    }
    return same || control_stop(control, CONTROL_DIFFERS, STOP_AT(control->top.pc),
                                "the way that the program takes depends on the order of ensembles "
                                "(control.order_seed %" PRIu64 ")",
                                control->target->order_seed);
}

bool control_order_follow(struct control *control) {
    struct control *r = control->order.reference;
    if (!r)
        return true;
    if (!control_streams_turn(r))
        return control_stop(control, CONTROL_STOPPED, STOP_AT(r->ended.index),
                            "in program order: %s", control_message(r));
    bool same = !control->order.carried_out || compare_stretch(control);
    control->order.carried_out = false;
    return same && still_together(control);
}
