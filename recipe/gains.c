/* SPDX-License-Identifier: MIT
 * What a hand-written recipe says to gain over the one that the mapping makes. */
#include "recipe/set.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>

struct gain_figures {
    uint64_t of[GAIN_FIGURES];
};

static bool count_figures(const struct recipe_set *set, const struct recipe *c,
                          const struct insn *insn, struct gain_figures *f, struct diag *d) {
    struct uop_list list = {0};
    struct recipe_count n;
    const char *error = NULL;
    bool fine = recipe_expand_with(set, c, insn, false, &list, d);
    if (fine && !recipe_count_list(set->target, &list, &n, &error)) {
        recipe_error(d, c->unit.file, c->unit.at, "%s: at width %u: %s", c->unit.name, insn->width,
                     error);
        fine = false;
    }
    vec_free(&list);
    if (fine)
        *f = (struct gain_figures){{n.micro_ops, n.latency_cycles, n.interval_cycles}};
    return fine;
}

/* Rounded towards minus infinity: a gain is not made larger, a cost not smaller. */
static int64_t percent_gained(uint64_t mapped, uint64_t own) {
    int64_t whole = mapped ? (int64_t)mapped : 1, part = 100 * ((int64_t)mapped - (int64_t)own);
    return part / whole - (part % whole < 0);
}

static bool check_figure(const struct recipe *c, const struct gain *g, unsigned i, uint64_t own,
                         uint64_t mapped, struct diag *d) {
    int64_t real = percent_gained(mapped, own);
    struct str text = {0};
    if (real == g->percent[i])
        return true;
    str_printf(&text, "%s: at width %u %s is %llu, and %llu as mapped", c->unit.name, g->width,
               notation_gain_names[i], (unsigned long long)own, (unsigned long long)mapped);
    if (real)
        str_printf(&text, ": '%s %s %lld %%'", real < 0 ? "costs" : "gains", notation_gain_names[i],
                   (long long)(real < 0 ? -real : real));
    else
        str_append(&text, ": no gain of one percent, and no cost");
    recipe_error(d, c->unit.file, g->at[i], "%s", str_text(&text));
    str_free(&text);
    return false;
}

static bool check_gain(const struct recipe_set *set, const struct recipe *c,
                       const struct recipe *mapped, const struct gain *g, struct diag *d) {
    struct insn insn = recipe_usual_insn(c->op, g->width);
    struct gain_figures own, other;
    bool fine = true;
    if (!recipe_applies(&insn) || (insn.width == 0 && g->width != 1)) {
        recipe_error(d, c->unit.file, g->at[0], "%s: there is no such instruction at width %u",
                     c->unit.name, g->width);
        return false;
    }
    if (!count_figures(set, c, &insn, &own, d) || !count_figures(set, mapped, &insn, &other, d))
        return false;
    for (unsigned i = 0; i < GAIN_FIGURES; i++)
        fine &= check_figure(c, g, i, own.of[i], other.of[i], d);
    return fine;
}

bool recipe_check_gains(const struct recipe_set *set, const struct recipe *c, struct diag *d) {
    const struct recipe *mapped = c->gain_count ? recipe_mapped(set, c->op, d) : NULL;
    bool fine = true;
    if (c->gain_count && !mapped) {
        recipe_error(d, c->unit.file, c->gains[0].at[0],
                     "%s: the mapping makes no recipe to compare this one with", c->unit.name);
        return false;
    }
    for (unsigned i = 0; i < c->gain_count; i++)
        fine &= check_gain(set, c, mapped, &c->gains[i], d);
    return fine;
}
