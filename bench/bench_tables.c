/* SPDX-License-Identifier: MIT
 * How long tables take to become recipes, and templates: one JSON object a line.  README.md says
 * what the numbers mean. */
#include "bench/sample.h"
#include "recipe/lut/lut.h"
#include "recipe/table/table.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const machines[] = {"racer", "mimdram", "duality-cache"};
/* Bits of the index, and of the elements; the last two are refused by some machines, or all. */
static const uint8_t sizes[][2] = {{4, 4}, {8, 8}, {10, 10}, {12, 12}, {14, 14}, {16, 16}};

static struct insn random_table(unsigned k, unsigned w, struct isa_lut *table) {
    uint64_t *entries = xcalloc((size_t)1 << k, sizeof *entries), seed = 1;
    struct insn insn = {.op = OP_LUT, .rs = 1, .rd = 2};
    for (uint32_t i = 0; i < 1u << k; i++)
        entries[i] = splitmix64(&seed) & low_bits(w);
    *table = (struct isa_lut){(uint8_t)k, (uint8_t)w, entries};
    isa_set_table(&insn, table);
    return insn;
}

static void report(struct json *json, const struct recipe_set *set, const struct insn *insn) {
    struct lut_report made = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    double start = sample_cpu_seconds();
    bool fine = lut_map((struct recipe_set *)(uintptr_t)set, insn->table, insn->table->index_bits,
                        insn->width, recipe_expand_with, &made, quiet) != NULL;
    sample_report_number(json, "map_seconds", sample_cpu_seconds() - start);
    json_string(json, "way", fine ? made.way : "refused");
    if (fine) {
        json_u64(json, "gates", made.gates);
        json_u64(json, "carried_out", made.carried_out);
        json_u64(json, "micro_ops", made.micro_ops);
    }
    diag_free(quiet);
}

static bool bench_table(const char *machine, unsigned k, unsigned w, struct diag *diag) {
    struct target *t = target_open(machine, NULL, 0, diag);
    struct recipe_set *s = t ? recipe_set_open(t, diag) : NULL;
    struct isa_lut table;
    struct insn insn = random_table(k, w, &table);
    struct str text = {0};
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "benchmark", "table");
    json_string(j, "target", machine);
    json_u64(j, "index_bits", k);
    json_u64(j, "element_bits", w);
    if (s)
        report(j, s, &insn);
    json_object_end(j);
    json_finish(j, &text);
    fputs(str_text(&text), stdout);
    fflush(stdout);
    str_free(&text);
    recipe_set_free(s);
    target_free(t);
    free((void *)(uintptr_t)table.entries);
    return s != NULL;
}

int main(void) {
    struct diag *d = diag_new(NULL, NULL);
    bool good = true;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++)
            good = bench_table(machines[m], sizes[i][0], sizes[i][1], d);
    diag_flush(d);
    if (!good)
        fprintf(stderr, "bench_tables: %s\n", diag_first(d) ? diag_first(d) : "failed");
    diag_free(d);
    return good ? 0 : 1;
}
