/* SPDX-License-Identifier: MIT
 * Half precision: __half and __half2, conversions, and arithmetic by the machine's f16. */
#ifndef MPU_CUDA_HALF_H
#define MPU_CUDA_HALF_H

struct __align__(2) __half {
    unsigned short bits;
};
typedef struct __half __half;
typedef __half half;
struct __align__(4) __half2 {
    __half x, y;
};
typedef struct __half2 __half2;
typedef __half2 half2;

MPU_CUDA_FN __half __ushort_as_half(unsigned short bits) {
    __half h = {bits};
    return h;
}
MPU_CUDA_FN unsigned short __half_as_ushort(__half h) {
    return h.bits;
}
MPU_CUDA_FN float __half2float(__half h) {
    float f;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
    return f;
}
MPU_CUDA_FN __half __float2half_rn(float f) {
    __half h;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
    return h;
}
MPU_CUDA_FN __half __float2half(float f) {
    return __float2half_rn(f);
}
MPU_CUDA_FN __half2 __halves2half2(__half x, __half y) {
    __half2 h = {x, y};
    return h;
}
MPU_CUDA_FN __half2 __floats2half2_rn(float x, float y) {
    return __halves2half2(__float2half_rn(x), __float2half_rn(y));
}
MPU_CUDA_FN __half2 __float2half2_rn(float x) {
    return __floats2half2_rn(x, x);
}
MPU_CUDA_FN __half __low2half(__half2 h) {
    return h.x;
}
MPU_CUDA_FN __half __high2half(__half2 h) {
    return h.y;
}
MPU_CUDA_FN float __low2float(__half2 h) {
    return __half2float(h.x);
}
MPU_CUDA_FN float __high2float(__half2 h) {
    return __half2float(h.y);
}

#define MPU_CUDA_HALF_2(name, both, opcode)                                                        \
    MPU_CUDA_FN __half name(__half a, __half b) {                                                  \
        __half h;                                                                                  \
        __asm__(opcode " %0, %1, %2;" : "=h"(h.bits) : "h"(a.bits), "h"(b.bits));                  \
        return h;                                                                                  \
    }                                                                                              \
    MPU_CUDA_FN __half2 both(__half2 a, __half2 b) {                                               \
        return __halves2half2(name(a.x, b.x), name(a.y, b.y));                                     \
    }
MPU_CUDA_HALF_2(__hadd, __hadd2, "add.f16")
MPU_CUDA_HALF_2(__hsub, __hsub2, "sub.f16")
MPU_CUDA_HALF_2(__hmul, __hmul2, "mul.f16")
#undef MPU_CUDA_HALF_2

MPU_CUDA_FN __half __hfma(__half a, __half b, __half c) {
    __half h;
    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(h.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return h;
}
MPU_CUDA_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __halves2half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
MPU_CUDA_FN __half __hneg(__half a) {
    return __ushort_as_half(a.bits ^ 0x8000);
}
MPU_CUDA_FN bool __hlt(__half a, __half b) {
    return __half2float(a) < __half2float(b);
}
MPU_CUDA_FN bool __hgt(__half a, __half b) {
    return __half2float(a) > __half2float(b);
}
MPU_CUDA_FN bool __heq(__half a, __half b) {
    return __half2float(a) == __half2float(b);
}
/* Of the exact quotient, which a float rounds to bits enough. */
MPU_CUDA_FN __half __hdiv(__half a, __half b) {
    return __float2half_rn(__half2float(a) / __half2float(b));
}

MPU_CUDA_FN __half operator+(__half a, __half b) {
    return __hadd(a, b);
}
MPU_CUDA_FN __half operator-(__half a, __half b) {
    return __hsub(a, b);
}
MPU_CUDA_FN __half operator*(__half a, __half b) {
    return __hmul(a, b);
}
MPU_CUDA_FN __half operator/(__half a, __half b) {
    return __hdiv(a, b);
}

#endif
