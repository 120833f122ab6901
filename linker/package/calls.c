/* SPDX-License-Identifier: MIT
 * RECIPE in a package: the user instruction where the target has a recipe for it, or itself of a
 * kernel that the target launches; elsewhere a call of what stands behind `else`. */
#include "linker/package/pack.h"
#include "linker/where.h"

#include <inttypes.h>

/* The word that stands for call index of the program. */
static uint32_t call_word(const struct object *object, uint32_t index, bool has_recipe) {
    const struct recipe_call *c = &object->calls.data[index];
    struct insn jump = {.op = OP_JUMP};
    const struct insn launch = {.op = OP_RECIPE, .imm = (int32_t)index};
    uint32_t word = c->word;
    if (object_call_kernel(object, c))
        isa_encode(&launch, &word);
    if (!has_recipe && c->otherwise != NO_INDEX) {
        jump.imm = (int32_t)object->symbols.data[c->otherwise].value;
        isa_encode(&jump, &word);
    }
    return word;
}

void link_patch_calls(const struct object *object, const uint8_t *taken, uint32_t *text) {
    struct insn insn;
    for (size_t i = 0; object->calls.len && i < object->text.len; i++)
        if (isa_decode(text[i], &insn) == ISA_OK && object_call(object, &insn))
            text[i] = call_word(object, (uint32_t)insn.imm, taken[insn.imm]);
}

static bool has_recipe(const struct pack *pack, enum isa_op op) {
    return machine_has(pack->library, op);
}

void link_choose_calls(struct pack *pack) {
    const struct object *o = pack->program;
    uint8_t *taken = ARENA_ARRAY(&pack->p->arena, o->calls.len, uint8_t);
    struct insn insn;
    pack->p->launches = !pack->p->place.otherwise && link_kernels_launch(o, pack->t, NULL);
    for (size_t i = 0; i < o->calls.len; i++)
        taken[i] = package_call_kernel(o, i) ? pack->p->launches
                                             : isa_decode(o->calls.data[i].word, &insn) == ISA_OK &&
                                                   has_recipe(pack, insn.op);
    pack->p->calls = taken;
    pack->p->call_count = o->calls.len;
}

/* At text index `index`, where a RECIPE stands that no target can run as it is. */
static void refuse_call(struct pack *pack, uint32_t index, enum isa_op op) {
    diag_error(pack->d, package_pack_span(pack, index),
               "%s (instruction %" PRIu32 ") has no recipe on target '%s' and RECIPE no 'else'",
               isa_users_name(&pack->users, op), index, pack->t->name);
    link_note_where(pack->program, index, pack->d);
    diag_note(pack->d, NO_SPAN,
              "RECIPE %s ... else NAME calls subroutine NAME on targets without a recipe",
              isa_users_name(&pack->users, op));
}

void link_refuse_calls(struct pack *pack) {
    const struct object *o = pack->program;
    struct insn insn, user;
    for (uint32_t i = 0; o->calls.len && i < o->text.len && !diag_full(pack->d); i++) {
        if (isa_decode(o->text.data[i], &insn) != ISA_OK)
            continue;
        const struct recipe_call *c = object_call(o, &insn);
        if (!c || object_call_kernel(o, c) || isa_decode(c->word, &user) != ISA_OK)
            continue;
        if (c->otherwise == NO_INDEX && !pack->p->calls[insn.imm])
            refuse_call(pack, i, user.op);
    }
}
