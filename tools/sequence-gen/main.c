/* SPDX-License-Identifier: MIT
 * sequence-gen OUT: writes known_sequences.inc, the gates of the built-in targets that are
 * sequences of micro-ops.  It is built before the library of recipes, from those of its files that
 * read targets and search for sequences. */
#include "recipe/map/derive.h"

#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/simt/link/simt_link.h"
#include "machines/golden/link/golden.h"
#include "machines/slot/target/target.h"
#include "support/alloc.h"
#include "support/file.h"
#include "support/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* target/ finds the kinds here: the library that has the others is not there yet. */
const struct target_kind *const machine_target_kinds[] = {
    &technology_target_kind, &golden_target_kind, &slot_kind_of_target,
    &dpu_target_kind,        &simt_target_kind,   NULL};

struct generator {
    struct str templates, steps, groups, all;
    unsigned step_count, template_count;
    unsigned targets; /* with sequences of their own, so far */
    char (*keys)[SEQUENCE_KEY];
};

static int find_use(const struct derived *derived, const struct op_use *use) {
    for (unsigned i = 0; i < derived->use_count; i++) {
        const struct op_use *u = &derived->uses[i];
        if (u->op == use->op && memcmp(u->src, use->src, u->nsrc) == 0 &&
            memcmp(u->dst, use->dst, u->ndst) == 0)
            return (int)i;
    }
    return -1;
}

/* False if a step is none of the uses: the list of them has a bound. */
static bool add_template(struct generator *generator, const struct derived *derived,
                         const struct step_template *template) {
    str_printf(&generator->templates, "{%u,%u,%u,%d,%u},", generator->step_count,
               template->step_count, template->out, template->stays, template->touched);
    for (unsigned i = 0; i < template->step_count; i++) {
        int use = find_use(derived, &template->steps[i]);
        if (use < 0)
            return false;
        str_printf(&generator->steps, "%d,", use);
    }
    str_char(&generator->steps, '\n');
    generator->step_count += template->step_count;
    generator->template_count++;
    return true;
}

static bool add_group(struct generator *generator, const struct derived *derived,
                      const struct template_group *group) {
    str_printf(&generator->groups, "{0x%02X,%u,%u,%u,%u,%u},\n", group->truth, group->nsrc,
               group->cost, group->stay_cost, generator->template_count, group->count);
    for (unsigned i = 0; i < group->count; i++)
        if (!add_template(generator, derived, &group->list[i]))
            return false;
    str_char(&generator->templates, '\n');
    return true;
}

static bool is_known(const struct generator *generator, const char *key) {
    for (unsigned i = 0; i < generator->targets; i++)
        if (strcmp(generator->keys[i], key) == 0)
            return true;
    return false;
}

static void print_lists(struct generator *generator, const char *name, const char *key,
                        const struct derived *derived, struct str *out) {
    unsigned n = generator->targets++;
    memcpy(generator->keys[n], key, SEQUENCE_KEY);
    str_printf(out,
               "\n/* %s */\nstatic const uint16_t steps_%u[] = {\n%s0};\n"
               "static const struct known_template templates_%u[] = {\n%s{0}};\n"
               "static const struct known_group groups_%u[] = {\n%s{0}};\n",
               name, n, str_text(&generator->steps), n, str_text(&generator->templates), n,
               str_text(&generator->groups));
    str_printf(&generator->all, "{\"%s\", groups_%u, %u, templates_%u, steps_%u},\n", key, n,
               derived->group_count, n, n);
}

/* Searched for at run time where the lists cannot say them. */
static void add_sequences(struct generator *generator, const struct target *target,
                          const struct derived *derived, struct str *out) {
    char key[SEQUENCE_KEY];
    bool fine = true;
    mapping_sequence_key(target, derived, key);
    if (is_known(generator, key))
        return;
    generator->steps.len = generator->templates.len = generator->groups.len = 0;
    generator->step_count = generator->template_count = 0;
    for (unsigned i = 0; i < derived->group_count && fine; i++)
        fine = add_group(generator, derived, &derived->groups[i]);
    if (fine)
        print_lists(generator, target->name, key, derived, out);
}

static void add_target(struct generator *generator, const char *name, struct str *out,
                       struct diag *diag) {
    struct target *t = target_open(name, NULL, 0, diag);
    struct arena a = {0};
    const struct derived *d = t && t->kind == &technology_target_kind
                                  ? mapping_derive_gates(&a, t, mapping_cost_unit(t), false)
                                  : NULL;
    if (d)
        add_sequences(generator, t, d, out);
    arena_free(&a);
    target_free(t);
}

static void print_all(struct str *out, struct diag *diag) {
    struct generator g = {0};
    size_t count;
    const char *const *names = target_names(&count);
    g.keys = xcalloc(count, sizeof *g.keys);
    str_append(out, "/* Generated by sequence-gen. */\n");
    for (size_t i = 0; i < count; i++)
        add_target(&g, names[i], out, diag);
    str_printf(out, "\nstatic const struct known_sequences all_sequences[] = {\n%s};\n",
               str_text(&g.all));
    str_free(&g.templates);
    str_free(&g.steps);
    str_free(&g.groups);
    str_free(&g.all);
    free(g.keys);
}

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "sequence-gen"};
    struct diag *d = diag_new(diag_print, &printer);
    struct str text = {0};
    if (argc != 2)
        diag_error(d, NO_SPAN, "usage: sequence-gen OUT.inc");
    else
        print_all(&text, d);
    if (!diag_errors(d) && !file_write(argv[1], text.text, text.len))
        diag_error(d, NO_SPAN, "cannot write '%s': %s", argv[1], strerror(errno));
    int status = diag_errors(d) ? 1 : 0;
    str_free(&text);
    diag_free(d);
    return status;
}
