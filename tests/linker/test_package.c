/* SPDX-License-Identifier: MIT
 * Packages: sizes, register map, capacity, refusals, bytes and staleness. */
#include "fixture.h"

#include "linker/package/package_format.h"
#include "recipe/technology/where.h"
#include "support/bits.h"
#include "support/file.h"

/* COMPUTEG over g[n], a constant n - 1 in r5, an addition, a REPEAT n. */
static struct object *sized_program(void) {
    struct object *o = make_program();
    struct size_decl n = {.name = "n", .place = NOWHERE},
                     m = {.name = "m", .has_default = true, .value = 7, .place = NOWHERE};
    vec_push(&o->sizes, n);
    vec_push(&o->sizes, m);
    uint32_t g = add_group(o, "g", 1);
    o->groups.data[g].extent[0].size = 0;
    struct variable v = {.name = "x",
                         .direction = VAR_IN,
                         .type = {TYPE_UINT, 24},
                         .count = 2,
                         .has_k = true,
                         .group = g,
                         .reg = 8,
                         .place = NOWHERE};
    vec_push(&o->vars, v);
    add_insn(o, (struct insn){.op = OP_COMPUTEG});
    struct reloc relocs[] = {
        {1, RELOC_IMM12, 0, 0, -1}, {2, RELOC_IMM12, 1, 0, -1}, {3, RELOC_COUNT, 0, 1, 2}};
    for (size_t i = 0; i < 3; i++)
        vec_push(&o->relocs, relocs[i]);
    add_insn(o, (struct insn){.op = OP_LI, .width = 20, .rd = 5});
    add_insn(o, (struct insn){.op = OP_LIK1, .width = 20, .rd = 5});
    add_insn(o, (struct insn){.op = OP_REPEAT});
    add_insn(o, (struct insn){.op = OP_ADD, .width = 9, .rs = 5, .rt = 8, .rd = 1});
    add_op(o, OP_REPEAT_END);
    add_op(o, OP_COMPUTE_DONE);
    return o;
}

struct setting {
    struct object *o;
    struct target t;
    struct diag *d;
};

static struct setting open_setting(void) {
    return (struct setting){sized_program(), make_target(64, 64, 8, 497), diag_new(NULL, NULL)};
}

static void close_setting(struct setting *s) {
    object_free(s->o);
    diag_free(s->d);
}

static struct package *pack_sized(struct setting *s, uint64_t n) {
    struct size_binding b = {"n", n, NULL};
    return package_build(s->o, &s->t, toy_library(&s->t), &b, 1, s->d);
}

static struct insn decoded(uint32_t word) {
    struct insn i;
    assert_int_equal(isa_decode(word, &i), ISA_OK);
    return i;
}

static void sizes_patch_words(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct package *p = pack_sized(&s, 307200);
    assert_non_null(p);
    assert_int_equal(p->text_count, s.o->text.len);
    assert_int_equal((uint32_t)decoded(p->text[1]).imm & 0xfff, 307199 & 0xfff);
    assert_int_equal((uint32_t)decoded(p->text[2]).imm & 0xfff, 307199 >> 12);
    assert_int_equal(decoded(p->text[3]).imm, 9);
    assert_int_equal(p->patch_count, 3);
    assert_int_equal(s.o->text.data[1], s.o->text.data[1] & ~0xfffu); /* the program is untouched */
    assert_int_equal(package_group_elements(p, s.o, 0), 307200);
    package_free(p);
    close_setting(&s);
}

static void sizes_must_be_bound(void **state) {
    (void)state;
    struct setting s = open_setting();
    assert_null(package_build(s.o, &s.t, toy_library(&s.t), NULL, 0, s.d));
    assert_error(s.d, "size 'n' has no value; give it one with --size n=N");
    close_setting(&s);
}

static void unknown_sizes_are_refused(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct size_binding b[] = {{"n", 5, NULL}, {"nn", 6, NULL}};
    assert_null(package_build(s.o, &s.t, toy_library(&s.t), b, 2, s.d));
    assert_error(s.d, "the program has no size 'nn'");
    close_setting(&s);
}

static void sizes_have_a_range(void **state) {
    (void)state;
    static const uint64_t bad[] = {0, (UINT64_C(1) << 40) + 1, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        struct setting s = open_setting();
        assert_null(pack_sized(&s, bad[i]));
        assert_error(s.d, "size 'n' cannot be");
        close_setting(&s);
    }
}

static void constants_must_hold_their_size(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct package *p = pack_sized(&s, 1 << 20); /* n - 1 fills the 20 bits */
    assert_non_null(p);
    package_free(p);
    assert_null(pack_sized(&s, (1 << 20) + 1));
    assert_error(s.d, "does not fit the constant of 20 bits");
    close_setting(&s);
    s = open_setting();
    s.o->relocs.data[1].target = 1; /* LIK1 is of another size: LI alone must do */
    p = pack_sized(&s, 2048);
    assert_non_null(p);
    package_free(p);
    assert_null(pack_sized(&s, 2050));
    assert_error(s.d, "2049, from size 'n', does not fit");
    close_setting(&s);
}

static void repeat_counts_have_a_range(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct size_binding b[] = {{"n", 5, NULL}, {"m", (1 << 22) - 2, NULL}};
    assert_null(package_build(s.o, &s.t, toy_library(&s.t), b, 2, s.d));
    assert_error(s.d, "the repeat count 4194304 from size 'm' is not in 0..4194303");
    b[1].value--;
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = package_build(s.o, &s.t, toy_library(&s.t), b, 2, d);
    assert_non_null(p);
    package_free(p);
    diag_free(d);
    close_setting(&s);
}

static void registers_get_their_widest_use(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct debug_record print = {DEBUG_PRINT, "v", 40, {TYPE_INT, 13}};
    vec_push(&s.o->debugs, print);
    struct package *p = pack_sized(&s, 5);
    assert_non_null(p);
    for (unsigned r = 0; r < 64; r++) {
        unsigned want = r == 5 ? 20 : r == 8 || r == 9 ? 24 : r == 1 ? 9 : r == 40 ? 13 : 0;
        assert_int_equal(p->reg_bits[r], want);
    }
    package_free(p);
    close_setting(&s);
}

static void registers_have_a_capacity(void **state) {
    (void)state;
    struct setting s = open_setting();
    toy_class.last = 21; /* 22 rows: one is C's, the other two have latches */
    toy_planes.class_of_m = toy_planes.class_of_valid = CLASS_M;
    toy_planes.sections = 4; /* 20 + 24 + 24 + 9 bits: 20 rows in section 0, 19 in the others */
    struct package *p = pack_sized(&s, 5);
    assert_non_null(p);
    package_free(p);
    toy_class.last = 19;
    assert_null(pack_sized(&s, 5));
    assert_error(s.d, "the program needs 21 rows of a VRF, and target 'toy' has 20: 1 is missing");
    close_setting(&s);
}

static void lane_maps_need_a_buffer(void **state) {
    (void)state;
    struct setting s = open_setting();
    add_insn(s.o, (struct insn){.op = OP_MOVE, .rfh = 0, .vrf = 1});
    add_insn(s.o, (struct insn){.op = OP_LANE, .mode = LANE_IDENTITY});
    add_insn(s.o, (struct insn){.op = OP_LANE, .mode = LANE_ROTATE, .imm = -3});
    add_insn(s.o, (struct insn){.op = OP_LANE, .mode = LANE_REVERSE});
    add_op(s.o, OP_MOVE_DONE);
    struct package *p = pack_sized(&s, 5);
    assert_non_null(p);
    package_free(p);
    s.t.buffer_registers = 0;
    assert_null(pack_sized(&s, 5));
    assert_error(s.d, "LANE rotate -3 (instruction 9) needs the buffer of the data-transfer "
                      "controller, which target 'toy' does not have (dtc.buffer_registers is 0)");
    assert_int_equal(diag_errors(s.d), 1);
    close_setting(&s);
}

static void uses_are_listed_in_order(void **state) {
    (void)state;
    struct setting s = open_setting();
    add_insn(s.o, (struct insn){.op = OP_ADD, .width = 3, .rs = 5, .rt = 8, .rd = 1});
    struct package *p = pack_sized(&s, 5);
    assert_non_null(p);
    const struct {
        enum isa_op op;
        unsigned width;
    } want[] = {{OP_LI, 20}, {OP_LIK1, 20}, {OP_ADD, 3}, {OP_ADD, 9}};
    assert_int_equal(p->use_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(p->uses[i].opcode, isa_info(want[i].op)->opcode);
        assert_int_equal(p->uses[i].width, want[i].width);
    }
    package_free(p);
    close_setting(&s);
}

static void assert_same_package(const struct package *a, const struct package *b) {
    assert_string_equal(a->target, b->target);
    assert_string_equal(a->target_hash, b->target_hash);
    assert_string_equal(a->program_hash, b->program_hash);
    assert_int_equal(a->size_count, b->size_count);
    assert_memory_equal(a->sizes, b->sizes, a->size_count * sizeof *a->sizes);
    assert_memory_equal(a->reg_bits, b->reg_bits, 64);
    assert_int_equal(a->mpus, b->mpus);
    assert_int_equal(a->image_first, b->image_first);
    assert_int_equal(a->image_count, b->image_count);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->text_count, b->text_count);
    assert_memory_equal(a->text, b->text, a->text_count * sizeof *a->text);
    assert_int_equal(a->fixed_count, b->fixed_count);
    for (size_t i = 0; i < a->fixed_count; i++)
        assert_memory_equal(&a->fixed[i], &b->fixed[i], sizeof *a->fixed);
    assert_int_equal(a->placement_count, b->placement_count);
    for (size_t i = 0; i < a->placement_count; i++) {
        assert_int_equal(a->placements[i].group, b->placements[i].group);
        assert_int_equal(a->placements[i].mpu, b->placements[i].mpu);
        assert_int_equal(a->placements[i].rfh, b->placements[i].rfh);
        assert_int_equal(a->placements[i].vrf, b->placements[i].vrf);
        assert_int_equal(a->placements[i].first, b->placements[i].first);
        assert_int_equal(a->placements[i].count, b->placements[i].count);
    }
}

static void packages_survive_their_bytes(void **state) {
    (void)state;
    static const uint64_t values[] = {1, 63, 64, 65, 32768, 32769, 307200};
    struct setting s = open_setting();
    uint32_t h = add_group(s.o, "h", 77);
    s.o->groups.data[h].at_rfh = 3;
    s.o->groups.data[h].at_vrf = 1;
    uint32_t like = add_group(s.o, "like", 100);
    s.o->groups.data[like].like = 0;
    add_compute(s.o, 7, 63);
    add_op(s.o, OP_COMPUTE_DONE);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct package *p = pack_sized(&s, values[i]);
        assert_non_null(p);
        struct str bytes = {0}, again = {0};
        package_write(p, &bytes);
        struct package *q = package_read(s.o, bytes.text, bytes.len, s.d);
        assert_non_null(q);
        assert_same_package(p, q);
        package_write(q, &again);
        assert_int_equal(bytes.len, again.len);
        assert_memory_equal(bytes.text, again.text, bytes.len);
        str_free(&bytes);
        str_free(&again);
        package_free(p);
        package_free(q);
    }
    close_setting(&s);
}

static void freshness(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct package *p = pack_sized(&s, 500);
    assert_non_null(p);
    struct size_binding same[] = {{"n", 500, NULL}, {"m", 7, NULL}},
                        other[] = {{"n", 501, NULL}, {"m", 8, NULL}};
    assert_true(package_fresh(p, s.o, &s.t, toy_library(&s.t), same, 1));
    assert_true(package_fresh(p, s.o, &s.t, toy_library(&s.t), same, 2));
    assert_false(package_fresh(p, s.o, &s.t, toy_library(&s.t), NULL, 0));
    assert_false(package_fresh(p, s.o, &s.t, toy_library(&s.t), other, 1));
    other[0].value = 500;
    assert_false(package_fresh(p, s.o, &s.t, toy_library(&s.t), other, 2));
    s.t.hash[0] = 'b';
    assert_false(package_fresh(p, s.o, &s.t, toy_library(&s.t), same, 1));
    s.t.hash[0] = 'a';
    s.t.lanes = 32;
    assert_false(package_fresh(p, s.o, &s.t, toy_library(&s.t), same, 1));
    s.t.lanes = 64;
    package_attach(s.o, p); /* packages are no part of what is hashed */
    assert_true(package_fresh(p, s.o, &s.t, toy_library(&s.t), same, 1));
    s.o->text.data[4] ^= 1;
    assert_false(package_fresh(p, s.o, &s.t, toy_library(&s.t), same, 1));
    package_free(p);
    close_setting(&s);
}

static void attaching_replaces(void **state) {
    (void)state;
    struct setting s = open_setting();
    for (uint64_t n = 500; n < 503; n++) {
        struct package *p = pack_sized(&s, n);
        assert_non_null(p);
        package_attach(s.o, p);
        package_free(p);
    }
    assert_int_equal(s.o->packages.len, 1);
    const struct package_blob *b = &s.o->packages.data[0];
    struct package *q = package_read(s.o, b->bytes, b->size, s.d);
    assert_non_null(q);
    assert_int_equal(q->sizes[0], 502);
    package_free(q);
    close_setting(&s);
}

/* A scalar and a constant of it. */
static struct setting open_valued(void) {
    struct setting s = open_setting();
    struct value_decl k = {.name = "k", .type = {TYPE_UINT, 8}, .place = NOWHERE};
    vec_push(&s.o->values, k);
    s.o->sizes.data[0].has_default = true;
    s.o->sizes.data[0].value = 10;
    struct reloc r = {4, RELOC_VALUE12, 0, 0, 0};
    struct insn li = {.op = OP_LI, .width = 20, .rd = 6};
    uint32_t word;
    assert_int_equal(isa_encode(&li, &word), ISA_OK);
    vec_push(&s.o->relocs, r);
    s.o->text.data[4] = word;
    return s;
}

static void values_are_patched_and_kept(void **state) {
    (void)state;
    struct setting s = open_valued();
    const uint64_t element = 200, other = 201, large = 256;
    struct size_binding b = {"k", 0, &element}, c = {"k", 0, &other}, wrong = {"k", 0, &large};
    const struct machine_library *library = toy_library(&s.t);
    assert_null(package_build(s.o, &s.t, library, NULL, 0, s.d));
    assert_null(package_build(s.o, &s.t, library, &wrong, 1, s.d));
    struct package *p = package_build(s.o, &s.t, library, &b, 1, s.d);
    assert_non_null(p);
    assert_int_equal(decoded(p->text[4]).imm, 200);
    struct str bytes = {0};
    package_write(p, &bytes);
    struct package *q = package_read(s.o, bytes.text, bytes.len, s.d);
    assert_non_null(q);
    assert_int_equal(q->value_count, 1);
    assert_int_equal(q->values[0], 200);
    assert_true(package_fresh(q, s.o, &s.t, library, &b, 1));
    assert_false(package_fresh(q, s.o, &s.t, library, &c, 1));
    assert_false(package_fresh(q, s.o, &s.t, library, NULL, 0));
    package_free(p);
    package_free(q);
    str_free(&bytes);
    close_setting(&s);
}

/* Any changed or missing byte is found: by the digest, or before it is reached. */
static void damage_is_found(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct package *p = pack_sized(&s, 500);
    assert_non_null(p);
    struct str bytes = {0};
    package_write(p, &bytes);
    for (size_t i = 0; i < bytes.len; i++) {
        struct diag *d = diag_new(NULL, NULL);
        bytes.text[i] = (char)(bytes.text[i] ^ 0x10);
        assert_null(package_read(s.o, bytes.text, bytes.len, d));
        if (i >= 4 && i < 8)
            assert_int_equal(diag_warnings(d), 1); /* another version: -Wstale-package */
        else
            assert_error(d, "the package cannot be used");
        bytes.text[i] = (char)(bytes.text[i] ^ 0x10);
        assert_null(package_read(s.o, bytes.text, i, d));
        diag_free(d);
    }
    str_free(&bytes);
    package_free(p);
    close_setting(&s);
}

static void renew_digest(struct str *s) {
    char digest[65];
    sha256_hex(s->text + PACKAGE_HEADER, s->len - PACKAGE_HEADER, digest);
    memcpy(s->text + PACKAGE_HEADER - PACKAGE_DIGEST, digest, PACKAGE_DIGEST);
}

/* A digest that was made again after the change: whatever is accepted must be safe to use. */
static void forged_packages_stay_in_bounds(void **state) {
    (void)state;
    struct setting s = open_setting();
    add_compute(s.o, 7, 63);
    add_op(s.o, OP_COMPUTE_DONE);
    struct package *p = pack_sized(&s, 50000);
    assert_non_null(p);
    struct str bytes = {0};
    package_write(p, &bytes);
    uint64_t seed = 5;
    unsigned accepted = 0;
    for (unsigned round = 0; round < 4000; round++) {
        struct diag *d = diag_new(NULL, NULL);
        struct str forged = {0};
        str_append_n(&forged, bytes.text, bytes.len);
        for (unsigned n = 0; n <= round % 3; n++) {
            size_t at = PACKAGE_HEADER + splitmix64(&seed) % (bytes.len - PACKAGE_HEADER);
            uint64_t v = splitmix64(&seed);
            forged.text[at] =
                (char)(v & 1 ? v >> 8 : (uint64_t)forged.text[at] ^ (1u << (v >> 8 & 7)));
        }
        renew_digest(&forged);
        struct package *q = package_read(s.o, forged.text, forged.len, d);
        accepted += q != NULL;
        for (size_t i = 0; q && i < q->placement_count; i++) {
            const struct placement *x = &q->placements[i];
            assert_true(x->mpu < q->mpus && x->rfh < q->rfh_per_mpu && x->vrf < q->vrf_per_rfh);
            assert_true(x->count >= 1 && x->count <= q->lanes);
            assert_true(x->first + x->count <= package_group_elements(q, s.o, x->group));
        }
        for (size_t i = 0; q && i < q->fixed_count; i++)
            assert_true(q->fixed[i].phys_rfh < q->rfh_per_mpu &&
                        q->fixed[i].phys_vrf < q->vrf_per_rfh &&
                        q->image_first + q->image_count + q->fixed[i].mpu_offset <= q->mpus);
        if (q)
            assert_memory_equal(q->reg_bits, p->reg_bits, 64);
        else if (!diag_warnings(d)) /* code of another version: -Wstale-package */
            assert_error(d, "the package cannot be used");
        package_free(q);
        str_free(&forged);
        diag_free(d);
    }
    assert_true(accepted > 0); /* hashes and names may change */
    str_free(&bytes);
    package_free(p);
    close_setting(&s);
}

static void packages_of_other_programs_are_refused(void **state) {
    (void)state;
    struct setting s = open_setting(), other = open_setting();
    struct package *p = pack_sized(&s, 500);
    struct str bytes = {0};
    package_write(p, &bytes);
    add_group(other.o, "more", 5);
    assert_null(package_read(other.o, bytes.text, bytes.len, other.d));
    assert_error(other.d, "it has other groups than the program");
    str_free(&bytes);
    package_free(p);
    close_setting(&s);
    close_setting(&other);
}

static void text_has_a_capacity(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct insn nop = {.op = OP_NOP};
    uint32_t word;
    assert_int_equal(isa_encode(&nop, &word), ISA_OK);
    s.t.mpus = 1;
    while (s.o->text.len < PACKAGE_STORE_WORDS)
        vec_push(&s.o->text, word);
    struct package *p = pack_sized(&s, 5);
    assert_non_null(p);
    package_free(p);
    vec_push(&s.o->text, word);
    assert_null(pack_sized(&s, 5));
    assert_error(s.d, "the text has 524289 instructions; the instruction stores of all 1 MPUs");
    close_setting(&s);
}

static void printed_forms(void **state) {
    (void)state;
    struct setting s = open_setting();
    struct package *p = pack_sized(&s, 40000);
    struct str text = {0};
    assert_non_null(p);
    package_print_map(p, s.o, &s.t, &text);
    assert_non_null(strstr(text.text, "group g: 40000 elements"));
    assert_non_null(strstr(text.text, "MPU0     RFH0.VRF0 .. RFH7.VRF63  elements 0 .. 32767"));
    assert_non_null(strstr(text.text, "MPU1     RFH0.VRF0 .. RFH0.VRF14  elements 32768 .. 39999"));
    str_clear(&text);
    package_print_capacity(p, s.o, &s.t, &text);
    assert_non_null(strstr(text.text, "2 of            497"));
    assert_non_null(strstr(text.text, "625 of         254464"));
    str_free(&text);
    package_free(p);
    close_setting(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_patch_words),
        cmocka_unit_test(values_are_patched_and_kept),
        cmocka_unit_test(sizes_must_be_bound),
        cmocka_unit_test(unknown_sizes_are_refused),
        cmocka_unit_test(sizes_have_a_range),
        cmocka_unit_test(constants_must_hold_their_size),
        cmocka_unit_test(repeat_counts_have_a_range),
        cmocka_unit_test(registers_get_their_widest_use),
        cmocka_unit_test(registers_have_a_capacity),
        cmocka_unit_test(lane_maps_need_a_buffer),
        cmocka_unit_test(uses_are_listed_in_order),
        cmocka_unit_test(packages_survive_their_bytes),
        cmocka_unit_test(freshness),
        cmocka_unit_test(attaching_replaces),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(forged_packages_stay_in_bounds),
        cmocka_unit_test(packages_of_other_programs_are_refused),
        cmocka_unit_test(text_has_a_capacity),
        cmocka_unit_test(printed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
