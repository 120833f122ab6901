/* SPDX-License-Identifier: MIT
 * From the statements of a segment to values and what defines them: names are followed to the
 * values that they hold, constants fold, second names and inversions cost nothing, and no
 * definition has more than three inputs. */
#include "recipe/map/mapping.h"

/* While a segment is read: what each name holds. */
struct logic_reader {
    struct mapping *m;
    struct segment *s;
    uint32_t *current; /* by name: value + 1; 0: as it was before the segment */
    uint32_t *inputs;  /* by name: value + 1 of what it held before */
    uint32_t *came_in; /* by carry: the same, where k@j may differ from k */
    struct ref *same;  /* by value: what it is another name or the inverse of */
    struct span at;    /* the statement */
    size_t same_cap;
};

/* --- positions --- */

/* A sum of names times numbers; indices, bounds and positions are (the resolver checks it). */
struct index_sum {
    uint32_t names[8];
    int64_t factors[8];
    unsigned count;
    int64_t constant;
    bool fine;
};

static void affine_add(struct index_sum *sum, const struct recipe_expr *expr, int64_t factor) {
    if (expr->kind == EXPR_NUMBER) {
        sum->constant += factor * expr->number;
        return;
    }
    if (expr->kind == EXPR_UNARY && expr->op == '-') {
        affine_add(sum, expr->args[0], -factor);
        return;
    }
    if (expr->kind == EXPR_BINARY && (expr->op == '+' || expr->op == '-')) {
        affine_add(sum, expr->args[0], factor);
        affine_add(sum, expr->args[1], expr->op == '+' ? factor : -factor);
        return;
    }
    unsigned i = 0;
    while (i < sum->count && sum->names[i] != expr->ref)
        i++;
    if (expr->kind != EXPR_NAME || i == 8) {
        sum->fine = false;
        return;
    }
    sum->count += i == sum->count;
    sum->names[i] = expr->ref;
    sum->factors[i] += factor;
}

/* Of two numbers, whatever the names in them stand for. */
enum number_difference { NONE_EVER, ALWAYS, PERHAPS };

static enum number_difference difference(const struct recipe_expr *left,
                                         const struct recipe_expr *right) {
    struct index_sum a = {.fine = true};
    affine_add(&a, left, 1);
    affine_add(&a, right, -1);
    for (unsigned i = 0; i < a.count; i++)
        if (a.factors[i] != 0)
            return PERHAPS;
    return !a.fine ? PERHAPS : a.constant != 0 ? ALWAYS : NONE_EVER;
}

/* What is written is the position at work, as far as it can be told without expanding: what the
 * mapping makes of the logic does not say it again. */
static bool check_position(struct logic_reader *reader, const struct recipe_expr *expr) {
    enum number_difference d =
        expr->kind == EXPR_NAME ? NONE_EVER : difference(expr->args[0], reader->s->position);
    if (d == NONE_EVER)
        return true;
    return mapping_fail(reader->m, expr->at,
                        "'%s' %s another position than the one at work: only carries move values",
                        expr->name, d == ALWAYS ? "at" : "may be at");
}

/* --- values --- */

static uint32_t new_value(struct logic_reader *reader, struct map_value map_value) {
    struct segment *s = reader->s;
    map_value.block = map_value.phase = NOTHING;
    vec_push(&s->values, map_value);
    if (s->values.len > reader->same_cap) {
        size_t cap = reader->same_cap ? 2 * reader->same_cap : 64;
        struct ref *grown = ARENA_ARRAY(&reader->m->scratch, cap, struct ref);
        for (size_t i = 0; i + 1 < s->values.len; i++)
            grown[i] = reader->same[i];
        reader->same = grown;
        reader->same_cap = cap;
    }
    uint32_t value = (uint32_t)s->values.len - 1;
    reader->same[value] = (struct ref){value, false};
    return value;
}

static uint8_t place_of_name(const struct mapping *mapping, uint32_t name) {
    if (mapping->names.data[name].kind == NAME_CARRY)
        return mapping_carry_place(mapping);
    return mapping->names.data[name].kind == NAME_LATCH      ? mapping_latch_place(mapping, name)
           : mapping->names.data[name].kind == NAME_REGISTER ? mapping_register_place(mapping)
                                                             : SEARCH_ROW;
}

static bool is_handed_on(const struct segment *segment, uint32_t name) {
    for (size_t i = 0; i < segment->stmt_count; i++)
        for (unsigned k = 0; k < segment->stmts[i]->target_count; k++)
            if (segment->stmts[i]->targets[k]->ref == name)
                return true;
    return false;
}

/* k@j and k are one value where k is handed on; elsewhere k may be the final one. */
static uint32_t input_of(struct logic_reader *reader, const struct recipe_expr *expr) {
    const struct map_name *n = &reader->m->names.data[expr->ref];
    bool apart =
        expr->kind == EXPR_AT && n->kind == NAME_CARRY && !is_handed_on(reader->s, expr->ref);
    uint32_t *known = apart ? &reader->came_in[expr->ref] : &reader->inputs[expr->ref];
    if (*known)
        return *known - 1;
    struct map_value v = {.input = true, .name = expr->ref, .expr = expr};
    v.late = n->kind == NAME_CARRY;
    v.place = place_of_name(reader->m, expr->ref);
    *known = new_value(reader, v) + 1;
    return *known - 1;
}

/* --- logic --- */

static struct logic *new_logic(struct mapping *mapping, enum logic_op op) {
    struct logic *l = ARENA_NEW(&mapping->scratch, struct logic);
    l->op = op;
    return l;
}

static struct logic *constant(struct mapping *mapping, bool one) {
    struct logic *l = new_logic(mapping, LOGIC_CONST);
    l->one = one;
    return l;
}

static bool is_constant(const struct logic *logic, bool one) {
    return logic->op == LOGIC_CONST && logic->one == one;
}

static struct logic *leaf(struct logic_reader *reader, struct ref ref) {
    struct ref same = reader->same[ref.value];
    same.inverted ^= ref.inverted;
    if (same.value == 0)
        return constant(reader->m, same.inverted);
    struct logic *l = new_logic(reader->m, LOGIC_LEAF);
    l->ref = same;
    return l;
}

static struct logic *invert(struct mapping *mapping, struct logic *logic) {
    struct logic *l = new_logic(mapping, LOGIC_NOT);
    if (logic->op == LOGIC_NOT)
        return logic->args[0];
    if (logic->op == LOGIC_CONST || logic->op == LOGIC_LEAF) {
        *l = *logic;
        l->one = !logic->one;
        l->ref.inverted = !logic->ref.inverted;
        return l;
    }
    l->args[l->count++] = logic;
    return l;
}

static struct logic *join(struct mapping *mapping, enum logic_op op, struct logic *left,
                          struct logic *right) {
    bool unit = op == LOGIC_AND; /* the constant that changes nothing */
    if (left->op == LOGIC_CONST) {
        struct logic *swapped = left;
        left = right;
        right = swapped;
    }
    if (right->op == LOGIC_CONST && op == LOGIC_XOR)
        return right->one ? invert(mapping, left) : left;
    if (right->op == LOGIC_CONST)
        return right->one == unit ? left : right;
    struct logic *l = new_logic(mapping, op);
    l->args[l->count++] = left;
    l->args[l->count++] = right;
    return l;
}

static struct logic *choose(struct mapping *mapping, struct logic *logic, struct logic *left,
                            struct logic *right) {
    if (logic->op == LOGIC_CONST)
        return logic->one ? left : right;
    if (is_constant(left, false))
        return join(mapping, LOGIC_AND, invert(mapping, logic), right);
    if (is_constant(left, true))
        return join(mapping, LOGIC_OR, logic, right);
    if (is_constant(right, false))
        return join(mapping, LOGIC_AND, logic, left);
    if (is_constant(right, true))
        return join(mapping, LOGIC_OR, invert(mapping, logic), left);
    struct logic *l = new_logic(mapping, LOGIC_CHOOSE);
    l->args[0] = logic;
    l->args[1] = left;
    l->args[2] = right;
    l->count = 3;
    return l;
}

static struct logic *majority(struct mapping *mapping, struct logic *left, struct logic *right,
                              struct logic *logic) {
    struct logic *args[] = {left, right, logic};
    for (unsigned i = 0; i < 3; i++)
        if (args[i]->op == LOGIC_CONST)
            return join(mapping, args[i]->one ? LOGIC_OR : LOGIC_AND, args[(i + 1) % 3],
                        args[(i + 2) % 3]);
    struct logic *l = new_logic(mapping, LOGIC_MAJORITY);
    for (; l->count < 3; l->count++)
        l->args[l->count] = args[l->count];
    return l;
}

/* Its operands stay together, as those of the carry. */
static struct logic *sum(struct mapping *mapping, struct logic *left, struct logic *right,
                         struct logic *logic) {
    struct logic *args[] = {left, right, logic};
    for (unsigned i = 0; i < 3; i++)
        if (args[i]->op == LOGIC_CONST)
            return join(mapping, LOGIC_XOR,
                        join(mapping, LOGIC_XOR, args[(i + 1) % 3], args[(i + 2) % 3]), args[i]);
    struct logic *l = new_logic(mapping, LOGIC_SUM);
    for (; l->count < 3; l->count++)
        l->args[l->count] = args[l->count];
    return l;
}

/* --- expressions --- */

static bool check_place(struct logic_reader *reader, const struct recipe_expr *expr) {
    struct mapping *m = reader->m;
    const struct map_name *n = &m->names.data[expr->ref];
    if (n->kind == NAME_NUMBER)
        return mapping_fail(m, expr->at, "'%s' is a number: decide on it with 'if'", expr->name);
    if (n->kind == NAME_REGISTER && expr->kind != EXPR_INDEX)
        return mapping_fail(m, expr->at, "'%s' is a register: say which bit, like %s[j]",
                            expr->name, expr->name);
    if (expr->kind == EXPR_INDEX && n->kind != NAME_REGISTER && n->kind != NAME_SCRATCH)
        return mapping_fail(m, expr->at, "'%s' is one bit, not a register", expr->name);
    if (expr->kind == EXPR_AT && n->kind != NAME_CARRY && n->kind != NAME_SCRATCH)
        return mapping_fail(m, expr->at, "'@' goes with carries and scratch names, not with '%s'",
                            expr->name);
    return check_position(reader, expr);
}

static struct logic *read_place(struct logic_reader *reader, const struct recipe_expr *expr) {
    if (!check_place(reader, expr))
        return NULL;
    uint32_t now = reader->current[expr->ref];
    const struct map_name *n = &reader->m->names.data[expr->ref];
    bool before = now == 0 || (n->kind == NAME_CARRY && expr->kind == EXPR_AT);
    if (before && n->kind == NAME_SCRATCH && !n->written) {
        mapping_fail(reader->m, expr->at, "'%s' is read, but never written", expr->name);
        return NULL;
    }
    return leaf(reader, (struct ref){before ? input_of(reader, expr) : now - 1, false});
}

static struct logic *read_logic(struct logic_reader *reader, const struct recipe_expr *expr);

static struct logic *read_function(struct logic_reader *reader, const struct recipe_expr *expr) {
    struct logic *a[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < expr->count && i < 3; i++)
        if (!(a[i] = read_logic(reader, expr->args[i])))
            return NULL;
    if (expr->kind == EXPR_UNARY)
        return invert(reader->m, a[0]);
    if (expr->kind == EXPR_BINARY)
        return join(reader->m,
                    expr->op == '&'   ? LOGIC_AND
                    : expr->op == '|' ? LOGIC_OR
                                      : LOGIC_XOR,
                    a[0], a[1]);
    return expr->ref == LOGIC_MUX ? choose(reader->m, a[0], a[1], a[2])
                                  : majority(reader->m, a[0], a[1], a[2]);
}

static struct logic *read_logic(struct logic_reader *reader, const struct recipe_expr *expr) {
    if (expr->kind == EXPR_NUMBER && (expr->number == 0 || expr->number == 1))
        return constant(reader->m, expr->number != 0);
    if (expr->kind == EXPR_NUMBER) {
        mapping_fail(reader->m, expr->at, "the only numbers in logic are 0 and 1");
        return NULL;
    }
    if (expr->kind == EXPR_NAME || expr->kind == EXPR_INDEX || expr->kind == EXPR_AT)
        return read_place(reader, expr);
    return read_function(reader, expr);
}

/* --- definitions --- */

/* Values that the logic reads, each once; counts on beyond `max`. */
static unsigned list_leaves(const struct logic *logic, uint32_t *list, unsigned count,
                            unsigned max) {
    if (logic->op == LOGIC_LEAF) {
        for (unsigned i = 0; i < count && i < max; i++)
            if (list[i] == logic->ref.value)
                return count;
        if (count < max)
            list[count] = logic->ref.value;
        return count + 1;
    }
    for (unsigned i = 0; i < logic->count; i++)
        count = list_leaves(logic->args[i], list, count, max);
    return count;
}

#define LEAVES_SEEN 16

static unsigned count_leaves(struct logic *const *trees, unsigned count) {
    uint32_t list[LEAVES_SEEN];
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++)
        n = list_leaves(trees[i], list, n, LEAVES_SEEN);
    return n;
}

static bool has_late_leaf(const struct segment *segment, const struct logic *logic) {
    if (logic->op == LOGIC_LEAF)
        return segment->values.data[logic->ref.value].late;
    for (unsigned i = 0; i < logic->count; i++)
        if (has_late_leaf(segment, logic->args[i]))
            return true;
    return false;
}

static bool has_valid(const struct segment *segment, const struct logic *logic) {
    if (logic->op == LOGIC_LEAF)
        return segment->values.data[logic->ref.value].place == SEARCH_VALID;
    for (unsigned i = 0; i < logic->count; i++)
        if (has_valid(segment, logic->args[i]))
            return true;
    return false;
}

/* How much a piece is worth splitting off: `valid` goes with the write of M that names it; then
 * as many inputs as a block may have; then what does not wait for a carry. */
static unsigned rank_piece(const struct segment *segment, struct logic *logic) {
    unsigned leaves = count_leaves(&logic, 1);
    if (logic->op == LOGIC_LEAF || leaves < 2 || leaves > SEARCH_MAX_INPUTS)
        return 0;
    return (has_valid(segment, logic) ? 0 : 4 * SEARCH_MAX_INPUTS) + 2 * leaves +
           !has_late_leaf(segment, logic);
}

static void find_piece(const struct segment *segment, struct logic *logic, struct logic **best,
                       unsigned *rank) {
    unsigned mine = rank_piece(segment, logic);
    if (mine > *rank) {
        *best = logic;
        *rank = mine;
    }
    for (unsigned i = 0; i < logic->count; i++)
        find_piece(segment, logic->args[i], best, rank);
}

static uint32_t define(struct logic_reader *reader, struct logic *tree) {
    struct map_value v = {.tree = tree, .def = (uint32_t)reader->s->defs.len};
    v.late = has_late_leaf(reader->s, tree);
    return new_value(reader, v);
}

static void add_def(struct logic_reader *reader, struct logic **trees, unsigned count,
                    uint32_t *values) {
    struct map_def d = {.count = count, .at = reader->at};
    for (unsigned i = 0; i < count; i++)
        values[i] = d.values[i] = define(reader, trees[i]);
    vec_push(&reader->s->defs, d);
}

/* Splits off pieces until what is left has three inputs.  Both trees of a `full` have the same
 * operands, so a piece of one is a piece of the other; and where there are more than three leaves,
 * some node has at least two and at most three of them. */
static void split(struct logic_reader *reader, struct logic **trees, unsigned count) {
    while (count_leaves(trees, count) > SEARCH_MAX_INPUTS) {
        struct logic *piece = NULL, *taken = ARENA_NEW(&reader->m->scratch, struct logic);
        unsigned rank = 0;
        for (unsigned i = 0; i < trees[0]->count; i++)
            find_piece(reader->s, trees[0]->args[i], &piece, &rank);
        *taken = *piece;
        uint32_t value;
        add_def(reader, &taken, 1, &value);
        *piece = *leaf(reader, (struct ref){value, false});
    }
}

/* The value that a tree stands for; a leaf is a second name. */
static void assign(struct logic_reader *reader, struct logic **trees, unsigned count,
                   struct ref *refs) {
    struct logic *real[2];
    unsigned index[2], n = 0;
    split(reader, trees, count);
    for (unsigned i = 0; i < count; i++) {
        if (trees[i]->op == LOGIC_LEAF) {
            refs[i] = trees[i]->ref;
        } else if (trees[i]->op == LOGIC_CONST) {
            refs[i] = (struct ref){0, trees[i]->one};
        } else {
            index[n] = i;
            real[n++] = trees[i];
        }
    }
    uint32_t values[2];
    if (n)
        add_def(reader, real, n, values);
    for (unsigned i = 0; i < n; i++)
        refs[index[i]] = (struct ref){values[i], false};
}

/* --- statements --- */

static bool check_target(struct logic_reader *reader, const struct recipe_expr *expr) {
    struct mapping *m = reader->m;
    if (expr->ref < SYMBOL_FIXED && expr->ref != SYMBOL_C && expr->ref != SYMBOL_M)
        return mapping_fail(m, expr->at, "'%s' cannot be written", expr->name);
    return check_place(reader, expr);
}

/* A name holds a value from now on.  Second names are followed at once, so values that are only
 * names of others never come to be. */
static bool write_name(struct logic_reader *reader, const struct recipe_expr *target,
                       struct ref ref) {
    if (!check_target(reader, target))
        return false;
    struct segment *s = reader->s;
    uint32_t value = ref.value;
    if (ref.inverted) {
        value = new_value(reader, (struct map_value){.def = NOTHING});
        reader->same[value] = ref;
    }
    reader->current[target->ref] = value + 1;
    struct map_write w = {.name = target->ref, .ref = ref, .target = target, .at = reader->at};
    for (size_t i = 0; i < s->writes.len; i++)
        if (s->writes.data[i].name == target->ref) {
            s->writes.data[i] = w;
            return true;
        }
    vec_push(&s->writes, w);
    return true;
}

static bool read_assignment(struct logic_reader *reader, const struct recipe_stmt *stmt,
                            const struct recipe_expr *value) {
    struct logic *trees[2];
    struct ref refs[2];
    bool full = value->kind == EXPR_CALL && value->ref == LOGIC_FULL;
    unsigned count = full ? 2 : 1;
    reader->at = stmt->at;
    if (full) {
        struct logic *a[3];
        for (unsigned i = 0; i < 3; i++)
            if (!(a[i] = read_logic(reader, value->args[i])))
                return false;
        trees[0] = sum(reader->m, a[0], a[1], a[2]);
        trees[1] = majority(reader->m, a[0], a[1], a[2]);
    } else if (!(trees[0] = read_logic(reader, value))) {
        return false;
    }
    assign(reader, trees, count, refs);
    for (unsigned i = 0; i < count; i++)
        if (!write_name(reader, stmt->targets[i], refs[i]))
            return false;
    return true;
}

/* Names that are only used inside the segment need no place. */
static void drop_local_writes(struct mapping *mapping, struct segment *segment) {
    size_t kept = 0;
    for (size_t i = 0; i < segment->writes.len; i++) {
        const struct map_name *n = &mapping->names.data[segment->writes.data[i].name];
        if (n->kind != NAME_SCRATCH || n->exposed)
            segment->writes.data[kept++] = segment->writes.data[i];
    }
    segment->writes.len = kept;
}

bool mapping_read_logic(struct mapping *mapping, struct segment *segment) {
    struct logic_reader r = {.m = mapping, .s = segment};
    bool fine = true;
    r.current = ARENA_ARRAY(&mapping->scratch, mapping->names.len, uint32_t);
    r.inputs = ARENA_ARRAY(&mapping->scratch, mapping->names.len, uint32_t);
    r.came_in = ARENA_ARRAY(&mapping->scratch, mapping->names.len, uint32_t);
    new_value(&r, (struct map_value){.place = SEARCH_CONST});
    if (segment->carry)
        fine = read_assignment(&r, segment->carry, segment->carry->value);
    for (size_t i = 0; i < segment->stmt_count && fine; i++)
        fine = read_assignment(&r, segment->stmts[i], segment->stmts[i]->value);
    drop_local_writes(mapping, segment);
    return fine;
}
