/* SPDX-License-Identifier: MIT
 * What --report, --plot and --base ask for: a page of the figures, and single pictures of it. */
#include "tools/mpu-run/run.h"

#include <errno.h>
#include <string.h>

/* Runs of a sweep whose pages need all statistics of each; of more the table has to do. */
#define MOST_WHOLE 256

bool run_plot_option(const struct command_line *cl, const struct option_value *value,
                     struct run_options *options) {
    size_t n = strcspn(value->value, ":");
    const char *known;
    struct str all = {0};
    if (!value->value[n] || !value->value[n + 1]) {
        tool_usage_error(cl, "%s '%s' is not of the form NAME:FILE", value->name, value->value);
        return false;
    }
    const char *name = arena_strndup(&options->arena, value->value, n);
    for (size_t i = 0; (known = mpu_report_plot_name(i)); i++) {
        if (strcmp(known, name) == 0) {
            vec_push(&options->pages.plots, ((struct run_plot){name, value->value + n + 1}));
            str_free(&all);
            return true;
        }
        str_printf(&all, "%s%s", i ? ", " : "", known);
    }
    tool_usage_error(cl, "unknown picture '%s' of %s; there are: %s", name, value->name,
                     str_text(&all));
    str_free(&all);
    return false;
}

bool run_wants_page(const struct run_options *options) {
    return options->pages.report || options->pages.plots.len;
}

/* One of the targets; those of files, and of rows at one area, are known after the runs alone. */
static bool may_be_base(const struct run_options *options, const char *base) {
    bool is_file = strchr(base, ',') != NULL;
    for (size_t i = 0; i < options->targets.len; i++) {
        const char *target = options->targets.data[i];
        is_file |= strpbrk(target, "./") != NULL || strcmp(target, base) == 0;
    }
    return is_file;
}

bool run_pages_fit(const struct command_line *cl, const struct run_options *options) {
    const char *base = options->pages.base;
    if (!base || (run_is_sweep(options) && may_be_base(options, base)))
        return true;
    if (run_is_sweep(options)) {
        tool_usage_error(cl, "--base names '%s', which is none of the targets", base);
        return false;
    }
    tool_usage_error(cl, "--base says what runs are compared with, and there is one run");
    return false;
}

bool run_page_needs_whole(const struct run_options *options) {
    return run_wants_page(options) && mpu_sweep_count(options->sweep) <= MOST_WHOLE;
}

static int keep(void *text, const void *bytes, size_t size) {
    str_append_n(text, bytes, size);
    return 0;
}

mpu_result run_page_watch(const struct run_options *options, mpu_session *session) {
    uint64_t timed, wears;
    if (!run_wants_page(options) || run_is_sweep(options) ||
        mpu_session_placed(session, "timed", &timed) != MPU_OK || !timed)
        return MPU_OK;
    mpu_result r =
        mpu_session_watch_with(session, MPU_TIMELINE, NULL, keep, options->pages.timeline, NULL);
    return r == MPU_OK && mpu_session_placed(session, "wears", &wears) == MPU_OK && wears
               ? mpu_session_watch_with(session, MPU_WEAR, "most", keep, options->pages.wear, NULL)
               : r;
}

static mpu_result write(const struct run_options *options, const char *file, char *text,
                        mpu_error *error) {
    mpu_result r = text ? run_write_file(options, file, text) : run_code(error);
    if (r == MPU_OK)
        tool_say(options->cl, "wrote '%s'", file);
    mpu_string_free(text);
    return r;
}

mpu_result run_page_write(const struct run_options *options, const char *statistics) {
    const struct run_pages *pages = &options->pages;
    const mpu_report_config config = {.size = sizeof config,
                                      .timeline =
                                          pages->timeline->len ? pages->timeline->text : NULL,
                                      .wear = pages->wear->len ? pages->wear->text : NULL,
                                      .base = pages->base,
                                      .messages = options->messages};
    mpu_error *e = NULL;
    mpu_result r = MPU_OK;
    if (pages->report) {
        char *text = mpu_report(statistics, &config, &e);
        r = write(options, pages->report, text, e);
    }
    for (size_t i = 0; r == MPU_OK && i < pages->plots.len; i++) {
        const struct run_plot *plot = &pages->plots.data[i];
        char *text = mpu_report_plot(statistics, &config, plot->name, &e);
        r = write(options, plot->file, text, e);
    }
    return r;
}

mpu_result run_page(const struct run_options *options, mpu_session *session) {
    mpu_error *e = NULL;
    if (!run_wants_page(options))
        return MPU_OK;
    char *statistics = mpu_session_stats(session, "json", &e);
    mpu_result r = statistics ? run_page_write(options, statistics) : run_code(e);
    mpu_string_free(statistics);
    return r;
}
