/* SPDX-License-Identifier: MIT
 * Rounds in packages: which slices a program gets, what each round holds, what is refused, and
 * what a reader accepts. */
#include "fixture.h"

#include "linker/package/package_format.h"
#include "support/bits.h"
#include "support/file.h"

/* A program with groups and nothing that looks at several elements. */
static struct object *elementwise(const uint64_t *elements, size_t groups) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct object *o = make_program();
    for (size_t g = 0; g < groups; g++)
        add_group(o, names[g], elements[g]);
    for (size_t g = 0; g < groups; g++) {
        add_insn(o, (struct insn){.op = OP_COMPUTEG, .imm = (int32_t)g});
        add_insn(o, (struct insn){.op = OP_ADD, .width = 9, .rs = 5, .rt = 8, .rd = 1});
        add_op(o, OP_COMPUTE_DONE);
    }
    return o;
}

static uint32_t leader_of(const struct object *o, uint32_t g) {
    while (o->groups.data[g].like != NO_INDEX)
        g = o->groups.data[g].like;
    return g;
}

/* Who holds each VRF in a round (leader + 1), and which element its first lane has. */
struct holder {
    uint32_t leader;
    uint64_t first;
};

/* One round: within the machine, every VRF held by one family at one place, groups at the start of
 * a row, and lanes filled from the first on.  Counts each element that it meets. */
static void check_round(const struct package *p, const struct object *o, uint64_t r,
                        uint32_t *const *met) {
    struct arena arena = {0};
    struct package view = package_round(p, o, r, &arena);
    size_t per = (size_t)p->vrf_per_rfh * p->rfh_per_mpu;
    struct holder *held = xcalloc(per * p->mpus, sizeof *held);
    uint32_t group = NO_INDEX;
    for (size_t i = 0; i < view.placement_count; i++) {
        const struct placement *x = &view.placements[i];
        size_t v = x->mpu * per + (size_t)x->vrf * p->rfh_per_mpu + x->rfh;
        assert_true(x->mpu < p->mpus && x->rfh < p->rfh_per_mpu && x->vrf < p->vrf_per_rfh);
        assert_true(x->count >= 1 && x->count <= p->lanes);
        assert_true(x->first + x->count <= package_group_elements(p, o, x->group));
        assert_true(group == NO_INDEX || x->group >= group);
        assert_true(x->group == group || x->rfh == 0);
        group = x->group;
        struct holder *h = &held[v];
        assert_true(!h->leader || (h->leader == leader_of(o, group) + 1 && h->first == x->first));
        *h = (struct holder){leader_of(o, group) + 1, x->first};
        for (uint32_t k = 0; k < x->count; k++)
            met[group][x->first + k]++;
    }
    free(held);
    arena_free(&arena);
}

/* Every element of every group in one round, and in one VRF of it. */
static void check_rounds(const struct package *p, const struct object *o) {
    uint32_t **met = xcalloc(o->groups.len, sizeof(uint32_t *));
    for (uint32_t g = 0; g < o->groups.len; g++)
        met[g] = xcalloc(package_group_elements(p, o, g), sizeof **met);
    for (uint64_t r = 0; r < p->rounds; r++)
        check_round(p, o, r, met);
    for (uint32_t g = 0; g < o->groups.len; g++) {
        for (uint64_t e = 0; e < package_group_elements(p, o, g); e++)
            assert_int_equal(met[g][e], 1);
        free(met[g]);
    }
    free(met);
}

/* VRF rows that one round of `rounds` would need; the machine's rows are the MPUs times the VRFs of
 * an RFH. */
static uint64_t rows_needed(const struct object *o, const struct target *t, uint64_t rounds) {
    uint64_t rows = 0, row = (uint64_t)t->lanes * t->rfh_per_mpu, most[5] = {0};
    for (uint32_t g = 0; g < o->groups.len; g++) {
        uint64_t n = o->groups.data[g].extent[0].value, *m = &most[leader_of(o, g)];
        *m = n > *m ? n : *m;
    }
    for (uint32_t g = 0; g < o->groups.len; g++)
        rows += ceil_div(ceil_div(most[g], row), rounds);
    return rows;
}

static void check_bytes(const struct package *p, const struct object *o) {
    struct diag *d = diag_new(NULL, NULL);
    struct str bytes = {0}, again = {0};
    package_write(p, &bytes);
    struct package *q = package_read(o, bytes.text, bytes.len, d);
    assert_non_null(q);
    assert_int_equal(q->rounds, p->rounds);
    package_write(q, &again);
    assert_int_equal(bytes.len, again.len);
    assert_memory_equal(bytes.text, again.text, bytes.len);
    str_free(&bytes);
    str_free(&again);
    package_free(q);
    diag_free(d);
}

/* Random groups on small machines: all elements in the least number of rounds. */
static void random_groups_are_cut(void **state) {
    (void)state;
    uint64_t seed = 17, with_rounds = 0;
    for (unsigned n = 0; n < 600; n++) {
        struct target t = make_target(
            1 + (uint32_t)(splitmix64(&seed) % 9), 1 + (uint32_t)(splitmix64(&seed) % 4),
            1 + (uint32_t)(splitmix64(&seed) % 3), 1 + (uint32_t)(splitmix64(&seed) % 3));
        uint64_t elements[5], rows = (uint64_t)t.vrf_per_rfh * t.mpus;
        size_t groups = 1 + splitmix64(&seed) % 5;
        for (size_t g = 0; g < groups; g++)
            elements[g] = 1 + splitmix64(&seed) % 300;
        struct object *o = elementwise(elements, groups);
        for (uint32_t g = 1; g < groups; g++)
            if (splitmix64(&seed) % 3 == 0)
                o->groups.data[g].like = (uint32_t)(splitmix64(&seed) % g);
        struct diag *d = diag_new(NULL, NULL);
        struct package *p = pack(o, &t, d);
        if (p) {
            with_rounds += p->rounds > 1;
            assert_int_equal(p->slices != NULL, p->rounds > 1);
            assert_true(rows_needed(o, &t, p->rounds) <= rows);
            assert_true(p->rounds == 1 || rows_needed(o, &t, p->rounds - 1) > rows);
            check_rounds(p, o);
            check_bytes(p, o);
        } else {
            assert_true(rows_needed(o, &t, 1000) > rows);
            assert_error(d, "needs");
        }
        package_free(p);
        diag_free(d);
        object_free(o);
    }
    assert_true(with_rounds > 200);
}

/* Two rows a machine: 3 MPUs of one row each, 100 elements in each MPU of a grid of 2. */
static void groups_per_mpu_are_cut_in_each(void **state) {
    (void)state;
    const uint64_t elements[] = {100, 7};
    struct target t = make_target(8, 1, 2, 3);
    struct object *o = elementwise(elements, 2);
    struct diag *d = diag_new(NULL, NULL);
    o->geometry.grid_dims = 1;
    o->geometry.grid[0] = 2;
    o->groups.data[0].per_mpu = true;
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    assert_int_equal(p->rounds, 7); /* 16 lanes a row: 6 times 16 and 4 */
    assert_int_equal(p->slices[0], 16);
    assert_int_equal(p->slices[1], 16);
    assert_int_equal(package_group_elements(p, o, 0), 200);
    check_rounds(p, o);
    check_bytes(p, o);
    struct arena arena = {0};
    struct package last = package_round(p, o, 6, &arena);
    assert_int_equal(last.placement_count, 2);
    assert_int_equal(last.placements[1].mpu, 1);
    assert_int_equal(last.placements[1].first, 196);
    assert_int_equal(last.placements[1].count, 4);
    arena_free(&arena);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* ---- refusals ---- */

/* All messages with their notes. */
static void collect(void *context, const struct diag *d, const struct message *m) {
    (void)d;
    str_printf(context, "%s\n", m->text);
    for (size_t i = 0; i < m->note_count; i++)
        str_printf(context, "%s\n", m->notes[i].text);
}

/* The error is about the group, and a note says what stands in the way. */
static void refused_for(struct object *o, const char *why) {
    const struct target t = make_target(8, 4, 2, 2);
    struct str text = {0};
    struct diag *d = diag_new(collect, &text);
    assert_null(pack(o, &t, d));
    diag_flush(d);
    assert_non_null(strstr(str_text(&text), "group 'a' needs 1000 lanes; target 'toy' has 128 "));
    if (!strstr(str_text(&text), why))
        fail_msg("expected '%s' in '%s'", why, str_text(&text));
    diag_free(d);
    str_free(&text);
    object_free(o);
}

static void what_meets_other_elements_is_named(void **state) {
    (void)state;
    static const struct {
        struct insn insn;
        const char *why;
    } cases[] = {
        {{.op = OP_JUMP_ANY}, "JUMP_ANY (instruction 3) asks about all elements at once"},
        {{.op = OP_SEND}, "SEND (instruction 3) exchanges elements"},
        {{.op = OP_RECV}, "RECV (instruction 3) exchanges elements"},
        {{.op = OP_MOVE}, "MOVE (instruction 3) works on fixed VRFs"},
    };
    const uint64_t elements[] = {1000};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct object *o = elementwise(elements, 1);
        add_insn(o, cases[i].insn);
        refused_for(o, cases[i].why);
    }
    struct object *o = elementwise(elements, 1);
    add_insn(o, (struct insn){.op = OP_GMOVE});
    struct move m = {.name = "shift",
                     .dst_group = 0,
                     .src_group = 0,
                     .dst_reg = 1,
                     .width = 8,
                     .dst_count = 1,
                     .src_count = 1,
                     .place = NOWHERE};
    m.source[0] = (struct move_affine){.coeff = {1}, .offset = 1, .size = NO_INDEX};
    vec_push(&o->moves, m);
    refused_for(o, "GMOVE shift (instruction 3) exchanges elements");
}

static void fixed_groups_are_named(void **state) {
    (void)state;
    const uint64_t elements[] = {1000, 5};
    struct object *o = elementwise(elements, 2);
    o->groups.data[1].at_rfh = 0;
    o->groups.data[1].at_vrf = 0;
    o->geometry.lanes = 8;
    refused_for(o, "group 'b' is fixed at a place");
}

static void rows_may_be_too_few_for_the_groups(void **state) {
    (void)state;
    const uint64_t elements[] = {1000, 1, 1, 1, 1};
    const struct target t = make_target(8, 4, 2, 1);
    struct object *o = elementwise(elements, 5);
    struct diag *d = diag_new(NULL, NULL);
    assert_null(pack(o, &t, d));
    assert_error(d, "group 'a' needs 1000 lanes");
    diag_free(d);
    object_free(o);
}

/* A move that no GMOVE asks for does not matter. */
static void unused_moves_do_no_harm(void **state) {
    (void)state;
    const uint64_t elements[] = {1000};
    const struct target t = make_target(8, 4, 2, 2);
    struct object *o = elementwise(elements, 1);
    struct diag *d = diag_new(NULL, NULL);
    struct move m = {.name = "shift",
                     .dst_group = 0,
                     .src_group = 0,
                     .dst_reg = 1,
                     .width = 8,
                     .dst_count = 1,
                     .src_count = 1,
                     .place = NOWHERE};
    m.source[0] = (struct move_affine){.coeff = {1}, .offset = 1, .size = NO_INDEX};
    vec_push(&o->moves, m);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    struct str map = {0};
    package_print_map(p, o, &t, &map);
    assert_non_null(strstr(map.text, "rounds 8"));
    str_free(&map);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* ---- forged bytes ---- */

static void renew_digest(struct str *s) {
    char digest[65];
    sha256_hex(s->text + PACKAGE_HEADER, s->len - PACKAGE_HEADER, digest);
    memcpy(s->text + PACKAGE_HEADER - PACKAGE_DIGEST, digest, PACKAGE_DIGEST);
}

/* Where the rounds begin: behind name, hashes, machine, the lists of no sizes and no values, that
 * of the lanes of three groups, and who finishes no reductions. */
#define ROUNDS_AT (PACKAGE_HEADER + 4 + 3 + 128 + 24 + 4 + 4 + 4 + 3 * 4 + 8)

/* Whatever a reader accepts has each element once. */
static void forged_rounds_stay_in_bounds(void **state) {
    (void)state;
    const uint64_t elements[] = {1000, 90, 333};
    const struct target t = make_target(8, 4, 2, 2);
    struct object *o = elementwise(elements, 3);
    struct diag *d = diag_new(NULL, NULL);
    o->groups.data[2].like = 0;
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    struct str bytes = {0};
    package_write(p, &bytes);
    size_t fields = 8 + 4 + 3 * 8;
    assert_int_equal((unsigned char)bytes.text[ROUNDS_AT], p->rounds);
    assert_int_equal((unsigned char)bytes.text[ROUNDS_AT + 8], 3);
    uint64_t seed = 23;
    unsigned accepted = 0;
    for (unsigned n = 0; n < 6000; n++) {
        struct diag *quiet = diag_new(NULL, NULL);
        struct str forged = {0};
        str_append_n(&forged, bytes.text, bytes.len);
        for (unsigned k = 0; k <= n % 3; k++) {
            size_t at = ROUNDS_AT + splitmix64(&seed) % fields;
            forged.text[at] = (char)(splitmix64(&seed) & (k ? 0xff : 0x3f));
        }
        renew_digest(&forged);
        struct package *q = package_read(o, forged.text, forged.len, quiet);
        if (q && q->rounds < 10000)
            check_rounds(q, o);
        accepted += q != NULL;
        assert_true(q || diag_errors(quiet) > 0);
        package_free(q);
        str_free(&forged);
        diag_free(quiet);
    }
    assert_true(accepted > 0); /* where a byte got the value that it had */
    str_free(&bytes);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* Every round of whatever a reader accepts, with bytes changed anywhere: within the machine, and
 * elements of the group. */
static void forged_packages_stay_in_bounds(void **state) {
    (void)state;
    const uint64_t elements[] = {1000, 90, 333};
    const struct target t = make_target(8, 4, 2, 2);
    struct object *o = elementwise(elements, 3);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    struct str bytes = {0};
    package_write(p, &bytes);
    uint64_t seed = 29;
    unsigned accepted = 0;
    for (unsigned n = 0; n < 6000; n++) {
        struct diag *quiet = diag_new(NULL, NULL);
        struct str forged = {0};
        str_append_n(&forged, bytes.text, bytes.len);
        size_t at = ROUNDS_AT + splitmix64(&seed) % (bytes.len - ROUNDS_AT);
        forged.text[at] = (char)(splitmix64(&seed) >> 8);
        renew_digest(&forged);
        struct package *q = package_read(o, forged.text, forged.len, quiet);
        for (uint64_t r = 0; q && r < q->rounds && r < 100; r++) {
            struct arena arena = {0};
            struct package view = package_round(q, o, r, &arena);
            for (size_t i = 0; i < view.placement_count; i++) {
                const struct placement *x = &view.placements[i];
                assert_true(x->mpu < q->mpus && x->rfh < q->rfh_per_mpu);
                assert_true(x->vrf < q->vrf_per_rfh && x->count >= 1 && x->count <= q->lanes);
                assert_true(x->first + x->count <= package_group_elements(q, o, x->group));
            }
            arena_free(&arena);
        }
        accepted += q != NULL;
        package_free(q);
        str_free(&forged);
        diag_free(quiet);
    }
    assert_true(accepted > 0);
    str_free(&bytes);
    package_free(p);
    diag_free(d);
    object_free(o);
}

/* Slices that would fit each other, of a program that must not be cut. */
static void a_program_that_exchanges_is_not_cut_by_its_package(void **state) {
    (void)state;
    const uint64_t elements[] = {1000};
    const struct target t = make_target(8, 4, 2, 2);
    struct object *o = elementwise(elements, 1);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, &t, d);
    assert_non_null(p);
    struct str bytes = {0};
    package_write(p, &bytes);
    add_op(o, OP_JUMP_ANY);
    assert_null(package_read(o, bytes.text, bytes.len, d));
    assert_error(d, "it cuts a program into rounds that cannot run in rounds");
    str_free(&bytes);
    package_free(p);
    diag_free(d);
    object_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_groups_are_cut),
        cmocka_unit_test(groups_per_mpu_are_cut_in_each),
        cmocka_unit_test(what_meets_other_elements_is_named),
        cmocka_unit_test(fixed_groups_are_named),
        cmocka_unit_test(rows_may_be_too_few_for_the_groups),
        cmocka_unit_test(unused_moves_do_no_harm),
        cmocka_unit_test(forged_rounds_stay_in_bounds),
        cmocka_unit_test(forged_packages_stay_in_bounds),
        cmocka_unit_test(a_program_that_exchanges_is_not_cut_by_its_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
