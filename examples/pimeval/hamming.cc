// SPDX-License-Identifier: MIT
// The words of a database that differ from a key in few bits, by PIMeval's calls.
// c++ -std=c++17 hamming.cc $(pkg-config --cflags --libs mpu-pimeval) && MPU_TARGET=mimdram ./a.out
#include "libpimeval.h"

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    const uint64_t count = 100000;
    const uint32_t key = 0xcafef00d, near = 9;
    std::vector<uint32_t> words(count);
    for (uint64_t i = 0; i < count; i++)
        words[i] = static_cast<uint32_t>(2654435761u * (i + 1));

    if (pimCreateDevice(PIM_FUNCTIONAL, 4, 128, 32, 1024, 8192) != PIM_OK)
        return 1;
    const PimObjId word = pimAlloc(PIM_ALLOC_AUTO, count, PIM_UINT32);
    const PimObjId bits = pimAllocAssociated(word, PIM_UINT32);
    const PimObjId found = pimAllocAssociated(word, PIM_BOOL);
    pimCopyHostToDevice(words.data(), word);
    pimXorScalar(word, bits, key);
    pimPopCount(bits, bits);
    pimLTScalar(bits, found, near);

    uint64_t many = 0; // a sum is added to what is there
    uint32_t least = 32;
    pimRedSum(found, &many);
    pimRedMin(bits, &least);
    std::vector<uint8_t> is(count);
    pimCopyDeviceToHost(found, is.data());

    uint64_t want = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t differ = static_cast<uint64_t>(__builtin_popcount(words[i] ^ key));
        want += differ < near;
        if ((differ < near) != (is[i] != 0))
            return std::printf("word %llu is wrong\n", static_cast<unsigned long long>(i)), 1;
    }
    std::printf("%llu of %llu words differ in fewer than %u bits, the nearest in %u\n",
                static_cast<unsigned long long>(many), static_cast<unsigned long long>(count), near,
                least);
    pimShowStats();
    return many != want;
}
