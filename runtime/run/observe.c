/* SPDX-License-Identifier: MIT
 * What --trace asks for: observers of a run, and their files. */
#include "emu/observe/trace.h"
#include "runtime/run/run.h"

#include <errno.h>
#include <string.h>

/* NULL after reporting.  "-" is `out`. */
static struct file_stream *open_file(const char *path, struct diag *d, FILE *out) {
    struct file_stream *f = strcmp(path, "-") == 0 ? file_stream_over(out) : file_stream_open(path);
    if (!f)
        diag_error(d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    return f;
}

static mpu_result close_file(const struct run_options *o, const char *path, struct file_stream *f,
                             struct diag *d) {
    if (file_stream_close(f)) {
        say(o->cl, "wrote '%s'", path);
        return MPU_OK;
    }
    diag_error(d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    return MPU_FILE;
}

mpu_result run_observers_open(const struct run_options *o, mpu_session *s, struct run_observers *x,
                              struct diag *d, FILE *out) {
    *x = (struct run_observers){0};
    if (!o->trace)
        return MPU_OK;
    x->trace_file = open_file(o->trace, d, out);
    if (!x->trace_file)
        return MPU_FILE;
    x->trace = trace_new(s->object, s->package, s->target->t->name, x->trace_file);
    s->control_config.span = trace_span;
    s->control_config.span_context = x->trace;
    return MPU_OK;
}

mpu_result run_observers_close(const struct run_options *o, mpu_session *s, struct run_observers *x,
                               struct diag *d) {
    s->control_config.span = NULL;
    if (!x->trace)
        return MPU_OK;
    trace_end(x->trace);
    if (!s->control) { /* nothing ran */
        file_stream_drop(x->trace_file);
        return MPU_OK;
    }
    return close_file(o, o->trace, x->trace_file, d);
}
