/* SPDX-License-Identifier: MIT
 * mpu-recipe count: one row for each target, instruction and width. */
#include "recipe/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/sheet.h"

void count_heading(struct recipe_sheet *t) {
    static const char *const names[COUNT_COLUMNS] = {
        "target",         "instruction",     "width",     "masked",
        "micro_ops",      "logic",           "crossings", "handover",
        "latency_cycles", "interval_cycles", "energy_fj", "scratch_rows"};
    for (unsigned i = 0; i < COUNT_COLUMNS; i++)
        table_text(t, names[i]);
}

void count_row(struct recipe_sheet *t, const struct recipe_source *s, const struct insn *insn,
               bool masked, const struct recipe_count *n) {
    struct str label = {0};
    form_label(insn, &s->recipes->users, &label);
    table_text(t, s->target->name);
    table_text(t, str_text(&label));
    const uint64_t numbers[] = {
        shown_width(insn), masked,         n->micro_ops,      n->logic,
        n->crossings,      n->handover,    n->latency_cycles, n->interval_cycles,
        n->energy_fj,      n->scratch_rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        table_number(t, numbers[i]);
    str_free(&label);
}

struct form_counting {
    struct recipe_job *job;
    const struct recipe_source *source;
    struct recipe_sheet table;
};

static bool count_form(void *context, const struct insn *insn) {
    struct form_counting *c = context;
    struct recipe_job *j = c->job;
    struct recipe_count n;
    if (job_passes_over(c->source, insn->op))
        return true;
    if (cost_count(c->source, insn, j->o->masked, &n, j->d))
        count_row(&c->table, c->source, insn, j->o->masked, &n);
    else
        job_fail(j, EXIT_REJECTED);
    return !diag_full(j->d);
}

/* What is not in the table although nobody said so. */
static void missing(struct recipe_job *j, const struct recipe_source *s) {
    size_t n = 0;
    for (unsigned op = 0; op < OP_COUNT && j->o->forms.ops.len == 0; op++) {
        if (!form_is_wanted(&j->o->forms, (enum mpu_op)op) ||
            recipe_exists(s->recipes, (enum mpu_op)op))
            continue;
        if (n++ == 0)
            str_printf(&j->out,
                       "not carried out by %s (mpu-recipe check says why):", s->target->name);
        str_append(&j->out, n > 1 ? ", " : " ");
        form_name((enum mpu_op)op, &s->recipes->users, &j->out);
    }
    if (n)
        str_char(&j->out, '\n');
}

static void print_counts(struct recipe_job *j, const struct recipe_sheet *t) {
    if (j->o->csv) {
        table_print_csv(t, &j->out);
        return;
    }
    table_print(t, &j->out);
    for (size_t i = 0; i < j->sources.len; i++)
        missing(j, &j->sources.data[i]);
}

void command_count(struct recipe_job *j) {
    struct form_counting c = {.job = j, .table = {.columns = COUNT_COLUMNS}};
    size_t made = 0;
    count_heading(&c.table);
    for (size_t i = 0; i < j->sources.len; i++) {
        c.source = &j->sources.data[i];
        if (job_prepare(j, c.source))
            form_each(&j->o->forms, count_form, &c, &made);
    }
    if (made == 0 && j->exit_code == EXIT_DONE)
        job_no_forms(j);
    print_counts(j, &c.table);
    table_free(&c.table);
}
