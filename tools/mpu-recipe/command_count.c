/* SPDX-License-Identifier: MIT
 * mpu-recipe count: one row for each target, instruction and width. */
#include "recipe/set/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/sheet.h"

/* The last three are for machines of other kinds, and there with one of them alone. */
enum { COUNT_COLUMNS = 12, ALL_COLUMNS = 15 };

static void command_count_heading(struct recipe_sheet *sheet) {
    static const char *const names[ALL_COLUMNS] = {
        "target",    "instruction",  "width",    "masked",         "micro_ops",
        "logic",     "crossings",    "handover", "latency_cycles", "interval_cycles",
        "energy_fj", "scratch_rows", "slot",     "words",          "time_ps"};
    for (unsigned i = 0; i < sheet->columns; i++)
        sheet_text(sheet, names[i]);
}

static void command_count_row(struct recipe_sheet *sheet, const struct recipe_source *source,
                              const struct insn *insn, bool masked,
                              const struct recipe_count *count) {
    struct str label = {0};
    form_label(insn, &source->recipes->users, &label);
    sheet_text(sheet, source->target->name);
    sheet_text(sheet, str_text(&label));
    const uint64_t numbers[] = {cost_shown_width(insn), masked,
                                count->micro_ops,       count->logic,
                                count->crossings,       count->handover,
                                count->latency_cycles,  count->interval_cycles,
                                count->energy_fj,       count->scratch_rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sheet_number(sheet, numbers[i]);
    for (unsigned i = COUNT_COLUMNS; i < sheet->columns; i++)
        sheet_text(sheet, "");
    str_free(&label);
}

struct form_counting {
    struct recipe_job *job;
    const struct recipe_source *source;
    struct recipe_sheet table;
};

struct slot_counting {
    struct form_counting *counting;
    const struct insn *insn;
};

/* Of a machine of another kind, which has no sections and no cycles. */
static void count_slot(void *context, unsigned slot) {
    const struct slot_counting *x = context;
    const struct form_counting *c = x->counting;
    struct recipe_job *j = c->job;
    struct recipe_sheet *sheet = &x->counting->table;
    struct machine_figures f;
    struct str label = {0};
    if (!cost_figures(c->source, x->insn, slot, j->o->masked, &f, NULL, j->d)) {
        job_fail(j, EXIT_REJECTED);
        return;
    }
    form_label(x->insn, source_users(c->source), &label);
    sheet_text(sheet, c->source->target->name);
    sheet_text(sheet, str_text(&label));
    sheet_number(sheet, cost_shown_width(x->insn));
    sheet_number(sheet, j->o->masked);
    sheet_number(sheet, f.commands);
    for (unsigned i = 0; i < 5; i++)
        sheet_text(sheet, "");
    sheet_number(sheet, f.energy_fj);
    sheet_number(sheet, f.scratch);
    sheet_number(sheet, slot);
    sheet_number(sheet, f.words);
    sheet_number(sheet, f.time_ps);
    str_free(&label);
}

static bool count_form(void *context, const struct insn *insn) {
    struct form_counting *c = context;
    struct recipe_job *j = c->job;
    struct recipe_count n;
    if (job_passes_over(c->source, insn->op))
        return true;
    if (!c->source->recipes) {
        struct slot_counting x = {c, insn};
        cost_each_slot(c->source, insn, j->o->slots.data, j->o->slots.len, count_slot, &x);
    } else if (cost_count(c->source, insn, j->o->masked, &n, j->d))
        command_count_row(&c->table, c->source, insn, j->o->masked, &n);
    else
        job_fail(j, EXIT_REJECTED);
    return !diag_full(j->d);
}

/* What is not in the table although nobody said so. */
static void missing(struct recipe_job *job, const struct recipe_source *source) {
    size_t n = 0;
    for (unsigned op = 0; op < OP_COUNT && job->o->forms.ops.len == 0; op++) {
        if (!form_is_wanted(&job->o->forms, (enum isa_op)op) ||
            !job_passes_over(source, (enum isa_op)op))
            continue;
        if (n++ == 0)
            str_printf(&job->out,
                       "not carried out by %s (mpu-recipe %s says why):", source->target->name,
                       source->recipes ? "check" : "count --op");
        str_append(&job->out, n > 1 ? ", " : " ");
        form_name((enum isa_op)op, source_users(source), &job->out);
    }
    if (n)
        str_char(&job->out, '\n');
}

static void print_counts(struct recipe_job *job, const struct recipe_sheet *sheet) {
    if (job->o->csv) {
        sheet_print_csv(sheet, &job->out);
        return;
    }
    sheet_print(sheet, &job->out);
    for (size_t i = 0; i < job->sources.len; i++)
        missing(job, &job->sources.data[i]);
}

void command_count(struct recipe_job *job) {
    struct form_counting c = {.job = job, .table = {.columns = COUNT_COLUMNS}};
    size_t made = 0;
    for (size_t i = 0; i < job->sources.len; i++)
        if (!job->sources.data[i].recipes)
            c.table.columns = ALL_COLUMNS;
    command_count_heading(&c.table);
    for (size_t i = 0; i < job->sources.len; i++) {
        c.source = &job->sources.data[i];
        if (job_prepare(job, c.source))
            form_each(&job->o->forms, count_form, &c, &made);
    }
    if (made == 0 && job->exit_code == EXIT_DONE)
        job_no_forms(job);
    print_counts(job, &c.table);
    sheet_free(&c.table);
}
