/* SPDX-License-Identifier: MIT
 * What launches cost: sums of what their instructions took, and the time of the last core. */
#include "machines/core/simt/run/launch_cost.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const counter_names[SIMT_COUNTERS] = {
    [SIMT_COUNT_CYCLES] = "cycles",
    [SIMT_COUNT_ISSUED] = "warp_instructions",
    [SIMT_COUNT_LANES] = "lane_instructions",
    [SIMT_COUNT_NEAR] = "offloaded",
    [SIMT_COUNT_MOVES] = "register_moves",
    [SIMT_COUNT_TSV_BYTES] = "tsv_bytes",
    [SIMT_COUNT_TSV_MOVES] = "tsv_move_bytes",
    [SIMT_COUNT_TSV_PACKETS] = "tsv_packet_bytes",
    [SIMT_COUNT_TSV_WHOLE] = "tsv_whole_access_bytes",
    [SIMT_COUNT_TSV_CYCLES] = "tsv_busy_cycles",
    [SIMT_COUNT_READS] = "column_reads",
    [SIMT_COUNT_WRITES] = "column_writes",
    [SIMT_COUNT_HITS] = "row_hits",
    [SIMT_COUNT_MISSES] = "row_misses",
    [SIMT_COUNT_ROW_CONFLICTS] = "row_conflicts",
    [SIMT_COUNT_REMOTE] = "remote_columns",
    [SIMT_COUNT_HOP_BYTES] = "hop_bytes",
    [SIMT_COUNT_LINK_BYTES] = "link_bytes",
    [SIMT_COUNT_PASSES] = "shared_passes",
    [SIMT_COUNT_CONFLICTS] = "shared_conflicts",
    [SIMT_COUNT_LINES] = "code_lines_fetched",
    [SIMT_COUNT_BUSY] = "issue_cycles",
    [SIMT_COUNT_SUBCORES] = "subcore_cycles",
    [SIMT_COUNT_ISSUE_LIMIT] = "issue_limit_cycles",
    [SIMT_COUNT_TSV_LIMIT] = "tsv_limit_cycles",
    [SIMT_COUNT_BANK_LIMIT] = "bank_limit_cycles",
    [SIMT_COUNT_CORES] = "cores_used_most",
    [SIMT_COUNT_RESIDENT] = "resident_warps_most",
    [SIMT_COUNT_STALLS + SIMT_STALL_BLOCK] = "stall_block",
    [SIMT_COUNT_STALLS + SIMT_STALL_BARRIER] = "stall_barrier",
    [SIMT_COUNT_STALLS + SIMT_STALL_MEMORY] = "stall_memory",
    [SIMT_COUNT_STALLS + SIMT_STALL_TSV] = "stall_tsv",
    [SIMT_COUNT_STALLS + SIMT_STALL_COLLECTOR] = "stall_collector",
    [SIMT_COUNT_STALLS + SIMT_STALL_RESULT] = "stall_result",
    [SIMT_COUNT_STALLS + SIMT_STALL_FETCH] = "stall_fetch",
    [SIMT_COUNT_STALLS + SIMT_STALL_LSU] = "stall_lsu",
    [SIMT_COUNT_STALLS + SIMT_STALL_DRAIN] = "stall_drain",
};
#define BLOCK_TRACKS 8u
static const char *const tracks[] = {"subcore",  "near unit", "tsv",      "banks",
                                     "blocks 1", "blocks 2",  "blocks 3", "blocks 4",
                                     "blocks 5", "blocks 6",  "blocks 7", "blocks 8"};

/* What is counted by place; stalls follow. */
static const struct {
    enum simt_counter counter;
    size_t member;
} by_place[] = {
#define AT(counter, member)                                                                        \
    { counter, offsetof(struct simt_place_time, member) }
    AT(SIMT_COUNT_LANES, lanes),
    AT(SIMT_COUNT_NEAR, near),
    AT(SIMT_COUNT_MOVES, moves),
    AT(SIMT_COUNT_TSV_BYTES, tsv_bytes),
    AT(SIMT_COUNT_READS, reads),
    AT(SIMT_COUNT_WRITES, writes),
    AT(SIMT_COUNT_HITS, row_hits),
    AT(SIMT_COUNT_MISSES, activates),
    AT(SIMT_COUNT_ROW_CONFLICTS, row_conflicts),
    AT(SIMT_COUNT_REMOTE, remote),
    AT(SIMT_COUNT_PASSES, passes),
    AT(SIMT_COUNT_CONFLICTS, conflicts),
    AT(SIMT_COUNT_HOP_BYTES, hop_bytes),
#undef AT
};
#define MEMBERS (unsigned)(sizeof by_place / sizeof *by_place)
_Static_assert(MEMBERS + 1 + SIMT_STALLS == SIMT_PLACE_COUNTERS, "cycles, members, stalls");

/* Number i of the figures of a place: its cycles, which are its issues and stalls, and the rest. */
static unsigned counter_of(unsigned i) {
    return i == 0         ? SIMT_COUNT_SUBCORES
           : i <= MEMBERS ? (unsigned)by_place[i - 1].counter
                          : SIMT_COUNT_STALLS + i - 1 - MEMBERS;
}

static uint64_t cycles_of(const struct simt_place_time *p) {
    uint64_t cycles = p->issued;
    for (unsigned s = 0; s < SIMT_STALLS; s++)
        cycles += p->stalls[s];
    return cycles;
}

static uint64_t figure_of(const struct simt_place_time *p, unsigned i) {
    uint64_t value;
    if (i == 0)
        return cycles_of(p);
    if (i > MEMBERS)
        return p->stalls[i - 1 - MEMBERS];
    memcpy(&value, (const char *)p + by_place[i - 1].member, sizeof value);
    return value;
}

void simt_cost_open(struct simt_machine_state *m) {
    const struct simt_time_keys *k = &simt_keys(m->state.setup.target)->time;
    const uint64_t each[SIMT_ACTS] = {
        [SIMT_ACT_ALU] = k->alu_fj,       [SIMT_ACT_COLLECT] = k->collector_fj,
        [SIMT_ACT_REGISTER] = k->rf_fj,   [SIMT_ACT_READ] = k->column_fj,
        [SIMT_ACT_WRITE] = k->column_fj,  [SIMT_ACT_ACTIVATE] = k->row_fj,
        [SIMT_ACT_PRECHARGE] = k->row_fj, [SIMT_ACT_REFRESH] = k->refresh_fj,
        [SIMT_ACT_SHARED] = k->shared_fj, [SIMT_ACT_EXTENSION] = k->extension_fj};
    struct dp_tables *t = &m->state.base.tables;
    for (uint32_t i = 0; i < SIMT_ACTS; i++)
        m->kinds[i] = (struct dp_kind){.name = simt_act_names[i],
                                       .first = i,
                                       .part = simt_part_of((enum simt_act)i),
                                       .energy_fj = each[i]};
    t->kinds = m->kinds;
    t->kind_count = SIMT_ACTS;
    t->parts = simt_part_names;
    t->part_count = SIMT_PARTS;
    t->counters = counter_names;
    t->counter_count = SIMT_COUNTERS;
    t->tracks = tracks;
    t->track_count = sizeof tracks / sizeof *tracks;
    t->measured = true;
    t->places = true;
    for (unsigned i = 0; i < SIMT_PLACE_COUNTERS; i++)
        m->place_names[i] = counter_names[counter_of(i)];
    t->place_figures = m->place_names;
    t->place_figure_count = SIMT_PLACE_COUNTERS;
}

void simt_cost_counters(const struct datapath *dp, uint64_t *values) {
    const struct simt_machine_state *m = (const struct simt_machine_state *)(const void *)dp;
    memcpy(values, m->counters, sizeof m->counters);
}

/* ---- who watches ---- */

struct launch_watching {
    struct simt_machine_state *m;
    const struct dp_launch *launch;
    const struct simt_kernel *kernel;
    uint32_t first_insn; /* of a run: number of what is line 1 */
    uint64_t begin_ps, period_ps;
    uint32_t units; /* of a core */
};

static uint32_t unit_of(const struct simt_machine_state *m, uint32_t core, uint32_t sub) {
    const struct target *t = m->state.setup.target;
    return core / t->rfh_per_mpu * target_vrfs_per_mpu(t) + sub * t->rfh_per_mpu +
           core % t->rfh_per_mpu;
}

static void draw(void *context, enum simt_track track, uint32_t core, uint32_t unit,
                 struct simt_span span) {
    const struct launch_watching *w = context;
    const uint32_t lane = unit / w->units;
    if (track == SIMT_TRACK_BLOCK && lane >= BLOCK_TRACKS)
        return;
    const struct dp_bar bar = {.track = (uint32_t)track + (track == SIMT_TRACK_BLOCK ? lane : 0),
                               .unit = unit_of(w->m, core, unit % w->units),
                               .start_ps = span.begin * w->period_ps,
                               .ps = (span.end - span.begin) * w->period_ps};
    w->launch->bar(w->launch->context, &bar);
}

/* Lines of a run are numbers of its instructions, from 1; those of a stage kernel are .loc's of a
 * text that nobody has; those of PTX are its own, with what .loc says of its source. */
static struct simt_told about(const struct launch_watching *w, const struct simt_issued *x) {
    const struct simt_line *l = &w->kernel->lines[x->step];
    const struct kernel_decl *d = w->launch->decl;
    const bool stage = d && strcmp(d->form, "stage") == 0, known = l->file < w->kernel->file_count;
    const uint32_t line = stage ? (known ? l->source_line : 0) : d ? l->line : 0;
    return (struct simt_told){.issued = *x,
                              .insn = &w->kernel->insns[x->step],
                              .pc = w->kernel->places[x->step],
                              .line = line && d->first_line ? d->first_line + line - 1 : line,
                              .source = d && !stage && known ? w->kernel->files[l->file] : NULL,
                              .source_line = l->source_line};
}

static void tell(void *context, const struct simt_issued *x) {
    const struct launch_watching *w = context;
    const struct simt_told told = about(w, x);
    const struct simt_line *l = &w->kernel->lines[x->step];
    const struct dp_event e = {.vrf_first = unit_of(w->m, x->core, x->subcore),
                               .vrf_count = 1,
                               .insn = w->launch->decl || !l->source_line
                                           ? w->first_insn
                                           : w->first_insn + l->source_line - 1,
                               .start_ps = w->begin_ps + x->cycle * w->period_ps,
                               .kind = SIMT_ACT_ALU,
                               .unit = x->warp,
                               .record = &told};
    w->m->observer(w->m->context, &e);
}

void simt_cost_format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                      struct str *out) {
    const struct simt_told *x = e->record;
    (void)dp, (void)format;
    str_printf(out, "block %" PRIu64 " warp %2" PRIu32 "  %4" PRIu32 " %08" PRIx32 "  %s  ",
               x->issued.block, x->issued.warp, x->pc, x->issued.mask,
               x->issued.near ? "near" : "far ");
    simt_print(x->insn, out);
    if (x->line)
        str_printf(out, "  ; line %" PRIu32, x->line);
    if (x->source)
        str_printf(out, ", %s:%" PRIu32, x->source, x->source_line);
}

/* ---- sums ---- */

/* Cycles that `work` takes at least where the cores that had blocks share it, each so much a cycle;
 * rounded up. */
static uint64_t limit(const struct simt_launch_time *x, uint64_t work, uint64_t a_cycle) {
    const uint64_t all = x->used_cores * a_cycle;
    return all ? work / all + (work % all != 0) : 0;
}

/* The roofs of the launch (Fig. 8 of the paper): an issue of each subcore, TSVs, columns of banks.
 */
static void count_limits(const struct simt_launch_time *x, uint64_t *n) {
    const struct simt_keys *k = simt_keys(x->target);
    uint64_t issued = 0, bytes = 0, columns = 0;
    for (uint32_t i = 0; i < x->kernel->insn_count; i++) {
        issued += x->places[i].issued;
        bytes += x->places[i].tsv_bytes;
        columns += x->places[i].reads + x->places[i].writes;
    }
    n[SIMT_COUNT_ISSUE_LIMIT] += limit(x, issued, x->target->vrf_per_rfh);
    n[SIMT_COUNT_TSV_LIMIT] += limit(x, bytes, k->time.tsv_bytes);
    n[SIMT_COUNT_BANK_LIMIT] +=
        limit(x, sat_mul(columns, k->time.t_ccd), (uint64_t)x->target->vrf_per_rfh * k->banks);
}

/* Bytes of the TSVs by what they are: registers moved; packets of instructions and what says that
 * they are done; accesses that go as one, likewise.  The rest are columns and their commands, and
 * what is gathered of them. */
static void count_tsv(uint64_t *n, const struct simt_time_keys *k, const struct simt_insn *insn,
                      const struct simt_place_time *p) {
    const uint64_t moved = SIMT_REGISTER_BYTES * p->moved_registers +
                           SIMT_PREDICATE_BYTES * (p->moves - p->moved_registers);
    n[SIMT_COUNT_TSV_MOVES] += moved;
    if (simt_reaches_banks(insn))
        n[SIMT_COUNT_TSV_WHOLE] += p->near * (k->access_bytes + k->ack_bytes);
    else
        n[SIMT_COUNT_TSV_PACKETS] += p->tsv_bytes - moved;
}

static void count(struct simt_machine_state *m, const struct simt_launch_time *x) {
    const struct simt_time_keys *k = &simt_keys(x->target)->time;
    uint64_t *n = m->counters;
    for (uint32_t i = 0; i < x->kernel->insn_count; i++) {
        const struct simt_place_time *p = &x->places[i];
        n[SIMT_COUNT_ISSUED] += p->issued;
        count_tsv(n, k, &x->kernel->insns[i], p);
        n[SIMT_COUNT_LINK_BYTES] += p->link_bytes;
        for (unsigned f = 1; f < SIMT_PLACE_COUNTERS; f++)
            n[counter_of(f)] += figure_of(p, f);
    }
    count_limits(x, n);
    n[SIMT_COUNT_CYCLES] += x->cycles;
    n[SIMT_COUNT_TSV_CYCLES] += x->tsv_busy;
    n[SIMT_COUNT_LINES] += x->lines;
    n[SIMT_COUNT_BUSY] += x->busy_cycles;
    n[SIMT_COUNT_SUBCORES] += x->subcore_cycles;
    if (x->used_cores > n[SIMT_COUNT_CORES])
        n[SIMT_COUNT_CORES] = x->used_cores;
    if (x->resident > n[SIMT_COUNT_RESIDENT])
        n[SIMT_COUNT_RESIDENT] = x->resident;
}

/* Refreshes are everybody's: each place has its share by instructions, the first the rest. */
static uint64_t refresh_share(const struct simt_launch_time *x, uint32_t i, uint64_t issued) {
    return issued ? sat_scale(x->refreshes, x->places[i].issued, issued) : 0;
}

struct launch_sums {
    uint64_t count[SIMT_ACTS], fj[SIMT_ACTS];
};

static void add_place(struct dp_cost *cost, uint32_t pc, const struct simt_place_time *p,
                      const struct launch_sums *s, uint64_t period_ps) {
    if (pc >= cost->place_count)
        return;
    struct dp_place_cost *to = &cost->places[pc];
    to->executed += p->issued;
    to->unit_ps = sat_add(to->unit_ps, sat_mul(cycles_of(p), period_ps));
    uint64_t *own =
        cost->place_figures ? cost->place_figures + (size_t)pc * SIMT_PLACE_COUNTERS : NULL;
    for (unsigned k = 0; own && k < SIMT_PLACE_COUNTERS; k++)
        own[k] += figure_of(p, k);
    for (unsigned k = 0; k < SIMT_ACTS; k++) {
        to->micro_ops += s->count[k];
        to->energy_fj = sat_add(to->energy_fj, s->fj[k]);
    }
}

static void charge(const struct simt_machine_state *m, const struct simt_launch_time *x,
                   struct dp_cost *cost) {
    const struct simt_keys *keys = simt_keys(x->target);
    uint64_t issued = 0, left = x->refreshes;
    for (uint32_t i = 0; i < x->kernel->insn_count; i++)
        issued += x->places[i].issued;
    for (uint32_t i = x->kernel->insn_count; i-- > 0;) {
        struct launch_sums s = {.count = {0}};
        const uint64_t share = i ? refresh_share(x, i, issued) : left;
        left -= share;
        simt_place_energy(keys, &x->kernel->insns[i], &x->places[i], s.count, s.fj);
        s.count[SIMT_ACT_REFRESH] = share;
        s.fj[SIMT_ACT_REFRESH] = sat_mul(share, keys->time.refresh_fj);
        add_place(cost, x->kernel->places[i], &x->places[i], &s, x->target->datapath_ps);
        for (unsigned k = 0; k < SIMT_ACTS; k++) {
            if (cost->uops)
                cost->uops[k] += s.count[k];
            if (cost->kind_fj)
                cost->kind_fj[k] = sat_add(cost->kind_fj[k], s.fj[k]);
            if (cost->energy_fj)
                cost->energy_fj[m->kinds[k].part] =
                    sat_add(cost->energy_fj[m->kinds[k].part], s.fj[k]);
        }
    }
    cost->ps = sat_mul(x->cycles, x->target->datapath_ps);
    cost->known = true;
}

bool simt_cost_launch(struct simt_machine_state *m, struct simt_run *run, struct dp_cost *cost) {
    const struct target *t = m->state.setup.target;
    const struct simt_kernel *k = run->program->kernel;
    struct launch_watching w = {.m = m,
                                .launch = run->launch,
                                .kernel = k,
                                .first_insn = run->first_insn,
                                .begin_ps = cost->begin_ps,
                                .period_ps = t->datapath_ps,
                                .units = t->vrf_per_rfh};
    struct simt_launch_time x = {.span = run->launch->bar ? draw : NULL,
                                 .issued = m->observer ? tell : NULL,
                                 .context = &w,
                                 .charged_cores = run->charged_cores,
                                 .places = xcalloc((size_t)k->insn_count + 1, sizeof *x.places)};
    run->timed = simt_keys(t)->time.on ? &x : NULL;
    bool fine = simt_launch(run);
    if (fine && run->timed) {
        charge(m, &x, cost);
        pthread_mutex_lock(&m->state.lock);
        count(m, &x);
        pthread_mutex_unlock(&m->state.lock);
    }
    free(x.places);
    return fine;
}
