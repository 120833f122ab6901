/* SPDX-License-Identifier: MIT
 * Tables in documentation that tests compute. */
#ifndef TESTS_EXAMPLES_PAGE_H
#define TESTS_EXAMPLES_PAGE_H

#include "support/str.h"

/* The page holds the table between the lines "<!-- NAME -->" and "<!-- end of NAME -->"; with
 * MPU_WRITE_PAGE=1 it is written there, else the test fails where it differs.  `program` is the
 * test to name then. */
void page_check(const char *page, const char *name, const struct str *table, const char *program);
/* The same of a test that made some rows of the table: each of them is one of the page's. */
void page_check_rows(const char *page, const char *name, const struct str *rows);

#endif
