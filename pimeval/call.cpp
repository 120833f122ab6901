// SPDX-License-Identifier: MIT
// A call at work: what it refuses, what it is charged to, how it gets at objects.
#include "pimeval/pimeval.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace mpu_pimeval {

namespace {

// What the program has no occasion to ask for any more can still fail; then, and after whatever was
// refused before, the process does not end as if all were well.
void at_end() {
    if (process().device) {
        Call call("exit", CALL_DEVICE);
        settle_all(call);
    }
    if (!process().failed)
        return;
    std::cout.flush();
    std::fflush(nullptr);
    std::_Exit(1);
}

void print(const char *kind, const char *name, const char *format, va_list arguments) {
    std::printf("PIM-%s: %s: ", kind, name);
    std::vprintf(format, arguments);
    std::putchar('\n');
}

} // namespace

// Never freed, so that calls from destructors of the program still find it.
Process &process() {
    static Process *const one = [] {
        Process *made = new Process;
        if (const char *debug = std::getenv("PIMEVAL_DEBUG"))
            made->debug = static_cast<unsigned>(std::strtoul(debug, nullptr, 0));
        std::atexit(at_end);
        return made;
    }();
    return *one;
}

Call::Call(const char *name_, CallKind kind_) : name(name_), kind(kind_) {
    if (process().debug & DEBUG_API)
        begin = std::chrono::steady_clock::now();
}

Call::~Call() {
    mpu_error_free(error);
    if (!(process().debug & DEBUG_API))
        return;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    CallTime &time = process().times.try_emplace(name, CallTime{kind, 0, 0}).first->second;
    time.count++;
    time.ms += took.count();
}

PimStatus Call::refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print("Error", name, format, arguments);
    va_end(arguments);
    process().failed = true;
    return PIM_ERROR;
}

PimStatus Call::refuse_machine() {
    std::string text = error ? mpu_error_text(error) : "the host has no memory";
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return refuse("%s", text.c_str());
}

void Call::say(const char *format, ...) const {
    va_list arguments;
    va_start(arguments, format);
    print("Error", name, format, arguments);
    va_end(arguments);
}

Device *Call::device() {
    if (!process().device)
        refuse("there is no device");
    return process().device;
}

Object *Call::object(PimObjId id) {
    Device *d = device();
    if (!d)
        return nullptr;
    const auto found = d->objects.find(id);
    if (found != d->objects.end())
        return &found->second;
    refuse(id >= 0 && id < d->next ? "object %d is gone" : "there is no object %d", id);
    return nullptr;
}

bool Call::associated(PimObjId one, PimObjId other) {
    const std::map<PimObjId, Object> &objects = process().device->objects;
    if (objects.at(one).group == objects.at(other).group)
        return true;
    refuse("objects %d and %d are not associated", one, other);
    return false;
}

void Call::charge_plain(const char *what) {
    mpu_device_label(process().device->machine, what);
}

void Call::charge(const char *what, const Object &of) {
    const std::string label =
        std::string(what) + "." + type_name(of.type) + (of.horizontal ? ".h" : ".v");
    count = of.count;
    charge_plain(label.c_str());
    process().device->uses[label] += of.count;
}

Vector Call::apply(mpu_op op, mpu_vtype type, std::initializer_list<Operand> operands) {
    mpu_operand list[3];
    uint32_t many = 0;
    for (const Operand &operand : operands) {
        if (!operand.there)
            return Vector();
        list[many++] = operand.what;
    }
    return Vector(mpu_apply(process().device->machine, op, type, count, list, many,
                            error ? nullptr : &error));
}

Vector Call::inverted(const Vector &value, PimDataType type) {
    if (!type_is_float(type))
        return apply(MPU_OP_NOT, type_vector(type), {value});
    const mpu_vtype bits = {MPU_KIND_UINT, 32};
    const Vector same = apply(MPU_OP_BITCAST, bits, {value});
    return apply(MPU_OP_BITCAST, FLOAT_TYPE, {apply(MPU_OP_NOT, bits, {same})});
}

Vector Call::load(const Object &of) {
    count = of.count;
    if (of.original < 0)
        return of.value;
    return inverted(process().device->objects.at(of.original).value, of.type);
}

PimStatus Call::store(Object &of, const Vector &value) {
    const bool view = of.original >= 0;
    const Vector put = view && value ? inverted(value, of.type) : value;
    const Vector &kept = view ? process().device->objects.at(of.original).value : of.value;
    if (!put || mpu_vector_set(kept.get(), put.get(), error ? nullptr : &error) != MPU_OK)
        return refuse_machine();
    return PIM_OK;
}

} // namespace mpu_pimeval
