/* SPDX-License-Identifier: MIT
 * docs/figures.csv: published figures, each with the command that computes ours.
 *
 * Columns: id, source, figure, unit, published, tolerance, status, ours, command, value, note,
 * basis.
 * status   equal: ours is within `tolerance` of the published one (0, or "2 %");
 *          bound: ours is not above it; nor below a, where `tolerance` is "a..";
 *          shape: ours lies in `tolerance`, a range "a..b";
 *          no: not reproducible; the note says why.  Ours may be there for comparison.
 * command  for the shell, with the tools on PATH and $EXAMPLES set; it writes CSV with a heading,
 * or one number.  The same command is run once. value    which of it: "column=text ... column
 * [/divisor]" takes that column of the first row in which the others read so; empty where the
 * command writes one number.
 * basis    of what is equal, why it is: an input of the targets that is added up again, geometry
 *          (counts that the targets state), calibrated (a number was chosen so), or a result.
 * A bound on a time or a power has a lower side: where it has none its note says "no lower side"
 * and why, or an arbitrarily fast machine would do. */
#ifndef TESTS_FIGURES_FIGURES_H
#define TESTS_FIGURES_FIGURES_H

#include "support/arena.h"
#include "support/str.h"
#include "support/vec.h"

enum figure_status { FIGURE_EQUAL, FIGURE_BOUND, FIGURE_SHAPE, FIGURE_NO };
enum figure_basis { FIGURE_INPUT, FIGURE_GEOMETRY, FIGURE_CALIBRATED, FIGURE_RESULT };
#define FIGURE_STATES 4
#define FIGURE_BASES  4
extern const char *const figure_status_names[FIGURE_STATES];
extern const char *const figure_basis_names[FIGURE_BASES];

struct published_figure {
    unsigned line;
    const char *id, *source, *figure, *unit, *published, *tolerance, *ours, *command, *value, *note;
    enum figure_status status;
    enum figure_basis basis; /* FIGURE_EQUAL */
};
struct figure_list {
    struct arena arena;
    const char *head; /* comment lines above the heading */
    VEC(struct published_figure) figures;
};

/* Empty where it is not equal. */
const char *figure_basis_name(const struct published_figure *f);

/* "a..b"; "a.."; "0" or "2 %", as a part of 1.  False if it is none. */
bool figure_range(const char *text, double *low, double *high);
bool figure_floor(const char *text, double *low);
bool figure_tolerance(const char *text, double *part);

/* Reads and checks the whole list; false with one line per mistake appended to `errors`. */
bool figures_read(const char *text, struct figure_list *out, struct str *errors);
void figures_list_free(struct figure_list *l);
/* Computes `ours` of every figure that has a command.  `set_up` comes before each command.  False
 * with one line per mistake appended: a command that failed, a value that is not there. */
bool figures_compute(struct figure_list *l, const char *set_up, struct str *errors);
/* Whether ours is what the status says; false with one line per figure that is not. */
bool figures_hold(const struct figure_list *l, struct str *errors);
void figures_write_csv(const struct figure_list *l, struct str *out);
/* The page docs/figures.md. */
void figures_write_page(const struct figure_list *l, struct str *out);

#endif
