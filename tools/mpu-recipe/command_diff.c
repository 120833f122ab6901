/* SPDX-License-Identifier: MIT
 * mpu-recipe diff: where two sets of recipes cost differently. */
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/meter.h"
#include "tools/mpu-recipe/sheet.h"

#include <math.h>
#include <string.h>

enum { DIFF_COLUMNS = 11, DIFF_SLOT = 2 };

struct recipe_diff {
    struct recipe_job *job;
    struct recipe_source sides[2];
    struct recipe_sheet
        table; /* where a side has slots, with a column for these behind the width */
    bool slots;
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
static const char *target_of(const struct recipe_job *job, size_t side) {
    const char *operand = job->o->operands.data[side], *other = job->o->operands.data[1 - side];
    if (is_target(operand))
        return operand;
    return job->o->target_given || !is_target(other) ? job->o->targets.data[0] : other;
}

static enum exit_code open_side(struct recipe_diff *diff, size_t side) {
    struct recipe_job *j = diff->job;
    const char *operand = j->o->operands.data[side];
    struct recipe_text text = {0};
    enum exit_code code = EXIT_DONE;
    if (is_recipe_file(operand))
        code = source_text_read(&text, operand, j->d);
    if (code == EXIT_DONE)
        code = source_open(&diff->sides[side], target_of(j, side),
                           &(struct source_choice){.overrides = j->o->overrides.data,
                                                   .override_count = j->o->overrides.len,
                                                   .mapped = is_mapped(operand),
                                                   .any = true,
                                                   .file = text.text ? &text : NULL},
                           j->d);
    source_text_free(&text);
    return code;
}

/* --- the table --- */

static void heading(struct recipe_diff *diff) {
    static const char *const names[DIFF_COLUMNS] = {
        "instruction",      "width",           "micro_ops_a",
        "micro_ops_b",      "micro_ops_ratio", "latency_cycles_a",
        "latency_cycles_b", "latency_ratio",   "energy_fj_a",
        "energy_fj_b",      "energy_ratio"};
    for (unsigned i = 0; i < DIFF_COLUMNS; i++) {
        if (i == DIFF_SLOT && diff->slots)
            sheet_text(&diff->table, "slot");
        sheet_text(&diff->table, names[i]);
    }
}

static void pair(struct recipe_sheet *sheet, uint64_t left, uint64_t right) {
    sheet_number(sheet, left);
    sheet_number(sheet, right);
    sheet_ratio(sheet, left, right);
}

static bool same(const struct recipe_count *left, const struct recipe_count *right) {
    return left->micro_ops == right->micro_ops && left->logic == right->logic &&
           left->copies == right->copies && left->crossings == right->crossings &&
           left->handover == right->handover && left->latency_cycles == right->latency_cycles &&
           left->interval_cycles == right->interval_cycles && left->energy_fj == right->energy_fj &&
           left->scratch_rows == right->scratch_rows;
}

static void row(struct recipe_diff *diff, const struct insn *insn, const char *slot,
                const struct recipe_count count[2]) {
    struct str label = {0};
    form_label(insn, diff->job->o->forms.users, &label);
    sheet_text(&diff->table, str_text(&label));
    sheet_number(&diff->table, cost_shown_width(insn));
    if (diff->slots)
        sheet_text(&diff->table, slot);
    pair(&diff->table, count[0].micro_ops, count[1].micro_ops);
    pair(&diff->table, count[0].latency_cycles, count[1].latency_cycles);
    pair(&diff->table, count[0].energy_fj, count[1].energy_fj);
    str_free(&label);
}

static bool tally(struct recipe_diff *diff, const struct recipe_count count[2]) {
    diff->compared++;
    if (count[0].micro_ops && count[1].micro_ops) {
        diff->log_sum += log((double)count[1].micro_ops / (double)count[0].micro_ops);
        diff->counted++;
    }
    bool differ = !same(&count[0], &count[1]);
    diff->different += differ;
    return differ;
}

/* Of a machine without recipes what it says. */
static bool count_side(struct recipe_diff *diff, unsigned side, unsigned slot,
                       const struct insn *insn, struct recipe_count *out) {
    const struct recipe_source *s = &diff->sides[side];
    const bool masked = diff->job->o->masked;
    struct meter_cost cost;
    if (s->recipes)
        return cost_count(s, insn, masked, out, diff->job->d);
    if (!s->library->machine->slots)
        slot = 64;
    *out = (struct recipe_count){0};
    if (!meter_read(s, slot, insn, masked, &cost, diff->job->d))
        return false;
    out->micro_ops = cost.micro_ops;
    out->latency_cycles = cost.latency_cycles;
    out->energy_fj = cost.energy_fj;
    return true;
}

/* Those of both sides, if both have some. */
static struct meter_slots slots_of(const struct recipe_diff *diff) {
    const struct recipe_options *o = diff->job->o;
    const struct recipe_source *a = &diff->sides[0], *b = &diff->sides[1];
    if (!a->library->machine->slots)
        return meter_slots_of(b, o->slots.data, o->slots.len);
    struct meter_slots of_a = meter_slots_of(a, o->slots.data, o->slots.len);
    return b->library->machine->slots
               ? meter_slots_of(b, of_a.bits, strlen((const char *)of_a.bits))
               : of_a;
}

/* Slots that cost the same on either side, one after another, have one row. */
static bool compare_slots(struct recipe_diff *diff, const struct insn *insn) {
    const struct meter_slots slots = slots_of(diff);
    struct recipe_count n[65][2];
    unsigned first = 0, end;
    while (slots.bits[first] && !meter_fits(slots.bits[first], insn))
        first++;
    for (end = first; slots.bits[end]; end++)
        for (unsigned i = 0; i < 2; i++)
            if (!count_side(diff, i, slots.bits[end], insn, &n[end][i]))
                return false;
    for (unsigned i = first, k; i < end; i = k) {
        struct str text = {0};
        bool differ = tally(diff, n[i]);
        for (k = i + 1; k < end && same(&n[k][0], &n[i][0]) && same(&n[k][1], &n[i][1]); k++)
            tally(diff, n[k]);
        meter_slots_text(&slots, i, k - i, &text);
        if (differ)
            row(diff, insn, str_text(&text), n[i]);
        str_free(&text);
    }
    return true;
}

static bool compare_form(void *context, const struct insn *insn) {
    struct recipe_diff *c = context;
    struct recipe_job *j = c->job;
    if (job_passes_over(&c->sides[0], insn->op) || job_passes_over(&c->sides[1], insn->op) ||
        compare_slots(c, insn))
        return true;
    job_fail(j, EXIT_REJECTED);
    return !diag_full(j->d);
}

static void describe(const struct recipe_diff *diff, unsigned side) {
    struct recipe_job *j = diff->job;
    const char *operand = j->o->operands.data[side];
    str_printf(&j->out, "%c: %s", "ab"[side], operand);
    if (!is_target(operand))
        str_printf(&j->out, " on %s", diff->sides[side].target->name);
    str_char(&j->out, '\n');
}

static void print_comparison(struct recipe_diff *diff) {
    struct recipe_job *j = diff->job;
    if (j->o->csv) {
        sheet_print_csv(&diff->table, &j->out);
        return;
    }
    describe(diff, 0);
    describe(diff, 1);
    if (diff->different)
        sheet_print(&diff->table, &j->out);
    str_printf(&j->out, "%zu of %zu differ", diff->different, diff->compared);
    if (diff->counted)
        str_printf(&j->out, "; micro-ops b/a, geometric mean of all: %.3f",
                   exp(diff->log_sum / (double)diff->counted));
    str_char(&j->out, '\n');
}

void command_diff(struct recipe_job *job) {
    struct recipe_diff c = {.job = job, .table = {.columns = DIFF_COLUMNS}};
    size_t made = 1;
    for (size_t i = 0; i < 2 && job->exit_code == EXIT_DONE; i++)
        job_fail(job, open_side(&c, i));
    if (job->exit_code == EXIT_DONE)
        job_own(job, &c.sides[is_recipe_file(job->o->operands.data[1])]);
    for (size_t i = 0; i < 2 && job->exit_code == EXIT_DONE; i++)
        job_prepare(job, &c.sides[i]);
    for (size_t i = 0; i < 2 && job->exit_code == EXIT_DONE; i++)
        c.slots |= c.sides[i].library->machine->slots != NULL;
    c.table.columns += c.slots;
    heading(&c);
    if (job->exit_code == EXIT_DONE)
        form_each(&job->o->forms, compare_form, &c, &made);
    if (made == 0)
        job_no_forms(job);
    if (job->exit_code == EXIT_DONE)
        print_comparison(&c);
    source_close(&c.sides[0]);
    source_close(&c.sides[1]);
    sheet_free(&c.table);
}
