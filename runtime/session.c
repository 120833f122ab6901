/* SPDX-License-Identifier: MIT
 * A session: one program on one machine, from its sizes to its end. */
#include "runtime/place.h"
#include "runtime/program.h"
#include "runtime/public.h"
#include "runtime/room.h"
#include "runtime/session.h"
#include "runtime/session_pipeline.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/pool.h"

#include <stdlib.h>
#include <string.h>

static mpu_result usage(struct diag *diag, const char *what, const char *value, const char *known) {
    diag_error(diag, NO_SPAN, "unknown %s '%s'; there are: %s", what, value, known);
    return MPU_USAGE;
}

/* Those of the target's kind, and golden, which stands in for all of them. */
static const struct datapath_ops *find_engine(const mpu_session *session) {
    return datapath_engine(session->target->t->kind, session->engine);
}

static mpu_result read_engine(mpu_session *session, struct diag *diag) {
    const char *name = session->engine;
    const struct target_kind *kind = session->target->t->kind;
    session->ops = find_engine(session);
    if (!session->ops)
        return usage(diag, "engine", name, "fused, strict, golden");
    session->golden = session->ops == &golden_ops;
    session->engine_name = session->setup.engine = session->ops->name;
    if (!session->config.check || session->pipeline)
        return MPU_OK;
    if (session->golden) {
        diag_error(
            diag, NO_SPAN, "checking compares an engine with golden; %s has nothing to compare",
            datapath_find(kind->name, NULL) == &golden_ops ? "target golden" : "engine golden");
        return MPU_USAGE;
    }
    session->ops = &check_ops;
    return MPU_OK;
}

static mpu_result read_batch(mpu_session *session, struct diag *diag) {
    static const char *const names[] = {
        [BATCH_TARGET] = "target", [BATCH_ONE] = "one", [BATCH_ALL] = "all"};
    for (unsigned k = BATCH_TARGET; k <= BATCH_ALL; k++) {
        if (strcmp(session->batch, names[k]) != 0)
            continue;
        session->control_config.batch = (enum batch_mode)k;
        return MPU_OK;
    }
    return usage(diag, "batching", session->batch, "target, one, all");
}

static mpu_result read_init(mpu_session *session, struct diag *diag) {
    if (strcmp(session->init, "zero") == 0)
        return MPU_OK;
    if (strncmp(session->init, "random:", 7) == 0 &&
        number_parse_u64(session->init + 7, strlen(session->init + 7), &session->setup.seed)) {
        session->setup.init = DP_INIT_RANDOM;
        return MPU_OK;
    }
    return usage(diag, "initial state", session->init, "zero, random:SEED");
}

static mpu_result read_place(mpu_session *session, struct diag *diag) {
    session->placed = session->config.place != NULL;
    session->place = PLACE_AUTO;
    if (!session->placed || package_place_parse(session->config.place, &session->place))
        return MPU_OK;
    return usage(diag, "place", session->config.place, "auto, packed, spread");
}

static mpu_result read_finish(mpu_session *session, struct diag *diag) {
    session->finish_said = session->config.finish != NULL;
    session->finish = FINISH_AUTO;
    if (!session->finish_said || package_finish_parse(session->config.finish, &session->finish))
        return MPU_OK;
    return usage(diag, "way to finish reductions", session->config.finish, "auto, device, host");
}

static mpu_result read_threads(mpu_session *session, struct diag *diag) {
    uint32_t n = session->config.threads;
    session->control_config.threads = n ? n : pool_processors();
    if (n <= POOL_MAX_THREADS)
        return MPU_OK;
    diag_error(diag, NO_SPAN, "%u threads; there may be 1 to %d", (unsigned)n, POOL_MAX_THREADS);
    return MPU_USAGE;
}

mpu_messages *session_config_messages(const mpu_config *config) {
    size_t end = offsetof(mpu_config, messages) + sizeof config->messages;
    return config && config->size >= end ? config->messages : NULL;
}

static mpu_result read_config(mpu_session *session, const mpu_config *config, struct diag *diag) {
    if (config && (config->size < sizeof config->size || config->size > sizeof *config)) {
        diag_error(diag, NO_SPAN, "mpu_config.size is %u; it must be sizeof(mpu_config)",
                   (unsigned)config->size);
        return MPU_USAGE;
    }
    if (config)
        memcpy(&session->config, config, config->size);
    const char *engine = public_engine(session->config.engine, diag);
    session->engine = xstrdup(engine ? engine : "");
    session->batch = xstrdup(session->config.batch ? session->config.batch : "target");
    session->init = xstrdup(session->config.init ? session->config.init : "zero");
    mpu_result r = engine ? read_engine(session, diag) : MPU_USAGE;
    if (r == MPU_OK)
        r = read_batch(session, diag);
    if (r == MPU_OK)
        r = read_threads(session, diag);
    if (r == MPU_OK)
        r = read_place(session, diag);
    if (r == MPU_OK)
        r = read_finish(session, diag);
    return r == MPU_OK ? read_init(session, diag) : r;
}

static void fill_control_config(mpu_session *session) {
    struct control_config *c = &session->control_config;
    c->max_cycles = session->config.max_cycles;
    c->max_seconds = session->config.max_seconds;
    c->cost_unknown = session->golden;
    c->check = session->config.check != 0;
    c->interrupted = session->config.interrupted;
    c->print = session->config.print;
    c->print_context = session->config.print_context;
    c->progress = session->config.progress;
    c->progress_context = session->config.progress_context;
}

mpu_result session_new_diag(const mpu_program *program, const mpu_target *target,
                            const mpu_config *config, struct diag *diag, mpu_session **out) {
    if (program->parts) {
        diag_error(diag, NO_SPAN, "'%s' is a program of subroutines alone; mpu_call calls them",
                   program->name);
        return MPU_USAGE;
    }
    struct session_pipeline *pipeline;
    program = program_on(program, target);
    if (!session_pipeline_new(program->object, target, diag, &pipeline))
        return MPU_REJECTED;
    mpu_session *s = xcalloc(1, sizeof *s);
    s->pipeline = pipeline;
    target = pipeline ? pipeline->host : target;
    s->program = program;
    s->target = target;
    s->messages = session_config_messages(config);
    s->object = program->object;
    s->sizes = xcalloc(s->object->sizes.len + 1, sizeof *s->sizes);
    s->size_bound = xcalloc(s->object->sizes.len + 1, 1);
    s->elements = xcalloc(s->object->values.len + 1, sizeof *s->elements);
    s->was_put = xcalloc(s->object->vars.len + 1, 1);
    s->was_read = xcalloc(s->object->vars.len + 1, 1);
    s->unwanted = xcalloc(s->object->vars.len + 1, 1);
    s->is_gone = xcalloc(s->object->vars.len + 1, 1);
    mpu_result r = read_config(s, config, diag);
    if (r == MPU_OK &&
        !package_library_open(s->object, target->t, target->library, &s->library, diag))
        r = MPU_REJECTED;
    if (r != MPU_OK) {
        mpu_session_free(s);
        return r;
    }
    if (s->config.cache)
        public_keep(target->library);
    if (s->library.own && (s->config.cache || target->keeps))
        public_keep(s->library.own);
    fill_control_config(s);
    session_buffers_new(s);
    s->host.cost_known = !s->golden && target_host_mode(target->t, HOST_SERIAL).in_bytes_per_s != 0;
    s->setup.target = target->t;
    s->setup.library = s->library.library;
    s->setup.memory_limit = room_limit();
    *out = s;
    return MPU_OK;
}

/* Of what a call was changing nothing is known. */
static void free_broken(mpu_session *session) {
    if (session->dp)
        session->dp->ops->close(session->dp);
    if (session->reference)
        session->reference->ops->close(session->reference);
}

void mpu_session_free(mpu_session *session) {
    if (!session)
        return;
    if (session->broken) {
        free_broken(session);
        return;
    }
    session_watching_close(session);
    session_forget_views(session);
    control_free(session->control);
    if (session->dp)
        session->dp->ops->close(session->dp);
    if (session->reference)
        session->reference->ops->close(session->reference);
    session_finish_close(session);
    session_residents_free(session);
    session_rounds_close(session);
    package_free(session->package);
    package_library_close(&session->library);
    session_pending_free(&session->pending);
    for (size_t i = 0; i < session->inputs.len; i++) {
        free(session->inputs.data[i].name);
        free(session->inputs.data[i].source);
    }
    vec_free(&session->inputs);
    session_buffers_free(session);
    session_pipeline_free(session->pipeline);
    free(session->engine);
    free(session->batch);
    free(session->init);
    free(session->sizes);
    free(session->size_bound);
    session_values_free(session);
    free(session->was_put);
    free(session->was_read);
    free(session->unwanted);
    free(session->is_gone);
    free(session);
}

/* Outputs and lengths are what anybody gets. */
static void want_outputs(mpu_session *session) {
    const struct object *o = session->object;
    for (uint32_t i = 0; i < o->vars.len; i++)
        session->unwanted[i] = !(o->vars.data[i].direction & VAR_OUT);
    for (uint32_t i = 0; i < o->vars.len; i++)
        if (object_length_of(o, i) != NO_INDEX)
            session->unwanted[object_length_of(o, i)] = 0;
    session->wanted = true;
}

mpu_result session_want_diag(mpu_session *session, const char *name, struct diag *diag) {
    struct place_name p;
    if (!session->wanted)
        want_outputs(session);
    if (!name)
        return MPU_OK;
    if (!session_place_parse(session, name, &p, diag) ||
        !session_consumed_will_be_readable(session, &p, diag))
        return MPU_USAGE;
    /* Of a buffer also the variable that may stand for it. */
    uint32_t v = p.memory ? object_find_variable(session->object, name) : p.variable;
    if (!p.bare && v != NO_INDEX)
        session->unwanted[v] = 0;
    return MPU_OK;
}

static void no_such_size(const struct object *object, const char *name, struct diag *diag) {
    const char **names = xcalloc(object->sizes.len + 1, sizeof *names);
    size_t count = object_given_sizes(object, names);
    diag_error(diag, NO_SPAN, "the program has no size '%s'", name);
    diag_suggest(diag, NO_SPAN, name, names, count);
    session_note_names("size", names, count, diag);
    free(names);
}

mpu_result session_bind_diag(mpu_session *session, const char *name, uint64_t value,
                             struct diag *diag) {
    uint32_t i = object_find_size(session->object, name);
    if (i == NO_INDEX) {
        no_such_size(session->object, name, diag);
        return MPU_USAGE;
    }
    if (session->object->sizes.data[i].op != SIZE_GIVEN) {
        object_size_derived(session->object, i, diag);
        return MPU_USAGE;
    }
    if (session->size_bound[i] || session->package) {
        if (session->size_bound[i] && (uint64_t)session->sizes[i] == value)
            return MPU_OK;
        diag_error(diag, NO_SPAN, "size '%s' has its value already", name);
        return MPU_USAGE;
    }
    if (value == 0 || value > (uint64_t)1 << 40) {
        diag_error(diag, NO_SPAN, "size '%s' = %llu is not in 1..2^40", name,
                   (unsigned long long)value);
        return MPU_REJECTED;
    }
    if (!object_size_allows(session->object, i, value, diag))
        return MPU_REJECTED;
    session->sizes[i] = (int64_t)value;
    session->size_bound[i] = 1;
    session_settle(session);
    return MPU_OK;
}

/* ---- running ---- */

static bool has_data(const struct object *object, uint32_t variable) {
    for (size_t i = 0; i < object->data.len; i++)
        if (object->data.data[i].variable == variable)
            return true;
    return false;
}

/* True if every input has data; else each that has none is an error. */
static bool inputs_are_there(const mpu_session *session, struct diag *diag) {
    bool all = session_buffers_there(session, diag);
    for (uint32_t i = 0; i < session->object->vars.len; i++) {
        const struct variable *v = &session->object->vars.data[i];
        if (!(v->direction & VAR_IN) || session->was_put[i] || has_data(session->object, i) ||
            session_stands_for_buffer(session, i))
            continue;
        diag_error(diag, NO_SPAN, "no data was given for input '%s'", v->name);
        diag_note(diag, NO_SPAN, "--in %s=zeros lets it begin with zeros", v->name);
        all = false;
    }
    return all;
}

static struct span span_of(const mpu_session *session, uint32_t index, struct diag *diag) {
    return object_span(session->object, object_place(session->object, index), diag);
}

static void say_notes(const mpu_session *session, struct diag *diag) {
    size_t count;
    const struct control_note *notes = control_notes(session->control, &count);
    for (size_t i = 0; i < count; i++)
        diag_note(diag, span_of(session, notes[i].index, diag), "%s", notes[i].text);
}

static void warn_of_heat(const mpu_session *session, struct diag *diag) {
    const struct control_heat *h = &control_stats(session->control)->heat;
    if (!h->windows)
        return;
    diag_warning(diag, W_POWER_DENSITY, span_of(session, h->index, diag),
                 "MPU %u takes %llu mW/cm2 from %llu ps to %llu ps, above the limit of %llu mW/cm2 "
                 "(thermal.limit_mw_per_cm2)",
                 (unsigned)h->mpu, (unsigned long long)h->mw_per_cm2,
                 (unsigned long long)h->start_ps, (unsigned long long)h->end_ps,
                 (unsigned long long)session->target->t->limit_mw_per_cm2);
    if (h->windows > 1)
        diag_note(diag, NO_SPAN, "the worst of %llu such windows", (unsigned long long)h->windows);
}

static void warn_of_messages(const mpu_session *session, struct diag *diag) {
    const struct control_stats *x = control_stats(session->control);
    if (x->messages_passed) {
        diag_warning(diag, W_MESSAGES, NO_SPAN,
                     "a cycle of full queues was broken by way of a data buffer (%llu time%s)",
                     (unsigned long long)x->messages_passed, x->messages_passed == 1 ? "" : "s");
        diag_note(diag, NO_SPAN, "--set control.queue=N lets more messages wait");
    }
    if (session->end == CONTROL_DONE && x->messages_left)
        diag_warning(diag, W_MESSAGES, NO_SPAN, "%llu message%s sent and never received",
                     (unsigned long long)x->messages_left,
                     x->messages_left == 1 ? " was" : "s were");
}

/* What a program did that stopped before its end. */
static void say_so_far(mpu_session *session, struct diag *diag) {
    struct figures f = {0};
    uint64_t instructions = 0, ps = 0;
    if (session_figures(session, &f, diag) == MPU_OK &&
        report_figures_find(&f, "total.instructions", &instructions)) {
        if (report_figures_find(&f, "total.time_ps", &ps))
            diag_note(diag, NO_SPAN, "so far: %llu instructions in %llu ps of the machine's time",
                      (unsigned long long)instructions, (unsigned long long)ps);
        else
            diag_note(diag, NO_SPAN, "so far: %llu instructions", (unsigned long long)instructions);
    }
    report_figures_free(&f);
}

static mpu_result run_machine(mpu_session *session, struct diag *diag) {
    control_free(session->control);
    session->control = control_new(session->object, session->here, session->target->t, session->dp,
                                   &session->control_config);
    session_watching_ran(session);
    session->end = control_run(session->control);
    session_consumed_take(session);
    if (session->ops == &check_ops)
        session->checked = check_take_counts(session->dp);
    if (!session_in_rounds(session))
        session_finish_collect(session);
    mpu_result r = session_in_rounds(session) ? session_rounds_end(session) : MPU_OK;
    session_finish_end(session);
    if (session_in_rounds(session))
        session_rounds_finish(session);
    warn_of_messages(session, diag);
    warn_of_heat(session, diag);
    if (session->end == CONTROL_DONE)
        return r;
    diag_error(diag, span_of(session, control_index(session->control), diag), "%s",
               control_message(session->control));
    say_notes(session, diag);
    say_so_far(session, diag);
    return session->end == CONTROL_DIFFERS ? MPU_DIFFERS : MPU_STOPPED;
}

/* What an earlier run consumed is there again: put, or as it was declared. */
static mpu_result renew(mpu_session *session, struct diag *diag) {
    mpu_result r = session_put_data_records(session, true, diag);
    return r != MPU_OK || session_consumed_anew(session, diag) ? r : MPU_USAGE;
}

mpu_result session_run_diag(mpu_session *session, struct diag *diag) {
    if (session->pipeline)
        return session_pipeline_run(session, diag);
    mpu_result r =
        session_rounds_accept(session, "run", diag) ? session_prepare(session, diag) : MPU_USAGE;
    session_forget_views(session);
    memset(session->was_read, 0, session->object->vars.len);
    memset(session->buffers.was_read, 0, session->object->buffers.len);
    if (r == MPU_OK)
        r = session_watching_begin(session, diag);
    if (r == MPU_OK)
        r = session_finish_begin(session, diag);
    if (r == MPU_OK && session_in_rounds(session))
        r = session_rounds_begin(session, diag);
    else if (r == MPU_OK)
        r = renew(session, diag);
    if (r != MPU_OK)
        return r;
    /* Only now: a program that cannot run at all needs no data. */
    return inputs_are_there(session, diag) ? run_machine(session, diag) : MPU_USAGE;
}
