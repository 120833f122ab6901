/* SPDX-License-Identifier: MIT
 * ezpim: sources and objects to a program. */
#include "tools/ezpim/options.h"

#include "disasm/disasm.h"
#include "recipe/recipe.h"
#include "support/file.h"

#include <errno.h>
#include <string.h>

static bool make_package(struct ezpim_options *o, struct object *program, const struct target *t) {
    struct diag *d = o->cl.diag;
    bool golden = t->kind == TARGET_GOLDEN;
    struct recipe_set *recipes = golden ? NULL : recipe_set_open(t, d);
    if (!golden && !recipes)
        return false;
    struct package *p = package_build(program, t, recipes, o->sizes.data, o->sizes.len, d);
    if (p)
        package_attach(program, p);
    package_free(p);
    recipe_set_free(recipes);
    return p != NULL;
}

static bool make_packages(struct ezpim_options *o, struct object *program) {
    bool good = true;
    for (size_t i = 0; i < o->targets.len; i++) {
        struct target *t = target_open(o->targets.data[i], NULL, 0, o->cl.diag);
        good &= t && make_package(o, program, t);
        target_free(t);
    }
    return good;
}

static struct object *make_program(struct ezpim_options *o, bool *unreadable) {
    if (o->step != STEP_LINK)
        return driver_load(o->inputs.data[0], &o->driver, o->cl.diag, unreadable);
    struct object *program =
        driver_link(o->inputs.data, o->inputs.len, &o->driver, o->cl.diag, unreadable);
    if (program && make_packages(o, program))
        return program;
    if (program)
        object_free(program);
    return NULL;
}

static int write_output(struct ezpim_options *o, const struct str *bytes) {
    if (file_write(o->output, str_text(bytes), bytes->len))
        return EXIT_DONE;
    diag_error(o->cl.diag, NO_SPAN, "cannot write '%s': %s", o->output, strerror(errno));
    return EXIT_FILE;
}

/* The bytes of the output file; for --emit they are there already. */
static void format_output(struct ezpim_options *o, const struct object *program,
                          struct str *bytes) {
    if (o->step == STEP_ASSEMBLY)
        disasm_reassemble(program, bytes);
    else if (program)
        object_write(program, bytes);
}

static int run(struct ezpim_options *o) {
    struct str bytes = {0};
    bool unreadable = false;
    int exit_code;
    o->driver.ez.emit_text = &bytes;
    struct object *program = make_program(o, &unreadable);
    bool emitted = o->step == STEP_EMIT && diag_errors(o->cl.diag) == 0;
    if (program || emitted) {
        format_output(o, program, &bytes);
        exit_code = write_output(o, &bytes);
    } else {
        exit_code = unreadable ? EXIT_FILE : EXIT_REJECTED;
    }
    if (program)
        object_free(program);
    str_free(&bytes);
    return exit_code;
}

int main(int argc, char **argv) {
    struct ezpim_options o;
    int exit_code;
    if (ezpim_options_parse(argc, argv, &o, &exit_code))
        exit_code = run(&o);
    ezpim_options_free(&o);
    return exit_code;
}
