/* SPDX-License-Identifier: MIT
 * Sessions of programs that are a pipeline (docs/dappa.md): the session is golden's, whose buffers
 * are the host's arrays, and its run plans the pipeline and carries it out on the target. */
#ifndef RUNTIME_SESSION_PIPELINE_H
#define RUNTIME_SESSION_PIPELINE_H

#include "runtime/pipelines.h"
#include "runtime/session.h"

#include "pipeline/text.h"

struct session_pipeline {
    const struct kernel_decl *kernel;
    const struct recipe_call *call;
    const mpu_target *target; /* that was asked for */
    mpu_target *host;
    mpu_pipeline *made; /* of the latest run; NULL */
};

/* *out: NULL of a program that is no pipeline.  False after reporting. */
bool session_pipeline_new(const struct object *object, const mpu_target *target, struct diag *diag,
                          struct session_pipeline **out);
void session_pipeline_free(struct session_pipeline *pipeline); /* NULL: nothing */
mpu_result session_pipeline_run(mpu_session *session, struct diag *diag);

/* ---- session_pipeline_stats.c ---- */
/* Of its statistics as JSON (docs/dappa.md). */
#define SESSION_PIPELINE_SCHEMA "mpu-pipeline-statistics-1"
/* Behind provenance, sizes and the end. */
void session_pipeline_figures(const mpu_session *session, struct figures *out);
/* For people: mpu_pipeline_stats behind what was run. */
void session_pipeline_text(mpu_session *session, const struct figures *figures, struct str *out);

#endif
