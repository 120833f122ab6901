/* SPDX-License-Identifier: MIT
 * --check with control.order=paper: the reference carries the same stretches out in program order
 * on a machine of its own; after each stretch the registers that it may have written are compared,
 * and of the first that differs the two ensembles are found whose order matters. */
#include "emu/control/state.h"
#include "support/alloc.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the reference ---- */

/* Lanes of each VRF that can hold something: those with elements, or those of a fixed VRF. */
static void find_lanes(struct control *c) {
    const struct package *p = c->package;
    uint32_t per = target_vrfs_per_mpu(c->target), rfhs = c->target->rfh_per_mpu;
    uint32_t *lanes = xcalloc((size_t)p->mpus * per + 1, sizeof *lanes);
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        uint32_t *here = &lanes[x->mpu * per + x->vrf * rfhs + x->rfh];
        *here = x->count > *here ? x->count : *here;
    }
    for (size_t i = 0; i < p->fixed_count; i++)
        for (uint32_t k = 0; k < p->image_count; k++) {
            uint32_t v = control_fixed_vrf_number(&c->maker, p->image_first + k, p->fixed[i].rfh,
                                                  p->fixed[i].vrf);
            if (v != NO_INDEX && lanes[v] < c->program->geometry.lanes)
                lanes[v] = c->program->geometry.lanes;
        }
    free(c->order.lanes);
    c->order.lanes = lanes;
}

void control_order_open(struct control *c) {
    struct ensemble_order *o = &c->order;
    struct control_config config = {
        .batch = c->config.batch, .cost_unknown = true, .reference_of = c};
    o->paper = c->target->order == ORDER_PAPER;
    o->random = c->target->order_seed;
    o->in_order = c->config.reference_of != NULL;
    o->flags = xcalloc((size_t)c->package->mpus + 1, 1);
    if (o->paper && c->config.reference)
        o->reference = control_new(c->program, c->package, c->target, c->config.reference, &config);
}

void control_order_close(struct control *c) {
    control_free(c->order.reference);
    vec_free(&c->order.now);
    free(c->order.flags);
    free(c->order.lanes);
}

/* One register, or C; both machines hold zeros where nothing was put, or the same random values. */
static void hand_over(struct control *c, uint32_t vrf, unsigned reg) {
    struct datapath *from = c->dp, *to = c->config.reference;
    enum dp_what what = reg == ORDER_C ? DP_C : DP_REGISTER;
    unsigned bits = reg == ORDER_C ? 1 : c->package->reg_bits[reg];
    uint64_t values[DP_PIECE_LANES], have[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < c->order.lanes[vrf]; done += n) {
        n = dp_piece(done, c->order.lanes[vrf]);
        from->ops->get(from, vrf, what, reg, done, n, values);
        to->ops->get(to, vrf, what, reg, done, n, have);
        if (memcmp(values, have, n * sizeof *values) != 0)
            to->ops->put(to, vrf, what, reg, bits, done, n, values);
    }
}

void control_order_begin(struct control *c) {
    struct control *r = c->order.reference;
    if (!r)
        return;
    control_rounds_take(
        r, c->package); /* of this round, whose package may lie where the last one's lay */
    control_streams_open(r);
    find_lanes(c);
    uint32_t vrfs = c->package->mpus * target_vrfs_per_mpu(c->target);
    for (uint32_t v = 0; v < vrfs; v++)
        for (unsigned reg = 0; reg <= ORDER_C && c->order.lanes[v]; reg++)
            if (reg == ORDER_C || c->package->reg_bits[reg])
                hand_over(c, v, reg);
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

static size_t first_use(const struct order_table *t, uint32_t vrf) {
    size_t low = 0, high = t->uses.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->uses.data[middle].vrf < vrf)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t first_copy(const struct order_table *t, uint32_t vrf) {
    size_t low = 0, high = t->copies.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->copies.data[middle].dst_vrf < vrf)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Keeps the later of two writers that come before `before`. */
static void consider(const struct order_search *s, uint32_t item, uint32_t before,
                     uint32_t *in_text, uint32_t *in_fact) {
    if ((before == NO_INDEX || item < before) && (*in_text == NO_INDEX || item > *in_text))
        *in_text = item;
    if ((before == NO_INDEX || s->place[item] < s->place[before]) &&
        (*in_fact == NO_INDEX || s->place[item] > s->place[*in_fact]))
        *in_fact = item;
}

static void find_writers(const struct order_search *s, uint32_t vrf, unsigned reg, uint32_t before,
                         uint32_t *in_text, uint32_t *in_fact) {
    const struct order_table *t = s->t;
    *in_text = *in_fact = NO_INDEX;
    for (size_t i = first_use(t, vrf); i < t->uses.len && t->uses.data[i].vrf == vrf; i++)
        if (order_has(t->uses.data[i].writes, reg))
            consider(s, t->uses.data[i].item, before, in_text, in_fact);
    for (size_t i = first_copy(t, vrf); i < t->copies.len && t->copies.data[i].dst_vrf == vrf; i++)
        if (t->copies.data[i].dst_reg == reg)
            consider(s, t->copies.data[i].item, before, in_text, in_fact);
}

static bool search(struct order_search *s, uint32_t vrf, unsigned reg, uint32_t before,
                   struct clash *out);

/* What a computation at the VRF starts from: what it reads, then what it may leave as it was. */
static bool search_use(struct order_search *s, const struct order_use *u, struct clash *out) {
    for (unsigned reg = 0; reg <= ORDER_C; reg++)
        if (order_has(u->reads, reg) && search(s, u->vrf, reg, u->item, out))
            return true;
    for (unsigned reg = 0; reg <= ORDER_C; reg++)
        if (order_has(u->writes, reg) && search(s, u->vrf, reg, u->item, out))
            return true;
    return false;
}

static bool search_inputs(struct order_search *s, uint32_t vrf, unsigned reg, uint32_t writer,
                          struct clash *out) {
    const struct order_table *t = s->t;
    for (size_t i = first_use(t, vrf); i < t->uses.len && t->uses.data[i].vrf == vrf; i++)
        if (t->uses.data[i].item == writer && search_use(s, &t->uses.data[i], out))
            return true;
    for (size_t i = first_copy(t, vrf); i < t->copies.len && t->copies.data[i].dst_vrf == vrf;
         i++) {
        const struct order_copy *k = &t->copies.data[i];
        if (k->item == writer && k->dst_reg == reg && k->src_vrf != NO_INDEX &&
            search(s, k->src_vrf, k->src_reg, writer, out))
            return true;
    }
    return search(s, vrf, reg, writer, out);
}

/* The two of these three that changed places: the last writers of a register before `before` in the
 * text and in fact, which are not the same. */
static struct clash changed_places(const struct order_search *s, uint32_t in_text, uint32_t in_fact,
                                   uint32_t before, uint32_t vrf, unsigned reg) {
    if (before != NO_INDEX && in_fact != NO_INDEX && in_fact > before)
        return (struct clash){before, in_fact, vrf, reg};
    if (before != NO_INDEX && in_text != NO_INDEX && s->place[in_text] > s->place[before])
        return (struct clash){in_text, before, vrf, reg};
    return in_text < in_fact ? (struct clash){in_text, in_fact, vrf, reg}
                             : (struct clash){in_fact, in_text, vrf, reg};
}

/* Goes back from a register to what it was made of, until its last writers differ. */
static bool search(struct order_search *s, uint32_t vrf, unsigned reg, uint32_t before,
                   struct clash *out) {
    const uint32_t key[] = {vrf, reg, before};
    uint32_t in_text, in_fact;
    if (!map_put_n(&s->seen, (const char *)key, sizeof key, 1))
        return false;
    find_writers(s, vrf, reg, before, &in_text, &in_fact);
    if (in_text != in_fact) {
        *out = changed_places(s, in_text, in_fact, before, vrf, reg);
        return true;
    }
    return in_text != NO_INDEX && search_inputs(s, vrf, reg, in_text, out);
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
static struct order_registers written_at(const struct order_table *t, uint32_t vrf, size_t *use,
                                         size_t *copy) {
    struct order_registers all = {0, false};
    for (; *use < t->uses.len && t->uses.data[*use].vrf == vrf; ++*use) {
        all.data |= t->uses.data[*use].writes.data;
        all.c |= t->uses.data[*use].writes.c;
    }
    for (; *copy < t->copies.len && t->copies.data[*copy].dst_vrf == vrf; ++*copy)
        add_written(&all, t->copies.data[*copy].dst_reg);
    return all;
}

static bool lanes_differ(struct control *c, uint32_t vrf, unsigned reg, uint32_t first,
                         uint32_t count, struct value_difference *out) {
    struct datapath *r = c->config.reference;
    enum dp_what what = reg == ORDER_C ? DP_C : DP_REGISTER;
    uint64_t a[DP_PIECE_LANES], b[DP_PIECE_LANES];
    c->dp->ops->get(c->dp, vrf, what, reg, first, count, a);
    r->ops->get(r, vrf, what, reg, first, count, b);
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i]) {
            *out = (struct value_difference){vrf, first + i, reg, b[i], a[i]};
            return true;
        }
    return false;
}

static bool register_differs(struct control *c, uint32_t vrf, unsigned reg,
                             struct value_difference *out) {
    bool differs = false;
    if (reg != ORDER_C && !c->package->reg_bits[reg])
        return false;
    for (uint32_t done = 0, n; done < c->order.lanes[vrf] && !differs; done += n) {
        n = dp_piece(done, c->order.lanes[vrf]);
        differs = lanes_differ(c, vrf, reg, done, n, out);
    }
    return differs;
}

static bool find_difference(struct control *c, const struct order_table *t,
                            struct value_difference *out) {
    size_t use = 0, copy = 0;
    bool found = false;
    while (!found && (use < t->uses.len || copy < t->copies.len)) {
        uint32_t a = use < t->uses.len ? t->uses.data[use].vrf : NO_INDEX;
        uint32_t b = copy < t->copies.len ? t->copies.data[copy].dst_vrf : NO_INDEX;
        uint32_t vrf = a < b ? a : b;
        struct order_registers all = written_at(t, vrf, &use, &copy);
        for (unsigned reg = 0; reg <= ORDER_C && !found; reg++)
            found = order_has(all, reg) && register_differs(c, vrf, reg, out);
    }
    return found;
}

/* ---- telling ---- */

static const char *register_name(struct control *c, unsigned reg) {
    return reg == ORDER_C ? "C" : arena_printf(&c->arena, "r%u", reg);
}

static const char *vrf_name(struct control *c, uint32_t vrf) {
    uint32_t per = target_vrfs_per_mpu(c->target), rfhs = c->target->rfh_per_mpu;
    return arena_printf(&c->arena, "MPU%u.RFH%u.VRF%u", (unsigned)(vrf / per),
                        (unsigned)(vrf % per % rfhs), (unsigned)(vrf % per / rfhs));
}

static bool item_does(const struct order_table *t, uint32_t item, uint32_t vrf, unsigned reg,
                      bool write) {
    for (size_t i = first_use(t, vrf); i < t->uses.len && t->uses.data[i].vrf == vrf; i++)
        if (t->uses.data[i].item == item &&
            order_has(write ? t->uses.data[i].writes : t->uses.data[i].reads, reg))
            return true;
    for (size_t i = 0; i < t->copies.len; i++) {
        const struct order_copy *k = &t->copies.data[i];
        if (k->item == item && (write ? k->dst_vrf == vrf && k->dst_reg == reg
                                      : k->src_vrf == vrf && k->src_reg == reg))
            return true;
    }
    return false;
}

static void note_ensemble(struct control *c, const struct order_table *t, const struct clash *x,
                          uint32_t item, const char *order) {
    bool reads = item_does(t, item, x->vrf, x->reg, false);
    bool writes = item_does(t, item, x->vrf, x->reg, true);
    struct control_note note = {c->order.now.data[item].pc, NULL};
    note.text =
        arena_printf(&c->arena, "%s in program order: the ensemble at instruction %u %s %s of %s",
                     order, (unsigned)note.index,
                     reads && writes ? "reads and writes"
                     : writes        ? "writes"
                                     : "reads",
                     register_name(c, x->reg), vrf_name(c, x->vrf));
    vec_push(&c->notes, note);
}

static bool tell(struct control *c, const struct order_table *t, const struct value_difference *x) {
    struct order_search s = {.o = &c->order, .t = t};
    struct clash clash;
    for (uint32_t i = 0; i < c->order.now.len; i++)
        s.place[c->order.sequence[i]] = i;
    bool found = search(&s, x->vrf, x->reg, NO_INDEX, &clash);
    uint32_t at = c->order.now.data[found ? clash.b : 0].pc;
    control_stop(c, CONTROL_DIFFERS, STOP_AT(at),
                 "%s of %s, lane %u, depends on the order of ensembles: it is %" PRIu64
                 " in program order, and %" PRIu64
                 " in another that the paper allows (control.order_seed %" PRIu64 ")",
                 register_name(c, x->reg), vrf_name(c, x->vrf), (unsigned)x->lane, x->in_text,
                 x->in_fact, c->target->order_seed);
    if (found) {
        note_ensemble(c, t, &clash, clash.a, "first");
        note_ensemble(c, t, &clash, clash.b, "later");
    }
    struct control_note remedy = {NO_INDEX, "MPU_SYNC between them keeps them in this order"};
    vec_push(&c->notes, remedy);
    map_free(&s.seen);
    return false;
}

static bool compare_stretch(struct control *c) {
    struct order_table t = {0};
    struct value_difference x;
    for (uint32_t i = 0; i < c->order.now.len; i++)
        control_order_table_add(c, i, &t);
    control_order_table_sort(&t);
    bool same = !find_difference(c, &t, &x) || tell(c, &t, &x);
    control_order_table_free(&t);
    return same;
}

/* The streams stand where the reference's do.  They can part only where the way through the text
 * was taken from what differs. */
static bool still_together(struct control *c) {
    const struct control *r = c->order.reference;
    bool same = c->streams.len == r->streams.len;
    for (size_t i = 0; same && i < c->streams.len; i++) {
        const struct stream *a = c->streams.data[i], *b = r->streams.data[i];
        same = a->count == b->count && a->mpus[0] == b->mpus[0] && a->flow.pc == b->flow.pc &&
               a->state == b->state;
    }
    return same || control_stop(c, CONTROL_DIFFERS, STOP_AT(c->top.pc),
                                "the way that the program takes depends on the order of ensembles "
                                "(control.order_seed %" PRIu64 ")",
                                c->target->order_seed);
}

bool control_order_follow(struct control *c) {
    struct control *r = c->order.reference;
    if (!r)
        return true;
    if (!control_streams_turn(r))
        return control_stop(c, CONTROL_STOPPED, STOP_AT(r->index), "in program order: %s",
                            control_message(r));
    bool same = !c->order.carried_out || compare_stretch(c);
    c->order.carried_out = false;
    return same && still_together(c);
}
