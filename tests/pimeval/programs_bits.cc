// SPDX-License-Identifier: MIT
// Programs that work on bits, truths and tables.
#include "programs.h"

namespace {

uint32_t ones(uint64_t bits) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

template <class T> bool logic_at() {
    const std::vector<T> x = some<T>(129, 1), y = some<T>(129, 2);
    const Column<T> a(x), b(a, y), results[4] = {a, a, a, a}, inverse(a), counts(a);
    WORKS(pimAnd(a, b, results[0]));
    WORKS(pimOr(a, b, results[1]));
    WORKS(pimXor(a, b, results[2]));
    WORKS(pimXnor(a, b, results[3]));
    WORKS(pimNot(a, inverse));
    WORKS(pimPopCount(a, counts));
    const std::vector<T> got[] = {results[0].get(), results[1].get(), results[2].get(),
                                  results[3].get()};
    const std::vector<T> inverted = inverse.get(), counted = counts.get();
    const T scalar = static_cast<T>(0x5a5a5a5a5a5a5a5a);
    WORKS(pimAndScalar(a, results[0], 0x5a5a5a5a5a5a5a5a));
    WORKS(pimOrScalar(a, results[1], 0x5a5a5a5a5a5a5a5a));
    WORKS(pimXorScalar(a, results[2], 0x5a5a5a5a5a5a5a5a));
    WORKS(pimXnorScalar(a, results[3], 0x5a5a5a5a5a5a5a5a));
    const std::vector<T> by[] = {results[0].get(), results[1].get(), results[2].get(),
                                 results[3].get()};
    for (size_t i = 0; i < x.size(); i++) {
        for (unsigned k = 0; k < 2; k++) {
            const T other = k ? scalar : y[i];
            const std::vector<T> *z = k ? by : got;
            CHECK(z[0][i] == static_cast<T>(x[i] & other));
            CHECK(z[1][i] == static_cast<T>(x[i] | other));
            CHECK(z[2][i] == static_cast<T>(x[i] ^ other));
            CHECK(z[3][i] == static_cast<T>(~(x[i] ^ other)));
        }
        CHECK(inverted[i] == static_cast<T>(~x[i]));
        const uint64_t mask = ~uint64_t(0) >> (64 - 8 * sizeof(T));
        CHECK(counted[i] == static_cast<T>(ones(static_cast<uint64_t>(x[i]) & mask)));
    }
    return true;
}
bool logic() {
    return logic_at<int8_t>() && logic_at<uint16_t>() && logic_at<int32_t>() &&
           logic_at<uint64_t>();
}

// To the right with the sign of the type; by the width and more everything goes out.
template <class T> bool shifts_at() {
    const std::vector<T> x = some<T>(67, 3);
    const Column<T> a(x), b(a);
    const unsigned width = 8 * sizeof(T);
    for (unsigned amount : {0u, 1u, 3u, width - 1, width, width + 1, 63u}) {
        WORKS(pimShiftBitsRight(a, b, amount));
        const std::vector<T> right = b.get();
        WORKS(pimShiftBitsLeft(a, b, amount));
        const std::vector<T> left = b.get();
        for (size_t i = 0; i < x.size(); i++) {
            const T fill = static_cast<T>(x[i] < 0 ? -1 : 0);
            CHECK(right[i] == (amount < width ? static_cast<T>(x[i] >> amount) : fill));
            const T low =
                static_cast<T>(amount < width ? static_cast<uint64_t>(x[i]) << amount : 0);
            CHECK(left[i] == low);
        }
    }
    return true;
}
bool shifts() {
    return shifts_at<int8_t>() && shifts_at<uint8_t>() && shifts_at<int16_t>() &&
           shifts_at<uint32_t>() && shifts_at<int64_t>();
}

// The bits of words one by one, put together backwards.
bool bit_reversal() {
    const std::vector<uint16_t> x = some<uint16_t>(211, 4);
    const Column<uint16_t> a(x), b(a);
    const Column<Truth> bit(a);
    for (unsigned i = 0; i < 16; i++) {
        WORKS(pimBitSliceExtract(a, bit, i));
        WORKS(pimBitSliceInsert(bit, b, 15 - i));
    }
    const std::vector<uint16_t> got = b.get();
    for (size_t i = 0; i < x.size(); i++)
        for (unsigned k = 0; k < 16; k++)
            CHECK((got[i] >> k & 1) == (x[i] >> (15 - k) & 1));
    return true;
}

// How far words are from a pattern, and how many are within a distance.
bool hamming() {
    const std::vector<uint32_t> x = some<uint32_t>(1501, 5);
    const Column<uint32_t> a(x);
    const Column<Truth> near(a);
    WORKS(pimXorScalar(a, a, 0xdeadbeef));
    WORKS(pimPopCount(a, a));
    WORKS(pimLTScalar(a, near, 16));
    uint64_t count = 0, want = 0;
    WORKS(pimRedSum(near, &count));
    for (uint32_t word : x)
        want += ones(word ^ 0xdeadbeef) < 16;
    CHECK(count == want && want > 0);
    return true;
}

bool histogram() {
    const std::vector<uint8_t> x = some<uint8_t>(3000, 6);
    const Column<uint8_t> a(x);
    const Column<Truth> is(a);
    std::vector<uint64_t> bins(256), want(256);
    for (uint8_t value : x)
        want[value]++;
    for (unsigned bin = 0; bin < 256; bin += 5) {
        WORKS(pimEQScalar(a, is, bin));
        WORKS(pimRedSum(is, &bins[bin]));
        CHECK(bins[bin] == want[bin]);
    }
    return true;
}

// Truths: of bytes that are not 0, in sums, as numbers, and counted.
bool truths() {
    std::vector<Truth> x(100), y(100);
    for (unsigned i = 0; i < 100; i++) {
        x[i].value = static_cast<uint8_t>(i % 3 ? 0 : 1 << i % 8);
        y[i].value = i % 5 == 0;
    }
    const Column<Truth> a(x), b(a, y), c(a);
    const Column<int32_t> sum(a);
    const Column<uint8_t> number(a);
    WORKS(pimAnd(a, b, c));
    uint64_t both = 0, either = 0;
    WORKS(pimRedSum(c, &both));
    WORKS(pimOr(a, b, c));
    WORKS(pimRedSum(c, &either));
    CHECK(both == 7 && either == 34 + 20 - 7);
    WORKS(pimAdd(a, b, sum));
    WORKS(pimAdd(sum, a, sum));
    WORKS(pimSub(sum, b, sum));
    WORKS(pimConvertType(a, number));
    const std::vector<int32_t> sums = sum.get();
    const std::vector<uint8_t> numbers = number.get();
    for (unsigned i = 0; i < 100; i++)
        CHECK(sums[i] == 2 * (i % 3 == 0) && numbers[i] == (i % 3 == 0));
    WORKS(pimNot(a, c));
    WORKS(pimXor(a, c, c));
    uint64_t all = 0;
    WORKS(pimRedSum(c, &all));
    CHECK(all == 100);
    return true;
}

// Signs are extended where a type gets wider, bits go where it gets narrower.
bool conversions() {
    const std::vector<int8_t> x = some<int8_t>(50, 7);
    const Column<int8_t> a(x), back(a);
    const Column<int64_t> wide(a);
    const Column<uint32_t> word(a);
    const Column<uint16_t> half(a);
    const Column<Truth> is(a);
    WORKS(pimConvertType(a, wide));
    WORKS(pimMulScalar(wide, wide, 257));
    WORKS(pimConvertType(wide, back));
    WORKS(pimConvertType(a, word));
    WORKS(pimConvertType(word, half));
    const std::vector<int64_t> w = wide.get();
    const std::vector<uint16_t> h = half.get();
    CHECK(back.get() == x);
    for (size_t i = 0; i < x.size(); i++)
        CHECK(w[i] == 257 * int64_t(x[i]) && h[i] == static_cast<uint16_t>(x[i]));
    WORKS(pimConvertType(wide, is)); // by the lowest byte
    const std::vector<Truth> t = is.get();
    for (size_t i = 0; i < x.size(); i++)
        CHECK(!t[i].value == !x[i]);
    return true;
}

// AES: the table of the field's inverses there and back, and a column mixed by doublings.
uint8_t doubled(uint8_t x) {
    return static_cast<uint8_t>(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}
uint8_t rotated(uint8_t x, unsigned count) {
    return static_cast<uint8_t>(x << count | x >> (8 - count));
}
std::vector<uint8_t> sbox() {
    std::vector<uint8_t> box(256);
    uint8_t p = 1, q = 1; // q is the inverse of p, a power of 3
    do {
        p = static_cast<uint8_t>(p ^ doubled(p));
        q = static_cast<uint8_t>(q ^ q << 1);
        q = static_cast<uint8_t>(q ^ q << 2);
        q = static_cast<uint8_t>(q ^ q << 4);
        q = static_cast<uint8_t>(q & 0x80 ? q ^ 0x09 : q);
        box[p] = static_cast<uint8_t>(q ^ rotated(q, 1) ^ rotated(q, 2) ^ rotated(q, 3) ^
                                      rotated(q, 4) ^ 0x63);
    } while (p != 1);
    box[0] = 0x63;
    return box;
}
bool aes_steps() {
    const std::vector<uint8_t> box = sbox(), x = some<uint8_t>(160, 8);
    std::vector<uint8_t> inverse(256), want = x;
    for (unsigned i = 0; i < 256; i++)
        inverse[box[i]] = static_cast<uint8_t>(i);
    CHECK(box[0x53] == 0xed);
    const Column<uint8_t> a(x), high(a), mixed(a);
    const Column<Truth> carry(a);
    WORKS(pimAesSbox(a, mixed, box));
    for (uint8_t &byte : want)
        byte = box[byte];
    CHECK(mixed.get() == want);
    WORKS(pimAesInverseSbox(mixed, high, inverse));
    CHECK(high.get() == x);
    WORKS(pimBitSliceExtract(mixed, carry, 7));
    WORKS(pimShiftBitsLeft(mixed, mixed, 1));
    WORKS(pimXorScalar(mixed, high, 0x1b));
    WORKS(pimCondCopy(carry, high, mixed));
    for (uint8_t &byte : want)
        byte = doubled(byte);
    CHECK(mixed.get() == want);
    return true;
}

template <class T> bool selects_at() {
    const std::vector<T> x = some<T>(90, 9), y = some<T>(90, 10);
    const Column<T> a(x), b(a, y), most(a), c(a);
    const Column<Truth> more(a);
    WORKS(pimGT(a, b, more));
    WORKS(pimCondSelect(more, a, b, most));
    WORKS(pimMax(a, b, c));
    CHECK(most.get() == c.get());
    WORKS(pimCondSelectScalar(more, a, 0x1122334455667788, most));
    WORKS(pimCopyObjectToObject(b, c));
    WORKS(pimCondBroadcast(more, 0x1122334455667788, c));
    const std::vector<T> selected = most.get(), broadcast = c.get();
    const T scalar = static_cast<T>(0x1122334455667788);
    for (size_t i = 0; i < x.size(); i++) {
        CHECK(selected[i] == (x[i] > y[i] ? x[i] : scalar));
        CHECK(broadcast[i] == (x[i] > y[i] ? scalar : y[i]));
    }
    CHECK(b.get() == y); // what was copied from it has changed, and it has not
    return true;
}
bool selects() {
    return selects_at<int8_t>() && selects_at<uint16_t>() && selects_at<int32_t>() &&
           selects_at<uint64_t>();
}

// A view of inverted bits, through which is read and written.
bool inverted_views() {
    const std::vector<uint8_t> x = some<uint8_t>(45, 11), y = some<uint8_t>(45, 12);
    std::vector<uint8_t> got(45);
    const Column<uint8_t> a(x), b(a, y), c(a);
    const PimObjId view = pimCreateDualContactRef(a);
    CHECK(view >= 0);
    WORKS(pimAnd(view, b, c)); // y and not x
    const std::vector<uint8_t> z = c.get();
    WORKS(pimCopyObjectToObject(b, view));
    const std::vector<uint8_t> under = a.get();
    WORKS(pimCopyHostToDevice(got.data(), view, 3, 5)); // zeros
    const std::vector<uint8_t> after = a.get();
    for (size_t i = 0; i < 45; i++) {
        CHECK(z[i] == static_cast<uint8_t>(y[i] & ~x[i]));
        CHECK(under[i] == static_cast<uint8_t>(~y[i]));
        CHECK(after[i] == (i == 3 || i == 4 ? 255 : under[i]));
    }
    WORKS(pimCopyDeviceToHost(view, got.data(), 5, 45));
    for (size_t i = 5; i < 45; i++)
        CHECK(got[i - 5] == y[i]);
    WORKS(pimFree(view));
    return true;
}

} // namespace

const std::vector<Program> programs_bits = {{"logic", logic},
                                            {"shifts", shifts},
                                            {"bit_reversal", bit_reversal},
                                            {"hamming", hamming},
                                            {"histogram", histogram},
                                            {"truths", truths},
                                            {"conversions", conversions},
                                            {"aes_steps", aes_steps},
                                            {"selects", selects},
                                            {"inverted_views", inverted_views}};
