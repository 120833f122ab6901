/* SPDX-License-Identifier: MIT
 * The run half: what an instruction does, and what it takes. */
#include "core.h"

#include "machines/stored/run/stored.h"

#include <string.h>

enum { PART_CORE, PART_MEMORY };
static const char *const parts[] = {"core", "memory"};
enum { PORT_STALLS, TAKEN_BRANCHES, COUNTERS };
static const char *const counters[] = {"port_stall_cycles", "taken_branches"};

static const struct core_keys *keys_of(const struct stored_core *c) {
    return stored_target(c->machine)->own;
}

static void price(const struct target *t, uint32_t op, struct dp_kind *out) {
    const struct core_keys *k = t->own;
    bool access = op == CORE_LD || op == CORE_ST;
    out->part = access ? PART_MEMORY : PART_CORE;
    out->energy_fj = access ? k->access_fj : k->alu_fj;
}

/* Workers find their arguments in x1 and on, what entries of a module share in x13, how many
 * workers there are in x14, and their own number in x15. */
static void begin(struct stored_core *c, const struct stored_worker *w) {
    memcpy(&c->x[1], w->arguments, w->count * sizeof *w->arguments);
    if (w->shared)
        c->x[13] = w->shared;
    c->x[14] = w->workers;
    c->x[15] = w->number;
}

static uint64_t compute(enum core_op op, uint64_t a, uint64_t b) {
    return op == CORE_ADD   ? a + b
           : op == CORE_SUB ? a - b
           : op == CORE_AND ? a & b
           : op == CORE_OR  ? a | b
           : op == CORE_XOR ? a ^ b
           : op == CORE_SHL ? (b < 64 ? a << b : 0)
           : op == CORE_SHR ? (b < 64 ? a >> b : 0)
           : op == CORE_SAR ? (uint64_t)((int64_t)a >> (b < 64 ? b : 63))
           : op == CORE_LTU ? a < b
                            : (int64_t)a < (int64_t)b;
}

static bool access(struct stored_core *c, uint32_t word, bool load) {
    uint64_t address = c->x[CORE_B(word)];
    c->cycles = keys_of(c)->access_cycles;
    c->shared = keys_of(c)->port_cycles;
    return load ? stored_place_get(c, CORE_IMM(word), address, &c->x[CORE_D(word)])
                : stored_place_put(c, CORE_IMM(word), address, c->x[CORE_A(word)]);
}

static void branch(struct stored_core *c, uint32_t word) {
    c->at = CORE_IMM(word);
    c->cycles = keys_of(c)->branch_cycles;
    c->counts[TAKEN_BRANCHES]++;
}

static bool step(struct stored_core *c, uint32_t word) {
    enum core_op op = stored_op(&core_stored.isa, word);
    uint64_t a = c->x[CORE_A(word)];
    bool fine = true;
    if (op == CORE_LD || op == CORE_ST)
        fine = access(c, word, op == CORE_LD);
    else if (op == CORE_LI)
        c->x[CORE_D(word)] = (uint64_t)(int16_t)CORE_IMM(word);
    else if (op == CORE_BEQZ ? a == 0 : op == CORE_BNEZ && a != 0)
        branch(c, word);
    else if (op >= CORE_ADD && op <= CORE_LTS)
        c->x[CORE_D(word)] = compute(op, a, c->x[CORE_B(word)]);
    c->x[0] = 0;
    return fine;
}

static const struct stored_engine engine = {
    .kind = &core_stored,
    .ops = &core_engine,
    .step = step,
    .begin = begin,
    .price = price,
    .parts = parts,
    .part_count = 2,
    .counters = counters,
    .counter_count = COUNTERS,
    .unit_counter = "core_cycles",
    .track = "core",
};

static struct datapath *open_machine(const struct dp_setup *setup, struct diag *d) {
    return stored_machine_open(&engine, setup, d);
}

const struct datapath_ops core_engine = {
    .name = "strict",
    .open = open_machine,
    .close = stored_machine_close,
    .prepare = stored_prepare,
    .describe = stored_describe,
    .bind = stored_bind,
    .execute = stored_execute,
    .follow = stored_follow,
    .pass = stored_pass,
    .any = state_any,
    .copy = stored_copy,
    .get = state_get,
    .put = state_put,
    .mem_alloc = stored_mem_alloc,
    .mem_alloc_slices = stored_mem_alloc_slices,
    .mem_free = stored_mem_free,
    .mem_put = stored_mem_put,
    .mem_get = stored_mem_get,
    .launch = stored_launch,
    .counters = stored_counters,
    .unit_counters = stored_unit_counters,
    .observe = stored_observe,
    .format = stored_format,
    .snapshot = stored_snapshot,
};
