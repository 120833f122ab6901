/* SPDX-License-Identifier: MIT
 * Groups that need no room.  Where a target launches kernels, what stands behind their 'else' is
 * not carried out, and a group whose instructions all stand there has nothing to lie in VRFs: its
 * variables stand for buffers.  The groups of a kin share VRFs, and are left out together. */
#include "linker/package/pack.h"
#include "object/text.h"

/* ---- what is reached ---- */

struct program_walk {
    struct text text;
    uint8_t *seen; /* [text.len] */
    uint32_t *todo;
    size_t todo_count;
};

static void reach(struct program_walk *walk, uint64_t index) {
    if (index >= walk->text.len || walk->seen[index])
        return;
    walk->seen[index] = 1;
    walk->todo[walk->todo_count++] = (uint32_t)index; /* each once */
}

/* All that may follow instruction `index`; a call comes back. */
static void follow(struct program_walk *walk, uint32_t index) {
    const struct insn *x = &walk->text.insns[index];
    bool jumps = x->op == OP_GOTO || x->op == OP_JUMP || x->op == OP_JUMP_COND ||
                 x->op == OP_JUMP_NONE || x->op == OP_JUMP_ANY;
    bool loop = x->op == OP_REPEAT || x->op == OP_REPEAT_END;
    if (jumps)
        reach(walk, (uint64_t)x->imm);
    if (loop && walk->text.match[index] != NO_INDEX)
        reach(walk, (uint64_t)walk->text.match[index] + 1);
    if (x->op != OP_GOTO && x->op != OP_RETURN && x->op != OP_HALT)
        reach(walk, (uint64_t)index + 1);
}

static void find_reached(struct program_walk *walk, const struct object *object) {
    uint32_t start = object_find_symbol(object, "main");
    reach(walk, 0);
    if (start != NO_INDEX)
        reach(walk, (uint64_t)object->symbols.data[start].value);
    for (size_t i = 0; i < object->entries.len; i++)
        reach(walk, (uint64_t)object->symbols.data[object->entries.data[i].symbol].value);
    while (walk->todo_count)
        follow(walk, walk->todo[--walk->todo_count]);
}

/* ---- what is needed ---- */

static void need(const struct object *object, uint8_t *unplaced, uint32_t group) {
    if (group < object->groups.len)
        unplaced[group] = 0;
}

static void need_all(const struct object *object, uint8_t *unplaced) {
    for (uint32_t g = 0; g < object->groups.len; g++)
        unplaced[g] = 0;
}

static bool has_data(const struct object *object, uint32_t variable) {
    for (size_t i = 0; i < object->data.len; i++)
        if (object->data.data[i].variable == variable)
            return true;
    return false;
}

/* What people put and get, and does not lie in a buffer. */
static void need_variables(const struct object *object, uint8_t *unplaced) {
    for (uint32_t i = 0; i < object->vars.len; i++) {
        const struct variable *v = &object->vars.data[i];
        bool buffer = object_find_buffer(object, v->name) != NO_INDEX;
        if ((buffer || !(v->direction & (VAR_IN | VAR_OUT))) && !has_data(object, i))
            continue;
        if (v->group == NO_INDEX) /* it lies wherever code reads it */
            need_all(object, unplaced);
        else
            need(object, unplaced, v->group);
    }
}

static void need_move(const struct object *object, uint8_t *unplaced, uint32_t index) {
    if (index >= object->moves.len)
        return;
    const struct move *m = &object->moves.data[index];
    if (m->dst_group == NO_INDEX) /* written in the groups of its scope */
        need_all(object, unplaced);
    need(object, unplaced, m->dst_group);
    need(object, unplaced, m->src_group);
}

static void need_text(const struct object *object, const struct program_walk *walk,
                      uint8_t *unplaced) {
    for (uint32_t i = 0; i < walk->text.len; i++) {
        const struct insn *x = &walk->text.insns[i];
        if (!walk->seen[i])
            continue;
        if (x->op == OP_COMPUTEG)
            need(object, unplaced, (uint32_t)x->imm);
        else if (x->op == OP_GMOVE)
            need_move(object, unplaced, (uint32_t)x->imm);
    }
}

/* Fixed groups lie in VRFs that the text names, and reductions are finished wherever they are. */
static void need_others(const struct object *object, uint8_t *unplaced) {
    for (uint32_t g = 0; g < object->groups.len; g++)
        if (object->groups.data[g].at_rfh != NO_INDEX)
            need(object, unplaced, g);
    for (size_t i = 0; i < object->finishes.len; i++)
        need(object, unplaced, object->finishes.data[i].group);
}

static void need_kin(const struct object *object, struct arena *scratch, uint8_t *unplaced) {
    uint32_t *leader = ARENA_ARRAY(scratch, object->groups.len, uint32_t);
    link_find_kin(object, NULL, leader, NULL);
    for (uint32_t g = 0; g < object->groups.len; g++)
        if (!unplaced[g])
            unplaced[leader[g]] = 0;
    for (uint32_t g = 0; g < object->groups.len; g++)
        unplaced[g] = unplaced[leader[g]];
}

uint8_t *package_find_taken(const struct package *package, const struct object *object,
                            struct arena *arena) {
    struct program_walk r = {.todo_count = 0};
    if (!package->launches)
        return NULL;
    object_text_load(&r.text, object->text.data, object->text.len, (struct lut_list){0}, arena);
    r.seen = ARENA_ARRAY(arena, r.text.len + 1, uint8_t);
    r.todo = ARENA_ARRAY(arena, r.text.len + 1, uint32_t);
    find_reached(&r, object);
    return r.seen;
}

void package_find_unplaced(struct package *package, const struct object *object) {
    uint8_t *unplaced = ARENA_ARRAY(&package->arena, object->groups.len, uint8_t);
    struct arena scratch = {0};
    struct program_walk r = {.todo_count = 0};
    package->unplaced = unplaced;
    for (size_t g = 0; g < object->groups.len; g++)
        unplaced[g] = package->launches;
    if (package->launches) {
        object_text_load(&r.text, package->text, package->text_count, package->luts, &scratch);
        r.seen = ARENA_ARRAY(&scratch, r.text.len, uint8_t);
        r.todo = ARENA_ARRAY(&scratch, r.text.len, uint32_t);
        find_reached(&r, object);
        need_text(object, &r, unplaced);
        need_variables(object, unplaced);
        need_others(object, unplaced);
        need_kin(object, &scratch, unplaced);
    }
    arena_free(&scratch);
}

bool package_move_unplaced(const struct package *package, const struct object *object,
                           uint32_t move) {
    const struct move *m = &object->moves.data[move];
    return (m->dst_group != NO_INDEX && package->unplaced[m->dst_group]) ||
           (m->src_group != NO_INDEX && package->unplaced[m->src_group]);
}
