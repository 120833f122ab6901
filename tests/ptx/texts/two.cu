// SPDX-License-Identifier: MIT
// Kernels whose PTX, as clang makes it, lies beside this: clang -x cuda -nocudainc -nocudalib
// --cuda-path=/nonexistent --cuda-device-only -S --cuda-gpu-arch=sm_75 -Xclang -target-feature
// -Xclang +ptx63.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#include <__clang_cuda_builtin_vars.h>

__constant__ float tab[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ int *where = &counter;
struct S {
    int a;
    float b[3];
};
extern __shared__ float dyn[];

__device__ __attribute__((noinline)) float fun(float *p, int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

__global__ void saxpy(float *x, const float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = a * x[i] + y[i];
}

#ifndef SAXPY_ALONE
extern "C" __global__ void two(float *o, S s, int n) {
    float loc[8];
    __shared__ float sh[64];
    for (int i = 0; i < 8; i++)
        loc[i] = s.b[i % 3] * i + tab[i & 3];
    sh[threadIdx.x] = fun(loc, n);
    dyn[threadIdx.x] = sh[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = dyn[63 - threadIdx.x] + *where;
}
#endif
