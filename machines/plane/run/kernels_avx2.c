/* SPDX-License-Identifier: MIT
 * The kernels for AVX2; kernels.c asks the processor before it uses them. */
#if defined(__AVX2__)
#define KERNELS_NAME "avx2"
#define VECTOR_BYTES 32
#define KERNELS      plane_kernels_avx2
#include "machines/plane/run/kernels.inc"
#else
extern const int plane_kernels_no_avx2; /* a file must not be empty */
#endif
