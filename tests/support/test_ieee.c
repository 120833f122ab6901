/* SPDX-License-Identifier: MIT
 * Floating point in integers against LLVM's APFloat, and where that has nothing to compare with,
 * against definitions: roots by exact integers, minima by comparisons, texts by reading them. */
#include "support/bits.h"
#include "support/ieee_text.h"
#include "support/llvm/apfloat.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef unsigned __int128 product;

static const struct ieee_format formats[] = {{5, 10, false, IEEE_NEAREST},
                                             {8, 7, false, IEEE_NEAREST},
                                             {8, 23, false, IEEE_NEAREST},
                                             {11, 52, false, IEEE_NEAREST}};
#define FORMATS (sizeof formats / sizeof *formats)
#define E(f)    (f).exponent_bits, (f).fraction_bits

enum { PAIRS = 100000 };

/* ---- operands ---- */

enum { CLASSES = 24 };

/* Both signs of zeros, subnormal and normal numbers at their ends and between, infinities, NaNs. */
static uint64_t of_class(struct ieee_format f, unsigned number) {
    uint64_t one = 1, infinity = ieee_infinity(f, false), least = one << f.fraction_bits;
    uint64_t unit = (low_bits(f.exponent_bits) >> 1) << f.fraction_bits;
    const uint64_t sizes[CLASSES / 2] = {
        0,    1,        least - 1,    least,    least + 1,    unit - 1,
        unit, unit + 1, infinity - 1, infinity, infinity + 1, ieee_nan(f)};
    return sizes[number / 2] | (number % 2 ? ieee_sign_bit(f) : 0);
}

static uint64_t any(struct ieee_format f, uint64_t *seed) {
    return splitmix64(seed) & low_bits(ieee_width(f));
}

/* A number of a few bits, or of a few bits less: what ends half-way. */
static uint64_t round_number(struct ieee_format f, uint64_t *seed) {
    unsigned kept = 1 + (unsigned)(splitmix64(seed) % f.fraction_bits);
    uint64_t value = any(f, seed) & ~low_bits(f.fraction_bits - kept);
    return splitmix64(seed) % 2 ? value : value - 1;
}

/* One whose exponent is near to that of `other`. */
static uint64_t near(struct ieee_format f, uint64_t other, uint64_t *seed) {
    uint64_t steps = splitmix64(seed) % (2u * f.fraction_bits + 6u);
    uint64_t value = other ^ (any(f, seed) & (low_bits(f.fraction_bits) | ieee_sign_bit(f)));
    return (value + ((steps - f.fraction_bits - 3) << f.fraction_bits)) & low_bits(ieee_width(f));
}

static void pick(struct ieee_format f, unsigned number, uint64_t *seed, uint64_t *x, uint64_t *y) {
    if (number < CLASSES * CLASSES) {
        *x = of_class(f, number / CLASSES);
        *y = of_class(f, number % CLASSES);
        return;
    }
    *x = number % 3 ? any(f, seed) : round_number(f, seed);
    *y = number % 4 == 0   ? any(f, seed)
         : number % 4 == 1 ? round_number(f, seed)
                           : near(f, *x, seed);
}

/* ---- operations ---- */

typedef uint64_t operation(struct ieee_format format, uint64_t left, uint64_t right);
typedef uint64_t oracle(unsigned exponent_bits, unsigned fraction_bits, uint64_t left,
                        uint64_t right);

static void check(const char *what, struct ieee_format f, uint64_t x, uint64_t y, uint64_t have,
                  uint64_t want) {
    if (have != want)
        fail_msg("%s of (%u, %u): %" PRIx64 ", %" PRIx64 " gave %" PRIx64 ", not %" PRIx64, what,
                 E(f), x, y, have, want);
}

static uint64_t one_nan(struct ieee_format f, uint64_t value) {
    return apfloat_is_nan(E(f), value) ? ieee_nan(f) : value;
}

static void arithmetic(void **state) {
    static const struct {
        const char *name;
        operation *ours;
        oracle *theirs;
    } operations[] = {{"add", ieee_add, apfloat_add},
                      {"sub", ieee_sub, apfloat_sub},
                      {"mul", ieee_mul, apfloat_mul},
                      {"div", ieee_div, apfloat_div}};
    uint64_t seed = 1, x, y;
    (void)state;
    for (size_t k = 0; k < FORMATS; k++)
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            for (unsigned n = 0; n < PAIRS; n++) {
                struct ieee_format f = formats[k];
                pick(f, n, &seed, &x, &y);
                check(operations[i].name, f, x, y, operations[i].ours(f, x, y),
                      one_nan(f, operations[i].theirs(E(f), x, y)));
            }
}

static void check_order(struct ieee_format f, uint64_t x, uint64_t y) {
    enum apfloat_order order = apfloat_compare(E(f), x, y);
    check("less", f, x, y, ieee_less(f, x, y), order == APFLOAT_LESS);
    check("equal", f, x, y, ieee_equal(f, x, y), order == APFLOAT_EQUAL);
    check("less or equal", f, x, y, ieee_less_equal(f, x, y),
          order == APFLOAT_LESS || order == APFLOAT_EQUAL);
    check("unordered", f, x, y, ieee_unordered(f, x, y), order == APFLOAT_UNORDERED);
    check("is NaN", f, x, y, ieee_is_nan(f, x), apfloat_is_nan(E(f), x));
}

/* minimumNumber: of numbers the lesser, of equal ones one with a sign if there is one. */
static uint64_t least(struct ieee_format f, uint64_t x, uint64_t y) {
    bool no_x = apfloat_is_nan(E(f), x), no_y = apfloat_is_nan(E(f), y);
    if (no_x || no_y)
        return no_x && no_y ? ieee_nan(f) : no_x ? y : x;
    switch (apfloat_compare(E(f), x, y)) {
    case APFLOAT_LESS:
        return x;
    case APFLOAT_GREATER:
        return y;
    default:
        return x | y; /* the same pattern, or two zeros */
    }
}

static void comparisons(void **state) {
    uint64_t seed = 2, x, y;
    (void)state;
    for (size_t k = 0; k < FORMATS; k++)
        for (unsigned n = 0; n < PAIRS; n++) {
            struct ieee_format f = formats[k];
            uint64_t sign = ieee_sign_bit(f);
            pick(f, n, &seed, &x, &y);
            if (n % 5 == 0)
                y = x ^ (n % 2 ? sign : 0);
            check_order(f, x, y);
            check("min", f, x, y, ieee_min(f, x, y), least(f, x, y));
            bool none = apfloat_is_nan(E(f), x) && apfloat_is_nan(E(f), y);
            check("max", f, x, y, ieee_max(f, x, y),
                  none ? ieee_nan(f) : least(f, x ^ sign, y ^ sign) ^ sign);
        }
}

/* ---- roots ---- */

/* A positive finite number: significand * 2^exponent. */
static uint64_t significand_of(struct ieee_format f, uint64_t value, int *exponent) {
    uint64_t field = value >> f.fraction_bits;
    *exponent =
        (int)(field ? field : 1) - (int)(low_bits(f.exponent_bits) >> 1) - (int)f.fraction_bits;
    return (value & low_bits(f.fraction_bits)) | (uint64_t)(field != 0) << f.fraction_bits;
}

/* The square of the midpoint below the root is not above the number, that of the one above it not
 * below; a midpoint itself is no root of a number, as its square has more bits.  In units of a
 * sixteenth of the root's last bit squared. */
static void check_root(struct ieee_format f, uint64_t x) {
    int of_x, of_r;
    uint64_t r = ieee_sqrt(f, x), sx = significand_of(f, x, &of_x),
             sr = significand_of(f, r, &of_r);
    int up = of_x - 2 * of_r + 4;
    uint64_t below = sr >> f.fraction_bits == 1 && !(sr & low_bits(f.fraction_bits)) ? 1 : 2;
    assert_in_range(up, 0, 120);
    product number = (product)sx << up, low = 4 * (product)sr - below, high = 4 * (product)sr + 2;
    if (low * low >= number || high * high <= number)
        fail_msg("the root of %" PRIx64 " of (%u, %u) is not %" PRIx64, x, E(f), r);
}

static void roots(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (size_t k = 0; k < FORMATS; k++) {
        struct ieee_format f = formats[k];
        uint64_t none = ieee_nan(f), infinity = ieee_infinity(f, false), sign = ieee_sign_bit(f);
        assert_true(ieee_sqrt(f, 0) == 0 && ieee_sqrt(f, sign) == sign);
        assert_true(ieee_sqrt(f, infinity) == infinity && ieee_sqrt(f, infinity | sign) == none);
        assert_true(ieee_sqrt(f, infinity + 1) == none && ieee_sqrt(f, 1 | sign) == none);
        for (uint64_t n = 1; n < PAIRS; n++) {
            uint64_t x = ieee_width(f) == 16 ? n
                         : n % 3             ? splitmix64(&seed) % infinity
                                             : round_number(f, &seed) & (sign - 1);
            if (x && x < infinity)
                check_root(f, x);
        }
    }
}

/* ---- conversions ---- */

static void between_formats(void **state) {
    uint64_t seed = 4, x, y;
    (void)state;
    for (size_t from = 0; from < FORMATS; from++)
        for (size_t to = 0; to < FORMATS; to++)
            for (unsigned n = 0; n < PAIRS; n++) {
                pick(formats[from], n, &seed, &x, &y);
                check("convert", formats[to], y, 0, ieee_convert(formats[from], formats[to], y),
                      one_nan(formats[to], apfloat_convert(E(formats[from]), E(formats[to]), y)));
            }
}

/* Near a power of two, or anything. */
static uint64_t whole(uint64_t *seed) {
    uint64_t x = splitmix64(seed), power = (uint64_t)1 << (x >> 8) % 64;
    return x % 4 == 0 ? splitmix64(seed) >> (x >> 16) % 64
           : x & 1    ? power + (x >> 20) % 5 - 2
                      : 0 - (power + (x >> 20) % 5 - 2);
}

static void from_integers(void **state) {
    uint64_t seed = 5;
    (void)state;
    for (size_t k = 0; k < FORMATS; k++)
        for (unsigned n = 0; n < PAIRS; n++) {
            struct ieee_format f = formats[k];
            uint64_t x = n < 4 ? n : whole(&seed);
            check("from unsigned", f, x, 0, ieee_from_unsigned(f, x),
                  apfloat_from_integer(E(f), x, false));
            check("from signed", f, x, 0, ieee_from_signed(f, (int64_t)x),
                  apfloat_from_integer(E(f), x, true));
        }
}

/* What lies around the integers of 64 bits: half of them have a fraction. */
static uint64_t near_integers(struct ieee_format f, uint64_t *seed) {
    uint64_t middle = (low_bits(f.exponent_bits) >> 1) + splitmix64(seed) % 68 - 2;
    uint64_t field = middle < low_bits(f.exponent_bits) ? middle : middle / 4;
    uint64_t value = any(f, seed) & ~(low_bits(f.exponent_bits) << f.fraction_bits);
    return (value & ~low_bits((unsigned)(splitmix64(seed) % f.fraction_bits))) |
           field << f.fraction_bits;
}

static void to_integers(void **state) {
    uint64_t seed = 6;
    (void)state;
    for (size_t k = 0; k < FORMATS; k++)
        for (unsigned n = 0; n < PAIRS; n++) {
            struct ieee_format f = formats[k];
            uint64_t x = n < CLASSES ? of_class(f, n) : near_integers(f, &seed);
            unsigned width = 1 + n % 64;
            bool nearest = n / 64 % 2;
            check(nearest ? "to nearest unsigned" : "to unsigned", f, x, width,
                  ieee_to_unsigned(f, x, width, nearest),
                  apfloat_to_integer(E(f), x, width, false, nearest));
            check(nearest ? "to nearest signed" : "to signed", f, x, width,
                  ieee_to_signed(f, x, width, nearest),
                  apfloat_to_integer(E(f), x, width, true, nearest));
        }
}

static void distances(void **state) {
    (void)state;
    for (size_t k = 0; k < FORMATS; k++) {
        struct ieee_format f = formats[k];
        uint64_t sign = ieee_sign_bit(f), infinity = ieee_infinity(f, false);
        assert_true(ieee_distance(f, 5, 9) == 4 && ieee_distance(f, 9, 5) == 4);
        assert_true(ieee_distance(f, 0, sign) == 0 && ieee_distance(f, 2, sign | 3) == 5);
        assert_true(ieee_distance(f, infinity - 1, infinity) == 1);
        assert_true(ieee_distance(f, infinity, infinity | sign) == 2 * infinity);
        assert_true(ieee_distance(f, infinity + 1, ieee_nan(f) | sign) == 0);
        assert_true(ieee_distance(f, infinity + 1, infinity) == UINT64_MAX);
    }
}

/* ---- text ---- */

static void expect_number(struct ieee_format f, const char *text, enum ieee_reading want,
                          uint64_t pattern) {
    uint64_t have = 77;
    assert_int_equal(ieee_parse(f, text, strlen(text), &have), want);
    if (have != (want == IEEE_NO_NUMBER ? 77 : pattern))
        fail_msg("'%s' read as (%u, %u) is %" PRIx64 ", not %" PRIx64, text, E(f), have, pattern);
}

static void texts_that_are_numbers(void **state) {
    static const struct ieee_format half = {5, 10, false, IEEE_NEAREST},
                                    single = {8, 23, false, IEEE_NEAREST},
                                    full = {11, 52, false, IEEE_NEAREST};
    static const char *const wrong[] = {
        "",     "+",     "-",       "+-1",     "++1",  "1,5",  " 1",     "1 ",   "e5",      "1e",
        ".",    "1.2.3", "abc",     "1__0",    "0x",   "--1",  "infi",   "1f",   "nan0",    "0x.",
        "0x1p", "0x1p+", "0x1.8q3", "0x1p3.0", "0xp3", "1p3",  "0x_1",   "0x-1", "0x1p0x3", "_1",
        "1_",   "1_.5",  "1._5",    "1_e5",    "1e_5", "0_x1", "0x1_p1", "_"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_number(single, wrong[i], IEEE_NO_NUMBER, 0);
    expect_number(single, "+1.5", IEEE_NUMBER, 0x3fc00000);
    expect_number(single, "-1_0.2_5e0_1", IEEE_NUMBER, 0xc2cd0000);
    expect_number(single, "0xf_f.8p1", IEEE_NUMBER, 0x43ff8000);
    expect_number(single, "-0", IEEE_NUMBER, 0x80000000);
    expect_number(single, "-.5E+1", IEEE_NUMBER, 0xc0a00000);
    expect_number(single, "Infinity", IEEE_NUMBER, 0x7f800000);
    expect_number(single, "-INF", IEEE_NUMBER, 0xff800000);
    expect_number(single, "-NaN", IEEE_NUMBER, 0x7fc00000);
    expect_number(half, "65519.99", IEEE_NUMBER, 0x7bff);
    expect_number(half, "65520", IEEE_TOO_LARGE, 0x7c00);
    expect_number(half, "-1e99999999999999999999", IEEE_TOO_LARGE, 0xfc00);
    expect_number(half, "-1e-99999999999999999999", IEEE_NUMBER, 0x8000);
    expect_number(full, "1e309", IEEE_TOO_LARGE, UINT64_C(0x7ff0000000000000));
    expect_number(full, "1e-400", IEEE_NUMBER, 0);
    /* By way of binary64 it would be rounded to the midpoint, and then to even. */
    expect_number(single, "1.0000000596046447753906250000000000000001", IEEE_NUMBER, 0x3f800001);
    expect_number(single, "1.000000059604644775390625", IEEE_NUMBER, 0x3f800000);
}

/* Hexadecimal, as C's %a writes it and as it may be written: rounded once, from all of its digits.
 */
static void hexadecimal_texts(void **state) {
    static const struct ieee_format half = {5, 10, false, IEEE_NEAREST},
                                    single = {8, 23, false, IEEE_NEAREST},
                                    full = {11, 52, false, IEEE_NEAREST};
    uint64_t seed = 11, read;
    char text[64];
    (void)state;
    expect_number(single, "0x1.8p3", IEEE_NUMBER, 0x41400000);
    expect_number(single, "-0X.8P-1", IEEE_NUMBER, 0xbe800000);
    expect_number(single, "+0x10", IEEE_NUMBER, 0x41800000);
    expect_number(full, "0x10000000000000000", IEEE_NUMBER, UINT64_C(0x43f0000000000000));
    expect_number(single, "-0x0p0", IEEE_NUMBER, 0x80000000);
    expect_number(half, "0x1.ffdp15", IEEE_NUMBER, 0x7bff);
    expect_number(half, "0x1.ffep15", IEEE_TOO_LARGE, 0x7c00);
    expect_number(half, "0x1p-25", IEEE_NUMBER, 0);
    expect_number(half, "0x1.0000000000000000000000001p-25", IEEE_NUMBER, 1);
    expect_number(full, "0x1p999999999999", IEEE_TOO_LARGE, UINT64_C(0x7ff0000000000000));
    expect_number(full, "0x1p-999999999999", IEEE_NUMBER, 0);
    for (size_t k = 0; k < FORMATS; k++)
        for (unsigned n = 0; n < 2000; n++) {
            uint64_t bits = splitmix64(&seed);
            double number;
            bits = n % 2 ? bits
                         : ieee_convert(formats[k], full, bits & low_bits(ieee_width(formats[k])));
            memcpy(&number, &bits, sizeof number);
            if (number - number != 0)
                continue;
            size_t length = (size_t)snprintf(text, sizeof text, "%a", number);
            assert_int_not_equal(ieee_parse(formats[k], text, length, &read), IEEE_NO_NUMBER);
            check("parse", formats[k], bits, 0, read, ieee_convert(full, formats[k], bits));
        }
}

/* Half-way between two numbers, written out, and a hair to either side of it. */
static void check_half_way(struct ieee_format f, uint64_t value) {
    static const struct ieee_format full = {11, 52, false, IEEE_NEAREST};
    struct ieee_format finer = {f.exponent_bits, (uint8_t)(f.fraction_bits + 1), false,
                                IEEE_NEAREST};
    uint64_t middle = ieee_convert(finer, full, value << 1 | 1), read;
    double number;
    char text[1300];
    memcpy(&number, &middle, sizeof number);
    size_t n = (size_t)snprintf(text, sizeof text, "%.1200f", number);
    for (unsigned way = 0; way < 3; way++) {
        text[n - 1] = way == 1 ? '1' : '0';
        if (way == 2) { /* the last digit that is not 0 one less */
            size_t last = n - 1;
            while (text[last] == '0' || text[last] == '.')
                last--;
            text[last]--;
            text[n - 1] = '9';
        }
        enum ieee_reading reading = ieee_parse(f, text, n, &read);
        check("parse", f, value, way, read, apfloat_parse(E(f), text, n));
        assert_int_equal(reading, ieee_is_infinite(f, read) ? IEEE_TOO_LARGE : IEEE_NUMBER);
    }
}

static void texts_are_rounded_once(void **state) {
    uint64_t seed = 7, read;
    char text[64];
    (void)state;
    for (size_t k = 0; k < FORMATS; k++)
        for (unsigned n = 0; n < 20000; n++) {
            struct ieee_format f = formats[k];
            int length = snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 "e%d",
                                  splitmix64(&seed) >> n % 64, splitmix64(&seed) >> n % 63,
                                  (int)(splitmix64(&seed) % (20u << f.exponent_bits / 2)) -
                                      (10 << f.exponent_bits / 2));
            assert_int_not_equal(ieee_parse(f, text, (size_t)length, &read), IEEE_NO_NUMBER);
            check("parse", f, n, 0, read, apfloat_parse(E(f), text, (size_t)length));
        }
    for (size_t k = 0; k + 1 < FORMATS; k++)
        for (unsigned n = 0; n < 1000; n++)
            check_half_way(formats[k], splitmix64(&seed) % ieee_infinity(formats[k], false));
    check_half_way(formats[0], 0x7bff);
}

/* Digits of a number from the first that is not zero to the last, without its exponent. */
static unsigned significant_digits(const char *text) {
    unsigned digits = 0, zeros = 0;
    for (const char *p = text + strspn(text, "-0."); *p && *p != 'e'; p++)
        if (*p != '.') {
            digits += *p != '0' ? zeros + 1 : 0;
            zeros = *p != '0' ? 0 : zeros + 1;
        }
    return digits;
}

/* The texts of so many digits around a number: none of them reads as it. */
static void check_no_text(struct ieee_format f, uint64_t pattern, unsigned digits) {
    static const struct ieee_format full = {11, 52, false, IEEE_NEAREST};
    uint64_t bits = ieee_convert(f, full, pattern);
    double value;
    char text[64];
    memcpy(&value, &bits, sizeof value);
    for (int way = -1; way <= 1; way++) {
        snprintf(text, sizeof text, "%.*e", (int)digits - 1, value);
        char *e = strchr(text, 'e');
        long mantissa = 0;
        for (const char *p = text; p < e; p++)
            mantissa = *p == '.' ? mantissa : mantissa * 10 + (*p - '0');
        long exponent = strtol(e + 1, NULL, 10) - (long)digits + 1;
        int n = snprintf(text, sizeof text, "%lde%ld", mantissa + way, exponent);
        if (apfloat_parse(E(f), text, (size_t)n) == pattern)
            fail_msg("%" PRIx64 " of (%u, %u) has the shorter text %s", pattern, E(f), text);
    }
}

static void check_text(struct ieee_format f, uint64_t pattern, struct str *s) {
    str_clear(s);
    ieee_text(f, pattern, s);
    check("text", f, pattern, 0, apfloat_parse(E(f), s->text, s->len), pattern);
}

static void every_short_number_as_text(void **state) {
    struct str s = {0};
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (uint64_t x = 1; x < ieee_infinity(formats[k], false); x++) {
            check_text(formats[k], x, &s);
            unsigned digits = significant_digits(s.text);
            assert_in_range(digits, 1, 5);
            if (digits > 1)
                check_no_text(formats[k], x, digits - 1);
            check_text(formats[k], x | ieee_sign_bit(formats[k]), &s);
        }
    str_free(&s);
}

static void long_numbers_as_text(void **state) {
    uint64_t seed = 8;
    struct str s = {0};
    (void)state;
    for (size_t k = 2; k < FORMATS; k++)
        for (unsigned n = 0; n < PAIRS; n++) {
            uint64_t x = n < CLASSES ? of_class(formats[k], n) : any(formats[k], &seed);
            if (!ieee_is_nan(formats[k], x))
                check_text(formats[k], x, &s);
        }
    str_free(&s);
}

static void texts_as_they_look(void **state) {
    static const struct {
        struct ieee_format format;
        uint64_t pattern;
        const char *text;
    } cases[] = {
        {{5, 10, false, IEEE_NEAREST}, 0, "0.0"},
        {{5, 10, false, IEEE_NEAREST}, 0x8000, "-0.0"},
        {{5, 10, false, IEEE_NEAREST}, 0xc000, "-2.0"},
        {{5, 10, false, IEEE_NEAREST}, 0x2e66, "0.1"},
        {{5, 10, false, IEEE_NEAREST}, 0x7bff, "65500.0"},
        {{5, 10, false, IEEE_NEAREST}, 0xfc00, "-inf"},
        {{5, 10, false, IEEE_NEAREST}, 0xfe01, "nan"},
        {{5, 10, false, IEEE_NEAREST}, 0x0001, "6e-08"},
        {{8, 7, false, IEEE_NEAREST}, 0x3f80, "1.0"},
        {{8, 7, false, IEEE_NEAREST}, 0x7f7f, "3.39e+38"},
        {{8, 7, false, IEEE_NEAREST}, 0x0001, "9e-41"},
        {{8, 23, false, IEEE_NEAREST}, 0x3dcccccd, "0.1"},
        {{8, 23, false, IEEE_NEAREST}, 0x7f7fffff, "3.4028235e+38"},
        {{8, 23, false, IEEE_NEAREST}, 0x4b800000, "16777216.0"},
        {{8, 23, false, IEEE_NEAREST}, 0xff800001, "nan"},
        {{11, 52, false, IEEE_NEAREST}, UINT64_C(0x3fd5555555555555), "0.3333333333333333"},
        {{11, 52, false, IEEE_NEAREST}, UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308"},
        {{11, 52, false, IEEE_NEAREST}, UINT64_C(0xfff0000000000000), "-inf"}};
    struct str s = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str_clear(&s);
        ieee_text(cases[i].format, cases[i].pattern, &s);
        assert_string_equal(s.text, cases[i].text);
    }
    str_free(&s);
}

/* The zero of its sign in the place of a subnormal number. */
static uint64_t flushed(struct ieee_format f, uint64_t value) {
    uint64_t sign = ieee_sign_bit(f);
    return (value & (sign - 1)) >> f.fraction_bits ? value : value & sign;
}

/* A format that flushes: zeros are put in before and after what it is without that. */
static void test_flush(void **state) {
    uint64_t seed = 20, pair[2];
    (void)state;
    for (unsigned k = 0; k < 4 * 20000; k++) {
        struct ieee_format f = formats[k % 4], g = ieee_flushing(f, true);
        ieee_random_pair(f, &seed, pair);
        uint64_t least = (uint64_t)1 << f.fraction_bits;
        if (k % 8 == 4)
            pair[1] = ieee_div(f, least, pair[0]);
        uint64_t l = pair[0], r = pair[1], x = flushed(f, l), y = flushed(f, r);
        assert_int_equal(ieee_add(g, l, r), flushed(f, ieee_add(f, x, y)));
        assert_int_equal(ieee_sub(g, l, r), flushed(f, ieee_sub(f, x, y)));
        assert_int_equal(ieee_mul(g, l, r), flushed(f, ieee_mul(f, x, y)));
        assert_int_equal(ieee_div(g, l, r), flushed(f, ieee_div(f, x, y)));
        assert_int_equal(ieee_sqrt(g, l), ieee_sqrt(f, x));
        assert_int_equal(ieee_min(g, l, r), ieee_min(f, x, y));
        assert_int_equal(ieee_max(g, l, r), ieee_max(f, x, y));
        assert_int_equal(ieee_equal(g, l, r), ieee_equal(f, x, y));
        assert_int_equal(ieee_less(g, l, r), ieee_less(f, x, y));
        assert_int_equal(ieee_less_equal(g, l, r), ieee_less_equal(f, x, y));
        assert_int_equal(ieee_is_zero(g, l), ieee_is_zero(f, x));
        for (unsigned to = 0; to < FORMATS; to++)
            assert_int_equal(ieee_convert(g, ieee_flushing(formats[to], true), l),
                             flushed(formats[to], ieee_convert(f, formats[to], x)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flush),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(roots),
        cmocka_unit_test(between_formats),
        cmocka_unit_test(from_integers),
        cmocka_unit_test(to_integers),
        cmocka_unit_test(distances),
        cmocka_unit_test(texts_that_are_numbers),
        cmocka_unit_test(hexadecimal_texts),
        cmocka_unit_test(texts_are_rounded_once),
        cmocka_unit_test(every_short_number_as_text),
        cmocka_unit_test(long_numbers_as_text),
        cmocka_unit_test(texts_as_they_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
