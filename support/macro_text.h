/* SPDX-License-Identifier: MIT
 * Macros of assembly text, whatever the syntax around them: arguments as they stand, and bodies in
 * which \name, \@ (a number that each expansion has for itself) and \() (nothing) are replaced. */
#ifndef SUPPORT_MACRO_TEXT_H
#define SUPPORT_MACRO_TEXT_H

#include "support/str.h"

#include <stdbool.h>

#define MACRO_PARAMETERS 64u

struct macro_argument {
    const char *text;
    size_t length;
};
struct macro_arguments {
    struct macro_argument list[MACRO_PARAMETERS + 1];
    size_t count; /* one above MACRO_PARAMETERS: that many or more */
};
/* With a comma anywhere outside of quotes and brackets commas separate, else blanks do. */
void macro_split(const char *text, const char *end, struct macro_arguments *out);
/* Appends the body with names[i] replaced by list->list[i], and \@ by `number`; what is longer than
 * `most` bytes is not made whole. */
void macro_expand(const char *body, size_t size, const char *const *names,
                  const struct macro_arguments *list, size_t number, size_t most, struct str *out);

#endif
