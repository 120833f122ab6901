/* SPDX-License-Identifier: MIT
 * Kin as a machine with slots is told of them: VRFs with the same registers, as wide, and as many
 * elements. */
#include "linker/package/kin_use.h"

#include <string.h>

struct kin_maker {
    struct package *p;
    const struct object *o;
    const struct target *t;
    const struct machine *m;
    struct machine_kin *kins; /* [p.kin_count] */
};

static bool same(const struct machine_kin *a, const struct machine_kin *b) {
    return a->lanes == b->lanes && a->fixed == b->fixed && a->slot == b->slot &&
           memcmp(a->reg_bits, b->reg_bits, sizeof a->reg_bits) == 0;
}

/* Its number. */
static uint32_t add(struct kin_maker *maker, struct machine_kin *kin, uint32_t slot) {
    uint32_t own = machine_slot_bits(maker->m, kin->reg_bits), k = 0;
    kin->slot = (uint8_t)(slot > own ? slot : own);
    while (k < maker->p->kin_count && !same(&maker->kins[k], kin))
        k++;
    if (k == maker->p->kin_count)
        maker->kins[maker->p->kin_count++] = *kin;
    return k;
}

/* What a fixed VRF holds follows from all registers of the program. */
static uint32_t add_fixed(struct kin_maker *maker) {
    struct machine_kin kin = {.lanes = maker->o->geometry.lanes, .fixed = true};
    package_program_registers(maker->o, maker->p->text, kin.reg_bits);
    package_widen_kernels(maker->p, kin.reg_bits);
    return add(maker, &kin, 0);
}

static uint32_t add_group(struct kin_maker *maker, const struct kin_use *use, uint32_t group) {
    struct machine_kin kin = {.lanes = 0};
    memcpy(kin.reg_bits, use->bits[use->leader[group]], sizeof kin.reg_bits);
    kin.lanes = maker->p->group_lanes ? maker->p->group_lanes[group]
                                      : package_lanes_of(use, maker->p, maker->t, maker->m, group);
    return add(maker, &kin, package_given_slot(maker->p, use->leader[group]));
}

static bool has_fixed(const struct object *object, const int64_t *sizes) {
    uint64_t used[MAX_RFHS] = {0};
    uint64_t some = 0;
    package_find_fixed(object, sizes, used);
    for (size_t h = 0; h < MAX_RFHS; h++)
        some |= used[h];
    return some;
}

void package_find_kin(struct package *package, const struct object *object,
                      const struct target *target, const struct machine *machine) {
    uint32_t groups = (uint32_t)object->groups.len;
    struct kin_maker maker = {package, object, target, machine, NULL};
    struct arena scratch = {0};
    struct kin_use use;
    package->kins = NULL;
    package->kin_count = 0;
    if (!machine->slots)
        return;
    maker.kins = ARENA_ARRAY(&package->arena, (size_t)groups + 1, struct machine_kin);
    uint32_t *of_group = ARENA_ARRAY(&package->arena, groups, uint32_t);
    package_find_kin_use(object, package->text, &scratch, &use);
    for (uint32_t g = 0; g < groups; g++)
        if (object->groups.data[use.leader[g]].at_rfh == NO_INDEX)
            of_group[g] = add_group(&maker, &use, g);
    if (has_fixed(object, package->sizes))
        package->fixed_kin = add_fixed(&maker);
    for (uint32_t g = 0; g < groups; g++)
        if (object->groups.data[use.leader[g]].at_rfh != NO_INDEX)
            of_group[g] = package->fixed_kin;
    arena_free(&scratch);
    package->group_kin = of_group;
    package->kins = package->kin_count ? maker.kins : NULL;
}

void package_group_slots(const struct object *object, const struct machine *machine,
                         uint8_t *slots) {
    struct arena scratch = {0};
    struct kin_use use;
    package_find_kin_use(object, object->text.data, &scratch, &use);
    for (uint32_t g = 0; g < object->groups.len; g++)
        slots[g] = (uint8_t)machine_slot_bits(machine, use.bits[use.leader[g]]);
    arena_free(&scratch);
}

/* The first group that has it; NO_INDEX. */
static uint32_t first_group(const struct package *package, const struct object *object,
                            uint32_t kin) {
    uint32_t g = 0;
    while (g < object->groups.len && package_kin(package, g) != kin)
        g++;
    return g < object->groups.len ? g : NO_INDEX;
}

void package_kin_text(const struct package *package, const struct object *object, uint32_t kin,
                      struct str *out) {
    uint32_t g = first_group(package, object, kin);
    if (g == NO_INDEX)
        str_append(out, "fixed VRFs");
    else
        str_printf(out, "group '%s'", object->groups.data[g].name);
}

struct span package_kin_span(const struct package *package, const struct object *object,
                             uint32_t kin, struct diag *diag) {
    uint32_t g = first_group(package, object, kin);
    return g == NO_INDEX ? NO_SPAN : object_span(object, object->groups.data[g].place, diag);
}

/* ---- which instructions bodies come to ---- */

struct reach {
    uint64_t *reached; /* [text.len][words] */
    uint32_t words, kin;
};

static void reach(void *context, const struct text *text, uint32_t index) {
    struct reach *r = context;
    (void)text;
    r->reached[(size_t)index * r->words + r->kin / 64] |= UINT64_C(1) << r->kin % 64;
}

/* Whether a body behind it is carried out in VRFs of the kin. */
static bool is_header_of(const struct package *package, const struct insn *insn, uint32_t kin) {
    if (insn->op == OP_COMPUTE)
        return package->fixed_kin == kin;
    return insn->op == OP_COMPUTEG && package->group_kin[insn->imm] == kin;
}

const uint64_t *package_find_reached(const struct package *package, const struct text *text,
                                     struct arena *arena) {
    struct reach r = {.words = machine_kin_words(package->kin_count)};
    if (package->kin_count < 2)
        return NULL;
    r.reached = ARENA_ARRAY(arena, (size_t)text->len * r.words, uint64_t);
    uint8_t *seen = ARENA_ARRAY(arena, text->len, uint8_t);
    for (; r.kin < package->kin_count; r.kin++) {
        memset(seen, 0, text->len);
        for (uint32_t i = 0; i < text->len; i++)
            if (is_header_of(package, &text->insns[i], r.kin))
                object_text_visit_body(text, i + 1, seen, reach, &r);
    }
    return r.reached;
}
