// SPDX-License-Identifier: MIT
// What a program gets from its device, as lines in the file that PIM_TRACE names: linked with
// -Wl,--wrap of the calls below, with either library, since both have the same names for them.
// A line has the call, the object and a hash of what came, so that two runs can be compared; random
// inputs and the time of day are the same in every run.
#include "libpimeval.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <random>

namespace {

struct Known {
    PimDataType type;
    uint64_t count;
};
std::map<PimObjId, Known> known;

std::FILE *out() {
    static std::FILE *const file = [] {
        const char *path = std::getenv("PIM_TRACE");
        return path ? std::fopen(path, "w") : nullptr;
    }();
    return file;
}

unsigned bytes_of(PimDataType type) {
    switch (type) {
    case PIM_BOOL:
    case PIM_INT8:
    case PIM_UINT8:
        return 1;
    case PIM_INT16:
    case PIM_UINT16:
        return 2;
    case PIM_INT64:
    case PIM_UINT64:
        return 8;
    default:
        return 4;
    }
}

// FNV-1a; of a BOOL whether it is 0.
uint64_t hash_of(const void *data, uint64_t bytes, bool truth) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < bytes; i++) {
        const uint8_t byte = static_cast<const uint8_t *>(data)[i];
        hash = (hash ^ (truth ? byte != 0 : byte)) * 0x100000001b3u;
    }
    return hash;
}

void note(const char *call, PimObjId id, const void *data, uint64_t bytes, bool truth) {
    if (!out())
        return;
    std::fprintf(out(), "%s %d %" PRIu64 " %016" PRIx64 "\n", call, id, bytes,
                 hash_of(data, bytes, truth));
    std::fflush(out());
}

void reduced(const char *call, PimObjId id, const void *result, unsigned bytes) {
    uint64_t value = 0;
    std::memcpy(&value, result, bytes);
    if (!out())
        return;
    std::fprintf(out(), "%s %d %016" PRIx64 "\n", call, id, value);
    std::fflush(out());
}

PimObjId made(PimObjId id, uint64_t count, PimDataType type) {
    if (id >= 0)
        known[id] = {type, count};
    return id;
}

} // namespace

// As the linker calls them: `real` is the library's, `wrap` what programs get.
#define REAL(name) __real_##name
#define WRAP(name) __wrap_##name

extern "C" {
PimObjId REAL(_Z8pimAlloc12PimAllocEnumm11PimDataType)(PimAllocEnum, uint64_t, PimDataType);
PimObjId REAL(_Z18pimAllocAssociatedi11PimDataType)(PimObjId, PimDataType);
PimStatus REAL(_Z19pimCopyDeviceToHostiPvmm)(PimObjId, void *, uint64_t, uint64_t);
PimStatus REAL(_Z9pimRedSumiPvmm)(PimObjId, void *, uint64_t, uint64_t);
PimStatus REAL(_Z9pimRedMiniPvmm)(PimObjId, void *, uint64_t, uint64_t);
PimStatus REAL(_Z9pimRedMaxiPvmm)(PimObjId, void *, uint64_t, uint64_t);

PimObjId WRAP(_Z8pimAlloc12PimAllocEnumm11PimDataType)(PimAllocEnum layout, uint64_t count,
                                                       PimDataType type) {
    return made(REAL(_Z8pimAlloc12PimAllocEnumm11PimDataType)(layout, count, type), count, type);
}

PimObjId WRAP(_Z18pimAllocAssociatedi11PimDataType)(PimObjId with, PimDataType type) {
    const uint64_t count = known.count(with) ? known[with].count : 0;
    return made(REAL(_Z18pimAllocAssociatedi11PimDataType)(with, type), count, type);
}

PimStatus WRAP(_Z19pimCopyDeviceToHostiPvmm)(PimObjId id, void *dest, uint64_t begin,
                                             uint64_t end) {
    const PimStatus status = REAL(_Z19pimCopyDeviceToHostiPvmm)(id, dest, begin, end);
    const Known what = known[id];
    const uint64_t count = end ? end - begin : what.count;
    if (status == PIM_OK)
        note("copy", id, dest, count * bytes_of(what.type), what.type == PIM_BOOL);
    return status;
}

PimStatus WRAP(_Z9pimRedSumiPvmm)(PimObjId id, void *result, uint64_t begin, uint64_t end) {
    const PimStatus status = REAL(_Z9pimRedSumiPvmm)(id, result, begin, end);
    reduced("sum", id, result, known[id].type >= PIM_FP32 ? 4 : 8);
    return status;
}

PimStatus WRAP(_Z9pimRedMiniPvmm)(PimObjId id, void *result, uint64_t begin, uint64_t end) {
    const PimStatus status = REAL(_Z9pimRedMiniPvmm)(id, result, begin, end);
    reduced("min", id, result, bytes_of(known[id].type));
    return status;
}

PimStatus WRAP(_Z9pimRedMaxiPvmm)(PimObjId id, void *result, uint64_t begin, uint64_t end) {
    const PimStatus status = REAL(_Z9pimRedMaxiPvmm)(id, result, begin, end);
    reduced("max", id, result, bytes_of(known[id].type));
    return status;
}

unsigned WRAP(_ZNSt13random_device9_M_getvalEv)(std::random_device *) {
    static unsigned state = 12345;
    return state = state * 1664525u + 1013904223u;
}

time_t WRAP(time)(time_t *out_time) {
    if (out_time)
        *out_time = 1000000000;
    return 1000000000;
}
}
