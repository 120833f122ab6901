/* SPDX-License-Identifier: MIT
 * Tasks go to the solver file by file; what it does not decide in time is unknown, never proved. */
#include "recipe/prove/prove.h"

#include "recipe/prove/smt.h"
#include "recipe/prove/kept.h"
#include "recipe/prove/solver.h"

#include "support/bits.h"
#include "support/file.h"
#include "support/map.h"
#include "support/vec.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* What one start of the solver gets at most. */
#define BATCH_TASKS 256
#define BATCH_BYTES (8u << 20)

/* What proofs that are kept were made by: another number where fold.h, chain.h or the solver's
 * question change in what they take for proved. */
#define METHOD "; method 2\n"

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
    unsigned limit;                            /* likewise, as prove_options */
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

/* Asks once more, for operands that refute: of a file whose models do. */
static enum prove_result ask_operands(const struct prover *prover, const struct prove_task *task) {
    struct str text = {0};
    struct smt_solver solver;
    enum prove_result result = PROVE_UNKNOWN;
    bool plain = prove_smt_is_wider(prover->set, &task->insn);
    enum smt_form form =
        (plain ? SMT_PLAIN : SMT_FOLDED) | (unsigned)(task->masked ? SMT_MASKED : 0);
    str_append(&text, "(set-option :produce-models true)\n");
    if (prove_smt_write(prover->set, &task->insn, form, &text, prover->diag)) {
        ask_values(&task->insn, &text);
        if (prove_solver_start(&solver, path_for(prover, text.text), prover->limit, text.text,
                               text.len)) {
            result = read_operands(prover, task, &solver);
            prove_solver_stop(&solver);
        }
    }
    str_free(&text);
    return result;
}

/* The file of a task has a model: the contract is refuted, or (of a division) no more than what its
 * file says of any quotient and remainder, which then leaves it to the plain file. */
static enum prove_result refute(const struct prover *prover, const struct prove_task *task) {
    enum prove_result result = ask_operands(prover, task);
    if (result == PROVE_FAILS || prove_smt_is_wider(prover->set, &task->insn))
        return result;
    complain(prover, task, "the micro-ops do not keep the contract", "");
    return PROVE_FAILS;
}

/* --- what was proved before --- */

struct hash {
    char text[65];
};

/* Of a file without its first line, which says for people whose it is: equal questions of several
 * targets are one. */
static struct hash hash_file(const struct str *file) {
    struct hash hash;
    const char *end = memchr(file->text, '\n', file->len);
    size_t head = end ? (size_t)(end - file->text) : 0;
    sha256_hex(file->text + head, file->len - head, hash.text);
    return hash;
}

/* The hash of what a task asks before anything is folded: its micro-ops and its contract.  False if
 * there is no such file. */
static bool hash_task(const struct prover *prover, const struct prove_task *task,
                      struct hash *hash) {
    struct str file = {0};
    bool fine = prove_smt_write(prover->set, &task->insn,
                                task->masked ? SMT_PLAIN_MASKED : SMT_PLAIN, &file, NULL);
    str_append(&file, METHOD);
    if (fine)
        *hash = hash_file(&file);
    str_free(&file);
    return fine;
}

static void keep(const struct prover *prover, const struct hash *hash, const char *what) {
    if (!prove_kept_has(prover->kept, hash->text) &&
        !prove_kept_add(prover->kept, hash->text, what) && prover->diag)
        diag_error(prover->diag, NO_SPAN, "proofs cannot be kept: %s", strerror(errno));
}

static void keep_task(const struct prover *prover, const struct prove_task *task,
                      const struct hash *hash) {
    struct str name = {0};
    str_printf(&name, "%s ", prover->set->target->name);
    name_task(prover->set, task, &name);
    keep(prover, hash, str_text(&name));
    str_free(&name);
}

/* --- laws --- */

/* What the solver says to one file. */
static enum prove_result ask_file(const struct prover *prover, const struct str *text) {
    struct smt_solver solver;
    struct str line = {0};
    if (!prove_solver_start(&solver, prover->path, prover->limit, text->text, text->len))
        return PROVE_NO_SOLVER;
    enum solver_event event =
        prove_solver_read(&solver, prove_solver_clock() + prover->seconds, &line);
    enum prove_result result = result_of(event, str_text(&line));
    prove_solver_stop(&solver);
    str_free(&line);
    return result;
}

/* A law that does not hold proves nothing and refutes nothing. */
static enum prove_result prove_law(const struct prover *prover, const struct prove_task *task,
                                   const struct str *text) {
    struct hash hash = hash_file(text);
    if (prove_kept_has(prover->kept, hash.text))
        return PROVE_HOLDS;
    enum prove_result result = ask_file(prover, text);
    if (result == PROVE_HOLDS)
        keep(prover, &hash, "a law");
    else
        complain(prover, task, "a law that the proof relies on: ", prove_result_text(result));
    return result == PROVE_FAILS ? PROVE_UNKNOWN : result;
}

static enum prove_result prove_laws(const struct prover *prover, const struct prove_task *task) {
    enum prove_result result = PROVE_HOLDS;
    struct str text = {0};
    for (unsigned i = 0; result == PROVE_HOLDS && prove_smt_law(prover->set, &task->insn, i, &text);
         i++) {
        result = prove_law(prover, task, &text);
        str_clear(&text);
    }
    str_free(&text);
    return result;
}

/* --- batches --- */

/* A task of a batch and the question that settles it. */
struct asked {
    struct hash task, file; /* file: only without `kept` */
    bool kept;
};

/* Tasks one after the other.  What several of them ask is asked once. */
struct task_batch {
    size_t first;
    VEC(struct asked) asked;
    struct map questions; /* hash of the file: its number */
    bool floats;          /* all of them, or none: the solver follows from it */
    struct str text;
};

static void free_batch(struct task_batch *batch) {
    vec_free(&batch->asked);
    map_free(&batch->questions);
    str_free(&batch->text);
}

static void add_question(struct task_batch *batch, const struct hash *hash,
                         const struct str *file) {
    if (map_get(&batch->questions, hash->text))
        return;
    map_put(&batch->questions, hash->text, batch->questions.len);
    str_append(&batch->text, batch->questions.len > 1 ? "(reset)\n" : "");
    str_append_n(&batch->text, file->text, file->len);
}

/* Adds a task; false if its file cannot be written, or is of another logic. */
static bool add_task(const struct prover *prover, struct task_batch *batch, size_t index) {
    const struct prove_task *t = &prover->tasks->data[index];
    struct asked asked = {.kept = false};
    struct str file = {0};
    bool fine = hash_task(prover, t, &asked.task);
    asked.kept = fine && prove_kept_has(prover->kept, asked.task.text);
    if (!asked.kept)
        fine = prove_smt_write(prover->set, &t->insn, t->masked ? SMT_MASKED : SMT_FOLDED, &file,
                               batch->asked.len ? NULL : prover->diag);
    if (fine && !asked.kept && !batch->text.len)
        batch->floats = prove_smt_has_floats(str_text(&file));
    if (fine && !asked.kept)
        fine = prove_smt_has_floats(str_text(&file)) == batch->floats;
    if (fine && !asked.kept) {
        asked.file = hash_file(&file);
        if (!prove_kept_has(prover->kept, asked.file.text))
            add_question(batch, &asked.file, &file);
    }
    if (fine)
        vec_push(&batch->asked, asked);
    str_free(&file);
    return fine;
}

/* An error ends it: the errors of a task that is not its first are reported when it is. */
static void fill_batch(const struct prover *prover, struct task_batch *batch) {
    size_t next = batch->first;
    while (next < prover->tasks->len && batch->asked.len < BATCH_TASKS &&
           batch->text.len < BATCH_BYTES && add_task(prover, batch, next))
        next++;
}

/* --- answers --- */

struct answers {
    struct smt_solver solver;
    size_t count; /* read so far */
    enum prove_result results[BATCH_TASKS];
    bool ended; /* no further answer comes from this process */
};

static enum prove_result read_answer(const struct prover *prover, const struct prove_task *task,
                                     struct answers *answers) {
    struct str line = {0};
    enum solver_event event =
        prove_solver_read(&answers->solver, prove_solver_clock() + prover->seconds, &line);
    enum prove_result result = result_of(event, str_text(&line));
    if (event == SOLVER_END) {
        complain(prover, task, "the solver ended without an answer", "");
        result = PROVE_ERROR;
    } else if (result == PROVE_UNKNOWN && strcmp(str_text(&line), "unknown") != 0) {
        complain(prover, task, "the solver says: ", str_text(&line));
        result = PROVE_ERROR;
    }
    answers->ended = event != SOLVER_LINE || result == PROVE_ERROR;
    str_free(&line);
    return result;
}

/* The answer to the question of a task; those before it have been read. */
static enum prove_result answer_to(const struct prover *prover, const struct prove_task *task,
                                   const struct task_batch *batch, const struct hash *file,
                                   struct answers *answers) {
    const uint64_t *number = map_get(&batch->questions, file->text);
    if (!number)
        return PROVE_HOLDS; /* kept */
    if (*number < answers->count)
        return answers->results[*number];
    enum prove_result result = read_answer(prover, task, answers);
    if (result == PROVE_HOLDS)
        keep(prover, file, "what is left of a proof");
    answers->results[answers->count++] = result;
    return result;
}

static void settle_asked(struct prover *prover, const struct task_batch *batch, size_t index,
                         struct answers *answers) {
    struct prove_task *t = &prover->tasks->data[batch->first + index];
    const struct asked *asked = &batch->asked.data[index];
    double start = prove_solver_clock();
    size_t before = answers->count;
    enum prove_result result =
        asked->kept ? PROVE_HOLDS : answer_to(prover, t, batch, &asked->file, answers);
    t->kept = asked->kept || (answers->count == before && result == PROVE_HOLDS);
    if (result == PROVE_HOLDS && !asked->kept)
        result = prove_laws(prover, t);
    if (result == PROVE_HOLDS && !asked->kept)
        keep_task(prover, t, &asked->task);
    double seconds = prove_solver_clock() - start;
    if (result == PROVE_FAILS)
        result = refute(prover, t);
    settle(prover, batch->first + index, result, seconds);
}

static bool start_solver(struct prover *prover, const struct task_batch *batch,
                         struct answers *answers) {
    if (batch->questions.len == 0 ||
        prove_solver_start(&answers->solver, path_for(prover, batch->text.text), prover->limit,
                           batch->text.text, batch->text.len))
        return true;
    complain(prover, &prover->tasks->data[batch->first],
             "the solver cannot be started: ", strerror(errno));
    for (size_t i = 0; i < batch->asked.len; i++)
        settle(prover, batch->first + i, PROVE_NO_SOLVER, 0);
    return false;
}

/* Proves what it can of a batch; returns how many tasks are settled, at least 1 if any. */
static size_t run_batch(struct prover *prover, const struct task_batch *batch) {
    struct answers answers = {.solver = {.out = -1}};
    size_t i = 0;
    if (!start_solver(prover, batch, &answers))
        return batch->asked.len;
    for (; i < batch->asked.len && !answers.ended && !prover->stopped; i++)
        settle_asked(prover, batch, i, &answers);
    prove_solver_stop(&answers.solver);
    return i;
}

/* From the task `first` on; returns the first one that is not settled. */
static size_t prove_some(struct prover *prover, size_t first) {
    struct task_batch b = {.first = first};
    size_t settled = 1;
    fill_batch(prover, &b);
    if (b.asked.len)
        settled = run_batch(prover, &b);
    else
        settle(prover, first, PROVE_ERROR, 0);
    free_batch(&b);
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
    p->limit = options ? options->limit : 0;
    bool found = find_solver(p, options);
    for (size_t i = 0; i < tasks->len; i++) {
        tasks->data[i].result = found ? PROVE_UNKNOWN : PROVE_NO_SOLVER;
        tasks->data[i].seconds = 0;
    }
    struct kept_proofs *own = options && options->kept ? NULL : prove_kept_open(NULL);
    p->kept = own ? own : options->kept;
    for (size_t next = 0; found && next < tasks->len && !p->stopped;)
        next = prove_some(p, next);
    prove_kept_close(own);
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
