/* SPDX-License-Identifier: MIT
 * What kernels in CUDA need of a header, for clang without CUDA's own (docs/cuda.md):
 *
 *     clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-path=/nonexistent \
 *         --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 \
 *         -include mpu/cuda.h -O2 -S kernels.cu -o kernels.ptx
 *
 * Where nvcc compiles, its own headers rule, and this one adds half precision alone.  What is here
 * has CUDA's names and meaning; what is not (textures, cooperative groups, dynamic parallelism,
 * transcendental functions of double precision, printf) is undeclared or says so. */
#ifndef MPU_CUDA_H
#define MPU_CUDA_H

#ifdef __NVCC__
#include <cuda_fp16.h>
#elif !defined(__CUDA__) || !defined(__clang__)
#error "mpu/cuda.h is for kernels that clang (-x cuda) or nvcc compile; hosts include mpu/simt.h"
#else

#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __managed__            __attribute__((managed))
#define __forceinline__        __inline__ __attribute__((always_inline))
#define __noinline__           __attribute__((noinline))
#define __align__(n)           __attribute__((aligned(n)))
#define __builtin_align__(n)   __align__(n)
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#include <stddef.h>
#include <stdint.h>

#include "cuda_vector.h"
#include <__clang_cuda_builtin_vars.h>

#include "cuda_angle.h"
#include "cuda_atomic.h"
#include "cuda_warp.h"
#include "cuda_names.h"
#include "cuda_half.h"

#endif
#endif
