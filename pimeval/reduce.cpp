// SPDX-License-Identifier: MIT
// Reductions of a range, in which what the result has takes part.
#include "pimeval/pimeval.h"

#include <cstring>

using namespace mpu_pimeval;

namespace {

// What `result` points at, with what came from the device: the place need not be aligned.
template <class T, class Join> void join(void *result, const void *folded, Join together) {
    T before, value;
    std::memcpy(&before, result, sizeof before);
    std::memcpy(&value, folded, sizeof value);
    before = together(before, value);
    std::memcpy(result, &before, sizeof before);
}

struct Less {
    template <class T> T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};
struct More {
    template <class T> T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};

template <class Join> void join_elements(PimDataType type, void *result, const void *folded) {
    switch (type) {
    case PIM_INT8:
        return join<int8_t>(result, folded, Join());
    case PIM_INT16:
        return join<int16_t>(result, folded, Join());
    case PIM_INT32:
        return join<int32_t>(result, folded, Join());
    case PIM_INT64:
        return join<int64_t>(result, folded, Join());
    case PIM_UINT8:
        return join<uint8_t>(result, folded, Join());
    case PIM_UINT16:
        return join<uint16_t>(result, folded, Join());
    case PIM_UINT32:
        return join<uint32_t>(result, folded, Join());
    case PIM_UINT64:
        return join<uint64_t>(result, folded, Join());
    default:
        return join<float>(result, folded, Join());
    }
}

void join_sums(PimDataType type, void *result, const void *folded) {
    if (type_is_float(type))
        join<float>(result, folded, [](float a, float b) { return a + b; });
    else // modulo 2^64, with a sign or without
        join<uint64_t>(result, folded, [](uint64_t a, uint64_t b) { return a + b; });
}

mpu_vtype sum_type(PimDataType type) {
    if (type_is_float(type))
        return FLOAT_TYPE;
    return {static_cast<uint8_t>(type_is_signed(type) ? MPU_KIND_INT : MPU_KIND_UINT), 64};
}

struct Range {
    uint64_t begin, end;
};

bool range_of(Call &call, const Object &object, Range &r) {
    if (!r.end || r.end > object.count)
        r.end = object.count;
    if (r.begin <= r.end)
        return true;
    call.refuse("there are no elements %llu to %llu", static_cast<unsigned long long>(r.begin),
                static_cast<unsigned long long>(r.end));
    return false;
}

// Gives the folded value, which `folded` has room for.  False: refused, or no elements.
bool fold(Call &call, const char *what, mpu_op op, mpu_vtype type, const Object &object, Range r,
          void *folded) {
    if (r.begin == r.end || !settle_divisions(call))
        return false;
    call.charge(what, object);
    const uint64_t count = r.end - r.begin;
    const Vector value = call.load(object);
    const Vector one(value ? mpu_fold(value.get(), op, type, r.begin, count, count, &call.error)
                           : nullptr);
    if (one && mpu_vector_get(one.get(), 0, 1, folded, &call.error) == MPU_OK)
        return true;
    call.refuse_machine();
    return false;
}

bool checked(Call &call, PimObjId src, const void *result, Range &r) {
    const Object *object = call.object(src);
    if (!object)
        return false;
    if (result)
        return range_of(call, *object, r);
    call.refuse("the result is a null pointer");
    return false;
}

template <class Join>
PimStatus extreme(Call &call, const char *what, mpu_op op, PimObjId src, void *result, Range r) {
    if (!checked(call, src, result, r))
        return PIM_ERROR;
    const Object &object = *call.object(src);
    if (object.type == PIM_BOOL)
        return call.refuse("bool has no order");
    uint64_t folded = 0;
    if (fold(call, what, op, type_vector(object.type), object, r, &folded))
        join_elements<Join>(object.type, result, &folded);
    return call.error ? PIM_ERROR : PIM_OK;
}

} // namespace

PimStatus pimRedSum(PimObjId src, void *sum, uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimRedSum");
    Range r = {idxBegin, idxEnd};
    if (!checked(call, src, sum, r))
        return PIM_ERROR;
    const Object &object = *call.object(src);
    uint64_t folded = 0;
    if (fold(call, "redsum", MPU_OP_ADD, sum_type(object.type), object, r, &folded))
        join_sums(object.type, sum, &folded);
    return call.error ? PIM_ERROR : PIM_OK;
}

PimStatus pimRedMin(PimObjId src, void *min, uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimRedMin");
    return extreme<Less>(call, "redmin", MPU_OP_MIN, src, min, {idxBegin, idxEnd});
}

PimStatus pimRedMax(PimObjId src, void *max, uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimRedMax");
    return extreme<More>(call, "redmax", MPU_OP_MAX, src, max, {idxBegin, idxEnd});
}
