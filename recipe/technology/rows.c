/* SPDX-License-Identifier: MIT
 * The row classes of a target file. */
#include "recipe/technology/read_plane.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CLASSES           64
#define MOST_REGISTER_CLASSES 4
#define MOST_APART            16 /* rows of a class that conditions tell apart */

/* What is being read; `taken` has 1 + the class that has it for each row. */
struct row_reader {
    struct target_text *x;
    struct target *t;
    struct row_class *list;
    const struct yaml_node **nodes;
    uint8_t *taken;
    bool by_number; /* some condition speaks of row(x) */
};

static bool row_error(const struct row_reader *reader, struct span at, const struct yaml_node *node,
                      const char *text) {
    diag_error(reader->x->diag, at, "rows.%s: %s", node->key, text);
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
static bool parse_range(const char *text, struct row_class *class) {
    class->step = 1;
    if (!take_number(&text, &class->first) || strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (!take_number(&text, &class->last))
        return false;
    if (*text == ':') {
        text++;
        if (!take_number(&text, &class->step))
            return false;
    }
    return *text == '\0' && class->step > 0 && class->first <= class->last;
}

static bool read_range(const struct row_reader *reader, const struct yaml_node *range,
                       const char *path, struct row_class *class) {
    if (range->kind != NODE_SCALAR || !parse_range(range->text, class)) {
        target_error(reader->x, range, path, "expected a range like 0..63 or 1..63:2");
        return false;
    }
    if (class->last < plane_own(reader->t)->rows)
        return true;
    target_error(reader->x, range, path, "row %u lies outside of the array, which has rows 0 .. %u",
                 class->last, plane_own(reader->t)->rows - 1);
    return false;
}

static bool read_latch(const struct row_reader *reader, const struct yaml_node *node,
                       struct row_class *class) {
    static const char *const others[] = {"range", "row", "value", "use", "scratch"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct yaml_node *other = target_node_find(node, others[i]);
        if (other)
            return row_error(reader, other->key_at, node,
                             "a latch is one bit per lane beside the array: no row, no use");
    }
    class->step = 1;
    class->latch = class->compute = class->scratch = true;
    class->value = -1;
    return true;
}

static bool read_rows(const struct row_reader *reader, const struct yaml_node *node,
                      const char *path, struct row_class *class) {
    const struct yaml_node *range = target_node_find(node, "range"),
                           *row = target_node_find(node, "row");
    uint64_t number;
    if (!range == !row)
        return row_error(reader, range ? range->key_at : node->key_at, node,
                         "a row class has either 'range' or 'row', or is a 'latch'");
    if (range)
        return read_range(reader, range, path, class);
    if (!target_number(reader->x, row, path, 0, plane_own(reader->t)->rows - 1, &number))
        return false;
    class->first = class->last = (uint32_t)number;
    class->step = 1;
    return true;
}

/* Without `use` a class may hold both; place_registers decides. */
static bool read_use(const struct row_reader *reader, const struct yaml_node *node,
                     const char *path, struct row_class *class) {
    static const char *const names[] = {"registers", "scratch", "compute"};
    const struct yaml_node *value = target_node_find(node, "value"),
                           *use = target_node_find(node, "use");
    uint64_t number = 0;
    if (value && !target_number(reader->x, value, path, 0, 1, &number))
        return false;
    class->value = value ? (int8_t)number : -1;
    if (value && use)
        return row_error(reader, use->key_at, node, "a constant row has no other use");
    const char *text = !use ? "" : use->kind == NODE_SCALAR ? use->text : "?";
    class->registers = !value && (!use || strcmp(text, "registers") == 0);
    class->compute = strcmp(text, "compute") == 0;
    class->scratch = !value && (!use || class->compute || strcmp(text, "scratch") == 0);
    if (!use || class->registers || class->scratch)
        return true;
    row_error(reader, use->at, node, "expected use: registers, scratch or compute");
    diag_suggest(reader->x->diag, use->at, text, names, 3);
    return false;
}

/* Two classes that do not go together: told where the target's own file has one of them. */
static bool report_two(const struct row_reader *reader, const struct yaml_node *node,
                       const struct yaml_node *other, const char *text) {
    bool own = node->key_at.source == reader->x->root->at.source;
    row_error(reader, own ? node->key_at : other->key_at, own ? node : other, text);
    diag_note(reader->x->diag, own ? other->key_at : node->key_at, "the other one");
    return false;
}

static bool claim(const struct row_reader *reader, const struct yaml_node *node,
                  const struct row_class *class) {
    for (uint64_t row = class->first; row <= class->last; row += class->step) {
        if (reader->taken[row])
            return report_two(reader, node, reader->nodes[reader->taken[row] - 1],
                              arena_printf(reader->x->arena, "row %llu belongs to two classes",
                                           (unsigned long long)row));
        reader->taken[row] = (uint8_t)(class - reader->list + 1);
    }
    return true;
}

bool technology_is_word(const char *text) {
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
    n +=
        n ? strspn(text + n, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") : 0;
    return n > 0 && text[n] == '\0';
}

bool technology_check_name(struct target_text *text, const struct yaml_node *node,
                           const char *what) {
    static const char *const meant[] = {"buffer", "C", "M", "valid", "here"};
    bool word = technology_is_word(node->key), reserved = false;
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        reserved |= strcmp(node->key, meant[i]) == 0;
    if (word && !reserved)
        return true;
    diag_error(text->diag, node->key_at,
               word ? "'%s' means something else in conditions: %s cannot have this name"
                    : "'%s': the name of %s is a word",
               node->key, what);
    return false;
}

static bool read_class(const struct row_reader *reader, const struct yaml_node *node,
                       struct row_class *class) {
    static const char *const known[] = {"range", "row", "value", "use", "latch", "scratch"};
    const char *path = arena_printf(reader->x->arena, "rows.%s", node->key);
    bool latch = false;
    class->name = node->key;
    class->at = node->key_at;
    if (!technology_check_name(reader->x, node, "a class of rows"))
        return false;
    if (node->kind != NODE_MAP)
        return row_error(reader, node->at, node, "expected a block of keys");
    if (!target_check_keys(reader->x, node, "a row class", known, sizeof known / sizeof known[0]) ||
        !target_flag(reader->x, target_node_find(node, "latch"), path, &latch))
        return false;
    if (latch)
        return read_latch(reader, node, class);
    return read_rows(reader, node, path, class) && read_use(reader, node, path, class) &&
           claim(reader, node, class);
}

/* --- which rows hold what --- */

/* The first class that is for registers alone, else the largest that may hold them. */
static int find_register_class(const struct row_reader *reader) {
    int best = -1;
    for (uint32_t i = 0; i < plane_own(reader->t)->row_class_count; i++) {
        const struct row_class *c = &reader->list[i];
        if (c->registers && !c->scratch)
            return (int)i;
        if (c->registers && (best < 0 || row_class_rows(c) > row_class_rows(&reader->list[best])))
            best = (int)i;
    }
    return best;
}

/* How many rows of a class that holds registers and scratch are scratch where the file does not
 * say: what 64-bit instructions need (a signed division keeps four values of a register's width,
 * masking by selection a fifth), but never more than a third. */
static uint32_t default_scratch(const struct target *target, uint32_t rows) {
    uint32_t wanted =
        32 + 5 * ((63 + plane_target(target)->sections) / plane_target(target)->sections);
    return wanted < rows / 3 ? wanted : rows / 3;
}

static bool share_rows(const struct row_reader *reader, struct row_class *class,
                       const struct yaml_node *node) {
    const struct yaml_node *scratch = target_node_find(node, "scratch");
    uint32_t rows = row_class_rows(class);
    uint64_t number = class->scratch ? default_scratch(reader->t, rows) : 0;
    bool fine =
        !scratch || class->scratch ||
        row_error(reader, scratch->key_at, node, "use: registers leaves no row for scratch");
    if (!fine ||
        (scratch && !target_number(reader->x, scratch,
                                   arena_printf(reader->x->arena, "rows.%s.scratch", node->key), 0,
                                   rows - 1, &number)))
        return false;
    class->scratch_rows = (uint32_t)number;
    class->scratch = number > 0;
    plane_own(reader->t)->register_rows += rows - (uint32_t)number;
    return true;
}

/* True if some micro-op is a command that activates rows. */
static bool activates(const struct target_text *text) {
    const struct yaml_node *ops = target_node_find(text->root, "ops");
    for (const struct yaml_node *n = ops ? ops->first : NULL; n; n = n->next)
        if (n->kind == NODE_MAP && target_node_find(n, "activate"))
            return true;
    return false;
}

/* Another class for registers alone, behind those that there are. */
static bool add_registers(const struct row_reader *reader, struct row_class *class,
                          const struct yaml_node *node) {
    struct row_class *last = &reader->list[plane_own(reader->t)->register_class];
    unsigned classes = 2;
    for (; last->more_registers; classes++)
        last = &reader->list[last->more_registers];
    if (activates(reader->x))
        return report_two(reader, node, reader->nodes[plane_own(reader->t)->register_class],
                          "registers of a machine that activates rows lie in one class of rows, "
                          "and two say that they hold them");
    if (classes > MOST_REGISTER_CLASSES)
        return row_error(reader, node->key_at, node, "more than 4 classes of rows hold registers");
    last->more_registers = (uint32_t)(class - reader->list);
    plane_own(reader->t)->register_rows += row_class_rows(class);
    return true;
}

static bool scratch_only(const struct row_reader *reader, struct row_class *class,
                         const struct yaml_node *node) {
    const struct yaml_node *scratch = target_node_find(node, "scratch");
    if (scratch)
        return row_error(reader, scratch->key_at, node,
                         "only the class that holds registers too shares its rows out");
    if (class->registers && !class->scratch)
        return add_registers(reader, class, node);
    class->registers = false;
    class->scratch_rows = class->scratch ? row_class_rows(class) : 0;
    return true;
}

static bool place_registers(const struct row_reader *reader) {
    struct target *t = reader->t;
    int registers = find_register_class(reader);
    if (registers < 0 && t->kind == &technology_target_kind) {
        const struct yaml_node *rows = target_node_find(reader->x->root, "rows");
        diag_error(reader->x->diag, rows->key_at, "no class of rows holds registers");
        return false;
    }
    plane_own(t)->register_class = registers < 0 ? 0 : (uint32_t)registers;
    for (uint32_t i = 0; i < plane_own(t)->row_class_count; i++) {
        struct row_class *c = &reader->list[i];
        bool own = (int)i == registers;
        if (!(own ? share_rows : scratch_only)(reader, c, reader->nodes[i]))
            return false;
        c->first_scratch = plane_own(t)->scratch_rows;
        plane_own(t)->scratch_rows += c->scratch_rows;
    }
    return true;
}

/* Does a micro-op's `where` ask for the number of a row? */
static bool asks_for_rows(const struct target_text *text) {
    const struct yaml_node *ops = target_node_find(text->root, "ops");
    for (const struct yaml_node *n = ops ? ops->first : NULL; n; n = n->next) {
        const struct yaml_node *where = n->kind == NODE_MAP ? target_node_find(n, "where") : NULL;
        if (where && where->kind == NODE_SCALAR && strstr(where->text, "row("))
            return true;
    }
    return false;
}

/* Takes the next class; false after reporting that there is none. */
static bool add_class(const struct row_reader *reader, const struct yaml_node *node) {
    uint32_t i = plane_own(reader->t)->row_class_count;
    if (i == MAX_CLASSES) {
        diag_error(reader->x->diag, node->key_at, "more than %d row classes", MAX_CLASSES);
        return false;
    }
    reader->nodes[i] = node;
    plane_own(reader->t)->row_class_count++;
    return true;
}

/* Makes a class of each row of the last one, which is the first of them. */
static bool take_apart(const struct row_reader *reader, const struct yaml_node *node) {
    uint32_t first = plane_own(reader->t)->row_class_count - 1;
    const struct row_class all = reader->list[first];
    uint32_t rows = row_class_rows(&all);
    if (rows > MOST_APART)
        return row_error(reader, node->key_at, node,
                         "conditions that ask for row(x) tell at most 16 rows for computing apart");
    for (uint32_t i = 0; i < rows; i++) {
        if (i > 0 && !add_class(reader, node))
            return false;
        struct row_class *c = &reader->list[first + i];
        *c = all;
        c->name = arena_printf(reader->x->arena, "%s%u", all.name, i);
        c->family = first;
        c->first = c->last = all.first + i * all.step;
        c->step = 1;
    }
    return true;
}

/* A row that got its name from its class and number must not be another's. */
static bool names_are_apart(const struct row_reader *reader) {
    for (uint32_t i = 0; i < plane_own(reader->t)->row_class_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(reader->list[i].name, reader->list[k].name) == 0)
                return report_two(reader, reader->nodes[i], reader->nodes[k],
                                  arena_printf(reader->x->arena, "two rows are called '%s'",
                                               reader->list[i].name));
    return true;
}

static bool read_classes(const struct row_reader *reader, const struct yaml_node *rows) {
    for (const struct yaml_node *n = rows->first; n; n = n->next) {
        uint32_t i = plane_own(reader->t)->row_class_count;
        if (!add_class(reader, n))
            return false;
        struct row_class *c = &reader->list[i];
        if (!read_class(reader, n, c))
            return false;
        c->family = i;
        c->family_name = c->name;
        c->place = target_text_place(reader->x, n->key_at);
        if (reader->by_number && c->compute && !c->latch && row_class_rows(c) > 1 &&
            !take_apart(reader, n))
            return false;
    }
    return names_are_apart(reader);
}

int technology_row_named(const struct target *target, const char *name) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        if (row_class_rows(&plane_target(target)->row_classes[i]) == 1 &&
            strcmp(plane_target(target)->row_classes[i].name, name) == 0)
            return (int)i;
    return -1;
}

uint32_t technology_rows_there(const struct target *target) {
    const struct plane_target *plane = plane_target(target);
    uint32_t rows = 0, class = plane->register_class;
    do {
        rows += row_class_rows(&plane->row_classes[class]);
        class = plane->row_classes[class].more_registers;
    } while (class);
    return rows;
}

uint32_t technology_state_rows(const struct target *target) {
    int own = (int)plane_target(target)->register_class;
    return 0U + (plane_target(target)->class_of_c == own) +
           (plane_target(target)->class_of_m == own) +
           (plane_target(target)->class_of_valid == own);
}

bool technology_check_capacity(struct target_text *text, const struct target *target) {
    if (target->kind != &technology_target_kind ||
        plane_target(target)->register_rows > technology_state_rows(target))
        return true;
    const struct row_class *c =
        &plane_target(target)->row_classes[plane_target(target)->register_class];
    const struct yaml_node *n = target_node_find(target_node_find(text->root, "rows"), c->name);
    diag_error(
        text->diag, n->key_at,
        "rows.%s: no row is left for registers: %u of %u are scratch, and C, M and the valid "
        "lanes take a row each where no 'where' says otherwise",
        c->name, technology_rows_there(target) - plane_target(target)->register_rows,
        technology_rows_there(target));
    return false;
}

bool technology_rows_fill(struct target_text *text, struct target *target) {
    const struct yaml_node *rows = target_node_find(text->root, "rows"), *nodes[MAX_CLASSES];
    if (!rows)
        return true;
    struct row_reader r = {.x = text,
                           .t = target,
                           .nodes = nodes,
                           .taken = xcalloc(plane_own(target)->rows, 1),
                           .by_number = asks_for_rows(text)};
    plane_own(target)->row_classes = r.list =
        ARENA_ARRAY(text->arena, MAX_CLASSES, struct row_class);
    bool fine = read_classes(&r, rows) && place_registers(&r);
    free(r.taken);
    return fine;
}
