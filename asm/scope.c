/* SPDX-License-Identifier: MIT
 * `in g, h`: in which groups' VRFs a register of no group lies. */
#include "asm/assembler.h"

bool asm_parse_scope(struct assembler *a, uint32_t group, struct group_scope *out) {
    struct asm_token at = a->token;
    VEC(uint32_t) groups = {0};
    uint32_t g = 0;
    if (!asm_at_name(a, "in"))
        return true;
    asm_scan(a);
    do {
        if (asm_parse_group_name(a, &g))
            vec_push(&groups, g);
    } while (!a->failed && asm_take_operator(a, ','));
    *out = object_scope_of(&a->o->arena, groups.data, (uint32_t)groups.len);
    vec_free(&groups);
    if (group != NO_INDEX)
        asm_error_token(a, &at, "it lies in group '%s' already", a->o->groups.data[group].name);
    return !a->failed;
}
