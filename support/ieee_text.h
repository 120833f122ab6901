/* SPDX-License-Identifier: MIT
 * Floating-point numbers of the formats binary16, binary32, binary64 and bfloat16 as decimal text,
 * rounded once on the way in, and as few digits as possible on the way out.  No locale plays a
 * part. */
#ifndef SUPPORT_IEEE_TEXT_H
#define SUPPORT_IEEE_TEXT_H

#include "support/ieee.h"
#include "support/str.h"

enum ieee_reading {
    IEEE_NO_NUMBER, /* *value is not touched */
    IEEE_NUMBER,
    IEEE_TOO_LARGE, /* finite, but *value is the infinity that it rounds to */
};
/* Reads the whole of text[0..n): an optional sign, digits with an optional point, an optional
 * exponent, with _ between digits; or the same in hexadecimal as C has it, 0x1.8p3, where the
 * exponent, of 2 and in decimal, may be left out; or inf, infinity or nan in letters of any case,
 * the latter giving ieee_nan.  The nearest number of the format, the even one of two; what is too
 * small for it is a zero. */
enum ieee_reading ieee_parse(struct ieee_format format, const char *text, size_t n,
                             uint64_t *value);

/* Appends the shortest digits that read back as the same number, always with a point, an exponent
 * or letters: "0.1", "1e+300", "-0.0", "3.0", "-inf".  "nan" stands for every NaN: sign and payload
 * are no part of the text. */
void ieee_text(struct ieee_format format, uint64_t value, struct str *out);

#endif
