/* SPDX-License-Identifier: MIT
 * Nodes that are programs of their own: where they are carried out. */
#include "runtime/device_alone.h"

#include "emu/place/place.h"
#include "ezpim/array/sort.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/saturate.h"

uint64_t device_alone_lanes(const struct device_node *node, uint64_t n) {
    return n / node->segment << array_sort_levels(node->segment);
}

/* ---- which way ---- */

uint64_t device_alone_part(const struct alone *alone) {
    const struct device_node *node = alone->value->node;
    uint32_t lanes = alone->d->rooms[device_node_slot(alone->value)].lanes;
    uint64_t part = node->segment & (0 - node->segment);
    if (device_gives_place(node->op))
        return 1;
    while (part > lanes)
        part /= 2;
    return part < node->segment ? part : 1;
}

struct fold_costs {
    uint64_t ps[WAYS];
    bool known[WAYS];
};

static void cost_of_machine(struct alone *alone, struct fold_costs *costs) {
    device_alone_open(alone, alone->value->node->segment);
    costs->known[WAY_MACHINE] =
        device_alone_find(alone) &&
        device_program_time(alone->d, alone->program, &costs->ps[WAY_MACHINE]);
    device_alone_close(alone);
}

static void cost_in_part(struct alone *alone, uint64_t part, struct fold_costs *costs) {
    uint64_t ps;
    if (part == 1)
        return;
    device_alone_open(alone, part);
    if (device_alone_find(alone) && device_program_time(alone->d, alone->program, &ps)) {
        uint64_t link =
            sat_add(device_link_ps(alone->d, alone->g.result_n, alone->g.result,
                                   alone->place.slabs[AT_RESULT], false),
                    device_link_ps(alone->d, alone->value->n, alone->value->type, NULL, true));
        costs->ps[WAY_PARTIAL] = sat_add(ps, link);
        costs->known[WAY_PARTIAL] = true;
    }
    device_alone_close(alone);
}

/* What is read, and the result on its way back. */
static uint64_t host_ps(const struct alone *alone) {
    const struct device_value *s = alone->source;
    const uint64_t n = device_node_length(alone->value->node, s->n);
    return sat_add(device_link_ps(alone->d, n, s->type, s->slab, false),
                   device_link_ps(alone->d, alone->value->n, alone->value->type, NULL, true));
}

static void cost_of_host(const struct alone *alone, struct fold_costs *costs) {
    costs->ps[WAY_HOST] = host_ps(alone);
    costs->known[WAY_HOST] = alone->d->costs_known;
}

/* The cheapest; where nobody knows, the machine. */
static enum node_way cheapest(struct alone *alone) {
    struct fold_costs costs = {{0}, {0}};
    enum node_way best = WAY_MACHINE;
    uint64_t least = UINT64_MAX;
    bool asked = alone->d->finish == FINISH_HOST;
    if (alone->d->finish == FINISH_DEVICE || !alone->d->costs_known)
        return WAY_MACHINE;
    if (!asked)
        cost_of_machine(alone, &costs);
    if (alone->value->node->kind == NODE_FOLD)
        cost_in_part(alone, device_alone_part(alone), &costs);
    cost_of_host(alone, &costs);
    for (unsigned w = 0; w < WAYS; w++)
        if (costs.known[w] && costs.ps[w] < least) {
            least = costs.ps[w];
            best = (enum node_way)w;
        }
    return best;
}

/* ---- on which VRFs ---- */

static bool in_one_mpu(const mpu_device *device, const struct device_slab *slab) {
    uint32_t rows = device->target->vrf_per_rfh;
    return slab->rows[0] / rows == slab->rows[slab->row_count - 1] / rows;
}

/* Where it would lie as a program of its own: `auto` has the fewest MPUs that are worth anything.
 */
static void choose_place(struct alone *alone, struct elsewhere *place) {
    mpu_device *d = alone->d;
    struct object *o = device_compile(d, &alone->g, false, alone->quiet);
    struct package *p =
        o ? place_groups(o, d->target, d->library, NULL, 0, PLACE_AUTO, NULL, alone->quiet) : NULL;
    if (p)
        *place = (struct elsewhere){true, p->place.chosen, p->place.mpus};
    package_free(p);
    object_free(o);
}

/* With the moves there and back; false: nobody knows. */
static bool time_there(struct alone *alone, const struct elsewhere *place, uint64_t *ps) {
    alone->elsewhere = *place;
    device_alone_open(alone, alone->value->node->segment);
    bool known = device_alone_find(alone) && device_program_time(alone->d, alone->program, ps);
    device_alone_close(alone);
    return known;
}

/* The way there is shorter to more MPUs, as long as these have rows of it. */
static void try_places(struct alone *alone, struct elsewhere place, struct elsewhere *best,
                       uint64_t least) {
    const mpu_device *d = alone->d;
    uint64_t rows = ceil_div(device_alone_lanes(alone->value->node, alone->source->n),
                             device_row_lanes(d, alone->g.slot));
    uint32_t most = rows < d->target->mpus ? (uint32_t)rows : d->target->mpus;
    uint32_t mpus = place.mpus ? place.mpus : place.place == PLACE_PACKED ? 1 : most;
    for (uint64_t ps;;) {
        if (time_there(alone, &place, &ps) && ps < least) {
            least = ps;
            *best = place;
        }
        if (mpus >= most)
            return;
        mpus = mpus > most / 2 ? most : 2 * mpus;
        place = (struct elsewhere){true, PLACE_SPREAD, mpus};
    }
}

/* In place, or where it takes less time.  What has no room in place has to go, and what nobody
 * knows the time of stays. */
static void choose_elsewhere(struct alone *alone) {
    mpu_device *d = alone->d;
    uint64_t here = UINT64_MAX;
    struct elsewhere first = {true, device_vectors_place(d), 0}, best = {false, PLACE_PACKED, 0};
    bool choice = d->place == PLACE_AUTO && d->costs_known;
    device_alone_open(alone, alone->value->node->segment);
    bool found = device_alone_find(alone);
    choice &= !found || (!in_one_mpu(d, alone->place.slabs[AT_INPUT]) &&
                         device_program_time(d, alone->program, &here));
    best = found ? best : first;
    if (choice)
        choose_place(alone, &first);
    device_alone_close(alone);
    if (choice)
        try_places(alone, first, &best, here);
    alone->elsewhere = best;
}

static uint64_t number_of(const struct elsewhere *elsewhere) {
    return (uint64_t)elsewhere->mpus << 8 | (uint64_t)elsewhere->place << 1 | elsewhere->there;
}

static struct elsewhere of_number(uint64_t number) {
    return (struct elsewhere){number & 1, (enum group_place)(number >> 1 & 0x7f),
                              (uint32_t)(number >> 8)};
}

/* ---- ranges ---- */

bool device_alone_masks(const struct device_node *node) {
    const bool ordered =
        object_type_is_float(node->type) && (node->op == MPU_OP_ADD || node->op == MPU_OP_MUL);
    return node->ranged && node->segment == node->length && !ordered &&
           !device_gives_place(node->op);
}

/* Of the program of the node at hand; UINT64_MAX: nobody knows, or the machine cannot. */
static uint64_t machine_ps(struct alone *alone) {
    uint64_t ps;
    device_alone_open(alone, alone->value->node->segment);
    const bool known =
        device_alone_find(alone) && device_program_time(alone->d, alone->program, &ps);
    device_alone_close(alone);
    return known ? ps : UINT64_MAX;
}

/* It does not depend on where the range is. */
static enum node_way way_of_range(const struct alone *alone, uint64_t ps) {
    return host_ps(alone) < ps ? WAY_HOST : WAY_MACHINE;
}

static uint64_t ps_of_move(struct alone *alone) {
    const struct device_node *node = alone->value->node;
    struct device_value *part = device_record_part(alone->source, node->first, node->length);
    struct alone move = {
        .d = alone->d, .value = part, .source = alone->source, .quiet = alone->quiet};
    const uint64_t ps = machine_ps(&move);
    device_value_drop(part);
    return ps;
}

bool device_alone_reads_part(struct alone *alone) {
    const mpu_device *d = alone->d;
    if (alone->source->state == VALUE_ZERO || d->finish == FINISH_DEVICE || !d->costs_known)
        return false;
    return d->finish == FINISH_HOST || host_ps(alone) <= ps_of_move(alone);
}

/* ---- once for those of one form from one slab ---- */

static uint64_t choose(struct alone *alone) {
    if (alone->value->node->ranged)
        return machine_ps(alone);
    if (alone->value->node->kind != NODE_SORT)
        return cheapest(alone);
    choose_elsewhere(alone);
    return number_of(&alone->elsewhere);
}

static bool has_choice(const struct alone *alone) {
    const struct device_node *node = alone->value->node;
    if (node->kind == NODE_FOLD || node->kind == NODE_SCAN)
        return node->segment == 1 || alone->source->state != VALUE_ZERO;
    return node->kind == NODE_SORT;
}

enum node_way device_alone_way(struct alone *alone) {
    const struct device_node *node = alone->value->node;
    struct str key = {0};
    char digest[65];
    uint64_t known;
    if (!has_choice(alone) ||
        (node->ranged && (alone->d->finish == FINISH_DEVICE || !alone->d->costs_known)))
        return WAY_MACHINE;
    if (node->ranged && (alone->d->finish == FINISH_HOST || !device_alone_masks(node)))
        return WAY_HOST;
    device_alone_open(alone, node->segment);
    device_graph_key(&alone->g, &key);
    uint64_t slab = alone->source->slab ? alone->source->slab->number : 0;
    str_append_n(&key, (const char *)&slab, sizeof slab);
    device_alone_close(alone);
    sha256_hex(key.text, key.len, digest);
    str_free(&key);
    if (!device_memo_get(&alone->d->ways, digest, sizeof digest, &known)) {
        known = choose(alone);
        device_memo_put(&alone->d->ways, digest, sizeof digest, known);
    }
    if (node->kind != NODE_SORT)
        return node->ranged ? way_of_range(alone, known) : (enum node_way)known;
    alone->elsewhere = of_number(known);
    return WAY_MACHINE;
}
