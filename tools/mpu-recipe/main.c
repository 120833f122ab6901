/* SPDX-License-Identifier: MIT
 * mpu-recipe: check, count, expand, verify and diff recipes. */
#include "support/alloc.h"
#include "support/cache.h"
#include "support/file.h"
#include "target/load.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/progress.h"

#include <stdlib.h>

static void run(struct recipe_job *job) {
    static void (*const commands[])(struct recipe_job *) = {
        [COMMAND_CHECK] = command_check,   [COMMAND_COUNT] = command_count,
        [COMMAND_EXPAND] = command_expand, [COMMAND_VERIFY] = command_verify,
        [COMMAND_DIFF] = command_diff,
    };
    if (job_open(job))
        commands[job->o->command](job);
    /* What a check or a run of tests found before it failed is worth reading; half a table is not.
     */
    bool keeps = job->o->command == COMMAND_CHECK || job->o->command == COMMAND_VERIFY;
    if (job->exit_code != EXIT_DONE && !keeps)
        return;
    if (file_write(job->o->output, str_text(&job->out), job->out.len))
        return;
    job->exit_code = tool_write_error(&job->o->cl, job->o->output);
}

/* Of diff, operands are files or targets. */
static bool outputs_differ(struct recipe_options *options) {
    struct file_uses *files = &options->cl.files;
    for (size_t i = 0; i < options->operands.len; i++)
        file_uses_read(files, options->operands.data[i]);
    for (size_t i = 0; i < options->targets.len; i++)
        if (target_is_path(options->targets.data[i]))
            file_uses_read(files, options->targets.data[i]);
    file_uses_write(files, options->output, "-o");
    return tool_files_differ(&options->cl);
}

/* NULL where nothing is kept. */
static struct cache *open_cache(const struct recipe_options *options) {
    bool keeps = options->command == COMMAND_CHECK && !options->uncached;
    char *folder = keeps ? cache_user_folder() : NULL;
    struct cache *cache = folder ? cache_open(folder, CACHE_MOST_BYTES) : NULL;
    free(folder);
    return cache;
}

int main(int argc, char **argv) {
    struct recipe_options o;
    int exit_code;
    alloc_keep_freed();
    if (!recipe_options_parse(argc, argv, &o, &exit_code))
        return exit_code;
    struct recipe_job j = {.o = &o, .d = o.cl.diag, .cache = open_cache(&o)};
    o.cl.printer.erase = progress_eraser();
    if (outputs_differ(&o))
        run(&j);
    else
        j.exit_code = EXIT_USAGE;
    job_close(&j);
    cache_close(j.cache);
    recipe_options_free(&o);
    return j.exit_code;
}
