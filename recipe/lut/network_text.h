/* SPDX-License-Identifier: MIT
 * A network as a generic recipe in the notation.  For the files of this folder and the tests. */
#ifndef RECIPE_LUT_NETWORK_TEXT_H
#define RECIPE_LUT_NETWORK_TEXT_H

#include "recipe/lut/network.h"
#include "support/str.h"

/* What the logic has to keep to. */
struct lut_bounds {
    bool sections;  /* bits lie in sections, and moving one costs */
    uint32_t rows;  /* values that a section may hold */
    uint64_t gates; /* at most so many are carried out */
    uint32_t names; /* after so many, names of values are used again */
};
/* What was written. */
struct lut_written {
    uint64_t gates, again; /* carried out; of which for a second time or more */
    uint32_t most_held;
};

/* recipe LUT(a) -> d: input i is a[i], output i is d[i].  False if there are too few rows or too
 * many gates. */
bool lut_write(const struct lut_network *network, const struct lut_bounds *bounds, struct str *out,
               struct lut_written *written);

#endif
