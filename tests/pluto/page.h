/* SPDX-License-Identifier: MIT
 * The tables of docs/pluto-published.md. */
#ifndef TESTS_PLUTO_PAGE_H
#define TESTS_PLUTO_PAGE_H

#include "figure.h"
#include "support/str.h"

#define PAGE_TABLES 24
/* The table between "<!-- NAME -->" and "<!-- end of NAME -->". */
extern const struct page_table {
    const char *name;
    void (*put)(struct facts *all, struct str *out);
} page_tables[PAGE_TABLES];

#endif
