/* SPDX-License-Identifier: MIT
 * The matrix over all instructions.  Workers take instructions one by one, each on a rig of its
 * own that every instruction finds in a state that depends on the seed alone; results are put
 * together in the order of the table, so that they do not depend on the workers. */
#include "machines/verify/matrix.h"
#include "support/bits.h"
#include "support/str.h"
#include "support/vec.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORKERS 8

/* The first error of a job and its notes, with their places in front. */
struct job_message {
    bool found;
    struct str text;
    VEC(char *) notes;
};

struct verify_job {
    enum isa_op op;
    bool done, good;
    struct verify_count count;
    struct job_message error; /* if it is not good */
};

struct verify_pool {
    const struct verify_machine *machine;
    const struct verify_options *options;
    struct verify_job *jobs;
    size_t job_count, next;
    bool stop; /* take no more jobs */
    pthread_mutex_t lock;
    pthread_cond_t done;
};

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(xmalloc(n), text, n);
}

static void append_placed(const struct diag *d, const struct message *message, struct str *out) {
    const char *name = diag_source_name(d, message->at.source);
    uint32_t line, column;
    diag_position(d, message->at, &line, &column);
    if (name)
        str_visible(out, name);
    if (name && line)
        str_printf(out, ":%u:%u", line, column);
    str_printf(out, "%s%s", name ? ": " : "", message->text);
}

static void keep_first(void *context, const struct diag *d, const struct message *message) {
    struct job_message *kept = context;
    if (kept->found || message->severity != SEVERITY_ERROR)
        return;
    kept->found = true;
    append_placed(d, message, &kept->text);
    for (size_t i = 0; i < message->note_count; i++) {
        struct str note = {0};
        append_placed(d, &message->notes[i], &note);
        vec_push(&kept->notes, copy_text(str_text(&note)));
        str_free(&note);
    }
}

static void report_job(const struct job_message *message, struct diag *diag) {
    diag_error(diag, NO_SPAN, "%s",
               message->found ? str_text(&message->text) : "failed without a message");
    for (size_t i = 0; i < message->notes.len; i++)
        diag_note(diag, NO_SPAN, "%s", message->notes.data[i]);
}

static void free_message(struct job_message *message) {
    for (size_t i = 0; i < message->notes.len; i++)
        free(message->notes.data[i]);
    vec_free(&message->notes);
    str_free(&message->text);
}

/* A worker's messages are its own until the job's turn comes. */
static void run_job(const struct verify_pool *pool, struct rig *rig, struct verify_job *job) {
    struct diag *d = diag_new(keep_first, &job->error);
    struct matrix m = {.rig = rig, .options = pool->options, .diag = d};
    m.seed = pool->options->seed ^ ((uint64_t)job->op + 1) * 0x9e3779b97f4a7c15u;
    job->good = rig->dp || verify_rig_open(rig, pool->machine, d);
    if (job->good) {
        verify_rig_reset(rig, splitmix64(&m.seed));
        job->good =
            verify_matrix_instruction(&m, job->op) && verify_rig_compare_all(rig, job->op, d);
    }
    job->count = m.count;
    diag_flush(d);
    diag_free(d);
}

static struct verify_job *take_job(struct verify_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    struct verify_job *job =
        !pool->stop && pool->next < pool->job_count ? &pool->jobs[pool->next++] : NULL;
    pthread_mutex_unlock(&pool->lock);
    return job;
}

static void finish_job(struct verify_pool *pool, struct verify_job *job) {
    pthread_mutex_lock(&pool->lock);
    job->done = true;
    pool->stop |= !job->good;
    pthread_cond_broadcast(&pool->done);
    pthread_mutex_unlock(&pool->lock);
}

static void *work(void *context) {
    struct verify_pool *p = context;
    struct rig rig = {0};
    for (struct verify_job *job = take_job(p); job; job = take_job(p)) {
        run_job(p, &rig, job);
        finish_job(p, job);
    }
    verify_rig_close(&rig);
    return NULL;
}

static void wait_for(struct verify_pool *pool, const struct verify_job *job) {
    pthread_mutex_lock(&pool->lock);
    while (!job->done)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void stop_all(struct verify_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_mutex_unlock(&pool->lock);
}

/* The second form of a mnemonic is not counted. */
static bool is_first_form(const struct verify_machine *machine, enum isa_op op) {
    const char *name = isa_info(op)->name;
    enum isa_op form = isa_find(name, strlen(name));
    while (form != op && !machine->has(machine->context, form))
        form = isa_next_form(form);
    return form == op;
}

static void add_count(struct verify_count *to, const struct verify_count *count) {
    to->forms += count->forms;
    to->lanes += count->lanes;
    to->uop_lanes += count->uop_lanes;
}

/* In the order of the jobs; jobs are taken in that order, so none before a failed one is left. */
static bool collect(struct verify_pool *pool, struct verify_count *count, struct diag *diag) {
    const struct verify_options *o = pool->options;
    for (size_t i = 0; i < pool->job_count; i++) {
        struct verify_job *job = &pool->jobs[i];
        wait_for(pool, job);
        add_count(count, &job->count);
        if (!job->good) {
            stop_all(pool);
            report_job(&job->error, diag);
            return false;
        }
        count->instructions += is_first_form(pool->machine, job->op);
        if (o->progress)
            o->progress(o->context, job->op, count);
    }
    return true;
}

static bool run_pool(struct verify_pool *pool, struct verify_count *count, struct diag *diag) {
    pthread_t threads[MAX_WORKERS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : (size_t)cores, started = 0;
    if (wanted > pool->job_count)
        wanted = pool->job_count;
    while (started < wanted && pthread_create(&threads[started], NULL, work, pool) == 0)
        started++;
    if (started == 0)
        work(pool);
    bool good = collect(pool, count, diag);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return good;
}

static void add_jobs(struct verify_pool *pool) {
    pool->jobs = xcalloc(OP_COUNT, sizeof *pool->jobs);
    for (int op = 0; op < OP_COUNT; op++)
        if ((pool->options->op == OP_COUNT || (int)pool->options->op == op) &&
            pool->machine->has(pool->machine->context, (enum isa_op)op))
            pool->jobs[pool->job_count++].op = (enum isa_op)op;
}

bool verify_matrix(const struct verify_machine *machine, const struct verify_options *options,
                   struct verify_count *count, struct diag *diag) {
    struct verify_pool p = {.machine = machine, .options = options};
    *count = (struct verify_count){0};
    add_jobs(&p);
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.done, NULL);
    bool good = p.job_count > 0 && run_pool(&p, count, diag);
    if (p.job_count == 0)
        diag_error(diag, NO_SPAN, "target '%s' has no recipe to verify",
                   machine->setup.target->name);
    for (size_t i = 0; i < p.job_count; i++)
        free_message(&p.jobs[i].error);
    free(p.jobs);
    pthread_cond_destroy(&p.done);
    pthread_mutex_destroy(&p.lock);
    return good;
}
