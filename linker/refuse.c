/* SPDX-License-Identifier: MIT
 * What a target, or this release, cannot run: each instruction once, with its first place. */
#include "linker/pack.h"

#include <inttypes.h>
#include <string.h>

/* Until messages and element indices are there. */
static bool not_in_release(enum mpu_op op) {
    return op == OP_SEND || op == OP_SEND_DONE || op == OP_RECV || op == OP_INDEX ||
           (isa_info(op)->flags & ISA_RESERVED);
}

static bool no_recipe(const struct pack *k, enum mpu_op op) {
    return k->recipes && (isa_info(op)->flags & ISA_VECTOR) && !recipe_exists(k->recipes, op);
}

/* "SETMASK cond" and "SETMASK rs" share a mnemonic. */
static const char *form_name(enum mpu_op op, struct str *s) {
    const struct isa_info *info = isa_info(op);
    bool condition = info->operand_count && info->operands[0] == ROLE_COND;
    str_clear(s);
    str_printf(s, "%s%s", info->name, condition ? " cond" : "");
    return str_text(s);
}

static void refuse(const struct pack *k, enum mpu_op op, uint32_t first, uint32_t count) {
    struct str name = {0};
    if (not_in_release(op))
        diag_error(k->d, pack_span(k, first),
                   "%s (instruction %" PRIu32 ") is not supported by this release on any target",
                   form_name(op, &name), first);
    else
        diag_error(k->d, pack_span(k, first),
                   "%s (instruction %" PRIu32 ") has no recipe on target '%s'",
                   form_name(op, &name), first, k->t->name);
    if (count > 1)
        diag_note(k->d, NO_SPAN, "it stands at %" PRIu32 " more place%s", count - 1,
                  count == 2 ? "" : "s");
    str_free(&name);
}

void refuse_instructions(struct pack *k) {
    const struct object *o = k->program;
    uint32_t first[OP_COUNT] = {0}, count[OP_COUNT] = {0};
    VEC(enum mpu_op) order = {0};
    struct insn insn;
    for (uint32_t i = 0; i < o->text.len; i++) {
        if (isa_decode(o->text.data[i], &insn) != ISA_OK)
            continue;
        if (count[insn.op]++ == 0) {
            first[insn.op] = i;
            vec_push(&order, insn.op);
        }
    }
    for (size_t i = 0; i < order.len && !diag_full(k->d); i++) {
        enum mpu_op op = order.data[i];
        if (not_in_release(op) || no_recipe(k, op))
            refuse(k, op, first[op], count[op]);
    }
    vec_free(&order);
}

void list_uses(struct package *p, const uint32_t *text, size_t count) {
    bool used[256][65] = {{false}};
    size_t n = 0;
    struct insn insn;
    for (size_t i = 0; i < count; i++) {
        if (isa_decode(text[i], &insn) != ISA_OK || !(isa_info(insn.op)->flags & ISA_VECTOR))
            continue;
        bool *u = &used[isa_info(insn.op)->opcode][insn.width];
        n += !*u;
        *u = true;
    }
    struct recipe_use *uses = ARENA_ARRAY(&p->arena, n, struct recipe_use);
    p->uses = uses;
    for (unsigned op = 0; op < 256; op++)
        for (unsigned w = 0; w <= 64; w++)
            if (used[op][w])
                uses[p->use_count++] = (struct recipe_use){(uint8_t)op, (uint8_t)w};
}
