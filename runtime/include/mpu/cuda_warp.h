/* SPDX-License-Identifier: MIT
 * What threads of a warp or a block do together, and bits of integers. */
#ifndef MPU_CUDA_WARP_H
#define MPU_CUDA_WARP_H

/* ---- barriers and fences ----
 * clang 14 takes its own for no access to a shared variable whose address nobody takes, and moves
 * loads and stores of that across them; none goes across this. */
MPU_CUDA_FN void mpu_cuda_order() {
    __asm__ volatile("" ::: "memory");
}

MPU_CUDA_FN void mpu_cuda_syncthreads() {
    mpu_cuda_order();
    __syncthreads();
    mpu_cuda_order();
}
#define __syncthreads() mpu_cuda_syncthreads()

#define MPU_CUDA_BARRIER(name, builtin)                                                            \
    MPU_CUDA_FN int name(int p) {                                                                  \
        mpu_cuda_order();                                                                          \
        int all = __nvvm_bar0_##builtin(p);                                                        \
        mpu_cuda_order();                                                                          \
        return all;                                                                                \
    }
MPU_CUDA_BARRIER(__syncthreads_count, popc)
MPU_CUDA_BARRIER(__syncthreads_and, and)
MPU_CUDA_BARRIER(__syncthreads_or, or)
#undef MPU_CUDA_BARRIER

MPU_CUDA_FN void __syncwarp(unsigned mask = 0xffffffffu) {
    mpu_cuda_order();
    __nvvm_bar_warp_sync(mask);
    mpu_cuda_order();
}

#define MPU_CUDA_FENCE(name, builtin)                                                              \
    MPU_CUDA_FN void name() {                                                                      \
        mpu_cuda_order();                                                                          \
        __nvvm_membar_##builtin();                                                                 \
        mpu_cuda_order();                                                                          \
    }
MPU_CUDA_FENCE(__threadfence, gl)
MPU_CUDA_FENCE(__threadfence_block, cta)
MPU_CUDA_FENCE(__threadfence_system, sys)
#undef MPU_CUDA_FENCE

/* ---- votes ---- */

MPU_CUDA_FN int __all_sync(unsigned mask, int p) {
    return __nvvm_vote_all_sync(mask, p);
}
MPU_CUDA_FN int __any_sync(unsigned mask, int p) {
    return __nvvm_vote_any_sync(mask, p);
}
MPU_CUDA_FN int __uni_sync(unsigned mask, int p) {
    return __nvvm_vote_uni_sync(mask, p);
}
MPU_CUDA_FN unsigned __ballot_sync(unsigned mask, int p) {
    return __nvvm_vote_ballot_sync(mask, p);
}
MPU_CUDA_FN unsigned __activemask() {
    return __nvvm_vote_ballot(1);
}

/* ---- shuffles: words as they are, 64 bits in two halves ----
 * `clamp` is PTX's: the last lane of a segment in its low bits, the segments' mask above them. */

MPU_CUDA_FN int mpu_cuda_segments(int width) {
    return (32 - width) << 8;
}

#define MPU_CUDA_SHUFFLE(name, builtin, clamp, operand, argument)                                  \
    MPU_CUDA_FN int name(unsigned mask, int value, operand argument, int width = 32) {             \
        return __nvvm_shfl_sync_##builtin##_i32(mask, value, (int)argument,                        \
                                                mpu_cuda_segments(width) | clamp);                 \
    }                                                                                              \
    MPU_CUDA_FN unsigned name(unsigned mask, unsigned value, operand argument, int width = 32) {   \
        return (unsigned)name(mask, (int)value, argument, width);                                  \
    }                                                                                              \
    MPU_CUDA_FN float name(unsigned mask, float value, operand argument, int width = 32) {         \
        return mpu_cuda_float((unsigned)name(mask, (int)mpu_cuda_bits(value), argument, width));   \
    }                                                                                              \
    MPU_CUDA_FN unsigned long long name(unsigned mask, unsigned long long value, operand argument, \
                                        int width = 32) {                                          \
        unsigned low = name(mask, (unsigned)value, argument, width);                               \
        unsigned high = name(mask, (unsigned)(value >> 32), argument, width);                      \
        return (unsigned long long)high << 32 | low;                                               \
    }                                                                                              \
    MPU_CUDA_FN long long name(unsigned mask, long long value, operand argument, int width = 32) { \
        return (long long)name(mask, (unsigned long long)value, argument, width);                  \
    }                                                                                              \
    MPU_CUDA_FN unsigned long name(unsigned mask, unsigned long value, operand argument,           \
                                   int width = 32) {                                               \
        return (unsigned long)name(mask, (unsigned long long)value, argument, width);              \
    }                                                                                              \
    MPU_CUDA_FN long name(unsigned mask, long value, operand argument, int width = 32) {           \
        return (long)name(mask, (unsigned long long)value, argument, width);                       \
    }                                                                                              \
    MPU_CUDA_FN double name(unsigned mask, double value, operand argument, int width = 32) {       \
        return __longlong_as_double(name(mask, __double_as_longlong(value), argument, width));     \
    }

MPU_CUDA_FN long long __double_as_longlong(double x) {
    long long v;
    __builtin_memcpy(&v, &x, sizeof v);
    return v;
}
MPU_CUDA_FN double __longlong_as_double(long long x) {
    double v;
    __builtin_memcpy(&v, &x, sizeof v);
    return v;
}

MPU_CUDA_SHUFFLE(__shfl_sync, idx, 31, int, lane)
MPU_CUDA_SHUFFLE(__shfl_up_sync, up, 0, unsigned, delta)
MPU_CUDA_SHUFFLE(__shfl_down_sync, down, 31, unsigned, delta)
MPU_CUDA_SHUFFLE(__shfl_xor_sync, bfly, 31, int, lane_mask)

#undef MPU_CUDA_SHUFFLE

/* ---- bits of integers ---- */

MPU_CUDA_FN int __popc(unsigned x) {
    return __builtin_popcount(x);
}
MPU_CUDA_FN int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
MPU_CUDA_FN int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
MPU_CUDA_FN int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
MPU_CUDA_FN int __ffs(int x) {
    return __builtin_ffs(x);
}
MPU_CUDA_FN int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
MPU_CUDA_FN unsigned __brev(unsigned x) {
    return __builtin_bitreverse32(x);
}
MPU_CUDA_FN unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}
MPU_CUDA_FN int __mulhi(int x, int y) {
    return (int)((long long)x * y >> 32);
}
MPU_CUDA_FN unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)((unsigned long long)x * y >> 32);
}
MPU_CUDA_FN long long __mul64hi(long long x, long long y) {
    return (long long)((__int128)x * y >> 64);
}
MPU_CUDA_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
MPU_CUDA_FN int __mul24(int x, int y) {
    return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8));
}
MPU_CUDA_FN unsigned __umul24(unsigned x, unsigned y) {
    return (x & 0xffffffu) * (y & 0xffffffu);
}
MPU_CUDA_FN unsigned __sad(int x, int y, unsigned z) {
    return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}
MPU_CUDA_FN unsigned __usad(unsigned x, unsigned y, unsigned z) {
    return (x > y ? x - y : y - x) + z;
}
/* The upper (of _r the lower) 32 bits of high:low shifted by shift modulo 32. */
MPU_CUDA_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
MPU_CUDA_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
MPU_CUDA_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned long long all = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)(all >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

#endif
