/* SPDX-License-Identifier: MIT
 * Report pages: statistics of a run, or of the runs of a sweep, as one file of HTML that needs no
 * network and no script, and single pictures of it as SVG (docs/report.md).
 *
 * A page is made from the JSON that everybody can have ("mpu-statistics-2", "mpu-comparison-2"), so
 * nothing stands on it that is not in the figures: each number is a <data value=".."
 * data-path=".."> with the path of the figure that it shows.  The same JSON gives the same bytes.
 */
#ifndef EMU_PAGE_PAGES_H
#define EMU_PAGE_PAGES_H

#include "support/json_read.h"
#include "support/str.h"

#define PAGE_MOST_BYTES ((size_t)1 << 20)

/* Line `line`, from 1, of a source file by the name that figures have for it: its text without the
 * end of the line, of `*size` bytes, which stay until the page is made; NULL: not known. */
typedef const char *page_line_function(void *context, const char *file, uint64_t line,
                                       size_t *size);

struct page_input {
    const struct json_value *figures; /* statistics of a run, or a sweep's table */
    const char *text;                 /* the same as it was read: [size] bytes */
    size_t size;
    const struct json_value *timeline; /* of observe_timeline_json, or NULL */
    const char *timeline_text;         /* or NULL */
    const char *base; /* name of the target that others are compared with; NULL: the first row's */
    page_line_function *line; /* NULL: no source is known */
    void *context;
    unsigned level; /* 0; of page_report: how much is left out, so that the page has room */
};

/* NULL, or why there is no page: what is no such JSON, a base that no row has. */
const char *page_refuses(const struct page_input *input);
/* Appends the page; page_refuses() is NULL. */
void page_report(const struct page_input *input, struct str *out);

/* The name of picture i, from 0, that page_plot knows; NULL behind the last. */
const char *page_plot_name(size_t i);
/* Appends that picture alone.  False: these figures have none of that name. */
bool page_plot(const struct page_input *input, const char *name, struct str *out);

#endif
