/* SPDX-License-Identifier: MIT
 * The recipe table of a package, and the table for people. */
#include "linker/pack.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* Vector instructions of the text, in order; the caller frees them. */
static struct insn *vector_insns(const struct package *p, size_t *count) {
    struct insn *insns = xcalloc(p->text_count + 1, sizeof *insns);
    *count = 0;
    for (size_t i = 0; i < p->text_count; i++)
        if (isa_decode(p->text[i], &insns[*count]) == ISA_OK &&
            (isa_info(insns[*count].op)->flags & ISA_VECTOR))
            ++*count;
    return insns;
}

void build_recipes(struct pack *k) {
    size_t count;
    struct insn *insns = vector_insns(k->p, &count);
    k->p->recipes = recipe_table_build(k->t, k->recipes, insns, count, k->d);
    free(insns);
    if (k->p->recipes && k->p->recipes->template_count > TABLE_TEMPLATES)
        diag_warning(k->d, W_RECIPE_TABLE, NO_SPAN,
                     "the recipes of the program take %zu templates; the recipe table of target "
                     "'%s' holds %d and will be loaded again and again",
                     k->p->recipes->template_count, k->t->name, TABLE_TEMPLATES);
}

bool open_recipes(const struct package *p, const struct target *t,
                  const struct recipe_set *recipes) {
    const char *problem;
    size_t count;
    bool fine = p->recipes->code || recipe_table_open(p->recipes, t, &problem);
    struct insn *insns = vector_insns(p, &count);
    for (size_t i = 0; fine && recipes && i < count; i++)
        fine = recipe_table_find(p->recipes, &insns[i], false) &&
               recipe_table_find(p->recipes, &insns[i], true);
    free(insns);
    return fine;
}

void package_print_recipe_map(const struct package *p, const struct isa_users *users,
                              struct str *out) {
    struct str form = {0};
    const struct recipe_table *t = p->recipes;
    if (t->form_count)
        str_append(out, "  recipe table, templates\n");
    for (size_t i = 0; i < t->form_count; i++) {
        str_clear(&form);
        recipe_form_text(&t->forms[i], users, &form);
        str_printf(out, "    %-28s %6" PRIu32 "\n", str_text(&form), t->forms[i].count);
    }
    str_free(&form);
}
