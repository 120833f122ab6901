/* SPDX-License-Identifier: MIT
 * A program in the place of a choice of instructions: what its text has, on a target, with the
 * recipes that it brings along. */
#include "linker/package.h"
#include "recipe/prove/prove.h"
#include "tools/mpu-recipe/commands.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct program_recipes {
    struct program_library library;
    struct package *package;
};

bool program_read(struct recipe_job *job) {
    struct recipe_text *f = &job->file;
    if (!f->text || f->size < 4 || memcmp(f->text, "\177ELF", 4) != 0)
        return true;
    job->program = object_read(f->name, f->text, f->size, job->d);
    source_text_free(f);
    if (!job->program)
        job_fail(job, EXIT_REJECTED);
    return job->program != NULL;
}

static bool add_task(void *context, const struct insn *insn, bool masked, uint32_t index) {
    struct prove_tasks *tasks = context;
    const struct prove_task task = {.insn = *insn, .masked = masked};
    (void)index;
    vec_push(tasks, task);
    return true;
}

struct program_recipes *program_plan(struct recipe_job *job, const struct recipe_source *source,
                                     struct prove_tasks *tasks) {
    struct program_recipes *p = xcalloc(1, sizeof *p);
    if (package_library_open(job->program, source->target, source->library, &p->library, job->d))
        p->package = package_build(job->program, source->target, p->library.library,
                                   job->o->sizes.data, job->o->sizes.len, job->d);
    if (p->package) {
        package_each_form(p->package, add_task, tasks);
        return p;
    }
    job_fail(job, EXIT_REJECTED);
    program_free(p);
    return NULL;
}

const struct recipe_set *program_set(const struct program_recipes *program) {
    return plane_recipes(program->library.library);
}

void program_free(struct program_recipes *program) {
    if (!program)
        return;
    package_free(program->package);
    package_library_close(&program->library);
    free(program);
}
