/* SPDX-License-Identifier: MIT
 * Runs as flat lists of commands, what they take, and when they are done. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* ---- cost of an op ---- */

static struct slot_cost cost_of_op(const struct slot_datapath *m, const struct dp_code *code,
                                   const struct slot_op *op, uint64_t vrfs) {
    const struct slot_step step = {m->target, vrfs ? vrfs : 1};
    struct slot_cost all;
    if ((unsigned)op->command.kind == SLOT_LOAD_TABLE) {
        all = slot_cost_load(m->target, op->command.count);
        all.ps = sat_mul(all.ps, step.vrfs);
        return all;
    }
    return slot_price_at(&step, op->command.kind, op->command.count, (enum slot_home)op->home,
                         &code->room);
}

/* ---- time: in order, one command at a time, each issued by a slot of the front end ---- */

/* Times with so many VRFs in step: from the begin of the run. */
struct slot_profile {
    struct slot_profile *next;
    uint64_t vrfs;
    uint64_t *ps;       /* [ops] of each */
    uint64_t done_ps[]; /* [insn_count] */
};

/* The commands of one instruction, that may be issued from `issued` on and find the rows busy until
 * `busy`. */
struct passage {
    uint64_t issued, busy;
    uint64_t stalled; /* that slots waited until rows were free */
};
static struct passage pass_ops(const struct slot_datapath *m, const struct dp_code *code,
                               size_t insn, const uint64_t *ps, struct passage at,
                               const struct dp_issue *issue, uint64_t *starts) {
    for (size_t k = code->first_op[insn]; k < code->first_op[insn + 1]; k++) {
        uint64_t start = at.issued > at.busy ? at.issued : at.busy;
        at.stalled += start - at.issued;
        if (issue && issue->take)
            start = issue->take(issue->context, start);
        if (starts)
            starts[k] = start;
        at.issued = start + target_issue_ps(m->target);
        at.busy = sat_add(start, ps[k]);
    }
    return at;
}

static void walk(const struct slot_datapath *m, const struct dp_code *code, const uint64_t *ps,
                 uint64_t busy_ps, uint64_t *done, uint64_t *starts) {
    struct passage at = {0, busy_ps, 0};
    for (size_t i = 0; i < code->insn_count; i++) {
        at.issued += target_decode_ps(m->target);
        at = pass_ops(m, code, i, ps, at, NULL, starts);
        if (done)
            done[i] = at.issued > at.busy ? at.issued : at.busy;
    }
}

static struct slot_profile *profile_new(const struct slot_datapath *m, const struct dp_code *code,
                                        uint64_t vrfs) {
    struct slot_profile *p = xcalloc(1, sizeof *p + (code->insn_count + 1) * sizeof *p->done_ps);
    p->vrfs = vrfs;
    p->ps = xcalloc(code->ops.len + 1, sizeof *p->ps);
    for (size_t k = 0; k < code->ops.len; k++)
        p->ps[k] = cost_of_op(m, code, &code->ops.data[k], vrfs).ps;
    walk(m, code, p->ps, 0, p->done_ps, NULL);
    return p;
}

/* Made when first asked for. */
static const struct slot_profile *profile_of(struct slot_datapath *m, const struct dp_code *code,
                                             uint64_t vrfs) {
    struct slot_profile **list = &((struct dp_code *)(uintptr_t)code)->profiles;
    pthread_mutex_lock(&m->lock);
    struct slot_profile *p = *list;
    while (p && p->vrfs != vrfs)
        p = p->next;
    if (!p) {
        p = profile_new(m, code, vrfs);
        p->next = *list;
        *list = p;
    }
    pthread_mutex_unlock(&m->lock);
    return p;
}

void slot_walk(struct slot_datapath *m, const struct dp_code *code, uint64_t vrfs, uint64_t busy_ps,
               uint64_t *starts) {
    walk(m, code, profile_of(m, code, vrfs)->ps, busy_ps, NULL, starts);
}

/* The clock is how long the rows are still busy. */
void slot_follow(struct datapath *dp, const struct dp_code *code,
                 const struct dp_description *about, const struct dp_issue *issue,
                 struct dp_times *out) {
    struct slot_datapath *m = slot_datapath_of(dp);
    struct passage at = {issue->after_ps, issue->clock, 0};
    const struct slot_profile *p = profile_of(m, code, slot_in_step(m, issue->vrfs));
    at = pass_ops(m, code, issue->insn, p->ps, at, issue, NULL);
    (void)about;
    out->issued_ps = at.issued;
    out->stalled_ps = at.stalled;
    out->done_ps = at.issued > at.busy ? at.issued : at.busy;
    out->clock = at.busy > at.issued ? at.busy - at.issued : 0;
}

uint64_t slot_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp;
    return clock > ps ? clock - ps : 0;
}

/* ---- code ---- */

void slot_code_free(struct dp_code *code) {
    while (code->profiles) {
        struct slot_profile *p = code->profiles;
        code->profiles = p->next;
        free(p->ps);
        free(p);
    }
    for (size_t i = 0; i < code->lookups.len; i++)
        slot_lookup_free(&code->lookups.data[i]);
    vec_free(&code->lookups);
    vec_free(&code->lookup_tables);
    vec_free(&code->brought);
    vec_free(&code->ops);
    slot_tables_free(&code->tables);
    row_pool_free(&code->own);
    free(code->constants);
    free(code->insns);
    free(code->first_op);
    free(code->insn_words);
    free(code);
}

/* The code's lookup of a table. */
static uint32_t lookup_of(struct dp_code *code, uint32_t table, bool *is_new) {
    const struct row_table *t = &code->pool->tables.data[table];
    *is_new = false;
    for (uint32_t i = 0; i < code->lookups.len; i++)
        if (code->lookup_tables.data[i] == table)
            return i;
    *is_new = true;
    vec_push(&code->lookups, slot_lookup_new(t->bits, slot_table_rows(t), t->entries));
    vec_push(&code->lookup_tables, table);
    return (uint32_t)code->lookups.len - 1;
}

/* Once for each row that a register takes. */
static void push_op(struct dp_code *code, const struct row_command *c, uint32_t insn,
                    uint32_t lookup) {
    code->reads_buffer |= c->a == ROW_BUFFER || c->b == ROW_BUFFER;
    for (uint32_t row = 0; row < code->rows; row++)
        vec_push(&code->ops, ((struct slot_op){*c, insn, lookup, row, SLOT_HOME_PAIR, false}));
}

static enum slot_home home_of(const struct slot_datapath *m, struct dp_code *code, uint32_t table) {
    if (table >= code->tables.count) { /* a pool of its own, which grows */
        slot_tables_free(&code->tables);
        code->tables = slot_tables_of(m->target, code->pool, &code->room);
    }
    return (enum slot_home)code->tables.homes[table];
}

/* Brings a table that does not stay, unless it is still there; those that came first make room. */
static bool is_brought(const struct slot_datapath *m, struct dp_code *code, uint32_t table) {
    for (size_t i = 0; i < code->brought.len; i++)
        if (code->brought.data[i] == table)
            return false;
    vec_push(&code->brought, table);
    while (!slot_tables_fit(m->target, code->pool, &code->room, code->brought.data,
                            code->brought.len) &&
           code->brought.len > 1) {
        code->brought.len--;
        memmove(code->brought.data, code->brought.data + 1,
                code->brought.len * sizeof *code->brought.data);
    }
    return true;
}

/* Before a query: a table that does not stay, as long as others leave it there; one that has no
 * place to come back from, with each. */
static void push_query(const struct slot_datapath *m, struct dp_code *code,
                       const struct row_command *c, uint32_t insn) {
    bool is_new;
    uint32_t lookup = lookup_of(code, c->b, &is_new);
    enum slot_home home = home_of(m, code, c->b);
    if (home == SLOT_HOME_QUERY || (home == SLOT_HOME_RUN && is_brought(m, code, c->b))) {
        const struct row_command load = {
            .kind = (enum row_kind)SLOT_LOAD_TABLE, .bits = c->bits, .b = c->b, .count = c->count};
        vec_push(&code->ops, ((struct slot_op){load, insn, lookup, 0, (uint8_t)home, false}));
    }
    push_op(code, c, insn, lookup);
    code->ops.data[code->ops.len - code->rows].tells = is_new;
    for (size_t i = code->ops.len - code->rows; i < code->ops.len; i++)
        code->ops.data[i].home = (uint8_t)home;
}

static void push_program(const struct slot_datapath *m, struct dp_code *code,
                         const struct row_program *p, uint32_t insn) {
    struct row_cursor cursor = row_cursor(p);
    struct row_command c;
    while (row_next(&cursor, &c))
        if (c.kind == ROW_QUERY)
            push_query(m, code, &c, insn);
        else
            push_op(code, &c, insn, 0);
    code->scratch = p->scratch > code->scratch ? p->scratch : code->scratch;
}

/* What is no part of a package is made here. */
static bool push_own(const struct slot_datapath *m, struct dp_code *code, const struct insn *x,
                     bool masked, uint32_t insn, struct diag *d) {
    struct row_wanted wanted =
        slot_wanted(m->target, x, code->slot, slot_bits_of(m, code->kin), masked);
    struct row_program p = {0};
    struct str problem = {0};
    bool fine = row_library_has(m->library, x->op) &&
                row_program_for(m->library, x, &wanted, &code->own, &p, &problem);
    if (fine)
        push_program(m, code, &p, insn);
    else
        diag_error(d, NO_SPAN, "there is no row program for %s%s%s", isa_info(x->op)->name,
                   problem.len ? ": " : "", str_text(&problem));
    row_program_free(&p);
    str_free(&problem);
    return fine;
}

static bool push_insn(const struct slot_datapath *m, struct dp_code *code, uint32_t insn,
                      bool masked, struct diag *d) {
    const struct machine_code *package = m->setup.code;
    const struct insn *x = &code->insns[insn];
    bool under = masked && !(isa_info(x->op)->flags & ISA_UNMASKED);
    if (!package)
        return push_own(m, code, x, under, insn, d);
    const struct slot_form *f = slot_form_of(slot_code_of(package), x, code->kin, under);
    if (f)
        push_program(m, code, &f->program, insn);
    else
        diag_error(d, NO_SPAN, "there is no row program for %s", isa_info(x->op)->name);
    return f != NULL;
}

/* ---- figures ---- */

static void count_op(const struct slot_datapath *m, struct dp_code *code,
                     const struct slot_op *op) {
    struct slot_cost c = cost_of_op(m, code, op, 1);
    bool load = (unsigned)op->command.kind == SLOT_LOAD_TABLE;
    uint64_t n = load ? op->command.count : 1, fj = slot_cost_fj(&c);
    code->uops[op->command.kind] += n;
    code->kind_fj[op->command.kind] = sat_add(code->kind_fj[op->command.kind], fj);
    for (unsigned i = 0; i < SLOT_COMMANDS; i++) {
        code->energy_fj[i] = sat_add(code->energy_fj[i], c.fj[i]);
        code->commands[i] += c.count[i];
    }
    code->insn_micro_ops[op->insn] += n;
    code->insn_slots[op->insn]++;
    code->insn_energy_fj[op->insn] = sat_add(code->insn_energy_fj[op->insn], fj);
    code->micro_ops += n;
    if (op->command.kind == ROW_QUERY) {
        code->sweeps++;
        code->rows_swept += op->command.count;
        code->reloads += slot_keeps_copies(m->target) && op->home != SLOT_HOME_QUERY;
    }
}

static void count_all(const struct slot_datapath *m, struct dp_code *code) {
    size_t n = code->insn_count;
    code->insn_words = xcalloc(3 * n + 1, sizeof *code->insn_words);
    code->insn_micro_ops = code->insn_words;
    code->insn_energy_fj = code->insn_words + n;
    code->insn_slots = code->insn_words + 2 * n;
    for (size_t i = 0; i < n; i++)
        code->insn_slots[i] = 1;
    for (size_t k = 0; k < code->ops.len; k++)
        count_op(m, code, &code->ops.data[k]);
}

/* Constants as rows have them, one row each. */
static void lay_constants(const struct slot_datapath *m, struct dp_code *code) {
    size_t words = m->row_words;
    if (m->setup.costs_only)
        return;
    code->constants = xcalloc(code->pool->constants.len * words + 1, sizeof *code->constants);
    for (size_t i = 0; i < code->pool->constants.len; i++)
        for (size_t k = 0; k < words; k++)
            code->constants[i * words + k] = slot_repeat(code->pool->constants.data[i], code->slot);
}

static uint32_t rows_each(const struct slot_datapath *m, uint32_t kin) {
    return m->setup.kins ? slot_rows_each(m->target, &m->setup.kins[kin]) : 1;
}

static struct dp_code *code_new(const struct slot_datapath *m, const struct dp_run *run) {
    struct dp_code *code = xcalloc(1, sizeof *code);
    code->kin = run->kin;
    code->slot = slot_of_kin(m, run->kin);
    code->rows = rows_each(m, run->kin);
    code->own.slot = code->slot;
    code->pool =
        m->setup.code ? &slot_code_of(m->setup.code)->kins.data[run->kin].pool : &code->own;
    code->room = m->setup.code ? slot_kin_room(m->target, slot_code_of(m->setup.code), run->kin)
                               : (struct slot_room){UINT64_MAX, m->target->vrf_per_rfh, 0};
    if (m->setup.code)
        code->tables = slot_pool_tables(m, run->kin);
    code->insns = xcalloc(run->count + 1, sizeof *code->insns);
    code->first_op = xcalloc(run->count + 1, sizeof *code->first_op);
    code->insn_count = run->count;
    memcpy(code->insns, run->insns, run->count * sizeof *code->insns);
    return code;
}

struct dp_code *slot_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct slot_datapath *m = slot_datapath_of(dp);
    struct dp_code *code = code_new(m, run);
    bool masked = run->masked, good = true;
    for (uint32_t i = 0; good && i < run->count; i++) {
        uint32_t flags = isa_info(code->insns[i].op)->flags;
        code->first_op[i] = code->ops.len;
        good = push_insn(m, code, i, masked, d);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    if (!good) {
        slot_code_free(code);
        return NULL;
    }
    code->first_op[run->count] = code->ops.len;
    count_all(m, code);
    lay_constants(m, code);
    pthread_mutex_lock(&m->lock);
    code->next = m->codes;
    m->codes = code;
    pthread_mutex_unlock(&m->lock);
    return code;
}

struct dp_code *slot_code_alone(struct slot_datapath *m, const struct slot_kernel *kernel) {
    struct dp_code *code = xcalloc(1, sizeof *code);
    code->kin = SLOT_NO_KIN;
    code->slot = kernel->pool.slot;
    code->rows = 1;
    code->pool = &kernel->pool;
    code->room = slot_kernel_room(m->target, kernel);
    code->tables = slot_tables_of(m->target, code->pool, &code->room);
    code->insns = xcalloc(1, sizeof *code->insns);
    code->first_op = xcalloc(2, sizeof *code->first_op);
    code->insn_count = 1;
    push_program(m, code, &kernel->program, 0);
    code->first_op[1] = code->ops.len;
    count_all(m, code);
    lay_constants(m, code);
    return code;
}

uint64_t slot_code_ps(struct slot_datapath *m, const struct dp_code *code, uint64_t vrfs) {
    return profile_of(m, code, vrfs)->done_ps[0];
}

/* One command on 64 words of a row, about. */
#define SLOT_HOST_PS 20000

void slot_describe(const struct datapath *dp, const struct dp_code *code,
                   struct dp_description *out) {
    struct slot_datapath *m = slot_datapath_of(dp);
    const struct slot_profile *p = profile_of(m, code, slot_in_step(m, 1));
    size_t n = code->insn_count;
    *out = (struct dp_description){
        .form = DP_COST_FIXED,
        .micro_ops = code->micro_ops,
        .insn_micro_ops = code->insn_micro_ops,
        .insn_energy_fj = code->insn_energy_fj,
        .uops = code->uops,
        .kind_fj = code->kind_fj,
        .energy_fj = code->energy_fj,
        .insn_done_ps = p->done_ps,
        .latency_ps = n ? p->done_ps[n - 1] : 0,
        .issue_slots = n + code->ops.len,
        .insn_issue_slots = code->insn_slots,
        .host_ps = code->ops.len * (m->row_words / 64 + 1) * SLOT_HOST_PS,
    };
}
