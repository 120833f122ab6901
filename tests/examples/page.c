/* SPDX-License-Identifier: MIT */
#include "tests/examples/page.h"

#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Text before, between and behind the lines that mark the table. */
struct page {
    char *text;
    const char *table, *end;
};

static void page_read(struct page *p, const char *path, const char *name) {
    char mark[64];
    size_t size;
    p->text = file_read(path, &size);
    assert_non_null(p->text);
    snprintf(mark, sizeof mark, "<!-- %s -->\n", name);
    p->table = strstr(p->text, mark);
    assert_non_null(p->table);
    p->table += strlen(mark);
    snprintf(mark, sizeof mark, "<!-- end of %s -->\n", name);
    p->end = strstr(p->table, mark);
    assert_non_null(p->end);
}

static void page_write(const struct page *p, const char *path, const struct str *table) {
    struct str text = {0};
    str_append_n(&text, p->text, (size_t)(p->table - p->text));
    str_append(&text, str_text(table));
    str_append(&text, p->end);
    assert_true(file_write(path, str_text(&text), text.len));
    str_free(&text);
}

void page_check(const char *path, const char *name, const struct str *table, const char *program) {
    struct page p;
    page_read(&p, path, name);
    size_t there = (size_t)(p.end - p.table);
    if (getenv("MPU_WRITE_PAGE"))
        page_write(&p, path, table);
    else if (table->len != there || memcmp(p.table, str_text(table), there) != 0)
        fail_msg("%s is not what the programs give; MPU_WRITE_PAGE=1 %s '%s' writes it", path,
                 program, name);
    free(p.text);
}

void page_check_rows(const char *path, const char *name, const struct str *rows) {
    struct page p;
    page_read(&p, path, name);
    p.text[p.end - p.text] = '\0';
    for (const char *row = str_text(rows), *end; (end = strchr(row, '\n')); row = end + 1) {
        struct str line = {0};
        str_append_n(&line, row, (size_t)(end + 1 - row));
        const char *at = strstr(p.table, line.text);
        if (!at || (at > p.text && at[-1] != '\n'))
            fail_msg("%s has no row %s", path, line.text);
        str_free(&line);
    }
    free(p.text);
}
