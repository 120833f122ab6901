/* SPDX-License-Identifier: MIT
 * Elements of floating-point variables from arrays of other types: each must be one of the
 * variable's numbers.  Only decimals are rounded. */
#include "runtime/data.h"
#include "runtime/place.h"
#include "runtime/session.h"

#include <string.h>

struct element_type session_real_type(const mpu_session *session, const char *name) {
    const struct object *object = session->object;
    struct lane_type type = {TYPE_UINT, 64};
    uint32_t buffer = session->buffers.launches ? object_find_buffer(object, name) : NO_INDEX;
    uint32_t variable = object_find_variable(object, name), value = object_find_value(object, name);
    const char *colon = strrchr(name, ':');
    if (buffer != NO_INDEX)
        type = object->buffers.data[buffer].type;
    else if (variable != NO_INDEX)
        type = object_variable_array_type(&object->vars.data[variable]);
    else if (value != NO_INDEX)
        type = object->values.data[value].type;
    else if (colon && !object_type_parse(colon + 1, strlen(colon + 1), &type))
        type = (struct lane_type){TYPE_UINT, 64};
    return object_type_is_float(type) ? session_host_type(type)
                                      : (struct element_type){ELEMENT_FLOAT, 0};
}

/* A number of at most so many bits from its first 1 to its last. */
static bool is_short(uint64_t size, unsigned bits) {
    return size == 0 || size >> __builtin_ctzll(size) <= ((uint64_t)1 << bits) - 1;
}

static bool from_whole(struct ieee_format format, bool negative, uint64_t size, uint64_t *out) {
    *out = ieee_from_unsigned(format, size) | (negative ? ieee_sign_bit(format) : 0);
    return is_short(size, format.fraction_bits + 1u) && !ieee_is_infinite(format, *out);
}

/* False if the number is none of the type; *out is the nearest one then.  Any NaN becomes one. */
static bool to_real(struct element_type from, uint64_t pattern, struct element_type to,
                    uint64_t *out) {
    struct ieee_format format = element_format(to), given = element_format(from);
    bool negative = from.kind == ELEMENT_INT && pattern >> 63;
    if (!element_is_float(from))
        return from_whole(format, negative, negative ? 0 - pattern : pattern, out);
    *out = ieee_convert(given, format, pattern);
    return ieee_is_nan(given, pattern) || ieee_convert(format, given, *out) == pattern;
}

static void is_no_number(const char *name, const struct ndarray *array, uint64_t number,
                         struct element_type to, uint64_t nearest, struct diag *diag) {
    struct str index = {0}, value = {0}, largest = {0};
    struct ieee_format format = element_format(to);
    bool large = ieee_is_infinite(format, nearest);
    if (array->ndim)
        session_index_text(array, number, &index);
    ndarray_element_text(array->type, ndarray_get(array, number), &value);
    ndarray_element_text(to, ieee_infinity(format, false) - 1, &largest);
    diag_error(diag, NO_SPAN, "%s%s = %s of type %s does not fit %s: %s%s", name, str_text(&index),
               str_text(&value), ndarray_type_name(array->type), ndarray_type_name(to),
               large ? "the largest number is " : "it lies between two numbers",
               large ? str_text(&largest) : "");
    diag_note(diag, NO_SPAN,
              "numbers of an array are not rounded: convert it first, as with "
              ".astype, or give decimals");
    str_free(&index);
    str_free(&value);
    str_free(&largest);
}

mpu_result session_make_reals(const char *name, const struct ndarray *array, struct element_type to,
                              struct ndarray *made, struct diag *diag) {
    if (!ndarray_make_unset(made, to, array->ndim, array->shape)) {
        diag_error(diag, NO_SPAN, "'%s' is too large for an array", name);
        return MPU_REJECTED;
    }
    for (uint64_t i = 0; i < array->count; i++) {
        uint64_t number;
        if (!to_real(array->type, ndarray_get(array, i), to, &number)) {
            is_no_number(name, array, i, to, number, diag);
            ndarray_free(made);
            return MPU_REJECTED;
        }
        ndarray_set(made, i, number);
    }
    return MPU_OK;
}
