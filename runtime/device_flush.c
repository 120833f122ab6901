/* SPDX-License-Identifier: MIT
 * Carrying out what is recorded: elementwise nodes over one length become segments, each of them a
 * program.  A segment that is too large for registers or rows is halved. */
#include "runtime/device_graph.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- segments ---- */

struct flush_segment {
    uint64_t n;
    unsigned slot;
    VEC(struct device_value *) nodes;
};

struct flush {
    mpu_device *d;
    struct diag *diag;
    VEC(struct flush_segment) segments; /* at most one of each length and slot */
    mpu_result result;
};

/* ---- places ---- */

/* Rows of inputs that are not in the slab. */
static uint64_t rows_to_bring(const struct builder_of_graph *builder, const mpu_device *device,
                              const struct device_slab *slab) {
    const struct machine_room *room = &device->rooms[builder->g.slot];
    uint64_t rows = 0;
    for (size_t i = 0; i < builder->inputs.len; i++) {
        const struct device_value *v = builder->inputs.data[i];
        if (v->state != VALUE_PLACED || v->slab != slab)
            rows += machine_room_rows(room, v->type.bits) * (slab ? slab->chunks : 1);
    }
    return rows;
}

/* Where most of the inputs in lanes of the slot are. */
static struct device_slab *slab_of_inputs(const struct builder_of_graph *builder) {
    struct device_slab *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < builder->inputs.len; i++) {
        struct device_slab *s = builder->inputs.data[i]->slab;
        size_t here = 0;
        for (size_t k = 0; s && s->slot == builder->g.slot && k < builder->inputs.len; k++)
            here += builder->inputs.data[k]->slab == s;
        if (here > most) {
            most = here;
            best = s;
        }
    }
    return best;
}

static void pin(const struct builder_of_graph *builder, bool pinned) {
    for (size_t i = 0; i < builder->inputs.len; i++)
        builder->inputs.data[i]->pinned = pinned;
}

/* ---- running a segment ---- */

static struct device_value *output_at(const struct builder_of_graph *builder, uint32_t number) {
    for (size_t i = 0; i < builder->count; i++)
        if (builder->g.nodes.data[i].output && number-- == 0)
            return builder->nodes[i];
    return NULL;
}

/* Where each variable begins in each chunk. */
struct variable_places {
    uint32_t *first;    /* [chunks][variables] */
    uint32_t variables; /* inputs, then outputs */
    uint32_t inputs;
    uint32_t chunks; /* that outputs have bits in */
};

/* An output gets bits for all that the program writes in its register, and keeps its own. */
static mpu_result run_chunk(mpu_device *device, struct device_program *program,
                            const struct builder_of_graph *builder, struct device_slab *slab,
                            uint32_t *first, struct diag *diag) {
    uint32_t end = program->inputs + program->outputs;
    for (uint32_t v = program->inputs; v < end; v++)
        first[v] = device_bank_take(device, slab->bank, device_program_bits(program, v));
    mpu_result r = device_program_run(device, program, &builder->g, &(struct device_place){{slab}},
                                      first, diag);
    for (uint32_t v = program->inputs; v < end; v++)
        device_bank_shrink(slab->bank, first[v], device_program_bits(program, v),
                           program->object->vars.data[v].type.bits);
    return r;
}

static void give_back(const struct device_program *program, struct device_slab *slab,
                      const struct variable_places *places) {
    for (uint32_t c = 0; c < places->chunks; c++)
        for (uint32_t v = places->inputs; v < places->variables; v++)
            device_bank_give(slab->bank, places->first[(size_t)c * places->variables + v],
                             program->object->vars.data[v].type.bits);
}

/* The outputs are values that are placed; the nodes are gone. */
static void settle(mpu_device *device, const struct builder_of_graph *builder,
                   struct device_slab *slab, const struct variable_places *places) {
    for (uint32_t k = 0; k < builder->g.outputs; k++) {
        struct device_value *v = output_at(builder, k);
        uint32_t *first = xcalloc(slab->chunks, sizeof *first);
        for (uint32_t c = 0; c < slab->chunks; c++)
            first[c] = places->first[(size_t)c * places->variables + places->inputs + k];
        struct device_node *node = device_take_node(v);
        device_value_settle(v, slab, first);
        device_drop_node(node);
    }
    device->counts.operations += builder->count;
    for (size_t i = 0; i < builder->count; i++)
        device_label_count(device, builder->labels[i]);
}

/* Once a device: how many there are, the statistics tell. */
static void tell_copies(mpu_device *device, const struct device_slab *slab, bool wider,
                        struct diag *diag) {
    if (device->told_copies)
        return;
    device->told_copies = true;
    diag_warning(diag, W_MOVES, NO_SPAN,
                 "vectors of %" PRIu64 " elements do not all %s, and are moved to where they are "
                 "used",
                 slab->n, wider ? "lie in lanes as wide" : "have room in the same VRFs");
}

static void bring_inputs(const struct builder_of_graph *builder, struct device_slab *slab,
                         struct diag *diag) {
    mpu_device *d = builder->nodes[0]->device;
    const uint64_t copies = d->counts.slab_copies;
    bool wider = false;
    for (size_t i = 0; i < builder->inputs.len; i++) {
        struct device_value *v = builder->inputs.data[i];
        wider |= v->slab && v->slab->slot != slab->slot;
        device_value_bring(v, slab);
    }
    if (d->counts.slab_copies != copies)
        tell_copies(d, slab, wider, diag);
}

static mpu_result run_chunks(mpu_device *device, struct device_program *program,
                             const struct builder_of_graph *builder, struct device_slab *slab,
                             struct diag *diag) {
    struct variable_places places = {.inputs = program->inputs,
                                     .variables = program->inputs + program->outputs};
    mpu_result r = MPU_OK;
    places.first = xcalloc((size_t)slab->chunks * places.variables + 1, sizeof *places.first);
    bring_inputs(builder, slab, diag);
    for (; places.chunks < slab->chunks && r == MPU_OK; places.chunks++) {
        uint32_t *first = places.first + (size_t)places.chunks * places.variables;
        for (uint32_t v = 0; v < program->inputs; v++)
            first[v] = builder->inputs.data[v]->first[places.chunks];
        r = run_chunk(device, program, builder, slab, first, diag);
    }
    for (size_t i = 0; i < builder->inputs.len; i++)
        device_value_touch(builder->inputs.data[i]);
    pin(builder, false); /* they may end with the nodes */
    if (r == MPU_OK)
        settle(device, builder, slab, &places);
    else
        give_back(program, slab, &places);
    free(places.first);
    return r;
}

/* What comes before, looking for room, was for the program too. */
static mpu_result run_program(mpu_device *device, struct device_program *program,
                              const struct builder_of_graph *builder, struct device_slab *slab,
                              struct diag *diag) {
    uint64_t time_ps[DEVICE_SEGMENT] = {0}, energy_fj[DEVICE_SEGMENT] = {0};
    uint8_t calls[DEVICE_SEGMENT] = {0};
    struct device_shares shares = {time_ps, energy_fj, calls, (uint32_t)builder->count, 0, 0};
    for (size_t i = 0; i < builder->count; i++)
        calls[i] = builder->g.nodes.data[i].sub != NULL;
    device->shares = device->labels.len && builder->count > 1 ? &shares : NULL;
    const mpu_result r = run_chunks(device, program, builder, slab, diag);
    device->shares = NULL;
    device_label_divide(device, builder->labels, (uint32_t)builder->count, &shares);
    return r;
}

/* Of several operations: with rows in VRFs that vectors of that length have.  Parts of them may do
 * with fewer, where results and puts take the place of what is not needed any more. */
static bool needs_more(const mpu_device *device, const struct builder_of_graph *builder,
                       const struct device_slab *have, uint64_t rows) {
    const struct device_slab *other =
        device_slab_there(device, builder->nodes[0]->n, builder->g.slot);
    return builder->count > 1 && !device_bank_has(have->bank, rows) &&
           !(other && device_bank_has(other->bank, rows));
}

/* A slab with room for the program, and the program there; NULL: it cannot be made, or (*full)
 * nowhere is room. */
static struct device_program *find_in_slot(mpu_device *device,
                                           const struct builder_of_graph *builder,
                                           struct device_slab **slab, bool *full,
                                           struct diag *diag) {
    uint64_t n = builder->nodes[0]->n;
    unsigned slot = builder->g.slot;
    device->needs_slot = 0;
    *slab = slab_of_inputs(builder);
    *slab = *slab ? *slab : device_slab_there(device, n, slot);
    for (unsigned turn = 0; turn < 3; turn++) {
        struct device_slab *have = *slab;
        if (!have)
            have =
                device_find_room(device, n, slot, rows_to_bring(builder, device, NULL), NULL, diag);
        *full = !have;
        if (!have)
            return NULL;
        struct device_graph graph = builder->g;
        graph.n = have->chunk;
        struct device_program *p =
            device_program_get(device, &graph, &(struct device_place){{have}}, diag);
        if (!p)
            return NULL;
        uint64_t rows = device_program_rows(p, have->bank->room, have->chunks);
        rows += rows_to_bring(builder, device, have);
        *full = needs_more(device, builder, have, rows);
        if (*full)
            return NULL;
        *slab = device_find_room(device, n, slot, rows, have, diag);
        *full = !*slab;
        if (*slab == have || !*slab)
            return *slab ? p : NULL;
    }
    *full = true;
    return NULL;
}

/* In wider lanes, where what comes between inputs and outputs needs them. */
static struct device_program *find_program(mpu_device *device, struct builder_of_graph *builder,
                                           struct device_slab **slab, bool *full,
                                           struct diag *diag) {
    struct device_program *p = find_in_slot(device, builder, slab, full, diag);
    while (!p && device->needs_slot > builder->g.slot) {
        builder->g.slot = device->needs_slot;
        p = find_in_slot(device, builder, slab, full, diag);
    }
    return p;
}

static mpu_result run_nodes(struct flush *flush, struct device_value *const *nodes, size_t count);

/* In two, where together they are too much. */
static mpu_result run_halves(struct flush *flush, struct device_value *const *nodes, size_t count) {
    mpu_result r = run_nodes(flush, nodes, count / 2);
    return r == MPU_OK ? run_nodes(flush, nodes + count / 2, count - count / 2) : r;
}

static mpu_result run_nodes(struct flush *flush, struct device_value *const *nodes, size_t count) {
    struct builder_of_graph b = {.nodes = nodes, .count = count};
    struct device_slab *slab;
    bool full = false;
    /* What is too much for one program is no error: the halves say what is. */
    struct diag *quiet = count > 1 ? diag_new(NULL, NULL) : flush->diag;
    mpu_result r = MPU_OK;
    device_programs_trim(flush->d);
    device_label_settle(flush->d);
    for (size_t i = 0; i < count; i++)
        b.labels[i] = nodes[i]->node->label;
    b.g.slot = nodes[0]->slot;
    device_graph_build(&b, flush->d);
    pin(&b, true);
    struct device_program *p = find_program(flush->d, &b, &slab, &full, quiet);
    if (p)
        r = run_program(flush->d, p, &b, slab, flush->diag);
    else
        pin(&b, false);
    if (count > 1)
        diag_free(quiet);
    device_graph_free(&b);
    if (!p)
        r = count > 1 ? run_halves(flush, nodes, count) : full ? MPU_CAPACITY : MPU_REJECTED;
    return r;
}

/* ---- the whole graph ---- */

static struct flush_segment *segment_of(struct flush *flush, uint64_t n, unsigned slot) {
    for (size_t i = 0; i < flush->segments.len; i++)
        if (flush->segments.data[i].n == n && flush->segments.data[i].slot == slot)
            return &flush->segments.data[i];
    vec_push(&flush->segments, ((struct flush_segment){.n = n, .slot = slot}));
    return &vec_last(&flush->segments);
}

static void run_segment(struct flush *flush, struct flush_segment *segment) {
    if (flush->result == MPU_OK && segment->nodes.len)
        flush->result = run_nodes(flush, segment->nodes.data, segment->nodes.len);
    segment->nodes.len = 0;
}

/* The segments in which its operands wait, but for its own (NULL: it has none). */
static void run_before(struct flush *flush, const struct device_value *value,
                       const unsigned *slot) {
    const struct device_node *node = value->node;
    for (uint32_t k = 0; k < node->count; k++) {
        const struct device_value *v = node->operands[k].v;
        if (v && v->state == VALUE_RECORDED && (!slot || v->slot != *slot))
            run_segment(flush, segment_of(flush, v->n, v->slot));
    }
}

static void add_to_segment(struct flush *flush, struct device_value *value) {
    value->slot = device_node_slot(value);
    run_before(flush, value, &value->slot);
    struct flush_segment *s = segment_of(flush, value->n, value->slot);
    vec_push(&s->nodes, value);
    if (s->nodes.len >= DEVICE_SEGMENT)
        run_segment(flush, s);
}

/* A node that is a program of its own, behind what it reads. */
static void run_alone(struct flush *flush, struct device_value *value) {
    run_before(flush, value, NULL);
    if (flush->result != MPU_OK)
        return;
    const uint32_t label = value->node->label;
    device_label_settle(flush->d);
    flush->result = device_run_alone(value, flush->diag);
    device_label_charge(flush->d, label);
    if (flush->result == MPU_OK)
        device_label_count(flush->d, label);
}

static void run_all(struct flush *flush) {
    mpu_device *d = flush->d;
    for (size_t i = 0; i < d->recorded.len && flush->result == MPU_OK; i++) {
        struct device_value *v = d->recorded.data[i];
        if (!v)
            continue;
        if (v->node->kind == NODE_APPLY)
            add_to_segment(flush, v);
        else
            run_alone(flush, v);
    }
    for (size_t i = 0; i < flush->segments.len; i++)
        run_segment(flush, &flush->segments.data[i]);
}

/* What was not carried out has no value, now and for ever. */
static void fail_all(struct flush *flush) {
    mpu_device *d = flush->d;
    const char *why = diag_first(flush->diag);
    struct device_fault *fault = xcalloc(1, sizeof *fault);
    *fault = (struct device_fault){1, flush->result, xstrdup(why ? why : "the flush failed")};
    for (size_t i = d->recorded.len; i-- > 0;) {
        struct device_value *v = i < d->recorded.len ? d->recorded.data[i] : NULL;
        if (!v)
            continue;
        struct device_node *node = device_take_node(v);
        v->state = VALUE_FAILED;
        v->fault = fault;
        fault->refs++;
        device_drop_node(node);
    }
    device_fault_drop(fault);
}

/* The programs of a flush are started together. */
static void charge_launch(mpu_device *device) {
    struct device_counts *c = &device->counts;
    c->launches++;
    c->launch_ps = sat_add(c->launch_ps, device->target->launch_ps);
}

mpu_result device_flush(mpu_device *device, struct diag *diag) {
    struct flush f = {.d = device, .diag = diag};
    const uint64_t runs = device->counts.runs;
    if (!device->waiting)
        return MPU_OK;
    device->flushing = true;
    device_slabs_trim(device);
    device->counts.flushes++;
    run_all(&f);
    device_label_settle(device);
    if (device->counts.runs != runs)
        charge_launch(device);
    device_label_close(device);
    if (f.result != MPU_OK)
        fail_all(&f);
    for (size_t i = 0; i < f.segments.len; i++)
        vec_free(&f.segments.data[i].nodes);
    vec_free(&f.segments);
    device->recorded.len = 0;
    device->flushing = false;
    device_programs_trim(device);
    device_libraries_trim(device, device->most_bytes / 4);
    return f.result;
}
