/* SPDX-License-Identifier: MIT
 * The kernels for AVX-512; kernels.c asks the processor before it uses them. */
#if defined(__AVX512F__)
#define KERNELS_NAME "avx512"
#define VECTOR_BYTES 64
#define KERNELS      plane_kernels_avx512
#include "machines/plane/run/kernels.inc"
#else
extern const int plane_kernels_no_avx512; /* a file must not be empty */
#endif
