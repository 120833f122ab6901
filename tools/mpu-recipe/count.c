/* SPDX-License-Identifier: MIT
 * mpu-recipe count: one row for each target, instruction and width. */
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/table.h"

void count_heading(struct table *t) {
    static const char *const names[COUNT_COLUMNS] = {
        "target",         "instruction",     "width",     "masked",
        "micro_ops",      "logic",           "crossings", "handover",
        "latency_cycles", "interval_cycles", "energy_fj", "scratch_rows"};
    for (unsigned i = 0; i < COUNT_COLUMNS; i++)
        table_text(t, names[i]);
}

void count_row(struct table *t, const char *target, const struct insn *insn, bool masked,
               const struct recipe_count *n) {
    struct str label = {0};
    form_label(insn, &label);
    table_text(t, target);
    table_text(t, str_text(&label));
    const uint64_t numbers[] = {
        shown_width(insn), masked,         n->micro_ops,      n->logic,
        n->crossings,      n->handover,    n->latency_cycles, n->interval_cycles,
        n->energy_fj,      n->scratch_rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        table_number(t, numbers[i]);
    str_free(&label);
}

struct counting {
    struct job *job;
    const struct recipe_source *source;
    struct table table;
};

static bool count_form(void *context, const struct insn *insn) {
    struct counting *c = context;
    struct job *j = c->job;
    struct recipe_count n;
    if (job_passes_over(c->source, insn->op))
        return true;
    if (cost_count(c->source, insn, j->o->masked, &n, j->d))
        count_row(&c->table, c->source->target->name, insn, j->o->masked, &n);
    else
        job_fail(j, EXIT_REJECTED);
    return !diag_full(j->d);
}

void command_count(struct job *j) {
    struct counting c = {.job = j, .table = {.columns = COUNT_COLUMNS}};
    size_t made = 0;
    count_heading(&c.table);
    for (size_t i = 0; i < j->sources.len; i++) {
        c.source = &j->sources.data[i];
        if (job_prepare(j, c.source))
            form_each(&j->o->forms, count_form, &c, &made);
    }
    if (made == 0 && j->exit_code == EXIT_DONE)
        job_no_forms(j);
    if (j->o->csv)
        table_print_csv(&c.table, &j->out);
    else
        table_print(&c.table, &j->out);
    table_free(&c.table);
}
