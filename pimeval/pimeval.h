/* SPDX-License-Identifier: MIT
 * What the calls of mpu/pimeval/libpimeval.h have in common: the one device of the process, its
 * objects, and a call at work.  Above mpu/mpu.h alone. */
#ifndef PIMEVAL_PIMEVAL_H
#define PIMEVAL_PIMEVAL_H

#include <mpu/mpu.h>
#include <mpu/pimeval/libpimeval.h>

#include <chrono>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mpu_pimeval {

/* A reference to a vector; empty where making it failed. */
class Vector {
  public:
    Vector() = default;
    explicit Vector(mpu_vector *made) : v(made) {}
    Vector(const Vector &other) : v(other.v ? mpu_vector_retain(other.v) : nullptr) {}
    Vector(Vector &&other) noexcept : v(std::exchange(other.v, nullptr)) {}
    Vector &operator=(Vector other) noexcept {
        std::swap(v, other.v);
        return *this;
    }
    ~Vector() {
        mpu_vector_release(v);
    }
    explicit operator bool() const {
        return v != nullptr;
    }
    mpu_vector *get() const {
        return v;
    }

  private:
    mpu_vector *v = nullptr;
};

/* Of an operation: a vector, or the pattern of a scalar. */
struct Operand {
    Operand(const Vector &vector) : what{vector.get(), 0}, there(vector.get() != nullptr) {}
    Operand(uint64_t bits) : what{nullptr, bits}, there(true) {}
    mpu_operand what;
    bool there;
};

struct Object {
    PimDataType type;
    uint64_t count;
    bool horizontal;
    PimObjId group;              /* objects with one number are associated */
    PimObjId original;           /* of a view with inverted bits: what it shows; else -1 */
    std::vector<PimObjId> views; /* of it; some may be gone */
    Vector value;                /* of a view: none */
};

struct Device {
    PimDeviceProperties properties;
    mpu_target *target = nullptr;
    mpu_device *machine = nullptr;
    std::map<PimObjId, Object> objects;
    PimObjId next = 0;
    Vector zero_divisor; /* BOOL, one element: whether a division met a 0; empty: none was asked */
    std::map<std::string, uint64_t> uses; /* elements of each label */
    uint64_t bytes_in = 0, bytes_out = 0, bytes_within = 0;
};

enum CallKind { CALL_DEVICE, CALL_ALLOC, CALL_COPY, CALL_COMPUTE, CALL_KINDS };
struct CallTime {
    CallKind kind;
    uint64_t count;
    double ms;
};

/* What there is one of in a process: PIMeval's calls name no device. */
struct Process {
    Device *device = nullptr;
    bool failed = false; /* some call was refused: the process ends with 1 */
    unsigned debug = 0;  /* PIMEVAL_DEBUG */
    std::map<std::string, CallTime> times;
    bool timing = false; /* between pimStartTimer and pimEndTimer */
    std::chrono::steady_clock::time_point start;
    uint64_t start_ps = 0;
};
Process &process();
enum DebugBit { DEBUG_API = 2, DEBUG_MACHINE = 16 };

/* One call of the interface, from its entry to its return.  What it cannot do it refuses, with its
 * name; the first failure of a vector's operation makes all that follow from it empty. */
class Call {
  public:
    explicit Call(const char *name, CallKind kind = CALL_COMPUTE);
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    /* Writes the line and gives PIM_ERROR. */
    PimStatus refuse(const char *format, ...) __attribute__((format(printf, 2, 3)));
    /* The same of what libmpu said. */
    PimStatus refuse_machine();
    /* A line that is no failure. */
    void say(const char *format, ...) const __attribute__((format(printf, 2, 3)));

    /* NULL, and refused, where there is none. */
    Device *device();
    Object *object(PimObjId id);
    bool associated(PimObjId one, PimObjId other);

    /* From here on the device's work is charged to "what.type.v", of the object's elements. */
    void charge(const char *what, const Object &object);
    void charge_plain(const char *what);

    Vector apply(mpu_op op, mpu_vtype type, std::initializer_list<Operand> operands);
    /* What an object has, and what it is to have from now on. */
    Vector load(const Object &object);
    PimStatus store(Object &object, const Vector &value);

    mpu_error *error = nullptr;

  private:
    Vector inverted(const Vector &value, PimDataType type);
    const char *name;
    CallKind kind;
    uint64_t count = 0; /* elements of its operations */
    std::chrono::steady_clock::time_point begin;
};

/* ---- types ---- */
bool type_is_known(PimDataType type);
bool type_is_float(PimDataType type);
bool type_is_signed(PimDataType type);
unsigned type_bits(PimDataType type);  /* of an element on the machine */
unsigned type_bytes(PimDataType type); /* of an element on the host */
const char *type_name(PimDataType type);
mpu_vtype type_vector(PimDataType type);
constexpr mpu_vtype BOOL_TYPE = {MPU_KIND_BOOL, 1};
constexpr mpu_vtype FLOAT_TYPE = {MPU_KIND_FLOAT, 32};

/* ---- the device ---- */
/* The numbers of a device as they are asked for: the file beats the environment, and that the call;
 * 0 is what nothing says. */
struct Wanted {
    PimDeviceEnum type, target;
    unsigned ranks, banks, subarrays, rows, columns, buffer, threads;
};
bool config_read(Call &call, const char *file, Wanted &wanted);
bool properties_of(Call &call, const Wanted &wanted, PimDeviceProperties &properties);
const char *device_name(PimDeviceEnum type);
PimDeviceEnum device_of(const std::string &name); /* PIM_DEVICE_NONE: there is none */

/* Says it if a division met a 0 since the last time.  False: the machine failed, which is said. */
bool settle_divisions(Call &call);
/* Carries out what is recorded, and settles. */
bool settle_all(Call &call);

} // namespace mpu_pimeval

#endif
