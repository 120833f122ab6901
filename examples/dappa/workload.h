// SPDX-License-Identifier: MIT
// What the six workloads have in common: numbers of elements from the command line, in both types
// unless one is named, and whether results are those of the host.  With MPU_FIGURES in the
// environment a line has the time of each part.
#ifndef EXAMPLES_DAPPA_WORKLOAD_H
#define EXAMPLES_DAPPA_WORKLOAD_H

#include <mpu/dappa.hpp>

#include <cstdio>
#include <cstring>

// The numbers of PrIM's `rand() % 50`, but the same on every host.
template <class T> std::vector<T> numbers(size_t n, uint32_t seed) {
    std::vector<T> x(n);
    for (T &v : x)
        v = static_cast<T>((seed = seed * 1103515245u + 12345u) >> 16) % 50;
    return x;
}

template <class T>
bool same(const Upmem::Pipeline &p, const char *name, const std::vector<T> &got,
          const std::vector<T> &want) {
    bool equal = got == want;
    std::printf("%s of %zu bytes, %zu results: %s\n", name, sizeof(T), want.size(),
                equal ? "equal" : "they differ");
    if (!std::getenv("MPU_FIGURES"))
        return equal;
    std::printf("%s", name);
    for (const char *part :
         {"transfer_in", "kernel", "transfer_out", "host", "total", "cpu_elements"})
        std::printf(" %s %llu", part, static_cast<unsigned long long>(p.figure(part)));
    std::printf("\n");
    return equal;
}

// run<T>(n): for each n of the command line, or 1000.
#define WORKLOAD(run)                                                                              \
    int main(int argc, char **argv) {                                                              \
        bool equal = true;                                                                         \
        const char *type = argc > 1 && (argv[1][0] == 'i' || argv[1][0] == 'u') ? argv[1] : "";    \
        int first = *type ? 2 : 1;                                                                 \
        try {                                                                                      \
            for (int i = first; i < (argc > first ? argc : first + 1); i++) {                      \
                size_t n = argc > first ? std::strtoul(argv[i], nullptr, 10) : 1000;               \
                if (!*type || !std::strcmp(type, "i32"))                                           \
                    equal = run<int32_t>(n) && equal;                                              \
                if (!*type || !std::strcmp(type, "i64"))                                           \
                    equal = run<int64_t>(n) && equal;                                              \
                if (!std::strcmp(type, "u32"))                                                     \
                    equal = run<uint32_t>(n) && equal;                                             \
                if (!std::strcmp(type, "u64"))                                                     \
                    equal = run<uint64_t>(n) && equal;                                             \
            }                                                                                      \
        } catch (const Upmem::Error &e) {                                                          \
            std::fputs(e.what(), stderr);                                                          \
            return 1;                                                                              \
        }                                                                                          \
        return !equal;                                                                             \
    }

#endif
