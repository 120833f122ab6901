/* SPDX-License-Identifier: MIT
 * The micro-ops of a target file. */
#include "recipe/technology/read_plane.h"
#include "recipe/set/uop.h"
#include "recipe/technology/where.h"

#include "support/str.h"

#include <string.h>

struct op_reader {
    struct target_text *x;
    struct target *t;
    struct target_op *op;
    const struct yaml_node *node;
    struct op_names names;
    unsigned rows; /* that a command opens; 0: it is none */
};

static bool op_error(struct op_reader *reader, struct span at, const char *text) {
    diag_error(reader->x->diag, at, "ops.%s: %s", reader->op->name, text);
    return false;
}

static bool check_op_keys(struct op_reader *reader) {
    static const char *const known[] = {"in",     "out",  "fn",     "class",   "where",
                                        "preset", "time", "energy", "activate"};
    return target_check_keys(reader->x, reader->node, "a micro-op", known,
                             sizeof known / sizeof known[0]);
}

/* --- operands --- */

/* An operand that has the name of a class of rows is always its one row. */
static bool fix_operand(struct op_reader *reader, const struct yaml_node *node, unsigned operand) {
    static const char *const meant[] = {"buffer", "C", "M", "valid", "here"};
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        if (strcmp(node->text, meant[i]) == 0)
            return op_error(reader, node->at,
                            "no operand can have this name: give it another one and say "
                            "where it lies, like where: \"class(x) == M\"");
    for (uint32_t i = 0; i < plane_own(reader->t)->row_class_count; i++) {
        const struct row_class *c = &plane_own(reader->t)->row_classes[i];
        if (strcmp(c->name, node->text) != 0)
            continue;
        if (row_class_rows(c) != 1)
            return op_error(reader, node->at,
                            "this class has several rows; an operand is fixed by the "
                            "name of a class of one row");
        if (operand >= reader->names.nsrc && c->value >= 0)
            return op_error(reader, node->at, "a constant row cannot be written");
        reader->op->fixed[operand] = (uint8_t)(i + 1);
    }
    return true;
}

static bool check_operand(struct op_reader *reader, const struct yaml_node *node, unsigned begin,
                          unsigned end, unsigned max) {
    if (node->kind != NODE_SCALAR || !technology_is_word(node->text))
        return op_error(reader, node->at, "expected the name of an operand, which is a word");
    if (end - begin == max)
        return op_error(reader, node->at, "at most 5 sources and 6 destinations");
    for (unsigned i = begin; i < end; i++)
        if (strcmp(reader->names.names[i], node->text) == 0)
            return op_error(reader, node->at, "two operands of one name");
    return true;
}

static bool add_source(struct op_reader *reader, const struct yaml_node *node) {
    unsigned at = reader->names.nsrc;
    if (!check_operand(reader, node, 0, at, OP_MAX_SOURCES))
        return false;
    reader->names.names[reader->names.nsrc++] = node->text;
    reader->op->nsrc++;
    return fix_operand(reader, node, at);
}

/* A name that is a source, too, is one place: its value is replaced. */
static bool add_dest(struct op_reader *reader, const struct yaml_node *node) {
    unsigned nsrc = reader->names.nsrc, at = nsrc + reader->names.ndst;
    if (!check_operand(reader, node, nsrc, at, OP_MAX_DESTS))
        return false;
    for (unsigned i = 0; i < nsrc; i++)
        if (strcmp(reader->names.names[i], node->text) == 0)
            reader->op->tied[at - nsrc] = (uint8_t)(i + 1);
    reader->names.names[at] = node->text;
    reader->names.ndst++;
    reader->op->ndst++;
    return fix_operand(reader, node, at);
}

/* A name or a list of names. */
static bool read_names(struct op_reader *reader, const struct yaml_node *node,
                       bool (*add)(struct op_reader *, const struct yaml_node *)) {
    if (node->kind != NODE_LIST)
        return add(reader, node);
    for (const struct yaml_node *i = node->first; i; i = i->next)
        if (!add(reader, i))
            return false;
    return true;
}

static bool read_operands(struct op_reader *reader) {
    const struct yaml_node *in = target_node_find(reader->node, "in"),
                           *out = target_node_find(reader->node, "out");
    if (in && !read_names(reader, in, add_source))
        return false;
    if (!out)
        return op_error(reader, reader->node->key_at, "'out' is missing");
    return read_names(reader, out, add_dest) &&
           (reader->op->ndst > 0 || op_error(reader, out->at, "a micro-op has a destination"));
}

/* --- functions --- */

static void start(struct op_reader *reader, struct notation_parser *parser,
                  const struct yaml_node *node) {
    notation_start(parser, node->text, strlen(node->text), node->overridden ? NO_SPAN : node->at,
                   node->exact, reader->x->arena, reader->x->diag);
}

static bool read_fn(struct op_reader *reader, const struct yaml_node *node, unsigned dest) {
    struct notation_parser p;
    if (node->kind != NODE_SCALAR)
        return op_error(reader, node->at,
                        "'fn' is an expression, or a map with one for each output");
    start(reader, &p, node);
    return technology_fn_compile(&p, &reader->names, dest, &reader->op->truth[dest],
                                 &reader->op->reads_old);
}

static bool is_output(const struct op_reader *reader, const char *name) {
    for (unsigned d = 0; d < reader->names.ndst; d++)
        if (strcmp(reader->names.names[reader->names.nsrc + d], name) == 0)
            return true;
    return false;
}

static bool read_fn_map(struct op_reader *reader, const struct yaml_node *fn) {
    const char *const *outs = reader->names.names + reader->names.nsrc;
    for (const struct yaml_node *n = fn->first; n; n = n->next)
        if (!is_output(reader, n->key)) {
            op_error(reader, n->key_at, "'fn' names an output that this micro-op does not have");
            diag_suggest(reader->x->diag, n->key_at, n->key, outs, reader->names.ndst);
            return false;
        }
    for (unsigned d = 0; d < reader->names.ndst; d++) {
        const struct yaml_node *n = target_node_find(fn, outs[d]);
        if (!n) {
            diag_error(reader->x->diag, fn->at, "ops.%s: 'fn' has no expression for output '%s'",
                       reader->op->name, outs[d]);
            return false;
        }
        if (!read_fn(reader, n, d))
            return false;
    }
    return true;
}

/* Tables are over the sources alone where no output uses its old value. */
static void cut_truths(struct target_op *op) {
    uint64_t rows = (uint64_t)1 << (1u << op->nsrc);
    for (unsigned d = 0; !op->reads_old && d < op->ndst; d++)
        op->truth[d] &= (uint32_t)(rows - 1);
}

static bool read_fns(struct op_reader *reader) {
    const struct yaml_node *fn = target_node_find(reader->node, "fn");
    if (!fn)
        return op_error(reader, reader->node->key_at, "'fn' is missing");
    bool fine = fn->kind != NODE_MAP || read_fn_map(reader, fn);
    for (unsigned d = 0; fn->kind != NODE_MAP && d < reader->names.ndst && fine; d++)
        fine = read_fn(reader, fn, d);
    cut_truths(reader->op);
    return fine;
}

static bool read_class(struct op_reader *reader) {
    static const char *const names[] = {"logic", "copy", "crossing"};
    const struct yaml_node *n = target_node_find(reader->node, "class");
    if (!n)
        return true;
    for (int i = 0; n->kind == NODE_SCALAR && i < 3; i++)
        if (strcmp(n->text, names[i]) == 0) {
            reader->op->class = (enum op_class)i;
            return true;
        }
    op_error(reader, n->at, "expected class logic, copy or crossing");
    if (n->kind == NODE_SCALAR)
        diag_suggest(reader->x->diag, n->at, n->text, names, 3);
    return false;
}

static bool read_where(struct op_reader *reader) {
    const struct yaml_node *n = target_node_find(reader->node, "where");
    if (!n)
        return true;
    if (n->kind != NODE_SCALAR)
        return op_error(reader, n->at, "'where' is an expression");
    struct notation_parser p;
    start(reader, &p, n);
    reader->op->where =
        technology_where_compile(&p, &reader->names, plane_own(reader->t)->row_classes,
                                 plane_own(reader->t)->row_class_count);
    return reader->op->where != NULL;
}

/* --- presets --- */

static bool is_text(const struct yaml_node *node, const char *text) {
    return node->kind == NODE_SCALAR && strcmp(node->text, text) == 0;
}

/* Does the preset name an output that is a source, too?  One that is included names none: then, are
 * all of them? */
static bool destroys_source(const struct op_reader *reader, const struct yaml_node *preset) {
    unsigned tied = 0;
    for (unsigned d = 0; d < reader->op->ndst; d++) {
        const char *name = reader->names.names[reader->names.nsrc + d];
        tied += reader->op->tied[d] != 0;
        if (preset->kind == NODE_MAP && reader->op->tied[d] && target_node_find(preset, name))
            return true;
    }
    return preset->kind != NODE_MAP && tied == reader->op->ndst;
}

/* included, none, or a map { destination: value, by: OP }, which resolve_presets reads. */
static bool read_preset(struct op_reader *reader) {
    const struct yaml_node *n = target_node_find(reader->node, "preset");
    if (!n || is_text(n, "none"))
        return true;
    if (n->kind != NODE_MAP && !is_text(n, "included"))
        return op_error(reader, n->at, "expected preset included, none, or { d: 0, by: OP }");
    if (destroys_source(reader, n))
        return op_error(reader, n->at,
                        "the preset would destroy a source: this output is one, too");
    if (n->kind != NODE_MAP && reader->op->reads_old)
        return op_error(reader, n->at,
                        "'fn' uses the old value of its output, which an included preset "
                        "overwrites: name the preset, like { d: 0, by: OP }");
    return true;
}

/* An op without sources whose result is the constant. */
static bool is_setter(const struct target_op *op, uint64_t value) {
    return op->nsrc == 0 && op->ndst == 1 && !op->reads_old && op->truth[0] == value;
}

/* Why `by` cannot set the destination of `op` to this value, or NULL. */
static const char *why_no_preset(const struct target_op *by, const struct target_op *op,
                                 uint64_t value) {
    if (by->nsrc > 0 || by->reads_old)
        return "a preset comes from a micro-op that reads nothing; this one has sources";
    if (!is_setter(by, value))
        return "this micro-op does not set its one destination to this value";
    for (unsigned k = 0; k < op->ndst; k++)
        if (op->presets >> k & 1 && by->fixed[0] && by->fixed[0] != op->fixed[op->nsrc + k])
            return "this micro-op always writes another place";
    return by->preset ? "this micro-op has a preset of its own" : NULL;
}

static bool find_preset(struct op_reader *reader, const struct yaml_node *by, uint64_t value) {
    const char *known[PLANE_MAX_OPS];
    for (uint32_t i = 0; i < plane_own(reader->t)->op_count; i++) {
        known[i] = plane_own(reader->t)->ops[i].name;
        if (!is_text(by, known[i]))
            continue;
        const char *why = why_no_preset(&plane_own(reader->t)->ops[i], reader->op, value);
        if (why)
            return op_error(reader, by->at, why);
        reader->op->preset = (uint16_t)(i + 1);
        return true;
    }
    op_error(reader, by->at, "there is no micro-op of this name");
    diag_suggest(reader->x->diag, by->at, by->text, known, plane_own(reader->t)->op_count);
    return false;
}

/* Which outputs the preset names, and the value of all of them; false after reporting. */
static bool read_preset_values(struct op_reader *reader, const struct yaml_node *preset,
                               const char *const *outs, uint64_t *value) {
    const char *path = arena_printf(reader->x->arena, "ops.%s.preset", reader->op->name);
    for (unsigned k = 0; k < reader->op->ndst; k++) {
        const struct yaml_node *n = target_node_find(preset, outs[k]);
        uint64_t number;
        if (!n)
            continue;
        if (!target_number(reader->x, n, path, 0, 1, &number))
            return false;
        if (reader->op->presets && number != *value)
            return op_error(reader, n->at, "one micro-op sets all outputs to one value");
        *value = number;
        reader->op->presets |= (uint8_t)(1u << k);
    }
    return true;
}

/* outs: the outputs' names, and room for one more. */
static bool resolve_preset(struct op_reader *reader, const struct yaml_node *preset,
                           const char **outs) {
    const struct yaml_node *by = target_node_find(preset, "by");
    uint64_t value = 0;
    outs[reader->op->ndst] = "by";
    if (!target_check_keys(reader->x, preset, "a preset", outs, reader->op->ndst + 1u) ||
        !read_preset_values(reader, preset, outs, &value))
        return false;
    if (!reader->op->presets || !by || by->kind != NODE_SCALAR)
        return op_error(reader, preset->at,
                        "a preset has the output's value and the micro-op that sets "
                        "it, like { d: 0, by: OP }");
    return find_preset(reader, by, value);
}

/* The op of a block; commands that activate have none of their own. */
static struct target_op *op_of(const struct target *target, struct target_op *list,
                               const struct yaml_node *node) {
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++)
        if (list[i].name == node->key && !list[i].first_rows)
            return &list[i];
    return NULL;
}

/* When all ops are known. */
static bool resolve_presets(struct target_text *text, struct target *target, struct target_op *list,
                            const struct yaml_node *ops) {
    for (const struct yaml_node *n = ops->first; n; n = n->next) {
        struct op_reader r = {.x = text, .t = target, .op = op_of(target, list, n), .node = n};
        const struct yaml_node *preset = target_node_find(n, "preset"),
                               *out = target_node_find(n, "out");
        const char *outs[OP_MAX_DESTS + 1];
        unsigned count = 0;
        if (!r.op || !preset || preset->kind != NODE_MAP)
            continue;
        for (out = out->kind == NODE_LIST ? out->first : out; out && count < r.op->ndst;
             out = out->next)
            outs[count++] = out->text;
        if (!resolve_preset(&r, preset, outs))
            return false;
        unsigned presets = plane_op_preset_count(r.op);
        if (presets > plane_own(target)->most_presets)
            plane_own(target)->most_presets = presets;
    }
    return true;
}

/* --- times and energies --- */

/* What a quantity may name: the values of a block, and for a command how many rows it opens. */
struct named_values {
    const struct yaml_node *block;
    unsigned rows; /* 0: no command */
};

static const char rows_name[] = "rows";

static bool lookup_value(const void *context, const char *name, int64_t *value) {
    const struct named_values *v = context;
    const struct yaml_node *n = v->block ? target_node_find(v->block, name) : NULL;
    uint64_t number;
    if (v->rows && strcmp(name, rows_name) == 0) {
        *value = v->rows;
        return true;
    }
    if (!n || n->kind != NODE_SCALAR || !number_parse_u64(n->text, strlen(n->text), &number) ||
        number > INT64_MAX)
        return false;
    *value = (int64_t)number;
    return true;
}

/* `key` of the op, in the named values of the block of the same name. */
static bool read_quantity(struct op_reader *reader, const char *key, uint64_t *value) {
    const struct yaml_node *n = target_node_find(reader->node, key);
    struct named_values v = {target_node_find(reader->x->root, key), reader->rows};
    if (!n)
        return true;
    if (n->kind != NODE_SCALAR)
        return op_error(reader, n->at, "expected a number or an expression of named values");
    const char *known[64];
    size_t count = 0;
    for (const struct yaml_node *i = v.block ? v.block->first : NULL; i && count < 64; i = i->next)
        known[count++] = i->key;
    struct notation_parser p;
    start(reader, &p, n);
    return technology_quantity_eval(&p, lookup_value, &v, known, count, value);
}

static bool read_quantities(struct op_reader *reader, struct target_op *op) {
    return read_quantity(reader, "time", &op->time_ps) &&
           read_quantity(reader, "energy", &op->energy);
}

/* A forgotten number makes a machine look good; in the built-in targets it is meant. */
static void warn_of_nothing(const struct target_text *text, const struct target *target,
                            const struct target_op *list, const struct yaml_node *node) {
    const struct yaml_node *energy = target_node_find(node, "energy");
    for (uint32_t i = 0; target_is_own(target) && i < plane_target(target)->op_count; i++)
        if (strcmp(list[i].name, node->key) == 0 && list[i].energy == 0) {
            diag_warning(text->diag, W_ENERGY, energy->at, "ops.%s takes no energy", node->key);
            return;
        }
}

/* What all kinds of micro-ops have. */
static bool read_costs(struct op_reader *reader) {
    if (!read_class(reader))
        return false;
    if (!target_node_find(reader->node, "energy"))
        return op_error(reader, reader->node->key_at, "'energy' is missing");
    return read_quantities(reader, reader->op);
}

static bool read_plain(struct op_reader *reader, struct target_op *list) {
    if (plane_own(reader->t)->op_count == PLANE_MAX_OPS) {
        diag_error(reader->x->diag, reader->node->key_at, "more than %d micro-ops", PLANE_MAX_OPS);
        return false;
    }
    if (!read_operands(reader) || !read_fns(reader) || !read_where(reader) || !read_preset(reader))
        return false;
    /* Where a sweep leaves one section, nothing crosses. */
    bool needless = reader->op->class == OPCLASS_CROSSING && plane_own(reader->t)->sections == 1;
    if (!needless && !technology_op_is_possible(reader->t, reader->op)) {
        op_error(reader, target_node_find(reader->node, "where")->at,
                 "'where' holds for no places");
        if (plane_own(reader->t)->row_classes[plane_own(reader->t)->register_class].more_registers)
            diag_note(reader->x->diag, NO_SPAN,
                      "registers lie in several classes of rows, and it has to hold for each");
        return false;
    }
    list[plane_own(reader->t)->op_count++] = *reader->op;
    return true;
}

static bool read_activation(struct op_reader *reader, struct target_op *list) {
    static const char *const derived[] = {"in", "out", "fn", "preset"};
    const struct yaml_node *where = target_node_find(reader->node, "where");
    for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++) {
        const struct yaml_node *other = target_node_find(reader->node, derived[i]);
        if (other)
            return op_error(reader, other->key_at,
                            "'activate' stands instead of in, out, fn and preset: they follow "
                            "from the groups");
    }
    if (where && where->kind != NODE_SCALAR)
        return op_error(reader, where->at, "'where' is an expression");
    uint32_t first = plane_own(reader->t)->op_count;
    bool fine = technology_activate(reader->x, reader->t, list, reader->node, reader->op);
    for (uint32_t i = first; fine && i < plane_own(reader->t)->op_count; i++) {
        reader->rows = (unsigned)list[i].first_rows + list[i].second_rows;
        fine = read_quantities(reader, &list[i]);
    }
    return fine;
}

static bool read_op(struct op_reader *reader, struct target_op *list) {
    if (reader->node->kind != NODE_MAP)
        return op_error(reader, reader->node->at, "expected a block of keys");
    const struct yaml_node *activate = target_node_find(reader->node, "activate");
    reader->rows = activate ? 1 : 0; /* of its variants when they are there */
    if (!check_op_keys(reader) || !read_costs(reader))
        return false;
    return activate ? read_activation(reader, list) : read_plain(reader, list);
}

static bool read_energy_unit(struct target_text *text, const struct yaml_node *node,
                             const char *path, struct target *target) {
    bool atto = node->kind == NODE_SCALAR && strcmp(node->text, "aJ") == 0;
    plane_own(target)->energy_parts = atto ? 1000 : 1;
    if (atto || (node->kind == NODE_SCALAR && strcmp(node->text, "fJ") == 0))
        return true;
    target_error(text, node, path, "expected fJ or aJ");
    return false;
}

/* Numbers under time and energy, whose names are the file's own. */
static bool check_values(struct target_text *text, const char *key, struct target *target) {
    const struct yaml_node *block = target_node_find(text->root, key);
    for (const struct yaml_node *n = block ? block->first : NULL; n; n = n->next) {
        const char *path = arena_printf(text->arena, "%s.%s", key, n->key);
        uint64_t value;
        if (strcmp(path, "energy.per") == 0) {
            plane_own(target)->energy_per_lane = n->text && strcmp(n->text, "lane") == 0;
            if (plane_own(target)->energy_per_lane || (n->text && strcmp(n->text, "array") == 0))
                continue;
            target_error(text, n, path, "expected array or lane");
            return false;
        }
        if (strcmp(path, "energy.unit") == 0) {
            if (!read_energy_unit(text, n, path, target))
                return false;
            continue;
        }
        if (strcmp(n->key, rows_name) == 0) {
            diag_error(text->diag, n->key_at, "'rows' is how many rows a command opens");
            return false;
        }
        if (!technology_is_word(n->key)) {
            diag_error(text->diag, n->key_at, "'%s': the name of a value is a word", n->key);
            return false;
        }
        if (!target_number(text, n, path, 0, (uint64_t)1 << 40, &value))
            return false;
    }
    return true;
}

/* What no `where` speaks of is a row like a register's. */
static void place_visible(struct target *target) {
    unsigned spoken = 0;
    for (uint32_t i = 0; i < plane_own(target)->op_count; i++)
        spoken |= plane_own(target)->ops[i].where ? plane_own(target)->ops[i].where->speaks_of : 0;
    int rows = (int)plane_own(target)->register_class;
    plane_own(target)->class_of_c = spoken >> (CLASS_C - CLASS_BUFFER) & 1 ? CLASS_C : rows;
    plane_own(target)->class_of_m = spoken >> (CLASS_M - CLASS_BUFFER) & 1 ? CLASS_M : rows;
    plane_own(target)->class_of_valid =
        spoken >> (CLASS_VALID - CLASS_BUFFER) & 1 ? CLASS_VALID : rows;
}

/* A statement NAME row <- row would mean two things. */
static bool check_op_name(struct target_text *text, const struct target *target,
                          const struct yaml_node *node) {
    bool taken = technology_row_named(target, node->key) >= 0;
    for (uint32_t i = 0; i < plane_target(target)->group_count; i++)
        taken |= strcmp(plane_target(target)->groups[i].name, node->key) == 0;
    if (!taken)
        return technology_check_name(text, node, "a micro-op");
    diag_error(text->diag, node->key_at, "ops.%s: a class or group of rows has this name",
               node->key);
    return false;
}

bool technology_ops_fill(struct target_text *text, struct target *target) {
    const struct yaml_node *ops = target_node_find(text->root, "ops");
    if (!ops)
        return true;
    struct target_op *list = ARENA_ARRAY(text->arena, PLANE_MAX_OPS, struct target_op);
    plane_own(target)->ops = list;
    plane_own(target)->ops_place = target_text_place(text, ops->key_at);
    plane_own(target)->ops_at = plane_own(target)->ops_place ? ops->key_at : NO_SPAN;
    plane_own(target)->energy_parts = 1;
    bool fine = check_values(text, "time", target) && check_values(text, "energy", target);
    for (const struct yaml_node *n = ops->first; n && fine; n = n->next) {
        struct target_op op = {.name = n->key,
                               .span = n->key_at,
                               .first_variant = (uint16_t)plane_own(target)->op_count};
        struct op_reader r = {.x = text, .t = target, .op = &op, .node = n};
        fine = check_op_name(text, target, n) && read_op(&r, list);
        if (fine)
            warn_of_nothing(text, target, list, n);
    }
    if (fine)
        place_visible(target);
    return fine && technology_check_capacity(text, target) &&
           resolve_presets(text, target, list, ops);
}
