/* SPDX-License-Identifier: MIT
 * A package for people: demand against capacity, and the map of what lies where. */
#include "linker/package/pack.h"

#include <inttypes.h>

/* What the groups take: VRFs, but for those of fixed groups, and lanes.  Groups that are alike
 * share theirs, so that the largest of them counts. */
struct taken_room {
    uint64_t vrfs, lanes;
};

static uint64_t larger(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

static struct taken_room taken_by_groups(const struct package *package,
                                         const struct object *object) {
    struct arena arena = {0};
    uint32_t *leader = ARENA_ARRAY(&arena, object->groups.len, uint32_t);
    struct taken_room *each = ARENA_ARRAY(&arena, object->groups.len, struct taken_room);
    struct taken_room *most = ARENA_ARRAY(&arena, object->groups.len, struct taken_room),
                      sum = {0, 0};
    link_find_kin(object, NULL, leader, NULL);
    for (size_t i = 0; i < package->placement_count; i++) {
        each[package->placements[i].group].vrfs++;
        each[package->placements[i].group].lanes += package->placements[i].count;
    }
    for (uint32_t g = 0; g < object->groups.len; g++) {
        most[leader[g]].vrfs = larger(most[leader[g]].vrfs, each[g].vrfs);
        most[leader[g]].lanes = larger(most[leader[g]].lanes, each[g].lanes);
    }
    for (uint32_t g = 0; g < object->groups.len; g++) {
        sum.vrfs += object->groups.data[g].at_rfh == NO_INDEX ? most[g].vrfs : 0;
        sum.lanes += most[g].lanes;
    }
    arena_free(&arena);
    return sum;
}

static unsigned register_bits(const struct package *package, unsigned *registers) {
    unsigned bits = 0;
    *registers = 0;
    for (unsigned r = 0; r < 64; r++) {
        bits += package->reg_bits[r];
        *registers += package->reg_bits[r] != 0;
    }
    return bits;
}

/* Once per program, if it runs in rounds. */
static void print_rounds(const struct package *package, struct str *out) {
    if (package->rounds > 1)
        str_printf(out, "  rounds %" PRIu64 "; shown is the first\n", package->rounds);
}

uint32_t package_most_rows(const struct package *package) {
    uint32_t most = 0, rows = 0;
    for (size_t i = 0; i < package->placement_count; i++) {
        const struct placement *x = &package->placements[i];
        bool same = i && x[-1].group == x->group && x[-1].mpu == x->mpu;
        rows = !same ? 1 : x->vrf != x[-1].vrf ? rows + 1 : rows;
        most = rows > most ? rows : most;
    }
    return most;
}

/* "spread, at most 2 rows of a group in an MPU (auto)". */
/* What the host finishes, and what it might. */
static void print_finishes(const struct package *package, const struct object *object,
                           struct str *out) {
    for (size_t i = 0; i < package->finish_count; i++) {
        const struct finish_record *r = &object->finishes.data[i];
        str_append(out, "  finish ");
        object_finish_text(object, r, out);
        str_printf(out,
                   package->finish.by_host[i]
                       ? ": by the host, instead of instructions %" PRIu32 " to %" PRIu32 "\n"
                       : ": in place, by instructions %" PRIu32 " to %" PRIu32 "\n",
                   r->first, r->last - 1);
    }
}

static void print_place(const struct package *package, struct str *out) {
    const struct package_place *x = &package->place;
    if (!package->placement_count)
        return;
    str_printf(out, "  place %s, at most %" PRIu32 " row%s of a group in an MPU",
               package_place_name(x->chosen), package_most_rows(package),
               package_most_rows(package) == 1 ? "" : "s");
    if (x->asked == PLACE_AUTO)
        str_append(out, " (auto");
    if (x->laps)
        str_printf(out, "; iterations that depend on data counted as %" PRIu32, x->laps);
    if (x->in_part)
        str_append(out, "; counted in part");
    str_append(out, x->asked == PLACE_AUTO ? ")\n" : "\n");
}

static void print_row(struct str *out, const char *what, uint64_t demand, uint64_t capacity) {
    double percent = capacity ? 100.0 * (double)demand / (double)capacity : 0;
    str_printf(out, "  %-24s %14" PRIu64 " of %14" PRIu64 "  %6.2f %%\n", what, demand, capacity,
               percent);
}

bool package_rows(const struct package *package, const struct target *target,
                  struct machine_rows *out) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(package, &text, NULL, &arena);
    if (package->code->machine->rows)
        package_most_taken(package->code->machine, target, package->code, &program, out);
    arena_free(&arena);
    return package->code->machine->rows;
}

/* What takes the rows of a VRF, where registers lie in rows. */
static void print_rows(const struct package *package, const struct target *target,
                       struct str *out) {
    struct machine_rows r;
    if (!package_rows(package, target, &r))
        return;
    char name[32];
    snprintf(name, sizeof name, "%ss of a VRF", r.unit);
    print_row(out, name, machine_rows_taken(&r), r.there);
    str_printf(out, "  %-24s %14" PRIu64 "\n", "  of them registers", r.registers);
    str_printf(out, "  %-24s %14" PRIu64 "\n", "  scratch beside them", r.scratch);
    str_printf(out, "  %-24s %14" PRIu64 "\n", "  masks", r.state);
    if (r.constants)
        str_printf(out, "  %-24s %14" PRIu64 "\n", "  constants", r.constants);
    if (r.copies)
        str_printf(out, "  %-24s %14" PRIu64 "\n", "  master copies of tables", r.copies);
}

void package_print_capacity(const struct package *package, const struct object *program,
                            const struct target *target, struct str *out) {
    unsigned registers, bits = register_bits(package, &registers);
    uint64_t vrfs = (uint64_t)target->mpus * target_vrfs_per_mpu(target);
    struct taken_room taken = taken_by_groups(package, program);
    str_printf(out, "target %s: demand and capacity", package->target);
    if (package->rounds > 1)
        str_printf(out, ", in each of %" PRIu64 " rounds", package->rounds);
    str_char(out, '\n');
    print_row(out, "MPUs", package->mpus, target->mpus);
    print_row(out, "VRFs", taken.vrfs + (uint64_t)package->fixed_count * package->image_count,
              vrfs);
    print_row(out, "lanes with elements", taken.lanes, vrfs * package->lanes);
    print_row(out, "instructions, one store", package->text_count, PACKAGE_STORE_WORDS);
    print_row(out, "registers", registers, 64);
    str_printf(out, "  %-24s %14u\n", "bits of registers", bits);
    print_rows(package, target, out);
    struct machine_load load;
    machine_load(package->code, &load);
    if (!target->recipe_templates)
        return;
    print_row(out, "templates of recipes", load.words, target->recipe_templates);
    print_row(out, "pointers of recipes", load.shared_count, target->recipe_pointers);
}

static void print_sizes(const struct package *package, const struct object *object,
                        struct str *out) {
    if (package->size_count)
        str_append(out, "  sizes\n");
    for (size_t i = 0; i < package->size_count; i++)
        str_printf(out, "    %-20s %" PRId64 "\n", object->sizes.data[i].name, package->sizes[i]);
}

/* One line for the placements [first, end) of one MPU and one group. */
static void print_range(const struct package *package, size_t first, size_t end, struct str *out) {
    const struct placement *a = &package->placements[first], *b = &package->placements[end - 1];
    str_printf(out, "    MPU%-5" PRIu32 " RFH%" PRIu32 ".VRF%" PRIu32, a->mpu, a->rfh, a->vrf);
    if (end - first > 1)
        str_printf(out, " .. RFH%" PRIu32 ".VRF%" PRIu32, b->rfh, b->vrf);
    str_printf(out, "  elements %" PRIu64 " .. %" PRIu64 "\n", a->first, b->first + b->count - 1);
}

static void print_group(const struct package *package, const struct object *object, uint32_t group,
                        struct str *out) {
    str_printf(out, "  group %s: %" PRIu64 " elements", object->groups.data[group].name,
               package_group_elements(package, object, group));
    if (object->groups.data[group].at_rfh == NO_INDEX &&
        package->group_lanes[group] != package->lanes)
        str_printf(out, ", %" PRIu32 " a VRF", package->group_lanes[group]);
    if (package->slices)
        str_printf(out, ", %" PRIu64 " a round%s", package->slices[group],
                   object->groups.data[group].per_mpu ? " in each MPU" : "");
    str_char(out, '\n');
}

static void print_groups(const struct package *package, const struct object *object,
                         struct str *out) {
    uint32_t group = NO_INDEX;
    size_t end;
    for (size_t i = 0; i < package->placement_count; i = end) {
        const struct placement *a = &package->placements[i];
        for (end = i + 1; end < package->placement_count; end++)
            if (package->placements[end].group != a->group ||
                package->placements[end].mpu != a->mpu)
                break;
        if (a->group != group)
            print_group(package, object, a->group, out);
        group = a->group;
        print_range(package, i, end, out);
    }
}

static void print_fixed(const struct package *package, struct str *out) {
    if (package->fixed_count)
        str_printf(out, "  fixed VRFs, in MPU%" PRIu32 " .. MPU%" PRIu32 "\n", package->image_first,
                   package->image_first + package->image_count - 1);
    for (size_t i = 0; i < package->fixed_count; i++) {
        const struct fixed_vrf *f = &package->fixed[i];
        str_printf(out, "    RFH%" PRIu32 ".VRF%-3" PRIu32 " at RFH%" PRIu32 ".VRF%" PRIu32, f->rfh,
                   f->vrf, f->phys_rfh, f->phys_vrf);
        if (f->mpu_offset)
            str_printf(out, " of the MPU %" PRIu32 " further on", f->mpu_offset);
        str_char(out, '\n');
    }
}

static void print_registers(const struct package *package, struct str *out) {
    str_append(out, "  registers, bits\n");
    unsigned column = 0;
    for (unsigned r = 0; r < 64; r++)
        if (package->reg_bits[r])
            str_printf(out, "%sr%-2u %2u",
                       column++ % 8  ? "  "
                       : column == 1 ? "    "
                                     : "\n    ",
                       r, package->reg_bits[r]);
    if (column)
        str_char(out, '\n');
}

static void print_uses(const struct package *package, const struct isa_users *users,
                       struct str *out) {
    str_append(out, "  instructions that need recipes, and their widths\n");
    for (size_t i = 0; i < package->use_count; i++) {
        struct insn insn;
        bool first = i == 0 || package->uses[i].opcode != package->uses[i - 1].opcode;
        if (first)
            str_printf(out, "%s    0x%02x", i ? "\n" : "", package->uses[i].opcode);
        for (size_t k = 0; first && k < package->text_count; k++)
            if (package->text[k] >> 24 == package->uses[i].opcode &&
                isa_decode(package->text[k], &insn) == ISA_OK) {
                str_printf(out, " %-10s", isa_users_name(users, insn.op));
                break;
            }
        if (package->uses[i].width)
            str_printf(out, " %u", package->uses[i].width);
    }
    if (package->use_count)
        str_char(out, '\n');
}

void package_print_map(const struct package *package, const struct object *program,
                       const struct target *target, struct str *out) {
    struct isa_users users = {0};
    struct arena names = {0};
    object_users(program, &users, &names, NULL);
    str_printf(out, "package for target %s\n", package->target);
    print_sizes(package, program, out);
    package_print_values(package, program, out);
    print_rounds(package, out);
    print_place(package, out);
    print_finishes(package, program, out);
    print_groups(package, program, out);
    print_fixed(package, out);
    package_print_moves(package, program, target, out);
    print_registers(package, out);
    print_uses(package, &users, out);
    if (package->tested)
        str_printf(out,
                   "  recipes that did not come with the tools: %" PRIu32
                   " form%s tested before anything runs, not proved\n",
                   package->tested, package->tested == 1 ? "" : "s");
    if (package->code->machine->print_map)
        package->code->machine->print_map(package->code, &users, out);
    if (package->text_count > PACKAGE_STORE_WORDS)
        str_printf(out,
                   "  the text is longer than one instruction store: %zu instructions lie in "
                   "the stores of neighbouring MPUs\n",
                   package->text_count - PACKAGE_STORE_WORDS);
    package_print_capacity(package, program, target, out);
    arena_free(&names);
}
