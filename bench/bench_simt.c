/* SPDX-License-Identifier: MIT
 * How many warp instructions a second near-bank SIMT cores carry out, without time, with the time
 * of all cores, and with that of one core that has all blocks: the twelve workloads of the paper's
 * Table I, from PTX of clang and of nvcc; one JSON object a line.  README.md says what the numbers
 * mean.
 *
 *     bench_simt [WORKLOAD [RUNS [TIME]]], TIME none, all or one */
#include "bench/sample.h"
#include "machines/core/simt/compile.h"
#include "machines/core/simt/run/core.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 8
#define MOST_RUNS      64u

/* b: a buffer of random f32 between -1 and 1, of so many elements; z: of zeros; i, f: numbers */
struct argument {
    char kind;
    double value;
};
static const struct workload {
    const char *name, *entry; /* of the symbol a part */
    uint32_t grid[3], block[3];
    struct argument arguments[MOST_ARGUMENTS];
} workloads[] = {
    {"blur",
     "blur",
     {64, 128, 1},
     {16, 8, 1},
     {{'b', 1 << 20}, {'z', 1 << 20}, {'i', 1024}, {'i', 1024}}},
    {"conv",
     "conv",
     {16, 32, 8},
     {16, 8, 1},
     {{'b', 8 * 65536}, {'b', 576}, {'z', 8 * 65536}, {'i', 8}, {'i', 256}, {'i', 256}}},
    {"gemv",
     "gemv",
     {512, 1, 1},
     {128, 1, 1},
     {{'b', 1 << 21}, {'b', 4096}, {'z', 512}, {'i', 4096}}},
    {"hist",
     "hist",
     {64, 1, 1},
     {256, 1, 1},
     {{'b', 1 << 20}, {'z', 64}, {'i', 1 << 20}, {'f', -1}, {'f', 1}}},
    {"kmeans",
     "kmeans_assign",
     {512, 1, 1},
     {128, 1, 1},
     {{'b', 8 * 65536}, {'b', 128}, {'z', 65536}, {'i', 65536}, {'i', 16}, {'i', 8}}},
    {"knn",
     "knn",
     {8192, 1, 1},
     {128, 1, 1},
     {{'b', 1 << 21}, {'z', 1 << 20}, {'i', 1 << 20}, {'f', 30.5}, {'f', -60.25}}},
    {"ttrans",
     "ttrans",
     {32, 32, 2},
     {32, 8, 1},
     {{'b', 1 << 21}, {'z', 1 << 21}, {'i', 1024}, {'i', 1024}}},
    {"maxp",
     "maxp",
     {64, 128, 1},
     {16, 8, 1},
     {{'b', 1 << 22}, {'z', 1 << 20}, {'i', 2048}, {'i', 2048}}},
    /* all tiles of all diagonals are launched as those of one */
    {"nw",
     "nw",
     {32, 1, 1},
     {16, 1, 1},
     {{'z', 513 * 513}, {'z', 513 * 513}, {'i', 513}, {'i', 10}, {'i', 31}, {'i', 0}}},
    {"upsamp",
     "upsamp",
     {64, 128, 1},
     {16, 8, 1},
     {{'b', 1 << 18}, {'z', 1 << 20}, {'i', 512}, {'i', 512}}},
    {"axpy",
     "axpy",
     {64, 1, 1},
     {256, 1, 1},
     {{'b', 1 << 20}, {'b', 1 << 20}, {'f', 1.5}, {'i', 1 << 20}}},
    {"pr", "pr", {4096, 1, 1}, {256, 1, 1}, {{'b', 1 << 21}, {'z', 4096}, {'i', 1 << 21}}},
};

struct bench {
    const struct workload *w;
    struct simt_program *program;
    struct target *target;
    struct machine_library *library;
    struct state_memory memory;
    unsigned char parameters[64];
    size_t parameter_bytes;
    struct diag *diag;
    struct simt_place_time *places; /* NULL: no time is worked out */
    uint64_t steps, cycles;
    bool failed;
};

static void say(void *context, const struct diag *d, const struct message *m) {
    (void)context, (void)d;
    fprintf(stderr, "bench_simt: %s\n", m->text);
}

static void put(struct bench *b, const void *value, size_t size) {
    b->parameter_bytes = (b->parameter_bytes + size - 1) / size * size;
    memcpy(b->parameters + b->parameter_bytes, value, size);
    b->parameter_bytes += size;
}

static void put_buffer(struct bench *b, const struct argument *a, uint64_t *seed) {
    const uint64_t count = (uint64_t)a->value;
    uint64_t address;
    if (!state_memory_alloc(&b->memory, count * 4, &address, b->diag))
        exit(1);
    float *x = (float *)(void *)state_memory_at(&b->memory, address, count * 4);
    for (uint64_t i = 0; i < count && a->kind == 'b'; i++)
        x[i] = (float)(int32_t)(splitmix64(seed) >> 32) / 2147483648.f;
    put(b, &address, sizeof address);
}

static void put_arguments(struct bench *b) {
    uint64_t seed = 1;
    for (unsigned i = 0; i < MOST_ARGUMENTS && b->w->arguments[i].kind; i++) {
        const struct argument *a = &b->w->arguments[i];
        int32_t whole = (int32_t)a->value;
        float real = (float)a->value;
        if (a->kind == 'i')
            put(b, &whole, sizeof whole);
        else if (a->kind == 'f')
            put(b, &real, sizeof real);
        else
            put_buffer(b, a, &seed);
    }
}

static struct simt_program *program_of(const char *folder, const struct workload *w) {
    const struct simt_options options = {.registers = SIMT_REGISTERS, .near_shared = true};
    struct portable_fault fault = {.line = 0};
    struct str path = {0}, code = {0};
    size_t size;
    const char *problem = NULL;
    str_printf(&path, MPU_SOURCE_DIR "/tests/ptx/%s/%s.ptx", folder, w->name);
    char *text = file_read_text(str_text(&path), FILE_MAX_TARGET, &size);
    struct ptx_module *m = text ? ptx_read(text, size, &fault) : NULL;
    uint32_t entry = 0;
    while (m && entry < m->functions.len && !strstr(m->functions.data[entry].name, w->entry))
        entry++;
    struct simt_kernel *k = m ? simt_compile(m, entry, &options, &fault) : NULL;
    if (k)
        simt_kernel_write(k, &code);
    struct simt_program *p = k ? simt_program_new(code.text, code.len, NULL, &problem) : NULL;
    if (!p)
        fprintf(stderr, "bench_simt: %s: %s\n", str_text(&path), str_text(&fault.what));
    simt_kernel_free(k);
    ptx_free(m);
    free(text);
    str_free(&path);
    str_free(&code);
    return p;
}

static void carry_out(void *context) {
    struct bench *b = context;
    struct dp_launch x = {.parameters = b->parameters, .parameter_bytes = b->parameter_bytes};
    struct simt_run run = {.program = b->program,
                           .launch = &x,
                           .target = b->target,
                           .memory = &b->memory,
                           .diag = b->diag};
    struct simt_launch_time time = {.places = b->places};
    memcpy(x.grid, b->w->grid, sizeof x.grid);
    memcpy(x.block, b->w->block, sizeof x.block);
    run.timed = b->places ? &time : NULL;
    b->failed |= !simt_launch(&run);
    b->steps = run.steps;
    b->cycles = time.cycles;
}

static void report(const struct bench *b, const char *compiler, const char *time,
                   const double *seconds, size_t runs) {
    struct str line = {0};
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "simt");
    json_string(j, "workload", b->w->name);
    json_string(j, "compiler", compiler);
    json_string(j, "time", time);
    json_u64(j, "warp_instructions", b->steps);
    if (b->places)
        json_u64(j, "cycles", b->cycles);
    sample_report(j, "warp_instructions_per_second", seconds, runs, (double)b->steps, 0);
    json_object_end(j);
    json_finish(j, &line);
    fputs(str_text(&line), stdout);
    fflush(stdout);
    str_free(&line);
}

static bool measure(const struct workload *w, const char *folder, const char *time, size_t runs) {
    const struct target_override cores = {"simt.cores", strcmp(time, "all") == 0 ? "all" : "one"};
    struct bench b = {.w = w};
    double seconds[MOST_RUNS];
    b.diag = diag_new(say, NULL);
    b.program = program_of(folder, w);
    if (!b.program ||
        machine_open_target("simt", &cores, 1, b.diag, &b.target, &b.library) != TARGET_FINE)
        return false;
    if (strcmp(time, "none") != 0)
        b.places = xcalloc(b.program->kernel->insn_count, sizeof *b.places);
    state_memory_open(&b.memory, 0);
    put_arguments(&b);
    sample_measure(carry_out, &b, runs, seconds);
    report(&b, folder, time, seconds, runs);
    state_memory_close(&b.memory);
    free(b.places);
    simt_program_free(b.program);
    machine_library_close(b.library);
    target_free(b.target);
    diag_flush(b.diag);
    diag_free(b.diag);
    return !b.failed;
}

int main(int count, char **arguments) {
    static const char *const folders[] = {"O2", "nvcc"}, *const times[] = {"none", "all", "one"};
    const size_t runs = count > 2 ? (size_t)atoi(arguments[2]) : 3;
    bool fine = true;
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        if (count > 1 && strcmp(arguments[1], "all") != 0 &&
            strcmp(arguments[1], workloads[i].name) != 0)
            continue;
        for (size_t f = 0; f < 2; f++)
            for (size_t t = 0; t < 3; t++)
                if (count < 4 || strcmp(arguments[3], times[t]) == 0)
                    fine &= measure(&workloads[i], folders[f], times[t], runs);
    }
    return !fine;
}
