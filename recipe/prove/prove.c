/* SPDX-License-Identifier: MIT
 * Tasks go to the solver file by file; what it does not decide in time is unknown, never proved. */
#include "recipe/prove/prove.h"

#include "recipe/prove/smt.h"
#include "recipe/prove/kept.h"
#include "recipe/prove/solver.h"

#include "support/bits.h"
#include "support/file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* What one start of the solver gets at most. */
#define BATCH_TASKS 256
#define BATCH_BYTES (8u << 20)

const char *prove_result_text(enum prove_result result) {
    static const char *const texts[PROVE_RESULTS] = {"proved",    "refuted",   "time limit",
                                                     "undecided", "no solver", "error"};
    return texts[result];
}

const char *const *prove_solvers(void) {
    return prove_solver_names();
}

bool prove_find_solver(const struct prove_options *options, char *path, size_t size) {
    if (options && options->solver)
        return prove_solver_find(options->solver, path, size);
    for (const char *const *name = prove_solver_names(); *name; name++)
        if (prove_solver_find(*name, path, size))
            return true;
    return false;
}

struct prover {
    const struct recipe_set *set;
    struct prove_tasks *tasks;
    prove_progress *progress;
    void *context;
    struct diag *diag;
    char path[PATH_MAX], float_path[PATH_MAX]; /* the solver; the one of files with floats */
    double seconds;                            /* limit of one proof */
    struct kept_proofs *kept;
    bool stopped; /* by the caller */
};

static void name_task(const struct recipe_set *set, const struct prove_task *task,
                      struct str *out) {
    isa_users_format(&set->users, &task->insn, NULL, out);
    str_append(out, task->masked ? " under a mask" : "");
}

static void complain(const struct prover *prover, const struct prove_task *task, const char *what,
                     const char *detail) {
    struct str name = {0};
    name_task(prover->set, task, &name);
    if (prover->diag)
        diag_error(prover->diag, NO_SPAN, "%s on target '%s': %s%s", str_text(&name),
                   prover->set->target->name, what, detail);
    str_free(&name);
}

static void settle(struct prover *prover, size_t index, enum prove_result result, double seconds) {
    struct prove_task *t = &prover->tasks->data[index];
    t->result = result;
    t->seconds = seconds;
    if (prover->progress && !prover->stopped &&
        !prover->progress(prover->context, t, index, prover->tasks->len))
        prover->stopped = true;
}

/* --- operands that refute --- */

/* Reads "#x1f" or "#b101". */
static bool read_value(const char *text, uint64_t *values) {
    unsigned shift = text[1] == 'x' ? 4 : 1;
    *values = 0;
    if (text[0] != '#' || (text[1] != 'x' && text[1] != 'b'))
        return false;
    for (text += 2; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
        *values = *values << shift | (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return true;
}

static const char *const operand_names[] = {"rs", "rt", "rd", "C", "M"};

/* Which of them the file of a task defines. */
static bool has_operand(const struct insn *insn, unsigned index) {
    return index > FIELD_RD || (isa_info(insn->op)->flags & (READS_RS << index));
}

static void note_values(const struct prover *prover, const struct insn *insn, const char *answer) {
    struct str text = {0};
    char key[8];
    for (unsigned i = 0; i < sizeof operand_names / sizeof *operand_names; i++) {
        uint64_t v;
        snprintf(key, sizeof key, "(%s ", operand_names[i]);
        const char *at = has_operand(insn, i) ? strstr(answer, key) : NULL;
        if (at && read_value(at + strlen(key), &v))
            str_printf(&text, "%s%s = %llu", text.len ? ", " : "", operand_names[i],
                       (unsigned long long)v);
    }
    if (text.len && prover->diag)
        diag_note(prover->diag, NO_SPAN, "with %s", str_text(&text));
    str_free(&text);
}

static void ask_values(const struct insn *insn, struct str *text) {
    str_append(text, "(get-value (");
    for (unsigned i = 0; i < sizeof operand_names / sizeof *operand_names; i++)
        if (has_operand(insn, i))
            str_printf(text, "%s ", operand_names[i]);
    str_append(text, "))\n");
}

static enum prove_result result_of(enum solver_event event, const char *line) {
    if (event == SOLVER_LATE)
        return PROVE_TIMEOUT;
    if (event == SOLVER_LINE && strcmp(line, "unsat") == 0)
        return PROVE_HOLDS;
    return event == SOLVER_LINE && strcmp(line, "sat") == 0 ? PROVE_FAILS : PROVE_UNKNOWN;
}

/* The answer to a file that asks for operands, which are noted where there are some. */
static enum prove_result read_operands(const struct prover *prover, const struct prove_task *task,
                                       struct smt_solver *solver) {
    struct str line = {0}, answer = {0};
    double deadline = prove_solver_clock() + prover->seconds;
    enum solver_event event = prove_solver_read(solver, deadline, &line);
    enum prove_result result = result_of(event, str_text(&line));
    while (event == SOLVER_LINE && prove_solver_read(solver, deadline, &line) == SOLVER_LINE)
        str_append_n(&answer, line.text, line.len);
    if (result == PROVE_FAILS) {
        complain(prover, task, "the micro-ops do not keep the contract", "");
        note_values(prover, &task->insn, str_text(&answer));
    }
    str_free(&line);
    str_free(&answer);
    return result;
}

static const char *path_for(const struct prover *prover, const char *file) {
    return prove_smt_has_floats(file) ? prover->float_path : prover->path;
}

/* Asks once more, for operands that refute. */
static enum prove_result ask_operands(const struct prover *prover, const struct prove_task *task) {
    struct str text = {0};
    struct smt_solver solver;
    enum prove_result result = PROVE_UNKNOWN;
    enum smt_form form = task->masked ? SMT_PLAIN_MASKED : SMT_PLAIN;
    str_append(&text, "(set-option :produce-models true)\n");
    if (prove_smt_write(prover->set, &task->insn, form, &text, prover->diag)) {
        ask_values(&task->insn, &text);
        if (prove_solver_start(&solver, path_for(prover, text.text), text.text, text.len)) {
            result = read_operands(prover, task, &solver);
            prove_solver_stop(&solver);
        }
    }
    str_free(&text);
    return result;
}

/* The file of a task has a model: the contract is refuted, or no more than a lemma, which then
 * leaves it to the plain file. */
static enum prove_result refute(const struct prover *prover, const struct prove_task *task) {
    enum prove_result result = ask_operands(prover, task);
    if (result == PROVE_FAILS || prove_smt_has_lemmas(prover->set, &task->insn))
        return result;
    complain(prover, task, "the micro-ops do not keep the contract", "");
    return PROVE_FAILS;
}

/* --- proofs that are kept --- */

/* The hash of the task's file; false if there is none. */
static bool hash_task(const struct prover *prover, const struct prove_task *task, char hash[65]) {
    struct str file = {0};
    bool fine = prove_smt_write(prover->set, &task->insn, task->masked ? SMT_MASKED : SMT_LEMMAS,
                                &file, NULL);
    if (fine)
        sha256_hex(file.text, file.len, hash);
    str_free(&file);
    return fine;
}

static bool is_kept(const struct prover *prover, const struct prove_task *task) {
    char hash[65];
    return prover->kept && hash_task(prover, task, hash) && prove_kept_has(prover->kept, hash);
}

static void keep(const struct prover *prover, const struct prove_task *task) {
    char hash[65];
    struct str name = {0};
    str_printf(&name, "%s ", prover->set->target->name);
    name_task(prover->set, task, &name);
    if (prover->kept && task->result == PROVE_HOLDS && hash_task(prover, task, hash) &&
        !prove_kept_add(prover->kept, hash, str_text(&name)) && prover->diag)
        diag_error(prover->diag, NO_SPAN, "proofs cannot be kept: %s", strerror(errno));
    str_free(&name);
}

/* --- batches --- */

/* Tasks one after the other. */
struct task_batch {
    size_t first;
    size_t count;
    bool floats; /* all of them, or none: a solver is told which */
    struct str text;
};

/* Adds the file of a task; false if it cannot be written, or is of another logic. */
static bool add_task(const struct prover *prover, struct task_batch *batch, size_t index) {
    const struct prove_task *t = &prover->tasks->data[index];
    struct str file = {0};
    bool fine = prove_smt_write(prover->set, &t->insn, t->masked ? SMT_MASKED : SMT_LEMMAS, &file,
                                batch->count ? NULL : prover->diag);
    bool floats = prove_smt_has_floats(str_text(&file));
    if (!batch->count)
        batch->floats = floats;
    fine = fine && floats == batch->floats;
    if (fine) {
        str_append(&batch->text, batch->count ? "(reset)\n" : "");
        str_append_n(&batch->text, file.text, file.len);
        batch->count++;
    }
    str_free(&file);
    return fine;
}

/* An error ends it: the errors of a task that is not its first are reported when it is. */
static void fill_batch(const struct prover *prover, struct task_batch *batch) {
    const struct prove_tasks *all = prover->tasks;
    size_t next = batch->first;
    while (next < all->len && batch->count < BATCH_TASKS && batch->text.len < BATCH_BYTES &&
           (next == batch->first || !is_kept(prover, &all->data[next])) &&
           add_task(prover, batch, next))
        next++;
}

static enum prove_result read_answer(const struct prover *prover, const struct prove_task *task,
                                     const char *line) {
    if (strcmp(line, "unsat") == 0)
        return PROVE_HOLDS;
    if (strcmp(line, "sat") == 0)
        return PROVE_FAILS;
    if (strcmp(line, "unknown") == 0)
        return PROVE_UNKNOWN;
    complain(prover, task, "the solver says: ", line);
    return PROVE_ERROR;
}

/* The answers in their order, up to the first that is none; returns how many are settled. */
static size_t read_answers(struct prover *prover, struct smt_solver *solver,
                           const struct task_batch *batch) {
    struct str line = {0};
    size_t i = 0;
    bool answered = true;
    for (; i < batch->count && answered && !prover->stopped; i++) {
        const struct prove_task *t = &prover->tasks->data[batch->first + i];
        double start = prove_solver_clock();
        enum solver_event event = prove_solver_read(solver, start + prover->seconds, &line);
        enum prove_result result = PROVE_TIMEOUT;
        if (event == SOLVER_LINE) {
            result = read_answer(prover, t, str_text(&line));
        } else if (event == SOLVER_END) {
            complain(prover, t, "the solver ended without an answer", "");
            result = PROVE_ERROR;
        }
        answered = event == SOLVER_LINE && result != PROVE_ERROR;
        double seconds = prove_solver_clock() - start;
        if (result == PROVE_FAILS)
            result = refute(prover, t);
        settle(prover, batch->first + i, result, seconds);
    }
    str_free(&line);
    return i;
}

/* Proves what it can of a batch; returns how many tasks are settled, at least 1 if any. */
static size_t run_batch(struct prover *prover, const struct task_batch *batch) {
    struct smt_solver solver;
    if (!prove_solver_start(&solver, path_for(prover, str_text(&batch->text)),
                            str_text(&batch->text), batch->text.len)) {
        complain(prover, &prover->tasks->data[batch->first],
                 "the solver cannot be started: ", strerror(errno));
        for (size_t i = 0; i < batch->count; i++)
            settle(prover, batch->first + i, PROVE_NO_SOLVER, 0);
        return batch->count;
    }
    size_t settled = read_answers(prover, &solver, batch);
    prove_solver_stop(&solver);
    return settled;
}

/* From the task `first` on; returns the first one that is not settled. */
static size_t prove_some(struct prover *prover, size_t first) {
    struct task_batch b = {.first = first};
    size_t settled = 1;
    fill_batch(prover, &b);
    if (b.count)
        settled = run_batch(prover, &b);
    else
        settle(prover, first, PROVE_ERROR, 0);
    str_free(&b.text);
    return first + settled;
}

static bool find_solver(struct prover *prover, const struct prove_options *options) {
    bool chosen = options && options->solver;
    bool found = prove_find_solver(options, prover->path, sizeof prover->path);
    /* Of the two, z3 knows all formats, and decides them in a moment. */
    if (chosen || !prove_solver_find("z3", prover->float_path, sizeof prover->float_path))
        snprintf(prover->float_path, sizeof prover->float_path, "%s", prover->path);
    if (found)
        return true;
    if (prover->diag && options && options->solver)
        diag_error(prover->diag, NO_SPAN, "solver '%s' is not there: nothing is proved",
                   options->solver);
    else if (prover->diag)
        diag_error(prover->diag, NO_SPAN,
                   "no solver is installed (cvc5 or z3 in PATH): nothing is proved");
    return false;
}

static bool all_hold(const struct prove_tasks *tasks) {
    for (size_t i = 0; i < tasks->len; i++)
        if (tasks->data[i].result != PROVE_HOLDS)
            return false;
    return true;
}

bool prove_all(const struct recipe_set *set, struct prove_tasks *tasks,
               const struct prove_options *options, prove_progress *progress, void *context,
               struct diag *diag) {
    struct prover *p = xcalloc(1, sizeof *p);
    *p = (struct prover){
        .set = set, .tasks = tasks, .progress = progress, .context = context, .diag = diag};
    p->seconds = options && options->seconds ? options->seconds : 60;
    bool found = find_solver(p, options);
    for (size_t i = 0; i < tasks->len; i++) {
        tasks->data[i].result = found ? PROVE_UNKNOWN : PROVE_NO_SOLVER;
        tasks->data[i].seconds = 0;
    }
    p->kept = options ? options->kept : NULL;
    for (size_t next = 0; found && next < tasks->len && !p->stopped;) {
        size_t first = next;
        if (is_kept(p, &tasks->data[next])) {
            tasks->data[next].kept = true;
            settle(p, next++, PROVE_HOLDS, 0);
            continue;
        }
        next = prove_some(p, next);
        for (size_t i = first; i < next; i++)
            keep(p, &tasks->data[i]);
    }
    free(p);
    return all_hold(tasks);
}

enum prove_result prove_instruction(const struct recipe_set *set, const struct insn *insn,
                                    bool masked, const struct prove_options *options,
                                    double *seconds, struct diag *diag) {
    struct prove_task task = {.insn = *insn, .masked = masked};
    struct prove_tasks tasks = {&task, 1, 1};
    prove_all(set, &tasks, options, NULL, NULL, diag);
    if (seconds)
        *seconds = task.seconds;
    return task.result;
}
