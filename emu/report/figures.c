/* SPDX-License-Identifier: MIT */
#include "emu/report/figures.h"

#include "support/json.h"

#include <string.h>

static void add(struct figures *f, enum figure_kind kind, const char *key, uint64_t number,
                const char *text) {
    struct figure x = {kind, key ? xstrdup(key) : NULL, number, text ? xstrdup(text) : NULL};
    vec_push(&f->list, x);
}

void report_figures_free(struct figures *f) {
    for (size_t i = 0; i < f->list.len; i++) {
        free(f->list.data[i].key);
        free(f->list.data[i].text);
    }
    vec_free(&f->list);
}

void report_figures_object(struct figures *f, const char *key) {
    add(f, FIGURE_OBJECT, key, 0, NULL);
}

void report_figures_array(struct figures *f, const char *key) {
    add(f, FIGURE_ARRAY, key, 0, NULL);
}

void report_figures_end(struct figures *f) {
    add(f, FIGURE_END, NULL, 0, NULL);
}

void report_figures_number(struct figures *f, const char *key, uint64_t value) {
    add(f, FIGURE_NUMBER, key, value, NULL);
}

void report_figures_known(struct figures *f, const char *key, bool known, uint64_t value) {
    add(f, known ? FIGURE_NUMBER : FIGURE_NULL, key, known ? value : 0, NULL);
}

void report_figures_text(struct figures *f, const char *key, const char *value) {
    add(f, FIGURE_TEXT, key, 0, value);
}

void report_figures_null(struct figures *f, const char *key) {
    add(f, FIGURE_NULL, key, 0, NULL);
}

void report_figures_none(struct figures *f, const char *key) {
    add(f, FIGURE_NONE, key, 0, NULL);
}

void report_figures_insert(struct figures *f, const char *key, const struct figures *object) {
    for (size_t i = 0; i < object->list.len; i++) {
        const struct figure *x = &object->list.data[i];
        add(f, x->kind, i ? x->key : key, x->number, x->text);
    }
}

void report_figures_json(const struct figures *f, struct str *out) {
    struct json *j = json_new();
    VEC(enum figure_kind) open = {0};
    for (size_t i = 0; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        switch (x->kind) {
        case FIGURE_OBJECT:
            json_object_begin(j, x->key);
            vec_push(&open, x->kind);
            break;
        case FIGURE_ARRAY:
            json_array_begin(j, x->key);
            vec_push(&open, x->kind);
            break;
        case FIGURE_END:
            if (vec_last(&open) == FIGURE_OBJECT)
                json_object_end(j);
            else
                json_array_end(j);
            open.len--;
            break;
        case FIGURE_NUMBER:
            json_u64(j, x->key, x->number);
            break;
        case FIGURE_TEXT:
            json_string(j, x->key, x->text);
            break;
        case FIGURE_NULL:
        case FIGURE_NONE:
            json_null(j, x->key);
            break;
        }
    }
    vec_free(&open);
    json_finish(j, out);
}

/* The path of the figure that a walk stands at. */
struct figure_level {
    size_t prefix; /* length of the path without what is in this level */
    bool array;
    uint64_t next; /* place in the array */
};
struct figure_walk {
    struct str path;
    VEC(struct figure_level) levels;
};

static void cut_path(struct figure_walk *w, size_t len) {
    if (w->path.text)
        w->path.text[len] = '\0';
    w->path.len = len;
}

static void name(struct figure_walk *w, const struct figure *x) {
    struct figure_level *l = w->levels.len ? &vec_last(&w->levels) : NULL;
    cut_path(w, l ? l->prefix : 0);
    if (w->path.len)
        str_char(&w->path, '.');
    if (x->key)
        str_append(&w->path, x->key);
    else if (l && l->array)
        str_printf(&w->path, "%llu", (unsigned long long)l->next++);
}

/* Moves to figure x; true if it is a value. */
static bool step(struct figure_walk *w, const struct figure *x) {
    if (x->kind == FIGURE_END) {
        w->levels.len--;
        return false;
    }
    name(w, x);
    if (x->kind != FIGURE_OBJECT && x->kind != FIGURE_ARRAY)
        return true;
    struct figure_level l = {w->path.len, x->kind == FIGURE_ARRAY, 0};
    vec_push(&w->levels, l);
    return false;
}

static void walk_free(struct figure_walk *w) {
    str_free(&w->path);
    vec_free(&w->levels);
}

void report_figures_csv_field(const char *text, struct str *out) {
    if (!strpbrk(text, ",\"\r\n")) {
        str_append(out, text);
        return;
    }
    str_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            str_char(out, '"');
        str_char(out, *text);
    }
    str_char(out, '"');
}

void report_figures_csv(const struct figures *f, struct str *out) {
    struct figure_walk w = {0};
    str_append(out, "figure,value\n");
    for (size_t i = 0; i < f->list.len; i++) {
        const struct figure *x = &f->list.data[i];
        if (!step(&w, x))
            continue;
        report_figures_csv_field(str_text(&w.path), out);
        str_char(out, ',');
        if (x->kind == FIGURE_NUMBER)
            str_printf(out, "%llu", (unsigned long long)x->number);
        else if (x->kind == FIGURE_TEXT)
            report_figures_csv_field(x->text, out);
        str_char(out, '\n');
    }
    walk_free(&w);
}

bool report_figures_find(const struct figures *f, const char *path, uint64_t *value) {
    struct figure_walk w = {0};
    bool found = false;
    for (size_t i = 0; i < f->list.len && !found; i++) {
        const struct figure *x = &f->list.data[i];
        found = step(&w, x) && x->kind == FIGURE_NUMBER && strcmp(str_text(&w.path), path) == 0;
        if (found)
            *value = x->number;
    }
    walk_free(&w);
    return found;
}
