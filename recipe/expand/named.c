/* SPDX-License-Identifier: MIT
 * Rows that recipes call by name: each is one scratch value of its section, which keeps what was
 * written until it is overwritten; and commands that activate such rows together. */
#include "recipe/expand/walk.h"

/* --- rows --- */

static struct named_row *named_row_of(struct section_machine *machine, uint32_t class) {
    uint16_t section = (uint16_t)section_at(machine, machine->position);
    for (size_t i = 0; i < machine->rows.len; i++)
        if (machine->rows.data[i].class == class && machine->rows.data[i].section == section)
            return &machine->rows.data[i];
    struct named_row made = {.class = (uint16_t) class, .section = section};
    uint32_t value = expand_new_scratch(machine->x, section, NULL, class, -1);
    machine->x->list.values.data[value].class = (uint16_t)(class + 1);
    machine->x->list.values.data[value].named = true;
    made.place = PLACE(PLANE_SCRATCH, value);
    vec_push(&machine->rows, made);
    return &vec_last(&machine->rows);
}

bool expand_walk_read_row(struct section_machine *machine, struct span at, uint32_t class,
                          uint32_t *place) {
    const struct row_class *c = &plane_target(machine->x->set->target)->row_classes[class];
    *place = PLACE(PLANE_CONST, c->value == 1);
    if (c->value >= 0)
        return true;
    const struct named_row *r = named_row_of(machine, class);
    if (!r->written)
        return expand_walk_fail(machine, at, "row '%s' is read before it is written%s", c->name,
                                sections_of(machine) > 1 ? " in this section" : "");
    *place = r->place;
    return true;
}

bool expand_walk_write_row(struct section_machine *machine, struct span at, uint32_t class,
                           uint32_t *place) {
    const struct row_class *c = &plane_target(machine->x->set->target)->row_classes[class];
    if (c->value >= 0)
        return expand_walk_fail(machine, at, "row '%s' is constant: it cannot be written", c->name);
    struct named_row *r = named_row_of(machine, class);
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

static const struct row_group *group_of(struct section_machine *machine,
                                        const struct recipe_expr *expr) {
    bool named = expr->kind == EXPR_NAME && binding_of(machine, expr)->kind == BOUND_GROUP;
    return named ? &plane_target(machine->x->set->target)->groups[binding_of(machine, expr)->number]
                 : NULL;
}

static bool address_place(struct section_machine *machine, const struct recipe_expr *expr,
                          bool write, const struct row_group *group, unsigned index,
                          uint32_t *place) {
    if (!group)
        return write ? expand_walk_write(machine, expr, false, place)
                     : expand_walk_read(machine, expr, place);
    return write ? expand_walk_write_row(machine, expr->at, group->class[index], place)
                 : expand_walk_read_row(machine, expr->at, group->class[index], place);
}

static bool find_address(struct section_machine *machine, const struct recipe_expr *expr,
                         bool write, struct address *address) {
    const struct row_group *g = group_of(machine, expr);
    address->rows = g ? *g : (struct row_group){.count = 1};
    for (unsigned i = 0; i < address->rows.count; i++)
        if (!address_place(machine, expr, write, g, i, &address->places[i]))
            return false;
    if (!g) {
        struct where_place p =
            expand_place_of(machine->x, address->places[0], section_at(machine, machine->position));
        address->rows.class[0] = (uint16_t)p.class;
    }
    return true;
}

/* Rows that drive the bit lines must agree, or be an odd number, whose majority does. */
static bool check_first(struct section_machine *machine, const struct recipe_expr *expr,
                        const struct address *address) {
    return address->rows.count % 2 == 1 ||
           expand_walk_fail(
               machine, expr->at,
               "'%s' is %u rows: activated first, they drive the bit lines only if their "
               "values are the same",
               expr->name, address->rows.count);
}

static bool check_second(struct section_machine *machine, const struct recipe_expr *expr,
                         const struct address *address, const struct address *first) {
    struct arena text = {0};
    bool fine = true;
    for (unsigned i = 0; fine && i < address->rows.count; i++)
        for (unsigned k = 0; fine && k < first->rows.count; k++)
            if (address->places[i] == first->places[k])
                fine = expand_walk_fail(machine, expr->at, "%s is in both addresses",
                                        expand_place_name(&text, machine->x, address->places[i]));
    arena_free(&text);
    return fine;
}

static bool emit_activation(struct section_machine *machine, const struct recipe_stmt *stmt,
                            uint32_t kind, const struct address *first,
                            const struct address *second) {
    const struct target_op *op = &plane_target(machine->x->set->target)->ops[kind];
    uint32_t dst[UOP_MAX];
    unsigned next = 0;
    for (unsigned k = 0; k < op->ndst; k++)
        dst[k] = op->tied[k] ? first->places[op->tied[k] - 1] : second->places[next++];
    return expand_walk_emit(machine, stmt, kind, first->places, dst);
}

bool expand_walk_arrow(struct section_machine *machine, const struct recipe_stmt *stmt) {
    const struct target *t = machine->x->set->target;
    const struct recipe_expr *call = stmt->value, *one = call->args[0], *two = stmt->targets[0];
    struct address first, second;
    if (!plane_target(t)->ops[call->ref].first_rows)
        return expand_walk_fail(machine, call->name_at,
                                "'%s' does not activate rows: write x = %s(y)", call->name,
                                call->name);
    if (!find_address(machine, one, false, &first) || !check_first(machine, one, &first))
        return false;
    if (two && (!find_address(machine, two, true, &second) ||
                !check_second(machine, two, &second, &first)))
        return false;
    int kind = technology_activation(t, call->ref, &first.rows, two ? &second.rows : NULL);
    if (kind < 0)
        return expand_walk_fail(machine, stmt->at,
                                two ? "%s cannot activate these rows one after the other"
                                    : "%s with one address takes several rows",
                                call->name);
    return emit_activation(machine, stmt, (uint32_t)kind, &first, &second);
}
