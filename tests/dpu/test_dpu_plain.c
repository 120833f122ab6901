/* SPDX-License-Identifier: MIT
 * Random programs of up to 24 tasklets, with shared memory, mutexes, barriers, handshakes and
 * transfers: registers, memories, cycles and idle cycles are those of the plain interpreter.
 *   test_dpu_plain [SEED]: one program, by its number */
#include "machines/core/dpu/run/core.h"
#include "tests/dpu/plain.h"
#include "tests/draws.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

/* Registers: 0 .. 11 data, 12 and 13 addresses, 14 and 15 of barriers, 16 and 17 laps. */
struct writer {
    struct str text;
    uint32_t at; /* the next instruction's number */
    uint64_t seed;
    uint32_t tasklets;
};
static uint32_t any(struct writer *w, uint32_t count) {
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->seed >> 33) % count;
}
static void line(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&w->text, format, args);
    va_end(args);
    str_char(&w->text, '\n');
    w->at++;
}

static bool is_step(const struct dpu_form *f) {
    return f->op == DPU_OP_MUL_STEP || f->op == DPU_OP_MOVD || f->op == DPU_OP_SWAPD;
}
static bool suits(const struct dpu_form *f) {
    if (f->sugar || !dpu_op_known(f->op))
        return false;
    enum dpu_class c = dpu_op_class(f->op);
    return c == DPU_ARITHMETIC || c == DPU_LOGIC || c == DPU_SHIFT || c == DPU_COUNT ||
           c == DPU_EXTEND || c == DPU_MULTIPLY || is_step(f);
}
static int64_t value(struct writer *w, const struct dpu_operand *o, const struct dpu_form *f) {
    for (;;) {
        int64_t v;
        if (o->role == DPU_C || o->role == DPU_B)
            v = any(w, 12);
        else if (o->role == DPU_A)
            v = any(w, 4) ? any(w, 12) : 24 + any(w, 8);
        else if (o->kind == DPU_NUMBER && any(w, 2))
            v = (int64_t)any(w, 40) - 8;
        else
            v = o->least + (int64_t)((any(w, 1u << 30) * UINT64_C(8) + any(w, 8)) %
                                     (uint64_t)(o->most - o->least + 1));
        bool plain = !is_step(f) || o->kind != DPU_CONDITION || v < 4; /* what plain.c knows */
        if (dpu_value_fits(o, v) && plain)
            return v;
    }
}
/* Instructions with results, which jump within the block at most. */
static void compute(struct writer *w) {
    uint32_t end = w->at + 1 + any(w, 10);
    while (w->at < end) {
        struct dpu_form f;
        struct dpu_insn insn = {.form = any(w, dpu_form_count())};
        struct str text = {0};
        dpu_form_get(insn.form, &f);
        if (!suits(&f))
            continue;
        for (uint32_t i = 0; i < f.count; i++)
            insn.values[i] = f.operands[i]->role == DPU_PC ? w->at + 1 + any(w, end - w->at)
                                                           : value(w, f.operands[i], &f);
        dpu_print(&insn, &text);
        line(w, "%s", text.text);
        str_free(&text);
    }
}
/* Loads and stores at places that depend on data: in a kilobyte that all share, in half a one of
 * the tasklet's own, which may go over into its neighbour's, or where seldom any writes. */
static void memory(struct writer *w) {
    static const char *const loads[] = {"lbs",  "lbu",  "lhs",   "lhu",   "lw",
                                        "lw.s", "lw.u", "lbs.s", "lhu.u", "ld"};
    static const char stores[] = "bhwd";
    bool own = any(w, 3) == 0, read = !own && any(w, 2);
    line(w, "and r12, r%" PRIu32 ", %s", any(w, 12),
         own                 ? "0x178"
         : read || any(w, 2) ? "0x38"
                             : "0x3f8");
    if (own) {
        line(w, "lsl_add r12, r12, id, 9");
        line(w, "add r12, r12, 20480");
    } else if (read) {
        line(w, "add r12, r12, 16384");
    }
    bool writes = !read || any(w, 12) == 0;
    for (uint32_t n = 1 + any(w, own || read ? 12 : 4); n--;) {
        const char *endian = any(w, 4) ? "" : "!big, ";
        const char *name = loads[any(w, 10)];
        uint32_t kind = any(w, 4), offset = (own ? 0 : 1024) + 8 * any(w, 17);
        bool wide = strchr(name, '.') || strcmp(name, "ld") == 0;
        switch (writes ? any(w, 4) : 0) {
        case 0:
        case 1:
            line(w, "%s %s%c%" PRIu32 ", r12, %" PRIu32, name, endian, wide ? 'd' : 'r',
                 wide ? 2 * any(w, 6) : any(w, 12), offset);
            break;
        case 2:
            line(w, "s%c %sr12, %" PRIu32 ", %c%" PRIu32, stores[kind], endian, offset,
                 kind == 3 ? 'd' : 'r', kind == 3 ? 2 * any(w, 6) : any(w, 12));
            break;
        default:
            line(w, "s%c%s r12, %" PRIu32 ", %" PRIu32, stores[kind], any(w, 2) ? "_id" : "",
                 offset, any(w, 100));
        }
    }
}
static void mutex(struct writer *w) {
    uint32_t bit = any(w, 3);
    line(w, "acquire zero, %" PRIu32 ", nz, .", bit);
    line(w, "lw r12, zero, %" PRIu32, 512 + 4 * bit);
    if (any(w, 2))
        compute(w);
    line(w, "add r12, r12, r%" PRIu32, any(w, 12));
    line(w, "sw zero, %" PRIu32 ", r12", 512 + 4 * bit);
    line(w, "release zero, %" PRIu32 ", nz, . + 1", bit);
}
static void transfers(struct writer *w) {
    uint32_t r = any(w, 12);
    line(w, "and r12, r%" PRIu32 ", %s", r, any(w, 3) ? "0xff8" : "0x3000ff8");
    line(w, "add r12, r12, 8192");
    line(w, "and r13, r%" PRIu32 ", 0x1fffc", any(w, 12));
    line(w, "add r13, r13, 0x08000000");
    line(w, "%s r12, r13, %" PRIu32, any(w, 2) ? "ldma" : "sdma",
         any(w, 3) ? any(w, 16) : any(w, 253));
}
/* The last to come resumes all others, which have stopped or will. */
static void barrier(struct writer *w) {
    line(w, "acquire zero, 9, nz, .");
    line(w, "lw r14, zero, 544");
    line(w, "add r14, r14, 1");
    line(w, "jeq r14, %" PRIu32 ", . + 5", w->tasklets);
    line(w, "sw zero, 544, r14");
    line(w, "release zero, 9, nz, . + 1");
    line(w, "stop");
    line(w, "jump %" PRIu32, w->at + 3 + 2 * w->tasklets);
    line(w, "sw zero, 544, 0");
    for (uint32_t t = 0; t < w->tasklets; t++) {
        line(w, "jeq id, %" PRIu32 ", . + 2", t);
        line(w, "resume zero, %" PRIu32 ", nz, .", t);
    }
    line(w, "release zero, 9, nz, . + 1");
}
/* Each even tasklet waits for its odd neighbour. */
static void handshake(struct writer *w) {
    line(w, "and r14, id, 1, false");
    line(w, "jnz r14, . + 4");
    line(w, "jeq id, %" PRIu32 ", . + 4", w->tasklets - 1);
    line(w, "stop");
    line(w, "jump . + 2");
    line(w, "resume id, -1, nz, .");
}
static void block(struct writer *w) {
    switch (any(w, 12)) {
    case 0:
        mutex(w);
        break;
    case 1:
        barrier(w);
        break;
    case 2:
        handshake(w);
        break;
    case 3:
    case 4:
        transfers(w);
        break;
    case 5:
        line(w, "time r%" PRIu32, any(w, 12));
        break;
    case 6:
        line(w, "call r15, . + 2");
        line(w, "jump . + 3");
        line(w, "add r0, r0, r15");
        line(w, "jump r15");
        break;
    case 7:
    case 8:
    case 9:
        memory(w);
        break;
    default:
        compute(w);
    }
}
static void program(struct writer *w) {
    line(w, "jeq id, %" PRIu32 ", . + 2", w->tasklets - 1);
    line(w, "boot id, 1");
    line(w, "move r0, %" PRIu32, 2 + any(w, 2) * 2 + 1); /* count cycles, or instructions */
    line(w, "jnz id, . + 2");
    line(w, "time_cfg zero, r0");
    for (uint32_t r = 1; r < 12; r++)
        line(w, "lsl_add r%" PRIu32 ", r%" PRIu32 ", id, %" PRIu32, r, any(w, r + 1), any(w, 28));
    line(w, "move r16, %" PRIu32, 1 + any(w, 3));
    uint32_t begin = w->at;
    for (uint32_t n = 2 + any(w, 14); n--;)
        block(w);
    line(w, "add r16, r16, -1, nz, %" PRIu32, begin);
    line(w, "stop true, .");
}

static struct plain_dpu plain; /* large */
static void compare(const struct dpu_core *core, const struct writer *w) {
    static uint8_t bytes[PLAIN_MRAM_BYTES];
    struct dpu_counters n;
    bool same = true;
    dpu_core_counters(core, &n);
    for (uint32_t t = 0; t < 24; t++)
        for (uint32_t r = 0; r < 24; r++)
            same = same && dpu_core_register(core, t, r) == plain.t[t].s.r[r];
    same = same && (long)n.cycles == plain.cycle && (long)n.instructions == plain.instructions;
    for (int i = 0; i < 3; i++)
        same = same && (long)n.idle[i] == plain.idle[i];
    for (uint32_t i = 0; i < plain.words; i++)
        same = same && (long)dpu_core_executed(core, i) == plain.executed[i];
    dpu_core_wram_get(core, 0, bytes, 65536);
    same = same && memcmp(bytes, plain.wram, 65536) == 0;
    dpu_core_mram_get(core, 0, bytes, PLAIN_MRAM_BYTES);
    same = same && memcmp(bytes, plain.mram, PLAIN_MRAM_BYTES) == 0;
    if (same)
        return;
    print_error("%s%" PRIu64 " cycles, %ld expected; %" PRIu64 " instructions, %ld expected\n",
                w->text.text, n.cycles, plain.cycle, n.instructions, plain.instructions);
    for (int i = 0; i < 3; i++)
        print_error("idle %d: %" PRIu64 ", %ld expected\n", i, n.idle[i], plain.idle[i]);
    fail();
}
/* Every instruction that is carried out, once, in its own cycle: who watches sees them in the order
 * of time, and changes nothing. */
struct watched {
    const struct writer *w;
    uint64_t events, last;
};
static void watch(void *context, const struct dpu_event *event) {
    struct watched *seen = context;
    if (seen->events++)
        assert_true(event->cycle > seen->last);
    assert_true(event->tasklet < seen->w->tasklets);
    seen->last = event->cycle;
}
/* What was met, so that no kind of program is left out unseen. */
struct met {
    uint32_t programs, tasklets[25];
    uint64_t instructions, transfers, stopped;
};
static void draw(uint64_t seed, struct met *met) {
    struct writer w = {.seed = seed * 77 + 5};
    w.tasklets = 1 + (uint32_t)(seed % 24);
    program(&w);
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("random.s", w.text.text, w.text.len, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
    struct dpu_counters n;
    struct watched seen = {.w = &w};
    dpu_core_load(core, p);
    plain_load(&plain, p);
    if (seed % 4 == 0)
        dpu_core_watch(core, watch, &seen);
    for (int run = 0; run < 2; run++) { /* the second finds what the first left */
        bool fine = plain_run(&plain, 20000000);
        if (!dpu_core_run(core, 10000000) || !fine) {
            struct str what = {0};
            dpu_core_explain(core, p, &what);
            fail_msg("program %" PRIu64 ": %s\n%s", seed, str_text(&what), w.text.text);
        }
        compare(core, &w);
    }
    dpu_core_counters(core, &n);
    assert_true(seen.events == (seed % 4 == 0 ? n.instructions : 0));
    met->programs++;
    met->tasklets[w.tasklets]++;
    met->instructions += n.instructions;
    met->transfers += n.reads + n.writes;
    met->stopped += n.idle[DPU_IDLE_STOPPED];
    dpu_core_free(core);
    dpu_program_free(p);
    diag_free(d);
    str_free(&w.text);
}

static uint64_t only; /* a program's number, from the command line; 0: as many as are drawn */
static void random_programs(void **state) {
    (void)state;
    struct met met = {0};
    if (only) {
        draw(only, &met);
        return;
    }
    for (unsigned i = 1; i <= draws(DRAWS_DPU_PROGRAMS); i++)
        draw(i, &met);
    assert_true(met.instructions > met.programs * 500);
    assert_true(met.transfers > met.programs);
    assert_true(met.stopped > met.programs);
    for (int t = 1; t <= 24; t++)
        assert_true(met.tasklets[t] || met.programs < 200);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    if (argc > 1)
        only = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
