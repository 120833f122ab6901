/* SPDX-License-Identifier: MIT
 * Statistics of a session's last run. */
#include "runtime/public.h"
#include "runtime/session.h"
#include "runtime/session_pipeline.h"
#include "runtime/transfer.h"

#include "emu/report/report_text.h"
#include "emu/report/summary.h"
#include "support/alloc.h"
#include "support/options.h"

#include <stdlib.h>
#include <string.h>

const char *session_end_name(enum control_end end) {
    static const char *const names[] = {[CONTROL_DONE] = "done",
                                        [CONTROL_STOPPED] = "stopped",
                                        [CONTROL_LIMIT] = "limit",
                                        [CONTROL_INTERRUPTED] = "interrupted",
                                        [CONTROL_DIFFERS] = "differs"};
    return names[end];
}

static struct report_provenance provenance(const mpu_session *session,
                                           const struct report_input *inputs) {
    struct report_provenance p = {
        .version = tool_version_text(),
        .command = session->command,
        .command_count = session->command_count,
        .program = session->program->name,
        .recipes_sha256 = machine_hash(session->library.library),
        .engine = session->engine_name,
        .batch = session->batch,
        .init = session->init,
        .check = session->config.check != 0,
        .inputs = inputs,
        .input_count = session->inputs.len,
    };
    memcpy(p.program_sha256, session->program->sha256, sizeof p.program_sha256);
    return p;
}

static struct report_input *list_inputs(const mpu_session *session) {
    struct report_input *inputs = xcalloc(session->inputs.len + 1, sizeof *inputs);
    for (size_t i = 0; i < session->inputs.len; i++) {
        inputs[i].name = session->inputs.data[i].name;
        inputs[i].source = session->inputs.data[i].source;
        memcpy(inputs[i].sha256, session->inputs.data[i].sha256, sizeof inputs[i].sha256);
    }
    return inputs;
}

static struct report_resident *list_residents(const mpu_session *session) {
    struct report_resident *list = xcalloc(session->residents.len + 1, sizeof *list);
    for (size_t i = 0; i < session->residents.len; i++) {
        const struct session_resident *r = &session->residents.data[i];
        list[i] = (struct report_resident){r->name, r->bytes_in, r->bytes_out};
    }
    return list;
}

/* Outputs that nobody has read, and that do not stay on the machine; sets *count. */
static const char **list_unread(mpu_session *session, size_t *count) {
    const struct object *o = session->object;
    const char **list = xcalloc(o->vars.len + o->buffers.len + 1, sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; session->end == CONTROL_DONE && i < o->vars.len; i++)
        if (o->vars.data[i].direction & VAR_OUT && !session->was_read[i] &&
            !session_stands_for_buffer(session, i) &&
            !session_resident_variable(session, &o->vars.data[i]))
            list[n++] = o->vars.data[i].name;
    for (uint32_t i = 0; session->buffers.launches && i < o->buffers.len; i++)
        if (o->buffers.data[i].direction & VAR_OUT && !session->buffers.was_read[i] &&
            !session_resident_buffer(session, i))
            list[n++] = o->buffers.data[i].name;
    *count = n;
    return list;
}

static struct report_expected *list_expected(const mpu_session *session) {
    struct report_expected *list = xcalloc(session->expected.len + 1, sizeof *list);
    for (size_t i = 0; i < session->expected.len; i++) {
        const struct session_expected *x = &session->expected.data[i];
        list[i] = (struct report_expected){.name = x->name,
                                           .elements = x->elements,
                                           .different = x->different,
                                           .near = x->near,
                                           .number = x->distance != UINT64_MAX,
                                           .ulps = x->ulps,
                                           .distance = x->distance};
    }
    return list;
}

mpu_result session_figures(mpu_session *session, struct figures *out, struct diag *diag) {
    if (!session->control) {
        diag_error(diag, NO_SPAN, "there are no statistics before the first run");
        return MPU_USAGE;
    }
    struct report_input *inputs = list_inputs(session);
    struct report_resident *residents = list_residents(session);
    struct report_expected *expected = list_expected(session);
    size_t unread_count;
    const char **unread = list_unread(session, &unread_count);
    struct report_run run = {
        .program = session->object,
        .package = session->package,
        .target = session->pipeline ? session->pipeline->target->t : session->target->t,
        .control = session->control,
        .end = session_end_name(session->end),
        .provenance = provenance(session, inputs),
        .host = session->host,
        .residents = residents,
        .resident_count = session->residents.len,
        .unread = unread,
        .unread_count = unread_count,
        .expected = expected,
        .expected_count = session->expected.len,
    };
    if (session->pipeline) {
        report_fill_head(&run, SESSION_PIPELINE_SCHEMA, out);
        session_pipeline_figures(session, out);
        report_figures_end(out);
    } else {
        report_fill(&run, out);
    }
    free(inputs);
    free(residents);
    free(unread);
    free(expected);
    return MPU_OK;
}

static bool render(const struct figures *figures, const char *format, unsigned columns,
                   struct str *out) {
    if (strcmp(format, "json") == 0)
        report_figures_json(figures, out);
    else if (strcmp(format, "csv") == 0)
        report_figures_csv(figures, out);
    else if (strcmp(format, "text") == 0)
        report_summary(figures, out);
    else if (strcmp(format, "text:full") == 0)
        report_text(figures, columns, out);
    else
        return false;
    return true;
}

/* Those of a pipeline have a text of their own. */
static bool render_all(mpu_session *session, const struct figures *figures, const char *format,
                       unsigned columns, struct str *out) {
    if (!session->pipeline || strncmp(format, "text", 4) != 0)
        return render(figures, format, columns, out);
    if (format[4] && strcmp(format, "text:full") != 0)
        return false;
    session_pipeline_text(session, figures, out);
    return true;
}

mpu_result session_stats_diag(mpu_session *session, const char *format, unsigned columns,
                              struct str *out, struct diag *diag) {
    struct figures f = {0};
    mpu_result r = session_figures(session, &f, diag);
    if (r == MPU_OK && !render_all(session, &f, format, columns, out)) {
        diag_error(diag, NO_SPAN, "unknown format '%s'; there are: text, text:full, json, csv",
                   format);
        r = MPU_USAGE;
    }
    report_figures_free(&f);
    return r;
}

char *mpu_session_stats_wide(mpu_session *session, const char *format, uint32_t columns,
                             mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, NULL);
    struct public_call c;
    struct str text = {0};
    public_call_begin(&c, session->messages, error);
    if (public_call_end(&c, session_stats_diag(session, format, columns, &text, c.d)) == MPU_OK)
        return public_text_out(&text);
    str_free(&text);
    return NULL;
}

char *mpu_session_stats(mpu_session *session, const char *format, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, NULL);
    return mpu_session_stats_wide(session, format, 0, error);
}

mpu_result mpu_session_figure(mpu_session *session, const char *path, uint64_t *value) {
    PUBLIC_ENTRY_OF(session, NULL, MPU_CAPACITY);
    struct public_call c;
    struct figures f = {0};
    public_call_begin(&c, NULL, NULL);
    mpu_result r = session_figures(session, &f, c.d);
    if (r == MPU_OK && !report_figures_find(&f, path, value))
        r = MPU_USAGE;
    report_figures_free(&f);
    return public_call_end(&c, r);
}
