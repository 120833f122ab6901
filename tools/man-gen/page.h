/* SPDX-License-Identifier: MIT
 * A man page from its plan (docs/man/NAME.SECTION.md). */
#ifndef TOOLS_MAN_GEN_PAGE_H
#define TOOLS_MAN_GEN_PAGE_H

#include "support/str.h"

#include <stdbool.h>

/* A plan is Markdown, with lines that bring in what stands elsewhere:
 *   @name NAME - WHAT IT IS      section NAME of a page that is no tool's
 *   @tool NAME                   sections NAME and SYNOPSIS from the tool's option table
 *   @options NAME, @examples NAME   further sections from there
 *   @lead FILE                   what stands before the first heading of a page of docs/
 *   @section FILE: HEADING       what stands below that heading
 *   @page FILE                   the whole of it, without its title
 *   @chapter FILE                the whole of it as one section, which has its title
 *   @see NAME(SECTION), ...       section SEE ALSO, with where the files of docs/ are
 * `file` is the page's, "mpu-run.1"; `docs` the folder of FILEs.  False with what is wrong, and the
 * line of the plan, in *error. */
bool man_page(struct str *out, const char *file, const char *plan, const char *docs,
              struct str *error);

#endif
