/* SPDX-License-Identifier: MIT
 * How fast one DPU of 16 tasklets carries instructions out, with time and counters, beside a loop
 * of the host: one JSON object a line.  README.md says what the numbers mean. */
#include "bench/sample.h"
#include "machines/core/dpu/run/core.h"
#include "support/json.h"

#include <stdio.h>
#include <string.h>

#define RUNS 5

/* Each tasklet works on its own block of WRAM, again and again. */
#define BEGIN                                                                                      \
    "    jeq id, 15, work\n    boot id, 1\nwork: lsl r10, id, 11\n    move r20, 300\n"             \
    "lap: move r0, 128\n    move r11, r10\n"
#define END "    add r20, r20, -1, nz, lap\nend: stop true, end\n"
/* Each tasklet's two blocks come from MRAM, numbers below 50 as PrIM's GEMV has. */
#define BEGIN_MRAM                                                                                 \
    "    .set NR_TASKLETS, 16\n    .set STACK_SIZE, 8\n    jump __bootstrap\n"                     \
    "main: move r15, r23\n    move r20, 60\n    lsl r17, id, 11\n    add r17, r17, blocks\n"       \
    "    move r16, 127 << 24\n    or r16, r16, r17\n    add r12, r16, 1024\n"                      \
    "lap: lsl r13, id, 11\n    add r13, r13, numbers\n    ldma r16, r13, 0\n"                      \
    "    add r13, r13, 1024\n    ldma r12, r13, 0\n    move r18, r17\n    move r19, 256\n"
#define END_MRAM                                                                                   \
    "    add r20, r20, -1, nz, lap\n    jump r15\n    .bss\nblocks: .space 16 * 2048\n    .mram\n" \
    "    .set x, 1\nnumbers: .rept 16 * 512\n    .word (x >> 16) % 50\n"                           \
    "    .set x, (x * 1103515245 + 12345) & 0x7fffffff\n    .endr\n"
static const struct {
    const char *name, *text;
} programs[] = {
    {"registers", BEGIN "loop: add r1, r1, 1\n    xor r2, r2, r1\n    lsl_add r3, r2, r1, 3\n"
                        "    add r4, r4, r3\n    addc r5, r5, r2\n    and r6, r5, 255\n"
                        "    add r7, r7, r6\n    add r0, r0, -1, nz, loop\n" END},
    {"sum of two arrays", BEGIN "loop: lw r1, r11, 0\n    lw r2, r11, 512\n    add r1, r1, r2\n"
                                "    sw r11, 1024, r1\n    add r11, r11, 4\n"
                                "    add r0, r0, -1, nz, loop\n" END},
    {"reduction", BEGIN "loop: ld d2, r11, 0\n    add r5, r5, r3\n    addc r4, r4, r2\n"
                        "    add r11, r11, 8\n    add r0, r0, -1, nz, loop\n" END},
    /* Products by steps, which end with the smaller factor's highest bit: tasklets drift apart. */
    {"products", BEGIN "loop: add r8, r8, 0x9e37\n    and r1, r8, 0x3f\n    lw r2, r11, 0\n"
                       "    move r3, 0\n    move r4, r1\n    move r5, 0\n"
                       "    mul_step d4, r2, d4, 0, z, done\n    mul_step d4, r2, d4, 1, z, done\n"
                       "    mul_step d4, r2, d4, 2, z, done\n    mul_step d4, r2, d4, 3, z, done\n"
                       "    mul_step d4, r2, d4, 4, z, done\n    mul_step d4, r2, d4, 5, z, done\n"
                       "done: add r9, r9, r5\n    add r11, r11, 4\n"
                       "    add r0, r0, -1, nz, loop\n" END},
    /* As PrIM's, with their transfers: blocks of 1,024 bytes. */
    {"VA", BEGIN_MRAM "loop: lw r1, r18, 0\n    lw r2, r18, 1024\n    add r1, r1, r2\n"
                      "    sw r18, 0, r1\n    add r18, r18, 4\n    add r19, r19, -1, nz, loop\n"
                      "    sdma r16, r13, 0\n" END_MRAM},
    {"RED", BEGIN_MRAM "    move r19, 128\nloop: ld d2, r18, 0\n    add r5, r5, r3\n"
                       "    addc r4, r4, r2\n    add r18, r18, 8\n"
                       "    add r19, r19, -1, nz, loop\n" END_MRAM},
    {"GEMV", BEGIN_MRAM "    move r14, 0\nloop: lw r0, r18, 0\n    lw r1, r18, 1024\n"
                        "    call r23, __mulsi3\n    add r14, r14, r0\n    add r18, r18, 4\n"
                        "    add r19, r19, -1, nz, loop\n" END_MRAM},
};

struct work {
    struct dpu_program *p;
    struct dpu_core *core;
};
static void carry_out(void *context) {
    struct work *w = context;
    dpu_core_load(w->core, w->p);
    if (!dpu_core_run(w->core, UINT64_C(1) << 40))
        fprintf(stderr, "bench_dpu: a program failed\n");
}
/* What the host does in the meantime: a step of a random generator each lap, that waits for the one
 * before it. */
#define HOST_LAPS 20000000u
static void host_loop(void *context) {
    volatile uint32_t *result = context;
    uint32_t x = *result;
    for (uint32_t i = 0; i < HOST_LAPS; i++) {
        x = x * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(x));
    }
    *result = x;
}
static double least(const double *seconds) {
    double value = seconds[0];
    for (int i = 1; i < RUNS; i++)
        value = seconds[i] < value ? seconds[i] : value;
    return value;
}

static bool bench(size_t number, double host, struct diag *d) {
    const char *text = programs[number].text;
    struct work w = {.p = dpu_assemble(programs[number].name, text, strlen(text), d),
                     .core = dpu_core_new(&DPU_TIME_MEASURED)};
    double seconds[RUNS];
    struct dpu_counters n;
    struct str line = {0};
    if (!w.p)
        return false;
    sample_measure(carry_out, &w, RUNS, seconds);
    dpu_core_counters(w.core, &n);
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "dpu");
    json_string(j, "program", programs[number].name);
    json_u64(j, "instructions", n.instructions);
    json_u64(j, "cycles", n.cycles);
    sample_report(j, "instructions_per_second", seconds, RUNS, (double)n.instructions, 0);
    sample_report_number(j, "host_laps_per_instruction",
                         host * least(seconds) / (double)n.instructions);
    json_object_end(j);
    json_finish(j, &line);
    fputs(str_text(&line), stdout);
    fflush(stdout);
    str_free(&line);
    dpu_core_free(w.core);
    dpu_program_free(w.p);
    return true;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    double seconds[RUNS];
    volatile uint32_t result = 1;
    bool good = true;
    sample_measure(host_loop, (void *)(uintptr_t)&result, RUNS, seconds);
    double host = HOST_LAPS / least(seconds); /* laps a second */
    for (size_t i = 0; good && i < sizeof programs / sizeof *programs; i++)
        good = bench(i, host, d);
    if (!good)
        fprintf(stderr, "bench_dpu: %s\n", diag_first(d) ? diag_first(d) : "failed");
    diag_free(d);
    return good ? 0 : 1;
}
