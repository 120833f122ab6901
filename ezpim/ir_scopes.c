/* SPDX-License-Identifier: MIT
 * Which groups' VRFs a variable without a group lies in, found from the code that names it. */
#include "ezpim/ir_scopes.h"
#include "ezpim/ir_build.h"

#include <stdlib.h>

struct finder {
    struct ir_program *p;
    uint8_t *named; /* [variables][groups]: by code over the group */
    size_t groups;  /* when it began */
    const struct ir_code *code;
};

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct finder *f = context;
    uint32_t v = f->code->vregs.data[*vreg].variable;
    (void)writes;
    if (v == IR_NONE || f->p->variables.data[v].decl.group != NO_INDEX)
        return;
    for (size_t g = 0; g < f->groups; g++)
        f->named[v * f->groups + g] |= f->code->is_sub || f->code->group == g;
}

static void look_at_code(struct finder *f, struct ir_code *code) {
    f->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_vreg, f);
}

/* A group of one element where the variable's value comes from, or IR_NONE. */
static uint32_t one_element(struct finder *f, uint32_t v) {
    const struct extent one = {NO_INDEX, 1};
    struct ir_builder b = {.p = f->p};
    for (size_t i = 0; i < f->p->moves.len; i++)
        if (f->p->moves.data[i].to == v) {
            uint32_t from = f->p->variables.data[f->p->moves.data[i].from].decl.group;
            return f->p->groups.data[from].per_mpu ? IR_NONE : ir_group_like(&b, from, 1, &one);
        }
    return IR_NONE;
}

static struct group_scope scope_for(struct finder *f, uint32_t v) {
    uint32_t *list = ARENA_ARRAY(f->p->arena, f->groups + 1, uint32_t), count = 0;
    for (uint32_t g = 0; g < f->groups; g++)
        if (f->named[v * f->groups + g])
            list[count++] = g;
    if (count == f->groups)
        return (struct group_scope){0};
    if (!count)
        list[count++] = one_element(f, v);
    return list[0] == IR_NONE ? (struct group_scope){0} : (struct group_scope){count, list};
}

static bool is_length(const struct ir_program *p, uint32_t v) {
    for (size_t i = 0; i < p->lengths.len; i++)
        if (p->lengths.data[i].length == v)
            return true;
    return false;
}

void ir_find_scopes(struct ir_program *p) {
    struct finder f = {.p = p, .groups = p->groups.len};
    f.named = xcalloc(p->variables.len * f.groups + 1, 1);
    for (size_t k = 0; k < p->codes.len; k++)
        look_at_code(&f, p->codes.data[k]);
    for (uint32_t v = 0; v < p->variables.len; v++)
        if (p->variables.data[v].decl.group == NO_INDEX && !is_length(p, v))
            p->variables.data[v].decl.scope = scope_for(&f, v);
    for (size_t i = 0; i < p->moves.len; i++)
        p->moves.data[i].record.scope = p->variables.data[p->moves.data[i].to].decl.scope;
    free(f.named);
}
