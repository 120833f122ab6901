// SPDX-License-Identifier: MIT
// What the programs of examples/prim have in common: numbers "name=value" on the command line,
// random numbers, the comparison with the host's results, and main.
#ifndef EXAMPLES_PRIM_PRIM_H
#define EXAMPLES_PRIM_PRIM_H

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// A size that the program cannot take, or an argument that it does not know.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void need(bool holds, const std::string &otherwise) {
    if (!holds)
        throw Refused(otherwise);
}

// Numbers by name, with what they are if nobody says otherwise, at most 2^32 - 1; and file=PATH for
// a program that has "file" among them.
class Sizes {
    std::map<std::string, uint64_t> values;

  public:
    std::string file; // empty: none
    Sizes(int argc, char **argv, std::map<std::string, uint64_t> defaults) : values(defaults) {
        for (int i = 0; i < argc; i++) {
            std::string text = argv[i], known;
            size_t equals = text.find('=');
            auto at = values.find(text.substr(0, equals));
            for (const auto &v : values)
                known += (known.empty() ? "" : ", ") + v.first;
            need(equals != std::string::npos && at != values.end(),
                 "'" + text + "': arguments are name=number, and names " + known);
            if (at->first == "file") {
                file = text.substr(equals + 1);
                continue;
            }
            const char *digits = argv[i] + equals + 1;
            char *end = nullptr;
            at->second = std::strtoull(digits, &end, 10);
            need(*digits >= '0' && *digits <= '9' && !*end && at->second <= UINT32_MAX,
                 "'" + text + "': no number from 0 to 4294967295");
        }
    }
    uint32_t operator[](const char *name) const {
        return static_cast<uint32_t>(values.at(name));
    }
};

// In place of C's rand(), which is another one on each host: 31 bits.
class Random {
    uint32_t state;
    uint32_t half() {
        return (state = state * 1103515245u + 12345u) >> 16;
    }

  public:
    explicit Random(uint32_t seed) : state(seed) {}
    uint32_t operator()() {
        uint32_t high = half();
        return (high << 16 | half()) & 0x7fffffff;
    }
};

// What it would take on the machine, in picoseconds; kernels with their launches.
inline void print_times(uint64_t in, uint64_t kernel, uint64_t out) {
    std::printf("transfer in %.3f ms, kernel %.3f ms, transfer out %.3f ms\n",
                static_cast<double>(in) / 1e9, static_cast<double>(kernel) / 1e9,
                static_cast<double>(out) / 1e9);
}

// Prints whether results are those of the host, and where they begin to differ.
template <class T>
bool same(const char *name, const std::vector<T> &got, const std::vector<T> &want) {
    size_t i = 0;
    while (i < got.size() && i < want.size() && got[i] == want[i])
        i++;
    bool equal = i == got.size() && i == want.size();
    std::printf("%s: %zu results: %s", name, want.size(), equal ? "equal\n" : "they differ");
    if (!equal)
        std::printf(" from number %zu on\n", i);
    return equal;
}

// run(argc, argv): arguments behind the program's name; returns whether results are right.
inline int prim_main(int argc, char **argv, bool (*run)(int, char **)) {
    try {
        return run(argc - 1, argv + 1) ? 0 : 1;
    } catch (const std::runtime_error &e) {
        std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
        return 2;
    }
}
#define PRIM(run)                                                                                  \
    int main(int argc, char **argv) {                                                              \
        return prim_main(argc, argv, run);                                                         \
    }

#endif
