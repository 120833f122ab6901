/* SPDX-License-Identifier: MIT
 * recipe/map/known_programs.inc as it should be. */
#ifndef TESTS_RECIPE_KNOWN_TEXT_H
#define TESTS_RECIPE_KNOWN_TEXT_H

#include "support/diag.h"
#include "support/str.h"

/* Maps every generic recipe to every built-in target, searching for all programs, and appends the
 * list of them.  False after reporting. */
bool known_text(struct str *out, struct diag *d);
/* Whether the list has all that such searches find for one of them. */
bool known_are_listed(const char *target, struct diag *d);

#endif
