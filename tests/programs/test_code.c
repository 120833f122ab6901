/* SPDX-License-Identifier: MIT
 * The compiler's code beside what an expert writes by hand (hand/): both give the same on golden
 * and on racer, and docs/ezpim-code.md says how many lines and instructions they take.  The
 * compiler's are at most 1.15 times as many.
 * MPU_WRITE_PAGE=1 writes the page's table anew. */
#include "ezpim/driver.h"
#include "object/object.h"
#include "support/file.h"
#include "support/str.h"
#include "tests/examples/arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* In percent of the instructions of the hand-written program, executed and in the text; more may be
 * what takes no longer: folds of arrays have more ensembles, over fewer VRFs. */
enum { MAX_ARRAYS = 3, LIMIT = 115 };

/* Outputs without a file are compared with each other alone. */
struct pair {
    const char *name;
    const char *library; /* where in fixed.ez the program's part begins and ends, or NULL */
    const char *library_end;
    struct binding in[MAX_ARRAYS], out[MAX_ARRAYS];
};

static const struct pair pairs[] = {
    {"crc32",
     NULL,
     NULL,
     {{"length", "crc32-length.npy"}, {"message", "crc32-message.npy"}},
     {{"crc", "crc32-crc.npy"}}},
    {"edit-distance",
     NULL,
     NULL,
     {{"probe", "edit-distance-probe.npy"}, {"read", "edit-distance-read.npy"}},
     {{"edits", "edit-distance-edits.npy"}, {"end", "edit-distance-end.npy"}}},
    {"kmeans",
     NULL,
     NULL,
     {{"x", "kmeans-x.npy"}, {"y", "kmeans-y.npy"}},
     {{"label", "kmeans-label.npy"}, {"cx", "kmeans-cx.npy"}, {"cy", "kmeans-cy.npy"}}},
    {"life", NULL, NULL, {{"start", "life-start.npy"}}, {{"alive", "life-alive.npy"}}},
    {"heat", NULL, NULL, {{"start", "heat-start.npy"}}, {{"heat", "heat-heat.npy"}}},
    {"cordic",
     "const FIXED_ATAN",
     "// The sine",
     {{"turn", "cordic-turn.npy"}},
     {{"across", NULL}, {"up", NULL}}},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* What one of the two programs takes. */
struct size {
    unsigned lines, text, executed;
    uint64_t time_ps; /* on racer */
};
static struct size sizes[PAIRS][2];

static const char *source_path(char path[4096], const struct pair *p, int hand) {
    const char *folder = hand ? "tests/programs/hand" : "examples";
    snprintf(path, 4096, "%s/%s/%s.%s", MPU_SOURCE_DIR, folder, p->name, hand ? "s" : "ez");
    return path;
}

/* Lines that hold more than blanks and a comment. */
static unsigned count_lines(const char *at, const char *end) {
    unsigned n = 0;
    while (at < end) {
        at += strspn(at, " \t");
        n += *at != '\n' && strncmp(at, "//", 2) != 0;
        at = strchr(at, '\n');
        at = at ? at + 1 : end;
    }
    return n;
}

static char *read_source(const char *path) {
    size_t size;
    char *text = file_read(path, &size);
    if (!text)
        fail_msg("%s cannot be read", path);
    return text;
}

static unsigned library_lines(const struct pair *p) {
    char *text = read_source(MPU_SOURCE_DIR "/ezpim/lib/fixed.ez");
    const char *begin = strstr(text, p->library);
    assert_non_null(begin);
    const char *end = strstr(begin, p->library_end);
    assert_non_null(end);
    unsigned n = count_lines(begin, end);
    free(text);
    return n;
}

static unsigned source_lines(const struct pair *p, int hand) {
    char path[4096];
    char *text = read_source(source_path(path, p, hand));
    unsigned n = count_lines(text, text + strlen(text));
    free(text);
    return n + (p->library && !hand ? library_lines(p) : 0);
}

/* The hand-written programs do not ask how many rows a machine has, so the compiler need not
 * either: what it does to fit them is not the cost of its code. */
static struct object *link_pair(const struct pair *p, int hand) {
    char path[4096];
    const char *const paths[] = {source_path(path, p, hand)};
    const struct driver_options options = {.ez = {.optimize = 1, .rows = 64 * 64}};
    struct diag *d = diag_new(NULL, NULL);
    bool io_error = false;
    struct object *o = driver_link(paths, 1, &options, d, &io_error);
    if (!o)
        fail_msg("%s: %s", path, diag_first(d));
    diag_free(d);
    return o;
}

static unsigned text_length(const struct pair *p, int hand) {
    struct object *o = link_pair(p, hand);
    unsigned n = (unsigned)o->text.len;
    object_free(o);
    return n;
}

static mpu_program *load(const struct pair *p, int hand) {
    struct object *o = link_pair(p, hand);
    struct str bytes = {0};
    mpu_error *e = NULL;
    object_write(o, &bytes);
    mpu_program *program = mpu_program_load(bytes.text, bytes.len, &e);
    need(program != NULL, p->name, e);
    str_free(&bytes);
    object_free(o);
    return program;
}

static mpu_session *run_one(const struct pair *p, const mpu_program *program, const mpu_target *t) {
    const char *path = p->name;
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = "random:1"};
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    need(s != NULL, path, e);
    for (size_t i = 0; i < MAX_ARRAYS && p->in[i].name; i++)
        put(s, &p->in[i]);
    need(mpu_session_run(s, &e) == MPU_OK, path, e);
    for (size_t i = 0; i < MAX_ARRAYS && p->out[i].name; i++)
        if (p->out[i].file)
            compare(s, &p->out[i], path);
    return s;
}

static void compare_sessions(mpu_session *a, mpu_session *b, const char *name) {
    mpu_array x = {0}, y = {0};
    mpu_error *e = NULL;
    need(mpu_session_get(a, name, &x, &e) == MPU_OK, name, e);
    need(mpu_session_get(b, name, &y, &e) == MPU_OK, name, e);
    assert_int_equal(x.type, MPU_I32);
    assert_int_equal(y.type, MPU_I32);
    assert_int_equal(x.shape[0], y.shape[0]);
    assert_memory_equal(x.data, y.data, x.shape[0] * 4);
    mpu_array_free(&x);
    mpu_array_free(&y);
}

static unsigned executed(mpu_session *s) {
    uint64_t value = 0;
    assert_int_equal(mpu_session_figure(s, "total.instructions", &value), MPU_OK);
    return (unsigned)value;
}

static void run_pair(size_t at, const char *target) {
    const struct pair *p = &pairs[at];
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(target, NULL, &e);
    need(t != NULL, target, e);
    mpu_program *programs[2] = {load(p, 0), load(p, 1)};
    mpu_session *s[2] = {run_one(p, programs[0], t), run_one(p, programs[1], t)};
    for (size_t i = 0; i < MAX_ARRAYS && p->out[i].name; i++)
        if (!p->out[i].file)
            compare_sessions(s[0], s[1], p->out[i].name);
    for (int hand = 0; hand < 2; hand++) {
        sizes[at][hand].executed = executed(s[hand]);
        if (strcmp(target, "racer") == 0)
            assert_int_equal(mpu_session_figure(s[hand], "total.time_ps", &sizes[at][hand].time_ps),
                             MPU_OK);
        mpu_session_free(s[hand]);
        mpu_program_free(programs[hand]);
    }
    mpu_target_close(t);
}

static void same_results(void **state) {
    (void)state;
    for (size_t i = 0; i < PAIRS; i++) {
        run_pair(i, "golden");
        run_pair(i, "racer");
    }
}

/* --- the table --- */

static unsigned percent(unsigned of, unsigned hand) {
    return (of * 100 + hand - 1) / hand;
}

static void within_limits(void **state) {
    (void)state;
    for (size_t i = 0; i < PAIRS; i++) {
        for (int hand = 0; hand < 2; hand++) {
            sizes[i][hand].lines = source_lines(&pairs[i], hand);
            sizes[i][hand].text = text_length(&pairs[i], hand);
        }
        unsigned run = percent(sizes[i][0].executed, sizes[i][1].executed);
        unsigned text = percent(sizes[i][0].text, sizes[i][1].text);
        printf("%-14s %5u %5u executed, %3u %%  %5u %5u in text, %3u %%\n", pairs[i].name,
               sizes[i][0].executed, sizes[i][1].executed, run, sizes[i][0].text, sizes[i][1].text,
               text);
    }
    for (size_t i = 0; i < PAIRS; i++)
        if ((percent(sizes[i][0].executed, sizes[i][1].executed) > LIMIT ||
             percent(sizes[i][0].text, sizes[i][1].text) > LIMIT) &&
            sizes[i][0].time_ps > sizes[i][1].time_ps)
            fail_msg("%s takes more than %u %% of the hand-written program", pairs[i].name, LIMIT);
}

static void print_table(struct str *out) {
    str_append(
        out,
        "| program | lines, ezpim | lines, assembly | instructions in the text, ezpim | "
        "by hand | executed, ezpim | by hand | ezpim / by hand | time on racer, ezpim / by hand "
        "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < PAIRS; i++) {
        const struct size *ez = &sizes[i][0], *hand = &sizes[i][1];
        unsigned ratio = percent(ez->executed, hand->executed);
        uint64_t time = (ez->time_ps * 100 + hand->time_ps - 1) / hand->time_ps;
        str_printf(out, "| %s | %u | %u | %u | %u | %u | %u | %u.%02u | %u.%02u |\n", pairs[i].name,
                   ez->lines, hand->lines, ez->text, hand->text, ez->executed, hand->executed,
                   ratio / 100, ratio % 100, (unsigned)time / 100, (unsigned)time % 100);
    }
}

static void page_is_fresh(void **state) {
    (void)state;
    static const char page[] = MPU_SOURCE_DIR "/docs/ezpim-code.md";
    static const char mark[] = "<!-- table -->\n", end_mark[] = "<!-- end of table -->\n";
    struct str text = {0}, table = {0};
    print_table(&table);
    char *old = read_source(page);
    char *begin = strstr(old, mark);
    assert_non_null(begin);
    begin += strlen(mark);
    char *end = strstr(begin, end_mark);
    assert_non_null(end);
    str_append_n(&text, old, (size_t)(begin - old));
    str_append(&text, str_text(&table));
    str_append(&text, end);
    if (getenv("MPU_WRITE_PAGE"))
        assert_true(file_write(page, str_text(&text), text.len));
    else if (strcmp(old, str_text(&text)) != 0)
        fail_msg("%s is not what the programs give; MPU_WRITE_PAGE=1 test_code writes it", page);
    str_free(&text);
    str_free(&table);
    free(old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_results),
        cmocka_unit_test(within_limits),
        cmocka_unit_test(page_is_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
