// SPDX-License-Identifier: MIT
// Copies between host and objects, and between objects.
#include "pimeval/pimeval.h"

#include <new>
#include <memory>

using namespace mpu_pimeval;

namespace {

// Elements begin .. end - 1 of an object; end 0 is all of it.
bool range_of(Call &call, const Object &object, uint64_t begin, uint64_t &end) {
    if (!end && begin) {
        call.refuse("a range that begins at %llu has an end",
                    static_cast<unsigned long long>(begin));
        return false;
    }
    end = end ? end : object.count;
    if (begin <= end && end <= object.count)
        return true;
    call.refuse("elements %llu to %llu are not all among %llu",
                static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end),
                static_cast<unsigned long long>(object.count));
    return false;
}

// Bytes of a BOOL that are neither 0 nor 1 are true; the machine would look at their lowest bit.
const void *as_bits(const void *data, uint64_t count, std::unique_ptr<uint8_t[]> &made) {
    const uint8_t *bytes = static_cast<const uint8_t *>(data);
    uint64_t i = 0;
    while (i < count && bytes[i] <= 1)
        i++;
    if (i == count)
        return data;
    made.reset(new (std::nothrow) uint8_t[count]);
    for (uint64_t k = 0; made && k < count; k++)
        made[k] = bytes[k] != 0;
    return made.get();
}

PimStatus to_device(Call &call, const void *src, PimObjId dest, uint64_t begin, uint64_t end) {
    Object *object = call.object(dest);
    if (!object)
        return PIM_ERROR;
    if (!src)
        return call.refuse("the source is a null pointer");
    if (!range_of(call, *object, begin, end))
        return PIM_ERROR;
    if (begin == end)
        return PIM_OK;
    std::unique_ptr<uint8_t[]> made;
    const void *data = object->type == PIM_BOOL ? as_bits(src, end - begin, made) : src;
    if (!data)
        return call.refuse_machine();
    call.charge_plain("copy_host_to_device");
    process().device->bytes_in += (end - begin) * type_bytes(object->type);
    const Vector put = call.load(*object);
    if (!put || mpu_vector_put(put.get(), begin, end - begin, data, &call.error) != MPU_OK)
        return call.refuse_machine();
    return object->original < 0 ? PIM_OK : call.store(*object, put);
}

PimStatus to_host(Call &call, PimObjId src, void *dest, uint64_t begin, uint64_t end) {
    const Object *object = call.object(src);
    if (!object)
        return PIM_ERROR;
    if (!dest)
        return call.refuse("the destination is a null pointer");
    if (!range_of(call, *object, begin, end))
        return PIM_ERROR;
    if (begin == end)
        return PIM_OK;
    if (!settle_divisions(call))
        return PIM_ERROR;
    call.charge_plain("copy_device_to_host");
    process().device->bytes_out += (end - begin) * type_bytes(object->type);
    const Vector value = call.load(*object);
    if (!value || mpu_vector_get(value.get(), begin, end - begin, dest, &call.error) != MPU_OK)
        return call.refuse_machine();
    return PIM_OK;
}

bool layout_is_known(Call &call, PimCopyEnum layout) {
    if (static_cast<unsigned>(layout) <= PIM_COPY_H)
        return true;
    call.refuse("there is no such layout");
    return false;
}

// The value of src as its bytes on the host would be read at another type of as many.
Vector read_as(Call &call, const Object &src, const Object &dest) {
    const Vector value = call.load(src);
    if (src.type == dest.type || type_is_float(src.type) == type_is_float(dest.type))
        return src.type == dest.type ? value
                                     : call.apply(MPU_OP_CAST, type_vector(dest.type), {value});
    return call.apply(MPU_OP_BITCAST, type_vector(dest.type), {value});
}

} // namespace

PimStatus pimCopyHostToDevice(void *src, PimObjId dest, uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimCopyHostToDevice", CALL_COPY);
    return to_device(call, src, dest, idxBegin, idxEnd);
}

PimStatus pimCopyDeviceToHost(PimObjId src, void *dest, uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimCopyDeviceToHost", CALL_COPY);
    return to_host(call, src, dest, idxBegin, idxEnd);
}

PimStatus pimCopyHostToDeviceWithType(PimCopyEnum copyType, void *src, PimObjId dest,
                                      uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimCopyHostToDeviceWithType", CALL_COPY);
    return layout_is_known(call, copyType) ? to_device(call, src, dest, idxBegin, idxEnd)
                                           : PIM_ERROR;
}

PimStatus pimCopyDeviceToHostWithType(PimCopyEnum copyType, PimObjId src, void *dest,
                                      uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimCopyDeviceToHostWithType", CALL_COPY);
    return layout_is_known(call, copyType) ? to_host(call, src, dest, idxBegin, idxEnd) : PIM_ERROR;
}

PimStatus pimCopyDeviceToDevice(PimObjId src, PimObjId dest, uint64_t idxBegin, uint64_t idxEnd) {
    Call call("pimCopyDeviceToDevice", CALL_COPY);
    const Object *from = call.object(src);
    Object *to = from ? call.object(dest) : nullptr;
    if (!to || !call.associated(src, dest) || !range_of(call, *from, idxBegin, idxEnd))
        return PIM_ERROR;
    if (type_bytes(from->type) != type_bytes(to->type))
        return call.refuse("elements of %s and %s differ in size", type_name(from->type),
                           type_name(to->type));
    if (idxBegin == idxEnd)
        return PIM_OK;
    const uint64_t count = idxEnd - idxBegin;
    call.charge_plain("copy_device_to_device");
    process().device->bytes_within += count * type_bytes(from->type);
    const Vector value = read_as(call, *from, *to);
    if (count == from->count)
        return call.store(*to, value);
    const Vector whole = call.load(*to);
    if (!value || !whole ||
        mpu_vector_copy(whole.get(), idxBegin, value.get(), idxBegin, count, &call.error) != MPU_OK)
        return call.refuse_machine();
    return to->original < 0 ? PIM_OK : call.store(*to, whole);
}

PimStatus pimCopyObjectToObject(PimObjId src, PimObjId dest) {
    Call call("pimCopyObjectToObject", CALL_COPY);
    const Object *from = call.object(src);
    Object *to = from ? call.object(dest) : nullptr;
    if (!to || !call.associated(src, dest))
        return PIM_ERROR;
    if (from->type != to->type)
        return call.refuse("%s is not %s", type_name(from->type), type_name(to->type));
    call.charge("copy_object", *from);
    return call.store(*to, call.load(*from));
}

PimStatus pimConvertType(PimObjId src, PimObjId dest) {
    Call call("pimConvertType");
    const Object *from = call.object(src);
    Object *to = from ? call.object(dest) : nullptr;
    if (!to || !call.associated(src, dest))
        return PIM_ERROR;
    if (type_is_float(from->type) || type_is_float(to->type))
        return call.refuse("floating point is not converted");
    call.charge("convert", *from);
    Vector value = call.load(*from);
    if (to->type == PIM_BOOL && type_bits(from->type) > 8) // the lowest byte decides
        value = call.apply(MPU_OP_CAST, {MPU_KIND_UINT, 8}, {value});
    if (from->type != to->type)
        value = call.apply(MPU_OP_CAST, type_vector(to->type), {value});
    return call.store(*to, value);
}
