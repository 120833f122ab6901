/* SPDX-License-Identifier: MIT
 * What moves with an index come to under given indices: copies, and what the controllers are
 * charged for them, beside figures that were counted by hand. */
#include "sources.h"

#include "support/bits.h"

enum { LANES = 64 };

/* 64 lanes, 8 RFHs of 64 VRFs, one controller an MPU with a buffer of 8 registers. */
static struct target usual(void) {
    struct target t = make_target(LANES, 64, 8, 497);
    t.buffer_registers = 8;
    return t;
}

/* The index of element e of a group whose first VRF is row 0 of RFH 0. */
typedef uint64_t index_of(uint64_t e);

static void read_indices(void *context, uint32_t vrf, unsigned reg, uint32_t first, uint32_t count,
                         uint64_t *values) {
    index_of *const *f = context;
    (void)reg;
    for (uint32_t i = 0; i < count; i++)
        values[i] = (*f)((uint64_t)vrf * LANES + first + i);
}

static uint64_t own(uint64_t e) {
    return e;
}
static uint64_t zero(uint64_t e) {
    return e * 0;
}
static uint64_t back(uint64_t e) {
    return 1023 - e;
}
static uint64_t far_away(uint64_t e) {
    return e * 64 % 1024 + e / 16 % 64; /* 16 registers for each VRF */
}
static uint64_t minus_one(uint64_t e) {
    return e - e - 1;
}
static uint64_t pairs(uint64_t e) {
    return e / 2;
}

struct charged {
    uint64_t registers, index_registers, in_a_row, index_in_a_row;
    size_t copies, mpus;
};

static struct charged sum_of(const struct move_work *w) {
    struct charged x = {.copies = w->copy_count, .mpus = w->mpu_count};
    for (size_t i = 0; i < w->charge_count; i++) {
        x.registers += w->charges[i].registers;
        x.index_registers += w->charges[i].index_registers;
        x.in_a_row += w->charges[i].in_a_row;
        x.index_in_a_row += w->charges[i].index_in_a_row;
    }
    return x;
}

/* The first move of the text, under these indices (NULL: what is taken without). */
static struct charged work_of(const char *text, const struct target *t, index_of *f) {
    struct object *o = link_ok(&text, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, t, d);
    const struct move_indices indices = {&f, read_indices};
    struct arena arena = {0};
    struct move_work w;
    const char *problem;
    if (!p)
        fail_msg("%s", diag_first(d));
    assert_true(f ? package_move_indexed(p, o, 0, NULL, t, &indices, &arena, &w, &problem)
                  : package_move_work(p, o, 0, NULL, t, &arena, &w, &problem));
    assert_true(w.maps_lanes);
    struct charged x = sum_of(&w);
    arena_free(&arena);
    package_free(p);
    object_free(o);
    diag_free(d);
    return x;
}

static void expect(const char *text, index_of *f, uint64_t registers, uint64_t index_registers,
                   size_t copies) {
    struct target t = usual();
    struct charged x = work_of(text, &t, f);
    if (x.registers != registers || x.index_registers != index_registers || x.copies != copies)
        fail_msg("%s: %llu + %llu registers, %zu copies", text, (unsigned long long)x.registers,
                 (unsigned long long)x.index_registers, x.copies);
    assert_int_equal(x.in_a_row, registers);
    assert_int_equal(x.index_in_a_row, index_registers);
}

#define G ".group g[1024]\n"
static const char wide[] = G ".move m u32 @g r1[i] = @g r2[@g r3: u32[i]]\nGMOVE m\n";
static const char narrow[] = G ".move m u32 @g r1[i] = @g r2[@g r3: u16[i]]\nGMOVE m\n";
static const char itself[] = G ".move m u32 @g r1[i] = @g r2[@g r2: u32[i]]\nGMOVE m\n";
static const char itself_narrow[] = G ".move m u32 @g r1[i] = @g r2[@g r2: u16[i]]\nGMOVE m\n";
static const char itself_wide[] = G ".move m u16 @g r1[i] = @g r2[@g r2: u32[i]]\nGMOVE m\n";
static const char put[] = G ".move m u32 @g r1[@g r3: u16[i]] = @g r2[i]\nGMOVE m\n";

/* Sixteen registers are written, eight a buffer. */
static void gathers_are_charged_for_what_they_read(void **state) {
    (void)state;
    expect(wide, own, 32, 0, 16);
    expect(wide, back, 32, 0, 16);
    expect(narrow, own, 16, 16, 16);
    expect(narrow, zero, 2, 16, 16); /* of each buffer one register, eight of indices */
    expect(narrow, far_away, 32, 16, 1024);
    expect(narrow, pairs, 8, 16, 512); /* half as many are read */
    expect(wide, minus_one, 16, 0, 0); /* nothing lies there; eight are written, eight read */
    expect(itself, own, 16, 0, 16);
    expect(itself_narrow, own, 16, 0, 16);
    expect(itself_wide, own, 16, 0, 16); /* each is read once */
    expect(itself_wide, back, 16, 16, 16);
}

static void scatters_are_charged_for_what_they_write(void **state) {
    (void)state;
    expect(put, own, 16, 16, 16);
    expect(put, zero, 16, 16, 1); /* the last element alone arrives */
    expect(put, far_away, 32, 0, 1024);
    expect(put, minus_one, 16, 16, 0);
    expect(put, pairs, 16, 16, 16); /* of each pair the second, every other lane */
}

/* Without indices each names its own place: R(E) registers of data, and R(E) of indices. */
static void without_data_all_is_at_its_own_place(void **state) {
    (void)state;
    struct target t = usual();
    assert_int_equal(work_of(narrow, &t, NULL).registers, 16);
    assert_int_equal(work_of(narrow, &t, NULL).index_registers, 16);
    assert_int_equal(work_of(put, &t, NULL).registers, 16);
    /* Of an axis in lanes the own coordinate; of one in registers the register. */
    struct charged x = work_of(".group g[64, 16]\n.group h[16]\n"
                               ".move m u8 @g r1[i, j] = @g r2[i, @g r3: u8[i, j]]\nGMOVE m\n",
                               &t, NULL);
    assert_int_equal(x.registers, 32);
    x = work_of(".group g[64]\n.move m u8 @g r8 .. r15[i, c] = @g r16 .. r23[i, @g r3: u3[i]]\n"
                "GMOVE m\n",
                &t, NULL);
    assert_int_equal(x.registers, 8);
    assert_int_equal(x.index_registers, 1);
}

static void stations_work_side_by_side(void **state) {
    (void)state;
    struct target t = usual();
    t.network = NETWORK_P2P;
    struct charged x = work_of(narrow, &t, own);
    assert_int_equal(x.registers, 16);
    assert_int_equal(x.in_a_row, 2); /* two rows of eight RFHs */
    assert_int_equal(x.index_in_a_row, 2);
}

/* Near and far lie in two MPUs each, and all take part whatever the indices say. */
static void all_mpus_that_may_be_named_take_part(void **state) {
    (void)state;
    struct target t = usual();
    static const char text[] = ".group g[65536]\n.group h[65536]\n"
                               ".move m u8 @g r1[i: 0 .. 64] = @h r1[@g r3: u16[i]]\nGMOVE m\n";
    t.vrf_per_rfh = 64;
    assert_int_equal(work_of(text, &t, zero).mpus, 3);
    assert_int_equal(work_of(text, &t, minus_one).mpus, 3);
    static const char nothing[] = ".group g[64]\n"
                                  ".move m u8 @g r1[i: 3 .. 3] = @g r1[@g r3: u16[i]]\nGMOVE m\n";
    assert_int_equal(work_of(nothing, &t, zero).mpus, 0);
}

static void moves_without_a_buffer_are_refused(void **state) {
    (void)state;
    struct target t = usual();
    struct object *o = link_ok(&(const char *){wide}, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    t.buffer_registers = 0;
    assert_null(pack(o, &t, d));
    assert_error(d, "move 'm' needs the buffer of the data-transfer controller");
    diag_free(d);
    object_free(o);
}

static void one_move_has_one_meaning(void **state) {
    (void)state;
    static const char *const others[] = {
        G ".move m u32 @g r1[i] = @g r2[@g r4: u32[i]]\nGMOVE m\n",
        G ".move m u32 @g r1[i] = @g r2[@g r3: i32[i]]\nGMOVE m\n",
        G ".move m u32 @g r1[i] = @g r2[@g r3: u31[i]]\nGMOVE m\n",
        G ".move m u32 @g r1[i] = @g r2[@g r3: u32[i]] clip\nGMOVE m\n",
        G ".move m u32 @g r1[@g r3: u32[i]] = @g r2[i]\nGMOVE m\n",
        G ".move m u32 @g r1[i] = @g r2[i]\nGMOVE m\n",
    };
    const char *same[] = {wide, wide};
    struct object *o = link_ok(same, 2, NULL);
    assert_int_equal(o->moves.len, 1);
    object_free(o);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *texts[] = {wide, others[i]};
        assert_link_error(texts, 2, "move 'm' is declared differently in b.s");
    }
}

static void moves_are_kept_for_those_who_name_them(void **state) {
    (void)state;
    const struct link_options joins = {.relocatable = true}, drops = {.gc_sections = true};
    const char *text = G ".move unused u8 @g r1[i] = @g r2[i]\n"
                         ".move m u32 @g r1[@g r3: i17[i]] = @g r2[i] clip\nGMOVE m\n";
    struct object *o = link_ok(&text, 1, &drops);
    assert_int_equal(o->moves.len, 1);
    assert_int_equal(o->moves.data[0].index.kind, INDEX_SCATTER);
    object_free(o);
    const char *two[] = {".group before[3]\n.move first u8 @before r1[i] = @before r2[i]\n", text};
    o = link_ok(two, 2, &joins);
    assert_int_equal(o->moves.len, 3);
    assert_int_equal(o->moves.data[2].index.type.bits, 17);
    assert_int_equal(o->moves.data[2].src_group, 1);
    object_free(o);
}

static void sends_have_no_index(void **state) {
    (void)state;
    const char *text = ".geometry grid=[2]\n.group g[4] per mpu\n"
                       ".move m u8 @g r1[k, i] = @g r2[k, @g r3: u8[k, i]]\n"
                       "SEND MPU1\nGMOVE m\nSEND_DONE\n";
    assert_link_error(&text, 1, "move 'm' at instruction 1 has an index");
}

/* Indices are read with the bits of their type, wherever the register is used otherwise. */
static void registers_are_as_wide_as_indices(void **state) {
    (void)state;
    struct target t = usual();
    const char *text = G ".move m u8 @g r1 .. r2[i, c] = @g r5[@g r8 .. r9: u17[i, c]]\nGMOVE m\n";
    struct object *o = link_ok(&text, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, &t, d);
    assert_int_equal(p->reg_bits[1], 8);
    assert_int_equal(p->reg_bits[8], 17);
    assert_int_equal(p->reg_bits[9], 17);
    assert_int_equal(p->reg_bits[10], 0);
    package_free(p);
    diag_free(d);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers_are_charged_for_what_they_read),
        cmocka_unit_test(scatters_are_charged_for_what_they_write),
        cmocka_unit_test(without_data_all_is_at_its_own_place),
        cmocka_unit_test(stations_work_side_by_side),
        cmocka_unit_test(all_mpus_that_may_be_named_take_part),
        cmocka_unit_test(moves_without_a_buffer_are_refused),
        cmocka_unit_test(one_move_has_one_meaning),
        cmocka_unit_test(moves_are_kept_for_those_who_name_them),
        cmocka_unit_test(sends_have_no_index),
        cmocka_unit_test(registers_are_as_wide_as_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
