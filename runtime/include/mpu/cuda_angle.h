/* SPDX-License-Identifier: MIT
 * Functions of angles, and hyperbolic ones; mpu/cuda_math.h says how large their errors are. */
#ifndef MPU_CUDA_ANGLE_H
#define MPU_CUDA_ANGLE_H

#include "cuda_math.h"

/* Bits of 2 / pi behind the point, behind a word of zeros. */
MPU_CUDA_CONST unsigned mpu_cuda_two_over_pi[8] = {
    0, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};

/* x minus the nearest multiple of pi / 2, which is number *quadrant; 2^15 < |x| < infinity. */
MPU_CUDA_FN float mpu_cuda_reduce_large(float x, int *quadrant) {
    unsigned u = mpu_cuda_bits(x), m = (u & 0x7fffffu) | 0x800000u;
    /* x = m 2^e: what stands `at` bits or more behind the beginning counts modulo 4 */
    int at = (int)(u >> 23 & 0xffu) - 150 - 2 + 32, word = at >> 5, shift = at & 31;
    unsigned window[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long pair = (unsigned long long)mpu_cuda_two_over_pi[word + i] << 32;
        pair |= word + i + 1 < 8 ? mpu_cuda_two_over_pi[word + i + 1] : 0u;
        window[i] = (unsigned)(pair << shift >> 32);
    }
    unsigned long long p = (unsigned long long)m * window[2] >> 32;
    p += (unsigned long long)m * window[1];
    p += (unsigned long long)(m * window[0]) << 32;
    long long rest = (long long)(p << 2); /* of a quadrant, times 2^64 */
    int q = (int)(p >> 62) + (rest < 0);
    float r = (float)((double)rest * (1.5707963267948966 / 18446744073709551616.0));
    *quadrant = u >> 31 ? -q : q;
    return u >> 31 ? -r : r;
}

MPU_CUDA_FN float mpu_cuda_reduce(float x, int *quadrant) {
    float n = __builtin_rintf(x * 0.636619747f);
    float r = __builtin_fmaf(n, -1.57079625f, x); /* pi / 2 in three parts */
    r = __builtin_fmaf(n, -7.54978942e-8f, r);
    r = __builtin_fmaf(n, -5.39030253e-15f, r);
    *quadrant = (int)n;
    return r;
}

MPU_CUDA_FN float mpu_cuda_sin_small(float r) {
    float z = r * r, p = 2.7175681e-6f;
    p = __builtin_fmaf(p, z, -0.00019839258f);
    p = __builtin_fmaf(p, z, 0.008333329f);
    p = __builtin_fmaf(p, z, -0.16666667f);
    return __builtin_fmaf(p * z, r, r);
}

MPU_CUDA_FN float mpu_cuda_cos_small(float r) {
    float z = r * r, p = 2.4425717e-5f;
    p = __builtin_fmaf(p, z, -0.0013887251f);
    p = __builtin_fmaf(p, z, 0.041666646f);
    return __builtin_fmaf(p, z * z, __builtin_fmaf(z, -0.5f, 1.0f));
}

/* sin(x + turn pi / 2) */
MPU_CUDA_FN float mpu_cuda_turned(float x, int turn) {
    int q;
    float r;
    if (__builtin_fabsf(x) < 40000.0f)
        r = mpu_cuda_reduce(x, &q);
    else if (__builtin_fabsf(x) <= 3.40282347e38f)
        r = mpu_cuda_reduce_large(x, &q);
    else
        return x - x;
    q += turn;
    float y = q & 1 ? mpu_cuda_cos_small(r) : mpu_cuda_sin_small(r);
    return q & 2 ? -y : y;
}

MPU_CUDA_FN float mpu_cuda_sin(float x) {
    return x == 0.0f ? x : mpu_cuda_turned(x, 0);
}

MPU_CUDA_FN float mpu_cuda_cos(float x) {
    return mpu_cuda_turned(x, 1);
}

MPU_CUDA_FN float mpu_cuda_tan(float x) {
    return x == 0.0f ? x : mpu_cuda_turned(x, 0) / mpu_cuda_turned(x, 1);
}

/* ---- and back ---- */

MPU_CUDA_FN float mpu_cuda_atan_small(float x) { /* |x| <= 1 */
    float z = x * x, p = -0.0017935939f;
    p = __builtin_fmaf(p, z, 0.010914481f);
    p = __builtin_fmaf(p, z, -0.031177614f);
    p = __builtin_fmaf(p, z, 0.05795736f);
    p = __builtin_fmaf(p, z, -0.08403437f);
    p = __builtin_fmaf(p, z, 0.10952181f);
    p = __builtin_fmaf(p, z, -0.14264241f);
    p = __builtin_fmaf(p, z, 0.19998549f);
    p = __builtin_fmaf(p, z, -0.333333f);
    return x == 0.0f ? x : __builtin_fmaf(p * z, x, x);
}

MPU_CUDA_FN float mpu_cuda_atan(float x) {
    float a = __builtin_fabsf(x);
    if (!(a > 1.0f))
        return mpu_cuda_atan_small(x);
    return __builtin_copysignf(1.57079637f - mpu_cuda_atan_small(1.0f / a) - 4.37113883e-8f, x);
}

MPU_CUDA_FN float mpu_cuda_atan2(float y, float x) {
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    if (x != x || y != y)
        return x + y;
    float large = a > b ? a : b, small = a > b ? b : a;
    float q = large == 0.0f ? 0.0f : small == large ? 1.0f : small / large;
    float r = mpu_cuda_atan_small(q);
    if (b > a)
        r = 1.57079637f - (r + 4.37113883e-8f);
    if (mpu_cuda_bits(x) >> 31)
        r = 3.14159274f - (r + 8.74227766e-8f);
    return __builtin_copysignf(r, y);
}

MPU_CUDA_FN float mpu_cuda_asin_small(float x) { /* |x| <= 1 / 2 */
    float z = x * x, p = 0.037565187f;
    p = __builtin_fmaf(p, z, 0.014402616f);
    p = __builtin_fmaf(p, z, 0.031817608f);
    p = __builtin_fmaf(p, z, 0.04451572f);
    p = __builtin_fmaf(p, z, 0.07500511f);
    p = __builtin_fmaf(p, z, 0.1666666f);
    return x == 0.0f ? x : __builtin_fmaf(p * z, x, x);
}

MPU_CUDA_FN float mpu_cuda_asin(float x) {
    float a = __builtin_fabsf(x);
    if (!(a > 0.5f))
        return mpu_cuda_asin_small(x);
    float half = mpu_cuda_asin_small(__builtin_sqrtf(0.5f - 0.5f * a)); /* not a number beyond 1 */
    return __builtin_copysignf(1.57079637f - (2.0f * half + 4.37113883e-8f), x);
}

MPU_CUDA_FN float mpu_cuda_acos(float x) {
    float a = __builtin_fabsf(x);
    if (!(a > 0.5f))
        return 1.57079637f - (mpu_cuda_asin_small(x) + 4.37113883e-8f);
    float half = 2.0f * mpu_cuda_asin_small(__builtin_sqrtf(0.5f - 0.5f * a));
    return x < 0.0f ? 3.14159274f - (half + 8.74227766e-8f) : half;
}

/* ---- hyperbolic ---- */

MPU_CUDA_FN float mpu_cuda_tanh(float x) {
    float a = __builtin_fabsf(x);
    if (a < 0.6f) {
        float z = x * x, p = 0.002231061f;
        p = __builtin_fmaf(p, z, -0.008267088f);
        p = __builtin_fmaf(p, z, 0.021734439f);
        p = __builtin_fmaf(p, z, -0.053952474f);
        p = __builtin_fmaf(p, z, 0.13333248f);
        p = __builtin_fmaf(p, z, -0.3333333f);
        return x == 0.0f ? x : __builtin_fmaf(p * z, x, x);
    }
    if (x != x)
        return x;
    float r = a > 10.0f ? 1.0f : 1.0f - 2.0f / (mpu_cuda_exp(2.0f * a) + 1.0f);
    return __builtin_copysignf(r, x);
}

MPU_CUDA_FN float mpu_cuda_sinh(float x) {
    float a = __builtin_fabsf(x);
    if (a > 88.0f) { /* e^a may be too large, where its half is not */
        float e = mpu_cuda_exp(0.5f * a);
        return __builtin_copysignf(0.5f * e * e, x);
    }
    float e = mpu_cuda_expm1(a);
    return __builtin_copysignf(0.5f * (e + e / (e + 1.0f)), x);
}

MPU_CUDA_FN float mpu_cuda_cosh(float x) {
    float a = __builtin_fabsf(x);
    if (a > 88.0f) {
        float e = mpu_cuda_exp(0.5f * a);
        return 0.5f * e * e;
    }
    float e = mpu_cuda_exp(a);
    return 0.5f * e + 0.5f / e;
}

#endif
