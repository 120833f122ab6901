// SPDX-License-Identifier: MIT
// HST-L: a histogram of an image of 12 bits, which the tasklets of a DPU have together (hst-l.s).
#include "dpus.h"

#include <fstream>

// PrIM's: words of 16 bits, the high byte first, 4095 at most.  Without a file random numbers.
static std::vector<uint32_t> image(const std::string &path, size_t n) {
    std::vector<uint32_t> x(n);
    Random random(1);
    std::ifstream in(path, std::ios::binary);
    need(path.empty() || in, path + ": cannot be read");
    for (uint32_t &v : x) {
        char two[2];
        need(path.empty() || in.read(two, 2), path + ": fewer pixels than `pixels`");
        v = path.empty() ? random() % 4096
                         : static_cast<uint32_t>(static_cast<unsigned char>(two[0]) << 8 |
                                                 static_cast<unsigned char>(two[1]));
        v = std::min<uint32_t>(v, 4095);
    }
    return x;
}

static bool run(int argc, char **argv) {
    std::string program = program_of(argc, argv);
    Sizes sizes(argc - 1, argv + 1, {{"pixels", 20000}, {"bins", 256}, {"file", 0}});
    const uint32_t n = sizes["pixels"], bins = sizes["bins"];
    std::vector<uint32_t> x = image(sizes.file, n), want(bins), got(bins);
    for (uint32_t v : x)
        if (bins)
            want[v * bins >> 12]++;

    Dpus dpus(program);
    need(bins >= 1 && bins <= dpus.number("most_bins"),
         "bins: 1 to " + std::to_string(dpus.number("most_bins")) + " with this program");
    Shares shares(n, dpus.count, 2);
    need(shares.most <= 16000000, "pixels: more than MRAM has room for");
    x.resize(size_t{shares.most} * dpus.count);
    dpus.put("", x, shares.most);
    dpus.put("size", shares.each, 1);
    dpus.broadcast("bins", std::vector<uint32_t>{bins});
    dpus.launch();
    std::vector<uint32_t> each = dpus.get<uint32_t>("histograms", bins);
    for (size_t i = 0; i < each.size(); i++)
        got[i % bins] += each[i];
    dpus.print_times();

    return same("HST-L", got, want);
}
PRIM(run)
