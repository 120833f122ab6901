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

static void affine_add(struct index_sum *a, const struct recipe_expr *e, int64_t factor) {
    if (e->kind == EXPR_NUMBER) {
        a->constant += factor * e->number;
        return;
    }
    if (e->kind == EXPR_UNARY && e->op == '-') {
        affine_add(a, e->args[0], -factor);
        return;
    }
    if (e->kind == EXPR_BINARY && (e->op == '+' || e->op == '-')) {
        affine_add(a, e->args[0], factor);
        affine_add(a, e->args[1], e->op == '+' ? factor : -factor);
        return;
    }
    unsigned i = 0;
    while (i < a->count && a->names[i] != e->ref)
        i++;
    if (e->kind != EXPR_NAME || i == 8) {
        a->fine = false;
        return;
    }
    a->count += i == a->count;
    a->names[i] = e->ref;
    a->factors[i] += factor;
}

/* Of two numbers, whatever the names in them stand for. */
enum number_difference { NONE_EVER, ALWAYS, PERHAPS };

static enum number_difference difference(const struct recipe_expr *x, const struct recipe_expr *y) {
    struct index_sum a = {.fine = true};
    affine_add(&a, x, 1);
    affine_add(&a, y, -1);
    for (unsigned i = 0; i < a.count; i++)
        if (a.factors[i] != 0)
            return PERHAPS;
    return !a.fine ? PERHAPS : a.constant != 0 ? ALWAYS : NONE_EVER;
}

/* What is written is the position at work, as far as it can be told without expanding: what the
 * mapping makes of the logic does not say it again. */
static bool check_position(struct logic_reader *r, const struct recipe_expr *e) {
    enum number_difference d =
        e->kind == EXPR_NAME ? NONE_EVER : difference(e->args[0], r->s->position);
    if (d == NONE_EVER)
        return true;
    return mapping_fail(r->m, e->at,
                        "'%s' %s another position than the one at work: only carries move values",
                        e->name, d == ALWAYS ? "at" : "may be at");
}

/* --- values --- */

static uint32_t new_value(struct logic_reader *r, struct map_value v) {
    struct segment *s = r->s;
    v.block = v.phase = NOTHING;
    vec_push(&s->values, v);
    if (s->values.len > r->same_cap) {
        size_t cap = r->same_cap ? 2 * r->same_cap : 64;
        struct ref *grown = ARENA_ARRAY(&r->m->scratch, cap, struct ref);
        for (size_t i = 0; i + 1 < s->values.len; i++)
            grown[i] = r->same[i];
        r->same = grown;
        r->same_cap = cap;
    }
    uint32_t value = (uint32_t)s->values.len - 1;
    r->same[value] = (struct ref){value, false};
    return value;
}

static uint8_t place_of_name(const struct mapping *m, uint32_t name) {
    if (m->names.data[name].kind == NAME_CARRY)
        return m->gates.sections ? SEARCH_BUFFER : SEARCH_ROW;
    return name == SYMBOL_C       ? SEARCH_C
           : name == SYMBOL_M     ? SEARCH_M
           : name == SYMBOL_VALID ? SEARCH_VALID
                                  : SEARCH_ROW;
}

static bool is_handed_on(const struct segment *s, uint32_t name) {
    for (size_t i = 0; i < s->stmt_count; i++)
        for (unsigned k = 0; k < s->stmts[i]->target_count; k++)
            if (s->stmts[i]->targets[k]->ref == name)
                return true;
    return false;
}

/* k@j and k are one value where k is handed on; elsewhere k may be the final one. */
static uint32_t input_of(struct logic_reader *r, const struct recipe_expr *e) {
    const struct map_name *n = &r->m->names.data[e->ref];
    bool apart = e->kind == EXPR_AT && n->kind == NAME_CARRY && !is_handed_on(r->s, e->ref);
    uint32_t *known = apart ? &r->came_in[e->ref] : &r->inputs[e->ref];
    if (*known)
        return *known - 1;
    struct map_value v = {.input = true, .name = e->ref, .expr = e};
    v.late = n->kind == NAME_CARRY;
    v.place = place_of_name(r->m, e->ref);
    *known = new_value(r, v) + 1;
    return *known - 1;
}

/* --- logic --- */

static struct logic *new_logic(struct mapping *m, enum logic_op op) {
    struct logic *l = ARENA_NEW(&m->scratch, struct logic);
    l->op = op;
    return l;
}

static struct logic *constant(struct mapping *m, bool one) {
    struct logic *l = new_logic(m, LOGIC_CONST);
    l->one = one;
    return l;
}

static bool is_constant(const struct logic *l, bool one) {
    return l->op == LOGIC_CONST && l->one == one;
}

static struct logic *leaf(struct logic_reader *r, struct ref x) {
    struct ref same = r->same[x.value];
    same.inverted ^= x.inverted;
    if (same.value == 0)
        return constant(r->m, same.inverted);
    struct logic *l = new_logic(r->m, LOGIC_LEAF);
    l->ref = same;
    return l;
}

static struct logic *invert(struct mapping *m, struct logic *x) {
    struct logic *l = new_logic(m, LOGIC_NOT);
    if (x->op == LOGIC_NOT)
        return x->args[0];
    if (x->op == LOGIC_CONST || x->op == LOGIC_LEAF) {
        *l = *x;
        l->one = !x->one;
        l->ref.inverted = !x->ref.inverted;
        return l;
    }
    l->args[l->count++] = x;
    return l;
}

static struct logic *join(struct mapping *m, enum logic_op op, struct logic *x, struct logic *y) {
    bool unit = op == LOGIC_AND; /* the constant that changes nothing */
    if (x->op == LOGIC_CONST) {
        struct logic *swapped = x;
        x = y;
        y = swapped;
    }
    if (y->op == LOGIC_CONST && op == LOGIC_XOR)
        return y->one ? invert(m, x) : x;
    if (y->op == LOGIC_CONST)
        return y->one == unit ? x : y;
    struct logic *l = new_logic(m, op);
    l->args[l->count++] = x;
    l->args[l->count++] = y;
    return l;
}

static struct logic *choose(struct mapping *m, struct logic *s, struct logic *x, struct logic *y) {
    if (s->op == LOGIC_CONST)
        return s->one ? x : y;
    if (is_constant(x, false))
        return join(m, LOGIC_AND, invert(m, s), y);
    if (is_constant(x, true))
        return join(m, LOGIC_OR, s, y);
    if (is_constant(y, false))
        return join(m, LOGIC_AND, s, x);
    if (is_constant(y, true))
        return join(m, LOGIC_OR, invert(m, s), x);
    struct logic *l = new_logic(m, LOGIC_CHOOSE);
    l->args[0] = s;
    l->args[1] = x;
    l->args[2] = y;
    l->count = 3;
    return l;
}

static struct logic *majority(struct mapping *m, struct logic *x, struct logic *y,
                              struct logic *z) {
    struct logic *args[] = {x, y, z};
    for (unsigned i = 0; i < 3; i++)
        if (args[i]->op == LOGIC_CONST)
            return join(m, args[i]->one ? LOGIC_OR : LOGIC_AND, args[(i + 1) % 3],
                        args[(i + 2) % 3]);
    struct logic *l = new_logic(m, LOGIC_MAJORITY);
    for (; l->count < 3; l->count++)
        l->args[l->count] = args[l->count];
    return l;
}

/* Its operands stay together, as those of the carry. */
static struct logic *sum(struct mapping *m, struct logic *x, struct logic *y, struct logic *z) {
    struct logic *args[] = {x, y, z};
    for (unsigned i = 0; i < 3; i++)
        if (args[i]->op == LOGIC_CONST)
            return join(m, LOGIC_XOR, join(m, LOGIC_XOR, args[(i + 1) % 3], args[(i + 2) % 3]),
                        args[i]);
    struct logic *l = new_logic(m, LOGIC_SUM);
    for (; l->count < 3; l->count++)
        l->args[l->count] = args[l->count];
    return l;
}

/* --- expressions --- */

static bool check_place(struct logic_reader *r, const struct recipe_expr *e) {
    struct mapping *m = r->m;
    const struct map_name *n = &m->names.data[e->ref];
    if (n->kind == NAME_NUMBER)
        return mapping_fail(m, e->at, "'%s' is a number: decide on it with 'if'", e->name);
    if (n->kind == NAME_REGISTER && e->kind != EXPR_INDEX)
        return mapping_fail(m, e->at, "'%s' is a register: say which bit, like %s[j]", e->name,
                            e->name);
    if (e->kind == EXPR_INDEX && n->kind != NAME_REGISTER && n->kind != NAME_SCRATCH)
        return mapping_fail(m, e->at, "'%s' is one bit, not a register", e->name);
    if (e->kind == EXPR_AT && n->kind != NAME_CARRY && n->kind != NAME_SCRATCH)
        return mapping_fail(m, e->at, "'@' goes with carries and scratch names, not with '%s'",
                            e->name);
    return check_position(r, e);
}

static struct logic *read_place(struct logic_reader *r, const struct recipe_expr *e) {
    if (!check_place(r, e))
        return NULL;
    uint32_t now = r->current[e->ref];
    const struct map_name *n = &r->m->names.data[e->ref];
    bool before = now == 0 || (n->kind == NAME_CARRY && e->kind == EXPR_AT);
    if (before && n->kind == NAME_SCRATCH && !n->written) {
        mapping_fail(r->m, e->at, "'%s' is read, but never written", e->name);
        return NULL;
    }
    return leaf(r, (struct ref){before ? input_of(r, e) : now - 1, false});
}

static struct logic *read_logic(struct logic_reader *r, const struct recipe_expr *e);

static struct logic *read_function(struct logic_reader *r, const struct recipe_expr *e) {
    struct logic *a[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < e->count && i < 3; i++)
        if (!(a[i] = read_logic(r, e->args[i])))
            return NULL;
    if (e->kind == EXPR_UNARY)
        return invert(r->m, a[0]);
    if (e->kind == EXPR_BINARY)
        return join(r->m,
                    e->op == '&'   ? LOGIC_AND
                    : e->op == '|' ? LOGIC_OR
                                   : LOGIC_XOR,
                    a[0], a[1]);
    return e->ref == LOGIC_MUX ? choose(r->m, a[0], a[1], a[2]) : majority(r->m, a[0], a[1], a[2]);
}

static struct logic *read_logic(struct logic_reader *r, const struct recipe_expr *e) {
    if (e->kind == EXPR_NUMBER && (e->number == 0 || e->number == 1))
        return constant(r->m, e->number != 0);
    if (e->kind == EXPR_NUMBER) {
        mapping_fail(r->m, e->at, "the only numbers in logic are 0 and 1");
        return NULL;
    }
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_AT)
        return read_place(r, e);
    return read_function(r, e);
}

/* --- definitions --- */

/* Values that the logic reads, each once; counts on beyond `max`. */
static unsigned list_leaves(const struct logic *l, uint32_t *list, unsigned count, unsigned max) {
    if (l->op == LOGIC_LEAF) {
        for (unsigned i = 0; i < count && i < max; i++)
            if (list[i] == l->ref.value)
                return count;
        if (count < max)
            list[count] = l->ref.value;
        return count + 1;
    }
    for (unsigned i = 0; i < l->count; i++)
        count = list_leaves(l->args[i], list, count, max);
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

static bool has_late_leaf(const struct segment *s, const struct logic *l) {
    if (l->op == LOGIC_LEAF)
        return s->values.data[l->ref.value].late;
    for (unsigned i = 0; i < l->count; i++)
        if (has_late_leaf(s, l->args[i]))
            return true;
    return false;
}

static bool has_valid(const struct segment *s, const struct logic *l) {
    if (l->op == LOGIC_LEAF)
        return s->values.data[l->ref.value].place == SEARCH_VALID;
    for (unsigned i = 0; i < l->count; i++)
        if (has_valid(s, l->args[i]))
            return true;
    return false;
}

/* How much a piece is worth splitting off: `valid` goes with the write of M that names it; then
 * as many inputs as a block may have; then what does not wait for a carry. */
static unsigned rank_piece(const struct segment *s, struct logic *l) {
    unsigned leaves = count_leaves(&l, 1);
    if (l->op == LOGIC_LEAF || leaves < 2 || leaves > SEARCH_MAX_INPUTS)
        return 0;
    return (has_valid(s, l) ? 0 : 4 * SEARCH_MAX_INPUTS) + 2 * leaves + !has_late_leaf(s, l);
}

static void find_piece(const struct segment *s, struct logic *l, struct logic **best,
                       unsigned *rank) {
    unsigned mine = rank_piece(s, l);
    if (mine > *rank) {
        *best = l;
        *rank = mine;
    }
    for (unsigned i = 0; i < l->count; i++)
        find_piece(s, l->args[i], best, rank);
}

static uint32_t define(struct logic_reader *r, struct logic *tree) {
    struct map_value v = {.tree = tree, .def = (uint32_t)r->s->defs.len};
    v.late = has_late_leaf(r->s, tree);
    return new_value(r, v);
}

static void add_def(struct logic_reader *r, struct logic **trees, unsigned count,
                    uint32_t *values) {
    struct map_def d = {.count = count, .at = r->at};
    for (unsigned i = 0; i < count; i++)
        values[i] = d.values[i] = define(r, trees[i]);
    vec_push(&r->s->defs, d);
}

/* Splits off pieces until what is left has three inputs.  Both trees of a `full` have the same
 * operands, so a piece of one is a piece of the other; and where there are more than three leaves,
 * some node has at least two and at most three of them. */
static void split(struct logic_reader *r, struct logic **trees, unsigned count) {
    while (count_leaves(trees, count) > SEARCH_MAX_INPUTS) {
        struct logic *piece = NULL, *taken = ARENA_NEW(&r->m->scratch, struct logic);
        unsigned rank = 0;
        for (unsigned i = 0; i < trees[0]->count; i++)
            find_piece(r->s, trees[0]->args[i], &piece, &rank);
        *taken = *piece;
        uint32_t value;
        add_def(r, &taken, 1, &value);
        *piece = *leaf(r, (struct ref){value, false});
    }
}

/* The value that a tree stands for; a leaf is a second name. */
static void assign(struct logic_reader *r, struct logic **trees, unsigned count, struct ref *refs) {
    struct logic *real[2];
    unsigned index[2], n = 0;
    split(r, trees, count);
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
        add_def(r, real, n, values);
    for (unsigned i = 0; i < n; i++)
        refs[index[i]] = (struct ref){values[i], false};
}

/* --- statements --- */

static bool check_target(struct logic_reader *r, const struct recipe_expr *e) {
    struct mapping *m = r->m;
    if (e->ref < SYMBOL_FIXED && e->ref != SYMBOL_C && e->ref != SYMBOL_M)
        return mapping_fail(m, e->at, "'%s' cannot be written", e->name);
    return check_place(r, e);
}

/* A name holds a value from now on.  Second names are followed at once, so values that are only
 * names of others never come to be. */
static bool write_name(struct logic_reader *r, const struct recipe_expr *target, struct ref ref) {
    if (!check_target(r, target))
        return false;
    struct segment *s = r->s;
    uint32_t value = ref.value;
    if (ref.inverted) {
        value = new_value(r, (struct map_value){.def = NOTHING});
        r->same[value] = ref;
    }
    r->current[target->ref] = value + 1;
    struct map_write w = {.name = target->ref, .ref = ref, .target = target, .at = r->at};
    for (size_t i = 0; i < s->writes.len; i++)
        if (s->writes.data[i].name == target->ref) {
            s->writes.data[i] = w;
            return true;
        }
    vec_push(&s->writes, w);
    return true;
}

static bool read_assignment(struct logic_reader *r, const struct recipe_stmt *s,
                            const struct recipe_expr *value) {
    struct logic *trees[2];
    struct ref refs[2];
    bool full = value->kind == EXPR_CALL && value->ref == LOGIC_FULL;
    unsigned count = full ? 2 : 1;
    r->at = s->at;
    if (full) {
        struct logic *a[3];
        for (unsigned i = 0; i < 3; i++)
            if (!(a[i] = read_logic(r, value->args[i])))
                return false;
        trees[0] = sum(r->m, a[0], a[1], a[2]);
        trees[1] = majority(r->m, a[0], a[1], a[2]);
    } else if (!(trees[0] = read_logic(r, value))) {
        return false;
    }
    assign(r, trees, count, refs);
    for (unsigned i = 0; i < count; i++)
        if (!write_name(r, s->targets[i], refs[i]))
            return false;
    return true;
}

/* Names that are only used inside the segment need no place. */
static void drop_local_writes(struct mapping *m, struct segment *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->writes.len; i++) {
        const struct map_name *n = &m->names.data[s->writes.data[i].name];
        if (n->kind != NAME_SCRATCH || n->exposed)
            s->writes.data[kept++] = s->writes.data[i];
    }
    s->writes.len = kept;
}

bool mapping_read_logic(struct mapping *m, struct segment *s) {
    struct logic_reader r = {.m = m, .s = s};
    bool fine = true;
    r.current = ARENA_ARRAY(&m->scratch, m->names.len, uint32_t);
    r.inputs = ARENA_ARRAY(&m->scratch, m->names.len, uint32_t);
    r.came_in = ARENA_ARRAY(&m->scratch, m->names.len, uint32_t);
    new_value(&r, (struct map_value){.place = SEARCH_CONST});
    if (s->carry)
        fine = read_assignment(&r, s->carry, s->carry->value);
    for (size_t i = 0; i < s->stmt_count && fine; i++)
        fine = read_assignment(&r, s->stmts[i], s->stmts[i]->value);
    drop_local_writes(m, s);
    return fine;
}
