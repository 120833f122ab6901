/* SPDX-License-Identifier: MIT
 * The plain keys of a target file.  Each number has its unit in its key. */
#include "target/load.h"

#include "support/str.h"

#include <stdarg.h>
#include <string.h>

#define AT(member) ((ptrdiff_t)offsetof(struct target, member))
#define BLOCK(path, need, help)                                                                    \
    { path, KEY_BLOCK, need, 0, 0, 0, -1, NULL, help }
#define OPEN(path, need, help)                                                                     \
    { path, KEY_OPEN, need, 0, 0, 0, -1, NULL, help }
#define U32(path, need, min, max, member, help)                                                    \
    { path, KEY_U32, need, min, max, 1, AT(member), NULL, help }
#define U64(path, need, min, max, scale, member, help)                                             \
    { path, KEY_U64, need, min, max, scale, AT(member), NULL, help }
#define CHOICE(path, need, field, choices, help)                                                   \
    { path, KEY_CHOICE, need, 0, 0, 0, field, choices, help }
/* A mode of the host's link, but for the bandwidth from the VRFs. */
#define HOST_MODE(name, mode, help)                                                                \
    BLOCK("host.modes." name, NEED_NONE, help),                                                    \
        U64("host.modes." name ".in_bytes_per_s", NEED_COST, 1, (uint64_t)1 << 50, 1,              \
            host_modes[mode].in_bytes_per_s, "bandwidth to the VRFs, bytes per second"),           \
        U64("host.modes." name ".setup_ps", NEED_NONE, 0, MAX_PS, 1, host_modes[mode].setup_ps,    \
            "set-up of a transfer, ps"),                                                           \
        CHOICE("host.modes." name ".scope", NEED_NONE, AT(host_modes[mode].scope), "chip rfh vrf", \
               "what the bandwidth is of: units of it work at once")
/* Of modes by which several VRFs are served at once. */
#define HOST_FEWER(name, mode, which, i)                                                           \
    BLOCK("host.modes." name "." which, NEED_NONE, "the bandwidth of fewer VRFs"),                 \
        U32("host.modes." name "." which ".vrfs", NEED_COST, 0, 1u << 20,                          \
            host_modes[mode].fewer[i].vrfs, "so many of a unit of the scope; 0: it is not there"), \
        U64("host.modes." name "." which ".in_bytes_per_s", NEED_COST, 1, (uint64_t)1 << 50, 1,    \
            host_modes[mode].fewer[i].in_bytes_per_s, "bandwidth to them, bytes per second")
#define HOST_FEWER_OUT(name, mode, which, i)                                                       \
    U64("host.modes." name "." which ".out_bytes_per_s", NEED_COST, 1, (uint64_t)1 << 50, 1,       \
        host_modes[mode].fewer[i].out_bytes_per_s, "bandwidth from them, bytes per second")
#define HOST_TOGETHER(name, mode)                                                                  \
    U32("host.modes." name ".vrfs", NEED_NONE, 0, 1u << 20, host_modes[mode].vrfs,                 \
        "how many VRFs of a unit of the scope have that bandwidth; 0: any number"),                \
        HOST_FEWER(name, mode, "few", 0), HOST_FEWER(name, mode, "some", 1)
#define HOST_OUT(name, mode)                                                                       \
    U64("host.modes." name ".out_bytes_per_s", NEED_COST, 1, (uint64_t)1 << 50, 1,                 \
        host_modes[mode].out_bytes_per_s, "bandwidth from the VRFs, bytes per second")

/* A part of the front end: its share of the totals at a size. */
#define SHARE(name, share, unit)                                                                   \
    BLOCK("front_end.shares." name, NEED_NONE, "share of the totals"),                             \
        U32("front_end.shares." name ".area_permille", NEED_COST, 0, 1000, SHARE_AT(share).area,   \
            "of the area, thousandths"),                                                           \
        U32("front_end.shares." name ".static_permille", NEED_COST, 0, 1000,                       \
            SHARE_AT(share).power, "of the static power, thousandths"),                            \
        U32("front_end.shares." name ".energy_permille", NEED_COST, 0, 1000,                       \
            SHARE_AT(share).energy, "of the energy of a cycle, thousandths"),                      \
        U32("front_end.shares." name ".of", NEED_COST, 1, 1u << 30, SHARE_AT(share).of,            \
            "the size that this is of, " unit)
#define SHARE_AT(share) front_end_shares[share]

static const struct target_key_spec schema[] = {
    {"schema", KEY_U64, NEED_ALL, 1, 1, 1, -1, NULL, "version of the file's format"},
    {"name", KEY_TEXT, NEED_ALL, 0, 0, 0, -1, NULL, "name of the target"},
    {"kind", KEY_TEXT, NEED_ALL, 0, 0, 0, -1, NULL, "kind of machine"},
    {"summary", KEY_TEXT, NEED_NONE, 0, 0, 0, -1, NULL, "one line about it"},
    {"extends", KEY_TEXT, NEED_NONE, 0, 0, 0, -1, NULL, "target whose keys hold unless given here"},

    CHOICE(
        "arith", NEED_NONE, AT(arith), TARGET_ARITH_WORDS,
        "recipes in use: exact; flush: subnormal floats are zeros; compat: as published routines; "
        "serial: one micro-op at a time"),
    BLOCK("array", NEED_ALL, "one VRF"),
    U32("array.lanes", NEED_ALL, 1, 1u << 24, lanes, "elements of a vector register"),
    U64("array.area_um2", NEED_NONE, 0, MAX_UM2, 1, array_um2, "area of one VRF, um2"),
    U64("array.endurance", NEED_NONE, 0, (uint64_t)1 << 60, 1, endurance,
        "writes that a cell takes before it fails; 0: none is known to end its life"),

    BLOCK("machine", NEED_ALL, "the chip"),
    U32("machine.vrf_per_rfh", NEED_ALL, 1, 64, vrf_per_rfh, "VRFs per register file holder"),
    U32("machine.rfh_per_mpu", NEED_ALL, 1, 4096, rfh_per_mpu, "register file holders per MPU"),
    U32("machine.mpus", NEED_ALL, 1, TARGET_MAX_MPUS, mpus, "MPUs of the chip"),
    U32("machine.mpu_columns", NEED_NONE, 0, 1u << 20, mpu_columns,
        "MPUs in a row of the chip, for distances; 0: all"),
    U32("machine.active_vrf_per_rfh", NEED_ALL, 0, 64, active_vrf_per_rfh,
        "VRFs of an RFH that may work at once; 0: all"),
    CHOICE("machine.spread", NEED_NONE, AT(spread), "fill even",
           "elements of a group over VRFs: fill one after the other, or all alike"),
    U32("machine.lanes_unit", NEED_NONE, 1, 1u << 20, lanes_unit,
        "spread: even: elements of a VRF are a multiple of it"),

    BLOCK("clocks", NEED_COST, "periods"),
    U64("clocks.datapath_ps", NEED_COST, 1, MAX_PS, 1, datapath_ps, "period of the datapath, ps"),

    OPEN("time", NEED_NONE, "named times, ps"),
    OPEN("energy", NEED_COST, "named energies, fJ"),
    OPEN("sets", NEED_NONE, "alternative numbers, by name"),
    {"set", KEY_TEXT, NEED_NONE, 0, 0, 0, -1, NULL, "the sets in use, joined by +, or none"},

    BLOCK("area", NEED_NONE, "area of an MPU, without its front end"),
    CHOICE(
        "area.per", NEED_NONE, -1, "cell fixed",
        "with other sizes of the arrays than its file has, areas of arrays go by their cells, or "
        "stay"),
    U64("area.arrays_um2", NEED_NONE, 0, MAX_UM2, 1, arrays_um2, "arrays of one MPU, um2"),
    U64("area.scratch_um2", NEED_NONE, 0, MAX_UM2, 1, scratch_um2,
        "more of them for scratch rows that the published arrays have no room for, um2"),

    BLOCK("thermal", NEED_NONE, "how much power an area may take"),
    U64("thermal.limit_mw_per_cm2", NEED_NONE, 0, (uint64_t)1 << 40, 1, limit_mw_per_cm2,
        "power density of an MPU's datapath, mW/cm2; 0: no limit"),
    U64("thermal.window_ps", NEED_NONE, 0, MAX_PS, 1, window_ps,
        "time over which the limit counts at least, ps"),

    BLOCK("static", NEED_NONE, "power of the arrays"),
    CHOICE("static.per", NEED_NONE, -1, "cell fixed",
           "with other sizes of the arrays it goes by their cells, or stays"),
    U64("static.uw_per_mpu", NEED_NONE, 0, MAX_FJ, 1000, array_static_nw,
        "static power of the arrays per MPU, uW"),

    BLOCK("network", NEED_COST, "copies inside an MPU, and links between MPUs"),
    CHOICE("network.intra", NEED_COST, AT(network), "serial p2p ring host h-tree",
           "serial: one pair after the other; p2p: RFHs at once; ring: p2p over links from RFH to "
           "RFH; host: by way of the host; h-tree: lane by lane, in many VRFs at once"),
    CHOICE("network.per", NEED_NONE, -1, "lane fixed",
           "with other lanes than its file has, register_ps and bit_ps go by the lanes, or stay"),
    U64("network.setup_ps", NEED_COST, 0, MAX_PS, 1, setup_ps, "set-up per pair, ps"),
    U64("network.register_ps", NEED_COST, 0, MAX_PS, 1, register_ps, "per copied register, ps"),
    U64("network.bit_ps", NEED_NONE, 0, MAX_PS, 1, bit_ps, "per copied bit of a register, ps"),
    U64("network.energy_fj_per_bit", NEED_COST, 0, MAX_FJ, 1, network_fj_per_bit,
        "per copied bit of a lane, fJ"),
    U64("network.ring_hop_ps", NEED_NONE, 0, MAX_PS, 1, ring_hop_ps,
        "intra: ring: from an RFH to the next, ps"),
    U32("network.fan_out", NEED_NONE, 2, 1u << 16, fan_out,
        "intra: h-tree: VRFs of a knot, and knots of one above; else 4"),
    U32("network.move_bits", NEED_NONE, 1, 64, move_bits,
        "intra: h-tree: bits of a lane that one move takes; else one of each section"),
    CHOICE("network.chip", NEED_NONE, AT(chip), "mesh-2d mesh-1d torus ring",
           "how MPUs are joined; mesh-2d, torus: in rows of machine.mpu_columns"),
    U32("network.flit_bytes", NEED_NONE, 1, 1u << 20, flit_bytes,
        "what a link between MPUs carries at a time, bytes"),
    U64("network.flit_ps", NEED_NONE, 0, MAX_PS, 1, flit_ps, "a flit over a link, ps"),
    U64("network.hop_ps", NEED_NONE, 0, MAX_PS, 1, hop_ps,
        "first flit of a message from router to router, ps"),
    U64("network.header_bytes", NEED_NONE, 0, 1u << 20, 1, header_bytes,
        "of each message beside its data, bytes"),
    U64("network.hop_fj_per_bit", NEED_NONE, 0, MAX_FJ, 1, hop_fj_per_bit,
        "per bit and hop between MPUs, fJ"),

    BLOCK("dtc", NEED_NONE, "the data-transfer controller of an MPU"),
    U32("dtc.buffer_registers", NEED_NONE, 0, 1u << 20, buffer_registers,
        "registers that its buffer holds, for lane maps and moves; 0: none; else 64"),

    BLOCK("control", NEED_COST, "the control path of an MPU, and messages between MPUs"),
    CHOICE("control.cap", NEED_NONE, AT(cap), "active power",
           "VRFs that work at once: active_vrf_per_rfh, or by power density and its limit"),
    CHOICE(
        "control.front_end", NEED_NONE, AT(control), "mpu host host-all stream",
        "mpu: the MPU's own; host: the host's CPU decides jumps on data and sends messages (also: "
        "control=host); host-all: all control instructions go to it; stream: it sends what is "
        "issued, word by word"),
    U32("control.word_bytes", NEED_NONE, 0, 4096, word_bytes,
        "front_end: stream: a micro-op that is issued, bytes on the host's link"),
    U64("control.launch_ps", NEED_NONE, 0, MAX_PS, 1, launch_ps,
        "start of a run that a machine takes as a whole, ps"),
    U32("control.controllers", NEED_COST, 1, 64, controllers,
        "compute controllers: ensembles that are at work at once"),
    U32("control.playback_entries", NEED_NONE, 0, 1u << 20, playback_entries,
        "instructions of a body that the playback buffer holds; 0: there is none"),
    U32("control.issue_queue", NEED_NONE, 0, 1024, issue_queue,
        "micro-ops of a section that have not begun while more are issued to it"),
    U32("control.playback_entry_bits", NEED_NONE, 1, 1024, playback_entry_bits,
        "bits of an entry of the playback buffer; for its size alone"),
    U32("control.recipe_templates", NEED_NONE, 1, 1u << 20, recipe_templates,
        "templates that the recipe table holds"),
    U32("control.recipe_pointers", NEED_NONE, 1, 1024, recipe_pointers,
        "pointers of the recipe table: one for each recipe and each shared sequence"),
    U32("control.activation_bits", NEED_NONE, 0, 1u << 20, activation_bits,
        "bits of an activation board at least; one for each VRF of the MPU where these are more"),
    CHOICE("control.recipe_table", NEED_NONE, AT(recipe_table), "shared private",
           "one recipe table for all controllers of an MPU, or one each"),
    U32("control.efi_bits_per_cycle", NEED_COST, 1, 1u << 20, efi_bits_per_cycle,
        "mask bits that evaluation fetching looks at in a front-end cycle"),
    U64("control.instruction_store_bytes", NEED_COST, 4096, (uint64_t)1 << 40, 1,
        instruction_store_bytes, "text that the instruction store of an MPU holds, bytes"),
    CHOICE("control.scheduler", NEED_NONE, AT(scheduler), "hardware software",
           "what turns a body to its next batch"),
    U64("control.software_schedule_ps", NEED_NONE, 0, MAX_PS, 1, software_schedule_ps,
        "scheduler: software: per change of batch, ps"),
    U32("control.queue", NEED_NONE, 1, 1u << 16, queue_messages,
        "messages that may wait from one MPU to one other"),
    CHOICE("control.deadlock", NEED_NONE, AT(deadlock), "break stop",
           "a cycle of full queues: break it by way of a data buffer, or stop"),
    CHOICE("control.order", NEED_NONE, AT(order), "program paper",
           "ensembles between two MPU_SYNCs: as they stand, or in an order that the paper allows"),
    U64("control.order_seed", NEED_NONE, 0, UINT64_MAX, 1, order_seed,
        "order: paper: which of the orders"),

    BLOCK("host", NEED_COST, "the host link"),
    U64("host.bytes_per_s", NEED_COST, 1, (uint64_t)1 << 50, 1, host_bytes_per_s,
        "bandwidth, bytes per second"),
    BLOCK("host.modes", NEED_NONE, "its ways, where there are several"),
    HOST_MODE("serial", HOST_SERIAL, "one VRF after the other"),
    HOST_OUT("serial", HOST_SERIAL),
    HOST_MODE("parallel", HOST_PARALLEL, "many VRFs at once, as many bytes for each"),
    HOST_OUT("parallel", HOST_PARALLEL),
    HOST_TOGETHER("parallel", HOST_PARALLEL),
    HOST_FEWER_OUT("parallel", HOST_PARALLEL, "few", 0),
    HOST_FEWER_OUT("parallel", HOST_PARALLEL, "some", 1),
    HOST_MODE("broadcast", HOST_BROADCAST, "the same bytes to many VRFs"),
    HOST_TOGETHER("broadcast", HOST_BROADCAST),
    U64("host.fj_per_bit", NEED_COST, 0, MAX_FJ, 1, host_fj_per_bit, "energy per bit, fJ"),
    CHOICE("host.transpose", NEED_NONE, AT(transpose), "host none",
           "who turns elements into planes; none: they go as they are"),
    U64("host.transpose_bytes_per_s", NEED_NONE, 0, (uint64_t)1 << 50, 1,
        host_transpose_bytes_per_s, "bandwidth of that, bytes per second; 0: it takes no time"),
    U64("host.transpose_fj_per_byte", NEED_NONE, 0, MAX_FJ, 1, host_transpose_fj_per_byte,
        "energy of that per byte, fJ"),
    U64("host.round_trip_ps", NEED_NONE, 0, MAX_PS, 1, host_round_trip_ps,
        "control.front_end=host: of each decision and message, ps; host-all: of each control "
        "instruction"),
    U64("host.mask_bytes_per_s", NEED_NONE, 0, (uint64_t)1 << 50, 1, host_mask_bytes_per_s,
        "control.front_end=host: mask bits on their way to it, bytes per second; 0: bytes_per_s"),
    U64("host.active_mw", NEED_NONE, 0, MAX_MW, 1000000, host_active_nw,
        "control.front_end=host, host-all: the CPU's power in round trips, mW"),
    U64("host.idle_mw", NEED_NONE, 0, MAX_MW, 1000000, host_idle_nw,
        "control.front_end=host, host-all: its power while it waits, mW"),
    U64("host.element_ps", NEED_NONE, 0, MAX_PS, 1, host_element_ps,
        "of pipelines: an element that the host works on, moves, or puts together, ps"),
    U64("host.alloc_ps", NEED_NONE, 0, MAX_ONCE_PS, 1, host_alloc_ps,
        "of pipelines, once: getting the machine's units, ps"),
    U64("host.compile_ps", NEED_NONE, 0, MAX_ONCE_PS, 1, host_compile_ps,
        "of pipelines, once for each part: compiling it, ps"),
    U64("host.template_ps", NEED_NONE, 0, MAX_ONCE_PS, 1, host_template_ps,
        "of pipelines, once for each part: filling in the template, ps"),

    BLOCK("front_end", NEED_COST, "the MPU's control path"),
    U64("front_end.cycle_ps", NEED_COST, 1, MAX_PS, 1, front_end_ps,
        "period, ps: one micro-op or instruction slot"),
    U64("front_end.energy_fj_per_cycle", NEED_COST, 0, MAX_FJ, 1, front_end_stated.fj,
        "energy of a cycle in which the MPU issues, fJ, at the sizes of the shares"),
    U64("front_end.static_nw", NEED_COST, 0, MAX_FJ, 1, front_end_stated.static_nw,
        "power while the MPU has work, nW, at the sizes of the shares"),
    U64("front_end.area_um2", NEED_NONE, 0, MAX_UM2, 1, front_end_stated.um2,
        "area of one, um2, at the sizes of the shares"),
    U32("front_end.port_permille", NEED_NONE, 0, 100000, front_end_port,
        "a further port of a shared recipe table, thousandths of its bits"),
    BLOCK("front_end.shares", NEED_NONE, "parts of the totals that go with a size"),
    SHARE("storage", SHARE_STORAGE,
          "bits of playback buffer, recipe and pointer table, activation board"),
    SHARE("evaluation", SHARE_EVALUATION, "mask bits a cycle"),
    SHARE("transfer", SHARE_TRANSFER, "registers of the data-transfer controller's buffer"),
    SHARE("router", SHARE_ROUTER, "bytes of a flit of all ports and virtual channels"),
    SHARE("controllers", SHARE_CONTROLLERS, "compute controllers"),
};
#define SCHEMA_COUNT (sizeof schema / sizeof schema[0])

const struct target_key_spec *target_key_at(const struct target_kind *kind, size_t index) {
    if (index < SCHEMA_COUNT)
        return &schema[index];
    return kind && index - SCHEMA_COUNT < kind->key_count ? &kind->keys[index - SCHEMA_COUNT]
                                                          : NULL;
}

static bool is_own(const struct target_kind *kind, const struct target_key_spec *spec) {
    return kind && spec >= kind->keys && spec < kind->keys + kind->key_count;
}

static const struct target_key_spec *find_spec(const struct target_kind *kind, const char *path) {
    const struct target_key_spec *s;
    for (size_t i = 0; (s = target_key_at(kind, i)); i++)
        if (strcmp(s->path, path) == 0)
            return s;
    return NULL;
}

/* Named times and energies are numbers like the plain ones. */
static bool is_named_value(const char *path) {
    return strncmp(path, "time.", 5) == 0 ||
           (strncmp(path, "energy.", 7) == 0 && strcmp(path + 7, "per") != 0 &&
            strcmp(path + 7, "unit") != 0);
}

bool target_key_settable(const struct target_kind *kind, const char *path) {
    const struct target_key_spec *s = find_spec(kind, path);
    if (!s)
        return is_named_value(path);
    return strcmp(path, "set") == 0 || s->type == KEY_U32 ||
           (s->type == KEY_U64 && strcmp(path, "schema") != 0) || s->type == KEY_CHOICE;
}

const char *target_key_help(const struct target_kind *kind, const char *path) {
    const struct target_key_spec *s = find_spec(kind, path);
    if (s)
        return s->help;
    if (!is_named_value(path))
        return "";
    return path[0] == 't' ? "named time, ps" : "named energy, fJ";
}

void target_error(struct target_text *target_text, const struct yaml_node *node, const char *path,
                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct arena scratch = {0};
    const char *text = arena_vprintf(&scratch, format, args);
    va_end(args);
    if (node->overridden)
        diag_error(target_text->diag, NO_SPAN, "--set %s=%s: %s", path, node->text, text);
    else
        diag_error(target_text->diag, node->at, "%s: %s", path, text);
    arena_free(&scratch);
}

bool target_number(struct target_text *text, const struct yaml_node *node, const char *path,
                   uint64_t min, uint64_t max, uint64_t *value) {
    if (node->kind != NODE_SCALAR || !number_parse_u64(node->text, strlen(node->text), value)) {
        target_error(text, node, path, "expected a whole number");
        return false;
    }
    if (*value >= min && *value <= max)
        return true;
    target_error(text, node, path, "%s is outside %llu .. %llu", node->text,
                 (unsigned long long)min, (unsigned long long)max);
    return false;
}

static bool fill_choice(struct target_text *text, const struct target_key_spec *spec,
                        const struct yaml_node *node, int *value) {
    const char *word = spec->choices;
    for (int i = 0; *word; i++) {
        size_t size = strcspn(word, " ");
        if (node->kind == NODE_SCALAR && strlen(node->text) == size &&
            memcmp(node->text, word, size) == 0) {
            *value = i;
            return true;
        }
        word += size + (word[size] == ' ');
    }
    target_error(text, node, spec->path, "expected one of: %s", spec->choices);
    return false;
}

static bool fill_number(struct target_text *text, const struct target_key_spec *spec,
                        const struct yaml_node *node, char *field) {
    uint64_t value;
    if (!target_number(text, node, spec->path, spec->min, spec->max, &value))
        return false;
    if (field && spec->type == KEY_U32)
        *(uint32_t *)(void *)field = (uint32_t)value;
    else if (field)
        *(uint64_t *)(void *)field = value * spec->scale;
    return true;
}

bool target_flag(struct target_text *text, const struct yaml_node *node, const char *path,
                 bool *flag) {
    if (!node)
        return true;
    *flag = node->kind == NODE_SCALAR && strcmp(node->text, "true") == 0;
    if (*flag || (node->kind == NODE_SCALAR && strcmp(node->text, "false") == 0))
        return true;
    target_error(text, node, path, "expected true or false");
    return false;
}

bool target_check_keys(struct target_text *text, const struct yaml_node *map, const char *what,
                       const char *const *known, size_t count) {
    for (const struct yaml_node *n = map->first; n; n = n->next) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found |= strcmp(n->key, known[i]) == 0;
        if (found)
            continue;
        diag_error(text->diag, n->key_at, "unknown key '%s' of %s", n->key, what);
        diag_suggest(text->diag, n->key_at, n->key, known, count);
        return false;
    }
    return true;
}

static bool fill_key(struct target_text *text, const struct target_key_spec *spec,
                     const struct yaml_node *node, struct target *target) {
    char *base = is_own(text->kind, spec) ? target->own : (char *)target;
    char *field = spec->field >= 0 && base ? base + spec->field : NULL;
    int choice;
    switch (spec->type) {
    case KEY_U32:
    case KEY_U64:
        return fill_number(text, spec, node, field);
    case KEY_BOOL:
        return target_flag(text, node, spec->path, (bool *)(void *)field);
    case KEY_CHOICE:
        if (!fill_choice(text, spec, node, &choice))
            return false;
        if (field)
            memcpy(field, &choice, sizeof choice);
        return true;
    case KEY_TEXT:
        if (node->kind == NODE_SCALAR)
            return true;
        target_error(text, node, spec->path, "expected a text");
        return false;
    default:
        if (node->kind == NODE_MAP)
            return true;
        target_error(text, node, spec->path, "expected a block of keys");
        return false;
    }
}

static void unknown_key(struct target_text *text, const struct yaml_node *node,
                        const char *prefix) {
    size_t count = 0, skip = strlen(prefix), own = text->kind ? text->kind->key_count : 0;
    const char **known = ARENA_ARRAY(text->arena, SCHEMA_COUNT + own + 1, const char *);
    const struct target_key_spec *s;
    for (size_t i = 0; (s = target_key_at(text->kind, i)); i++)
        if (strncmp(s->path, prefix, skip) == 0 && !strchr(s->path + skip, '.'))
            known[count++] = s->path + skip;
    if (skip)
        known[count++] = "source";
    diag_error(text->diag, node->key_at, "unknown key '%s%s'", prefix, node->key);
    diag_suggest(text->diag, node->key_at, node->key, known, count);
    for (size_t i = 0; i + 1 < count; i++) {
        size_t size = strlen(node->key);
        if (strncmp(known[i], node->key, size) == 0 && known[i][size] == '_')
            diag_note(text->diag, node->key_at, "the unit belongs to the key: '%s'", known[i]);
    }
}

/* Keys of a block are listed, also of an open one where the kind lists what it has there. */
static bool is_listed(const struct target_kind *kind, const struct target_key_spec *block) {
    size_t size = strlen(block->path);
    for (size_t i = 0; block->type == KEY_OPEN && i < kind->key_count; i++)
        if (strncmp(kind->keys[i].path, block->path, size) == 0 && kind->keys[i].path[size] == '.')
            return true;
    return block->type == KEY_BLOCK;
}

static bool fill_block(struct target_text *text, struct yaml_node *map, const char *prefix,
                       struct target *target) {
    bool fine = true;
    for (struct yaml_node *n = map->first; n; n = n->next) {
        const char *path = arena_printf(text->arena, "%s%s", prefix, n->key);
        const struct target_key_spec *s = strchr(n->key, '.') ? NULL : find_spec(text->kind, path);
        if (!s) {
            unknown_key(text, n, prefix);
            fine = false;
        } else if (!fill_key(text, s, n, target)) {
            fine = false;
        } else if (is_listed(text->kind, s)) {
            fine &= fill_block(text, n, arena_printf(text->arena, "%s.", path), target);
        }
    }
    return fine;
}

struct yaml_node *target_find(struct yaml_node *map, const char *path) {
    size_t size = strcspn(path, ".");
    for (struct yaml_node *n = map->first; n; n = n->next)
        if (strlen(n->key) == size && memcmp(n->key, path, size) == 0) {
            if (!path[size])
                return n;
            return n->kind == NODE_MAP ? target_find(n, path + size + 1) : NULL;
        }
    return NULL;
}

bool target_check_value(struct target_text *text, const char *path, const struct yaml_node *node) {
    const struct target_key_spec *s = find_spec(text->kind, path);
    struct target scratch = {0}; /* without `own`: fields of a kind's own keys are not filled */
    uint64_t number;
    return s ? fill_key(text, s, node, &scratch)
             : target_number(text, node, path, 0, MAX_PS, &number);
}

/* Where a missing key belongs: its block, or the begin of the file. */
static struct span place_of_missing(struct target_text *text, const char *path) {
    const char *dot = strrchr(path, '.');
    struct span begin = {text->root->at.source, 0, 0};
    if (!dot)
        return begin;
    const struct yaml_node *n =
        target_find(text->root, arena_strndup(text->arena, path, (size_t)(dot - path)));
    return n ? n->key_at : begin;
}

/* The keys of a block that is missing need not be told one by one. */
static bool has_block(struct target_text *text, const char *path) {
    const char *dot = strrchr(path, '.');
    return !dot ||
           target_find(text->root, arena_strndup(text->arena, path, (size_t)(dot - path))) != NULL;
}

static bool is_needed(const struct target_kind *kind, const struct target_key_spec *spec) {
    return spec->need == NEED_ALL || (spec->need == NEED_COST && kind->costs);
}

/* The file says something else in the place of this key. */
static bool is_replaced(struct target_text *text, const char *path) {
    const struct yaml_node *intra = target_find(text->root, "network.intra");
    if (strcmp(path, "host.bytes_per_s") == 0)
        return target_find(text->root, "host.modes.serial") != NULL;
    if (!intra || intra->kind != NODE_SCALAR)
        return false;
    bool host = strcmp(intra->text, "host") == 0;
    if (strcmp(path, "network.setup_ps") == 0 || strcmp(path, "network.register_ps") == 0)
        return host || strcmp(intra->text, "h-tree") == 0;
    return strcmp(path, "network.energy_fj_per_bit") == 0 && host;
}

static bool is_missing(struct target_text *text, const char *path) {
    return !target_find(text->root, path) && has_block(text, path) && !is_replaced(text, path);
}

static bool check_needed(struct target_text *text) {
    const struct target_key_spec *s;
    bool fine = true;
    for (size_t i = 0; (s = target_key_at(text->kind, i)); i++)
        if (is_needed(text->kind, s) && is_missing(text, s->path)) {
            diag_error(text->diag, place_of_missing(text, s->path), "'%s' is missing: %s", s->path,
                       s->help);
            fine = false;
        }
    return fine;
}

static bool some_kind_has(const char *path) {
    for (size_t i = 0; machine_target_kinds[i]; i++)
        if (find_spec(machine_target_kinds[i], path))
            return true;
    return false;
}

/* A file without a kind, or of one that there is not, is looked at no further: which keys it may
 * have is not known. */
static bool check_kind(struct target_text *text) {
    const struct yaml_node *n = target_node_find(text->root, "kind");
    if (text->kind)
        return true;
    for (const struct yaml_node *key = text->root->first; key && !n; key = key->next)
        if (!some_kind_has(key->key)) { /* a slip of the pen for it? */
            unknown_key(text, key, "");
            return false;
        }
    if (!n) {
        diag_error(text->diag, place_of_missing(text, "kind"), "'kind' is missing: %s",
                   target_key_help(NULL, "kind"));
        return false;
    }
    struct str list = {0};
    for (size_t i = 0; machine_target_kinds[i]; i++)
        str_printf(&list, "%s%s", i ? " " : "", machine_target_kinds[i]->name);
    target_error(text, n, "kind", "expected one of: %s", str_text(&list));
    str_free(&list);
    return false;
}

bool target_schema_fill(struct target_text *text, struct target *target) {
    return check_kind(text) && fill_block(text, text->root, "", target) && check_needed(text);
}
