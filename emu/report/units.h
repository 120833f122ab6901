/* SPDX-License-Identifier: MIT
 * Figures as people read them: 1904000 of time_ps is 1.904 us. */
#ifndef EMU_REPORT_UNITS_H
#define EMU_REPORT_UNITS_H

#include "support/str.h"

/* Length of a key without the unit that it ends in ("time_ps": 4); its whole length if it has none.
 */
size_t report_unit_stem(const char *key);
/* Appends the value with four digits and the unit of the key that fits; the value alone where the
 * key has no unit. */
void report_unit_text(const char *key, uint64_t value, struct str *out);
/* Appends part / whole in percent, "98.7"; "-" for a whole of 0. */
void report_percent_text(uint64_t part, uint64_t whole, struct str *out);

#endif
