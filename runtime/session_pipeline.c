/* SPDX-License-Identifier: MIT
 * A session of a program that is a pipeline, in the text of the program: its buffers are the arrays
 * of the pipeline. */
#include "runtime/session_pipeline.h"

#include "runtime/data.h"
#include "runtime/transfer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the program ---- */

/* Nothing but one launch of it, with whole buffers. */
static bool is_alone(const struct object *o, const struct kernel_decl *kernel) {
    struct insn first, second;
    if (o->calls.len != 1 || o->text.len != 2 || object_call_kernel(o, &o->calls.data[0]) != kernel)
        return false;
    if (isa_decode(o->text.data[0], &first) != ISA_OK ||
        isa_decode(o->text.data[1], &second) != ISA_OK)
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_argument *a = &o->calls.data[0].arguments[i];
        if (kernel->parameters[i].kind == PARAMETER_BUFFER && (a->size != NO_INDEX || a->number))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (a->buffer != NO_INDEX && o->calls.data[0].arguments[k].buffer == a->buffer)
                return false;
    }
    return first.op == OP_RECIPE && second.op == OP_HALT;
}

bool session_pipeline_new(const struct object *object, const mpu_target *target, struct diag *diag,
                          struct session_pipeline **out) {
    const struct kernel_decl *kernel = object_find_pipeline(object);
    *out = NULL;
    if (!kernel)
        return true;
    if (!is_alone(object, kernel)) {
        diag_error(diag, object_span(object, kernel->place, diag),
                   "a program with a pipeline launches it once, with each buffer once and from its "
                   "first byte on, and does nothing else");
        return false;
    }
    struct session_pipeline *p = xcalloc(1, sizeof *p);
    *p = (struct session_pipeline){.kernel = kernel, .call = &object->calls.data[0]};
    p->target = target;
    if (public_target_open_diag("golden", NULL, 0, diag, &p->host) != MPU_OK) {
        free(p);
        return false;
    }
    *out = p;
    return true;
}

void session_pipeline_free(struct session_pipeline *pipeline) {
    if (!pipeline)
        return;
    mpu_pipeline_free(pipeline->made);
    mpu_target_close(pipeline->host);
    free(pipeline);
}

/* ---- a run ---- */

struct pipeline_job {
    mpu_session *session;
    struct session_pipeline *p;
    struct pipeline_text *text;
    struct ndarray *arrays;       /* [parameters], of buffers */
    struct pipeline_given *given; /* likewise */
    struct diag *d;
    bool planned; /* nothing is carried out: what comes in has no data */
};

static mpu_result wrong(struct pipeline_job *j, struct portable_fault *fault) {
    struct span at =
        package_kernel_span(j->session->object, j->p->kernel, fault->line, fault->column, j->d);
    diag_error(j->d, at, "pipeline '%s': %s", j->p->kernel->name, str_text(&fault->what));
    str_free(&fault->what);
    return MPU_REJECTED;
}

/* ---- errors of a run ---- */

static uint32_t lines_in(const char *text, size_t size) {
    uint32_t n = 0;
    for (size_t i = 0; i < size && text[i]; i++)
        n += text[i] == '\n';
    return n;
}

/* Whether a stage begins there in a program that a part has become (pipeline_program). */
static bool is_head(const char *line) {
    static const char *const words[] = {"map (", "reduce (", "filter (", "window ", "group "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* The line of the pipeline's text that line `offset` of a body, from 0, is; behind the body stands
 * that of `combine`. */
static uint32_t line_of_body(const struct pipeline_text *t, const struct pipeline_written *s,
                             uint32_t offset) {
    const uint32_t body = lines_in(s->body.text, SIZE_MAX);
    const bool behind = offset >= body + 2 && s->combine.text;
    const struct pipeline_piece *p = behind ? &s->combine : &s->body;
    return 1 + lines_in(t->bytes, p->at) + offset - (behind ? body + 2 : 0);
}

/* The same of line `line` of the program of part number `part`; 0: it is in no body. */
static uint32_t line_of_part(const struct pipeline_job *j, uint32_t part, uint32_t line) {
    struct pipeline_segment segment;
    char *program = mpu_pipeline_program(j->p->made, part, NULL);
    uint32_t at = 1, head = 0, found = 0;
    if (!program)
        return 0;
    pipeline_segment_read(&j->p->made->stages, part, &segment);
    uint32_t stage = segment.kernels.data[0];
    for (const char *x = program; x && at < line; at++) {
        if (is_head(x) && stage < vec_last(&segment.kernels)) {
            head = at;
            found = stage++;
        }
        x = strchr(x, '\n');
        x = x ? x + 1 : NULL;
    }
    pipeline_segment_free(&segment);
    mpu_string_free(program);
    return head && line > head && found < j->text->stages.len
               ? line_of_body(j->text, &j->text->stages.data[found], line - head - 1)
               : 0;
}

/* Programs of parts are called pipeline1.ez and so on: the last place in one is that of the fault.
 * *text: what is said of it.  The host's programs have no line for the units. */
static uint32_t line_of_fault(const struct pipeline_job *j, const char **text) {
    static const char name[] = "pipeline";
    const char *end = *text + strcspn(*text, "\n");
    uint32_t found = 0;
    for (const char *at = *text; (at = strstr(at, name)) && at < end; at++) {
        unsigned part, line;
        int size = 0;
        if (sscanf(at, "pipeline%u.ez:%u: %n", &part, &line, &size) != 2 || !size || !part ||
            part > j->p->made->stages.bases.len)
            continue;
        bool host = pipeline_units(j->p->made) && strncmp(at + size, "on golden", 9) == 0;
        uint32_t here = line_of_part(j, part - 1, line + host);
        found = here ? here : found;
        *text = here ? at + size : *text;
    }
    return found;
}

/* An error of the pipeline's calls, at its line of the text where that is known. */
static mpu_result failed(struct pipeline_job *j, mpu_error *error) {
    static const char head[] = "error: ";
    mpu_result r = mpu_error_code(error);
    const char *at = mpu_error_text(error);
    const uint32_t line = j->p->made ? line_of_fault(j, &at) : 0;
    struct str text = {0};
    if (strncmp(at, head, strlen(head)) == 0)
        at += strlen(head);
    for (; *at; at++) {
        if (*at != '\n')
            str_char(&text, *at);
        else if (at[1])
            str_append(&text, "; ");
    }
    diag_error(j->d, package_kernel_span(j->session->object, j->p->kernel, line, 0, j->d),
               "pipeline '%s': %s", j->p->kernel->name, str_text(&text));
    str_free(&text);
    mpu_error_free(error);
    return r;
}

/* ---- arrays and numbers ---- */

/* What an output alone had before is not the run's. */
static mpu_result open_buffer(struct pipeline_job *j, uint32_t i) {
    const uint32_t buffer = j->p->call->arguments[i].buffer;
    const struct buffer_decl *b = &j->session->object->buffers.data[buffer];
    struct ndarray *a = &j->arrays[i];
    mpu_result r = session_buffer_get(j->session, buffer, a, j->d);
    if (r != MPU_OK)
        return r;
    const uint64_t bytes = a->count * object_element_bytes(b->type);
    if (!(b->direction & VAR_IN))
        memset(a->data, 0, bytes);
    j->given[i] = (struct pipeline_given){
        .known = true, .data = a->data, .elements = a->count, .direction = b->direction};
    return MPU_OK;
}

static mpu_result give(struct pipeline_job *j) {
    mpu_result r = MPU_OK;
    for (uint32_t i = 0; i < j->p->kernel->parameter_count && r == MPU_OK; i++) {
        const struct kernel_argument *a = &j->p->call->arguments[i];
        if (j->p->kernel->parameters[i].kind == PARAMETER_BUFFER)
            r = open_buffer(j, i);
        else
            j->given[i] = (struct pipeline_given){
                .known = true,
                .number = a->size == NO_INDEX ? a->number : (uint64_t)j->session->sizes[a->size]};
    }
    return r;
}

static void begin_accumulators(struct pipeline_job *j) {
    for (uint32_t i = 0; i < j->p->kernel->parameter_count; i++) {
        const struct kernel_parameter *q = &j->p->kernel->parameters[i];
        const unsigned size = q->kind == PARAMETER_BUFFER ? object_element_bytes(q->type) : 0;
        uint64_t value;
        if (!size || !pipeline_text_begins(j->text, j->given, i, &value))
            continue;
        for (uint64_t k = 0; k < j->arrays[i].count; k++)
            memcpy((char *)j->arrays[i].data + k * size, &value, size);
    }
}

static bool number(struct pipeline_job *j, const struct pipeline_piece *piece, const char *what,
                   uint64_t most, uint64_t *out, struct portable_fault *fault) {
    *out = 0;
    return !piece->text || pipeline_text_number(j->text, j->given, piece, what, most, out, fault);
}

/* How a session of a round is. */
static mpu_config config_of(const mpu_session *s) {
    return (mpu_config){.size = sizeof(mpu_config),
                        .engine = s->engine,
                        .batch = s->batch,
                        .init = s->init,
                        .threads = s->config.threads,
                        .check = s->config.check,
                        .max_cycles = s->config.max_cycles,
                        .max_seconds = s->config.max_seconds,
                        .prove = s->config.prove,
                        .cache = s->config.cache,
                        .interrupted = s->config.interrupted,
                        .print = s->config.print,
                        .print_context = s->config.print_context,
                        .unhashed = 1};
}

static mpu_result make_pipeline(struct pipeline_job *j) {
    const struct object *o = j->session->object;
    const struct kernel_decl *k = j->p->kernel;
    const struct place at = object_kernel_place(o, k);
    mpu_config config = config_of(j->session);
    mpu_pipeline_options options = {.size = sizeof options,
                                    .no_fuse = j->text->no_fuse,
                                    .full = j->text->full,
                                    .config = &config};
    struct portable_fault fault = {.line = 0};
    mpu_error *error = NULL;
    uint64_t length, units;
    if (!number(j, &j->text->length, "the length", PIPELINE_MAX_LENGTH, &length, &fault) ||
        !number(j, &j->text->units, "the number of units", UINT32_MAX, &units, &fault) ||
        !number(j, &j->text->cpu_elements, "the number of the host's elements", UINT64_MAX,
                &options.cpu_elements, &fault) ||
        !number(j, &j->text->mram_bytes, "the memory of a unit", UINT64_MAX, &options.mram_bytes,
                &fault))
        return wrong(j, &fault);
    options.dpus = (uint32_t)units;
    mpu_pipeline_free(j->p->made);
    j->p->made = mpu_pipeline_new(j->p->target, length, &options, &error);
    if (!j->p->made)
        return failed(j, error);
    const char *file = at.file < o->files.len ? o->files.data[at.file] : NULL;
    if (!pipeline_text_add(j->text, j->given, file, k->first_line ? k->first_line : 1,
                           &j->p->made->stages, &fault))
        return wrong(j, &fault);
    return MPU_OK;
}

/* ---- results ---- */

static mpu_result put_counts(struct pipeline_job *j) {
    static const struct element_type whole = {ELEMENT_UINT, 64};
    size_t count;
    const struct pipeline_kept_count *all = pipeline_text_counts(j->text, j->given, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t q = all[i].parameter;
        const unsigned size = object_element_bytes(j->p->kernel->parameters[q].type);
        uint64_t n = 0;
        if (mpu_pipeline_length(j->p->made, all[i].key, &n) != MPU_OK || !j->arrays[q].count)
            continue;
        n /= all[i].group;
        if (!session_value_fits(whole, n, j->p->kernel->parameters[q].type)) {
            diag_error(j->d, object_span(j->session->object, j->p->kernel->place, j->d),
                       "pipeline '%s': the count of a filter is %" PRIu64
                       ", which does not fit the type of `%s`",
                       j->p->kernel->name, n, j->p->kernel->parameters[q].name);
            return MPU_STOPPED;
        }
        memcpy(j->arrays[q].data, &n, size);
    }
    return MPU_OK;
}

static mpu_result put_results(struct pipeline_job *j) {
    mpu_result r = put_counts(j);
    for (uint32_t i = 0; i < j->p->kernel->parameter_count && r == MPU_OK; i++)
        if (j->p->kernel->parameters[i].kind == PARAMETER_BUFFER && j->given[i].direction & VAR_OUT)
            r = session_buffer_put(j->session, j->p->call->arguments[i].buffer, &j->arrays[i],
                                   j->d);
    return r;
}

static mpu_result carry_out(struct pipeline_job *j) {
    mpu_error *error = NULL;
    mpu_result r = make_pipeline(j);
    if (r != MPU_OK || j->planned)
        return r;
    begin_accumulators(j);
    if (mpu_pipeline_execute(j->p->made, &error) != MPU_OK)
        return failed(j, error);
    return put_results(j);
}

static mpu_result with_text(mpu_session *session, bool planned, struct diag *diag) {
    struct session_pipeline *p = session->pipeline;
    struct pipeline_job j = {.session = session, .p = p, .d = diag, .planned = planned};
    struct portable_fault fault = {.line = 0};
    const uint32_t count = p->kernel->parameter_count;
    j.text = pipeline_text_read(p->kernel, &fault);
    if (!j.text)
        return wrong(&j, &fault);
    j.arrays = xcalloc(count + 1, sizeof *j.arrays);
    j.given = xcalloc(count + 1, sizeof *j.given);
    mpu_result r = give(&j);
    r = r == MPU_OK ? carry_out(&j) : r;
    for (uint32_t i = 0; i < count; i++)
        ndarray_free(&j.arrays[i]);
    free(j.arrays);
    free(j.given);
    pipeline_text_free(j.text);
    return r;
}

mpu_result session_pipeline_run(mpu_session *session, struct diag *diag) {
    mpu_result r = session_prepare(session, diag);
    session_forget_views(session);
    memset(session->buffers.was_read, 0, session->object->buffers.len);
    if (r != MPU_OK)
        return r;
    if (!session_buffers_there(session, diag))
        return MPU_USAGE;
    r = with_text(session, false, diag);
    /* It says that there was a run; the machine's own control carried nothing out. */
    control_free(session->control);
    session->control = r == MPU_OK ? control_new(session->object, session->here, session->target->t,
                                                 session->dp, &session->control_config)
                                   : NULL;
    session->end = CONTROL_DONE;
    const mpu_pipeline *x = session->pipeline->made;
    session->checked = (struct check_counts){.ensembles = 0};
    if (r == MPU_OK) {
        session->checked.ensembles = x->checked_ensembles;
        session->checked.elements = x->checked_elements;
        session->checked.launches = x->checked_launches;
        session->checked.bytes = x->checked_bytes;
        session->checked.unsettled = x->unsettled;
    }
    return r;
}

static mpu_result plan(mpu_session *session, struct diag *diag) {
    if (!session->pipeline) {
        diag_error(diag, NO_SPAN, "'%s' is a program without a pipeline", session->program->name);
        return MPU_USAGE;
    }
    if (session->pipeline->made)
        return MPU_OK;
    mpu_result r = session_prepare(session, diag);
    return r == MPU_OK ? with_text(session, true, diag) : r;
}

mpu_pipeline *mpu_session_pipeline(mpu_session *session, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, NULL);
    struct public_call c;
    public_call_begin(&c, session->messages, error);
    mpu_result r = public_call_end(&c, plan(session, c.d));
    return r == MPU_OK ? session->pipeline->made : NULL;
}
