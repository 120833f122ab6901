/* SPDX-License-Identifier: MIT
 * Figures of a pipeline's run: time part by part, by round and by launch. */
#include "runtime/session_pipeline.h"

#include "support/saturate.h"

static void put_launches(const mpu_pipeline *x, const struct pipeline_part *p,
                         struct figures *out) {
    struct pipeline_segment segment;
    pipeline_segment_read(&x->stages, p->segment, &segment);
    report_figures_array(out, "launches");
    for (size_t k = 0; k + 1 < segment.kernels.len; k++) {
        report_figures_object(out, NULL);
        report_figures_number(out, "first_stage", segment.kernels.data[k] + 1u);
        report_figures_number(out, "last_stage", segment.kernels.data[k + 1]);
        report_figures_number(out, "kernel_ps", p->kernels_ps[k]);
        report_figures_end(out);
    }
    report_figures_end(out);
    pipeline_segment_free(&segment);
}

static void put_run(const mpu_pipeline *x, const struct pipeline_part *p, uint64_t round,
                    struct figures *out) {
    report_figures_object(out, NULL);
    report_figures_number(out, "part", p->segment + 1u);
    report_figures_text(out, "by", p->host ? "host" : "machine");
    report_figures_number(out, "elements", p->count);
    if (p->host) {
        report_figures_number(out, "host_ps", sat_mul(p->count, x->options.host_element_ps));
    } else {
        report_figures_number(out, "round", round);
        report_figures_number(out, "transfer_in_ps", p->in_ps);
        report_figures_number(out, "kernel_ps", p->kernel_ps);
        report_figures_number(out, "transfer_out_ps", p->out_ps);
        report_figures_number(out, "bytes_in", p->bytes_in);
        report_figures_number(out, "bytes_out", p->bytes_out);
        report_figures_number(out, "load_ps", p->load_ps);
        put_launches(x, p, out);
    }
    report_figures_end(out);
}

static void put_runs(const mpu_pipeline *x, struct figures *out) {
    uint64_t round = 0;
    report_figures_array(out, "runs");
    for (size_t i = 0; i < x->parts.len; i++) {
        round = i && x->parts.data[i].segment == x->parts.data[i - 1].segment ? round + 1 : 1;
        put_run(x, &x->parts.data[i], round, out);
    }
    report_figures_end(out);
}

void session_pipeline_text(mpu_session *session, const struct figures *figures, struct str *out) {
    static const char *const keys[] = {"provenance.program", "provenance.target", "end"};
    static const char *const behind[] = {" on ", ": ", "\n"};
    char *text = mpu_pipeline_stats(session->pipeline->made, NULL);
    for (size_t i = 0; i < 3; i++)
        str_printf(out, "%s%s", report_figures_find_text(figures, keys[i]), behind[i]);
    str_append(out, text ? text : "");
    mpu_string_free(text);
}

static uint64_t figure(const mpu_pipeline *x, const char *name) {
    uint64_t value = 0;
    mpu_pipeline_figure(x, name, &value);
    return value;
}

void session_pipeline_figures(const mpu_session *session, struct figures *out) {
    static const struct {
        const char *key, *figure;
    } lines[] = {{"transfer_in_ps", "transfer_in"},
                 {"kernel_ps", "kernel"},
                 {"transfer_out_ps", "transfer_out"},
                 {"host_ps", "host"},
                 {"total_ps", "total"},
                 {"once_ps", "once"},
                 {"bytes_in", "bytes_in"},
                 {"bytes_out", "bytes_out"},
                 {"parts", "parts"},
                 {"rounds", "rounds"},
                 {"cpu_elements", "cpu_elements"}};
    const mpu_pipeline *x = session->pipeline->made;
    report_figures_object(out, "total");
    report_figures_number(out, "time_ps", figure(x, "kernel"));
    report_figures_number(out, "end_to_end_time_ps", figure(x, "total"));
    report_figures_end(out);
    report_figures_object(out, "pipeline");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        report_figures_number(out, lines[i].key, figure(x, lines[i].figure));
    put_runs(x, out);
    report_figures_end(out);
}
