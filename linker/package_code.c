/* SPDX-License-Identifier: MIT
 * The code part of a package: what the machine executes. */
#include "linker/pack.h"

struct machine_program package_program_of(const struct package *p, struct text *text,
                                          const struct isa_users *users, struct arena *arena) {
    object_text_load(text, p->text, p->text_count, arena);
    return (struct machine_program){text, p->reg_bits, users};
}

void package_build_code(struct pack *k) {
    struct text text;
    struct machine_program program = package_program_of(k->p, &text, &k->users, &k->scratch);
    k->p->code = k->library->machine->build(k->library, &program, k->d);
}

bool package_ready_code(const struct package *p, const struct machine_library *library) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(p, &text, NULL, &arena);
    bool fine = p->code->machine->kind == library->machine->kind &&
                library->machine->ready(p->code, library, &program);
    arena_free(&arena);
    return fine;
}

void package_print_code(const struct package *p, const struct machine_library *library,
                        struct str *out) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(p, &text, NULL, &arena);
    library->machine->print(p->code, library, &program, out);
    arena_free(&arena);
}
