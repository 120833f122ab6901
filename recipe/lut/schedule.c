/* SPDX-License-Identifier: MIT
 * Depth first, the part that holds more values first; values stay while something will read them
 * and there is room. */
#include "recipe/lut/schedule.h"

struct held_node {
    uint32_t node;
    uint32_t name;
};

struct scheduler {
    const struct lut_network *n;
    uint32_t limit, most_names;
    uint64_t most;
    struct lut_schedule *out;
    uint32_t *readers; /* by node: gates and outputs that will read it yet */
    uint32_t *needs;   /* by node: values held at once to make it from nothing */
    uint32_t *weight;  /* by node: gates to make it from nothing, at most MAX_WEIGHT */
    uint32_t *place;   /* by node: 1 + index in held, or 0 */
    uint32_t *pinned;  /* by node: it is about to be read */
    bool *made;        /* by node: it was carried out before */
    VEC(struct held_node) held;
    VEC(uint32_t) free_names;
    size_t next_free;
    bool failed;
};

#define MAX_WEIGHT 0xffffu

static bool is_gate(const struct scheduler *scheduler, uint32_t node) {
    return lut_gate_args(scheduler->n->nodes.data[node].gate) > 0;
}

/* --- what is known before --- */

static void order_args(const struct scheduler *scheduler, const struct lut_node *gate,
                       uint32_t args[3]) {
    unsigned count = lut_gate_args(gate->gate);
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = gate->args[i] >> 1;
        unsigned k = i;
        for (; k > 0 && scheduler->needs[args[k - 1]] < scheduler->needs[node]; k--)
            args[k] = args[k - 1];
        args[k] = node;
    }
}

static void find_needs(struct scheduler *scheduler) {
    for (uint32_t i = 0; i < scheduler->n->nodes.len; i++) {
        const struct lut_node *g = &scheduler->n->nodes.data[i];
        uint32_t args[3], weight = 1;
        if (!is_gate(scheduler, i))
            continue;
        order_args(scheduler, g, args);
        scheduler->needs[i] = 1;
        for (unsigned k = 0; k < lut_gate_args(g->gate); k++) {
            uint32_t need = scheduler->needs[args[k]] + k;
            scheduler->needs[i] = need > scheduler->needs[i] ? need : scheduler->needs[i];
            weight += scheduler->weight[args[k]];
        }
        scheduler->weight[i] = weight < MAX_WEIGHT ? weight : MAX_WEIGHT;
    }
}

static void add_readers(struct scheduler *scheduler, uint32_t node) {
    const struct lut_node *g = &scheduler->n->nodes.data[node];
    for (unsigned k = 0; k < lut_gate_args(g->gate); k++)
        if (scheduler->readers[g->args[k] >> 1]++ == 0)
            add_readers(scheduler, g->args[k] >> 1);
}

/* --- values --- */

static uint32_t new_name(struct scheduler *scheduler) {
    if (scheduler->out->names < scheduler->most_names ||
        scheduler->next_free == scheduler->free_names.len)
        return scheduler->out->names++;
    return scheduler->free_names.data[scheduler->next_free++];
}

static void drop(struct scheduler *scheduler, uint32_t node) {
    uint32_t at = scheduler->place[node] - 1;
    vec_push(&scheduler->free_names, scheduler->held.data[at].name);
    scheduler->held.data[at] = vec_last(&scheduler->held);
    scheduler->place[scheduler->held.data[at].node] = at + 1;
    scheduler->held.len--;
    scheduler->place[node] = 0;
}

/* Forgets the value that costs least to make again. */
static bool make_room(struct scheduler *scheduler) {
    uint64_t least = UINT64_MAX;
    uint32_t victim = 0;
    for (size_t i = 0; i < scheduler->held.len; i++) {
        uint32_t node = scheduler->held.data[i].node;
        uint64_t cost = (uint64_t)scheduler->weight[node] * scheduler->readers[node];
        if (!scheduler->pinned[node] && cost < least) {
            least = cost;
            victim = node;
        }
    }
    if (victim)
        drop(scheduler, victim);
    return victim != 0;
}

static uint32_t name_of(const struct scheduler *scheduler, uint32_t node) {
    uint32_t at = scheduler->place[node];
    return at ? scheduler->held.data[at - 1].name : 0;
}

static void read_once(struct scheduler *scheduler, uint32_t node) {
    if (--scheduler->readers[node] == 0 && scheduler->place[node])
        drop(scheduler, node);
}

/* --- steps --- */

static void make(struct scheduler *scheduler, uint32_t node);

static void pin(struct scheduler *scheduler, uint32_t node) {
    if (!scheduler->failed && !scheduler->place[node] && is_gate(scheduler, node))
        make(scheduler, node);
    scheduler->pinned[node]++;
}

/* What a gate reads is made, if it is not held, and stays until the gate has read it. */
static void pin_args(struct scheduler *scheduler, uint32_t node) {
    const struct lut_node *g = &scheduler->n->nodes.data[node];
    unsigned count = lut_gate_args(g->gate);
    uint32_t args[3];
    bool held[3];
    order_args(scheduler, g, args);
    for (unsigned k = 0; k < count; k++) {
        held[k] = scheduler->place[args[k]] != 0;
        if (held[k])
            pin(scheduler, args[k]);
    }
    for (unsigned k = 0; k < count; k++)
        if (!held[k])
            pin(scheduler, args[k]);
}

static void hold(struct scheduler *scheduler, uint32_t node, uint32_t name) {
    struct held_node held = {node, name};
    vec_push(&scheduler->held, held);
    scheduler->place[node] = (uint32_t)scheduler->held.len;
    if (scheduler->held.len > scheduler->out->most_held)
        scheduler->out->most_held = (uint32_t)scheduler->held.len;
}

static void make(struct scheduler *scheduler, uint32_t node) {
    const struct lut_node *g = &scheduler->n->nodes.data[node];
    unsigned count = lut_gate_args(g->gate);
    struct lut_step step = {.node = node, .output = LUT_NO_OUTPUT};
    if (scheduler->made[node]) {
        scheduler->out->again++;
        for (unsigned k = 0; k < count; k++)
            scheduler->readers[g->args[k] >> 1]++;
    }
    scheduler->made[node] = true;
    pin_args(scheduler, node);
    for (unsigned k = 0; k < count; k++) {
        step.args[k] = name_of(scheduler, g->args[k] >> 1);
        scheduler->pinned[g->args[k] >> 1]--;
        read_once(scheduler, g->args[k] >> 1);
    }
    scheduler->failed |= ++scheduler->out->gates > scheduler->most;
    while (scheduler->held.len >= scheduler->limit && !scheduler->failed)
        scheduler->failed |= !make_room(scheduler);
    if (scheduler->failed)
        return;
    step.name = new_name(scheduler);
    hold(scheduler, node, step.name);
    vec_push(&scheduler->out->steps, step);
}

static void make_output(struct scheduler *scheduler, uint32_t output) {
    uint32_t node = scheduler->n->out[output] >> 1;
    pin(scheduler, node);
    if (scheduler->failed)
        return;
    struct lut_step step = {.node = node, .name = name_of(scheduler, node), .output = output};
    vec_push(&scheduler->out->steps, step);
    scheduler->pinned[node]--;
    read_once(scheduler, node);
}

bool lut_schedule_make(const struct lut_network *network, const uint32_t *outputs, size_t count,
                       uint32_t limit, uint32_t names, uint64_t most,
                       struct lut_schedule *schedule) {
    size_t size = network->nodes.len;
    uint32_t *room = xcalloc(5 * size, sizeof *room);
    struct scheduler s = {.n = network,
                          .limit = limit,
                          .most_names = names,
                          .most = most,
                          .out = schedule,
                          .readers = room,
                          .needs = room + size,
                          .weight = room + 2 * size,
                          .place = room + 3 * size,
                          .pinned = room + 4 * size,
                          .made = xcalloc(size, sizeof(bool))};
    *schedule = (struct lut_schedule){0};
    find_needs(&s);
    for (size_t i = 0; i < count; i++)
        if (s.readers[network->out[outputs[i]] >> 1]++ == 0)
            add_readers(&s, network->out[outputs[i]] >> 1);
    for (size_t i = 0; i < count && !s.failed; i++)
        make_output(&s, outputs[i]);
    free(room);
    free(s.made);
    vec_free(&s.held);
    vec_free(&s.free_names);
    return !s.failed;
}

void lut_schedule_free(struct lut_schedule *schedule) {
    vec_free(&schedule->steps);
}
