/* SPDX-License-Identifier: MIT
 * Rows of slots beside memcpy: commands on pairs of pLUTo, through the engine, in bytes a second of
 * operands and results, and what memcpy reads and writes of as many bytes. */
#include "bench/sample.h"

#include "machines/slot/run/machine.h"
#include "support/alloc.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHIP = 1024 /* pairs of a rank */, RUNS = 9, ROW_BYTES = 8192, LEAST_MB = 256 };
#define LAP_BYTES ((size_t)64 << 20) /* a measurement passes at least over so many */

enum command { AND, SHIFT, QUERY, QUERY_AVX2, COMMANDS };
static const struct {
    const char *name;
    unsigned rows;   /* of a pair, that it touches */
    unsigned passes; /* over them, by reading and by writing */
} commands[COMMANDS] = {
    {"and", 3, 3}, {"shift_1", 1, 2}, {"query_256", 2, 2}, {"query_256_avx2", 2, 2}};

struct bench {
    struct target *target;
    struct datapath *dp;
    struct dp_code *code;
    unsigned char *from, *to;
    size_t bytes; /* of each */
    uint32_t pairs;
    unsigned laps;
};

static void copy_rows(void *context) {
    struct bench *b = context;
    for (unsigned i = 0; i < b->laps; i++)
        for (size_t at = 0; at < b->bytes; at += ROW_BYTES)
            memcpy(b->to + at, b->from + at, ROW_BYTES);
}

static void copy_whole(void *context) {
    struct bench *b = context;
    for (unsigned i = 0; i < b->laps; i++)
        memcpy(b->to, b->from, b->bytes);
}

static void execute(void *context) {
    struct bench *b = context;
    const struct vrf_range all = {0, b->pairs};
    for (unsigned i = 0; i < b->laps; i++)
        slot_engine.execute(b->dp, b->code, (struct vrf_set){&all, 1}, (struct dp_moment){0, 0},
                            NULL);
}

/* A run of one command, on so many pairs.  False: it is not there. */
static bool open_machine(struct bench *b, enum command what, struct diag *d) {
    static uint64_t entries[256];
    const struct isa_lut table = {8, 8, entries};
    struct insn insn = {.op = OP_AND, .width = 64, .rs = 0, .rt = 1, .rd = 2};
    uint8_t bits = what < QUERY ? 64 : 8, regs[64] = {bits, bits, bits};
    const struct dp_setup setup = {.target = b->target,
                                   .mpus = (b->pairs + CHIP - 1) / CHIP,
                                   .lanes = ROW_BYTES * 8 / bits,
                                   .reg_bits = regs,
                                   .init = DP_INIT_RANDOM};
    const struct dp_run run = {.insns = &insn, .count = 1};
    for (unsigned i = 0; i < 256; i++)
        entries[i] = i * 7 + 3;
    if (what >= QUERY) {
        insn = (struct insn){.op = OP_LUT, .rs = 0, .rd = 1};
        isa_set_table(&insn, &table);
    }
    b->dp = slot_engine.open(&setup, d);
    for (uint32_t v = 0; b->dp && v < b->pairs; v++) {
        const struct dp_binding binding = {.vrf = v, .valid_lanes = setup.lanes};
        slot_engine.bind(b->dp, &binding, 1);
    }
    b->code = b->dp ? slot_engine.prepare(b->dp, &run, d) : NULL;
    if (!b->code || b->code->ops.len != 1)
        return false;
    if (what == SHIFT) /* of rd, in place */
        b->code->ops.data[0].command = (struct row_command){
            .kind = ROW_BIT_SHIFT_L, .dst = b->code->ops.data[0].command.dst, .count = 1};
    if (what == QUERY_AVX2) /* as hosts without AVX-512 have it */
        b->code->lookups.data[0].way = SLOT_BY_SHUFFLES;
    return true;
}

static double least_of(void (*work)(void *), struct bench *b, double least) {
    double seconds;
    sample_measure(work, b, 1, &seconds);
    return seconds < least ? seconds : least;
}

static void report(struct json *j, const char *command, const char *what, double number) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", command, what);
    sample_report_number(j, name, number);
}

/* A command and memcpy in turn, the best of each: what others do in caches and memory is the same
 * for both. */
static bool measure(struct bench *b, enum command what, size_t bytes, double *most_copied,
                    struct json *j, struct diag *d) {
    const unsigned rows = commands[what].rows, passes = commands[what].passes;
    double copied = 1e9, executed = 1e9;
    b->pairs = bytes ? (uint32_t)(bytes / rows / ROW_BYTES) : CHIP;
    bytes = (size_t)b->pairs * rows * ROW_BYTES;
    b->laps = (unsigned)(LAP_BYTES / bytes + 1);
    b->bytes = bytes / 2 / ROW_BYTES * ROW_BYTES;
    b->from = xmalloc_large(b->bytes);
    b->to = xmalloc_large(b->bytes);
    memset(b->from, 5, b->bytes);
    memset(b->to, 6, b->bytes);
    const bool good = open_machine(b, what, d);
    for (unsigned i = 0; good && i < RUNS; i++) {
        copied = least_of(copy_rows, b, least_of(copy_whole, b, copied));
        executed = least_of(execute, b, executed);
    }
    const double rate = (double)passes * b->pairs * ROW_BYTES * b->laps / executed,
                 copy = 2.0 * (double)b->bytes * b->laps / copied;
    report(j, commands[what].name, "G_bytes_per_s", rate * 1e-9);
    report(j, commands[what].name, "over_memcpy", rate / copy);
    *most_copied = copy > *most_copied ? copy : *most_copied;
    if (b->dp)
        slot_engine.close(b->dp);
    free(b->from);
    free(b->to);
    return good;
}

/* All commands on rows of so many bytes together; 0: of all pairs of a chip, whatever that is. */
static bool measure_all(struct bench *b, const char *name, size_t bytes, struct diag *d) {
    struct json *j = json_new_line();
    struct str text = {0};
    double copied = 0;
    bool good = true;
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "slot");
    json_string(j, "rows_in", name);
    json_u64(j, bytes ? "bytes" : "pairs", bytes ? bytes : CHIP);
    for (unsigned what = 0; good && what < COMMANDS; what++)
        if (what != QUERY_AVX2 || slot_way_is_there(SLOT_BY_SHUFFLES))
            good = measure(b, (enum command)what, bytes, &copied, j, d);
    sample_report_number(j, "memcpy_G_bytes_per_s", copied * 1e-9);
    json_object_end(j);
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    fflush(stdout);
    str_free(&text);
    return good;
}

static size_t cache_bytes(unsigned level, size_t otherwise) {
    const size_t bytes = sample_cache_bytes(level);
    return bytes ? bytes : otherwise;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench b = {.target = target_open("pluto-bsa", NULL, 0, d)};
    const size_t second = cache_bytes(2, (size_t)1 << 20), third = cache_bytes(3, (size_t)32 << 20),
                 memory = 8 * third > (size_t)LEAST_MB << 20 ? 8 * third : (size_t)LEAST_MB << 20;
    const bool good = b.target && measure_all(&b, "second_level_cache", second / 2, d) &&
                      measure_all(&b, "third_level_cache", third / 4, d) &&
                      measure_all(&b, "chip", 0, d) && measure_all(&b, "memory", memory, d);
    if (!good)
        fprintf(stderr, "bench_slot: %s\n",
                diag_first(d) ? diag_first(d) : "the commands are not what is measured");
    target_free(b.target);
    diag_free(d);
    return good ? 0 : 1;
}
