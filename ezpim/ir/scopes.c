/* SPDX-License-Identifier: MIT
 * Which groups' VRFs a variable without a group lies in, found from the code that names it. */
#include "ezpim/ir/scopes.h"
#include "ezpim/ir/build.h"

#include <stdlib.h>

struct scope_finder {
    struct ir_program *p;
    uint8_t *named; /* [variables][groups]: by code over the group */
    size_t groups;  /* when it began */
    const struct ir_code *code;
};

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct scope_finder *f = context;
    uint32_t v = f->code->vregs.data[*vreg].variable;
    (void)writes;
    if (v == IR_NONE || f->p->variables.data[v].decl.group != NO_INDEX)
        return;
    for (size_t g = 0; g < f->groups; g++)
        f->named[v * f->groups + g] |= f->code->is_sub || f->code->group == g;
}

static void look_at_code(struct scope_finder *finder, struct ir_code *code) {
    finder->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_vreg, finder);
}

/* A group of one element where the variable's value comes from, or IR_NONE. */
static uint32_t one_element(struct scope_finder *finder, uint32_t value) {
    const struct extent one = {NO_INDEX, 1};
    struct ir_builder b = {.p = finder->p};
    for (size_t i = 0; i < finder->p->moves.len; i++)
        if (finder->p->moves.data[i].to == value) {
            uint32_t from = finder->p->variables.data[finder->p->moves.data[i].from].decl.group;
            return finder->p->groups.data[from].per_mpu ? IR_NONE
                                                        : ir_group_like(&b, from, 1, &one);
        }
    return IR_NONE;
}

static struct group_scope scope_for(struct scope_finder *finder, uint32_t value) {
    uint32_t *list = ARENA_ARRAY(finder->p->arena, finder->groups + 1, uint32_t), count = 0;
    for (uint32_t g = 0; g < finder->groups; g++)
        if (finder->named[value * finder->groups + g])
            list[count++] = g;
    if (count == finder->groups)
        return (struct group_scope){0};
    if (!count)
        list[count++] = one_element(finder, value);
    return list[0] == IR_NONE ? (struct group_scope){0} : (struct group_scope){count, list};
}

static bool is_length(const struct ir_program *program, uint32_t value) {
    for (size_t i = 0; i < program->lengths.len; i++)
        if (program->lengths.data[i].length == value)
            return true;
    return false;
}

void ir_find_scopes(struct ir_program *program) {
    struct scope_finder f = {.p = program, .groups = program->groups.len};
    f.named = xcalloc(program->variables.len * f.groups + 1, 1);
    for (size_t k = 0; k < program->codes.len; k++)
        look_at_code(&f, program->codes.data[k]);
    for (uint32_t v = 0; v < program->variables.len; v++)
        if (program->variables.data[v].decl.group == NO_INDEX && !is_length(program, v))
            program->variables.data[v].decl.scope = scope_for(&f, v);
    for (size_t i = 0; i < program->moves.len; i++)
        program->moves.data[i].record.scope =
            program->variables.data[program->moves.data[i].to].decl.scope;
    free(f.named);
}
