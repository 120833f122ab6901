/* SPDX-License-Identifier: MIT */
#include "tests/support/captured.h"

#include "support/ndarray.h"
#include "support/bits.h"
#include "support/file.h"

#include <stdio.h>

static const char *const type_names[] = {"bool",    "uint8",   "uint16",  "uint32", "uint64",
                                         "int8",    "int16",   "int32",   "int64",  "float16",
                                         "float32", "float64", "bfloat16"};

/* A .npy file: version, header text, data. */
static void build_npy(struct str *s, int major, const char *header, const void *data, size_t size) {
    size_t len = strlen(header);
    str_clear(s);
    str_append_n(s, "\x93NUMPY", 6);
    str_char(s, (char)major);
    str_char(s, 0);
    for (int i = 0; i < (major == 1 ? 2 : 4); i++)
        str_char(s, (char)(len >> (8 * i)));
    str_append(s, header);
    str_append_n(s, data, size);
}

static struct element_type type_of(const char *name) {
    struct element_type t;
    assert_true(ndarray_type_parse(name, &t));
    assert_string_equal(ndarray_type_name(t), name);
    return t;
}

static void check_same(const struct ndarray *a, const struct ndarray *b) {
    assert_int_equal(a->type.kind, b->type.kind);
    assert_int_equal(a->type.bits, b->type.bits);
    assert_int_equal(a->ndim, b->ndim);
    assert_memory_equal(a->shape, b->shape, sizeof a->shape);
    assert_true(a->count == b->count);
    if (a->count)
        assert_memory_equal(a->data, b->data, a->count * a->type.bits / 8);
}

static void types_have_numpys_names(void **state) {
    (void)state;
    struct element_type t;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        type_of(type_names[i]);
    assert_false(ndarray_type_parse("float128", &t));
    assert_false(ndarray_type_parse("", &t));
}

static void elements_are_set_and_got(void **state) {
    (void)state;
    struct ndarray a;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        struct element_type t = type_of(type_names[i]);
        assert_true(ndarray_make(&a, t, 1, (uint64_t[]){3}));
        ndarray_set(&a, 1, UINT64_MAX);
        assert_true(ndarray_get(&a, 0) == 0 && ndarray_get(&a, 2) == 0);
        assert_true(ndarray_get(&a, 1) == (t.kind == ELEMENT_INT ? UINT64_MAX : low_bits(t.bits)));
        ndarray_free(&a);
    }
}

static void sizes_are_checked(void **state) {
    (void)state;
    struct ndarray a;
    struct element_type u8 = type_of("uint8"), u64 = type_of("uint64");
    assert_true(ndarray_make(&a, u64, 0, NULL));
    assert_int_equal(a.count, 1);
    ndarray_free(&a);
    assert_true(ndarray_make(&a, u64, 3, (uint64_t[]){UINT64_MAX, 0, UINT64_MAX}));
    assert_int_equal(a.count, 0);
    ndarray_free(&a);
    assert_false(ndarray_make(&a, u8, 2, (uint64_t[]){(uint64_t)1 << 32, (uint64_t)1 << 32}));
    assert_false(ndarray_make(&a, u64, 1, (uint64_t[]){(uint64_t)1 << 61}));
    assert_false(ndarray_make(&a, u8, 1, (uint64_t[]){((uint64_t)1 << 40) + 1}));
    assert_false(ndarray_make(&a, u8, 9, (uint64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}));
    assert_null(a.data);
}

static void check_shape_text(uint32_t ndim, const uint64_t *shape, const char *expected) {
    struct ndarray a;
    struct str s = {0};
    assert_true(ndarray_make(&a, type_of("bool"), ndim, shape));
    ndarray_shape_text(&a, &s);
    assert_string_equal(s.text, expected);
    str_free(&s);
    ndarray_free(&a);
}

static void shapes_as_text(void **state) {
    (void)state;
    check_shape_text(0, NULL, "()");
    check_shape_text(1, (uint64_t[]){8}, "(8,)");
    check_shape_text(2, (uint64_t[]){640, 480}, "(640, 480)");
}

/* Every type and several shapes through the format of a suffix and back. */
static void check_round_trip(const char *path, const char *type, uint32_t ndim,
                             const uint64_t *shape, uint64_t seed) {
    struct captured c;
    struct ndarray a, b;
    struct str bytes = {0};
    capture(&c, DIAG_TEXT);
    assert_true(ndarray_make(&a, type_of(type), ndim, shape));
    for (uint64_t i = 0; i < a.count; i++)
        ndarray_set(&a, i, splitmix64(&seed) & (a.type.kind == ELEMENT_BOOL ? 1 : UINT64_MAX));
    assert_true(ndarray_format(path, &a, &bytes, c.diag));
    assert_true(ndarray_parse(path, bytes.text, bytes.len, &b, c.diag));
    check_same(&a, &b);
    assert_messages(&c, "");
    ndarray_free(&a);
    ndarray_free(&b);
    str_free(&bytes);
    captured_free(&c);
}

static void npy_round_trip(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        check_round_trip("a.npy", type_names[i], 0, NULL, i);
        check_round_trip("a.npy", type_names[i], 1, (uint64_t[]){0}, i);
        check_round_trip("a.npy", type_names[i], 1, (uint64_t[]){1000}, i);
        check_round_trip("a.npy", type_names[i], 3, (uint64_t[]){3, 4, 5}, i);
        check_round_trip("a.npy", type_names[i], 8, (uint64_t[]){2, 1, 2, 3, 1, 1, 2, 2}, i);
    }
}

static void netpbm_round_trip(void **state) {
    (void)state;
    check_round_trip("a.pgm", "uint8", 2, (uint64_t[]){3, 5}, 1);
    check_round_trip("a.PGM", "uint16", 2, (uint64_t[]){4, 2}, 2);
    check_round_trip("a.ppm", "uint8", 3, (uint64_t[]){3, 5, 3}, 3);
    check_round_trip("a.ppm", "uint16", 3, (uint64_t[]){2, 2, 3}, 4);
}

static void text_round_trip(void **state) {
    (void)state;
    check_round_trip("a.csv", "int64", 1, (uint64_t[]){500}, 1);
    check_round_trip("a.csv", "uint64", 1, (uint64_t[]){500}, 2);
    check_round_trip("a.csv", "int64", 2, (uint64_t[]){50, 7}, 3);
    check_round_trip("a.txt", "int64", 1, (uint64_t[]){500}, 4);
    check_round_trip("a.txt", "int64", 1, (uint64_t[]){0}, 5);
}

/* Parses a .npy of the given header and data; the array is the caller's. */
static void parse_npy(int major, const char *header, const void *data, size_t size,
                      struct ndarray *a) {
    struct captured c;
    struct str s = {0};
    capture(&c, DIAG_TEXT);
    build_npy(&s, major, header, data, size);
    bool ok = ndarray_parse("a.npy", s.text, s.len, a, c.diag);
    assert_messages(&c, "");
    assert_true(ok);
    str_free(&s);
    captured_free(&c);
}

static void npy_versions_and_spellings(void **state) {
    (void)state;
    static const char *const headers[] = {
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }  \n",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}",
        "{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\"=i2\"}\n",
        " { 'shape' : ( 2 , ) , 'descr' : '<i2' , 'fortran_order' : False , } ",
    };
    struct ndarray a;
    for (int major = 1; major <= 3; major++) {
        for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
            parse_npy(major, headers[i], "\x34\x12\xff\xff", 4, &a);
            assert_string_equal(ndarray_type_name(a.type), "int16");
            assert_int_equal(a.ndim, 1);
            assert_int_equal(ndarray_get(&a, 0), 0x1234);
            assert_true(ndarray_get(&a, 1) == UINT64_MAX);
            ndarray_free(&a);
        }
    }
}

/* As numpy.dtype reads them; what stands behind the data does not count. */
static void npy_types_by_name(void **state) {
    (void)state;
    static const struct {
        const char *names, *type; /* between blanks */
    } cases[] = {{"uint8 ubyte B u1 |u1 =u1 <B", "uint8"}, {"int16 short h i2 <h", "int16"},
                 {"int32 intc i i4 =i", "int32"},          {"int64 int l q i8 longlong", "int64"},
                 {"uint64 uint L Q u8", "uint64"},         {"float32 single f f4 <f", "float32"},
                 {"float64 double float d f8", "float64"}, {"bool ? b1 |b1", "bool"}};
    static const char zeros[16] = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *name = cases[i].names; *name; name += strspn(name, " ")) {
            char header[96];
            size_t n = strcspn(name, " ");
            struct ndarray a;
            snprintf(header, sizeof header,
                     "{'descr': '%.*s', 'fortran_order': False, 'shape': (1,), }", (int)n, name);
            parse_npy(1, header, zeros, sizeof zeros, &a);
            assert_string_equal(ndarray_type_name(a.type), cases[i].type);
            assert_int_equal(a.count, 1);
            ndarray_free(&a);
            name += n;
        }
}

static void npy_big_endian(void **state) {
    (void)state;
    struct ndarray a;
    parse_npy(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (), }", "\x12\x34", 2, &a);
    assert_int_equal(ndarray_get(&a, 0), 0x1234);
    ndarray_free(&a);
    parse_npy(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "\xff\0\0\1", 4, &a);
    assert_true(ndarray_get(&a, 0) == 0xffffffffff000001u);
    ndarray_free(&a);
    parse_npy(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
              "\x3f\xf0\0\0\0\0\0\0", 8, &a);
    assert_true(ndarray_get(&a, 0) == 0x3ff0000000000000u);
    ndarray_free(&a);
    parse_npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "\x80", 1, &a);
    assert_int_equal(ndarray_get(&a, 0), 0x80);
    ndarray_free(&a);
}

/* Fortran order: element (i, j, k) of shape (2, 3, 4) is number i + 2 * j + 6 * k of the file. */
static void npy_fortran_order(void **state) {
    (void)state;
    struct ndarray a;
    unsigned char data[48];
    for (size_t i = 0; i < 24; i++) {
        data[2 * i] = 0;
        data[2 * i + 1] = (unsigned char)i;
    }
    parse_npy(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4), }", data, 48, &a);
    for (uint64_t i = 0; i < 2; i++)
        for (uint64_t j = 0; j < 3; j++)
            for (uint64_t k = 0; k < 4; k++)
                assert_int_equal(ndarray_get(&a, (i * 3 + j) * 4 + k), i + 2 * j + 6 * k);
    ndarray_free(&a);
    parse_npy(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 0), }", "", 0, &a);
    assert_int_equal(a.count, 0);
    ndarray_free(&a);
}

static void check_npy_header(const char *header, const char *data, const char *message) {
    struct captured c;
    struct str s = {0};
    struct ndarray a;
    capture(&c, DIAG_TEXT);
    build_npy(&s, 1, header, data, strlen(data));
    assert_false(ndarray_parse("a.npy", s.text, s.len, &a, c.diag));
    assert_null(a.data);
    const char *text = captured_text(&c);
    size_t first_line = strcspn(text, "\n");
    assert_int_equal(strlen(message), first_line);
    assert_memory_equal(text, message, first_line);
    assert_int_equal(diag_errors(c.diag), 1);
    str_free(&s);
    captured_free(&c);
}

static void npy_header_errors(void **state) {
    (void)state;
#define HEAD "a.npy:1:"
#define REST " in the .npy header"
#define TYPES                                                                                      \
    REST ": bool, integers of 8 to 64 bits, floats of 16 to 64 bits and bfloat16 (<V2) are read"
    check_npy_header("", "", HEAD "1: error: expected '{'" REST);
    check_npy_header("[1]", "", HEAD "1: error: expected '{'" REST);
    check_npy_header("{", "", HEAD "2: error: expected a quoted name" REST);
    check_npy_header("{'descr", "", HEAD "2: error: unterminated string" REST);
    check_npy_header("{'descr'}", "", HEAD "9: error: expected ':'" REST);
    check_npy_header("{'descr': '<c8'}", "",
                     HEAD "12: error: unsupported element type '<c8'" TYPES);
    check_npy_header("{'descr': '<f9'}", "",
                     HEAD "12: error: unsupported element type '<f9'" TYPES);
    check_npy_header("{'descr': '<b2'}", "",
                     HEAD "12: error: unsupported element type '<b2'" TYPES);
    check_npy_header("{'descr': ''}", "", HEAD "12: error: unsupported element type ''" TYPES);
    check_npy_header("{'descr': '|i4'}", "", HEAD "12: error: missing byte order" REST);
    check_npy_header("{'descr': [('x', '<i4')]}", "",
                     HEAD "11: error: unsupported structured type" REST);
    check_npy_header("{'fortran_order': 1}", "", HEAD "19: error: expected True or False" REST);
    check_npy_header("{'shape': 3}", "", HEAD "11: error: expected '('" REST);
    check_npy_header("{'shape': (3)}", "", HEAD "11: error: a shape that is no tuple" REST);
    check_npy_header("{'shape': (-3,)}", "", HEAD "12: error: expected an extent below 2^64" REST);
    check_npy_header("{'shape': (0x3,)}", "", HEAD "12: error: expected an extent below 2^64" REST);
    check_npy_header("{'shape': (3 4)}", "", HEAD "14: error: expected ','" REST);
    check_npy_header("{'shape': (18446744073709551616,)}", "",
                     HEAD "12: error: expected an extent below 2^64" REST);
    check_npy_header("{'shape': (1,1,1,1,1,1,1,1,1)}", "",
                     HEAD "11: error: more than 8 dimensions" REST);
    check_npy_header("{'shape': (1,), 'shape': (1,)}", "", HEAD "18: error: key given twice" REST);
    check_npy_header("{'colour': 1}", "", HEAD "3: error: unknown key" REST);
    check_npy_header("{'shape': (1,)} x", "", HEAD "17: error: something after the dict" REST);
    check_npy_header("{'shape': (1,) 'descr'", "", HEAD "16: error: expected '}'" REST);
    check_npy_header("{'shape': (1,)}", "", "a.npy: error: the .npy header has no 'descr'");
    check_npy_header("{'descr': '<i4', 'shape': (1,)}", "",
                     "a.npy: error: the .npy header has no 'fortran_order'");
    check_npy_header("{'descr': '<i4', 'fortran_order': False}", "",
                     "a.npy: error: the .npy header has no 'shape'");
}

static void npy_size_errors(void **state) {
    (void)state;
#define SHAPE(type, s) "{'descr': '" type "', 'fortran_order': False, 'shape': " s ", }"
    check_npy_header(SHAPE("<i4", "(1024,)"), "abcd",
                     "a.npy: error: truncated: header says 4096 bytes of data, file has 4");
    check_npy_header(SHAPE("<i4", "(4294967296, 4294967296)"), "",
                     "a.npy: error: the shape in the .npy header overflows 64 bits");
    check_npy_header(SHAPE("<i8", "(2305843009213693952,)"), "",
                     "a.npy: error: the shape in the .npy header overflows 64 bits");
    check_npy_header(SHAPE("|b1", "(3,)"), "\1\1\2",
                     "a.npy: error: element 2 is 2, but a bool is 0 or 1");
}

static void check_bytes(const char *path, const char *bytes, size_t size, const char *messages) {
    struct captured c;
    struct ndarray a;
    capture(&c, DIAG_TEXT);
    assert_false(ndarray_parse(path, bytes, size, &a, c.diag));
    assert_null(a.data);
    assert_messages(&c, messages);
    captured_free(&c);
}

static void npy_files_that_are_none(void **state) {
    (void)state;
    check_bytes("a.npy", "", 0,
                "a.npy: error: not a .npy file: it does not begin with \\x93NUMPY\n");
    check_bytes("a.npy", "PK\3\4....", 8,
                "a.npy: error: not a .npy file: it does not begin with \\x93NUMPY\n");
    check_bytes("a.npy", "\x93NUMPY\x04\x00", 8,
                "a.npy: error: unknown .npy version 4.0: 1.0, 2.0 and 3.0 are read\n");
    check_bytes("a.npy", "\x93NUMPY\x02\x00\xff\xff", 10,
                "a.npy: error: truncated: the .npy file ends before its header\n");
    check_bytes("a.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14,
                "a.npy: error: truncated: 4294967295 bytes of .npy header announced, file has 2\n");
}

static void check_values(const char *path, const char *text, size_t size, const char *type,
                         const char *shape, const char *values) {
    struct captured c;
    struct ndarray a;
    struct str s = {0};
    capture(&c, DIAG_TEXT);
    bool ok = ndarray_parse(path, text, size, &a, c.diag);
    assert_messages(&c, "");
    assert_true(ok);
    assert_string_equal(ndarray_type_name(a.type), type);
    ndarray_shape_text(&a, &s);
    assert_string_equal(s.text, shape);
    str_clear(&s);
    for (uint64_t i = 0; i < a.count; i++) {
        if (i)
            str_char(&s, ' ');
        ndarray_element_text(a.type, ndarray_get(&a, i), &s);
    }
    assert_string_equal(str_text(&s), values);
    str_free(&s);
    ndarray_free(&a);
    captured_free(&c);
}

#define check_text(path, text, ...) check_values(path, text, strlen(text), __VA_ARGS__)
#define check_error(path, text, m)  check_bytes(path, text, strlen(text), m)

static void netpbm_variants(void **state) {
    (void)state;
    check_text("a.pgm", "P2 3 2 9 1 2 3 4 5 6", "uint8", "(2, 3)", "1 2 3 4 5 6");
    check_text("a.pgm", "P2#c 1\n# 99 98\n3 #x\r2\t255#\n\n0 1 2\n3 4 255\n# end\n", "uint8",
               "(2, 3)", "0 1 2 3 4 255");
    check_text("a.pgm", "P2 1 1 65535 65535", "uint16", "(1, 1)", "65535");
    check_text("a.ppm", "P3 1 2 255 1 2 3 4 5 6", "uint8", "(2, 1, 3)", "1 2 3 4 5 6");
    check_text("a.pgm", "P5 2 1 255 #\n", "uint8", "(1, 2)", "35 10");
    check_values("a.pgm", "P5 1 2 1000\n\1\2\3\xe8", 16, "uint16", "(2, 1)", "258 1000");
    check_text("a.ppm", "P6\n# c\n1 1\n255\nabc", "uint8", "(1, 1, 3)", "97 98 99");
}

static void netpbm_errors(void **state) {
    (void)state;
    check_error("a.pgm", "",
                "a.pgm: error: not a .pgm or .ppm file: it does not begin with P2, "
                "P3, P5 or P6\n");
    check_error("a.pgm", "P1 1 1 0",
                "a.pgm: error: not a .pgm or .ppm file: it does not begin "
                "with P2, P3, P5 or P6\n");
    check_error("a.pgm", "P25 1 1 1",
                "a.pgm:1:3: error: expected white space behind P2\nP25 1 1 1\n  ^\n");
    check_error("a.pgm", "P2 x", "a.pgm:1:4: error: expected the width\nP2 x\n   ^\n");
    check_error("a.pgm", "P2 -1", "a.pgm:1:4: error: expected the width\nP2 -1\n   ^\n");
    check_error("a.pgm", "P2 1", "a.pgm: error: truncated: the file ends before the height\n");
    check_error("a.pgm", "P2 1 2147483648 1 1",
                "a.pgm:1:6: error: the height is above 2147483647\n"
                "P2 1 2147483648 1 1\n     ^~~~~~~~~~\n");
    check_error("a.pgm", "P2 1 99999999999999999999999 1 1",
                "a.pgm:1:6: error: the height is above 2147483647\n"
                "P2 1 99999999999999999999999 1 1\n     ^~~~~~~~~~~~~~~~~~~~~~~\n");
    check_error("a.pgm", "P2 1 1\n65536 1",
                "a.pgm:2:1: error: the largest value is above 65535\n65536 1\n^~~~~\n");
    check_error("a.pgm", "P2 1 1\n0 1", "a.pgm:2:1: error: the largest value is 0\n0 1\n^\n");
    check_error("a.pgm", "P2 0 1 1", "a.pgm: error: a picture of 0 x 1 pixels has none\n");
    check_error(
        "a.pgm", "P2 2147483647 2147483647 1 1",
        "a.pgm: error: truncated: 2147483647 x 2147483647 pixels do not fit into the file\n");
    check_error("a.pgm", "P2 2 1 9\n1 ####",
                "a.pgm: error: truncated: the file ends before a sample\n");
    check_error("a.pgm", "P2 2 1 9\n1 10", "a.pgm:2:3: error: a sample is above 9\n1 10\n  ^~\n");
    check_error("a.pgm", "P2 2 1 9\n1 2 3",
                "a.pgm:2:5: error: something after the last sample\n1 2 3\n    ^\n");
    check_error("a.pgm", "P5 2 2 255 abc",
                "a.pgm: error: truncated: 2 x 2 pixels, file has 3 bytes of samples\n");
    check_error("a.pgm", "P5 2 2 300 abcd",
                "a.pgm: error: truncated: header says 8 bytes of samples, file has 4\n");
    check_error("a.pgm", "P5 2 1 255 abc",
                "a.pgm: error: too long: header says 2 bytes of samples, file has 3\n");
    check_error("a.ppm", "P6 2147483647 2147483647 65535 a",
                "a.ppm: error: truncated: 2147483647 x 2147483647 pixels, file has 1 bytes of "
                "samples\n");
    check_error("a.pgm", "P5 1 1 255x",
                "a.pgm:1:11: error: expected white space before the samples\n"
                "P5 1 1 255x\n          ^\n");
    check_error("a.pgm", "P5 2 1 97 ab",
                "a.pgm: error: row 0, column 1: sample 98 is above the largest value, 97\n");
}

static void texts_and_their_types(void **state) {
    (void)state;
    check_text("a.csv", "1,2\n3,4\n", "int64", "(2, 2)", "1 2 3 4");
    check_text("a.csv", "1\n\n# comment\n-2\r\n 3 ", "int64", "(3,)", "1 -2 3");
    check_text("a.csv", "1,2,3", "int64", "(1, 3)", "1 2 3");
    check_text("a.csv", "1,18446744073709551615", "uint64", "(1, 2)", "1 18446744073709551615");
    check_text("a.csv", "1.5,-2,0x10\n1e3,inf,nan", "float64", "(2, 3)",
               "1.5 -2.0 16.0 1000.0 inf nan");
    check_text("a.csv", "9223372036854775807,-0", "int64", "(1, 2)", "9223372036854775807 0");
    check_text("a.csv", "-0,0.", "float64", "(1, 2)", "-0.0 0.0");
    check_text("a.csv", "", "int64", "(0,)", "");
    check_text("a.txt", "1 2\t3\n4 # 5\n\n 6", "int64", "(5,)", "1 2 3 4 6");
    check_text("a.txt", "+1 -1 0b11", "int64", "(3,)", "1 -1 3");
    check_text("a.csv", "1,2\r3,4\r", "int64", "(2, 2)", "1 2 3 4");
    check_text("a.csv", "\xef\xbb\xbf# a\r1\r\n2\n3\r\r4", "int64", "(4,)", "1 2 3 4");
    check_text("a.txt", "1 2\r# 3\r4", "int64", "(3,)", "1 2 4");
    check_text("a.csv", "0x1.8p3,-0x1p-1\n1,0x10", "float64", "(2, 2)", "12.0 -0.5 1.0 16.0");
}

static bool parse_as(const char *type, const char *text, const char *messages, struct ndarray *a) {
    struct captured c;
    char bytes[64];
    struct file_view file = {.bytes = bytes, .size = strlen(text)};
    memcpy(bytes, text, strlen(text));
    capture(&c, DIAG_TEXT);
    bool ok = ndarray_parse_file_as("a.csv", &file, type_of(type), a, c.diag);
    assert_messages(&c, messages);
    captured_free(&c);
    return ok;
}

static void check_real(const char *type, const char *text, uint64_t pattern) {
    struct ndarray a;
    assert_true(parse_as(type, text, "", &a));
    assert_string_equal(ndarray_type_name(a.type), type);
    assert_int_equal(a.count, 1);
    assert_true(ndarray_get(&a, 0) == pattern);
    ndarray_free(&a);
}

static void texts_of_a_known_type(void **state) {
    struct ndarray a;
    (void)state;
    check_real("float16", "1", 0x3c00);
    check_real("float16", "-0x10", 0xcc00);
    check_real("float16", "65519.999", 0x7bff);
    check_real("float32", "16777217", 0x4b800000);
    check_real("float32", "0xffffffffffffffff", 0x5f800000);
    check_real("float32", "99999999999999999999", 0x60ad78ec);
    check_real("float32", "1.0000000596046447753906250000000000000001", 0x3f800001);
    check_real("float64", "NaN", UINT64_C(0x7ff8000000000000));
    check_real("bfloat16", "-1e-9", 0xb089);
    check_real("bfloat16", "1.00390626", 0x3f81);
    check_real("bfloat16", "-inf", 0xff80);
    assert_false(parse_as("float16", "1\n65520",
                          "a.csv:2:1: error: more than the largest float16: '65520'\n"
                          "65520\n^~~~~\n",
                          &a));
    assert_false(parse_as("float16", "0x10000",
                          "a.csv:1:1: error: more than the largest float16: '0x10000'\n"
                          "0x10000\n^~~~~~~\n",
                          &a));
    assert_false(parse_as("bfloat16", "1.5x",
                          "a.csv:1:1: error: not a number that an array can hold: '1.5x'\n"
                          "1.5x\n^~~~\n",
                          &a));
}

static void text_errors(void **state) {
    (void)state;
    check_error("a.csv", "1,2\n3\n",
                "a.csv:2:1: error: this row has 1 columns, the first has 2\n3\n^\n");
    check_error("a.csv", "1,,2\n", "a.csv:1:3: error: expected a number\n1,,2\n  ^\n");
    check_error("a.csv", "1,2,\n", "a.csv:1:5: error: expected a number\n1,2,\n    ^\n");
    check_error("a.csv", "1, x y \n",
                "a.csv:1:4: error: not a number that an array can hold: 'x y'\n"
                "1, x y \n   ^~~\n");
    check_error("a.txt", "1\n2,3\n",
                "a.txt:2:1: error: not a number that an array can hold: '2,3'\n2,3\n^~~\n");
    check_error("a.txt", "1e999",
                "a.txt:1:1: error: not a number that an array can hold: '1e999'\n1e999\n^~~~~\n");
    check_error("a.txt", "99999999999999999999",
                "a.txt:1:1: error: not a number that an array can hold: '99999999999999999999'\n"
                "99999999999999999999\n^~~~~~~~~~~~~~~~~~~~\n");
    check_error("a.txt", "-1 9223372036854775808",
                "a.txt:1:4: error: no type holds both a negative number and this one: "
                "'9223372036854775808'\n-1 9223372036854775808\n   ^~~~~~~~~~~~~~~~~~~\n");
}

static void raw_needs_its_exact_size(void **state) {
    (void)state;
    struct captured c;
    struct ndarray a;
    capture(&c, DIAG_TEXT);
    assert_true(ndarray_parse_raw("a.raw", "\1\2\3\4", 4, type_of("uint16"), 1, (uint64_t[]){2}, &a,
                                  c.diag));
    assert_int_equal(ndarray_get(&a, 1), 0x403);
    struct str s = {0};
    assert_true(ndarray_format("b.raw", &a, &s, c.diag));
    assert_int_equal(s.len, 4);
    assert_memory_equal(s.text, "\1\2\3\4", 4);
    str_free(&s);
    ndarray_free(&a);
    assert_false(
        ndarray_parse_raw("a.raw", "abc", 3, type_of("uint16"), 2, (uint64_t[]){2, 3}, &a, c.diag));
    assert_false(ndarray_parse_raw("a.raw", "abc", 3, type_of("uint16"), 1,
                                   (uint64_t[]){(uint64_t)1 << 62}, &a, c.diag));
    assert_messages(&c, "a.raw: error: uint16 (2, 3) takes 12 bytes, file has 3\n"
                        "a.raw: error: the array is larger than 2^40 bytes\n");
    captured_free(&c);
}

static void suffixes_decide(void **state) {
    (void)state;
    check_error("picture.png", "x",
                "picture.png: error: cannot tell the format by the name: .npy, .pgm, .ppm, .csv "
                "and .txt are read\n");
    check_error("a.raw", "x",
                "a.raw: error: cannot tell the format by the name: .npy, .pgm, .ppm, "
                ".csv and .txt are read\n");
    check_error("-", "x",
                "-: error: cannot tell the format by the name: .npy, .pgm, .ppm, .csv "
                "and .txt are read\n");
    check_error(".npy", "x",
                ".npy: error: cannot tell the format by the name: .npy, .pgm, .ppm, "
                ".csv and .txt are read\n");
}

static void check_format(const char *path, const char *type, uint32_t ndim, const uint64_t *shape,
                         const char *bytes, const char *message) {
    struct captured c;
    struct ndarray a;
    struct str s = {0};
    capture(&c, DIAG_TEXT);
    assert_true(ndarray_make(&a, type_of(type), ndim, shape));
    for (uint64_t i = 0; i < a.count; i++)
        ndarray_set(&a, i, 0x3c00 + i);
    assert_int_equal(ndarray_format(path, &a, &s, c.diag), bytes != NULL);
    assert_messages(&c, message);
    if (bytes)
        assert_string_equal(str_text(&s), bytes);
    str_free(&s);
    ndarray_free(&a);
    captured_free(&c);
}

static void what_a_format_cannot_hold(void **state) {
    (void)state;
    check_format("a.csv", "float16", 2, (uint64_t[]){2, 2}, "1.0,1.001\n1.002,1.003\n", "");
    check_format("a.txt", "uint16", 3, (uint64_t[]){1, 2, 2}, "15360 15361\n15362 15363\n", "");
    check_format("a.txt", "int32", 0, NULL, "15360\n", "");
    check_format("a.csv", "int8", 3, (uint64_t[]){1, 2, 2}, NULL,
                 "a.csv: error: a .csv holds at most 2 dimensions, this is int8 (1, 2, 2)\n");
    check_format("a.pgm", "int8", 2, (uint64_t[]){1, 2}, NULL,
                 "a.pgm: error: a .pgm needs 2 dimensions that are not empty, of uint8 or uint16, "
                 "this is int8 (1, 2)\n");
    check_format("a.pgm", "uint8", 2, (uint64_t[]){0, 2}, NULL,
                 "a.pgm: error: a .pgm needs 2 dimensions that are not empty, of uint8 or uint16, "
                 "this is uint8 (0, 2)\n");
    check_format("a.ppm", "uint8", 3, (uint64_t[]){1, 2, 4}, NULL,
                 "a.ppm: error: a .ppm needs 3 dimensions that are not empty, the last of extent "
                 "3, of uint8 or uint16, this is uint8 (1, 2, 4)\n");
    check_format("a", "uint8", 1, (uint64_t[]){1}, NULL,
                 "a: error: cannot tell the format by the name: .npy, .pgm, .ppm, .csv, .txt and "
                 ".raw are written\n");
}

static void check_element(const char *type, uint64_t pattern, const char *expected) {
    struct str s = {0};
    ndarray_element_text(type_of(type), pattern, &s);
    assert_string_equal(s.text, expected);
    str_free(&s);
}

static void elements_as_text(void **state) {
    (void)state;
    check_element("bool", 1, "1");
    check_element("uint8", 255, "255");
    check_element("uint64", UINT64_MAX, "18446744073709551615");
    check_element("int64", UINT64_MAX, "-1");
    check_element("float16", 0x3555, "0.3333");
    check_element("float16", 0xfbff, "-65500.0");
    check_element("float32", 0x3dcccccd, "0.1");
    check_element("float32", 0x80000000, "-0.0");
    check_element("float32", 0x7f800000, "inf");
    check_element("float32", 0x60ad78ec, "1e+20");
    check_element("float64", 0x3ff0000000000000, "1.0");
    check_element("float64", 0x7ff8000000000001, "nan");
}

/* The bytes that numpy.save writes for numpy.arange(3, dtype=numpy.int16). */
static void npy_is_written_as_numpy_does(void **state) {
    (void)state;
    struct captured c;
    struct ndarray a;
    struct str s = {0}, expected = {0};
    capture(&c, DIAG_TEXT);
    assert_true(ndarray_make(&a, type_of("int16"), 1, (uint64_t[]){3}));
    for (uint64_t i = 0; i < 3; i++)
        ndarray_set(&a, i, i);
    assert_true(ndarray_format("a.npy", &a, &s, c.diag));
    str_append_n(&expected, "\x93NUMPY\x01\x00v\x00", 10);
    str_append(&expected, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }");
    while (expected.len < 127)
        str_char(&expected, ' ');
    str_append_n(&expected, "\n\0\0\1\0\2\0", 7);
    assert_int_equal(s.len, expected.len);
    assert_memory_equal(s.text, expected.text, s.len);
    str_free(&s);
    str_free(&expected);
    ndarray_free(&a);
    captured_free(&c);
}

static void files_are_written_and_read(void **state) {
    (void)state;
    struct captured c;
    struct ndarray a, b;
    capture(&c, DIAG_TEXT);
    assert_true(ndarray_make(&a, type_of("uint8"), 2, (uint64_t[]){2, 2}));
    ndarray_set(&a, 3, 200);
    assert_true(ndarray_write("support-array.pgm", &a, c.diag));
    assert_true(ndarray_read("support-array.pgm", &b, c.diag));
    check_same(&a, &b);
    ndarray_free(&b);
    remove("support-array.pgm");
    assert_false(ndarray_read("support-array.pgm", &b, c.diag));
    assert_false(ndarray_write("no-folder/a.npy", &a, c.diag));
    assert_messages(&c, "support-array.pgm: error: cannot read: No such file or directory\n"
                        "no-folder/a.npy: error: cannot write: No such file or directory\n");
    ndarray_free(&a);
    captured_free(&c);
}

/* A header of a length that leaves the data at an odd place, and data that is a count. */
static void large_npy(struct str *s, const char *descr, uint64_t bytes) {
    struct str header = {0}, data = {0};
    for (uint64_t i = 0; i < bytes; i++)
        str_char(&data, (char)(i % 251));
    str_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,)} \n", descr,
               (unsigned long long)bytes / 4);
    build_npy(s, 1, header.text, data.text, data.len);
    str_free(&header);
    str_free(&data);
}

/* Reads the file and compares with what its bytes give. */
static void read_large(const char *path, const struct str *bytes, bool stays) {
    struct captured c;
    struct ndarray read, parsed;
    capture(&c, DIAG_TEXT);
    assert_true(file_write(path, bytes->text, bytes->len));
    assert_true(ndarray_parse(path, bytes->text, bytes->len, &parsed, c.diag));
    assert_true(ndarray_read(path, &read, c.diag));
    check_same(&read, &parsed);
    assert_int_equal(read.file.mapped, stays);
    assert_true(ndarray_same_data(&read, &parsed));
    ndarray_free(&read);
    ndarray_free(&parsed);
    remove(path);
    captured_free(&c);
}

static void large_files_are_mapped(void **state) {
    struct str s = {0};
    (void)state;
    large_npy(&s, "<i4", 400000);
    read_large("support-large.npy", &s, true);
    large_npy(&s, ">i4", 400000);
    read_large("support-large.npy", &s, false);
    large_npy(&s, "<u4", 4000);
    read_large("support-large.npy", &s, false);
    str_clear(&s);
    str_append(&s, "P5 1000 300 255\n");
    for (unsigned i = 0; i < 300000; i++)
        str_char(&s, (char)(i * i));
    read_large("support-large.pgm", &s, true);
    str_free(&s);
}

/* What is wrong in a mapped file is refused as in one that was read. */
static void large_files_are_checked(void **state) {
    struct captured c;
    struct ndarray a;
    struct str s = {0}, data = {0};
    (void)state;
    capture(&c, DIAG_TEXT);
    for (unsigned i = 0; i < 400000; i++)
        str_char(&data, i == 300001 ? 2 : (char)(i & 1));
    build_npy(&s, 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (400000,)}\n", data.text,
              data.len);
    assert_true(file_write("support-large.npy", s.text, s.len));
    assert_false(ndarray_read("support-large.npy", &a, c.diag));
    assert_null(a.data);
    assert_messages(&c, "support-large.npy: error: element 300001 is 2, but a bool is 0 or 1\n");
    remove("support-large.npy");
    str_free(&s);
    str_free(&data);
    captured_free(&c);
}

static void bits_that_are_seen(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        for (uint64_t n = 0; n < 20; n++) {
            struct ndarray a;
            uint64_t ones = 0, edges = 0, width;
            assert_true(ndarray_make(&a, type_of(type_names[i]), 1, &n));
            width = low_bits(a.type.bits);
            for (uint64_t k = 0; k < n; k++) {
                ndarray_set(&a, k, splitmix64(&seed) & splitmix64(&seed) & splitmix64(&seed));
                uint64_t x = ndarray_get(&a, k) & width;
                ones |= x;
                edges |= (x ^ (x << 1)) & width & ~UINT64_C(1);
            }
            assert_true(ndarray_bits_seen(&a, false) == ones);
            assert_true(ndarray_bits_seen(&a, true) == edges);
            ndarray_free(&a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_numpys_names),
        cmocka_unit_test(elements_are_set_and_got),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(shapes_as_text),
        cmocka_unit_test(npy_round_trip),
        cmocka_unit_test(netpbm_round_trip),
        cmocka_unit_test(text_round_trip),
        cmocka_unit_test(npy_versions_and_spellings),
        cmocka_unit_test(npy_types_by_name),
        cmocka_unit_test(npy_big_endian),
        cmocka_unit_test(npy_fortran_order),
        cmocka_unit_test(npy_header_errors),
        cmocka_unit_test(npy_size_errors),
        cmocka_unit_test(npy_files_that_are_none),
        cmocka_unit_test(netpbm_variants),
        cmocka_unit_test(netpbm_errors),
        cmocka_unit_test(texts_and_their_types),
        cmocka_unit_test(texts_of_a_known_type),
        cmocka_unit_test(text_errors),
        cmocka_unit_test(raw_needs_its_exact_size),
        cmocka_unit_test(suffixes_decide),
        cmocka_unit_test(what_a_format_cannot_hold),
        cmocka_unit_test(elements_as_text),
        cmocka_unit_test(npy_is_written_as_numpy_does),
        cmocka_unit_test(files_are_written_and_read),
        cmocka_unit_test(large_files_are_mapped),
        cmocka_unit_test(large_files_are_checked),
        cmocka_unit_test(bits_that_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
