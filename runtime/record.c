/* SPDX-License-Identifier: MIT
 * Recorded runs: the command of a record, whether it can be carried out again, and whether the
 * figures are the same then. */
#include "runtime/sweep.h"

#include "support/alloc.h"
#include "support/file.h"
#include "support/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct mpu_record {
    mpu_messages *messages; /* that the record was read with: its places are places there */
    bool owned;             /* nobody gave them */
    struct diag *d;         /* theirs */
    struct arena arena;
    const struct json_value *record; /* what the file holds */
    const struct json_value *origin; /* provenance of the run, or of the first of several */
    uint64_t figures;                /* that were the same */
};

/* ---- the record ---- */

static void note_format(mpu_record *record) {
    diag_note(record->d, NO_SPAN, "--stats json:FILE writes what --rerun reads");
}

static mpu_result read_record(mpu_record *record, const char *path) {
    size_t size;
    char *text = file_read_text(path, FILE_MAX_SOURCE, &size);
    if (!text) {
        diag_error(record->d, NO_SPAN, "cannot read '%s': %s", path, file_problem(errno));
        return MPU_FILE;
    }
    record->record =
        json_read(text, size, diag_source(record->d, path, text, size), &record->arena, record->d);
    free(text);
    if (!record->record)
        note_format(record);
    return record->record ? MPU_OK : MPU_REJECTED;
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
static bool is_record(mpu_record *record) {
    const char *schema = json_member_text(record->record, "schema");
    bool several = schema && strcmp(schema, COMPARISON_SCHEMA) == 0;
    if (!schema || (!several && strncmp(schema, "mpu-", 4) != 0)) {
        diag_error(record->d, record->record->at, "this holds no statistics of mpu-run");
        note_format(record);
        return false;
    }
    if (!several && strcmp(schema, REPORT_SCHEMA) != 0) {
        diag_error(record->d, json_member(record->record, "schema")->at,
                   "this is format '%s'; this version writes '%s' and '%s'", schema, REPORT_SCHEMA,
                   COMPARISON_SCHEMA);
        return false;
    }
    record->origin = first_origin(record->record);
    return true;
}

enum { MAX_WORDS = 100000 };

/* The words of the recorded command, NULL behind the last; NULL after reporting. */
static const char *const *read_command(mpu_record *record, size_t *count) {
    const struct json_value *list = json_member(record->record, "command");
    if (!list)
        list = json_member(record->origin, "command");
    bool good = list && list->kind == JSON_ARRAY && list->count > 1 && list->count < MAX_WORDS;
    for (const struct json_value *w = good ? list->first : NULL; w; w = w->next)
        good = good && w->kind == JSON_STRING;
    if (!good) {
        diag_error(record->d, list ? list->at : record->record->at,
                   "there is no command here that could be repeated");
        diag_note(record->d, NO_SPAN, "runs by calls of the library record none");
        return NULL;
    }
    const char **words = ARENA_ARRAY(&record->arena, list->count + 1, const char *);
    *count = 0;
    for (const struct json_value *w = list->first; w; w = w->next)
        words[(*count)++] = w->text;
    return words;
}

/* ---- what it read ---- */

static void note_folders(mpu_record *record) {
    diag_note(record->d, NO_SPAN,
              "a record names files as its command did: one without a folder is looked for in the "
              "working folder");
}

static mpu_result is_gone(mpu_record *record, struct span at, const char *what, const char *name) {
    diag_error(record->d, at, "%s%s came from standard input, which cannot be repeated", what,
               name);
    return MPU_REJECTED;
}

static mpu_result input_is_same(mpu_record *record, const struct json_value *input) {
    const char *path = json_member_text(input, "source"), *was = json_member_text(input, "sha256");
    const char *name = json_member_text(input, "name");
    size_t size;
    char now[65];
    if (!path || !was || !name || !data_is_file(path))
        return MPU_OK;
    if (strcmp(path, "-") == 0)
        return is_gone(record, input->at, "the data of ", name);
    char *bytes = file_read_named(path, UINT32_MAX, &size);
    if (!bytes) {
        diag_error(record->d, input->at, "cannot read '%s', which was the data of '%s': %s", path,
                   name, file_problem(errno));
        note_folders(record);
        return MPU_FILE;
    }
    sha256_hex(bytes, size, now);
    free(bytes);
    if (strcmp(now, was) == 0)
        return MPU_OK;
    diag_error(record->d, input->at, "'%s', the data of '%s', has changed: its SHA-256 is %s", path,
               name, now);
    return MPU_REJECTED;
}

static mpu_result inputs_are_same(mpu_record *record) {
    const struct json_value *inputs = json_member(record->origin, "inputs");
    mpu_result r = MPU_OK;
    for (const struct json_value *i = inputs ? inputs->first : NULL; i; i = i->next) {
        mpu_result one = input_is_same(record, i);
        r = r == MPU_OK ? one : r;
    }
    return r;
}

static mpu_result build(mpu_record *record, mpu_source *source, mpu_program **program) {
    for (size_t i = 0; i < source->files.len; i++)
        if (strcmp(source->files.data[i].path, "-") == 0)
            return is_gone(record, record->record->at, "the program", "");
    mpu_result r = program_build_diag(source, record->d, program);
    if (r == MPU_FILE)
        note_folders(record);
    return r;
}

static mpu_result program_is_same(mpu_record *record, const mpu_program *program) {
    const struct json_value *was = json_member(record->record, "program_sha256");
    if (!was)
        was = json_member(record->origin, "program_sha256");
    if (!was || was->kind != JSON_STRING || strcmp(was->text, program->sha256) == 0)
        return MPU_OK;
    diag_error(record->d, was->at, "the program '%s' has changed: its SHA-256 is %s", program->name,
               program->sha256);
    return MPU_REJECTED;
}

/* ---- comparing ---- */

static void value_text(const struct json_value *value, struct str *out) {
    static const char *const names[] = {[JSON_NULL] = "null",
                                        [JSON_FALSE] = "false",
                                        [JSON_TRUE] = "true",
                                        [JSON_ARRAY] = "a list",
                                        [JSON_OBJECT] = "an object"};
    if (!value)
        str_append(out, "not there");
    else if (value->kind == JSON_STRING)
        str_printf(out, "'%s'", value->text);
    else if (value->kind == JSON_ARRAY)
        str_printf(out, "a list of %zu", value->count);
    else
        str_append(out, value->kind == JSON_NUMBER ? value->text : names[value->kind]);
}

static bool differs(mpu_record *record, const struct str *path, const struct json_value *was,
                    const struct json_value *is) {
    struct str before = {0}, now = {0};
    value_text(was, &before);
    value_text(is, &now);
    diag_error(record->d, was ? was->at : record->record->at, "%s was %s and is now %s",
               str_text(path), str_text(&before), str_text(&now));
    str_free(&before);
    str_free(&now);
    return false;
}

static bool same(mpu_record *record, struct str *path, const struct json_value *was,
                 const struct json_value *is);

/* With the member's name or place behind the path. */
static bool same_inside(mpu_record *record, struct str *path, size_t place,
                        const struct json_value *was, const struct json_value *is) {
    const struct json_value *named = was ? was : is;
    size_t len = path->len;
    str_append(path, len ? "." : "");
    if (named->key)
        str_append(path, named->key);
    else
        str_printf(path, "%zu", place);
    bool ok = was && is ? same(record, path, was, is) : differs(record, path, was, is);
    path->text[len] = '\0';
    path->len = len;
    return ok;
}

/* The version may be another one: figures count. */
static bool may_differ(const struct str *path, const struct json_value *value) {
    return value->key && strcmp(value->key, "version") == 0 && path->len >= 10 &&
           strcmp(str_text(path) + path->len - 10, "provenance") == 0;
}

static bool same_members(mpu_record *record, struct str *path, const struct json_value *was,
                         const struct json_value *is) {
    for (const struct json_value *m = was->first; m; m = m->next)
        if (!may_differ(path, m) && !same_inside(record, path, 0, m, json_member(is, m->key)))
            return false;
    for (const struct json_value *m = is->first; m; m = m->next)
        if (!json_member(was, m->key))
            return same_inside(record, path, 0, NULL, m);
    return true;
}

static bool same_elements(mpu_record *record, struct str *path, const struct json_value *was,
                          const struct json_value *is) {
    const struct json_value *a = was->first, *b = is->first;
    for (size_t i = 0; a && b; i++, a = a->next, b = b->next)
        if (!same_inside(record, path, i, a, b))
            return false;
    return was->count == is->count || differs(record, path, was, is);
}

static bool same(mpu_record *record, struct str *path, const struct json_value *was,
                 const struct json_value *is) {
    if (was->kind != is->kind)
        return differs(record, path, was, is);
    if (was->kind == JSON_OBJECT)
        return same_members(record, path, was, is);
    if (was->kind == JSON_ARRAY)
        return same_elements(record, path, was, is);
    bool text = was->kind == JSON_STRING || was->kind == JSON_NUMBER;
    if (text && strcmp(was->text, is->text) != 0)
        return differs(record, path, was, is);
    record->figures++;
    return true;
}

static mpu_result compare(mpu_record *record, const char *json) {
    struct str path = {0};
    record->figures = 0;
    const struct json_value *now = json_read(json, strlen(json), 0, &record->arena, record->d);
    bool equal = now && same(record, &path, record->record, now);
    str_free(&path);
    return equal ? MPU_OK : MPU_DIFFERS;
}

/* ---- the public functions ---- */

mpu_record *mpu_record_open(const char *path, mpu_messages *messages, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    mpu_record *x = xcalloc(1, sizeof *x);
    x->owned = !messages;
    x->messages = messages ? messages : mpu_messages_new(NULL, NULL);
    if (!x->messages)
        alloc_failed();
    x->d = x->messages->d;
    public_call_begin(&c, x->messages, error);
    mpu_result r = read_record(x, path);
    if (r == MPU_OK && !is_record(x))
        r = MPU_REJECTED;
    if (public_call_end(&c, r) == MPU_OK)
        return x;
    mpu_record_free(x);
    return NULL;
}

void mpu_record_free(mpu_record *record) {
    if (!record)
        return;
    if (record->owned)
        mpu_messages_free(record->messages);
    arena_free(&record->arena);
    free(record);
}

const char *const *mpu_record_command(mpu_record *record, size_t *count, mpu_error **error) {
    struct public_call c;
    public_call_begin(&c, record->messages, error);
    const char *const *words = read_command(record, count);
    public_call_end(&c, words ? MPU_OK : MPU_REJECTED);
    return words;
}

const char *mpu_record_version(const mpu_record *record) {
    return json_member_text(record->origin, "version");
}

mpu_result mpu_record_check_inputs(mpu_record *record, mpu_error **error) {
    PUBLIC_ENTRY(error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, record->messages, error);
    return public_call_end(&c, inputs_are_same(record));
}

mpu_program *mpu_record_build(mpu_record *record, mpu_source *source, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    struct public_call c;
    mpu_program *p = NULL;
    public_call_begin(&c, record->messages, error);
    mpu_result r = build(record, source, &p);
    if (r == MPU_OK)
        r = program_is_same(record, p);
    if (public_call_end(&c, r) == MPU_OK)
        return p;
    mpu_program_free(p);
    return NULL;
}

mpu_result mpu_record_compare(mpu_record *record, const char *json, uint64_t *figures,
                              mpu_error **error) {
    PUBLIC_ENTRY(error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, record->messages, error);
    mpu_result r = compare(record, json);
    if (figures)
        *figures = record->figures;
    return public_call_end(&c, r);
}

void mpu_record_refuse(mpu_record *record, const char *text) {
    PUBLIC_ENTRY(NULL, );
    diag_error(record->d, record->record->at, "%s", text);
}
