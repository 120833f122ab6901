/* SPDX-License-Identifier: MIT
 * Several targets side by side: the program runs on each with the same inputs, results are compared
 * with those of the first, and one table has a row for each target. */
#include "runtime/run/run.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define COMPARISON_SCHEMA "mpu-comparison-1"

/* Columns of the table: a figure of the statistics each. */
static const struct column {
    const char *key, *path;
} columns[] = {
    {"elements", "utilisation.elements"},
    {"mpus", "utilisation.mpus_used"},
    {"vrfs", "utilisation.vrfs_used"},
    {"lanes", NULL}, /* of these VRFs */
    {"cycles", "total.datapath_cycles"},
    {"micro_ops", "total.micro_ops"},
    {"time_ps", "total.time_ps"},
    {"energy_fj", "total.energy_fj"},
    {"energy_per_element_fj", "derived.energy_per_element_fj"},
    {"average_power_nw", "derived.average_power_nw"},
    {"energy_delay_fj_us", "derived.energy_delay_fj_us"},
};
#define COLUMNS (sizeof columns / sizeof *columns)

struct row {
    const char *target, *end;
    bool known[COLUMNS];
    uint64_t value[COLUMNS];
};

/* The outputs of the first target that ran to its end. */
struct reference {
    const char *target; /* NULL: none yet */
    VEC(const char *) names;
    VEC(struct array) arrays;
};

struct comparison {
    const struct run_options *o;
    const mpu_program *program;
    struct diag *d;
    FILE *out;
    struct reference first;
    VEC(struct row) rows;
    mpu_result worst;           /* the first failure */
    bool differs, give_up, ran; /* ran: the program was started on some target */
};

static void fail(struct comparison *c, mpu_result r) {
    if (c->worst == MPU_OK)
        c->worst = r;
}

static void add_name(struct comparison *c, const char *name) {
    for (size_t i = 0; i < c->first.names.len; i++)
        if (strcmp(c->first.names.data[i], name) == 0)
            return;
    vec_push(&c->first.names, name);
}

/* What is compared: every output of the program, and what the command line names. */
static void list_names(struct comparison *c) {
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
    if (c->first.names.len == 0)
        diag_note(c->d, NO_SPAN, "the program has no outputs to compare");
}

/* --- results --- */

static mpu_result fetch_all(struct comparison *c, mpu_session *s, struct array *arrays) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < c->first.names.len; i++)
        r = session_get_diag(s, c->first.names.data[i], &arrays[i], c->d);
    return r;
}

static void report_difference(struct comparison *c, const char *target, const char *name,
                              const struct array *a, const struct array *b, uint64_t at,
                              uint64_t count) {
    struct str index = {0}, x = {0}, y = {0};
    if (a->ndim)
        index_text(a, at, &index);
    element_text(a->type, array_get(a, at), &x);
    element_text(b->type, array_get(b, at), &y);
    diag_error(c->d, NO_SPAN, "'%s' differs between targets '%s' and '%s': %s%s is %s and %s", name,
               c->first.target, target, name, str_text(&index), str_text(&x), str_text(&y));
    diag_note(c->d, NO_SPAN, "%llu of %llu elements differ", (unsigned long long)count,
              (unsigned long long)a->count);
    str_free(&index);
    str_free(&x);
    str_free(&y);
}

static void report_lengths(struct comparison *c, const char *target, const char *name,
                           const struct array *a, const struct array *b) {
    diag_error(c->d, NO_SPAN,
               "'%s' differs between targets '%s' and '%s': it has %llu elements and %llu", name,
               c->first.target, target, (unsigned long long)a->count, (unsigned long long)b->count);
}

/* Types and shapes are those of one program with the same sizes, but for lengths that it makes. */
static bool same_array(struct comparison *c, const char *target, const char *name,
                       const struct array *a, const struct array *b) {
    uint64_t count = 0, at = 0;
    if (a->count != b->count) {
        report_lengths(c, target, name, a, b);
        return false;
    }
    for (uint64_t i = 0; i < a->count; i++) {
        if (array_get(a, i) == array_get(b, i))
            continue;
        at = count++ ? at : i;
    }
    if (count)
        report_difference(c, target, name, a, b, at, count);
    return count == 0;
}

/* Takes the arrays, or compares them and lets them go. */
static void take_results(struct comparison *c, const char *target, struct array *arrays) {
    for (size_t i = 0; i < c->first.names.len; i++) {
        if (!c->first.target) {
            vec_push(&c->first.arrays, arrays[i]);
            continue;
        }
        if (!same_array(c, target, c->first.names.data[i], &c->first.arrays.data[i], &arrays[i]))
            c->differs = true;
        array_free(&arrays[i]);
    }
    if (!c->first.target)
        c->first.target = target;
}

static mpu_result collect_results(struct comparison *c, mpu_session *s) {
    struct array *arrays = xcalloc(c->first.names.len + 1, sizeof *arrays);
    mpu_result r = fetch_all(c, s, arrays);
    if (r == MPU_OK)
        take_results(c, s->target->t->name, arrays);
    else
        for (size_t i = 0; i < c->first.names.len; i++)
            array_free(&arrays[i]);
    free(arrays);
    return r;
}

/* --- rows --- */

static void fill_row(mpu_session *s, struct row *row, struct diag *d) {
    struct figures f = {0};
    if (!s->control || session_figures(s, &f, d) != MPU_OK)
        return;
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].path)
            row->known[i] = figures_find(&f, columns[i].path, &row->value[i]);
    for (size_t i = 1; i < COLUMNS; i++)
        if (!columns[i].path && row->known[i - 1]) {
            row->value[i] = row->value[i - 1] * s->package->lanes;
            row->known[i] = true;
        }
    figures_free(&f);
}

/* Files, prints and expectations are those of the first target: the others are compared with it. */
static mpu_result use_session(struct comparison *c, mpu_session *s, struct row *row) {
    bool first = !c->first.target;
    mpu_result r = run_session_fill(c->o, s, c->d);
    c->give_up = r != MPU_OK; /* the inputs are the same everywhere */
    if (r == MPU_OK)
        r = run_session_filled(c->o, s, c->d, c->out);
    if (r == MPU_OK)
        r = collect_results(c, s);
    if (r == MPU_OK && first)
        r = run_results(c->o, s, c->d, c->out);
    c->ran |= s->control != NULL;
    if (s->control)
        row->end = session_end_name(s->end);
    fill_row(s, row, c->d);
    return r;
}

/* PRINT lines of the first target alone are shown; golden is not checked against itself. */
static mpu_config config_for(const struct comparison *c, const mpu_target *t) {
    mpu_config config = c->o->config;
    if (c->first.target)
        config.print = NULL;
    if (t->t->kind == TARGET_GOLDEN)
        config.check = 0;
    return config;
}

static mpu_result run_on(struct comparison *c, const mpu_target *t) {
    mpu_session *s;
    mpu_config config = config_for(c, t);
    struct row row = {.target = t->t->name, .end = "rejected"};
    mpu_result r = session_new_diag(c->program, t, &config, c->d, &s);
    if (r == MPU_OK) {
        r = use_session(c, s, &row);
        mpu_session_free(s);
    }
    if (r != MPU_OK && !c->give_up)
        diag_note(c->d, NO_SPAN, "that was on target '%s'", t->t->name);
    vec_push(&c->rows, row);
    return r;
}

/* --- the table --- */

static void table_rows(const struct comparison *c, struct figures *f) {
    figures_array(f, "targets");
    for (size_t i = 0; i < c->rows.len; i++) {
        const struct row *row = &c->rows.data[i];
        figures_object(f, NULL);
        figures_text(f, "target", row->target);
        for (size_t k = 0; k < COLUMNS; k++)
            figures_known(f, columns[k].key, row->known[k], row->value[k]);
        figures_text(f, "end", row->end);
        figures_end(f);
    }
    figures_end(f);
}

static void table_json(const struct comparison *c, struct str *out) {
    struct figures f = {0};
    figures_object(&f, NULL);
    figures_text(&f, "schema", COMPARISON_SCHEMA);
    figures_text(&f, "program", report_path(c->program->name));
    figures_text(&f, "program_sha256", c->program->sha256);
    figures_array(&f, "compared");
    for (size_t i = 0; i < c->first.names.len; i++)
        figures_text(&f, NULL, c->first.names.data[i]);
    figures_end(&f);
    figures_text(&f, "results", c->differs ? "differ" : "equal");
    table_rows(c, &f);
    figures_end(&f);
    figures_json(&f, out);
    figures_free(&f);
}

/* A line of names, then a line for each target: what spreadsheets read. */
static void table_csv(const struct comparison *c, struct str *out) {
    str_append(out, "target");
    for (size_t k = 0; k < COLUMNS; k++)
        str_printf(out, ",%s", columns[k].key);
    str_append(out, ",end\n");
    for (size_t i = 0; i < c->rows.len; i++) {
        const struct row *row = &c->rows.data[i];
        str_append(out, row->target);
        for (size_t k = 0; k < COLUMNS; k++) {
            str_char(out, ',');
            if (row->known[k])
                str_printf(out, "%llu", (unsigned long long)row->value[k]);
        }
        str_printf(out, ",%s\n", row->end);
    }
}

static void table_people(const struct comparison *c, struct str *out) {
    struct figures f = {0};
    figures_object(&f, NULL);
    table_rows(c, &f);
    figures_end(&f);
    figures_people(&f, out);
    figures_free(&f);
}

static void show_table(struct comparison *c, const struct run_stats *x) {
    struct str text = {0};
    if (strcmp(x->format, "json") == 0)
        table_json(c, &text);
    else if (strcmp(x->format, "csv") == 0)
        table_csv(c, &text);
    else
        table_people(c, &text);
    mpu_result r = run_write_file(c->o, x->file, &text, c->d, c->out);
    if (r != MPU_OK)
        fail(c, r);
    str_free(&text);
}

static void show(struct comparison *c) {
    static const struct run_stats plain = {"text", "-"};
    if (c->o->stats.len == 0)
        show_table(c, &plain);
    for (size_t i = 0; i < c->o->stats.len; i++)
        show_table(c, &c->o->stats.data[i]);
}

/* --- all of it --- */

static void release(struct comparison *c) {
    for (size_t i = 0; i < c->first.arrays.len; i++)
        array_free(&c->first.arrays.data[i]);
    vec_free(&c->first.arrays);
    vec_free(&c->first.names);
    vec_free(&c->rows);
}

mpu_result run_compare(const struct run_options *o, const mpu_program *p,
                       mpu_target *const *targets, struct diag *d, FILE *out) {
    const volatile int *interrupted = o->config.interrupted;
    struct comparison c = {.o = o, .program = p, .d = d, .out = out, .worst = MPU_OK};
    list_names(&c);
    for (size_t i = 0; i < o->targets.len && !c.give_up && !(interrupted && *interrupted); i++) {
        mpu_result r = run_on(&c, targets[i]);
        if (r != MPU_OK)
            fail(&c, r);
        diag_set_warning(d, "no-uninitialized"); /* it was said for the first target */
    }
    if (c.differs)
        fail(&c, MPU_DIFFERS);
    if (c.ran)
        show(&c);
    release(&c);
    return c.worst;
}
