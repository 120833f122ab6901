/* SPDX-License-Identifier: MIT
 * The row classes of a target file. */
#include "recipe/technology/load.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CLASSES 64

/* What is being read; `taken` has 1 + the class that has it for each row. */
struct row_reader {
    struct target_text *x;
    struct target *t;
    struct row_class *list;
    const struct yaml_node **nodes;
    uint8_t *taken;
};

static bool row_error(const struct row_reader *r, struct span at, const struct yaml_node *n,
                      const char *text) {
    diag_error(r->x->diag, at, "rows.%s: %s", n->key, text);
    return false;
}

/* One decimal number at *at, which moves behind it. */
static bool take_number(const char **at, uint32_t *value) {
    size_t n = strspn(*at, "0123456789");
    uint64_t v;
    if (!number_parse_u64(*at, n, &v) || v > UINT32_MAX)
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

static bool read_range(const struct row_reader *r, const struct yaml_node *range, const char *path,
                       struct row_class *c) {
    if (range->kind != NODE_SCALAR || !parse_range(range->text, c)) {
        target_error(r->x, range, path, "expected a range like 0..63 or 1..63:2");
        return false;
    }
    if (c->last < plane_own(r->t)->rows)
        return true;
    target_error(r->x, range, path, "row %u lies outside of the array, which has rows 0 .. %u",
                 c->last, plane_own(r->t)->rows - 1);
    return false;
}

static bool read_latch(const struct row_reader *r, const struct yaml_node *n, struct row_class *c) {
    static const char *const others[] = {"range", "row", "value", "use", "scratch"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct yaml_node *other = target_node_find(n, others[i]);
        if (other)
            return row_error(r, other->key_at, n,
                             "a latch is one bit per lane beside the array: no row, no use");
    }
    c->step = 1;
    c->latch = c->compute = c->scratch = true;
    c->value = -1;
    return true;
}

static bool read_rows(const struct row_reader *r, const struct yaml_node *n, const char *path,
                      struct row_class *c) {
    const struct yaml_node *range = target_node_find(n, "range"), *row = target_node_find(n, "row");
    uint64_t number;
    if (!range == !row)
        return row_error(r, range ? range->key_at : n->key_at, n,
                         "a row class has either 'range' or 'row', or is a 'latch'");
    if (range)
        return read_range(r, range, path, c);
    if (!target_number(r->x, row, path, 0, plane_own(r->t)->rows - 1, &number))
        return false;
    c->first = c->last = (uint32_t)number;
    c->step = 1;
    return true;
}

/* Without `use` a class may hold both; place_registers decides. */
static bool read_use(const struct row_reader *r, const struct yaml_node *n, const char *path,
                     struct row_class *c) {
    static const char *const names[] = {"registers", "scratch", "compute"};
    const struct yaml_node *value = target_node_find(n, "value"), *use = target_node_find(n, "use");
    uint64_t number = 0;
    if (value && !target_number(r->x, value, path, 0, 1, &number))
        return false;
    c->value = value ? (int8_t)number : -1;
    if (value && use)
        return row_error(r, use->key_at, n, "a constant row has no other use");
    const char *text = !use ? "" : use->kind == NODE_SCALAR ? use->text : "?";
    c->registers = !value && (!use || strcmp(text, "registers") == 0);
    c->compute = strcmp(text, "compute") == 0;
    c->scratch = !value && (!use || c->compute || strcmp(text, "scratch") == 0);
    if (!use || c->registers || c->scratch)
        return true;
    row_error(r, use->at, n, "expected use: registers, scratch or compute");
    diag_suggest(r->x->diag, use->at, text, names, 3);
    return false;
}

/* Two classes that do not go together: told where the target's own file has one of them. */
static bool report_two(const struct row_reader *r, const struct yaml_node *n,
                       const struct yaml_node *other, const char *text) {
    bool own = n->key_at.source == r->x->root->at.source;
    row_error(r, own ? n->key_at : other->key_at, own ? n : other, text);
    diag_note(r->x->diag, own ? other->key_at : n->key_at, "the other one");
    return false;
}

static bool claim(const struct row_reader *r, const struct yaml_node *n,
                  const struct row_class *c) {
    for (uint64_t row = c->first; row <= c->last; row += c->step) {
        if (r->taken[row])
            return report_two(r, n, r->nodes[r->taken[row] - 1],
                              arena_printf(r->x->arena, "row %llu belongs to two classes",
                                           (unsigned long long)row));
        r->taken[row] = (uint8_t)(c - r->list + 1);
    }
    return true;
}

bool technology_is_word(const char *s) {
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
    n += n ? strspn(s + n, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") : 0;
    return n > 0 && s[n] == '\0';
}

bool technology_check_name(struct target_text *x, const struct yaml_node *n, const char *what) {
    static const char *const meant[] = {"buffer", "C", "M", "valid", "here"};
    bool word = technology_is_word(n->key), reserved = false;
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        reserved |= strcmp(n->key, meant[i]) == 0;
    if (word && !reserved)
        return true;
    diag_error(x->diag, n->key_at,
               word ? "'%s' means something else in conditions: %s cannot have this name"
                    : "'%s': the name of %s is a word",
               n->key, what);
    return false;
}

static bool read_class(const struct row_reader *r, const struct yaml_node *n, struct row_class *c) {
    static const char *const known[] = {"range", "row", "value", "use", "latch", "scratch"};
    const char *path = arena_printf(r->x->arena, "rows.%s", n->key);
    bool latch = false;
    c->name = n->key;
    if (!technology_check_name(r->x, n, "a class of rows"))
        return false;
    if (n->kind != NODE_MAP)
        return row_error(r, n->at, n, "expected a block of keys");
    if (!target_check_keys(r->x, n, "a row class", known, sizeof known / sizeof known[0]) ||
        !target_flag(r->x, target_node_find(n, "latch"), path, &latch))
        return false;
    if (latch)
        return read_latch(r, n, c);
    return read_rows(r, n, path, c) && read_use(r, n, path, c) && claim(r, n, c);
}

/* --- which rows hold what --- */

/* The first class that is for registers alone, else the largest that may hold them. */
static int find_register_class(const struct row_reader *r) {
    int best = -1;
    for (uint32_t i = 0; i < plane_own(r->t)->row_class_count; i++) {
        const struct row_class *c = &r->list[i];
        if (c->registers && !c->scratch)
            return (int)i;
        if (c->registers && (best < 0 || row_class_rows(c) > row_class_rows(&r->list[best])))
            best = (int)i;
    }
    return best;
}

/* How many rows of a class that holds registers and scratch are scratch where the file does not
 * say: what 64-bit instructions need (a signed division keeps four values of a register's width,
 * masking by selection a fifth), but never more than a third. */
static uint32_t default_scratch(const struct target *t, uint32_t rows) {
    uint32_t wanted = 32 + 5 * ((63 + plane_target(t)->sections) / plane_target(t)->sections);
    return wanted < rows / 3 ? wanted : rows / 3;
}

static bool share_rows(const struct row_reader *r, struct row_class *c, const struct yaml_node *n) {
    const struct yaml_node *scratch = target_node_find(n, "scratch");
    uint32_t rows = row_class_rows(c);
    uint64_t number = c->scratch ? default_scratch(r->t, rows) : 0;
    bool fine = !scratch || c->scratch ||
                row_error(r, scratch->key_at, n, "use: registers leaves no row for scratch");
    if (!fine || (scratch && !target_number(r->x, scratch,
                                            arena_printf(r->x->arena, "rows.%s.scratch", n->key), 0,
                                            rows - 1, &number)))
        return false;
    c->scratch_rows = (uint32_t)number;
    c->scratch = number > 0;
    plane_own(r->t)->register_rows = rows - (uint32_t)number;
    return true;
}

static bool scratch_only(const struct row_reader *r, struct row_class *c,
                         const struct yaml_node *n) {
    const struct yaml_node *scratch = target_node_find(n, "scratch");
    if (scratch)
        return row_error(r, scratch->key_at, n,
                         "only the class that holds registers too shares its rows out");
    if (c->registers && !c->scratch)
        return report_two(r, n, r->nodes[plane_own(r->t)->register_class],
                          "registers lie in one class of rows, and two say that they hold them");
    c->registers = false;
    c->scratch_rows = c->scratch ? row_class_rows(c) : 0;
    return true;
}

static bool place_registers(const struct row_reader *r) {
    struct target *t = r->t;
    int registers = find_register_class(r);
    if (registers < 0 && t->kind == &technology_target_kind) {
        const struct yaml_node *rows = target_node_find(r->x->root, "rows");
        diag_error(r->x->diag, rows->key_at, "no class of rows holds registers");
        return false;
    }
    plane_own(t)->register_class = registers < 0 ? 0 : (uint32_t)registers;
    for (uint32_t i = 0; i < plane_own(t)->row_class_count; i++) {
        struct row_class *c = &r->list[i];
        bool own = (int)i == registers;
        if (!(own ? share_rows : scratch_only)(r, c, r->nodes[i]))
            return false;
        c->first_scratch = plane_own(t)->scratch_rows;
        plane_own(t)->scratch_rows += c->scratch_rows;
    }
    return true;
}

static bool read_classes(const struct row_reader *r, const struct yaml_node *rows) {
    for (const struct yaml_node *n = rows->first; n; n = n->next) {
        uint32_t i = plane_own(r->t)->row_class_count;
        if (i == MAX_CLASSES) {
            diag_error(r->x->diag, n->key_at, "more than %d row classes", MAX_CLASSES);
            return false;
        }
        r->nodes[i] = n;
        plane_own(r->t)->row_class_count++;
        if (!read_class(r, n, &r->list[i]))
            return false;
    }
    return true;
}

int technology_row_named(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (row_class_rows(&plane_target(t)->row_classes[i]) == 1 &&
            strcmp(plane_target(t)->row_classes[i].name, name) == 0)
            return (int)i;
    return -1;
}

uint32_t technology_rows_there(const struct target *t) {
    return row_class_rows(&plane_target(t)->row_classes[plane_target(t)->register_class]);
}

uint32_t technology_state_rows(const struct target *t) {
    int own = (int)plane_target(t)->register_class;
    return 0U + (plane_target(t)->class_of_c == own) + (plane_target(t)->class_of_m == own) +
           (plane_target(t)->class_of_valid == own);
}

bool technology_check_capacity(struct target_text *x, const struct target *t) {
    if (t->kind != &technology_target_kind ||
        plane_target(t)->register_rows > technology_state_rows(t))
        return true;
    const struct row_class *c = &plane_target(t)->row_classes[plane_target(t)->register_class];
    const struct yaml_node *n = target_node_find(target_node_find(x->root, "rows"), c->name);
    diag_error(
        x->diag, n->key_at,
        "rows.%s: no row is left for registers: %u of %u are scratch, and C, M and the valid "
        "lanes take a row each where no 'where' says otherwise",
        c->name, row_class_rows(c) - plane_target(t)->register_rows, row_class_rows(c));
    return false;
}

bool technology_rows_fill(struct target_text *x, struct target *t) {
    const struct yaml_node *rows = target_node_find(x->root, "rows"), *nodes[MAX_CLASSES];
    if (!rows)
        return true;
    struct row_reader r = {.x = x, .t = t, .nodes = nodes, .taken = xcalloc(plane_own(t)->rows, 1)};
    plane_own(t)->row_classes = r.list = ARENA_ARRAY(x->arena, MAX_CLASSES, struct row_class);
    bool fine = read_classes(&r, rows) && place_registers(&r);
    free(r.taken);
    return fine;
}
