// SPDX-License-Identifier: MIT
// What the six workloads have in common: numbers of elements from the command line, in both types,
// and whether results are those of the host.
#ifndef EXAMPLES_DAPPA_WORKLOAD_H
#define EXAMPLES_DAPPA_WORKLOAD_H

#include <mpu/dappa.hpp>

#include <cstdio>

// The numbers of PrIM's `rand() % 50`, but the same on every host.
template <class T> std::vector<T> numbers(size_t n, uint32_t seed) {
    std::vector<T> x(n);
    for (T &v : x)
        v = static_cast<T>((seed = seed * 1103515245u + 12345u) >> 16) % 50;
    return x;
}

template <class T>
bool same(const char *name, const std::vector<T> &got, const std::vector<T> &want) {
    bool equal = got == want;
    std::printf("%s of %zu bytes, %zu results: %s\n", name, sizeof(T), want.size(),
                equal ? "equal" : "they differ");
    return equal;
}

// run<T>(n): for each n of the command line, or 1000.
#define WORKLOAD(run)                                                                              \
    int main(int argc, char **argv) {                                                              \
        bool equal = true;                                                                         \
        try {                                                                                      \
            for (int i = 1; i < (argc > 1 ? argc : 2); i++) {                                      \
                size_t n = argc > 1 ? std::strtoul(argv[i], nullptr, 10) : 1000;                   \
                equal = run<int32_t>(n) && run<int64_t>(n) && equal;                               \
            }                                                                                      \
        } catch (const Upmem::Error &e) {                                                          \
            std::fputs(e.what(), stderr);                                                          \
            return 1;                                                                              \
        }                                                                                          \
        return !equal;                                                                             \
    }

#endif
