/* SPDX-License-Identifier: MIT
 * One micro-op onto the list: may it work on these places, and which one of the section before is
 * it a repetition of? */
#include "recipe/expand/walk.h"
#include "recipe/map/map.h"

#include <string.h>

/* A place whose class is open: where the mapping has its values. */
static struct where_place place_at_home(const struct expansion *expansion, uint32_t place,
                                        int here) {
    struct where_place p = expand_place_of(expansion, place, here);
    bool open = PLANE_CLASS(place) == PLANE_SCRATCH &&
                !expansion->list.values.data[PLACE_PAYLOAD(place)].class;
    if (open)
        p.class = mapping_home(expansion->set->target);
    return p;
}

static bool copies_there(const struct expansion *expansion, const struct target_op *op,
                         uint32_t from, uint32_t to, int here) {
    struct where_place at[2];
    if (!plane_op_is_copy(op))
        return false;
    if (!expansion->copies_at_home)
        return expand_classes_allow(expansion, op, &from, &to, here);
    at[0] = place_at_home(expansion, from, here);
    at[1] = place_at_home(expansion, to, here);
    return technology_where_holds(op->where, at, here);
}

int expand_find_copy(const struct expansion *expansion, uint32_t from, uint32_t to, int here) {
    const struct target *t = expansion->set->target;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (copies_there(expansion, &plane_target(t)->ops[i], from, to, here))
            return (int)i;
    return -1;
}

/* The same place, that many sections on? */
static bool is_shifted(const struct expansion *expansion, uint32_t from, uint32_t to,
                       int distance) {
    const struct uop_value *values = expansion->list.values.data;
    uint32_t a = PLACE_PAYLOAD(from), b = PLACE_PAYLOAD(to);
    if (PLANE_CLASS(from) != PLANE_CLASS(to))
        return false;
    switch (PLANE_CLASS(from)) {
    case PLANE_REGISTER:
        return (int)b - (int)a == distance;
    case PLANE_BUFFER:
        return !((a ^ b) & (BUFFER_ON_THE_WAY | 0x1ff)) &&
               (int)(b >> 16) - (int)(a >> 16) == distance;
    case PLANE_SCRATCH:
        return values[b].section - values[a].section == distance;
    default:
        return a == b;
    }
}

/* The same micro-op of the iteration before, if that one worked in a neighbouring section and wrote
 * what lies as far away. */
static uint32_t find_counterpart(struct section_machine *machine, uint32_t kind,
                                 const uint32_t *dst) {
    struct pipelined_lap *lap = machine->lap;
    if (!lap)
        return NO_UOP;
    for (size_t i = lap->next; i < lap->before.len; i++) {
        if (lap->before.data[i].path != machine->path)
            continue;
        lap->next = i + 1;
        uint32_t index = lap->before.data[i].index;
        const struct sym_uop *u = &machine->x->list.uops.data[index];
        int distance = section_at(machine, machine->position) - u->section;
        bool same = u->kind == kind && (distance == 1 || distance == -1);
        for (unsigned k = 0; same && k < u->ndst; k++)
            same = is_shifted(machine->x, u->dst[k], dst[k], distance);
        return same ? index : NO_UOP;
    }
    return NO_UOP;
}

static bool check_constants(struct section_machine *machine, struct span at, const uint32_t *src,
                            unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (PLANE_CLASS(src[i]) == PLANE_CONST &&
            expand_constant_class(machine->x->set->target, (int)PLACE_PAYLOAD(src[i])) < 0)
            return expand_walk_fail(
                machine, at, "target '%s' has no row of constant %u ('value: %u' under 'rows')",
                machine->x->set->target->name, PLACE_PAYLOAD(src[i]), PLACE_PAYLOAD(src[i]));
    return true;
}

/* What stands against writing a place with this op; NULL if nothing does. */
static const char *why_not_write(const struct section_machine *machine, const struct sym_uop *uop,
                                 unsigned index) {
    const struct target_op *op = &plane_target(machine->x->set->target)->ops[uop->kind];
    uint32_t place = uop->dst[index];
    if (PLANE_CLASS(place) == PLANE_CONST || PLANE_CLASS(place) == PLANE_VALID)
        return "destroys";
    if (PLANE_CLASS(place) == PLANE_REGISTER &&
        !expand_place_is_written(machine->x, (uint8_t)(PLACE_PAYLOAD(place) >> 6)))
        return "destroys a source of the instruction:";
    for (unsigned i = 0; i < index; i++)
        if (uop->dst[i] == place)
            return "has two results in one place:";
    for (unsigned i = 0; i < uop->nsrc; i++)
        if (uop->src[i] == place && op->tied[index] != i + 1)
            return op->tied[index] ? "reads one place twice, which it destroys:"
                                   : "reads what it destroys:";
    return NULL;
}

/* A destination is never its own source, unless it is tied to it. */
static bool check_writes(struct section_machine *machine, struct span at,
                         const struct sym_uop *uop) {
    for (unsigned k = 0; k < uop->ndst; k++) {
        const char *why = why_not_write(machine, uop, k);
        struct arena text = {0};
        if (why)
            expand_walk_fail(machine, at, "%s %s %s",
                             plane_target(machine->x->set->target)->ops[uop->kind].name, why,
                             expand_place_name(&text, machine->x, uop->dst[k]));
        arena_free(&text);
        if (why)
            return false;
    }
    return true;
}

/* Sets the destinations as the op wants to find them. */
static bool emit_presets(struct section_machine *machine, const struct recipe_stmt *stmt,
                         const struct target_op *op, const uint32_t *dst) {
    uint64_t path = machine->path;
    bool fine = true;
    for (unsigned k = 0; k < op->ndst && fine; k++) {
        machine->path = ~path - k;
        fine = !plane_op_presets(op, k) ||
               expand_walk_emit(machine, stmt, op->preset - 1u, NULL, &dst[k]);
    }
    machine->path = path;
    return fine;
}

/* The section where a source lies, as far as it matters. */
static int section_of_source(const struct section_machine *machine, uint32_t place, int here) {
    return expand_place_of(machine->x, place, here).section;
}

/* Where sections can be joined, the mapping takes operands from any of them.  Those that the op may
 * not have from where they lie are copied to the section at work, as few as will do. */
static bool fetch_sources(struct section_machine *machine, const struct recipe_stmt *stmt,
                          const struct target_op *op, uint32_t *src, const uint32_t *dst) {
    int here = section_at(machine, machine->position);
    bool fine = true;
    if (!plane_target(machine->x->set->target)->partitioned || !machine->frame->unit->mapped)
        return true;
    for (unsigned i = 0; i < op->nsrc && fine; i++) {
        if (expand_classes_allow(machine->x, op, src, dst, here))
            return true;
        if (section_of_source(machine, src[i], here) == here)
            continue;
        uint32_t copy =
            PLACE(PLANE_SCRATCH, expand_new_scratch(machine->x, (unsigned)here, stmt, i, -1));
        struct copy_list steps;
        fine = expand_make_copy(machine->x, src[i], copy, here, &steps);
        for (unsigned k = 0; k < steps.count && fine; k++)
            fine = steps.preset[k] || expand_walk_emit(machine, stmt, steps.uops[k].kind,
                                                       steps.uops[k].src, steps.uops[k].dst);
        src[i] = copy;
    }
    return fine;
}

static bool emit(struct section_machine *machine, const struct recipe_stmt *stmt, uint32_t kind,
                 const uint32_t *src, const uint32_t *dst) {
    const struct target_op *op = &plane_target(machine->x->set->target)->ops[kind];
    int section = section_at(machine, machine->position);
    struct sym_uop u = {.kind = (uint16_t)kind,
                        .section = (uint16_t)section,
                        .nsrc = op->nsrc,
                        .ndst = op->ndst,
                        .copies = machine->frame->unit->mapped && plane_op_is_copy(op),
                        .path = machine->path,
                        .stmt = stmt,
                        .unit = machine->frame->unit};
    if (op->preset && !emit_presets(machine, stmt, op, dst))
        return false;
    if (op->nsrc)
        memcpy(u.src, src, op->nsrc * sizeof *src);
    if (!fetch_sources(machine, stmt, op, u.src, dst))
        return expand_walk_fail(machine, stmt->at,
                                "target '%s' has no micro-ops ('where') that copy this",
                                machine->x->set->target->name);
    memcpy(u.dst, dst, op->ndst * sizeof *dst);
    uint32_t index = (uint32_t)machine->x->list.uops.len;
    if (!check_constants(machine, stmt->at, src, op->nsrc))
        return false;
    if (!check_writes(machine, stmt->at, &u))
        return false;
    if (index == MAX_MICRO_OPS)
        return expand_walk_fail(machine, stmt->at, "more than %u micro-ops", MAX_MICRO_OPS);
    if (!expand_classes_allow(machine->x, op, u.src, dst, section))
        return expand_walk_fail(machine, stmt->at,
                                "%s in section %d may not work on these places ('where')", op->name,
                                section);
    u.counterpart = find_counterpart(machine, kind, u.dst);
    if (machine->x->list.uops.len == machine->x->list.uops.cap) /* long ones are moved less often */
        vec_reserve(&machine->x->list.uops, 2 * machine->x->list.uops.cap + 64);
    vec_push(&machine->x->list.uops, u);
    for (unsigned k = 0; k < u.ndst; k++)
        expand_walk_note_write(machine, u.dst[k]);
    if (machine->lap) {
        struct prior_uop p = {machine->path, index};
        vec_push(&machine->lap->now, p);
    }
    return true;
}

bool expand_walk_emit(struct section_machine *machine, const struct recipe_stmt *stmt,
                      uint32_t kind, const uint32_t *src, const uint32_t *dst) {
    const struct target_op *op = &plane_target(machine->x->set->target)->ops[kind];
    uint32_t near[UOP_MAX], made[UOP_MAX];
    if (expand_walk_reaches(machine, op, src, dst))
        return emit(machine, stmt, kind, src, dst);
    if (op->nsrc)
        memcpy(near, src, op->nsrc * sizeof *src);
    memcpy(made, dst, op->ndst * sizeof *dst);
    if (!expand_walk_fetch(machine, stmt, op, near, made))
        return !machine->failed && emit(machine, stmt, kind, src, dst);
    bool fine = emit(machine, stmt, kind, near, made);
    for (unsigned k = 0; k < op->ndst && fine; k++)
        fine = made[k] == dst[k] || expand_walk_copy(machine, stmt, made[k], dst[k]);
    return fine;
}
