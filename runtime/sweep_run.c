/* SPDX-License-Identifier: MIT
 * Carrying out the runs of a sweep: results are compared with those of the first run that has the
 * same sizes, and each run leaves a record. */
#include "runtime/sweep.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- before anything runs ---- */

static mpu_result check_targets(mpu_sweep *w, struct diag *diag) {
    mpu_result worst = MPU_OK;
    struct sweep_point p;
    for (uint64_t i = 0, count = mpu_sweep_count(w); i < count && !diag_full(diag); i++) {
        mpu_target *t;
        sweep_point_at(w, i, &p);
        if (p.sizes_number) /* the same target with the same settings */
            continue;
        mpu_result r = public_target_open_diag(p.target, p.set, p.set_count, diag, &t);
        if (r == MPU_OK)
            mpu_target_close(t);
        worst = worst == MPU_OK ? r : worst;
    }
    return worst;
}

mpu_result mpu_sweep_check(mpu_sweep *w, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, w->messages, error);
    return public_call_end(&c, check_targets(w, c.d));
}

static void add_name(mpu_sweep *w, const char *name) {
    for (size_t i = 0; i < w->names.len; i++)
        if (strcmp(w->names.data[i], name) == 0)
            return;
    vec_push(&w->names, name);
}

/* What is compared: every output of the program, and what was named. */
static void list_names(mpu_sweep *w, struct diag *diag) {
    const struct object *o = w->program->object;
    const char **named = w->names.data;
    size_t count = w->names.len;
    w->names.data = NULL;
    w->names.len = w->names.cap = 0;
    for (size_t i = 0; i < o->vars.len; i++)
        if (o->vars.data[i].direction & VAR_OUT)
            add_name(w, o->vars.data[i].name);
    for (size_t i = 0; object_find_pipeline(o) && i < o->buffers.len; i++)
        if (o->buffers.data[i].direction & VAR_OUT)
            add_name(w, o->buffers.data[i].name);
    for (size_t i = 0; i < count; i++)
        add_name(w, named[i]);
    free(named);
    if (w->names.len == 0)
        diag_note(diag, NO_SPAN, "the program has no outputs to compare");
}

/* NULL, or why the sweep cannot begin. */
static const char *refuse_begin(const mpu_sweep *w, const mpu_config *config) {
    if (w->program)
        return "the sweep has begun";
    if (!w->targets.len)
        return "a sweep has no targets";
    if (mpu_sweep_count(w) > MPU_SWEEP_MAX)
        return "a sweep has too many runs";
    if (config && (config->size < sizeof config->size || config->size > sizeof *config))
        return "mpu_config.size must be sizeof(mpu_config)";
    return NULL;
}

mpu_result mpu_sweep_begin(mpu_sweep *w, const mpu_program *program, const mpu_config *config,
                           int whole, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    const char *why = refuse_begin(w, config);
    public_call_begin(&c, w->messages, error);
    if (why) {
        diag_error(c.d, NO_SPAN, "%s", why);
        return public_call_end(&c, MPU_USAGE);
    }
    if (config)
        memcpy(&w->config, config, config->size);
    w->config.size = sizeof w->config;
    w->config.messages = w->messages;
    w->program = program;
    w->whole = whole != 0;
    w->reference_count = mpu_sweep_count(w);
    w->references = xcalloc(w->reference_count, sizeof *w->references);
    list_names(w, c.d);
    return public_call_end(&c, MPU_OK);
}

/* ---- results ---- */

/* Each is charged once, whoever looked at it before. */
static mpu_result fetch_all(mpu_sweep *w, struct ndarray *arrays, struct diag *diag) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < w->names.len; i++) {
        struct ndarray view = {0};
        r = session_seen(w->session, w->names.data[i], &view, diag);
        if (r == MPU_OK)
            arrays[i] = ndarray_copy(&view);
    }
    return r;
}

/* "targets 'racer' and 'mimdram'"; "runs" where more than the target differs. */
static void name_both(const mpu_sweep *w, const char *one, const char *other, struct str *out) {
    str_printf(out, "%s '%s' and '%s'", sweep_is_plain(w) ? "targets" : "runs", one, other);
}

static void report_difference(const char *both, const char *name, const struct ndarray *left,
                              const struct ndarray *right, uint64_t at, uint64_t count,
                              struct diag *diag) {
    struct str index = {0}, x = {0}, y = {0};
    if (left->ndim)
        session_index_text(left, at, &index);
    ndarray_element_text(left->type, ndarray_get(left, at), &x);
    ndarray_element_text(right->type, ndarray_get(right, at), &y);
    diag_error(diag, NO_SPAN, "'%s' differs between %s: %s%s is %s and %s", name, both, name,
               str_text(&index), str_text(&x), str_text(&y));
    diag_note(diag, NO_SPAN, "%llu of %llu elements differ", (unsigned long long)count,
              (unsigned long long)left->count);
    str_free(&index);
    str_free(&x);
    str_free(&y);
}

static void report_lengths(const char *both, const char *name, const struct ndarray *left,
                           const struct ndarray *right, struct diag *diag) {
    diag_error(diag, NO_SPAN, "'%s' differs between %s: it has %llu elements and %llu", name, both,
               (unsigned long long)left->count, (unsigned long long)right->count);
}

/* Types and shapes are those of one program with the same sizes, but for lengths that it makes. */
static bool same_array(const char *both, const char *name, const struct ndarray *left,
                       const struct ndarray *right, struct diag *diag) {
    uint64_t count = 0, at = 0;
    if (left->count != right->count) {
        report_lengths(both, name, left, right, diag);
        return false;
    }
    if (ndarray_same_data(left, right))
        return true;
    for (uint64_t i = 0; i < left->count; i++) {
        if (ndarray_get(left, i) == ndarray_get(right, i))
            continue;
        at = count++ ? at : i;
    }
    if (count)
        report_difference(both, name, left, right, at, count, diag);
    return count == 0;
}

static void compare_results(mpu_sweep *w, const struct sweep_reference *first, const char *run,
                            const struct ndarray *arrays, struct diag *diag) {
    struct str both = {0};
    name_both(w, first->run, run, &both);
    for (size_t i = 0; i < w->names.len; i++)
        if (!same_array(str_text(&both), w->names.data[i], &first->arrays.data[i], &arrays[i],
                        diag))
            w->differs = true;
    str_free(&both);
}

/* Takes the arrays, or compares them and lets them go. */
static void take_results(mpu_sweep *w, struct sweep_reference *first, const char *run,
                         struct ndarray *arrays, struct diag *diag) {
    if (first->run)
        compare_results(w, first, run, arrays, diag);
    for (size_t i = 0; i < w->names.len; i++)
        if (first->run)
            ndarray_free(&arrays[i]);
        else
            vec_push(&first->arrays, arrays[i]);
    if (!first->run)
        first->run = run;
}

static mpu_result collect_results(mpu_sweep *w, const struct sweep_point *point,
                                  struct diag *diag) {
    struct ndarray *arrays = xcalloc(w->names.len + 1, sizeof *arrays);
    mpu_result r = fetch_all(w, arrays, diag);
    if (r == MPU_OK)
        take_results(w, &w->references[point->sizes_number],
                     sweep_point_name(w, point, w->target->t->name), arrays, diag);
    else
        for (size_t i = 0; i < w->names.len; i++)
            ndarray_free(&arrays[i]);
    free(arrays);
    return r;
}

/* ---- runs ---- */

/* A run that shows what a number has to do with figures: nobody hears of it, and it may fail. */
static bool is_varied(const struct sweep_point *point) {
    return point->extra && !point->extra->area_um2;
}

/* PRINT lines of the first run alone are shown; golden is not checked against itself. */
static mpu_config config_for(const mpu_sweep *w, const struct sweep_point *point) {
    mpu_config config = w->config;
    config.place = point->place;
    if (is_varied(point))
        config.messages = NULL;
    if (w->done)
        config.print = NULL;
    if (datapath_engine(w->target->t->kind, "strict") == &golden_ops)
        config.check = 0;
    return config;
}

static void note_run(mpu_sweep *w, struct diag *diag) {
    const struct sweep_record *record = &vec_last(&w->records);
    diag_note(diag, NO_SPAN, "that was %s '%s'", sweep_is_plain(w) ? "on target" : "run",
              sweep_point_name(w, &record->point, record->target));
}

/* Runs with the same target and keys follow one another. */
static mpu_result open_target(mpu_sweep *w, const struct sweep_point *point, struct diag *diag) {
    if (w->target && w->machine == point->machine)
        return MPU_OK;
    mpu_target_close(w->target);
    w->target = NULL;
    w->machine = point->machine;
    return public_target_open_diag(point->target, point->set, point->set_count, diag, &w->target);
}

/* What is said of a target's recipes is said with its first run. */
static bool is_first_of_target(const mpu_sweep *w) {
    for (size_t i = 0; i + 1 < w->records.len; i++)
        if (strcmp(w->records.data[i].target, vec_last(&w->records).target) == 0)
            return false;
    return true;
}

static mpu_result open_run(mpu_sweep *w, uint64_t number, struct diag *diag) {
    struct sweep_record record = {.end = "rejected"};
    sweep_point_at(w, number, &record.point);
    mpu_result r = open_target(w, &record.point, diag);
    if (r != MPU_OK)
        return r;
    record.target = arena_strdup(&w->arena, w->target->t->name);
    vec_push(&w->records, record);
    mpu_config config = config_for(w, &record.point);
    config.prove = config.prove && is_first_of_target(w);
    r = session_new_diag(w->program, w->target, &config, diag, &w->session);
    if (r == MPU_OK)
        mpu_session_set_command(w->session, w->command, w->words);
    else if (!is_varied(&record.point))
        note_run(w, diag);
    return r;
}

/* A machine with another number may not come to be: the record says so, and nothing else does. */
static void open_quietly(mpu_sweep *w, uint64_t number) {
    struct diag *quiet = diag_new(NULL, NULL);
    open_run(w, number, quiet);
    diag_free(quiet);
}

static bool is_varied_run(const mpu_sweep *w, uint64_t number) {
    uint64_t base = sweep_base_count(w);
    return number >= base && !w->extras.data[number - base].area_um2;
}

mpu_session *mpu_sweep_open(mpu_sweep *w, uint64_t index, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, NULL);
    struct public_call c;
    mpu_result r = MPU_USAGE;
    mpu_session_free(w->session);
    w->session = NULL;
    public_call_begin(&c, w->messages, error);
    if (!w->program || index >= mpu_sweep_count(w)) {
        diag_error(c.d, NO_SPAN, "the sweep has no such run");
    } else if (is_varied_run(w, index)) {
        open_quietly(w, index);
        r = MPU_OK;
    } else {
        r = open_run(w, index, c.d);
    }
    public_call_end(&c, r);
    return w->session;
}

const mpu_target *mpu_sweep_target(const mpu_sweep *w) {
    return w->session ? w->target : NULL;
}

static mpu_result no_run(struct diag *diag) {
    diag_error(diag, NO_SPAN, "no run of the sweep is open");
    return MPU_USAGE;
}

static mpu_result bind_sizes(mpu_sweep *w, struct diag *diag) {
    const struct sweep_point *p = &vec_last(&w->records).point;
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < w->sizes.len; i++) {
        uint64_t value = 0;
        number_parse_u64(p->size_values[i], strlen(p->size_values[i]), &value);
        r = session_bind_diag(w->session, w->sizes.data[i].name, value, diag);
    }
    return r;
}

mpu_result mpu_sweep_bind_sizes(mpu_sweep *w, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, w->messages, error);
    return public_call_end(&c, w->session ? bind_sizes(w, c.d) : no_run(c.d));
}

static mpu_result take(mpu_sweep *w, mpu_result result, struct diag *diag) {
    struct sweep_record *record = &vec_last(&w->records);
    bool varied = is_varied(&record->point);
    if (result == MPU_OK)
        result = collect_results(w, &record->point, diag);
    sweep_record_fill(w, w->session, record, diag);
    w->done += result == MPU_OK;
    return varied ? MPU_OK : result;
}

mpu_result mpu_sweep_take(mpu_sweep *w, mpu_result result, mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, w->messages, error);
    return public_call_end(&c, w->session ? take(w, result, c.d) : no_run(c.d));
}

void mpu_sweep_close(mpu_sweep *w, mpu_result result) {
    if (w->session && w->messages && result != MPU_OK && !is_varied(&vec_last(&w->records).point))
        note_run(w, w->messages->d);
    mpu_session_free(w->session);
    w->session = NULL;
}

uint64_t mpu_sweep_done(const mpu_sweep *w) {
    return w->done;
}

int mpu_sweep_differs(const mpu_sweep *w) {
    return w->differs;
}

static void free_references(mpu_sweep *w) {
    for (size_t k = 0; w->references && k < w->reference_count; k++) {
        for (size_t i = 0; i < w->references[k].arrays.len; i++)
            ndarray_free(&w->references[k].arrays.data[i]);
        vec_free(&w->references[k].arrays);
    }
    free(w->references);
}

void mpu_sweep_free(mpu_sweep *w) {
    if (!w || w->broken)
        return;
    if (w->messages)
        diag_set_once(w->messages->d, false);
    mpu_session_free(w->session);
    mpu_target_close(w->target);
    free_references(w);
    for (size_t i = 0; i < w->records.len; i++)
        report_figures_free(&w->records.data[i].statistics);
    vec_free(&w->records);
    vec_free(&w->names);
    vec_free(&w->targets);
    vec_free(&w->places);
    vec_free(&w->sets);
    vec_free(&w->sizes);
    vec_free(&w->extras);
    free(w->untouched);
    arena_free(&w->arena);
    free(w);
}
