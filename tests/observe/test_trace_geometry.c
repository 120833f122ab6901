/* SPDX-License-Identifier: MIT
 * Slices, arrows and times of traces: those that stand in trace-geometry.csv, whatever slices are
 * called, say of themselves, and which counters stand beside them.  `--write FILE` writes what
 * the traces have now. */
#include "tests/observe/command.h"
#include "tests/observe/trace_read.h"

#include "support/file.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EXAMPLES "traced-examples/"
#define DATA     EXAMPLES "data/"

static const struct {
    const char *name, *words;
} programs[] = {
    {"axpy", "--in x=" DATA "axpy-x.npy --in y=" DATA "axpy-y.npy --in a=" DATA
             "axpy-a.npy " EXAMPLES "axpy.ez"},
    {"collatz", "--in x=" DATA "collatz-x.npy " EXAMPLES "collatz.ez"},
    {"sort", "--in x=" DATA "sort-x.npy " EXAMPLES "sort.ez"},
    {"heat", "--in start=" DATA "heat-start.npy " EXAMPLES "heat.ez"},
    {"allreduce", "--in x=" DATA "allreduce-x.npy " EXAMPLES "allreduce.ez"},
    {"dot", "--in a=" DATA "dot-a.npy --in b=" DATA "dot-b.npy " EXAMPLES "dot.ez"},
    {"stage", "--in x=iota --in y=iota " EXAMPLES "stage/dot.s"},
    {"cuda", "--in x=iota --in y=iota " EXAMPLES "cuda/axpy.s"},
};

/* Every kind of machine, and what changes the bars of the front end. */
static const struct {
    const char *name, *words, *without; /* programs that it does not carry out, or not at length */
} machines[] = {
    {"racer", "--target racer", "cuda"},
    {"racer-magic", "--target racer-magic", "cuda stage"},
    {"mimdram", "--target mimdram", "cuda"},
    {"pluto", "--target pluto-bsa", "cuda stage heat allreduce"},
    {"upmem", "--target upmem", "cuda heat allreduce"},
    {"simt", "--target simt", "stage allreduce"},
    {"pypim", "--target pypim", "cuda stage dot"},
    {"duality-cache", "--target duality-cache", "cuda stage allreduce"},
    {"controllers", "--target racer --set control.controllers=3", "cuda stage axpy dot"},
    {"playback", "--target racer --set control.playback_entries=7", "cuda stage axpy dot collatz"},
    {"no-playback", "--target racer --set control.playback_entries=0", "cuda stage collatz"},
    {"templates", "--target racer --set control.recipe_templates=60", "cuda stage collatz"},
    {"queue", "--target racer --set control.issue_queue=13", "cuda stage axpy dot collatz"},
    {"host", "--target racer --set control.front_end=host", "cuda stage collatz"},
};
#define COUNT(list) (sizeof list / sizeof *(list))

static void add_time(struct str *out, uint64_t ps) {
    str_char(out, ' ');
    str_u64(out, ps);
}

/* Spans by track and time, then arrows in the order of the file. */
static void geometry(const struct read_trace *t, struct str *out, size_t *arrows) {
    for (size_t i = 0; i < t->spans.len; i++) {
        const struct read_span *s = &t->spans.data[i];
        str_printf(out, "%" PRIu32 " %" PRIu32, s->process, s->thread);
        add_time(out, s->start_ps);
        add_time(out, s->end_ps);
        str_char(out, '\n');
    }
    for (size_t i = 0; i < t->points.len; i++) {
        const struct read_point *p = &t->points.data[i];
        if (p->kind == 'C')
            continue;
        ++*arrows;
        str_printf(out, "%c %" PRIu32 " %" PRIu32 " %" PRIu64, p->kind, p->process, p->thread,
                   p->id);
        add_time(out, p->ps);
        str_char(out, '\n');
    }
}

static void add_line(size_t program, size_t machine, struct str *csv) {
    char hash[65];
    struct str text = {0};
    struct read_trace t;
    size_t arrows = 0;
    run_expecting(0, "%s -j 1 -Wno-all --trace geometry.json %s", machines[machine].words,
                  programs[program].words);
    trace_read(&t, "geometry.json");
    geometry(&t, &text, &arrows);
    sha256_hex(str_text(&text), text.len, hash);
    str_printf(csv, "%s,%s,%zu,%zu,%.16s\n", programs[program].name, machines[machine].name,
               t.spans.len, arrows, hash);
    trace_read_free(&t);
    str_free(&text);
}

static void all_lines(struct str *csv) {
    str_append(csv, "program,machine,slices,ends_of_arrows,sha256\n");
    for (size_t k = 0; k < COUNT(machines); k++)
        for (size_t i = 0; i < COUNT(programs); i++)
            if (!strstr(machines[k].without, programs[i].name))
                add_line(i, k, csv);
}

static void slices_and_arrows_are_these(void **state) {
    (void)state;
    struct str now = {0};
    char *held = read_whole(MPU_SOURCE_DIR "/tests/observe/trace-geometry.csv", NULL);
    all_lines(&now);
    assert_string_equal(str_text(&now), held);
    free(held);
    str_free(&now);
}

static int set_up(void) {
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    unlink("traced-examples");
    return symlink(MPU_SOURCE_DIR "/examples", "traced-examples");
}

static int write_them(const char *path) {
    struct str now = {0};
    all_lines(&now);
    bool ok = file_write(path, str_text(&now), now.len);
    str_free(&now);
    return !ok;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slices_and_arrows_are_these)};
    if (set_up())
        return 1;
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_them(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
