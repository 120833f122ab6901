// SPDX-License-Identifier: MIT
// Programs that compute with numbers.
#include "programs.h"

#include <cstring>
#include <limits>

namespace {

uint64_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Sums, differences and products wrap at every width.
template <class T> bool wraps_at() {
    const uint64_t n = 193;
    const std::vector<T> x = some<T>(n, 1), y = some<T>(n, 2);
    const Column<T> a(x), b(a, y), sum(a), difference(a), product(a), scaled(a);
    WORKS(pimAdd(a, b, sum));
    WORKS(pimSub(a, b, difference));
    WORKS(pimMul(a, b, product));
    WORKS(pimScaledAdd(a, b, scaled, static_cast<uint64_t>(-7)));
    const std::vector<T> s = sum.get(), d = difference.get(), p = product.get(), q = scaled.get();
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t u = static_cast<uint64_t>(x[i]), v = static_cast<uint64_t>(y[i]);
        CHECK(s[i] == static_cast<T>(u + v));
        CHECK(d[i] == static_cast<T>(u - v));
        CHECK(p[i] == static_cast<T>(u * v));
        CHECK(q[i] == static_cast<T>(v - 7 * u));
    }
    return true;
}
bool wraps() {
    return wraps_at<int8_t>() && wraps_at<int16_t>() && wraps_at<int32_t>() &&
           wraps_at<int64_t>() && wraps_at<uint8_t>() && wraps_at<uint16_t>() &&
           wraps_at<uint32_t>() && wraps_at<uint64_t>();
}

// A column at a time, as a matrix that lies by its columns is multiplied.
bool gemv() {
    const uint64_t rows = 517, columns = 9;
    const std::vector<int32_t> v = some<int32_t>(columns, 3);
    Column<int32_t> column(rows), out(column);
    std::vector<int32_t> want(rows, 0);
    WORKS(pimBroadcastInt(out, 0));
    for (uint64_t c = 0; c < columns; c++) {
        const std::vector<int32_t> x = some<int32_t>(rows, 10 + c);
        CHECK(column.put(x));
        WORKS(pimScaledAdd(column, out, out, static_cast<uint64_t>(v[c])));
        for (uint64_t r = 0; r < rows; r++)
            want[r] =
                static_cast<int32_t>(static_cast<uint32_t>(want[r]) +
                                     static_cast<uint32_t>(x[r]) * static_cast<uint32_t>(v[c]));
    }
    CHECK(out.get() == want);
    return true;
}

// Two roundings, not one.
bool saxpy() {
    const uint64_t n = 301;
    std::vector<float> x(n), y(n), want(n);
    const float factor = 1.1f;
    for (uint64_t i = 0; i < n; i++) {
        x[i] = static_cast<float>(i) / 7 - 20;
        y[i] = static_cast<float>(i * i) * -0.37f;
        volatile float product = x[i] * factor;
        want[i] = product + y[i];
    }
    const Column<float> a(x), b(a, y);
    WORKS(pimScaledAdd(a, b, b, bits_of(factor)));
    CHECK(b.get() == want);
    return true;
}

// Narrow floating-point types are floats on the host, and never rounded to their names.
bool narrow_floats() {
    for (PimDataType type : {PIM_FP16, PIM_BF16, PIM_FP8, PIM_FP32}) {
        std::vector<float> x = {1.00001f, -3.3333333f, 65537.5f, 1e-20f, 5}, y(5);
        const PimObjId a = pimAlloc(PIM_ALLOC_AUTO, 5, type), b = pimAllocAssociated(a, type);
        WORKS(pimCopyHostToDevice(x.data(), a));
        WORKS(pimDivScalar(a, b, bits_of(3.0f)));
        WORKS(pimCopyDeviceToHost(b, y.data()));
        for (uint64_t i = 0; i < 5; i++)
            CHECK(y[i] == x[i] / 3.0f);
        WORKS(pimMulScalar(a, b, bits_of(-0.5f)));
        WORKS(pimAbs(b, b));
        WORKS(pimCopyDeviceToHost(b, y.data()));
        for (uint64_t i = 0; i < 5; i++)
            CHECK(y[i] == (x[i] < 0 ? -x[i] : x[i]) * 0.5f);
        float largest = std::numeric_limits<float>::lowest(), sum = 0.5f;
        WORKS(pimRedMax(a, &largest));
        WORKS(pimRedSum(a, &sum, 4, 5));
        CHECK(largest == 65537.5f && sum == 5.5f);
    }
    return true;
}

// Pixels brighten up to the ends of their type; a bound outside of it bounds nothing.
bool brightness() {
    std::vector<uint8_t> pixels = some<uint8_t>(1000, 4);
    std::vector<int16_t> wide(pixels.begin(), pixels.end());
    const Column<int16_t> a(wide);
    WORKS(pimAddScalar(a, a, 60));
    WORKS(pimMinScalar(a, a, 255));
    WORKS(pimMaxScalar(a, a, 0));
    for (int16_t &pixel : wide)
        pixel = static_cast<int16_t>(pixel + 60 > 255 ? 255 : pixel + 60);
    CHECK(a.get() == wide);

    const std::vector<int8_t> x = some<int8_t>(77, 5);
    const Column<int8_t> b(x), c(b);
    WORKS(pimMinScalar(b, c, 200));
    CHECK(c.get() == x);
    WORKS(pimMaxScalar(b, c, static_cast<uint64_t>(-129)));
    CHECK(c.get() == x);
    WORKS(pimMaxScalar(b, c, 200)); // cut to the type when it is written
    CHECK(c.get() == std::vector<int8_t>(77, -56));
    return true;
}

// Comparisons are of 64 bits: what no element can be is neither cut nor refused.
template <class T> bool compares_at() {
    const std::vector<T> x = some<T>(131, 6);
    const Column<T> a(x);
    const Column<Truth> is(a);
    const int64_t ends[] = {-129,       -128,        -5,         0,         3,        127,
                            128,        255,         256,        32768,     -32769,   65536,
                            2147483648, -2147483649, 4294967296, INT64_MAX, INT64_MIN};
    for (int64_t scalar : ends) {
        const uint64_t bits = static_cast<uint64_t>(scalar);
        const struct {
            PimStatus (*call)(PimObjId, PimObjId, uint64_t);
            int what;
        } calls[] = {{pimGTScalar, 0}, {pimLTScalar, 1}, {pimEQScalar, 2}, {pimNEScalar, 3}};
        for (const auto &c : calls) {
            WORKS(c.call(a, is, bits));
            const std::vector<Truth> got = is.get();
            for (size_t i = 0; i < x.size(); i++) {
                const bool less = std::is_signed<T>::value ? static_cast<int64_t>(x[i]) < scalar
                                                           : static_cast<uint64_t>(x[i]) < bits;
                const bool equal = static_cast<uint64_t>(static_cast<int64_t>(x[i])) == bits;
                const bool want[] = {!less && !equal, less, equal, !equal};
                CHECK(!got[i].value == !want[c.what]);
            }
        }
    }
    return true;
}
bool compares() {
    return compares_at<int8_t>() && compares_at<uint8_t>() && compares_at<int32_t>() &&
           compares_at<uint16_t>() && compares_at<int64_t>() && compares_at<uint64_t>();
}

// Toward zero; what would be divided by 0 stays, and a line says so, but it is no error.
bool divides() {
    const std::vector<int16_t> x = {7, -7, 100, -32768, -32768, 5, 0, 32767},
                               y = {2, 2, 0, -1, 3, 0, -4, -32768};
    const Column<int16_t> a(x), b(a, y), ratio(a), rest(a);
    WORKS(pimBroadcastInt(ratio, 99));
    WORKS(pimDiv(a, b, ratio));
    CHECK((ratio.get() == std::vector<int16_t>{3, -3, 99, -32768, -10922, 99, 0, 0}));
    WORKS(pimMul(ratio, b, rest));
    WORKS(pimSub(a, rest, rest));
    CHECK((rest.get() == std::vector<int16_t>{1, -1, 100, 0, -2, 5, 0, 32767}));

    WORKS(pimDivScalar(a, ratio, static_cast<uint64_t>(-3)));
    CHECK((ratio.get() == std::vector<int16_t>{-2, 2, -33, 10922, 10922, -1, 0, -10922}));
    WORKS(pimDivScalar(a, ratio, 32768)); // no int16, but the least by it is -1
    CHECK((ratio.get() == std::vector<int16_t>{0, 0, 0, -1, -1, 0, 0, 0}));
    WORKS(pimDivScalar(a, ratio, 0));
    CHECK((ratio.get() == std::vector<int16_t>{0, 0, 0, -1, -1, 0, 0, 0}));
    return true;
}

// Sums of any length have 64 bits, and are added to what the result has.
bool sums() {
    const std::vector<int32_t> x(2000, std::numeric_limits<int32_t>::max());
    const Column<int32_t> a(x);
    int64_t sum = -5;
    WORKS(pimRedSum(a, &sum));
    CHECK(sum == 2000 * int64_t(2147483647) - 5);
    WORKS(pimRedSum(a, &sum, 10, 12));
    CHECK(sum == 2002 * int64_t(2147483647) - 5);
    WORKS(pimRedSum(a, &sum, 1999, 5000)); // what is behind the end is not there
    WORKS(pimRedSum(a, &sum, 7, 7));
    CHECK(sum == 2003 * int64_t(2147483647) - 5);

    const std::vector<int8_t> y = some<int8_t>(999, 7);
    const Column<int8_t> b(y);
    int8_t least = 100, most = -100, want_least = 100, want_most = -100;
    for (size_t i = 100; i < 300; i++) {
        want_least = y[i] < want_least ? y[i] : want_least;
        want_most = y[i] > want_most ? y[i] : want_most;
    }
    WORKS(pimRedMin(b, &least, 100, 300));
    WORKS(pimRedMax(b, &most, 100, 300));
    CHECK(least == want_least && most == want_most);
    most = 127;
    least = -128;
    WORKS(pimRedMin(b, &least));
    WORKS(pimRedMax(b, &most));
    CHECK(least == -128 && most == 127);
    return true;
}

template <class S, class D> bool prefix_at() {
    const std::vector<S> x = some<S>(333, 8);
    std::vector<D> want(x.size());
    uint64_t sum = 0;
    for (size_t i = 0; i < x.size(); i++) {
        sum += static_cast<uint64_t>(static_cast<int64_t>(x[i]));
        want[i] = static_cast<D>(sum);
    }
    const Column<S> a(x);
    const Column<D> b(a);
    WORKS(pimPrefixSum(a, b));
    CHECK(b.get() == want);
    return true;
}
// At the width of the destination.
bool prefix_sums() {
    return prefix_at<int32_t, int32_t>() && prefix_at<int8_t, int8_t>() &&
           prefix_at<uint8_t, uint32_t>() && prefix_at<int16_t, int64_t>() &&
           prefix_at<uint64_t, uint64_t>();
}

// Least squares by five sums.
bool regression() {
    const uint64_t n = 640;
    std::vector<int32_t> x(n), y(n);
    for (uint64_t i = 0; i < n; i++) {
        x[i] = static_cast<int32_t>(i % 97);
        y[i] = 3 * x[i] + 17;
    }
    const Column<int32_t> a(x), b(a, y), product(a);
    int64_t sx = 0, sy = 0, sxx = 0, sxy = 0;
    WORKS(pimRedSum(a, &sx));
    WORKS(pimRedSum(b, &sy));
    WORKS(pimMul(a, a, product));
    WORKS(pimRedSum(product, &sxx));
    WORKS(pimMul(a, b, product));
    WORKS(pimRedSum(product, &sxy));
    const int64_t m = static_cast<int64_t>(n);
    const int64_t slope = (m * sxy - sx * sy) / (m * sxx - sx * sx);
    CHECK(slope == 3 && (sy - slope * sx) / m == 17);
    return true;
}

} // namespace

const std::vector<Program> programs_numbers = {{"wraps", wraps},
                                               {"gemv", gemv},
                                               {"saxpy", saxpy},
                                               {"narrow_floats", narrow_floats},
                                               {"brightness", brightness},
                                               {"compares", compares},
                                               {"divides", divides},
                                               {"sums", sums},
                                               {"prefix_sums", prefix_sums},
                                               {"regression", regression}};
