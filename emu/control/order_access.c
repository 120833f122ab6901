/* SPDX-License-Identifier: MIT
 * Which registers of which VRFs an ensemble may read and write: from its text, whichever way
 * through it is taken. */
#include "emu/control/state.h"
#include "support/alloc.h"

#include <stdlib.h>

/* ---- a body, its subroutines included ---- */

typedef VEC(uint32_t) indices;

static void add_index(void *context, const struct text *t, uint32_t index) {
    (void)t;
    indices *all = context;
    vec_push(all, index);
}

/* All instructions of the body, each once, in no particular order; to be freed. */
static uint32_t *instructions_of(const struct text *t, uint32_t body, size_t *count) {
    uint8_t *seen = xcalloc((size_t)t->len + 1, 1);
    indices all = {0};
    object_text_visit_body(t, body, seen, add_index, &all);
    free(seen);
    *count = all.len;
    return all.data;
}

/* ---- compute ensembles ---- */

static void add_registers(uint64_t *data, const struct insn *x, bool rs, bool rt, bool rd) {
    *data |= rs ? UINT64_C(1) << x->rs : 0;
    *data |= rt ? UINT64_C(1) << x->rt : 0;
    *data |= rd ? UINT64_C(1) << x->rd : 0;
}

/* A user instruction may do anything with its operands; what a recipe says is not looked at. */
static void add_insn(const struct control *c, const struct insn *x, struct order_use *u) {
    uint32_t f = insn_flags(x);
    const struct debug_record *r =
        x->op == OP_PRINT ? control_debug_record_of(c, (uint32_t)x->imm) : NULL;
    if (f & ISA_USER)
        f |=
            READS_RS | READS_RT | READS_RD | READS_C | WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C;
    add_registers(&u->reads.data, x, f & READS_RS, f & READS_RT, f & READS_RD);
    add_registers(&u->writes.data, x, f & WRITES_RS, f & WRITES_RT, f & WRITES_RD);
    u->reads.c |= (f & READS_C) != 0 || x->op == OP_ASSERT;
    u->writes.c |= (f & WRITES_C) != 0;
    if (r)
        u->reads.data |= UINT64_C(1) << r->reg;
}

static bool in_stream(const struct control *c, uint32_t mpu) {
    return control_stream_of(c, mpu) == c->now;
}

static void add_compute(struct control *c, uint32_t item, struct order_table *t) {
    const struct order_item *it = &c->order.now.data[item];
    struct arena arena = {0};
    struct ensemble_maker maker = c->maker;
    struct order_use u = {.item = item};
    const char *error;
    size_t count;
    uint32_t *body = instructions_of(&c->text, it->body, &count);
    for (size_t i = 0; i < count; i++)
        add_insn(c, &c->text.insns[body[i]], &u);
    free(body);
    maker.arena = &arena;
    const struct ensemble *e =
        control_ensemble_make(&maker, &c->text.insns[it->pc], it->body - it->pc, &error);
    for (uint32_t i = 0; e && i < e->count; i++) {
        u.vrf = e->vrfs[i];
        if (in_stream(c, u.vrf / target_vrfs_per_mpu(c->target)))
            vec_push(&t->uses, u);
    }
    arena_free(&arena);
}

/* ---- transfers ---- */

static void add_pair(struct control *c, uint32_t item, const struct insn *pair,
                     const struct insn *x, struct order_table *t) {
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint32_t mpu = c->now->mpus[i];
        if (mpu - c->package->image_first >= c->package->image_count)
            continue;
        struct order_copy k = {
            .dst_vrf = control_fixed_vrf_number(&c->maker, mpu, pair->vrf, x->vrf_dst),
            .src_vrf = control_fixed_vrf_number(&c->maker, mpu, pair->rfh, x->vrf_src),
            .item = item,
            .dst_reg = x->rd,
            .src_reg = x->rs};
        if (k.dst_vrf != NO_INDEX)
            vec_push(&t->copies, k);
    }
}

static void add_transfer(struct control *c, uint32_t item, struct order_table *t) {
    const struct order_item *it = &c->order.now.data[item];
    size_t count;
    uint32_t *body = instructions_of(&c->text, it->body, &count);
    for (size_t i = 0; i < count; i++) {
        const struct insn *x = &c->text.insns[body[i]];
        bool copies = x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_M;
        for (uint32_t pair = it->pc; copies && pair < it->body; pair++)
            add_pair(c, item, &c->text.insns[pair], x, t);
    }
    free(body);
}

static bool same_copy(const struct order_copy *a, const struct order_copy *b) {
    return a->dst_vrf == b->dst_vrf && a->item == b->item && a->src_vrf == b->src_vrf &&
           a->dst_reg == b->dst_reg && a->src_reg == b->src_reg;
}

static void add_move(struct control *c, uint32_t item, struct order_table *t) {
    const struct order_item *it = &c->order.now.data[item];
    const struct gmove_meeting at = control_gmove_meeting_in(c, &it->frame, it->pc);
    const struct move_work *w = control_gmove_work(c, &at);
    struct move_part part = {0};
    while (w && package_move_next_part(w, &part))
        for (size_t i = 0; i < part.count; i++) {
            const struct move_copy *x = &part.copies[i];
            struct order_copy k = {x->dst_vrf, item, x->fill ? NO_INDEX : x->src_vrf, x->dst_reg,
                                   x->src_reg};
            if (!t->copies.len || !same_copy(&vec_last(&t->copies), &k))
                vec_push(&t->copies, k);
        }
}

/* ---- the table ---- */

void control_order_table_add(struct control *c, uint32_t item, struct order_table *t) {
    switch (c->order.now.data[item].kind) {
    case ORDER_COMPUTE:
        add_compute(c, item, t);
        break;
    case ORDER_TRANSFER:
        add_transfer(c, item, t);
        break;
    case ORDER_MOVE:
        add_move(c, item, t);
        break;
    }
}

static int by_use(const void *x, const void *y) {
    const struct order_use *a = x, *b = y;
    if (a->vrf != b->vrf)
        return a->vrf < b->vrf ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static int by_copy(const void *x, const void *y) {
    const struct order_copy *a = x, *b = y;
    const uint32_t keys[][2] = {{a->dst_vrf, b->dst_vrf},
                                {a->item, b->item},
                                {a->dst_reg, b->dst_reg},
                                {a->src_vrf, b->src_vrf},
                                {a->src_reg, b->src_reg}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

void control_order_table_sort(struct order_table *t) {
    if (t->uses.len)
        qsort(t->uses.data, t->uses.len, sizeof *t->uses.data, by_use);
    if (t->copies.len)
        qsort(t->copies.data, t->copies.len, sizeof *t->copies.data, by_copy);
}

void control_order_table_free(struct order_table *t) {
    vec_free(&t->uses);
    vec_free(&t->copies);
}
