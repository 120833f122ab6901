/* SPDX-License-Identifier: MIT
 * mpu-recipe count: one row for each target, instruction and width. */
#include "recipe/set/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/meter.h"
#include "tools/mpu-recipe/sheet.h"

#include <string.h>

/* Where some target has slots, a column for these behind the width. */
enum { COUNT_COLUMNS = 12, COUNT_SLOT = 3 };

struct form_counting {
    struct recipe_job *job;
    const struct recipe_source *source;
    struct recipe_sheet table;
    bool slots; /* there is a column */
    bool some;  /* an instruction was counted in some slot */
};

static void command_count_heading(struct form_counting *counting) {
    struct recipe_sheet *sheet = &counting->table;
    static const char *const names[COUNT_COLUMNS] = {
        "target",         "instruction",     "width",     "masked",
        "micro_ops",      "logic",           "crossings", "handover",
        "latency_cycles", "interval_cycles", "energy_fj", "scratch_rows"};
    for (unsigned i = 0; i < COUNT_COLUMNS; i++) {
        if (i == COUNT_SLOT && counting->slots)
            sheet_text(sheet, "slot");
        sheet_text(sheet, names[i]);
    }
}

/* What tables begin with; slot NULL: the machine has none. */
static void command_count_name(struct form_counting *counting, const struct insn *insn,
                               const char *slot) {
    const struct recipe_source *s = counting->source;
    struct recipe_sheet *sheet = &counting->table;
    struct str label = {0};
    form_label(insn, source_users(s), &label);
    sheet_text(sheet, s->target->name);
    sheet_text(sheet, str_text(&label));
    sheet_number(sheet, cost_shown_width(insn));
    if (counting->slots)
        sheet_text(sheet, slot ? slot : "-");
    sheet_number(sheet, counting->job->o->masked);
    str_free(&label);
}

static void command_count_row(struct form_counting *counting, const struct insn *insn,
                              const struct recipe_count *count) {
    command_count_name(counting, insn, NULL);
    const uint64_t numbers[] = {count->micro_ops, count->logic,          count->crossings,
                                count->handover,  count->latency_cycles, count->interval_cycles,
                                count->energy_fj, count->scratch_rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sheet_number(&counting->table, numbers[i]);
}

/* What has no recipe says no more, but for the scratch rows of a kind with programs to show. */
static void metered_row(struct form_counting *counting, const struct insn *insn, const char *slot,
                        const struct meter_cost *cost) {
    struct recipe_sheet *sheet = &counting->table;
    command_count_name(counting, insn, slot);
    sheet_number(sheet, cost->micro_ops);
    for (unsigned i = 0; i < 3; i++)
        sheet_text(sheet, "-");
    sheet_number(sheet, cost->latency_cycles);
    sheet_text(sheet, "-");
    sheet_number(sheet, cost->energy_fj);
    if (counting->source->library->machine->figures)
        sheet_number(sheet, cost->scratch_rows);
    else
        sheet_text(sheet, "-");
}

/* Slots that cost the same, one after another, have one row. */
static bool meter_form(struct form_counting *counting, const struct insn *insn) {
    struct recipe_job *j = counting->job;
    const struct recipe_source *s = counting->source;
    const struct meter_slots slots = meter_slots_of(s, j->o->slots.data, j->o->slots.len);
    struct meter_cost costs[65];
    unsigned first = 0, n = 0;
    while (slots.bits[first] && !meter_fits(slots.bits[first], insn))
        first++;
    for (n = first; slots.bits[n]; n++)
        if (!meter_read(s, slots.bits[n], insn, j->o->masked, &costs[n], j->d))
            return false;
    for (unsigned i = first, k; i < n; i = k) {
        struct str text = {0};
        for (k = i + 1; k < n && memcmp(&costs[k], &costs[i], sizeof *costs) == 0;)
            k++;
        meter_slots_text(&slots, i, k - i, &text);
        metered_row(counting, insn, s->library->machine->slots ? str_text(&text) : NULL, &costs[i]);
        str_free(&text);
    }
    counting->some |= n > first;
    return true;
}

static bool count_form(void *context, const struct insn *insn) {
    struct form_counting *c = context;
    struct recipe_job *j = c->job;
    struct recipe_count n;
    if (job_passes_over(c->source, insn->op))
        return true;
    if (!c->source->recipes) {
        if (!meter_form(c, insn))
            job_fail(j, EXIT_REJECTED);
        return !diag_full(j->d);
    }
    c->some = true;
    if (cost_count(c->source, insn, j->o->masked, &n, j->d))
        command_count_row(c, insn, &n);
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
        c.slots |= job->sources.data[i].library->machine->slots != NULL;
    c.table.columns += c.slots;
    command_count_heading(&c);
    for (size_t i = 0; i < job->sources.len; i++) {
        c.source = &job->sources.data[i];
        if (job_prepare(job, c.source))
            form_each(&job->o->forms, count_form, &c, &made);
    }
    if ((made == 0 || (c.slots && !c.some)) && job->exit_code == EXIT_DONE)
        job_no_forms(job);
    print_counts(job, &c.table);
    sheet_free(&c.table);
}
