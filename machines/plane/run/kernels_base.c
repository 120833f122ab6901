/* SPDX-License-Identifier: MIT
 * The kernels as the compiler's own flags allow. */
#if defined(__x86_64__)
#define KERNELS_NAME "sse2"
#else
#define KERNELS_NAME "portable"
#endif
#define VECTOR_BYTES 16
#define KERNELS      plane_kernels_base
#include "machines/plane/run/kernels.inc"
