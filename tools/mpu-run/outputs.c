/* SPDX-License-Identifier: MIT
 * What --out, --print, --expect and --stats ask for. */
#include "tools/mpu-run/run.h"

#include "support/file.h"

#include <errno.h>
#include <string.h>

/* What is still in the buffer of standard output is asked for when the command ends. */
static mpu_result write_standard_output(const struct run_options *o, const char *text) {
    size_t size = strlen(text);
    if (fwrite(text, 1, size, o->stdout_file) == size)
        return MPU_OK;
    run_error(o, "cannot write standard output: %s", strerror(errno));
    return MPU_FILE;
}

mpu_result run_write_file(const struct run_options *o, const char *path, const char *text) {
    size_t size = strlen(text);
    if (strcmp(path, "-") == 0)
        return write_standard_output(o, text);
    if (file_write(path, text, size)) {
        tool_say(o->cl, "wrote '%s': %zu bytes", path, size);
        return MPU_OK;
    }
    run_error(o, "cannot write '%s': %s", path, strerror(errno));
    return MPU_FILE;
}

/* ---- --out ---- */

static mpu_result output_text(const struct run_options *o, mpu_session *s, const char *name) {
    mpu_error *e = NULL;
    char *text = mpu_session_text(s, name, 0, UINT64_MAX, 1, &e);
    if (!text)
        return run_code(e);
    mpu_result r = write_standard_output(o, text);
    mpu_string_free(text);
    return r;
}

static mpu_result output(const struct run_options *o, mpu_session *s, const struct run_item *x) {
    mpu_array a;
    uint64_t bytes;
    if (o->quiet)
        return mpu_session_view(s, x->name, &a, NULL);
    if (strcmp(x->value, "-") == 0)
        return output_text(o, s, x->name);
    mpu_result r = mpu_session_save(s, x->name, x->value, &bytes, NULL);
    if (r == MPU_OK)
        tool_say(o->cl, "wrote '%s': %llu bytes", x->value, (unsigned long long)bytes);
    return r;
}

mpu_result run_outputs(const struct run_options *o, mpu_session *s) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->out.len; i++)
        r = output(o, s, &o->out.data[i]);
    return r;
}

/* ---- --print ---- */

static mpu_result print_part(const struct run_options *o, mpu_session *s, const struct run_item *x,
                             uint64_t to) {
    struct str text = {0};
    mpu_error *e = NULL;
    char *elements = mpu_session_text(s, x->name, x->from, to, 0, &e);
    if (!elements)
        return run_code(e);
    str_append(&text, x->name);
    if (x->sliced)
        str_printf(&text, "[%llu:%llu]", (unsigned long long)x->from, (unsigned long long)to);
    str_printf(&text, " =%s", elements);
    mpu_result r = write_standard_output(o, str_text(&text));
    mpu_string_free(elements);
    str_free(&text);
    return r;
}

static mpu_result print_one(const struct run_options *o, mpu_session *s, const struct run_item *x) {
    mpu_array a;
    mpu_result r = mpu_session_view(s, x->name, &a, NULL);
    if (r != MPU_OK || o->quiet)
        return r;
    uint64_t first = a.ndim ? a.shape[0] : 1;
    if (x->from <= first)
        return print_part(o, s, x, x->sliced && x->to < first ? x->to : first);
    run_error(o, "--print %s[%llu:]: the first extent is %llu", x->name,
              (unsigned long long)x->from, (unsigned long long)first);
    return MPU_REJECTED;
}

mpu_result run_prints(const struct run_options *o, mpu_session *s) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->print.len; i++)
        r = print_one(o, s, &o->print.data[i]);
    return r;
}

/* ---- --expect, --stats ---- */

mpu_result run_expects(const struct run_options *o, mpu_session *s) {
    mpu_result worst = MPU_OK;
    for (size_t i = 0; i < o->expect.len; i++) {
        const struct run_item *x = &o->expect.data[i];
        mpu_result r = mpu_session_expect(s, x->name, x->value, NULL);
        if (worst == MPU_OK || (r != MPU_OK && r != MPU_DIFFERS))
            worst = r;
    }
    return worst;
}

mpu_result run_statistics(const struct run_options *o, mpu_session *s) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->stats.len; i++) {
        const struct run_stats *x = &o->stats.data[i];
        mpu_error *e = NULL;
        unsigned columns = strcmp(x->file, "-") == 0 ? o->columns : 0;
        char *text = mpu_session_stats_wide(s, x->format, columns, &e);
        r = text ? run_write_file(o, x->file, text) : run_code(e);
        mpu_string_free(text);
    }
    return r;
}
