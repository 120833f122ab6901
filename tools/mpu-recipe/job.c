/* SPDX-License-Identifier: MIT
 * What all commands of mpu-recipe do first: open the target, read the file, take the choice of
 * forms. */
#include "object/object.h"
#include "recipe/set/set.h"
#include "support/cache.h"
#include "support/pool.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/meter.h"
#include "tools/mpu-recipe/progress.h"

#include <string.h>

void job_fail(struct recipe_job *job, enum exit_code code) {
    if (job->exit_code == EXIT_DONE)
        job->exit_code = code;
}

/* Also those that the mapping has yet to make. */
static size_t recipe_total(const struct recipe_source *source) {
    size_t n = 0;
    for (unsigned op = 0; op < OP_COUNT; op++)
        n += recipe_origin(source->recipes, (enum isa_op)op) != NULL;
    return n;
}

static bool open_target(struct recipe_job *job, const char *name) {
    struct recipe_source s;
    const struct source_choice choice = {
        .overrides = job->o->overrides.data,
        .override_count = job->o->overrides.len,
        .file = job->file.text ? &job->file : NULL,
        .mapped = job->o->mapped,
        .programs = job->o->command == COMMAND_EXPAND,
        .any = job->o->command == COMMAND_COUNT ||
               (job->o->command == COMMAND_VERIFY && !job->o->prove && !job->o->smt_folder)};
    enum exit_code code = source_open(&s, name, &choice, job->d);
    job_fail(job, code);
    if (code != EXIT_DONE)
        return false;
    vec_push(&job->sources, s);
    if (!s.recipes)
        return true;
    if (job->cache)
        recipe_set_keep(s.recipes, cache_folder(job->cache));
    tool_say(&job->o->cl, "target '%s': %zu recipes, sha256 %s", s.target->name, recipe_total(&s),
             recipe_set_hash(s.recipes));
    return true;
}

/* "all": every built-in target whose recipes are static. */
static bool open_all(struct recipe_job *job) {
    size_t count;
    const char *const *names = target_names(&count);
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        struct target *t = target_open(names[i], NULL, 0, job->d);
        if (t && t->kind == &technology_target_kind)
            fine = open_target(job, names[i]);
        target_free(t);
    }
    return fine;
}

static void unknown_op(struct recipe_job *job, const struct isa_users *users, const char *name) {
    const char *names[ISA_USERS];
    size_t count = isa_users_names(users, names), all;
    const char *near = nearest_name(name, names, count);
    const char *const *built_in = isa_mnemonics(&all);
    near = near ? near : nearest_name(name, built_in, all);
    diag_error(job->d, NO_SPAN, "unknown instruction '%s'%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    job_fail(job, EXIT_USAGE);
}

bool job_own(struct recipe_job *job, const struct recipe_source *source) {
    const struct name_list *own = &job->o->own;
    const struct isa_users *users = source_users(source);
    bool fine = true;
    job->o->forms.users = users;
    for (size_t i = 0; i < own->len && fine; i++) {
        fine = form_take_op(&job->o->forms, own->data[i], strlen(own->data[i]));
        if (!fine)
            unknown_op(job, users, own->data[i]);
    }
    return fine;
}

bool job_open(struct recipe_job *job) {
    const struct recipe_options *o = job->o;
    if (o->command == COMMAND_DIFF)
        return true;
    if (o->operands.len)
        job_fail(job, source_text_read(&job->file, o->operands.data[0], job->d));
    if (!program_read(job))
        return false;
    if (job->program && !(o->prove || o->smt_folder)) {
        diag_error(job->d, NO_SPAN,
                   "'%s' is a program, not a file of recipes; verify --prove takes one",
                   o->operands.data[0]);
        job_fail(job, EXIT_USAGE);
    }
    bool fine = job->exit_code == EXIT_DONE;
    for (size_t i = 0; i < o->targets.len && fine; i++)
        fine = strcmp(o->targets.data[i], "all") == 0 ? open_all(job)
                                                      : open_target(job, o->targets.data[i]);
    return fine && (job->sources.len == 0 || job_own(job, &job->sources.data[0]));
}

void job_close(struct recipe_job *job) {
    for (size_t i = 0; i < job->sources.len; i++)
        source_close(&job->sources.data[i]);
    vec_free(&job->sources);
    source_text_free(&job->file);
    object_free(job->program);
    str_free(&job->out);
}

void job_no_forms(struct recipe_job *job) {
    diag_error(job->d, NO_SPAN, "no instruction fits these options");
    diag_note(job->d, NO_SPAN,
              "a constant must fit its instruction and width, and each operand of "
              "--alias must be a register of it");
    job_fail(job, EXIT_REJECTED);
}

bool job_chooses(const struct recipe_job *job, enum isa_op op) {
    const struct form_choice *f = &job->o->forms;
    for (size_t i = 0; i < f->ops.len; i++)
        if (f->ops.data[i] == op)
            return true;
    return f->ops.len == 0;
}

/* --- what a target cannot carry out --- */

/* Instructions of built-in recipes that are not carried out for one reason: it lies in the target's
 * file, and no message about recipes that the user did not write says more. */
struct lack {
    struct str reason;
    VEC(enum isa_op) ops;
};
typedef VEC(struct lack) lack_list;

static void add_lack(lack_list *lacking, struct str *reason, enum isa_op op) {
    size_t i = 0;
    while (i < lacking->len && strcmp(str_text(&lacking->data[i].reason), str_text(reason)) != 0)
        i++;
    if (i < lacking->len) {
        str_free(reason);
    } else {
        struct lack made = {.reason = *reason};
        vec_push(lacking, made);
    }
    vec_push(&lacking->data[i].ops, op);
}

static bool is_built_in(const struct recipe_job *job, const struct recipe_source *source,
                        enum isa_op op) {
    const struct recipe *r = source->recipes->recipes[op];
    return !job->file.text || strcmp(r->unit.file->name, job->file.name) != 0;
}

/* Variants of one command share a name, which stands there once. */
static void append_names(const struct target *target, struct str *out) {
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++)
        if (plane_target(target)->ops[i].first_variant == i)
            str_printf(out, "%s%s", i ? ", " : "", plane_target(target)->ops[i].name);
}

/* False: there is nothing to say. */
static bool find_reason(const struct recipe_source *source, enum isa_op op, struct str *reason) {
    const char *missing = mapping_why_missing(source->recipes);
    if (!missing)
        return recipe_reason(source->recipes, op, reason);
    str_append(reason, "its micro-ops (");
    append_names(source->target, reason);
    str_printf(reason, ") %s", missing);
    return true;
}

/* Generic recipes are mapped now.  Where that fails it is reported if the instruction is named, or
 * is to be checked; what the built-in recipes lack goes to `lacking`. */
static bool has_recipe(struct recipe_job *job, const struct recipe_source *source, enum isa_op op,
                       lack_list *lacking) {
    bool named = job->o->forms.ops.len > 0;
    struct str reason = {0};
    progress_show("%s: %s", source->target->name, isa_users_name(&source->recipes->users, op));
    if (recipe_exists(source->recipes, op) || !(named || job->o->command == COMMAND_CHECK))
        return true;
    if (!recipe_origin(source->recipes, op)) {
        if (named)
            diag_error(job->d, NO_SPAN, "target '%s' has no recipe for %s", source->target->name,
                       isa_users_name(&source->recipes->users, op));
        return !named;
    }
    if (is_built_in(job, source, op) && find_reason(source, op, &reason))
        add_lack(lacking, &reason, op);
    else
        recipe_of(source->recipes, op, job->d); /* reports */
    return false;
}

/* One message for all that lack the same, where the file has its micro-ops. */
static void report_lack(struct recipe_job *job, const struct recipe_source *source,
                        const struct lack *lack) {
    struct str insns = {0};
    for (size_t i = 0; i < lack->ops.len; i++) {
        str_append(&insns, i ? ", " : "");
        form_name(lack->ops.data[i], &source->recipes->users, &insns);
    }
    diag_error(job->d, plane_target(source->target)->ops_at,
               "target '%s' cannot carry out %zu instruction%s: %s", source->target->name,
               lack->ops.len, lack->ops.len == 1 ? "" : "s", str_text(&lack->reason));
    diag_note(job->d, NO_SPAN, "not carried out: %s", str_text(&insns));
    str_free(&insns);
}

static void report_lacking(struct recipe_job *job, const struct recipe_source *source,
                           lack_list *lacking) {
    for (size_t i = 0; i < lacking->len; i++) {
        report_lack(job, source, &lacking->data[i]);
        str_free(&lacking->data[i].reason);
        vec_free(&lacking->data[i].ops);
    }
    vec_free(lacking);
}

/* Of a machine of another kind: every instruction that was named is there. */
static bool has_routines(struct recipe_job *job, const struct recipe_source *source) {
    bool fine = true;
    for (size_t i = 0; i < job->o->forms.ops.len; i++) {
        enum isa_op op = job->o->forms.ops.data[i];
        struct str why = {0};
        if (!machine_has(source->library, op)) {
            machine_why_not(source->library, op, &why);
            diag_error(job->d, NO_SPAN, "target '%s' does not carry out %s%s", source->target->name,
                       isa_users_name(source_users(source), op), str_text(&why));
            fine = false;
        }
        str_free(&why);
    }
    if (!fine)
        job_fail(job, EXIT_REJECTED);
    return fine;
}

bool job_prepare(struct recipe_job *job, const struct recipe_source *source) {
    bool fine = true;
    if (!source->recipes) /* nothing is mapped */
        return has_routines(job, source);
    lack_list lacking = {0};
    struct pool *pool = pool_new(job->o->threads);
    recipe_set_search_on(source->recipes, pool);
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (form_is_wanted(&job->o->forms, (enum isa_op)op) && job_chooses(job, (enum isa_op)op))
            fine &= has_recipe(job, source, (enum isa_op)op, &lacking);
    recipe_set_search_on(source->recipes, NULL);
    pool_free(pool);
    progress_clear();
    report_lacking(job, source, &lacking);
    if (!fine)
        job_fail(job, EXIT_REJECTED);
    return fine;
}

bool job_passes_over(const struct recipe_source *source, enum isa_op op) {
    return source->recipes ? !recipe_exists(source->recipes, op) : !meter_has(source, op);
}
