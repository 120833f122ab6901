/* SPDX-License-Identifier: MIT
 * A session: one program on one machine, from its sizes to its end. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/pool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mpu_result usage(struct diag *d, const char *what, const char *value, const char *known) {
    diag_error(d, NO_SPAN, "unknown %s '%s'; there are: %s", what, value, known);
    return MPU_USAGE;
}

/* Those of the target's kind, and golden, which stands in for all of them; on target golden they
 * all are it. */
static const struct datapath_ops *find_engine(const mpu_session *s) {
    const struct target_kind *kind = s->target->t->kind;
    bool golden = !kind->costs && strcmp(s->engine, "strict") == 0;
    return golden || strcmp(s->engine, "golden") == 0 ? &golden_ops
                                                      : datapath_find(kind->name, s->engine);
}

static mpu_result read_engine(mpu_session *s, struct diag *d) {
    const char *name = s->engine;
    bool golden_target = !s->target->t->kind->costs;
    if (strcmp(name, "fused") == 0) {
        diag_error(d, NO_SPAN,
                   "engine 'fused' is not part of this release; there are: strict, "
                   "golden");
        return MPU_USAGE;
    }
    s->ops = find_engine(s);
    if (!s->ops)
        return usage(d, "engine", name, "strict, golden");
    s->golden = s->ops == &golden_ops;
    if (!s->config.check)
        return MPU_OK;
    if (s->golden) {
        diag_error(d, NO_SPAN,
                   "checking compares engine strict with golden; %s has nothing to compare",
                   golden_target ? "target golden" : "engine golden");
        return MPU_USAGE;
    }
    s->ops = &check_ops;
    return MPU_OK;
}

static mpu_result read_batch(mpu_session *s, struct diag *d) {
    static const char *const names[] = {
        [BATCH_TARGET] = "target", [BATCH_ONE] = "one", [BATCH_ALL] = "all"};
    for (unsigned k = BATCH_TARGET; k <= BATCH_ALL; k++) {
        if (strcmp(s->batch, names[k]) != 0)
            continue;
        s->control_config.batch = (enum batch_mode)k;
        return MPU_OK;
    }
    return usage(d, "batching", s->batch, "target, one, all");
}

static mpu_result read_init(mpu_session *s, struct diag *d) {
    if (strcmp(s->init, "zero") == 0)
        return MPU_OK;
    if (strncmp(s->init, "random:", 7) == 0 &&
        number_parse_u64(s->init + 7, strlen(s->init + 7), &s->setup.seed)) {
        s->setup.init = DP_INIT_RANDOM;
        return MPU_OK;
    }
    return usage(d, "initial state", s->init, "zero, random:SEED");
}

static mpu_result read_place(mpu_session *s, struct diag *d) {
    s->placed = s->config.place != NULL;
    s->place = PLACE_AUTO;
    if (!s->placed || package_place_parse(s->config.place, &s->place))
        return MPU_OK;
    return usage(d, "place", s->config.place, "auto, packed, spread");
}

static mpu_result read_finish(mpu_session *s, struct diag *d) {
    s->finish_said = s->config.finish != NULL;
    s->finish = FINISH_AUTO;
    if (!s->finish_said || package_finish_parse(s->config.finish, &s->finish))
        return MPU_OK;
    return usage(d, "way to finish reductions", s->config.finish, "auto, device, host");
}

/* State beyond three quarters of the host's memory is refused, not swapped. */
static uint64_t memory_limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)size : 0;
}

static mpu_result read_threads(mpu_session *s, struct diag *d) {
    uint32_t n = s->config.threads;
    s->control_config.threads = n ? n : pool_processors();
    if (n <= POOL_MAX_THREADS)
        return MPU_OK;
    diag_error(d, NO_SPAN, "%u threads; there may be 1 to %d", (unsigned)n, POOL_MAX_THREADS);
    return MPU_USAGE;
}

mpu_messages *config_messages(const mpu_config *config) {
    size_t end = offsetof(mpu_config, messages) + sizeof config->messages;
    return config && config->size >= end ? config->messages : NULL;
}

static mpu_result read_config(mpu_session *s, const mpu_config *config, struct diag *d) {
    if (config && (config->size < sizeof config->size || config->size > sizeof *config)) {
        diag_error(d, NO_SPAN, "mpu_config.size is %u; it must be sizeof(mpu_config)",
                   (unsigned)config->size);
        return MPU_USAGE;
    }
    if (config)
        memcpy(&s->config, config, config->size);
    s->engine = xstrdup(s->config.engine ? s->config.engine : "strict");
    s->batch = xstrdup(s->config.batch ? s->config.batch : "target");
    s->init = xstrdup(s->config.init ? s->config.init : "zero");
    mpu_result r = read_engine(s, d);
    if (r == MPU_OK)
        r = read_batch(s, d);
    if (r == MPU_OK)
        r = read_threads(s, d);
    if (r == MPU_OK)
        r = read_place(s, d);
    if (r == MPU_OK)
        r = read_finish(s, d);
    return r == MPU_OK ? read_init(s, d) : r;
}

static void fill_control_config(mpu_session *s) {
    struct control_config *c = &s->control_config;
    c->max_cycles = s->config.max_cycles;
    c->max_seconds = s->config.max_seconds;
    c->cost_unknown = s->golden;
    c->check = s->config.check != 0;
    c->interrupted = s->config.interrupted;
    c->print = s->config.print;
    c->print_context = s->config.print_context;
    c->progress = s->config.progress;
    c->progress_context = s->config.progress_context;
}

mpu_result session_new_diag(const mpu_program *p, const mpu_target *t, const mpu_config *config,
                            struct diag *d, mpu_session **out) {
    mpu_session *s = xcalloc(1, sizeof *s);
    s->program = p;
    s->target = t;
    s->messages = config_messages(config);
    s->object = p->object;
    s->sizes = xcalloc(s->object->sizes.len + 1, sizeof *s->sizes);
    s->size_bound = xcalloc(s->object->sizes.len + 1, 1);
    s->elements = xcalloc(s->object->values.len + 1, sizeof *s->elements);
    s->was_put = xcalloc(s->object->vars.len + 1, 1);
    s->unwanted = xcalloc(s->object->vars.len + 1, 1);
    s->is_gone = xcalloc(s->object->vars.len + 1, 1);
    mpu_result r = read_config(s, config, d);
    if (r == MPU_OK && !package_library_open(s->object, t->t, t->library, &s->library, d))
        r = MPU_REJECTED;
    if (r != MPU_OK) {
        mpu_session_free(s);
        return r;
    }
    fill_control_config(s);
    s->host.cost_known = !s->golden && target_host_mode(t->t, HOST_SERIAL).in_bytes_per_s != 0;
    s->setup.target = t->t;
    s->setup.library = s->library.library;
    s->setup.memory_limit = memory_limit();
    *out = s;
    return MPU_OK;
}

void mpu_session_free(mpu_session *s) {
    if (!s)
        return;
    watching_close(s);
    session_forget_views(s);
    control_free(s->control);
    if (s->dp)
        s->dp->ops->close(s->dp);
    if (s->reference)
        s->reference->ops->close(s->reference);
    finish_close(s);
    rounds_close(s);
    package_free(s->package);
    package_library_close(&s->library);
    pending_free(&s->pending);
    for (size_t i = 0; i < s->inputs.len; i++) {
        free(s->inputs.data[i].name);
        free(s->inputs.data[i].source);
    }
    vec_free(&s->inputs);
    free(s->engine);
    free(s->batch);
    free(s->init);
    free(s->sizes);
    free(s->size_bound);
    link_values_free(s);
    free(s->was_put);
    free(s->unwanted);
    free(s->is_gone);
    free(s);
}

/* Outputs and lengths are what anybody gets. */
static void want_outputs(mpu_session *s) {
    const struct object *o = s->object;
    for (uint32_t i = 0; i < o->vars.len; i++)
        s->unwanted[i] = !(o->vars.data[i].direction & VAR_OUT);
    for (uint32_t i = 0; i < o->vars.len; i++)
        if (object_length_of(o, i) != NO_INDEX)
            s->unwanted[object_length_of(o, i)] = 0;
    s->wanted = true;
}

mpu_result session_want_diag(mpu_session *s, const char *name, struct diag *d) {
    struct place_name p;
    if (!s->wanted)
        want_outputs(s);
    if (!name)
        return MPU_OK;
    if (!place_name_parse(s->object, name, &p, d) || !consumed_will_be_readable(s, &p, d))
        return MPU_USAGE;
    if (!p.bare)
        s->unwanted[p.variable] = 0;
    return MPU_OK;
}

static void no_such_size(const struct object *o, const char *name, struct diag *d) {
    const char **names = xcalloc(o->sizes.len + 1, sizeof *names);
    size_t count = object_given_sizes(o, names);
    diag_error(d, NO_SPAN, "the program has no size '%s'", name);
    diag_suggest(d, NO_SPAN, name, names, count);
    note_names("size", names, count, d);
    free(names);
}

mpu_result session_bind_diag(mpu_session *s, const char *name, uint64_t value, struct diag *d) {
    uint32_t i = object_find_size(s->object, name);
    if (i == NO_INDEX) {
        no_such_size(s->object, name, d);
        return MPU_USAGE;
    }
    if (s->object->sizes.data[i].op != SIZE_GIVEN) {
        object_size_derived(s->object, i, d);
        return MPU_USAGE;
    }
    if (s->size_bound[i] || s->package) {
        if (s->size_bound[i] && (uint64_t)s->sizes[i] == value)
            return MPU_OK;
        diag_error(d, NO_SPAN, "size '%s' has its value already", name);
        return MPU_USAGE;
    }
    if (value == 0 || value > (uint64_t)1 << 40) {
        diag_error(d, NO_SPAN, "size '%s' = %llu is not in 1..2^40", name,
                   (unsigned long long)value);
        return MPU_REJECTED;
    }
    if (!object_size_allows(s->object, i, value, d))
        return MPU_REJECTED;
    s->sizes[i] = (int64_t)value;
    s->size_bound[i] = 1;
    session_settle(s);
    return MPU_OK;
}

/* ---- running ---- */

static bool has_data(const struct object *o, uint32_t variable) {
    for (size_t i = 0; i < o->data.len; i++)
        if (o->data.data[i].variable == variable)
            return true;
    return false;
}

static void warn_of_missing_inputs(const mpu_session *s, struct diag *d) {
    for (uint32_t i = 0; i < s->object->vars.len; i++) {
        const struct variable *v = &s->object->vars.data[i];
        if ((v->direction & VAR_IN) && !s->was_put[i] && !has_data(s->object, i))
            diag_warning(d, W_UNINITIALIZED, NO_SPAN, "no data was given for input '%s'", v->name);
    }
}

static struct span span_of(const mpu_session *s, uint32_t index, struct diag *d) {
    return object_span(s->object, object_place(s->object, index), d);
}

static void say_notes(const mpu_session *s, struct diag *d) {
    size_t count;
    const struct control_note *notes = control_notes(s->control, &count);
    for (size_t i = 0; i < count; i++)
        diag_note(d, span_of(s, notes[i].index, d), "%s", notes[i].text);
}

static void warn_of_heat(const mpu_session *s, struct diag *d) {
    const struct control_heat *h = &control_stats(s->control)->heat;
    if (!h->windows)
        return;
    diag_warning(d, W_POWER_DENSITY, span_of(s, h->index, d),
                 "MPU %u takes %llu mW/cm2 from %llu ps to %llu ps, above the limit of %llu mW/cm2 "
                 "(thermal.limit_mw_per_cm2)",
                 (unsigned)h->mpu, (unsigned long long)h->mw_per_cm2,
                 (unsigned long long)h->start_ps, (unsigned long long)h->end_ps,
                 (unsigned long long)s->target->t->limit_mw_per_cm2);
    if (h->windows > 1)
        diag_note(d, NO_SPAN, "the worst of %llu such windows", (unsigned long long)h->windows);
}

static void warn_of_messages(const mpu_session *s, struct diag *d) {
    const struct control_stats *x = control_stats(s->control);
    if (x->messages_passed) {
        diag_warning(d, W_MESSAGES, NO_SPAN,
                     "a cycle of full queues was broken by way of a data buffer (%llu time%s)",
                     (unsigned long long)x->messages_passed, x->messages_passed == 1 ? "" : "s");
        diag_note(d, NO_SPAN, "--set control.queue=N lets more messages wait");
    }
    if (s->end == CONTROL_DONE && x->messages_left)
        diag_warning(d, W_MESSAGES, NO_SPAN, "%llu message%s sent and never received",
                     (unsigned long long)x->messages_left,
                     x->messages_left == 1 ? " was" : "s were");
}

/* What a program did that stopped before its end. */
static void say_so_far(mpu_session *s, struct diag *d) {
    struct figures f = {0};
    uint64_t instructions = 0, ps = 0;
    if (session_figures(s, &f, d) == MPU_OK &&
        report_figures_find(&f, "total.instructions", &instructions)) {
        if (report_figures_find(&f, "total.time_ps", &ps))
            diag_note(d, NO_SPAN, "so far: %llu instructions in %llu ps of the machine's time",
                      (unsigned long long)instructions, (unsigned long long)ps);
        else
            diag_note(d, NO_SPAN, "so far: %llu instructions", (unsigned long long)instructions);
    }
    report_figures_free(&f);
}

static mpu_result run_machine(mpu_session *s, struct diag *d) {
    control_free(s->control);
    s->control = control_new(s->object, s->here, s->target->t, s->dp, &s->control_config);
    watching_ran(s);
    s->end = control_run(s->control);
    consumed_take(s);
    if (!in_rounds(s))
        finish_collect(s);
    mpu_result r = in_rounds(s) ? rounds_end(s) : MPU_OK;
    finish_end(s);
    if (in_rounds(s))
        rounds_finish(s);
    warn_of_messages(s, d);
    warn_of_heat(s, d);
    if (s->end == CONTROL_DONE)
        return r;
    diag_error(d, span_of(s, control_index(s->control), d), "%s", control_message(s->control));
    say_notes(s, d);
    say_so_far(s, d);
    return s->end == CONTROL_DIFFERS ? MPU_DIFFERS : MPU_STOPPED;
}

/* What an earlier run consumed is there again: put, or as it was declared. */
static mpu_result renew(mpu_session *s, struct diag *d) {
    mpu_result r = put_data_records(s, true, d);
    return r != MPU_OK || consumed_anew(s, d) ? r : MPU_USAGE;
}

mpu_result session_run_diag(mpu_session *s, struct diag *d) {
    mpu_result r = rounds_accept(s, "run", d) ? session_prepare(s, d) : MPU_USAGE;
    session_forget_views(s);
    if (r == MPU_OK)
        r = watching_begin(s, d);
    if (r == MPU_OK)
        r = finish_begin(s, d);
    if (r == MPU_OK && in_rounds(s))
        r = rounds_begin(s, d);
    else if (r == MPU_OK)
        r = renew(s, d);
    if (r != MPU_OK)
        return r;
    uint32_t before = diag_errors(d);
    warn_of_missing_inputs(s, d); /* a program that cannot run at all needs no data */
    return diag_errors(d) == before ? run_machine(s, d) : MPU_REJECTED;
}
