/* SPDX-License-Identifier: MIT
 * Commands on rows: a VRF's rows stay in the host's cache while all commands of a run work on
 * them, and where there are more rows than caches hold, those of the next VRF come meanwhile.  With
 * an observer command after command goes through all VRFs of a range. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes: rows that a run names in all of its VRFs, from which on they are fetched ahead, and how
 * much of each is fetched at a time.  Measured (bench_slot): below, fetching costs a third; above,
 * commands gain a seventh to a half. */
enum { FETCH_FROM = 16 << 20, FETCH_TILE = 2048, FETCH_LINE = 64 };

/* Registers that an op is the first of its run to name. */
struct first_uses {
    uint8_t count, reg[3];
};

/* A VRF at work. */
struct vrf_at_work {
    struct slot_vrf *vrf; /* NULL beyond the memory limit */
    uint32_t number;
    uint64_t *scratch; /* [code.scratch][words of a register] */
    uint64_t *buffer;  /* what the last query left; [words] */
    uint64_t missed;   /* slots of queries without a match */
    struct str *why;   /* what to say of one that stops; NULL: the machine says it, and stops */
    const uint64_t *ahead[3]; /* rows of the next VRF that come while the op works */
    unsigned ahead_count;
};

/* SLOT_STAYING: it is no row that stays. */
static unsigned staying_row(const struct dp_code *code, const struct slot_op *op, uint16_t row) {
    const struct insn *x = &code->insns[op->insn];
    const unsigned named[] = {x->rs, x->rt, x->rd, SLOT_ROW_C, SLOT_ROW_M, SLOT_ROW_VALID};
    return row < sizeof named / sizeof *named ? named[row] : SLOT_STAYING;
}

/* A row as an op names it: of what takes several the one that it is about. */
static uint64_t *row_of(struct slot_datapath *m, const struct dp_code *code, struct vrf_at_work *b,
                        const struct slot_op *op, uint16_t row) {
    size_t at = op->row * m->row_words;
    if (row >= ROW_CONSTANT)
        return code->constants + (size_t)(row - ROW_CONSTANT) * m->row_words;
    if (row >= ROW_SCRATCH)
        return b->scratch + (size_t)(row - ROW_SCRATCH) * b->vrf->words + at;
    if (row == ROW_BUFFER)
        return b->buffer + at;
    uint64_t *words = slot_row(m, b->vrf, b->number, staying_row(code, op, row));
    return words ? words + at : NULL;
}

/* How many words of a row come next; as many of each row ahead are on their way then. */
static size_t next_tile(const struct vrf_at_work *b, size_t at, size_t words) {
    const size_t line = FETCH_LINE / sizeof *b->buffer, tile = FETCH_TILE / sizeof *b->buffer,
                 left = words - at, n = b->ahead_count && left > tile ? tile : left;
    for (unsigned i = 0; i < b->ahead_count; i++)
        for (size_t w = at; w < at + n; w += line)
            __builtin_prefetch(b->ahead[i] + w, 0, 2);
    return n;
}

static struct slot_remains *remains_of(struct slot_datapath *m, struct vrf_at_work *b,
                                       uint32_t table) {
    struct slot_vrf *x = b->vrf;
    if (table >= x->remains_count) {
        x->remains = xreallocarray(x->remains, table + 1, sizeof *x->remains);
        memset(x->remains + x->remains_count, 0,
               (table + 1 - x->remains_count) * sizeof *x->remains);
        x->remains_count = table + 1;
    }
    struct slot_remains *r = &x->remains[table];
    if (!r->index && slot_take_bytes(m, 2 * x->words * sizeof *r->index)) {
        r->index = xcalloc(x->words, sizeof *r->index);
        r->alive = xcalloc(x->words, sizeof *r->alive);
    }
    return r->index ? r : NULL;
}

/* Which slot it was that matched nothing; the control path says which instruction, and its line. */
static void stop_at_miss(struct slot_datapath *m, const struct dp_code *code,
                         const struct slot_op *op, const struct vrf_at_work *b,
                         const uint64_t *from) {
    const struct slot_lookup *l = &code->lookups.data[op->lookup];
    char text[256];
    uint64_t field = 0, value = 0;
    for (uint64_t fields = m->row_words * 64 / l->bits; field < fields; field++) {
        value = slot_lane_read(from, l->bits, (uint32_t)field);
        if (value >= l->rows)
            break;
    }
    snprintf(text, sizeof text,
             "a query of %" PRIu64 " rows finds none for 0x%" PRIx64 " in lane %" PRIu64
             " of VRF %" PRIu32 ", slots of %u bits (strict.nomatch)",
             l->rows, value,
             field * l->bits / code->slot + op->row * (uint64_t)m->own->row_bits / code->slot,
             b->number, code->slot);
    if (b->why)
        str_append(b->why, text);
    else
        slot_fail_at(m, code, op->insn, text);
}

static void run_query(struct slot_datapath *m, const struct dp_code *code, const struct slot_op *op,
                      struct vrf_at_work *b, uint64_t *to, const uint64_t *from) {
    const struct slot_lookup *l = &code->lookups.data[op->lookup];
    size_t words = m->row_words, at = op->row * words;
    uint64_t *buffer = code->reads_buffer ? b->buffer + at : to;
    struct slot_remains *left =
        m->own->destructive ? remains_of(m, b, code->lookup_tables.data[op->lookup]) : NULL;
    uint64_t missed;
    if (left) {
        /* A table that nobody swept is as it was loaded. */
        bool there = m->own->reload != SLOT_RELOAD_NONE || !left->swept;
        struct slot_remains row = {left->index + at, left->alive + at, left->swept};
        missed = slot_query_destructive(l, buffer, from, words, &row, there);
        left->swept |= op->row + 1 == code->rows;
    } else {
        missed = 0;
        for (size_t w = 0, n; w < words; w += n) {
            n = next_tile(b, w, words);
            missed += slot_query(l, buffer + w, from + w, n);
        }
    }
    b->missed += missed;
    if (missed && m->own->no_match == SLOT_NO_MATCH_STOP)
        stop_at_miss(m, code, op, b, from);
    if (buffer != to)
        memcpy(to, buffer, words * sizeof *to);
}

static void run_op(struct slot_datapath *m, const struct dp_code *code, const struct slot_op *op,
                   struct vrf_at_work *b) {
    const struct row_command *c = &op->command;
    if ((unsigned)c->kind == SLOT_LOAD_TABLE)
        return;
    uint64_t *to = row_of(m, code, b, op, c->dst);
    bool bytes = c->kind == ROW_BYTE_SHIFT_L || c->kind == ROW_BYTE_SHIFT_R,
         left = c->kind == ROW_BIT_SHIFT_L || c->kind == ROW_BYTE_SHIFT_L,
         two = c->kind >= ROW_AND && c->kind <= ROW_XNOR;
    if (!to)
        return;
    if (bytes || left || c->kind == ROW_BIT_SHIFT_R) {
        next_tile(b, 0, m->row_words);
        slot_shift(to, m->row_words, (size_t)c->count * (bytes ? 8 : 1), left);
        return;
    }
    const uint64_t *from = row_of(m, code, b, op, c->a),
                   *with = two ? row_of(m, code, b, op, c->b) : from;
    if (from && c->kind == ROW_QUERY)
        run_query(m, code, op, b, to, from);
    else if (from && with)
        for (size_t w = 0, n; w < m->row_words; w += n) {
            n = next_tile(b, w, m->row_words);
            slot_logic(c->kind, to + w, from + w, with + w, n);
        }
}

static void bench_open(struct slot_datapath *m, const struct dp_code *code, uint32_t v,
                       struct vrf_at_work *b) {
    b->vrf = slot_vrf(m, v);
    b->number = v;
    size_t words = b->vrf->words, rows = code->scratch + 1;
    if (!b->scratch)
        b->scratch = xcalloc(rows * words, sizeof *b->scratch);
    b->buffer = b->scratch + code->scratch * words;
}

void slot_count(struct slot_datapath *m, const struct dp_code *code, uint64_t vrfs,
                uint64_t missed) {
    atomic_fetch_add(&m->counters[SLOT_COUNT_NO_MATCH], missed);
    atomic_fetch_add(&m->counters[SLOT_COUNT_RELOADS], code->reloads * vrfs);
    atomic_fetch_add(&m->counters[SLOT_COUNT_SWEEPS], code->sweeps * vrfs);
    atomic_fetch_add(&m->counters[SLOT_COUNT_ROWS], code->rows_swept * vrfs);
    for (unsigned i = 0; i < SLOT_COMMANDS; i++)
        atomic_fetch_add(&m->counters[SLOT_COUNT_COMMANDS + i], code->commands[i] * vrfs);
}

/* [ops], to be freed; NULL where caches hold all rows of so many VRFs. */
static struct first_uses *first_uses(const struct slot_datapath *m, const struct dp_code *code,
                                     uint64_t vrfs) {
    struct first_uses *uses = xcalloc(code->ops.len + 1, sizeof *uses);
    bool *named = xcalloc((size_t)(SLOT_STAYING + 1) * code->rows, 1);
    uint64_t rows = 0;
    for (size_t k = 0; k < code->ops.len; k++) {
        const struct slot_op *op = &code->ops.data[k];
        const uint16_t all[] = {op->command.dst, op->command.a, op->command.b};
        for (unsigned i = 0; i < 3 && (unsigned)op->command.kind < ROW_COMMANDS; i++) {
            unsigned reg = staying_row(code, op, all[i]);
            bool *was = &named[(size_t)reg * code->rows + op->row];
            if (reg < SLOT_STAYING && !*was)
                uses[k].reg[uses[k].count++] = (uint8_t)reg;
            *was = true;
        }
        rows += uses[k].count;
    }
    free(named);
    if (rows * vrfs * m->row_words * sizeof(uint64_t) > FETCH_FROM)
        return uses;
    free(uses);
    return NULL;
}

static void look_ahead(struct slot_datapath *m, const struct slot_op *op,
                       const struct first_uses *uses, uint32_t next, struct vrf_at_work *b) {
    const struct slot_vrf *x = atomic_load_explicit(&m->vrf[next], memory_order_acquire);
    for (unsigned i = 0; x && i < uses->count; i++)
        if (x->row[uses->reg[i]] && x->words == b->vrf->words)
            b->ahead[b->ahead_count++] = x->row[uses->reg[i]] + op->row * m->row_words;
}

/* One VRF after the other; scratch is the same memory for all. */
static void run_quietly(struct slot_datapath *m, const struct dp_code *code, struct vrf_range range,
                        const struct first_uses *uses, struct vrf_at_work *b) {
    const uint32_t end = range.first + range.count;
    for (uint32_t v = range.first; v < end; v++) {
        bench_open(m, code, v, b);
        for (size_t k = 0; k < code->ops.len; k++) {
            const struct slot_op *op = &code->ops.data[k];
            b->ahead_count = 0;
            if (uses && uses[k].count && v + 1 < end)
                look_ahead(m, op, &uses[k], v + 1, b);
            run_op(m, code, op, b);
        }
    }
}

bool slot_execute_alone(struct slot_datapath *m, const struct dp_code *code, struct slot_vrf *vrf,
                        uint32_t number, uint64_t *scratch, struct str *why, uint32_t *word) {
    struct vrf_at_work b = {.vrf = vrf, .number = number, .scratch = scratch, .why = why};
    b.buffer = scratch + code->scratch * vrf->words;
    for (size_t k = 0; k < code->ops.len && !why->len; k++) {
        run_op(m, code, &code->ops.data[k], &b);
        *word = code->ops.data[k].command.word;
    }
    atomic_fetch_add(&m->counters[SLOT_COUNT_NO_MATCH], b.missed);
    return !why->len;
}

static void report(const struct slot_datapath *m, const struct dp_code *code,
                   struct vrf_range range, size_t k, uint64_t start_ps) {
    const struct slot_op *op = &code->ops.data[k];
    const struct slot_record record = {&op->command, code->pool, &code->insns[op->insn],
                                       k == 0 ? code->slot : 0, op->tells};
    const struct dp_event e = {.vrf_first = range.first,
                               .vrf_count = range.count,
                               .insn = op->insn,
                               .start_ps = start_ps,
                               .kind = op->command.kind,
                               .record = &record};
    m->observer(m->observer_context, &e);
}

static uint64_t run_observed(struct slot_datapath *m, const struct dp_code *code,
                             struct vrf_range range, uint64_t begin_ps, const uint64_t *starts) {
    struct vrf_at_work *all = xcalloc(range.count, sizeof *all);
    uint64_t missed = 0;
    for (uint32_t i = 0; !m->setup.costs_only && i < range.count; i++)
        bench_open(m, code, range.first + i, &all[i]);
    for (size_t k = 0; k < code->ops.len; k++) {
        for (uint32_t i = 0; !m->setup.costs_only && i < range.count; i++)
            run_op(m, code, &code->ops.data[k], &all[i]);
        report(m, code, range, k, sat_add(begin_ps, starts[k]));
    }
    for (uint32_t i = 0; i < range.count; i++) {
        missed += all[i].missed;
        free(all[i].scratch);
    }
    free(all);
    return missed;
}

void slot_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                  struct dp_moment begin, struct dp_outcome *out) {
    struct slot_datapath *m = slot_datapath_of(dp);
    uint64_t *starts = m->observer ? xcalloc(code->ops.len + 1, sizeof *starts) : NULL;
    struct vrf_at_work b = {0};
    uint64_t missed = 0, vrfs = vrf_set_size(set);
    struct first_uses *uses = starts || m->setup.costs_only ? NULL : first_uses(m, code, vrfs);
    (void)out;
    if (starts)
        slot_walk(m, code, slot_in_step(m, vrfs), begin.clock, starts);
    for (size_t r = 0; r < set.count; r++)
        if (starts)
            missed += run_observed(m, code, set.ranges[r], begin.ps, starts);
        else if (!m->setup.costs_only)
            run_quietly(m, code, set.ranges[r], uses, &b);
    slot_count(m, code, vrfs, missed + b.missed);
    free(b.scratch);
    free(uses);
    free(starts);
}
