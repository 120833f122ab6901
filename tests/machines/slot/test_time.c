/* SPDX-License-Identifier: MIT
 * The time of random programs on one MPU, worked out once more from the steps that the control path
 * tells of, the micro-ops that the observer sees, and the target file: batches of different sizes,
 * jumps on answers, INDEX, copies, with the front end of an MPU and with a host that streams. */
#include "tests/draws.h"
#include "ledger.h"
#include "tests/machines/target_bench.h"

#include "emu/control/control.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_SLOT_TIME)
enum { RFHS = 4, VRFS = 4, LANES = 8, REGS = 6 };

/* ---- programs: ensembles and transfers, an MPU_SYNC behind each ---- */

struct maker {
    uint64_t state;
    struct object *o;
};

static uint32_t below(struct maker *k, uint32_t n) {
    return (uint32_t)(splitmix64(&k->state) >> 33) % n;
}

static void emit(struct maker *k, struct insn x) {
    uint32_t word;
    if (isa_encode(&x, &word) != ISA_OK)
        fail_msg("%s cannot be encoded", isa_info(x.op)->name);
    vec_push(&k->o->text, word);
}

static uint8_t reg(struct maker *k) {
    return (uint8_t)below(k, REGS);
}

static void emit_some(struct maker *k) {
    static const enum isa_op ops[] = {OP_ADD,    OP_XOR,     OP_SHR,   OP_CMPLT,  OP_MUX,
                                      OP_GETC,   OP_INIT1,   OP_MAXS,  OP_BFLIP,  OP_SETMASK_COND,
                                      OP_UNMASK, OP_GETMASK, OP_INDEX, OP_ANDMASK};
    for (uint32_t n = 1 + below(k, 5); n; n--) {
        enum isa_op op = ops[below(k, sizeof ops / sizeof *ops)];
        uint32_t flags = isa_info(op)->flags;
        struct insn x = {.op = op};
        x.width = flags & ISA_WIDTH ? (uint8_t)(1 + below(k, 16)) : 0;
        x.rs = flags & READS_RS ? reg(k) : 0;
        x.rt = flags & READS_RT ? reg(k) : 0;
        x.rd = flags & (READS_RD | WRITES_RD) || op == OP_INDEX ? reg(k) : 0;
        emit(k, x);
    }
}

/* Some lanes go round up to three times. */
static void emit_loop(struct maker *k) {
    const uint8_t count = REGS, one = REGS + 1;
    emit(k, (struct insn){.op = OP_UNMASK});
    emit(k, (struct insn){.op = OP_LI, .width = 2, .rd = count, .imm = 3});
    emit(k, (struct insn){.op = OP_AND, .width = 2, .rs = reg(k), .rt = count, .rd = count});
    emit(k, (struct insn){.op = OP_LI, .width = 2, .rd = one, .imm = 1});
    uint32_t head = (uint32_t)k->o->text.len;
    emit(k, (struct insn){.op = OP_SUB, .width = 2, .rs = count, .rt = one, .rd = count});
    emit(k, (struct insn){.op = OP_CMPLT, .width = 2, .rs = count, .rt = one});
    emit(k, (struct insn){.op = OP_ANDNMASK});
    if (below(k, 2))
        emit(k, (struct insn){.op = OP_ADD, .width = 9, .rs = reg(k), .rt = reg(k), .rd = reg(k)});
    emit(k, (struct insn){.op = OP_JUMP_COND, .imm = (int32_t)head});
}

static void emit_ensemble(struct maker *k) {
    uint32_t named = below(k, 1u << (RFHS * VRFS)) & below(k, 1u << (RFHS * VRFS));
    for (uint32_t v = 0; v < RFHS * VRFS; v++)
        if (named >> v & 1 || v == 0)
            emit(k, (struct insn){.op = OP_COMPUTE,
                                  .rfh = (uint16_t)(v % RFHS),
                                  .vrf = (uint16_t)(v / RFHS)});
    for (uint32_t n = 1 + below(k, 3); n; n--) {
        emit_some(k);
        if (below(k, 3) == 0)
            emit_loop(k);
    }
    emit(k, (struct insn){.op = OP_COMPUTE_DONE});
}

static void emit_transfer(struct maker *k) {
    for (uint32_t n = 1 + below(k, 3); n; n--)
        emit(k, (struct insn){.op = OP_MOVE,
                              .rfh = (uint16_t)below(k, RFHS),
                              .vrf = (uint16_t)below(k, RFHS)});
    for (uint32_t n = 1 + below(k, 3); n; n--)
        emit(k, (struct insn){.op = OP_MEMCPY_16,
                              .width = 16,
                              .vrf_src = (uint8_t)below(k, VRFS),
                              .vrf_dst = (uint8_t)below(k, VRFS),
                              .rs = reg(k),
                              .rd = reg(k)});
    emit(k, (struct insn){.op = OP_MOVE_DONE});
}

static struct object *make_program(uint64_t seed) {
    struct maker k = {seed, object_new()};
    k.o->geometry = (struct geometry){.lanes = LANES - 1, .vrfs = VRFS, .rfhs = RFHS};
    for (uint32_t n = 2 + below(&k, 3); n; n--) {
        if (below(&k, 4) == 0)
            emit_transfer(&k);
        else
            emit_ensemble(&k);
        emit(&k, (struct insn){.op = OP_MPU_SYNC});
    }
    emit(&k, (struct insn){.op = OP_HALT});
    return k.o;
}

/* ---- what was done, in order ---- */

struct item {
    struct control_step step;
    uint64_t vrfs;       /* at work, or asked */
    size_t first, count; /* of kinds: the commands of a run */
    bool masked[64];     /* by instruction of the run: predication before it */
};
struct record {
    const struct text *text;
    struct ledger ledger;
    VEC(struct item) items;
    VEC(struct dp_event) commands;
    bool masked[RFHS * VRFS]; /* predication, by batch */
};

/* The commands of the run that the last step executed. */
static void take_commands(struct record *r) {
    struct item *x = r->items.len ? &vec_last(&r->items) : NULL;
    if (!x || !x->step.executes || x->count)
        return;
    x->vrfs = r->ledger.on;
    x->first = r->commands.len;
    for (size_t i = 0; i < r->ledger.events.len; i++) {
        if (r->ledger.events.data[i].vrf_first != r->ledger.events.data->vrf_first)
            break; /* the same commands on other VRFs */
        vec_push(&r->commands, r->ledger.events.data[i]);
        x->count++;
    }
}

static void take_step(void *context, const struct control_step *s) {
    struct record *r = context;
    struct item x = {.step = *s, .vrfs = r->ledger.asked};
    take_commands(r);
    bool *masked = &r->masked[s->in_body ? s->batch : 0];
    for (uint32_t i = 0; s->executes && i < s->count; i++) {
        uint32_t flags = insn_flags(&r->text->insns[s->index + i]);
        x.masked[i] = *masked;
        *masked = (*masked || flags & ISA_PREDICATE_ON) && !(flags & ISA_PREDICATE_OFF);
    }
    if (!s->in_body)
        memset(r->masked, 0, sizeof r->masked);
    vec_push(&r->items, x);
}

/* ---- how long that takes ---- */

struct clock {
    const struct target *t;
    const struct slot_code *code;
    const struct text *text;
    const struct record *r;
    bool stream;
    uint64_t issue, decode; /* a command; a slot of an instruction itself */
    uint64_t precoder, controller, dtc, end;
    uint64_t copied[RFHS][VRFS]; /* when transfers from it and to it are over */
    bool *fetched; /* by the playback buffer, which is empty when an ensemble begins */
    bool *loaded;  /* [forms] */
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Control instructions that wait for the machine, or that a streaming host knows of by itself. */
static bool asks(enum isa_op op) {
    return op == OP_JUMP_COND || op == OP_MPU_SYNC;
}

static uint64_t slot_ps(const struct clock *c, enum isa_op op) {
    return c->stream && asks(op) ? c->t->host_round_trip_ps : c->decode;
}

static uint64_t group_ps(const struct clock *c, unsigned kind, uint64_t vrfs) {
    const struct slot_target *s = slot_target(c->t);
    uint64_t waits = vrfs ? (vrfs - 1) / s->at_once : 0;
    return slot_kind_ps(c->t, kind) + waits * s->window_ps;
}

/* One batch: when its front end goes on, when its rows are free, when all bits are there; the end
 * of the last fetch, and when the jump before was decided. */
struct batch_clock {
    uint64_t now, rows, end, fetched, decided;
};

/* Ahead of issue; the text fits into the playback buffer. */
static void fetch(struct clock *c, struct batch_clock *b, uint32_t index) {
    if (c->stream || c->fetched[index])
        return;
    c->fetched[index] = true;
    b->fetched = larger(b->fetched, b->decided) + c->t->front_end_ps;
    b->now = larger(b->now, b->fetched);
    b->end = larger(b->end, b->now);
}

static void load(struct clock *c, struct batch_clock *b, const struct insn *x, bool masked) {
    const struct slot_form *f = slot_find(c->code, x, c->code->kins.data[0], masked);
    bool *loaded = &c->loaded[f - c->code->forms.data];
    if (!c->stream && !*loaded)
        b->now += f->count * c->issue;
    *loaded = true;
}

static void clock_run(struct clock *c, struct batch_clock *b, const struct item *x) {
    size_t k = x->first;
    for (uint32_t i = 0; i < x->step.count; i++) {
        fetch(c, b, x->step.index + i);
        b->now += c->decode;
        load(c, b, &c->text->insns[x->step.index + i], x->masked[i]);
        for (; k < x->first + x->count && c->r->commands.data[k].insn == i; k++) {
            uint64_t start = larger(b->now, b->rows);
            b->now = start + c->issue;
            b->rows = start + group_ps(c, c->r->commands.data[k].kind, x->vrfs);
        }
        b->end = larger(b->end, larger(b->now, b->rows));
    }
    assert_int_equal(k, x->first + x->count);
}

static uint64_t numbers_ps(const struct clock *c, unsigned width) {
    return c->t->setup_ps + c->t->register_ps + width * c->t->bit_ps + slot_target(c->t)->access_ps;
}

static void clock_control(struct clock *c, struct batch_clock *b, const struct item *x) {
    const struct insn *insn = &c->text->insns[x->step.index];
    if (insn->op == OP_JUMP_COND)
        b->now = b->end =
            b->end + group_ps(c, SLOT_SWEEP, x->vrfs) + group_ps(c, SLOT_READ, x->vrfs);
    bool host = c->stream && (asks(insn->op) || insn->op == OP_COMPUTE_DONE);
    if (!host)
        fetch(c, b, x->step.index);
    b->now = b->end;
    b->now += slot_ps(c, insn->op);
    b->decided = insn->op == OP_INDEX ? b->decided : b->now;
    if (insn->op == OP_INDEX)
        b->now += numbers_ps(c, insn->width);
    b->end = larger(b->end, b->now);
}

/* Batches one after the other; items of an ensemble are first .. end - 1. */
static void clock_ensemble(struct clock *c, size_t first, size_t end, uint64_t start) {
    uint32_t batches = 0;
    memset(c->fetched, 0, c->text->len);
    for (size_t i = first; i < end; i++)
        batches = c->r->items.data[i].step.batch >= batches ? c->r->items.data[i].step.batch + 1
                                                            : batches;
    for (uint32_t n = 0; n < batches; n++) {
        struct batch_clock b = {0};
        start += n ? c->t->front_end_ps : 0;
        for (size_t i = first; i < end; i++) {
            const struct item *x = &c->r->items.data[i];
            if (x->step.batch == n)
                (x->step.executes ? clock_run : clock_control)(c, &b, x);
        }
        start += b.end;
    }
    c->controller = start;
    c->end = larger(c->end, start);
}

/* MEMCPYs of one ensemble, items first .. end - 1 with its headers and its footer. */
static void clock_transfer(struct clock *c, size_t first, size_t end) {
    uint64_t pairs = 0, copies = 0, free_ps;
    for (size_t i = first; i < end; i++)
        pairs += c->text->insns[c->r->items.data[i].step.index].op == OP_MOVE;
    c->precoder += pairs * c->decode;
    free_ps = larger(c->precoder, c->dtc);
    for (size_t i = first; i < end; i++) {
        if (c->text->insns[c->r->items.data[i].step.index].op != OP_MEMCPY_16)
            continue;
        uint64_t registers =
            pairs * (c->t->register_ps + 16 * c->t->bit_ps + 2 * slot_target(c->t)->access_ps);
        c->precoder = larger(c->precoder + c->decode, free_ps);
        free_ps = c->precoder + registers + (copies++ ? 0 : pairs * c->t->setup_ps);
    }
    for (size_t i = first; i < end; i++)
        for (uint64_t k = 0; k < pairs; k++) {
            const struct insn *pair = &c->text->insns[c->r->items.data[first + k].step.index];
            const struct insn *x = &c->text->insns[c->r->items.data[i].step.index];
            if (x->op == OP_MEMCPY_16)
                c->copied[pair->rfh][x->vrf_src] = c->copied[pair->vrf][x->vrf_dst] = free_ps;
        }
    c->precoder += c->decode;
    c->dtc = free_ps;
    c->end = larger(c->end, larger(c->precoder, free_ps));
}

static uint64_t clock_all(struct clock *c) {
    const struct item *items = c->r->items.data;
    for (size_t i = 0, end; i < c->r->items.len; i = end) {
        enum isa_op op = c->text->insns[items[i].step.index].op;
        end = i + 1;
        if (op == OP_COMPUTE) {
            while (!items[end].step.in_body)
                end++;
            c->precoder = larger(c->precoder, c->controller) + (end - i) * c->decode;
            size_t body = end;
            uint64_t start = c->precoder;
            for (size_t k = i; k < body; k++) {
                const struct insn *x = &c->text->insns[items[k].step.index];
                start = larger(start, c->copied[x->rfh][x->vrf]);
            }
            while (items[end].step.in_body)
                end++;
            clock_ensemble(c, body, end, start);
        } else if (op == OP_MOVE) {
            while (c->text->insns[items[end - 1].step.index].op != OP_MOVE_DONE)
                end++;
            clock_transfer(c, i, end);
        } else { /* MPU_SYNC, HALT */
            if (op == OP_MPU_SYNC)
                c->precoder = larger(c->precoder, c->controller);
            c->precoder += slot_ps(c, op);
            c->end = larger(c->end, c->precoder);
        }
    }
    return c->end;
}

/* ---- the same from the emulator ---- */

static struct target_bench open_target(const char *front_end, const char *at_once) {
    const struct target_override set[] = {
        {"machine.mpus", "1"},        {"machine.rfh_per_mpu", "4"},
        {"machine.vrf_per_rfh", "4"}, {"control.front_end", front_end},
        {"network.intra", "serial"},  {"slot.at_once", at_once}};
    return target_bench_open(MPU_SOURCE_DIR "/tests/machines/slot/slot.yaml", set, 6);
}

/* Fixed VRFs lie where their numbers say. */
static void make_package(struct package *p, struct fixed_vrf fixed[RFHS * VRFS]) {
    *p = (struct package){.mpus = 1, .image_count = 1, .lanes = LANES, .rounds = 1};
    for (uint32_t v = 0; v < RFHS * VRFS; v++)
        fixed[v] = (struct fixed_vrf){v % RFHS, v / RFHS, 0, v % RFHS, v / RFHS};
    /* Ascending by RFH, then VRF. */
    for (uint32_t v = 0; v < RFHS * VRFS; v++)
        fixed[v] = (struct fixed_vrf){v / VRFS, v % VRFS, 0, v / VRFS, v % VRFS};
    p->fixed = fixed;
    p->fixed_count = RFHS * VRFS;
    memset(p->reg_bits, 16, REGS + 2);
}

/* The time of a program, which is also worked out once more; `watched` so that it can be. */
static uint64_t run(const struct target_bench *b, uint64_t seed, enum batch_mode batch,
                    bool watched) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = make_program(seed);
    struct fixed_vrf fixed[RFHS * VRFS];
    struct package p;
    struct arena arena = {0};
    struct text text;
    make_package(&p, fixed);
    object_text_load(&text, o->text.data, o->text.len, object_luts(o, &arena), &arena);
    p.code = slot_machine.build(
        b->library, &(struct machine_program){.text = &text, .reg_bits = p.reg_bits}, d);
    const struct dp_setup setup = {.target = b->target,
                                   .mpus = 1,
                                   .lanes = LANES,
                                   .reg_bits = p.reg_bits,
                                   .code = p.code,
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct record r = {.text = &text};
    struct control_config config = {.batch = batch};
    struct datapath *dp = slot_ops.open(&setup, d);
    assert_non_null(dp);
    if (watched) {
        ledger_open(&r.ledger, dp, b->target, LANES);
        config.step = take_step;
        config.step_context = &r;
    }
    struct control *c = control_new(o, &p, b->target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)seed, control_message(c));
    uint64_t time_ps = control_stats(c)->time_ps;
    if (watched) {
        take_commands(&r);
        struct clock k = {.t = b->target,
                          .code = slot_code_of(p.code),
                          .text = &text,
                          .r = &r,
                          .stream = b->target->control == CONTROL_STREAM,
                          .issue = target_issue_ps(b->target),
                          .decode = target_decode_ps(b->target),
                          .fetched = xcalloc(text.len, sizeof *k.fetched),
                          .loaded = xcalloc(text.len * 2, sizeof *k.loaded)};
        uint64_t want = clock_all(&k);
        if (want != time_ps)
            fail_msg("program %llu took %llu ps, not %llu", (unsigned long long)seed,
                     (unsigned long long)time_ps, (unsigned long long)want);
        free(k.fetched);
        free(k.loaded);
        ledger_close(&r.ledger);
    }
    vec_free(&r.items);
    vec_free(&r.commands);
    control_free(c);
    dp->ops->close(dp);
    machine_code_free(p.code);
    arena_free(&arena);
    object_free(o);
    diag_free(d);
    return time_ps;
}

static void each_program(const char *front_end) {
    struct target_bench b = open_target(front_end, "3");
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        enum batch_mode batch = (enum batch_mode)(seed % 3);
        assert_int_equal(run(&b, seed, batch, true), run(&b, seed, batch, false));
    }
    target_bench_close(&b);
}

static void test_mpu(void **state) {
    (void)state;
    each_program("mpu");
}

static void test_stream(void **state) {
    (void)state;
    each_program("stream");
}

enum { SWEPT = 15 };

/* The fewer may work at once, the longer it takes; some program takes longer at every step. */
static void test_at_once(void **state) {
    static const char *const at_once[] = {"1", "2", "3", "5", "8", "16"};
    uint64_t before[SWEPT + 1] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++) {
        struct target_bench b = open_target("mpu", at_once[i]);
        bool longer = i == 0;
        for (uint64_t seed = 1; seed <= SWEPT; seed++) {
            uint64_t ps = run(&b, seed, BATCH_ALL, false);
            assert_true(i == 0 || ps <= before[seed]);
            longer |= ps < before[seed];
            before[seed] = ps;
        }
        assert_true(longer);
        target_bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mpu),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
