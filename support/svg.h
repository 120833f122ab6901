/* SPDX-License-Identifier: MIT
 * Pictures as SVG, drawn from integers, so that the same figures give the same bytes everywhere.
 * Lengths are tenths of a pixel, y grows downwards.  What belongs to one series has a colour and,
 * for who prints in black and white, a hatch, a dash and a mark of its own. */
#ifndef SUPPORT_SVG_H
#define SUPPORT_SVG_H

#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

#define SVG_SERIES 8 /* further ones begin anew */

struct svg_point {
    int x, y;
};

struct svg_about {
    const char *id;          /* of the picture: letters and digits, one name in a page */
    unsigned width, height;  /* pixels */
    const char *title;       /* what is seen, in a few words */
    const char *description; /* what it says, for who does not see it */
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* Text as content or in an attribute of XML: & < > " ' as entities; what no XML may have (control
 * characters but blanks, bytes that are no UTF-8) as U+FFFD. */
void svg_escape(struct str *out, const char *text);

/* A picture, white below; svg_end ends it. */
void svg_begin(struct str *out, const struct svg_about *about);
void svg_end(struct str *out);
/* What follows is moved by so much; svg_group_end ends that. */
void svg_group(struct str *out, int x, int y);
void svg_group_end(struct str *out);

/* A bar of a series of the picture `id`; `tip` is shown by browsers (NULL: none). */
void svg_bar(struct str *out, const char *id, struct svg_point corner, int width, int height,
             unsigned series, const char *tip);
/* A box in grey, 0 (white) to 255 (black). */
void svg_shade(struct str *out, struct svg_point corner, int width, int height, unsigned dark,
               const char *tip);
/* A line of an axis or a grid; `strong`: of an axis. */
void svg_line(struct str *out, struct svg_point from, struct svg_point to, bool strong);
/* A level that others are compared with, dashed. */
void svg_level(struct str *out, struct svg_point from, struct svg_point to);
/* A curve of a series, without marks. */
void svg_curve(struct str *out, const struct svg_point *points, size_t count, unsigned series);
void svg_mark(struct str *out, struct svg_point at, unsigned series, const char *tip);
/* The base line of the text is at `at`. */
void svg_label(struct str *out, struct svg_point at, enum svg_anchor anchor, const char *text);

/* 1,000 times the logarithm of base 2; of 0 as of 1. */
int svg_logarithm(uint64_t value);

#endif
