/* SPDX-License-Identifier: MIT
 * mpu-recipe diff: where two sets of recipes cost differently. */
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/sheet.h"

#include <math.h>
#include <string.h>

#define DIFF_COLUMNS 11

struct recipe_diff {
    struct recipe_job *job;
    struct recipe_source sides[2];
    struct recipe_sheet table;
    size_t compared, different, counted;
    double log_sum; /* of the ratios of micro-ops */
};

/* --- what the operands name --- */

static bool is_mapped(const char *operand) {
    return strcmp(operand, "mapped") == 0;
}

static bool is_recipe_file(const char *operand) {
    size_t n = strlen(operand);
    return strcmp(operand, "-") == 0 || (n > 7 && strcmp(operand + n - 7, ".recipe") == 0);
}

static bool is_target(const char *operand) {
    return !is_mapped(operand) && !is_recipe_file(operand);
}

/* What names no target is for --target's or, without it, for that of the other side. */
static const char *target_of(const struct recipe_job *j, size_t side) {
    const char *operand = j->o->operands.data[side], *other = j->o->operands.data[1 - side];
    if (is_target(operand))
        return operand;
    return j->o->target_given || !is_target(other) ? j->o->targets.data[0] : other;
}

static enum exit_code open_side(struct recipe_diff *c, size_t side) {
    struct recipe_job *j = c->job;
    const char *operand = j->o->operands.data[side];
    struct recipe_text text = {0};
    enum exit_code code = EXIT_DONE;
    if (is_recipe_file(operand))
        code = recipe_text_read(&text, operand, j->d);
    if (code == EXIT_DONE)
        code = recipe_source_open(&c->sides[side], target_of(j, side), is_mapped(operand), false,
                                  text.text ? &text : NULL, j->d);
    recipe_text_free(&text);
    return code;
}

/* --- the table --- */

static void heading(struct recipe_sheet *t) {
    static const char *const names[DIFF_COLUMNS] = {
        "instruction",      "width",           "micro_ops_a",
        "micro_ops_b",      "micro_ops_ratio", "latency_cycles_a",
        "latency_cycles_b", "latency_ratio",   "energy_fj_a",
        "energy_fj_b",      "energy_ratio"};
    for (unsigned i = 0; i < DIFF_COLUMNS; i++)
        table_text(t, names[i]);
}

static void pair(struct recipe_sheet *t, uint64_t a, uint64_t b) {
    table_number(t, a);
    table_number(t, b);
    table_ratio(t, a, b);
}

static bool same(const struct recipe_count *a, const struct recipe_count *b) {
    return a->micro_ops == b->micro_ops && a->logic == b->logic && a->copies == b->copies &&
           a->crossings == b->crossings && a->handover == b->handover &&
           a->latency_cycles == b->latency_cycles && a->interval_cycles == b->interval_cycles &&
           a->energy_fj == b->energy_fj && a->scratch_rows == b->scratch_rows;
}

static void row(struct recipe_diff *c, const struct insn *insn, const struct recipe_count n[2]) {
    struct str label = {0};
    form_label(insn, c->job->o->forms.users, &label);
    table_text(&c->table, str_text(&label));
    table_number(&c->table, shown_width(insn));
    pair(&c->table, n[0].micro_ops, n[1].micro_ops);
    pair(&c->table, n[0].latency_cycles, n[1].latency_cycles);
    pair(&c->table, n[0].energy_fj, n[1].energy_fj);
    str_free(&label);
}

static void tally(struct recipe_diff *c, const struct insn *insn, const struct recipe_count n[2]) {
    c->compared++;
    if (n[0].micro_ops && n[1].micro_ops) {
        c->log_sum += log((double)n[1].micro_ops / (double)n[0].micro_ops);
        c->counted++;
    }
    if (same(&n[0], &n[1]))
        return;
    c->different++;
    row(c, insn, n);
}

static bool compare_form(void *context, const struct insn *insn) {
    struct recipe_diff *c = context;
    struct recipe_job *j = c->job;
    struct recipe_count n[2];
    if (job_passes_over(&c->sides[0], insn->op) || job_passes_over(&c->sides[1], insn->op))
        return true;
    for (unsigned i = 0; i < 2; i++)
        if (!cost_count(&c->sides[i], insn, j->o->masked, &n[i], j->d)) {
            job_fail(j, EXIT_REJECTED);
            return !diag_full(j->d);
        }
    tally(c, insn, n);
    return true;
}

static void describe(const struct recipe_diff *c, unsigned side) {
    struct recipe_job *j = c->job;
    const char *operand = j->o->operands.data[side];
    str_printf(&j->out, "%c: %s", "ab"[side], operand);
    if (!is_target(operand))
        str_printf(&j->out, " on %s", c->sides[side].target->name);
    str_char(&j->out, '\n');
}

static void print_comparison(struct recipe_diff *c) {
    struct recipe_job *j = c->job;
    if (j->o->csv) {
        table_print_csv(&c->table, &j->out);
        return;
    }
    describe(c, 0);
    describe(c, 1);
    if (c->different)
        table_print(&c->table, &j->out);
    str_printf(&j->out, "%zu of %zu differ", c->different, c->compared);
    if (c->counted)
        str_printf(&j->out, "; micro-ops b/a, geometric mean of all: %.3f",
                   exp(c->log_sum / (double)c->counted));
    str_char(&j->out, '\n');
}

void command_diff(struct recipe_job *j) {
    struct recipe_diff c = {.job = j, .table = {.columns = DIFF_COLUMNS}};
    size_t made = 1;
    heading(&c.table);
    for (size_t i = 0; i < 2 && j->exit_code == EXIT_DONE; i++)
        job_fail(j, open_side(&c, i));
    if (j->exit_code == EXIT_DONE)
        job_own(j, &c.sides[is_recipe_file(j->o->operands.data[1])]);
    for (size_t i = 0; i < 2 && j->exit_code == EXIT_DONE; i++)
        job_prepare(j, &c.sides[i]);
    if (j->exit_code == EXIT_DONE)
        form_each(&j->o->forms, compare_form, &c, &made);
    if (made == 0)
        job_no_forms(j);
    if (j->exit_code == EXIT_DONE)
        print_comparison(&c);
    recipe_source_close(&c.sides[0]);
    recipe_source_close(&c.sides[1]);
    table_free(&c.table);
}
