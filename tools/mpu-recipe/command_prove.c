/* SPDX-License-Identifier: MIT
 * mpu-recipe verify --prove: contracts for all operands, decided by an SMT solver. */
#include "recipe/prove/kept.h"
#include "recipe/prove/prove.h"
#include "recipe/prove/smt.h"
#include "support/file.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/cost.h"
#include "tools/mpu-recipe/progress.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* --- what is to be proved --- */

struct planning {
    struct recipe_job *job;
    const struct recipe_source *source;
    struct prove_tasks *tasks;
};

static bool plan_form(void *context, const struct insn *insn) {
    const struct planning *p = context;
    struct prove_task task = {.insn = *insn};
    if (p->job->o->forms.has_constant && !form_has_constant(insn->op))
        return true;
    vec_push(p->tasks, task);
    task.masked = true;
    if (!(isa_info(insn->op)->flags & ISA_UNMASKED))
        vec_push(p->tasks, task);
    return true;
}

static bool is_chosen(const struct recipe_job *job, const struct insn *insn) {
    const struct form_choice *f = &job->o->forms;
    bool width = f->widths.len == 0;
    for (size_t i = 0; i < f->widths.len; i++)
        width |= f->widths.data[i] == insn->width || insn->width == 0;
    return width && job_chooses(job, insn->op);
}

/* Named instructions at named widths, a constant or an alias: those, with and without a mask.  Else
 * what is chosen of the plan. */
static void plan(struct planning *planning) {
    const struct form_choice *f = &planning->job->o->forms;
    struct prove_tasks all = {0};
    if ((f->ops.len && f->widths.len) || f->has_constant || f->aliased) {
        form_each(f, plan_form, planning, NULL);
        return;
    }
    prove_plan(planning->source->recipes, planning->job->o->longer ? PROVE_FULL : PROVE_LINEAR,
               planning->job->o->every_form, &all);
    for (size_t i = 0; i < all.len; i++)
        if (is_chosen(planning->job, &all.data[i].insn))
            vec_push(planning->tasks, all.data[i]);
    vec_free(&all);
}

/* --- files --- */

/* "racer-SHLI-1.8-masked.smt2" */
static void smt_name(const struct planning *planning, const struct prove_task *task,
                     struct str *out) {
    struct str label = {0};
    form_label(&task->insn, &planning->source->recipes->users, &label);
    for (size_t i = 0; i < label.len; i++)
        label.text[i] = label.text[i] == ' ' ? '-' : label.text[i];
    str_printf(out, "%s/%s-%s.%u%s.smt2", planning->job->o->smt_folder,
               planning->source->target->name, str_text(&label), cost_shown_width(&task->insn),
               task->masked ? "-masked" : "");
    str_free(&label);
}

static void file_error(struct recipe_job *job, const char *path) {
    diag_error(job->d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    job_fail(job, EXIT_FILE);
}

static bool write_file(struct recipe_job *job, const char *path, const struct str *text) {
    bool fine = file_write(path, str_text(text), text->len);
    if (!fine)
        file_error(job, path);
    return fine;
}

/* The laws that a task relies on, "<name of the task>.law1.smt2"; how many. */
static unsigned emit_laws(const struct planning *planning, const struct prove_task *task,
                          const char *path) {
    struct str law = {0}, name = {0};
    unsigned count = 0;
    for (bool fine = true;
         fine && prove_smt_law(planning->source->recipes, &task->insn, count, &law); count++) {
        str_clear(&name);
        str_printf(&name, "%.*s.law%u.smt2", (int)(strlen(path) - strlen(".smt2")), path,
                   count + 1);
        fine = write_file(planning->job, name.text, &law);
        str_clear(&law);
    }
    str_free(&law);
    str_free(&name);
    return count;
}

/* Each micro-op has its definition, except where there are laws. */
static bool emit(const struct planning *planning, const struct prove_task *task) {
    struct recipe_job *j = planning->job;
    struct str path = {0}, text = {0};
    smt_name(planning, task, &path);
    unsigned laws = emit_laws(planning, task, path.text);
    unsigned form = (laws ? SMT_FOLDED : SMT_PLAIN) | (unsigned)(task->masked ? SMT_MASKED : 0);
    bool fine = prove_smt_write(planning->source->recipes, &task->insn, form, &text, j->d);
    if (!fine)
        job_fail(j, EXIT_REJECTED);
    else
        fine = write_file(j, path.text, &text);
    str_free(&path);
    str_free(&text);
    return fine;
}

static void emit_all(const struct planning *planning) {
    struct recipe_job *j = planning->job;
    size_t written = 0;
    if (mkdir(j->o->smt_folder, 0777) != 0 && errno != EEXIST) {
        file_error(j, j->o->smt_folder);
        return;
    }
    for (size_t i = 0; i < planning->tasks->len && j->exit_code != EXIT_FILE && !diag_full(j->d);
         i++)
        written += emit(planning, &planning->tasks->data[i]);
    str_printf(&j->out, "%s: %zu files in %s\n", planning->source->target->name, written,
               j->o->smt_folder);
}

/* --- proofs --- */

static bool has_solver(struct recipe_job *job, const struct prove_options *options) {
    char path[4096];
    if (prove_find_solver(options, path, sizeof path)) {
        tool_say(&job->o->cl, "solver: %s", path);
        return true;
    }
    if (options->solver)
        diag_error(job->d, NO_SPAN, "cannot find the solver '%s'", options->solver);
    else
        diag_error(job->d, NO_SPAN, "nothing is proved: no SMT solver is installed");
    struct str known = {0};
    for (const char *const *name = prove_solvers(); *name; name++)
        str_printf(&known, "%s%s", known.len ? ", " : "", *name);
    diag_note(job->d, NO_SPAN,
              "solvers that are known: %s; --emit-smt writes the files for any other",
              str_text(&known));
    str_free(&known);
    job_fail(job, EXIT_REJECTED);
    return false;
}

static bool show(void *context, const struct prove_task *task, size_t index, size_t count) {
    const struct planning *p = context;
    struct recipe_job *j = p->job;
    struct str label = {0};
    form_label(&task->insn, &p->source->recipes->users, &label);
    progress_show("%s: %zu of %zu proofs", p->source->target->name, index + 1, count);
    tool_say(&j->o->cl, "%s.%u%s: %s in %.2f s", str_text(&label), cost_shown_width(&task->insn),
             task->masked ? " masked" : "", prove_result_text(task->result), task->seconds);
    str_free(&label);
    return true;
}

static void summarize(const struct planning *planning) {
    struct str *out = &planning->job->out;
    size_t results[PROVE_RESULTS] = {0}, kept = 0;
    for (size_t i = 0; i < planning->tasks->len; i++) {
        results[planning->tasks->data[i].result]++;
        kept += planning->tasks->data[i].kept;
    }
    str_printf(out, "%s:", planning->source->target->name);
    const char *separator = " ";
    for (unsigned r = 0; r < PROVE_RESULTS; r++)
        if (results[r] || r == PROVE_HOLDS) {
            str_printf(out, "%s%zu %s", separator, results[r],
                       prove_result_text((enum prove_result)r));
            separator = ", ";
        }
    if (kept)
        str_printf(out, " (%zu before)", kept);
    str_char(out, '\n');
    proved_print(planning->tasks, &planning->source->recipes->users, out);
}

/* What is neither proved nor refuted has no message of its own. */
static void report_undecided(const struct planning *planning) {
    struct recipe_job *j = planning->job;
    size_t n = 0;
    for (size_t i = 0; i < planning->tasks->len; i++)
        n += planning->tasks->data[i].result == PROVE_TIMEOUT ||
             planning->tasks->data[i].result == PROVE_UNKNOWN;
    if (n)
        diag_error(j->d, NO_SPAN, "target '%s': %zu of %zu not decided; the limit of one is %u s",
                   planning->source->target->name, n, planning->tasks->len, j->o->timeout_s);
}

static bool open_kept(struct recipe_job *job, struct prove_options *options) {
    options->kept = job->o->kept ? prove_kept_open(job->o->kept) : NULL;
    if (options->kept || !job->o->kept)
        return true;
    diag_error(job->d, NO_SPAN, "cannot read '%s': %s", job->o->kept, strerror(errno));
    job_fail(job, EXIT_FILE);
    return false;
}

static void prove_tasks_of(struct planning *planning) {
    struct recipe_job *j = planning->job;
    struct prove_options options = {.solver = j->o->solver, .seconds = j->o->timeout_s};
    if (!has_solver(j, &options) || !open_kept(j, &options))
        return;
    bool fine =
        prove_all(planning->source->recipes, planning->tasks, &options, show, planning, j->d);
    progress_clear();
    prove_kept_close(options.kept);
    if (!fine) {
        job_fail(j, EXIT_REJECTED);
        report_undecided(planning);
    }
    summarize(planning);
}

static void prove_source(struct recipe_job *job, const struct recipe_source *source) {
    struct prove_tasks tasks = {0};
    struct recipe_source own = *source;
    struct planning p = {job, &own, &tasks};
    struct program_recipes *program = NULL;
    if (job->program && (program = program_plan(job, source, &tasks)))
        own.recipes = program_set(program);
    if (!job->program)
        plan(&p);
    if (tasks.len == 0 && job->exit_code == EXIT_DONE)
        job_no_forms(job);
    if (job->exit_code == EXIT_DONE && job->o->smt_folder)
        emit_all(&p);
    if (job->exit_code == EXIT_DONE && job->o->prove)
        prove_tasks_of(&p);
    vec_free(&tasks);
    program_free(program);
}

void command_prove(struct recipe_job *job) {
    for (size_t i = 0; i < job->sources.len; i++)
        if (job_prepare(job, &job->sources.data[i]))
            prove_source(job, &job->sources.data[i]);
}
