/* SPDX-License-Identifier: MIT
 * A package for people: demand against capacity, and the map of what lies where. */
#include "linker/pack.h"

#include <inttypes.h>

/* What the groups take: VRFs, but for those of fixed groups, and lanes.  Groups that are alike
 * share theirs, so that the largest of them counts. */
struct taken_room {
    uint64_t vrfs, lanes;
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static struct taken_room taken_by_groups(const struct package *p, const struct object *o) {
    struct arena arena = {0};
    uint32_t *leader = ARENA_ARRAY(&arena, o->groups.len, uint32_t);
    struct taken_room *each = ARENA_ARRAY(&arena, o->groups.len, struct taken_room);
    struct taken_room *most = ARENA_ARRAY(&arena, o->groups.len, struct taken_room), sum = {0, 0};
    link_find_kin(o, NULL, leader, NULL);
    for (size_t i = 0; i < p->placement_count; i++) {
        each[p->placements[i].group].vrfs++;
        each[p->placements[i].group].lanes += p->placements[i].count;
    }
    for (uint32_t g = 0; g < o->groups.len; g++) {
        most[leader[g]].vrfs = larger(most[leader[g]].vrfs, each[g].vrfs);
        most[leader[g]].lanes = larger(most[leader[g]].lanes, each[g].lanes);
    }
    for (uint32_t g = 0; g < o->groups.len; g++) {
        sum.vrfs += o->groups.data[g].at_rfh == NO_INDEX ? most[g].vrfs : 0;
        sum.lanes += most[g].lanes;
    }
    arena_free(&arena);
    return sum;
}

static unsigned register_bits(const struct package *p, unsigned *registers) {
    unsigned bits = 0;
    *registers = 0;
    for (unsigned r = 0; r < 64; r++) {
        bits += p->reg_bits[r];
        *registers += p->reg_bits[r] != 0;
    }
    return bits;
}

/* Once per program, if it runs in rounds. */
static void print_rounds(const struct package *p, struct str *out) {
    if (p->rounds > 1)
        str_printf(out, "  rounds %" PRIu64 "; shown is the first\n", p->rounds);
}

uint32_t package_most_rows(const struct package *p) {
    uint32_t most = 0, rows = 0;
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        bool same = i && x[-1].group == x->group && x[-1].mpu == x->mpu;
        rows = !same ? 1 : x->vrf != x[-1].vrf ? rows + 1 : rows;
        most = rows > most ? rows : most;
    }
    return most;
}

/* "spread, at most 2 rows of a group in an MPU (auto)". */
/* What the host finishes, and what it might. */
static void print_finishes(const struct package *p, const struct object *o, struct str *out) {
    for (size_t i = 0; i < p->finish_count; i++) {
        const struct finish_record *r = &o->finishes.data[i];
        str_append(out, "  finish ");
        object_finish_text(o, r, out);
        str_printf(out,
                   p->finish.by_host[i]
                       ? ": by the host, instead of instructions %" PRIu32 " to %" PRIu32 "\n"
                       : ": in place, by instructions %" PRIu32 " to %" PRIu32 "\n",
                   r->first, r->last - 1);
    }
}

static void print_place(const struct package *p, struct str *out) {
    const struct package_place *x = &p->place;
    if (!p->placement_count)
        return;
    str_printf(out, "  place %s, at most %" PRIu32 " row%s of a group in an MPU",
               package_place_name(x->chosen), package_most_rows(p),
               package_most_rows(p) == 1 ? "" : "s");
    if (x->asked == PLACE_AUTO)
        str_append(out, " (auto");
    if (x->laps)
        str_printf(out, "; laps that depend on data counted as %" PRIu32, x->laps);
    if (x->in_part)
        str_append(out, "; counted in part");
    str_append(out, x->asked == PLACE_AUTO ? ")\n" : "\n");
}

static void print_row(struct str *out, const char *what, uint64_t demand, uint64_t capacity) {
    double percent = capacity ? 100.0 * (double)demand / (double)capacity : 0;
    str_printf(out, "  %-24s %14" PRIu64 " of %14" PRIu64 "  %6.2f %%\n", what, demand, capacity,
               percent);
}

bool package_rows(const struct package *p, const struct target *t, struct machine_rows *out) {
    struct arena arena = {0};
    struct text text;
    struct machine_program program = package_program_of(p, &text, NULL, &arena);
    if (p->code->machine->rows)
        p->code->machine->rows(t, p->code, &program, out);
    arena_free(&arena);
    return p->code->machine->rows;
}

/* What takes the rows of a VRF, where registers lie in rows. */
static void print_rows(const struct package *p, const struct target *t, struct str *out) {
    struct machine_rows r;
    if (!package_rows(p, t, &r))
        return;
    print_row(out, "rows of a VRF", machine_rows_taken(&r), r.there);
    str_printf(out, "  %-24s %14" PRIu64 "\n", "  of them registers", r.registers);
    str_printf(out, "  %-24s %14" PRIu64 "\n", "  scratch beside them", r.scratch);
    str_printf(out, "  %-24s %14" PRIu64 "\n", "  masks", r.state);
}

void package_print_capacity(const struct package *p, const struct object *program,
                            const struct target *t, struct str *out) {
    unsigned registers, bits = register_bits(p, &registers);
    uint64_t vrfs = (uint64_t)t->mpus * target_vrfs_per_mpu(t);
    struct taken_room taken = taken_by_groups(p, program);
    str_printf(out, "target %s: demand and capacity", p->target);
    if (p->rounds > 1)
        str_printf(out, ", in each of %" PRIu64 " rounds", p->rounds);
    str_char(out, '\n');
    print_row(out, "MPUs", p->mpus, t->mpus);
    print_row(out, "VRFs", taken.vrfs + (uint64_t)p->fixed_count * p->image_count, vrfs);
    print_row(out, "lanes with elements", taken.lanes, vrfs * p->lanes);
    print_row(out, "instructions, one store", p->text_count, PACKAGE_STORE_WORDS);
    print_row(out, "registers", registers, 64);
    str_printf(out, "  %-24s %14u\n", "bits of registers", bits);
    print_rows(p, t, out);
    struct machine_load load;
    machine_load(p->code, &load);
    if (!t->recipe_templates)
        return;
    print_row(out, "templates of recipes", load.words, t->recipe_templates);
    print_row(out, "pointers of recipes", load.shared_count, t->recipe_pointers);
}

static void print_sizes(const struct package *p, const struct object *o, struct str *out) {
    if (p->size_count)
        str_append(out, "  sizes\n");
    for (size_t i = 0; i < p->size_count; i++)
        str_printf(out, "    %-20s %" PRId64 "\n", o->sizes.data[i].name, p->sizes[i]);
}

/* One line for the placements [first, end) of one MPU and one group. */
static void print_range(const struct package *p, size_t first, size_t end, struct str *out) {
    const struct placement *a = &p->placements[first], *b = &p->placements[end - 1];
    str_printf(out, "    MPU%-5" PRIu32 " RFH%" PRIu32 ".VRF%" PRIu32, a->mpu, a->rfh, a->vrf);
    if (end - first > 1)
        str_printf(out, " .. RFH%" PRIu32 ".VRF%" PRIu32, b->rfh, b->vrf);
    str_printf(out, "  elements %" PRIu64 " .. %" PRIu64 "\n", a->first, b->first + b->count - 1);
}

static void print_group(const struct package *p, const struct object *o, uint32_t g,
                        struct str *out) {
    str_printf(out, "  group %s: %" PRIu64 " elements", o->groups.data[g].name,
               package_group_elements(p, o, g));
    if (o->groups.data[g].at_rfh == NO_INDEX && p->group_lanes[g] != p->lanes)
        str_printf(out, ", %" PRIu32 " a VRF", p->group_lanes[g]);
    if (p->slices)
        str_printf(out, ", %" PRIu64 " a round%s", p->slices[g],
                   o->groups.data[g].per_mpu ? " in each MPU" : "");
    str_char(out, '\n');
}

static void print_groups(const struct package *p, const struct object *o, struct str *out) {
    uint32_t group = NO_INDEX;
    size_t end;
    for (size_t i = 0; i < p->placement_count; i = end) {
        const struct placement *a = &p->placements[i];
        for (end = i + 1; end < p->placement_count; end++)
            if (p->placements[end].group != a->group || p->placements[end].mpu != a->mpu)
                break;
        if (a->group != group)
            print_group(p, o, a->group, out);
        group = a->group;
        print_range(p, i, end, out);
    }
}

static void print_fixed(const struct package *p, struct str *out) {
    if (p->fixed_count)
        str_printf(out, "  fixed VRFs, in MPU%" PRIu32 " .. MPU%" PRIu32 "\n", p->image_first,
                   p->image_first + p->image_count - 1);
    for (size_t i = 0; i < p->fixed_count; i++) {
        const struct fixed_vrf *f = &p->fixed[i];
        str_printf(out, "    RFH%" PRIu32 ".VRF%-3" PRIu32 " at RFH%" PRIu32 ".VRF%" PRIu32, f->rfh,
                   f->vrf, f->phys_rfh, f->phys_vrf);
        if (f->mpu_offset)
            str_printf(out, " of the MPU %" PRIu32 " further on", f->mpu_offset);
        str_char(out, '\n');
    }
}

static void print_registers(const struct package *p, struct str *out) {
    str_append(out, "  registers, bits\n");
    unsigned column = 0;
    for (unsigned r = 0; r < 64; r++)
        if (p->reg_bits[r])
            str_printf(out, "%sr%-2u %2u",
                       column++ % 8  ? "  "
                       : column == 1 ? "    "
                                     : "\n    ",
                       r, p->reg_bits[r]);
    if (column)
        str_char(out, '\n');
}

static void print_uses(const struct package *p, const struct isa_users *users, struct str *out) {
    str_append(out, "  instructions that need recipes, and their widths\n");
    for (size_t i = 0; i < p->use_count; i++) {
        struct insn insn;
        bool first = i == 0 || p->uses[i].opcode != p->uses[i - 1].opcode;
        if (first)
            str_printf(out, "%s    0x%02x", i ? "\n" : "", p->uses[i].opcode);
        for (size_t k = 0; first && k < p->text_count; k++)
            if (p->text[k] >> 24 == p->uses[i].opcode && isa_decode(p->text[k], &insn) == ISA_OK) {
                str_printf(out, " %-10s", isa_users_name(users, insn.op));
                break;
            }
        if (p->uses[i].width)
            str_printf(out, " %u", p->uses[i].width);
    }
    if (p->use_count)
        str_char(out, '\n');
}

void package_print_map(const struct package *p, const struct object *program,
                       const struct target *t, struct str *out) {
    struct isa_users users = {0};
    struct arena names = {0};
    object_users(program, &users, &names, NULL);
    str_printf(out, "package for target %s\n", p->target);
    print_sizes(p, program, out);
    package_print_values(p, program, out);
    print_rounds(p, out);
    print_place(p, out);
    print_finishes(p, program, out);
    print_groups(p, program, out);
    print_fixed(p, out);
    package_print_moves(p, program, t, out);
    print_registers(p, out);
    print_uses(p, &users, out);
    if (p->code->machine->print_map)
        p->code->machine->print_map(p->code, &users, out);
    if (p->text_count > PACKAGE_STORE_WORDS)
        str_printf(out,
                   "  the text is longer than one instruction store: %zu instructions lie in "
                   "the stores of neighbouring MPUs\n",
                   p->text_count - PACKAGE_STORE_WORDS);
    package_print_capacity(p, program, t, out);
    arena_free(&names);
}
