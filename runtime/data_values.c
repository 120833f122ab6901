/* SPDX-License-Identifier: MIT
 * Data that stand on the command line: numbers, and elements that are made. */
#include "runtime/data_values.h"
#include "runtime/room.h"

#include "support/bits.h"

#include <string.h>
#include <strings.h>

bool data_is_generator(const char *value) {
    return strcmp(value, "zeros") == 0 || strcmp(value, "iota") == 0 ||
           strncmp(value, "random:", 7) == 0;
}

/* "inf", "nan", or longer words that begin so. */
static bool begins_with_word(const char *text) {
    return strncasecmp(text, "inf", 3) == 0 || strncasecmp(text, "nan", 3) == 0;
}

/* "1,2,-3", "1.5,nan", "0x1.8p3": digits, signs, points, commas, the letters of 0x, 0b and 0o, of
 * exponents, and those of inf, nan and infinity. */
bool data_is_numbers(const char *value) {
    const char *first = value + (value[0] == '-' || value[0] == '+');
    const char *digit = first + (first[0] == '.');
    bool starts = (*digit >= '0' && *digit <= '9') || begins_with_word(first);
    return starts && !data_has_suffix(value) &&
           value[strspn(value, "0123456789abcdefABCDEFxXoOpP_,+-. iInNtTyY")] == '\0';
}

/* ---- numbers ---- */

/* A number as a signed or an unsigned pattern. */
static bool one_number(const char *text, size_t n, uint64_t *pattern, bool *negative) {
    int64_t value;
    *negative = n && text[0] == '-';
    if (n && text[0] == '+')
        text++, n--;
    if (!*negative)
        return number_parse_u64(text, n, pattern);
    bool ok = number_parse_i64(text, n, &value);
    *pattern = (uint64_t)value;
    return ok;
}

struct data_numbers {
    VEC(uint64_t) values;
    bool some_negative, some_large; /* large: above INT64_MAX */
};

static bool read_numbers(const char *text, struct data_numbers *out) {
    for (;;) {
        size_t n = strcspn(text, ",");
        uint64_t pattern;
        bool negative;
        if (!one_number(text, n, &pattern, &negative))
            return false;
        out->some_negative |= negative;
        out->some_large |= !negative && pattern > INT64_MAX;
        vec_push(&out->values, pattern);
        if (!text[n])
            return true;
        text += n + 1;
    }
}

static mpu_result give(const struct data_numbers *numbers, struct element_type type,
                       struct ndarray *array) {
    uint64_t count = numbers->values.len;
    if (!ndarray_make(array, type, count == 1 ? 0 : 1, &count))
        return MPU_REJECTED;
    for (uint64_t i = 0; i < count; i++)
        ndarray_set(array, i, numbers->values.data[i]);
    return MPU_OK;
}

static mpu_result not_numbers(const struct data_wish *wish, struct diag *diag) {
    diag_error(diag, NO_SPAN, "'%s' for '%s' is not a list of numbers that an array can hold",
               wish->data, wish->name);
    diag_note(diag, NO_SPAN, "a file of that name is written ./%s", wish->data);
    return MPU_REJECTED;
}

static mpu_result too_large(const struct data_wish *wish, const char *text, size_t n,
                            struct element_type type, struct diag *diag) {
    diag_error(diag, NO_SPAN, "'%.*s' for '%s' is more than the largest %s", (int)(n < 40 ? n : 40),
               text, wish->name, ndarray_type_name(type));
    return MPU_REJECTED;
}

/* Digits alone, too many for an integer of 64 bits, are a mistake, unless the type is known. */
static bool is_long_integer(const struct data_wish *wish, const char *text, size_t n) {
    uint64_t pattern;
    bool negative;
    bool sign = n && (*text == '-' || *text == '+');
    bool hexadecimal = n > 2u + sign && (text[sign + 1] | 0x20) == 'x';
    return !wish->real.bits &&
           strspn(text, hexadecimal ? "0123456789abcdefABCDEFxX+-_" : "0123456789+-_") >= n &&
           !one_number(text, n, &pattern, &negative);
}

static mpu_result reals(const struct data_wish *wish, struct element_type type,
                        struct data_numbers *numbers, struct diag *diag) {
    vec_clear(&numbers->values);
    for (const char *text = wish->data;;) {
        size_t n = strcspn(text, ",");
        uint64_t pattern;
        enum ieee_reading reading = ndarray_parse_real(type, text, n, &pattern);
        if (reading == IEEE_TOO_LARGE)
            return too_large(wish, text, n, type, diag);
        if (reading == IEEE_NO_NUMBER || is_long_integer(wish, text, n))
            return not_numbers(wish, diag);
        vec_push(&numbers->values, pattern);
        if (!text[n])
            return MPU_OK;
        text += n + 1;
    }
}

mpu_result data_numbers_array(const struct data_wish *wish, struct ndarray *array,
                              struct diag *diag) {
    struct data_numbers x = {0};
    struct element_type type = {ELEMENT_INT, 64}, real = {ELEMENT_FLOAT, 64};
    mpu_result r = MPU_OK;
    if (wish->real.bits || !read_numbers(wish->data, &x)) {
        type = wish->real.bits ? wish->real : real;
        r = reals(wish, type, &x, diag);
    } else if (x.some_negative && x.some_large) {
        diag_error(diag, NO_SPAN, "the numbers for '%s' fit neither 64 signed nor 64 unsigned bits",
                   wish->name);
        r = MPU_REJECTED;
    } else if (x.some_large) {
        type.kind = ELEMENT_UINT;
    }
    if (r == MPU_OK)
        r = give(&x, type, array);
    vec_free(&x.values);
    return r;
}

/* ---- generators ---- */

struct random_range {
    uint64_t seed, low,
        span; /* values low .. low + span; as patterns, of floating point both ends */
    bool given;
};

static const struct ieee_format binary64 = {11, 52, false, IEEE_NEAREST};

/* The two ends of "LO..HI". */
static bool parse_ends(const char *text, const char *dots, bool real, struct random_range *range) {
    static const struct element_type type = {ELEMENT_FLOAT, 64};
    size_t n = (size_t)(dots - text), k = strlen(dots + 2);
    int64_t low, high;
    if (real)
        return ndarray_parse_real(type, text, n, &range->low) == IEEE_NUMBER &&
               ndarray_parse_real(type, dots + 2, k, &range->span) == IEEE_NUMBER &&
               !ieee_is_infinite(binary64, ieee_sub(binary64, range->span, range->low)) &&
               ieee_less_equal(binary64, range->low, range->span);
    if (!number_parse_i64(text, n, &low) || !number_parse_i64(dots + 2, k, &high) || low > high)
        return false;
    range->low = (uint64_t)low;
    range->span = (uint64_t)high - (uint64_t)low;
    return true;
}

/* "SEED" or "SEED:LO..HI". */
static bool parse_random(const char *text, bool real, struct random_range *range) {
    const char *colon = strchr(text, ':'), *dots = colon ? strstr(colon, "..") : NULL;
    *range = (struct random_range){.given = colon != NULL};
    if (!number_parse_u64(text, colon ? (size_t)(colon - text) : strlen(text), &range->seed))
        return false;
    return !colon || (dots && parse_ends(colon + 1, dots, real, range));
}

static uint64_t random_value(struct random_range *range, struct element_type type) {
    uint64_t x = splitmix64(&range->seed);
    if (range->given)
        return range->low + (range->span == UINT64_MAX ? x : x % (range->span + 1));
    if (type.kind == ELEMENT_BOOL)
        return x & 1;
    return type.kind == ELEMENT_INT ? (uint64_t)sign_extend(x, type.bits) : x & low_bits(type.bits);
}

/* Without a range any finite number, as the low bits of z say; a pattern that is none loses the
 * highest bit of its exponent.  With one LO + (HI - LO) * (z / 2^11) / 2^53 in binary64, rounded.
 */
static uint64_t random_real(struct random_range *range, struct element_type type) {
    struct ieee_format f = element_format(type);
    uint64_t x = splitmix64(&range->seed), infinity = ieee_infinity(f, false);
    if (!range->given)
        return (x & infinity) == infinity ? x & low_bits(type.bits) & ~(ieee_sign_bit(f) >> 1)
                                          : x & low_bits(type.bits);
    uint64_t part = ieee_from_unsigned(binary64, x >> 11);
    uint64_t unit = ieee_div(binary64, part, ieee_from_unsigned(binary64, (uint64_t)1 << 53));
    uint64_t span = ieee_sub(binary64, range->span, range->low);
    return ieee_convert(binary64, f,
                        ieee_add(binary64, range->low, ieee_mul(binary64, span, unit)));
}

static bool is_beyond(struct ieee_format format, uint64_t end) {
    return ieee_is_infinite(format, ieee_convert(binary64, format, end));
}

static void fill_random(struct random_range *range, struct element_type type,
                        struct ndarray *array) {
    bool real = element_is_float(type);
    for (uint64_t i = 0; i < array->count; i++)
        ndarray_set(array, i, real ? random_real(range, type) : random_value(range, type));
}

/* Whole numbers are made of 64 bits, so that one that does not fit is reported, not cut. */
static struct element_type made_type(struct element_type type, bool random, bool ranged) {
    if (element_is_float(type) && random)
        return type;
    bool all = type.kind == ELEMENT_UINT && type.bits == 64 && !ranged;
    return (struct element_type){all ? ELEMENT_UINT : ELEMENT_INT, 64};
}

mpu_result data_generate(const struct data_wish *wish, struct ndarray *array, struct diag *diag) {
    struct element_type type = wish->like->type;
    struct random_range r = {0};
    bool random = strncmp(wish->data, "random:", 7) == 0;
    if (random && !parse_random(wish->data + 7, element_is_float(type), &r)) {
        diag_error(diag, NO_SPAN,
                   "'%s' for '%s' is not of the form random:SEED or random:SEED:LO..HI", wish->data,
                   wish->name);
        return MPU_USAGE;
    }
    if (r.given && element_is_float(type) &&
        (is_beyond(element_format(type), r.low) || is_beyond(element_format(type), r.span))) {
        diag_error(diag, NO_SPAN, "'%s' for '%s' goes beyond the largest %s", wish->data,
                   wish->name, ndarray_type_name(type));
        return MPU_REJECTED;
    }
    type = made_type(type, random, r.given);
    if (!room_for_array(wish->name, type.bits, wish->like->ndim, wish->like->shape, wish->held,
                        diag))
        return MPU_REJECTED;
    if (!ndarray_make(array, type, wish->like->ndim, wish->like->shape)) {
        diag_error(diag, NO_SPAN, "'%s' is too large for an array", wish->name);
        return MPU_REJECTED;
    }
    if (random)
        fill_random(&r, wish->like->type, array);
    for (uint64_t i = 0; wish->data[0] == 'i' && i < array->count; i++)
        ndarray_set(array, i, i);
    return MPU_OK;
}
