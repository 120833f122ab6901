/* SPDX-License-Identifier: MIT
 * mpu-recipe expand: the micro-ops of an instruction, one a line, or its recipe in the notation. */
#include "recipe/map/map.h"
#include "recipe/set/uop_text.h"
#include "recipe/set/words.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"

/* Micro-ops begin behind the number and the section, and end before who issues them. */
#define UOP_COLUMN 40

static void print_uop(const struct target *target, const struct uop_list *list, size_t index,
                      struct str *out) {
    const struct uop *u = &list->data[index];
    struct str text = {0};
    recipe_uop_text(target, u, &text);
    str_printf(out, "%6zu %3u  %-*s  ", index, u->section, UOP_COLUMN, str_text(&text));
    if (recipe_word_goes_on(target, u))
        str_append(out, "with it\n");
    else if (u->pipelined)
        str_printf(out, "from %zu\n", index - u->forwarded);
    else
        str_append(out, "issued\n");
    str_free(&text);
}

static void print_heading(const struct recipe_source *source, const struct insn *insn, bool masked,
                          const struct recipe_count *count, struct str *out) {
    isa_users_format(&source->recipes->users, insn, NULL, out);
    str_printf(out, "%s on %s (%s)\n", masked ? ", masked," : "", source->target->name,
               recipe_origin(source->recipes, insn->op));
    str_printf(out,
               "micro-ops %llu: logic %llu, copies %llu, crossings %llu; scratch rows %u\n"
               "cycles %llu, from section to section %u, from start to start %llu; "
               "fJ a VRF %llu\n",
               (unsigned long long)count->micro_ops, (unsigned long long)count->logic,
               (unsigned long long)count->copies, (unsigned long long)count->crossings,
               count->scratch_rows, (unsigned long long)count->latency_cycles, count->handover,
               (unsigned long long)count->interval_cycles, (unsigned long long)count->energy_fj);
}

struct expanding {
    struct recipe_job *job;
    const struct recipe_source *source;
};

static void separate(struct str *out) {
    if (out->len)
        str_char(out, '\n');
}

struct slot_expanding {
    const struct expanding *expanding;
    const struct insn *insn;
};

/* Of a machine of another kind. */
static void expand_slot(void *context, unsigned slot) {
    const struct slot_expanding *x = context;
    const struct recipe_source *source = x->expanding->source;
    struct recipe_job *j = x->expanding->job;
    struct machine_figures f;
    struct str text = {0};
    if (!cost_figures(source, x->insn, slot, j->o->masked, &f, &text, j->d)) {
        job_fail(j, EXIT_REJECTED);
        return;
    }
    separate(&j->out);
    isa_users_format(source_users(source), x->insn, NULL, &j->out);
    str_printf(&j->out, "%s in slots of %u on %s (%s)\n", j->o->masked ? ", masked," : "", slot,
               source->target->name, f.origin);
    str_printf(&j->out, "commands %llu, words %llu; scratch rows %u; ps %llu; fJ a VRF %llu\n",
               (unsigned long long)f.commands, (unsigned long long)f.words, f.scratch,
               (unsigned long long)f.time_ps, (unsigned long long)f.energy_fj);
    str_append(&j->out, str_text(&text));
    str_free(&text);
}

static bool expand_slots(const struct expanding *x, const struct insn *insn) {
    struct slot_expanding slot = {x, insn};
    const struct recipe_options *o = x->job->o;
    if (!job_passes_over(x->source, insn->op))
        cost_each_slot(x->source, insn, o->slots.data, o->slots.len, expand_slot, &slot);
    return !diag_full(x->job->d);
}

static bool expand_form(void *context, const struct insn *insn) {
    const struct expanding *x = context;
    struct recipe_job *j = x->job;
    struct uop_list list = {0};
    struct recipe_count n;
    if (!x->source->recipes)
        return expand_slots(x, insn);
    if (cost_of(x->source, insn, j->o->masked, &list, &n, j->d)) {
        separate(&j->out);
        print_heading(x->source, insn, j->o->masked, &n, &j->out);
        for (size_t i = 0; i < list.len; i++)
            print_uop(x->source->target, &list, i, &j->out);
    } else {
        job_fail(j, EXIT_REJECTED);
    }
    vec_free(&list);
    return !diag_full(j->d);
}

/* The recipe is the same at every width. */
static void print_notation(struct recipe_job *job, const struct recipe_source *source) {
    for (size_t i = 0; i < job->o->forms.ops.len; i++) {
        separate(&job->out);
        if (!source->recipes) {
            source->library->machine->routine(source->library, job->o->forms.ops.data[i],
                                              &job->out);
            str_char(&job->out, '\n');
            continue;
        }
        notation_print(source->recipes,
                       recipe_of(source->recipes, job->o->forms.ops.data[i], job->d), &job->out);
    }
}

void command_expand(struct recipe_job *job) {
    for (size_t i = 0; i < job->sources.len; i++) {
        struct expanding x = {job, &job->sources.data[i]};
        size_t made = 1;
        if (!job_prepare(job, x.source))
            continue;
        if (job->o->notation)
            print_notation(job, x.source);
        else
            form_each(&job->o->forms, expand_form, &x, &made);
        if (made == 0)
            job_no_forms(job);
    }
}
