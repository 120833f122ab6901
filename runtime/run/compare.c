/* SPDX-License-Identifier: MIT
 * Several runs side by side: the program runs on each target, with each of the settings, results
 * are compared with those of the first run that has the same sizes, and one table has a record for
 * each run. */
#include "runtime/run/run.h"
#include "runtime/run/table.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The outputs of the first run that came to its end, of those with the same sizes. */
struct reference {
    const char *run; /* NULL: none yet */
    VEC(struct array) arrays;
};

struct target_comparison {
    const struct run_options *o;
    const mpu_program *program;
    const char *const *command; /* [words] */
    size_t words;
    struct diag *d;
    FILE *out;
    struct arena arena;
    mpu_target *target;           /* of the run at hand */
    VEC(const char *) names;      /* of what is compared */
    struct reference *references; /* [reference_count], by the number of the sizes */
    size_t reference_count;
    VEC(struct run_record) records;
    mpu_result worst;                    /* the first failure */
    bool differs, give_up, ran, started; /* ran: the program was started in some run; started:
                                            one came to its end */
};

static void fail(struct target_comparison *c, mpu_result r) {
    if (c->worst == MPU_OK)
        c->worst = r;
}

static void add_name(struct target_comparison *c, const char *name) {
    for (size_t i = 0; i < c->names.len; i++)
        if (strcmp(c->names.data[i], name) == 0)
            return;
    vec_push(&c->names, name);
}

/* What is compared: every output of the program, and what the command line names. */
static void list_names(struct target_comparison *c) {
    const struct object *o = c->program->object;
    for (size_t i = 0; i < o->vars.len; i++)
        if (o->vars.data[i].direction & VAR_OUT)
            add_name(c, o->vars.data[i].name);
    for (size_t i = 0; i < c->o->out.len; i++)
        add_name(c, c->o->out.data[i].name);
    for (size_t i = 0; i < c->o->print.len; i++)
        add_name(c, c->o->print.data[i].name);
    for (size_t i = 0; i < c->o->expect.len; i++)
        add_name(c, c->o->expect.data[i].name);
    if (c->names.len == 0)
        diag_note(c->d, NO_SPAN, "the program has no outputs to compare");
}

/* --- results --- */

static mpu_result fetch_all(struct target_comparison *c, mpu_session *s, struct array *arrays) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < c->names.len; i++)
        r = session_get_diag(s, c->names.data[i], &arrays[i], c->d);
    return r;
}

/* "targets 'racer' and 'mimdram'"; "runs" where more than the target differs. */
static void name_both(const struct target_comparison *c, const char *one, const char *other,
                      struct str *out) {
    bool plain = run_point_count(c->o) == c->o->targets.len;
    str_printf(out, "%s '%s' and '%s'", plain ? "targets" : "runs", one, other);
}

static void report_difference(struct target_comparison *c, const char *both, const char *name,
                              const struct array *a, const struct array *b, uint64_t at,
                              uint64_t count) {
    struct str index = {0}, x = {0}, y = {0};
    if (a->ndim)
        index_text(a, at, &index);
    array_element_text(a->type, array_get(a, at), &x);
    array_element_text(b->type, array_get(b, at), &y);
    diag_error(c->d, NO_SPAN, "'%s' differs between %s: %s%s is %s and %s", name, both, name,
               str_text(&index), str_text(&x), str_text(&y));
    diag_note(c->d, NO_SPAN, "%llu of %llu elements differ", (unsigned long long)count,
              (unsigned long long)a->count);
    str_free(&index);
    str_free(&x);
    str_free(&y);
}

static void report_lengths(struct target_comparison *c, const char *both, const char *name,
                           const struct array *a, const struct array *b) {
    diag_error(c->d, NO_SPAN, "'%s' differs between %s: it has %llu elements and %llu", name, both,
               (unsigned long long)a->count, (unsigned long long)b->count);
}

/* Types and shapes are those of one program with the same sizes, but for lengths that it makes. */
static bool same_array(struct target_comparison *c, const char *both, const char *name,
                       const struct array *a, const struct array *b) {
    uint64_t count = 0, at = 0;
    if (a->count != b->count) {
        report_lengths(c, both, name, a, b);
        return false;
    }
    if (array_same_data(a, b))
        return true;
    for (uint64_t i = 0; i < a->count; i++) {
        if (array_get(a, i) == array_get(b, i))
            continue;
        at = count++ ? at : i;
    }
    if (count)
        report_difference(c, both, name, a, b, at, count);
    return count == 0;
}

static void compare_results(struct target_comparison *c, const struct reference *first,
                            const char *run, const struct array *arrays) {
    struct str both = {0};
    name_both(c, first->run, run, &both);
    for (size_t i = 0; i < c->names.len; i++)
        if (!same_array(c, str_text(&both), c->names.data[i], &first->arrays.data[i], &arrays[i]))
            c->differs = true;
    str_free(&both);
}

/* Takes the arrays, or compares them and lets them go. */
static void take_results(struct target_comparison *c, struct reference *first, const char *run,
                         struct array *arrays) {
    if (first->run)
        compare_results(c, first, run, arrays);
    for (size_t i = 0; i < c->names.len; i++)
        if (first->run)
            array_free(&arrays[i]);
        else
            vec_push(&first->arrays, arrays[i]);
    if (!first->run)
        first->run = run;
}

static mpu_result collect_results(struct target_comparison *c, mpu_session *s,
                                  const struct run_point *point) {
    struct array *arrays = xcalloc(c->names.len + 1, sizeof *arrays);
    mpu_result r = fetch_all(c, s, arrays);
    if (r == MPU_OK)
        take_results(c, &c->references[point->sizes_number],
                     run_point_name(c->o, point, s->target->t->name, &c->arena), arrays);
    else
        for (size_t i = 0; i < c->names.len; i++)
            array_free(&arrays[i]);
    free(arrays);
    return r;
}

/* --- runs --- */

/* Files, prints and expectations are those of the first run: the others are compared with it. */
static mpu_result use_session(struct target_comparison *c, mpu_session *s,
                              struct run_record *record) {
    mpu_result r = run_session_fill(c->o, &record->point, s, c->d);
    c->give_up = r != MPU_OK; /* the inputs are the same everywhere */
    if (r == MPU_OK)
        r = run_session_filled(c->o, s, c->d, c->out);
    if (r == MPU_OK)
        r = collect_results(c, s, &record->point);
    c->ran |= s->control != NULL;
    record_fill(c->o, s, record, c->d);
    if (r == MPU_OK && !c->started) {
        c->started = true;
        r = run_results(c->o, s, c->d, c->out);
    }
    return r;
}

/* PRINT lines of the first run alone are shown; golden is not checked against itself. */
static mpu_config config_for(const struct target_comparison *c, const mpu_target *t,
                             const struct run_point *p) {
    mpu_config config = run_point_config(c->o, p);
    if (c->started)
        config.print = NULL;
    if (!t->t->kind->costs)
        config.check = 0;
    return config;
}

static mpu_result run_session_on(struct target_comparison *c, const mpu_target *t,
                                 struct run_record *record) {
    mpu_session *s;
    mpu_config config = config_for(c, t, &record->point);
    mpu_result r = session_new_diag(c->program, t, &config, c->d, &s);
    if (r != MPU_OK)
        return r;
    s->command = c->command;
    s->command_count = c->words;
    r = use_session(c, s, record);
    mpu_session_free(s);
    return r;
}

static void note_place(struct target_comparison *c, const struct run_record *record) {
    bool plain = run_point_count(c->o) == c->o->targets.len;
    diag_note(c->d, NO_SPAN, "that was %s '%s'", plain ? "on target" : "run",
              run_point_name(c->o, &record->point, record->target, &c->arena));
}

/* Sizes change fastest: the target with its settings is opened for the first of them. */
static mpu_result open_target(struct target_comparison *c, const struct run_point *p) {
    if (p->sizes_number)
        return c->target ? MPU_OK : MPU_REJECTED;
    mpu_target_close(c->target);
    c->target = NULL;
    return target_open_diag(p->target, p->set, c->o->set_axes.len, c->d, &c->target);
}

static mpu_result run_on(struct target_comparison *c, uint64_t number) {
    struct run_record record = {.end = "rejected"};
    run_point_at(c->o, number, &c->arena, &record.point);
    mpu_result r = open_target(c, &record.point);
    if (r != MPU_OK)
        return r;
    record.target = arena_strdup(&c->arena, c->target->t->name);
    r = run_session_on(c, c->target, &record);
    if (r != MPU_OK && !c->give_up)
        note_place(c, &record);
    vec_push(&c->records, record);
    return r;
}

/* --- all of it --- */

static void show_table(struct target_comparison *c, const struct run_stats *x) {
    const struct run_table t = {c->o,       c->program,      c->command,
                                c->words,   c->names.data,   c->names.len,
                                c->differs, c->records.data, c->records.len};
    struct str text = {0};
    table_render(&t, x->format, &text);
    mpu_result r = run_write_file(c->o, x->file, &text, c->d, c->out);
    if (r != MPU_OK)
        fail(c, r);
    str_free(&text);
}

static void show(struct target_comparison *c) {
    static const struct run_stats plain = {"text", "-"};
    if (c->o->stats.len == 0)
        show_table(c, &plain);
    for (size_t i = 0; i < c->o->stats.len; i++)
        show_table(c, &c->o->stats.data[i]);
}

static void release(struct target_comparison *c) {
    for (size_t k = 0; k < c->reference_count; k++) {
        for (size_t i = 0; i < c->references[k].arrays.len; i++)
            array_free(&c->references[k].arrays.data[i]);
        vec_free(&c->references[k].arrays);
    }
    free(c->references);
    mpu_target_close(c->target);
    for (size_t i = 0; i < c->records.len; i++)
        report_figures_free(&c->records.data[i].statistics);
    vec_free(&c->records);
    vec_free(&c->names);
    arena_free(&c->arena);
}

static bool interrupted(const struct target_comparison *c) {
    return c->o->config.interrupted && *c->o->config.interrupted;
}

mpu_result run_compare(const struct run_options *o, const mpu_program *p,
                       const char *const *command, size_t words, struct diag *d, FILE *out) {
    struct target_comparison c = {.o = o,
                                  .program = p,
                                  .command = command,
                                  .words = words,
                                  .d = d,
                                  .out = out,
                                  .worst = MPU_OK};
    c.reference_count = run_point_count(o);
    c.references = xcalloc(c.reference_count, sizeof *c.references);
    list_names(&c);
    for (uint64_t i = 0; i < run_point_count(o) && !c.give_up && !interrupted(&c); i++) {
        mpu_result r = run_on(&c, i);
        if (r != MPU_OK)
            fail(&c, r);
        diag_set_warning(d, "no-uninitialized"); /* it was said for the first run */
    }
    if (c.differs)
        fail(&c, MPU_DIFFERS);
    if (c.ran)
        show(&c);
    release(&c);
    return c.worst;
}
