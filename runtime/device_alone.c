/* SPDX-License-Identifier: MIT
 * Nodes that are programs of their own: that they are carried out. */
#include "runtime/device_alone.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void widen(unsigned *slot, unsigned other) {
    *slot = other > *slot ? other : *slot;
}

/* That an operand lies in, or will; 0: it is nowhere yet. */
static unsigned slot_of(const struct device_value *value) {
    return !value                           ? 0
           : value->state == VALUE_PLACED   ? value->slab->slot
           : value->state == VALUE_RECORDED ? value->slot
                                            : 0;
}

unsigned device_node_slot(const struct device_value *value) {
    const mpu_device *d = value->device;
    const struct device_node *node = value->node;
    unsigned own = device_type_slot(d, value->type), best = 0;
    widen(&own, device_type_slot(d, node->type));
    for (uint32_t k = 0; k < node->count; k++)
        if (node->operands[k].v)
            widen(&own, device_type_slot(d, node->operands[k].v->type));
    for (uint32_t k = 0; k < node->count; k++) {
        unsigned slot = slot_of(node->operands[k].v);
        if (slot >= own && (!best || slot < best))
            best = slot;
    }
    return best ? best : own;
}

/* Of all elements those of the range count: where it begins, and how many they are. */
static void push_range(struct alone *alone) {
    const struct device_node *node = alone->value->node;
    const struct lane_type type = device_range_type(alone->source->n);
    vec_push(&alone->g.scalars, ((struct graph_scalar){type, node->first}));
    vec_push(&alone->g.scalars, ((struct graph_scalar){type, node->length}));
}

void device_alone_open(struct alone *alone, uint64_t segment) {
    const struct device_node *node = alone->value->node;
    segment = node->ranged ? alone->source->n : segment;
    alone->g = (struct device_graph){.n = alone->source->n,
                                     .slot = device_node_slot(alone->value),
                                     .alone = node,
                                     .result = alone->value->type,
                                     .result_n = alone->value->n,
                                     .segment = segment,
                                     .outputs = 1};
    if (node->kind == NODE_FOLD)
        alone->g.result_n = alone->source->n / segment;
    alone->g.apart = alone->right || alone->g.result_n != alone->g.n;
    alone->g.lanes = alone->elsewhere.there ? device_alone_lanes(node, alone->g.n) : 0;
    vec_push(&alone->g.inputs, alone->source->type);
    if (node->ranged)
        push_range(alone);
    if (alone->right)
        vec_push(&alone->g.inputs, alone->right->type);
}

void device_alone_close(struct alone *alone) {
    vec_free(&alone->g.inputs);
    vec_free(&alone->g.scalars);
}

/* The slab of an operand, which lies there from now on; NULL: it lies in chunks, or nowhere. */
static struct device_slab *bring(struct alone *alone, struct device_value *operand) {
    mpu_device *d = alone->d;
    unsigned slot = alone->g.slot;
    uint64_t rows = machine_room_rows(&d->rooms[slot], operand->type.bits);
    if (operand->state != VALUE_PLACED || operand->slab->slot != slot) {
        struct device_slab *slab = device_find_room(d, operand->n, slot, rows, NULL, alone->quiet);
        if (!slab || slab->chunks > 1)
            return NULL;
        device_value_bring(operand, slab);
    }
    return operand->slab->chunks == 1 ? operand->slab : NULL;
}

/* A slab in one piece with room for a vector of so many elements; NULL: there is none. */
static struct device_slab *slab_for(struct alone *alone, uint64_t n) {
    mpu_device *d = alone->d;
    unsigned slot = alone->g.slot;
    uint64_t rows = machine_room_rows(&d->rooms[slot], alone->g.result.bits);
    struct device_slab *slab = device_find_room(d, n, slot, rows, NULL, alone->quiet);
    return slab && slab->chunks == 1 ? slab : NULL;
}

/* The slabs of its place stay while others are looked for. */
static void hold(struct alone *alone, bool held) {
    for (unsigned g = 0; g < DEVICE_GROUPS; g++)
        if (alone->place.slabs[g])
            alone->place.slabs[g]->held = held;
}

/* The VRFs of one are the first ones of the other. */
static bool lies_within(const struct device_slab *slab, const struct device_slab *other) {
    return slab && other && slab != other && slab->bank == other->bank && slab->n < other->n &&
           slab->row_count <= other->row_count &&
           memcmp(slab->rows, other->rows, slab->row_count * sizeof *slab->rows) == 0;
}

/* Not of what is sorted elsewhere, which has as many elements. */
static void note_within(struct alone *alone) {
    for (unsigned g = AT_RESULT; g < DEVICE_GROUPS; g++)
        alone->g.within[g] = alone->value->node->kind != NODE_MOVE &&
                             lies_within(alone->place.slabs[g], alone->place.slabs[AT_INPUT]);
}

/* Operands lie on the machine at once, and the result may. */
static bool find_places(struct alone *alone) {
    struct device_slab **slabs = alone->place.slabs;
    uint64_t row_lanes = device_row_lanes(alone->d, alone->g.slot);
    alone->place = (struct device_place){{NULL}};
    alone->g.block_lanes = alone->right ? device_product_lanes(alone->value->node, row_lanes) : 0;
    slabs[AT_INPUT] = bring(alone, alone->source);
    if (alone->right)
        slabs[AT_RIGHT] = bring(alone, alone->right);
    if (alone->g.apart)
        slabs[AT_RESULT] = slab_for(alone, alone->g.result_n);
    hold(alone, true);
    if (alone->g.block_lanes)
        slabs[AT_BLOCKS] = slab_for(alone, alone->g.block_lanes);
    if (alone->g.lanes)
        slabs[AT_ELSEWHERE] = device_slab_apart(alone->d, alone->g.lanes, alone->g.slot,
                                                alone->elsewhere.place, alone->elsewhere.mpus);
    note_within(alone);
    return slabs[AT_INPUT] && (!alone->right || slabs[AT_RIGHT]) &&
           (!alone->g.apart || slabs[AT_RESULT]) && (!alone->g.block_lanes || slabs[AT_BLOCKS]) &&
           (!alone->g.lanes || slabs[AT_ELSEWHERE]);
}

static void pin(struct alone *alone, bool pinned) {
    alone->source->pinned = pinned;
    if (alone->right)
        alone->right->pinned = pinned;
}

/* True if the rows of the program are free in all slabs, without their moving. */
static bool has_rows(struct alone *alone) {
    for (unsigned g = 0; g < DEVICE_GROUPS; g++) {
        struct device_slab *s = alone->place.slabs[g];
        uint64_t rows = s ? device_program_rows(alone->program, s->bank->room, 1) : 0;
        if (s && device_find_room(alone->d, s->n, s->slot, rows, s, alone->quiet) != s)
            return false;
    }
    return true;
}

static bool find_in_slot(struct alone *alone) {
    alone->d->needs_slot = 0;
    bool found = find_places(alone);
    alone->program =
        found ? device_program_get(alone->d, &alone->g, &alone->place, alone->quiet) : NULL;
    found = alone->program && has_rows(alone);
    hold(alone, false);
    return found;
}

bool device_alone_find(struct alone *alone) {
    pin(alone, true);
    bool found = find_in_slot(alone);
    while (!found && alone->d->needs_slot > alone->g.slot) {
        alone->g.slot = alone->d->needs_slot;
        found = find_in_slot(alone);
    }
    pin(alone, false);
    return found;
}

static struct device_slab *result_slab(const struct alone *alone) {
    return alone->place.slabs[alone->g.apart ? AT_RESULT : AT_INPUT];
}

/* Where its output begins: bits that nothing else has in any of the slabs, since registers of
 * temporaries in the others may be the output's. */
static uint32_t take_output(const struct alone *alone, unsigned bits) {
    const struct device_banks all = device_place_banks(&alone->place);
    return device_banks_take(alone->d, &all, bits);
}

/* From now on it lies in its own slab alone. */
static void keep_output(const struct alone *alone, uint32_t first, unsigned bits) {
    const struct device_banks all = device_place_banks(&alone->place);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i] != result_slab(alone)->bank)
            device_bank_give(all.items[i], first, bits);
}

/* Runs it; **first, which is to be freed if there is no error: where its result begins. */
static mpu_result run_program(struct alone *alone, uint32_t **first, struct diag *diag) {
    struct device_slab *to = result_slab(alone);
    uint32_t at[3], out = (uint32_t)alone->g.inputs.len;
    unsigned bits = device_program_bits(alone->program, out);
    at[0] = alone->source->first[0];
    if (alone->right)
        at[1] = alone->right->first[0];
    at[out] = take_output(alone, bits);
    mpu_result r = device_program_run(alone->d, alone->program, &alone->g, &alone->place, at, diag);
    keep_output(alone, at[out], bits);
    device_bank_shrink(to->bank, at[out], bits, alone->g.result.bits);
    device_value_touch(alone->source);
    if (alone->right)
        device_value_touch(alone->right);
    if (r != MPU_OK) {
        device_bank_give(to->bank, at[out], alone->g.result.bits);
        return r;
    }
    *first = xcalloc(1, sizeof **first);
    **first = at[out];
    return MPU_OK;
}

static mpu_result run_on_machine(struct alone *alone, struct diag *diag) {
    uint32_t *first;
    mpu_result r = run_program(alone, &first, diag);
    if (r != MPU_OK)
        return r;
    struct device_node *node = device_take_node(alone->value);
    device_value_settle(alone->value, result_slab(alone), first);
    device_drop_node(node);
    alone->d->counts.operations++;
    return MPU_OK;
}

/* Folds parts of segments on the machine, and what is left on the host. */
static mpu_result run_in_part(struct alone *alone, struct diag *diag) {
    uint32_t *first;
    mpu_result r = run_program(alone, &first, diag);
    if (r != MPU_OK)
        return r;
    struct device_value *partials =
        device_value_new(alone->d, alone->g.result, alone->g.result_n, VALUE_ZERO);
    device_value_settle(partials, result_slab(alone), first);
    r = device_fold_partials(alone->value, partials, diag);
    device_value_drop(partials);
    return r;
}

/* ---- all of it ---- */

static mpu_result carry_out(struct alone *alone, struct diag *diag);

/* Folds what was moved out of the range to the front of VRFs of its own; that is a part of the
 * fold. */
static mpu_result fold_moved(struct alone *alone, struct diag *diag) {
    struct device_node *node = alone->value->node;
    struct device_value *part = device_record_part(alone->source, node->first, node->length);
    mpu_result r = device_run_alone(part, diag);
    if (r != MPU_OK) {
        device_value_drop(part);
        return r;
    }
    alone->d->counts.operations--;
    device_value_drop(node->operands[0].v);
    node->operands[0].v = alone->source = part;
    node->ranged = false;
    node->first = 0;
    return carry_out(alone, diag);
}

static mpu_result carry_out(struct alone *alone, struct diag *diag) {
    const struct device_node *node = alone->value->node;
    if (node->ranged && !device_alone_masks(node) && !device_alone_reads_part(alone))
        return fold_moved(alone, diag);
    enum node_kind kind = node->kind;
    enum node_way way = device_alone_way(alone);
    bool part = way == WAY_PARTIAL;
    mpu_result r;
    device_alone_open(alone, part ? device_alone_part(alone) : node->segment);
    if (way != WAY_HOST && !device_alone_find(alone))
        way = WAY_HOST;
    alone->d->counts.alone[kind][way]++;
    r = way == WAY_HOST      ? device_run_on_host(alone->value, diag)
        : way == WAY_PARTIAL ? run_in_part(alone, diag)
                             : run_on_machine(alone, diag);
    device_alone_close(alone);
    return r;
}

/* What was put lies on the machine, whoever reads it. */
static mpu_result bring_puts(const struct device_node *node, struct diag *diag) {
    for (uint32_t k = 0; k < node->count; k++) {
        struct device_value *v = node->operands[k].v;
        struct device_slab *slab = v && v->waits ? device_room_for(v, diag) : NULL;
        if (slab)
            device_value_bring(v, slab);
        else if (v && v->waits)
            return MPU_CAPACITY;
    }
    return MPU_OK;
}

mpu_result device_run_alone(struct device_value *value, struct diag *diag) {
    struct alone a = {.d = value->device,
                      .value = value,
                      .source = value->node->operands[0].v,
                      .right = value->node->count > 1 ? value->node->operands[1].v : NULL,
                      .quiet = diag_new(NULL, NULL)};
    device_programs_trim(a.d);
    mpu_result r = bring_puts(value->node, diag);
    r = r == MPU_OK ? carry_out(&a, diag) : r;
    diag_free(a.quiet);
    return r;
}

/* ---- from slab to slab ---- */

/* Moves a placed value to another slab, on the machine; false: it is where it was. */
static bool copy_to(struct device_value *value, struct device_slab *slab) {
    const struct device_node node = {.kind = NODE_MOVE,
                                     .op = MPU_OP_COPY,
                                     .type = value->type,
                                     .ndim = 1,
                                     .dims = {{value->n, 1}}};
    struct alone a = {.d = value->device,
                      .source = value,
                      .g = {.n = value->n,
                            .alone = &node,
                            .result = value->type,
                            .result_n = value->n,
                            .apart = true,
                            .outputs = 1},
                      .place = {{value->slab, slab}},
                      .quiet = diag_new(NULL, NULL)};
    uint32_t *first = NULL;
    vec_push(&a.g.inputs, value->type);
    if (value->slab->chunks == 1 && slab->chunks == 1)
        a.program = device_program_get(a.d, &a.g, &a.place, a.quiet);
    bool done = a.program && run_program(&a, &first, a.quiet) == MPU_OK;
    if (done) {
        device_value_unplace(value);
        device_value_settle(value, slab, first);
    }
    device_alone_close(&a);
    diag_free(a.quiet);
    return done;
}

void device_value_bring(struct device_value *value, struct device_slab *slab) {
    mpu_device *d = value->device;
    if (value->state == VALUE_PLACED && value->slab == slab)
        return;
    if (value->state == VALUE_PLACED) {
        d->counts.slab_copies++;
        if (copy_to(value, slab))
            return;
        device_value_to_host(value);
    } else if (value->state == VALUE_ON_HOST) {
        d->counts.restores += !value->waits;
    }
    bool zero = value->state == VALUE_ZERO;
    unsigned char *data = zero ? xcalloc(value->n, device_type_bytes(value->type)) : value->host;
    device_value_place(value, slab);
    device_transfer(value, 0, value->n, data, true);
    free(data);
    value->host = NULL;
    if (!value->waits)
        return;
    device_value_wait_ends(value);
    device_label_charge(d, value->label);
}
