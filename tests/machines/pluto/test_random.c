/* SPDX-License-Identifier: MIT
 * Random programs of several kin on pLUTo's designs: bodies and subroutines that serve one of them
 * or several, tables of 1 to 12 bits of index, small rows so that there are rounds and several
 * MPUs.  Every bit is compared with golden; row commands, their time and their energy with what a
 * naive count finds; rows that VRFs and banks are set up with, with what lies in them; runs on two
 * threads, and watched, with the plain one. */
#include "tests/draws.h"
#include "tests/machines/slot/kin_run.h"

#include "machines/slot/run/machine.h"

#include <string.h>

#define PROGRAMS draws(DRAWS_MACHINES_PLUTO)
#define FEW      150 /* programs of a design in which no bank need be crowded */

struct bench {
    struct kin_bench base; /* the first */
    uint64_t two_rows, split, loaded, missed, crowded;
};

/* ---- naive: every instruction, in every VRF of its owner ---- */

/* Of the table that the linker makes for the instruction's width. */
static unsigned table_bits(const struct kin_case *x, const struct insn *insn) {
    unsigned bits = x->k.lut_bits[insn->lut];
    return bits < insn->width ? bits : insn->width;
}

/* The linker has numbers of its own for tables; those of one size cost the same. */
static const struct slot_form *lookup_form(const struct kin_case *x, const struct insn *insn,
                                           uint32_t kin, bool masked) {
    const struct slot_form *found = NULL;
    struct arena arena = {0};
    struct text text;
    object_text_load(&text, x->o->text.data, (uint32_t)x->o->text.len, object_luts(x->o, &arena),
                     &arena);
    for (uint32_t i = 0; i < text.len && !found; i++) {
        const struct insn *there = &text.insns[i];
        if (there->op == OP_LUT && there->width == insn->width && there->rs == insn->rs &&
            there->rd == insn->rd && there->table->index_bits == table_bits(x, insn))
            found = slot_form_of(slot_code_of(x->p->code), there, kin, masked);
    }
    arena_free(&arena);
    return found;
}

static const struct slot_form *form_of(const struct kin_case *x, const struct insn *insn,
                                       uint32_t owner, bool masked) {
    uint32_t kin = package_kin(x->p, owner == KIN_FIXED ? NO_INDEX : owner);
    if (insn->op == OP_LUT)
        return lookup_form(x, insn, kin, masked);
    return slot_form_of(slot_code_of(x->p->code), insn, kin, masked);
}

/* Commands; tables that do not stay come once more than the queries say, and are counted apart. */
static void count_naively(const struct kin_case *x, uint64_t uops[SLOT_KINDS],
                          uint64_t energy_fj[SLOT_COMMANDS]) {
    const struct slot_step alone = {x->b->on.target, 1};
    memset(uops, 0, SLOT_KINDS * sizeof *uops);
    memset(energy_fj, 0, SLOT_COMMANDS * sizeof *energy_fj);
    for (size_t i = 0; i < x->k.done.len; i++) {
        const struct insn insn = x->k.done.data[i].insn;
        const struct slot_form *f =
            form_of(x, &insn, x->k.done.data[i].owner, x->k.done.data[i].masked);
        uint64_t vrfs = kin_vrfs(x, x->k.done.data[i].owner);
        if (!f)
            fail_msg("program %llu: no form of %s.%u for owner %u\n%s", (unsigned long long)x->seed,
                     isa_info(insn.op)->name, insn.width, x->k.done.data[i].owner,
                     str_text(&x->k.text));
        struct row_cursor at = row_cursor(&f->program);
        struct row_command c;
        while (row_next(&at, &c)) {
            struct slot_cost one = slot_price(&alone, c.kind, c.count);
            uint32_t rows = slot_code_of(x->p->code)->kins.data[f->kin].rows;
            uops[c.kind] += vrfs * rows;
            for (unsigned e = 0; e < SLOT_COMMANDS; e++)
                energy_fj[e] += vrfs * rows * one.fj[e];
        }
    }
}

static void check_count(const struct kin_case *x, const struct kin_seen *plain) {
    uint64_t uops[SLOT_KINDS], energy_fj[SLOT_COMMANDS];
    count_naively(x, uops, energy_fj);
    kin_compare_counts(x, uops, plain, row_kind_names, ROW_COMMANDS);
    bool loads = plain->uops[SLOT_LOAD_TABLE] != 0;
    if (!loads && memcmp(energy_fj, plain->energy_fj, sizeof energy_fj) != 0)
        fail_msg("program %llu: another energy", (unsigned long long)x->seed);
}

/* ---- programs ---- */

static bool has(enum isa_op op) {
    uint32_t flags = isa_info(op)->flags;
    return (flags & (ISA_VECTOR | ISA_USER | ISA_RESERVED)) == ISA_VECTOR &&
           isa_info(op)->set != SET_F && isa_info(op)->set != SET_Q;
}

/* ---- banks: what lies in them, and what they are set up with ---- */

enum { MPUS = 3, RFHS = 2, PAIRS = 12, KINS = 16 };
struct banks {
    uint32_t vrfs[MPUS][RFHS][KINS]; /* of each kin */
    uint32_t used[MPUS][RFHS][KINS]; /* of owners that a header names */
};

static void take_owner(const struct kin_case *x, struct banks *b, uint32_t owner) {
    uint32_t kin = package_kin(x->p, owner == KIN_FIXED ? NO_INDEX : owner);
    bool named = false;
    for (size_t i = 0; i < x->k.done.len; i++)
        named |= x->k.done.data[i].owner == owner;
    for (size_t i = 0; i < x->p->placement_count; i++) {
        const struct placement *p = &x->p->placements[i];
        b->vrfs[p->mpu][p->rfh][kin] += p->group == owner;
        b->used[p->mpu][p->rfh][kin] += p->group == owner && named;
    }
    for (size_t i = 0; owner == KIN_FIXED && i < x->p->fixed_count; i++) {
        b->vrfs[0][x->p->fixed[i].phys_rfh][kin]++;
        b->used[0][x->p->fixed[i].phys_rfh][kin] += named;
    }
}

/* Two kin have one set of pairs only where their tables are the same; all of them, and pairs whose
 * subarrays hold something else, are no more than there are. */
static void check_bank(const struct kin_case *x, const uint32_t vrfs[KINS],
                       const struct slot_tables *tables) {
    const struct slot_code *c = slot_code_of(x->p->code);
    bool copies = slot_keeps_copies(x->b->on.target);
    uint64_t end = 0, kept = 0, with = 0;
    for (uint32_t k = 0; k < x->p->kin_count; k++) {
        const struct slot_kin *a = &c->kins.data[k];
        kept += copies || tables[k].rows ? vrfs[k] : 0;
        if (!vrfs[k] || !tables[k].parts)
            continue;
        with++;
        if (a->first_pair + tables[k].parts > end)
            end = a->first_pair + tables[k].parts;
        for (uint32_t j = 0; j < k; j++) {
            const struct slot_kin *o = &c->kins.data[j];
            bool meet = vrfs[j] && tables[j].parts &&
                        o->first_pair < a->first_pair + tables[k].parts &&
                        a->first_pair < o->first_pair + tables[j].parts;
            if (meet && (a->first_pair != o->first_pair || a->slot != o->slot ||
                         a->pool.tables.len != o->pool.tables.len))
                fail_msg("program %llu: kin %u and %u have the same pairs",
                         (unsigned long long)x->seed, j, k);
        }
    }
    ((struct bench *)(void *)x->b)->crowded += with > 1;
    if (end && end + kept > PAIRS)
        fail_msg("program %llu: %llu pairs of %d", (unsigned long long)x->seed,
                 (unsigned long long)(end + kept), PAIRS);
}

/* Rows of a bank's tables come once, whoever is bound first. */
static uint64_t rows_of_bank(const struct kin_case *x, const uint32_t used[KINS],
                             const struct slot_tables *tables) {
    const struct slot_code *c = slot_code_of(x->p->code);
    uint64_t rows = 0;
    for (uint32_t k = 0; k < x->p->kin_count; k++) {
        bool known = !used[k];
        for (uint32_t j = 0; j < k; j++)
            known |= used[j] && tables[j].parts == tables[k].parts &&
                     c->kins.data[j].first_pair == c->kins.data[k].first_pair;
        rows += used[k] * (tables[k].rows + c->kins.data[k].pool.constants.len) +
                (known ? 0 : tables[k].bank_rows);
    }
    return rows;
}

static void check_banks(const struct kin_case *x, const struct kin_seen *plain,
                        const struct slot_tables *tables) {
    struct banks b = {.vrfs = {{{0}}}};
    uint64_t rows = 0;
    assert_true(x->p->kin_count <= KINS);
    for (uint32_t owner = 0; owner < x->k.groups; owner++)
        take_owner(x, &b, owner);
    if (x->k.fixed)
        take_owner(x, &b, KIN_FIXED);
    for (unsigned m = 0; m < MPUS; m++)
        for (unsigned r = 0; r < RFHS; r++) {
            check_bank(x, b.vrfs[m][r], tables);
            rows += rows_of_bank(x, b.used[m][r], tables);
        }
    if (x->p->rounds == 1 && plain->established.micro_ops != rows)
        fail_msg("program %llu: set up with %llu rows, not %llu", (unsigned long long)x->seed,
                 (unsigned long long)plain->established.micro_ops, (unsigned long long)rows);
}

static void check(const struct kin_case *x, const struct kin_seen *plain) {
    struct bench *b = (struct bench *)(void *)x->b;
    const struct slot_code *c = slot_code_of(x->p->code);
    b->loaded += plain->uops[SLOT_LOAD_TABLE] > 0;
    b->missed += plain->counters[SLOT_COUNT_NO_MATCH];
    struct slot_tables tables[KINS];
    for (uint32_t i = 0; i < x->p->kin_count; i++) {
        tables[i] = slot_kin_tables(b->base.on.target, c, i);
        b->two_rows += c->kins.data[i].rows > 1;
        b->split += tables[i].parts > 0;
    }
    check_banks(x, plain, tables);
    for (uint32_t i = 0; i < x->p->kin_count; i++)
        slot_tables_free(&tables[i]);
    if (x->p->rounds == 1)
        check_count(x, plain);
}

/* Short rows, and few for tables, so that tables are split, and some do not stay. */
static void open_bench(struct bench *b, const char *name, const char *set, const char *row_bits,
                       const char *lanes, const char *match_bits) {
    const struct target_override small[] = {{"set", set},
                                            {"machine.mpus", "3"},
                                            {"machine.rfh_per_mpu", "2"},
                                            {"machine.vrf_per_rfh", "12"},
                                            {"pluto.row_bits", row_bits},
                                            {"array.lanes", lanes},
                                            {"pluto.table_rows", "128"},
                                            {"pluto.match_bits", match_bits},
                                            {"strict.nomatch", "stop"}};
    *b = (struct bench){.base = {.ops = &slot_engine, .has = has, .luts = true, .check = check}};
    b->base.on = target_bench_open(name, small, sizeof small / sizeof *small);
    b->base.row_bits = slot_target_of(b->base.on.target)->row_bits;
}

static void random_on(const char *name, const char *set, bool shorter, const char *match_bits,
                      uint64_t first, uint64_t count) {
    struct bench b;
    open_bench(&b, name, set, shorter ? "256" : "512", shorter ? "4" : "8", match_bits);
    for (uint64_t seed = first; seed < first + count; seed++)
        kin_run(&b.base, seed, seed % 10 == 0);
    assert_true(b.base.built > count * 2 / 3);
    assert_true(b.base.shared && b.base.with_rounds && b.base.with_fixed && b.base.several_mpus);
    assert_true(b.split && b.loaded && !b.missed);
    assert_true(match_bits[0] != '0' || count < FEW || b.crowded);
    assert_int_equal(b.two_rows > 0, shorter); /* fixed VRFs of 8 lanes of 64 bits */
    target_bench_close(&b.base.on);
}

static void test_bsa(void **state) {
    (void)state;
    random_on("pluto-bsa", "none", false, "0", 1, PROGRAMS / 2);
}

static void test_gsa(void **state) {
    (void)state;
    random_on("pluto-gsa", "refresh", true, "0", 100000, PROGRAMS / 4);
}

static void test_gmc(void **state) {
    (void)state;
    random_on("pluto-gmc", "tfaw", false, "0", 200000, PROGRAMS / 4);
}

/* Match logic that compares bytes alone. */
static void test_bytes(void **state) {
    (void)state;
    random_on("pluto-gmc", "none", false, "8", 300000, PROGRAMS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bsa), cmocka_unit_test(test_gsa),
                                       cmocka_unit_test(test_gmc), cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
