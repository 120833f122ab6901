// SPDX-License-Identifier: MIT
// What a program, its configuration file and the environment ask of a device, and the properties
// that follow.  They are PIMeval's: the machine that works has numbers of its own.
#include "pimeval/pimeval.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fstream>

namespace mpu_pimeval {

namespace {

// How many cores a device counts, by its numbers of ranks, banks and subarrays.
enum Cores { CORES_NONE, CORES_SUBARRAY_PAIRS, CORES_BANKS, CORES_BANK_PAIRS };

const struct {
    const char *name;
    Cores cores;
    bool horizontal;
} devices[] = {
    {"PIM_DEVICE_NONE", CORES_NONE, false},
    {"PIM_FUNCTIONAL", CORES_NONE, false},
    {"PIM_DEVICE_BITSIMD_V", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_BITSIMD_V_NAND", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_BITSIMD_V_MAJ", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_BITSIMD_V_AP", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_DRISA_NOR", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_DRISA_MIXED", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_SIMDRAM", CORES_SUBARRAY_PAIRS, false},
    {"PIM_DEVICE_BITSIMD_H", CORES_SUBARRAY_PAIRS, true},
    {"PIM_DEVICE_FULCRUM", CORES_SUBARRAY_PAIRS, true},
    {"PIM_DEVICE_BANK_LEVEL", CORES_BANKS, true},
    {"PIM_DEVICE_AQUABOLT", CORES_BANK_PAIRS, true},
    {"PIM_DEVICE_AIM", CORES_BANKS, true},
};
constexpr unsigned DEVICES = sizeof devices / sizeof *devices;

// A number of the configuration: its key in a file, its name in the environment.
const struct {
    const char *key, *variable;
    unsigned Wanted::*member;
    unsigned least;
} numbers[] = {
    {"num_ranks", "PIMEVAL_NUM_RANKS", &Wanted::ranks, 1},
    {"num_bank_per_rank", "PIMEVAL_NUM_BANK_PER_RANK", &Wanted::banks, 1},
    {"num_subarray_per_bank", "PIMEVAL_NUM_SUBARRAY_PER_BANK", &Wanted::subarrays, 1},
    {"num_row_per_subarray", "PIMEVAL_NUM_ROW_PER_SUBARRAY", &Wanted::rows, 1},
    {"num_col_per_subarray", "PIMEVAL_NUM_COL_PER_SUBARRAY", &Wanted::columns, 1},
    {"buffer_size", "PIMEVAL_BUFFER_SIZE", &Wanted::buffer, 0},
    {"max_num_threads", "PIMEVAL_MAX_NUM_THREADS", &Wanted::threads, 0},
};
// Keys that say nothing here: what memory takes, and how work is shared, is the machine's.
const char *const unused[] = {"memory_config_file", "should_load_balance"};

std::string trimmed(const std::string &text) {
    const char *const space = " \t\r";
    const size_t first = text.find_first_not_of(space);
    return first == std::string::npos
               ? std::string()
               : text.substr(first, text.find_last_not_of(space) - first + 1);
}

bool number_read(const std::string &text, unsigned least, unsigned &value) {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
        return false;
    errno = 0;
    const unsigned long read = std::strtoul(text.c_str(), nullptr, 10);
    if (errno || read > UINT_MAX || read < least)
        return false;
    value = static_cast<unsigned>(read);
    return true;
}

bool target_read(const std::string &name, Wanted &wanted) {
    const PimDeviceEnum target = device_of(name);
    if (target != PIM_DEVICE_NONE && wanted.type == PIM_FUNCTIONAL)
        wanted.target = target;
    return target != PIM_DEVICE_NONE;
}

bool environment_read(Call &call, Wanted &wanted) {
    for (const auto &number : numbers) {
        const char *text = std::getenv(number.variable);
        if (text && !number_read(text, number.least, wanted.*number.member)) {
            call.refuse("%s=%s: a number is wanted", number.variable, text);
            return false;
        }
    }
    const char *target = std::getenv("PIMEVAL_SIM_TARGET");
    if (target && !target_read(target, wanted)) {
        call.refuse("PIMEVAL_SIM_TARGET=%s: there is no such device", target);
        return false;
    }
    return true;
}

// 1: taken; 0: there is no such key; -1: it does not have that value.
int key_read(const std::string &key, const std::string &value, Wanted &wanted) {
    for (const auto &number : numbers)
        if (key == number.key)
            return number_read(value, number.least, wanted.*number.member) ? 1 : -1;
    if (key == "simulation_target")
        return target_read(value, wanted) ? 1 : -1;
    for (const char *name : unused)
        if (key == name)
            return 1;
    return 0;
}

bool file_read(Call &call, const char *file, Wanted &wanted) {
    std::ifstream in(file);
    std::string line;
    for (unsigned at = 1; std::getline(in, line); at++) {
        const std::string text = trimmed(line.substr(0, line.find('#')));
        if (text.empty())
            continue;
        const size_t equals = text.find('=');
        const std::string key = trimmed(text.substr(0, equals));
        const std::string value =
            equals == std::string::npos ? std::string() : trimmed(text.substr(equals + 1));
        const int taken = key_read(key, value, wanted);
        if (taken > 0)
            continue;
        call.refuse(taken ? "%s:%u: '%s' cannot be '%s'" : "%s:%u: there is no key '%s' ('%s')",
                    file, at, key.c_str(), value.c_str());
        return false;
    }
    if (in.eof())
        return true;
    call.refuse("%s: cannot be read", file);
    return false;
}

} // namespace

const char *device_name(PimDeviceEnum type) {
    return devices[type].name;
}

PimDeviceEnum device_of(const std::string &name) {
    for (unsigned i = 1; i < DEVICES; i++)
        if (name == devices[i].name)
            return static_cast<PimDeviceEnum>(i);
    return PIM_DEVICE_NONE;
}

bool config_read(Call &call, const char *file, Wanted &wanted) {
    if (static_cast<unsigned>(wanted.type) >= DEVICES || wanted.type == PIM_DEVICE_NONE) {
        call.refuse("there is no device %d", static_cast<int>(wanted.type));
        return false;
    }
    wanted.target = wanted.type == PIM_FUNCTIONAL ? PIM_DEVICE_NONE : wanted.type;
    if (!environment_read(call, wanted))
        return false;
    const char *const named = file && *file ? file : std::getenv("PIMEVAL_SIM_CONFIG");
    if (named && *named && !file_read(call, named, wanted))
        return false;
    if (wanted.target == PIM_DEVICE_NONE || wanted.target == PIM_FUNCTIONAL)
        wanted.target = PIM_DEVICE_SIMDRAM; // bit-serial and vertical, as our machines are
    return true;
}

bool properties_of(Call &call, const Wanted &wanted, PimDeviceProperties &properties) {
    const Cores cores = devices[wanted.target].cores;
    const auto refused = [&](const char *why) {
        call.refuse("%s %s", device_name(wanted.target), why);
        return false;
    };
    if (wanted.columns % 8)
        return refused("has a multiple of 8 columns");
    if (cores == CORES_SUBARRAY_PAIRS && wanted.subarrays % 2)
        return refused("has an even number of subarrays in a bank");
    if (wanted.buffer && wanted.target != PIM_DEVICE_AIM)
        return refused("has no buffers");
    uint64_t number = uint64_t(wanted.ranks) * wanted.banks;
    if (number <= UINT32_MAX && cores == CORES_SUBARRAY_PAIRS)
        number *= wanted.subarrays / 2;
    else if (cores == CORES_BANK_PAIRS)
        number /= 2;
    if (number > UINT32_MAX)
        return refused("has fewer than 2^32 cores");
    properties.deviceType = wanted.type;
    properties.simTarget = wanted.target;
    properties.numRanks = wanted.ranks;
    properties.numBankPerRank = wanted.banks;
    properties.numSubarrayPerBank = wanted.subarrays;
    properties.numRowPerSubarray = wanted.rows;
    properties.numColPerSubarray = wanted.columns;
    properties.numPIMCores = static_cast<unsigned>(number);
    properties.isHLayoutDevice = devices[wanted.target].horizontal;
    return true;
}

} // namespace mpu_pimeval
