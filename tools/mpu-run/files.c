/* SPDX-License-Identifier: MIT
 * What the command reads and writes: nothing that it writes is anything else that it uses, and
 * standard input is read once. */
#include "tools/mpu-run/run.h"

#include <string.h>

static void read_items(struct file_uses *files, const struct run_item *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (mpu_data_is_file(items[i].value))
            file_uses_read(files, items[i].value);
}

static void list_inputs(struct run_options *options) {
    struct file_uses *files = &options->files;
    for (size_t i = 0; i < options->programs.len; i++)
        file_uses_read(files, options->programs.data[i]);
    for (size_t i = 0; i < options->targets.len; i++)
        if (strpbrk(options->targets.data[i], "./")) /* else it is a built-in one */
            file_uses_read(files, options->targets.data[i]);
    read_items(files, options->in.data, options->in.len);
    read_items(files, options->expect.data, options->expect.len);
}

static void list_watching(struct run_options *options) {
    const struct run_watching *w = &options->watching;
    struct file_uses *files = &options->files;
    if (w->trace)
        file_uses_write(files, w->trace, "--trace");
    if (w->wear)
        file_uses_write(files, w->wear, "--wear");
    if (w->every)
        file_uses_write(files, w->every_file, "--stats-every");
    if (w->log_file)
        file_uses_write(files, w->log_file, "--log");
    for (size_t i = 0; i < w->uops.len; i++)
        file_uses_write(files, w->uops.data[i].file, "--uops");
}

static void list_outputs(struct run_options *options) {
    for (size_t i = 0; i < options->out.len; i++)
        file_uses_write(&options->files, options->out.data[i].value, "--out");
    for (size_t i = 0; i < options->stats.len; i++)
        file_uses_write(&options->files, options->stats.data[i].file, "--stats");
    if (options->pages.report)
        file_uses_write(&options->files, options->pages.report, "--report");
    for (size_t i = 0; i < options->pages.plots.len; i++)
        file_uses_write(&options->files, options->pages.plots.data[i].file, "--plot");
    list_watching(options);
}

/* What else takes standard input: `what` the second time. */
static bool take_stream(const struct command_line *cl, const char **taken, const char *what) {
    if (*taken)
        tool_usage_error(cl, "standard input can be read once: %s and %s", *taken, what);
    bool first = !*taken;
    *taken = what;
    return first;
}

static bool take_streams(struct run_options *options, const struct run_item *items, size_t count,
                         const char *option, const char **taken) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].value, "-") == 0) {
            const char *what = arena_printf(&options->arena, "%s %s=-", option, items[i].name);
            if (!take_stream(options->cl, taken, what))
                return false;
        }
    return true;
}

/* Standard input is gone once it is read; several runs would read it several times. */
static bool read_once(const struct command_line *cl, struct run_options *options) {
    const char *taken = NULL, *data = NULL;
    for (size_t i = 0; i < options->programs.len; i++)
        if (strcmp(options->programs.data[i], "-") == 0 && !take_stream(cl, &taken, "the program"))
            return false;
    if (!take_streams(options, options->in.data, options->in.len, "--in", &data) ||
        !take_streams(options, options->expect.data, options->expect.len, "--expect", &data) ||
        (data && !take_stream(cl, &taken, data)))
        return false;
    if (data && run_is_sweep(options))
        tool_usage_error(cl, "%s is read once, and there are several runs: name a file", data);
    return !data || !run_is_sweep(options);
}

bool run_files_fit(const struct command_line *cl, struct run_options *options) {
    list_inputs(options);
    list_outputs(options);
    return file_uses_check(&options->files, cl->diag) && read_once(cl, options);
}

bool run_sources_fit(struct run_options *options) {
    const char *path;
    for (size_t i = 0; (path = mpu_source_file(options->source, i)); i++)
        file_uses_read(&options->files, path);
    return file_uses_check(&options->files, options->cl->diag);
}
