/* SPDX-License-Identifier: MIT
 * The tree is one list in depth-first order; the length of an object or array is known when its end
 * is added. */
#include "emu/report/figures.h"

#include "support/json.h"

#include <string.h>

static void add(struct figures *figures, enum figure_kind kind, const char *key, uint64_t number,
                const char *text) {
    struct figure x = {kind, key ? xstrdup(key) : NULL, number, text ? xstrdup(text) : NULL};
    vec_push(&figures->list, x);
}

void report_figures_free(struct figures *figures) {
    for (size_t i = 0; i < figures->list.len; i++) {
        free(figures->list.data[i].key);
        free(figures->list.data[i].text);
    }
    vec_free(&figures->list);
}

void report_figures_object(struct figures *figures, const char *key) {
    add(figures, FIGURE_OBJECT, key, 0, NULL);
}

void report_figures_array(struct figures *figures, const char *key) {
    add(figures, FIGURE_ARRAY, key, 0, NULL);
}

void report_figures_end(struct figures *figures) {
    add(figures, FIGURE_END, NULL, 0, NULL);
}

void report_figures_number(struct figures *figures, const char *key, uint64_t value) {
    add(figures, FIGURE_NUMBER, key, value, NULL);
}

void report_figures_known(struct figures *figures, const char *key, bool known, uint64_t value) {
    add(figures, known ? FIGURE_NUMBER : FIGURE_NULL, key, known ? value : 0, NULL);
}

void report_figures_text(struct figures *figures, const char *key, const char *value) {
    add(figures, FIGURE_TEXT, key, 0, value);
}

void report_figures_note(struct figures *figures, const char *key, const char *value) {
    add(figures, FIGURE_NOTE, key, 0, value);
}

void report_figures_null(struct figures *figures, const char *key) {
    add(figures, FIGURE_NULL, key, 0, NULL);
}

void report_figures_none(struct figures *figures, const char *key) {
    add(figures, FIGURE_NONE, key, 0, NULL);
}

void report_figures_insert(struct figures *figures, const char *key, const struct figures *object) {
    for (size_t i = 0; i < object->list.len; i++) {
        const struct figure *x = &object->list.data[i];
        add(figures, x->kind, i ? x->key : key, x->number, x->text);
    }
}

void report_figures_json(const struct figures *figures, struct str *out) {
    struct json *j = json_new();
    VEC(enum figure_kind) open = {0};
    for (size_t i = 0; i < figures->list.len; i++) {
        const struct figure *x = &figures->list.data[i];
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
        case FIGURE_NOTE:
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

static void cut_path(struct figure_walk *walk, size_t len) {
    if (walk->path.text)
        walk->path.text[len] = '\0';
    walk->path.len = len;
}

static void name(struct figure_walk *walk, const struct figure *figure) {
    struct figure_level *l = walk->levels.len ? &vec_last(&walk->levels) : NULL;
    cut_path(walk, l ? l->prefix : 0);
    if (walk->path.len)
        str_char(&walk->path, '.');
    if (figure->key)
        str_append(&walk->path, figure->key);
    else if (l && l->array)
        str_printf(&walk->path, "%llu", (unsigned long long)l->next++);
}

/* Moves to the figure; true if it is a value. */
static bool step(struct figure_walk *walk, const struct figure *figure) {
    if (figure->kind == FIGURE_END) {
        walk->levels.len--;
        return false;
    }
    if (figure->kind == FIGURE_NOTE)
        return false;
    name(walk, figure);
    if (figure->kind != FIGURE_OBJECT && figure->kind != FIGURE_ARRAY)
        return true;
    struct figure_level l = {walk->path.len, figure->kind == FIGURE_ARRAY, 0};
    vec_push(&walk->levels, l);
    return false;
}

static void walk_free(struct figure_walk *walk) {
    str_free(&walk->path);
    vec_free(&walk->levels);
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

void report_figures_csv(const struct figures *figures, struct str *out) {
    struct figure_walk w = {0};
    str_append(out, "figure,value\n");
    for (size_t i = 0; i < figures->list.len; i++) {
        const struct figure *x = &figures->list.data[i];
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

/* The value at a path, NULL if there is none. */
static const struct figure *find(const struct figures *figures, const char *path) {
    const struct figure *found = NULL;
    struct figure_walk w = {0};
    for (size_t i = 0; i < figures->list.len && !found; i++)
        if (step(&w, &figures->list.data[i]) && strcmp(str_text(&w.path), path) == 0)
            found = &figures->list.data[i];
    walk_free(&w);
    return found;
}

bool report_figures_find(const struct figures *figures, const char *path, uint64_t *value) {
    const struct figure *x = find(figures, path);
    if (!x || x->kind != FIGURE_NUMBER)
        return false;
    *value = x->number;
    return true;
}

const char *report_figures_find_note(const struct figures *figures, const char *key) {
    for (size_t i = 0; i < figures->list.len; i++) {
        const struct figure *x = &figures->list.data[i];
        if (x->kind == FIGURE_NOTE && x->key && strcmp(x->key, key) == 0)
            return x->text;
    }
    return NULL;
}

const char *report_figures_find_text(const struct figures *figures, const char *path) {
    const struct figure *x = find(figures, path);
    return x && x->kind == FIGURE_TEXT ? x->text : NULL;
}
