// SPDX-License-Identifier: MIT
// The device of the process: made on the machine that the environment names, flushed, deleted.
#include "pimeval/pimeval.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace mpu_pimeval;

namespace mpu_pimeval {

bool settle_divisions(Call &call) {
    Device *d = process().device;
    if (!d->zero_divisor)
        return true;
    call.charge_plain("zero_divisor");
    const Vector asked = std::exchange(d->zero_divisor, Vector());
    uint8_t met = 0;
    if (mpu_vector_get(asked.get(), 0, 1, &met, &call.error) != MPU_OK) {
        call.refuse_machine();
        return false;
    }
    if (met)
        std::puts("PIM-Error: Division by zero");
    return true;
}

bool settle_all(Call &call) {
    if (!settle_divisions(call))
        return false;
    if (mpu_device_flush(process().device->machine, &call.error) == MPU_OK)
        return true;
    call.refuse_machine();
    return false;
}

} // namespace mpu_pimeval

namespace {

// Numbers of a device of which nobody says anything.
constexpr Wanted defaults = {PIM_DEVICE_NONE, PIM_DEVICE_NONE, 1, 4, 32, 1024, 8192, 0, 0};

void close(Device *d) {
    d->objects.clear();
    d->zero_divisor = Vector();
    mpu_device_close(d->machine);
    mpu_target_close(d->target);
    delete d;
}

bool open_machine(Call &call, Device &d, unsigned threads) {
    const char *target = std::getenv("MPU_TARGET");
    const char *set = std::getenv("MPU_SET");
    std::istringstream words(set ? set : "");
    std::vector<std::string> texts;
    for (std::string word; words >> word;)
        texts.push_back(word);
    std::vector<const char *> list;
    for (const std::string &text : texts)
        list.push_back(text.c_str());
    list.push_back(nullptr);
    mpu_config config = {};
    config.size = sizeof config;
    config.threads = threads < MPU_MAX_THREADS ? threads : MPU_MAX_THREADS;
    d.target = mpu_target_open(target && *target ? target : "racer", list.data(), &call.error);
    if (d.target) {
        mpu_target_use_cache(d.target);
        d.machine = mpu_device_open(d.target, &config, &call.error);
    }
    // Machines that keep buffers alone open as well.
    const bool well =
        d.machine && Vector(mpu_vector_new(d.machine, BOOL_TYPE, 1, &call.error)).get();
    if (!well)
        call.refuse_machine();
    return well;
}

// What was asked of the device before is done with.
bool drop_device(Call &call) {
    const bool well = settle_all(call);
    close(process().device);
    process().device = nullptr;
    return well;
}

PimStatus create(Call &call, const char *file, Wanted wanted) {
    PimDeviceProperties properties;
    if (!config_read(call, file, wanted) || !properties_of(call, wanted, properties))
        return PIM_ERROR;
    if (process().device && !drop_device(call))
        return PIM_ERROR;
    Device *d = new Device;
    d->properties = properties;
    if (!open_machine(call, *d, wanted.threads)) {
        close(d);
        return PIM_ERROR;
    }
    process().device = d;
    std::printf("PIM-Info: %s as %s: vectors on %s\n", device_name(properties.deviceType),
                device_name(properties.simTarget), mpu_target_name(d->target));
    std::printf("PIM-Config: ranks %u, banks %u, subarrays %u, rows %u, columns %u, cores %u\n",
                properties.numRanks, properties.numBankPerRank, properties.numSubarrayPerBank,
                properties.numRowPerSubarray, properties.numColPerSubarray, properties.numPIMCores);
    return PIM_OK;
}

} // namespace

PimStatus pimCreateDevice(PimDeviceEnum deviceType, unsigned numRanks, unsigned numBankPerRank,
                          unsigned numSubarrayPerBank, unsigned numRows, unsigned numCols,
                          unsigned bufferSize) {
    Call call("pimCreateDevice", CALL_DEVICE);
    Wanted wanted = {deviceType,     PIM_DEVICE_NONE,    numRanks,
                     numBankPerRank, numSubarrayPerBank, numRows,
                     numCols,        bufferSize,         0};
    for (unsigned Wanted::*number :
         {&Wanted::ranks, &Wanted::banks, &Wanted::subarrays, &Wanted::rows, &Wanted::columns})
        if (!(wanted.*number))
            wanted.*number = defaults.*number;
    return create(call, nullptr, wanted);
}

PimStatus pimCreateDeviceFromConfig(PimDeviceEnum deviceType, const char *configFileName) {
    Call call("pimCreateDeviceFromConfig", CALL_DEVICE);
    if (!configFileName)
        return call.refuse("a file is wanted");
    Wanted wanted = defaults;
    wanted.type = deviceType;
    return create(call, configFileName, wanted);
}

PimStatus pimGetDeviceProperties(PimDeviceProperties *deviceProperties) {
    Call call("pimGetDeviceProperties", CALL_DEVICE);
    if (!deviceProperties)
        return call.refuse("the pointer is null");
    if (!call.device())
        return PIM_ERROR;
    *deviceProperties = process().device->properties;
    return PIM_OK;
}

PimStatus pimDeleteDevice() {
    Call call("pimDeleteDevice", CALL_DEVICE);
    return call.device() && drop_device(call) ? PIM_OK : PIM_ERROR;
}
