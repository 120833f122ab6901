/* SPDX-License-Identifier: MIT
 * Random programs of several kin on pLUTo's designs: bodies and subroutines that serve one of them
 * or several, tables of 1 to 12 bits of index, small rows so that there are rounds and several
 * MPUs.  Every bit is compared with golden; row commands, their time and their energy with what a
 * naive count finds; runs on two threads, and watched, with the plain one. */
#include "tests/draws.h"
#include "tests/machines/slot/kin_program.h"
#include "tests/machines/target_bench.h"

#include "asm/asm.h"
#include "emu/control/control.h"
#include "emu/place/count.h"
#include "linker/linker.h"
#include "linker/package.h"
#include "machines/slot/run/machine.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_MACHINES_PLUTO)

struct bench {
    struct target_bench on;
    uint64_t row_bits, two_rows;
    uint64_t built, shared, with_rounds, with_fixed, several_mpus, split, loaded, missed;
};

struct program {
    struct bench *b;
    uint64_t seed;
    struct object *o;
    struct package *p;
};

/* ---- runs ---- */

struct round_state {
    const struct program *x;
    struct arena arena;
    struct package view;
    uint64_t now;
};

static const struct package *next_round(void *context) {
    struct round_state *r = context;
    if (++r->now >= r->x->p->rounds)
        return NULL;
    arena_free(&r->arena);
    r->view = package_round(r->x->p, r->x->o, r->now, &r->arena);
    return &r->view;
}

struct seen {
    uint64_t time_ps, uops[SLOT_KINDS], energy_fj[SLOT_COMMANDS], counters[SLOT_COUNTERS], events;
    struct control_established established;
    struct str state;
};

static void take_event(void *context, const struct dp_event *e) {
    struct seen *seen = context;
    seen->events += e->vrf_count;
}

enum { PLAIN, CHECKED, THREADS, WATCHED, WAYS };

static void run(const struct program *x, int way, struct seen *seen) {
    struct diag *d = diag_new(NULL, NULL);
    const struct datapath_ops *ops = way == CHECKED ? &check_ops : &slot_engine;
    const struct dp_setup setup = {.target = x->b->on.target,
                                   .library = x->b->on.library,
                                   .code = x->p->code,
                                   .mpus = x->p->mpus,
                                   .lanes = x->p->lanes,
                                   .reg_bits = x->p->reg_bits,
                                   .kins = x->p->kins,
                                   .kin_count = x->p->kin_count,
                                   .init = DP_INIT_RANDOM,
                                   .seed = x->seed};
    struct datapath *dp = ops->open(&setup, d);
    struct round_state rounds = {.x = x};
    const struct control_config config = {.batch = (enum batch_mode)(x->seed % 3),
                                          .check = way == CHECKED,
                                          .threads = way == THREADS ? 2 : 1,
                                          .part_ps = way == THREADS,
                                          .next_round = x->p->rounds > 1 ? next_round : NULL,
                                          .round_context = &rounds};
    *seen = (struct seen){0};
    assert_non_null(dp);
    if (way == WATCHED)
        dp->ops->observe(dp, take_event, seen);
    struct control *c = control_new(x->o, x->p, x->b->on.target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)x->seed, control_message(c));
    const struct control_stats *s = control_stats(c);
    seen->time_ps = s->time_ps;
    memcpy(seen->uops, s->uops, sizeof seen->uops);
    memcpy(seen->energy_fj, s->energy_fj, sizeof seen->energy_fj);
    memcpy(seen->counters, s->counters, sizeof seen->counters);
    seen->established = s->established;
    assert_true(dp->ops->snapshot(dp, false, &seen->state));
    control_free(c);
    dp->ops->close(dp);
    arena_free(&rounds.arena);
    diag_free(d);
}

static void compare(const struct program *x, const struct kin_program *k, int way,
                    const struct seen *plain, const struct seen *other) {
    if (other->time_ps != plain->time_ps ||
        memcmp(other->uops, plain->uops, sizeof plain->uops) != 0 ||
        memcmp(other->counters, plain->counters, sizeof plain->counters) != 0 ||
        memcmp(&other->established, &plain->established, sizeof plain->established) != 0 ||
        memcmp(other->energy_fj, plain->energy_fj, sizeof plain->energy_fj) != 0)
        fail_msg("program %llu, way %d: other figures\n%s", (unsigned long long)x->seed, way,
                 str_text(&k->text));
    if (way != CHECKED && (other->state.len != plain->state.len ||
                           memcmp(other->state.text, plain->state.text, plain->state.len) != 0))
        fail_msg("program %llu, way %d: another state", (unsigned long long)x->seed, way);
}

/* ---- naive: every instruction, in every VRF of its owner ---- */

static unsigned slot_of(unsigned width) {
    unsigned slot = 1;
    while (slot < width)
        slot *= 2;
    return slot;
}

static uint64_t vrfs_of(const struct bench *b, const struct kin_program *k, uint32_t owner) {
    return owner == KIN_FIXED
               ? 2
               : ceil_div(k->elements[owner], b->row_bits / slot_of(k->width[owner]));
}

/* Of the table that the linker makes for the instruction's width. */
static unsigned table_bits(const struct kin_program *k, const struct insn *insn) {
    unsigned bits = k->lut_bits[insn->lut];
    return bits < insn->width ? bits : insn->width;
}

/* The linker has numbers of its own for tables; those of one size cost the same. */
static const struct slot_form *lookup_form(const struct program *x, const struct kin_program *k,
                                           const struct insn *insn, uint32_t kin, bool masked) {
    const struct slot_form *found = NULL;
    struct arena arena = {0};
    struct text text;
    object_text_load(&text, x->o->text.data, (uint32_t)x->o->text.len, object_luts(x->o, &arena),
                     &arena);
    for (uint32_t i = 0; i < text.len && !found; i++) {
        const struct insn *there = &text.insns[i];
        if (there->op == OP_LUT && there->width == insn->width && there->rs == insn->rs &&
            there->rd == insn->rd && there->table->index_bits == table_bits(k, insn))
            found = slot_form_of(slot_code_of(x->p->code), there, kin, masked);
    }
    arena_free(&arena);
    return found;
}

static const struct slot_form *form_of(const struct program *x, const struct kin_program *k,
                                       const struct insn *insn, uint32_t owner, bool masked) {
    uint32_t kin = package_kin(x->p, owner == KIN_FIXED ? NO_INDEX : owner);
    if (insn->op == OP_LUT)
        return lookup_form(x, k, insn, kin, masked);
    return slot_form_of(slot_code_of(x->p->code), insn, kin, masked);
}

/* Commands; tables that do not stay come once more than the queries say, and are counted apart. */
static void count_naively(const struct program *x, const struct kin_program *k,
                          uint64_t uops[SLOT_KINDS], uint64_t energy_fj[SLOT_COMMANDS]) {
    const struct slot_step alone = {x->b->on.target, 1};
    memset(uops, 0, SLOT_KINDS * sizeof *uops);
    memset(energy_fj, 0, SLOT_COMMANDS * sizeof *energy_fj);
    for (size_t i = 0; i < k->done.len; i++) {
        const struct insn insn = k->done.data[i].insn;
        const struct slot_form *f =
            form_of(x, k, &insn, k->done.data[i].owner, k->done.data[i].masked);
        uint64_t vrfs = vrfs_of(x->b, k, k->done.data[i].owner);
        if (!f)
            fail_msg("program %llu: no form of %s.%u for owner %u\n%s", (unsigned long long)x->seed,
                     isa_info(insn.op)->name, insn.width, k->done.data[i].owner,
                     str_text(&k->text));
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

static void check_count(const struct program *x, const struct kin_program *k,
                        const struct seen *plain) {
    uint64_t uops[SLOT_KINDS], energy_fj[SLOT_COMMANDS];
    count_naively(x, k, uops, energy_fj);
    for (unsigned kind = 0; kind < ROW_COMMANDS; kind++)
        if (uops[kind] != plain->uops[kind])
            fail_msg("program %llu: %llu of %s, not %llu\n%s", (unsigned long long)x->seed,
                     (unsigned long long)plain->uops[kind], row_kind_names[kind],
                     (unsigned long long)uops[kind], str_text(&k->text));
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

static bool build(struct program *x, const struct kin_program *k, struct diag *d) {
    static const struct asm_options assembling = {0};
    static const struct link_options linking = {0};
    const char *text = k->text.text;
    struct object *o = asm_assemble("kin.s", text, k->text.len, &assembling, d);
    const struct object *const inputs[] = {o};
    x->o = o ? link_objects(inputs, 1, &linking, d) : NULL;
    object_free(o);
    if (!x->o)
        fail_msg("program %llu: %s\n%s", (unsigned long long)x->seed, diag_first(d), text);
    const struct package_place spread = {.asked = PLACE_SPREAD, .chosen = PLACE_SPREAD};
    x->p = x->seed % 2 ? package_build(x->o, x->b->on.target, x->b->on.library, NULL, 0, d)
                       : package_build_at(x->o, x->b->on.target, x->b->on.library, NULL, 0, &spread,
                                          NULL, d);
    return x->p;
}

static void note(struct bench *b, const struct program *x, const struct kin_program *k,
                 const struct seen *plain) {
    b->built++;
    b->with_rounds += x->p->rounds > 1;
    b->with_fixed += k->fixed;
    b->several_mpus += x->p->mpus > 1;
    b->shared += x->p->kin_count > 1;
    b->loaded += plain->uops[SLOT_LOAD_TABLE] > 0;
    b->missed += plain->counters[SLOT_COUNT_NO_MATCH];
    for (uint32_t i = 0; i < x->p->kin_count; i++)
        b->two_rows += slot_code_of(x->p->code)->kins.data[i].rows > 1;
    for (uint32_t i = 0; i < x->p->kin_count; i++) {
        struct slot_tables t = slot_kin_tables(b->on.target, slot_code_of(x->p->code), i);
        b->split += t.parts > 0;
        slot_tables_free(&t);
    }
}

static void one_program(struct bench *b, uint64_t seed, bool seven) {
    struct kin_program k = {.has = has, .luts = true};
    struct diag *d = diag_new(NULL, NULL);
    struct program x = {.b = b, .seed = seed};
    struct seen plain = {0}, other;
    kin_program_make(&k, seed, seven);
    bool built = build(&x, &k, d);
    if (!built && !strstr(diag_first(d), "lanes")) /* no room beside fixed VRFs */
        fail_msg("program %llu: %s\n%s", (unsigned long long)seed, diag_first(d),
                 str_text(&k.text));
    for (int way = PLAIN; built && way < WAYS; way++) {
        run(&x, way, way == PLAIN ? &plain : &other);
        if (way == PLAIN)
            continue;
        compare(&x, &k, way, &plain, &other);
        str_free(&other.state);
    }
    if (built) {
        note(b, &x, &k, &plain);
        if (x.p->rounds == 1)
            check_count(&x, &k, &plain);
    }
    str_free(&plain.state);
    package_free(x.p);
    object_free(x.o);
    kin_program_free(&k);
    diag_free(d);
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
    *b = (struct bench){.on = target_bench_open(name, small, sizeof small / sizeof *small)};
    b->row_bits = slot_target_of(b->on.target)->row_bits;
}

static void random_on(const char *name, const char *set, bool shorter, const char *match_bits,
                      uint64_t first, uint64_t count) {
    struct bench b;
    open_bench(&b, name, set, shorter ? "256" : "512", shorter ? "4" : "8", match_bits);
    for (uint64_t seed = first; seed < first + count; seed++)
        one_program(&b, seed, seed % 10 == 0);
    assert_true(b.built > count * 2 / 3);
    assert_true(b.shared && b.with_rounds && b.with_fixed && b.several_mpus);
    assert_true(b.split && b.loaded && !b.missed);
    assert_int_equal(b.two_rows > 0, shorter); /* fixed VRFs of 8 lanes of 64 bits */
    target_bench_close(&b.on);
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
