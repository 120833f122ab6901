/* SPDX-License-Identifier: MIT
 * --rerun: a recorded run once more, from its provenance, and whether its figures are the same. */
#include "runtime/run/run.h"
#include "runtime/run/table.h"

#include "support/alloc.h"
#include "support/file.h"
#include "support/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rerun {
    const struct run_options *o;
    const volatile int *interrupted;
    struct diag *d;
    struct arena arena;
    const struct json_value *record; /* what the file holds */
    const struct json_value *origin; /* provenance of the run, or of the first of several */
    uint64_t figures;                /* that were the same */
};

/* ---- the record ---- */

static void note_format(struct rerun *x) {
    diag_note(x->d, NO_SPAN, "--stats json:FILE writes what --rerun reads");
}

static mpu_result read_record(struct rerun *x, const char *path) {
    size_t size;
    char *text = file_read(path, &size);
    if (!text) {
        diag_error(x->d, NO_SPAN, "cannot read '%s': %s", path, strerror(errno));
        return MPU_FILE;
    }
    x->record = json_read(text, size, diag_source(x->d, path, text, size), &x->arena, x->d);
    free(text);
    if (!x->record)
        note_format(x);
    return x->record ? MPU_OK : MPU_REJECTED;
}

static const struct json_value *first_origin(const struct json_value *record) {
    const struct json_value *records = json_member(record, "records");
    const struct json_value *run = records ? records->first : record;
    for (; records && run; run = run->next)
        if (json_member(json_member(run, "statistics"), "provenance"))
            return json_member(json_member(run, "statistics"), "provenance");
    return records ? NULL : json_member(run, "provenance");
}

/* A record of this version's format; false after reporting. */
static bool is_record(struct rerun *x) {
    const char *schema = json_member_text(x->record, "schema");
    bool several = schema && strcmp(schema, COMPARISON_SCHEMA) == 0;
    if (!schema || (!several && strncmp(schema, "mpu-", 4) != 0)) {
        diag_error(x->d, x->record->at, "this holds no statistics of mpu-run");
        note_format(x);
        return false;
    }
    if (!several && strcmp(schema, REPORT_SCHEMA) != 0) {
        diag_error(x->d, json_member(x->record, "schema")->at,
                   "this is format '%s'; this version writes '%s' and '%s'", schema, REPORT_SCHEMA,
                   COMPARISON_SCHEMA);
        return false;
    }
    x->origin = first_origin(x->record);
    return true;
}

enum { MAX_WORDS = 100000 };

/* The words of the recorded command, NULL behind the last; NULL after reporting. */
static char **read_command(struct rerun *x, int *count) {
    const struct json_value *list = json_member(x->record, "command");
    if (!list)
        list = json_member(x->origin, "command");
    bool good = list && list->kind == JSON_ARRAY && list->count > 1 && list->count < MAX_WORDS;
    for (const struct json_value *w = good ? list->first : NULL; w; w = w->next)
        good = good && w->kind == JSON_STRING;
    if (!good) {
        diag_error(x->d, list ? list->at : x->record->at,
                   "there is no command here that could be repeated");
        diag_note(x->d, NO_SPAN, "runs by calls of the library record none");
        return NULL;
    }
    char **words = ARENA_ARRAY(&x->arena, list->count + 1, char *);
    *count = 0;
    for (const struct json_value *w = list->first; w; w = w->next)
        words[(*count)++] = arena_strdup(&x->arena, w->text);
    return words;
}

/* ---- what it read ---- */

static void note_folders(struct rerun *x) {
    diag_note(x->d, NO_SPAN,
              "a record has files outside of the working folder without their folders: repeat it "
              "where they lie");
}

static mpu_result is_gone(struct rerun *x, struct span at, const char *what, const char *name) {
    diag_error(x->d, at, "%s%s came from standard input, which cannot be repeated", what, name);
    return MPU_REJECTED;
}

static mpu_result file_is_same(struct rerun *x, const struct json_value *input) {
    const char *path = json_member_text(input, "source"), *was = json_member_text(input, "sha256");
    const char *name = json_member_text(input, "name");
    size_t size;
    char now[65];
    if (!path || !was || !name || !run_value_is_file(path))
        return MPU_OK;
    if (strcmp(path, "-") == 0)
        return is_gone(x, input->at, "the data of ", name);
    char *bytes = file_read(path, &size);
    if (!bytes) {
        diag_error(x->d, input->at, "cannot read '%s', which was the data of '%s': %s", path, name,
                   strerror(errno));
        note_folders(x);
        return MPU_FILE;
    }
    sha256_hex(bytes, size, now);
    free(bytes);
    if (strcmp(now, was) == 0)
        return MPU_OK;
    diag_error(x->d, input->at, "'%s', the data of '%s', has changed: its SHA-256 is %s", path,
               name, now);
    return MPU_REJECTED;
}

static mpu_result inputs_are_same(struct rerun *x) {
    const struct json_value *inputs = json_member(x->origin, "inputs");
    mpu_result r = MPU_OK;
    for (const struct json_value *i = inputs ? inputs->first : NULL; i; i = i->next) {
        mpu_result one = file_is_same(x, i);
        r = r == MPU_OK ? one : r;
    }
    return r;
}

static mpu_result program_is_same(struct rerun *x, const struct run_options *o) {
    const struct json_value *was = json_member(x->record, "program_sha256");
    mpu_program *p;
    if (!was)
        was = json_member(x->origin, "program_sha256");
    for (size_t i = 0; i < o->programs.len; i++)
        if (strcmp(o->programs.data[i], "-") == 0)
            return is_gone(x, x->record->at, "the program", "");
    mpu_result r = run_load(o, x->d, &p);
    if (r == MPU_FILE)
        note_folders(x);
    if (r != MPU_OK)
        return r;
    if (was && was->kind == JSON_STRING && strcmp(was->text, p->sha256) != 0) {
        diag_error(x->d, was->at, "the program '%s' has changed: its SHA-256 is %s", p->name,
                   p->sha256);
        r = MPU_REJECTED;
    }
    mpu_program_free(p);
    return r;
}

/* ---- comparing ---- */

static void value_text(const struct json_value *v, struct str *out) {
    static const char *const names[] = {[JSON_NULL] = "null",
                                        [JSON_FALSE] = "false",
                                        [JSON_TRUE] = "true",
                                        [JSON_ARRAY] = "a list",
                                        [JSON_OBJECT] = "an object"};
    if (!v)
        str_append(out, "not there");
    else if (v->kind == JSON_STRING)
        str_printf(out, "'%s'", v->text);
    else if (v->kind == JSON_ARRAY)
        str_printf(out, "a list of %zu", v->count);
    else
        str_append(out, v->kind == JSON_NUMBER ? v->text : names[v->kind]);
}

static bool differs(struct rerun *x, const struct str *path, const struct json_value *was,
                    const struct json_value *is) {
    struct str before = {0}, now = {0};
    value_text(was, &before);
    value_text(is, &now);
    diag_error(x->d, was ? was->at : x->record->at, "%s was %s and is now %s", str_text(path),
               str_text(&before), str_text(&now));
    str_free(&before);
    str_free(&now);
    return false;
}

static bool same(struct rerun *x, struct str *path, const struct json_value *was,
                 const struct json_value *is);

/* With the member's name or place behind the path. */
static bool same_inside(struct rerun *x, struct str *path, size_t place,
                        const struct json_value *was, const struct json_value *is) {
    const struct json_value *named = was ? was : is;
    size_t len = path->len;
    str_append(path, len ? "." : "");
    if (named->key)
        str_append(path, named->key);
    else
        str_printf(path, "%zu", place);
    bool ok = was && is ? same(x, path, was, is) : differs(x, path, was, is);
    path->text[len] = '\0';
    path->len = len;
    return ok;
}

/* The version may be another one: figures count. */
static bool may_differ(const struct str *path, const struct json_value *v) {
    return v->key && strcmp(v->key, "version") == 0 && path->len >= 10 &&
           strcmp(str_text(path) + path->len - 10, "provenance") == 0;
}

static bool same_members(struct rerun *x, struct str *path, const struct json_value *was,
                         const struct json_value *is) {
    for (const struct json_value *m = was->first; m; m = m->next)
        if (!may_differ(path, m) && !same_inside(x, path, 0, m, json_member(is, m->key)))
            return false;
    for (const struct json_value *m = is->first; m; m = m->next)
        if (!json_member(was, m->key))
            return same_inside(x, path, 0, NULL, m);
    return true;
}

static bool same_elements(struct rerun *x, struct str *path, const struct json_value *was,
                          const struct json_value *is) {
    const struct json_value *a = was->first, *b = is->first;
    for (size_t i = 0; a && b; i++, a = a->next, b = b->next)
        if (!same_inside(x, path, i, a, b))
            return false;
    return was->count == is->count || differs(x, path, was, is);
}

static bool same(struct rerun *x, struct str *path, const struct json_value *was,
                 const struct json_value *is) {
    if (was->kind != is->kind)
        return differs(x, path, was, is);
    if (was->kind == JSON_OBJECT)
        return same_members(x, path, was, is);
    if (was->kind == JSON_ARRAY)
        return same_elements(x, path, was, is);
    bool text = was->kind == JSON_STRING || was->kind == JSON_NUMBER;
    if (text && strcmp(was->text, is->text) != 0)
        return differs(x, path, was, is);
    x->figures++;
    return true;
}

static mpu_result compare(struct rerun *x, const char *text, size_t size) {
    struct str path = {0};
    const struct json_value *now = json_read(text, size, 0, &x->arena, x->d);
    bool equal = now && same(x, &path, x->record, now);
    str_free(&path);
    return equal ? MPU_OK : MPU_DIFFERS;
}

/* ---- running ---- */

/* Nothing is written but statistics, as JSON; what only watches is left out. */
static void make_quiet(const struct rerun *x, struct run_options *o) {
    static const struct run_stats json = {"json", "-"};
    vec_clear(&o->stats);
    vec_push(&o->stats, json);
    vec_free(&o->watching.uops);
    o->watching = (struct run_watching){.trace = NULL};
    o->config.print = NULL;
    o->config.threads = x->o->config.threads;
    o->quiet = true;
}

static bool is_run(struct rerun *x, const struct run_options *o) {
    if (!o->rerun && !o->list_targets && !o->print_target && !o->list_keys)
        return true;
    diag_error(x->d, x->record->at, "the recorded command runs no program");
    return false;
}

/* Messages of the run go to its own diagnostics: an error of the program is no error here. */
static int repeat(struct rerun *x, struct run_options *o, struct diag *d, int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        diag_error(x->d, NO_SPAN, "no memory for the statistics: %s", strerror(errno));
        return EXIT_FILE;
    }
    run_configure(o, x->interrupted, out);
    make_quiet(x, o);
    int code = run_program(o, d, argc, argv, out);
    fclose(out);
    diag_flush(d);
    if (size) /* however the run ended */
        code = run_exit_code(compare(x, text, size));
    free(text);
    return size || code ? code : EXIT_REJECTED;
}

static int run_recorded(struct rerun *x, const struct command_line *cl, int argc, char **argv) {
    struct run_options o;
    int code = EXIT_REJECTED;
    if (run_options_read(cl, &o) && is_run(x, &o)) {
        o.cl = cl;
        mpu_result r = inputs_are_same(x);
        if (r == MPU_OK)
            r = program_is_same(x, &o);
        code = r == MPU_OK ? repeat(x, &o, cl->diag, argc, argv) : run_exit_code(r);
    }
    run_options_free(&o);
    return code;
}

static int rerun(struct rerun *x) {
    struct command_line cl;
    int argc, code;
    mpu_result r = read_record(x, x->o->rerun);
    if (r != MPU_OK)
        return run_exit_code(r);
    char **argv = is_record(x) ? read_command(x, &argc) : NULL;
    if (!argv || !command_line_parse(&mpu_run_tool, argc, argv, &cl, &code))
        return EXIT_REJECTED;
    cl.printer = x->o->cl->printer;
    code = run_recorded(x, &cl, argc, argv);
    command_line_free(&cl);
    return code;
}

int run_rerun(const struct run_options *o, const volatile int *interrupted, struct diag *d,
              FILE *out) {
    struct rerun x = {.o = o, .interrupted = interrupted, .d = d};
    int code = rerun(&x);
    const char *version = json_member_text(x.origin, "version");
    if (code == EXIT_DONE)
        fprintf(out, "%s: %llu figures, all the same\n", o->rerun, (unsigned long long)x.figures);
    else if (version && strcmp(version, tool_version_text()) != 0)
        diag_note(d, NO_SPAN, "the record is of version %s, this is %s", version,
                  tool_version_text());
    arena_free(&x.arena);
    return code;
}
