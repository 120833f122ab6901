/* SPDX-License-Identifier: MIT
 * Which registers are used in the VRFs of each kin of groups, those that share VRFs. */
#include "linker/package/kin_use.h"

#include <string.h>

/* A register of a group; of those of the scope if there is none. */
static void use(const struct kin_use *kin, uint32_t group, const struct group_scope *scope,
                unsigned reg, unsigned bits) {
    if (group != NO_INDEX)
        package_widen_register(kin->bits[kin->leader[group]], reg, bits);
    for (uint32_t g = 0; group == NO_INDEX && g < kin->o->groups.len; g++)
        if (object_scope_has(scope, g))
            package_widen_register(kin->bits[kin->leader[g]], reg, bits);
}

static void use_variables(const struct kin_use *kin) {
    for (size_t i = 0; i < kin->o->vars.len; i++) {
        const struct variable *v = &kin->o->vars.data[i];
        for (uint32_t j = 0; j < v->count; j++)
            use(kin, v->group, &v->scope, v->reg + j, v->type.bits);
    }
}

/* A source without a group is read where the destination is written. */
static void use_moves(const struct kin_use *kin) {
    for (size_t i = 0; i < kin->o->moves.len; i++) {
        const struct move *m = &kin->o->moves.data[i];
        for (uint32_t j = 0; j < m->dst_count; j++)
            use(kin, m->dst_group, &m->scope, m->dst_reg + j, m->width);
        for (uint32_t j = 0; j < m->src_count; j++)
            use(kin, m->src_group == NO_INDEX ? m->dst_group : m->src_group, &m->scope,
                m->src_reg + j, m->width);
        for (uint32_t j = 0; j < object_move_index_count(m); j++)
            use(kin, m->index.kind == INDEX_SCATTER ? m->src_group : m->dst_group, &m->scope,
                m->index.reg + j, m->index.type.bits);
    }
}

static void use_finishes(const struct kin_use *kin) {
    for (size_t i = 0; i < kin->o->finishes.len; i++) {
        const struct finish_record *r = &kin->o->finishes.data[i];
        package_widen_register(kin->bits[kin->leader[r->group]], r->reg, r->type.bits);
    }
}

/* ---- under headers ---- */

struct body_user {
    const struct object *o;
    uint8_t *bits; /* [64] */
};

static void use_register(void *context, unsigned reg, unsigned bits) {
    package_widen_register(context, reg, bits);
}

static void use_instruction(void *context, const struct text *text, uint32_t index) {
    const struct body_user *u = context;
    const struct insn *x = &text->insns[index];
    enum debug_kind kind;
    if (x->op == OP_COUNT)
        return;
    isa_visit_registers(x, use_register, u->bits);
    if (object_debug_kind(x->op, &kind) && kind == DEBUG_PRINT &&
        (uint32_t)x->imm < u->o->debugs.len) {
        const struct debug_record *r = &u->o->debugs.data[x->imm];
        package_widen_register(u->bits, r->reg, r->type.bits);
    }
}

/* The bodies under all headers of one kin. */
static void use_bodies(const struct kin_use *kin, const struct text *text, uint32_t leader,
                       uint8_t *seen) {
    struct body_user u = {kin->o, kin->bits[leader]};
    bool first = true;
    for (uint32_t i = 0; i < text->len; i++) {
        const struct insn *x = &text->insns[i];
        if (x->op != OP_COMPUTEG || (uint32_t)x->imm >= kin->o->groups.len ||
            kin->leader[x->imm] != leader)
            continue;
        if (first)
            memset(seen, 0, text->len);
        first = false;
        object_text_visit_body(text, i + 1, seen, use_instruction, &u);
    }
}

static void use_text(const struct kin_use *kin, const uint32_t *words, struct arena *scratch) {
    struct text t;
    object_text_load(&t, words, kin->o->text.len, object_luts(kin->o, scratch), scratch);
    uint8_t *seen = ARENA_ARRAY(scratch, t.len, uint8_t);
    for (uint32_t g = 0; g < kin->o->groups.len; g++)
        if (kin->leader[g] == g && kin->o->groups.data[g].at_rfh == NO_INDEX)
            use_bodies(kin, &t, g, seen);
}

void package_find_kin_use(const struct object *object, const uint32_t *words, struct arena *arena,
                          struct kin_use *out) {
    uint32_t groups = (uint32_t)object->groups.len;
    uint32_t *leader = ARENA_ARRAY(arena, groups, uint32_t);
    *out = (struct kin_use){object, leader, arena_alloc(arena, ((size_t)groups + 1) * 64)};
    link_find_kin(object, NULL, leader, NULL);
    use_variables(out);
    use_moves(out);
    use_finishes(out);
    use_text(out, words, arena);
}

uint32_t package_lanes_of(const struct kin_use *use, const struct package *package,
                          const struct target *target, const struct machine *machine,
                          uint32_t group) {
    const uint8_t *bits = use->bits[use->leader[group]];
    uint32_t given = package_given_slot(package, use->leader[group]);
    return given > machine_slot_bits(machine, bits)
               ? machine_lanes(machine, target, (const uint8_t[64]){(uint8_t)given})
               : machine_lanes(machine, target, bits);
}
