/* SPDX-License-Identifier: MIT
 * Random ezpim programs of 40 to 100 values of 32 bits that all live at once: in one body or in
 * several, single and in arrays, written where lanes are left out and in loops that they leave. */
#ifndef TESTS_EZPIM_LIVE_GEN_H
#define TESTS_EZPIM_LIVE_GEN_H

#include "support/str.h"

#include <stdint.h>

/* Replaces *text.  The same seed gives the same program. */
void live_random(uint64_t seed, struct str *text);

#endif
