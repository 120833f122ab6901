/* SPDX-License-Identifier: MIT
 * Kernels in CUDA: what clang makes of them, with the header mpu/cuda.h in place of CUDA's own. */
#ifndef EZPIM_CUDA_FILE_H
#define EZPIM_CUDA_FILE_H

#include "support/diag.h"
#include "support/str.h"

#include <stdbool.h>

/* The suffix of such files, and that of the texts that are made of them. */
#define DRIVER_CUDA ".cu"
#define DRIVER_PTX  ".ptx"
/* PTX of the text, which stands for the file of that name, by clang -O2: the program that
 * MPU_CLANG names, or `clang` on the PATH.  The header is that of this installation, or below the
 * folder that MPU_INCLUDE names.  Appended to *ptx; false after reporting. */
bool driver_cuda_compile(const char *name, const char *text, size_t size, struct str *ptx,
                         struct diag *diag);
/* What the text is called that is made of a file of that name, in messages that count its lines:
 * "k.ptx" of "k.cu".  Freed by the caller. */
char *driver_cuda_name(const char *name);

#endif
