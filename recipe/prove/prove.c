/* SPDX-License-Identifier: MIT */
#include "recipe/prove/prove.h"

#include "recipe/prove/smt.h"
#include "recipe/prove/solver.h"

#include "support/bits.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* What one start of the solver gets at most. */
#define BATCH_TASKS 256
#define BATCH_BYTES (8u << 20)

const char *prove_result_text(enum prove_result r) {
    static const char *const texts[PROVE_RESULTS] = {"proved",    "refuted",   "time limit",
                                                     "undecided", "no solver", "error"};
    return texts[r];
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
    char path[PATH_MAX];
    double seconds; /* limit of one proof */
    bool stopped;   /* by the caller */
};

static void name_task(const struct recipe_set *s, const struct prove_task *t, struct str *out) {
    isa_users_format(&s->users, &t->insn, NULL, out);
    str_append(out, t->masked ? " under a mask" : "");
}

static void complain(const struct prover *p, const struct prove_task *t, const char *what,
                     const char *detail) {
    struct str name = {0};
    name_task(p->set, t, &name);
    if (p->diag)
        diag_error(p->diag, NO_SPAN, "%s on target '%s': %s%s", str_text(&name),
                   p->set->target->name, what, detail);
    str_free(&name);
}

static void settle(struct prover *p, size_t index, enum prove_result result, double seconds) {
    struct prove_task *t = &p->tasks->data[index];
    t->result = result;
    t->seconds = seconds;
    if (p->progress && !p->stopped && !p->progress(p->context, t, index, p->tasks->len))
        p->stopped = true;
}

/* --- operands that refute --- */

/* Reads "#x1f" or "#b101". */
static bool read_value(const char *text, uint64_t *v) {
    unsigned shift = text[1] == 'x' ? 4 : 1;
    *v = 0;
    if (text[0] != '#' || (text[1] != 'x' && text[1] != 'b'))
        return false;
    for (text += 2; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
        *v = *v << shift | (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return true;
}

static const char *const operand_names[] = {"rs", "rt", "rd", "C", "M"};

/* Which of them the file of a task defines. */
static bool has_operand(const struct insn *insn, unsigned i) {
    return i > FIELD_RD || (isa_info(insn->op)->flags & (READS_RS << i));
}

static void note_values(const struct prover *p, const struct insn *insn, const char *answer) {
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
    if (text.len && p->diag)
        diag_note(p->diag, NO_SPAN, "with %s", str_text(&text));
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
static enum prove_result read_operands(const struct prover *p, const struct prove_task *t,
                                       struct smt_solver *solver) {
    struct str line = {0}, answer = {0};
    double deadline = prove_solver_clock() + p->seconds;
    enum solver_event event = prove_solver_read(solver, deadline, &line);
    enum prove_result result = result_of(event, str_text(&line));
    while (event == SOLVER_LINE && prove_solver_read(solver, deadline, &line) == SOLVER_LINE)
        str_append_n(&answer, line.text, line.len);
    if (result == PROVE_FAILS) {
        complain(p, t, "the micro-ops do not keep the contract", "");
        note_values(p, &t->insn, str_text(&answer));
    }
    str_free(&line);
    str_free(&answer);
    return result;
}

/* Asks once more, for operands that refute. */
static enum prove_result ask_operands(const struct prover *p, const struct prove_task *t) {
    struct str text = {0};
    struct smt_solver solver;
    enum prove_result result = PROVE_UNKNOWN;
    enum smt_form form = t->masked ? SMT_PLAIN_MASKED : SMT_PLAIN;
    str_append(&text, "(set-option :produce-models true)\n");
    if (prove_smt_write(p->set, &t->insn, form, &text, p->diag)) {
        ask_values(&t->insn, &text);
        if (prove_solver_start(&solver, p->path, text.text, text.len)) {
            result = read_operands(p, t, &solver);
            prove_solver_stop(&solver);
        }
    }
    str_free(&text);
    return result;
}

/* The file of a task has a model: the contract is refuted, or no more than a lemma, which then
 * leaves it to the plain file. */
static enum prove_result refute(const struct prover *p, const struct prove_task *t) {
    enum prove_result result = ask_operands(p, t);
    if (result == PROVE_FAILS || prove_smt_has_lemmas(p->set, &t->insn))
        return result;
    complain(p, t, "the micro-ops do not keep the contract", "");
    return PROVE_FAILS;
}

/* --- batches --- */

/* Tasks one after the other. */
struct task_batch {
    size_t first;
    size_t count;
    struct str text;
};

/* Adds the file of a task; false if it cannot be written. */
static bool add_task(const struct prover *p, struct task_batch *b, size_t index) {
    const struct prove_task *t = &p->tasks->data[index];
    struct str file = {0};
    bool fine = prove_smt_write(p->set, &t->insn, t->masked ? SMT_MASKED : SMT_LEMMAS, &file,
                                b->count ? NULL : p->diag);
    if (fine) {
        str_append(&b->text, b->count ? "(reset)\n" : "");
        str_append_n(&b->text, file.text, file.len);
        b->count++;
    }
    str_free(&file);
    return fine;
}

/* An error ends it: the errors of a task that is not its first are reported when it is. */
static void fill_batch(const struct prover *p, struct task_batch *b) {
    while (b->first + b->count < p->tasks->len && b->count < BATCH_TASKS &&
           b->text.len < BATCH_BYTES && add_task(p, b, b->first + b->count))
        continue;
}

static enum prove_result read_answer(const struct prover *p, const struct prove_task *t,
                                     const char *line) {
    if (strcmp(line, "unsat") == 0)
        return PROVE_HOLDS;
    if (strcmp(line, "sat") == 0)
        return PROVE_FAILS;
    if (strcmp(line, "unknown") == 0)
        return PROVE_UNKNOWN;
    complain(p, t, "the solver says: ", line);
    return PROVE_ERROR;
}

/* The answers in their order, up to the first that is none; returns how many are settled. */
static size_t read_answers(struct prover *p, struct smt_solver *solver,
                           const struct task_batch *b) {
    struct str line = {0};
    size_t i = 0;
    bool answered = true;
    for (; i < b->count && answered && !p->stopped; i++) {
        const struct prove_task *t = &p->tasks->data[b->first + i];
        double start = prove_solver_clock();
        enum solver_event event = prove_solver_read(solver, start + p->seconds, &line);
        enum prove_result result = PROVE_TIMEOUT;
        if (event == SOLVER_LINE) {
            result = read_answer(p, t, str_text(&line));
        } else if (event == SOLVER_END) {
            complain(p, t, "the solver ended without an answer", "");
            result = PROVE_ERROR;
        }
        answered = event == SOLVER_LINE && result != PROVE_ERROR;
        double seconds = prove_solver_clock() - start;
        if (result == PROVE_FAILS)
            result = refute(p, t);
        settle(p, b->first + i, result, seconds);
    }
    str_free(&line);
    return i;
}

/* Proves what it can of a batch; returns how many tasks are settled, at least 1 if any. */
static size_t run_batch(struct prover *p, const struct task_batch *b) {
    struct smt_solver solver;
    if (!prove_solver_start(&solver, p->path, str_text(&b->text), b->text.len)) {
        complain(p, &p->tasks->data[b->first], "the solver cannot be started: ", strerror(errno));
        for (size_t i = 0; i < b->count; i++)
            settle(p, b->first + i, PROVE_NO_SOLVER, 0);
        return b->count;
    }
    size_t settled = read_answers(p, &solver, b);
    prove_solver_stop(&solver);
    return settled;
}

/* From the task `first` on; returns the first one that is not settled. */
static size_t prove_some(struct prover *p, size_t first) {
    struct task_batch b = {.first = first};
    size_t settled = 1;
    fill_batch(p, &b);
    if (b.count)
        settled = run_batch(p, &b);
    else
        settle(p, first, PROVE_ERROR, 0);
    str_free(&b.text);
    return first + settled;
}

static bool find_solver(struct prover *p, const struct prove_options *options) {
    if (prove_find_solver(options, p->path, sizeof p->path))
        return true;
    if (p->diag && options && options->solver)
        diag_error(p->diag, NO_SPAN, "solver '%s' is not there: nothing is proved",
                   options->solver);
    else if (p->diag)
        diag_error(p->diag, NO_SPAN,
                   "no solver is installed (cvc5 or z3 in PATH): nothing is proved");
    return false;
}

static bool all_hold(const struct prove_tasks *tasks) {
    for (size_t i = 0; i < tasks->len; i++)
        if (tasks->data[i].result != PROVE_HOLDS)
            return false;
    return true;
}

bool prove_all(const struct recipe_set *s, struct prove_tasks *tasks,
               const struct prove_options *options, prove_progress *progress, void *context,
               struct diag *d) {
    struct prover *p = xcalloc(1, sizeof *p);
    *p = (struct prover){
        .set = s, .tasks = tasks, .progress = progress, .context = context, .diag = d};
    p->seconds = options && options->seconds ? options->seconds : 60;
    bool found = find_solver(p, options);
    for (size_t i = 0; i < tasks->len; i++) {
        tasks->data[i].result = found ? PROVE_UNKNOWN : PROVE_NO_SOLVER;
        tasks->data[i].seconds = 0;
    }
    for (size_t next = 0; found && next < tasks->len && !p->stopped;)
        next = prove_some(p, next);
    free(p);
    return all_hold(tasks);
}

enum prove_result prove_instruction(const struct recipe_set *s, const struct insn *insn,
                                    bool masked, const struct prove_options *options,
                                    double *seconds, struct diag *d) {
    struct prove_task task = {.insn = *insn, .masked = masked};
    struct prove_tasks tasks = {&task, 1, 1};
    prove_all(s, &tasks, options, NULL, NULL, d);
    if (seconds)
        *seconds = task.seconds;
    return task.result;
}
