/* SPDX-License-Identifier: MIT
 * Damaged .o and .mpu files through everything that mpu-ld and mpu-objdump do with them: a result
 * or an error, never a crash. */
#include "tests/linker/sources.h"

#include "disasm/disasm.h"
#include "support/bits.h"
#include "tests/object/random_object.h"

#define MUTANTS 10000

struct seeds {
    VEC(struct str) files;
};

static void add_file(struct seeds *s, const struct object *o) {
    struct str bytes = {0};
    object_write(o, &bytes);
    vec_push(&s->files, bytes);
}

static const char text_a[] =
    " .size n = 70\n .group g[n]\n .group h[9] like g\n .var in x: u8[2] @g = r1\n"
    " .move m u8 @h r1[i] = x[2 * i - n, 0] wrap\n .move b u8 r2 = x[3, 1]\n"
    " .move e u8 @h r3[i: 1 .. 9] = x[@h r5: i9[i], 1] clip\n .move s u8 @g r1[@g r7: u7[i]] = @g r2[i]\n"
    " .print \"p\", r1: u8\n .global f\nmain: COMPUTEG @g\nl: ADD.8 r1 r2 r3\n"
    " LI.12 size(n)-1 r4\n JUMP_COND l\n PRINT 0\n COMPUTE_DONE\n"
    " REPEAT size(n)\n COMPUTE RFH1 VRF2\n JUMP f\n COMPUTE_DONE\n REPEAT_END\n GMOVE m\n GMOVE b\n GMOVE e\n GMOVE s\n"
    " MOVE RFH1 RFH2\n LANE gather 2\n MEMCPY.8 VRF2 r1 VRF0 r1\n MOVE_DONE\n HALT\n"
    " .sub f\n SUB.8 r1 r2 r3\n RETURN\n .endsub\n .mpu 0..1, main\n";

/* Packages for a small machine ride along, so that their bytes are damaged too. */
static void add_program(struct seeds *s) {
    static const char *const texts[] = {text_a};
    struct object *o = link_ok(texts, 1, NULL);
    struct target t = make_target(16, 8, 8, 4);
    struct diag *d = diag_new(NULL, NULL);
    t.lanes = 64;
    struct package *p = pack(o, &t, d);
    if (!p)
        fail_msg("%s", diag_first(d));
    package_attach(o, p);
    package_free(p);
    add_file(s, o);
    diag_free(d);
    object_free(o);
}

static struct seeds make_seeds(bool linked) {
    struct seeds s = {0};
    if (linked) {
        for (unsigned i = 0; i < 4; i++)
            add_program(&s);
        return s;
    }
    struct object *o = assemble("a.s", text_a);
    add_file(&s, o);
    object_free(o);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        o = random_object(seed);
        add_file(&s, o);
        object_free(o);
    }
    return s;
}

static void free_seeds(struct seeds *s) {
    for (size_t i = 0; i < s->files.len; i++)
        str_free(&s->files.data[i]);
    vec_free(&s->files);
}

/* A few bytes changed, or the end cut off, or a piece copied elsewhere. */
static void mutate(struct str *f, uint64_t *seed) {
    uint64_t kind = splitmix64(seed) % 8;
    if (kind == 0) {
        f->len = splitmix64(seed) % (f->len + 1);
        return;
    }
    if (kind == 1) {
        size_t n = 1 + splitmix64(seed) % 16;
        size_t from = splitmix64(seed) % (f->len - n), to = splitmix64(seed) % (f->len - n);
        memmove(f->text + to, f->text + from, n);
        return;
    }
    for (uint64_t i = 0; i < kind - 1; i++) {
        uint64_t r = splitmix64(seed);
        static const char edges[] = {0, 1, 0x7f, (char)0x80, (char)0xff};
        size_t at = (r >> 32) % f->len;
        int flipped = f->text[at] ^ (1 << (r >> 8 & 7));
        f->text[at] = r & 1 ? edges[(r >> 8) % 5] : (char)(unsigned char)flipped;
    }
}

static void try_packages(const struct object *o) {
    for (size_t i = 0; i < o->packages.len; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct package *p = package_read(o, o->packages.data[i].bytes, o->packages.data[i].size, d);
        assert_true((p != NULL) == (diag_errors(d) + diag_warnings(d) == 0));
        package_free(p);
        diag_free(d);
    }
}

static void try_pack(const struct object *o) {
    struct target t = make_target(64, 8, 8, 4);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = pack(o, &t, d);
    assert_true((p != NULL) == (diag_errors(d) == 0));
    struct str out = {0};
    if (p) {
        package_write(p, &out);
        struct package *q = package_read(o, out.text, out.len, d);
        assert_non_null(q);
        package_print_map(p, o, &t, &out);
        package_free(q);
    }
    str_free(&out);
    package_free(p);
    diag_free(d);
}

static void try_link(const struct object *o, const struct object *other, uint64_t round) {
    const struct object *inputs[] = {o, other};
    const struct link_options options = {.relocatable = round % 3 == 1, .gc_sections = round % 2};
    struct diag *d = diag_new(NULL, NULL);
    struct object *p = link_objects(inputs, 1 + round % 2, &options, d);
    assert_true((p != NULL) == (diag_errors(d) == 0));
    if (p) {
        assert_true(object_check(p, d, NO_SPAN));
        struct str map = {0};
        link_print_map(p, &map);
        str_free(&map);
    }
    if (p && p->linked)
        try_pack(p);
    object_free(p);
    diag_free(d);
}

static void try_dump(const struct object *o, const struct str *f) {
    struct diag *d = diag_new(NULL, NULL);
    struct str out = {0};
    disasm_dump(o, "mutant", f->text, f->len, 0x1ff, &out, d);
    disasm_dump(o, "mutant", f->text, f->len, 0x0ff & ~(unsigned)DISASM_TEXT, &out, d);
    disasm_reassemble(o, &out);
    str_free(&out);
    diag_free(d);
}

/* Returns whether the mutant was still an object. */
static bool try_mutant(const struct str *f, const struct object *other, uint64_t round) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = object_read("mutant", f->text, f->len, d);
    assert_true((o != NULL) == (diag_errors(d) == 0));
    if (o) {
        try_packages(o);
        if (o->linked)
            try_pack(o);
        else
            try_link(o, other, round);
        try_dump(o, f);
    }
    bool alive = o != NULL;
    object_free(o);
    diag_free(d);
    return alive;
}

static void run_mutants(bool linked, uint64_t seed) {
    struct seeds seeds = make_seeds(linked);
    struct object *other =
        assemble("b.s", " .global f, main\n .sub f\n RETURN\n .endsub\n JUMP main\n");
    unsigned alive = 0;
    for (uint64_t round = 0; round < MUTANTS; round++) {
        struct str f = {0};
        const struct str *from = &seeds.files.data[round % seeds.files.len];
        str_append_n(&f, from->text, from->len);
        mutate(&f, &seed);
        alive += try_mutant(&f, other, round);
        str_free(&f);
    }
    print_message("%u of %u mutants were still objects\n", alive, MUTANTS);
    assert_in_range(alive, MUTANTS / 50, MUTANTS - MUTANTS / 10);
    object_free(other);
    free_seeds(&seeds);
}

static void mutants_of_objects(void **state) {
    (void)state;
    run_mutants(false, 1);
}

static void mutants_of_programs(void **state) {
    (void)state;
    run_mutants(true, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_of_objects),
        cmocka_unit_test(mutants_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
