/* SPDX-License-Identifier: MIT
 * The micro-ops of a target file. */
#include "recipe/target/load.h"
#include "recipe/uop.h"
#include "recipe/target/where.h"

#include "support/str.h"

#include <string.h>

struct op_reader {
    struct target_text *x;
    struct target *t;
    struct target_op *op;
    const struct node *node;
    struct op_names names;
};

static bool op_error(struct op_reader *r, struct span at, const char *text) {
    diag_error(r->x->diag, at, "ops.%s: %s", r->op->name, text);
    return false;
}

static bool check_op_keys(struct op_reader *r) {
    static const char *const known[] = {"in",     "out",  "fn",     "class", "where",
                                        "preset", "time", "energy", "source"};
    for (const struct node *n = r->node->first; n; n = n->next) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found |= strcmp(n->key, known[i]) == 0;
        if (!found) {
            diag_error(r->x->diag, n->key_at, "unknown key '%s' of a micro-op", n->key);
            diag_suggest(r->x->diag, n->key_at, n->key, known, sizeof known / sizeof known[0]);
            return false;
        }
    }
    return true;
}

static bool add_name(struct op_reader *r, const struct node *n, unsigned *count, unsigned max) {
    if (n->kind != NODE_SCALAR || !*n->text)
        return op_error(r, n->at, "expected the name of an operand");
    if (*count == max)
        return op_error(r, n->at, "at most 5 sources and 6 destinations");
    for (unsigned i = 0; i < r->names.nsrc + r->names.ndst; i++)
        if (strcmp(r->names.names[i], n->text) == 0)
            return op_error(r, n->at, "two operands of one name");
    r->names.names[r->names.nsrc + r->names.ndst] = n->text;
    ++*count;
    return true;
}

/* A name or a list of names. */
static bool read_names(struct op_reader *r, const struct node *n, unsigned *count, unsigned max) {
    if (n->kind != NODE_LIST)
        return add_name(r, n, count, max);
    for (const struct node *i = n->first; i; i = i->next)
        if (!add_name(r, i, count, max))
            return false;
    return true;
}

static bool read_operands(struct op_reader *r) {
    const struct node *in = node_find(r->node, "in"), *out = node_find(r->node, "out");
    if (in && !read_names(r, in, &r->names.nsrc, OP_MAX_SOURCES))
        return false;
    if (!out)
        return op_error(r, r->node->key_at, "'out' is missing");
    if (!read_names(r, out, &r->names.ndst, OP_MAX_DESTS))
        return false;
    r->op->nsrc = (uint8_t)r->names.nsrc;
    r->op->ndst = (uint8_t)r->names.ndst;
    return r->op->ndst > 0 || op_error(r, out->at, "a micro-op has a destination");
}

static void start(struct op_reader *r, struct parser *p, const struct node *n) {
    parser_start(p, n->text, strlen(n->text), n->overridden ? NO_SPAN : n->at, n->exact,
                 r->x->arena, r->x->diag);
}

static bool read_fn(struct op_reader *r, const struct node *n, unsigned dest) {
    struct parser p;
    if (!n || n->kind != NODE_SCALAR)
        return op_error(r, n ? n->at : r->node->key_at,
                        "'fn' must be an expression, or with "
                        "several outputs a map of them");
    start(r, &p, n);
    return fn_compile(&p, &r->names, dest, &r->op->truth[dest], &r->op->reads_old);
}

static bool read_fns(struct op_reader *r) {
    const struct node *fn = node_find(r->node, "fn");
    if (!fn || fn->kind != NODE_MAP)
        return r->names.ndst == 1 ? read_fn(r, fn, 0)
                                  : op_error(r, fn ? fn->at : r->node->key_at,
                                             "'fn' must be a map with one expression an output");
    for (unsigned d = 0; d < r->names.ndst; d++)
        if (!read_fn(r, node_find(fn, r->names.names[r->names.nsrc + d]), d))
            return false;
    return true;
}

/* A function that ignores the old value is extended, so that all tables of an op are read alike. */
static void widen_truths(struct target_op *op) {
    for (unsigned d = 0; op->reads_old && d < op->ndst; d++)
        if (!(op->truth[d] >> (1u << op->nsrc)))
            op->truth[d] |= op->truth[d] << (1u << op->nsrc);
}

static bool read_class(struct op_reader *r) {
    static const char *const names[] = {"logic", "copy", "crossing"};
    const struct node *n = node_find(r->node, "class");
    if (!n)
        return true;
    for (int i = 0; n->kind == NODE_SCALAR && i < 3; i++)
        if (strcmp(n->text, names[i]) == 0) {
            r->op->class = (enum op_class)i;
            return true;
        }
    op_error(r, n->at, "expected class logic, copy or crossing");
    if (n->kind == NODE_SCALAR)
        diag_suggest(r->x->diag, n->at, n->text, names, 3);
    return false;
}

static bool read_where(struct op_reader *r) {
    const struct node *n = node_find(r->node, "where");
    if (!n)
        return true;
    if (n->kind != NODE_SCALAR)
        return op_error(r, n->at, "'where' is an expression");
    struct parser p;
    start(r, &p, n);
    r->op->where = where_compile(&p, &r->names, r->t->row_classes, r->t->row_class_count);
    return r->op->where != NULL;
}

/* included, none, or a map { destination: value, by: OP }, which resolve_presets reads. */
static bool read_preset(struct op_reader *r) {
    const struct node *n = node_find(r->node, "preset");
    if (!n || n->kind == NODE_MAP ||
        (n->kind == NODE_SCALAR &&
         (strcmp(n->text, "included") == 0 || strcmp(n->text, "none") == 0)))
        return true;
    return op_error(r, n->at, "expected preset included, none, or { d: 0, by: OP }");
}

/* An op without sources whose result is the constant. */
static bool is_setter(const struct target_op *op, uint64_t value) {
    return op->nsrc == 0 && op->ndst == 1 && !op->reads_old && op->truth[0] == value;
}

static bool resolve_preset(struct op_reader *r, const struct node *preset, const char *dest) {
    const struct node *value = node_find(preset, dest), *by = node_find(preset, "by");
    const char *path = arena_printf(r->x->arena, "ops.%s.preset", r->op->name);
    const char *known[TARGET_MAX_OPS];
    uint64_t number;
    if (!value || !by || by->kind != NODE_SCALAR || r->op->ndst != 1)
        return op_error(r, preset->at, "expected preset included, none, or { d: 0, by: OP }");
    if (!target_number(r->x, value, path, 0, 1, &number))
        return false;
    for (uint32_t i = 0; i < r->t->op_count; i++) {
        known[i] = r->t->ops[i].name;
        if (strcmp(known[i], by->text) == 0 && is_setter(&r->t->ops[i], number)) {
            r->op->preset = (uint8_t)(i + 1);
            return true;
        }
    }
    op_error(r, by->at, "no micro-op of that name sets its destination to this value");
    diag_suggest(r->x->diag, by->at, by->text, known, r->t->op_count);
    return false;
}

/* When all ops are known. */
static bool resolve_presets(struct target_text *x, struct target *t, struct target_op *list,
                            const struct node *ops) {
    uint32_t i = 0;
    for (const struct node *n = ops->first; n; n = n->next, i++) {
        struct op_reader r = {.x = x, .t = t, .op = &list[i], .node = n};
        const struct node *preset = node_find(n, "preset"), *out = node_find(n, "out");
        while (out && out->kind == NODE_LIST)
            out = out->first;
        if (preset && preset->kind == NODE_MAP && !resolve_preset(&r, preset, out ? out->text : ""))
            return false;
    }
    return true;
}

struct named_values {
    const struct node *block;
};

static bool lookup_value(const void *context, const char *name, int64_t *value) {
    const struct named_values *v = context;
    const struct node *n = v->block ? node_find(v->block, name) : NULL;
    uint64_t number;
    if (!n || n->kind != NODE_SCALAR || !parse_u64(n->text, strlen(n->text), &number) ||
        number > INT64_MAX)
        return false;
    *value = (int64_t)number;
    return true;
}

/* `key` of the op, in the named values of the block of the same name. */
static bool read_quantity(struct op_reader *r, const char *key, uint64_t *value) {
    const struct node *n = node_find(r->node, key);
    struct named_values v = {node_find(r->x->root, key)};
    if (!n)
        return true;
    if (n->kind != NODE_SCALAR)
        return op_error(r, n->at, "expected a number or an expression of named values");
    const char *known[64];
    size_t count = 0;
    for (const struct node *i = v.block ? v.block->first : NULL; i && count < 64; i = i->next)
        known[count++] = i->key;
    struct parser p;
    start(r, &p, n);
    return quantity_eval(&p, lookup_value, &v, known, count, value);
}

static bool read_op(struct op_reader *r) {
    if (r->node->kind != NODE_MAP)
        return op_error(r, r->node->at, "expected a block of keys");
    if (!check_op_keys(r) || !read_operands(r) || !read_fns(r) || !read_class(r) ||
        !read_where(r) || !read_preset(r) || !read_quantity(r, "time", &r->op->time_ps))
        return false;
    widen_truths(r->op);
    if (!node_find(r->node, "energy"))
        return op_error(r, r->node->key_at, "'energy' is missing");
    return read_quantity(r, "energy", &r->op->energy_fj);
}

/* Numbers under time and energy, whose names are the file's own. */
static bool check_values(struct target_text *x, const char *key, struct target *t) {
    const struct node *block = node_find(x->root, key);
    for (const struct node *n = block ? block->first : NULL; n; n = n->next) {
        const char *path = arena_printf(x->arena, "%s.%s", key, n->key);
        uint64_t value;
        if (strcmp(path, "energy.per") == 0) {
            t->energy_per_lane = n->text && strcmp(n->text, "lane") == 0;
            if (t->energy_per_lane || (n->text && strcmp(n->text, "array") == 0))
                continue;
            target_error(x, n, path, "expected array or lane");
            return false;
        }
        if (!target_number(x, n, path, 0, (uint64_t)1 << 40, &value))
            return false;
    }
    return true;
}

static bool is_word(const char *s) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    return strspn(s, letters) > 0 &&
           s[strspn(s, letters) +
             strspn(s + strspn(s, letters),
                    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")] == '\0';
}

bool target_ops_fill(struct target_text *x, struct target *t) {
    const struct node *ops = node_find(x->root, "ops");
    if (!ops)
        return true;
    struct target_op *list = ARENA_ARRAY(x->arena, TARGET_MAX_OPS, struct target_op);
    bool fine = check_values(x, "time", t) && check_values(x, "energy", t);
    for (const struct node *n = ops->first; n && fine; n = n->next) {
        if (t->op_count == TARGET_MAX_OPS || !is_word(n->key)) {
            diag_error(x->diag, n->key_at,
                       is_word(n->key) ? "more than %d micro-ops"
                                       : "the name of a micro-op is a word (at most %d of them)",
                       TARGET_MAX_OPS);
            return false;
        }
        struct target_op *op = &list[t->op_count++];
        *op = (struct target_op){.name = n->key, .span = n->key_at};
        struct op_reader r = {.x = x, .t = t, .op = op, .node = n};
        fine = read_op(&r);
    }
    t->ops = list;
    return fine && resolve_presets(x, t, list, ops);
}
