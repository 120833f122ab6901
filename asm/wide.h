/* SPDX-License-Identifier: MIT
 * Numbers of constant expressions: wide enough for every i64 and every u64. */
#ifndef ASM_WIDE_H
#define ASM_WIDE_H

#include <stdint.h>

__extension__ typedef __int128 wide;

#define WIDE_MIN ((wide)INT64_MIN)
#define WIDE_MAX ((wide)UINT64_MAX)

#endif
