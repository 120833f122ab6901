/* SPDX-License-Identifier: MIT
 * Rows by AVX2 and its fused products. */
#if defined(__AVX2__) && defined(__FMA__)
#define ROWS      simt_rows_avx2
#define ROWS_NAME "avx2"
#include "machines/core/simt/run/rows.inc"
#else
extern const int simt_rows_no_avx2; /* a file must not be empty */
const int simt_rows_no_avx2 = 0;
#endif
