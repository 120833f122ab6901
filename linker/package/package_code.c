/* SPDX-License-Identifier: MIT
 * The code part of a package: what the machine executes. */
#include "linker/package/pack.h"
#include "linker/where.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* VRFs that hold registers, each counted once however many groups share it. */
struct held {
    uint32_t mpus, rfhs, vrfs; /* so many have numbers */
    uint32_t *kin;             /* [mpus][rfhs][vrfs]: 1 + its number, 0: nothing lies there; NULL:
                                  numbers are still looked for */
};

static void hold(struct held *h, uint32_t mpu, uint32_t rfh, uint32_t vrf, uint32_t kin) {
    if (h->kin) {
        h->kin[((size_t)mpu * h->rfhs + rfh) * h->vrfs + vrf] = 1 + kin;
        return;
    }
    h->mpus = mpu >= h->mpus ? mpu + 1 : h->mpus;
    h->rfhs = rfh >= h->rfhs ? rfh + 1 : h->rfhs;
    h->vrfs = vrf >= h->vrfs ? vrf + 1 : h->vrfs;
}

static void hold_all(struct held *h, const struct package *package) {
    for (size_t i = 0; i < package->placement_count; i++) {
        const struct placement *x = &package->placements[i];
        hold(h, x->mpu, x->rfh, x->vrf, package_kin(package, x->group));
    }
    for (uint32_t m = 0; m < package->image_count; m++)
        for (size_t i = 0; i < package->fixed_count; i++)
            hold(h, package->image_first + m + package->fixed[i].mpu_offset,
                 package->fixed[i].phys_rfh, package->fixed[i].phys_vrf,
                 package_kin(package, NO_INDEX));
}

/* What a register file holder has, behind the lists of those before it, unless one is the same. */
static void list_bank(struct machine_program *p, uint32_t *lists, const uint32_t *vrfs,
                      uint32_t count) {
    uint32_t kins = machine_kin_count(p), *bank = lists + (size_t)p->bank_count * kins;
    bool some = false;
    memset(bank, 0, kins * sizeof *bank);
    for (uint32_t v = 0; v < count; v++)
        if (vrfs[v]) {
            bank[vrfs[v] - 1]++;
            some = true;
        }
    for (uint32_t b = 0; some && b < p->bank_count; b++)
        some = memcmp(lists + (size_t)b * kins, bank, kins * sizeof *bank) != 0;
    p->bank_count += some;
}

static void list_banks(struct machine_program *p, const struct package *package,
                       struct arena *arena) {
    struct held h = {.kin = NULL};
    hold_all(&h, package);
    size_t banks = (size_t)h.mpus * h.rfhs;
    uint32_t *lists = ARENA_ARRAY(arena, (banks + 1) * machine_kin_count(p), uint32_t);
    h.kin = xcalloc(banks * h.vrfs + 1, sizeof *h.kin);
    hold_all(&h, package);
    for (size_t b = 0; b < banks; b++)
        list_bank(p, lists, h.kin + b * h.vrfs, h.vrfs);
    p->bank_vrfs = lists;
    free(h.kin);
}

struct machine_program package_program_of(const struct package *package, struct text *text,
                                          const struct isa_users *users, struct arena *arena) {
    object_text_load(text, package->text, package->text_count, package->luts, arena);
    struct machine_program p = {.text = text,
                                .reg_bits = package->reg_bits,
                                .users = users,
                                .kins = package->kins,
                                .kin_count = package->kin_count,
                                .reached = package_find_reached(package, text, arena),
                                .taken = package->taken};
    if (package->kins) /* others ask for none */
        list_banks(&p, package, arena);
    return p;
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
    pack->p->code = machine_code_build(pack->library, &program, pack->d);
}

bool package_ready_code(const struct package *package, const struct machine_library *library) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(package, &text, NULL, &arena);
    bool fine = package->code->machine->kind == library->machine->kind &&
                machine_code_ready(package->code, library, &program);
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
    struct machine_code *code = machine_code_build(library, &program, diag);
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
