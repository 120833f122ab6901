/* SPDX-License-Identifier: MIT
 * The kernels word by word, as on a machine without vectors. */
#define KERNELS_NAME "portable"
#define VECTOR_BYTES 8
#define KERNELS      plane_kernels_portable
#include "machines/plane/run/kernels.inc"
