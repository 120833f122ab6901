/* SPDX-License-Identifier: MIT
 * The run half: row commands on rows of bits.  What the state keeps lane by lane is laid out in the
 * slots of the VRF's kin, side by side; what a register leaves of a slot is junk. */
#include "run.h"

#include "machines/dtc/transfer.h"
#include "machines/state/state.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a VRF, which are its cells: registers by their numbers, then these. */
enum { ROW_C = 64, ROW_M, ROW_VALID, ROW_SCRATCH, ROWS = ROW_SCRATCH + SLOT_MAX_SCRATCH };

enum { PART_LOGIC, PART_SWEEP, PART_ACCESS, PART_LANES, PARTS };
static const char *const part_names[PARTS] = {"logic", "sweep", "access", "lanes"};
static const char *const counter_names[] = {"sweeps without a match"};

struct slot_vrf {
    uint32_t kin; /* as it was bound */
    uint8_t slot; /* as it was told, before anything else; 0: it was not */
    bool table;   /* is there: constants are made of its rows */
};

struct machine_at_work {
    struct lane_state state;
    const struct target *target;
    struct dp_kind kinds[SLOT_KINDS];
    struct slot_vrf *vrfs; /* [vrfs] */
    const struct machine_code *code;
    const struct machine_kin *kins;
    struct dtc *dtc;
    atomic_uint_fast64_t unmatched;
    dp_observer *observer;
    void *observer_context;
    struct dp_code *codes; /* under the state's lock */
};

/* Times with so many groups of VRFs, one group a window: from the begin of the run. */
struct profile {
    struct profile *next;
    uint64_t groups;
    uint64_t done_ps[]; /* [insn_count] */
};

struct dp_code {
    struct dp_code *next;
    struct insn *insns; /* [insn_count] */
    size_t insn_count;
    struct slot_program own; /* where the program's package has none */
    const uint64_t *constants;
    const struct slot_command **commands; /* [command_count] */
    uint32_t *insn_of;                    /* [command_count] */
    size_t command_count;
    size_t *first_command; /* [insn_count + 1] */
    uint16_t place[ROWS];  /* 1 + place among the rows that are used; 0: it is not */
    uint32_t row_count;
    uint64_t writes_of[ROWS];
    struct dp_cell_writes *writes;
    size_t write_count;
    uint64_t uops[SLOT_KINDS], energy_fj[PARTS];
    uint64_t *insn_words; /* what the next five point into */
    uint64_t *insn_micro_ops, *insn_energy_fj, *insn_lane_fj, *insn_slots;
    uint64_t *stretch_part_fj; /* [stretches][parts] */
    uint32_t *insn_stretch;
    struct profile *profiles; /* under the state's lock */
};

static struct machine_at_work *machine_at(const struct datapath *dp) {
    return (struct machine_at_work *)(uintptr_t)dp;
}

static const uint8_t *bits_of(const struct machine_at_work *m, uint32_t kin) {
    return m->kins ? m->kins[kin].reg_bits : m->state.reg_bits;
}

static unsigned slot_of_kin(const struct machine_at_work *m, uint32_t kin) {
    return m->kins ? m->kins[kin].slot : machine_slot_bits(&slot_machine, m->state.reg_bits);
}

/* ---- time: in order, one command at a time, each issued by a slot of the front end ---- */

static uint64_t groups_of(const struct machine_at_work *m, uint64_t vrfs) {
    return vrfs ? ceil_div(vrfs, slot_target(m->target)->at_once) : 1;
}

static uint64_t command_ps(const struct machine_at_work *m, unsigned kind, uint64_t groups) {
    return slot_kind_ps(m->target, kind) + (groups - 1) * slot_target(m->target)->window_ps;
}

/* The commands of one instruction, that may be issued from `after` on and find the rows busy until
 * `busy`; starts[k], which may be NULL: when command k begins. */
struct passage {
    uint64_t issued, busy;
};
static struct passage commands(const struct machine_at_work *m, const struct dp_code *code,
                               size_t insn, uint64_t groups, struct passage at,
                               const struct dp_issue *issue, uint64_t *starts) {
    for (size_t k = code->first_command[insn]; k < code->first_command[insn + 1]; k++) {
        uint64_t start = at.issued > at.busy ? at.issued : at.busy;
        if (issue && issue->take)
            start = issue->take(issue->context, start);
        if (starts)
            starts[k] = start;
        at.issued = start + target_issue_ps(m->target);
        at.busy = start + command_ps(m, code->commands[k]->kind, groups);
    }
    return at;
}

/* All of a run behind rows that are busy for `busy_ps`; done and starts may be NULL. */
static void walk(const struct machine_at_work *m, const struct dp_code *code, uint64_t groups,
                 uint64_t busy_ps, uint64_t *done, uint64_t *starts) {
    struct passage at = {0, busy_ps};
    for (size_t i = 0; i < code->insn_count; i++) {
        at.issued += target_decode_ps(m->target);
        at = commands(m, code, i, groups, at, NULL, starts);
        if (done)
            done[i] = at.issued > at.busy ? at.issued : at.busy;
    }
}

static struct profile *profile_new(const struct machine_at_work *m, const struct dp_code *code,
                                   uint64_t groups) {
    struct profile *p = xcalloc(1, sizeof *p + (code->insn_count + 1) * sizeof *p->done_ps);
    p->groups = groups;
    walk(m, code, groups, 0, p->done_ps, NULL);
    return p;
}

/* Made when first asked for. */
static const struct profile *profile_of(struct machine_at_work *m, const struct dp_code *code,
                                        uint64_t groups) {
    struct profile **list = &((struct dp_code *)(uintptr_t)code)->profiles;
    pthread_mutex_lock(&m->state.lock);
    struct profile *p = *list;
    while (p && p->groups != groups)
        p = p->next;
    if (!p) {
        p = profile_new(m, code, groups);
        p->next = *list;
        *list = p;
    }
    pthread_mutex_unlock(&m->state.lock);
    return p;
}

static uint64_t last_done(const struct dp_code *code, const struct profile *p) {
    return code->insn_count ? p->done_ps[code->insn_count - 1] : 0;
}

/* The clock is how long the rows are still busy. */
static void follow(struct datapath *dp, const struct dp_code *code,
                   const struct dp_description *about, const struct dp_issue *issue,
                   struct dp_times *out) {
    struct machine_at_work *m = machine_at(dp);
    struct passage at = {issue->after_ps, issue->clock};
    at = commands(m, code, issue->insn, groups_of(m, issue->vrfs), at, issue, NULL);
    (void)about;
    out->issued_ps = at.issued;
    out->done_ps = at.issued > at.busy ? at.issued : at.busy;
    out->clock = at.busy > at.issued ? at.busy - at.issued : 0;
}

static uint64_t pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp;
    return clock > ps ? clock - ps : 0;
}

/* ---- code ---- */

static void code_free(struct dp_code *code) {
    while (code->profiles) {
        struct profile *p = code->profiles;
        code->profiles = p->next;
        free(p);
    }
    slot_program_free(&code->own);
    free(code->insns);
    free(code->commands);
    free(code->insn_of);
    free(code->first_command);
    free(code->writes);
    free(code->insn_words);
    free(code->insn_stretch);
    free(code->stretch_part_fj);
    free(code);
}

static unsigned row_of(const struct insn *x, uint16_t operand) {
    const unsigned named[] = {x->rs, x->rt, x->rd, ROW_C, ROW_M, ROW_VALID};
    return operand < SLOT_SCRATCH ? named[operand]
                                  : ROW_SCRATCH + (operand - (unsigned)SLOT_SCRATCH);
}

static void use_row(struct dp_code *code, const struct insn *x, uint16_t operand) {
    if (operand >= SLOT_CONSTANT)
        return;
    uint16_t *place = &code->place[row_of(x, operand)];
    if (!*place)
        *place = (uint16_t)++code->row_count;
}

static unsigned part_of(unsigned kind) {
    return kind == SLOT_SWEEP ? PART_SWEEP : kind < SLOT_COMMANDS ? PART_LOGIC : PART_ACCESS;
}

static void count_command(const struct machine_at_work *m, struct dp_code *code, size_t k) {
    const struct slot_command *c = code->commands[k];
    uint32_t i = code->insn_of[k];
    const struct insn *x = &code->insns[i];
    uint64_t fj = slot_kind_fj(m->target, c->kind);
    const uint16_t rows[] = {c->dst, c->a, c->b};
    for (unsigned r = 0; r < 3; r++)
        use_row(code, x, rows[r]);
    code->uops[c->kind]++;
    code->energy_fj[part_of(c->kind)] += fj;
    code->insn_micro_ops[i]++;
    code->insn_slots[i]++;
    code->insn_energy_fj[i] += fj;
    code->insn_lane_fj[i] += slot_target(m->target)->fj_per_lane;
    code->writes_of[row_of(x, c->dst)]++;
}

static bool writes_m(const struct dp_code *code, size_t k) {
    return code->commands[k]->dst == SLOT_M;
}

/* Behind an instruction that writes M a new stretch begins. */
static void number_stretches(struct dp_code *code) {
    uint32_t stretch = 0;
    for (size_t i = 0, k = 0; i < code->insn_count; i++) {
        bool writes = false;
        code->insn_stretch[i] = stretch;
        for (; k < code->command_count && code->insn_of[k] == i; k++)
            writes |= writes_m(code, k);
        stretch += writes;
    }
}

static void count_all(const struct machine_at_work *m, struct dp_code *code) {
    size_t n = code->insn_count;
    code->insn_words = xcalloc(4 * n + 1, sizeof *code->insn_words);
    code->insn_stretch = xcalloc(n + 1, sizeof *code->insn_stretch);
    code->insn_micro_ops = code->insn_words;
    code->insn_energy_fj = code->insn_micro_ops + n;
    code->insn_lane_fj = code->insn_energy_fj + n;
    code->insn_slots = code->insn_lane_fj + n;
    for (size_t i = 0; i < n; i++)
        code->insn_slots[i] = 1;
    for (size_t k = 0; k < code->command_count; k++)
        count_command(m, code, k);
    number_stretches(code);
    code->stretch_part_fj = xcalloc((n + 1) * PARTS, sizeof *code->stretch_part_fj);
    for (size_t i = 0; i < n; i++)
        code->stretch_part_fj[code->insn_stretch[i] * PARTS + PART_LANES] += code->insn_lane_fj[i];
    code->writes = xcalloc(ROWS, sizeof *code->writes);
    for (uint32_t r = 0; r < ROWS; r++)
        if (code->writes_of[r])
            code->writes[code->write_count++] = (struct dp_cell_writes){r, code->writes_of[r]};
}

/* The commands of each instruction, from the package or made here; false after reporting. */
static bool find_commands(const struct machine_at_work *m, const struct dp_run *run,
                          struct slot_form *forms, struct dp_code *code, struct diag *d) {
    const struct machine_code *package = m->code;
    unsigned slot = slot_of_kin(m, run->kin);
    bool masked = run->masked;
    for (size_t i = 0; i < run->count; i++) {
        const struct insn *x = &run->insns[i];
        uint32_t flags = isa_info(x->op)->flags;
        const struct slot_form *f =
            package ? slot_find(slot_code_of(package), x, slot, masked) : NULL;
        forms[i].first = (uint32_t)code->own.commands.len;
        if (package ? !f
                    : !slot_has(x->op) ||
                          slot_program_add(&code->own, x, slot, masked) > SLOT_MAX_SCRATCH) {
            diag_error(d, NO_SPAN, "there is no row program for %s", isa_info(x->op)->name);
            return false;
        }
        forms[i].count = (uint32_t)code->own.commands.len - forms[i].first;
        if (f)
            forms[i] = *f;
        code->command_count += forms[i].count;
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return true;
}

static void list_commands(const struct machine_at_work *m, const struct slot_form *forms,
                          struct dp_code *code) {
    const struct machine_code *package = m->code;
    const struct slot_program *p = package ? &slot_code_of(package)->program : &code->own;
    size_t n = 0;
    code->constants = p->constants.data;
    code->commands = xcalloc(code->command_count + 1, sizeof *code->commands);
    code->insn_of = xcalloc(code->command_count + 1, sizeof *code->insn_of);
    code->first_command = xcalloc(code->insn_count + 1, sizeof *code->first_command);
    for (size_t i = 0; i < code->insn_count; i++) {
        code->first_command[i] = n;
        for (uint32_t k = 0; k < forms[i].count; k++) {
            code->insn_of[n] = (uint32_t)i;
            code->commands[n++] = &p->commands.data[forms[i].first + k];
        }
    }
    code->first_command[code->insn_count] = n;
}

static struct dp_code *prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct machine_at_work *m = machine_at(dp);
    struct dp_code *code = xcalloc(1, sizeof *code);
    struct slot_form *forms = xcalloc(run->count + 1, sizeof *forms);
    code->insns = xcalloc(run->count + 1, sizeof *code->insns);
    code->insn_count = run->count;
    memcpy(code->insns, run->insns, run->count * sizeof *code->insns);
    bool good = find_commands(m, run, forms, code, d);
    if (good) {
        list_commands(m, forms, code);
        count_all(m, code);
    }
    free(forms);
    if (!good) {
        code_free(code);
        return NULL;
    }
    pthread_mutex_lock(&m->state.lock);
    code->next = m->codes;
    m->codes = code;
    pthread_mutex_unlock(&m->state.lock);
    return code;
}

/* One command on a word of a row, about. */
#define SLOT_HOST_PS 1000

static void describe(const struct datapath *dp, const struct dp_code *code,
                     struct dp_description *out) {
    struct machine_at_work *m = machine_at(dp);
    const struct profile *p = profile_of(m, code, 1);
    size_t n = code->insn_count;
    *out = (struct dp_description){
        .form = DP_COST_LANES,
        .micro_ops = code->command_count,
        .insn_micro_ops = code->insn_micro_ops,
        .insn_energy_fj = code->insn_energy_fj,
        .uops = code->uops,
        .energy_fj = code->energy_fj,
        .insn_lane_fj = code->insn_lane_fj,
        .insn_stretch = code->insn_stretch,
        .stretches = n ? code->insn_stretch[n - 1] + 1 : 0,
        .stretch_part_fj = code->stretch_part_fj,
        .insn_done_ps = p->done_ps,
        .latency_ps = last_done(code, p),
        .issue_slots = n + code->command_count,
        .insn_issue_slots = code->insn_slots,
        .writes = code->writes,
        .write_count = code->write_count,
        .host_ps = code->command_count * (slot_target(m->target)->row_bits / 64 + 1) * SLOT_HOST_PS,
    };
}

/* ---- execution ---- */

/* A VRF at work: its rows, slot after slot from bit 0 on. */
struct vrf_rows {
    struct state_vrf *vrf; /* NULL beyond the memory limit */
    uint32_t number, lanes;
    unsigned slot;
    const uint8_t *bits; /* [64]: of registers, what is defined of a slot */
    uint32_t words;      /* of a row */
    bool table;          /* is there: constants are made of its rows */
    uint64_t *rows;      /* [code.row_count][words] */
};

static uint64_t *row_at(const struct dp_code *code, const struct vrf_rows *x, unsigned row) {
    return x->rows + (size_t)(code->place[row] - 1) * x->words;
}

static uint64_t read_slot(const struct vrf_rows *x, const uint64_t *row, uint32_t lane) {
    size_t bit = (size_t)lane * x->slot;
    return row[bit / 64] >> bit % 64 & low_bits(x->slot);
}

static void write_slot(const struct vrf_rows *x, uint64_t *row, uint32_t lane, uint64_t value) {
    size_t bit = (size_t)lane * x->slot;
    row[bit / 64] &= ~(low_bits(x->slot) << bit % 64);
    row[bit / 64] |= (value & low_bits(x->slot)) << bit % 64;
}

/* What nobody wrote, or may count on. */
static uint64_t junk(const struct vrf_rows *x, unsigned row, uint32_t lane) {
    uint64_t state = ((uint64_t)x->number << 32 | lane) * ROWS + row;
    return splitmix64(&state);
}

static uint64_t load_slot(const struct machine_at_work *m, const struct vrf_rows *x, unsigned row,
                          uint32_t lane) {
    const struct state_bits *b = &x->vrf->bits[lane];
    if (row < ROW_C) {
        uint64_t defined = low_bits(x->bits[row]);
        return (state_read(&m->state, x->vrf, lane, row) & defined) |
               (junk(x, row, lane) & ~defined);
    }
    if (row >= ROW_SCRATCH)
        return junk(x, row, lane);
    return (row == ROW_C ? b->c : row == ROW_M ? b->m : b->valid) ? UINT64_MAX : 0;
}

static void load_row(const struct machine_at_work *m, const struct vrf_rows *x, unsigned row,
                     uint64_t *to) {
    for (uint32_t lane = 0; lane < x->lanes; lane++)
        write_slot(x, to, lane, load_slot(m, x, row, lane));
}

static void store_row(const struct machine_at_work *m, const struct vrf_rows *x, unsigned row,
                      const uint64_t *from) {
    for (uint32_t lane = 0; row < ROW_VALID && lane < x->lanes; lane++)
        if (row < ROW_C)
            state_write(&m->state, x->vrf, lane, row, x->bits[row], read_slot(x, from, lane));
        else
            *(row == ROW_C ? &x->vrf->bits[lane].c : &x->vrf->bits[lane].m) =
                read_slot(x, from, lane) & 1;
}

static struct vrf_rows load_rows(struct machine_at_work *m, const struct dp_code *code,
                                 uint32_t v) {
    struct vrf_rows x = {.vrf = state_vrf(&m->state, v, 0), .number = v};
    if (!x.vrf)
        return x;
    x.bits = bits_of(m, m->vrfs[v].kin);
    x.slot = slot_of_kin(m, m->vrfs[v].kin);
    x.table = m->vrfs[v].table;
    x.lanes = slot_target(m->target)->row_bits / x.slot;
    x.lanes = x.vrf->lanes < x.lanes ? x.vrf->lanes : x.lanes;
    x.words = (uint32_t)ceil_div(slot_target(m->target)->row_bits, 64);
    x.rows = xcalloc((size_t)code->row_count * x.words + 1, sizeof *x.rows);
    for (unsigned r = 0; r < ROWS; r++)
        if (code->place[r])
            load_row(m, &x, r, row_at(code, &x, r));
    return x;
}

static void store_rows(const struct machine_at_work *m, const struct dp_code *code,
                       struct vrf_rows *x) {
    for (unsigned r = 0; x->vrf && r < ROWS; r++)
        if (code->writes_of[r])
            store_row(m, x, r, row_at(code, x, r));
    free(x->rows);
}

static uint64_t enabled_lanes(const struct state_vrf *vrf) {
    uint64_t n = 0;
    for (uint32_t lane = 0; lane < vrf->lanes; lane++)
        n += vrf->bits[lane].m;
    return n;
}

/* A row as a source; of a constant each slot holds the same number: rows of the table, with a one
 * in each slot, are opened together. */
struct source {
    const uint64_t *at;
    uint64_t word;
};
static struct source source_of(const struct dp_code *code, const struct vrf_rows *x,
                               const struct insn *insn, uint16_t operand) {
    if (operand < SLOT_CONSTANT)
        return (struct source){row_at(code, x, row_of(insn, operand)), 0};
    uint64_t word = x->table ? code->constants[operand - SLOT_CONSTANT] & low_bits(x->slot) : 0;
    for (unsigned bits = x->slot; bits < 64; bits *= 2)
        word |= word << bits;
    return (struct source){NULL, word};
}
static uint64_t word_of(struct source s, uint32_t i) {
    return s.at ? s.at[i] : s.word;
}

/* All of the row, from one word to the next. */
static void shift_row(const struct vrf_rows *x, int by, struct source a, uint64_t *to) {
    uint64_t *from = xcalloc((size_t)x->words + 2, sizeof *from); /* a word of zeros at both ends */
    unsigned left = (unsigned)(by < 0 ? -by : by);
    for (uint32_t i = 0; i < x->words; i++)
        from[i + 1] = word_of(a, i);
    for (uint32_t i = 0; left && i < x->words; i++)
        to[i] = by > 0 ? from[i + 1] << left | from[i] >> (64 - left)
                       : from[i + 1] >> left | from[i + 2] << (64 - left);
    free(from);
}

/* True if a valid slot matched. */
static bool sweep_row(const struct vrf_rows *x, struct source a, struct source b, uint64_t *to) {
    bool matched = false;
    for (uint32_t lane = 0; lane < x->lanes; lane++) {
        size_t bit = (size_t)lane * x->slot;
        uint64_t differ = word_of(a, (uint32_t)(bit / 64)) ^ b.word;
        bool same = !(differ >> bit % 64 & low_bits(x->slot));
        write_slot(x, to, lane, same ? UINT64_MAX : 0);
        matched |= same && x->vrf->bits[lane].valid;
    }
    return matched;
}

static void logic_row(const struct vrf_rows *x, unsigned kind, struct source a, struct source b,
                      uint64_t *to) {
    for (uint32_t i = 0; i < x->words; i++) {
        uint64_t left = word_of(a, i), right = word_of(b, i);
        to[i] = kind == SLOT_AND ? left & right : kind == SLOT_OR ? left | right : left ^ right;
    }
}

static void run_command(struct machine_at_work *m, const struct dp_code *code, size_t k,
                        const struct vrf_rows *x) {
    const struct slot_command *c = code->commands[k];
    const struct insn *insn = &code->insns[code->insn_of[k]];
    struct source a = source_of(code, x, insn, c->a), b = source_of(code, x, insn, c->b);
    uint64_t *to = row_at(code, x, row_of(insn, c->dst));
    if (c->kind == SLOT_SHIFT)
        shift_row(x, c->shift, a, to);
    else if (c->kind == SLOT_SWEEP)
        m->unmatched += !sweep_row(x, a, b, to);
    else
        logic_row(x, c->kind, a, b, to);
}

/* VRFs that lie side by side, command by command; events tell of rows that are there. */
struct range_at_work {
    const struct dp_code *code;
    struct vrf_range range;
    struct vrf_rows *vrfs;  /* [range.count] */
    const uint64_t *starts; /* [command_count], or NULL: nobody observes */
    uint64_t begin_ps;
    struct dp_outcome *out;
};

static void count_lanes(const struct range_at_work *w, uint32_t stretch) {
    for (uint32_t v = 0; w->out && v < w->range.count; v++)
        if (w->vrfs[v].vrf)
            w->out->lanes[stretch] += enabled_lanes(w->vrfs[v].vrf);
}

static void command_on_all(struct machine_at_work *m, const struct range_at_work *w, size_t k) {
    const struct dp_code *code = w->code;
    unsigned row = row_of(&code->insns[code->insn_of[k]], code->commands[k]->dst);
    for (uint32_t v = 0; v < w->range.count; v++) {
        struct vrf_rows *x = &w->vrfs[v];
        if (!x->vrf)
            continue;
        run_command(m, code, k, x);
        if (row == ROW_M || w->starts)
            store_row(m, x, row, row_at(code, x, row));
    }
}

static void report(const struct machine_at_work *m, const struct range_at_work *w, size_t k) {
    const struct dp_code *code = w->code;
    const struct slot_record record = {code->commands[k], code->constants,
                                       &code->insns[code->insn_of[k]]};
    const struct dp_event e = {.vrf_first = w->range.first,
                               .vrf_count = w->range.count,
                               .insn = code->insn_of[k],
                               .start_ps = sat_add(w->begin_ps, w->starts[k]),
                               .kind = record.command->kind,
                               .record = &record};
    m->observer(m->observer_context, &e);
}

static void run_range(struct machine_at_work *m, struct range_at_work *w) {
    const struct dp_code *code = w->code;
    w->vrfs = xcalloc((size_t)w->range.count + 1, sizeof *w->vrfs);
    for (uint32_t v = 0; v < w->range.count; v++)
        w->vrfs[v] = load_rows(m, code, w->range.first + v);
    if (code->insn_count)
        count_lanes(w, 0);
    for (size_t k = 0; k < code->command_count; k++) {
        uint32_t i = code->insn_of[k];
        command_on_all(m, w, k);
        if (w->starts)
            report(m, w, k);
        bool ends = i + 1 < code->insn_count && code->insn_stretch[i + 1] > code->insn_stretch[i];
        if (ends && (k + 1 == code->command_count || code->insn_of[k + 1] > i))
            count_lanes(w, code->insn_stretch[i + 1]);
    }
    for (uint32_t v = 0; v < w->range.count; v++)
        store_rows(m, code, &w->vrfs[v]);
    free(w->vrfs);
}

static void execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    struct dp_moment begin, struct dp_outcome *out) {
    struct machine_at_work *m = machine_at(dp);
    uint64_t *starts = m->observer ? xcalloc(code->command_count + 1, sizeof *starts) : NULL;
    struct range_at_work w = {.code = code, .starts = starts, .begin_ps = begin.ps, .out = out};
    if (starts)
        walk(m, code, groups_of(m, vrf_set_size(set)), begin.clock, NULL, starts);
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t v = 0; v < set.ranges[r].count; v += w.range.count) {
            w.range = (struct vrf_range){set.ranges[r].first + v, starts ? set.ranges[r].count : 1};
            run_range(m, &w);
        }
    free(starts);
}

static void take_commands(const struct machine_at_work *m, struct dp_cost *cost, unsigned kind,
                          uint64_t count) {
    if (cost->uops)
        cost->uops[kind] += count;
    if (cost->energy_fj)
        cost->energy_fj[part_of(kind)] += count * slot_kind_fj(m->target, kind);
}

/* A table has a row for each bit of a slot, which are written one after another, VRF after VRF, in
 * all MPUs side by side. */
static void establish(struct datapath *dp, struct vrf_set set, uint32_t kin, struct dp_cost *cost) {
    struct machine_at_work *m = machine_at(dp);
    uint32_t mpu = UINT32_MAX;
    uint64_t rows = slot_of_kin(m, kin), all = 0, here = 0, most = 0;
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t v = set.ranges[r].first; v < set.ranges[r].first + set.ranges[r].count; v++) {
            if (m->vrfs[v].table)
                continue;
            m->vrfs[v].table = true;
            here = v / target_vrfs_per_mpu(m->target) == mpu ? here + rows : rows;
            mpu = v / target_vrfs_per_mpu(m->target);
            most = here > most ? here : most;
            all += rows;
        }
    cost->known = true;
    cost->ps = most * slot_kind_ps(m->target, SLOT_WRITE);
    take_commands(m, cost, SLOT_WRITE, all);
}

/* A table of one slot is of no use in another. */
static void shape(struct datapath *dp, struct vrf_set set, unsigned slot) {
    struct machine_at_work *m = machine_at(dp);
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t v = set.ranges[r].first; v < set.ranges[r].first + set.ranges[r].count; v++) {
            m->vrfs[v].table &= m->vrfs[v].slot == slot;
            m->vrfs[v].slot = (uint8_t)slot;
        }
    state_shape(dp, set, slot);
}

/* Lanes have to be as wide as was said before: rows of bits do not tell. */
static void expect_slot(struct machine_at_work *m, uint32_t v, unsigned slot, uint32_t lanes) {
    if ((m->kins || m->state.setup.bits) &&
        (!m->vrfs[v].slot || (slot && slot != m->vrfs[v].slot) ||
         lanes > slot_target(m->target)->row_bits / m->vrfs[v].slot))
        m->state.base.failure = "nobody said how wide the lanes are, or something else";
}

static void bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct machine_at_work *m = machine_at(dp);
    for (size_t i = 0; i < count; i++) {
        expect_slot(m, bindings[i].vrf, slot_of_kin(m, bindings[i].kin), bindings[i].valid_lanes);
        m->vrfs[bindings[i].vrf].kin = bindings[i].kin;
    }
    state_bind(dp, bindings, count);
}

static void get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
                uint32_t count, uint64_t *values) {
    if (what == DP_REGISTER)
        expect_slot(machine_at(dp), vrf, 0, first + count);
    state_get(dp, vrf, what, reg, first, count, values);
}

static void put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
                uint32_t first, uint32_t count, const uint64_t *values) {
    if (what == DP_REGISTER)
        expect_slot(machine_at(dp), vrf, 0, first + count);
    state_put(dp, vrf, what, reg, width, first, count, values);
}

static void remap(struct datapath *dp, const struct dp_map *map) {
    struct machine_at_work *m = machine_at(dp);
    m->code = map->code;
    m->kins = map->kins;
    state_remap(dp, map);
}

static void forget(struct datapath *dp, struct dp_code *code) {
    struct machine_at_work *m = machine_at(dp);
    pthread_mutex_lock(&m->state.lock);
    struct dp_code **link = &m->codes;
    while (*link != code)
        link = &(*link)->next;
    *link = code->next;
    pthread_mutex_unlock(&m->state.lock);
    code_free(code);
}

/* ---- answers and copies ---- */

/* A sweep for enabled slots in every VRF, and a look at the match lines. */
static void any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                struct dp_cost *cost) {
    const struct machine_at_work *m = machine_at(dp);
    uint64_t vrfs = vrf_set_size(set), groups = groups_of(m, vrfs);
    state_any(dp, what, set, bits, NULL);
    if (!cost)
        return;
    cost->known = true;
    cost->ps = command_ps(m, SLOT_SWEEP, groups) + command_ps(m, SLOT_READ, groups);
    take_commands(m, cost, SLOT_SWEEP, vrfs);
    take_commands(m, cost, SLOT_READ, vrfs);
}

/* Each register is read at one end and written at the other, one after the other, beside what the
 * data-transfer controller takes; numbers are only written. */
static void copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct machine_at_work *m = machine_at(dp);
    bool reads = !x->count || x->copies[0].source != DP_FROM_COUNT;
    uint64_t each = command_ps(m, SLOT_WRITE, 1) + (reads ? command_ps(m, SLOT_READ, 1) : 0);
    uint64_t registers = 0, longest = 0, *share_ps = cost->share_ps;
    cost->share_ps = xcalloc(x->share_count + 1, sizeof *share_ps);
    state_copy(&m->state, x);
    dtc_charge(&m->dtc, m->target, x, cost);
    for (size_t i = 0; i < x->pair_count; i++)
        registers += x->pair_copies[i] != 0;
    cost->ps = sat_add(cost->ps, registers * each);
    for (size_t i = 0; i < x->share_count; i++) {
        const struct dp_share *s = &x->shares[i];
        uint64_t ps = sat_add(cost->share_ps[i], (s->in_a_row + s->index_in_a_row) * each);
        registers += s->registers + s->index_registers;
        longest = ps > longest ? ps : longest;
        if (share_ps)
            share_ps[i] = ps;
    }
    free(cost->share_ps);
    cost->share_ps = share_ps;
    cost->ps = x->share_count ? longest : cost->ps;
    take_commands(m, cost, SLOT_WRITE, registers);
    if (reads)
        take_commands(m, cost, SLOT_READ, registers);
}

/* ---- what others see ---- */

static void counters(const struct datapath *dp, uint64_t *values) {
    values[0] = machine_at(dp)->unmatched;
}

static void observe(struct datapath *dp, dp_observer *observer, void *context) {
    struct machine_at_work *m = machine_at(dp);
    m->observer = observer;
    m->observer_context = context;
    dp->observed = observer != NULL;
}

static void format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                   struct str *out) {
    const struct slot_record *r = e->record;
    struct str text = {0};
    (void)dp;
    slot_command_text(r->command, r->constants, r->insn, &text);
    for (const char *c = str_text(&text); *c; c++)
        if (format == SLOT_FORMAT_TEXT)
            str_char(out, *c);
        else if (strncmp(c, " <- ", 4) == 0 && (c += 3))
            str_char(out, ',');
        else if (*c != ' ' || c[-1] != ',')
            str_char(out, *c == ' ' ? ',' : *c);
    str_free(&text);
}

static void cell_text(const struct datapath *dp, uint32_t cell, struct str *out, uint32_t *unit) {
    (void)dp;
    *unit = 0;
    if (cell >= ROW_SCRATCH)
        str_printf(out, "t%" PRIu32, cell - ROW_SCRATCH);
    else if (cell < ROW_C)
        str_printf(out, "r%" PRIu32, cell);
    else
        str_char(out, cell == ROW_C ? 'C' : 'M');
}

static void close_machine(struct datapath *dp) {
    struct machine_at_work *m = machine_at(dp);
    while (m->codes) {
        struct dp_code *code = m->codes;
        m->codes = code->next;
        code_free(code);
    }
    dtc_free(m->dtc);
    free(m->vrfs);
    state_close(&m->state);
    free(m);
}

static struct datapath *open_machine(const struct dp_setup *setup, struct diag *d) {
    struct machine_at_work *m = xcalloc(1, sizeof *m);
    m->target = setup->target;
    m->code = setup->code;
    m->kins = setup->kins;
    for (unsigned k = 0; k < SLOT_KINDS; k++)
        m->kinds[k] =
            (struct dp_kind){slot_kind_names[k], k, part_of(k), slot_kind_fj(m->target, k)};
    m->state.base.has_cells = true;
    m->state.base.tables = (struct dp_tables){.kinds = m->kinds,
                                              .kind_count = SLOT_KINDS,
                                              .parts = part_names,
                                              .part_count = PARTS,
                                              .counters = counter_names,
                                              .counter_count = 1,
                                              .answers = true,
                                              .establishes = true,
                                              .at_once = true};
    if (state_open(&m->state, &slot_ops, setup, d)) {
        m->vrfs = xcalloc((size_t)m->state.vrfs + 1, sizeof *m->vrfs);
        return &m->state.base;
    }
    close_machine(&m->state.base);
    return NULL;
}

const struct datapath_ops slot_ops = {
    .name = "strict",
    .open = open_machine,
    .close = close_machine,
    .prepare = prepare,
    .describe = describe,
    .remap = remap,
    .forget = forget,
    .shape = shape,
    .bind = bind,
    .establish = establish,
    .execute = execute,
    .follow = follow,
    .pass = pass,
    .any = any,
    .copy = copy,
    .get = get,
    .put = put,
    .counters = counters,
    .observe = observe,
    .format = format,
    .cell_text = cell_text,
    .snapshot = state_snapshot,
};
