/* SPDX-License-Identifier: MIT
 * Statistics of a session's last run. */
#include "runtime/internal.h"

#include "emu/report/report_text.h"
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

static struct report_provenance provenance(const mpu_session *s,
                                           const struct report_input *inputs) {
    struct report_provenance p = {
        .version = tool_version_text(),
        .command = s->command,
        .command_count = s->command_count,
        .program = s->program->name,
        .recipes_sha256 = machine_hash(s->library.library),
        .engine = s->golden ? "golden" : s->engine,
        .batch = s->batch,
        .init = s->init,
        .check = s->config.check != 0,
        .inputs = inputs,
        .input_count = s->inputs.len,
    };
    memcpy(p.program_sha256, s->program->sha256, sizeof p.program_sha256);
    return p;
}

mpu_result session_figures(mpu_session *s, struct figures *out, struct diag *d) {
    if (!s->control) {
        diag_error(d, NO_SPAN, "there are no statistics before the first run");
        return MPU_USAGE;
    }
    struct report_input *inputs = xcalloc(s->inputs.len + 1, sizeof *inputs);
    for (size_t i = 0; i < s->inputs.len; i++) {
        inputs[i].name = s->inputs.data[i].name;
        inputs[i].source = s->inputs.data[i].source;
        memcpy(inputs[i].sha256, s->inputs.data[i].sha256, sizeof inputs[i].sha256);
    }
    struct report_run run = {
        .program = s->object,
        .package = s->package,
        .target = s->target->t,
        .control = s->control,
        .end = session_end_name(s->end),
        .provenance = provenance(s, inputs),
        .host = s->host,
    };
    report_fill(&run, out);
    free(inputs);
    return MPU_OK;
}

static bool render(const struct figures *f, const char *format, unsigned columns, struct str *out) {
    if (strcmp(format, "json") == 0)
        report_figures_json(f, out);
    else if (strcmp(format, "csv") == 0)
        report_figures_csv(f, out);
    else if (strcmp(format, "text") == 0)
        report_text(f, columns, out);
    else
        return false;
    return true;
}

mpu_result session_stats_diag(mpu_session *s, const char *format, unsigned columns, struct str *out,
                              struct diag *d) {
    struct figures f = {0};
    mpu_result r = session_figures(s, &f, d);
    if (r == MPU_OK && !render(&f, format, columns, out)) {
        diag_error(d, NO_SPAN, "unknown format '%s'; there are: text, json, csv", format);
        r = MPU_USAGE;
    }
    report_figures_free(&f);
    return r;
}

char *mpu_session_stats_wide(mpu_session *s, const char *format, uint32_t columns,
                             mpu_error **error) {
    struct call c;
    struct str text = {0};
    call_begin(&c, s->messages, error);
    if (call_end(&c, session_stats_diag(s, format, columns, &text, c.d)) == MPU_OK)
        return text_out(&text);
    str_free(&text);
    return NULL;
}

char *mpu_session_stats(mpu_session *s, const char *format, mpu_error **error) {
    return mpu_session_stats_wide(s, format, 0, error);
}

mpu_result mpu_session_figure(mpu_session *s, const char *path, uint64_t *value) {
    struct call c;
    struct figures f = {0};
    call_begin(&c, NULL, NULL);
    mpu_result r = session_figures(s, &f, c.d);
    if (r == MPU_OK && !report_figures_find(&f, path, value))
        r = MPU_USAGE;
    report_figures_free(&f);
    return call_end(&c, r);
}
