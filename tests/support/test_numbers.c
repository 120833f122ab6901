/* SPDX-License-Identifier: MIT */
#include "support/bits.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void check_u64(const char *text, bool ok, uint64_t expected) {
    uint64_t value = 77;
    assert_int_equal(number_parse_u64(text, strlen(text), &value), ok);
    assert_true(value == (ok ? expected : 77));
}

static void check_i64(const char *text, bool ok, int64_t expected) {
    int64_t value = 77;
    assert_int_equal(number_parse_i64(text, strlen(text), &value), ok);
    assert_true(value == (ok ? expected : 77));
}

static void unsigned_numbers(void **state) {
    (void)state;
    check_u64("0", true, 0);
    check_u64("007", true, 7);
    check_u64("18446744073709551615", true, UINT64_MAX);
    check_u64("18446744073709551616", false, 0);
    check_u64("99999999999999999999", false, 0);
    check_u64("0xffffFFFFffffFFFF", true, UINT64_MAX);
    check_u64("0x10000000000000000", false, 0);
    check_u64("0b1010", true, 10);
    check_u64("0B1_0", true, 2);
    check_u64("0o777", true, 511);
    check_u64("1_000_000", true, 1000000);
    static const char *const wrong[] = {"",    "_1",  "1_",   "1__0", "0x",  "0x_1", "0b2", "0o8",
                                        "12a", " 12", "12 ",  "-1",   "+1",  "1.0",  "0xg", "1e3",
                                        "0b",  "x10", "0x1_", "\xff", "1\n", "٣"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_u64(wrong[i], false, 0);
    uint64_t value;
    assert_true(number_parse_u64("123456", 3, &value)); /* only n bytes are read */
    assert_int_equal(value, 123);
    assert_false(number_parse_u64("1\0002", 3, &value));
}

static void signed_numbers(void **state) {
    (void)state;
    check_i64("-0", true, 0);
    check_i64("+5", true, 5);
    check_i64("-0x10", true, -16);
    check_i64("9223372036854775807", true, INT64_MAX);
    check_i64("9223372036854775808", false, 0);
    check_i64("-9223372036854775808", true, INT64_MIN);
    check_i64("-9223372036854775809", false, 0);
    check_i64("-", false, 0);
    check_i64("--1", false, 0);
    check_i64("+-1", false, 0);
    check_i64("", false, 0);
}

static void check_double(const char *text, bool ok, double expected) {
    double value = 77;
    assert_int_equal(number_parse_double(text, strlen(text), &value), ok);
    assert_true(value == (ok ? expected : 77));
}

static void hexadecimal_numbers(void **state) {
    (void)state;
    check_double("0x1.8p3", true, 12);
    check_double("-0X.8P-1", true, -0.25);
    check_double("+0x10", true, 16);
    check_double("0x1p", false, 0);
    check_double("0x", false, 0);
    check_double("0x-1", false, 0);
    check_double("--0x1", false, 0);
}

static void floating_numbers(void **state) {
    (void)state;
    check_double("1", true, 1);
    check_double("+1.5", true, 1.5);
    check_double("-2.5e-3", true, -0.0025);
    check_double(".5", true, 0.5);
    check_double("5.", true, 5);
    check_double("1e308", true, 1e308);
    check_double("1e309", false, 0);
    check_double("4.9e-324", true, 4.9e-324);
    check_double("0.1", true, 0.1);
    check_double("inf", true, (double)1e999L);
    static const char *const wrong[] = {"",   "+",  "-",  "+-1", "++1",   "1,5", " 1",
                                        "1 ", "e5", "1e", ".",   "1.2.3", "abc"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_double(wrong[i], false, 0);
    double nan;
    assert_true(number_parse_double("nan", 3, &nan));
    assert_true(nan != nan);
}

static void check_text(double value, const char *expected) {
    struct str s = {0};
    str_double(&s, value);
    assert_string_equal(str_text(&s), expected);
    str_free(&s);
}

static void doubles_as_text(void **state) {
    (void)state;
    check_text(0, "0");
    check_text(-0.0, "-0");
    check_text(0.1, "0.1");
    check_text(1.0 / 3, "0.3333333333333333");
    check_text(1e300, "1e+300");
    check_text(123456, "123456");
    check_text(5e-324, "5e-324");
    check_text(strtod("nan", NULL), "nan");
    check_text(-strtod("nan", NULL), "nan");
    check_text(-strtod("inf", NULL), "-inf");
}

static void doubles_read_back(void **state) {
    (void)state;
    uint64_t seed = 5;
    struct str s = {0};
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = splitmix64(&seed);
        double value, again;
        memcpy(&value, &bits, sizeof value);
        if (value != value)
            continue;
        str_clear(&s);
        str_double(&s, value);
        assert_true(number_parse_double(s.text, s.len, &again));
        assert_memory_equal(&value, &again, sizeof value);
    }
    str_free(&s);
}

static void check_nearest(const char *name, const char *expected) {
    static const char *const names[] = {"ADD",   "SUB",   "MUL",     "CMPEQ",
                                        "CMPGT", "racer", "mimdram", "x"};
    const char *found = nearest_name(name, names, sizeof names / sizeof *names);
    if (expected) {
        assert_non_null(found);
        assert_string_equal(found, expected);
    } else {
        assert_null(found);
    }
}

static void nearest_names(void **state) {
    (void)state;
    check_nearest("ADDD", "ADD");
    check_nearest("add", "ADD");
    check_nearest("ad", "ADD");
    check_nearest("MOL", "MUL");
    check_nearest("CMPEG", "CMPEQ");
    check_nearest("X", "x");
    check_nearest("xx", "x");
    check_nearest("y", NULL);
    check_nearest("SBU", "SUB");
    check_nearest("raser", "racer");
    check_nearest("mimdrum", "mimdram");
    check_nearest("xyz", NULL);
    check_nearest("", NULL);
    check_nearest("ADDRESS", NULL);
    char *big = malloc(100001);
    assert_non_null(big);
    memset(big, 'A', 100000);
    big[100000] = '\0';
    check_nearest(big, NULL);
    const char *const self[] = {big};
    assert_null(nearest_name("A", self, 1));
    assert_null(nearest_name("A", NULL, 0));
    free(big);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hexadecimal_numbers), cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(signed_numbers),      cmocka_unit_test(floating_numbers),
        cmocka_unit_test(doubles_as_text),     cmocka_unit_test(doubles_read_back),
        cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
