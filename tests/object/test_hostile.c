/* SPDX-License-Identifier: MIT
 * Damaged object files: every one is refused with one message or read as a valid object. */
#include "object/bytes.h"
#include "support/bits.h"
#include "tests/object/random_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MUTANTS 10000

/* Numbers that bounds checks get wrong. */
static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 0x7f,
                                 0x80,
                                 0xff,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x7fffffffffffffff,
                                 0xfffffffffffffff8,
                                 0xffffffffffffffff};

static void put_edge(struct str *s, size_t at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes && at + i < s->len; i++)
        s->text[at + i] = (char)(unsigned char)(value >> (8 * i));
}

/* Half of the damage goes where it hurts: into the ELF header and the section headers. */
static size_t choose_place(const struct str *s, uint64_t *seed) {
    uint64_t headers = get_u64((const unsigned char *)s->text + 40);
    switch (splitmix64(seed) % 4) {
    case 0:
        return (size_t)(splitmix64(seed) % 64);
    case 1:
        return headers < s->len ? (size_t)(headers + splitmix64(seed) % (s->len - headers)) : 0;
    default:
        return (size_t)(splitmix64(seed) % s->len);
    }
}

static void damage(struct str *s, uint64_t *seed) {
    size_t at = choose_place(s, seed);
    switch (splitmix64(seed) % 6) {
    case 0:
        s->text[at] = (char)splitmix64(seed);
        break;
    case 1:
        s->text[at] ^= (char)(1 << splitmix64(seed) % 8);
        break;
    case 2:
        put_edge(s, at & ~(size_t)3, edges[splitmix64(seed) % 13], 4);
        break;
    case 3:
        put_edge(s, at & ~(size_t)7, edges[splitmix64(seed) % 13], 8);
        break;
    case 4:
        s->len = at;
        break;
    default:
        memmove(s->text + at, s->text + s->len / 2, s->len - (at > s->len / 2 ? at : s->len / 2));
        break;
    }
}

/* A copy of exactly its size, so that a sanitizer sees any read beyond it. */
static struct object *read_exactly(const struct str *s, struct diag *d) {
    char *copy = xmalloc(s->len ? s->len : 1);
    memcpy(copy, str_text(s), s->len);
    struct object *o = object_read("mutant.o", copy, s->len, d);
    free(copy);
    return o;
}

static bool try_mutant(uint64_t i) {
    uint64_t seed = i;
    struct object *a = random_object(1 + i % 97);
    struct diag *d = diag_new(NULL, NULL);
    struct str s = {0}, again = {0};
    object_write(a, &s);
    for (uint64_t n = 1 + splitmix64(&seed) % 3; n > 0 && s.len > 64; n--)
        damage(&s, &seed);
    struct object *o = read_exactly(&s, d);
    assert_int_equal(diag_errors(d), o ? 0 : 1);
    if (o) { /* what was accepted can be written and read again */
        assert_true(object_check(o, d, NO_SPAN));
        object_write(o, &again);
        struct object *back = read_exactly(&again, d);
        assert_non_null(back);
        object_free(back);
    }
    bool accepted = o != NULL;
    object_free(o);
    object_free(a);
    str_free(&s);
    str_free(&again);
    diag_free(d);
    return accepted;
}

static void mutants_are_refused_or_read(void **state) {
    (void)state;
    uint64_t accepted = 0;
    for (uint64_t i = 0; i < MUTANTS; i++)
        accepted += try_mutant(i);
    assert_true(accepted < MUTANTS / 2);
    assert_true(accepted > 0); /* text of constants, for one, may hold any number */
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    struct object *a = random_object(5);
    struct str s = {0};
    object_write(a, &s);
    size_t size = s.len;
    for (s.len = 0; s.len < size; s.len++) {
        struct diag *d = diag_new(NULL, NULL);
        assert_null(read_exactly(&s, d));
        assert_int_equal(diag_errors(d), 1);
        diag_free(d);
    }
    str_free(&s);
    object_free(a);
}

#define WRITES 0x8877665544332211u /* found in the file by its bytes */

/* An object with the signature "f in r3: u8 out r4: u16". */
static void write_signature(struct str *out) {
    struct object *o = object_new();
    struct symbol y = {.name = "f", .global = true, .place = {NO_INDEX, 0, 0}};
    struct sub_signature s = {.name = "f",
                              .in_count = 1,
                              .out_count = 1,
                              .in = {{3, {TYPE_UINT, 8}}},
                              .out = {{4, {TYPE_UINT, 16}}},
                              .writes = WRITES,
                              .place = {NO_INDEX, 0, 0}};
    vec_push(&o->symbols, y);
    vec_push(&o->signatures, s);
    object_write(o, out);
    object_free(o);
}

/* Where the record begins in the file. */
static size_t signature_offset(const struct str *s) {
    size_t at = 0;
    while (at + 8 <= s->len && get_u64((const unsigned char *)s->text + at) != WRITES)
        at++;
    assert_true(at + 8 <= s->len);
    return at - 16;
}

/* One value in the record, `bytes` wide at `offset`, and what the reader says to it. */
static void try_signature(size_t offset, unsigned bytes, uint64_t value, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    write_signature(&s);
    put_edge(&s, signature_offset(&s) + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_signatures_are_refused(void **state) {
    (void)state;
    try_signature(32, 1, 5, NULL);
    try_signature(0, 4, 0, "have, or none");
    try_signature(0, 4, UINT32_MAX, "string");
    try_signature(4, 4, 7, "stands in file 7");
    try_signature(16, 8, 0x0f, "in a register that it does not write");
    try_signature(24, 4, 0, "more registers than it counts");
    try_signature(24, 4, 2, "no register or has no type");
    try_signature(24, 4, UINT32_MAX, "more than 16 registers");
    try_signature(28, 4, 17, "more than 16 registers");
    try_signature(32, 1, 64, "no register or has no type");
    try_signature(33, 1, 9, "no register or has no type");
    try_signature(34, 1, 65, "no register or has no type");
    try_signature(35, 1, 1, "more registers than it counts");
    try_signature(100, 4, 1, "more registers than it counts");
}

#define BOUND 0x1122334455u /* found in the file by its bytes */

/* Sizes a and b; b has a bound.  Where that record begins in the file. */
static size_t write_bound(struct str *out) {
    struct object *o = object_new();
    struct size_decl a = {.name = "a", .place = {NO_INDEX, 0, 0}}, b = a;
    b.name = "b";
    b.bound = BOUND;
    vec_push(&o->sizes, a);
    vec_push(&o->sizes, b);
    object_write(o, out);
    object_free(o);
    size_t at = 0;
    while (at + 8 <= out->len && get_u64((const unsigned char *)out->text + at) != BOUND)
        at++;
    assert_true(at + 8 <= out->len);
    return at - 8;
}

static void try_bound(size_t offset, unsigned bytes, uint64_t value, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_bound(&s);
    put_edge(&s, at + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o || o->sizes.data[0].bound != BOUND)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_bounds_are_refused(void **state) {
    (void)state;
    try_bound(0, 4, 0, NULL);
    try_bound(0, 4, 2, "a bound is of no size");
    try_bound(4, 4, 1, "a bound is of no size");
    try_bound(8, 8, 0, "a bound is of no size");
    try_bound(8, 8, OBJECT_MAX_EXTENT + 1, "has a bound that is not in 1..2^40");
}

#define FACTOR 0x1122334455u /* found in the file by its bytes */

/* Sizes a and b = a * FACTOR.  Where that record begins in the file. */
static size_t write_derived(struct str *out) {
    struct object *o = object_new();
    struct size_decl a = {.name = "a", .place = {NO_INDEX, 0, 0}}, b = a;
    vec_push(&o->sizes, a);
    b.name = "b";
    b.op = DERIVE_MUL;
    b.right = (struct size_operand){NO_INDEX, FACTOR};
    object_size_derive(o->sizes.data, &b);
    vec_push(&o->sizes, b);
    object_write(o, out);
    object_free(o);
    size_t at = 0;
    while (at + 8 <= out->len && get_u64((const unsigned char *)out->text + at) != FACTOR)
        at++;
    assert_true(at + 8 <= out->len);
    return at - 24;
}

static void try_derived(size_t offset, unsigned bytes, uint64_t value, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_derived(&s);
    put_edge(&s, at + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_formulas_are_refused(void **state) {
    (void)state;
    const uint64_t most = OBJECT_MAX_EXTENT;
    try_derived(0, 4, 1, NULL);
    try_derived(0, 4, 0, "derived from what is not before it");
    try_derived(0, 4, 2, "a formula is of no size");
    try_derived(4, 4, 0, "a formula is of no size");
    try_derived(4, 4, 7, "a formula is of no size");
    try_derived(8, 4, 1, "derived from what is not before it");
    try_derived(12, 4, 0, "derived from what is not before it");
    try_derived(16, 8, 1, "derived from what is not before it");
    try_derived(4, 4, DERIVE_SUB, "derived from what is not before it"); /* a - FACTOR */
    try_derived(8, 4, NO_INDEX, "or without sizes");
    try_derived(24, 8, most + 1, "derived from what is not before it, beyond 2^40");
    try_derived(24, 8, (uint64_t)0 - most, NULL);
}

static void derived_sizes_have_no_default(void **state) {
    (void)state;
    struct object *o = object_new();
    struct diag *d = diag_new(NULL, NULL);
    struct size_decl a = {.name = "a", .place = {NO_INDEX, 0, 0}}, b = a;
    vec_push(&o->sizes, a);
    b.name = "b";
    b.op = DERIVE_ADD;
    object_size_derive(o->sizes.data, &b);
    vec_push(&o->sizes, b);
    assert_true(object_check(o, d, NO_SPAN));
    o->sizes.data[1].has_default = true;
    assert_false(object_check(o, d, NO_SPAN));
    o->sizes.data[1].has_default = false;
    o->sizes.data[1].most--;
    assert_false(object_check(o, d, NO_SPAN));
    diag_free(d);
    object_free(o);
}

#define ELEMENT 0x1122334455u /* found in the file by its bytes */

/* Values a: u64 = 3 and b: u40[2, 1] = ELEMENT, 5.  Where b's record begins in the file, and where
 * the elements begin. */
static size_t write_values(struct str *out, size_t *elements) {
    static const uint64_t three = 3, two[] = {ELEMENT, 5};
    struct object *o = object_new();
    struct value_decl a = {
        .name = "a", .type = {TYPE_UINT, 64}, .elements = &three, .place = {NO_INDEX, 7, 1}};
    struct value_decl b = {.name = "b",
                           .type = {TYPE_UINT, 40},
                           .ndim = 2,
                           .shape = {2, 1},
                           .elements = two,
                           .place = {NO_INDEX, 0x7654321, 1}};
    vec_push(&o->values, a);
    vec_push(&o->values, b);
    object_write(o, out);
    object_free(o);
    size_t at = 0, line = 0;
    while (at + 8 <= out->len && get_u64((const unsigned char *)out->text + at) != ELEMENT)
        at++;
    while (get_u32((const unsigned char *)out->text + line) != 0x7654321)
        line++;
    *elements = at - 8;
    return line - 20;
}

static void try_value(bool element, size_t offset, unsigned bytes, uint64_t value,
                      const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t elements, at = write_values(&s, &elements);
    put_edge(&s, (element ? elements : at) + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_values_are_refused(void **state) {
    (void)state;
    try_value(false, 4, 1, TYPE_FLOAT, "value 'b' is of no known type");
    try_value(false, 4, 1, TYPE_BFLOAT + 1, "value 'b' is of no known type");
    try_value(false, 5, 1, 65, "value 'b' is of no known type");
    try_value(false, 5, 1, 36, "value 'b' has a default that its type does not hold");
    try_value(false, 6, 1, 3, "value 'b' has more than 2 dimensions");
    try_value(false, 6, 1, 1, "extents that it does not use");
    try_value(false, 7, 1, 2, "unknown flags");
    try_value(false, 7, 1, 0, ".mpu.defaults has elements of no value");
    try_value(false, 8, 4, 0, "has an extent that is not in 1..65536");
    try_value(false, 8, 4, 65537, "has an extent that is not in 1..65536");
    try_value(false, 8, 4, 3, "a value has more elements than .mpu.defaults");
    try_value(false, 8, 4, 1, ".mpu.defaults has elements of no value");
    try_value(false, 28, 4, 1, "unknown flags");
    try_value(true, 0, 8, UINT64_MAX, NULL);
    try_value(true, 8, 8, (uint64_t)1 << 40, "value 'b' has a default that its type does not hold");
}

/* Tables t of 4 elements and u of 8, whose second element comes from a value; where u's record, the
 * elements and the records of what is filled in begin in the file. */
static void write_tables(struct str *out, size_t at[3]) {
    static const uint64_t one[4] = {ELEMENT}, two[8] = {3, 0, 0, 5};
    static const struct lut_fill fill = {LUT_VALUE, 1, 1, 0, 2};
    struct object *o = object_new();
    struct value_decl v = {
        .name = "v", .type = {TYPE_UINT, 8}, .ndim = 1, .shape = {3}, .place = {NO_INDEX, 0, 0}};
    struct lut_decl t = {.name = "t",
                         .table = {2, 40, one},
                         .element_bits = 40,
                         .place = {NO_INDEX, 7, 1}},
                    u = {.name = "u",
                         .table = {3, 8, two},
                         .element_bits = 8,
                         .fill_count = 1,
                         .fills = &fill,
                         .place = {NO_INDEX, 0x7654321, 1}};
    vec_push(&o->values, v);
    vec_push(&o->luts, t);
    vec_push(&o->luts, u);
    object_write(o, out);
    object_free(o);
    size_t data = 0, line = 0;
    while (get_u64((const unsigned char *)out->text + data) != ELEMENT)
        data++;
    while (get_u32((const unsigned char *)out->text + line) != 0x7654321)
        line++;
    at[0] = line - 20;
    at[1] = data;
    at[2] = data + 5 * 8;
}

static void try_table(unsigned section, size_t offset, unsigned bytes, uint64_t value,
                      const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at[3];
    write_tables(&s, at);
    put_edge(&s, at[section] + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("section %u, offset %zu: '%s', not '%s'", section, offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_tables_are_refused(void **state) {
    static const char too_many[] = "a table has more elements than there are, or than 2^k";
    static const char order[] = "filled in out of order, or from what is not there";
    (void)state;
    try_table(0, 4, 1, 3, NULL);
    try_table(0, 4, 1, 0, too_many);
    try_table(0, 4, 1, 17, too_many);
    try_table(0, 4, 1, 255, too_many);
    try_table(0, 4, 1, 1, too_many);
    try_table(0, 5, 1, 0, "table 'u' has elements that are not of 1 to 64 bits");
    try_table(0, 5, 1, 65, "table 'u' has elements that are not of 1 to 64 bits");
    try_table(0, 5, 1, 2, "table 'u' has an element that does not fit its width");
    try_table(0, 5, 1, 9, "table 'u' was not declared at its width");
    try_table(0, 6, 1, 0, "table 'u' has elements that are not of 1 to 64 bits");
    try_table(0, 6, 1, 65, "table 'u' has elements that are not of 1 to 64 bits");
    try_table(0, 7, 1, 1, too_many);
    try_table(0, 8, 4, 5, too_many);
    try_table(0, 8, 4, UINT32_MAX, too_many);
    try_table(0, 8, 4, 3, "table 'u' ends with elements that are 0");
    try_table(0, 12, 4, 2, too_many);
    try_table(0, 12, 4, UINT32_MAX, too_many);
    try_table(0, 12, 4, 0, "there are elements of no table");
    try_table(0, 28, 4, 1, too_many);
    try_table(1, 0, 8, UINT64_MAX, "table 't' has an element that does not fit its width");
    try_table(1, 8, 8, 0, NULL);
    try_table(1, 16, 8, 1, "table 'u' has an element that is both given and filled in");
    try_table(1, 32, 8, 0, "table 'u' ends with elements that are 0");
    try_table(2, 0, 4, 0, "elements of a table are filled in that is not the next");
    try_table(2, 4, 4, 0, order);
    try_table(2, 4, 4, 2, order);
    try_table(2, 8, 4, 8, order);
    try_table(2, 8, 4, UINT32_MAX, order);
    try_table(2, 12, 4, 0, order);
    try_table(2, 12, 4, 2, order);
    try_table(2, 12, 4, UINT32_MAX, order);
    try_table(2, 16, 4, 1, order);
    try_table(2, 20, 4, 1, "elements of a table are filled in that is not the next");
    try_table(2, 24, 8, 3, order);
    try_table(2, 24, 8, UINT64_MAX, order);
}

/* Few bytes that ask for much memory. */
static void large_tables_are_refused(void **state) {
    static const uint64_t none[2];
    struct object *o = object_new();
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    for (size_t i = 0; i < 65; i++) {
        struct lut_decl t = {.name = arena_name(&o->arena, "t", i),
                             .table = {1, 33, none},
                             .element_bits = 33,
                             .place = {NO_INDEX, 0x7654321, 1}};
        vec_push(&o->luts, t);
    }
    object_write(o, &s);
    for (size_t at = 0; at + 4 <= s.len; at++)
        if (get_u32((const unsigned char *)s.text + at) == 0x7654321)
            s.text[at - 16] = 16;
    assert_null(read_exactly(&s, d));
    assert_non_null(strstr(diag_first(d), "tables with more than 2^22 elements"));
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void values_have_their_own_names(void **state) {
    (void)state;
    struct object *o = object_new();
    struct diag *d = diag_new(NULL, NULL);
    struct value_decl k = {.name = "k", .type = {TYPE_INT, 8}, .place = {NO_INDEX, 0, 0}};
    struct variable v = {.name = "k",
                         .type = {TYPE_UINT, 8},
                         .count = 1,
                         .group = NO_INDEX,
                         .place = {NO_INDEX, 0, 0}};
    vec_push(&o->values, k);
    assert_true(object_check(o, d, NO_SPAN));
    vec_push(&o->vars, v);
    assert_false(object_check(o, d, NO_SPAN));
    assert_non_null(strstr(diag_first(d), "'k' is both a variable and a link-time value"));
    diag_free(d);
    object_free(o);
}

static void defaults_are_within_bounds(void **state) {
    (void)state;
    for (uint64_t value = 4; value <= 6; value++) {
        struct object *o = object_new();
        struct diag *d = diag_new(NULL, NULL);
        struct size_decl s = {.name = "n",
                              .has_default = true,
                              .value = value,
                              .bound = 5,
                              .place = {NO_INDEX, 0, 0}};
        vec_push(&o->sizes, s);
        assert_int_equal(object_check(o, d, NO_SPAN), value <= 5);
        assert_int_equal(diag_errors(d), value > 5);
        diag_free(d);
        object_free(o);
    }
}

#define SHAPE 0x1122334455u /* found in the file by its bytes */

/* Variables a and b of no group; b has an array of a type and a shape of its own.  Where that
 * record begins in the file. */
static size_t write_form(struct str *out) {
    struct object *o = object_new();
    struct size_decl n = {.name = "n", .place = {NO_INDEX, 0, 0}};
    struct group g = {.name = "g",
                      .ndim = 1,
                      .extent = {{0, 0}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    struct variable a = {.name = "a",
                         .type = {TYPE_UINT, 6},
                         .count = 2,
                         .has_k = true,
                         .group = 0,
                         .place = {NO_INDEX, 0, 0}};
    struct variable b = a;
    b.name = "b";
    b.form = (struct array_form){
        .type = {TYPE_INT, 64}, .shaped = true, .ndim = 2, .shape = {{NO_INDEX, SHAPE}, {0, 0}}};
    vec_push(&o->sizes, n);
    vec_push(&o->groups, g);
    vec_push(&o->vars, a);
    vec_push(&o->vars, b);
    object_write(o, out);
    object_free(o);
    size_t at = 0;
    while (at + 8 <= out->len && get_u64((const unsigned char *)out->text + at) != SHAPE)
        at++;
    assert_true(at + 8 <= out->len);
    return at - 24;
}

static void try_form(size_t offset, unsigned bytes, uint64_t value, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_form(&s);
    put_edge(&s, at + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_forms_are_refused(void **state) {
    static const char record[] = "a record for the form of an array names no variable";
    (void)state;
    try_form(0, 4, 0, NULL);
    try_form(0, 4, 2, record);
    try_form(4, 1, 9, "of no known type");
    try_form(5, 1, 6, "values that the type of its array does not have");
    try_form(5, 1, 65, "of no known type");
    try_form(6, 1, FORM_FIRST, NULL);
    try_form(6, 1, FORM_SPLIT, "which says where an axis is split");
    try_form(6, 1, 3, "nowhere among the axes");
    try_form(7, 1, 0, "more than 8 dimensions");
    try_form(7, 1, 2, record);
    try_form(8, 4, 1, record);
    try_form(8, 4, 9, record);
    try_form(12, 4, 1, record);
    try_form(16, 4, 1, record);
    try_form(20, 4, 1, record);
    try_form(24, 8, 0, "an extent that is not in 1..2^40");
    try_form(32, 4, 1, "an extent that is not in 1..2^40");
    try_form(40, 8, 1, record);
    try_form(48, 4, 0, record);
}

/* Three groups, a variable that lies in the last two and a move that lies in the first.  Where the
 * three records begin in the file. */
static size_t write_scopes(struct str *out) {
    static const uint32_t records[] = {0, 1, 1, 0, 1, 2, 1, 0, 0};
    static const uint32_t both[] = {2, 1}, one[] = {0};
    struct object *o = object_new();
    struct group g = {.ndim = 1,
                      .extent = {{NO_INDEX, 4}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    struct variable v = {.name = "a",
                         .type = {TYPE_UINT, 6},
                         .count = 1,
                         .group = NO_INDEX,
                         .place = {NO_INDEX, 0, 0}};
    struct move m = {.name = "m",
                     .dst_group = NO_INDEX,
                     .src_group = NO_INDEX,
                     .dst_count = 1,
                     .src_count = 1,
                     .width = 1,
                     .scope = {1, one},
                     .place = {NO_INDEX, 0, 0}};
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        m.first[d].size = m.last[d].size = m.source[d].size = NO_INDEX;
    for (unsigned i = 0; i < 3; i++) {
        g.name = (const char *[]){"f", "g", "h"}[i];
        vec_push(&o->groups, g);
    }
    vec_push(&o->vars, v);
    v.name = "b";
    v.scope = object_scope_of(&o->arena, both, 2);
    vec_push(&o->vars, v);
    vec_push(&o->moves, m);
    object_write(o, out);
    object_free(o);
    size_t at = 0;
    while (at + sizeof records <= out->len && memcmp(out->text + at, records, sizeof records) != 0)
        at++;
    assert_true(at + sizeof records <= out->len);
    return at;
}

static void try_scope(size_t offset, uint64_t value, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_scopes(&s);
    put_edge(&s, at + offset, value, 4);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o || o->vars.data[1].scope.count != 2)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_scopes_are_refused(void **state) {
    static const char record[] = "a scope is of no variable or move";
    static const char groups[] = "lies in groups that are not there, or not in order";
    (void)state;
    try_scope(8, 1, NULL);
    try_scope(0, 1, record); /* of a move that there is not */
    try_scope(0, 2, record);
    try_scope(4, 2, record);
    try_scope(16, 0, record);
    try_scope(24, 0, record);
    try_scope(28, 1, record);
    try_scope(8, 2, groups);
    try_scope(8, 3, groups);
    try_scope(32, 3, groups);
}

/* y[i, c] = x[k[i, c], 0], c of two registers, behind a move without an index.  Its record is the
 * only place where the type's bits and what follows them are these. */
enum { INDEX_BITS = 37 };

static size_t write_index(struct str *out, struct move_index index, enum move_outside outside) {
    struct object *o = object_new();
    struct group g = {.name = "g",
                      .ndim = 1,
                      .extent = {{NO_INDEX, 9}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    struct move m = {.name = "a",
                     .dst_reg = 4,
                     .src_reg = 8,
                     .dst_count = 2,
                     .src_count = 2,
                     .dst_has_k = true,
                     .src_has_k = true,
                     .width = 8,
                     .place = {NO_INDEX, 0, 0}};
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        m.first[d].size = m.last[d].size = m.source[d].size = NO_INDEX;
    vec_push(&o->groups, g);
    vec_push(&o->moves, m);
    m.name = "b";
    m.outside = outside;
    m.index = index;
    vec_push(&o->moves, m);
    object_write(o, out);
    object_free(o);
    size_t at = 4;
    const unsigned char *b = (const unsigned char *)out->text;
    while (at + 8 <= out->len && (get_u32(b + at - 4) != 1 || b[at + 5] != INDEX_BITS))
        at++;
    assert_true(at + 8 <= out->len);
    return at - 4;
}

static void try_index(size_t offset, unsigned bytes, uint64_t value, const char *want) {
    const struct move_index index = {INDEX_GATHER, 0, 12, true, {TYPE_UINT, INDEX_BITS}};
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_index(&s, index, MOVE_CLIP);
    put_edge(&s, at + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o || o->moves.data[1].index.type.bits != INDEX_BITS)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_indices_are_refused(void **state) {
    (void)state;
    try_index(0, 4, 1, NULL);
    try_index(0, 4, 2, "an index is of no move");
    try_index(0, 4, 0, "has no known way"); /* the other move clips, and then has none */
    try_index(4, 1, 0, "an index is of no move");
    try_index(4, 1, 2, NULL);
    try_index(4, 1, 3, "has an index of no known kind");
    try_index(5, 1, 1, NULL);
    try_index(5, 1, 2, "the index of move 'b' is of no coordinate");
    try_index(6, 1, 62, NULL);
    try_index(6, 1, 63, "the index of move 'b' is in no register");
    try_index(7, 1, 2, "has unknown flags");
    try_index(8, 1, TYPE_INT, NULL);
    try_index(8, 1, TYPE_FLOAT, "the index of move 'b' is in no register");
    try_index(10, 1, 1, "has unknown flags");
    try_index(11, 1, 1, "has unknown flags");
}

static void expect_index(struct move_index index, enum move_outside outside, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    write_index(&s, index, outside);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("'%s', not '%s'", got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void indices_are_checked(void **state) {
    (void)state;
    struct move_index x = {INDEX_SCATTER, 1, 63, false, {TYPE_INT, INDEX_BITS}};
    expect_index(x, MOVE_KEEP, NULL);
    expect_index(x, MOVE_FILL, "scatters, and has a constant");
    x.kind = INDEX_GATHER;
    expect_index(x, MOVE_FILL, NULL);
    x.follows = true;
    expect_index(x, MOVE_KEEP, "is in no register of integers");
}

/* Two outputs of one range of NOPs and a third of the next.  Where the records begin. */
static size_t write_finishes(struct str *out) {
    static const uint32_t head[] = {1, 1, 0};
    struct object *o = object_new();
    struct group g = {.name = "g",
                      .ndim = 1,
                      .extent = {{NO_INDEX, 4}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    struct variable v = {.name = "a",
                         .type = {TYPE_UINT, 6},
                         .count = 1,
                         .group = NO_INDEX,
                         .place = {NO_INDEX, 0, 0}};
    vec_push(&o->groups, g);
    vec_push(&o->vars, v); /* no output */
    v.name = "b";
    v.direction = VAR_OUT;
    v.has_k = true;
    v.count = 3;
    vec_push(&o->vars, v);
    struct insn nop = {.op = OP_NOP};
    for (uint32_t i = 0, word = 0; i < 4; i++) {
        isa_encode(&nop, &word);
        vec_push(&o->text, word);
    }
    for (uint32_t k = 0; k < 3; k++) {
        struct finish_record r = {.variable = 1,
                                  .element = k < 2 ? k + 1 : 0,
                                  .kind = k ? FINISH_MAX : FINISH_SUM,
                                  .type = {TYPE_UINT, 5},
                                  .first = k < 2 ? 0 : 2,
                                  .last = k < 2 ? 2 : 4,
                                  .place = {NO_INDEX, 0, 0}};
        vec_push(&o->finishes, r);
    }
    o->sets = UINT32_C(1) << isa_info(OP_NOP)->set;
    object_write(o, out);
    object_free(o);
    size_t at = 0;
    while (at + 120 <= out->len &&
           (memcmp(out->text + at, head, 8) != 0 || out->text[at + 11] != 5))
        at++;
    assert_true(at + 120 <= out->len);
    return at;
}

static void try_finish(size_t offset, unsigned bytes, uint64_t value, const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_finishes(&s);
    put_edge(&s, at + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o || o->finishes.len != 3)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

/* Two moves from r0[0] to r1 .. r4[k]: the second one is strided, with laps.  Where the record with
 * this number begins in the file. */
static size_t write_steps(struct str *out, int64_t number) {
    struct object *o = object_new();
    const struct move_bound none = {0, NO_INDEX, 0}, offset = {7, NO_INDEX, 0};
    const int64_t laps[MOVE_MAX_LAPS] = {BOUND + 1, 2, 0, 0};
    for (int i = 0; i < 2; i++) {
        struct move m = {.name = i ? "n" : "m",
                         .dst_group = NO_INDEX,
                         .src_group = NO_INDEX,
                         .dst_reg = 1,
                         .dst_count = 4,
                         .src_count = 1,
                         .dst_has_k = true,
                         .width = 8,
                         .place = {NO_INDEX, 0, 0}};
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
            m.first[d] = m.last[d] = none;
            m.source[d].size = NO_INDEX;
        }
        if (i)
            object_move_set_stride(&m, 0, BOUND, &offset, &o->arena);
        if (i)
            object_move_set_laps(&m, MOVE_STRIDE, 0, laps, &o->arena);
        vec_push(&o->moves, m);
    }
    object_write(o, out);
    object_free(o);
    size_t at = 0;
    while (at + 8 <= out->len && (int64_t)get_u64((const unsigned char *)out->text + at) != number)
        at++;
    assert_true(at + 8 <= out->len);
    return at - 8;
}

static void try_steps(int64_t record, size_t offset, unsigned bytes, uint64_t value,
                      const char *want) {
    struct str s = {0};
    struct diag *d = diag_new(NULL, NULL);
    size_t at = write_steps(&s, record);
    put_edge(&s, at + offset, value, bytes);
    struct object *o = read_exactly(&s, d);
    const char *got = o ? "" : diag_first(d);
    if (want ? !strstr(got, want) : !o)
        fail_msg("offset %zu: '%s', not '%s'", offset, got, want ? want : "");
    object_free(o);
    diag_free(d);
    str_free(&s);
}

static void damaged_finishes_are_refused(void **state) {
    static const char range[] = "is empty, out of order or lies partly in another's";
    (void)state;
    try_finish(8, 1, FINISH_ARGMAX, NULL);
    try_finish(0, 4, 2, "is variable 2 of 2");
    try_finish(0, 4, 0, "not an output without a group");
    try_finish(4, 4, 3, "has no such element");
    try_finish(4, 4, 2, range); /* twice the same */
    try_finish(84, 4, 1, "in two ways");
    try_finish(8, 1, FINISH_KINDS, "in no known way");
    try_finish(9, 1, 64, "of no register of a group");
    try_finish(10, 1, 9, "of no register of a group");
    try_finish(11, 1, 0, "of no register of a group");
    try_finish(12, 4, 1, "of no register of a group");
    try_finish(16, 4, 1, range);
    try_finish(20, 4, 0, range);
    try_finish(20, 4, 3, range);
    try_finish(60, 4, 1, range);
    try_finish(96, 4, 1, range);
    try_finish(100, 4, 5, range);
    try_finish(24, 4, 7, "stands in file 7");
    try_finish(36, 4, 1, "a reserved field is not 0");
}

static void damaged_strides_are_refused(void **state) {
    (void)state;
    try_steps(BOUND, 0, 4, 0, NULL);
    try_steps(BOUND, 0, 4, 2, "a stride is of no move");
    try_steps(BOUND, 4, 4, 1, "a stride in a dimension that it does not have");
    try_steps(BOUND, 4, 4, MOVE_MAX_DIMS, "a stride is of no move");
    try_steps(BOUND, 8, 8, 0, "is 0, beyond 2^40");
    try_steps(BOUND, 8, 8, MOVE_MAX_FACTOR + 1, "is 0, beyond 2^40");
    try_steps(BOUND, 16, 8, MOVE_MAX_FACTOR + 1, "is 0, beyond 2^40");
    try_steps(BOUND, 24, 4, 0, "says nothing");
    try_steps(BOUND, 28, 4, 1, "says nothing");
    try_steps(BOUND, 32, 8, 1, "says nothing");
}

static void damaged_laps_are_refused(void **state) {
    (void)state;
    try_steps(BOUND + 1, 0, 4, 0, NULL);
    try_steps(BOUND + 1, 0, 4, 2, "laps are of no move");
    try_steps(BOUND + 1, 4, 1, MOVE_FORMS, "laps are of no move");
    try_steps(BOUND + 1, 4, 1, MOVE_FIRST, "laps of a number that it does not have");
    try_steps(BOUND + 1, 4, 1, MOVE_SOURCE, "laps of a number that it does not have");
    try_steps(BOUND + 1, 5, 1, 1, "laps of a number that it does not have");
    try_steps(BOUND + 1, 5, 1, MOVE_MAX_DIMS, "laps are of no move");
    try_steps(BOUND + 1, 6, 2, 1, "laps are of no move");
    try_steps(BOUND + 1, 8, 8, 0, NULL);
    try_steps(BOUND + 1, 32, 8, MOVE_MAX_FACTOR + 1, "is beyond 2^40");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_are_refused_or_read),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(damaged_signatures_are_refused),
        cmocka_unit_test(damaged_finishes_are_refused),
        cmocka_unit_test(damaged_scopes_are_refused),
        cmocka_unit_test(damaged_forms_are_refused),
        cmocka_unit_test(damaged_bounds_are_refused),
        cmocka_unit_test(damaged_formulas_are_refused),
        cmocka_unit_test(derived_sizes_have_no_default),
        cmocka_unit_test(damaged_values_are_refused),
        cmocka_unit_test(damaged_tables_are_refused),
        cmocka_unit_test(large_tables_are_refused),
        cmocka_unit_test(values_have_their_own_names),
        cmocka_unit_test(defaults_are_within_bounds),
        cmocka_unit_test(damaged_strides_are_refused),
        cmocka_unit_test(damaged_laps_are_refused),
        cmocka_unit_test(damaged_indices_are_refused),
        cmocka_unit_test(indices_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
