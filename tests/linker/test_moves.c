/* SPDX-License-Identifier: MIT
 * Plans of moves: how many pieces and copies they are, what is refused, what map files say, and
 * what a damaged package can do. */
#include "sources.h"

#include "linker/package/package_format.h"
#include "support/bits.h"
#include "support/file.h"

static struct object *program(const char *text) {
    return link_ok(&text, 1, NULL);
}

/* Groups of 64 lanes a VRF, 8 RFHs of 64 VRFs an MPU, unless the test says otherwise. */
static struct target usual(void) {
    return make_target(64, 64, 8, 497);
}

static struct package *packed(const struct object *o, const struct target *t) {
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return p;
}

/* The only move of the text comes to so many pieces and copies, and costs so many registers. */
static void expect_plan(const char *text, const struct target *t, size_t pieces, size_t copies,
                        uint64_t registers) {
    struct object *o = program(text);
    struct package *p = packed(o, t);
    struct arena arena = {0};
    struct move_work w;
    const char *problem;
    uint64_t sum = 0;
    assert_int_equal(p->plan_count, 1);
    assert_true(package_move_work(p, o, 0, NULL, t, &arena, &w, &problem));
    for (size_t i = 0; i < w.charge_count; i++)
        sum += w.charges[i].registers;
    assert_int_equal(p->plans[0].piece_count, pieces);
    assert_int_equal(w.copy_count, copies);
    assert_int_equal(sum, registers);
    arena_free(&arena);
    package_free(p);
    object_free(o);
}

static void plans_are_small(void **state) {
    (void)state;
    struct target t = usual();
    /* A whole array, whatever its dimensions, is one progression. */
    expect_plan(".group g[10, 20, 30]\n.move m u8 @g r1[i, j, k] = @g r2[i, j, k]\nGMOVE m\n", &t,
                1, 94, 94);
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[i - 1]\nGMOVE m\n", &t, 1, 31, 16);
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[i - 1] else 9\nGMOVE m\n", &t, 2, 32,
                16);
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[i - 1] wrap\nGMOVE m\n", &t, 2, 32,
                16);
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[999 - i]\nGMOVE m\n", &t, 1, 31, 16);
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[7]\nGMOVE m\n", &t, 1, 16, 16);
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[5000 + i]\nGMOVE m\n", &t, 0, 0, 0);
    expect_plan(".group g[100]\n.move m u8 @g r1[i: 40 .. 40] = @g r2[i]\nGMOVE m\n", &t, 0, 0, 0);
    /* A short array over a long one: so often, and what is left of the last time. */
    expect_plan(".group g[1000]\n.group h[7]\n.move m u8 @g r1[i] = @h r2[i + 3] wrap\nGMOVE m\n",
                &t, 4, 114, 16);
    /* Runs along the long coordinate, every second lane: two for each VRF. */
    expect_plan(".group g[100000, 2]\n.move m u8 @g r1[i, j] = @g r2[i, 1 - j]\nGMOVE m\n", &t, 1,
                6250, 3125);
    /* Every register of a broadcast comes from one. */
    expect_plan(".group g[100]\n.move m u8 r1 = @g r2[7]\nGMOVE m\n", &t, 1, 2, 2);
    /* A transposition between 64 lanes and 64 registers: each is read once and written once. */
    expect_plan(".group g[32]\n.move m u8 @g r0 .. r31[i, k] = @g r32 .. r63[k, i]\nGMOVE m\n", &t,
                1, 1024, 32);
    t.buffer_registers = 1;
    expect_plan(".group g[32]\n.move m u8 @g r0 .. r31[i, k] = @g r32 .. r63[k, i]\nGMOVE m\n", &t,
                1, 1024, 1024);
}

static void large_plans_are_not_by_element(void **state) {
    (void)state;
    struct target t = usual();
    expect_plan(".group g[10000000]\n.move m u32 @g r1[i] = @g r1[i + 1] wrap\nGMOVE m\n", &t, 2,
                312500, 158692);
    /* Round a short array by a step that does not divide it: every second time the same. */
    expect_plan(
        ".group g[1000000]\n.group h[3]\n.move m u8 @g r1[i] = @h r2[2 * i] wrap\nGMOVE m\n", &t, 3,
        46876, 15625);
    expect_plan(".group g[1000, 1000]\n.move m u32 @g r1[i, j] = @g r1[j, i]\nGMOVE m\n", &t, 1,
                1000000, 256522);
}

static void expect_refusal(const char *text, const struct target *t, const char *error) {
    struct object *o = program(text);
    struct diag *d = diag_new(NULL, NULL);
    assert_null(pack(o, t, d));
    assert_error(d, error);
    assert_int_equal(diag_errors(d), 1);
    diag_free(d);
    object_free(o);
}

static void moves_are_refused_by_name(void **state) {
    (void)state;
    struct target t = usual();
    expect_refusal(".group g[10]\n.move m u8 @g r1[i: 0 .. 11] = @g r2[i]\nGMOVE m\n", &t,
                   "a.s:2:7: move 'm' cannot be carried out: its range 0 .. 11 of "
                   "coordinate 1 leaves its extent, 10");
    expect_refusal(
        ".size n = 4\n.group g[10, n]\n.move m u8 @g r1[i, j: n - 5 .. n] = @g r2[i, j]\n"
        "GMOVE m\n",
        &t, "its range -1 .. 4 of coordinate 2 leaves its extent, 4");
    /* Two short extents that are wrapped out of step: some 0.4 pieces for each of 15 M elements. */
    expect_refusal(".group g[3000, 5000]\n.group h[7, 5]\n"
                   ".move m u8 @g r1[i, j] = @h r2[i + j, 3 * i + 2 * j] wrap\nGMOVE m\n",
                   &t,
                   "a.s:3:7: move 'm' cannot be carried out: its coordinates fall into more than ");
    t.buffer_registers = 0;
    expect_refusal(".group g[10]\n.move m u8 @g r1[i] = @g r2[i + 1]\nGMOVE m\n", &t,
                   "move 'm' needs the buffer of the data-transfer controller, which target 'toy' "
                   "does not have (dtc.buffer_registers is 0)");
    expect_plan(".group g[1000]\n.move m u8 @g r1[i] = @g r2[i]\nGMOVE m\n", &t, 1, 16, 16);
}

static const char several[] = ".size n = 100\n"
                              ".group g[n]\n"
                              ".group h[20, 5] like g\n"
                              ".move shift u8 @g r1[i] = @g r1[i - 1] wrap\n"
                              ".move fill u8 @h r2 .. r4[i, j, k] = @g r1[i + k] else 7\n"
                              ".move all u8 r5 = @h r2[19, 4]\n"
                              ".move back u8 @g r6[i: 1 .. n] = @h r2[3 * i - n, 0]\n"
                              ".move take u8 @h r7 .. r8[i, j, k] = @g r2[@h r9: i7[i, j]] else 3\n"
                              ".move put u8 @h r2[i, @h r9: i7[i, j]] = @h r3[i, j] clip\n"
                              "GMOVE shift\nGMOVE fill\nGMOVE all\nGMOVE back\nGMOVE take\n"
                              "GMOVE put\n";

static void map_files_show_moves(void **state) {
    (void)state;
    struct target t = usual();
    struct object *o = program(several);
    struct package *p = packed(o, &t);
    struct str text = {0};
    package_print_map(p, o, &t, &text);
    static const char *const parts[] = {
        "  move shift: pieces 2, copies 4, registers 2, MPUs 1\n",
        "    RFH0.VRF0 r1 lanes 1 .. 63 = RFH0.VRF0 r1 lanes 0 .. 62\n",
        "    RFH0.VRF0 r1 lane 0 = RFH1.VRF0 r1 lane 35\n",
        "  move take: pieces 1, registers 4 if each index names its own place, MPUs 1\n",
        "    RFH0.VRF0 r5 lanes 0 .. 63 = RFH1.VRF0 r2 lane 35\n",
        "    RFH0.VRF0 r6 lanes 34 .. 37 = RFH0.VRF0 r2 lanes 10, 25 .. 55\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text.text, parts[i]))
            fail_msg("'%s' is not in\n%s", parts[i], text.text);
    str_free(&text);
    package_free(p);
    object_free(o);
}

/* Copies of an accepted package stay within the lanes that it gives the groups. */
static void assert_copies_inside(const struct package *p, const struct object *o,
                                 const struct target *t) {
    uint32_t vrfs = p->mpus * p->vrf_per_rfh * p->rfh_per_mpu;
    for (uint32_t i = 0; i < p->plan_count; i++) {
        struct arena arena = {0};
        struct move_work w;
        const char *problem;
        bool fine = package_move_work(p, o, i, NULL, t, &arena, &w, &problem);
        assert_true(fine || problem);
        for (size_t k = 0; fine && k < w.copy_count; k++) {
            const struct move_copy *c = &w.copies[k];
            int64_t dst = c->dst_lane + (int64_t)(c->count - 1) * c->dst_step;
            int64_t src = c->src_lane + (int64_t)(c->count - 1) * c->src_step;
            assert_true(c->count >= 1 && c->dst_vrf < vrfs && c->src_vrf < vrfs);
            assert_true(c->dst_lane < p->lanes && dst >= 0 && dst < p->lanes);
            assert_true(c->src_lane < p->lanes && src >= 0 && src < p->lanes);
            assert_true(c->dst_reg < 64 && c->src_reg < 64);
        }
        arena_free(&arena);
    }
}

/* ---- part after part ---- */

struct lane_pair {
    uint32_t dst_vrf, dst_reg, dst_lane, src_vrf, src_reg, src_lane;
};

struct lane_pairs {
    VEC(struct lane_pair) list;
};

static int by_bytes(const void *x, const void *y) {
    return memcmp(x, y, sizeof(struct lane_pair));
}

static void add_lanes(const struct move_copy *c, struct lane_pairs *out) {
    for (uint32_t i = 0; i < c->count; i++) {
        struct lane_pair x = {c->dst_vrf, c->dst_reg, c->dst_lane + i * (uint32_t)c->dst_step,
                              0,          0,          0};
        if (!c->fill) {
            x.src_vrf = c->src_vrf;
            x.src_reg = c->src_reg;
            x.src_lane = c->src_lane + i * (uint32_t)c->src_step;
        }
        vec_push(&out->list, x);
    }
}

/* All lanes that a move copies, in some order; its parts go round twice. */
static struct lane_pairs lanes_of(const struct move_work *w) {
    struct lane_pairs all = {0};
    struct move_part part = {0};
    uint64_t copies = 0;
    while (package_move_next_part(w, &part))
        copies += part.count;
    assert_true(copies == w->copy_count);
    while (package_move_next_part(w, &part))
        for (size_t i = 0; i < part.count; i++)
            add_lanes(&part.copies[i], &all);
    qsort(all.list.data, all.list.len, sizeof *all.list.data, by_bytes);
    return all;
}

static void assert_same_charges(const struct move_work *a, const struct move_work *b) {
    assert_int_equal(a->charge_count, b->charge_count);
    for (size_t i = 0; i < a->charge_count; i++) {
        assert_int_equal(a->charges[i].mpu, b->charges[i].mpu);
        assert_int_equal(a->charges[i].registers, b->charges[i].registers);
        assert_int_equal(a->charges[i].in_a_row, b->charges[i].in_a_row);
    }
    assert_int_equal(a->mpu_count, b->mpu_count);
    assert_memory_equal(a->mpus, b->mpus, a->mpu_count * sizeof *a->mpus);
    assert_int_equal(a->maps_lanes, b->maps_lanes);
}

static void assert_same_work(const struct move_work *a, const struct move_work *b) {
    struct lane_pairs x = lanes_of(a), y = lanes_of(b);
    assert_same_charges(a, b);
    assert_int_equal(x.list.len, y.list.len);
    assert_memory_equal(x.list.data, y.list.data, x.list.len * sizeof *x.list.data);
    vec_free(&x.list);
    vec_free(&y.list);
}

/* The move of the text, kept and in parts of so many elements, is the same. */
static void expect_parts(const char *text, const struct target *t, uint64_t elements) {
    const struct move_limits narrow = {3, elements};
    struct object *o = program(text);
    struct package *p = packed(o, t);
    struct arena arena = {0};
    struct move_work all, parts;
    const char *problem;
    assert_true(package_move_work(p, o, 0, NULL, t, &arena, &all, &problem));
    assert_true(package_move_work_within(p, o, 0, NULL, t, &narrow, &arena, &parts, &problem));
    assert_non_null(all.copies);
    assert_non_null(parts.walk);
    assert_same_work(&all, &parts);
    arena_free(&arena);
    package_free(p);
    object_free(o);
}

static void parts_are_the_whole(void **state) {
    static const char *const texts[] = {
        ".group g[40, 50]\n.move m u8 @g r1[i, j] = @g r1[j, i]\nGMOVE m\n",
        ".group g[20, 7, 9]\n.move m u8 @g r1[i, j, k] = @g r2[19 - i, k - 1, j + 1] else 7\n"
        "GMOVE m\n",
        ".group g[2000]\n.group h[7]\n.move m u8 @g r1[i] = @h r2[3 * i + 1] wrap\nGMOVE m\n",
        ".group g[2000]\n.move m u8 @g r1[1999 - 3 * i] = @g r2[i]\nGMOVE m\n",
        ".group g[300]\n.move m u8 @g r0 .. r31[i, k] = @g r32 .. r63[k, i]\nGMOVE m\n",
        ".group g[300]\n.group h[900]\n.move m u8 r0 .. r3[k] = @g r4[5 * k]\nGMOVE m\n",
        ".group g[900]\n.move m u8 r0 .. r3[k] = r4 .. r5[k]\nGMOVE m\n",
        ".geometry lanes=64, vrfs=64, rfhs=8, grid=[4]\n.group g[70] per mpu\n"
        ".move m u8 @g r1[m, i] = @g r2[3 - m, 69 - i]\nGMOVE m\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (uint64_t elements = 1; elements < 1000; elements = elements * 5 + 1) {
            struct target t = usual();
            expect_parts(texts[i], &t, elements);
            t.network = NETWORK_P2P;
            t.buffer_registers = 3;
            expect_parts(texts[i], &t, elements);
        }
}

static void renew_digest(struct str *s) {
    char digest[65];
    sha256_hex(s->text + PACKAGE_HEADER, s->len - PACKAGE_HEADER, digest);
    memcpy(s->text + PACKAGE_HEADER - PACKAGE_DIGEST, digest, PACKAGE_DIGEST);
}

/* Each byte changed in turn, and the digest made again. */
static void forged_plans_are_refused(void **state) {
    (void)state;
    struct target t = usual();
    struct object *o = program(several);
    struct package *p = packed(o, &t);
    struct str bytes = {0};
    unsigned refused = 0;
    package_write(p, &bytes);
    for (size_t i = PACKAGE_HEADER; i < bytes.len; i++) {
        struct diag *d = diag_new(NULL, NULL);
        char was = bytes.text[i];
        bytes.text[i] = (char)(was ^ (1 << i % 8));
        renew_digest(&bytes);
        struct package *q = package_read(o, bytes.text, bytes.len, d);
        if (q)
            assert_copies_inside(q, o, &t);
        else if (!diag_warnings(d)) /* code of another version: -Wstale-package */
            assert_error(d, "the package cannot be used");
        const char *why = diag_first(d);
        refused += why && strstr(why, "move") != NULL;
        bytes.text[i] = was;
        package_free(q);
        diag_free(d);
    }
    assert_true(refused > 300); /* bytes of the plans */
    str_free(&bytes);
    package_free(p);
    object_free(o);
}

static void moves_of_several_objects(void **state) {
    (void)state;
    static const char *const same[] = {
        ".group g[10]\n.move m u8 @g r1[i] = @g r2[i + 1]\nGMOVE m\n",
        ".size n = 3\n.group h[n]\n.group g[10]\n.move x u8 @h r1[i] = @g r2[n * 2 - i]\n"
        ".move m u8 @g r1[i] = @g r2[1 + i]\nGMOVE m\nGMOVE x\n"};
    static const char *const other[] = {
        ".group g[10]\n.move m u8 @g r1[i] = @g r2[i + 1]\nGMOVE m\n",
        ".group g[10]\n.move m u8 @g r1[i] = @g r2[i + 2]\nGMOVE m\n"};
    struct object *o = link_ok(same, 2, NULL);
    assert_int_equal(o->moves.len, 2);
    assert_int_equal(insn_at(o, 0).imm, 0);
    assert_int_equal(insn_at(o, 1).imm, 0);
    assert_int_equal(insn_at(o, 2).imm, 1);
    assert_int_equal(o->moves.data[1].dst_group, object_find_group(o, "h"));
    object_free(o);
    assert_link_error(other, 2, "move 'm' is declared differently in b.s than before");
}

/* What only a dropped subroutine moves is dropped with it. */
static void unused_moves_are_dropped(void **state) {
    (void)state;
    static const char *const text[] = {".group g[10]\n"
                                       ".move a u8 @g r1[i] = @g r2[i + 1]\n"
                                       ".move b u8 @g r1[i] = @g r2[i + 2]\n"
                                       ".move c u8 @g r1[i] = @g r2[i + 3]\n"
                                       ".global main\n"
                                       "main: GMOVE c\nJUMP t\nHALT\n"
                                       ".sub s\nGMOVE a\nRETURN\n.endsub\n"
                                       ".sub t\nGMOVE b\nRETURN\n.endsub\n"};
    const struct link_options collect = {.gc_sections = true};
    struct object *o = link_ok(text, 1, &collect);
    assert_int_equal(o->moves.len, 2);
    assert_string_equal(o->moves.data[0].name, "b");
    assert_string_equal(o->moves.data[1].name, "c");
    assert_int_equal(insn_at(o, 0).imm, 1);
    assert_int_equal(insn_at(o, 3).imm, 0);
    object_free(o);
    o = link_ok(text, 1, NULL);
    assert_int_equal(o->moves.len, 3);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_small),
        cmocka_unit_test(large_plans_are_not_by_element),
        cmocka_unit_test(moves_are_refused_by_name),
        cmocka_unit_test(map_files_show_moves),
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(forged_plans_are_refused),
        cmocka_unit_test(moves_of_several_objects),
        cmocka_unit_test(unused_moves_are_dropped),
    };
    return cmocka_run_group_tests_name("plans of moves", tests, NULL, NULL);
}
