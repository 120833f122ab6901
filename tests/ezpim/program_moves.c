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

/* An index of the source along an extent, of one of the target's. */
static void write_index(struct gen *g, const char *index, const char *extent) {
    unsigned c = gen_below(g, 4);
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

/* An index of the target: mostly its name alone; true if every element is meant then. */
static bool write_target_index(struct gen *g, const char *index, const char *extent,
                               const char *counter) {
    switch (gen_below(g, 8)) {
    case 0:
        gen_add(g, "2 * %s + %u", index, gen_below(g, 3));
        return false;
    case 1:
        gen_add(g, "%s - 1 - %s", extent, index);
        return true;
    case 2:
        gen_add(g, "%s + %u - 3 * %s", extent, gen_below(g, 3), index);
        return false;
    case 3:
        gen_add(g, counter ? "%s + %s" : "%s", index, counter);
        return !counter;
    default:
        gen_add(g, "%s", index);
        return true;
    }
}

static void write_source(struct gen *g, const struct gen_group *group,
                         const struct gen_group_var *v, unsigned target_dims, const char *counter) {
    begin_side(g, v);
    for (unsigned d = 0; d < group->ndim; d++) {
        unsigned of = d < target_dims && !gen_chance(g, 4) ? d : gen_below(g, target_dims);
        gen_add(g, d ? ", " : "");
        write_index(g, counter && gen_chance(g, 3) ? counter : indices[of], group->extents[d]);
        if (counter && gen_chance(g, 3))
            gen_add(g, " - 2 * %s", counter);
    }
    end_side(g, v);
}

/* `wrap`, `else constant`, or nothing; true when every element of the target gets a value. */
static bool write_outside(struct gen *g, struct rtype t) {
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

/* A loop around the move, up to a number or a size; NULL: none. */
static const char *begin_loop(struct gen *g, const struct gen_group *to) {
    static const char counter[] = "lap";
    if (gen_chance(g, 3))
        gen_add(g, "for %s: 0 .. %s { ", counter, to->extents[to->ndim - 1]);
    else if (gen_chance(g, 3))
        gen_add(g, "for %s: %u .. 4 { ", counter, gen_below(g, 3));
    else
        return NULL;
    return counter;
}

/* An element of an array has a first register of its own: it is known when it was written. */
void gen_move(struct gen *g) {
    struct gen_group *to = &g->groups[gen_below(g, g->group_count)];
    const struct gen_group *from;
    struct gen_group_var *v = &to->vars[gen_below(g, to->var_count)];
    if (v->is_fuel || !v->more.writable)
        return;
    const struct gen_group_var *source = choose_source(g, v->var.type, &from);
    if (!source)
        return;
    gen_begin(g);
    const char *counter = begin_loop(g, to);
    bool whole = true;
    gen_add(g, "move ");
    begin_side(g, v);
    for (unsigned d = 0; d < to->ndim; d++) {
        gen_add(g, d ? ", " : "");
        whole = write_target_index(g, indices[d], to->extents[d], counter) && whole;
    }
    end_side(g, v);
    gen_add(g, " = ");
    write_source(g, from, source, to->ndim, counter);
    bool all = write_outside(g, v->var.type) && whole;
    if (whole) /* a range of others might leave the target */
        all = write_bounds(g, to) && all;
    gen_add(g, counter ? "; }\n" : ";\n");
    v->var.known = v->var.known || all;
}
