/* SPDX-License-Identifier: MIT
 * Small programs on PIMeval's interface, each of which checks its results by plain C++.  They use
 * what the library's own programs use: no header of ours but the interface. */
#ifndef TESTS_PIMEVAL_PROGRAMS_H
#define TESTS_PIMEVAL_PROGRAMS_H

#include "libpimeval.h"

#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

struct Program {
    const char *name;
    bool (*run)();
};
extern const std::vector<Program> programs_numbers, programs_bits, programs_places;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            return false;                                                                          \
        }                                                                                          \
    } while (0)
#define WORKS(call) CHECK((call) == PIM_OK)

struct Truth { /* of a BOOL; vector<bool> has no bytes */
    uint8_t value;
    bool operator==(Truth other) const {
        return !value == !other.value;
    }
};

template <class T> constexpr PimDataType type_for() {
    if (std::is_same<T, Truth>::value)
        return PIM_BOOL;
    if (std::is_same<T, float>::value)
        return PIM_FP32;
    const bool sign = std::is_signed<T>::value;
    return sizeof(T) == 1   ? sign ? PIM_INT8 : PIM_UINT8
           : sizeof(T) == 2 ? sign ? PIM_INT16 : PIM_UINT16
           : sizeof(T) == 4 ? sign ? PIM_INT32 : PIM_UINT32
           : sign           ? PIM_INT64
                            : PIM_UINT64;
}

/* An object, freed at its end. */
template <class T> class Column {
  public:
    explicit Column(uint64_t count, PimAllocEnum layout = PIM_ALLOC_AUTO)
        : id(pimAlloc(layout, count, type_for<T>())), n(count) {}
    explicit Column(const std::vector<T> &x, PimAllocEnum layout = PIM_ALLOC_AUTO)
        : Column(x.size(), layout) {
        put(x);
    }
    template <class U>
    explicit Column(const Column<U> &with)
        : id(pimAllocAssociated(with, type_for<T>())), n(with.size()) {}
    template <class U> Column(const Column<U> &with, const std::vector<T> &x) : Column(with) {
        put(x);
    }
    /* Not a copy, but one more of the kind. */
    Column(const Column &with) : id(pimAllocAssociated(with, type_for<T>())), n(with.size()) {}
    Column &operator=(const Column &) = delete;
    ~Column() {
        pimFree(id);
    }
    operator PimObjId() const {
        return id;
    }
    uint64_t size() const {
        return n;
    }
    bool put(const std::vector<T> &x) const {
        std::vector<T> data = x;
        return pimCopyHostToDevice(data.data(), id) == PIM_OK;
    }
    std::vector<T> get() const {
        std::vector<T> x(n);
        if (pimCopyDeviceToHost(id, x.data()) != PIM_OK)
            x.clear();
        return x;
    }

  private:
    PimObjId id;
    uint64_t n;
};

/* Numbers of all sizes, the same in every run. */
template <class T> std::vector<T> some(uint64_t count, uint64_t seed) {
    std::vector<T> x(count);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (T &element : x) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        element = static_cast<T>(state >> 5 & 15 ? state >> 9 : state >> 9 & 3);
    }
    return x;
}

#endif
