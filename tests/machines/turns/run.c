/* SPDX-License-Identifier: MIT
 * The run half: what an instruction does, and threads that take turns. */
#include "tests/machines/turns/turns.h"

#include "machines/stored/run/stored.h"

#include <string.h>

enum { PART_CORE, PART_MEMORY };
static const char *const parts[] = {"core", "memory"};
enum { WAITED, LOCKS, COUNTERS };
static const char *const counters[] = {"waited_cycles", "locks"};
enum { IDLE, ACCESSES, UNIT_COUNTS };
static const char *const unit_counts[] = {"idle_slots", "accesses"};

static void price(const struct target *t, uint32_t op, struct dp_kind *out) {
    const struct turns_keys *k = t->own;
    bool access = op == TURNS_LOAD || op == TURNS_STORE || op == TURNS_GET || op == TURNS_PUT;
    out->part = access ? PART_MEMORY : PART_CORE;
    out->energy_fj = access ? k->access_fj : k->alu_fj;
}

/* Arguments from x1 on; x38: how many workers; x39: which one. */
static void begin(struct stored_core *c, const struct stored_worker *w) {
    memcpy(&c->x[1], w->arguments, w->count * sizeof *w->arguments);
    c->x[38] = w->workers;
    c->x[39] = w->number;
}

/* ---- threads of a core ---- */

struct thread {
    struct stored_core c;
    uint64_t x[TURNS_REGISTERS];
    uint64_t ready; /* from this cycle on */
    uint64_t asked; /* in what order it came to its lock, from 1; 0: it waits for none */
    uint32_t lock;  /* that it waits for */
    bool over;
};
struct core {
    struct stored_unit *unit;
    struct thread threads[TURNS_THREADS];
    uint32_t count;
    struct thread *has[TURNS_LOCKS];
    uint64_t now, memory_free, asked; /* cycle; when memory is free; how many had to wait */
};

/* What a word has done to the thread that it is of; NULL: a routine's. */
static struct core *core_of(const struct stored_core *c) {
    return c->own;
}
static struct thread *thread_of(struct stored_core *c) {
    return (struct thread *)(void *)c;
}

static void rest(struct stored_core *c, uint64_t until) {
    struct thread *t = thread_of(c);
    if (core_of(c) && until > t->ready)
        t->ready = until;
}

static bool access(struct stored_core *c, uint64_t word) {
    const struct turns_keys *k = c->keys;
    struct core *core = core_of(c);
    uint64_t *d = &c->x[word >> 30 & 63], at = c->x[word >> 24 & 63];
    if (core) {
        uint64_t start = core->memory_free > core->now ? core->memory_free : core->now;
        core->memory_free = start + k->access_cycles;
        rest(c, start + k->latency_cycles);
    }
    c->unit_counts[ACCESSES]++;
    return c->op == TURNS_LOAD ? stored_memory_get(c, at, 8, d) : stored_memory_put(c, at, 8, *d);
}

/* A thread that has to wait stays at the word, and goes on behind it when it has the lock. */
static bool lock(struct stored_core *c, uint32_t which) {
    struct core *core = core_of(c);
    struct thread *t = thread_of(c);
    if (!core)
        return stored_fails(c, "has no locks");
    if (core->has[which] == t)
        return stored_fails(c, "has that lock");
    c->counts[LOCKS]++;
    if (!core->has[which]) {
        core->has[which] = t;
        return true;
    }
    t->lock = which;
    t->asked = ++core->asked;
    c->at--;
    return true;
}

static bool unlock(struct stored_core *c, uint32_t which) {
    struct core *core = core_of(c);
    struct thread *next = NULL;
    if (!core || core->has[which] != thread_of(c))
        return stored_fails(c, "does not have that lock");
    for (uint32_t i = 0; i < core->count; i++) {
        struct thread *t = &core->threads[i];
        if (t->asked && t->lock == which && (!next || t->asked < next->asked))
            next = t;
    }
    core->has[which] = next;
    if (next) {
        next->asked = 0;
        next->c.at++;
        next->ready = core->now + 1;
    }
    return true;
}

/* ---- instructions ---- */

static uint64_t compute(enum turns_operation op, uint64_t a, uint64_t b) {
    switch (op) {
    case TURNS_ADD:
        return a + b;
    case TURNS_SUB:
        return a - b;
    case TURNS_AND:
        return a & b;
    case TURNS_OR:
        return a | b;
    case TURNS_XOR:
        return a ^ b;
    case TURNS_NAND:
        return ~(a & b);
    case TURNS_NOR:
        return ~(a | b);
    case TURNS_SHL:
        return a << (b & 63);
    case TURNS_SHR:
        return a >> (b & 63);
    case TURNS_SAR:
        return (uint64_t)((int64_t)a >> (b & 63));
    case TURNS_LT:
        return a < b;
    case TURNS_LTS:
        return (int64_t)a < (int64_t)b;
    case TURNS_EQ:
        return a == b;
    case TURNS_NE:
        return a != b;
    case TURNS_MUL:
        return a * b;
    default:
        return a > b ? a : b;
    }
}

static bool arithmetic(struct stored_core *c, uint64_t word) {
    uint32_t form = c->op - TURNS_FIRST, condition = form % TURNS_CONDITIONS;
    int64_t number = (int64_t)(((word >> 12 & 63) << 6 | (word >> 18 & 63)) << 52) >> 52;
    uint64_t b = form & TURNS_CONDITIONS ? (uint64_t)number : c->x[word >> 18 & 63];
    uint64_t value = compute(form / (2 * TURNS_CONDITIONS), c->x[word >> 24 & 63], b);
    c->x[word >> 30 & 63] = value;
    if (condition == 31   ? value != 0
        : condition == 30 ? value == 0
                          : condition && value >> (condition - 1) & 1)
        c->at = (uint32_t)(word & 0xfff);
    return true;
}

static bool step(struct stored_core *c, uint64_t word) {
    uint64_t *d = &c->x[word >> 30 & 63];
    switch ((enum turns_op)c->op) {
    case TURNS_END:
        return true;
    case TURNS_GET:
        return stored_place_get(c, word & 0x7fff, 0, d);
    case TURNS_PUT:
        return stored_place_put(c, word & 0x7fff, 0, *d);
    case TURNS_SET:
        *d = (uint64_t)((int64_t)(word << 34) >> 34);
        return true;
    case TURNS_LOAD:
    case TURNS_STORE:
        return access(c, word);
    case TURNS_LOCK:
        return lock(c, word & 3);
    case TURNS_UNLOCK:
        return unlock(c, word & 3);
    case TURNS_NAP:
        if (core_of(c))
            rest(c, core_of(c)->now + (word & 0xfff));
        return true;
    case TURNS_JUMP:
        c->at = (uint32_t)(word & 0xfff);
        return true;
    default:
        return arithmetic(c, word);
    }
}

/* ---- a launch on a unit ---- */

/* Of those that are ready first the one of the lowest number; NULL: none will be. */
static struct thread *next_thread(struct core *core) {
    struct thread *next = NULL;
    for (uint32_t i = 0; i < core->count; i++) {
        struct thread *t = &core->threads[i];
        if (!t->over && !t->asked && (!next || t->ready < next->ready))
            next = t;
    }
    return next;
}

static struct thread *one_that_waits(struct core *core) {
    for (uint32_t i = 0; i < core->count; i++)
        if (core->threads[i].asked)
            return &core->threads[i];
    return NULL;
}

static bool begin_threads(struct core *core) {
    struct stored_unit *u = core->unit;
    for (uint64_t n = u->first; n < u->workers; n += u->every, core->count++) {
        struct thread *t = &core->threads[core->count < TURNS_THREADS ? core->count : 0];
        stored_thread_begin(u, &t->c, (uint32_t)n, t->x);
        t->c.own = core;
        if (core->count == TURNS_THREADS)
            return stored_stop(u, &t->c, "is more than the 24 threads of a core");
    }
    return true;
}

static bool work(struct stored_unit *u) {
    const struct turns_keys *k = stored_target(u->machine)->own;
    struct core core = {.unit = u};
    struct thread *t;
    if (!begin_threads(&core))
        return false;
    while ((t = next_thread(&core))) {
        uint64_t now = t->ready > core.now ? t->ready : core.now;
        u->work->unit_counts[IDLE] += now - core.now;
        u->work->cycles = core.now = now;
        t->ready = now + k->gap_cycles;
        enum stored_issue how = stored_issue(u, &t->c);
        if (how == STORED_STOPPED)
            return false;
        t->over = how == STORED_ENDED;
        core.now++;
    }
    if ((t = one_that_waits(&core)))
        return stored_stop(u, &t->c, "waits for a lock, as all others do");
    u->work->cycles = core.memory_free > core.now ? core.memory_free : core.now;
    return stored_unit_goes_on(u);
}

static const struct stored_engine engine = {.kind = &turns_stored,
                                            .ops = &turns_engine,
                                            .step = step,
                                            .begin = begin,
                                            .work = work,
                                            .price = price,
                                            .parts = parts,
                                            .part_count = 2,
                                            .counters = counters,
                                            .counter_count = COUNTERS,
                                            .unit_counter = "core_cycles",
                                            .unit_counts = unit_counts,
                                            .unit_counts_count = UNIT_COUNTS,
                                            .track = "core",
                                            .worker = "thread"};

static struct datapath *open_machine(const struct dp_setup *setup, struct diag *d) {
    return stored_machine_open(&engine, setup, d);
}

const struct datapath_ops turns_engine = {STORED_DATAPATH, .name = "strict", .open = open_machine};
