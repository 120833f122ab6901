/* SPDX-License-Identifier: MIT
 * Checks of the tables of an object: every index, every range. */
#include "object/check_object.h"

#include <string.h>

void object_check_fail(struct check *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (c->ok)
        diag_verror(c->d, c->at, format, args);
    va_end(args);
    c->ok = false;
}

static void check_name(struct check *c, const char *what, const char *name) {
    if (!object_name_ok(name))
        object_check_fail(c, "a %s has a name with characters that names may not have, or none",
                          what);
}

void object_check_unique(struct check *c, struct map *seen, const char *what, const char *name) {
    check_name(c, what, name);
    if (!map_put(seen, name, 1))
        object_check_fail(c, "%s '%s' is there twice", what, name);
}

void object_check_place(struct check *c, const char *what, const char *name,
                        const struct place *p) {
    if (p->file != NO_INDEX && p->file >= c->o->files.len)
        object_check_fail(c, "%s '%s' stands in file %u of %zu", what, name, (unsigned)p->file,
                          c->o->files.len);
}

static void check_grid(struct check *c, const struct geometry *g) {
    uint64_t mpus = 1;
    bool fine = g->grid_dims <= GRID_MAX_DIMS;
    for (uint32_t i = 0; i < GRID_MAX_DIMS; i++) {
        bool used = i < g->grid_dims;
        fine &= used ? g->grid[i] >= 1 && g->grid[i] <= OBJECT_MAX_MPUS : g->grid[i] == 0;
        mpus *= used ? g->grid[i] : 1;
    }
    if (!fine || mpus > OBJECT_MAX_MPUS)
        object_check_fail(c, "the grid of MPUs is out of range: %u dimensions, %u by %u",
                          (unsigned)g->grid_dims, (unsigned)g->grid[0], (unsigned)g->grid[1]);
}

static void check_program(struct check *c) {
    const struct object *o = c->o;
    const struct geometry *g = &o->geometry;
    if (g->lanes < 1 || g->lanes > OBJECT_MAX_LANES || g->vrfs < 1 || g->vrfs > 64 || g->rfhs < 1 ||
        g->rfhs > 4096)
        object_check_fail(c, "the geometry is out of range: %u lanes, %u VRFs, %u RFHs",
                          (unsigned)g->lanes, (unsigned)g->vrfs, (unsigned)g->rfhs);
    check_grid(c, g);
    if (o->default_width < 1 || o->default_width > 64)
        object_check_fail(c, "the default width %u is not in 1..64", (unsigned)o->default_width);
    if (o->sets >> SET_COUNT)
        object_check_fail(c, "the program uses instruction sets that are not known: 0x%x",
                          (unsigned)o->sets);
    for (size_t i = 0; i < o->files.len && c->ok; i++)
        if (!o->files.data[i][0])
            object_check_fail(c, "file %zu has no name", i);
}

static void check_symbol(struct check *c, struct map *seen, const struct symbol *s) {
    uint64_t end = c->o->text.len;
    check_name(c, "symbol", s->name);
    object_check_place(c, "symbol", s->name, &s->place);
    if (s->kind > SYMBOL_ABS)
        object_check_fail(c, "symbol '%s' is of no known kind", s->name);
    if (s->global && !map_put(seen, s->name, 1))
        object_check_fail(c, "global symbol '%s' is there twice", s->name);
    if (!s->defined && (!s->global || s->kind == SYMBOL_ABS || c->o->linked))
        object_check_fail(c, "symbol '%s' is not defined", s->name);
    if (s->kind != SYMBOL_SUB && s->length != 0)
        object_check_fail(c, "symbol '%s' has a length but is no subroutine", s->name);
    if (s->kind == SYMBOL_ABS || !s->defined)
        return;
    if (s->value < 0 || (uint64_t)s->value > end || s->length > end - (uint64_t)s->value)
        object_check_fail(c, "symbol '%s' lies outside the text of %zu instructions", s->name,
                          c->o->text.len);
}

static void check_symbols(struct check *c) {
    struct map seen = {0};
    for (size_t i = 0; i < c->o->symbols.len && c->ok; i++)
        check_symbol(c, &seen, &c->o->symbols.data[i]);
    map_free(&seen);
}

/* What follows from the formula is what object_size_derive says. */
static void check_derived(struct check *c, uint32_t size) {
    const struct size_decl *s = &c->o->sizes.data[size];
    struct size_decl again = *s;
    if (!object_size_formula_ok(s, size)) {
        object_check_fail(
            c, "size '%s' is derived from what is not before it, beyond 2^40 or without sizes",
            s->name);
        return;
    }
    object_size_derive(c->o->sizes.data, &again);
    if (s->has_default || s->value || s->bound != again.bound || s->least != again.least ||
        s->most != again.most)
        object_check_fail(c, "size '%s' is derived, and has a default or another range", s->name);
}

static void check_sizes(struct check *c) {
    struct map seen = {0};
    for (size_t i = 0; i < c->o->sizes.len && c->ok; i++) {
        const struct size_decl *s = &c->o->sizes.data[i];
        object_check_unique(c, &seen, "size", s->name);
        object_check_place(c, "size", s->name, &s->place);
        if (s->op != SIZE_GIVEN)
            check_derived(c, (uint32_t)i);
        else if (s->has_default && (s->value < 1 || s->value > OBJECT_MAX_EXTENT))
            object_check_fail(c, "size '%s' has a default that is not in 1..2^40", s->name);
        else if (s->bound > OBJECT_MAX_EXTENT)
            object_check_fail(c, "size '%s' has a bound that is not in 1..2^40", s->name);
        else if (s->has_default && !object_size_allows(c->o, (uint32_t)i, s->value, NULL))
            object_check_fail(c, "size '%s' has a default above its bound", s->name);
    }
    map_free(&seen);
}

static void check_values(struct check *c) {
    struct map seen = {0};
    uint64_t elements = 0;
    if (c->o->values.len > OBJECT_MAX_VALUES)
        object_check_fail(c, "there are %zu link-time values; the most is %d", c->o->values.len,
                          OBJECT_MAX_VALUES);
    for (size_t i = 0; i < c->o->values.len && c->ok; i++) {
        const struct value_decl *v = &c->o->values.data[i];
        const char *problem = object_value_problem(v);
        object_check_unique(c, &seen, "value", v->name);
        object_check_place(c, "value", v->name, &v->place);
        if (problem)
            object_check_fail(c, "value '%s' %s", v->name, problem);
        else if (object_find_variable(c->o, v->name) != NO_INDEX)
            object_check_fail(c, "'%s' is both a variable and a link-time value", v->name);
        else if ((elements += object_value_count(v)) > OBJECT_MAX_ELEMENTS)
            object_check_fail(c, "the link-time values have more than 2^20 elements");
    }
    map_free(&seen);
}

bool object_extent_ok(const struct object *o, const struct extent *e) {
    if (e->size != NO_INDEX)
        return e->size < o->sizes.len;
    return e->value >= 1 && e->value <= OBJECT_MAX_EXTENT;
}

/* The numbers among the extents alone must not ask for more elements than any chip has. */
static void check_extents(struct check *c, const struct group *g) {
    uint64_t elements = g->per_mpu ? grid_mpus(&c->o->geometry) : 1;
    if (g->ndim < 1 || g->ndim > GROUP_MAX_DIMS) {
        object_check_fail(c, "group '%s' has %u dimensions", g->name, (unsigned)g->ndim);
        return;
    }
    for (uint32_t i = 0; i < g->ndim && c->ok; i++) {
        uint64_t n = g->extent[i].size == NO_INDEX ? g->extent[i].value : 1;
        if (!object_extent_ok(c->o, &g->extent[i]))
            object_check_fail(c, "extent %u of group '%s' is not in 1..2^40 or names no size",
                              (unsigned)i, g->name);
        else if (elements > OBJECT_MAX_EXTENT / n)
            object_check_fail(c, "group '%s' has more than 2^40 elements", g->name);
        else
            elements *= n;
    }
}

static void check_group(struct check *c, struct map *seen, size_t i) {
    const struct group *g = &c->o->groups.data[i];
    object_check_unique(c, seen, "group", g->name);
    object_check_place(c, "group", g->name, &g->place);
    check_extents(c, g);
    if (g->like != NO_INDEX && g->like >= i)
        object_check_fail(c, "group '%s' is like a group that is not before it", g->name);
    else if (g->like != NO_INDEX && g->per_mpu != c->o->groups.data[g->like].per_mpu)
        object_check_fail(c, "group '%s' is like a group that %s per MPU", g->name,
                          g->per_mpu ? "is not" : "is");
    if ((g->at_rfh == NO_INDEX) != (g->at_vrf == NO_INDEX) ||
        (g->at_rfh != NO_INDEX && (g->at_rfh > 4095 || g->at_vrf > 63)))
        object_check_fail(c, "group '%s' is fixed at a place that does not exist", g->name);
    if (g->like != NO_INDEX && g->at_rfh != NO_INDEX)
        object_check_fail(c, "group '%s' is both like another and fixed at a place", g->name);
}

static void check_groups(struct check *c) {
    struct map seen = {0};
    for (size_t i = 0; i < c->o->groups.len && c->ok; i++)
        check_group(c, &seen, i);
    map_free(&seen);
}

static void check_variable(struct check *c, struct map *seen, const struct variable *v) {
    object_check_unique(c, seen, "variable", v->name);
    object_check_place(c, "variable", v->name, &v->place);
    if (v->direction > (VAR_IN | VAR_OUT) && v->direction != (VAR_IN | VAR_CONSUMED))
        object_check_fail(c, "variable '%s' has no known direction", v->name);
    if (!object_type_ok(v->type))
        object_check_fail(c, "variable '%s' is of no known type", v->name);
    if (v->count < 1 || v->count > 64 || (!v->has_k && v->count != 1) || v->reg > 63 ||
        v->reg + v->count > 64)
        object_check_fail(c, "variable '%s' needs registers beyond r63", v->name);
    if (v->group != NO_INDEX && v->group >= c->o->groups.len)
        object_check_fail(c, "variable '%s' is in group %u of %zu", v->name, (unsigned)v->group,
                          c->o->groups.len);
    object_check_scope(c, "variable", v->name, v->group, &v->scope);
    const char *problem = c->ok ? object_form_problem(c->o, v) : NULL;
    if (problem)
        object_check_fail(c, "variable '%s' %s", v->name, problem);
}

static void check_variables(struct check *c) {
    struct map seen = {0};
    for (size_t i = 0; i < c->o->vars.len && c->ok; i++)
        check_variable(c, &seen, &c->o->vars.data[i]);
    map_free(&seen);
}

uint64_t object_elements(const struct object *o, const struct variable *v) {
    uint64_t elements = 1;
    if (v->group == NO_INDEX)
        return v->count;
    const struct group *g = &o->groups.data[v->group];
    if (g->per_mpu)
        elements = grid_mpus(&o->geometry);
    for (uint32_t i = 0; i < g->ndim; i++) {
        if (g->extent[i].size != NO_INDEX)
            return 0;
        elements *= g->extent[i].value;
    }
    return elements * v->count;
}

static void check_data(struct check *c) {
    const struct object *o = c->o;
    for (size_t i = 0; i < o->data.len && c->ok; i++) {
        const struct data_record *r = &o->data.data[i];
        if (r->variable >= o->vars.len) {
            object_check_fail(c, "data record %zu is for variable %u of %zu", i,
                              (unsigned)r->variable, o->vars.len);
            return;
        }
        const struct variable *v = &o->vars.data[r->variable];
        uint64_t elements = object_elements(o, v);
        if (r->count == 0 || r->count % v->count != 0 || (elements && r->count != elements))
            object_check_fail(c, "variable '%s' has %llu elements of initial data but needs %llu",
                              v->name, (unsigned long long)r->count, (unsigned long long)elements);
    }
}

const char *object_length_problem(const struct object *o, uint32_t variable, uint32_t length) {
    const struct variable *v = &o->vars.data[variable], *n = &o->vars.data[length];
    const struct group *g = v->group == NO_INDEX ? NULL : &o->groups.data[v->group];
    if (!g || g->ndim != 1 || g->per_mpu)
        return "is not of a group of one dimension, so that it has no length";
    if (n->group != NO_INDEX || n->type.kind != TYPE_UINT || n->has_k)
        return "needs an unsigned variable without a group as its length";
    if (v->form.order != FORM_LAST || v->form.shaped)
        return "has an array of another shape than its group, so that it has no length";
    if (n->direction & VAR_CONSUMED)
        return "needs a length that is there after the run, and its own is consumed";
    return NULL;
}

static void check_lengths(struct check *c) {
    const struct object *o = c->o;
    for (size_t i = 0; i < o->lengths.len && c->ok; i++) {
        const struct length_record *r = &o->lengths.data[i];
        if (r->variable >= o->vars.len || r->length >= o->vars.len) {
            object_check_fail(c, "length record %zu is of no variable", i);
            return;
        }
        const char *problem = object_length_problem(o, r->variable, r->length);
        if (problem)
            object_check_fail(c, "variable '%s' %s", o->vars.data[r->variable].name, problem);
        else if (i && r->variable <= o->lengths.data[i - 1].variable)
            object_check_fail(c, "length records are not in the order of their variables");
    }
}

static void check_constants(struct check *c) {
    const struct object *o = c->o;
    uint64_t last = 0, number;
    for (size_t i = 0; i < o->constants.len && c->ok; i++, last = number) {
        const struct constant_record *r = &o->constants.data[i];
        number = object_constant_number(o, r);
        if (number == UINT64_MAX || !object_name_ok(r->constant))
            object_check_fail(c, "constant record %zu is of no array, or names no constant", i);
        else if (i && number <= last)
            object_check_fail(c, "constant records are not in the order of their arrays");
    }
}

static void check_debugs(struct check *c) {
    for (size_t i = 0; i < c->o->debugs.len && c->ok; i++) {
        const struct debug_record *r = &c->o->debugs.data[i];
        if (r->kind > DEBUG_ASSERT ||
            (r->kind == DEBUG_PRINT && (r->reg > 63 || !object_type_ok(r->type))))
            object_check_fail(c, "debug record %zu is of no known kind, register or type", i);
    }
}

/* What the files say is not looked at here: recipe/ reads them. */
static void check_recipes(struct check *c) {
    if (c->o->recipes.len > OBJECT_MAX_RECIPES)
        object_check_fail(c, "there are %zu recipe files; the most is %d", c->o->recipes.len,
                          OBJECT_MAX_RECIPES);
    for (size_t i = 0; i < c->o->recipes.len && c->ok; i++) {
        const struct user_file *f = &c->o->recipes.data[i];
        if (!f->name[0] || f->size > OBJECT_MAX_RECIPE_TEXT || strlen(f->text) != f->size)
            object_check_fail(c, "recipe file %zu has no name, more than 1 MiB, or a byte 0", i);
    }
}

static void check_calls(struct check *c) {
    const struct object *o = c->o;
    for (size_t i = 0; i < o->calls.len && c->ok; i++) {
        const struct recipe_call *x = &o->calls.data[i];
        struct insn insn;
        if (isa_decode(x->word, &insn) != ISA_OK || !(isa_info(insn.op)->flags & ISA_USER))
            object_check_fail(c, "call %zu (0x%08x) is no user instruction", i, (unsigned)x->word);
        if (x->otherwise != NO_INDEX &&
            (x->otherwise >= o->symbols.len || o->symbols.data[x->otherwise].kind == SYMBOL_ABS))
            object_check_fail(c, "the 'else' of call %zu is no place in the text", i);
    }
}

/* The names of global symbols that stand for places in the text; zeroed is empty. */
static void find_callable(const struct object *o, struct map *names) {
    for (size_t i = 0; i < o->symbols.len; i++)
        if (o->symbols.data[i].global && o->symbols.data[i].kind != SYMBOL_ABS)
            map_put(names, o->symbols.data[i].name, 1);
}

static void check_signatures(struct check *c) {
    struct map seen = {0}, callable = {0};
    if (c->o->signatures.len)
        find_callable(c->o, &callable);
    for (size_t i = 0; i < c->o->signatures.len && c->ok; i++) {
        const struct sub_signature *s = &c->o->signatures.data[i];
        const char *problem = object_signature_problem(s);
        object_check_unique(c, &seen, "the signature of", s->name);
        object_check_place(c, "the signature of", s->name, &s->place);
        if (problem)
            object_check_fail(c, "the signature of '%s' %s", s->name, problem);
        else if (!map_get(&callable, s->name))
            object_check_fail(
                c, "there is a signature of '%s', which is no global label or subroutine", s->name);
    }
    map_free(&seen);
    map_free(&callable);
}

/* MPUs ascend and no MPU has two entries. */
static void check_entries(struct check *c) {
    const struct object *o = c->o;
    uint64_t next = 0;
    for (size_t i = 0; i < o->entries.len && c->ok; i++) {
        const struct entry *e = &o->entries.data[i];
        if (e->mpu_count < 1 || e->first_mpu < next ||
            (uint64_t)e->first_mpu + e->mpu_count > OBJECT_MAX_MPUS)
            object_check_fail(c, "entry %zu names MPUs that another names or that cannot exist", i);
        if (e->symbol != NO_INDEX &&
            (e->symbol >= o->symbols.len || o->symbols.data[e->symbol].kind == SYMBOL_ABS))
            object_check_fail(c, "entry %zu starts at no place in the text", i);
        next = (uint64_t)e->first_mpu + e->mpu_count;
    }
}

static void check_packages(struct check *c) {
    struct map seen = {0};
    for (size_t i = 0; i < c->o->packages.len && c->ok; i++) {
        const char *target = c->o->packages.data[i].target;
        if (!object_target_ok(target))
            object_check_fail(c, "a package is for a target with an impossible name");
        else if (!map_put(&seen, target, 1))
            object_check_fail(c, "the package for target '%s' is there twice", target);
    }
    map_free(&seen);
}

bool object_check(const struct object *o, struct diag *d, struct span at) {
    struct check c = {.o = o, .d = d, .at = at, .ok = true};
    void (*const steps[])(struct check *) = {
        check_program,     check_symbols,         check_sizes,        check_groups,
        check_variables,   check_values,          check_data,         check_lengths,
        check_constants,   check_debugs,          object_check_moves, check_recipes,
        check_calls,       check_signatures,      check_entries,      check_packages,
        object_check_text, object_check_finishes,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps && c.ok; i++)
        steps[i](&c);
    return c.ok;
}
