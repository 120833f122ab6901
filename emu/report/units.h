/* SPDX-License-Identifier: MIT
 * Figures as people read them: 1904000 of time_ps is 1.904 us. */
#ifndef EMU_REPORT_UNITS_H
#define EMU_REPORT_UNITS_H

#include "support/str.h"

#include <stdint.h>

/* Length of a key without the unit that it ends in ("time_ps": 4); its whole length if it has none.
 */
size_t report_unit_stem(const char *key);
/* Appends the value with four digits and the unit of the key that fits; the value alone where the
 * key has no unit. */
void report_unit_text(const char *key, uint64_t value, struct str *out);
/* One unit for a column of values, so that they compare at a glance: that of the least of them
 * above 0, which has four digits; others have as many behind the point. */
struct report_unit {
    const char *name; /* NULL: the key has none, and values stand as they are */
    uint64_t size;    /* in units of the key */
    unsigned decimals;
};
struct report_unit report_unit_of(const char *key, uint64_t least);
void report_unit_put(const struct report_unit *unit, uint64_t value, struct str *out);
/* Appends part / whole with four digits, "114.7", "0.02310"; "-" for a whole of 0. */
void report_ratio_text(uint64_t part, uint64_t whole, struct str *out);
/* Appends part / whole in percent, "98.7"; "-" for a whole of 0. */
void report_percent_text(uint64_t part, uint64_t whole, struct str *out);

#endif
