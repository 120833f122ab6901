/* SPDX-License-Identifier: MIT
 * Copies that a walk needs, and places that a micro-op of a mapped recipe does not reach from the
 * section at work: C, M and valid, where they are rows of the first section, and buffers of
 * sections that are no neighbours. */
#include "recipe/expand/route.h"
#include "recipe/expand/walk.h"

#include "recipe/map/map.h"

static uint64_t step_path(uint64_t path, const struct recipe_stmt *stmt, uint64_t step) {
    return path ^ (uint64_t)(stmt->id + 1) * 0xd1342543de82ef95u ^ step;
}

static int here(const struct section_machine *machine) {
    return section_at(machine, machine->position);
}

/* --- ways --- */

static uint32_t place_of_step(struct section_machine *machine, const struct recipe_stmt *stmt,
                              const struct route_step *step, uint32_t end) {
    if (step->into == ROUTE_END)
        return end;
    if (step->into == ROUTE_SCRATCH)
        return PLACE(PLANE_SCRATCH, expand_new_scratch(machine->x, step->at, stmt, 0, -1));
    uint32_t direction = step->into == ROUTE_FROM_NEXT;
    return PLACE(PLANE_BUFFER,
                 (uint32_t)step->at << 16 | direction << 8 | BUFFER_ON_THE_WAY | MAX_CARRIES);
}

/* Constants that a step reads and no row holds. */
static bool make_constants(struct section_machine *machine, const struct recipe_stmt *stmt,
                           const struct route_step *step, const uint32_t constants[2]) {
    for (unsigned value = 0; value < 2; value++)
        if (step->made[value] &&
            !expand_walk_emit(machine, stmt, step->made[value] - 1u, NULL, &constants[value]))
            return false;
    return true;
}

static bool go(struct section_machine *machine, const struct recipe_stmt *stmt,
               const struct route *route, uint32_t from, uint32_t end) {
    int position = machine->position;
    uint64_t path = machine->path;
    bool fine = true;
    for (size_t i = 0; i < route->steps.len && fine; i++) {
        const struct route_step *s = &route->steps.data[i];
        uint32_t src[UOP_MAX], constants[2], to = place_of_step(machine, stmt, s, end);
        machine->position = s->section;
        machine->path = ~step_path(path, stmt, 2 * MOST_COPY_STEPS + i);
        expand_route_constants(machine->x, s, constants);
        expand_route_read(s, from, to, constants, src);
        fine = make_constants(machine, stmt, s, constants);
        machine->path = ~step_path(path, stmt, MOST_COPY_STEPS + i);
        fine = fine && (!s->first || expand_walk_emit(machine, stmt, s->first - 1u, NULL, &to));
        machine->path = ~machine->path;
        fine = fine && expand_walk_emit(machine, stmt, s->kind, src, &to);
        from = to;
    }
    machine->position = position;
    machine->path = path;
    return fine;
}

/* --- where there is none --- */

/* Where copies lead that no way takes: from a row of one section to a row of another one. */
static bool leads_to_row(const struct target *target, const struct target_op *op, int from,
                         int to) {
    const struct plane_target *t = plane_target(target);
    for (uint32_t a = 0; a < t->row_class_count; a++)
        for (uint32_t d = 0; d < t->row_class_count; d++) {
            const struct where_place places[] = {{(int)a, from}, {(int)d, to}};
            if (t->row_classes[d].scratch_rows &&
                (technology_where_holds(op->where, places, from) ||
                 technology_where_holds(op->where, places, to)))
                return true;
        }
    return false;
}

static bool leaves_section(const struct target *target, const struct target_op *op) {
    const int sections = (int)plane_target(target)->sections;
    for (int from = 0; from < sections && op->nsrc == 1 && op->ndst == 1; from++)
        for (int to = 0; to < sections; to++)
            if (to != from && leads_to_row(target, op, from, to))
                return true;
    return false;
}

/* The error says that no way leads to another section: somebody may miss the copy to its rows. */
static void note_rows(const struct section_machine *machine) {
    const struct target *t = machine->x->set->target;
    for (uint32_t i = 0; machine->x->diag && i < plane_target(t)->op_count; i++) {
        const struct target_op *op = &plane_target(t)->ops[i];
        if (!plane_op_is_copy(op) || !leaves_section(t, op))
            continue;
        diag_note(
            machine->x->diag, NO_SPAN,
            "%s leads to rows of other sections, which is no way: what comes from another "
            "section is taken in a buffer (class 'buffer'), since a section's rows are written "
            "by its own micro-ops alone",
            op->name);
        return;
    }
}

/* False, after reporting. */
static bool no_way(struct section_machine *machine, const struct recipe_stmt *stmt,
                   const char *text) {
    bool first = !machine->failed;
    expand_walk_fail(machine, stmt->at,
                     "target '%s' has no micro-ops ('where') that bring a value %s",
                     machine->x->set->target->name, text);
    if (first)
        note_rows(machine);
    return false;
}

/* --- C, M and valid in the first section --- */

static int latch_number(const struct section_machine *machine, uint32_t place) {
    const struct target *t = machine->x->set->target;
    switch (PLANE_CLASS(place)) {
    case PLANE_C:
        return target_is_first_row(t, target_class_of_c(t)) ? 0 : -1;
    case PLANE_M:
        return target_is_first_row(t, target_class_of_m(t)) ? 1 : -1;
    case PLANE_VALID:
        return target_is_first_row(t, target_class_of_valid(t)) ? 2 : -1;
    default:
        return -1;
    }
}

/* The fastest way so far to the section at work, from one more place. */
static void try_from(const struct section_machine *machine, uint32_t from, int section, uint32_t to,
                     struct route *best, uint32_t *best_from) {
    struct route way;
    bool found = expand_route_find(machine->x, from, section, to, false, &way);
    if (found && (*best_from == PLACE_NOWHERE || way.ps < best->ps)) {
        vec_free(&best->steps);
        *best = way;
        *best_from = from;
    } else {
        vec_free(&way.steps);
    }
}

static bool no_way_to_latch(struct section_machine *machine, const struct recipe_stmt *stmt,
                            uint32_t from, uint32_t to) {
    struct arena text = {0};
    bool writes = latch_number(machine, to) >= 0;
    const char *name = expand_place_name(&text, machine->x, writes ? to : from);
    no_way(machine, stmt,
           arena_printf(&text, "%s section %d %s %s, which is a row of section 0",
                        writes ? "from" : "to", here(machine), writes ? "to" : "from", name));
    arena_free(&text);
    return false;
}

/* By way of rows that compute: which of them are free is known at the end. */
static bool copy_later(struct section_machine *machine, const struct recipe_stmt *stmt,
                       uint32_t from, uint32_t to) {
    struct sym_uop u = {.kind = COPY_LATER,
                        .section = (uint16_t)here(machine),
                        .nsrc = 1,
                        .ndst = 1,
                        .src = {from},
                        .dst = {to},
                        .counterpart = NO_UOP,
                        .path = step_path(machine->path, stmt, 0),
                        .stmt = stmt,
                        .unit = machine->frame->unit};
    if (here(machine) && (latch_number(machine, from) >= 0 || latch_number(machine, to) >= 0))
        return no_way_to_latch(machine, stmt, from, to);
    if (PLANE_CLASS(to) == PLANE_BUFFER || !expand_copies_by_rows(machine->x))
        return expand_walk_fail(machine, stmt->at,
                                "target '%s' has no micro-ops ('where') that copy this",
                                machine->x->set->target->name);
    vec_push(&machine->x->list.uops, u);
    expand_walk_note_write(machine, to);
    return true;
}

/* The end that is reached first from a place of a section, or NOWHERE. */
static uint32_t find_end(const struct section_machine *machine, uint32_t from, int section,
                         const uint32_t ends[2], struct route *best) {
    uint32_t to = PLACE_NOWHERE;
    for (unsigned i = 0; i < 2; i++) {
        struct route way;
        bool found = expand_route_find(machine->x, from, section, ends[i], false, &way);
        if (found && (to == PLACE_NOWHERE || way.ps < best->ps)) {
            vec_free(&best->steps);
            *best = way;
            to = ends[i];
        } else {
            vec_free(&way.steps);
        }
    }
    return to;
}

/* From a section to a buffer of another one, and from there by way of rows that compute; *found:
 * something leads to the buffer. */
static bool copy_by_buffer(struct section_machine *machine, const struct recipe_stmt *stmt,
                           uint32_t from, int section, uint32_t to, int at, bool *found) {
    const uint32_t previous =
        PLACE(PLANE_BUFFER, (uint32_t)at << 16 | BUFFER_ON_THE_WAY | MAX_CARRIES);
    const uint32_t ends[] = {previous, previous | 0x100};
    int position = machine->position;
    struct route way = {0};
    uint32_t buffer = find_end(machine, from, section, ends, &way);
    *found = buffer != PLACE_NOWHERE && expand_copies_by_rows(machine->x);
    bool fine = *found && go(machine, stmt, &way, from, buffer);
    vec_free(&way.steps);
    machine->position = at;
    fine = fine && copy_later(machine, stmt, buffer, to);
    machine->position = position;
    return fine;
}

/* A copy in the section at work, made of the latch or of the nearest copy there is. */
static bool copy_latch(struct section_machine *machine, const struct recipe_stmt *stmt, int number,
                       uint32_t *place) {
    uint32_t *copies = machine->latch_copies[number];
    int at = here(machine), sections = sections_of(machine);
    struct route best = {0};
    uint32_t from = PLACE_NOWHERE;
    if (copies[at]) {
        *place = copies[at];
        return true;
    }
    uint32_t to = PLACE(PLANE_SCRATCH, expand_new_scratch(machine->x, (unsigned)at, stmt, 0, -1));
    for (int step = -1; step <= 1; step += 2) {
        int s = at + step;
        while (s >= 0 && s < sections && !copies[s])
            s += step;
        if (s >= 0 && s < sections)
            try_from(machine, copies[s], s, to, &best, &from);
    }
    try_from(machine, *place, 0, to, &best, &from);
    bool found, fine = from != PLACE_NOWHERE
                           ? go(machine, stmt, &best, from, to)
                           : copy_by_buffer(machine, stmt, *place, 0, to, at, &found);
    vec_free(&best.steps);
    if (fine)
        *place = copies[at] = to;
    return fine;
}

void expand_walk_note_write(struct section_machine *machine, uint32_t place) {
    int number = latch_number(machine, place);
    for (unsigned s = 0; s < 64 && number >= 0; s++)
        machine->latch_copies[number][s] = 0;
}

/* Under a mask by select a result that is C stands for a row of the first section. */
static bool is_kept_there(const struct section_machine *machine, uint32_t place) {
    return plane_target(machine->x->set->target)->mask_by == MASK_SELECT && here(machine) &&
           latch_number(machine, place) >= 0;
}

/* The same of what is read: what C held before is in its own place. */
static bool is_read_there(const struct section_machine *machine, uint32_t place) {
    return machine->x->wrote_c && PLANE_CLASS(place) == PLANE_C && is_kept_there(machine, place);
}

bool expand_walk_reaches(const struct section_machine *machine, const struct target_op *op,
                         const uint32_t *src, const uint32_t *dst) {
    if (!machine->frame->unit->mapped || !machine->x->set->routes)
        return true;
    for (unsigned k = 0; k < op->ndst; k++)
        if (is_kept_there(machine, dst[k]))
            return false;
    for (unsigned i = 0; i < op->nsrc; i++)
        if (is_read_there(machine, src[i]))
            return false;
    return expand_classes_allow(machine->x, op, src, dst, here(machine));
}

/* What stands for C or M where result k is made: new scratch, or the copy of what it held where the
 * op replaces that or keeps a part. */
static bool fetch_result(struct section_machine *machine, const struct recipe_stmt *stmt,
                         const struct target_op *op, unsigned k, uint32_t *src, uint32_t *dst) {
    int number = latch_number(machine, dst[k]);
    if (number < 0)
        return true;
    if (!op->tied[k] && !plane_op_keeps_old(op, k)) {
        dst[k] = PLACE(PLANE_SCRATCH,
                       expand_new_scratch(machine->x, (unsigned)here(machine), stmt, k, -1));
        return true;
    }
    if (!copy_latch(machine, stmt, number, &dst[k]))
        return false;
    if (op->tied[k])
        src[op->tied[k] - 1] = dst[k];
    return true;
}

bool expand_walk_fetch(struct section_machine *machine, const struct recipe_stmt *stmt,
                       const struct target_op *op, uint32_t *src, uint32_t *dst) {
    for (unsigned k = 0; k < op->ndst && here(machine); k++)
        if (!fetch_result(machine, stmt, op, k, src, dst))
            return false;
    for (unsigned i = 0; i < op->nsrc && here(machine); i++) {
        int number = latch_number(machine, src[i]);
        if (expand_walk_reaches(machine, op, src, dst))
            return true;
        if (number >= 0 && !copy_latch(machine, stmt, number, &src[i]))
            return !expand_classes_allow(machine->x, op, src, dst, here(machine)) &&
                   no_way_to_latch(machine, stmt, src[i], PLACE_NOWHERE);
    }
    return expand_walk_reaches(machine, op, src, dst);
}

/* --- copies --- */

static bool copy_here(struct section_machine *machine, const struct recipe_stmt *stmt,
                      const struct copy_list *copy) {
    uint64_t path = machine->path;
    bool fine = true;
    for (unsigned i = 0; i < copy->count && fine; i++) {
        machine->path = step_path(path, stmt, i);
        fine = copy->preset[i] || expand_walk_emit(machine, stmt, copy->uops[i].kind,
                                                   copy->uops[i].src, copy->uops[i].dst);
    }
    machine->path = path;
    return fine;
}

/* By way of other sections, or gates; *found: there is one. */
static bool copy_by_route(struct section_machine *machine, const struct recipe_stmt *stmt,
                          uint32_t from, uint32_t to, bool *found) {
    struct route way;
    *found = expand_route_find(machine->x, from, here(machine), to, false, &way);
    bool fine = *found && go(machine, stmt, &way, from, to);
    vec_free(&way.steps);
    return fine;
}

/* Micro-ops of the section at work; those that the mapping has found use its own rows alone. */
static bool make_here(struct section_machine *machine, uint32_t from, uint32_t to,
                      struct copy_list *copy) {
    bool first_row = latch_number(machine, from) >= 0 || latch_number(machine, to) >= 0;
    if (first_row && here(machine) &&
        (is_kept_there(machine, to) || is_read_there(machine, from) ||
         expand_find_copy(machine->x, from, to, here(machine)) < 0))
        return false;
    return expand_make_copy(machine->x, from, to, here(machine), copy);
}

bool expand_walk_copy(struct section_machine *machine, const struct recipe_stmt *stmt,
                      uint32_t from, uint32_t to) {
    struct copy_list c;
    bool found = false, mapped = machine->frame->unit->mapped && machine->x->set->routes;
    if (mapped ? make_here(machine, from, to, &c)
               : expand_make_copy(machine->x, from, to, here(machine), &c))
        return copy_here(machine, stmt, &c);
    int number = mapped ? latch_number(machine, from) : -1;
    if (number >= 0 && PLANE_CLASS(to) != PLANE_BUFFER) {
        uint32_t near = from;
        if (!copy_latch(machine, stmt, number, &near))
            return copy_later(machine, stmt, from, to);
        if (make_here(machine, near, to, &c))
            return copy_here(machine, stmt, &c);
        from = near;
    }
    bool fine = mapped && copy_by_route(machine, stmt, from, to, &found);
    if (!found && mapped && here(machine) && latch_number(machine, to) >= 0)
        fine = copy_by_buffer(machine, stmt, from, here(machine), to, 0, &found);
    return found ? fine : copy_later(machine, stmt, from, to);
}

bool expand_walk_send(struct section_machine *machine, const struct recipe_stmt *stmt,
                      uint32_t from, uint32_t *buffer) {
    const uint32_t ends[] = {*buffer, (*buffer ^ 0x100) | BUFFER_ON_THE_WAY};
    struct route best = {0};
    if (expand_find_copy(machine->x, from, *buffer, here(machine)) >= 0)
        return expand_walk_copy(machine, stmt, from, *buffer);
    uint32_t to = find_end(machine, from, here(machine), ends, &best);
    bool found = to != PLACE_NOWHERE, fine = found && go(machine, stmt, &best, from, to);
    struct arena text = {0};
    vec_free(&best.steps);
    *buffer = to;
    if (!found)
        no_way(machine, stmt,
               arena_printf(&text, "from section %d to section %u", here(machine),
                            PLACE_PAYLOAD(ends[0]) >> 16));
    arena_free(&text);
    return fine;
}
