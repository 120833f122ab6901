// SPDX-License-Identifier: MIT
// Numbers and objects that are drawn (pim_objects.h).
#include "tests/pimeval/pim_objects.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace model;

namespace drawn {

namespace {
uint64_t state;
}

std::vector<Object> objects;
std::string trouble;
unsigned long step;

void seed(uint64_t number) {
    state = number * 0x9e3779b97f4a7c15u + 1;
}

uint64_t draw() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
uint64_t below(uint64_t bound) {
    return draw() >> 11 ? (draw() >> 11) % bound : 0;
}

void wrong(const char *format, const char *what, uint64_t got, uint64_t want) {
    char line[256];
    std::snprintf(line, sizeof line, format, what, got, want);
    if (trouble.empty())
        trouble = "call " + std::to_string(step) + ": " + line;
}

void status_is(const char *call, PimStatus got, bool well) {
    if ((got == PIM_OK) != well)
        wrong("%s: status %" PRIu64 ", not %" PRIu64, call, got, well);
}

uint64_t element(PimDataType type) {
    const Type &t = type_of(type);
    if (t.real) {
        const float values[] = {0.0f, -0.0f, 1.0f, -1.5f, 3.25e10f, -7e-12f};
        return below(3) ? bits_of(static_cast<float>(static_cast<int64_t>(below(4001)) - 2000) / 8)
                        : bits_of(values[below(6)]);
    }
    switch (below(6)) {
    case 3:
        return cut(type, draw() << 8);
    case 0:
        return cut(type, below(4));
    case 1:
        return cut(type, uint64_t(0) - below(4));
    case 2:
        return cut(type, (uint64_t(1) << (t.bits - 1)) + below(3) - 1);
    default:
        return cut(type, draw());
    }
}

uint64_t scalar_for(PimDataType type) {
    const Type &t = type_of(type);
    if (t.real)
        return element(type) | (below(2) ? draw() << 32 : 0);
    const uint64_t end = uint64_t(1) << (t.bits - 1);
    switch (below(9)) {
    case 0:
        return wide(type, element(type));
    case 7:
        return end;
    case 1:
        return end + below(3) - 1;
    case 2:
        return uint64_t(0) - end + below(3) - 1;
    case 3:
        return 2 * end + below(3) - 1;
    case 4:
        return uint64_t(0) - below(3);
    case 5:
        return below(3);
    default:
        return draw();
    }
}

static uint64_t seen(const Object &o, size_t i) {
    return o.original < 0 ? o.values.bits[i]
                          : cut(o.values.type, ~objects[o.original].values.bits[i]);
}

Values value_of(const Object &o) {
    Values v = o.values;
    for (size_t i = 0; i < v.bits.size(); i++)
        v.bits[i] = seen(o, i);
    return v;
}

Object *written;

void assign(Object &o, const Values &v) {
    written = &o;
    Object &at = o.original < 0 ? o : objects[o.original];
    for (size_t i = 0; i < v.bits.size(); i++)
        at.values.bits[i] = o.original < 0 ? v.bits[i] : cut(v.type, ~v.bits[i]);
}

Object &any() {
    return objects[below(objects.size())];
}

Object &beside(const Object &o) {
    for (unsigned tries = 0; tries < 20; tries++) {
        Object &other = any();
        if (other.group == o.group)
            return other;
    }
    return any();
}

Object &beside_of(const Object &o, PimDataType type) {
    for (unsigned tries = 0; tries < 60; tries++) {
        Object &other = beside(o);
        if (other.values.type == type)
            return other;
    }
    return beside(o);
}

namespace {

struct Bytes {
    std::vector<uint8_t> data;
    Bytes(PimDataType type, uint64_t count) : data(count * type_of(type).bytes + 1) {}
};

void put_bytes(const Values &v, uint64_t begin, uint64_t end, Bytes &to) {
    const unsigned bytes = type_of(v.type).bytes;
    for (uint64_t i = begin; i < end; i++) {
        // A BOOL is true by any bit.
        const uint64_t bits = v.type == PIM_BOOL && v.bits[i] ? uint64_t(1) << below(8) : v.bits[i];
        std::memcpy(&to.data[(i - begin) * bytes], &bits, bytes);
    }
}

} // namespace

void fill(Object &o) {
    Values v = value_of(o);
    const uint64_t n = v.bits.size();
    uint64_t begin = 0, end = 0;
    if (below(2)) {
        begin = below(n + 1);
        end = begin + below(n - begin + 1);
        begin = end ? begin : 0;
    }
    const uint64_t last = end ? end : n;
    Bytes bytes(v.type, last - begin);
    for (uint64_t i = begin; i < last; i++)
        v.bits[i] = element(v.type);
    put_bytes(v, begin, last, bytes);
    status_is("HostToDevice", pimCopyHostToDevice(bytes.data.data(), o.id, begin, end), true);
    assign(o, v);
}

void fill_whole(Object &o) {
    Values v = value_of(o);
    Bytes bytes(v.type, v.bits.size());
    for (uint64_t &bits : v.bits)
        bits = bits_of(static_cast<float>(below(200)) - 100);
    put_bytes(v, 0, v.bits.size(), bytes);
    status_is("HostToDevice", pimCopyHostToDevice(bytes.data.data(), o.id), true);
    assign(o, v);
}

void check(const Object &o, uint64_t begin, uint64_t end) {
    const PimDataType type = o.values.type;
    const unsigned size = type_of(type).bytes;
    const uint64_t last = end ? end : o.values.bits.size();
    Bytes bytes(type, last - begin);
    status_is("DeviceToHost", pimCopyDeviceToHost(o.id, bytes.data.data(), begin, end), true);
    for (uint64_t i = begin; i < last; i++) {
        uint64_t got = 0;
        std::memcpy(&got, &bytes.data[(i - begin) * size], size);
        if (!same(type, got, seen(o, i)))
            wrong("%s: %016" PRIx64 ", not %016" PRIx64, type_of(type).name, got, seen(o, i));
    }
}

namespace {

void add(unsigned group, PimObjId id, int original, PimDataType type, uint64_t length) {
    if (id < 0)
        wrong("%s: %" PRIu64 " %" PRIu64, "no object", group, type);
    objects.push_back({id, group, original, {type, std::vector<uint64_t>(length)}});
}

} // namespace

// Few, of few types, so that what one call leaves the next ones read.  In rows a type wider than
// its neighbour's has no room on most devices: there they are columns.
void make_objects(bool rows) {
    static const uint64_t lengths[] = {1, 7, 65, 300};
    objects.clear();
    written = nullptr;
    for (unsigned group = 0; group < 2; group++) {
        const uint64_t length = lengths[below(4)];
        const PimDataType list[] = {PIM_BOOL, static_cast<PimDataType>(below(PIM_FP8 + 1)),
                                    static_cast<PimDataType>(below(PIM_UINT64 + 1)),
                                    static_cast<PimDataType>(below(PIM_UINT64 + 1))};
        const PimAllocEnum layout = static_cast<PimAllocEnum>(below(rows ? 3 : 2));
        const PimObjId first = pimAlloc(layout, length, list[1]);
        add(group, first, -1, list[1], length);
        for (unsigned i = 0; i < 11; i++)
            add(group, pimAllocAssociated(first, list[i % 4]), -1, list[i % 4], length);
        const size_t of = objects.size() - 1 - below(11);
        const PimDataType type = objects[of].values.type;
        const PimObjId view = pimCreateDualContactRef(objects[of].id);
        add(group, view, static_cast<int>(of), type, length);
    }
}

} // namespace drawn
