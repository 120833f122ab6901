/* SPDX-License-Identifier: MIT
 * CUDA's names of functions of floating point. */
#ifndef MPU_CUDA_NAMES_H
#define MPU_CUDA_NAMES_H

#define MPU_CUDA_1(name, type, value)                                                              \
    MPU_CUDA_FN type name(type x) {                                                                \
        return value;                                                                              \
    }
#define MPU_CUDA_2(name, type, value)                                                              \
    MPU_CUDA_FN type name(type x, type y) {                                                        \
        return value;                                                                              \
    }
#define MPU_CUDA_3(name, type, value)                                                              \
    MPU_CUDA_FN type name(type x, type y, type z) {                                                \
        return value;                                                                              \
    }
/* Of double precision there is none; float must not take its place unseen. */
#define MPU_CUDA_NO_DOUBLE(name) __attribute__((device)) double name(double) = delete;

MPU_CUDA_1(expf, float, mpu_cuda_exp(x))
MPU_CUDA_1(exp, float, mpu_cuda_exp(x))
MPU_CUDA_NO_DOUBLE(exp)
MPU_CUDA_1(exp2f, float, mpu_cuda_exp2(x))
MPU_CUDA_1(exp2, float, mpu_cuda_exp2(x))
MPU_CUDA_NO_DOUBLE(exp2)
MPU_CUDA_1(exp10f, float, mpu_cuda_exp10(x))
MPU_CUDA_1(exp10, float, mpu_cuda_exp10(x))
MPU_CUDA_NO_DOUBLE(exp10)
MPU_CUDA_1(expm1f, float, mpu_cuda_expm1(x))
MPU_CUDA_1(expm1, float, mpu_cuda_expm1(x))
MPU_CUDA_NO_DOUBLE(expm1)
MPU_CUDA_1(logf, float, mpu_cuda_log(x))
MPU_CUDA_1(log, float, mpu_cuda_log(x))
MPU_CUDA_NO_DOUBLE(log)
MPU_CUDA_1(log2f, float, mpu_cuda_log2(x))
MPU_CUDA_1(log2, float, mpu_cuda_log2(x))
MPU_CUDA_NO_DOUBLE(log2)
MPU_CUDA_1(log10f, float, mpu_cuda_log10(x))
MPU_CUDA_1(log10, float, mpu_cuda_log10(x))
MPU_CUDA_NO_DOUBLE(log10)
MPU_CUDA_1(log1pf, float, mpu_cuda_log1p(x))
MPU_CUDA_1(log1p, float, mpu_cuda_log1p(x))
MPU_CUDA_NO_DOUBLE(log1p)
MPU_CUDA_1(cbrtf, float, mpu_cuda_cbrt(x))
MPU_CUDA_1(cbrt, float, mpu_cuda_cbrt(x))
MPU_CUDA_NO_DOUBLE(cbrt)
MPU_CUDA_1(sinf, float, mpu_cuda_sin(x))
MPU_CUDA_1(sin, float, mpu_cuda_sin(x))
MPU_CUDA_NO_DOUBLE(sin)
MPU_CUDA_1(cosf, float, mpu_cuda_cos(x))
MPU_CUDA_1(cos, float, mpu_cuda_cos(x))
MPU_CUDA_NO_DOUBLE(cos)
MPU_CUDA_1(tanf, float, mpu_cuda_tan(x))
MPU_CUDA_1(tan, float, mpu_cuda_tan(x))
MPU_CUDA_NO_DOUBLE(tan)
MPU_CUDA_1(asinf, float, mpu_cuda_asin(x))
MPU_CUDA_1(asin, float, mpu_cuda_asin(x))
MPU_CUDA_NO_DOUBLE(asin)
MPU_CUDA_1(acosf, float, mpu_cuda_acos(x))
MPU_CUDA_1(acos, float, mpu_cuda_acos(x))
MPU_CUDA_NO_DOUBLE(acos)
MPU_CUDA_1(atanf, float, mpu_cuda_atan(x))
MPU_CUDA_1(atan, float, mpu_cuda_atan(x))
MPU_CUDA_NO_DOUBLE(atan)
MPU_CUDA_1(sinhf, float, mpu_cuda_sinh(x))
MPU_CUDA_1(sinh, float, mpu_cuda_sinh(x))
MPU_CUDA_NO_DOUBLE(sinh)
MPU_CUDA_1(coshf, float, mpu_cuda_cosh(x))
MPU_CUDA_1(cosh, float, mpu_cuda_cosh(x))
MPU_CUDA_NO_DOUBLE(cosh)
MPU_CUDA_1(tanhf, float, mpu_cuda_tanh(x))
MPU_CUDA_1(tanh, float, mpu_cuda_tanh(x))
MPU_CUDA_NO_DOUBLE(tanh)
MPU_CUDA_2(powf, float, mpu_cuda_pow(x, y))
MPU_CUDA_2(pow, float, mpu_cuda_pow(x, y))
__attribute__((device)) double pow(double, double) = delete;
MPU_CUDA_2(fmodf, float, mpu_cuda_fmod(x, y))
MPU_CUDA_2(fmod, float, mpu_cuda_fmod(x, y))
__attribute__((device)) double fmod(double, double) = delete;
MPU_CUDA_2(atan2f, float, mpu_cuda_atan2(x, y))
MPU_CUDA_2(atan2, float, mpu_cuda_atan2(x, y))
__attribute__((device)) double atan2(double, double) = delete;
MPU_CUDA_2(hypotf, float, mpu_cuda_hypot(x, y))
MPU_CUDA_2(hypot, float, mpu_cuda_hypot(x, y))
__attribute__((device)) double hypot(double, double) = delete;

#undef MPU_CUDA_NO_DOUBLE

MPU_CUDA_1(fabsf, float, __builtin_fabsf(x))
MPU_CUDA_1(fabs, float, __builtin_fabsf(x))
MPU_CUDA_1(fabs, double, __builtin_fabs(x))
MPU_CUDA_1(sqrtf, float, __builtin_sqrtf(x))
MPU_CUDA_1(sqrt, float, __builtin_sqrtf(x))
MPU_CUDA_1(sqrt, double, __builtin_sqrt(x))
MPU_CUDA_1(floorf, float, __builtin_floorf(x))
MPU_CUDA_1(floor, float, __builtin_floorf(x))
MPU_CUDA_1(floor, double, __builtin_floor(x))
MPU_CUDA_1(ceilf, float, __builtin_ceilf(x))
MPU_CUDA_1(ceil, float, __builtin_ceilf(x))
MPU_CUDA_1(ceil, double, __builtin_ceil(x))
MPU_CUDA_1(truncf, float, __builtin_truncf(x))
MPU_CUDA_1(trunc, float, __builtin_truncf(x))
MPU_CUDA_1(trunc, double, __builtin_trunc(x))
MPU_CUDA_1(rintf, float, __builtin_rintf(x))
MPU_CUDA_1(rint, float, __builtin_rintf(x))
MPU_CUDA_1(rint, double, __builtin_rint(x))
MPU_CUDA_1(nearbyintf, float, __builtin_rintf(x))
MPU_CUDA_1(nearbyint, float, __builtin_rintf(x))
MPU_CUDA_1(nearbyint, double, __builtin_rint(x))
/* Halves away from 0. */
MPU_CUDA_1(roundf, float,
           __builtin_copysignf(__builtin_truncf(__builtin_fabsf(x) + 0.49999997f), x))
MPU_CUDA_1(round, float, roundf(x))
MPU_CUDA_1(round, double,
           __builtin_copysign(__builtin_trunc(__builtin_fabs(x) + 0.49999999999999994), x))
MPU_CUDA_2(fminf, float, __builtin_fminf(x, y))
MPU_CUDA_2(fmin, float, __builtin_fminf(x, y))
MPU_CUDA_2(fmin, double, __builtin_fmin(x, y))
MPU_CUDA_2(fmaxf, float, __builtin_fmaxf(x, y))
MPU_CUDA_2(fmax, float, __builtin_fmaxf(x, y))
MPU_CUDA_2(fmax, double, __builtin_fmax(x, y))
MPU_CUDA_2(copysignf, float, __builtin_copysignf(x, y))
MPU_CUDA_2(copysign, float, __builtin_copysignf(x, y))
MPU_CUDA_2(copysign, double, __builtin_copysign(x, y))
MPU_CUDA_2(fdimf, float, x > y ? x - y : x <= y ? 0.0f : x + y)
MPU_CUDA_3(fmaf, float, __builtin_fmaf(x, y, z))
MPU_CUDA_3(fma, float, __builtin_fmaf(x, y, z))
MPU_CUDA_3(fma, double, __builtin_fma(x, y, z))
MPU_CUDA_1(rsqrtf, float, __nvvm_rsqrt_approx_f(x))
MPU_CUDA_1(rsqrt, float, __nvvm_rsqrt_approx_f(x))
MPU_CUDA_1(rsqrt, double, 1.0 / __builtin_sqrt(x))

MPU_CUDA_FN bool isnan(float x) {
    return x != x;
}
MPU_CUDA_FN bool isnan(double x) {
    return x != x;
}
MPU_CUDA_FN bool isinf(float x) {
    return __builtin_fabsf(x) == __builtin_inff();
}
MPU_CUDA_FN bool isinf(double x) {
    return __builtin_fabs(x) == __builtin_inf();
}
MPU_CUDA_FN bool isfinite(float x) {
    return __builtin_fabsf(x) < __builtin_inff();
}
MPU_CUDA_FN bool isfinite(double x) {
    return __builtin_fabs(x) < __builtin_inf();
}
MPU_CUDA_FN bool signbit(float x) {
    return mpu_cuda_bits(x) >> 31;
}
MPU_CUDA_FN float ldexpf(float x, int n) {
    n = n > 300 ? 300 : n < -300 ? -300 : n;
    int half = n / 2; /* 2^150 is none; the quarters are */
    float quarter = mpu_cuda_float((unsigned)(half / 2 + 127) << 23);
    float rest = mpu_cuda_float((unsigned)(half - half / 2 + 127) << 23);
    float last = mpu_cuda_float((unsigned)((n - half) / 2 + 127) << 23);
    float end = mpu_cuda_float((unsigned)(n - half - (n - half) / 2 + 127) << 23);
    return (float)((double)x * quarter * rest * last * end);
}
MPU_CUDA_FN void sincosf(float x, float *sine, float *cosine) {
    *sine = mpu_cuda_sin(x);
    *cosine = mpu_cuda_cos(x);
}

/* ---- the machine's approximations ---- */

MPU_CUDA_1(__expf, float, __nvvm_ex2_approx_f(x * 1.44269504f))
MPU_CUDA_1(__exp10f, float, __nvvm_ex2_approx_f(x * 3.32192809f))
MPU_CUDA_1(__logf, float, __nvvm_lg2_approx_f(x) * 0.693147182f)
MPU_CUDA_1(__log2f, float, __nvvm_lg2_approx_f(x))
MPU_CUDA_1(__log10f, float, __nvvm_lg2_approx_f(x) * 0.301029995f)
MPU_CUDA_1(__sinf, float, __nvvm_sin_approx_f(x))
MPU_CUDA_1(__cosf, float, __nvvm_cos_approx_f(x))
MPU_CUDA_1(__tanf, float, __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x))
MPU_CUDA_1(__saturatef, float, __nvvm_saturate_f(x))
MPU_CUDA_1(__frsqrt_rn, float, (float)(1.0 / __builtin_sqrt((double)x)))
MPU_CUDA_2(__powf, float, __nvvm_ex2_approx_f(y *__nvvm_lg2_approx_f(x)))
MPU_CUDA_2(__fdividef, float, __nvvm_div_approx_f(x, y))
MPU_CUDA_FN void __sincosf(float x, float *sine, float *cosine) {
    *sine = __nvvm_sin_approx_f(x);
    *cosine = __nvvm_cos_approx_f(x);
}

/* ---- with a rounding of its own: rn nearest, rz towards 0, rd down, ru up ---- */

#define MPU_CUDA_ROUNDED(cuda, ptx)                                                                \
    MPU_CUDA_2(__fadd_##cuda, float, __nvvm_add_##ptx##_f(x, y))                                   \
    MPU_CUDA_2(__fsub_##cuda, float, __nvvm_add_##ptx##_f(x, -y))                                  \
    MPU_CUDA_2(__fmul_##cuda, float, __nvvm_mul_##ptx##_f(x, y))                                   \
    MPU_CUDA_2(__fdiv_##cuda, float, __nvvm_div_##ptx##_f(x, y))                                   \
    MPU_CUDA_3(__fmaf_##cuda, float, __nvvm_fma_##ptx##_f(x, y, z))                                \
    MPU_CUDA_1(__frcp_##cuda, float, __nvvm_rcp_##ptx##_f(x))                                      \
    MPU_CUDA_1(__fsqrt_##cuda, float, __nvvm_sqrt_##ptx##_f(x))                                    \
    MPU_CUDA_2(__dadd_##cuda, double, __nvvm_add_##ptx##_d(x, y))                                  \
    MPU_CUDA_2(__dmul_##cuda, double, __nvvm_mul_##ptx##_d(x, y))                                  \
    MPU_CUDA_2(__ddiv_##cuda, double, __nvvm_div_##ptx##_d(x, y))                                  \
    MPU_CUDA_3(__fma_##cuda, double, __nvvm_fma_##ptx##_d(x, y, z))                                \
    MPU_CUDA_1(__dsqrt_##cuda, double, __nvvm_sqrt_##ptx##_d(x))                                   \
    MPU_CUDA_FN int __float2int_##cuda(float x) {                                                  \
        return __nvvm_f2i_##ptx(x);                                                                \
    }                                                                                              \
    MPU_CUDA_FN unsigned __float2uint_##cuda(float x) {                                            \
        return __nvvm_f2ui_##ptx(x);                                                               \
    }                                                                                              \
    MPU_CUDA_FN long long __float2ll_##cuda(float x) {                                             \
        return __nvvm_f2ll_##ptx(x);                                                               \
    }                                                                                              \
    MPU_CUDA_FN int __double2int_##cuda(double x) {                                                \
        return __nvvm_d2i_##ptx(x);                                                                \
    }                                                                                              \
    MPU_CUDA_FN unsigned __double2uint_##cuda(double x) {                                          \
        return __nvvm_d2ui_##ptx(x);                                                               \
    }                                                                                              \
    MPU_CUDA_FN float __double2float_##cuda(double x) {                                            \
        return __nvvm_d2f_##ptx(x);                                                                \
    }                                                                                              \
    MPU_CUDA_FN float __int2float_##cuda(int x) {                                                  \
        return __nvvm_i2f_##ptx(x);                                                                \
    }                                                                                              \
    MPU_CUDA_FN float __uint2float_##cuda(unsigned x) {                                            \
        return __nvvm_ui2f_##ptx(x);                                                               \
    }                                                                                              \
    MPU_CUDA_FN float __ll2float_##cuda(long long x) {                                             \
        return __nvvm_ll2f_##ptx(x);                                                               \
    }
MPU_CUDA_ROUNDED(rn, rn)
MPU_CUDA_ROUNDED(rz, rz)
MPU_CUDA_ROUNDED(rd, rm)
MPU_CUDA_ROUNDED(ru, rp)
#undef MPU_CUDA_ROUNDED

MPU_CUDA_FN double __int2double_rn(int x) {
    return x;
}
MPU_CUDA_FN int __float_as_int(float x) {
    return (int)mpu_cuda_bits(x);
}
MPU_CUDA_FN unsigned __float_as_uint(float x) {
    return mpu_cuda_bits(x);
}
MPU_CUDA_FN float __int_as_float(int x) {
    return mpu_cuda_float((unsigned)x);
}
MPU_CUDA_FN float __uint_as_float(unsigned x) {
    return mpu_cuda_float(x);
}

/* ---- least and largest, and what lies beside 0 ---- */

#define MPU_CUDA_ORDER(type)                                                                       \
    MPU_CUDA_2(min, type, y < x ? y : x)                                                           \
    MPU_CUDA_2(max, type, x < y ? y : x)
MPU_CUDA_ORDER(int)
MPU_CUDA_ORDER(unsigned)
MPU_CUDA_ORDER(long)
MPU_CUDA_ORDER(unsigned long)
MPU_CUDA_ORDER(long long)
MPU_CUDA_ORDER(unsigned long long)
MPU_CUDA_2(min, float, __builtin_fminf(x, y))
MPU_CUDA_2(max, float, __builtin_fmaxf(x, y))
MPU_CUDA_2(min, double, __builtin_fmin(x, y))
MPU_CUDA_2(max, double, __builtin_fmax(x, y))
MPU_CUDA_1(abs, int, x < 0 ? -x : x)
MPU_CUDA_1(abs, long, x < 0 ? -x : x)
MPU_CUDA_1(abs, long long, x < 0 ? -x : x)
MPU_CUDA_1(abs, float, __builtin_fabsf(x))
MPU_CUDA_1(abs, double, __builtin_fabs(x))
#undef MPU_CUDA_ORDER
#undef MPU_CUDA_1
#undef MPU_CUDA_2
#undef MPU_CUDA_3

/* What is not there says why. */
template <class... Parts>
__attribute__((device, unavailable("kernels have no printf: no machine here has a console; "
                                   "store what is to be seen in a buffer"))) int
printf(const char *format, Parts... parts);

#endif
