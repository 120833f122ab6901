/* SPDX-License-Identifier: MIT
 * RECIPE in a package: the user instruction where the target has a recipe for it, elsewhere a call
 * of what stands behind `else`. */
#include "linker/pack.h"
#include "linker/where.h"

#include <inttypes.h>

/* The word that stands for call i of the program. */
static uint32_t call_word(const struct object *o, uint32_t i, bool has_recipe) {
    const struct recipe_call *c = &o->calls.data[i];
    struct insn jump = {.op = OP_JUMP};
    uint32_t word = c->word;
    if (!has_recipe && c->otherwise != NO_INDEX) {
        jump.imm = (int32_t)o->symbols.data[c->otherwise].value;
        isa_encode(&jump, &word);
    }
    return word;
}

void link_patch_calls(const struct object *o, const uint8_t *taken, uint32_t *text) {
    struct insn insn;
    for (size_t i = 0; o->calls.len && i < o->text.len; i++)
        if (isa_decode(text[i], &insn) == ISA_OK && object_call(o, &insn))
            text[i] = call_word(o, (uint32_t)insn.imm, taken[insn.imm]);
}

static bool has_recipe(const struct pack *k, enum mpu_op op) {
    return machine_has(k->library, op);
}

void link_choose_calls(struct pack *k) {
    const struct object *o = k->program;
    uint8_t *taken = ARENA_ARRAY(&k->p->arena, o->calls.len, uint8_t);
    struct insn insn;
    for (size_t i = 0; i < o->calls.len; i++)
        taken[i] = isa_decode(o->calls.data[i].word, &insn) == ISA_OK && has_recipe(k, insn.op);
    k->p->calls = taken;
    k->p->call_count = o->calls.len;
}

/* At text index `index`, where a RECIPE stands that no target can run as it is. */
static void refuse_call(struct pack *k, uint32_t index, enum mpu_op op) {
    diag_error(k->d, package_pack_span(k, index),
               "%s (instruction %" PRIu32 ") has no recipe on target '%s' and RECIPE no 'else'",
               isa_users_name(&k->users, op), index, k->t->name);
    link_note_where(k->program, index, k->d);
    diag_note(k->d, NO_SPAN,
              "RECIPE %s ... else NAME calls subroutine NAME on targets without a recipe",
              isa_users_name(&k->users, op));
}

void link_refuse_calls(struct pack *k) {
    const struct object *o = k->program;
    struct insn insn, user;
    for (uint32_t i = 0; o->calls.len && i < o->text.len && !diag_full(k->d); i++) {
        if (isa_decode(o->text.data[i], &insn) != ISA_OK)
            continue;
        const struct recipe_call *c = object_call(o, &insn);
        if (!c || isa_decode(c->word, &user) != ISA_OK)
            continue;
        if (c->otherwise == NO_INDEX && !k->p->calls[insn.imm])
            refuse_call(k, i, user.op);
    }
}
