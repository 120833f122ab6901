/* SPDX-License-Identifier: MIT
 * published-figures write|check FIGURES.csv PAGE.md BUILD SOURCE: computes the figures; writes list
 * and page anew, or tells whether they are what is there and whether all figures hold. */
#include "support/file.h"
#include "tests/figures/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In single quotes, for the shell. */
static void quote(const char *text, struct str *out) {
    str_char(out, '\'');
    for (; *text; text++)
        str_append_n(out, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    str_char(out, '\'');
}

static void set_up(const char *build, const char *source, struct str *out) {
    str_append(out, "set -e; export LC_ALL=C; PATH=");
    quote(build, out);
    str_append(out, "/bin:");
    quote(build, out);
    str_append(out, "/tests:$PATH; EXAMPLES=");
    quote(source, out);
    str_append(out, "/examples; FIGURES=");
    quote(source, out);
    str_append(out, "/tests/figures; export PATH EXAMPLES FIGURES");
}

static bool write_file(const char *path, const struct str *text) {
    if (file_write(path, str_text(text), text->len))
        return true;
    perror(path);
    return false;
}

static bool same(const char *path, const struct str *text) {
    size_t size;
    char *there = file_read(path, &size);
    bool fine = there && size == text->len && memcmp(there, str_text(text), size) == 0;
    if (!fine)
        fprintf(stderr, "%s is not what the commands give; ./dev figures writes it\n", path);
    free(there);
    return fine;
}

static bool finish(bool write, const struct figure_list *l, const char *list, const char *page) {
    struct str csv = {0}, md = {0};
    figures_write_csv(l, &csv);
    figures_write_page(l, &md);
    bool fine = write ? write_file(list, &csv) && write_file(page, &md)
                      : (int)same(list, &csv) & (int)same(page, &md);
    str_free(&csv);
    str_free(&md);
    return fine;
}

int main(int argc, char **argv) {
    bool write = argc == 6 && strcmp(argv[1], "write") == 0;
    if (argc != 6 || (!write && strcmp(argv[1], "check") != 0)) {
        fprintf(stderr, "usage: published-figures write|check FIGURES.csv PAGE.md BUILD SOURCE\n");
        return 2;
    }
    struct figure_list l = {0};
    struct str errors = {0}, before = {0};
    size_t size;
    char *text = file_read(argv[2], &size);
    if (!text) {
        perror(argv[2]);
        return 3;
    }
    set_up(argv[4], argv[5], &before);
    bool fine = figures_read(text, &l, &errors) && figures_compute(&l, str_text(&before), &errors);
    fine = fine && finish(write, &l, argv[2], argv[3]);
    fine = (fine ? figures_hold(&l, &errors) : false);
    fputs(str_text(&errors), stderr);
    figures_list_free(&l);
    str_free(&errors);
    str_free(&before);
    free(text);
    return fine ? 0 : 1;
}
