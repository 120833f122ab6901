/* SPDX-License-Identifier: MIT
 * docs/pluto-published.csv: published figures and what they depend on. */
#ifndef TESTS_PLUTO_FACT_H
#define TESTS_PLUTO_FACT_H

#include "support/arena.h"
#include "support/vec.h"

#include <stdbool.h>

/* What gives a figure; a column of the page each. */
enum way { WAY_RELEASE, WAY_FORMULA, WAY_MACHINE };
#define WAYS 3

enum fact_printed { FACT_ROUNDED, FACT_TRUNCATED, FACT_WITHIN, FACT_GIVEN };

struct fact {
    const char *figure, *quantity, *subject, *setting, *text, *unit, *source, *note;
    double value;
    enum fact_printed printed;
    double within;     /* FACT_WITHIN */
    bool agrees[WAYS]; /* none: neither may */
    bool none;
    unsigned line;
};
struct facts {
    struct arena arena;
    VEC(struct fact) list;
};

/* False with *why naming the line. */
bool facts_read(const char *text, struct facts *out, const char **why);
void facts_free(struct facts *f);

/* "key=value;key=value": a value, or NULL. */
const char *fact_setting(struct facts *all, const struct fact *f, const char *key);
/* A number of the setting; 0 if it is not there. */
double fact_number(struct facts *all, const struct fact *f, const char *key);
/* The first that is of this figure, quantity, subject (NULL: any) and has this in its setting;
 * NULL if there is none. */
const struct fact *fact_find(const struct facts *all, const char *figure, const char *quantity,
                             const char *subject, const char *setting);
/* The same; it must be there. */
double fact_given(const struct facts *all, const char *figure, const char *quantity,
                  const char *subject, const char *setting);
/* Whether `ours` is printed as the fact says. */
bool fact_agrees(const struct fact *f, double ours);
/* Digits behind the point of the value as it is printed. */
unsigned fact_decimals(const struct fact *f);

#endif
