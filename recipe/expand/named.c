/* SPDX-License-Identifier: MIT
 * Rows that recipes call by name: each is one scratch value of its section, which keeps what was
 * written until it is overwritten; and commands that activate such rows together. */
#include "recipe/expand/walk.h"

/* --- rows --- */

static struct named_row *named_row_of(struct section_machine *m, uint32_t class) {
    uint16_t section = (uint16_t)section_at(m, m->position);
    for (size_t i = 0; i < m->rows.len; i++)
        if (m->rows.data[i].class == class && m->rows.data[i].section == section)
            return &m->rows.data[i];
    struct named_row made = {.class = (uint16_t) class, .section = section};
    uint32_t value = expand_new_scratch(m->x, section, NULL, class, -1);
    m->x->list.values.data[value].class = (uint16_t)(class + 1);
    m->x->list.values.data[value].named = true;
    made.place = PLACE(PLANE_SCRATCH, value);
    vec_push(&m->rows, made);
    return &vec_last(&m->rows);
}

bool expand_walk_read_row(struct section_machine *m, struct span at, uint32_t class,
                          uint32_t *place) {
    const struct row_class *c = &plane_target(m->x->set->target)->row_classes[class];
    *place = PLACE(PLANE_CONST, c->value == 1);
    if (c->value >= 0)
        return true;
    const struct named_row *r = named_row_of(m, class);
    if (!r->written)
        return expand_walk_fail(m, at, "row '%s' is read before it is written%s", c->name,
                                sections_of(m) > 1 ? " in this section" : "");
    *place = r->place;
    return true;
}

bool expand_walk_write_row(struct section_machine *m, struct span at, uint32_t class,
                           uint32_t *place) {
    const struct row_class *c = &plane_target(m->x->set->target)->row_classes[class];
    if (c->value >= 0)
        return expand_walk_fail(m, at, "row '%s' is constant: it cannot be written", c->name);
    struct named_row *r = named_row_of(m, class);
    r->written = true;
    *place = r->place;
    return true;
}

/* --- commands --- */

/* The rows that one address activates. */
struct address {
    struct row_group rows;
    uint32_t places[GROUP_MAX_ROWS];
};

static const struct row_group *group_of(struct section_machine *m, const struct recipe_expr *e) {
    bool named = e->kind == EXPR_NAME && binding_of(m, e)->kind == BOUND_GROUP;
    return named ? &plane_target(m->x->set->target)->groups[binding_of(m, e)->number] : NULL;
}

static bool address_place(struct section_machine *m, const struct recipe_expr *e, bool write,
                          const struct row_group *g, unsigned i, uint32_t *place) {
    if (!g)
        return write ? expand_walk_write(m, e, false, place) : expand_walk_read(m, e, place);
    return write ? expand_walk_write_row(m, e->at, g->class[i], place)
                 : expand_walk_read_row(m, e->at, g->class[i], place);
}

static bool find_address(struct section_machine *m, const struct recipe_expr *e, bool write,
                         struct address *a) {
    const struct row_group *g = group_of(m, e);
    a->rows = g ? *g : (struct row_group){.count = 1};
    for (unsigned i = 0; i < a->rows.count; i++)
        if (!address_place(m, e, write, g, i, &a->places[i]))
            return false;
    if (!g) {
        struct where_place p = expand_place_of(m->x, a->places[0], section_at(m, m->position));
        a->rows.class[0] = (uint16_t)p.class;
    }
    return true;
}

/* Rows that drive the bit lines must agree, or be an odd number, whose majority does. */
static bool check_first(struct section_machine *m, const struct recipe_expr *e,
                        const struct address *a) {
    return a->rows.count % 2 == 1 ||
           expand_walk_fail(
               m, e->at,
               "'%s' is %u rows: activated first, they drive the bit lines only if their "
               "values are the same",
               e->name, a->rows.count);
}

static bool check_second(struct section_machine *m, const struct recipe_expr *e,
                         const struct address *a, const struct address *first) {
    struct arena text = {0};
    bool fine = true;
    for (unsigned i = 0; fine && i < a->rows.count; i++)
        for (unsigned k = 0; fine && k < first->rows.count; k++)
            if (a->places[i] == first->places[k])
                fine = expand_walk_fail(m, e->at, "%s is in both addresses",
                                        expand_place_name(&text, m->x, a->places[i]));
    arena_free(&text);
    return fine;
}

static bool emit_activation(struct section_machine *m, const struct recipe_stmt *s, uint32_t kind,
                            const struct address *first, const struct address *second) {
    const struct target_op *op = &plane_target(m->x->set->target)->ops[kind];
    uint32_t dst[UOP_MAX];
    unsigned next = 0;
    for (unsigned k = 0; k < op->ndst; k++)
        dst[k] = op->tied[k] ? first->places[op->tied[k] - 1] : second->places[next++];
    return expand_walk_emit(m, s, kind, first->places, dst);
}

bool expand_walk_arrow(struct section_machine *m, const struct recipe_stmt *s) {
    const struct target *t = m->x->set->target;
    const struct recipe_expr *call = s->value, *one = call->args[0], *two = s->targets[0];
    struct address first, second;
    if (!plane_target(t)->ops[call->ref].first_rows)
        return expand_walk_fail(m, call->name_at, "'%s' does not activate rows: write x = %s(y)",
                                call->name, call->name);
    if (!find_address(m, one, false, &first) || !check_first(m, one, &first))
        return false;
    if (two && (!find_address(m, two, true, &second) || !check_second(m, two, &second, &first)))
        return false;
    int kind = technology_activation(t, call->ref, &first.rows, two ? &second.rows : NULL);
    if (kind < 0)
        return expand_walk_fail(m, s->at,
                                two ? "%s cannot activate these rows one after the other"
                                    : "%s with one address takes several rows",
                                call->name);
    return emit_activation(m, s, (uint32_t)kind, &first, &second);
}
