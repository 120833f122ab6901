/* SPDX-License-Identifier: MIT
 * Programs of graphs: made once, kept by what the graph is, and run on other vectors by other
 * register maps. */
#include "runtime/device.h"

#include "emu/place/count.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

/* Seven bits a byte, the low ones first, as long as there are more: a key is hashed by each flush,
 * and most numbers are small. */
static void put_number(struct str *key, uint64_t number) {
    char bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number);
    str_append_n(key, bytes, count);
}

static void put_type(struct str *key, struct lane_type type) {
    put_number(key, (uint64_t)type.kind << 8 | type.bits);
}

static void put_node(struct str *key, const struct graph_node *node) {
    put_number(key, (uint64_t)node->op << 32 | node->count << 1 | node->output);
    put_type(key, node->type);
    if (node->sub) {
        str_append_n(key, node->sub->library->sha256, sizeof node->sub->library->sha256);
        str_append_n(key, node->sub->signature->name, strlen(node->sub->signature->name) + 1);
    }
    for (uint32_t k = 0; k < node->count; k++) {
        const struct graph_operand *x = &node->operands[k];
        put_number(key, (uint64_t)x->kind << 32 | x->index);
        if (x->kind == OPERAND_BAKED)
            put_number(key, x->bits);
        if (x->kind == OPERAND_BAKED || x->kind == OPERAND_SCALAR)
            put_type(key, x->type);
    }
}

/* Which elements move, and of which a fold is, are numbers of each run. */
static void put_alone(struct str *key, const struct device_graph *graph) {
    const struct device_node *node = graph->alone;
    put_number(key, (uint64_t)node->kind << 32 | (uint64_t)node->op << 16 |
                        (uint64_t)node->ranged << 1 | graph->apart);
    put_type(key, node->type);
    put_type(key, graph->result);
    put_number(key, graph->n);
    put_number(key, graph->result_n);
    put_number(key, graph->segment);
    put_number(key, node->stride);
    for (unsigned g = 0; g < DEVICE_GROUPS; g++)
        put_number(key, graph->within[g]);
    put_number(key, graph->lanes);
    put_number(key, node->inner);
    put_number(key, node->fill);
    if (node->table_count)
        str_append_n(key, (const char *)node->table, node->table_count * sizeof *node->table);
}

void device_graph_key(const struct device_graph *graph, struct str *key) {
    put_number(key, graph->inputs.len);
    for (size_t i = 0; i < graph->inputs.len; i++)
        put_type(key, graph->inputs.data[i]);
    for (size_t i = 0; i < graph->nodes.len; i++)
        put_node(key, &graph->nodes.data[i]);
    if (graph->alone)
        put_alone(key, graph);
}

/* Nothing in it is about certain vectors but their slabs. */
static void make_key(const struct device_graph *graph, const struct device_place *place,
                     char key[65]) {
    struct str text = {0};
    for (unsigned g = 0; g < DEVICE_GROUPS; g++)
        put_number(&text, place->slabs[g] ? place->slabs[g]->number : 0);
    device_graph_key(graph, &text);
    sha256_hex(text.text, text.len, key);
    str_free(&text);
}

/* ---- the list of programs, by their last use ---- */

static void unlink_program(mpu_device *device, struct device_program *program) {
    *(program->newer ? &program->newer->older : &device->latest) = program->older;
    *(program->older ? &program->older->newer : &device->longest_unused) = program->newer;
    program->newer = program->older = NULL;
}

static void link_program(mpu_device *device, struct device_program *program) {
    program->older = device->latest;
    *(device->latest ? &device->latest->newer : &device->longest_unused) = program;
    device->latest = program;
}

/* It is made again when it is needed. */
static void let_go(mpu_device *device, struct device_program *program) {
    control_keep_free(program->keep, device->dp);
    package_free(program->package);
    object_free(program->object);
    arena_free(&program->arena);
    arena_free(&program->moves);
    program->keep = NULL;
    program->package = NULL;
    program->object = NULL;
    program->bytes = 0;
}

static void program_free(mpu_device *device, struct device_program *program) {
    if (!program)
        return;
    let_go(device, program);
    free(program->scalars);
    free(program->made_for);
    free(program);
}

static uint64_t bytes_of(const struct device_program *program) {
    return program->bytes + (program->keep ? control_keep_bytes(program->keep) : 0);
}

void device_programs_trim(mpu_device *device) {
    uint64_t bytes = 0;
    for (struct device_program *p = device->latest; p; p = p->older)
        bytes += bytes_of(p);
    if (bytes <= device->most_bytes)
        return;
    /* So much that it is not full again at once. */
    uint64_t left = device->most_bytes - device->most_bytes / 4;
    for (struct device_program *p = device->latest; p; p = p->older) {
        if (p->keep && p->bytes <= left)
            control_keep_trim(p->keep, device->dp, left - p->bytes);
        else
            let_go(device, p);
        left -= bytes_of(p);
    }
}

/* Maps do not forget: the key stays, with 0. */
static void evict(mpu_device *device) {
    struct device_program *p = device->longest_unused;
    unlink_program(device, p);
    map_put_n(&device->programs, p->key, sizeof p->key, 0);
    program_free(device, p);
    device->program_count--;
}

/* Keys of programs that are gone are not kept for ever. */
static void forget_keys(mpu_device *device) {
    if (device->programs.len < 4 * DEVICE_MOST_PROGRAMS)
        return;
    map_free(&device->programs);
    device->programs = (struct map){0};
    for (struct device_program *p = device->latest; p; p = p->older)
        map_put_n(&device->programs, p->key, sizeof p->key, (uint64_t)(uintptr_t)p);
}

void device_programs_free(mpu_device *device) {
    for (struct device_program *p = device->latest, *next; p; p = next) {
        next = p->older;
        program_free(device, p);
    }
    device->latest = device->longest_unused = NULL;
    map_free(&device->programs);
}

/* ---- making them ---- */

/* As link-time values have it. */
static uint64_t element_of(const struct graph_scalar *scalar) {
    uint64_t bits = scalar->bits & low_bits(scalar->type.bits);
    return scalar->type.kind == TYPE_INT ? (uint64_t)sign_extend(bits, scalar->type.bits) : bits;
}

static void take_scalars(const struct device_graph *graph, uint64_t *scalars) {
    for (size_t i = 0; i < graph->scalars.len; i++)
        scalars[i] = element_of(&graph->scalars.data[i]);
}

/* To be freed. */
static struct size_binding *bindings_of(const struct device_program *program,
                                        const uint64_t *scalars) {
    struct size_binding *bindings = xcalloc(program->scalar_count + 1, sizeof *bindings);
    for (uint32_t i = 0; i < program->scalar_count; i++)
        bindings[i] = (struct size_binding){.name = program->object->values.data[i].name,
                                            .elements = &scalars[i]};
    return bindings;
}

/* The text has its scalars. */
static void rebind(const struct device_program *program) {
    struct size_binding *bindings = bindings_of(program, program->scalars);
    (void)package_rebind(program->package, program->object, bindings, program->scalar_count);
    free(bindings);
}

/* Inputs are as wide as their vectors: nothing else may write what lies beside them. */
static bool inputs_are_narrow(const struct device_program *program) {
    for (uint32_t i = 0; i < program->inputs; i++) {
        const struct variable *v = &program->object->vars.data[i];
        if (program->package->reg_bits[v->reg] != v->type.bits)
            return false;
    }
    return true;
}

/* Of those that were declared; all others are like one of them, which says where they lie. */
static const struct device_slab *slab_of_group(const struct device_place *place, uint32_t group) {
    return group < DEVICE_GROUPS && place->slabs[group] ? place->slabs[group]
                                                        : place->slabs[AT_INPUT];
}

/* False, with the slot that it needs, if registers of some group have no room in the lanes. */
static bool lanes_are_wide(mpu_device *device, const struct device_program *program,
                           const struct device_place *place) {
    const struct object *o = program->object;
    if (!device->machine->slots)
        return true;
    uint8_t *slots = xcalloc(o->groups.len + 1, sizeof *slots);
    package_group_slots(o, device->machine, slots);
    for (uint32_t g = 0; g < o->groups.len; g++)
        if (o->groups.data[g].like == NO_INDEX && slots[g] > slab_of_group(place, g)->slot &&
            slots[g] > device->needs_slot)
            device->needs_slot = slots[g];
    free(slots);
    return !device->needs_slot;
}

static void give_rows(const struct device_program *program, const struct device_place *place,
                      struct group_rows *rows) {
    for (uint32_t g = 0; g < program->object->groups.len; g++) {
        const struct device_slab *s = slab_of_group(place, g);
        rows[g] = (struct group_rows){s->rows, s->row_count, (uint8_t)s->slot};
    }
}

/* Scratch, and what else lies in rows that vectors may have: constants of the program, and copies
 * of its tables. */
static uint32_t rows_beside(const struct machine_rows *taken, const struct machine_room *room) {
    uint64_t apart = taken->there > room->rows ? taken->there - room->rows : 0;
    return (uint32_t)(taken->scratch + taken->constants + taken->copies +
                      (taken->state > apart ? taken->state - apart : 0));
}

static bool build_package(mpu_device *device, struct device_program *program,
                          const struct device_graph *graph, const struct device_place *place,
                          struct diag *diag) {
    struct group_rows *rows =
        ARENA_ARRAY(&program->arena, program->object->groups.len + 1, struct group_rows);
    const struct package_place at = {.given = rows, .asked = PLACE_PACKED, .chosen = PLACE_PACKED};
    give_rows(program, place, rows);
    struct size_binding *bindings = bindings_of(program, program->made_for);
    struct machine_rows taken;
    program->package = package_build_at(program->object, device->target, device->library, bindings,
                                        program->scalar_count, &at, NULL, diag);
    free(bindings);
    if (!program->package || !inputs_are_narrow(program))
        return false;
    program->package->place.given = NULL;
    if (package_rows(program->package, device->target, &taken))
        program->scratch = rows_beside(&taken, &device->rooms[graph->slot]);
    return true;
}

static uint64_t package_bytes(const struct device_program *program) {
    struct machine_load code = {0};
    machine_load(program->package->code, &code);
    return arena_bytes(&program->arena) + arena_bytes(&program->object->arena) +
           arena_bytes(&program->package->arena) + (uint64_t)code.words * code.word_bits / 8 +
           code.part_count * sizeof *code.parts;
}

static bool make_code(mpu_device *device, struct device_program *program,
                      const struct device_graph *graph, const struct device_place *place,
                      bool narrow, struct diag *diag) {
    program->object = device_compile(device, graph, narrow, diag);
    if (program->object && lanes_are_wide(device, program, place) &&
        build_package(device, program, graph, place, diag))
        return true;
    let_go(device, program);
    return false;
}

/* What the host has to have of it: as its scalars left it, if it was let go.  False: it cannot be
 * made. */
static bool make(mpu_device *device, struct device_program *program,
                 const struct device_graph *graph, const struct device_place *place,
                 struct diag *diag) {
    if (program->object)
        return true;
    bool made =
        device_has_narrow_result(graph) && make_code(device, program, graph, place, true, diag);
    if (!made && !device->needs_slot)
        made = make_code(device, program, graph, place, false, diag);
    if (!made)
        return false;
    program->keep = control_keep_new();
    rebind(program);
    program->bytes = sizeof *program + package_bytes(program);
    return true;
}

static struct device_program *program_new(const struct device_graph *graph, const char key[65]) {
    struct device_program *p = xcalloc(1, sizeof *p);
    p->inputs = (uint32_t)graph->inputs.len;
    p->outputs = graph->outputs;
    p->scalar_count = (uint32_t)graph->scalars.len;
    p->scalars = xcalloc(graph->scalars.len + 1, sizeof *p->scalars);
    p->made_for = xcalloc(graph->scalars.len + 1, sizeof *p->made_for);
    take_scalars(graph, p->scalars);
    take_scalars(graph, p->made_for);
    memcpy(p->key, key, sizeof p->key);
    return p;
}

/* What it moves this time. */
static bool plan_moves(struct device_program *program, const struct device_graph *graph) {
    if (!graph->alone || graph->alone->kind != NODE_MOVE)
        return true;
    control_keep_forget_moves(program->keep);
    arena_free(&program->moves);
    program->moves = (struct arena){0};
    struct move_plan *plan = ARENA_NEW(&program->moves, struct move_plan);
    program->package->plans = plan;
    return device_move_plan(graph->alone, graph->n, &program->object->moves.data[0],
                            &program->moves, plan);
}

/* Makes room for one more program, and gives it. */
static struct device_program *add_program(mpu_device *device, const struct device_graph *graph,
                                          const struct device_place *place, const char key[65],
                                          struct diag *diag) {
    if (device->program_count >= DEVICE_MOST_PROGRAMS)
        evict(device);
    forget_keys(device);
    struct device_program *p = program_new(graph, key);
    if (!make(device, p, graph, place, diag)) {
        program_free(device, p);
        return NULL;
    }
    device->counts.programs++;
    device->program_count++;
    map_put_n(&device->programs, p->key, sizeof p->key, (uint64_t)(uintptr_t)p);
    link_program(device, p);
    return p;
}

/* One that was made before, as that which is used now; or NULL. */
static struct device_program *find(mpu_device *device, const char key[65]) {
    const uint64_t *known = map_get_n(&device->programs, key, 65);
    struct device_program *p = known ? (struct device_program *)(uintptr_t)*known : NULL;
    if (!p)
        return NULL;
    device->counts.hits++;
    unlink_program(device, p);
    link_program(device, p);
    return p;
}

struct device_program *device_program_get(mpu_device *device, const struct device_graph *graph,
                                          const struct device_place *place, struct diag *diag) {
    char key[65];
    make_key(graph, place, key);
    device->needs_slot = 0;
    struct device_program *p = find(device, key);
    if (!p)
        p = add_program(device, graph, place, key, diag);
    else if (!make(device, p, graph, place, diag))
        p = NULL;
    return p && plan_moves(p, graph) ? p : NULL;
}

/* ---- what it takes ---- */

unsigned device_program_bits(const struct device_program *program, uint32_t variable) {
    return program->package->reg_bits[program->object->vars.data[variable].reg];
}

/* Registers of its inputs and outputs: bit r. */
static uint64_t ports(const struct device_program *program) {
    uint64_t mask = 0;
    for (uint32_t v = 0; v < program->inputs + program->outputs; v++)
        mask |= UINT64_C(1) << program->object->vars.data[v].reg;
    return mask;
}

uint64_t device_program_rows(const struct device_program *program, const struct machine_room *room,
                             uint32_t chunks) {
    uint64_t rows = program->scratch, own = ports(program);
    for (uint32_t v = program->inputs; v < program->inputs + program->outputs; v++) {
        unsigned bits = program->object->vars.data[v].type.bits;
        rows += (uint64_t)chunks * machine_room_rows(room, bits);
        rows += machine_room_rows(room, device_program_bits(program, v)) -
                machine_room_rows(room, bits);
    }
    for (unsigned r = 0; r < 64; r++)
        if (!(own >> r & 1) && program->package->reg_bits[r])
            rows += machine_room_rows(room, program->package->reg_bits[r]);
    return rows;
}

/* ---- running ---- */

static void charge_words(mpu_device *device, uint64_t bytes) {
    struct device_counts *c = &device->counts;
    if (!device->costs_known || !bytes)
        return;
    c->load_ps = sat_add(c->load_ps, target_host_serial_ps(device->target, HOST_IN, bytes));
    c->load_fj = sat_add(c->load_fj, target_host_fj(device->target, bytes));
}

static void mark_words(uint8_t *there, const struct machine_part *part, uint8_t how) {
    for (uint32_t i = part->first; i < part->first + part->count; i++)
        there[i] = there[i] ? there[i] : how;
}

/* Marks the words of parts that the host has sent before as 1; those of the others as 2, and notes
 * that they are there from now on. */
static void mark_parts(mpu_device *device, const struct machine_part *parts, uint32_t count,
                       bool sent, uint8_t *there) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t known;
        if (device_memo_get(&device->recipes, (const char *)&parts[i].key, sizeof parts[i].key,
                            &known) == sent)
            mark_words(there, &parts[i], sent ? 1 : 2);
    }
}

static uint64_t note_parts(mpu_device *device, const struct machine_part *parts, uint32_t count) {
    uint64_t fresh = 0;
    for (uint32_t i = 0; i < count; i++)
        fresh +=
            device_memo_put(&device->recipes, (const char *)&parts[i].key, sizeof parts[i].key, 1);
    return fresh;
}

/* Bytes of the recipe table that no program before has brought. */
static uint64_t missing_bytes(mpu_device *device, const struct machine_load *code) {
    uint8_t *there = xcalloc((size_t)code->words + 1, 1);
    uint64_t words = 0;
    for (int sent = 1; sent >= 0; sent--) {
        mark_parts(device, code->parts, code->part_count, sent, there);
        mark_parts(device, code->shared, code->shared_count, sent, there);
    }
    for (uint32_t i = 0; i < code->words; i++)
        words += there[i] == 2;
    free(there);
    note_parts(device, code->parts, code->part_count);
    uint64_t shared = note_parts(device, code->shared, code->shared_count);
    return (words * code->word_bits + shared * code->shared_bits + 7) / 8;
}

void device_load(mpu_device *device, const struct package *package) {
    struct machine_load code = {0};
    machine_load(package->code, &code);
    uint64_t bytes = missing_bytes(device, &code);
    device->counts.loads++;
    device->counts.text_words += package->text_count;
    device->counts.table_bytes += bytes;
    charge_words(device, 4 * (uint64_t)package->text_count);
    charge_words(device, bytes);
}

/* The text goes over the link once; then the words that scalars change. */
static void load(mpu_device *device, struct device_program *program) {
    if (!program->loaded)
        device_load(device, program->package);
    program->loaded = true;
}

static bool same_scalars(const struct device_program *program, const struct device_graph *graph) {
    for (size_t i = 0; i < graph->scalars.len; i++)
        if (program->scalars[i] != element_of(&graph->scalars.data[i]))
            return false;
    return true;
}

/* Recipes that depend on a constant are made for the new one. */
static bool follow_constants(mpu_device *device, struct device_program *program,
                             struct diag *diag) {
    if (package_code_serves(program->package))
        return true;
    if (!package_remake_code(program->package, device->library, diag))
        return false;
    control_keep_free(program->keep, device->dp);
    program->keep = control_keep_new();
    program->loaded = false;
    memcpy(program->made_for, program->scalars, program->scalar_count * sizeof *program->made_for);
    return true;
}

static bool patch(mpu_device *device, struct device_program *program,
                  const struct device_graph *graph, struct diag *diag) {
    if (same_scalars(program, graph))
        return true;
    size_t count = program->package->text_count;
    uint32_t *before = xcalloc(count + 1, sizeof *before);
    uint64_t changed = 0;
    memcpy(before, program->package->text, count * sizeof *before);
    take_scalars(graph, program->scalars);
    rebind(program);
    for (size_t i = 0; i < count; i++)
        changed += before[i] != program->package->text[i];
    free(before);
    device->counts.patched_words += changed;
    charge_words(device, 4 * changed);
    return follow_constants(device, program, diag);
}

/* Registers that are no variables get bits that are free now. */
struct program_map {
    uint32_t first[64];
    uint64_t taken; /* registers that have some */
};

static void map_registers(mpu_device *device, const struct device_program *program,
                          const struct device_place *place, const uint32_t *first,
                          struct program_map *map) {
    const struct device_banks banks = device_place_banks(place);
    uint64_t own = ports(program);
    for (uint32_t v = 0; v < program->inputs + program->outputs; v++)
        map->first[program->object->vars.data[v].reg] = first[v];
    for (unsigned r = 0; r < 64; r++)
        if (!(own >> r & 1) && program->package->reg_bits[r]) {
            map->first[r] = device_banks_take(device, &banks, program->package->reg_bits[r]);
            map->taken |= UINT64_C(1) << r;
        }
}

/* VRFs that the program has to itself while it runs. */
struct own_vrfs {
    struct vrf_range *ranges;
    uint32_t *lanes; /* of one of each range */
    size_t count;
};

static void add_slab(const mpu_device *device, const struct device_slab *slab,
                     struct own_vrfs *to) {
    uint32_t rfhs = device->target->rfh_per_mpu, lanes = device->rooms[slab->slot].lanes;
    to->ranges = xreallocarray(to->ranges, to->count + slab->row_count + 1, sizeof *to->ranges);
    to->lanes = xreallocarray(to->lanes, to->count + slab->row_count + 1, sizeof *to->lanes);
    for (uint32_t i = 0; i < slab->row_count; i++, to->count++) {
        to->ranges[to->count] = (struct vrf_range){slab->rows[i] * rfhs, rfhs};
        to->lanes[to->count] = slab->chunk < lanes ? (uint32_t)slab->chunk : lanes;
    }
}

/* Registers that are no variables, and those of outputs where no other vectors have their bits. */
static uint64_t fresh_registers(const struct device_program *program,
                                const struct device_place *place, uint64_t taken) {
    if (device_place_banks(place).count > 1)
        return taken;
    for (uint32_t v = program->inputs; v < program->inputs + program->outputs; v++)
        taken |= UINT64_C(1) << program->object->vars.data[v].reg;
    return taken;
}

static void unmap_registers(const struct device_program *program, const struct device_place *place,
                            const struct program_map *map) {
    const struct device_banks banks = device_place_banks(place);
    for (unsigned r = 0; r < 64; r++)
        if (map->taken >> r & 1)
            device_banks_give(&banks, map->first[r], program->package->reg_bits[r]);
}

mpu_result device_run(mpu_device *device, const struct device_work *work, struct diag *diag) {
    struct control_config config = device->control_config;
    config.keep = work->keep;
    config.buffers = work->buffers;
    config.strides = work->strides;
    config.modules = work->modules;
    config.one_launch = work->one_launch;
    config.launched = work->launched;
    config.tables = device->tables;
    struct control *c =
        control_new(work->object, work->package, device->target, device->dp, &config);
    enum control_end end = control_run(c);
    device_count_run(device, work->object, c);
    if (end != CONTROL_DONE)
        diag_error(diag, NO_SPAN, "%s", control_message(c));
    control_free(c);
    if (end != CONTROL_DONE)
        return end == CONTROL_DIFFERS ? MPU_DIFFERS : MPU_STOPPED;
    if (device->dp->failure) {
        diag_error(diag, NO_SPAN, "%s", device->dp->failure);
        return MPU_CAPACITY;
    }
    return MPU_OK;
}

mpu_result device_program_run(mpu_device *device, struct device_program *program,
                              const struct device_graph *graph, const struct device_place *place,
                              const uint32_t *first, struct diag *diag) {
    struct program_map map = {0};
    if (!patch(device, program, graph, diag))
        return MPU_REJECTED;
    load(device, program);
    map_registers(device, program, place, first, &map);
    const struct package *p = program->package;
    struct own_vrfs own = {.count = 0};
    for (unsigned g = 0; g < DEVICE_GROUPS; g++)
        if (place->slabs[g])
            add_slab(device, place->slabs[g], &own);
    const struct dp_map where = {.code = p->code,
                                 .bits = p->reg_bits,
                                 .first = map.first,
                                 .kins = p->kins,
                                 .kin_count = p->kin_count,
                                 .there = {own.ranges, own.count},
                                 .lanes = own.lanes,
                                 .fresh = fresh_registers(program, place, map.taken)};
    device->dp->ops->remap(device->dp, &where);
    free(own.ranges);
    free(own.lanes);
    const struct device_work work = {
        .object = program->object, .package = program->package, .keep = program->keep};
    mpu_result r = device_run(device, &work, diag);
    unmap_registers(program, place, &map);
    return r;
}

bool device_program_time(mpu_device *device, struct device_program *program, uint64_t *ps) {
    if (device->golden)
        return false;
    struct place_count count = place_count(program->object, program->package, device->target,
                                           device->library, 0, PLACE_WORK);
    *ps = count.time_ps - count.established_ps; /* VRFs of vectors were set up before, as a rule */
    return count.known && count.whole;
}
