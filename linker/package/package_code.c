/* SPDX-License-Identifier: MIT
 * The code part of a package: what the machine executes. */
#include "linker/package/pack.h"
#include "linker/where.h"
#include "support/alloc.h"

#include <stdlib.h>

/* VRFs that hold registers, each counted once however many groups share it. */
struct held {
    uint32_t mpus, rfhs, vrfs; /* so many have numbers */
    uint8_t *is;               /* [mpus][rfhs][vrfs]; NULL: numbers are still looked for */
};

static void hold(struct held *h, uint32_t mpu, uint32_t rfh, uint32_t vrf) {
    if (h->is) {
        h->is[((size_t)mpu * h->rfhs + rfh) * h->vrfs + vrf] = 1;
        return;
    }
    h->mpus = mpu >= h->mpus ? mpu + 1 : h->mpus;
    h->rfhs = rfh >= h->rfhs ? rfh + 1 : h->rfhs;
    h->vrfs = vrf >= h->vrfs ? vrf + 1 : h->vrfs;
}

static void hold_all(struct held *h, const struct package *package) {
    for (size_t i = 0; i < package->placement_count; i++)
        hold(h, package->placements[i].mpu, package->placements[i].rfh, package->placements[i].vrf);
    for (uint32_t m = 0; m < package->image_count; m++)
        for (size_t i = 0; i < package->fixed_count; i++)
            hold(h, package->image_first + m + package->fixed[i].mpu_offset,
                 package->fixed[i].phys_rfh, package->fixed[i].phys_vrf);
}

static uint32_t most_of_rfh(const struct package *package) {
    struct held h = {.is = NULL};
    uint32_t most = 0;
    hold_all(&h, package);
    h.is = xcalloc((size_t)h.mpus * h.rfhs * h.vrfs + 1, 1);
    hold_all(&h, package);
    for (size_t r = 0; r < (size_t)h.mpus * h.rfhs; r++) {
        uint32_t here = 0;
        for (uint32_t v = 0; v < h.vrfs; v++)
            here += h.is[r * h.vrfs + v];
        most = here > most ? here : most;
    }
    free(h.is);
    return most;
}

struct machine_program package_program_of(const struct package *package, struct text *text,
                                          const struct isa_users *users, struct arena *arena) {
    object_text_load(text, package->text, package->text_count, package->luts, arena);
    return (struct machine_program){.text = text,
                                    .reg_bits = package->reg_bits,
                                    .users = users,
                                    .kins = package->kins,
                                    .kin_count = package->kin_count,
                                    .reached = package_find_reached(package, text, arena),
                                    .taken = package->taken,
                                    .rfh_vrfs = most_of_rfh(package)};
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
