/* SPDX-License-Identifier: MIT
 * Random programs on four MPUs.  They are posted in many orders that a run might have, with
 * timing_settle in random places, and always take the same time.  What must hold of any program is
 * checked on the way: parts and regions add up, units do one thing at a time, nothing is left. */
#include "tests/timing/rig.h"

#include "emu/timing/engine.h"
#include "support/bits.h"

#define MPUS    4
#define RUNS    6
#define TEXT    4096 /* of the rig */
#define REGIONS 4
#define NONE    UINT32_MAX

static uint32_t below(uint64_t *seed, uint32_t n) {
    return (uint32_t)(splitmix64(seed) % n);
}
static bool one_in(uint64_t *seed, uint32_t n) {
    return below(seed, n) == 0;
}

/* ---- programs ---- */

enum action_kind { SLOT, SYNC, COMPUTE, TRANSFER, SEND, RECV, MEET };
/* What one MPU does, or several together; lists are this record's. */
struct action {
    enum action_kind kind;
    struct timing_place at;
    uint32_t mpus[MPUS], mpu_count;
    uint64_t host_ps;
    /* A SEND's or RECV's partner; the action that has to come before; the SEND whose place in the
     * queue a SEND takes, or that a RECV receives. */
    uint32_t partner, after, other;
    uint64_t bytes, hops;
    uint64_t path_seed; /* of the ways of a COMPUTE */
    uint32_t vrfs[8], vrf_count, batch_count;
    struct batch batches[4];
    uint32_t batch_vrfs[8];
    bool same_path;
    struct timing_copy copies[3];
    uint32_t copy_count;
    struct timing_charge charges[MPUS];
    struct timing_crossing crossings[MPUS];
    uint32_t charge_count, crossing_count;
};
struct program {
    struct action actions[240];
    uint32_t count, round_end; /* actions before round_end are over when the others begin */
    struct target target;
    bool one_mpu,
        dense; /* dense: computation alone, in one RFH at a time, that issues all the time */
};

/* Messages of one queue. */
struct sent {
    uint32_t actions[64], receipts[64], count, received;
};
struct maker {
    struct program *p;
    uint64_t *seed;
    uint32_t queue;
    struct sent queues[MPUS][MPUS];
};

/* Batches of one VRF or two, in different RFHs. */
static void make_compute(struct maker *m, struct action *a) {
    uint32_t per = m->p->dense ? 1 : 1 + below(m->seed, 2);
    uint32_t rows = below(m->seed, 4) + 1, rfh = below(m->seed, 2);
    uint32_t step = one_in(m->seed, 20) ? 0 : rows;
    a->batch_count = step;
    a->same_path = one_in(m->seed, 2);
    a->path_seed = splitmix64(m->seed);
    for (uint32_t b = 0; b < step; b++) {
        uint32_t *list = &a->batch_vrfs[2 * b];
        for (uint32_t i = 0; i < per; i++) {
            list[i] = VRF_OF(a->mpus[0], per == 2 ? i : rfh, b);
            a->vrfs[a->vrf_count++] = list[i];
        }
        a->batches[b] = (struct batch){a->mpus[0], b, list, per};
    }
}

static void make_copies(struct maker *m, struct action *a) {
    a->copy_count = below(m->seed, 4);
    for (uint32_t i = 0; i < a->copy_count; i++) {
        uint64_t host = one_in(m->seed, 9) ? below(m->seed, 30) * NS : 0;
        uint64_t ps = one_in(m->seed, 4) ? 0 : below(m->seed, 50) * NS;
        a->copies[i] =
            (struct timing_copy){{a->at.index + i, a->at.region}, below(m->seed, 3), host, ps, 0};
    }
    for (uint32_t v = 0; v < 8; v++)
        if (one_in(m->seed, 4))
            a->vrfs[a->vrf_count++] = 8 * a->mpus[0] + v;
}

static bool make_send(struct maker *m, struct action *a) {
    uint32_t to = below(m->seed, MPUS);
    struct sent *q = &m->queues[a->mpus[0]][to];
    if (q->count - q->received >= m->queue || q->count == 64)
        return false;
    a->partner = to;
    a->bytes = below(m->seed, 3) * below(m->seed, 200);
    if (q->count >= m->queue) {
        a->other = q->actions[q->count - m->queue];
        a->after = q->receipts[q->count - m->queue];
    }
    make_copies(m, a);
    q->actions[q->count++] = m->p->count;
    return true;
}

static bool make_recv(struct maker *m, struct action *a) {
    uint32_t from = below(m->seed, MPUS);
    struct sent *q = &m->queues[from][a->mpus[0]];
    if (q->count == q->received)
        return false;
    a->partner = from;
    a->other = a->after = q->actions[q->received];
    q->receipts[q->received++] = m->p->count;
    return true;
}

static void make_meeting(struct maker *m, struct action *a) {
    bool asks = one_in(m->seed, 3);
    a->mpu_count = 0;
    for (uint32_t i = 0; i < MPUS; i++)
        if (asks || one_in(m->seed, 2))
            a->mpus[a->mpu_count++] = i;
    if (asks)
        a->hops = below(m->seed, 7);
    for (uint32_t i = 0; i < a->mpu_count && !asks; i++) {
        if (one_in(m->seed, 2))
            a->charges[a->charge_count++] =
                (struct timing_charge){a->mpus[i], below(m->seed, 60) * NS, 0};
        if (one_in(m->seed, 2))
            a->crossings[a->crossing_count++] = (struct timing_crossing){
                a->mpus[i], a->mpus[below(m->seed, a->mpu_count)], below(m->seed, 300)};
    }
}

static bool make_action(struct maker *m, struct action *a) {
    static const enum action_kind kinds[] = {SLOT, SLOT, SYNC, COMPUTE, COMPUTE, COMPUTE, TRANSFER,
                                             SEND, SEND, RECV, RECV,    RECV,    MEET};
    *a = (struct action){.kind = kinds[below(m->seed, sizeof kinds / sizeof *kinds)],
                         .at = {below(m->seed, 50), below(m->seed, REGIONS)},
                         .mpus = {m->p->one_mpu ? 0 : below(m->seed, MPUS)},
                         .mpu_count = 1,
                         .after = NONE,
                         .other = NONE};
    a->host_ps = one_in(m->seed, 8) ? (1 + below(m->seed, 20)) * NS : 0;
    if (m->p->dense) {
        a->kind = COMPUTE;
        a->host_ps = 0;
    }
    switch (a->kind) {
    case COMPUTE:
        make_compute(m, a);
        return true;
    case TRANSFER:
        make_copies(m, a);
        return true;
    case SEND:
        return !m->p->one_mpu && make_send(m, a);
    case RECV:
        return !m->p->one_mpu && make_recv(m, a);
    case MEET:
        if (!m->p->one_mpu)
            make_meeting(m, a);
        return !m->p->one_mpu && a->mpu_count;
    default:
        return true;
    }
}

static void make_program(struct program *p, uint64_t seed, bool one_mpu) {
    struct maker m = {.p = p, .seed = &seed, .queue = 1 + below(&seed, 3)};
    uint32_t count = 10 + below(&seed, 200);
    *p = (struct program){.target = rig_base, .one_mpu = one_mpu, .dense = p->dense};
    p->target.playback_entries = one_in(&seed, 2) ? 1024 : below(&seed, 12);
    p->target.instruction_store_bytes = one_in(&seed, 3) ? 256 : 4096;
    p->target.scheduler = one_in(&seed, 4) ? SCHEDULER_SOFTWARE : SCHEDULER_HARDWARE;
    p->target.hop_ps = below(&seed, 3) * NS;
    p->target.flit_ps = below(&seed, 5) * NS;
    for (uint32_t tries = 0; p->count < count && tries < 2000; tries++)
        p->count += make_action(&m, &p->actions[p->count]);
    p->round_end = one_in(&seed, 3) ? p->count / 2 : p->count;
}

/* ---- ways through bodies ---- */

struct body {
    struct path_record *record;
    uint64_t *seed;
    bool told_once, dense;
};

static void take_loop(struct body *b, uint32_t head, uint32_t depth) {
    uint64_t here = *b->seed, laps = 1 + below(b->seed, depth == 2 ? 3 : 9);
    for (uint64_t lap = 0; lap < laps; lap++) {
        if (below(b->seed, 6))
            *b->seed = here;
        uint32_t parts = 1 + below(b->seed, 3);
        for (uint32_t i = 0; i < parts; i++) {
            uint32_t what = below(b->seed, 9), at = head + 3 * i;
            if (b->dense)
                timing_path_add(b->record, STEP_RUN, 3 + below(b->seed, 3), 0);
            else if (what < 4)
                timing_path_add(b->record, STEP_RUN, below(b->seed, RUNS), 0);
            else if (what == 4)
                timing_path_add(b->record, STEP_EVALUATE, at, 1 + below(b->seed, 2));
            else if (what == 5)
                timing_path_add(b->record, STEP_SLOT, at, one_in(b->seed, 4) ? 7 * NS : 0);
            else if (what == 6)
                timing_path_add(b->record, STEP_NUMBERS, at, below(b->seed, 30) * NS);
            else if (what == 7)
                timing_path_add(b->record, STEP_REGION, below(b->seed, REGIONS), 0);
            else if (depth)
                take_loop(b, head + 30 + 10 * i, depth - 1);
        }
        timing_path_add(b->record, STEP_JUMP, head + 9, 0);
        if (b->told_once && lap + 1 < laps)
            timing_path_back(b->record, head);
    }
    *b->seed = here + laps;
}

static uint32_t take_path(struct timing *t, const struct action *a, uint64_t seed, bool told_once,
                          bool dense) {
    struct path_record record = {0};
    struct body b = {&record, &seed, told_once, dense};
    timing_path_add(&record, STEP_REGION, a->at.region, 0);
    take_loop(&b, 100 + below(&seed, 40), 2);
    timing_path_add(&record, STEP_DRAIN, 400, 0);
    uint32_t path = timing_path(t, &record);
    timing_path_record_free(&record);
    return path;
}

/* ---- posting them ---- */

struct outcome {
    struct timing_totals totals;
    struct timing_sums insns[TEXT], regions[REGIONS];
    uint64_t reached[MPUS];
};
struct poster {
    struct rig rig;
    const struct program *p;
    struct timing_message *messages[240];
    bool posted[240], told_once, forgetful;
    uint32_t round_begin, round_end;
    uint32_t left; /* actions until the program is stopped */
};

static void post_compute(struct poster *x, const struct action *a) {
    uint32_t paths[4], count = a->same_path ? 1 : a->batch_count;
    const struct timing_decision decision = {{a->at.index, REGIONS - 1 - a->at.region}, a->host_ps};
    for (uint32_t i = 0; i < count; i++)
        paths[i] = take_path(x->rig.timing, a, a->path_seed + i / 2, x->told_once, x->p->dense);
    timing_compute(x->rig.timing, a->mpus[0],
                   &(struct timing_compute){.at = a->at,
                                            .header_slots = a->batch_count + 1,
                                            .header_host_ps = a->host_ps,
                                            .batches = a->batches,
                                            .count = a->batch_count,
                                            .vrfs = a->vrfs,
                                            .vrf_count = a->vrf_count,
                                            .paths = paths,
                                            .same_path = a->same_path,
                                            .decisions = &decision,
                                            .decision_count = a->host_ps != 0});
}

static void post(struct poster *x, uint32_t i) {
    const struct action *a = &x->p->actions[i];
    struct timing *t = x->rig.timing;
    struct timing_transfer inner = {a->at, a->copies, a->copy_count, a->vrfs, a->vrf_count};
    struct timing_message *other = a->other == NONE ? NULL : x->messages[a->other];
    switch (a->kind) {
    case SLOT:
        timing_slot(t, a->mpus[0], a->at, a->host_ps);
        break;
    case SYNC:
        timing_sync(t, a->mpus[0], a->at, a->host_ps);
        break;
    case COMPUTE:
        post_compute(x, a);
        break;
    case TRANSFER:
        timing_transfer(t, a->mpus[0], &inner);
        break;
    case SEND:
        x->messages[i] = timing_send(t, a->mpus[0], a->at, &inner, a->partner, a->bytes, other);
        break;
    case RECV:
        timing_recv(t, a->mpus[0], a->at, other);
        break;
    case MEET:
        timing_meet(t, &(struct timing_meeting){.at = a->at,
                                                .mpus = a->mpus,
                                                .count = a->mpu_count,
                                                .charges = a->charges,
                                                .charge_count = a->charge_count,
                                                .crossings = a->crossings,
                                                .crossing_count = a->crossing_count,
                                                .hops = a->hops});
        break;
    }
    x->posted[i] = true;
}

static bool takes_part(const struct action *a, uint32_t mpu) {
    for (uint32_t i = 0; i < a->mpu_count; i++)
        if (a->mpus[i] == mpu)
            return true;
    return false;
}

/* The next action of an MPU in this round. */
static uint32_t next_of(const struct poster *x, uint32_t mpu) {
    for (uint32_t i = x->round_begin; i < x->round_end; i++)
        if (!x->posted[i] && takes_part(&x->p->actions[i], mpu))
            return i;
    return NONE;
}

static bool may_be_posted(const struct poster *x, uint32_t i) {
    const struct action *a = &x->p->actions[i];
    if (a->after != NONE && !x->posted[a->after])
        return false;
    for (uint32_t k = 0; k < a->mpu_count; k++)
        if (next_of(x, a->mpus[k]) != i)
            return false;
    return true;
}

/* Posts a round in a random order; seed NULL: in the order in which the program was made. */
static void post_round(struct poster *x, uint64_t *seed) {
    uint32_t settle = seed ? 1 + below(seed, 30) : 1, eager = seed ? below(seed, MPUS + 1) : 0;
    for (uint32_t left = x->round_end - x->round_begin, i = x->round_begin; left;) {
        if (seed)
            i = next_of(x, eager < MPUS && below(seed, 4) ? eager : below(seed, MPUS));
        if (seed && (i == NONE || !may_be_posted(x, i)))
            eager = below(seed, MPUS + 1);
        else
            post(x, i++), left--, x->left--;
        if (x->left == 0)
            return;
        for (uint32_t mpu = 0; mpu < MPUS; mpu++)
            if (next_of(x, mpu) == NONE)
                timing_end(x->rig.timing, mpu);
        if (x->forgetful)
            x->rig.timing->model.room = 0;
        if (!seed || one_in(seed, settle))
            timing_settle(x->rig.timing);
    }
    timing_settle(x->rig.timing);
}

static void check_end(const struct poster *x, struct outcome *out) {
    for (uint32_t i = 0; i < MPUS; i++) {
        const struct timing_mpu *m = &x->rig.timing->mpus[i];
        uint64_t parts = 0, regions = 0;
        for (int p = 0; p < TIMING_PARTS; p++)
            parts += m->part_ps[p];
        for (size_t r = 0; r < m->region_ps.len; r++)
            regions += m->region_ps.data[r];
        assert_int_equal(m->next, m->events.len);
        assert_int_equal(parts, m->end_ps);
        assert_int_equal(regions, m->end_ps);
        assert_true(m->precoder_ps <= m->end_ps);
        out->reached[i] = timing_reached(x->rig.timing, i);
    }
    for (uint32_t i = 0; i < TEXT; i++)
        out->insns[i] = timing_insn(x->rig.timing, i);
    for (uint32_t i = 0; i < REGIONS; i++)
        out->regions[i] = timing_region(x->rig.timing, i);
    out->totals = x->rig.totals;
}

struct manner {
    uint64_t *seed;
    bool lap_by_lap, forgetful, given_up;
    uint32_t stop; /* after so many actions; 0: never */
    void (*span)(void *context, const struct timing_span *s);
    void *context;
};

static struct outcome *run(const struct program *p, const struct manner *how) {
    static const uint64_t run_slots[RUNS] = {3, 10, 10, 1, 25, 7}; /* the last three: no pause */
    static const uint64_t run_ns[RUNS] = {20, 15, 60, 1, 25, 7};
    struct outcome *out = xcalloc(1, sizeof *out);
    struct poster *x = xcalloc(1, sizeof *x);
    struct dp_code codes[RUNS];
    *x = (struct poster){.p = p,
                         .told_once = !how->lap_by_lap,
                         .forgetful = how->forgetful,
                         .left = how->stop ? how->stop : NONE};
    rig_open_watched(&x->rig, &p->target, how->span, how->context);
    for (uint32_t i = 0; i < RUNS; i++)
        rig_add_run(&x->rig, &codes[i], 60 + 5 * i, run_slots[i], run_ns[i]);
    x->round_end = p->round_end;
    post_round(x, how->seed);
    if (p->round_end < p->count && x->left) {
        timing_meet(x->rig.timing,
                    &(struct timing_meeting){.at = {0, 0}, .mpus = x->rig.mpus, .count = MPUS});
        x->round_begin = p->round_end;
        x->round_end = p->count;
        post_round(x, how->seed);
    }
    if (!how->given_up) {
        rig_take_totals(&x->rig);
        check_end(x, out);
    }
    for (uint32_t i = 0; i < p->count; i++)
        timing_message_drop(x->messages[i]);
    timing_free(x->rig.timing);
    free(x);
    return out;
}

static void expect(struct outcome *expected, struct outcome *found) {
    assert_memory_equal(&expected->totals, &found->totals, sizeof found->totals);
    assert_memory_equal(expected->reached, found->reached, sizeof found->reached);
    assert_memory_equal(expected->regions, found->regions, sizeof found->regions);
    assert_memory_equal(expected->insns, found->insns, sizeof found->insns);
    free(found);
}

/* ---- orders ---- */

static void orders_of_posting_do_not_matter(void **state) {
    static struct program p;
    (void)state;
    for (uint64_t i = 0; i < 150; i++) {
        make_program(&p, 100 + i, false);
        p.target.controllers = 1 + (uint32_t)i % 3;
        struct outcome *first = run(&p, &(struct manner){0});
        for (uint64_t k = 0; k < 6; k++) {
            uint64_t seed = i * 10 + k;
            expect(first, run(&p, &(struct manner){.seed = &seed, .forgetful = k % 2}));
        }
        free(first);
    }
}

/* Nothing is left behind (check_end), wherever a program is stopped; and nothing is lost when it is
 * given up without an end. */
static void programs_stop_anywhere(void **state) {
    static struct program p;
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t seed = i;
        make_program(&p, 3000 + i, false);
        p.target.controllers = 1 + (uint32_t)i % 3;
        uint32_t stop = 1 + below(&seed, p.count);
        free(run(&p, &(struct manner){.seed = &seed, .stop = stop}));
        free(run(&p, &(struct manner){.seed = &seed, .stop = stop, .given_up = true}));
    }
}

static void laps_told_once_or_each(void **state) {
    static struct program p;
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        make_program(&p, 900 + i, i % 2);
        struct outcome *first = run(&p, &(struct manner){0});
        expect(first, run(&p, &(struct manner){.lap_by_lap = true}));
        free(first);
    }
}

/* ---- spans ---- */

struct spans {
    VEC(struct timing_span) list;
};

static void take_span(void *context, const struct timing_span *s) {
    struct spans *x = context;
    assert_true(s->start_ps <= s->end_ps);
    if (s->unit != UNIT_NETWORK && s->start_ps < s->end_ps)
        vec_push(&x->list, *s);
}

static int by_unit(const void *a, const void *b) {
    const struct timing_span *x = a, *y = b;
    if (x->mpu != y->mpu)
        return x->mpu < y->mpu ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

static void check_spans(struct spans *x) {
    if (x->list.len)
        qsort(x->list.data, x->list.len, sizeof *x->list.data, by_unit);
    for (size_t i = 1; i < x->list.len; i++) {
        const struct timing_span *a = &x->list.data[i - 1], *b = &x->list.data[i];
        bool same = a->mpu == b->mpu && a->unit == b->unit && a->number == b->number;
        assert_true(!same || a->end_ps <= b->start_ps);
    }
}

static void units_do_one_thing_at_a_time(void **state) {
    static struct program p;
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        struct spans x = {0};
        uint64_t seed = i;
        make_program(&p, 5000 + i, i % 4 == 0);
        p.target.controllers = 1 + (uint32_t)i % 3;
        struct outcome *plain = run(&p, &(struct manner){0});
        expect(plain, run(&p, &(struct manner){.seed = &seed, .span = take_span, .context = &x}));
        check_spans(&x);
        vec_free(&x.list);
        free(plain);
    }
}

/* ---- the issue port ---- */

/* Cycles that the precoder took: slots outside of bodies. */
static uint64_t precoder_cycles(const struct program *p) {
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct action *a = &p->actions[i];
        for (uint32_t k = 0; k < a->copy_count; k++)
            cycles += a->copies[k].slots;
        if (!a->host_ps && (a->kind == SLOT || a->kind == SYNC))
            cycles++;
        else if (!a->host_ps && a->kind == COMPUTE)
            cycles += a->batch_count + 1;
    }
    return cycles;
}

static void one_cycle_is_issued_once(void **state) {
    static struct program p;
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        p.dense = i % 2;
        make_program(&p, 7000 + i, true);
        p.target.controllers = 1 + (uint32_t)i % 4;
        struct outcome *x = run(&p, &(struct manner){0});
        const uint64_t *cycles = x->totals.part_cycles;
        uint64_t issued = cycles[TIMING_DECODE] - precoder_cycles(&p) + cycles[TIMING_COMPUTE];
        assert_true(issued * NS <= x->totals.time_ps);
        free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_posting_do_not_matter),
        cmocka_unit_test(programs_stop_anywhere),
        cmocka_unit_test(laps_told_once_or_each),
        cmocka_unit_test(units_do_one_thing_at_a_time),
        cmocka_unit_test(one_cycle_is_issued_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
