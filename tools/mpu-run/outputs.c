/* SPDX-License-Identifier: MIT
 * What --out, --print, --expect and --stats ask for. */
#include "tools/mpu-run/run.h"

#include "support/file.h"

#include <errno.h>
#include <string.h>

/* What is still in the buffer of standard output is asked for when the command ends. */
static mpu_result write_standard_output(const struct run_options *options, const char *text) {
    size_t size = strlen(text);
    if (fwrite(text, 1, size, options->stdout_file) == size)
        return MPU_OK;
    if (errno != EPIPE)
        run_error(options, "cannot write standard output: %s", strerror(errno));
    return MPU_FILE;
}

mpu_result run_write_file(const struct run_options *options, const char *path, const char *text) {
    size_t size = strlen(text);
    if (strcmp(path, "-") == 0)
        return write_standard_output(options, text);
    if (file_write(path, text, size)) {
        tool_say(options->cl, "wrote '%s': %zu bytes", path, size);
        return MPU_OK;
    }
    run_error(options, "cannot write '%s': %s", path, strerror(errno));
    return MPU_FILE;
}

/* ---- --out ---- */

static mpu_result output_text(const struct run_options *options, mpu_session *session,
                              const char *name) {
    mpu_error *e = NULL;
    char *text = mpu_session_text(session, name, 0, UINT64_MAX, 1, &e);
    if (!text)
        return run_code(e);
    mpu_result r = write_standard_output(options, text);
    mpu_string_free(text);
    return r;
}

static mpu_result output(const struct run_options *options, mpu_session *session,
                         const struct run_item *item) {
    mpu_array a;
    uint64_t bytes;
    if (options->quiet)
        return mpu_session_view(session, item->name, &a, NULL);
    if (strcmp(item->value, "-") == 0)
        return output_text(options, session, item->name);
    mpu_result r = mpu_session_save(session, item->name, item->value, &bytes, NULL);
    if (r == MPU_OK)
        tool_say(options->cl, "wrote '%s': %llu bytes", item->value, (unsigned long long)bytes);
    return r;
}

mpu_result run_outputs(const struct run_options *options, mpu_session *session) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < options->out.len; i++)
        r = output(options, session, &options->out.data[i]);
    return r;
}

/* ---- --print ---- */

static mpu_result print_part(const struct run_options *options, mpu_session *session,
                             const struct run_item *item, uint64_t to) {
    struct str text = {0};
    mpu_error *e = NULL;
    char *elements = mpu_session_text(session, item->name, item->from, to, 0, &e);
    if (!elements)
        return run_code(e);
    str_append(&text, item->name);
    if (item->sliced)
        str_printf(&text, "[%llu:%llu]", (unsigned long long)item->from, (unsigned long long)to);
    str_printf(&text, " =%s", elements);
    mpu_result r = write_standard_output(options, str_text(&text));
    mpu_string_free(elements);
    str_free(&text);
    return r;
}

static mpu_result print_one(const struct run_options *options, mpu_session *session,
                            const struct run_item *item) {
    mpu_array a;
    mpu_result r = mpu_session_view(session, item->name, &a, NULL);
    if (r != MPU_OK || options->quiet)
        return r;
    uint64_t first = a.ndim ? a.shape[0] : 1;
    if (item->from <= first)
        return print_part(options, session, item,
                          item->sliced && item->to < first ? item->to : first);
    run_error(options, "--print %s[%llu:]: the first extent is %llu", item->name,
              (unsigned long long)item->from, (unsigned long long)first);
    return MPU_REJECTED;
}

mpu_result run_prints(const struct run_options *options, mpu_session *session) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < options->print.len; i++)
        r = print_one(options, session, &options->print.data[i]);
    return r;
}

/* ---- --expect, --stats ---- */

static const char *ending(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* The last --ulp of this name, or of none; NULL: exact. */
static const struct run_item *ulps_of(const struct run_options *options, const char *name) {
    const struct run_item *found = NULL;
    for (size_t i = 0; i < options->ulps.len; i++) {
        const struct run_item *x = &options->ulps.data[i];
        if (x->name ? strcmp(x->name, name) == 0 : !found || !found->name)
            found = x;
    }
    return found;
}

static mpu_result expect_one(const struct run_options *options, mpu_session *session,
                             const struct run_item *item) {
    const struct run_item *ulps = ulps_of(options, item->name);
    uint64_t distance;
    if (!ulps)
        return mpu_session_expect(session, item->name, item->value, NULL);
    mpu_result r =
        mpu_session_expect_near(session, item->name, item->value, ulps->from, &distance, NULL);
    if (r == MPU_OK)
        tool_say(options->cl, "'%s' is at most %llu ulp%s from '%s'", item->name,
                 (unsigned long long)distance, ending(distance), item->value);
    return r;
}

mpu_result run_expects(const struct run_options *options, mpu_session *session) {
    mpu_result worst = MPU_OK;
    for (size_t i = 0; i < options->expect.len; i++) {
        mpu_result r = expect_one(options, session, &options->expect.data[i]);
        if (worst == MPU_OK || (r != MPU_OK && r != MPU_DIFFERS))
            worst = r;
    }
    return worst;
}

mpu_result run_statistics(const struct run_options *options, mpu_session *session) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < options->stats.len; i++) {
        const struct run_stats *x = &options->stats.data[i];
        mpu_error *e = NULL;
        unsigned columns = strcmp(x->file, "-") == 0 ? options->columns : 0;
        char *text = mpu_session_stats_wide(session, x->format, columns, &e);
        r = text ? run_write_file(options, x->file, text) : run_code(e);
        mpu_string_free(text);
    }
    return r;
}

/* ---- a run that said nothing else ---- */

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* Something of this run is on standard output. */
static bool has_printed(const struct run_options *options) {
    const struct run_watching *w = &options->watching;
    bool printed = options->console.printed || options->print.len || is_standard(w->trace) ||
                   is_standard(w->wear) || is_standard(w->every_file);
    for (size_t i = 0; i < options->out.len; i++)
        printed |= is_standard(options->out.data[i].value);
    for (size_t i = 0; i < options->stats.len; i++)
        printed |= is_standard(options->stats.data[i].file);
    for (size_t i = 0; i < w->uops.len; i++)
        printed |= is_standard(w->uops.data[i].file);
    printed |= is_standard(options->pages.report);
    for (size_t i = 0; i < options->pages.plots.len; i++)
        printed |= is_standard(options->pages.plots.data[i].file);
    return printed;
}

/* The command line asks for something that the run leaves behind, or for a comparison. */
static bool asks_for_something(const struct run_options *options) {
    const struct run_watching *w = &options->watching;
    return options->out.len || options->expect.len || options->stats.len || w->trace || w->wear ||
           w->every || w->log || w->uops.len || run_wants_page(options);
}

static void as_expected_text(mpu_session *session, const char *name, struct str *text) {
    mpu_array a;
    uint64_t count = 1;
    if (mpu_session_view(session, name, &a, NULL) != MPU_OK)
        return;
    for (uint32_t i = 0; i < a.ndim; i++)
        count *= a.shape[i];
    str_printf(text, "; '%s' is as expected, %llu element%s", name, (unsigned long long)count,
               ending(count));
}

static void compared_text(const struct run_compared *compared, struct str *text) {
    if (compared->ensembles || !compared->launches)
        str_printf(text,
                   "; after %llu ensemble%s every register, C and M of %llu element%s agreed with "
                   "golden",
                   (unsigned long long)compared->ensembles, ending(compared->ensembles),
                   (unsigned long long)compared->elements, ending(compared->elements));
    if (compared->launches)
        str_printf(text, "; after %llu launch%s %llu byte%s of memory agreed with golden",
                   (unsigned long long)compared->launches, compared->launches == 1 ? "" : "es",
                   (unsigned long long)compared->bytes, ending(compared->bytes));
    if (compared->unsettled)
        str_printf(text, ", and %llu depend%s on the order of threads",
                   (unsigned long long)compared->unsettled, compared->unsettled == 1 ? "s" : "");
    str_append(text, str_text(&compared->expected));
}

void run_compared_add(const struct run_options *options, mpu_session *session, bool expects,
                      struct run_compared *compared) {
    uint64_t ensembles, elements, launches, bytes, unsettled;
    if (mpu_session_checked(session, &ensembles, &elements) != MPU_OK ||
        mpu_session_checked_kernels(session, &launches, &bytes, &unsettled) != MPU_OK)
        return;
    compared->runs++;
    compared->ensembles += ensembles;
    compared->elements += elements;
    compared->launches += launches;
    compared->bytes += bytes;
    compared->unsettled += unsettled;
    for (size_t i = 0; expects && i < options->expect.len; i++)
        as_expected_text(session, options->expect.data[i].name, &compared->expected);
}

/* Nobody asked for anything: what there is to ask for. */
static void unread_text(const mpu_program *program, struct str *text) {
    bool some = false;
    for (size_t i = 0; i < mpu_program_variable_count(program); i++)
        if (mpu_program_variable_use(program, i) & MPU_OUT) {
            str_printf(text, "%s%s", some ? ", " : "; results, which --print and --out show: ",
                       mpu_program_variable_name(program, i));
            some = true;
        }
}

/* Room for a line: nothing else was said. */
static bool is_silent(const struct run_options *options) {
    return !options->quiet && !mpu_messages_errors(options->messages) && !has_printed(options);
}

void run_say_done(const struct run_options *options, const mpu_program *program,
                  const mpu_target *target, mpu_session *session) {
    struct run_compared compared = {0};
    struct str text = {0};
    run_compared_add(options, session, true, &compared);
    str_printf(&text, "%s on %s: done", mpu_program_name(program), mpu_target_name(target));
    if (compared.runs)
        compared_text(&compared, &text);
    else
        unread_text(program, &text);
    str_char(&text, '\n');
    if (is_silent(options) && (compared.runs || !asks_for_something(options)))
        write_standard_output(options, str_text(&text));
    str_free(&compared.expected);
    str_free(&text);
}

void run_say_compared(const struct run_options *options, const mpu_program *program,
                      const struct run_compared *compared) {
    struct str text = {0};
    if (!compared->runs || !is_silent(options))
        return;
    str_printf(&text, "%s in %llu run%s: done", mpu_program_name(program),
               (unsigned long long)compared->runs, ending(compared->runs));
    compared_text(compared, &text);
    str_char(&text, '\n');
    write_standard_output(options, str_text(&text));
    str_free(&text);
}
