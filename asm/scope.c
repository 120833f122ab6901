/* SPDX-License-Identifier: MIT
 * `in g, h`: the groups in whose VRFs a register without a group lies. */
#include "asm/assembler.h"

bool asm_parse_scope(struct assembler *assembler, uint32_t group, struct group_scope *out) {
    struct asm_token at = assembler->token;
    VEC(uint32_t) groups = {0};
    uint32_t g = 0;
    if (!asm_at_name(assembler, "in"))
        return true;
    asm_scan(assembler);
    do {
        if (asm_parse_group_name(assembler, &g))
            vec_push(&groups, g);
    } while (!assembler->failed && asm_take_operator(assembler, ','));
    *out = object_scope_of(&assembler->o->arena, groups.data, (uint32_t)groups.len);
    vec_free(&groups);
    if (group != NO_INDEX)
        asm_error_token(assembler, &at, "it lies in group '%s' already",
                        assembler->o->groups.data[group].name);
    return !assembler->failed;
}
