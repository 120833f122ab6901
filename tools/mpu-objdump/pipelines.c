/* SPDX-License-Identifier: MIT
 * Pipelines: plans for targets, and the code of their kernels there. */
#include "emu/place/place.h"
#include "runtime/pipelines.h"
#include "runtime/program.h"
#include "tools/mpu-objdump/packages.h"

#include <string.h>

struct plan_job {
    const struct objdump_options *o;
    const struct open_target *target;
    const char *name; /* the target's, as it was given */
    const char *file;
    mpu_messages *messages;
    mpu_program *program;
    mpu_target *t;
    mpu_session *session;
    mpu_pipeline *pipeline; /* the session's */
    struct str *out;
};

void objdump_print_message(void *options, const mpu_message *message) {
    const struct objdump_options *o = options;
    const struct diag_printer *p = &o->cl.printer;
    const char *form = p->format == DIAG_JSON ? "json" : p->color ? "color" : "text";
    char *text = mpu_message_format(message, form, p->prefix);
    fputs(text, p->out);
    mpu_string_free(text);
}

enum exit_code objdump_failed(mpu_error *error) {
    enum exit_code code = mpu_error_code(error) == MPU_FILE ? EXIT_FILE : EXIT_REJECTED;
    mpu_error_free(error);
    return code;
}

/* ---- code ---- */

static enum exit_code show_package(const struct plan_job *j, const struct object *program,
                                   const struct pipeline_shares *shares) {
    const struct size_binding sizes[] = {
        {.name = "n",
         .value = shares->counts.elements_per_round ? shares->counts.elements_per_round : 1},
        {.name = "u", .value = shares->counts.units}};
    struct package *p = place_build(program, j->target->target, j->target->library, sizes,
                                    object_find_size(program, "u") == NO_INDEX ? 1 : 2, PLACE_AUTO,
                                    FINISH_AUTO, j->o->cl.diag);
    if (!p)
        return EXIT_REJECTED;
    package_print_code(p, j->target->library, j->out);
    package_print_kernels(p, program, j->target->library, j->out);
    package_free(p);
    return EXIT_DONE;
}

static enum exit_code show_part(const struct plan_job *j, uint32_t part, const char *text) {
    struct pipeline_segment segment;
    struct arena arena = {0};
    mpu_error *error = NULL;
    mpu_source *source = mpu_source_new(j->messages);
    mpu_source_for_target(source, j->name);
    mpu_source_set_spill(source, 1);
    mpu_source_add_text(source, arena_printf(&arena, "pipeline%u.ez", part + 1), text,
                        strlen(text));
    mpu_program *p = mpu_source_build(source, &error);
    enum exit_code code = p ? EXIT_DONE : objdump_failed(error);
    if (p) {
        pipeline_segment_read(&j->pipeline->stages, part, &segment);
        const struct pipeline_shares shares = pipeline_shares_of(j->pipeline, &segment);
        str_printf(j->out, "\npart %u:\n", part + 1);
        code = show_package(j, program_on(p, j->t)->object, &shares);
        pipeline_segment_free(&segment);
    }
    mpu_program_free(p);
    mpu_source_free(source);
    arena_free(&arena);
    return code;
}

static enum exit_code show_code(const struct plan_job *j) {
    enum exit_code code = EXIT_DONE;
    mpu_error *error = NULL;
    char *text;
    for (uint32_t i = 0; code == EXIT_DONE && (text = mpu_pipeline_program(j->pipeline, i, &error));
         i++) {
        code = show_part(j, i, text);
        mpu_string_free(text);
    }
    return error ? objdump_failed(error) : code;
}

/* ---- plans ---- */

static enum exit_code open_session(struct plan_job *j) {
    const struct package_request *r = &j->o->targets;
    const mpu_config config = {.size = sizeof config, .messages = j->messages};
    mpu_error *error = NULL;
    j->t = mpu_target_open_with(j->name, NULL, j->messages, &error);
    j->session = j->t ? mpu_session_new(j->program, j->t, &config, &error) : NULL;
    for (size_t i = 0; j->session && !error && i < r->sizes.len; i++)
        mpu_session_bind_size(j->session, r->sizes.data[i].name, r->sizes.data[i].value, &error);
    if (j->session && !error)
        j->pipeline = mpu_session_pipeline(j->session, &error);
    return error ? objdump_failed(error) : EXIT_DONE;
}

static enum exit_code show_target(struct plan_job *j) {
    mpu_error *error = NULL;
    enum exit_code code = open_session(j);
    char *plan = code == EXIT_DONE && j->o->plan ? mpu_pipeline_plan(j->pipeline, &error) : NULL;
    if (error)
        code = objdump_failed(error);
    if (code == EXIT_DONE)
        str_printf(j->out, "%s%s on %s\n", j->out->len ? "\n" : "", j->file, mpu_target_name(j->t));
    if (plan)
        str_append(j->out, plan);
    mpu_string_free(plan);
    if (code == EXIT_DONE && j->o->recipes)
        code = show_code(j);
    mpu_session_free(j->session);
    mpu_target_close(j->t);
    return code;
}

enum exit_code objdump_pipeline_show(const struct objdump_options *options, const char *name,
                                     const struct object *object, const char *bytes, size_t size,
                                     struct str *out) {
    enum exit_code code = EXIT_DONE;
    mpu_error *error = NULL;
    if (!object_find_pipeline(object)) {
        diag_error(options->cl.diag, NO_SPAN, "'%s' has no pipeline, and --plan shows that of one",
                   name);
        return EXIT_REJECTED;
    }
    struct plan_job all = {.o = options, .file = name, .out = out};
    all.program = mpu_program_load(bytes, size, &error);
    if (!all.program) {
        diag_error(options->cl.diag, NO_SPAN, "%s", mpu_error_text(error));
        return objdump_failed(error);
    }
    all.messages = mpu_messages_new(objdump_print_message, (void *)(uintptr_t)options);
    for (size_t i = 0; code == EXIT_DONE && i < options->targets.names.len; i++) {
        struct plan_job j = all;
        j.target = &options->targets.targets[i];
        j.name = options->targets.names.data[i];
        code = show_target(&j);
    }
    mpu_program_free(all.program);
    mpu_messages_free(all.messages);
    return code;
}
