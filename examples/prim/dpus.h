// SPDX-License-Identifier: MIT
// DPUs for a host: those of MPU_TARGET (upmem-dappa), MPU_DPUS of them (64), on mpu/dpu.h.
#ifndef EXAMPLES_PRIM_DPUS_H
#define EXAMPLES_PRIM_DPUS_H

#include "prim.h"

#include <mpu/dpu.h>

#include <algorithm>
#include <cstring>

class Dpus {
    struct dpu_set_t set;

    static void check(dpu_error_t error, const char *what) {
        need(error == DPU_OK, std::string(what) + ": " + dpu_error_to_string(error));
    }
    static const char *environment(const char *name, const char *otherwise) {
        const char *value = std::getenv(name);
        return value ? value : otherwise;
    }
    static uint32_t wanted() {
        return static_cast<uint32_t>(std::strtoul(environment("MPU_DPUS", "64"), nullptr, 10));
    }

    template <class T>
    void move(dpu_xfer_t way, const char *symbol, T *x, size_t size, size_t each, uint32_t offset) {
        struct dpu_set_t dpu;
        uint32_t i;
        need(size >= each * count, "a transfer of fewer elements than the DPUs take");
        if (each == 0)
            return;
        DPU_FOREACH(set, dpu, i) {
            check(dpu_prepare_xfer(dpu, x + i * each), "prepare");
        }
        check(dpu_push_xfer(set, way, named(symbol), offset, each * sizeof(T), DPU_XFER_DEFAULT),
              symbol);
    }
    static const char *named(const char *symbol) {
        return *symbol ? symbol : DPU_MRAM_HEAP_POINTER_NAME;
    }

  public:
    uint32_t count = 0;

    // With an ELF file of mpu-as, which is loaded.
    explicit Dpus(const std::string &program) {
        std::string profile = "target=" + std::string(environment("MPU_TARGET", "upmem-dappa"));
        check(dpu_alloc(wanted(), profile.c_str(), &set), "allocation");
        dpu_get_nr_dpus(set, &count);
        dpu_error_t error = dpu_load(set, program.c_str(), nullptr);
        if (error)
            dpu_free(set);
        check(error, "loading");
    }
    Dpus(const Dpus &) = delete;
    Dpus &operator=(const Dpus &) = delete;
    ~Dpus() {
        dpu_free(set);
    }

    // DPU i has elements i * each .. of x, at byte `offset` of a symbol or of MRAM ("").
    template <class T>
    void put(const char *symbol, const std::vector<T> &x, size_t each, uint32_t offset = 0) {
        move(DPU_XFER_TO_DPU, symbol, const_cast<T *>(x.data()), x.size(), each, offset);
    }
    template <class T> std::vector<T> get(const char *symbol, size_t each, uint32_t offset = 0) {
        std::vector<T> x(each * count);
        move(DPU_XFER_FROM_DPU, symbol, x.data(), x.size(), each, offset);
        return x;
    }
    // All have x.
    template <class T>
    void broadcast(const char *symbol, const std::vector<T> &x, uint32_t offset = 0) {
        if (!x.empty())
            check(dpu_broadcast_to(set, named(symbol), offset, x.data(), x.size() * sizeof(T),
                                   DPU_XFER_DEFAULT),
                  symbol);
    }
    // A number of the program's own, the same in all DPUs.
    uint32_t number(const char *symbol) {
        return get<uint32_t>(symbol, 1)[0];
    }
    void launch() {
        check(dpu_launch(set, DPU_SYNCHRONOUS), "launch");
    }
    // What it would take on the machine.
    void print_times() const {
        mpu_dpu_times t;
        mpu_dpu_time(set, &t);
        ::print_times(t.to_dpu_ps, t.kernel_ps + t.launch_ps, t.from_dpu_ps);
    }
};

// How n elements are shared out: `most` for each DPU, a multiple of `unit`; the last ones have what
// is left, which the vector says.
struct Shares {
    uint32_t most;
    std::vector<uint32_t> each;

    Shares(uint64_t n, uint32_t dpus, uint32_t unit) : each(dpus) {
        uint64_t all = (n + dpus - 1) / dpus;
        most = static_cast<uint32_t>((all + unit - 1) / unit * unit);
        for (uint32_t i = 0; i < dpus; i++) {
            uint64_t first = uint64_t{i} * most;
            each[i] = static_cast<uint32_t>(first >= n ? 0 : std::min<uint64_t>(most, n - first));
        }
    }
};

// The program's file, which comes first on the command line.
inline std::string program_of(int argc, char **argv) {
    need(argc >= 1 && !std::strchr(argv[0], '='),
         "the first argument is the DPUs' program, which mpu-as makes (docs/prim.md)");
    return argv[0];
}

#endif
