// SPDX-License-Identifier: MIT
// Objects: a number, a type, a length, and the vector that has the elements.
#include "pimeval/pimeval.h"

#include <climits>

using namespace mpu_pimeval;

namespace {

PimObjId refused(Call &call, const char *why) {
    call.refuse("%s", why);
    return -1;
}

// Each call takes a number, whether it succeeds or not.
PimObjId number_of(Device &d) {
    return d.next < INT_MAX ? d.next++ : -1;
}

PimObjId add(Call &call, Device &d, PimObjId id, Object object) {
    if (id < 0)
        return refused(call, "there are no more numbers of objects");
    if (object.original < 0) {
        object.value =
            Vector(mpu_vector_new(d.machine, type_vector(object.type), object.count, &call.error));
        if (!object.value) {
            call.refuse_machine();
            return -1;
        }
    }
    d.objects.emplace(id, std::move(object));
    return id;
}

// Layouts with one place in each core have as many elements as fit there.
bool fits_once(const Device &d, PimAllocEnum layout, uint64_t count, PimDataType type) {
    const uint64_t columns = d.properties.numColPerSubarray;
    const uint64_t each = layout == PIM_ALLOC_V1 ? columns : columns / type_bits(type);
    return count <= each * d.properties.numPIMCores;
}

bool horizontal(const Device &d, PimAllocEnum layout) {
    return layout == PIM_ALLOC_AUTO ? d.properties.isHLayoutDevice
                                    : layout == PIM_ALLOC_H || layout == PIM_ALLOC_H1;
}

} // namespace

PimObjId pimAlloc(PimAllocEnum allocType, uint64_t numElements, PimDataType dataType) {
    Call call("pimAlloc", CALL_ALLOC);
    Device *d = call.device();
    if (!d)
        return -1;
    const PimObjId id = number_of(*d);
    if (static_cast<unsigned>(allocType) > PIM_ALLOC_H1)
        return refused(call, "there is no such layout");
    if (!type_is_known(dataType))
        return refused(call, "there is no such type");
    if (!numElements)
        return refused(call, "an object has at least one element");
    if ((allocType == PIM_ALLOC_V1 || allocType == PIM_ALLOC_H1) &&
        !fits_once(*d, allocType, numElements, dataType))
        return refused(call, "the elements need more than one place of a core");
    return add(call, *d, id,
               {dataType, numElements, horizontal(*d, allocType), id, -1, {}, Vector()});
}

PimObjId pimAllocAssociated(PimObjId assocId, PimDataType dataType) {
    Call call("pimAllocAssociated", CALL_ALLOC);
    Device *d = call.device();
    if (!d)
        return -1;
    const PimObjId id = number_of(*d);
    const Object *with = call.object(assocId);
    if (!with)
        return -1;
    if (!type_is_known(dataType))
        return refused(call, "there is no such type");
    const PimDeviceEnum target = d->properties.simTarget;
    if (with->horizontal && type_bits(dataType) > type_bits(with->type) &&
        target != PIM_DEVICE_BANK_LEVEL && target != PIM_DEVICE_FULCRUM)
        return refused(call, "the type is wider than that of the other object, in rows");
    return add(call, *d, id,
               {dataType, with->count, with->horizontal, with->group, -1, {}, Vector()});
}

PimObjId pimAllocBuffer(uint32_t, PimDataType) {
    Call call("pimAllocBuffer", CALL_ALLOC);
    Device *d = call.device();
    if (!d)
        return -1;
    number_of(*d);
    return refused(call, "the machine has no buffers");
}

PimStatus pimFree(PimObjId obj) {
    Call call("pimFree", CALL_ALLOC);
    if (!call.object(obj))
        return PIM_ERROR;
    std::map<PimObjId, Object> &objects = process().device->objects;
    const std::vector<PimObjId> views = objects.at(obj).views;
    objects.erase(obj);
    for (PimObjId view : views)
        objects.erase(view);
    return PIM_OK;
}

PimObjId pimCreateRangedRef(PimObjId, uint64_t, uint64_t) {
    Call call("pimCreateRangedRef", CALL_ALLOC);
    Device *d = call.device();
    if (!d)
        return -1;
    number_of(*d);
    return refused(call, "views of ranges are not there");
}

PimObjId pimCreateDualContactRef(PimObjId refId) {
    Call call("pimCreateDualContactRef", CALL_ALLOC);
    Device *d = call.device();
    if (!d)
        return -1;
    const PimObjId id = number_of(*d);
    Object *of = call.object(refId);
    if (!of)
        return -1;
    if (of->original >= 0)
        return refused(call, "there is no view of a view");
    of->views.push_back(id);
    return add(call, *d, id, {of->type, of->count, of->horizontal, of->group, refId, {}, Vector()});
}
