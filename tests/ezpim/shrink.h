/* SPDX-License-Identifier: MIT
 * Makes the text of a failing program smaller while it still fails. */
#ifndef TESTS_EZPIM_SHRINK_H
#define TESTS_EZPIM_SHRINK_H

#include "support/str.h"

#include <stdbool.h>

/* True while the text fails as the first one did. */
typedef bool shrink_fails(void *context, const char *text);

/* The text has a statement or the head of a block on each line, and `}` or `} else {` on lines of
 * their own.  At most `tries` smaller texts are looked at. */
void shrink(struct str *text, unsigned tries, shrink_fails *fails, void *context);

#endif
