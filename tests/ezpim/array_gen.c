/* SPDX-License-Identifier: MIT
 * Programs about arrays: sizes, groups, variables, ensembles and loops. */
#include "tests/ezpim/array_gen.h"

#include "tests/ezpim/array_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 400 };

unsigned agen_below(struct agen *g, unsigned n) {
    return rng_below(&g->rng, n);
}

bool agen_chance(struct agen *g, unsigned one_in) {
    return agen_below(g, one_in) == 0;
}

bool agen_has(const struct agen *g, enum array_form form) {
    return (g->options->forms & form) != 0;
}

void agen_begin(struct agen *g) {
    for (unsigned i = 0; i < g->indent; i++)
        str_append(g->text, "    ");
}

static void add_list(struct agen *g, const char *format, va_list args) {
    char text[256];
    vsnprintf(text, sizeof text, format, args);
    str_append(g->text, text);
}

void agen_add(struct agen *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_list(g, format, args);
    va_end(args);
}

void agen_line(struct agen *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    agen_begin(g);
    add_list(g, format, args);
    va_end(args);
    agen_add(g, "\n");
}

const char *agen_type_name(struct rtype t, char text[8]) {
    if (t.is_bool)
        snprintf(text, 8, "bool");
    else
        snprintf(text, 8, "%c%u", t.is_signed ? 'i' : 'u', t.bits % 100);
    return text;
}

/* ---- expressions ---- */

static void know(struct agen *g, const char *name, struct rtype t) {
    struct rvar *v = &g->c.vars[g->c.var_count++];
    *v = (struct rvar){.type = t, .known = true};
    snprintf(v->name, sizeof v->name, "%.15s", name);
}

/* An element of each link-time value. */
static void know_values(struct agen *g) {
    char text[16];
    for (unsigned i = 0; i < g->value_count; i++) {
        const struct agen_list *v = &g->values[i];
        snprintf(text, sizeof text, "%.7s", v->name);
        if (v->count)
            snprintf(text, sizeof text, "%.7s[%u]", v->name, agen_below(g, v->count) % 10);
        know(g, text, v->type);
    }
}

/* An entry of each table, chosen by a variable of the group, or by an entry of another table. */
static void know_entries(struct agen *g, const struct agen_group *group) {
    char text[16], index[16];
    for (unsigned i = 0; i < g->table_count; i++) {
        const struct agen_list *t = &g->tables[i];
        const struct agen_var *v = &group->vars[agen_below(g, group->var_count)];
        if (!v->known || v->type.is_bool)
            continue;
        snprintf(index, sizeof index, "%.6s", v->name);
        if (i && !g->tables[i - 1].type.is_bool && agen_chance(g, 4))
            snprintf(index, sizeof index, "%.2s[%.6s]", g->tables[i - 1].name, v->name);
        snprintf(text, sizeof text, "%.2s[%.10s]", t->name, index);
        know(g, text, t->type);
    }
}

/* What an expression over the group may read: its variables come first. */
static void know_all(struct agen *g, const struct agen_group *group) {
    static const struct rtype u32 = {.bits = 32};
    char text[16];
    g->c.var_count = g->c.counter_count = 0;
    for (unsigned i = 0; i < group->var_count; i++)
        if (group->vars[i].known)
            know(g, group->vars[i].name, group->vars[i].type);
    know_values(g);
    know_entries(g, group);
    for (unsigned i = 0; i < AGEN_SHARED; i++)
        if (g->shared[i].known)
            know(g, g->shared[i].name, g->shared[i].type);
    for (unsigned i = 0; i < g->size_count; i++) {
        snprintf(text, sizeof text, "u32(%.8s)", g->known_sizes[i].text);
        know(g, text, u32);
    }
    for (unsigned i = 0; i < g->counter_count; i++) {
        const struct agen_counter *k = &g->counters[i];
        struct rcounter *r = &g->c.counters[g->c.counter_count];
        snprintf(text, sizeof text, "u32(%.7s)", k->name);
        if (!k->is_number)
            know(g, text, u32);
        else
            g->c.counter_count++;
        *r = (struct rcounter){.low = 0, .high = (int)k->last};
        memcpy(r->name, k->name, sizeof k->name);
    }
}

/* Whether a variable of the group stands in the text from `begin` on. */
static bool mentions(const struct agen *g, const struct agen_group *group, size_t begin) {
    for (unsigned i = 0; i < group->var_count; i++) {
        const char *name = group->vars[i].name;
        size_t n = strlen(name);
        for (const char *p = str_text(g->text) + begin; (p = strstr(p, name)); p += n)
            if (p[n] < '0' || p[n] > '9')
                return true;
    }
    return false;
}

void agen_expr(struct agen *g, const struct agen_group *group, struct rtype t, unsigned depth) {
    size_t begin = g->text->len;
    char type[8];
    know_all(g, group);
    for (unsigned i = 0; i < 4; i++) {
        g->text->len = begin;
        g->c.pool_used = 0;
        rnode_text(&g->c, rnode_random(&g->c, t, depth), g->text);
        if (mentions(g, group, begin))
            return;
    }
    g->text->len = begin;
    if (t.is_bool)
        agen_add(g, "%s != 0", group->vars[0].name);
    else
        agen_add(g, "%s(%s)", agen_type_name(t, type), group->vars[0].name);
}

struct agen_group *agen_group(struct agen *g) {
    return &g->groups[agen_below(g, g->group_count)];
}

static bool same_type(struct rtype a, struct rtype b) {
    return a.is_bool == b.is_bool && a.is_signed == b.is_signed && a.bits == b.bits;
}

static struct agen_var *find(struct agen *g, struct agen_group *group, const struct rtype *t,
                             bool writes) {
    unsigned start = agen_below(g, group->var_count);
    for (unsigned i = 0; i < group->var_count; i++) {
        struct agen_var *v = &group->vars[(start + i) % group->var_count];
        if ((writes ? v->writable : v->known) && (!t || same_type(v->type, *t)))
            return v;
    }
    return NULL;
}

struct agen_var *agen_writable(struct agen *g, struct agen_group *group, const struct rtype *t) {
    return find(g, group, t, true);
}

struct agen_var *agen_readable(struct agen *g, struct agen_group *group, const struct rtype *t) {
    return find(g, group, t, false);
}

/* ---- declarations ---- */

static const uint16_t usual[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 33, 63, 64, 65, 127, 511, 513};

static uint64_t random_extent(struct agen *g, uint64_t most) {
    uint64_t n = most < 2 || agen_chance(g, 4) ? 1 + agen_below(g, (unsigned)(most < 9 ? most : 9))
                                               : usual[agen_below(g, sizeof usual / 2)];
    return n <= most ? n : 1 + n % most;
}

/* With a value of its own, that of the host, or both. */
static void make_size(struct agen *g, uint64_t value) {
    static const char names[] = "nmp";
    struct agen_extent *s = &g->known_sizes[g->size_count];
    *s = (struct agen_extent){.text = {names[g->size_count++]}, .value = value};
    char bound[32] = "";
    if (agen_chance(g, 2))
        snprintf(bound, sizeof bound, " <= %llu", (unsigned long long)value + agen_below(g, 5));
    s->open = !bound[0];
    if (agen_chance(g, 2)) {
        agen_line(g, "size %s%s = %llu;", s->text, bound, (unsigned long long)value);
        return;
    }
    agen_line(g, "size %s%s;", s->text, bound);
    struct against_size *of = &g->sizes->items[g->sizes->count++];
    *of = (struct against_size){.value = value};
    snprintf(of->name, sizeof of->name, "%.7s", s->text);
}

/* A formula of sizes, of at most `most`. */
static bool formula(struct agen *g, uint64_t most, struct agen_extent *e) {
    const struct agen_extent *a = &g->known_sizes[agen_below(g, g->size_count)],
                             *b = &g->known_sizes[agen_below(g, g->size_count)];
    unsigned c = 1 + agen_below(g, 4);
    e->open = a->open || b->open;
    switch (agen_below(g, 6)) {
    case 0:
        snprintf(e->text, sizeof e->text, "%u * %.8s", c, a->text);
        e->value = c * a->value;
        break;
    case 1:
        snprintf(e->text, sizeof e->text, "%.8s + %u", a->text, c);
        e->value = a->value + c;
        break;
    case 2:
        snprintf(e->text, sizeof e->text, "(%.8s + %u) / %u", a->text, c, c + 1);
        e->value = (a->value + c) / (c + 1);
        break;
    case 3:
        snprintf(e->text, sizeof e->text, "%.8s / %u", a->text, c);
        e->value = a->value / c;
        break;
    case 4:
        snprintf(e->text, sizeof e->text, "%.8s * %.8s", a->text, b->text);
        e->value = a->value * b->value;
        break;
    default:
        snprintf(e->text, sizeof e->text, "(%.6s + %.6s - 1)", a->text, b->text);
        e->value = a->value + b->value - 1;
    }
    return e->value >= 1 && e->value <= most;
}

struct agen_extent agen_extent(struct agen *g, uint64_t most) {
    struct agen_extent e = {0};
    for (unsigned i = 0; i < 4; i++)
        if (agen_has(g, ARRAY_SIZES) && agen_chance(g, 2) && formula(g, most, &e))
            return e;
    for (unsigned i = 0; i < 3; i++) {
        e = g->known_sizes[agen_below(g, g->size_count)];
        if (e.value <= most && !agen_chance(g, 3))
            return e;
    }
    e.open = false;
    e.value = random_extent(g, most);
    snprintf(e.text, sizeof e.text, "%llu", (unsigned long long)e.value);
    return e;
}

struct agen_group *agen_new_group(struct agen *g, const char *name) {
    struct agen_group *group = &g->groups[g->group_count];
    *group = (struct agen_group){.elements = 1, .like = g->group_count++};
    snprintf(group->name, sizeof group->name, "%s", name);
    if (g->mpus) {
        struct agen_extent *e = &group->extents[group->ndim++];
        e->value = group->elements = g->mpus;
        snprintf(e->text, sizeof e->text, "%llu", (unsigned long long)g->mpus);
    }
    return group;
}

static void add_extents(struct agen *g, struct agen_group *group) {
    unsigned n = agen_chance(g, 3) ? 2 : agen_chance(g, 4) ? 3 : 1;
    for (unsigned d = 0; d < n; d++) {
        struct agen_extent e = agen_extent(g, g->options->most / group->elements);
        agen_add(g, "%s%s", d ? ", " : "[", e.text);
        group->extents[group->ndim++] = e;
        group->elements *= e.value;
    }
    agen_add(g, "]");
}

static void make_group(struct agen *g, unsigned number) {
    char name[8];
    snprintf(name, sizeof name, "g%u", number);
    bool like = number && agen_chance(g, 2);
    bool smaller = like && agen_has(g, ARRAY_SIZES) && agen_chance(g, 2);
    unsigned of = number ? agen_below(g, number) : 0;
    struct agen_group *group = agen_new_group(g, name);
    agen_add(g, "group %s", name);
    if (like && !smaller) {
        struct agen_group base = g->groups[of];
        group->ndim = base.ndim;
        group->elements = base.elements;
        memcpy(group->extents, base.extents, sizeof base.extents);
        group->like = base.like;
    } else {
        add_extents(g, group);
    }
    if (like)
        agen_add(g, " like g%u", of);
    agen_add(g, g->mpus && !like ? " on ring;\n" : ";\n");
}

/* The extents of the first group without one: for folds along it. */
static void make_folded(struct agen *g) {
    const struct agen_group base = g->groups[0];
    unsigned first = g->mpus != 0, without = first + agen_below(g, base.ndim - first);
    if (base.ndim - first < 2 || g->group_count == AGEN_GROUPS)
        return;
    struct agen_group *group = agen_new_group(g, "gf");
    agen_add(g, "group gf");
    for (unsigned d = first; d < base.ndim; d++) {
        if (d == without)
            continue;
        agen_add(g, "%s%s", group->ndim > first ? ", " : "[", base.extents[d].text);
        group->extents[group->ndim++] = base.extents[d];
        group->elements *= base.extents[d].value;
    }
    agen_add(g, g->mpus ? "] on ring;\n" : "];\n");
}

static void make_groups(struct agen *g) {
    unsigned n = 1 + agen_below(g, 3);
    for (unsigned i = 0; i < n; i++)
        make_group(g, i);
    if (agen_has(g, ARRAY_FOLDS))
        make_folded(g);
    if (agen_has(g, ARRAY_PRODUCTS) && !g->options->apart)
        agen_make_factors(g);
}

/* { 1, 2, 3 }, of values of the type. */
static void add_list_of(struct agen *g, struct rtype t, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        uint64_t x = rtype_pattern(&g->rng, t);
        agen_add(g, i ? ", " : "{ ");
        if (t.is_bool)
            agen_add(g, x ? "true" : "false");
        else if (t.is_signed)
            agen_add(g, "%lld", (long long)rtype_signed(x, t.bits));
        else
            agen_add(g, "%llu", (unsigned long long)x);
    }
    agen_add(g, " }");
}

static void make_value(struct agen *g) {
    struct agen_list *v = &g->values[g->value_count];
    char type[8];
    *v = (struct agen_list){.type = g->palette[agen_below(g, 3)]};
    snprintf(v->name, sizeof v->name, "h%u", g->value_count++);
    v->count = agen_chance(g, 3) ? 0 : 1 + agen_below(g, 5);
    agen_add(g, "host %s: %s", v->name, agen_type_name(v->type, type));
    if (v->count)
        agen_add(g, "[%u]", v->count);
    if (v->count && agen_chance(g, 2)) {
        agen_add(g, " = ");
        add_list_of(g, v->type, v->count);
    }
    agen_add(g, ";\n");
}

static void make_table(struct agen *g) {
    struct agen_list *t = &g->tables[g->table_count];
    unsigned most = g->options->cheap ? 9 : 70;
    char type[8];
    *t = (struct agen_list){.type = agen_chance(g, 5) ? (struct rtype){.is_bool = true, .bits = 1}
                                                      : g->palette[agen_below(g, 3)],
                            .count = 1 + agen_below(g, most)};
    snprintf(t->name, sizeof t->name, "T%u", g->table_count++);
    agen_add(g, "const %s: %s[%u] = ", t->name, agen_type_name(t->type, type), t->count);
    add_list_of(g, t->type, t->count);
    agen_add(g, ";\n");
}

static void make_lists(struct agen *g) {
    for (unsigned i = 0; i < AGEN_VALUES; i++)
        if (agen_has(g, ARRAY_VALUES) && agen_chance(g, 2))
            make_value(g);
    for (unsigned i = 0; i < AGEN_TABLES; i++)
        if (agen_has(g, ARRAY_TABLES) && agen_chance(g, 2))
            make_table(g);
}

/* One that has all values of t, which is none of bool. */
static struct rtype outside_of(struct agen *g, struct rtype t) {
    struct rtype r = {.is_signed = t.is_signed || (t.bits < 64 && agen_chance(g, 2))};
    r.bits = t.bits + (r.is_signed && !t.is_signed);
    if (r.bits < 64)
        r.bits += agen_below(g, 65 - r.bits);
    return r;
}

/* What is seen from outside may have another type there. */
static void add_type(struct agen *g, const char *word, struct rtype t) {
    char type[8];
    if (agen_has(g, ARRAY_OUTSIDE) && word[0] != 'v' && !t.is_bool && agen_chance(g, 3))
        agen_add(g, "%s as ", agen_type_name(outside_of(g, t), type));
    agen_add(g, "%s", agen_type_name(t, type));
}

static void make_var(struct agen *g, struct agen_group *group, const char *word, struct rtype t) {
    struct agen_var *v = &group->vars[group->var_count++];
    *v = (struct agen_var){.type = t, .known = word[0] == 'i'};
    v->writable = strcmp(word, "in") != 0;
    v->is_output = strcmp(word, "out") == 0 || strcmp(word, "inout") == 0;
    snprintf(v->name, sizeof v->name, "%c%u",
             word[0] == 'i'   ? 'x'
             : word[0] == 'o' ? 'z'
                              : 'v',
             g->names++);
    agen_add(g, "%s %s: ", word, v->name);
    add_type(g, word, t);
    agen_add(g, " @ %s;\n", group->name);
}

/* An index into some extent: about half of the values are inside of it. */
static struct rtype index_type(struct agen *g) {
    const struct agen_group *of = agen_group(g);
    uint64_t n = of->extents[agen_below(g, of->ndim)].value;
    struct rtype t = {.is_signed = agen_chance(g, 2), .bits = 1};
    while (n >> t.bits)
        t.bits++;
    t.bits += t.is_signed + agen_below(g, 2);
    return t;
}

static void make_vars(struct agen *g, struct agen_group *group) {
    for (unsigned i = 0; i < 2; i++)
        make_var(g, group, i ? "inout" : "in", g->palette[agen_below(g, 3)]);
    make_var(g, group, agen_chance(g, 2) ? "out" : "var", g->palette[agen_below(g, 3)]);
    make_var(g, group, "out", g->palette[agen_below(g, 3)]);
    if (agen_has(g, ARRAY_INDICES))
        make_var(g, group, agen_chance(g, 2) ? "in" : "inout", index_type(g));
    if (agen_has(g, ARRAY_FOLDS) && agen_chance(g, 3))
        make_var(g, group, "out", (struct rtype){.bits = 64});
}

static void make_shared(struct agen *g) {
    char type[8];
    for (unsigned i = 0; !g->options->apart && i < AGEN_SHARED; i++) {
        struct agen_var *v = &g->shared[i];
        *v = (struct agen_var){.writable = true, .is_output = true};
        v->type = i == 0   ? (struct rtype){.bits = 64}
                  : i == 1 ? (struct rtype){.is_bool = true, .bits = 1}
                           : g->palette[agen_below(g, 3)];
        snprintf(v->name, sizeof v->name, "s%c", (char)('a' + i));
        agen_line(g, "out %s: %s;", v->name, agen_type_name(v->type, type));
    }
}

/* ---- statements ---- */

static void compute(struct agen *g) {
    struct agen_group *group = agen_group(g);
    unsigned n = 1 + agen_below(g, 3);
    agen_line(g, "compute %s {", group->name);
    g->indent++;
    for (unsigned i = 0; i < n; i++) {
        struct agen_var *v = agen_writable(g, group, NULL);
        agen_begin(g);
        agen_add(g, "%s = ", v->name);
        agen_expr(g, group, v->type, 1 + agen_below(g, 3));
        agen_add(g, ";\n");
        v->known = true;
    }
    g->indent--;
    agen_line(g, "}");
}

static void statement(struct agen *g, unsigned depth);

/* What a loop that may have no laps writes is not known behind it. */
static void body(struct agen *g, unsigned depth, bool may_skip) {
    bool vars[AGEN_GROUPS][AGEN_VARS], shared[AGEN_SHARED];
    unsigned n = 1 + agen_below(g, 2);
    for (unsigned i = 0; i < g->group_count; i++)
        for (unsigned v = 0; v < g->groups[i].var_count; v++)
            vars[i][v] = g->groups[i].vars[v].known;
    for (unsigned i = 0; i < AGEN_SHARED; i++)
        shared[i] = g->shared[i].known;
    g->indent++;
    for (unsigned i = 0; i < n; i++)
        statement(g, depth + 1);
    g->indent--;
    agen_line(g, "}");
    for (unsigned i = 0; may_skip && i < g->group_count; i++)
        for (unsigned v = 0; v < g->groups[i].var_count; v++)
            g->groups[i].vars[v].known = vars[i][v];
    for (unsigned i = 0; may_skip && i < AGEN_SHARED; i++)
        g->shared[i].known = shared[i];
}

static void repeat(struct agen *g, unsigned depth) {
    const struct agen_extent *s = &g->known_sizes[agen_below(g, g->size_count)];
    if (agen_has(g, ARRAY_SIZES) && agen_chance(g, 2) && s->value < 8)
        agen_line(g, "repeat (%s / 2) {", s->text);
    else if (agen_chance(g, 3) && s->value < 5)
        agen_line(g, "repeat (%s) {", s->text);
    else
        agen_line(g, "repeat (%u) {", 1 + agen_below(g, 3));
    body(g, depth, true);
}

static void loop(struct agen *g, unsigned depth) {
    const struct agen_extent *s = &g->known_sizes[agen_below(g, g->size_count)];
    struct agen_counter *k = &g->counters[g->counter_count++];
    *k = (struct agen_counter){.last = agen_below(g, 3), .is_number = true};
    snprintf(k->name, sizeof k->name, "c%u", g->names++);
    bool of_size = agen_has(g, ARRAY_STEPS) && s->value < 6 && agen_chance(g, 2);
    if (of_size) {
        k->last = s->value - 1;
        k->is_number = false;
        agen_line(g, "for %s: 0 .. %s {", k->name, s->text);
    } else {
        agen_line(g, "%sfor %s: 0 .. %llu {", agen_chance(g, 4) ? "unroll " : "", k->name,
                  (unsigned long long)k->last + 1);
    }
    body(g, depth, of_size);
    g->counter_count--;
}

static void statement(struct agen *g, unsigned depth) {
    unsigned choice = agen_below(g, 12);
    if (choice < 2 && depth < 2)
        agen_chance(g, 2) ? repeat(g, depth) : loop(g, depth);
    else if (g->options->apart)
        compute(g);
    else if (choice < 5)
        agen_move(g);
    else if (choice < 7 && agen_has(g, ARRAY_INDICES))
        agen_indexed(g);
    else if (choice == 7)
        agen_fold(g);
    else if (choice == 8 && agen_has(g, ARRAY_FOLDS))
        agen_fold_along(g);
    else if (choice == 9)
        agen_scan(g);
    else if (choice == 10 && agen_has(g, ARRAY_PRODUCTS))
        agen_product(g);
    else if (choice == 11 && agen_has(g, ARRAY_SORTS))
        agen_sort(g);
    else
        compute(g);
}

/* Outputs that may not have a value yet get one. */
static void finish_group(struct agen *g, struct agen_group *group) {
    for (unsigned i = 0; i < group->var_count; i++) {
        struct agen_var *v = &group->vars[i];
        if (v->known || !v->is_output)
            continue;
        agen_begin(g);
        agen_add(g, "compute %s { %s = ", group->name, v->name);
        agen_expr(g, group, v->type, 1);
        agen_add(g, "; }\n");
        v->known = true;
    }
}

static void finish_shared(struct agen *g) {
    const char *x = g->groups[0].vars[0].name;
    char type[8];
    for (unsigned i = 0; i < AGEN_SHARED; i++) {
        const struct agen_var *v = &g->shared[i];
        if (v->known || !v->is_output)
            continue;
        if (v->type.is_bool)
            agen_line(g, "%s = any(%s != 0);", v->name, x);
        else
            agen_line(g, "%s = sum(%s(%s));", v->name, agen_type_name(v->type, type), x);
    }
}

static void make_main(struct agen *g) {
    unsigned n = 4 + agen_below(g, 5);
    agen_line(g, g->mpus ? "main on ring {" : "main {");
    g->indent++;
    for (unsigned i = 0; i < n; i++)
        statement(g, 0);
    for (unsigned i = 0; i < g->group_count; i++)
        finish_group(g, &g->groups[i]);
    finish_shared(g);
    g->indent--;
    agen_line(g, "}");
}

static struct rtype number_type(struct agen *g) {
    struct rtype t;
    do
        t = rtype_random(&g->rng);
    while (t.is_bool || t.bits > 40);
    return t;
}

static void make_program(struct agen *g) {
    for (unsigned i = 0; i < 3; i++)
        g->palette[i] = i ? number_type(g) : (struct rtype){.bits = 8};
    unsigned sizes = 1 + agen_below(g, 3);
    for (unsigned i = 0; i < sizes; i++)
        make_size(g, random_extent(g, agen_chance(g, 2) ? 6 : g->options->most));
    if (!g->options->alone && agen_chance(g, 4))
        agen_line(g, "mpus ring[%u];", (unsigned)(g->mpus = 2 + agen_below(g, 3)));
    make_groups(g);
    make_lists(g);
    make_shared(g);
    for (unsigned i = 0; i < g->group_count; i++)
        make_vars(g, &g->groups[i]);
    make_main(g);
}

void array_random(uint64_t seed, const struct array_options *options, struct str *text,
                  struct against_sizes *sizes) {
    struct agen *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->options = options;
    g->rng.state = seed;
    g->text = text;
    g->sizes = sizes;
    sizes->count = 0;
    g->c.rng = &g->rng;
    g->c.all_operations = !options->cheap;
    g->c.pool_size = POOL;
    g->c.pool = calloc(POOL, sizeof *g->c.pool);
    str_clear(text);
    make_program(g);
    free(g->c.pool);
    free(g);
}
