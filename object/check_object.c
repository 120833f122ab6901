/* SPDX-License-Identifier: MIT
 * Checks of the tables of an object: every index, every range. */
#include "object/check_object.h"

#include <string.h>

void object_check_fail(struct check *check, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (check->ok)
        diag_verror(check->d, check->at, format, args);
    va_end(args);
    check->ok = false;
}

static void check_name(struct check *check, const char *what, const char *name) {
    if (!object_name_ok(name))
        object_check_fail(check, "a %s has a name with characters that names may not have, or none",
                          what);
}

void object_check_unique(struct check *check, struct map *seen, const char *what,
                         const char *name) {
    check_name(check, what, name);
    if (!map_put(seen, name, 1))
        object_check_fail(check, "%s '%s' is there twice", what, name);
}

void object_check_place(struct check *check, const char *what, const char *name,
                        const struct place *place) {
    if (place->file != NO_INDEX && place->file >= check->o->files.len)
        object_check_fail(check, "%s '%s' stands in file %u of %zu", what, name,
                          (unsigned)place->file, check->o->files.len);
}

static void check_grid(struct check *check, const struct geometry *geometry) {
    uint64_t mpus = 1;
    bool fine = geometry->grid_dims <= GRID_MAX_DIMS;
    for (uint32_t i = 0; i < GRID_MAX_DIMS; i++) {
        bool used = i < geometry->grid_dims;
        fine &= used ? geometry->grid[i] >= 1 && geometry->grid[i] <= OBJECT_MAX_MPUS
                     : geometry->grid[i] == 0;
        mpus *= used ? geometry->grid[i] : 1;
    }
    if (!fine || mpus > OBJECT_MAX_MPUS)
        object_check_fail(check, "the grid of MPUs is out of range: %u dimensions, %u by %u",
                          (unsigned)geometry->grid_dims, (unsigned)geometry->grid[0],
                          (unsigned)geometry->grid[1]);
}

static void check_program(struct check *check) {
    const struct object *o = check->o;
    const struct geometry *g = &o->geometry;
    if (g->lanes < 1 || g->lanes > OBJECT_MAX_LANES || g->vrfs < 1 || g->vrfs > 64 || g->rfhs < 1 ||
        g->rfhs > 4096)
        object_check_fail(check, "the geometry is out of range: %u lanes, %u VRFs, %u RFHs",
                          (unsigned)g->lanes, (unsigned)g->vrfs, (unsigned)g->rfhs);
    check_grid(check, g);
    if (o->default_width < 1 || o->default_width > 64)
        object_check_fail(check, "the default width %u is not in 1..64",
                          (unsigned)o->default_width);
    if (o->sets >> SET_COUNT)
        object_check_fail(check, "the program uses instruction sets that are not known: 0x%x",
                          (unsigned)o->sets);
    for (size_t i = 0; i < o->files.len && check->ok; i++)
        if (!o->files.data[i][0])
            object_check_fail(check, "file %zu has no name", i);
}

static void check_symbol(struct check *check, struct map *seen, const struct symbol *symbol) {
    uint64_t end = check->o->text.len;
    check_name(check, "symbol", symbol->name);
    object_check_place(check, "symbol", symbol->name, &symbol->place);
    if (symbol->kind > SYMBOL_ABS)
        object_check_fail(check, "symbol '%s' is of no known kind", symbol->name);
    if (symbol->global && !map_put(seen, symbol->name, 1))
        object_check_fail(check, "global symbol '%s' is there twice", symbol->name);
    if (!symbol->defined && (!symbol->global || symbol->kind == SYMBOL_ABS || check->o->linked))
        object_check_fail(check, "symbol '%s' is not defined", symbol->name);
    if (symbol->kind != SYMBOL_SUB && symbol->length != 0)
        object_check_fail(check, "symbol '%s' has a length but is no subroutine", symbol->name);
    if (symbol->kind == SYMBOL_ABS || !symbol->defined)
        return;
    if (symbol->value < 0 || (uint64_t)symbol->value > end ||
        symbol->length > end - (uint64_t)symbol->value)
        object_check_fail(check, "symbol '%s' lies outside the text of %zu instructions",
                          symbol->name, check->o->text.len);
}

static void check_symbols(struct check *check) {
    struct map seen = {0};
    for (size_t i = 0; i < check->o->symbols.len && check->ok; i++)
        check_symbol(check, &seen, &check->o->symbols.data[i]);
    map_free(&seen);
}

/* What follows from the formula is what object_size_derive says. */
static void check_derived(struct check *check, uint32_t size) {
    const struct size_decl *s = &check->o->sizes.data[size];
    struct size_decl again = *s;
    if (!object_size_formula_ok(s, size)) {
        object_check_fail(
            check, "size '%s' is derived from what is not before it, beyond 2^40 or without sizes",
            s->name);
        return;
    }
    object_size_derive(check->o->sizes.data, &again);
    if (s->has_default || s->value || s->bound != again.bound || s->least != again.least ||
        s->most != again.most)
        object_check_fail(check, "size '%s' is derived, and has a default or another range",
                          s->name);
}

static void check_sizes(struct check *check) {
    struct map seen = {0};
    for (size_t i = 0; i < check->o->sizes.len && check->ok; i++) {
        const struct size_decl *s = &check->o->sizes.data[i];
        object_check_unique(check, &seen, "size", s->name);
        object_check_place(check, "size", s->name, &s->place);
        if (s->op != SIZE_GIVEN)
            check_derived(check, (uint32_t)i);
        else if (s->has_default && (s->value < 1 || s->value > OBJECT_MAX_EXTENT))
            object_check_fail(check, "size '%s' has a default that is not in 1..2^40", s->name);
        else if (s->bound > OBJECT_MAX_EXTENT)
            object_check_fail(check, "size '%s' has a bound that is not in 1..2^40", s->name);
        else if (s->has_default && !object_size_allows(check->o, (uint32_t)i, s->value, NULL))
            object_check_fail(check, "size '%s' has a default above its bound", s->name);
    }
    map_free(&seen);
}

static void check_values(struct check *check) {
    struct map seen = {0};
    uint64_t elements = 0;
    if (check->o->values.len > OBJECT_MAX_VALUES)
        object_check_fail(check, "there are %zu link-time values; the most is %d",
                          check->o->values.len, OBJECT_MAX_VALUES);
    for (size_t i = 0; i < check->o->values.len && check->ok; i++) {
        const struct value_decl *v = &check->o->values.data[i];
        const char *problem = object_value_problem(v);
        object_check_unique(check, &seen, "value", v->name);
        object_check_place(check, "value", v->name, &v->place);
        if (problem)
            object_check_fail(check, "value '%s' %s", v->name, problem);
        else if (object_find_variable(check->o, v->name) != NO_INDEX)
            object_check_fail(check, "'%s' is both a variable and a link-time value", v->name);
        else if ((elements += object_value_count(v)) > OBJECT_MAX_ELEMENTS)
            object_check_fail(check, "the link-time values have more than 2^20 elements");
    }
    map_free(&seen);
}

static void check_luts(struct check *check) {
    const struct object *o = check->o;
    struct map seen = {0};
    uint64_t entries = 0;
    if (o->luts.len > OBJECT_MAX_LUTS)
        object_check_fail(check, "there are %zu tables; the most is %d", o->luts.len,
                          OBJECT_MAX_LUTS);
    for (size_t i = 0; i < o->luts.len && check->ok; i++) {
        const struct lut_decl *t = &o->luts.data[i];
        const char *problem = object_lut_problem(o, t);
        object_check_unique(check, &seen, "table", t->name);
        object_check_place(check, "table", t->name, &t->place);
        if (problem)
            object_check_fail(check, "table '%s' %s", t->name, problem);
        else if (o->linked && t->table.index_bits > t->table.width)
            object_check_fail(check, "table '%s' has an index of more bits than its width",
                              t->name);
        else if (!o->linked && t->element_bits != t->table.width)
            object_check_fail(check, "table '%s' was not declared at its width", t->name);
        else if ((entries += UINT64_C(1) << t->table.index_bits) > OBJECT_MAX_LUT_ENTRIES)
            object_check_fail(check, "the tables have more than 2^22 elements");
    }
    map_free(&seen);
}

static void check_products(struct check *check) {
    const struct object *o = check->o;
    struct map seen = {0};
    if (o->products.len > ISA_MAX_PRODUCTS)
        object_check_fail(check, "there are %zu shapes of products; the most is %d",
                          o->products.len, ISA_MAX_PRODUCTS);
    for (size_t i = 0; i < o->products.len && check->ok; i++) {
        const struct product_decl *p = &o->products.data[i];
        const char *problem = isa_product_problem(&p->product);
        object_check_unique(check, &seen, "shape", p->name);
        object_check_place(check, "shape", p->name, &p->place);
        if (problem)
            object_check_fail(check, "shape '%s' is none: a product %s", p->name, problem);
    }
    map_free(&seen);
}

/* The numbers among the extents alone must not ask for more elements than any chip has. */
static void check_extents(struct check *check, const struct group *group) {
    uint64_t elements = group->per_mpu ? grid_mpus(&check->o->geometry) : 1;
    if (group->ndim < 1 || group->ndim > GROUP_MAX_DIMS) {
        object_check_fail(check, "group '%s' has %u dimensions", group->name,
                          (unsigned)group->ndim);
        return;
    }
    for (uint32_t i = 0; i < group->ndim && check->ok; i++) {
        uint64_t n = group->extent[i].size == NO_INDEX ? group->extent[i].value : 1;
        if (!object_extent_ok(check->o, &group->extent[i]))
            object_check_fail(check, "extent %u of group '%s' is not in 1..2^40 or names no size",
                              (unsigned)i, group->name);
        else if (elements > OBJECT_MAX_EXTENT / n)
            object_check_fail(check, "group '%s' has more than 2^40 elements", group->name);
        else
            elements *= n;
    }
}

static void check_group(struct check *check, struct map *seen, size_t index) {
    const struct group *g = &check->o->groups.data[index];
    object_check_unique(check, seen, "group", g->name);
    object_check_place(check, "group", g->name, &g->place);
    check_extents(check, g);
    if (g->like != NO_INDEX && g->like >= index)
        object_check_fail(check, "group '%s' is like a group that is not before it", g->name);
    else if (g->like != NO_INDEX && g->per_mpu != check->o->groups.data[g->like].per_mpu)
        object_check_fail(check, "group '%s' is like a group that %s per MPU", g->name,
                          g->per_mpu ? "is not" : "is");
    if ((g->at_rfh == NO_INDEX) != (g->at_vrf == NO_INDEX) ||
        (g->at_rfh != NO_INDEX && (g->at_rfh > 4095 || g->at_vrf > 63)))
        object_check_fail(check, "group '%s' is fixed at a place that does not exist", g->name);
    if (g->like != NO_INDEX && g->at_rfh != NO_INDEX)
        object_check_fail(check, "group '%s' is both like another and fixed at a place", g->name);
}

static void check_groups(struct check *check) {
    struct map seen = {0};
    for (size_t i = 0; i < check->o->groups.len && check->ok; i++)
        check_group(check, &seen, i);
    map_free(&seen);
}

static void check_variable(struct check *check, struct map *seen, const struct variable *variable) {
    object_check_unique(check, seen, "variable", variable->name);
    object_check_place(check, "variable", variable->name, &variable->place);
    if (variable->direction > (VAR_IN | VAR_OUT) && variable->direction != (VAR_IN | VAR_CONSUMED))
        object_check_fail(check, "variable '%s' has no known direction", variable->name);
    if (!object_type_ok(variable->type))
        object_check_fail(check, "variable '%s' is of no known type", variable->name);
    if (variable->count < 1 || variable->count > 64 || (!variable->has_k && variable->count != 1) ||
        variable->reg > 63 || variable->reg + variable->count > 64)
        object_check_fail(check, "variable '%s' needs registers beyond r63", variable->name);
    if (variable->group != NO_INDEX && variable->group >= check->o->groups.len)
        object_check_fail(check, "variable '%s' is in group %u of %zu", variable->name,
                          (unsigned)variable->group, check->o->groups.len);
    object_check_scope(check, "variable", variable->name, variable->group, &variable->scope);
    const char *problem = check->ok ? object_form_problem(check->o, variable) : NULL;
    if (problem)
        object_check_fail(check, "variable '%s' %s", variable->name, problem);
}

static void check_variables(struct check *check) {
    struct map seen = {0};
    for (size_t i = 0; i < check->o->vars.len && check->ok; i++)
        check_variable(check, &seen, &check->o->vars.data[i]);
    map_free(&seen);
}

static void check_data(struct check *check) {
    const struct object *o = check->o;
    for (size_t i = 0; i < o->data.len && check->ok; i++) {
        const struct data_record *r = &o->data.data[i];
        if (r->variable >= o->vars.len) {
            object_check_fail(check, "data record %zu is for variable %u of %zu", i,
                              (unsigned)r->variable, o->vars.len);
            return;
        }
        const struct variable *v = &o->vars.data[r->variable];
        uint64_t elements = object_elements(o, v);
        if (r->count == 0 || r->count % v->count != 0 || (elements && r->count != elements))
            object_check_fail(check,
                              "variable '%s' has %llu elements of initial data but needs %llu",
                              v->name, (unsigned long long)r->count, (unsigned long long)elements);
    }
}

const char *object_length_problem(const struct object *object, uint32_t variable, uint32_t length) {
    const struct variable *v = &object->vars.data[variable], *n = &object->vars.data[length];
    const struct group *g = v->group == NO_INDEX ? NULL : &object->groups.data[v->group];
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

static void check_lengths(struct check *check) {
    const struct object *o = check->o;
    for (size_t i = 0; i < o->lengths.len && check->ok; i++) {
        const struct length_record *r = &o->lengths.data[i];
        if (r->variable >= o->vars.len || r->length >= o->vars.len) {
            object_check_fail(check, "length record %zu is of no variable", i);
            return;
        }
        const char *problem = object_length_problem(o, r->variable, r->length);
        if (problem)
            object_check_fail(check, "variable '%s' %s", o->vars.data[r->variable].name, problem);
        else if (i && r->variable <= o->lengths.data[i - 1].variable)
            object_check_fail(check, "length records are not in the order of their variables");
    }
}

static void check_constants(struct check *check) {
    const struct object *o = check->o;
    uint64_t last = 0, number;
    for (size_t i = 0; i < o->constants.len && check->ok; i++, last = number) {
        const struct constant_record *r = &o->constants.data[i];
        number = object_constant_number(o, r);
        if (number == UINT64_MAX || !object_name_ok(r->constant))
            object_check_fail(check, "constant record %zu is of no array, or names no constant", i);
        else if (i && number <= last)
            object_check_fail(check, "constant records are not in the order of their arrays");
    }
}

static void check_debugs(struct check *check) {
    for (size_t i = 0; i < check->o->debugs.len && check->ok; i++) {
        const struct debug_record *r = &check->o->debugs.data[i];
        if (r->kind >= DEBUG_KINDS ||
            (object_debug_has_register(r->kind) && (r->reg > 63 || !object_type_ok(r->type))))
            object_check_fail(check, "debug record %zu is of no known kind, register or type", i);
    }
}

/* What the files say is not looked at here: recipe/ reads them. */
static void check_recipes(struct check *check) {
    if (check->o->recipes.len > OBJECT_MAX_RECIPES)
        object_check_fail(check, "there are %zu recipe files; the most is %d",
                          check->o->recipes.len, OBJECT_MAX_RECIPES);
    for (size_t i = 0; i < check->o->recipes.len && check->ok; i++) {
        const struct user_file *f = &check->o->recipes.data[i];
        if (!f->name[0] || f->size > OBJECT_MAX_RECIPE_TEXT || strlen(f->text) != f->size)
            object_check_fail(check, "recipe file %zu has no name, more than 1 MiB, or a byte 0",
                              i);
    }
}

static void check_calls(struct check *check) {
    const struct object *o = check->o;
    for (size_t i = 0; i < o->calls.len && check->ok; i++) {
        const struct recipe_call *x = &o->calls.data[i];
        struct insn insn;
        if (object_call_kernel(o, x)) {
            object_check_arguments(check, i);
            continue;
        }
        if (isa_decode(x->word, &insn) != ISA_OK || !(isa_info(insn.op)->flags & ISA_USER))
            object_check_fail(check, "call %zu (0x%08x) is no user instruction or kernel", i,
                              (unsigned)x->word);
        if (x->otherwise != NO_INDEX &&
            (x->otherwise >= o->symbols.len || o->symbols.data[x->otherwise].kind == SYMBOL_ABS))
            object_check_fail(check, "the 'else' of call %zu is no place in the text", i);
    }
}

/* The names of global symbols that stand for places in the text; zeroed is empty. */
static void find_callable(const struct object *object, struct map *names) {
    for (size_t i = 0; i < object->symbols.len; i++)
        if (object->symbols.data[i].global && object->symbols.data[i].kind != SYMBOL_ABS)
            map_put(names, object->symbols.data[i].name, 1);
}

static void check_signatures(struct check *check) {
    struct map seen = {0}, callable = {0};
    if (check->o->signatures.len)
        find_callable(check->o, &callable);
    for (size_t i = 0; i < check->o->signatures.len && check->ok; i++) {
        const struct sub_signature *s = &check->o->signatures.data[i];
        const char *problem = object_signature_problem(s);
        object_check_unique(check, &seen, "the signature of", s->name);
        object_check_place(check, "the signature of", s->name, &s->place);
        if (problem)
            object_check_fail(check, "the signature of '%s' %s", s->name, problem);
        else if (!map_get(&callable, s->name))
            object_check_fail(
                check, "there is a signature of '%s', which is no global label or subroutine",
                s->name);
    }
    map_free(&seen);
    map_free(&callable);
}

/* MPUs ascend and no MPU has two entries. */
static void check_entries(struct check *check) {
    const struct object *o = check->o;
    uint64_t next = 0;
    for (size_t i = 0; i < o->entries.len && check->ok; i++) {
        const struct entry *e = &o->entries.data[i];
        if (e->mpu_count < 1 || e->first_mpu < next ||
            (uint64_t)e->first_mpu + e->mpu_count > OBJECT_MAX_MPUS)
            object_check_fail(check, "entry %zu names MPUs that another names or that cannot exist",
                              i);
        if (e->symbol != NO_INDEX &&
            (e->symbol >= o->symbols.len || o->symbols.data[e->symbol].kind == SYMBOL_ABS))
            object_check_fail(check, "entry %zu starts at no place in the text", i);
        next = (uint64_t)e->first_mpu + e->mpu_count;
    }
}

static void check_packages(struct check *check) {
    struct map seen = {0};
    for (size_t i = 0; i < check->o->packages.len && check->ok; i++) {
        const char *target = check->o->packages.data[i].target;
        if (!object_target_ok(target))
            object_check_fail(check, "a package is for a target with an impossible name");
        else if (!map_put(&seen, target, 1))
            object_check_fail(check, "the package for target '%s' is there twice", target);
    }
    map_free(&seen);
}

/* What is put in and out has the same names in both, in the same order. */
static bool same_names(const struct object *left, const struct object *right) {
    bool same = left->vars.len == right->vars.len && left->values.len == right->values.len;
    for (size_t i = 0; same && i < left->vars.len; i++)
        same = strcmp(left->vars.data[i].name, right->vars.data[i].name) == 0;
    for (size_t i = 0; same && i < left->values.len; i++)
        same = strcmp(left->values.data[i].name, right->values.data[i].name) == 0;
    return same;
}

static void check_own_texts(struct check *check) {
    const struct object *o = check->o;
    if (o->own_texts.len > OBJECT_MAX_OWN_TEXTS)
        object_check_fail(check, "there are more than %d texts of single machines",
                          OBJECT_MAX_OWN_TEXTS);
    for (size_t i = 0; i < o->own_texts.len && check->ok; i++) {
        const struct own_text *t = &o->own_texts.data[i];
        if (!object_machines_ok(t->machines))
            object_check_fail(check, "a text is for machines with impossible names");
        else if (t->program->own_texts.len || t->program->linked != o->linked ||
                 !same_names(o, t->program))
            object_check_fail(check, "the text of '%.100s' is not one of this program",
                              t->machines);
    }
}

bool object_check(const struct object *object, struct diag *diag, struct span at) {
    struct check c = {.o = object, .d = diag, .at = at, .ok = true};
    void (*const steps[])(struct check *) = {
        check_program,      check_symbols,         check_sizes,          check_groups,
        check_variables,    check_values,          check_luts,           check_products,
        check_data,         check_lengths,         check_constants,      check_debugs,
        object_check_moves, check_recipes,         object_check_kernels, check_calls,
        check_signatures,   check_entries,         check_packages,       check_own_texts,
        object_check_text,  object_check_finishes, object_check_numbers,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps && c.ok; i++)
        steps[i](&c);
    return c.ok;
}
