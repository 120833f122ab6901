/* SPDX-License-Identifier: MIT
 * Functions of single precision for kernels, for compilers that have no library of the device's
 * (mpu/cuda.h gives them CUDA's names).  They are built of additions, products, fused products,
 * divisions, square roots and conversions alone; pow, cbrt, hypot and angles above 40,000 take some
 * of double precision.
 *
 * Largest errors in units in the last place of the result, over all arguments but where something
 * else is said; a test measures them (tests/cuda/test_cuda_math.c):
 *
 *     exp, exp2, exp10, log, log2, log10   1      pow, cbrt, hypot          1
 *     sin, cos, atan, atan2, acos          2      expm1, log1p, tanh, cosh  2
 *     asin, sinh                           3      tan                       4
 *     fmod                             exact
 *
 * Results of infinities, NaN, zeros and subnormal numbers are C's (Annex F). */
#ifndef MPU_CUDA_MATH_H
#define MPU_CUDA_MATH_H

#ifndef MPU_CUDA_FN
#define MPU_CUDA_FN static __inline__ __attribute__((device, always_inline))
#endif
#ifndef MPU_CUDA_CONST
#define MPU_CUDA_CONST static const __attribute__((constant))
#endif

MPU_CUDA_FN unsigned mpu_cuda_bits(float x) {
    unsigned u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}

MPU_CUDA_FN float mpu_cuda_float(unsigned u) {
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

/* x 2^n for -300 < n < 300, rounded once. */
MPU_CUDA_FN float mpu_cuda_scale(float x, int n) {
    int half = n >> 1;
    return x * mpu_cuda_float((unsigned)(half + 127) << 23) *
           mpu_cuda_float((unsigned)(n - half + 127) << 23);
}

/* ---- exponentials ---- */

/* e^(high + low) - 1 for |high| <= 0.35, low far smaller. */
MPU_CUDA_FN float mpu_cuda_expm1_small(float high, float low) {
    float p = 0.00019790357f;
    p = __builtin_fmaf(p, high, 0.001394465f);
    p = __builtin_fmaf(p, high, 0.008333497f);
    p = __builtin_fmaf(p, high, 0.041666295f);
    p = __builtin_fmaf(p, high, 0.16666666f);
    p = __builtin_fmaf(p, high, 0.5f);
    return high + __builtin_fmaf(p, high * high, low);
}

/* x - n ln 2; ln 2 stands in two parts, of which the first has 16 bits. */
MPU_CUDA_FN float mpu_cuda_below_ln2(float x, float n) {
    return __builtin_fmaf(n, -1.42860677e-6f, __builtin_fmaf(n, -0.693145752f, x));
}

MPU_CUDA_FN float mpu_cuda_exp(float x) {
    if (!(x < 89.0f))
        return x * __builtin_inff(); /* too large, infinite, or not a number */
    if (x < -104.0f)
        return 0.0f;
    float n = __builtin_rintf(x * 1.44269504f);
    float r = mpu_cuda_below_ln2(x, n);
    return mpu_cuda_scale(1.0f + mpu_cuda_expm1_small(r, 0.0f), (int)n);
}

MPU_CUDA_FN float mpu_cuda_exp2(float x) {
    if (!(x < 128.0f))
        return x * __builtin_inff();
    if (x < -150.0f)
        return 0.0f;
    float n = __builtin_rintf(x), f = x - n;
    float high = f * 0.693147182f;
    float low = __builtin_fmaf(f, 0.693147182f, -high) + f * -1.90465421e-9f;
    return mpu_cuda_scale(1.0f + mpu_cuda_expm1_small(high, low), (int)n);
}

MPU_CUDA_FN float mpu_cuda_exp10(float x) {
    if (!(x < 38.6f))
        return x * __builtin_inff();
    if (x < -46.0f)
        return 0.0f;
    float n = __builtin_rintf(x * 3.32192809f);
    /* log10 2 in two parts, the first of 16 bits; ln 10 in two */
    float f = __builtin_fmaf(n, -0.301025391f, x), rest = n * -4.60503907e-6f;
    float sum = f + rest, lost = rest - (sum - f);
    float high = sum * 2.30258512f;
    float low = __builtin_fmaf(sum, 2.30258512f, -high) + sum * -3.19754367e-8f + lost * 2.3025851f;
    return mpu_cuda_scale(1.0f + mpu_cuda_expm1_small(high, low), (int)n);
}

MPU_CUDA_FN float mpu_cuda_expm1(float x) {
    if (__builtin_fabsf(x) <= 0.34f)
        return x == 0.0f ? x : mpu_cuda_expm1_small(x, 0.0f);
    if (!(x < 89.0f))
        return x * __builtin_inff();
    if (x < -18.0f)
        return -1.0f;
    float n = __builtin_rintf(x * 1.44269504f);
    float part = mpu_cuda_expm1_small(mpu_cuda_below_ln2(x, n), 0.0f);
    float last =
        mpu_cuda_float((unsigned)((int)n - 1 + 127) << 23); /* 2^n itself may be too large */
    return 2.0f * (__builtin_fmaf(part, last, last - 0.5f));
}

/* ---- logarithms ---- */

/* x = 2^*e (1 + f) for 0 < x < infinity, -0.3 < f < 0.42. */
MPU_CUDA_FN float mpu_cuda_split(float x, int *e) {
    int shift = 0;
    if (x < 1.17549435e-38f) {
        x = x * 8388608.0f;
        shift = -23;
    }
    unsigned u = mpu_cuda_bits(x) - 0x3f3504f3u; /* of the root of 1/2 */
    *e = ((int)u >> 23) + shift;
    return mpu_cuda_float((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
}

/* log(1 + f) = f - s, of which s is the result; |f| < 0.42. */
MPU_CUDA_FN float mpu_cuda_log_rest(float f) {
    float s = f / (2.0f + f), z = s * s, half = 0.5f * f * f;
    float r = 0.18181818f;
    r = __builtin_fmaf(r, z, 0.22222222f);
    r = __builtin_fmaf(r, z, 0.285714298f);
    r = __builtin_fmaf(r, z, 0.4f);
    r = __builtin_fmaf(r, z, 0.666666687f) * z;
    return half - s * (half + r);
}

/* What logarithms of numbers give that have none, or infinite ones. */
MPU_CUDA_FN float mpu_cuda_log_edge(float x) {
    if (x == 0.0f)
        return -__builtin_inff();
    return x < 0.0f ? __builtin_nanf("") : x; /* infinite, or not a number */
}

#define MPU_CUDA_LOG_HAS_EDGE(x) (!((x) > 0.0f) || (x) > 3.40282347e38f)

MPU_CUDA_FN float mpu_cuda_log(float x) {
    if (MPU_CUDA_LOG_HAS_EDGE(x))
        return mpu_cuda_log_edge(x);
    int e;
    float f = mpu_cuda_split(x, &e), n = (float)e;
    float rest = __builtin_fmaf(n, 1.42860677e-6f, -mpu_cuda_log_rest(f));
    return __builtin_fmaf(n, 0.693145752f, rest + f);
}

/* log(1 + f) as a sum, whose first part has 12 bits. */
MPU_CUDA_FN float mpu_cuda_log_parts(float f, float *low) {
    float rest = mpu_cuda_log_rest(f), whole = f - rest;
    float high = mpu_cuda_float(mpu_cuda_bits(whole) & 0xfffff000u);
    *low = (f - high) - rest;
    return high;
}

MPU_CUDA_FN float mpu_cuda_log2(float x) {
    if (MPU_CUDA_LOG_HAS_EDGE(x))
        return mpu_cuda_log_edge(x);
    int e;
    float low, high = mpu_cuda_log_parts(mpu_cuda_split(x, &e), &low);
    /* 1 / ln 2 in two parts, the first of 12 bits */
    float rest = (low + high) * -1.76052861e-4f + low * 1.44287109375f;
    return (rest + high * 1.44287109375f) + (float)e;
}

MPU_CUDA_FN float mpu_cuda_log10(float x) {
    if (MPU_CUDA_LOG_HAS_EDGE(x))
        return mpu_cuda_log_edge(x);
    int e;
    float low, high = mpu_cuda_log_parts(mpu_cuda_split(x, &e), &low), n = (float)e;
    /* 1 / ln 10 in two parts, the first of 12 bits; log10 2, the first of 16 */
    float rest = __builtin_fmaf(low + high, -3.16899716e-5f, low * 0.434326171875f);
    rest = __builtin_fmaf(n, 4.60503907e-6f, rest);
    return __builtin_fmaf(n, 0.301025391f, rest + high * 0.434326171875f);
}

MPU_CUDA_FN float mpu_cuda_log1p(float x) {
    if (__builtin_fabsf(x) < 0.29f)
        return x - mpu_cuda_log_rest(x);
    float u = 1.0f + x;
    if (MPU_CUDA_LOG_HAS_EDGE(u))
        return mpu_cuda_log_edge(u);
    float lost = x >= 1.0f ? 1.0f - (u - x) : x - (u - 1.0f); /* what u lacks */
    return mpu_cuda_log(u) + lost / u;
}

/* ---- powers and roots ---- */

/* log2 x of a float as a double, right to about 2^-38. */
MPU_CUDA_FN double mpu_cuda_log2_wide(float x) {
    int e;
    double f = mpu_cuda_split(x, &e);
    double s = f / (2.0 + f), z = s * s, r = 1.0 / 15;
    r = r * z + 1.0 / 13;
    r = r * z + 1.0 / 11;
    r = r * z + 1.0 / 9;
    r = r * z + 1.0 / 7;
    r = r * z + 1.0 / 5;
    r = r * z + 1.0 / 3;
    return (2.0 * s + 2.0 * s * z * r) * 1.4426950408889634 + (double)e;
}

/* 2^x of -152 <= x <= 130. */
MPU_CUDA_FN float mpu_cuda_exp2_wide(double x) {
    double n = __builtin_rint(x), f = (x - n) * 0.6931471805599453, p = 1.0 / 362880;
    p = p * f + 1.0 / 40320;
    p = p * f + 1.0 / 5040;
    p = p * f + 1.0 / 720;
    p = p * f + 1.0 / 120;
    p = p * f + 1.0 / 24;
    p = p * f + 1.0 / 6;
    p = p * f + 0.5;
    p = p * f + 1.0;
    p = p * f + 1.0;
    unsigned long long u = (unsigned long long)((int)n + 1023) << 52;
    double scale;
    __builtin_memcpy(&scale, &u, sizeof scale);
    return (float)(p * scale);
}

MPU_CUDA_FN float mpu_cuda_pow(float x, float y) {
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y), result;
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (x != x || y != y)
        return x + y;
    int whole = b >= 8388608.0f || __builtin_truncf(b) == b;
    int odd = whole && b < 16777216.0f && ((int)b & 1);
    if (a == 1.0f) {
        result = 1.0f;
    } else if (a == 0.0f || a > 3.40282347e38f) {
        result = (a == 0.0f) == (y < 0.0f) ? __builtin_inff() : 0.0f;
    } else if (b > 3.40282347e38f) {
        result = (a < 1.0f) == (y < 0.0f) ? __builtin_inff() : 0.0f;
    } else {
        double p = (double)y * mpu_cuda_log2_wide(a);
        p = p > 130.0 ? 130.0 : p < -152.0 ? -152.0 : p;
        result = mpu_cuda_exp2_wide(p);
    }
    if (x < 0.0f && !whole && a <= 3.40282347e38f && b <= 3.40282347e38f)
        return __builtin_nanf("");
    return odd && (mpu_cuda_bits(x) >> 31) ? -result : result;
}

MPU_CUDA_FN float mpu_cuda_cbrt(float x) {
    float a = __builtin_fabsf(x);
    if (!(a > 0.0f) || a > 3.40282347e38f)
        return x;
    double r = mpu_cuda_exp2_wide(mpu_cuda_log2_wide(a) * (1.0 / 3));
    r = r - (r * r * r - a) / (3.0 * r * r); /* one step of Newton */
    return __builtin_copysignf((float)r, x);
}

MPU_CUDA_FN float mpu_cuda_hypot(float x, float y) {
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    if (a > 3.40282347e38f || b > 3.40282347e38f) /* neither is false of what is not a number */
        return __builtin_inff();
    return (float)__builtin_sqrt((double)a * a + (double)b * b);
}

/* The remainder of a division whose quotient is an integer towards 0; exact. */
MPU_CUDA_FN float mpu_cuda_fmod(float x, float y) {
    unsigned a = mpu_cuda_bits(x) & 0x7fffffffu, b = mpu_cuda_bits(y) & 0x7fffffffu;
    if (a >= 0x7f800000u || b > 0x7f800000u || b == 0)
        return __builtin_nanf("");
    if (a < b)
        return x;
    /* both as integers, times a power of two */
    int ea = (int)(a >> 23), eb = (int)(b >> 23);
    unsigned ma = ea ? (a & 0x7fffffu) | 0x800000u : a, mb = eb ? (b & 0x7fffffu) | 0x800000u : b;
    int left = (ea ? ea : 1) - (eb ? eb : 1);
    ma = ma % mb;
    while (left > 0 && ma) {
        int step = left < 8 ? left : 8;
        ma = (ma << step) % mb;
        left -= step;
    }
    float unit = mpu_cuda_float(eb > 23 ? (unsigned)(eb - 23) << 23 : 1u << (eb ? eb - 1 : 0));
    return __builtin_copysignf((float)ma * unit, x);
}

#endif
