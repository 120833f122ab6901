/* SPDX-License-Identifier: MIT
 * Random programs of the imported dialect: several VRFs with masks of their own, labels, loops of
 * ensembles, subroutines and copies. */
#ifndef TESTS_ERC_PROGRAMS_H
#define TESTS_ERC_PROGRAMS_H

#include "support/str.h"

#include <stdint.h>

/* Registers that the host fills with the same number in all lanes. */
enum { PROGRAM_TWO = 24, PROGRAM_ZERO = 25, PROGRAM_THREE = 26 };

/* Registers 0 to named-1 are named, 44 to 64 of them. */
void program_random(uint64_t seed, unsigned named, struct str *out);
/* All 64 registers are named, and wanted to the end; the text says which register each mask
 * follows, and blocks have registers of their own.  What is imported in words of any width. */
void program_full(uint64_t seed, struct str *out);

#endif
