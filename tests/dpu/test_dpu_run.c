/* SPDX-License-Identifier: MIT
 * A DPU at work: cycles by the number of tasklets, transfers, waking and stopping, the performance
 * counter, memories, counters, and what each fault says. */
#include "machines/core/dpu/run/core.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

struct rig {
    struct dpu_program *p;
    struct dpu_core *core;
    struct dpu_counters n;
};
static struct rig rig_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct rig rig_of(const char *format, ...) {
    struct str text = {0};
    struct diag *d = diag_new(NULL, NULL);
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    struct rig r = {.p = dpu_assemble("test.s", text.text, text.len, d)};
    if (!r.p)
        fail_msg("%s", diag_first(d));
    r.core = dpu_core_new(&DPU_TIME_MEASURED);
    dpu_core_load(r.core, r.p);
    diag_free(d);
    str_free(&text);
    return r;
}
static void end(struct rig *r) {
    dpu_core_free(r->core);
    dpu_program_free(r->p);
}
static void run(struct rig *r) {
    if (!dpu_core_run(r->core, 10000000)) {
        struct str what = {0};
        dpu_core_explain(r->core, r->p, &what);
        fail_msg("%s", what.text);
    }
    dpu_core_counters(r->core, &r->n);
}

/* What all tasklets begin with: each boots the next, up to number `last`. */
#define BOOT "    jeq id, %d, work\n    boot id, 1\nwork:\n"

/* Who watches has every instruction carried out in its cycle. */
static void unmoved(void *context, const struct dpu_event *event) {
    (void)context;
    (void)event;
}
/* Whether instructions are carried out ahead of their cycles or not, nobody sees it. */
static void same_in_cycles(const char *text) {
    struct rig r = rig_of("%s", text), q = rig_of("%s", text);
    static uint8_t left[DPU_WRAM_BYTES], right[DPU_WRAM_BYTES];
    dpu_core_watch(q.core, unmoved, NULL);
    assert_true(dpu_core_run(r.core, 10000000) == dpu_core_run(q.core, 10000000));
    dpu_core_counters(r.core, &r.n);
    dpu_core_counters(q.core, &q.n);
    assert_memory_equal(&r.n, &q.n, sizeof r.n);
    assert_memory_equal(dpu_core_trouble(r.core), dpu_core_trouble(q.core),
                        sizeof(struct dpu_trouble));
    for (uint32_t t = 0; t < DPU_TASKLETS; t++)
        for (uint32_t i = 0; i < 24; i++)
            assert_int_equal(dpu_core_register(r.core, t, i), dpu_core_register(q.core, t, i));
    for (uint32_t i = 0; i < r.p->words.len; i++)
        assert_int_equal(dpu_core_executed(r.core, i), dpu_core_executed(q.core, i));
    dpu_core_wram_get(r.core, 0, left, sizeof left);
    dpu_core_wram_get(q.core, 0, right, sizeof right);
    assert_memory_equal(left, right, sizeof left);
    end(&r);
    end(&q);
}

/* ---- time ---- */

/* A loop of 10 instructions, 1,000 times in each tasklet: one instruction a cycle from 11 tasklets
 * on, T in 11 below. */
static void instructions_a_cycle(void **state) {
    (void)state;
    for (int tasklets = 1; tasklets <= 24; tasklets++) {
        struct rig r =
            rig_of(BOOT "    move r0, 1000\n"
                        "loop: add r1, r1, 1\n add r2, r2, 1\n add r3, r3, 1\n add r4, r4, 1\n"
                        "    add r5, r5, 1\n add r6, r6, 1\n add r7, r7, 1\n add r8, r8, 1\n"
                        "    add r9, r9, 1\n add r0, r0, -1, nz, loop\n"
                        "end: stop true, end\n",
                   tasklets - 1);
        run(&r);
        uint64_t each = tasklets <= 11 ? 11 : (uint64_t)tasklets;
        uint64_t least = 10000 * each;
        assert_in_range(r.n.cycles, least, least + 24 * 24 + 100);
        double rate = (double)r.n.instructions / (double)r.n.cycles;
        double expected = tasklets < 11 ? tasklets / 11.0 : 1;
        assert_true(rate > expected * 0.993 && rate <= expected * 1.001);
        assert_int_equal(r.n.instructions + r.n.idle[DPU_IDLE_INTERVAL] +
                             r.n.idle[DPU_IDLE_STOPPED] + r.n.idle[DPU_IDLE_DMA],
                         r.n.cycles);
        assert_int_equal(r.n.idle[DPU_IDLE_DMA], 0);
        end(&r);
    }
}

/* One instruction behind another in one tasklet is 11 cycles, exactly. */
static void one_tasklet_is_exact(void **state) {
    (void)state;
    struct rig r = rig_of("nop\n nop\n nop\n end: stop true, end\n");
    run(&r);
    assert_int_equal(r.n.instructions, 4);
    assert_int_equal(r.n.cycles, 3 * 11 + 1);
    assert_int_equal(r.n.idle[DPU_IDLE_INTERVAL], 30);
    end(&r);
}

/* Cycles from the transfer's issue to that of the next instruction, of one tasklet alone. */
static uint64_t transfer_cycles(const char *how, uint32_t bytes) {
    struct rig r = rig_of("move r0, %" PRIu32 "\n move r1, 0x08000000\n %s r0, r1, %" PRIu32
                          "\n end: stop true, end\n",
                          UINT32_C(64), how, bytes / 8 - 1);
    run(&r);
    uint64_t cycles = r.n.cycles - 1 - 22;
    assert_int_equal(r.n.read_bytes + r.n.written_bytes, bytes);
    assert_int_equal(r.n.reads + r.n.writes, 1);
    assert_int_equal(r.n.idle[DPU_IDLE_DMA], cycles - 1);
    end(&r);
    return cycles;
}
static void transfers_take_what_silicon_takes(void **state) {
    (void)state;
    static const struct {
        const char *how;
        uint32_t bytes, cycles;
    } rows[] = {{"ldma", 8, 81},      {"ldma", 128, 141}, {"ldma", 1024, 589},
                {"ldma", 2048, 1101}, {"sdma", 8, 65},    {"sdma", 2048, 1085}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(transfer_cycles(rows[i].how, rows[i].bytes), rows[i].cycles);
    /* The rule between the rows, too. */
    for (uint32_t bytes = 8; bytes <= 2048; bytes += 8) {
        assert_int_equal(transfer_cycles("ldma", bytes), 77 + bytes / 2);
        assert_int_equal(transfer_cycles("sdma", bytes), 61 + bytes / 2);
    }
}
/* Many tasklets share the engine: bytes a cycle, beside what was measured (MB/s at 350 MHz). */
static double rate(const char *how, int tasklets) {
    struct rig r = rig_of(BOOT "    lsl r0, id, 11\n    move r1, 0x08000000\n"
                               "    move r2, 100\n"
                               "loop: %s\n add r2, r2, -1, nz, loop\nend: stop true, end\n",
                          tasklets - 1, how);
    run(&r);
    double all = (double)(r.n.read_bytes + r.n.written_bytes);
    double got = all / (double)r.n.cycles * 350;
    end(&r);
    return got;
}
static void bandwidth_as_measured(void **state) {
    (void)state;
    double copy = rate("ldma r0, r1, 127\n sdma r0, r1, 127", 16);
    double fine = rate("ldma r0, r1, 0\n sdma r0, r1, 0", 16);
    double single = rate("ldma r0, r1, 255", 1);
    assert_true(copy > 624.02 * 0.95 && copy < 624.02 * 1.05);
    assert_true(fine > 72.58 * 0.95 && fine < 72.58 * 1.05);
    assert_true(single > 628.23 * 0.95 && single < 628.23 * 1.05);
}

/* ---- tasklets ---- */

/* Two tasklets count with a mutex, two without: with it nothing is lost. */
static void atomic_bits_guard(void **state) {
    (void)state;
    struct rig r =
        rig_of(BOOT "    move r2, 200\n"
                    "loop: acquire zero, lock, nz, .\n lw r0, zero, sum\n nop\n add r0, r0, 1\n"
                    "    sw zero, sum, r0\n release zero, lock, nz, . + 1\n"
                    "    add r2, r2, -1, nz, loop\nend: stop true, end\n"
                    "    .data\nsum: .word 0\n    .section .atomic\nlock: .space 1\n",
               15);
    uint32_t sum = 0;
    run(&r);
    assert_true(dpu_core_wram_get(r.core, 0, &sum, 4));
    assert_int_equal(sum, 3200);
    assert_true(r.n.classes[DPU_ATOMIC] > 6400);
    end(&r);
}
/* A handshake: tasklet 0 waits, goes on behind its stop; resume and boot are nz while it runs. */
static void stop_and_resume(void **state) {
    (void)state;
    struct rig r = rig_of("    jnz id, other\n    boot id, 1\n    stop\n    sw zero, 0, 7\n"
                          "end: stop true, end\n"
                          "other: resume id, -1, nz, .\n    boot zero, 0, z, wrong\n"
                          "    sw zero, 4, 9\n"
                          "stop: stop true, stop\nwrong: fault 1\n");
    uint32_t got[2];
    run(&r);
    assert_true(dpu_core_wram_get(r.core, 0, got, 8));
    assert_int_equal(got[0], 7);
    assert_int_equal(got[1], 9);
    end(&r);
}
/* Tasklet 0 is through, and its worker waits for more: that is an end, and a launch follows. */
static void workers_may_wait_at_the_end(void **state) {
    (void)state;
    struct rig r = rig_of("    jnz id, work\n    boot id, 1\nend: stop true, end\n"
                          "work: lw r0, zero, 0\n    add r0, r0, 1\n    sw zero, 0, r0\n"
                          "    stop false, work\n");
    for (uint32_t i = 1, got; i < 4; i++) {
        run(&r);
        assert_true(dpu_core_wram_get(r.core, 0, &got, 4));
        assert_int_equal(got, i);
    }
    end(&r);
}
/* A second run begins at 0 again, with memory and registers as they were. */
static void runs_follow_one_another(void **state) {
    (void)state;
    struct rig r =
        rig_of("lw r0, zero, 0\n add r0, r0, 1\n sw zero, 0, r0\n end: stop true, end\n");
    uint32_t got;
    for (uint32_t i = 1; i < 4; i++) {
        run(&r);
        assert_true(dpu_core_wram_get(r.core, 0, &got, 4));
        assert_int_equal(got, i);
        assert_int_equal(r.n.instructions, 4 * i);
    }
    assert_int_equal(r.n.classes[DPU_LOAD], 3);
    assert_int_equal(r.n.classes[DPU_STORE], 3);
    assert_int_equal(r.n.classes[DPU_ARITHMETIC], 3);
    assert_int_equal(r.n.classes[DPU_THREAD], 3);
    assert_int_equal(dpu_core_executed(r.core, 2), 3);
    end(&r);
}
/* Cycles, instructions, nothing; its values are sixteenths. */
static void performance_counter(void **state) {
    (void)state;
    struct str text = {0};
    str_append(&text, "move r0, 3\n time_cfg zero, r0\n"); /* cycles from 0 on */
    for (int i = 0; i < 31; i++)
        str_append(&text, "nop\n");
    str_append(&text, "time r1\n move r0, 5\n time_cfg r2, r0\n"); /* instructions from 0 on */
    for (int i = 0; i < 31; i++)
        str_append(&text, "nop\n");
    str_append(&text, "time r3\n move r0, 6\n time_cfg r4, r0\n"); /* nothing, and it stays */
    for (int i = 0; i < 40; i++)
        str_append(&text, "nop\n");
    str_append(&text, "time r5\n end: stop true, end\n");
    struct rig r = rig_of("%s", text.text);
    run(&r);
    assert_int_equal(dpu_core_register(r.core, 0, 1), 32 * 11 / 16);
    assert_int_equal(dpu_core_register(r.core, 0, 2), 34 * 11 / 16);
    assert_int_equal(dpu_core_register(r.core, 0, 3), 2);
    assert_int_equal(dpu_core_register(r.core, 0, 4), 2);
    assert_int_equal(dpu_core_register(r.core, 0, 5), 2);
    end(&r);
    str_free(&text);
}

/* ---- ahead of cycles ---- */

#define OFTEN "    move r8, 200\nwait: add r8, r8, -1, nz, wait\n"
#define ENDS  "end: stop true, end\n"
static void words_that_others_come_to(void **state) {
    (void)state;
    /* One reads again and again, and then another writes. */
    same_in_cycles("jeq id, 1, other\n boot id, 1\n move r0, 4000\n"
                   "loop: lw r1, zero, 64\n add r2, r2, r1\n add r0, r0, -1, nz, loop\n" ENDS
                   "other:\n" OFTEN "sw zero, 64, 7\n lw r3, zero, 64\n jump end\n");
    /* One writes again and again, and then others read and write, of the same eight bytes. */
    same_in_cycles("jneq id, 0, other\n boot id, 1\n move r0, 4000\n"
                   "loop: sw zero, 64, r0\n add r0, r0, -1, nz, loop\n" ENDS
                   "other:\n jeq id, 5, last\n boot id, 1\nlast:\n" OFTEN
                   "lw r3, zero, 64\n lw r4, zero, 68\n sb zero, 69, 3\n jump end\n");
    /* Many read, and one of them writes in the middle. */
    same_in_cycles("jeq id, 15, work\n boot id, 1\nwork: move r0, 3000\n"
                   "loop: lw r1, zero, 64\n add r2, r2, r1\n jneq r0, 1000, on\n"
                   " jneq id, 9, on\n sw zero, 64, r0\n"
                   "on: add r0, r0, -1, nz, loop\n" ENDS);
    /* A transfer into words that another reads, and out of words that it writes. */
    for (int out = 0; out < 2; out++) {
        struct str text = {0};
        str_printf(&text,
                   ".mram\n .word 5, 6, 7, 8\n.text\n jeq id, 1, other\n boot id, 1\n"
                   " move r0, 4000\nloop: %s\n add r2, r2, r1\n"
                   " add r0, r0, -1, nz, loop\n" ENDS "other:\n" OFTEN
                   " move r1, 56\n move r2, 0x08000000\n %s r1, r2, 1\n ldma r1, r2, 1\n"
                   " lw r3, zero, 56\n lw r4, zero, 68\n jump end\n",
                   out ? "sw zero, 64, r0" : "lw r1, zero, 64", out ? "sdma" : "ldma");
        same_in_cycles(text.text);
        str_free(&text);
    }
    /* More stores than are kept at once, all undone. */
    same_in_cycles("jeq id, 1, other\n boot id, 1\n move r0, 3000\n"
                   "loop: sw zero, 64, r0\n sb zero, 72, r0\n sh zero, 80, r0\n"
                   " sd zero, 88, d0\n sb_id zero, 96, 5\n add r0, r0, -1, nz, loop\n" ENDS
                   "other:\n" OFTEN "lw r3, zero, 64\n lw r4, zero, 72\n lw r5, zero, 80\n"
                   " ld d6, zero, 88\n jump end\n");
}
static void what_is_wrong_ends_all_in_their_cycles(void **state) {
    (void)state;
    static const char *const what[] = {"lw r3, zero, 0x10000",
                                       "lw r3, zero, 66",
                                       "sw r8, -4, r8",
                                       "fault 3",
                                       "jump 5000",
                                       "boot zero, 24",
                                       "move r3, 6000; call r23, r3"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        struct str text = {0};
        str_printf(&text,
                   "jeq id, 15, work\n boot id, 1\nwork: move r0, 4000\n lsl r6, id, 8\n"
                   "loop: add r1, r1, r0\n sw r6, 0, r1\n add r0, r0, -1, nz, on\n" ENDS
                   "on: jneq r0, 1000, loop\n jneq id, 4, loop\n %s\n jump loop\n",
                   what[i]);
        same_in_cycles(text.text);
        str_free(&text);
    }
}

/* ---- memories ---- */

/* MRAM has memory of the host where something was written. */
static void mram_in_pages(void **state) {
    (void)state;
    struct rig r = rig_of("move r0, 64\n move r1, 0x0a00ffc0\n sdma r0, r1, 15\n"
                          "move r0, 1024\n ldma r0, r1, 15\n move r1, 0x09000000\n move r0, 2048\n"
                          "ldma r0, r1, 255\n move r1, 0x0a00ffc0\n move r0, 0x03000200\n"
                          "ldma r0, r1, 12\nend: stop true, end\n");
    uint8_t bytes[128], got[128];
    for (int i = 0; i < 128; i++)
        bytes[i] = (uint8_t)(i * 7 + 1);
    assert_true(dpu_core_wram_put(r.core, 64, bytes, 128));
    run(&r);
    assert_int_equal(dpu_core_mram_held(r.core), 2 * 16384);
    assert_true(dpu_core_mram_get(r.core, 0x200ffc0, got, 128));
    assert_memory_equal(got, bytes, 128);
    assert_true(dpu_core_wram_get(r.core, 1024, got, 128));
    assert_memory_equal(got, bytes, 128);
    /* Bits 24 and up of the address in WRAM add to the length: 13 + 3 times 8 bytes. */
    assert_true(dpu_core_wram_get(r.core, 512, got, 128));
    assert_memory_equal(got, bytes, 128);
    assert_int_equal(r.n.read_bytes, 128 + 2048 + 128);
    assert_false(dpu_core_mram_put(r.core, DPU_MRAM_BYTES - 4, bytes, 8));
    assert_false(dpu_core_mram_get(r.core, DPU_MRAM_BYTES + 1, got, 0));
    assert_false(dpu_core_wram_put(r.core, 65530, bytes, 8));
    assert_false(dpu_core_wram_get(r.core, 0, got, 65537));
    end(&r);
}
/* Code from MRAM over code in IRAM. */
static void overlays(void **state) {
    (void)state;
    struct rig r = rig_of("move r0, 48\n move r1, 0x08000000\n ldmai r0, r1, 0\n nop\n nop\n nop\n"
                          "fault 3\n end: stop true, end\n");
    static const uint8_t word[8] = {0x00, 0x00, 0x05, 0x00, 0x63, 0x60}; /* move r0, .. */
    assert_true(dpu_core_mram_put(r.core, 0, word, 8));
    run(&r);
    assert_int_equal(dpu_core_register(r.core, 0, 0), 0x50);
    end(&r);
}

/* ---- faults ---- */

static const struct {
    const char *text, *message;
} faults[] = {
    {"main: nop\n lw r0, zero, 65536\n",
     "tasklet 0 at instruction 1 (main + 1), 'lw r0, zero, 65536': 4 bytes at 0x10000 lie beyond WRAM"},
    {"sb lneg, 0, 1",
     "tasklet 0 at instruction 0, 'sb lneg, 0, 1': 1 byte at 0xffffffff lie beyond WRAM"},
    {"lw r0, zero, 6", "tasklet 0 at instruction 0, 'lw r0, zero, 6': 0x6 is no multiple of 4"},
    {"ld d0, zero, 4", "tasklet 0 at instruction 0, 'ld d0, zero, 4': 0x4 is no multiple of 8"},
    {"move r0, 0x1ff00\n ldma r0, r1, 255",
     "tasklet 0 at instruction 1, 'ldma r0, r1, 255': a transfer of 2048 bytes at 0x1ff00 goes beyond WRAM"},
    {"move r0, 0x7f00\n ldmai r0, r1, 255",
     "tasklet 0 at instruction 1, 'ldmai r0, r1, 255': a transfer of 2048 bytes at 0x7f00 goes beyond IRAM"},
    {"move r1, 0x0bffffff\n sdma r0, r1, 1",
     "tasklet 0 at instruction 1, 'sdma r0, r1, 1': a transfer of 16 bytes at 0xbfffff8 goes beyond MRAM"},
    {"move r1, 0x05000000\n ldma r0, r1, 0",
     "tasklet 0 at instruction 1, 'ldma r0, r1, 0': a transfer of 8 bytes at 0x5000000 goes beyond MRAM"},
    {"main: jump 77", "tasklet 0 at instruction 77 (main + 77): there is no instruction"},
    {"jump 65535", "tasklet 0 at instruction 65535: there is no instruction"},
    {"hash r0, r1, r2",
     "tasklet 0 at instruction 0, 'hash r0, r1, r2': what this instruction does is not published"},
    {"stop z, 0",
     "tasklet 0 at instruction 0, 'stop z, 0': what this instruction does is not published"},
    {"boot id, 24", "tasklet 0 at instruction 0, 'boot id, 24': there is no tasklet 24"},
    {"fault 5", "tasklet 0 at instruction 0, 'fault 5': the program reports fault 5"},
    {"bkp", "tasklet 0 at instruction 0, 'bkp': a breakpoint"},
    {"jnz id, other\n boot id, 1\n end: stop true, end\n other: jump other",
     "tasklet 1 at instruction 3 (other), 'jump 3': still running after 1000 instructions"},
    {"jnz id, end\n boot id, 1\n stop\n end: stop true, end",
     "tasklet 0 at instruction 3 (end), 'stop true, 3': waits to be resumed, and all tasklets have stopped ("
     "'end: stop true, end' is the end)"},
    {"stop", "tasklet 0 at instruction 1: waits to be resumed, and all tasklets have stopped ("
             "'end: stop true, end' is the end)"},
};
static void faults_say_where_and_what(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct rig r = rig_of("%s\n", faults[i].text);
        struct str what = {0};
        assert_false(dpu_core_run(r.core, 1000));
        dpu_core_explain(r.core, r.p, &what);
        assert_string_equal(what.text, faults[i].message);
        str_free(&what);
        end(&r);
    }
}
/* Every instruction whose effect is not published ends so. */
static void unknown_effects_end_a_program(void **state) {
    (void)state;
    uint32_t count = 0;
    for (uint32_t form = 0; form < dpu_form_count(); form++) {
        struct dpu_form f;
        dpu_form_get(form, &f);
        if (f.sugar || dpu_op_known(f.op))
            continue;
        struct dpu_program p = {0};
        vec_push(&p.words, f.fixed);
        struct dpu_insn insn;
        if (dpu_decode(f.fixed, false, &insn)) {
            struct dpu_core *core = dpu_core_new(&DPU_TIME_MEASURED);
            dpu_core_load(core, &p);
            assert_false(dpu_core_run(core, 10));
            assert_int_equal(dpu_core_trouble(core)->fault, DPU_FAULT_UNKNOWN);
            dpu_core_free(core);
            count++;
        }
        vec_free(&p.words);
    }
    assert_true(count > 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_a_cycle),
        cmocka_unit_test(one_tasklet_is_exact),
        cmocka_unit_test(transfers_take_what_silicon_takes),
        cmocka_unit_test(bandwidth_as_measured),
        cmocka_unit_test(atomic_bits_guard),
        cmocka_unit_test(stop_and_resume),
        cmocka_unit_test(workers_may_wait_at_the_end),
        cmocka_unit_test(runs_follow_one_another),
        cmocka_unit_test(words_that_others_come_to),
        cmocka_unit_test(what_is_wrong_ends_all_in_their_cycles),
        cmocka_unit_test(performance_counter),
        cmocka_unit_test(mram_in_pages),
        cmocka_unit_test(overlays),
        cmocka_unit_test(faults_say_where_and_what),
        cmocka_unit_test(unknown_effects_end_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
