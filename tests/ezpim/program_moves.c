/* SPDX-License-Identifier: MIT
 * Moves between elements. */
#include "tests/ezpim/program_parts.h"

#include <stdio.h>
#include <string.h>

static const char *const indices[] = {"i", "j", "q", "l"};

/* A variable of that type that may be moved from, with its group. */
static const struct gen_group_var *choose_source(struct gen *g, struct rtype t,
                                                 const struct gen_group **group) {
    for (unsigned i = 0; i < 20; i++) {
        *group = &g->groups[gen_below(g, g->group_count)];
        const struct gen_group_var *v = &(*group)->vars[gen_below(g, (*group)->var_count)];
        if (v->var.known && gen_same_type(v->var.type, t))
            return v;
    }
    return NULL;
}

/* "name[" without the number of an array's register. */
static void begin_side(struct gen *g, const struct gen_group_var *v) {
    const char *bracket = strchr(v->var.name, '[');
    int n = bracket ? (int)(bracket - v->var.name) : (int)strlen(v->var.name);
    gen_add(g, "%.*s[", n, v->var.name);
}

static void end_side(struct gen *g, const struct gen_group_var *v) {
    if (v->more.array)
        gen_add(g, ", %u", v->place);
    gen_add(g, "]");
}

/* An offset that a counter of a loop around gives, itself or by a table.  False: there is none. */
static bool write_counted(struct gen *g, const char *index) {
    const struct rcounter *k = g->c.counter_count ? &g->c.counters[g->c.counter_count - 1] : NULL;
    if (!k || gen_chance(g, 2))
        return false;
    gen_add(g, "%s", index);
    if (k->low >= 0 && k->high < 4 && gen_chance(g, 2))
        gen_add(g, " + O[%s]", k->name);
    else
        gen_add(g, " %c %s", gen_chance(g, 2) ? '-' : '+', k->name);
    return true;
}

/* An index of the source along an extent, of one of the target's. */
static void write_index(struct gen *g, const char *index, const char *extent) {
    unsigned c = gen_below(g, 4);
    if (write_counted(g, index))
        return;
    switch (gen_below(g, 8)) {
    case 0:
        gen_add(g, "%s", index);
        break;
    case 1:
        gen_add(g, "%s + %u", index, c);
        break;
    case 2:
        gen_add(g, "%s - %u", index, c + 1);
        break;
    case 3:
        gen_add(g, "%s - 1 - %s", extent, index);
        break;
    case 4:
        gen_add(g, "2 * %s + %u", index, c % 2);
        break;
    case 5:
        gen_add(g, "%s * 3 - %u", index, c);
        break;
    case 6:
        gen_add(g, "%u", c);
        break;
    default:
        gen_add(g, "%s + 1", index);
    }
}

/* A variable of the group that may hold an index; NULL: none was found. */
static const struct gen_group_var *choose_index(struct gen *g, const struct gen_group *group) {
    for (unsigned i = 0; i < 10; i++) {
        const struct gen_group_var *v = &group->vars[gen_below(g, group->var_count)];
        if (v->var.known && !v->var.type.is_bool)
            return v;
    }
    return NULL;
}

/* "k[i, j]" */
static void write_held_index(struct gen *g, const struct gen_group *group,
                             const struct gen_group_var *v) {
    begin_side(g, v);
    for (unsigned d = 0; d < group->ndim; d++)
        gen_add(g, "%s%s", d ? ", " : "", indices[d]);
    end_side(g, v);
}

/* The side of v, by the indices of `near`'s elements; one of them is what `held` holds, unless that
 * is NULL. */
static void write_far(struct gen *g, const struct gen_group *group, const struct gen_group_var *v,
                      const struct gen_group *near, const struct gen_group_var *held) {
    unsigned indexed = held ? gen_below(g, group->ndim) : group->ndim;
    begin_side(g, v);
    for (unsigned d = 0; d < group->ndim; d++) {
        unsigned of = d < near->ndim && !gen_chance(g, 4) ? d : gen_below(g, near->ndim);
        gen_add(g, d ? ", " : "");
        if (d == indexed)
            write_held_index(g, near, held);
        else
            write_index(g, indices[of], group->extents[d]);
    }
    end_side(g, v);
}

/* The side of v that names the indices. */
static void write_near(struct gen *g, const struct gen_group *group,
                       const struct gen_group_var *v) {
    begin_side(g, v);
    for (unsigned d = 0; d < group->ndim; d++)
        gen_add(g, "%s%s", d ? ", " : "", indices[d]);
    end_side(g, v);
}

/* `wrap`, `else constant`, or nothing; true when every element of the target gets a value. */
static bool write_outside(struct gen *g, struct rtype t, bool indexed) {
    if (indexed && gen_chance(g, 3)) {
        gen_add(g, " clip");
        return true;
    }
    if (gen_chance(g, 2)) {
        gen_add(g, " wrap");
        return true;
    }
    if (gen_chance(g, 2))
        return false;
    gen_add(g, " else ");
    gen_add(g, t.is_bool ? "true" : "%u", gen_below(g, 2));
    return true;
}

/* By offsets that stay inside: (all of) a group and itself, an axis and that axis. */
static void write_clipped(struct gen *g, const struct gen_group *group,
                          const struct gen_group_var *v, const struct gen_group_var *source) {
    write_near(g, group, v);
    gen_add(g, " = ");
    begin_side(g, source);
    for (unsigned d = 0; d < group->ndim; d++) {
        int by = (int)gen_below(g, 7) - 3;
        gen_add(g, d ? ", " : "");
        if (!write_counted(g, indices[d]))
            gen_add(g, "%s %c %d", indices[d], by < 0 ? '-' : '+', by < 0 ? -by : by);
    }
    end_side(g, source);
    gen_add(g, " clip");
}

static bool write_bounds(struct gen *g, const struct gen_group *group) {
    if (!gen_chance(g, 4))
        return true;
    unsigned d = gen_below(g, group->ndim);
    if (gen_chance(g, 2))
        gen_add(g, " for %s: 0 .. %s - %u", indices[d], group->extents[d], gen_below(g, 2));
    else
        gen_add(g, " for %s: 0 .. 1", indices[d]);
    return false;
}

/* Elements go where their indices say; what is not named stays as it is. */
static void write_scatter(struct gen *g, const struct gen_group *to, const struct gen_group_var *v,
                          const struct gen_group *from, const struct gen_group_var *source,
                          const struct gen_group_var *held) {
    static const char *const outsides[] = {"", " wrap", " clip"};
    write_far(g, to, v, from, held);
    gen_add(g, " = ");
    write_near(g, from, source);
    gen_add(g, "%s", outsides[gen_below(g, 3)]);
    write_bounds(g, from);
}

/* An element of an array has a first register of its own: it is known when it was written. */
void gen_move(struct gen *g) {
    struct gen_group *to = &g->groups[gen_below(g, g->group_count)];
    const struct gen_group *from;
    struct gen_group_var *v = &to->vars[gen_below(g, to->var_count)];
    bool scatters = gen_chance(g, 5), all = false;
    if (v->is_fuel || !v->more.writable)
        return;
    const struct gen_group_var *source = choose_source(g, v->var.type, &from), *held = NULL;
    if (!source)
        return;
    if (scatters || gen_chance(g, 3))
        held = choose_index(g, scatters ? from : to);
    gen_begin(g);
    gen_add(g, "move ");
    if (to == from && !g->grid_dims && gen_chance(g, 4)) {
        write_clipped(g, to, v, source);
        all = true;
    } else if (scatters && held) {
        write_scatter(g, to, v, from, source, held);
    } else {
        write_near(g, to, v);
        gen_add(g, " = ");
        write_far(g, from, source, to, held);
        all = write_outside(g, v->var.type, held != NULL);
        all = write_bounds(g, to) && all;
    }
    gen_add(g, ";\n");
    v->var.known = v->var.known || all;
}
