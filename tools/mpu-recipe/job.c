/* SPDX-License-Identifier: MIT */
#include "recipe/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/progress.h"

#include <string.h>

void job_fail(struct recipe_job *j, enum exit_code code) {
    if (j->exit_code == EXIT_DONE)
        j->exit_code = code;
}

/* Also those that the mapping has yet to make. */
static size_t recipe_total(const struct recipe_source *s) {
    size_t n = 0;
    for (unsigned op = 0; op < OP_COUNT; op++)
        n += recipe_origin(s->recipes, (enum mpu_op)op) != NULL;
    return n;
}

static bool open_target(struct recipe_job *j, const char *name) {
    struct recipe_source s;
    const struct recipe_text *file = j->file.text ? &j->file : NULL;
    bool any = j->o->command == COMMAND_VERIFY && !j->o->prove && !j->o->smt_folder;
    enum exit_code code = recipe_source_open(&s, name, j->o->mapped, any, file, j->d);
    job_fail(j, code);
    if (code != EXIT_DONE)
        return false;
    vec_push(&j->sources, s);
    if (!s.recipes)
        return true;
    tool_say(&j->o->cl, "target '%s': %zu recipes, sha256 %s", s.target->name, recipe_total(&s),
             recipe_set_hash(s.recipes));
    return true;
}

/* "all": every built-in target whose recipes are static. */
static bool open_all(struct recipe_job *j) {
    size_t count;
    const char *const *names = target_names(&count);
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        struct target *t = target_open(names[i], NULL, 0, j->d);
        if (t && t->kind == &technology_target_kind)
            fine = open_target(j, names[i]);
        target_free(t);
    }
    return fine;
}

static void unknown_op(struct recipe_job *j, const struct isa_users *users, const char *name) {
    const char *names[ISA_USERS];
    size_t count = isa_users_names(users, names), all;
    const char *near = nearest_name(name, names, count);
    const char *const *built_in = isa_mnemonics(&all);
    near = near ? near : nearest_name(name, built_in, all);
    diag_error(j->d, NO_SPAN, "unknown instruction '%s'%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    job_fail(j, EXIT_USAGE);
}

bool job_own(struct recipe_job *j, const struct recipe_source *s) {
    const struct name_list *own = &j->o->own;
    static const struct isa_users none;
    const struct isa_users *users = s->recipes ? &s->recipes->users : &none;
    bool fine = true;
    j->o->forms.users = users;
    for (size_t i = 0; i < own->len && fine; i++) {
        fine = form_take_op(&j->o->forms, own->data[i], strlen(own->data[i]));
        if (!fine)
            unknown_op(j, users, own->data[i]);
    }
    return fine;
}

bool job_open(struct recipe_job *j) {
    const struct recipe_options *o = j->o;
    if (o->command == COMMAND_DIFF)
        return true;
    if (o->operands.len)
        job_fail(j, recipe_text_read(&j->file, o->operands.data[0], j->d));
    bool fine = j->exit_code == EXIT_DONE;
    for (size_t i = 0; i < o->targets.len && fine; i++)
        fine = strcmp(o->targets.data[i], "all") == 0 ? open_all(j)
                                                      : open_target(j, o->targets.data[i]);
    return fine && (j->sources.len == 0 || job_own(j, &j->sources.data[0]));
}

void job_close(struct recipe_job *j) {
    for (size_t i = 0; i < j->sources.len; i++)
        recipe_source_close(&j->sources.data[i]);
    vec_free(&j->sources);
    recipe_text_free(&j->file);
    str_free(&j->out);
}

void job_no_forms(struct recipe_job *j) {
    diag_error(j->d, NO_SPAN, "no instruction fits these options");
    diag_note(j->d, NO_SPAN,
              "a constant must fit its instruction and width, and each operand of "
              "--alias must be a register of it");
    job_fail(j, EXIT_REJECTED);
}

bool job_chooses(const struct recipe_job *j, enum mpu_op op) {
    const struct form_choice *f = &j->o->forms;
    for (size_t i = 0; i < f->ops.len; i++)
        if (f->ops.data[i] == op)
            return true;
    return f->ops.len == 0;
}

/* --- what a target cannot carry out --- */

typedef VEC(enum mpu_op) op_list;

static bool is_built_in(const struct recipe_job *j, const struct recipe_source *s, enum mpu_op op) {
    const struct recipe *r = s->recipes->recipes[op];
    return !j->file.text || strcmp(r->unit.file->name, j->file.name) != 0;
}

/* Generic recipes are mapped now.  Where the gates do not suffice that is reported if the
 * instruction is named, or is to be checked; what the built-in recipes lack goes to `lacking`. */
static bool has_recipe(struct recipe_job *j, const struct recipe_source *s, enum mpu_op op,
                       op_list *lacking) {
    bool named = j->o->forms.ops.len > 0;
    progress_show("%s: %s", s->target->name, isa_users_name(&s->recipes->users, op));
    if (recipe_exists(s->recipes, op) || !(named || j->o->command == COMMAND_CHECK))
        return true;
    if (!recipe_origin(s->recipes, op)) {
        if (named)
            diag_error(j->d, NO_SPAN, "target '%s' has no recipe for %s", s->target->name,
                       isa_users_name(&s->recipes->users, op));
        return !named;
    }
    if (mapping_missing_function(s->recipes) && is_built_in(j, s, op))
        vec_push(lacking, op);
    else
        recipe_of(s->recipes, op, j->d); /* reports */
    return false;
}

/* Variants of one command share a name, which stands there once. */
static void append_names(const struct target *t, struct str *out) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (plane_target(t)->ops[i].first_variant == i)
            str_printf(out, "%s%s", i ? ", " : "", plane_target(t)->ops[i].name);
}

/* One message for all of them: what is missing is the target's fault, not each recipe's. */
static void report_lacking(struct recipe_job *j, const struct recipe_source *s,
                           const op_list *lacking) {
    struct str ops = {0}, insns = {0};
    append_names(s->target, &ops);
    for (size_t i = 0; i < lacking->len; i++) {
        str_append(&insns, i ? ", " : "");
        form_name(lacking->data[i], &s->recipes->users, &insns);
    }
    diag_error(j->d, NO_SPAN,
               "target '%s' cannot carry out %zu instruction%s: its micro-ops (%s) cannot make %s",
               s->target->name, lacking->len, lacking->len == 1 ? "" : "s", str_text(&ops),
               mapping_missing_function(s->recipes));
    diag_note(j->d, NO_SPAN, "not carried out: %s", str_text(&insns));
    str_free(&ops);
    str_free(&insns);
}

bool job_prepare(struct recipe_job *j, const struct recipe_source *s) {
    bool fine = true;
    if (!s->recipes) /* nothing is mapped */
        return true;
    op_list lacking = {0};
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (form_is_wanted(&j->o->forms, (enum mpu_op)op) && job_chooses(j, (enum mpu_op)op))
            fine &= has_recipe(j, s, (enum mpu_op)op, &lacking);
    progress_clear();
    if (lacking.len)
        report_lacking(j, s, &lacking);
    if (!fine)
        job_fail(j, EXIT_REJECTED);
    vec_free(&lacking);
    return fine;
}

bool job_passes_over(const struct recipe_source *s, enum mpu_op op) {
    return !recipe_exists(s->recipes, op);
}
