/* SPDX-License-Identifier: MIT
 * How fast the strict engine carries out words of many gates, beside a model of 32-bit words: one
 * JSON object on one line.  README.md says what the numbers mean. */
#include "bench/sample.h"
#include "bench/word_model.h"
#include "machines/plane/run/insn_forms.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 15, CROSSBARS = 1024, REGISTERS = 3, MAX_UOPS = 1 << 16 };

struct bench {
    struct target *target;
    struct datapath *dp;
    struct dp_code *code;
    struct vrf_range range;
    struct model_word words[MAX_UOPS];
    size_t word_count;
    struct model_crossbar *crossbars; /* [CROSSBARS] */
};

static void run_engine(void *context) {
    struct bench *b = context;
    b->dp->ops->execute(b->dp, b->code, (struct vrf_set){&b->range, 1}, (struct dp_moment){0},
                        NULL);
}

static void run_model(void *context) {
    struct bench *b = context;
    model_run(b->words, b->word_count, b->crossbars, CROSSBARS);
}

/* Both begin with the same registers. */
static void copy_to_model(struct bench *bench) {
    uint64_t values[MODEL_LANES];
    for (uint32_t v = 0; v < CROSSBARS; v++)
        for (unsigned r = 0; r < REGISTERS; r++) {
            bench->dp->ops->get(bench->dp, v, DP_REGISTER, r, 0, MODEL_LANES, values);
            for (unsigned i = 0; i < MODEL_LANES; i++)
                bench->crossbars[v].cells[r][i] = (uint32_t)values[i];
        }
}

static bool results_are_equal(struct bench *bench) {
    uint64_t values[MODEL_LANES];
    for (uint32_t v = 0; v < CROSSBARS; v++) {
        bench->dp->ops->get(bench->dp, v, DP_REGISTER, 2, 0, MODEL_LANES, values);
        for (unsigned i = 0; i < MODEL_LANES; i++)
            if (bench->crossbars[v].cells[2][i] != (uint32_t)values[i])
                return false;
    }
    return true;
}

static bool bench_insn(struct bench *bench, enum isa_op op, struct json *json, struct diag *diag) {
    struct insn insn = {.op = op, .width = 32, .rs = 0, .rt = 1, .rd = 2};
    struct dp_run run = {&insn, 1, false, 0};
    double seconds[RUNS];
    bench->code = bench->dp->ops->prepare(bench->dp, &run, diag);
    if (!bench->code || bench->code->forms[0]->uop_count > MAX_UOPS)
        return false;
    size_t gates = bench->code->forms[0]->uop_count;
    bench->word_count =
        model_words(bench->target, bench->code->forms[0]->uops, gates, REGISTERS, bench->words);
    double rows = (double)gates * CROSSBARS * MODEL_LANES;
    double words = (double)bench->word_count * CROSSBARS;
    json_object_begin(json, isa_info(op)->name);
    json_u64(json, "words", bench->word_count);
    json_u64(json, "gates", gates);
    copy_to_model(bench);
    sample_measure(run_engine, bench, RUNS, seconds);
    sample_report(json, "engine_G_row_gates_per_s", seconds, RUNS, rows * 1e-9, 0);
    sample_report(json, "engine_M_crossbar_words_per_s", seconds, RUNS, words * 1e-6, 0);
    sample_measure(run_model, bench, RUNS, seconds);
    sample_report(json, "model_M_crossbar_words_per_s", seconds, RUNS, words * 1e-6, 0);
    json_object_end(json);
    return bench->word_count && results_are_equal(bench);
}

static bool open_machine(struct bench *bench, struct diag *diag) {
    static const uint8_t bits[64] = {32, 32, 32};
    uint32_t per_mpu = target_vrfs_per_mpu(bench->target);
    struct dp_setup setup = {.target = bench->target,
                             .mpus = (CROSSBARS + per_mpu - 1) / per_mpu,
                             .reg_bits = bits,
                             .init = DP_INIT_RANDOM,
                             .seed = 1};
    bench->dp = plane_open_with(&setup, NULL, true, diag);
    bench->range = (struct vrf_range){0, CROSSBARS};
    for (uint32_t v = 0; bench->dp && v < CROSSBARS; v++) {
        struct dp_binding binding = {.vrf = v, .valid_lanes = bench->target->lanes};
        bench->dp->ops->bind(bench->dp, &binding, 1);
    }
    return bench->dp != NULL;
}

static bool bench_all(struct bench *bench, struct json *json, struct diag *diag) {
    static const enum isa_op ops[] = {OP_ADD, OP_XOR, OP_MUL, OP_QDIV};
    bool good = open_machine(bench, diag);
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "crossbar");
    json_string(json, "target", bench->target->name);
    json_u64(json, "crossbars", CROSSBARS);
    json_u64(json, "runs", RUNS);
    sample_report_machine(json);
    for (size_t i = 0; i < sizeof ops / sizeof *ops && good; i++)
        good = bench_insn(bench, ops[i], json, diag);
    json_object_end(json);
    if (bench->dp)
        bench->dp->ops->close(bench->dp);
    return good;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    struct bench *b = xcalloc(1, sizeof *b);
    struct json *j = json_new_line();
    struct str text = {0};
    b->target = target_open("pypim", NULL, 0, d);
    b->crossbars = xcalloc(CROSSBARS, sizeof *b->crossbars);
    bool good = b->target && bench_all(b, j, d);
    json_finish(j, &text);
    if (good)
        fputs(str_text(&text), stdout);
    else
        fprintf(stderr, "bench_crossbar: %s\n",
                diag_first(d) ? diag_first(d) : "engine and model differ");
    str_free(&text);
    free(b->crossbars);
    target_free(b->target);
    free(b);
    diag_free(d);
    return good ? 0 : 1;
}
