/* SPDX-License-Identifier: MIT
 * The top level: instructions between ensembles, and the control path as a whole. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

void control_describe_insn(const struct control *c, const struct insn *insn, struct str *out) {
    struct isa_users users = {0};
    struct arena names = {0};
    object_users(c->program, &users, &names, NULL);
    isa_users_format(&users, insn, insn->op == OP_GMOVE ? control_gmove_name(c, insn) : NULL, out);
    arena_free(&names);
}

static void describe_place(const struct control *c, const struct stop_place *at, struct str *out) {
    const struct target *t = c->target;
    if (at->index < c->text.len) {
        str_printf(out, " (instruction %u", (unsigned)at->index);
        if (c->text.insns[at->index].op < OP_COUNT) {
            str_append(out, ": ");
            control_describe_insn(c, &c->text.insns[at->index], out);
        }
    } else {
        str_printf(out, " (instruction %u, behind the text", (unsigned)at->index);
    }
    control_rounds_describe(c, "; ", "", out);
    if (at->mpu != NO_INDEX)
        str_printf(out, "; MPU %u", (unsigned)at->mpu);
    if (at->batch != NO_INDEX)
        str_printf(out, ", batch %u", (unsigned)at->batch);
    if (at->vrf != NO_INDEX)
        str_printf(out, ", RFH%u.VRF%u",
                   (unsigned)(at->vrf % target_vrfs_per_mpu(t) % t->rfh_per_mpu),
                   (unsigned)(at->vrf % target_vrfs_per_mpu(t) / t->rfh_per_mpu));
    if (at->lane != NO_INDEX)
        str_printf(out, ", lane %u", (unsigned)at->lane);
    str_char(out, ')');
}

bool control_stop(struct control *c, enum control_end end, struct stop_place at, const char *format,
                  ...) {
    char text[512];
    va_list args;
    if (c->end != CONTROL_DONE)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->end = end;
    c->index = at.index;
    str_append(&c->message, text);
    describe_place(c, &at, &c->message);
    return false;
}

static uint64_t host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Along the busiest MPU. */
static uint64_t cycles_so_far(const struct control *c) {
    return sat_add(sat_add(c->cycles, c->most_mpu_cycles), c->busiest_cycles);
}

/* False when a limit is reached of a run that counts. */
static bool count_step(struct control *c) {
    const struct control_config *k = &c->config;
    const struct stream *first = c->stream_of[c->package->image_first];
    if ((k->max_steps && c->stats.steps >= k->max_steps) || (k->max_work && c->work >= k->max_work))
        return false;
    c->stats.steps += first && first == c->now;
    work_add(c, 1);
    return true;
}

bool control_may_go_on(struct control *c, uint32_t index) {
    const struct control_config *k = &c->config;
    if (k->interrupted && *k->interrupted)
        return control_stop(c, CONTROL_INTERRUPTED, STOP_AT(index), "interrupted");
    if (k->max_cycles && cycles_so_far(c) >= k->max_cycles)
        return control_stop(c, CONTROL_LIMIT, STOP_AT(index), "the limit of %llu cycles is reached",
                            (unsigned long long)k->max_cycles);
    if (k->count_laps && !count_step(c))
        return control_stop(c, CONTROL_LIMIT, STOP_AT(index), "counted as far as the limit");
    if (!k->max_seconds && !k->progress)
        return true;
    uint64_t ns = host_ns() - c->started_ns;
    if (k->max_seconds && ns / 1000000000u >= k->max_seconds)
        return control_stop(c, CONTROL_LIMIT, STOP_AT(index),
                            "the limit of %llu seconds is reached",
                            (unsigned long long)k->max_seconds);
    if (k->progress && ns / 1000000000u != c->progress_s) {
        c->progress_s = ns / 1000000000u;
        k->progress(k->progress_context, c->progress_s, c->stats.ensembles, cycles_so_far(c));
    }
    return true;
}

bool control_flow_step(struct flow *f, const struct text *text, const struct insn *x,
                       const char **why) {
    switch (x->op) {
    case OP_NOP:
        f->pc++;
        return true;
    case OP_GOTO:
        f->pc = (uint32_t)x->imm;
        return true;
    case OP_JUMP:
        *why = control_flow_call(f, (uint32_t)x->imm);
        return true;
    case OP_RETURN:
        *why = control_flow_return(f);
        return true;
    case OP_REPEAT:
        *why = control_flow_repeat(f, text, (uint32_t)x->imm);
        return true;
    case OP_REPEAT_END:
        *why = control_flow_repeat_end(f, text);
        return true;
    default:
        return false;
    }
}

static bool misplaced(struct control *c, const struct insn *x) {
    struct stop_place at = STOP_AT(c->top.pc);
    if (x->op == OP_COUNT)
        return control_stop(c, CONTROL_STOPPED, at, "illegal instruction");
    if (x->op == OP_SEND_DONE)
        return control_stop(c, CONTROL_STOPPED, at, "SEND_DONE without a SEND");
    bool transfer = isa_info(x->op)->format == FORMAT_M || x->op == OP_LANE;
    const char *kind = transfer ? "transfer" : "compute";
    return control_stop(c, CONTROL_STOPPED, at, "%s outside of a %s ensemble",
                        isa_info(x->op)->name, kind);
}

/* Calls, loops, GOTO and NOP at top level. */
static bool plain_step(struct control *c, const struct insn *x) {
    uint32_t pc = c->top.pc;
    const char *why = NULL;
    if (!control_flow_step(&c->top, &c->text, x, &why))
        return misplaced(c, x);
    if (why)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(pc), "%s", why);
    control_account_top(c, pc);
    return true;
}

/* What a step that went well or stopped the program means. */
static enum top_result result(bool fine) {
    return fine ? TOP_ON : TOP_STOPPED;
}

enum top_result control_top_step(struct control *c) {
    const struct insn *x = &c->text.insns[c->top.pc];
    if (control_order_begins(c))
        return result(control_order_stretch(c));
    switch (x->op) {
    case OP_COMPUTE:
    case OP_COMPUTEG:
        return result(control_compute_ensemble(c));
    case OP_MOVE:
        return result(control_transfer_ensemble(c));
    case OP_SEND:
        return result(control_send_step(c));
    case OP_RECV:
        return result(control_recv_step(c));
    case OP_GMOVE:
        return result(control_gmove_step(c));
    case OP_JUMP_ANY:
        c->now->state = STREAM_AT_ANY;
        return TOP_ON;
    case OP_HALT:
        control_account_top(c, c->top.pc);
        return TOP_ENDED;
    case OP_MARK:
        c->region = control_account_region(c, (uint32_t)x->imm);
        control_account_top(c, c->top.pc++);
        return TOP_ON;
    case OP_MPU_SYNC:
        control_account_top(c, c->top.pc++);
        return TOP_ON;
    default:
        return result(plain_step(c, x));
    }
}

/* MPUs of the image, those that groups span, and those that took split RFHs. */
static void find_mpus(struct control *c) {
    const struct package *p = c->package;
    uint8_t *used = xcalloc((size_t)p->mpus + 1, 1);
    for (uint32_t k = 0; k < p->image_count && k < p->mpus; k++) {
        uint32_t mpu = p->image_first + k;
        if (mpu < p->mpus)
            used[mpu] = 1;
        for (size_t i = 0; i < p->fixed_count; i++)
            if (mpu < p->mpus && p->fixed[i].mpu_offset < p->mpus - mpu)
                used[mpu + p->fixed[i].mpu_offset] = 1;
    }
    for (size_t i = 0; i < p->placement_count; i++)
        if (p->placements[i].mpu < p->mpus)
            used[p->placements[i].mpu] = 1;
    c->mpus = ARENA_ARRAY(&c->arena, (size_t)p->mpus + 1, uint32_t);
    for (uint32_t m = 0; m < p->mpus; m++)
        if (used[m])
            c->mpus[c->mpu_count++] = m;
    free(used);
}

struct control *control_new(const struct object *program, const struct package *package,
                            const struct target *t, struct datapath *dp,
                            const struct control_config *config) {
    struct control *c = xcalloc(1, sizeof *c);
    *c = (struct control){.program = program,
                          .package = package,
                          .target = t,
                          .dp = dp,
                          .config = *config,
                          .diag = diag_new(NULL, NULL)};
    bool bound = package->text_count == program->text.len; /* sizes are filled in */
    object_text_load(&c->text, bound ? package->text : program->text.data, program->text.len,
                     &c->arena);
    c->runs = xcalloc(2 * (size_t)c->text.len + 1, sizeof(struct prepared_run *));
    c->body_kind = xcalloc((size_t)c->text.len + 1, 1);
    find_mpus(c);
    c->maker = (struct ensemble_maker){.program = program,
                                       .package = package,
                                       .target = t,
                                       .mpus = c->mpus,
                                       .mpu_count = c->mpu_count,
                                       .mode = config->batch,
                                       .arena = &c->round};
    control_account_open(c);
    control_count_open(c);
    c->flag_a = xcalloc((size_t)package->mpus + 1, sizeof *c->flag_a);
    c->marks = xcalloc((size_t)package->mpus + 1, sizeof *c->marks);
    c->stream_of = xcalloc((size_t)package->mpus + 1, sizeof *c->stream_of);
    control_network_open(c);
    control_order_open(c);
    control_spread_open(&c->spread, config->threads, config->part_ps);
    return c;
}

enum control_end control_run(struct control *c) {
    c->started_ns = host_ns();
    if (c->mpu_count == 0)
        control_stop(c, CONTROL_STOPPED, STOP_AT(0), "the package gives the program no MPU");
    control_streams_open(c);
    control_order_begin(c);
    do {
        if (c->end == CONTROL_DONE)
            control_streams_run(c);
        control_debug_flush(c);
    } while (control_rounds_next(c));
    for (size_t i = 0; i < c->network.queues.len; i++)
        c->stats.messages_left += c->network.queues.data[i]->count;
    if (c->mpu_count)
        control_account_finish(c);
    if (c->config.count_laps) /* nobody asks for more than the time */
        return c->end;
    control_runs_wear(c);
    control_runs_peak(c);
    control_runs_masks(c);
    return c->end;
}

const char *control_message(const struct control *c) {
    return str_text(&c->message);
}

uint32_t control_index(const struct control *c) {
    return c->index;
}

const struct control_note *control_notes(const struct control *c, size_t *count) {
    *count = c->notes.len;
    return c->notes.data;
}

const struct dp_tables *control_tables(const struct control *c) {
    return &c->dp->tables;
}

const struct control_stats *control_stats(const struct control *c) {
    return &c->stats;
}

const struct control_insn_stats *control_insn_stats(const struct control *c) {
    return c->insns;
}

const struct control_region_stats *control_regions(const struct control *c, size_t *count) {
    *count = c->region_stats ? c->regions.len : 0;
    return c->region_stats;
}

void control_free(struct control *c) {
    if (!c)
        return;
    control_order_close(c);
    control_gmoves_close(c);
    control_streams_close(c);
    control_network_close(c);
    control_spread_close(&c->spread);
    control_account_close(c);
    control_runs_free(c);
    vec_free(&c->notes);
    free(c->flag_a);
    free(c->marks);
    free(c->stream_of);
    map_free(&c->ensembles);
    arena_free(&c->round);
    map_free(&c->codes);
    vec_free(&c->prints);
    vec_free(&c->laps.list);
    free(c->group_known);
    free(c->runs);
    free(c->body_kind);
    free(c->bits);
    str_free(&c->message);
    diag_free(c->diag);
    arena_free(&c->arena);
    free(c);
}
