/* SPDX-License-Identifier: MIT
 * What a target, or this release, cannot run: each instruction once, with its first place. */
#include "linker/linker.h"
#include "linker/package/pack.h"
#include "linker/where.h"

#include <inttypes.h>
#include <string.h>

static bool not_in_release(enum isa_op op) {
    return (isa_info(op)->flags & ISA_RESERVED) != 0;
}

static bool undeclared(const struct isa_users *users, enum isa_op op) {
    return isa_info(op)->flags & ISA_USER && !users->by_opcode[op - OP_USER_C0].name;
}

static bool no_recipe(const struct pack *pack, enum isa_op op) {
    return (isa_info(op)->flags & ISA_VECTOR) && !machine_has(pack->library, op);
}

/* "SETMASK cond" and "SETMASK rs" share a mnemonic; user instructions have names of their own. */
static const char *form_name(const struct isa_users *users, enum isa_op op, struct str *str) {
    const struct isa_info *info = isa_info(op);
    bool condition = info->operand_count && info->operands[0] == ROLE_COND;
    str_clear(str);
    str_printf(str, "%s%s", isa_users_name(users, op), condition ? " cond" : "");
    return str_text(str);
}

/* The instructions of a text: how often each stands there, and where first. */
struct census {
    uint32_t first[OP_COUNT], count[OP_COUNT];
    enum isa_op order[OP_COUNT]; /* by first place */
    size_t kinds;
};

/* An undeclared opcode is one in a call too.  `taken` [text.len]: the others do not count; NULL:
 * all do. */
static void take_census(const struct object *object, const struct isa_users *users,
                        const uint8_t *taken, struct census *census) {
    struct insn insn;
    for (uint32_t i = 0; i < object->text.len; i++) {
        if ((taken && !taken[i]) || isa_decode(object->text.data[i], &insn) != ISA_OK)
            continue;
        const struct recipe_call *call = object_call(object, &insn);
        if (call && (isa_decode(call->word, &insn) != ISA_OK || !undeclared(users, insn.op)))
            continue;
        if (census->count[insn.op]++)
            continue;
        census->first[insn.op] = i;
        census->order[census->kinds++] = insn.op;
    }
}

/* Behind a refusal. */
static void note_places(const struct object *object, const struct census *census, enum isa_op op,
                        struct diag *diag) {
    uint32_t more = census->count[op] - 1;
    link_note_where(object, census->first[op], diag);
    if (more)
        diag_note(diag, NO_SPAN, "it stands at %" PRIu32 " more place%s", more,
                  more == 1 ? "" : "s");
}

/* Opcodes that no recipe file of the program declares: not even golden knows what they do. */
static void refuse_undeclared(const struct object *object, const struct isa_users *users,
                              const struct census *census, struct diag *diag) {
    for (size_t i = 0; i < census->kinds && !diag_full(diag); i++) {
        enum isa_op op = census->order[i];
        if (!undeclared(users, op))
            continue;
        diag_error(diag, link_text_span(object, census->first[op], diag),
                   "opcode 0x%02X (instruction %" PRIu32 ") is declared by no recipe file",
                   isa_info(op)->opcode, census->first[op]);
        note_places(object, census, op, diag);
        diag_note(diag, NO_SPAN, "name the file in the source, or give it to mpu-ld --recipe-file");
    }
}

static void refuse_in_release(const struct object *object, const struct isa_users *users,
                              const struct census *census, struct diag *diag) {
    struct str name = {0};
    for (size_t i = 0; i < census->kinds && !diag_full(diag); i++) {
        enum isa_op op = census->order[i];
        if (!not_in_release(op))
            continue;
        diag_error(diag, link_text_span(object, census->first[op], diag),
                   "%s (instruction %" PRIu32 ") is not supported by this release on any target",
                   form_name(users, op, &name), census->first[op]);
        note_places(object, census, op, diag);
    }
    str_free(&name);
}

static const char *why_not(const struct pack *pack, enum isa_op op, struct str *str) {
    str_clear(str);
    machine_why_not(pack->library, op, str);
    return str_text(str);
}

static void refuse_without_recipe(const struct pack *pack, const struct census *census) {
    struct str name = {0}, why = {0};
    for (size_t i = 0; i < census->kinds && !diag_full(pack->d); i++) {
        enum isa_op op = census->order[i];
        if (not_in_release(op) || !no_recipe(pack, op) || undeclared(&pack->users, op))
            continue;
        diag_error(pack->d, package_pack_span(pack, census->first[op]),
                   "%s (instruction %" PRIu32 ") has no recipe on target '%s'%s",
                   form_name(&pack->users, op, &name), census->first[op], pack->t->name,
                   why_not(pack, op, &why));
        note_places(pack->program, census, op, pack->d);
    }
    str_free(&name);
    str_free(&why);
}

/* Tried in VRFs of a kin; the only one where there is one alone.  False after reporting. */
static bool try_instruction(const struct pack *pack, const struct machine_program *program,
                            uint32_t kin, uint32_t index) {
    struct machine_kin all = {.lanes = 0};
    struct str problem = {0}, where = {0};
    const struct insn *insn = &program->text->insns[index];
    memcpy(all.reg_bits, program->reg_bits, sizeof all.reg_bits);
    all.slot = (uint8_t)machine_slot_bits(pack->library->machine, all.reg_bits);
    const struct machine_kin *what = program->kins ? &program->kins[kin] : &all;
    bool fine = machine_fits(pack->library, insn, what, &problem);
    if (program->kins) {
        str_append(&where, " in VRFs of ");
        package_kin_text(pack->p, pack->program, kin, &where);
    }
    if (!fine)
        diag_error(pack->d, package_pack_span(pack, index),
                   "%s (instruction %" PRIu32 ") cannot be carried out on target '%s'%s: %s",
                   isa_users_name(&pack->users, insn->op), index, pack->t->name, str_text(&where),
                   str_text(&problem));
    str_free(&problem);
    str_free(&where);
    return fine;
}

/* Lanes change places in the buffer of the data-transfer controller: the first LANE that asks for
 * it where there is none. */
static void refuse_lane_maps(const struct pack *pack) {
    struct insn insn;
    struct str text = {0};
    for (uint32_t i = 0; pack->t->buffer_registers == 0 && i < pack->program->text.len; i++) {
        if (isa_decode(pack->program->text.data[i], &insn) != ISA_OK || insn.op != OP_LANE ||
            insn.mode == LANE_IDENTITY)
            continue;
        isa_format_insn(&insn, NULL, &text);
        diag_error(pack->d, package_pack_span(pack, i),
                   "%s (instruction %" PRIu32
                   ") needs the buffer of the data-transfer controller, which target '%s' does not "
                   "have (dtc.buffer_registers is 0)",
                   text.text, i, pack->t->name);
        link_note_where(pack->program, i, pack->d);
        break;
    }
    str_free(&text);
}

/* Each instruction is tried at each of its widths, LUT with each table, MULP at each shape. */
static void refuse_unfit_in(struct pack *pack, const struct machine_program *program,
                            uint32_t kin) {
    bool tried[OP_COUNT][65] = {{false}}, tables[OBJECT_MAX_LUTS] = {false},
         shapes[ISA_MAX_PRODUCTS] = {false};
    for (uint32_t i = 0; i < program->text->len && !diag_full(pack->d); i++) {
        const struct insn *insn = &program->text->insns[i];
        if (insn->op == OP_COUNT || !machine_kin_reaches(program, kin, i))
            continue;
        bool *known = isa_has_table(insn->op)   ? &tables[insn->lut]
                      : isa_has_shape(insn->op) ? &shapes[insn->shape]
                                                : &tried[insn->op][insn->width];
        if (*known)
            continue;
        *known = true;
        if ((isa_info(insn->op)->flags & ISA_VECTOR) && !no_recipe(pack, insn->op) &&
            !try_instruction(pack, program, kin, i))
            link_note_where(pack->program, i, pack->d);
    }
}

void package_refuse_unfit(struct pack *pack) {
    struct text text;
    struct machine_program program =
        package_program_of(pack->p, &text, &pack->users, &pack->scratch);
    uint8_t bits[64];
    if (!program.kins) {
        package_program_registers(pack->program, pack->p->text, bits);
        program.reg_bits = bits;
    }
    for (uint32_t kin = 0; kin < machine_kin_count(&program); kin++)
        refuse_unfit_in(pack, &program, kin);
}

bool package_program_runnable(const struct object *program, struct diag *diag) {
    uint32_t before = diag_errors(diag);
    struct census c = {0};
    struct isa_users users = {0};
    struct arena names = {0};
    object_users(program, &users, &names, NULL);
    take_census(program, &users, NULL, &c);
    refuse_in_release(program, &users, &c, diag);
    refuse_undeclared(program, &users, &c, diag);
    arena_free(&names);
    return diag_errors(diag) == before;
}

void package_refuse_instructions(struct pack *pack) {
    struct census c = {0}, taken = {0};
    take_census(pack->program, &pack->users, NULL, &c);
    refuse_in_release(pack->program, &pack->users, &c, pack->d);
    refuse_undeclared(pack->program, &pack->users, &c, pack->d);
    take_census(pack->program, &pack->users, pack->p->taken, &taken);
    refuse_without_recipe(pack, &taken);
    refuse_lane_maps(pack);
}

void package_list_uses(struct package *package, const struct object *object, const uint32_t *text,
                       size_t count) {
    bool used[256][65] = {{false}};
    size_t n = 0;
    struct insn insn;
    for (size_t i = 0; i < count; i++) {
        if ((package->taken && !package->taken[i]) ||
            object_decode(object, text[i], &insn) != ISA_OK ||
            !(isa_info(insn.op)->flags & ISA_VECTOR))
            continue;
        bool *u = &used[isa_info(insn.op)->opcode][insn.width];
        n += !*u;
        *u = true;
    }
    struct recipe_use *uses = ARENA_ARRAY(&package->arena, n, struct recipe_use);
    package->uses = uses;
    for (unsigned op = 0; op < 256; op++)
        for (unsigned w = 0; w <= 64; w++)
            if (used[op][w])
                uses[package->use_count++] = (struct recipe_use){(uint8_t)op, (uint8_t)w};
}
