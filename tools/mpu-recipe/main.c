/* SPDX-License-Identifier: MIT
 * mpu-recipe: check, count, show, verify and compare recipes. */
#include "support/file.h"
#include "tools/mpu-recipe/commands.h"

#include <errno.h>
#include <string.h>

static void run(struct recipe_job *j) {
    static void (*const commands[])(struct recipe_job *) = {
        [COMMAND_CHECK] = command_check,   [COMMAND_COUNT] = command_count,
        [COMMAND_EXPAND] = command_expand, [COMMAND_VERIFY] = command_verify,
        [COMMAND_DIFF] = command_diff,
    };
    if (job_open(j))
        commands[j->o->command](j);
    /* What a check or a run of tests found before it failed is worth reading; half a table is not.
     */
    bool keeps = j->o->command == COMMAND_CHECK || j->o->command == COMMAND_VERIFY;
    if (j->exit_code != EXIT_DONE && !keeps)
        return;
    if (file_write(j->o->output, str_text(&j->out), j->out.len))
        return;
    diag_error(j->d, NO_SPAN, "cannot write '%s': %s", j->o->output, strerror(errno));
    j->exit_code = EXIT_FILE;
}

int main(int argc, char **argv) {
    struct recipe_options o;
    int exit_code;
    if (!recipe_options_parse(argc, argv, &o, &exit_code))
        return exit_code;
    struct recipe_job j = {.o = &o, .d = o.cl.diag};
    run(&j);
    job_close(&j);
    recipe_options_free(&o);
    return j.exit_code;
}
