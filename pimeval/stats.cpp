// SPDX-License-Identifier: MIT
// Statistics and timers: the device's figures by label, in the tables that PIMeval's users know.
#include "pimeval/pimeval.h"

#include <cstdio>
#include <sstream>
#include <utility>

using namespace mpu_pimeval;

namespace {

struct Row {
    std::string name;
    uint64_t calls = 0, time_ps = 0, energy_fj = 0;
};

constexpr double PS_IN_MS = 1e9, FJ_IN_MJ = 1e12;

uint64_t figure(const char *path) {
    uint64_t value = 0;
    if (mpu_device_figure(process().device->machine, path, &value) != MPU_OK)
        value = 0; // golden counts nothing
    return value;
}

uint64_t label_figure(size_t i, const char *what) {
    return figure(("labels." + std::to_string(i) + "." + what).c_str());
}

// Of each label, in the order in which they came.  Lines "labels.3.name  add.int32.v".
bool read_labels(Call &call, std::vector<Row> &rows) {
    char *text = mpu_device_stats(process().device->machine, "text", &call.error);
    if (!text) {
        call.refuse_machine();
        return false;
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string path, name;
        words >> path >> name;
        if (path != "labels." + std::to_string(rows.size()) + ".name")
            continue;
        const size_t i = rows.size();
        rows.push_back({name, label_figure(i, "calls"), label_figure(i, "end_to_end_time_ps"),
                        label_figure(i, "end_to_end_energy_fj")});
    }
    mpu_string_free(text);
    return true;
}

bool is_copy(const Row &row) {
    return row.name.compare(0, 10, "copy_host_") == 0 ||
           row.name.compare(0, 12, "copy_device_") == 0;
}

void show_calls() {
    static const char *const kinds[CALL_KINDS] = {"device", "allocation", "copy", "compute"};
    CallTime sums[CALL_KINDS + 1] = {};
    std::puts("Simulator API Stats:");
    std::printf(" %30s : %10s %14s\n", "PIM-API", "CNT", "Elapsed(ms)");
    for (const auto &entry : process().times) {
        const CallTime &time = entry.second;
        for (CallTime *sum : {&sums[time.kind], &sums[CALL_KINDS]}) {
            sum->count += time.count;
            sum->ms += time.ms;
        }
        std::printf(" %30s : %10llu %14f\n", entry.first.c_str(),
                    static_cast<unsigned long long>(time.count), time.ms);
    }
    for (unsigned i = 0; i <= CALL_KINDS; i++)
        std::printf(" %5s %24s : %10llu %14f\n", "TOTAL", i < CALL_KINDS ? kinds[i] : "",
                    static_cast<unsigned long long>(sums[i].count), sums[i].ms);
    std::puts("----------------------------------------");
}

void show_parameters(const Device &d) {
    const PimDeviceProperties &p = d.properties;
    std::puts("PIM Params:");
    std::printf(" %30s : %s\n", "PIM Device Type Enum", device_name(p.deviceType));
    std::printf(" %30s : %s\n", "PIM Simulation Target", device_name(p.simTarget));
    std::printf(" %30s : %u, %u, %u, %u, %u\n", "Rank, Bank, Subarray, Row, Col", p.numRanks,
                p.numBankPerRank, p.numSubarrayPerBank, p.numRowPerSubarray, p.numColPerSubarray);
    std::printf(" %30s : %u\n", "Number of PIM Cores", p.numPIMCores);
    std::printf(" %30s : %s\n", "Machine", mpu_target_name(d.target));
    for (const char *name : {"mpus", "rfh_per_mpu", "vrf_per_rfh", "lanes"}) {
        uint64_t value = 0;
        if (mpu_target_number(d.target, name, &value) == MPU_OK)
            std::printf(" %30s : %llu\n", name, static_cast<unsigned long long>(value));
    }
    std::puts("----------------------------------------");
}

void show_copies(const Device &d, const std::vector<Row> &rows) {
    Row sum;
    for (const Row &row : rows)
        if (is_copy(row)) {
            sum.time_ps += row.time_ps;
            sum.energy_fj += row.energy_fj;
        }
    const std::pair<const char *, uint64_t> bytes[] = {
        {"Host to Device", d.bytes_in},
        {"Device to Host", d.bytes_out},
        {"Device to Device", d.bytes_within},
        {"TOTAL ---------", d.bytes_in + d.bytes_out + d.bytes_within}};
    std::puts("Data Copy Stats:");
    for (const auto &line : bytes)
        std::printf(" %44s : %llu bytes\n", line.first,
                    static_cast<unsigned long long>(line.second));
    std::printf(" %44s : %14.6f ms Runtime %14.6f mJ Energy\n", "",
                static_cast<double>(sum.time_ps) / PS_IN_MS,
                static_cast<double>(sum.energy_fj) / FJ_IN_MJ);
    std::puts("----------------------------------------");
}

// Shares of reading, writing and logic have no counterpart: a machine's instructions do all three.
void show_row(const Row &row, const char *name, uint64_t elements) {
    const double mj = static_cast<double>(row.energy_fj) / FJ_IN_MJ;
    std::printf(" %44s : %10llu %14.6f %14.6f ", name, static_cast<unsigned long long>(row.calls),
                static_cast<double>(row.time_ps) / PS_IN_MS, mj);
    if (elements && row.energy_fj)
        std::printf("%14.6f", static_cast<double>(elements) / mj * 1e-6);
    else
        std::printf("%14s", "-");
    std::printf(" %7s %7s %7s\n", "-", "-", "-");
}

void show_commands(const Device &d, const std::vector<Row> &rows) {
    Row sum;
    uint64_t elements = 0;
    std::puts("PIM Command Stats:");
    std::printf(" %44s : %10s %14s %14s %14s %7s %7s %7s\n", "PIM-CMD", "CNT", "Runtime(ms)",
                "Energy(mJ)", "GOPS/W", "%R", "%W", "%L");
    for (const Row &row : rows) {
        if (is_copy(row))
            continue;
        const auto use = d.uses.find(row.name);
        const uint64_t here = use == d.uses.end() ? 0 : use->second;
        if (!row.calls && !row.time_ps && !row.energy_fj)
            continue; // before the last reset
        show_row(row, row.name.empty() ? "(no call)" : row.name.c_str(), here);
        sum.calls += row.calls;
        sum.time_ps += row.time_ps;
        sum.energy_fj += row.energy_fj;
        elements += here;
    }
    show_row(sum, "TOTAL ---------", elements);
    std::puts("----------------------------------------");
}

double ms_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

} // namespace

void pimShowStats() {
    Call call("pimShowStats", CALL_DEVICE);
    std::vector<Row> rows;
    if (!call.device() || !settle_all(call) || !read_labels(call, rows))
        return;
    const Device &d = *process().device;
    std::puts("----------------------------------------");
    if (process().debug & DEBUG_API)
        show_calls();
    show_parameters(d);
    show_copies(d, rows);
    show_commands(d, rows);
    if (!(process().debug & DEBUG_MACHINE))
        return;
    if (char *text = mpu_device_stats(d.machine, "text", nullptr)) {
        std::fputs(text, stdout);
        mpu_string_free(text);
    }
}

void pimResetStats() {
    Call call("pimResetStats", CALL_DEVICE);
    if (!call.device() || !settle_all(call))
        return;
    Device &d = *process().device;
    mpu_device_reset_stats(d.machine);
    d.uses.clear();
    d.bytes_in = d.bytes_out = d.bytes_within = 0;
    process().times.clear();
    process().start_ps = 0;
}

bool pimIsAnalysisMode() {
    return false;
}

void pimStartTimer() {
    Call call("pimStartTimer", CALL_DEVICE);
    if (!call.device() || !settle_all(call))
        return;
    if (process().timing)
        std::puts("PIM-Warning: pimStartTimer: the timer runs already, and begins anew");
    process().timing = true;
    process().start_ps = figure("total.end_to_end_time_ps");
    process().start = std::chrono::steady_clock::now();
}

void pimEndTimer() {
    Call call("pimEndTimer", CALL_DEVICE);
    if (!call.device())
        return;
    if (!process().timing) {
        std::puts("PIM-Warning: pimEndTimer: the timer does not run");
        return;
    }
    if (!settle_all(call))
        return;
    process().timing = false;
    const uint64_t now = figure("total.end_to_end_time_ps");
    std::printf("PIM-Info: timer: host %.6f ms, %s %.6f ms\n", ms_since(process().start),
                mpu_target_name(process().device->target),
                static_cast<double>(now - process().start_ps) / PS_IN_MS);
}
