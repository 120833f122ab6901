/* SPDX-License-Identifier: MIT
 * Atomic operations: each gives what was there before.  And loads of what no thread writes. */
#ifndef MPU_CUDA_ATOMIC_H
#define MPU_CUDA_ATOMIC_H

#define MPU_CUDA_ATOMIC(name, type, builtin, word)                                                 \
    MPU_CUDA_FN type name(type *address, type value) {                                             \
        return (type)__nvvm_atom_##builtin((volatile word *)address, (word)value);                 \
    }

MPU_CUDA_ATOMIC(atomicAdd, int, add_gen_i, int)
MPU_CUDA_ATOMIC(atomicAdd, unsigned, add_gen_i, int)
MPU_CUDA_ATOMIC(atomicAdd, unsigned long long, add_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicAdd, float, add_gen_f, float)
MPU_CUDA_ATOMIC(atomicAdd, double, add_gen_d, double)
MPU_CUDA_ATOMIC(atomicMin, int, min_gen_i, int)
MPU_CUDA_ATOMIC(atomicMin, unsigned, min_gen_ui, unsigned)
MPU_CUDA_ATOMIC(atomicMin, long long, min_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicMin, unsigned long long, min_gen_ull, unsigned long long)
MPU_CUDA_ATOMIC(atomicMax, int, max_gen_i, int)
MPU_CUDA_ATOMIC(atomicMax, unsigned, max_gen_ui, unsigned)
MPU_CUDA_ATOMIC(atomicMax, long long, max_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicMax, unsigned long long, max_gen_ull, unsigned long long)
MPU_CUDA_ATOMIC(atomicAnd, int, and_gen_i, int)
MPU_CUDA_ATOMIC(atomicAnd, unsigned, and_gen_i, int)
MPU_CUDA_ATOMIC(atomicAnd, unsigned long long, and_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicOr, int, or_gen_i, int)
MPU_CUDA_ATOMIC(atomicOr, unsigned, or_gen_i, int)
MPU_CUDA_ATOMIC(atomicOr, unsigned long long, or_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicXor, int, xor_gen_i, int)
MPU_CUDA_ATOMIC(atomicXor, unsigned, xor_gen_i, int)
MPU_CUDA_ATOMIC(atomicXor, unsigned long long, xor_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicExch, int, xchg_gen_i, int)
MPU_CUDA_ATOMIC(atomicExch, unsigned, xchg_gen_i, int)
MPU_CUDA_ATOMIC(atomicExch, unsigned long long, xchg_gen_ll, long long)
MPU_CUDA_ATOMIC(atomicInc, unsigned, inc_gen_ui, unsigned)
MPU_CUDA_ATOMIC(atomicDec, unsigned, dec_gen_ui, unsigned)

#undef MPU_CUDA_ATOMIC

MPU_CUDA_FN int atomicSub(int *address, int value) {
    return atomicAdd(address, (int)(0u - (unsigned)value));
}
MPU_CUDA_FN unsigned atomicSub(unsigned *address, unsigned value) {
    return atomicAdd(address, 0u - value);
}
MPU_CUDA_FN float atomicExch(float *address, float value) {
    return mpu_cuda_float(atomicExch((unsigned *)address, mpu_cuda_bits(value)));
}
MPU_CUDA_FN int atomicCAS(int *address, int compare, int value) {
    return __nvvm_atom_cas_gen_i(address, compare, value);
}
MPU_CUDA_FN unsigned atomicCAS(unsigned *address, unsigned compare, unsigned value) {
    return (unsigned)__nvvm_atom_cas_gen_i((int *)address, (int)compare, (int)value);
}
MPU_CUDA_FN unsigned long long atomicCAS(unsigned long long *address, unsigned long long compare,
                                         unsigned long long value) {
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)address, (long long)compare,
                                                      (long long)value);
}

/* ---- loads ---- */

#define MPU_CUDA_LOAD(type, builtin, word)                                                         \
    MPU_CUDA_FN type __ldg(const type *p) {                                                        \
        return (type)__nvvm_ldg_##builtin((const word *)p);                                        \
    }
MPU_CUDA_LOAD(char, c, char)
MPU_CUDA_LOAD(signed char, c, char)
MPU_CUDA_LOAD(unsigned char, uc, unsigned char)
MPU_CUDA_LOAD(short, s, short)
MPU_CUDA_LOAD(unsigned short, us, unsigned short)
MPU_CUDA_LOAD(int, i, int)
MPU_CUDA_LOAD(unsigned, ui, unsigned)
MPU_CUDA_LOAD(long, l, long)
MPU_CUDA_LOAD(unsigned long, ul, unsigned long)
MPU_CUDA_LOAD(long long, ll, long long)
MPU_CUDA_LOAD(unsigned long long, ull, unsigned long long)
MPU_CUDA_LOAD(float, f, float)
MPU_CUDA_LOAD(double, d, double)
#undef MPU_CUDA_LOAD

#define MPU_CUDA_LOAD2(name, type, builtin)                                                        \
    MPU_CUDA_FN name __ldg(const name *p) {                                                        \
        typedef type mpu_cuda_pair __attribute__((ext_vector_type(2)));                            \
        mpu_cuda_pair v = __nvvm_ldg_##builtin((const mpu_cuda_pair *)p);                          \
        return make_##name(v[0], v[1]);                                                            \
    }
#define MPU_CUDA_LOAD4(name, type, builtin)                                                        \
    MPU_CUDA_FN name __ldg(const name *p) {                                                        \
        typedef type mpu_cuda_four __attribute__((ext_vector_type(4)));                            \
        mpu_cuda_four v = __nvvm_ldg_##builtin((const mpu_cuda_four *)p);                          \
        return make_##name(v[0], v[1], v[2], v[3]);                                                \
    }
MPU_CUDA_LOAD2(int2, int, i2)
MPU_CUDA_LOAD2(uint2, unsigned, ui2)
MPU_CUDA_LOAD2(float2, float, f2)
MPU_CUDA_LOAD2(double2, double, d2)
MPU_CUDA_LOAD4(int4, int, i4)
MPU_CUDA_LOAD4(uint4, unsigned, ui4)
MPU_CUDA_LOAD4(float4, float, f4)
MPU_CUDA_LOAD4(uchar4, unsigned char, uc4)
#undef MPU_CUDA_LOAD2
#undef MPU_CUDA_LOAD4

#endif
