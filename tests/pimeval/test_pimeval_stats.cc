// SPDX-License-Identifier: MIT
// pimShowStats: the tables have a row for each kind of call, with as many calls as were made; times
// and energies of all rows add up to the machine's totals; after pimResetStats they begin anew.
#include <mpu/pimeval/libpimeval.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Row {
    double calls, ms, mj;
};
struct Shown {
    std::map<std::string, Row> commands;
    Row copies = {0, 0, 0};
    double bytes_in = 0, bytes_out = 0, bytes_within = 0;
    double total_ms = 0, total_mj = 0; // of the machine
};

bool failed;
void check(bool well, const char *what) {
    if (!well)
        std::fprintf(stderr, "%s\n", what);
    failed |= !well;
}

// What it prints, by way of a file.
std::string printed() {
    char name[] = "/tmp/pimeval-stats-XXXXXX";
    const int file = mkstemp(name), before = dup(STDOUT_FILENO);
    std::fflush(stdout);
    dup2(file, STDOUT_FILENO);
    pimShowStats();
    std::fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    std::string text;
    char part[4096];
    lseek(file, 0, SEEK_SET);
    for (ssize_t got; (got = read(file, part, sizeof part)) > 0;)
        text.append(part, static_cast<size_t>(got));
    close(file);
    unlink(name);
    return text;
}

Shown show() {
    Shown s;
    std::istringstream lines(printed());
    bool commands = false;
    for (std::string line; std::getline(lines, line);) {
        const size_t colon = line.find(" : ");
        std::istringstream words(line.substr(colon == std::string::npos ? 0 : colon + 3));
        std::string first;
        std::istringstream(line) >> first;
        commands = commands ? first[0] != '-' : line.find("PIM-CMD") != std::string::npos;
        if (line.find("Host to Device") != std::string::npos)
            words >> s.bytes_in;
        else if (line.find("Device to Host") != std::string::npos)
            words >> s.bytes_out;
        else if (line.find("Device to Device") != std::string::npos)
            words >> s.bytes_within;
        else if (line.find("ms Runtime") != std::string::npos)
            words >> s.copies.ms >> first >> first >> s.copies.mj;
        else if (commands && first != "PIM-CMD" && colon != std::string::npos) {
            Row row = {0, 0, 0};
            words >> row.calls >> row.ms >> row.mj;
            s.commands[first] = row;
        } else if (first == "total.end_to_end_time_ps")
            s.total_ms = std::strtod(line.c_str() + first.size(), nullptr) / 1e9;
        else if (first == "total.end_to_end_energy_fj")
            s.total_mj = std::strtod(line.c_str() + first.size(), nullptr) / 1e12;
    }
    return s;
}

// Each figure has six digits behind the point.
bool close_to(double a, double b, size_t figures) {
    return std::fabs(a - b) <= 0.51e-6 * static_cast<double>(figures + 1);
}

void adds_up(const Shown &s) {
    double ms = s.copies.ms, mj = s.copies.mj, calls = 0;
    for (const auto &row : s.commands) {
        if (row.first == "TOTAL")
            continue;
        ms += row.second.ms;
        mj += row.second.mj;
        calls += row.second.calls;
    }
    check(close_to(ms, s.total_ms, s.commands.size()), "times do not add up");
    check(close_to(mj, s.total_mj, s.commands.size()), "energies do not add up");
    check(s.commands.count("TOTAL") && s.commands.at("TOTAL").calls == calls,
          "calls do not add up");
}

void called(const Shown &s, const char *name, double calls) {
    const bool well = s.commands.count(name) && s.commands.at(name).calls == calls;
    if (!well)
        std::fprintf(stderr, "%s: ", name);
    check(well, "not as often as it was called");
}

void run() {
    std::vector<int32_t> x(5000, 3);
    const PimObjId a = pimAlloc(PIM_ALLOC_AUTO, 5000, PIM_INT32),
                   b = pimAllocAssociated(a, PIM_INT32), c = pimAllocAssociated(a, PIM_BOOL),
                   h = pimAlloc(PIM_ALLOC_H, 5000, PIM_INT32);
    pimCopyHostToDevice(x.data(), a);
    pimCopyHostToDevice(x.data(), b, 10, 20);
    for (unsigned i = 0; i < 3; i++)
        pimAdd(a, b, b);
    pimGTScalar(b, c, 4);
    pimBroadcastInt(h, 7);
    pimDiv(a, b, a);
    int64_t sum = 0;
    pimRedSum(c, &sum);
    pimCopyDeviceToHost(a, x.data());
    pimCopyDeviceToDevice(a, b, 1, 3);
    pimMulScalar(b, b, 9);
}

} // namespace

int main() {
    setenv("PIMEVAL_DEBUG", "16", 1);
    for (const char *target : {"racer", "mimdram"}) {
        setenv("MPU_TARGET", target, 1);
        check(pimCreateDevice(PIM_FUNCTIONAL, 1, 1, 2, 64, 64) == PIM_OK, "no device");
        for (unsigned again = 0; again < 2; again++) {
            run();
            const Shown s = show();
            adds_up(s);
            called(s, "add.int32.v", 3);
            called(s, "gt_scalar.int32.v", 1);
            called(s, "broadcast.int32.h", 1);
            called(s, "mul_scalar.int32.v", 1);
            called(s, "redsum.bool.v", 1);
            check(s.commands.at("add.int32.v").ms > 0 && s.commands.at("add.int32.v").mj > 0 &&
                      s.copies.ms > 0 && s.copies.mj > 0,
                  "work that takes nothing");
            check(s.bytes_in == 4 * 5010 && s.bytes_out == 4 * 5000 && s.bytes_within == 8,
                  "other bytes than were copied");
            pimResetStats();
            const Shown none = show();
            check(none.total_ms == 0 && none.bytes_in == 0, "what was reset is still there");
        }
    }
    return failed;
}
