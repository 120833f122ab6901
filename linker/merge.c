/* SPDX-License-Identifier: MIT
 * Joining the tables and the text of the inputs. */
#include "linker/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t *index_map(struct link *l, size_t count) {
    return ARENA_ARRAY(&l->arena, count, uint32_t);
}

static const char *copy_text(struct link *l, const char *text) {
    return text ? arena_strdup(&l->out->arena, text) : NULL;
}

/* Reports that `what` of this name is declared here and, differently, by an earlier input. */
static void differs(struct link *l, const struct link_input *in, const char *what, const char *name,
                    struct place here, struct place before) {
    diag_error(l->d, object_span(l->out, link_place_out(in, here), l->d),
               "%s '%s' is declared differently in %s than before", what, name,
               link_input_name(in));
    diag_note(l->d, object_span(l->out, before, l->d), "the other declaration of '%s' is here",
              name);
}

static void merge_files(struct link *l, struct link_input *in) {
    in->files = index_map(l, in->o->files.len);
    for (size_t i = 0; i < in->o->files.len; i++)
        in->files[i] = object_file(l->out, in->o->files.data[i]);
}

static void grid_text(const struct geometry *g, char out[32]) {
    if (g->grid_dims == 2)
        snprintf(out, 32, "[%u, %u]", (unsigned)g->grid[0], (unsigned)g->grid[1]);
    else
        snprintf(out, 32, "[%u]", (unsigned)g->grid[0]);
}

static bool has_per_mpu(const struct object *o) {
    for (size_t i = 0; i < o->groups.len; i++)
        if (o->groups.data[i].per_mpu)
            return true;
    return false;
}

/* An input that says nothing of a grid, and has no group per MPU, goes with any. */
static void merge_grid(struct link *l, const struct link_input *in) {
    struct geometry *a = &l->out->geometry;
    const struct geometry *b = &in->o->geometry;
    char here[32], before[32];
    bool same = a->grid_dims == b->grid_dims && memcmp(a->grid, b->grid, sizeof a->grid) == 0;
    if (same || (b->grid_dims == 0 && !has_per_mpu(in->o)))
        return;
    if (a->grid_dims == 0 && !has_per_mpu(l->out)) {
        a->grid_dims = b->grid_dims;
        memcpy(a->grid, b->grid, sizeof a->grid);
        return;
    }
    grid_text(a, before);
    grid_text(b, here);
    diag_error(l->d, NO_SPAN, "%s has .geometry grid=%s, but the inputs before it grid=%s",
               link_input_name(in), b->grid_dims ? here : "none", a->grid_dims ? before : "none");
}

static void merge_geometry(struct link *l, const struct link_input *in) {
    const struct geometry *a = &l->inputs[0].o->geometry, *b = &in->o->geometry;
    merge_grid(l, in);
    if (a->lanes == b->lanes && a->vrfs == b->vrfs && a->rfhs == b->rfhs)
        return;
    diag_error(l->d, NO_SPAN,
               "%s has .geometry lanes=%u vrfs=%u rfhs=%u, but %s has lanes=%u vrfs=%u rfhs=%u",
               link_input_name(in), (unsigned)b->lanes, (unsigned)b->vrfs, (unsigned)b->rfhs,
               link_input_name(&l->inputs[0]), (unsigned)a->lanes, (unsigned)a->vrfs,
               (unsigned)a->rfhs);
}

static uint32_t size_out(const struct link_input *in, uint32_t size) {
    return size == NO_INDEX ? NO_INDEX : in->sizes[size];
}

/* What a formula is made of stands before it, and is merged already. */
static void rebase_formula(const struct link_input *in, struct size_decl *s) {
    if (s->op == SIZE_GIVEN)
        return;
    s->left.size = size_out(in, s->left.size);
    s->right.size = size_out(in, s->right.size);
}

static void append_size(struct link *l, const struct link_input *in, struct size_decl s) {
    s.name = object_find_size(l->out, s.name) == NO_INDEX ? copy_text(l, s.name)
                                                          : object_size_name(l->out);
    s.place = link_place_out(in, s.place);
    vec_push(&l->out->sizes, s);
}

/* Parts of formulas that nobody named: one of an earlier input that is the same will do; else the
 * name has a number of its own.  False for all other sizes. */
static bool merge_unnamed(struct link *l, struct link_input *in, const struct size_decl *s,
                          uint32_t i) {
    if (!object_size_is_unnamed(s))
        return false;
    for (uint32_t k = 0; k < in->size_base; k++)
        if (object_size_same_formula(s, &l->out->sizes.data[k])) {
            in->sizes[i] = k;
            return true;
        }
    in->sizes[i] = (uint32_t)l->out->sizes.len;
    append_size(l, in, *s);
    return true;
}

static void merge_size(struct link *l, struct link_input *in, struct map *known, uint32_t i) {
    struct size_decl s = in->o->sizes.data[i];
    rebase_formula(in, &s);
    if (merge_unnamed(l, in, &s, i))
        return;
    const uint64_t *at = map_get(known, s.name);
    in->sizes[i] = (uint32_t)(at ? *at : l->out->sizes.len);
    if (at) {
        const struct size_decl *old = &l->out->sizes.data[*at];
        if (s.has_default != old->has_default || (s.has_default && s.value != old->value) ||
            s.bound != old->bound || !object_size_same_formula(&s, old))
            differs(l, in, "size", s.name, s.place, old->place);
        return;
    }
    map_put(known, s.name, l->out->sizes.len);
    append_size(l, in, s);
}

static bool same_link_value(const struct value_decl *a, const struct value_decl *b) {
    size_t bytes = object_value_count(a) * sizeof *a->elements;
    return a->type.kind == b->type.kind && a->type.bits == b->type.bits && a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, sizeof a->shape) == 0 && !a->elements == !b->elements &&
           (!a->elements || memcmp(a->elements, b->elements, bytes) == 0);
}

static void merge_link_value(struct link *l, struct link_input *in, struct map *known, uint32_t i) {
    struct value_decl v = in->o->values.data[i];
    const uint64_t *at = map_get(known, v.name);
    in->values[i] = (uint32_t)(at ? *at : l->out->values.len);
    if (at) {
        const struct value_decl *old = &l->out->values.data[*at];
        if (!same_link_value(&v, old))
            differs(l, in, "value", v.name, v.place, old->place);
        return;
    }
    map_put(known, v.name, l->out->values.len);
    v.name = copy_text(l, v.name);
    v.place = link_place_out(in, v.place);
    if (v.elements) {
        uint64_t *elements = ARENA_ARRAY(&l->out->arena, object_value_count(&v), uint64_t);
        memcpy(elements, v.elements, object_value_count(&v) * sizeof *elements);
        v.elements = elements;
    }
    vec_push(&l->out->values, v);
}

/* One object has no variable and value of the same name, but two may. */
static void check_value_names(struct link *l) {
    for (size_t i = 0; i < l->out->values.len; i++) {
        const struct value_decl *v = &l->out->values.data[i];
        uint32_t variable = object_find_variable(l->out, v->name);
        if (variable == NO_INDEX)
            continue;
        diag_error(l->d, object_span(l->out, v->place, l->d),
                   "'%s' is a link-time value in one input and a variable in another", v->name);
        diag_note(l->d, object_span(l->out, l->out->vars.data[variable].place, l->d),
                  "the variable is declared here");
    }
}

static bool same_extent(const struct extent *a, const struct extent *b) {
    return a->size == b->size && (a->size != NO_INDEX || a->value == b->value);
}

static bool same_group(const struct group *a, const struct group *b) {
    if (a->ndim != b->ndim || a->per_mpu != b->per_mpu || a->like != b->like ||
        a->at_rfh != b->at_rfh || a->at_vrf != b->at_vrf)
        return false;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (!same_extent(&a->extent[i], &b->extent[i]))
            return false;
    return true;
}

/* A group is like one before it, which is merged already. */
static struct group group_out(struct link *l, const struct link_input *in, uint32_t i) {
    struct group g = in->o->groups.data[i];
    for (uint32_t k = 0; k < g.ndim; k++)
        if (g.extent[k].size != NO_INDEX)
            g.extent[k].size = in->sizes[g.extent[k].size];
    if (g.like != NO_INDEX)
        g.like = in->groups[g.like];
    g.name = copy_text(l, g.name);
    g.place = link_place_out(in, g.place);
    return g;
}

static void merge_group(struct link *l, struct link_input *in, struct map *known, uint32_t i) {
    struct group g = group_out(l, in, i);
    const uint64_t *at = map_get(known, g.name);
    in->groups[i] = (uint32_t)(at ? *at : l->out->groups.len);
    if (at) {
        if (!same_group(&g, &l->out->groups.data[*at]))
            differs(l, in, "group", g.name, in->o->groups.data[i].place,
                    l->out->groups.data[*at].place);
        return;
    }
    map_put(known, g.name, l->out->groups.len);
    vec_push(&l->out->groups, g);
}

static struct group_scope merge_scope(struct link *l, const struct link_input *in,
                                      const struct group_scope *s) {
    uint32_t *groups = ARENA_ARRAY(&l->arena, s->count, uint32_t);
    for (uint32_t i = 0; i < s->count; i++)
        groups[i] = in->groups[s->groups[i]];
    return object_scope_of(&l->out->arena, groups, s->count);
}

static bool same_variable(const struct variable *a, const struct variable *b) {
    return a->direction == b->direction && a->type.kind == b->type.kind &&
           a->type.bits == b->type.bits && a->count == b->count && a->has_k == b->has_k &&
           a->group == b->group && a->reg == b->reg && object_form_same(&a->form, &b->form) &&
           object_scope_same(&a->scope, &b->scope);
}

static void merge_variable(struct link *l, struct link_input *in, struct map *known, uint32_t i) {
    struct variable v = in->o->vars.data[i];
    const uint64_t *at = map_get(known, v.name);
    in->vars[i] = (uint32_t)(at ? *at : l->out->vars.len);
    if (v.group != NO_INDEX)
        v.group = in->groups[v.group];
    v.scope = merge_scope(l, in, &v.scope);
    for (uint32_t k = 0; k < v.form.ndim; k++)
        if (v.form.shape[k].size != NO_INDEX)
            v.form.shape[k].size = in->sizes[v.form.shape[k].size];
    if (at) {
        if (!same_variable(&v, &l->out->vars.data[*at]))
            differs(l, in, "variable", v.name, v.place, l->out->vars.data[*at].place);
        return;
    }
    map_put(known, v.name, l->out->vars.len);
    v.name = copy_text(l, v.name);
    v.place = link_place_out(in, v.place);
    vec_push(&l->out->vars, v);
}

static bool same_data(const struct data_record *a, const struct data_record *b) {
    return a->count == b->count && memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
}

/* Initial contents may be repeated with their variable's declaration, but must then agree.
 * known: output variable -> output record + 1. */
static void merge_data(struct link *l, struct link_input *in, uint32_t *known, uint32_t i) {
    struct data_record r = in->o->data.data[i];
    r.variable = in->vars[r.variable];
    const struct variable *v = &l->out->vars.data[r.variable];
    if (known[r.variable]) {
        if (!same_data(&r, &l->out->data.data[known[r.variable] - 1]))
            diag_error(l->d, object_span(l->out, v->place, l->d),
                       "variable '%s' is given other initial contents by %s than before", v->name,
                       link_input_name(in));
        return;
    }
    uint64_t *values = ARENA_ARRAY(&l->out->arena, r.count, uint64_t);
    memcpy(values, r.values, r.count * sizeof *values);
    r.values = values;
    vec_push(&l->out->data, r);
    known[r.variable] = (uint32_t)l->out->data.len;
}

static bool same_bound(const struct move_bound *a, const struct move_bound *b) {
    return a->offset == b->offset && a->size == b->size && a->size_coeff == b->size_coeff;
}

static bool same_affine(const struct move_affine *a, const struct move_affine *b) {
    return memcmp(a->coeff, b->coeff, sizeof a->coeff) == 0 && a->offset == b->offset &&
           a->size == b->size && a->size_coeff == b->size_coeff;
}

static bool same_operands(const struct move *a, const struct move *b) {
    return a->dst_group == b->dst_group && a->src_group == b->src_group &&
           a->dst_reg == b->dst_reg && a->src_reg == b->src_reg && a->dst_count == b->dst_count &&
           a->src_count == b->src_count && a->dst_has_k == b->dst_has_k &&
           a->src_has_k == b->src_has_k && object_scope_same(&a->scope, &b->scope);
}

static bool same_index(const struct move_index *a, const struct move_index *b) {
    return a->kind == b->kind && a->coordinate == b->coordinate && a->reg == b->reg &&
           a->follows == b->follows && a->type.kind == b->type.kind && a->type.bits == b->type.bits;
}

static bool same_move(const struct move *a, const struct move *b) {
    bool same = same_operands(a, b) && a->width == b->width && a->bounded == b->bounded &&
                a->outside == b->outside && a->fill == b->fill && same_index(&a->index, &b->index);
    for (unsigned d = 0; d < MOVE_MAX_DIMS && same; d++)
        same = same_bound(&a->first[d], &b->first[d]) && same_bound(&a->last[d], &b->last[d]) &&
               same_affine(&a->source[d], &b->source[d]);
    return same && object_move_same_strides(a, b) && object_move_same_laps(a, b);
}

/* Names that the builder made are numbered anew, so that those of two inputs differ. */
static const char *move_name_out(struct link *l, const char *name) {
    if (strncmp(name, "$M", 2) == 0)
        return arena_printf(&l->out->arena, "$M%zu", l->out->moves.len);
    return copy_text(l, name);
}

/* Strides and laps into the output. */
static void steps_out(struct link *l, const struct link_input *in, const struct move *from,
                      struct move *m) {
    m->strides = NULL;
    m->laps = NULL;
    for (unsigned d = 0; from->strides && d < MOVE_MAX_DIMS; d++) {
        struct move_bound offset = from->strides->offset[d];
        offset.size = size_out(in, offset.size);
        object_move_set_stride(m, d, from->strides->coeff[d], &offset, &l->out->arena);
    }
    for (unsigned f = 0; from->laps && f < MOVE_FORMS; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
            object_move_set_laps(m, (enum move_form)f, d, from->laps->coeff[f][d], &l->out->arena);
}

static struct move move_out(struct link *l, const struct link_input *in, uint32_t i) {
    struct move m = in->o->moves.data[i];
    m.name = move_name_out(l, m.name);
    m.dst_group = m.dst_group == NO_INDEX ? NO_INDEX : in->groups[m.dst_group];
    m.src_group = m.src_group == NO_INDEX ? NO_INDEX : in->groups[m.src_group];
    m.scope = merge_scope(l, in, &m.scope);
    m.place = link_place_out(in, m.place);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        m.first[d].size = size_out(in, m.first[d].size);
        m.last[d].size = size_out(in, m.last[d].size);
        m.source[d].size = size_out(in, m.source[d].size);
    }
    steps_out(l, in, &in->o->moves.data[i], &m);
    return m;
}

static void merge_move(struct link *l, struct link_input *in, struct map *known, uint32_t i) {
    struct move m = move_out(l, in, i);
    const uint64_t *at = map_get(known, m.name);
    in->moves[i] = (uint32_t)(at ? *at : l->out->moves.len);
    if (at) {
        if (!same_move(&m, &l->out->moves.data[*at]))
            differs(l, in, "move", m.name, in->o->moves.data[i].place,
                    l->out->moves.data[*at].place);
        return;
    }
    map_put(known, m.name, l->out->moves.len);
    vec_push(&l->out->moves, m);
}

static void merge_debugs(struct link *l, struct link_input *in) {
    in->debug_base = (uint32_t)l->out->debugs.len;
    for (size_t i = 0; i < in->o->debugs.len; i++) {
        struct debug_record r = in->o->debugs.data[i];
        r.text = copy_text(l, r.text);
        vec_push(&l->out->debugs, r);
    }
}

/* The same file in several inputs is one; files that contradict each other are found by whoever
 * reads all of them. */
static void merge_recipes(struct link *l, const struct link_input *in) {
    struct object *out = l->out;
    for (size_t i = 0; i < in->o->recipes.len; i++) {
        struct user_file t = in->o->recipes.data[i];
        if (object_has_recipes(out, t.text, t.size))
            continue;
        t.name = copy_text(l, t.name);
        t.text = arena_strndup(&out->arena, t.text, t.size);
        vec_push(&out->recipes, t);
    }
}

/* Two files that give an opcode two names, or a name two opcodes. */
static void check_users(struct link *l) {
    struct isa_users users = {0};
    if (l->out->recipes.len > OBJECT_MAX_RECIPES)
        diag_error(l->d, NO_SPAN, "the inputs bring %zu recipe files; the most is %d",
                   l->out->recipes.len, OBJECT_MAX_RECIPES);
    else
        object_users(l->out, &users, &l->arena, l->d);
}

/* `otherwise` is that of the input until the symbols are joined. */
static void merge_calls(struct link *l, struct link_input *in) {
    in->call_base = (uint32_t)l->out->calls.len;
    for (size_t i = 0; i < in->o->calls.len; i++)
        vec_push(&l->out->calls, in->o->calls.data[i]);
}

static void append_calls(struct link *l, const struct link_input *in) {
    for (size_t i = 0; i < in->o->calls.len; i++) {
        struct recipe_call *c = &l->out->calls.data[in->call_base + i];
        if (c->otherwise != NO_INDEX)
            c->otherwise = in->symbols[c->otherwise];
    }
}

struct known_names {
    struct map sizes, values, groups, vars, moves;
};

static void merge_declarations(struct link *l, struct link_input *in, struct known_names *known) {
    const struct object *o = in->o;
    in->sizes = index_map(l, o->sizes.len);
    in->size_base = (uint32_t)l->out->sizes.len;
    in->values = index_map(l, o->values.len);
    in->groups = index_map(l, o->groups.len);
    in->vars = index_map(l, o->vars.len);
    in->moves = index_map(l, o->moves.len);
    for (uint32_t i = 0; i < o->sizes.len; i++)
        merge_size(l, in, &known->sizes, i);
    for (uint32_t i = 0; i < o->values.len; i++)
        merge_link_value(l, in, &known->values, i);
    for (uint32_t i = 0; i < o->groups.len; i++)
        merge_group(l, in, &known->groups, i);
    for (uint32_t i = 0; i < o->vars.len; i++)
        merge_variable(l, in, &known->vars, i);
    for (uint32_t i = 0; i < o->moves.len; i++)
        merge_move(l, in, &known->moves, i);
}

static void merge_all_data(struct link *l) {
    uint32_t *known = index_map(l, l->out->vars.len);
    for (size_t k = 0; k < l->count; k++)
        for (uint32_t i = 0; i < l->inputs[k].o->data.len; i++)
            merge_data(l, &l->inputs[k], known, i);
}

/* Lengths may be repeated with their variable's declaration, but must then agree.
 * known: output variable -> output length + 1. */
static void merge_length(struct link *l, const struct link_input *in, uint32_t *known, uint32_t i) {
    struct length_record r = in->o->lengths.data[i];
    uint32_t length = in->vars[r.length];
    const struct variable *v = &l->out->vars.data[in->vars[r.variable]];
    uint32_t *first = &known[in->vars[r.variable]];
    if (*first && *first != length + 1)
        diag_error(l->d, object_span(l->out, v->place, l->d),
                   "variable '%s' is given another length by %s than before", v->name,
                   link_input_name(in));
    *first = length + 1;
}

static void merge_lengths(struct link *l) {
    uint32_t *known = index_map(l, l->out->vars.len);
    for (size_t k = 0; k < l->count; k++)
        for (uint32_t i = 0; i < l->inputs[k].o->lengths.len; i++)
            merge_length(l, &l->inputs[k], known, i);
    for (uint32_t i = 0; i < l->out->vars.len; i++)
        if (known[i]) {
            struct length_record r = {i, known[i] - 1};
            vec_push(&l->out->lengths, r);
        }
}

/* Constants of a variable that several objects declare are the first one's: they are help for
 * people alone. */
static void merge_constants_of(struct link *l, const char *array) {
    for (uint32_t d = 0; d < FORM_MAX_DIMS; d++)
        for (size_t k = 0; k < l->count; k++) {
            const char *constant = object_constant_of(l->inputs[k].o, array, d);
            if (!constant)
                continue;
            struct constant_record r = {array, d, copy_text(l, constant)};
            vec_push(&l->out->constants, r);
            break;
        }
}

static void merge_constants(struct link *l) {
    for (size_t i = 0; i < l->out->vars.len; i++)
        merge_constants_of(l, l->out->vars.data[i].name);
    for (size_t i = 0; i < l->out->values.len; i++)
        merge_constants_of(l, l->out->values.data[i].name);
}

static void merge_program(struct link *l) {
    const struct object *first = l->inputs[0].o;
    l->out->geometry = first->geometry;
    l->out->default_width = first->default_width;
    l->out->source = copy_text(l, first->source);
}

void link_merge_tables(struct link *l) {
    struct known_names known = {0};
    merge_program(l);
    for (size_t i = 0; i < l->count; i++) {
        struct link_input *in = &l->inputs[i];
        l->out->debug_lines |= in->o->debug_lines;
        merge_files(l, in);
        merge_geometry(l, in);
        merge_declarations(l, in, &known);
        merge_debugs(l, in);
        merge_recipes(l, in);
        merge_calls(l, in);
    }
    merge_all_data(l);
    merge_lengths(l);
    merge_constants(l);
    check_users(l);
    check_value_names(l);
    map_free(&known.values);
    map_free(&known.sizes);
    map_free(&known.groups);
    map_free(&known.vars);
    map_free(&known.moves);
}

/* What a word without a relocation names lies in its own object. */
static uint32_t rebase_word(const struct link_input *in, uint32_t word) {
    struct insn i;
    enum debug_kind kind;
    if (isa_decode(word, &i) != ISA_OK)
        return word;
    if (isa_info(i.op)->format == FORMAT_J)
        i.imm += (int32_t)in->text_base;
    else if (i.op == OP_COMPUTEG)
        i.imm = (int32_t)in->groups[i.imm];
    else if (i.op == OP_GMOVE)
        i.imm = (int32_t)in->moves[i.imm];
    else if (object_debug_kind(i.op, &kind))
        i.imm += (int32_t)in->debug_base;
    else if (i.op == OP_RECIPE)
        i.imm += (int32_t)in->call_base;
    else
        return word;
    uint32_t rebased;
    return isa_encode(&i, &rebased) == ISA_OK ? rebased : word;
}

static struct reloc reloc_out(const struct link_input *in, struct reloc r) {
    r.index += in->text_base;
    switch (r.type) {
    case RELOC_J24:
        r.target = in->symbols[r.target];
        break;
    case RELOC_GROUP:
        r.target = in->groups[r.target];
        break;
    case RELOC_DEBUG:
        r.target += in->debug_base;
        break;
    case RELOC_MOVE:
        r.target = in->moves[r.target];
        break;
    case RELOC_CALL:
        r.target += in->call_base;
        break;
    case RELOC_VALUE12:
        r.target = in->values[r.target];
        break;
    default: /* object_check lets only COUNT and IMM12 through */
        r.target = in->sizes[r.target];
        break;
    }
    return r;
}

static void append_words(struct link *l, const struct link_input *in) {
    size_t next = 0;
    vec_reserve(&l->out->text, l->out->text.len + in->o->text.len);
    for (uint32_t i = 0; i < in->o->text.len; i++) {
        bool has_reloc = next < in->o->relocs.len && in->o->relocs.data[next].index == i;
        uint32_t word = in->o->text.data[i];
        vec_push(&l->out->text, has_reloc ? word : rebase_word(in, word));
        if (has_reloc)
            vec_push(&l->out->relocs, reloc_out(in, in->o->relocs.data[next++]));
    }
}

/* An input without lines must not inherit the last place of the one before. */
static void append_lines(struct link *l, const struct link_input *in) {
    const struct object *o = in->o;
    if (o->text.len && l->out->lines.len && (!o->lines.len || o->lines.data[0].index != 0)) {
        struct line_entry gap = {in->text_base, {NO_INDEX, 0, 0}};
        vec_push(&l->out->lines, gap);
    }
    for (size_t i = 0; i < o->lines.len; i++) {
        struct line_entry e = o->lines.data[i];
        e.index += in->text_base;
        e.place = link_place_out(in, e.place);
        vec_push(&l->out->lines, e);
    }
}

static int by_first_mpu(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return (x->first_mpu > y->first_mpu) - (x->first_mpu < y->first_mpu);
}

static void append_entries(struct link *l, const struct link_input *in) {
    for (size_t i = 0; i < in->o->entries.len; i++) {
        struct entry e = in->o->entries.data[i];
        if (e.symbol != NO_INDEX)
            e.symbol = in->symbols[e.symbol];
        vec_push(&l->out->entries, e);
    }
}

static void check_entries(struct link *l) {
    struct object *o = l->out;
    if (o->entries.len)
        qsort(o->entries.data, o->entries.len, sizeof *o->entries.data, by_first_mpu);
    for (size_t i = 1; i < o->entries.len; i++) {
        const struct entry *a = &o->entries.data[i - 1], *b = &o->entries.data[i];
        if ((uint64_t)a->first_mpu + a->mpu_count > b->first_mpu)
            diag_error(l->d, NO_SPAN, "two .mpu directives name MPU %u", (unsigned)b->first_mpu);
    }
}

/* MPUs of the entry table that the grid does not have. */
static void check_grid(struct link *l) {
    const struct object *o = l->out;
    uint64_t first = o->entries.len ? o->entries.data[0].first_mpu : 0;
    uint64_t end = o->entries.len ? vec_last(&o->entries).first_mpu : 0;
    if (!o->geometry.grid_dims || !o->entries.len)
        return;
    end += vec_last(&o->entries).mpu_count;
    if (end - first > grid_mpus(&o->geometry))
        diag_error(l->d, NO_SPAN,
                   "the .mpu directives name MPU%" PRIu64 " to MPU%" PRIu64
                   "; .geometry grid has %" PRIu32 " MPUs",
                   first, end - 1, grid_mpus(&o->geometry));
}

void link_merge_text(struct link *l) {
    for (size_t i = 0; i < l->count; i++) {
        append_words(l, &l->inputs[i]);
        append_lines(l, &l->inputs[i]);
        append_entries(l, &l->inputs[i]);
        append_calls(l, &l->inputs[i]);
        link_append_finishes(l, &l->inputs[i]);
    }
    check_entries(l);
    check_grid(l);
}
