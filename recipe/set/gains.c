/* SPDX-License-Identifier: MIT
 * What a hand-written recipe says to gain over the one that the mapping makes. */
#include "recipe/set/set.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>

struct gain_figures {
    uint64_t of[GAIN_FIGURES];
};

static bool count_figures(const struct recipe_set *set, const struct recipe *recipe,
                          const struct insn *insn, struct gain_figures *figures,
                          struct diag *diag) {
    struct uop_list list = {0};
    struct recipe_count n;
    const char *error = NULL;
    bool fine = recipe_expand_with(set, recipe, insn, false, &list, diag);
    if (fine && !recipe_count_list(set->target, &list, &n, &error)) {
        recipe_error(diag, recipe->unit.file, recipe->unit.at, "%s: at width %u: %s",
                     recipe->unit.name, insn->width, error);
        fine = false;
    }
    vec_free(&list);
    if (fine)
        *figures = (struct gain_figures){{n.micro_ops, n.latency_cycles, n.interval_cycles}};
    return fine;
}

/* Rounded towards minus infinity: a gain is not made larger, a cost not smaller. */
static int64_t percent_gained(uint64_t mapped, uint64_t own) {
    int64_t whole = mapped ? (int64_t)mapped : 1, part = 100 * ((int64_t)mapped - (int64_t)own);
    return part / whole - (part % whole < 0);
}

static bool check_figure(const struct recipe *recipe, const struct gain *gain, unsigned index,
                         uint64_t own, uint64_t mapped, struct diag *diag) {
    int64_t real = percent_gained(mapped, own);
    struct str text = {0};
    if (real == gain->percent[index])
        return true;
    str_printf(&text, "%s: at width %u %s is %llu, and %llu as mapped", recipe->unit.name,
               gain->width, notation_gain_names[index], (unsigned long long)own,
               (unsigned long long)mapped);
    if (real)
        str_printf(&text, ": '%s %s %lld %%'", real < 0 ? "costs" : "gains",
                   notation_gain_names[index], (long long)(real < 0 ? -real : real));
    else
        str_append(&text, ": no gain of one percent, and no cost");
    recipe_error(diag, recipe->unit.file, gain->at[index], "%s", str_text(&text));
    str_free(&text);
    return false;
}

static bool check_gain(const struct recipe_set *set, const struct recipe *recipe,
                       const struct recipe *mapped, const struct gain *gain, struct diag *diag) {
    struct insn insn = recipe_usual_insn(recipe->op, gain->width);
    struct gain_figures own, other;
    bool fine = true;
    if (!recipe_applies(&insn) || (insn.width == 0 && gain->width != 1)) {
        recipe_error(diag, recipe->unit.file, gain->at[0],
                     "%s: there is no such instruction at width %u", recipe->unit.name,
                     gain->width);
        return false;
    }
    if (!count_figures(set, recipe, &insn, &own, diag) ||
        !count_figures(set, mapped, &insn, &other, diag))
        return false;
    for (unsigned i = 0; i < GAIN_FIGURES; i++)
        fine &= check_figure(recipe, gain, i, own.of[i], other.of[i], diag);
    return fine;
}

bool recipe_check_gains(const struct recipe_set *set, const struct recipe *recipe,
                        struct diag *diag) {
    const struct recipe *mapped = recipe->gain_count ? recipe_mapped(set, recipe->op, diag) : NULL;
    bool fine = true;
    if (recipe->gain_count && !mapped) {
        recipe_error(diag, recipe->unit.file, recipe->gains[0].at[0],
                     "%s: the mapping makes no recipe to compare this one with", recipe->unit.name);
        return false;
    }
    for (unsigned i = 0; i < recipe->gain_count; i++)
        fine &= check_gain(set, recipe, mapped, &recipe->gains[i], diag);
    return fine;
}
