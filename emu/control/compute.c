/* SPDX-License-Identifier: MIT
 * Compute ensembles: header, the strands of the body, footer.
 *
 * A body without data-dependent jumps is one strand over all VRFs of all MPUs, whose time counts
 * once per batch.  Otherwise each batch of each MPU is a strand.  Strands go on in program order:
 * those at the earliest place take their step first, so that a stop finds every VRF after all
 * earlier and before the failing instruction, whatever the batching. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

enum body_kind { BODY_UNKNOWN, BODY_IN_STEP, BODY_BY_BATCH };

struct strand_schedule {
    struct strand *strands; /* [count], by MPU, then batch */
    uint32_t count;
    uint32_t *front; /* [front_count], ascending: strands at the earliest place */
    uint32_t front_count;
    uint32_t live;
    const struct strand *next; /* the earliest of the strands that wait, or NULL */
};

static bool depends_on_data(struct control *c, uint32_t body) {
    if (body >= c->text.len)
        return false;
    if (c->body_kind[body] == BODY_UNKNOWN)
        c->body_kind[body] =
            object_text_body_depends_on_data(&c->text, body) ? BODY_BY_BATCH : BODY_IN_STEP;
    return c->body_kind[body] == BODY_BY_BATCH;
}

static void schedule_open(struct control *c, struct strand_schedule *q, const struct ensemble *e,
                          uint32_t body) {
    /* What is measured is measured batch by batch, and so is what depends on a batch's size. */
    const struct dp_tables *tables = &c->dp->tables;
    bool apart = depends_on_data(c, body) && (tables->answers || !c->config.count_laps);
    bool by_batch = tables->measured || tables->at_once || apart;
    *q = (struct strand_schedule){.count = by_batch ? e->batch_count : 1};
    if (e->batch_count == 0)
        q->count = 0;
    q->strands = xcalloc(q->count ? q->count : 1, sizeof *q->strands);
    q->front = xcalloc(q->count ? q->count : 1, sizeof *q->front);
    q->front_count = q->live = q->count;
    for (uint32_t i = 0; i < q->count; i++) {
        q->front[i] = i;
        control_strand_begin(c, &q->strands[i], e, by_batch ? &e->batches[i] : NULL, body);
    }
}

static void schedule_close(struct strand_schedule *q) {
    for (uint32_t i = 0; i < q->count; i++)
        control_strand_end(&q->strands[i]);
    free(q->strands);
    free(q->front);
}

static int compare(const struct strand *a, const struct strand *b) {
    return control_flow_compare(&a->flow, &b->flow);
}

static const struct strand *earliest(const struct strand *a, const struct strand *b) {
    return !a || (b && compare(b, a) < 0) ? b : a;
}

/* All strands that still run, from the waiting ones too. */
static void gather(struct strand_schedule *q) {
    q->front_count = 0;
    q->next = NULL;
    for (uint32_t i = 0; i < q->count; i++)
        if (!q->strands[i].finished)
            q->front[q->front_count++] = i;
}

/* Leaves in front those at the earliest place; the others wait. */
static void keep_earliest(struct strand_schedule *q) {
    const struct strand *first = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->front_count; i++)
        first = earliest(first, &q->strands[q->front[i]]);
    for (uint32_t i = 0; i < q->front_count; i++) {
        struct strand *s = &q->strands[q->front[i]];
        if (compare(s, first) == 0)
            q->front[kept++] = q->front[i];
        else
            q->next = earliest(q->next, s);
    }
    q->front_count = kept;
}

/* After a round: who takes the next step. */
static void choose(struct strand_schedule *q) {
    uint32_t kept = 0;
    const struct strand *first = NULL;
    for (uint32_t i = 0; i < q->front_count; i++) {
        struct strand *s = &q->strands[q->front[i]];
        if (s->finished) {
            q->live--;
            continue;
        }
        q->front[kept++] = q->front[i];
        first = earliest(first, s);
    }
    q->front_count = kept;
    if (!first || (q->next && compare(q->next, first) <= 0))
        gather(q);
    keep_earliest(q);
}

/* An assertion is looked at in all strands before one of them passes it. */
static bool assertions_hold(struct control *c, const struct ensemble *e,
                            const struct strand_schedule *q) {
    const struct strand *first = &q->strands[q->front[0]];
    uint32_t pc = first->flow.pc;
    if (pc >= c->text.len || c->text.insns[pc].op != OP_ASSERT)
        return true;
    const struct debug_record *r = control_debug_record_of(c, (uint32_t)c->text.insns[pc].imm);
    for (uint32_t i = 0; i < q->front_count; i++) {
        struct stop_place at = control_strand_place(first);
        if (control_debug_assert_fails(c, e, &q->strands[q->front[i]], &at))
            return control_stop(c, CONTROL_STOPPED, at, "assertion failed: %s", r ? r->text : "");
    }
    return true;
}

static bool round_of_steps(struct control *c, const struct ensemble *e, struct strand_schedule *q) {
    if (!control_may_go_on(c, q->strands[q->front[0]].flow.pc) || !assertions_hold(c, e, q) ||
        !control_strands_execute(c, q->strands, q->front, q->front_count))
        return false;
    work_add(c, q->front_count);
    for (uint32_t i = 0; i < q->front_count; i++)
        if (!control_strand_step(c, e, &q->strands[q->front[i]]))
            return false;
    choose(q);
    return true;
}

/* Cycles of the busiest MPU join those of the stream. */
static void fold_cycles(struct control *c) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < c->now->count; i++) {
        uint64_t *sum = &c->ensemble_cycles[c->now->mpus[i]];
        most = *sum > most ? *sum : most;
        *sum = 0;
    }
    c->busiest_cycles = 0;
    control_account_elapsed(c, most);
}

static bool run_body(struct control *c, const struct ensemble *e, const struct ensemble *whole,
                     uint32_t body, uint32_t *footer) {
    struct strand_schedule q;
    bool ok = true;
    schedule_open(c, &q, e, body);
    control_heat_before(c);
    while (ok && q.live)
        ok = round_of_steps(c, e, &q);
    control_account_body(c, e, whole, q.strands, c->top.pc, body - c->top.pc);
    work_add(c, WORK_OF_PART * (uint64_t)e->part_count);
    control_heat_after(c, e, q.strands, q.count);
    if (ok && q.count) {
        control_count_leave(c, body, q.strands[0].known);
        *footer = q.strands[0].flow.pc;
        c->region = q.strands[q.count - 1].region;
    }
    if (!q.count)
        c->any_known = UNKNOWN;
    schedule_close(&q);
    fold_cycles(c);
    control_debug_flush(c);
    return ok;
}

/* The header costs a slot per VRF that it names; an MPU that has none skips to the footer. */
static void account_header(struct control *c, const struct ensemble *e, uint32_t first,
                           uint32_t count) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        control_step_stream(c, first + i);
    for (uint32_t i = 0; i < e->part_count; i++) {
        uint64_t slots = e->parts[i].header_slots + (e->parts[i].batch_count == 0);
        most = slots > most ? slots : most;
    }
    for (uint32_t i = 0; i < count; i++)
        c->insns[first + i].executed = sat_add(c->insns[first + i].executed, e->part_count);
    control_account_elapsed(c, most);
}

static uint32_t header_end(const struct control *c, uint32_t pc) {
    while (pc < c->text.len &&
           (c->text.insns[pc].op == OP_COMPUTE || c->text.insns[pc].op == OP_COMPUTEG))
        pc++;
    return pc;
}

/* In all MPUs; headers of the same words share what was made for the first, if their bodies let as
 * many VRFs work at once. */
static const struct ensemble *find_ensemble(struct control *c, uint32_t first, uint32_t count) {
    struct str key = {0};
    const char *error;
    c->maker.active = control_heat_cap(c, first + count);
    str_append_n(&key, (const char *)&c->maker.active, sizeof c->maker.active);
    str_append_n(&key, (const char *)&c->text.words[first], count * sizeof *c->text.words);
    const uint64_t *known = map_get_n(&c->ensembles, key.text, key.len);
    const struct ensemble *e =
        known ? (const struct ensemble *)(uintptr_t)*known
              : control_ensemble_make(&c->maker, &c->text.insns[first], count, &error);
    if (e && !known)
        map_put_n(&c->ensembles, key.text, key.len, (uint64_t)(uintptr_t)e);
    else if (!e)
        control_stop(c, CONTROL_STOPPED, STOP_AT(first), "%s", error);
    str_free(&key);
    return e;
}

/* A of each MPU: some lane of its VRFs is enabled. */
static void set_flag_a(struct control *c, const struct ensemble *e) {
    struct strand all = {.on = e->all};
    uint32_t per_mpu = target_vrfs_per_mpu(c->target);
    for (uint32_t i = 0; i < c->now->count; i++)
        c->flag_a[c->now->mpus[i]] = 0;
    if (!e->count || !control_strand_any(c, &all, DP_ANY_M, NULL))
        return;
    for (uint32_t i = 0; i < e->count; i++)
        c->flag_a[e->vrfs[i] / per_mpu] |= c->bits[i];
}

/* `e` is all of `whole`, or what it is in some MPUs. */
static bool run_ensemble(struct control *c, const struct ensemble *e, const struct ensemble *whole,
                         uint32_t body) {
    uint32_t first = c->top.pc, footer = NO_INDEX;
    c->dp->ops->bind(c->dp, e->bindings, e->count);
    if (c->dp->failure)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(first), "%s", c->dp->failure);
    control_account_bound(c, e);
    account_header(c, e, first, body - first);
    if (!run_body(c, e, whole, body, &footer))
        return false;
    if (c->text.has_jump_any)
        set_flag_a(c, e);
    if (footer == NO_INDEX) /* no VRF of these MPUs: they skip to the footer */
        footer = object_text_footer(&c->text, body, OP_COMPUTE_DONE);
    if (footer == c->text.len)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(footer),
                            "the text ends inside a compute ensemble");
    c->top.pc = footer + 1;
    return control_machine_is_sound(c, footer);
}

bool control_compute_ensemble(struct control *c) {
    uint32_t first = c->top.pc, body = header_end(c, first);
    const struct ensemble *e = find_ensemble(c, first, body - first);
    if (!e)
        return false;
    if (all_together(c))
        return run_ensemble(c, e, e, body);
    struct arena arena = {0};
    bool fine =
        run_ensemble(c, control_ensemble_part(e, c->now->mpus, c->now->count, &arena), e, body);
    arena_free(&arena);
    return fine;
}
