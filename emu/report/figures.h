/* SPDX-License-Identifier: MIT
 * A tree of figures: made once, shown as JSON, CSV or text, each found by its path.  Every form
 * shows the same figures in the same order; text has notes besides. */
#ifndef EMU_REPORT_FIGURES_H
#define EMU_REPORT_FIGURES_H

#include "support/str.h"
#include "support/vec.h"

enum figure_kind {
    FIGURE_OBJECT,
    FIGURE_ARRAY,
    FIGURE_END, /* the end of an object or array */
    FIGURE_NUMBER,
    FIGURE_TEXT,
    FIGURE_NULL, /* not known, which is not 0 */
    FIGURE_NOTE, /* a text for people: JSON and CSV do not have it, and paths do not find it */
    FIGURE_NONE, /* the figure does not apply here: null to programs as well, "-" to people */
};
struct figure {
    enum figure_kind kind;
    char *key; /* NULL in arrays and at the top */
    uint64_t number;
    char *text;
};
struct figures {
    VEC(struct figure) list; /* in depth-first order */
};

void report_figures_free(struct figures *figures);
void report_figures_object(struct figures *figures, const char *key);
void report_figures_array(struct figures *figures, const char *key);
void report_figures_end(struct figures *figures);
void report_figures_number(struct figures *figures, const char *key, uint64_t value);
/* The number, or null when it is not known. */
void report_figures_known(struct figures *figures, const char *key, bool known, uint64_t value);
void report_figures_text(struct figures *figures, const char *key, const char *value);
void report_figures_note(struct figures *figures, const char *key, const char *value);
void report_figures_null(struct figures *figures, const char *key);
void report_figures_none(struct figures *figures, const char *key);
/* Adds another tree, which is an object, under a key. */
void report_figures_insert(struct figures *figures, const char *key, const struct figures *object);

/* Appended to out.  CSV: "path,value", one figure a line; places in arrays are numbers from 0. */
void report_figures_json(const struct figures *figures, struct str *out);
void report_figures_csv(const struct figures *figures, struct str *out);
/* One field of CSV, quoted when it needs it, as RFC 4180 says. */
void report_figures_csv_field(const char *text, struct str *out);
/* The number at a path as CSV writes it ("total.time_ps", "by_line.0.line"); false if there is
 * none there. */
bool report_figures_find(const struct figures *figures, const char *path, uint64_t *value);
/* Likewise the text there, which is the tree's; NULL if there is none. */
/* The text of the first note with that key, NULL if there is none. */
const char *report_figures_find_note(const struct figures *figures, const char *key);
const char *report_figures_find_text(const struct figures *figures, const char *path);

#endif
