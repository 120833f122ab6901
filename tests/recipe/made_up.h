/* SPDX-License-Identifier: MIT
 * Targets that nobody has built, for tests of the mapping, and recipes outside of files. */
#ifndef TESTS_RECIPE_MADE_UP_H
#define TESTS_RECIPE_MADE_UP_H

#include "recipe/set/set.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Reads a text into a set that is open; nothing is checked but the notation. */
static inline struct recipe *read_again(struct recipe_set *s, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_file *f = ARENA_NEW(&s->arena, struct recipe_file);
    f->name = "x.recipe";
    f->text = arena_strdup(&s->arena, text);
    f->size = strlen(text);
    f->own = true; /* its subs are not those of recipes that came with the tools */
    f->source = diag_source(d, f->name, f->text, f->size);
    struct recipe *c = NULL;
    if (notation_parse(&s->ast, f, s->target, d)) {
        c = s->ast.recipes.data[s->ast.recipes.len - 1];
        if (notation_resolve_head(s, c, d))
            notation_resolve_unit(s, &c->unit, d);
    }
    diag_flush(d);
    if (!c || c->unit.broken || diag_errors(d))
        fail_msg("%s\n%s", diag_first(d), text);
    diag_free(d);
    return c;
}

/* Technologies that a newcomer copies from lie beside the examples, toys of the tests in targets/.
 */
static inline const char *made_up_path(char path[1024], const char *name) {
    snprintf(path, 1024, MPU_SOURCE_DIR "/examples/technology/%s.yaml", name);
    if (access(path, R_OK) != 0)
        snprintf(path, 1024, MPU_SOURCE_DIR "/tests/recipe/targets/%s.yaml", name);
    return path;
}

/* The text of a target file without its lines of comment, but for the first line: what is explained
 * in a file changes no place in it. */
static inline char *without_comments(char *text) {
    char *to = strchr(text, '\n'), *from = to;
    while (from && *from) {
        const char *word = from + 1 + strspn(from + 1, " ");
        size_t size = 1 + strcspn(from + 1, "\n");
        if (*word != '#') {
            memmove(to, from, size);
            to += size;
        }
        from += size;
    }
    *to = '\0';
    return text;
}

static inline struct target *open_made_up(const char *name) {
    char path[1024];
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(made_up_path(path, name), NULL, 0, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return t;
}

static inline struct target *open_yaml(const char *text) {
    char folder[] = MPU_BINARY_DIR "/tests/made-up-XXXXXX", path[sizeof folder + 16];
    struct diag *d = diag_new(NULL, NULL);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.yaml", folder);
    assert_true(file_write(path, text, strlen(text)));
    struct target *t = target_open(path, NULL, 0, d);
    unlink(path);
    rmdir(folder);
    if (!t)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return t;
}

#define YAML(rows, ops)                                                                            \
    "schema: 1\nname: made-up\nkind: plane\n"                                                      \
    "array: { rows: 512, lanes: 64, sections: 1, area_um2: 5200 }\n"                               \
    "machine: { vrf_per_rfh: 8, rfh_per_mpu: 8, mpus: 4, active_vrf_per_rfh: 8 }\n"                \
    "rows:\n  rows: { range: \"0..509\" }\n" rows "ops:\n" ops "mask: { by: gate, ops: 0 }\n"      \
    "clocks: { datapath_ps: 3000 }\ntime: { t: 1000 }\n"                                           \
    "energy: { per: lane, e: 50 }\nstatic: { uw_per_mpu: 300 }\n"                                  \
    "network: { intra: p2p, setup_ps: 1000, register_ps: 16000, energy_fj_per_bit: 40 }\n"         \
    "host: { bytes_per_s: 19200000000, fj_per_bit: 4000, transpose: host }\n"                      \
    "front_end: mpu-paper\n"

#define CONSTANTS "  zero: { row: 510, value: 0 }\n  one: { row: 511, value: 1 }\n"
#define ROW(x)    "class(" x ") != C && class(" x ") != M && class(" x ") != valid"
#define MOVES                                                                                      \
    "  COPY: { in: [a], out: d, fn: \"a\", class: copy, energy: e,\n"                              \
    "    where: \"class(a) != M && class(a) != valid && class(d) != M\" }\n"                       \
    "  GETM: { in: [m], out: d, fn: \"m\", class: copy, energy: e,\n"                              \
    "    where: \"class(m) == M && " ROW(                                                          \
        "d") "\" }\n"                                                                              \
             "  SETM: { in: [a, v], out: m, fn: \"a & v\", class: copy, energy: e,\n"              \
             "    where: \"class(v) == valid && class(m) == M && " ROW("a") "\" }\n"

#endif
