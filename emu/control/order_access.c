/* SPDX-License-Identifier: MIT
 * Which registers of which VRFs an ensemble may read and write on any way through its text. */
#include "emu/control/state.h"
#include "support/alloc.h"

#include <stdlib.h>

/* ---- a body, its subroutines included ---- */

typedef VEC(uint32_t) indices;

static void add_index(void *context, const struct text *text, uint32_t index) {
    (void)text;
    indices *all = context;
    vec_push(all, index);
}

/* All instructions of the body, each once, in no particular order; to be freed. */
static uint32_t *instructions_of(const struct text *text, uint32_t body, size_t *count) {
    uint8_t *seen = xcalloc((size_t)text->len + 1, 1);
    indices all = {0};
    object_text_visit_body(text, body, seen, add_index, &all);
    free(seen);
    *count = all.len;
    return all.data;
}

/* ---- compute ensembles ---- */

static void add_registers(uint64_t *data, const struct insn *insn, bool rs, bool rt, bool rd) {
    *data |= rs ? UINT64_C(1) << insn->rs : 0;
    *data |= rt ? UINT64_C(1) << insn->rt : 0;
    *data |= rd ? UINT64_C(1) << insn->rd : 0;
}

/* A user instruction may do anything with its operands; what a recipe says is not looked at. */
static void add_insn(const struct control *control, const struct insn *insn,
                     struct order_use *use) {
    uint32_t f = insn_flags(insn);
    const struct debug_record *r =
        insn->op == OP_PRINT ? control_debug_record_of(control, (uint32_t)insn->imm) : NULL;
    if (f & ISA_USER)
        f |=
            READS_RS | READS_RT | READS_RD | READS_C | WRITES_RS | WRITES_RT | WRITES_RD | WRITES_C;
    add_registers(&use->reads.data, insn, f & READS_RS, f & READS_RT, f & READS_RD);
    add_registers(&use->writes.data, insn, f & WRITES_RS, f & WRITES_RT, f & WRITES_RD);
    use->reads.c |= (f & READS_C) != 0 || insn->op == OP_ASSERT;
    use->writes.c |= (f & WRITES_C) != 0;
    if (r)
        use->reads.data |= UINT64_C(1) << r->reg;
}

static bool in_stream(const struct control *control, uint32_t mpu) {
    return control_stream_of(control, mpu) == control->now;
}

static void add_compute(struct control *control, uint32_t item, struct order_table *table) {
    const struct order_item *it = &control->order.now.data[item];
    struct arena arena = {0};
    struct ensemble_maker maker = control->bodies.maker;
    struct order_use u = {.item = item};
    const char *error;
    size_t count;
    uint32_t *body = instructions_of(&control->text, it->body, &count);
    for (size_t i = 0; i < count; i++)
        add_insn(control, &control->text.insns[body[i]], &u);
    free(body);
    maker.arena = &arena;
    const struct ensemble *e =
        control_ensemble_make(&maker, &control->text.insns[it->pc], it->body - it->pc, &error);
    for (uint32_t i = 0; e && i < e->count; i++) {
        u.vrf = e->vrfs[i];
        if (in_stream(control, u.vrf / target_vrfs_per_mpu(control->target)))
            vec_push(&table->uses, u);
    }
    arena_free(&arena);
}

/* ---- transfers ---- */

static void add_pair(struct control *control, uint32_t item, const struct insn *pair,
                     const struct insn *insn, struct order_table *table) {
    for (uint32_t i = 0; i < control->now->count; i++) {
        uint32_t mpu = control->now->mpus[i];
        if (mpu - control->package->image_first >= control->package->image_count)
            continue;
        struct order_copy k = {.dst_vrf = control_fixed_vrf_number(&control->bodies.maker, mpu,
                                                                   pair->vrf, insn->vrf_dst),
                               .src_vrf = control_fixed_vrf_number(&control->bodies.maker, mpu,
                                                                   pair->rfh, insn->vrf_src),
                               .item = item,
                               .dst_reg = insn->rd,
                               .src_reg = insn->rs};
        if (k.dst_vrf != NO_INDEX)
            vec_push(&table->copies, k);
    }
}

static void add_transfer(struct control *control, uint32_t item, struct order_table *table) {
    const struct order_item *it = &control->order.now.data[item];
    size_t count;
    uint32_t *body = instructions_of(&control->text, it->body, &count);
    for (size_t i = 0; i < count; i++) {
        const struct insn *x = &control->text.insns[body[i]];
        bool copies = x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_M;
        for (uint32_t pair = it->pc; copies && pair < it->body; pair++)
            add_pair(control, item, &control->text.insns[pair], x, table);
    }
    free(body);
}

static bool same_copy(const struct order_copy *left, const struct order_copy *right) {
    return left->dst_vrf == right->dst_vrf && left->item == right->item &&
           left->src_vrf == right->src_vrf && left->dst_reg == right->dst_reg &&
           left->src_reg == right->src_reg;
}

static void add_move(struct control *control, uint32_t item, struct order_table *table) {
    const struct order_item *it = &control->order.now.data[item];
    const struct gmove_meeting at = control_gmove_meeting_in(control, &it->frame, it->pc);
    const struct move_work *w = control_gmove_work(control, &at);
    struct move_part part = {0};
    while (w && package_move_next_part(w, &part))
        for (size_t i = 0; i < part.count; i++) {
            const struct move_copy *x = &part.copies[i];
            struct order_copy k = {x->dst_vrf, item, x->fill ? NO_INDEX : x->src_vrf, x->dst_reg,
                                   x->src_reg};
            if (!table->copies.len || !same_copy(&vec_last(&table->copies), &k))
                vec_push(&table->copies, k);
        }
}

/* ---- the table ---- */

void control_order_table_add(struct control *control, uint32_t item, struct order_table *table) {
    switch (control->order.now.data[item].kind) {
    case ORDER_COMPUTE:
        add_compute(control, item, table);
        break;
    case ORDER_TRANSFER:
        add_transfer(control, item, table);
        break;
    case ORDER_MOVE:
        add_move(control, item, table);
        break;
    }
}

static int by_use(const void *left, const void *right) {
    const struct order_use *a = left, *b = right;
    if (a->vrf != b->vrf)
        return a->vrf < b->vrf ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static int by_copy(const void *left, const void *right) {
    const struct order_copy *a = left, *b = right;
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

void control_order_table_sort(struct order_table *table) {
    if (table->uses.len)
        qsort(table->uses.data, table->uses.len, sizeof *table->uses.data, by_use);
    if (table->copies.len)
        qsort(table->copies.data, table->copies.len, sizeof *table->copies.data, by_copy);
}

void control_order_table_free(struct order_table *table) {
    vec_free(&table->uses);
    vec_free(&table->copies);
}
