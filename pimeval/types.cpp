// SPDX-License-Identifier: MIT
// Element types: on the host, on the machine, in texts.
#include "pimeval/pimeval.h"

namespace mpu_pimeval {

namespace {

// By their numbers.  The narrow floating-point types are floats everywhere.
const struct {
    const char *name;
    mpu_vtype vector;
    unsigned bytes;
} types[] = {
    {"bool", BOOL_TYPE, 1},
    {"int8", {MPU_KIND_INT, 8}, 1},
    {"int16", {MPU_KIND_INT, 16}, 2},
    {"int32", {MPU_KIND_INT, 32}, 4},
    {"int64", {MPU_KIND_INT, 64}, 8},
    {"uint8", {MPU_KIND_UINT, 8}, 1},
    {"uint16", {MPU_KIND_UINT, 16}, 2},
    {"uint32", {MPU_KIND_UINT, 32}, 4},
    {"uint64", {MPU_KIND_UINT, 64}, 8},
    {"fp32", FLOAT_TYPE, 4},
    {"fp16", FLOAT_TYPE, 4},
    {"bf16", FLOAT_TYPE, 4},
    {"fp8", FLOAT_TYPE, 4},
};

} // namespace

bool type_is_known(PimDataType type) {
    return static_cast<unsigned>(type) < sizeof types / sizeof *types;
}

bool type_is_float(PimDataType type) {
    return types[type].vector.kind == MPU_KIND_FLOAT;
}

bool type_is_signed(PimDataType type) {
    return types[type].vector.kind == MPU_KIND_INT;
}

unsigned type_bits(PimDataType type) {
    return types[type].vector.bits;
}

unsigned type_bytes(PimDataType type) {
    return types[type].bytes;
}

const char *type_name(PimDataType type) {
    return types[type].name;
}

mpu_vtype type_vector(PimDataType type) {
    return types[type].vector;
}

} // namespace mpu_pimeval
