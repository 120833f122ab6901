/* SPDX-License-Identifier: MIT
 * Rows of slots beside memcpy: commands on all 1,024 pairs of a rank of pLUTo, through the engine,
 * in bytes a second of operands and results. */
#include "bench/sample.h"

#include "machines/slot/run/machine.h"
#include "support/alloc.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VRFS = 1024, RUNS = 9, ROW_BYTES = 8192 };

struct bench {
    struct target *target;
    struct datapath *dp;
    struct dp_code *code;
    unsigned char *from, *to;
    size_t bytes;
};

static void copy(void *context) {
    struct bench *b = context;
    for (size_t at = 0; at < b->bytes; at += ROW_BYTES)
        memcpy(b->to + at, b->from + at, ROW_BYTES);
}

static void execute(void *context) {
    struct bench *b = context;
    const struct vrf_range all = {0, VRFS};
    slot_engine.execute(b->dp, b->code, (struct vrf_set){&all, 1}, (struct dp_moment){0, 0}, NULL);
}

/* One command on each VRF's rows. */
static void shift(void *context) {
    struct bench *b = context;
    struct slot_datapath *m = slot_datapath_of(b->dp);
    for (uint32_t v = 0; v < VRFS; v++)
        slot_shift(slot_row(m, slot_vrf(m, v), v, 0), m->row_words, 1, true);
}

static void open_machine(struct bench *b, uint8_t bits, const struct insn *insn, struct diag *d) {
    const uint8_t regs[64] = {bits, bits, bits};
    const struct dp_setup setup = {.target = b->target,
                                   .mpus = 1,
                                   .lanes = ROW_BYTES * 8 / bits,
                                   .reg_bits = regs,
                                   .init = DP_INIT_RANDOM};
    const struct dp_run run = {.insns = insn, .count = 1};
    b->dp = slot_engine.open(&setup, d);
    for (uint32_t v = 0; v < VRFS; v++) {
        const struct dp_binding binding = {.vrf = v, .valid_lanes = setup.lanes};
        slot_engine.bind(b->dp, &binding, 1);
    }
    b->code = slot_engine.prepare(b->dp, &run, d);
}

/* Rows that each command reads and writes, over memcpy's bytes a second. */
static void measure(struct bench *b, const char *key, void (*work)(void *), unsigned rows,
                    double copied, struct json *j) {
    double seconds[RUNS], least;
    sample_measure(work, b, RUNS, seconds);
    least = seconds[0];
    for (size_t i = 1; i < RUNS; i++)
        least = seconds[i] < least ? seconds[i] : least;
    double rate = (double)rows * VRFS * ROW_BYTES / least;
    char name[64];
    snprintf(name, sizeof name, "%s_G_bytes_per_s", key);
    sample_report_number(j, name, rate * 1e-9);
    snprintf(name, sizeof name, "%s_over_memcpy", key);
    sample_report_number(j, name, rate / copied);
}

static double measure_copy(struct bench *b, struct json *j) {
    double seconds[RUNS], least;
    b->bytes = (size_t)VRFS * ROW_BYTES;
    b->from = xmalloc(b->bytes);
    b->to = xmalloc(b->bytes);
    memset(b->from, 5, b->bytes);
    sample_measure(copy, b, RUNS, seconds);
    least = seconds[0];
    for (size_t i = 1; i < RUNS; i++)
        least = seconds[i] < least ? seconds[i] : least;
    free(b->from);
    free(b->to);
    double rate = 2.0 * (double)b->bytes / least;
    sample_report_number(j, "memcpy_G_bytes_per_s", rate * 1e-9);
    return rate;
}

static bool bench_all(struct bench *b, struct json *j, struct diag *d) {
    static uint64_t entries[256];
    const struct isa_lut table = {8, 8, entries};
    struct insn ands = {.op = OP_AND, .width = 64, .rs = 0, .rt = 1, .rd = 2},
                lut = {.op = OP_LUT, .rs = 0, .rd = 1};
    for (unsigned i = 0; i < 256; i++)
        entries[i] = i * 7 + 3;
    isa_set_table(&lut, &table);
    double copied = measure_copy(b, j);
    for (unsigned which = 0; which < 2; which++) {
        open_machine(b, which ? 8 : 64, which ? &lut : &ands, d);
        if (!b->dp || !b->code || b->code->ops.len != 1)
            return false;
        measure(b, which ? "query_256" : "and", execute, which ? 2 : 3, copied, j);
        if (which && slot_way_is_there(SLOT_BY_SHUFFLES)) { /* as hosts without AVX-512 have it */
            b->code->lookups.data[0].way = SLOT_BY_SHUFFLES;
            measure(b, "query_256_avx2", execute, 2, copied, j);
        }
        if (!which)
            measure(b, "shift_1", shift, 2, copied, j);
        slot_engine.close(b->dp);
    }
    return true;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench b = {0};
    struct json *j = json_new_line();
    struct str text = {0};
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "slot");
    b.target = target_open("pluto-bsa", NULL, 0, d);
    bool good = b.target && bench_all(&b, j, d);
    json_object_end(j);
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_slot: %s\n",
                diag_first(d) ? diag_first(d) : "the commands are not what is measured");
    str_free(&text);
    target_free(b.target);
    diag_free(d);
    return good ? 0 : 1;
}
