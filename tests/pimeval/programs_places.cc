// SPDX-License-Identifier: MIT
// Programs in which it counts where elements are, and what the device says of itself.
#include "programs.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

// Rule 110 on a line whose ends are dead.
bool automaton() {
    const size_t n = 257;
    std::vector<Truth> cells(n);
    cells[n - 2].value = 1;
    const Column<Truth> row(cells), left(row), right(row), born(row), lonely(row);
    for (unsigned generation = 0; generation < 20; generation++) {
        WORKS(pimCopyObjectToObject(row, left));
        WORKS(pimShiftElementsRight(left)); // the cell on the left of each
        WORKS(pimCopyObjectToObject(row, right));
        WORKS(pimShiftElementsLeft(right));
        WORKS(pimOr(row, right, born));
        WORKS(pimAnd(row, right, lonely));
        WORKS(pimAnd(lonely, left, lonely));
        WORKS(pimXor(born, lonely, row));
        const std::vector<Truth> before = cells;
        for (size_t i = 0; i < n; i++) {
            const bool l = i && before[i - 1].value, r = i + 1 < n && before[i + 1].value;
            cells[i].value = (before[i].value || r) && !(l && before[i].value && r);
        }
        CHECK(row.get() == cells);
    }
    return true;
}

bool rotations() {
    const std::vector<int16_t> x = some<int16_t>(131, 1);
    const Column<int16_t> a(x), b(a);
    for (unsigned i = 0; i < 7; i++)
        WORKS(pimRotateElementsRight(a));
    const std::vector<int16_t> right = a.get();
    for (size_t i = 0; i < x.size(); i++)
        CHECK(right[(i + 7) % x.size()] == x[i]);
    for (unsigned i = 0; i < 7; i++)
        WORKS(pimRotateElementsLeft(a));
    CHECK(a.get() == x);
    WORKS(pimShiftElementsLeft(a));
    WORKS(pimShiftElementsRight(a));
    const std::vector<int16_t> shifted = a.get();
    for (size_t i = 0; i < x.size(); i++)
        CHECK(shifted[i] == (i ? x[i] : 0));
    return true;
}

// Running sums by doubling steps, through the host as a machine without neighbours does them.
bool prefix_by_steps() {
    const size_t n = 333;
    const std::vector<uint32_t> x = some<uint32_t>(n, 2);
    const Column<uint32_t> a(x), b(a), c(a);
    for (size_t step = 1; step < n; step *= 2) {
        const std::vector<uint32_t> now = a.get();
        std::vector<uint32_t> moved(n, 0);
        for (size_t i = step; i < n; i++)
            moved[i] = now[i - step];
        CHECK(b.put(moved));
        WORKS(pimAdd(a, b, a));
    }
    CHECK(c.put(x));
    WORKS(pimPrefixSum(c, c));
    CHECK(a.get() == c.get());
    return true;
}

// A radix sort by bits: places are running sums of truths, and the host moves.
bool radix_sort() {
    const size_t n = 200;
    std::vector<uint16_t> x = some<uint16_t>(n, 3);
    const Column<uint16_t> a(x);
    const Column<Truth> bit(a);
    const Column<int32_t> before(a);
    for (unsigned k = 0; k < 16; k++) {
        CHECK(a.size() == n);
        std::vector<uint16_t> data = x;
        WORKS(pimCopyHostToDevice(data.data(), a));
        WORKS(pimBitSliceExtract(a, bit, k));
        WORKS(pimPrefixSum(bit, before));
        const std::vector<Truth> set = bit.get();
        const std::vector<int32_t> upto = before.get();
        const size_t zeros = n - static_cast<size_t>(upto[n - 1]);
        for (size_t i = 0; i < n; i++) {
            const size_t ones = static_cast<size_t>(upto[i]);
            x[set[i].value ? zeros + ones - 1 : i - ones] = data[i];
        }
    }
    for (size_t i = 1; i < n; i++)
        CHECK(x[i - 1] <= x[i]);
    return true;
}

// Parts of objects: in, out, and between them.
bool ranges() {
    const std::vector<int32_t> x = some<int32_t>(500, 4);
    const Column<int32_t> a(x), b(a);
    std::vector<int32_t> part = {1, 2, 3, 4}, want = x, got(500, 7);
    WORKS(pimCopyHostToDevice(part.data(), a, 100, 104));
    for (size_t i = 0; i < 4; i++)
        want[100 + i] = part[i];
    CHECK(a.get() == want);
    WORKS(pimCopyDeviceToHost(a, got.data(), 98, 103));
    for (size_t i = 0; i < 500; i++)
        CHECK(got[i] == (i < 5 ? want[98 + i] : 7));
    WORKS(pimCopyHostToDevice(part.data(), a, 500, 500)); // nothing
    WORKS(pimCopyDeviceToDevice(a, b, 90, 110));
    const std::vector<int32_t> copied = b.get();
    for (size_t i = 0; i < 500; i++)
        CHECK(copied[i] == (i >= 90 && i < 110 ? want[i] : 0));
    WORKS(pimCopyDeviceToDevice(a, b));
    CHECK(b.get() == want);
    WORKS(pimCopyHostToDeviceWithType(PIM_COPY_H, part.data(), b, 0, 4));
    WORKS(pimCopyDeviceToHostWithType(PIM_COPY_V, b, got.data(), 0, 4));
    CHECK(got[0] == 1 && got[3] == 4 && a.get() == want);
    return true;
}

// Bits of a float where the host writes an integer: a copy does not convert.
bool raw_bits() {
    std::vector<float> x = {1.5f, -2.0f, 0.0f, 3e8f};
    const Column<float> a(x);
    const Column<uint32_t> bits(a);
    WORKS(pimCopyDeviceToDevice(a, bits));
    CHECK((bits.get() == std::vector<uint32_t>{0x3fc00000, 0xc0000000, 0, 0x4d8f0d18}));
    WORKS(pimBroadcastInt(a, 0x40490fdb));
    CHECK(a.get()[2] == 3.14159274f);
    WORKS(pimBroadcastFP(bits, 1.0f));
    CHECK(bits.get()[3] == 0x3f800000);
    WORKS(pimBitSliceInsert(pimAllocAssociated(a, PIM_BOOL), bits, 23));
    CHECK(bits.get()[0] == 0x3f000000);
    return true;
}

// What is associated with something associated is associated, also when that is gone.
bool association() {
    const PimObjId a = pimAlloc(PIM_ALLOC_V, 9, PIM_INT8), b = pimAllocAssociated(a, PIM_INT8);
    WORKS(pimFree(a));
    const PimObjId c = pimAllocAssociated(b, PIM_INT8);
    CHECK(a == 0 && b == 1 && c == 2);
    WORKS(pimBroadcastInt(b, -3));
    WORKS(pimMul(b, b, c));
    int64_t sum = 0;
    WORKS(pimRedSum(c, &sum));
    CHECK(sum == 81);
    return true;
}

// Calls that are made later; one object may be all operands.
bool fused() {
    const std::vector<int32_t> x = some<int32_t>(60, 5);
    const Column<int32_t> a(x), b(a);
    const Column<Truth> odd(a);
    PimProg prog;
    prog.add(pimAddScalar, PimObjId(a), PimObjId(b), uint64_t(5));
    prog.add(pimMul, PimObjId(b), PimObjId(b), PimObjId(b));
    prog.add(pimBitSliceExtract, PimObjId(b), PimObjId(odd), 0u);
    prog.add(pimSub, PimObjId(b), PimObjId(odd), PimObjId(b));
    WORKS(pimFuse(prog));
    const std::vector<int32_t> got = b.get();
    for (size_t i = 0; i < x.size(); i++) {
        const uint32_t y = (static_cast<uint32_t>(x[i]) + 5) * (static_cast<uint32_t>(x[i]) + 5);
        CHECK(got[i] == static_cast<int32_t>(y - (y & 1)));
    }
    return true;
}

// Where words begin in a text: as many objects as the pattern has letters.
bool string_match() {
    std::vector<uint8_t> text(700);
    const char pattern[] = "abca";
    for (size_t i = 0; i < text.size(); i++)
        text[i] = static_cast<uint8_t>("abcabcaxbca"[(i + i / 9) % 11]);
    const Column<uint8_t> letters(text);
    const Column<Truth> found(letters), is(letters);
    WORKS(pimBroadcastUInt(found, 1));
    for (size_t k = 0; k < 4; k++) {
        WORKS(pimEQScalar(letters, is, static_cast<uint8_t>(pattern[k])));
        WORKS(pimAnd(found, is, found));
        WORKS(pimShiftElementsLeft(letters));
    }
    const std::vector<Truth> got = found.get();
    for (size_t i = 0; i < text.size(); i++) {
        bool want = true;
        for (size_t k = 0; k < 4; k++)
            want = want && i + k < text.size() && text[i + k] == pattern[k];
        CHECK(!got[i].value == !want);
    }
    return true;
}

// What is asked for is what is said: programs choose sizes and layouts by it.
bool properties() {
    PimDeviceProperties p;
    WORKS(pimGetDeviceProperties(&p));
    CHECK(p.deviceType == PIM_FUNCTIONAL && p.simTarget == PIM_DEVICE_SIMDRAM);
    CHECK(p.numPIMCores == 4 * 128 * 16 && !p.isHLayoutDevice);
    const struct {
        PimDeviceEnum device;
        unsigned cores;
        bool horizontal;
    } list[] = {{PIM_DEVICE_BITSIMD_V, 64, false}, {PIM_DEVICE_BITSIMD_H, 64, true},
                {PIM_DEVICE_FULCRUM, 64, true},    {PIM_DEVICE_BANK_LEVEL, 16, true},
                {PIM_DEVICE_AQUABOLT, 8, true},    {PIM_DEVICE_AIM, 16, true},
                {PIM_DEVICE_SIMDRAM, 64, false},   {PIM_DEVICE_DRISA_NOR, 64, false}};
    for (const auto &one : list) {
        WORKS(pimCreateDevice(one.device, 2, 8, 8, 512, 256));
        WORKS(pimGetDeviceProperties(&p));
        CHECK(p.deviceType == one.device && p.simTarget == one.device);
        CHECK(p.numPIMCores == one.cores && p.isHLayoutDevice == one.horizontal);
        CHECK(p.numRanks == 2 && p.numBankPerRank == 8 && p.numSubarrayPerBank == 8);
        CHECK(p.numRowPerSubarray == 512 && p.numColPerSubarray == 256);
        CHECK(pimAlloc(PIM_ALLOC_AUTO, 10, PIM_FP16) == 0); // numbers begin anew
        CHECK(pimAlloc(PIM_ALLOC_V1, 256 * one.cores, PIM_UINT8) == 1);
    }
    CHECK(!pimIsAnalysisMode());
    return true;
}

// A file of the configuration, which beats what the call says of it.
bool configuration() {
    const char *folder = std::getenv("TMPDIR");
    const std::string path =
        std::string(folder ? folder : "/tmp") + "/pimeval-program-" + std::to_string(getpid());
    std::FILE *file = std::fopen(path.c_str(), "w");
    CHECK(file);
    std::fputs("# of a test\nnum_ranks = 3\n num_bank_per_rank=8\nsimulation_target = "
               "PIM_DEVICE_FULCRUM\nnum_col_per_subarray = 64 # few\n\n",
               file);
    std::fclose(file);
    PimDeviceProperties p;
    const PimStatus status = pimCreateDeviceFromConfig(PIM_FUNCTIONAL, path.c_str());
    std::remove(path.c_str());
    WORKS(status);
    WORKS(pimGetDeviceProperties(&p));
    CHECK(p.numRanks == 3 && p.numBankPerRank == 8 && p.numSubarrayPerBank == 32);
    CHECK(p.numColPerSubarray == 64 && p.simTarget == PIM_DEVICE_FULCRUM && p.isHLayoutDevice);
    const Column<int8_t> x(some<int8_t>(70, 6));
    const Column<int32_t> wide(x); // of a wider type, in rows
    WORKS(pimConvertType(x, wide));
    return true;
}

} // namespace

const std::vector<Program> programs_places = {{"automaton", automaton},
                                              {"rotations", rotations},
                                              {"prefix_by_steps", prefix_by_steps},
                                              {"radix_sort", radix_sort},
                                              {"ranges", ranges},
                                              {"raw_bits", raw_bits},
                                              {"association", association},
                                              {"fused", fused},
                                              {"string_match", string_match},
                                              {"properties", properties},
                                              {"configuration", configuration}};
