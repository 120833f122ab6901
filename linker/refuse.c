/* SPDX-License-Identifier: MIT
 * What a target, or this release, cannot run: each instruction once, with its first place. */
#include "linker/linker.h"
#include "linker/pack.h"
#include "linker/where.h"

#include <inttypes.h>
#include <string.h>

static bool not_in_release(enum mpu_op op) {
    return (isa_info(op)->flags & ISA_RESERVED) != 0;
}

static bool undeclared(const struct isa_users *users, enum mpu_op op) {
    return isa_info(op)->flags & ISA_USER && !users->by_opcode[op - OP_USER_C0].name;
}

static bool no_recipe(const struct pack *k, enum mpu_op op) {
    return (isa_info(op)->flags & ISA_VECTOR) && !machine_has(k->library, op);
}

/* "SETMASK cond" and "SETMASK rs" share a mnemonic; user instructions have names of their own. */
static const char *form_name(const struct isa_users *users, enum mpu_op op, struct str *s) {
    const struct isa_info *info = isa_info(op);
    bool condition = info->operand_count && info->operands[0] == ROLE_COND;
    str_clear(s);
    str_printf(s, "%s%s", isa_users_name(users, op), condition ? " cond" : "");
    return str_text(s);
}

/* The instructions of a text: how often each stands there, and where first. */
struct census {
    uint32_t first[OP_COUNT], count[OP_COUNT];
    enum mpu_op order[OP_COUNT]; /* by first place */
    size_t kinds;
};

/* An undeclared opcode is one in a call too. */
static void take_census(const struct object *o, const struct isa_users *users, struct census *c) {
    struct insn insn;
    for (uint32_t i = 0; i < o->text.len; i++) {
        if (isa_decode(o->text.data[i], &insn) != ISA_OK)
            continue;
        const struct recipe_call *call = object_call(o, &insn);
        if (call && (isa_decode(call->word, &insn) != ISA_OK || !undeclared(users, insn.op)))
            continue;
        if (c->count[insn.op]++)
            continue;
        c->first[insn.op] = i;
        c->order[c->kinds++] = insn.op;
    }
}

/* Behind a refusal. */
static void note_places(const struct object *o, const struct census *c, enum mpu_op op,
                        struct diag *d) {
    uint32_t more = c->count[op] - 1;
    link_note_where(o, c->first[op], d);
    if (more)
        diag_note(d, NO_SPAN, "it stands at %" PRIu32 " more place%s", more, more == 1 ? "" : "s");
}

/* Opcodes that no recipe file of the program declares: not even golden knows what they do. */
static void refuse_undeclared(const struct object *o, const struct isa_users *users,
                              const struct census *c, struct diag *d) {
    for (size_t i = 0; i < c->kinds && !diag_full(d); i++) {
        enum mpu_op op = c->order[i];
        if (!undeclared(users, op))
            continue;
        diag_error(d, link_text_span(o, c->first[op], d),
                   "opcode 0x%02X (instruction %" PRIu32 ") is declared by no recipe file",
                   isa_info(op)->opcode, c->first[op]);
        note_places(o, c, op, d);
        diag_note(d, NO_SPAN, "name the file in the source, or give it to mpu-ld --recipe-file");
    }
}

static void refuse_in_release(const struct object *o, const struct isa_users *users,
                              const struct census *c, struct diag *d) {
    struct str name = {0};
    for (size_t i = 0; i < c->kinds && !diag_full(d); i++) {
        enum mpu_op op = c->order[i];
        if (!not_in_release(op))
            continue;
        diag_error(d, link_text_span(o, c->first[op], d),
                   "%s (instruction %" PRIu32 ") is not supported by this release on any target",
                   form_name(users, op, &name), c->first[op]);
        note_places(o, c, op, d);
    }
    str_free(&name);
}

static const char *why_not(const struct pack *k, enum mpu_op op, struct str *s) {
    str_clear(s);
    machine_why_not(k->library, op, s);
    return str_text(s);
}

static void refuse_without_recipe(const struct pack *k, const struct census *c) {
    struct str name = {0}, why = {0};
    for (size_t i = 0; i < c->kinds && !diag_full(k->d); i++) {
        enum mpu_op op = c->order[i];
        if (not_in_release(op) || !no_recipe(k, op) || undeclared(&k->users, op))
            continue;
        diag_error(k->d, package_pack_span(k, c->first[op]),
                   "%s (instruction %" PRIu32 ") has no recipe on target '%s'%s",
                   form_name(&k->users, op, &name), c->first[op], k->t->name, why_not(k, op, &why));
        note_places(k->program, c, op, k->d);
    }
    str_free(&name);
    str_free(&why);
}

/* Each instruction is tried at each of its widths.  False after reporting. */
static bool try_instruction(const struct pack *k, const struct insn *insn, uint32_t index) {
    struct str problem = {0};
    bool fine = machine_fits(k->library, insn, &problem);
    if (!fine)
        diag_error(k->d, package_pack_span(k, index),
                   "%s (instruction %" PRIu32 ") cannot be carried out on target '%s': %s",
                   isa_users_name(&k->users, insn->op), index, k->t->name, str_text(&problem));
    str_free(&problem);
    return fine;
}

/* Lanes change places in the buffer of the data-transfer controller: the first LANE that asks for
 * it where there is none. */
static void refuse_lane_maps(const struct pack *k) {
    struct insn insn;
    struct str text = {0};
    for (uint32_t i = 0; k->t->buffer_registers == 0 && i < k->program->text.len; i++) {
        if (isa_decode(k->program->text.data[i], &insn) != ISA_OK || insn.op != OP_LANE ||
            insn.mode == LANE_IDENTITY)
            continue;
        isa_format_insn(&insn, NULL, &text);
        diag_error(k->d, package_pack_span(k, i),
                   "%s (instruction %" PRIu32
                   ") needs the buffer of the data-transfer controller, which target '%s' does not "
                   "have (dtc.buffer_registers is 0)",
                   text.text, i, k->t->name);
        link_note_where(k->program, i, k->d);
        break;
    }
    str_free(&text);
}

void package_refuse_unfit(struct pack *k) {
    bool tried[OP_COUNT][65] = {{false}};
    struct insn insn;
    for (uint32_t i = 0; i < k->p->text_count && !diag_full(k->d); i++) {
        if (isa_decode(k->p->text[i], &insn) != ISA_OK || tried[insn.op][insn.width])
            continue;
        tried[insn.op][insn.width] = true;
        if ((isa_info(insn.op)->flags & ISA_VECTOR) && !no_recipe(k, insn.op) &&
            !try_instruction(k, &insn, i))
            link_note_where(k->program, i, k->d);
    }
}

bool package_program_runnable(const struct object *program, struct diag *d) {
    uint32_t before = diag_errors(d);
    struct census c = {0};
    struct isa_users users = {0};
    struct arena names = {0};
    object_users(program, &users, &names, NULL);
    take_census(program, &users, &c);
    refuse_in_release(program, &users, &c, d);
    refuse_undeclared(program, &users, &c, d);
    arena_free(&names);
    return diag_errors(d) == before;
}

void package_refuse_instructions(struct pack *k) {
    struct census c = {0};
    take_census(k->program, &k->users, &c);
    refuse_in_release(k->program, &k->users, &c, k->d);
    refuse_undeclared(k->program, &k->users, &c, k->d);
    refuse_without_recipe(k, &c);
    refuse_lane_maps(k);
}

void package_list_uses(struct package *p, const uint32_t *text, size_t count) {
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
