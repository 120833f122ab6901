/* SPDX-License-Identifier: MIT
 * The run half: what an instruction does, and what it takes. */
#include "core.h"

#include "machines/stored/run/stored.h"

#include <string.h>

enum { PART_CORE, PART_MEMORY };
static const char *const parts[] = {"core", "memory"};
enum { PORT_STALLS, TAKEN_BRANCHES, COUNTERS };
static const char *const counters[] = {"port_stall_cycles", "taken_branches"};

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

static bool access(struct stored_core *c, uint64_t word, bool load) {
    const struct core_keys *k = c->keys;
    uint64_t address = c->x[CORE_B(word)];
    c->cycles = k->access_cycles;
    *c->shared += k->port_cycles;
    return load ? stored_place_get(c, CORE_IMM(word), address, &c->x[CORE_D(word)])
                : stored_place_put(c, CORE_IMM(word), address, c->x[CORE_A(word)]);
}

static void branch(struct stored_core *c, uint64_t word) {
    c->at = (uint32_t)CORE_IMM(word);
    c->cycles = ((const struct core_keys *)c->keys)->branch_cycles;
    c->counts[TAKEN_BRANCHES]++;
}

static bool step(struct stored_core *c, uint64_t word) {
    uint64_t *x = c->x, *d = &x[CORE_D(word)], a = x[CORE_A(word)], b = x[CORE_B(word)];
    switch ((enum core_op)(c->op & 15)) {
    case CORE_LD:
    case CORE_ST:
        if (!access(c, word, c->op == CORE_LD))
            return false;
        break;
    case CORE_LI:
        *d = (uint64_t)(int16_t)CORE_IMM(word);
        break;
    case CORE_ADD:
        *d = a + b;
        break;
    case CORE_SUB:
        *d = a - b;
        break;
    case CORE_AND:
        *d = a & b;
        break;
    case CORE_OR:
        *d = a | b;
        break;
    case CORE_XOR:
        *d = a ^ b;
        break;
    case CORE_SHL:
        *d = b < 64 ? a << b : 0;
        break;
    case CORE_SHR:
        *d = b < 64 ? a >> b : 0;
        break;
    case CORE_SAR:
        *d = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
        break;
    case CORE_LTU:
        *d = a < b;
        break;
    case CORE_LTS:
        *d = (int64_t)a < (int64_t)b;
        break;
    case CORE_BEQZ:
    case CORE_BNEZ:
        if ((a == 0) == (c->op == CORE_BEQZ))
            branch(c, word);
        break;
    case CORE_END:
    case CORE_OPS:
        break;
    }
    x[0] = 0;
    return true;
}
STORED_INTERPRETER(interpret, step)

static const struct stored_engine engine = {
    .kind = &core_stored,
    .ops = &core_engine,
    .step = step,
    .interpret = interpret,
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

const struct datapath_ops core_engine = {STORED_DATAPATH, .name = "strict", .open = open_machine};
