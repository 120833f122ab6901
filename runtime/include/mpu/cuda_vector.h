/* SPDX-License-Identifier: MIT
 * CUDA's vectors: structures of 1 to 4 members, aligned to their size where that is 2, 4, 8 or 16
 * bytes (of 32 bytes to 16), and make_*. */
#ifndef MPU_CUDA_VECTOR_H
#define MPU_CUDA_VECTOR_H

#ifndef MPU_CUDA_BOTH
#define MPU_CUDA_BOTH static __inline__ __attribute__((device, host, always_inline))
#endif

#define MPU_CUDA_VECTORS(name, type, two, four)                                                    \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(two))) name##2 {                                                 \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(four))) name##4 {                                                \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;                                                                \
    MPU_CUDA_BOTH name##1 make_##name##1(type x) {                                                 \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    MPU_CUDA_BOTH name##2 make_##name##2(type x, type y) {                                         \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    MPU_CUDA_BOTH name##3 make_##name##3(type x, type y, type z) {                                 \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    MPU_CUDA_BOTH name##4 make_##name##4(type x, type y, type z, type w) {                         \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

MPU_CUDA_VECTORS(char, signed char, 2, 4)
MPU_CUDA_VECTORS(uchar, unsigned char, 2, 4)
MPU_CUDA_VECTORS(short, short, 4, 8)
MPU_CUDA_VECTORS(ushort, unsigned short, 4, 8)
MPU_CUDA_VECTORS(int, int, 8, 16)
MPU_CUDA_VECTORS(uint, unsigned int, 8, 16)
MPU_CUDA_VECTORS(long, long, 16, 16)
MPU_CUDA_VECTORS(ulong, unsigned long, 16, 16)
MPU_CUDA_VECTORS(longlong, long long, 16, 16)
MPU_CUDA_VECTORS(ulonglong, unsigned long long, 16, 16)
MPU_CUDA_VECTORS(float, float, 8, 16)
MPU_CUDA_VECTORS(double, double, 16, 16)

#undef MPU_CUDA_VECTORS

/* Extents of a grid or a block. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
#ifdef __CUDA__
    __attribute__((device, host))
#endif
    constexpr dim3(unsigned int nx = 1, unsigned int ny = 1, unsigned int nz = 1)
        : x(nx), y(ny), z(nz) {
    }
#ifdef __CUDA__
    __attribute__((device, host))
#endif
    constexpr dim3(uint3 v)
        : x(v.x), y(v.y), z(v.z) {
    }
#endif
};
typedef struct dim3 dim3;

#endif
