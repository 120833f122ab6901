/* SPDX-License-Identifier: MIT
 * Keys of elements: integers in the order of what they stand for. */
#include "runtime/element_order.h"

#include "support/bits.h"

uint64_t session_element_key(struct lane_type type, uint64_t x) {
    uint64_t sign = UINT64_C(1) << (type.bits - 1u);
    if (!object_type_is_float(type))
        return type.kind == TYPE_INT ? x ^ sign : x;
    if (ieee_is_nan(object_type_format(type), x))
        x = ieee_nan(object_type_format(type));
    return x & sign ? ~x & low_bits(type.bits) : x | sign;
}

uint64_t session_of_element_key(struct lane_type type, uint64_t key) {
    uint64_t sign = UINT64_C(1) << (type.bits - 1u);
    if (!object_type_is_float(type))
        return type.kind == TYPE_INT ? key ^ sign : key;
    return key & sign ? key ^ sign : ~key & low_bits(type.bits);
}

uint64_t session_element_worth(struct lane_type type, bool least, bool alike, uint64_t x) {
    bool real = object_type_is_float(type);
    if (real && ieee_is_nan(object_type_format(type), x))
        return UINT64_MAX;
    if (real && alike && ieee_is_zero(object_type_format(type), x))
        x = 0;
    x = session_element_key(type, x);
    return least ? low_bits(type.bits) - x : x;
}
