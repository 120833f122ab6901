/* SPDX-License-Identifier: MIT
 * A reader under test: any bytes end in a result or in an error, and what was read keeps its
 * properties.  libFuzzer calls it with bytes that reach new code; replay.c, which needs no clang,
 * with seeds and their mutants. */
#ifndef TESTS_FUZZ_HARNESS_H
#define TESTS_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's name and contract: the result is 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What must hold. */
#define REQUIRE(x)                                                                                 \
    ((x) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x), abort()))

#endif
