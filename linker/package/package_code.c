/* SPDX-License-Identifier: MIT
 * The code part of a package: what the machine executes. */
#include "linker/package/pack.h"
#include "linker/where.h"

struct machine_program package_program_of(const struct package *package, struct text *text,
                                          const struct isa_users *users, struct arena *arena) {
    object_text_load(text, package->text, package->text_count, package->luts, arena);
    return (struct machine_program){.text = text,
                                    .reg_bits = package->reg_bits,
                                    .users = users,
                                    .kins = package->kins,
                                    .kin_count = package->kin_count,
                                    .reached = package_find_reached(package, text, arena)};
}

static struct span place_of(const void *context, uint32_t index) {
    const struct pack *pack = context;
    return link_text_span(pack->program, index, pack->d);
}

void package_build_code(struct pack *pack) {
    struct text text;
    struct machine_program program =
        package_program_of(pack->p, &text, &pack->users, &pack->scratch);
    program.place = place_of;
    program.context = pack;
    pack->p->code = pack->library->machine->build(pack->library, &program, pack->d);
}

bool package_ready_code(const struct package *package, const struct machine_library *library) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(package, &text, NULL, &arena);
    bool fine = package->code->machine->kind == library->machine->kind &&
                library->machine->ready(package->code, library, &program);
    arena_free(&arena);
    return fine;
}

bool package_code_serves(const struct package *package) {
    const struct machine *machine = package->code->machine;
    struct arena arena = {0};
    struct text text;
    bool serves = true;
    struct machine_program program = package_program_of(package, &text, NULL, &arena);
    for (uint32_t kin = 0; kin < machine_kin_count(&program); kin++)
        for (uint32_t i = 0; i < text.len && machine->part_of; i++)
            serves &= !(insn_flags(&text.insns[i]) & ISA_VECTOR) ||
                      !machine_kin_reaches(&program, kin, i) ||
                      machine->part_of(package->code, &text, i, kin, false) != MACHINE_NO_PART;
    arena_free(&arena);
    return serves;
}

bool package_remake_code(struct package *package, const struct machine_library *library,
                         struct diag *diag) {
    const struct isa_users users = {0};
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(package, &text, &users, &arena);
    struct machine_code *code = library->machine->build(library, &program, diag);
    if (code) {
        machine_code_free(package->code);
        package->code = code;
    }
    arena_free(&arena);
    return code && package_ready_code(package, library);
}

void package_print_code(const struct package *package, const struct machine_library *library,
                        struct str *out) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(package, &text, NULL, &arena);
    library->machine->print(package->code, library, &program, out);
    arena_free(&arena);
}
