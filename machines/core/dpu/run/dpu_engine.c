/* SPDX-License-Identifier: MIT
 * Launches: each DPU carries out its program, from its instruction 0 until all tasklets stop. */
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/run/dpu_machine.h"
#include "machines/core/dpu/run/stage_launch.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const parts[DPU_PARTS] = {[DPU_PART_CORE] = "core", [DPU_PART_CODE] = "code"};
static const char *const counters[] = {"waited_cycles"};

enum {
    COUNT_INSTRUCTIONS,
    COUNT_IDLE, /* by enum dpu_idle */
    COUNT_READ_BYTES = COUNT_IDLE + DPU_IDLES,
    COUNT_READS,
    COUNT_WRITTEN_BYTES,
    COUNT_WRITES,
    COUNT_CLASSES, /* by enum dpu_class */
    UNIT_COUNTS = COUNT_CLASSES + DPU_CLASSES
};
static const char *const unit_counts[UNIT_COUNTS] = {
    [COUNT_INSTRUCTIONS] = "instructions",
    [COUNT_IDLE + DPU_IDLE_INTERVAL] = "idle_interval",
    [COUNT_IDLE + DPU_IDLE_DMA] = "idle_dma",
    [COUNT_IDLE + DPU_IDLE_STOPPED] = "idle_stopped",
    [COUNT_READ_BYTES] = "dma_read_bytes",
    [COUNT_READS] = "dma_reads",
    [COUNT_WRITTEN_BYTES] = "dma_written_bytes",
    [COUNT_WRITES] = "dma_writes",
    [COUNT_CLASSES + DPU_ARITHMETIC] = "arithmetic",
    [COUNT_CLASSES + DPU_LOGIC] = "logic",
    [COUNT_CLASSES + DPU_SHIFT] = "shifts",
    [COUNT_CLASSES + DPU_COUNT] = "counts",
    [COUNT_CLASSES + DPU_EXTEND] = "extensions",
    [COUNT_CLASSES + DPU_MULTIPLY] = "products",
    [COUNT_CLASSES + DPU_STEP] = "steps",
    [COUNT_CLASSES + DPU_PAIR] = "pairs",
    [COUNT_CLASSES + DPU_LOAD] = "loads",
    [COUNT_CLASSES + DPU_STORE] = "stores",
    [COUNT_CLASSES + DPU_DMA] = "transfers",
    [COUNT_CLASSES + DPU_ATOMIC] = "atomics",
    [COUNT_CLASSES + DPU_THREAD] = "threads",
    [COUNT_CLASSES + DPU_JUMP] = "calls",
    [COUNT_CLASSES + DPU_OTHER] = "others",
};
_Static_assert(UNIT_COUNTS < STORED_COUNTERS, "one is the cycles");

static void price(const struct target *t, uint32_t op, struct dp_kind *out) {
    (void)op;
    out->part = DPU_PART_CORE;
    out->energy_fj = dpu_keys(t)->instruction_fj;
}

/* ---- kernels ---- */

uint32_t dpu_word_op(uint64_t word) {
    struct dpu_insn insn;
    struct dpu_form form;
    if (!dpu_decode(word, false, &insn))
        return DPU_OPS;
    dpu_form_get(insn.form, &form);
    return form.op;
}

/* Instructions of the program; what overlays are is not known before they come. */
static struct stored_place *places(const void *code, size_t size, uint32_t *count) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct dpu_kernel k;
    struct dpu_program *p =
        dpu_kernel_read(code, size, &k) ? dpu_program_read("", k.file, k.size, quiet) : NULL;
    struct stored_place *list = xcalloc(DPU_IRAM_WORDS, sizeof *list);
    *count = p ? (uint32_t)p->words.len : 0;
    for (uint32_t i = 0; i < *count; i++)
        list[i] =
            (struct stored_place){.word = p->words.data[i], .op = dpu_word_op(p->words.data[i])};
    dpu_program_free(p);
    dpu_kernel_free(&k);
    diag_free(quiet);
    return list;
}

/* ---- a launch on a DPU ---- */

static void put_word(struct dpu_core *core, uint32_t at, uint32_t value) {
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                    (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    if (at != DPU_NO_SYMBOL)
        dpu_core_wram_put(core, at, bytes, sizeof bytes);
}

/* Numbers, structures, and addresses of buffers, of which a DPU sees what is its own. */
static void put_arguments(const struct stored_unit *u, const struct dpu_kernel *k,
                          struct dpu_core *core) {
    const struct dp_launch *x = u->launch;
    for (uint32_t i = 0; i < k->count && i < x->argument_count; i++) {
        const struct dpu_parameter *p = &k->parameters[i];
        if (p->own)
            continue;
        if (x->arguments[i].bytes == 8 && p->bytes == 4) /* of a buffer */
            put_word(core, p->at, (uint32_t)datapath_argument(x, i));
        else
            dpu_core_wram_put(core, p->at, x->parameters + x->arguments[i].offset, p->bytes);
    }
    put_word(core, k->unit_at, u->first);
    put_word(core, k->units_at, u->every);
}

/* Figures of a DPU go on from launch to launch. */
void dpu_take_totals(const struct dpu_counters *before, const struct dpu_counters *now,
                     struct stored_work *work) {
    uint64_t *n = work->unit_counts;
    work->cycles = now->cycles - before->cycles;
    n[COUNT_INSTRUCTIONS] = now->instructions - before->instructions;
    for (unsigned i = 0; i < DPU_IDLES; i++)
        n[COUNT_IDLE + i] = now->idle[i] - before->idle[i];
    n[COUNT_READ_BYTES] = now->read_bytes - before->read_bytes;
    n[COUNT_READS] = now->reads - before->reads;
    n[COUNT_WRITTEN_BYTES] = now->written_bytes - before->written_bytes;
    n[COUNT_WRITES] = now->writes - before->writes;
}
void dpu_take_class(uint32_t op, uint64_t executed, struct stored_work *work) {
    if (op < DPU_OPS)
        work->unit_counts[COUNT_CLASSES + dpu_op_class(op)] += executed;
}

static void take_figures(const struct dpu_core *core, const struct dpu_counters *before,
                         const uint64_t *executed, uint32_t words, struct stored_work *work) {
    struct dpu_counters now;
    dpu_core_counters(core, &now);
    dpu_take_totals(before, &now, work);
    for (unsigned i = 0; i < DPU_CLASSES; i++)
        work->unit_counts[COUNT_CLASSES + i] = now.classes[i] - before->classes[i];
    for (uint32_t i = 0; i < words; i++)
        work->places[i].executed = work->places[i].cycles =
            dpu_core_executed(core, i) - executed[i];
}

/* ---- who watches ---- */

struct dpu_issued {
    uint64_t cycle, word;
    uint32_t tasklet, pc;
};
struct watching {
    struct stored_unit *unit;
    uint64_t begin; /* cycle in which the launch began */
};

static void tell(void *context, const struct dpu_event *x) {
    const struct watching *w = context;
    struct stored_dp *m = w->unit->machine;
    const struct dpu_issued record = {x->cycle - w->begin, x->word, x->tasklet, x->pc};
    struct dp_event e = w->unit->event;
    e.kind = dpu_word_op(x->word);
    e.unit = x->tasklet;
    e.start_ps += record.cycle * stored_target(m)->datapath_ps;
    e.record = &record;
    m->observer(m->context, &e);
}

static void format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                   struct str *out) {
    const struct dpu_issued *x = e->record;
    struct dpu_insn insn;
    (void)dp;
    if (format == DPU_FORMAT_CSV)
        str_printf(out, "%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",\"", x->tasklet, x->cycle, x->pc);
    else
        str_printf(out, "tasklet %2" PRIu32 "  %4" PRIu32 "  ", x->tasklet, x->pc);
    if (dpu_decode(x->word, true, &insn))
        dpu_print(&insn, out);
    str_append(out, format == DPU_FORMAT_CSV ? "\"" : "");
}

static void explain(const struct dpu_core *core, uint32_t unit, const struct dpu_program *program,
                    struct str *why) {
    str_printf(why, "DPU %" PRIu32 ", ", unit);
    dpu_core_explain(core, program, why);
    if (dpu_core_trouble(core)->fault == DPU_FAULT_WATCHDOG)
        str_append(why, " (dpu.watchdog)");
}

static bool unit_stopped(const struct datapath *dp, uint32_t unit, struct str *why) {
    const struct dpu_units *u = dpu_units_of(stored_const(dp));
    const struct dpu_unit *x = &u->list[unit];
    if (!x->core || dpu_core_trouble(x->core)->fault == DPU_FINE)
        return false;
    explain(x->core, unit, x->program ? u->programs.data[x->program - 1]->program : NULL, why);
    return true;
}

bool dpu_run_watched(struct stored_unit *u, struct dpu_core *core) {
    struct dpu_counters before;
    dpu_core_totals(core, &before);
    struct watching w = {u, before.cycles};
    dpu_core_watch(core, u->machine->observer ? tell : NULL, &w);
    bool fine = dpu_core_run(core, stored_keys(stored_target(u->machine))->watchdog);
    dpu_core_watch(core, NULL, NULL);
    return fine;
}

static bool stops(struct stored_unit *u, const struct dpu_core *core,
                  const struct dpu_program *program) {
    const struct dpu_stage_launch *staged = dpu_units_of(u->machine)->staged;
    struct str why = {0};
    if (!staged || !dpu_stage_explain(staged, u, core, &why))
        explain(core, u->unit, program, &why);
    else if (dpu_core_trouble(core)->fault == DPU_FAULT_WATCHDOG)
        str_append(&why, " (dpu.watchdog)");
    stored_unit_stops(u, dpu_core_trouble(core)->pc, str_text(&why));
    str_free(&why);
    return false;
}

static bool work(struct stored_unit *u) {
    struct dpu_units *units = dpu_units_of(u->machine);
    const struct dpu_loaded *loaded = units->now;
    struct dpu_core *core = dpu_units_with(units, u->unit, units->now_number);
    const uint32_t words = (uint32_t)loaded->program->words.len;
    uint64_t *executed = xcalloc(words + 1u, sizeof *executed);
    struct dpu_counters before;
    put_arguments(u, &loaded->kernel, core);
    if (units->staged)
        dpu_stage_begin(units->staged, u, core);
    dpu_core_counters(core, &before);
    for (uint32_t i = 0; i < words; i++)
        executed[i] = dpu_core_executed(core, i);
    bool fine = dpu_run_watched(u, core);
    take_figures(core, &before, executed, words, u->work);
    free(executed);
    return fine || stops(u, core, loaded->program);
}

/* As many DPUs work as there are elements for; what they leave comes together behind the launch. */
static bool launch_stages(struct dpu_units *units, struct datapath *dp, const struct dp_launch *x,
                          struct dp_cost *cost, struct diag *d) {
    struct dpu_stage_launch staged;
    struct dp_launch own = *x;
    bool fine = dpu_stage_open(&staged, stored_of(dp), x, &units->now->kernel.plan, d);
    own.units = staged.units;
    own.all_units = x->all_units ? x->all_units : x->units ? x->units : stored_of(dp)->state.vrfs;
    units->staged = &staged;
    fine = fine && stored_launch(dp, &own, cost, d) && dpu_stage_end(&staged, d);
    units->staged = NULL;
    if (fine) {
        cost->transfer_ps = staged.out_ps;
        cost->transfer_bytes = staged.out_bytes;
        cost->ps = sat_add(cost->ps, staged.out_ps);
        cost->transfer_fj = sat_add(cost->transfer_fj, staged.out_fj);
    }
    dpu_stage_close(&staged);
    return fine;
}

static bool launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                   struct diag *d) {
    struct stored_dp *m = stored_of(dp);
    struct dpu_units *units = dpu_units_of(m);
    const struct dp_program program = {x->decl, x->kernel, x->size};
    units->now_number = dpu_units_program(m, &program, d);
    if (!units->now_number)
        return false;
    units->now = units->programs.data[units->now_number - 1];
    return units->now->kernel.staged ? launch_stages(units, dp, x, cost, d)
                                     : stored_launch(dp, x, cost, d);
}

/* ---- the machine ---- */

static const struct stored_engine engine = {.kind = &dpu_stored,
                                            .ops = &dpu_engine,
                                            .work = work,
                                            .price = price,
                                            .parts = parts,
                                            .part_count = DPU_PARTS,
                                            .counters = counters,
                                            .counter_count = 1,
                                            .unit_counter = "dpu_cycles",
                                            .unit_counts = unit_counts,
                                            .unit_counts_count = UNIT_COUNTS,
                                            .track = "dpu",
                                            .worker = "tasklet",
                                            .apart = true,
                                            .places = places};

static void close_machine(struct datapath *dp) {
    if (dpu_units_of(stored_of(dp)))
        dpu_codes_free(dpu_units_of(stored_of(dp)));
    dpu_units_close(stored_of(dp));
    stored_machine_close(dp);
}

static struct datapath *open_machine(const struct dp_setup *setup, struct diag *d) {
    const uint64_t units = (uint64_t)setup->mpus * target_vrfs_per_mpu(setup->target);
    if (units > DPU_MOST_UNITS) {
        diag_error(d, NO_SPAN, "%" PRIu64 " DPUs, and there are %" PRIu32 " at most", units,
                   DPU_MOST_UNITS);
        return NULL;
    }
    struct datapath *dp = stored_machine_open(&engine, setup, d);
    if (!dp)
        return NULL;
    dpu_units_open(stored_of(dp));
    dp->tables.answers = true;
    dp->valid_alone = true;
    if (dpu_arrays_open(stored_of(dp), d))
        return dp;
    close_machine(dp);
    return NULL;
}

const struct datapath_ops dpu_engine = {
    .name = "strict",
    .open = open_machine,
    .close = close_machine,
    .prepare = dpu_prepare,
    .describe = dpu_describe,
    .bind = dpu_bind,
    .execute = dpu_execute,
    .follow = stored_follow,
    .pass = stored_pass,
    .any = dpu_any,
    .copy = dpu_copy,
    .get = dpu_get,
    .put = dpu_put,
    .mem_alloc = dpu_mem_alloc,
    .mem_alloc_slices = dpu_mem_alloc_slices,
    .mem_own = dpu_mem_own,
    .mem_free = dpu_mem_free,
    .mem_put = dpu_mem_put,
    .mem_get = dpu_mem_get,
    .units_apart = true,
    .launch = launch,
    .unit_stopped = unit_stopped,
    .forget_kernel = dpu_forget_kernel,
    .counters = stored_counters,
    .unit_counters = stored_unit_counters,
    .observe = stored_observe,
    .format = format,
    .snapshot = dpu_snapshot,
};
