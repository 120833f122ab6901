/* SPDX-License-Identifier: MIT
 * The row classes of a target file. */
#include "recipe/target/load.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CLASSES 64

static bool check_keys(struct target_text *x, const struct node *map) {
    static const char *const known[] = {"range", "row", "value", "use", "source"};
    for (const struct node *n = map->first; n; n = n->next) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found |= strcmp(n->key, known[i]) == 0;
        if (!found) {
            diag_error(x->diag, n->key_at, "unknown key '%s' of a row class", n->key);
            diag_suggest(x->diag, n->key_at, n->key, known, sizeof known / sizeof known[0]);
            return false;
        }
    }
    return true;
}

/* One decimal number at *at, which moves behind it. */
static bool take_number(const char **at, uint32_t *value) {
    size_t n = strspn(*at, "0123456789");
    uint64_t v;
    if (!parse_u64(*at, n, &v) || v > UINT32_MAX)
        return false;
    *value = (uint32_t)v;
    *at += n;
    return true;
}

/* "0..1019:2" */
static bool parse_range(const char *text, struct row_class *c) {
    c->step = 1;
    if (!take_number(&text, &c->first) || strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (!take_number(&text, &c->last))
        return false;
    if (*text == ':') {
        text++;
        if (!take_number(&text, &c->step))
            return false;
    }
    return *text == '\0' && c->step > 0 && c->first <= c->last;
}

static bool read_rows(struct target_text *x, const struct node *n, const char *path, uint32_t rows,
                      struct row_class *c) {
    const struct node *range = node_find(n, "range"), *row = node_find(n, "row");
    uint64_t number;
    if (!range == !row) {
        diag_error(x->diag, n->key_at, "%s: a row class has either 'range' or 'row'", path);
        return false;
    }
    if (row) {
        if (!target_number(x, row, path, 0, rows - 1, &number))
            return false;
        c->first = c->last = (uint32_t)number;
        c->step = 1;
        return true;
    }
    if (range->kind != NODE_SCALAR || !parse_range(range->text, c) || c->last >= rows) {
        target_error(x, range, path, "expected a range like 0..63 or 1..63:2 inside 0..%u",
                     rows - 1);
        return false;
    }
    return true;
}

static bool read_use(struct target_text *x, const struct node *n, const char *path,
                     struct row_class *c) {
    const struct node *value = node_find(n, "value"), *use = node_find(n, "use");
    uint64_t number = 0;
    if (value && !target_number(x, value, path, 0, 1, &number))
        return false;
    c->value = value ? (int8_t)number : -1;
    c->registers = !value && (!use || strcmp(use->text ? use->text : "", "registers") == 0);
    c->scratch = !value && (!use || strcmp(use->text ? use->text : "", "scratch") == 0);
    if (!use || (!value && (c->registers || c->scratch)))
        return true;
    target_error(x, use, path,
                 value ? "a constant row has no other use" : "expected registers or scratch");
    return false;
}

/* `taken` has a byte per row. */
static bool claim(struct target_text *x, const struct node *n, const struct row_class *c,
                  unsigned char *taken) {
    for (uint64_t r = c->first; r <= c->last; r += c->step)
        if (taken[r]++) {
            diag_error(x->diag, n->key_at, "row %llu belongs to two classes",
                       (unsigned long long)r);
            return false;
        }
    return true;
}

static bool read_class(struct target_text *x, const struct node *n, struct target *t,
                       struct row_class *c, unsigned char *taken) {
    const char *path = arena_printf(x->arena, "rows.%s", n->key);
    c->name = n->key;
    if (n->kind != NODE_MAP) {
        target_error(x, n, path, "expected a block of keys");
        return false;
    }
    if (!check_keys(x, n) || !read_rows(x, n, path, t->rows, c) || !read_use(x, n, path, c) ||
        !claim(x, n, c, taken))
        return false;
    if (c->scratch)
        t->scratch_rows += (c->last - c->first) / c->step + 1;
    return true;
}

bool target_rows_fill(struct target_text *x, struct target *t) {
    const struct node *rows = node_find(x->root, "rows");
    if (!rows)
        return true;
    struct row_class *classes = ARENA_ARRAY(x->arena, MAX_CLASSES, struct row_class);
    unsigned char *taken = xcalloc(t->rows, 1);
    uint32_t count = 0;
    bool fine = true;
    for (const struct node *n = rows->first; n && fine; n = n->next) {
        fine = count < MAX_CLASSES;
        if (fine)
            fine = read_class(x, n, t, &classes[count++], taken);
        else
            diag_error(x->diag, n->key_at, "more than %d row classes", MAX_CLASSES);
    }
    free(taken);
    t->row_classes = classes;
    t->row_class_count = count;
    return fine;
}
