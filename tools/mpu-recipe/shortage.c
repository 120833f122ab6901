/* SPDX-License-Identifier: MIT
 * Recipes that need more rows than the target has: the cause is its file, so the message stands
 * there, once, with a number that serves. */
#include "support/alloc.h"
#include "tools/mpu-recipe/checking.h"

#include <stdlib.h>
#include <string.h>

bool command_check_is_short(const struct checked_recipe *recipe) {
    return recipe->short_of > 0 && !recipe->recipe->unit.file->own;
}

/* --- a target with other numbers of scratch rows --- */

struct roomy_target {
    struct target target;
    struct plane_target own;
    struct row_class *classes;
};

/* As `target`, but for `scratch` rows of the registers' class that are scratch. */
static void make_roomy(const struct target *target, uint32_t scratch, struct roomy_target *roomy) {
    const struct plane_target *p = plane_target(target);
    *roomy = (struct roomy_target){.target = *target, .own = *p};
    roomy->classes = xcalloc(p->row_class_count, sizeof *roomy->classes);
    memcpy(roomy->classes, p->row_classes, p->row_class_count * sizeof *roomy->classes);
    uint32_t more = scratch - p->row_classes[p->register_class].scratch_rows;
    roomy->classes[p->register_class].scratch_rows = scratch;
    for (uint32_t i = p->register_class + 1; i < p->row_class_count; i++)
        roomy->classes[i].first_scratch += more;
    roomy->own.row_classes = roomy->classes;
    roomy->own.scratch_rows += more;
    roomy->own.register_rows -= more;
    roomy->target.own = &roomy->own;
}

/* The most that leaves the registers of one instruction. */
static uint32_t most_scratch(const struct target *target) {
    const struct plane_target *p = plane_target(target);
    uint32_t registers = 3 * ((63 + p->sections) / p->sections) + technology_state_rows(target);
    uint32_t own = p->row_classes[p->register_class].scratch_rows;
    return own + (p->register_rows > registers ? p->register_rows - registers : 0);
}

static struct recipe_set *open_recipes(const struct recipe_job *job, const struct target *target,
                                       struct diag *diag) {
    if (job->o->mapped)
        return recipe_set_open_mapped(target, diag);
    return recipe_set_open_with(target, job->file.name, job->file.text, job->file.size, diag);
}

static void take_short(const struct checking *checking, int class, const struct recipe_set *set,
                       struct checking *again) {
    for (size_t i = 0; i < checking->recipes.len; i++) {
        const struct checked_recipe *r = &checking->recipes.data[i];
        struct checked_recipe same = {
            r->op, recipe_of(set, r->op, NULL), again->width_count, 0, NULL, false};
        if (command_check_is_short(r) && r->short_of == class + 1)
            vec_push(&again->recipes, same);
    }
}

/* Do the recipes that lack rows hold with so many?  *used: how many of them they use. */
static bool would_serve(const struct checking *checking, int class, uint32_t scratch,
                        uint32_t *used) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct roomy_target roomy;
    make_roomy(checking->source->target, scratch, &roomy);
    struct recipe_set *set = open_recipes(checking->job, &roomy.target, quiet);
    struct recipe_source source = {.target = &roomy.target, .recipes = set};
    struct checking again = {.job = checking->job,
                             .source = &source,
                             .widths = checking->widths,
                             .width_count = checking->width_count};
    bool fine = set != NULL;
    if (set) {
        take_short(checking, class, set, &again);
        command_check_run(&again);
    }
    for (size_t i = 0; i < again.recipes.len; i++)
        fine &= again.recipes.data[i].recipe && again.recipes.data[i].failed == again.width_count;
    *used = again.forms.highest_scratch;
    command_check_free(&again);
    recipe_set_free(set);
    free(roomy.classes);
    diag_free(quiet);
    return fine;
}

/* 0: none. */
static uint32_t find_scratch(const struct checking *checking, int class) {
    const struct plane_target *p = plane_target(checking->source->target);
    uint32_t most = most_scratch(checking->source->target), used = 0, again;
    uint32_t has = p->row_classes[class].scratch_rows;
    if ((uint32_t) class != p->register_class || most <= has ||
        !would_serve(checking, class, most, &used))
        return 0;
    return used > has && used < most && would_serve(checking, class, used, &again) ? used : most;
}

/* --- messages --- */

static size_t name_short(const struct checking *checking, int class, struct str *names) {
    size_t count = 0;
    for (size_t i = 0; i < checking->recipes.len; i++) {
        const struct checked_recipe *r = &checking->recipes.data[i];
        if (!command_check_is_short(r) || r->short_of != class + 1)
            continue;
        str_printf(names, "%s%s from width %u on", count ? ", " : "", r->recipe->unit.name,
                   checking->widths[r->failed]);
        count++;
    }
    return count;
}

static void advise(const struct checking *checking, int class) {
    struct diag *d = checking->job->d;
    const struct target *t = checking->source->target;
    const struct row_class *c = &plane_target(t)->row_classes[class];
    uint32_t scratch = find_scratch(checking, class);
    if ((uint32_t) class != plane_target(t)->register_class)
        diag_note(d, c->at, "give the class more rows: 'rows.%s.range'", c->family_name);
    else if (scratch)
        diag_note(d, c->at,
                  "'scratch: %u' in rows.%s serves all of them, and leaves %u rows of a section to "
                  "registers",
                  scratch, c->family_name,
                  plane_target(t)->register_rows + c->scratch_rows - scratch);
    else
        diag_note(d, c->at,
                  "no 'scratch' serves that leaves three registers of 64 bits: more rows "
                  "('array.rows', 'rows.%s.range') do",
                  c->family_name);
}

static void report_class(struct checking *checking, int class) {
    const struct target *t = checking->source->target;
    const struct row_class *c = &plane_target(t)->row_classes[class];
    struct str names = {0};
    size_t count = name_short(checking, class, &names);
    if (count) {
        diag_error(checking->job->d, c->at,
                   "%zu recipe%s need%s more scratch rows than the %u of 'rows.%s'", count,
                   count == 1 ? "" : "s", count == 1 ? "s" : "", c->scratch_rows, c->family_name);
        advise(checking, class);
        diag_note(checking->job->d, NO_SPAN, "%s", str_text(&names));
        job_fail(checking->job, EXIT_REJECTED);
    }
    str_free(&names);
}

void command_check_report_shortage(struct checking *checking) {
    for (uint32_t i = 0; i < plane_target(checking->source->target)->row_class_count; i++)
        report_class(checking, (int)i);
}
