/* SPDX-License-Identifier: MIT
 * Host programs of kernels in CUDA, under the names of the near-bank SIMT paper (mpu_malloc,
 * mpu_memcpy, Host2Device) and of CUDA's runtime (cudaMalloc, cudaMemcpy, ..), on libmpu
 * (docs/cuda.md, "Host programs").  In C and C++; of all that a program has, a launch alone is
 * written differently: `saxpy<<<grid, block, bytes>>>(n, a, x, y)` is
 *
 *     MPU_LAUNCH(saxpy, grid, block, bytes)(n, a, x, y);
 *
 * with `bytes` left out where there are none.  Kernels come from the PTX texts that MPU_KERNELS
 * names, in the environment or as a macro ("saxpy.ptx", several with a ':' between them), without
 * it from the text beside the program that has its name and ".ptx".  The machine is MPU_TARGET's,
 * in the environment or as a macro, without it golden; both are opened when the first call needs
 * them.
 *
 * What fails says why on the standard error.  Functions of CUDA's names give a code, those of the
 * paper's end the program, since it has nothing that asks.  Calls are carried out at once.  Two
 * threads must not call at the same time. */
#ifndef MPU_SIMT_H
#define MPU_SIMT_H

#ifdef __CUDA__ /* the same file, as clang reads it for its kernels */
#include "cuda.h"
#else
#define MPU_CUDA_BOTH static inline
#include "cuda_vector.h"
#endif

#ifndef MPU_TARGET
#define MPU_TARGET "golden"
#endif
#ifndef MPU_KERNELS
#define MPU_KERNELS NULL
#endif
#include "simt_host.h"

/* ---- kernels in the same file: the host's compiler reads them, and nothing calls them ----
 * What device functions they call it does not know; such kernels stand behind #ifdef __CUDA__. */
#ifndef __CUDA__
#define __host__
#define __device__   static inline __attribute__((unused))
#define __global__   static inline __attribute__((unused))
#define __constant__ static const
#define __shared__   static
#define __restrict__ __restrict
#define __forceinline__ inline
static const __attribute__((unused)) uint3 threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0};
static const __attribute__((unused)) dim3 blockDim = {1, 1, 1}, gridDim = {1, 1, 1};
static inline void __syncthreads(void) {}
#endif

/* ---- launches ---- */

#define MPU_SIMT_FIRST(x, ...)     x
#define MPU_SIMT_SECOND(x, y, ...) y
#ifdef __cplusplus
#include <type_traits>
#define MPU_LAUNCH(kernel, grid, ...)                                                              \
    mpu_simt_shape(#kernel, dim3(grid), dim3(MPU_SIMT_FIRST(__VA_ARGS__, 0)),                      \
                   MPU_SIMT_SECOND(__VA_ARGS__, 0, 0)),                                            \
        mpu_simt_call

template <class T> struct mpu_simt_kind {
    static constexpr bool whole = std::is_integral<T>::value || std::is_enum<T>::value;
    static constexpr int value = std::is_floating_point<T>::value ? 3
                                 : !whole                         ? 0
                                 : std::is_signed<T>::value       ? 1
                                                                  : 2;
};
template <class... T> cudaError_t mpu_simt_call(T... x) {
    const mpu_simt_value values[] = {{&x, sizeof(T), mpu_simt_kind<T>::value}..., {nullptr, 0, 0}};
    return mpu_simt_launch(values, sizeof...(T));
}
#else
/* A dim3, or a number of blocks or threads in one dimension. */
static inline dim3 mpu_simt_dim3(dim3 x) {
    dim3 d = {x.x, x.y ? x.y : 1, x.z ? x.z : 1}; /* what an initialiser leaves out is 0 */
    return d;
}
static inline dim3 mpu_simt_line(unsigned n) {
    dim3 d = {n, 1, 1};
    return d;
}
#define MPU_SIMT_DIM3(x) _Generic((x), dim3 : mpu_simt_dim3, default : mpu_simt_line)(x)
#define MPU_LAUNCH(kernel, grid, ...)                                                              \
    mpu_simt_shape(#kernel, MPU_SIMT_DIM3(grid), MPU_SIMT_DIM3(MPU_SIMT_FIRST(__VA_ARGS__, 0)),    \
                   MPU_SIMT_SECOND(__VA_ARGS__, 0, 0)),                                            \
        MPU_SIMT_CALL

#define MPU_SIMT_KIND(x)                                                                           \
    _Generic((x), float : 3, double : 3, char                                                      \
             : (char)-1 < 0 ? 1 : 2, signed char : 1, short : 1, int : 1, long : 1, long long : 1, \
               _Bool : 2, unsigned char : 2, unsigned short : 2, unsigned int : 2,                 \
               unsigned long : 2, unsigned long long : 2, default : 0)
#define MPU_SIMT_VALUE(x)                                                                          \
    { (__typeof__(x)[1]){x}, sizeof(x), MPU_SIMT_KIND(x) }
#define MPU_SIMT_VALUES_0()                                                                        \
    { NULL, 0, 0 }
#define MPU_SIMT_VALUES_1(x)       MPU_SIMT_VALUE(x)
#define MPU_SIMT_VALUES_2(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_1(__VA_ARGS__)
#define MPU_SIMT_VALUES_3(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_2(__VA_ARGS__)
#define MPU_SIMT_VALUES_4(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_3(__VA_ARGS__)
#define MPU_SIMT_VALUES_5(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_4(__VA_ARGS__)
#define MPU_SIMT_VALUES_6(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_5(__VA_ARGS__)
#define MPU_SIMT_VALUES_7(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_6(__VA_ARGS__)
#define MPU_SIMT_VALUES_8(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_7(__VA_ARGS__)
#define MPU_SIMT_VALUES_9(x, ...)  MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_8(__VA_ARGS__)
#define MPU_SIMT_VALUES_10(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_9(__VA_ARGS__)
#define MPU_SIMT_VALUES_11(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_10(__VA_ARGS__)
#define MPU_SIMT_VALUES_12(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_11(__VA_ARGS__)
#define MPU_SIMT_VALUES_13(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_12(__VA_ARGS__)
#define MPU_SIMT_VALUES_14(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_13(__VA_ARGS__)
#define MPU_SIMT_VALUES_15(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_14(__VA_ARGS__)
#define MPU_SIMT_VALUES_16(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_15(__VA_ARGS__)
#define MPU_SIMT_VALUES_17(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_16(__VA_ARGS__)
#define MPU_SIMT_VALUES_18(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_17(__VA_ARGS__)
#define MPU_SIMT_VALUES_19(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_18(__VA_ARGS__)
#define MPU_SIMT_VALUES_20(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_19(__VA_ARGS__)
#define MPU_SIMT_VALUES_21(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_20(__VA_ARGS__)
#define MPU_SIMT_VALUES_22(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_21(__VA_ARGS__)
#define MPU_SIMT_VALUES_23(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_22(__VA_ARGS__)
#define MPU_SIMT_VALUES_24(x, ...) MPU_SIMT_VALUE(x), MPU_SIMT_VALUES_23(__VA_ARGS__)
#define MPU_SIMT_PICK(x, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,    \
                      a17, a18, a19, a20, a21, a22, a23, a24, n, ...)                              \
    n
#define MPU_SIMT_COUNT(...)                                                                        \
    MPU_SIMT_PICK(x, ##__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, \
                  8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define MPU_SIMT_JOIN_(x, y) x##y
#define MPU_SIMT_JOIN(x, y)  MPU_SIMT_JOIN_(x, y)
/* Up to 24 arguments. */
#define MPU_SIMT_CALL(...)                                                                         \
    mpu_simt_launch((const struct mpu_simt_value[]){MPU_SIMT_JOIN(                                 \
                        MPU_SIMT_VALUES_, MPU_SIMT_COUNT(__VA_ARGS__))(__VA_ARGS__)},              \
                    MPU_SIMT_COUNT(__VA_ARGS__))
#endif

/* ---- the paper's names ---- */

#define Host2Device   cudaMemcpyHostToDevice
#define Device2Host   cudaMemcpyDeviceToHost
#define Device2Device cudaMemcpyDeviceToDevice

/* Ends the program if this failed, or something before it that nothing asked. */
static inline void mpu_simt_must(cudaError_t code) {
    if (code != cudaSuccess || mpu_simt_one.last != cudaSuccess)
        exit(EXIT_FAILURE);
}

#define mpu_malloc(pointer, bytes) mpu_simt_must(mpu_simt_malloc(&(pointer), bytes))
#define mpu_free(pointer)          mpu_simt_must(mpu_simt_free(pointer))
#define mpu_memcpy(to, from, bytes, direction)                                                     \
    mpu_simt_must(mpu_simt_memcpy(to, from, bytes, direction))
#define mpu_memset(to, value, bytes) mpu_simt_must(mpu_simt_memset(to, value, bytes))

/* ---- CUDA's names ---- */

static inline cudaError_t cudaMalloc(void *pointer, size_t bytes) {
    return mpu_simt_malloc(pointer, bytes);
}
static inline cudaError_t cudaFree(const void *pointer) {
    return mpu_simt_free(pointer);
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind) {
    return mpu_simt_memcpy(to, from, bytes, kind);
}
static inline cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return mpu_simt_memset(to, value, bytes);
}
/* What the last call that failed said; then nothing has failed. */
static inline cudaError_t cudaGetLastError(void) {
    cudaError_t last = mpu_simt_one.last;
    mpu_simt_one.last = cudaSuccess;
    return last;
}
static inline cudaError_t cudaPeekAtLastError(void) {
    return mpu_simt_one.last;
}
/* Launches are carried out when they are called: nothing is waited for. */
static inline cudaError_t cudaDeviceSynchronize(void) {
    return mpu_simt_one.last;
}
static inline cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int device) {
    return device ? mpu_simt_fail(cudaErrorInvalidDevice, "there is one device, number 0", NULL)
                  : cudaSuccess;
}
static inline cudaError_t cudaDeviceReset(void) {
    return mpu_simt_close();
}
static inline const char *cudaGetErrorName(cudaError_t code) {
    switch (code) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidValue:
        return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInitializationError:
        return "cudaErrorInitializationError";
    case cudaErrorInvalidConfiguration:
        return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevicePointer:
        return "cudaErrorInvalidDevicePointer";
    case cudaErrorInvalidMemcpyDirection:
        return "cudaErrorInvalidMemcpyDirection";
    case cudaErrorInvalidDeviceFunction:
        return "cudaErrorInvalidDeviceFunction";
    case cudaErrorInvalidDevice:
        return "cudaErrorInvalidDevice";
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    case cudaErrorUnknown:
        return "cudaErrorUnknown";
    }
    return "unrecognized error code";
}
static inline const char *cudaGetErrorString(cudaError_t code) {
    switch (code) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInitializationError:
        return "initialization error";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorInvalidDevicePointer:
        return "invalid device pointer";
    case cudaErrorInvalidMemcpyDirection:
        return "invalid copy direction for memcpy";
    case cudaErrorInvalidDeviceFunction:
        return "invalid device function";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    case cudaErrorUnknown:
        return "unknown error";
    }
    return "unrecognized error code";
}

#endif
